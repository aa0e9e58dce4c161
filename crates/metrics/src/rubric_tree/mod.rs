//! The scores of a rubric tree, as PaperBench works them out.
//!
//! A leaf has the score it was given. A node with sub-tasks has their mean by weight, 0 where the weights add up to 0;
//! its own weight counts among its siblings only, so that the root's never counts. Scores times weights and weights are
//! each added up in the order of the file before one is divided by the other, as PaperBench's `score_from_children`
//! does: the results are the same to the last digit. A leaf whose judging failed (an invalid one) has the score 0 and
//! counts like any other; [`Counting::ValidOnly`] says what the score is without those.
//!
//! Formulas: PaperBench, `judge/graded_task_node.py` (`score_from_children`, `update_all_grades`) and `rubric/tasks.py`
//! (`reduce_to_category`).

use trajview_run::{
    rubric_tree::{Category, Node, NodeId, RubricTree},
    values::worded,
};

/// Which leaves count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Counting {
    /// All of them: PaperBench's score.
    #[default]
    All,
    /// Those of the category Code Development, as PaperBench Code-Dev has it; inner nodes left without any are dropped.
    CodeOnly,
    /// Those that were judged successfully; inner nodes left without any are dropped.
    ValidOnly,
}

/// What was worked out of each node, in the order of [`RubricTree::nodes`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measures {
    pub nodes: Vec<Measure>,
}

/// What was worked out of one node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measure {
    /// Whether the node counts; the rest is 0 or None where it does not.
    pub counts: bool,
    /// 0..=1, higher is better; None where nothing in the tree is graded.
    pub score: Option<f64>,
    /// How much of the root's score hangs on the node: 1 of the root, split among sub-tasks by weight.
    pub share: f64,
    /// Leaves that count: below the node, or the node itself.
    pub leaves: u32,
    /// Those among them without a valid score.
    pub invalid: u32,
}

worded! {
    /// Whether the leaves of a node were judged successfully.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Validity {
        Valid = "valid",
        /// Some are not.
        Partly = "partly",
        Invalid = "invalid",
    }
}

/// What a tree comes to.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Summary {
    /// The root's score, worked out from the leaves; None where nothing is graded.
    pub score: Option<f64>,
    /// As [`Self::score`], of the valid leaves only; None where there are none.
    pub score_without_invalid: Option<f64>,
    /// As [`Self::score`], of the leaves that are code only; None where there are none.
    pub code_only: Option<f64>,
    pub leaves: usize,
    pub nodes: usize,
    /// Steps from the root to the deepest node; 0 where the root is alone.
    pub depth: usize,
    /// Leaves without a valid score; None where nothing is graded.
    pub invalid: Option<usize>,
}

/// A node whose recorded score is not what its sub-tasks come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    pub node: NodeId,
    pub recorded: f64,
    pub computed: f64,
}

/// Scores closer than this are the same: a sum in another order, or a number written with fewer digits.
const SAME: f64 = 1e-9;

impl Measures {
    pub fn of(tree: &RubricTree, counting: Counting) -> Self {
        let is_graded = tree.is_graded();
        let mut nodes = vec![Measure::default(); tree.nodes.len()];
        // Sub-tasks stand behind their node: from the end on they are known before they are asked for.
        for at in (0..nodes.len()).rev() {
            nodes[at] = measure(tree, NodeId::of(at), counting, is_graded, &nodes);
        }
        let mut measures = Self { nodes };
        measures.split(tree);
        measures
    }

    pub fn get(&self, id: NodeId) -> Measure {
        self.nodes.get(id.at()).copied().unwrap_or_default()
    }

    /// Gives every node its share, from the root on.
    fn split(&mut self, tree: &RubricTree) {
        if let Some(root) = self.nodes.first_mut() {
            root.share = if root.counts { 1.0 } else { 0.0 };
        }
        for at in 0..self.nodes.len() {
            let (id, share) = (NodeId::of(at), self.nodes[at].share);
            let total = weights(tree, id, &self.nodes);
            for child in tree.children(id) {
                let weight = tree.node(child).map_or(0.0, |node| node.weight);
                if self.nodes[child.at()].counts && total > 0.0 {
                    self.nodes[child.at()].share = share * (weight / total);
                }
            }
        }
    }
}

/// The sum of the weights of the sub-tasks that count.
fn weights(tree: &RubricTree, id: NodeId, nodes: &[Measure]) -> f64 {
    let counted = tree.children(id).filter(|child| nodes[child.at()].counts);
    counted.filter_map(|child| tree.node(child)).map(|node| node.weight).sum()
}

fn measure(
    tree: &RubricTree,
    id: NodeId,
    counting: Counting,
    is_graded: bool,
    nodes: &[Measure],
) -> Measure {
    let Some(node) = tree.node(id) else { return Measure::default() };
    let counted: Vec<NodeId> = tree.children(id).filter(|child| nodes[child.at()].counts).collect();
    if counted.is_empty() {
        return leaf(node, tree.is_leaf(id), counting, is_graded);
    }
    let mut measure = Measure { counts: true, ..Measure::default() };
    let (mut weights, mut weighted) = (0.0, 0.0);
    for child in counted {
        let below = nodes[child.at()];
        let weight = tree.node(child).map_or(0.0, |node| node.weight);
        weights += weight;
        weighted += below.score.unwrap_or_default() * weight;
        measure.leaves += below.leaves;
        measure.invalid += below.invalid;
    }
    let score = if weights == 0.0 { 0.0 } else { weighted / weights };
    Measure { score: is_graded.then_some(score), ..measure }
}

/// A node none of whose sub-tasks count. PaperBench keeps one that is code by its own category.
fn leaf(node: &Node, is_leaf: bool, counting: Counting, is_graded: bool) -> Measure {
    let is_valid = node.is_valid_leaf();
    let counts = match counting {
        Counting::All => true,
        Counting::CodeOnly => node.category == Some(Category::CodeDevelopment),
        Counting::ValidOnly => is_leaf && (is_valid || !is_graded),
    };
    if !counts {
        return Measure::default();
    }
    Measure {
        counts,
        score: is_graded.then(|| node.score.unwrap_or_default()),
        share: 0.0,
        leaves: 1,
        invalid: u32::from(is_graded && !is_valid),
    }
}

impl Measure {
    /// What the node takes from the root's score: its share times what it lacks. 0..=1, lower is better.
    pub fn loss(&self) -> f64 {
        self.score.map_or(0.0, |score| self.share * (1.0 - score))
    }

    /// None where nothing of it is graded.
    pub fn validity(&self) -> Option<Validity> {
        self.score?;
        Some(match self.invalid {
            0 => Validity::Valid,
            some if some < self.leaves => Validity::Partly,
            _ => Validity::Invalid,
        })
    }
}

impl Summary {
    pub fn of(tree: &RubricTree) -> Self {
        let all = Measures::of(tree, Counting::All).get(NodeId::default());
        let root = |counting| Measures::of(tree, counting).get(NodeId::default()).score;
        Self {
            score: all.score,
            score_without_invalid: root(Counting::ValidOnly),
            code_only: root(Counting::CodeOnly),
            leaves: all.leaves as usize,
            nodes: tree.nodes.len(),
            depth: tree.nodes.iter().map(|node| usize::from(node.depth)).max().unwrap_or(0),
            invalid: all.score.map(|_| all.invalid as usize),
        }
    }
}

/// The nodes with sub-tasks whose recorded score differs from what was worked out, in the order of the tree.
pub fn differences(tree: &RubricTree, measures: &Measures) -> Vec<Difference> {
    let difference = |(at, node): (usize, &Node)| {
        let id = NodeId::of(at);
        let (recorded, computed) = (node.score?, measures.get(id).score?);
        let differs = !tree.is_leaf(id) && (recorded - computed).abs() > SAME;
        differs.then_some(Difference { node: id, recorded, computed })
    };
    tree.nodes.iter().enumerate().filter_map(difference).collect()
}

#[cfg(test)]
mod tests;
