//! The tool `runs`: the runs of the server, with what is known of each at a glance.

use std::path::PathBuf;

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use trajview_store::dataset::{DataTable, RunSpool, table_columns};

use super::failure_sentence;
use crate::cli::{
    export::{ExportContext, read_all},
    mcp::{
        answer::{Answer, parse_cursor},
        recordings::{Recordings, run_name},
    },
    measuring_args::MeasuringArgs,
    pricing::PricingArgs,
    score::ScoreEach,
};

pub(super) const DESCRIPTION: &str = "Lists the runs: name, task, condition, agent, model, outcome, reward, turns, tool calls, \
    errors, lines, cost, judged mean (mcf, 0 to 4) and the judge, and why a run cannot be read. `run` is the name that the \
    other tools take.";

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct RunsCall {
    /// `next` of the answer before.
    cursor: Option<String>,
}

/// The columns of the table of runs that the list has.
const LISTED: [&str; 18] = [
    "transcript_id",
    "title",
    "task",
    "condition",
    "agent",
    "model",
    "outcome",
    "reward",
    "turns",
    "tool_calls",
    "errors",
    "lines_added",
    "lines_removed",
    "cost_usd",
    "mcf",
    "judge",
    "judged_turn",
    "read_error",
];

/// The most runs that are read for a page.
const RUNS_OF_PAGE: usize = 24;

pub(super) fn answer_call(recordings: &Recordings, call: &RunsCall) -> Result<String, String> {
    let paths = recordings.runs_of_page(call.cursor.as_deref());
    let first = parse_cursor(call.cursor.as_deref(), paths.len())?;
    let end = paths.len().min(first + RUNS_OF_PAGE);
    let (measuring, pricing) = (MeasuringArgs::default(), PricingArgs::default());
    let tables = [DataTable::Runs];
    let redacting = recordings.redacting_args();
    let with = ExportContext::new(&tables, ScoreEach::Final, &measuring, &pricing, redacting)
        .map_err(failure_sentence)?;
    let rows = paths[first..end].iter().map(|path| listed_row(path, &with));
    let rows = rows.collect::<std::io::Result<Vec<Value>>>().map_err(|why| why.to_string())?;
    let answer = Answer { facts: json!({}), list: "runs", rows, first, total: paths.len() };
    answer.page_text(call.cursor.as_deref(), &Ok)
}

/// Returns a run as the table of runs has it, redacted.
fn listed_row(path: &PathBuf, with: &ExportContext<'_>) -> std::io::Result<Value> {
    let mut spool = RunSpool::new(&std::env::temp_dir())?;
    read_all(std::slice::from_ref(path), with, &mut spool)?;
    let mut listed = Map::new();
    listed.insert("run".into(), run_name(path).into());
    spool.write_table(DataTable::Runs, &mut |row| {
        let cells = table_columns(DataTable::Runs).iter().zip(row);
        let cells = cells.filter(|(column, _)| LISTED.contains(&column.name));
        listed.extend(cells.map(|(column, cell)| (column.name.to_owned(), cell.to_json())));
        Ok(())
    })?;
    Ok(listed.into())
}
