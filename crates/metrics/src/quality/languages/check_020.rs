//! C++, Haskell, JavaScript, Rust, TypeScript and Zig as `scb-check` 0.2.0 measures them. Its lists differ from ours: a switch is one
//! path whatever its cases, a function without a name takes that of any assignment around it.

mod sloc;
mod symbols;

use crate::quality::span;
use std::{collections::BTreeMap, sync::LazyLock};
use trajview_code::flat::Flat;

use crate::quality::{
    MIN_CLONE_LINES,
    file::{CloneCandidate, FileMeasure, LineSet},
    kinds::{CLONE, COMMENT, Kinds, Names},
    normal::{self, Fate, Normal},
    text::Lines,
    wrappers::Links,
};
use trajview_code::tree::Grammar;

/// What that release knows of a language.
struct Dialect {
    grammar: Grammar,
    names: Names,
    /// Functions that take the name of an assignment.
    anonymous: &'static [&'static str],
    /// Name what lies in them without being a class.
    contexts: &'static [&'static str],
    bodies: &'static [&'static str],
}

const IDENTIFIERS: &str = "identifier field_identifier property_identifier type_identifier \
    variable";

const SCRIPT: Names = Names {
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

const DIALECTS: [Dialect; 6] = [
    Dialect {
        grammar: Grammar::Cpp,
        names: Names {
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
    Dialect {
        grammar: Grammar::Haskell,
        names: Names {
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
    Dialect {
        grammar: Grammar::JavaScript,
        names: SCRIPT,
        anonymous: &["arrow_function", "generator_function"],
        contexts: &[],
        bodies: &["statement_block"],
    },
    Dialect {
        grammar: Grammar::Rust,
        names: Names {
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
    Dialect {
        grammar: Grammar::TypeScript,
        names: SCRIPT,
        anonymous: &["arrow_function", "generator_function"],
        contexts: &[],
        bodies: &["statement_block"],
    },
    Dialect {
        grammar: Grammar::Zig,
        names: Names {
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

static KINDS: LazyLock<BTreeMap<Grammar, Kinds>> = LazyLock::new(|| {
    let kinds = |dialect: &Dialect| {
        Some((dialect.grammar, Kinds::new(&dialect.grammar.language()?, &dialect.names)))
    };
    DIALECTS.iter().filter_map(kinds).collect()
});

/// Everything but rules, which that release has for Python only. Empty for other languages.
pub fn measure(text: &str, flat: &Flat<'_>, grammar: Grammar) -> FileMeasure {
    let dialect = DIALECTS.iter().find(|dialect| dialect.grammar == grammar);
    let (Some(dialect), Some(kinds)) = (dialect, KINDS.get(&grammar)) else {
        return FileMeasure::default();
    };
    let lines = Lines::of(text);
    let sloc = sloc::lines(flat, kinds, &lines);
    let (symbols, callables) = symbols::all(&symbols::Source { text, flat, dialect, kinds }, &sloc);
    FileMeasure {
        lines: u32::try_from(lines.len()).unwrap_or(u32::MAX),
        loc: sloc.len(),
        callables,
        clones: clones(text, flat, kinds, &sloc),
        links: Links { symbols, ..Links::default() },
        sloc,
        ..FileMeasure::default()
    }
}

fn clones(text: &str, flat: &Flat<'_>, kinds: &Kinds, sloc: &LineSet) -> Vec<CloneCandidate> {
    let is_comment = |at: usize| kinds.has(flat.entries[at].kind, COMMENT);
    let fate = |at: usize| if is_comment(at) { Fate::Dropped } else { Fate::Kept };
    let mut normal = Normal::of(normal::Source { text, flat, kinds }, fate);
    let pieces = (0..flat.len()).filter(|&at| kinds.has(flat.entries[at].kind, CLONE));
    let candidate = |at| {
        let span = span(flat, at);
        let lines = sloc.count_within(span);
        (lines >= MIN_CLONE_LINES).then(|| CloneCandidate { hash: normal.hash(at), span, lines })
    };
    pieces.filter_map(candidate).collect()
}
