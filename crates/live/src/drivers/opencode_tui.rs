//! opencode in a terminal: one process in its own screen, later requests typed.
//!
//! Beginning and end of a turn stand in the log of the program itself, its loop over the model; the words of a prompt do not,
//! so what was typed is what is known of it. The session is exported after each turn, under the name that this log has.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    super::stage::Stage,
    driver::{Ask, Call, Driver, Input, LogPatterns, Logs},
    opencode::OpenCode,
    own_screen::Screen,
};

#[derive(Debug)]
pub struct OpenCodeTui;

impl Screen for OpenCodeTui {
    fn agent(&self) -> &dyn Driver {
        &OpenCode
    }

    fn about(&self) -> &str {
        "opencode in a terminal, one process, later requests typed"
    }

    fn call(&self, ask: &Ask<'_>) -> Call {
        let mut args = vec!["--log-level", "INFO"];
        if let (None, Some(model)) = (ask.setup.server(), &ask.setup.provider.model) {
            args.extend(["--model", model]);
        }
        if !ask.prompt.is_empty() {
            args.extend(["--prompt", ask.prompt]);
        }
        Call::of(&OpenCode, ask, args, Input::Terminal)
    }

    fn export(&self, ask: &Ask<'_>) -> Option<(Call, PathBuf)> {
        let log = fs::read(log_folder(ask.stage).join(LOG)).ok()?;
        let session = session_of(&String::from_utf8_lossy(&log))?;
        OpenCode.export(&Ask { session: Some(&session), ..*ask })
    }

    fn watched(&self, stage: &Stage) -> Vec<Logs> {
        vec![Logs { folder: log_folder(stage), pattern: "*.log".into(), is_flat: true }]
    }

    /// The loop of a sub-agent ends as well; then that of the session goes on.
    fn end(&self) -> LogPatterns {
        LogPatterns {
            ends: r#"message="exiting loop""#,
            begins: r"message=loop session\.id=\S+ step=0\s",
            goes_on: Some(r"message=loop session\.id=\S+ step="),
            titles: None,
        }
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
