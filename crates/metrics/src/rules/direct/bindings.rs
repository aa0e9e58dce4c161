//! What the names of a rule's patterns are bound to.

use trajview_code::flat::Flat;

/// Nodes by the places of names; what was bound last can be undone.
#[derive(Debug)]
pub struct Bindings {
    bound: Vec<Bound>,
    /// What a name was bound to before, in the order it was bound again.
    before: Vec<(usize, Bound)>,
}

/// What a name stands for. `$A` and `$$$A` are two names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Nothing,
    One(usize),
    /// Children of one node that stand side by side: the first, and how many.
    Many(usize, usize),
}

impl Bindings {
    pub fn new(names: usize) -> Self {
        Self { bound: vec![Bound::Nothing; names], before: vec![] }
    }

    /// What to [`undo`](Self::undo) to.
    pub fn mark(&self) -> usize {
        self.before.len()
    }

    pub fn undo(&mut self, mark: usize) {
        while self.before.len() > mark {
            let Some((name, bound)) = self.before.pop() else { return };
            self.bound[name] = bound;
        }
    }

    /// The node that a name stands for.
    pub fn one(&self, name: usize) -> Option<usize> {
        match self.bound[name] {
            Bound::One(at) => Some(at),
            Bound::Nothing | Bound::Many(..) => None,
        }
    }

    /// False where the name is bound to something else already.
    pub fn bind(&mut self, name: usize, to: Bound, flat: &Flat<'_>, text: &str) -> bool {
        let is_free = match (self.bound[name], to) {
            (Bound::One(known), Bound::One(at)) => is_same(flat, text, known, at),
            (Bound::Many(known, of), Bound::Many(first, count)) => {
                are_same(flat, text, (known, of), (first, count))
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

/// Whether two nodes are written alike: where one has no named children by their texts, else child by child.
fn is_same(flat: &Flat<'_>, text: &str, one: usize, two: usize) -> bool {
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

/// Of nodes without a name only the others are asked.
fn are_same(flat: &Flat<'_>, text: &str, ones: (usize, usize), twos: (usize, usize)) -> bool {
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
