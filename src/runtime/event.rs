//! Events that workers, the agent and the terminal send to the run loop.

use std::path::PathBuf;

use trajview_live::RunJob;
use trajview_store::{OpenError, OpenedRecording};
use trajview_tui::{
    session::{effect::OpenAnswer, jobs::FormOrigin, request::RequestId},
    shell::AppMessage,
};

/// The reply of a worker.
pub enum WorkerReply {
    Opened(RequestId, OpenAnswer<OpenedRecording, OpenError>),
    Message(AppMessage),
    /// A run of a comparison cannot be opened.
    NotCompared(RequestId, OpenError),
    /// The run of a form can start; its origin is the run that the form was opened from.
    StartLive(RequestId, Box<RunJob>, Option<FormOrigin>),
}

impl WorkerReply {
    /// Returns whether no other reply to its question follows.
    pub(crate) const fn is_final(&self) -> bool {
        !matches!(self, Self::Opened(_, OpenAnswer::Beginning(_)))
    }
}

pub enum RuntimeEvent {
    /// A message of the user, the terminal or the clock.
    Asked(AppMessage),
    /// An answer to a question, the final one but for the beginning of a run.
    Answered(WorkerReply),
    /// A part of an answer; more follows.
    Partly(AppMessage),
    /// An event of a live run; its thread waits until it is processed.
    Living(AppMessage),
    /// A signal arrived.
    Signal(i32),
    /// The keyboard protocol of the terminal is known.
    KeyboardKnown,
    /// The terminal is closed.
    Gone,
    /// The followed recording has grown.
    Grown(OpenedRecording),
    /// Something was added to a bundle, which may not be the open one any more.
    Changed(PathBuf, OpenedRecording),
}
