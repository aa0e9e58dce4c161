//! Qwen Code: `qwen -o stream-json`, one process a turn, the session resumed by an id that we choose.
//!
//! What it prints is in Claude Code's form; what a turn used is told as the sum of its session.

use std::path::PathBuf;

use serde_json::Value;

use trajview_run::Tokens;

use super::{
    super::{setup::Setup, stage::Stage},
    agent_output::{AgentOutput, Amount, JsonLines, Reader, count, text},
    claude,
    driver::{Ask, Call, Driver, Input, Logs, Naming, Rewind},
};

#[derive(Debug)]
pub struct Qwen;

impl Driver for Qwen {
    fn name(&self) -> &str {
        "qwen"
    }

    fn about(&self) -> &str {
        "Qwen Code: `qwen -o stream-json --yolo`, a process a turn, its session resumed"
    }

    fn program(&self) -> &str {
        "qwen"
    }

    fn install(&self) -> &'static str {
        "npm install -g @qwen-code/qwen-code"
    }

    fn key_variable(&self) -> Option<&str> {
        Some("OPENAI_API_KEY")
    }

    fn environment(&self, setup: &Setup, _stage: &Stage) -> Vec<(String, String)> {
        let server = setup.server().map(|url| ("OPENAI_BASE_URL".to_owned(), format!("{url}/v1")));
        server.into_iter().collect()
    }

    fn files(&self, _setup: &Setup, stage: &Stage) -> Vec<(PathBuf, String)> {
        let settings = serde_json::json!({
            "security": {"auth": {"selectedType": "openai"}},
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "general": {"disableAutoUpdate": true, "disableUpdateNag": true, "enableAutoUpdate": false},
        });
        vec![(stage.home().join(".qwen/settings.json"), format!("{settings:#}\n"))]
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let mut args = match ask.session {
            Some(session) => vec!["--resume", session],
            None => vec!["--session-id", ask.fresh],
        };
        if let Some(model) = &ask.setup.provider.model {
            args.extend(["-m", model]);
        }
        // Without a person there is nobody to ask, so there is nothing between this and doing nothing.
        args.extend(["--auth-type", "openai", "-o", "stream-json", "--yolo", "--chat-recording"]);
        Call::of(self, ask, args, Input::Prompt)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(JsonLines(line))
    }

    fn logs(&self, stage: &Stage) -> Vec<Logs> {
        let pattern = "**/chats/*.jsonl".to_owned();
        vec![Logs { folder: stage.home().join(".qwen/projects"), pattern, is_flat: true }]
    }

    fn naming(&self) -> Naming {
        Naming::Chosen
    }

    fn rewind(&self) -> Rewind {
        Rewind::Logs
    }

    fn problem(&self, setup: &Setup) -> Option<String> {
        setup.provider.model.is_none().then(|| "needs the name of a model: --model NAME".into())
    }
}

/// Reads one line.
fn line(value: &Value, heard: &mut AgentOutput) {
    match text(value, "/type").unwrap_or_default() {
        "system" if text(value, "/subtype") == Some("init") => {
            heard.session = text(value, "/session_id").map(str::to_owned);
            heard.version = text(value, "/qwen_code_version").map(str::to_owned);
            heard.model = text(value, "/model").map(str::to_owned);
        }
        "assistant" => claude::said(value, heard),
        "result" => {
            claude::ended(value, heard);
            let cached = count(value, "/usage/cache_read_input_tokens");
            heard.tokens = Amount::Session(Tokens {
                input: count(value, "/usage/input_tokens"),
                cached_input: cached,
                output: count(value, "/usage/output_tokens"),
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
    fn what_the_session_used_so_far_and_what_was_denied_is_heard() {
        let mut heard = AgentOutput::default();
        for line in [
            r#"{"type":"system","subtype":"init","session_id":"s","model":"m"}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"I'll look."}]}}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"usage":{"input_tokens":4,"output_tokens":2,"cache_read_input_tokens":1},"permission_denials":[{"tool_name":"edit","tool_input":{"file_path":"a.py"}}]}"#,
        ] {
            JsonLines(super::line).line(line, Stream::Output, &mut heard);
        }
        assert_eq!(heard.session.as_deref(), Some("s"));
        assert_eq!(
            (heard.denied, heard.said),
            (vec!["edit a.py".to_owned()], vec!["I'll look.".to_owned()])
        );
        assert!(matches!(heard.tokens, Amount::Session(Tokens { input: Some(4), .. })));
        assert_eq!(heard.failed, None);
    }
}
