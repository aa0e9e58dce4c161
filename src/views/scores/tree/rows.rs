//! Which nodes are listed, and in which order.

use super::{Order, Tree};
use crate::run::rubric_tree::{NodeId, RubricTree};

/// Rows that are unfolded at first, about.
const AT_FIRST: usize = 30;

/// Which nodes are unfolded at first: the root, and whole levels below it as long as they are few rows.
pub fn first_open(tree: &RubricTree) -> Vec<bool> {
    let deepest = tree.nodes.iter().map(|node| node.depth).max().unwrap_or(0);
    let rows_to = |depth: u16| tree.nodes.iter().filter(|node| node.depth <= depth).count();
    let levels =
        (1..=deepest).take_while(|depth| *depth == 1 || rows_to(*depth) <= AT_FIRST).count();
    tree.nodes.iter().map(|node| usize::from(node.depth) < levels).collect()
}

pub fn listed(tree: &RubricTree, state: &Tree) -> Vec<NodeId> {
    match state.order {
        Order::Tree => as_tree(tree, state),
        Order::Loss => by_loss(tree, state),
    }
}

/// Folded nodes without what is below them; while something is looked for, what holds it and the nodes above that.
fn as_tree(tree: &RubricTree, state: &Tree) -> Vec<NodeId> {
    let (mut rows, mut at) = (vec![], 0);
    while at < tree.nodes.len() {
        let id = NodeId::of(at);
        let is_listed = state.measures.get(id).counts && state.find.keeps(id);
        if is_listed {
            rows.push(id);
        }
        at = if is_listed && state.is_open(id) { at + 1 } else { tree.below(id).end };
    }
    rows
}

fn by_loss(tree: &RubricTree, state: &Tree) -> Vec<NodeId> {
    let loss = |id: &NodeId| state.measures.get(*id).loss();
    let ids = (0..tree.nodes.len()).map(NodeId::of).filter(|id| state.measures.get(*id).counts);
    let mut rows: Vec<NodeId> =
        ids.filter(|id| state.is_leaf(*id) && loss(id) > 0.0 && state.find.is_hit(*id)).collect();
    rows.sort_by(|a, b| loss(b).total_cmp(&loss(a))); // stable: equal ones stay in their order
    rows
}
