//! Two runs of one task, or more, set side by side: by component, by checkpoint, by phase, by file.
//!
//! Everything here is a pure function of what others have read: a [`Party`] is one run with its checklist, its
//! verdicts and what has been measured of its code. Sides are named by position, as the user named the runs: the first
//! is `a`, the second `b` ([`letter`]). Which is taken from which is decided once ([`Subtraction`]): SLUMP's loss is
//! single-shot minus emergent, whichever was named first.

mod components;
mod facts;
mod files;
mod intervals;
mod judged;
mod moments;
mod recovery;
mod sessions;
mod subtraction;
mod trees;

use std::{collections::BTreeMap, sync::Arc};

use trajview_metrics::{numbers::facts::Reused, process::Processed, quality::Snapshot};
use trajview_run::{
    Run,
    rubric::{Judgement, Rubric},
};

pub use components::{Cell, Row, Transitions, by_loss, rows};
pub use facts::Outcome;
pub use files::{FileRow, Standing};
pub use intervals::{DRAWN, Estimated, Parts};
pub use judged::{choose_judge, done_at, judgements};
pub use moments::{
    CheckpointPair, Moment, PairedBy, PhasePair, by_checkpoint, by_phase, moments_of, turns_of,
};
pub use recovery::{Recovery, recoveries};
pub use sessions::{Session, are_plain};
pub use subtraction::Subtraction;
pub use trees::{Side, Trees, diff_between};

use super::fairness::{self, Conduct, Difference};

/// One run as it is compared: the recording, what it is judged by, what was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Party {
    pub run: Arc<Run>,
    pub rubric: Rubric,
    /// Which of [`Rubric::judgements`] speaks; None where none covers the checklist, or none is called as asked for.
    pub judgement: Option<usize>,
    /// By turns done; None where no file could be measured.
    pub measured: BTreeMap<usize, Option<Snapshot>>,
    /// What modules use of each other, by turns done; None where nothing could be read.
    pub reuse: BTreeMap<usize, Option<Reused>>,
    /// Lines added and removed in the workspace; None where the files were not read.
    pub lines: Option<(u64, u64)>,
    /// How the run was worked on; None where that was not looked at.
    pub process: Option<Processed>,
    /// The turn that each signal opens in, counted from 0, ascending; empty where that was not looked at.
    pub signal_turns: Vec<usize>,
}

impl Party {
    /// Nothing measured yet.
    pub fn new(run: Arc<Run>, rubric: Rubric) -> Self {
        Self {
            run,
            rubric,
            judgement: None,
            measured: BTreeMap::new(),
            reuse: BTreeMap::new(),
            lines: None,
            process: None,
            signal_turns: vec![],
        }
    }

    /// The judgement that speaks.
    pub fn judgement(&self) -> Option<&Judgement> {
        self.rubric.judgements.get(self.judgement?)
    }

    /// The code after so many turns; None where it is not measured or not recorded.
    pub fn code_at(&self, done: usize) -> Option<&Snapshot> {
        self.measured.get(&done)?.as_ref()
    }

    /// The code at the end.
    pub fn code(&self) -> Option<&Snapshot> {
        self.code_at(self.run.turns.len())
    }
}

/// What a run is called by its position: `a`, `b`, `c` …, after `z` the number (counts from 1).
pub fn letter(position: usize) -> String {
    match u8::try_from(position).ok().and_then(|at| b'a'.checked_add(at)) {
        Some(letter @ b'a'..=b'z') => char::from(letter).to_string(),
        _ => (position + 1).to_string(),
    }
}

/// What a reader has to know before believing a comparison: tasks that differ, judges that differ, verdicts that lack.
/// One sentence each, without a full stop.
pub fn warnings(parties: &[Party]) -> Vec<String> {
    let mut warnings = vec![];
    warnings.extend(other_tasks(parties));
    warnings.extend(other_judges(parties));
    warnings.extend(otherwise_made(parties));
    if are_plain(parties) {
        let none = if parties.len() == 2 { "neither run has" } else { "no run has" };
        warnings.push(format!("{none} a checklist or a verdict"));
        return warnings;
    }
    warnings
        .extend(parties.iter().enumerate().filter_map(|(at, party)| missing_verdicts(at, party)));
    warnings
}

fn other_tasks(parties: &[Party]) -> Option<String> {
    let task = |party: &Party| party.run.task.as_ref().map(|task| task.id.clone());
    let tasks: Vec<Option<String>> = parties.iter().map(task).collect();
    let first = tasks.iter().flatten().next()?;
    let is_other = tasks.iter().flatten().any(|task| task != first);
    let named = tasks
        .iter()
        .enumerate()
        .map(|(at, task)| format!("{} {}", letter(at), task.as_deref().unwrap_or("names none")));
    let named = named.collect::<Vec<_>>().join(", ");
    is_other.then(|| format!("these are runs of different tasks ({named}); paired by what matches"))
}

fn other_judges(parties: &[Party]) -> Option<String> {
    let judge = |party: &Party| party.judgement().map(|it| it.judge.name.clone());
    let judges: Vec<(usize, String)> =
        parties.iter().enumerate().filter_map(|(at, party)| Some((at, judge(party)?))).collect();
    let (_, first) = judges.first()?;
    let is_other = judges.iter().any(|(_, name)| name != first);
    let named = judges.iter().map(|(at, name)| format!("{} by {name}", letter(*at)));
    let named = named.collect::<Vec<_>>().join(", ");
    is_other.then(|| format!("judged by different judges ({named}): a difference may be theirs"))
}

/// Sessions without a condition are compared for whatever reason, and may differ in everything.
fn otherwise_made(parties: &[Party]) -> Option<String> {
    if parties.iter().any(|party| party.run.condition.is_none()) {
        return None;
    }
    let conducts: Vec<Conduct> = parties.iter().map(|party| Conduct::of(&party.run)).collect();
    let named: Vec<(String, &Conduct)> =
        conducts.iter().enumerate().map(|(at, conduct)| (letter(at), conduct)).collect();
    let differences = fairness::differences(&named);
    let words: Vec<String> = differences.iter().map(Difference::words).collect();
    (!words.is_empty())
        .then(|| format!("they differ in more than their condition: {}", words.join("; ")))
}

fn missing_verdicts(at: usize, party: &Party) -> Option<String> {
    let letter = letter(at);
    let partial = party.rubric.partial();
    match (&party.rubric.checklist, party.judgement()) {
        (_, Some(judgement)) => {
            let coverage = party.rubric.coverage(judgement);
            let by = &judgement.judge.name;
            (!coverage.is_whole)
                .then(|| format!("{letter} is judged on {coverage} components by {by}"))
        }
        (_, None) if !partial.is_empty() => Some(format!(
            "{letter} is judged in part only, which is no result: {}",
            partial.join("; ")
        )),
        (None, None) => Some(format!("{letter} has no checklist and is not judged")),
        (Some(_), None) => Some(format!("{letter} is not judged")),
    }
}

#[cfg(test)]
mod tests;
