//! Copilot CLI: `copilot --output-format json`, one process a turn, the session by an id that we choose. With a model server
//! of one's own it needs no account; without one it would need a login, which a home of its own does not have.

use serde_json::Value;

use super::{
    super::{setup::Setup, stage::Stage},
    agent_output::{AgentOutput, JsonLines, Reader, text},
    driver::{Ask, Call, Driver, Input, Logs, Naming, Rewind},
};

#[derive(Debug)]
pub struct Copilot;

impl Driver for Copilot {
    fn name(&self) -> &str {
        "copilot"
    }

    fn about(&self) -> &str {
        "Copilot CLI: `copilot --output-format json`, a process a turn, its session resumed"
    }

    fn program(&self) -> &str {
        "copilot"
    }

    fn install(&self) -> &'static str {
        "npm install -g @github/copilot"
    }

    fn key_variable(&self) -> Option<&str> {
        Some("COPILOT_PROVIDER_API_KEY")
    }

    fn environment(&self, setup: &Setup, _stage: &Stage) -> Vec<(String, String)> {
        let mut all = vec![("COPILOT_AUTO_UPDATE".to_owned(), "false".to_owned())];
        if let Some(url) = setup.server() {
            all.push(("COPILOT_OFFLINE".to_owned(), "true".to_owned()));
            all.push(("COPILOT_PROVIDER_BASE_URL".to_owned(), format!("{url}/v1")));
        }
        let model = setup.provider.model.iter();
        all.extend(model.map(|model| ("COPILOT_MODEL".to_owned(), model.clone())));
        all
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let session = ask.session.unwrap_or(ask.fresh);
        let args = vec![
            "--session-id",
            session,
            "--output-format",
            "json",
            "--allow-all-tools",
            "--allow-all-paths",
            "--no-auto-update",
        ];
        Call::of(self, ask, args, Input::Prompt)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(JsonLines(line))
    }

    fn logs(&self, stage: &Stage) -> Vec<Logs> {
        let folder = stage.home().join(".copilot/session-state");
        vec![Logs { folder, pattern: "*/events.jsonl".into(), is_flat: false }]
    }

    fn naming(&self) -> Naming {
        Naming::Chosen
    }

    fn rewind(&self) -> Rewind {
        Rewind::Logs
    }

    fn problem(&self, setup: &Setup) -> Option<String> {
        let lacks = setup.provider.base_url.is_none() || setup.provider.model.is_none();
        lacks.then(|| {
            "is driven with a model server of your own: --base-url URL --model NAME".into()
        })
    }
}

/// Reads one line.
fn line(value: &Value, heard: &mut AgentOutput) {
    match text(value, "/type").unwrap_or_default() {
        "assistant.message" => {
            heard.say(text(value, "/data/content").unwrap_or_default());
            let calls = value.pointer("/data/toolRequests").and_then(Value::as_array);
            for call in calls.into_iter().flatten() {
                let of = text(call, "/arguments/command").or(text(call, "/arguments/path"));
                let name = text(call, "/name").unwrap_or("tool");
                heard.say(&format!("{name} {}", of.unwrap_or_default()));
            }
        }
        "session.error" => {
            heard.fail(text(value, "/data/message").unwrap_or("the turn failed"));
        }
        "session.warning" => heard.trouble(text(value, "/data/message").unwrap_or_default()),
        "permission.completed" if text(value, "/data/result/kind") == Some("denied") => {
            heard.deny(text(value, "/data/toolCallId").unwrap_or("a tool"));
        }
        "result" => heard.session = text(value, "/sessionId").map(str::to_owned),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{super::agent_output::Stream, *};

    #[test]
    fn what_it_does_and_its_session_are_heard() {
        let mut heard = AgentOutput::default();
        for line in [
            r#"{"type":"assistant.message","data":{"content":"I'll look.","toolRequests":[{"name":"bash","arguments":{"command":"ls"}}]}}"#,
            r#"{"type":"result","sessionId":"s","exitCode":0}"#,
        ] {
            JsonLines(super::line).line(line, Stream::Output, &mut heard);
        }
        assert_eq!(heard.said, ["I'll look.", "bash ls"]);
        assert_eq!((heard.session.as_deref(), heard.failed), (Some("s"), None));
        heard = AgentOutput::default();
        let failed = r#"{"type":"session.error","data":{"message":"no such model"}}"#;
        JsonLines(super::line).line(failed, Stream::Output, &mut heard);
        assert_eq!(heard.failed.as_deref(), Some("no such model"));
    }
}
