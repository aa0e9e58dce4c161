//! The terminal, the clock and the threads: wires every other room together.
//!
//! [`run`] shows a recording in a terminal, [`headless`] gives the frame that some keys lead to without one. Both
//! drive the same `runtime`; `world` carries out what the state asks for, `terminal`, `input` and `signals`
//! are the ways in and out.

mod auditing;
mod batching;
mod clipboard;
mod collecting;
mod comparing;
mod editor;
mod event;
mod filtering;
mod finding;
mod follow;
mod gate;
mod held;
mod input;
mod jobs;
mod judging;
mod keyboard;
pub mod living;
mod options;
mod outside;
mod recording;
mod run_loop;
mod scoring;
mod signals;
mod starting;
mod stuck;
mod terminal;
mod timer;
mod world;

use ratatui::{buffer::Buffer, layout::Size};
use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    time::Duration,
};

use trajview_live::{Control, Job, Start};
use trajview_store as store;
use trajview_store::OpenError;
use trajview_tui::{
    session::{place::Place, views::View},
    shell::{App, Message, draw, state},
    views::live,
    widgets::{
        key::{self, UnknownKey},
        theme::Theme,
    },
};

use run_loop::Runtime;
use scoring::Scoring;

pub use batching::batch;
pub use filtering::Filtering;
pub use gate::Gate;
pub use judging::known::{JudgeSettings, SettingsFile};
pub use living::Beside;
pub use options::Options;
pub use recording::{Opened, Opener, Recording, from_disk, from_disk_with_cache};
pub use run_loop::Ending;
pub use terminal::Terminal;
pub use world::answer;

/// Why there was nothing to show.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
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

/// An opening that takes longer is waited for on screen.
const QUICK: Duration = Duration::from_millis(150);

/// Shows `paths` in the terminal until the user has seen enough: one run, two side by side, or the table of several.
pub fn run(paths: &[PathBuf], place: Place, options: Options) -> Result<Ending, Failure> {
    let opener = if options.caches { from_disk_with_cache() } else { from_disk() };
    run_with(opener, paths, place, options)
}

/// As [`run`], with recordings from elsewhere.
pub fn run_with(
    opener: Opener,
    paths: &[PathBuf],
    place: Place,
    options: Options,
) -> Result<Ending, Failure> {
    if !io::stdout().is_terminal() {
        return Err(Failure::NoTerminal);
    }
    let mut runtime = Runtime::new(opener);
    runtime.may_follow = true;
    runtime.find_with(&options);
    runtime.world.watch_judgements();
    runtime.update(Message::Resized(Terminal::size()?));
    let study = options.study.clone();
    let problems = runtime.prepare(options);
    match study {
        Some(study) => runtime.begin_study(study, place),
        None => open_paths(&mut runtime, paths, place, absolute),
    }
    runtime.wait_for_opening(QUICK);
    if let Some(why) = runtime.open_error.take() {
        return Err(why.into());
    }
    if let Some(first) = problems.into_iter().next() {
        runtime.update(Message::Shell(state::Message::Say(first)));
    }
    let ending = run_in_terminal(&mut runtime)?;
    runtime.world.end_live();
    match runtime.open_error {
        Some(why) => Err(why.into()),
        None => Ok(ending?),
    }
}

/// Shows a run while it is made, until the user has seen enough; then the run is stopped, if it still goes on. What came
/// of it is None where its thread broke off.
pub fn live(
    mut job: Job,
    start: Start,
    control: Control,
    (options, beside): (Options, Beside),
) -> Result<(Ending, Option<living::Outcome>), Failure> {
    if !io::stdout().is_terminal() {
        return Err(Failure::NoTerminal);
    }
    let mut runtime = Runtime::new(from_disk());
    runtime.update(Message::Resized(Terminal::size()?));
    runtime.prepare(options);
    runtime.update(Message::BeginLive);
    let inside = runtime.app.screens.live_areas().inside();
    job.setup.size = (inside.width, inside.height);
    job.has_person = true;
    runtime.world.begin_live(job, start, control, beside);
    let ending = run_in_terminal(&mut runtime)?;
    let outcome = runtime.world.end_live();
    Ok((ending?, outcome))
}

/// The frame of `size` that `keys` (as `--keys` has them) lead to, each pressed when everything before has settled.
pub fn headless(
    paths: &[PathBuf],
    size: Size,
    keys: &str,
    place: Place,
    options: Options,
) -> Result<Buffer, Failure> {
    headless_as(from_disk(), paths, size, keys, place, options)
}

/// As [`headless`], with recordings from elsewhere and the looks that need no options.
pub fn headless_with(
    opener: Opener,
    paths: &[PathBuf],
    size: Size,
    keys: &str,
    place: Place,
) -> Result<Buffer, Failure> {
    headless_as(opener, paths, size, keys, place, Options::default())
}

/// As [`headless_with`]. The environment has no say: the same frame comes out everywhere.
pub fn headless_as(
    opener: Opener,
    paths: &[PathBuf],
    size: Size,
    keys: &str,
    place: Place,
    options: Options,
) -> Result<Buffer, Failure> {
    let keys = key::parse(keys)?;
    let mut screen = Rehearsal::of(opener, paths, size, place, options)?;
    keys.into_iter().for_each(|key| screen.send(Message::Press(key)));
    Ok(screen.frame())
}

/// A screen without a terminal: whatever is sent has settled before the next frame.
pub struct Rehearsal {
    runtime: Runtime,
}

impl Rehearsal {
    /// With these paths open. The environment has no say.
    pub fn of(
        opener: Opener,
        paths: &[PathBuf],
        size: Size,
        place: Place,
        options: Options,
    ) -> Result<Self, Failure> {
        let mut runtime = Runtime::new(opener);
        runtime.update(Message::Resized(size));
        runtime.score_with(Scoring::of(&options));
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
            at.turn_of(&open.session.run).map_err(Failure::Place)?;
        }
        Ok(Self { runtime })
    }

    /// Takes a message and waits for everything that follows from it.
    pub fn send(&mut self, message: Message) {
        self.runtime.update(message);
        self.runtime.run_until_idle();
    }

    /// Presses keys, written as `--keys` has them, each when everything before has settled.
    pub fn press(&mut self, keys: &str) -> Result<(), Failure> {
        key::parse(keys)?.into_iter().for_each(|key| self.send(Message::Press(key)));
        Ok(())
    }

    /// Presses keys without waiting for what follows: what takes long, such as a judging, goes on. Then takes what
    /// arrives until the state is as it should be; false where that takes too long.
    pub fn press_until(
        &mut self,
        keys: &str,
        patience: Duration,
        is_so: impl Fn(&App) -> bool,
    ) -> Result<bool, Failure> {
        for key in key::parse(keys)? {
            self.runtime.update(Message::Press(key));
        }
        Ok(self.runtime.run_until(patience, is_so))
    }

    /// Takes a message without waiting for what follows, as [`Self::press_until`] does.
    pub fn send_until(
        &mut self,
        message: Message,
        patience: Duration,
        is_so: impl Fn(&App) -> bool,
    ) -> bool {
        self.runtime.update(message);
        self.runtime.run_until(patience, is_so)
    }

    pub fn frame(&self) -> Buffer {
        let app = &self.runtime.app;
        draw::picture(app, Theme::with(app.shell.looks))
    }

    pub fn app(&mut self) -> &mut App {
        &mut self.runtime.app
    }
}

/// One run is played back, two are compared, more are a table; so it is with a folder of several, and where the view
/// is named. `named` gives the path as it is told to others.
fn open_paths(
    runtime: &mut Runtime,
    paths: &[PathBuf],
    place: Place,
    named: impl Fn(&Path) -> PathBuf,
) {
    if paths.is_empty() && runtime.app.screens.table_opening.start.is_some() {
        return runtime.collect(store::places::of_this_machine(), place);
    }
    let all: Vec<PathBuf> = all(paths).iter().map(|path| named(path)).collect();
    let is_pair = |runtime: &Runtime| {
        let wants_a_table = runtime.app.screens.table_opening.is_asked_for();
        paths.len() == 2 && !wants_a_table && !paths.iter().any(|it| runtime.holds_several(it))
    };
    match place.view {
        View::Live => {
            let path = first(paths);
            let recorded = living::recorded(&path);
            let place = Place { view: View::Replay, follows: runtime.may_follow, ..place };
            runtime.open(path.clone(), place);
            runtime.app.screens.source = named(&path);
            match recorded {
                Some(recorded) => {
                    runtime.update(Message::BeginLive);
                    for told in recorded {
                        runtime.update(Message::Live(live::Message::LiveEvent(told)));
                    }
                }
                None => {
                    runtime.at_first = Some("this recording was not made by `trajview live`".into())
                }
            }
        }
        View::Collection => runtime.collect(all, place),
        View::Compare => runtime.compare(all, place),
        View::Replay if is_pair(runtime) => runtime.compare(all, place),
        _ if paths.len() > 1 => runtime.collect(all, place),
        _ => {
            let path = first(paths);
            runtime.open(path.clone(), place);
            runtime.app.screens.source = named(&path);
        }
    }
}

/// A link is pasted into another shell, which may stand elsewhere.
fn absolute(path: &Path) -> PathBuf {
    store::disk::absolute(path)
}

fn all(paths: &[PathBuf]) -> Vec<PathBuf> {
    if paths.is_empty() { vec![first(paths)] } else { paths.to_vec() }
}

/// Without an argument the current folder.
fn first(paths: &[PathBuf]) -> PathBuf {
    paths.first().cloned().unwrap_or_else(|| ".".into())
}

/// Has the terminal until the user has seen enough, and gives it back before judgings and tests are ended. The inner error is
/// of what went wrong on the screen.
fn run_in_terminal(runtime: &mut Runtime) -> Result<io::Result<Ending>, Failure> {
    let gate = Gate::default();
    // First: taking the terminal waits where it reads nothing, and a signal must not end the program then.
    signals::listen(runtime.sender())?;
    let mut terminal = Terminal::take(gate.clone())?;
    input::listen(runtime.sender(), gate);
    let ending = runtime.run(&mut terminal);
    drop(terminal);
    runtime.end_judging();
    runtime.world.end_testing();
    Ok(ending)
}
