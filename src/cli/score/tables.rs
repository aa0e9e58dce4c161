//! The scores for people, and for spreadsheets.

use std::{collections::BTreeMap, io};

use crate::cli::{
    measuring,
    output::{Out, Table, cell, csv_row, dash},
};
use trajview_metrics::{
    Number,
    numbers::{Of, Style, ranked},
    quality::{Detail, Ruler},
};

use super::{
    Args,
    document::{Document, PointFacts, skipped},
    faithful_table, lifelines,
    point::AtPoint,
    recorded_table, rubric_tree,
};

/// Rows of each kind that `--detail` prints; JSON has all.
pub const MOST_ROWS: usize = 20;

pub fn print(document: &Document, ruler: &Ruler, args: &Args, out: &mut Out) -> io::Result<()> {
    if document.points.is_empty() {
        return print_tree(document, args, out);
    }
    if !args.forms.md {
        out.sentence(&head(document, ruler))?;
        out.line("")?;
    }
    let shown = ranked(|shown| shown.score);
    let number_heads = shown.iter().map(|number| head_of(*number, ruler));
    let heads = ["point", "phase"].map(String::from).into_iter().chain(number_heads);
    let mut table = Table::headed(heads.chain(["commit".to_owned()]).collect());
    for (facts, scored) in &document.points {
        table.row(row(&shown, &AtPoint::of(document, facts, scored)));
    }
    table.write(args.forms.md, out)?;
    recorded_table::print(&document.points, args.forms.md, out)?;
    for (facts, scored) in &document.points {
        if let Some(why) = scored.unmeasured() {
            out.sentence(&format!("not measured: {}: {why}", label(facts)))?;
        }
    }
    faithful_table::print(document, args.forms.md, out)?;
    lifelines::print(document.lifelines.as_deref().unwrap_or_default(), args.forms.md, out)?;
    let Some((_, last)) = document.points.last() else { return Ok(()) };
    if args.detail {
        print_detail(&last.detail, args.forms.md, out)?;
        if let Some(row) = &document.faithfulness {
            faithful_table::print_detail(row, args.forms.md, out)?;
        }
    }
    for (path, why) in skipped(last) {
        out.sentence(&format!("left out: {path}: {why}"))?;
    }
    if document.rubric_tree.is_some() {
        out.line("")?;
    }
    print_tree(document, args, out)
}

fn print_tree(document: &Document, args: &Args, out: &mut Out) -> io::Result<()> {
    document
        .rubric_tree
        .as_ref()
        .map_or(Ok(()), |tree| rubric_tree::print(tree, args.forms.md, out))
}

fn head(document: &Document, ruler: &Ruler) -> String {
    let (id, files_from) = (&document.run.id, document.run.files_from);
    format!("{id} · {} · files from {files_from}", measuring::said(ruler))
}

fn head_of(number: Number, ruler: &Ruler) -> String {
    let is_other = number == Number::Verbosity && !ruler.is_comparable();
    format!(">{}{}", number.short(), if is_other { " (not comparable)" } else { "" })
}

fn row(shown: &[Number], point: &AtPoint<'_>) -> Vec<String> {
    let facts = point.facts;
    let value = |number: &Number| {
        dash(number.value(point).map(|value| number.written(value, Style::Digits(4))))
    };
    let phase = dash(facts.phase.map(|phase| phase.word()));
    let commit = facts.commit.as_ref().map(|commit| commit.chars().take(10).collect::<String>());
    let numbers = shown.iter().map(value);
    [label(facts), phase].into_iter().chain(numbers).chain([dash(commit)]).collect()
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
        table.write(is_markdown, out)
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
        out.sentence(&format!(
            "the first {MOST_ROWS} of {} callables, {} clone groups, {} rules; --json has all",
            all.0, all.1, all.2
        ))?;
    }
    Ok(())
}

/// A column of CSV: its head and what stands below it at a point.
type Column = (&'static str, Box<dyn Fn(&AtPoint<'_>) -> String>);

/// One table of every point of every run; empty cells are not recorded. A run without points has one row.
pub fn csv(documents: &[Document], ruler: &Ruler, out: &mut Out) -> io::Result<()> {
    let columns = columns(ruler);
    let heads = columns.iter().map(|(head, _)| *head).chain(rubric_tree::COLUMNS);
    out.raw(csv_row(heads.map(String::from)).as_bytes())?;
    for document in documents {
        let tree = rubric_tree::cells(document.rubric_tree.as_ref());
        for (facts, scored) in &document.points {
            let point = AtPoint::of(document, facts, scored);
            let cells = columns.iter().map(|(_, cell)| cell(&point)).chain(tree.clone());
            out.raw(csv_row(cells).as_bytes())?;
        }
        if document.points.is_empty() {
            let name = [document.run.id.clone(), document.run.path.clone()];
            let rest = std::iter::repeat_n(String::new(), columns.len() - name.len());
            out.raw(csv_row(name.into_iter().chain(rest).chain(tree)).as_bytes())?;
        }
    }
    Ok(())
}

fn columns(ruler: &Ruler) -> Vec<Column> {
    let numbers = |is_here: fn(Of) -> bool| {
        let here = ranked(|shown| shown.csv).into_iter();
        let here = here.filter(|number| is_here(number.row().of));
        here.map(number_column).collect::<Vec<Column>>()
    };
    let [name, rules] = [ruler.name(), ruler.rules().source().to_owned()];
    let not_comparable = ruler.not_comparable().join(" ");
    let blocks: [Vec<Column>; 9] = [
        words(RUN),
        vec![("profile", always(name)), ("rules", always(rules))],
        words(PLACE),
        numbers(|of| block(of) == Block::Code),
        words(LEFT_OUT),
        vec![("not_comparable", always(not_comparable))],
        numbers(|of| block(of) == Block::Faithful),
        words(JUDGE),
        numbers(|of| block(of) == Block::Exposed),
    ];
    blocks.into_iter().flatten().collect()
}

/// Numbers that stand together in the CSV.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Code,
    Faithful,
    Exposed,
}

const fn block(of: Of) -> Block {
    match of {
        Of::Code(_)
        | Of::Tests(_)
        | Of::Counted(_)
        | Of::Spent(_)
        | Of::Process(_)
        | Of::RubricTree(_)
        | Of::Raters
        | Of::Runs => Block::Code,
        Of::Reuse(_) | Of::Judgement(_) => Block::Faithful,
        Of::Exposure(_) => Block::Exposed,
    }
}

fn number_column(number: Number) -> Column {
    (number.id(), Box::new(move |point| cell(number.value(point))))
}

/// The same at every point.
fn always(words: String) -> Box<dyn Fn(&AtPoint<'_>) -> String> {
    Box::new(move |_| words.clone())
}

/// A head and its cell.
type Words = (&'static str, fn(&AtPoint<'_>) -> String);

fn words(columns: &[Words]) -> Vec<Column> {
    columns.iter().map(|(head, cell)| (*head, Box::new(*cell) as Box<_>)).collect()
}

const RUN: &[Words] =
    &[("run", |it| it.document.run.id.clone()), ("path", |it| it.document.run.path.clone())];

/// Where a point stands.
const PLACE: &[Words] = &[
    ("label", |it| it.facts.label.clone()),
    ("checkpoint", |it| cell(it.facts.checkpoint.clone())),
    ("turn", |it| cell(it.facts.turn)),
    ("commit", |it| cell(it.facts.commit.clone())),
    ("phase", |it| cell(it.facts.phase.map(|phase| phase.word()))),
    ("bin", |it| cell(it.facts.bin)),
];

const LEFT_OUT: &[Words] = &[
    ("skipped", |it| skipped(it.scored).count().to_string()),
    ("unmeasured", |it| cell(it.scored.unmeasured())),
];

const JUDGE: &[Words] = &[("judge", |it| cell(it.judged.and_then(|row| row.judge.as_ref())))];
