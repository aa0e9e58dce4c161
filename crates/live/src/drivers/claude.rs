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
    agent_output::{AgentOutput, OutputFormat, ReportedAmount, count_at, string_at, text_at},
    claude_tui,
    driver::{
        AgentCommand, AgentRequest, AgentSettingsFile, Driver, LogFiles, RequestInput,
        SessionNaming, hook_settings,
    },
};

pub(super) const KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";

/// The name of our MCP server in its settings.
const SERVER_NAME: &str = "trajview";

/// The name of our tool in its list of allowed tools.
const SEARCH_TOOL: &str = ",mcp__trajview__search_project_state";

/// Its tools that touch files.
const FILE_TOOLS: &str = "Read|Edit|MultiEdit|Write|NotebookEdit|Bash";

pub(super) fn driver() -> Driver {
    Driver {
        summary: "Claude Code: `claude -p` with stream-json, a process a turn, its session resumed",
        install_command: "npm install -g @anthropic-ai/claude-code",
        key_variable: Some(KEY_VARIABLE.into()),
        variables: &[
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            // A turn is over when its process is: what goes on behind it would not be recorded.
            ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ],
        server_variable: Some(("ANTHROPIC_BASE_URL", "")),
        run_variables,
        settings_files,
        login_files: |run_folders| {
            vec![(
                ".claude/.credentials.json",
                config_folder(run_folders).join(".credentials.json"),
            )]
        },
        output: OutputFormat::JsonLines(read_event),
        log_files,
        session_naming: SessionNaming::Chosen,
        in_terminal: Some(claude_tui::driver),
        supported_offers: DeliveryOffers { search: true, calls: true },
        ..Driver::new("claude", request_command)
    }
}

pub(super) fn config_folder(run_folders: &RunFolders) -> PathBuf {
    run_folders.agent_folder().join("claude")
}

fn mcp_config_file(run_folders: &RunFolders) -> PathBuf {
    run_folders.agent_folder().join("claude-mcp.json")
}

fn run_variables(setup: &RunSetup, run_folders: &RunFolders) -> Vec<(String, String)> {
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let mut all = vec![
        ("CLAUDE_CONFIG_DIR".to_owned(), text(config_folder(run_folders))),
        ("CLAUDE_CODE_TMPDIR".to_owned(), text(run_folders.root().join("tmp"))),
    ];
    if setup.permissions == Permissions::Full {
        // It refuses to skip its checks for root unless this variable says that it is in a sandbox.
        all.push(("IS_SANDBOX".to_owned(), "1".to_owned()));
    }
    all
}

/// Returns the settings of our MCP server and of the hooks.
pub(super) fn settings_files(
    _setup: &RunSetup,
    run_folders: &RunFolders,
) -> Vec<AgentSettingsFile> {
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
        let path = config_folder(run_folders).join("settings.json");
        files.push((path, hook_settings(deliveries, Some(FILE_TOOLS))));
    }
    files
}

fn log_files(_setup: &RunSetup, run_folders: &RunFolders) -> Vec<LogFiles> {
    // The folder below `projects` is named after the workspace.
    let is_kept = |c: char| c.is_ascii_alphanumeric();
    let workspace = run_folders.workspace().to_string_lossy().into_owned();
    let name: String = workspace.chars().map(|c| if is_kept(c) { c } else { '-' }).collect();
    let folder = config_folder(run_folders).join("projects").join(name);
    vec![LogFiles { folder, pattern: "**/*.jsonl".into(), is_flat: false }]
}

fn request_command(driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    let mut args = vec!["-p"];
    args.extend(ask.session_options());
    args.extend(["--output-format", "stream-json", "--verbose"]);
    command_with_tools(driver, ask, &args, RequestInput::Prompt)
}

/// Builds a command with these arguments first; permissions, model and our tools follow.
pub(super) fn command_with_tools(
    driver: &Driver,
    ask: &AgentRequest<'_>,
    first: &[&str],
    input: RequestInput,
) -> AgentCommand {
    let mut args = first.to_vec();
    let mcp_config = mcp_config_file(ask.run_folders);
    let mcp_config = mcp_config.to_string_lossy();
    let searches = ask.run_folders.layer_access.as_ref().is_some_and(|it| it.offers.search);
    let tools = format!("Bash,Edit,Write,Read{}", if searches { SEARCH_TOOL } else { "" });
    match ask.setup.permissions {
        Permissions::Workspace => {
            args.extend(["--permission-mode", "acceptEdits", "--allowedTools", &tools]);
        }
        Permissions::Full => args.push("--dangerously-skip-permissions"),
    }
    args.extend(ask.model_option("--model"));
    if searches {
        args.extend(["--mcp-config", &mcp_config]);
    }
    driver.command_with_setup_args(ask, args, input)
}

/// Reads one line of the output.
fn read_event(value: &Value, parsed: &mut AgentOutput) {
    match text_at(value, "/type").unwrap_or_default() {
        "system" if text_at(value, "/subtype") == Some("init") => {
            parsed.session = string_at(value, "/session_id");
            parsed.version = string_at(value, "/claude_code_version");
            parsed.model = string_at(value, "/model");
        }
        "system" if text_at(value, "/subtype") == Some("api_retry") => {
            parsed.add_trouble(&format!(
                "the model's server failed ({}); retrying",
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
    parsed.tokens.add_to_turn(Tokens {
        input: all.iter().any(Option::is_some).then(|| all.iter().flatten().sum()),
        cached_input: cached,
        output: part("output_tokens"),
        cache_write: part("cache_creation_input_tokens"),
        cache_write_1h: part("cache_creation/ephemeral_1h_input_tokens"),
        ..Tokens::default()
    });
    if let Some(cost) = value.get("total_cost_usd").and_then(Value::as_f64) {
        parsed.cost = if is_session_cost(parsed.version.as_deref()) {
            ReportedAmount::Session(cost)
        } else {
            ReportedAmount::Turn(cost)
        };
    }
}

/// Returns whether the cost is that of the resumed session: it is so since some version after 2.1.250, and that of the
/// process before.
fn is_session_cost(version: Option<&str>) -> bool {
    let parts: Vec<u32> =
        version.unwrap_or_default().split('.').filter_map(|part| part.parse().ok()).collect();
    parts.as_slice() > [2, 1, 250].as_slice()
}

#[cfg(test)]
mod tests {
    use super::{super::agent_output::tests::parse_lines, *};

    const FORMAT: OutputFormat = OutputFormat::JsonLines(read_event);

    #[test]
    fn what_was_denied_and_what_it_cost_are_heard() {
        let parsed = parse_lines(
            &FORMAT,
            &[
                r#"{"type":"system","subtype":"init","session_id":"s","claude_code_version":"2.1.330","model":"m"}"#,
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"ls"}}],"usage":{"output_tokens":1}}}"#,
                r#"{"type":"result","subtype":"success","is_error":false,"result":"ok","total_cost_usd":0.02,"usage":{"input_tokens":1,"cache_read_input_tokens":5,"output_tokens":7},"permission_denials":[{"tool_name":"Bash","tool_input":{"command":"rm x"}}]}"#,
                r#"{"type":"result","subtype":"success","is_error":false,"total_cost_usd":0.03,"usage":{"input_tokens":1,"cache_read_input_tokens":0,"output_tokens":1}}"#,
            ],
        );
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
        assert_eq!(parse_lines(&FORMAT, &[line]).failed.as_deref(), Some("API Error: 529"));
        assert!(!is_session_cost(Some("2.1.250")) && is_session_cost(Some("2.1.330")));
        assert!(!is_session_cost(Some("1.0.128")) && !is_session_cost(None));
    }
}
