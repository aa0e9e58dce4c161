//! The kinds of nodes that the measures of Python distinguish, looked up by number instead of by name.

use std::sync::LazyLock;

use trajview_code::{flat_tree::FlatTree, tree::by_kind};

/// The kind of a node, as far as the measures need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PythonNode {
    Opening,
    Closing,
    Comment,
    Continuation,
    Escape,
    ExpressionStatement,
    Module,
    Block,
    Decorated,
    Class,
    Function,
    String,
    StringContent,
    Other,
}

static BY_KIND: LazyLock<Vec<PythonNode>> =
    LazyLock::new(|| by_kind(&tree_sitter_python::LANGUAGE.into(), node_of_name));

fn node_of_name(kind: &str) -> PythonNode {
    match kind {
        "(" | "[" | "{" => PythonNode::Opening,
        ")" | "]" | "}" => PythonNode::Closing,
        "comment" => PythonNode::Comment,
        "line_continuation" => PythonNode::Continuation,
        "escape_sequence" => PythonNode::Escape,
        "expression_statement" => PythonNode::ExpressionStatement,
        "module" => PythonNode::Module,
        "block" => PythonNode::Block,
        "decorated_definition" => PythonNode::Decorated,
        "class_definition" => PythonNode::Class,
        "function_definition" => PythonNode::Function,
        "string" => PythonNode::String,
        "string_content" => PythonNode::StringContent,
        _ => PythonNode::Other,
    }
}

/// Returns the kind of a node.
#[inline]
pub(crate) fn python_node(flat: &FlatTree<'_>, at: usize) -> PythonNode {
    node_of_kind(flat.entries[at].kind)
}

#[inline]
fn node_of_kind(kind: u16) -> PythonNode {
    BY_KIND.get(usize::from(kind)).copied().unwrap_or(PythonNode::Other)
}
