//! What may happen to the program, in its own words.

pub mod jobs;
pub mod overlay;
pub mod palette;
pub mod state;

use ratatui::layout::Size;
use std::{path::PathBuf, sync::Arc};

use crate::{
    session::{
        place::Place,
        question::{Answer, Part},
        request::Request,
        views,
    },
    shell::open_run::RunMessage,
    views::{compare, judge, live, table},
    widgets::{key::Key, key_event::KeyEvent},
};
use trajview_run::Run;
use trajview_study::studied::Studied;

/// Something happened, in the program's own words. Each feature nests its own.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Press(Key),
    /// What a press does not say: a release, a repeat, a key that no binding has.
    Key(KeyEvent),
    /// Text pasted into the terminal; only a prompt takes it.
    Paste(String),
    Resized(Size),
    Open(PathBuf, Place),
    Opened(Request, Result<Arc<Run>, String>),
    /// What was to be opened holds several runs.
    Several(Request),
    /// All runs below these paths.
    Collect(Vec<PathBuf>, Place),
    /// Puts the queue of a study on screen.
    BeginStudy(Arc<Studied>, Place),
    /// The beginning of the run that is being opened; [`Message::Opened`] brings the whole.
    Begun(Request, Arc<Run>),
    Answered(Request, Answer),
    /// A part of an answer; more follows.
    Partly(Request, Part),
    /// To another view.
    View(views::Message),
    /// In a view of the run that is open.
    Run(RunMessage),
    Judging(judge::Message),
    /// Sets these runs side by side.
    CompareRuns(Vec<PathBuf>, Place),
    Compare(compare::Message),
    Collection(table::Message),
    /// A run is going to be made.
    BeginLive,
    Live(live::Message),
    Jobs(jobs::Message),
    Overlay(overlay::Message),
    Zoom,
    Escape,
    Suspend,
    Quit,
    /// The recording that is open has grown.
    Grown(Arc<Run>),
    /// The recording that is open, and is not followed, was written to.
    Written,
    /// Somebody judged the run that is open.
    Judged,
    /// Follow the recording as it is written, or no longer.
    Follow,
    /// Show the turn in numbers, or no longer.
    Now,
    Shell(state::Message),
}
