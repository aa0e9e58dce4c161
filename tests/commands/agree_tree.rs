//! `trajview agree A B --tree`: JudgeEval's table, number by number against scikit-learn. `tests/vectors/judge_eval.py`
//! made the judges and the numbers.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use serde_json::Value as Json;

use crate::common::{cli_json, cli_text, project_path, real_data, run_cli};

const NEAR: f64 = 1e-12;

fn assert_near(found: &Json, expected: &Json, what: &str) {
    let (Some(found), Some(expected)) = (found.as_f64(), expected.as_f64()) else {
        panic!("{what}: {found} is not {expected}");
    };
    assert!((found - expected).abs() <= NEAR, "{what}: {found} is not {expected}");
}

fn same_part(found: &Json, expected: &Json, what: &str) {
    assert_near(&found["n"], &expected["n"], &format!("{what}: n"));
    assert_near(&found["positives"], &expected["positives"], &format!("{what}: positives"));
    assert_near(&found["accuracy"], &expected["accuracy"], &format!("{what}: accuracy"));
    for average in ["macro", "weighted"] {
        for measure in ["precision", "recall", "f1"] {
            let what = format!("{what}: {average} {measure}");
            assert_near(&found[average][measure], &expected[average][measure], &what);
        }
    }
}

fn assert_same(found: &Json, expected: &Json, what: &str) {
    same_part(&found["overall"], &expected["overall"], what);
    let categories = found["categories"].as_array().unwrap();
    assert_eq!(categories.len(), expected["categories"].as_object().unwrap().len(), "{what}");
    for category in categories {
        let name = category["name"].as_str().unwrap();
        same_part(category, &expected["categories"][name], &format!("{what}: {name}"));
    }
    assert_near(
        &found["trees"][0]["difference"],
        &expected["difference"],
        &format!("{what}: root"),
    );
    let count = |name: &str| found["trees"][0][name].as_array().unwrap().len();
    assert_eq!(count("invalid") as u64, expected["invalid"].as_u64().unwrap(), "{what}");
    assert_eq!(
        count("only_reference") as u64,
        expected["only_reference"].as_u64().unwrap(),
        "{what}"
    );
}

fn compare_trees(reference: &Path, judge: &Path) -> Json {
    let [reference, judge] = [reference, judge].map(|path| path.to_str().unwrap());
    cli_json(&["agree", reference, judge, "--tree", "--json", "--resamples", "0"])
}

fn read_vectors() -> Vec<Json> {
    serde_json::from_str(include_str!("../vectors/judge_eval.json")).unwrap()
}

/// The trees of a case in files.
fn write_trees(case: &Json, folder: &Path, name: &str) -> [String; 2] {
    ["reference", "judge"].map(|side| {
        let path = folder.join(format!("{name}-{side}.json"));
        fs::write(&path, case[side].to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    })
}

#[test]
fn a_judges_tree_against_a_reference_is_what_scikit_learn_says() {
    let folder = tempfile::tempdir().unwrap();
    for (at, case) in read_vectors().iter().enumerate() {
        let [reference, judge] = write_trees(case, folder.path(), &at.to_string());
        let found = compare_trees(Path::new(&reference), Path::new(&judge));
        assert_same(&found, &case["expected"], &format!("case {at}"));
    }
}

#[test]
fn the_table_of_two_trees_fits_80_columns() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<String> = read_vectors()
        .iter()
        .enumerate()
        .flat_map(|(at, case)| write_trees(case, folder.path(), &format!("t{at}")))
        .collect();
    let mut arguments = vec!["agree"];
    arguments.extend(paths.iter().map(String::as_str));
    arguments.extend(["--tree", "--detail", "--resamples", "500", "--positive", ">=1"]);

    let said = crate::common::at_columns(80, &arguments);

    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    insta::assert_snapshot!(said);
    assert!(cli_text(&[&arguments[..], &["--tex"]].concat()).contains("\\toprule"));
}

#[test]
fn trees_come_by_twos_and_hold_trees() {
    let ran = run_cli(&["agree", "sample-runs/paperbench", "--tree"]);
    assert_eq!(
        (ran.code, ran.err.contains("needs pairs of trees")),
        (Some(2), true),
        "{}",
        ran.err
    );
    let ran = run_cli(&["agree", "sample-runs/codex-p12", "sample-runs/paperbench", "--tree"]);
    assert_eq!((ran.code, ran.err.contains("not a rubric tree")), (Some(4), true), "{}", ran.err);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA and python3"]
fn judges_made_of_real_trees_are_what_scikit_learn_says() {
    let folder = tempfile::tempdir().unwrap();
    let trees = real_data().join("paperbench");
    let script = project_path("tests/vectors/judge_eval.py");
    let status = Command::new("python3").arg(script).arg(&trees).arg(folder.path()).status();
    assert!(status.unwrap().success());
    let all: BTreeMap<String, Json> =
        serde_json::from_str(include_str!("../vectors/judge_eval_real.json")).unwrap();
    assert!(!all.is_empty());
    for (name, expected) in &all {
        let judge = folder.path().join(format!("{name}.judge.json"));
        assert_same(&compare_trees(&trees.join(format!("{name}.json")), &judge), expected, name);
    }
}
