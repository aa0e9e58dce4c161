//! The rubric tree in `score`: what it comes to, and with `--detail` every node.

use std::io;

use serde::Serialize;

use crate::cli::output::{Out, OutputTable, TableColumn, cell_or_dash, cell_or_empty, safe_line};
use trajview_metrics::rubric_tree::{LeafCounting, NodeMeasure, TreeMeasures, TreeSummary};
use trajview_run::{
    first_line_label,
    rubric_tree::{LeafCategory, NodeId, RubricTree},
};

/// The result of a rubric tree. Scores are null if nothing is graded.
#[derive(Serialize)]
pub struct RubricTreeRow {
    #[serde(flatten)]
    pub summary: TreeSummary,
    /// The root's score in the file, next to the computed one.
    pub recorded: Option<f64>,
    /// The file the tree was read from.
    pub source: String,
    pub paper: Option<String>,
    pub judge: Option<String>,
    pub model: Option<String>,
    pub graded_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<RubricTreeDetail>,
}

#[derive(Serialize)]
pub struct RubricTreeDetail {
    /// Nodes in the order of the file, each before its sub-tasks.
    pub nodes: Vec<RubricNodeRow>,
}

#[derive(Serialize)]
pub struct RubricNodeRow {
    /// `0` is the root, `0/3/1` the second sub-task of its fourth.
    pub path: String,
    pub id: String,
    pub depth: usize,
    pub weight: f64,
    /// The share of the root's score: 0..1.
    pub share: f64,
    /// Worked out; of a leaf as recorded, 0 if that cannot be used.
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

/// The rows of a tree that are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RubricTreeRows {
    Sums,
    Nodes,
}

pub(crate) fn rubric_tree_row(tree: &RubricTree, included: RubricTreeRows) -> RubricTreeRow {
    let result = &tree.result;
    let words = |words: &Option<Box<str>>| words.as_deref().map(str::to_owned);
    RubricTreeRow {
        summary: TreeSummary::for_tree(tree),
        recorded: tree.root().and_then(|root| root.score),
        source: tree.file.clone(),
        paper: words(&result.paper),
        judge: words(&result.judge),
        model: words(&result.model),
        graded_at: words(&result.graded_at),
        detail: (included == RubricTreeRows::Nodes)
            .then(|| RubricTreeDetail { nodes: node_rows(tree) }),
    }
}

fn node_rows(tree: &RubricTree) -> Vec<RubricNodeRow> {
    let measures = TreeMeasures::new(tree, LeafCounting::All);
    (0..tree.nodes.len())
        .map(|at| {
            node_row(tree, NodeId::from_position(at), measures.get(NodeId::from_position(at)))
        })
        .collect()
}

fn node_row(tree: &RubricTree, id: NodeId, measure: NodeMeasure) -> RubricNodeRow {
    let node = &tree.nodes[id.position()];
    RubricNodeRow {
        path: tree.node_path(id).to_string(),
        id: node.id.to_string(),
        depth: usize::from(node.depth),
        weight: node.weight,
        share: measure.share,
        score: measure.score,
        recorded: node.score,
        validity: measure.validity().map(|validity| validity.word()),
        leaves: measure.leaves,
        invalid: measure.invalid,
        category: node.category.as_ref().map(LeafCategory::file_text).map(str::to_owned),
        tokens: node.judging_tokens().map(|(input, output)| [input, output]),
        requirements: node.requirements.to_string(),
    }
}

/// Returns `rubric tree of grader_output.json · rice · judged by simple, o3-mini · graded at ...`.
fn head_line(row: &RubricTreeRow) -> String {
    let judge = row.judge.iter().chain(&row.model).cloned().collect::<Vec<_>>().join(", ");
    let facts = [
        Some(format!("rubric tree of {}", row.source)),
        row.paper.clone(),
        (!judge.is_empty()).then(|| format!("judged by {judge}")),
        row.graded_at.as_ref().map(|at| format!("graded at {at}")),
    ];
    safe_line(&facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")).into_owned()
}

pub(crate) fn print_rubric_tree(
    row: &RubricTreeRow,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    if !is_markdown {
        out.print_sentence(&head_line(row))?;
        out.print_line("")?;
    }
    OutputTable::from_rows(&SUM_COLUMNS, [row]).write_table(is_markdown, out)?;
    let Some(detail) = &row.detail else { return Ok(()) };
    out.print_line("")?;
    OutputTable::from_rows(&NODE_COLUMNS, &detail.nodes).write_table(is_markdown, out)
}

const SUM_COLUMNS: [TableColumn<'_, RubricTreeRow>; 8] = [
    (">score", &|it| four_decimals(it.summary.score)),
    (">recorded", &|it| four_decimals(it.recorded)),
    (">without invalid", &|it| four_decimals(it.summary.score_without_invalid)),
    (">code only", &|it| four_decimals(it.summary.code_only)),
    (">leaves", &|it| it.summary.leaves.to_string()),
    (">invalid", &|it| cell_or_dash(it.summary.invalid)),
    (">nodes", &|it| it.summary.nodes.to_string()),
    (">depth", &|it| it.summary.depth.to_string()),
];

const NODE_COLUMNS: [TableColumn<'_, RubricNodeRow>; 8] = [
    ("node", &|it| it.path.clone()),
    (">weight", &|it| it.weight.to_string()),
    (">share", &|it| four_decimals(Some(it.share))),
    (">score", &|it| four_decimals(it.score)),
    (">recorded", &|it| four_decimals(it.recorded)),
    ("validity", &|it| cell_or_dash(it.validity)),
    ("category", &|it| cell_or_dash(it.category.as_ref())),
    ("requirements", &|it| first_line_label(&it.requirements).into()),
];

fn four_decimals(number: Option<f64>) -> String {
    cell_or_dash(number.map(|number| format!("{number:.4}")))
}

/// The columns of a tree in the table of all runs.
pub(crate) const CSV_COLUMNS: [&str; 7] = [
    "rubric_score",
    "rubric_score_recorded",
    "rubric_score_without_invalid",
    "rubric_code_only",
    "rubric_leaves",
    "rubric_invalid",
    "rubric_nodes",
];

/// Returns a cell for each of [`CSV_COLUMNS`]. Empty if there is no tree or nothing is graded.
pub(crate) fn csv_cells(row: Option<&RubricTreeRow>) -> [String; 7] {
    let sums = row.map(|row| row.summary);
    [
        cell_or_empty(sums.and_then(|sums| sums.score)),
        cell_or_empty(row.and_then(|row| row.recorded)),
        cell_or_empty(sums.and_then(|sums| sums.score_without_invalid)),
        cell_or_empty(sums.and_then(|sums| sums.code_only)),
        cell_or_empty(sums.map(|sums| sums.leaves)),
        cell_or_empty(sums.and_then(|sums| sums.invalid)),
        cell_or_empty(sums.map(|sums| sums.nodes)),
    ]
}
