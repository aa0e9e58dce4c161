//! A run turn by turn: its turns, the files a turn changed, their differences, its steps; playback and search.

pub mod acts;
mod asking;
pub mod base;
pub mod chooser;
pub mod choosing;
pub mod diff;
pub mod draw;
pub mod files;
pub mod history;
mod lanes;
pub mod looking;
pub mod marks;
pub mod now;
pub mod opening;
pub mod past;
pub mod playback;
pub mod playing;
pub mod search;
pub mod spot;
pub mod steps;
pub mod stops;
mod update;
mod view;

use crate::{
    session::{ask::Pending, turns},
    views::file_tree::FileTree,
    widgets::{layout::Panel, scroll::Motion},
};
use trajview_run::{StepId, search::Query};

use base::Bases;
use chooser::Chooser;
use diff::Diff;
use files::Files;
use opening::Opening;
use past::Past;
use playback::Playback;
use search::Search;
use spot::Spot;
use steps::{Item, Steps};

pub use acts::Failures;
pub use looking::Edits;

/// What is looked at of the run turn by turn: each panel's own state is in its file.
#[derive(Debug)]
pub struct Replay {
    pub focus: Panel,
    pub steps: Steps,
    pub files: Files,
    pub diff: Diff,
    pub playback: Playback,
    pub search: Search,
    /// Lines of unchanged text around a change.
    pub context: usize,
    pub bases: Bases,
    pub tree: FileTree,
    /// A search that was asked for and is not under way yet.
    looking_for: Option<Query>,
    /// A file to open at, until the files are known.
    opening: Option<Opening>,
    /// Where jumps came from, the last one last.
    departures: Vec<Spot>,
    texts: Pending<Item>,
    /// A list over the panels.
    pub chooser: Option<Chooser>,
    /// Every change to one thing, as that list shows it.
    pub past: Past,
}

impl Default for Replay {
    fn default() -> Self {
        Self {
            focus: Panel::default(),
            steps: Steps::default(),
            files: Files::default(),
            diff: Diff::default(),
            playback: Playback::default(),
            search: Search::default(),
            context: diff::CONTEXT,
            bases: Bases::default(),
            tree: FileTree::default(),
            looking_for: None,
            opening: None,
            departures: vec![],
            texts: Pending::default(),
            chooser: None,
            past: Past::default(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Turns(turns::Message),
    Steps(steps::Message),
    Files(files::Message),
    Diff(diff::Message),
    Playback(playback::Message),
    Search(search::Message),
    /// In the focused panel.
    Move(Motion),
    Focus(Panel),
    FocusNext,
    FocusPrevious,
    /// Playback wants to move on.
    Beat,
    Base(base::Message),
    Edits(Edits),
    Failures(Failures),
    /// To the next compaction.
    Compaction,
    /// To a step of any turn.
    Step(StepId),
    Choose(chooser::Message),
    /// Which kinds of steps are listed.
    List(steps::Kinds),
    /// Marks beside the lines of the diff, or none.
    SwitchMarks,
    /// Follow the recording, or no longer.
    Follow,
}
