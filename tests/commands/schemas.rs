//! `docs/schemas`: every document that the program prints or writes has a schema, and is as it says. The check itself is in
//! [`run_cli`], so that each test with `--json` makes it; here are the documents that no other test prints.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use serde_json::Value;

use crate::common::{
    cli_text,
    judged::copy_folder,
    project_path, run_cli,
    schemas::{self, all_schemas, canonical_text, is_to_write},
};

/// Commands on samples of several kinds: with and without a judge, SlopCodeBench, folders of runs, trials without a log,
/// a graded tree alone.
const COMMANDS: &str = "\
agree sample-runs/codex-p12
audit sample-runs/codex-p12 --annotator ana
blame sample-runs/codex-p12 ppdiff/forward.py --line 4
check sample-runs/codex-p12
clusters sample-runs/jobs/harbor
columns
compare sample-runs/codex-p12 sample-runs/codex-p12-single-shot
compare sample-runs/logs/gemini.jsonl sample-runs/logs/pi.jsonl
corpus sample-runs --pair single-shot,emergent
corpus sample-runs/jobs/harbor
cost sample-runs/logs --by turn
cost sample-runs/codex-p12 --by model
diff sample-runs/codex-p12 --stat
find tinycalc sample-runs/logs
history sample-runs/codex-p12 ppdiff/nn.py --diff
layer sample-runs/codex-p12 projectguard:structural
list formats
list keys
list metrics
list rules
losses sample-runs/codex-p12
losses sample-runs/slopcodebench
ls sample-runs/codex-p12
process sample-runs/jobs
process sample-runs/codex-p12
process sample-runs/codex-p12 --signals
sample sample-runs --by format --per-stratum 1
score sample-runs/codex-p12 --each checkpoint
score sample-runs/codex-p12 --detail
score sample-runs/paperbench
score sample-runs/slopcodebench/tally
score sample-runs/logs/pi.jsonl
show sample-runs/codex-p12
show sample-runs/codex-p12 --turn 9
show sample-runs/evocodebench/tinycalc.json/made-a
show sample-runs/jobs/terminal-bench/hello-shell/hello-shell.1-of-1.sample/results.json
show sample-runs/claude-code
show sample-runs/paperbench
show sample-runs/slopcodebench/tally --process
sql select(1) sample-runs/codex-p12";

#[test]
fn what_is_printed_of_samples_is_as_its_schema_says() {
    for line in COMMANDS.lines() {
        let mut words: Vec<&str> = line.split(' ').collect();
        if words == ["columns"] {
            words = vec!["export", "--columns"];
        }
        words.push("--json");
        let ran = run_cli(&words); // checks the output
        assert!(!schemas::documents(&ran.out).is_empty(), "{line}: {}", ran.err);
    }
}

/// Commands on a recording or on a folder of them.
const COMMANDS_ON_ONE: [&str; 8] = [
    "show",
    "show --turn 1",
    "score",
    "score --detail",
    "losses",
    "process --signals",
    "diff --stat",
    "check",
];
const COMMANDS_ON_A_FOLDER: [&str; 5] =
    ["process", "cost --by turn", "corpus", "clusters", "sample --by format --per-stratum 2"];

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn what_is_printed_of_real_recordings_is_as_its_schema_says() {
    let check = |command: &str, path: &Path| {
        let mut words: Vec<&str> = command.split(' ').collect();
        words.insert(1, path.to_str().unwrap());
        words.push("--json");
        let documents = schemas::documents(&run_cli(&words).out);
        documents.iter().for_each(|document| schemas::check_document(document, &words.join(" ")));
        documents.len()
    };
    let mut checked = 0;
    for folder in fs::read_dir(crate::common::real_data()).unwrap().map(|it| it.unwrap().path()) {
        checked += COMMANDS_ON_A_FOLDER.iter().map(|it| check(it, &folder)).sum::<usize>();
        for run in trajview::store::runs_below(&folder) {
            checked += COMMANDS_ON_ONE.iter().map(|it| check(it, &run)).sum::<usize>();
        }
    }
    assert!(checked > 1_000, "{checked}");
}

/// A judge that gives every component the same level, and an agent that writes a line.
#[cfg(unix)]
const SETTINGS: &str = r#"
[judges.same]
kind = "command"
command = ["sh", "-c", "cat >/dev/null; echo '{\"level\": 3, \"rationale\": \"there\", \"evidence\": []}'"]

[judges.twin]
kind = "command"
command = ["sh", "-c", "cat >/dev/null; echo '{\"level\": 2, \"rationale\": \"there\", \"evidence\": []}'"]

[drivers.writer]
start = ["sh", "-c", "cat >>lines.txt"]
"#;

#[cfg(unix)]
const SCRIPT: &str = r#"{"schema": "trajview.script/1", "task": "words",
    "requests": [{"turn": 1, "text": "Write a line.", "checkpoint": "first"}]}"#;

#[cfg(unix)]
#[test]
fn what_judges_and_live_runs_print_and_write_is_as_its_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&project_path("sample-runs/codex-p12"), &folder.path().join("run"));
    let plan = "[scripts.words]\nfile = \"words.json\"\n[agents.writer]\n";
    for (name, text) in [("config.toml", SETTINGS), ("words.json", SCRIPT), ("plan.toml", plan)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let run = |line: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_trajview"))
            .args(line.split(' '))
            .arg("--json")
            .current_dir(folder.path())
            .env("TRAJVIEW_CONFIG", folder.path().join("config.toml"))
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .output()
            .unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let documents = schemas::documents(&out);
        assert!(!documents.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        documents.iter().for_each(|document| schemas::check_document(document, line));
    };

    run("judge run --judge same --dry-run");
    run("judge run --judge same --components C03,C07");
    run("judge run --judge same --judge twin --components C03");
    run("judge run --judge same --each checkpoint --components C03");
    run("judge run --judge same --crash-test --sample 1");
    run("judge --judge same --against run --sample 2 --max-drop 1");
    run("live --agent writer --script words.json --headless --print-plan");
    run("live --agent writer --script words.json --headless --out live");
    run("batch plan.toml --print-plan");
    run("batch plan.toml --headless");

    let checked = check_files_below(folder.path());
    let expected = ["components", "crash-test", "exposure", "judgement", "run", "script"];
    assert_eq!(checked, expected.map(str::to_owned).into());
}

/// Checks the JSON files below a folder that name a schema, and gives the names of the schemas.
fn check_files_below(folder: &Path) -> BTreeSet<String> {
    let mut checked = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        if entry.is_dir() {
            // What a batch notes for itself has no schema, and its scores are documents of commands.
            if entry.extension().is_none_or(|it| it != "batch") {
                checked.extend(check_files_below(&entry));
            }
        } else if entry.extension().is_some_and(|it| it == "json") {
            let document: Value = serde_json::from_slice(&fs::read(&entry).unwrap()).unwrap();
            schemas::check_document(&document, &entry.display().to_string());
            checked.extend(schemas::schema_name(&document).map(str::to_owned));
        }
    }
    checked
}

#[test]
fn files_of_samples_are_as_their_schemas_say() {
    let checked = check_files_below(&project_path("sample-runs"));

    assert!(checked.contains("run") && checked.contains("judgement"), "{checked:?}");
}

#[test]
fn schemas_are_valid_and_describe_every_field() {
    for (name, schema) in all_schemas() {
        let valid = jsonschema::meta::validate(&schema);
        assert!(valid.is_ok(), "{name}: {:?}", valid.err().map(|why| why.to_string()));
        assert_eq!(schema["$id"], format!("urn:trajview:{name}:1"));
        assert_eq!(schema["title"], format!("trajview.{name}/1"));
        assert_ne!(schema["description"], "", "{name} has no description");
        check_descriptions(&schema, &name);
        let text = fs::read_to_string(schemas::schema_path(&name)).unwrap();
        assert!(text == canonical_text(schema), "{name}: the fields are not in order");
    }
}

/// Every field has a description, and an object allows no other fields, or says what they are.
fn check_descriptions(schema: &Value, place: &str) {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        assert!(schema.get("additionalProperties").is_some(), "{place} allows other fields");
        for (name, property) in properties {
            let description = property["description"].as_str().unwrap_or_default();
            let words = "write the description of the new field in docs/schemas";
            assert!(!description.is_empty() || is_to_write(), "{place}.{name}: {words}");
            check_descriptions(property, &format!("{place}.{name}"));
        }
    }
    for part in ["items", "additionalProperties"].into_iter().filter_map(|name| schema.get(name)) {
        check_descriptions(part, &format!("{place}[]"));
    }
    for part in schema["anyOf"].as_array().into_iter().flatten() {
        check_descriptions(part, place);
    }
    for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
        check_descriptions(part, &format!("{place}#{name}"));
    }
}

#[test]
fn a_document_with_another_field_or_type_is_reported() {
    let document = |more: &str| -> Value {
        let text = format!(
            r#"{{"schema": "trajview.signals/1", "signals": [{{"kind": "loop", "path": null,
            "step": "1.2", "until": "1.2", "why": "twice"{more}}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    };

    assert_eq!(schemas::problem(&document("")), None);
    let problem = schemas::problem(&document(r#", "other": 1"#)).unwrap();
    assert!(problem.contains("/signals/0") && problem.contains("'other'"), "{problem}");
    let problem = schemas::problem(&document(r#", "why": null"#)).unwrap();
    assert!(problem.contains("/signals/0/why"), "{problem}");
}

#[test]
fn every_schema_is_listed_and_printed() {
    let table = cli_text(&["list", "schemas"]);
    for name in all_schemas().keys() {
        assert!(table.contains(&format!("{name} ")), "{name} is not listed: {table}");
        let text = fs::read_to_string(schemas::schema_path(name)).unwrap();
        assert_eq!(cli_text(&["list", "schemas", name]), text);
    }
    let ran = run_cli(&["list", "schemas", "scores"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("did you mean score?"), "{}", ran.err);
}
