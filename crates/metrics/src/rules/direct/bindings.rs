//! The bindings of the names in a rule's patterns.

use trajview_code::flat_tree::FlatTree;

/// The nodes bound to each name; the latest bindings can be undone.
#[derive(Debug)]
pub struct NameBindings {
    bound: Vec<BoundNodes>,
    /// The former bindings, in the order in which they were replaced.
    before: Vec<(usize, BoundNodes)>,
}

/// The nodes bound to a name. `$A` and `$$$A` are two names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundNodes {
    Nothing,
    One(usize),
    /// Adjacent children of one node: the first, and their number.
    Many(usize, usize),
}

impl NameBindings {
    pub fn new(names: usize) -> Self {
        Self { bound: vec![BoundNodes::Nothing; names], before: vec![] }
    }

    /// Returns the point for a later [`undo_to`](Self::undo_to).
    pub(crate) fn undo_point(&self) -> usize {
        self.before.len()
    }

    /// Undoes all bindings since [`undo_point`](Self::undo_point) returned `mark`.
    pub(crate) fn undo_to(&mut self, mark: usize) {
        while self.before.len() > mark {
            let Some((name, bound)) = self.before.pop() else { return };
            self.bound[name] = bound;
        }
    }

    /// Returns the node that a name is bound to; None where it is not bound to a single node.
    pub(crate) fn single_node(&self, name: usize) -> Option<usize> {
        match self.bound[name] {
            BoundNodes::One(at) => Some(at),
            BoundNodes::Nothing | BoundNodes::Many(..) => None,
        }
    }

    /// Binds a name, in place of equal nodes that it is bound to; returns false, and changes nothing, where it is bound
    /// to other code.
    pub(crate) fn bind_name(
        &mut self,
        name: usize,
        to: BoundNodes,
        flat: &FlatTree<'_>,
        text: &str,
    ) -> bool {
        let is_free = match (self.bound[name], to) {
            (BoundNodes::One(known), BoundNodes::One(at)) => is_same(flat, text, known, at),
            (BoundNodes::Many(known, known_count), BoundNodes::Many(first, count)) => {
                are_same(flat, text, (known, known_count), (first, count))
            }
            _ => true,
        };
        if is_free {
            self.before.push((name, self.bound[name]));
            self.bound[name] = to;
        }
        is_free
    }
}

/// Returns whether two nodes have the same code: compared by text where one has no named children, else child by
/// child.
fn is_same(flat: &FlatTree<'_>, text: &str, one: usize, two: usize) -> bool {
    let is_named_leaf = |at| flat.named_children(at).next().is_none();
    if one == two {
        return true;
    }
    if is_named_leaf(one) || is_named_leaf(two) {
        return flat.text_of(text, one) == flat.text_of(text, two);
    }
    if flat.entries[one].kind != flat.entries[two].kind {
        return false;
    }
    let (mut ones, mut twos) = (flat.children(one), flat.children(two));
    loop {
        match (ones.next(), twos.next()) {
            (Some(one), Some(two)) if is_same(flat, text, one, two) => {}
            (None, None) => return true,
            _ => return false,
        }
    }
}

/// Returns whether two sequences have the same code; nodes without a name are ignored.
fn are_same(flat: &FlatTree<'_>, text: &str, ones: (usize, usize), twos: (usize, usize)) -> bool {
    let named = |(first, count): (usize, usize)| {
        let first = (count > 0).then_some(first);
        let all = std::iter::successors(first, |at| flat.next(*at)).take(count);
        all.filter(|at| flat.entries[*at].is_named)
    };
    let (mut ones, mut twos) = (named(ones), named(twos));
    loop {
        match (ones.next(), twos.next()) {
            (Some(one), Some(two)) if is_same(flat, text, one, two) => {}
            (None, None) => return true,
            _ => return false,
        }
    }
}
