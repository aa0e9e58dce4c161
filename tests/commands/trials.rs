//! What a harness measured of each run, in every table: on bundles whose `run.json` has a `trial`, one of them without a
//! log and one without a result.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::common::{at_columns, cli_json, cli_text, run_cli};

const LOG: &str = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"timestamp\":\"2026-01-01T00:00:03Z\",\"message\":{\"role\":\"user\",\"content\":\"mend it\"}}\n";

fn write_run(folder: &Path, name: &str, trial: &Value, log: Option<&str>) {
    let bundle = folder.join(name);
    fs::create_dir_all(bundle.join("session")).unwrap();
    let turns = log.map(|_| json!({"turn": 1, "session": "s.jsonl", "first_line": 1}));
    let manifest = json!({
        "schema": "trajview.run/1", "id": name, "title": name, "agent": {"name": "codex"},
        "turns": turns.into_iter().collect::<Vec<_>>(), "trial": trial,
    });
    if let Some(log) = log {
        fs::write(bundle.join("session/s.jsonl"), log).unwrap();
    }
    fs::write(bundle.join("run.json"), manifest.to_string()).unwrap();
}

/// Five runs at two tasks.
fn made_trials() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let scored = |task: &str, attempt: u32, outcome: &str, reward: f64| {
        json!({"task": task, "attempt": attempt, "outcome": outcome, "reward": reward,
               "reward_name": "tests", "other_rewards": [["style", 0.5]], "source": "result.json"})
    };
    let broken = json!({"task": "beta", "attempt": 1, "outcome": "error", "error": "AgentError: exit 1",
                        "notes": ["reward.txt has 1"], "source": "result.json"});
    write_run(folder.path(), "a1", &scored("alpha", 1, "passed", 1.0), Some(LOG));
    write_run(folder.path(), "a2", &scored("alpha", 2, "failed", 0.0), Some(LOG));
    write_run(folder.path(), "a3", &scored("alpha", 3, "partial", 0.25), Some(LOG));
    write_run(folder.path(), "b1", &broken, None);
    write_run(folder.path(), "none", &Value::Null, Some(LOG));
    folder
}

/// The columns of the trials, run by run.
fn expected_rows() -> Vec<Value> {
    let row = |task, attempt, outcome, reward, name, error| {
        json!({"task": task, "attempt": attempt, "outcome": outcome, "reward": reward,
               "reward_name": name, "error": error})
    };
    let null = Value::Null;
    let (tests, no_name) = (json!("tests"), null.clone());
    vec![
        row(json!("alpha"), json!(1), json!("passed"), json!(1.0), tests.clone(), null.clone()),
        row(json!("alpha"), json!(2), json!("failed"), json!(0.0), tests.clone(), null.clone()),
        row(json!("alpha"), json!(3), json!("partial"), json!(0.25), tests, null.clone()),
        row(
            json!("beta"),
            json!(1),
            json!("error"),
            null.clone(),
            no_name,
            json!("AgentError: exit 1"),
        ),
        row(null.clone(), null.clone(), null.clone(), null.clone(), null.clone(), null),
    ]
}

const NAMES: [&str; 6] = ["task", "attempt", "outcome", "reward", "reward_name", "error"];

/// Takes the columns of trials out of rows; numbers are compared as numbers.
fn trial_columns(rows: &Value) -> Vec<Value> {
    let value = |row: &Value, name: &str| match (name, row[name].as_f64()) {
        ("reward", Some(reward)) => json!(reward),
        _ => row[name].clone(),
    };
    let row = |row: &Value| NAMES.map(|name| (name.to_owned(), value(row, name)));
    let rows = rows.as_array().unwrap().iter();
    rows.map(|it| Value::Object(row(it).into_iter().collect())).collect()
}

fn path_of(folder: &tempfile::TempDir) -> String {
    folder.path().to_str().unwrap().to_owned()
}

#[test]
fn corpus_sql_and_an_export_have_the_columns_of_trials() {
    let folder = made_trials();
    let path = path_of(&folder);

    let corpus = cli_json(&["corpus", &path, "--json"]);
    let query = "select task, attempt, outcome, reward, reward_name, error from runs order by transcript_id";
    let queried = cli_json(&["sql", query, &path, "--json"]);
    let out = tempfile::tempdir().unwrap();
    let exported = out.path().join("tables").to_str().unwrap().to_owned();
    cli_text(&["export", &path, "--parquet", &exported, "--tables", "runs"]);
    let from_export = cli_json(&["sql", query, &exported, "--json"]);

    assert_eq!(trial_columns(&corpus["runs"]), expected_rows());
    assert_eq!(trial_columns(&queried["rows"]), expected_rows());
    assert_eq!(trial_columns(&from_export["rows"]), expected_rows());
    let text = cli_text(&["corpus", &path]);
    let counts = "5 runs · 1 passed · 1 failed · 1 partial · 1 error · 1 not recorded · profile";
    assert!(text.starts_with(counts), "{text}");
    let head = cli_text(&["corpus", &path, "--csv"]);
    assert!(
        head.starts_with("run,path,format,task,attempt,outcome,reward,reward_name,error,agent")
    );
}

#[test]
fn the_score_of_a_trial_is_its_reward_and_a_crash_is_neither_a_success_nor_a_failure() {
    let folder = made_trials();

    let query = "select outcome, score, success from runs order by transcript_id";
    let rows = cli_json(&["sql", query, &path_of(&folder), "--json"])["rows"].clone();

    let row = |at: usize| (rows[at]["score"].as_str().map(str::to_owned), &rows[at]["success"]);
    assert_eq!(row(0), (Some("1.0".into()), &json!(1)));
    assert_eq!(row(2), (Some("0.25".into()), &json!(0)));
    assert_eq!((row(3), row(4)), ((None, &Value::Null), (None, &Value::Null)));
}

#[test]
fn samples_are_drawn_by_task_and_outcome() {
    let folder = made_trials();

    let path = path_of(&folder);
    let drawn =
        cli_json(&["sample", &path, "--by", "task,outcome", "--per-stratum", "1", "--json"]);

    let strata = drawn["strata"].as_array().unwrap().iter();
    let values: Vec<_> =
        strata.map(|it| (it["values"]["task"].clone(), it["values"]["outcome"].clone())).collect();
    let expected =
        [("alpha", "failed"), ("alpha", "partial"), ("alpha", "passed"), ("beta", "error")];
    assert_eq!(values[0], (Value::Null, Value::Null));
    assert_eq!(values[1..], expected.map(|(task, outcome)| (json!(task), json!(outcome))));
}

#[test]
fn show_and_compare_have_the_result_and_a_trial_without_a_log_says_so() {
    let folder = made_trials();
    let [good, broken] = ["a1", "b1"].map(|it| folder.path().join(it).to_str().unwrap().to_owned());

    let shown = cli_json(&["show", &broken, "--json"]);
    let text = cli_text(&["show", &broken]);
    let compared = cli_json(&["compare", &good, &broken, "--json"]);
    let table = cli_text(&["compare", &good, &broken]);

    assert_eq!(shown["trial"]["outcome"], "error");
    assert_eq!(
        (&shown["totals"]["turns"], &shown["totals"]["steps"]),
        (&Value::Null, &Value::Null)
    );
    for line in [
        "b1 · beta · codex\n",
        "outcome: ! error\n",
        "error: AgentError: exit 1\n",
        "no turns: this trial has no log that can be read\n",
        "warning: result.json: reward.txt has 1\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!(compared["a"]["reward"], 1.0);
    assert_eq!(
        trial_columns(&compared["runs"]),
        [expected_rows()[0].clone(), expected_rows()[3].clone()]
    );
    assert_eq!(table.matches("outcome ").count(), 1, "{table}");
    let text = cli_text(&["show", &good]);
    assert!(
        text.contains("outcome: ✓ passed\nreward: 1 (tests)\nother rewards: style 0.5\n"),
        "{text}"
    );
}

#[test]
fn a_bundle_that_is_imported_keeps_the_result() {
    let folder = made_trials();
    let [from, to] =
        ["b1", "imported"].map(|it| folder.path().join(it).to_str().unwrap().to_owned());

    cli_text(&["import", &from, "--out", &to]);

    let [before, after] =
        [from, to].map(|path| cli_json(&["show", &path, "--json"])["trial"].clone());
    assert_eq!(before, after);
    assert_eq!(after["notes"], json!(["reward.txt has 1"]));
}

#[test]
fn no_command_fails_on_a_trial_without_a_log() {
    let folder = made_trials();
    let run = folder.path().join("b1").to_str().unwrap().to_owned();
    let report = folder.path().join("report.html").to_str().unwrap().to_owned();

    for command in [
        &["process"][..],
        &["process", "--json"],
        &["score"],
        &["score", "--json"],
        &["cost"],
        &["ls"],
        &["diff"],
        &["check"],
        &["export", "--messages"],
        &["clusters"],
        &["find", "mend"],
        &["report", "--out", &report],
    ] {
        let ran = run_cli(&[command, &[&run]].concat());
        assert!(matches!(ran.code, Some(0 | 1)), "{command:?}: {:?} {}", ran.code, ran.err);
        assert!(!ran.err.contains("internal error"), "{command:?}: {}", ran.err);
    }
}

fn frame(keys: &str, path: &str) -> String {
    at_columns(120, &[path, "--snapshot", "120x30", "--keys", keys])
}

#[test]
fn the_table_of_runs_counts_filters_and_groups_by_outcome() {
    let folder = made_trials();
    let path = path_of(&folder);

    let all = frame("", &path);
    let filtered = frame("/ o u t c o m e : f a i l e d <enter>", &path);
    let grouped = frame("z z", &path);

    assert!(
        all.contains("5 runs · 1 passed · 1 failed · 1 partial · 1 error · 1 not recorded"),
        "{all}"
    );
    assert!(all.contains("task   outcome  reward  attempt") || all.contains("outcome"), "{all}");
    let row = all.lines().find(|line| line.contains("a3")).unwrap();
    assert!(row.contains("alpha") && row.contains("partial") && row.contains("0.25"), "{row}");
    let row = all.lines().find(|line| line.contains("b1")).unwrap();
    assert!(row.contains("error") && row.contains('—') && !row.contains(" 0 "), "{row}");
    assert!(filtered.contains("1 match `outcome:failed`"), "{filtered}");
    assert!(grouped.contains("by outcome"), "{grouped}");
}

#[test]
fn a_search_has_the_filters_of_the_table_on_the_result_of_the_harness() {
    let jobs = "sample-runs/jobs/harbor";
    let runs = |query: &str| {
        let found = cli_text(&["find", query, jobs, "--no-index", "--json", "-m", "1"]);
        let run = |line: &str| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["path"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        let names = found.lines().map(|line| run(line).split('/').nth(3).unwrap().to_owned());
        names.collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };

    assert_eq!(runs("outcome:failed"), ["sum-column__Zx9cRtM"]);
    assert_eq!(runs("cut task:sum !outcome:failed"), ["sum-column__Kd2bWpA"]);
    assert_eq!(runs("reward>=0.75 attempt=1"), ["sum-column__Kd2bWpA", "two-steps__Hn7sLqE"]);
    assert_eq!(runs("reward:-"), ["parse-dates__Qm3vTzK"]);
}

#[test]
fn the_head_of_the_replay_has_the_outcome_and_a_trial_without_a_log_its_result() {
    let folder = made_trials();
    let run = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();

    let failed = frame("", &run("a2"));
    let broken = frame("", &run("b1"));

    assert!(failed.lines().next().unwrap().contains("✗ failed · tests 0"), "{failed}");
    assert!(broken.lines().next().unwrap().contains("! error"), "{broken}");
    for words in ["this trial has no log that can be read", "error: AgentError: exit 1"] {
        assert!(broken.contains(words), "{words}: {broken}");
    }
    for keys in ["2", "3", "4", "8", "9", "n", "j", "<enter>", "i", "e", "<right>"] {
        assert!(!frame(keys, &run("b1")).is_empty());
    }
}

#[test]
fn harnesses_that_were_read_before_have_the_same_columns() {
    let slop = cli_json(&["show", "sample-runs/slopcodebench/tally", "--json"])["trial"].clone();
    let query = "select task, outcome, reward, reward_name from runs";
    let tree = cli_json(&["sql", query, "sample-runs/paperbench", "--json"])["rows"].clone();

    assert_eq!((&slop["task"], &slop["outcome"]), (&json!("tally"), &json!("failed")));
    assert_eq!(slop["reward_name"], "strict_pass_rate");
    let graded = tree.as_array().unwrap().iter().find(|row| !row["reward"].is_null()).unwrap();
    assert_eq!((&graded["outcome"], &graded["reward_name"]), (&Value::Null, &json!("score")));
}

#[test]
fn evaluations_of_swe_bench_are_rows_with_outcomes_with_or_without_a_log() {
    let job = "sample-runs/jobs/swe-bench";
    let shown = |path: &str| cli_json(&["show", path, "--json"])["trial"].clone();
    let below = "logs/run_evaluation/made/scripted";

    let passed =
        shown(&format!("{job}/trajectories/scripted/made__tinycalc-1/made__tinycalc-1.traj"));
    let late = shown(&format!("{job}/{below}/made__tinycalc-3/run_instance.log"));
    let empty = shown(&format!("{job}/scripted.made.json/made__tinycalc-4"));

    assert_eq!((&passed["outcome"], &passed["reward"]), (&json!("passed"), &json!(1.0)));
    assert_eq!(late["outcome"], "error");
    assert_eq!(late["error"], "Test timed out after 60 seconds.");
    assert_eq!((&empty["outcome"], &empty["task"]), (&json!("failed"), &json!("made__tinycalc-4")));
    let outcomes = cli_text(&["corpus", job, "--outcomes", "--csv"]);
    let frame = frame("", job);
    assert!(frame.contains("4 runs · 1 passed · 2 failed · 1 error"), "{frame}");
    assert!(outcomes.lines().count() > 1, "{outcomes}");
}

#[test]
fn the_record_of_a_trial_without_a_log_is_not_imported() {
    let out = tempfile::tempdir().unwrap();
    let record = "sample-runs/jobs/harbor/parse-dates__Qm3vTzK/result.json";

    let ran = run_cli(&["import", record, "--out", out.path().join("bundle").to_str().unwrap()]);

    assert_ne!(ran.code, Some(0));
    assert!(ran.err.contains("a trial without a log"), "{}", ran.err);
    assert!(!out.path().join("bundle").exists());
}
