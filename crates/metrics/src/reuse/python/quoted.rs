//! Types in quotes: `"Node"`, `"list[tree.Node] | None"`.

use super::{scopes::Scopes, uses};
use trajview_code::flat::Flat;
use trajview_code::tree::{Grammar, parse};

/// Nobody writes a longer type; words that stand where a type does are longer.
const MOST_BYTES: usize = 500;

/// The dotted names in a quoted type; none where it is no expression. Quotes within quotes are not read.
pub fn names(content: &str) -> Vec<Vec<Box<str>>> {
    if content.len() > MOST_BYTES {
        return vec![];
    }
    let Some(tree) = parse(Grammar::Python, content.trim().as_bytes()) else { return vec![] };
    if tree.root_node().has_error() {
        return vec![];
    }
    let content = content.trim();
    let flat = Flat::of(tree.root_node());
    let is_one_expression = flat
        .only_named_child(0)
        .is_some_and(|statement| flat.kind(statement) == "expression_statement");
    if !is_one_expression {
        return vec![];
    }
    let scopes = Scopes::of(content, &flat);
    let is_name = |&at: &usize| flat.kind(at) == "identifier" && scopes.is_use(at);
    let chain = |at| uses::chain(content, &flat, at).into_iter().map(Into::into).collect();
    (0..flat.len()).filter(is_name).map(chain).collect()
}
