//! The scores of all raters thing by thing: what measures of several raters are computed of.

use std::collections::{BTreeMap, BTreeSet};

use crate::{agreement::RatingScale, agreement::several_raters::RatedUnit};

use super::{Rater, RaterKind, RaterPanel, RaterScore, ScoredItem, ScoredPair, ThingKey};

/// Every scored thing with the scores of all raters.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RatedUnits {
    /// The raters, each once: the blind and other labels of a person count as one rater here. Gold outcomes are not
    /// included.
    pub raters: Vec<ScoringRater>,
    /// The things by run, then component, then commit.
    pub units: Vec<RatedUnit>,
    /// The item of each of [`Self::units`], in their order.
    pub items: Vec<ScoredItem>,
}

/// A rater across all things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoringRater {
    pub name: String,
    pub kind: RaterKind,
}

impl RatedUnits {
    /// Collects the scores on the scale. A person's blind label counts before another one of the same thing.
    pub fn from_panel(panel: &RaterPanel, scale: &RatingScale) -> Self {
        let mut raters: Vec<(ScoringRater, Vec<&Rater>)> = vec![];
        for rater in panel.raters.iter().filter(|rater| rater.kind != RaterKind::Gold) {
            let who = rater.labels.as_ref().map(|labels| &labels.annotator);
            let is_same =
                |of: &&Rater| who.is_some() && of.labels.as_ref().map(|it| &it.annotator) == who;
            match raters.iter_mut().find(|(_, of)| of.iter().any(is_same)) {
                Some((_, of)) => of.push(rater),
                None => {
                    let name = who.unwrap_or(&rater.name).clone();
                    raters.push((ScoringRater { name, kind: rater.kind }, vec![rater]));
                }
            }
        }
        let mut things: BTreeMap<ThingKey<'_>, Vec<(usize, &RaterScore)>> = BTreeMap::new();
        for (at, (_, of)) in raters.iter().enumerate() {
            for score in of.iter().flat_map(|rater| &rater.scores) {
                things.entry(score.item.thing_key()).or_default().push((at, score));
            }
        }
        let runs: BTreeMap<&str, usize> = things
            .keys()
            .map(|thing| thing.0)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .zip(0..)
            .collect();
        let count = raters.len();
        let units = things.iter().flat_map(|(thing, scores)| {
            let run = runs.get(thing.0).copied().unwrap_or_default();
            let given = |row: UnitRow<'_>| {
                row.scores.into_iter().map(|score| scale.position(score?)).collect::<Vec<_>>()
            };
            unit_rows(scores, count).into_iter().map(move |row| {
                let item = row.item.clone();
                (RatedUnit { run, positions: given(row) }, item)
            })
        });
        let (units, items) = units.unzip();
        Self { units, items, raters: raters.into_iter().map(|(person, _)| person).collect() }
    }

    /// Returns the indices of the raters of this kind.
    pub fn raters_of_kind(&self, kind: RaterKind) -> Vec<usize> {
        let all = self.raters.iter().enumerate();
        all.filter(|(_, rater)| rater.kind == kind).map(|(at, _)| at).collect()
    }
}

/// A thing at one commit.
struct UnitRow<'a> {
    /// The first that is named.
    item: &'a ScoredItem,
    scores: Vec<Option<f64>>,
}

/// Returns the scores of one component of one run, commit by commit. A score that names no commit is of the first that
/// its rater did not score, as two raters are joined.
fn unit_rows<'a>(scores: &[(usize, &'a RaterScore)], raters: usize) -> Vec<UnitRow<'a>> {
    let mut rows: Vec<UnitRow<'a>> = vec![];
    let (named, open): (Vec<_>, Vec<_>) =
        scores.iter().partition(|(_, score)| score.item.commit.is_some());
    for &(at, score) in named.into_iter().chain(open) {
        let fits = |row: &UnitRow<'_>| row.item.may_share_commit(&score.item);
        let is_free = |row: &UnitRow<'_>| row.scores.get(at).is_some_and(Option::is_none);
        if score.item.commit.is_some() && rows.iter().any(|row| fits(row) && !is_free(row)) {
            continue; // a second label of one person: the first counts
        }
        match rows.iter().position(|row| fits(row) && is_free(row)) {
            Some(row) => rows[row].scores[at] = Some(score.score),
            None => {
                let mut given = vec![None; raters];
                given[at] = Some(score.score);
                rows.push(UnitRow { item: &score.item, scores: given });
            }
        }
    }
    rows
}

/// Returns the run of each pair as a number, the same for the pairs of one run.
pub fn run_numbers<'a>(pairs: impl IntoIterator<Item = &'a ScoredPair>) -> Vec<usize> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut number = |run: &'a str| {
        let next = known.len();
        *known.entry(run).or_insert(next)
    };
    pairs.into_iter().map(|pair| number(&pair.item.run)).collect()
}
