//! aider: `aider --message-file FILE`, one process a turn. It remembers by its chat history, which is its log. The commits of a
//! live run are the recorder's, so its own are off; it edits files and runs nothing.

use super::{
    super::{setup::Setup, stage::Stage},
    agent_output::{AgentOutput, Reader, Stream},
    driver::{Ask, Call, Driver, Input, Logs, Naming, Rewind, program_of},
};

#[derive(Debug)]
pub struct Aider;

/// Where it keeps what was said.
const HISTORY: &str = "aider/aider.chat.history.md";

impl Driver for Aider {
    fn name(&self) -> &str {
        "aider"
    }

    fn about(&self) -> &str {
        "aider: `aider --message-file FILE --yes-always`, a process a turn, its chat history restored"
    }

    fn program(&self) -> &str {
        "aider"
    }

    fn install(&self) -> &'static str {
        "pip install aider-chat"
    }

    fn key_variable(&self) -> Option<&str> {
        Some("OPENAI_API_KEY")
    }

    fn environment(&self, setup: &Setup, _stage: &Stage) -> Vec<(String, String)> {
        // A list of prices is not fetched.
        let mut all = vec![("LITELLM_LOCAL_MODEL_COST_MAP".to_owned(), "True".to_owned())];
        all.extend(setup.server().map(|url| ("OPENAI_API_BASE".to_owned(), format!("{url}/v1"))));
        all
    }

    fn files(&self, _setup: &Setup, stage: &Stage) -> Vec<(std::path::PathBuf, String)> {
        // It does not make the folder that its history stands in.
        vec![(stage.agent().join(HISTORY), String::new())]
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let model = ask.setup.provider.model.as_deref().unwrap_or_default();
        let is_named = model.contains('/') || ask.setup.server().is_none();
        let model = if is_named { model.to_owned() } else { format!("openai/{model}") };
        let own = |name: &str| ask.stage.agent().join(name).to_string_lossy().into_owned();
        let prompt = ask.prompt_file.to_string_lossy().into_owned();
        let mut args = vec!["--model".to_owned(), model, "--message-file".to_owned(), prompt];
        args.extend(["--chat-history-file".to_owned(), own(HISTORY)]);
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
        Call { program: program_of(self, ask.setup), args, input: Input::Nothing }
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Words)
    }

    fn logs(&self, stage: &Stage) -> Vec<Logs> {
        let folder = stage.agent().join("aider");
        vec![Logs { folder, pattern: "*.chat.history.md".into(), is_flat: true }]
    }

    fn naming(&self) -> Naming {
        Naming::History
    }

    fn rewind(&self) -> Rewind {
        Rewind::Logs
    }

    fn own_files(&self) -> Vec<&str> {
        vec![".aider*"]
    }

    fn problem(&self, setup: &Setup) -> Option<String> {
        setup.provider.model.is_none().then(|| "needs the name of a model: --model NAME".into())
    }
}

/// It prints for people.
struct Words;

impl Reader for Words {
    fn line(&mut self, line: &str, from: Stream, heard: &mut AgentOutput) {
        match from {
            Stream::Complaints => heard.trouble(line),
            Stream::Output if line.starts_with("litellm.") => heard.fail(line),
            Stream::Output => heard.say(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_prints_is_said_and_what_its_model_refuses_is_a_failure() {
        let mut heard = AgentOutput::default();
        Words.line("Applied edit to calc.py", Stream::Output, &mut heard);
        Words.line("litellm.AuthenticationError: no key", Stream::Output, &mut heard);
        assert_eq!(heard.said, ["Applied edit to calc.py"]);
        assert_eq!(heard.failed.as_deref(), Some("litellm.AuthenticationError: no key"));
    }
}
