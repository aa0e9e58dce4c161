//! Components of several runs, paired by their ids.

use std::cmp::Reverse;

use super::Subtraction;
use trajview_run::rubric::{Checklist, FULL_SCORE, Judgement, VerdictDoubt};

/// A component as it is in all runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedComponent {
    pub id: String,
    /// The name in the first checklist that has the component; empty where none does.
    pub name: String,
    /// The cells, one for each run.
    pub cells: Vec<ComponentCell>,
}

/// A component in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComponentCell {
    /// Neither its checklist nor its verdicts name it.
    NotListed,
    /// The run has no score for it; with the judge's reason, where there is one.
    NotJudged(Option<String>),
    /// 0..=[`FULL_SCORE`].
    Score(u8),
    /// A score of 0..=[`FULL_SCORE`] that counts in nothing, with the reason to doubt it.
    LeftOut(u8, VerdictDoubt),
}

/// The verdicts of one run that are counted; either may be missing.
pub type RunVerdicts<'a> = (Option<&'a Checklist>, Option<&'a Judgement>);

impl ComparedComponent {
    /// Returns the score of a run; None where the run is not judged on the component.
    pub fn score_in(&self, run: usize) -> Option<u8> {
        match self.cells.get(run)? {
            ComponentCell::Score(score) => Some(*score),
            ComponentCell::NotListed | ComponentCell::NotJudged(_) | ComponentCell::LeftOut(..) => {
                None
            }
        }
    }

    /// Returns the difference of the scores, −4 to 4, in the sense of the subtraction; None where either run is not
    /// judged on it.
    pub fn score_delta(&self, subtraction: Subtraction) -> Option<i8> {
        let score = |run| self.score_in(run).map(|score| score.min(FULL_SCORE) as i8);
        Some(score(subtraction.from)? - score(subtraction.subtracted)?)
    }

    /// Returns the index of the one run that has the component, where the others do not.
    pub fn only_in(&self) -> Option<usize> {
        let mut having =
            self.cells.iter().enumerate().filter(|(_, cell)| **cell != ComponentCell::NotListed);
        let (first, _) = having.next()?;
        (having.next().is_none() && self.cells.len() > 1).then_some(first)
    }
}

/// Returns every component that any run names: in the order of the first checklist, then those of later ones only,
/// then those of verdicts only.
pub fn component_rows(runs: &[RunVerdicts<'_>]) -> Vec<ComparedComponent> {
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
    let row = |(id, name): (&str, &str)| ComparedComponent {
        id: id.to_owned(),
        name: name.to_owned(),
        cells: runs.iter().map(|run| component_cell(run, id)).collect(),
    };
    ids.into_iter().map(row).collect()
}

fn component_cell((checklist, judgement): &RunVerdicts<'_>, id: &str) -> ComponentCell {
    let verdict = judgement.and_then(|judgement| judgement.verdict_on(id));
    let is_listed =
        checklist.is_some_and(|checklist| checklist.components.iter().any(|it| it.id == id));
    match verdict {
        Some(verdict) => match (verdict.score, verdict.doubt()) {
            (Some(score), Some(doubt)) if verdict.is_left_out => {
                ComponentCell::LeftOut(score, doubt)
            }
            (Some(score), _) => ComponentCell::Score(score),
            (None, _) => ComponentCell::NotJudged(verdict.error.clone()),
        },
        None if is_listed => ComponentCell::NotJudged(None),
        None => ComponentCell::NotListed,
    }
}

/// Returns the indices of rows, the largest loss first, equal ones in their order; those without a difference at the
/// end, of them those that one run alone has last.
pub fn by_loss(rows: &[ComparedComponent], subtraction: Subtraction) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|at| {
        let row = &rows[*at];
        let delta = row.score_delta(subtraction);
        (row.only_in().is_some(), delta.is_none(), Reverse(delta))
    });
    order
}

/// A table of the score in one run against the score in the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScoreTransitions {
    /// Rows by the first run's score, columns by the second's.
    pub counts: [[usize; 5]; 5],
    /// Components that both runs are judged on.
    pub n: usize,
}

impl ScoreTransitions {
    /// Counts the transitions between the runs at two positions.
    pub fn between_runs(rows: &[ComparedComponent], (first, second): (usize, usize)) -> Self {
        let mut transitions = Self::default();
        for row in rows {
            let scores = row.score_in(first).zip(row.score_in(second));
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

    /// Returns the number of components with the same score in both runs.
    pub fn equal_count(&self) -> usize {
        (0..self.counts.len()).map(|at| self.counts[at][at]).sum()
    }
}
