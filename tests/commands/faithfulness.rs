//! Faithfulness, reuse and exposure of runs from the outside: the numbers, what they are over, and what is said of a
//! rubric that has mistakes.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::common::{cli_json, cli_text, project_path, run_cli};

const RUN: &str = "sample-runs/codex-p12";

/// The sample run with its own judgements and exposure left out.
struct Bundle(tempfile::TempDir);

impl Bundle {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["run.json", "components.json", "session", "workspace.git"] {
            copy_folder(&project_path(RUN).join(name), &folder.path().join(name));
        }
        Self(folder)
    }

    fn path(&self) -> &str {
        self.0.path().to_str().unwrap()
    }

    fn write(&self, name: &str, document: &Value) -> &Self {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, document.to_string()).unwrap();
        self
    }

    /// A checklist of three components.
    fn with_three_components(self) -> Self {
        let component = |id: &str| json!({"id": id, "name": id});
        let components = json!(["A", "B", "C"].map(component));
        self.write(
            "components.json",
            &json!({"schema": "trajview.components/1", "components": components}),
        );
        self
    }

    fn score(&self, more: &[&str]) -> Value {
        cli_json(&[&["score", self.path(), "--json", "--rules", "none"], more].concat())
    }
}

fn copy_folder(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().flatten() {
            copy_folder(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

fn judgement_document(
    judge: &str,
    commit: &str,
    created_at: &str,
    scores: &[(&str, Value)],
) -> Value {
    let score =
        |(component, score): &(&str, Value)| json!({"component": component, "score": score});
    json!({
        "schema": "trajview.judgement/1",
        "judge": {"name": judge, "kind": "http"},
        "commit": commit,
        "rubric": "slump-5",
        "created_at": created_at,
        "scores": scores.iter().map(score).collect::<Vec<_>>(),
    })
}

/// What the tree of the run's end is called.
const END: &str = "610540d2038c3343ff934f9f90ced3b4806f89ad";

#[test]
fn the_end_of_a_run_has_dir_with_every_symbol_and_what_each_file_counts_as() {
    let scored = cli_json(&["score", RUN, "--json"]);

    let faith = &scored["faithfulness"];
    let detail = &faith["dir_detail"];
    let symbols = detail["symbols"].as_array().unwrap();
    assert_eq!((&detail["exported"], &detail["reused"]), (&json!(61), &json!(33)));
    assert_eq!(symbols.len(), 61);
    assert_eq!(faith["dir"], json!(33.0 / 61.0));
    assert_eq!(faith["dir"], scored["points"][0]["dir"]);
    assert_eq!((&faith["commit"], &faith["turn"]), (&json!(END), &json!(56)));
    let of = |name: &str| symbols.iter().find(|symbol| symbol["name"] == name).unwrap();
    let line = |name: &str| [of(name)["path"].clone(), of(name)["line"].clone()];
    assert_eq!(line("MLP"), [json!("ppdiff/nn.py"), json!(30)]);
    assert_eq!(of("MLP")["reused_by"], json!(["ppdiff/layers.py"]));
    // It was written, tested and never wired in.
    assert_eq!(of("CosineSchedule")["reused_by"], json!([]));
    let entries = detail["modules"].as_array().unwrap().iter().filter(|it| it["role"] == "entry");
    assert_eq!(entries.map(|it| &it["path"]).collect::<Vec<_>>(), ["ppdiff/__main__.py"]);
}

#[test]
fn the_judge_that_the_checklist_names_is_the_result_in_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    copy_folder(Path::new(RUN), &run);
    let path = run.to_str().unwrap();
    let later = fs::read_to_string(run.join("judgements/quick-reader.json")).unwrap();
    let mut later: Value = serde_json::from_str(&later).unwrap();
    later["created_at"] = json!("2026-12-01T00:00:00Z");
    fs::write(run.join("judgements/later.json"), later.to_string()).unwrap();
    let judges = || {
        let corpus = cli_json(&["corpus", path, "--json"]);
        let shown = cli_json(&["show", path, "--json"]);
        let compared = cli_json(&["compare", path, path, "--json"])["a"]["judgement"].clone();
        [
            corpus["runs"][0]["judge"].clone(),
            shown["faithfulness"]["judge"].clone(),
            compared["judge"].clone(),
        ]
        .map(|judge| judge.as_str().unwrap().to_owned())
    };
    assert!(judges().iter().all(|it| it.starts_with("quick-reader")), "{:?}", judges());

    let checklist = fs::read_to_string(run.join("components.json")).unwrap();
    let named = checklist.replacen('{', "{\"judge\": \"authors-reading\",", 1);
    fs::write(run.join("components.json"), named).unwrap();

    assert!(judges().iter().all(|it| it == "authors-reading"), "{:?}", judges());
    assert!(!run_cli(&["corpus", path]).err.contains("there are also"));
    assert!(cli_text(&["check", path]).contains("no warnings"));
}

#[test]
fn a_folder_has_the_dir_of_its_files_and_no_scores() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.py"), "from b import f\nf()\n").unwrap();
    fs::write(folder.path().join("b.py"), "def f(): pass\ndef g(): pass\n").unwrap();
    fs::write(folder.path().join("c.py"), "def f(:\n").unwrap();
    let path = folder.path().to_str().unwrap();

    let scored = cli_json(&["score", "--tree", path, "--json"]);

    let faith = &scored["faithfulness"];
    assert_eq!(
        (&faith["dir"], &faith["mcf"], &faith["if50"]),
        (&json!(0.5), &Value::Null, &Value::Null)
    );
    assert_eq!(faith["dir_detail"]["skipped"], json!([{"path": "c.py", "why": "syntax error"}]));
    let text = cli_text(&["score", "--tree", path]);
    assert!(text.contains("1 of 2 exported symbols are used by another module"), "{text}");
    assert!(text.contains("left out of DIR: c.py: syntax error"), "{text}");
}

#[test]
fn dir_is_given_at_every_point() {
    let scored = cli_json(&["score", RUN, "--each", "checkpoint", "--json"]);

    let points = scored["points"].as_array().unwrap();
    let dir: Vec<&Value> = points.iter().map(|point| &point["dir"]).collect();
    assert_eq!(dir.len(), 9);
    // Nothing uses anything else yet; then more and more does.
    assert_eq!((dir[8], &points[8]["reused"]), (&json!(33.0 / 61.0), &json!(33)));
    assert!(dir[0].as_f64().unwrap() < dir[8].as_f64().unwrap());
}

#[test]
fn a_judgement_in_part_that_is_named_has_mcf_and_if50_over_the_judged_components() {
    let bundle = Bundle::new().with_three_components();
    let scores = [("A", json!(4)), ("B", json!(1))];
    bundle.write(
        "judgements/one.json",
        &judgement_document("opus", END, "2026-11-22T01:00:00Z", &scores),
    );

    let faith = &bundle.score(&["--judge", "opus"])["faithfulness"];

    assert_eq!((&faith["components"], &faith["judged"]), (&json!(3), &json!(2)));
    assert_eq!(
        (&faith["mcf"], &faith["severe"], &faith["full"]),
        (&json!(2.5), &json!(1), &json!(1))
    );
    assert_eq!(
        (&faith["severe_share"], &faith["by_score"]),
        (&json!(0.5), &json!([0, 1, 0, 0, 1]))
    );
    assert_eq!(faith["if50"], json!(0.5 * 2.5 / 4.0 + 0.5 * (33.0 / 61.0)));
    assert_eq!((&faith["judge"], &faith["without_verdict"]), (&json!("opus"), &json!(["C"])));
    assert_eq!(faith["judgement"]["is_of_this_tree"], json!(true));
    let text = cli_text(&["score", bundle.path(), "--judge", "opus"]);
    assert!(text.contains("2 of 3 components judged by opus (judgements/one.json)"), "{text}");
    assert!(text.contains("without a verdict: C"), "{text}");
}

#[test]
fn a_run_that_nobody_judged_has_no_score_rather_than_zero() {
    let faith = &Bundle::new().score(&[])["faithfulness"];

    for key in ["mcf", "if50", "judged", "severe", "full", "by_score", "judge", "judgement"] {
        assert_eq!(faith[key], Value::Null, "{key}");
    }
    assert_eq!(faith["components"], json!(24));
    let text = cli_text(&["score", Bundle::new().path()]);
    assert!(text.contains("none of 24 components judged"), "{text}");
}

#[test]
fn the_judgement_is_chosen_by_its_judge_or_by_its_file() {
    let bundle = Bundle::new().with_three_components();
    for (file, judge, at, score) in [
        ("a", "opus", "2026-11-22T01:00:00Z", 0),
        ("b", "opus", "2026-11-22T03:00:00Z", 1),
        ("c", "gpt", "2026-11-22T02:00:00Z", 2),
    ] {
        let judged =
            judgement_document(judge, END, at, &["A", "B", "C"].map(|id| (id, json!(score))));
        bundle.write(&format!("judgements/{file}.json"), &judged);
    }
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().join("mine.json");
    let judged = judgement_document("me", END, "2026-11-22T00:00:00Z", &[("A", json!(3))]);
    fs::write(&outside, judged.to_string()).unwrap();
    let mcf = |wish: &[&str]| bundle.score(wish)["faithfulness"]["mcf"].clone();

    assert_eq!(mcf(&[]), json!(1.0));
    assert_eq!(mcf(&["--judge", "gpt"]), json!(2.0));
    assert_eq!(mcf(&["--judge", "opus"]), json!(1.0));
    assert_eq!(mcf(&["--judge", "a"]), json!(0.0));
    assert_eq!(mcf(&["--judge", "judgements/c.json"]), json!(2.0));
    assert_eq!(mcf(&["--judge", outside.to_str().unwrap()]), json!(3.0));
    let nobody = run_cli(&["score", bundle.path(), "--judge", "nobody"]);
    assert_eq!(nobody.code, Some(2));
    assert!(nobody.err.contains("judges: opus, gpt; judgements: a, c, b"), "{}", nobody.err);
}

#[test]
fn a_judging_of_some_components_is_no_result_of_the_run_unless_it_is_named() {
    let bundle = Bundle::new().with_three_components();
    let of = |file: &str, judge: &str, at: &str, scores: &[(&str, Value)]| {
        bundle
            .write(&format!("judgements/{file}.json"), &judgement_document(judge, END, at, scores));
    };
    of("late", "quick reader", "2026-11-22T09:00:00Z", &[("A", json!(0)), ("B", Value::Null)]);
    let path = bundle.path().to_owned();

    let faith = bundle.score(&[])["faithfulness"].clone();
    assert_eq!(
        (&faith["mcf"], &faith["if50"], &faith["judged"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(faith["partial"], json!(["1 of 3 by quick reader (judgements/late.json)"]));
    let text = cli_text(&["score", &path]);
    assert!(text.contains("incomplete judgement, not used: 1 of 3 by quick reader"), "{text}");
    let run = |more: &[&str]| {
        cli_json(&[&["corpus", &path, "--json", "--rules", "none"], more].concat())["runs"][0]
            .clone()
    };
    assert_eq!((&run(&[])["mcf"], &run(&[])["judge"]), (&Value::Null, &Value::Null));
    let compared = |more: &[&str]| {
        cli_json(&[&["compare", &path, &path, "--json", "--rules", "none"], more].concat())
    };
    assert_eq!(compared(&[])["numbers"][0]["a"], Value::Null);
    assert!(compared(&[])["warnings"][0].as_str().unwrap().contains("1 of 3 by quick reader"));

    of("whole", "opus", "2026-11-22T01:00:00Z", &["A", "B", "C"].map(|id| (id, json!(4))));
    assert_eq!(bundle.score(&[])["faithfulness"]["mcf"], json!(4.0));
    assert_eq!((&run(&[])["mcf"], &run(&[])["judged"]), (&json!(4.0), &json!(3)));
    assert_eq!(compared(&[])["a"]["judgement"]["judge"], "opus");

    for word in ["quick", "Quick Reader", "late", "judgements/late.json"] {
        assert_eq!(bundle.score(&["--judge", word])["faithfulness"]["mcf"], json!(0.0), "{word}");
        let run = run(&["--judge", word]);
        assert_eq!(
            (&run["mcf"], &run["judged"], &run["components"]),
            (&json!(0.0), &json!(1), &json!(3))
        );
        let compared = compared(&["--judge", word]);
        assert_eq!(compared["numbers"][0]["a"], json!(0.0), "{word}");
        assert_eq!(compared["warnings"][0], "a is judged on 1 of 3 components by quick reader");
    }
    of("other", "quicker", "2026-11-22T02:00:00Z", &[("A", json!(1))]);
    for command in [
        vec!["score", &path],
        vec!["corpus", &path],
        vec!["compare", &path, &path],
        vec!["audit", &path],
    ] {
        let ran = run_cli(&[&command[..], &["--judge", "quick"]].concat());
        assert_eq!(ran.code, Some(2), "{command:?}");
        assert!(
            ran.err.contains("\"quick\" matches several: quicker, quick reader"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_judgement_of_another_tree_is_told() {
    let bundle = Bundle::new().with_three_components();
    let judged =
        judgement_document("opus", "feb1919122", "2026-11-22T01:00:00Z", &[("A", json!(4))]);
    bundle.write("judgements/one.json", &judged);

    let row = &bundle.score(&["--judge", "one"])["faithfulness"]["judgement"];

    assert_eq!((&row["commit"], &row["is_of_this_tree"]), (&json!("feb1919122"), &json!(false)));
    let text = cli_text(&["score", bundle.path(), "--judge", "one"]);
    assert!(
        text.contains(
            "the judgement is of commit feb1919122; DIR is of commit 610540d203, turn 56"
        ),
        "{text}"
    );
}

#[test]
fn exposure_is_over_the_whole_checklist_turn_by_turn() {
    let bundle = Bundle::new().with_three_components();
    let by_turn = json!([{"turn": 2, "level": 1}, {"turn": 40, "level": 4}]);
    let audit = json!({"schema": "trajview.exposure/1", "components": [
        {"id": "A", "by_turn": by_turn},
        {"id": "B", "by_turn": [{"turn": 50, "level": 2}]},
    ]});
    bundle.write("exposure.json", &audit);

    let exposure = &bundle.score(&[])["exposure"];

    assert_eq!((&exposure["rcr"], &exposure["esr"]), (&json!(2.0 / 3.0), &json!(1.0 / 3.0)));
    assert_eq!((&exposure["components"], &exposure["not_recorded"]), (&json!(3), &json!(["C"])));
    let at = |turn: usize| exposure["by_turn"][turn - 1].clone();
    assert_eq!(exposure["by_turn"].as_array().unwrap().len(), 56);
    assert_eq!(at(1), json!({"turn": 1, "rcr": 0.0, "esr": 0.0}));
    assert_eq!(at(39), json!({"turn": 39, "rcr": 1.0 / 3.0, "esr": 0.0}));
    assert_eq!(at(50), json!({"turn": 50, "rcr": 2.0 / 3.0, "esr": 1.0 / 3.0}));
    let text = cli_text(&["score", bundle.path()]);
    assert!(text.contains("2 of 3 components can be recovered"), "{text}");
    assert!(text.contains("exposure not recorded, in no share: C"), "{text}");
}

#[test]
fn mistakes_in_a_rubric_are_named_by_check_and_by_score() {
    let bundle = Bundle::new();
    let twice = json!([{"id": "A"}, {"id": "A"}, {"id": "B"}]);
    bundle
        .write("components.json", &json!({"schema": "trajview.components/1", "components": twice}));
    let scores = [("A", json!(7)), ("B", json!(3)), ("Z", json!(4))];
    bundle.write(
        "judgements/one.json",
        &judgement_document("opus", END, "2026-11-22T01:00:00Z", &scores),
    );

    let checked = run_cli(&["check", bundle.path()]);
    let scored = run_cli(&["score", bundle.path(), "--json", "--judge", "opus"]);

    assert_eq!((checked.code, scored.code), (Some(1), Some(0)));
    for (said, words) in
        [(&checked.out, ["\"A\"", " 7", "\"Z\""]), (&scored.err, [" A", " 7", " Z"])]
    {
        assert!(said.contains("components.json") && said.contains("judgements/one.json"), "{said}");
        for word in words {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
    let faith: Value = serde_json::from_str(&scored.out).unwrap();
    let faith = &faith["faithfulness"];
    assert_eq!(
        (&faith["components"], &faith["judged"], &faith["mcf"]),
        (&json!(2), &json!(1), &json!(3.0))
    );
    assert_eq!(faith["without_component"], json!(["Z"]));
    assert_eq!(faith["without_score"][0]["component"], "A");
}

#[test]
fn a_table_for_a_spreadsheet_has_the_scores_in_the_row_of_the_end() {
    let bundle = Bundle::new().with_three_components();
    let judged = judgement_document("opus", END, "2026-11-22T01:00:00Z", &[("A", json!(4))]);
    bundle.write("judgements/one.json", &judged);

    let csv =
        cli_text(&["score", bundle.path(), "--csv", "--each", "checkpoint", "--judge", "opus"]);

    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    let cells = |row: usize| ["mcf", "judge"].map(|name| rows[row][column(name)]);
    assert_eq!((cells(1), cells(9)), (["", ""], ["4", "opus"]));
    assert!(rows[1..].iter().all(|row| row[column("dir")].parse::<f64>().is_ok()));
}
