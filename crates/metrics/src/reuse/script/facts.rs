//! The facts about a JavaScript or TypeScript file for the linker.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The facts of a file about other files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in crate::reuse) struct ScriptFacts {
    /// All distinct imports, at any level.
    pub(super) imports: Vec<ScriptImport>,
    /// Modules that are only imported to be run, by `import "./x"` or `import()`.
    pub(super) run: BTreeSet<Box<str>>,
    /// Pairs of an exported name and its meaning.
    pub(super) exports: Vec<(Box<str>, ScriptExport)>,
    /// The modules of `export * from "./x"` and `...require("./x")`.
    pub(super) stars: BTreeSet<Box<str>>,
    /// True where it has an `import` or `export` statement; then it has no whole export but its names.
    pub(super) is_esm: bool,
    pub(super) uses: BTreeSet<ScriptUse>,
}

/// One name of an import.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct ScriptImport {
    pub(super) from: Box<str>,
    pub(super) what: ScriptImportName,
}

/// The part of a module that is imported.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum ScriptImportName {
    /// A name; `default` for the default export.
    Name(Box<str>),
    /// The whole module: `* as m`, or the value of `require`.
    Module,
}

/// The meaning of an exported name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum ScriptExport {
    Definition(usize),
    /// A re-export, by the number of its import.
    Import(usize),
}

/// An imported name and the properties read from it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct ScriptUse {
    pub(super) import: usize,
    pub(super) properties: Vec<Box<str>>,
}
