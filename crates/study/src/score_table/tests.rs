use proptest::prelude::*;

use super::*;
use crate::raters::{ScoredItem, join_scores};

/// Component, run, score.
type PlainScore<'a> = (&'a str, &'a str, f64);

/// Name and scores of each rater.
fn plain_scores(panel: &RaterPanel) -> Vec<(&str, Vec<PlainScore<'_>>)> {
    panel
        .raters
        .iter()
        .map(|rater| {
            let of = rater
                .scores
                .iter()
                .map(|it| (it.item.component.as_str(), it.item.run.as_str(), it.score));
            (rater.name.as_str(), of.collect())
        })
        .collect()
}

#[test]
fn a_table_has_a_row_a_thing_and_a_column_a_rater() {
    let panel =
        read_score_table("t.csv", "component,run,Ann,Bob\nC1,p1,4,Faithful\r\n\"C,2\",,3,\n", "r")
            .unwrap();

    let expected =
        vec![("Ann", vec![("C1", "p1", 4.0), ("C,2", "r", 3.0)]), ("Bob", vec![("C1", "p1", 4.0)])];
    assert_eq!(plain_scores(&panel), expected);
    assert_eq!(panel.problems, vec![]);
}

#[test]
fn what_was_written_so_that_no_spreadsheet_computes_it_is_read_as_it_was() {
    let row = |cells: [&str; 3]| trajview_formats::csv::csv_line(cells.map(String::from));
    let text = row(["component", "=Ann", "'Bob'"]) + &row(["-C1", "-2.5", "3"]);

    let panel = read_score_table("t.csv", &text, "").unwrap();

    let expected = vec![("=Ann", vec![("-C1", "", -2.5)]), ("'Bob'", vec![("-C1", "", 3.0)])];
    assert_eq!(plain_scores(&panel), expected);
}

#[test]
fn a_row_can_be_one_score() {
    let panel = read_score_table(
        "t.csv",
        "rater,component,score\nAnn,C1,2\nBob,C1,3\nAnn,C2,1\n,C2,1\n",
        "",
    )
    .unwrap();

    let expected =
        vec![("Ann", vec![("C1", "", 2.0), ("C2", "", 1.0)]), ("Bob", vec![("C1", "", 3.0)])];
    assert_eq!(plain_scores(&panel), expected);
    assert_eq!(
        (panel.problems[0].place.as_str(), panel.problems[0].what.as_str()),
        ("t.csv: line 5", "names no rater")
    );
}

#[test]
fn json_has_the_same_tables() {
    let csv = read_score_table("t", "a,b\n4,3\n2,\n", "").unwrap();

    for text in [
        r#"{"a": [4, 2], "b": [3, null]}"#,
        r#"[{"a": 4, "b": 3}, {"a": "2"}]"#,
        r#"{"pairs": [{"a": 4, "b": 3}, {"a": 2, "b": null}]}"#,
    ] {
        let json = read_score_table("t", text, "").unwrap();
        assert_eq!(plain_scores(&json), plain_scores(&csv), "{text}");
    }
}

#[test]
fn a_cell_that_is_no_score_is_named_and_the_rest_counts() {
    let panel = read_score_table("t.csv", "component,a,b\nC1,4,x\nC2,NaN,2\nC3,1,1\n", "").unwrap();

    let named: Vec<String> =
        panel.problems.iter().map(|it| format!("{}: {}", it.place, it.what)).collect();
    assert_eq!(
        named,
        ["t.csv: line 2: b: \"x\" is not a score", "t.csv: line 3: a: \"NaN\" is not a score"]
    );
    let joined = join_scores(&panel.raters[0], &panel.raters[1]);
    assert_eq!((joined.pairs.len(), joined.only_a, joined.only_b), (1, 1, 1));
    assert_eq!(
        joined.pairs[0].item,
        ScoredItem { component: "C3".into(), ..ScoredItem::default() }
    );
}

#[test]
fn what_is_no_table_says_so() {
    assert_eq!(read_score_table("t", "", "").unwrap_err(), "is not a table");
    assert!(
        read_score_table("t", "component,run\nC1,p\n", "")
            .unwrap_err()
            .starts_with("has no column of scores")
    );
    assert!(read_score_table("t", "{\"a\":", "").unwrap_err().starts_with("does not read as JSON"));
}

proptest! {
    #[test]
    fn whatever_the_text_it_is_read_or_refused(text in "[a-c,\"\n\r{}\\[\\]:0-5. ]{0,80}") {
        let _ = read_score_table("t", &text, "");
    }
}
