//! Claude Code: `claude -p` with stream-json, one process a turn, the session resumed by an id that we choose.
//!
//! It exits with 0 and `success` where tools were denied, and lists them; and with `success` and `is_error` where its model
//! could not be reached. One prompt may have two results, where a background agent ended later.

use std::path::PathBuf;

use serde_json::{Value, json};

use trajview_layers::Offers;
use trajview_run::Tokens;

use super::{
    super::{
        setup::{Permissions, Setup},
        stage::Stage,
    },
    agent_output::{AgentOutput, Amount, JsonLines, Reader, count, text},
    claude_tui::ClaudeTui,
    driver::{Ask, Call, Driver, Input, Logs, Naming, Rewind, hooks},
    own_screen::InOwnScreen,
};

#[derive(Debug)]
pub struct Claude;

pub(super) fn home(stage: &Stage) -> PathBuf {
    stage.agent().join("claude")
}

/// What it calls our server.
const NAME: &str = "trajview";

/// Its name of our tool, as one more of those that it may use.
const SEARCH: &str = ",mcp__trajview__search_project_state";

/// Its tools that touch files.
const TOUCHING: &str = "Read|Edit|MultiEdit|Write|NotebookEdit|Bash";

fn mcp_config(stage: &Stage) -> PathBuf {
    stage.agent().join("claude-mcp.json")
}

impl Driver for Claude {
    fn name(&self) -> &str {
        "claude"
    }

    fn about(&self) -> &str {
        "Claude Code: `claude -p` with stream-json, a process a turn, its session resumed"
    }

    fn program(&self) -> &str {
        "claude"
    }

    fn install(&self) -> &'static str {
        "npm install -g @anthropic-ai/claude-code"
    }

    fn key_variable(&self) -> Option<&str> {
        Some("ANTHROPIC_API_KEY")
    }

    fn environment(&self, setup: &Setup, stage: &Stage) -> Vec<(String, String)> {
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let mut all = vec![
            ("CLAUDE_CONFIG_DIR".to_owned(), text(home(stage))),
            ("CLAUDE_CODE_TMPDIR".to_owned(), text(stage.root().join("tmp"))),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC".to_owned(), "1".to_owned()),
            // A turn is over when its process is: what goes on behind it would not be recorded.
            ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS".to_owned(), "1".to_owned()),
            ("DISABLE_AUTOUPDATER".to_owned(), "1".to_owned()),
        ];
        all.extend(setup.server().map(|url| ("ANTHROPIC_BASE_URL".to_owned(), url.to_owned())));
        if setup.permissions == Permissions::Full {
            // It refuses to skip its checks for root unless it is told that this is a sandbox.
            all.push(("IS_SANDBOX".to_owned(), "1".to_owned()));
        }
        all
    }

    /// The tools of our server, and the hooks.
    fn files(&self, _setup: &Setup, stage: &Stage) -> Vec<(PathBuf, String)> {
        let Some(deliveries) = &stage.deliveries else { return vec![] };
        let mut files = vec![];
        if deliveries.offers.search {
            // Else its model would have to search for the tool before it sees it.
            let server = json!({
                "command": deliveries.program, "args": deliveries.words("mcp"), "alwaysLoad": true,
            });
            let config = json!({"mcpServers": {NAME: server}});
            files.push((mcp_config(stage), format!("{config:#}\n")));
        }
        if deliveries.offers.calls {
            files.push((home(stage).join("settings.json"), hooks(deliveries, Some(TOUCHING))));
        }
        files
    }

    fn logins(&self, stage: &Stage) -> Vec<(&'static str, PathBuf)> {
        vec![(".claude/.credentials.json", home(stage).join(".credentials.json"))]
    }

    fn takes(&self) -> Offers {
        Offers { search: true, calls: true }
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let mut args = vec!["-p"];
        match ask.session {
            Some(session) => args.extend(["--resume", session]),
            None => args.extend(["--session-id", ask.fresh]),
        }
        args.extend(["--output-format", "stream-json", "--verbose"]);
        Self::call_with(ask, &args, Input::Prompt)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(JsonLines(line))
    }

    fn logs(&self, stage: &Stage) -> Vec<Logs> {
        // The folder below `projects` is named after the workspace.
        let is_kept = |c: char| c.is_ascii_alphanumeric();
        let workspace = stage.workspace().to_string_lossy().into_owned();
        let name: String = workspace.chars().map(|c| if is_kept(c) { c } else { '-' }).collect();
        let folder = home(stage).join("projects").join(name);
        vec![Logs { folder, pattern: "**/*.jsonl".into(), is_flat: false }]
    }

    fn in_terminal(&self) -> Option<Box<dyn Driver>> {
        Some(Box::new(InOwnScreen(ClaudeTui)))
    }

    fn naming(&self) -> Naming {
        Naming::Chosen
    }

    fn rewind(&self) -> Rewind {
        Rewind::Logs
    }
}

impl Claude {
    /// A call with these words first: what it may do, its model and our tools follow.
    pub(super) fn call_with(ask: &Ask<'_>, first: &[&str], input: Input) -> Call {
        let mcp_config = mcp_config(ask.stage).to_string_lossy().into_owned();
        let searches = ask.stage.deliveries.as_ref().is_some_and(|it| it.offers.search);
        let tools = format!("Bash,Edit,Write,Read{}", if searches { SEARCH } else { "" });
        let mut args = first.to_vec();
        match ask.setup.permissions {
            Permissions::Workspace => {
                args.extend(["--permission-mode", "acceptEdits"]);
                args.extend(["--allowedTools", &tools]);
            }
            Permissions::Full => args.push("--dangerously-skip-permissions"),
        }
        if let Some(model) = &ask.setup.provider.model {
            args.extend(["--model", model]);
        }
        if searches {
            args.extend(["--mcp-config", &mcp_config]);
        }
        Call::of(&Self, ask, args, input)
    }
}

/// Reads one line.
fn line(value: &Value, heard: &mut AgentOutput) {
    match text(value, "/type").unwrap_or_default() {
        "system" if text(value, "/subtype") == Some("init") => {
            heard.session = text(value, "/session_id").map(str::to_owned);
            heard.version = text(value, "/claude_code_version").map(str::to_owned);
            heard.model = text(value, "/model").map(str::to_owned);
        }
        "system" if text(value, "/subtype") == Some("api_retry") => {
            heard.trouble(&format!(
                "the model's server failed ({}) and is asked again",
                text(value, "/error").unwrap_or("no reason given")
            ));
        }
        "assistant" => said(value, heard),
        "user" => printed(value, heard),
        "result" => result(value, heard),
        _ => {}
    }
}

/// What the blocks of a message say and do.
pub(super) fn said(value: &Value, heard: &mut AgentOutput) {
    let blocks = value.pointer("/message/content").and_then(Value::as_array);
    for block in blocks.into_iter().flatten() {
        let words = |pointer| text(block, pointer);
        match words("/type") {
            Some("text") => heard.say(words("/text").unwrap_or_default()),
            Some("tool_use") => {
                let of = words("/input/command").or(words("/input/file_path")).unwrap_or_default();
                heard.say(&format!("{} {of}", words("/name").unwrap_or("tool")));
            }
            _ => {}
        }
    }
}

/// What a command printed, or why a tool failed.
fn printed(value: &Value, heard: &mut AgentOutput) {
    match value.get("tool_use_result") {
        Some(Value::String(error)) => heard.show_output(error),
        Some(result) => {
            for part in ["/stdout", "/stderr"] {
                heard.show_output(text(result, part).unwrap_or_default());
            }
        }
        None => {}
    }
}

/// Whether the turn failed, and what it was denied.
pub(super) fn ended(value: &Value, heard: &mut AgentOutput) {
    let is_error = value.get("is_error").and_then(Value::as_bool) == Some(true);
    let subtype = text(value, "/subtype").unwrap_or_default();
    if is_error || subtype.starts_with("error") {
        heard.fail(text(value, "/result").filter(|it| !it.is_empty()).unwrap_or(subtype));
    }
    let denials = value.get("permission_denials").and_then(Value::as_array);
    for denial in denials.into_iter().flatten() {
        let tool = text(denial, "/tool_name").unwrap_or("a tool");
        let of = text(denial, "/tool_input/command").or(text(denial, "/tool_input/file_path"));
        heard.deny(&format!("{tool} {}", of.unwrap_or_default()));
    }
}

fn result(value: &Value, heard: &mut AgentOutput) {
    ended(value, heard);
    let part = |name: &str| count(value, &format!("/usage/{name}"));
    let cached = part("cache_read_input_tokens");
    let all = [part("input_tokens"), part("cache_creation_input_tokens"), cached];
    let now = Tokens {
        input: all.iter().any(Option::is_some).then(|| all.iter().flatten().sum()),
        cached_input: cached,
        output: part("output_tokens"),
        cache_write: part("cache_creation_input_tokens"),
        cache_write_1h: part("cache_creation/ephemeral_1h_input_tokens"),
        ..Tokens::default()
    };
    let before = if let Amount::Turn(before) = heard.tokens { before } else { Tokens::default() };
    heard.tokens = Amount::Turn(before + now);
    if let Some(cost) = value.get("total_cost_usd").and_then(Value::as_f64) {
        heard.cost = if counts_the_session(heard.version.as_deref()) {
            Amount::Session(cost)
        } else {
            Amount::Turn(cost)
        };
    }
}

/// From some version after 2.1.250 on the cost is that of the resumed session, before that of the process.
fn counts_the_session(version: Option<&str>) -> bool {
    let parts: Vec<u32> =
        version.unwrap_or_default().split('.').filter_map(|part| part.parse().ok()).collect();
    parts.as_slice() > [2, 1, 250].as_slice()
}

#[cfg(test)]
mod tests {
    use super::{super::agent_output::Stream, *};

    fn heard(lines: &[&str]) -> AgentOutput {
        let mut heard = AgentOutput::default();
        lines.iter().for_each(|line| JsonLines(super::line).line(line, Stream::Output, &mut heard));
        heard
    }

    #[test]
    fn what_was_denied_and_what_it_cost_are_heard() {
        let heard = heard(&[
            r#"{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.330","model":"m"}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"ls"}}],"usage":{"output_tokens":1}}}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"result":"ok","total_cost_usd":0.02,"usage":{"input_tokens":1,"cache_read_input_tokens":5,"output_tokens":7},"permission_denials":[{"tool_name":"Bash","tool_input":{"command":"rm x"}}]}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"total_cost_usd":0.03,"usage":{"input_tokens":1,"cache_read_input_tokens":0,"output_tokens":1}}"#,
        ]);
        assert_eq!(heard.session.as_deref(), Some("s"));
        assert_eq!(heard.denied, ["Bash rm x"]);
        assert_eq!(heard.cost, Amount::Session(0.03));
        let tokens =
            Tokens { input: Some(7), cached_input: Some(5), output: Some(8), ..Tokens::default() };
        assert_eq!(heard.tokens, Amount::Turn(tokens));
        assert_eq!(heard.failed, None);
    }

    #[test]
    fn success_that_is_an_error_is_one() {
        let line = r#"{"type":"result","subtype":"success","is_error":true,"result":"API Error: 529","api_error_status":529}"#;
        assert_eq!(heard(&[line]).failed.as_deref(), Some("API Error: 529"));
        assert!(!counts_the_session(Some("2.1.250")) && counts_the_session(Some("2.1.330")));
        assert!(!counts_the_session(Some("1.0.128")) && !counts_the_session(None));
    }
}
