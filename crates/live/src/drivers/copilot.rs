//! Copilot CLI: `copilot --output-format json`, one process a turn, the session by an id that we choose. With a model server
//! of one's own it needs no account; without one it would need a login, which a home of its own does not have.

use serde_json::Value;

use super::{
    super::{run_folders::RunFolders, setup::RunSetup},
    agent_output::{AgentOutput, JsonLines, OutputReader, text_at},
    driver::{
        AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, RewindMethod, SessionNaming,
    },
};

#[derive(Debug)]
pub struct CopilotDriver;

impl Driver for CopilotDriver {
    fn name(&self) -> &str {
        "copilot"
    }

    fn summary_line(&self) -> &str {
        "Copilot CLI: `copilot --output-format json`, a process a turn, its session resumed"
    }

    fn program_name(&self) -> &str {
        "copilot"
    }

    fn install_command(&self) -> &'static str {
        "npm install -g @github/copilot"
    }

    fn key_variable(&self) -> Option<&str> {
        Some("COPILOT_PROVIDER_API_KEY")
    }

    fn environment_variables(
        &self,
        setup: &RunSetup,
        _stage: &RunFolders,
    ) -> Vec<(String, String)> {
        let mut all = vec![("COPILOT_AUTO_UPDATE".to_owned(), "false".to_owned())];
        if let Some(url) = setup.server_url() {
            all.push(("COPILOT_OFFLINE".to_owned(), "true".to_owned()));
            all.push(("COPILOT_PROVIDER_BASE_URL".to_owned(), format!("{url}/v1")));
        }
        let model = setup.provider.model.iter();
        all.extend(model.map(|model| ("COPILOT_MODEL".to_owned(), model.clone())));
        all
    }

    fn request_command(&self, ask: &AgentRequest<'_>) -> AgentCommand {
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
        AgentCommand::for_driver(self, ask, args, RequestInput::Prompt)
    }

    fn output_reader(&self) -> Box<dyn OutputReader> {
        Box::new(JsonLines(read_event))
    }

    fn log_files(&self, run_folders: &RunFolders) -> Vec<LogFiles> {
        let folder = run_folders.home().join(".copilot/session-state");
        vec![LogFiles { folder, pattern: "*/events.jsonl".into(), is_flat: false }]
    }

    fn session_naming(&self) -> SessionNaming {
        SessionNaming::Chosen
    }

    fn rewind_method(&self) -> RewindMethod {
        RewindMethod::Logs
    }

    fn setup_problem(&self, setup: &RunSetup) -> Option<String> {
        let lacks = setup.provider.base_url.is_none() || setup.provider.model.is_none();
        lacks.then(|| {
            "is driven with a model server of your own: --base-url URL --model NAME".into()
        })
    }
}

/// Reads one line of the output.
fn read_event(value: &Value, parsed: &mut AgentOutput) {
    match text_at(value, "/type").unwrap_or_default() {
        "assistant.message" => {
            parsed.add_message(text_at(value, "/data/content").unwrap_or_default());
            let calls = value.pointer("/data/toolRequests").and_then(Value::as_array);
            for call in calls.into_iter().flatten() {
                let of = text_at(call, "/arguments/command").or(text_at(call, "/arguments/path"));
                let name = text_at(call, "/name").unwrap_or("tool");
                parsed.add_message(&format!("{name} {}", of.unwrap_or_default()));
            }
        }
        "session.error" => {
            parsed.set_failure(text_at(value, "/data/message").unwrap_or("the turn failed"));
        }
        "session.warning" => {
            parsed.add_trouble(text_at(value, "/data/message").unwrap_or_default())
        }
        "permission.completed" if text_at(value, "/data/result/kind") == Some("denied") => {
            parsed.add_denial(text_at(value, "/data/toolCallId").unwrap_or("a tool"));
        }
        "result" => parsed.session = text_at(value, "/sessionId").map(str::to_owned),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{super::agent_output::OutputStream, *};

    #[test]
    fn what_it_does_and_its_session_are_heard() {
        let mut parsed = AgentOutput::default();
        for line in [
            r#"{"type":"assistant.message","data":{"content":"I'll look.","toolRequests":[{"name":"bash","arguments":{"command":"ls"}}]}}"#,
            r#"{"type":"result","sessionId":"s","exitCode":0}"#,
        ] {
            JsonLines(super::read_event).read_line(line, OutputStream::Output, &mut parsed);
        }
        assert_eq!(parsed.messages, ["I'll look.", "bash ls"]);
        assert_eq!((parsed.session.as_deref(), parsed.failed), (Some("s"), None));
        parsed = AgentOutput::default();
        let failed = r#"{"type":"session.error","data":{"message":"no such model"}}"#;
        JsonLines(super::read_event).read_line(failed, OutputStream::Output, &mut parsed);
        assert_eq!(parsed.failed.as_deref(), Some("no such model"));
    }
}
