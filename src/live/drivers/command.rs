//! Any program, told by its words: `[drivers.NAME]` in the settings file, or `--agent command -- PROGRAM ARGS`.

use std::path::PathBuf;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::run::Tokens;

use super::{
    super::{setup::Setup, stage::Stage},
    Ask, Call, Driver, End, Input, Logs, Naming, Rewind,
    heard::{Amount, Heard, Reader, Stream, count, object, text},
};

/// How a program is called and read. In its words `{prompt}`, `{prompt_file}`, `{session}`, `{uuid}`, `{cwd}`,
/// `{turn}`, `{run_dir}`, `{model}` and `{base_url}` are filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Words {
    /// Program and arguments of the first request of a session.
    pub start: Vec<String>,
    /// Of the following ones; empty for the same as the first.
    pub next: Vec<String>,
    pub prompt: Way,
    /// How its session is named.
    pub session: SessionWord,
    /// Where in a JSON line the session's name is (a JSON pointer), where it is told.
    pub session_pointer: String,
    /// Where the tokens of a turn are, in a JSON line (JSON pointers).
    pub input_pointer: String,
    pub output_pointer: String,
    pub cost_pointer: String,
    /// A line that matches says what was not allowed.
    pub denied: String,
    /// What the terminal shows when a turn is over; empty where the process ends.
    pub end_marker: String,
    /// Exit codes of a good turn.
    pub success: Vec<i32>,
    /// Files of its home, as `.tool/**/*.jsonl`.
    pub logs: Vec<String>,
    /// Files in the workspace that are not recorded.
    pub exclude: Vec<String>,
    /// The variable that holds its key.
    pub key_env: Option<String>,
    pub env: Vec<(String, String)>,
    pub rewind: RewindWord,
    /// What makes it print its version; empty where it cannot.
    pub version: Vec<String>,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            start: vec![],
            next: vec![],
            prompt: Way::Stdin,
            session: SessionWord::None,
            session_pointer: "/session_id".into(),
            input_pointer: String::new(),
            output_pointer: String::new(),
            cost_pointer: String::new(),
            denied: String::new(),
            end_marker: String::new(),
            success: vec![0],
            logs: vec![],
            exclude: vec![],
            key_env: None,
            env: vec![],
            rewind: RewindWord::Logs,
            version: vec![],
        }
    }
}

/// How it gets its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    Stdin,
    /// By `{prompt}` among its arguments.
    Arg,
    /// By `{prompt_file}` among its arguments.
    File,
    /// Typed into its terminal.
    Pty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionWord {
    /// We choose it: `{uuid}`.
    Chosen,
    /// It says it in a JSON line.
    Told,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RewindWord {
    Logs,
    Restart,
    GoOn,
}

#[derive(Debug)]
pub struct Program {
    name: String,
    words: Words,
    denied: Option<Regex>,
}

impl Program {
    /// The error is a sentence.
    pub fn new(name: &str, words: Words) -> Result<Self, String> {
        if words.start.first().is_none_or(String::is_empty) {
            return Err(format!("agent {name} has no command; give one after --, or as start"));
        }
        if words.prompt == Way::Pty && words.end_marker.is_empty() {
            return Err(format!("agent {name} is typed to, so it needs an end_marker"));
        }
        let regex = |pattern: &str| {
            Regex::new(pattern).map_err(|why| format!("agent {name}: {pattern:?}: {why}"))
        };
        let denied = (!words.denied.is_empty()).then(|| regex(&words.denied)).transpose()?;
        if !words.end_marker.is_empty() {
            regex(&words.end_marker)?;
        }
        Ok(Self { name: name.to_owned(), words, denied })
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
            ("{model}", ask.setup.model.clone().unwrap_or_default()),
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
        self.words.start.first().map_or("", String::as_str)
    }

    fn version_words(&self) -> Vec<String> {
        self.words.version.clone()
    }

    fn key_variable(&self) -> Option<&str> {
        self.words.key_env.as_deref()
    }

    fn environment(&self, _setup: &Setup, _stage: &Stage) -> Vec<(String, String)> {
        self.words.env.clone()
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let is_next = ask.session.is_some() && !self.words.next.is_empty();
        let words = if is_next { &self.words.next } else { &self.words.start };
        let mut filled = words.iter().map(|word| self.filled(word, ask));
        let first = filled.next().unwrap_or_default();
        let given = ask.setup.program.as_ref().map(|path| path.to_string_lossy().into_owned());
        Call {
            program: given.unwrap_or(first),
            args: filled.chain(ask.setup.args.iter().cloned()).collect(),
            input: match self.words.prompt {
                Way::Stdin => Input::Prompt,
                Way::Arg | Way::File => Input::Nothing,
                Way::Pty => Input::Typed,
            },
        }
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Lines { words: self.words.clone(), denied: self.denied.clone() })
    }

    fn logs(&self, stage: &Stage) -> Vec<Logs> {
        let logs = |pattern: &String| Logs {
            folder: stage.home(),
            pattern: pattern.clone(),
            is_flat: true,
        };
        self.words.logs.iter().map(logs).collect()
    }

    fn naming(&self) -> Naming {
        match (self.words.session, self.words.prompt) {
            (_, Way::Pty) => Naming::Process,
            (SessionWord::Chosen, _) => Naming::Chosen,
            (SessionWord::Told, _) => Naming::Told,
            (SessionWord::None, _) => Naming::None,
        }
    }

    fn rewind(&self) -> Rewind {
        match self.words.rewind {
            _ if self.words.prompt == Way::Pty => Rewind::Restart,
            RewindWord::Logs => Rewind::Logs,
            RewindWord::Restart => Rewind::Restart,
            RewindWord::GoOn => Rewind::GoOn,
        }
    }

    fn end(&self) -> End {
        match self.words.end_marker.as_str() {
            "" => End::Exit,
            marker => End::Marker(marker.to_owned()),
        }
    }

    fn is_fine(&self, code: i32) -> bool {
        self.words.success.contains(&code)
    }

    fn droppings(&self) -> Vec<&str> {
        self.words.exclude.iter().map(String::as_str).collect()
    }
}

/// What is found where the words say it is.
struct Lines {
    words: Words,
    denied: Option<Regex>,
}

impl Reader for Lines {
    fn line(&mut self, line: &str, from: Stream, heard: &mut Heard) {
        if self.denied.as_ref().is_some_and(|denied| denied.is_match(line)) {
            heard.deny(line);
        }
        if from == Stream::Output {
            heard.say(line);
        } else {
            heard.trouble(line);
        }
        let Some(value) = object(line) else { return };
        if self.words.session == SessionWord::Told
            && let Some(session) = text(&value, &self.words.session_pointer)
        {
            heard.session = Some(session.to_owned());
        }
        let input = count(&value, &self.words.input_pointer);
        let output = count(&value, &self.words.output_pointer);
        if input.or(output).is_some() {
            let now = Tokens { input, output, ..Tokens::default() };
            let before = match heard.tokens {
                Amount::Turn(before) => before,
                _ => Tokens::default(),
            };
            heard.tokens = Amount::Turn(before + now);
        }
        if let Some(cost) = value.pointer(&self.words.cost_pointer).and_then(|it| it.as_f64()) {
            let before = if let Amount::Turn(before) = heard.cost { before } else { 0.0 };
            heard.cost = Amount::Turn(before + cost);
        }
    }
}
