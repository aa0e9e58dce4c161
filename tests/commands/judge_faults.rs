//! What goes wrong between `trajview judge` and its judge, its disk and its user: told in words, and nothing is lost.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use trajview::store;

use crate::common::{
    judge_desk::{
        Desk, component_ids, error_of, run_command, saved_count, score_pairs, start_judge,
        wait_until,
    },
    judge_server::{Say, Server, able_reply},
};

#[test]
fn a_limit_and_a_failing_server_are_waited_out() {
    let server = Server::new(|asked| match asked.nth {
        1 => Say::Status(
            429,
            vec![("retry-after", "1")],
            json!({"error": {"message": "slow down"}}).to_string(),
        ),
        2 => Say::Status(500, vec![], "oops".into()),
        3 => Say::Status(529, vec![], String::new()),
        _ => able_reply(asked),
    });
    let desk = Desk::with_server(&server, "");

    let began = Instant::now();
    let ran = desk.judge(&["--components", "C03"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(began.elapsed() >= Duration::from_secs(1), "the server's word counts");
    assert!(
        ran.err.contains("C03 waits 1 s: the server requests a pause: slow down"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("the server failed (500): oops"), "{}", ran.err);
    assert_eq!(desk.only()["scores"][0]["requests"][0]["attempts"], 4);
}

#[test]
fn a_stream_that_breaks_off_is_asked_for_again() {
    for protocol in ["chat", "responses", "messages"] {
        let server = Server::new(|asked| match asked.nth {
            1 => Say::Cut(2, Box::new(able_reply(asked))),
            2 => Say::Cut(0, Box::new(able_reply(asked))),
            _ => able_reply(asked),
        });
        let desk = Desk::with_protocol(protocol, &server, "");

        let ran = desk.judge(&["--components", "C03"]);

        assert_eq!(ran.code, Some(0), "{protocol}: {}", ran.err);
        assert!(ran.err.contains("the reply was cut short"), "{}", ran.err);
    }
}

#[test]
fn a_body_that_breaks_off_is_asked_for_again() {
    let server = Server::new(|asked| match asked.nth {
        1 => Say::Cut(2, Box::new(able_reply(asked))),
        _ => able_reply(asked),
    });
    let desk = Desk::with_server(&server, "stream = false");

    let ran = desk.judge(&["--components", "C03"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn garbage_is_told_and_never_a_score() {
    for (kind, bytes, said) in [
        (
            "application/json",
            &b"<html>busy</html>"[..],
            "the reply makes no sense: expected JSON, found <html>busy</html>",
        ),
        ("application/json", b"{}", "the reply makes no sense: it has no choices"),
        (
            "text/event-stream",
            b"data: \xff\xfe\n\n",
            "the reply makes no sense: expected JSON in the stream, found \u{fffd}\u{fffd}",
        ),
    ] {
        let server = Server::new(move |_| Say::Garbage(kind, bytes));
        let desk = Desk::with_server(&server, "");

        let ran = desk.judge(&["--components", "C03"]);

        assert_eq!(ran.code, Some(1));
        assert_eq!(error_of(&desk), said);
        assert_eq!(desk.only()["finished_at"], Value::Null, "worth asking again");
    }
}

#[test]
fn an_answer_that_is_no_verdict_has_one_more_chance_and_then_is_an_error() {
    let server = Server::new(|_| Say::Text("I like it.".into()));
    let desk = Desk::with_server(&server, "");

    let ran = desk.judge(&["--components", "C03"]);

    assert_eq!((ran.code, server.seen_requests().len()), (Some(1), 2));
    assert_eq!(error_of(&desk), "no verdict after two attempts: the answer has no JSON object");
    assert_eq!(desk.only()["finished_at"], Value::Null, "worth asking again");
    let read = store::rubric::read_beside(&desk.run());
    assert_eq!(read.judgements[0].verdicts[0].score, None);
}

#[test]
fn a_judge_that_hangs_or_drips_is_cut_at_its_time() {
    let settings = "timeout_first_byte = 0.4\ntimeout = 1.0\nretries = 0";
    for (say, said) in [
        (Say::Hang(Duration::from_secs(30)), "no reply within 0.4 s"),
        (
            Say::Drip(Duration::from_millis(450), Box::new(Say::Text("word".into()))),
            "the reply was not complete within 1 s",
        ),
    ] {
        let server = Server::new(move |_| say.clone());
        let desk = Desk::with_server(&server, settings);

        let began = Instant::now();
        let ran = desk.judge(&["--components", "C03"]);

        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert_eq!(error_of(&desk), said);
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn a_server_that_is_not_there_or_not_one_ends_it_in_words() {
    let gone = Desk::new(
        "[judges.stub]\nkind = \"chat\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:1/v1\"\nretries = 1\nbackoff = 0.01\n",
    );
    let mail = Desk::with_server(&Server::new(|_| Say::NotHttp), "retries = 0");

    let (gone_ran, mail_ran) = (gone.judge(&[]), mail.judge(&["--components", "C01"]));

    assert_eq!(gone_ran.code, Some(3));
    assert!(
        gone_ran.err.ends_with("trajview: judge stub: cannot reach the server: it refuses the connection; no verdicts yet\n"),
        "{}",
        gone_ran.err
    );
    assert_eq!(gone.names(), Vec::<String>::new());
    assert!(error_of(&mail).starts_with("the reply makes no sense"), "{}", mail_ran.err);
}

/// A judge that answers about the first components and then says nothing more about the others.
fn stalling_after(component: &'static str) -> Server {
    Server::new(move |asked| match asked.component.as_str() > component {
        true => Say::Hang(Duration::from_secs(600)),
        false => able_reply(asked),
    })
}

#[test]
fn a_kill_loses_the_component_under_way_and_resume_asks_for_the_rest_alone() {
    let server = stalling_after("C03");
    let desk = Desk::with_server(&server, "concurrency = 1");
    let mut child = start_judge(&desk, &[]);
    wait_until("three components are saved", || saved_count(&desk) == 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let (names, killed) = (desk.names(), desk.only());

    let able_server = Server::new(able_reply);
    let text = fs::read_to_string(desk.folder.path().join("config.toml")).unwrap();
    let text = text.replace(&server.url(), &able_server.url());
    fs::write(desk.folder.path().join("config.toml"), text).unwrap();
    let resumed = desk.judge(&["--resume"]);
    let finished = desk.bytes(&names[0]);
    let again = desk.judge(&["--resume"]);

    assert_eq!(component_ids(&killed), ["C01", "C02", "C03"]);
    assert_eq!((resumed.code, again.code), (Some(0), Some(0)), "{}", resumed.err);
    assert!(resumed.err.contains("24 components, 3 already judged"), "{}", resumed.err);
    assert_eq!(desk.names(), names);
    let judgement = desk.only();
    assert_eq!(component_ids(&judgement).len(), 24);
    assert_eq!(
        judgement["scores"].as_array().unwrap()[..3],
        killed["scores"].as_array().unwrap()[..]
    );
    assert!(able_server.seen_requests().iter().all(|asked| asked.component.as_str() > "C03"));
    assert_eq!(desk.bytes(&names[0]), finished, "a finished judging is never written again");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_done() {
    let desk = Desk::with_server(&stalling_after("C02"), "concurrency = 2");
    let child = start_judge(&desk, &["--repeat", "2"]);
    wait_until("two components are saved", || saved_count(&desk) == 2);

    let began = Instant::now();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();

    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(began.elapsed() < Duration::from_secs(20));
    assert!(said.contains("trajview: stopped; 2 components saved in "), "{said}");
    assert_eq!(component_ids(&desk.only()), ["C01", "C02"]);
}

#[test]
fn what_failed_on_the_way_is_asked_again_by_resume() {
    let server = Server::new(|asked| match (asked.component.as_str(), asked.nth) {
        ("C02", 1) => Say::Garbage("application/json", b"?"),
        _ => able_reply(asked),
    });
    let desk = Desk::with_server(&server, "");
    let arguments = ["--components", "C01,C02,C03"];

    let first = desk.judge(&arguments);
    let before = desk.only();
    let second = desk.judge(&[&arguments[..], &["--resume"]].concat());

    assert_eq!((first.code, second.code), (Some(1), Some(0)), "{}", second.err);
    assert_eq!(score_pairs(&before)[1], ("C02".into(), None));
    assert_eq!(score_pairs(&desk.only())[1], ("C02".into(), Some(2)));
    assert!(
        first.out.contains("2 of 3 components judged, mean 2.00, 1 severe; without a verdict: C02"),
        "{}",
        first.out
    );
}

#[test]
fn a_malformed_answer_is_asked_again_by_resume_into_the_same_file_and_kept() {
    let server = Server::new(|asked| match (asked.component.as_str(), asked.nth) {
        ("C02", 1 | 2) => Say::Text("I like it.".into()),
        _ => able_reply(asked),
    });
    let desk = Desk::with_server(&server, "concurrency = 1");
    let arguments = ["--components", "C01,C02,C03"];

    let first = desk.judge(&arguments);
    let (names, before) = (desk.names(), desk.only());
    let second = desk.judge(&[&arguments[..], &["--resume"]].concat());

    assert_eq!((first.code, second.code), (Some(1), Some(0)), "{}", second.err);
    assert!(
        first.out.contains("without a verdict: C02; --resume requests them again"),
        "{}",
        first.out
    );
    assert_eq!(desk.names(), names);
    let after = desk.only();
    assert_eq!(score_pairs(&before)[1], ("C02".into(), None));
    assert_eq!(score_pairs(&after)[1], ("C02".into(), Some(2)));
    assert_eq!(after["asked_again"], serde_json::json!([before["scores"][1]]));
    assert_eq!(
        (&after["scores"][0], &after["scores"][2]),
        (&before["scores"][0], &before["scores"][2])
    );
    assert!(before["finished_at"].is_null() && after["finished_at"].is_string());
}

#[test]
fn the_cost_bound_stops_before_it_is_crossed() {
    // A request is set aside at 4,096 tokens out, 0.41 USD, and more for what is sent; it then costs 0.011.
    let prices = "price_input = 10.0\nprice_output = 100.0\nmax_cost_usd = 0.7\nconcurrency = 1";
    let server = Server::new(able_reply);
    let desk = Desk::with_server(&server, prices);

    let ran = desk.judge(&[]);

    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("judge stub stops at the cost bound of 0.70 USD: 0."), "{}", ran.err);
    assert!(ran.err.contains("--resume continues"), "{}", ran.err);
    let spent: f64 = ran.out.lines().last().unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(spent > 0.05 && spent < 0.7, "{}", ran.out);
    assert!(saved_count(&desk) > 1 && saved_count(&desk) < 24);
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_a_sentence_and_the_verdicts_so_far_stay() {
    let desk = Desk::with_server(&Server::new(able_reply), "concurrency = 1");
    // No file may grow beyond 16 blocks of 512 bytes; dash counts such, bash counts 1,024.
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$@\"", "sh"])
        .args([env!("CARGO_BIN_EXE_trajview"), "judge"])
        .arg(desk.run())
        .args(["--judge", "stub"]);
    desk.with_surroundings(&mut limited);

    let ran = run_command(&mut limited);

    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(
        ran.err.contains("trajview: cannot write ") && ran.err.contains(" components saved in "),
        "{}",
        ran.err
    );
    let kept = score_pairs(&desk.only());
    assert!(!kept.is_empty() && kept.len() < 24, "{kept:?}");
    assert_eq!(store::rubric::read_beside(&desk.run()).judgements[0].verdicts.len(), kept.len());
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_anything_is_asked() {
    let server = Server::new(able_reply);
    let desk = Desk::with_server(&server, "");
    fs::write(desk.run().join("judgements"), "mine").unwrap();

    let ran = desk.judge(&[]);

    assert_eq!((ran.code, server.seen_requests().len()), (Some(3), 0));
    assert!(ran.err.ends_with("judgements: is not a folder; no verdicts yet\n"), "{}", ran.err);
}
