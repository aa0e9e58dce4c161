//! What a verdict rests on: looks at the code, and quotes that the code has.

use serde_json::{Value, json};

use crate::common::{
    judge_desk::Desk,
    judge_server::{Asked, Say, Server},
    run_cli,
};

/// A judge that looks once, then answers with a quote.
fn quoting(quote: &'static str) -> impl Fn(&Asked) -> Say + Send + Sync + 'static {
    move |asked| match asked.results.is_empty() {
        true => Say::Calls(vec![("list", json!({}))]),
        false => Say::Calls(vec![("verdict", verdict_with(quote))]),
    }
}

fn verdict_with(quote: &str) -> Value {
    let place = json!({"path": "ppdiff/embed.py", "start": 1, "end": 400, "quote": quote});
    json!({"evidence": [place], "rationale": "It was looked at.", "level": 3})
}

fn faithfulness_of(desk: &Desk, options: &[&str]) -> Value {
    let run = desk.run();
    let words = [&["score", run.to_str().unwrap(), "--judge", "stub", "--json"], options].concat();
    let document: Value = serde_json::from_str(&run_cli(&words).out).unwrap();
    document["faithfulness"].clone()
}

#[test]
fn a_level_without_a_look_is_asked_for_again_then_marked_and_left_out_of_means() {
    let at_once = |_: &Asked| Say::Calls(vec![("verdict", verdict_with("def relative_position"))]);
    let server = Server::new(at_once);
    let desk = Desk::with_server(&server, "");

    let ran = desk.judge(&["--components", "C07"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let requests = server.seen_requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[1].body.to_string().contains("without a look at the repository"));
    let score = &desk.only()["scores"][0];
    assert_eq!((&score["score"], &score["looks"]), (&json!(3), &json!(0)));
    let left_out = faithfulness_of(&desk, &[]);
    assert_eq!((&left_out["mcf"], &left_out["judged"]), (&Value::Null, &json!(0)));
    assert_eq!(left_out["unlooked"], json!(["C07"]));
    let counted = faithfulness_of(&desk, &["--count-unlooked"]);
    assert_eq!((&counted["mcf"], &counted["unlooked"]), (&json!(3.0), &json!([])));
    let run = desk.run();
    let printed = run_cli(&["score", run.to_str().unwrap(), "--judge", "stub"]).out;
    assert!(printed.contains("1 level unlooked (the judge opened nothing), not counted: C07"));
}

#[test]
fn a_level_whose_quotes_the_code_does_not_have_is_unsupported_and_counted() {
    let server = Server::new(quoting("position = learned_table(index)"));
    let desk = Desk::with_server(&server, "");

    desk.judge(&["--components", "C07"]);

    let score = &desk.only()["scores"][0];
    assert_eq!(score["evidence"][0]["quote_check"], "missing");
    assert_eq!((&score["evidence_found"], &score["evidence_given"]), (&json!(0), &json!(1)));
    let row = faithfulness_of(&desk, &[]);
    assert_eq!((&row["mcf"], &row["unsupported"]), (&json!(3.0), &json!(["C07"])));
    let run = desk.run();
    let printed = run_cli(&["score", run.to_str().unwrap(), "--judge", "stub"]).out;
    let note = "1 level unsupported (no quote of it is in the code), counted: C07";
    assert!(printed.contains(note), "{printed}");
    let checked = run_cli(&["check", run.to_str().unwrap(), "--strict"]);
    assert!(!checked.out.contains("judgements/"), "{}", checked.out);
}

#[test]
fn a_level_with_a_quote_of_the_code_is_in_no_doubt() {
    let server = Server::new(quoting("def   relative_position("));
    let desk = Desk::with_server(&server, "");

    desk.judge(&["--components", "C07"]);

    let score = &desk.only()["scores"][0];
    assert_eq!(score["evidence"][0]["quote_check"], "found");
    let row = faithfulness_of(&desk, &[]);
    assert_eq!((&row["unsupported"], &row["unlooked"]), (&json!([]), &json!([])));
}

#[test]
fn a_judge_of_the_vendor_of_the_agent_is_noted() {
    let server = Server::new(quoting("def relative_position("));
    let desk = Desk::with_server(&server, "");
    let file = desk.run().join("judgements/of-vendor.json");
    let sample = std::fs::read("sample-runs/codex-p12/judgements/quick-reader.json").unwrap();
    let mut judgement: Value = serde_json::from_slice(&sample).unwrap();
    judgement["judge"]["name"] = "mini".into();
    judgement["judge"]["model"] = "o4-mini".into();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, judgement.to_string()).unwrap();

    let run = desk.run();
    let words = ["score", run.to_str().unwrap(), "--judge", "mini"];
    let json: Value =
        serde_json::from_str(&run_cli(&[&words[..], &["--json"]].concat()).out).unwrap();

    assert_eq!(json["faithfulness"]["shared_vendor"], "OpenAI");
    let printed = run_cli(&words).out;
    assert!(printed.contains("judge and agent are models of OpenAI"), "{printed}");
}
