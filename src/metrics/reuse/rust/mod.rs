//! Rust: the tree of modules that `mod` makes of files, and the paths that name what is in it.
//!
//! Public is what is declared `pub` to whatever extent, below the file or a module in it: functions, structs, enums,
//! unions and traits. Decisions where the language leaves room:
//!
//! - `mod x;` imports the file of `x`: it is what makes it part of the program.
//! - What stands below `#[cfg(test)]` or `#[test]` is not looked at, and a file declared below it is a test.
//! - A trait that is imported is used: its methods are called without its name.
//! - Names in the arguments of macros count, names in `macro_rules!` do not.
//! - A name that begins with a capital letter in a pattern is read, another is bound.
//! - A path that starts with the name of a package of the project (from `Cargo.toml`, else its folder) leads to its
//!   library.

mod link;
mod pass;
mod tree;
mod use_tree;

use std::collections::BTreeSet;

use super::facts::{self, Words};
use crate::metrics::quality::flat::Flat;

pub(super) use link::link;

/// What one Rust file says of others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Facts {
    /// The file itself first, then the modules in it, each after the one it lies in.
    modules: Vec<Inline>,
    /// What each definition is called in which module, and whether it is `pub`; one entry a definition, in order.
    items: Vec<Item>,
    /// `mod x;`
    declared: Vec<Declared>,
    imports: BTreeSet<Import>,
    /// Paths that are read, with the module they are read in.
    uses: BTreeSet<(usize, Path)>,
    /// `#![cfg(test)]`
    is_test: bool,
}

type Path = Vec<Box<str>>;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Inline {
    /// Empty of the file itself.
    name: Box<str>,
    parent: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    module: usize,
    name: Box<str>,
    is_public: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Declared {
    module: usize,
    name: Box<str>,
    /// `#[path = "…"]`
    path: Option<Box<str>>,
    is_test: bool,
}

/// One name of a `use`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Import {
    module: usize,
    path: Path,
    binds: Binds,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    Name(Box<str>),
    /// `use a::*`
    Everything,
}

pub(super) fn read(text: &str, flat: &Flat<'_>) -> facts::Facts {
    let read = pass::read(text, flat);
    facts::Facts {
        skipped: None,
        is_run: read.is_run,
        definitions: read.definitions,
        words: Words::Rust(read.facts),
    }
}

/// `[package] name` and `[lib] name` of a `Cargo.toml`, as code writes them; None where it names no package.
pub(super) fn crate_name(manifest: &str) -> Option<Box<str>> {
    let table = toml::de::DeTable::parse(manifest).ok()?;
    let table = table.get_ref();
    let name = |of: &str| table.get(of)?.get_ref().as_table()?.get("name")?.get_ref().as_str();
    Some(name("lib").or_else(|| name("package"))?.replace('-', "_").into())
}

fn text_of<'t>(text: &'t str, flat: &Flat<'_>, at: usize) -> &'t str {
    text.get(flat.entries[at].node.byte_range()).unwrap_or_default()
}
