//! A driver: which program is called with which arguments, where its logs are, and how a turn ends.

use std::path::PathBuf;

use serde_json::json;

use crate::{
    run_folders::{LayerAccess, RunFolders},
    setup::RunSetup,
};
use trajview_layers::DeliveryOffers;

use super::agent_output::OutputFormat;

/// How one agent is started, asked and read: facts, and functions for what depends on the setup and the folders of a run.
/// The driver of an agent names only what differs from [`Driver::new`].
#[derive(Debug, Clone)]
pub struct Driver {
    /// The name after `--agent`: short, lower case, stable.
    pub name: String,
    /// One line for people about how the agent is driven.
    pub summary: &'static str,
    /// The program that is called unless `--program` names another.
    pub program: String,
    /// The command that installs the agent; empty when there is none.
    pub install_command: &'static str,
    /// The arguments that make the program print its version; empty when it cannot.
    pub version_arguments: Vec<String>,
    /// The variable with the key for its model; None when it needs none.
    pub key_variable: Option<String>,
    /// Variables that it needs in every run, in addition to those of every agent.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// The variable with the address of its model server, and the path that follows the address.
    pub(super) server_variable: Option<(&'static str, &'static str)>,
    /// Variables that depend on the run.
    pub(super) run_variables: fn(&RunSetup, &RunFolders) -> Vec<(String, String)>,
    /// Settings files with their content, written before the first request.
    pub settings_files: fn(&RunSetup, &RunFolders) -> Vec<AgentSettingsFile>,
    /// Login files: the path below the person's home, and the path where the agent looks for it.
    pub login_files: fn(&RunFolders) -> Vec<(&'static str, PathBuf)>,
    /// The command that sends a request. In a screen it starts the program, and the request of a chat is empty.
    pub(super) request_command: RequestCommand,
    /// The command that exports the agent's log after a turn, and the file that its standard output becomes. None when the
    /// agent writes its log itself.
    pub(super) export_command: fn(&Driver, &AgentRequest<'_>) -> Option<(AgentCommand, PathBuf)>,
    /// The commands that import a session from its log, for [`RewindMethod::Import`]. The first ones delete the present
    /// session and may fail; the last one may not.
    pub(super) import_commands: fn(&Driver, &AgentRequest<'_>) -> Vec<AgentCommand>,
    /// The form of its output.
    pub output: OutputFormat,
    /// The places of its logs at the end of a turn.
    pub log_files: LogPlaces,
    /// The files that show where a turn begins and ends, for [`TurnEndSign::Log`]; None for its logs.
    pub(super) watched_files: Option<LogPlaces>,
    /// How a session gets its name.
    pub session_naming: SessionNaming,
    /// How its memory is reset when a turn is done again.
    pub rewind_method: RewindMethod,
    /// The sign by which the end of a turn is recognised.
    pub turn_end_sign: TurnEndSign,
    /// The bytes that type a request into a terminal, with the key that sends it unless that is pressed later
    /// ([`Self::send_key`]).
    pub typed_bytes: fn(&str) -> Vec<u8>,
    /// The key that sends the typed request, when it is pressed only after the terminal shows the request. None when it is
    /// typed together with the request.
    pub send_key: Option<&'static [u8]>,
    /// The driver of the same agent in its own screen, as a person would use it. None when it has none.
    pub in_terminal: Option<fn() -> Driver>,
    /// Exit codes of a process that ended well.
    pub success_codes: Vec<i32>,
    /// Patterns of its own files in the workspace, which are not recorded.
    pub own_files: Vec<String>,
    /// The offers of layers that it supports, besides text before its requests.
    pub supported_offers: DeliveryOffers,
    /// Whether the agent's own sandbox is off because another one is around the agent.
    pub leaves_sandbox: fn(&RunSetup) -> bool,
    /// Checks the setup before anything is started; the problem is a sentence without the agent's name.
    pub setup_problem: fn(&RunSetup) -> Option<String>,
}

type RequestCommand = fn(&Driver, &AgentRequest<'_>) -> AgentCommand;
type LogPlaces = fn(&RunSetup, &RunFolders) -> Vec<LogFiles>;

/// A settings file: its path and its content.
pub type AgentSettingsFile = (PathBuf, String);

impl Driver {
    /// Returns the driver of a program that is called like the agent and ends with each turn; nothing is read of its output.
    pub(super) fn new(name: &str, request_command: RequestCommand) -> Self {
        Self {
            name: name.to_owned(),
            summary: "",
            program: name.to_owned(),
            install_command: "",
            version_arguments: vec!["--version".into()],
            key_variable: None,
            variables: &[],
            server_variable: None,
            run_variables: |_, _| vec![],
            settings_files: |_, _| vec![],
            login_files: |_| vec![],
            request_command,
            export_command: |_, _| None,
            import_commands: |_, _| vec![],
            output: OutputFormat::Unread,
            log_files: |_, _| vec![],
            watched_files: None,
            session_naming: SessionNaming::None,
            rewind_method: RewindMethod::Logs,
            turn_end_sign: TurnEndSign::Exit,
            typed_bytes: |prompt| {
                let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
                format!("{line}\r").into_bytes()
            },
            send_key: None,
            in_terminal: None,
            success_codes: vec![0],
            own_files: vec![],
            supported_offers: DeliveryOffers::default(),
            leaves_sandbox: |_| false,
            setup_problem: |_| None,
        }
    }

    /// Returns the driver of the same agent in its own screen: one process in a terminal, the first request among its
    /// arguments and the others typed. Its memory is its process. Everything else is as without the screen.
    pub(super) fn in_own_screen(
        self,
        summary: &'static str,
        request_command: RequestCommand,
        turn_end: LogPatterns,
    ) -> Self {
        Self {
            summary,
            request_command,
            export_command: |_, _| None,
            import_commands: |_, _| vec![],
            output: OutputFormat::Unread,
            session_naming: SessionNaming::Process,
            rewind_method: RewindMethod::Restart,
            turn_end_sign: TurnEndSign::Log(turn_end),
            typed_bytes: pasted_bytes,
            // Pressed later: some agents (Gemini CLI) take a return right after a paste for a part of it.
            send_key: Some(b"\r"),
            in_terminal: None,
            ..self
        }
    }

    /// Returns the program of the setup, or else the driver's own.
    pub fn called_program(&self, setup: &RunSetup) -> String {
        let given = setup.program.as_ref().map(|path| path.to_string_lossy().into_owned());
        given.unwrap_or_else(|| self.program.clone())
    }

    /// Returns the variables that it needs in addition to those of every agent.
    pub(crate) fn environment_variables(
        &self,
        setup: &RunSetup,
        run_folders: &RunFolders,
    ) -> Vec<(String, String)> {
        let fixed =
            self.variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let server = self.server_variable.zip(setup.server_url());
        let server = server.map(|((name, path), url)| (name.to_owned(), format!("{url}{path}")));
        fixed.chain(server).chain((self.run_variables)(setup, run_folders)).collect()
    }

    pub(crate) fn watched_files(&self, setup: &RunSetup, folders: &RunFolders) -> Vec<LogFiles> {
        self.watched_files.unwrap_or(self.log_files)(setup, folders)
    }

    pub(crate) fn request_command(&self, ask: &AgentRequest<'_>) -> AgentCommand {
        (self.request_command)(self, ask)
    }

    pub(crate) fn export_command(&self, ask: &AgentRequest<'_>) -> Option<(AgentCommand, PathBuf)> {
        (self.export_command)(self, ask)
    }

    pub(crate) fn import_commands(&self, ask: &AgentRequest<'_>) -> Vec<AgentCommand> {
        (self.import_commands)(self, ask)
    }

    /// Builds a command of the driver's program with these arguments.
    pub(crate) fn command<A: Into<String>>(
        &self,
        setup: &RunSetup,
        args: impl IntoIterator<Item = A>,
        input: RequestInput,
    ) -> AgentCommand {
        let args = args.into_iter().map(Into::into).collect();
        AgentCommand { program: self.called_program(setup), args, input }
    }

    /// Builds the command of a request: these arguments, followed by those of the setup.
    pub(super) fn command_with_setup_args(
        &self,
        ask: &AgentRequest<'_>,
        args: Vec<&str>,
        input: RequestInput,
    ) -> AgentCommand {
        let more = ask.setup.args.iter().map(String::as_str);
        self.command(ask.setup, args.into_iter().chain(more), input)
    }
}

/// Returns the problem of an agent that needs the name of a model, in a setup without one.
pub(super) fn lacks_model(setup: &RunSetup) -> Option<String> {
    setup.provider.model.is_none().then(|| "needs the name of a model: --model NAME".into())
}

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

impl AgentRequest<'_> {
    /// Returns the options of agents that name the session to resume, or the id of a new one.
    pub(super) const fn session_options(&self) -> [&str; 2] {
        match self.session {
            Some(session) => ["--resume", session],
            None => ["--session-id", self.fresh],
        }
    }

    /// Returns the option that names the model, if the setup names one.
    pub(super) fn model_option<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.setup.provider.model.iter().flat_map(move |model| [name, model])
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

impl LogFiles {
    /// Names files that are kept without their folders.
    pub(super) fn flat(folder: PathBuf, pattern: &str) -> Self {
        Self { folder, pattern: pattern.to_owned(), is_flat: true }
    }
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

#[derive(Debug, Clone)]
pub enum TurnEndSign {
    /// The process ends.
    Exit,
    /// The terminal shows something that matches, and nothing follows for a moment.
    Marker(String),
    /// New lines of its log show the end.
    Log(LogPatterns),
}

/// Patterns for the lines of a log that begin and end a turn.
#[derive(Debug, Clone, Copy)]
pub struct LogPatterns {
    /// A line that ends a turn.
    pub ends: &'static str,
    /// A line that begins a turn, also one that the agent begins by itself with a queued prompt.
    pub begins: &'static str,
    /// A line that takes back the end of a turn; None when a line that ends a turn is always final.
    pub goes_on: Option<&'static str>,
    /// Parts of the title of its terminal; None when nothing is known of that.
    pub titles: Option<TitlePatterns>,
    /// Finds the prompt of a person in a line.
    pub prompt_in_line: fn(&str) -> Option<String>,
}

/// Parts of the title of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TitlePatterns {
    /// In the title while the agent works, however still its screen is.
    pub works: &'static str,
    /// In the title while it waits for a person's answer.
    pub asks: &'static str,
}

/// Returns a request as a bracketed paste of a terminal.
pub(super) fn pasted_bytes(prompt: &str) -> Vec<u8> {
    let text: String = prompt.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    format!("\x1b[200~{text}\x1b[201~").into_bytes()
}

/// Returns hook settings for Codex and Claude Code: this program is called after each call of these tools (of all tools
/// when none are named).
pub(super) fn hook_settings(deliveries: &LayerAccess, tools: Option<&str>) -> String {
    let hook = json!({"type": "command", "command": deliveries.shell_line("hook")});
    let mut group = json!({"hooks": [hook]});
    if let Some(tools) = tools {
        group["matcher"] = tools.into();
    }
    format!("{:#}\n", json!({"hooks": {"PostToolUse": [group]}}))
}

/// Returns a text as a TOML string: JSON's escapes are TOML's too, but for one character.
pub(super) fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
