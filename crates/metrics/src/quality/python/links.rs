//! Finds the definitions, imports and forwarded calls of a Python file, as `scb-check` reads them.

mod imports;
mod symbols;

use super::{
    node_kinds::{PythonNode, python_node},
    sloc,
};
use crate::quality::node_span;
use crate::quality::{
    profile::QualityProfile,
    wrappers::{AliasTarget, NameAlias, WrapperLinks},
};
use imports::ModuleImports;
use trajview_code::flat_tree::FlatTree;

/// Returns the facts for finding wrappers, by the release that the profile follows.
pub(crate) fn file_links(text: &str, flat: &FlatTree<'_>, profile: QualityProfile) -> WrapperLinks {
    match profile {
        QualityProfile::ScbPaper | QualityProfile::Trajview => WrapperLinks::default(),
        QualityProfile::ScbCheck013 => WrapperLinks {
            single_returns: function_entries(flat)
                .filter(|&at| is_single_return(text, flat, at))
                .map(|at| node_span(flat, at))
                .collect(),
            aliases: module_aliases(text, flat),
            ..WrapperLinks::default()
        },
        QualityProfile::ScbCheck020 => {
            WrapperLinks { symbols: symbols::file_symbols(text, flat), ..WrapperLinks::default() }
        }
    }
}

fn function_entries<'a>(flat: &'a FlatTree<'_>) -> impl Iterator<Item = usize> + 'a {
    (0..flat.len()).filter(|&at| python_node(flat, at) == PythonNode::Function)
}

fn is_single_return(text: &str, flat: &FlatTree<'_>, function: usize) -> bool {
    let body = body_statements(text, flat, function);
    matches!(body[..], [only] if flat.kind_name(only) == "return_statement")
}

/// Returns the statements of a body, without stand-alone strings.
fn body_statements(text: &str, flat: &FlatTree<'_>, of: usize) -> Vec<usize> {
    let Some(block) = flat.child_of_kind(of, "block") else { return vec![] };
    let is_statement = |&at: &usize| {
        let kind = flat.kind_name(at);
        kind.ends_with("_statement")
            || matches!(kind, "function_definition" | "class_definition" | "decorated_definition")
    };
    let is_text = |at| sloc::plain_string_statement(text, flat, at).is_some();
    flat.children(block).filter(is_statement).filter(|&at| !is_text(at)).collect()
}

/// Returns the aliases `name = other` at module level.
fn module_aliases(text: &str, flat: &FlatTree<'_>) -> Vec<NameAlias> {
    let imports = ModuleImports::new(text, flat);
    let defined_names = super::callables::plain_names(text, flat);
    let alias = |statement: usize| {
        let value = text_of(text, flat, assigned_value(flat, statement)?);
        let root = value.split('.').next().unwrap_or(value);
        let target = if defined_names.contains(root) {
            AliasTarget::Local(value.to_owned())
        } else {
            AliasTarget::Global(imports.resolve_name(value))
        };
        Some(NameAlias { span: node_span(flat, statement), target })
    };
    flat.children(0).filter_map(alias).collect()
}

/// Returns the value of `name = other` or `name = module.other`.
fn assigned_value(flat: &FlatTree<'_>, statement: usize) -> Option<usize> {
    let is_statement = flat.kind_name(statement) == "expression_statement";
    let assignment = is_statement.then(|| flat.only_named_child(statement)).flatten()?;
    let parts: Vec<usize> = flat.named_children(assignment).collect();
    match (flat.kind_name(assignment), &parts[..]) {
        ("assignment", &[target, value]) => {
            let is_name = flat.kind_name(target) == "identifier";
            (is_name && matches!(flat.kind_name(value), "identifier" | "attribute"))
                .then_some(value)
        }
        _ => None,
    }
}

fn text_of<'a>(text: &'a str, flat: &FlatTree<'_>, at: usize) -> &'a str {
    flat.text_of(text, at)
}
