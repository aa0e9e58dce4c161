//! What a node is to the reading of names, by the number of its kind instead of by its name: every node is asked several
//! times.

use std::sync::LazyLock;

use trajview_code::{flat::Flat, tree::by_kind};

/// A kind of node, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
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
    /// Of Python 2 alone, or almost.
    Print,
    Python2,
    Other,
}

static BY_KIND: LazyLock<Vec<Role>> =
    LazyLock::new(|| by_kind(&tree_sitter_python::LANGUAGE.into(), named));

fn named(kind: &str) -> Role {
    match kind {
        "import_statement" | "import_from_statement" => Role::Import,
        "future_import_statement" => Role::FutureImport,
        "function_definition" | "class_definition" => Role::Definition,
        "lambda" => Role::Lambda,
        "list_comprehension"
        | "set_comprehension"
        | "dictionary_comprehension"
        | "generator_expression" => Role::Comprehension,
        "for_in_clause" | "for_statement" => Role::For,
        "assignment" => Role::Assignment,
        "augmented_assignment" => Role::AugmentedAssignment,
        "named_expression" => Role::NamedExpression,
        "as_pattern" | "except_clause" => Role::As,
        "type_alias_statement" => Role::TypeAlias,
        "global_statement" | "nonlocal_statement" => Role::Declaration,
        "delete_statement" => Role::Delete,
        "keyword_argument" | "keyword_pattern" => Role::Keyword,
        "attribute" | "member_type" => Role::Attribute,
        "splat_pattern" => Role::SplatPattern,
        "dotted_name" => Role::DottedName,
        "argument_list" => Role::ArgumentList,
        "subscript" | "generic_type" => Role::Subscript,
        "type" => Role::Type,
        "identifier" => Role::Identifier,
        "string" => Role::String,
        "call" => Role::Call,
        "print_statement" => Role::Print,
        "exec_statement" | "<>" => Role::Python2,
        _ => Role::Other,
    }
}

/// What a node is.
#[inline]
pub fn role(flat: &Flat<'_>, at: usize) -> Role {
    BY_KIND.get(usize::from(flat.entries[at].kind)).copied().unwrap_or(Role::Other)
}
