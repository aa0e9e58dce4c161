//! The drivers of agents that have none of the tests in `live_drivers`, each with the real program against a scripted model server: three
//! turns whose files are committed and whose steps, tokens and requests are in the bundle. And chats with those that have a screen.
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

use crate::common::{cli_json, project_path, real_data};

/// The server, gone when this is dropped.
pub struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts it, and says where it listens. `workspace` is where the script's files are written.
pub fn start_server(
    script: &Path,
    workspace: &Path,
    place: &Path,
    format: &str,
) -> (Server, String) {
    let more = ["--port", "0", "--chat-format", format, "--cwd", workspace.to_str().unwrap()];
    serve_script(script, &more, place)
}

/// As [`server`], for runs in many workspaces at once: where files are written it reads from each request.
pub fn server_of_many(script: &Path, place: &Path) -> (Server, String) {
    server_at("0", script, place)
}

/// The same at a port that it had before; `0` takes one that is free.
pub fn server_at(port: &str, script: &Path, place: &Path) -> (Server, String) {
    let _ = fs::remove_file(place); // where one said before that it listens
    serve_script(script, &["--port", port], place)
}

fn serve_script(script: &Path, more: &[&str], place: &Path) -> (Server, String) {
    let kit = real_data().join("../tools/live_kit/stubmodel.py");
    let child = Command::new("python3")
        .arg(kit)
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

pub fn npm_program(below: &str) -> PathBuf {
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
    let (_server, url) = start_server(&kit, &at("work/workspace"), &at("port"), format);

    let ran = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(["live", "--agent", agent, "--model", "gpt-4.1", "--headless", "--base-url", &url])
        .args(["--timeout-turn", "120", "--program"])
        .arg(program)
        .arg("--script")
        .arg(at("script.json"))
        .arg("--out")
        .arg(at("run"))
        .arg("--work-dir")
        .arg(at("work"))
        .args(more)
        .current_dir(project_path("."))
        .env("TRAJVIEW_CONFIG", "")
        .env("OPENAI_API_KEY", "not-a-secret")
        .env("GEMINI_API_KEY", "not-a-secret")
        .env("COPILOT_PROVIDER_API_KEY", "not-a-secret")
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));

    let shown = cli_json(&["show", at("run").to_str().unwrap(), "--json"]);
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
    let turns = three_turns("qwen", &npm_program(".bin/qwen"), "tools", &[]);
    assert!(turns.iter().all(|turn| turn["tokens"]["input"].as_u64() > Some(1_000)));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn copilot_leaves_its_steps_and_tokens() {
    three_turns("copilot", &npm_program("@github/copilot-linux-x64/copilot"), "tools", &[]);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_AIDER and python3"]
fn aider_leaves_its_steps_and_tokens() {
    let aider = std::env::var_os("TRAJVIEW_AIDER").map(PathBuf::from);
    let aider = aider.expect("TRAJVIEW_AIDER names the program");
    three_turns("aider", &aider, "aider", &["--", "--edit-format", "diff"]);
}

/// A chat with the real program in its own screen: five prompts are typed into the pane, and what is recorded is given.
fn five_prompts(
    agent: &str,
    program: &Path,
    is_ready: &str,
    more: &[&str],
) -> (Value, Vec<String>) {
    assert!(program.is_file(), "{} is no program", program.display());
    let desk = tempfile::tempdir().unwrap();
    let at = |name: &str| desk.path().join(name);
    let write = |path: &str, content: &str| json!({"say": "Done.", "ops": [{"op": "write", "path": path, "content": content}]});
    let shell =
        |cmd: &str| json!({"say": "Done.", "ops": [{"op": "bash", "cmd": cmd, "desc": "do it"}]});
    let prompts = [
        ("Write one.txt", write("one.txt", "one\n")),
        ("Write two.txt, too", write("two.txt", "two\n")),
        ("Append more to one.txt", shell("echo more >>one.txt")),
        ("Say what is in one.txt", json!({"say": "One and more."})),
        ("Remove two.txt again", shell("rm two.txt")),
    ];
    let turns: Vec<Value> = prompts
        .iter()
        .zip(1..)
        .map(|((prompt, step), id)| json!({"id": id, "prompt": prompt, "steps": [step, {"say": "That is all."}]}))
        .collect();
    fs::write(at("script.json"), json!({ "turns": turns }).to_string()).unwrap();
    fs::create_dir(at("files")).unwrap();
    fs::write(at("files/zero.txt"), "zero\n").unwrap();
    let (_server, url) =
        start_server(&at("script.json"), &at("work/workspace"), &at("port"), "tools");

    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
    command.args([
        "live",
        "--agent",
        agent,
        "--base-url",
        &url,
        "--timeout-turn",
        "120",
        "--program",
    ]);
    command.arg(program);
    command.args(["--from", at("files").to_str().unwrap(), "--out", at("run").to_str().unwrap()]);
    command.args(["--work-dir", at("work").to_str().unwrap()]);
    command.args(more);
    command.env("TRAJVIEW_CONFIG", "");
    let mut tui = crate::pty::Tui::spawn_command(120, 40, command);
    let screen = |tui: &crate::pty::Tui| tui.parser.lock().unwrap().screen().contents();
    wait_for("its screen", || screen(&tui).contains(is_ready));
    wait_for("rest", || is_resting(|| screen(&tui)));
    let run = || -> Value {
        let text = fs::read(at("run/run.json")).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    };
    for (number, (prompt, _)) in prompts.iter().enumerate() {
        tui.press(prompt);
        wait_for("the words in its screen", || screen(&tui).contains(prompt));
        wait_for("rest", || is_resting(|| screen(&tui)));
        tui.press("\r");
        wait_for("the turn", || {
            let turn = &run()["turns"][number];
            turn["state"] == "done" && turn["commit"].is_string()
        });
        let count = format!("waiting for your prompt  turn {0}/{0}", number + 1);
        wait_for("the next prompt", || screen(&tui).contains(&count));
    }
    tui.press("\x1d"); // ctrl-]
    tui.press("X");
    wait_for("the question", || screen(&tui).contains("stop the agent?"));
    tui.press("y");
    wait_for("the end of the chat", || screen(&tui).contains("chat ended"));
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);

    let script: Value = serde_json::from_slice(&fs::read(at("run/script.json")).unwrap()).unwrap();
    let asked: Vec<&str> = script["requests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["text"].as_str().unwrap())
        .collect();
    assert_eq!(asked, prompts.map(|(prompt, _)| prompt), "{agent}");
    let shown = cli_json(&["show", at("run").to_str().unwrap(), "--json"]);
    assert_eq!(shown["warnings"], json!([]), "{agent}");
    let patch = fs::read_to_string(at("run/changes.patch")).unwrap();
    assert!(patch.contains("+++ b/one.txt\n") && !patch.contains("two.txt"), "{patch}");
    let edited = |turn: &Value| {
        let edits = turn["edits"].as_array().unwrap().iter();
        edits
            .map(|edit| edit["path"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let edited = shown["turns"].as_array().unwrap().iter().map(edited).collect();
    (run(), edited)
}

/// Whether a screen stays as it is for a while, as it does before a person goes on: what follows at once on other keys may be
/// taken for one piece that was pasted, and what is typed while a program still asks the terminal about itself for an answer.
fn is_resting(screen: impl Fn() -> String) -> bool {
    let before = screen();
    (0..10).all(|_| {
        std::thread::sleep(Duration::from_millis(30));
        screen() == before
    })
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(90);
    while !is_so() {
        assert!(Instant::now() < end, "{what} never came");
        std::thread::sleep(Duration::from_millis(30));
    }
}

fn is_whole(run: &Value, edited: &[String]) {
    assert_eq!(run["state"], "finished");
    let turns = run["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 5);
    let commits: std::collections::BTreeSet<&str> =
        turns.iter().map(|turn| turn["commit"].as_str().unwrap()).collect();
    assert_eq!(commits.len(), 5);
    assert!(turns.iter().all(|turn| turn["typed"] == true));
    assert_eq!(edited, ["one.txt", "two.txt", "one.txt", "", "two.txt"]);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn a_chat_with_claude_code_is_recorded_prompt_by_prompt() {
    let claude = npm_program("@anthropic-ai/claude-code-linux-x64/claude");
    let (run, edited) = five_prompts("claude", &claude, "❯", &[]);
    is_whole(&run, &edited);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_CODEX and python3"]
fn a_chat_with_codex_is_recorded_prompt_by_prompt() {
    let codex = std::env::var_os("TRAJVIEW_CODEX").map(PathBuf::from);
    let codex = codex.expect("TRAJVIEW_CODEX names the program");
    let (run, edited) = five_prompts("codex", &codex, "Ask Codex", &["--model", "gpt-5.5"]);
    is_whole(&run, &edited);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI, node and python3"]
fn a_chat_with_gemini_is_recorded_prompt_by_prompt() {
    let more = ["--model", "gemini-2.5-pro"];
    let (run, edited) =
        five_prompts("gemini", &npm_program(".bin/gemini"), "Type your message", &more);
    is_whole(&run, &edited);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn a_chat_with_opencode_is_recorded_prompt_by_prompt() {
    let opencode = npm_program("opencode-linux-x64/bin/opencode");
    let (run, edited) =
        five_prompts("opencode", &opencode, "Ask anything", &["--model", "gpt-4.1"]);
    is_whole(&run, &edited);
}
