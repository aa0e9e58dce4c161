//! What is read of a JavaScript or TypeScript file for the linker.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// What one file says of others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in crate::reuse) struct Facts {
    /// What is imported from where, wherever it stands; distinct.
    pub(super) imports: Vec<Import>,
    /// Modules that are only run, by `import "./x"` or `import()`.
    pub(super) run: BTreeSet<Box<str>>,
    /// Exported name, and what it is.
    pub(super) exports: Vec<(Box<str>, Exported)>,
    /// `export * from "./x"`, `...require("./x")`
    pub(super) stars: BTreeSet<Box<str>>,
    /// Whether it has an `export`: then it has no whole but its names.
    pub(super) is_esm: bool,
    pub(super) uses: BTreeSet<Use>,
}

/// One name of an import.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Import {
    pub(super) from: Box<str>,
    pub(super) what: What,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum What {
    /// `default` for the default.
    Name(Box<str>),
    /// `* as m`, or what `require` gives.
    Module,
}

/// What an exported name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Exported {
    Definition(usize),
    /// Passed on, by the number of its import.
    Import(usize),
}

/// An imported name and the properties read of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Use {
    pub(super) import: usize,
    pub(super) properties: Vec<Box<str>>,
}
