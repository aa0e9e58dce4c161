//! `trajview history`: every change to a file or to a function.

use serde_json::Value;

use crate::common::{cli_json, cli_text, run_cli};

const SAMPLE: &str = "sample-runs/codex-p12";

fn shown_changes(told: &Value) -> &Vec<Value> {
    told["changes"].as_array().unwrap()
}

#[test]
fn a_function_is_told_through_its_changes_with_the_request_of_each() {
    let out = cli_text(&["history", SAMPLE, "tests/test_structures.py::residue"]);
    insta::assert_snapshot!(out, @"
    tests/test_structures.py::residue: 2 changes
    step  what                                                            +  −  request
     1.5  created                                                         2  0  Start a Python package called ppdiff, standard library only. It will ho…
      26  moved from tests/test_data.py::residue, outside recorded edits  0  0  data.py is too vague a name, rename it to structures.py, the test as we…
    ");

    let out = cli_text(&["history", SAMPLE, "ppdiff/denoiser.py::table", "--diff"]);
    insta::assert_snapshot!(out);
}

#[test]
fn a_line_stands_for_the_function_around_it_and_the_diff_has_its_lines_alone() {
    let told = cli_json(&["history", SAMPLE, "ppdiff/forward.py:30", "--diff", "--json"]);

    assert_eq!(
        (&told["schema"], &told["path"]),
        (&"trajview.history/1".into(), &"ppdiff/forward.py".into())
    );
    let symbol = told["symbol"].as_str().unwrap();
    let named = format!("ppdiff/forward.py::{symbol}");
    assert_eq!(told, cli_json(&["history", SAMPLE, &named, "--diff", "--json"]));
    let first = &shown_changes(&told)[0];
    let diff = first["diff"].as_str().unwrap();
    assert!(diff.starts_with("@@ ") && diff.contains(&format!("+def {symbol}(")), "{diff}");
}

/// What is added and taken away over the run is what the file has at its end.
#[test]
fn the_changes_of_a_file_add_up_to_the_file() {
    let samples = [SAMPLE, "sample-runs/codex-p12-single-shot", "sample-runs/claude-code"];
    let mut files = 0;
    for sample in samples {
        let listed = cli_json(&["ls", sample, "--json"]);
        for file in listed["files"].as_array().unwrap() {
            let path = file["path"].as_str().unwrap();
            let told = cli_json(&["history", sample, path, "--json"]);
            let sum = |key: &str| -> Option<i64> {
                shown_changes(&told).iter().map(|change| change[key].as_i64()).sum()
            };
            let Some((added, removed)) = sum("added").zip(sum("removed")) else { continue };
            let text = cli_text(&["cat", sample, path]);
            let base = if shown_changes(&told)[0]["what"] == "created" { 0 } else { continue };
            assert_eq!(base + added - removed, text.lines().count() as i64, "{sample}: {path}");
            files += 1;
        }
    }
    assert!(files > 20, "{files}");
}

#[test]
fn what_has_no_history_is_told_in_a_sentence() {
    let cases: [(&[&str], i32, &str); 4] = [
        (&["history", SAMPLE, "no.py"], 3, "no.py: the run has no such file"),
        (&["history", SAMPLE, "../x"], 2, "../x: not a path inside the workspace"),
        (&["history", SAMPLE, "ppdiff/forward.py", "--at", "1"], 3, "no such file at that moment"),
        (
            &["history", SAMPLE, "ppdiff/forward.py::nothing"],
            3,
            "no function, class or value \"nothing\" in it",
        ),
    ];
    for (arguments, code, sentence) in cases {
        let ran = run_cli(arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(sentence), "{arguments:?}: {}", ran.err);
    }
}
