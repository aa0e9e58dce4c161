//! The agents we know how to drive: one file each, one word in the list below.
//!
//! A [`Driver`] is only asked; it starts nothing itself. It says which program to call with which words, what its
//! environment and its settings are, where its logs land, and what the lines it prints mean. To add one, write
//! `drivers/<name>.rs`, add it to the list below, from which `--agent` and `--print-plan` follow, and a row to the README.

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
mod own_screen;
mod qwen;

use std::path::PathBuf;

use super::{setup::Setup, stage::Stage};
use agent_output::Reader;
use trajview_layers::Offers;

pub use driver::{
    Ask, Call, Driver, End, Input, LogPatterns, Logs, Naming, Rewind, Titles, program_of,
};

/// Every driver of a certain program, in the order in which they are listed.
pub const DRIVERS: &[&dyn Driver] = &[
    &codex::Codex,
    &claude::Claude,
    &mini::Mini,
    &opencode::OpenCode,
    &gemini::Gemini,
    &qwen::Qwen,
    &copilot::Copilot,
    &aider::Aider,
];

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

impl Known {
    const fn agent(&self) -> &'static dyn Driver {
        self.0
    }
}

impl Driver for Known {
    driver::hand_on! { agent()
    name() -> &str;
    about() -> &str;
    program() -> &str;
    install() -> &'static str;
    version_words() -> Vec<String>;
    key_variable() -> Option<&str>;
    environment(setup: &Setup, stage: &Stage) -> Vec<(String, String)>;
    files(setup: &Setup, stage: &Stage) -> Vec<(PathBuf, String)>;
    logins(stage: &Stage) -> Vec<(&'static str, PathBuf)>;
    call(ask: &Ask<'_>) -> Call;
    export(ask: &Ask<'_>) -> Option<(Call, PathBuf)>;
    import(ask: &Ask<'_>) -> Vec<Call>;
    reader() -> Box<dyn Reader>;
    logs(stage: &Stage) -> Vec<Logs>;
    watched(stage: &Stage) -> Vec<Logs>;
    naming() -> Naming;
    rewind() -> Rewind;
    end() -> End;
    prompt_of() -> fn(&str) -> Option<String>;
    in_terminal() -> Option<Box<dyn Driver>>;
    typed(prompt: &str) -> Vec<u8>;
    sends() -> Option<&'static [u8]>;
    is_fine(code: i32) -> bool;
    own_files() -> Vec<&str>;
    takes() -> Offers;
        leaves_sandbox(setup: &Setup) -> bool;
    problem(setup: &Setup) -> Option<String>;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolation::Sandbox;

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
        let page = include_str!("../../../../docs/live.md");
        for name in names() {
            assert!(page.contains(&format!("\n| `{name}` | ")), "{name}");
        }
    }

    /// What is true of an agent however it is driven was once left out in two of four screens.
    #[test]
    fn an_agent_in_its_own_screen_is_the_same_agent() {
        let stage = Stage::imagined("work".as_ref());
        let mut with_screen = vec![];
        for driver in DRIVERS {
            let Some(screen) = driver.in_terminal() else { continue };
            with_screen.push(driver.name());
            let mut setup = Setup::new(driver.name(), "work".into());
            setup.folders.isolation.sandbox = Sandbox::Bwrap;
            assert_eq!(screen.name(), driver.name());
            assert_eq!(screen.program(), driver.program());
            assert_eq!(screen.install(), driver.install());
            assert_eq!(screen.version_words(), driver.version_words());
            assert_eq!(screen.key_variable(), driver.key_variable());
            assert_eq!(screen.environment(&setup, &stage), driver.environment(&setup, &stage));
            assert_eq!(screen.logins(&stage), driver.logins(&stage));
            assert_eq!(screen.logs(&stage), driver.logs(&stage));
            assert_eq!(screen.own_files(), driver.own_files());
            assert_eq!(screen.takes(), driver.takes());
            assert_eq!(screen.leaves_sandbox(&setup), driver.leaves_sandbox(&setup));
            assert_eq!(screen.problem(&setup), driver.problem(&setup));
            let own: Vec<PathBuf> =
                driver.files(&setup, &stage).into_iter().map(|it| it.0).collect();
            let all: Vec<PathBuf> =
                screen.files(&setup, &stage).into_iter().map(|it| it.0).collect();
            assert!(own.iter().all(|path| all.contains(path)), "{own:?} {all:?}");
            assert_ne!(screen.about(), driver.about());
        }
        assert_eq!(with_screen, ["codex", "claude", "opencode", "gemini"]);
    }

    #[test]
    fn a_login_is_copied_to_where_the_agent_looks_for_it_or_the_flag_is_refused() {
        let mut stage = Stage::imagined("work".as_ref());
        for driver in DRIVERS {
            let screens = driver.in_terminal();
            let all = std::iter::once(*driver).chain(screens.as_deref());
            for driver in all {
                let mut setup = Setup::new(driver.name(), "work".into());
                setup.folders.copies_login = true;
                let can_be_copied = ["codex", "claude", "opencode"].contains(&driver.name());
                assert_eq!(!driver.logins(&stage).is_empty(), can_be_copied, "{}", driver.name());
                if !can_be_copied {
                    let why = stage.furnish(&setup, driver).unwrap_err();
                    assert!(why.contains("has no login that could be copied"), "{why}");
                }
            }
        }
    }

    #[test]
    fn a_key_is_in_no_file_and_in_no_word_of_any_driver() {
        for driver in DRIVERS {
            let mut setup = Setup::new(driver.name(), "work".into());
            (setup.provider.model, setup.provider.base_url) =
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
