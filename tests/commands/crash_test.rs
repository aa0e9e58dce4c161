//! `judge --crash-test`: planted edits name a biased judge, pass a sound one, and are no scores.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::Value;

use trajview::code::plants::{CodePlace, PlantKind, PlantTarget, plant_edit};

use crate::common::{
    crash_run::{self, COMPONENTS, Fault},
    judge_desk::{Desk, KEY, run_command, start_judge, wait_until},
    judge_server::Server,
};

fn desk_with(fault: Fault) -> (Server, Desk) {
    let server = Server::new(move |asked| crash_run::answer(asked, fault));
    let desk = Desk::with_server(&server, "");
    crash_run::lay_run(&desk);
    (server, desk)
}

fn card(desk: &Desk, arguments: &[&str]) -> (Option<i32>, Value) {
    let ran = desk.judge(&[&["--crash-test", "--json"], arguments].concat());
    let card = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    (ran.code, card)
}

fn kind<'a>(card: &'a Value, word: &str) -> &'a Value {
    card["kinds"].as_array().unwrap().iter().find(|it| it["kind"] == word).unwrap()
}

#[test]
fn a_sound_judge_passes_at_the_announced_size_and_cost() {
    let (server, desk) = desk_with(Fault::None);
    assert_eq!(desk.judge(&[]).code, Some(0));
    let before = server.seen_requests().len();

    let (_, plan) = card(&desk, &["--dry-run"]);
    assert_eq!(server.seen_requests().len(), before);
    let (code, card) = card(&desk, &[]);

    assert_eq!(card["named"], serde_json::json!([]), "{card:#}");
    assert_eq!(code, Some(0), "{card:#}");
    assert_eq!(card["finished"], true);
    assert_eq!(card["components"].as_array().unwrap().len(), COMPONENTS);
    assert_eq!((&card["verdicts"], &card["answered"]), (&plan["verdicts"], &plan["verdicts"]));
    let requests = (server.seen_requests().len() - before) as u64;
    assert!(requests <= plan["plan"]["max_requests"].as_u64().unwrap());
    assert_eq!(requests, 2 * card["answered"].as_u64().unwrap());
    for word in ["rename", "reformat", "move", "reorder", "split", "docstring", "claim"] {
        assert_eq!(kind(&card, word)["verdict"], "passes", "{word}: {}", kind(&card, word));
        assert_eq!(kind(&card, word)["shift"], 0.0);
    }
    for word in ["delete", "formula", "call-removed", "stub"] {
        assert_eq!(kind(&card, word)["verdict"], "passes", "{word}: {}", kind(&card, word));
        assert!(kind(&card, word)["shift_high"].as_f64().unwrap() < 0.0);
    }
    let error = kind(&card, "recovered-error");
    assert_eq!(error["not_planted_reason"], "the judge sees no transcript");
    assert_eq!((&error["verdict"], &error["shift"]), (&"not applicable".into(), &Value::Null));
}

#[test]
fn a_judge_that_believes_comments_and_one_that_misses_deletions_are_named() {
    for (fault, word, verdict) in [
        (Fault::BelievesComments, "claim", "moves where it must not"),
        (Fault::MissesDeletions, "delete", "does not move where it must"),
    ] {
        let (_server, desk) = desk_with(fault);
        assert_eq!(desk.judge(&[]).code, Some(0));

        let ran = desk.judge(&["--crash-test"]);
        let (code, card) = card(&desk, &["--resume"]);

        assert_eq!(card["named"], serde_json::json!([word]), "{card:#}");
        assert_eq!((ran.code, code), (Some(1), Some(1)));
        assert_eq!(kind(&card, word)["verdict"], verdict);
        assert!(ran.out.contains(&format!("stub: {verdict}: {word}\n")), "{}", ran.out);
        assert!(ran.err.contains("crash test of judge stub: 12 components, "), "{}", ran.err);
    }
}

/// Every output of the run's scores.
fn scores_of(desk: &Desk) -> Vec<String> {
    let commands: [&[&str]; 5] = [
        &["score", "RUN", "--json"],
        &["show", "RUN", "--json"],
        &["audit", "RUN", "--json"],
        &["agree", "RUN", "--repeats", "--json"],
        &["corpus", "RUN", "--json"],
    ];
    let output = |arguments: &&[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_trajview"));
        let run = desk.run();
        command.args(
            arguments.iter().map(|it| if *it == "RUN" { run.as_os_str() } else { it.as_ref() }),
        );
        desk.with_surroundings(&mut command);
        let ran = run_command(&mut command);
        format!("{arguments:?} {:?}\n{}{}", ran.code, ran.out, ran.err)
    };
    commands.iter().map(output).collect()
}

#[test]
fn no_verdict_of_a_crash_test_is_a_score() {
    let (_server, desk) = desk_with(Fault::MissesDeletions);
    assert_eq!(desk.judge(&["--repeat", "2"]).code, Some(0));
    let before = scores_of(&desk);
    let judgements = desk.names();
    let session = fs::read(desk.run().join("session/s.jsonl")).unwrap();

    assert!(matches!(desk.judge(&["--crash-test", "--sample", "3"]).code, Some(0 | 1)));

    assert_eq!(scores_of(&desk), before);
    assert_eq!(desk.names(), judgements);
    assert_eq!(fs::read(desk.run().join("session/s.jsonl")).unwrap(), session);
    assert_eq!(files_in(&desk.run().join("crash-tests")).len(), 1);
}

fn files_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|it| fs::read_to_string(it.path()).unwrap_or_default()).collect()
}

#[test]
fn a_killed_crash_test_continues_and_asks_nothing_twice() {
    let (server, desk) = desk_with(Fault::None);
    let answered = || -> usize {
        let count = |text: &String| {
            let document: Option<Value> = serde_json::from_str(text).ok();
            let trials = document.iter().filter_map(|it| it["trials"].as_array()).flatten();
            trials.filter(|it| !it["answer"].is_null()).count()
        };
        files_in(&desk.run().join("crash-tests")).iter().map(count).sum()
    };
    let mut child = start_judge(&desk, &["--crash-test", "--sample", "4"]);
    wait_until("some are saved", || answered() >= 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let (saved, before) = (answered(), server.seen_requests().len());

    let (_, card) = card(&desk, &["--sample", "4", "--resume"]);

    assert_eq!(card["answered"], card["verdicts"]);
    let all = card["verdicts"].as_u64().unwrap() as usize;
    // What was under way when it was killed may arrive later.
    const UNDER_WAY: usize = 8;
    assert!(server.seen_requests().len() - before <= 2 * (all - saved) + UNDER_WAY);
    // A part of a file that was being written may be left.
    let folder = desk.run().join("crash-tests");
    let paths = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
    assert_eq!(paths.filter(|it| it.extension().is_some_and(|it| it == "json")).count(), 1);
    assert!(!files_in(&folder).iter().any(|it| it.contains(KEY)));
}

#[test]
fn a_test_that_costs_money_starts_with_a_yes_only() {
    let server = Server::new(|asked| crash_run::answer(asked, Fault::None));
    let desk = Desk::with_server(&server, "price_input = 1.0\nprice_output = 2.0");
    crash_run::lay_run(&desk);

    let refused = desk.judge(&["--crash-test", "--sample", "2"]);
    let missing = desk.judge(&["--crash-test", "--sample", "2", "--resume"]);
    let (_, card) = card(&desk, &["--sample", "2", "--yes"]);

    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--yes starts it"), "{}", refused.err);
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("with the same edits to resume"), "{}", missing.err);
    assert_eq!(card["requests_without_usage"], 0);
    // 1000 tokens in and 100 out for each of two requests.
    let expected = card["answered"].as_f64().unwrap() * 2.0 * (0.001 + 0.0002);
    assert!((card["spent_usd"].as_f64().unwrap() - expected).abs() < 1e-9, "{card:#}");
}

#[test]
fn a_crash_test_has_one_judge_and_components() {
    let (_server, desk) = desk_with(Fault::None);

    let ran = desk.judge(&["--crash-test", "--rubric", "process"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--crash-test works with one --judge"), "{}", ran.err);
    let ran = desk.judge(&["--crash-test", "--resume"]);
    assert!(ran.err.contains("no crash test of stub with the same edits to resume"), "{}", ran.err);
    let ran = desk.judge(&["--crash-test", "--sample", "1001", "--dry-run"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("a crash test has at most 1000 components"), "{}", ran.err);
}

/// A Python project whose output must stay the same whatever must not matter.
const PROJECT: [(&str, &str); 3] = [
    (
        "shapes.py",
        "\"\"\"Shapes.\"\"\"\nimport math\nfrom helpers import clamp\n\nSCALE = 3\n\n\n\
         def ring_area(outer, inner=1.0, *rest, **named):\n    \"\"\"The area of a ring.\"\"\"\n    squares = [it ** 2 for it in (outer, inner)]\n    \
         difference = squares[0] - squares[1]\n    for it in rest:\n        difference -= it\n    text = f\"{max(outer, inner)}\"\n    \
         if difference < 0:\n        return 0.0\n    return math.pi * difference + len(text) + len(named)\n\n\n\
         def scaled(value):\n    lines = \"\"\"one\n  two, three(a,b)\n\"\"\"\n    size = len(lines)\n    return clamp(value * SCALE, 0, size)\n\n\n\
         def plain(value, other):\n    total = value\n    total += other\n    both = (total, other)\n    first, second = both\n    \
         pairs = {it: second for it in range(first)}\n    return sum(pairs.values()) + math.floor(2.5)\n\n\n\
         class Shape:\n    def __init__(self, size):\n        self.size = size\n\n    def measure(self, factor=2):\n        \
         start = self.size * factor\n        grown = start + plain(start, factor)\n        self.size = grown\n        \
         try:\n            return ring_area(grown, 1, 2, key=3)\n        finally:\n            self.size += 1\n",
    ),
    (
        "helpers.py",
        "def clamp(value, low, high):\n    if value < low:\n        return low\n    return min(value, high)\n",
    ),
    (
        "main.py",
        "import sys\nfrom shapes import (Shape, plain,\n    ring_area, scaled)\n\n\n\
         def report(items):\n    \"\"\"Prints the items.\"\"\"\n    count = 0\n    for item in items:\n        count += 1\n        print(count, item)\n    print('total', count)\n    return count\n\n\n\
         shape = Shape(4)\nreport([ring_area(3, 1, 1, a=2), scaled(5), plain(2, 3), shape.measure(), shape.size])\n\
         sys.exit(0)\n",
    ),
];

fn output_of(files: &BTreeMap<String, String>) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        fs::write(folder.path().join(path), text).unwrap();
    }
    let mut python = std::process::Command::new("python3");
    let output = python.arg("main.py").current_dir(folder.path()).output().ok()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Some(format!("{:?} {}{}", output.status.code(), text(output.stdout), text(output.stderr)))
}

#[test]
fn what_must_not_matter_keeps_what_a_python_program_prints() {
    let files: BTreeMap<String, String> =
        PROJECT.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let Some(before) = output_of(&files) else {
        return eprintln!("not run: no python3");
    };
    assert!(before.starts_with("Some(0) 1 "), "{before}");
    let mut planted = BTreeSet::<String>::new();
    for (path, text) in &files {
        for line in 1..=text.lines().count() {
            let places = [CodePlace { path: path.clone(), lines: (line, line) }];
            let target = PlantTarget { files: &files, places: &places, component: "A ring" };
            for kind in PlantKind::ALL.into_iter().filter(|kind| !kind.must_matter()) {
                let Ok(edit) = plant_edit(kind, &target) else { continue };
                // Lines of one function have the same edit.
                if !planted.insert(format!("{} {path} {}", kind.word(), edit.summary)) {
                    continue;
                }
                let mut edited = files.clone();
                edited.extend(edit.changed.clone());
                let after = output_of(&edited).unwrap();
                assert_eq!(after, before, "{kind:?}\n{}", edit.unified_diff(&files));
            }
        }
    }
    let kinds: BTreeSet<&str> = planted.iter().filter_map(|key| key.split(' ').next()).collect();
    assert_eq!(kinds.len(), 7, "{kinds:?}");
}
