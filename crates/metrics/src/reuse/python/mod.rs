//! Python: reads the imports, bindings and references of a file ([`read_python`]), and resolves each name to its file
//! ([`link_python()`]).
//!
//! Names are resolved like in Python: a name that is rebound or deleted after its import no longer means the import,
//! and a class sees the outer name until it binds the name itself. Where only a run could tell, a name that may be
//! imported counts as imported: one that a branch assigns, and one in a function that may be called before the name is
//! bound again. Decisions where the language leaves room:
//!
//! - Imports below `if TYPE_CHECKING` count, and so do annotations, quoted ones included: a type is a use.
//! - A re-export is no use, nor is a name in `__all__` or in a string for `getattr`.
//! - A `.pyi` file is no module.
//! - An `__all__` that cannot be read in full counts as absent.

mod bindings;
mod dunder_all;
mod facts;
mod imports;
mod link;
mod node_role;
mod package_layout;
mod quoted_types;
mod scopes;
mod stdlib;
mod uses;

use crate::quality::node_span;
use std::collections::BTreeSet;
use trajview_code::flat_tree::FlatTree;

use super::facts::{LinkerFacts, ReuseFacts as FileFacts, SymbolKind, TopLevelDefinition};
use crate::registered;
use node_role::{NodeRole, node_role};
use scopes::PythonScopes;

pub(super) use facts::PythonFacts;
use facts::{AllItem, PythonImport, PythonUse, UseRoot};
pub(super) use link::link_python;

/// Reads the facts of a file; None where Python 3 rejects syntax that the grammar accepts.
pub(super) fn read_python(text: &str, flat: &FlatTree<'_>) -> Option<FileFacts> {
    if (0..flat.len()).any(|at| is_python_2(flat, at)) {
        return None;
    }
    let scopes = PythonScopes::new(text, flat);
    let mut definitions = vec![];
    let mut seen = BTreeSet::new();
    for &at in scopes.definitions() {
        let Some(name) = flat.child_of_kind(at, "identifier") else { continue };
        let name = text_of(text, flat, name);
        if seen.insert(name) {
            let kind = match flat.kind_name(at) {
                "class_definition" => SymbolKind::Class,
                _ => SymbolKind::Function,
            };
            let (line, registered) =
                (node_span(flat, at).start, registering_decorator(text, flat, at));
            definitions.push(TopLevelDefinition { name: name.into(), line, kind, registered });
        }
    }
    let python = PythonFacts {
        uses: uses::outside_uses(text, flat, &scopes),
        paths: (0..flat.len())
            .filter(|&at| node_role(flat, at) == NodeRole::String)
            .filter_map(|at| registered::dotted_symbol_path(string_content(text, flat, at)?))
            .collect(),
        all: dunder_all::read_dunder_all(text, flat, &scopes),
        names: scopes.imported_names(),
        stars: scopes.stars().clone(),
        imports: scopes.into_imports(),
    };
    Some(FileFacts {
        skipped: None,
        is_run: has_main_guard(text, flat),
        definitions,
        words: LinkerFacts::Python(python),
    })
}

impl PythonFacts {
    /// Returns whether a file defines or uses anything; an `__init__.py` may be empty, or only re-export names.
    pub(super) fn says_something(&self, definitions: &[TopLevelDefinition]) -> bool {
        !definitions.is_empty() || !self.uses.is_empty()
    }
}

/// Returns a description of the first decorator that registers a definition.
fn registering_decorator(text: &str, flat: &FlatTree<'_>, definition: usize) -> Option<Box<str>> {
    let above = flat.entries[definition].parent as usize;
    let is_decorated = flat.kind_name(above) == "decorated_definition";
    let decorators = flat.named_children(above).filter(|&at| flat.kind_name(at) == "decorator");
    let words = decorators.map(|at| text_of(text, flat, at).trim_start_matches('@'));
    let registering =
        words.filter(|_| is_decorated).find(|words| registered::is_registering(words));
    registering.map(|words| {
        format!("decorator {}", words.split(['(', '\n']).next().unwrap_or(words).trim()).into()
    })
}

fn is_python_2(flat: &FlatTree<'_>, at: usize) -> bool {
    match node_role(flat, at) {
        NodeRole::Print => flat.child_of_kind(at, "chevron").is_none(),
        NodeRole::Python2 => true,
        _ => false,
    }
}

/// Returns whether the file has `if __name__ == "__main__":` at the top, alone or in a longer condition.
fn has_main_guard(text: &str, flat: &FlatTree<'_>) -> bool {
    let mut guards = flat.children(0).filter(|&at| flat.kind_name(at) == "if_statement");
    guards.any(|guard| {
        let condition = flat.named_children(guard).next().unwrap_or(guard);
        let end = flat.entries[condition].after as usize;
        (condition..end).any(|at| is_guard(text, flat, at))
    })
}

fn is_guard(text: &str, flat: &FlatTree<'_>, at: usize) -> bool {
    if flat.kind_name(at) != "comparison_operator" {
        return false;
    }
    let sides: Vec<usize> = flat.children(at).collect();
    let [left, operator, right] = sides[..] else { return false };
    let is_name = |side: usize| text_of(text, flat, side) == "__name__";
    let is_main = |side: usize| string_content(text, flat, side) == Some("__main__");
    flat.kind_name(operator) == "=="
        && ((is_name(left) && is_main(right)) || (is_main(left) && is_name(right)))
}

/// Returns the text of a plain string; None for other nodes, for bytes and for f-strings.
fn string_content<'t>(text: &'t str, flat: &FlatTree<'_>, at: usize) -> Option<&'t str> {
    if node_role(flat, at) != NodeRole::String {
        return None;
    }
    let mut parts = flat.named_children(at);
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(start), Some(content), Some(_), None)
            if flat.kind_name(content) == "string_content" && flat.is_leaf(content) =>
        {
            let prefix = text_of(text, flat, start);
            (!prefix.contains(['b', 'B', 'f', 'F'])).then(|| text_of(text, flat, content))
        }
        _ => None,
    }
}

fn text_of<'t>(text: &'t str, flat: &FlatTree<'_>, at: usize) -> &'t str {
    flat.text_of(text, at)
}

/// Returns the parts of a dotted name; None where `at` is not a name or names with dots between.
fn dotted_names<'t>(text: &'t str, flat: &FlatTree<'_>, at: usize) -> Option<Vec<&'t str>> {
    let mut parts = vec![];
    let mut rest = at;
    while flat.kind_name(rest) == "attribute" {
        let ends: Vec<usize> = flat.named_children(rest).collect();
        let (Some(&object), Some(&name)) = (ends.first(), ends.last()) else { return None };
        parts.push(text_of(text, flat, name));
        rest = object;
    }
    if flat.kind_name(rest) != "identifier" {
        return None;
    }
    parts.push(text_of(text, flat, rest));
    parts.reverse();
    Some(parts)
}
