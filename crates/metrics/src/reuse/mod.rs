//! Dependency integration (DIR): how much of what the modules of a snapshot offer is used by other modules.
//!
//! The SLUMP paper gives no algorithm; this is ours. A *module* is a source file that is no test and no `setup.py`. An
//! *entry* is a module with a main guard, or one that no module imports and none of whose public symbols is used
//! elsewhere, tests included. P are the public top-level classes and functions of all modules that are no entries, U
//! those of P that another module imports and refers to; DIR = |U| / |P|, and not defined without P or of one module.
//! A symbol that a decorator, an entry point or a string registers is in use without being reused: in neither count. Tests never make a
//! symbol reused: they only keep a module that nothing integrates from passing for an entry.
//!
//! One file is read alone ([`read`], to be kept by content), and what was read of all files is tied together
//! ([`link`]). Every number opens into its list ([`Reuse`]). To add a language: a variant of `facts::Words`, its
//! reader and its linker, both in a folder of its own.

mod facts;
mod links;
mod python;
mod role;
mod rust;
mod script;
mod source;
mod steps;

use serde::Serialize;
use trajview_code::flat::Flat;

use super::{
    quality::{MAX_BYTES, MAX_DEPTH, Parsed, Skip},
    registered,
};
use trajview_code::tree::{Grammar, parse};

pub use facts::{FACTS_VERSION, Facts, Kind};
pub use role::{Form, Role, takes};

/// DIR of one snapshot and the lists behind it. The order of the files it was made from does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Reuse {
    /// P: by path, then line, then name.
    pub symbols: Vec<Symbol>,
    /// Every file that was read, by path, with what it counts as.
    pub modules: Vec<Module>,
    /// Files that would count and could not be read, by path: the numbers are those of the others.
    pub skipped: Vec<Unread>,
    /// Whether there is one module, tests and packages' empty `__init__.py` aside: no other could use its symbols.
    pub is_one_module: bool,
    /// Whether names were so tangled that some were not followed to their end: reuse may be missed.
    pub gave_up: bool,
}

/// One of P.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Symbol {
    pub name: String,
    /// Of the file that defines it, relative to the snapshot, with `/`.
    pub path: String,
    /// Where its definition starts, counting from 1; of several the first.
    pub line: u32,
    pub kind: Kind,
    /// Paths of the modules that import it and refer to it, in order; empty where nobody does.
    pub reused_by: Vec<String>,
    /// What registers it, for people: a decorator, an entry point or a string. Null where nothing does.
    pub registered: Option<String>,
}

impl Symbol {
    /// In use, though no module refers to it: counted neither as exported nor as reused.
    pub fn is_only_registered(&self) -> bool {
        self.registered.is_some() && self.reused_by.is_empty()
    }
}

/// A file and what it counts as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Module {
    pub path: String,
    pub role: Role,
    /// For people.
    pub why: &'static str,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unread {
    pub path: String,
    /// For people.
    pub why: &'static str,
}

impl Reuse {
    /// |P|: without the symbols that are registered and not reused.
    pub fn exported(&self) -> usize {
        self.symbols.iter().filter(|symbol| !symbol.is_only_registered()).count()
    }

    /// Symbols that are registered and not reused.
    pub fn registered(&self) -> usize {
        self.symbols.iter().filter(|symbol| symbol.is_only_registered()).count()
    }

    /// Why there is no DIR, for people; None where there is one, and where nothing could be read.
    pub fn not_defined(&self) -> Option<&'static str> {
        match self.exported() {
            _ if !self.is_read() => None,
            _ if self.is_one_module => Some("one module: no other could use its symbols"),
            0 if self.registered() > 0 => Some("every exported symbol is registered"),
            0 => Some("no module exports a symbol"),
            _ => None,
        }
    }

    /// |U|
    pub fn reused(&self) -> usize {
        self.symbols.iter().filter(|symbol| !symbol.reused_by.is_empty()).count()
    }

    /// Whether the lists are of anything: not so where there are files and none of them could be read.
    pub fn is_read(&self) -> bool {
        self.skipped.is_empty() || !self.modules.is_empty()
    }

    /// |U| / |P|, 0 to 1, higher is better; None without P, and where there is one module alone.
    pub fn dir(&self) -> Option<f64> {
        let exported = self.exported();
        let is_defined = exported > 0 && !self.is_one_module;
        is_defined.then(|| self.reused() as f64 / exported as f64)
    }
}

/// A file of a snapshot and what was read of it.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Relative to the snapshot, with `/`.
    pub path: &'a str,
    /// None where its content cannot be had.
    pub facts: Option<&'a Facts>,
}

/// DIR of a folder of files. Of two files with one path the first counts.
pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Reuse {
    let taken = files.into_iter().filter(|(path, _)| takes(path));
    let read: Vec<(&str, Facts)> =
        taken.filter_map(|(path, bytes)| Some((path, read(Form::of(path)?, bytes)))).collect();
    let files: Vec<File<'_>> =
        read.iter().map(|(path, facts)| File { path, facts: Some(facts) }).collect();
    link(&files)
}

/// Everything about one file that does not depend on where it lies or on other files.
pub fn read(form: Form, bytes: &[u8]) -> Facts {
    try_read(form, bytes).unwrap_or_else(|why| Facts { skipped: Some(why), ..Facts::default() })
}

fn try_read(form: Form, bytes: &[u8]) -> Result<Facts, Skip> {
    if bytes.len() > MAX_BYTES {
        return Err(Skip::TooBig);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Skip::NotUtf8)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let grammar = match form {
        Form::Code(grammar) => grammar,
        Form::Manifest => return Ok(manifest(text)),
        Form::EntryPoints => {
            let words = facts::Words::EntryPoints(registered::entry_points(text));
            return Ok(Facts { words, ..Facts::default() });
        }
    };
    let tree = parse(grammar, text.as_bytes()).ok_or(Skip::NoGrammar)?;
    if tree.root_node().has_error() {
        return Err(Skip::SyntaxError);
    }
    let flat = Flat::of(tree.root_node());
    if flat.depth > MAX_DEPTH {
        return Err(Skip::TooDeep);
    }
    facts_of(grammar, text, &flat)
}

/// The same as [`read`] of a file that was read to be measured; None where it would be read otherwise here.
pub fn read_parsed(form: Form, parsed: Parsed<'_>) -> Option<Facts> {
    let Parsed { grammar, text, flat } = parsed;
    let is_same = form == Form::Code(grammar) && !text.starts_with('\u{feff}');
    is_same.then(|| {
        facts_of(grammar, text, flat)
            .unwrap_or_else(|why| Facts { skipped: Some(why), ..Facts::default() })
    })
}

fn facts_of(grammar: Grammar, text: &str, flat: &Flat<'_>) -> Result<Facts, Skip> {
    match grammar {
        Grammar::Python => python::read(text, flat).ok_or(Skip::SyntaxError),
        Grammar::JavaScript | Grammar::TypeScript | Grammar::Tsx => Ok(script::read(text, flat)),
        Grammar::Rust => Ok(rust::read(text, flat)),
        Grammar::C
        | Grammar::Cpp
        | Grammar::Go
        | Grammar::Haskell
        | Grammar::Java
        | Grammar::Zig => Err(Skip::NoGrammar),
    }
}

/// One that names no package says nothing.
fn manifest(text: &str) -> Facts {
    let words = rust::crate_name(text).map_or(facts::Words::None, facts::Words::Manifest);
    Facts { words, ..Facts::default() }
}

/// Ties together what was read of the files of a snapshot, in whatever order they come.
pub fn link(files: &[File<'_>]) -> Reuse {
    links::link(files)
}

#[cfg(test)]
mod tests;
