//! A study for people, and for spreadsheets.

use std::{collections::BTreeSet, io};

use crate::cli::{
    output::{Json, Out, OutputTable, TableColumn, cell_or_dash, record, safe_line, share_cell},
    run_args,
};
use trajview_run::format_number;
use trajview_tui::widgets::text;

use super::document::{AuditStudyDocument, StudyQueueRow};

/// Columns of the page that is printed on.
const PAGE_COLUMNS: usize = 80;

/// Columns that the table of the queue needs apart from the names.
const BESIDE_NAMES: usize = 40;

pub(crate) fn print_study(
    document: &AuditStudyDocument,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    for line in head_lines(document) {
        out.print_line(&line)?;
    }
    if let Some(queue) = &document.queue {
        out.print_line(&progress_line(&document.annotator, queue))?;
    }
    document.correction.sentences().iter().try_for_each(|it| out.print_sentence(it))?;
    if let Some(queue) = &document.queue {
        out.print_line("")?;
        queue_table(queue, is_markdown).write_table(is_markdown, out)?;
    }
    out.print_line("")?;
    progress_table(&document.progress).write_table(is_markdown, out)?;
    if !document.agreement.is_empty() {
        out.print_line("")?;
        agreement_table(&document.agreement).write_table(is_markdown, out)?;
        agreement_notes(document).iter().try_for_each(|note| out.print_sentence(note))?;
    }
    if let Some(sentence) = &document.correction.sentence {
        out.print_line("")?;
        out.print_sentence(&format!("for a paper: {sentence}"))?;
    }
    Ok(())
}

/// Lists warnings about the agreement.
fn agreement_notes(document: &AuditStudyDocument) -> Vec<String> {
    let rows = document.agreement.iter();
    let is_one = has_one_criterion_and_scale(&document.agreement);
    let doubts = rows.filter_map(|row| {
        Some(format!("{}: interval of kappa {}", pair_label(row, is_one), row.text("warning")?))
    });
    doubts.chain(document.gold_warning.clone()).collect()
}

/// Returns whether all rows have one criterion and one scale.
fn has_one_criterion_and_scale(agreement: &[Json]) -> bool {
    let is_same = |two: &[Json], field: &str| two[0].field(field) == two[1].field(field);
    agreement.windows(2).all(|two| is_same(two, "criterion") && is_same(two, "scale"))
}

/// Describes the study, folded at the page's end.
fn head_lines(document: &AuditStudyDocument) -> Vec<String> {
    let study = &document.study;
    let (items, candidates, shared) =
        (study.count("items"), study.count("candidates"), study.count("shared"));
    let runs = document.runs.iter().filter(|run| run.count("items") > 0).count();
    let strata: Vec<String> = study.rows("strata").iter().map(|it| it.cell("")).collect();
    let drawn = match (items == candidates, strata.as_slice()) {
        (true, _) => "all judged items".to_owned(),
        (false, []) => format!("drawn from {candidates}"),
        (false, strata) => {
            let allocation = study.cell("allocation");
            format!("drawn from {candidates} by {}, {allocation}", strata.join(" and "))
        }
    };
    let labelled = match study.rows("raters").len() {
        0 => String::new(),
        1 => "; every item is assigned to the one rater".to_owned(),
        2 if shared == items => "; every item is assigned to both raters".to_owned(),
        count if shared == items => format!("; every item is assigned to all {count} raters"),
        count => format!("; {shared} are assigned to all {count} raters, each of the rest to one"),
    };
    let sentence = format!(
        "{}: {} of {}, {drawn}, seed {}{labelled}",
        study.cell("name"),
        run_args::count_with_noun(items as usize, &study.cell("unit")),
        run_args::count_with_noun(runs, "run"),
        study.cell("seed")
    );
    let safe_sentence = safe_line(&sentence);
    text::wrap_safe_text(&safe_sentence, PAGE_COLUMNS)
        .into_iter()
        .map(|range| safe_sentence[range].trim_end().to_owned())
        .collect()
}

fn progress_line(annotator: &str, queue: &StudyQueueRow) -> String {
    let same = match queue.labelled {
        0 => "verdicts are hidden until labelled".to_owned(),
        _ => format!("{} as judged", queue.same),
    };
    format!("annotator {annotator}: {} of {} labelled, {same}", queue.labelled, queue.items.len())
}

fn queue_table(queue: &StudyQueueRow, is_whole: bool) -> OutputTable {
    let mut table =
        OutputTable::new(&[">#", "run", "component", "name", ">label", "verdict", "reason"])
            .with_keys(3);
    let runs = queue.items.iter().map(|it| text::width(&it.run)).max().unwrap_or_default();
    let room = PAGE_COLUMNS.saturating_sub(BESIDE_NAMES + runs).max(12);
    for item in &queue.items {
        let label = item.label.as_ref();
        let name = safe_line(&item.name);
        let name = if is_whole { name.clone() } else { text::truncate(&name, room, "…") };
        table.add_row(vec![
            item.number.to_string(),
            item.run.clone(),
            item.component.clone(),
            name.into_owned(),
            label.map_or_else(|| "-".into(), |label| label.score_cell()),
            item.verdict.as_ref().map_or_else(|| "hidden".into(), |it| it.score.to_string()),
            label.and_then(|label| label.reason.clone()).unwrap_or_default(),
        ]);
    }
    table
}

/// Returns the table of progress, runs down and raters across.
fn progress_table(progress: &[Json]) -> OutputTable {
    let heads = progress.iter().map(|it| format!(">{}", it.cell("rater")));
    let mut table =
        OutputTable::with_heads(std::iter::once("labelled by".to_owned()).chain(heads).collect());
    let runs = progress.iter().flat_map(|it| it.rows("by_run")).map(|it| it.cell("run"));
    let done = |row: &Json| format!("{}/{}", row.cell("labelled"), row.cell("items"));
    for run in runs.collect::<BTreeSet<_>>() {
        let cell = |rater: &Json| {
            let row = rater.rows("by_run").iter().find(|it| it.text("run") == Some(&run));
            cell_or_dash(row.map(done))
        };
        let cells: Vec<String> = progress.iter().map(cell).collect();
        table.add_row(std::iter::once(run).chain(cells).collect());
    }
    let totals = progress.iter().map(done);
    table.add_row(std::iter::once("all".to_owned()).chain(totals).collect());
    table
}

pub(crate) fn agreement_table(agreement: &[Json]) -> OutputTable {
    let is_one = has_one_criterion_and_scale(agreement);
    let kappa = |row: &Json| match (row.number("kappa"), row.interval("interval")) {
        (Some(kappa), Some(it)) => {
            let interval = format_number::interval_text(it.low, it.high);
            format!("{} {interval}", format_number::three_decimals(kappa))
        }
        (Some(kappa), None) => format_number::three_decimals(kappa),
        (None, _) => cell_or_dash(row.text("not_defined").map(|why| format!("not defined: {why}"))),
    };
    let columns: [TableColumn<'_, Json>; 5] = [
        ("agreement", &|row| pair_label(row, is_one)),
        (">n", &|row| row.cell("n")),
        (">exact", &|row| share_cell(row.number("exact"))),
        (">within 1", &|row| share_cell(row.number("within_1"))),
        ("kappa (quadratic), 95 % BCa", &kappa),
    ];
    OutputTable::from_rows(&columns, agreement)
}

/// Returns `ana - judge`; if there are several criteria or scales, `ana - judge, by clear, 1..5`.
fn pair_label(row: &Json, is_one: bool) -> String {
    let criterion = row.text("criterion").map(|it| format!(" by {it},")).unwrap_or_default();
    let (a, b) = (row.cell("a"), row.cell("b"));
    match is_one {
        true => format!("{a} - {b}"),
        false => format!("{a} - {b},{criterion} {}", row.cell("scale")),
    }
}

/// Writes the queue; of somebody who labels nothing, how far everybody is.
pub fn write_csv(document: &AuditStudyDocument, out: &mut Out) -> io::Result<()> {
    let Some(queue) = &document.queue else {
        let rows = document.progress.iter().flat_map(|rater| {
            let runs = rater.rows("by_run").iter();
            runs.map(|run| record! { rater: rater.field("rater"), ..run })
        });
        return out.print_csv("rater run labelled items", rows);
    };
    let columns = "run=item.run component=item.component criterion=item.criterion name=item.name judgement=item.judgement judge=item.judge \
        turn=item.turn commit=item.commit number=item.number annotator label=item.label.score \
        verdict=item.verdict.score blind=item.label.blind reason=item.label.reason note=item.label.note \
        at=item.label.at";
    let row = |item| record! { annotator: document.annotator, item: item };
    out.print_csv(columns, queue.items.iter().map(row))
}
