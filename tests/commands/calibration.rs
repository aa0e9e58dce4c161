//! `trajview agree --calibration`: the table of the SLUMP paper, cell by cell against SciPy and scikit-learn.
//! `tests/vectors/calibration.py` made the 120 pairs and the numbers.

use std::fs;

use serde_json::Value as Json;

use crate::common::{at_columns, cli_json, cli_text, project_path, run_cli};

const PAIRS: &str = "tests/vectors/calibration.csv";
const NEAR: f64 = 1e-9;

fn read_vectors() -> Json {
    let text = fs::read_to_string(project_path("tests/vectors/calibration.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn assert_near(found: &Json, expected: &Json, what: &str) {
    let (Some(found), Some(expected)) = (found.as_f64(), expected.as_f64()) else {
        assert_eq!(found, expected, "{what}");
        return;
    };
    assert!((found - expected).abs() <= NEAR, "{what}: {found} is not {expected}");
}

fn write_table(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn every_cell_is_what_scipy_and_scikit_learn_say() {
    let expected = read_vectors();
    let (seed, draws) = (expected["seed"].to_string(), expected["resamples"].to_string());
    let said = cli_json(&[
        "agree",
        PAIRS,
        "--calibration",
        "--json",
        "--seed",
        &seed,
        "--resamples",
        &draws,
    ]);

    let rows = expected["rows"].as_array().unwrap();
    assert_eq!((rows.len(), said["pairs"].as_array().unwrap().len()), (3, 3));
    let mut intervals = 0;
    for (row, pair) in rows.iter().zip(said["pairs"].as_array().unwrap()) {
        let name = row["row"].as_str().unwrap();
        let found = format!("{} - {}", pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap());
        assert_eq!((found.as_str(), &pair["n"]), (name, &row["n"]));
        for (cell, value) in row["cells"].as_object().unwrap() {
            let (what, is_boundary) = (format!("{name}: {cell}"), cell.starts_with("boundary"));
            let share = if is_boundary { &pair[cell]["share"] } else { &pair[cell] };
            assert_near(share, &value["value"], &what);
            for end in 0..2 {
                assert_near(&pair["ci95"][cell][end], &value["ci95"][end], &what);
                intervals += usize::from(value["ci95"][end].is_f64());
            }
        }
        for (boundary, key) in [("2-3", "boundary_2_3"), ("3-4", "boundary_3_4")] {
            let counts = serde_json::json!([pair[key]["count"], pair[key]["of"]]);
            assert_eq!(counts, row["counts"][boundary], "{name}: {boundary}");
        }
        for (side, rater) in [("a", &pair["a"]), ("b", &pair["b"])] {
            let rates = expected["base_rates"][rater.as_str().unwrap()].as_array().unwrap();
            for (level, rate) in rates.iter().enumerate() {
                assert_near(
                    &pair["base_rate"][side][level],
                    rate,
                    &format!("{rater}: level {level}"),
                );
            }
        }
    }
    assert_eq!(intervals, 42);
    assert_eq!(
        said["calibration"],
        serde_json::json!({"first": "A1", "second": "A2", "judge": "judge"})
    );
}

#[test]
fn a_file_of_120_pairs_prints_the_table_of_the_paper() {
    insta::assert_snapshot!(cli_text(&["agree", PAIRS, "--calibration", "--resamples", "2000"]));
}

#[test]
fn on_80_columns_the_table_is_cut_in_two() {
    let said = at_columns(80, &["agree", PAIRS, "--calibration", "--resamples", "2000"]);

    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    insta::assert_snapshot!(said);
}

#[test]
fn markdown_and_csv_have_the_same_rows() {
    let md = cli_text(&["agree", PAIRS, "--calibration", "--md", "--resamples", "500"]);
    let csv = cli_text(&["agree", PAIRS, "--calibration", "--csv", "--resamples", "0"]);

    assert!(md.contains("| raters | n | exact | within 1 | kappa (quad.) |"), "{md}");
    assert!(md.contains("| A1 - judge | 120 | 0.69 [0."), "{md}");
    assert!(
        csv.starts_with("raters,a,b,n,measure,value,ci95_low,ci95_high,count,why,of\r\n"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 22);
    assert!(csv.contains("A1 - judge,A1,judge,120,exact,0.6916666666666667,,,,,\r\n"), "{csv}");
}

#[test]
fn raters_are_named_in_any_order_and_by_the_beginning_of_their_names() {
    let (_folder, path) = write_table("component,bert,anna,model\nC1,4,4,3\nC2,2,2,2\nC3,0,1,0\n");
    let said = cli_json(&[
        "agree",
        &path,
        "--calibration",
        "--raters",
        "Anna,b,model",
        "--json",
        "--resamples",
        "0",
    ]);

    let pairs: Vec<_> =
        said["pairs"].as_array().unwrap().iter().map(|it| [&it["a"], &it["b"]]).collect();
    assert_eq!(pairs, [["anna", "model"], ["bert", "model"], ["anna", "bert"]]);
}

#[test]
fn where_it_is_not_plain_who_is_who_the_raters_are_listed() {
    let (_folder, path) = write_table("component,a,b,c\nC1,4,4,3\nC2,2,2,2\n");
    let refused = |more: &[&str]| {
        let ran = run_cli(&[&["agree", &path, "--calibration"], more].concat());
        (ran.code, ran.err)
    };

    let cases = [
        (&[][..], "name them with --raters FIRST,SECOND,JUDGE"),
        (&["--raters", "a,b,x"], "--raters: no rater \"x\""),
        (&["--raters", "a,b,a"], "--raters names one rater twice"),
        (&["--raters", "a,b"], "--raters names 2, not two humans and a judge"),
    ];
    for (more, words) in cases {
        let (code, err) = refused(more);
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains(words) && err.contains("a (unknown, 2), b (unknown, 2)"), "{err}");
    }
}
