//! Python: what a file imports, binds and refers to ([`read`]), and which file each name is from ([`link()`]).
//!
//! Names are followed as Python follows them: what is rebound or deleted after its import is the import no longer, and a class
//! sees what is further out until it binds a name itself. Where only a run could tell, a name that may be imported is taken
//! for imported: one that a branch assigns, and one of a function that may be called before its name is bound again.
//! Decisions where the language leaves room:
//!
//! - Imports below `if TYPE_CHECKING` count, and so do annotations, quoted ones included: a type is a use.
//! - A re-export is no use, nor is a name in `__all__` or in a string for `getattr`.
//! - A `.pyi` file is no module.
//! - An `__all__` that cannot be read in full counts as absent.

mod bindings;
mod dunder_all;
mod facts;
mod imports;
mod layout;
mod link;
mod quoted;
mod role;
mod scopes;
mod stdlib;
mod uses;

use crate::quality::span;
use std::collections::BTreeSet;
use trajview_code::flat::Flat;

use super::facts::{Definition, Facts as FileFacts, Kind, Words};
use crate::registered;
use role::{Role, role};
use scopes::Scopes;

pub(super) use facts::Facts;
use facts::{AllItem, Import, Root, Use};
pub(super) use link::link;

/// None where Python 3 refuses what the grammar takes.
pub(super) fn read(text: &str, flat: &Flat<'_>) -> Option<FileFacts> {
    if (0..flat.len()).any(|at| is_python_2(flat, at)) {
        return None;
    }
    let scopes = Scopes::of(text, flat);
    let mut definitions = vec![];
    let mut seen = BTreeSet::new();
    for &at in scopes.definitions() {
        let Some(name) = flat.child_of_kind(at, "identifier") else { continue };
        let name = text_of(text, flat, name);
        if seen.insert(name) {
            let kind = match flat.kind(at) {
                "class_definition" => Kind::Class,
                _ => Kind::Function,
            };
            let (line, registered) = (span(flat, at).start, decorator(text, flat, at));
            definitions.push(Definition { name: name.into(), line, kind, registered });
        }
    }
    let python = Facts {
        uses: uses::all(text, flat, &scopes),
        paths: (0..flat.len())
            .filter(|&at| role(flat, at) == Role::String)
            .filter_map(|at| registered::path(string_content(text, flat, at)?))
            .collect(),
        all: dunder_all::read(text, flat, &scopes),
        names: scopes.imported_names(),
        stars: scopes.stars().clone(),
        imports: scopes.into_imports(),
    };
    Some(FileFacts {
        skipped: None,
        is_run: has_main_guard(text, flat),
        definitions,
        words: Words::Python(python),
    })
}

impl Facts {
    /// Whether a file defines or uses anything: an `__init__.py` may be empty, or pass names on.
    pub(super) fn says_something(&self, definitions: &[Definition]) -> bool {
        !definitions.is_empty() || !self.uses.is_empty()
    }
}

/// The first decorator of a definition that registers it, for people.
fn decorator(text: &str, flat: &Flat<'_>, definition: usize) -> Option<Box<str>> {
    let above = flat.entries[definition].parent as usize;
    let is_decorated = flat.kind(above) == "decorated_definition";
    let decorators = flat.named_children(above).filter(|&at| flat.kind(at) == "decorator");
    let words = decorators.map(|at| text_of(text, flat, at).trim_start_matches('@'));
    let registering =
        words.filter(|_| is_decorated).find(|words| registered::is_registering(words));
    registering.map(|words| {
        format!("decorator {}", words.split(['(', '\n']).next().unwrap_or(words).trim()).into()
    })
}

fn is_python_2(flat: &Flat<'_>, at: usize) -> bool {
    match role(flat, at) {
        Role::Print => flat.child_of_kind(at, "chevron").is_none(),
        Role::Python2 => true,
        _ => false,
    }
}

/// `if __name__ == "__main__":` at the top, alone or in a longer condition.
fn has_main_guard(text: &str, flat: &Flat<'_>) -> bool {
    let mut guards = flat.children(0).filter(|&at| flat.kind(at) == "if_statement");
    guards.any(|guard| {
        let condition = flat.named_children(guard).next().unwrap_or(guard);
        let end = flat.entries[condition].after as usize;
        (condition..end).any(|at| is_guard(text, flat, at))
    })
}

fn is_guard(text: &str, flat: &Flat<'_>, at: usize) -> bool {
    if flat.kind(at) != "comparison_operator" {
        return false;
    }
    let sides: Vec<usize> = flat.children(at).collect();
    let [left, operator, right] = sides[..] else { return false };
    let is_name = |side: usize| text_of(text, flat, side) == "__name__";
    let is_main = |side: usize| string_content(text, flat, side) == Some("__main__");
    flat.kind(operator) == "=="
        && ((is_name(left) && is_main(right)) || (is_main(left) && is_name(right)))
}

/// The words of a plain string; None of anything else, of bytes and of what is put together.
fn string_content<'t>(text: &'t str, flat: &Flat<'_>, at: usize) -> Option<&'t str> {
    if role(flat, at) != Role::String {
        return None;
    }
    let mut parts = flat.named_children(at);
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(start), Some(content), Some(_), None)
            if flat.kind(content) == "string_content" && flat.is_leaf(content) =>
        {
            let prefix = text_of(text, flat, start);
            (!prefix.contains(['b', 'B', 'f', 'F'])).then(|| text_of(text, flat, content))
        }
        _ => None,
    }
}

fn text_of<'t>(text: &'t str, flat: &Flat<'_>, at: usize) -> &'t str {
    flat.text_of(text, at)
}

/// `object` and the names after it, where `at` is a name or names with dots between.
fn dotted<'t>(text: &'t str, flat: &Flat<'_>, at: usize) -> Option<Vec<&'t str>> {
    let mut parts = vec![];
    let mut rest = at;
    while flat.kind(rest) == "attribute" {
        let ends: Vec<usize> = flat.named_children(rest).collect();
        let (Some(&object), Some(&name)) = (ends.first(), ends.last()) else { return None };
        parts.push(text_of(text, flat, name));
        rest = object;
    }
    if flat.kind(rest) != "identifier" {
        return None;
    }
    parts.push(text_of(text, flat, rest));
    parts.reverse();
    Some(parts)
}
