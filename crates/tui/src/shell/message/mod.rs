//! The messages of the program.

pub mod jobs;
pub mod overlay;
pub mod palette;
pub mod state;

use ratatui::layout::Size;
use std::{path::PathBuf, sync::Arc};

use crate::{
    session::{
        effect::OpenAnswer,
        question::{Answer, AnswerPart},
        request::RequestId,
        start_place::StartPlace,
        timeline::TimelineMessage,
        views,
    },
    shell::open_run::RunMessage,
    views::{compare, judge, live, table},
    widgets::{key::Key, key_event::KeyEvent},
};
use trajview_run::Run;
use trajview_study::loaded_study::LoadedStudy;

/// A message of the program. Each feature nests its own.
#[derive(Debug, Clone, PartialEq)]
pub enum AppMessage {
    Press(Key),
    /// Key events besides a press: a release, a repeat, a key that no binding has.
    Key(KeyEvent),
    /// Text pasted into the terminal; only a prompt takes it.
    Paste(String),
    Resized(Size),
    Open(PathBuf, StartPlace),
    Opened(RequestId, OpenAnswer),
    /// Show the table of all runs below these paths.
    Collect(Vec<PathBuf>, StartPlace),
    /// Show the queue of a study.
    BeginStudy(Arc<LoadedStudy>, StartPlace),
    Answered(RequestId, Answer),
    /// A part of an answer; more follows.
    Partly(RequestId, AnswerPart),
    /// Show another view.
    View(views::ViewMessage),
    /// For a view of the open run.
    Run(RunMessage),
    Judging(judge::JudgePaneMessage),
    /// Compare these runs side by side.
    CompareRuns(Vec<PathBuf>, StartPlace),
    Compare(compare::CompareMessage),
    Collection(table::TableMessage),
    /// A live run is going to start.
    BeginLive,
    Live(live::LiveMessage),
    Jobs(jobs::JobsMessage),
    Overlay(overlay::OverlayMessage),
    Zoom,
    /// Clear the search and share the room again, else go back.
    Escape,
    /// Close what is open in the view, else show the view before.
    Back,
    Suspend,
    Quit,
    /// The open recording has grown.
    Grown(Arc<Run>),
    /// The open recording, which is not followed, was written to.
    Written,
    /// The open run has new judgements.
    Judged,
    /// Go to the lines that lost the next component of the open run, from any of its views.
    NextLoss,
    /// Start or stop following the recording as it is written.
    Follow,
    /// Show or hide the numbers of the turn.
    Now,
    Timeline(TimelineMessage),
    Shell(state::ShellMessage),
}
