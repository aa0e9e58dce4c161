//! Which nodes are listed, and in which order.

use super::{Order, Tree};
use trajview_metrics::rubric_tree::Measures;
use trajview_run::rubric_tree::{NodeId, RubricTree};

/// Which nodes are unfolded at first: the root, then whatever costs it most as long as there are rows for it, then
/// the rest from the top.
pub fn first_open(tree: &RubricTree, measures: &Measures, rows: usize) -> Vec<bool> {
    let mut open = vec![false; tree.nodes.len()];
    let counted = |id: NodeId| tree.children(id).filter(|child| measures.get(*child).counts);
    let mut listed = 1;
    let mut folded = vec![NodeId::default()];
    while !folded.is_empty() {
        let worst = |a: &NodeId, b: &NodeId| {
            let [a_loss, b_loss] = [a, b].map(|id| measures.get(*id).loss());
            // Of equal losses the one further up, then the earlier one.
            a_loss.total_cmp(&b_loss).then(b.cmp(a))
        };
        let at = (0..folded.len()).max_by(|a, b| worst(&folded[*a], &folded[*b]));
        let id = folded.swap_remove(at.unwrap_or_default());
        let below = counted(id).count();
        if id != NodeId::default() && listed + below > rows {
            continue;
        }
        listed += below;
        if let Some(node) = open.get_mut(id.at()) {
            *node = true;
        }
        folded.extend(counted(id).filter(|child| tree.children(*child).next().is_some()));
    }
    open
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
