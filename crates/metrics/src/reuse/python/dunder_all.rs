//! `__all__`: the names a module says it exports, put together from lists, additions and other modules' lists.

use super::{
    AllItem, dotted,
    role::{Role, role},
    scopes::Scopes,
    string_content, text_of, uses,
};
use trajview_code::flat::Flat;

/// Its pieces; None where there is none, or where a piece is neither a string nor another module's list.
pub fn read(text: &str, flat: &Flat<'_>, scopes: &Scopes<'_>) -> Option<Vec<AllItem>> {
    let reader = Reader { text, flat, scopes };
    let statements = (0..flat.len()).filter(|&at| scopes.is_at_module_level(at));
    let mut all: Option<Vec<AllItem>> = None;
    for at in statements {
        match role(flat, at) {
            Role::Assignment if reader.is_all(flat.named_children(at).next()) => {
                let Some(value) = reader.value(at) else { continue };
                all = Some(reader.list(value)?);
            }
            Role::AugmentedAssignment if reader.is_all(flat.named_children(at).next()) => {
                let more = reader.list(flat.named_children(at).last()?)?;
                all.get_or_insert_default().extend(more);
            }
            Role::Call => {
                let more = reader.call(at)?;
                if !more.is_empty() {
                    all.get_or_insert_default().extend(more);
                }
            }
            _ => {}
        }
    }
    all
}

struct Reader<'a, 't> {
    text: &'t str,
    flat: &'a Flat<'a>,
    scopes: &'a Scopes<'t>,
}

impl Reader<'_, '_> {
    fn is_all(&self, at: Option<usize>) -> bool {
        at.is_some_and(|at| {
            self.flat.kind(at) == "identifier" && text_of(self.text, self.flat, at) == "__all__"
        })
    }

    /// What is assigned; None of `__all__: list[str]`.
    fn value(&self, assignment: usize) -> Option<usize> {
        let mut children = self.flat.children(assignment);
        children.find(|&child| self.flat.kind(child) == "=")?;
        children.next()
    }

    /// None where it cannot be read in full.
    fn list(&self, value: usize) -> Option<Vec<AllItem>> {
        let mut items = vec![];
        let mut open = vec![value];
        while let Some(at) = open.pop() {
            let inner = || self.flat.named_children(at);
            match self.flat.kind(at) {
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
                "call" => open.push(self.copied(at)?),
                "identifier" | "attribute" => items.extend(self.other(at)?),
                _ => return None,
            }
        }
        Some(items)
    }

    /// The argument of `list(…)`, `tuple(…)` or `sorted(…)`.
    fn copied(&self, call: usize) -> Option<usize> {
        let mut parts = self.flat.named_children(call);
        let name = text_of(self.text, self.flat, parts.next()?);
        let arguments = parts.next().filter(|_| ["list", "tuple", "sorted"].contains(&name))?;
        self.flat.only_named_child(arguments)
    }

    /// The list of another module, or nothing where `__all__` itself is meant.
    fn other(&self, at: usize) -> Option<Vec<AllItem>> {
        let names = dotted(self.text, self.flat, at)?;
        if names == ["__all__"] {
            return Some(vec![]);
        }
        let uses = uses::resolved(&names, at, self.scopes);
        (!uses.is_empty()).then(|| uses.into_iter().map(AllItem::Of).collect())
    }

    /// What `__all__.extend(…)` and its like add; nothing where another thing is called.
    fn call(&self, at: usize) -> Option<Vec<AllItem>> {
        let mut parts = self.flat.named_children(at);
        let (Some(called), Some(arguments)) = (parts.next(), parts.next()) else {
            return Some(vec![]);
        };
        let is_short = self.flat.kind(called) == "attribute"
            && self.is_all(self.flat.named_children(called).next());
        let name = self.flat.named_children(called).last().filter(|_| is_short);
        let argument = self.flat.only_named_child(arguments);
        match (name.map(|name| text_of(self.text, self.flat, name)), argument) {
            (Some("extend"), Some(argument)) => self.list(argument),
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
