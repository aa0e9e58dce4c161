//! Reads the exports of a file: statements of ECMAScript, `module.exports` and `exports`.

use super::{
    DEFAULT_EXPORT, ScriptExport, ScriptImport, ScriptImportName, WHOLE_EXPORT, child_field,
    kind_of_value, new_definition, required_module,
    scope_pass::ScriptPass,
    scopes::{ScriptNameMeaning, kind_of_declaration},
    string_text,
};
use crate::reuse::facts::SymbolKind;

/// Reads an `export` at the top of a file.
pub(crate) fn export_statement(pass: &mut ScriptPass<'_, '_>, at: usize) {
    let (text, flat) = (pass.text, pass.flat);
    pass.all.facts.is_esm = true;
    if let Some(source) = child_field(flat, at, "source") {
        if let Some(from) = string_text(text, flat, source) {
            export_from(pass, at, from);
        }
        pass.close_subtree(at);
        return;
    }
    if let Some(clause) = flat.child_of_kind(at, "export_clause") {
        for one in flat.named_children(clause) {
            if let Some((name, exported)) = specifier_names(pass, one) {
                pass.all.exported_names.push((exported.into(), name));
            }
        }
        pass.close_subtree(clause);
        return;
    }
    let is_default = flat.child_of_kind(at, "default").is_some();
    if let Some(declaration) = child_field(flat, at, "declaration") {
        export_declared(pass, declaration, is_default);
    } else if is_default {
        if let Some(value) = child_field(flat, at, "value") {
            export_value(pass, value, DEFAULT_EXPORT);
        }
    } else if flat.child_of_kind(at, "=").is_some() {
        // TypeScript's `export = x` is CommonJS.
        pass.all.facts.is_esm = false;
        if let Some(value) = flat.named_children(at).last() {
            export_value(pass, value, WHOLE_EXPORT);
        }
    }
}

/// Reads `export … from "./x"`.
fn export_from(pass: &mut ScriptPass<'_, '_>, at: usize, from: &str) {
    let flat = pass.flat;
    let pass_on = |pass: &mut ScriptPass<'_, '_>, name: &str, what: ScriptImportName| {
        let number = pass.all.number_of_import(ScriptImport { from: from.into(), what });
        pass.all.add_export(name, ScriptExport::Import(number));
    };
    if let Some(clause) = flat.child_of_kind(at, "export_clause") {
        for one in flat.named_children(clause) {
            if let Some((name, exported)) = specifier_names(pass, one) {
                pass_on(pass, exported, ScriptImportName::Name(name.into()));
            }
        }
    } else if let Some(space) = flat.child_of_kind(at, "namespace_export") {
        let name = flat.only_named_child(space).map(|name| pass.text_of(name));
        pass_on(pass, name.unwrap_or_default(), ScriptImportName::Module);
    } else {
        pass.all.facts.stars.insert(from.into());
    }
}

/// Returns the name in the file (or in the other module), and the exported name.
fn specifier_names<'t>(pass: &ScriptPass<'t, '_>, one: usize) -> Option<(&'t str, &'t str)> {
    let words = |at| string_text(pass.text, pass.flat, at).unwrap_or(pass.text_of(at));
    let name = child_field(pass.flat, one, "name").map(words)?;
    Some((name, child_field(pass.flat, one, "alias").map_or(name, words)))
}

/// Reads `export function f` and `export const f = …, g = …`.
fn export_declared(pass: &mut ScriptPass<'_, '_>, declaration: usize, is_default: bool) {
    let flat = pass.flat;
    match flat.kind_name(declaration) {
        "lexical_declaration" | "variable_declaration" => {
            for one in flat.named_children(declaration) {
                let name = child_field(flat, one, "name").filter(|&name| flat.is_leaf(name));
                if let Some(name) = name.map(|name| pass.text_of(name)) {
                    pass.all.exported_names.push((name.into(), name));
                }
            }
        }
        kind => {
            let kind = kind_of_declaration(kind);
            match (child_field(flat, declaration, "name"), kind) {
                (Some(name), _) => {
                    let name = pass.text_of(name);
                    let exported = if is_default { DEFAULT_EXPORT } else { name };
                    pass.all.exported_names.push((exported.into(), name));
                }
                (None, Some(kind)) => export_anonymous(pass, declaration, kind, DEFAULT_EXPORT),
                (None, None) => {}
            }
        }
    }
}

fn export_anonymous(pass: &mut ScriptPass<'_, '_>, at: usize, kind: SymbolKind, exported: &str) {
    let name = if exported == WHOLE_EXPORT { "module.exports" } else { exported };
    let number = pass.all.add_definition(None, new_definition(pass.flat, at, name, kind));
    pass.all.add_export(exported, ScriptExport::Definition(number));
}

/// Exports a value under a name: a name of the file, a function or class, or another module as a whole.
fn export_value(pass: &mut ScriptPass<'_, '_>, value: usize, exported: &str) {
    let flat = pass.flat;
    match flat.kind_name(value) {
        "identifier" => {
            pass.all.is_no_use[value] = true;
            let name = pass.text_of(value);
            pass.all.exported_names.push((exported.into(), name));
        }
        "object" if exported == WHOLE_EXPORT => export_object(pass, value),
        kind => {
            if let Some(kind) = kind_of_value(kind) {
                let name = child_field(flat, value, "name").map(|name| pass.text_of(name));
                match name {
                    // A function expression's name is its own; the definition is known by it all the same.
                    Some(name) => {
                        let number =
                            pass.all.add_definition(None, new_definition(flat, value, name, kind));
                        pass.all.add_export(exported, ScriptExport::Definition(number));
                    }
                    None => export_anonymous(pass, value, kind, exported),
                }
            } else if let Some(from) = required_module(pass.text, flat, value) {
                let number = pass.all.number_of_import(ScriptImport {
                    from: from.into(),
                    what: ScriptImportName::Module,
                });
                pass.all.add_export(exported, ScriptExport::Import(number));
                if exported == WHOLE_EXPORT {
                    pass.all.facts.stars.insert(from.into());
                }
                pass.close_subtree(value);
            }
        }
    }
}

/// Reads `module.exports = { a, b: c, d() {}, ...require("./x") }`.
fn export_object(pass: &mut ScriptPass<'_, '_>, at: usize) {
    let flat = pass.flat;
    for one in flat.named_children(at) {
        match flat.kind_name(one) {
            "shorthand_property_identifier" => {
                pass.all.is_no_use[one] = true;
                let name = pass.text_of(one);
                pass.all.exported_names.push((name.into(), name));
            }
            "pair" => {
                let (Some(key), Some(value)) =
                    (child_field(flat, one, "key"), child_field(flat, one, "value"))
                else {
                    continue;
                };
                let key = string_text(pass.text, flat, key).unwrap_or(pass.text_of(key));
                export_property(pass, key, value);
            }
            "method_definition" => {
                let Some(name) = child_field(flat, one, "name") else { continue };
                let name = pass.text_of(name);
                let number = pass
                    .all
                    .add_definition(None, new_definition(flat, one, name, SymbolKind::Function));
                pass.all.add_export(name, ScriptExport::Definition(number));
            }
            "spread_element" => {
                let from = flat.only_named_child(one);
                let from = from.and_then(|from| required_module(pass.text, flat, from));
                pass.all.facts.stars.extend(from.map(Into::into));
            }
            _ => {}
        }
    }
}

/// Reads `exports.key = value`.
fn export_property(pass: &mut ScriptPass<'_, '_>, key: &str, value: usize) {
    let flat = pass.flat;
    match kind_of_value(flat.kind_name(value)) {
        Some(kind) => {
            let number = pass.all.add_definition(None, new_definition(flat, value, key, kind));
            pass.all.add_export(key, ScriptExport::Definition(number));
        }
        None => export_value(pass, value, key),
    }
}

/// Reads `module.exports = …`, `module.exports.x = …` or `exports.x = …`; other assignments are ignored.
pub(crate) fn export_assignment(pass: &mut ScriptPass<'_, '_>, at: usize) {
    let flat = pass.flat;
    let Some(target) = child_field(flat, at, "left").and_then(|left| export_target(pass, at, left))
    else {
        return;
    };
    let mut value = child_field(flat, at, "right");
    while let Some(inner) = value.filter(|&it| flat.kind_name(it) == "assignment_expression") {
        value = child_field(flat, inner, "right");
    }
    let Some(value) = value else { return };
    match target {
        ExportTarget::Whole => export_value(pass, value, WHOLE_EXPORT),
        ExportTarget::Name(name) => export_property(pass, name, value),
    }
}

enum ExportTarget<'t> {
    Whole,
    Name(&'t str),
}

/// Returns the target of an export. `at` is the assignment, whose parts have no scope yet.
fn export_target<'t>(
    pass: &ScriptPass<'t, '_>,
    at: usize,
    left: usize,
) -> Option<ExportTarget<'t>> {
    let flat = pass.flat;
    if flat.kind_name(left) != "member_expression" {
        return None;
    }
    let (object, property) =
        (child_field(flat, left, "object")?, child_field(flat, left, "property")?);
    let is_free = |name| matches!(pass.all.look_up(name, at), ScriptNameMeaning::Free);
    match (pass.text_of(object), pass.text_of(property)) {
        ("module", "exports") if is_free("module") => Some(ExportTarget::Whole),
        ("module.exports", name) if is_free("module") => Some(ExportTarget::Name(name)),
        ("exports", name) if is_free("exports") => Some(ExportTarget::Name(name)),
        _ => None,
    }
}
