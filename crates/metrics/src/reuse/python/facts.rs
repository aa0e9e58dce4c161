//! What is read of a Python file for the linker.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// What one Python file says of others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in crate::reuse) struct Facts {
    /// Every import, wherever it stands; distinct.
    pub(super) imports: Vec<Import>,
    /// `from m import *`: numbers of imports without a name.
    pub(super) stars: BTreeSet<usize>,
    /// Names an import binds at module level, and which imports do.
    pub(super) names: Vec<(Box<str>, Vec<usize>)>,
    pub(super) uses: BTreeSet<Use>,
    /// Dotted paths of symbols that strings name.
    pub(super) paths: BTreeSet<Box<str>>,
    /// None where there is none, or where it cannot be read in full.
    pub(super) all: Option<Vec<AllItem>>,
}

/// One name of an import statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Import {
    /// Leading dots.
    pub(super) level: usize,
    pub(super) module: Vec<Box<str>>,
    /// What is taken from the module; None for the module itself.
    pub(super) name: Option<Box<str>>,
}

/// A dotted name that is read: `root.a.b`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Use {
    pub(super) root: Root,
    pub(super) attributes: Vec<Box<str>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Root {
    /// What an import bound, by its number.
    Import(usize),
    /// Bound by nothing in the file: a built-in, or what a star brought.
    Free(Box<str>),
}

/// A piece of `__all__`, in the order the file adds them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum AllItem {
    Name(Box<str>),
    /// The list of another module: `sub.__all__`.
    Of(Use),
    Without(Box<str>),
}
