//! The results of builds and tests on the files of each moment, from commands of the user that were run on request.
//!
//! A [`CheckRun`] is one run of a command on the files of one moment, and one line of `checks.jsonl` (see
//! `docs/bundle.md`). The code that runs commands stores them; here they are read and joined with the moments of a
//! run, as [`CheckedState`]s. Files are identified by their content, so that two moments with the same files have one result.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use trajview_run::{StepId, files, format_number, worded_enum::worded};

worded! {
    /// The purpose of a command.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum CheckKind {
        Build = "build",
        Test = "test",
    }
}

worded! {
    /// The outcome of a command.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum CheckOutcome {
        /// The exit code was 0.
        #[serde(rename = "ok")]
        Fine = "ok",
        #[serde(rename = "failed")]
        Failed = "failed",
        /// The command was ended because it took too long.
        #[serde(rename = "timed out")]
        TimedOut = "timed out",
        /// The files are not all recorded, or the command could not be started.
        #[serde(rename = "could not be run")]
        NotRun = "could not be run",
    }
}

/// One run of a command on the files of a moment: a line of `checks.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckRun {
    pub kind: CheckKind,
    /// The command line given to `sh -c`.
    pub command: String,
    /// Identifies the files: the SHA-256, in hex digits, of their modes, paths and contents.
    pub tree: String,
    /// The commit in the bundle's repository; None where there is none, or where the moment is inside a turn.
    #[serde(default)]
    pub commit: Option<String>,
    /// Counts from 1.
    pub turn: usize,
    /// The step after which the files had this state, as `12.7`; None at the end of the turn.
    #[serde(default)]
    pub step: Option<String>,
    pub outcome: CheckOutcome,
    /// None where it was ended by a signal, or not run.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// The run time in seconds; None where it was not run.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// The start time, RFC 3339.
    #[serde(default)]
    pub at: Option<String>,
    /// The last lines that it printed; the reason where it could not be run.
    #[serde(default)]
    pub output: String,
}

/// The files at one moment of a run, with the results of the commands that were run last.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedState {
    /// Counts from 0.
    pub turn: usize,
    /// The step after which the files had this state; None at the end of the turn.
    pub step: Option<StepId>,
    /// The step that it opens at: the last of the turn that edits files, else its last; None in a turn without steps.
    pub opens: Option<StepId>,
    pub commit: Option<String>,
    /// None where it was not run.
    pub build: Option<CheckRun>,
    pub test: Option<CheckRun>,
}

/// A moment whose files differ from those of the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedMoment {
    /// Counts from 0.
    pub turn: usize,
    /// The step, as in [`CheckedState`].
    pub step: Option<StepId>,
    pub opens: Option<StepId>,
    pub commit: Option<String>,
    /// The hash of the files, as in [`CheckRun`].
    pub tree: String,
}

impl ChangedMoment {
    /// Returns the moment for reading the files.
    pub const fn files_moment(&self) -> files::RunMoment {
        match self.step {
            None => files::RunMoment::after_turns(self.turn + 1),
            step => files::RunMoment { turns: self.turn, step },
        }
    }
}

impl CheckOutcome {
    /// Returns whether the files are good; None where that is not known. A command that takes too long means not good.
    pub const fn is_good(self) -> Option<bool> {
        match self {
            Self::Fine => Some(true),
            Self::Failed | Self::TimedOut => Some(false),
            Self::NotRun => None,
        }
    }
}

impl CheckRun {
    /// Returns the outcome in words: `ok`, `failed (exit code 2)`.
    pub fn outcome_text(&self) -> String {
        match (self.outcome, self.exit_code) {
            (CheckOutcome::Failed, Some(code)) => format!("failed (exit code {code})"),
            (outcome, _) => outcome.word().to_owned(),
        }
    }

    /// Returns a line such as `turn 12: build failed (exit code 2), 0.3 s`.
    pub fn summary_line(&self) -> String {
        let moment = match &self.step {
            Some(step) => format!("step {step}"),
            None => format!("turn {}", self.turn),
        };
        let seconds = self
            .seconds
            .map(|it| format!(", {} s", format_number::one_decimal(it)))
            .unwrap_or_default();
        let why = match self.outcome {
            CheckOutcome::NotRun => format!(": {}", self.output),
            CheckOutcome::Fine | CheckOutcome::Failed | CheckOutcome::TimedOut => String::new(),
        };
        format!("{moment}: {} {}{seconds}{why}", self.kind.word(), self.outcome_text())
    }
}

impl CheckedState {
    /// Returns the last result of a kind of command; None where it was not run.
    pub const fn check_of_kind(&self, kind: CheckKind) -> Option<&CheckRun> {
        match kind {
            CheckKind::Build => self.build.as_ref(),
            CheckKind::Test => self.test.as_ref(),
        }
    }
}

/// Returns the lines of `checks.jsonl`, in order, and the numbers of invalid lines with the reason.
pub fn read_checks(text: &str) -> (Vec<CheckRun>, Vec<(usize, String)>) {
    let (mut checks, mut problems) = (vec![], vec![]);
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(check) => checks.push(check),
            Err(why) => problems.push((number, why.to_string())),
        }
    }
    (checks, problems)
}

/// Returns the last result of a command on the files of a moment, where it could be run.
pub fn last_result<'a>(
    checks: &'a [CheckRun],
    kind: CheckKind,
    command: &str,
    tree: &str,
) -> Option<&'a CheckRun> {
    checks.iter().rev().find(|check| {
        check.kind == kind
            && check.command == command
            && check.tree == tree
            && check.outcome != CheckOutcome::NotRun
    })
}

/// Joins the moments with the results of the command of each kind that was run last. Moments inside a turn are
/// included only where they have a result; the result is empty where no moment has one.
pub fn checked_states(moments: Vec<ChangedMoment>, checks: &[CheckRun]) -> Vec<CheckedState> {
    let trees: std::collections::HashSet<&str> =
        moments.iter().map(|moment| moment.tree.as_str()).collect();
    let ours = || checks.iter().filter(|check| trees.contains(check.tree.as_str()));
    let last = |kind| ours().rfind(|check| check.kind == kind).map(|it| it.command.as_str());
    let mut by_tree: HashMap<(CheckKind, &str), &CheckRun> = HashMap::new();
    for kind in CheckKind::ALL {
        let of_last = |check: &&CheckRun| check.kind == kind && Some(&*check.command) == last(kind);
        by_tree.extend(ours().filter(of_last).map(|check| ((kind, check.tree.as_str()), check)));
    }
    if by_tree.is_empty() {
        return vec![];
    }
    let state = |moment: &ChangedMoment| {
        let result_of = |kind| by_tree.get(&(kind, moment.tree.as_str())).map(|it| (*it).clone());
        CheckedState {
            turn: moment.turn,
            step: moment.step,
            opens: moment.opens,
            commit: moment.commit.clone(),
            build: result_of(CheckKind::Build),
            test: result_of(CheckKind::Test),
        }
    };
    let is_shown = |state: &CheckedState| {
        state.step.is_none() || state.build.is_some() || state.test.is_some()
    };
    moments.iter().map(state).filter(is_shown).collect()
}

/// The results of a kind of command on the states, in order; states without a result are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckResults {
    pub command: String,
    /// For each state, whether it is good, and the step at which it opens.
    pub all: Vec<(bool, Option<StepId>)>,
}

impl CheckResults {
    /// Returns the results; None where no command of this kind was run.
    pub(crate) fn from_states(states: &[CheckedState], kind: CheckKind) -> Option<Self> {
        let checks = || states.iter().filter_map(|state| Some((state, state.check_of_kind(kind)?)));
        let all: Vec<_> = checks()
            .filter_map(|(state, check)| Some((check.outcome.is_good()?, state.opens)))
            .collect();
        let (_, first) = checks().next()?;
        (!all.is_empty()).then(|| Self { command: first.command.clone(), all })
    }

    /// Returns the number of good states.
    pub(crate) fn good_count(&self) -> usize {
        self.all.iter().filter(|(is_good, _)| *is_good).count()
    }

    /// Returns the number of states that are not good and follow a good one.
    pub(crate) fn regression_count(&self) -> usize {
        self.all.windows(2).filter(|pair| pair[0].0 && !pair[1].0).count()
    }

    /// Returns the steps at which the good states open, or the other ones.
    pub(crate) fn steps_where(&self, is_good: bool) -> Vec<StepId> {
        self.all.iter().filter(|(good, _)| *good == is_good).filter_map(|(_, step)| *step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn_moment(turn: usize, tree: &str) -> ChangedMoment {
        ChangedMoment { turn, step: None, opens: None, commit: None, tree: tree.into() }
    }

    fn build_check(command: &str, tree: &str, outcome: CheckOutcome) -> CheckRun {
        CheckRun {
            kind: CheckKind::Build,
            command: command.into(),
            tree: tree.into(),
            commit: None,
            turn: 1,
            step: None,
            outcome,
            exit_code: None,
            seconds: None,
            at: None,
            output: String::new(),
        }
    }

    fn build_outcomes(states: &[CheckedState]) -> Vec<Option<&'static str>> {
        states.iter().map(|state| Some(state.build.as_ref()?.outcome.word())).collect()
    }

    #[test]
    fn moments_with_the_same_files_have_one_result_and_the_last_command_counts() {
        let moments = || vec![turn_moment(0, "a"), turn_moment(1, "b"), turn_moment(2, "a")];
        let old = build_check("old", "b", CheckOutcome::Failed);
        let new = build_check("new", "a", CheckOutcome::Fine);
        let elsewhere = build_check("third", "z", CheckOutcome::Fine);

        let states = checked_states(moments(), &[old.clone(), new, elsewhere.clone()]);

        assert_eq!(build_outcomes(&states), [Some("ok"), None, Some("ok")]);
        assert_eq!(build_outcomes(&checked_states(moments(), &[elsewhere])), []);
        assert_eq!(
            build_outcomes(&checked_states(moments(), &[old])),
            [None, Some("failed"), None]
        );
    }

    #[test]
    fn what_could_not_be_run_is_not_known_and_counts_for_nothing() {
        let checks = [
            build_check("c", "a", CheckOutcome::NotRun),
            build_check("c", "b", CheckOutcome::Fine),
        ];

        assert_eq!(last_result(&checks, CheckKind::Build, "c", "a"), None);
        assert!(last_result(&checks, CheckKind::Build, "c", "b").is_some());
        assert_eq!(last_result(&checks, CheckKind::Test, "c", "b"), None);
        let states = checked_states(vec![turn_moment(0, "a"), turn_moment(1, "b")], &checks);
        assert_eq!(
            CheckResults::from_states(&states, CheckKind::Build).unwrap().all,
            [(true, None)]
        );
        assert_eq!(CheckResults::from_states(&states, CheckKind::Test), None);
    }

    #[test]
    fn a_line_that_is_none_is_told_with_its_number_and_the_others_are_read() {
        let good = serde_json::to_string(&build_check("c", "a", CheckOutcome::TimedOut)).unwrap();

        let (checks, problems) = read_checks(&format!("{good}\n\n{{\"kind\":\"build\"\n{good}\n"));

        assert_eq!(checks.len(), 2);
        assert_eq!(checks[0].outcome, CheckOutcome::TimedOut);
        assert_eq!(problems.iter().map(|it| it.0).collect::<Vec<_>>(), [3]);
    }
}
