//! Python, as SlopCodeBench measures it.

mod callables;
mod clones;
mod links;
mod sloc;

use std::sync::LazyLock;

use super::{
    file::FileMeasure,
    flat::Flat,
    kinds::{Kinds, Names},
    profile::Profile,
    text::Lines,
};

/// What the kinds of tree-sitter-python 0.25.0 mean in every profile. `else`, `try`, `finally`, `with`, `match` and
/// `case` add no path; each `and` and `or` does.
pub const NAMES: Names = Names {
    branches: &[
        "if_statement",
        "elif_clause",
        "for_statement",
        "while_statement",
        "except_clause",
        "assert_statement",
        "list_comprehension",
        "set_comprehension",
        "dictionary_comprehension",
        "generator_expression",
        "boolean_operator",
        "conditional_expression",
        "if_clause",
    ],
    cases: &[],
    operations: &[],
    callables: &["function_definition"],
    owners: &["class_definition"],
    clones: &[
        "function_definition",
        "if_statement",
        "for_statement",
        "while_statement",
        "with_statement",
        "try_statement",
        "match_statement",
    ],
    identifiers: &["identifier"],
    literals: &[
        ("$STR", &["string", "string_content", "f_string", "string_fragment", "bytes"]),
        ("$INT", &["integer"]),
        ("$FLOAT", &["float", "imaginary"]),
        ("$BOOL", &["true", "false"]),
        ("$NONE", &["none"]),
    ],
    comments: &["comment"],
};

static KINDS: LazyLock<Kinds> =
    LazyLock::new(|| Kinds::new(&tree_sitter_python::LANGUAGE.into(), &NAMES));

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

/// Whether Python 3 refuses what the grammar takes: statements and an operator of Python 2. The paper's code asks
/// Python; `scb-check` asks the grammar.
pub fn is_refused(flat: &Flat<'_>, profile: Profile) -> bool {
    let is_old = |at: usize| match flat.kind(at) {
        // `print >>file, x` is a tuple with a shift in it.
        "print_statement" => flat.child_of_kind(at, "chevron").is_none(),
        "exec_statement" | "<>" => true,
        _ => false,
    };
    !profile.is_scb_check() && (0..flat.len()).any(is_old)
}
