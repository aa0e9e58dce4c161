//! Gemini CLI: `gemini -o stream-json`, one process a turn, the session resumed by an id that we choose.
//!
//! Its own guard keeps its editing tools from build files such as `pyproject.toml`, whatever it is allowed.

use serde_json::{Value, json};

use trajview_run::Tokens;

use super::{
    agent_output::{AgentOutput, OutputFormat, ReportedAmount, count_at, string_at, text_at},
    driver::{AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, SessionNaming},
    gemini_tui,
};

pub(super) fn driver() -> Driver {
    Driver {
        summary: "Gemini CLI: `gemini -o stream-json --yolo`, a process a turn, its session resumed",
        install_command: "npm install -g @google/gemini-cli",
        key_variable: Some("GEMINI_API_KEY".into()),
        variables: &[("GEMINI_CLI_TRUST_WORKSPACE", "true")],
        server_variable: Some(("GOOGLE_GEMINI_BASE_URL", "")),
        settings_files: |_, run_folders| {
            let settings = json!({
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "privacy": {"usageStatisticsEnabled": false},
                "telemetry": {"enabled": false},
                "general": {"disableAutoUpdate": true, "disableUpdateNag": true},
            });
            vec![(run_folders.home().join(".gemini/settings.json"), format!("{settings:#}\n"))]
        },
        output: OutputFormat::JsonLines(read_event),
        log_files: |_, run_folders| {
            vec![LogFiles::flat(run_folders.home().join(".gemini/tmp"), "**/chats/*.jsonl")]
        },
        session_naming: SessionNaming::Chosen,
        in_terminal: Some(gemini_tui::driver),
        ..Driver::new("gemini", request_command)
    }
}

fn request_command(driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    let mut args = ask.session_options().to_vec();
    args.extend(ask.model_option("-m"));
    // Without a person nobody can confirm actions: the only alternative would be to do nothing.
    args.extend(["-o", "stream-json", "--yolo"]);
    driver.command_with_setup_args(ask, args, RequestInput::Prompt)
}

/// Reads one line of the output.
fn read_event(value: &Value, parsed: &mut AgentOutput) {
    let words = |pointer| text_at(value, pointer).unwrap_or_default();
    match words("/type") {
        "init" => {
            parsed.session = string_at(value, "/session_id");
            parsed.model = string_at(value, "/model");
        }
        "message" if words("/role") == "assistant" => parsed.add_message(words("/content")),
        "tool_use" => {
            let of = ["/parameters/command", "/parameters/file_path", "/parameters/absolute_path"];
            let of = of.iter().find_map(|pointer| text_at(value, pointer)).unwrap_or_default();
            parsed.add_message(format!("{} {of}", words("/tool_name")).trim_end());
        }
        "tool_result" if words("/error/type") == "policy_violation" => {
            parsed.add_denial(words("/error/message"));
        }
        "tool_result" => parsed.add_command_output(words("/output")),
        "result" => {
            if words("/status") == "error" {
                parsed.set_failure(text_at(value, "/error/message").unwrap_or("the turn failed"));
            }
            parsed.tokens = ReportedAmount::Turn(Tokens {
                input: count_at(value, "/stats/input_tokens"),
                cached_input: count_at(value, "/stats/cached"),
                output: count_at(value, "/stats/output_tokens"),
                ..Tokens::default()
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{super::agent_output::tests::parse_lines, *};

    #[test]
    fn what_a_turn_used_and_was_denied_is_heard() {
        let lines = [
            r#"{"type":"init","session_id":"s","model":"m"}"#,
            r#"{"type":"tool_result","tool_id":"1","status":"error","error":{"type":"policy_violation","message":"pyproject.toml is protected"}}"#,
            r#"{"type":"result","status":"success","stats":{"input_tokens":4,"output_tokens":2,"cached":1}}"#,
        ];
        let parsed = parse_lines(&OutputFormat::JsonLines(read_event), &lines);
        assert_eq!(parsed.session.as_deref(), Some("s"));
        assert_eq!(parsed.denied, ["pyproject.toml is protected"]);
        assert!(matches!(parsed.tokens, ReportedAmount::Turn(Tokens { input: Some(4), .. })));
        assert_eq!(parsed.failed, None);
    }
}
