//! `__all__`: reads the names that a module declares as exported, from lists, additions and other modules' lists.

use super::{
    AllItem, dotted_names,
    node_role::{NodeRole, node_role},
    scopes::PythonScopes,
    string_content, text_of, uses,
};
use trajview_code::flat_tree::FlatTree;

/// Returns the items of `__all__`; None where there is none, or where an item is neither a string nor another module's
/// list.
pub(crate) fn read_dunder_all(
    text: &str,
    flat: &FlatTree<'_>,
    scopes: &PythonScopes<'_>,
) -> Option<Vec<AllItem>> {
    let reader = AllReader { text, flat, scopes };
    let statements = (0..flat.len()).filter(|&at| scopes.is_at_module_level(at));
    let mut all: Option<Vec<AllItem>> = None;
    for at in statements {
        match node_role(flat, at) {
            NodeRole::Assignment if reader.is_all(flat.named_children(at).next()) => {
                let Some(value) = reader.assigned_value(at) else { continue };
                all = Some(reader.list_items(value)?);
            }
            NodeRole::AugmentedAssignment if reader.is_all(flat.named_children(at).next()) => {
                let more = reader.list_items(flat.named_children(at).last()?)?;
                all.get_or_insert_default().extend(more);
            }
            NodeRole::Call => {
                let more = reader.items_of_call(at)?;
                if !more.is_empty() {
                    all.get_or_insert_default().extend(more);
                }
            }
            _ => {}
        }
    }
    all
}

struct AllReader<'a, 't> {
    text: &'t str,
    flat: &'a FlatTree<'a>,
    scopes: &'a PythonScopes<'t>,
}

impl AllReader<'_, '_> {
    fn is_all(&self, at: Option<usize>) -> bool {
        at.is_some_and(|at| {
            self.flat.kind_name(at) == "identifier"
                && text_of(self.text, self.flat, at) == "__all__"
        })
    }

    /// Returns the assigned value; None for `__all__: list[str]`.
    fn assigned_value(&self, assignment: usize) -> Option<usize> {
        let mut children = self.flat.children(assignment);
        children.find(|&child| self.flat.kind_name(child) == "=")?;
        children.next()
    }

    /// Returns the items of a value; None where it cannot be read completely.
    fn list_items(&self, value: usize) -> Option<Vec<AllItem>> {
        let mut items = vec![];
        let mut open = vec![value];
        while let Some(at) = open.pop() {
            let inner = || self.flat.named_children(at);
            match self.flat.kind_name(at) {
                "comment" => {}
                "list"
                | "tuple"
                | "set"
                | "expression_list"
                | "parenthesized_expression"
                | "list_splat" => {
                    let mut parts: Vec<usize> = inner().collect();
                    parts.reverse();
                    open.extend(parts);
                }
                "binary_operator" if self.flat.child_of_kind(at, "+").is_some() => {
                    let mut parts: Vec<usize> = inner().collect();
                    parts.reverse();
                    open.extend(parts);
                }
                "string" => {
                    items.push(AllItem::Name(string_content(self.text, self.flat, at)?.into()));
                }
                "call" => open.push(self.copied_argument(at)?),
                "identifier" | "attribute" => items.extend(self.items_of_other(at)?),
                _ => return None,
            }
        }
        Some(items)
    }

    /// Returns the argument of `list(…)`, `tuple(…)` or `sorted(…)`.
    fn copied_argument(&self, call: usize) -> Option<usize> {
        let mut parts = self.flat.named_children(call);
        let name = text_of(self.text, self.flat, parts.next()?);
        let arguments = parts.next().filter(|_| ["list", "tuple", "sorted"].contains(&name))?;
        self.flat.only_named_child(arguments)
    }

    /// Returns the list of another module, or nothing where `__all__` itself is meant.
    fn items_of_other(&self, at: usize) -> Option<Vec<AllItem>> {
        let names = dotted_names(self.text, self.flat, at)?;
        if names == ["__all__"] {
            return Some(vec![]);
        }
        let uses = uses::resolve_names(&names, at, self.scopes);
        (!uses.is_empty()).then(|| uses.into_iter().map(AllItem::Of).collect())
    }

    /// Returns the items that `__all__.extend(…)` and similar calls add; nothing for other calls.
    fn items_of_call(&self, at: usize) -> Option<Vec<AllItem>> {
        let mut parts = self.flat.named_children(at);
        let (Some(called), Some(arguments)) = (parts.next(), parts.next()) else {
            return Some(vec![]);
        };
        let is_short = self.flat.kind_name(called) == "attribute"
            && self.is_all(self.flat.named_children(called).next());
        let name = self.flat.named_children(called).last().filter(|_| is_short);
        let argument = self.flat.only_named_child(arguments);
        match (name.map(|name| text_of(self.text, self.flat, name)), argument) {
            (Some("extend"), Some(argument)) => self.list_items(argument),
            (Some("append"), Some(argument)) => {
                Some(vec![AllItem::Name(string_content(self.text, self.flat, argument)?.into())])
            }
            (Some("remove"), Some(argument)) => {
                Some(vec![AllItem::Without(string_content(self.text, self.flat, argument)?.into())])
            }
            (Some("extend" | "append" | "remove"), None) => None,
            _ => Some(vec![]),
        }
    }
}
