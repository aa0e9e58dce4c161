//! Two graded rubric trees node by node: a reference, and a judge who graded the same rubric.
//!
//! Nodes are matched by their path from the root: by the ids on it, the requirements where there is no id, and the
//! order among siblings that share both. Leaves are compared as PaperBench's JudgeEval does it
//! (`judge/judge_eval/evaluate.py`): those that the judge graded validly, with all above them, in the category that
//! the judge's tree gives them.

use std::collections::BTreeMap;

use trajview_run::rubric_tree::{LeafCategory, NodeId, RubricTree};

/// The nodes that two trees share, and those that only one has.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GradedPair {
    /// Leaves of both with a score in both, in the order of the judge's tree.
    pub leaves: Vec<GradedLeaf>,
    /// Leaves of both that the judge did not grade validly, by node of the judge's tree.
    pub invalid: Vec<NodeId>,
    /// Leaves of both without a score in the reference, by node of the judge's tree.
    pub unscored: Vec<NodeId>,
    /// Nodes that are a leaf in one tree and have sub-tasks in the other: of the reference, of the judge's tree.
    pub leaf_in_one: Vec<(NodeId, NodeId)>,
    /// The highest nodes of the reference that the judge's tree lacks; all below them is missing too.
    pub only_reference: Vec<NodeId>,
    /// The highest nodes of the judge's tree that the reference lacks.
    pub only_judge: Vec<NodeId>,
}

/// A leaf of both trees.
#[derive(Debug, Clone, PartialEq)]
pub struct GradedLeaf {
    pub in_reference: NodeId,
    pub in_judge: NodeId,
    /// The category of the judge's tree, else of the reference; None where neither has one.
    pub category: Option<LeafCategory>,
    /// The scores of the reference and of the judge, 0..=1.
    pub reference: f64,
    pub judge: f64,
}

/// Ids, or requirements, from the root on, each with its number among siblings that share it. The root is the root,
/// whatever it is called.
type RubricNodePath<'a> = Vec<(&'a str, usize)>;

impl GradedPair {
    pub fn new(reference: &RubricTree, judge: &RubricTree) -> Self {
        let (of_reference, of_judge) = (node_paths(reference), node_paths(judge));
        let mut graded = Self::default();
        for at in 0..judge.nodes.len() {
            let id = NodeId::from_position(at);
            let Some(way) = of_judge.by_node.get(at) else { continue };
            match of_reference.by_path.get(way) {
                Some(other) => graded.join_nodes((reference, *other), (judge, id)),
                None if is_highest(judge, id, &of_judge, &of_reference) => {
                    graded.only_judge.push(id);
                }
                None => {}
            }
        }
        let missing = (0..reference.nodes.len()).map(NodeId::from_position).filter(|id| {
            let path = of_reference.by_node.get(id.position());
            path.is_some_and(|path| !of_judge.by_path.contains_key(path))
                && is_highest(reference, *id, &of_reference, &of_judge)
        });
        graded.only_reference = missing.collect();
        graded
    }

    fn join_nodes(
        &mut self,
        (reference, a): (&RubricTree, NodeId),
        (judge, b): (&RubricTree, NodeId),
    ) {
        match (reference.is_leaf(a), judge.is_leaf(b)) {
            (true, true) => {}
            (false, false) => return,
            (true, false) | (false, true) => {
                self.leaf_in_one.push((a, b));
                return;
            }
        }
        let (Some(of_a), Some(of_b)) = (reference.node(a), judge.node(b)) else { return };
        let has_failed = |id: NodeId| judge.node(id).is_some_and(|it| it.is_valid == Some(false));
        match (of_a.score, of_b.score) {
            (_, None) => self.invalid.push(b),
            _ if has_failed(b) || judge.nodes_above(b).any(has_failed) => self.invalid.push(b),
            (None, _) => self.unscored.push(b),
            (Some(reference), Some(judge)) => self.leaves.push(GradedLeaf {
                in_reference: a,
                in_judge: b,
                category: of_b.category.clone().or_else(|| of_a.category.clone()),
                reference,
                judge,
            }),
        }
    }
}

/// Returns the leaves of several pairs of trees, each with the number of its pair, from 0: category by category in the
/// order of PaperBench, others behind them by name, those without one last.
pub fn leaves_by_category(graded: &[GradedPair]) -> Vec<(String, Vec<(usize, &GradedLeaf)>)> {
    let mut parts: BTreeMap<(u8, &str), Vec<(usize, &GradedLeaf)>> = BTreeMap::new();
    for (tree, leaf) in all_leaves(graded) {
        parts.entry(category_order(leaf.category.as_ref())).or_default().push((tree, leaf));
    }
    parts.into_iter().map(|((_, name), leaves)| (name.to_owned(), leaves)).collect()
}

/// Returns the leaves of several pairs of trees, each with the number of its pair, from 0.
pub fn all_leaves(graded: &[GradedPair]) -> impl Iterator<Item = (usize, &GradedLeaf)> {
    graded.iter().enumerate().flat_map(|(tree, it)| it.leaves.iter().map(move |leaf| (tree, leaf)))
}

fn category_order(category: Option<&LeafCategory>) -> (u8, &str) {
    let rank = match category {
        Some(LeafCategory::CodeDevelopment) => 0,
        Some(LeafCategory::CodeExecution) => 1,
        Some(LeafCategory::ResultAnalysis) => 2,
        Some(LeafCategory::Subtree | LeafCategory::Other(_)) => 3,
        None => 4,
    };
    (rank, category.map_or("no category", LeafCategory::file_text))
}

struct NodePaths<'a> {
    /// The paths in the order of the nodes.
    by_node: Vec<RubricNodePath<'a>>,
    by_path: BTreeMap<RubricNodePath<'a>, NodeId>,
}

fn node_paths(tree: &RubricTree) -> NodePaths<'_> {
    let mut by_node: Vec<RubricNodePath<'_>> = vec![vec![]; tree.nodes.len()];
    for at in 0..tree.nodes.len() {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for child in tree.child_nodes(NodeId::from_position(at)) {
            let Some(node) = tree.node(child) else { continue };
            let called = if node.id.is_empty() { &node.requirements } else { &node.id };
            let count = seen.entry(called).or_default();
            let mut path = by_node[at].clone();
            path.push((called, *count));
            *count += 1;
            by_node[child.position()] = path;
        }
    }
    let by_way = by_node.iter().cloned().zip((0..).map(NodeId::from_position)).collect();
    NodePaths { by_node, by_path: by_way }
}

/// Returns whether the parent of a node that the other tree lacks is in both trees.
fn is_highest(
    tree: &RubricTree,
    id: NodeId,
    paths: &NodePaths<'_>,
    other_paths: &NodePaths<'_>,
) -> bool {
    let above = tree.nodes_above(id).next().and_then(|above| paths.by_node.get(above.position()));
    above.is_none_or(|way| other_paths.by_path.contains_key(way))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_formats::{SourceBytes, format_by_name};

    fn parse_tree(text: &str) -> RubricTree {
        let format = format_by_name("paperbench").unwrap();
        let run =
            format.index_run(&[SourceBytes { name: "t.json", bytes: text.as_bytes() }]).unwrap();
        run.rubric_tree.unwrap().as_ref().clone()
    }

    fn leaf_json(id: &str, score: u8, is_valid: bool) -> String {
        format!(
            r#"{{"id": "{id}", "requirements": "r", "weight": 1, "score": {score}, "valid_score": {is_valid},
                "task_category": "Code Execution", "sub_tasks": []}}"#
        )
    }

    fn inner_json(id: &str, is_valid: bool, below: &[String]) -> String {
        format!(
            r#"{{"id": "{id}", "requirements": "r", "weight": 1, "score": 0, "valid_score": {is_valid},
                "sub_tasks": [{}]}}"#,
            below.join(",")
        )
    }

    fn leaf_scores(graded: &GradedPair) -> Vec<(f64, f64)> {
        graded.leaves.iter().map(|leaf| (leaf.reference, leaf.judge)).collect()
    }

    #[test]
    fn leaves_are_joined_by_their_ids_from_the_root_in_whatever_order() {
        let reference = parse_tree(&inner_json(
            "r",
            true,
            &[leaf_json("a", 1, true), leaf_json("b", 0, true), leaf_json("b", 1, true)],
        ));
        let judge = parse_tree(&inner_json(
            "other",
            true,
            &[leaf_json("b", 1, true), leaf_json("b", 0, true), leaf_json("a", 1, true)],
        ));

        let graded = GradedPair::new(&reference, &judge);

        assert_eq!(leaf_scores(&graded), [(0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]);
        assert_eq!(leaves_by_category(std::slice::from_ref(&graded)).len(), 1);
    }

    #[test]
    fn what_the_judge_did_not_grade_validly_is_left_out_with_all_below_it() {
        let reference = parse_tree(&inner_json(
            "r",
            true,
            &[leaf_json("a", 1, true), inner_json("i", true, &[leaf_json("b", 0, true)])],
        ));
        let judge = parse_tree(&inner_json(
            "r",
            true,
            &[leaf_json("a", 1, false), inner_json("i", false, &[leaf_json("b", 1, true)])],
        ));

        let graded = GradedPair::new(&reference, &judge);

        assert_eq!((leaf_scores(&graded), graded.invalid.len()), (vec![], 2));
    }

    #[test]
    fn nodes_of_one_tree_alone_are_named_by_the_highest_of_them() {
        let reference = parse_tree(&inner_json(
            "r",
            true,
            &[inner_json("i", true, &[leaf_json("a", 0, true)]), leaf_json("c", 0, true)],
        ));
        let judge = parse_tree(&inner_json(
            "r",
            true,
            &[leaf_json("c", 0, true), inner_json("j", true, &[leaf_json("a", 0, true)])],
        ));

        let graded = GradedPair::new(&reference, &judge);

        assert_eq!(graded.only_reference, [NodeId(1)]);
        assert_eq!(graded.only_judge, [NodeId(2)]);
        assert_eq!(leaf_scores(&graded), [(0.0, 0.0)]);
    }
}
