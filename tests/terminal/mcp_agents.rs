//! Real agents that ask about runs: Claude Code and Codex start `trajview mcp` and call its tools, as their scripted model tells
//! them. Eight questions about `sample-runs`, each answered with a place that opens.
//!
//! They need the programs of `live_agents`; `.ci/run` installs them in fixed versions.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::{
    common::{cli_text, project_path},
    live_agents::{npm_program, start_server},
};

/// A question, the call that its model answers it with, and what must be in the result of the call.
struct Question {
    ask: &'static str,
    tool: &'static str,
    args: Value,
    found: &'static str,
}

fn eight_questions() -> [Question; 8] {
    let run = "sample-runs/codex-p12";
    let question = |ask, tool, args, found| Question { ask, tool, args, found };
    [
        question("Which runs are there?", "runs", json!({}), "single-shot"),
        question(
            "What does the first step of turn 42 do?",
            "step",
            json!({"place": format!("{run}:42.1")}),
            "\"kind\"",
        ),
        question(
            "What did turn 46 change in the losses?",
            "diff",
            json!({"run": run, "turn": 46, "path": "**/loss*.py"}),
            "+++ b/",
        ),
        question(
            "Where is CosineSchedule mentioned?",
            "find",
            json!({"words": "CosineSchedule", "run": run, "max_per_run": 5}),
            "CosineSchedule",
        ),
        question(
            "How eroded is the code at the end?",
            "score",
            json!({"run": run}),
            "0.4452628553245055",
        ),
        question(
            "Which components are wrong?",
            "verdicts",
            json!({"run": run, "max_level": 1}),
            "\"Wrong\"",
        ),
        question("When was the cosine schedule lost?", "losses", json!({"run": run}), "C10"),
        question(
            "Which tools were called most?",
            "sql",
            json!({"query": "select source_uri, tool, count(*) as n from steps where tool is not null group by tool order by n desc", "run": run}),
            "\"n\"",
        ),
    ]
}

/// The text of the first result of the tool in what an agent prints as lines of JSON.
fn tool_result(printed: &str) -> Option<String> {
    fn text_with_total(value: &Value) -> Option<String> {
        match value {
            Value::String(text) => text.contains("\"total\":").then(|| text.clone()),
            Value::Array(items) => items.iter().find_map(text_with_total),
            Value::Object(fields) => fields.values().find_map(text_with_total),
            _ => None,
        }
    }
    let lines = printed.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.into_iter().find_map(|line| text_with_total(&line))
}

/// Every text that a field of this name has.
fn texts_of_field(value: &Value, name: &str, texts: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| texts_of_field(item, name, texts)),
        Value::Object(fields) => {
            texts.extend(fields.get(name).and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| texts_of_field(value, name, texts));
        }
        _ => {}
    }
}

/// Asks all questions. `ask` runs the agent with a prompt and returns what it prints.
fn ask_all(agent: &str, ask: impl Fn(&str) -> String) {
    let before = files_of_samples();
    for Question { ask: prompt, tool, found, .. } in eight_questions() {
        let printed = ask(prompt);
        let result = tool_result(&printed);
        let result = result.unwrap_or_else(|| panic!("{agent}, {tool}: no answer in {printed}"));
        assert!(result.contains(found), "{agent}, {tool}: {result}");
        let answer: Value = serde_json::from_str(&result).unwrap();
        let mut places = vec![];
        texts_of_field(&answer, "place", &mut places);
        texts_of_field(&answer, "run", &mut places);
        assert!(!places.is_empty(), "{agent}, {tool}: {result}");
        places.sort();
        places.dedup();
        places.iter().take(3).for_each(|place| {
            cli_text(&[place, "--snapshot", "80x24"]);
        });
    }
    assert!(before == files_of_samples(), "{agent}: a file of the samples has changed");
}

/// The sizes and times of the files of the samples.
fn files_of_samples() -> BTreeMap<PathBuf, (u64, std::time::SystemTime)> {
    fn add_files(folder: &Path, files: &mut BTreeMap<PathBuf, (u64, std::time::SystemTime)>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let facts = entry.metadata().unwrap();
            match facts.is_dir() {
                true => add_files(&entry.path(), files),
                false => {
                    files.insert(entry.path(), (facts.len(), facts.modified().unwrap()));
                }
            }
        }
    }
    let mut files = BTreeMap::new();
    add_files(&project_path("sample-runs"), &mut files);
    files
}

/// What an agent prints, which must end well.
fn printed_by(command: &mut Command) -> String {
    let output =
        command.current_dir(project_path(".")).env("TRAJVIEW_CONFIG", "").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}\n{printed}");
    printed
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn claude_code_answers_eight_questions_with_places_that_open() {
    let program = npm_program("@anthropic-ai/claude-code-linux-x64/claude");
    let desk = tempfile::tempdir().unwrap();
    let at = |name: &str| desk.path().join(name);
    let turns = eight_questions().into_iter().zip(1..).map(|(it, id)| {
        let call = json!({"op": "raw", "name": format!("mcp__trajview__{}", it.tool), "args": it.args, "else": "true"});
        json!({"id": id, "prompt": it.ask, "steps": [{"ops": [call]}, {"say": "Done."}]})
    });
    let script = json!({"name": "asking", "turns": turns.collect::<Vec<_>>()});
    fs::write(at("script.json"), script.to_string()).unwrap();
    let (_server, url) = start_server(&at("script.json"), &project_path("."), &at("port"), "tools");
    let server = json!({
        "command": env!("CARGO_BIN_EXE_trajview"), "args": ["mcp", "sample-runs"], "alwaysLoad": true,
    });
    fs::write(at("mcp.json"), json!({"mcpServers": {"trajview": server}}).to_string()).unwrap();

    ask_all("claude", |prompt| {
        let mut command = Command::new(&program);
        command
            .args(["-p", prompt, "--output-format", "stream-json", "--verbose"])
            .args(["--model", "gpt-4.1", "--strict-mcp-config", "--mcp-config"])
            .arg(at("mcp.json"))
            .args(["--permission-mode", "dontAsk", "--allowedTools", "mcp__trajview"])
            .env("CLAUDE_CONFIG_DIR", at("claude"))
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("ANTHROPIC_BASE_URL", &url)
            .env("ANTHROPIC_API_KEY", "not-a-secret");
        printed_by(&mut command)
    });
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_CLI and python3"]
fn codex_answers_eight_questions_with_places_that_open() {
    let program = npm_program("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");
    let desk = tempfile::tempdir().unwrap();
    let at = |name: &str| desk.path().join(name);
    let calls =
        eight_questions().map(|it| json!({"ask": it.ask, "tool": it.tool, "args": it.args}));
    fs::write(at("calls.json"), json!(calls).to_string()).unwrap();
    let mut server = Command::new("python3")
        .arg(project_path("tests/agents/codex_calls.py"))
        .args([at("port"), at("calls.json")])
        .spawn()
        .unwrap();
    crate::live::wait_for("the port of the server", || {
        fs::read_to_string(at("port")).is_ok_and(|port| !port.is_empty())
    });
    let port = fs::read_to_string(at("port")).unwrap();
    let trajview = env!("CARGO_BIN_EXE_trajview");
    let settings = format!(
        "model = \"gpt-4.1\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n\
         wire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\n[analytics]\nenabled = false\n\
         [features]\nplugins = false\nremote_plugin = false\napps = false\n\
         [mcp_servers.trajview]\ncommand = \"{trajview}\"\nargs = [\"mcp\", \"sample-runs\"]\n"
    );
    fs::create_dir(at("codex")).unwrap();
    fs::write(at("codex/config.toml"), settings).unwrap();

    ask_all("codex", |prompt| {
        let mut command = Command::new(&program);
        command
            .args(["exec", "--json", "--skip-git-repo-check", "-s", "read-only", prompt])
            .env("CODEX_HOME", at("codex"))
            .env("OPENAI_API_KEY", "not-a-secret")
            .stdin(std::process::Stdio::null());
        printed_by(&mut command)
    });
    server.kill().unwrap();
    server.wait().unwrap();
}
