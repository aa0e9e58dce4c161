//! Rules matched over a flat tree.
//!
//! ast-grep asks the tree for each parent, child and brother, copies the names it has bound at each step and tries a
//! rule's parts in the order they stand. Here a rule is read once into tests ([`read`]), the cheap ones first, that
//! answer alike over [`Flat`]; what they cannot say is left to the library, rule by rule. A test holds both against each
//! other. The names are ast-grep's: a *pattern* is code with holes, a *relation* is `has`, `inside`, `precedes` or
//! `follows`.

mod bindings;
mod kinds;
mod needs;
mod pattern;
mod read;
mod relation;
mod tidy;

use std::sync::OnceLock;

use memchr::memmem::Finder;
use regex::{Regex, bytes};
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::code::flat::Flat;
use bindings::Bindings;
use kinds::KindSet;
pub use needs::Words;
use needs::{Has, Needs};
use pattern::Pattern;
use relation::Relation;

/// A rule, ready to match.
#[derive(Debug)]
pub struct Direct {
    test: Test,
    /// What `matches` names, by place.
    utils: Vec<Test>,
    /// What must hold of the node that a name is bound to.
    constraints: Vec<(usize, Test)>,
    /// How many names its patterns bind.
    names: usize,
    /// Without which a file has no match.
    needs: Needs,
}

/// What must hold of a node.
#[derive(Debug)]
enum Test {
    Kinds(KindSet),
    Pattern(Pattern),
    Regex(Box<Expression>),
    Nth(Nth),
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Box<Test>),
    /// One of [`Direct::utils`].
    Util(usize),
    Relation(Box<Relation>),
}

/// A regular expression that can be made ready. It is made ready when it is first asked: most files ask few.
#[derive(Debug)]
struct Expression {
    text: String,
    ready: OnceLock<Ready>,
}

/// A regular expression that was made ready.
#[derive(Debug)]
struct Ready {
    /// Without which no text matches: cheaper to look for than the whole.
    literal: Option<Finder<'static>>,
    /// None where it cannot be made ready.
    regex: OnceLock<Option<Regex>>,
    /// For text that is ASCII alone; None where it might say otherwise there. Its classes are a few ranges instead of those
    /// of all scripts, so that it is ready in a tenth of the time.
    of_ascii: OnceLock<Option<bytes::Regex>>,
}

/// The place of a node among the named children of its parent, counted from 1.
#[derive(Debug)]
struct Nth {
    place: usize,
    is_from_the_end: bool,
}

/// A file as rules see it.
#[derive(Debug)]
pub struct File<'f> {
    pub flat: &'f Flat<'f>,
    pub text: &'f str,
    /// Whether a pattern passes over comments.
    pub passes_over_comments: bool,
    /// Whether all of the text is ASCII.
    is_ascii: bool,
    /// Indices of the nodes, in order, those of a kind side by side.
    by_kind: Vec<u32>,
    /// Where those of each kind begin; one more at the end.
    starts: Vec<u32>,
    has: Has,
}

/// A rule at work on a file: what its tests need to know beside the node.
#[derive(Debug)]
pub struct Match<'f> {
    file: &'f File<'f>,
    rule: &'f Direct,
    bindings: Bindings,
    /// Of the pattern that is being matched.
    is_exact: bool,
}

impl<'f> File<'f> {
    /// `words` are those of the rules.
    pub fn new(
        flat: &'f Flat<'f>,
        text: &'f str,
        passes_over_comments: bool,
        words: &Words,
    ) -> Self {
        // What the grammar could not read has a number past all others, and stands in no list.
        let kinds = flat.kinds();
        let listed = || (0..).zip(&flat.entries).filter(|(_, it)| usize::from(it.kind) < kinds);
        let mut starts = vec![0_u32; kinds + 1];
        listed().for_each(|(_, entry)| starts[usize::from(entry.kind) + 1] += 1);
        (0..kinds).for_each(|kind| starts[kind + 1] += starts[kind]);
        let mut next = starts.clone();
        let mut by_kind = vec![0; flat.len()];
        for (at, entry) in listed() {
            let next = &mut next[usize::from(entry.kind)];
            by_kind[*next as usize] = at;
            *next += 1;
        }
        let has = words.of_file(flat, text, |kind| of_kind(&by_kind, &starts, kind));
        Self { flat, text, passes_over_comments, is_ascii: text.is_ascii(), by_kind, starts, has }
    }

    /// Indices of the nodes of a kind, in order.
    pub fn of_kind(&self, kind: u16) -> &[u32] {
        of_kind(&self.by_kind, &self.starts, kind)
    }

    fn text_of(&self, at: usize) -> &'f str {
        self.flat.text_of(self.text, at)
    }

    /// Whether a pattern does not see the node.
    fn is_passed_over(&self, at: usize) -> bool {
        self.passes_over_comments && self.flat.entries[at].node.is_extra()
    }
}

fn of_kind<'f>(by_kind: &'f [u32], starts: &[u32], kind: u16) -> &'f [u32] {
    let kind = usize::from(kind);
    let Some([from, to]) = starts.get(kind..kind + 2) else { return &[] };
    &by_kind[*from as usize..*to as usize]
}

impl Direct {
    /// Whether it may match anywhere in a file.
    pub fn may_match(&self, file: &File<'_>) -> bool {
        self.needs.are_met(file)
    }

    /// Kinds of the nodes that it may match; None where it might match any.
    pub fn kinds(&self) -> Option<Vec<u16>> {
        Some(self.test.kinds(&self.utils, 0)?.kinds().collect())
    }

    pub fn on<'f>(&'f self, file: &'f File<'f>) -> Match<'f> {
        Match { file, rule: self, bindings: Bindings::new(self.names), is_exact: false }
    }
}

impl Match<'_> {
    /// Whether the rule matches a node.
    pub fn matches(&mut self, at: usize) -> bool {
        let rule = self.rule;
        let matches =
            self.holds(&rule.test, at) && rule.constraints.iter().all(|one| self.is_kept(one));
        self.bindings.undo(0);
        matches
    }

    /// What a test binds is undone where it does not hold.
    fn holds(&mut self, test: &Test, at: usize) -> bool {
        match test {
            Test::Kinds(kinds) => kinds.has(self.file.flat.entries[at].kind),
            Test::Pattern(pattern) => self.undone_unless(|this| pattern.matches(this, at)),
            Test::Regex(expression) => expression.is_in(self.file.text_of(at), self.file.is_ascii),
            Test::Nth(nth) => nth.holds(self.file.flat, at),
            Test::All(tests) => {
                self.undone_unless(|this| tests.iter().all(|test| this.holds(test, at)))
            }
            Test::Any(tests) => tests.iter().any(|test| self.holds(test, at)),
            Test::Not(test) => {
                let before = self.bindings.mark();
                let holds = self.holds(test, at);
                self.bindings.undo(before);
                !holds
            }
            Test::Util(place) => {
                self.rule.utils.get(*place).is_some_and(|test| self.holds(test, at))
            }
            Test::Relation(relation) => relation.holds(self, at),
        }
    }

    fn undone_unless(&mut self, holds: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = self.bindings.mark();
        let holds = holds(self);
        if !holds {
            self.bindings.undo(before);
        }
        holds
    }

    /// As if nothing were bound yet, and binding nothing.
    fn holds_alone(&mut self, test: &Test, at: usize) -> bool {
        self.rule.on(self.file).holds(test, at)
    }

    fn is_kept(&mut self, (name, test): &(usize, Test)) -> bool {
        self.bindings.one(*name).is_none_or(|at| self.holds(test, at))
    }
}

impl Expression {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), ready: OnceLock::new() }
    }

    /// Whether it is well written and surely stays below the library's limit, 10 MB once it is ready.
    fn is_sound(&self) -> bool {
        const MOST_STATES: usize = 60_000;
        regex_syntax::parse(&self.text).is_ok_and(|hir| states(&hir) <= MOST_STATES)
    }

    /// `is_ascii` says that the text surely is; without that it is looked at.
    fn is_in(&self, text: &str, is_ascii: bool) -> bool {
        let ready = self.ready.get_or_init(|| {
            let literal = regex_syntax::parse(&self.text).ok().and_then(|hir| literal(&hir));
            Ready {
                literal: literal.map(|it| Finder::new(&it).into_owned()),
                regex: OnceLock::new(),
                of_ascii: OnceLock::new(),
            }
        });
        let may_match = |literal: &Finder<'_>| literal.find(text.as_bytes()).is_some();
        if !ready.literal.as_ref().is_none_or(may_match) {
            return false;
        }
        if is_ascii && let Some(regex) = ready.of_ascii.get_or_init(|| of_ascii(&self.text)) {
            return regex.is_match(text.as_bytes());
        }
        let regex = ready.regex.get_or_init(|| Regex::new(&self.text).ok());
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

/// The same expression without what it says of other characters than those of ASCII. None unless it surely says the same
/// of a text that has no others: none that ignores case, as `k` is the Kelvin sign then, and none that names characters by
/// number or by property.
fn of_ascii(text: &str) -> Option<bytes::Regex> {
    let is_plain = |(at, c): (usize, char)| match c {
        '(' => text[at + 1..].strip_prefix('?').is_none_or(|flags| flags.starts_with(':')),
        '\\' => text[at + 1..].starts_with(|c: char| {
            c.is_ascii_punctuation()
                || matches!(c, 's' | 'S' | 'w' | 'W' | 'd' | 'D' | 'b' | 'n' | 't')
        }),
        c => c.is_ascii(),
    };
    let is_same = text.char_indices().all(is_plain);
    is_same.then(|| bytes::RegexBuilder::new(text).unicode(false).build().ok()).flatten()
}

impl Test {
    /// Whether the library surely takes what is in it: every regular expression can be made ready.
    fn is_surely_taken(&self) -> bool {
        match self {
            Self::Kinds(_) | Self::Pattern(_) | Self::Util(_) => true,
            Self::Regex(expression) => expression.is_sound(),
            Self::Nth(nth) => nth.place > 0,
            Self::All(tests) | Self::Any(tests) => tests.iter().all(Self::is_surely_taken),
            Self::Not(test) => test.is_surely_taken(),
            Self::Relation(relation) => relation.is_surely_taken(),
        }
    }
}

/// The longest piece of text that is in whatever a regular expression matches.
fn literal(hir: &Hir) -> Option<Vec<u8>> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(literal.0.to_vec()),
        HirKind::Capture(capture) => literal(&capture.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => literal(&repeated.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(literal).max_by_key(Vec::len),
        HirKind::Empty
        | HirKind::Class(_)
        | HirKind::Look(_)
        | HirKind::Repetition(_)
        | HirKind::Alternation(_) => None,
    }
}

/// At least as many states as a regular expression takes once it is ready, of less than 100 bytes each.
fn states(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().map(|range| states_of_range(range.start(), range.end())).sum()
        }
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() + 1,
        HirKind::Repetition(repeated) => {
            let times = repeated.max.unwrap_or(repeated.min.saturating_add(1)).max(1);
            states(&repeated.sub).saturating_add(2).saturating_mul(times as usize)
        }
        HirKind::Capture(capture) => states(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(states).fold(1, usize::saturating_add)
        }
    }
}

/// A range of characters is sequences of ranges of bytes: one where only the last byte differs, else at most two for each
/// byte but the last, and one.
fn states_of_range(start: char, end: char) -> usize {
    let bytes = end.len_utf8();
    if start.len_utf8() < bytes {
        // In several lengths.
        return (1..=bytes).map(|bytes| bytes * (2 * bytes - 1)).sum();
    }
    let has_one = u32::from(start) >> 6 == u32::from(end) >> 6;
    if has_one { bytes } else { bytes * (2 * bytes - 1) }
}

impl Nth {
    fn holds(&self, flat: &Flat<'_>, at: usize) -> bool {
        let Some(parent) = flat.parent(at) else { return false };
        if !flat.entries[at].is_named {
            return false;
        }
        let is_counted = |child: &usize| (*child > at) == self.is_from_the_end && *child != at;
        flat.named_children(parent).filter(is_counted).count() + 1 == self.place
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces that expressions of rules are made of.
    const PIECES: [&str; 24] = [
        r"\s", r"\S", r"\w", r"\W", r"\d", r"\D", r"\b", r"\.", r"\[", r"\n", ".", "^", "$",
        "[^}]", "[a-k]", "(?:if|K)", "(a|_)", "x", "k", "+", "*?", "{2}", "|", r"\\",
    ];

    proptest! {
        #[test]
        fn of_a_text_of_ascii_both_expressions_say_the_same(
            pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 1..8),
            text in "[ -~\\t\\n\x0b\x0c\r\x1c-\x1f\x7f]{0,24}|[a-kxK_ \n.]{0,24}",
        ) {
            let expression = pieces.concat();
            if let (Ok(usual), Some(of_ascii)) = (Regex::new(&expression), of_ascii(&expression)) {
                prop_assert_eq!(
                    of_ascii.is_match(text.as_bytes()),
                    usual.is_match(&text),
                    "{:?} in {:?}", expression, text
                );
            }
        }
    }

    #[test]
    fn what_rules_usually_ask_has_an_expression_for_ascii() {
        let usual = [
            r"^return\s+None\s*$",
            r"(except\s+Exception[\s:][\s\S]*){2,}",
            r"\.(items|keys)$",
            "(?:a|b)",
        ];

        assert_eq!(
            usual.into_iter().filter(|text| of_ascii(text).is_none()).collect::<Vec<_>>(),
            [""; 0]
        );
    }

    #[test]
    fn what_might_say_otherwise_of_ascii_is_left_as_it_is() {
        let left =
            ["(?i)k", r"\u{212a}", r"\x6b", r"\p{Lu}", r"\PM", "\u{e9}", "a(?x) b", "(?<n>a)"];

        assert_eq!(
            left.into_iter().filter(|text| of_ascii(text).is_some()).collect::<Vec<_>>(),
            [""; 0]
        );
    }

    #[test]
    fn an_expression_is_asked_of_text_of_any_script() {
        let expression = Expression::new(r"^\w+$");

        assert!(expression.is_in("caf\u{e9}", false) && expression.is_in("cafe", true));
        assert!(!expression.is_in("caf\u{2019}", false) && !expression.is_in("a b", true));
    }
}
