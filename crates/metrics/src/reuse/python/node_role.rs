//! The roles of nodes for the resolution of names, looked up by the number of the kind instead of its name, because
//! every node is looked up several times.

use std::sync::LazyLock;

use trajview_code::{flat_tree::FlatTree, tree::by_kind};

/// The role of a node, as far as name resolution needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeRole {
    Import,
    FutureImport,
    Definition,
    Lambda,
    Comprehension,
    /// A loop, or a clause of a comprehension.
    For,
    Assignment,
    AugmentedAssignment,
    NamedExpression,
    /// A pattern or a handler that may end with `as NAME`.
    As,
    TypeAlias,
    /// `global` or `nonlocal`.
    Declaration,
    Delete,
    Keyword,
    Attribute,
    SplatPattern,
    DottedName,
    ArgumentList,
    Subscript,
    Type,
    Identifier,
    String,
    Call,
    /// A statement that nearly only Python 2 has.
    Print,
    Python2,
    Other,
}

static BY_KIND: LazyLock<Vec<NodeRole>> =
    LazyLock::new(|| by_kind(&tree_sitter_python::LANGUAGE.into(), role_of_kind));

fn role_of_kind(kind: &str) -> NodeRole {
    match kind {
        "import_statement" | "import_from_statement" => NodeRole::Import,
        "future_import_statement" => NodeRole::FutureImport,
        "function_definition" | "class_definition" => NodeRole::Definition,
        "lambda" => NodeRole::Lambda,
        "list_comprehension"
        | "set_comprehension"
        | "dictionary_comprehension"
        | "generator_expression" => NodeRole::Comprehension,
        "for_in_clause" | "for_statement" => NodeRole::For,
        "assignment" => NodeRole::Assignment,
        "augmented_assignment" => NodeRole::AugmentedAssignment,
        "named_expression" => NodeRole::NamedExpression,
        "as_pattern" | "except_clause" => NodeRole::As,
        "type_alias_statement" => NodeRole::TypeAlias,
        "global_statement" | "nonlocal_statement" => NodeRole::Declaration,
        "delete_statement" => NodeRole::Delete,
        "keyword_argument" | "keyword_pattern" => NodeRole::Keyword,
        "attribute" | "member_type" => NodeRole::Attribute,
        "splat_pattern" => NodeRole::SplatPattern,
        "dotted_name" => NodeRole::DottedName,
        "argument_list" => NodeRole::ArgumentList,
        "subscript" | "generic_type" => NodeRole::Subscript,
        "type" => NodeRole::Type,
        "identifier" => NodeRole::Identifier,
        "string" => NodeRole::String,
        "call" => NodeRole::Call,
        "print_statement" => NodeRole::Print,
        "exec_statement" | "<>" => NodeRole::Python2,
        _ => NodeRole::Other,
    }
}

/// Returns the role of a node.
#[inline]
pub(crate) fn node_role(flat: &FlatTree<'_>, at: usize) -> NodeRole {
    BY_KIND.get(usize::from(flat.entries[at].kind)).copied().unwrap_or(NodeRole::Other)
}
