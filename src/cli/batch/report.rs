//! What `trajview batch` says: a line for each event on standard error, the outcome on standard output.

use std::{collections::BTreeMap, io, path::Path};

use serde::Serialize;

use crate::cli::{
    at,
    output::{Out, Table, dash, plain},
};
use trajview_live::{
    batch::{BatchEvent, Entry, Summary},
    command_line::shell_words,
};
use trajview_run::{
    Tokens,
    batch::{BatchRow, BatchState, Combination},
};

/// What lies there already.
pub fn begins(rows: &[BatchRow], place: &Path) {
    let done = rows.iter().filter(|row| row.progress.state == BatchState::Done).count();
    let runs = at::counted(rows.len(), "run");
    let done = if done > 0 { format!(", {done} done before") } else { String::new() };
    eprintln!("{}", plain(&format!("{runs} in {}{done}", place.display())));
}

pub fn event(event: &BatchEvent<'_>) {
    if let Some(line) = line(event) {
        eprintln!("{}", plain(&line));
    }
}

fn line(event: &BatchEvent<'_>) -> Option<String> {
    Some(match event {
        BatchEvent::Rows(_) => return None,
        BatchEvent::Began { row, goes_on: true } => {
            format!("{}: goes on after {}", name(row), at::turns(row.progress.turns))
        }
        BatchEvent::Began { row, goes_on: false } => {
            format!("{}: begins, {}", name(row), at::counted(row.progress.requests, "request"))
        }
        BatchEvent::Turned(row) => {
            let (turns, requests) = (row.progress.turns, row.progress.requests);
            format!("{}: turn {turns} of {requests}{}", name(row), used(row))
        }
        BatchEvent::Entered(row) => {
            let why = row.progress.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            let scores = match row.progress.state {
                BatchState::Done => scores(row),
                _ => String::new(),
            };
            format!("{}: {}{why}{scores}", name(row), row.progress.state.word())
        }
        BatchEvent::Said(sentence) => sentence.clone(),
    })
}

/// The name of its folder.
pub fn name(row: &BatchRow) -> String {
    let name = Path::new(&row.folder).file_name();
    name.map_or_else(|| row.id.clone(), |name| name.to_string_lossy().into_owned())
}

fn used(row: &BatchRow) -> String {
    let used = row.progress.used;
    let tokens = used.tokens.total().map(|tokens| format!(", {tokens} tokens"));
    let cost = used.cost_usd.map(|cost| format!(", {cost:.4} USD"));
    format!("{}{}, {:.1} s", tokens.unwrap_or_default(), cost.unwrap_or_default(), used.seconds)
}

/// The last score of each number, and the tests.
fn scores(row: &BatchRow) -> String {
    let tests = row.tests.map(|(passed, all)| format!(", {passed} of {all} tests pass"));
    let mut last: BTreeMap<&str, Option<f64>> = BTreeMap::new();
    for score in &row.scores {
        last.insert(&score.number, score.value);
    }
    let written = |value: Option<f64>| dash(value.map(|value| format!("{value:.3}")));
    let last = last.into_iter().map(|(number, value)| format!(", {number} {}", written(value)));
    tests.into_iter().chain(last).collect()
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    folder: String,
    /// Whether every run is whole.
    complete: bool,
    /// Why no further run is begun; null where nothing keeps them from it.
    halted: Option<&'a str>,
    /// Runs in each state.
    states: BTreeMap<&'static str, usize>,
    /// Of all runs of the plan.
    tokens: Tokens,
    cost_usd: Option<f64>,
    judged_usd: Option<f64>,
    /// The agents' working time, all runs together.
    run_seconds: f64,
    /// While one process at least worked on the plan.
    wall_seconds: f64,
    processes: usize,
    runs: &'a [BatchRow],
}

/// The outcome on standard output.
pub fn ended(summary: &Summary, place: &Path, json: bool, out: &mut Out) -> io::Result<()> {
    let mut states: BTreeMap<&'static str, usize> = BTreeMap::new();
    for row in &summary.rows {
        *states.entry(row.progress.state.word()).or_default() += 1;
    }
    let past = &summary.past;
    if json {
        return out.json(&Document {
            schema: "trajview.batch/1",
            folder: place.display().to_string(),
            complete: summary.is_complete(),
            halted: summary.halted.as_deref(),
            states,
            tokens: summary.used.tokens,
            cost_usd: summary.used.cost_usd,
            judged_usd: past.judged_usd,
            run_seconds: summary.used.seconds,
            wall_seconds: past.wall_seconds,
            processes: past.processes,
            runs: &summary.rows,
        });
    }
    let states = states.iter().map(|(state, count)| format!("{count} {state}"));
    let states: Vec<String> = states.collect();
    let runs = at::counted(summary.rows.len(), "run");
    out.line(&format!("{}: {runs}, {}", place.display(), states.join(", ")))?;
    let used = summary.used;
    let tokens = used.tokens.total().map(|tokens| format!(", {tokens} tokens"));
    let cost = used.cost_usd.map(|cost| format!(", {cost:.4} USD"));
    let judged = past.judged_usd.map(|cost| format!(", {cost:.4} USD for judges"));
    let spent: String = [tokens, cost, judged].into_iter().flatten().collect();
    out.line(&format!(
        "the agents worked {:.1} s in {:.1} s{spent}",
        used.seconds, past.wall_seconds
    ))?;
    let table = table(&summary.rows);
    if let Some(table) = table {
        out.line("")?;
        table.write(false, out)?;
    }
    Ok(())
}

/// Runs that are not whole, or of which something has to be known; None where there are none.
fn table(rows: &[BatchRow]) -> Option<Table> {
    let is_told = |row: &&BatchRow| {
        let progress = &row.progress;
        progress.state != BatchState::Done || progress.failures > 0 || progress.kept > 0
    };
    let told: Vec<&BatchRow> = rows.iter().filter(is_told).collect();
    let mut table = Table::new(&["run", "state", ">turns", ">failures", "why"]);
    for row in &told {
        let progress = &row.progress;
        let kept = (progress.kept > 0)
            .then(|| format!("{} that failed stand all the same", at::turns(progress.kept)));
        table.row(vec![
            name(row),
            progress.state.word().to_owned(),
            format!("{}/{}", progress.turns, progress.requests),
            progress.failures.to_string(),
            dash(progress.why.clone().or(kept)),
        ]);
    }
    (!told.is_empty()).then_some(table)
}

#[derive(Serialize)]
struct Planned<'a> {
    schema: &'static str,
    folder: String,
    /// What should be known before the runs are made.
    remarks: &'a [String],
    runs: Vec<PlannedRun<'a>>,
}

#[derive(Serialize)]
struct PlannedRun<'a> {
    id: &'a str,
    folder: String,
    #[serde(flatten)]
    combination: &'a Combination,
    requests: usize,
    /// That begins it, and that goes on with it; both in the folder of the plan.
    command: Vec<String>,
    resume: Vec<String>,
}

pub fn plan(
    entries: &[Entry],
    remarks: &[String],
    place: &Path,
    json: bool,
    out: &mut Out,
) -> io::Result<()> {
    let command = |entry: &Entry, goes_on| {
        let words = entry.words(goes_on).into_iter();
        std::iter::once("trajview".to_owned()).chain(words).collect::<Vec<String>>()
    };
    if json {
        let run = |entry: &'_ Entry| -> (Vec<String>, Vec<String>) {
            (command(entry, false), command(entry, true))
        };
        let runs = entries.iter().map(|entry| {
            let (command, resume) = run(entry);
            PlannedRun {
                id: &entry.id,
                folder: entry.bundle.display().to_string(),
                combination: &entry.combination,
                requests: entry.requests,
                command,
                resume,
            }
        });
        return out.json(&Planned {
            schema: "trajview.batch-plan/1",
            folder: place.display().to_string(),
            remarks,
            runs: runs.collect(),
        });
    }
    let (runs, turns) = (entries.len(), entries.iter().map(|entry| entry.requests).sum());
    let counted = (at::counted(runs, "run"), at::counted(turns, "request"));
    out.line(&format!("{}, {} in {}", counted.0, counted.1, place.display()))?;
    remarks.iter().try_for_each(|remark| out.line(remark))?;
    for entry in entries {
        let words = command(entry, false);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        out.line("")?;
        out.line(&entry.name)?;
        out.line(&format!("  {}", shell_words(&words)))?;
    }
    Ok(())
}
