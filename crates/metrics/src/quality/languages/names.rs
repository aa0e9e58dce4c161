//! Finds the names of functions and classes.

use tree_sitter::Node;

/// Returns the name of a definition, with its type where it is outside the type's body; else the name that it is
/// assigned to. None for a definition without a name.
pub(crate) fn definition_name(node: Node<'_>, text: &str) -> Option<String> {
    let words = |node: Node<'_>| Some(text.get(node.byte_range())?.to_owned());
    match node.kind() {
        "impl_item" => words(node.child_by_field_name("type")?).map(without_parameters),
        "method_declaration" if node.child_by_field_name("receiver").is_some() => {
            let name = words(node.child_by_field_name("name")?)?;
            Some(receiver_type(node, text).map_or(name.clone(), |owner| format!("{owner}.{name}")))
        }
        "function_definition" => {
            innermost_declarator(node).and_then(words).map(|name| name.replace("::", "."))
        }
        _ => match node.child_by_field_name("name") {
            Some(name) => words(name),
            None => assigned_target(node).and_then(words),
        },
    }
}

fn without_parameters(name: String) -> String {
    name.split('<').next().unwrap_or_default().trim().to_owned()
}

/// Returns the receiver's type of a Go method.
fn receiver_type(method: Node<'_>, text: &str) -> Option<String> {
    let list = method.child_by_field_name("receiver")?;
    let kind = list.named_child(0)?.child_by_field_name("type")?;
    let words = text.get(kind.byte_range())?.trim_start_matches(['*', ' ']);
    Some(words.split('[').next().unwrap_or(words).to_owned())
}

/// Returns the node that a C declarator declares, below its pointers and parameters.
fn innermost_declarator(function: Node<'_>) -> Option<Node<'_>> {
    let mut node = function.child_by_field_name("declarator")?;
    while let Some(below) = inner_declarator(node) {
        node = below;
    }
    Some(node)
}

/// Returns the declarator inside another one; that of a reference is a child without a field.
fn inner_declarator(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "reference_declarator" | "parenthesized_declarator" => node.named_child(0),
        "function_declarator" | "pointer_declarator" | "array_declarator" => {
            node.child_by_field_name("declarator")
        }
        _ => None,
    }
}

/// Returns the variable, property or field to which an arrow function or function is assigned.
fn assigned_target(function: Node<'_>) -> Option<Node<'_>> {
    let parent = function.parent()?;
    let field = match parent.kind() {
        "variable_declarator" | "public_field_definition" => "name",
        "pair" => "key",
        "field_definition" => "property",
        "assignment_expression" => "left",
        _ => return None,
    };
    let is_value = parent.child_by_field_name(field).is_some_and(|name| name.id() != function.id());
    is_value.then(|| parent.child_by_field_name(field)).flatten()
}
