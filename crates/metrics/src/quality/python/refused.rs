//! What the grammar takes and CPython 3.12 does not: the paper's code asks CPython and leaves such a file out whole.
//!
//! Not CPython's parser, but a list of what Python 2, later releases and slips of the pen write. It was held against
//! CPython 3.12 on the libraries of Python 2.7 to 3.13 and on the examples of its `test_syntax`; what is known to be
//! missing is said by `trajview metrics`.

use std::sync::LazyLock;
use trajview_code::{flat::Flat, tree::by_kind};

use super::{indents, literals, sloc::BYTE_ORDER_MARK};
use crate::quality::profile::Profile;

/// Whether CPython 3.12 finds no program in a file in which the grammar finds one. `scb-check` asks the grammar alone.
/// Ours takes what a later CPython takes, and a byte order mark.
pub fn is_refused(text: &str, flat: &Flat<'_>, profile: Profile) -> bool {
    if profile.is_scb_check() {
        return false;
    }
    let source = Source { text, flat, is_3_12: profile == Profile::ScbPaper };
    let is_marked = source.is_3_12 && text.starts_with(BYTE_ORDER_MARK);
    is_marked
        || text.contains('\0')
        || (0..flat.len()).any(|at| source.refuses(at))
        || indents::are_inconsistent(text, flat)
}

struct Source<'a> {
    text: &'a str,
    flat: &'a Flat<'a>,
    is_3_12: bool,
}

/// Whether a node is refused.
type Check = fn(&Source<'_>, usize) -> bool;

/// By kind.
static CHECKS: LazyLock<Vec<Option<Check>>> =
    LazyLock::new(|| by_kind(&tree_sitter_python::LANGUAGE.into(), check));

/// None for a kind of which nothing is refused.
fn check(kind: &str) -> Option<Check> {
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

impl Source<'_> {
    fn refuses(&self, at: usize) -> bool {
        let kind = usize::from(self.flat.entries[at].kind);
        CHECKS.get(kind).copied().flatten().is_some_and(|refuses| refuses(self, at))
    }

    fn text_of(&self, at: usize) -> &str {
        self.text.get(self.flat.node(at).byte_range()).unwrap_or_default()
    }

    fn statements(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let is_code =
            |child: &usize| !matches!(self.flat.kind(*child), "comment" | "line_continuation");
        self.flat.named_children(at).filter(is_code)
    }

    /// A head with nothing below it, as the next line is not indented.
    fn is_empty(&self, block: usize) -> bool {
        self.statements(block).next().is_none()
    }

    fn ends_without_handler(&self, statement: usize) -> bool {
        let is_handler = |child: usize| {
            matches!(
                self.flat.kind(child),
                "except_clause" | "except_group_clause" | "finally_clause"
            )
        };
        !self.flat.children(statement).any(is_handler)
    }

    /// `except` and `except*` of one `try`.
    fn mixes_groups(&self, statement: usize) -> bool {
        let clauses = self.flat.children(statement);
        let clauses = clauses.filter(|&child| self.flat.kind(child) == "except_clause");
        let mut kinds = clauses.map(|clause| self.flat.child_of_kind(clause, "*").is_some());
        let first = kinds.next();
        kinds.any(|is_group| Some(is_group) != first)
    }

    /// `except A, b:` names what is caught in Python 2, and catches both from 3.14 on.
    fn catches_several(&self, clause: usize) -> bool {
        let caught = self.statements(clause).filter(|&child| self.flat.kind(child) != "block");
        let count = caught.count();
        let is_bare_group = count == 0 && self.flat.child_of_kind(clause, "*").is_some();
        is_bare_group || (count > 1 && self.is_3_12)
    }

    /// A comma after the last name, with no parenthesis around them.
    fn ends_with_comma(&self, import: usize) -> bool {
        let last = self.flat.children(import).filter(|&at| self.flat.kind(at) != "comment").last();
        last.is_some_and(|last| self.flat.kind(last) == ",")
    }

    /// A tuple or a list on the left; one name in parentheses is no tuple.
    fn has_several_left(&self, at: usize) -> bool {
        let Some(left) = self.flat.children(at).next() else { return false };
        match self.flat.kind(left) {
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

    /// A plain argument after one with a name or `**`, or `*` after `**`.
    fn has_argument_after_keywords(&self, list: usize) -> bool {
        let (mut named, mut doubly) = (false, false);
        for child in self.statements(list) {
            match self.flat.kind(child) {
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

    /// Parameters in an order or a form that no `def` has.
    fn are_disordered(&self, list: usize) -> bool {
        let mut seen = Seen::default();
        let is_out_of_place = self.statements(list).any(|child| !seen.takes(self.form(child)));
        is_out_of_place || seen.after_star == Some(0)
    }

    fn form(&self, parameter: usize) -> Form {
        match self.flat.kind(parameter) {
            "tuple_pattern" | "list_pattern" => Form::Tuple,
            "default_parameter" | "typed_default_parameter" => {
                let name = self.flat.node(parameter).child_by_field_name("name");
                let is_tuple = name.is_some_and(|name| name.kind() == "tuple_pattern");
                if is_tuple { Form::Tuple } else { Form::Default }
            }
            "list_splat_pattern" => Form::Star,
            "dictionary_splat_pattern" => Form::DoubleStar,
            "keyword_separator" => Form::BareStar,
            "positional_separator" => Form::Slash,
            "typed_parameter" => {
                let inner = self.flat.named_children(parameter).next();
                inner.map_or(Form::Plain, |inner| self.form(inner))
            }
            _ => Form::Plain,
        }
    }
}

/// What a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Default,
    Star,
    BareStar,
    DoubleStar,
    Slash,
    /// Taken apart in place, in Python 2.
    Tuple,
}

/// What came before a parameter.
#[derive(Debug, Default)]
struct Seen {
    any: bool,
    default: bool,
    slash: bool,
    /// Parameters after a `*` that stands alone; none where there is no such.
    after_star: Option<usize>,
    star: bool,
    double_star: bool,
}

impl Seen {
    fn takes(&mut self, form: Form) -> bool {
        let may_stand = !self.double_star
            && match form {
                Form::Plain => self.star || !self.default,
                Form::Default | Form::DoubleStar => true,
                Form::Star | Form::BareStar => !self.star,
                Form::Slash => self.any && !self.slash && !self.star,
                Form::Tuple => false,
            };
        match form {
            Form::Plain | Form::Default => {
                self.after_star = self.after_star.map(|count| count + 1);
                self.default |= form == Form::Default;
            }
            Form::Star => self.star = true,
            Form::BareStar => (self.star, self.after_star) = (true, Some(0)),
            Form::DoubleStar => self.double_star = true,
            Form::Slash => self.slash = true,
            Form::Tuple => {}
        }
        self.any = true;
        may_stand
    }
}
