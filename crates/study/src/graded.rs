//! Two graded rubric trees node by node: a reference, and a judge who graded the same rubric.
//!
//! Nodes are joined by their way from the root: by the ids on it, the requirements where there is no id, and the order
//! among siblings that share both. Leaves are compared as PaperBench's JudgeEval does it
//! (`judge/judge_eval/evaluate.py`): those that the judge graded validly, with all above them, in the category that the
//! judge's tree gives them.

use std::collections::BTreeMap;

use trajview_run::rubric_tree::{Category, NodeId, RubricTree};

/// What two trees have in common, and what not.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Graded {
    /// Leaves of both with a score in both, in the order of the judge's tree.
    pub leaves: Vec<Leaf>,
    /// Leaves of both that the judge did not grade validly, by node of the judge's tree.
    pub invalid: Vec<NodeId>,
    /// Leaves of both without a score in the reference, by node of the judge's tree.
    pub unscored: Vec<NodeId>,
    /// Nodes that are a leaf in one tree and have sub-tasks in the other: of the reference, of the judge's tree.
    pub leaf_in_one: Vec<(NodeId, NodeId)>,
    /// The highest nodes of the reference that the judge's tree lacks; all below them is missing too.
    pub only_reference: Vec<NodeId>,
    /// The same the other way round.
    pub only_judge: Vec<NodeId>,
}

/// A leaf of both trees.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    pub in_reference: NodeId,
    pub in_judge: NodeId,
    /// As the judge's tree has it, else the reference; None where neither says it.
    pub category: Option<Category>,
    /// What the reference and the judge gave, 0..=1.
    pub reference: f64,
    pub judge: f64,
}

/// Ids, or requirements, from the root on, each with its number among siblings that share it. The root is the root,
/// whatever it is called.
type Way<'a> = Vec<(&'a str, usize)>;

impl Graded {
    pub fn of(reference: &RubricTree, judge: &RubricTree) -> Self {
        let (of_reference, of_judge) = (ways(reference), ways(judge));
        let mut graded = Self::default();
        for at in 0..judge.nodes.len() {
            let id = NodeId::of(at);
            let Some(way) = of_judge.by_node.get(at) else { continue };
            match of_reference.by_way.get(way) {
                Some(other) => graded.join((reference, *other), (judge, id)),
                None if is_highest(judge, id, &of_judge, &of_reference) => {
                    graded.only_judge.push(id);
                }
                None => {}
            }
        }
        let missing = (0..reference.nodes.len()).map(NodeId::of).filter(|id| {
            let way = of_reference.by_node.get(id.at());
            way.is_some_and(|way| !of_judge.by_way.contains_key(way))
                && is_highest(reference, *id, &of_reference, &of_judge)
        });
        graded.only_reference = missing.collect();
        graded
    }

    fn join(&mut self, (reference, a): (&RubricTree, NodeId), (judge, b): (&RubricTree, NodeId)) {
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
            _ if has_failed(b) || judge.above(b).any(has_failed) => self.invalid.push(b),
            (None, _) => self.unscored.push(b),
            (Some(reference), Some(judge)) => self.leaves.push(Leaf {
                in_reference: a,
                in_judge: b,
                category: of_b.category.clone().or_else(|| of_a.category.clone()),
                reference,
                judge,
            }),
        }
    }
}

/// The leaves of several such trees, each with which it is of, counted from 0: category by category in the order of
/// PaperBench, others behind them by name, those without one last.
pub fn by_category(graded: &[Graded]) -> Vec<(String, Vec<(usize, &Leaf)>)> {
    let mut parts: BTreeMap<(u8, &str), Vec<(usize, &Leaf)>> = BTreeMap::new();
    for (tree, leaf) in all_leaves(graded) {
        parts.entry(place(leaf.category.as_ref())).or_default().push((tree, leaf));
    }
    parts.into_iter().map(|((_, name), leaves)| (name.to_owned(), leaves)).collect()
}

/// The leaves of several such trees, each with which it is of, counted from 0.
pub fn all_leaves(graded: &[Graded]) -> impl Iterator<Item = (usize, &Leaf)> {
    graded.iter().enumerate().flat_map(|(tree, it)| it.leaves.iter().map(move |leaf| (tree, leaf)))
}

fn place(category: Option<&Category>) -> (u8, &str) {
    let rank = match category {
        Some(Category::CodeDevelopment) => 0,
        Some(Category::CodeExecution) => 1,
        Some(Category::ResultAnalysis) => 2,
        Some(Category::Subtree | Category::Other(_)) => 3,
        None => 4,
    };
    (rank, category.map_or("no category", Category::words))
}

struct Ways<'a> {
    /// In the order of the nodes.
    by_node: Vec<Way<'a>>,
    by_way: BTreeMap<Way<'a>, NodeId>,
}

fn ways(tree: &RubricTree) -> Ways<'_> {
    let mut by_node: Vec<Way<'_>> = vec![vec![]; tree.nodes.len()];
    for at in 0..tree.nodes.len() {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for child in tree.children(NodeId::of(at)) {
            let Some(node) = tree.node(child) else { continue };
            let called = if node.id.is_empty() { &node.requirements } else { &node.id };
            let count = seen.entry(called).or_default();
            let mut way = by_node[at].clone();
            way.push((called, *count));
            *count += 1;
            by_node[child.at()] = way;
        }
    }
    let by_way = by_node.iter().cloned().zip((0..).map(NodeId::of)).collect();
    Ways { by_node, by_way }
}

/// Whether the node above one that the other tree lacks is in both.
fn is_highest(tree: &RubricTree, id: NodeId, own: &Ways<'_>, other: &Ways<'_>) -> bool {
    let above = tree.above(id).next().and_then(|above| own.by_node.get(above.at()));
    above.is_none_or(|way| other.by_way.contains_key(way))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_formats::{Source, by_name};

    fn tree(text: &str) -> RubricTree {
        let format = by_name("paperbench").unwrap();
        let run = format.index(&[Source { name: "t.json", bytes: text.as_bytes() }]).unwrap();
        run.rubric_tree.unwrap().as_ref().clone()
    }

    fn leaf(id: &str, score: u8, is_valid: bool) -> String {
        format!(
            r#"{{"id": "{id}", "requirements": "r", "weight": 1, "score": {score}, "valid_score": {is_valid},
                "task_category": "Code Execution", "sub_tasks": []}}"#
        )
    }

    fn inner(id: &str, is_valid: bool, below: &[String]) -> String {
        format!(
            r#"{{"id": "{id}", "requirements": "r", "weight": 1, "score": 0, "valid_score": {is_valid},
                "sub_tasks": [{}]}}"#,
            below.join(",")
        )
    }

    fn scores(graded: &Graded) -> Vec<(f64, f64)> {
        graded.leaves.iter().map(|leaf| (leaf.reference, leaf.judge)).collect()
    }

    #[test]
    fn leaves_are_joined_by_their_ids_from_the_root_in_whatever_order() {
        let reference =
            tree(&inner("r", true, &[leaf("a", 1, true), leaf("b", 0, true), leaf("b", 1, true)]));
        let judge = tree(&inner(
            "other",
            true,
            &[leaf("b", 1, true), leaf("b", 0, true), leaf("a", 1, true)],
        ));

        let graded = Graded::of(&reference, &judge);

        assert_eq!(scores(&graded), [(0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]);
        assert_eq!(by_category(std::slice::from_ref(&graded)).len(), 1);
    }

    #[test]
    fn what_the_judge_did_not_grade_validly_is_left_out_with_all_below_it() {
        let reference =
            tree(&inner("r", true, &[leaf("a", 1, true), inner("i", true, &[leaf("b", 0, true)])]));
        let judge = tree(&inner(
            "r",
            true,
            &[leaf("a", 1, false), inner("i", false, &[leaf("b", 1, true)])],
        ));

        let graded = Graded::of(&reference, &judge);

        assert_eq!((scores(&graded), graded.invalid.len()), (vec![], 2));
    }

    #[test]
    fn nodes_of_one_tree_alone_are_named_by_the_highest_of_them() {
        let reference =
            tree(&inner("r", true, &[inner("i", true, &[leaf("a", 0, true)]), leaf("c", 0, true)]));
        let judge =
            tree(&inner("r", true, &[leaf("c", 0, true), inner("j", true, &[leaf("a", 0, true)])]));

        let graded = Graded::of(&reference, &judge);

        assert_eq!(graded.only_reference, [NodeId(1)]);
        assert_eq!(graded.only_judge, [NodeId(2)]);
        assert_eq!(scores(&graded), [(0.0, 0.0)]);
    }
}
