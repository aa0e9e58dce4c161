//! A syntax tree laid out flat, in the order its nodes start.
//!
//! The descendants of a node are the entries after it up to its `after`, so that nothing here or in what uses it climbs
//! or calls itself: code nested a hundred thousand deep costs memory, not stack. What the tree would have to be asked
//! for again and again, a call into another language each time, stands in the entries.

use std::sync::{Mutex, PoisonError};

use tree_sitter::{Language, Node, Tree};

/// One node and where its family lies.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'t> {
    pub node: Node<'t>,
    /// Bytes of the text from the first to the one after the last.
    pub start: u32,
    pub end: u32,
    /// Index of the parent; the root is its own.
    pub parent: u32,
    /// Index after its last descendant.
    pub after: u32,
    pub kind: u16,
    pub is_named: bool,
}

/// Every node of a tree.
#[derive(Debug)]
pub struct Flat<'t> {
    pub entries: Vec<Entry<'t>>,
    /// How many nodes the deepest one lies in.
    pub depth: usize,
    /// Whether a node has no text.
    pub has_empty: bool,
    kinds: &'static [Kind],
}

/// What the grammar says of a kind.
#[derive(Debug)]
struct Kind {
    name: String,
    is_named: bool,
}

impl<'t> Flat<'t> {
    pub fn of(tree: &'t Tree) -> Self {
        let root = tree.root_node();
        let entries = Vec::with_capacity(root.descendant_count());
        Self::walked(root, entries, vec![], kinds(&tree.language()))
    }

    /// A root with one of its children and what lies in that, as if it had no other.
    pub fn of_child(root: Node<'t>, child: Node<'t>) -> Self {
        let mut entries = Vec::with_capacity(child.descendant_count() + 1);
        let kinds = kinds(&root.language());
        push(&mut entries, 0, root, kinds);
        let no_others = Rest::Few(root, 0, 0);
        Self::walked(child, entries, vec![(0, no_others)], kinds)
    }

    /// With a node and what lies in it; `open` are the entries that it lies in.
    fn walked(
        node: Node<'t>,
        mut entries: Vec<Entry<'t>>,
        mut open: Vec<(usize, Rest<'t>)>,
        kinds: &'static [Kind],
    ) -> Self {
        let (mut next, mut depth) = (Some(node), 0);
        let mut has_empty = entries.iter().any(|entry| entry.start == entry.end);
        while let Some(node) = next {
            let at = entries.len();
            let parent = open.last().map_or(at, |(parent, _)| *parent);
            push(&mut entries, parent, node, kinds);
            depth = depth.max(open.len());
            has_empty |= entries[at].start == entries[at].end;
            if node.child_count() > 0 {
                open.push((at, Rest::of(node)));
            }
            next = None;
            while next.is_none()
                && let Some((parent, rest)) = open.last_mut()
            {
                next = rest.next();
                if next.is_none() {
                    entries[*parent].after = index(entries.len());
                    open.pop();
                }
            }
        }
        Self { entries, depth, has_empty, kinds }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Never: a tree has a root.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Indices of the children of a node, in order.
    pub fn children(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.entries[of].after as usize;
        let first = (of + 1 < end).then_some(of + 1);
        std::iter::successors(first, move |&child| {
            let next = self.entries[child].after as usize;
            (next < end).then_some(next)
        })
    }

    pub fn named_children(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        self.children(of).filter(|&child| self.entries[child].is_named)
    }

    pub fn kind(&self, at: usize) -> &'static str {
        self.name(self.entries[at].kind)
    }

    /// How many kinds the grammar has.
    pub fn kinds(&self) -> usize {
        self.kinds.len()
    }

    /// What the grammar calls a kind; `ERROR` for what it cannot read.
    pub fn name(&self, kind: u16) -> &'static str {
        self.kinds.get(usize::from(kind)).map_or("ERROR", |kind| kind.name.as_str())
    }

    pub fn is_leaf(&self, at: usize) -> bool {
        self.entries[at].after as usize == at + 1
    }

    /// The piece of the text that a node is of.
    pub fn text_of<'a>(&self, text: &'a str, at: usize) -> &'a str {
        let entry = &self.entries[at];
        text.get(entry.start as usize..entry.end as usize).unwrap_or_default()
    }

    /// The first child of that kind.
    pub fn child_of_kind(&self, of: usize, kind: &str) -> Option<usize> {
        self.children(of).find(|&child| self.kind(child) == kind)
    }

    /// The one named child; None where there are none or several.
    pub fn only_named_child(&self, of: usize) -> Option<usize> {
        let mut children = self.named_children(of);
        children.next().filter(|_| children.next().is_none())
    }

    /// The parent; None for the root.
    pub fn parent(&self, of: usize) -> Option<usize> {
        (of > 0).then(|| self.entries[of].parent as usize)
    }

    /// The child of the same parent that comes after this one.
    pub fn next(&self, of: usize) -> Option<usize> {
        let (parent, after) = (self.parent(of)?, self.entries[of].after);
        (after < self.entries[parent].after).then_some(after as usize)
    }

    /// The child of the same parent that comes before this one.
    pub fn previous(&self, of: usize) -> Option<usize> {
        let parent = self.parent(of)?;
        if parent + 1 == of {
            return None;
        }
        // The entry before is the last that lies in it.
        let mut before = of - 1;
        while self.entries[before].parent as usize != parent {
            before = self.entries[before].parent as usize;
        }
        Some(before)
    }
}

/// The children of a node that were not visited yet.
enum Rest<'t> {
    /// Of a node, from this one up to the number of all: asked for one by one.
    Few(Node<'t>, u32, u32),
    Many(std::vec::IntoIter<Node<'t>>),
}

impl<'t> Rest<'t> {
    /// Asking for a child passes over those before it, which takes less time than walking with a cursor as long as they
    /// are few.
    const FEW: u32 = 16;

    fn of(node: Node<'t>) -> Self {
        match node.child_count() {
            count @ ..=Self::FEW => Self::Few(node, 0, count),
            _ => Self::Many(node.children(&mut node.walk()).collect::<Vec<_>>().into_iter()),
        }
    }
}

impl<'t> Iterator for Rest<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        match self {
            Self::Few(_, next, count) if next == count => None,
            Self::Few(node, next, _) => {
                *next += 1;
                node.child(*next - 1)
            }
            Self::Many(nodes) => nodes.next(),
        }
    }
}

fn push<'t>(entries: &mut Vec<Entry<'t>>, parent: usize, node: Node<'t>, kinds: &[Kind]) {
    let (at, parent) = (entries.len(), index(parent));
    let (start, end) = (index(node.start_byte()), index(node.end_byte()));
    let kind = node.kind_id();
    // What the grammar could not read has a number past all others, and a name.
    let is_named = kinds.get(usize::from(kind)).is_none_or(|kind| kind.is_named);
    entries.push(Entry { node, start, end, parent, after: index(at + 1), kind, is_named });
}

/// A file has fewer nodes than bytes, and fewer bytes than fit.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// All kinds of a grammar by their numbers, asked for once in the life of the program.
fn kinds(language: &Language) -> &'static [Kind] {
    static KNOWN: Mutex<Vec<(Language, &'static [Kind])>> = Mutex::new(vec![]);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, kinds)) = known.iter().find(|(other, _)| other == language) {
        return kinds;
    }
    let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    let kind = |kind| Kind {
        name: language.node_kind_for_id(kind).unwrap_or_default().to_owned(),
        is_named: language.node_kind_is_named(kind),
    };
    let kinds: &'static [Kind] = (0..count).map(kind).collect::<Vec<_>>().leak();
    known.push((language.clone(), kinds));
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tree::{self, Grammar};

    /// With few children, and with more than are asked for one by one.
    fn text() -> String {
        let many = (0..40).map(|at| format!("f(a, [{at}, *b], c={at}), ")).collect::<String>();
        format!(
            "def f(a, b):\n    # why\n    if a:\n        return b\n    x = [a, (b)]\ny = [{many}]\n"
        )
    }

    #[test]
    fn nodes_stand_in_the_order_of_the_tree() {
        let text = text();
        let tree = tree::parse(Grammar::Python, text.as_bytes()).unwrap();
        let mut cursor = tree.walk();
        let (mut walked, mut depth) = (vec![], 0);
        'walk: loop {
            walked.push(cursor.node());
            depth = depth.max(cursor.depth() as usize);
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'walk;
                }
            }
        }

        let flat = Flat::of(&tree);

        let nodes: Vec<Node<'_>> = flat.entries.iter().map(|entry| entry.node).collect();
        assert_eq!((nodes, flat.depth), (walked, depth));
    }

    #[test]
    fn a_root_may_be_laid_out_with_one_child_alone() {
        let text = text();
        let tree = tree::parse(Grammar::Python, text.as_bytes()).unwrap();
        let root = tree.root_node();

        let flat = Flat::of_child(root, root.child(1).unwrap());

        assert_eq!(flat.entries[0].node, root);
        assert_eq!(flat.children(0).collect::<Vec<_>>(), [1]);
        assert_eq!(flat.entries[0].after as usize, flat.len());
        assert_eq!(flat.text_of(&text, 1), text.lines().last().unwrap());
    }

    #[test]
    fn brothers_and_names_are_those_of_the_tree() {
        let text = text();
        let tree = tree::parse(Grammar::Python, text.as_bytes()).unwrap();
        let flat = Flat::of(&tree);

        for at in 0..flat.len() {
            let node = flat.entries[at].node;
            let of = |at: Option<usize>| at.map(|at| flat.entries[at].node);
            assert_eq!((flat.kind(at), flat.entries[at].is_named), (node.kind(), node.is_named()));
            assert_eq!(of(flat.parent(at)), node.parent());
            assert_eq!(of(flat.next(at)), node.next_sibling());
            assert_eq!(of(flat.previous(at)), node.prev_sibling());
            assert_eq!(flat.text_of(&text, at), &text[node.byte_range()]);
        }
    }
}
