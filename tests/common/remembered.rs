//! A made bundle of four turns with a memory: cards that are current, moved, stale, of a file that was deleted, of one that
//! was renamed, and of one that nobody knows.

use std::{fs, path::Path};

use serde_json::{Value, json};

const F: &str = "def f(x):\n    return x\n";
const G: &str = "def g(x):\n    return 2 * x\n";
const KEPT: &str = "class Kept:\n    one = 1\n    two = 2\n    three = 3\n";

/// The files after each turn.
fn turn_files() -> [Vec<(&'static str, String)>; 4] {
    let before = format!("{F}\n{G}");
    let after = format!("import math\n\n{F}\n{G}");
    let changed = after.replace("return x\n", "return x + 1\n");
    let [kept, limit] = [KEPT, "LIMIT = 3\n"].map(str::to_owned);
    [
        vec![("a.py", before), ("limits.py", limit.clone()), ("old.py", kept.clone())],
        vec![("a.py", after.clone()), ("limits.py", limit), ("old.py", kept.clone())],
        vec![("a.py", after), ("new.py", kept.clone())],
        vec![("a.py", changed), ("new.py", kept)],
    ]
}

fn card_of(turn: usize, id: &str, claim: &str, spans: &[Value]) -> Value {
    json!({"kind": "card", "turn": turn, "card": {"id": id, "claim_boundary": claim, "logic_sketch": "as it says",
        "assumptions": ["nobody edits it"], "anchored_spans": spans}})
}

fn span_of(artifact: &str, lines: [usize; 2], snippet: &str, version: Value) -> Value {
    json!({"artifact": artifact, "span": lines, "snippet": snippet, "version": version})
}

/// What the memory did; `commits` are those of the turns.
fn memory_events(commits: &[String]) -> Vec<Value> {
    vec![
        json!({"kind": "routing", "turn": 2, "query": "f", "entities": ["f"], "chunks": ["c1", "c2"], "tokens": 40,
            "seconds": 0.5, "cost_usd": 0.0}),
        json!({"kind": "expansion", "turn": 2, "chunks": ["c1"], "tokens": 200, "seconds": 0.25, "cost_usd": 0.001}),
        card_of(
            2,
            "k1",
            "f gives back what it gets",
            &[span_of("a.py", [1, 2], F.trim_end(), json!(commits[0]))],
        ),
        json!({"kind": "verification", "turn": 3, "card": "k1", "artifact": "a.py", "passed": false, "why": "f moved"}),
        card_of(
            3,
            "k2",
            "g doubles",
            &[
                span_of("a.py", [4, 5], G, json!(1)),
                span_of("limits.py", [1, 1], "LIMIT = 3", json!(2)),
            ],
        ),
        card_of(
            4,
            "k3",
            "there is a limit",
            &[span_of("limits.py", [1, 1], "LIMIT = 3", json!(2))],
        ),
        card_of(4, "k4", "three things are kept", &[span_of("old.py", [1, 4], KEPT, json!(1))]),
        card_of(
            4,
            "k5",
            "a rule of the machine",
            &[span_of("/etc/rules", [1, 1], "allow", Value::Null)],
        ),
    ]
}

/// Writes the bundle into a folder.
pub fn make_bundle(folder: &Path) {
    let repository = git2::Repository::init_bare(folder.join("workspace.git")).unwrap();
    let who =
        git2::Signature::new("made", "made@trajview.invalid", &git2::Time::new(0, 0)).unwrap();
    let mut commits: Vec<String> = vec![];
    for files in turn_files() {
        let mut tree = repository.treebuilder(None).unwrap();
        for (name, text) in files {
            tree.insert(name, repository.blob(text.as_bytes()).unwrap(), 0o100_644).unwrap();
        }
        let tree = repository.find_tree(tree.write().unwrap()).unwrap();
        let parent = commits
            .last()
            .map(|it| repository.find_commit(git2::Oid::from_str(it).unwrap()).unwrap());
        let parents: Vec<_> = parent.iter().collect();
        let commit =
            repository.commit(Some("refs/heads/main"), &who, &who, "turn", &tree, &parents);
        commits.push(commit.unwrap().to_string());
    }
    let turns: Vec<Value> = commits
        .iter()
        .zip(1..)
        .map(|(commit, turn)| json!({"turn": turn, "commit": commit}))
        .collect();
    let run = json!({"schema": "trajview.run/1", "id": "remembered", "title": "A run with a memory",
        "agent": {"name": "made"}, "provenance": "Made by a test.", "turns": turns});
    fs::write(folder.join("run.json"), run.to_string()).unwrap();
    let request =
        |turn: usize| json!({"turn": turn, "text": format!("Request {turn} of the test.")});
    let script = json!({"schema": "trajview.script/1", "requests": (1..=4).map(request).collect::<Vec<_>>()});
    fs::write(folder.join("script.json"), script.to_string()).unwrap();
    let lines: String = memory_events(&commits).iter().map(|event| format!("{event}\n")).collect();
    fs::write(folder.join("memory.jsonl"), lines).unwrap();
}
