//! A run turn by turn: its turns, the files a turn changed, their differences, its steps; playback and search.

pub mod activity;
mod agent_lanes;
pub mod bookmark;
pub mod breakpoints;
pub mod chooser;
pub mod chooser_actions;
pub mod diff;
pub mod diff_base;
pub mod diff_target;
pub mod draw;
pub mod file_history;
pub mod file_history_actions;
pub mod files;
pub mod line_marks;
pub mod navigation;
pub mod playback;
pub mod playback_actions;
mod questions;
pub mod request;
pub mod search;
pub mod steps;
pub mod turn_stats;
mod update;
mod view;

use crate::{
    session::{pending::Pending, turns},
    views::file_tree::FileTree,
    widgets::{layout::ReplayPanel, scroll::Motion},
};
use trajview_run::{StepId, search::SearchQuery};

use bookmark::Bookmark;
use chooser::ReplayChooser;
use diff::DiffPanel;
use diff_base::DiffBases;
use file_history::FileHistoryList;
use files::FileList;
use navigation::RequestedFile;
use playback::PlaybackState;
use request::RequestPanel;
use search::ReplaySearch;
use steps::StepList;

pub use activity::FailureMotion;
pub use diff_target::EditMotion;

/// The state of the replay; each panel's own state is in its file.
#[derive(Debug)]
pub struct ReplayView {
    pub focus: ReplayPanel,
    /// The request of the turn.
    pub request: RequestPanel,
    pub steps: StepList,
    pub files: FileList,
    pub diff: DiffPanel,
    pub playback: PlaybackState,
    pub search: ReplaySearch,
    /// Lines of unchanged text around a change.
    pub context: usize,
    pub bases: DiffBases,
    pub tree: FileTree,
    /// A search that was accepted and not requested yet.
    pending_query: Option<SearchQuery>,
    /// A file to open at, until the files are known.
    requested_file: Option<RequestedFile>,
    /// The places where jumps began, the last one last.
    jump_origins: Vec<Bookmark>,
    pending_texts: Pending<StepId>,
    /// A list over the panels.
    pub chooser: Option<ReplayChooser>,
    /// Every change to one thing, as that list shows it.
    pub file_history: FileHistoryList,
}

impl Default for ReplayView {
    fn default() -> Self {
        Self {
            focus: ReplayPanel::default(),
            request: RequestPanel::default(),
            steps: StepList::default(),
            files: FileList::default(),
            diff: DiffPanel::default(),
            playback: PlaybackState::default(),
            search: ReplaySearch::default(),
            context: diff::CONTEXT_LINES,
            bases: DiffBases::default(),
            tree: FileTree::default(),
            pending_query: None,
            requested_file: None,
            jump_origins: vec![],
            pending_texts: Pending::default(),
            chooser: None,
            file_history: FileHistoryList::default(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum ReplayMessage {
    Turns(turns::TurnMessage),
    Steps(steps::StepsMessage),
    Files(files::FileListMessage),
    Diff(diff::DiffMessage),
    Playback(playback::PlaybackMessage),
    Search(search::SearchMessage),
    /// Moves in the focused panel.
    Move(Motion),
    /// Goes to a turn by its number; in a run of one request to a step.
    GoTo(usize),
    Focus(ReplayPanel),
    FocusNext,
    FocusPrevious,
    /// Playback wants to move on.
    PlaybackTick,
    Base(diff_base::BaseMessage),
    Edits(EditMotion),
    Failures(FailureMotion),
    /// Opens the image at the cursor of the request; elsewhere gives the diff the keyboard.
    OpenInRequest,
    /// Goes to the next compaction.
    Compaction,
    /// Goes to a step of any turn.
    Step(StepId),
    Choose(chooser::ChooserMessage),
    /// Chooses the kinds of steps in the list.
    FilterSteps(steps::StepFilter),
    /// Marks beside the lines of the diff, or none.
    SwitchMarks,
    /// Follow the recording, or no longer.
    Follow,
}
