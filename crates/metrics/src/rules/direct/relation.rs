//! Tests of a node's children, ancestors or siblings.

use super::{NodeTest, RuleMatcher, kinds::KindSet};

/// A test of related nodes.
#[derive(Debug)]
pub struct NodeRelation {
    pub related: RelatedNodes,
    pub test: NodeTest,
    /// The kinds for which the test may hold; None where it may hold for any.
    pub kinds: Option<KindSet>,
    pub until: RelationStop,
    /// The number of a field of the grammar.
    pub field: Option<u16>,
}

/// The nodes that are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelatedNodes {
    /// `has`
    Below,
    /// `inside`
    Above,
    /// `precedes`
    After,
    /// `follows`
    Before,
}

/// The distance to which nodes are tested: `stopBy`.
#[derive(Debug)]
pub enum RelationStop {
    /// Only the nearest nodes: for `has` every child.
    Near,
    End,
    /// Up to and including the first node for which this test holds.
    Holds(NodeTest),
}

impl NodeRelation {
    /// Returns whether the library certainly accepts the relation.
    pub(crate) fn is_surely_taken(&self) -> bool {
        let stop = match &self.until {
            RelationStop::Near | RelationStop::End => None,
            RelationStop::Holds(stop) => Some(stop),
        };
        self.test.is_surely_taken() && stop.is_none_or(NodeTest::is_surely_taken)
    }

    /// Returns whether one of the related nodes passes the test; the bindings of the first one remain.
    pub(crate) fn holds_for(&self, matcher: &mut RuleMatcher<'_>, at: usize) -> bool {
        let flat = matcher.file.flat;
        match self.related {
            RelatedNodes::Below => match self.field {
                Some(field) => self.holds_of_field(matcher, at, field),
                None => self.holds_below(matcher, at),
            },
            RelatedNodes::Above => self.holds_above(matcher, at),
            RelatedNodes::After => self.holds_beside(matcher, at, |at| flat.next(at)),
            RelatedNodes::Before => self.holds_beside(matcher, at, |at| flat.previous(at)),
        }
    }

    fn is_met(&self, matcher: &mut RuleMatcher<'_>, at: usize) -> bool {
        let kind = matcher.file.flat.entries[at].kind;
        self.kinds.as_ref().is_none_or(|kinds| kinds.has_kind(kind))
            && matcher.test_holds(&self.test, at)
    }

    fn holds_below(&self, matcher: &mut RuleMatcher<'_>, at: usize) -> bool {
        let flat = matcher.file.flat;
        match &self.until {
            RelationStop::Near => flat.children(at).any(|child| self.is_met(matcher, child)),
            RelationStop::End => {
                self.holds_within(matcher, at + 1, flat.entries[at].after as usize)
            }
            RelationStop::Holds(stop) => {
                let (mut next, last) = (at + 1, flat.entries[at].after as usize);
                while next < last {
                    if self.is_met(matcher, next) {
                        return true;
                    }
                    let is_last = matcher.holds_alone(stop, next);
                    next = if is_last { flat.entries[next].after as usize } else { next + 1 };
                }
                false
            }
        }
    }

    /// Returns whether a node from the first index up to, but not including, the last one passes the test.
    fn holds_within(&self, matcher: &mut RuleMatcher<'_>, first: usize, last: usize) -> bool {
        let Some(kind) = self.kinds.as_ref().and_then(KindSet::only_kind) else {
            return (first..last).any(|at| self.is_met(matcher, at));
        };
        let of_kind = matcher.file.nodes_of_kind(kind);
        let from = of_kind.partition_point(|&at| (at as usize) < first);
        let within = of_kind[from..].iter().map(|&at| at as usize).take_while(|&at| at < last);
        within.into_iter().any(|at| matcher.test_holds(&self.test, at))
    }

    fn holds_of_field(&self, matcher: &mut RuleMatcher<'_>, at: usize, field: u16) -> bool {
        let flat = matcher.file.flat;
        let Some(child) = child_in_field(matcher, at, field) else { return false };
        match &self.until {
            RelationStop::Near => self.is_met(matcher, child),
            RelationStop::End => {
                self.holds_within(matcher, child, flat.entries[child].after as usize)
            }
            RelationStop::Holds(stop) => {
                self.is_met(matcher, child)
                    || (!matcher.holds_alone(stop, child)
                        && flat.children(child).any(|inner| self.is_met(matcher, inner)))
            }
        }
    }

    fn holds_above(&self, matcher: &mut RuleMatcher<'_>, at: usize) -> bool {
        let flat = matcher.file.flat;
        let mut below = at;
        while let Some(above) = flat.parent(below) {
            let is_path =
                self.field.is_none_or(|field| child_in_field(matcher, above, field) == Some(below));
            let is_last = match &self.until {
                RelationStop::Near => true,
                RelationStop::End => false,
                RelationStop::Holds(stop) => matcher.holds_alone(stop, above),
            };
            if is_path && self.is_met(matcher, above) {
                return true;
            }
            if is_last {
                return false;
            }
            below = above;
        }
        false
    }

    fn holds_beside(
        &self,
        matcher: &mut RuleMatcher<'_>,
        at: usize,
        beside: impl Fn(usize) -> Option<usize>,
    ) -> bool {
        let mut next = beside(at);
        while let Some(other) = next {
            let is_last = match &self.until {
                RelationStop::Near => true,
                RelationStop::End => false,
                RelationStop::Holds(stop) => matcher.holds_alone(stop, other),
            };
            if self.is_met(matcher, other) {
                return true;
            }
            next = if is_last { None } else { beside(other) };
        }
        false
    }
}

/// Returns the child in a field of a node.
fn child_in_field(matcher: &RuleMatcher<'_>, at: usize, field: u16) -> Option<usize> {
    let flat = matcher.file.flat;
    let child = flat.node(at).child_by_field_id(field)?;
    flat.children(at).find(|&at| flat.node(at).id() == child.id())
}
