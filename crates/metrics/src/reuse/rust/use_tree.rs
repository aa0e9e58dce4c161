//! `use` declarations.

use super::{Binds, Path, text_of};
use trajview_code::flat::Flat;

/// Every name a `use_declaration` brings, with its whole path.
pub fn read(text: &str, flat: &Flat<'_>, declaration: usize) -> Vec<(Path, Binds)> {
    let mut found = vec![];
    let tree = flat.named_children(declaration).last();
    let mut open: Vec<(usize, Path)> = tree.map(|tree| (tree, vec![])).into_iter().collect();
    while let Some((at, before)) = open.pop() {
        let parts: Vec<usize> = flat.named_children(at).collect();
        match (flat.kind(at), parts.as_slice()) {
            ("use_list", parts) => open.extend(parts.iter().map(|&part| (part, before.clone()))),
            ("scoped_use_list", [path, list]) => {
                open.push((*list, joined(text, flat, &before, *path)));
            }
            ("scoped_use_list", [list]) => open.push((*list, before)),
            ("use_as_clause", [path, alias]) => {
                let path = joined(text, flat, &before, *path);
                found.push((without_self(path), Binds::Name(text_of(text, flat, *alias).into())));
            }
            ("use_wildcard", [path]) => {
                found.push((joined(text, flat, &before, *path), Binds::Everything));
            }
            ("use_wildcard", []) => found.push((before, Binds::Everything)),
            ("identifier" | "scoped_identifier" | "self" | "crate" | "super", _) => {
                let path = without_self(joined(text, flat, &before, at));
                let name = path.last().cloned().unwrap_or_default();
                found.push((path, Binds::Name(name)));
            }
            _ => {}
        }
    }
    found
}

fn joined(text: &str, flat: &Flat<'_>, before: &Path, at: usize) -> Path {
    let words = text_of(text, flat, at).split("::").map(str::trim).filter(|part| !part.is_empty());
    before.iter().cloned().chain(words.map(Into::into)).collect()
}

/// `a::{self}` is `a`.
fn without_self(mut path: Path) -> Path {
    if path.len() > 1 && path.last().is_some_and(|last| &**last == "self") {
        path.pop();
    }
    path
}
