//! opencode in a terminal: one process in its own screen, later requests typed.
//!
//! Beginning and end of a turn stand in the log of the program itself, its loop over the model; the words of a prompt do not,
//! so what was typed is what is known of it. The session is exported after each turn, under the name that this log has.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    super::{setup::Setup, stage::Stage},
    agent_output::{NoLines, Reader},
    driver::{Ask, Call, Driver, End, Input, LogPatterns, Logs, Naming, Rewind, pasted},
    opencode::OpenCode,
};

#[derive(Debug)]
pub struct OpenCodeTui;

impl Driver for OpenCodeTui {
    fn name(&self) -> &str {
        OpenCode.name()
    }

    fn about(&self) -> &str {
        "opencode in a terminal, one process, later requests typed"
    }

    fn program(&self) -> &str {
        OpenCode.program()
    }

    fn key_variable(&self) -> Option<&str> {
        OpenCode.key_variable()
    }

    fn environment(&self, setup: &Setup, stage: &Stage) -> Vec<(String, String)> {
        OpenCode.environment(setup, stage)
    }

    fn files(&self, setup: &Setup, stage: &Stage) -> Vec<(PathBuf, String)> {
        OpenCode.files(setup, stage)
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let mut args = vec!["--log-level", "INFO"];
        if let (None, Some(model)) = (ask.setup.server(), &ask.setup.provider.model) {
            args.extend(["--model", model]);
        }
        if !ask.prompt.is_empty() {
            args.extend(["--prompt", ask.prompt]);
        }
        Call::of(self, ask, args, Input::Terminal)
    }

    fn export(&self, ask: &Ask<'_>) -> Option<(Call, PathBuf)> {
        let log = fs::read(log_folder(ask.stage).join(LOG)).ok()?;
        let session = session_of(&String::from_utf8_lossy(&log))?;
        OpenCode.export(&Ask { session: Some(&session), ..*ask })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(NoLines)
    }

    fn logs(&self, stage: &Stage) -> Vec<Logs> {
        OpenCode.logs(stage)
    }

    fn watched(&self, stage: &Stage) -> Vec<Logs> {
        vec![Logs { folder: log_folder(stage), pattern: "*.log".into(), is_flat: true }]
    }

    fn naming(&self) -> Naming {
        Naming::Process
    }

    fn rewind(&self) -> Rewind {
        Rewind::Restart
    }

    /// The loop of a sub-agent ends as well; then that of the session goes on.
    fn end(&self) -> End {
        End::Log(LogPatterns {
            ends: r#"message="exiting loop""#,
            begins: r"message=loop session\.id=\S+ step=0\s",
            goes_on: Some(r"message=loop session\.id=\S+ step="),
        })
    }

    fn typed(&self, prompt: &str) -> Vec<u8> {
        pasted(prompt)
    }

    fn own_files(&self) -> Vec<&str> {
        OpenCode.own_files()
    }

    fn problem(&self, setup: &Setup) -> Option<String> {
        OpenCode.problem(setup)
    }
}

const LOG: &str = "opencode.log";

fn log_folder(stage: &Stage) -> PathBuf {
    stage.home().join(Path::new(".local/share/opencode/log"))
}

/// The session that a person talks to: the one whose loop ran last, since that of a sub-agent ends before.
fn session_of(log: &str) -> Option<String> {
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
        assert_eq!(session_of(log).as_deref(), Some("ses_1"));
        assert_eq!(session_of("nothing"), None);
    }
}
