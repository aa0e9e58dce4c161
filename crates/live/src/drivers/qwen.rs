//! Qwen Code: `qwen -o stream-json`, one process a turn, the session resumed by an id that we choose.
//!
//! Its output has Claude Code's form; the usage of a turn is reported as the sum of its session.

use std::path::PathBuf;

use serde_json::Value;

use trajview_run::Tokens;

use super::{
    super::{run_folders::RunFolders, setup::RunSetup},
    agent_output::{AgentOutput, JsonLines, OutputReader, ReportedAmount, count_at, text_at},
    claude,
    driver::{
        AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, RewindMethod, SessionNaming,
    },
};

#[derive(Debug)]
pub struct QwenDriver;

impl Driver for QwenDriver {
    fn name(&self) -> &str {
        "qwen"
    }

    fn summary_line(&self) -> &str {
        "Qwen Code: `qwen -o stream-json --yolo`, a process a turn, its session resumed"
    }

    fn program_name(&self) -> &str {
        "qwen"
    }

    fn install_command(&self) -> &'static str {
        "npm install -g @qwen-code/qwen-code"
    }

    fn key_variable(&self) -> Option<&str> {
        Some("OPENAI_API_KEY")
    }

    fn environment_variables(
        &self,
        setup: &RunSetup,
        _stage: &RunFolders,
    ) -> Vec<(String, String)> {
        let server =
            setup.server_url().map(|url| ("OPENAI_BASE_URL".to_owned(), format!("{url}/v1")));
        server.into_iter().collect()
    }

    fn settings_files(
        &self,
        _setup: &RunSetup,
        run_folders: &RunFolders,
    ) -> Vec<(PathBuf, String)> {
        let settings = serde_json::json!({
            "security": {"auth": {"selectedType": "openai"}},
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "general": {"disableAutoUpdate": true, "disableUpdateNag": true, "enableAutoUpdate": false},
        });
        vec![(run_folders.home().join(".qwen/settings.json"), format!("{settings:#}\n"))]
    }

    fn request_command(&self, ask: &AgentRequest<'_>) -> AgentCommand {
        let mut args = match ask.session {
            Some(session) => vec!["--resume", session],
            None => vec!["--session-id", ask.fresh],
        };
        if let Some(model) = &ask.setup.provider.model {
            args.extend(["-m", model]);
        }
        // Without a person nobody can confirm actions: the only alternative would be to do nothing.
        args.extend(["--auth-type", "openai", "-o", "stream-json", "--yolo", "--chat-recording"]);
        AgentCommand::for_driver(self, ask, args, RequestInput::Prompt)
    }

    fn output_reader(&self) -> Box<dyn OutputReader> {
        Box::new(JsonLines(read_event))
    }

    fn log_files(&self, run_folders: &RunFolders) -> Vec<LogFiles> {
        let pattern = "**/chats/*.jsonl".to_owned();
        vec![LogFiles { folder: run_folders.home().join(".qwen/projects"), pattern, is_flat: true }]
    }

    fn session_naming(&self) -> SessionNaming {
        SessionNaming::Chosen
    }

    fn rewind_method(&self) -> RewindMethod {
        RewindMethod::Logs
    }

    fn setup_problem(&self, setup: &RunSetup) -> Option<String> {
        setup.provider.model.is_none().then(|| "needs the name of a model: --model NAME".into())
    }
}

/// Reads one line of the output.
fn read_event(value: &Value, parsed: &mut AgentOutput) {
    match text_at(value, "/type").unwrap_or_default() {
        "system" if text_at(value, "/subtype") == Some("init") => {
            parsed.session = text_at(value, "/session_id").map(str::to_owned);
            parsed.version = text_at(value, "/qwen_code_version").map(str::to_owned);
            parsed.model = text_at(value, "/model").map(str::to_owned);
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
    use super::{super::agent_output::OutputStream, *};

    #[test]
    fn what_the_session_used_so_far_and_what_was_denied_is_heard() {
        let mut parsed = AgentOutput::default();
        for line in [
            r#"{"type":"system","subtype":"init","session_id":"s","model":"m"}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"I'll look."}]}}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"usage":{"input_tokens":4,"output_tokens":2,"cache_read_input_tokens":1},"permission_denials":[{"tool_name":"edit","tool_input":{"file_path":"a.py"}}]}"#,
        ] {
            JsonLines(super::read_event).read_line(line, OutputStream::Output, &mut parsed);
        }
        assert_eq!(parsed.session.as_deref(), Some("s"));
        assert_eq!(
            (parsed.denied, parsed.messages),
            (vec!["edit a.py".to_owned()], vec!["I'll look.".to_owned()])
        );
        assert!(matches!(parsed.tokens, ReportedAmount::Session(Tokens { input: Some(4), .. })));
        assert_eq!(parsed.failed, None);
    }
}
