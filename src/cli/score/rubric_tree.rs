//! The rubric tree in `score`: what it comes to, and with `--detail` every node.

use std::io;

use serde::Serialize;

use crate::cli::output::{Column, Out, Table, cell, dash, plain};
use trajview_metrics::rubric_tree::{Counting, Measure, Measures, Summary};
use trajview_run::{
    label,
    rubric_tree::{Category, NodeId, RubricTree},
};

/// What is said of a tree. Scores are null where nothing is graded.
#[derive(Serialize)]
pub struct TreeRow {
    #[serde(flatten)]
    pub summary: Summary,
    /// The root's score as the file has it, beside the one worked out.
    pub recorded: Option<f64>,
    /// The file the tree was read from.
    pub source: String,
    pub paper: Option<String>,
    pub judge: Option<String>,
    pub model: Option<String>,
    pub graded_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}

#[derive(Serialize)]
pub struct Detail {
    /// In the order of the file, each before its sub-tasks.
    pub nodes: Vec<NodeRow>,
}

#[derive(Serialize)]
pub struct NodeRow {
    /// `0` is the root, `0/3/1` the second sub-task of its fourth.
    pub path: String,
    pub id: String,
    pub depth: usize,
    pub weight: f64,
    /// Of the root's score: 0..1.
    pub share: f64,
    /// Worked out; of a leaf as recorded, 0 where that cannot be used.
    pub score: Option<f64>,
    pub recorded: Option<f64>,
    /// valid, partly, invalid
    pub validity: Option<&'static str>,
    pub leaves: u32,
    pub invalid: u32,
    pub category: Option<String>,
    pub tokens: Option<[u64; 2]>,
    pub requirements: String,
}

/// Which of a tree's nodes are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeRows {
    Sums,
    Nodes,
}

pub fn row(tree: &RubricTree, told: NodeRows) -> TreeRow {
    let result = &tree.result;
    let words = |words: &Option<Box<str>>| words.as_deref().map(str::to_owned);
    TreeRow {
        summary: Summary::of(tree),
        recorded: tree.root().and_then(|root| root.score),
        source: tree.file.clone(),
        paper: words(&result.paper),
        judge: words(&result.judge),
        model: words(&result.model),
        graded_at: words(&result.graded_at),
        detail: (told == NodeRows::Nodes).then(|| Detail { nodes: nodes(tree) }),
    }
}

fn nodes(tree: &RubricTree) -> Vec<NodeRow> {
    let measures = Measures::of(tree, Counting::All);
    (0..tree.nodes.len())
        .map(|at| node(tree, NodeId::of(at), measures.get(NodeId::of(at))))
        .collect()
}

fn node(tree: &RubricTree, id: NodeId, measure: Measure) -> NodeRow {
    let node = &tree.nodes[id.at()];
    NodeRow {
        path: tree.path(id).to_string(),
        id: node.id.to_string(),
        depth: usize::from(node.depth),
        weight: node.weight,
        share: measure.share,
        score: measure.score,
        recorded: node.score,
        validity: measure.validity().map(|validity| validity.word()),
        leaves: measure.leaves,
        invalid: measure.invalid,
        category: node.category.as_ref().map(Category::words).map(str::to_owned),
        tokens: node.tokens().map(|(input, output)| [input, output]),
        requirements: node.requirements.to_string(),
    }
}

/// `rubric tree of grader_output.json · rice · judged by simple, o3-mini · graded at ...`
fn head(row: &TreeRow) -> String {
    let judge = row.judge.iter().chain(&row.model).cloned().collect::<Vec<_>>().join(", ");
    let facts = [
        Some(format!("rubric tree of {}", row.source)),
        row.paper.clone(),
        (!judge.is_empty()).then(|| format!("judged by {judge}")),
        row.graded_at.as_ref().map(|at| format!("graded at {at}")),
    ];
    plain(&facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")).into_owned()
}

pub fn print(row: &TreeRow, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    if !is_markdown {
        out.sentence(&head(row))?;
        out.line("")?;
    }
    Table::of(&SUMS, [row]).write(is_markdown, out)?;
    let Some(detail) = &row.detail else { return Ok(()) };
    out.line("")?;
    Table::of(&NODES, &detail.nodes).write(is_markdown, out)
}

const SUMS: [Column<'_, TreeRow>; 8] = [
    (">score", &|it| share(it.summary.score)),
    (">recorded", &|it| share(it.recorded)),
    (">without invalid", &|it| share(it.summary.score_without_invalid)),
    (">code only", &|it| share(it.summary.code_only)),
    (">leaves", &|it| it.summary.leaves.to_string()),
    (">invalid", &|it| dash(it.summary.invalid)),
    (">nodes", &|it| it.summary.nodes.to_string()),
    (">depth", &|it| it.summary.depth.to_string()),
];

const NODES: [Column<'_, NodeRow>; 8] = [
    ("node", &|it| it.path.clone()),
    (">weight", &|it| it.weight.to_string()),
    (">share", &|it| share(Some(it.share))),
    (">score", &|it| share(it.score)),
    (">recorded", &|it| share(it.recorded)),
    ("validity", &|it| dash(it.validity)),
    ("category", &|it| dash(it.category.as_ref())),
    ("requirements", &|it| label(&it.requirements).into()),
];

fn share(number: Option<f64>) -> String {
    dash(number.map(|number| format!("{number:.4}")))
}

/// The columns of a tree in the table of all runs.
pub const COLUMNS: [&str; 7] = [
    "rubric_score",
    "rubric_score_recorded",
    "rubric_score_without_invalid",
    "rubric_code_only",
    "rubric_leaves",
    "rubric_invalid",
    "rubric_nodes",
];

/// A cell for each of [`COLUMNS`]; empty where there is no tree or nothing is graded.
pub fn cells(row: Option<&TreeRow>) -> [String; 7] {
    let sums = row.map(|row| row.summary);
    [
        cell(sums.and_then(|sums| sums.score)),
        cell(row.and_then(|row| row.recorded)),
        cell(sums.and_then(|sums| sums.score_without_invalid)),
        cell(sums.and_then(|sums| sums.code_only)),
        cell(sums.map(|sums| sums.leaves)),
        cell(sums.and_then(|sums| sums.invalid)),
        cell(sums.map(|sums| sums.nodes)),
    ]
}
