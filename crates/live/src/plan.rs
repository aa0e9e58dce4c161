//! The plan of a run: the commands that it would call, argument by argument, without calling them.

use std::path::Path;

use serde::Serialize;
use trajview_run::live::LivePlan;

use super::{
    drivers::{
        self, AgentCommand, AgentRequest, Driver, LogPatterns, RequestInput, RewindMethod,
        SessionNaming, TurnEndSign,
    },
    layers::{self, PlannedLayer},
    recorder::fresh_id,
    run::{CannotStart, RunJob},
    run_folders::RunFolders,
    script::RequestScript,
    setup::RunSetup,
};

/// The commands and files for one agent.
#[derive(Debug, Serialize)]
pub struct DrivingPlan {
    pub agent: String,
    pub about: String,
    /// The first request of a session.
    pub first: SendingPlan,
    pub next: SendingPlan,
    /// The command that is called after each turn, if there is one.
    pub export: Option<Vec<String>>,
    pub environment: Vec<(String, String)>,
    pub files: Vec<PlannedFile>,
    pub logs: Vec<String>,
    pub session: &'static str,
    pub turn_ends: String,
    pub done_again: &'static str,
    pub not_recorded: Vec<String>,
    /// The layers, in the order in which they are asked.
    pub layers: Vec<PlannedLayer>,
    pub workspace: String,
}

#[derive(Debug, Serialize)]
pub struct SendingPlan {
    pub command: Vec<String>,
    /// The place of the request.
    pub request: &'static str,
}

#[derive(Debug, Serialize)]
pub struct PlannedFile {
    pub path: String,
    pub content: String,
}

/// Returns the plan of a run for its watchers, but for the workspace.
pub fn live_plan(
    setup: &RunSetup,
    script: &RequestScript,
    bundle: &Path,
    version: Option<&str>,
    done: usize,
) -> LivePlan {
    let is_process = |driver: Driver| driver.session_naming == SessionNaming::Process;
    LivePlan {
        agent: [Some(&*setup.agent), version].into_iter().flatten().collect::<Vec<_>>().join(" "),
        condition: setup.condition.word().to_owned(),
        out: bundle.display().to_string(),
        workspace: String::new(),
        requests: script.requests.clone(),
        done,
        is_chat: script.chat,
        has_screen: setup.in_terminal || drivers::driver_for_setup(setup).is_ok_and(is_process),
        limits: setup.limits.budget.limit_texts(),
    }
}

/// Returns the plan of a run. Nothing is created and nothing is called.
pub fn plan_run(job: &RunJob) -> Result<DrivingPlan, CannotStart> {
    let setup = &job.setup;
    let driver = drivers::driver_for_setup(setup).map_err(CannotStart::Wrong)?;
    let mut run_folders = RunFolders::for_plan(&setup.folders.work);
    run_folders.set_environment(setup, &driver).map_err(CannotStart::Wrong)?;
    let fresh = fresh_id();
    let prompt_file = run_folders.prompt_file(1);
    let session = match driver.session_naming {
        SessionNaming::Chosen => Some(fresh.clone()),
        SessionNaming::Printed => Some("SESSION".to_owned()),
        SessionNaming::Process | SessionNaming::History | SessionNaming::None => None,
    };
    let ask = |session, turn| AgentRequest {
        setup,
        run_folders: &run_folders,
        session,
        fresh: &fresh,
        prompt: "REQUEST",
        prompt_file: &prompt_file,
        turn,
    };
    let sending = |call: AgentCommand, goes_on: bool| SendingPlan {
        request: match call.input {
            _ if goes_on && call.input.is_terminal() => {
                "typed into the terminal of the same process"
            }
            RequestInput::Prompt => "on standard input",
            RequestInput::Nothing => "among its words",
            RequestInput::Terminal => "among its words; it has a terminal",
            RequestInput::Typed => "typed into its terminal",
        },
        command: command_words(call),
    };
    let hidden =
        |(name, value): (&String, &String)| (name.clone(), run_folders.secrets.hide(value));
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let written = |(path, content): (std::path::PathBuf, String)| PlannedFile {
        path: text(&path),
        content: run_folders.secrets.hide(&content),
    };
    let is_process = driver.session_naming == SessionNaming::Process;
    Ok(DrivingPlan {
        agent: driver.name.clone(),
        about: driver.summary.to_owned(),
        first: sending(driver.request_command(&ask(None, 1)), false),
        next: sending(driver.request_command(&ask(session.as_deref(), 2)), is_process),
        export: driver
            .export_command(&ask(session.as_deref(), 1))
            .map(|(call, _)| command_words(call)),
        environment: run_folders.environment.iter().map(hidden).collect(),
        files: (driver.settings_files)(setup, &run_folders).into_iter().map(written).collect(),
        logs: (driver.log_files)(setup, &run_folders)
            .iter()
            .map(|it| text(&it.folder.join(&it.pattern)))
            .collect(),
        session: match driver.session_naming {
            SessionNaming::Chosen => "we choose its id",
            SessionNaming::Printed => "the agent prints its id",
            SessionNaming::Process => "one a process",
            SessionNaming::History => "its history, which it reads again",
            SessionNaming::None => "none: the agent has no memory between turns",
        },
        turn_ends: match driver.turn_end_sign.clone() {
            TurnEndSign::Exit => "when the process ends".into(),
            TurnEndSign::Marker(marker) => format!("when the terminal shows {marker:?} and rests"),
            TurnEndSign::Log(LogPatterns { ends, .. }) => {
                format!("when a new line of its log matches {ends:?}")
            }
        },
        done_again: match driver.rewind_method {
            RewindMethod::Logs => "its logs are cut back to where they were",
            RewindMethod::Import => "it gets its previous session back",
            RewindMethod::Restart => "it starts a new session",
            RewindMethod::GoOn => "it remembers the turn that does not count",
        },
        not_recorded: driver.own_files.clone(),
        layers: layers::planned_layers(setup, &driver).map_err(CannotStart::Wrong)?,
        workspace: text(&run_folders.workspace()),
    })
}

fn command_words(call: AgentCommand) -> Vec<String> {
    std::iter::once(call.program).chain(call.args).collect()
}
