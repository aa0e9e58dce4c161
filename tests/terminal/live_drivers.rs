//! The five drivers that are said to work, each with the real program against the scripted model server: a run of twelve turns that is
//! killed with everything of ours in its ninth and gone on with, one request, three turns in the pane, and a turn that fails once. All of
//! them end in the same files.
//!
//! They need the programs of `live_agents` and `live_cli`; `.ci/run` installs them in fixed versions. Each test has folders and a server of its
//! own, so that two of them run at the same time.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    common::{cli_json, project_path, real_data},
    live_agents::{Server, npm_program, start_server},
    live_cli::{commit_trees, installed_program},
};

/// The tree after each of the twelve turns, the same for every agent that may write every file.
const GOLDEN: [&str; 12] = [
    "4665cfeb0a272dffa15b80690d24a76880ab79f2",
    "efc9a5af104ef23b7d3fe9a1116a9cbf85c7ae88",
    "c7bbf3b1bb7b0b1ef6a0262d18bf15b2f3881e53",
    "3754369dcaad55df7f303b51ff41e4fca60d57d3",
    "3754369dcaad55df7f303b51ff41e4fca60d57d3",
    "4a49f4ff65ab0bc532791848488b596b9e0df718",
    "7d54d4ff02d502e4ff7997fd4e7e969880abf097",
    "7d54d4ff02d502e4ff7997fd4e7e969880abf097",
    "07a68ba5d57db5537fd958d8c6b2058d734b2992",
    "07a68ba5d57db5537fd958d8c6b2058d734b2992",
    "bd86240d7219bf597782224615124a3efc873b43",
    "bd86240d7219bf597782224615124a3efc873b43",
];

/// The same without `pyproject.toml`, which Gemini's own guard of build files keeps it from writing.
const WITHOUT_BUILD_FILE: [&str; 12] = [
    "1211e7313649093ca0c48cc751a81d12536f2166",
    "c879db0f141d9915e3e1ecaacaa198e8ad141673",
    "890a0cc0d9d37709a6ec79d7fd3064912697817f",
    "32fdd1cb06f788756e1a090e532ffb7c6f62b7b3",
    "32fdd1cb06f788756e1a090e532ffb7c6f62b7b3",
    "fbc07ac80c891953e869c01c4b901393569f92e6",
    "a0942c3213118e4fdd13be07712050d5a1724d26",
    "a0942c3213118e4fdd13be07712050d5a1724d26",
    "62087e9c32160025fe59bdf1fbeb037797e0553c",
    "62087e9c32160025fe59bdf1fbeb037797e0553c",
    "75e5451f4ff5cd7242e8949c1c605507bcf9be1c",
    "75e5451f4ff5cd7242e8949c1c605507bcf9be1c",
];

/// The tree after the one request, and the same without `pyproject.toml`.
const GOLDEN_OF_ONE: &str = "60899cbbffa4d57c49e1131e0d1b2c9f743a3297";
const ONE_WITHOUT_BUILD_FILE: &str = "3751ba5dbce0dd9dc9871916948804da20634255";

/// One of the five.
struct Agent {
    name: &'static str,
    program: PathBuf,
    model: &'static str,
}

impl Agent {
    fn codex_agent() -> Self {
        let program = installed_program("TRAJVIEW_CODEX", "codex");
        Self { name: "codex", program, model: "gpt-5.5" }
    }

    fn claude_agent() -> Self {
        let program = npm_program("@anthropic-ai/claude-code-linux-x64/claude");
        Self { name: "claude", program, model: "gpt-4.1" }
    }

    fn mini_agent() -> Self {
        Self { name: "mini", program: installed_program("TRAJVIEW_MINI", "mini"), model: "gpt-4.1" }
    }

    fn gemini_agent() -> Self {
        Self { name: "gemini", program: npm_program(".bin/gemini"), model: "gemini-2.5-pro" }
    }

    fn opencode_agent() -> Self {
        Self {
            name: "opencode",
            program: npm_program("opencode-linux-x64/bin/opencode"),
            model: "gpt-4.1",
        }
    }

    /// The trees that its turns lead to.
    fn golden(&self) -> &'static [&'static str; 12] {
        if self.name == "gemini" { &WITHOUT_BUILD_FILE } else { &GOLDEN }
    }
}

/// The folders of one run, its script and its model server.
struct Desk {
    folder: tempfile::TempDir,
    requests: Vec<String>,
    server: (Server, String),
}

impl Desk {
    /// The first requests of a script of the kit.
    fn new(script: &str, count: usize) -> Self {
        Self::with_change(script, count, |_| {})
    }

    /// The same with something else in the script of the model.
    fn with_change(script: &str, count: usize, change: impl FnOnce(&mut Value)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let kit = real_data().join(format!("../tools/live_kit/scripts/{script}.json"));
        let mut told: Value = serde_json::from_slice(&fs::read(&kit).unwrap()).unwrap();
        change(&mut told);
        let kit = folder.path().join("model.json");
        fs::write(&kit, told.to_string()).unwrap();
        // Those after them are for faults, and for what agents ask other agents.
        let turns = told["turns"].as_array().unwrap().iter();
        let turns = turns.filter(|turn| script != "tiny12" || turn["id"].as_u64() <= Some(12));
        let prompt = |turn: &Value| turn["prompt"].as_str().unwrap().to_owned();
        let requests: Vec<String> = turns.map(prompt).take(count).collect();
        let row = |(at, text)| json!({"turn": at + 1, "text": text, "checkpoint": null});
        let rows: Vec<Value> = requests.iter().enumerate().map(row).collect();
        let own = json!({"task": "tiny", "requests": rows}).to_string();
        fs::write(folder.path().join("script.json"), own).unwrap();
        let workspace = folder.path().join("work/workspace");
        let server = start_server(&kit, &workspace, &folder.path().join("port"), "tools");
        Self { folder, requests, server }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn words(&self, agent: &Agent, more: &[&str]) -> Vec<String> {
        let own = [
            "live",
            "--agent",
            agent.name,
            "--program",
            agent.program.to_str().unwrap(),
            "--model",
            agent.model,
            "--base-url",
            &self.server.1,
            "--timeout-turn",
            "120",
            "--script",
            &self.text("script.json"),
            "--out",
            &self.text("run"),
            "--work-dir",
            &self.text("work"),
        ];
        own.iter().chain(more).map(|word| (*word).to_owned()).collect()
    }

    fn headless(&self, words: &[String]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
        command.args(words).arg("--headless").current_dir(project_path("."));
        for (name, value) in ENVIRONMENT {
            command.env(name, value);
        }
        command
    }

    fn runs(&self, words: &[String]) {
        let ran = self.headless(words).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    }

    fn run_json(&self) -> Value {
        let text = fs::read(self.path("run/run.json")).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// The turns as the bundle shows them; each was asked once, left steps, and was read from the agent's own log.
    fn turns(&self, agent: &Agent) -> Vec<Value> {
        let shown = cli_json(&["show", &self.text("run"), "--json"]);
        let warnings = shown["warnings"].as_array().unwrap();
        assert!(warnings.is_empty(), "{}: {warnings:?}", agent.name);
        let turns = shown["turns"].as_array().unwrap().clone();
        assert_eq!(turns.len(), self.requests.len(), "{}", agent.name);
        for (turn, asked) in turns.iter().zip(&self.requests) {
            let heading: String = asked.chars().take(30).collect();
            assert!(turn["request"].as_str().unwrap().starts_with(&heading), "{turn}");
            assert!(turn["steps"].as_u64() > Some(0), "{}: {turn}", agent.name);
            assert!(turn["tokens"]["output"].as_u64() > Some(0), "{}: {turn}", agent.name);
        }
        turns
    }
}

const ENVIRONMENT: [(&str, &str); 4] = [
    ("TRAJVIEW_CONFIG", ""),
    ("OPENAI_API_KEY", "not-a-secret"),
    ("ANTHROPIC_API_KEY", "not-a-secret"),
    ("GEMINI_API_KEY", "not-a-secret"),
];

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(240);
    while !is_so() {
        assert!(Instant::now() < end, "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Twelve turns; in the ninth, once the agent has written its first file, this program is killed.
fn killed_in_its_ninth_turn(agent: &Agent) -> Desk {
    let desk = Desk::new("tiny12", 12);
    let quiet = |command: &mut Command| {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut first = quiet(&mut desk.headless(&desk.words(agent, &[])));
    let written = desk.path("work/workspace/tinycalc/expr.py");
    wait_for("the first file of turn 9", || {
        let is_over = first.try_wait().unwrap().is_some();
        assert!(!is_over, "{} ended before its ninth turn", agent.name);
        written.is_file()
    });
    first.kill().unwrap();
    first.wait().unwrap();
    let done = desk.run_json()["turns"].as_array().unwrap().len();
    assert!((8..=10).contains(&done), "{done} turns had begun");

    desk.runs(&["live", "--resume", "--out", &desk.text("run")].map(str::to_owned));

    assert_eq!(commit_trees(&desk.path("run")), agent.golden(), "{}", agent.name);
    let run = desk.run_json();
    assert_eq!(run["surroundings"]["interruptions"], 1, "{}", agent.name);
    let forgot = |turn: &Value| turn["without_memory"] == true;
    let forgot: Vec<bool> = run["turns"].as_array().unwrap().iter().map(forgot).collect();
    let is_a_process = agent.name == "mini"; // its memory was its process
    assert_eq!(forgot.iter().filter(|it| **it).count(), usize::from(is_a_process), "{forgot:?}");
    desk
}

/// One request with everything in it.
fn one_request(agent: &Agent, more: &[&str]) -> Desk {
    let desk = Desk::new("single", 1);
    desk.runs(&desk.words(agent, &[&["--condition", "single-shot"], more].concat()));
    let golden = if agent.name == "gemini" { ONE_WITHOUT_BUILD_FILE } else { GOLDEN_OF_ONE };
    let trees = commit_trees(&desk.path("run"));
    assert_eq!(trees, [golden], "{}", agent.name);
    desk.turns(agent);
    desk
}

/// Turns that are watched on a screen: in the agent's own screen where `--terminal` is among the words. Where it asks something, a person
/// answers that it may.
fn three_turns_in_the_pane(agent: &Agent, shows: &str, asks: Option<&str>, more: &[&str]) -> Desk {
    turns_in_the_pane(Desk::new("tiny3", 3), agent, shows, asks, more)
}

fn turns_in_the_pane(
    desk: Desk,
    agent: &Agent,
    shows: &str,
    asks: Option<&str>,
    more: &[&str],
) -> Desk {
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
    command.args(desk.words(agent, more));
    for (name, value) in ENVIRONMENT {
        command.env(name, value);
    }
    let mut tui = crate::pty::Tui::spawn_command(160, 45, command);
    let screen = |tui: &crate::pty::Tui| tui.parser.lock().unwrap().screen().contents();
    if let Some(question) = asks {
        wait_for("its question", || screen(&tui).contains(question));
        tui.press("\r");
        wait_for("the keyboard", || screen(&tui).contains("attached: keys go to the agent"));
        tui.press("\r");
        wait_for("the answer", || !screen(&tui).contains(question));
        tui.press("\x1d"); // ctrl-]
    }
    let mut was_shown = false;
    wait_for("the end of the run", || {
        let seen = screen(&tui);
        was_shown |= seen.contains(shows);
        seen.contains("finished")
    });
    assert!(was_shown, "{} never showed {shows:?}", agent.name);
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);

    assert_eq!(commit_trees(&desk.path("run")), GOLDEN[..desk.requests.len()], "{}", agent.name);
    desk.turns(agent);
    let is_terminal = more.contains(&"--terminal") || agent.name == "mini";
    let cast = fs::read_to_string(desk.path("run/session/terminal.cast")).unwrap_or_default();
    assert_eq!(cast.lines().count() > 20, is_terminal, "{}", agent.name);
    desk
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn killed_in_its_ninth_turn_opencode_goes_on_to_the_golden_tree() {
    let agent = Agent::opencode_agent();
    let desk = killed_in_its_ninth_turn(&agent);
    let turns = desk.turns(&agent);
    assert!(turns.iter().all(|turn| turn["cost_usd"].is_number()));
    assert!(!desk.run_json()["remarks"].to_string().contains("in a new session"));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI, node and python3"]
fn killed_in_its_ninth_turn_gemini_goes_on_to_its_golden_tree() {
    let agent = Agent::gemini_agent();
    let desk = killed_in_its_ninth_turn(&agent);
    desk.turns(&agent);
    let denied = desk.run_json()["turns"][0]["denied"].to_string();
    assert!(denied.contains("build configuration files"), "{denied}");
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn killed_in_its_ninth_turn_claude_code_goes_on_to_the_golden_tree() {
    let agent = Agent::claude_agent();
    let desk = killed_in_its_ninth_turn(&agent);
    desk.turns(&agent);
    assert_eq!(session_logs(&desk.path("run"), "").len(), 1, "one session from beginning to end");
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_CODEX, git and python3"]
fn killed_in_its_ninth_turn_codex_goes_on_to_the_golden_tree() {
    let agent = Agent::codex_agent();
    let desk = killed_in_its_ninth_turn(&agent);
    desk.turns(&agent);
    assert_eq!(
        session_logs(&desk.path("run"), "rollout-").len(),
        1,
        "one thread from beginning to end"
    );
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_MINI and python3"]
fn killed_in_its_ninth_turn_mini_goes_on_to_the_golden_tree_and_forgot() {
    let agent = Agent::mini_agent();
    let desk = killed_in_its_ninth_turn(&agent);
    desk.turns(&agent);
}

/// Three turns; in the second, once the agent has written files, its model refuses what it is asked, so that the turn fails and is asked
/// again. It stands in the bundle once.
fn failed_once_in_its_second_turn(agent: &Agent, refusals: u64) -> Desk {
    let fault = json!({"status": 400, "times": refusals});
    let desk = Desk::with_change("tiny3", 3, |told| told["turns"][1]["steps"][1]["fault"] = fault);

    desk.runs(&desk.words(agent, &["--retries", "1"]));

    assert_eq!(commit_trees(&desk.path("run")), GOLDEN[..3], "{}", agent.name);
    let attempts = desk.run_json()["turns"].as_array().unwrap().clone();
    let attempts: Vec<&Value> = attempts.iter().map(|turn| &turn["attempt"]).collect();
    assert_eq!(attempts, [1, 2, 1], "{}", agent.name);
    desk.turns(agent);
    desk
}

/// The attempt that failed once stayed in the log of the process before, and was read as a turn of its own.
#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_MINI and python3"]
fn a_turn_of_mini_that_failed_and_is_asked_again_stands_in_the_bundle_once() {
    failed_once_in_its_second_turn(&Agent::mini_agent(), 2);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn a_turn_of_opencode_that_failed_and_is_asked_again_stands_in_the_bundle_once() {
    failed_once_in_its_second_turn(&Agent::opencode_agent(), 1);
}

#[cfg(unix)]
#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn a_turn_of_opencode_is_done_again_in_a_new_session_where_it_does_not_take_the_old_one_back() {
    use std::os::unix::fs::PermissionsExt;
    let real = Agent::opencode_agent();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("opencode");
    let refuses = format!(
        "#!/bin/sh\nif [ \"$1\" = import ]; then exit 3; fi\nexec '{}' \"$@\"\n",
        real.program.display()
    );
    fs::write(&program, refuses).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();

    let desk = failed_once_in_its_second_turn(&Agent { program, ..real }, 1);

    let run = desk.run_json();
    let said = run["remarks"].to_string();
    assert!(said.contains("turn 2 is repeated in a new session"), "{said}");
    assert!(said.contains("(exit status: 3)"), "{said}");
}

/// The logs of a bundle whose names begin so.
fn session_logs(bundle: &Path, prefix: &str) -> Vec<String> {
    let mut folders = vec![bundle.join("session")];
    let mut found = vec![];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() && name != "subagents" {
                folders.push(entry.path());
            } else if name.starts_with(prefix) && name.ends_with(".jsonl") {
                found.push(name);
            }
        }
    }
    found
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn one_request_of_opencode_leads_to_the_golden_tree() {
    one_request(&Agent::opencode_agent(), &[]);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI, node and python3"]
fn one_request_of_gemini_leads_to_its_golden_tree() {
    one_request(&Agent::gemini_agent(), &[]);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn one_request_of_claude_code_leads_to_the_golden_tree() {
    one_request(&Agent::claude_agent(), &[]);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_CODEX, git and python3"]
fn one_request_of_codex_leads_to_the_golden_tree() {
    one_request(&Agent::codex_agent(), &[]);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_MINI and python3"]
fn one_request_of_mini_leads_to_the_golden_tree() {
    one_request(&Agent::mini_agent(), &[]);
}

/// Its own sandbox may not stand inside ours, and is off there.
#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_CODEX, bwrap and python3"]
fn one_request_of_codex_in_bubblewrap_leads_to_the_golden_tree() {
    let desk = one_request(&Agent::codex_agent(), &["--sandbox", "bwrap", "--network", "loopback"]);
    let provenance = desk.run_json()["provenance"].to_string();
    assert!(provenance.contains("a sandbox (bwrap) with the model server"), "{provenance}");
    assert!(provenance.contains("own sandbox was off inside it"), "{provenance}");
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI, bwrap and python3"]
fn one_request_of_claude_code_in_bubblewrap_leads_to_the_golden_tree() {
    let desk =
        one_request(&Agent::claude_agent(), &["--sandbox", "bwrap", "--network", "loopback"]);
    let provenance = desk.run_json()["provenance"].to_string();
    assert!(provenance.contains("a sandbox (bwrap) with the model server"), "{provenance}");
    assert!(!provenance.contains("own sandbox"), "{provenance}");
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn three_turns_of_opencode_in_its_own_screen_are_watched_in_the_pane() {
    three_turns_in_the_pane(&Agent::opencode_agent(), "ctrl+p commands", None, &["--terminal"]);
}

/// It asks before it writes `pyproject.toml`; the turn was once over with that question, and the next request typed as its answer.
/// Of twelve requests the second was once taken for one that a person had typed.
#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI, node and python3"]
fn twelve_turns_of_gemini_in_its_own_screen_are_watched_in_the_pane_and_its_question_is_answered() {
    let (asks, shows) = (Some("Apply this change?"), "Type your message");
    let desk = Desk::new("tiny12", 12);
    let desk = turns_in_the_pane(desk, &Agent::gemini_agent(), shows, asks, &["--terminal"]);
    let run = desk.run_json();
    assert!(run["turns"].as_array().unwrap().iter().all(|turn| turn["typed"].is_null()), "{run}");
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI, node and python3"]
fn one_request_of_gemini_in_its_own_screen_fails_where_nobody_answers_its_question() {
    let (agent, desk) = (Agent::gemini_agent(), Desk::new("tiny3", 1));
    let words = desk.words(&agent, &["--terminal", "--retries", "0"]);
    let ran = desk.headless(&words).output().unwrap();
    let why = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(1), "{why}");
    assert!(why.contains("it waits for an answer in its terminal, in a headless run"), "{why}");
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn three_turns_of_claude_code_in_its_own_screen_are_watched_in_the_pane() {
    three_turns_in_the_pane(&Agent::claude_agent(), "accept edits on", None, &["--terminal"]);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_CODEX, git and python3"]
fn three_turns_of_codex_in_its_own_screen_are_watched_in_the_pane() {
    three_turns_in_the_pane(
        &Agent::codex_agent(),
        "Ask Codex to do anything",
        None,
        &["--terminal"],
    );
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_MINI and python3"]
fn three_turns_of_mini_in_its_terminal_are_watched_in_the_pane() {
    three_turns_in_the_pane(&Agent::mini_agent(), "mini-swe-agent", None, &[]);
}
