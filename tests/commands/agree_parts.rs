//! Agreement on whatever can be labelled: each kind of thing, each criterion and each scale in a table of its own.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::common::{Ran, run_cli};

/// A bundle of four components, judged by two criteria, and two raters who labelled components, flags and decisions.
fn make_bundle() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, value: Value| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    };
    let ids = ["C1", "C2", "C3", "C4"];
    write(
        "run.json",
        json!({"schema": "trajview.run/1", "id": "r", "turns": [{"turn": 1}, {"turn": 2}]}),
    );
    let component = |id: &&str| json!({"id": id, "name": id});
    write(
        "components.json",
        json!({"schema": "trajview.components/1", "components": ids.iter().map(component).collect::<Vec<_>>(),
            "codebook": {"criteria": [{"id": "clear", "scale": "1..5"}, {"id": "part", "scale": "[0,1]"}]}}),
    );
    let clear = [5, 4, 2, 1];
    let part = [0.1, 0.5, 0.9, 0.4];
    let score = |at: usize| {
        json!({"component": ids[at], "score": null, "rationale": "x",
            "criteria": [{"id": "clear", "score": clear[at]}, {"id": "part", "score": part[at]}]})
    };
    let judge = json!({"name": "by-book", "kind": "http", "criteria": [
        {"id": "clear", "scale": "1..5"}, {"id": "part", "scale": "[0,1]"}]});
    write(
        "judgements/by-book.json",
        json!({"schema": "trajview.judgement/1", "judge": judge, "run": "r", "turn": 2, "rubric": "codebook",
            "scores": (0..4).map(score).collect::<Vec<_>>()}),
    );
    let level = |at: usize| json!({"component": ids[at], "score": at, "rationale": "x"});
    write(
        "judgements/by-levels.json",
        json!({"schema": "trajview.judgement/1", "judge": {"name": "by-levels", "kind": "http"}, "run": "r", "turn": 2,
            "rubric": "slump-5", "scores": (0..4).map(level).collect::<Vec<_>>()}),
    );
    let flag = |path: &str| json!({"criterion": "copied", "path": path, "start": 1, "end": 2});
    write(
        "judgements/flags.json",
        json!({"schema": "trajview.judgement/1", "judge": {"name": "flagger", "kind": "http"}, "run": "r", "turn": 2,
            "rubric": "scb-flags", "flags": [flag("a.py"), flag("b.py"), flag("c.py")]}),
    );
    let kept = |(at, kept): (usize, &u8)| json!({"component": format!("D{at}"), "score": kept, "label": if *kept == 1 { "kept" } else { "broken" }, "rationale": "x"});
    let kept: Vec<Value> = [1, 0, 1].iter().enumerate().map(kept).collect();
    write(
        "judgements/decisions.json",
        json!({"schema": "trajview.judgement/1", "judge": {"name": "keeper", "kind": "http"}, "run": "r", "turn": 2,
            "rubric": "decisions", "scores": kept}),
    );
    for (rater, clear, part, flags, kept) in [
        ("ana", [5, 4, 3, 1], [0.2, 0.5, 0.7, 0.8], [1, 1, 0], [1, 0, 0]),
        ("ben", [5, 5, 3, 2], [0.2, 0.6, 0.7, 0.8], [1, 0, 0], [1, 1, 0]),
    ] {
        let mut labels = vec![];
        for at in 0..4 {
            let blind = at != 3;
            labels.push(json!({"component": ids[at], "criterion": "clear", "scale": "1..5", "score": clear[at], "blind": blind}));
            labels.push(json!({"component": ids[at], "criterion": "part", "scale": "[0,1]", "score": part[at], "blind": true}));
        }
        for (path, score) in ["a.py", "b.py", "c.py"].iter().zip(flags) {
            labels.push(json!({"component": format!("{path}:1-2"), "unit": "flag", "criterion": "copied", "score": score, "blind": false}));
        }
        for (at, score) in kept.iter().enumerate() {
            labels.push(json!({"component": format!("D{at}"), "unit": "decision", "score": score, "blind": true}));
        }
        write(
            &format!("labels/{rater}.json"),
            json!({"schema": "trajview.labels/1", "annotator": rater, "labels": labels}),
        );
    }
    folder
}

fn run_agree(folder: &Path, more: &[&str]) -> Ran {
    run_cli(&[&["agree", folder.to_str().unwrap(), "--resamples", "0"], more].concat())
}

fn json_of(folder: &Path, more: &[&str]) -> Value {
    let ran = run_agree(folder, &[more, &["--json"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

/// Unit, criterion, scale, which alpha.
fn table_part(document: &Value) -> [String; 4] {
    ["unit", "criterion", "scale", "alpha_level"]
        .map(|name| document[name].as_str().unwrap_or("-").to_owned())
}

fn rater_pair<'a>(document: &'a Value, a: &str, b: &str) -> &'a Value {
    let pairs = document["pairs"].as_array().unwrap();
    pairs.iter().find(|it| it["a"] == a && it["b"] == b).unwrap()
}

#[test]
fn each_kind_criterion_and_scale_has_tables_of_its_own() {
    let folder = make_bundle();

    let all = json_of(folder.path(), &[]);

    let mut parts = vec![table_part(&all)];
    parts.extend(all["more"].as_array().unwrap().iter().map(table_part));
    let wanted = [
        ["component", "clear", "1..5", "ordinal"],
        ["component", "part", "[0,1]", "interval"],
        ["flag", "-", "0..1", "nominal"],
        ["decision", "-", "0..1", "nominal"],
    ];
    assert_eq!(parts, wanted.map(|row| row.map(str::to_owned)));
    assert_eq!(all["levels"], json!([1, 2, 3, 4, 5]));
    let one = rater_pair(&all, "ana (blind)", "by-book");
    assert_eq!((&one["n"], &one["only_b"]), (&json!(3), &json!(1)), "gaps are told");
    let flags = rater_pair(&all["more"][1], "ana", "flagger");
    assert_eq!((&flags["n"], &flags["exact"]), (&json!(3), &json!(2.0 / 3.0)));
    assert_eq!(flags["disagreements"][0]["criterion"], "copied");
    let decisions = rater_pair(&all["more"][2], "ben", "keeper");
    assert_eq!(decisions["exact"], json!(1.0 / 3.0));
}

#[test]
fn the_alpha_of_two_raters_has_the_metric_of_the_scale() {
    let folder = make_bundle();

    let part = json_of(folder.path(), &["--criterion", "part"]);

    // 1 - (n - 1) * observed / expected, with squared differences of the numbers, over all eight scores.
    let (a, b) = ([0.2, 0.5, 0.7, 0.8], [0.1, 0.5, 0.9, 0.4]);
    let all: Vec<f64> = a.into_iter().chain(b).collect();
    let observed: f64 = a.iter().zip(b).map(|(a, b)| 2.0 * (a - b).powi(2)).sum();
    let expected: f64 = all.iter().flat_map(|a| all.iter().map(move |b| (a - b).powi(2))).sum();
    let alpha = rater_pair(&part, "ana", "by-book")["alpha"].as_f64().unwrap();
    assert!((alpha - (1.0 - 7.0 * observed / expected)).abs() < 1e-12, "{alpha}");
    assert!(part["more"].is_null());
}

#[test]
fn a_unit_or_a_criterion_is_chosen_by_its_name() {
    let folder = make_bundle();

    assert_eq!(table_part(&json_of(folder.path(), &["--unit", "decision"]))[0], "decision");
    assert_eq!(table_part(&json_of(folder.path(), &["--rubric", "decisions"]))[0], "decision");
    assert_eq!(
        table_part(&json_of(folder.path(), &["--unit", "flag", "--criterion", "copied"]))[0],
        "flag"
    );
    let unknown = run_agree(folder.path(), &["--criterion", "neat"]);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.err.contains("no scores by \"neat\"; available: clear, copied, part"),
        "{}",
        unknown.err
    );
    assert_eq!(run_agree(folder.path(), &["--unit", "leaf"]).code, Some(4));
    let csv = run_agree(folder.path(), &["--csv"]).out;
    assert!(
        csv.lines().any(|line| line.starts_with("ana,keeper,all,,3,exact,")
            && line.ends_with(",decision,,0..1")),
        "{csv}"
    );
    let blind = json_of(folder.path(), &["--blind-only", "--criterion", "clear"]);
    assert_eq!(rater_pair(&blind, "ana", "by-book")["n"], 3);
    assert!(run_agree(folder.path(), &["--blind-only", "--unit", "flag"]).code == Some(4));
}

#[test]
fn the_tables_of_several_parts_say_what_each_is_of() {
    let folder = make_bundle();
    let ran = run_agree(folder.path(), &[]);
    insta::assert_snapshot!(ran.out);
}

#[test]
fn the_audit_counts_blind_labels_alone_where_it_is_asked_to() {
    let folder = make_bundle();
    let audit = |more: &[&str]| -> Value {
        let run = folder.path().to_str().unwrap();
        let ran = run_cli(&[&["audit", run, "--annotator", "ana", "--json"], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        serde_json::from_str(&ran.out).unwrap()
    };

    let (all, blind) = (audit(&[]), audit(&["--blind-only"]));

    let counts = |it: &Value| {
        let queue = &it["queue"];
        (queue["labelled"].as_u64().unwrap(), queue["same"].as_u64().unwrap())
    };
    assert_eq!(all["judgement"]["judge"], "by-book");
    assert_eq!((counts(&all), counts(&blind)), ((8, 4), (7, 3)));
    assert_eq!(
        (&all["queue"]["blind_only"], &blind["queue"]["blind_only"]),
        (&json!(false), &json!(true))
    );
}

#[test]
fn a_study_has_its_agreement_by_criterion_and_of_blind_labels_alone() {
    let folder = tempfile::tempdir().unwrap();
    let made = make_bundle();
    fs::create_dir_all(folder.path().join("runs")).unwrap();
    fs::rename(made.keep(), folder.path().join("runs/r")).unwrap();
    let study = folder.path().join("study.toml");
    fs::write(
        &study,
        "runs = [\"runs/*\"]\nraters = [\"ana\", \"ben\"]\nadjudicator = \"dee\"\njudges = [\"by-book\"]\n",
    )
    .unwrap();
    let audit = |more: &[&str]| -> Value {
        let study = study.to_str().unwrap();
        let ran = run_cli(&[&["audit", study, "--annotator", "dee", "--json"], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        serde_json::from_str(&ran.out).unwrap()
    };
    let rows = |it: &Value| -> Vec<String> {
        let rows = it["agreement"].as_array().unwrap().iter();
        rows.map(|row| {
            let word = |name: &str| row[name].as_str().unwrap_or("-").to_owned();
            format!(
                "{} {} {} {} {}",
                word("a"),
                word("b"),
                word("criterion"),
                word("scale"),
                row["n"]
            )
        })
        .collect()
    };

    let (all, blind) = (rows(&audit(&[])), rows(&audit(&["--blind-only"])));

    assert!(all.contains(&"ana (not blind) by-book clear 1..5 1".to_owned()), "{all:?}");
    assert!(all.contains(&"ana (blind) ben (blind) part [0,1] 4".to_owned()), "{all:?}");
    assert!(blind.contains(&"ana (blind) by-book clear 1..5 3".to_owned()), "{blind:?}");
    assert!(!blind.iter().any(|row| row.contains("not blind")), "{blind:?}");
}
