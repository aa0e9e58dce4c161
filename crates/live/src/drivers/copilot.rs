//! Copilot CLI: `copilot --output-format json`, one process a turn, the session by an id that we choose. With a model server
//! of one's own it needs no account; without one it would need a login, which a home of its own does not have.

use serde_json::Value;

use super::{
    super::{run_folders::RunFolders, setup::RunSetup},
    agent_output::{AgentOutput, OutputFormat, string_at, text_at},
    driver::{AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, SessionNaming},
};

pub(super) fn driver() -> Driver {
    Driver {
        summary: "Copilot CLI: `copilot --output-format json`, a process a turn, its session resumed",
        install_command: "npm install -g @github/copilot",
        key_variable: Some("COPILOT_PROVIDER_API_KEY".into()),
        variables: &[("COPILOT_AUTO_UPDATE", "false")],
        server_variable: Some(("COPILOT_PROVIDER_BASE_URL", "/v1")),
        run_variables,
        output: OutputFormat::JsonLines(read_event),
        log_files: |_, run_folders| {
            let folder = run_folders.home().join(".copilot/session-state");
            vec![LogFiles { folder, pattern: "*/events.jsonl".into(), is_flat: false }]
        },
        session_naming: SessionNaming::Chosen,
        setup_problem,
        ..Driver::new("copilot", request_command)
    }
}

fn run_variables(setup: &RunSetup, _run_folders: &RunFolders) -> Vec<(String, String)> {
    let offline = setup.server_url().map(|_| ("COPILOT_OFFLINE".to_owned(), "true".to_owned()));
    let model = setup.provider.model.clone().map(|model| ("COPILOT_MODEL".to_owned(), model));
    offline.into_iter().chain(model).collect()
}

fn request_command(driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    let mut args = vec!["--session-id", ask.session.unwrap_or(ask.fresh)];
    args.extend(["--output-format", "json", "--allow-all-tools", "--allow-all-paths"]);
    args.push("--no-auto-update");
    driver.command_with_setup_args(ask, args, RequestInput::Prompt)
}

fn setup_problem(setup: &RunSetup) -> Option<String> {
    let lacks = setup.provider.base_url.is_none() || setup.provider.model.is_none();
    lacks.then(|| "is driven with a model server of your own: --base-url URL --model NAME".into())
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
        "result" => parsed.session = string_at(value, "/sessionId"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{super::agent_output::tests::parse_lines, *};

    const FORMAT: OutputFormat = OutputFormat::JsonLines(read_event);

    #[test]
    fn what_it_does_and_its_session_are_heard() {
        let parsed = parse_lines(
            &FORMAT,
            &[
                r#"{"type":"assistant.message","data":{"content":"I'll look.","toolRequests":[{"name":"bash","arguments":{"command":"ls"}}]}}"#,
                r#"{"type":"result","sessionId":"s","exitCode":0}"#,
            ],
        );
        assert_eq!(parsed.messages, ["I'll look.", "bash ls"]);
        assert_eq!((parsed.session.as_deref(), parsed.failed), (Some("s"), None));
        let failed = r#"{"type":"session.error","data":{"message":"no such model"}}"#;
        assert_eq!(parse_lines(&FORMAT, &[failed]).failed.as_deref(), Some("no such model"));
    }
}
