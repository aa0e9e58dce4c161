//! What a file exports: statements of ECMAScript, `module.exports` and `exports`.

use super::{
    DEFAULT, Exported, Import, WHOLE, What,
    bind::Pass,
    definition, field, kind_of_value, required,
    scopes::{Meaning, kind_of_declaration},
    string,
};
use crate::reuse::facts::Kind;

/// An `export` at the top of a file.
pub fn statement(pass: &mut Pass<'_, '_>, at: usize) {
    let (text, flat) = (pass.text, pass.flat);
    pass.all.facts.is_esm = true;
    if let Some(source) = field(flat, at, "source") {
        if let Some(from) = string(text, flat, source) {
            passed_on(pass, at, from);
        }
        pass.close(at);
        return;
    }
    if let Some(clause) = flat.child_of_kind(at, "export_clause") {
        for one in flat.named_children(clause) {
            if let Some((name, exported)) = specifier(pass, one) {
                pass.all.named.push((exported.into(), name));
            }
        }
        pass.close(clause);
        return;
    }
    let is_default = flat.child_of_kind(at, "default").is_some();
    if let Some(declaration) = field(flat, at, "declaration") {
        declared(pass, declaration, is_default);
    } else if is_default {
        if let Some(value) = field(flat, at, "value") {
            value_as(pass, value, DEFAULT);
        }
    } else if flat.child_of_kind(at, "=").is_some() {
        // TypeScript's `export = x` is CommonJS.
        pass.all.facts.is_esm = false;
        if let Some(value) = flat.named_children(at).last() {
            value_as(pass, value, WHOLE);
        }
    }
}

/// `export … from "./x"`
fn passed_on(pass: &mut Pass<'_, '_>, at: usize, from: &str) {
    let flat = pass.flat;
    let pass_on = |pass: &mut Pass<'_, '_>, name: &str, what: What| {
        let number = pass.all.number(Import { from: from.into(), what });
        pass.all.export(name, Exported::Import(number));
    };
    if let Some(clause) = flat.child_of_kind(at, "export_clause") {
        for one in flat.named_children(clause) {
            if let Some((name, exported)) = specifier(pass, one) {
                pass_on(pass, exported, What::Name(name.into()));
            }
        }
    } else if let Some(space) = flat.child_of_kind(at, "namespace_export") {
        let name = flat.only_named_child(space).map(|name| pass.text_of(name));
        pass_on(pass, name.unwrap_or_default(), What::Module);
    } else {
        pass.all.facts.stars.insert(from.into());
    }
}

/// The name in the file (or in the other module), and the exported one.
fn specifier<'t>(pass: &Pass<'t, '_>, one: usize) -> Option<(&'t str, &'t str)> {
    let words = |at| string(pass.text, pass.flat, at).unwrap_or(pass.text_of(at));
    let name = field(pass.flat, one, "name").map(words)?;
    Some((name, field(pass.flat, one, "alias").map_or(name, words)))
}

/// `export function f`, `export const f = …, g = …`
fn declared(pass: &mut Pass<'_, '_>, declaration: usize, is_default: bool) {
    let flat = pass.flat;
    match flat.kind(declaration) {
        "lexical_declaration" | "variable_declaration" => {
            for one in flat.named_children(declaration) {
                let name = field(flat, one, "name").filter(|&name| flat.is_leaf(name));
                if let Some(name) = name.map(|name| pass.text_of(name)) {
                    pass.all.named.push((name.into(), name));
                }
            }
        }
        kind => {
            let kind = kind_of_declaration(kind);
            match (field(flat, declaration, "name"), kind) {
                (Some(name), _) => {
                    let name = pass.text_of(name);
                    let exported = if is_default { DEFAULT } else { name };
                    pass.all.named.push((exported.into(), name));
                }
                (None, Some(kind)) => anonymous(pass, declaration, kind, DEFAULT),
                (None, None) => {}
            }
        }
    }
}

fn anonymous(pass: &mut Pass<'_, '_>, at: usize, kind: Kind, exported: &str) {
    let name = if exported == WHOLE { "module.exports" } else { exported };
    let number = pass.all.define(None, definition(pass.flat, at, name, kind));
    pass.all.export(exported, Exported::Definition(number));
}

/// Exports a value under a name: a name of the file, a function or class, or another module as a whole.
fn value_as(pass: &mut Pass<'_, '_>, value: usize, exported: &str) {
    let flat = pass.flat;
    match flat.kind(value) {
        "identifier" => {
            pass.all.is_no_use[value] = true;
            let name = pass.text_of(value);
            pass.all.named.push((exported.into(), name));
        }
        "object" if exported == WHOLE => object(pass, value),
        kind => {
            if let Some(kind) = kind_of_value(kind) {
                let name = field(flat, value, "name").map(|name| pass.text_of(name));
                match name {
                    // A function expression's name is its own; the definition is known by it all the same.
                    Some(name) => {
                        let number = pass.all.define(None, definition(flat, value, name, kind));
                        pass.all.export(exported, Exported::Definition(number));
                    }
                    None => anonymous(pass, value, kind, exported),
                }
            } else if let Some(from) = required(pass.text, flat, value) {
                let number = pass.all.number(Import { from: from.into(), what: What::Module });
                pass.all.export(exported, Exported::Import(number));
                if exported == WHOLE {
                    pass.all.facts.stars.insert(from.into());
                }
                pass.close(value);
            }
        }
    }
}

/// `module.exports = { a, b: c, d() {}, ...require("./x") }`
fn object(pass: &mut Pass<'_, '_>, at: usize) {
    let flat = pass.flat;
    for one in flat.named_children(at) {
        match flat.kind(one) {
            "shorthand_property_identifier" => {
                pass.all.is_no_use[one] = true;
                let name = pass.text_of(one);
                pass.all.named.push((name.into(), name));
            }
            "pair" => {
                let (Some(key), Some(value)) = (field(flat, one, "key"), field(flat, one, "value"))
                else {
                    continue;
                };
                let key = string(pass.text, flat, key).unwrap_or(pass.text_of(key));
                property(pass, key, value);
            }
            "method_definition" => {
                let Some(name) = field(flat, one, "name") else { continue };
                let name = pass.text_of(name);
                let number = pass.all.define(None, definition(flat, one, name, Kind::Function));
                pass.all.export(name, Exported::Definition(number));
            }
            "spread_element" => {
                let from = flat.only_named_child(one);
                let from = from.and_then(|from| required(pass.text, flat, from));
                pass.all.facts.stars.extend(from.map(Into::into));
            }
            _ => {}
        }
    }
}

/// `exports.key = value`
fn property(pass: &mut Pass<'_, '_>, key: &str, value: usize) {
    let flat = pass.flat;
    match kind_of_value(flat.kind(value)) {
        Some(kind) => {
            let number = pass.all.define(None, definition(flat, value, key, kind));
            pass.all.export(key, Exported::Definition(number));
        }
        None => value_as(pass, value, key),
    }
}

/// `module.exports = …`, `module.exports.x = …` or `exports.x = …`; anything else is left alone.
pub fn assignment(pass: &mut Pass<'_, '_>, at: usize) {
    let flat = pass.flat;
    let Some(target) = field(flat, at, "left").and_then(|left| target(pass, at, left)) else {
        return;
    };
    let mut value = field(flat, at, "right");
    while let Some(inner) = value.filter(|&it| flat.kind(it) == "assignment_expression") {
        value = field(flat, inner, "right");
    }
    let Some(value) = value else { return };
    match target {
        Target::Whole => value_as(pass, value, WHOLE),
        Target::Name(name) => property(pass, name, value),
    }
}

enum Target<'t> {
    Whole,
    Name(&'t str),
}

/// `at` is the assignment: what stands in it has no scope yet.
fn target<'t>(pass: &Pass<'t, '_>, at: usize, left: usize) -> Option<Target<'t>> {
    let flat = pass.flat;
    if flat.kind(left) != "member_expression" {
        return None;
    }
    let (object, property) = (field(flat, left, "object")?, field(flat, left, "property")?);
    let is_free = |name| matches!(pass.all.look_up(name, at), Meaning::Free);
    match (pass.text_of(object), pass.text_of(property)) {
        ("module", "exports") if is_free("module") => Some(Target::Whole),
        ("module.exports", name) if is_free("module") => Some(Target::Name(name)),
        ("exports", name) if is_free("exports") => Some(Target::Name(name)),
        _ => None,
    }
}
