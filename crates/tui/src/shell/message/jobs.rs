//! Messages about jobs: their forms, and the list of started jobs.

use std::path::PathBuf;

use crate::{
    session::{self, jobs::JobRefusal, request::RequestId},
    views::form,
    widgets::scroll::Motion,
};

#[derive(Debug, Clone, PartialEq)]
pub enum JobsMessage {
    Open(FormPurpose),
    Form(form::FormMessage),
    /// Start the work of the form.
    Begin,
    /// For the list of started jobs.
    List(JobListMessage),
    Close,
    /// Remove values that were measured with another profile or other rules.
    DismissBefore,
    StopTests,
    /// Copies the command line of the form.
    CopyCommand,
    /// The work cannot start.
    Refused(RequestId, JobRefusal),
    /// The agent of a live run is being started; its origin and the recording.
    LiveBegan(Option<session::jobs::FormOrigin>, PathBuf),
}

#[derive(Debug, Clone, PartialEq)]
pub enum JobListMessage {
    /// Opens the list, or closes it.
    Toggle,
    Move(Motion),
    /// Show the work.
    Enter,
    Stop,
}

/// The purpose of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormPurpose {
    /// The code is measured with another profile or other rules.
    Score,
    /// The code at checkpoints is tested.
    Test,
    /// The files of every turn are built and tested.
    Check,
    /// An agent is run and recorded.
    Live,
    /// Runs are written as tables, a report or another format.
    Export,
    /// The same with a figure as the format.
    Figure,
}
