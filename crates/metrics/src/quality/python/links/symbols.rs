//! Finds classes and functions as 0.2.0 sees them, with their effects and the calls that they forward.

use crate::quality::node_span;
use std::collections::HashSet;
use trajview_code::flat_tree::FlatTree;

use super::{ModuleImports, body_statements, text_of};
use crate::quality::{
    python::callables::{WalkedDefinition, walk_definitions},
    wrappers::{CallEffects, CalledName, ForwardedValue, WrapperSymbol},
};

/// Returns the symbols, each before those inside it.
pub(crate) fn file_symbols(text: &str, flat: &FlatTree<'_>) -> Vec<WrapperSymbol> {
    let reader = SymbolReader { text, flat, imports: ModuleImports::new(text, flat) };
    let mut functions = 0..;
    let symbol = |walked: WalkedDefinition| {
        let is_function = flat.kind_name(walked.at) == "function_definition";
        WrapperSymbol {
            span: node_span(flat, walked.at),
            callable: if is_function { functions.next() } else { None },
            effects: if is_function {
                reader.effects_of(walked.at)
            } else {
                CallEffects::default()
            },
            forwards: if is_function {
                reader.forwards_of(&walked)
            } else {
                ForwardedValue::Nothing
            },
            name: walked.name,
            parameters: None,
        }
    };
    walk_definitions(text, flat).into_iter().map(symbol).collect()
}

struct SymbolReader<'a> {
    text: &'a str,
    flat: &'a FlatTree<'a>,
    imports: ModuleImports,
}

impl SymbolReader<'_> {
    fn kind_at(&self, at: usize) -> &str {
        self.flat.kind_name(at)
    }

    /// Returns the value that a function forwards, if it consists of one `return` and nothing requires it.
    fn forwards_of(&self, function: &WalkedDefinition) -> ForwardedValue {
        let body = body_statements(self.text, self.flat, function.at);
        let [only] = body[..] else { return ForwardedValue::Nothing };
        let value = (self.kind_at(only) == "return_statement")
            .then(|| self.flat.named_children(only).next())
            .flatten();
        let Some(value) = value.filter(|_| !self.is_bound(function)) else {
            return ForwardedValue::Nothing;
        };
        let parameters = self.parameter_names(function);
        match self.kind_at(value) {
            "identifier" if parameters.contains(text_of(self.text, self.flat, value)) => {
                ForwardedValue::Parameter
            }
            "call" if !parameters.is_empty() && self.argument_names(value) == Some(parameters) => {
                self.called_name(value).map_or(ForwardedValue::Nothing, ForwardedValue::Call)
            }
            _ => ForwardedValue::Nothing,
        }
    }

    /// Returns whether something outside requires the function: a decorator, a base class, or the language.
    fn is_bound(&self, function: &WalkedDefinition) -> bool {
        let name = function.name.rsplit('.').next().unwrap_or_default();
        let is_dunder = name.starts_with("__") && name.ends_with("__");
        let overrides =
            function.class.is_some_and(|class| self.has_bases(class)) && !is_receiver(name);
        is_dunder || function.is_decorated || overrides
    }

    fn has_bases(&self, class: usize) -> bool {
        let bases = self.flat.child_of_kind(class, "argument_list");
        bases.is_some_and(|bases| self.flat.named_children(bases).next().is_some())
    }

    /// Returns the names of the parameters, without `self` and `cls` of a method.
    fn parameter_names(&self, function: &WalkedDefinition) -> HashSet<&str> {
        let Some(list) = self.flat.child_of_kind(function.at, "parameters") else {
            return HashSet::new();
        };
        let names = self.flat.children(list).filter_map(|at| self.parameter_identifier(at));
        let names = names.map(|at| text_of(self.text, self.flat, at));
        names.filter(|name| function.class.is_none() || !is_receiver(name)).collect()
    }

    fn parameter_identifier(&self, at: usize) -> Option<usize> {
        match self.kind_at(at) {
            "identifier" => Some(at),
            "typed_parameter"
            | "default_parameter"
            | "typed_default_parameter"
            | "list_splat_pattern"
            | "dictionary_splat_pattern" => self.flat.child_of_kind(at, "identifier"),
            _ => None,
        }
    }

    /// Returns the names of a call's arguments; None where an argument is no name, or occurs twice.
    fn argument_names(&self, call: usize) -> Option<HashSet<&str>> {
        let list = self.flat.child_of_kind(call, "argument_list")?;
        let mut names = HashSet::new();
        let mut is_new = |at: usize| names.insert(text_of(self.text, self.flat, at));
        let all_new =
            self.flat.named_children(list).all(|at| self.kind_at(at) == "identifier" && is_new(at));
        all_new.then_some(names)
    }

    /// Returns the name of the called function; None where it has none.
    fn called_name(&self, call: usize) -> Option<CalledName> {
        let is_target =
            |&at: &usize| !matches!(self.kind_at(at), "argument_list" | "(" | ")" | ",");
        let target = self.flat.children(call).find(is_target)?;
        let is_name = matches!(self.kind_at(target), "identifier" | "attribute");
        let name = is_name.then(|| text_of(self.text, self.flat, target))?;
        let local = (!name.contains('.')).then(|| name.to_owned());
        Some(CalledName { global: self.imports.resolve_name(name), local })
    }

    /// Returns the effects of a function's statements.
    fn effects_of(&self, function: usize) -> CallEffects {
        let mut effects = CallEffects::default();
        for statement in body_statements(self.text, self.flat, function) {
            let value = self.flat.named_children(statement).next();
            match (self.kind_at(statement), value) {
                ("raise_statement", _) => effects.certain = true,
                ("return_statement", Some(value)) => self.add_effects(value, &mut effects),
                ("expression_statement", Some(value)) if self.kind_at(value) == "call" => {
                    self.add_effects(value, &mut effects);
                }
                _ => {}
            }
        }
        effects
    }

    /// Adds the calls in a value; that tool only looks into arguments, collections and operators.
    fn add_effects(&self, value: usize, effects: &mut CallEffects) {
        let mut open = vec![value];
        while let Some(at) = open.pop() {
            match self.kind_at(at) {
                "call" => {
                    match self.called_name(at) {
                        Some(called) => effects.calls.push(called),
                        None => effects.certain = true,
                    }
                    let arguments = self.flat.child_of_kind(at, "argument_list");
                    open.extend(
                        arguments.into_iter().flat_map(|list| self.flat.named_children(list)),
                    );
                }
                kind if LOOKED_INTO.contains(&kind) => open.extend(self.flat.named_children(at)),
                _ => {}
            }
        }
    }
}

fn is_receiver(name: &str) -> bool {
    matches!(name, "self" | "cls")
}

const LOOKED_INTO: [&str; 14] = [
    "list",
    "tuple",
    "dictionary",
    "set",
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
    "binary_operator",
    "boolean_operator",
    "comparison_operator",
    "not_operator",
    "unary_operator",
    "conditional_expression",
];
