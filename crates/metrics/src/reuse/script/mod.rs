//! JavaScript and TypeScript: modules of ECMAScript and of CommonJS, mixed as projects mix them.
//!
//! Public is what a file exports: functions and classes, a constant whose value is a function or a class, an anonymous
//! default or the whole of `module.exports` among them. Decisions where the language leaves room:
//!
//! - Imports of types count, and so do types that name a class. Types that are no classes are no symbols.
//! - A re-export is no use; neither is a name in a string, nor what is done to the outcome of `import()` later.
//! - What wraps a function (`memo(() => …)`) makes it a value: it is no symbol.
//! - Only paths (`./x`, `../x`) are followed, with the endings and `index` files that bundlers and Node know; aliases of
//!   a configuration are not.
//! - A file is run if it starts with `#!`, or asks whether it is the main module.

mod bind;
mod exports;
mod facts;
mod imports;
mod link;
mod paths;
mod scopes;
mod uses;

use super::facts::{Definition, Facts as FileFacts, Kind, Words};
use crate::quality::span;
use scopes::Scopes;
use trajview_code::flat::Flat;

pub(super) use facts::Facts;
use facts::{Exported, Import, Use, What};
pub(super) use link::link;

/// The name that `module.exports` as a whole is exported by: no property can be called so.
const WHOLE: &str = "=";

/// The name of the default export.
const DEFAULT: &str = "default";

/// Every file that parses can be read.
pub(super) fn read(text: &str, flat: &Flat<'_>) -> FileFacts {
    let scopes = Scopes::of(text, flat);
    let is_run = is_run(text, flat);
    let uses = uses::all(text, flat, &scopes);
    let read = scopes.finish(uses);
    FileFacts {
        skipped: None,
        is_run,
        definitions: read.definitions,
        words: Words::Script(read.facts),
    }
}

/// What a pass over a file gives.
struct Read {
    definitions: Vec<Definition>,
    facts: Facts,
}

/// `#!`, `require.main === module`, `import.meta.main`, or `import.meta.url` beside `process.argv`.
fn is_run(text: &str, flat: &Flat<'_>) -> bool {
    (0..flat.len()).any(|at| match flat.kind(at) {
        "hash_bang_line" => true,
        "member_expression" => text_of(text, flat, at) == "import.meta.main",
        "binary_expression" => {
            let sides: Vec<&str> =
                flat.named_children(at).map(|it| text_of(text, flat, it)).collect();
            match sides[..] {
                ["require.main", "module"] | ["module", "require.main"] => true,
                [left, right] => {
                    let asks = |side: &str, what| side.len() < MOST_BYTES && side.contains(what);
                    (asks(left, "import.meta.url") && asks(right, "process.argv"))
                        || (asks(right, "import.meta.url") && asks(left, "process.argv"))
                }
                _ => false,
            }
        }
        _ => false,
    })
}

/// A side of a question whether a file is run is shorter.
const MOST_BYTES: usize = 300;

fn text_of<'t>(text: &'t str, flat: &Flat<'_>, at: usize) -> &'t str {
    text.get(flat.node(at).byte_range()).unwrap_or_default()
}

/// The child with that role.
fn field(flat: &Flat<'_>, at: usize, name: &str) -> Option<usize> {
    let wanted = flat.node(at).child_by_field_name(name)?.id();
    flat.children(at).find(|&child| flat.node(child).id() == wanted)
}

/// The words of a string without escapes.
fn string<'t>(text: &'t str, flat: &Flat<'_>, at: usize) -> Option<&'t str> {
    let is_plain = flat.kind(at) == "string";
    let fragment = is_plain.then(|| flat.only_named_child(at)).flatten()?;
    (flat.kind(fragment) == "string_fragment").then(|| text_of(text, flat, fragment))
}

/// The module that a call of `require` or `import` names.
fn required<'t>(text: &'t str, flat: &Flat<'_>, call: usize) -> Option<&'t str> {
    if flat.kind(call) != "call_expression" {
        return None;
    }
    let function = flat.children(call).next()?;
    let is_require =
        flat.kind(function) == "identifier" && text_of(text, flat, function) == "require";
    let is_import = flat.kind(function) == "import";
    let arguments = (is_require || is_import).then(|| flat.child_of_kind(call, "arguments"))??;
    string(text, flat, flat.named_children(arguments).next()?)
}

/// What a value defines where it is given a name.
fn kind_of_value(kind: &str) -> Option<Kind> {
    match kind {
        "arrow_function" | "function_expression" | "generator_function" => Some(Kind::Function),
        "class" => Some(Kind::Class),
        _ => None,
    }
}

fn definition(flat: &Flat<'_>, at: usize, name: &str, kind: Kind) -> Definition {
    Definition { name: name.into(), line: span(flat, at).start, kind, registered: None }
}
