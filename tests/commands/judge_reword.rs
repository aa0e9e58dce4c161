//! Rewordings of the question and a confidence after the level: what is asked, what is recorded, and that no number of a run
//! includes a rewording.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::common::{
    judge_desk::Desk,
    judge_server::{Asked, Say, Server},
    run_cli,
};

const COMPONENTS: &str = "C01,C02,C03,C07";

/// A judge that looks once and gives these levels to the component of the number, by the wording of the question.
fn level_reply(asked: &Asked, level: u64) -> Say {
    if asked.results.is_empty() {
        return Say::Calls(vec![("list", json!({}))]);
    }
    Say::Calls(vec![("verdict", json!({"evidence": [], "rationale": "seen", "level": level}))])
}

/// Gives a level less where the question says `Grade`, as the second rewording does.
fn wording_reply(asked: &Asked) -> Say {
    let number: u64 = asked.component.trim_start_matches('C').parse().unwrap_or_default();
    let is_second = asked.body.to_string().contains("Grade this component.");
    level_reply(asked, (number % 4) + u64::from(!is_second))
}

fn documents(desk: &Desk) -> Vec<Value> {
    desk.names().iter().map(|name| serde_json::from_slice(&desk.bytes(name)).unwrap()).collect()
}

fn agree_json(desk: &Desk, options: &[&str]) -> Value {
    let run = desk.run();
    let words =
        [&["agree", run.to_str().unwrap(), "--json", "--resamples", "200"], options].concat();
    serde_json::from_str(&run_cli(&words).out).unwrap()
}

#[test]
fn each_repeat_is_asked_in_other_words_and_recorded_as_a_rewording() {
    let server = Server::new(wording_reply);
    let desk = Desk::with_server(&server, "");

    let ran = desk.judge(&["--components", COMPONENTS, "--reword", "--repeat", "3"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let documents = documents(&desk);
    assert_eq!(documents.len(), 3);
    let hashes: BTreeSet<&str> =
        documents.iter().map(|it| it["judge"]["prompt_sha256"].as_str().unwrap()).collect();
    assert_eq!(hashes.len(), 3);
    for document in &documents {
        assert_eq!(document["test"], "rewording");
        assert!(
            document["judge"]["reworded_from"]
                .as_str()
                .unwrap()
                .starts_with(|c: char| c.is_ascii_hexdigit())
        );
        assert!(!hashes.contains(document["judge"]["reworded_from"].as_str().unwrap()));
    }
    let run = desk.run();
    let checked = run_cli(&["check", run.to_str().unwrap(), "--strict"]);
    assert!(!checked.out.contains("judgements/"), "{}", checked.out);
}

#[test]
fn no_number_and_no_pool_of_a_run_includes_a_rewording_unless_its_file_is_pinned() {
    let server = Server::new(wording_reply);
    let desk = Desk::with_server(&server, "");
    desk.judge(&["--components", COMPONENTS]);
    desk.judge(&["--components", COMPONENTS, "--reword", "--repeat", "2"]);
    let run = desk.run();
    let path = run.to_str().unwrap();

    let score = run_cli(&["score", path, "--judge", "stub", "--json"]).out;
    let score: Value = serde_json::from_str(&score).unwrap();
    assert_eq!(score["faithfulness"]["mcf"], json!(3.25));
    let pooled = run_cli(&["score", path, "--judge", "pooled:mean", "--json"]);
    assert_ne!(pooled.code, Some(0), "{}", pooled.out);
    assert!(pooled.err.contains("nothing to pool"), "{}", pooled.err);

    let names = desk.names();
    let reworded = names.iter().find(|name| name.contains("rewording")).unwrap();
    let view = |judge: &str| {
        run_cli(&[path, "--view", "scores", "--judge", judge, "--snapshot", "120x40"]).out
    };
    assert!(view(reworded).contains("judgement 2 of 2"), "{}", view(reworded));
    assert!(!view("stub").contains("judgement 2 of 2"), "{}", view("stub"));
}

#[test]
fn agreement_of_repeats_and_of_rewordings_stands_side_by_side() {
    let server = Server::new(wording_reply);
    let desk = Desk::with_server(&server, "");
    desk.judge(&["--components", COMPONENTS, "--repeat", "2"]);
    desk.judge(&["--components", COMPONENTS, "--reword", "--repeat", "2"]);

    let retest = agree_json(&desk, &["--repeats"])["retests"][0].clone();

    assert_eq!((&retest["plain"]["count"], &retest["plain"]["exact"]), (&json!(2), &json!(1.0)));
    assert_eq!(
        (&retest["plain"]["icc_2_1"], &retest["reworded"]["count"]),
        (&json!(1.0), &json!(3))
    );
    // Of three wordings the second rewording differs from the other two.
    let exact = retest["reworded"]["exact"].as_f64().unwrap();
    assert!((exact - 1.0 / 3.0).abs() < 1e-9, "{retest}");
    assert_eq!((&retest["shift"], &retest["shift_compared"]), (&json!(-0.5), &json!(4)));
    let run = desk.run();
    let printed = run_cli(&["agree", run.to_str().unwrap(), "--repeats", "--resamples", "200"]).out;
    assert!(printed.contains("plain repeats") && printed.contains("rewordings"), "{printed}");
    assert!(printed.contains("mean shift from the prompt"), "{printed}");
    let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    let run_name = retest["run"].as_str().unwrap();
    let title_end = format!(" of {run_name} after turn 56 at 610540d2: repeats and rewordings");
    assert!(words.contains(&title_end), "{printed}");
    let csv = run_cli(&["agree", run.to_str().unwrap(), "--repeats", "--csv", "--resamples", "0"]);
    let count = |against: &str| {
        csv.out.lines().filter(|it| it.contains(&format!(",{against},all,,4,exact,"))).count()
    };
    let counts = ["repeat", "retest-plain", "retest-reworded"].map(count);
    assert_eq!(counts, [1, 1, 1], "{}", csv.out);
}

#[test]
fn stopped_rewordings_are_resumed_without_those_of_an_earlier_command() {
    let server = Server::new(wording_reply);
    let desk = Desk::with_server(&server, "");
    let reword = |more: &[&str]| {
        desk.judge(&[&["--components", COMPONENTS, "--reword", "--repeat", "2"], more].concat())
    };
    reword(&[]);
    reword(&[]);
    // As if the second command had been stopped after its first wording.
    let newest = desk.names().pop().unwrap();
    std::fs::remove_file(desk.run().join("judgements").join(newest)).unwrap();
    let requests = server.seen_requests().len();

    let resumed = reword(&["--resume"]);
    let again = reword(&["--resume"]);

    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    let batch_ids: Vec<Value> = documents(&desk).iter().map(|it| it["batch_id"].clone()).collect();
    assert_eq!(batch_ids.len(), 4);
    assert_eq!((&batch_ids[0], &batch_ids[2]), (&batch_ids[1], &batch_ids[3]));
    assert_ne!(batch_ids[0], batch_ids[2]);
    // Two requests for each of four components in the second wording.
    assert_eq!(server.seen_requests().len() - requests, 8);
    assert_eq!(again.code, Some(2), "{}", again.out);
    assert!(again.err.contains("no unfinished set of rewordings to resume"), "{}", again.err);
}

#[test]
fn what_cannot_be_reworded_is_refused() {
    let server = Server::new(wording_reply);
    let desk = Desk::with_server(&server, "");

    let many = desk.judge(&["--reword", "--repeat", "5"]);
    let process = desk.judge(&["--reword", "--rubric", "process"]);
    let flags = desk.judge(&["--confidence", "--rubric", "flags"]);

    assert_eq!((many.code, process.code, flags.code), (Some(2), Some(2), Some(2)));
    assert!(many.err.contains("there are 4 rewordings"), "{}", many.err);
    assert!(server.seen_requests().is_empty());
}

#[test]
fn a_confidence_is_asked_after_the_level_kept_and_null_where_the_judge_states_none() {
    let brain = |asked: &Asked| {
        if asked.results.is_empty() {
            return Say::Calls(vec![("list", json!({}))]);
        }
        let mut answer = json!({"evidence": [], "rationale": "seen", "level": 2});
        if asked.component == "C01" {
            answer["confidence"] = json!(0.75);
        }
        Say::Calls(vec![("verdict", answer)])
    };
    let server = Server::new(brain);
    let desk = Desk::with_server(&server, "");

    let ran = desk.judge(&["--components", "C01,C02", "--confidence"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let document = desk.only();
    assert_eq!(document["judge"]["confidence_scale"], "[0,1]");
    assert_eq!(document["scores"][0]["confidence"], json!(0.75));
    assert_eq!(document["scores"][1]["confidence"], Value::Null);
    assert!(document["scores"][1].as_object().unwrap().contains_key("confidence"));
    assert!(document.get("test").is_none());
    let system = server.seen_requests()[0].body["messages"][0]["content"].to_string();
    assert!(system.contains(r#"\"level\": 2, \"confidence\": 0.7}"#), "{system}");
    let plain = desk.judge(&["--components", "C01,C02", "--dry-run", "--json"]).out;
    let plain: Value = serde_json::from_str(&plain).unwrap();
    let built_in = "assets/judge/slump-5.md";
    let text = std::fs::read(crate::common::project_path(built_in)).unwrap();
    assert_eq!(plain["judge"]["prompt_sha256"], trajview::store::sha256(&text));
    assert_ne!(plain["judge"]["prompt_sha256"], document["judge"]["prompt_sha256"]);
    let run = desk.run();
    let checked = run_cli(&["check", run.to_str().unwrap(), "--strict"]);
    assert!(!checked.out.contains("judgements/"), "{}", checked.out);
}
