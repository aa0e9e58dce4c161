//! aider: `aider --message-file FILE`, one process a turn. Its memory is its chat history, which is also its log. The
//! recorder makes the commits of a live run, so aider's own commits are off; it edits files and runs nothing.

use super::{
    agent_output::{AgentOutput, OutputFormat, OutputStream},
    driver::{
        AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, SessionNaming, lacks_model,
    },
};

/// The file of its chat history.
const HISTORY_FILE: &str = "aider/aider.chat.history.md";

pub(super) fn driver() -> Driver {
    Driver {
        summary: "aider: `aider --message-file FILE --yes-always`, a process a turn, its chat history restored",
        install_command: "pip install aider-chat",
        key_variable: Some("OPENAI_API_KEY".into()),
        // A list of prices is not fetched.
        variables: &[("LITELLM_LOCAL_MODEL_COST_MAP", "True")],
        server_variable: Some(("OPENAI_API_BASE", "/v1")),
        // It does not create the folder of its history.
        settings_files: |_, run_folders| {
            vec![(run_folders.agent_folder().join(HISTORY_FILE), String::new())]
        },
        output: OutputFormat::Lines(read_line),
        log_files: |_, run_folders| {
            vec![LogFiles::flat(run_folders.agent_folder().join("aider"), "*.chat.history.md")]
        },
        session_naming: SessionNaming::History,
        own_files: vec![".aider*".into()],
        setup_problem: lacks_model,
        ..Driver::new("aider", request_command)
    }
}

fn request_command(driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    let model = ask.setup.provider.model.as_deref().unwrap_or_default();
    let is_named = model.contains('/') || ask.setup.server_url().is_none();
    let model = if is_named { model.to_owned() } else { format!("openai/{model}") };
    let own = |name: &str| ask.run_folders.agent_folder().join(name).to_string_lossy().into_owned();
    let (history, input) = (own(HISTORY_FILE), own("aider/input.history"));
    let prompt = ask.prompt_file.to_string_lossy();
    let mut args = vec!["--model", &model, "--message-file", &prompt];
    args.extend(["--chat-history-file", &history, "--input-history-file", &input]);
    args.extend([
        "--yes-always",
        "--restore-chat-history",
        "--no-git",
        "--no-pretty",
        "--no-fancy-input",
        "--no-stream",
        "--no-check-update",
        "--no-show-release-notes",
        "--no-show-model-warnings",
        "--analytics-disable",
    ]);
    driver.command_with_setup_args(ask, args, RequestInput::Nothing)
}

/// Reads a line of the output, which is plain text.
fn read_line(line: &str, from: OutputStream, parsed: &mut AgentOutput) {
    match from {
        OutputStream::Errors => parsed.add_trouble(line),
        OutputStream::Output if line.starts_with("litellm.") => parsed.set_failure(line),
        OutputStream::Output => parsed.add_message(line),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::agent_output::tests::parse_lines, *};

    #[test]
    fn what_it_prints_is_said_and_what_its_model_refuses_is_a_failure() {
        let lines = ["Applied edit to calc.py", "litellm.AuthenticationError: no key"];
        let parsed = parse_lines(&OutputFormat::Lines(read_line), &lines);
        assert_eq!(parsed.messages, ["Applied edit to calc.py"]);
        assert_eq!(parsed.failed.as_deref(), Some("litellm.AuthenticationError: no key"));
    }
}
