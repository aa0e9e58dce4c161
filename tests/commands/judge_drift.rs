//! `trajview judge --against`: a frozen set judged again, compared, and the exit code for continuous integration.

use std::{
    fs,
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::{Value, json};

use crate::common::{
    Ran,
    judge_desk::{Desk, copy_folder, run_command},
    judge_server::{Asked, Say, Server},
    run_cli,
};

/// A judge that looks once and answers with the level of the human judgement, less so much where `is_lower` is true of the
/// component's number.
fn human_less(less: u64, is_lower: fn(usize) -> bool) -> impl Fn(&Asked) -> Say + Send + Sync {
    let levels = human_levels();
    move |asked| {
        if asked.results.is_empty() {
            return Say::Calls(vec![("list", json!({}))]);
        }
        let number: usize = asked.component.trim_start_matches('C').parse().unwrap_or_default();
        let known = levels.iter().find(|(id, _)| *id == asked.component);
        let level = known.map_or(0, |(_, level)| *level);
        let level = if is_lower(number) { level.saturating_sub(less) } else { level };
        Say::Calls(vec![("verdict", json!({"evidence": [], "rationale": "seen", "level": level}))])
    }
}

fn human_document() -> Value {
    let path = crate::common::project_path("sample-runs/codex-p12/judgements/human-final.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn human_levels() -> Vec<(String, u64)> {
    let document = human_document();
    let scores = document["scores"].as_array().unwrap().iter();
    scores
        .map(|it| (it["component"].as_str().unwrap().to_owned(), it["score"].as_u64().unwrap()))
        .collect()
}

/// A run with the human judgement as the earlier one.
fn desk_with_earlier(server: &Server) -> Desk {
    let desk = Desk::with_server(server, "");
    let folder = desk.run().join("judgements");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("earlier.json"), human_document().to_string()).unwrap();
    desk
}

fn gate(desk: &Desk, set: &str, options: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
    let set = desk.folder.path().join(set);
    command.args(["judge", "--against"]).arg(set).args(["--judge", "stub"]).args(options);
    desk.with_surroundings(&mut command);
    run_command(&mut command)
}

fn gate_json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|why| panic!("{why}: {} {}", ran.out, ran.err))
}

#[test]
fn a_judge_that_repeats_the_earlier_levels_passes_and_no_number_of_the_run_changes() {
    let server = Server::new(human_less(1, |_| false));
    let desk = desk_with_earlier(&server);
    let run = desk.run();
    let mcf = || {
        let row = run_cli(&["corpus", run.to_str().unwrap(), "--json"]).out;
        serde_json::from_str::<Value>(&row).unwrap()["runs"][0]["mcf"].clone()
    };
    let before = mcf();

    let ran = gate(&desk, "run", &["--json"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("judges 24 components of 1 run again: at most"), "{}", ran.err);
    let document = gate_json(&ran);
    assert_eq!(document["schema"], "trajview.judge-drift/1");
    assert_eq!((&document["reference"], &document["items"]), (&json!("earlier"), &json!(24)));
    assert_eq!(document["between"]["exact"], json!(1.0));
    assert_eq!((&document["fell"], &document["changed"]), (&json!(false), &json!([])));
    assert_eq!(mcf(), before);
    let name = desk.names().into_iter().find(|name| name.contains("drift")).unwrap();
    let saved: Value = serde_json::from_slice(&desk.bytes(&name)).unwrap();
    assert_eq!(saved["test"], "drift");
    let checked = run_cli(&["check", run.to_str().unwrap(), "--strict"]);
    assert!(!checked.out.contains("drift"), "{}", checked.out);
}

#[test]
fn a_judge_that_drifted_fails_with_exit_code_one_and_the_levels_that_changed() {
    let server = Server::new(human_less(1, |number| number % 2 == 0));
    let desk = desk_with_earlier(&server);

    let ran = gate(&desk, "run", &[]);
    let lenient = gate(&desk, "run", &["--max-drop", "0.6", "--json"]);

    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out.contains("exact agreement with the earlier judgement fell by"), "{}", ran.out);
    assert!(ran.out.contains("allowed 0.2: failed"), "{}", ran.out);
    assert!(ran.out.contains("levels changed"), "{}", ran.out);
    assert_eq!(lenient.code, Some(0), "{}", lenient.err);
    let document = gate_json(&lenient);
    assert!(document["beyond_chance"].is_boolean());
    assert!(document["shift"]["value"].as_f64().unwrap() < 0.0);
    assert_eq!(document["failed_because"], Value::Null);
    assert_eq!(drift_names(&desk.run()).len(), 2);
    // Both gates are finished, so that there is nothing to resume.
    let requests = server.seen_requests().len();
    let resumed = gate(&desk, "run", &["--resume"]);
    assert_eq!(resumed.code, Some(2), "{}", resumed.out);
    assert!(resumed.err.contains("no unfinished gate to resume"), "{}", resumed.err);
    assert_eq!(server.seen_requests().len(), requests);
}

/// Returns the names of the judgements of gates, in the order of their times.
fn drift_names(run: &Path) -> Vec<String> {
    let entries = fs::read_dir(run.join("judgements")).unwrap().flatten();
    let names = entries.map(|it| it.file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.contains("drift")).collect();
    names.sort();
    names
}

#[test]
fn a_stopped_gate_is_resumed_without_the_judgements_of_an_earlier_gate() {
    let has_drifted = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&has_drifted);
    let steady = human_less(1, |_| false);
    let drifted = human_less(1, |number| number % 2 == 0);
    let server = Server::new(move |asked: &Asked| match switch.load(Ordering::SeqCst) {
        true => drifted(asked),
        false => steady(asked),
    });
    let desk = desk_with_earlier(&server);
    let set = desk.folder.path().join("set");
    ["a", "b"].iter().for_each(|name| copy_folder(&desk.run(), &set.join(name)));
    let exact = |ran: &Ran| gate_json(ran)["between"]["exact"].as_f64().unwrap();

    let first = gate(&desk, "set", &["--json"]);
    has_drifted.store(true, Ordering::SeqCst);
    let second = gate(&desk, "set", &["--json"]);
    // As if the second gate had been stopped after its first run.
    let newest = drift_names(&set.join("b")).pop().unwrap();
    fs::remove_file(set.join("b/judgements").join(newest)).unwrap();
    let requests = server.seen_requests().len();
    let resumed = gate(&desk, "set", &["--json", "--resume"]);

    assert_eq!((first.code, exact(&first)), (Some(0), 1.0), "{}", first.err);
    // Of the even components of each run two have the level 0 already: 10 of 24 changed.
    assert!((exact(&second) - 14.0 / 24.0).abs() < 1e-9, "{}", second.out);
    assert_eq!(resumed.code, Some(1), "{}", resumed.err);
    assert!((exact(&resumed) - 14.0 / 24.0).abs() < 1e-9, "{}", resumed.out);
    assert_eq!(gate_json(&resumed)["failed_because"], "fell");
    // Two requests for each component of the second run, none for the first.
    assert_eq!(server.seen_requests().len() - requests, 2 * 24);
    let batch_id = |run: &str| {
        let name = drift_names(&set.join(run)).pop().unwrap();
        let bytes = fs::read(set.join(run).join("judgements").join(name)).unwrap();
        let saved: Value = serde_json::from_slice(&bytes).unwrap();
        saved["batch_id"].as_str().unwrap().to_owned()
    };
    assert_eq!(batch_id("a"), batch_id("b"));
}

#[test]
fn a_judge_that_no_longer_looks_fails_the_gate() {
    let levels = human_levels();
    let steady = human_less(1, |_| false);
    let server = Server::new(move |asked: &Asked| {
        if asked.component == "C01" {
            return steady(asked);
        }
        let of_component = levels.iter().find(|(id, _)| *id == asked.component);
        let level = of_component.map_or(0, |(_, level)| *level);
        Say::Calls(vec![("verdict", json!({"evidence": [], "rationale": "sure", "level": level}))])
    });
    let desk = desk_with_earlier(&server);

    let ran = gate(&desk, "run", &[]);
    let document = gate_json(&gate(&desk, "run", &["--json"]));

    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let last = ran.out.trim_end().lines().last().unwrap_or_default().to_owned();
    assert!(last.ends_with("failed"), "{}", ran.out);
    assert!(!ran.out.contains("passed"), "{}", ran.out);
    assert_eq!((&document["items"], &document["unlooked"]), (&json!(1), &json!(23)));
    assert_eq!(document["failed_because"], "too_few_compared");
    assert_eq!(document["fell"], json!(false));
}

#[test]
fn a_study_is_compared_by_its_gold_labels() {
    let server = Server::new(human_less(2, |number| number <= 3));
    let desk = desk_with_earlier(&server);
    let human = human_document();
    let label = |(id, level): &(String, u64)| {
        // Gold differs from the earlier judgement on the first component alone.
        let level = if id == "C01" { level.saturating_sub(2) } else { *level };
        json!({"component": id, "commit": human["commit"], "turn": human["turn"], "score": level, "by": "eve", "at": "2026-11-21T00:00:00Z", "from": []})
    };
    let labels: Vec<Value> = human_levels().iter().take(12).map(label).collect();
    let gold = json!({"schema": "trajview.gold/1", "gold": labels});
    fs::write(desk.run().join("gold.json"), gold.to_string()).unwrap();
    fs::write(desk.folder.path().join("study.toml"), "runs = [\"run\"]\n").unwrap();

    let ran = gate(&desk, "study.toml", &["--json"]);

    let document = gate_json(&ran);
    assert_eq!(
        (&document["reference"], &document["items"]),
        (&json!("gold"), &json!(12)),
        "{document}"
    );
    let exact = |side: &str| document["gold"][side]["exact"].as_f64().unwrap();
    assert!((exact("earlier") - 11.0 / 12.0).abs() < 1e-9, "{document}");
    assert!((exact("new") - exact("earlier") - exact("change")).abs() < 1e-9);
    // The new levels are 2 less on C01, where gold is too, and on C02 and C03, where it is not.
    assert!((exact("new") - 10.0 / 12.0).abs() < 1e-9, "{document}");
    assert!((document["between"]["exact"].as_f64().unwrap() - 0.75).abs() < 1e-9, "{document}");
    assert!((document["drop"]["value"].as_f64().unwrap() - 1.0 / 12.0).abs() < 1e-9);
    assert_eq!(document["shift"]["value"], json!(-0.5));
    assert_eq!((ran.code, &document["fell"]), (Some(1), &json!(true)), "{}", ran.err);
    assert_eq!(document["max_drop"], json!(0.05));
}

#[test]
fn a_sample_is_drawn_by_its_seed_and_a_dry_run_sends_nothing() {
    let server = Server::new(human_less(1, |_| false));
    let desk = desk_with_earlier(&server);
    let drawn = |seed: &str| {
        let ran = gate(&desk, "run", &["--sample", "5", "--seed", seed, "--dry-run", "--json"]);
        gate_json(&ran)["plan"]["components"].clone()
    };

    let first = drawn("1");

    assert_eq!(first.as_array().unwrap().len(), 5);
    assert_eq!(first, drawn("1"));
    assert_ne!(first, drawn("2"));
    assert!(server.seen_requests().is_empty());
}

#[test]
fn misuse_is_exit_code_two() {
    let server = Server::new(human_less(1, |_| false));
    let desk = desk_with_earlier(&server);
    fs::write(desk.folder.path().join("study.toml"), "runs = [\"run\"]\n").unwrap();

    let no_gold = gate(&desk, "study.toml", &[]);
    let nobody = gate(&desk, "run", &["--earlier", "nobody"]);
    let alone = desk.judge(&["--max-drop", "0.1"]);
    let both = desk.judge(&["--against", "x"]);

    let codes = [&no_gold, &nobody, &alone, &both].map(|ran| ran.code);
    assert_eq!(codes, [Some(2); 4]);
    assert!(no_gold.err.contains("no gold label"), "{}", no_gold.err);
    assert!(server.seen_requests().is_empty());
}
