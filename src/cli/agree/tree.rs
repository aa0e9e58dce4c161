//! `agree --tree`: JudgeEval's table of PaperBench, two graded trees by node.

use std::{io, path::Path, sync::Arc};

use serde::Serialize;

use crate::cli::{
    CommandFailure, CommandResult, Exit,
    output::{Json, Out, OutputTable, TableColumn, cell_or_dash, print_note, record},
};
use trajview_metrics::rubric_tree::TreeSummary;
use trajview_run::{
    first_line_label,
    rubric_tree::{NodeId, RubricTree},
};
use trajview_store as store;
use trajview_study::{
    RatingScale,
    agreement::classes::ZeroDivision,
    graded_trees::{GradedLeaf, GradedPair, all_leaves, leaves_by_category},
};

use super::{
    AgreeArgs,
    number_text::{PlainNumber, print_section},
    reference::{
        ReferenceMeasures, ReferenceOptions, binary_table, by_run_table, class_table, whole_table,
    },
};

/// The source of the formulas.
const SOURCE: &str =
    "PaperBench, judge/judge_eval/evaluate.py: scikit-learn's averages over classes";

/// Nodes of one kind that are named in text; JSON has all.
const MOST_NAMED: usize = 10;

#[derive(Serialize)]
struct TreeAgreementDocument {
    schema: &'static str,
    source: &'static str,
    /// The value that averages use for a class without a precision or recall.
    zero_division: &'static str,
    positive: Option<String>,
    seed: u64,
    resamples: usize,
    trees: Vec<Json>,
    /// The measures over the leaves of all trees together.
    overall: LeafGroup,
    categories: Vec<LeafGroup>,
}

/// All leaves, or those of one category.
#[derive(Serialize)]
struct LeafGroup {
    name: String,
    /// Sum of the reference's scores, and what is left of the number of leaves: JudgeEval's counts.
    positives: f64,
    negatives: f64,
    #[serde(flatten)]
    measures: ReferenceMeasures,
}

pub fn run(args: &AgreeArgs, out: &mut Out) -> CommandResult {
    if !args.paths.len().is_multiple_of(2) {
        let why = "--tree needs pairs of trees: the reference, then the judge's, and so on";
        return Err(CommandFailure::wrong_arguments(why));
    }
    let trees = args.paths.iter().map(|path| open_tree(path)).collect::<Result<Vec<_>, _>>()?;
    let pairs: Vec<[&RubricTree; 2]> =
        trees.chunks_exact(2).map(|two| [&*two[0], &*two[1]]).collect();
    let graded: Vec<GradedPair> = pairs.iter().map(|[a, b]| GradedPair::new(a, b)).collect();
    let leaves = graded.iter().flat_map(|it| &it.leaves);
    let scores = leaves.flat_map(|leaf| [leaf.reference, leaf.judge]);
    let scale = match &args.levels {
        Some(words) if words != "observed" => RatingScale::parse(words)
            .map_err(|why| CommandFailure::wrong_arguments(format!("--levels: {why}")))?,
        _ => RatingScale::from_scores(scores).map_err(|why| {
            let why = format!("no leaf of these trees is graded in both: {why}");
            CommandFailure::cannot_understand(why)
        })?,
    };
    let document = tree_document(&pairs, &graded, &scale, args);
    if args.json {
        out.print_json(&document)?;
    } else if args.csv {
        write_csv(&document, out)?;
    } else {
        print_document(&document, args, out)?;
    }
    Ok(Exit::Fine)
}

fn open_tree(path: &Path) -> Result<Arc<RubricTree>, CommandFailure> {
    let opened = store::open(path)?;
    let name = path.display();
    opened
        .run
        .warnings
        .iter()
        .for_each(|it| print_note(&format!("{name}: {}: {}", it.place, it.what)));
    opened.run.rubric_tree.clone().ok_or_else(|| {
        CommandFailure::cannot_understand(format!(
            "{name}: not a rubric tree; --tree compares two graded trees"
        ))
    })
}

fn tree_document(
    pairs: &[[&RubricTree; 2]],
    graded: &[GradedPair],
    scale: &RatingScale,
    args: &AgreeArgs,
) -> TreeAgreementDocument {
    let plan = args.resampling.to_plan();
    let terms = args.against.reference_terms(ZeroDivision::Zero);
    let with = ReferenceOptions { scale, terms, plan: &plan, grouping: None };
    let categories = leaves_by_category(graded).into_iter();
    TreeAgreementDocument {
        schema: "trajview.agree-tree/1",
        source: SOURCE,
        zero_division: terms.zero.word(),
        positive: terms.positive.map(|it| it.to_string()),
        seed: plan.seed,
        resamples: plan.resamples,
        trees: pairs
            .iter()
            .zip(graded)
            .map(|(pair, graded)| tree_pair_row(*pair, graded))
            .collect(),
        overall: leaf_group("overall".into(), &all_leaves(graded).collect::<Vec<_>>(), &with),
        categories: categories.map(|(name, leaves)| leaf_group(name, &leaves, &with)).collect(),
    }
}

/// Measures leaves; the bootstrap draws trees as clusters where there are several, as it does with runs.
fn leaf_group(
    name: String,
    leaves: &[(usize, &GradedLeaf)],
    with: &ReferenceOptions<'_>,
) -> LeafGroup {
    let scores: Vec<(f64, f64)> =
        leaves.iter().map(|(_, leaf)| (leaf.reference, leaf.judge)).collect();
    let trees: Vec<usize> = leaves.iter().map(|(tree, _)| *tree).collect();
    let positives = scores.iter().fold(0.0, |sum, (reference, _)| sum + reference);
    LeafGroup {
        name,
        positives,
        negatives: scores.len() as f64 - positives,
        measures: ReferenceMeasures::from_scores(&scores, &trees, with),
    }
}

/// Returns the JSON of two trees of one rubric. The differences are the judge's score less the reference's, of the root
/// and of the leaves that are code only, null if either has none. `leaves` are compared; `invalid` leaves of both are
/// not graded validly by the judge, and `unscored` ones have no score in the reference. `leaf_in_one` are a leaf in
/// only one tree, as the judge's tree has them, and `only_reference` and `only_judge` are the highest nodes that the
/// other tree lacks.
fn tree_pair_row([reference, judge]: [&RubricTree; 2], graded: &GradedPair) -> Json {
    let (of_reference, of_judge) = (TreeSummary::for_tree(reference), TreeSummary::for_tree(judge));
    let less = |score_of: fn(&TreeSummary) -> Option<f64>| {
        Some(score_of(&of_judge)? - score_of(&of_reference)?)
    };
    let nodes = |tree: &RubricTree, ids: &[NodeId]| Json::list(ids, |id| node_row(tree, *id));
    let in_judge: Vec<NodeId> = graded.leaf_in_one.iter().map(|(_, id)| *id).collect();
    let differ = graded.leaves.iter().filter(|leaf| leaf.reference != leaf.judge);
    record! {
        reference: tree_row(reference, &of_reference),
        judge: tree_row(judge, &of_judge),
        difference: less(|it| it.score),
        code_only_difference: less(|it| it.code_only),
        leaves: graded.leaves.len(),
        invalid: nodes(judge, &graded.invalid),
        unscored: nodes(judge, &graded.unscored),
        leaf_in_one: nodes(judge, &in_judge),
        only_reference: nodes(reference, &graded.only_reference),
        only_judge: nodes(judge, &graded.only_judge),
        disagreements: Json::list(differ, |leaf| leaf_disagreement_row(judge, leaf)),
    }
}

fn tree_row(tree: &RubricTree, summary: &TreeSummary) -> Json {
    let result = &tree.result;
    record! {
        file: tree.file,
        paper: result.paper,
        judge: result.judge,
        model: result.model,
        ..summary
    }
}

/// Returns the JSON of a node. The path is that from the root, by index: `0/3/1`; `leaves` counts those below the node,
/// or 1 for a leaf.
fn node_row(tree: &RubricTree, id: NodeId) -> Json {
    let below = tree.nodes_below(id).filter(|at| tree.is_leaf(NodeId::from_position(*at))).count();
    record! {
        path: tree.node_path(id).to_string(),
        id: tree.node(id).map_or("", |node| &node.id),
        requirements: tree.node(id).map_or("", |node| &node.requirements),
        leaves: if tree.is_leaf(id) { 1 } else { below },
    }
}

/// Returns the JSON of a leaf on which the two differ. The path is that in the judge's tree.
fn leaf_disagreement_row(judge: &RubricTree, leaf: &GradedLeaf) -> Json {
    let node = node_row(judge, leaf.in_judge);
    record! {
        path: node.field("path"),
        category: leaf.category.as_ref().map(|it| it.file_text()),
        reference: PlainNumber(leaf.reference),
        judge: PlainNumber(leaf.judge),
        requirements: node.field("requirements"),
    }
}

fn print_document(
    document: &TreeAgreementDocument,
    args: &AgreeArgs,
    out: &mut Out,
) -> io::Result<()> {
    let parts = || std::iter::once(&document.overall).chain(&document.categories);
    let rows = || parts().map(|part| (vec![part.name.clone()], &part.measures));
    let intervals = match document.resamples {
        0 => "no intervals".into(),
        count => format!("95 % intervals, BCa, {count} resamples, seed {}", document.seed),
    };
    let trees = document.trees.len();
    let trees =
        if trees == 1 { "a judge's tree".into() } else { format!("{trees} trees of a judge") };
    out.print_sentence(&format!("{trees} against a reference, leaf by leaf · {intervals}"))?;
    print_section("weighted score of the root", &root_score_table(&document.trees), out)?;
    let zero = match document.zero_division {
        "undefined" => "classes without a value are excluded".to_owned(),
        number => format!("classes without a value count as {number}"),
    };
    let title = format!("leaves that both graded; averages over the scores, {zero}");
    print_section(&title, &whole_table(&["category"], rows()), out)?;
    if let Some(table) = by_run_table(&["category"], rows()) {
        print_section("95 % intervals, resampling whole trees", &table, out)?;
    }
    print_section("score by score", &class_table(&["category"], rows()), out)?;
    if let Some(table) = binary_table(&["category"], rows()) {
        let positive = document.positive.as_deref().unwrap_or_default();
        print_section(&format!("positive is {positive}"), &table, out)?;
    }
    if args.detail {
        for trees in document.trees.iter().filter(|it| !it.rows("disagreements").is_empty()) {
            let title = format!("where {} differs", trees.cell("judge.file"));
            print_section(&title, &differing_leaves_table(trees), out)?;
        }
    }
    print_notes(document, out)
}

fn root_score_table(trees: &[Json]) -> OutputTable {
    let signed =
        |it: &Json, field: &str| cell_or_dash(it.number(field).map(|it| format!("{it:+.4}")));
    let columns: [TableColumn<'_, Json>; 8] = [
        ("tree", &|it| it.cell_or("judge.paper", &it.cell("judge.file"))),
        (">reference", &|it| it.digits_cell("reference.score", 4)),
        (">judge", &|it| it.digits_cell("judge.score", 4)),
        (">difference", &|it| signed(it, "difference")),
        (">leaves", &|it| it.cell("leaves")),
        (">code only: reference", &|it| it.digits_cell("reference.code_only", 4)),
        (">code only: judge", &|it| it.digits_cell("judge.code_only", 4)),
        (">code only: difference", &|it| signed(it, "code_only_difference")),
    ];
    OutputTable::from_rows(&columns, trees)
}

fn differing_leaves_table(trees: &Json) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 5] = [
        ("node", &|it| it.cell("path")),
        ("category", &|it| it.cell("category")),
        (">reference", &|it| it.cell("reference")),
        (">judge", &|it| it.cell("judge")),
        ("requirements", &|it| first_line_label(&it.cell("requirements")).into()),
    ];
    OutputTable::from_rows(&columns, trees.rows("disagreements"))
}

/// Prints the nodes that are not compared, with the reason.
fn print_notes(document: &TreeAgreementDocument, out: &mut Out) -> io::Result<()> {
    out.print_line("")?;
    for it in &document.trees {
        let kinds = [
            ("only in the reference", it.rows("only_reference")),
            ("only in the judge's tree", it.rows("only_judge")),
            ("a leaf in only one tree", it.rows("leaf_in_one")),
            ("not graded validly by the judge", it.rows("invalid")),
            ("without a score in the reference", it.rows("unscored")),
        ];
        for (what, nodes) in kinds.iter().filter(|(_, nodes)| !nodes.is_empty()) {
            let leaves: u64 = nodes.iter().map(|node| node.count("leaves")).sum();
            let named_paths: Vec<String> =
                nodes.iter().take(MOST_NAMED).map(|node| node.cell("path")).collect();
            let more = match nodes.len() - named_paths.len() {
                0 => String::new(),
                count => format!(" and {count} more"),
            };
            let file = it.cell("judge.file");
            out.print_sentence(&format!(
                "excluded from {file}: {what}, leaves: {leaves}, node {}{more}",
                named_paths.join(", ")
            ))?;
        }
    }
    out.print_sentence(&format!("averages: {}", document.source))
}

/// Writes a row a category and measure, then the classes.
fn write_csv(document: &TreeAgreementDocument, out: &mut Out) -> io::Result<()> {
    let parts = std::iter::once(&document.overall).chain(&document.categories);
    let rows = parts.flat_map(|part| {
        let category = part.name.as_str();
        let whole = part.measures.estimates.iter().map(move |(it, twice)| {
            record! {
                category: category,
                class: (),
                n: part.measures.classified.n,
                measure: it.name(),
                value: twice.by_item.value.ok(),
                ci95: twice.by_item.interval.ok(),
                ci95_by_tree: twice.by_run.ok(),
            }
        });
        let classes = part.measures.classified.classes.iter().flat_map(move |class| {
            let scores = &class.scores;
            let named =
                [("precision", scores.precision), ("recall", scores.recall), ("f1", scores.f1)];
            named.map(|(measure, value)| {
                record! {
                    category: category,
                    class: class.level,
                    n: class.support,
                    measure: measure,
                    value: value.ok(),
                    ci95: (),
                    ci95_by_tree: (),
                }
            })
        });
        whole.chain(classes)
    });
    out.print_csv(
        "category class n measure value ci95_low=ci95.0 ci95_high=ci95.1 \
         ci95_by_tree_low=ci95_by_tree.0 ci95_by_tree_high=ci95_by_tree.1",
        rows,
    )
}
