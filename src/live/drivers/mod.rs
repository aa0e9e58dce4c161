//! The agents we know how to drive: one file each, one word in the list below.
//!
//! A [`Driver`] is only asked; it starts nothing itself. It says which program to call with which words, what its
//! environment and its settings are, where its logs land, and what the lines it prints mean. To add one, write
//! `drivers/<name>.rs`, add it to the list below, from which `--agent` and `--print-plan` follow, and a row to the README.

mod claude;
mod codex;
mod codex_tui;
pub mod command;
mod gemini;
pub mod heard;
mod mini;
mod opencode;

use std::{fmt::Debug, path::PathBuf};

use super::{setup::Setup, stage::Stage};
use heard::Reader;

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

    /// How a request is sent.
    fn call(&self, ask: &Ask<'_>) -> Call;

    /// What is called after a turn to have its log written down: its standard output is the file.
    fn export(&self, _ask: &Ask<'_>) -> Option<(Call, PathBuf)> {
        None
    }

    /// Understands what one process prints.
    fn reader(&self) -> Box<dyn Reader>;

    /// Where its logs are by the end of a turn.
    fn logs(&self, stage: &Stage) -> Vec<Logs>;

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

    /// A request as it is typed into a terminal, its end included.
    fn typed(&self, prompt: &str) -> Vec<u8> {
        let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{line}\r").into_bytes()
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
    fn droppings(&self) -> Vec<&str> {
        vec![]
    }

    /// The checks before anything is started; a sentence without the agent's name.
    fn problem(&self, _setup: &Setup) -> Option<String> {
        None
    }
}

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
    /// It remembers nothing from turn to turn.
    None,
}

/// What happens to an agent's memory when a turn is done again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewind {
    /// Its logs are its memory: cut back to where they ended before.
    Logs,
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
}

/// Every driver of a certain program, in the order in which they are listed.
pub const DRIVERS: &[&dyn Driver] =
    &[&codex::Codex, &claude::Claude, &mini::Mini, &opencode::OpenCode, &gemini::Gemini];

/// The driver that a setup names. The error is a sentence.
pub fn of(setup: &Setup) -> Result<Box<dyn Driver>, String> {
    if let Some(words) = &setup.command {
        return Ok(Box::new(command::Program::new(&setup.agent, words.clone())?));
    }
    let known = DRIVERS.iter().find(|driver| driver.name() == setup.agent);
    match known {
        Some(driver) if setup.in_terminal => driver
            .in_terminal()
            .ok_or_else(|| format!("agent {} is not driven in a terminal", setup.agent)),
        Some(driver) => Ok(Box::new(Known(*driver))),
        None => Err(format!("no agent is called {}; known: {}", setup.agent, names().join(", "))),
    }
}

pub fn names() -> Vec<&'static str> {
    DRIVERS.iter().map(|driver| driver.name()).collect()
}

/// One of the list, behind the same door as one that was configured.
#[derive(Debug)]
struct Known(&'static dyn Driver);

macro_rules! hand_on {
    ($($method:ident($($argument:ident: $kind:ty),*) -> $gives:ty;)*) => {
        impl Driver for Known {
            $(fn $method(&self, $($argument: $kind),*) -> $gives {
                self.0.$method($($argument),*)
            })*
        }
    };
}

hand_on! {
    name() -> &str;
    about() -> &str;
    program() -> &str;
    install() -> &'static str;
    version_words() -> Vec<String>;
    key_variable() -> Option<&str>;
    environment(setup: &Setup, stage: &Stage) -> Vec<(String, String)>;
    files(setup: &Setup, stage: &Stage) -> Vec<(PathBuf, String)>;
    call(ask: &Ask<'_>) -> Call;
    export(ask: &Ask<'_>) -> Option<(Call, PathBuf)>;
    reader() -> Box<dyn Reader>;
    logs(stage: &Stage) -> Vec<Logs>;
    naming() -> Naming;
    rewind() -> Rewind;
    end() -> End;
    prompt_of() -> fn(&str) -> Option<String>;
    in_terminal() -> Option<Box<dyn Driver>>;
    typed(prompt: &str) -> Vec<u8>;
    is_fine(code: i32) -> bool;
    droppings() -> Vec<&str>;
    problem(setup: &Setup) -> Option<String>;
}

/// The program as it is called.
pub fn program_of(driver: &dyn Driver, setup: &Setup) -> String {
    let given = setup.program.as_ref().map(|path| path.to_string_lossy().into_owned());
    given.unwrap_or_else(|| driver.program().to_owned())
}

/// A request as a terminal gets what is pasted into it, and the key that sends it.
fn pasted(prompt: &str) -> Vec<u8> {
    let text: String = prompt.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    format!("\x1b[200~{text}\x1b[201~\r").into_bytes()
}

/// A text as TOML writes it: JSON's escapes are TOML's too, but for one character.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_driver_has_a_name_of_its_own_and_says_what_it_does() {
        let mut names = names();
        names.push("command");
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(DRIVERS.iter().all(|driver| !driver.about().is_empty()));
    }

    #[test]
    fn every_driver_has_a_row_on_the_page_of_live_runs() {
        let page = include_str!("../../../docs/live.md");
        for name in names() {
            assert!(page.contains(&format!("\n| `{name}` | ")), "{name}");
        }
    }

    #[test]
    fn a_key_is_in_no_file_and_in_no_word_of_any_driver() {
        for driver in DRIVERS {
            let mut setup = Setup::new(driver.name(), "work".into());
            (setup.model, setup.base_url) =
                (Some("m".into()), Some("http://127.0.0.1:1/v1/".into()));
            let stage = Stage::imagined("work".as_ref());
            let written: Vec<String> =
                driver.files(&setup, &stage).into_iter().map(|(_, content)| content).collect();
            let text = format!("{written:?}{:?}", driver.environment(&setup, &stage));
            assert!(text.contains("http://127.0.0.1:1"), "{}: {text}", driver.name());
            assert!(!text.contains("/v1/v1"), "{}: {text}", driver.name());
        }
    }
}
