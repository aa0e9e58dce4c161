use super::*;

/// Two models, three rounds: `b` names the tests that `a` passed, and loses `add: negative` in round 2.
const TASK: &str = r#"{"task": "t1", "meta": {"name": "calc"}, "n_rounds": 3, "intent1": "x", "rounds": [
 {"n": 1, "title": "Build it", "md": "Build it\n\nwhole"}, {"n": 2, "title": "Change it", "md": "m"}, {"n": 3, "title": "End", "md": "m"}],
 "models": {
 "a": {"1": {"pass": 2, "total": 3, "fail": 1, "reward": 0, "fails": [{"req": "add", "type": "core", "n": 1, "reason": "r", "cases": [{"id": "c2", "scenario": "negative", "reason": "got 1"}]}]},
       "2": {"pass": 3, "total": 3, "fail": 0, "reward": 1, "fails": []},
       "3": null},
 "b": {"1": {"pass": 3, "total": 3, "fail": 0, "reward": 1, "fails": []},
       "2": {"pass": 2, "total": 3, "fail": 1, "reward": 0, "fails": [{"req": "add", "type": "core", "n": 1, "reason": "r", "cases": [{"id": "c1", "scenario": "negative", "actual": "2"}]}]},
       "3": {"pass": 0, "total": 0, "fail": 0, "reward": 0, "fails": [], "early": "FAIL: build"}}},
 "score": {"a": 1, "b": 1}}"#;

fn run_of(model: &str) -> Run {
    let document = crate::with_run_field(TASK, model);
    EvoCodeBench.index_run(&[SourceBytes { name: "t1.json", bytes: &document }]).unwrap()
}

fn cases(run: &Run, round: usize) -> Vec<(&str, TestOutcome)> {
    let tests = run.checkpoints[round].recorded.as_ref().unwrap().tests.as_ref().unwrap();
    tests.cases.iter().map(|case| (&*case.name, case.outcome)).collect()
}

#[test]
fn a_round_is_a_checkpoint_with_its_tests_and_reward() {
    let run = run_of("b");

    assert_eq!(
        run.checkpoints.iter().map(|it| &*it.id).collect::<Vec<_>>(),
        ["round-1", "round-2", "round-3"]
    );
    assert_eq!(
        cases(&run, 0),
        [("add: negative", TestOutcome::Passed)],
        "it is a test of the round, and did not fail"
    );
    assert_eq!(cases(&run, 1), [("add: negative", TestOutcome::Failed)]);
    let trial = run.trial.unwrap();
    assert_eq!((trial.outcome, trial.reward), (Some(Outcome::Partial), Some(1.0 / 3.0)));
    assert_eq!((run.model.as_deref(), run.turns.len()), (Some("b"), 3));
    let early = run.checkpoints[2].recorded.as_ref().unwrap();
    assert_eq!(early.values.iter().map(|it| &*it.name).collect::<Vec<_>>(), ["reward", "early"]);
}

#[test]
fn a_round_without_a_result_is_no_record_and_a_warning() {
    let run = run_of("a");

    assert_eq!(run.checkpoints[2].recorded, None);
    assert_eq!(run.warnings[0].what, "1 of 3 rounds have no result");
}

#[test]
fn nothing_is_known_to_pass_where_counts_do_not_add_up_or_fewer_tests_ran() {
    let no_case = |from: &str, to: &str| {
        let changed = TASK.replace(from, to);
        assert_ne!(changed, TASK);
        let document = crate::with_run_field(&changed, "b");
        let run = EvoCodeBench.index_run(&[SourceBytes { name: "t", bytes: &document }]).unwrap();
        assert_eq!(cases(&run, 0), []);
    };

    no_case(r#""b": {"1": {"pass": 3, "total": 3"#, r#""b": {"1": {"pass": 2, "total": 2"#);
    no_case(r#""b": {"1": {"pass": 3, "total": 3"#, r#""b": {"1": {"pass": 2, "total": 3"#);
}

#[test]
fn a_file_is_recognised_and_taken_apart_by_its_models() {
    let head = FileHead { name: "x.json", bytes: TASK.as_bytes(), is_whole: true };
    assert!(EvoCodeBench.claims_file(&head));
    assert_eq!(EvoCodeBench.runs_in_file(&head), RunsInFile::OnePerField("models"));
    assert_eq!(crate::field_names(TASK, "models").unwrap(), ["a", "b"]);
    let document = crate::with_run_field(TASK, "b");
    let head = FileHead { name: "b", bytes: &document, is_whole: true };
    assert_eq!(EvoCodeBench.runs_in_file(&head), RunsInFile::One);
}

#[test]
fn the_request_and_the_failure_are_read_where_they_stand() {
    let run = run_of("b");
    let document = crate::with_run_field(TASK, "b");

    let request = run.turns[0].request.unwrap();
    assert_eq!(EvoCodeBench.request_text(request.bytes_in(&document)), "Build it\n\nwhole");
    let tests = run.checkpoints[1].recorded.as_ref().unwrap().tests.as_ref().unwrap();
    let failure = tests.cases[0].failure.unwrap();
    assert_eq!(
        EvoCodeBench.failure_text(failure.bytes_in(&document)),
        "scenario: negative\nactual: 2"
    );
}

#[test]
fn a_round_with_very_many_failed_tests_is_read_in_one_pass() {
    let cases = |prefix: &str| {
        let case = |at: usize| format!("{{\"scenario\": \"{prefix}{at}\"}}");
        (0..60_000).map(case).collect::<Vec<_>>().join(",")
    };
    let round = |requirement: &str, prefix: &str| {
        let fails = format!("[{{\"req\": \"{requirement}\", \"cases\": [{}]}}]", cases(prefix));
        format!(
            "{{\"1\": {{\"pass\": 60000, \"total\": 120000, \"fail\": 60000, \"fails\": {fails}}}}}"
        )
    };
    let task = format!(
        "{{\"task\": \"t\", \"n_rounds\": 1, \"rounds\": [{{\"n\": 1}}], \"models\": {{\"a\": {}, \"b\": {}}}}}",
        round("x", "p"),
        round("y", "q")
    );
    let document = crate::with_run_field(&task, "a");
    let run = EvoCodeBench.index_run(&[SourceBytes { name: "t", bytes: &document }]).unwrap();

    let outcomes = cases_of_outcomes(&run);
    assert_eq!(outcomes, (60_000, 60_000));
}

/// Returns the numbers of failed and of passed tests of the first round.
fn cases_of_outcomes(run: &Run) -> (usize, usize) {
    let all = cases(run, 0);
    let count = |wanted| all.iter().filter(|(_, outcome)| *outcome == wanted).count();
    (count(TestOutcome::Failed), count(TestOutcome::Passed))
}
