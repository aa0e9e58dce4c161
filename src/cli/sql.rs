//! `trajview sql`: a question in SQL about runs, over the tables that `export` writes.

use std::{collections::BTreeMap, path::PathBuf, thread, time::Duration};

use serde::Serialize;
use serde_json::Value;

use trajview_judge::stop::Stop;
use trajview_store::dataset::{Answer, AskError, Cell, Database, Exported, Spool, named_in};

use super::{
    Exit, Failure, Outcome, at,
    export::{With, exit_of, read_all},
    judge::signals,
    measuring::Measuring,
    output::{Forms, Out, Table, csv_row, tell},
    pricing::Pricing,
    redaction::Redacting,
    score::Each,
    sharding::Sharding,
};

/// Ask runs in SQL, over the tables that export writes
///
/// The tables are those of `trajview export --columns`; only those that the query names are made. The words are SQLite's; true and
/// false are 1 and 0. Nothing is kept. A folder that export or merge wrote is asked as it lies: of Parquet only the columns are read that
/// the query names, and no recording is opened.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The query, as "select agent, count(*) from runs group by agent"
    #[arg(value_name = "QUERY")]
    query: String,
    /// Logs, run bundles, or folders below which runs are looked for; or folders with exported tables
    #[arg(value_name = "PATH", required = true, value_parser = at::recording())]
    paths: Vec<PathBuf>,
    /// The moments in the table of points
    #[arg(long, value_enum, default_value_t = Each::Final)]
    each: Each,
    #[command(flatten)]
    sharding: Sharding,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    pricing: Pricing,
    /// Print JSON (schema trajview.sql/1)
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables"])]
    json: bool,
    /// Print CSV
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    csv: bool,
    #[command(flatten)]
    forms: Forms,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    /// In their order.
    columns: &'a [String],
    rows: Vec<BTreeMap<&'a str, Value>>,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    out.write_as(&args.forms)?;
    if let Some(exported) = exported(args)? {
        let cannot = |why: std::io::Error| Failure::unread(why.to_string());
        let database = Database::over(&exported, &args.query).map_err(cannot)?;
        let answer = ask(&database, &args.query)?;
        write(args, &answer, out)?;
        return Ok(Exit::Fine);
    }
    let tables = named_in(&args.query);
    let with = With::new(&tables, args.each, &args.measuring, &args.pricing, &Redacting::off())?;
    let cannot = |why: std::io::Error| Failure::unread(format!("cannot keep the rows: {why}"));
    let mut spool = Spool::new(&std::env::temp_dir()).map_err(cannot)?;
    let runs = if tables.is_empty() { vec![] } else { args.sharding.runs(&args.paths)? };
    let unread = read_all(&runs, &with, &mut spool).map_err(cannot)?;
    unread.iter().for_each(|it| tell(&it.why));
    let database = Database::of(&mut spool, &tables).map_err(cannot)?;
    let answer = ask(&database, &args.query)?;
    write(args, &answer, out)?;
    let is_shard = args.sharding.is_asked();
    Ok(if is_shard { Exit::Fine } else { exit_of(spool.count(), &unread) })
}

/// What the query gives; ctrl-c ends it.
fn ask(database: &Database, query: &str) -> Result<Answer, Failure> {
    const BEAT: Duration = Duration::from_millis(50);
    let (stop, signal) = signals::listen();
    let (interrupt, is_over) = (database.interrupt(), Stop::default());
    let answer = thread::scope(|scope| {
        let watched = is_over.clone();
        scope.spawn(move || {
            // Again and again: one that comes before the query begins does nothing.
            while watched.wait(BEAT) {
                if stop.is_set() {
                    interrupt.interrupt();
                }
            }
        });
        let answer = database.ask(query);
        is_over.set();
        answer
    });
    answer.map_err(|why| match why {
        AskError::Interrupted => Failure::stopped(signal.last(), why.to_string()),
        AskError::Wrong(_) => Failure::wrong(why.to_string()),
    })
}

/// The tables that were exported into the folders that are named; None where recordings are named.
fn exported(args: &Args) -> Result<Option<Exported>, Failure> {
    let found: Vec<Option<Exported>> = args.paths.iter().map(|path| Exported::at(path)).collect();
    if found.iter().all(Option::is_none) {
        return Ok(None);
    }
    let mut all = vec![];
    for (path, found) in args.paths.iter().zip(found) {
        let why = "is no folder of exported tables; name recordings, or exports, not both";
        all.push(found.ok_or_else(|| Failure::wrong(format!("{}: {why}", path.display())))?);
    }
    if args.sharding.is_asked() {
        return Err(Failure::wrong("--shard is for recordings: an export is of the shards it has"));
    }
    let exported = Exported::joined(all);
    for table in named_in(&args.query) {
        exported.missing(table).iter().for_each(|why| tell(why));
    }
    Ok(Some(exported))
}

fn write(args: &Args, answer: &Answer, out: &mut Out) -> std::io::Result<()> {
    if args.json {
        let row = |cells: &Vec<Cell>| {
            answer.columns.iter().map(String::as_str).zip(cells.iter().map(json)).collect()
        };
        let rows = answer.rows.iter().map(row).collect();
        out.json(&Document { schema: "trajview.sql/1", columns: &answer.columns, rows })?;
    } else if args.csv {
        out.raw(csv_row(answer.columns.iter().cloned()).as_bytes())?;
        for row in &answer.rows {
            out.raw(csv_row(row.iter().map(|cell| said(cell, ""))).as_bytes())?;
        }
    } else {
        let is_number = |at: usize| {
            let known = answer.rows.iter().filter_map(|row| row.get(at));
            let mut known = known.filter(|cell| **cell != Cell::Missing).peekable();
            known.peek().is_some() && known.all(|cell| cell.text().is_none())
        };
        let heads = answer
            .columns
            .iter()
            .enumerate()
            .map(|(at, name)| format!("{}{name}", if is_number(at) { ">" } else { "" }));
        let mut table = Table::headed(heads.collect());
        for row in &answer.rows {
            table.row(row.iter().map(|cell| cut(said(cell, "-"))).collect());
        }
        table.write(args.forms.md, out)?;
    }
    Ok(())
}

fn json(cell: &Cell) -> Value {
    match cell {
        Cell::Missing => Value::Null,
        Cell::Text(words) => words.clone().into(),
        Cell::Whole(number) => (*number).into(),
        Cell::Real(number) => (*number + 0.0).into(),
        Cell::Truth(is_so) => (*is_so).into(),
    }
}

/// Longer is no value of a table: each of its rows is as wide as the widest.
const LONGEST_IN_A_TABLE: usize = 16 << 10;

fn cut(words: String) -> String {
    match words.char_indices().nth(LONGEST_IN_A_TABLE) {
        Some((end, _)) => {
            format!("{}… ({} bytes; --csv and --json have all)", &words[..end], words.len())
        }
        None => words,
    }
}

fn said(cell: &Cell, missing: &str) -> String {
    match cell {
        Cell::Missing => missing.to_owned(),
        Cell::Text(words) => words.clone(),
        Cell::Whole(number) => number.to_string(),
        Cell::Real(number) => (*number + 0.0).to_string(),
        Cell::Truth(is_so) => is_so.to_string(),
    }
}
