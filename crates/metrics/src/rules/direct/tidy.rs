//! Bringing the tests of a rule into an order in which they cost little, without changing what they say.

use super::{
    Direct, Test,
    kinds::KindSet,
    pattern::{ERROR, Goal},
    relation::{Of, Relation, Until},
};

/// Utilities that name utilities are looked into no deeper than this.
pub(super) const MOST_OPEN: usize = 4;

impl Direct {
    /// `names` says how often each name stands in a pattern.
    pub(super) fn tidy(&mut self, names: &[(String, usize)]) {
        // What a utility binds may be bound at each place that names it.
        let is_bound = |place: usize| self.constraints.iter().any(|(name, _)| *name == place);
        let is_free =
            |place: usize| self.utils.is_empty() && names[place].1 == 1 && !is_bound(place);
        // By name: its place among those that are bound at all.
        let mut bound = 0..;
        let places: Vec<Option<usize>> =
            (0..names.len()).map(|name| if is_free(name) { None } else { bound.next() }).collect();
        self.names = places.iter().flatten().count();
        let utils = std::mem::take(&mut self.utils);
        let tidy = |test: Test| test.without(&places).in_order();
        self.utils = utils.into_iter().map(tidy).collect();
        self.test = tidy(std::mem::replace(&mut self.test, Test::Any(vec![])));
        let constraints = std::mem::take(&mut self.constraints);
        let constraints = constraints
            .into_iter()
            .filter_map(|(name, test)| Some((places[name]?, test.in_order())));
        self.constraints = constraints.collect();
        // Twice, as a relation in a utility may name another.
        for _ in 0..2 {
            let kinds: Vec<Option<KindSet>> =
                self.utils.iter().map(|test| test.kinds(&self.utils, 0)).collect();
            self.utils.iter_mut().for_each(|test| test.note_kinds(&kinds));
            self.test.note_kinds(&kinds);
            self.constraints.iter_mut().for_each(|(_, test)| test.note_kinds(&kinds));
        }
    }
}

impl Test {
    /// Whether it depends on what is bound, or binds.
    pub(super) fn binds(&self) -> bool {
        match self {
            Self::Kinds(_) | Self::Regex(_) | Self::Nth(_) => false,
            Self::Pattern(pattern) => pattern.goal.binds(),
            Self::All(tests) | Self::Any(tests) => tests.iter().any(Self::binds),
            Self::Not(test) => test.binds(),
            Self::Util(_) => true,
            Self::Relation(relation) => relation.test.binds(),
        }
    }

    /// With the names' places among those that are bound; a hole that stands alone is not, as nothing asks what it
    /// stands for.
    fn without(self, places: &[Option<usize>]) -> Self {
        let all = |tests: Vec<Self>| tests.into_iter().map(|test| test.without(places)).collect();
        match self {
            Self::Pattern(mut pattern) => {
                pattern.goal.forget(places);
                Self::Pattern(pattern)
            }
            Self::All(tests) => Self::All(all(tests)),
            Self::Any(tests) => Self::Any(all(tests)),
            Self::Not(test) => Self::Not(Box::new(test.without(places))),
            Self::Relation(relation) => {
                let Relation { test, until, .. } = *relation;
                let until = match until {
                    Until::Holds(stop) => Until::Holds(stop.without(places)),
                    until => until,
                };
                Self::Relation(Box::new(Relation {
                    test: test.without(places),
                    until,
                    ..*relation
                }))
            }
            test => test,
        }
    }

    /// What binds nothing holds or not whatever came before it; the others keep their order.
    fn in_order(self) -> Self {
        match self {
            Self::All(tests) => {
                let mut all = vec![];
                tests.into_iter().map(Self::in_order).for_each(|test| match test {
                    Self::All(inner) => all.extend(inner),
                    test => all.push(test),
                });
                let dear = |test: &Self| test.cost() > Self::COST_OF_PATTERN;
                all.sort_by_key(|test| match test.binds() {
                    true => (1, 0),
                    false if dear(test) => (2, test.cost()),
                    false => (0, test.cost()),
                });
                Self::All(all)
            }
            Self::Any(tests) => any(tests.into_iter().map(Self::in_order).collect()),
            Self::Not(test) => Self::Not(Box::new(test.in_order())),
            Self::Relation(relation) => {
                let Relation { test, until, .. } = *relation;
                let until = match until {
                    Until::Holds(stop) => Until::Holds(stop.in_order()),
                    until => until,
                };
                Self::Relation(Box::new(Relation { test: test.in_order(), until, ..*relation }))
            }
            test => test,
        }
    }

    const COST_OF_PATTERN: usize = 4;

    /// About how much a test costs where it does not hold.
    fn cost(&self) -> usize {
        match self {
            Self::Kinds(_) => 0,
            Self::Pattern(_) => Self::COST_OF_PATTERN,
            Self::Nth(_) => 6,
            Self::Regex(_) => 20,
            Self::All(tests) => tests.first().map_or(0, |test| test.cost() + 1),
            Self::Any(tests) => tests.iter().map(Self::cost).sum(),
            Self::Not(test) => test.cost(),
            Self::Util(_) => 40,
            Self::Relation(relation) => {
                let far = !matches!(relation.until, Until::Near);
                let nodes = match relation.of {
                    Of::Below if far => 30,
                    Of::Below => 3,
                    Of::Above | Of::After | Of::Before if far => 10,
                    Of::Above | Of::After | Of::Before => 1,
                };
                nodes * (1 + relation.test.cost())
            }
        }
    }

    /// The kinds it may hold of; None where it may of any.
    pub(super) fn kinds(&self, utils: &[Self], open: usize) -> Option<KindSet> {
        self.kinds_by(&|place| {
            let util = utils.get(place).filter(|_| open < MOST_OPEN);
            util.and_then(|test| test.kinds(utils, open + 1))
        })
    }

    /// The same, where it is known of which kinds each utility holds.
    fn kinds_by(&self, of_util: &dyn Fn(usize) -> Option<KindSet>) -> Option<KindSet> {
        match self {
            Self::Kinds(kinds) => Some(kinds.clone()),
            Self::Pattern(pattern) => match &pattern.goal {
                Goal::Leaf { kind, .. } | Goal::Inner { kind, .. } => {
                    (*kind != ERROR).then(|| KindSet::of([*kind]))
                }
                Goal::Hole { .. } | Goal::Many { .. } => {
                    pattern.kind.map(|kind| KindSet::of([kind]))
                }
            },
            Self::All(tests) => {
                let kinds = tests.iter().filter_map(|test| test.kinds_by(of_util));
                kinds.reduce(|one, two| one.and(&two))
            }
            Self::Any(tests) => {
                let kinds = tests.iter().map(|test| test.kinds_by(of_util));
                let kinds = kinds.collect::<Option<Vec<_>>>()?;
                Some(kinds.iter().fold(KindSet::default(), KindSet::or))
            }
            Self::Util(place) => of_util(*place),
            _ => None,
        }
    }

    fn note_kinds(&mut self, utils: &[Option<KindSet>]) {
        match self {
            Self::All(tests) | Self::Any(tests) => {
                tests.iter_mut().for_each(|test| test.note_kinds(utils));
            }
            Self::Not(test) => test.note_kinds(utils),
            Self::Relation(relation) => {
                relation.test.note_kinds(utils);
                relation.kinds =
                    relation.test.kinds_by(&|place| utils.get(place).cloned().flatten());
                if let Until::Holds(stop) = &mut relation.until {
                    stop.note_kinds(utils);
                }
            }
            _ => {}
        }
    }
}

/// Alternatives that are kinds alone are one test.
fn any(tests: Vec<Test>) -> Test {
    let kinds = tests.iter().map(|test| match test {
        Test::Kinds(kinds) => Some(kinds),
        _ => None,
    });
    match kinds.collect::<Option<Vec<&KindSet>>>() {
        Some(kinds) => Test::Kinds(kinds.into_iter().fold(KindSet::default(), KindSet::or)),
        None => Test::Any(tests),
    }
}

impl Goal {
    fn binds(&self) -> bool {
        match self {
            Self::Hole { name, .. } | Self::Many { name } => name.is_some(),
            Self::Leaf { .. } => false,
            Self::Inner { children, .. } => children.iter().any(Self::binds),
        }
    }

    fn forget(&mut self, places: &[Option<usize>]) {
        match self {
            Self::Hole { name, .. } | Self::Many { name } => {
                *name = name.and_then(|name| places[name])
            }
            Self::Leaf { .. } => {}
            Self::Inner { children, .. } => {
                children.iter_mut().for_each(|goal| goal.forget(places))
            }
        }
    }
}
