//! What a harness recorded of the checkpoints, as JSON and as a table: never mixed with what we compute.

use serde::Serialize;

use trajview_run::{
    Checkpoint, CheckpointRecord, Run,
    recorded::{ChangedFile, Flag, Measured, Passed, Recorded, TestCase, TestGroup, Tests},
};
use trajview_store::Archive;

use super::{
    json::EditRow,
    output::{Column, Out, Table, dash},
};

/// Tests by checkpoint, in order; those without recorded tests have no entry.
#[derive(Serialize)]
pub struct TestsRow {
    pub by_checkpoint: Vec<CheckpointTests>,
}

#[derive(Serialize)]
pub struct CheckpointTests {
    /// The checkpoint's id; with `/after_skill` for the state that a second pass left.
    pub label: String,
    #[serde(flatten)]
    pub counts: TestCounts,
    pub infrastructure_failure: bool,
    pub exit_code: Option<i64>,
    pub collected: Option<u64>,
    pub source: Box<str>,
}

/// How many of how many passed.
#[derive(Serialize)]
pub struct TestCounts {
    /// Null where the group is not recorded.
    pub core: Option<Passed>,
    pub error: Option<Passed>,
    pub functionality: Option<Passed>,
    pub regression: Option<Passed>,
    /// All tests, those of earlier checkpoints included.
    pub strict: Passed,
    /// All but those of earlier checkpoints.
    pub iso: Passed,
}

impl TestCounts {
    pub fn of(tests: &Tests) -> Self {
        Self {
            core: tests.group(TestGroup::Core),
            error: tests.group(TestGroup::Error),
            functionality: tests.group(TestGroup::Functionality),
            regression: tests.group(TestGroup::Regression),
            strict: tests.strict,
            iso: tests.iso,
        }
    }
}

/// Null where no checkpoint has recorded tests.
pub fn tests(run: &Run) -> Option<TestsRow> {
    let records = run.checkpoints.iter().flat_map(Checkpoint::records);
    let rows = records.filter_map(|(label, _, it)| Some(tests_row(label, it.tests.as_ref()?)));
    let by_checkpoint: Vec<CheckpointTests> = rows.collect();
    (!by_checkpoint.is_empty()).then_some(TestsRow { by_checkpoint })
}

fn tests_row(label: String, tests: &Tests) -> CheckpointTests {
    CheckpointTests {
        label,
        counts: TestCounts::of(tests),
        infrastructure_failure: tests.infrastructure_failure,
        exit_code: tests.exit_code,
        collected: tests.collected,
        source: tests.source.clone(),
    }
}

/// Everything recorded beside the logs.
#[derive(Serialize)]
pub struct RecordedRow {
    /// Of the run as a whole.
    pub run: Vec<Recorded>,
    pub by_checkpoint: Vec<CheckpointRow>,
}

#[derive(Serialize)]
pub struct CheckpointRow {
    pub label: String,
    /// In the harness' word: ran, skipped, error.
    pub state: Option<Box<str>>,
    pub values: Vec<Recorded>,
    #[serde(flatten)]
    pub measured: Measured,
    /// Null where no tests are recorded.
    pub tests: Option<Vec<TestRow>>,
    /// Null where no judge was asked.
    pub flags: Option<Vec<Flag>>,
    /// Null where the trees were not compared.
    pub changes: Option<Vec<EditRow>>,
}

#[derive(Serialize)]
pub struct TestRow {
    #[serde(flatten)]
    pub case: TestCase,
    /// The whole text of a failure; null where it is not recorded.
    pub failure: Option<String>,
}

/// Null where a run has nothing recorded beside its logs.
pub fn recorded(run: &Run, archive: &Archive) -> Option<RecordedRow> {
    let records = run.checkpoints.iter().flat_map(Checkpoint::records);
    let by_checkpoint: Vec<CheckpointRow> =
        records.map(|(label, _, record)| checkpoint_row(label, record, run, archive)).collect();
    let is_empty = by_checkpoint.is_empty() && run.recorded.is_empty();
    (!is_empty).then(|| RecordedRow { run: run.recorded.clone(), by_checkpoint })
}

fn checkpoint_row(
    label: String,
    record: &CheckpointRecord,
    run: &Run,
    archive: &Archive,
) -> CheckpointRow {
    let edit = |file: &ChangedFile| super::json::edit_row(&file.edit);
    let test = |case: &TestCase| {
        let failure = case.failure.map(|place| archive.failure(run, place));
        TestRow { case: case.clone(), failure }
    };
    CheckpointRow {
        label,
        state: record.state.clone(),
        values: record.values.clone(),
        measured: record.measured.clone(),
        tests: record.tests.as_ref().map(|tests| tests.cases.iter().map(test).collect()),
        flags: record.flags.clone(),
        changes: record.changes.as_ref().map(|changes| changes.files.iter().map(edit).collect()),
    }
}

/// A line a checkpoint with its tests; nothing where none has anything recorded.
pub fn print(run: &Run, is_markdown: bool, out: &mut Out) -> std::io::Result<()> {
    let recorded: Vec<_> = run.checkpoints.iter().flat_map(Checkpoint::records).collect();
    if recorded.is_empty() {
        return Ok(());
    }
    let columns: [Column<'_, (String, usize, &CheckpointRecord)>; 10] = [
        ("recorded", &|(label, ..)| label.clone()),
        ("state", &|(.., record)| dash(record.state.as_ref())),
        (">core", &|(.., record)| group(record, TestGroup::Core)),
        (">error", &|(.., record)| group(record, TestGroup::Error)),
        (">functionality", &|(.., record)| group(record, TestGroup::Functionality)),
        (">regression", &|(.., record)| group(record, TestGroup::Regression)),
        (">strict", &|(.., record)| share(record, |tests| Some(tests.strict))),
        (">iso", &|(.., record)| share(record, |tests| Some(tests.iso))),
        (">flags", &|(.., record)| dash(record.flags.as_ref().map(Vec::len))),
        ("", &|(.., record)| not_run(record).into()),
    ];
    out.line("")?;
    Table::of(&columns, &recorded).write(is_markdown, out)
}

fn group(record: &CheckpointRecord, group: TestGroup) -> String {
    share(record, |tests| tests.group(group))
}

fn share(record: &CheckpointRecord, of: impl Fn(&Tests) -> Option<Passed>) -> String {
    let passed = record.tests.as_ref().and_then(of);
    dash(passed.map(|Passed { passed, total }| format!("{passed}/{total}")))
}

fn not_run(record: &CheckpointRecord) -> &'static str {
    let is_broken = record.tests.as_ref().is_some_and(|tests| tests.infrastructure_failure);
    if is_broken { "the tests could not be run" } else { "" }
}
