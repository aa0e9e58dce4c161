//! What happens to what is begun from the screen: its form, and the list of what was begun.

use std::path::PathBuf;

use crate::{
    session::{self, jobs::Refusal, request::Request},
    views::form,
    widgets::scroll::Motion,
};

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Open(Purpose),
    Form(form::Message),
    /// Do what the form says.
    Begin,
    /// Of the list of what was begun.
    List(List),
    Close,
    /// Values measured with another profile or other rules are not shown any more.
    DismissBefore,
    StopTests,
    /// What was to begin cannot.
    Refused(Request, Refusal),
    /// The agent of a live run is being started; where it is recorded.
    LiveBegan(Option<session::jobs::Origin>, PathBuf),
    /// So many rows on in the plan.
    ScrollPlan(isize),
}

#[derive(Debug, Clone, PartialEq)]
pub enum List {
    /// Opens the list, or closes it.
    Toggle,
    Move(Motion),
    /// To the work.
    Enter,
    Stop,
}

/// What a form is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The code is measured with another profile or other rules.
    Score,
    /// The code at checkpoints is tested.
    Test,
    /// The files of every turn are built and tested.
    Check,
    /// An agent is run and recorded.
    Live,
}
