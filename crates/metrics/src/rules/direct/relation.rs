//! What must hold of a node's children, ancestors or brothers.

use super::{Match, Test, kinds::KindSet};

/// A test of other nodes, and which.
#[derive(Debug)]
pub struct Relation {
    pub of: Of,
    pub test: Test,
    /// The kinds that the test may hold of; None where it may of any.
    pub kinds: Option<KindSet>,
    pub until: Until,
    /// The number of a field of the grammar.
    pub field: Option<u16>,
}

/// Which nodes are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// `has`
    Below,
    /// `inside`
    Above,
    /// `precedes`
    After,
    /// `follows`
    Before,
}

/// How far: `stopBy`.
#[derive(Debug)]
pub enum Until {
    /// The nearest alone: for `has` every child.
    Near,
    End,
    /// Up to the first that this holds of, which is asked too.
    Holds(Test),
}

impl Relation {
    pub fn is_surely_taken(&self) -> bool {
        let stop = match &self.until {
            Until::Near | Until::End => None,
            Until::Holds(stop) => Some(stop),
        };
        self.test.is_surely_taken() && stop.is_none_or(Test::is_surely_taken)
    }

    /// Whether one of the other nodes is as it must be; what the first such binds stays bound.
    pub fn holds(&self, found: &mut Match<'_>, at: usize) -> bool {
        let flat = found.file.flat;
        match self.of {
            Of::Below => match self.field {
                Some(field) => self.holds_of_field(found, at, field),
                None => self.holds_below(found, at),
            },
            Of::Above => self.holds_above(found, at),
            Of::After => self.holds_beside(found, at, |at| flat.next(at)),
            Of::Before => self.holds_beside(found, at, |at| flat.previous(at)),
        }
    }

    fn is_met(&self, found: &mut Match<'_>, at: usize) -> bool {
        let kind = found.file.flat.entries[at].kind;
        self.kinds.as_ref().is_none_or(|kinds| kinds.has(kind)) && found.holds(&self.test, at)
    }

    fn holds_below(&self, found: &mut Match<'_>, at: usize) -> bool {
        let flat = found.file.flat;
        match &self.until {
            Until::Near => flat.children(at).any(|child| self.is_met(found, child)),
            Until::End => self.holds_within(found, at + 1, flat.entries[at].after as usize),
            Until::Holds(stop) => {
                let (mut next, last) = (at + 1, flat.entries[at].after as usize);
                while next < last {
                    if self.is_met(found, next) {
                        return true;
                    }
                    let is_last = found.holds_alone(stop, next);
                    next = if is_last { flat.entries[next].after as usize } else { next + 1 };
                }
                false
            }
        }
    }

    /// Of a node from the first index up to the last, which is not asked.
    fn holds_within(&self, found: &mut Match<'_>, first: usize, last: usize) -> bool {
        let Some(kind) = self.kinds.as_ref().and_then(KindSet::only) else {
            return (first..last).any(|at| self.is_met(found, at));
        };
        let of_kind = found.file.of_kind(kind);
        let from = of_kind.partition_point(|&at| (at as usize) < first);
        let within = of_kind[from..].iter().map(|&at| at as usize).take_while(|&at| at < last);
        within.into_iter().any(|at| found.holds(&self.test, at))
    }

    fn holds_of_field(&self, found: &mut Match<'_>, at: usize, field: u16) -> bool {
        let flat = found.file.flat;
        let Some(child) = of_field(found, at, field) else { return false };
        match &self.until {
            Until::Near => self.is_met(found, child),
            Until::End => self.holds_within(found, child, flat.entries[child].after as usize),
            Until::Holds(stop) => {
                self.is_met(found, child)
                    || (!found.holds_alone(stop, child)
                        && flat.children(child).any(|inner| self.is_met(found, inner)))
            }
        }
    }

    fn holds_above(&self, found: &mut Match<'_>, at: usize) -> bool {
        let flat = found.file.flat;
        let mut below = at;
        while let Some(above) = flat.parent(below) {
            let is_path =
                self.field.is_none_or(|field| of_field(found, above, field) == Some(below));
            let is_last = match &self.until {
                Until::Near => true,
                Until::End => false,
                Until::Holds(stop) => found.holds_alone(stop, above),
            };
            if is_path && self.is_met(found, above) {
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
        found: &mut Match<'_>,
        at: usize,
        beside: impl Fn(usize) -> Option<usize>,
    ) -> bool {
        let mut next = beside(at);
        while let Some(other) = next {
            let is_last = match &self.until {
                Until::Near => true,
                Until::End => false,
                Until::Holds(stop) => found.holds_alone(stop, other),
            };
            if self.is_met(found, other) {
                return true;
            }
            next = if is_last { None } else { beside(other) };
        }
        false
    }
}

/// The child in a field of a node.
fn of_field(found: &Match<'_>, at: usize, field: u16) -> Option<usize> {
    let flat = found.file.flat;
    let child = flat.node(at).child_by_field_id(field)?;
    flat.children(at).find(|&at| flat.node(at).id() == child.id())
}
