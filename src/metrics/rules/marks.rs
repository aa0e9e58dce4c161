//! Which of the nodes that rules ask for are in a file, and in each of its nodes.

use std::collections::HashMap;

use tree_sitter::{Node, Tree};

/// How many 64 bits; what rules ask for beyond that goes without a bit.
const PARTS: usize = 5;

/// How far below a node its descendants are told apart by depth; the node itself is at 0.
const DEPTHS: usize = 4;

/// A set of [`Words`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks([u64; PARTS]);

/// Nodes that rules ask for: kinds, and texts of kinds, each with its bit.
#[derive(Debug, Default)]
pub struct Words {
    /// By kind.
    of_kind: Vec<OfKind>,
    count: usize,
}

/// The bits of one kind.
#[derive(Debug, Default, Clone)]
struct OfKind {
    itself: Option<usize>,
    texts: HashMap<String, usize>,
}

/// What a node and its descendants are, or must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Family {
    /// The node itself, its children, their children and so on.
    pub at: [Marks; DEPTHS],
    /// The node itself and all below it.
    pub within: Marks,
}

/// A node of a file.
#[derive(Debug, Clone, Copy)]
pub struct Marked<'t> {
    pub node: Node<'t>,
    pub kind: u16,
    /// Index of the parent; the root is its own.
    pub parent: usize,
    pub family: Family,
}

impl Marks {
    pub fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|part| self.0[part] | other.0[part]))
    }

    /// Whether each of these is there too.
    pub fn are_in(&self, there: &Self) -> bool {
        self.0.iter().zip(&there.0).all(|(asked, there)| asked & !there == 0)
    }

    fn set(&mut self, bit: usize) {
        self.0[bit / 64] |= 1 << (bit % 64);
    }
}

impl Family {
    /// One node of these marks.
    pub fn of(marks: Marks) -> Self {
        let mut at = [Marks::default(); DEPTHS];
        at[0] = marks;
        Self { at, within: marks }
    }

    pub fn and(self, other: Self) -> Self {
        let at = std::array::from_fn(|depth| self.at[depth].and(other.at[depth]));
        Self { at, within: self.within.and(other.within) }
    }

    /// Whether each of these is there too.
    pub fn is_in(&self, there: &Self) -> bool {
        self.at.iter().zip(&there.at).all(|(asked, there)| asked.are_in(there))
            && self.within.are_in(&there.within)
    }

    /// The same as part of the family of its parent.
    pub fn of_a_child(self) -> Self {
        let mut at = self.at;
        at.rotate_right(1);
        at[0] = Marks::default();
        Self { at, ..self }
    }
}

impl Words {
    /// Asks for a node of a kind, or for one of a kind and text.
    pub fn ask(&mut self, kind: u16, text: Option<&str>) -> Marks {
        let at = usize::from(kind);
        if self.of_kind.len() <= at {
            self.of_kind.resize_with(at + 1, OfKind::default);
        }
        let of_kind = &mut self.of_kind[at];
        let known = text.map_or(of_kind.itself, |text| of_kind.texts.get(text).copied());
        let bit = known.or_else(|| {
            let bit = (self.count < PARTS * 64).then_some(self.count)?;
            self.count += 1;
            match text {
                None => of_kind.itself = Some(bit),
                Some(text) => _ = of_kind.texts.insert(text.to_owned(), bit),
            }
            Some(bit)
        });
        let mut marks = Marks::default();
        bit.into_iter().for_each(|bit| marks.set(bit));
        marks
    }

    /// Every node of a file, parents before their children.
    pub fn mark<'t>(&self, tree: &'t Tree, text: &str) -> Vec<Marked<'t>> {
        let mut cursor = tree.walk();
        let (mut nodes, mut open): (Vec<Marked<'t>>, Vec<usize>) = (vec![], vec![]);
        loop {
            let (at, node) = (nodes.len(), cursor.node());
            let kind = node.kind_id();
            let parent = open.last().copied().unwrap_or(at);
            nodes.push(Marked { node, kind, parent, family: self.family(node, kind, text) });
            open.push(at);
            if cursor.goto_first_child() {
                continue;
            }
            loop {
                let Some(done) = open.pop() else { return nodes };
                let Some(parent) = open.last() else { return nodes };
                let family = nodes[done].family.of_a_child();
                nodes[*parent].family = nodes[*parent].family.and(family);
                if cursor.goto_next_sibling() {
                    break;
                }
                cursor.goto_parent();
            }
        }
    }

    fn family(&self, node: Node<'_>, kind: u16, text: &str) -> Family {
        let mut marks = Marks::default();
        let Some(of_kind) = self.of_kind.get(usize::from(kind)) else { return Family::default() };
        of_kind.itself.into_iter().for_each(|bit| marks.set(bit));
        if !of_kind.texts.is_empty() {
            let bit = text.get(node.byte_range()).and_then(|text| of_kind.texts.get(text));
            bit.into_iter().for_each(|bit| marks.set(*bit));
        }
        Family::of(marks)
    }
}
