//! Any program, told by its words: `[drivers.NAME]` in the settings file, or `--agent command -- PROGRAM ARGS`.

mod options;

use std::path::PathBuf;

use regex::Regex;

use trajview_run::Tokens;

use super::{
    super::{setup::Setup, stage::Stage},
    agent_output::{AgentOutput, Amount, Reader, Stream, count, object, text},
    driver::{Ask, Call, Driver, End, Input, Logs, Naming, Rewind},
};

pub use options::{Output, ProgramOptions, RewindWord, SessionWord, Way};

#[derive(Debug)]
pub struct Program {
    name: String,
    options: ProgramOptions,
    denied: Option<Regex>,
}

impl Program {
    /// The error is a sentence.
    pub fn new(name: &str, options: ProgramOptions) -> Result<Self, String> {
        if options.start.first().is_none_or(String::is_empty) {
            return Err(format!("agent {name} has no command; give one after --, or as start"));
        }
        if options.prompt == Way::Pty && options.end_marker.is_empty() {
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

    fn filled(&self, word: &str, ask: &Ask<'_>) -> String {
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        let values = [
            ("{prompt_file}", ask.prompt_file.to_string_lossy().into_owned()),
            ("{session}", ask.session.unwrap_or(ask.fresh).to_owned()),
            ("{uuid}", ask.session.unwrap_or(ask.fresh).to_owned()),
            ("{cwd}", path(ask.stage.workspace())),
            ("{turn}", ask.turn.to_string()),
            ("{run_dir}", path(ask.stage.agent())),
            ("{model}", ask.setup.provider.model.clone().unwrap_or_default()),
            ("{base_url}", ask.setup.server().unwrap_or_default().to_owned()),
            // Last: a request may have braces of its own.
            ("{prompt}", ask.prompt.to_owned()),
        ];
        values.iter().fold(word.to_owned(), |word, (name, value)| word.replace(name, value))
    }
}

impl Driver for Program {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        "a program told by its words"
    }

    fn program(&self) -> &str {
        self.options.start.first().map_or("", String::as_str)
    }

    fn version_words(&self) -> Vec<String> {
        self.options.version.clone()
    }

    fn key_variable(&self) -> Option<&str> {
        self.options.key_env.as_deref()
    }

    fn environment(&self, _setup: &Setup, _stage: &Stage) -> Vec<(String, String)> {
        self.options.env.clone()
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let is_next = ask.session.is_some() && !self.options.next.is_empty();
        let words = if is_next { &self.options.next } else { &self.options.start };
        let mut filled = words.iter().map(|word| self.filled(word, ask));
        let first = filled.next().unwrap_or_default();
        let given = ask.setup.program.as_ref().map(|path| path.to_string_lossy().into_owned());
        Call {
            program: given.unwrap_or(first),
            args: filled.chain(ask.setup.args.iter().cloned()).collect(),
            input: match self.options.prompt {
                Way::Stdin => Input::Prompt,
                Way::Arg | Way::File => Input::Nothing,
                Way::Pty => Input::Typed,
            },
        }
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Lines { options: self.options.clone(), denied: self.denied.clone() })
    }

    fn logs(&self, stage: &Stage) -> Vec<Logs> {
        let logs = |pattern: &String| Logs {
            folder: stage.home(),
            pattern: pattern.clone(),
            is_flat: true,
        };
        self.options.logs.iter().map(logs).collect()
    }

    fn naming(&self) -> Naming {
        match (self.options.session, self.options.prompt) {
            (_, Way::Pty) => Naming::Process,
            (SessionWord::Chosen, _) => Naming::Chosen,
            (SessionWord::Told, _) => Naming::Told,
            (SessionWord::None, _) => Naming::None,
        }
    }

    fn rewind(&self) -> Rewind {
        match self.options.rewind {
            _ if self.options.prompt == Way::Pty => Rewind::Restart,
            RewindWord::Logs => Rewind::Logs,
            RewindWord::Restart => Rewind::Restart,
            RewindWord::GoOn => Rewind::GoOn,
        }
    }

    fn end(&self) -> End {
        match self.options.end_marker.as_str() {
            "" => End::Exit,
            marker => End::Marker(marker.to_owned()),
        }
    }

    fn is_fine(&self, code: i32) -> bool {
        self.options.success.contains(&code)
    }

    fn own_files(&self) -> Vec<&str> {
        self.options.exclude.iter().map(String::as_str).collect()
    }
}

/// What is found where the words say it is.
struct Lines {
    options: ProgramOptions,
    denied: Option<Regex>,
}

impl Reader for Lines {
    fn line(&mut self, line: &str, from: Stream, heard: &mut AgentOutput) {
        if self.denied.as_ref().is_some_and(|denied| denied.is_match(line)) {
            heard.deny(line);
        }
        if from == Stream::Output {
            heard.say(line);
        } else {
            heard.trouble(line);
        }
        let Some(value) = object(line) else { return };
        if self.options.session == SessionWord::Told
            && let Some(session) = text(&value, &self.options.output.session_pointer)
        {
            heard.session = Some(session.to_owned());
        }
        let input = count(&value, &self.options.output.input_pointer);
        let output = count(&value, &self.options.output.output_pointer);
        if input.or(output).is_some() {
            let now = Tokens { input, output, ..Tokens::default() };
            let before = match heard.tokens {
                Amount::Turn(before) => before,
                _ => Tokens::default(),
            };
            heard.tokens = Amount::Turn(before + now);
        }
        if let Some(cost) =
            value.pointer(&self.options.output.cost_pointer).and_then(|it| it.as_f64())
        {
            let before = if let Amount::Turn(before) = heard.cost { before } else { 0.0 };
            heard.cost = Amount::Turn(before + cost);
        }
    }
}
