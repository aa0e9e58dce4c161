//! A syntax tree laid out flat, in the order its nodes start.
//!
//! The descendants of a node are the entries after it up to its `after`, so that neither this module nor its callers
//! climb or recurse: code nested a hundred thousand deep costs memory, not stack. The entries contain the facts that
//! the tree would be queried for again and again, each time with a call into another language.

use std::sync::{Mutex, PoisonError};

use tree_sitter::{Language, Node};

/// The place of a node and of its descendants.
#[derive(Debug, Clone, Copy)]
pub struct FlatEntry {
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
pub struct FlatTree<'t> {
    pub entries: Vec<FlatEntry>,
    /// The node of each entry; apart from them, as most looks are at the entries alone.
    nodes: Vec<Node<'t>>,
    /// Depth of the deepest node.
    pub depth: usize,
    /// True if a node has no text.
    pub has_empty: bool,
    kinds: &'static [NodeKind],
}

/// The grammar's facts about a kind of node.
#[derive(Debug)]
struct NodeKind {
    name: String,
    is_named: bool,
}

impl<'t> FlatTree<'t> {
    /// Returns a node with all that lies in it: of a root, its tree.
    pub fn from_node(root: Node<'t>) -> Self {
        let mut flat = Self::with_capacity(root.descendant_count(), node_kinds(&root.language()));
        flat.add_subtree(PendingNode { node: root, parent: 0, depth: 0 });
        flat
    }

    /// Returns a root with one of its children and what lies in that, as if it had no other.
    pub fn from_child(root: Node<'t>, child: Node<'t>) -> Self {
        let mut flat =
            Self::with_capacity(child.descendant_count() + 1, node_kinds(&root.language()));
        flat.push(PendingNode { node: root, parent: 0, depth: 0 });
        flat.add_subtree(PendingNode { node: child, parent: 0, depth: 1 });
        flat
    }

    fn with_capacity(count: usize, kinds: &'static [NodeKind]) -> Self {
        let (entries, nodes) = (Vec::with_capacity(count), Vec::with_capacity(count));
        Self { entries, nodes, depth: 0, has_empty: false, kinds }
    }

    /// Adds a node and what lies in it.
    fn add_subtree(&mut self, first: PendingNode<'t>) {
        /// Asking for a child passes over those before it, which takes less time than walking with a cursor as long as
        /// they are few.
        const FEW: u32 = 8;
        let mut cursor = first.node.walk();
        let mut pending = vec![first];
        while let Some(next) = pending.pop() {
            let (node, parent, depth) = (next.node, to_index(self.len()), next.depth + 1);
            self.push(next);
            let child = |node| PendingNode { node, parent, depth };
            // The last one first, so that the first is on top.
            match node.child_count() {
                0 => {}
                count @ ..=FEW => {
                    pending.extend((0..count).rev().filter_map(|at| node.child(at)).map(child));
                }
                _ => {
                    let others = pending.len();
                    cursor.reset(node);
                    let mut is_there = cursor.goto_first_child();
                    while is_there {
                        pending.push(child(cursor.node()));
                        is_there = cursor.goto_next_sibling();
                    }
                    pending[others..].reverse();
                }
            }
        }
        for at in (1..self.len()).rev() {
            let FlatEntry { parent, after, .. } = self.entries[at];
            let parent = &mut self.entries[parent as usize];
            parent.after = parent.after.max(after);
        }
    }

    fn push(&mut self, PendingNode { node, parent, depth }: PendingNode<'t>) {
        let (start, end) = (to_index(node.start_byte()), to_index(node.end_byte()));
        let kind = node.kind_id();
        // What the grammar could not read has a number past all others, and a name.
        let is_named = self.kinds.get(usize::from(kind)).is_none_or(|kind| kind.is_named);
        self.depth = self.depth.max(depth as usize);
        self.has_empty |= start == end;
        let after = to_index(self.len() + 1);
        self.entries.push(FlatEntry { start, end, parent, after, kind, is_named });
        self.nodes.push(node);
    }

    pub fn node(&self, at: usize) -> Node<'t> {
        self.nodes[at]
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns false: a tree has a root.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the indices of the children of a node, in order.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.entries[node].after as usize;
        let first = (node + 1 < end).then_some(node + 1);
        std::iter::successors(first, move |&child| {
            let next = self.entries[child].after as usize;
            (next < end).then_some(next)
        })
    }

    pub fn named_children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.children(node).filter(|&child| self.entries[child].is_named)
    }

    pub fn kind_name(&self, at: usize) -> &'static str {
        self.name_of_kind(self.entries[at].kind)
    }

    /// Returns the number of kinds of the grammar.
    pub fn kind_count(&self) -> usize {
        self.kinds.len()
    }

    /// Returns the grammar's name of a kind; `ERROR` for unreadable text.
    pub(crate) fn name_of_kind(&self, kind: u16) -> &'static str {
        self.kinds.get(usize::from(kind)).map_or("ERROR", |kind| kind.name.as_str())
    }

    pub fn is_leaf(&self, at: usize) -> bool {
        self.entries[at].after as usize == at + 1
    }

    /// Returns the piece of the text that a node is of.
    pub fn text_of<'a>(&self, text: &'a str, at: usize) -> &'a str {
        let entry = &self.entries[at];
        text.get(entry.start as usize..entry.end as usize).unwrap_or_default()
    }

    /// Returns the first child of that kind.
    pub fn child_of_kind(&self, node: usize, kind: &str) -> Option<usize> {
        self.children(node).find(|&child| self.kind_name(child) == kind)
    }

    /// Returns the one named child; None where there are none or several.
    pub fn only_named_child(&self, node: usize) -> Option<usize> {
        let mut children = self.named_children(node);
        children.next().filter(|_| children.next().is_none())
    }

    /// Returns the parent; None for the root.
    pub fn parent(&self, node: usize) -> Option<usize> {
        (node > 0).then(|| self.entries[node].parent as usize)
    }

    /// Returns the child of the same parent that comes after this one.
    pub fn next(&self, node: usize) -> Option<usize> {
        let (parent, after) = (self.parent(node)?, self.entries[node].after);
        (after < self.entries[parent].after).then_some(after as usize)
    }

    /// Returns the child of the same parent that comes before this one.
    pub fn previous(&self, node: usize) -> Option<usize> {
        let parent = self.parent(node)?;
        if parent + 1 == node {
            return None;
        }
        // The entry before is the last that lies in it.
        let mut before = node - 1;
        while self.entries[before].parent as usize != parent {
            before = self.entries[before].parent as usize;
        }
        Some(before)
    }
}

/// A node that is to be added, with the index of its parent and in how many nodes it lies.
struct PendingNode<'t> {
    node: Node<'t>,
    parent: u32,
    depth: u32,
}

/// Returns the index as 32 bits, which are enough: a file has fewer nodes than bytes, and fewer bytes than fit.
fn to_index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Returns all kinds of a grammar by their numbers, read once in the life of the program.
fn node_kinds(language: &Language) -> &'static [NodeKind] {
    static KNOWN: Mutex<Vec<(Language, &'static [NodeKind])>> = Mutex::new(vec![]);
    let mut languages = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, kinds)) = languages.iter().find(|(other, _)| other == language) {
        return kinds;
    }
    let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    let kind = |kind| NodeKind {
        name: language.node_kind_for_id(kind).unwrap_or_default().to_owned(),
        is_named: language.node_kind_is_named(kind),
    };
    let kinds: &'static [NodeKind] = (0..count).map(kind).collect::<Vec<_>>().leak();
    languages.push((language.clone(), kinds));
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{self, Grammar};

    /// Returns a text whose nodes have few children, and one whose nodes have more than are read one by one.
    fn sample_text() -> String {
        let many = (0..40).map(|at| format!("f(a, [{at}, *b], c={at}), ")).collect::<String>();
        format!(
            "def f(a, b):\n    # why\n    if a:\n        return b\n    x = [a, (b)]\ny = [{many}]\n"
        )
    }

    #[test]
    fn nodes_stand_in_the_order_of_the_tree() {
        let text = sample_text();
        let tree = tree::parse_tree(Grammar::Python, text.as_bytes()).unwrap();
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

        let flat = FlatTree::from_node(tree.root_node());

        let nodes: Vec<Node<'_>> = flat.nodes.clone();
        assert_eq!((nodes, flat.depth), (walked, depth));
    }

    #[test]
    fn a_root_may_be_laid_out_with_one_child_alone() {
        let text = sample_text();
        let tree = tree::parse_tree(Grammar::Python, text.as_bytes()).unwrap();
        let root = tree.root_node();

        let flat = FlatTree::from_child(root, root.child(1).unwrap());

        assert_eq!(flat.node(0), root);
        assert_eq!(flat.children(0).collect::<Vec<_>>(), [1]);
        assert_eq!(flat.entries[0].after as usize, flat.len());
        assert_eq!(flat.text_of(&text, 1), text.lines().last().unwrap());
    }

    #[test]
    fn brothers_and_names_are_those_of_the_tree() {
        let text = sample_text();
        let tree = tree::parse_tree(Grammar::Python, text.as_bytes()).unwrap();
        let flat = FlatTree::from_node(tree.root_node());

        for at in 0..flat.len() {
            let node = flat.node(at);
            let node_at = |at: Option<usize>| at.map(|at| flat.node(at));
            assert_eq!(
                (flat.kind_name(at), flat.entries[at].is_named),
                (node.kind(), node.is_named())
            );
            assert_eq!(node_at(flat.parent(at)), node.parent());
            assert_eq!(node_at(flat.next(at)), node.next_sibling());
            assert_eq!(node_at(flat.previous(at)), node.prev_sibling());
            assert_eq!(flat.text_of(&text, at), &text[node.byte_range()]);
        }
    }
}
