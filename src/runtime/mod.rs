//! The terminal, the clock and the threads: connects all other parts.
//!
//! [`run_screen`] shows a recording in a terminal, [`headless_frame`] returns the frame that some keys lead to without one.
//! Both drive the same `runtime`; `workers` run the effects of the state, `terminal`, `input` and `signals` are input and
//! output.

mod batch_screen;
mod blocked_terminal;
mod clipboard;
mod compare_worker;
mod editor;
mod event;
mod export_worker;
mod figure_needs;
mod filter_worker;
mod find_worker;
mod follow;
mod image_viewer;
mod input;
mod job_worker;
mod judging;
mod keyboard;
mod label_files;
mod lazy_scorer;
mod live_start;
pub mod live_worker;
mod open_run_cache;
mod reader_gate;
mod run_loop;
mod run_opener;
mod screen_options;
mod signals;
mod table_worker;
mod terminal;
mod timer;
mod workers;

use ratatui::{buffer::Buffer, layout::Size};
use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    time::Duration,
};

use trajview_live::{RunControl, RunJob, StartMode};
use trajview_store as store;
use trajview_store::OpenError;
use trajview_tui::{
    session::{start_place::StartPlace, views::View},
    shell::{App, AppMessage, draw, state},
    widgets::{
        key::{self, UnknownKey},
        theme::Theme,
    },
};

use lazy_scorer::LazyScorer;
use run_loop::Runtime;

pub use batch_screen::show_batch;
pub use filter_worker::FilterWorker;
pub use judging::known_judges::{JudgeSettings, JudgeSettingsFile};
pub use live_worker::BesideAgent;
pub use reader_gate::ReaderGate;
pub use run_loop::ScreenEnd;
pub use run_opener::RunOpener;
pub use screen_options::ScreenOptions;
pub(crate) use screen_options::has_no_color;
pub use terminal::OwnTerminal;
pub use workers::answer_question;

/// The reason why the screen could not be shown.
#[derive(Debug, thiserror::Error)]
pub enum ScreenFailure {
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Wrong arguments.
    #[error(transparent)]
    Keys(#[from] UnknownKey),
    /// The run has no such moment.
    #[error("{0}")]
    Place(String),
    #[error("the screen needs a terminal; `--snapshot 120x40` prints a frame without one")]
    NoTerminal,
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
}

/// The time that an opening is waited for before the screen is drawn.
const QUICK_OPENING: Duration = Duration::from_millis(150);

/// Shows `paths` in the terminal until the user quits: one run, two side by side, or the table of several.
pub(crate) fn run_screen(
    paths: &[PathBuf],
    place: StartPlace,
    options: ScreenOptions,
) -> Result<ScreenEnd, ScreenFailure> {
    let opener = if options.caches { RunOpener::CachedDisk } else { RunOpener::Disk };
    run_with_opener(opener, paths, place, options)
}

/// Runs the screen as [`run_screen`] does, with recordings from another source.
pub(crate) fn run_with_opener(
    opener: RunOpener,
    paths: &[PathBuf],
    place: StartPlace,
    options: ScreenOptions,
) -> Result<ScreenEnd, ScreenFailure> {
    if !io::stdout().is_terminal() {
        return Err(ScreenFailure::NoTerminal);
    }
    let mut runtime = Runtime::new(opener);
    runtime.may_follow = true;
    runtime.find_with(&options);
    runtime.workers.watch_judgements();
    runtime.workers.export_with(std::env::current_exe().ok());
    runtime.update(AppMessage::Resized(OwnTerminal::size()?));
    let study = options.study.clone();
    let problem = options.problem.clone();
    runtime.apply_options(options);
    match study {
        Some(study) => runtime.begin_study(study, place),
        None => open_paths(&mut runtime, paths, place, absolute_path),
    }
    runtime.wait_for_opening(QUICK_OPENING);
    if let Some(why) = runtime.open_error.take() {
        return Err(why.into());
    }
    if let Some(problem) = problem {
        runtime.update(AppMessage::Shell(state::ShellMessage::Say(problem)));
    }
    let ending = run_in_terminal(&mut runtime)?;
    runtime.workers.end_live();
    match runtime.open_error {
        Some(why) => Err(why.into()),
        None => Ok(ending?),
    }
}

/// Shows a run while it is made, until the user quits; then the run is stopped if it still goes on. The outcome is None
/// when its thread broke off.
pub(crate) fn run_live(
    mut job: RunJob,
    start: StartMode,
    control: RunControl,
    (options, beside): (ScreenOptions, BesideAgent),
) -> Result<(ScreenEnd, Option<live_worker::LiveOutcome>), ScreenFailure> {
    if !io::stdout().is_terminal() {
        return Err(ScreenFailure::NoTerminal);
    }
    let mut runtime = Runtime::new(RunOpener::Disk);
    runtime.update(AppMessage::Resized(OwnTerminal::size()?));
    runtime.apply_options(options);
    runtime.update(AppMessage::BeginLive);
    let inside = runtime.app.screens.live_areas().terminal_inside();
    job.setup.size = (inside.width, inside.height);
    job.has_person = true;
    runtime.workers.begin_live(job, start, control, beside);
    let ending = run_in_terminal(&mut runtime)?;
    let outcome = runtime.workers.end_live();
    Ok((ending?, outcome))
}

/// Returns the frame of `size` that `keys` (as `--keys` has them) lead to, each pressed after all work of the ones before
/// is done.
pub fn headless_frame(
    paths: &[PathBuf],
    size: Size,
    keys: &str,
    place: StartPlace,
    options: ScreenOptions,
) -> Result<Buffer, ScreenFailure> {
    headless_frame_as(RunOpener::Disk, paths, size, keys, place, options)
}

/// Returns the frame as [`headless_frame`] does, with recordings from another source and default options.
pub fn headless_frame_with(
    opener: RunOpener,
    paths: &[PathBuf],
    size: Size,
    keys: &str,
    place: StartPlace,
) -> Result<Buffer, ScreenFailure> {
    headless_frame_as(opener, paths, size, keys, place, ScreenOptions::default())
}

/// Returns the frame as [`headless_frame_with`] does. The environment has no influence: the same frame comes out
/// everywhere.
pub fn headless_frame_as(
    opener: RunOpener,
    paths: &[PathBuf],
    size: Size,
    keys: &str,
    place: StartPlace,
    options: ScreenOptions,
) -> Result<Buffer, ScreenFailure> {
    let keys = key::parse_keys(keys)?;
    let mut screen = HeadlessScreen::open(opener, paths, size, place, options)?;
    keys.into_iter().for_each(|key| screen.send_message(AppMessage::Press(key)));
    Ok(screen.draw_frame())
}

/// A screen without a terminal: all work that a message causes is done before the next frame.
pub struct HeadlessScreen {
    runtime: Runtime,
}

impl HeadlessScreen {
    /// Opens these paths. The environment has no influence.
    pub fn open(
        opener: RunOpener,
        paths: &[PathBuf],
        size: Size,
        place: StartPlace,
        options: ScreenOptions,
    ) -> Result<Self, ScreenFailure> {
        let mut runtime = Runtime::new(opener);
        runtime.update(AppMessage::Resized(size));
        runtime.score_with(LazyScorer::from_options(&options));
        runtime.judge_with(&options);
        runtime.decide_with(&options);
        runtime.start_with(&options);
        runtime.app.configure(&options.config);
        let alphabet = options.alphabet.unwrap_or(runtime.app.shell.looks.alphabet);
        runtime.app.shell.looks.alphabet = alphabet;
        runtime.app.screens.table_opening = options.table;
        match options.study {
            Some(study) => runtime.begin_study(study, place.clone()),
            None => open_paths(&mut runtime, paths, place.clone(), Path::to_owned),
        }
        runtime.run_until_idle();
        if let Some(why) = runtime.open_error {
            return Err(why.into());
        }
        if let (Some(at), Some(open)) = (place.turn, runtime.app.screens.open_run()) {
            at.turn_index(&open.session.run).map_err(ScreenFailure::Place)?;
        }
        Ok(Self { runtime })
    }

    /// Sends a message and waits for all work that it causes.
    pub fn send_message(&mut self, message: AppMessage) {
        self.runtime.update(message);
        self.runtime.run_until_idle();
    }

    /// Presses keys, written as `--keys` has them, each after all work of the ones before is done.
    pub fn press_keys(&mut self, keys: &str) -> Result<(), ScreenFailure> {
        key::parse_keys(keys)?
            .into_iter()
            .for_each(|key| self.send_message(AppMessage::Press(key)));
        Ok(())
    }

    /// Presses keys without waiting for the work that they cause: long work, such as a judging, goes on. Then processes
    /// events until the state is as it should be; false when that takes too long.
    pub fn press_until(
        &mut self,
        keys: &str,
        patience: Duration,
        is_so: impl Fn(&App) -> bool,
    ) -> Result<bool, ScreenFailure> {
        for key in key::parse_keys(keys)? {
            self.runtime.update(AppMessage::Press(key));
        }
        Ok(self.runtime.run_until(patience, is_so))
    }

    /// Sends a message without waiting for the work that it causes, as [`Self::press_until`] does.
    pub fn send_until(
        &mut self,
        message: AppMessage,
        patience: Duration,
        is_so: impl Fn(&App) -> bool,
    ) -> bool {
        self.runtime.update(message);
        self.runtime.run_until(patience, is_so)
    }

    pub fn draw_frame(&self) -> Buffer {
        let app = &self.runtime.app;
        draw::draw_picture(app, Theme::from_options(app.shell.looks))
    }

    pub fn app_mut(&mut self) -> &mut App {
        &mut self.runtime.app
    }
}

/// Opens one run in the replay, two in the comparison, more in the table, as also a folder of several or a named view.
/// `named` returns the path as it is shown to others.
fn open_paths(
    runtime: &mut Runtime,
    paths: &[PathBuf],
    place: StartPlace,
    named: impl Fn(&Path) -> PathBuf,
) {
    if paths.is_empty() && runtime.app.screens.table_opening.start.is_some() {
        return runtime.show_collection(store::session_folders::all_session_folders(), place);
    }
    let all: Vec<PathBuf> = all_or_current(paths).iter().map(|path| named(path)).collect();
    let is_pair = |runtime: &Runtime| {
        let wants_a_table = runtime.app.screens.table_opening.needs_table();
        paths.len() == 2 && !wants_a_table && !paths.iter().any(|it| runtime.holds_several(it))
    };
    match place.view {
        View::Live => {
            let path = first_or_current(paths);
            let recorded = live_worker::recorded_messages(&path);
            let place = StartPlace { view: View::Replay, follows: runtime.may_follow, ..place };
            runtime.open_path(path.clone(), place);
            runtime.app.screens.source = named(&path);
            match recorded {
                Some(recorded) => {
                    runtime.app.screens.show_recorded_live();
                    for message in recorded {
                        runtime.update(AppMessage::Live(message));
                    }
                }
                None => runtime.app.screens.show_live(),
            }
        }
        View::Collection => runtime.show_collection(all, place),
        View::Compare => runtime.compare_runs(all, place),
        View::Replay if is_pair(runtime) => runtime.compare_runs(all, place),
        _ if paths.len() > 1 => runtime.show_collection(all, place),
        _ => {
            let path = first_or_current(paths);
            runtime.open_path(path.clone(), place);
            runtime.app.screens.source = named(&path);
        }
    }
}

/// Makes a path absolute: a link is pasted into another shell, which may be in another folder.
fn absolute_path(path: &Path) -> PathBuf {
    store::disk::absolute_path(path)
}

fn all_or_current(paths: &[PathBuf]) -> Vec<PathBuf> {
    if paths.is_empty() { vec![first_or_current(paths)] } else { paths.to_vec() }
}

/// Returns the first path, or the current folder without one.
fn first_or_current(paths: &[PathBuf]) -> PathBuf {
    paths.first().cloned().unwrap_or_else(|| ".".into())
}

/// Runs in the terminal until the user quits, and releases it before judgings and tests are ended. The inner error is about
/// the screen.
fn run_in_terminal(runtime: &mut Runtime) -> Result<io::Result<ScreenEnd>, ScreenFailure> {
    let gate = ReaderGate::default();
    // First: taking the terminal waits where it reads nothing, and a signal must not end the program then.
    signals::spawn_listener(runtime.sender())?;
    let mut terminal = OwnTerminal::take_terminal(gate.clone())?;
    input::spawn_reader(runtime.sender(), gate);
    let ending = runtime.run_loop(&mut terminal);
    drop(terminal);
    runtime.end_judging();
    runtime.workers.end_testing();
    Ok(ending)
}
