//! Tables of the nodes of each grammar that define, bind, name and import.
//!
//! Python, JavaScript, TypeScript and Rust have rows of their own; the other languages use the tables of
//! [`crate::quality::ROWS`]. To add a language, add a row to [`row_for_grammar`].

use std::{collections::BTreeMap, sync::LazyLock};

use tree_sitter::Language;

use crate::quality::{MeasuredLanguage, flags_in};
use trajview_code::tree::Grammar;

/// A set of the constants below.
pub type NameFlags = u16;

pub(crate) const CLASS: NameFlags = 1;
pub const FUNCTION: NameFlags = 1 << 1;
/// A constant or variable, if it stands at the top of a file.
pub const VALUE: NameFlags = 1 << 2;
/// A name, used or not.
pub const NAME: NameFlags = 1 << 3;
pub(crate) const COMMENT: NameFlags = 1 << 4;
pub(crate) const IMPORT: NameFlags = 1 << 5;
/// The code inside it runs only sometimes.
pub(crate) const CONDITIONAL: NameFlags = 1 << 6;
/// Several names bound at once.
pub(crate) const PATTERN: NameFlags = 1 << 7;
/// Its begin and end give the structure, where no bracket does.
pub const BLOCK: NameFlags = 1 << 8;
/// Adds its name to the names inside it, without being a symbol.
pub(crate) const SPACE: NameFlags = 1 << 9;
pub(crate) const EXPRESSION_STATEMENT: NameFlags = 1 << 10;
pub(crate) const STRING: NameFlags = 1 << 11;
/// The text of a string between its quotes.
pub(crate) const CONTENT: NameFlags = 1 << 12;
/// A module of Rust, which may contain tests.
pub const MODULE: NameFlags = 1 << 13;
pub(crate) const CONTINUATION: NameFlags = 1 << 14;
pub(crate) const TUPLE: NameFlags = 1 << 15;

/// Kinds that mean the same in every grammar that has them.
const EVERYWHERE: [(NameFlags, &str); 6] = [
    (EXPRESSION_STATEMENT, "expression_statement"),
    (STRING, "string"),
    (CONTENT, "string_content"),
    (MODULE, "mod_item"),
    (CONTINUATION, "line_continuation"),
    (TUPLE, "tuple"),
];

/// Pairs of kind and field.
type KindFields = &'static [(&'static str, &'static str)];

/// The kinds of a grammar by what they mean.
#[derive(Debug, Clone, Copy)]
struct MeaningRow {
    /// Kinds for each meaning, with spaces between them.
    kinds: &'static [(NameFlags, &'static str)],
    /// The fields in which a name is the member of an object: `object.name`.
    members: KindFields,
    /// The fields in which a name is bound; the field "" means any place in the node.
    bindings: KindFields,
    /// The fields in which a name is only a label, such as a keyword argument: neither used nor bound.
    labels: KindFields,
}

/// The meaning of every kind of a grammar.
#[derive(Debug)]
pub struct KindMeanings {
    /// Indexed by kind, like all fields below.
    flags: Vec<NameFlags>,
    /// The field of the member's name.
    members: Vec<Option<FieldId>>,
    bindings: Vec<Vec<NameBinding>>,
    /// The field of a label.
    labels: Vec<Option<FieldId>>,
}

/// The part of a node in which a name is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameBinding {
    Anywhere,
    In(FieldId),
}

/// The number of a field in a grammar.
pub type FieldId = std::num::NonZeroU16;

impl KindMeanings {
    fn new(language: &Language, (row, others): (MeaningRow, &[(NameFlags, &str)])) -> Self {
        let kinds = || row.kinds.iter().chain(others).chain(&EVERYWHERE).copied();
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let flags = |id| match language.node_kind_for_id(id) {
            Some(name) if language.node_kind_is_named(id) => flags_in(kinds(), name),
            _ => 0,
        };
        let kind = |id| language.node_kind_for_id(id).unwrap_or_default();
        let id = |field: &str| language.field_id_for_name(field);
        let field_of =
            |rows: KindFields| (0..count).map(move |at| id(fields_of_kind(rows, kind(at)).next()?));
        let binding = |field| match field {
            "" => Some(NameBinding::Anywhere),
            field => id(field).map(NameBinding::In),
        };
        let bindings = |at| fields_of_kind(row.bindings, kind(at)).filter_map(binding).collect();
        Self {
            flags: (0..count).map(flags).collect(),
            members: field_of(row.members).collect(),
            bindings: (0..count).map(bindings).collect(),
            labels: field_of(row.labels).collect(),
        }
    }

    /// Returns the meanings of the kinds of a grammar; None where it is not compiled in.
    pub(crate) fn for_grammar(grammar: Grammar) -> Option<&'static Self> {
        static WORDS: LazyLock<BTreeMap<Grammar, KindMeanings>> = LazyLock::new(|| {
            let words = |grammar: Grammar| {
                let (row, others) = row_for_grammar(grammar)?;
                Some((grammar, KindMeanings::new(&grammar.tree_sitter_language()?, (row, &others))))
            };
            Grammar::ALL.into_iter().filter_map(words).collect()
        });
        WORDS.get(&grammar)
    }

    pub fn has_flags(&self, kind: u16, flags: NameFlags) -> bool {
        self.flags.get(usize::from(kind)).is_some_and(|has| has & flags != 0)
    }

    /// Returns the field of a kind that has the member's name.
    pub(crate) fn member_field(&self, kind: u16) -> Option<FieldId> {
        *self.members.get(usize::from(kind))?
    }

    /// Returns the parts of a kind in which names are bound.
    pub fn bindings_of(&self, kind: u16) -> &[NameBinding] {
        self.bindings.get(usize::from(kind)).map_or(&[], Vec::as_slice)
    }

    /// Returns the field of a kind that is only a label.
    pub(crate) fn label_field(&self, kind: u16) -> Option<FieldId> {
        *self.labels.get(usize::from(kind))?
    }
}

fn fields_of_kind<'k>(
    rows: KindFields,
    kind: &'k str,
) -> impl Iterator<Item = &'static str> + use<'k> {
    rows.iter().filter(move |(of, _)| *of == kind).map(|(_, field)| *field)
}

/// Returns the row of a grammar, and further meanings of its kinds.
fn row_for_grammar(grammar: Grammar) -> Option<(MeaningRow, Vec<(NameFlags, &'static str)>)> {
    match grammar {
        Grammar::Python => Some((PYTHON, vec![])),
        Grammar::JavaScript | Grammar::Tsx | Grammar::TypeScript => Some((SCRIPT, vec![])),
        Grammar::Rust => Some((RUST, vec![])),
        Grammar::Haskell | Grammar::Zig => None,
        Grammar::C | Grammar::Cpp | Grammar::Go | Grammar::Java => {
            let names = &MeasuredLanguage::for_grammar(grammar)?.names;
            let symbols = [(CLASS, names.owners), (FUNCTION, names.callables)];
            let rest = [(NAME, names.identifiers), (COMMENT, names.comments)];
            Some((OTHER, [symbols, rest].concat()))
        }
    }
}

const PYTHON: MeaningRow = MeaningRow {
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

const SCRIPT: MeaningRow = MeaningRow {
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

const RUST: MeaningRow = MeaningRow {
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

/// Languages of which only names are known, not their bindings.
const OTHER: MeaningRow = MeaningRow {
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
