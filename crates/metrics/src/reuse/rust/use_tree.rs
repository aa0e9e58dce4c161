//! Reads `use` declarations.

use super::{RustPath, UseBinding, text_of};
use trajview_code::flat_tree::FlatTree;

/// Returns every name that a `use_declaration` brings, with its whole path.
pub(crate) fn use_paths(
    text: &str,
    flat: &FlatTree<'_>,
    declaration: usize,
) -> Vec<(RustPath, UseBinding)> {
    let mut paths = vec![];
    let tree = flat.named_children(declaration).last();
    let mut open: Vec<(usize, RustPath)> = tree.map(|tree| (tree, vec![])).into_iter().collect();
    while let Some((at, before)) = open.pop() {
        let parts: Vec<usize> = flat.named_children(at).collect();
        match (flat.kind_name(at), parts.as_slice()) {
            ("use_list", parts) => open.extend(parts.iter().map(|&part| (part, before.clone()))),
            ("scoped_use_list", [path, list]) => {
                open.push((*list, joined_path(text, flat, &before, *path)));
            }
            ("scoped_use_list", [list]) => open.push((*list, before)),
            ("use_as_clause", [path, alias]) => {
                let path = joined_path(text, flat, &before, *path);
                paths.push((
                    without_self(path),
                    UseBinding::Name(text_of(text, flat, *alias).into()),
                ));
            }
            ("use_wildcard", [path]) => {
                paths.push((joined_path(text, flat, &before, *path), UseBinding::Everything));
            }
            ("use_wildcard", []) => paths.push((before, UseBinding::Everything)),
            ("identifier" | "scoped_identifier" | "self" | "crate" | "super", _) => {
                let path = without_self(joined_path(text, flat, &before, at));
                let name = path.last().cloned().unwrap_or_default();
                paths.push((path, UseBinding::Name(name)));
            }
            _ => {}
        }
    }
    paths
}

fn joined_path(text: &str, flat: &FlatTree<'_>, before: &RustPath, at: usize) -> RustPath {
    let words = text_of(text, flat, at).split("::").map(str::trim).filter(|part| !part.is_empty());
    before.iter().cloned().chain(words.map(Into::into)).collect()
}

/// Returns a path without a final `self`: `a::{self}` is `a`.
fn without_self(mut path: RustPath) -> RustPath {
    if path.len() > 1 && path.last().is_some_and(|last| &**last == "self") {
        path.pop();
    }
    path
}
