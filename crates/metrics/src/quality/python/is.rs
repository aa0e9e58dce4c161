//! What the measures of Python ask of the kind of each node, by a number instead of by its name.

use std::sync::LazyLock;

use trajview_code::{flat::Flat, tree::by_kind};

/// A kind of node, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Is {
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

static BY_KIND: LazyLock<Vec<Is>> =
    LazyLock::new(|| by_kind(&tree_sitter_python::LANGUAGE.into(), named));

fn named(kind: &str) -> Is {
    match kind {
        "(" | "[" | "{" => Is::Opening,
        ")" | "]" | "}" => Is::Closing,
        "comment" => Is::Comment,
        "line_continuation" => Is::Continuation,
        "escape_sequence" => Is::Escape,
        "expression_statement" => Is::ExpressionStatement,
        "module" => Is::Module,
        "block" => Is::Block,
        "decorated_definition" => Is::Decorated,
        "class_definition" => Is::Class,
        "function_definition" => Is::Function,
        "string" => Is::String,
        "string_content" => Is::StringContent,
        _ => Is::Other,
    }
}

#[inline]
pub fn is(flat: &Flat<'_>, at: usize) -> Is {
    of_kind(flat.entries[at].kind)
}

#[inline]
fn of_kind(kind: u16) -> Is {
    BY_KIND.get(usize::from(kind)).copied().unwrap_or(Is::Other)
}
