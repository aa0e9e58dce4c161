//! `trajview layer`: a layer over a recorded run, and whether its briefs named what the run lost.

use std::fs;

use serde_json::Value;

use crate::common::{cli_json, cli_text, project_path, run_cli};

fn replay_layer(spec: &str, run: &str) -> Value {
    let path = project_path("sample-runs").join(run);
    cli_json(&["layer", &path.display().to_string(), spec, "--json"])
}

/// `C10: symbol`
fn lost_components(document: &Value) -> Vec<String> {
    let rows = document["lost_components"].as_array().unwrap().iter();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    rows.map(|row| format!("{} {}", word(&row["component"]), word(&row["named"]))).collect()
}

#[test]
fn the_structure_alone_names_the_modules_that_the_sample_passes_by() {
    let named = ["C10 symbol", "C17 symbol", "C18 symbol", "C20 symbol"];

    assert_eq!(lost_components(&replay_layer("projectguard", "codex-p12")), named);
    assert_eq!(lost_components(&replay_layer("projectguard:structural", "codex-p12")), named);
}

#[test]
fn briefs_stay_within_their_budget_and_do_not_name_everything() {
    for run in ["codex-p12", "codex-p12-single-shot", "claude-code", "codex-rollout"] {
        let document = replay_layer("projectguard", run);
        let most = document["totals"]["most_tokens"].as_u64().unwrap_or(0);
        assert!(most <= 700, "{run}: {most} tokens");
    }
    let totals = &replay_layer("projectguard", "codex-p12")["totals"];
    assert!(totals["share_named"].as_f64().unwrap() < 0.4, "{totals}");
    assert!(totals["recall"].as_f64().unwrap() > 0.4, "{totals}");
    assert!(totals["precision"].as_f64().unwrap() > 0.3, "{totals}");
}

#[test]
fn every_sentence_says_what_it_is_from() {
    let document = replay_layer("projectguard", "codex-p12");
    for turn in document["turns"].as_array().unwrap() {
        for sentence in turn["sentences"].as_array().unwrap() {
            let is_heading = sentence["text"].as_str().unwrap().ends_with(':');
            let from = sentence["from"].as_array().unwrap();
            assert_eq!(from.is_empty(), is_heading, "{sentence}");
        }
    }
}

#[test]
fn one_brief_is_printed_with_what_each_sentence_is_from() {
    let path = project_path("sample-runs/codex-p12").display().to_string();
    insta::assert_snapshot!(cli_text(&["layer", &path, "projectguard", "--turn", "46"]));
}

#[test]
fn state_and_briefs_are_kept_a_commit_a_turn() {
    let place = tempfile::tempdir().unwrap();
    let path = project_path("sample-runs/codex-p12").display().to_string();
    let out = place.path().display().to_string();

    run_cli(&["layer", &path, "projectguard:semantic", "--out", &out, "--lost"]);

    let kept = trajview::store::layers::layer_history::read_layers(place.path());
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].turns.len(), 56);
    assert_eq!(kept[0].name, "projectguard:semantic");
    assert!(kept[0].turns[55].state.keys().any(|file| file.starts_with("records/design-")));
}

#[test]
fn a_helper_model_writes_records_and_briefs_within_its_budget() {
    let place = tempfile::tempdir().unwrap();
    let script = place.path().join("model.sh");
    fs::write(
        &script,
        "#!/bin/sh\nif grep -q 'prepare a coding agent'; then\n\
         echo '{\"purpose\":{\"text\":\"Go on.\",\"cites\":[\"request 1\"]},\"files\":[]}'\nelse\n\
         echo '{\"records\":[{\"type\":\"design\",\"title\":\"Core\",\"body\":\"Standard library only.\",\"origins\":[\"request\"]},\
         {\"type\":\"design\",\"title\":\"Said\",\"body\":\"x\",\"origins\":[]}]}'\nfi\n",
    )
    .unwrap();
    let settings = place.path().join("settings.toml");
    let command = format!("[\"sh\", \"{}\"]", script.display());
    fs::write(&settings, format!("[judges.small]\nkind = \"command\"\ncommand = {command}\n"))
        .unwrap();
    let path = project_path("sample-runs/codex-p12").display().to_string();
    let settings = settings.display().to_string();

    let document = cli_json(&[
        "layer",
        &path,
        "projectguard:semantic,forecast",
        "--json",
        "--helper",
        "small",
        "--helper-budget",
        "4",
        "--config",
        &settings,
    ]);

    assert_eq!(document["totals"]["spent"]["calls"], 4);
    assert_eq!(document["turns"][0]["sentences"][0]["text"], "- Go on.");
    assert_eq!(document["without_helper"], Value::Null);
}

#[test]
fn what_is_not_there_is_said() {
    let path = project_path("sample-runs/codex-p12").display().to_string();
    let said = |arguments: &[&str]| run_cli(arguments).err;

    let unknown = said(&["layer", &path, "nothing"]);
    let part = said(&["layer", &path, "projectguard:all"]);
    let helper = said(&["layer", &path, "projectguard", "--helper", "nobody"]);

    assert!(unknown.contains("no layer nothing; there are: "), "{unknown}");
    assert!(part.contains("has no part all; it has: structural, "), "{part}");
    assert!(helper.contains("unknown judge nobody"), "{helper}");
}

#[test]
fn the_run_stands_first_and_the_old_order_is_read_with_a_warning() {
    let run = "sample-runs/claude-code";

    let now = run_cli(&["layer", run, "projectguard", "--lost"]);
    let before = run_cli(&["layer", "projectguard", run, "--lost"]);
    let table = cli_text(&["layer", run, "projectguard", "--csv"]);

    assert!(table.starts_with("turn,tokens,"), "{table}");
    assert_eq!((before.code, before.out), (now.code, now.out));
    let warning = "the run comes first: `trajview layer RUN LAYER`";
    assert!(before.err.contains(warning) && !now.err.contains(warning), "{}", before.err);
}
