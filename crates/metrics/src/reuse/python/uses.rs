//! Finds the names that a file reads, with their bindings in the file.

use std::collections::BTreeSet;
use trajview_code::flat_tree::FlatTree;

use super::{
    PythonUse, UseRoot,
    node_role::{NodeRole, node_role},
    quoted_types,
    scopes::{NameMeaning, PythonScopes},
    string_content, text_of,
};

/// Returns every dotted name that starts outside the file, once.
pub(crate) fn outside_uses(
    text: &str,
    flat: &FlatTree<'_>,
    scopes: &PythonScopes<'_>,
) -> BTreeSet<PythonUse> {
    let mut uses = BTreeSet::new();
    for at in 0..flat.len() {
        match node_role(flat, at) {
            NodeRole::Identifier if scopes.is_use(at) => {
                // Most names are bound in the file itself.
                if !may_be_of_others(text_of(text, flat, at), at, scopes) {
                    continue;
                }
                let names = attribute_chain(text, flat, at);
                uses.extend(resolve_names(&names, at, scopes));
            }
            NodeRole::String if scopes.is_annotation(at) => {
                let content = string_content(text, flat, at).unwrap_or_default();
                for names in quoted_types::quoted_names(content) {
                    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
                    uses.extend(resolve_names(&names, at, scopes));
                }
            }
            _ => {}
        }
    }
    uses
}

/// Returns whether a name may start outside the file.
fn may_be_of_others(name: &str, at: usize, scopes: &PythonScopes<'_>) -> bool {
    match scopes.look_up(name, at) {
        NameMeaning::Own => false,
        NameMeaning::Free => !scopes.stars().is_empty(),
        NameMeaning::Imports(_) => true,
    }
}

/// Returns the uses that a dotted name stands for; none where its root is bound in the file.
pub(crate) fn resolve_names(
    names: &[&str],
    at: usize,
    scopes: &PythonScopes<'_>,
) -> Vec<PythonUse> {
    let Some((root, rest)) = names.split_first() else { return vec![] };
    let attributes = || rest.iter().map(|&name| name.into()).collect();
    match scopes.look_up(root, at) {
        NameMeaning::Own => vec![],
        // Only a star import could have brought it.
        NameMeaning::Free if scopes.stars().is_empty() => vec![],
        NameMeaning::Free => {
            vec![PythonUse { root: UseRoot::Free((*root).into()), attributes: attributes() }]
        }
        NameMeaning::Imports(imports) => imports
            .into_iter()
            .map(|import| PythonUse { root: UseRoot::Import(import), attributes: attributes() })
            .collect(),
    }
}

/// Returns a name and the attributes read from it.
pub(crate) fn attribute_chain<'t>(text: &'t str, flat: &FlatTree<'_>, at: usize) -> Vec<&'t str> {
    let mut names = vec![text_of(text, flat, at)];
    let parent = flat.entries[at].parent as usize;
    if flat.kind_name(parent) == "dotted_name" {
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

/// Returns the node that reads an attribute of `object`.
fn attribute_of(flat: &FlatTree<'_>, object: usize) -> Option<usize> {
    let parent = flat.entries[object].parent as usize;
    let whole = match flat.kind_name(parent) {
        "type" => flat.entries[parent].parent as usize,
        _ => parent,
    };
    let reads = matches!(flat.kind_name(whole), "attribute" | "member_type");
    let first = flat.named_children(whole).next();
    (reads && (first == Some(object) || first == Some(parent))).then_some(whole)
}
