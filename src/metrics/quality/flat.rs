//! A syntax tree laid out flat, in the order its nodes start.
//!
//! The descendants of a node are the entries after it up to its `after`, so that nothing here or in what uses it climbs
//! or calls itself: code nested a hundred thousand deep costs memory, not stack.

use tree_sitter::{Node, Tree, TreeCursor};

use super::file::Span;

/// One node and where its family lies.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'t> {
    pub node: Node<'t>,
    pub kind: u16,
    /// Index of the parent; the root is its own.
    pub parent: u32,
    /// Index after its last descendant.
    pub after: u32,
    pub is_named: bool,
}

/// Every node of a tree.
#[derive(Debug)]
pub struct Flat<'t> {
    pub entries: Vec<Entry<'t>>,
    /// How many nodes the deepest one lies in.
    pub depth: usize,
}

impl<'t> Flat<'t> {
    pub fn of(tree: &'t Tree) -> Self {
        let root = tree.root_node();
        let entries = Vec::with_capacity(root.descendant_count());
        Self::walked(&mut tree.walk(), entries, vec![])
    }

    /// A root with one of its children and what lies in that, as if it had no other.
    pub fn of_child(root: Node<'t>, child: Node<'t>) -> Self {
        let mut entries = Vec::with_capacity(child.descendant_count() + 1);
        push(&mut entries, &[], root);
        let mut flat = Self::walked(&mut child.walk(), entries, vec![0]);
        flat.entries[0].after = index(flat.entries.len());
        flat
    }

    fn walked(
        cursor: &mut TreeCursor<'t>,
        mut entries: Vec<Entry<'t>>,
        mut open: Vec<usize>,
    ) -> Self {
        // `TreeCursor::depth` counts its ancestors at each call.
        let (above, mut depth) = (open.len(), 0);
        loop {
            push(&mut entries, &open, cursor.node());
            depth = depth.max(open.len());
            if cursor.goto_first_child() {
                open.push(entries.len() - 1);
                continue;
            }
            while !cursor.goto_next_sibling() {
                let is_below = open.len() > above;
                let Some(parent) = open.pop().filter(|_| is_below) else {
                    return Self { entries, depth };
                };
                entries[parent].after = index(entries.len());
                cursor.goto_parent();
            }
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
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

    pub fn kind(&self, at: usize) -> &'t str {
        self.entries[at].node.kind()
    }

    pub fn is_leaf(&self, at: usize) -> bool {
        self.entries[at].after as usize == at + 1
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
}

fn push<'t>(entries: &mut Vec<Entry<'t>>, open: &[usize], node: Node<'t>) {
    let at = entries.len();
    let parent = index(open.last().copied().unwrap_or(at));
    let (kind, is_named) = (node.kind_id(), node.is_named());
    entries.push(Entry { node, kind, parent, after: index(at + 1), is_named });
}

/// A file has fewer nodes than bytes, and fewer bytes than fit.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The lines of an entry.
pub fn span(flat: &Flat<'_>, at: usize) -> Span {
    let node = flat.entries[at].node;
    let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    Span { start: line(node.start_position().row), end: line(node.end_position().row) }
}
