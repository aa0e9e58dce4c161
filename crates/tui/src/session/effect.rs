//! What the screen asks of the runtime.

use std::{path::PathBuf, sync::Arc};

use crate::session::{self, question::Question, request::Request};
use trajview_run::pictures::Picture;

/// Something that is asked of the runtime, its only reader.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Open(Request, PathBuf),
    /// A run of a study, which may be at hand from before; nothing else that is under way ends.
    OpenInStudy(Request, PathBuf),
    /// Answered by a worker.
    Ask(Request, Box<Question>),
    /// Measure no more of what was asked for last.
    StopScoring,
    /// Measure no more of the runs side by side.
    StopComparing,
    /// Read and measure no more of what was asked for last in the collection.
    StopCollecting,
    /// Of the one who runs the agent.
    Live(session::live::Command),
    StopTesting,
    /// Start an agent.
    StartLive(Request, Box<session::jobs::Beginning>),
    /// The code is measured so from now on.
    MeasureWith(session::jobs::Measure),
    /// Ask no more in this judging; what is judged stays.
    StopJudging(Request),
    Suspend,
    /// Tell from now on when this recording grows.
    Follow(PathBuf),
    /// Tell once when this recording, which is not followed, is written to.
    Watch(PathBuf),
    /// Tell from now on which recordings below these paths are written to, are new, or stand otherwise as time goes by.
    WatchAll(Vec<PathBuf>),
    /// How the table of this name was left is kept until the next start, in these lines, each of which begins with the name.
    KeepTable(&'static str, String),
    /// Into the clipboard.
    Copy(String),
    Edit(Editing),
    /// Into the program that the user opens images with.
    OpenImage(Arc<Picture>),
}

impl Effect {
    /// The number of a question, where it is one.
    pub const fn request(&self) -> Option<Request> {
        match self {
            Self::Ask(request, _)
            | Self::Open(request, _)
            | Self::OpenInStudy(request, _)
            | Self::StartLive(request, _) => Some(*request),
            _ => None,
        }
    }
}

impl Question {
    /// Asked under this number.
    pub fn under(self, request: Request) -> Effect {
        Effect::Ask(request, Box::new(self))
    }
}

/// What the editor is to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editing {
    /// The command that opens it, where the settings name one.
    pub program: Option<String>,
    pub what: Edited,
    /// Counts from 1.
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edited {
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
