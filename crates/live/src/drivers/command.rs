//! Any program, described by its command line: `[drivers.NAME]` in the settings file, or `--agent command -- PROGRAM ARGS`.

mod options;

use std::path::PathBuf;

use regex::Regex;

use trajview_run::Tokens;

use super::{
    super::{run_folders::RunFolders, setup::RunSetup},
    agent_output::{
        AgentOutput, OutputReader, OutputStream, ReportedAmount, count_at, parse_object, text_at,
    },
    driver::{
        AgentCommand, AgentRequest, Driver, LogFiles, RequestInput, RewindMethod, SessionNaming,
        TurnEndSign,
    },
};

pub use options::{OutputPointers, ProgramOptions, PromptDelivery, RewindOption, SessionOption};

#[derive(Debug)]
pub struct ConfiguredProgram {
    name: String,
    options: ProgramOptions,
    denied: Option<Regex>,
}

impl ConfiguredProgram {
    /// Checks the options. The error is a sentence.
    pub fn new(name: &str, options: ProgramOptions) -> Result<Self, String> {
        if options.start.first().is_none_or(String::is_empty) {
            return Err(format!("agent {name} has no command; give one after --, or as start"));
        }
        if options.prompt == PromptDelivery::Pty && options.end_marker.is_empty() {
            return Err(format!("agent {name} is typed to, so it needs an end_marker"));
        }
        let regex = |pattern: &str| {
            Regex::new(pattern).map_err(|why| format!("agent {name}: {pattern:?}: {why}"))
        };
        let denied = (!options.output.denied.is_empty())
            .then(|| regex(&options.output.denied))
            .transpose()?;
        if !options.end_marker.is_empty() {
            regex(&options.end_marker)?;
        }
        Ok(Self { name: name.to_owned(), options, denied })
    }

    fn fill_placeholders(&self, word: &str, ask: &AgentRequest<'_>) -> String {
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        let values = [
            ("{prompt_file}", ask.prompt_file.to_string_lossy().into_owned()),
            ("{session}", ask.session.unwrap_or(ask.fresh).to_owned()),
            ("{uuid}", ask.session.unwrap_or(ask.fresh).to_owned()),
            ("{cwd}", path(ask.run_folders.workspace())),
            ("{turn}", ask.turn.to_string()),
            ("{run_dir}", path(ask.run_folders.agent_folder())),
            ("{model}", ask.setup.provider.model.clone().unwrap_or_default()),
            ("{base_url}", ask.setup.server_url().unwrap_or_default().to_owned()),
            // Last: a request may have braces of its own.
            ("{prompt}", ask.prompt.to_owned()),
        ];
        values.iter().fold(word.to_owned(), |word, (name, value)| word.replace(name, value))
    }
}

impl Driver for ConfiguredProgram {
    fn name(&self) -> &str {
        &self.name
    }

    fn summary_line(&self) -> &str {
        "a program told by its words"
    }

    fn program_name(&self) -> &str {
        self.options.start.first().map_or("", String::as_str)
    }

    fn version_arguments(&self) -> Vec<String> {
        self.options.version.clone()
    }

    fn key_variable(&self) -> Option<&str> {
        self.options.key_env.as_deref()
    }

    fn environment_variables(
        &self,
        _setup: &RunSetup,
        _stage: &RunFolders,
    ) -> Vec<(String, String)> {
        self.options.env.clone()
    }

    fn request_command(&self, ask: &AgentRequest<'_>) -> AgentCommand {
        let is_next = ask.session.is_some() && !self.options.next.is_empty();
        let words = if is_next { &self.options.next } else { &self.options.start };
        let mut filled = words.iter().map(|word| self.fill_placeholders(word, ask));
        let first = filled.next().unwrap_or_default();
        let given = ask.setup.program.as_ref().map(|path| path.to_string_lossy().into_owned());
        AgentCommand {
            program: given.unwrap_or(first),
            args: filled.chain(ask.setup.args.iter().cloned()).collect(),
            input: match self.options.prompt {
                PromptDelivery::Stdin => RequestInput::Prompt,
                PromptDelivery::Arg | PromptDelivery::File => RequestInput::Nothing,
                PromptDelivery::Pty => RequestInput::Typed,
            },
        }
    }

    fn output_reader(&self) -> Box<dyn OutputReader> {
        Box::new(ProgramOutput { options: self.options.clone(), denied: self.denied.clone() })
    }

    fn log_files(&self, run_folders: &RunFolders) -> Vec<LogFiles> {
        let logs = |pattern: &String| LogFiles {
            folder: run_folders.home(),
            pattern: pattern.clone(),
            is_flat: true,
        };
        self.options.logs.iter().map(logs).collect()
    }

    fn session_naming(&self) -> SessionNaming {
        match (self.options.session, self.options.prompt) {
            (_, PromptDelivery::Pty) => SessionNaming::Process,
            (SessionOption::Chosen, _) => SessionNaming::Chosen,
            (SessionOption::Told, _) => SessionNaming::Printed,
            (SessionOption::None, _) => SessionNaming::None,
        }
    }

    fn rewind_method(&self) -> RewindMethod {
        match self.options.rewind {
            _ if self.options.prompt == PromptDelivery::Pty => RewindMethod::Restart,
            RewindOption::Logs => RewindMethod::Logs,
            RewindOption::Restart => RewindMethod::Restart,
            RewindOption::GoOn => RewindMethod::GoOn,
        }
    }

    fn turn_end_sign(&self) -> TurnEndSign {
        match self.options.end_marker.as_str() {
            "" => TurnEndSign::Exit,
            marker => TurnEndSign::Marker(marker.to_owned()),
        }
    }

    fn is_success_code(&self, code: i32) -> bool {
        self.options.success.contains(&code)
    }

    fn own_files(&self) -> Vec<&str> {
        self.options.exclude.iter().map(String::as_str).collect()
    }
}

/// A reader of the program's output, which finds values by the configured JSON pointers.
struct ProgramOutput {
    options: ProgramOptions,
    denied: Option<Regex>,
}

impl OutputReader for ProgramOutput {
    fn read_line(&mut self, line: &str, from: OutputStream, parsed: &mut AgentOutput) {
        if self.denied.as_ref().is_some_and(|denied| denied.is_match(line)) {
            parsed.add_denial(line);
        }
        if from == OutputStream::Output {
            parsed.add_message(line);
        } else {
            parsed.add_trouble(line);
        }
        let Some(value) = parse_object(line) else { return };
        if self.options.session == SessionOption::Told
            && let Some(session) = text_at(&value, &self.options.output.session_pointer)
        {
            parsed.session = Some(session.to_owned());
        }
        let input = count_at(&value, &self.options.output.input_pointer);
        let output = count_at(&value, &self.options.output.output_pointer);
        if input.or(output).is_some() {
            let now = Tokens { input, output, ..Tokens::default() };
            let before = match parsed.tokens {
                ReportedAmount::Turn(before) => before,
                _ => Tokens::default(),
            };
            parsed.tokens = ReportedAmount::Turn(before + now);
        }
        if let Some(cost) =
            value.pointer(&self.options.output.cost_pointer).and_then(|it| it.as_f64())
        {
            let before = if let ReportedAmount::Turn(before) = parsed.cost { before } else { 0.0 };
            parsed.cost = ReportedAmount::Turn(before + cost);
        }
    }
}
