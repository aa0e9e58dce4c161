//! Gemini CLI: `gemini -o stream-json`, one process a turn, the session resumed by an id that we choose.
//!
//! Its own guard keeps its editing tools from build files such as `pyproject.toml`, whatever it is allowed.

use serde_json::Value;
use std::path::PathBuf;

use trajview_run::Tokens;

use super::{
    super::{setup::Setup, stage::Stage},
    agent_output::{AgentOutput, Amount, JsonLines, Reader, count, text},
    driver::{Ask, Call, Driver, Input, Logs, Naming, Rewind},
    gemini_tui::GeminiTui,
    own_screen::InOwnScreen,
};

#[derive(Debug)]
pub struct Gemini;

impl Driver for Gemini {
    fn name(&self) -> &str {
        "gemini"
    }

    fn about(&self) -> &str {
        "Gemini CLI: `gemini -o stream-json --yolo`, a process a turn, its session resumed"
    }

    fn program(&self) -> &str {
        "gemini"
    }

    fn install(&self) -> &'static str {
        "npm install -g @google/gemini-cli"
    }

    fn key_variable(&self) -> Option<&str> {
        Some("GEMINI_API_KEY")
    }

    fn environment(&self, setup: &Setup, _stage: &Stage) -> Vec<(String, String)> {
        let mut all = vec![("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "true".to_owned())];
        all.extend(setup.server().map(|url| ("GOOGLE_GEMINI_BASE_URL".to_owned(), url.to_owned())));
        all
    }

    fn files(&self, _setup: &Setup, stage: &Stage) -> Vec<(PathBuf, String)> {
        let settings = serde_json::json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "general": {"disableAutoUpdate": true, "disableUpdateNag": true},
        });
        vec![(stage.home().join(".gemini/settings.json"), format!("{settings:#}\n"))]
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let mut args = vec![];
        match ask.session {
            Some(session) => args.extend(["--resume", session]),
            None => args.extend(["--session-id", ask.fresh]),
        }
        if let Some(model) = &ask.setup.provider.model {
            args.extend(["-m", model]);
        }
        // Without a person there is nobody to ask, so there is nothing between this and doing nothing.
        args.extend(["-o", "stream-json", "--yolo"]);
        Call::of(self, ask, args, Input::Prompt)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(JsonLines(line))
    }

    fn logs(&self, stage: &Stage) -> Vec<Logs> {
        let pattern = "**/chats/*.jsonl".to_owned();
        vec![Logs { folder: stage.home().join(".gemini/tmp"), pattern, is_flat: true }]
    }

    fn in_terminal(&self) -> Option<Box<dyn Driver>> {
        Some(Box::new(InOwnScreen(GeminiTui)))
    }

    fn naming(&self) -> Naming {
        Naming::Chosen
    }

    fn rewind(&self) -> Rewind {
        Rewind::Logs
    }
}

/// Reads one line.
fn line(value: &Value, heard: &mut AgentOutput) {
    let words = |pointer| text(value, pointer).unwrap_or_default();
    match words("/type") {
        "init" => {
            heard.session = text(value, "/session_id").map(str::to_owned);
            heard.model = text(value, "/model").map(str::to_owned);
        }
        "message" if words("/role") == "assistant" => heard.say(words("/content")),
        "tool_use" => {
            let of = ["/parameters/command", "/parameters/file_path", "/parameters/absolute_path"];
            let of = of.iter().find_map(|pointer| text(value, pointer)).unwrap_or_default();
            heard.say(format!("{} {of}", words("/tool_name")).trim_end());
        }
        "tool_result" if words("/error/type") == "policy_violation" => {
            heard.deny(words("/error/message"));
        }
        "tool_result" => heard.show_output(words("/output")),
        "result" => {
            if words("/status") == "error" {
                heard.fail(text(value, "/error/message").unwrap_or("the turn failed"));
            }
            heard.tokens = Amount::Turn(Tokens {
                input: count(value, "/stats/input_tokens"),
                cached_input: count(value, "/stats/cached"),
                output: count(value, "/stats/output_tokens"),
                ..Tokens::default()
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{super::agent_output::Stream, *};

    #[test]
    fn what_a_turn_used_and_was_denied_is_heard() {
        let mut heard = AgentOutput::default();
        for line in [
            r#"{"type":"init","session_id":"s","model":"m"}"#,
            r#"{"type":"tool_result","tool_id":"1","status":"error","error":{"type":"policy_violation","message":"pyproject.toml is protected"}}"#,
            r#"{"type":"result","status":"success","stats":{"input_tokens":4,"output_tokens":2,"cached":1}}"#,
        ] {
            JsonLines(super::line).line(line, Stream::Output, &mut heard);
        }
        assert_eq!(heard.session.as_deref(), Some("s"));
        assert_eq!(heard.denied, ["pyproject.toml is protected"]);
        assert!(matches!(heard.tokens, Amount::Turn(Tokens { input: Some(4), .. })));
        assert_eq!(heard.failed, None);
    }
}
