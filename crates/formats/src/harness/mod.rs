//! Benchmark harnesses: the files that one writes beside an agent's log, with the result of the trial.
//!
//! A harness ([`Harness`]) is one file of this folder and one line of [`HARNESSES`]. The caller looks for its records in
//! the folders above a log, brings their bytes, and applies the facts to the run ([`TrialFacts::apply_to`]), whatever format
//! the log has. A harness is recognised by the content of its record, never by the name alone.

use trajview_run::{
    Checkpoint, CheckpointRecord, Run, StatedTotals, Task, Time, TrialResult, Warning,
    checkpoint_record::{MeasureValue, RecordedMeasure, RecordedTests},
};

use super::{FileHead, NotUnderstood};

mod cast;
mod ctrf;
mod harbor;
mod harbor_trial;
mod record_file;
mod rigor_bench;
mod swe_bench;
mod swe_bench_trial;
mod swe_bench_verdict;
mod terminal_bench;
mod terminal_bench_trial;
mod trial_parts;

pub(crate) use harbor_trial::HarborTrial;
pub use record_file::RecordFile;
pub(crate) use swe_bench_trial::SweBenchTrial;
pub use swe_bench_trial::report_elements;
pub use terminal_bench::trial_folder as terminal_bench_trial_folder;
pub(crate) use terminal_bench_trial::TerminalBenchTrial;

/// Every harness whose records are read, in the order in which they may claim one.
pub const HARNESSES: &[&dyn Harness] = &[
    &harbor::Harbor,
    &terminal_bench::TerminalBench,
    &swe_bench::SweBench,
    &rigor_bench::RigorBench,
];

/// A benchmark harness. No method may panic, whatever the bytes.
pub trait Harness: Sync {
    /// Returns the name as [`trajview_run::RunOrigin::harness`] has it.
    fn name(&self) -> &'static str;

    /// Returns the names of the files that may be the record of a trial or of its job; each is looked for in every folder
    /// above a log.
    fn record_names(&self) -> &'static [&'static str];

    /// Returns the names of further files that may be the record, which are named after the log; they are looked for before
    /// the others.
    fn named_records(&self, _log: &str) -> Vec<String> {
        vec![]
    }

    /// Returns whether a file of such a name is a record of this harness for a log. A damaged record is claimed where what
    /// is left of it, or the place of the log, identifies it.
    fn claims_record(&self, record: &RecordFile, log: &str) -> bool;

    /// Returns the paths of the other files that it reads, relative to the folder of the record; those that do not exist
    /// are left out by the caller.
    fn sidecar_paths(&self, log: &str) -> Vec<String>;

    /// Returns where the harness keeps evaluations apart from the logs; None where each is in the folder of its trial.
    fn evaluations(&self) -> Option<&'static EvaluationPlaces> {
        None
    }

    /// Returns how many parts at the end of the path of a record belong to the trial, where the record itself is the
    /// recording: the file alone, or folders that are named after the trial too.
    fn own_record_depth(&self, _record: &str) -> usize {
        1
    }

    /// Returns the facts about the trial that a log belongs to; None where the record has none of it.
    fn read_trial(
        &self,
        files: &TrialFiles<'_>,
        run: &Run,
    ) -> Result<Option<TrialFacts>, NotUnderstood>;

    /// Returns the part of the name of a trial's folder that all trials of the same task have in common. Only those are compared
    /// by [`Harness::read_repeat`]; a harness that numbers its attempts itself needs neither.
    fn repeat_group<'n>(&self, _folder: &'n str) -> Option<&'n str> {
        None
    }

    /// Returns what makes a trial the repeat of another, from its record.
    fn read_repeat(&self, _record: &RecordFile) -> Option<RepeatKey> {
        None
    }
}

/// Where a harness keeps evaluations apart from the logs: below a folder above a log.
pub struct EvaluationPlaces {
    /// Folders with one a trial in each; a `*` is any one folder.
    pub folders: &'static [&'static str],
    /// The names of the record of a trial in its folder; the first that exists counts.
    pub records: &'static [&'static str],
    /// Folders with reports of whole runs, which are named after the run; the first is the folder itself.
    pub report_folders: &'static [&'static str],
    /// Returns whether a file of that name there may be such a report, and whether it is one.
    pub is_report_name: fn(&str) -> bool,
    pub is_run_report: fn(&FileHead<'_>) -> bool,
    /// Returns the names that the folder of the trial of a log may have, by the path of the log.
    pub instances_of_log: fn(&str) -> Vec<String>,
}

/// What two repeats of a task have in common, and when this one started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatKey {
    /// Task, agent and model: another agent at the same task is no repeat.
    pub of: [Option<String>; 3],
    pub started_at: Option<Time>,
}

/// The files of a trial, as far as they exist. Their names are relative to the folder of the record.
#[derive(Debug)]
pub struct TrialFiles<'a> {
    /// The path of the log: `agent/trajectory.json`.
    pub log: &'a str,
    pub record: &'a RecordFile,
    /// The files of [`Harness::sidecar_paths`], in its order; of a long text the end, and no long JSON.
    pub sidecars: Vec<RecordFile>,
}

impl TrialFiles<'_> {
    /// Returns the sidecar with that path.
    pub fn sidecar(&self, name: &str) -> Option<&RecordFile> {
        self.sidecars.iter().find(|file| file.name == name)
    }
}

/// The facts that a harness recorded about one trial.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrialFacts {
    pub result: TrialResult,
    pub started_at: Option<Time>,
    pub ended_at: Option<Time>,
    /// The name of the agent, and its version.
    pub agent: Option<(String, Option<String>)>,
    pub model: Option<String>,
    pub stated: StatedTotals,
    /// Other values of the record, such as the time of its phases.
    pub values: Vec<RecordedMeasure>,
    pub tests: Option<RecordedTests>,
    pub warnings: Vec<Warning>,
}

impl TrialFacts {
    /// Adds a number of the record, where there is one.
    fn add_value(&mut self, source: &str, name: impl Into<Box<str>>, number: Option<f64>) {
        if let Some(number) = number.filter(|it| it.is_finite()) {
            self.values.push(RecordedMeasure {
                source: source.into(),
                name: name.into(),
                value: MeasureValue::Number(number),
                metric: None,
                doubt: None,
            });
        }
    }

    /// Gives a run what its log does not state, and the result of the trial.
    pub fn apply_to(self, run: &mut Run, harness: &str) {
        run.origin.harness.get_or_insert_with(|| harness.to_owned());
        if let Some(task) = self.result.task.as_deref().filter(|_| run.task.is_none()) {
            run.task = Some(Task { id: task.to_owned(), ..Task::default() });
        }
        run.started_at = run.started_at.or(self.started_at);
        run.ended_at = run.ended_at.or(self.ended_at);
        if let Some((name, version)) = self.agent {
            if run.agent.name.is_empty() {
                run.agent.name = name;
            }
            run.agent.version = run.agent.version.take().or(version);
        }
        run.model = run.model.take().or(self.model);
        if !run.stated.tokens.is_recorded() {
            run.stated.tokens = self.stated.tokens;
        }
        run.stated.cost_usd = run.stated.cost_usd.or(self.stated.cost_usd);
        run.recorded.extend(self.values);
        run.warnings.extend(self.warnings);
        if let (Some(tests), true, Some(last_turn)) =
            (self.tests, run.checkpoints.is_empty(), run.turns.len().checked_sub(1))
        {
            let recorded = CheckpointRecord { tests: Some(tests), ..CheckpointRecord::default() };
            run.turns.iter_mut().for_each(|turn| turn.checkpoint = Some(0));
            run.checkpoints.push(Checkpoint {
                id: "verifier".into(),
                last_turn,
                recorded: Some(Box::new(recorded)),
                ..Checkpoint::default()
            });
        }
        let mut result = self.result;
        if let Some(log) = run.trial.take() {
            add_words_of_log(&mut result, *log);
        }
        run.trial = Some(Box::new(result));
    }
}

/// Adds to a result what the log itself says: how its agent ended, and a verdict that differs from that of the harness.
fn add_words_of_log(result: &mut TrialResult, log: TrialResult) {
    result.notes.extend(log.notes);
    result.notes.extend(log.error.map(|error| format!("the agent ended with: {error}").into()));
    let verdict = log.outcome.filter(|it| it.is_scored() && result.outcome != Some(*it));
    result.notes.extend(verdict.map(|it| format!("the log says {}", it.word()).into()));
    result.attempt = result.attempt.or(log.attempt);
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::Outcome;

    #[test]
    fn the_verdict_of_a_harness_is_before_that_of_a_log_whose_words_are_notes() {
        let result_of = |outcome, attempt| TrialResult {
            outcome: Some(outcome),
            attempt,
            source: "s".into(),
            ..TrialResult::default()
        };
        let log = TrialResult {
            notes: vec!["a note".into()],
            error: Some("exit_cost".into()),
            ..result_of(Outcome::Passed, Some(3))
        };
        let notes_with = |result: TrialResult| {
            let mut run = Run { trial: Some(Box::new(log.clone())), ..Run::default() };
            TrialFacts { result, ..TrialFacts::default() }.apply_to(&mut run, "Harbor");
            let trial = *run.trial.unwrap();
            (trial.outcome, trial.attempt, trial.notes.join("; "))
        };

        assert_eq!(
            notes_with(result_of(Outcome::Failed, None)),
            (
                Some(Outcome::Failed),
                Some(3),
                "a note; the agent ended with: exit_cost; the log says passed".into()
            )
        );
        assert_eq!(
            notes_with(result_of(Outcome::Passed, Some(1))),
            (Some(Outcome::Passed), Some(1), "a note; the agent ended with: exit_cost".into())
        );
    }
}
