use super::*;
use trajview_run::{
    Warning,
    rubric::{Judge, Judgement, Label, LabelFile, Rubric, Verdict},
};

fn judgement_with(
    name: &str,
    kind: &str,
    commit: &str,
    scores: &[(&str, Option<u8>)],
) -> Judgement {
    let verdict = |(component, score): &(&str, Option<u8>)| Verdict {
        component: (*component).into(),
        score: *score,
        ..Verdict::default()
    };
    Judgement {
        file: format!("judgements/{name}.json"),
        judge: Judge { name: name.into(), kind: kind.into(), ..Judge::default() },
        commit: Some(commit.to_owned()).filter(|commit| !commit.is_empty()),
        verdicts: scores.iter().map(verdict).collect(),
        ..Judgement::default()
    }
}

fn labels_with(annotator: &str, scores: &[(&str, Option<u8>)]) -> LabelFile {
    let label = |(component, score): &(&str, Option<u8>)| Label {
        component: (*component).into(),
        score: score.map(f64::from),
        ..Label::default()
    };
    LabelFile {
        file: format!("labels/{annotator}.json"),
        annotator: annotator.into(),
        labels: scores.iter().map(label).collect(),
        ..LabelFile::default()
    }
}

fn panel_with(judgements: Vec<Judgement>, labels: Vec<LabelFile>) -> RaterPanel {
    let rubric = Rubric { judgements, labels, ..Rubric::default() };
    panel_of_run(RunScores {
        run: "p1",
        files: ScoreFiles::In(""),
        rubric: &rubric,
        audit_items: &[],
    })
}

fn rater_names(panel: &RaterPanel) -> Vec<&str> {
    panel.raters.iter().map(|rater| rater.name.as_str()).collect()
}

#[test]
fn humans_stand_against_the_judge_first_then_against_each_other() {
    let judge = judgement_with("judge", "http", "", &[("C1", Some(4))]);
    let panel = panel_with(
        vec![judge],
        vec![labels_with("A1", &[("C1", Some(4))]), labels_with("A2", &[("C1", Some(3))])],
    );

    let pairs = panel
        .pairs_of_raters()
        .into_iter()
        .map(|(a, b)| [rater_names(&panel)[a], rater_names(&panel)[b]]);
    assert_eq!(pairs.collect::<Vec<_>>(), [["A1", "judge"], ["A2", "judge"], ["A1", "A2"]]);
}

#[test]
fn a_judge_of_two_commits_is_one_rater_and_of_one_commit_twice_two() {
    let scores = [("C1", Some(4))];
    let of = |commit| judgement_with("quick", "command", commit, &scores);

    let panel = panel_with(vec![of("aaaaaaaa"), of("bbbbbbbb"), of("aaaaaaaa")], vec![]);

    assert_eq!(rater_names(&panel), ["quick", "quick #2"]);
    assert_eq!(panel.raters[0].scores.len(), 2);
}

#[test]
fn scores_of_different_commits_are_no_pair() {
    let one = judgement_with("one", "http", "aaaaaaaa1", &[("C1", Some(4)), ("C2", Some(1))]);
    let two = judgement_with("two", "http", "bbbbbbbb2", &[("C1", Some(3))]);
    let near = judgement_with("near", "http", "aaaaaaaa", &[("C1", Some(2))]);
    let panel = panel_with(vec![one, two, near], vec![labels_with("any", &[("C1", Some(0))])]);
    let rater = |name: &str| panel.raters.iter().find(|rater| rater.name == name).unwrap();
    let scores = |a: &str, b: &str| -> Vec<(f64, f64)> {
        join_scores(rater(a), rater(b)).pairs.iter().map(|pair| (pair.a, pair.b)).collect()
    };

    assert_eq!(scores("one", "two"), []);
    assert_eq!(scores("one", "near"), [(4.0, 2.0)]);
    assert_eq!(scores("any", "two"), [(0.0, 3.0)]);
    let joined = join_scores(rater("one"), rater("two"));
    assert_eq!((joined.only_a, joined.only_b), (2, 1));
}

#[test]
fn a_label_without_a_verdict_is_named() {
    let judge = judgement_with("judge", "http", "", &[("C1", Some(4)), ("C2", None)]);
    let panel =
        panel_with(vec![judge], vec![labels_with("A1", &[("C1", Some(4)), ("C2", Some(3))])]);

    let lonely: Vec<(usize, String)> = panel
        .scores_without_counterpart()
        .into_iter()
        .map(|(at, it)| (at, it.item.to_string()))
        .collect();
    assert_eq!(lonely, [(1, "C2 of p1".into())]);
}

#[test]
fn of_two_labels_the_later_one_counts_and_the_other_is_named() {
    let panel = panel_with(
        vec![],
        vec![labels_with("A1", &[("C1", Some(4)), ("C2", Some(3)), ("C1", Some(2)), ("C1", None)])],
    );

    let scores: Vec<f64> = panel.raters[0].scores.iter().map(|score| score.score).collect();
    assert_eq!(scores, [3.0, 2.0]);
    assert_eq!(panel.problems[0].what, "C1: labelled again; the later label counts");
}

#[test]
fn a_score_off_the_scale_and_a_second_one_are_named() {
    let mut panel = panel_with(
        vec![judgement_with(
            "judge",
            "http",
            "",
            &[("C1", Some(4)), ("C2", Some(3)), ("C2", Some(1))],
        )],
        vec![],
    );
    panel.raters[0].scores[0].score = 7.0;

    let panel = panel.on_scale(|score| score <= 4.0);

    let named: Vec<&str> = panel.problems.iter().map(|problem| problem.what.as_str()).collect();
    assert_eq!(
        named,
        ["C1: 7 is not on the scale", "C2: scored twice by judge; the first score counts"]
    );
    assert_eq!(panel.raters[0].scores.len(), 1);
}

#[test]
fn what_could_not_be_read_is_said_with_its_folder() {
    let warnings = vec![Warning { place: "labels/a.json".into(), what: "is no object".into() }];
    let rubric = Rubric { warnings, ..Rubric::default() };

    let panel = panel_of_run(RunScores {
        run: "p1",
        files: ScoreFiles::In("runs/p1"),
        rubric: &rubric,
        audit_items: &[],
    });

    assert_eq!(
        panel.problems,
        [Warning { place: "runs/p1/labels/a.json".into(), what: "is no object".into() }]
    );
}

#[test]
fn raters_of_one_name_are_told_apart_by_their_model_or_kind() {
    let with_model = |model: &str| {
        let mut judgement = judgement_with("quick", "http", model, &[("C1", Some(4))]);
        judgement.judge.model = Some(model.into());
        judgement
    };
    let human = judgement_with("ann", "human", "", &[("C1", Some(4))]);
    let judge = judgement_with("ann", "http", "", &[("C1", Some(4))]);

    let panel = panel_with(vec![with_model("one"), with_model("two"), human, judge], vec![])
        .with_distinct_names();

    assert_eq!(rater_names(&panel), ["quick (one)", "quick (two)", "ann (human)", "ann (judge)"]);
}
