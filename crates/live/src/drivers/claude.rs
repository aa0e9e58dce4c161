//! Claude Code: `claude -p` with stream-json, one process a turn, the session resumed by an id that we choose.
//!
//! It exits with 0 and `success` where tools were denied, and lists them; and with `success` and `is_error` where its model
//! could not be reached. One prompt may have two results, where a background agent ended later.

use std::path::PathBuf;

use serde_json::{Value, json};

use trajview_layers::DeliveryOffers;
use trajview_run::Tokens;

use super::{
    super::{
        run_folders::RunFolders,
        setup::{Permissions, RunSetup},
    },
    agent_output::{AgentOutput, JsonLines, OutputReader, ReportedAmount, count_at, text_at},
    claude_tui::ClaudeTui,
    driver::{
        AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, RewindMethod, SessionNaming,
        hook_settings,
    },
    screen_driver::ScreenDriver,
};

#[derive(Debug)]
pub struct ClaudeDriver;

pub(super) fn config_folder(run_folders: &RunFolders) -> PathBuf {
    run_folders.agent_folder().join("claude")
}

/// The name of our MCP server in its settings.
const SERVER_NAME: &str = "trajview";

/// The name of our tool in its list of allowed tools.
const SEARCH_TOOL: &str = ",mcp__trajview__search_project_state";

/// Its tools that touch files.
const FILE_TOOLS: &str = "Read|Edit|MultiEdit|Write|NotebookEdit|Bash";

fn mcp_config_file(run_folders: &RunFolders) -> PathBuf {
    run_folders.agent_folder().join("claude-mcp.json")
}

impl Driver for ClaudeDriver {
    fn name(&self) -> &str {
        "claude"
    }

    fn summary_line(&self) -> &str {
        "Claude Code: `claude -p` with stream-json, a process a turn, its session resumed"
    }

    fn program_name(&self) -> &str {
        "claude"
    }

    fn install_command(&self) -> &'static str {
        "npm install -g @anthropic-ai/claude-code"
    }

    fn key_variable(&self) -> Option<&str> {
        Some("ANTHROPIC_API_KEY")
    }

    fn environment_variables(
        &self,
        setup: &RunSetup,
        run_folders: &RunFolders,
    ) -> Vec<(String, String)> {
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let mut all = vec![
            ("CLAUDE_CONFIG_DIR".to_owned(), text(config_folder(run_folders))),
            ("CLAUDE_CODE_TMPDIR".to_owned(), text(run_folders.root().join("tmp"))),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC".to_owned(), "1".to_owned()),
            // A turn is over when its process is: what goes on behind it would not be recorded.
            ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS".to_owned(), "1".to_owned()),
            ("DISABLE_AUTOUPDATER".to_owned(), "1".to_owned()),
        ];
        all.extend(setup.server_url().map(|url| ("ANTHROPIC_BASE_URL".to_owned(), url.to_owned())));
        if setup.permissions == Permissions::Full {
            // It refuses to skip its checks for root unless this variable says that it is in a sandbox.
            all.push(("IS_SANDBOX".to_owned(), "1".to_owned()));
        }
        all
    }

    /// Adds the settings of our MCP server and of the hooks.
    fn settings_files(
        &self,
        _setup: &RunSetup,
        run_folders: &RunFolders,
    ) -> Vec<(PathBuf, String)> {
        let Some(deliveries) = &run_folders.layer_access else { return vec![] };
        let mut files = vec![];
        if deliveries.offers.search {
            // Else its model would have to search for the tool before it sees it.
            let server = json!({
                "command": deliveries.program, "args": deliveries.command_arguments("mcp"), "alwaysLoad": true,
            });
            let config = json!({"mcpServers": {SERVER_NAME: server}});
            files.push((mcp_config_file(run_folders), format!("{config:#}\n")));
        }
        if deliveries.offers.calls {
            files.push((
                config_folder(run_folders).join("settings.json"),
                hook_settings(deliveries, Some(FILE_TOOLS)),
            ));
        }
        files
    }

    fn login_files(&self, run_folders: &RunFolders) -> Vec<(&'static str, PathBuf)> {
        vec![(".claude/.credentials.json", config_folder(run_folders).join(".credentials.json"))]
    }

    fn supported_offers(&self) -> DeliveryOffers {
        DeliveryOffers { search: true, calls: true }
    }

    fn request_command(&self, ask: &AgentRequest<'_>) -> AgentCommand {
        let mut args = vec!["-p"];
        match ask.session {
            Some(session) => args.extend(["--resume", session]),
            None => args.extend(["--session-id", ask.fresh]),
        }
        args.extend(["--output-format", "stream-json", "--verbose"]);
        Self::call_with(ask, &args, RequestInput::Prompt)
    }

    fn output_reader(&self) -> Box<dyn OutputReader> {
        Box::new(JsonLines(read_event))
    }

    fn log_files(&self, run_folders: &RunFolders) -> Vec<LogFiles> {
        // The folder below `projects` is named after the workspace.
        let is_kept = |c: char| c.is_ascii_alphanumeric();
        let workspace = run_folders.workspace().to_string_lossy().into_owned();
        let name: String = workspace.chars().map(|c| if is_kept(c) { c } else { '-' }).collect();
        let folder = config_folder(run_folders).join("projects").join(name);
        vec![LogFiles { folder, pattern: "**/*.jsonl".into(), is_flat: false }]
    }

    fn in_terminal(&self) -> Option<Box<dyn Driver>> {
        Some(Box::new(ScreenDriver(ClaudeTui)))
    }

    fn session_naming(&self) -> SessionNaming {
        SessionNaming::Chosen
    }

    fn rewind_method(&self) -> RewindMethod {
        RewindMethod::Logs
    }
}

impl ClaudeDriver {
    /// Builds a command with these arguments first; permissions, model and our tools follow.
    pub(super) fn call_with(
        ask: &AgentRequest<'_>,
        first: &[&str],
        input: RequestInput,
    ) -> AgentCommand {
        let mcp_config = mcp_config_file(ask.run_folders).to_string_lossy().into_owned();
        let searches = ask.run_folders.layer_access.as_ref().is_some_and(|it| it.offers.search);
        let tools = format!("Bash,Edit,Write,Read{}", if searches { SEARCH_TOOL } else { "" });
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
        AgentCommand::for_driver(&Self, ask, args, input)
    }
}

/// Reads one line of the output.
fn read_event(value: &Value, parsed: &mut AgentOutput) {
    match text_at(value, "/type").unwrap_or_default() {
        "system" if text_at(value, "/subtype") == Some("init") => {
            parsed.session = text_at(value, "/session_id").map(str::to_owned);
            parsed.version = text_at(value, "/claude_code_version").map(str::to_owned);
            parsed.model = text_at(value, "/model").map(str::to_owned);
        }
        "system" if text_at(value, "/subtype") == Some("api_retry") => {
            parsed.add_trouble(&format!(
                "the model's server failed ({}) and is asked again",
                text_at(value, "/error").unwrap_or("no reason given")
            ));
        }
        "assistant" => read_message_blocks(value, parsed),
        "user" => read_tool_result(value, parsed),
        "result" => read_result(value, parsed),
        _ => {}
    }
}

/// Reads the texts and tool calls of a message.
pub(super) fn read_message_blocks(value: &Value, parsed: &mut AgentOutput) {
    let blocks = value.pointer("/message/content").and_then(Value::as_array);
    for block in blocks.into_iter().flatten() {
        let words = |pointer| text_at(block, pointer);
        match words("/type") {
            Some("text") => parsed.add_message(words("/text").unwrap_or_default()),
            Some("tool_use") => {
                let of = words("/input/command").or(words("/input/file_path")).unwrap_or_default();
                parsed.add_message(&format!("{} {of}", words("/name").unwrap_or("tool")));
            }
            _ => {}
        }
    }
}

/// Reads the result of a tool: the output of a command, or an error.
fn read_tool_result(value: &Value, parsed: &mut AgentOutput) {
    match value.get("tool_use_result") {
        Some(Value::String(error)) => parsed.add_command_output(error),
        Some(result) => {
            for part in ["/stdout", "/stderr"] {
                parsed.add_command_output(text_at(result, part).unwrap_or_default());
            }
        }
        None => {}
    }
}

/// Reads whether the turn failed, and the actions that were denied.
pub(super) fn read_turn_outcome(value: &Value, parsed: &mut AgentOutput) {
    let is_error = value.get("is_error").and_then(Value::as_bool) == Some(true);
    let subtype = text_at(value, "/subtype").unwrap_or_default();
    if is_error || subtype.starts_with("error") {
        parsed
            .set_failure(text_at(value, "/result").filter(|it| !it.is_empty()).unwrap_or(subtype));
    }
    let denials = value.get("permission_denials").and_then(Value::as_array);
    for denial in denials.into_iter().flatten() {
        let tool = text_at(denial, "/tool_name").unwrap_or("a tool");
        let of =
            text_at(denial, "/tool_input/command").or(text_at(denial, "/tool_input/file_path"));
        parsed.add_denial(&format!("{tool} {}", of.unwrap_or_default()));
    }
}

fn read_result(value: &Value, parsed: &mut AgentOutput) {
    read_turn_outcome(value, parsed);
    let part = |name: &str| count_at(value, &format!("/usage/{name}"));
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
    let before =
        if let ReportedAmount::Turn(before) = parsed.tokens { before } else { Tokens::default() };
    parsed.tokens = ReportedAmount::Turn(before + now);
    if let Some(cost) = value.get("total_cost_usd").and_then(Value::as_f64) {
        parsed.cost = if is_session_cost(parsed.version.as_deref()) {
            ReportedAmount::Session(cost)
        } else {
            ReportedAmount::Turn(cost)
        };
    }
}

/// Since some version after 2.1.250 the cost is that of the resumed session, before that of the process.
fn is_session_cost(version: Option<&str>) -> bool {
    let parts: Vec<u32> =
        version.unwrap_or_default().split('.').filter_map(|part| part.parse().ok()).collect();
    parts.as_slice() > [2, 1, 250].as_slice()
}

#[cfg(test)]
mod tests {
    use super::{super::agent_output::OutputStream, *};

    fn parse_lines(lines: &[&str]) -> AgentOutput {
        let mut parsed = AgentOutput::default();
        lines.iter().for_each(|line| {
            JsonLines(super::read_event).read_line(line, OutputStream::Output, &mut parsed)
        });
        parsed
    }

    #[test]
    fn what_was_denied_and_what_it_cost_are_heard() {
        let parsed = parse_lines(&[
            r#"{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.330","model":"m"}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"ls"}}],"usage":{"output_tokens":1}}}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"result":"ok","total_cost_usd":0.02,"usage":{"input_tokens":1,"cache_read_input_tokens":5,"output_tokens":7},"permission_denials":[{"tool_name":"Bash","tool_input":{"command":"rm x"}}]}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"total_cost_usd":0.03,"usage":{"input_tokens":1,"cache_read_input_tokens":0,"output_tokens":1}}"#,
        ]);
        assert_eq!(parsed.session.as_deref(), Some("s"));
        assert_eq!(parsed.denied, ["Bash rm x"]);
        assert_eq!(parsed.cost, ReportedAmount::Session(0.03));
        let tokens =
            Tokens { input: Some(7), cached_input: Some(5), output: Some(8), ..Tokens::default() };
        assert_eq!(parsed.tokens, ReportedAmount::Turn(tokens));
        assert_eq!(parsed.failed, None);
    }

    #[test]
    fn success_that_is_an_error_is_one() {
        let line = r#"{"type":"result","subtype":"success","is_error":true,"result":"API Error: 529","api_error_status":529}"#;
        assert_eq!(parse_lines(&[line]).failed.as_deref(), Some("API Error: 529"));
        assert!(!is_session_cost(Some("2.1.250")) && is_session_cost(Some("2.1.330")));
        assert!(!is_session_cost(Some("1.0.128")) && !is_session_cost(None));
    }
}
