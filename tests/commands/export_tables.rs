//! `trajview export` with tables, `trajview merge` and `--shard`: what stands in a table is what the commands print, shards come
//! to the same as one, and nothing that is there is written again.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde_json::Value;
use tempfile::TempDir;
use trajview::store::dataset::{
    DataCell, DataRow, DataTable, PartName, TableFormat, read_rows, table_columns,
};

use crate::common::{
    cli_text,
    judge_desk::{Desk, run_command},
    judge_server::{Server, able_reply},
    project_path, run_cli,
};

/// Few runs that have everything: commits, checkpoints, verdicts, flags, sub-agents, a rubric tree, logs alone.
const RUNS: [&str; 6] = [
    "sample-runs/codex-p12",
    "sample-runs/codex-p12-single-shot",
    "sample-runs/claude-code",
    "sample-runs/slopcodebench",
    "sample-runs/paperbench",
    "sample-runs/logs",
];

const FORMS: &[TableFormat] = if cfg!(feature = "parquet") {
    &[TableFormat::Parquet, TableFormat::Csv, TableFormat::Jsonl]
} else {
    &[TableFormat::Csv, TableFormat::Jsonl]
};

/// Exports in every form into one folder.
fn export_folder(paths: &[&str], folder: &Path, more: &[&str]) -> String {
    let folder = folder.to_str().unwrap();
    let forms: Vec<String> = FORMS.iter().map(|form| format!("--{}", form.word())).collect();
    let mut arguments = vec!["export"];
    arguments.extend(paths);
    forms.iter().for_each(|form| arguments.extend([form.as_str(), folder]));
    arguments.extend(more);
    cli_text(&arguments)
}

fn exported_folder(paths: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    export_folder(paths, folder.path(), &[]);
    folder
}

fn part_path(folder: &Path, table: DataTable, form: TableFormat) -> PathBuf {
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        PartName::parse(name)
            .is_some_and(|it| it.content == table.word() && it.extension == form.word())
    };
    let mut parts = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    parts.find(is_it).unwrap_or_else(|| panic!("no part of {table:?} in {form:?}"))
}

fn folder_rows(folder: &Path, table: DataTable, form: TableFormat) -> Vec<DataRow> {
    let read = read_rows(form, table, &part_path(folder, table, form)).unwrap();
    read.map(Result::unwrap).collect()
}

/// The rows of one run, by the names of columns, as the first form has them.
fn of_run(folder: &Path, table: DataTable, path: &str) -> Vec<BTreeMap<&'static str, DataCell>> {
    let named = folder_rows(folder, table, FORMS[0]).into_iter().map(|row| {
        table_columns(table).iter().map(|column| column.name).zip(row).collect::<BTreeMap<_, _>>()
    });
    named.filter(|row| row["source_uri"] == DataCell::Text(path.into())).collect()
}

/// What a command prints as JSON. A float stays the digits that are printed, behind a mark: read by serde_json it may be
/// another in its last digit.
fn command_json(arguments: &[&str]) -> Value {
    let text = cli_text(arguments);
    let marked = text.lines().map(|line| {
        let (key, value) = line.split_once("\": ").map_or(("", line), |(key, value)| (key, value));
        let number = value.trim().trim_end_matches(',');
        match number.parse::<f64>().is_ok() && number.contains(['.', 'e']) {
            false => line.to_owned(),
            true => {
                let value = value.replace(number, &format!("\"{FLOAT}{number}\""));
                if key.is_empty() { value } else { format!("{key}\": {value}") }
            }
        }
    });
    serde_json::from_str(&marked.collect::<Vec<_>>().join("\n")).unwrap()
}

const FLOAT: &str = "a float: ";

/// A value that a command printed, as the cell that it is to be.
fn printed_cell(value: &Value) -> DataCell {
    match value {
        Value::Null => DataCell::Missing,
        Value::Bool(is_so) => DataCell::Bool(*is_so),
        Value::String(words) => match words.strip_prefix(FLOAT) {
            Some(digits) => DataCell::Real(digits.parse().unwrap()),
            None => DataCell::Text(words.clone()),
        },
        Value::Number(number) => DataCell::Integer(number.as_i64().unwrap()),
        other => DataCell::Text(other.to_string()),
    }
}

/// A column of numbers has `1.0` where JSON may have `1`.
fn is_same(cell: &DataCell, value: &Value) -> bool {
    match (cell, printed_cell(value)) {
        (DataCell::Real(number), DataCell::Integer(whole)) => *number == whole as f64,
        (cell, printed) => *cell == printed,
    }
}

fn assert_same(row: &BTreeMap<&'static str, DataCell>, document: &Value, pairs: &[(&str, &str)]) {
    for (column, pointer) in pairs {
        let value = document.pointer(pointer).unwrap_or(&Value::Null);
        assert!(is_same(&row[column], value), "{column}: {:?}, {pointer}: {value}", row[column]);
    }
}

fn folder_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap())
    };
    entries.map(named).collect()
}

#[test]
fn runs_turns_and_signals_are_those_that_show_prints() {
    let folder = exported_folder(&RUNS);
    for run in
        ["sample-runs/codex-p12", "sample-runs/slopcodebench/tally", "sample-runs/logs/pi.jsonl"]
    {
        let shown = command_json(&["show", run, "--process", "--json"]);

        let [row] = of_run(folder.path(), DataTable::Runs, run).try_into().unwrap();
        assert_same(
            &row,
            &shown,
            &[
                ("transcript_id", "/run/id"),
                ("source_type", "/run/format"),
                ("date", "/run/started_at"),
                ("ended_at", "/run/ended_at"),
                ("task_id", "/run/task/id"),
                ("task_title", "/run/task/title"),
                ("agent", "/run/agent"),
                ("agent_version", "/run/agent_version"),
                ("model", "/run/model"),
                ("condition", "/run/condition"),
                ("harness", "/run/harness"),
                ("files_from", "/run/files_from"),
                ("title", "/run/title"),
                ("total_time", "/totals/duration_s"),
                ("turns", "/totals/turns"),
                ("steps", "/totals/steps"),
                ("tool_calls", "/totals/tool_calls"),
                ("errors", "/totals/errors"),
                ("input_tokens", "/totals/tokens/input"),
                ("cached_input_tokens", "/totals/tokens/cached_input"),
                ("output_tokens", "/totals/tokens/output"),
                ("reasoning_tokens", "/totals/tokens/reasoning"),
                ("cost_usd", "/totals/cost_usd"),
                ("cost_computed_usd", "/totals/cost_computed_usd"),
                ("lines_added", "/totals/added"),
                ("lines_removed", "/totals/removed"),
                ("mcf", "/faithfulness/mcf"),
                ("judged", "/faithfulness/judged"),
                ("judge", "/faithfulness/judge"),
                ("judgement", "/faithfulness/judgement"),
                ("rigor_score", "/process/rigor_score"),
                ("pillar_pf", "/process/pillars/pf"),
                ("pillar_tad", "/process/pillars/tad"),
                ("signals", "/process/signals"),
                ("read_error", "/nothing"),
            ],
        );
        assert_eq!(
            row["warnings"],
            DataCell::Integer(shown["warnings"].as_array().unwrap().len() as i64)
        );

        let turns = of_run(folder.path(), DataTable::Turns, run);
        let printed = shown["turns"].as_array().unwrap();
        assert_eq!(turns.len(), printed.len());
        for (row, turn) in turns.iter().zip(printed) {
            assert_same(
                row,
                turn,
                &[
                    ("turn", "/turn"),
                    ("checkpoint", "/checkpoint"),
                    ("started_at", "/started_at"),
                    ("counts", "/counts"),
                    ("steps", "/steps"),
                    ("tool_calls", "/tool_calls"),
                    ("errors", "/errors"),
                    ("input_tokens", "/tokens/input"),
                    ("output_tokens", "/tokens/output"),
                    ("cost_computed_usd", "/cost_computed_usd"),
                    ("context_tokens", "/context_tokens"),
                    ("commit", "/commit"),
                    ("state", "/state"),
                    ("denied", "/denied"),
                ],
            );
        }
        let signals = of_run(folder.path(), DataTable::Signals, run);
        let printed = shown["signals"].as_array().unwrap();
        assert_eq!(signals.len(), printed.len());
        for (row, signal) in signals.iter().zip(printed) {
            assert_same(row, signal, &[("kind", "/kind"), ("why", "/why"), ("path", "/path")]);
            let (DataCell::Integer(turn), DataCell::Integer(step)) = (&row["turn"], &row["step"])
            else {
                panic!("{row:?}")
            };
            assert_eq!(signal["step"], format!("{turn}.{step}"));
        }
    }
    let tree = command_json(&["show", "sample-runs/paperbench/grader_output.json", "--json"]);
    let [row] = of_run(folder.path(), DataTable::Runs, "sample-runs/paperbench/grader_output.json")
        .try_into()
        .unwrap();
    assert_same(&row, &tree, &[("rubric_score", "/rubric_tree/score"), ("steps", "/totals/steps")]);
    let score = tree["rubric_tree"]["score"].as_str().unwrap().trim_start_matches(FLOAT);
    assert_eq!(row["score"], DataCell::Text(score.into()));
}

/// The steps of a turn in the order of their numbers, each with the sub-agent whose it is.
fn flat_rows<'v>(
    steps: &'v Value,
    agent: Option<&'v Value>,
    into: &mut Vec<(&'v Value, Option<&'v Value>)>,
) {
    for step in steps.as_array().into_iter().flatten() {
        into.push((step, agent));
        flat_rows(&step["subagent"]["steps"], step.pointer("/subagent/id"), into);
    }
}

#[test]
fn steps_texts_and_edits_are_those_that_show_prints_of_a_turn() {
    let folder = exported_folder(&RUNS);
    for (run, turn) in [
        ("sample-runs/codex-p12", 36),
        ("sample-runs/claude-code/054395ac-4290-4fcf-ab21-925712a16d08.jsonl", 5),
        ("sample-runs/logs/opencode.export.json", 1),
    ] {
        let shown = command_json(&["show", run, "--turn", &turn.to_string(), "--json"]);
        let mut printed = vec![];
        flat_rows(&shown["steps"], None, &mut printed);
        let here = |table: DataTable| -> Vec<BTreeMap<&'static str, DataCell>> {
            let all = of_run(folder.path(), table, run).into_iter();
            all.filter(|row| row["turn"] == DataCell::Integer(turn)).collect()
        };

        let steps = here(DataTable::Steps);
        assert_eq!(steps.len(), printed.len(), "{run}");
        for (row, (step, agent)) in steps.iter().zip(&printed) {
            assert_same(
                row,
                step,
                &[
                    ("step", "/step"),
                    ("kind", "/kind"),
                    ("role", "/role"),
                    ("label", "/label"),
                    ("tool", "/tool/name"),
                    ("call_id", "/tool/call_id"),
                    ("started_at", "/started_at"),
                    ("since_turn_s", "/since_turn_s"),
                    ("took_s", "/took_s"),
                    ("waited_s", "/waited_s"),
                    ("model_call", "/model_call"),
                    ("input_tokens", "/tokens/input"),
                    ("cost_computed_usd", "/cost_computed_usd"),
                    ("is_error", "/is_error"),
                    ("outcome", "/result/outcome"),
                    ("exit_code", "/result/exit_code"),
                    ("result_bytes", "/result/bytes"),
                    ("file", "/where/file"),
                    ("line", "/where/line"),
                ],
            );
            assert!(is_same(&row["agent_id"], agent.unwrap_or(&Value::Null)));
        }

        let texts = here(DataTable::Texts);
        let text = |step: &Value, part: &str| {
            let is_it = |row: &&BTreeMap<_, DataCell>| {
                is_same(&row["step"], step) && row["part"] == DataCell::Text(part.into())
            };
            texts.iter().find(is_it).map_or(DataCell::Missing, |row| row["text"].clone())
        };
        assert!(is_same(&text(&Value::Null, "request"), &shown["request"]));
        for (step, _) in &printed {
            let number = &step["step"];
            let words = step["text"].as_str().filter(|words| !words.is_empty());
            assert_eq!(
                text(number, "text"),
                words.map_or(DataCell::Missing, |it| DataCell::Text(it.into()))
            );
            let null = Value::Null;
            let arguments = step.pointer("/tool/arguments").unwrap_or(&null);
            assert!(is_same(&text(number, "arguments"), arguments));
            assert!(is_same(
                &text(number, "result"),
                step.pointer("/result/text").unwrap_or(&null)
            ));
        }

        let edits = here(DataTable::Edits);
        let of = |scope: &str| -> Vec<&BTreeMap<&'static str, DataCell>> {
            edits.iter().filter(|row| row["scope"] == DataCell::Text(scope.into())).collect()
        };
        let of_turn: Vec<&Value> = shown["edits"].as_array().unwrap().iter().collect();
        let of_steps: Vec<&Value> =
            printed.iter().flat_map(|(step, _)| step["edits"].as_array().unwrap()).collect();
        for (rows, printed) in [(of("turn"), of_turn), (of("step"), of_steps)] {
            assert_eq!(rows.len(), printed.len(), "{run}");
            for (row, edit) in rows.iter().zip(printed) {
                let pairs = [
                    ("path", "/path"),
                    ("kind", "/kind"),
                    ("from_path", "/from"),
                    ("lines_added", "/added"),
                    ("lines_removed", "/removed"),
                    ("origin", "/origin"),
                ];
                assert_same(row, edit, &pairs);
            }
        }
    }
}

#[test]
fn points_verdicts_and_flags_are_those_that_are_printed_and_kept_beside_the_run() {
    let folder = tempfile::tempdir().unwrap();
    export_folder(&RUNS, folder.path(), &["--each", "checkpoint"]);
    for run in ["sample-runs/codex-p12", "sample-runs/slopcodebench/tally"] {
        let scored = command_json(&["score", run, "--each", "checkpoint", "--json"]);
        let points = of_run(folder.path(), DataTable::Points, run);
        let printed = scored["points"].as_array().unwrap();
        assert_eq!(points.len(), printed.len());
        for (row, point) in points.iter().zip(printed) {
            for name in
                ["label", "turn", "commit", "churn", "files", "loc", "erosion", "verbosity", "gini"]
            {
                assert!(
                    is_same(&row[name], &point[name]),
                    "{name}: {:?} {}",
                    row[name],
                    point[name]
                );
            }
        }
        let last = points.last().unwrap();
        assert_same(
            last,
            &scored["faithfulness"],
            &[("mcf", "/mcf"), ("dir", "/dir"), ("if50", "/if50")],
        );
    }

    let run = "sample-runs/codex-p12";
    let mut kept = 0;
    for entry in fs::read_dir(project_path(run).join("judgements")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let judgement: Value = serde_json::from_str(&text).unwrap();
        kept += judgement["scores"].as_array().map_or(0, Vec::len);
    }
    let verdicts = of_run(folder.path(), DataTable::Verdicts, run);
    assert!(kept > 0);
    assert_eq!(verdicts.len(), kept);
    assert!(verdicts.iter().all(|row| matches!(row["score"], DataCell::Real(_))), "{verdicts:?}");

    let shown = command_json(&["show", "sample-runs/slopcodebench/tally", "--json"]);
    let printed: Vec<&Value> = shown["recorded"]["by_checkpoint"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|checkpoint| checkpoint["flags"].as_array().into_iter().flatten())
        .collect();
    let flags = of_run(folder.path(), DataTable::Flags, "sample-runs/slopcodebench/tally");
    assert!(!printed.is_empty());
    assert_eq!(flags.len(), printed.len());
    for (row, flag) in flags.iter().zip(printed) {
        let pairs =
            [("criterion", "/criterion"), ("path", "/path"), ("explanation", "/explanation")];
        assert_same(row, flag, &pairs);
    }
}

#[test]
fn every_form_has_the_same_rows() {
    let folder = exported_folder(&["sample-runs"]);
    for table in DataTable::ALL {
        let first = folder_rows(folder.path(), table, FORMS[0]);
        for form in &FORMS[1..] {
            assert_eq!(folder_rows(folder.path(), table, *form), first, "{table:?} {form:?}");
        }
    }
    assert_eq!(folder_rows(folder.path(), DataTable::Runs, FORMS[0]).len(), 62);
}

#[test]
fn the_shards_together_are_one_export_byte_for_byte() {
    let (whole, shards) = (exported_folder(&["sample-runs"]), tempfile::tempdir().unwrap());
    for shard in ["1/4", "2/4", "3/4", "4/4"] {
        let said = export_folder(&["sample-runs"], shards.path(), &["--shard", shard]);
        assert!(said.contains(&format!("shard {shard}: ")), "{said}");
    }
    assert_eq!(folder_files(shards.path()).len(), 4 * DataTable::COUNT * FORMS.len());
    let merged = tempfile::tempdir().unwrap();
    let (from, to) = (shards.path().to_str().unwrap(), merged.path().to_str().unwrap());

    let said = cli_text(&["merge", from, "--out", to]);

    assert!(said.contains(": 4 parts\n"), "{said}");
    assert!(folder_files(merged.path()) == folder_files(whole.path()));
    assert!(cli_text(&["merge", from, "--out", to]).contains(": 4 parts (already exists)\n"));
}

#[test]
fn a_shard_that_is_missing_or_of_another_division_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (parts, out) = (folder.path().join("parts"), folder.path().join("out"));
    let (parts, out) = (parts.to_str().unwrap(), out.to_str().unwrap());
    let logs = "sample-runs/logs";
    cli_text(&["export", logs, "--csv", parts, "--tables", "runs", "--shard", "1/2"]);

    let missing = run_cli(&["merge", parts, "--out", out]);
    let beside = run_cli(&["export", logs, "--csv", parts, "--tables", "runs", "--shard", "1/3"]);
    let nothing = run_cli(&["merge", "sample-runs/logs", "--out", out]);

    assert_eq!((missing.code, beside.code, nothing.code), (Some(4), Some(2), Some(4)));
    assert_eq!(missing.err, "trajview: runs: no part of shard 2 of 2\n");
    assert!(
        beside.err.contains("of other runs or another division; --overwrite"),
        "{}",
        beside.err
    );
    assert!(nothing.err.contains("no parts of tables"), "{}", nothing.err);
    assert_eq!(fs::read_dir(parts).unwrap().count(), 1);
}

#[test]
fn no_shard_is_done_where_what_was_named_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (parts, empty, gone) = (place("parts"), place("empty"), place("gone"));
    fs::create_dir(&empty).unwrap();
    let done = |path: &str, shard: &str| {
        let words = ["export", "sample-runs/logs", path, "--csv", &parts, "--shard", shard];
        let ran = run_cli(&words);
        (ran.code, ran.err)
    };

    for shard in ["1/2", "2/2"] {
        let (code, why) = done(&gone, shard);
        assert_eq!(code, Some(3), "{why}");
        assert_eq!(why, format!("trajview: cannot read {gone}: no such file or folder\n"));
        let (code, why) = done(&empty, shard);
        assert!(matches!(code, Some(3 | 4)), "{why}");
        assert!(why.contains("no recording below this folder"), "{why}");
    }
    assert_eq!(fs::read_dir(&parts).unwrap().count(), 0);
    for shard in ["1/2", "2/2"] {
        let inside = done("sample-runs/logs/inspect.eval", shard);
        assert_eq!(inside.0, Some(0), "{}", inside.1);
    }
}

#[test]
fn a_second_export_leaves_every_file_untouched() {
    let folder = exported_folder(&["sample-runs/logs"]);
    let times = || -> BTreeMap<PathBuf, SystemTime> {
        let entries = fs::read_dir(folder.path()).unwrap().map(Result::unwrap);
        entries.map(|it| (it.path(), it.metadata().unwrap().modified().unwrap())).collect()
    };
    let before = times();

    let said = export_folder(&["sample-runs/logs"], folder.path(), &[]);

    assert_eq!(said.matches(" (already exists)\n").count(), DataTable::COUNT * FORMS.len());
    assert_eq!(times(), before);
}

#[test]
fn tables_of_which_a_run_has_no_row_are_empty() {
    let folder = tempfile::tempdir().unwrap();
    export_folder(&["sample-runs/claude-code"], folder.path(), &["--tables", "labels"]);

    assert!(folder_rows(folder.path(), DataTable::Labels, TableFormat::Jsonl).is_empty());
}

#[test]
fn a_recording_that_cannot_be_read_is_a_row_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let damaged = "tests/bad-runs/bundle-not-json";

    let ran = run_cli(&["export", "tests/bad-runs", "--jsonl", out, "--csv", out]);

    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains(" not readable"), "{}", ran.out);
    let shown = run_cli(&["show", damaged]);
    assert!(ran.err.contains(&shown.err), "{}", ran.err);
    let runs = folder_rows(folder.path(), DataTable::Runs, TableFormat::Jsonl);
    let place =
        |name: &str| table_columns(DataTable::Runs).iter().position(|it| it.name == name).unwrap();
    let is_it = |row: &&DataRow| row[place("source_uri")] == DataCell::Text(damaged.into());
    let row = runs.iter().find(is_it).unwrap();
    let why = shown.err.trim_start_matches("trajview: ").trim_end();
    assert_eq!(row[place("read_error")], DataCell::Text(why.into()));
    assert_eq!(row[place("turns")], DataCell::Missing);
    assert_eq!(folder_rows(folder.path(), DataTable::Runs, TableFormat::Csv), runs);
}

#[test]
fn where_nothing_at_all_can_be_read_a_script_knows_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();

    let damaged = run_cli(&["export", "tests/bad-runs/bundle-not-json", "--csv", out]);
    let nowhere = run_cli(&["export", "no/such/place", "--csv", out, "--overwrite"]);

    assert_eq!((damaged.code, nowhere.code), (Some(4), Some(3)));
    assert!(nowhere.err.contains("no/such/place"), "{}", nowhere.err);
}

#[test]
fn shards_that_are_none_are_refused_with_a_sentence() {
    for shard in ["0/4", "5/4", "1/0", "x"] {
        for command in ["export", "score", "check"] {
            let ran = run_cli(&[command, "sample-runs/logs", "--shard", shard]);
            assert_eq!(ran.code, Some(2), "{command} {shard}");
            let why = "expected a shard of several, as 1/4: counts from 1, up to 4/4";
            assert!(ran.err.contains(why), "{}", ran.err);
        }
    }
}

#[test]
fn what_is_wanted_must_be_said_and_go_together() {
    let none = run_cli(&["export", "sample-runs/logs/pi.jsonl"]);
    let two =
        run_cli(&["export", "--atif", "sample-runs/logs/pi.jsonl", "sample-runs/logs/amp.json"]);
    let table = run_cli(&["export", "sample-runs", "--csv", "x", "--tables", "run"]);

    assert_eq!((none.code, two.code, table.code), (Some(2), Some(2), Some(2)));
    assert!(none.err.contains("--parquet DIR, --csv DIR or --jsonl DIR"), "{}", none.err);
    assert!(two.err.contains("need exactly one recording"), "{}", two.err);
    assert!(table.err.contains("possible values: runs, turns"), "{}", table.err);
}

#[test]
fn the_columns_that_are_printed_are_those_of_the_files() {
    let folder = exported_folder(&["sample-runs/logs/pi.jsonl"]);
    let described = command_json(&["export", "--columns", "--json"]);
    let page = cli_text(&["export", "--columns"]);

    assert_eq!(described["tables_schema"], "trajview.tables/1");
    for (table, told) in DataTable::ALL.into_iter().zip(described["tables"].as_array().unwrap()) {
        let names: Vec<&str> = told["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        let csv = fs::read_to_string(part_path(folder.path(), table, TableFormat::Csv)).unwrap();
        assert_eq!(csv.lines().next().unwrap().split(',').collect::<Vec<_>>(), names);
        assert!(page.contains(&format!("### {}\n", table.word())));
    }
}

#[test]
fn chosen_columns_are_written_in_their_order_and_shards_of_them_are_merged() {
    let (whole, parts, joined) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let logs = "sample-runs/logs";
    let columns = ["--columns", "task_id,source_uri,turn,turns.output_tokens", "--tables", "turns"];
    export_folder(&[logs], whole.path(), &columns);
    for shard in ["1/2", "2/2"] {
        export_folder(&[logs], parts.path(), &[&columns[..], &["--shard", shard]].concat());
    }
    cli_text(&["merge", parts.path().to_str().unwrap(), "--out", joined.path().to_str().unwrap()]);

    for form in FORMS {
        let path = part_path(whole.path(), DataTable::Turns, *form);
        let merged = part_path(joined.path(), DataTable::Turns, *form);
        assert_eq!(fs::read(&path).unwrap(), fs::read(merged).unwrap(), "{form:?}");
    }
    let csv = part_path(whole.path(), DataTable::Turns, TableFormat::Csv);
    let csv = fs::read_to_string(csv).unwrap();
    assert_eq!(csv.lines().next(), Some("task_id,source_uri,turn,output_tokens"));
    assert_eq!(fs::read_dir(whole.path()).unwrap().count(), FORMS.len());
}

#[test]
fn shards_of_other_columns_and_without_those_they_are_sorted_by_are_not_merged() {
    let merge = |columns: [&str; 2]| {
        let (parts, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (shard, columns) in ["1/2", "2/2"].iter().zip(columns) {
            let more = ["--columns", columns, "--tables", "turns", "--shard", shard];
            export_folder(&["sample-runs/logs"], parts.path(), &more);
        }
        let (parts, out) = (parts.path().to_str().unwrap(), out.path().to_str().unwrap());
        run_cli(&["merge", parts, "--out", out])
    };

    let other = merge(["task_id,source_uri,turn", "task_id,source_uri,steps"]);
    let without = merge(["task_id,turn", "task_id,turn"]);

    assert!(other.err.contains("export all shards with the same --columns"), "{}", other.err);
    assert!(
        without.err.contains("no column source_uri, by which parts are joined"),
        "{}",
        without.err
    );
}

#[test]
fn names_that_are_not_columns_are_errors_and_write_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("out");
    for (columns, expected) in [
        ("erosoin", "no column erosoin; did you mean erosion?"),
        ("turns.agent", "no column agent in the table turns; it is in runs"),
    ] {
        let ran = run_cli(&[
            "export",
            "sample-runs",
            "--csv",
            place.to_str().unwrap(),
            "--columns",
            columns,
        ]);
        assert_eq!(ran.code, Some(2), "{columns}");
        assert!(ran.err.contains(expected), "{}", ran.err);
    }
    assert!(!place.exists());

    let bare = run_cli(&["export", "sample-runs", "--csv", place.to_str().unwrap(), "--columns"]);
    assert!(bare.err.contains("--columns needs the names of columns"), "{}", bare.err);
    let some = cli_text(&["export", "--columns", "runs.agent,turns.turn"]);
    assert_eq!(some.matches("### ").count(), 2);
    assert_eq!(some.lines().filter(|line| line.starts_with("| `")).count(), 2);
}

/// Inspect Scout's names are taken from its own list of columns.
#[test]
fn columns_that_scout_has_are_called_as_scout_calls_them_and_have_its_types() {
    let scout = [
        ("transcript_id", "string"),
        ("source_type", "string"),
        ("source_uri", "string"),
        ("date", "string"),
        ("task_set", "string"),
        ("task_id", "string"),
        ("agent", "string"),
        ("model", "string"),
        ("score", "json"),
        ("success", "boolean"),
        ("message_count", "int64"),
        ("total_time", "double"),
        ("total_tokens", "int64"),
    ];
    let ours: Vec<(&str, &str)> = table_columns(DataTable::Runs)
        .iter()
        .map(|column| (column.name, column.kind.word()))
        .collect();

    assert_eq!(ours[..scout.len()], scout);
    // `error` means the same there.
    let reserved = ["limit", "messages", "events", "filename", "agent_args", "source_id"];
    assert!(ours.iter().all(|(name, _)| !reserved.contains(name)), "{ours:?}");
}

#[test]
fn the_message_count_is_that_of_the_messages_that_are_written() {
    let folder = exported_folder(&RUNS);
    for run in [
        "sample-runs/codex-p12",
        "sample-runs/logs/opencode.export.json",
        "sample-runs/logs/pi.jsonl",
    ] {
        let [row] = of_run(folder.path(), DataTable::Runs, run).try_into().unwrap();
        let messages = command_json(&["export", "--messages", run]);
        let count = messages["messages"].as_array().unwrap().len();
        assert_eq!(row["message_count"], DataCell::Integer(count as i64), "{run}");
    }
}

#[test]
fn documents_of_shards_are_merged_to_those_of_one_call() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (whole, parts, merged) = (place("whole"), place("parts"), place("merged"));
    for command in ["score", "check"] {
        let ran = run_cli(&[command, "sample-runs/logs", "--parts", &whole]);
        assert!(ran.out.contains(&format!("{command}-1of1-")), "{}{}", ran.out, ran.err);
        for shard in ["1/3", "2/3", "3/3"] {
            run_cli(&[command, "sample-runs/logs", "--parts", &parts, "--shard", shard]);
        }
    }

    cli_text(&["merge", &parts, "--out", &merged]);

    assert!(folder_files(Path::new(&merged)) == folder_files(Path::new(&whole)));
    let scored = folder_files(Path::new(&whole)).into_values().last().unwrap();
    let first: Value =
        serde_json::from_slice(scored.split(|it| *it == b'\n').next().unwrap()).unwrap();
    let path = first["source_uri"].as_str().unwrap();
    let scored: Value = serde_json::from_str(&cli_text(&["score", path, "--json"])).unwrap();
    assert_eq!(first["points"], scored["points"]);
    let (out, bad) = (place("bad"), "tests/bad-runs/bundle-not-json");
    let alone = run_cli(&["check", bad]);
    let as_part = run_cli(&["check", bad, "--parts", &out]); // or it would be started again and again
    assert_eq!((alone.code, as_part.code), (Some(4), Some(0)), "{}", as_part.err);
    assert_eq!(first["error"], Value::Null);
}

#[test]
fn a_shard_is_judged_once_however_often_it_is_asked_for() {
    let server = Server::new(able_reply);
    let desk = Desk::with_server(&server, "");
    let judge = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_trajview"));
        command.arg("judge").arg(desk.folder.path());
        command.args(["--judge", "stub", "--components", "C01,C02", "--shard", "1/1"]);
        desk.with_surroundings(&mut command);
        run_command(&mut command)
    };

    let first = judge();
    let asked = server.seen_requests().len();
    let names = desk.names();
    let before = desk.bytes(&names[0]);
    let second = judge();

    assert_eq!((first.code, second.code), (Some(0), Some(0)), "{}{}", first.err, second.err);
    assert!(first.err.contains("shard 1/1: 1 run, 0 skipped"), "{}", first.err);
    assert!(asked > 0);
    assert_eq!(server.seen_requests().len(), asked);
    assert_eq!((desk.names(), desk.bytes(&names[0])), (names, before));
}

#[cfg(feature = "sql")]
#[test]
fn sql_sees_what_the_tables_have() {
    let folder = exported_folder(&["sample-runs/logs"]);
    let query = "select source_uri, rigor_score, cost_computed_usd, read_error from runs order by source_uri";

    let asked = command_json(&["sql", query, "sample-runs/logs", "--json"]);

    assert_eq!(asked["schema"], "trajview.sql/1");
    let rows = asked["rows"].as_array().unwrap();
    assert_eq!(rows.len(), folder_rows(folder.path(), DataTable::Runs, FORMS[0]).len());
    for row in rows {
        let [of_table] =
            of_run(folder.path(), DataTable::Runs, row["source_uri"].as_str().unwrap())
                .try_into()
                .unwrap();
        let pairs = [("rigor_score", "/rigor_score"), ("cost_computed_usd", "/cost_computed_usd")];
        assert_same(&of_table, row, &pairs);
    }
    let csv = cli_text(&["sql", "select count(*) as runs from runs", "sample-runs/logs", "--csv"]);
    assert_eq!(csv, format!("runs\r\n{}\r\n", rows.len()));
    let wrong = run_cli(&["sql", "delete from runs", "sample-runs/logs/pi.jsonl"]);
    assert_eq!(wrong.code, Some(2));
    let joined = cli_text(&[
        "sql",
        "select r.agent, count(*) as steps from steps join runs r using (transcript_id, source_uri)",
        "sample-runs/logs/pi.jsonl",
    ]);
    assert!(joined.contains("steps"), "{joined}");
}

#[cfg(feature = "parquet")]
mod parquet_files {
    use std::fs::File;

    use parquet::{
        basic::Compression,
        file::reader::{FileReader, SerializedFileReader},
    };

    use super::*;

    #[test]
    fn say_what_their_columns_mean_and_are_compressed_with_zstd() {
        let folder = exported_folder(&["sample-runs/codex-p12"]);
        for table in DataTable::ALL {
            let file = File::open(part_path(folder.path(), table, TableFormat::Parquet)).unwrap();
            let reader = SerializedFileReader::new(file).unwrap();
            let metadata = reader.metadata().file_metadata();
            let pairs: BTreeMap<&str, &str> = metadata
                .key_value_metadata()
                .unwrap()
                .iter()
                .map(|pair| (pair.key.as_str(), pair.value.as_deref().unwrap_or_default()))
                .collect();

            assert_eq!(pairs["trajview.schema"], "trajview.tables/1");
            assert_eq!(pairs["trajview.table"], table.word());
            assert_eq!(pairs["trajview.version"], env!("CARGO_PKG_VERSION"));
            let described: Value = serde_json::from_str(pairs["trajview.columns"]).unwrap();
            let names = described["columns"].as_array().unwrap().iter().map(|it| &it["name"]);
            assert!(names.eq(table_columns(table).iter().map(|column| column.name)));
            let chunks = reader.metadata().row_groups().iter().flat_map(|group| group.columns());
            let is_zstd = |chunk: Compression| matches!(chunk, Compression::ZSTD(_));
            assert!(chunks.clone().all(|chunk| is_zstd(chunk.compression())));
        }
    }
}

#[cfg(feature = "sql")]
#[test]
fn sql_over_an_export_answers_as_over_the_recordings_whole_or_in_shards() {
    let (whole, parts) = (exported_folder(&RUNS), tempfile::tempdir().unwrap());
    for shard in ["1/3", "2/3", "3/3"] {
        export_folder(&RUNS, parts.path(), &["--shard", shard]);
    }
    let exports = [&whole, &parts].map(|folder| folder.path().to_str().unwrap());
    for query in [
        "select agent, count(*) as runs, sum(turns) as turns from runs group by agent order by agent",
        "select task_id, count(*), avg(steps), sum(lines_added) from turns group by task_id order by task_id",
        "select tool, count(*) from steps where is_error group by tool order by 2 desc, tool",
        "select r.agent, t.turn, t.steps from turns t join runs r on r.source_uri = t.source_uri \
         order by r.source_uri, t.turn",
        "select count(*) from texts, (select 1)",
    ] {
        let expected = cli_text(&[&["sql", query][..], &RUNS[..], &["--json"]].concat());
        for folder in exports {
            assert_eq!(cli_text(&["sql", query, folder, "--json"]), expected, "{query}");
        }
    }
    let both = run_cli(&["sql", "select 1", exports[0], RUNS[0]]);
    assert!(both.err.contains("name recordings or exports, not both"), "{}", both.err);
}

/// The settled frame of a small terminal.
fn screen_frame(arguments: &[&str]) -> String {
    cli_text(&[arguments, &["--snapshot", "150x18"]].concat())
}

#[test]
fn an_export_opens_as_the_table_of_runs_and_its_recordings_need_not_be_there() {
    let place = tempfile::tempdir().unwrap();
    for sample in ["codex-p12", "codex-p12-single-shot"] {
        copy_folder(
            &project_path("sample-runs").join(sample),
            &place.path().join("runs").join(sample),
        );
    }
    let (runs, tables) = (place.path().join("runs"), place.path().join("tables"));
    export_folder(&[runs.to_str().unwrap()], &tables, &["--redact", "off"]);
    let tables = tables.to_str().unwrap();

    let there = screen_frame(&[tables]);
    assert!(there.contains("2 runs") && there.contains("codex-p12-single-shot"), "{there}");
    fs::remove_dir_all(&runs).unwrap();
    let gone = screen_frame(&[tables]);
    assert!(gone.contains("2 runs") && gone.contains("codex-p12-single-shot"), "{gone}");
    let opened = screen_frame(&[tables, "--keys", "<enter>"]);
    assert!(opened.contains("no such file"), "{opened}");
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// Names that tools and people give to recordings, below folders of two people: nearly all of each looks like a secret.
const USUAL_NAMES: [&str; 19] = [
    "home/ann/.claude/projects/-home-ann-work/054395ac-4290-4fcf-ab21-925712a16d08.jsonl",
    "home/bob/.claude/projects/-home-bob-work/054395ac-4290-4fcf-ab21-925712a16d08.jsonl",
    "home/ann/run.jsonl",
    "home/bob/run.jsonl",
    "Users/ann/run.jsonl",
    "ann@example.org/run.jsonl",
    "bob@example.org/run.jsonl",
    "d41d8cd98f00b204e9800998ecf8427e.jsonl",
    "e3b0c44298fc1c149afbf4c8996fb924.jsonl",
    "d41d8cd98f00b204e9800998ecf8427ed41d8cd9/run.jsonl",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709/run.jsonl",
    "ses_4cA9xQ2mZk7RtY1vB8nLw3E6.jsonl",
    "ses_9pT3yH8bN5cV2xW7kJ4mQ6Zr.jsonl",
    "aB3dE6gH9jK2mN5pQ8sT1vW4.jsonl",
    "zX8cV5bN2mA9sD6fG3hJ1kL4.jsonl",
    "token=9f8e7d6c5b/run.jsonl",
    "token=1a2b3c4d5e/run.jsonl",
    "rollout-2026-11-21T23-22-18-01a2006a-f29d-7d63-a9a5-2723685d1219.jsonl",
    "rollout-2026-11-21T23-22-18-01a2006a-f29d-7d63-a9a5-2723685d1220.jsonl",
];

/// A folder with the same recording under each of the names, so that nothing but the name tells two apart.
fn runs_of_usual_names() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let recording = fs::read(project_path("sample-runs/logs/pi.jsonl")).unwrap();
    for name in USUAL_NAMES {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &recording).unwrap();
    }
    folder
}

fn texts_of(folder: &Path, table: DataTable, column: &str) -> Vec<String> {
    let at = table_columns(table).iter().position(|it| it.name == column).unwrap();
    let rows = folder_rows(folder, table, FORMS[0]);
    rows.iter().filter_map(|row| row[at].as_text().map(str::to_owned)).collect()
}

#[test]
fn runs_of_usual_names_stay_apart_in_a_redacted_export_and_have_the_same_tokens_in_every_table() {
    let (runs, tables) = (runs_of_usual_names(), tempfile::tempdir().unwrap());

    export_folder(&[runs.path().to_str().unwrap()], tables.path(), &[]);

    let of_runs: std::collections::BTreeSet<_> =
        texts_of(tables.path(), DataTable::Runs, "source_uri").into_iter().collect();
    assert_eq!(of_runs.len(), USUAL_NAMES.len(), "{of_runs:#?}");
    for secret in ["ann", "bob", "9f8e7d6c5b", "ses_4cA9", "d41d8cd98f00b204"] {
        assert!(!of_runs.iter().any(|path| path.contains(secret)), "{secret}: {of_runs:#?}");
    }
    for table in [DataTable::Turns, DataTable::Steps, DataTable::Texts] {
        let of_table: std::collections::BTreeSet<_> =
            texts_of(tables.path(), table, "source_uri").into_iter().collect();
        assert_eq!(of_table, of_runs, "{table:?}");
    }
    // One session under many names has one id.
    let ids: std::collections::BTreeSet<_> =
        texts_of(tables.path(), DataTable::Runs, "transcript_id").into_iter().collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
}

#[test]
fn a_redacted_export_has_the_same_files_each_time_and_merged_from_shards() {
    let runs = runs_of_usual_names();
    let runs = runs.path().to_str().unwrap();
    let export_into = |more: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        export_folder(&[runs], folder.path(), more);
        folder
    };

    let whole = export_into(&[]);
    let expected = folder_files(whole.path());
    for _ in 0..3 {
        assert!(folder_files(export_into(&[]).path()) == expected);
    }
    let (parts, merged) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for shard in ["1/4", "2/4", "3/4", "4/4"] {
        export_folder(&[runs], parts.path(), &["--shard", shard]);
    }
    let [parts, merged_into] = [&parts, &merged].map(|it| it.path().to_str().unwrap());
    cli_text(&["merge", parts, "--out", merged_into]);
    assert!(folder_files(merged.path()) == expected);
}

#[test]
fn tokens_are_those_of_the_key_and_parts_of_two_keys_are_not_merged() {
    let (runs, place) = (runs_of_usual_names(), tempfile::tempdir().unwrap());
    let keys = ["one", "two"].map(|name| {
        let path = place.path().join(name);
        fs::write(&path, format!("the key of the exports, number {name}")).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let uris = |name: &str, key: &str, more: &[&str]| {
        let folder = place.path().join(name);
        let more = [&["--redaction-key", key, "--tables", "runs"], more].concat();
        export_folder(&[runs.path().to_str().unwrap()], &folder, &more);
        folder
    };

    let of_one = texts_of(&uris("a", &keys[0], &[]), DataTable::Runs, "source_uri");
    assert_eq!(texts_of(&uris("b", &keys[0], &[]), DataTable::Runs, "source_uri"), of_one);
    assert_ne!(texts_of(&uris("c", &keys[1], &[]), DataTable::Runs, "source_uri"), of_one);
    let parts = uris("parts", &keys[0], &["--shard", "1/2"]);
    uris("parts", &keys[1], &["--shard", "2/2"]);
    let merged = place.path().join("merged");
    let ran = run_cli(&["merge", parts.to_str().unwrap(), "--out", merged.to_str().unwrap()]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert!(ran.err.contains("redacted with different keys"), "{}", ran.err);
    let missing = place.path().join("no-key").to_str().unwrap().to_owned();
    let run = "sample-runs/logs/pi.jsonl";
    let ran =
        run_cli(&["export", run, "--jsonl", parts.to_str().unwrap(), "--redaction-key", &missing]);
    assert!(ran.err.contains("no such file; make one with"), "{}", ran.err);
}
