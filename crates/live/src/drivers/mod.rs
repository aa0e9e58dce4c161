//! The drivers of agents: one file each, one line in the list below.
//!
//! A [`Driver`] starts nothing itself. It says which program to call with which arguments, what its environment and
//! settings are, where its logs are, and what the lines of its output mean. To add one, write `drivers/<name>.rs`, add it
//! to the list below, from which `--agent` and `--print-plan` follow, and a row to the README.

pub mod agent_output;
mod aider;
mod claude;
mod claude_tui;
mod codex;
mod codex_tui;
pub mod command;
mod copilot;
mod driver;
mod gemini;
mod gemini_tui;
mod mini;
mod opencode;
mod opencode_tui;
mod qwen;
mod screen_driver;

use std::path::PathBuf;

use super::{run_folders::RunFolders, setup::RunSetup};
use agent_output::OutputReader;
use trajview_layers::DeliveryOffers;

pub use driver::{
    AgentCommand, AgentRequest, Driver, LogFiles, LogPatterns, RequestInput, RewindMethod,
    SessionNaming, TitlePatterns, TurnEndSign, called_program,
};

/// Every built-in driver, in the order in which they are listed.
pub const DRIVERS: &[&dyn Driver] = &[
    &codex::CodexDriver,
    &claude::ClaudeDriver,
    &mini::MiniDriver,
    &opencode::OpenCodeDriver,
    &gemini::GeminiDriver,
    &qwen::QwenDriver,
    &copilot::CopilotDriver,
    &aider::AiderDriver,
];

/// Returns the driver that a setup names. The error is a sentence.
pub fn driver_for_setup(setup: &RunSetup) -> Result<Box<dyn Driver>, String> {
    if let Some(words) = &setup.command {
        return Ok(Box::new(command::ConfiguredProgram::new(&setup.agent, words.clone())?));
    }
    let known = DRIVERS.iter().find(|driver| driver.name() == setup.agent);
    match known {
        Some(driver) if setup.in_terminal => driver
            .in_terminal()
            .ok_or_else(|| format!("agent {} is not driven in a terminal", setup.agent)),
        Some(driver) => Ok(Box::new(ListedDriver(*driver))),
        None => {
            Err(format!("no agent is called {}; known: {}", setup.agent, driver_names().join(", ")))
        }
    }
}

pub fn driver_names() -> Vec<&'static str> {
    DRIVERS.iter().map(|driver| driver.name()).collect()
}

/// A driver of the list, boxed like one that was configured.
#[derive(Debug)]
struct ListedDriver(&'static dyn Driver);

impl ListedDriver {
    const fn listed_driver(&self) -> &'static dyn Driver {
        self.0
    }
}

impl Driver for ListedDriver {
    driver::hand_on! { listed_driver()
    name() -> &str;
    summary_line() -> &str;
    program_name() -> &str;
    install_command() -> &'static str;
    version_arguments() -> Vec<String>;
    key_variable() -> Option<&str>;
    environment_variables(setup: &RunSetup, run_folders: &RunFolders) -> Vec<(String, String)>;
    settings_files(setup: &RunSetup, run_folders: &RunFolders) -> Vec<(PathBuf, String)>;
    login_files(run_folders: &RunFolders) -> Vec<(&'static str, PathBuf)>;
    request_command(ask: &AgentRequest<'_>) -> AgentCommand;
    export_command(ask: &AgentRequest<'_>) -> Option<(AgentCommand, PathBuf)>;
    import_commands(ask: &AgentRequest<'_>) -> Vec<AgentCommand>;
    output_reader() -> Box<dyn OutputReader>;
    log_files(run_folders: &RunFolders) -> Vec<LogFiles>;
    watched_files(run_folders: &RunFolders) -> Vec<LogFiles>;
    session_naming() -> SessionNaming;
    rewind_method() -> RewindMethod;
    turn_end_sign() -> TurnEndSign;
    prompt_finder() -> fn(&str) -> Option<String>;
    in_terminal() -> Option<Box<dyn Driver>>;
    typed_bytes(prompt: &str) -> Vec<u8>;
    send_key() -> Option<&'static [u8]>;
    is_success_code(code: i32) -> bool;
    own_files() -> Vec<&str>;
    supported_offers() -> DeliveryOffers;
        leaves_sandbox(setup: &RunSetup) -> bool;
    setup_problem(setup: &RunSetup) -> Option<String>;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolation::Sandbox;

    #[test]
    fn every_driver_has_a_name_of_its_own_and_says_what_it_does() {
        let mut names = driver_names();
        names.push("command");
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(DRIVERS.iter().all(|driver| !driver.summary_line().is_empty()));
    }

    #[test]
    fn every_driver_has_a_row_on_the_page_of_live_runs() {
        let page = include_str!("../../../../docs/live.md");
        for name in driver_names() {
            assert!(page.contains(&format!("\n| `{name}` | ")), "{name}");
        }
    }

    /// Facts of an agent that hold in both modes were once left out in two of four screen drivers.
    #[test]
    fn an_agent_in_its_own_screen_is_the_same_agent() {
        let run_folders = RunFolders::for_plan("work".as_ref());
        let mut with_screen = vec![];
        for driver in DRIVERS {
            let Some(screen) = driver.in_terminal() else { continue };
            with_screen.push(driver.name());
            let mut setup = RunSetup::new(driver.name(), "work".into());
            setup.folders.isolation.sandbox = Sandbox::Bwrap;
            assert_eq!(screen.name(), driver.name());
            assert_eq!(screen.program_name(), driver.program_name());
            assert_eq!(screen.install_command(), driver.install_command());
            assert_eq!(screen.version_arguments(), driver.version_arguments());
            assert_eq!(screen.key_variable(), driver.key_variable());
            assert_eq!(
                screen.environment_variables(&setup, &run_folders),
                driver.environment_variables(&setup, &run_folders)
            );
            assert_eq!(screen.login_files(&run_folders), driver.login_files(&run_folders));
            assert_eq!(screen.log_files(&run_folders), driver.log_files(&run_folders));
            assert_eq!(screen.own_files(), driver.own_files());
            assert_eq!(screen.supported_offers(), driver.supported_offers());
            assert_eq!(screen.leaves_sandbox(&setup), driver.leaves_sandbox(&setup));
            assert_eq!(screen.setup_problem(&setup), driver.setup_problem(&setup));
            let own: Vec<PathBuf> =
                driver.settings_files(&setup, &run_folders).into_iter().map(|it| it.0).collect();
            let all: Vec<PathBuf> =
                screen.settings_files(&setup, &run_folders).into_iter().map(|it| it.0).collect();
            assert!(own.iter().all(|path| all.contains(path)), "{own:?} {all:?}");
            assert_ne!(screen.summary_line(), driver.summary_line());
        }
        assert_eq!(with_screen, ["codex", "claude", "opencode", "gemini"]);
    }

    #[test]
    fn a_login_is_copied_to_where_the_agent_looks_for_it_or_the_flag_is_refused() {
        let mut run_folders = RunFolders::for_plan("work".as_ref());
        for driver in DRIVERS {
            let screens = driver.in_terminal();
            let all = std::iter::once(*driver).chain(screens.as_deref());
            for driver in all {
                let mut setup = RunSetup::new(driver.name(), "work".into());
                setup.folders.copies_login = true;
                let can_be_copied = ["codex", "claude", "opencode"].contains(&driver.name());
                assert_eq!(
                    !driver.login_files(&run_folders).is_empty(),
                    can_be_copied,
                    "{}",
                    driver.name()
                );
                if !can_be_copied {
                    let why = run_folders.set_environment(&setup, driver).unwrap_err();
                    assert!(why.contains("has no login that could be copied"), "{why}");
                }
            }
        }
    }

    #[test]
    fn a_key_is_in_no_file_and_in_no_word_of_any_driver() {
        for driver in DRIVERS {
            let mut setup = RunSetup::new(driver.name(), "work".into());
            (setup.provider.model, setup.provider.base_url) =
                (Some("m".into()), Some("http://127.0.0.1:1/v1/".into()));
            let run_folders = RunFolders::for_plan("work".as_ref());
            let written: Vec<String> = driver
                .settings_files(&setup, &run_folders)
                .into_iter()
                .map(|(_, content)| content)
                .collect();
            let text =
                format!("{written:?}{:?}", driver.environment_variables(&setup, &run_folders));
            assert!(text.contains("http://127.0.0.1:1"), "{}: {text}", driver.name());
            assert!(!text.contains("/v1/v1"), "{}: {text}", driver.name());
        }
    }
}
