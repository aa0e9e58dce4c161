//! `trajview new` and `check` of what it makes: files to fill in, and what is missing in them.

use std::fs;

use crate::common::{cli_text, run_cli};

fn new_file(arguments: &[&str]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.json");
    let text = cli_text(&[&["new"], arguments].concat());
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// What `check` says of a file, without its folder.
fn check_file(path: &str) -> (Option<i32>, String) {
    let ran = run_cli(&["check", path]);
    let folder = std::path::Path::new(path).parent().unwrap().to_str().unwrap();
    (ran.code, ran.out.replace(folder, "DIR"))
}

#[test]
fn a_new_checklist_says_what_is_missing_and_nothing_once_it_is_filled_in() {
    let (_folder, path) = new_file(&["checklist"]);

    let (code, missing) = check_file(&path);

    assert_eq!(code, Some(1));
    assert!(missing.contains("components[0].id: expected text that is not blank"), "{missing}");
    assert!(missing.contains("components[0].name: expected text that is not blank"), "{missing}");
    assert!(!missing.contains("no such field"), "{missing}");
    let text = fs::read_to_string(&path).unwrap();
    let filled = text
        .replace("\"id\": \"\"", "\"id\": \"C01\"")
        .replace("\"name\": \"\"", "\"name\": \"Schedule\"")
        .replace("\"intent\": \"\"", "\"intent\": \"makes betas\"");
    fs::write(&path, filled).unwrap();
    assert_eq!(
        check_file(&path),
        (Some(0), "DIR/new.json: components, checked without a run, no warnings\n".into())
    );
}

#[test]
fn a_new_judgement_of_a_run_has_its_components_and_its_last_state() {
    let (_folder, path) = new_file(&["judgement", "sample-runs/codex-p12"]);

    let (code, missing) = check_file(&path);

    let text = fs::read_to_string(&path).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["turn"], 56);
    assert_eq!(document["commit"], "610540d2038c3343ff934f9f90ced3b4806f89ad");
    assert_eq!(document["scores"].as_array().unwrap().len(), 24);
    assert_eq!(code, Some(1));
    assert_eq!(missing.matches("has no score and no error or reason").count(), 24, "{missing}");
    assert!(missing.contains("judge.name: expected text that is not blank"), "{missing}");
}

#[test]
fn a_new_judgement_of_a_moment_is_of_that_state() {
    let text = cli_text(&["new", "judgement", "sample-runs/codex-p12", "--at", "3"]);

    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["turn"], 3);
}

#[test]
fn nothing_is_written_over() {
    let (_folder, path) = new_file(&["checklist"]);

    let ran = run_cli(&["new", "checklist", "--out", &path]);

    assert_eq!(ran.code, Some(3));
    assert!(ran.err.contains("cannot write"), "{}", ran.err);
}

#[test]
fn a_new_study_names_its_runs_and_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.toml").to_str().unwrap().to_owned();
    let run = crate::common::project_path("sample-runs/codex-p12").to_str().unwrap().to_owned();

    let empty = cli_text(&["new", "study"]);
    fs::write(&path, empty).unwrap();
    let (code, missing) = check_file(&path);
    assert_eq!(code, Some(1));
    assert!(missing.contains("runs: expected paths of run bundles"), "{missing}");

    fs::remove_file(&path).unwrap();
    cli_text(&["new", "study", &run, "--out", &path]);
    let text = fs::read_to_string(&path).unwrap();
    let named = text.replace("name = \"\"", "name = \"one\"");
    fs::write(&path, named.replace("raters = []", "raters = [\"ana\", \"ben\"]")).unwrap();
    assert_eq!(check_file(&path), (Some(0), "DIR/study.toml: study, no warnings\n".into()));
}
