//! Python, as SlopCodeBench measures it.

mod callables;
mod clones;
mod indents;
mod links;
mod literals;
mod node_kinds;
mod rejected_syntax;
mod sloc;

use std::sync::LazyLock;
use trajview_code::flat_tree::FlatTree;

use super::{
    file_measure::FileMeasure,
    kinds::{GrammarKinds, KindNames},
    profile::QualityProfile,
    python_lines::PythonLines,
};

/// The meanings of the kinds of tree-sitter-python 0.25.0 in every profile. `else`, `try`, `finally`, `with`, `match`
/// and `case` add no path; each `and` and `or` does.
pub const NAMES: KindNames = KindNames {
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

static KINDS: LazyLock<GrammarKinds> =
    LazyLock::new(|| GrammarKinds::new(&tree_sitter_python::LANGUAGE.into(), &NAMES));

pub use rejected_syntax::is_refused;

/// Measures everything but rules.
pub(crate) fn measure_python(
    text: &str,
    flat: &FlatTree<'_>,
    profile: QualityProfile,
) -> FileMeasure {
    let lines = PythonLines::new(text);
    let sloc = sloc::source_lines(text, flat, &lines, profile);
    FileMeasure {
        lines: u32::try_from(lines.len()).unwrap_or(u32::MAX),
        loc: sloc::count_loc(text, flat, &lines),
        callables: callables::python_callables(text, flat, &sloc, profile),
        clones: clones::clone_candidates(text, flat, &sloc, profile),
        links: links::file_links(text, flat, profile),
        sloc,
        ..FileMeasure::default()
    }
}
