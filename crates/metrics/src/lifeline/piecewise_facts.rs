//! Builds the facts of a file from the facts of its pieces, which are the children of its root, each read alone. An
//! edit changes few of them; the facts of the others are reused, keyed by their text.

use std::{collections::HashMap, sync::Arc};
use trajview_code::flat_tree::FlatTree;

use tree_sitter::Tree;

use super::{
    facts_reader::facts_of_flat_tree,
    file_facts::{CodeDefinition, DefinitionPart, FileFacts, NameUse},
    kind_meanings::KindMeanings,
    tokens,
};
use crate::quality::{MAX_DEPTH, SourceSpan};
use trajview_code::tree::Grammar;

/// The facts of pieces, keyed by their text including the text since the piece before; lines count from the end of
/// that piece.
pub type FactsByPiece = HashMap<Box<str>, Arc<FileFacts>>;

/// Returns the facts of a tree without errors, and its pieces. `known` has pieces of other texts of the grammar. None
/// where the file has to be read as a whole: it is nested too deep, or gives two things of different kinds the same
/// name.
pub fn read_pieces(
    (grammar, words): (Grammar, &'static KindMeanings),
    text: &str,
    tree: &Tree,
    known: &FactsByPiece,
) -> Option<(FileFacts, FactsByPiece)> {
    let root = tree.root_node();
    let mut cursor = root.walk();
    let (mut end, mut row) = (0, 0);
    let (mut here, mut in_order) = (FactsByPiece::new(), vec![]);
    for child in root.children(&mut cursor) {
        let words_of = text.get(end..child.end_byte())?;
        let found = here.get(words_of).or_else(|| known.get(words_of)).cloned();
        let facts = match found {
            Some(facts) => facts,
            None => {
                let flat = FlatTree::from_child(root, child);
                let is_shallow = flat.depth <= MAX_DEPTH;
                Arc::new(
                    is_shallow
                        .then(|| facts_of_flat_tree(grammar, words, text, &flat, (end, row)))?,
                )
            }
        };
        here.entry(words_of.into()).or_insert_with(|| facts.clone());
        in_order.push((facts, u32::try_from(row).ok()?));
        (end, row) = (child.end_byte(), child.end_position().row);
    }
    Some((join_pieces(&in_order)?, here))
}

/// Joins the facts of pieces in order, each with the number of lines before it.
fn join_pieces(pieces: &[(Arc<FileFacts>, u32)]) -> Option<FileFacts> {
    let mut joined = JoinedFacts::default();
    for (piece, rows) in pieces {
        joined.add_piece(piece, *rows)?;
    }
    Some(joined.into_facts())
}

#[derive(Default)]
struct JoinedFacts {
    facts: FileFacts,
    by_name: HashMap<Box<str>, u32>,
    /// Indices of the definitions that are in several pieces.
    in_several: Vec<u32>,
    /// Names whose uses are not sorted, or are in several pieces.
    unsorted: Vec<Box<str>>,
}

impl JoinedFacts {
    /// Adds the facts of a piece that begins `rows` lines into the file; None where it contradicts the others.
    fn add_piece(&mut self, piece: &FileFacts, rows: u32) -> Option<()> {
        let words = u32::try_from(self.facts.tokens.len()).ok()?;
        self.facts.tokens.extend(&piece.tokens);
        self.facts.imports.extend(piece.imports.iter().cloned());
        self.facts.paths.extend(piece.paths.iter().cloned());
        // The index in the file of each definition of the piece.
        let mut places: Vec<u32> = Vec::with_capacity(piece.definitions.len());
        for definition in &piece.definitions {
            let owner = definition.owner.map(|owner| places[owner as usize]);
            let at = self.add_definition(definition, owner)?;
            let parts = definition.parts.iter().map(|part| moved_part(*part, rows, words));
            self.facts.definitions[at as usize].parts.extend(parts);
            places.push(at);
        }
        let is_in_order = places.is_sorted_by(|a, b| a < b);
        for (name, uses) in &piece.uses {
            if !is_in_order || self.facts.uses.contains_key(name) {
                self.unsorted.push(name.clone());
            }
            let uses = uses.iter().map(|one| NameUse {
                within: one.within.map(|within| places[within as usize]),
                line: one.line + rows,
                ..one.clone()
            });
            self.facts.uses.entry(name.clone()).or_default().extend(uses);
        }
        Some(())
    }

    fn add_definition(&mut self, definition: &CodeDefinition, owner: Option<u32>) -> Option<u32> {
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
        self.facts.definitions.push(CodeDefinition { owner, parts: vec![], ..definition.clone() });
        Some(at)
    }

    fn into_facts(mut self) -> FileFacts {
        for at in self.in_several {
            let definition = &mut self.facts.definitions[at as usize];
            definition.hash = tokens::hash_definition(definition, &self.facts.tokens);
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

/// Returns a part moved down by `rows` lines and `words` tokens.
fn moved_part(part: DefinitionPart, rows: u32, words: u32) -> DefinitionPart {
    let (first, body, after) = part.tokens;
    let span = SourceSpan { start: part.span.start + rows, end: part.span.end + rows };
    DefinitionPart { span, tokens: (first + words, body + words, after + words) }
}
