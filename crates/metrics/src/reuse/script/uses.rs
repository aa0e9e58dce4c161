//! The imported names a file reads.

use std::collections::BTreeSet;
use trajview_code::flat::Flat;

use super::{
    Use, field,
    scopes::{Meaning, Scopes},
    text_of,
};

/// Every use of an import, once.
pub fn all(text: &str, flat: &Flat<'_>, scopes: &Scopes<'_>) -> BTreeSet<Use> {
    let mut uses = scopes.in_place.clone();
    for at in (0..flat.len()).filter(|&at| scopes.is_use(at)) {
        match flat.kind(at) {
            "identifier" | "shorthand_property_identifier" | "type_identifier" => {
                if let Meaning::Imports(imports) = scopes.look_up(text_of(text, flat, at), at) {
                    let properties = properties(text, flat, at);
                    let of = |&import: &usize| Use { import, properties: properties.clone() };
                    uses.extend(imports.iter().map(of));
                }
            }
            _ => {}
        }
    }
    uses
}

/// `.a.b` after a name.
pub fn properties(text: &str, flat: &Flat<'_>, at: usize) -> Vec<Box<str>> {
    let mut names = vec![];
    let mut top = at;
    loop {
        let parent = flat.entries[top].parent as usize;
        let is_first = flat.named_children(parent).next() == Some(top);
        let name = match flat.kind(parent) {
            "non_null_expression" if is_first => {
                top = parent;
                continue;
            }
            "member_expression" | "nested_identifier" if is_first => {
                field(flat, parent, "property")
            }
            "nested_type_identifier" if is_first => field(flat, parent, "name"),
            _ => return names,
        };
        let Some(name) = name else { return names };
        names.push(text_of(text, flat, name).into());
        top = parent;
    }
}
