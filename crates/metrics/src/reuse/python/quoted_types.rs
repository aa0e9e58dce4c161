//! Reads types in quotes: `"Node"`, `"list[tree.Node] | None"`.

use super::{scopes::PythonScopes, uses};
use trajview_code::flat_tree::FlatTree;
use trajview_code::tree::{Grammar, parse_tree};

/// The longest text that is read as a type; longer texts are prose in the place of a type.
const MAX_TYPE_BYTES: usize = 500;

/// Returns the dotted names in a quoted type; none where it is no expression. Nested quotes are not read.
pub(crate) fn quoted_names(content: &str) -> Vec<Vec<Box<str>>> {
    if content.len() > MAX_TYPE_BYTES {
        return vec![];
    }
    let Some(tree) = parse_tree(Grammar::Python, content.trim().as_bytes()) else { return vec![] };
    if tree.root_node().has_error() {
        return vec![];
    }
    let content = content.trim();
    let flat = FlatTree::from_node(tree.root_node());
    let is_one_expression = flat
        .only_named_child(0)
        .is_some_and(|statement| flat.kind_name(statement) == "expression_statement");
    if !is_one_expression {
        return vec![];
    }
    let scopes = PythonScopes::new(content, &flat);
    let is_name = |&at: &usize| flat.kind_name(at) == "identifier" && scopes.is_use(at);
    let chain =
        |at| uses::attribute_chain(content, &flat, at).into_iter().map(Into::into).collect();
    (0..flat.len()).filter(is_name).map(chain).collect()
}
