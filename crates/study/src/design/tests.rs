use proptest::prelude::*;

use super::*;

fn mistake_texts(text: &str) -> Vec<String> {
    parse_study_file(text).1.into_iter().map(|it| format!("{}: {}", it.line, it.what)).collect()
}

const FULL_STUDY: &str = r#"name = "fidelity"
runs = ["runs/*", "../more/one"]
unit = "decision"
rubric = "components.json"
judges = ["gpt", "claude"]
raters = ["ana", "ben", "cho"]
adjudicator = "dee"
adjudicates = "all"
labels = "two acts"
labels_folder = "said"

[sample]
size = 40
seed = 7
strata = ["score", "condition"]
allocation = "proportional"

[queue]
divided = true
overlap = 0.25
"#;

#[test]
fn a_study_says_all_of_it() {
    let (design, wrong) = parse_study_file(FULL_STUDY);

    assert_eq!(wrong, []);
    assert_eq!(design.name.as_deref(), Some("fidelity"));
    assert_eq!(design.raters, ["ana", "ben", "cho"]);
    assert_eq!(design.sample.strata, [StratumKind::Score, StratumKind::Condition]);
    assert_eq!((design.sample.size, design.sample.seed), (Some(40), 7));
    assert_eq!(design.division, LabelDivision::Divided(RaterOverlap::Share(0.25)));
    assert_eq!((design.acts, design.adjudicates), (LabelMode::TwoActs, AdjudicationScope::All));
}

#[test]
fn a_study_that_is_written_reads_as_it_was() {
    let (whole, _) = parse_study_file(FULL_STUDY);
    let small = StudyDesign { runs: vec!["runs".into()], ..StudyDesign::default() };
    for design in [whole, small] {
        assert_eq!(parse_study_file(&study_file_text(&design)), (design, vec![]));
    }
}

#[test]
fn all_that_is_wrong_is_told_with_its_line_and_the_rest_counts() {
    let text = "name = 3\nruns = [\"a\"]\nraters = [\"ana\", \"ana\"]\nadjudicator = \"gold\"\n\
        [sample]\nseed = -1\nwhere = 2\n[queue]\ndivided = \"yes\"\n";

    insta::assert_snapshot!(mistake_texts(text).join("\n"), @r#"
    1: name: expected the name of the study
    3: raters: ana is named twice
    4: adjudicator: gold is the name of adjudicated outcomes; use another name
    6: sample.seed: expected a whole number from 0
    7: no field is called sample.where; known: name, runs, unit, rubric, judges, judge, raters, adjudicator, adjudicates, labels, labels_folder, sample.size, sample.seed, sample.strata, sample.allocation, queue.divided, queue.overlap, codebook
    9: queue.divided: expected true or false
    "#);
    assert_eq!(parse_study_file(text).0.runs, ["a"]);
}

#[test]
fn what_does_not_fit_together_is_told_too() {
    let said = |text: &str| mistake_texts(text).join("; ");

    assert!(said("raters = [\"a\"]").contains("runs: names no run"));
    assert!(said("runs = [\"a\"]\nqueue.divided = true").contains("two raters at least"));
    assert!(said("runs = [\"a\"]\nqueue.overlap = 2").contains("only a divided queue overlaps"));
    let more = "runs = [\"a\"]\nraters = [\"a\", \"b\"]\nsample.size = 3\nqueue.divided = true\nqueue.overlap = 4";
    assert_eq!(said(more), "5: queue.overlap: 4 is more than the sample of 3");
}

#[test]
fn a_codebook_says_what_levels_mean_and_all_that_is_wrong_with_it_is_told() {
    let text = "runs = [\"a\"]\n[codebook]\nrule = \"Take the lower.\"\n\
        [[codebook.levels]]\nscore = 1\nmeans = \"Not what is asked.\"\nexamples = [\"a\"]\n";
    let (design, wrong) = parse_study_file(text);

    let book = design.codebook.unwrap();
    assert_eq!(wrong, []);
    assert_eq!(book.criteria[0].rule, "Take the lower.");
    assert_eq!(book.criteria[0].levels[1].means, "Not what is asked.");
    let (_, wrong) = parse_study_file(
        "runs = [\"a\"]\n[codebook]\nlevles = 1\n[[codebook.levels]]\nscore = 9\n",
    );
    assert_eq!(wrong.len(), 2);
    assert!(wrong.iter().all(|it| it.line == 2 && it.what.starts_with("codebook: ")), "{wrong:?}");
}

#[test]
fn a_broken_line_does_not_spoil_the_others() {
    let (design, wrong) = parse_study_file("runs = [\"a\"]\nname = \nraters = [\"ana\"]\n");

    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert_eq!((wrong[0].line, design.raters), (2, vec!["ana".to_owned()]));
}

#[test]
fn a_rater_sees_nothing_of_others_and_whoever_is_none_sees_all() {
    let design = StudyDesign {
        raters: vec!["ana".into()],
        adjudicator: Some("dee".into()),
        ..StudyDesign::default()
    };

    assert!(design.has_rater("ana") && !design.may_see_all("ana"));
    assert!(!design.has_rater("dee") && design.may_see_all("dee"));
    assert!(design.may_see_all("lead"));
    assert!(StudyDesign::default().has_rater("zoe") && !StudyDesign::default().may_see_all("zoe"));
}

proptest! {
    #[test]
    fn whatever_the_text_a_study_is_read(text in "\\PC{0,200}|(runs|raters|\\[sample\\]|size|=|\\[|\\]|\"|,|[0-9]|\n| ){0,60}") {
        let (_, wrong) = parse_study_file(&text);
        prop_assert!(wrong.iter().all(|it| it.line >= 1 && !it.what.is_empty()));
    }
}
