//! The audit for people, and for spreadsheets.

use serde::Serialize;
use std::io;

use crate::cli::{
    at,
    output::{Out, Table, plain},
};
use trajview_tui::widgets::text;

use super::{
    absences::{AbsenceRow, PlaceRow},
    document::{Document, ItemRow, JudgementRow, LabelRow, QueueRow, ScoreRow},
};

/// Columns of the page that is printed on.
const PAGE: usize = 80;

/// What the table of the queue needs beside the names.
const BESIDE_NAMES: usize = 48;

/// Places of one component that are printed; JSON and CSV have more.
const MOST_PLACES: usize = 3;

pub fn print(document: &Document, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    out.sentence(&head(document))?;
    if let Some(queue) = &document.queue {
        out.sentence(&progress(queue))?;
        out.line("")?;
        let table = table(queue, is_markdown);
        table.write(is_markdown, out)?;
    }
    if let Some(absences) = &document.absences {
        let verdicts = at::counted(absences.len(), "verdict");
        let is_defined = |row: &&AbsenceRow| row.unopened.iter().any(|place| place.defines);
        let with = absences.iter().filter(is_defined).count();
        let told = format!(
            "{verdicts} of 0 or 1; for {with} a place that defines a symbol of the component was never opened"
        );
        lines(&told, "", out)?;
        absences.iter().try_for_each(|row| component(row, is_markdown, out))?;
    }
    Ok(())
}

fn head(document: &Document) -> String {
    let JudgementRow { judge, turn, commit, .. } = &document.judgement;
    let commit: String = commit.iter().flat_map(|commit| commit.chars().take(12)).collect();
    let commit = if commit.is_empty() { String::new() } else { format!(" ({commit})") };
    format!("{} after turn {turn}{commit}, judged by {judge}", document.run)
}

fn progress(queue: &QueueRow) -> String {
    let QueueRow { annotator, blind_only, labelled, same, seed, items, .. } = queue;
    let blind = if *blind_only { " blind" } else { "" };
    let same = match labelled {
        0 => "verdicts are shown once they are labelled".to_owned(),
        _ => format!("{same} as judged"),
    };
    format!(
        "annotator {annotator}: {labelled} of {} labelled{blind}, {same}; seed {seed}",
        items.len()
    )
}

fn table(queue: &QueueRow, is_whole: bool) -> Table {
    let mut table = Table::new(&[">#", "component", "name", ">label", "verdict", "reason"]);
    for item in &queue.items {
        let label = item.label.as_ref();
        let name = plain(&item.name);
        let name =
            if is_whole { name.clone() } else { text::truncate(&name, PAGE - BESIDE_NAMES, "…") };
        table.row(vec![
            item.number.to_string(),
            item.component.clone(),
            name.into_owned(),
            label.map_or_else(|| "-".into(), LabelRow::said),
            verdict(item),
            label.and_then(|label| label.reason.clone()).unwrap_or_default(),
        ]);
    }
    table
}

fn verdict(item: &ItemRow) -> String {
    item.verdict.map_or_else(|| "hidden".into(), |verdict| verdict.score.to_string())
}

fn component(row: &AbsenceRow, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    out.line("")?;
    let ScoreRow { score, label } = row.verdict;
    let head = format!("{} {}: {score} {}", row.component, row.name, label.unwrap_or_default());
    out.sentence(&if is_markdown { format!("## {head}\n") } else { head })?;
    if is_markdown {
        out.line("")?;
    }
    let is_defined = row.unopened.iter().any(|place| place.defines);
    if row.unopened.is_empty() {
        out.sentence("  no place that looks like it was left unopened")?;
    } else if !is_defined && !row.symbols.is_empty() {
        let symbols = row.symbols.join(" or ");
        lines(&format!("no unopened place defines {symbols}; the nearest:"), "  ", out)?;
    }
    for (number, place) in (1..).zip(row.unopened.iter().take(MOST_PLACES)) {
        out.sentence(&format!("{number:>3}. {}", place.words()))?;
        lines(&place.why.join("; "), "     ", out)?;
    }
    if let Some(more) = row.unopened.len().checked_sub(MOST_PLACES).filter(|more| *more > 0) {
        let places = at::counted(more, "place");
        out.sentence(&format!("     {places} more that look less like it"))?;
    }
    let guesses: Vec<&PlaceRow> = row.opened.iter().filter(|it| it.is_guess).collect();
    for place in guesses.into_iter().take(MOST_PLACES) {
        let by = place.opened_by.as_deref().unwrap_or_default();
        lines(&format!("taken as opened: {} ({by})", place.words()), "     ", out)?;
    }
    Ok(())
}

/// Folded at the page's end.
fn lines(words: &str, indent: &str, out: &mut Out) -> io::Result<()> {
    let words = plain(words);
    let ranges = text::wrap(&words, PAGE - indent.len());
    ranges.into_iter().try_for_each(|range| {
        out.line(&format!("{indent}{}", words.get(range).unwrap_or_default().trim_end()))
    })
}

/// A row of either CSV: the state that was judged, and one thing in it.
#[derive(Serialize)]
struct CsvRow<'a, T> {
    run: &'a str,
    judgement: &'a JudgementRow,
    /// The component.
    of: &'a T,
    annotator: Option<&'a str>,
    rank: Option<usize>,
    place: Option<&'a PlaceRow>,
}

/// The columns of the state.
const STATE: &str = "run component=of.component name=of.name judgement=judgement.file judge=judgement.judge \
    turn=judgement.turn commit=judgement.commit";

pub fn csv(document: &Document, out: &mut Out) -> io::Result<()> {
    let (run, judgement) = (document.run.as_str(), &document.judgement);
    if let Some(queue) = &document.queue {
        let columns = format!(
            "{STATE} number=of.number annotator label=of.label.score verdict=of.verdict.score \
             blind=of.label.blind cannot_tell=of.label.cannot_tell confidence=of.label.confidence reason=of.label.reason note=of.label.note at=of.label.at"
        );
        let annotator = Some(queue.annotator.as_str());
        let row = |of| CsvRow { run, judgement, of, annotator, rank: None, place: None };
        out.csv(&columns, queue.items.iter().map(row))?;
    }
    if let Some(absences) = &document.absences {
        let columns = format!(
            "{STATE} verdict=of.verdict.score rank path=place.path start=place.start end=place.end symbol=place.name \
             fit=place.fit why=place.why"
        );
        let rows = absences.iter().flat_map(|of| {
            (1..).zip(&of.unopened).map(move |(rank, place)| {
                let (rank, place) = (Some(rank), Some(place));
                CsvRow { run, judgement, of, annotator: None, rank, place }
            })
        });
        out.csv(&columns, rows)?;
    }
    Ok(())
}
