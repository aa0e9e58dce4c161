//! SlopCodeBench run directories: the sample, small broken ones, and a real one where it is there.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;
use trajview::{
    formats::{self, SourceBytes},
    run::RecordPlace,
};

use crate::common::{cli_json, cli_text, project_path, real_data, run_cli};

const SAMPLE: &str = "sample-runs/slopcodebench";

/// The value of `key` for each checkpoint.
fn by_checkpoint<'a>(tests: &'a Value, key: &str) -> Vec<&'a Value> {
    tests["by_checkpoint"].as_array().unwrap().iter().map(|row| &row[key]).collect()
}

fn passed_counts(passed: u64, total: u64) -> Value {
    serde_json::json!({"passed": passed, "total": total})
}

#[test]
fn a_run_directory_with_one_problem_opens_it() {
    let shown = cli_json(&["show", SAMPLE, "--json"]);

    let run = &shown["run"];
    assert_eq!(run["harness"], "SlopCodeBench G2 (v1.0)");
    assert_eq!(run["id"], "claude_code-2.0.51_just-solve_none_20260102T0900/tally");
    assert_eq!((&run["model"], &run["condition"]), (&"scripted".into(), &"emergent".into()));
    assert!(run["provenance"].as_str().unwrap().contains("SlopCodeBench did not run"));
    let ids: Vec<&Value> =
        run["checkpoints"].as_array().unwrap().iter().map(|checkpoint| &checkpoint["id"]).collect();
    assert_eq!(ids, ["checkpoint_1", "checkpoint_2", "checkpoint_3"]);
    let asked = shown["turns"][1]["request"].as_str().unwrap();
    assert!(asked.starts_with("Add `--top N`"), "{asked}");
}

#[test]
fn the_problem_alone_says_the_same_as_its_run_directory() {
    let without_path = |path: &str| {
        let mut shown = cli_json(&["show", path, "--json"]);
        shown["run"].as_object_mut().unwrap().remove("path");
        shown
    };

    assert!(without_path(SAMPLE) == without_path(&format!("{SAMPLE}/tally")));
}

#[test]
fn tests_are_counted_by_group_and_as_strict_iso_and_core() {
    let tests = &cli_json(&["show", SAMPLE, "--json"])["tests"];

    assert_eq!(
        by_checkpoint(tests, "core"),
        [&passed_counts(1, 1), &passed_counts(1, 1), &passed_counts(0, 1)]
    );
    assert_eq!(
        by_checkpoint(tests, "regression"),
        [&passed_counts(0, 0), &passed_counts(3, 3), &passed_counts(3, 5)]
    );
    assert_eq!(
        by_checkpoint(tests, "strict"),
        [&passed_counts(3, 3), &passed_counts(5, 5), &passed_counts(3, 6)]
    );
    assert_eq!(
        by_checkpoint(tests, "iso"),
        [&passed_counts(3, 3), &passed_counts(2, 2), &passed_counts(0, 1)]
    );
}

#[test]
fn strict_iso_and_core_are_those_that_the_harness_wrote_into_its_rows() {
    let shown = cli_json(&["show", SAMPLE, "--json"]);
    for (row, tests) in shown["recorded"]["by_checkpoint"]
        .as_array()
        .unwrap()
        .iter()
        .zip(shown["tests"]["by_checkpoint"].as_array().unwrap())
    {
        let recorded = |name: &str| {
            let values = row["values"].as_array().unwrap();
            let value = values.iter().find(|value| value["name"] == name).unwrap();
            assert_eq!(value["source"], "checkpoint_results.jsonl");
            value["value"].as_f64().unwrap()
        };
        for (rate, counted) in [
            ("strict_pass_rate", "strict"),
            ("isolated_pass_rate", "iso"),
            ("core_pass_rate", "core"),
        ] {
            let count = |key: &str| tests[counted][key].as_f64().unwrap();
            assert_eq!(recorded(rate), count("passed") / count("total"), "{rate}");
        }
    }
}

#[test]
fn a_failed_test_has_the_words_of_its_failure() {
    let shown = cli_json(&["show", SAMPLE, "--json"]);

    let cases = shown["recorded"]["by_checkpoint"][2]["tests"].as_array().unwrap();
    let failed: BTreeMap<&str, &Value> = cases
        .iter()
        .filter(|case| case["outcome"] == "failed")
        .map(|case| (case["name"].as_str().unwrap(), case))
        .collect();
    let ranks = failed["test_ranks_words"];
    assert_eq!(
        (&ranks["checkpoint"], &ranks["group"]),
        (&"checkpoint_2".into(), &"regression".into())
    );
    assert!(ranks["reason"].as_str().unwrap().starts_with("AssertionError: assert "));
    assert!(ranks["failure"].as_str().unwrap().contains("def test_ranks_words(tally):"));
    assert!(cases.iter().all(|case| case["outcome"] == "failed" || case["failure"].is_null()));
}

#[test]
fn a_flag_leads_back_to_the_checkpoint_that_raised_it_and_keeps_its_type() {
    let shown = cli_json(&["show", SAMPLE, "--json"]);

    let flag = &shown["recorded"]["by_checkpoint"][2]["flags"][0];
    assert_eq!((&flag["criterion"], &flag["start"]), (&"single_use_function".into(), &15.into()));
    assert_eq!(
        (&flag["kind"], &flag["carried_from"]),
        (&"verbosity".into(), &"checkpoint_1".into())
    );
}

#[test]
fn without_a_snapshot_the_files_come_from_the_edits_and_the_comparison() {
    let rebuilt = cli_text(&["cat", SAMPLE, "tally.py", "--at", "checkpoint_2"]);

    // By sed, which no edit tells.
    assert!(
        rebuilt.starts_with("\"\"\"Counts and ranks the words of a text.\"\"\"\n"),
        "{rebuilt}"
    );
    assert!(rebuilt.contains("def top(text, count):"), "{rebuilt}");
    let shown = cli_json(&["show", SAMPLE, "--json"]);
    assert_eq!(shown["turns"][1]["edits"][0]["origin"], "partly");
    let blamed = cli_text(&["blame", SAMPLE, "tally.py", "--at", "2"]);
    assert!(blamed.lines().next().unwrap().contains("checkpoint_2"), "{blamed}");
}

#[test]
fn checkpoints_stand_in_the_order_of_their_numbers_whatever_is_missing() {
    let shown = cli_json(&["show", "tests/bad-runs/scb-ten", "--json"]);

    let ids: Vec<&Value> =
        shown["turns"].as_array().unwrap().iter().map(|turn| &turn["checkpoint"]).collect();
    assert_eq!(ids, ["checkpoint_9", "checkpoint_10"]);
    assert_eq!(cli_text(&["cat", "tests/bad-runs/scb-ten", "a.py"]), "x = 2\n");
}

#[test]
fn packed_logs_are_read_and_what_leads_out_of_them_is_not() {
    let run = "tests/bad-runs/scb-packed";
    let shown = cli_json(&["show", run, "--json"]);

    let sources: Vec<&str> = shown["run"]["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|source| source.as_str().unwrap())
        .collect();
    assert!(sources.contains(&"scb-packed/checkpoint_1/agent.tar.gz/stdout.jsonl"), "{sources:?}");
    assert!(!sources.iter().any(|source| source.contains("outside") || source.contains("link")));
    assert!(cli_text(&["show", run, "--turn", "1"]).contains("Write"));
}

#[test]
fn an_agent_that_crashed_says_why_in_its_last_step() {
    let shown = cli_json(&["show", "tests/bad-runs/scb-some-checkpoints", "--turn", "2", "--json"]);

    let step = &shown["steps"][0];
    assert_eq!(
        (&step["is_error"], &step["label"]),
        (&true.into(), &"AgentError: the agent was killed".into())
    );
    assert!(step["text"].as_str().unwrap().starts_with("Traceback (most recent call last):"));
    // What came from the cache is input too.
    assert_eq!(shown["tokens"]["input"], 16);
    assert_eq!(shown["cost_usd"], 0.5);
}

#[test]
fn several_problems_are_listed_and_each_is_opened_by_its_name() {
    let run = tempfile::tempdir().unwrap();
    for problem in ["one", "two"] {
        let folder = run.path().join(problem).join("checkpoint_1");
        fs::create_dir_all(folder.join("agent")).unwrap();
        let log = project_path("tests/bad-runs/scb-no-diff/checkpoint_1/agent/stdout.jsonl");
        fs::copy(log, folder.join("agent/stdout.jsonl")).unwrap();
    }
    let of = |path: &Path| path.to_str().unwrap().to_owned();

    let ran = run_cli(&["show", &of(run.path())]);
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("2 recordings below this folder"), "{}", ran.err);
    let shown = cli_json(&["show", &of(&run.path().join("two")), "--json"]);
    assert_eq!(shown["run"]["title"], "two");
}

#[test]
fn the_generation_is_told_by_what_the_files_hold() {
    let harness = |evaluation: &str| {
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = folder.path().join("p/checkpoint_1");
        fs::create_dir_all(checkpoint.join("quality_analysis")).unwrap();
        fs::write(checkpoint.join("quality_analysis/overall_quality.json"), evaluation).unwrap();
        let shown = cli_json(&["show", folder.path().to_str().unwrap(), "--json"]);
        shown["run"]["harness"].as_str().unwrap().to_owned()
    };

    assert_eq!(harness(r#"{"source_file_count": 1}"#), "SlopCodeBench G0 (January 2026)");
    let paper = r#"{"source_file_count": 1, "verbosity_flagged_sloc_lines": 0}"#;
    assert_eq!(harness(paper), "SlopCodeBench G1 (paper, version 1)");
    assert_eq!(harness("{}"), "SlopCodeBench, generation not recorded");
}

/// The text of each file that a real `diff.json` tells whole, by the harness' own lines.
fn created_files(diff: &Value) -> BTreeMap<String, String> {
    let files = diff["file_diffs"].as_object().unwrap();
    let text = |file: &Value| {
        let lines = file["diff_text"].as_str().unwrap().lines().skip(3);
        let added = lines.filter_map(|line| line.strip_prefix('+'));
        added.map(|line| format!("{line}\n")).collect::<String>()
    };
    files.iter().map(|(path, file)| (path.clone(), text(file))).collect()
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn a_real_run_is_rebuilt_as_its_harness_saw_it() {
    let data = real_data();
    let run = data.join("slopcodebench/run");
    let path = run.to_str().unwrap();
    let ran = run_cli(&["check", path]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    let shown = cli_json(&["show", path, "--json"]);
    assert_eq!(shown["run"]["harness"], "SlopCodeBench G2 (v1.0)");
    assert_eq!(shown["turns"].as_array().unwrap().len(), 4);

    let read = |name: &str| fs::read_to_string(run.join("file_backup").join(name)).unwrap();
    let first: Value = serde_json::from_str(&read("checkpoint_1/diff.json")).unwrap();
    for (file, text) in created_files(&first) {
        assert_eq!(cli_text(&["cat", path, &file, "--at", "checkpoint_1"]), text, "{file}");
    }
    for number in 1..=4 {
        let at = format!("checkpoint_{number}");
        assert_eq!(cli_text(&["ls", path, "--at", &at]), "backup_scheduler.py\nrequirements.txt\n");
        let row: Value =
            serde_json::from_str(&read(&format!("{at}/quality_analysis/files.jsonl"))).unwrap();
        let rebuilt = cli_text(&["cat", path, "backup_scheduler.py", "--at", &at]);
        assert_eq!(rebuilt.lines().count() as u64, row["total_lines"].as_u64().unwrap(), "{at}");
        // The harness counted lines by its own comparison of the same two files.
        let diff: Value = serde_json::from_str(&read(&format!("{at}/diff.json"))).unwrap();
        let recorded = &shown["recorded"]["by_checkpoint"][number - 1]["changes"][0];
        let file = &diff["file_diffs"]["backup_scheduler.py"];
        assert_eq!(
            (&recorded["added"], &recorded["removed"]),
            (&file["lines_added"], &file["lines_removed"])
        );
    }
}

/// The files of the sample, named from its run directory on.
fn sample_files() -> Vec<(String, Vec<u8>)> {
    fn collect_files(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
        let mut paths: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                collect_files(root, &path, files);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                files.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    let (root, mut files) = (project_path(SAMPLE), vec![]);
    collect_files(&root, &root, &mut files);
    files
}

proptest::proptest! {
    #[test]
    fn whatever_is_done_to_its_files_a_run_is_read_to_its_last_word(
        harm in proptest::collection::vec((0usize..40, 0usize..8_000, 0usize..4, 0u8..), 1..24),
    ) {
        let mut files = sample_files();
        for (file, at, kind, byte) in harm {
            let count = files.len();
            let content = &mut files[file % count].1;
            let at = at % content.len().max(1);
            match kind {
                0 if at < content.len() => content[at] = byte,
                1 => content.truncate(at),
                2 => content.insert(at.min(content.len()), byte),
                _ => drop(content.drain(at.min(content.len())..(at + 3).min(content.len()))),
            }
        }
        let sources: Vec<SourceBytes<'_>> =
            files.iter().map(|(name, bytes)| SourceBytes { name, bytes }).collect();
        let format = formats::format_by_name("slopcodebench").unwrap();

        let run = format.index_run(&sources).unwrap();

        let record = |place: RecordPlace| place.bytes_in(sources[place.source.0 as usize].bytes);
        let format_of = |place: RecordPlace| {
            formats::format_by_name(run.origin.sources[place.source.0 as usize].format).unwrap()
        };
        for step in run.turns.iter().flat_map(|turn| &turn.steps) {
            let _ = format_of(step.place).step_text(record(step.place), step);
            for edit in &step.edits {
                let _ = format_of(edit.place).recorded_edit(record(edit.place), edit);
            }
        }
        for record_of in run.checkpoints.iter().filter_map(|checkpoint| checkpoint.recorded.as_ref()) {
            for file in record_of.changes.iter().flat_map(|changes| &changes.files) {
                let _ = format.recorded_edit(record(file.edit.place), &file.edit);
            }
            for place in record_of.tests.iter().flat_map(|tests| &tests.cases).filter_map(|case| case.failure) {
                let _ = format.failure_text(record(place));
            }
        }
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn callables_measured_by_the_harness_are_those_measured_here() {
    let data = real_data();
    let path = data.join("slopcodebench/run");
    let path = path.to_str().unwrap();
    let args = [
        "score",
        path,
        "--each",
        "checkpoint",
        "--profile",
        "scb-paper",
        "--rules",
        "none",
        "--detail",
        "--json",
    ];
    let scored = cli_json(&args);
    let recorded = scored["recorded"]["by_checkpoint"].as_array().unwrap();
    assert_eq!(recorded.len(), 4);
    let mut compared = 0;
    for (row, point) in recorded.iter().zip(scored["points"].as_array().unwrap()) {
        let theirs = row["callables"].as_array().unwrap();
        let ours = point["detail"]["callables"].as_array().unwrap();
        for callable in theirs {
            let same = |ours: &&Value| {
                ours["start"] == callable["start"] && ours["path"] == callable["path"]
            };
            let ours = ours.iter().find(same).unwrap_or_else(|| panic!("{callable}"));
            assert_eq!(
                (&ours["cc"], &ours["sloc"]),
                (&callable["cc"], &callable["sloc"]),
                "{callable}"
            );
            compared += 1;
        }
        assert_eq!(row["hits"], serde_json::json!([]));
        assert_eq!(row["files"][0]["path"], "backup_scheduler.py");
    }
    assert!(compared > 80, "{compared}");
}

#[test]
fn a_checkpoint_of_which_nothing_is_left_has_no_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("checkpoint_1/snapshot/a.py", "def f(a):\n    return a\n");
    put("checkpoint_2/evaluation.json", "{\"tests\": {}}");
    put("checkpoint_3/diff.json", "cut sho");
    put("checkpoint_4/snapshot/b.py", "b = 1\n");
    let path = folder.path().to_str().unwrap();

    let scored = cli_json(&["score", path, "--each", "checkpoint", "--json"]);

    let column = |name: &str| -> Vec<Value> {
        scored["points"].as_array().unwrap().iter().map(|point| point[name].clone()).collect()
    };
    let nothing = Value::Null;
    assert_eq!(column("files"), [1.into(), nothing.clone(), nothing.clone(), 1.into()]);
    assert_eq!(column("erosion"), [0.0.into(), nothing.clone(), nothing.clone(), 0.0.into()]);
    assert_eq!(column("verbosity"), [0.0.into(), nothing.clone(), nothing.clone(), 0.0.into()]);
    assert_eq!(column("churn"), [2.into(), nothing.clone(), nothing, 3.into()]);
    assert!(!cli_text(&["score", path, "--each", "checkpoint"]).contains("NaN"));
}

const SKILL: &str = "Review the code.\n\nRemove slop.";

/// A session log that asks, changes one file and says what it took.
fn session_log(id: &str, hour: u32, request: &str, file: &str, sides: [&str; 2]) -> String {
    let [old, new] = sides;
    let at = |minute: u32| format!("2026-01-02T{hour:02}:{minute:02}:00Z");
    let facts = |kind: &str, uuid: u32| {
        serde_json::json!({"type": kind, "uuid": format!("{id}{uuid}"), "sessionId": id, "cwd": "/w",
            "version": "2.0.51", "timestamp": at(uuid)})
    };
    let path = format!("/w/{file}");
    let lines = |text: &str, sign: &str| -> Vec<String> {
        text.lines().map(|line| format!("{sign}{line}")).collect()
    };
    let changed = [lines(old, "-"), lines(new, "+")].concat();
    let patch = serde_json::json!([{"oldStart": 1, "oldLines": old.lines().count(), "newStart": 1,
        "newLines": new.lines().count(), "lines": changed}]);
    let mut asks = facts("user", 0);
    asks["message"] = serde_json::json!({"role": "user", "content": request});
    let mut calls = facts("assistant", 1);
    let input = serde_json::json!({"file_path": path, "old_string": old, "new_string": new});
    calls["message"] = serde_json::json!({"id": format!("m{id}"), "model": "m", "role": "assistant",
        "content": [{"type": "tool_use", "id": format!("t{id}"), "name": "Edit", "input": input}],
        "usage": {"input_tokens": 10, "output_tokens": 5}});
    let mut answers = facts("user", 2);
    answers["message"] = serde_json::json!({"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": format!("t{id}"), "content": "ok"}]});
    answers["toolUseResult"] = serde_json::json!({"filePath": path, "oldString": old, "newString": new,
        "originalFile": old, "structuredPatch": patch});
    format!("{asks}\n{calls}\n{answers}\n")
}

fn evaluation_text(passed: usize) -> String {
    let name = |at: usize| format!("t{at}");
    let (ok, failed): (Vec<String>, Vec<String>) =
        ((0..passed).map(name).collect(), (passed..4).map(name).collect());
    serde_json::json!({"schema_version": 1, "checkpoint_name": "checkpoint_1",
        "tests": {"checkpoint_1-Core": {"passed": ok, "failed": failed, "skipped": []}},
        "pass_counts": {"Core": passed}, "total_counts": {"Core": 4}, "pytest_exit_code": 1, "pytest_collected": 4})
    .to_string()
}

/// A problem of two checkpoints, with a second pass over the first.
fn with_a_second_pass(folder: &Path) {
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("problem.yaml", "name: p\n");
    let info = "post_checkpoint_skill:\n  eval_after: true\n  prompt: 'Review the code.\n\n    Remove slop.\n\n    '\n  run_on: all\n";
    put("run_info.yaml", info);
    put("checkpoint_1/prompt.txt", "Write a.py");
    let logs = "agent/workspace/projects/-w";
    // The name of the second session comes first, and so does its file.
    put(
        &format!("checkpoint_1/{logs}/a.jsonl"),
        &session_log("B", 5, SKILL, "a.py", ["x = 1\n", "x = 2\n"]),
    );
    put(
        &format!("checkpoint_1/{logs}/b.jsonl"),
        &session_log("A", 4, "Write a.py", "a.py", ["", "x = 1\n"]),
    );
    put("checkpoint_1/snapshot/a.py", "x = 1\n");
    put("checkpoint_1/evaluation.json", &evaluation_text(4));
    put("checkpoint_1/after_skill/snapshot/a.py", "x = 2\n");
    put("checkpoint_1/after_skill/evaluation.json", &evaluation_text(3));
    put(
        "checkpoint_1/after_skill/quality_analysis/overall_quality.json",
        "{\"lines\": {\"total_lines\": 1}, \"ast_grep\": {\"violation_lines\": 0}}",
    );
    put(
        &format!("checkpoint_2/{logs}/c.jsonl"),
        &session_log("C", 6, "Write b.py", "b.py", ["", "y = 1\n"]),
    );
    put("checkpoint_2/snapshot/a.py", "x = 2\n");
    put("checkpoint_2/snapshot/b.py", "y = 1\n");
}

/// Of each turn: its checkpoint, the first line of its request, its edits, and its output tokens.
fn turns_of(run: &str) -> Vec<String> {
    let shown = cli_json(&["show", run, "--json"]);
    let turns = shown["turns"].as_array().unwrap().iter();
    let text =
        |value: &Value| value.as_str().unwrap_or("-").lines().next().unwrap_or_default().to_owned();
    let edit = |edit: &Value| {
        let word = |key: &str| edit[key].as_str().unwrap().to_owned();
        format!(
            "{} {} {} +{} -{}",
            word("origin"),
            word("kind"),
            word("path"),
            edit["added"],
            edit["removed"]
        )
    };
    turns
        .map(|turn| {
            let edits: Vec<String> = turn["edits"].as_array().unwrap().iter().map(edit).collect();
            let said =
                [text(&turn["checkpoint"]), text(&turn["request"]), edits.join(", ")].join("; ");
            format!("{said}; out {}", turn["tokens"]["output"])
        })
        .collect()
}

const WITH_A_SECOND_PASS: [&str; 3] = [
    "checkpoint_1; Write a.py; recorded create a.py +1 -0; out 5",
    "checkpoint_1; Review the code.; recorded modify a.py +1 -1; out 5",
    "checkpoint_2; Write b.py; recorded create b.py +1 -0; out 5",
];

#[test]
fn a_second_pass_is_a_turn_of_its_own_in_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    with_a_second_pass(folder.path());
    let run = folder.path().to_str().unwrap();

    assert_eq!(turns_of(run), WITH_A_SECOND_PASS);
    let check = run_cli(&["check", run]);
    assert_eq!(check.code, Some(0), "{}", check.out);
    let shown = cli_json(&["show", run, "--json"]);
    let tests = &shown["tests"];
    assert_eq!(by_checkpoint(tests, "label"), ["checkpoint_1", "checkpoint_1/after_skill"]);
    assert_eq!(by_checkpoint(tests, "strict"), [&passed_counts(4, 4), &passed_counts(3, 4)]);
    let after = &shown["recorded"]["by_checkpoint"][1]["values"][0];
    let source = after["source"].as_str().unwrap();
    assert!(
        source.ends_with("checkpoint_1/after_skill/quality_analysis/overall_quality.json"),
        "{source}"
    );
    let scored = cli_json(&["score", run, "--each", "turn", "--json"]);
    let recorded = |turn: usize| scored["points"][turn]["recorded"]["lines"].clone();
    assert_eq!([recorded(0), recorded(1), recorded(2)], [Value::Null, 1.0.into(), Value::Null]);
    assert_eq!(cli_text(&["cat", run, "a.py", "--at", "1"]), "x = 1\n");
    assert_eq!(cli_text(&["cat", run, "a.py", "--at", "checkpoint_1"]), "x = 2\n");
    assert!(cli_text(&["diff", run, "--turn", "2"]).contains("-x = 1\n+x = 2\n"));
    assert_eq!(cli_text(&["diff", run, "--turn", "3", "--stat"]).matches("a.py").count(), 0);
}

#[test]
fn a_second_pass_is_found_in_packed_logs_and_kept_by_an_import() {
    let folder = tempfile::tempdir().unwrap();
    with_a_second_pass(folder.path());
    let checkpoint = folder.path().join("checkpoint_1");
    let packed = fs::File::create(checkpoint.join("agent.tar.gz")).unwrap();
    let packed = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
    let mut archive = tar::Builder::new(packed);
    archive.append_dir_all("agent", checkpoint.join("agent")).unwrap();
    archive.into_inner().unwrap().finish().unwrap();
    fs::remove_dir_all(checkpoint.join("agent")).unwrap();
    let (run, elsewhere) = (folder.path().to_str().unwrap(), tempfile::tempdir().unwrap());
    let bundle = elsewhere.path().join("bundle");

    assert_eq!(turns_of(run), WITH_A_SECOND_PASS);
    cli_text(&["import", run, "--out", bundle.to_str().unwrap()]);

    assert_eq!(turns_of(bundle.to_str().unwrap()), WITH_A_SECOND_PASS);
    let check = run_cli(&["check", bundle.to_str().unwrap()]);
    assert_eq!(check.code, Some(0), "{}", check.out);
}

#[test]
fn what_is_missing_of_a_second_pass_is_said() {
    let folder = tempfile::tempdir().unwrap();
    with_a_second_pass(folder.path());
    let run = folder.path().to_str().unwrap();
    let warnings = || -> Vec<String> {
        let ran = run_cli(&["check", run, "--json"]);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        let all = report["runs"][0]["warnings"].as_array().unwrap().iter();
        all.map(|it| it["what"].as_str().unwrap().to_owned()).collect()
    };

    let log = folder.path().join("checkpoint_1/agent/workspace/projects/-w/a.jsonl");
    let kept = fs::read(&log).unwrap();
    fs::remove_file(&log).unwrap();
    assert_eq!(warnings(), ["no log of the second pass: its turn has no steps"]);
    let turn = "checkpoint_1; -; outside modify a.py +1 -1; out null";
    assert_eq!(turns_of(run), [WITH_A_SECOND_PASS[0], turn, WITH_A_SECOND_PASS[2]]);

    fs::write(&log, kept).unwrap();
    fs::remove_dir_all(folder.path().join("checkpoint_1/after_skill/snapshot")).unwrap();
    let what =
        "no snapshot/ of the second pass: what its log does not tell of the files cannot be known";
    assert_eq!(warnings(), [what]);
    assert_eq!(turns_of(run), WITH_A_SECOND_PASS);

    fs::remove_dir_all(folder.path().join("checkpoint_1/after_skill")).unwrap();
    assert_eq!(turns_of(run), WITH_A_SECOND_PASS, "its log is enough");
}

#[test]
fn without_the_words_of_its_prompt_a_second_pass_is_the_session_that_began_last() {
    let folder = tempfile::tempdir().unwrap();
    with_a_second_pass(folder.path());
    fs::remove_file(folder.path().join("run_info.yaml")).unwrap();

    assert_eq!(turns_of(folder.path().to_str().unwrap()), WITH_A_SECOND_PASS);
}

/// What Claude Code prints in a session that changes one file.
fn printed_session(id: &str, file: &str, sides: [&str; 2]) -> String {
    let log = session_log(id, 4, "not printed", file, sides);
    let init = serde_json::json!({"type": "system", "subtype": "init", "session_id": id, "cwd": "/w",
        "claude_code_version": "2.0.51"});
    let result = serde_json::json!({"type": "result", "subtype": "success", "session_id": id,
        "total_cost_usd": 0.5, "usage": {"input_tokens": 10, "output_tokens": 5}});
    let lines = log.lines().skip(1).map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let fields = line.as_object_mut().unwrap();
        fields.remove("sessionId");
        fields.remove("timestamp");
        fields.insert("session_id".into(), id.into());
        let structured = fields.remove("toolUseResult");
        fields.extend(structured.map(|it| ("tool_use_result".to_owned(), it)));
        line.to_string()
    });
    [vec![init.to_string()], lines.collect(), vec![result.to_string()]].concat().join("\n")
}

#[test]
fn a_second_pass_that_was_only_printed_is_told_from_the_first_whatever_its_file_is_called() {
    for name in ["after_skill.jsonl", "stdout_2.jsonl", "a.jsonl"] {
        let folder = tempfile::tempdir().unwrap();
        with_a_second_pass(folder.path());
        let agent = folder.path().join("checkpoint_1/agent");
        fs::remove_dir_all(&agent).unwrap();
        fs::create_dir(&agent).unwrap();
        let first = printed_session("A", "a.py", ["", "x = 1\n"]);
        fs::write(agent.join("stdout.jsonl"), first).unwrap();
        fs::write(agent.join(name), printed_session("B", "a.py", ["x = 1\n", "x = 2\n"])).unwrap();

        let turns = turns_of(folder.path().to_str().unwrap());

        assert_eq!(turns[0], WITH_A_SECOND_PASS[0], "{name}");
        assert_eq!(turns[1], WITH_A_SECOND_PASS[1].replace("Review the code.", "-"), "{name}");
        assert_eq!(turns.len(), 3);
    }
}
