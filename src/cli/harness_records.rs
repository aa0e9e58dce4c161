//! The facts that a harness recorded of the checkpoints, as JSON and as a table: never mixed with computed values.

use trajview_run::{
    Checkpoint, CheckpointRecord, Run,
    checkpoint_record::{ChangedFile, PassCount, RecordedTests, TestCase, TestGroup},
};
use trajview_store::Archive;

use super::{
    output::{Json, Out, OutputTable, TableColumn, cell_or_dash, record},
    show_json::edit_row,
};

/// Makes the fields with the numbers of passed tests and of all tests, by group; null if the group is not recorded.
pub(crate) fn test_counts(tests: &RecordedTests) -> Json {
    record! {
        core: tests.group_counts(TestGroup::Core),
        error: tests.group_counts(TestGroup::Error),
        functionality: tests.group_counts(TestGroup::Functionality),
        regression: tests.group_counts(TestGroup::Regression),
        // All tests, those of earlier checkpoints included.
        strict: tests.strict,
        // All but those of earlier checkpoints.
        iso: tests.iso,
    }
}

/// Makes a row of tests for each checkpoint, in order; those without recorded tests have none. None if no checkpoint has any.
pub fn recorded_tests(run: &Run) -> Option<Json> {
    let records = run.checkpoints.iter().flat_map(Checkpoint::recorded_states);
    let rows = records.filter_map(|(label, _, record)| {
        let tests = record.tests.as_ref()?;
        Some(record! {
            // The checkpoint's id; with `/after_skill` for the state that a second pass left.
            label: label,
            ..test_counts(tests),
            infrastructure_failure: tests.infrastructure_failure,
            exit_code: tests.exit_code,
            collected: tests.collected,
            source: tests.source,
        })
    });
    let by_checkpoint: Vec<Json> = rows.collect();
    (!by_checkpoint.is_empty()).then(|| record! { by_checkpoint: by_checkpoint })
}

/// Makes the record of all facts recorded beside the logs: of the run as a whole, and of each checkpoint. None if there are
/// none.
pub(crate) fn recorded_facts(run: &Run, archive: &Archive) -> Option<Json> {
    let records = run.checkpoints.iter().flat_map(Checkpoint::recorded_states);
    let by_checkpoint: Vec<Json> = records
        .map(|(label, _, record)| recorded_checkpoint_row(&label, record, run, archive))
        .collect();
    let is_empty = by_checkpoint.is_empty() && run.recorded.is_empty();
    (!is_empty).then(|| record! { run: run.recorded, by_checkpoint: by_checkpoint })
}

fn recorded_checkpoint_row(
    label: &str,
    record: &CheckpointRecord,
    run: &Run,
    archive: &Archive,
) -> Json {
    let test = |case: &TestCase| {
        // The whole text of a failure. Null if it is not recorded.
        let failure = case.failure.map(|place| archive.failure_text(run, place));
        record! { ..case, failure: failure }
    };
    let edit = |file: &ChangedFile| Json::new(&edit_row(&file.edit));
    record! {
        label: label,
        // The state in the harness's word: ran, skipped, error.
        state: record.state,
        values: record.values,
        ..record.measured,
        // Null if no tests are recorded.
        tests: record.tests.as_ref().map(|tests| Json::list(&tests.cases, test)),
        // Null if no judge was asked.
        flags: record.flags,
        // Null if the trees were not compared.
        changes: record.changes.as_ref().map(|changes| Json::list(&changes.files, edit)),
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
