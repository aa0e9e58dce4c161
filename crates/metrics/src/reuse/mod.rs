//! Dependency integration (DIR): the share of the symbols exported by a snapshot's modules that other modules use.
//!
//! The SLUMP paper gives no algorithm; this is ours. A *module* is a source file that is no test and no `setup.py`. An
//! *entry* is a module with a main guard, or one that no module imports and none of whose public symbols is used
//! elsewhere, tests included. P are the public top-level classes and functions of all modules that are no entries, U
//! those of P that another module imports and refers to; DIR = |U| / |P|, and not defined without P or of one module.
//! A symbol that a decorator, an entry point or a string registers is in use without being reused: it is in neither
//! count. Tests never make a symbol reused: they only prevent that a module which nothing integrates counts as an
//! entry.
//!
//! One file is read alone ([`read_facts`], to be cached by content), and the facts of all files are linked
//! ([`link_files`]). Every number has its list in [`Reuse`]. To add a language, add a variant of `facts::LinkerFacts`,
//! a reader and a linker, both in a folder of their own.

mod facts;
mod link_source;
mod name_lookup;
mod python;
mod reuse_lists;
mod role;
mod rust;
mod script;
mod step_budget;

use serde::Serialize;
use trajview_code::flat_tree::FlatTree;

use super::{
    quality::{MAX_BYTES, MAX_DEPTH, ParsedFile, SkipReason},
    registered,
};
use trajview_code::tree::{Grammar, parse_tree};

pub use facts::{FACTS_VERSION, ReuseFacts, SymbolKind};
pub use role::{FileRole, ReaderKind, takes_path};

/// DIR of one snapshot and the lists behind it. The order of the files it was made from does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Reuse {
    /// The set P, sorted by path, line and name.
    pub symbols: Vec<ReuseSymbol>,
    /// Every file that was read, sorted by path, with its role.
    pub modules: Vec<ModuleFile>,
    /// Files that would count but could not be read, sorted by path; the numbers are those of the other files.
    pub skipped: Vec<UnreadFile>,
    /// True where there is only one module (without tests and empty `__init__.py` files), so that no other could use
    /// its symbols.
    pub is_one_module: bool,
    /// True where some names were too entangled to be resolved completely, so that reuse may be missed.
    pub gave_up: bool,
}

/// A symbol of P.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReuseSymbol {
    pub name: String,
    /// The path of the file that defines it, relative to the snapshot, with `/`.
    pub path: String,
    /// The first line of its definition, counting from 1; the first of several definitions.
    pub line: u32,
    pub kind: SymbolKind,
    /// Sorted paths of the modules that import it and refer to it; empty where none does.
    pub reused_by: Vec<String>,
    /// A description of what registers it: a decorator, an entry point or a string. None where nothing does.
    pub registered: Option<String>,
}

impl ReuseSymbol {
    /// Returns whether the symbol is in use although no module refers to it; such a symbol counts neither as exported
    /// nor as reused.
    pub(crate) fn is_only_registered(&self) -> bool {
        self.registered.is_some() && self.reused_by.is_empty()
    }
}

/// A file with its role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModuleFile {
    pub path: String,
    pub role: FileRole,
    /// The reason in words.
    pub why: &'static str,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadFile {
    pub path: String,
    /// The reason in words.
    pub why: &'static str,
}

impl Reuse {
    /// Returns |P|, the number of symbols without those that are registered and not reused.
    pub fn exported_count(&self) -> usize {
        self.symbols.iter().filter(|symbol| !symbol.is_only_registered()).count()
    }

    /// Returns the number of symbols that are registered and not reused.
    pub fn registered_count(&self) -> usize {
        self.symbols.iter().filter(|symbol| symbol.is_only_registered()).count()
    }

    /// Returns why there is no DIR, in words; None where there is one, and where nothing could be read.
    pub fn not_defined(&self) -> Option<&'static str> {
        match self.exported_count() {
            _ if !self.is_read() => None,
            _ if self.is_one_module => Some("one module: no other could use its symbols"),
            0 if self.registered_count() > 0 => Some("every exported symbol is registered"),
            0 => Some("no module exports a symbol"),
            _ => None,
        }
    }

    /// Returns |U|, the number of reused symbols.
    pub fn reused_count(&self) -> usize {
        self.symbols.iter().filter(|symbol| !symbol.reused_by.is_empty()).count()
    }

    /// Returns whether the lists are meaningful, which is not so where there are files and none could be read.
    pub fn is_read(&self) -> bool {
        self.skipped.is_empty() || !self.modules.is_empty()
    }

    /// Returns |U| / |P|, 0 to 1, higher is better; None without P, and where there is one module alone.
    pub fn dir(&self) -> Option<f64> {
        let exported = self.exported_count();
        let is_defined = exported > 0 && !self.is_one_module;
        is_defined.then(|| self.reused_count() as f64 / exported as f64)
    }
}

/// A file of a snapshot with its facts.
#[derive(Debug, Clone, Copy)]
pub struct ReuseFile<'a> {
    /// Relative to the snapshot, with `/`.
    pub path: &'a str,
    /// None where its content is not available.
    pub facts: Option<&'a ReuseFacts>,
}

/// Computes the reuse of a folder of files. Of two files with the same path the first counts.
pub fn reuse_of_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Reuse {
    let taken = files.into_iter().filter(|(path, _)| takes_path(path));
    let read: Vec<(&str, ReuseFacts)> = taken
        .filter_map(|(path, bytes)| Some((path, read_facts(ReaderKind::for_path(path)?, bytes))))
        .collect();
    let files: Vec<ReuseFile<'_>> =
        read.iter().map(|(path, facts)| ReuseFile { path, facts: Some(facts) }).collect();
    link_files(&files)
}

/// Reads the facts of one file that do not depend on its path or on other files.
pub fn read_facts(form: ReaderKind, bytes: &[u8]) -> ReuseFacts {
    try_read(form, bytes)
        .unwrap_or_else(|why| ReuseFacts { skipped: Some(why), ..ReuseFacts::default() })
}

fn try_read(form: ReaderKind, bytes: &[u8]) -> Result<ReuseFacts, SkipReason> {
    if bytes.len() > MAX_BYTES {
        return Err(SkipReason::TooBig);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| SkipReason::NotUtf8)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let grammar = match form {
        ReaderKind::Code(grammar) => grammar,
        ReaderKind::Manifest => return Ok(manifest_facts(text)),
        ReaderKind::EntryPoints => {
            let words = facts::LinkerFacts::EntryPoints(registered::entry_points(text));
            return Ok(ReuseFacts { words, ..ReuseFacts::default() });
        }
    };
    let tree = parse_tree(grammar, text.as_bytes()).ok_or(SkipReason::NoGrammar)?;
    if tree.root_node().has_error() {
        return Err(SkipReason::SyntaxError);
    }
    let flat = FlatTree::from_node(tree.root_node());
    if flat.depth > MAX_DEPTH {
        return Err(SkipReason::TooDeep);
    }
    facts_of(grammar, text, &flat)
}

/// Does the same as [`read_facts`] for a file that was parsed for the measures; None where it would be parsed
/// differently here.
pub fn read_parsed(form: ReaderKind, parsed: ParsedFile<'_>) -> Option<ReuseFacts> {
    let ParsedFile { grammar, text, flat } = parsed;
    let is_same = form == ReaderKind::Code(grammar) && !text.starts_with('\u{feff}');
    is_same.then(|| {
        facts_of(grammar, text, flat)
            .unwrap_or_else(|why| ReuseFacts { skipped: Some(why), ..ReuseFacts::default() })
    })
}

fn facts_of(grammar: Grammar, text: &str, flat: &FlatTree<'_>) -> Result<ReuseFacts, SkipReason> {
    match grammar {
        Grammar::Python => python::read_python(text, flat).ok_or(SkipReason::SyntaxError),
        Grammar::JavaScript | Grammar::TypeScript | Grammar::Tsx => {
            Ok(script::read_script(text, flat))
        }
        Grammar::Rust => Ok(rust::read_rust(text, flat)),
        Grammar::C
        | Grammar::Cpp
        | Grammar::Go
        | Grammar::Haskell
        | Grammar::Java
        | Grammar::Zig => Err(SkipReason::NoGrammar),
    }
}

/// Reads a `Cargo.toml`; one without a package name has no facts.
fn manifest_facts(text: &str) -> ReuseFacts {
    let words =
        rust::crate_name(text).map_or(facts::LinkerFacts::None, facts::LinkerFacts::Manifest);
    ReuseFacts { words, ..ReuseFacts::default() }
}

/// Links the facts of a snapshot's files; the order of the files does not matter.
pub fn link_files(files: &[ReuseFile<'_>]) -> Reuse {
    reuse_lists::build_reuse(files)
}

#[cfg(test)]
mod tests;
