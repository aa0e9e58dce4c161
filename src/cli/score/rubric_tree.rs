//! The rubric tree in `score`: what it comes to, and with `--detail` every node.

use std::io;

use crate::cli::output::{Json, Out, OutputTable, TableColumn, record, safe_line};
use trajview_metrics::rubric_tree::{LeafCounting, NodeMeasure, TreeMeasures, TreeSummary};
use trajview_run::{
    first_line_label,
    rubric_tree::{LeafCategory, NodeId, RubricTree},
};

/// The rows of a tree that are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RubricTreeRows {
    Sums,
    Nodes,
}

/// Makes the result of a rubric tree. Scores are null if nothing is graded.
pub(crate) fn rubric_tree_row(tree: &RubricTree, included: RubricTreeRows) -> Json {
    let result = &tree.result;
    let detail = (included == RubricTreeRows::Nodes).then(|| {
        // Nodes in the order of the file, each before its sub-tasks.
        record! { detail: record! { nodes: node_rows(tree) } }
    });
    record! {
        ..TreeSummary::for_tree(tree),
        // The root's score in the file, next to the computed one.
        recorded: tree.root().and_then(|root| root.score),
        // The file the tree was read from.
        source: tree.file,
        paper: result.paper,
        judge: result.judge,
        model: result.model,
        graded_at: result.graded_at,
        ..detail,
    }
}

fn node_rows(tree: &RubricTree) -> Json {
    let measures = TreeMeasures::new(tree, LeafCounting::All);
    let ids = (0..tree.nodes.len()).map(NodeId::from_position);
    Json::list(ids, |id| node_row(tree, id, measures.get(id)))
}

fn node_row(tree: &RubricTree, id: NodeId, measure: NodeMeasure) -> Json {
    let node = &tree.nodes[id.position()];
    record! {
        // `0` is the root, `0/3/1` the second sub-task of its fourth.
        path: tree.node_path(id).to_string(),
        id: node.id.to_string(),
        depth: node.depth,
        weight: node.weight,
        // The share of the root's score: 0..1.
        share: measure.share,
        // Computed; of a leaf as recorded, 0 if that cannot be used.
        score: measure.score,
        recorded: node.score,
        // valid, partly, invalid
        validity: measure.validity().map(|validity| validity.word()),
        leaves: measure.leaves,
        invalid: measure.invalid,
        category: node.category.as_ref().map(LeafCategory::file_text),
        tokens: node.judging_tokens().map(|(input, output)| [input, output]),
        requirements: node.requirements.to_string(),
    }
}

/// Returns `rubric tree of grader_output.json · rice · judged by simple, o3-mini · graded at ...`.
fn head_line(row: &Json) -> String {
    let judge: Vec<&str> = ["judge", "model"].iter().filter_map(|field| row.text(field)).collect();
    let facts = [
        Some(format!("rubric tree of {}", row.cell("source"))),
        row.text("paper").map(str::to_owned),
        (!judge.is_empty()).then(|| format!("judged by {}", judge.join(", "))),
        row.text("graded_at").map(|at| format!("graded at {at}")),
    ];
    safe_line(&facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")).into_owned()
}

pub(crate) fn print_rubric_tree(row: &Json, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    if !is_markdown {
        out.print_sentence(&head_line(row))?;
        out.print_line("")?;
    }
    OutputTable::from_rows(&SUM_COLUMNS, [row]).write_table(is_markdown, out)?;
    let detail = row.field("detail?");
    if detail.is_null() {
        return Ok(());
    }
    out.print_line("")?;
    OutputTable::from_rows(&NODE_COLUMNS, detail.rows("nodes")).write_table(is_markdown, out)
}

const SUM_COLUMNS: [TableColumn<'_, Json>; 8] = [
    (">score", &|it| it.digits_cell("score", 4)),
    (">recorded", &|it| it.digits_cell("recorded", 4)),
    (">without invalid", &|it| it.digits_cell("score_without_invalid", 4)),
    (">code only", &|it| it.digits_cell("code_only", 4)),
    (">leaves", &|it| it.cell("leaves")),
    (">invalid", &|it| it.cell("invalid")),
    (">nodes", &|it| it.cell("nodes")),
    (">depth", &|it| it.cell("depth")),
];

const NODE_COLUMNS: [TableColumn<'_, Json>; 8] = [
    ("node", &|it| it.cell("path")),
    (">weight", &|it| it.cell("weight")),
    (">share", &|it| it.digits_cell("share", 4)),
    (">score", &|it| it.digits_cell("score", 4)),
    (">recorded", &|it| it.digits_cell("recorded", 4)),
    ("validity", &|it| it.cell("validity")),
    ("category", &|it| it.cell("category")),
    ("requirements", &|it| first_line_label(&it.cell("requirements")).into()),
];

/// The columns of a tree in the table of all runs: head and field. Cells are empty if there is no tree or nothing is graded.
pub(crate) const CSV_COLUMNS: [(&str, &str); 7] = [
    ("rubric_score", "score"),
    ("rubric_score_recorded", "recorded"),
    ("rubric_score_without_invalid", "score_without_invalid"),
    ("rubric_code_only", "code_only"),
    ("rubric_leaves", "leaves"),
    ("rubric_invalid", "invalid"),
    ("rubric_nodes", "nodes"),
];
