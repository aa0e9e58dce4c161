//! The drivers of agents that have none of the tests in `live_cli`, each with the real program against a scripted model server: three
//! turns whose files are committed and whose steps, tokens and requests are in the bundle.
//!
//! The programs are npm's below the folder that `TRAJVIEW_REAL_CLI` names (`npm install --ignore-scripts @qwen-code/qwen-code
//! @github/copilot @google/gemini-cli opencode-ai`), and the one that `TRAJVIEW_AIDER` names; `.ci/run` installs them. The server
//! speaks what each of them does and stands beside the real recordings, in `../tools/live_kit`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::common::{json as printed, project, real_data};

/// The server, gone when this is dropped.
pub struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts it, and says where it listens. `workspace` is where the script's files are written.
pub fn server(script: &Path, workspace: &Path, place: &Path, format: &str) -> (Server, String) {
    serving(script, &["--chat-format", format, "--cwd", workspace.to_str().unwrap()], place)
}

/// As [`server`], for runs in many workspaces at once: where files are written it reads from each request.
pub fn server_of_many(script: &Path, place: &Path) -> (Server, String) {
    serving(script, &[], place)
}

fn serving(script: &Path, more: &[&str], place: &Path) -> (Server, String) {
    let kit = real_data().join("../tools/live_kit/stubmodel.py");
    let child = Command::new("python3")
        .arg(kit)
        .args(["--port", "0"])
        .args(more)
        .arg("--script")
        .arg(script)
        .arg("--port-file")
        .arg(place)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("python3 starts");
    let server = Server(child);
    let began = Instant::now();
    loop {
        let port = fs::read_to_string(place).unwrap_or_default();
        if !port.trim().is_empty() {
            return (server, format!("http://127.0.0.1:{}", port.trim()));
        }
        assert!(began.elapsed() < Duration::from_secs(20), "the model server does not start");
        std::thread::yield_now();
    }
}

pub fn npm(below: &str) -> PathBuf {
    let folder = std::env::var_os("TRAJVIEW_REAL_CLI").map(PathBuf::from);
    folder.expect("TRAJVIEW_REAL_CLI names the folder of the programs").join(below)
}

/// Three turns of the agent: what each changed, how many tools it used and how many tokens it made.
fn three_turns(agent: &str, program: &Path, format: &str, more: &[&str]) -> Vec<Value> {
    assert!(program.is_file(), "{} is no program", program.display());
    let desk = tempfile::tempdir().unwrap();
    let at = |name: &str| desk.path().join(name);
    let told = real_data().join("../tools/live_kit/scripts/tiny3.json");
    let told: Value = serde_json::from_slice(&fs::read(&told).unwrap()).unwrap();
    let turns = told["turns"].as_array().unwrap().iter().zip(1..);
    let requests: Vec<Value> = turns
        .map(|(turn, number)| json!({ "turn": number, "text": turn["prompt"], "checkpoint": null }))
        .collect();
    fs::write(at("script.json"), json!({ "task": "tiny", "requests": requests }).to_string())
        .unwrap();
    let kit = real_data().join("../tools/live_kit/scripts/tiny3.json");
    let (_server, url) = server(&kit, &at("work/workspace"), &at("port"), format);

    let ran = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(["live", "--agent", agent, "--model", "gpt-4.1", "--headless", "--base-url", &url])
        .args(["--timeout-turn", "120", "--program"])
        .arg(program)
        .arg("--script")
        .arg(at("script.json"))
        .arg("--out")
        .arg(at("run"))
        .arg("--work")
        .arg(at("work"))
        .args(more)
        .current_dir(project("."))
        .env("TRAJVIEW_CONFIG", "")
        .env("OPENAI_API_KEY", "not-a-secret")
        .env("GEMINI_API_KEY", "not-a-secret")
        .env("COPILOT_PROVIDER_API_KEY", "not-a-secret")
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));

    let shown = printed(&["show", at("run").to_str().unwrap(), "--json"]);
    assert_eq!(shown["warnings"], json!([]), "{agent}");
    let turns = shown["turns"].as_array().unwrap().clone();
    assert_eq!(turns.len(), 3, "{agent}");
    for (turn, request) in turns.iter().zip(&requests) {
        let asked = request["text"].as_str().unwrap();
        let heading: String = asked.chars().take(30).collect();
        assert!(turn["request"].as_str().unwrap().starts_with(&heading), "{agent}: {turn}");
        assert!(turn["steps"].as_u64() > Some(0), "{agent}: {turn}");
        assert!(turn["tokens"]["output"].as_u64() > Some(0), "{agent}: {turn}");
        assert!(
            turn["tools"].as_u64().or(turn["tool_calls"].as_u64()) > Some(0),
            "{agent}: {turn}"
        );
    }
    assert!(!turns[0]["edits"].as_array().unwrap().is_empty(), "{agent}");
    turns
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI, node and python3"]
fn qwen_code_leaves_its_steps_and_tokens() {
    let turns = three_turns("qwen", &npm(".bin/qwen"), "tools", &[]);
    assert!(turns.iter().all(|turn| turn["tokens"]["input"].as_u64() > Some(1_000)));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn copilot_leaves_its_steps_and_tokens() {
    three_turns("copilot", &npm("@github/copilot-linux-x64/copilot"), "tools", &[]);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI, node and python3"]
fn gemini_leaves_its_steps_and_tokens() {
    three_turns("gemini", &npm(".bin/gemini"), "tools", &[]);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn opencode_leaves_its_steps_and_tokens() {
    let turns = three_turns("opencode", &npm("opencode-linux-x64/bin/opencode"), "tools", &[]);
    assert!(turns.iter().all(|turn| turn["cost_usd"].is_number()));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_AIDER and python3"]
fn aider_leaves_its_steps_and_tokens() {
    let aider = std::env::var_os("TRAJVIEW_AIDER").map(PathBuf::from);
    let aider = aider.expect("TRAJVIEW_AIDER names the program");
    three_turns("aider", &aider, "aider", &["--", "--edit-format", "diff"]);
}
