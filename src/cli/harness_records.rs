//! The facts that a harness recorded of the checkpoints, as JSON and as a table: never mixed with computed values.

use serde::Serialize;

use trajview_run::{
    Checkpoint, CheckpointRecord, Run,
    checkpoint_record::{
        ChangedFile, Flag, MeasuredParts, PassCount, RecordedMeasure, RecordedTests, TestCase,
        TestGroup,
    },
};
use trajview_store::Archive;

use super::{
    output::{Out, OutputTable, TableColumn, cell_or_dash},
    show_json::EditRow,
};

/// Tests by checkpoint, in order; those without recorded tests have no entry.
#[derive(Serialize)]
pub struct HarnessTests {
    pub by_checkpoint: Vec<CheckpointTestsRow>,
}

#[derive(Serialize)]
pub struct CheckpointTestsRow {
    /// The checkpoint's id; with `/after_skill` for the state that a second pass left.
    pub label: String,
    #[serde(flatten)]
    pub counts: TestCounts,
    pub infrastructure_failure: bool,
    pub exit_code: Option<i64>,
    pub collected: Option<u64>,
    pub source: Box<str>,
}

/// The numbers of passed tests and of all tests, by group.
#[derive(Serialize)]
pub struct TestCounts {
    /// Null if the group is not recorded.
    pub core: Option<PassCount>,
    pub error: Option<PassCount>,
    pub functionality: Option<PassCount>,
    pub regression: Option<PassCount>,
    /// All tests, those of earlier checkpoints included.
    pub strict: PassCount,
    /// All but those of earlier checkpoints.
    pub iso: PassCount,
}

impl TestCounts {
    pub fn new(tests: &RecordedTests) -> Self {
        Self {
            core: tests.group_counts(TestGroup::Core),
            error: tests.group_counts(TestGroup::Error),
            functionality: tests.group_counts(TestGroup::Functionality),
            regression: tests.group_counts(TestGroup::Regression),
            strict: tests.strict,
            iso: tests.iso,
        }
    }
}

/// Returns the recorded tests. None if no checkpoint has any.
pub fn recorded_tests(run: &Run) -> Option<HarnessTests> {
    let records = run.checkpoints.iter().flat_map(Checkpoint::recorded_states);
    let rows =
        records.filter_map(|(label, _, it)| Some(checkpoint_tests_row(label, it.tests.as_ref()?)));
    let by_checkpoint: Vec<CheckpointTestsRow> = rows.collect();
    (!by_checkpoint.is_empty()).then_some(HarnessTests { by_checkpoint })
}

fn checkpoint_tests_row(label: String, tests: &RecordedTests) -> CheckpointTestsRow {
    CheckpointTestsRow {
        label,
        counts: TestCounts::new(tests),
        infrastructure_failure: tests.infrastructure_failure,
        exit_code: tests.exit_code,
        collected: tests.collected,
        source: tests.source.clone(),
    }
}

/// All facts recorded beside the logs.
#[derive(Serialize)]
pub struct RecordedFacts {
    /// Facts on the run as a whole.
    pub run: Vec<RecordedMeasure>,
    pub by_checkpoint: Vec<RecordedCheckpointRow>,
}

#[derive(Serialize)]
pub struct RecordedCheckpointRow {
    pub label: String,
    /// The state in the harness's word: ran, skipped, error.
    pub state: Option<Box<str>>,
    pub values: Vec<RecordedMeasure>,
    #[serde(flatten)]
    pub measured: MeasuredParts,
    /// Null if no tests are recorded.
    pub tests: Option<Vec<RecordedTestRow>>,
    /// Null if no judge was asked.
    pub flags: Option<Vec<Flag>>,
    /// Null if the trees were not compared.
    pub changes: Option<Vec<EditRow>>,
}

#[derive(Serialize)]
pub struct RecordedTestRow {
    #[serde(flatten)]
    pub case: TestCase,
    /// The whole text of a failure. Null if it is not recorded.
    pub failure: Option<String>,
}

/// Collects the facts recorded beside the logs. None if there are none.
pub(crate) fn recorded_facts(run: &Run, archive: &Archive) -> Option<RecordedFacts> {
    let records = run.checkpoints.iter().flat_map(Checkpoint::recorded_states);
    let by_checkpoint: Vec<RecordedCheckpointRow> = records
        .map(|(label, _, record)| recorded_checkpoint_row(label, record, run, archive))
        .collect();
    let is_empty = by_checkpoint.is_empty() && run.recorded.is_empty();
    (!is_empty).then(|| RecordedFacts { run: run.recorded.clone(), by_checkpoint })
}

fn recorded_checkpoint_row(
    label: String,
    record: &CheckpointRecord,
    run: &Run,
    archive: &Archive,
) -> RecordedCheckpointRow {
    let edit = |file: &ChangedFile| super::show_json::edit_row(&file.edit);
    let test = |case: &TestCase| {
        let failure = case.failure.map(|place| archive.failure_text(run, place));
        RecordedTestRow { case: case.clone(), failure }
    };
    RecordedCheckpointRow {
        label,
        state: record.state.clone(),
        values: record.values.clone(),
        measured: record.measured.clone(),
        tests: record.tests.as_ref().map(|tests| tests.cases.iter().map(test).collect()),
        flags: record.flags.clone(),
        changes: record.changes.as_ref().map(|changes| changes.files.iter().map(edit).collect()),
    }
}

/// Prints a line a checkpoint with its tests; nothing if none has anything recorded.
pub(crate) fn print_checkpoints(
    run: &Run,
    is_markdown: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    let recorded: Vec<_> = run.checkpoints.iter().flat_map(Checkpoint::recorded_states).collect();
    if recorded.is_empty() {
        return Ok(());
    }
    let columns: [TableColumn<'_, (String, usize, &CheckpointRecord)>; 10] = [
        ("recorded", &|(label, ..)| label.clone()),
        ("state", &|(.., record)| cell_or_dash(record.state.as_ref())),
        (">core", &|(.., record)| group_cell(record, TestGroup::Core)),
        (">error", &|(.., record)| group_cell(record, TestGroup::Error)),
        (">functionality", &|(.., record)| group_cell(record, TestGroup::Functionality)),
        (">regression", &|(.., record)| group_cell(record, TestGroup::Regression)),
        (">strict", &|(.., record)| passed_cell(record, |tests| Some(tests.strict))),
        (">iso", &|(.., record)| passed_cell(record, |tests| Some(tests.iso))),
        (">flags", &|(.., record)| cell_or_dash(record.flags.as_ref().map(Vec::len))),
        ("", &|(.., record)| not_run_note(record).into()),
    ];
    out.print_line("")?;
    OutputTable::from_rows(&columns, &recorded).write_table(is_markdown, out)
}

fn group_cell(record: &CheckpointRecord, group: TestGroup) -> String {
    passed_cell(record, |tests| tests.group_counts(group))
}

fn passed_cell(
    record: &CheckpointRecord,
    passed_of: impl Fn(&RecordedTests) -> Option<PassCount>,
) -> String {
    let passed = record.tests.as_ref().and_then(passed_of);
    cell_or_dash(passed.map(|PassCount { passed, total }| format!("{passed}/{total}")))
}

fn not_run_note(record: &CheckpointRecord) -> &'static str {
    let is_broken = record.tests.as_ref().is_some_and(|tests| tests.infrastructure_failure);
    if is_broken { "cannot run the tests" } else { "" }
}
