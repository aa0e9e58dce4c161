//! Finds moments of a run that are worth a look, without a judge, each with its reason. They are signals and not
//! verdicts: how often they occur and how often they are wrong is measured in `docs/process.md`.
//!
//! `repeats` finds repetitions, `failures` failures, `changes` changes of files and names. To add a signal, write it
//! in one of these, add a kind, and describe it in `docs/process.md`.

mod changes;
mod failures;
mod repeats;

use trajview_run::{StepId, worded_enum::worded};

use super::step_facts::ObservedRun;

worded! {
    words;
    /// The kind of a signal.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SignalKind {
        /// The same call had the same response, and nothing was changed in between.
        RepeatedCall = "repeated call",
        /// A message repeats an earlier one.
        RepeatedMessage = "repeated message",
        /// The same thing went wrong in the same way.
        SameFailure = "same failure again",
        /// Nothing new was read, written or tested successfully for a while.
        NoProgress = "no progress",
        /// A message says that something failed.
        SaidFailure = "failure in a message",
        /// A turn ended after its last attempt had failed.
        LeftFailing = "left failing",
        /// A file is again what it was before an edit.
        Undone = "edit undone",
        /// A name that was in use is used by nothing any more.
        UseLost = "symbol no longer used",
        /// Names that were used before a compaction are missing after it.
        ContextLost = "context lost",
        /// A file changed that no request named.
        Unrequested = "file not asked for",
    }
}

/// A step or a range of steps that is worth a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessSignal {
    pub kind: SignalKind,
    /// The first step, at which the signal opens.
    pub step: StepId,
    /// The number of the step, which counts from 1 in its turn.
    pub number: usize,
    /// The last step of the range; the same as `step` for a single step.
    pub until: StepId,
    /// The reason in one line: what happened, and what it is compared with.
    pub why: String,
    /// The file that the signal is about.
    pub path: Option<String>,
}

/// Returns all signals of a run, in playing order; those of one step in the order of the kinds.
pub fn find_signals(observed: &ObservedRun) -> Vec<ProcessSignal> {
    let mut signals = vec![];
    repeats::find_repeat_signals(observed, &mut signals);
    failures::find_failure_signals(observed, &mut signals);
    changes::find_change_signals(observed, &mut signals);
    let order = |step: StepId| observed.steps.iter().position(|it| it.id == step);
    let mut positions = std::collections::HashMap::new();
    for signal in &signals {
        positions.entry(signal.step).or_insert_with(|| order(signal.step));
    }
    signals.sort_by(|a, b| {
        let at = |signal: &ProcessSignal| (positions[&signal.step], signal.kind);
        at(a).cmp(&at(b)).then_with(|| a.why.cmp(&b.why))
    });
    signals
}

/// Returns a signal over the steps from one index of [`ObservedRun::steps`] to another.
fn signal_over(
    observed: &ObservedRun,
    kind: SignalKind,
    span: (usize, usize),
    why: String,
) -> ProcessSignal {
    let first = &observed.steps[span.0];
    ProcessSignal {
        kind,
        step: first.id,
        number: first.number,
        until: observed.steps[span.1].id,
        why,
        path: None,
    }
}

/// Returns the number of a step as shown: `12.7`.
fn step_label(observed: &ObservedRun, at: usize) -> String {
    let step = &observed.steps[at];
    format!("{}.{}", step.id.turn + 1, step.number)
}

/// Returns an ordinal such as `4th`.
fn ordinal_text(count: usize) -> String {
    let suffix = match (count % 10, count % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{count}{suffix}")
}
