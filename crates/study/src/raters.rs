//! Who scored what: the raters of runs and of tables, and which of their scores stand side by side.
//!
//! Two scores are a pair where they are of the same thing (a component, leaf, flag and so on, by the same criterion) of the same
//! run at the same commit; a score that names no commit fits any. Things of one kind, by one criterion and on one scale
//! are a [`Part`]: agreement is of each part by itself. A judge who judged several commits of a run is one rater; one who judged the same commit again is
//! another, so that repeats can be compared.

mod panel;
mod part;
mod settled;
#[cfg(test)]
mod tests;
mod units;

use std::collections::BTreeMap;

use trajview_run::{
    Warning,
    rubric::{Scale, Unit},
    values::worded,
};

pub use panel::{Files, RunScores, panel_of};
pub use part::{Part, levels_of};
pub use settled::Settled;
pub use units::{Person, Units, runs_of};

/// All raters, and what could not be used.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Panel {
    pub raters: Vec<Rater>,
    pub problems: Vec<Warning>,
}

/// One who scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Rater {
    /// Distinct among those of a [`Panel`] once [`Panel::named_apart`] is called.
    pub name: String,
    /// Of a judge that is one.
    pub model: Option<String>,
    pub kind: Kind,
    /// Of labels: whose they are and which of them. The blind ones of a person, those that are not and those that do not
    /// say are a rater each.
    pub labels: Option<LabelsOf>,
    pub scores: Vec<Score>,
}

/// Some of the labels of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelsOf {
    pub annotator: String,
    pub sight: Sight,
}

worded! {
    words;
    /// Whether the verdict was seen before the label was given.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Sight {
        Blind = "blind",
        Open = "not blind",
        /// Nothing says it.
        Unsaid = "blindness not recorded",
    }
}

impl Sight {
    pub const fn of(blind: Option<bool>) -> Self {
        match blind {
            Some(true) => Self::Blind,
            Some(false) => Self::Open,
            None => Self::Unsaid,
        }
    }

    /// None where nothing says it.
    pub const fn is_blind(self) -> Option<bool> {
        match self {
            Self::Blind => Some(true),
            Self::Open => Some(false),
            Self::Unsaid => None,
        }
    }
}

worded! {
    name;
    /// What a rater is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Kind {
        /// Labels, and judgements by hand.
        Human = "human",
        Judge = "judge",
        /// What adjudication settled: nobody's own scores, so it stands beside the raters and not among them.
        Gold = "gold",
        /// A column of a table, which does not say.
        Unknown = "unknown",
    }
}

/// One score, any finite number.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    pub item: Item,
    pub score: f64,
    /// None where nothing says it, and the unit's own is meant.
    pub scale: Option<Scale>,
    /// What it was judged by, as `slump-5`; None where nothing says it.
    pub rubric: Option<String>,
    /// Where it is written.
    pub place: String,
}

/// What is scored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Item {
    /// Empty where nothing says which run.
    pub run: String,
    pub unit: Unit,
    /// Its id among those of its unit.
    pub component: String,
    /// Where it is scored by several; of what was flagged, by which.
    pub criterion: Option<String>,
    pub commit: Option<String>,
}

/// The scores that two raters gave to the same things.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Joined {
    /// By run, then component, then commit.
    pub pairs: Vec<ScoredPair>,
    /// How many things one has scored and the other has not.
    pub only_a: usize,
    pub only_b: usize,
}

/// One thing that both scored.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredPair {
    pub item: Item,
    pub a: f64,
    pub b: f64,
    /// What either says it judged by, both where they differ; None where neither says it.
    pub rubric: Option<String>,
}

impl Panel {
    /// Adds the raters of another source: raters of the same name, model and kind are one.
    pub fn add(&mut self, other: Self) {
        self.problems.extend(other.problems);
        for rater in other.raters {
            match self.raters.iter_mut().find(|known| known.is_called(&rater)) {
                Some(known) => known.scores.extend(rater.scores),
                None => self.raters.push(rater),
            }
        }
    }

    /// Says of raters of one name which model or what kind they are.
    pub fn named_apart(mut self) -> Self {
        self.say_where_shared(|rater| rater.model.clone());
        self.say_where_shared(|rater| Some(rater.kind.name().to_owned()));
        self.say_where_shared(|rater| Some(rater.labels.as_ref()?.sight.words().to_owned()));
        self
    }

    /// Without the labels that are not known to be blind; what is left out is told.
    pub fn blind_only(mut self) -> Self {
        let is_out =
            |rater: &Rater| rater.labels.as_ref().is_some_and(|it| it.sight != Sight::Blind);
        let (out, kept): (Vec<Rater>, Vec<Rater>) = self.raters.into_iter().partition(is_out);
        self.problems.extend(out.iter().filter_map(|rater| {
            let labels = rater.labels.as_ref()?;
            let what = format!("{}: {}", counted(rater.scores.len()), labels.sight.words());
            Some(Warning { place: labels.annotator.clone(), what })
        }));
        Self { raters: kept, problems: self.problems }
    }

    fn say_where_shared(&mut self, what: impl Fn(&Rater) -> Option<String>) {
        let known: Vec<(String, Option<String>)> =
            self.raters.iter().map(|rater| (rater.name.clone(), what(rater))).collect();
        for rater in &mut self.raters {
            let own = what(rater);
            let is_other =
                |(name, what): &(String, Option<String>)| *name == rater.name && *what != own;
            if let Some(words) = own.as_ref().filter(|_| known.iter().any(is_other)) {
                rater.name = format!("{} ({words})", rater.name);
            }
        }
    }

    /// Scores off the scale become problems, so do second scores of one rater for one thing: the first one counts.
    pub fn on_scale(mut self, is_level: impl Fn(f64) -> bool) -> Self {
        for rater in &mut self.raters {
            let mut seen = std::collections::BTreeSet::new();
            let mut problems = vec![];
            rater.scores.retain(|score| {
                let Item { component, .. } = &score.item;
                let what = if !is_level(score.score) {
                    format!("{component}: {} is not on the scale", score.score)
                } else if !seen.insert(score.item.clone()) {
                    format!("{component}: scored twice by {}; the first score counts", rater.name)
                } else {
                    return true;
                };
                problems.push(Warning { place: score.place.clone(), what });
                false
            });
            self.problems.append(&mut problems);
        }
        self
    }

    /// Scores that no other rater has a counterpart to, with the number of the rater.
    pub fn lonely(&self) -> Vec<(usize, &Score)> {
        let by_thing: Vec<_> = self.raters.iter().map(by_thing).collect();
        let mut lonely = vec![];
        for (at, rater) in self.raters.iter().enumerate() {
            for score in &rater.scores {
                let others = by_thing.iter().enumerate().filter(|(other, _)| *other != at);
                let mut met =
                    others.filter_map(|(_, scores)| scores.get(&score.item.thing())).flatten();
                if !met.any(|other| other.item.fits(&score.item)) {
                    lonely.push((at, score));
                }
            }
        }
        lonely
    }

    /// Every two raters who scored something in common, or could have, by number: each human against each judge first,
    /// then humans, then judges among themselves, and each of them against gold. A person is not held against themselves.
    pub fn pairs_of_raters(&self) -> Vec<(usize, usize)> {
        let kind = |at: usize| self.raters.get(at).map_or(Kind::Unknown, |rater| rater.kind);
        let mut pairs: Vec<(usize, usize)> = vec![];
        for first in 0..self.raters.len() {
            for second in first + 1..self.raters.len() {
                if self.is_one_person(first, second) {
                    continue;
                }
                let is_turned = kind(first) == Kind::Gold
                    || kind(first) == Kind::Judge && kind(second) == Kind::Human;
                pairs.push(if is_turned { (second, first) } else { (first, second) });
            }
        }
        let rank = |&(a, b): &(usize, usize)| match (kind(a), kind(b)) {
            (_, Kind::Gold) => (3, b, a),
            (Kind::Human, Kind::Judge) => (0, b, a),
            (Kind::Human, _) => (1, a, b),
            _ => (2, a, b),
        };
        pairs.sort_by_key(rank);
        pairs
    }

    /// Whether both are labels of one person.
    fn is_one_person(&self, first: usize, second: usize) -> bool {
        let who = |at: usize| Some(&self.raters.get(at)?.labels.as_ref()?.annotator);
        who(first).is_some_and(|annotator| who(second) == Some(annotator))
    }
}

fn counted(labels: usize) -> String {
    if labels == 1 { "1 label".into() } else { format!("{labels} labels") }
}

impl Rater {
    fn is_called(&self, other: &Self) -> bool {
        let key = |it: &'_ Self| (it.name.clone(), it.model.clone(), it.kind, it.labels.clone());
        key(self) == key(other)
    }
}

/// Run, unit, id and criterion.
type Thing<'a> = (&'a str, Unit, &'a str, Option<&'a str>);

fn by_thing(rater: &Rater) -> BTreeMap<Thing<'_>, Vec<&Score>> {
    let mut by_thing: BTreeMap<_, Vec<&Score>> = BTreeMap::new();
    rater
        .scores
        .iter()
        .for_each(|score| by_thing.entry(score.item.thing()).or_default().push(score));
    by_thing
}

/// Sets the scores of two raters side by side.
pub fn join(a: &Rater, b: &Rater) -> Joined {
    let (of_a, mut of_b) = (by_thing(a), by_thing(b));
    let mut joined = Joined::default();
    for (thing, scores) in of_a {
        let mut others = of_b.remove(&thing).unwrap_or_default();
        // Those of the same commit first: they must not be taken by one that would fit any.
        let (named, open): (Vec<&Score>, Vec<&Score>) =
            scores.into_iter().partition(|score| score.item.commit.is_some());
        for score in named.into_iter().chain(open) {
            let same = others.iter().position(|other| other.item.commit == score.item.commit);
            match same.or_else(|| others.iter().position(|other| other.item.fits(&score.item))) {
                Some(at) => joined.pairs.push(pair(score, others.remove(at))),
                None => joined.only_a += 1,
            }
        }
        joined.only_b += others.len();
    }
    joined.only_b += of_b.values().map(Vec::len).sum::<usize>();
    joined.pairs.sort_by(|a, b| a.item.cmp(&b.item));
    joined
}

fn pair(a: &Score, b: &Score) -> ScoredPair {
    let commit = a.item.commit.clone().or_else(|| b.item.commit.clone());
    let rubric = match (&a.rubric, &b.rubric) {
        (Some(a), Some(b)) if a != b => Some(format!("{a} and {b}")),
        (a, b) => a.clone().or_else(|| b.clone()),
    };
    ScoredPair { item: Item { commit, ..a.item.clone() }, a: a.score, b: b.score, rubric }
}

/// Commits are told apart by so many digits.
const FEWEST_DIGITS: usize = 7;

impl Item {
    fn thing(&self) -> Thing<'_> {
        (&self.run, self.unit, &self.component, self.criterion.as_deref())
    }

    /// Whether both could be of one commit: one of them names none, or the shorter name begins the longer one.
    fn fits(&self, other: &Self) -> bool {
        let (Some(one), Some(two)) = (&self.commit, &other.commit) else { return true };
        let (short, long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
        one == two || (short.len() >= FEWEST_DIGITS && long.starts_with(short.as_str()))
    }
}

impl std::fmt::Display for Item {
    /// `C07 of p12`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.run.as_str() {
            "" => f.write_str(&self.component),
            run => write!(f, "{} of {run}", self.component),
        }
    }
}
