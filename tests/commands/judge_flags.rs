//! `trajview judge --rubric flags`: places that are flagged checkpoint by checkpoint, carried on where their lines did not
//! change, against a server that says what a script has.

use std::{fs, process::Command, sync::Mutex};

use serde_json::{Value, json};

use crate::common::{
    flag_script::{
        Sittings, flag_entry, flag_texts, read_flaggings, scripted_reply, scripted_server,
    },
    judge_desk::{Desk, run_command},
    judge_server::{Say, Server},
};

const EACH: [&str; 6] =
    ["--rubric", "flags", "--each", "checkpoint", "--components", "duplication,shape"];

#[test]
fn flags_are_found_carried_moved_lost_and_found_again_over_the_checkpoints() {
    let server = scripted_server();
    let desk = Desk::with_server(&server, "");

    let told = desk.judge(&[&EACH[..], &["--json"]].concat());

    assert_eq!(told.code, Some(1), "c4 has a group without an answer: {}", told.err);
    let all = read_flaggings(&desk);
    let turns: Vec<usize> = all.iter().filter_map(|it| it.turn).collect();
    assert_eq!(turns, [6, 9, 15, 21, 26, 33, 39, 47, 56]);
    let name = "misleading-name ppdiff/geometry.py:5-6";
    let complex = |path: &str, from: &str| format!("reinvented-helper ppdiff/{path}:18-47 {from}");
    assert_eq!(flag_texts(&all[0]), [complex("data.py", "new")]);
    assert_eq!(flag_texts(&all[1]), [complex("data.py", "c1"), format!("{name} new")]);
    assert_eq!(flag_texts(&all[2])[1], "copied-logic ppdiff/nn.py:5-6 new");
    // The group without an answer keeps what was carried on.
    assert_eq!(
        flag_texts(&all[3]),
        [complex("data.py", "c1"), "copied-logic ppdiff/nn.py:5-6 c3".into(), format!("{name} c2")]
    );
    let renamed = complex("structures.py", "c1");
    assert!(flag_texts(&all[4]).contains(&renamed), "{:?}", flag_texts(&all[4]));
    let of_train = |at: usize| -> Vec<String> {
        flag_texts(&all[at]).into_iter().filter(|it| it.contains("train.py")).collect()
    };
    assert_eq!(of_train(5), ["rival-versions ppdiff/train.py:8-12 new"]);
    assert_eq!(of_train(6), [""; 0], "its lines changed");
    assert_eq!(of_train(7), ["rival-versions ppdiff/train.py:11-16 new"], "found again");
    // Its lines moved, and it was found again where it had been carried to.
    assert!(flag_texts(&all[7]).contains(&"copied-logic ppdiff/nn.py:6-7 c3".into()), "{all:?}");
    assert_eq!(flag_texts(&all[7]).iter().filter(|it| it.contains("copied-logic")).count(), 1);
    assert!(flag_texts(&all[8]).contains(&"copied-logic ppdiff/nn.py:6-7 c3".into()));

    let told: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(told["schema"], "trajview.judge-each/1");
    assert_eq!(told["states"].as_array().unwrap().len(), 9);
    let last = &told["states"][8]["files"][0]["flags"];
    assert_eq!(last["count"].as_u64(), Some(all[8].flags.len() as u64));
    assert!(last["per_1000_lines"].as_f64().unwrap() > 0.0);
    assert_eq!(told["states"][3]["files"][0]["flags"]["unanswered"], json!(["shape"]));
}

#[test]
fn the_record_says_how_each_group_went_and_what_was_left_out() {
    let server = scripted_server();
    let desk = Desk::with_server(&server, "");

    desk.judge(&EACH);

    let files: Vec<Value> =
        desk.names().iter().map(|it| serde_json::from_slice(&desk.bytes(it)).unwrap()).collect();
    let at = |turn: u64| files.iter().find(|it| it["turn"] == turn).unwrap();
    let first = at(6);
    assert_eq!((&first["rubric"], &first["scores"]), (&json!("scb-flags"), &json!([])));
    assert_eq!(first["judge"]["criteria_sha256"].as_str().unwrap().len(), 64);
    assert_eq!(first["groups"][0]["trace"][0]["tool"], "symbols");
    assert_eq!(first["flags"][0]["type"], "erosion");
    assert_eq!(first["flags"][0]["confidence"], 4.0);
    assert!(first["lines_of_code"].as_u64().unwrap() > 50);
    let corrected = &at(9)["groups"][1];
    assert_eq!((&corrected["found"], &corrected["error"]), (&json!(1), &Value::Null));
    assert_eq!(corrected["requests"].as_array().unwrap().len(), 2);
    let failed = &at(21)["groups"][1];
    assert_eq!(failed["error"], "no flags after two attempts: \"flags\" is not a list");
    assert_eq!((&failed["found"], &failed["fault"]), (&Value::Null, &json!(false)));
    let outside: Vec<&str> = at(33)["groups"][0]["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["why"].as_str())
        .collect();
    assert_eq!(outside.len(), 2);
    assert!(outside[0].starts_with("the file has ") && outside[0].ends_with(" lines only"));
    assert_eq!(outside[1], "no/such.py: no such file or folder in the snapshot");
    assert_eq!(at(47)["groups"][0]["found_again"], 1);
}

#[test]
fn a_stopped_judging_of_all_checkpoints_goes_on_where_it_stopped() {
    let sittings = Sittings::default();
    let is_broken = Mutex::new(true);
    let server = Server::new(move |asked| {
        let at = sittings.of(asked);
        let is_here = asked.component == "shape" && at == 3;
        let mut is_broken = is_broken.lock().unwrap();
        if is_here && std::mem::take(&mut *is_broken) {
            *sittings.0.lock().unwrap().get_mut("shape").unwrap() -= 1;
            return Say::Status(401, vec![], "{}".into());
        }
        scripted_reply(asked, at)
    });
    let desk = Desk::with_server(&server, "concurrency = 1");

    let stopped = desk.judge(&EACH);
    let before: Vec<(String, Vec<u8>)> =
        desk.names().into_iter().map(|name| (name.clone(), desk.bytes(&name))).collect();
    let resumed = desk.judge(&[&EACH[..], &["--resume"]].concat());

    assert_eq!(stopped.code, Some(3), "{}", stopped.err);
    assert_eq!(before.len(), 3);
    assert_eq!(resumed.code, Some(1), "{}", resumed.err);
    assert_eq!(desk.names().len(), 9);
    for (name, bytes) in &before[..2] {
        assert_eq!(desk.bytes(name), *bytes, "finished files stay as they are");
    }
    let all = read_flaggings(&desk);
    assert_eq!(all[2].groups.len(), 2);
    assert_eq!(flag_texts(&all[2])[1], "copied-logic ppdiff/nn.py:5-6 new");
    assert!(flag_texts(&all[8]).contains(&"copied-logic ppdiff/nn.py:6-7 c3".into()));
}

#[test]
fn only_the_same_judge_with_the_same_words_carries_on() {
    let server = scripted_server();
    let desk = Desk::with_server(&server, "");
    let arguments = ["--rubric", "flags", "--components", "duplication", "--at"];
    let criteria = desk.folder.path().join("mine.json");
    let own = json!({"schema": "trajview.criteria/1", "criteria": [
        {"id": "reinvented-helper", "name": "x", "type": "erosion", "category": "duplication", "look_for": "x"}]});
    fs::write(&criteria, own.to_string()).unwrap();

    desk.judge(&[&arguments[..], &["c1"]].concat());
    let other =
        desk.judge(&[&arguments[..], &["c2", "--criteria", criteria.to_str().unwrap()]].concat());
    desk.judge(&[&arguments[..], &["10", "--repeat", "2"]].concat());

    assert_eq!(other.code, Some(0), "{}", other.err);
    let all = read_flaggings(&desk);
    assert_eq!(flag_texts(&all[1]), [""; 0], "other criteria");
    let numbers: Vec<usize> = all[2..].iter().filter_map(|it| Some(it.repeat?.number)).collect();
    assert_eq!(numbers, [1, 2]);
    for repeat in &all[2..] {
        assert!(flag_texts(repeat).contains(&"reinvented-helper ppdiff/data.py:18-47 c1".into()));
    }
}

#[test]
fn a_dry_run_of_all_checkpoints_tells_the_groups_and_the_sum() {
    let server = scripted_server();
    let desk =
        Desk::with_server(&server, "price_input = 1.0\nprice_output = 10.0\nmax_cost_usd = 0.5");

    let told = desk.judge(&[&EACH[..], &["--dry-run"]].concat());
    let all = desk.judge(&["--rubric", "flags", "--dry-run", "--json"]);

    assert_eq!(told.code, Some(0), "{}", told.err);
    assert!(told.out.contains("  groups      duplication, shape\n"), "{}", told.out);
    assert!(told.out.contains("  criteria    built in (sha256 "), "{}", told.out);
    assert!(told.out.contains("  requests    at most 180"), "{}", told.out);
    assert!(told.out.contains("  cost        at most 0.50 USD"), "{}", told.out);
    assert_eq!(told.out.matches("codex-p12 after turn ").count(), 9, "{}", told.out);
    assert!(told.out.contains("- copied-logic: The same logic twice"), "{}", told.out);
    let all: Value = serde_json::from_str(&all.out).unwrap();
    assert_eq!(all["rubric"], "scb-flags");
    assert_eq!(all["plan"]["components"].as_array().unwrap().len(), 6);
    assert_eq!((server.seen_requests().len(), desk.names().len()), (0, 0));
}

#[test]
fn what_cannot_be_flagged_is_told() {
    let desk = Desk::with_server(&scripted_server(), "");
    let said = |arguments: &[&str]| {
        let ran = desk.judge(arguments);
        (ran.code, ran.err.lines().last().unwrap_or_default().to_owned())
    };

    let (code, words) = said(&["--rubric", "flags", "--components", "C01"]);
    assert_eq!(code, Some(2));
    assert!(
        words.ends_with("no group \"C01\"; expected all, or some of words, needless, caution, leftovers, duplication, shape"),
        "{words}"
    );
    let (code, words) = said(&["--criteria", "x.json"]);
    assert_eq!(
        (code, words.contains("--criteria works only with --rubric flags")),
        (Some(2), true)
    );
    assert_eq!(said(&["--rubric", "stars"]).0, Some(2));
    let (code, words) = said(&[&EACH[..], &["--resume"]].concat());
    assert_eq!(code, Some(2));
    assert!(words.contains("these groups") && words.ends_with("start one without --resume"));
    let config = desk.folder.path().join("config.toml");
    let (code, words) = said(&["--rubric", "flags", "--criteria", config.to_str().unwrap()]);
    assert_eq!((code, words.contains("config.toml has no criteria: ")), (Some(4), true), "{words}");
}

#[cfg(unix)]
#[test]
fn a_program_flags_as_well() {
    let desk = Desk::new("[judges.stub]\nkind = \"command\"\ncommand = [\"sh\", \"judge.sh\"]\n");
    let script = desk.folder.path().join("judge.sh");
    let answer = json!({"flags": [flag_entry("copied-logic", "ppdiff/nn.py", (6, 7))]});
    fs::write(&script, format!("grep -q 'the flags:' && echo 'Sure: {answer}'\n")).unwrap();
    let settings = desk.folder.path().join("config.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.replace("judge.sh", script.to_str().unwrap())).unwrap();

    let ran = desk.judge(&["--rubric", "flags", "--components", "duplication"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(flag_texts(&read_flaggings(&desk)[0]), ["copied-logic ppdiff/nn.py:6-7 new"]);
    assert!(ran.out.contains("1 flag: 0 verbosity, 1 erosion; 0 carried; "), "{}", ran.out);
}

#[test]
fn flags_are_no_scores_to_whoever_counts_those() {
    let server = scripted_server();
    let desk = Desk::with_server(&server, "");
    let of_run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
        command.args(&arguments[..1]).arg(desk.run()).args(&arguments[1..]);
        desk.with_surroundings(&mut command);
        run_command(&mut command)
    };
    let before = ["check", "score", "agree"].map(|word| of_run(&[word]));

    desk.judge(&EACH);

    let after = ["check", "score", "agree"].map(|word| of_run(&[word]));
    for (before, after) in before.iter().zip(&after) {
        assert_eq!((before.code, &before.out, &before.err), (after.code, &after.out, &after.err));
    }
}
