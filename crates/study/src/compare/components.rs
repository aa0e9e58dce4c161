//! Components of several runs, paired by their ids.

use std::cmp::Reverse;

use super::Subtraction;
use trajview_run::rubric::{Checklist, FULL, Judgement, Verdict};

/// One component in all runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub id: String,
    /// Of the first checklist that has it; empty where none does.
    pub name: String,
    /// One a run.
    pub cells: Vec<Cell>,
}

/// A component in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Neither its checklist nor its verdicts name it.
    NotListed,
    /// With the judge's reason, where there is one.
    NotJudged(Option<String>),
    /// 0..=[`FULL`].
    Score(u8),
}

/// The verdicts of one run that are counted; either may be missing.
pub type Judged<'a> = (Option<&'a Checklist>, Option<&'a Judgement>);

impl Row {
    /// None where the run is not judged on it.
    pub fn score(&self, run: usize) -> Option<u8> {
        match self.cells.get(run)? {
            Cell::Score(score) => Some(*score),
            Cell::NotListed | Cell::NotJudged(_) => None,
        }
    }

    /// −4 to 4, in the sense of the subtraction; None where either run is not judged on it.
    pub fn delta(&self, subtraction: Subtraction) -> Option<i8> {
        let score = |run| self.score(run).map(|score| score.min(FULL) as i8);
        Some(score(subtraction.from)? - score(subtraction.taken)?)
    }

    /// The one run that has it, where the others do not.
    pub fn only_in(&self) -> Option<usize> {
        let mut having =
            self.cells.iter().enumerate().filter(|(_, cell)| **cell != Cell::NotListed);
        let (first, _) = having.next()?;
        (having.next().is_none() && self.cells.len() > 1).then_some(first)
    }
}

/// Every component that any run names: in the order of the first checklist, then what only later ones have, then what
/// only verdicts name.
pub fn rows(runs: &[Judged<'_>]) -> Vec<Row> {
    let listed = runs.iter().filter_map(|(checklist, _)| *checklist);
    let listed = listed.flat_map(|checklist| &checklist.components);
    let mut ids: Vec<(&str, &str)> = vec![];
    let judged = runs.iter().filter_map(|(_, judgement)| *judgement);
    let judged = judged.flat_map(|judgement| &judgement.verdicts);
    let named = listed.map(|component| (component.id.as_str(), component.name.as_str()));
    for (id, name) in named.chain(judged.map(|verdict| (verdict.component.as_str(), ""))) {
        if !ids.iter().any(|(known, _)| *known == id) {
            ids.push((id, name));
        }
    }
    let row = |(id, name): (&str, &str)| Row {
        id: id.to_owned(),
        name: name.to_owned(),
        cells: runs.iter().map(|run| cell(run, id)).collect(),
    };
    ids.into_iter().map(row).collect()
}

fn cell((checklist, judgement): &Judged<'_>, id: &str) -> Cell {
    let verdict = judgement.and_then(|judgement| judgement.of(id));
    let is_listed =
        checklist.is_some_and(|checklist| checklist.components.iter().any(|it| it.id == id));
    match verdict {
        Some(Verdict { score: Some(score), .. }) => Cell::Score(*score),
        Some(verdict) => Cell::NotJudged(verdict.error.clone()),
        None if is_listed => Cell::NotJudged(None),
        None => Cell::NotListed,
    }
}

/// Indices of rows, the largest loss first, equal ones in their order; those without a difference at the end, of them
/// those that one run alone has last.
pub fn by_loss(rows: &[Row], subtraction: Subtraction) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|at| {
        let row = &rows[*at];
        let delta = row.delta(subtraction);
        (row.only_in().is_some(), delta.is_none(), Reverse(delta))
    });
    order
}

/// How often a score in one run stands beside a score in the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Transitions {
    /// Rows by the first run's score, columns by the second's.
    pub counts: [[usize; 5]; 5],
    /// Components that both runs are judged on.
    pub n: usize,
}

impl Transitions {
    /// Of the runs at two positions.
    pub fn of(rows: &[Row], (first, second): (usize, usize)) -> Self {
        let mut transitions = Self::default();
        for row in rows {
            let scores = row.score(first).zip(row.score(second));
            let cell = scores.and_then(|(a, b)| {
                transitions.counts.get_mut(usize::from(a))?.get_mut(usize::from(b))
            });
            if let Some(count) = cell {
                *count += 1;
                transitions.n += 1;
            }
        }
        transitions
    }

    /// Components with one score in both runs.
    pub fn equal(&self) -> usize {
        (0..self.counts.len()).map(|at| self.counts[at][at]).sum()
    }
}
