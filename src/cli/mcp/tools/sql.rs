//! The tool `sql`: a query over the tables of all runs.

use std::{
    collections::HashMap,
    path::PathBuf,
    time::{Duration, Instant},
};

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use trajview_store::dataset::{DataTable, QueryAnswer, QueryError, table_columns, tables_named_in};

use super::{failure_sentence, with_field};
use crate::cli::{
    export::ExportContext,
    mcp::{
        answer::Answer,
        recordings::{Recordings, place_text},
    },
    measuring_args::MeasuringArgs,
    pricing::PricingArgs,
    score::ScoreEach,
    sql,
};

pub(super) const DESCRIPTION: &str = "Runs one SELECT of SQLite over the tables of all runs: runs, turns, steps, edits, points, flags, \
    verdicts, labels, signals, texts. `columns_of` instead of `query` lists the columns of a table with their meanings. Every \
    table has transcript_id and source_uri (the run); select source_uri, turn and step to get a `place` in each row. true and \
    false are 1 and 0. Nothing can be written.";

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct SqlCall {
    /// The query, such as select source_uri, turn, step, tool from steps where is_error = 1.
    query: Option<String>,
    /// The name of a table whose columns are to be listed.
    columns_of: Option<String>,
    /// Only this run, as the tool runs names it: quicker than all.
    run: Option<String>,
    /// `next` of the answer before.
    cursor: Option<String>,
}

/// A query that takes longer is ended.
const LONGEST_QUERY: Duration = Duration::from_secs(30);

pub(super) fn answer_call(recordings: &Recordings, call: &SqlCall) -> Result<String, String> {
    match (&call.query, &call.columns_of) {
        (Some(query), None) => {
            let cursor = call.cursor.as_deref();
            let named = format!("sql {query:?} {:?}", call.run);
            let make = || query_answer(recordings, query, call);
            recordings.answer_for_page(&named, cursor, make)?.page_text(cursor, &Ok)
        }
        (None, Some(table)) => columns_answer(table, call.cursor.as_deref()),
        _ => Err("expected either query or columns_of".into()),
    }
}

fn columns_answer(table: &str, cursor: Option<&str>) -> Result<String, String> {
    let names = || DataTable::ALL.map(DataTable::word).join(", ");
    let table = DataTable::by_word(table)
        .ok_or_else(|| format!("no table {table:?}; there are {}", names()))?;
    let column = |column: &trajview_store::dataset::DataColumn| json!({ "column": column.name, "type": column.kind.word(), "unit": column.unit, "meaning": column.meaning });
    let rows = table_columns(table).iter().map(column).collect();
    let facts = json!({ "table": table.word(), "description": table.description() });
    Answer::from_rows(facts, "columns", rows).page_text(cursor, &Ok)
}

fn query_answer(recordings: &Recordings, query: &str, call: &SqlCall) -> Result<Answer, String> {
    let tables = tables_named_in(query);
    let (measuring, pricing) = (MeasuringArgs::default(), PricingArgs::default());
    let redacting = recordings.redacting_args();
    let with = ExportContext::new(&tables, ScoreEach::Final, &measuring, &pricing, redacting)
        .map_err(failure_sentence)?;
    let runs = match &call.run {
        Some(name) => [recordings.find_run(Some(name))?].into(),
        None => recordings.find_runs(),
    };
    let read = if tables.is_empty() { &[][..] } else { &runs };
    let (database, _) = sql::database_of_runs(read, &tables, &with).map_err(failure_sentence)?;
    let began = Instant::now();
    let answer = sql::ask_until(&database, query, move || began.elapsed() > LONGEST_QUERY);
    let answer = answer.map_err(|why| match why {
        QueryError::Interrupted => format!(
            "the query took more than {} s and was ended; ask for less, or for one run",
            LONGEST_QUERY.as_secs()
        ),
        QueryError::Wrong(why) => format!("{why}; columns_of lists the columns of a table"),
    })?;
    let names = names_in_tables(recordings, &runs);
    let rows = answer.rows.iter().map(|cells| {
        let mut row = json!(sql::row_json(&answer, cells));
        let place = place_of_row(&answer, &row, &names);
        place.into_iter().for_each(|place| with_field(&mut row, "place", place));
        row
    });
    let facts = json!({ "columns": answer.columns });
    Ok(Answer::from_rows(facts, "rows", rows.collect()))
}

/// Returns the paths of the runs by what they are in the tables, where a home folder is redacted. A name that is that of two
/// runs is of none.
fn names_in_tables(recordings: &Recordings, runs: &[PathBuf]) -> HashMap<String, Option<PathBuf>> {
    let mut names = HashMap::new();
    for path in runs {
        let redactor = recordings.redacting_args().redactor_for_runs([]);
        let name = redactor.redact_json("", path.display().to_string().into());
        let name = name.as_str().unwrap_or_default().to_owned();
        names.entry(name).and_modify(|path| *path = None).or_insert_with(|| Some(path.clone()));
    }
    names
}

/// Returns the place that a row names by its columns. None where it has none.
fn place_of_row(
    answer: &QueryAnswer,
    row: &Value,
    names: &HashMap<String, Option<PathBuf>>,
) -> Option<String> {
    if answer.columns.iter().any(|column| column == "place") {
        return None;
    }
    let path = names.get(row["source_uri"].as_str()?)?.as_ref()?;
    let number = |field: &str| row[field].as_u64().and_then(|number| usize::try_from(number).ok());
    Some(place_text(path, number("turn"), number("step")))
}
