//! Qwen Code: `qwen -o stream-json`, one process a turn, the session resumed by an id that we choose.
//!
//! Its output has Claude Code's form; the usage of a turn is reported as the sum of its session.

use serde_json::{Value, json};

use trajview_run::Tokens;

use super::{
    agent_output::{AgentOutput, OutputFormat, ReportedAmount, count_at, string_at, text_at},
    claude,
    driver::{
        AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, SessionNaming, lacks_model,
    },
};

pub(super) fn driver() -> Driver {
    Driver {
        summary: "Qwen Code: `qwen -o stream-json --yolo`, a process a turn, its session resumed",
        install_command: "npm install -g @qwen-code/qwen-code",
        key_variable: Some("OPENAI_API_KEY".into()),
        server_variable: Some(("OPENAI_BASE_URL", "/v1")),
        settings_files: |_, run_folders| {
            let settings = json!({
                "security": {"auth": {"selectedType": "openai"}},
                "privacy": {"usageStatisticsEnabled": false},
                "telemetry": {"enabled": false},
                "general": {"disableAutoUpdate": true, "disableUpdateNag": true, "enableAutoUpdate": false},
            });
            vec![(run_folders.home().join(".qwen/settings.json"), format!("{settings:#}\n"))]
        },
        output: OutputFormat::JsonLines(read_event),
        log_files: |_, run_folders| {
            vec![LogFiles::flat(run_folders.home().join(".qwen/projects"), "**/chats/*.jsonl")]
        },
        session_naming: SessionNaming::Chosen,
        setup_problem: lacks_model,
        ..Driver::new("qwen", request_command)
    }
}

fn request_command(driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    let mut args = ask.session_options().to_vec();
    args.extend(ask.model_option("-m"));
    // Without a person nobody can confirm actions: the only alternative would be to do nothing.
    args.extend(["--auth-type", "openai", "-o", "stream-json", "--yolo", "--chat-recording"]);
    driver.command_with_setup_args(ask, args, RequestInput::Prompt)
}

/// Reads one line of the output.
fn read_event(value: &Value, parsed: &mut AgentOutput) {
    match text_at(value, "/type").unwrap_or_default() {
        "system" if text_at(value, "/subtype") == Some("init") => {
            parsed.session = string_at(value, "/session_id");
            parsed.version = string_at(value, "/qwen_code_version");
            parsed.model = string_at(value, "/model");
        }
        "assistant" => claude::read_message_blocks(value, parsed),
        "result" => {
            claude::read_turn_outcome(value, parsed);
            let cached = count_at(value, "/usage/cache_read_input_tokens");
            parsed.tokens = ReportedAmount::Session(Tokens {
                input: count_at(value, "/usage/input_tokens"),
                cached_input: cached,
                output: count_at(value, "/usage/output_tokens"),
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
    fn what_the_session_used_so_far_and_what_was_denied_is_heard() {
        let lines = [
            r#"{"type":"system","subtype":"init","session_id":"s","model":"m"}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"I'll look."}]}}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"usage":{"input_tokens":4,"output_tokens":2,"cache_read_input_tokens":1},"permission_denials":[{"tool_name":"edit","tool_input":{"file_path":"a.py"}}]}"#,
        ];
        let parsed = parse_lines(&OutputFormat::JsonLines(read_event), &lines);
        assert_eq!(parsed.session.as_deref(), Some("s"));
        assert_eq!(
            (parsed.denied, parsed.messages),
            (vec!["edit a.py".to_owned()], vec!["I'll look.".to_owned()])
        );
        assert!(matches!(parsed.tokens, ReportedAmount::Session(Tokens { input: Some(4), .. })));
        assert_eq!(parsed.failed, None);
    }
}
