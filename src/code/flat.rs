//! A syntax tree laid out flat, in the order its nodes start.
//!
//! The descendants of a node are the entries after it up to its `after`, so that nothing here or in what uses it climbs
//! or calls itself: code nested a hundred thousand deep costs memory, not stack. What the tree would have to be asked
//! for again and again, a call into another language each time, stands in the entries.

use std::sync::{Mutex, PoisonError};

use tree_sitter::{Language, Node, Tree, TreeCursor};

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
        Self::walked(&mut tree.walk(), entries, vec![], kinds(&tree.language()))
    }

    /// A root with one of its children and what lies in that, as if it had no other.
    pub fn of_child(root: Node<'t>, child: Node<'t>) -> Self {
        let mut entries = Vec::with_capacity(child.descendant_count() + 1);
        let kinds = kinds(&root.language());
        push(&mut entries, &[], root, kinds);
        let mut flat = Self::walked(&mut child.walk(), entries, vec![0], kinds);
        flat.entries[0].after = index(flat.entries.len());
        flat
    }

    fn walked(
        cursor: &mut TreeCursor<'t>,
        mut entries: Vec<Entry<'t>>,
        mut open: Vec<usize>,
        kinds: &'static [Kind],
    ) -> Self {
        // `TreeCursor::depth` counts its ancestors at each call.
        let (above, mut depth) = (open.len(), 0);
        loop {
            push(&mut entries, &open, cursor.node(), kinds);
            depth = depth.max(open.len());
            if cursor.goto_first_child() {
                open.push(entries.len() - 1);
                continue;
            }
            while !cursor.goto_next_sibling() {
                let is_below = open.len() > above;
                let Some(parent) = open.pop().filter(|_| is_below) else {
                    let has_empty = entries.iter().any(|entry| entry.start == entry.end);
                    return Self { entries, depth, has_empty, kinds };
                };
                entries[parent].after = index(entries.len());
                cursor.goto_parent();
            }
        }
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

fn push<'t>(entries: &mut Vec<Entry<'t>>, open: &[usize], node: Node<'t>, kinds: &[Kind]) {
    let at = entries.len();
    let parent = index(open.last().copied().unwrap_or(at));
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

    #[test]
    fn brothers_and_names_are_those_of_the_tree() {
        let text = "def f(a, b):\n    # why\n    if a:\n        return b\n    x = [a, (b)]\n";
        let tree = tree::parse(Grammar::Python, text.as_bytes()).unwrap();
        let flat = Flat::of(&tree);

        for at in 0..flat.len() {
            let node = flat.entries[at].node;
            let of = |at: Option<usize>| at.map(|at| flat.entries[at].node);
            assert_eq!((flat.kind(at), flat.entries[at].is_named), (node.kind(), node.is_named()));
            assert_eq!(of(flat.parent(at)), node.parent());
            assert_eq!(of(flat.next(at)), node.next_sibling());
            assert_eq!(of(flat.previous(at)), node.prev_sibling());
            assert_eq!(flat.text_of(text, at), &text[node.byte_range()]);
        }
    }
}
