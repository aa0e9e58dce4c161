//! JavaScript and TypeScript: modules of ECMAScript and of CommonJS, mixed as projects mix them.
//!
//! Public are the exports of a file: functions and classes, including a constant whose value is a function or a class,
//! an anonymous default export, and `module.exports` as a whole. Decisions where the language leaves room:
//!
//! - Imports of types count, and so do types that name a class. Types that are no classes are no symbols.
//! - A re-export is no use; neither is a name in a string, nor a later access to the result of `import()`.
//! - A wrapped function (`memo(() => …)`) is a value and no symbol.
//! - Only paths (`./x`, `../x`) are followed, with the suffixes and `index` files that bundlers and Node try; aliases
//!   of a configuration are not.
//! - A file is run if it starts with `#!`, or asks whether it is the main module.

mod exports;
mod facts;
mod imports;
mod link;
mod paths;
mod scope_pass;
mod scopes;
mod uses;

use super::facts::{LinkerFacts, ReuseFacts as FileFacts, SymbolKind, TopLevelDefinition};
use crate::quality::node_span;
use scopes::ScriptScopes;
use trajview_code::flat_tree::FlatTree;

pub(super) use facts::ScriptFacts;
use facts::{ScriptExport, ScriptImport, ScriptImportName, ScriptUse};
pub(super) use link::link_script;

/// The name of the export `module.exports` as a whole; no property can have it.
const WHOLE_EXPORT: &str = "=";

/// The name of the default export.
const DEFAULT_EXPORT: &str = "default";

/// Reads the facts of a file; every file that parses can be read.
pub(super) fn read_script(text: &str, flat: &FlatTree<'_>) -> FileFacts {
    let scopes = ScriptScopes::new(text, flat);
    let is_run = is_run(text, flat);
    let uses = uses::import_uses(text, flat, &scopes);
    let read = scopes.into_file_facts(uses);
    FileFacts {
        skipped: None,
        is_run,
        definitions: read.definitions,
        words: LinkerFacts::Script(read.facts),
    }
}

/// The result of the pass over a file.
struct ScriptFileFacts {
    definitions: Vec<TopLevelDefinition>,
    facts: ScriptFacts,
}

/// Returns whether a file is run: it has `#!`, `require.main === module`, `import.meta.main`, or `import.meta.url`
/// beside `process.argv`.
fn is_run(text: &str, flat: &FlatTree<'_>) -> bool {
    (0..flat.len()).any(|at| match flat.kind_name(at) {
        "hash_bang_line" => true,
        "member_expression" => text_of(text, flat, at) == "import.meta.main",
        "binary_expression" => {
            let sides: Vec<&str> =
                flat.named_children(at).map(|it| text_of(text, flat, it)).collect();
            match sides[..] {
                ["require.main", "module"] | ["module", "require.main"] => true,
                [left, right] => {
                    let asks =
                        |side: &str, what| side.len() < MAX_QUESTION_BYTES && side.contains(what);
                    (asks(left, "import.meta.url") && asks(right, "process.argv"))
                        || (asks(right, "import.meta.url") && asks(left, "process.argv"))
                }
                _ => false,
            }
        }
        _ => false,
    })
}

/// The longest side of a comparison that can ask whether the file is run.
const MAX_QUESTION_BYTES: usize = 300;

fn text_of<'t>(text: &'t str, flat: &FlatTree<'_>, at: usize) -> &'t str {
    text.get(flat.node(at).byte_range()).unwrap_or_default()
}

/// Returns the child in a field of the grammar.
fn child_field(flat: &FlatTree<'_>, at: usize, name: &str) -> Option<usize> {
    let wanted = flat.node(at).child_by_field_name(name)?.id();
    flat.children(at).find(|&child| flat.node(child).id() == wanted)
}

/// Returns the text of a string without escapes.
fn string_text<'t>(text: &'t str, flat: &FlatTree<'_>, at: usize) -> Option<&'t str> {
    let is_plain = flat.kind_name(at) == "string";
    let fragment = is_plain.then(|| flat.only_named_child(at)).flatten()?;
    (flat.kind_name(fragment) == "string_fragment").then(|| text_of(text, flat, fragment))
}

/// Returns the module that a call of `require` or `import` names.
fn required_module<'t>(text: &'t str, flat: &FlatTree<'_>, call: usize) -> Option<&'t str> {
    if flat.kind_name(call) != "call_expression" {
        return None;
    }
    let function = flat.children(call).next()?;
    let is_require =
        flat.kind_name(function) == "identifier" && text_of(text, flat, function) == "require";
    let is_import = flat.kind_name(function) == "import";
    let arguments = (is_require || is_import).then(|| flat.child_of_kind(call, "arguments"))??;
    string_text(text, flat, flat.named_children(arguments).next()?)
}

/// Returns the kind of symbol that a value becomes when it is given a name; None for other values.
fn kind_of_value(kind: &str) -> Option<SymbolKind> {
    match kind {
        "arrow_function" | "function_expression" | "generator_function" => {
            Some(SymbolKind::Function)
        }
        "class" => Some(SymbolKind::Class),
        _ => None,
    }
}

fn new_definition(
    flat: &FlatTree<'_>,
    at: usize,
    name: &str,
    kind: SymbolKind,
) -> TopLevelDefinition {
    TopLevelDefinition {
        name: name.into(),
        line: node_span(flat, at).start,
        kind,
        registered: None,
    }
}
