//! What is read of a Rust file for the linker.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// What one Rust file says of others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in crate::reuse) struct Facts {
    /// The file itself first, then the modules in it, each after the one it lies in.
    pub(super) modules: Vec<Inline>,
    /// What each definition is called in which module, and whether it is `pub`; one entry a definition, in order.
    pub(super) items: Vec<Item>,
    /// `mod x;`
    pub(super) declared: Vec<Declared>,
    pub(super) imports: BTreeSet<Import>,
    /// Paths that are read, with the module they are read in.
    pub(super) uses: BTreeSet<(usize, Path)>,
    /// `#![cfg(test)]`
    pub(super) is_test: bool,
}

pub(super) type Path = Vec<Box<str>>;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Inline {
    /// Empty of the file itself.
    pub(super) name: Box<str>,
    pub(super) parent: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Item {
    pub(super) module: usize,
    pub(super) name: Box<str>,
    pub(super) is_public: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Declared {
    pub(super) module: usize,
    pub(super) name: Box<str>,
    /// `#[path = "…"]`
    pub(super) path: Option<Box<str>>,
    pub(super) is_test: bool,
}

/// One name of a `use`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Import {
    pub(super) module: usize,
    pub(super) path: Path,
    pub(super) binds: Binds,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Binds {
    Name(Box<str>),
    /// `use a::*`
    Everything,
}
