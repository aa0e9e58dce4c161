//! Recognises files that the grammar accepts and CPython 3.12 does not: the paper's code uses CPython and leaves out
//! such a file.
//!
//! This is not CPython's parser, but a list of syntax of Python 2, syntax of later releases, and common mistakes. It
//! was compared with CPython 3.12 on the libraries of Python 2.7 to 3.13 and on the examples of its `test_syntax`;
//! `trajview list metrics` lists what is known to be missing.

use std::sync::LazyLock;
use trajview_code::{flat_tree::FlatTree, tree::by_kind};

use super::{indents, literals, sloc::BYTE_ORDER_MARK};
use crate::quality::profile::QualityProfile;

/// Returns whether CPython 3.12 rejects a file that the grammar accepts. `scb-check` uses the grammar alone. Our
/// profile accepts the syntax of a later CPython, and a byte order mark.
pub fn is_refused(text: &str, flat: &FlatTree<'_>, profile: QualityProfile) -> bool {
    if profile.is_scb_check() {
        return false;
    }
    let source = CheckedSource { text, flat, is_3_12: profile == QualityProfile::ScbPaper };
    let is_marked = source.is_3_12 && text.starts_with(BYTE_ORDER_MARK);
    is_marked
        || text.contains('\0')
        || (0..flat.len()).any(|at| source.is_node_refused(at))
        || indents::are_inconsistent(text, flat)
}

struct CheckedSource<'a> {
    text: &'a str,
    flat: &'a FlatTree<'a>,
    is_3_12: bool,
}

/// A check that returns whether a node is rejected.
type NodeCheck = fn(&CheckedSource<'_>, usize) -> bool;

/// The check for each kind.
static CHECKS: LazyLock<Vec<Option<NodeCheck>>> =
    LazyLock::new(|| by_kind(&tree_sitter_python::LANGUAGE.into(), check_for_kind));

/// Returns the check for a kind; None for a kind that is never rejected.
fn check_for_kind(kind: &str) -> Option<NodeCheck> {
    Some(match kind {
        // `print >>file, x` is a tuple with a shift in it.
        "print_statement" => |it, at| it.flat.child_of_kind(at, "chevron").is_none(),
        "exec_statement" | "<>" => |_, _| true,
        "block" => |it, at| it.is_empty(at),
        "raise_statement" => |it, at| it.flat.child_of_kind(at, "expression_list").is_some(),
        "try_statement" => |it, at| it.ends_without_handler(at) || it.mixes_groups(at),
        "except_clause" => |it, at| it.catches_several(at),
        "parameters" | "lambda_parameters" => |it, at| it.are_disordered(at),
        "argument_list" => |it, at| it.has_argument_after_keywords(at),
        "import_from_statement" => |it, at| it.ends_with_comma(at),
        "augmented_assignment" => |it, at| it.has_several_left(at),
        "assignment" => |it, at| it.annotates_several(at),
        "delete_statement" => |it, at| it.deletes_call(at),
        "as_pattern_target" => |it, at| it.flat.child_of_kind(at, "call").is_some(),
        "integer" | "float" => |it, at| !literals::is_number(it.text_of(at)),
        "string" => |it, at| !literals::is_string(it.text, it.flat, at, it.is_3_12),
        "concatenated_string" => |it, at| literals::mixes_bytes(it.text, it.flat, at),
        _ => return None,
    })
}

impl CheckedSource<'_> {
    fn is_node_refused(&self, at: usize) -> bool {
        let kind = usize::from(self.flat.entries[at].kind);
        CHECKS.get(kind).copied().flatten().is_some_and(|refuses| refuses(self, at))
    }

    fn text_of(&self, at: usize) -> &str {
        self.text.get(self.flat.node(at).byte_range()).unwrap_or_default()
    }

    fn code_children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let is_code =
            |child: &usize| !matches!(self.flat.kind_name(*child), "comment" | "line_continuation");
        self.flat.named_children(at).filter(is_code)
    }

    /// Returns whether a block is empty, since the line after its head is not indented.
    fn is_empty(&self, block: usize) -> bool {
        self.code_children(block).next().is_none()
    }

    fn ends_without_handler(&self, statement: usize) -> bool {
        let is_handler = |child: usize| {
            matches!(
                self.flat.kind_name(child),
                "except_clause" | "except_group_clause" | "finally_clause"
            )
        };
        !self.flat.children(statement).any(is_handler)
    }

    /// Returns whether one `try` has both `except` and `except*`.
    fn mixes_groups(&self, statement: usize) -> bool {
        let clauses = self.flat.children(statement);
        let clauses = clauses.filter(|&child| self.flat.kind_name(child) == "except_clause");
        let mut kinds = clauses.map(|clause| self.flat.child_of_kind(clause, "*").is_some());
        let first = kinds.next();
        kinds.any(|is_group| Some(is_group) != first)
    }

    /// Recognises `except A, b:`, which binds the exception in Python 2, and catches both from 3.14 on.
    fn catches_several(&self, clause: usize) -> bool {
        let caught =
            self.code_children(clause).filter(|&child| self.flat.kind_name(child) != "block");
        let count = caught.count();
        let is_bare_group = count == 0 && self.flat.child_of_kind(clause, "*").is_some();
        is_bare_group || (count > 1 && self.is_3_12)
    }

    /// Returns whether an import ends with a comma and has no parentheses.
    fn ends_with_comma(&self, import: usize) -> bool {
        let last =
            self.flat.children(import).filter(|&at| self.flat.kind_name(at) != "comment").last();
        last.is_some_and(|last| self.flat.kind_name(last) == ",")
    }

    /// Returns whether the left side is a tuple or a list; one name in parentheses is no tuple.
    fn has_several_left(&self, at: usize) -> bool {
        let Some(left) = self.flat.children(at).next() else { return false };
        match self.flat.kind_name(left) {
            "list_pattern" | "pattern_list" => true,
            "tuple_pattern" => {
                let is_empty = self.flat.named_children(left).next().is_none();
                is_empty || self.flat.child_of_kind(left, ",").is_some()
            }
            _ => false,
        }
    }

    fn annotates_several(&self, at: usize) -> bool {
        let is_annotated = self.flat.node(at).child_by_field_name("type").is_some();
        is_annotated && self.has_several_left(at)
    }

    fn deletes_call(&self, statement: usize) -> bool {
        let targets = self.flat.child_of_kind(statement, "expression_list").unwrap_or(statement);
        self.flat.child_of_kind(targets, "call").is_some()
    }

    /// Returns whether a plain argument follows a keyword argument or `**`, or `*` follows `**`.
    fn has_argument_after_keywords(&self, list: usize) -> bool {
        let (mut named, mut doubly) = (false, false);
        for child in self.code_children(list) {
            match self.flat.kind_name(child) {
                "keyword_argument" => named = true,
                "dictionary_splat" => doubly = true,
                "list_splat" if doubly => return true,
                "list_splat" => {}
                _ if named || doubly => return true,
                _ => {}
            }
        }
        false
    }

    /// Returns whether the order or the form of the parameters is invalid.
    fn are_disordered(&self, list: usize) -> bool {
        let mut seen = SeenParameters::default();
        let is_out_of_place =
            self.code_children(list).any(|child| !seen.accepts_form(self.parameter_form(child)));
        is_out_of_place || seen.after_star == Some(0)
    }

    fn parameter_form(&self, parameter: usize) -> ParameterForm {
        match self.flat.kind_name(parameter) {
            "tuple_pattern" | "list_pattern" => ParameterForm::Tuple,
            "default_parameter" | "typed_default_parameter" => {
                let name = self.flat.node(parameter).child_by_field_name("name");
                let is_tuple = name.is_some_and(|name| name.kind() == "tuple_pattern");
                if is_tuple { ParameterForm::Tuple } else { ParameterForm::Default }
            }
            "list_splat_pattern" => ParameterForm::Star,
            "dictionary_splat_pattern" => ParameterForm::DoubleStar,
            "keyword_separator" => ParameterForm::BareStar,
            "positional_separator" => ParameterForm::Slash,
            "typed_parameter" => {
                let inner = self.flat.named_children(parameter).next();
                inner.map_or(ParameterForm::Plain, |inner| self.parameter_form(inner))
            }
            _ => ParameterForm::Plain,
        }
    }
}

/// The form of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParameterForm {
    Plain,
    Default,
    Star,
    BareStar,
    DoubleStar,
    Slash,
    /// A tuple that is unpacked in place, as in Python 2.
    Tuple,
}

/// The parameters before the current one.
#[derive(Debug, Default)]
struct SeenParameters {
    any: bool,
    default: bool,
    slash: bool,
    /// The number of parameters after a bare `*`; None where there is no bare `*`.
    after_star: Option<usize>,
    star: bool,
    double_star: bool,
}

impl SeenParameters {
    /// Returns whether a parameter of this form may follow the ones before it, and records it.
    fn accepts_form(&mut self, form: ParameterForm) -> bool {
        let may_stand = !self.double_star
            && match form {
                ParameterForm::Plain => self.star || !self.default,
                ParameterForm::Default | ParameterForm::DoubleStar => true,
                ParameterForm::Star | ParameterForm::BareStar => !self.star,
                ParameterForm::Slash => self.any && !self.slash && !self.star,
                ParameterForm::Tuple => false,
            };
        match form {
            ParameterForm::Plain | ParameterForm::Default => {
                self.after_star = self.after_star.map(|count| count + 1);
                self.default |= form == ParameterForm::Default;
            }
            ParameterForm::Star => self.star = true,
            ParameterForm::BareStar => (self.star, self.after_star) = (true, Some(0)),
            ParameterForm::DoubleStar => self.double_star = true,
            ParameterForm::Slash => self.slash = true,
            ParameterForm::Tuple => {}
        }
        self.any = true;
        may_stand
    }
}
