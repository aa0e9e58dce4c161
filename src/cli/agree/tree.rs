//! `agree --tree`: JudgeEval's table of PaperBench, two graded trees by node.

use std::{io, path::Path, sync::Arc};

use serde::Serialize;

use crate::cli::{
    Exit, Failure, Outcome,
    output::{Out, Table, dash, tell},
};
use trajview_metrics::rubric_tree::Summary;
use trajview_run::{
    label,
    rubric_tree::{NodeId, RubricTree},
};
use trajview_store as store;
use trajview_study::{
    Scale,
    agreement::classes::ZeroDivision,
    graded::{Graded, Leaf, all_leaves, by_category},
};

use super::{
    Args,
    reference::{Measured, With, binary_table, by_run_table, class_table, whole_table},
    written::{plain_number, section},
};

/// Where the formulas are from.
const SOURCE: &str =
    "PaperBench, judge/judge_eval/evaluate.py: scikit-learn's averages over classes";

/// Nodes of one kind that are named in text; JSON has all.
const MOST_NAMED: usize = 10;

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    source: &'static str,
    /// What a class without a precision or recall counts as in averages.
    zero_division: &'static str,
    positive: Option<String>,
    seed: u64,
    resamples: usize,
    trees: Vec<TreesRow>,
    /// Of the leaves of all trees together.
    overall: Part,
    categories: Vec<Part>,
}

/// Two trees of one rubric.
#[derive(Serialize)]
struct TreesRow {
    reference: TreeRow,
    judge: TreeRow,
    /// The weighted score of the root: the judge's less the reference's; null where either has none.
    difference: Option<f64>,
    /// The same of the leaves that are code only.
    code_only_difference: Option<f64>,
    /// Leaves that are compared.
    leaves: usize,
    /// Leaves of both that are not: not graded validly by the judge, not scored in the reference.
    invalid: Vec<NodeRow>,
    unscored: Vec<NodeRow>,
    /// Nodes that are a leaf in one tree alone, as the judge's tree has them.
    leaf_in_one: Vec<NodeRow>,
    /// The highest nodes that the other tree lacks.
    only_reference: Vec<NodeRow>,
    only_judge: Vec<NodeRow>,
    /// Leaves with another score.
    disagreements: Vec<LeafRow>,
}

#[derive(Serialize)]
struct TreeRow {
    file: String,
    paper: Option<String>,
    judge: Option<String>,
    model: Option<String>,
    #[serde(flatten)]
    summary: Summary,
}

#[derive(Serialize)]
struct NodeRow {
    /// The way from the root by place: `0/3/1`.
    path: String,
    id: String,
    requirements: String,
    /// Below it, or itself.
    leaves: usize,
}

#[derive(Serialize)]
struct LeafRow {
    /// In the judge's tree.
    path: String,
    category: Option<String>,
    #[serde(serialize_with = "plain_number")]
    reference: f64,
    #[serde(serialize_with = "plain_number")]
    judge: f64,
    requirements: String,
}

/// All leaves, or those of one category.
#[derive(Serialize)]
struct Part {
    name: String,
    /// Sum of the reference's scores, and what is left of the number of leaves: JudgeEval's counts.
    positives: f64,
    negatives: f64,
    #[serde(flatten)]
    measures: Measured,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    if !args.paths.len().is_multiple_of(2) {
        let why = "--tree takes trees by twos: the reference, then the judge's, and so on";
        return Err(Failure::wrong(why));
    }
    let trees = args.paths.iter().map(|path| tree(path)).collect::<Result<Vec<_>, _>>()?;
    let pairs: Vec<[&RubricTree; 2]> =
        trees.chunks_exact(2).map(|two| [&*two[0], &*two[1]]).collect();
    let graded: Vec<Graded> = pairs.iter().map(|[a, b]| Graded::of(a, b)).collect();
    let leaves = graded.iter().flat_map(|it| &it.leaves);
    let scores = leaves.flat_map(|leaf| [leaf.reference, leaf.judge]);
    let scale = match &args.levels {
        Some(words) if words != "observed" => {
            Scale::parse(words).map_err(|why| Failure::wrong(format!("--levels: {why}")))?
        }
        _ => Scale::observed(scores).map_err(|why| {
            let why = format!("no leaf of these trees is graded in both: {why}");
            Failure::not_understood(why)
        })?,
    };
    let document = document(&pairs, &graded, &scale, args);
    if args.json {
        out.json(&document)?;
    } else if args.csv {
        csv(&document, out)?;
    } else {
        print(&document, args, out)?;
    }
    Ok(Exit::Fine)
}

fn tree(path: &Path) -> Result<Arc<RubricTree>, Failure> {
    let opened = store::open(path)?;
    let name = path.display();
    opened.run.warnings.iter().for_each(|it| tell(&format!("{name}: {}: {}", it.place, it.what)));
    opened.run.rubric_tree.clone().ok_or_else(|| {
        Failure::not_understood(format!(
            "{name}: holds no rubric tree; --tree compares two graded ones"
        ))
    })
}

fn document(pairs: &[[&RubricTree; 2]], graded: &[Graded], scale: &Scale, args: &Args) -> Document {
    let plan = args.resampling.plan();
    let terms = args.against.terms(ZeroDivision::Zero);
    let with = With { scale, terms, plan: &plan, by: None };
    let categories = by_category(graded).into_iter();
    Document {
        schema: "trajview.agree-tree/1",
        source: SOURCE,
        zero_division: terms.zero.word(),
        positive: terms.positive.map(|it| it.to_string()),
        seed: plan.seed,
        resamples: plan.resamples,
        trees: pairs.iter().zip(graded).map(|(pair, graded)| trees_row(*pair, graded)).collect(),
        overall: part("overall".into(), &all_leaves(graded).collect::<Vec<_>>(), &with),
        categories: categories.map(|(name, leaves)| part(name, &leaves, &with)).collect(),
    }
}

/// Trees are drawn whole where there are several, as runs are.
fn part(name: String, leaves: &[(usize, &Leaf)], with: &With<'_>) -> Part {
    let scores: Vec<(f64, f64)> =
        leaves.iter().map(|(_, leaf)| (leaf.reference, leaf.judge)).collect();
    let trees: Vec<usize> = leaves.iter().map(|(tree, _)| *tree).collect();
    let positives = scores.iter().fold(0.0, |sum, (reference, _)| sum + reference);
    Part {
        name,
        positives,
        negatives: scores.len() as f64 - positives,
        measures: Measured::of_scores(&scores, &trees, with),
    }
}

fn trees_row([reference, judge]: [&RubricTree; 2], graded: &Graded) -> TreesRow {
    let (of_reference, of_judge) = (Summary::of(reference), Summary::of(judge));
    let less = |of: fn(&Summary) -> Option<f64>| Some(of(&of_judge)? - of(&of_reference)?);
    let nodes = |tree: &RubricTree, ids: &[NodeId]| -> Vec<NodeRow> {
        ids.iter().map(|id| node_row(tree, *id)).collect()
    };
    let in_judge: Vec<NodeId> = graded.leaf_in_one.iter().map(|(_, id)| *id).collect();
    let differ = graded.leaves.iter().filter(|leaf| leaf.reference != leaf.judge);
    TreesRow {
        reference: tree_row(reference, of_reference),
        judge: tree_row(judge, of_judge),
        difference: less(|it| it.score),
        code_only_difference: less(|it| it.code_only),
        leaves: graded.leaves.len(),
        invalid: nodes(judge, &graded.invalid),
        unscored: nodes(judge, &graded.unscored),
        leaf_in_one: nodes(judge, &in_judge),
        only_reference: nodes(reference, &graded.only_reference),
        only_judge: nodes(judge, &graded.only_judge),
        disagreements: differ.map(|leaf| leaf_row(judge, leaf)).collect(),
    }
}

fn tree_row(tree: &RubricTree, summary: Summary) -> TreeRow {
    let words = |words: &Option<Box<str>>| words.as_deref().map(str::to_owned);
    let result = &tree.result;
    TreeRow {
        file: tree.file.clone(),
        paper: words(&result.paper),
        judge: words(&result.judge),
        model: words(&result.model),
        summary,
    }
}

fn node_row(tree: &RubricTree, id: NodeId) -> NodeRow {
    let of = |word: fn(&trajview_run::rubric_tree::Node) -> &str| {
        tree.node(id).map(word).unwrap_or_default().to_owned()
    };
    let below = tree.below(id).filter(|at| tree.is_leaf(NodeId::of(*at))).count();
    NodeRow {
        path: tree.path(id).to_string(),
        id: of(|node| &node.id),
        requirements: of(|node| &node.requirements),
        leaves: if tree.is_leaf(id) { 1 } else { below },
    }
}

fn leaf_row(judge: &RubricTree, leaf: &Leaf) -> LeafRow {
    let node = node_row(judge, leaf.in_judge);
    LeafRow {
        path: node.path,
        category: leaf.category.as_ref().map(|it| it.words().to_owned()),
        reference: leaf.reference,
        judge: leaf.judge,
        requirements: node.requirements,
    }
}

fn print(document: &Document, args: &Args, out: &mut Out) -> io::Result<()> {
    let parts = || std::iter::once(&document.overall).chain(&document.categories);
    let rows = || parts().map(|part| (vec![part.name.clone()], &part.measures));
    let intervals = match document.resamples {
        0 => "no intervals".into(),
        count => format!("95 % intervals, BCa, {count} resamples, seed {}", document.seed),
    };
    let trees = document.trees.len();
    let trees =
        if trees == 1 { "a judge's tree".into() } else { format!("{trees} trees of a judge") };
    out.sentence(&format!("{trees} against a reference, leaf by leaf · {intervals}"))?;
    section("weighted score of the root", &roots(&document.trees), out)?;
    let zero = match document.zero_division {
        "undefined" => "classes without a value are left out".to_owned(),
        number => format!("classes without a value count as {number}"),
    };
    let title = format!("leaves that both graded; averages over the scores, {zero}");
    section(&title, &whole_table(&["category"], rows()), out)?;
    if let Some(table) = by_run_table(&["category"], rows()) {
        section("95 % intervals drawn over trees, each whole", &table, out)?;
    }
    section("score by score", &class_table(&["category"], rows()), out)?;
    if let Some(table) = binary_table(&["category"], rows()) {
        let positive = document.positive.as_deref().unwrap_or_default();
        section(&format!("positive is {positive}"), &table, out)?;
    }
    if args.detail {
        for trees in document.trees.iter().filter(|trees| !trees.disagreements.is_empty()) {
            let title = format!("where {} differs", trees.judge.file);
            section(&title, &differing(trees), out)?;
        }
    }
    notes(document, out)
}

fn roots(trees: &[TreesRow]) -> Table {
    let heads = [
        "tree",
        ">reference",
        ">judge",
        ">difference",
        ">leaves",
        ">code only: reference",
        ">code only: judge",
        ">code only: difference",
    ];
    let mut table = Table::new(&heads);
    let share = |it: Option<f64>| dash(it.map(|it| format!("{it:.4}")));
    let signed = |it: Option<f64>| dash(it.map(|it| format!("{it:+.4}")));
    for it in trees {
        let (a, b) = (&it.reference.summary, &it.judge.summary);
        table.row(vec![
            it.judge.paper.clone().unwrap_or_else(|| it.judge.file.clone()),
            share(a.score),
            share(b.score),
            signed(it.difference),
            it.leaves.to_string(),
            share(a.code_only),
            share(b.code_only),
            signed(it.code_only_difference),
        ]);
    }
    table
}

fn differing(trees: &TreesRow) -> Table {
    let mut table = Table::new(&["node", "category", ">reference", ">judge", "requirements"]);
    for it in &trees.disagreements {
        table.row(vec![
            it.path.clone(),
            dash(it.category.as_ref()),
            it.reference.to_string(),
            it.judge.to_string(),
            label(&it.requirements).into(),
        ]);
    }
    table
}

/// What is not compared, and why.
fn notes(document: &Document, out: &mut Out) -> io::Result<()> {
    out.line("")?;
    for it in &document.trees {
        let kinds: [(&str, &[NodeRow]); 5] = [
            ("only in the reference", &it.only_reference),
            ("only in the judge's tree", &it.only_judge),
            ("a leaf in one tree alone", &it.leaf_in_one),
            ("not graded validly by the judge", &it.invalid),
            ("without a score in the reference", &it.unscored),
        ];
        for (what, nodes) in kinds.iter().filter(|(_, nodes)| !nodes.is_empty()) {
            let leaves: usize = nodes.iter().map(|node| node.leaves).sum();
            let named: Vec<&str> =
                nodes.iter().take(MOST_NAMED).map(|node| node.path.as_str()).collect();
            let more = match nodes.len() - named.len() {
                0 => String::new(),
                count => format!(" and {count} more"),
            };
            let file = &it.judge.file;
            out.sentence(&format!(
                "left out of {file}: {what}, leaves: {leaves}, node {}{more}",
                named.join(", ")
            ))?;
        }
    }
    out.sentence(&format!("averages: {}", document.source))
}

/// A row a category and measure, then the classes.
fn csv(document: &Document, out: &mut Out) -> io::Result<()> {
    #[derive(Serialize)]
    struct Row<'a> {
        category: &'a str,
        class: Option<f64>,
        n: u64,
        measure: &'static str,
        value: Option<f64>,
        ci95: Option<trajview_study::Interval>,
        ci95_by_tree: Option<trajview_study::Interval>,
    }
    let parts = std::iter::once(&document.overall).chain(&document.categories);
    let rows = parts.flat_map(|part| {
        let n = part.measures.classified.n;
        let category = part.name.as_str();
        let whole = part.measures.estimates.iter().map(move |(it, twice)| Row {
            category,
            class: None,
            n,
            measure: it.name(),
            value: twice.by_item.value.ok(),
            ci95: twice.by_item.interval.ok(),
            ci95_by_tree: twice.by_run.ok(),
        });
        let classes = part.measures.classified.classes.iter().flat_map(move |class| {
            let scores = &class.scores;
            let named =
                [("precision", scores.precision), ("recall", scores.recall), ("f1", scores.f1)];
            named.map(|(measure, value)| Row {
                category,
                class: Some(class.level),
                n: class.support,
                measure,
                value: value.ok(),
                ci95: None,
                ci95_by_tree: None,
            })
        });
        whole.chain(classes)
    });
    out.csv(
        "category class n measure value ci95_low=ci95.0 ci95_high=ci95.1 \
         ci95_by_tree_low=ci95_by_tree.0 ci95_by_tree_high=ci95_by_tree.1",
        rows,
    )
}
