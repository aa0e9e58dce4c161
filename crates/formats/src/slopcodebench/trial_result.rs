//! The result of a run: how it ended, and the tests of the problem's last checkpoint.
//!
//! SlopCodeBench calls a checkpoint solved when every test passes (see [`super::evaluation`]); the run of a problem has
//! the outcome of its last checkpoint. Its strict pass rate is the reward, those in isolation and of the core are the
//! others, by the names of the run's generation. A run that ended in an error has no verdict, whatever its tests say.

use trajview_run::{
    Outcome, TrialResult,
    checkpoint_record::{CheckpointRecord, PassCount, RecordedTests, TestGroup},
    first_line_label,
};

use super::{SlopReader, generation::SlopGeneration, layout::checkpoint_number};

impl SlopReader<'_> {
    /// Reads the result of the trial into the run.
    pub(super) fn read_trial(&mut self) {
        let mut trial = TrialResult {
            task: self.run.task.as_ref().map(|task| task.id.as_str().into()),
            ..TrialResult::default()
        };
        if let Some(at) = self.layout.info {
            trial.source = self.sources[at].name.into();
        }
        let missing = self.missing_last_checkpoint();
        let last = self.run.checkpoints.last().and_then(|it| it.last_record());
        let (outcome, error) = self.run_end(last);
        trial.outcome = outcome;
        trial.error = error;
        if let Some(name) = missing {
            trial.notes.push(format!("no result of {name}, the problem's last").into());
        } else if let Some(tests) = last.and_then(|record| record.tests.as_ref()) {
            trial.source = tests.source.clone();
            self.add_verdict(tests, &mut trial);
        } else if self.info.get("summary.state") == Some("completed") {
            trial.outcome = trial.outcome.or(Some(Outcome::Unscored));
        }
        self.run.trial = Some(Box::new(trial));
    }

    /// Returns the outcome and the error of a run that the harness did not bring to its end.
    fn run_end(&self, last: Option<&CheckpointRecord>) -> (Option<Outcome>, Option<Box<str>>) {
        let state = self.info.get("summary.state");
        let is_error = |state: Option<&str>| matches!(state, Some("error" | "failed"));
        if state == Some("hit_rate_limited") {
            return (Some(Outcome::Limit), None);
        }
        if !is_error(state) && !is_error(last.and_then(|record| record.state.as_deref())) {
            return (None, None);
        }
        let message = self.info.get("summary.error_message").and_then(last_written_line);
        let parts = [self.info.get("summary.error_type"), message];
        let words = parts.into_iter().flatten().collect::<Vec<_>>().join(": ");
        (Some(Outcome::Error), Some(first_line_label(&words)).filter(|it| !it.is_empty()))
    }

    /// Returns the last checkpoint that the problem lists, where the run does not have it.
    fn missing_last_checkpoint(&self) -> Option<String> {
        let listed = self.problem.keys_below("checkpoints");
        let last = listed.into_iter().max_by_key(|name| checkpoint_number(name))?;
        let is_there = self.layout.stages.iter().any(|stage| stage.name == last);
        (!is_there).then(|| last.to_owned())
    }

    fn add_verdict(&self, tests: &RecordedTests, trial: &mut TrialResult) {
        if tests.infrastructure_failure {
            trial.outcome = trial.outcome.or(Some(Outcome::Error));
            let why = "the tests could not be run (infrastructure failure)";
            trial.error = trial.error.take().or_else(|| Some(why.into()));
            return;
        }
        let PassCount { passed, total } = tests.strict;
        let is_solved = total > 0 && passed >= total;
        let verdict = if is_solved { Outcome::Passed } else { Outcome::Failed };
        let core = tests.group_counts(TestGroup::Core);
        let [strict_name, iso_name, core_name] = match self.generation {
            Some(SlopGeneration::G0) => ["pass_rate", "checkpoint_pass_rate", "core_pass_rate"],
            _ => ["strict_pass_rate", "isolated_pass_rate", "core_pass_rate"],
        };
        let share = |counts: PassCount| counts.passed_share();
        if trial.outcome.is_some() {
            if let Some(rate) = share(tests.strict) {
                let what = format!("{strict_name} of the last checkpoint is {rate:.4}");
                trial
                    .notes
                    .push(format!("{what}, although the run did not end as it should").into());
            }
            return;
        }
        trial.outcome = Some(verdict);
        trial.reward = share(tests.strict);
        trial.reward_name = trial.reward.map(|_| strict_name.into());
        let others = [(iso_name, share(tests.iso)), (core_name, core.and_then(share))];
        let others = others.into_iter().filter_map(|(name, rate)| Some((name.into(), rate?)));
        trial.other_rewards = others.collect();
    }
}

/// Returns the last line of a message; where its quotes could not be resolved, its line ends are written as `\n`.
fn last_written_line(message: &str) -> Option<&str> {
    let is_margin = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
    let line_end = if message.contains('\n') { "\n" } else { "\\n" };
    message.rsplit(line_end).map(|line| line.trim_matches(is_margin)).find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use trajview_run::{Outcome, TrialResult};

    use crate::{Format, SequentialExecutor, SourceBytes, slopcodebench::SlopCodeBench};

    fn trial_of(info: &str, evaluation: &str) -> TrialResult {
        let files = [
            ("p/run_info.yaml", info),
            ("p/problem.yaml", "name: p\ncheckpoints:\n  checkpoint_1:\n    order: 1\n"),
            ("p/checkpoint_1/evaluation.json", evaluation),
            ("p/checkpoint_1/prompt.txt", "# Do it\n"),
            ("checkpoint_results.jsonl", "{\"strict_pass_rate\": 1}\n"),
        ];
        let sources = files.map(|(name, text)| SourceBytes { name, bytes: text.as_bytes() });
        let run = SlopCodeBench.index_run_with(&sources, &SequentialExecutor).unwrap();
        *run.trial.unwrap()
    }

    fn evaluation(passed: u64) -> String {
        format!(
            "{{\"pass_counts\":{{\"Core\":1,\"Functionality\":{passed}}},\"total_counts\":{{\"Core\":1,\"Functionality\":3}}}}"
        )
    }

    #[test]
    fn a_run_is_solved_where_every_test_of_its_last_checkpoint_passes() {
        let completed = "summary:\n  state: completed\n";
        let trials = [3, 2].map(|passed| trial_of(completed, &evaluation(passed)));

        let told = trials.map(|it| (it.outcome, it.reward, it.reward_name, it.other_rewards));
        let name = || Some("strict_pass_rate".into());
        let rates = |iso| vec![("isolated_pass_rate".into(), iso), ("core_pass_rate".into(), 1.0)];
        assert_eq!(told[0], (Some(Outcome::Passed), Some(1.0), name(), rates(1.0)));
        assert_eq!(told[1], (Some(Outcome::Failed), Some(0.75), name(), rates(0.75)));
    }

    #[test]
    fn a_run_that_ended_in_an_error_has_no_reward_and_its_tests_are_a_note() {
        let info = "summary:\n  error_type: AgentRunnerError\n  error_message: \"Traceback:\\n x\\n\\\n    \\ AgentError: no retry\\n\"\n  state: error\n";
        let trial = trial_of(info, &evaluation(3));

        assert_eq!((trial.outcome, trial.reward), (Some(Outcome::Error), None));
        assert_eq!(trial.error.as_deref(), Some("AgentRunnerError: AgentError: no retry"));
        assert!(trial.notes[0].starts_with("strict_pass_rate of the last checkpoint is 1.0000"));
    }

    #[test]
    fn tests_that_could_not_be_run_are_an_error_and_none_at_all_is_unscored() {
        let completed = "summary:\n  state: completed\n";
        let broken = trial_of(completed, "{\"infrastructure_failure\": true}");
        assert_eq!((broken.outcome, broken.reward), (Some(Outcome::Error), None));

        let unscored = trial_of(completed, "");
        assert_eq!((unscored.outcome, unscored.reward), (Some(Outcome::Unscored), None));
        assert_eq!(trial_of("", "").outcome, None);
    }
}
