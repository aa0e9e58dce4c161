//! The audit for people, and for spreadsheets.

use std::io;

use crate::cli::{
    output::{Out, OutputTable, record, safe_line},
    run_args,
};
use trajview_run::model_vendor::shared_vendor_text;
use trajview_tui::widgets::text;

use super::{
    absences::{AbsencePlaceRow, AbsenceRow},
    correction::CorrectionRow,
    document::{
        AuditDocument, AuditItemRow, AuditQueueRow, AuditScoreRow, AuditedJudgementRow, LabelRow,
    },
};

/// Columns of the page that is printed on.
const PAGE_COLUMNS: usize = 80;

/// Columns that the table of the queue needs apart from the names.
const BESIDE_NAMES: usize = 48;

/// Places of one component that are printed; JSON and CSV have more.
const MOST_PLACES: usize = 3;

pub(crate) fn print_document(
    document: &AuditDocument,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    out.print_sentence(&head_line(document))?;
    if let Some(queue) = &document.queue {
        out.print_sentence(&progress_line(queue))?;
        let correction = queue.correction.iter().flat_map(CorrectionRow::sentences);
        correction.into_iter().try_for_each(|it| print_wrapped(&it, "", out))?;
        out.print_line("")?;
        let table = queue_table(queue, is_markdown);
        table.write_table(is_markdown, out)?;
        if let Some(sentence) = queue.correction.as_ref().and_then(|it| it.sentence.as_ref()) {
            out.print_line("")?;
            print_wrapped(&format!("for a paper: {sentence}"), "", out)?;
        }
    }
    if let Some(absences) = &document.absences {
        let verdicts = run_args::count_with_noun(absences.len(), "verdict");
        let is_defined = |row: &&AbsenceRow| row.unopened.iter().any(|place| place.defines);
        let with = absences.iter().filter(is_defined).count();
        let sentence = format!(
            "{verdicts} of 0 or 1; for {with}, code that defines a symbol of the component was never opened"
        );
        print_wrapped(&sentence, "", out)?;
        absences.iter().try_for_each(|row| print_absence(row, is_markdown, out))?;
    }
    Ok(())
}

fn head_line(document: &AuditDocument) -> String {
    let AuditedJudgementRow { judge, turn, commit, shared_vendor, .. } = &document.judgement;
    let commit: String = commit.iter().flat_map(|commit| commit.chars().take(12)).collect();
    let commit = if commit.is_empty() { String::new() } else { format!(" ({commit})") };
    let vendor = shared_vendor.map(|vendor| format!("; {}", shared_vendor_text(vendor)));
    let vendor = vendor.unwrap_or_default();
    format!("{} after turn {turn}{commit}, judged by {judge}{vendor}", document.run)
}

fn progress_line(queue: &AuditQueueRow) -> String {
    let AuditQueueRow { annotator, blind_only, labelled, same, seed, items, .. } = queue;
    let blind = if *blind_only { " blind" } else { "" };
    let same = match labelled {
        0 => "verdicts are hidden until labelled".to_owned(),
        _ => format!("{same} as judged"),
    };
    format!(
        "annotator {annotator}: {labelled} of {} labelled{blind}, {same}; seed {seed}",
        items.len()
    )
}

fn queue_table(queue: &AuditQueueRow, is_whole: bool) -> OutputTable {
    let mut queue_table =
        OutputTable::new(&[">#", "component", "name", ">label", "verdict", "reason"]);
    for item in &queue.items {
        let label = item.label.as_ref();
        let name = safe_line(&item.name);
        let name = if is_whole {
            name.clone()
        } else {
            text::truncate(&name, PAGE_COLUMNS - BESIDE_NAMES, "…")
        };
        queue_table.add_row(vec![
            item.number.to_string(),
            item.component.clone(),
            name.into_owned(),
            label.map_or_else(|| "-".into(), LabelRow::score_cell),
            verdict_cell(item),
            label.and_then(|label| label.reason.clone()).unwrap_or_default(),
        ]);
    }
    queue_table
}

fn verdict_cell(item: &AuditItemRow) -> String {
    item.verdict.map_or_else(|| "hidden".into(), |verdict| verdict.score.to_string())
}

fn print_absence(row: &AbsenceRow, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    out.print_line("")?;
    let AuditScoreRow { score, label } = row.verdict;
    let head = format!("{} {}: {score} {}", row.component, row.name, label.unwrap_or_default());
    out.print_sentence(&if is_markdown { format!("## {head}\n") } else { head })?;
    if is_markdown {
        out.print_line("")?;
    }
    let is_defined = row.unopened.iter().any(|place| place.defines);
    if row.unopened.is_empty() {
        out.print_sentence("  the judge opened all candidate code")?;
    } else if !is_defined && !row.symbols.is_empty() {
        let symbols = row.symbols.join(" or ");
        print_wrapped(&format!("no unopened code defines {symbols}; the nearest:"), "  ", out)?;
    }
    for (number, place) in (1..).zip(row.unopened.iter().take(MOST_PLACES)) {
        out.print_sentence(&format!("{number:>3}. {}", place.place_text()))?;
        print_wrapped(&place.why.join("; "), "     ", out)?;
    }
    if let Some(more) = row.unopened.len().checked_sub(MOST_PLACES).filter(|more| *more > 0) {
        let places = run_args::count_with_noun(more, "place");
        out.print_sentence(&format!("     {places} more with lower rank"))?;
    }
    let guesses: Vec<&AbsencePlaceRow> = row.opened.iter().filter(|it| it.is_guess).collect();
    for place in guesses.into_iter().take(MOST_PLACES) {
        let by = place.opened_by.as_deref().unwrap_or_default();
        print_wrapped(&format!("counted as opened: {} ({by})", place.place_text()), "     ", out)?;
    }
    Ok(())
}

/// Prints text folded at the page width.
fn print_wrapped(words: &str, indent: &str, out: &mut Out) -> io::Result<()> {
    let words = safe_line(words);
    let ranges = text::wrap_safe_text(&words, PAGE_COLUMNS - indent.len());
    ranges.into_iter().try_for_each(|range| {
        out.print_line(&format!("{indent}{}", words.get(range).unwrap_or_default().trim_end()))
    })
}

/// The columns of the state.
const STATE_COLUMNS: &str = "run component=of.component name=of.name judgement=judgement.file judge=judgement.judge \
    turn=judgement.turn commit=judgement.commit";

pub fn write_csv(document: &AuditDocument, out: &mut Out) -> io::Result<()> {
    let state = record! { run: document.run, judgement: document.judgement };
    if let Some(queue) = &document.queue {
        let columns = format!(
            "{STATE_COLUMNS} number=of.number annotator label=of.label.score verdict=of.verdict.score \
             blind=of.label.blind cannot_tell=of.label.cannot_tell confidence=of.label.confidence reason=of.label.reason note=of.label.note at=of.label.at"
        );
        let row = |item| record! { ..state, of: item, annotator: queue.annotator };
        out.print_csv(&columns, queue.items.iter().map(row))?;
    }
    if let Some(absences) = &document.absences {
        let columns = format!(
            "{STATE_COLUMNS} verdict=of.verdict.score rank path=place.path start=place.start end=place.end symbol=place.name \
             fit=place.fit why=place.why"
        );
        let rows = absences.iter().flat_map(|absence| {
            let places = (1..).zip(&absence.unopened);
            let state = &state;
            places.map(
                move |(rank, place)| record! { ..state, of: absence, rank: rank, place: place },
            )
        });
        out.print_csv(&columns, rows)?;
    }
    Ok(())
}
