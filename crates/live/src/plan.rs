//! What a run would call, word by word, without calling it.

use std::path::Path;

use serde::Serialize;

use super::{
    drivers::{self, Ask, Call, End, Input, LogPatterns, Naming, Rewind},
    layers::{self, Planned},
    recorder::fresh_id,
    run::{CannotStart, Job},
    stage::Stage,
};

/// How one agent is driven.
#[derive(Debug, Serialize)]
pub struct Plan {
    pub agent: String,
    pub about: String,
    /// Of the first request of a session, and of every following one.
    pub first: Sending,
    pub next: Sending,
    /// What is called after each turn, if anything is.
    pub export: Option<Vec<String>>,
    pub environment: Vec<(String, String)>,
    pub files: Vec<Written>,
    pub logs: Vec<String>,
    pub session: &'static str,
    pub turn_ends: String,
    pub done_again: &'static str,
    pub not_recorded: Vec<String>,
    /// In the order in which they are asked.
    pub layers: Vec<Planned>,
    pub workspace: String,
}

#[derive(Debug, Serialize)]
pub struct Sending {
    pub command: Vec<String>,
    /// Where the request goes.
    pub request: &'static str,
}

#[derive(Debug, Serialize)]
pub struct Written {
    pub path: String,
    pub content: String,
}

/// The plan of a run. Nothing is made and nothing is called.
pub fn of(job: &Job) -> Result<Plan, CannotStart> {
    let setup = &job.setup;
    let driver = drivers::of(setup).map_err(CannotStart::Wrong)?;
    let mut stage = Stage::imagined(&setup.folders.work);
    stage.furnish(setup, &*driver).map_err(CannotStart::Wrong)?;
    let fresh = fresh_id();
    let prompt_file = stage.requests().join("turn-001.txt");
    let session = match driver.naming() {
        Naming::Chosen => Some(fresh.clone()),
        Naming::Told => Some("SESSION".to_owned()),
        Naming::Process | Naming::History | Naming::None => None,
    };
    let ask = |session, turn| Ask {
        setup,
        stage: &stage,
        session,
        fresh: &fresh,
        prompt: "REQUEST",
        prompt_file: &prompt_file,
        turn,
    };
    let sending = |call: Call, goes_on: bool| Sending {
        request: match call.input {
            _ if goes_on && call.input.is_terminal() => {
                "typed into the terminal of the same process"
            }
            Input::Prompt => "on standard input",
            Input::Nothing => "among its words",
            Input::Terminal => "among its words; it has a terminal",
            Input::Typed => "typed into its terminal",
        },
        command: words(call),
    };
    let hidden = |(name, value): (&String, &String)| (name.clone(), stage.secrets.hide(value));
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let written = |(path, content): (std::path::PathBuf, String)| Written {
        path: text(&path),
        content: stage.secrets.hide(&content),
    };
    let is_process = driver.naming() == Naming::Process;
    Ok(Plan {
        agent: driver.name().to_owned(),
        about: driver.about().to_owned(),
        first: sending(driver.call(&ask(None, 1)), false),
        next: sending(driver.call(&ask(session.as_deref(), 2)), is_process),
        export: driver.export(&ask(session.as_deref(), 1)).map(|(call, _)| words(call)),
        environment: stage.environment.iter().map(hidden).collect(),
        files: driver.files(setup, &stage).into_iter().map(written).collect(),
        logs: driver.logs(&stage).iter().map(|it| text(&it.folder.join(&it.pattern))).collect(),
        session: match driver.naming() {
            Naming::Chosen => "we choose its id",
            Naming::Told => "the agent prints its id",
            Naming::Process => "one a process",
            Naming::History => "its history, which it reads again",
            Naming::None => "none: the agent remembers nothing from turn to turn",
        },
        turn_ends: match driver.end() {
            End::Exit => "when the process ends".into(),
            End::Marker(marker) => format!("when the terminal shows {marker:?} and rests"),
            End::Log(LogPatterns { ends, .. }) => {
                format!("when a new line of its log matches {ends:?}")
            }
        },
        done_again: match driver.rewind() {
            Rewind::Logs => "its logs are cut back to where they were",
            Rewind::Import => "it is given its session as it was before",
            Rewind::Restart => "it begins a new session",
            Rewind::GoOn => "it remembers the turn that does not count",
        },
        not_recorded: driver.own_files().into_iter().map(str::to_owned).collect(),
        layers: layers::planned(setup, &*driver).map_err(CannotStart::Wrong)?,
        workspace: text(&stage.workspace()),
    })
}

fn words(call: Call) -> Vec<String> {
    std::iter::once(call.program).chain(call.args).collect()
}
