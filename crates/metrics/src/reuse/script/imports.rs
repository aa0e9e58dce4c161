//! What a file imports: statements of ECMAScript, `require`, `import()`.

use super::{DEFAULT, Import, Use, What, bind::Pass, field, required, string, uses};

/// `import … from "./x"`, and TypeScript's `import x = require("./x")`.
pub fn statement(pass: &mut Pass<'_, '_>, at: usize, scope: usize) {
    let (text, flat) = (pass.text, pass.flat);
    pass.all.facts.is_esm = true;
    pass.close(at);
    let clause = flat.child_of_kind(at, "import_require_clause");
    let source = field(flat, clause.unwrap_or(at), "source");
    let Some(from) = source.and_then(|source| string(text, flat, source)) else { return };
    if let Some(clause) = clause {
        bind_one(pass, flat.named_children(clause).next(), scope, (from, What::Module));
        return;
    }
    let Some(clause) = flat.child_of_kind(at, "import_clause") else {
        pass.all.facts.run.insert(from.into());
        return;
    };
    for part in flat.named_children(clause) {
        match flat.kind(part) {
            "identifier" => bind_one(pass, Some(part), scope, (from, What::Name(DEFAULT.into()))),
            "namespace_import" => {
                bind_one(pass, flat.only_named_child(part), scope, (from, What::Module));
            }
            "named_imports" => {
                for one in flat.named_children(part) {
                    let Some(name) = field(flat, one, "name") else { continue };
                    let taken = string(text, flat, name).unwrap_or(pass.text_of(name));
                    let local = field(flat, one, "alias").unwrap_or(name);
                    bind_one(pass, Some(local), scope, (from, What::Name(taken.into())));
                }
            }
            _ => {}
        }
    }
    // `import {} from "./x"` binds nothing.
    pass.all.facts.run.insert(from.into());
}

fn bind_one(
    pass: &mut Pass<'_, '_>,
    local: Option<usize>,
    scope: usize,
    (from, what): (&str, What),
) {
    let Some(local) = local else { return };
    let number = pass.all.number(Import { from: from.into(), what });
    pass.all.is_no_use[local] = true;
    let name = pass.text_of(local);
    pass.all.bind(name, scope, Some(number));
}

/// `const … = require("./x")`, `await import("./x")` or `require("./x").y`; false of another value.
pub fn of_value(pass: &mut Pass<'_, '_>, name: usize, value: usize, scope: usize) -> bool {
    let flat = pass.flat;
    let mut call = value;
    let mut what = What::Module;
    if flat.kind(call) == "member_expression" {
        let Some(property) = field(flat, call, "property") else { return false };
        what = What::Name(pass.text_of(property).into());
        let Some(object) = field(flat, call, "object") else { return false };
        call = object;
    }
    while matches!(flat.kind(call), "await_expression" | "parenthesized_expression") {
        let Some(inner) = flat.named_children(call).next() else { return false };
        call = inner;
    }
    let Some(from) = required(pass.text, flat, call) else { return false };
    match (flat.kind(name), what) {
        ("identifier", what) => bind_one(pass, Some(name), scope, (from, what)),
        ("object_pattern", What::Module) => properties(pass, name, scope, from),
        _ => return false,
    }
    pass.close(value);
    true
}

/// `{ a, b: c, d = 1, ...rest }`
fn properties(pass: &mut Pass<'_, '_>, pattern: usize, scope: usize, from: &str) {
    let flat = pass.flat;
    for one in flat.named_children(pattern) {
        let (taken, local) = match flat.kind(one) {
            "shorthand_property_identifier_pattern" => (Some(one), Some(one)),
            "pair_pattern" => (field(flat, one, "key"), field(flat, one, "value")),
            "object_assignment_pattern" => {
                let name = flat.named_children(one).next();
                (name, name)
            }
            _ => (None, None),
        };
        let is_name = |at: usize| {
            matches!(flat.kind(at), "identifier" | "shorthand_property_identifier_pattern")
        };
        match (taken, local) {
            (Some(taken), Some(local)) if is_name(local) => {
                let what = What::Name(pass.text_of(taken).into());
                bind_one(pass, Some(local), scope, (from, what));
            }
            _ => pass.bind_target(one, scope),
        }
    }
}

/// `require("./x").y()` and `import("./x")` where they are no value of a name.
pub fn in_place(pass: &mut Pass<'_, '_>, call: usize) {
    let (text, flat) = (pass.text, pass.flat);
    let Some(from) = required(text, flat, call) else { return };
    let mut top = call;
    let mut parent = flat.entries[top].parent as usize;
    while matches!(flat.kind(parent), "await_expression" | "parenthesized_expression") {
        (top, parent) = (parent, flat.entries[parent].parent as usize);
    }
    let properties = uses::properties(text, flat, top);
    let is_import = flat.child_of_kind(call, "import").is_some();
    if properties.is_empty() && (is_import || flat.kind(parent) == "expression_statement") {
        pass.all.facts.run.insert(from.into());
        return;
    }
    let import = pass.all.number(Import { from: from.into(), what: What::Module });
    pass.all.in_place.insert(Use { import, properties });
}
