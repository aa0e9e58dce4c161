//! A rubric of PaperBench: what a reproduction of a paper must do, as a tree of weighted requirements, and what a judge
//! gave for each where it was graded.
//!
//! The tree is kept as its file has it, in one list: each node comes before its sub-tasks, so that a node and all below
//! it are neighbours. Ids repeat in real rubrics; a node is named by its path from the root
//! ([`RubricTree::node_path`]). `metrics::rubric_tree` computes the results of the scores.

use std::{fmt, ops::Range};

/// A tree and what its file says beside it. There is always a root.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RubricTree {
    /// The file it was read from, as [`super::Warning::place`] names it.
    pub file: String,
    /// Each before its sub-tasks, those in the order of the file; the first is the root.
    pub nodes: Vec<RubricNode>,
    pub result: TreeGrading,
}

/// The id of a node: its position in [`RubricTree::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeId(pub u32);

/// One requirement. Without sub-tasks it is a leaf, which is what a judge grades.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RubricNode {
    /// The id as written; not unique.
    pub id: Box<str>,
    /// The parent; None for the root.
    pub parent: Option<NodeId>,
    /// The position after the last node below this one.
    pub end: u32,
    /// Its place among the `sub_tasks` of its parent as the file has them; counts from 0.
    pub place: u32,
    /// Steps from the root, which has 0.
    pub depth: u16,
    pub requirements: Box<str>,
    /// The weight among its siblings: finite, 0 or more. A value that is no weight is 0.
    pub weight: f64,
    /// The category of a leaf; PaperBench writes one on an inner node that was graded as a whole.
    pub category: Option<LeafCategory>,
    /// `Method Implementation`; graded trees leave it out.
    pub finegrained: Option<Box<str>>,
    /// The recorded score, 0..=1; None where it was not graded or the number is off that range.
    pub score: Option<f64>,
    /// The recorded validity; None where there is none.
    pub is_valid: Option<bool>,
    pub explanation: Box<str>,
    /// The judge's own words.
    pub answer: Option<Box<GradeAnswer>>,
}

/// The kind of requirement of a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeafCategory {
    CodeDevelopment,
    CodeExecution,
    ResultAnalysis,
    /// A whole part of the rubric, graded at once.
    Subtree,
    Other(Box<str>),
}

/// `judge_metadata` of a node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GradeAnswer {
    /// `full_judge_response`: Markdown with a part on what is expected, on what is there, and the score.
    pub response: Box<str>,
    /// Tokens by model, in the order of the file.
    pub tokens: Vec<ModelTokens>,
}

/// The input and output tokens of a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelTokens {
    pub model: Box<str>,
    pub input: u64,
    pub output: u64,
}

/// The data of a result file about the grading as a whole. Any part may be missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TreeGrading {
    /// `simple`, `dummy`, `random`.
    pub judge: Option<Box<str>>,
    pub model: Option<Box<str>>,
    /// The time of grading as written.
    pub graded_at: Option<Box<str>>,
    /// The result file's own score of the whole; the root's recorded one is in its node.
    pub score: Option<f64>,
    pub leaves: Option<u64>,
    pub invalid: Option<u64>,
    pub tokens: Vec<ModelTokens>,
    pub paper: Option<Box<str>>,
    pub run: Option<Box<str>>,
    pub has_submission: Option<bool>,
    /// True if only code was to be graded.
    pub is_code_only: Option<bool>,
}

impl RubricTree {
    pub fn root(&self) -> Option<&RubricNode> {
        self.nodes.first()
    }

    pub fn node(&self, id: NodeId) -> Option<&RubricNode> {
        self.nodes.get(id.position())
    }

    /// Returns whether anything in it was graded: a rubric as it is published has no scores.
    pub fn is_graded(&self) -> bool {
        self.nodes.iter().any(|node| node.score.is_some() || node.is_valid.is_some())
    }

    pub fn is_leaf(&self, id: NodeId) -> bool {
        self.nodes_below(id).is_empty()
    }

    /// Returns the positions of all nodes below this one.
    pub fn nodes_below(&self, id: NodeId) -> Range<usize> {
        let start = id.position() + 1;
        start
            ..self
                .node(id)
                .map_or(start, |node| node.end as usize)
                .clamp(start, self.nodes.len().max(start))
    }

    /// Returns the sub-tasks of a node, in the order of the file.
    pub fn child_nodes(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let below = self.nodes_below(id);
        let mut next = below.start;
        std::iter::from_fn(move || {
            let id = NodeId((next < below.end).then_some(next)? as u32);
            next = self.nodes_below(id).end;
            Some(id)
        })
    }

    /// Returns the nodes above this one, the closest first.
    pub fn nodes_above(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        // A parent comes before its child; anything else is no tree and ends the walk.
        let parent = |id: NodeId| self.node(id)?.parent.filter(|parent| *parent < id);
        std::iter::successors(parent(id), move |id| parent(*id))
    }

    /// Returns the way from the root: the root is `0`, the second part of its fourth sub-task is `0/3/1`.
    pub fn node_path(&self, id: NodeId) -> NodePath {
        let place = |id: NodeId| self.node(id).map_or(0, |node| node.place);
        let mut places: Vec<u32> =
            std::iter::once(id).chain(self.nodes_above(id)).map(place).collect();
        places.reverse();
        NodePath(places)
    }

    /// Returns the node at such a way.
    pub fn node_at_path(&self, path: &str) -> Option<NodeId> {
        let mut places = path.split('/').map(str::parse::<u32>);
        let root = NodeId::default();
        let first = places.next()?.ok()?;
        let start = self.root().filter(|node| node.place == first).map(|_| root);
        places.fold(start, |at, place| {
            let (at, place) = (at?, place.ok()?);
            self.child_nodes(at).find(|id| self.node(*id).is_some_and(|node| node.place == place))
        })
    }
}

impl NodeId {
    /// Makes the id of the node at a position of [`RubricTree::nodes`].
    pub const fn from_position(at: usize) -> Self {
        Self(at as u32)
    }

    pub const fn position(self) -> usize {
        self.0 as usize
    }
}

impl RubricNode {
    /// Returns whether the leaf has a usable score that is not marked invalid.
    pub fn is_valid_leaf(&self) -> bool {
        self.score.is_some() && self.is_valid != Some(false)
    }

    /// Returns all the tokens of its judging: sent and written.
    pub fn judging_tokens(&self) -> Option<(u64, u64)> {
        let tokens =
            self.answer.as_ref().map(|answer| answer.tokens.as_slice()).unwrap_or_default();
        (!tokens.is_empty()).then(|| sum_tokens(tokens))
    }
}

/// Returns input and output tokens of all models.
pub fn sum_tokens(tokens: &[ModelTokens]) -> (u64, u64) {
    tokens.iter().fold((0, 0), |(input, output), model| {
        (input.saturating_add(model.input), output.saturating_add(model.output))
    })
}

impl LeafCategory {
    pub fn from_file_text(word: &str) -> Self {
        match word {
            "Code Development" => Self::CodeDevelopment,
            "Code Execution" => Self::CodeExecution,
            "Result Analysis" => Self::ResultAnalysis,
            "Subtree" => Self::Subtree,
            other => Self::Other(other.into()),
        }
    }

    /// Returns the words of the files.
    pub fn file_text(&self) -> &str {
        match self {
            Self::CodeDevelopment => "Code Development",
            Self::CodeExecution => "Code Execution",
            Self::ResultAnalysis => "Result Analysis",
            Self::Subtree => "Subtree",
            Self::Other(words) => words,
        }
    }
}

/// A way from the root; shown as `0/3/1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct NodePath(Vec<u32>);

impl fmt::Display for NodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, place) in self.0.iter().enumerate() {
            let between = if at == 0 { "" } else { "/" };
            write!(f, "{between}{place}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_node(parent: Option<u32>, place: u32, end: u32) -> RubricNode {
        RubricNode { parent: parent.map(NodeId), place, end, ..RubricNode::default() }
    }

    /// Returns a root with two sub-tasks; the second, third in the file, has two leaves.
    fn sample_tree() -> RubricTree {
        let nodes = vec![
            sample_node(None, 0, 5),
            sample_node(Some(0), 0, 2),
            sample_node(Some(0), 2, 5),
            sample_node(Some(2), 0, 4),
            sample_node(Some(2), 1, 5),
        ];
        RubricTree { nodes, ..RubricTree::default() }
    }

    #[test]
    fn a_node_is_found_by_its_way_from_the_root_and_named_by_it() {
        let tree = sample_tree();

        for at in 0..tree.nodes.len() {
            let path = tree.node_path(NodeId::from_position(at)).to_string();
            assert_eq!(tree.node_at_path(&path), Some(NodeId::from_position(at)), "{path}");
        }
        assert_eq!(tree.node_path(NodeId(4)).to_string(), "0/2/1");
        assert_eq!(["1", "0/1", "0/2/9", "", "0/x"].map(|path| tree.node_at_path(path)), [None; 5]);
    }

    #[test]
    fn sub_tasks_stand_one_after_the_other() {
        let tree = sample_tree();

        assert_eq!(tree.child_nodes(NodeId(0)).collect::<Vec<_>>(), [NodeId(1), NodeId(2)]);
        assert_eq!(tree.child_nodes(NodeId(2)).collect::<Vec<_>>(), [NodeId(3), NodeId(4)]);
        assert!(tree.is_leaf(NodeId(1)) && !tree.is_leaf(NodeId(2)));
        assert_eq!(tree.nodes_above(NodeId(4)).collect::<Vec<_>>(), [NodeId(2), NodeId(0)]);
    }

    #[test]
    fn a_list_that_is_no_tree_is_walked_to_an_end() {
        let mut broken = sample_tree();
        broken.nodes[2].parent = Some(NodeId(4));
        broken.nodes[2].end = 99;

        assert_eq!(broken.node_path(NodeId(4)).to_string(), "2/1");
        assert_eq!(broken.child_nodes(NodeId(0)).count(), 2);
    }
}
