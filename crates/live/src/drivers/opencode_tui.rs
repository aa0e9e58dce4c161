//! opencode in a terminal: one process in its own screen, later requests typed.
//!
//! The beginning and end of a turn are read from the program's own log of its model loop; prompts are not in it, so the
//! typed keys are the only source of them. The session is exported after each turn, under the name that this log has.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    super::run_folders::RunFolders,
    driver::{AgentCommand, AgentRequest, Driver, LogFiles, LogPatterns, RequestInput},
    opencode,
};

pub(super) fn driver() -> Driver {
    let summary = "opencode in a terminal, one process, later requests typed";
    // The loop of a sub-agent ends as well; then the loop of the session goes on.
    let patterns = LogPatterns {
        ends: r#"message="exiting loop""#,
        begins: r"message=loop session\.id=\S+ step=0\s",
        goes_on: Some(r"message=loop session\.id=\S+ step="),
        titles: None,
        prompt_in_line: |_| None,
    };
    Driver {
        export_command,
        watched_files: Some(|_, run_folders| {
            vec![LogFiles::flat(log_folder(run_folders), "*.log")]
        }),
        ..opencode::driver().in_own_screen(summary, request_command, patterns)
    }
}

fn request_command(driver: &Driver, ask: &AgentRequest<'_>) -> AgentCommand {
    let mut args = vec!["--log-level", "INFO"];
    args.extend(opencode::model_option(ask));
    if !ask.prompt.is_empty() {
        args.extend(["--prompt", ask.prompt]);
    }
    driver.command_with_setup_args(ask, args, RequestInput::Terminal)
}

fn export_command(driver: &Driver, ask: &AgentRequest<'_>) -> Option<(AgentCommand, PathBuf)> {
    let log = fs::read(log_folder(ask.run_folders).join(LOG_FILE)).ok()?;
    let session = last_session(&String::from_utf8_lossy(&log))?;
    opencode::export_command(driver, &AgentRequest { session: Some(&session), ..*ask })
}

const LOG_FILE: &str = "opencode.log";

fn log_folder(run_folders: &RunFolders) -> PathBuf {
    run_folders.home().join(Path::new(".local/share/opencode/log"))
}

/// Returns the session of the person: the one whose loop ran last, since the loop of a sub-agent ends before.
fn last_session(log: &str) -> Option<String> {
    log.lines().rev().filter(|line| line.contains("message=loop ")).find_map(|line| {
        let (_, rest) = line.split_once("session.id=")?;
        rest.split_whitespace().next().map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_is_the_one_whose_loop_ran_last() {
        let log = "level=INFO message=created id=ses_1\nlevel=INFO message=loop session.id=ses_1 step=0\n\
                   level=INFO message=loop session.id=ses_2 step=0\nlevel=INFO message=\"exiting loop\" session.id=ses_2\n\
                   level=INFO message=loop session.id=ses_1 step=1\nlevel=INFO message=\"exiting loop\" session.id=ses_1\n";
        assert_eq!(last_session(log).as_deref(), Some("ses_1"));
        assert_eq!(last_session("nothing"), None);
    }
}
