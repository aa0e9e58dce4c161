//! Whether the files of each moment build and pass their tests: what commands of the user's, run on request, said of them.
//!
//! A [`Check`] is one run of a command on the files of one moment, and one line of `checks.jsonl` (see `docs/bundle.md`). Whoever
//! runs commands keeps them; here they are read and laid beside the moments of a run, as [`State`]s. Files are known by their
//! content, so that two moments with the same files have one result.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use trajview_run::{StepId, figures, files, values::worded};

worded! {
    /// What a command is for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum CheckKind {
        Build = "build",
        Test = "test",
    }
}

worded! {
    /// How a command ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum CheckOutcome {
        /// With exit code 0.
        #[serde(rename = "ok")]
        Fine = "ok",
        #[serde(rename = "failed")]
        Failed = "failed",
        /// It was ended because it took too long.
        #[serde(rename = "timed out")]
        TimedOut = "timed out",
        /// The files are not all recorded, or the command could not be started.
        #[serde(rename = "could not be run")]
        NotRun = "could not be run",
    }
}

/// One run of a command on the files of a moment: a line of `checks.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    pub kind: CheckKind,
    /// As it was given to `sh -c`.
    pub command: String,
    /// Names the files: the SHA-256, in hex digits, of their modes, paths and contents.
    pub tree: String,
    /// Of the bundle's repository; None where there is none, or where the moment lies inside a turn.
    #[serde(default)]
    pub commit: Option<String>,
    /// Counts from 1.
    pub turn: usize,
    /// The step after which the files were so, as `12.7`; None at the end of the turn.
    #[serde(default)]
    pub step: Option<String>,
    pub outcome: CheckOutcome,
    /// None where it was ended by a signal, or not run.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// How long it ran; None where it was not run.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// When it began, RFC 3339.
    #[serde(default)]
    pub at: Option<String>,
    /// The last lines that it printed; of one that could not be run, why.
    #[serde(default)]
    pub output: String,
}

/// The files at one moment of a run, with what the commands that were run last said of them.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Counts from 0.
    pub turn: usize,
    /// The step after which the files were so; None at the end of the turn.
    pub step: Option<StepId>,
    /// The step that it opens at: the last of the turn that edits files, else its last; None in a turn without steps.
    pub opens: Option<StepId>,
    pub commit: Option<String>,
    /// None where it was not run.
    pub build: Option<Check>,
    pub test: Option<Check>,
}

/// A moment whose files differ from those of the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Counts from 0.
    pub turn: usize,
    /// As in [`State`].
    pub step: Option<StepId>,
    pub opens: Option<StepId>,
    pub commit: Option<String>,
    /// As in [`Check`].
    pub tree: String,
}

impl Moment {
    /// The moment of the files.
    pub const fn files(&self) -> files::Moment {
        match self.step {
            None => files::Moment::after(self.turn + 1),
            step => files::Moment { turns: self.turn, step },
        }
    }
}

impl CheckOutcome {
    /// Whether the files are good; None where that was not found out. What takes too long is not good.
    pub const fn is_good(self) -> Option<bool> {
        match self {
            Self::Fine => Some(true),
            Self::Failed | Self::TimedOut => Some(false),
            Self::NotRun => None,
        }
    }
}

impl Check {
    /// `ok`, `failed (exit code 2)`
    pub fn words(&self) -> String {
        match (self.outcome, self.exit_code) {
            (CheckOutcome::Failed, Some(code)) => format!("failed (exit code {code})"),
            (outcome, _) => outcome.word().to_owned(),
        }
    }

    /// `turn 12: build failed (exit code 2), 0.3 s`
    pub fn told(&self) -> String {
        let moment = match &self.step {
            Some(step) => format!("step {step}"),
            None => format!("turn {}", self.turn),
        };
        let seconds =
            self.seconds.map(|it| format!(", {} s", figures::tenths(it))).unwrap_or_default();
        let why = match self.outcome {
            CheckOutcome::NotRun => format!(": {}", self.output),
            CheckOutcome::Fine | CheckOutcome::Failed | CheckOutcome::TimedOut => String::new(),
        };
        format!("{moment}: {} {}{seconds}{why}", self.kind.word(), self.words())
    }
}

impl State {
    pub const fn check(&self, kind: CheckKind) -> Option<&Check> {
        match kind {
            CheckKind::Build => self.build.as_ref(),
            CheckKind::Test => self.test.as_ref(),
        }
    }
}

/// Lines of `checks.jsonl`, in order, and the numbers of those that are none, with the reason.
pub fn read(text: &str) -> (Vec<Check>, Vec<(usize, String)>) {
    let (mut checks, mut problems) = (vec![], vec![]);
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(check) => checks.push(check),
            Err(why) => problems.push((number, why.to_string())),
        }
    }
    (checks, problems)
}

/// The last result of a command on the files of a moment, where it could be run.
pub fn known<'a>(
    checks: &'a [Check],
    kind: CheckKind,
    command: &str,
    tree: &str,
) -> Option<&'a Check> {
    checks.iter().rev().find(|check| {
        check.kind == kind
            && check.command == command
            && check.tree == tree
            && check.outcome != CheckOutcome::NotRun
    })
}

/// The moments as states, by the command of each kind that was run last. Moments inside a turn only where they have a result;
/// nothing where none of them has one.
pub fn states(moments: Vec<Moment>, checks: &[Check]) -> Vec<State> {
    let trees: std::collections::HashSet<&str> =
        moments.iter().map(|moment| moment.tree.as_str()).collect();
    let ours = || checks.iter().filter(|check| trees.contains(check.tree.as_str()));
    let last = |kind| ours().rfind(|check| check.kind == kind).map(|it| it.command.as_str());
    let mut by_tree: HashMap<(CheckKind, &str), &Check> = HashMap::new();
    for kind in CheckKind::ALL {
        let of_last = |check: &&Check| check.kind == kind && Some(&*check.command) == last(kind);
        by_tree.extend(ours().filter(of_last).map(|check| ((kind, check.tree.as_str()), check)));
    }
    if by_tree.is_empty() {
        return vec![];
    }
    let state = |moment: &Moment| {
        let found = |kind| by_tree.get(&(kind, moment.tree.as_str())).map(|it| (*it).clone());
        State {
            turn: moment.turn,
            step: moment.step,
            opens: moment.opens,
            commit: moment.commit.clone(),
            build: found(CheckKind::Build),
            test: found(CheckKind::Test),
        }
    };
    let is_shown =
        |state: &State| state.step.is_none() || state.build.is_some() || state.test.is_some();
    moments.iter().map(state).filter(is_shown).collect()
}

/// What a kind of command said of the states, in order; states of which it said nothing left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Results {
    pub command: String,
    /// Whether each was good, and the step that it opens at.
    pub all: Vec<(bool, Option<StepId>)>,
}

impl Results {
    /// None where nothing of this kind was run.
    pub fn of(states: &[State], kind: CheckKind) -> Option<Self> {
        let checks = || states.iter().filter_map(|state| Some((state, state.check(kind)?)));
        let all: Vec<_> = checks()
            .filter_map(|(state, check)| Some((check.outcome.is_good()?, state.opens)))
            .collect();
        let (_, first) = checks().next()?;
        (!all.is_empty()).then(|| Self { command: first.command.clone(), all })
    }

    pub fn good(&self) -> usize {
        self.all.iter().filter(|(is_good, _)| *is_good).count()
    }

    /// States that are not good and follow one that is.
    pub fn regressions(&self) -> usize {
        self.all.windows(2).filter(|pair| pair[0].0 && !pair[1].0).count()
    }

    /// Where states that are good, or are not, open.
    pub fn steps(&self, is_good: bool) -> Vec<StepId> {
        self.all.iter().filter(|(good, _)| *good == is_good).filter_map(|(_, step)| *step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(turn: usize, tree: &str) -> Moment {
        Moment { turn, step: None, opens: None, commit: None, tree: tree.into() }
    }

    fn check(command: &str, tree: &str, outcome: CheckOutcome) -> Check {
        Check {
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

    fn words(states: &[State]) -> Vec<Option<&'static str>> {
        states.iter().map(|state| Some(state.build.as_ref()?.outcome.word())).collect()
    }

    #[test]
    fn moments_with_the_same_files_have_one_result_and_the_last_command_counts() {
        let moments = || vec![moment(0, "a"), moment(1, "b"), moment(2, "a")];
        let old = check("old", "b", CheckOutcome::Failed);
        let new = check("new", "a", CheckOutcome::Fine);
        let elsewhere = check("third", "z", CheckOutcome::Fine);

        let told = states(moments(), &[old.clone(), new, elsewhere.clone()]);

        assert_eq!(words(&told), [Some("ok"), None, Some("ok")]);
        assert_eq!(words(&states(moments(), &[elsewhere])), []);
        assert_eq!(words(&states(moments(), &[old])), [None, Some("failed"), None]);
    }

    #[test]
    fn what_could_not_be_run_is_not_known_and_counts_for_nothing() {
        let checks = [check("c", "a", CheckOutcome::NotRun), check("c", "b", CheckOutcome::Fine)];

        assert_eq!(known(&checks, CheckKind::Build, "c", "a"), None);
        assert!(known(&checks, CheckKind::Build, "c", "b").is_some());
        assert_eq!(known(&checks, CheckKind::Test, "c", "b"), None);
        let told = states(vec![moment(0, "a"), moment(1, "b")], &checks);
        assert_eq!(Results::of(&told, CheckKind::Build).unwrap().all, [(true, None)]);
        assert_eq!(Results::of(&told, CheckKind::Test), None);
    }

    #[test]
    fn a_line_that_is_none_is_told_with_its_number_and_the_others_are_read() {
        let good = serde_json::to_string(&check("c", "a", CheckOutcome::TimedOut)).unwrap();

        let (checks, problems) = read(&format!("{good}\n\n{{\"kind\":\"build\"\n{good}\n"));

        assert_eq!(checks.len(), 2);
        assert_eq!(checks[0].outcome, CheckOutcome::TimedOut);
        assert_eq!(problems.iter().map(|it| it.0).collect::<Vec<_>>(), [3]);
    }
}
