//! Corrected means of several runs: in corpora, comparisons and reports, beside the judged ones.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::common::{
    cli_json, cli_text,
    studied::{make_bundle, run_name},
};

/// The judge's level of each component of a made run.
fn judged_levels(run: usize) -> Vec<usize> {
    (0..12).map(|at| (at + run) % 5).collect()
}

/// Two tasks under both conditions; a person gives a level less to runs with an even number, and the same to others.
fn made_corpus() -> tempfile::TempDir {
    made_corpus_of(&["codex"])
}

/// The same of each of these agents, with four runs each.
fn made_corpus_of(agents: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for run in 0..4 * agents.len() {
        let path = folder.path().join(run_name(run));
        make_bundle(&path, &run_name(run), 12, run);
        let file = path.join("run.json");
        let mut manifest: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        manifest["task"] = json!({"id": format!("t{}", run % 4 / 2)});
        manifest["agent"] = json!({"name": agents[run / 4]});
        fs::write(file, manifest.to_string()).unwrap();
        label_run(&path, run, 12);
    }
    folder
}

fn label_of(level: usize, run: usize) -> usize {
    level.saturating_sub(usize::from(run.is_multiple_of(2)))
}

fn label_mean(run: usize) -> f64 {
    let sum: usize = judged_levels(run).into_iter().map(|level| label_of(level, run)).sum();
    sum as f64 / 12.0
}

/// Labels the first components of the checklist.
fn label_run(path: &Path, run: usize, count: usize) {
    let labels = judged_levels(run).into_iter().enumerate().take(count);
    let rows: String =
        labels.map(|(at, level)| format!("C{at:02},{},true\n", label_of(level, run))).collect();
    let sheet = path.with_extension("csv");
    fs::write(&sheet, format!("component,score,blind\n{rows}")).unwrap();
    let (path, sheet) = (path.to_str().unwrap(), sheet.to_str().unwrap());
    cli_text(&["audit", path, "--annotator", "ana", "--judge", "judge", "--import", sheet]);
    fs::remove_file(sheet).unwrap();
}

fn near(value: &Value, wanted: f64) -> bool {
    (value.as_f64().unwrap() - wanted).abs() < 1e-9
}

#[test]
fn a_corpus_has_the_corrected_difference_of_two_conditions_over_tasks() {
    let folder = made_corpus();
    let path = folder.path().to_str().unwrap();

    let corpus = cli_json(&["corpus", path, "--json"]);
    let text = cli_text(&["corpus", path]);
    let csv = cli_text(&["corpus", path, "--csv", "--table", "corrected"]);
    let tex = cli_text(&["corpus", path, "--tex"]);

    let rows = corpus["corrected"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    let row = &rows[0];
    assert_eq!(
        (&row["tasks"], &row["left_out"], &row["labels"]),
        (&json!(2), &json!(0), &json!(48))
    );
    assert_eq!(row["judges"], "judge");
    // Runs with an odd number are single-shot.
    let gaps = [label_mean(1) - label_mean(0), label_mean(3) - label_mean(2)];
    assert!(near(&row["difference"]["mean"], (gaps[0] + gaps[1]) / 2.0), "{row}");
    let side = 12.706_204_736_174_705 * (gaps[0] - gaps[1]).abs() / 2.0;
    assert!(
        near(&row["difference"]["ci95"][1], ((gaps[0] + gaps[1]) / 2.0 + side).min(4.0)),
        "{row}"
    );
    assert!(!near(&row["judged_difference"], (gaps[0] + gaps[1]) / 2.0), "{row}");
    assert_eq!(row["judged_not_defined"], Value::Null);
    let heads = text.lines().find(|line| line.contains("judged difference")).unwrap();
    assert!(heads.contains("single-shot") && heads.contains("emergent"), "{heads}");
    assert!(heads.contains("tasks left out"), "{heads}");
    for words in [&text, &tex] {
        assert!(words.contains("MCF corrected by blind labels"), "{words}");
        assert!(words.contains("corrected difference"), "{words}");
        assert!(words.contains("corrected mcf"), "{words}");
    }
    assert!(csv.starts_with("agent,pooled,judges,tasks,left_out,labels,"), "{csv}");
    assert_eq!(csv.lines().count(), 2, "{csv}");
}

#[test]
fn a_task_without_enough_labels_on_one_side_is_left_out_and_one_task_has_no_interval() {
    let folder = made_corpus();
    fs::remove_dir_all(folder.path().join("three/labels")).unwrap();
    let path = folder.path().to_str().unwrap();

    let corpus = cli_json(&["corpus", path, "--json"]);

    let row = &corpus["corrected"][0];
    assert_eq!((&row["tasks"], &row["left_out"]), (&json!(1), &json!(1)));
    assert_eq!(row["difference"], json!({"mean": null, "ci95": null}));
    assert_eq!(row["not_corrected"], "one task only; needs two");
}

#[test]
fn tasks_left_out_are_counted_once_however_many_agents_ran_them() {
    let folder = made_corpus_of(&["codex", "claude"]);
    fs::remove_dir_all(folder.path().join(run_name(7)).join("labels")).unwrap();
    let path = folder.path().to_str().unwrap();

    let corpus = cli_json(&["corpus", path, "--json"]);

    let counts = |agent: Value| {
        let rows = corpus["corrected"].as_array().unwrap();
        let row = rows.iter().find(|row| row["agent"] == agent).unwrap();
        [&row["tasks"], &row["left_out"]].map(|it| it.as_u64().unwrap())
    };
    assert_eq!(counts(json!("codex")), [2, 0]);
    assert_eq!(counts(json!("claude")), [1, 1]);
    assert_eq!(counts(Value::Null), [2, 0]);
}

#[test]
fn the_judged_means_of_two_judges_are_not_subtracted() {
    let folder = made_corpus();
    for run in [1, 3] {
        let file = folder.path().join(run_name(run)).join("judgements/judge.json");
        let mut judgement: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        judgement["judge"]["name"] = json!("opus");
        fs::write(file, judgement.to_string()).unwrap();
    }
    let path = folder.path().to_str().unwrap();

    let corpus = cli_json(&["corpus", path, "--json"]);

    let row = &corpus["corrected"][0];
    assert_eq!((&row["judges"], &row["tasks"]), (&json!("judge, opus"), &json!(2)));
    assert_eq!(row["judged_difference"], Value::Null);
    assert_eq!(row["judged_not_defined"], "several judges");
    assert!(row["difference"]["mean"].is_number(), "{row}");
}

#[test]
fn a_corpus_without_labels_has_no_corrected_rows() {
    let folder = made_corpus();
    (0..4).for_each(|run| {
        fs::remove_dir_all(folder.path().join(run_name(run)).join("labels")).unwrap()
    });
    let path = folder.path().to_str().unwrap();

    assert_eq!(cli_json(&["corpus", path, "--json"])["corrected"], json!([]));
    assert!(!cli_text(&["corpus", path]).contains("corrected"));
}

#[test]
fn a_comparison_and_a_report_have_both_means_with_the_judge_and_the_labels() {
    let folder = made_corpus();
    let [a, b] = [0, 1].map(|run| folder.path().join(run_name(run)).display().to_string());

    let csv = cli_text(&["compare", &a, &b, "--csv"]);
    let tex = cli_text(&["compare", &a, &b, "--tex"]);
    let texts = ["--html", "--md", "--tex"].map(|form| cli_text(&["report", &a, form]));

    let row = |field: &str| {
        let start = format!("corrected,{field},");
        csv.lines()
            .find(|line| line.starts_with(&start))
            .unwrap_or_else(|| panic!("{csv}"))
            .to_owned()
    };
    assert!(row("corrected_mcf").ends_with(",judge"), "{csv}");
    assert!(row("corrected_labels").contains(",12,12,24,"), "{csv}");
    assert!(tex.contains("MCF corrected by blind labels"), "{tex}");
    for text in &texts {
        assert!(text.contains("MCF corrected") && text.contains("12 labels"), "{text}");
        assert!(text.contains("components judged by judge"), "{text}");
    }
}
