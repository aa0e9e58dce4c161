//! Facts about one file that need no other file.

use serde::{Deserialize, Serialize};

use super::{python, rust, script};
use crate::quality::SkipReason;
use trajview_run::worded_enum::worded;

/// The version of the facts in the cache. Raise it whenever the same file gets other facts, or the same facts in
/// another form.
pub const FACTS_VERSION: u32 = 2;

/// The facts about one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReuseFacts {
    /// The reason why the file could not be read; everything else is empty then.
    pub(super) skipped: Option<SkipReason>,
    /// True where the file itself shows that it is run: by a main guard, or a function `main` where the language runs
    /// that.
    pub(super) is_run: bool,
    /// Top-level classes and functions, names distinct, in the order they start.
    pub(super) definitions: Vec<TopLevelDefinition>,
    pub(super) words: LinkerFacts,
}

/// The facts that the linker of the file's language needs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) enum LinkerFacts {
    #[default]
    None,
    Python(python::PythonFacts),
    Script(script::ScriptFacts),
    Rust(rust::RustFacts),
    /// The name of a package, from its `Cargo.toml`.
    Manifest(Box<str>),
    /// Dotted paths of symbols that a package registers.
    EntryPoints(Vec<Box<str>>),
}

/// A top-level class or function, or the language's equivalent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TopLevelDefinition {
    pub name: Box<str>,
    /// Counts from 1.
    pub line: u32,
    pub kind: SymbolKind,
    /// A description of what registers it in its own file: `decorator app.route`.
    pub registered: Option<Box<str>>,
}

worded! {
    name;
    /// The kind of a symbol.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum SymbolKind {
        Class = "class",
        Function = "function",
        Trait = "trait",
        /// A struct, an enum or a union.
        Type = "type",
    }
}

impl ReuseFacts {
    /// Returns whether the facts are the same in every build, which is not so where this build has no grammar for the
    /// file.
    pub fn are_lasting(&self) -> bool {
        self.skipped != Some(SkipReason::NoGrammar)
    }

    /// Returns the reason why the file could not be read; None where it was read.
    #[cfg(test)]
    pub fn skipped(&self) -> Option<SkipReason> {
        self.skipped
    }
}
