//! `trajview sql`: a question in SQL about runs, over the tables that `export` writes.

use std::{collections::BTreeMap, path::PathBuf, thread, time::Duration};

use serde_json::Value;

use trajview_judge::stop_flag::StopFlag;
use trajview_store::dataset::{
    DataCell, DataTable, ExportedTables, QueryAnswer, QueryDatabase, QueryError, RunSpool,
    tables_named_in,
};

use super::{
    CommandFailure, CommandResult, Exit,
    export::{ExportContext, exit_after_reading, read_all},
    judge::signals,
    measuring_args::MeasuringArgs,
    output::{Out, OutputTable, TableFormArgs, csv_row, print_note, record},
    pricing::PricingArgs,
    redaction::RedactingArgs,
    run_args,
    score::ScoreEach,
    sharding::ShardArgs,
};

/// Query runs in SQL, over the tables of export
///
/// The tables are those of `trajview export --columns`; only the tables in the query are made. SQLite syntax; true and
/// false are 1 and 0; nothing is stored. A folder that export or merge wrote is queried directly: of Parquet only the
/// named columns are read, and no recording is opened.
#[derive(Debug, clap::Args)]
pub struct SqlArgs {
    /// The query, such as "select agent, count(*) from runs group by agent"
    #[arg(value_name = "QUERY")]
    query: String,
    /// Logs, run bundles, or folders that contain them; or folders with exported tables
    #[arg(value_name = "PATH", required = true, value_parser = run_args::recording_parser())]
    paths: Vec<PathBuf>,
    /// The moments in the table of points
    #[arg(long, value_enum, default_value_t = ScoreEach::Final)]
    each: ScoreEach,
    #[command(flatten)]
    sharding: ShardArgs,
    #[command(flatten)]
    measuring: MeasuringArgs,
    #[command(flatten)]
    pricing: PricingArgs,
    /// Print JSON (schema trajview.sql/1)
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables"])]
    json: bool,
    /// Print CSV
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    csv: bool,
    #[command(flatten)]
    forms: TableFormArgs,
}

pub fn run(args: &SqlArgs, out: &mut Out) -> CommandResult {
    out.set_table_form(&args.forms)?;
    if let Some(exported) = exported_tables(args)? {
        let cannot = |why: std::io::Error| CommandFailure::cannot_read(why.to_string());
        let database = QueryDatabase::over_exports(&exported, &args.query).map_err(cannot)?;
        let answer = ask_database(&database, &args.query)?;
        print_answer(args, &answer, out)?;
        return Ok(Exit::Fine);
    }
    let tables = tables_named_in(&args.query);
    let with = ExportContext::new(
        &tables,
        args.each,
        &args.measuring,
        &args.pricing,
        &RedactingArgs::off(),
    )?;
    let runs = if tables.is_empty() { vec![] } else { args.sharding.runs_of_shard(&args.paths)? };
    let (database, exit) = database_of_runs(&runs, &tables, &with)?;
    let answer = ask_database(&database, &args.query)?;
    print_answer(args, &answer, out)?;
    Ok(if args.sharding.is_named() { Exit::Fine } else { exit })
}

/// Makes a database of the tables of these runs. With it comes the exit code after reading them; what cannot be read is
/// reported.
pub(crate) fn database_of_runs(
    runs: &[PathBuf],
    tables: &[DataTable],
    with: &ExportContext<'_>,
) -> Result<(QueryDatabase, Exit), CommandFailure> {
    let cannot = |why: std::io::Error| CommandFailure::unwritable(&std::env::temp_dir(), &why);
    let mut spool = RunSpool::new(&std::env::temp_dir()).map_err(cannot)?;
    let unread = read_all(runs, with, &mut spool).map_err(cannot)?;
    unread.iter().for_each(|it| print_note(&it.sentence));
    let database = QueryDatabase::from_spool(&mut spool, tables).map_err(cannot)?;
    Ok((database, exit_after_reading(spool.run_count(), &unread)))
}

/// Runs the query; ctrl-c ends it.
fn ask_database(database: &QueryDatabase, query: &str) -> Result<QueryAnswer, CommandFailure> {
    let (stop, signal) = signals::listen_for_signals();
    ask_until(database, query, move || stop.is_set()).map_err(|why| match why {
        QueryError::Interrupted => CommandFailure::stopped_by(signal.last(), why.to_string()),
        QueryError::Wrong(_) => CommandFailure::wrong_arguments(why.to_string()),
    })
}

/// Runs the query until it has an answer or is to stop.
pub(crate) fn ask_until(
    database: &QueryDatabase,
    query: &str,
    is_to_stop: impl Fn() -> bool + Send,
) -> Result<QueryAnswer, QueryError> {
    const BEAT: Duration = Duration::from_millis(50);
    let (interrupt, is_over) = (database.interrupt_handle(), StopFlag::default());
    thread::scope(|scope| {
        let watched = is_over.clone();
        scope.spawn(move || {
            // Again and again: one that comes before the query begins does nothing.
            while watched.wait_for(BEAT) {
                if is_to_stop() {
                    interrupt.interrupt();
                }
            }
        });
        let answer = database.run_query(query);
        is_over.set();
        answer
    })
}

/// Returns the tables that were exported into the folders that are named. None if recordings are named.
fn exported_tables(args: &SqlArgs) -> Result<Option<ExportedTables>, CommandFailure> {
    let found: Vec<Option<ExportedTables>> =
        args.paths.iter().map(|path| ExportedTables::find_in(path)).collect();
    if found.iter().all(Option::is_none) {
        return Ok(None);
    }
    let mut all = vec![];
    for (path, found) in args.paths.iter().zip(found) {
        let why = "is not a folder of exported tables; name recordings or exports, not both";
        all.push(found.ok_or_else(|| {
            CommandFailure::wrong_arguments(format!("{}: {why}", path.display()))
        })?);
    }
    if args.sharding.is_named() {
        return Err(CommandFailure::wrong_arguments(
            "--shard is for recordings: an export is of the shards it has",
        ));
    }
    let exported = ExportedTables::from_folders(all);
    for table in tables_named_in(&args.query) {
        exported.missing_shards(table).iter().for_each(|why| print_note(why));
    }
    Ok(Some(exported))
}

fn print_answer(args: &SqlArgs, answer: &QueryAnswer, out: &mut Out) -> std::io::Result<()> {
    if args.json {
        out.print_json(&record! {
            schema: "trajview.sql/1",
            // Names of the columns, in their order.
            columns: answer.columns,
            rows: answer.rows.iter().map(|cells| row_json(answer, cells)).collect::<Vec<_>>(),
        })?;
    } else if args.csv {
        out.print_bytes(csv_row(answer.columns.iter().cloned()).as_bytes())?;
        for row in &answer.rows {
            out.print_bytes(csv_row(row.iter().map(|cell| cell_text(cell, ""))).as_bytes())?;
        }
    } else {
        let is_number = |at: usize| {
            let cells = answer.rows.iter().filter_map(|row| row.get(at));
            let mut cells = cells.filter(|cell| **cell != DataCell::Missing).peekable();
            cells.peek().is_some() && cells.all(|cell| cell.as_text().is_none())
        };
        let heads = answer
            .columns
            .iter()
            .enumerate()
            .map(|(at, name)| format!("{}{name}", if is_number(at) { ">" } else { "" }));
        let mut table = OutputTable::with_heads(heads.collect());
        for row in &answer.rows {
            table.add_row(row.iter().map(|cell| cut_cell(cell_text(cell, "-"))).collect());
        }
        table.write_table(args.forms.md, out)?;
    }
    Ok(())
}

/// Returns a row of an answer as JSON.
pub(crate) fn row_json(answer: &QueryAnswer, cells: &[DataCell]) -> BTreeMap<String, Value> {
    answer.columns.iter().cloned().zip(cells.iter().map(DataCell::to_json)).collect()
}

/// Longer is no value of a table: each of its rows is as wide as the widest.
const LONGEST_TABLE_CELL: usize = 16 << 10;

fn cut_cell(words: String) -> String {
    match words.char_indices().nth(LONGEST_TABLE_CELL) {
        Some((end, _)) => {
            format!("{}… ({} bytes; --csv and --json have all)", &words[..end], words.len())
        }
        None => words,
    }
}

fn cell_text(cell: &DataCell, missing: &str) -> String {
    match cell {
        DataCell::Missing => missing.to_owned(),
        DataCell::Text(words) => words.clone(),
        DataCell::Integer(number) => number.to_string(),
        DataCell::Real(number) => (*number + 0.0).to_string(),
        DataCell::Bool(is_so) => is_so.to_string(),
    }
}
