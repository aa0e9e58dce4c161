//! `trajview agree` from the outside: what it says of runs, of files and of tables.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::common::{self, cli_json, cli_text, run_cli};

/// Component and score.
type Scores = [(&'static str, i64)];

const JUDGED: &Scores =
    &[("C1", 4), ("C2", 3), ("C3", 0), ("C4", 4), ("C5", 2), ("C6", 1), ("C7", 4), ("C8", 3)];
const FIRST: &Scores =
    &[("C1", 4), ("C2", 2), ("C3", 0), ("C4", 4), ("C5", 2), ("C6", 0), ("C7", 3), ("C8", 3)];
const SECOND: &Scores =
    &[("C1", 4), ("C2", 3), ("C3", 1), ("C4", 3), ("C5", 2), ("C6", 1), ("C7", 4), ("C9", 3)];

fn write_json(path: &Path, content: &Value) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content.to_string()).unwrap();
}

fn score_rows(scores: &Scores) -> Vec<Value> {
    scores
        .iter()
        .map(|(component, score)| json!({"component": component, "score": score}))
        .collect()
}

fn judgement_json(run: &str, scores: &Scores) -> Value {
    json!({"schema": "trajview.judgement/1", "judge": {"name": "judge", "kind": "http"}, "run": run, "commit": "c0ffee00c0ffee00",
        "rubric": "slump-5", "scores": score_rows(scores)})
}

fn labels_json(annotator: &str, scores: &Scores) -> Value {
    json!({"schema": "trajview.labels/1", "annotator": annotator, "labels": score_rows(scores)})
}

/// A bundle that one judge and two humans scored.
fn write_bundle(folder: &Path, run: &str) {
    write_json(&folder.join("run.json"), &json!({"schema": "trajview.run/1", "id": run}));
    write_json(&folder.join("judgements/j.json"), &judgement_json(run, JUDGED));
    write_json(&folder.join("labels/a1.json"), &labels_json("A1", FIRST));
    write_json(&folder.join("labels/a2.json"), &labels_json("A2", SECOND));
}

fn write_study() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    ["p1", "p2"].iter().for_each(|run| write_bundle(&folder.path().join(run), run));
    folder
}

/// What it says of a table with this text.
fn of_table(text: &str, more: &[&str]) -> common::Ran {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    fs::write(&path, text).unwrap();
    run_cli(&[&["agree", path.to_str().unwrap()], more].concat())
}

#[test]
fn the_table_has_each_human_against_the_judge_and_then_the_humans() {
    let folder = write_study();
    let said = cli_text(&[
        "agree",
        folder.path().to_str().unwrap(),
        "--resamples",
        "500",
        "--detail",
        "--by",
        "run",
    ]);

    // The folder has another name each time.
    insta::assert_snapshot!(said.replace(&folder.path().display().to_string(), "runs"));
}

#[test]
fn json_has_what_the_contract_names() {
    let folder = write_study();
    let said =
        cli_json(&["agree", folder.path().to_str().unwrap(), "--json", "--resamples", "300"]);

    assert_eq!(said["schema"], "trajview.agree/1");
    assert_eq!(said["levels"], json!([0, 1, 2, 3, 4]));
    let pair = &said["pairs"][0];
    assert_eq!((&pair["a"], &pair["b"], &pair["n"]), (&json!("A1"), &json!("judge"), &json!(16)));
    assert_eq!((&pair["exact"], &pair["within_1"]), (&json!(0.625), &json!(1.0)));
    assert_eq!(pair["boundary_2_3"], json!({"count": 2, "of": 8, "share": 0.25}));
    assert_eq!(pair["confusion"][4], json!([0, 0, 0, 0, 4]));
    assert_eq!(pair["base_rate"]["b"], json!([0.125, 0.125, 0.125, 0.25, 0.375]));
    assert_eq!(
        pair["disagreements"][0],
        json!({"component": "C2", "run": "p1", "commit": "c0ffee00c0ffee00", "a": 2, "b": 3,
            "open": format!("trajview {} --view scores --component C2", folder.path().join("p1").display())})
    );
    for measure in
        ["kappa", "kappa_linear", "kappa_quadratic", "spearman", "kendall", "alpha", "ac1", "ac2"]
    {
        let ends = &pair["ci95"][measure];
        let value = pair[measure].as_f64().unwrap();
        assert!(
            ends[0].as_f64().unwrap() <= value && value <= ends[1].as_f64().unwrap(),
            "{measure}"
        );
    }
    assert_eq!(pair["by_run"].as_array().unwrap().len(), 2);
    assert_eq!(pair["by_component"][1]["n"], 2);
    let warning = pair["warning"].as_str().unwrap();
    assert!(warning.contains("kappa_quadratic"), "{warning}");
    assert!(warning.contains("too narrow: 16 things, 6 scored differently"), "{warning}");
}

#[test]
fn intervals_of_many_pairs_on_many_levels_are_not_doubted_and_those_of_few_are_in_every_form() {
    let table = |count: usize| -> String {
        let row = |at: usize| {
            format!("C{at},{},{}\n", at % 5, (at + usize::from(at.is_multiple_of(4))) % 5)
        };
        "component,a,b\n".to_owned() + &(0..count).map(row).collect::<String>()
    };
    let said = |count: usize, form: &str| {
        let ran = of_table(&table(count), &["--resamples", "200", form]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out
    };
    let warning = |count: usize| {
        serde_json::from_str::<Value>(&said(count, "--json")).unwrap()["pairs"][0]["warning"]
            .clone()
    };

    assert_eq!(warning(100), Value::Null);
    assert!(!said(100, "--md").contains("too narrow"));
    assert!(warning(20).as_str().unwrap().contains("20 things"));
    let text = said(20, "--md");
    assert!(text.contains("a - b: intervals of kappa_quadratic, ac2"), "{text}");
}

#[test]
fn a_seed_makes_the_same_document_again() {
    let folder = write_study();
    let said = |seed| {
        cli_text(&[
            "agree",
            folder.path().to_str().unwrap(),
            "--json",
            "--resamples",
            "200",
            "--seed",
            seed,
        ])
    };

    assert_eq!(said("5"), said("5"));
    assert_ne!(said("5"), said("6").replace("\"seed\": 6", "\"seed\": 5"));
}

#[test]
fn a_label_that_cannot_be_used_is_named_and_the_rest_counts() {
    let folder = write_study();
    let bad = json!({"schema": "trajview.labels/1", "annotator": "A1", "labels": [
        {"component": "C1", "score": 4}, {"component": "C2", "score": 9}, {"component": "C3"}, {"component": "C4", "score": 1},
        {"component": "C4", "score": 3}, {"component": "C77", "score": 3}]});
    write_json(&folder.path().join("p1/labels/a1.json"), &bad);

    let said = cli_json(&["agree", folder.path().join("p1").to_str().unwrap(), "--json"]);

    let problems: Vec<&str> = said["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["what"].as_str().unwrap())
        .collect();
    assert!(
        problems.iter().any(|what| what.contains("C2") && what.contains("not on the scale")),
        "{problems:?}"
    );
    assert!(problems.iter().any(|what| what.contains("C4: labelled again")), "{problems:?}");
    let alone: Vec<&Value> =
        said["alone"].as_array().unwrap().iter().map(|it| &it["component"]).collect();
    assert!(alone.contains(&&json!("C77")), "{alone:?}");
    let pair = &said["pairs"][0];
    assert_eq!((&pair["a"], &pair["n"], &pair["only_a"]), (&json!("A1"), &json!(2), &json!(1)));
}

#[test]
fn files_of_one_run_can_be_named_one_by_one() {
    let folder = write_study();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let said =
        cli_json(&["agree", &path("p1/labels/a2.json"), &path("p1/judgements/j.json"), "--json"]);

    assert_eq!((&said["pairs"][0]["a"], &said["pairs"][0]["n"]), (&json!("A2"), &json!(7)));
    assert_eq!(said["runs"], json!(["p1"]));
}

#[test]
fn a_table_of_scores_is_read_too() {
    let wide = of_table("component,run,a,b\nC1,x,4,4\nC2,x,Absent,1\nC3,y,2,oops\n", &["--json"]);
    let long = of_table("rater,component,score\na,C1,4\nb,C1,4\na,C2,0\nb,C2,1\n", &["--json"]);

    let [wide, long] = [wide, long].map(|ran| serde_json::from_str::<Value>(&ran.out).unwrap());
    assert_eq!((&wide["pairs"][0]["n"], &wide["pairs"][0]["exact"]), (&json!(2), &json!(0.5)));
    assert!(wide["problems"][0]["what"].as_str().unwrap().contains("\"oops\" is not a score"));
    assert_eq!(long["pairs"][0]["confusion"], wide["pairs"][0]["confusion"]);
}

#[test]
fn the_levels_can_be_those_that_were_given() {
    let table = "a,b\n1,1\n9,9\n10,9\n2,1\n";
    let fixed = of_table(table, &["--json", "--levels", "1..10"]);
    let observed = of_table(table, &["--json", "--levels", "observed"]);

    let [fixed, observed] =
        [fixed, observed].map(|ran| serde_json::from_str::<Value>(&ran.out).unwrap());
    assert_eq!(observed["levels"], json!([1, 2, 9, 10]));
    assert_eq!(fixed["levels"].as_array().unwrap().len(), 10);
    assert_ne!(fixed["pairs"][0]["kappa_linear"], observed["pairs"][0]["kappa_linear"]);
}

#[test]
fn what_is_not_defined_is_null_and_says_why() {
    let ran = of_table("a,b\n3,3\n3,3\n3,3\n", &["--json"]);
    let pair = &serde_json::from_str::<Value>(&ran.out).unwrap()["pairs"][0];

    assert_eq!(
        (&pair["exact"], &pair["kappa"], &pair["spearman"]),
        (&json!(1.0), &Value::Null, &Value::Null)
    );
    assert_eq!(pair["not_defined"]["kappa"], "one level only");
    let said = of_table("a,b\n3,3\n3,3\n3,3\n", &[]).out;
    assert!(said.contains("alpha, icc_2_1, icc_3_1 not defined: one level only"), "{said}");
    assert_eq!([&pair["ac1"], &pair["ac2"]], [1.0, 1.0].map(|one| json!(one)).each_ref());
}

#[test]
fn csv_has_a_row_a_measure_and_markdown_a_table() {
    let csv =
        of_table("component,a,b\nC1,4,4\nC2,3,2\nC3,0,1\n", &["--csv", "--resamples", "0"]).out;
    let md = of_table("component,a,b\nC1,4,4\nC2,3,2\nC3,0,1\n", &["--md", "--resamples", "0"]).out;

    assert!(csv.starts_with("a,b,part,name,n,measure,value,ci95_low,ci95_high,why,ci95_by_run_low,ci95_by_run_high,unit,criterion,scale\r\na,b,all,,3,exact,0.3333333333333333,,,,,,component,,0..4\r\n"), "{csv}");
    assert!(
        csv.contains("a,b,component,C2,1,kappa,,,,fewer than two pairs,,,component,,0..4\r\n"),
        "{csv}"
    );
    assert!(csv.contains("all raters,,panel,complete,3,fleiss_kappa,0."), "{csv}");
    assert!(md.contains("| a - b | 3 | 0.33 | 1.00 |"), "{md}");
}

#[test]
fn what_cannot_be_compared_is_said_with_the_exit_code_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let refused = [
        (run_cli(&["agree", folder.path().join("none").to_str().unwrap()]), 3, "cannot read"),
        (
            run_cli(&["agree", folder.path().to_str().unwrap()]),
            4,
            "no run bundle and no graded rubric tree below",
        ),
        (of_table("a,b\n4,\n,4\n", &[]), 4, "no two raters scored the same"),
        (of_table("component,run\nC1,x\n", &[]), 4, "has no column of scores"),
        (
            of_table("a,b\n4,4\n", &["--levels", "4..0"]),
            2,
            "--levels: the lowest level is above the highest",
        ),
    ];

    for (ran, code, words) in refused {
        assert_eq!((ran.code, ran.err.contains(words)), (Some(code), true), "{}", ran.err);
    }
}

#[test]
fn the_sample_run_has_two_raters() {
    let said = cli_json(&["agree", "sample-runs/codex-p12", "--json"]);

    assert_eq!(said["pairs"][0]["n"], 24);
    assert_eq!(said["problems"], json!([]));
}

#[test]
fn blind_labels_and_others_of_one_person_stand_apart_and_blind_only_leaves_the_others_out() {
    let folder = tempfile::tempdir().unwrap();
    write_bundle(folder.path(), "p1");
    let label = |(id, score): &(&str, i64)| {
        let blind = id.cmp(&"C5") == std::cmp::Ordering::Less;
        json!({"component": id, "score": score, "blind": blind})
    };
    let rows: Vec<Value> = FIRST.iter().map(label).collect();
    let labels = json!({"schema": "trajview.labels/1", "annotator": "A1", "labels": rows});
    write_json(&folder.path().join("labels/a1.json"), &labels);
    fs::remove_file(folder.path().join("labels/a2.json")).unwrap();
    let path = folder.path().to_str().unwrap();
    let pairs = |more: &[&str]| -> Vec<(Value, Value, Value)> {
        let said = cli_json(&[&["agree", path, "--json", "--resamples", "0"], more].concat());
        let pairs = said["pairs"].as_array().unwrap().clone();
        pairs.iter().map(|it| (it["a"].clone(), it["b"].clone(), it["n"].clone())).collect()
    };

    assert_eq!(
        pairs(&[]),
        [
            (json!("A1 (blind)"), json!("judge"), json!(4)),
            (json!("A1 (not blind)"), json!("judge"), json!(4))
        ]
    );
    assert_eq!(pairs(&["--blind-only"]), [(json!("A1"), json!("judge"), json!(4))]);
    let text = cli_text(&["agree", path, "--resamples", "0"]);
    assert!(text.contains("labels of A1: 4 blind, 4 not blind"), "{text}");
    let text = cli_text(&["agree", path, "--resamples", "0", "--blind-only"]);
    assert!(text.contains("excluded: A1: 4 labels: not blind"), "{text}");
    let table = folder.path().join("labels.csv");
    fs::write(
        &table,
        "component,annotator,score,blind\nC1,A1,4,true\nC2,A1,3,false\nC1,B,4,true\nC2,B,3,\n",
    )
    .unwrap();
    let said =
        cli_json(&["agree", table.to_str().unwrap(), "--json", "--resamples", "0", "--blind-only"]);
    assert_eq!(said["raters"].as_array().unwrap().len(), 2);
}

#[test]
fn gold_is_the_reference_where_there_is_some_and_another_rater_where_it_is_named() {
    let folder = write_study();
    let gold: Vec<Value> = JUDGED
        .iter()
        .map(|(component, score)| {
            json!({"component": component, "commit": "c0ffee00c0ffee00", "score": score, "by": "x", "from": []})
        })
        .collect();
    for run in ["p1", "p2"] {
        write_json(
            &folder.path().join(run).join("gold.json"),
            &json!({"schema": "trajview.gold/1", "gold": gold}),
        );
    }
    let path = folder.path().to_str().unwrap();
    let quick = ["agree", path, "--json", "--resamples", "50"];

    let by_gold = cli_json(&quick);
    let by_judge =
        cli_json(&[&quick[..], &["--against", "jud", "--by", "run", "--positive", ">=3"]].concat());

    let reference = &by_gold["reference"];
    assert_eq!((&reference["name"], &reference["kind"]), (&json!("gold"), &json!("gold")));
    assert_eq!(reference["zero_division"], json!("undefined"));
    let judge = reference["raters"].as_array().unwrap().iter().find(|it| it["rater"] == "judge");
    assert_eq!((&judge.unwrap()["n"], &judge.unwrap()["accuracy"]), (&json!(16), &json!(1.0)));
    assert_eq!(by_gold["panel"][0]["raters"], json!(["judge", "A1", "A2"]));
    let first = by_judge["reference"]["raters"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["rater"] == "A1")
        .unwrap();
    assert_eq!(
        (&by_judge["reference"]["name"], &first["accuracy"]),
        (&json!("judge"), &json!(0.625))
    );
    assert_eq!(first["parts"].as_array().unwrap().len(), 2);
    assert_eq!(first["binary"]["true_positive"], json!(8));
    let refused = run_cli(&["agree", path, "--against", "nobody"]);
    assert!(refused.code == Some(2) && refused.err.contains("the raters: "), "{}", refused.err);
}
