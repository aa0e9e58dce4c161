//! Code with holes, held against a node. The steps are those of ast-grep's `match_node_impl` in two of its strictnesses.
//! In `smart` nodes of the code without a name may be passed over, and what follows the last that is asked for is not
//! looked at; in `cst` every node counts.

use super::{Match, bindings::Bound};

/// A pattern.
#[derive(Debug)]
pub struct Pattern {
    pub goal: Goal,
    /// The kind that the node must have beside, where the pattern is a hole alone.
    pub kind: Option<u16>,
    /// Whether the strictness is `cst`.
    pub is_exact: bool,
}

/// A node of a pattern.
#[derive(Debug)]
pub enum Goal {
    /// `$A` and `$_`: any node, which must have a name unless it is `$$A`.
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
        children: Box<[Goal]>,
    },
}

/// The kind of what the grammar could not read. In a pattern it stands for any.
pub const ERROR: u16 = u16::MAX;

/// What came of one node of a pattern and one of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Met {
    Both,
    /// The node of the code is to be passed over.
    Passed,
    No,
}

/// Nodes of the code that are still to be met: a node and its younger brothers.
#[derive(Debug, Clone, Copy)]
struct Rest {
    next: Option<usize>,
}

impl Pattern {
    pub fn matches(&self, found: &mut Match<'_>, at: usize) -> bool {
        if self.kind.is_some_and(|kind| kind != found.file.flat.entries[at].kind) {
            return false;
        }
        found.is_exact = self.is_exact;
        match &self.goal {
            Goal::Hole { name, is_named } => fills(found, *name, *is_named, at),
            goal => met(found, goal, at) == Met::Both,
        }
    }
}

impl Rest {
    fn pass(&mut self, found: &Match<'_>) {
        self.next = self.next.and_then(|at| found.file.flat.next(at));
    }

    /// How many there are.
    fn count(self, found: &Match<'_>) -> usize {
        std::iter::successors(self.next, |at| found.file.flat.next(*at)).count()
    }
}

fn met(found: &mut Match<'_>, goal: &Goal, at: usize) -> Met {
    let entry = &found.file.flat.entries[at];
    match goal {
        Goal::Leaf { kind, is_named, text } => {
            let is_kind = *kind == entry.kind || *kind == ERROR;
            if is_kind && (!is_named || **text == *found.file.text_of(at)) {
                Met::Both
            } else if !found.is_exact && (!entry.is_named || found.file.is_passed_over(at)) {
                Met::Passed
            } else {
                Met::No
            }
        }
        _ if matches!(goal, Goal::Hole { .. } | Goal::Many { .. })
            && !found.is_exact
            && found.file.is_passed_over(at) =>
        {
            Met::Passed
        }
        Goal::Hole { name, is_named } => either(fills(found, *name, *is_named, at)),
        Goal::Many { name } => either(binds_many(found, *name, at, 1)),
        Goal::Inner { kind, children } => {
            let is_kind = *kind == entry.kind || *kind == ERROR;
            either(is_kind && all_met(found, children, at))
        }
    }
}

fn either(is_met: bool) -> Met {
    if is_met { Met::Both } else { Met::No }
}

fn fills(found: &mut Match<'_>, name: Option<usize>, is_named: bool, at: usize) -> bool {
    let (flat, text) = (found.file.flat, found.file.text);
    let may_fill = !is_named || flat.entries[at].is_named;
    may_fill && name.is_none_or(|name| found.bindings.bind(name, Bound::One(at), flat, text))
}

fn binds_many(found: &mut Match<'_>, name: Option<usize>, first: usize, count: usize) -> bool {
    let (flat, text) = (found.file.flat, found.file.text);
    name.is_none_or(|name| found.bindings.bind(name, Bound::Many(first, count), flat, text))
}

/// The children of a pattern's node and those of a node of the code.
fn all_met(found: &mut Match<'_>, mut goals: &[Goal], parent: usize) -> bool {
    let mut rest = Rest { next: found.file.flat.children(parent).next() };
    if rest.next.is_none() {
        return false;
    }
    loop {
        if let [Goal::Many { name }, after @ ..] = goals {
            match many_met(found, *name, after, &mut rest) {
                Many::No => return false,
                Many::All => return true,
                Many::Again(after) => {
                    goals = after;
                    continue;
                }
                Many::Until(after) => goals = after,
            }
        }
        let [goal, after @ ..] = goals else { return true };
        match one_met(found, goal, &mut rest) {
            Some(true) => rest.pass(found),
            Some(false) => return !found.is_exact && are_optional(goals),
            None => return false,
        }
        goals = after;
        if goals.is_empty() {
            return !found.is_exact || rest.next.is_none();
        }
        if rest.next.is_none() {
            return false;
        }
    }
}

/// Whether the goal is met by the next node that is not passed over; Some of false where none is left.
fn one_met(found: &mut Match<'_>, goal: &Goal, rest: &mut Rest) -> Option<bool> {
    while let Some(at) = rest.next {
        match met(found, goal, at) {
            Met::Both => return Some(true),
            Met::Passed => rest.pass(found),
            Met::No => return None,
        }
    }
    Some(false)
}

fn are_optional(goals: &[Goal]) -> bool {
    goals.iter().all(|goal| matches!(goal, Goal::Many { .. }))
}

/// What came of `$$$`.
enum Many<'g> {
    No,
    /// It took all that was left.
    All,
    /// It took one node, as the goal after it takes any number too.
    Again(&'g [Goal]),
    /// It took what stands before the node that meets the first of these.
    Until(&'g [Goal]),
}

fn many_met<'g>(
    found: &mut Match<'_>,
    name: Option<usize>,
    goals: &'g [Goal],
    rest: &mut Rest,
) -> Many<'g> {
    // What has no name right after it is passed over in the pattern, and as much of what it took is not its own.
    let passed = goals.iter().take_while(|goal| matches!(goal, Goal::Leaf { is_named: false, .. }));
    let passed = passed.count();
    let goals = &goals[passed..];
    let Some(first) = rest.next else { return Many::No };
    let takes = |found: &mut Match<'_>, count: usize| {
        binds_many(found, name, first, count.saturating_sub(passed))
    };
    match goals {
        [] => {
            let count = rest.count(found);
            if takes(found, count) { Many::All } else { Many::No }
        }
        [Goal::Many { .. }, ..] => {
            rest.pass(found);
            if rest.next.is_some() && takes(found, 1) { Many::Again(goals) } else { Many::No }
        }
        [goal, ..] => {
            let mut count = 0;
            loop {
                let Some(at) = rest.next else { return Many::No };
                let before = found.bindings.mark();
                let is_met = met(found, goal, at) == Met::Both;
                found.bindings.undo(before);
                if is_met {
                    break;
                }
                rest.pass(found);
                count += 1;
            }
            if takes(found, count) { Many::Until(goals) } else { Many::No }
        }
    }
}
