//! Checks the whole tree: ids that occur twice, weights that add up to nothing, leaves without a score.

use std::collections::{BTreeMap, BTreeSet};

use super::PaperReader;
use trajview_run::rubric_tree::{LeafCategory, NodeId, RubricTree};

/// Places of an id that are named.
const MAX_PLACES: usize = 4;

/// Checks a tree for repeated ids, weights, leaves and its result, and adds a warning for each problem.
pub fn check_tree(reader: &mut PaperReader) {
    let tree = std::mem::take(&mut reader.tree);
    let mut found = vec![];
    repeated_ids(&tree, &mut found);
    check_weights(&tree, &mut found);
    check_leaves(&tree, &reader.scoreless, &mut found);
    check_result(&tree, &mut found);
    found.into_iter().for_each(|what| reader.warnings.add_warning(what));
    reader.tree = tree;
}

fn node_sentence(tree: &RubricTree, id: NodeId, what: &str) -> String {
    format!("node {}: {what}", tree.node_path(id))
}

/// Notes ids that occur twice. Real rubrics have such ids; they matter only where nodes are searched by id. A node below
/// itself would be a circle.
fn repeated_ids(tree: &RubricTree, found: &mut Vec<String>) {
    let mut by_id: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
    for (at, node) in tree.nodes.iter().enumerate().filter(|(_, node)| !node.id.is_empty()) {
        by_id.entry(&node.id).or_default().push(NodeId::from_position(at));
    }
    let mut repeated: Vec<_> = by_id.into_iter().filter(|(_, nodes)| nodes.len() > 1).collect();
    repeated.sort_by_key(|(_, nodes)| nodes[1]);
    for (id, nodes) in repeated {
        let mut below_itself = vec![];
        for node in &nodes {
            let own = tree
                .nodes_above(*node)
                .find(|above| tree.node(*above).is_some_and(|it| &*it.id == id));
            below_itself.extend(own.map(|above| (*node, above)));
        }
        for (node, above) in &below_itself {
            let what =
                format!("has the same id as its ancestor {}; both count", tree.node_path(*above));
            found.push(node_sentence(tree, *node, &what));
        }
        if below_itself.is_empty() {
            let others: Vec<String> = nodes[..nodes.len() - 1]
                .iter()
                .take(MAX_PLACES)
                .map(|other| tree.node_path(*other).to_string())
                .collect();
            let more = if nodes.len() - 1 > MAX_PLACES { " and others" } else { "" };
            let what = format!(
                "has the id of {}{more}; nodes are distinguished by their path",
                others.join(", ")
            );
            found.push(node_sentence(tree, nodes[nodes.len() - 1], &what));
        }
    }
}

fn check_weights(tree: &RubricTree, found: &mut Vec<String>) {
    for id in (0..tree.nodes.len()).map(NodeId::from_position).filter(|id| !tree.is_leaf(*id)) {
        let weights: f64 =
            tree.child_nodes(id).filter_map(|child| tree.node(child)).map(|node| node.weight).sum();
        if weights == 0.0 {
            found.push(node_sentence(
                tree,
                id,
                "the weights of its sub-tasks add up to 0: it scores 0",
            ));
        }
    }
}

fn check_leaves(tree: &RubricTree, without_score: &BTreeSet<NodeId>, found: &mut Vec<String>) {
    let is_graded = tree.is_graded();
    for (at, node) in tree.nodes.iter().enumerate() {
        let id = NodeId::from_position(at);
        match (&node.category, tree.is_leaf(id)) {
            (None, true) => found.push(node_sentence(tree, id, "is a leaf without a category")),
            (Some(LeafCategory::Other(words)), _) => {
                let what = format!("has the category {words:?}, which PaperBench does not know");
                found.push(node_sentence(tree, id, &what));
            }
            _ => {}
        }
        let is_known = node.is_valid == Some(false) || without_score.contains(&id);
        if is_graded && tree.is_leaf(id) && node.score.is_none() && !is_known {
            found.push(node_sentence(
                tree,
                id,
                "has no score that can be used: it counts as 0 and as invalid",
            ));
        }
    }
}

/// Notes where a result and its tree contradict each other.
fn check_result(tree: &RubricTree, found: &mut Vec<String>) {
    let ids = || (0..tree.nodes.len()).map(NodeId::from_position).filter(|id| tree.is_leaf(*id));
    let leaves = ids().count() as u64;
    let invalid =
        ids().filter_map(|id| tree.node(id)).filter(|node| !node.is_valid_leaf()).count() as u64;
    for (recorded, there, what) in
        [(tree.result.leaves, leaves, "leaves"), (tree.result.invalid, invalid, "invalid leaves")]
    {
        if let Some(recorded) = recorded.filter(|recorded| *recorded != there) {
            found.push(format!("the result states {recorded} {what}, its tree has {there}"));
        }
    }
    let root = tree.root().and_then(|root| root.score);
    if let (Some(recorded), Some(root)) = (tree.result.score, root)
        && (recorded - root).abs() > 1e-9
    {
        found.push(format!(
            "the result states a score of {recorded}, the root of its tree has {root}"
        ));
    }
}
