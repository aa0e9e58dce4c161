//! `trajview score` from the outside: the numbers of runs and folders, what is left out, and what is said of it.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json as value};

use crate::common::{Ran, cli_json, cli_text, project_path, real_data, run_cli};

const RUN: &str = "sample-runs/codex-p12";

fn score_points(document: &Value) -> &Vec<Value> {
    document["points"].as_array().expect("there are points")
}

fn point_numbers(document: &Value, key: &str) -> Vec<f64> {
    score_points(document).iter().map(|point| point[key].as_f64().expect(key)).collect()
}

fn is_close(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9,
        _ => a == b,
    }
}

/// Writes the files of a run, as they stood after a turn, into a folder.
fn checked_out(run: &str, turn: &str, folder: &Path) {
    for path in cli_text(&["ls", run, "--at", turn]).lines() {
        let output = Command::new(env!("CARGO_BIN_EXE_trajview"))
            .args(["cat", run, path, "--at", turn])
            .current_dir(project_path("."))
            .output()
            .unwrap();
        let to = folder.join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, output.stdout).unwrap();
    }
}

#[test]
fn a_run_erodes_from_checkpoint_to_checkpoint() {
    let scored = cli_json(&["score", RUN, "--each", "checkpoint", "--rules", "none", "--json"]);

    assert_eq!(scored["schema"], "trajview.score/1");
    assert_eq!((&scored["profile"], &scored["rules"]["count"]), (&"trajview".into(), &0.into()));
    let erosion = point_numbers(&scored, "erosion");
    assert_eq!(erosion.len(), 9);
    assert!(erosion.is_sorted() && erosion[0] == 0.0 && erosion[8] > 0.4, "{erosion:?}");
    let phases: Vec<&Value> = score_points(&scored).iter().map(|point| &point["phase"]).collect();
    let expected = ["start", "early", "early", "early", "mid", "mid", "late", "late", "final"];
    assert_eq!(phases, expected);
    let last = &score_points(&scored)[8];
    assert_eq!((&last["turn"], &last["bin"]), (&56.into(), &1.0.into()));
    assert_eq!(last["commit"], cli_json(&["show", RUN, "--json"])["turns"][55]["commit"]);
}

#[test]
fn a_snapshot_scores_the_same_in_its_run_and_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    checked_out(RUN, "47", folder.path());
    let folder = folder.path().to_str().unwrap();

    let every = cli_json(&["score", RUN, "--each", "turn", "--detail", "--json"]);
    let alone = cli_json(&["score", "--tree", folder, "--detail", "--json"]);

    let (of_run, of_folder) = (&score_points(&every)[46], &score_points(&alone)[0]);
    for key in [
        "files",
        "lines",
        "mass",
        "erosion",
        "flagged_lines",
        "verbosity",
        "gini",
        "detail",
        "by_language",
    ] {
        assert_eq!(of_run[key], of_folder[key], "{key}");
    }
    assert!(of_folder["mass"].as_f64().unwrap() > 1000.0);
}

#[test]
fn the_second_time_is_answered_from_the_cache_with_the_same_numbers() {
    let cache = tempfile::tempdir().unwrap();
    let score = || {
        let output = Command::new(env!("CARGO_BIN_EXE_trajview"))
            .args(["score", RUN, "--each", "turn", "--detail", "--json"])
            .current_dir(project_path("."))
            .env("XDG_CACHE_HOME", cache.path())
            .output()
            .unwrap();
        assert!(output.status.success());
        output.stdout
    };
    let first = score();
    let file = cache.path().join("trajview/measures.sqlite");
    let written = fs::read(&file).unwrap();

    assert!(first == score());

    assert!(written.len() > 20_000 && written == fs::read(&file).unwrap());
    assert!(
        first
            == cli_text(&["score", RUN, "--each", "turn", "--detail", "--json", "--no-cache"])
                .into_bytes()
    );
}

#[test]
fn what_does_not_count_is_listed_with_why() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("good.py", b"def f(a):\n    return a\n");
    write("bad.py", b"def f(:\n");
    write("latin.py", b"# caf\xe9\n");
    write("notes.txt", b"def f(:\n");
    let path = folder.path().to_str().unwrap();

    let scored = cli_json(&["score", "--tree", path, "--json"]);

    let point = &score_points(&scored)[0];
    assert_eq!((&point["files"], &point["callables"]), (&1.into(), &1.into()));
    let skipped: Vec<(&str, &str)> = point["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["path"].as_str().unwrap(), row["why"].as_str().unwrap()))
        .collect();
    assert_eq!(skipped, [("bad.py", "syntax error"), ("latin.py", "not UTF-8")]);
    assert!(cli_text(&["score", "--tree", path]).contains("left out: bad.py: syntax error"));
}

#[test]
fn a_snapshot_without_contents_is_not_recorded_rather_than_zero() {
    let scored = cli_json(&["score", "sample-runs/codex-exec-json", "--json"]);

    let point = &score_points(&scored)[0];
    for key in ["erosion", "verbosity", "mass", "files", "lines"] {
        assert_eq!(point[key], Value::Null, "{key}");
    }
    let skipped = point["skipped"].as_array().unwrap();
    assert!(!skipped.is_empty() && skipped.iter().all(|row| row["why"] == "content not recorded"));
}

#[test]
fn a_rule_with_a_mistake_is_named_and_the_others_run() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules.yml");
    let text = "id: print-call\nlanguage: Python\nrule: {pattern: print($A)}\n---\nid: broken\nlanguage: Python\n\
                rule: {patern: x}\n---\nid: exit-call\nlanguage: Python\nrule: {pattern: exit($A)}\n";
    fs::write(&rules, text).unwrap();
    fs::write(folder.path().join("a.py"), "print(1)\nexit(2)\nprint(3)\n").unwrap();
    let (rules, folder) = (rules.to_str().unwrap(), folder.path().to_str().unwrap());

    let ran = run_cli(&["score", "--tree", folder, "--rules", rules, "--json"]);

    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("rules.yml:5: broken: "), "{}", ran.err);
    let scored: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&scored["rules"]["count"], &score_points(&scored)[0]["rule_lines"]),
        (&2.into(), &3.into())
    );
    assert_eq!(scored["rules"]["problems"][0]["rule"], "broken");
}

#[test]
fn wrong_words_are_told_in_a_sentence() {
    let said = |arguments: &[&str]| {
        let ran = run_cli(arguments);
        (ran.code, ran.err)
    };
    let (code, err) = said(&["score", RUN, "--profile", "mine"]);
    assert!(code == Some(2) && err.contains("possible values: scb-paper"), "{err}");
    let (code, err) = said(&["score", RUN, "--rules", "no-such-file.yml"]);
    assert!(code == Some(3) && err.contains("no such file"), "{err}");
    let (code, err) = said(&["score", "sample-runs/claude-code", "--each", "checkpoint"]);
    assert!(code == Some(4) && err.contains("records no checkpoints"), "{err}");
    let (code, err) = said(&["rules", "no-such-rule"]);
    assert!(code == Some(2) && err.contains("no rule is called"), "{err}");
    assert_eq!(said(&["score"]).0, Some(2));
}

#[test]
fn two_runs_make_two_documents_and_one_csv() {
    let other = "sample-runs/codex-p12-single-shot";
    let documents = cli_text(&["score", RUN, other, "--json"]);
    let documents: Vec<Value> =
        serde_json::Deserializer::from_str(&documents).into_iter().map(Result::unwrap).collect();
    assert_eq!(documents.len(), 2);

    let table = cli_text(&["score", RUN, other, "--csv"]);
    let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let column = rows[0].iter().position(|head| *head == "erosion").unwrap();
    for (row, document) in rows[1..].iter().zip(&documents) {
        let erosion: f64 = row[column].parse().unwrap();
        assert_eq!(Some(erosion), score_points(document)[0]["erosion"].as_f64());
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn a_real_run_of_the_benchmark_scores_as_its_harness_recorded() {
    let data = real_data();
    let run = data.join("slopcodebench/run");
    let run = run.to_str().unwrap();

    // The harness recorded no hit of any rule, so its verbosity is that of clones alone.
    let arguments = [
        "score",
        run,
        "--each",
        "checkpoint",
        "--profile",
        "scb-paper",
        "--rules",
        "none",
        "--json",
    ];
    let scored = cli_json(&arguments);

    assert_eq!(score_points(&scored).len(), 4);
    for point in score_points(&scored) {
        let recorded = point["recorded"].as_object().unwrap();
        for metric in [
            "erosion",
            "verbosity",
            "files",
            "lines",
            "sloc",
            "callables",
            "high_cc",
            "max_cc",
            "mean_cc",
            "flagged_lines",
            "clone_lines",
        ] {
            let (ours, theirs) = (&point[metric], &recorded[metric]);
            assert!(is_close(ours, theirs), "{metric}: {ours} and {theirs}");
        }
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn recorded_verbosity_without_a_rule_hit_and_with_later_clones_is_flagged_where_it_is_shown() {
    let run = real_data().join("slopcodebench/run");
    let run = run.to_str().unwrap();

    let scored = cli_json(&["score", run, "--each", "checkpoint", "--json"]);
    let shown = cli_text(&["score", run, "--each", "checkpoint"]);

    for point in score_points(&scored) {
        let doubts = &point["recorded_doubts"];
        let why = "every rule count is 0, and clones by a later rule than the paper's";
        assert_eq!(doubts["verbosity"], why);
        assert_eq!(doubts["erosion"], Value::Null);
    }
    assert!(shown.contains("? recorded verbosity: every rule count is 0"), "{shown}");
    assert!(shown.contains("0.1126? | "), "{shown}");
    assert!(shown.contains("24 | 24") && shown.contains("799 | 799"), "{shown}");
}

#[test]
fn a_folder_of_which_nothing_could_be_measured_has_no_score_and_ends_with_4() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.py"), "def f(:\n").unwrap();
    let path = folder.path().to_str().unwrap();

    for profile in ["trajview", "scb-paper", "scb-check-0.2.0"] {
        let arguments = ["score", "--tree", path, "--profile", profile, "--json"];
        let Ran { code, out, err } = run_cli(&arguments);

        assert_eq!(code, Some(4), "{profile}");
        assert!(err.contains("not measured: a.py: syntax error"), "{err}");
        let scored: Value = serde_json::from_str(&out).unwrap();
        let point = &score_points(&scored)[0];
        for field in ["files", "erosion", "verbosity", "gini", "mass", "sloc", "callables"] {
            assert_eq!(point[field], Value::Null, "{profile} {field}");
        }
        assert_eq!(point["unmeasured"], "a.py: syntax error");
    }
}

#[test]
fn under_built_in_rules_a_profile_is_called_trajview_rules_and_its_verbosity_not_comparable() {
    let run = "sample-runs/codex-p12";
    let named = |profile: &str| {
        let scored = cli_json(&["score", run, "--profile", profile, "--json"]);
        let not = score_points(&scored)[0]["not_comparable"].clone();
        (scored["profile"].clone(), scored["formulas"].clone(), scored["comparable"].clone(), not)
    };

    for profile in ["scb-paper", "scb-check-0.1.3", "scb-check-0.2.0"] {
        let (name, formulas, comparable, not) = named(profile);
        assert_eq!(name, format!("trajview rules, {profile} formulas"));
        assert_eq!((formulas, comparable), (profile.into(), false.into()));
        assert_eq!(not, value!(["verbosity", "rule_lines", "flagged_lines"]));
        let shown = cli_text(&["score", run, "--profile", profile]);
        assert!(shown.contains("verbosity (not comparable)"), "{shown}");
    }
    let (name, _, comparable, not) = named("trajview");
    assert_eq!((name, comparable, not), ("trajview".into(), true.into(), value!([])));
}

const TREE: &str = "sample-runs/paperbench";

#[test]
fn a_rubric_tree_has_its_own_scores_and_null_for_those_of_code() {
    let scored = cli_json(&["score", TREE, "--json"]);

    assert_eq!(
        (score_points(&scored).len(), &scored["tests"], &scored["process"]),
        (0, &Value::Null, &Value::Null)
    );
    let tree = &scored["rubric_tree"];
    assert_eq!(
        (&tree["score"], &tree["recorded"]),
        (&value!(0.6729166666666666), &value!(0.6729166666666666))
    );
    assert_eq!(
        (&tree["score_without_invalid"], &tree["code_only"]),
        (&value!(0.775), &value!(0.7685185185185185))
    );
    assert_eq!([&tree["leaves"], &tree["nodes"], &tree["depth"], &tree["invalid"]], [27, 37, 3, 2]);
    assert_eq!(tree.get("detail"), None);
}

#[test]
fn a_rubric_tree_is_told_node_by_node() {
    let scored = cli_json(&["score", TREE, "--detail", "--json"]);

    let nodes = scored["rubric_tree"]["detail"]["nodes"].as_array().unwrap();
    let lost = nodes.iter().find(|node| node["path"] == "0/1/1/2").unwrap();
    assert_eq!(
        (nodes.len(), &lost["score"], &lost["validity"]),
        (37, &value!(0.0), &value!("valid"))
    );
    assert_eq!((&lost["weight"], &lost["category"]), (&value!(3.0), &value!("Code Development")));
    let invalid = nodes.iter().find(|node| node["path"] == "0/2/3").unwrap();
    assert_eq!((&invalid["validity"], &invalid["tokens"]), (&value!("invalid"), &Value::Null));

    let table = cli_text(&["score", TREE, "--detail", "--md"]);
    assert!(
        table
            .contains("| 0/2 | 5 | 0.2500 | 0.6667 | 0.6667 | partly | - | Sequence and structure"),
        "{table}"
    );
}

#[test]
fn a_rubric_tree_is_a_row_of_the_table_of_all_runs() {
    let table = cli_text(&["score", TREE, "--csv"]);

    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let [heads, cells] = rows.as_slice() else { panic!("{table}") };
    let cell = |name: &str| cells[heads.iter().position(|head| *head == name).unwrap()];
    assert_eq!(cells.len(), heads.len());
    assert_eq!(
        (cell("rubric_score"), cell("rubric_invalid"), cell("erosion")),
        ("0.6729166666666666", "2", "")
    );
}

#[test]
fn a_bundle_shows_the_rubric_tree_that_lies_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle");
    let path = bundle.to_str().unwrap();
    cli_text(&["import", "sample-runs/claude-code", "--out", path]);
    fs::copy(project_path(TREE).join("grader_output.json"), bundle.join("grader_output.json"))
        .unwrap();

    let scored = cli_json(&["score", path, "--rules", "none", "--json"]);

    assert_eq!((score_points(&scored).len(), &scored["rubric_tree"]["nodes"]), (1, &value!(37)));
    assert!(cli_text(&["check", path]).contains("a rubric tree of 37 nodes, no warnings"));
    let copy = folder.path().join("copy");
    cli_text(&["import", path, "--out", copy.to_str().unwrap()]);
    assert!(copy.join("grader_output.json").exists());
}

#[test]
fn a_file_without_turns_is_no_bundle() {
    let folder = tempfile::tempdir().unwrap();
    let ran = run_cli(&["import", TREE, "--out", folder.path().join("b").to_str().unwrap()]);
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("so it needs no bundle"), "{}", ran.err);
}

#[test]
fn a_score_by_step_is_that_of_the_files_after_the_step() {
    let run = "sample-runs/claude-code";
    let scored = cli_json(&["score", run, "--by", "step", "--json"]);
    let all = score_points(&scored);
    let labels: Vec<&str> = all.iter().filter_map(|point| point["label"].as_str()).collect();
    assert_eq!(labels[..4], ["step 1.5", "step 1.6", "step 1.7", "step 2.2"], "{labels:?}");
    assert!(all.iter().all(|point| point["step"].is_null() || point["recorded"].is_null()));

    for at in ["1.6", "1.7", "2.2"] {
        let folder = tempfile::tempdir().unwrap();
        checked_out(run, at, folder.path());
        let tree = cli_json(&["score", "--tree", folder.path().to_str().unwrap(), "--json"]);
        let point = all.iter().find(|it| it["label"] == format!("step {at}")).unwrap();
        for key in ["erosion", "verbosity", "sloc", "callables"] {
            assert_eq!(point[key], score_points(&tree)[0][key], "{key} at {at}");
        }
    }
}
