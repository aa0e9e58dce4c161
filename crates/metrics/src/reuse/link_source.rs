//! A file that was read, and the links that the linkers of the languages find.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    facts::{LinkerFacts, ReuseFacts},
    role::FileRole,
};

/// A file that was read; sources are sorted by path.
pub(super) struct LinkSource<'a> {
    pub path: &'a str,
    pub facts: &'a ReuseFacts,
    /// None for a module.
    pub role: Option<(FileRole, &'static str)>,
}

/// Returns the facts of a language, one for each source; None for sources of other languages.
pub(super) fn facts_by_file<'a, F>(
    sources: &'a [LinkSource<'a>],
    facts_of: fn(&LinkerFacts) -> Option<&F>,
) -> Vec<Option<&'a F>> {
    sources.iter().map(|source| facts_of(&source.facts.words)).collect()
}

/// The links that the linkers of the languages find. Files are indices into the list of sources, definitions into that
/// of their file.
#[derive(Debug, Default)]
pub(super) struct ReuseLinks {
    /// Pairs (importing file, imported file).
    pub imports: BTreeSet<(usize, usize)>,
    /// Pairs ((file, definition), referring file), never of the file itself.
    pub uses: BTreeSet<((usize, usize), usize)>,
    /// Public definitions, as (file, definition).
    pub public: BTreeSet<(usize, usize)>,
    /// Files that the code declares as tests.
    pub tests: BTreeSet<usize>,
    /// Descriptions of what registers a definition by a string, keyed by (file, definition).
    pub registered: BTreeMap<(usize, usize), String>,
    pub gave_up: bool,
}
