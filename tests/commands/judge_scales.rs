//! Judges on the scales of a codebook: `1..5`, two levels, any number from 0 to 1, and several criteria in one answer.

use std::fs;

use serde_json::{Value, json};
use trajview::{
    run::rubric::{LabelUnit, PromptMatch},
    store,
};

use crate::common::{
    judge_desk::Desk,
    judge_server::{Asked, Say, Server, able_reply},
    run_cli,
};

/// Gives the run's checklist this codebook.
fn with_codebook(desk: &Desk, codebook: &Value) {
    let path = desk.run().join("components.json");
    let mut checklist: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    checklist["codebook"] = codebook.clone();
    fs::write(&path, checklist.to_string()).unwrap();
}

fn several_criteria() -> Value {
    json!({"criteria": [
        {"id": "right", "name": "Is it right", "scale": "0..1",
         "levels": [{"name": "no", "means": "What it computes is not what is asked for."}, {"name": "yes"}]},
        {"id": "clear", "scale": "1..5", "rule": "Between two take the lower."},
        {"id": "part", "scale": "[0,1]"}]})
}

/// A judge that answers this at once.
fn reply_scores(scores: Value) -> impl Fn(&Asked) -> Say + Send + Sync + 'static {
    move |asked| {
        if asked.results.is_empty() {
            return Say::Calls(vec![("list", json!({}))]);
        }
        let mut answer = scores.clone();
        answer["rationale"] = "It was looked at.".into();
        answer["evidence"] = json!([]);
        Say::Calls(vec![("verdict", answer)])
    }
}

#[test]
fn several_criteria_are_scored_in_one_answer_and_kept_apart_in_every_protocol() {
    for protocol in ["chat", "responses", "messages"] {
        let server =
            Server::new(reply_scores(json!({"scores": {"right": 1, "clear": 4, "part": 0.25}})));
        let desk = Desk::with_protocol(protocol, &server, "");
        with_codebook(&desk, &several_criteria());

        let ran = desk.judge(&["--components", "C01,C02"]);

        assert_eq!(ran.code, Some(0), "{protocol}: {}", ran.err);
        assert!(
            ran.err.contains("1/2 C0") && ran.err.contains(": right 1 yes, clear 4, part 0.25")
        );
        assert!(ran.out.ends_with(": 2 of 2 components judged\n"), "{}", ran.out);
        let judgement = desk.only();
        assert_eq!(judgement["rubric"], "codebook");
        assert_eq!(
            judgement["judge"]["criteria"],
            json!([{"id": "right", "scale": "0..1"}, {"id": "clear", "scale": "1..5"}, {"id": "part", "scale": "[0,1]"}])
        );
        let score = &judgement["scores"][0];
        assert_eq!(
            score["criteria"],
            json!([{"id": "right", "score": 1, "label": "yes"}, {"id": "clear", "score": 4}, {"id": "part", "score": 0.25}])
        );
        assert_eq!((&score["score"], &score["error"]), (&Value::Null, &Value::Null));
        let asked = &server.seen_requests()[0];
        let said = asked.body.to_string();
        assert!(
            said.contains("## clear") && said.contains("Between two take the lower."),
            "{said}"
        );
        assert!(!said.contains("Simplified"), "the five levels are not what it is asked by");
        assert!(said.contains(r#""maximum":5"#), "{said}");
    }
}

#[test]
fn what_a_judge_gave_by_a_codebook_is_read_back_counts_in_no_mcf_and_says_why() {
    let server =
        Server::new(reply_scores(json!({"scores": {"right": 1, "clear": 4, "part": 0.25}})));
    let desk = Desk::with_server(&server, "");
    with_codebook(&desk, &several_criteria());

    desk.judge(&["--components", "C01,C02"]);
    let rubric = store::rubric::read_beside(&desk.run());

    let judgement = &rubric.judgements[0];
    let verdict = judgement.verdict_on("C01").unwrap();
    let given: Vec<_> = verdict
        .given_scores()
        .iter()
        .map(|it| (it.criterion.unwrap().to_owned(), it.score))
        .collect();
    assert_eq!(given, [("right".into(), 1.0), ("clear".into(), 4.0), ("part".into(), 0.25)]);
    assert_eq!((verdict.score, verdict.error.as_deref()), (None, None));
    let why = "not on 0..4: right 1 yes (0..1), clear 4 (1..5), part 0.25 ([0,1])";
    assert_eq!(verdict.reason.as_deref(), Some(why));
    assert!(!rubric.warnings.iter().any(|it| it.place.starts_with("judgements/")));
    let book = rubric.codebook.as_ref().unwrap();
    let prompt = judgement.judge.prompt_sha256.as_deref();
    assert_eq!(book.compare_with_prompt(prompt, LabelUnit::Component), PromptMatch::Same);
    let run = desk.run();
    let run = run.to_str().unwrap();
    let told: Value =
        serde_json::from_str(&desk.judge(&["--components", "C01", "--json"]).out).unwrap();
    let told = &told["files"][0];
    assert_eq!(
        (&told["mcf"], &told["scores"][0]["criteria"][1]["score"]),
        (&Value::Null, &json!(4))
    );
    let checked = run_cli(&["check", run, "--strict"]);
    assert!(!checked.out.contains("judgements/"), "{}", checked.out);
    let scored = run_cli(&["score", run, "--judge", "stub", "--json"]);
    let document: Value = serde_json::from_str(&scored.out).unwrap();
    let row = &document["faithfulness"];
    assert_eq!(
        (&row["mcf"], &row["if50"], &row["severe"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(row["without_need"][0], json!({"component": "C01", "why": why}));
    let unnamed = run_cli(&["score", run]);
    assert!(
        unnamed.out.contains("on the scales of a codebook and not on 0..4 by stub"),
        "{}",
        unnamed.out
    );
}

#[test]
fn each_score_is_held_to_the_scale_of_its_criterion() {
    let server =
        Server::new(reply_scores(json!({"scores": {"right": 1, "clear": 0, "part": 0.25}})));
    let desk = Desk::with_server(&server, "");
    with_codebook(&desk, &several_criteria());

    let ran = desk.judge(&["--components", "C01"]);

    assert_eq!(ran.code, Some(1));
    let why = "clear: the score 0 is not a whole number from 1 to 5";
    assert_eq!(desk.only()["scores"][0]["error"], format!("no verdict after two attempts: {why}"));
    assert_eq!(server.seen_requests().len(), 3, "a look, an answer, and a second one");
    let again = server.seen_requests()[2].body.to_string();
    assert!(again.contains("right (a whole number from 0 to 1)"), "{again}");
}

#[test]
fn a_study_or_a_checklist_that_is_named_gives_the_scale() {
    let scales = [
        ("1..5", json!({"score": 5}), json!(5), "5"),
        ("0..1", json!({"score": 1}), json!(1), "1"),
        ("[0,1]", json!({"score": 0.7}), json!(0.7), "0.7"),
    ];
    for (scale, answer, score, label) in scales {
        let server = Server::new(reply_scores(answer));
        let desk = Desk::with_server(&server, "");
        let study = desk.folder.path().join("study.toml");
        fs::write(&study, format!("runs = [\"run\"]\n[codebook]\nscale = \"{scale}\"\n")).unwrap();

        let ran = desk.judge(&["--components", "C03", "--codebook", study.to_str().unwrap()]);

        assert_eq!(ran.code, Some(0), "{scale}: {}", ran.err);
        let judgement = desk.only();
        assert_eq!(judgement["judge"]["criteria"], json!([{"scale": scale}]));
        assert_eq!(judgement["scores"][0]["criteria"], json!([{"score": score}]));
        assert_eq!(judgement["scores"][0]["label"], label);
    }
    let desk = Desk::with_server(&Server::new(able_reply), "");
    let checklist = desk.run().join("components.json");
    let none = desk.judge(&["--codebook", checklist.to_str().unwrap()]);
    assert_eq!(none.code, Some(4), "{}", none.err);
    assert!(none.err.contains("no codebook for components"), "{}", none.err);
    let flags = desk.judge(&["--codebook", checklist.to_str().unwrap(), "--rubric", "flags"]);
    assert_eq!(flags.code, Some(2));
}

#[test]
fn criteria_on_0_to_4_make_a_score_of_the_component_by_the_rule_of_the_codebook_alone() {
    let answer = json!({"scores": {"formula": 4, "wiring": 1}});
    for (rule, score, mcf) in [
        (None, None, Value::Null),
        (Some("lowest"), Some(1), json!(1.0)),
        (Some("mean"), Some(3), json!(2.5)),
    ] {
        let server = Server::new(reply_scores(answer.clone()));
        let desk = Desk::with_server(&server, "");
        let mut book = json!({"criteria": [{"id": "formula"}, {"id": "wiring"}]});
        for criterion in book["criteria"].as_array_mut().unwrap() {
            criterion["scale"] = "0..4".into();
        }
        if let Some(rule) = rule {
            book["overall"] = rule.into();
        }
        with_codebook(&desk, &book);

        desk.judge(&["--components", "C01"]);

        let rubric = store::rubric::read_beside(&desk.run());
        assert_eq!(rubric.judgements[0].verdict_on("C01").unwrap().score, score, "{rule:?}");
        let run = desk.run();
        let scored = run_cli(&["score", run.to_str().unwrap(), "--judge", "stub", "--json"]);
        let document: Value = serde_json::from_str(&scored.out).unwrap();
        assert_eq!(document["faithfulness"]["mcf"], mcf, "{rule:?}");
    }
}

#[test]
fn a_judging_by_a_codebook_is_gone_on_with_and_old_judgements_stay_as_they_are() {
    let server = Server::new(able_reply);
    let desk = Desk::with_server(&server, "");
    desk.judge(&["--components", "C01"]);
    let (old, before) = (desk.names().remove(0), desk.bytes(&desk.names()[0]));
    with_codebook(&desk, &json!({"scale": "1..5"}));
    let fails = Server::new(|asked: &Asked| match asked.component.as_str() {
        "C02" => Say::Text("no".into()),
        _ => reply_scores(json!({"score": 2}))(asked),
    });
    let settings = format!(
        "[judges.stub]\nkind = \"chat\"\nmodel = \"m-1\"\nbase_url = \"{}\"\nkey_env = \"STUB_KEY\"\nbackoff = 0.01\n",
        fails.url()
    );
    fs::write(desk.folder.path().join("config.toml"), settings).unwrap();

    let first = desk.judge(&["--components", "C01,C02"]);
    let resumed = desk.judge(&["--components", "C01,C02", "--resume"]);

    assert_eq!((first.code, resumed.code), (Some(1), Some(1)));
    assert_eq!(desk.names().len(), 2, "the second goes on in the file of the first");
    assert_eq!(desk.bytes(&old), before);
    let rubric = store::rubric::read_beside(&desk.run());
    assert_eq!(rubric.judgements[0].verdict_on("C01").unwrap().score, Some(1));
    assert_eq!(rubric.judgements[1].verdict_on("C01").unwrap().criterion_scores[0].score, 2.0);
}
