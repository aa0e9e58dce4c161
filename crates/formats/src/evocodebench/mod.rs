//! EvoCodeBench's results of a task, `tasks/<task>.json`: the requests of its rounds, and for each model and round how many
//! tests passed and which failed. The results of one model are a run: a turn and a checkpoint a round, without steps.
//!
//! A document for one model is the whole file with [`crate::runs_in_file::RUN_FIELD`], the model's name, before its fields.
//!
//! # Which tests passed
//!
//! The file names failed tests only, of each requirement the first few, and counts the rest. A test is known by its
//! requirement and scenario: its id is its number in the round and changes. Tests of a round are the same for all models, so a
//! test that some model failed in a round is one of the round's tests. It passed for another model in that round where all of
//! the following is true, which leaves no other possibility; else nothing is known of it:
//!
//! - as many tests ran as for any model (a round that ended early, with a failed build, has fewer);
//! - passed and failed tests add up to all of them, and the failed ones to those of the requirements;
//! - the test is not among the failed ones, and all failed tests of its requirement are named.

use std::collections::{BTreeMap, BTreeSet};

use trajview_run::{
    Checkpoint, CheckpointRecord, Outcome, Run, RunOrigin, SourceId, SourceRecord, Task,
    TrialResult, Turn, Warning,
    checkpoint_record::{
        MeasureValue, PassCount, RecordedMeasure, RecordedTests, TestCase, TestOutcome,
    },
    first_line_label,
};

use crate::{
    FileHead, Format, FormatCapabilities, NotUnderstood, PieceExecutor, RecordedEdits,
    RecordingShape, RunsInFile, SourceBytes, head_json,
    json_object::JsonObject,
    nested_logs::place_within,
    runs_in_file::RUN_FIELD,
    tape::{self, JsonTape, TapeValue},
};

pub struct EvoCodeBench;

/// The most rounds of a task that are read; published tasks have up to 15.
const MAX_ROUNDS: usize = 1000;
/// The most failed tests of all models and rounds that are read.
const MAX_CASES: usize = 500_000;

impl Format for EvoCodeBench {
    fn name(&self) -> &'static str {
        "evocodebench"
    }

    fn short_description(&self) -> &'static str {
        "EvoCodeBench results of a task: rounds with cumulative tests; a model is a run"
    }

    fn sample_path(&self) -> &'static str {
        "evocodebench/tinycalc.json/made-a"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::NotALog)
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"n_rounds\"", "\"rounds\""], |object| {
            let is_list = |key: &str| object.get(key).is_some_and(TapeValue::is_list);
            object.has_field("task") && object.has_field("n_rounds") && is_list("rounds")
        })
    }

    fn runs_in_file(&self, head: &FileHead<'_>) -> RunsInFile {
        let is_of_model = |object: &JsonObject<'_>| object.has_field(RUN_FIELD);
        match head_json::any_object(head, &[RUN_FIELD], is_of_model) {
            true => RunsInFile::One,
            false => RunsInFile::OnePerField("models"),
        }
    }

    fn index_run_with(
        &self,
        sources: &[SourceBytes<'_>],
        _executor: &dyn PieceExecutor,
    ) -> Result<Run, NotUnderstood> {
        let source = sources.first().ok_or_else(|| NotUnderstood("it is empty".into()))?;
        let text = String::from_utf8_lossy(source.bytes);
        let tape = JsonTape::parse(text.trim_start_matches('\u{feff}').trim())
            .ok_or_else(|| NotUnderstood(tape::serde_error(&text).to_string()))?;
        let document = JsonObject::from_value(tape.root()).unwrap_or_default();
        TaskReader::new(source, &document).map(TaskReader::into_run)
    }

    fn request_text(&self, record: &[u8]) -> String {
        with_object(record, |round| {
            round.first_text(&["md", "title"]).map(|text| text.into_owned())
        })
    }

    fn failure_text(&self, record: &[u8]) -> String {
        with_object(record, |case| {
            let of = |name: &str| Some(format!("{name}: {}", case.text(name)?));
            let names = ["intent", "scenario", "expected", "actual", "reason"];
            Some(names.into_iter().filter_map(of).collect::<Vec<_>>().join("\n"))
        })
    }
}

fn with_object(record: &[u8], text: impl Fn(&JsonObject<'_>) -> Option<String>) -> String {
    let record = String::from_utf8_lossy(record);
    let tape = JsonTape::parse(record.trim());
    JsonObject::from_tape(&tape).and_then(|object| text(&object)).unwrap_or_default()
}

/// The identity of a test: its requirement and its scenario.
type TestKey = (String, String);

/// A failed test as the file names it.
struct FailedCase<'t> {
    key: TestKey,
    reason: Option<Box<str>>,
    value: TapeValue<'t>,
}

/// The results of one model in one round.
struct RoundResult<'t> {
    passed: u64,
    failed: u64,
    total: u64,
    reward: Option<f64>,
    /// The reason why no test ran, or nothing of one was kept.
    early: Option<Box<str>>,
    /// The number of failed tests by requirement, and the named ones of all requirements.
    failed_by_requirement: BTreeMap<String, u64>,
    named_by_requirement: BTreeMap<String, u64>,
    cases: Vec<FailedCase<'t>>,
}

impl<'t> RoundResult<'t> {
    fn read(value: TapeValue<'t>, room: &mut usize) -> Option<Self> {
        let round = JsonObject::from_value(value)?;
        let mut result = Self {
            passed: round.number("pass").unwrap_or(0),
            failed: round.number("fail").unwrap_or(0),
            total: round.number("total").unwrap_or(0),
            reward: round.float("reward").filter(|reward| reward.is_finite()),
            early: round.first_text(&["early", "note"]).map(|text| first_line_label(&text)),
            failed_by_requirement: BTreeMap::new(),
            named_by_requirement: BTreeMap::new(),
            cases: vec![],
        };
        for fail in round.elements_of("fails").into_iter().filter_map(JsonObject::from_value) {
            let requirement = fail.text("req").unwrap_or_default().into_owned();
            let cases = fail.elements_of("cases");
            let count = fail.number("n").unwrap_or(cases.len() as u64);
            let failed = result.failed_by_requirement.entry(requirement.clone()).or_default();
            *failed = failed.saturating_add(count);
            for value in cases {
                let Some(case) = JsonObject::from_value(value).filter(|_| *room > 0) else {
                    continue;
                };
                *room -= 1;
                let scenario = case.first_text(&["scenario", "id"]).unwrap_or_default();
                let reason = case.first_text(&["reason", "actual"]).or_else(|| fail.text("reason"));
                *result.named_by_requirement.entry(requirement.clone()).or_default() += 1;
                result.cases.push(FailedCase {
                    key: (requirement.clone(), scenario.into_owned()),
                    reason: reason.map(|text| first_line_label(&text)),
                    value,
                });
            }
        }
        Some(result)
    }

    /// Returns whether the counts say that every failed test is in the list of its requirement, and that as many ran as
    /// ever did in the round.
    fn is_complete(&self, most: u64) -> bool {
        let listed =
            self.failed_by_requirement.values().fold(0, |sum: u64, n| sum.saturating_add(*n));
        self.total > 0
            && self.total == most
            && self.passed.checked_add(self.failed) == Some(self.total)
            && listed == self.failed
    }

    fn is_named_in_full(&self, requirement: &str) -> bool {
        self.failed_by_requirement.get(requirement) == self.named_by_requirement.get(requirement)
    }
}

/// The tests of one round that some model failed, and the most tests that ran for any.
#[derive(Default)]
struct RoundSuite {
    tests: BTreeSet<TestKey>,
    most: u64,
}

struct TaskReader<'a, 't> {
    source: &'a SourceBytes<'a>,
    document: &'a JsonObject<'t>,
    model: String,
    rounds: Vec<Option<RoundResult<'t>>>,
    suites: Vec<RoundSuite>,
}

impl<'a, 't> TaskReader<'a, 't> {
    fn new(
        source: &'a SourceBytes<'a>,
        document: &'a JsonObject<'t>,
    ) -> Result<Self, NotUnderstood> {
        let models = document.object("models").unwrap_or_default();
        let model =
            document.text(RUN_FIELD).or_else(|| models.fields().next().map(|(name, _)| name));
        let model = model.map(|name| name.into_owned());
        let model =
            model.ok_or_else(|| NotUnderstood("results of a task without a model".into()))?;
        let stated = document.number("n_rounds").and_then(|count| usize::try_from(count).ok());
        let requests = document.elements_of("rounds").len();
        let count = stated.unwrap_or(requests).max(requests).min(MAX_ROUNDS);
        let mut room = MAX_CASES;
        let mut suites: Vec<RoundSuite> = (0..count).map(|_| RoundSuite::default()).collect();
        let mut rounds: Vec<Option<RoundResult<'t>>> = (0..count).map(|_| None).collect();
        for (name, results) in models.fields() {
            for (number, value) in results_by_round(results) {
                let at = number.checked_sub(1).filter(|at| *at < count);
                let (Some(at), Some(result)) = (at, RoundResult::read(value, &mut room)) else {
                    continue;
                };
                suites[at].most = suites[at].most.max(result.total);
                suites[at].tests.extend(result.cases.iter().map(|case| case.key.clone()));
                if name == model {
                    rounds[at] = Some(result);
                }
            }
        }
        Ok(Self { source, document, model, rounds, suites })
    }

    fn into_run(self) -> Run {
        let task = self.document.text("task").unwrap_or_default().into_owned();
        let name = self.document.object("meta").and_then(|meta| meta.text("name"));
        let mut run = Run {
            id: format!("{task}_{}", self.model),
            title: name.as_deref().unwrap_or(&task).to_owned(),
            origin: RunOrigin {
                format: EvoCodeBench.name(),
                harness: Some("EvoCodeBench".into()),
                sources: vec![SourceRecord {
                    name: self.source.name.into(),
                    format: EvoCodeBench.name(),
                }],
                ..RunOrigin::default()
            },
            model: Some(self.model.clone()),
            task: Some(Task { id: task, title: name.map(Into::into), ..Task::default() }),
            trial: Some(Box::new(self.trial_result())),
            ..Run::default()
        };
        let written_for = self.first_rounds();
        let requests = self.document.elements_of("rounds");
        for (at, result) in self.rounds.iter().enumerate() {
            let request = requests.get(at).copied();
            let fields = request.and_then(JsonObject::from_value).unwrap_or_default();
            let title = fields.first_text(&["title", "md"]).unwrap_or_default();
            run.turns.push(Turn {
                title: first_line_label(&title),
                request: request.map(|value| self.place(value)),
                checkpoint: Some(at),
                ..Turn::default()
            });
            run.checkpoints.push(Checkpoint {
                id: round_name(at),
                label: Some(first_line_label(&title).into()).filter(|it: &String| !it.is_empty()),
                last_turn: at,
                recorded: result.as_ref().map(|it| Box::new(self.record(at, it, &written_for))),
                ..Checkpoint::default()
            });
        }
        let missing = self.rounds.iter().filter(|round| round.is_none()).count();
        if missing > 0 {
            let what = format!("{missing} of {} rounds have no result", self.rounds.len());
            run.warnings.push(Warning { place: self.source.name.into(), what });
        }
        run
    }

    fn place(&self, value: TapeValue<'_>) -> trajview_run::RecordPlace {
        place_within(self.source.bytes, value.get(), SourceId(0))
    }

    /// Returns the first round in which each test is known.
    fn first_rounds(&self) -> BTreeMap<&TestKey, usize> {
        let mut first = BTreeMap::new();
        for (at, suite) in self.suites.iter().enumerate() {
            for key in &suite.tests {
                first.entry(key).or_insert(at);
            }
        }
        first
    }

    fn record(
        &self,
        at: usize,
        result: &RoundResult<'_>,
        written_for: &BTreeMap<&TestKey, usize>,
    ) -> CheckpointRecord {
        let value = |name: &str, value: MeasureValue| RecordedMeasure {
            source: self.source.name.into(),
            name: name.into(),
            value,
            metric: None,
            doubt: None,
        };
        let reward = result.reward.map(|reward| value("reward", MeasureValue::Number(reward)));
        let early = result.early.clone().map(|why| value("early", MeasureValue::Text(why)));
        let case = |key: &TestKey, outcome: TestOutcome| TestCase {
            name: format!("{}: {}", key.0, key.1).into(),
            checkpoint: round_name(written_for.get(key).copied().unwrap_or(at)).into(),
            group: None,
            outcome,
            seconds: None,
            reason: None,
            failure: None,
        };
        let mut cases: Vec<TestCase> = result
            .cases
            .iter()
            .map(|failed| TestCase {
                reason: failed.reason.clone(),
                failure: Some(self.place(failed.value)),
                ..case(&failed.key, TestOutcome::Failed)
            })
            .collect();
        let suite = &self.suites[at];
        if result.is_complete(suite.most) {
            let failed: BTreeSet<&TestKey> = result.cases.iter().map(|case| &case.key).collect();
            let passed = suite
                .tests
                .iter()
                .filter(|key| !failed.contains(key) && result.is_named_in_full(&key.0));
            cases.extend(passed.map(|key| case(key, TestOutcome::Passed)));
        }
        let counts = PassCount { passed: result.passed, total: result.total };
        CheckpointRecord {
            values: reward.into_iter().chain(early).collect(),
            tests: Some(RecordedTests {
                source: self.source.name.into(),
                strict: counts,
                cases,
                ..RecordedTests::default()
            }),
            ..CheckpointRecord::default()
        }
    }

    /// Returns the result of the model at the task: its score, the number of rounds in which all key tests passed, as the
    /// mean reward of a round that the benchmark reports.
    fn trial_result(&self) -> TrialResult {
        let rewards = self
            .rounds
            .iter()
            .enumerate()
            .filter_map(|(at, round)| Some((round_name(at).into(), round.as_ref()?.reward?)));
        let rewards: Vec<(Box<str>, f64)> = rewards.collect();
        let counted = rewards.iter().filter(|(_, reward)| *reward == 1.0).count();
        let has_results = self.rounds.iter().any(Option::is_some);
        let stated = self.document.object("score").and_then(|score| score.float(&self.model));
        let rounds = self.rounds.len();
        let solved = stated.or_else(|| has_results.then_some(counted as f64));
        let reward = solved.filter(|_| rounds > 0).map(|solved| solved / rounds as f64);
        let outcome = reward.filter(|_| has_results).and_then(Outcome::from_share);
        let mut notes: Vec<Box<str>> = vec![];
        if let Some(stated) = stated.filter(|stated| *stated != counted as f64) {
            notes.push(
                format!("the score is {stated}, but {counted} rounds have the reward 1").into(),
            );
        }
        if !has_results {
            notes.push("no round has a result".into());
        }
        TrialResult {
            task: self.document.text("task").map(|task| (&*task).into()),
            outcome,
            reward,
            reward_name: reward.map(|_| "mean of rounds".into()),
            other_rewards: rewards,
            notes,
            source: crate::format::file_name(self.source.name).into(),
            ..TrialResult::default()
        }
    }
}

fn round_name(at: usize) -> String {
    format!("round-{}", at + 1)
}

/// Returns the results of a model by the number of the round, from 1: an object with the numbers as keys, or a list.
fn results_by_round(results: TapeValue<'_>) -> Vec<(usize, TapeValue<'_>)> {
    match JsonObject::from_value(results) {
        Some(rounds) => rounds
            .fields()
            .filter_map(|(number, value)| Some((number.parse().ok()?, value)))
            .collect(),
        None => (1..).zip(results.elements()).collect(),
    }
}

#[cfg(test)]
mod tests;
