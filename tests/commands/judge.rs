//! `trajview judge`, asked as a script would ask it, against a server of our own that speaks the real protocols.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use trajview::store;

use crate::common::{
    judge_desk::{Desk, KEY, error_of, run_command, score_pairs},
    judge_server::{Asked, Say, Server, able_reply, made_verdict},
    project_path,
};

#[test]
fn every_protocol_judges_all_components_streamed_or_not_and_never_writes_over_a_judgement() {
    let server = Server::new(able_reply);
    let all_ways =
        ["chat", "responses", "messages"].map(|protocol| [(protocol, true), (protocol, false)]);
    for (protocol, stream) in all_ways.concat() {
        let desk = Desk::with_protocol(protocol, &server, &format!("stream = {stream}"));
        // Every component once a protocol is enough.
        let asked_for = if stream { "all" } else { "C01,C06,C07" };

        let first = desk.judge(&["--components", asked_for]);
        let names = desk.names();
        let before = desk.bytes(&names[0]);
        let second = desk.judge(&["--components", "C01,C02"]);

        assert_eq!((first.code, second.code), (Some(0), Some(0)), "{protocol} {}", first.err);
        assert_eq!(desk.names().len(), 2, "{protocol}");
        assert_eq!(desk.bytes(&names[0]), before);
        let rubric = store::rubric::read_beside(&desk.run());
        assert_eq!(rubric.judgements[0].verdicts.len(), if stream { 24 } else { 3 });
        let one = rubric.judgements[0].verdict_on("C07").unwrap();
        assert_eq!(
            (one.component.as_str(), one.score, one.tokens),
            ("C07", Some(2), Some(3 * 1_100))
        );
        assert!(one.evidence[0].path.ends_with(".py") && one.evidence.len() == 1, "{one:?}");
        let tools: Vec<&str> = one.trace.iter().map(|look| look.tool.as_str()).collect();
        assert_eq!(tools, ["list", "read", "search"]);
    }
}

#[test]
fn the_record_holds_every_look_with_its_size_and_what_was_refused() {
    let server = Server::new(able_reply);
    let desk = Desk::with_server(&server, "");

    let told = desk.judge(&["--components", "C07", "--json"]);

    let judgement = desk.only();
    let score = &judgement["scores"][0];
    let refused: Vec<bool> =
        score["trace"].as_array().unwrap().iter().map(|it| it["refused"] == json!(true)).collect();
    assert_eq!(refused, [false, true, false]);
    assert_eq!(score["trace"][1]["arguments"], json!({"path": "../../etc/passwd"}));
    assert_eq!(
        score["trace"][1]["excerpt"],
        "refused: the path leaves the snapshot; name one relative to its root"
    );
    assert_eq!(score["trace"][0]["sha256"].as_str().unwrap().len(), 64);
    assert!(score["trace"][0]["bytes"].as_u64().unwrap() > 100);
    assert_eq!(score["left_out"][0]["what"], "no/such.py:1-2");
    assert_eq!(score["requests"].as_array().unwrap().len(), 3);
    assert_eq!(
        (judgement["judge"]["kind"].as_str(), judgement["turn"].as_u64()),
        (Some("http"), told_turns(&desk))
    );
    assert!(judgement["commit"].as_str().unwrap().len() == 40);
    assert!(judgement["finished_at"].is_string());
    let told: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(told["schema"], "trajview.judge/1");
    assert_eq!(
        told["files"][0]["scores"],
        json!([{"component": "C07", "score": 2, "label": "Simplified"}])
    );
}

fn told_turns(desk: &Desk) -> Option<u64> {
    let run = store::open(&desk.run()).unwrap().run;
    Some(run.turns.len() as u64)
}

#[test]
fn the_judge_sees_the_files_of_the_turn_it_is_asked_about() {
    let server = Server::new(able_reply);
    let desk = Desk::with_server(&server, "");

    desk.judge(&["--components", "C01", "--at", "2"]);

    let mut listed = Command::new(env!("CARGO_BIN_EXE_trajview"));
    listed.arg("ls").arg(desk.run()).args(["--at", "2"]);
    let listed = run_command(&mut listed).out;
    let seen = server.seen_requests();
    let told: Vec<&str> = seen[1].results[0]
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(" (").map(|(path, _)| path))
        .collect();
    assert_eq!(told, listed.lines().collect::<Vec<_>>());
    assert_eq!(desk.only()["turn"], 2);
}

#[test]
fn a_judge_has_no_more_looks_than_its_budget() {
    let endless = |_: &Asked| Say::Calls(vec![("list", json!({}))]);
    let server = Server::new(endless);
    let desk = Desk::with_server(&server, "");

    let ran = desk.judge(&["--components", "C01", "--budget", "3"]);

    assert_eq!(ran.code, Some(1));
    assert_eq!(server.seen_requests().len(), 5);
    assert_eq!(server.seen_requests()[3].tools, ["verdict"]);
    assert_eq!(desk.only()["scores"][0]["trace"].as_array().unwrap().len(), 3);
    assert_eq!(
        error_of(&desk),
        "no verdict after two attempts: it made a tool call over the limit"
    );
}

#[test]
fn a_key_reaches_no_file_no_output_and_no_error() {
    let echo = |asked: &Asked| {
        let key =
            asked.headers.iter().find(|(name, _)| name == "authorization" || name == "x-api-key");
        key.map(|(_, value)| value.clone()).unwrap()
    };
    let servers = [
        Server::new(move |asked| {
            Say::Status(
                401,
                vec![],
                json!({"error": {"message": format!("bad key: {}", echo(asked))}}).to_string(),
            )
        }),
        Server::new(move |asked| match asked.results.len() {
            0 => Say::Calls(vec![
                ("search", json!({"pattern": echo(asked)})),
                ("read", json!({"path": KEY})),
            ]),
            _ => Say::Calls(vec![(
                "verdict",
                json!({"level": 1, "rationale": echo(asked), "evidence": [KEY, {"path": KEY, "start": 1}]}),
            )]),
        }),
        Server::new(move |asked| Say::Text(echo(asked))),
        Server::new(move |asked| Say::Status(500, vec![], echo(asked))),
        Server::new(|_| Say::Garbage("text/plain", KEY.as_bytes())),
        Server::new(|_| {
            Say::Status(
                302,
                vec![("location", "http://127.0.0.1:1/?k=sk-test-0123456789abcdef")],
                String::new(),
            )
        }),
    ];
    for server in &servers {
        for protocol in ["chat", "messages"] {
            let desk = Desk::with_protocol(protocol, server, "retries = 1");

            let ran = desk.judge(&["--components", "C01,C02", "--json"]);
            let dry = desk.judge(&["--dry-run"]);

            assert!(
                server
                    .seen_requests()
                    .iter()
                    .any(|asked| format!("{:?}", asked.headers).contains(KEY))
            );
            for text in [&ran.out, &ran.err, &dry.out, &dry.err] {
                assert!(!text.contains("0123456789"), "{text}");
            }
            for name in desk.names() {
                let text = String::from_utf8(desk.bytes(&name)).unwrap();
                assert!(!text.contains("0123456789"), "{text}");
            }
        }
    }
}

#[test]
fn the_settings_are_printed_with_their_origin_and_without_a_key() {
    let desk = Desk::with_server(&Server::new(able_reply), "");
    let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
    command.arg("--print-config");
    desk.with_surroundings(&mut command);

    let printed = run_command(&mut command).out;

    assert!(printed.contains("\n[judges.stub]\nkind = \"chat\"  # "), "{printed}");
    assert!(printed.contains("key_env = \"STUB_KEY\"  # "), "{printed}");
    assert!(printed.contains("config.toml:5\n"), "{printed}");
    assert!(printed.contains("\nbudget = 8  # default\n"), "{printed}");
    assert!(!printed.contains(KEY));
}

#[test]
fn a_judge_over_http_on_another_machine_is_refused_unless_it_is_allowed() {
    let settings = "[judges.stub]\nkind = \"chat\"\nmodel = \"m\"\nbase_url = \"http://judge.invalid/v1\"\nretries = 0\n";
    let desk = Desk::new(settings);

    let refused = desk.judge(&["--components", "C01"]);
    let allowed = desk.judge(&["--components", "C01", "--allow-http"]);

    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(
        refused.err.contains("judge stub is reached over http on another machine"),
        "{}",
        refused.err
    );
    assert!(!allowed.err.contains("over http"), "{}", allowed.err);
    assert_ne!(allowed.code, Some(2));
}

#[test]
fn repeats_are_files_of_their_own_and_are_gone_on_with_as_well() {
    let server = Server::new(able_reply);
    let desk = Desk::with_server(&server, "");
    let arguments = ["--components", "C01,C02", "--repeat", "3"];

    let ran = desk.judge(&arguments);
    let names = desk.names();
    fs::remove_file(desk.run().join("judgements").join(&names[2])).unwrap();
    let resumed = desk.judge(&[&arguments[..], &["--resume"]].concat());

    assert_eq!((ran.code, resumed.code), (Some(0), Some(0)), "{}", resumed.err);
    assert_eq!(names.len(), 3);
    assert!(names[0].starts_with("stub-") && names[0].ends_with("-1.json"), "{names:?}");
    assert_eq!(desk.names(), names);
    assert_eq!(server.seen_requests().len(), 8 * 3);
}

#[test]
fn a_dry_run_tells_what_would_be_sent_and_asks_nothing() {
    let server = Server::new(able_reply);
    let desk = Desk::with_server(&server, "price_input = 1.0\nprice_output = 10.0");

    let told =
        desk.judge(&["--dry-run", "--components", "C01,C02", "--repeat", "2", "--budget", "4"]);
    let json: Value = serde_json::from_str(&desk.judge(&["--dry-run", "--json"]).out).unwrap();

    assert_eq!(told.code, Some(0), "{}", told.err);
    assert!(told.out.contains("  requests    at most 28, without retries"), "{}", told.out);
    assert!(told.out.contains("You have 4 tool calls at most."), "{}", told.out);
    assert!(told.out.contains("Component C01: "), "{}", told.out);
    assert!(told.out.contains("at most "), "{}", told.out);
    assert_eq!(json["plan"]["components"].as_array().unwrap().len(), 24);
    assert!(json["plan"]["max_cost_usd"].as_f64().unwrap() > 1.0);
    assert_eq!((server.seen_requests().len(), desk.names().len()), (0, 0));
}

#[test]
fn what_cannot_be_judged_is_told() {
    let desk = Desk::with_server(&Server::new(able_reply), "");
    let said = |arguments: &[&str]| {
        let ran = desk.judge(arguments);
        (ran.code, ran.err.lines().last().unwrap_or_default().to_owned())
    };

    let (code, words) = said(&["--components", "C01,X9"]);
    assert_eq!(
        (code, words.as_str()),
        (Some(2), "trajview: components.json has no \"X9\"; expected all, or ids such as C01")
    );
    let (code, words) = said(&["--at", "start"]);
    assert_eq!(
        (code, words.as_str()),
        (Some(2), "trajview: nothing to judge before the first turn; choose a turn from 1")
    );
    let (code, words) = said(&["--resume"]);
    assert_eq!(code, Some(2));
    assert!(words.ends_with("start one without --resume"), "{words}");
    let (code, words) = said(&["--prompt", "no-such-prompt"]);
    assert_eq!(code, Some(3), "{words}");

    let mut log = Command::new(env!("CARGO_BIN_EXE_trajview"));
    log.arg("judge").arg(project_path("sample-runs/codex-exec-json")).args(["--judge", "stub"]);
    desk.with_surroundings(&mut log);
    let log = run_command(&mut log);
    assert_eq!(log.code, Some(2));
    assert!(
        log.err.contains("is not a run bundle") && log.err.contains("trajview import "),
        "{}",
        log.err
    );

    let mut other = Command::new(env!("CARGO_BIN_EXE_trajview"));
    other.arg("judge").arg(desk.run()).args(["--judge", "gpt"]);
    desk.with_surroundings(&mut other);
    let other = run_command(&mut other);
    assert_eq!(other.code, Some(2));
    assert!(
        other.err.contains("unknown judge gpt; known: stub; add a table [judges.gpt]"),
        "{}",
        other.err
    );

    let mut keyless = desk.command(&[]);
    let keyless = run_command(keyless.env_remove("STUB_KEY"));
    assert_eq!(keyless.code, Some(2));
    assert!(
        keyless.err.ends_with("judge stub: the variable STUB_KEY with its key is not set\n"),
        "{}",
        keyless.err
    );
}

#[test]
fn a_prompt_of_ones_own_is_sent_and_known_by_its_hash() {
    let server = Server::new(able_reply);
    let desk = Desk::with_server(&server, "");
    let prompt = desk.folder.path().join("mine.md");
    fs::write(&prompt, "Be strict.\n----- question -----\nComponent {id}: is it there?\n").unwrap();

    desk.judge(&["--components", "C01", "--prompt", prompt.to_str().unwrap()]);
    desk.judge(&["--components", "C01"]);

    let seen = server.seen_requests();
    assert_eq!(seen[0].body["messages"][0]["content"], "Be strict.");
    assert_eq!(seen[0].body["messages"][1]["content"], "Component C01: is it there?");
    let read = store::rubric::read_beside(&desk.run());
    let hashes: Vec<_> = read.judgements.iter().map(|it| it.judge.prompt_sha256.clone()).collect();
    assert_ne!(hashes[0], hashes[1]);
}

#[cfg(unix)]
#[test]
fn a_program_can_be_a_judge_and_sees_an_empty_folder() {
    let desk = Desk::new(
        "[judges.stub]\nkind = \"command\"\ncommand = [\"sh\", \"judge.sh\"]\nconcurrency = 2\n",
    );
    let script = desk.folder.path().join("judge.sh");
    fs::write(
        &script,
        "prompt=$(cat)\n[ -z \"$(ls)\" ] || exit 7\ncase $prompt in\n*'##### answer'*)\n\
         echo 'Sure: {\"level\": 3, \"rationale\": \"seen\", \"evidence\": []}' ;;\n\
         *) echo '{\"tool\": \"symbols\", \"arguments\": {\"path\": \"..\"}}' ;;\nesac\n",
    )
    .unwrap();
    let settings = desk.folder.path().join("config.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.replace("judge.sh", script.to_str().unwrap())).unwrap();

    let ran = desk.judge(&["--components", "C01,C02,C03"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let judgement = desk.only();
    assert_eq!(judgement["judge"]["kind"], "command");
    assert_eq!(
        score_pairs(&judgement).iter().map(|(_, score)| *score).collect::<Vec<_>>(),
        [Some(3); 3]
    );
    assert_eq!(judgement["scores"][0]["trace"][0]["refused"], true);
}

#[cfg(unix)]
#[test]
fn a_program_that_judges_inherits_only_what_it_is_given() {
    let desk = Desk::new(
        "[judges.stub]\nkind = \"command\"\nkey_env = \"STUB_KEY\"\npass = [\"GIVEN\"]\n\
         command = [\"sh\", \"judge.sh\"]\n",
    );
    let (script, seen) = (desk.folder.path().join("judge.sh"), desk.folder.path().join("seen"));
    let words = format!(
        "cat >/dev/null\nenv >'{}'\necho '{{\"level\": 3, \"rationale\": \"seen\", \"evidence\": []}}'\n",
        seen.display()
    );
    fs::write(&script, words).unwrap();
    let settings = desk.folder.path().join("config.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.replace("judge.sh", script.to_str().unwrap())).unwrap();
    let mut command = desk.command(&["--components", "C01"]);

    let ran =
        run_command(command.env("GIVEN", "1").env("OTHER_SECRET", "2").env("HOME", "/home/judge"));

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let seen = fs::read_to_string(seen).unwrap();
    let mut names: Vec<&str> =
        seen.lines().filter_map(|row| Some(row.split_once('=')?.0)).collect();
    names.retain(|name| !["PWD", "SHLVL", "_", "OLDPWD"].contains(name)); // a shell's own
    names.sort_unstable();
    assert_eq!(names, ["GIVEN", "HOME", "PATH", "STUB_KEY", "XDG_CACHE_HOME"]);
}

#[test]
fn two_judgings_of_a_run_can_be_compared_with_each_other() {
    let desk = Desk::with_server(&Server::new(able_reply), "");
    desk.judge(&["--repeat", "2"]);
    let mut agree = Command::new(env!("CARGO_BIN_EXE_trajview"));
    agree.arg("agree").arg(desk.run()).arg("--json");
    desk.with_surroundings(&mut agree);

    let agreed: Value = serde_json::from_str(&run_command(&mut agree).out).unwrap();

    assert_eq!(
        (agreed["pairs"][0]["n"].as_u64(), agreed["pairs"][0]["exact"].as_f64()),
        (Some(24), Some(1.0))
    );
}

#[test]
fn the_verdict_of_the_test_server_follows_from_the_component() {
    let asked = Asked {
        path: String::new(),
        headers: vec![],
        body: Value::Null,
        component: "C13".into(),
        results: vec!["1 line matches\na.py:4: def f():".into()],
        tools: vec![],
        nth: 1,
    };
    assert_eq!(made_verdict(&asked)["level"], 3);
    assert_eq!(made_verdict(&asked)["evidence"][0], json!({"path": "a.py", "start": 4, "end": 5}));
}
