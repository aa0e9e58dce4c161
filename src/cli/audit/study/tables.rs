//! A study for people, and for spreadsheets.

use serde::Serialize;
use std::io;

use crate::cli::{
    output::{Out, OutputTable, cell_or_dash, safe_line, share_cell},
    run_args,
};
use trajview_run::format_number;
use trajview_tui::widgets::text;

use super::document::{
    AuditStudyDocument, ProgressRow, StudyAgreementRow, StudyFacts, StudyItemRow, StudyQueueRow,
};

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
    Ok(())
}

/// Lists warnings about the agreement.
fn agreement_notes(document: &AuditStudyDocument) -> Vec<String> {
    let rows = document.agreement.iter();
    let is_one = has_one_criterion_and_scale(&document.agreement);
    let doubts = rows.filter_map(|row| {
        Some(format!("{}: interval of kappa {}", pair_label(row, is_one), row.warning.as_ref()?))
    });
    doubts.chain(document.gold_warning.clone()).collect()
}

/// Returns whether all rows have one criterion and one scale.
fn has_one_criterion_and_scale(agreement: &[StudyAgreementRow]) -> bool {
    let criterion_and_scale = |row: &StudyAgreementRow| (row.criterion.clone(), row.scale.clone());
    agreement.windows(2).all(|two| criterion_and_scale(&two[0]) == criterion_and_scale(&two[1]))
}

/// Describes the study, folded at the page's end.
fn head_lines(document: &AuditStudyDocument) -> Vec<String> {
    let StudyFacts { name, seed, items, candidates, strata, allocation, shared, unit, .. } =
        &document.study;
    let runs = document.runs.iter().filter(|run| run.items > 0).count();
    let drawn = match (items == candidates, strata.as_slice()) {
        (true, _) => "all that is judged".to_owned(),
        (false, []) => format!("drawn from {candidates}"),
        (false, strata) => {
            format!("drawn from {candidates} by {}, {allocation}", strata.join(" and "))
        }
    };
    let raters = document.study.raters.len();
    let labelled = match raters {
        0 => String::new(),
        1 => "; every item is assigned to the one rater".to_owned(),
        2 if *shared == *items => "; every item is assigned to both raters".to_owned(),
        count if *shared == *items => format!("; every item is assigned to all {count} raters"),
        count => format!("; {shared} are assigned to all {count} raters, each of the rest to one"),
    };
    let sentence = format!(
        "{name}: {} of {}, {drawn}, seed {seed}{labelled}",
        run_args::count_with_noun(*items, unit),
        run_args::count_with_noun(runs, "run")
    );
    let safe_sentence = safe_line(&sentence);
    text::wrap_safe_text(&safe_sentence, PAGE_COLUMNS)
        .into_iter()
        .map(|range| safe_sentence[range].trim_end().to_owned())
        .collect()
}

fn progress_line(annotator: &str, queue: &StudyQueueRow) -> String {
    let same = match queue.labelled {
        0 => "verdicts are shown once they are labelled".to_owned(),
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

/// Runs down, raters across.
fn progress_table(progress: &[ProgressRow]) -> OutputTable {
    let heads = progress.iter().map(|it| format!(">{}", it.rater));
    let mut table =
        OutputTable::with_heads(std::iter::once("labelled of".to_owned()).chain(heads).collect());
    let mut runs: Vec<&str> = vec![];
    for run in progress.iter().flat_map(|it| &it.by_run) {
        if !runs.contains(&run.run.as_str()) {
            runs.push(&run.run);
        }
    }
    runs.sort_unstable();
    for run in runs {
        let cell = |rater: &ProgressRow| {
            let found = rater.by_run.iter().find(|it| it.run == run);
            cell_or_dash(found.map(|it| format!("{}/{}", it.labelled, it.items)))
        };
        table.add_row(std::iter::once(run.to_owned()).chain(progress.iter().map(cell)).collect());
    }
    let totals = progress.iter().map(|it| format!("{}/{}", it.labelled, it.items));
    table.add_row(std::iter::once("all".to_owned()).chain(totals).collect());
    table
}

pub(crate) fn agreement_table(agreement: &[StudyAgreementRow]) -> OutputTable {
    let heads = ["agreement", ">n", ">exact", ">within 1", "kappa (quadratic), 95 % BCa"];
    let mut table = OutputTable::new(&heads);
    let is_one = has_one_criterion_and_scale(agreement);
    for row in agreement {
        let kappa = match (row.kappa, row.interval, row.not_defined) {
            (Some(kappa), Some(it), _) => {
                format!(
                    "{} {}",
                    format_number::three_decimals(kappa),
                    format_number::interval_text(it.low, it.high)
                )
            }
            (Some(kappa), None, _) => format_number::three_decimals(kappa),
            (None, _, Some(why)) => format!("not defined: {}", why.why()),
            (None, _, None) => "-".into(),
        };
        table.add_row(vec![
            pair_label(row, is_one),
            row.n.to_string(),
            share_cell(row.exact),
            share_cell(row.within_1),
            kappa,
        ]);
    }
    table
}

/// Returns `ana - judge`; if there are several criteria or scales, `ana - judge, by clear, 1..5`.
fn pair_label(row: &StudyAgreementRow, is_one: bool) -> String {
    let criterion = row.criterion.as_ref().map(|it| format!(" by {it},")).unwrap_or_default();
    match is_one {
        true => format!("{} - {}", row.a, row.b),
        false => format!("{} - {},{criterion} {}", row.a, row.b, row.scale),
    }
}

/// Writes the queue; of somebody who labels nothing, how far everybody is.
pub fn write_csv(document: &AuditStudyDocument, out: &mut Out) -> io::Result<()> {
    #[derive(Serialize)]
    struct StudyQueueCsvRow<'a> {
        annotator: &'a str,
        item: &'a StudyItemRow,
    }
    #[derive(Serialize)]
    struct StudyProgressCsvRow<'a> {
        rater: &'a str,
        run: &'a str,
        labelled: usize,
        items: usize,
    }
    let Some(queue) = &document.queue else {
        let rows = document.progress.iter().flat_map(|rater_progress| {
            rater_progress.by_run.iter().map(|it| StudyProgressCsvRow {
                rater: &rater_progress.rater,
                run: &it.run,
                labelled: it.labelled,
                items: it.items,
            })
        });
        return out.print_csv("rater run labelled items", rows);
    };
    let columns = "run=item.run component=item.component criterion=item.criterion name=item.name judgement=item.judgement judge=item.judge \
        turn=item.turn commit=item.commit number=item.number annotator label=item.label.score \
        verdict=item.verdict.score blind=item.label.blind reason=item.label.reason note=item.label.note \
        at=item.label.at";
    let annotator = document.annotator.as_str();
    out.print_csv(columns, queue.items.iter().map(|item| StudyQueueCsvRow { annotator, item }))
}
