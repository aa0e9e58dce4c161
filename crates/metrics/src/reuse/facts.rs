//! What is known of one file without looking at any other.

use serde::{Deserialize, Serialize};

use super::{python, rust, script};
use crate::quality::Skip;
use trajview_run::values::worded;

/// Raised whenever the same file would have other facts, or the same in another form: they are kept between starts.
pub const FACTS_VERSION: u32 = 2;

/// What was read of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Facts {
    /// Why it could not be read; everything else is empty then.
    pub(super) skipped: Option<Skip>,
    /// Whether it says itself that it is run: a main guard, a function `main` where the language runs that.
    pub(super) is_run: bool,
    /// Top-level classes and functions, names distinct, in the order they start.
    pub(super) definitions: Vec<Definition>,
    pub(super) words: Words,
}

/// What the linker of its language needs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) enum Words {
    #[default]
    None,
    Python(python::Facts),
    Script(script::Facts),
    Rust(rust::Facts),
    /// The name of a package, out of its `Cargo.toml`.
    Manifest(Box<str>),
    /// Dotted paths of symbols that a package registers.
    EntryPoints(Vec<Box<str>>),
}

/// A top-level class or function, or what its language has in their place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Definition {
    pub name: Box<str>,
    /// Counts from 1.
    pub line: u32,
    pub kind: Kind,
    /// What registers it in its own file, for people: `decorator app.route`.
    pub registered: Option<Box<str>>,
}

worded! {
    name;
    /// What a symbol is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Kind {
        Class = "class",
        Function = "function",
        Trait = "trait",
        /// A struct, an enum or a union.
        Type = "type",
    }
}

impl Facts {
    /// Whether they are the same in every build: not so where this one has no grammar for the file.
    pub fn are_lasting(&self) -> bool {
        self.skipped != Some(Skip::NoGrammar)
    }

    /// Why the file could not be read; None where it was.
    #[cfg(test)]
    pub fn skipped(&self) -> Option<Skip> {
        self.skipped
    }
}
