//! The interface of a driver: which program is called with which arguments, where its logs are, and how a turn ends.

use std::{fmt::Debug, path::PathBuf};

use serde_json::json;

use crate::{
    run_folders::{LayerAccess, RunFolders},
    setup::RunSetup,
};
use trajview_layers::DeliveryOffers;

use super::agent_output::OutputReader;

/// Starts, asks and reads one agent.
pub trait Driver: Send + Sync + Debug {
    /// The name after `--agent`: short, lower case, stable.
    fn name(&self) -> &str;

    /// One line for people about how the agent is driven.
    fn summary_line(&self) -> &str;

    /// The program that is called unless `--program` names another.
    fn program_name(&self) -> &str;

    /// The command that installs the agent; empty when there is none.
    fn install_command(&self) -> &'static str {
        ""
    }

    /// The arguments that make the program print its version; empty when it cannot.
    fn version_arguments(&self) -> Vec<String> {
        vec!["--version".into()]
    }

    /// The variable with the key for its model; None when it needs none.
    fn key_variable(&self) -> Option<&str> {
        None
    }

    /// Variables that it needs in addition to those of every agent.
    fn environment_variables(
        &self,
        _setup: &RunSetup,
        _stage: &RunFolders,
    ) -> Vec<(String, String)> {
        vec![]
    }

    /// Settings files with their content, written before the first request.
    fn settings_files(&self, _setup: &RunSetup, _stage: &RunFolders) -> Vec<(PathBuf, String)> {
        vec![]
    }

    /// Login files: the path below the person's home, and the path where the agent looks for it.
    fn login_files(&self, _stage: &RunFolders) -> Vec<(&'static str, PathBuf)> {
        vec![]
    }

    /// Returns the command that sends a request.
    fn request_command(&self, ask: &AgentRequest<'_>) -> AgentCommand;

    /// Returns the command that exports the agent's log after a turn, and the file that its standard output becomes. None
    /// when the agent writes its log itself.
    fn export_command(&self, _ask: &AgentRequest<'_>) -> Option<(AgentCommand, PathBuf)> {
        None
    }

    /// Returns the commands that import a session from its log, for [`RewindMethod::Import`]. The first ones delete the
    /// present session and may fail; the last one may not.
    fn import_commands(&self, _ask: &AgentRequest<'_>) -> Vec<AgentCommand> {
        vec![]
    }

    /// Returns a reader for the output of one process.
    fn output_reader(&self) -> Box<dyn OutputReader>;

    /// Returns the places of its logs at the end of a turn.
    fn log_files(&self, run_folders: &RunFolders) -> Vec<LogFiles>;

    /// Returns the files that show where a turn begins and ends, for [`TurnEndSign::Log`]: its logs, or others.
    fn watched_files(&self, run_folders: &RunFolders) -> Vec<LogFiles> {
        self.log_files(run_folders)
    }

    /// Returns how a session gets its name.
    fn session_naming(&self) -> SessionNaming;

    /// Returns how its memory is reset when a turn is done again.
    fn rewind_method(&self) -> RewindMethod;

    /// Returns the sign by which the end of a turn is recognised.
    fn turn_end_sign(&self) -> TurnEndSign {
        TurnEndSign::Exit
    }

    /// Returns the function that finds the prompt in a line of its log, for [`TurnEndSign::Log`].
    fn prompt_finder(&self) -> fn(&str) -> Option<String> {
        |_| None
    }

    /// Returns the bytes that type a request into a terminal, with the key that sends it unless that is pressed later
    /// ([`Self::send_key`]).
    fn typed_bytes(&self, prompt: &str) -> Vec<u8> {
        let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{line}\r").into_bytes()
    }

    /// Returns the key that sends the typed request, when it is pressed only after the terminal shows the request. None
    /// when it is typed together with the request.
    fn send_key(&self) -> Option<&'static [u8]> {
        None
    }

    /// Returns the driver of the same agent in its own screen, as a person would use it. None when it has none.
    fn in_terminal(&self) -> Option<Box<dyn Driver>> {
        None
    }

    /// Returns whether the process ended well, by its exit code.
    fn is_success_code(&self, code: i32) -> bool {
        code == 0
    }

    /// Returns patterns of its own files in the workspace, which are not recorded.
    fn own_files(&self) -> Vec<&str> {
        vec![]
    }

    /// Returns the offers of layers that it supports, besides text before its requests.
    fn supported_offers(&self) -> DeliveryOffers {
        DeliveryOffers::default()
    }

    /// Returns whether the agent's own sandbox is off because another one is around the agent.
    fn leaves_sandbox(&self, _setup: &RunSetup) -> bool {
        false
    }

    /// Checks the setup before anything is started; the problem is a sentence without the agent's name.
    fn setup_problem(&self, _setup: &RunSetup) -> Option<String> {
        None
    }
}

/// A settings file: its path and its content.
pub type AgentSettingsFile = (PathBuf, String);

/// Defines methods that delegate to another driver: the one that the method before `()` returns.
macro_rules! hand_on {
    ($to:ident() $($method:ident($($argument:ident: $kind:ty),*) -> $gives:ty;)*) => {
        $(fn $method(&self, $($argument: $kind),*) -> $gives {
            self.$to().$method($($argument),*)
        })*
    };
}
pub(super) use hand_on;

/// One request, as a driver gets it.
#[derive(Debug, Clone, Copy)]
pub struct AgentRequest<'a> {
    pub setup: &'a RunSetup,
    pub run_folders: &'a RunFolders,
    /// The session to resume; None to begin one.
    pub session: Option<&'a str>,
    /// A new id, for agents whose session id we choose.
    pub fresh: &'a str,
    pub prompt: &'a str,
    /// A file with the prompt.
    pub prompt_file: &'a std::path::Path,
    /// Counts from 1.
    pub turn: usize,
}

/// A program, its arguments, and the place of its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentCommand {
    pub program: String,
    pub args: Vec<String>,
    pub input: RequestInput,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestInput {
    /// The request is its standard input.
    Prompt,
    /// The request is in its arguments or in a file; its standard input is empty.
    Nothing,
    /// The program has a terminal, and the request is among its arguments.
    Terminal,
    /// The program has a terminal, and the request is typed.
    Typed,
}

impl RequestInput {
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Terminal | Self::Typed)
    }
}

/// Files below a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFiles {
    pub folder: PathBuf,
    /// A glob, such as `**/rollout-*.jsonl`.
    pub pattern: String,
    /// True if only the file's own name is kept below `session/`, without its folders.
    pub is_flat: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionNaming {
    /// We choose the id.
    Chosen,
    /// The agent prints the id.
    Printed,
    /// There is one session a process, without a name.
    Process,
    /// The agent reads its chat history, which has no name.
    History,
    /// The agent remembers nothing from turn to turn.
    None,
}

/// The reset of an agent's memory when a turn is done again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewindMethod {
    /// Its logs are its memory: they are cut back to where they ended before the turn.
    Logs,
    /// Its log from before the turn is imported.
    Import,
    /// The agent begins a new session.
    Restart,
    /// The agent goes on, and remembers the turn that did not count.
    GoOn,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEndSign {
    /// The process ends.
    Exit,
    /// The terminal shows something that matches, and nothing follows for a moment.
    Marker(String),
    /// New lines of its log show the end.
    Log(LogPatterns),
}

/// Patterns for the lines of a log that begin and end a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogPatterns {
    /// A line that ends a turn.
    pub ends: &'static str,
    /// A line that begins a turn, also one that the agent begins by itself with a queued prompt.
    pub begins: &'static str,
    /// A line that takes back the end of a turn; None when a line that ends a turn is always final.
    pub goes_on: Option<&'static str>,
    /// Parts of the title of its terminal; None when nothing is known of that.
    pub titles: Option<TitlePatterns>,
}

/// Parts of the title of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TitlePatterns {
    /// In the title while the agent works, however still its screen is.
    pub works: &'static str,
    /// In the title while it waits for a person's answer.
    pub asks: &'static str,
}

impl AgentCommand {
    /// Builds the command of the driver's program with these arguments, followed by those of the setup.
    pub(crate) fn for_driver(
        driver: &dyn Driver,
        ask: &AgentRequest<'_>,
        words: Vec<&str>,
        input: RequestInput,
    ) -> Self {
        let args = words.into_iter().map(str::to_owned).chain(ask.setup.args.iter().cloned());
        Self { program: called_program(driver, ask.setup), args: args.collect(), input }
    }
}

/// Returns the program of the setup, or else the driver's own.
pub fn called_program(driver: &dyn Driver, setup: &RunSetup) -> String {
    let given = setup.program.as_ref().map(|path| path.to_string_lossy().into_owned());
    given.unwrap_or_else(|| driver.program_name().to_owned())
}

/// Returns a request as a bracketed paste of a terminal.
pub(crate) fn pasted_bytes(prompt: &str) -> Vec<u8> {
    let text: String = prompt.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    format!("\x1b[200~{text}\x1b[201~").into_bytes()
}

/// Returns hook settings for Codex and Claude Code: this program is called after each call of these tools (of all tools
/// when none are named).
pub(crate) fn hook_settings(deliveries: &LayerAccess, tools: Option<&str>) -> String {
    let hook = json!({"type": "command", "command": deliveries.shell_line("hook")});
    let mut group = json!({"hooks": [hook]});
    if let Some(tools) = tools {
        group["matcher"] = tools.into();
    }
    format!("{:#}\n", json!({"hooks": {"PostToolUse": [group]}}))
}

/// Returns a text as a TOML string: JSON's escapes are TOML's too, but for one character.
pub(crate) fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
