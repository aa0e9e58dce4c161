//! Python, as SlopCodeBench measures it.

mod callables;
mod clones;
mod indents;
mod is;
mod links;
mod literals;
mod refused;
mod sloc;

use std::sync::LazyLock;
use trajview_code::flat::Flat;

use super::{
    file::FileMeasure,
    kinds::{Kinds, Names},
    profile::Profile,
    text::Lines,
};

/// What the kinds of tree-sitter-python 0.25.0 mean in every profile. `else`, `try`, `finally`, `with`, `match` and
/// `case` add no path; each `and` and `or` does.
pub const NAMES: Names = Names {
    branches: "if_statement elif_clause for_statement while_statement except_clause \
        assert_statement list_comprehension set_comprehension dictionary_comprehension \
        generator_expression boolean_operator conditional_expression if_clause",
    cases: "",
    operations: "",
    callables: "function_definition",
    owners: "class_definition",
    clones: "function_definition if_statement for_statement while_statement with_statement \
        try_statement match_statement",
    identifiers: "identifier",
    literals: &[
        ("$STR", "string string_content f_string string_fragment bytes"),
        ("$INT", "integer"),
        ("$FLOAT", "float imaginary"),
        ("$BOOL", "true false"),
        ("$NONE", "none"),
    ],
    comments: "comment",
};

static KINDS: LazyLock<Kinds> =
    LazyLock::new(|| Kinds::new(&tree_sitter_python::LANGUAGE.into(), &NAMES));

pub use refused::is_refused;

/// Everything but rules.
pub fn measure(text: &str, flat: &Flat<'_>, profile: Profile) -> FileMeasure {
    let lines = Lines::of(text);
    let sloc = sloc::lines(text, flat, &lines, profile);
    FileMeasure {
        lines: u32::try_from(lines.len()).unwrap_or(u32::MAX),
        loc: sloc::loc(text, flat, &lines),
        callables: callables::all(text, flat, &sloc, profile),
        clones: clones::candidates(text, flat, &sloc, profile),
        links: links::of(text, flat, profile),
        sloc,
        ..FileMeasure::default()
    }
}
