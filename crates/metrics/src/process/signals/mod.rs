//! Moments of a run that are worth a look, found without a judge. Each says why. They are signals and no verdicts: how often
//! they hit and how often they are false is measured in `docs/process.md`.
//!
//! `repeats` knows what is done again, `failures` what goes wrong, `changes` what becomes of files and names. To add one
//! write it in one of these, add a kind, and say in `docs/process.md` what it catches.

mod changes;
mod failures;
mod repeats;

use trajview_run::{StepId, values::worded};

use super::observed::Observed;

worded! {
    words;
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Kind {
        /// The same call came back with the same, and nothing was changed in between.
        RepeatedCall = "repeated call",
        /// A message says again what was said before.
        RepeatedMessage = "repeated message",
        /// The same thing went wrong in the same way.
        SameFailure = "same failure again",
        /// Nothing new was read, written or passed for a while.
        NoProgress = "no progress",
        /// A message says that something failed.
        SaidFailure = "failure in words",
        /// A turn ended while what it tried last had failed.
        LeftFailing = "left failing",
        /// A file is again what it was before an edit.
        Undone = "edit undone",
        /// A name that was in use is used by nothing any more.
        UseLost = "last use lost",
        /// Names that were used before a compaction are missing after it.
        ContextLost = "context lost",
        /// A file changed that no request named.
        Unrequested = "file not asked for",
    }
}

/// One moment, or a stretch of moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    pub kind: Kind,
    /// The step that it opens at.
    pub step: StepId,
    /// Of the step, as people count: from 1 in its turn.
    pub number: usize,
    /// The last step of the stretch; the same as `step` for a moment.
    pub until: StepId,
    /// Why, in one line: what happened, and what it is compared with.
    pub why: String,
    /// The file that it is about.
    pub path: Option<String>,
}

/// All signals of a run, in playing order; of one step in the order of the kinds.
pub fn all(observed: &Observed) -> Vec<Signal> {
    let mut found = vec![];
    repeats::find(observed, &mut found);
    failures::find(observed, &mut found);
    changes::find(observed, &mut found);
    let order = |step: StepId| observed.steps.iter().position(|it| it.id == step);
    let mut positions = std::collections::HashMap::new();
    for signal in &found {
        positions.entry(signal.step).or_insert_with(|| order(signal.step));
    }
    found.sort_by(|a, b| {
        let at = |signal: &Signal| (positions[&signal.step], signal.kind);
        at(a).cmp(&at(b)).then_with(|| a.why.cmp(&b.why))
    });
    found
}

/// A signal over the steps from one index of [`Observed::steps`] to another.
fn over(observed: &Observed, kind: Kind, span: (usize, usize), why: String) -> Signal {
    let first = &observed.steps[span.0];
    Signal {
        kind,
        step: first.id,
        number: first.number,
        until: observed.steps[span.1].id,
        why,
        path: None,
    }
}

/// `12.7`, as a step is called everywhere.
fn called(observed: &Observed, at: usize) -> String {
    let step = &observed.steps[at];
    format!("{}.{}", step.id.turn + 1, step.number)
}

/// `4th`
fn ordinal(count: usize) -> String {
    let suffix = match (count % 10, count % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{count}{suffix}")
}
