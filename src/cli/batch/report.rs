//! The output of `trajview batch`: a line for each event on standard error, the outcome on standard output.

use std::{collections::BTreeMap, io, path::Path};

use crate::cli::{
    output::{Json, Out, OutputTable, cell_or_dash, record, safe_line},
    run_args,
};
use trajview_live::{
    batch::{BatchEvent, BatchSummary, PlannedRun},
    command_line::shell_words,
};
use trajview_run::batch::{BatchRow, BatchState};

/// Prints how many runs there are, and how many are done already.
pub(crate) fn print_start(rows: &[BatchRow], place: &Path) {
    let done = rows.iter().filter(|row| row.progress.state == BatchState::Done).count();
    let runs = run_args::count_with_noun(rows.len(), "run");
    let done = if done > 0 { format!(", {done} already finished") } else { String::new() };
    eprintln!("{}", safe_line(&format!("{runs} in {}{done}", place.display())));
}

pub(crate) fn print_event(print_event: &BatchEvent<'_>) {
    if let Some(line) = event_line(print_event) {
        eprintln!("{}", safe_line(&line));
    }
}

fn event_line(event: &BatchEvent<'_>) -> Option<String> {
    Some(match event {
        BatchEvent::Rows(_) => return None,
        BatchEvent::Began { row, goes_on: true } => {
            format!("{}: resumed after {}", row_name(row), run_args::turns_text(row.progress.turns))
        }
        BatchEvent::Began { row, goes_on: false } => {
            format!(
                "{}: begins, {}",
                row_name(row),
                run_args::count_with_noun(row.progress.requests, "request")
            )
        }
        BatchEvent::TurnDone(row) => {
            let (turns, requests) = (row.progress.turns, row.progress.requests);
            format!("{}: turn {turns} of {requests}{}", row_name(row), used_text(row))
        }
        BatchEvent::StateChanged(row) => {
            let why = row.progress.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            let scores = match row.progress.state {
                BatchState::Done => scores_text(row),
                _ => String::new(),
            };
            format!("{}: {}{why}{scores}", row_name(row), row.progress.state.word())
        }
        BatchEvent::Notice(sentence) => sentence.clone(),
    })
}

/// Returns the name of its folder.
pub(crate) fn row_name(row: &BatchRow) -> String {
    let row_name = Path::new(&row.folder).file_name();
    row_name.map_or_else(|| row.id.clone(), |name| name.to_string_lossy().into_owned())
}

fn used_text(row: &BatchRow) -> String {
    let used_text = row.progress.used;
    let tokens = used_text.tokens.total().map(|tokens| format!(", {tokens} tokens"));
    let cost = used_text.cost_usd.map(|cost| format!(", {cost:.4} USD"));
    format!(
        "{}{}, {:.1} s",
        tokens.unwrap_or_default(),
        cost.unwrap_or_default(),
        used_text.seconds
    )
}

/// Returns the last score of each number, and the tests.
fn scores_text(row: &BatchRow) -> String {
    let tests = row.tests.map(|(passed, all)| format!(", {passed} of {all} tests pass"));
    let mut last: BTreeMap<&str, Option<f64>> = BTreeMap::new();
    for score in &row.scores {
        last.insert(&score.number, score.value);
    }
    let written = |value: Option<f64>| cell_or_dash(value.map(|value| format!("{value:.3}")));
    let last = last.into_iter().map(|(number, value)| format!(", {number} {}", written(value)));
    tests.into_iter().chain(last).collect()
}

/// Prints the outcome on standard output.
pub(crate) fn print_summary(
    summary: &BatchSummary,
    place: &Path,
    json: bool,
    out: &mut Out,
) -> io::Result<()> {
    let mut states: BTreeMap<&'static str, usize> = BTreeMap::new();
    for row in &summary.rows {
        *states.entry(row.progress.state.word()).or_default() += 1;
    }
    let past = &summary.past;
    if json {
        return out.print_json(&record! {
            schema: "trajview.batch/1",
            folder: place.display().to_string(),
            complete: summary.is_complete(),
            halted: summary.halted,
            states: states,
            tokens: summary.used.tokens,
            cost_usd: summary.used.cost_usd,
            judged_usd: past.judged_usd,
            // The agents' working time, all runs together.
            run_seconds: summary.used.seconds,
            // The time during which at least one process worked on the plan.
            wall_seconds: past.wall_seconds,
            processes: past.processes,
            runs: summary.rows,
        });
    }
    let states = states.iter().map(|(state, count)| format!("{count} {state}"));
    let states: Vec<String> = states.collect();
    let runs = run_args::count_with_noun(summary.rows.len(), "run");
    out.print_line(&format!("{}: {runs}, {}", place.display(), states.join(", ")))?;
    let used = summary.used;
    let tokens = used.tokens.total().map(|tokens| format!(", {tokens} tokens"));
    let cost = used.cost_usd.map(|cost| format!(", {cost:.4} USD"));
    let judged = past.judged_usd.map(|cost| format!(", {cost:.4} USD for judges"));
    let spent: String = [tokens, cost, judged].into_iter().flatten().collect();
    out.print_line(&format!(
        "the agents worked {:.1} s in {:.1} s{spent}",
        used.seconds, past.wall_seconds
    ))?;
    let table = unfinished_table(&summary.rows);
    if let Some(table) = table {
        out.print_line("")?;
        table.write_table(false, out)?;
    }
    Ok(())
}

/// Makes a table of runs that are not complete, failed or were kept after a failure. None if there are none.
fn unfinished_table(rows: &[BatchRow]) -> Option<OutputTable> {
    let is_told = |row: &&BatchRow| {
        let progress = &row.progress;
        progress.state != BatchState::Done || progress.failures > 0 || progress.kept > 0
    };
    let reported: Vec<&BatchRow> = rows.iter().filter(is_told).collect();
    let mut unfinished_table = OutputTable::new(&["run", "state", ">turns", ">failures", "why"]);
    for row in &reported {
        let progress = &row.progress;
        let kept_note = (progress.kept > 0)
            .then(|| format!("{} failed turns are kept", run_args::turns_text(progress.kept)));
        unfinished_table.add_row(vec![
            row_name(row),
            progress.state.word().to_owned(),
            format!("{}/{}", progress.turns, progress.requests),
            progress.failures.to_string(),
            cell_or_dash(progress.why.clone().or(kept_note)),
        ]);
    }
    (!reported.is_empty()).then_some(unfinished_table)
}

pub(crate) fn print_plan(
    entries: &[PlannedRun],
    remarks: &[String],
    place: &Path,
    json: bool,
    out: &mut Out,
) -> io::Result<()> {
    let command = |entry: &PlannedRun, goes_on| {
        let words = entry.command_arguments(goes_on).into_iter();
        std::iter::once("trajview".to_owned()).chain(words).collect::<Vec<String>>()
    };
    if json {
        // The command that starts the run, and the one that resumes it; both run in the folder of the plan.
        let run = |entry: &PlannedRun| {
            record! {
                id: entry.id,
                folder: entry.bundle.display().to_string(),
                ..entry.combination,
                requests: entry.requests,
                command: command(entry, false),
                resume: command(entry, true),
            }
        };
        return out.print_json(&record! {
            schema: "trajview.batch-plan/1",
            folder: place.display().to_string(),
            remarks: remarks,
            runs: Json::list(entries, run),
        });
    }
    let (runs, turns) = (entries.len(), entries.iter().map(|entry| entry.requests).sum());
    let counted =
        (run_args::count_with_noun(runs, "run"), run_args::count_with_noun(turns, "request"));
    out.print_line(&format!("{}, {} in {}", counted.0, counted.1, place.display()))?;
    remarks.iter().try_for_each(|remark| out.print_line(remark))?;
    for entry in entries {
        let words = command(entry, false);
        out.print_line("")?;
        out.print_line(&entry.name)?;
        out.print_line(&format!("  {}", shell_words(words)))?;
    }
    Ok(())
}
