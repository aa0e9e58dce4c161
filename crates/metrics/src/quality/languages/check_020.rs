//! C++, Haskell, JavaScript, Rust, TypeScript and Zig as `scb-check` 0.2.0 measures them. Its lists differ from ours:
//! a switch is one path whatever its cases, and a function without a name takes the name of any assignment around it.

mod sloc;
mod symbols;

use crate::quality::node_span;
use std::{collections::BTreeMap, sync::LazyLock};
use trajview_code::flat_tree::FlatTree;

use crate::quality::{
    MIN_CLONE_LINES,
    file_measure::{CloneCandidate, FileMeasure, LineSet},
    kinds::{CLONE, COMMENT, GrammarKinds, KindNames},
    normalisation::{self, NodeFate, NormalisedFile},
    python_lines::PythonLines,
    wrappers::WrapperLinks,
};
use trajview_code::tree::Grammar;

/// The tables of that release for a language.
struct CheckDialect {
    grammar: Grammar,
    names: KindNames,
    /// Kinds of functions that take the name of an assignment.
    anonymous: &'static [&'static str],
    /// Kinds whose name is a part of the dotted names inside them, without being a class.
    contexts: &'static [&'static str],
    bodies: &'static [&'static str],
}

const IDENTIFIERS: &str = "identifier field_identifier property_identifier type_identifier \
    variable";

const SCRIPT: KindNames = KindNames {
    branches: "catch_clause if_statement switch_statement ternary_expression do_statement \
        for_in_statement for_statement while_statement",
    cases: "",
    operations: "binary_expression",
    callables: "arrow_function function_declaration generator_function \
        generator_function_declaration method_definition",
    owners: "class_declaration",
    clones: "arrow_function function_declaration generator_function generator_function_declaration \
        method_definition catch_clause if_statement switch_statement ternary_expression \
        do_statement for_in_statement for_statement while_statement",
    identifiers: IDENTIFIERS,
    literals: &[
        ("$STR", "string string_fragment template_string"),
        ("$LIT", "number regex"),
        ("$BOOL", "true false"),
        ("$NONE", "null undefined"),
    ],
    comments: "comment",
};

const DIALECTS: [CheckDialect; 6] = [
    CheckDialect {
        grammar: Grammar::Cpp,
        names: KindNames {
            branches: "catch_clause conditional_expression if_statement switch_statement \
                do_statement for_range_loop for_statement while_statement",
            cases: "",
            operations: "binary_expression",
            callables: "function_definition",
            owners: "class_specifier struct_specifier",
            clones: "function_definition catch_clause conditional_expression if_statement \
                switch_statement do_statement for_range_loop for_statement while_statement",
            identifiers: IDENTIFIERS,
            literals: &[
                ("$STR", "char_literal raw_string_literal string_content string_literal"),
                ("$LIT", "number_literal"),
                ("$FLOAT", "float_literal"),
                ("$BOOL", "true false"),
                ("$NONE", "null"),
            ],
            comments: "comment",
        },
        anonymous: &[],
        contexts: &[],
        bodies: &["compound_statement"],
    },
    CheckDialect {
        grammar: Grammar::Haskell,
        names: KindNames {
            branches: "case conditional guard",
            cases: "",
            operations: "infix",
            callables: "function",
            owners: "",
            clones: "function case conditional guard",
            identifiers: "constructor module_id variable",
            literals: &[("$STR", "char string"), ("$FLOAT", "float"), ("$LIT", "integer literal")],
            comments: "comment haddock",
        },
        anonymous: &[],
        contexts: &[],
        bodies: &["match"],
    },
    CheckDialect {
        grammar: Grammar::JavaScript,
        names: SCRIPT,
        anonymous: &["arrow_function", "generator_function"],
        contexts: &[],
        bodies: &["statement_block"],
    },
    CheckDialect {
        grammar: Grammar::Rust,
        names: KindNames {
            branches: "if_expression match_expression for_expression loop_expression \
                while_expression",
            cases: "",
            operations: "binary_expression",
            callables: "function_item",
            owners: "enum_item struct_item trait_item",
            clones: "for_expression function_item if_expression loop_expression match_expression \
                while_expression",
            identifiers: IDENTIFIERS,
            literals: &[
                ("$BOOL", "boolean_literal"),
                ("$STR", "char_literal raw_string_literal string_literal"),
                ("$FLOAT", "float_literal"),
                ("$LIT", "integer_literal"),
            ],
            comments: "block_comment line_comment",
        },
        anonymous: &[],
        contexts: &["impl_item"],
        bodies: &["block"],
    },
    CheckDialect {
        grammar: Grammar::TypeScript,
        names: SCRIPT,
        anonymous: &["arrow_function", "generator_function"],
        contexts: &[],
        bodies: &["statement_block"],
    },
    CheckDialect {
        grammar: Grammar::Zig,
        names: KindNames {
            branches: "if_statement switch_expression for_statement while_statement",
            cases: "",
            operations: "binary_expression",
            callables: "function_declaration",
            owners: "",
            clones: "function_declaration if_statement switch_expression for_statement \
                while_statement",
            identifiers: IDENTIFIERS,
            literals: &[
                ("$STR", "char_literal string string_content"),
                ("$FLOAT", "float"),
                ("$LIT", "integer"),
            ],
            comments: "comment",
        },
        anonymous: &[],
        contexts: &[],
        bodies: &["block"],
    },
];

static KINDS: LazyLock<BTreeMap<Grammar, GrammarKinds>> = LazyLock::new(|| {
    let kinds = |dialect: &CheckDialect| {
        Some((
            dialect.grammar,
            GrammarKinds::new(&dialect.grammar.tree_sitter_language()?, &dialect.names),
        ))
    };
    DIALECTS.iter().filter_map(kinds).collect()
});

/// Measures everything but rules, which that release has for Python only; empty for other languages.
pub(crate) fn measure_dialect(text: &str, flat: &FlatTree<'_>, grammar: Grammar) -> FileMeasure {
    let dialect = DIALECTS.iter().find(|dialect| dialect.grammar == grammar);
    let (Some(dialect), Some(kinds)) = (dialect, KINDS.get(&grammar)) else {
        return FileMeasure::default();
    };
    let lines = PythonLines::new(text);
    let sloc = sloc::source_lines(flat, kinds, &lines);
    let (symbols, callables) = symbols::symbols_and_callables(
        &symbols::DialectSource { text, flat, dialect, kinds },
        &sloc,
    );
    FileMeasure {
        lines: u32::try_from(lines.len()).unwrap_or(u32::MAX),
        loc: sloc.len(),
        callables,
        clones: clone_candidates(text, flat, kinds, &sloc),
        links: WrapperLinks { symbols, ..WrapperLinks::default() },
        sloc,
        ..FileMeasure::default()
    }
}

fn clone_candidates(
    text: &str,
    flat: &FlatTree<'_>,
    kinds: &GrammarKinds,
    sloc: &LineSet,
) -> Vec<CloneCandidate> {
    let is_comment = |at: usize| kinds.has_flags(flat.entries[at].kind, COMMENT);
    let fate = |at: usize| if is_comment(at) { NodeFate::Dropped } else { NodeFate::Kept };
    let mut normal = NormalisedFile::new(normalisation::NormalSource { text, flat, kinds }, fate);
    let pieces = (0..flat.len()).filter(|&at| kinds.has_flags(flat.entries[at].kind, CLONE));
    let candidate = |at| {
        let span = node_span(flat, at);
        let lines = sloc.count_within(span);
        (lines >= MIN_CLONE_LINES).then(|| CloneCandidate {
            hash: normal.hash_piece(at),
            span,
            lines,
        })
    };
    pieces.filter_map(candidate).collect()
}
