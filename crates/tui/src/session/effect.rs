//! What the screen asks of the runtime.

use std::{path::PathBuf, sync::Arc};

use crate::session::{
    self,
    question::Question,
    request::{RequestId, Sentence},
};
use trajview_run::{Run, live::LiveCommand, pictures::RecordedImage};

/// A request to the runtime, its only reader.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Open the run at a path; answered by [`OpenAnswer`]s.
    Open(RequestId, PathBuf, OpenPurpose),
    /// Answered by a worker.
    Ask(RequestId, Box<Question>),
    /// Stop measuring for the last request.
    StopScoring,
    /// Measure no more of the runs side by side.
    StopComparing,
    /// Stop reading and measuring for the last request in the collection.
    StopCollecting,
    /// A command for the live run.
    Live(LiveCommand),
    /// Goes on with the live run of this bundle where it broke off.
    ResumeLive(PathBuf),
    /// Read what is recorded of the live run that made this bundle, if one did.
    ReadLive(PathBuf),
    StopTesting,
    /// Stop the export under way.
    StopExport,
    /// Start an agent.
    StartLive(RequestId, Box<session::jobs::LiveRunStart>),
    /// The code is measured so from now on.
    MeasureWith(session::jobs::MeasureSettings),
    /// The scores of this judge are the results of runs from now on; None for the judgement of each run.
    PinJudge(Option<String>),
    /// Ask no more in this judging; what is judged stays.
    StopJudging(RequestId),
    Suspend,
    /// Tell from now on when this recording grows.
    Follow(PathBuf),
    /// Tell once when this recording, which is not followed, is written to.
    Watch(PathBuf),
    /// Report from now on which recordings below these paths are written to, are new, or change their state with
    /// time.
    WatchAll(Vec<PathBuf>),
    /// Save the state of the table of this name until the next start, in these lines, each of which begins with the
    /// name.
    KeepTable(&'static str, String),
    /// Save these numbers as the lanes of the timeline, in the settings.
    KeepLanes(Vec<String>),
    /// Into the clipboard.
    Copy(String),
    Edit(EditorTarget),
    /// Into the program that the user opens images with.
    OpenImage(Arc<RecordedImage>),
}

impl Effect {
    /// Returns the number of the question; None for an effect that is none.
    pub const fn request_id(&self) -> Option<RequestId> {
        match self {
            Self::Ask(request, _) | Self::Open(request, ..) | Self::StartLive(request, _) => {
                Some(*request)
            }
            _ => None,
        }
    }
}

impl Question {
    /// Returns the effect that asks this under a number.
    pub fn with_request(self, request: RequestId) -> Effect {
        Effect::Ask(request, Box::new(self))
    }
}

/// The purpose for which a run is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenPurpose {
    /// It is shown; the work for the run before it ends.
    Show,
    /// The queue of a study needs it. It may still be in memory, and nothing else in progress ends.
    Study,
}

/// An answer to [`Effect::Open`]; the last one is [`OpenAnswer::Several`] or [`OpenAnswer::Whole`].
#[derive(Debug, Clone, PartialEq)]
pub enum OpenAnswer<R = Arc<Run>, E = Sentence> {
    /// The path has several runs.
    Several,
    /// The beginning of the run; the whole follows.
    Beginning(R),
    Whole(Result<R, E>),
}

/// The file for the editor to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorTarget {
    /// The command that opens it, where the settings name one.
    pub program: Option<String>,
    pub what: EditedFile,
    /// The line, counted from 1.
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditedFile {
    /// A copy of a recorded file, which nobody writes back.
    Copy {
        /// Last part of the path, as recorded.
        name: String,
        text: Arc<str>,
        /// `turn-4`, to tell copies of one file apart.
        moment: String,
    },
    /// A file of the user's own, which is read again afterwards.
    File(PathBuf),
}
