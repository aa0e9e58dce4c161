//! An agent in its own screen, as a person uses it: one process in a terminal, the first request among its arguments and
//! the others typed.
//!
//! Everything that does not depend on the mode (name, key, settings, login, logs, supported layers) comes from the driver
//! without a screen; an [`AgentScreen`] gives what is different. The memory of the agent is its process.

use std::path::PathBuf;

use crate::{run_folders::RunFolders, setup::RunSetup};
use trajview_layers::DeliveryOffers;

use super::{
    agent_output::{NoLines, OutputReader},
    driver::{
        AgentCommand, AgentRequest, AgentSettingsFile, Driver, LogFiles, LogPatterns, RewindMethod,
        SessionNaming, TurnEndSign, hand_on, pasted_bytes,
    },
};

/// The differences of an agent that works in its own screen.
pub trait AgentScreen: Send + Sync + std::fmt::Debug {
    /// Returns the driver of the same agent without its screen.
    fn agent_driver(&self) -> &dyn Driver;

    /// One line for people about how the agent is driven.
    fn summary_line(&self) -> &str;

    /// Returns the command that starts it, with its first request if there is one: in a chat the request is empty.
    fn request_command(&self, ask: &AgentRequest<'_>) -> AgentCommand;

    /// Returns patterns for the lines of its log, or of other files, that begin and end a turn.
    fn log_patterns(&self) -> LogPatterns;

    /// Returns the function that finds the prompt in such a line.
    fn prompt_finder(&self) -> fn(&str) -> Option<String> {
        |_| None
    }

    /// Returns its settings files, including those that keep its screen from asking something first: the answer would
    /// swallow the request.
    fn settings_files(&self, setup: &RunSetup, run_folders: &RunFolders) -> Vec<AgentSettingsFile> {
        self.agent_driver().settings_files(setup, run_folders)
    }

    /// Returns the files that show where a turn begins and ends.
    fn watched_files(&self, run_folders: &RunFolders) -> Vec<LogFiles> {
        self.agent_driver().log_files(run_folders)
    }

    /// Returns the command that exports the log after a turn.
    fn export_command(&self, _ask: &AgentRequest<'_>) -> Option<(AgentCommand, PathBuf)> {
        None
    }
}

/// A driver of an agent in its own screen.
#[derive(Debug)]
pub struct ScreenDriver<S>(pub S);

impl<S: AgentScreen> ScreenDriver<S> {
    fn inner_driver(&self) -> &dyn Driver {
        self.0.agent_driver()
    }

    const fn agent_screen(&self) -> &S {
        &self.0
    }
}

impl<S: AgentScreen> Driver for ScreenDriver<S> {
    hand_on! { inner_driver()
        name() -> &str;
        program_name() -> &str;
        install_command() -> &'static str;
        version_arguments() -> Vec<String>;
        key_variable() -> Option<&str>;
        environment_variables(setup: &RunSetup, run_folders: &RunFolders) -> Vec<(String, String)>;
        login_files(run_folders: &RunFolders) -> Vec<(&'static str, PathBuf)>;
        log_files(run_folders: &RunFolders) -> Vec<LogFiles>;
        is_success_code(code: i32) -> bool;
        own_files() -> Vec<&str>;
        supported_offers() -> DeliveryOffers;
        leaves_sandbox(setup: &RunSetup) -> bool;
        setup_problem(setup: &RunSetup) -> Option<String>;
    }

    hand_on! { agent_screen()
        summary_line() -> &str;
        request_command(ask: &AgentRequest<'_>) -> AgentCommand;
        prompt_finder() -> fn(&str) -> Option<String>;
        settings_files(setup: &RunSetup, run_folders: &RunFolders) -> Vec<AgentSettingsFile>;
        watched_files(run_folders: &RunFolders) -> Vec<LogFiles>;
        export_command(ask: &AgentRequest<'_>) -> Option<(AgentCommand, PathBuf)>;
    }

    fn output_reader(&self) -> Box<dyn OutputReader> {
        Box::new(NoLines)
    }

    fn session_naming(&self) -> SessionNaming {
        SessionNaming::Process
    }

    fn rewind_method(&self) -> RewindMethod {
        RewindMethod::Restart
    }

    fn turn_end_sign(&self) -> TurnEndSign {
        TurnEndSign::Log(self.0.log_patterns())
    }

    fn typed_bytes(&self, prompt: &str) -> Vec<u8> {
        pasted_bytes(prompt)
    }

    /// The key is pressed later: some agents (Gemini CLI) take a return right after a paste for a part of it.
    fn send_key(&self) -> Option<&'static [u8]> {
        Some(b"\r")
    }
}
