//! The table. Names of kinds are those of the grammars pinned in Cargo.toml.

use super::MeasuredLanguage;
use crate::quality::{kinds::KindNames, python};
use trajview_code::tree::Grammar;

/// One row per language, sorted by name.
pub static ROWS: &[MeasuredLanguage] = &[C, CPP, GO, JAVA, JAVASCRIPT, PYTHON, RUST, TYPESCRIPT];

const C_BRANCHES: &str = "if_statement for_statement while_statement do_statement \
    conditional_expression";
const C_LITERALS: &[(&str, &str)] = &[
    ("$STR", "string_literal char_literal concatenated_string system_lib_string"),
    ("$NUM", "number_literal"),
    ("$BOOL", "true false"),
    ("$NONE", "null"),
];
const LOGIC: &[&str] = &["&&", "||"];

const C: MeasuredLanguage = MeasuredLanguage {
    grammars: &[Grammar::C],
    names: KindNames {
        branches: C_BRANCHES,
        cases: "case_statement",
        operations: "binary_expression",
        callables: "function_definition",
        owners: "",
        clones: "function_definition if_statement for_statement while_statement do_statement \
            switch_statement",
        identifiers: "identifier field_identifier type_identifier statement_identifier",
        literals: C_LITERALS,
        comments: "comment",
    },
    operators: LOGIC,
    bears_errors: true,
    why: "each case but default is a path, as in McCabe's; #if is not, it is gone before the program runs; \
          a file is measured even where macros leave the grammar an error",
};

const CPP: MeasuredLanguage = MeasuredLanguage {
    grammars: &[Grammar::Cpp],
    names: KindNames {
        branches: "if_statement for_statement for_range_loop while_statement do_statement \
            conditional_expression catch_clause",
        cases: "case_statement",
        operations: "binary_expression",
        callables: "function_definition",
        owners: "class_specifier struct_specifier union_specifier namespace_definition",
        clones: "function_definition if_statement for_statement for_range_loop while_statement \
            do_statement switch_statement try_statement",
        identifiers: "identifier field_identifier type_identifier statement_identifier \
            namespace_identifier",
        literals: &[
            (
                "$STR",
                "string_literal raw_string_literal char_literal concatenated_string \
                system_lib_string",
            ),
            ("$NUM", "number_literal"),
            ("$BOOL", "true false"),
            ("$NONE", "null"),
        ],
        comments: "comment",
    },
    operators: &["&&", "||", "and", "or"],
    bears_errors: true,
    why: "as C, with catch as Python's except; && of a reference type is none; a lambda counts in the enclosing function",
};

const GO: MeasuredLanguage = MeasuredLanguage {
    grammars: &[Grammar::Go],
    names: KindNames {
        branches: "if_statement for_statement",
        cases: "expression_case type_case communication_case",
        operations: "binary_expression",
        callables: "function_declaration method_declaration",
        owners: "",
        clones: "function_declaration method_declaration if_statement for_statement \
            expression_switch_statement type_switch_statement select_statement",
        identifiers: "identifier field_identifier type_identifier package_identifier label_name",
        literals: &[
            ("$STR", "interpreted_string_literal raw_string_literal rune_literal"),
            ("$INT", "int_literal"),
            ("$FLOAT", "float_literal imaginary_literal"),
            ("$BOOL", "true false"),
            ("$NONE", "nil"),
        ],
        comments: "comment",
    },
    operators: LOGIC,
    bears_errors: false,
    why: "each case of a switch or select but default is a path; a function literal counts in the enclosing function",
};

const JAVA: MeasuredLanguage = MeasuredLanguage {
    grammars: &[Grammar::Java],
    names: KindNames {
        branches: "if_statement for_statement enhanced_for_statement while_statement do_statement \
            catch_clause ternary_expression assert_statement",
        cases: "switch_label",
        operations: "binary_expression",
        callables: "method_declaration constructor_declaration compact_constructor_declaration",
        owners: "class_declaration interface_declaration enum_declaration record_declaration \
            annotation_type_declaration",
        clones: "method_declaration constructor_declaration if_statement for_statement \
            enhanced_for_statement while_statement do_statement switch_expression try_statement \
            try_with_resources_statement synchronized_statement",
        identifiers: "identifier type_identifier",
        literals: &[
            ("$STR", "string_literal character_literal"),
            (
                "$INT",
                "decimal_integer_literal hex_integer_literal octal_integer_literal \
                binary_integer_literal",
            ),
            ("$FLOAT", "decimal_floating_point_literal hex_floating_point_literal"),
            ("$BOOL", "true false"),
            ("$NONE", "null_literal"),
        ],
        comments: "line_comment block_comment",
    },
    operators: LOGIC,
    bears_errors: false,
    why: "assert and catch as in Python; each label of a switch but default is a path; a method without a body is no \
          function; a lambda counts in the enclosing function",
};

const SCRIPT_CALLABLES: &str = "function_declaration generator_function_declaration \
    function_expression generator_function arrow_function method_definition";
const SCRIPT_BRANCHES: &str = "if_statement for_statement for_in_statement while_statement \
    do_statement catch_clause ternary_expression";
const SCRIPT_CLONES: &str = "function_declaration generator_function_declaration \
    function_expression generator_function arrow_function method_definition if_statement \
    for_statement for_in_statement while_statement do_statement switch_statement try_statement";
const SCRIPT_LITERALS: &[(&str, &str)] = &[
    ("$STR", "string template_string regex"),
    ("$NUM", "number"),
    ("$BOOL", "true false"),
    ("$NONE", "null undefined"),
];
const SCRIPT_OPERATIONS: &str = "binary_expression augmented_assignment_expression";
const SCRIPT_OPERATORS: &[&str] = &["&&", "||", "??", "&&=", "||=", "??="];

const JAVASCRIPT: MeasuredLanguage = MeasuredLanguage {
    grammars: &[Grammar::JavaScript],
    names: KindNames {
        branches: SCRIPT_BRANCHES,
        cases: "switch_case",
        operations: SCRIPT_OPERATIONS,
        callables: SCRIPT_CALLABLES,
        owners: "class_declaration class",
        clones: SCRIPT_CLONES,
        identifiers: "identifier property_identifier private_property_identifier \
            shorthand_property_identifier shorthand_property_identifier_pattern \
            statement_identifier",
        literals: SCRIPT_LITERALS,
        comments: "comment html_comment hash_bang_line",
    },
    operators: SCRIPT_OPERATORS,
    bears_errors: false,
    why: "an arrow or function that is given a name counts as that, others where they stand, as Python's lambdas; ?? \
          and the assignments by &&, || and ?? choose as || does, ?. only gives up",
};

const TYPESCRIPT: MeasuredLanguage = MeasuredLanguage {
    grammars: &[Grammar::Tsx, Grammar::TypeScript],
    names: KindNames {
        branches: SCRIPT_BRANCHES,
        cases: "switch_case",
        operations: SCRIPT_OPERATIONS,
        callables: SCRIPT_CALLABLES,
        owners: "class_declaration abstract_class_declaration class internal_module module",
        clones: SCRIPT_CLONES,
        identifiers: "identifier property_identifier private_property_identifier \
            shorthand_property_identifier shorthand_property_identifier_pattern \
            statement_identifier type_identifier",
        literals: SCRIPT_LITERALS,
        comments: "comment html_comment hash_bang_line",
    },
    operators: SCRIPT_OPERATORS,
    bears_errors: false,
    why: "as JavaScript; types add no path, nor do conditional types",
};

const RUST: MeasuredLanguage = MeasuredLanguage {
    grammars: &[Grammar::Rust],
    names: KindNames {
        branches: "if_expression while_expression for_expression loop_expression",
        cases: "match_arm",
        operations: "binary_expression let_chain",
        callables: "function_item",
        owners: "impl_item trait_item mod_item",
        clones: "function_item if_expression while_expression for_expression loop_expression \
            match_expression",
        identifiers: "identifier field_identifier type_identifier shorthand_field_identifier",
        literals: &[
            ("$STR", "string_literal raw_string_literal char_literal"),
            ("$INT", "integer_literal"),
            ("$FLOAT", "float_literal"),
            ("$BOOL", "boolean_literal"),
        ],
        comments: "line_comment block_comment",
    },
    operators: LOGIC,
    bears_errors: false,
    why: "each arm of a match but a bare _ is a path; ? is not, it passes an error on as an exception passes; a \
          closure counts in the enclosing function; what a macro is given is not looked into",
};

const PYTHON: MeasuredLanguage = MeasuredLanguage {
    grammars: &[Grammar::Python],
    names: python::NAMES,
    operators: &[],
    bears_errors: false,
    why: "SlopCodeBench's list: each and, or and comprehension is a path, an if in one is another; match and case are \
          none; a def below if, for, while, try, with or match counts in the enclosing function",
};
