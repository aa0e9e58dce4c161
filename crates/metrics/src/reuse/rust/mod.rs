//! Rust: the tree of modules that `mod` declarations build from files, and the paths into it.
//!
//! Public are all items declared `pub` to any extent, at the top of the file or in a module in it: functions, structs,
//! enums, unions and traits. Decisions where the language leaves room:
//!
//! - `mod x;` imports the file of `x`, because it makes the file a part of the program.
//! - Code inside `#[cfg(test)]` or `#[test]` is ignored, and a file declared there is a test.
//! - A trait that is imported is used: its methods are called without its name.
//! - Names in the arguments of macros count, names in `macro_rules!` do not.
//! - A name that begins with a capital letter in a pattern is read, another is bound.
//! - A path that starts with the name of a package of the project (from `Cargo.toml`, else its folder) leads to its
//!   library.

mod facts;
mod item_pass;
mod link;
mod module_tree;
mod use_tree;

use super::facts::{LinkerFacts, ReuseFacts as FileFacts};
use trajview_code::flat_tree::FlatTree;

pub(super) use facts::RustFacts;
use facts::{DeclaredModule, InlineModule, RustImport, RustItem, RustPath, UseBinding};
pub(super) use link::link_rust;

/// Reads the facts of a file.
pub(super) fn read_rust(text: &str, flat: &FlatTree<'_>) -> FileFacts {
    let read = item_pass::read_file(text, flat);
    FileFacts {
        skipped: None,
        is_run: read.is_run,
        definitions: read.definitions,
        words: LinkerFacts::Rust(read.facts),
    }
}

/// Returns `[lib] name`, else `[package] name`, of a `Cargo.toml`, as code writes it; None where it names no package.
pub(super) fn crate_name(manifest: &str) -> Option<Box<str>> {
    let table = toml::de::DeTable::parse(manifest).ok()?;
    let table = table.get_ref();
    let name =
        |section: &str| table.get(section)?.get_ref().as_table()?.get("name")?.get_ref().as_str();
    Some(name("lib").or_else(|| name("package"))?.replace('-', "_").into())
}

fn text_of<'t>(text: &'t str, flat: &FlatTree<'_>, at: usize) -> &'t str {
    text.get(flat.node(at).byte_range()).unwrap_or_default()
}
