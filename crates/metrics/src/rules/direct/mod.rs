//! Rules matched over a flat tree.
//!
//! ast-grep asks the tree for each parent, child and brother, copies the names it has bound at each step and tries a
//! rule's parts in the order they stand. Here a rule is read once into tests ([`read`]), the cheap ones first, that
//! answer alike over [`Flat`]; what they cannot say is left to the library, rule by rule. A test holds both against each
//! other. The names are ast-grep's: a *pattern* is code with holes, a *relation* is `has`, `inside`, `precedes` or
//! `follows`.

mod bindings;
mod expression;
mod kinds;
mod needs;
mod pattern;
mod read;
mod relation;
mod tidy;

use bindings::Bindings;
use expression::Expression;
use kinds::KindSet;
pub use needs::Words;
use needs::{Has, Needs};
use pattern::Pattern;
use relation::Relation;
use trajview_code::flat::Flat;

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
    /// Without which a node is no match.
    needs_in_node: Needs,
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
        self.passes_over_comments && self.flat.node(at).is_extra()
    }
}

fn of_kind<'f>(by_kind: &'f [u32], starts: &[u32], kind: u16) -> &'f [u32] {
    let kind = usize::from(kind);
    let Some([from, to]) = starts.get(kind..kind + 2) else { return &[] };
    &by_kind[*from as usize..*to as usize]
}

impl Direct {
    fn of(test: Test, utils: Vec<Test>, constraints: Vec<(usize, Test)>, names: usize) -> Self {
        let (needs, needs_in_node) = (Needs::default(), Needs::default());
        Self { test, utils, constraints, names, needs, needs_in_node }
    }

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

    /// Which of some nodes, in order, match. Those that have none of the nodes of the file of which one is needed are not
    /// tried.
    pub fn matching<'f>(
        &'f self,
        file: &'f File<'f>,
        nodes: &'f [u32],
    ) -> impl Iterator<Item = usize> + 'f {
        let needed = self.needs_in_node.rarest(file);
        let last = needed.as_ref().map_or(Some(u32::MAX), |needed| needed.last().copied());
        let nodes = &nodes[..nodes.partition_point(|&at| last.is_some_and(|last| at <= last))];
        let mut next = 0;
        let mut has_needed = move |at: usize| {
            let Some(needed) = &needed else { return true };
            while needed.get(next).is_some_and(|&node| (node as usize) < at) {
                next += 1;
            }
            needed.get(next).is_some_and(|&node| node < file.flat.entries[at].after)
        };
        let mut rule = self.on(file);
        let nodes = nodes.iter().map(|&at| at as usize);
        nodes.filter(move |&at| has_needed(at) && rule.matches(at))
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
