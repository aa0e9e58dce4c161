//! The names a file reads, each followed to what binds it in the file.

use std::collections::BTreeSet;
use trajview_code::flat::Flat;

use super::{
    Root, Use, quoted,
    role::{Role, role},
    scopes::{Meaning, Scopes},
    string_content, text_of,
};

/// Every dotted name that starts outside the file, once.
pub fn all(text: &str, flat: &Flat<'_>, scopes: &Scopes<'_>) -> BTreeSet<Use> {
    let mut uses = BTreeSet::new();
    for at in 0..flat.len() {
        match role(flat, at) {
            Role::Identifier if scopes.is_use(at) => {
                // Most names are the file's own.
                if !may_be_of_others(text_of(text, flat, at), at, scopes) {
                    continue;
                }
                let names = chain(text, flat, at);
                uses.extend(resolved(&names, at, scopes));
            }
            Role::String if scopes.is_annotation(at) => {
                let content = string_content(text, flat, at).unwrap_or_default();
                for names in quoted::names(content) {
                    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
                    uses.extend(resolved(&names, at, scopes));
                }
            }
            _ => {}
        }
    }
    uses
}

/// Whether a name starts outside the file.
fn may_be_of_others(name: &str, at: usize, scopes: &Scopes<'_>) -> bool {
    match scopes.look_up(name, at) {
        Meaning::Own => false,
        Meaning::Free => !scopes.stars().is_empty(),
        Meaning::Imports(_) => true,
    }
}

/// What a dotted name is a use of; nothing where its root is the file's own.
pub fn resolved(names: &[&str], at: usize, scopes: &Scopes<'_>) -> Vec<Use> {
    let Some((root, rest)) = names.split_first() else { return vec![] };
    let attributes = || rest.iter().map(|&name| name.into()).collect();
    match scopes.look_up(root, at) {
        Meaning::Own => vec![],
        // Only a star could have brought it.
        Meaning::Free if scopes.stars().is_empty() => vec![],
        Meaning::Free => vec![Use { root: Root::Free((*root).into()), attributes: attributes() }],
        Meaning::Imports(imports) => imports
            .into_iter()
            .map(|import| Use { root: Root::Import(import), attributes: attributes() })
            .collect(),
    }
}

/// A name and the attributes read of it.
pub fn chain<'t>(text: &'t str, flat: &Flat<'_>, at: usize) -> Vec<&'t str> {
    let mut names = vec![text_of(text, flat, at)];
    let parent = flat.entries[at].parent as usize;
    if flat.kind(parent) == "dotted_name" {
        let rest = flat.named_children(parent).skip(1);
        names.extend(rest.map(|part| text_of(text, flat, part)));
        return names;
    }
    let mut top = at;
    while let Some(whole) = attribute_of(flat, top) {
        let Some(name) = flat.named_children(whole).last() else { break };
        names.push(text_of(text, flat, name));
        top = whole;
    }
    names
}

/// The node that reads an attribute of `object`.
fn attribute_of(flat: &Flat<'_>, object: usize) -> Option<usize> {
    let parent = flat.entries[object].parent as usize;
    let whole = match flat.kind(parent) {
        "type" => flat.entries[parent].parent as usize,
        _ => parent,
    };
    let reads = matches!(flat.kind(whole), "attribute" | "member_type");
    let first = flat.named_children(whole).next();
    (reads && (first == Some(object) || first == Some(parent))).then_some(whole)
}
