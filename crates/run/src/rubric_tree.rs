//! A rubric of PaperBench: what a reproduction of a paper must do, as a tree of weighted requirements, and what a judge
//! gave for each where it was graded.
//!
//! The tree is kept as its file has it, in one list: each node stands before its sub-tasks, so that a node and all below
//! it are neighbours. Ids repeat in real rubrics; a node is named by its way from the root ([`RubricTree::path`]).
//! What follows from the scores is worked out by `metrics::rubric_tree`.

use std::{fmt, ops::Range};

/// A tree and what its file says beside it. There is always a root.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RubricTree {
    /// The file it was read from, as [`super::Warning::place`] names it.
    pub file: String,
    /// Each before its sub-tasks, those in the order of the file; the first is the root.
    pub nodes: Vec<Node>,
    pub result: Grading,
}

/// Which node of a tree: its position in [`RubricTree::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeId(pub u32);

/// One requirement. Without sub-tasks it is a leaf, which is what a judge grades.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Node {
    /// As written; not unique.
    pub id: Box<str>,
    /// None of the root.
    pub parent: Option<NodeId>,
    /// The position after the last node below this one.
    pub end: u32,
    /// Its place among the `sub_tasks` of its parent as the file has them; counts from 0.
    pub place: u32,
    /// Steps from the root, which has 0.
    pub depth: u16,
    pub requirements: Box<str>,
    /// How much it counts among its siblings: finite, 0 or more. What is no weight is 0.
    pub weight: f64,
    /// Of leaves; PaperBench writes one on an inner node that was graded as a whole.
    pub category: Option<Category>,
    /// `Method Implementation`; graded trees leave it out.
    pub finegrained: Option<Box<str>>,
    /// What is recorded, 0..=1; None where it was not graded or the number is off that range.
    pub score: Option<f64>,
    /// What is recorded; None where nothing is.
    pub is_valid: Option<bool>,
    pub explanation: Box<str>,
    /// What the judge said in its own words.
    pub answer: Option<Box<Answer>>,
}

/// What kind of requirement a leaf is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Category {
    CodeDevelopment,
    CodeExecution,
    ResultAnalysis,
    /// A whole part of the rubric, graded at once.
    Subtree,
    Other(Box<str>),
}

/// `judge_metadata` of a node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// `full_judge_response`: Markdown with a part on what is expected, on what is there, and the score.
    pub response: Box<str>,
    /// By model, in the order of the file.
    pub tokens: Vec<ModelTokens>,
}

/// What a model was sent and what it wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelTokens {
    pub model: Box<str>,
    pub input: u64,
    pub output: u64,
}

/// What a result file says of the grading as a whole. Any part may be missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grading {
    /// `simple`, `dummy`, `random`.
    pub judge: Option<Box<str>>,
    pub model: Option<Box<str>>,
    /// As written.
    pub graded_at: Option<Box<str>>,
    /// The result file's own score of the whole; the root's recorded one is in its node.
    pub score: Option<f64>,
    pub leaves: Option<u64>,
    pub invalid: Option<u64>,
    pub tokens: Vec<ModelTokens>,
    pub paper: Option<Box<str>>,
    pub run: Option<Box<str>>,
    pub has_submission: Option<bool>,
    /// Whether only code was to be graded.
    pub is_code_only: Option<bool>,
}

impl RubricTree {
    pub fn root(&self) -> Option<&Node> {
        self.nodes.first()
    }

    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.at())
    }

    /// Whether anything in it was graded: a rubric as it is published has no scores.
    pub fn is_graded(&self) -> bool {
        self.nodes.iter().any(|node| node.score.is_some() || node.is_valid.is_some())
    }

    pub fn is_leaf(&self, id: NodeId) -> bool {
        self.below(id).is_empty()
    }

    /// The positions of all nodes below this one.
    pub fn below(&self, id: NodeId) -> Range<usize> {
        let start = id.at() + 1;
        start
            ..self
                .node(id)
                .map_or(start, |node| node.end as usize)
                .clamp(start, self.nodes.len().max(start))
    }

    /// The sub-tasks of a node, in the order of the file.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let below = self.below(id);
        let mut next = below.start;
        std::iter::from_fn(move || {
            let id = NodeId((next < below.end).then_some(next)? as u32);
            next = self.below(id).end;
            Some(id)
        })
    }

    /// The nodes above this one, the closest first.
    pub fn above(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        // A parent stands before its child; anything else is no tree and ends the walk.
        let parent = |id: NodeId| self.node(id)?.parent.filter(|parent| *parent < id);
        std::iter::successors(parent(id), move |id| parent(*id))
    }

    /// The way from the root: the root is `0`, the second part of its fourth sub-task is `0/3/1`.
    pub fn path(&self, id: NodeId) -> Path {
        let place = |id: NodeId| self.node(id).map_or(0, |node| node.place);
        let mut places: Vec<u32> = std::iter::once(id).chain(self.above(id)).map(place).collect();
        places.reverse();
        Path(places)
    }

    /// The node at such a way.
    pub fn find(&self, path: &str) -> Option<NodeId> {
        let mut places = path.split('/').map(str::parse::<u32>);
        let root = NodeId::default();
        let first = places.next()?.ok()?;
        let start = self.root().filter(|node| node.place == first).map(|_| root);
        places.fold(start, |at, place| {
            let (at, place) = (at?, place.ok()?);
            self.children(at).find(|id| self.node(*id).is_some_and(|node| node.place == place))
        })
    }
}

impl NodeId {
    /// Of the node at a position of [`RubricTree::nodes`].
    pub const fn of(at: usize) -> Self {
        Self(at as u32)
    }

    pub const fn at(self) -> usize {
        self.0 as usize
    }
}

impl Node {
    /// Whether the leaf has a score that was given to it: a usable number that nobody calls invalid.
    pub fn is_valid_leaf(&self) -> bool {
        self.score.is_some() && self.is_valid != Some(false)
    }

    /// All the tokens of its judging: sent and written.
    pub fn tokens(&self) -> Option<(u64, u64)> {
        let tokens =
            self.answer.as_ref().map(|answer| answer.tokens.as_slice()).unwrap_or_default();
        (!tokens.is_empty()).then(|| sum(tokens))
    }
}

/// Sent and written, over all models.
pub fn sum(tokens: &[ModelTokens]) -> (u64, u64) {
    tokens.iter().fold((0, 0), |(input, output), of| {
        (input.saturating_add(of.input), output.saturating_add(of.output))
    })
}

impl Category {
    pub fn of(word: &str) -> Self {
        match word {
            "Code Development" => Self::CodeDevelopment,
            "Code Execution" => Self::CodeExecution,
            "Result Analysis" => Self::ResultAnalysis,
            "Subtree" => Self::Subtree,
            other => Self::Other(other.into()),
        }
    }

    /// The words of the files.
    pub fn words(&self) -> &str {
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
pub struct Path(Vec<u32>);

impl fmt::Display for Path {
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

    fn node(parent: Option<u32>, place: u32, end: u32) -> Node {
        Node { parent: parent.map(NodeId), place, end, ..Node::default() }
    }

    /// A root with two sub-tasks; the second, third in the file, has two leaves.
    fn tree() -> RubricTree {
        let nodes = vec![
            node(None, 0, 5),
            node(Some(0), 0, 2),
            node(Some(0), 2, 5),
            node(Some(2), 0, 4),
            node(Some(2), 1, 5),
        ];
        RubricTree { nodes, ..RubricTree::default() }
    }

    #[test]
    fn a_node_is_found_by_its_way_from_the_root_and_named_by_it() {
        let tree = tree();

        for at in 0..tree.nodes.len() {
            let path = tree.path(NodeId::of(at)).to_string();
            assert_eq!(tree.find(&path), Some(NodeId::of(at)), "{path}");
        }
        assert_eq!(tree.path(NodeId(4)).to_string(), "0/2/1");
        assert_eq!(["1", "0/1", "0/2/9", "", "0/x"].map(|path| tree.find(path)), [None; 5]);
    }

    #[test]
    fn sub_tasks_stand_one_after_the_other() {
        let tree = tree();

        assert_eq!(tree.children(NodeId(0)).collect::<Vec<_>>(), [NodeId(1), NodeId(2)]);
        assert_eq!(tree.children(NodeId(2)).collect::<Vec<_>>(), [NodeId(3), NodeId(4)]);
        assert!(tree.is_leaf(NodeId(1)) && !tree.is_leaf(NodeId(2)));
        assert_eq!(tree.above(NodeId(4)).collect::<Vec<_>>(), [NodeId(2), NodeId(0)]);
    }

    #[test]
    fn a_list_that_is_no_tree_is_walked_to_an_end() {
        let mut broken = tree();
        broken.nodes[2].parent = Some(NodeId(4));
        broken.nodes[2].end = 99;

        assert_eq!(broken.path(NodeId(4)).to_string(), "2/1");
        assert_eq!(broken.children(NodeId(0)).count(), 2);
    }
}
