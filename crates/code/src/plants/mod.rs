//! Edits that are planted in a copy of a tree to test a judge: some must not matter to a verdict, others must.
//!
//! An edit is made by code from the syntax trees, never by a model. [`plant_edit`] either returns a whole edit or the reason why
//! this kind cannot be planted safely here; nothing is planted half. After each edit a changed file has no more syntax
//! errors than before. `syntax.rs` finds the functions of a component; `neutral.rs`, `rename.rs`, `relocate.rs` and `split.rs` have the
//! edits that must not matter, `breaking.rs` those that must.

mod breaking;
mod edits;
mod neutral;
mod relocate;
mod rename;
mod split;
mod syntax;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::{
    diff,
    tree::{self, Grammar},
};

use edits::TextEdits;
use syntax::{Function, ParsedFile};

/// The texts of a tree by path, `/` between parts.
pub type SourceTexts = BTreeMap<String, String>;

/// A kind of edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlantKind {
    Rename,
    Reformat,
    Move,
    Reorder,
    Split,
    Docstring,
    Claim,
    RecoveredError,
    Delete,
    Formula,
    CallRemoved,
    Stub,
}

impl PlantKind {
    /// Every kind: those that must not matter, then those that must.
    pub const ALL: [Self; 12] = [
        Self::Rename,
        Self::Reformat,
        Self::Move,
        Self::Reorder,
        Self::Split,
        Self::Docstring,
        Self::Claim,
        Self::RecoveredError,
        Self::Delete,
        Self::Formula,
        Self::CallRemoved,
        Self::Stub,
    ];

    /// Returns the word in documents and options.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rename => "rename",
            Self::Reformat => "reformat",
            Self::Move => "move",
            Self::Reorder => "reorder",
            Self::Split => "split",
            Self::Docstring => "docstring",
            Self::Claim => "claim",
            Self::RecoveredError => "recovered-error",
            Self::Delete => "delete",
            Self::Formula => "formula",
            Self::CallRemoved => "call-removed",
            Self::Stub => "stub",
        }
    }

    pub fn by_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Returns what is done, in a few words.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Rename => "a function is renamed everywhere",
            Self::Reformat => "blank lines and line breaks",
            Self::Move => "a function is moved to another file",
            Self::Reorder => "two functions change places",
            Self::Split => "a function is split in two",
            Self::Docstring => "a longer docstring",
            Self::Claim => "a comment that claims faithfulness",
            Self::RecoveredError => "a recovered error in the transcript",
            Self::Delete => "the component is deleted",
            Self::Formula => "the formula is broken",
            Self::CallRemoved => "the calls are removed",
            Self::Stub => "a stub replaces the component",
        }
    }

    /// Returns whether a judge must see the edit: the component is no longer what it was.
    pub const fn must_matter(self) -> bool {
        matches!(self, Self::Delete | Self::Formula | Self::CallRemoved | Self::Stub)
    }
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodePlace {
    pub path: String,
    /// First and last line, counting from 1.
    pub lines: (usize, usize),
}

/// A component whose code is to be edited.
#[derive(Debug, Clone, Copy)]
pub struct PlantTarget<'a> {
    pub files: &'a SourceTexts,
    /// The places of the component, the most important first.
    pub places: &'a [CodePlace],
    /// The name of the component, for the comment that claims faithfulness.
    pub component: &'a str,
}

/// A planted edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plant {
    /// What was done and where: `compute_flux renamed to apply_compute_flux, files: 3`.
    pub summary: String,
    /// The new texts of changed and of added files.
    pub changed: SourceTexts,
}

/// Most places of a component that are edited.
const MOST_PLACES: usize = 16;

/// Plants an edit. The error is the reason why this kind cannot be planted here, a part of a sentence.
pub fn plant_edit(kind: PlantKind, target: &PlantTarget<'_>) -> Result<Plant, String> {
    if kind == PlantKind::RecoveredError {
        return Err("the judge sees no transcript".into());
    }
    if kind == PlantKind::Claim {
        return checked(target.files, neutral::plant_claim(target)?);
    }
    let parsed = parsed_files(target);
    let functions = syntax::functions_at(&parsed, target.places);
    if functions.is_empty() {
        return Err("no function of Python, JavaScript, TypeScript or Rust at its places".into());
    }
    let outcome = match kind {
        PlantKind::Delete => breaking::plant_deletion(target.files, &functions),
        PlantKind::Stub => breaking::plant_stubs(&functions),
        PlantKind::CallRemoved => breaking::plant_call_removal(target.files, &functions),
        PlantKind::Formula => {
            each_until_planted(&functions, |it| breaking::plant_wrong_formula(it, target.places))
        }
        PlantKind::Rename => {
            each_until_planted(&functions, |it| rename::plant_rename(target.files, it))
        }
        PlantKind::Move => {
            each_until_planted(&functions, |it| relocate::plant_move(target.files, it))
        }
        PlantKind::Reorder => each_until_planted(&functions, relocate::plant_reorder),
        PlantKind::Split => each_until_planted(&functions, split::plant_split),
        PlantKind::Reformat => each_until_planted(&functions, neutral::plant_reformat),
        PlantKind::Docstring => each_until_planted(&functions, neutral::plant_docstring),
        PlantKind::Claim | PlantKind::RecoveredError => return Err("it has no function".into()),
    };
    checked(target.files, outcome?)
}

/// Returns the edits of the first function where they are possible, else the reason of the first.
fn each_until_planted<'t>(
    functions: &[Function<'t>],
    plant: impl Fn(&Function<'t>) -> Result<TextEdits, String>,
) -> Result<TextEdits, String> {
    let mut first_reason = None;
    for function in functions {
        match plant(function) {
            Ok(edits) => return Ok(edits),
            Err(why) => {
                first_reason.get_or_insert(format!("{}: {why}", function.name));
            }
        }
    }
    Err(first_reason.unwrap_or_default())
}

/// Returns the files of the target's places that have a syntax tree and functions.
fn parsed_files(target: &PlantTarget<'_>) -> Vec<ParsedFile> {
    let mut paths: Vec<&str> =
        target.places.iter().take(MOST_PLACES).map(|place| place.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let parse = |path: &str| ParsedFile::parse(path, target.files.get(path)?);
    paths.into_iter().filter_map(parse).collect()
}

/// Applies edits where every changed file parses as well as before.
fn checked(files: &SourceTexts, edits: TextEdits) -> Result<Plant, String> {
    let (summary, changed) = edits.apply(files)?;
    if changed.is_empty() {
        return Err("the edit changes nothing".into());
    }
    for (path, text) in &changed {
        let Some(grammar) = Grammar::for_path(path).filter(|it| it.is_compiled_in()) else {
            continue;
        };
        let before = files.get(path).map_or(0, |text| syntax_error_count(grammar, text));
        if syntax_error_count(grammar, text) > before {
            return Err(format!("{path} would not parse"));
        }
    }
    Ok(Plant { summary, changed })
}

/// Returns the number of places that the grammar cannot read.
fn syntax_error_count(grammar: Grammar, text: &str) -> usize {
    let Some(tree) = tree::parse_tree(grammar, text.as_bytes()) else { return 0 };
    if !tree.root_node().has_error() {
        return 0;
    }
    let nodes = syntax::nodes_in(tree.root_node());
    nodes.iter().filter(|node| node.is_error() || node.is_missing()).count()
}

impl Plant {
    /// Returns the edit as a unified diff, with the path of each file above its hunks.
    pub fn unified_diff(&self, files: &SourceTexts) -> String {
        const CONTEXT: usize = 3;
        let mut text = String::new();
        for (path, new) in &self.changed {
            let old = files.get(path);
            let from = old.map_or_else(|| "/dev/null".to_owned(), |_| format!("a/{path}"));
            text += &format!("--- {from}\n+++ b/{path}\n");
            let difference = diff::diff_text(old.map_or("", String::as_str), new, CONTEXT);
            difference.hunks.iter().for_each(|hunk| hunk.write(&mut text));
        }
        text
    }
}
