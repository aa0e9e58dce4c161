//! aider: `aider --message-file FILE`, one process a turn. Its memory is its chat history, which is also its log. The
//! recorder makes the commits of a live run, so aider's own commits are off; it edits files and runs nothing.

use super::{
    super::{run_folders::RunFolders, setup::RunSetup},
    agent_output::{AgentOutput, OutputReader, OutputStream},
    driver::{
        AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, RewindMethod, SessionNaming,
        called_program,
    },
};

#[derive(Debug)]
pub struct AiderDriver;

/// The file of its chat history.
const HISTORY_FILE: &str = "aider/aider.chat.history.md";

impl Driver for AiderDriver {
    fn name(&self) -> &str {
        "aider"
    }

    fn summary_line(&self) -> &str {
        "aider: `aider --message-file FILE --yes-always`, a process a turn, its chat history restored"
    }

    fn program_name(&self) -> &str {
        "aider"
    }

    fn install_command(&self) -> &'static str {
        "pip install aider-chat"
    }

    fn key_variable(&self) -> Option<&str> {
        Some("OPENAI_API_KEY")
    }

    fn environment_variables(
        &self,
        setup: &RunSetup,
        _stage: &RunFolders,
    ) -> Vec<(String, String)> {
        // A list of prices is not fetched.
        let mut all = vec![("LITELLM_LOCAL_MODEL_COST_MAP".to_owned(), "True".to_owned())];
        all.extend(
            setup.server_url().map(|url| ("OPENAI_API_BASE".to_owned(), format!("{url}/v1"))),
        );
        all
    }

    fn settings_files(
        &self,
        _setup: &RunSetup,
        run_folders: &RunFolders,
    ) -> Vec<(std::path::PathBuf, String)> {
        // It does not create the folder of its history.
        vec![(run_folders.agent_folder().join(HISTORY_FILE), String::new())]
    }

    fn request_command(&self, ask: &AgentRequest<'_>) -> AgentCommand {
        let model = ask.setup.provider.model.as_deref().unwrap_or_default();
        let is_named = model.contains('/') || ask.setup.server_url().is_none();
        let model = if is_named { model.to_owned() } else { format!("openai/{model}") };
        let own =
            |name: &str| ask.run_folders.agent_folder().join(name).to_string_lossy().into_owned();
        let prompt = ask.prompt_file.to_string_lossy().into_owned();
        let mut args = vec!["--model".to_owned(), model, "--message-file".to_owned(), prompt];
        args.extend(["--chat-history-file".to_owned(), own(HISTORY_FILE)]);
        args.extend(["--input-history-file".to_owned(), own("aider/input.history")]);
        let switches = [
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
        ];
        args.extend(switches.map(str::to_owned));
        args.extend(ask.setup.args.iter().cloned());
        AgentCommand {
            program: called_program(self, ask.setup),
            args,
            input: RequestInput::Nothing,
        }
    }

    fn output_reader(&self) -> Box<dyn OutputReader> {
        Box::new(AiderOutput)
    }

    fn log_files(&self, run_folders: &RunFolders) -> Vec<LogFiles> {
        let folder = run_folders.agent_folder().join("aider");
        vec![LogFiles { folder, pattern: "*.chat.history.md".into(), is_flat: true }]
    }

    fn session_naming(&self) -> SessionNaming {
        SessionNaming::History
    }

    fn rewind_method(&self) -> RewindMethod {
        RewindMethod::Logs
    }

    fn own_files(&self) -> Vec<&str> {
        vec![".aider*"]
    }

    fn setup_problem(&self, setup: &RunSetup) -> Option<String> {
        setup.provider.model.is_none().then(|| "needs the name of a model: --model NAME".into())
    }
}

/// A reader of aider's output, which is plain text.
struct AiderOutput;

impl OutputReader for AiderOutput {
    fn read_line(&mut self, line: &str, from: OutputStream, parsed: &mut AgentOutput) {
        match from {
            OutputStream::Errors => parsed.add_trouble(line),
            OutputStream::Output if line.starts_with("litellm.") => parsed.set_failure(line),
            OutputStream::Output => parsed.add_message(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_prints_is_said_and_what_its_model_refuses_is_a_failure() {
        let mut parsed = AgentOutput::default();
        AiderOutput.read_line("Applied edit to calc.py", OutputStream::Output, &mut parsed);
        AiderOutput.read_line(
            "litellm.AuthenticationError: no key",
            OutputStream::Output,
            &mut parsed,
        );
        assert_eq!(parsed.messages, ["Applied edit to calc.py"]);
        assert_eq!(parsed.failed.as_deref(), Some("litellm.AuthenticationError: no key"));
    }
}
