//! The facts about a Python file for the linker.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The facts of a Python file about other files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in crate::reuse) struct PythonFacts {
    /// All distinct imports, at any level.
    pub(super) imports: Vec<PythonImport>,
    /// The numbers of the imports `from m import *`, which have no name.
    pub(super) stars: BTreeSet<usize>,
    /// Names that imports bind at module level, with the numbers of these imports.
    pub(super) names: Vec<(Box<str>, Vec<usize>)>,
    pub(super) uses: BTreeSet<PythonUse>,
    /// Dotted paths of symbols that strings name.
    pub(super) paths: BTreeSet<Box<str>>,
    /// The items of `__all__`; None where there is none, or where it cannot be read completely.
    pub(super) all: Option<Vec<AllItem>>,
}

/// One name of an import statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct PythonImport {
    /// The number of leading dots.
    pub(super) level: usize,
    pub(super) module: Vec<Box<str>>,
    /// The imported name; None for the module itself.
    pub(super) name: Option<Box<str>>,
}

/// A dotted name that is read: `root.a.b`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct PythonUse {
    pub(super) root: UseRoot,
    pub(super) attributes: Vec<Box<str>>,
}

/// The first part of a dotted name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum UseRoot {
    /// A name that an import bound, by the number of the import.
    Import(usize),
    /// A name that nothing in the file binds: a built-in, or one from a star import.
    Free(Box<str>),
}

/// An item of `__all__`, in the order in which the file adds them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum AllItem {
    Name(Box<str>),
    /// The list of another module: `sub.__all__`.
    Of(PythonUse),
    Without(Box<str>),
}
