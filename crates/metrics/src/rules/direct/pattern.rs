//! Matches a pattern (code with holes) against a node. The steps are those of ast-grep's `match_node_impl` in two of
//! its strictnesses. In `smart` unnamed nodes of the code may be skipped, and nodes after the last one that the
//! pattern needs are ignored; in `cst` every node counts.

use super::{RuleMatcher, bindings::BoundNodes};

/// A pattern.
#[derive(Debug)]
pub struct RulePattern {
    pub goal: PatternGoal,
    /// The kind that the node must also have, where the pattern is a single hole.
    pub kind: Option<u16>,
    /// True where the strictness is `cst`.
    pub is_exact: bool,
}

/// A node of a pattern.
#[derive(Debug)]
pub enum PatternGoal {
    /// `$A` and `$_`: any node, which must be named unless the hole is `$$A`.
    Hole {
        name: Option<usize>,
        is_named: bool,
    },
    /// `$$$A` and `$$$`: any number of nodes.
    Many {
        name: Option<usize>,
    },
    Leaf {
        kind: u16,
        is_named: bool,
        text: Box<str>,
    },
    Inner {
        kind: u16,
        children: Box<[PatternGoal]>,
    },
}

/// The kind of syntax errors. In a pattern it stands for any kind.
pub const ERROR: u16 = u16::MAX;

/// The result of matching one node of a pattern with one of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GoalOutcome {
    Both,
    /// The node of the code has to be skipped.
    Passed,
    No,
}

/// The nodes of the code that remain to be matched: a node and its later siblings.
#[derive(Debug, Clone, Copy)]
struct RemainingSiblings {
    next: Option<usize>,
}

impl RulePattern {
    /// Returns whether the pattern matches a node, and binds its names.
    pub(crate) fn matches_node(&self, matcher: &mut RuleMatcher<'_>, at: usize) -> bool {
        if self.kind.is_some_and(|kind| kind != matcher.file.flat.entries[at].kind) {
            return false;
        }
        matcher.is_exact = self.is_exact;
        match &self.goal {
            PatternGoal::Hole { name, is_named } => fill_hole(matcher, *name, *is_named, at),
            goal => match_goal(matcher, goal, at) == GoalOutcome::Both,
        }
    }
}

impl RemainingSiblings {
    fn skip_node(&mut self, matcher: &RuleMatcher<'_>) {
        self.next = self.next.and_then(|at| matcher.file.flat.next(at));
    }

    /// Returns the number of remaining nodes.
    fn count_nodes(self, matcher: &RuleMatcher<'_>) -> usize {
        std::iter::successors(self.next, |at| matcher.file.flat.next(*at)).count()
    }
}

/// Matches one node of a pattern with one of the code.
fn match_goal(matcher: &mut RuleMatcher<'_>, goal: &PatternGoal, at: usize) -> GoalOutcome {
    let entry = &matcher.file.flat.entries[at];
    match goal {
        PatternGoal::Leaf { kind, is_named, text } => {
            let is_kind = *kind == entry.kind || *kind == ERROR;
            if is_kind && (!is_named || **text == *matcher.file.text_of(at)) {
                GoalOutcome::Both
            } else if !matcher.is_exact && (!entry.is_named || matcher.file.is_passed_over(at)) {
                GoalOutcome::Passed
            } else {
                GoalOutcome::No
            }
        }
        _ if matches!(goal, PatternGoal::Hole { .. } | PatternGoal::Many { .. })
            && !matcher.is_exact
            && matcher.file.is_passed_over(at) =>
        {
            GoalOutcome::Passed
        }
        PatternGoal::Hole { name, is_named } => {
            outcome_if(fill_hole(matcher, *name, *is_named, at))
        }
        PatternGoal::Many { name } => outcome_if(bind_nodes(matcher, *name, at, 1)),
        PatternGoal::Inner { kind, children } => {
            let is_kind = *kind == entry.kind || *kind == ERROR;
            outcome_if(is_kind && match_children(matcher, children, at))
        }
    }
}

fn outcome_if(is_match: bool) -> GoalOutcome {
    if is_match { GoalOutcome::Both } else { GoalOutcome::No }
}

/// Binds `$A` to a node; returns false where the node is unnamed and may not be, or `$A` is bound to other code.
fn fill_hole(
    matcher: &mut RuleMatcher<'_>,
    name: Option<usize>,
    is_named: bool,
    at: usize,
) -> bool {
    let (flat, text) = (matcher.file.flat, matcher.file.text);
    let may_fill = !is_named || flat.entries[at].is_named;
    may_fill
        && name.is_none_or(|name| matcher.bindings.bind_name(name, BoundNodes::One(at), flat, text))
}

/// Binds `$$$A` to nodes that follow each other; returns false where it is bound to other code.
fn bind_nodes(
    matcher: &mut RuleMatcher<'_>,
    name: Option<usize>,
    first: usize,
    count: usize,
) -> bool {
    let (flat, text) = (matcher.file.flat, matcher.file.text);
    name.is_none_or(|name| {
        matcher.bindings.bind_name(name, BoundNodes::Many(first, count), flat, text)
    })
}

/// Returns whether the children of a pattern's node match those of a node of the code.
fn match_children(matcher: &mut RuleMatcher<'_>, mut goals: &[PatternGoal], parent: usize) -> bool {
    let mut rest = RemainingSiblings { next: matcher.file.flat.children(parent).next() };
    if rest.next.is_none() {
        return false;
    }
    loop {
        if let [PatternGoal::Many { name }, after @ ..] = goals {
            match match_ellipsis(matcher, *name, after, &mut rest) {
                EllipsisOutcome::No => return false,
                EllipsisOutcome::All => return true,
                EllipsisOutcome::Again(after) => {
                    goals = after;
                    continue;
                }
                EllipsisOutcome::Until(after) => goals = after,
            }
        }
        let [goal, after @ ..] = goals else { return true };
        match match_next_node(matcher, goal, &mut rest) {
            Some(true) => rest.skip_node(matcher),
            Some(false) => return !matcher.is_exact && are_optional(goals),
            None => return false,
        }
        goals = after;
        if goals.is_empty() {
            return !matcher.is_exact || rest.next.is_none();
        }
        if rest.next.is_none() {
            return false;
        }
    }
}

/// Returns whether the next node that is not skipped matches the goal, and moves `rest` to it. Some(false) where no
/// node is left, None where it does not match.
fn match_next_node(
    matcher: &mut RuleMatcher<'_>,
    goal: &PatternGoal,
    rest: &mut RemainingSiblings,
) -> Option<bool> {
    while let Some(at) = rest.next {
        match match_goal(matcher, goal, at) {
            GoalOutcome::Both => return Some(true),
            GoalOutcome::Passed => rest.skip_node(matcher),
            GoalOutcome::No => return None,
        }
    }
    Some(false)
}

/// Returns whether goals match without any node.
fn are_optional(goals: &[PatternGoal]) -> bool {
    goals.iter().all(|goal| matches!(goal, PatternGoal::Many { .. }))
}

/// The result of matching `$$$`.
enum EllipsisOutcome<'g> {
    No,
    /// It took all remaining nodes.
    All,
    /// It took one node, as the goal after it takes any number too.
    Again(&'g [PatternGoal]),
    /// It took the nodes before the one that meets the first of these goals.
    Until(&'g [PatternGoal]),
}

/// Matches `$$$`: takes nodes until one matches the first of the goals after it, and moves `rest` to that node. No
/// match where no node is left.
fn match_ellipsis<'g>(
    matcher: &mut RuleMatcher<'_>,
    name: Option<usize>,
    goals: &'g [PatternGoal],
    rest: &mut RemainingSiblings,
) -> EllipsisOutcome<'g> {
    // Unnamed nodes directly after it are skipped in the pattern, and as many of the taken nodes are given back.
    let passed =
        goals.iter().take_while(|goal| matches!(goal, PatternGoal::Leaf { is_named: false, .. }));
    let passed = passed.count();
    let goals = &goals[passed..];
    let Some(first) = rest.next else { return EllipsisOutcome::No };
    let takes = |matcher: &mut RuleMatcher<'_>, count: usize| {
        bind_nodes(matcher, name, first, count.saturating_sub(passed))
    };
    match goals {
        [] => {
            let count = rest.count_nodes(matcher);
            if takes(matcher, count) { EllipsisOutcome::All } else { EllipsisOutcome::No }
        }
        [PatternGoal::Many { .. }, ..] => {
            rest.skip_node(matcher);
            if rest.next.is_some() && takes(matcher, 1) {
                EllipsisOutcome::Again(goals)
            } else {
                EllipsisOutcome::No
            }
        }
        [goal, ..] => {
            let mut count = 0;
            loop {
                let Some(at) = rest.next else { return EllipsisOutcome::No };
                let before = matcher.bindings.undo_point();
                let is_match = match_goal(matcher, goal, at) == GoalOutcome::Both;
                matcher.bindings.undo_to(before);
                if is_match {
                    break;
                }
                rest.skip_node(matcher);
                count += 1;
            }
            if takes(matcher, count) { EllipsisOutcome::Until(goals) } else { EllipsisOutcome::No }
        }
    }
}
