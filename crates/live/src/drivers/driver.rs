//! What a driver answers: which program is called with which words, where its logs are, and how a turn ends.

use std::{fmt::Debug, path::PathBuf};

use serde_json::json;

use crate::{
    setup::Setup,
    stage::{Deliveries, Stage},
};
use trajview_layers::Offers;

use super::agent_output::Reader;

/// How one agent is started, asked and read.
pub trait Driver: Send + Sync + Debug {
    /// Short, lower case, stable: the word after `--agent`.
    fn name(&self) -> &str;

    /// One line for people: how it is driven.
    fn about(&self) -> &str;

    /// What is called unless `--program` names another.
    fn program(&self) -> &str;

    /// A command that installs it; empty where there is none.
    fn install(&self) -> &'static str {
        ""
    }

    /// What makes the program print its version; empty where it cannot.
    fn version_words(&self) -> Vec<String> {
        vec!["--version".into()]
    }

    /// The variable that holds the key for its model.
    fn key_variable(&self) -> Option<&str> {
        None
    }

    /// Variables it needs, beside those that every agent gets.
    fn environment(&self, _setup: &Setup, _stage: &Stage) -> Vec<(String, String)> {
        vec![]
    }

    /// Settings files, written before the first request.
    fn files(&self, _setup: &Setup, _stage: &Stage) -> Vec<(PathBuf, String)> {
        vec![]
    }

    /// Where a person's login lies below their home, and where the agent looks for it.
    fn logins(&self, _stage: &Stage) -> Vec<(&'static str, PathBuf)> {
        vec![]
    }

    /// How a request is sent.
    fn call(&self, ask: &Ask<'_>) -> Call;

    /// What is called after a turn to have its log written down: its standard output is the file.
    fn export(&self, _ask: &Ask<'_>) -> Option<(Call, PathBuf)> {
        None
    }

    /// What gives it a session back as its log has it, where [`Rewind::Import`] needs it. What is there of it already is taken away
    /// first, by calls that may fail; the last one may not.
    fn import(&self, _ask: &Ask<'_>) -> Vec<Call> {
        vec![]
    }

    /// Understands what one process prints.
    fn reader(&self) -> Box<dyn Reader>;

    /// Where its logs are by the end of a turn.
    fn logs(&self, stage: &Stage) -> Vec<Logs>;

    /// Which files tell where a turn begins and ends, where [`End::Log`] needs it: its logs, or others.
    fn watched(&self, stage: &Stage) -> Vec<Logs> {
        self.logs(stage)
    }

    /// How a session gets its name.
    fn naming(&self) -> Naming;

    /// What is done about its memory when a turn is done again.
    fn rewind(&self) -> Rewind;

    /// How the end of a turn is known.
    fn end(&self) -> End {
        End::Exit
    }

    /// What finds the prompt in a line of its log, where [`End::Log`] needs it.
    fn prompt_of(&self) -> fn(&str) -> Option<String> {
        |_| None
    }

    /// A request as it is typed into a terminal, with what sends it unless that is to wait ([`Self::sends`]).
    fn typed(&self, prompt: &str) -> Vec<u8> {
        let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{line}\r").into_bytes()
    }

    /// The key that sends what was typed, where it is to be pressed once the terminal shows that. None where it is typed with the request.
    fn sends(&self) -> Option<&'static [u8]> {
        None
    }

    /// The same agent in a terminal of its own, as a person would use it. None where it is not driven that way.
    fn in_terminal(&self) -> Option<Box<dyn Driver>> {
        None
    }

    /// Whether the process ended well, by its exit code.
    fn is_fine(&self, code: i32) -> bool {
        code == 0
    }

    /// Files of its own in the workspace, which are not recorded.
    fn own_files(&self) -> Vec<&str> {
        vec![]
    }

    /// What of layers can reach it beside its requests.
    fn takes(&self) -> Offers {
        Offers::default()
    }

    /// Whether the agent's own sandbox is off because another stands around the agent.
    fn leaves_sandbox(&self, _setup: &Setup) -> bool {
        false
    }

    /// The checks before anything is started; a sentence without the agent's name.
    fn problem(&self, _setup: &Setup) -> Option<String> {
        None
    }
}

/// A settings file and what is written into it.
pub type Written = (PathBuf, String);

/// Methods that ask another driver: the one that a method of this type gives.
macro_rules! hand_on {
    ($to:ident() $($method:ident($($argument:ident: $kind:ty),*) -> $gives:ty;)*) => {
        $(fn $method(&self, $($argument: $kind),*) -> $gives {
            self.$to().$method($($argument),*)
        })*
    };
}
pub(super) use hand_on;

/// One request, as a driver is asked about it.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    pub setup: &'a Setup,
    pub stage: &'a Stage,
    /// The session to go on with; None to begin one.
    pub session: Option<&'a str>,
    /// A fresh id, for agents that let us choose.
    pub fresh: &'a str,
    pub prompt: &'a str,
    /// A file with the prompt.
    pub prompt_file: &'a std::path::Path,
    /// Counts from 1.
    pub turn: usize,
}

/// A program and how it gets its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub program: String,
    pub args: Vec<String>,
    pub input: Input,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// On its standard input, which ends with it.
    Prompt,
    /// In its arguments or in a file; its standard input is empty.
    Nothing,
    /// It has a terminal, and the request was among its arguments.
    Terminal,
    /// It has a terminal, and the request is typed.
    Typed,
}

impl Input {
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Terminal | Self::Typed)
    }
}

/// Files below a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logs {
    pub folder: PathBuf,
    /// As `**/rollout-*.jsonl`.
    pub pattern: String,
    /// Whether only the file's own name is kept below `session/`.
    pub is_flat: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// We choose the id.
    Chosen,
    /// It prints the id.
    Told,
    /// There is one session a process, without a name.
    Process,
    /// It reads the log of what was said before, which has no name.
    History,
    /// It remembers nothing from turn to turn.
    None,
}

/// What happens to an agent's memory when a turn is done again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewind {
    /// Its logs are its memory: cut back to where they ended before.
    Logs,
    /// Its log from before is given back to it.
    Import,
    /// It begins a new session.
    Restart,
    /// It goes on, and remembers the turn that did not count.
    GoOn,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The process ends.
    Exit,
    /// The terminal shows something that matches, and nothing follows for a moment.
    Marker(String),
    /// New lines of its log say it.
    Log(LogPatterns),
}

/// Which lines of a log say what of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogPatterns {
    /// The turn is over.
    pub ends: &'static str,
    /// A turn begins, also one that the agent begins by itself with a prompt that it had kept.
    pub begins: &'static str,
    /// What looked like the end was none; None where a line that ends a turn is always true.
    pub goes_on: Option<&'static str>,
    /// What the title of its terminal says; None where nothing is known of that.
    pub titles: Option<Titles>,
}

/// Parts of the title of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Titles {
    /// While the agent works, however still its screen is.
    pub works: &'static str,
    /// While it waits for a person's answer.
    pub asks: &'static str,
}

impl Call {
    /// The driver's program with its words, and after them those that the setup adds.
    pub fn of(driver: &dyn Driver, ask: &Ask<'_>, words: Vec<&str>, input: Input) -> Self {
        let args = words.into_iter().map(str::to_owned).chain(ask.setup.args.iter().cloned());
        Self { program: program_of(driver, ask.setup), args: args.collect(), input }
    }
}

/// The program as it is called.
pub fn program_of(driver: &dyn Driver, setup: &Setup) -> String {
    let given = setup.program.as_ref().map(|path| path.to_string_lossy().into_owned());
    given.unwrap_or_else(|| driver.program().to_owned())
}

/// A request as a terminal gets what is pasted into it.
pub fn pasted(prompt: &str) -> Vec<u8> {
    let text: String = prompt.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    format!("\x1b[200~{text}\x1b[201~").into_bytes()
}

/// Hooks as Codex and Claude Code know them: this program is asked about each call of these tools (all of them where none are
/// named) once it is over.
pub fn hooks(deliveries: &Deliveries, tools: Option<&str>) -> String {
    let hook = json!({"type": "command", "command": deliveries.shell_line("hook")});
    let mut group = json!({"hooks": [hook]});
    if let Some(tools) = tools {
        group["matcher"] = tools.into();
    }
    format!("{:#}\n", json!({"hooks": {"PostToolUse": [group]}}))
}

/// A text as TOML writes it: JSON's escapes are TOML's too, but for one character.
pub fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
