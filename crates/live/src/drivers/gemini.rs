//! Gemini CLI: `gemini -o stream-json`, one process a turn, the session resumed by an id that we choose.
//!
//! Its own guard keeps its editing tools from build files such as `pyproject.toml`, whatever it is allowed.

use serde_json::Value;
use std::path::PathBuf;

use trajview_run::Tokens;

use super::{
    super::{run_folders::RunFolders, setup::RunSetup},
    agent_output::{AgentOutput, JsonLines, OutputReader, ReportedAmount, count_at, text_at},
    driver::{
        AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, RewindMethod, SessionNaming,
    },
    gemini_tui::GeminiTui,
    screen_driver::ScreenDriver,
};

#[derive(Debug)]
pub struct GeminiDriver;

impl Driver for GeminiDriver {
    fn name(&self) -> &str {
        "gemini"
    }

    fn summary_line(&self) -> &str {
        "Gemini CLI: `gemini -o stream-json --yolo`, a process a turn, its session resumed"
    }

    fn program_name(&self) -> &str {
        "gemini"
    }

    fn install_command(&self) -> &'static str {
        "npm install -g @google/gemini-cli"
    }

    fn key_variable(&self) -> Option<&str> {
        Some("GEMINI_API_KEY")
    }

    fn environment_variables(
        &self,
        setup: &RunSetup,
        _stage: &RunFolders,
    ) -> Vec<(String, String)> {
        let mut all = vec![("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "true".to_owned())];
        all.extend(
            setup.server_url().map(|url| ("GOOGLE_GEMINI_BASE_URL".to_owned(), url.to_owned())),
        );
        all
    }

    fn settings_files(
        &self,
        _setup: &RunSetup,
        run_folders: &RunFolders,
    ) -> Vec<(PathBuf, String)> {
        let settings = serde_json::json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "general": {"disableAutoUpdate": true, "disableUpdateNag": true},
        });
        vec![(run_folders.home().join(".gemini/settings.json"), format!("{settings:#}\n"))]
    }

    fn request_command(&self, ask: &AgentRequest<'_>) -> AgentCommand {
        let mut args = vec![];
        match ask.session {
            Some(session) => args.extend(["--resume", session]),
            None => args.extend(["--session-id", ask.fresh]),
        }
        if let Some(model) = &ask.setup.provider.model {
            args.extend(["-m", model]);
        }
        // Without a person nobody can confirm actions: the only alternative would be to do nothing.
        args.extend(["-o", "stream-json", "--yolo"]);
        AgentCommand::for_driver(self, ask, args, RequestInput::Prompt)
    }

    fn output_reader(&self) -> Box<dyn OutputReader> {
        Box::new(JsonLines(read_event))
    }

    fn log_files(&self, run_folders: &RunFolders) -> Vec<LogFiles> {
        let pattern = "**/chats/*.jsonl".to_owned();
        vec![LogFiles { folder: run_folders.home().join(".gemini/tmp"), pattern, is_flat: true }]
    }

    fn in_terminal(&self) -> Option<Box<dyn Driver>> {
        Some(Box::new(ScreenDriver(GeminiTui)))
    }

    fn session_naming(&self) -> SessionNaming {
        SessionNaming::Chosen
    }

    fn rewind_method(&self) -> RewindMethod {
        RewindMethod::Logs
    }
}

/// Reads one line of the output.
fn read_event(value: &Value, parsed: &mut AgentOutput) {
    let words = |pointer| text_at(value, pointer).unwrap_or_default();
    match words("/type") {
        "init" => {
            parsed.session = text_at(value, "/session_id").map(str::to_owned);
            parsed.model = text_at(value, "/model").map(str::to_owned);
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
    use super::{super::agent_output::OutputStream, *};

    #[test]
    fn what_a_turn_used_and_was_denied_is_heard() {
        let mut parsed = AgentOutput::default();
        for line in [
            r#"{"type":"init","session_id":"s","model":"m"}"#,
            r#"{"type":"tool_result","tool_id":"1","status":"error","error":{"type":"policy_violation","message":"pyproject.toml is protected"}}"#,
            r#"{"type":"result","status":"success","stats":{"input_tokens":4,"output_tokens":2,"cached":1}}"#,
        ] {
            JsonLines(super::read_event).read_line(line, OutputStream::Output, &mut parsed);
        }
        assert_eq!(parsed.session.as_deref(), Some("s"));
        assert_eq!(parsed.denied, ["pyproject.toml is protected"]);
        assert!(matches!(parsed.tokens, ReportedAmount::Turn(Tokens { input: Some(4), .. })));
        assert_eq!(parsed.failed, None);
    }
}
