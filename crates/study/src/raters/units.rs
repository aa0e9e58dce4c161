//! The scores of all raters thing by thing: what measures of several raters are computed of.

use std::collections::{BTreeMap, BTreeSet};

use crate::{agreement::Scale, agreement::many::Unit};

use super::{Item, Kind, Panel, Rater, Score, ScoredPair, Thing};

/// Every thing that was scored, and by whom.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Units {
    /// Those who score, each once: the labels of a person are one rater here, blind or not. What adjudication settled is
    /// none of them.
    pub raters: Vec<Person>,
    /// By run, then component, then commit.
    pub units: Vec<Unit>,
}

/// One who scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub kind: Kind,
}

impl Units {
    /// Of scores on the scale. A person's blind label counts before another of the same thing.
    pub fn of(panel: &Panel, scale: &Scale) -> Self {
        let mut raters: Vec<(Person, Vec<&Rater>)> = vec![];
        for rater in panel.raters.iter().filter(|rater| rater.kind != Kind::Gold) {
            let who = rater.labels.as_ref().map(|labels| &labels.annotator);
            let is_same =
                |of: &&Rater| who.is_some() && of.labels.as_ref().map(|it| &it.annotator) == who;
            match raters.iter_mut().find(|(_, of)| of.iter().any(is_same)) {
                Some((_, of)) => of.push(rater),
                None => {
                    let name = who.unwrap_or(&rater.name).clone();
                    raters.push((Person { name, kind: rater.kind }, vec![rater]));
                }
            }
        }
        let mut things: BTreeMap<Thing<'_>, Vec<(usize, &Score)>> = BTreeMap::new();
        for (at, (_, of)) in raters.iter().enumerate() {
            for score in of.iter().flat_map(|rater| &rater.scores) {
                things.entry(score.item.thing()).or_default().push((at, score));
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
            let given = |row: Row<'_>| {
                row.given.into_iter().map(|score| scale.position(score?)).collect::<Vec<_>>()
            };
            rows(scores, count).into_iter().map(move |row| Unit { run, given: given(row) })
        });
        Self {
            units: units.collect(),
            raters: raters.into_iter().map(|(person, _)| person).collect(),
        }
    }

    /// Places of the raters of these kinds.
    pub fn of_kind(&self, kind: Kind) -> Vec<usize> {
        let all = self.raters.iter().enumerate();
        all.filter(|(_, rater)| rater.kind == kind).map(|(at, _)| at).collect()
    }
}

/// One thing at one commit.
struct Row<'a> {
    /// The first that is named.
    item: &'a Item,
    given: Vec<Option<f64>>,
}

/// The scores of one component of one run, commit by commit. A score that names no commit is of the first that its
/// rater did not score, as two raters are joined.
fn rows<'a>(scores: &[(usize, &'a Score)], raters: usize) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = vec![];
    let (named, open): (Vec<_>, Vec<_>) =
        scores.iter().partition(|(_, score)| score.item.commit.is_some());
    for &(at, score) in named.into_iter().chain(open) {
        let fits = |row: &Row<'_>| row.item.fits(&score.item);
        let is_free = |row: &Row<'_>| row.given.get(at).is_some_and(Option::is_none);
        if score.item.commit.is_some() && rows.iter().any(|row| fits(row) && !is_free(row)) {
            continue; // a second label of one person: the first counts
        }
        match rows.iter().position(|row| fits(row) && is_free(row)) {
            Some(row) => rows[row].given[at] = Some(score.score),
            None => {
                let mut given = vec![None; raters];
                given[at] = Some(score.score);
                rows.push(Row { item: &score.item, given });
            }
        }
    }
    rows
}

/// The run of each pair as a number, the same for the pairs of one run.
pub fn runs_of<'a>(pairs: impl IntoIterator<Item = &'a ScoredPair>) -> Vec<usize> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut number = |run: &'a str| {
        let next = known.len();
        *known.entry(run).or_insert(next)
    };
    pairs.into_iter().map(|pair| number(&pair.item.run)).collect()
}
