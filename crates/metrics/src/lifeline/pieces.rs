//! The facts of a file out of those of its pieces: the children of its root, each read alone. An edit changes a few of
//! them; the others are known by their text.

use std::{collections::HashMap, sync::Arc};
use trajview_code::flat::Flat;

use tree_sitter::Tree;

use super::{
    facts::{Definition, FileFacts, Part, Use},
    read::of_flat,
    tokens,
    words::Words,
};
use crate::quality::{MAX_DEPTH, Span};
use trajview_code::tree::Grammar;

/// The pieces of a text by their words, those since the piece before included; lines count from where that ended.
pub type Pieces = HashMap<Box<str>, Arc<FileFacts>>;

/// The facts of a tree without errors, and its pieces. `known` are pieces of other texts of the grammar. None where it has
/// to be read as a whole: it is nested too deep, or names two things of different kinds alike.
pub fn read(
    (grammar, words): (Grammar, &'static Words),
    text: &str,
    tree: &Tree,
    known: &Pieces,
) -> Option<(FileFacts, Pieces)> {
    let root = tree.root_node();
    let mut cursor = root.walk();
    let (mut end, mut row) = (0, 0);
    let (mut here, mut in_order) = (Pieces::new(), vec![]);
    for child in root.children(&mut cursor) {
        let words_of = text.get(end..child.end_byte())?;
        let found = here.get(words_of).or_else(|| known.get(words_of)).cloned();
        let facts = match found {
            Some(facts) => facts,
            None => {
                let flat = Flat::of_child(root, child);
                let is_shallow = flat.depth <= MAX_DEPTH;
                Arc::new(is_shallow.then(|| of_flat(grammar, words, text, &flat, (end, row)))?)
            }
        };
        here.entry(words_of.into()).or_insert_with(|| facts.clone());
        in_order.push((facts, u32::try_from(row).ok()?));
        (end, row) = (child.end_byte(), child.end_position().row);
    }
    Some((join(&in_order)?, here))
}

/// The facts of pieces in order, each with the lines before it.
fn join(pieces: &[(Arc<FileFacts>, u32)]) -> Option<FileFacts> {
    let mut joined = Joined::default();
    for (piece, rows) in pieces {
        joined.take(piece, *rows)?;
    }
    Some(joined.finish())
}

#[derive(Default)]
struct Joined {
    facts: FileFacts,
    by_name: HashMap<Box<str>, u32>,
    /// Definitions in several pieces.
    in_several: Vec<u32>,
    /// Names whose uses are in no order, or in several pieces.
    unsorted: Vec<Box<str>>,
}

impl Joined {
    fn take(&mut self, piece: &FileFacts, rows: u32) -> Option<()> {
        let words = u32::try_from(self.facts.tokens.len()).ok()?;
        self.facts.tokens.extend(&piece.tokens);
        self.facts.imports.extend(piece.imports.iter().cloned());
        self.facts.paths.extend(piece.paths.iter().cloned());
        // Where each definition of the piece is in the file.
        let mut places: Vec<u32> = Vec::with_capacity(piece.definitions.len());
        for definition in &piece.definitions {
            let owner = definition.owner.map(|owner| places[owner as usize]);
            let at = self.define(definition, owner)?;
            let parts = definition.parts.iter().map(|part| moved(*part, rows, words));
            self.facts.definitions[at as usize].parts.extend(parts);
            places.push(at);
        }
        let is_in_order = places.is_sorted_by(|a, b| a < b);
        for (name, uses) in &piece.uses {
            if !is_in_order || self.facts.uses.contains_key(name) {
                self.unsorted.push(name.clone());
            }
            let uses = uses.iter().map(|one| Use {
                within: one.within.map(|within| places[within as usize]),
                line: one.line + rows,
                ..one.clone()
            });
            self.facts.uses.entry(name.clone()).or_default().extend(uses);
        }
        Some(())
    }

    fn define(&mut self, definition: &Definition, owner: Option<u32>) -> Option<u32> {
        if let Some(known) = self.by_name.get(&definition.name) {
            let before = &mut self.facts.definitions[*known as usize];
            if before.kind != definition.kind {
                return None;
            }
            before.locals.extend(definition.locals.iter().cloned());
            before.is_registered |= definition.is_registered;
            self.in_several.push(*known);
            return Some(*known);
        }
        let at = u32::try_from(self.facts.definitions.len()).ok()?;
        self.by_name.insert(definition.name.clone(), at);
        self.facts.definitions.push(Definition { owner, parts: vec![], ..definition.clone() });
        Some(at)
    }

    fn finish(mut self) -> FileFacts {
        for at in self.in_several {
            let definition = &mut self.facts.definitions[at as usize];
            definition.hash = tokens::of_definition(definition, &self.facts.tokens);
        }
        for name in self.unsorted {
            let Some(uses) = self.facts.uses.get_mut(&name) else { continue };
            uses.sort_by(|a, b| (&a.via, a.within).cmp(&(&b.via, b.within)));
            uses.dedup_by(|later, first| {
                let is_same = (&later.via, later.within) == (&first.via, first.within);
                if is_same {
                    first.count += later.count;
                    first.is_conditional &= later.is_conditional;
                }
                is_same
            });
        }
        self.facts
    }
}

/// A part so many lines and words later.
fn moved(part: Part, rows: u32, words: u32) -> Part {
    let (first, body, after) = part.tokens;
    let span = Span { start: part.span.start + rows, end: part.span.end + rows };
    Part { span, tokens: (first + words, body + words, after + words) }
}
