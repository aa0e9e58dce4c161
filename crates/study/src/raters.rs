//! The raters of runs and of tables, with their scores, and the pairs of scores that can be compared.
//!
//! Two scores are a pair where they are of the same thing (a component, leaf, flag and so on, by the same criterion)
//! of the same run at the same commit; a score without a commit matches any. Things of one kind, by one criterion and
//! on one scale are a [`ScorePart`]: agreement is computed for each part separately. A judge who judged several
//! commits of a run is one rater; one who judged the same commit again is another, so that repeats can be compared.

mod gold_coverage;
mod panel;
mod rated_units;
mod score_part;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use trajview_run::{
    Warning,
    rubric::{LabelUnit, ScoreScale},
    worded_enum::worded,
};

pub use gold_coverage::GoldCoverage;
pub use panel::{RunScores, ScoreFiles, panel_of_run};
pub use rated_units::{RatedUnits, ScoringRater, run_numbers};
pub use score_part::{ScorePart, scale_levels};

/// The raters, and the problems of their scores.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RaterPanel {
    pub raters: Vec<Rater>,
    pub problems: Vec<Warning>,
}

/// A person, judge or table column that scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Rater {
    /// Distinct among those of a [`RaterPanel`] once [`RaterPanel::with_distinct_names`] is called.
    pub name: String,
    /// The model of a judge.
    pub model: Option<String>,
    pub kind: RaterKind,
    /// The origin of labels: the person, and which part of their labels. A person's blind labels, those that are not
    /// blind and those without a record of it are a rater each.
    pub labels: Option<LabelSource>,
    pub scores: Vec<RaterScore>,
}

/// The origin of some of the labels of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelSource {
    pub annotator: String,
    pub blindness: Blindness,
}

worded! {
    words;
    /// Whether a label was given before the verdict was seen.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Blindness {
        Blind = "blind",
        Open = "not blind",
        /// Nothing records it.
        NotRecorded = "blindness not recorded",
    }
}

impl Blindness {
    pub(crate) const fn from_flag(blind: Option<bool>) -> Self {
        match blind {
            Some(true) => Self::Blind,
            Some(false) => Self::Open,
            None => Self::NotRecorded,
        }
    }

    /// Returns whether the labels are blind; None where nothing records it.
    pub const fn is_blind(self) -> Option<bool> {
        match self {
            Self::Blind => Some(true),
            Self::Open => Some(false),
            Self::NotRecorded => None,
        }
    }
}

worded! {
    name;
    /// The kind of a rater.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum RaterKind {
        /// Labels, and judgements by hand.
        Human = "human",
        Judge = "judge",
        /// The outcomes of adjudication. They are no rater's own scores, and are compared with the raters.
        Gold = "gold",
        /// A column of a table, which does not say.
        Unknown = "unknown",
    }
}

/// A score, which may be any finite number.
#[derive(Debug, Clone, PartialEq)]
pub struct RaterScore {
    pub item: ScoredItem,
    pub score: f64,
    /// The scale; None for the unit's own, where nothing names one.
    pub scale: Option<ScoreScale>,
    /// The rubric of the score, as `slump-5`; None where nothing names it.
    pub rubric: Option<String>,
    /// The file or line that has the score.
    pub place: String,
    /// The confidence that a judge states, 0 to 1; None where it states none.
    pub confidence: Option<f64>,
}

/// A thing that is scored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ScoredItem {
    /// The run; empty where nothing names it.
    pub run: String,
    pub unit: LabelUnit,
    /// Its id among those of its unit.
    pub component: String,
    /// The criterion, where a thing is scored by several; for a flag, the criterion that it violates.
    pub criterion: Option<String>,
    pub commit: Option<String>,
}

/// The scores that two raters gave to the same things.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JoinedScores {
    /// The pairs by run, then component, then commit.
    pub pairs: Vec<ScoredPair>,
    /// The number of things that only the first rater scored.
    pub only_a: usize,
    pub only_b: usize,
}

/// A thing that both raters scored.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredPair {
    pub item: ScoredItem,
    pub a: f64,
    pub b: f64,
    /// The confidence that the second rater states, 0 to 1; None where it states none.
    pub confidence_b: Option<f64>,
    /// The rubric that either names, both where they differ; None where neither names one.
    pub rubric: Option<String>,
}

impl RaterPanel {
    /// Adds the raters of another source: raters of the same name, model and kind are one.
    pub fn add(&mut self, other: Self) {
        self.problems.extend(other.problems);
        for rater in other.raters {
            match self.raters.iter_mut().find(|known| known.is_same_rater(&rater)) {
                Some(known) => known.scores.extend(rater.scores),
                None => self.raters.push(rater),
            }
        }
    }

    /// Says of raters of one name which model or what kind they are.
    pub fn with_distinct_names(mut self) -> Self {
        self.name_where_shared(|rater| rater.model.clone());
        self.name_where_shared(|rater| Some(rater.kind.name().to_owned()));
        self.name_where_shared(|rater| Some(rater.labels.as_ref()?.blindness.words().to_owned()));
        self
    }

    /// Drops the labels that are not known to be blind, and reports them as problems.
    pub fn blind_only(mut self) -> Self {
        let is_out = |rater: &Rater| {
            rater.labels.as_ref().is_some_and(|it| it.blindness != Blindness::Blind)
        };
        let (out, kept): (Vec<Rater>, Vec<Rater>) = self.raters.into_iter().partition(is_out);
        self.problems.extend(out.iter().filter_map(|rater| {
            let labels = rater.labels.as_ref()?;
            let what =
                format!("{}: {}", label_count_text(rater.scores.len()), labels.blindness.words());
            Some(Warning { place: labels.annotator.clone(), what })
        }));
        Self { raters: kept, problems: self.problems }
    }

    fn name_where_shared(&mut self, what: impl Fn(&Rater) -> Option<String>) {
        let known: Vec<(String, Option<String>)> =
            self.raters.iter().map(|rater| (rater.name.clone(), what(rater))).collect();
        for rater in &mut self.raters {
            let note = what(rater);
            let is_other =
                |(name, what): &(String, Option<String>)| *name == rater.name && *what != note;
            if let Some(words) = note.as_ref().filter(|_| known.iter().any(is_other)) {
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
                let ScoredItem { component, .. } = &score.item;
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
    pub fn scores_without_counterpart(&self) -> Vec<(usize, &RaterScore)> {
        let by_thing: Vec<_> = self.raters.iter().map(scores_by_thing).collect();
        let mut lonely = vec![];
        for (at, rater) in self.raters.iter().enumerate() {
            for score in &rater.scores {
                let others = by_thing.iter().enumerate().filter(|(other, _)| *other != at);
                let mut met =
                    others.filter_map(|(_, scores)| scores.get(&score.item.thing_key())).flatten();
                if !met.any(|other| other.item.may_share_commit(&score.item)) {
                    lonely.push((at, score));
                }
            }
        }
        lonely
    }

    /// Returns every two raters with a common kind of thing, by number: each human against each judge first, then
    /// humans, then judges among themselves, and each of them against gold. A person is not compared with themselves.
    pub fn pairs_of_raters(&self) -> Vec<(usize, usize)> {
        let kind = |at: usize| self.raters.get(at).map_or(RaterKind::Unknown, |rater| rater.kind);
        let mut pairs: Vec<(usize, usize)> = vec![];
        for first in 0..self.raters.len() {
            for second in first + 1..self.raters.len() {
                if self.is_one_person(first, second) {
                    continue;
                }
                let is_turned = kind(first) == RaterKind::Gold
                    || kind(first) == RaterKind::Judge && kind(second) == RaterKind::Human;
                pairs.push(if is_turned { (second, first) } else { (first, second) });
            }
        }
        let rank = |&(a, b): &(usize, usize)| match (kind(a), kind(b)) {
            (_, RaterKind::Gold) => (3, b, a),
            (RaterKind::Human, RaterKind::Judge) => (0, b, a),
            (RaterKind::Human, _) => (1, a, b),
            _ => (2, a, b),
        };
        pairs.sort_by_key(rank);
        pairs
    }

    /// Returns whether both are labels of one person.
    fn is_one_person(&self, first: usize, second: usize) -> bool {
        let who = |at: usize| Some(&self.raters.get(at)?.labels.as_ref()?.annotator);
        who(first).is_some_and(|annotator| who(second) == Some(annotator))
    }
}

fn label_count_text(labels: usize) -> String {
    if labels == 1 { "1 label".into() } else { format!("{labels} labels") }
}

impl Rater {
    fn is_same_rater(&self, other: &Self) -> bool {
        let key = |it: &'_ Self| (it.name.clone(), it.model.clone(), it.kind, it.labels.clone());
        key(self) == key(other)
    }
}

/// Run, unit, id and criterion.
type ThingKey<'a> = (&'a str, LabelUnit, &'a str, Option<&'a str>);

fn scores_by_thing(rater: &Rater) -> BTreeMap<ThingKey<'_>, Vec<&RaterScore>> {
    let mut by_thing: BTreeMap<_, Vec<&RaterScore>> = BTreeMap::new();
    rater
        .scores
        .iter()
        .for_each(|score| by_thing.entry(score.item.thing_key()).or_default().push(score));
    by_thing
}

/// Sets the scores of two raters side by side.
pub fn join_scores(a: &Rater, b: &Rater) -> JoinedScores {
    let (of_a, mut of_b) = (scores_by_thing(a), scores_by_thing(b));
    let mut joined = JoinedScores::default();
    for (thing, scores) in of_a {
        let mut others = of_b.remove(&thing).unwrap_or_default();
        // Those of the same commit first: they must not be taken by one that would fit any.
        let (named, open): (Vec<&RaterScore>, Vec<&RaterScore>) =
            scores.into_iter().partition(|score| score.item.commit.is_some());
        for score in named.into_iter().chain(open) {
            let same = others.iter().position(|other| other.item.commit == score.item.commit);
            match same.or_else(|| {
                others.iter().position(|other| other.item.may_share_commit(&score.item))
            }) {
                Some(at) => joined.pairs.push(scored_pair(score, others.remove(at))),
                None => joined.only_a += 1,
            }
        }
        joined.only_b += others.len();
    }
    joined.only_b += of_b.values().map(Vec::len).sum::<usize>();
    joined.pairs.sort_by(|a, b| a.item.cmp(&b.item));
    joined
}

fn scored_pair(a: &RaterScore, b: &RaterScore) -> ScoredPair {
    let commit = a.item.commit.clone().or_else(|| b.item.commit.clone());
    let rubric = match (&a.rubric, &b.rubric) {
        (Some(a), Some(b)) if a != b => Some(format!("{a} and {b}")),
        (a, b) => a.clone().or_else(|| b.clone()),
    };
    ScoredPair {
        item: ScoredItem { commit, ..a.item.clone() },
        a: a.score,
        b: b.score,
        confidence_b: b.confidence,
        rubric,
    }
}

/// The number of digits from which on an abbreviated commit is unambiguous.
const FEWEST_DIGITS: usize = 7;

impl ScoredItem {
    fn thing_key(&self) -> ThingKey<'_> {
        (&self.run, self.unit, &self.component, self.criterion.as_deref())
    }

    /// Returns whether both could be of one commit: one of them names none, or the shorter name begins the longer
    /// one.
    fn may_share_commit(&self, other: &Self) -> bool {
        let (Some(one), Some(two)) = (&self.commit, &other.commit) else { return true };
        let (short, long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
        one == two || (short.len() >= FEWEST_DIGITS && long.starts_with(short.as_str()))
    }
}

impl std::fmt::Display for ScoredItem {
    /// `C07 of p12`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.run.as_str() {
            "" => f.write_str(&self.component),
            run => write!(f, "{} of {run}", self.component),
        }
    }
}
