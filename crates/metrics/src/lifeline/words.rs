//! Which nodes of a grammar define, bind, name and import, as data.
//!
//! Python, JavaScript, TypeScript and Rust have rows of their own; the other languages take what
//! [`crate::quality::ROWS`] knows of them. To add a language: a row of [`of`].

use std::{collections::BTreeMap, sync::LazyLock};

use tree_sitter::Language;

use crate::quality::{Row, flags_in};
use trajview_code::tree::Grammar;

/// A set of the constants below.
pub type Flags = u16;

pub const CLASS: Flags = 1;
pub const FUNCTION: Flags = 1 << 1;
/// A constant or variable, if it stands at the top of a file.
pub const VALUE: Flags = 1 << 2;
/// A name, used or not.
pub const NAME: Flags = 1 << 3;
pub const COMMENT: Flags = 1 << 4;
pub const IMPORT: Flags = 1 << 5;
/// What lies in it happens only sometimes.
pub const CONDITIONAL: Flags = 1 << 6;
/// Several names bound at once.
pub const PATTERN: Flags = 1 << 7;
/// Its begin and end say what belongs to what, where no bracket does.
pub const BLOCK: Flags = 1 << 8;
/// Names what lies in it, without being a symbol.
pub const SPACE: Flags = 1 << 9;
pub const EXPRESSION_STATEMENT: Flags = 1 << 10;
pub const STRING: Flags = 1 << 11;
/// The text of a string between its quotes.
pub const CONTENT: Flags = 1 << 12;
/// Of Rust: may hold tests.
pub const MODULE: Flags = 1 << 13;
pub const CONTINUATION: Flags = 1 << 14;
pub const TUPLE: Flags = 1 << 15;

/// What means the same in every grammar that has it.
const EVERYWHERE: [(Flags, &str); 6] = [
    (EXPRESSION_STATEMENT, "expression_statement"),
    (STRING, "string"),
    (CONTENT, "string_content"),
    (MODULE, "mod_item"),
    (CONTINUATION, "line_continuation"),
    (TUPLE, "tuple"),
];

/// Kind and field.
type Fields = &'static [(&'static str, &'static str)];

/// The kinds of a grammar by what they mean.
#[derive(Debug, Clone, Copy)]
struct Means {
    /// Kinds for each meaning, with spaces between them.
    kinds: &'static [(Flags, &'static str)],
    /// Where a name is the member of something: `object.name`.
    members: Fields,
    /// Where a name is given to something; a field of "" is any place in it.
    bindings: Fields,
    /// Where a name is a word for the reader: neither used nor given.
    labels: Fields,
}

/// The meaning of every kind of a grammar.
#[derive(Debug)]
pub struct Words {
    /// By kind, as all below.
    flags: Vec<Flags>,
    /// The field of the member's name.
    members: Vec<Option<FieldId>>,
    bindings: Vec<Vec<Binding>>,
    /// The field of a word for the reader.
    labels: Vec<Option<FieldId>>,
}

/// Where in its parent a name is given to something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    Anywhere,
    In(FieldId),
}

pub type FieldId = std::num::NonZeroU16;

impl Words {
    fn new(language: &Language, (row, others): (Means, &[(Flags, &str)])) -> Self {
        let kinds = || row.kinds.iter().chain(others).chain(&EVERYWHERE).copied();
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let flags = |id| match language.node_kind_for_id(id) {
            Some(name) if language.node_kind_is_named(id) => flags_in(kinds(), name),
            _ => 0,
        };
        let kind = |id| language.node_kind_for_id(id).unwrap_or_default();
        let id = |field: &str| language.field_id_for_name(field);
        let field_of = |rows: Fields| (0..count).map(move |at| id(fields(rows, kind(at)).next()?));
        let binding = |field| match field {
            "" => Some(Binding::Anywhere),
            field => id(field).map(Binding::In),
        };
        let bindings = |at| fields(row.bindings, kind(at)).filter_map(binding).collect();
        Self {
            flags: (0..count).map(flags).collect(),
            members: field_of(row.members).collect(),
            bindings: (0..count).map(bindings).collect(),
            labels: field_of(row.labels).collect(),
        }
    }

    /// None where the grammar is not compiled in.
    pub fn of(grammar: Grammar) -> Option<&'static Self> {
        static WORDS: LazyLock<BTreeMap<Grammar, Words>> = LazyLock::new(|| {
            let words = |grammar: Grammar| {
                let (row, others) = of(grammar)?;
                Some((grammar, Words::new(&grammar.language()?, (row, &others))))
            };
            Grammar::ALL.into_iter().filter_map(words).collect()
        });
        WORDS.get(&grammar)
    }

    pub fn has(&self, kind: u16, flags: Flags) -> bool {
        self.flags.get(usize::from(kind)).is_some_and(|has| has & flags != 0)
    }

    /// The field of a kind that holds the member's name.
    pub fn member(&self, kind: u16) -> Option<FieldId> {
        *self.members.get(usize::from(kind))?
    }

    pub fn bindings(&self, kind: u16) -> &[Binding] {
        self.bindings.get(usize::from(kind)).map_or(&[], Vec::as_slice)
    }

    pub fn label(&self, kind: u16) -> Option<FieldId> {
        *self.labels.get(usize::from(kind))?
    }
}

fn fields<'k>(rows: Fields, kind: &'k str) -> impl Iterator<Item = &'static str> + use<'k> {
    rows.iter().filter(move |(of, _)| *of == kind).map(|(_, field)| *field)
}

/// The row of a grammar, and what else its kinds mean.
fn of(grammar: Grammar) -> Option<(Means, Vec<(Flags, &'static str)>)> {
    match grammar {
        Grammar::Python => Some((PYTHON, vec![])),
        Grammar::JavaScript | Grammar::Tsx | Grammar::TypeScript => Some((SCRIPT, vec![])),
        Grammar::Rust => Some((RUST, vec![])),
        Grammar::Haskell | Grammar::Zig => None,
        Grammar::C | Grammar::Cpp | Grammar::Go | Grammar::Java => {
            let names = &Row::of(grammar)?.names;
            let symbols = [(CLASS, names.owners), (FUNCTION, names.callables)];
            let rest = [(NAME, names.identifiers), (COMMENT, names.comments)];
            Some((OTHER, [symbols, rest].concat()))
        }
    }
}

const PYTHON: Means = Means {
    kinds: &[
        (CLASS, "class_definition"),
        (FUNCTION, "function_definition"),
        (VALUE, "assignment"),
        (NAME, "identifier"),
        (COMMENT, "comment"),
        (IMPORT, "import_statement import_from_statement future_import_statement"),
        (CONDITIONAL, "if_statement elif_clause else_clause conditional_expression case_clause"),
        (
            PATTERN,
            "pattern_list tuple_pattern list_pattern list_splat_pattern \
            dictionary_splat_pattern",
        ),
        (BLOCK, "block"),
    ],
    members: &[("attribute", "attribute")],
    bindings: &[
        ("parameters", ""),
        ("lambda_parameters", ""),
        ("default_parameter", "name"),
        ("typed_default_parameter", "name"),
        ("typed_parameter", ""),
        ("assignment", "left"),
        ("for_statement", "left"),
        ("for_in_clause", "left"),
        ("named_expression", "name"),
        ("as_pattern_target", ""),
    ],
    labels: &[("keyword_argument", "name")],
};

const SCRIPT: Means = Means {
    kinds: &[
        (
            CLASS,
            "class_declaration abstract_class_declaration interface_declaration \
            enum_declaration",
        ),
        (FUNCTION, "function_declaration generator_function_declaration method_definition"),
        (VALUE, "variable_declarator type_alias_declaration"),
        (
            NAME,
            "identifier property_identifier private_property_identifier \
            shorthand_property_identifier type_identifier",
        ),
        (COMMENT, "comment html_comment hash_bang_line"),
        (IMPORT, "import_statement"),
        (CONDITIONAL, "if_statement else_clause ternary_expression switch_case switch_default"),
        (PATTERN, "array_pattern object_pattern rest_pattern"),
        (SPACE, "internal_module module"),
    ],
    members: &[("member_expression", "property"), ("nested_type_identifier", "name")],
    bindings: &[
        ("formal_parameters", ""),
        ("required_parameter", "pattern"),
        ("optional_parameter", "pattern"),
        ("arrow_function", "parameter"),
        ("variable_declarator", "name"),
        ("for_in_statement", "left"),
        ("catch_clause", "parameter"),
        ("assignment_pattern", "left"),
        ("object_assignment_pattern", "left"),
        ("pair_pattern", "value"),
    ],
    labels: &[
        ("pair", "key"),
        ("pair_pattern", "key"),
        ("public_field_definition", "name"),
        ("property_signature", "name"),
    ],
};

const RUST: Means = Means {
    kinds: &[
        (CLASS, "struct_item enum_item union_item trait_item type_item impl_item"),
        (FUNCTION, "function_item macro_definition"),
        (VALUE, "const_item static_item"),
        (NAME, "identifier field_identifier type_identifier shorthand_field_identifier"),
        (COMMENT, "line_comment block_comment"),
        (IMPORT, "use_declaration"),
        (CONDITIONAL, "if_expression else_clause match_arm"),
        (PATTERN, "tuple_pattern ref_pattern mut_pattern reference_pattern slice_pattern"),
        (SPACE, "mod_item"),
    ],
    members: &[
        ("field_expression", "field"),
        ("scoped_identifier", "name"),
        ("scoped_type_identifier", "name"),
    ],
    bindings: &[
        ("parameter", "pattern"),
        ("let_declaration", "pattern"),
        ("closure_parameters", ""),
        ("for_expression", "pattern"),
    ],
    labels: &[("field_initializer", "field"), ("field_declaration", "name")],
};

/// Names only: what is bound where is not known.
const OTHER: Means = Means {
    kinds: &[
        (IMPORT, "import_declaration preproc_include using_declaration"),
        (
            CONDITIONAL,
            "if_statement else_clause conditional_expression ternary_expression \
            case_statement",
        ),
    ],
    members: &[
        ("field_expression", "field"),
        ("selector_expression", "field"),
        ("field_access", "field"),
        ("method_invocation", "name"),
    ],
    bindings: &[("parameter_declaration", ""), ("formal_parameter", "name")],
    labels: &[],
};
