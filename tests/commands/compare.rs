//! `trajview compare` from the outside: runs paired, differences in SLUMP's sense, what is missing said and never 0.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json as value};

use crate::common::{cli_json, cli_text, project_path, run_cli};

const EMERGENT: &str = "sample-runs/codex-p12";
const SINGLE_SHOT: &str = "sample-runs/codex-p12-single-shot";

/// The judge, the turn, and scores by component.
type Judging<'a> = (&'a str, usize, &'a [(&'a str, i64)]);

/// A copy of a sample run with no verdicts but these.
fn judged_copy(sample: &str, folder: &Path, judgements: &[Judging<'_>]) -> PathBuf {
    let to = folder.join(Path::new(sample).file_name().unwrap());
    copy_folder(&project_path(sample), &to);
    let _ = fs::remove_dir_all(to.join("judgements")); // the sample may have none
    fs::create_dir(to.join("judgements")).unwrap();
    for (at, (judge, turn, scores)) in judgements.iter().enumerate() {
        let score = |(id, score): &(&str, i64)| value!({"component": id, "score": score});
        let scores: Vec<Value> = scores.iter().map(score).collect();
        let document = value!({
            "schema": "trajview.judgement/1", "judge": {"name": judge, "kind": "imported"}, "turn": turn,
            "rubric": "slump-5", "scores": scores,
        });
        fs::write(to.join(format!("judgements/{at}.json")), document.to_string()).unwrap();
    }
    to
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match from.is_dir() {
            true => copy_folder(&from, &to),
            false => assert!(fs::copy(from, to).is_ok()),
        }
    }
}

fn path_text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn component_ids(document: &Value) -> Vec<&str> {
    let components = document["components"].as_array().unwrap();
    components.iter().map(|it| it["id"].as_str().unwrap()).collect()
}

#[test]
fn a_loss_is_positive_whichever_run_is_named_first() {
    let folder = tempfile::tempdir().unwrap();
    let emergent =
        judged_copy(EMERGENT, folder.path(), &[("j", 56, &[("C01", 4), ("C02", 1), ("C03", 2)])]);
    let single =
        judged_copy(SINGLE_SHOT, folder.path(), &[("j", 1, &[("C01", 4), ("C02", 4), ("C03", 3)])]);

    let there =
        cli_json(&["compare", path_text(&emergent), path_text(&single), "--judge", "j", "--json"]);
    let back =
        cli_json(&["compare", path_text(&single), path_text(&emergent), "--judge", "j", "--json"]);

    assert_eq!(there["schema"], "trajview.compare/1");
    assert_eq!(
        (&there["a"]["condition"], &there["b"]["condition"]),
        (&"emergent".into(), &"single-shot".into())
    );
    for document in [&there, &back] {
        assert!((document["slump"]["mcf"].as_f64().unwrap() - 4.0 / 3.0).abs() < 1e-12);
        assert_eq!(document["slump"]["by_condition"], true);
        assert_eq!(component_ids(document)[..4], ["C02", "C03", "C01", "C04"]);
        assert_eq!(document["components"][0]["delta"], 3);
        assert_eq!(
            (&document["components"][3]["a"], &document["components"][3]["delta"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(document["n"], 3);
    }
    assert_eq!(there["slump"]["difference"], "single-shot − emergent (b − a)");
    assert_eq!(back["slump"]["difference"], "single-shot − emergent (a − b)");
    assert_eq!((&there["transitions"][1][4], &back["transitions"][4][1]), (&1.into(), &1.into()));
}

#[test]
fn numbers_of_the_code_are_those_that_score_gives() {
    let compared = cli_json(&["compare", EMERGENT, SINGLE_SHOT, "--json"]);
    let scored = cli_json(&["score", EMERGENT, "--each", "checkpoint", "--json"]);

    assert_eq!((&compared["profile"], &compared["rules"]), (&scored["profile"], &scored["rules"]));
    let checkpoints = compared["checkpoints"].as_array().unwrap();
    for (pair, point) in checkpoints.iter().zip(scored["points"].as_array().unwrap()) {
        for key in ["erosion", "verbosity", "turn", "checkpoint", "phase", "bin", "commit"] {
            assert_eq!(pair["a"][key], point[key], "{key}");
        }
    }
    assert_eq!(checkpoints.len(), 9);
    let last = &checkpoints[8];
    assert_eq!((&last["paired_by"], &last["b"]["turn"]), (&"end".into(), &1.into()));
    assert_eq!((&checkpoints[0]["paired_by"], &checkpoints[0]["b"]), (&Value::Null, &Value::Null));
    let points = compared["points"].as_array().unwrap();
    let phases: Vec<&Value> = points.iter().map(|point| &point["phase"]).collect();
    assert_eq!(phases, ["start", "early", "mid", "late", "final"]);
    assert_eq!(points[4]["b"]["erosion"], last["b"]["erosion"]);
    assert_eq!(compared["turns"], Value::Null);
}

#[test]
fn the_sample_pair_loses_what_its_authors_read() {
    let document = cli_json(&["compare", EMERGENT, SINGLE_SHOT, "--rules", "none", "--json"]);

    let of = |name: &str| {
        let numbers = document["numbers"].as_array().unwrap();
        let row = numbers.iter().find(|row| row["name"] == name).unwrap();
        (row["a"].clone(), row["b"].clone(), row["better"].clone())
    };
    assert_eq!(of("mcf"), (3.125.into(), 3.875.into(), "b".into()));
    assert_eq!(of("severe"), (4.0.into(), 0.0.into(), "b".into()));
    assert_eq!(document["slump"]["mcf"], 0.75);
    let if50 = document["slump"]["if50"].as_f64().unwrap();
    let dir = document["slump"]["dir"].as_f64().unwrap();
    assert!((if50 - (0.5 * 0.75 / 4.0 + 0.5 * dir)).abs() < 1e-12, "{if50} {dir}");
    let intervals = document["slump"]["intervals"]["numbers"].as_array().unwrap();
    let ends = |at: usize| intervals[at]["difference"]["ci95"].as_array().unwrap();
    assert_eq!(intervals.len(), 3);
    for (at, name) in ["mcf", "dir", "if50"].into_iter().enumerate() {
        let value = intervals[at]["difference"]["value"].as_f64().unwrap();
        assert_eq!(
            (&intervals[at]["name"], value),
            (&name.into(), document["slump"][name].as_f64().unwrap())
        );
        assert!(ends(at)[0].as_f64().unwrap() < value && value < ends(at)[1].as_f64().unwrap());
    }
    assert_eq!(document["slump"]["intervals"]["resamples"], 9999);
    let expected = value!([
        [0, 0, 0, 0, 2],
        [0, 0, 0, 0, 2],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 2, 3],
        [0, 0, 0, 0, 14]
    ]);
    assert_eq!((&document["transitions"], &document["n"]), (&expected, &24.into()));
    assert_eq!(component_ids(&document)[..5], ["C18", "C20", "C10", "C17", "C12"]);
    insta::assert_snapshot!(cli_text(&["compare", EMERGENT, SINGLE_SHOT, "--rules", "none"]));
}

#[test]
fn every_turn_is_measured_where_it_is_asked_for() {
    let compared = cli_json(&["compare", EMERGENT, SINGLE_SHOT, "--each", "turn", "--json"]);

    let [a, b] = ["a", "b"].map(|side| compared["turns"][side].as_array().unwrap());
    assert_eq!((a.len(), b.len()), (56, 1));
    assert!(a.iter().all(|point| point["erosion"].is_number() && point["tokens"].is_number()));
    assert_eq!((&a[27]["fraction"], &b[0]["fraction"]), (&0.5.into(), &1.0.into()));
}

#[test]
fn final_trees_are_told_apart_as_diff_tells_them() {
    let compared = cli_json(&["compare", EMERGENT, SINGLE_SHOT, "--json"]);

    let files = compared["files"].as_array().unwrap();
    let of = |run: &str| cli_text(&["ls", run, "--at", "final"]).lines().count();
    let only = |side: &str| files.iter().filter(|file| file["only_in"] == side).count();
    let both = files.iter().filter(|file| file["both"] == true).count();
    assert_eq!((only("a") + both, only("b") + both), (of(EMERGENT), of(SINGLE_SHOT)));
    let same = files.iter().filter(|file| file["same"] == true);
    assert!(same.clone().all(|file| file["added"] == 0 && file["removed"] == 0));
    assert!(same.count() > 0);
    let layers = files.iter().find(|file| file["path"] == "ppdiff/layers.py").unwrap();
    assert!(layers["added"].as_u64() > Some(0) && layers["removed"].as_u64() > Some(0));
}

#[test]
fn runs_without_verdicts_say_so_and_have_no_zero() {
    let folder = tempfile::tempdir().unwrap();
    let emergent = judged_copy(EMERGENT, folder.path(), &[]);
    let single = judged_copy(SINGLE_SHOT, folder.path(), &[("j", 1, &[("C01", 0)])]);
    let runs = [path_text(&emergent), path_text(&single)];

    let document = cli_json(&["compare", runs[0], runs[1], "--judge", "j", "--json"]);
    let table = cli_text(&["compare", runs[0], runs[1], "--judge", "j"]);

    assert_eq!(document["slump"]["mcf"], Value::Null);
    let in_part = "b is judged on 1 of 24 components by j";
    assert_eq!(document["warnings"], value!(["a is not judged", in_part]));
    assert_eq!(document["components"][0]["missing"], value!(["not judged", null]));
    assert_eq!(document["a"]["judgement"], Value::Null);
    assert!(table.contains("note: a is not judged"), "{table}");
    assert!(table.contains("not judged in a\n"), "{table}");
}

#[test]
fn the_judge_asked_for_speaks_and_one_that_never_judged_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let ids: Vec<String> = (1..=24).map(|at| format!("C{at:02}")).collect();
    let all = |score: i64| ids.iter().map(|id| (id.as_str(), score)).collect::<Vec<_>>();
    let emergent =
        judged_copy(EMERGENT, folder.path(), &[("strict", 56, &all(1)), ("mild", 56, &all(4))]);
    let single = judged_copy(SINGLE_SHOT, folder.path(), &[("strict", 1, &all(4))]);
    let runs = [path_text(&emergent), path_text(&single)];

    let usual = cli_json(&["compare", runs[0], runs[1], "--json"]);
    let mild = cli_json(&["compare", runs[0], runs[1], "--judge", "mild", "--json"]);
    let none = run_cli(&["compare", runs[0], runs[1], "--judge", "nobody"]);

    assert_eq!(usual["a"]["judgement"]["judge"], "strict");
    assert_eq!(usual["a"]["judges"], value!(["mild", "strict"]));
    assert_eq!(
        (&mild["components"][0]["a"], &mild["components"][0]["b"]),
        (&4.into(), &Value::Null)
    );
    assert_eq!(none.code, Some(2));
    let there = "judges: strict, mild; judgements: 0, 1";
    assert_eq!(
        none.err,
        format!("trajview: no judge and no judgement is called \"nobody\"; {there}\n")
    );
}

#[test]
fn more_than_two_runs_are_columns() {
    let document = cli_json(&["compare", EMERGENT, SINGLE_SHOT, EMERGENT, "--json"]);
    let csv = cli_text(&["compare", EMERGENT, SINGLE_SHOT, EMERGENT, "--csv"]);

    assert_eq!(document["runs"].as_array().map(Vec::len), Some(3));
    assert_eq!(document["components"][0]["scores"].as_array().map(Vec::len), Some(3));
    let heads = "section,id,name,a,b,c,difference,note,b_minus_a,c_minus_a";
    assert_eq!(csv.lines().next(), Some(heads));
    let turns = csv.lines().find(|line| line.starts_with("number,turns,")).unwrap();
    assert_eq!(turns, "number,turns,turns,56,1,56,-55,,-55,0");
    assert!(csv.lines().all(|line| line.matches(',').count() >= 9));
}

#[test]
fn each_run_is_compared_with_the_base_and_a_missing_value_stays_null() {
    let exec = "sample-runs/codex-exec-json";
    let by_number = cli_json(&["compare", EMERGENT, SINGLE_SHOT, exec, "--base", "2", "--json"]);
    let by_letter = cli_json(&["compare", EMERGENT, SINGLE_SHOT, exec, "--base", "b", "--json"]);
    let text = cli_text(&["compare", EMERGENT, SINGLE_SHOT, exec, "--base", "b"]);

    assert_eq!(by_number, by_letter);
    assert_eq!(by_number["base"], "b");
    let row = |name: &str| {
        let numbers = by_number["numbers"].as_array().unwrap();
        numbers.iter().find(|row| row["name"] == name).unwrap().clone()
    };
    assert_eq!(row("mcf")["differences"], value!([-0.75, null, null]));
    assert_eq!(row("mcf")["better_direction"], "higher");
    assert_eq!(row("turns")["differences"], value!([55.0, null, 11.0]));
    assert_eq!(by_number["components"][0]["differences"].as_array().map(Vec::len), Some(3));
    let heads = text.lines().find(|line| line.starts_with("number ")).unwrap();
    let heads: Vec<&str> = heads.split_whitespace().collect();
    assert_eq!(heads, ["number", "a", "b", "c", "a", "−", "b", "c", "−", "b"]);
    let erosion = text.lines().find(|line| line.starts_with("erosion ")).unwrap();
    assert!(erosion.contains("lower is better"), "{erosion}");
}

#[test]
fn a_base_that_is_no_compared_run_is_refused() {
    let missing = run_cli(&["compare", EMERGENT, SINGLE_SHOT, "--base", "c"]);
    let wrong = run_cli(&["compare", EMERGENT, SINGLE_SHOT, "--base", "0"]);

    assert_eq!(
        (missing.code, &*missing.err),
        (Some(2), "trajview: --base c: only 2 runs are compared\n")
    );
    assert_eq!(wrong.code, Some(2));
}

/// A log of Claude Code that runs these commands, each with its result.
fn log_of_commands(folder: &Path, name: &str, commands: &[&str]) -> PathBuf {
    let record = |kind: &str, at: usize, content: Value| {
        value!({
            "type": kind, "uuid": format!("{kind}{at}"), "sessionId": name, "cwd": format!("/tmp/{name}"),
            "version": "2.1.0", "timestamp": format!("2026-01-01T00:00:{at:02}.000Z"),
            "message": {"role": kind, "content": content},
        })
    };
    let mut records = vec![record("user", 0, value!("List the files and test."))];
    for (at, command) in (1..).zip(commands) {
        let input = value!({"command": command});
        let call =
            value!([{"type": "tool_use", "id": format!("t{at}"), "name": "Bash", "input": input}]);
        let result =
            value!([{"type": "tool_result", "tool_use_id": format!("t{at}"), "content": "done"}]);
        records.extend([record("assistant", 2 * at - 1, call), record("user", 2 * at, result)]);
    }
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    let path = folder.join(format!("{name}.jsonl"));
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

#[test]
fn the_first_step_that_differs_is_named_with_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let a =
        log_of_commands(folder.path(), "a", &["ls", "cat /tmp/a/x.py", "pytest -q", "git diff"]);
    let b =
        log_of_commands(folder.path(), "b", &["ls", "cat /tmp/b/x.py", "pytest -x", "git diff"]);
    let paths = [path_text(&a), path_text(&b)];

    let document = cli_json(&["compare", paths[0], paths[1], "--json"]);
    let text = cli_text(&["compare", paths[0], paths[1]]);
    let same = cli_text(&["compare", paths[0], paths[0]]);

    let row = &document["transcripts"][0];
    // Paths in the folder of each agent are the same path.
    let counts =
        ["same", "changed", "only_base", "only_run"].map(|name| row[name].as_u64().unwrap());
    assert_eq!(counts, [4, 1, 0, 0]);
    let first = &row["first_difference"];
    assert_eq!(first["equal_before"], 3);
    assert_eq!(
        (&first["base"]["address"], &first["run"]["address"]),
        (&"1.3".into(), &"1.3".into())
    );
    assert_eq!(first["run"]["line"], "pytest -x");
    let sentence = "first step that differs: a 1.3 Bash: pytest -q | b 1.3 Bash: pytest -x (3 equal before it)";
    assert!(text.contains(sentence), "{text}");
    assert!(same.contains("a and b have the same requests, tool calls and edits"), "{same}");
}

#[test]
fn a_trial_without_a_log_has_no_transcript_and_results_are_printed_once() {
    let folder = tempfile::tempdir().unwrap();
    let trial = |name: &str, attempt: &str, reward: &str| {
        let trial = folder.path().join(name);
        fs::create_dir(&trial).unwrap();
        let result = format!(
            "{{\"task_name\": \"t\", \"trial_name\": \"t__{attempt}\", \"trial_uri\": \"u\", \"finished_at\": \"2026-01-01T00:00:00Z\", \
             \"verifier_result\": {{\"rewards\": {{\"reward\": {reward}}}}}}}"
        );
        fs::write(trial.join("result.json"), result).unwrap();
        trial
    };
    let (a, b) = (trial("t__1", "1", "0.12345678"), trial("t__2", "2", "1"));
    let paths = [path_text(&a), path_text(&b)];

    let document = cli_json(&["compare", paths[0], paths[1], "--json"]);
    let text = cli_text(&["compare", paths[0], paths[1]]);
    let csv = cli_text(&["compare", paths[0], paths[1], "--csv", "--base", "a"]);

    assert_eq!(document["transcripts"].as_array().unwrap().len(), 0);
    assert!(text.contains("note: b has no log; its transcript is not compared"), "{text}");
    assert!(!text.contains("have the same requests"), "{text}");
    assert_eq!(text.matches("outcome").count(), 1, "{text}");
    assert_eq!(document["results"][0]["better_direction"], "neither");
    assert!(csv.contains("result,reward,,0.12345678,1,,higher is better,0.87654322"), "{csv}");
}

#[test]
fn runs_of_different_tasks_are_compared_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let other = judged_copy(SINGLE_SHOT, folder.path(), &[]);
    let run = fs::read_to_string(other.join("run.json")).unwrap();
    fs::write(other.join("run.json"), run.replace("\"id\": \"ppdiff\"", "\"id\": \"tmscore\""))
        .unwrap();
    let components = fs::read_to_string(other.join("components.json")).unwrap();
    fs::write(other.join("components.json"), components.replace("\"C24\"", "\"X01\"")).unwrap();

    let document = cli_json(&["compare", EMERGENT, path_text(&other), "--json"]);

    let warning = "not the same task: a ppdiff, b tmscore";
    assert_eq!(document["warnings"][0], warning);
    let csv = run_cli(&["compare", EMERGENT, path_text(&other), "--csv"]);
    assert!(csv.err.contains(warning));
    let components = document["components"].as_array().unwrap();
    let only = |id: &str| components.iter().find(|it| it["id"] == id).unwrap()["only_in"].clone();
    assert_eq!((only("C24"), only("X01"), only("C01")), ("a".into(), "b".into(), Value::Null));
    // No paired test is computed for two tasks.
    assert_eq!(document["not_compared"], warning);
    assert_eq!((&document["means"], &document["n"]), (&value!([]), &value!(0)));
    assert_eq!(document["slump"]["intervals"]["numbers"], value!([]));
    let process = cli_json(&["process", EMERGENT, path_text(&other), "--json"]);
    let printed = cli_text(&["process", EMERGENT, path_text(&other)]);
    assert_eq!(process["not_compared"], warning);
    let empty = ["ranking", "overall", "by_pillar", "by_condition"].map(|name| &process[name]);
    assert_eq!(empty, [&value!([]); 4]);
    assert_eq!(
        (&process["divergence"], process["runs"].as_array().map(Vec::len)),
        (&Value::Null, Some(2))
    );
    assert!(printed.contains(warning) && !printed.contains("ranking"), "{printed}");
}

#[test]
fn one_run_alone_is_no_comparison() {
    let alone = run_cli(&["compare", EMERGENT]);
    let missing = run_cli(&["compare", EMERGENT, "no-such-run"]);

    assert_eq!(alone.code, Some(2));
    assert_eq!(
        (missing.code, &*missing.err),
        (Some(3), "trajview: cannot read no-such-run: no such file or folder\n")
    );
}
