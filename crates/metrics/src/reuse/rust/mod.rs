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

mod facts;
mod link;
mod pass;
mod tree;
mod use_tree;

use super::facts::{Facts as FileFacts, Words};
use trajview_code::flat::Flat;

pub(super) use facts::Facts;
use facts::{Binds, Declared, Import, Inline, Item, Path};
pub(super) use link::link;

pub(super) fn read(text: &str, flat: &Flat<'_>) -> FileFacts {
    let read = pass::read(text, flat);
    FileFacts {
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
    text.get(flat.node(at).byte_range()).unwrap_or_default()
}
