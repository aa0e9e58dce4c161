//! `trajview live` with the real command lines of Codex and mini-swe-agent, against the scripted model server.
//!
//! They are no part of the project. `.ci/run` installs them; by hand, name the programs in `TRAJVIEW_CODEX` and
//! `TRAJVIEW_MINI`, or have them on the `PATH`. The server is sample-runs/recorder/model_server.py, in Python 3.9. Nothing leaves
//! the machine that the programs do not send by themselves; no account is needed.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::common::{Ran, cli_json, project_path, run_cli};

/// A program that a variable names, or that is on the path.
pub fn installed_program(variable: &str, name: &str) -> PathBuf {
    let named = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file());
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&paths).map(|folder| folder.join(name)).find(|it| it.is_file());
    named.or(found).unwrap_or_else(|| panic!("{variable} names no {name}, see tests/live_cli.rs"))
}

/// The scripted model server, gone when this is dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn new(script: &str) -> Self {
        let recorder = project_path("sample-runs/recorder");
        let mut child = Command::new("python3")
            .args(["model_server.py", script])
            .current_dir(recorder)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let place = line.trim().rsplit(' ').next().unwrap().to_owned();
        Self { child, url: format!("http://{place}") }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn live_arguments<'a>(
    program: &'a Path,
    server: &'a Server,
    script: &'a str,
    out: &'a str,
) -> Vec<&'a str> {
    vec![
        "live",
        "--agent",
        "codex",
        "--program",
        program.to_str().unwrap(),
        "--script",
        script,
        "--out",
        out,
        "--headless",
        "--model",
        "gpt-5.5",
        "--base-url",
        &server.url,
        "--timeout-turn",
        "120",
    ]
}

fn run_live(words: &[&str]) -> Ran {
    let ran = run_cli(words);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran
}

/// The tree after each turn, as git names it.
pub fn commit_trees(bundle: &Path) -> Vec<String> {
    let output = Command::new("git")
        .arg("--git-dir")
        .arg(bundle.join("workspace.git"))
        .args(["log", "--reverse", "--format=%T", "refs/heads/main"])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Request, tools, edits and failures of every turn: what does not depend on clocks and ids.
fn played_turns(bundle: &Path) -> Vec<Value> {
    let shown = cli_json(&["show", bundle.to_str().unwrap(), "--json"]);
    let row = |turn: &Value| {
        serde_json::json!([
            turn["turn"],
            turn["checkpoint"],
            turn["request"],
            turn["steps"],
            turn["tool_calls"],
            turn["errors"],
            turn["edits"],
            turn["compactions"]
        ])
    };
    shown["turns"].as_array().unwrap().iter().map(row).collect()
}

fn check_bundle(bundle: &Path) {
    let ran = run_cli(&["check", bundle.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

/// A script of the first requests of a sample.
fn first_requests(sample: &str, count: usize, into: &Path) -> String {
    let path = project_path("sample-runs").join(sample).join("script.json");
    let mut script: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    script["requests"].as_array_mut().unwrap().truncate(count);
    fs::write(into, script.to_string()).unwrap();
    into.to_str().unwrap().to_owned()
}

#[test]
#[ignore = "needs TRAJVIEW_CODEX, git and python3"]
fn codex_makes_the_sample_again_tree_by_tree_and_its_single_shot_twin_compares() {
    let codex = installed_program("TRAJVIEW_CODEX", "codex");
    let server = Server::new("scripts/ppdiff_emergent.py");
    let desk = tempfile::tempdir().unwrap();
    let (emergent, single) = (desk.path().join("emergent"), desk.path().join("single"));
    let sample = project_path("sample-runs/codex-p12");
    let script = sample.join("script.json");
    let components = sample.join("components.json");

    let mut given =
        live_arguments(&codex, &server, script.to_str().unwrap(), emergent.to_str().unwrap());
    given.extend(["--condition", "emergent", "--components", components.to_str().unwrap()]);
    given.extend(["--", "-c", "model_auto_compact_token_limit=46000"]);
    run_live(&given);

    check_bundle(&emergent);
    assert_eq!(commit_trees(&emergent), commit_trees(&sample));
    let (made, recorded) = (played_turns(&emergent), played_turns(&sample));
    assert_eq!(made.len(), recorded.len());
    for (made, recorded) in made.iter().zip(&recorded) {
        assert_eq!(made, recorded);
    }
    drop(server);

    let server = Server::new("scripts/ppdiff_single_shot.py");
    let sample = project_path("sample-runs/codex-p12-single-shot");
    let script = sample.join("script.json");
    let mut given =
        live_arguments(&codex, &server, script.to_str().unwrap(), single.to_str().unwrap());
    given.extend(["--condition", "single-shot"]);
    run_live(&given);
    check_bundle(&single);
    assert_eq!(commit_trees(&single), commit_trees(&sample));
    let compared =
        cli_json(&["compare", single.to_str().unwrap(), emergent.to_str().unwrap(), "--json"]);
    assert_eq!(compared["schema"], "trajview.compare/1");
}

#[test]
#[ignore = "needs TRAJVIEW_CODEX and python3"]
fn codex_whose_server_is_gone_does_not_hang() {
    let codex = installed_program("TRAJVIEW_CODEX", "codex");
    let server = Server::new("scripts/ppdiff_emergent.py");
    let desk = tempfile::tempdir().unwrap();
    let out = desk.path().join("run");
    let script = first_requests("codex-p12", 2, &desk.path().join("script.json"));
    let mut given: Vec<String> = live_arguments(&codex, &server, &script, out.to_str().unwrap())
        .into_iter()
        .map(str::to_owned)
        .collect();
    drop(server);
    let began = Instant::now();
    given.extend(["--retries".to_owned(), "0".to_owned()]);
    let ran = run_cli(&given.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("does not answer"), "{}", ran.err);
    assert!(began.elapsed() < Duration::from_secs(60));
}

#[test]
#[ignore = "needs TRAJVIEW_MINI and python3"]
fn mini_works_in_a_terminal_from_turn_to_turn() {
    let mini = installed_program("TRAJVIEW_MINI", "mini");
    let server = Server::new("../../tests/agents/shell_script.py");
    let desk = tempfile::tempdir().unwrap();
    let (out, script) = (desk.path().join("run"), desk.path().join("script.json"));
    let requests = serde_json::json!([
        {"turn": 1, "text": "Write hello.txt with the word hello.", "checkpoint": "c1"},
        {"turn": 2, "text": "Now make a folder called notes,\nand move hello.txt into it.", "checkpoint": null},
        {"turn": 3, "text": "What is in it?", "checkpoint": "c2"},
    ]);
    fs::write(&script, serde_json::json!({"task": "shell", "requests": requests}).to_string())
        .unwrap();

    let given = [
        "live",
        "--agent",
        "mini",
        "--program",
        mini.to_str().unwrap(),
        "--script",
        script.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
        "--headless",
        "--model",
        "scripted",
        "--base-url",
        &server.url,
        "--timeout-turn",
        "120",
        "--test",
        "test -f hello.txt -o -f notes/hello.txt",
    ];
    run_live(&given);

    let check = run_cli(&["check", out.to_str().unwrap()]);
    assert!(check.code == Some(0) && check.out.contains("bundle, 3 turns, "), "{}", check.out);
    let shown = cli_json(&["show", out.to_str().unwrap(), "--json"]);
    for turn in shown["turns"].as_array().unwrap() {
        assert!(turn["tool_calls"].as_u64() > Some(0), "{turn}");
        assert!(turn["tokens"]["output"].as_u64() > Some(0), "{turn}");
    }
    let files = |turn: &str| {
        let shown = cli_json(&["ls", out.to_str().unwrap(), "--at", turn, "--json"]);
        let files = shown["files"].as_array().unwrap().clone();
        files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(files("1"), ["hello.txt"]);
    assert_eq!(files("3"), ["notes/hello.txt"]);
    let trajectory = fs::read(out.join("session/turn-001.traj.json")).unwrap();
    let trajectory: Value = serde_json::from_slice(&trajectory).unwrap();
    let asked = trajectory["messages"].as_array().unwrap().iter().filter(|message| {
        let text = message["content"].as_str().unwrap_or_default();
        message["role"] == "user" && text.contains("and move hello.txt into it.")
    });
    assert_eq!(asked.count(), 1, "the request arrived with its two lines");
    assert!(fs::read_to_string(out.join("session/terminal.cast")).unwrap().lines().count() > 20);
    let run: Value = serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap();
    assert_eq!(run["kept"], serde_json::json!([]), "its log is read");
}
