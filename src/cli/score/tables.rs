//! The scores for people, and for spreadsheets.

use std::{collections::BTreeMap, io};

use crate::cli::{
    measuring_args,
    output::{Json, Out, OutputTable, cell_or_dash, cell_or_empty, csv_row},
};
use trajview_metrics::{
    Number,
    numbers::{NumberInput, NumberStyle, SCORE_CSV, SCORE_TABLE},
    quality::{QualityDetail, Ruler},
};

use super::{
    ScoreArgs,
    document::{PointFacts, ScoreDocument, skipped_files},
    document_point::DocumentPoint,
    faithfulness_table, lifelines, recorded_table, rubric_tree,
};

/// Rows of each kind that `--detail` prints; JSON has all.
pub const MOST_ROWS: usize = 20;

pub(crate) fn print_scores(
    document: &ScoreDocument,
    ruler: &Ruler,
    args: &ScoreArgs,
    out: &mut Out,
) -> io::Result<()> {
    if document.points.is_empty() {
        return print_document_tree(document, args, out);
    }
    if !args.forms.md {
        out.print_sentence(&head_line(document, ruler))?;
        out.print_line("")?;
    }
    let number_heads = SCORE_TABLE.iter().map(|number| number_head(*number, ruler));
    let heads = ["point", "phase"].map(String::from).into_iter().chain(number_heads);
    let mut table = OutputTable::with_heads(heads.chain(["commit".to_owned()]).collect());
    for (facts, scored) in &document.points {
        table.add_row(point_row(SCORE_TABLE, &DocumentPoint::new(document, facts, scored)));
    }
    table.write_table(args.forms.md, out)?;
    recorded_table::print_recorded(&document.points, args.forms.md, out)?;
    for (facts, scored) in &document.points {
        if let Some(why) = scored.unmeasured_reason() {
            out.print_sentence(&format!("not measured: {}: {why}", point_label(facts)))?;
        }
    }
    faithfulness_table::print_faithfulness(document, args.forms.md, out)?;
    lifelines::print_lost_components(
        document.lifelines.as_deref().unwrap_or_default(),
        args.forms.md,
        out,
    )?;
    let Some((_, last)) = document.points.last() else { return Ok(()) };
    if args.detail {
        print_detail(&last.detail, args.forms.md, out)?;
        if let Some(row) = &document.faithfulness {
            faithfulness_table::print_detail(row, args.forms.md, out)?;
        }
    }
    for (path, why) in skipped_files(last) {
        out.print_sentence(&format!("left out: {path}: {why}"))?;
    }
    if document.rubric_tree.is_some() {
        out.print_line("")?;
    }
    print_document_tree(document, args, out)
}

fn print_document_tree(
    document: &ScoreDocument,
    args: &ScoreArgs,
    out: &mut Out,
) -> io::Result<()> {
    document
        .rubric_tree
        .as_ref()
        .map_or(Ok(()), |tree| rubric_tree::print_rubric_tree(tree, args.forms.md, out))
}

fn head_line(document: &ScoreDocument, ruler: &Ruler) -> String {
    let (id, files_from) = (&document.run.id, document.run.files_from);
    format!("{id} · {} · files from {files_from}", measuring_args::ruler_text(ruler))
}

fn number_head(number: Number, ruler: &Ruler) -> String {
    let is_other = number == Number::Verbosity && !ruler.is_comparable();
    format!(">{}{}", number.short(), if is_other { " (not comparable)" } else { "" })
}

fn point_row(shown: &[Number], point: &DocumentPoint<'_>) -> Vec<String> {
    let facts = point.facts;
    let value = |number: &Number| {
        cell_or_dash(
            number.value_at(point).map(|value| number.format_value(value, NumberStyle::Digits(4))),
        )
    };
    let phase = cell_or_dash(facts.phase.map(|phase| phase.word()));
    let commit = facts.commit.as_ref().map(|commit| commit.chars().take(10).collect::<String>());
    let numbers = shown.iter().map(value);
    [point_label(facts), phase].into_iter().chain(numbers).chain([cell_or_dash(commit)]).collect()
}

/// Returns the label of a point, for a checkpoint with its turn, since its id does not show where it ends.
pub(crate) fn point_label(facts: &PointFacts) -> String {
    match facts.turn {
        Some(turn) if facts.checkpoint.as_ref() == Some(&facts.label) => {
            format!("{} (turn {turn})", facts.label)
        }
        _ => facts.label.clone(),
    }
}

fn print_detail(detail: &QualityDetail, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    let mut print = |table: &OutputTable| {
        out.print_line("")?;
        table.write_table(is_markdown, out)
    };
    let mut heavy: Vec<_> = detail.callables.iter().collect();
    heavy.sort_by(|a, b| b.mass.total_cmp(&a.mass)); // stable: equal ones stay in their order
    let mut table = OutputTable::new(&[">mass", ">CC", ">SLOC", "callable", "place"]);
    for callable in heavy.iter().take(MOST_ROWS) {
        table.add_row(vec![
            format!("{:.1}", callable.mass),
            callable.cc.to_string(),
            callable.sloc.to_string(),
            callable.name.clone(),
            format!("{}:{}", callable.path, callable.span.start),
        ]);
    }
    print(&table)?;
    let mut table = OutputTable::new(&[">pieces", ">lines", "clone group"]);
    for group in detail.clones.iter().take(MOST_ROWS) {
        let lines = group.places.first().map_or(0, |place| place.span.end - place.span.start + 1);
        let shown =
            group.places.iter().take(3).map(|place| format!("{}:{}", place.path, place.span.start));
        let more = if group.places.len() > 3 { ", …" } else { "" };
        let places = shown.collect::<Vec<_>>().join(", ") + more;
        table.add_row(vec![group.places.len().to_string(), lines.to_string(), places]);
    }
    print(&table)?;
    let mut by_rule: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for hit in &detail.hits {
        by_rule.entry(&hit.rule).or_default().push(format!("{}:{}", hit.path, hit.span.start));
    }
    let mut by_rule: Vec<_> = by_rule.into_iter().collect();
    by_rule.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    let mut table = OutputTable::new(&[">hits", "rule", "first"]);
    for (rule, places) in by_rule.iter().take(MOST_ROWS) {
        let first = places.first().cloned().unwrap_or_default();
        table.add_row(vec![places.len().to_string(), (*rule).to_owned(), first]);
    }
    print(&table)?;
    let all = (detail.callables.len(), detail.clones.len(), by_rule.len());
    if [all.0, all.1, all.2].into_iter().any(|rows| rows > MOST_ROWS) {
        out.print_sentence(&format!(
            "the first {MOST_ROWS} of {} callables, {} clone groups, {} rules; --json has all",
            all.0, all.1, all.2
        ))?;
    }
    Ok(())
}

/// A column of the CSV: its head and its cell at a point.
type PointColumn = (&'static str, Box<dyn Fn(&DocumentPoint<'_>) -> String>);

/// Writes one table with every point of every run. Empty cells are not recorded. A run without points has one row.
pub fn write_csv(documents: &[ScoreDocument], ruler: &Ruler, out: &mut Out) -> io::Result<()> {
    let columns = csv_columns(ruler);
    let heads =
        columns.iter().map(|(head, _)| *head).chain(rubric_tree::CSV_COLUMNS.map(|(head, _)| head));
    out.print_bytes(csv_row(heads.map(String::from)).as_bytes())?;
    for document in documents {
        let tree = document.rubric_tree.as_ref().unwrap_or(&Json::Null);
        let tree = rubric_tree::CSV_COLUMNS.map(|(_, field)| tree.field(field).csv_cell());
        for (facts, scored) in &document.points {
            let point = DocumentPoint::new(document, facts, scored);
            let cells = columns.iter().map(|(_, cell)| cell(&point)).chain(tree.clone());
            out.print_bytes(csv_row(cells).as_bytes())?;
        }
        if document.points.is_empty() {
            let name = [document.run.id.clone(), document.run.path.clone()];
            let rest = std::iter::repeat_n(String::new(), columns.len() - name.len());
            out.print_bytes(csv_row(name.into_iter().chain(rest).chain(tree)).as_bytes())?;
        }
    }
    Ok(())
}

fn csv_columns(ruler: &Ruler) -> Vec<PointColumn> {
    let numbers = |is_here: fn(NumberInput) -> bool| {
        let here = SCORE_CSV.iter().copied().filter(|number| is_here(number.row().input));
        here.map(number_column).collect::<Vec<PointColumn>>()
    };
    let [name, rules] = [ruler.display_name(), ruler.rules().source().to_owned()];
    let not_comparable = ruler.not_comparable().join(" ");
    let blocks: [Vec<PointColumn>; 9] = [
        point_columns(RUN_CELLS),
        vec![("profile", same_cell(name)), ("rules", same_cell(rules))],
        point_columns(PLACE_CELLS),
        numbers(|of| block_of(of) == CsvBlock::Code),
        point_columns(LEFT_OUT_CELLS),
        vec![("not_comparable", same_cell(not_comparable))],
        numbers(|of| block_of(of) == CsvBlock::Faithful),
        point_columns(JUDGE_CELLS),
        numbers(|of| block_of(of) == CsvBlock::Exposed),
    ];
    blocks.into_iter().flatten().collect()
}

/// Numbers that are next to each other in the CSV.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CsvBlock {
    Code,
    Faithful,
    Exposed,
}

const fn block_of(source: NumberInput) -> CsvBlock {
    match source {
        NumberInput::Code(_)
        | NumberInput::Tests(_)
        | NumberInput::Counted(_)
        | NumberInput::Spent(_)
        | NumberInput::Process(_)
        | NumberInput::RubricTree(_)
        | NumberInput::Raters
        | NumberInput::Runs => CsvBlock::Code,
        NumberInput::Reuse(_) | NumberInput::Judgement(_) => CsvBlock::Faithful,
        NumberInput::Exposure(_) => CsvBlock::Exposed,
    }
}

fn number_column(number: Number) -> PointColumn {
    (number.id(), Box::new(move |point| cell_or_empty(number.value_at(point))))
}

/// Returns a function that returns these words at every point.
fn same_cell(words: String) -> Box<dyn Fn(&DocumentPoint<'_>) -> String> {
    Box::new(move |_| words.clone())
}

/// A head and its cell.
type PointCell = (&'static str, fn(&DocumentPoint<'_>) -> String);

fn point_columns(columns: &[PointCell]) -> Vec<PointColumn> {
    columns.iter().map(|(head, cell)| (*head, Box::new(*cell) as Box<_>)).collect()
}

const RUN_CELLS: &[PointCell] =
    &[("run", |it| it.document.run.id.clone()), ("path", |it| it.document.run.path.clone())];

/// The cells for the position of a point.
const PLACE_CELLS: &[PointCell] = &[
    ("label", |it| it.facts.label.clone()),
    ("checkpoint", |it| cell_or_empty(it.facts.checkpoint.clone())),
    ("turn", |it| cell_or_empty(it.facts.turn)),
    ("commit", |it| cell_or_empty(it.facts.commit.clone())),
    ("phase", |it| cell_or_empty(it.facts.phase.map(|phase| phase.word()))),
    ("bin", |it| cell_or_empty(it.facts.bin)),
];

const LEFT_OUT_CELLS: &[PointCell] = &[
    ("skipped", |it| skipped_files(it.scored).count().to_string()),
    ("unmeasured", |it| cell_or_empty(it.scored.unmeasured_reason())),
];

const JUDGE_CELLS: &[PointCell] =
    &[("judge", |it| cell_or_empty(it.judged.and_then(|row| row.json.text("judge"))))];
