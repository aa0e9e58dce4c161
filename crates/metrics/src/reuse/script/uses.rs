//! Finds the imported names that a file reads.

use std::collections::BTreeSet;
use trajview_code::flat_tree::FlatTree;

use super::{
    ScriptUse, child_field,
    scopes::{ScriptNameMeaning, ScriptScopes},
    text_of,
};

/// Returns every use of an import, once.
pub(crate) fn import_uses(
    text: &str,
    flat: &FlatTree<'_>,
    scopes: &ScriptScopes<'_>,
) -> BTreeSet<ScriptUse> {
    let mut uses = scopes.in_place.clone();
    for at in (0..flat.len()).filter(|&at| scopes.is_use(at)) {
        match flat.kind_name(at) {
            "identifier" | "shorthand_property_identifier" | "type_identifier" => {
                if let ScriptNameMeaning::Imports(imports) =
                    scopes.look_up(text_of(text, flat, at), at)
                {
                    let properties = property_chain(text, flat, at);
                    let use_of_import =
                        |&import: &usize| ScriptUse { import, properties: properties.clone() };
                    uses.extend(imports.iter().map(use_of_import));
                }
            }
            _ => {}
        }
    }
    uses
}

/// Returns the properties `.a.b` after a name.
pub(crate) fn property_chain(text: &str, flat: &FlatTree<'_>, at: usize) -> Vec<Box<str>> {
    let mut names = vec![];
    let mut top = at;
    loop {
        let parent = flat.entries[top].parent as usize;
        let is_first = flat.named_children(parent).next() == Some(top);
        let name = match flat.kind_name(parent) {
            "non_null_expression" if is_first => {
                top = parent;
                continue;
            }
            "member_expression" | "nested_identifier" if is_first => {
                child_field(flat, parent, "property")
            }
            "nested_type_identifier" if is_first => child_field(flat, parent, "name"),
            _ => return names,
        };
        let Some(name) = name else { return names };
        names.push(text_of(text, flat, name).into());
        top = parent;
    }
}
