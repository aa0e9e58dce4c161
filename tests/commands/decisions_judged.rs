//! Decisions that a judge says are kept or broken, and parts of the process that ask for a judge.

#![cfg(unix)]

use std::fs;

use serde_json::{Value, json};

use crate::common::{
    decided::{decision_desk, judged_by, made_decisions},
    judge_desk::{Desk, component_ids, run_command},
    run_cli,
};

const DECISIONS: [&str; 2] = ["--rubric", "decisions"];

fn json_of(arguments: &[&str]) -> Value {
    let ran = run_cli(arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn decision_lane(desk: &Desk) -> Value {
    json_of(&["decisions", desk.run().to_str().unwrap(), "--json"])
}

/// Of every step and decision: id, kept, judge.
fn kept_verdicts(lane: &Value) -> Vec<(String, Value, Value)> {
    let steps = lane["steps"].as_array().unwrap();
    let applied = steps.iter().flat_map(|row| row["decisions"].as_array().unwrap());
    let told = |it: &Value| {
        (it["id"].as_str().unwrap().to_owned(), it["kept"].clone(), it["judge"].clone())
    };
    applied.map(told).collect()
}

#[test]
fn a_judge_says_which_decisions_the_code_keeps_and_the_lane_tells_it() {
    let desk = decision_desk();

    let told = desk.judge(&DECISIONS);

    assert_eq!(told.code, Some(1), "one got no verdict: {}", told.err);
    assert!(
        told.out.contains("3 of 4 decisions judged: 1 kept, 1 broken, 1 cannot tell"),
        "{}",
        told.out
    );
    assert!(told.out.contains("without a verdict: one-entry"), "{}", told.out);
    let judgement = desk.only();
    assert_eq!((&judgement["rubric"], &judgement["turn"]), (&json!("decisions"), &json!(56)));
    // What is superseded and what applied to no step is not asked.
    assert_eq!(
        component_ids(&judgement),
        ["fixed-target", "uniform-noise", "plain-nn", "one-entry"]
    );
    let of = |at: usize| &judgement["scores"][at];
    assert_eq!((&of(0)["score"], &of(0)["label"]), (&json!(0), &json!("broken")));
    assert_eq!(of(0)["evidence"], json!([{"path": "ppdiff/train.py", "start": 2, "end": 4}]));
    assert_eq!(of(0)["left_out"].as_array().unwrap().len(), 1);
    assert_eq!(of(0)["trace"][0]["tool"], "read");
    assert_eq!(
        (&of(2)["score"], &of(2)["label"], &of(2)["error"]),
        (&Value::Null, &json!("cannot tell"), &Value::Null)
    );
    let why = "no verdict after two attempts: the verdict \"perfect\" is not one of kept, broken, cannot tell";
    assert_eq!((&of(3)["score"], &of(3)["error"]), (&Value::Null, &json!(why)));

    let lane = decision_lane(&desk);
    let kept = kept_verdicts(&lane);
    let of = |id: &str| kept.iter().find(|it| it.0 == id).unwrap();
    assert_eq!((&of("fixed-target").1, &of("fixed-target").2), (&json!(false), &json!("stub")));
    assert_eq!(of("uniform-noise").1, json!(true));
    assert_eq!((&of("plain-nn").1, &of("plain-nn").2), (&Value::Null, &json!("stub")));
    assert_eq!((&of("one-entry").1, &of("one-entry").2), (&Value::Null, &Value::Null));
    assert_eq!((&of("mask-noise").1, &of("mask-noise").2), (&Value::Null, &Value::Null));
    assert_eq!(lane["verdicts"][0]["after_turn"], 56);
    assert_eq!(lane["verdicts"][0]["evidence"][0]["start"], 2);
    let plain = run_cli(&["decisions", desk.run().to_str().unwrap()]).out;
    let sentence = "fixed-target broken, by stub after turn 56: The target moves with the model. (ppdiff/train.py:2-4)";
    assert!(plain.contains(sentence), "{plain}");
    assert!(
        plain.contains(
            "superseded in turn: mask-noise -> uniform-noise; the newest applies first at step "
        ),
        "{plain}"
    );
}

#[test]
fn what_would_be_sent_is_told_and_nothing_is_asked() {
    let desk = decision_desk();

    let plan = desk.judge(&[&DECISIONS[..], &["--dry-run"]].concat());

    assert_eq!(plan.code, Some(0), "{}", plan.err);
    assert!(
        plan.out.contains("  decisions   fixed-target, uniform-noise, plain-nn, one-entry\n"),
        "{}",
        plan.out
    );
    assert!(plan.out.contains("Decision fixed-target"), "{}", plan.out);
    assert!(
        plan.out.contains("What was decided: The target of training stays fixed."),
        "{}",
        plan.out
    );
    assert!(plan.out.contains("without retries"), "{}", plan.out);
    assert_eq!(desk.names(), [""; 0]);
}

#[test]
fn a_checkpoint_without_a_decision_that_applied_is_left_out_and_named() {
    let desk = decision_desk();
    let late = json!([{"id": "late", "question": "", "answer": "Samples stay whole.", "files": ["ppdiff/sampler.py"]}]);
    fs::write(desk.run().join("decisions.json"), late.to_string()).unwrap();
    let each =
        |more: &[&str]| desk.judge(&[&DECISIONS[..], &["--each", "checkpoint"], more].concat());

    let plan = each(&["--dry-run"]);
    let told = each(&["--json"]);

    let words =
        "no decision in force applies to a step of the first 6 turns; --components names others";
    assert!(plan.out.contains(&format!("  left out    turn 6: {words}\n")), "{}", plan.out);
    assert!(told.err.contains(&format!("turn 6 skipped: {words}\n")), "{}", told.err);
    let json: Value = serde_json::from_str(&told.out).unwrap();
    let of = |list: &str| json[list].as_array().unwrap().len();
    assert_eq!(json["left_out"][0], json!({"turn": 6, "why": words}));
    assert!(of("left_out") > 0 && of("states") > 0, "{json}");
    assert_eq!((of("left_out") + of("states"), desk.names().len()), (9, of("states")));

    // Where no checkpoint has one there is nothing to do.
    fs::write(desk.run().join("decisions.json"), json!([made_decisions()[5]]).to_string()).unwrap();
    let none = each(&[]);
    assert_eq!(none.code, Some(2), "{}", none.err);
    assert!(none.err.contains("no decision in force applies"), "{}", none.err);
}

#[test]
fn decisions_are_judged_at_a_moment_and_named_ones_whatever_their_status() {
    let desk = decision_desk();
    let store = desk.folder.path().join("mine.json");
    fs::write(&store, made_decisions().to_string()).unwrap();
    let store = store.to_str().unwrap();
    let asked =
        |more: &[&str]| desk.judge(&[&DECISIONS[..], &["--decisions", store], more].concat());

    let past = asked(&["--components", "mask-noise", "--at", "32"]);
    let unknown = asked(&["--components", "no-such"]);
    fs::write(store, json!([made_decisions()[5]]).to_string()).unwrap();
    let none = asked(&[]);

    assert_eq!(past.code, Some(0), "{}", past.err);
    assert_eq!(
        (&desk.only()["turn"], component_ids(&desk.only())),
        (&json!(32), vec!["mask-noise".to_owned()])
    );
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("the store has no decision \"no-such\""), "{}", unknown.err);
    assert_eq!(none.code, Some(2));
    assert!(
        none.err.contains("no decision in force applies to a step of the first 56 turns"),
        "{}",
        none.err
    );
    // A step after the state that was judged is not covered.
    let kept = decision_lane(&desk);
    for step in kept["steps"].as_array().unwrap() {
        let turn: usize =
            step["step"].as_str().unwrap().split('.').next().unwrap().parse().unwrap();
        for it in step["decisions"].as_array().unwrap().iter().filter(|it| it["id"] == "mask-noise")
        {
            assert_eq!(it["kept"], if turn <= 32 { json!(true) } else { Value::Null }, "{step}");
        }
    }
}

#[test]
fn a_decision_that_is_edited_after_it_was_judged_is_not_judged() {
    let desk = decision_desk();
    desk.judge(&DECISIONS);
    let before = decision_lane(&desk)["verdicts"].as_array().unwrap().len();
    let mut edited = made_decisions();
    edited[0]["answer"] = "The target moves.".into();
    fs::write(desk.run().join("decisions.json"), edited.to_string()).unwrap();

    let lane = decision_lane(&desk);

    assert_eq!(lane["verdicts"].as_array().unwrap().len(), before - 1);
    assert!(
        kept_verdicts(&lane).iter().filter(|it| it.0 == "fixed-target").all(|it| it.1.is_null())
    );
    // Nor is a judging of the old words gone on with.
    let resumed = desk.judge(&[&DECISIONS[..], &["--resume"]].concat());
    assert_eq!(resumed.code, Some(2), "{}", resumed.err);
}

#[test]
fn verdicts_on_decisions_are_no_scores_of_components() {
    let desk = decision_desk();
    desk.judge(&DECISIONS);
    let run = desk.run();
    let run = run.to_str().unwrap();

    let scored = json_of(&["score", run, "--json"]);
    let checked = run_cli(&["check", run]);

    let read = trajview::store::rubric::read_beside(&desk.run());
    assert_eq!((read.judgements.len(), read.decisions.len()), (0, 1));
    assert!(!scored.to_string().contains("\"mcf\":0"), "{scored}");
    assert!(!checked.out.contains("components.json"), "{}", checked.out);
    assert!(!checked.out.contains("cannot tell"), "{}", checked.out);
    let name = &desk.names()[0];
    let text = String::from_utf8(desk.bytes(name)).unwrap();
    let text = text.replace("\"label\":\"broken\"", "\"label\":\"kept\"");
    fs::write(desk.run().join("judgements").join(name), text).unwrap();
    let wrong = run_cli(&["check", run]);
    assert!(
        wrong.out.contains("kept is level 1, and the score is 0"),
        "{}{}",
        wrong.out,
        wrong.err
    );
}

#[test]
fn two_judges_of_decisions_agree_or_not() {
    let desk = decision_desk();
    desk.judge(&DECISIONS);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_trajview"));
    command.arg("judge").arg(desk.run()).args(["--judge", "other"]).args(DECISIONS);
    desk.with_surroundings(&mut command);
    assert_eq!(run_command(&mut command).code, Some(1));
    let run = desk.run();
    let run = run.to_str().unwrap();

    let told = json_of(&["agree", run, "--json"]);

    assert_eq!(told["levels"], json!([0, 1]), "{told}");
    assert_eq!(told["pairs"][0]["n"], 2, "{told}");
    let text = run_cli(&["agree", run, "--rubric", "decisions"]);
    assert_eq!(text.code, Some(0), "{}", text.err);
    let none = run_cli(&["agree", run, "--rubric", "process"]);
    assert_eq!(none.code, Some(4), "{}", none.out);
    let repeats = run_cli(&["agree", run, "--repeats"]);
    assert_eq!(repeats.code, Some(2));
}

#[test]
fn score_files_of_one_benchmark_are_raters() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, scores: [f64; 3]| {
        let task = |(at, score): (usize, f64)| format!("t{at}:\n  codex: {{sc: {score}}}\n");
        let path = folder.path().join(name);
        fs::write(&path, scores.into_iter().enumerate().map(task).collect::<String>()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (a, b) =
        (file("sc_scores_a.yaml", [0.5, 1.0, 0.0]), file("sc_scores_b.yaml", [0.5, 1.0, 0.5]));

    let told = json_of(&["agree", &a, &b, "--json"]);

    assert_eq!(told["levels"], json!([0, 0.5, 1]), "{told}");
    let pair = &told["pairs"][0];
    assert_eq!(
        (&pair["a"], &pair["b"], &pair["n"]),
        (&json!("sc_scores_a"), &json!("sc_scores_b"), &json!(3))
    );
    assert_eq!(pair["exact"], json!(2.0 / 3.0));
}

#[test]
fn parts_of_the_process_that_ask_for_a_judge_get_what_one_says() {
    let desk = judged_by(
        "prompt=$(cat)\ncase $prompt in\n*'Part DQ'*) echo '{\"level\": 2, \"rationale\": \"fair steps\", \"evidence\": []}' ;;\n\
         *) echo '{\"level\": 0, \"rationale\": \"no test\", \"evidence\": []}' ;;\nesac\n",
    );
    let run = desk.run();
    let run = run.to_str().unwrap();
    let part = |told: &Value, pillar: &str, id: &str| {
        let all = told["profiles"]
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["profile"] == "rigor-paper")
            .unwrap();
        let pillar = all["pillars"]
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["id"] == pillar)
            .unwrap()
            .clone();
        pillar["parts"].as_array().unwrap().iter().find(|it| it["id"] == id).unwrap().clone()
    };
    let before = json_of(&["process", run, "--json"]);
    assert_eq!(part(&before, "pf", "DQ")["value"], Value::Null, "{before}");

    let told = desk.judge(&["--rubric", "process"]);

    assert_eq!(told.code, Some(0), "{}", told.err);
    // The agent made no commit: CH is not asked.
    assert_eq!(component_ids(&desk.only()), ["DQ", "RT"]);
    let after = json_of(&["process", run, "--json"]);
    let quality = part(&after, "pf", "DQ");
    assert_eq!((&quality["value"], &quality["is_judged"]), (&json!(2.0 / 3.0), &json!(true)));
    assert_eq!(quality["why"], "judged 2 of 3 (fair) by stub after turn 56");
    assert_eq!(part(&after, "vc", "RT")["value"], 0.0);
    assert_eq!(part(&after, "ati", "CH")["value"], Value::Null);
    let none = desk.judge(&["--rubric", "process", "--components", "CH"]);
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("CH: the agent made no commit"), "{}", none.err);
}

#[test]
fn what_a_part_is_judged_by_is_in_the_question() {
    let desk = decision_desk();

    let plan = desk.judge(&["--rubric", "process", "--dry-run"]);

    assert_eq!(plan.code, Some(0), "{}", plan.err);
    assert!(plan.out.contains("Part DQ: decomposition of the plan"), "{}", plan.out);
    assert!(plan.out.contains("- 3 good: steps small enough"), "{}", plan.out);
}

#[test]
fn decisions_are_drawn_into_a_new_file_and_never_over_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drawn.json");
    let path = path.to_str().unwrap();
    let arguments = ["decisions", "sample-runs/codex-p12", "--extract", "--out", path];

    let first = run_cli(&arguments);
    let written = fs::read(path).unwrap();
    let again = run_cli(&arguments);

    assert_eq!(first.code, Some(0), "{}", first.err);
    assert!(first.out.contains(" decisions"), "{}", first.out);
    assert_eq!(again.code, Some(2));
    assert!(again.err.contains("never overwritten"), "{}", again.err);
    assert_eq!(fs::read(path).unwrap(), written);
    let printed = run_cli(&["decisions", "sample-runs/codex-p12", "--extract"]);
    assert_eq!(printed.out.as_bytes(), written);
}
