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

use std::sync::LazyLock;

use super::setup::RunSetup;

pub(crate) use driver::TitlePatterns;
pub use driver::{
    AgentCommand, AgentRequest, Driver, LogFiles, LogPatterns, RequestInput, RewindMethod,
    SessionNaming, TurnEndSign,
};

/// Every built-in driver, in the order in which they are listed.
pub static DRIVERS: LazyLock<Vec<Driver>> = LazyLock::new(|| {
    vec![
        codex::driver(),
        claude::driver(),
        mini::driver(),
        opencode::driver(),
        gemini::driver(),
        qwen::driver(),
        copilot::driver(),
        aider::driver(),
    ]
});

/// Returns the driver that a setup names. The error is a sentence.
pub fn driver_for_setup(setup: &RunSetup) -> Result<Driver, String> {
    if let Some(options) = &setup.command {
        return command::configured_driver(&setup.agent, options);
    }
    match DRIVERS.iter().find(|driver| driver.name == setup.agent) {
        Some(driver) if setup.in_terminal => match driver.in_terminal {
            Some(in_terminal) => Ok(in_terminal()),
            None => Err(format!("agent {} is not driven in a terminal", setup.agent)),
        },
        Some(driver) => Ok(driver.clone()),
        None => {
            Err(format!("no agent is called {}; known: {}", setup.agent, driver_names().join(", ")))
        }
    }
}

pub fn driver_names() -> Vec<&'static str> {
    DRIVERS.iter().map(|driver| driver.name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::run_folders::RunFolders;

    #[test]
    fn every_driver_has_a_name_of_its_own_and_says_what_it_does() {
        let mut names = driver_names();
        names.push("command");
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(DRIVERS.iter().all(|driver| !driver.summary.is_empty()));
    }

    #[test]
    fn every_driver_has_a_row_on_the_page_of_live_runs() {
        let page = include_str!("../../../../docs/live.md");
        for name in driver_names() {
            assert!(page.contains(&format!("\n| `{name}` | ")), "{name}");
        }
    }

    #[test]
    fn an_agent_in_its_own_screen_has_the_settings_that_it_has_without() {
        let run_folders = RunFolders::for_plan("work".as_ref());
        let mut with_screen = vec![];
        for driver in DRIVERS.iter() {
            let Some(in_terminal) = driver.in_terminal else { continue };
            let screen = in_terminal();
            with_screen.push(driver.name.as_str());
            let setup = RunSetup::new(&driver.name, "work".into());
            let paths = |driver: &Driver| -> Vec<PathBuf> {
                let files = (driver.settings_files)(&setup, &run_folders);
                files.into_iter().map(|it| it.0).collect()
            };
            let (own, all) = (paths(driver), paths(&screen));
            assert!(own.iter().all(|path| all.contains(path)), "{own:?} {all:?}");
            assert_ne!(screen.summary, driver.summary);
        }
        assert_eq!(with_screen, ["codex", "claude", "opencode", "gemini"]);
    }

    #[test]
    fn a_login_is_copied_to_where_the_agent_looks_for_it_or_the_flag_is_refused() {
        let mut run_folders = RunFolders::for_plan("work".as_ref());
        for driver in DRIVERS.iter() {
            let screen = driver.in_terminal.map(|in_terminal| in_terminal());
            for driver in std::iter::once(driver).chain(&screen) {
                let mut setup = RunSetup::new(&driver.name, "work".into());
                setup.folders.copies_login = true;
                let can_be_copied = ["codex", "claude", "opencode"].contains(&driver.name.as_str());
                let has_logins = !(driver.login_files)(&run_folders).is_empty();
                assert_eq!(has_logins, can_be_copied, "{}", driver.name);
                if !can_be_copied {
                    let why = run_folders.set_environment(&setup, driver).unwrap_err();
                    assert!(why.contains("has no login to copy"), "{why}");
                }
            }
        }
    }

    #[test]
    fn a_key_is_in_no_file_and_in_no_word_of_any_driver() {
        for driver in DRIVERS.iter() {
            let mut setup = RunSetup::new(&driver.name, "work".into());
            (setup.provider.model, setup.provider.base_url) =
                (Some("m".into()), Some("http://127.0.0.1:1/v1/".into()));
            let run_folders = RunFolders::for_plan("work".as_ref());
            let files = (driver.settings_files)(&setup, &run_folders).into_iter();
            let written: Vec<String> = files.map(|(_, content)| content).collect();
            let text =
                format!("{written:?}{:?}", driver.environment_variables(&setup, &run_folders));
            assert!(text.contains("http://127.0.0.1:1"), "{}: {text}", driver.name);
            assert!(!text.contains("/v1/v1"), "{}: {text}", driver.name);
        }
    }
}
