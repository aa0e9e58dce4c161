//! Rules matched over a flat tree.
//!
//! ast-grep fetches each parent, child and sibling from the tree, copies the bound names at each step and tries a
//! rule's parts in their written order. Here a rule is converted once into tests ([`rule_reader`]), the cheap ones first,
//! which give the same results over [`FlatTree`]; rules that cannot be expressed so are left to the library. A test
//! compares the two. The names are ast-grep's: a *pattern* is code with holes, a *relation* is `has`, `inside`,
//! `precedes` or `follows`.

mod bindings;
mod expression;
mod kinds;
mod pattern;
mod relation;
mod rule_needs;
mod rule_reader;
mod test_order;

use bindings::NameBindings;
use expression::RuleRegex;
use kinds::KindSet;
use pattern::RulePattern;
use relation::NodeRelation;
pub use rule_needs::PatternWords;
use rule_needs::{PresentParts, RuleNeeds};
use trajview_code::flat_tree::FlatTree;

/// A rule, ready to match.
#[derive(Debug)]
pub struct DirectRule {
    test: NodeTest,
    /// The utility rules that `matches` names, by place.
    utils: Vec<NodeTest>,
    /// Tests for the nodes that names are bound to.
    constraints: Vec<(usize, NodeTest)>,
    /// The number of names that its patterns bind.
    names: usize,
    /// A condition without which a file has no match.
    needs: RuleNeeds,
    /// A condition without which a node is no match.
    needs_in_node: RuleNeeds,
}

/// A test of a node.
#[derive(Debug)]
enum NodeTest {
    Kinds(KindSet),
    Pattern(RulePattern),
    Regex(Box<RuleRegex>),
    Nth(NthChild),
    All(Vec<NodeTest>),
    Any(Vec<NodeTest>),
    Not(Box<NodeTest>),
    /// A utility rule: an index into [`DirectRule::utils`].
    Util(usize),
    Relation(Box<NodeRelation>),
}

/// The place of a node among the named children of its parent, counted from 1.
#[derive(Debug)]
struct NthChild {
    place: usize,
    is_from_the_end: bool,
}

/// A file as rules see it.
#[derive(Debug)]
pub struct ScannedFile<'f> {
    pub flat: &'f FlatTree<'f>,
    pub text: &'f str,
    /// True where patterns skip comments.
    pub passes_over_comments: bool,
    /// True where all of the text is ASCII.
    is_ascii: bool,
    /// Indices of the nodes, grouped by kind, in order.
    by_kind: Vec<u32>,
    /// The start of each kind's group, with one more element at the end.
    starts: Vec<u32>,
    has: PresentParts,
}

/// A rule being matched on a file: the state that its tests need besides the node.
#[derive(Debug)]
pub struct RuleMatcher<'f> {
    file: &'f ScannedFile<'f>,
    rule: &'f DirectRule,
    bindings: NameBindings,
    /// The strictness of the pattern that is being matched.
    is_exact: bool,
}

impl<'f> ScannedFile<'f> {
    /// Prepares a file for the rules, whose words are `words`.
    pub fn new(
        flat: &'f FlatTree<'f>,
        text: &'f str,
        passes_over_comments: bool,
        words: &PatternWords,
    ) -> Self {
        // Syntax errors have a number past all others, and are in no group.
        let kinds = flat.kind_count();
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
        let has = words.present_in_file(flat, text, |kind| nodes_of_kind(&by_kind, &starts, kind));
        Self { flat, text, passes_over_comments, is_ascii: text.is_ascii(), by_kind, starts, has }
    }

    /// Returns the indices of the nodes of a kind, in order.
    pub(crate) fn nodes_of_kind(&self, kind: u16) -> &[u32] {
        nodes_of_kind(&self.by_kind, &self.starts, kind)
    }

    fn text_of(&self, at: usize) -> &'f str {
        self.flat.text_of(self.text, at)
    }

    /// Returns whether patterns skip the node.
    fn is_passed_over(&self, at: usize) -> bool {
        self.passes_over_comments && self.flat.node(at).is_extra()
    }
}

fn nodes_of_kind<'f>(by_kind: &'f [u32], starts: &[u32], kind: u16) -> &'f [u32] {
    let kind = usize::from(kind);
    let Some([from, to]) = starts.get(kind..kind + 2) else { return &[] };
    &by_kind[*from as usize..*to as usize]
}

impl DirectRule {
    fn new(
        test: NodeTest,
        utils: Vec<NodeTest>,
        constraints: Vec<(usize, NodeTest)>,
        names: usize,
    ) -> Self {
        let (needs, needs_in_node) = (RuleNeeds::default(), RuleNeeds::default());
        Self { test, utils, constraints, names, needs, needs_in_node }
    }

    /// Returns whether the rule may match anywhere in a file.
    pub(crate) fn may_match(&self, file: &ScannedFile<'_>) -> bool {
        self.needs.are_met(file)
    }

    /// Returns the kinds of the nodes that the rule may match; None where it may match any.
    pub(crate) fn matched_kinds(&self) -> Option<Vec<u16>> {
        Some(self.test.possible_kinds(&self.utils, 0)?.iter_kinds().collect())
    }

    /// Prepares the rule for matching on a file.
    pub(crate) fn matcher_on<'f>(&'f self, file: &'f ScannedFile<'f>) -> RuleMatcher<'f> {
        RuleMatcher { file, rule: self, bindings: NameBindings::new(self.names), is_exact: false }
    }

    /// Returns the nodes that match, in order. Nodes without any of the file's nodes that a match needs are not tried.
    pub(crate) fn matching_nodes<'f>(
        &'f self,
        file: &'f ScannedFile<'f>,
        nodes: &'f [u32],
    ) -> impl Iterator<Item = usize> + 'f {
        let needed = self.needs_in_node.rarest_nodes(file);
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
        let mut rule = self.matcher_on(file);
        let nodes = nodes.iter().map(|&at| at as usize);
        nodes.filter(move |&at| has_needed(at) && rule.matches_node(at))
    }
}

impl RuleMatcher<'_> {
    /// Returns whether the rule matches a node; it leaves no bindings.
    pub(crate) fn matches_node(&mut self, at: usize) -> bool {
        let rule = self.rule;
        let matches =
            self.test_holds(&rule.test, at) && rule.constraints.iter().all(|one| self.is_kept(one));
        self.bindings.undo_to(0);
        matches
    }

    /// Returns whether a test holds for a node. Its bindings are undone where it does not.
    fn test_holds(&mut self, test: &NodeTest, at: usize) -> bool {
        match test {
            NodeTest::Kinds(kinds) => kinds.has_kind(self.file.flat.entries[at].kind),
            NodeTest::Pattern(pattern) => self.undone_unless(|this| pattern.matches_node(this, at)),
            NodeTest::Regex(expression) => {
                expression.is_in(self.file.text_of(at), self.file.is_ascii)
            }
            NodeTest::Nth(nth) => nth.holds_for(self.file.flat, at),
            NodeTest::All(tests) => {
                self.undone_unless(|this| tests.iter().all(|test| this.test_holds(test, at)))
            }
            NodeTest::Any(tests) => tests.iter().any(|test| self.test_holds(test, at)),
            NodeTest::Not(test) => {
                let before = self.bindings.undo_point();
                let holds = self.test_holds(test, at);
                self.bindings.undo_to(before);
                !holds
            }
            NodeTest::Util(place) => {
                self.rule.utils.get(*place).is_some_and(|test| self.test_holds(test, at))
            }
            NodeTest::Relation(relation) => relation.holds_for(self, at),
        }
    }

    /// Returns the result of a test, and undoes its bindings where it does not hold.
    fn undone_unless(&mut self, holds: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = self.bindings.undo_point();
        let holds = holds(self);
        if !holds {
            self.bindings.undo_to(before);
        }
        holds
    }

    /// Returns whether a test holds with no names bound; it leaves no bindings.
    fn holds_alone(&mut self, test: &NodeTest, at: usize) -> bool {
        self.rule.matcher_on(self.file).test_holds(test, at)
    }

    fn is_kept(&mut self, (name, test): &(usize, NodeTest)) -> bool {
        self.bindings.single_node(*name).is_none_or(|at| self.test_holds(test, at))
    }
}

impl NodeTest {
    /// Returns whether the library certainly accepts the test: every regular expression can be compiled.
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

impl NthChild {
    fn holds_for(&self, flat: &FlatTree<'_>, at: usize) -> bool {
        let Some(parent) = flat.parent(at) else { return false };
        if !flat.entries[at].is_named {
            return false;
        }
        let is_counted = |child: &usize| (*child > at) == self.is_from_the_end && *child != at;
        flat.named_children(parent).filter(is_counted).count() + 1 == self.place
    }
}
