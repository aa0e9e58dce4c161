//! Finds classes and functions, and their names.

use crate::quality::node_span;
use trajview_code::flat_tree::FlatTree;
use tree_sitter::Node;

use super::CheckDialect;
use crate::quality::{
    file_measure::{FileCallable, LineSet},
    kinds::{BRANCH, CALLABLE, GrammarKinds, IDENTIFIER, OPERATION, OWNER},
    wrappers::{CallEffects, ForwardedValue, WrapperSymbol},
};
use trajview_code::{has_word, tree::Grammar};

/// A file of a dialect, with the tables of the language.
pub struct DialectSource<'a> {
    pub text: &'a str,
    pub flat: &'a FlatTree<'a>,
    pub(super) dialect: &'a CheckDialect,
    pub kinds: &'a GrammarKinds,
}

/// Deeper declarators have no name; the reference's own stack ends about there.
const MAX_DECLARATORS: usize = 300;

/// Returns the symbols, each before those inside it, and the callables of the functions in the same order.
pub(crate) fn symbols_and_callables(
    source: &DialectSource<'_>,
    sloc: &LineSet,
) -> (Vec<WrapperSymbol>, Vec<FileCallable>) {
    let (mut symbols, mut callables) = (vec![], vec![]);
    let branches = source.branches_before();
    let mut enclosing: Vec<(usize, String)> = vec![];
    for at in (0..source.flat.len()).filter(|&at| source.flat.entries[at].is_named) {
        while enclosing.pop_if(|(end, _)| *end <= at).is_some() {}
        let Some(name) = source.symbol_name(at) else { continue };
        let name = enclosing.last().map_or(name.clone(), |(_, owner)| format!("{owner}.{name}"));
        let after = source.flat.entries[at].after as usize;
        enclosing.push((after, name.clone()));
        let span = node_span(source.flat, at);
        let callable = source.has_flags(at, CALLABLE).then(|| {
            let cc = 1 + branches[after] - branches[at];
            callables.push(FileCallable {
                name: name.clone(),
                span,
                cc,
                sloc: sloc.count_within(span),
            });
            u32::try_from(callables.len() - 1).unwrap_or(u32::MAX)
        });
        if callable.is_some() || source.has_flags(at, OWNER) {
            let (effects, forwards) = (CallEffects::default(), ForwardedValue::Nothing);
            let parameters = Some(source.parameter_names(at));
            symbols.push(WrapperSymbol { name, span, callable, effects, forwards, parameters });
        }
    }
    (symbols, callables)
}

impl DialectSource<'_> {
    fn has_flags(&self, at: usize, flags: u16) -> bool {
        self.kinds.has_flags(self.flat.entries[at].kind, flags)
    }

    fn text_at(&self, at: usize) -> &str {
        self.text.get(self.flat.node(at).byte_range()).unwrap_or_default()
    }

    /// Returns whether an entry is a keyword that counts as a branch. In Haskell a keyword has the same name as the
    /// node that it begins, and that tool counts both: a `case` adds two paths.
    fn is_branch_word(&self, at: usize) -> bool {
        self.dialect.grammar == Grammar::Haskell
            && !self.flat.entries[at].is_named
            && has_word(self.dialect.names.branches, self.flat.kind_name(at))
    }

    fn text_of(&self, node: Node<'_>) -> String {
        self.text.get(node.byte_range()).unwrap_or_default().to_owned()
    }

    /// Returns the name of a symbol; None for an entry that has none.
    fn symbol_name(&self, at: usize) -> Option<String> {
        let kind = self.flat.kind_name(at);
        let node = self.flat.node(at);
        if self.has_flags(at, OWNER) {
            self.first_identifier(at)
        } else if self.dialect.contexts.contains(&kind) {
            let of_type =
                node.child_by_field_name("type").and_then(|node| self.declared_name(node, 0));
            of_type.or_else(|| self.first_identifier(at))
        } else if self.dialect.anonymous.contains(&kind) {
            self.assigned_name(at)
        } else if self.has_flags(at, CALLABLE) {
            self.declared_name(node, 0)
        } else {
            None
        }
    }

    /// Returns the first identifier among the children, else among all nodes below.
    fn first_identifier(&self, at: usize) -> Option<String> {
        let after = self.flat.entries[at].after as usize;
        let direct = self.flat.children(at).find(|&child| self.has_flags(child, IDENTIFIER));
        let identifier =
            direct.or_else(|| (at + 1..after).find(|&below| self.has_flags(below, IDENTIFIER)));
        identifier.map(|identifier| self.text_of(self.flat.node(identifier)))
    }

    /// Returns the name inside a declarator, found by descending through its fields.
    fn declared_name(&self, node: Node<'_>, depth: usize) -> Option<String> {
        if depth > MAX_DECLARATORS {
            return None;
        }
        let fields =
            ["name", "declarator"].into_iter().filter_map(|field| node.child_by_field_name(field));
        if let Some(name) =
            fields.into_iter().find_map(|child| self.declared_name(child, depth + 1))
        {
            return Some(name);
        }
        let identifiers = self.dialect.names.identifiers;
        let is_identifier = |node: &Node<'_>| node.is_named() && has_word(identifiers, node.kind());
        if is_identifier(&node) {
            return Some(self.text_of(node));
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let direct =
            children.iter().find(|child| is_identifier(child)).map(|child| self.text_of(*child));
        let named = || children.iter().filter(|child| child.is_named());
        direct.or_else(|| named().find_map(|child| self.declared_name(*child, depth + 1)))
    }

    /// Returns the name of the nearest assignment around, at any distance.
    fn assigned_name(&self, at: usize) -> Option<String> {
        let above = |&at: &usize| {
            let parent = self.flat.entries[at].parent as usize;
            (parent != at).then_some(parent)
        };
        let mut assignments = std::iter::successors(above(&at), above).filter(|&at| {
            matches!(
                self.flat.kind_name(at),
                "assignment_expression"
                    | "init_declarator"
                    | "lexical_declaration"
                    | "variable_declaration"
                    | "variable_declarator"
            )
        });
        let name = assignments
            .find_map(|at| self.flat.children(at).find(|&child| self.has_flags(child, IDENTIFIER)));
        name.map(|name| self.text_of(self.flat.node(name)))
    }

    /// Returns the names of the parameters, joined by commas.
    fn parameter_names(&self, at: usize) -> String {
        let Some(list) = self.parameter_list(at) else { return String::new() };
        let after = self.flat.entries[list].after as usize;
        let is_name = |&at: &usize| {
            self.flat.entries[at].is_named
                && matches!(self.flat.kind_name(at), "identifier" | "variable" | "self")
        };
        let mut names: Vec<String> = vec![];
        for name in (list + 1..after).filter(is_name).map(|at| self.text_of(self.flat.node(at))) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(",")
    }

    fn parameter_list(&self, function: usize) -> Option<usize> {
        let (mut at, after) = (function + 1, self.flat.entries[function].after as usize);
        while at < after {
            let entry = &self.flat.entries[at];
            match self.flat.kind_name(at) {
                "formal_parameters" | "parameter_list" | "parameters" | "patterns"
                    if entry.is_named =>
                {
                    return Some(at);
                }
                kind if self.dialect.bodies.contains(&kind) => at = entry.after as usize,
                _ => at += 1,
            }
        }
        None
    }

    /// Returns the number of branches before each entry, with one more element at the end.
    fn branches_before(&self) -> Vec<u32> {
        let is_logic = |at: usize| {
            self.has_flags(at, OPERATION)
                && self.flat.children(at).any(|child| matches!(self.text_at(child), "&&" | "||"))
        };
        let counts = (0..self.flat.len()).scan(0, |count, at| {
            *count +=
                u32::from(self.has_flags(at, BRANCH) || is_logic(at) || self.is_branch_word(at));
            Some(*count)
        });
        std::iter::once(0).chain(counts).collect()
    }
}
