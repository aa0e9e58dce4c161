//! Reorders the tests of a rule so that they cost little, without changing the result.

use super::{
    DirectRule, NodeTest,
    kinds::KindSet,
    pattern::{ERROR, PatternGoal},
    relation::{NodeRelation, RelatedNodes, RelationStop},
};

/// The deepest nesting of utilities that is followed.
pub(super) const MAX_UTIL_DEPTH: usize = 4;

impl DirectRule {
    /// Reorders the tests of the rule. `names` has the number of occurrences of each name in the patterns.
    pub(super) fn order_tests(&mut self, names: &[(String, usize)]) {
        // The names that a utility binds may be bound at each place that uses it.
        let is_bound = |place: usize| self.constraints.iter().any(|(name, _)| *name == place);
        let is_free =
            |place: usize| self.utils.is_empty() && names[place].1 == 1 && !is_bound(place);
        // By name: its place among the names that are bound at all.
        let mut bound = 0..;
        let places: Vec<Option<usize>> =
            (0..names.len()).map(|name| if is_free(name) { None } else { bound.next() }).collect();
        self.names = places.iter().flatten().count();
        let utils = std::mem::take(&mut self.utils);
        let tidy = |test: NodeTest| test.without_unbound(&places).order_by_cost();
        self.utils = utils.into_iter().map(tidy).collect();
        self.test = tidy(std::mem::replace(&mut self.test, NodeTest::Any(vec![])));
        let constraints = std::mem::take(&mut self.constraints);
        let constraints = constraints
            .into_iter()
            .filter_map(|(name, test)| Some((places[name]?, test.order_by_cost())));
        self.constraints = constraints.collect();
        // Twice, as a relation in a utility may name another.
        for _ in 0..2 {
            let kinds: Vec<Option<KindSet>> =
                self.utils.iter().map(|test| test.possible_kinds(&self.utils, 0)).collect();
            self.utils.iter_mut().for_each(|test| test.note_kinds(&kinds));
            self.test.note_kinds(&kinds);
            self.constraints.iter_mut().for_each(|(_, test)| test.note_kinds(&kinds));
        }
    }
}

impl NodeTest {
    /// Returns whether the test depends on bindings, or binds names.
    pub(super) fn binds_names(&self) -> bool {
        match self {
            Self::Kinds(_) | Self::Regex(_) | Self::Nth(_) => false,
            Self::Pattern(pattern) => pattern.goal.binds_names(),
            Self::All(tests) | Self::Any(tests) => tests.iter().any(Self::binds_names),
            Self::Not(test) => test.binds_names(),
            Self::Util(_) => true,
            Self::Relation(relation) => relation.test.binds_names(),
        }
    }

    /// Renumbers the names by their places among the bound ones; the name of a hole that occurs once is dropped, as
    /// nothing uses it.
    fn without_unbound(self, places: &[Option<usize>]) -> Self {
        let all =
            |tests: Vec<Self>| tests.into_iter().map(|test| test.without_unbound(places)).collect();
        match self {
            Self::Pattern(mut pattern) => {
                pattern.goal.forget_unbound(places);
                Self::Pattern(pattern)
            }
            Self::All(tests) => Self::All(all(tests)),
            Self::Any(tests) => Self::Any(all(tests)),
            Self::Not(test) => Self::Not(Box::new(test.without_unbound(places))),
            Self::Relation(relation) => {
                let NodeRelation { test, until, .. } = *relation;
                let until = match until {
                    RelationStop::Holds(stop) => RelationStop::Holds(stop.without_unbound(places)),
                    until => until,
                };
                Self::Relation(Box::new(NodeRelation {
                    test: test.without_unbound(places),
                    until,
                    ..*relation
                }))
            }
            test => test,
        }
    }

    /// Sorts the tests that must all be true: cheap ones, those that bind names in their order, costly ones. Merges
    /// nested lists. The result of a test that binds nothing does not depend on those before it.
    fn order_by_cost(self) -> Self {
        match self {
            Self::All(tests) => {
                let mut all = vec![];
                tests.into_iter().map(Self::order_by_cost).for_each(|test| match test {
                    Self::All(inner) => all.extend(inner),
                    test => all.push(test),
                });
                let dear = |test: &Self| test.estimated_cost() > Self::COST_OF_PATTERN;
                all.sort_by_key(|test| match test.binds_names() {
                    true => (1, 0),
                    false if dear(test) => (2, test.estimated_cost()),
                    false => (0, test.estimated_cost()),
                });
                Self::All(all)
            }
            Self::Any(tests) => any_of(tests.into_iter().map(Self::order_by_cost).collect()),
            Self::Not(test) => Self::Not(Box::new(test.order_by_cost())),
            Self::Relation(relation) => {
                let NodeRelation { test, until, .. } = *relation;
                let until = match until {
                    RelationStop::Holds(stop) => RelationStop::Holds(stop.order_by_cost()),
                    until => until,
                };
                Self::Relation(Box::new(NodeRelation {
                    test: test.order_by_cost(),
                    until,
                    ..*relation
                }))
            }
            test => test,
        }
    }

    const COST_OF_PATTERN: usize = 4;

    /// Returns the approximate cost of a test that does not hold.
    fn estimated_cost(&self) -> usize {
        match self {
            Self::Kinds(_) => 0,
            Self::Pattern(_) => Self::COST_OF_PATTERN,
            Self::Nth(_) => 6,
            Self::Regex(_) => 20,
            Self::All(tests) => tests.first().map_or(0, |test| test.estimated_cost() + 1),
            Self::Any(tests) => tests.iter().map(Self::estimated_cost).sum(),
            Self::Not(test) => test.estimated_cost(),
            Self::Util(_) => 40,
            Self::Relation(relation) => {
                let far = !matches!(relation.until, RelationStop::Near);
                let nodes = match relation.related {
                    RelatedNodes::Below if far => 30,
                    RelatedNodes::Below => 3,
                    RelatedNodes::Above | RelatedNodes::After | RelatedNodes::Before if far => 10,
                    RelatedNodes::Above | RelatedNodes::After | RelatedNodes::Before => 1,
                };
                nodes * (1 + relation.test.estimated_cost())
            }
        }
    }

    /// Returns the kinds for which the test may hold; None where it may hold for any.
    pub(super) fn possible_kinds(&self, utils: &[Self], open: usize) -> Option<KindSet> {
        self.kinds_by(&|place| {
            let util = utils.get(place).filter(|_| open < MAX_UTIL_DEPTH);
            util.and_then(|test| test.possible_kinds(utils, open + 1))
        })
    }

    /// Does the same, given the kinds for which each utility may hold.
    fn kinds_by(&self, of_util: &dyn Fn(usize) -> Option<KindSet>) -> Option<KindSet> {
        match self {
            Self::Kinds(kinds) => Some(kinds.clone()),
            Self::Pattern(pattern) => match &pattern.goal {
                PatternGoal::Leaf { kind, .. } | PatternGoal::Inner { kind, .. } => {
                    (*kind != ERROR).then(|| KindSet::from_kinds([*kind]))
                }
                PatternGoal::Hole { .. } | PatternGoal::Many { .. } => {
                    pattern.kind.map(|kind| KindSet::from_kinds([kind]))
                }
            },
            Self::All(tests) => {
                let kinds = tests.iter().filter_map(|test| test.kinds_by(of_util));
                kinds.reduce(|one, two| one.intersection_with(&two))
            }
            Self::Any(tests) => {
                let kinds = tests.iter().map(|test| test.kinds_by(of_util));
                let kinds = kinds.collect::<Option<Vec<_>>>()?;
                Some(kinds.iter().fold(KindSet::default(), KindSet::union_with))
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
                if let RelationStop::Holds(stop) = &mut relation.until {
                    stop.note_kinds(utils);
                }
            }
            _ => {}
        }
    }
}

/// Combines alternatives; those that are only kinds become one test.
fn any_of(tests: Vec<NodeTest>) -> NodeTest {
    let kinds = tests.iter().map(|test| match test {
        NodeTest::Kinds(kinds) => Some(kinds),
        _ => None,
    });
    match kinds.collect::<Option<Vec<&KindSet>>>() {
        Some(kinds) => {
            NodeTest::Kinds(kinds.into_iter().fold(KindSet::default(), KindSet::union_with))
        }
        None => NodeTest::Any(tests),
    }
}

impl PatternGoal {
    fn binds_names(&self) -> bool {
        match self {
            Self::Hole { name, .. } | Self::Many { name } => name.is_some(),
            Self::Leaf { .. } => false,
            Self::Inner { children, .. } => children.iter().any(Self::binds_names),
        }
    }

    fn forget_unbound(&mut self, places: &[Option<usize>]) {
        match self {
            Self::Hole { name, .. } | Self::Many { name } => {
                *name = name.and_then(|name| places[name])
            }
            Self::Leaf { .. } => {}
            Self::Inner { children, .. } => {
                children.iter_mut().for_each(|goal| goal.forget_unbound(places))
            }
        }
    }
}
