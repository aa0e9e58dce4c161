//! What only the whole tree shows: ids that stand twice, weights that add up to nothing, leaves that were forgotten.

use std::collections::{BTreeMap, BTreeSet};

use super::Reader;
use trajview_run::rubric_tree::{Category, NodeId, RubricTree};

/// Places of an id that are named.
const MOST_PLACES: usize = 4;

pub fn check(reader: &mut Reader) {
    let tree = std::mem::take(&mut reader.tree);
    let mut found = vec![];
    repeated_ids(&tree, &mut found);
    weightless(&tree, &mut found);
    leaves(&tree, &reader.scoreless, &mut found);
    result(&tree, &mut found);
    found.into_iter().for_each(|what| reader.warnings.say(what));
    reader.tree = tree;
}

fn about(tree: &RubricTree, id: NodeId, what: &str) -> String {
    format!("node {}: {what}", tree.path(id))
}

/// Real rubrics have ids that stand twice; that matters only to who looks nodes up by them. A node below itself would
/// be a circle.
fn repeated_ids(tree: &RubricTree, found: &mut Vec<String>) {
    let mut by_id: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
    for (at, node) in tree.nodes.iter().enumerate().filter(|(_, node)| !node.id.is_empty()) {
        by_id.entry(&node.id).or_default().push(NodeId::of(at));
    }
    let mut repeated: Vec<_> = by_id.into_iter().filter(|(_, nodes)| nodes.len() > 1).collect();
    repeated.sort_by_key(|(_, nodes)| nodes[1]);
    for (id, nodes) in repeated {
        let mut below_itself = vec![];
        for node in &nodes {
            let own =
                tree.above(*node).find(|above| tree.node(*above).is_some_and(|it| &*it.id == id));
            below_itself.extend(own.map(|above| (*node, above)));
        }
        for (node, above) in &below_itself {
            let what = format!(
                "has the id of {}, which it stands below; both count as they stand",
                tree.path(*above)
            );
            found.push(about(tree, *node, &what));
        }
        if below_itself.is_empty() {
            let others: Vec<String> = nodes[..nodes.len() - 1]
                .iter()
                .take(MOST_PLACES)
                .map(|other| tree.path(*other).to_string())
                .collect();
            let more = if nodes.len() - 1 > MOST_PLACES { " and others" } else { "" };
            let what = format!(
                "has the id of {}{more}; nodes are told apart by their place",
                others.join(", ")
            );
            found.push(about(tree, nodes[nodes.len() - 1], &what));
        }
    }
}

fn weightless(tree: &RubricTree, found: &mut Vec<String>) {
    for id in (0..tree.nodes.len()).map(NodeId::of).filter(|id| !tree.is_leaf(*id)) {
        let weights: f64 =
            tree.children(id).filter_map(|child| tree.node(child)).map(|node| node.weight).sum();
        if weights == 0.0 {
            found.push(about(tree, id, "the weights of its sub-tasks add up to 0: it scores 0"));
        }
    }
}

fn leaves(tree: &RubricTree, told: &BTreeSet<NodeId>, found: &mut Vec<String>) {
    let is_graded = tree.is_graded();
    for (at, node) in tree.nodes.iter().enumerate() {
        let id = NodeId::of(at);
        match (&node.category, tree.is_leaf(id)) {
            (None, true) => found.push(about(tree, id, "is a leaf without a category")),
            (Some(Category::Other(words)), _) => {
                let what = format!("has the category {words:?}, which PaperBench does not know");
                found.push(about(tree, id, &what));
            }
            _ => {}
        }
        let is_known = node.is_valid == Some(false) || told.contains(&id);
        if is_graded && tree.is_leaf(id) && node.score.is_none() && !is_known {
            found.push(about(
                tree,
                id,
                "has no score that can be used: it counts as 0 and as invalid",
            ));
        }
    }
}

/// Whether a result and its tree say the same.
fn result(tree: &RubricTree, found: &mut Vec<String>) {
    let ids = || (0..tree.nodes.len()).map(NodeId::of).filter(|id| tree.is_leaf(*id));
    let leaves = ids().count() as u64;
    let invalid =
        ids().filter_map(|id| tree.node(id)).filter(|node| !node.is_valid_leaf()).count() as u64;
    for (said, there, what) in
        [(tree.result.leaves, leaves, "leaves"), (tree.result.invalid, invalid, "invalid leaves")]
    {
        if let Some(said) = said.filter(|said| *said != there) {
            found.push(format!("the result says {said} {what}, its tree has {there}"));
        }
    }
    let root = tree.root().and_then(|root| root.score);
    if let (Some(said), Some(root)) = (tree.result.score, root)
        && (said - root).abs() > 1e-9
    {
        found.push(format!("the result says a score of {said}, the root of its tree {root}"));
    }
}
