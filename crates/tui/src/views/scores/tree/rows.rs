//! Selects the listed nodes and their order.

use super::{NodeOrder, TreeView};
use trajview_metrics::rubric_tree::TreeMeasures;
use trajview_run::rubric_tree::{NodeId, RubricTree};

/// Returns the nodes that are unfolded at first: the root, then the nodes with the largest loss as long as there are
/// rows for them, then the rest from the top.
pub(crate) fn first_open(tree: &RubricTree, measures: &TreeMeasures, rows: usize) -> Vec<bool> {
    let mut open = vec![false; tree.nodes.len()];
    let counted = |id: NodeId| tree.child_nodes(id).filter(|child| measures.get(*child).counts);
    let mut listed = 1;
    let mut folded = vec![NodeId::default()];
    while !folded.is_empty() {
        let worst = |a: &NodeId, b: &NodeId| {
            let [a_loss, b_loss] = [a, b].map(|id| measures.get(*id).score_loss());
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
        if let Some(node) = open.get_mut(id.position()) {
            *node = true;
        }
        folded.extend(counted(id).filter(|child| tree.child_nodes(*child).next().is_some()));
    }
    open
}

pub(crate) fn listed_nodes(tree: &RubricTree, state: &TreeView) -> Vec<NodeId> {
    match state.order {
        NodeOrder::Tree => nodes_as_tree(tree, state),
        NodeOrder::Loss => nodes_by_loss(tree, state),
    }
}

/// Returns folded nodes without what is below them; while something is looked for, what holds it and the nodes above
/// that.
fn nodes_as_tree(tree: &RubricTree, state: &TreeView) -> Vec<NodeId> {
    let (mut rows, mut at) = (vec![], 0);
    while at < tree.nodes.len() {
        let id = NodeId::from_position(at);
        let is_listed = state.measures.get(id).counts && state.find.keeps_node(id);
        if is_listed {
            rows.push(id);
        }
        at = if is_listed && state.is_open(id) { at + 1 } else { tree.nodes_below(id).end };
    }
    rows
}

fn nodes_by_loss(tree: &RubricTree, state: &TreeView) -> Vec<NodeId> {
    let loss = |id: &NodeId| state.measures.get(*id).score_loss();
    let ids = (0..tree.nodes.len())
        .map(NodeId::from_position)
        .filter(|id| state.measures.get(*id).counts);
    let mut rows: Vec<NodeId> =
        ids.filter(|id| state.is_leaf(*id) && loss(id) > 0.0 && state.find.is_hit(*id)).collect();
    rows.sort_by(|a, b| loss(b).total_cmp(&loss(a))); // stable: equal ones stay in their order
    rows
}
