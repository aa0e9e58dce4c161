//! A study for people, and for spreadsheets.

use serde::Serialize;
use std::io;

use crate::cli::{
    at,
    output::{Out, Table, dash, plain, share},
};
use trajview_run::figures;
use trajview_tui::widgets::text;

use super::document::{AgreementRow, Document, ItemRow, ProgressRow, QueueRow, StudyRow};

/// Columns of the page that is printed on.
const PAGE: usize = 80;

/// What the table of the queue needs beside the names.
const BESIDE_NAMES: usize = 40;

pub fn print(document: &Document, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    for line in head(document) {
        out.line(&line)?;
    }
    if let Some(queue) = &document.queue {
        out.line(&progress_of(&document.annotator, queue))?;
        out.line("")?;
        queue_table(queue, is_markdown).write(is_markdown, out)?;
    }
    out.line("")?;
    progress_table(&document.progress).write(is_markdown, out)?;
    if !document.agreement.is_empty() {
        out.line("")?;
        agreement_table(&document.agreement).write(is_markdown, out)?;
        notes(document).iter().try_for_each(|note| out.sentence(note))?;
    }
    Ok(())
}

/// What to know before believing the agreement.
fn notes(document: &Document) -> Vec<String> {
    let rows = document.agreement.iter();
    let is_one = is_of_one(&document.agreement);
    let doubts = rows.filter_map(|row| {
        Some(format!("{}: interval of kappa {}", named(row, is_one), row.warning.as_ref()?))
    });
    doubts.chain(document.gold_warning.clone()).collect()
}

/// Whether all rows are by one criterion on one scale.
fn is_of_one(agreement: &[AgreementRow]) -> bool {
    let of = |row: &AgreementRow| (row.criterion.clone(), row.scale.clone());
    agreement.windows(2).all(|two| of(&two[0]) == of(&two[1]))
}

/// What the study is, folded at the page's end.
fn head(document: &Document) -> Vec<String> {
    let StudyRow { name, seed, items, candidates, strata, allocation, shared, unit, .. } =
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
    let said = format!(
        "{name}: {} of {}, {drawn}, seed {seed}{labelled}",
        at::counted(*items, unit),
        at::counted(runs, "run")
    );
    let said = plain(&said);
    text::wrap(&said, PAGE).into_iter().map(|range| said[range].trim_end().to_owned()).collect()
}

fn progress_of(annotator: &str, queue: &QueueRow) -> String {
    let same = match queue.labelled {
        0 => "verdicts are shown once they are labelled".to_owned(),
        _ => format!("{} as judged", queue.same),
    };
    format!("annotator {annotator}: {} of {} labelled, {same}", queue.labelled, queue.items.len())
}

fn queue_table(queue: &QueueRow, is_whole: bool) -> Table {
    let mut table =
        Table::new(&[">#", "run", "component", "name", ">label", "verdict", "reason"]).keyed(3);
    let runs = queue.items.iter().map(|it| text::width(&it.run)).max().unwrap_or_default();
    let room = PAGE.saturating_sub(BESIDE_NAMES + runs).max(12);
    for item in &queue.items {
        let label = item.label.as_ref();
        let name = plain(&item.name);
        let name = if is_whole { name.clone() } else { text::truncate(&name, room, "…") };
        table.row(vec![
            item.number.to_string(),
            item.run.clone(),
            item.component.clone(),
            name.into_owned(),
            label.map_or_else(|| "-".into(), |label| label.said()),
            item.verdict.as_ref().map_or_else(|| "hidden".into(), |it| it.score.to_string()),
            label.and_then(|label| label.reason.clone()).unwrap_or_default(),
        ]);
    }
    table
}

/// Runs down, raters across.
fn progress_table(progress: &[ProgressRow]) -> Table {
    let heads = progress.iter().map(|it| format!(">{}", it.rater));
    let mut table = Table::headed(std::iter::once("labelled of".to_owned()).chain(heads).collect());
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
            dash(found.map(|it| format!("{}/{}", it.labelled, it.items)))
        };
        table.row(std::iter::once(run.to_owned()).chain(progress.iter().map(cell)).collect());
    }
    let whole = progress.iter().map(|it| format!("{}/{}", it.labelled, it.items));
    table.row(std::iter::once("all".to_owned()).chain(whole).collect());
    table
}

pub fn agreement_table(agreement: &[AgreementRow]) -> Table {
    let heads = ["agreement", ">n", ">exact", ">within 1", "kappa (quadratic), 95 % BCa"];
    let mut table = Table::new(&heads);
    let is_one = is_of_one(agreement);
    for row in agreement {
        let kappa = match (row.kappa, row.interval, row.not_defined) {
            (Some(kappa), Some(it), _) => {
                format!("{} {}", figures::share(kappa), figures::interval(it.low, it.high))
            }
            (Some(kappa), None, _) => figures::share(kappa),
            (None, _, Some(why)) => format!("not defined: {}", why.why()),
            (None, _, None) => "-".into(),
        };
        table.row(vec![
            named(row, is_one),
            row.n.to_string(),
            share(row.exact),
            share(row.within_1),
            kappa,
        ]);
    }
    table
}

/// `ana - judge`; where there are several criteria or scales, `ana - judge, by clear, 1..5`.
fn named(row: &AgreementRow, is_one: bool) -> String {
    let criterion = row.criterion.as_ref().map(|it| format!(" by {it},")).unwrap_or_default();
    match is_one {
        true => format!("{} - {}", row.a, row.b),
        false => format!("{} - {},{criterion} {}", row.a, row.b, row.scale),
    }
}

/// The queue; of somebody who labels nothing, how far everybody is.
pub fn csv(document: &Document, out: &mut Out) -> io::Result<()> {
    #[derive(Serialize)]
    struct Row<'a> {
        annotator: &'a str,
        item: &'a ItemRow,
    }
    #[derive(Serialize)]
    struct Far<'a> {
        rater: &'a str,
        run: &'a str,
        labelled: usize,
        items: usize,
    }
    let Some(queue) = &document.queue else {
        let rows = document.progress.iter().flat_map(|of| {
            of.by_run.iter().map(|it| Far {
                rater: &of.rater,
                run: &it.run,
                labelled: it.labelled,
                items: it.items,
            })
        });
        return out.csv("rater run labelled items", rows);
    };
    let columns = "run=item.run component=item.component criterion=item.criterion name=item.name judgement=item.judgement judge=item.judge \
        turn=item.turn commit=item.commit number=item.number annotator label=item.label.score \
        verdict=item.verdict.score blind=item.label.blind reason=item.label.reason note=item.label.note \
        at=item.label.at";
    let annotator = document.annotator.as_str();
    out.csv(columns, queue.items.iter().map(|item| Row { annotator, item }))
}
