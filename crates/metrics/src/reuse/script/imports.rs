//! Reads the imports of a file: statements of ECMAScript, `require`, `import()`.

use super::{
    DEFAULT_EXPORT, ScriptImport, ScriptImportName, ScriptUse, child_field, required_module,
    scope_pass::ScriptPass, string_text, uses,
};

/// Reads `import … from "./x"`, and TypeScript's `import x = require("./x")`.
pub(crate) fn import_statement(pass: &mut ScriptPass<'_, '_>, at: usize, scope: usize) {
    let (text, flat) = (pass.text, pass.flat);
    pass.all.facts.is_esm = true;
    pass.close_subtree(at);
    let clause = flat.child_of_kind(at, "import_require_clause");
    let source = child_field(flat, clause.unwrap_or(at), "source");
    let Some(from) = source.and_then(|source| string_text(text, flat, source)) else { return };
    if let Some(clause) = clause {
        bind_one(pass, flat.named_children(clause).next(), scope, (from, ScriptImportName::Module));
        return;
    }
    let Some(clause) = flat.child_of_kind(at, "import_clause") else {
        pass.all.facts.run.insert(from.into());
        return;
    };
    for part in flat.named_children(clause) {
        match flat.kind_name(part) {
            "identifier" => bind_one(
                pass,
                Some(part),
                scope,
                (from, ScriptImportName::Name(DEFAULT_EXPORT.into())),
            ),
            "namespace_import" => {
                bind_one(
                    pass,
                    flat.only_named_child(part),
                    scope,
                    (from, ScriptImportName::Module),
                );
            }
            "named_imports" => {
                for one in flat.named_children(part) {
                    let Some(name) = child_field(flat, one, "name") else { continue };
                    let taken = string_text(text, flat, name).unwrap_or(pass.text_of(name));
                    let local = child_field(flat, one, "alias").unwrap_or(name);
                    bind_one(
                        pass,
                        Some(local),
                        scope,
                        (from, ScriptImportName::Name(taken.into())),
                    );
                }
            }
            _ => {}
        }
    }
    // `import {} from "./x"` binds nothing.
    pass.all.facts.run.insert(from.into());
}

fn bind_one(
    pass: &mut ScriptPass<'_, '_>,
    local: Option<usize>,
    scope: usize,
    (from, what): (&str, ScriptImportName),
) {
    let Some(local) = local else { return };
    let number = pass.all.number_of_import(ScriptImport { from: from.into(), what });
    pass.all.is_no_use[local] = true;
    let name = pass.text_of(local);
    pass.all.bind_name(name, scope, Some(number));
}

/// Binds the name of `const … = require("./x")`, `await import("./x")` or `require("./x").y`; returns false for
/// another value.
pub(crate) fn bind_required_value(
    pass: &mut ScriptPass<'_, '_>,
    name: usize,
    value: usize,
    scope: usize,
) -> bool {
    let flat = pass.flat;
    let mut call = value;
    let mut what = ScriptImportName::Module;
    if flat.kind_name(call) == "member_expression" {
        let Some(property) = child_field(flat, call, "property") else { return false };
        what = ScriptImportName::Name(pass.text_of(property).into());
        let Some(object) = child_field(flat, call, "object") else { return false };
        call = object;
    }
    while matches!(flat.kind_name(call), "await_expression" | "parenthesized_expression") {
        let Some(inner) = flat.named_children(call).next() else { return false };
        call = inner;
    }
    let Some(from) = required_module(pass.text, flat, call) else { return false };
    match (flat.kind_name(name), what) {
        ("identifier", what) => bind_one(pass, Some(name), scope, (from, what)),
        ("object_pattern", ScriptImportName::Module) => bind_properties(pass, name, scope, from),
        _ => return false,
    }
    pass.close_subtree(value);
    true
}

/// Binds the names of `{ a, b: c, d = 1, ...rest }`.
fn bind_properties(pass: &mut ScriptPass<'_, '_>, pattern: usize, scope: usize, from: &str) {
    let flat = pass.flat;
    for one in flat.named_children(pattern) {
        let (taken, local) = match flat.kind_name(one) {
            "shorthand_property_identifier_pattern" => (Some(one), Some(one)),
            "pair_pattern" => (child_field(flat, one, "key"), child_field(flat, one, "value")),
            "object_assignment_pattern" => {
                let name = flat.named_children(one).next();
                (name, name)
            }
            _ => (None, None),
        };
        let is_name = |at: usize| {
            matches!(flat.kind_name(at), "identifier" | "shorthand_property_identifier_pattern")
        };
        match (taken, local) {
            (Some(taken), Some(local)) if is_name(local) => {
                let what = ScriptImportName::Name(pass.text_of(taken).into());
                bind_one(pass, Some(local), scope, (from, what));
            }
            _ => pass.bind_target(one, scope),
        }
    }
}

/// Records `require("./x").y()` and `import("./x")` where they are not the value of a name.
pub(crate) fn note_inline_require(pass: &mut ScriptPass<'_, '_>, call: usize) {
    let (text, flat) = (pass.text, pass.flat);
    let Some(from) = required_module(text, flat, call) else { return };
    let mut top = call;
    let mut parent = flat.entries[top].parent as usize;
    while matches!(flat.kind_name(parent), "await_expression" | "parenthesized_expression") {
        (top, parent) = (parent, flat.entries[parent].parent as usize);
    }
    let properties = uses::property_chain(text, flat, top);
    let is_import = flat.child_of_kind(call, "import").is_some();
    if properties.is_empty() && (is_import || flat.kind_name(parent) == "expression_statement") {
        pass.all.facts.run.insert(from.into());
        return;
    }
    let import = pass
        .all
        .number_of_import(ScriptImport { from: from.into(), what: ScriptImportName::Module });
    pass.all.in_place.insert(ScriptUse { import, properties });
}
