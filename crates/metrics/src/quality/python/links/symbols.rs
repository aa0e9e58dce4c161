//! Classes and functions as 0.2.0 sees them: what each may do, and what it passes on.

use crate::quality::span;
use std::collections::HashSet;
use trajview_code::flat::Flat;

use super::{Imports, statements, text_of};
use crate::quality::{
    python::callables::{Walked, walk},
    wrappers::{Called, Effects, Forwards, Symbol},
};

/// In the order they are met: before what lies in them.
pub fn all(text: &str, flat: &Flat<'_>) -> Vec<Symbol> {
    let reader = Reader { text, flat, imports: Imports::of(text, flat) };
    let mut functions = 0..;
    let symbol = |walked: Walked| {
        let is_function = flat.kind(walked.at) == "function_definition";
        Symbol {
            span: span(flat, walked.at),
            callable: if is_function { functions.next() } else { None },
            effects: if is_function { reader.effects(walked.at) } else { Effects::default() },
            forwards: if is_function { reader.forwards(&walked) } else { Forwards::Nothing },
            name: walked.name,
            parameters: None,
        }
    };
    walk(text, flat).into_iter().map(symbol).collect()
}

struct Reader<'a> {
    text: &'a str,
    flat: &'a Flat<'a>,
    imports: Imports,
}

impl Reader<'_> {
    fn kind(&self, at: usize) -> &str {
        self.flat.kind(at)
    }

    fn forwards(&self, function: &Walked) -> Forwards {
        let body = statements(self.text, self.flat, function.at);
        let [only] = body[..] else { return Forwards::Nothing };
        let value = (self.kind(only) == "return_statement")
            .then(|| self.flat.named_children(only).next())
            .flatten();
        let Some(value) = value.filter(|_| !self.is_bound(function)) else {
            return Forwards::Nothing;
        };
        let parameters = self.parameters(function);
        match self.kind(value) {
            "identifier" if parameters.contains(text_of(self.text, self.flat, value)) => {
                Forwards::Parameter
            }
            "call" if !parameters.is_empty() && self.arguments(value) == Some(parameters) => {
                self.called(value).map_or(Forwards::Nothing, Forwards::Call)
            }
            _ => Forwards::Nothing,
        }
    }

    /// Whether something outside asks for the function to be there: a decorator, a base class, the language.
    fn is_bound(&self, function: &Walked) -> bool {
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

    /// Without `self` and `cls` of a method.
    fn parameters(&self, function: &Walked) -> HashSet<&str> {
        let Some(list) = self.flat.child_of_kind(function.at, "parameters") else {
            return HashSet::new();
        };
        let names = self.flat.children(list).filter_map(|at| self.parameter(at));
        let names = names.map(|at| text_of(self.text, self.flat, at));
        names.filter(|name| function.class.is_none() || !is_receiver(name)).collect()
    }

    fn parameter(&self, at: usize) -> Option<usize> {
        match self.kind(at) {
            "identifier" => Some(at),
            "typed_parameter"
            | "default_parameter"
            | "typed_default_parameter"
            | "list_splat_pattern"
            | "dictionary_splat_pattern" => self.flat.child_of_kind(at, "identifier"),
            _ => None,
        }
    }

    /// The names a call is given; None where one is no name, or comes twice.
    fn arguments(&self, call: usize) -> Option<HashSet<&str>> {
        let list = self.flat.child_of_kind(call, "argument_list")?;
        let mut names = HashSet::new();
        let mut is_new = |at: usize| names.insert(text_of(self.text, self.flat, at));
        let all_new =
            self.flat.named_children(list).all(|at| self.kind(at) == "identifier" && is_new(at));
        all_new.then_some(names)
    }

    /// None where what is called has no name.
    fn called(&self, call: usize) -> Option<Called> {
        let is_target = |&at: &usize| !matches!(self.kind(at), "argument_list" | "(" | ")" | ",");
        let target = self.flat.children(call).find(is_target)?;
        let is_name = matches!(self.kind(target), "identifier" | "attribute");
        let name = is_name.then(|| text_of(self.text, self.flat, target))?;
        let local = (!name.contains('.')).then(|| name.to_owned());
        Some(Called { global: self.imports.resolve(name), local })
    }

    fn effects(&self, function: usize) -> Effects {
        let mut effects = Effects::default();
        for statement in statements(self.text, self.flat, function) {
            let value = self.flat.named_children(statement).next();
            match (self.kind(statement), value) {
                ("raise_statement", _) => effects.certain = true,
                ("return_statement", Some(value)) => self.add_effects(value, &mut effects),
                ("expression_statement", Some(value)) if self.kind(value) == "call" => {
                    self.add_effects(value, &mut effects);
                }
                _ => {}
            }
        }
        effects
    }

    /// The calls in a value; that tool looks into arguments, collections and operators, and into nothing else.
    fn add_effects(&self, value: usize, effects: &mut Effects) {
        let mut open = vec![value];
        while let Some(at) = open.pop() {
            match self.kind(at) {
                "call" => {
                    match self.called(at) {
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
