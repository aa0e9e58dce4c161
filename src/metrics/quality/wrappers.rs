//! Functions that only pass a call on, as `scb-check` finds them. Whether one counts depends on what the other files
//! define, so a file keeps what it would take to decide and [`combine`](super::combine) decides.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{file::Span, profile::Profile, snapshot::File};

/// What a file says about names that only the whole snapshot can resolve. Empty outside the `scb-check` profiles.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Links {
    /// 0.1.3: functions that consist of one `return`.
    pub single_returns: Vec<Span>,
    /// 0.1.3: `name = other` at module level.
    pub aliases: Vec<Alias>,
    /// 0.2.0: classes and functions in the order they are met.
    pub symbols: Vec<Symbol>,
}

/// `name = other`, a wrapper if `other` is a function of the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    pub span: Span,
    pub target: Target,
}

/// A dotted name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// To be looked up below the file's own module.
    Local(String),
    Global(String),
}

/// A class or function of 0.2.0. One with the same qualified name in a later file takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Dotted, below the module.
    pub name: String,
    pub span: Span,
    /// Index into the callables of the file; None for a class.
    pub callable: Option<u32>,
    pub effects: Effects,
    pub forwards: Forwards,
}

/// Whether running a function may do more than compute from what it is given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Effects {
    /// It raises, or calls something that has no name.
    pub certain: bool,
    /// Names it calls: an effect unless the snapshot defines them.
    pub calls: Vec<String>,
}

/// What a function of one `return` hands back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Forwards {
    /// Something of its own, or it is bound by a contract and may not be judged.
    #[default]
    Nothing,
    /// One of its parameters.
    Parameter,
    /// A call of this name with all its parameters and nothing else.
    Call(String),
}

/// What was decided about one file.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// In the order they start.
    pub wrappers: Vec<Span>,
    /// Indices of callables whose name a later one has taken.
    pub replaced: HashSet<usize>,
}

/// The wrappers of each file, in the order of `files`.
pub fn found(files: &[File<'_>], profile: Profile) -> Vec<Found> {
    match profile {
        Profile::ScbPaper | Profile::Trajview => vec![Found::default(); files.len()],
        Profile::ScbCheck013 => vec![Found::default(); files.len()],
        Profile::ScbCheck020 => vec![Found::default(); files.len()],
    }
}
