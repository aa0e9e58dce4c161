//! The facts about a Rust file for the linker.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The facts of a Rust file about other files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in crate::reuse) struct RustFacts {
    /// The file itself first, then the modules in it, each after the one around it.
    pub(super) modules: Vec<InlineModule>,
    /// The module and the name of each definition, and whether it is `pub`; one entry per definition, in order.
    pub(super) items: Vec<RustItem>,
    /// The declarations `mod x;`.
    pub(super) declared: Vec<DeclaredModule>,
    pub(super) imports: BTreeSet<RustImport>,
    /// Paths that are read, with the module in which they are read.
    pub(super) uses: BTreeSet<(usize, RustPath)>,
    /// True for a file with `#![cfg(test)]`.
    pub(super) is_test: bool,
}

/// The parts of a path.
pub(super) type RustPath = Vec<Box<str>>;

/// A module inside a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct InlineModule {
    /// Empty for the file itself.
    pub(super) name: Box<str>,
    pub(super) parent: usize,
}

/// A definition, by its module and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RustItem {
    pub(super) module: usize,
    pub(super) name: Box<str>,
    pub(super) is_public: bool,
}

/// A module whose code is in another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DeclaredModule {
    pub(super) module: usize,
    pub(super) name: Box<str>,
    /// The path of `#[path = "…"]`.
    pub(super) path: Option<Box<str>>,
    pub(super) is_test: bool,
}

/// One name of a `use`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct RustImport {
    pub(super) module: usize,
    pub(super) path: RustPath,
    pub(super) binds: UseBinding,
}

/// The names that a `use` binds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum UseBinding {
    Name(Box<str>),
    /// `use a::*`
    Everything,
}
