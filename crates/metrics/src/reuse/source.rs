//! A file that was read, and what the linkers of the languages find in files.

use std::collections::{BTreeMap, BTreeSet};

use super::{facts::Facts, role::Role};

/// A file that was read, by the order of paths.
pub(super) struct Source<'a> {
    pub path: &'a str,
    pub facts: &'a Facts,
    /// None of a module.
    pub role: Option<(Role, &'static str)>,
}

/// What the linkers of the languages find. Files are numbers in the list of sources, definitions in that of their file.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// (who imports, who is imported)
    pub imports: BTreeSet<(usize, usize)>,
    /// ((file, definition), who refers to it), never the file itself.
    pub uses: BTreeSet<((usize, usize), usize)>,
    /// (file, definition) that is public.
    pub public: BTreeSet<(usize, usize)>,
    /// Files that the code says are tests.
    pub tests: BTreeSet<usize>,
    /// What registers a definition by a string, for people, by (file, definition).
    pub registered: BTreeMap<(usize, usize), String>,
    pub gave_up: bool,
}
