//! What a harness recorded of the checkpoints, as JSON and as a table: never mixed with what we compute.

use serde::Serialize;

use crate::{
    run::{
        Checkpoint, CheckpointRecord, Run,
        recorded::{
            self, Callable, Flag, MeasuredFile, Passed, Recorded, RuleHit, TestCase, TestGroup,
            Value,
        },
    },
    store::Archive,
};

use super::{
    json::EditRow,
    output::{Out, Table},
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
    /// Null where the group is not recorded.
    pub core: Option<PassedRow>,
    pub error: Option<PassedRow>,
    pub functionality: Option<PassedRow>,
    pub regression: Option<PassedRow>,
    /// All tests, those of earlier checkpoints included.
    pub strict: PassedRow,
    /// All but those of earlier checkpoints.
    pub iso: PassedRow,
    pub infrastructure_failure: bool,
    pub exit_code: Option<i64>,
    pub collected: Option<u64>,
    pub source: String,
}

#[derive(Serialize, Clone, Copy)]
pub struct PassedRow {
    pub passed: u64,
    pub total: u64,
}

impl From<Passed> for PassedRow {
    fn from(Passed { passed, total }: Passed) -> Self {
        Self { passed, total }
    }
}

/// Null where no checkpoint has recorded tests.
pub fn tests(run: &Run) -> Option<TestsRow> {
    let by_checkpoint: Vec<CheckpointTests> = run
        .checkpoints
        .iter()
        .flat_map(Checkpoint::records)
        .filter_map(|(label, _, record)| Some(tests_row(label, record.tests.as_ref()?)))
        .collect();
    (!by_checkpoint.is_empty()).then_some(TestsRow { by_checkpoint })
}

fn tests_row(label: String, tests: &recorded::Tests) -> CheckpointTests {
    let group = |group| tests.group(group).map(PassedRow::from);
    CheckpointTests {
        label,
        core: group(TestGroup::Core),
        error: group(TestGroup::Error),
        functionality: group(TestGroup::Functionality),
        regression: group(TestGroup::Regression),
        strict: tests.strict.into(),
        iso: tests.iso.into(),
        infrastructure_failure: tests.infrastructure_failure,
        exit_code: tests.exit_code,
        collected: tests.collected,
        source: tests.source.to_string(),
    }
}

/// Everything recorded beside the logs.
#[derive(Serialize)]
pub struct RecordedRow {
    /// Of the run as a whole.
    pub run: Vec<ValueRow>,
    pub by_checkpoint: Vec<CheckpointRow>,
}

#[derive(Serialize)]
pub struct CheckpointRow {
    pub label: String,
    /// In the harness' word: ran, skipped, error.
    pub state: Option<String>,
    pub values: Vec<ValueRow>,
    /// By file, as measured then; null where it is not recorded.
    pub files: Option<Vec<FileRow>>,
    pub callables: Option<Vec<CallableRow>>,
    pub hits: Option<Vec<HitRow>>,
    /// Null where no tests are recorded.
    pub tests: Option<Vec<TestRow>>,
    /// Null where no judge was asked.
    pub flags: Option<Vec<FlagRow>>,
    /// Null where the trees were not compared.
    pub changes: Option<Vec<EditRow>>,
}

#[derive(Serialize)]
pub struct ValueRow {
    pub source: String,
    pub name: String,
    /// A number, a word or a flag.
    pub value: serde_json::Value,
    /// Our metric that measures the same; null where there is none.
    pub metric: Option<&'static str>,
    /// Why the number is not to be relied on; null where nothing speaks against it.
    pub doubt: Option<&'static str>,
}

#[derive(Serialize)]
pub struct FileRow {
    pub path: String,
    pub values: Vec<ValueRow>,
}

#[derive(Serialize)]
pub struct CallableRow {
    pub path: String,
    pub name: String,
    /// Of a method.
    pub class: Option<String>,
    pub start: u64,
    pub end: u64,
    pub cc: Option<u64>,
    pub sloc: Option<u64>,
}

#[derive(Serialize)]
pub struct HitRow {
    pub rule: String,
    pub category: Option<String>,
    pub path: String,
    pub start: u64,
    pub end: u64,
}

#[derive(Serialize)]
pub struct TestRow {
    pub name: String,
    pub checkpoint: String,
    pub group: Option<&'static str>,
    pub outcome: &'static str,
    pub seconds: Option<f64>,
    pub reason: Option<String>,
    /// The whole text of a failure; null where it is not recorded.
    pub failure: Option<String>,
}

#[derive(Serialize)]
pub struct FlagRow {
    pub criterion: String,
    pub category: Option<String>,
    pub kind: Option<String>,
    pub path: String,
    pub start: Option<u64>,
    pub end: Option<u64>,
    pub confidence: Option<f64>,
    pub explanation: Option<String>,
    pub carried_from: Option<String>,
}

/// Null where a run has nothing recorded beside its logs.
pub fn recorded(run: &Run, archive: &Archive) -> Option<RecordedRow> {
    let by_checkpoint: Vec<CheckpointRow> = run
        .checkpoints
        .iter()
        .flat_map(Checkpoint::records)
        .map(|(label, _, record)| checkpoint_row(label, record, run, archive))
        .collect();
    let is_empty = by_checkpoint.is_empty() && run.recorded.is_empty();
    let of_run = || run.recorded.iter().map(value_row).collect();
    (!is_empty).then(|| RecordedRow { run: of_run(), by_checkpoint })
}

fn checkpoint_row(
    label: String,
    record: &CheckpointRecord,
    run: &Run,
    archive: &Archive,
) -> CheckpointRow {
    let edit = |file: &recorded::ChangedFile| super::json::edit_row(&file.edit);
    CheckpointRow {
        label,
        state: record.state.as_ref().map(ToString::to_string),
        values: record.values.iter().map(value_row).collect(),
        files: record.measured.files.as_ref().map(|files| files.iter().map(file_row).collect()),
        callables: record
            .measured
            .callables
            .as_ref()
            .map(|all| all.iter().map(callable_row).collect()),
        hits: record.measured.hits.as_ref().map(|hits| hits.iter().map(hit_row).collect()),
        tests: record
            .tests
            .as_ref()
            .map(|tests| tests.cases.iter().map(|case| test_row(case, run, archive)).collect()),
        flags: record.flags.as_ref().map(|flags| flags.iter().map(flag_row).collect()),
        changes: record.changes.as_ref().map(|changes| changes.files.iter().map(edit).collect()),
    }
}

fn value_row(recorded: &Recorded) -> ValueRow {
    ValueRow {
        source: recorded.source.to_string(),
        name: recorded.name.to_string(),
        value: match &recorded.value {
            // A count is written as one.
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                (*number as i64).into()
            }
            Value::Number(number) => (*number).into(),
            Value::Text(text) => text.to_string().into(),
            Value::Flag(flag) => (*flag).into(),
        },
        metric: recorded.metric,
        doubt: recorded.doubt,
    }
}

fn file_row(file: &MeasuredFile) -> FileRow {
    FileRow { path: file.path.to_string(), values: file.values.iter().map(value_row).collect() }
}

fn callable_row(callable: &Callable) -> CallableRow {
    CallableRow {
        path: callable.path.to_string(),
        name: callable.name.to_string(),
        class: callable.class.as_ref().map(ToString::to_string),
        start: callable.start,
        end: callable.end,
        cc: callable.cc,
        sloc: callable.sloc,
    }
}

fn hit_row(hit: &RuleHit) -> HitRow {
    HitRow {
        rule: hit.rule.to_string(),
        category: hit.category.as_ref().map(ToString::to_string),
        path: hit.path.to_string(),
        start: hit.start,
        end: hit.end,
    }
}

fn test_row(case: &TestCase, run: &Run, archive: &Archive) -> TestRow {
    TestRow {
        name: case.name.to_string(),
        checkpoint: case.checkpoint.to_string(),
        group: case.group.map(TestGroup::word),
        outcome: case.outcome.word(),
        seconds: case.seconds,
        reason: case.reason.as_ref().map(ToString::to_string),
        failure: case.failure.map(|place| archive.failure(run, place)),
    }
}

fn flag_row(flag: &Flag) -> FlagRow {
    let text = |text: &Option<Box<str>>| text.as_ref().map(ToString::to_string);
    FlagRow {
        criterion: flag.criterion.to_string(),
        category: text(&flag.category),
        kind: text(&flag.kind),
        path: flag.path.to_string(),
        start: flag.start,
        end: flag.end,
        confidence: flag.confidence,
        explanation: text(&flag.explanation),
        carried_from: text(&flag.carried_from),
    }
}

/// A line a checkpoint with its tests; nothing where none has anything recorded.
pub fn print(run: &Run, is_markdown: bool, out: &mut Out) -> std::io::Result<()> {
    let mut recorded = run.checkpoints.iter().flat_map(Checkpoint::records).peekable();
    if recorded.peek().is_none() {
        return Ok(());
    }
    let heads = [
        "recorded",
        "state",
        ">core",
        ">error",
        ">functionality",
        ">regression",
        ">strict",
        ">iso",
        ">flags",
        "",
    ];
    let mut table = Table::new(&heads);
    for (label, _, record) in recorded {
        table.row(row_of(label, record));
    }
    out.line("")?;
    if is_markdown { table.markdown(out) } else { table.print(out) }
}

fn row_of(label: String, record: &CheckpointRecord) -> Vec<String> {
    let tests = record.tests.as_ref();
    let share = |passed: Option<Passed>| {
        passed.map_or_else(|| "-".into(), |Passed { passed, total }| format!("{passed}/{total}"))
    };
    let group = |group| share(tests.and_then(|tests| tests.group(group)));
    let infrastructure = tests.is_some_and(|tests| tests.infrastructure_failure);
    vec![
        label,
        record.state.as_deref().unwrap_or("-").into(),
        group(TestGroup::Core),
        group(TestGroup::Error),
        group(TestGroup::Functionality),
        group(TestGroup::Regression),
        share(tests.map(|tests| tests.strict)),
        share(tests.map(|tests| tests.iso)),
        record.flags.as_ref().map_or_else(|| "-".into(), |flags| flags.len().to_string()),
        if infrastructure { "the tests could not be run".into() } else { String::new() },
    ]
}
