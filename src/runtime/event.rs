//! What workers, the agent and the terminal send to the run loop.

use std::path::PathBuf;

use trajview_live::Job;
use trajview_store::OpenError;
use trajview_tui::{
    session::{jobs::Origin, request::Request},
    shell::Message,
};

use super::recording::Opened;

/// What a worker sends back.
pub enum Reply {
    Opened(Request, Result<Opened, OpenError>),
    Message(Message),
    /// A run that was to be set beside others cannot be opened.
    NotCompared(Request, OpenError),
    /// The run of a form can begin; the one that it is started from.
    StartLive(Request, Box<Job>, Option<Origin>),
}

pub enum Event {
    /// The user, the terminal or the clock wants something.
    Asked(Message),
    /// A question is answered, for good.
    Answered(Reply),
    /// A part of an answer; more follows.
    Partly(Message),
    /// The beginning of a run that is still being read; the whole follows.
    Begun(Request, Opened),
    /// Told of a run that is being made; whoever tells waits until it is taken in.
    Living(Message),
    /// A signal arrived.
    Signal(i32),
    /// It is known what the terminal can tell of keys.
    KeyboardKnown,
    /// There is no terminal any more.
    Gone,
    /// The recording that is followed has grown.
    Grown(Opened),
    /// Something was added to a bundle, which may not be the one that is open any more.
    Changed(PathBuf, Opened),
}
