//! The scores for people, and for spreadsheets.

use std::{collections::BTreeMap, io};

use crate::{
    cli::{
        measuring,
        output::{Out, Table, csv_row},
    },
    metrics::quality::{Detail, Ruler, Scored},
};

use super::{
    Args, beside,
    document::{Document, PointFacts, numbers, skipped},
    faithful_table, lifelines, rubric_tree,
};

/// Rows of each kind that `--detail` prints; JSON has all.
pub const MOST_ROWS: usize = 20;

#[rustfmt::skip]
const HEADS: [&str; 14] = [
    "point", "phase", ">files", ">loc", ">callables", ">CC > 10", ">max CC", ">mass", ">erosion", ">flagged",
    ">verbosity", ">DIR", ">churn", "commit",
];

pub fn print(document: &Document, ruler: &Ruler, args: &Args, out: &mut Out) -> io::Result<()> {
    if document.points.is_empty() {
        return print_tree(document, args, out);
    }
    if !args.md {
        out.line(&head(document, ruler))?;
        out.line("")?;
    }
    let mut heads = HEADS.to_vec();
    if !ruler.is_comparable() {
        let verbosity = heads.iter_mut().find(|head| **head == ">verbosity");
        verbosity.into_iter().for_each(|head| *head = ">verbosity (not comparable)");
    }
    let mut table = Table::new(&heads);
    for (facts, scored) in &document.points {
        table.row(row(facts, scored));
    }
    if args.md {
        table.markdown(out)?
    } else {
        table.print(out)?
    }
    beside::print(&document.points, args.md, out)?;
    for (facts, scored) in &document.points {
        if let Some(why) = scored.unmeasured() {
            out.line(&format!("not measured: {}: {why}", label(facts)))?;
        }
    }
    faithful_table::print(document, args.md, out)?;
    lifelines::print(document.lifelines.as_deref().unwrap_or_default(), args.md, out)?;
    let Some((_, last)) = document.points.last() else { return Ok(()) };
    if args.detail {
        print_detail(&last.detail, args.md, out)?;
        if let Some(row) = &document.faithfulness {
            faithful_table::print_detail(row, args.md, out)?;
        }
    }
    for (path, why) in skipped(last) {
        out.line(&format!("left out: {path}: {why}"))?;
    }
    if document.rubric_tree.is_some() {
        out.line("")?;
    }
    print_tree(document, args, out)
}

fn print_tree(document: &Document, args: &Args, out: &mut Out) -> io::Result<()> {
    match &document.rubric_tree {
        Some(tree) => rubric_tree::print(tree, args.md, out),
        None => Ok(()),
    }
}

fn head(document: &Document, ruler: &Ruler) -> String {
    let (id, files_from) = (&document.run.id, document.run.files_from);
    format!("{id} · {} · files from {files_from}", measuring::said(ruler))
}

fn row(facts: &PointFacts, scored: &Scored) -> Vec<String> {
    let count = |number: Option<u64>| known(number.map(|number| number.to_string()));
    let numbers = numbers(scored);
    vec![
        label(facts),
        known(facts.phase.map(|phase| phase.word().to_owned())),
        count(scored.is_measured().then_some(u64::from(scored.snapshot.files))),
        count(numbers.loc),
        count(numbers.callables),
        count(numbers.high_cc),
        count(numbers.max_cc.map(u64::from)),
        known(numbers.mass.map(|mass| format!("{mass:.1}"))),
        share(scored.erosion()),
        count(numbers.flagged_lines),
        share(scored.verbosity()),
        share(facts.dir),
        count(facts.churn),
        known(facts.commit.as_ref().map(|commit| commit.chars().take(10).collect())),
    ]
}

fn known(words: Option<String>) -> String {
    words.unwrap_or_else(|| "-".into())
}

fn share(number: Option<f64>) -> String {
    known(number.map(|number| format!("{number:.4}")))
}

/// A checkpoint's id says nothing of where it ends.
pub fn label(facts: &PointFacts) -> String {
    match facts.turn {
        Some(turn) if facts.checkpoint.as_ref() == Some(&facts.label) => {
            format!("{} (turn {turn})", facts.label)
        }
        _ => facts.label.clone(),
    }
}

fn print_detail(detail: &Detail, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    let mut print = |table: &Table| {
        out.line("")?;
        if is_markdown { table.markdown(out) } else { table.print(out) }
    };
    let mut heavy: Vec<_> = detail.callables.iter().collect();
    heavy.sort_by(|a, b| b.mass.total_cmp(&a.mass)); // stable: equal ones stay in their order
    let mut table = Table::new(&[">mass", ">CC", ">SLOC", "callable", "place"]);
    for callable in heavy.iter().take(MOST_ROWS) {
        table.row(vec![
            format!("{:.1}", callable.mass),
            callable.cc.to_string(),
            callable.sloc.to_string(),
            callable.name.clone(),
            format!("{}:{}", callable.path, callable.span.start),
        ]);
    }
    print(&table)?;
    let mut table = Table::new(&[">pieces", ">lines", "clone group"]);
    for group in detail.clones.iter().take(MOST_ROWS) {
        let lines = group.places.first().map_or(0, |place| place.span.end - place.span.start + 1);
        let shown =
            group.places.iter().take(3).map(|place| format!("{}:{}", place.path, place.span.start));
        let more = if group.places.len() > 3 { ", …" } else { "" };
        let places = shown.collect::<Vec<_>>().join(", ") + more;
        table.row(vec![group.places.len().to_string(), lines.to_string(), places]);
    }
    print(&table)?;
    let mut by_rule: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for hit in &detail.hits {
        by_rule.entry(&hit.rule).or_default().push(format!("{}:{}", hit.path, hit.span.start));
    }
    let mut by_rule: Vec<_> = by_rule.into_iter().collect();
    by_rule.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    let mut table = Table::new(&[">hits", "rule", "first"]);
    for (rule, places) in by_rule.iter().take(MOST_ROWS) {
        let first = places.first().cloned().unwrap_or_default();
        table.row(vec![places.len().to_string(), (*rule).to_owned(), first]);
    }
    print(&table)?;
    let all = (detail.callables.len(), detail.clones.len(), by_rule.len());
    if [all.0, all.1, all.2].into_iter().any(|rows| rows > MOST_ROWS) {
        out.line(&format!(
            "the first {MOST_ROWS} of {} callables, {} clone groups, {} rules; --json has all",
            all.0, all.1, all.2
        ))?;
    }
    Ok(())
}

/// Columns about a point, before those about the run as a whole.
const POINT_CELLS: usize = 31;

/// Columns about faithfulness and exposure.
const FAITHFUL_CELLS: usize = 10;

/// One table of every point of every run; empty cells are not recorded. A run without points has one row.
pub fn csv(documents: &[Document], ruler: &Ruler, out: &mut Out) -> io::Result<()> {
    let heads = [
        "run",
        "path",
        "profile",
        "rules",
        "label",
        "checkpoint",
        "turn",
        "commit",
        "phase",
        "bin",
        "files",
        "lines",
        "loc",
        "sloc",
        "callables",
        "high_cc",
        "max_cc",
        "mean_cc",
        "mass",
        "high_mass",
        "erosion",
        "clone_lines",
        "rule_lines",
        "wrapper_lines",
        "flagged_lines",
        "verbosity",
        "gini",
        "churn",
        "skipped",
        "unmeasured",
        "not_comparable",
        "exported",
        "reused",
        "dir",
        "mcf",
        "if50",
        "judged",
        "components",
        "judge",
        "rcr",
        "esr",
    ];
    let heads = heads.into_iter().chain(rubric_tree::COLUMNS);
    out.raw(csv_row(heads.map(String::from)).as_bytes())?;
    for document in documents {
        let tree = rubric_tree::cells(document.rubric_tree.as_ref());
        for (facts, scored) in &document.points {
            let cells = cells(document, facts, scored, ruler).into_iter();
            let cells = cells.chain(faithful_cells(document, facts)).chain(tree.clone());
            out.raw(csv_row(cells).as_bytes())?;
        }
        if document.points.is_empty() {
            let name = [document.run.id.clone(), document.run.path.clone()];
            let rest =
                std::iter::repeat_n(String::new(), POINT_CELLS + FAITHFUL_CELLS - name.len());
            out.raw(csv_row(name.into_iter().chain(rest).chain(tree)).as_bytes())?;
        }
    }
    Ok(())
}

fn cell<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// What was judged stands in the row of the end alone.
fn faithful_cells(document: &Document, facts: &PointFacts) -> [String; FAITHFUL_CELLS] {
    let row = document.faithfulness.as_ref().filter(|row| row.turn == facts.turn);
    let exposed = document.exposure.as_ref().zip(facts.turn).and_then(|(it, turn)| it.at(turn));
    [
        cell(facts.exported),
        cell(facts.reused),
        cell(facts.dir),
        cell(row.and_then(|row| row.mcf)),
        cell(row.and_then(|row| row.if50)),
        cell(row.and_then(|row| row.judged)),
        cell(row.and_then(|row| row.components)),
        cell(row.and_then(|row| row.judge.as_ref())),
        cell(exposed.map(|at| at.rcr)),
        cell(exposed.map(|at| at.esr)),
    ]
}

fn cells(
    document: &Document,
    facts: &PointFacts,
    scored: &Scored,
    ruler: &Ruler,
) -> [String; POINT_CELLS] {
    let numbers = numbers(scored);
    let is_measured = scored.is_measured();
    [
        document.run.id.clone(),
        document.run.path.clone(),
        ruler.name(),
        ruler.rules().source().to_owned(),
        facts.label.clone(),
        cell(facts.checkpoint.clone()),
        cell(facts.turn),
        cell(facts.commit.clone()),
        cell(facts.phase.map(|phase| phase.word())),
        cell(facts.bin),
        cell(is_measured.then_some(scored.snapshot.files)),
        cell(numbers.lines),
        cell(numbers.loc),
        cell(numbers.sloc),
        cell(numbers.callables),
        cell(numbers.high_cc),
        cell(numbers.max_cc),
        cell(numbers.mean_cc),
        cell(numbers.mass),
        cell(numbers.high_mass),
        cell(scored.erosion()),
        cell(numbers.clone_lines),
        cell(numbers.rule_lines),
        cell(numbers.wrapper_lines),
        cell(numbers.flagged_lines),
        cell(scored.verbosity()),
        cell(is_measured.then_some(scored.snapshot.gini)),
        cell(facts.churn),
        skipped(scored).count().to_string(),
        cell(scored.unmeasured()),
        ruler.not_comparable().join(" "),
    ]
}
