//! What a Python file defines, imports and hands on, as `scb-check` reads it.

mod imports;
mod symbols;

use super::{
    is::{Is, is},
    sloc,
};
use crate::quality::span;
use crate::quality::{
    profile::Profile,
    wrappers::{Alias, Links, Target},
};
use imports::Imports;
use trajview_code::flat::Flat;

pub fn of(text: &str, flat: &Flat<'_>, profile: Profile) -> Links {
    match profile {
        Profile::ScbPaper | Profile::Trajview => Links::default(),
        Profile::ScbCheck013 => Links {
            single_returns: functions(flat)
                .filter(|&at| is_single_return(text, flat, at))
                .map(|at| span(flat, at))
                .collect(),
            aliases: aliases(text, flat),
            ..Links::default()
        },
        Profile::ScbCheck020 => Links { symbols: symbols::all(text, flat), ..Links::default() },
    }
}

fn functions<'a>(flat: &'a Flat<'_>) -> impl Iterator<Item = usize> + 'a {
    (0..flat.len()).filter(|&at| is(flat, at) == Is::Function)
}

fn is_single_return(text: &str, flat: &Flat<'_>, function: usize) -> bool {
    let body = statements(text, flat, function);
    matches!(body[..], [only] if flat.kind(only) == "return_statement")
}

/// The statements of a body, without strings that stand alone.
fn statements(text: &str, flat: &Flat<'_>, of: usize) -> Vec<usize> {
    let Some(block) = flat.child_of_kind(of, "block") else { return vec![] };
    let is_statement = |&at: &usize| {
        let kind = flat.kind(at);
        kind.ends_with("_statement")
            || matches!(kind, "function_definition" | "class_definition" | "decorated_definition")
    };
    let is_text = |at| sloc::plain_string_statement(text, flat, at).is_some();
    flat.children(block).filter(is_statement).filter(|&at| !is_text(at)).collect()
}

fn aliases(text: &str, flat: &Flat<'_>) -> Vec<Alias> {
    let imports = Imports::of(text, flat);
    let own = super::callables::plain_names(text, flat);
    let alias = |statement: usize| {
        let value = text_of(text, flat, assigned(flat, statement)?);
        let root = value.split('.').next().unwrap_or(value);
        let target = if own.contains(root) {
            Target::Local(value.to_owned())
        } else {
            Target::Global(imports.resolve(value))
        };
        Some(Alias { span: span(flat, statement), target })
    };
    flat.children(0).filter_map(alias).collect()
}

/// The value of `name = other` or `name = module.other`.
fn assigned(flat: &Flat<'_>, statement: usize) -> Option<usize> {
    let is_statement = flat.kind(statement) == "expression_statement";
    let assignment = is_statement.then(|| flat.only_named_child(statement)).flatten()?;
    let parts: Vec<usize> = flat.named_children(assignment).collect();
    match (flat.kind(assignment), &parts[..]) {
        ("assignment", &[target, value]) => {
            let is_name = flat.kind(target) == "identifier";
            (is_name && matches!(flat.kind(value), "identifier" | "attribute")).then_some(value)
        }
        _ => None,
    }
}

fn text_of<'a>(text: &'a str, flat: &Flat<'_>, at: usize) -> &'a str {
    flat.text_of(text, at)
}
