//! The terminal, the clock and the threads: wires every other room together.
//!
//! [`run`] shows a recording in a terminal, [`headless`] gives the frame that some keys lead to without one. Both
//! drive the same `runtime`; `world` carries out what the state asks for, `terminal`, `input` and `signals`
//! are the ways in and out.

mod input;
mod runtime;
mod signals;
mod terminal;
mod timer;
mod world;

use std::{
    io::{self, IsTerminal},
    path::PathBuf,
    time::Duration,
};

use ratatui::{buffer::Buffer, layout::Size};

use crate::{
    app::{
        Message, Place,
        key::{self, UnknownKey},
    },
    store::OpenError,
    ui::{self, theme::Theme},
};
use runtime::Runtime;

pub use runtime::Ending;
pub use terminal::Terminal;
pub use world::{Opened, Opener, Recording, from_disk};

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

/// Shows the first of `paths` in the terminal until the user has seen enough.
pub fn run(paths: &[PathBuf], place: Place) -> Result<Ending, Failure> {
    run_with(from_disk(), paths, place)
}

/// As [`run`], with recordings from elsewhere.
pub fn run_with(opener: Opener, paths: &[PathBuf], place: Place) -> Result<Ending, Failure> {
    if !io::stdout().is_terminal() {
        return Err(Failure::NoTerminal);
    }
    let mut runtime = Runtime::new(opener);
    runtime.may_follow = true;
    runtime.update(Message::Resized(Terminal::size()?));
    runtime.open(first(paths), place);
    runtime.wait_for_opening(QUICK);
    if let Some(why) = runtime.open_error.take() {
        return Err(why.into());
    }
    let mut terminal = Terminal::take(theme())?;
    signals::listen(runtime.sender())?;
    input::listen(runtime.sender());
    let ending = runtime.run(&mut terminal);
    drop(terminal);
    match runtime.open_error {
        Some(why) => Err(why.into()),
        None => Ok(ending?),
    }
}

/// The frame of `size` that `keys` (as `--keys` has them) lead to, each pressed when everything before has settled.
pub fn headless(
    paths: &[PathBuf],
    size: Size,
    keys: &str,
    place: Place,
) -> Result<Buffer, Failure> {
    headless_with(from_disk(), paths, size, keys, place)
}

/// As [`headless`], with recordings from elsewhere.
pub fn headless_with(
    opener: Opener,
    paths: &[PathBuf],
    size: Size,
    keys: &str,
    place: Place,
) -> Result<Buffer, Failure> {
    let keys = key::parse(keys)?;
    let mut runtime = Runtime::new(opener);
    runtime.update(Message::Resized(size));
    runtime.open(first(paths), place.clone());
    runtime.run_until_idle();
    if let Some(why) = runtime.open_error {
        return Err(why.into());
    }
    if let (Some(at), Some(replay)) = (place.turn, runtime.app.replay()) {
        at.turn_of(&replay.run).map_err(Failure::Place)?;
    }
    for key in keys {
        runtime.update(Message::Press(key));
        runtime.run_until_idle();
    }
    Ok(ui::picture(&runtime.app, Theme::ansi()))
}

/// Without an argument the current folder.
fn first(paths: &[PathBuf]) -> PathBuf {
    paths.first().cloned().unwrap_or_else(|| ".".into())
}

/// See <https://no-color.org>.
fn theme() -> Theme {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if wanted { Theme::ansi() } else { Theme::plain() }
}
