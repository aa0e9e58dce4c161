//! Computes the scores of a rubric tree like PaperBench.
//!
//! A leaf has its given score. A node with sub-tasks has their mean by weight, 0 where the weights add up to 0; its
//! own weight counts among its siblings only, so that the root's never counts. Scores times weights and weights are
//! each added up in the order of the file before one is divided by the other, as PaperBench's `score_from_children`
//! does: the results are the same to the last digit. A leaf whose judging failed (an invalid one) has the score 0 and
//! counts like any other; [`LeafCounting::ValidOnly`] gives the score without those.
//!
//! Formulas: PaperBench, `judge/graded_task_node.py` (`score_from_children`, `update_all_grades`) and `rubric/tasks.py`
//! (`reduce_to_category`).

use trajview_run::{
    rubric_tree::{LeafCategory, NodeId, RubricNode, RubricTree},
    worded_enum::worded,
};

/// The leaves that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum LeafCounting {
    /// All leaves: PaperBench's score.
    #[default]
    All,
    /// The leaves of the category Code Development, as PaperBench Code-Dev has it; inner nodes left without any are
    /// dropped.
    CodeOnly,
    /// The leaves that were judged successfully; inner nodes left without any are dropped.
    ValidOnly,
}

/// The measures of each node, in the order of [`RubricTree::nodes`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TreeMeasures {
    pub nodes: Vec<NodeMeasure>,
}

/// The measures of one node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NodeMeasure {
    /// True where the node counts; the other fields are 0 or None where it does not.
    pub counts: bool,
    /// 0..=1, higher is better; None where nothing in the tree is graded.
    pub score: Option<f64>,
    /// The node's share of the root's score: 1 for the root, split among sub-tasks by weight.
    pub share: f64,
    /// The number of leaves that count: below the node, or the node itself.
    pub leaves: u32,
    /// The number of those leaves without a valid score.
    pub invalid: u32,
}

worded! {
    /// The validity of a node, by whether its leaves were judged successfully.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Validity {
        Valid = "valid",
        /// Some leaves are valid, and some are not.
        Partly = "partly",
        Invalid = "invalid",
    }
}

/// The scores of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct TreeSummary {
    /// The root's score, computed from the leaves; None where nothing is graded.
    pub score: Option<f64>,
    /// Like [`Self::score`], over the valid leaves only; None where there are none.
    pub score_without_invalid: Option<f64>,
    /// Like [`Self::score`], over the leaves of code only; None where there are none.
    pub code_only: Option<f64>,
    pub leaves: usize,
    pub nodes: usize,
    /// Steps from the root to the deepest node; 0 where the root is alone.
    pub depth: usize,
    /// Leaves without a valid score; None where nothing is graded.
    pub invalid: Option<usize>,
}

/// A node whose recorded score differs from the one computed from its sub-tasks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreDifference {
    pub node: NodeId,
    pub recorded: f64,
    pub computed: f64,
}

/// The largest difference between equal scores, as from a sum in another order, or a number written with fewer digits.
const MAX_ROUNDING: f64 = 1e-9;

impl TreeMeasures {
    /// Measures every node of a tree, over the leaves that `counting` selects.
    pub fn new(tree: &RubricTree, counting: LeafCounting) -> Self {
        let is_graded = tree.is_graded();
        let mut nodes = vec![NodeMeasure::default(); tree.nodes.len()];
        // Sub-tasks come after their node: computed from the end, they are known before they are needed.
        for at in (0..nodes.len()).rev() {
            nodes[at] = measure_node(tree, NodeId::from_position(at), counting, is_graded, &nodes);
        }
        let mut measures = Self { nodes };
        measures.split_shares(tree);
        measures
    }

    /// Returns the measures of a node; those of a node that does not count where the tree has no such node.
    pub fn get(&self, id: NodeId) -> NodeMeasure {
        self.nodes.get(id.position()).copied().unwrap_or_default()
    }

    /// Sets the share of every node, from the root on.
    fn split_shares(&mut self, tree: &RubricTree) {
        if let Some(root) = self.nodes.first_mut() {
            root.share = if root.counts { 1.0 } else { 0.0 };
        }
        for at in 0..self.nodes.len() {
            let (id, share) = (NodeId::from_position(at), self.nodes[at].share);
            let total = weight_sum(tree, id, &self.nodes);
            for child in tree.child_nodes(id) {
                let weight = tree.node(child).map_or(0.0, |node| node.weight);
                if self.nodes[child.position()].counts && total > 0.0 {
                    self.nodes[child.position()].share = share * (weight / total);
                }
            }
        }
    }
}

/// Returns the sum of the weights of the sub-tasks that count.
fn weight_sum(tree: &RubricTree, id: NodeId, nodes: &[NodeMeasure]) -> f64 {
    let counted = tree.child_nodes(id).filter(|child| nodes[child.position()].counts);
    counted.filter_map(|child| tree.node(child)).map(|node| node.weight).sum()
}

/// Measures a node whose sub-tasks are already measured.
fn measure_node(
    tree: &RubricTree,
    id: NodeId,
    counting: LeafCounting,
    is_graded: bool,
    nodes: &[NodeMeasure],
) -> NodeMeasure {
    let Some(node) = tree.node(id) else { return NodeMeasure::default() };
    let counted: Vec<NodeId> =
        tree.child_nodes(id).filter(|child| nodes[child.position()].counts).collect();
    if counted.is_empty() {
        return measure_leaf(node, tree.is_leaf(id), counting, is_graded);
    }
    let mut measure = NodeMeasure { counts: true, ..NodeMeasure::default() };
    let (mut weights, mut weighted) = (0.0, 0.0);
    for child in counted {
        let below = nodes[child.position()];
        let weight = tree.node(child).map_or(0.0, |node| node.weight);
        weights += weight;
        weighted += below.score.unwrap_or_default() * weight;
        measure.leaves += below.leaves;
        measure.invalid += below.invalid;
    }
    let score = if weights == 0.0 { 0.0 } else { weighted / weights };
    NodeMeasure { score: is_graded.then_some(score), ..measure }
}

/// Measures a node none of whose sub-tasks count. PaperBench keeps one whose own category is code.
fn measure_leaf(
    node: &RubricNode,
    is_leaf: bool,
    counting: LeafCounting,
    is_graded: bool,
) -> NodeMeasure {
    let is_valid = node.is_valid_leaf();
    let counts = match counting {
        LeafCounting::All => true,
        LeafCounting::CodeOnly => node.category == Some(LeafCategory::CodeDevelopment),
        LeafCounting::ValidOnly => is_leaf && (is_valid || !is_graded),
    };
    if !counts {
        return NodeMeasure::default();
    }
    NodeMeasure {
        counts,
        score: is_graded.then(|| node.score.unwrap_or_default()),
        share: 0.0,
        leaves: 1,
        invalid: u32::from(is_graded && !is_valid),
    }
}

impl NodeMeasure {
    /// Returns the node's loss of the root's score: its share times one minus its score. 0..=1, lower is better.
    pub fn score_loss(&self) -> f64 {
        self.score.map_or(0.0, |score| self.share * (1.0 - score))
    }

    /// Returns the validity; None where nothing of the node is graded.
    pub fn validity(&self) -> Option<Validity> {
        self.score?;
        Some(match self.invalid {
            0 => Validity::Valid,
            some if some < self.leaves => Validity::Partly,
            _ => Validity::Invalid,
        })
    }
}

impl TreeSummary {
    /// Computes the scores of a tree.
    pub fn for_tree(tree: &RubricTree) -> Self {
        let all = TreeMeasures::new(tree, LeafCounting::All).get(NodeId::default());
        let root = |counting| TreeMeasures::new(tree, counting).get(NodeId::default()).score;
        Self {
            score: all.score,
            score_without_invalid: root(LeafCounting::ValidOnly),
            code_only: root(LeafCounting::CodeOnly),
            leaves: all.leaves as usize,
            nodes: tree.nodes.len(),
            depth: tree.nodes.iter().map(|node| usize::from(node.depth)).max().unwrap_or(0),
            invalid: all.score.map(|_| all.invalid as usize),
        }
    }
}

/// Returns the nodes with sub-tasks whose recorded score differs from the computed one, in the order of the tree.
pub fn score_differences(tree: &RubricTree, measures: &TreeMeasures) -> Vec<ScoreDifference> {
    let difference = |(at, node): (usize, &RubricNode)| {
        let id = NodeId::from_position(at);
        let (recorded, computed) = (node.score?, measures.get(id).score?);
        let differs = !tree.is_leaf(id) && (recorded - computed).abs() > MAX_ROUNDING;
        differs.then_some(ScoreDifference { node: id, recorded, computed })
    };
    tree.nodes.iter().enumerate().filter_map(difference).collect()
}

#[cfg(test)]
mod tests;
