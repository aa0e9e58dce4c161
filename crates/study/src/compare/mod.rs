//! Two runs of one task, or more, set side by side: by component, by checkpoint, by phase, by file.
//!
//! Everything here is a pure function of what others have read: a [`ComparedRun`] is one run with its checklist, its
//! verdicts and what has been measured of its code. Sides are named by position, as the user named the runs: the first
//! is `a`, the second `b` ([`run_letter`]). Which is taken from which is decided once ([`Subtraction`]): SLUMP's loss is
//! single-shot minus emergent, whichever was named first.

mod columns;
mod components;
mod facts;
mod files;
mod intervals;
mod judgement_choice;
mod losses;
mod moments;
mod recovery;
mod session_facts;
mod subtraction;
mod transcripts;
mod trees;

use std::{collections::BTreeMap, sync::Arc};

use trajview_metrics::{
    lifeline::Lifeline, numbers::facts::ReuseCounts, process::ProcessNumbers,
    quality::QualitySnapshot,
};
use trajview_run::{
    Run,
    rubric::{Judgement, Rubric},
};

pub use columns::{
    ComparedResult, ComparedTest, ResultCell, base_differences, by_base_difference, result_rows,
    score_differences, test_rows,
};
pub use components::{ComparedComponent, ComponentCell, ScoreTransitions, by_loss, component_rows};
pub use facts::NumberOutcome;
pub use files::{FilePresence, FileRow};
pub use intervals::{EstimatedNumber, INTERVAL_METHOD, IntervalParts};
pub use judgement_choice::{choose_judge, chosen_judgements, turns_done_at_judgement};
pub use losses::{ComparedLoss, ComponentFate, LossInRun, compared_losses};
pub use moments::{
    CheckpointPair, ComparedMoment, PairedBy, PhasePair, checkpoint_moments, pair_by_checkpoint,
    pair_by_phase, turn_moments,
};
pub use recovery::{RunRecovery, run_recoveries};
pub use session_facts::{SessionFacts, lack_judgements};
pub use subtraction::Subtraction;
pub use transcripts::{
    ComparedTranscripts, FirstDifference, ItemKind, MAX_STEPS, RowCounts, RowKind, Transcript,
    TranscriptItem, TranscriptRow, fingerprint_of, same_transcripts_text,
};
pub use trees::{ComparedTrees, TreeSide, diff_between};

use super::fairness::{self, ConductDifference, RunConduct, task_difference};

/// A run within a comparison: the recording, its rubric and its measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedRun {
    pub run: Arc<Run>,
    pub rubric: Rubric,
    /// The index into [`Rubric::judgements`] of the judgement that counts; None where none covers the
    /// checklist, or none has the requested name.
    pub judgement: Option<usize>,
    /// The code by turns done; None where no file could be measured.
    pub measured: BTreeMap<usize, Option<QualitySnapshot>>,
    /// The reuse between modules, by turns done; None where no code could be read.
    pub reuse: BTreeMap<usize, Option<ReuseCounts>>,
    /// Lines added and removed in the workspace; None where the files were not read.
    pub lines: Option<(u64, u64)>,
    /// The process of the run; None where it was not computed.
    pub process: Option<ProcessNumbers>,
    /// The turn that each signal opens in, counted from 0, ascending; empty where that was not looked at.
    pub signal_turns: Vec<usize>,
    /// The lifelines of the components; None where they were not computed.
    pub lifelines: Option<Arc<Vec<Lifeline>>>,
}

impl ComparedRun {
    /// Creates a run without measurements.
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
            lifelines: None,
        }
    }

    /// Returns the judgement that speaks for the run; None where there is none.
    pub fn judgement(&self) -> Option<&Judgement> {
        self.rubric.judgements.get(self.judgement?)
    }

    /// Returns the code after so many turns; None where it is not measured or not recorded.
    pub(crate) fn code_at(&self, done: usize) -> Option<&QualitySnapshot> {
        self.measured.get(&done)?.as_ref()
    }

    /// Returns the code at the end; None where it is not measured or not recorded.
    pub(crate) fn final_code(&self) -> Option<&QualitySnapshot> {
        self.code_at(self.run.turns.len())
    }
}

/// Returns the letter of a run by its position: `a`, `b`, `c` …, after `z` the number (counts from 1).
pub fn run_letter(position: usize) -> String {
    match u8::try_from(position).ok().and_then(|at| b'a'.checked_add(at)) {
        Some(letter @ b'a'..=b'z') => char::from(letter).to_string(),
        _ => (position + 1).to_string(),
    }
}

/// Returns the warnings for a reader of a comparison: different tasks, different judges, missing verdicts. Each is
/// one sentence without a full stop.
pub fn comparison_warnings(parties: &[ComparedRun]) -> Vec<String> {
    let mut warnings = vec![];
    warnings.extend(different_tasks(parties));
    let without_log = parties.iter().enumerate().filter(|(_, party)| party.run.has_no_log());
    warnings.extend(
        without_log.map(|(at, _)| {
            format!("{} has no log; its transcript is not compared", run_letter(at))
        }),
    );
    warnings.extend(judge_warning(parties));
    warnings.extend(conduct_warning(parties));
    if lack_judgements(parties) {
        let none = if parties.len() == 2 { "neither run has" } else { "no run has" };
        warnings.push(format!("{none} a checklist or a verdict"));
        return warnings;
    }
    warnings
        .extend(parties.iter().enumerate().filter_map(|(at, party)| missing_verdicts(at, party)));
    warnings
}

/// Returns `not the same task: a X, b Y` where two of the runs record different tasks; then no paired test is computed.
pub fn different_tasks(parties: &[ComparedRun]) -> Option<String> {
    let tasks = parties.iter().enumerate().map(|(at, it)| (run_letter(at), it.run.task_key()));
    task_difference(tasks)
}

fn judge_warning(parties: &[ComparedRun]) -> Option<String> {
    let judge = |party: &ComparedRun| party.judgement().map(|it| it.judge.name.clone());
    let judges: Vec<(usize, String)> =
        parties.iter().enumerate().filter_map(|(at, party)| Some((at, judge(party)?))).collect();
    let (_, first) = judges.first()?;
    let is_other = judges.iter().any(|(_, name)| name != first);
    let named = judges.iter().map(|(at, name)| format!("{} by {name}", run_letter(*at)));
    let named = named.collect::<Vec<_>>().join(", ");
    is_other.then(|| format!("judged by different judges ({named}): a difference may be theirs"))
}

/// Returns a warning about differences in how the runs were made; None where there are none, or a run has no condition:
/// sessions are compared for whatever reason, and may differ in everything.
fn conduct_warning(parties: &[ComparedRun]) -> Option<String> {
    if parties.iter().any(|party| party.run.condition.is_none()) {
        return None;
    }
    let conducts: Vec<RunConduct> =
        parties.iter().map(|party| RunConduct::for_run(&party.run)).collect();
    let named: Vec<(String, &RunConduct)> =
        conducts.iter().enumerate().map(|(at, conduct)| (run_letter(at), conduct)).collect();
    let differences = fairness::conduct_differences(&named);
    let words: Vec<String> = differences.iter().map(ConductDifference::display_text).collect();
    (!words.is_empty())
        .then(|| format!("they differ in more than their condition: {}", words.join("; ")))
}

fn missing_verdicts(at: usize, party: &ComparedRun) -> Option<String> {
    let letter = run_letter(at);
    let partial = party.rubric.partial_coverages();
    match (&party.rubric.checklist, party.judgement()) {
        (_, Some(judgement)) => {
            let coverage = party.rubric.coverage(judgement);
            let by = &judgement.judge.name;
            (!coverage.is_complete)
                .then(|| format!("{letter} is judged on {coverage} components by {by}"))
        }
        (_, None) if !partial.is_empty() => {
            Some(format!("incomplete judgement of {letter}, not used: {}", partial.join("; ")))
        }
        (None, None) => Some(format!("{letter} has no checklist and is not judged")),
        (Some(_), None) => Some(format!("{letter} is not judged")),
    }
}

#[cfg(test)]
mod tests;
