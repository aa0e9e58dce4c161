//! The result of a trial: what a harness measured of one run at a task.
//!
//! Every value is *recorded*: a reader of `formats` takes it from the harness' own files, nothing here is computed from
//! the log. A value that the harness does not state is None, which is neither 0 nor a failure.
//!
//! [`TrialColumn`] is the one list of the columns that a table of runs has of it: their names in JSON, CSV, exports, SQL
//! and filters, and what they mean. [`TrialValues`] has their values for one run.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Run, format_number, worded_enum::worded};

worded! {
    /// The end of a trial, as the harness states it. The list is closed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Outcome {
        /// The verifier ran and accepted the work.
        Passed = "passed",
        /// The verifier ran and refused the work.
        Failed = "failed",
        /// The verifier ran and gave a part of the reward.
        Partial = "partial",
        /// The agent, the environment or the verifier raised.
        Error = "error",
        /// The agent ran out of time; a verifier that did is an error.
        Timeout = "timeout",
        /// The agent ran out of tokens, turns or money.
        Limit = "limit",
        /// The agent ran, and nobody scored its work.
        Unscored = "unscored",
    }
}

impl Outcome {
    /// Returns true where a verifier gave its verdict: passed, failed or partial.
    pub const fn is_scored(self) -> bool {
        matches!(self, Self::Passed | Self::Failed | Self::Partial)
    }

    /// Returns the outcome that a share of the work states; None for a number outside of 0 to 1.
    pub fn from_share(share: f64) -> Option<Self> {
        match share {
            1.0 => Some(Self::Passed),
            0.0 => Some(Self::Failed),
            share if (0.0..=1.0).contains(&share) => Some(Self::Partial),
            _ => None,
        }
    }

    /// Returns true where the trial ended without a verdict because something broke or ran out: error, timeout or limit.
    pub const fn is_broken(self) -> bool {
        matches!(self, Self::Error | Self::Timeout | Self::Limit)
    }

    /// Returns the sign that stands before the word on screen.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Passed => "✓",
            Self::Failed => "✗",
            Self::Partial => "◐",
            Self::Error | Self::Timeout | Self::Limit => "!",
            Self::Unscored => "○",
        }
    }
}

/// The result of one run at a task, as its harness recorded it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TrialResult {
    /// The task's id in the harness: `task_name`, `instance_id`, the id of a sample.
    pub task: Option<Box<str>>,
    /// The number of the repeat or epoch; counts from 1.
    pub attempt: Option<u32>,
    pub outcome: Option<Outcome>,
    /// The verifier's number, in the range of the harness; where it gave several, the first.
    pub reward: Option<f64>,
    /// The name of [`Self::reward`], where the harness names it.
    pub reward_name: Option<Box<str>>,
    /// The other named rewards and scores: those of Harbor by name, others in the harness' order.
    pub other_rewards: Vec<(Box<str>, f64)>,
    /// The error in one line: the exception's type and message, the agent's exit status.
    pub error: Option<Box<str>>,
    /// Facts that do not agree with the result, a sentence each: a reward that was written before the verifier failed.
    pub notes: Vec<Box<str>>,
    /// The file that the result was read from, relative to the trial.
    pub source: Box<str>,
}

impl TrialResult {
    /// Returns all rewards that have a name, the first one too.
    pub fn named_rewards(self) -> impl Iterator<Item = (Box<str>, f64)> {
        self.reward_name.zip(self.reward).into_iter().chain(self.other_rewards)
    }

    /// Returns what is recorded of the trial as names and texts, for a list of facts about one run. The task and the notes have
    /// places of their own.
    pub fn named_facts(&self) -> Vec<(&'static str, String)> {
        let named = |name: Option<&str>, reward: f64| match name {
            Some(name) => format!("{} ({name})", reward_text(reward)),
            None => reward_text(reward),
        };
        let others = self.other_rewards.iter();
        let others: Vec<String> =
            others.map(|(name, reward)| format!("{name} {}", reward_text(*reward))).collect();
        let facts = [
            ("attempt", self.attempt.map(|number| number.to_string())),
            ("outcome", self.outcome.map(|it| format!("{} {}", it.sign(), it.word()))),
            ("reward", self.reward.map(|reward| named(self.reward_name.as_deref(), reward))),
            ("other rewards", Some(others.join(", ")).filter(|texts| !texts.is_empty())),
            ("error", self.error.as_deref().map(str::to_owned)),
        ];
        let known = facts.into_iter().filter_map(|(name, text)| Some((name, text?)));
        let mut known: Vec<_> = known.collect();
        if !known.is_empty() && !self.source.is_empty() {
            known.push(("result from", self.source.to_string()));
        }
        known
    }
}

worded! {
    /// A column of a table of runs that a trial fills, by its name everywhere: in JSON, CSV, exports, SQL and filters.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum TrialColumn {
        Task = "task",
        Attempt = "attempt",
        Outcome = "outcome",
        Reward = "reward",
        RewardName = "reward_name",
        Error = "error",
    }
}

impl TrialColumn {
    /// Returns the meaning of the column, for its help and for the documentation of exports.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Task => "the task of the agent: the harness' id, else as the recording names it",
            Self::Attempt => "the number of the repeat or epoch, as the harness counts them from 1",
            Self::Outcome => {
                "the end of the trial as its harness recorded it: passed, failed, partial, error, timeout, limit or unscored"
            }
            Self::Reward => "the verifier's number, in the range of the harness",
            Self::RewardName => "the name of the reward, where the harness names it",
            Self::Error => "the recorded error of the trial, in one line",
        }
    }

    /// Returns whether its values are numbers.
    pub const fn is_number(self) -> bool {
        matches!(self, Self::Attempt | Self::Reward)
    }

    /// Returns a value as a filter has it.
    pub(crate) const fn example(self) -> &'static str {
        match self {
            Self::Attempt | Self::Reward => "1",
            Self::Outcome => "failed",
            Self::Task | Self::RewardName | Self::Error => "NAME",
        }
    }
}

/// The values of the columns for one run, null where nothing is recorded. The names of the fields are the words of
/// [`TrialColumn`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TrialValues {
    pub task: Option<String>,
    pub attempt: Option<u32>,
    pub outcome: Option<Outcome>,
    pub reward: Option<f64>,
    pub reward_name: Option<String>,
    pub error: Option<String>,
}

impl TrialValues {
    /// Returns the values of a run. Without a harness' result only the task may be there.
    pub fn for_run(run: &Run) -> Self {
        let trial = run.trial.as_deref();
        Self {
            task: run.task_key(),
            attempt: trial.and_then(|it| it.attempt),
            outcome: trial.and_then(|it| it.outcome),
            reward: trial.and_then(|it| it.reward).filter(|reward| reward.is_finite()),
            reward_name: trial.and_then(|it| it.reward_name.as_deref().map(str::to_owned)),
            error: trial.and_then(|it| it.error.as_deref().map(str::to_owned)),
        }
    }

    /// Returns the text of a cell: words as they are recorded, numbers as people read them.
    pub fn cell_text(&self, column: TrialColumn) -> Option<Cow<'_, str>> {
        match column {
            TrialColumn::Task => self.task.as_deref().map(Cow::from),
            TrialColumn::Attempt => self.attempt.map(|number| number.to_string().into()),
            TrialColumn::Outcome => self.outcome.map(|outcome| outcome.word().into()),
            TrialColumn::Reward => self.reward.map(|reward| reward_text(reward).into()),
            TrialColumn::RewardName => self.reward_name.as_deref().map(Cow::from),
            TrialColumn::Error => self.error.as_deref().map(Cow::from),
        }
    }

    /// Returns the number of a cell; None for a column of words.
    pub fn cell_number(&self, column: TrialColumn) -> Option<f64> {
        match column {
            TrialColumn::Attempt => self.attempt.map(f64::from),
            TrialColumn::Reward => self.reward,
            _ => None,
        }
    }

    /// Returns whether the task was solved: by the outcome, and without one by the recorded tests (passed and all). None
    /// where there is no verdict.
    pub fn is_success(&self, tests: Option<(u64, u64)>) -> Option<bool> {
        match self.outcome {
            Some(outcome) => outcome.is_scored().then_some(outcome == Outcome::Passed),
            None => tests.filter(|(_, total)| *total > 0).map(|(passed, total)| passed == total),
        }
    }

    /// Returns the outcome with its sign and the reward, `✗ failed · reward 0.25`; None where neither is recorded.
    pub fn result_text(&self) -> Option<String> {
        let outcome = self.outcome.map(|outcome| format!("{} {}", outcome.sign(), outcome.word()));
        let name = self.reward_name.as_deref().unwrap_or("reward");
        let reward = self.reward.map(|reward| format!("{name} {}", reward_text(reward)));
        let parts: Vec<String> = [outcome, reward].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" · "))
    }
}

/// Returns a reward with up to four decimals: `1`, `0.25`, `0.6667`. A number that these digits cannot show is written with an
/// exponent.
pub fn reward_text(reward: f64) -> String {
    let size = reward.abs();
    if size != 0.0 && !(0.0001..1e9).contains(&size) {
        return format!("{reward:.3e}").replace('-', "−");
    }
    let written = format_number::with_decimals(reward, 4).replace('-', "−");
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_scored_broken_or_neither() {
        let kinds = Outcome::ALL.map(|it| (it.word(), it.is_scored(), it.is_broken()));

        let expected = [
            ("passed", true, false),
            ("failed", true, false),
            ("partial", true, false),
            ("error", false, true),
            ("timeout", false, true),
            ("limit", false, true),
            ("unscored", false, false),
        ];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn the_fields_of_the_values_are_the_columns_in_their_order() {
        let fields = serde_json::to_string(&TrialValues::default()).unwrap();

        let columns = TrialColumn::ALL.map(|it| format!("\"{}\":null", it.word()));
        assert_eq!(fields, format!("{{{}}}", columns.join(",")));
    }

    #[test]
    fn a_reward_has_the_digits_that_it_needs() {
        let texts = [1.0, 0.0, 0.25, 2.0 / 3.0, -0.5, 10.0, 0.00001].map(reward_text);

        assert_eq!(texts, ["1", "0", "0.25", "0.6667", "−0.5", "10", "1.000e−5"]);
    }

    #[test]
    fn the_result_of_a_run_without_a_harness_is_its_task_alone() {
        let trial = TrialResult {
            task: Some("t/1".into()),
            outcome: Some(Outcome::Failed),
            reward: Some(0.25),
            ..TrialResult::default()
        };
        let task = crate::Task { id: "t".into(), ..crate::Task::default() };
        let plain = Run { task: Some(task), ..Run::default() };
        let scored = Run { trial: Some(Box::new(trial)), ..plain.clone() };

        let values = [plain, scored].map(|run| TrialValues::for_run(&run));
        assert_eq!(values.each_ref().map(|it| it.task.as_deref()), [Some("t"), Some("t/1")]);
        assert_eq!(values[0].result_text(), None);
        assert_eq!(values[1].result_text().as_deref(), Some("✗ failed · reward 0.25"));
    }
}
