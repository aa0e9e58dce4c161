use super::*;
use trajview_run::rubric::JudgeTest;

fn read_all(files: &[(&str, &str)]) -> Rubric {
    let files: Vec<_> =
        files.iter().map(|(name, text)| SourceBytes { name, bytes: text.as_bytes() }).collect();
    read_rubric(&files)
}

fn warning_texts(rubric: &Rubric) -> Vec<String> {
    rubric.warnings.iter().map(|it| format!("{}: {}", it.place, it.what)).collect()
}

const COMPONENTS: &str = r#"{"schema": "trajview.components/1", "task": "t", "components": [
    {"id": "C1", "name": "loss", "inputs": ["a", "b"], "connects_to": ["C9"], "committed_at_turn": 3},
    {"id": "C1", "name": "again"}, {"name": "no id"}, 7, {"id": "C2"}, {"id": "C3"}]}"#;

#[test]
fn what_cannot_be_used_is_named_and_the_rest_counts() {
    let rubric = read_all(&[
        ("components.json", COMPONENTS),
        (
            "judgements/b.json",
            r#"{"schema": "trajview.judgement/1", "judge": {"name": "j", "kind": "http"}, "turn": 5, "scores": [
                {"component": "C1", "score": 3, "evidence": [{"path": "a.py", "start": 9, "end": 4}, {"start": 1}]},
                {"component": "C1", "score": 4},
                {"component": "C2", "score": 7},
                {"component": "C8", "score": "2"},
                {"score": 1}]}"#,
        ),
        ("judgements/a.json", "[1"),
        ("labels/x.json", r#"{"schema": "other/1", "labels": [{"component": "C2", "score": -1}]}"#),
        ("notes.txt", "not ours"),
    ]);
    insta::assert_snapshot!(warning_texts(&rubric).join("\n"), @r#"
    components.json: components, entry 4: is not an object
    components.json: components, entry 2: C1 is there already; the first one counts
    components.json: components, entry 3: has no id
    judgements/a.json: is not JSON: EOF while parsing a list at line 1 column 2
    judgements/b.json: scores, entry 2: C1 has a verdict already; the first one counts
    judgements/b.json: C2: the score 7 is not on the scale 0..4
    judgements/b.json: scores, entry 5: names no component
    labels/x.json: has the schema "other/1"; it is read as trajview.labels/1
    labels/x.json: C2: the score -1 is not on the scale 0..4
    components.json: C1 connects to C9, which components.json does not have
    judgements/b.json: has a verdict on C8, which components.json does not have
    judgements/b.json: has no verdict on C3
    "#);
    let judgement = &rubric.judgements[0];
    let scores: Vec<_> =
        judgement.verdicts.iter().map(|it| (it.component.as_str(), it.score)).collect();
    assert_eq!(scores, [("C1", Some(3)), ("C2", None), ("C8", Some(2))]);
    assert_eq!(judgement.verdicts[0].evidence[0].lines, Some((4, 9)));
    assert_eq!(judgement.verdicts[0].evidence.len(), 1);
    assert_eq!(rubric.labels[0].annotator, "x");
    let checklist = rubric.checklist.unwrap();
    assert_eq!(checklist.components[0].inputs, "a, b");
    assert_eq!(checklist.components[0].committed_at_turn, Some(3));
}

#[test]
fn a_level_holds_until_the_next_entry() {
    let rubric = read_all(&[(
        "exposure.json",
        r#"{"schema": "trajview.exposure/1", "components": [
            {"id": "C1", "by_turn": [{"turn": 9, "level": 4}, {"turn": 2, "level": 1}, {"turn": 3, "level": 5}, {"level": 2}]}]}"#,
    )]);
    let exposure = rubric.exposure.as_ref().unwrap();
    let levels: Vec<_> =
        [1, 2, 8, 9, 80].iter().map(|&turn| exposure.components[0].level_at(turn)).collect();
    assert_eq!(levels, [0, 1, 1, 4, 4]);
    assert_eq!(
        warning_texts(&rubric),
        [
            "exposure.json: C1: the level 5 is not on the scale 0..4",
            "exposure.json: C1: an entry without a turn or without a level"
        ]
    );
}

#[test]
fn judgements_stand_in_the_order_they_were_made_and_the_last_speaks() {
    let judgement = |kind: &str, at: &str, score: &str| {
        format!(
            r#"{{"schema": "trajview.judgement/1", "judge": {{"name": "{kind}", "kind": "{kind}"}}, "created_at": "{at}",
                "scores": [{{"component": "C1", "score": {score}}}]}}"#
        )
    };
    let (human, old) = (
        judgement("human", "2026-03-01T00:00:00Z", "4"),
        judgement("http", "2026-01-01T00:00:00Z", "1"),
    );
    let failed = judgement("command", "2026-04-01T00:00:00Z", "null");
    let files = [
        ("judgements/1.json", human.as_str()),
        ("judgements/2.json", old.as_str()),
        ("judgements/3.json", failed.as_str()),
    ];
    let rubric = read_all(&files);
    let kinds: Vec<_> = rubric.judgements.iter().map(|it| it.judge.kind.as_str()).collect();
    assert_eq!(kinds, ["http", "human", "command"]);
    assert_eq!(rubric.result_judgement().unwrap().judge.kind, "human");
    assert_eq!(rubric.judgements[2].verdicts[0].error.as_deref(), Some("has no score"));
}

#[test]
fn what_a_judge_was_not_asked_about_is_not_missed() {
    let judgement = |more: &str| {
        let head = r#"{"schema": "trajview.judgement/1", "judge": {"name": "j", "kind": "http""#;
        format!(r#"{head}{more}, "scores": [{{"component": "C1", "score": 3}}]}}"#)
    };
    let asked = judgement(
        r#", "temperature": 0.5}, "components": ["C1", "C3"], "repeat": {"number": 2, "of": 3}"#,
    );
    let odd = judgement(
        r#", "temperature": "hot"}, "components": "all", "repeat": {"number": 4, "of": 3}"#,
    );
    let bare = judgement("}, \"repeat\": {\"of\": 3}");
    let rubric = read_all(&[
        ("components.json", COMPONENTS),
        ("judgements/asked.json", &asked),
        ("judgements/bare.json", &bare),
        ("judgements/odd.json", &odd),
    ]);

    let of_judgements: Vec<_> =
        warning_texts(&rubric).into_iter().filter(|it| it.starts_with("judgements/")).collect();
    assert_eq!(
        of_judgements,
        [
            "judgements/asked.json: has no verdict on C3",
            "judgements/bare.json: has no verdict on C2, C3",
            "judgements/odd.json: has no verdict on C2, C3"
        ]
    );
    let [asked, bare, odd] = rubric.judgements.as_slice() else { panic!("three") };
    assert_eq!(asked.repeat, Some(trajview_run::rubric::RepeatNumber { number: 2, total: 3 }));
    assert_eq!(asked.judge.temperature, Some(0.5));
    assert_eq!([asked.asks_about("C2"), asked.asks_about("C3")], [false, true]);
    assert_eq!((bare.repeat, odd.repeat, odd.judge.temperature), (None, None, None));
    assert_eq!((&odd.requested_ids, odd.asks_about("C2")), (&None, true));
}

proptest::proptest! {
    #[test]
    fn whatever_the_bytes_it_returns(bytes: Vec<u8>, name in "(components|exposure|judgements/a|labels/a)\\.json") {
        read_rubric(&[SourceBytes { name: &name, bytes: &bytes }]);
    }

    #[test]
    fn whatever_stands_for_a_value_it_returns(at in 0..COMPONENTS.len(), junk in "[\\[{\"0-9a-z,:]{0,4}") {
        let mut text = COMPONENTS.to_owned();
        if text.is_char_boundary(at) {
            text.insert_str(at, &junk);
        }
        read_rubric(&[SourceBytes { name: "components.json", bytes: text.as_bytes() }]);
    }
}

#[test]
fn a_test_of_an_unknown_kind_is_no_judgement_of_the_run() {
    let file = |test: &str| {
        format!(
            r#"{{"schema": "trajview.judgement/1", "test": {test}, "scores": [{{"component": "C1", "score": 3}}]}}"#
        )
    };
    let texts = ["\"seed-sweep\"", "true", "null", "\"drift\""].map(file);
    let names =
        ["judgements/a.json", "judgements/b.json", "judgements/c.json", "judgements/d.json"];
    let files: Vec<(&str, &str)> =
        names.into_iter().zip(texts.iter().map(String::as_str)).collect();

    let rubric = read_all(&files);

    let tests: Vec<_> = rubric.judge_tests.iter().map(|it| it.test).collect();
    assert_eq!(tests, [Some(JudgeTest::Other), Some(JudgeTest::Other), Some(JudgeTest::Drift)]);
    assert_eq!(rubric.judgements.len(), 1);
    assert_eq!(rubric.judgements[0].file, "judgements/c.json");
    assert_eq!(
        warning_texts(&rubric),
        [
            "judgements/a.json: has the unknown test \"seed-sweep\"; no number of the run includes it",
            "judgements/b.json: has the unknown test \"true\"; no number of the run includes it",
        ]
    );
}
