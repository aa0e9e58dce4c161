//! `trajview export`: a run in a form that other programs read, or many runs as tables.

mod columns;
mod rows;
mod tables;

pub use rows::With;
pub use tables::{exit_of, read_all};

use std::{
    fs,
    path::{Path, PathBuf},
};

use trajview_store as store;
use trajview_store::{
    dataset::{Form, Table},
    export,
};

use super::{
    Exit, Failure, Outcome, at,
    measuring::Measuring,
    output::{Out, tell},
    pricing::Pricing,
    redaction::{Redacting, Tokens},
    score::Each,
    sharding::Sharding,
};

/// Write a run in a form that other programs read, or many runs as tables: Parquet, CSV, JSON lines
///
/// --atif and --messages write one run; what the form cannot carry is said on standard error. Read again, the run is the same
/// but for that, and for the keys, passwords, addresses, home folders and names that are taken out (--redact off leaves them in).
///
/// --parquet, --csv and --jsonl write tables of all runs below the paths into a folder: runs, turns, steps, edits, points, flags,
/// verdicts, labels, signals, and texts in a table of their own. A value in a table is the one that the commands print; what is
/// not known is null. A recording that cannot be read is a row of runs with read_error, and is told on standard error. Rows are
/// sorted by task and run. A file is there whole or not at all, never changes, and is named by table, shard and content: what is
/// exported again from the same runs stays untouched. `trajview merge` joins shards.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Logs, run bundles, or folders below which runs are looked for; of --atif and --messages one recording, or `-` for
    /// standard input
    #[arg(value_name = "PATH", required_unless_present = "columns", value_parser = at::recording())]
    paths: Vec<PathBuf>,
    /// The Agent Trajectory Interchange Format, version 1.7
    #[arg(long, conflicts_with = "messages")]
    atif: bool,
    /// Messages in the form of OpenAI's API
    #[arg(long)]
    messages: bool,
    /// The file to make of --atif or --messages; standard output without it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["parquet", "csv", "jsonl"])]
    out: Option<PathBuf>,
    /// Tables as Parquet into this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["atif", "messages"])]
    parquet: Option<PathBuf>,
    /// Tables as CSV into this folder: an empty cell is null, "" an empty text
    #[arg(long, value_name = "DIR", conflicts_with_all = ["atif", "messages"])]
    csv: Option<PathBuf>,
    /// Tables as JSON lines into this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["atif", "messages"])]
    jsonl: Option<PathBuf>,
    /// Only these tables; all, if left out
    #[arg(long, value_name = "TABLE,...", value_delimiter = ',', value_parser = table)]
    tables: Vec<Table>,
    /// The moments in the table of points
    #[arg(long, value_enum, default_value_t = Each::Final)]
    each: Each,
    #[command(flatten)]
    sharding: Sharding,
    /// Take away parts in the folder that hold other runs or another division
    #[arg(long)]
    replace: bool,
    /// Print the columns of the tables, with their types, units and meanings; with --json as JSON (schema trajview.columns/1)
    #[arg(long, conflicts_with_all = ["paths", "atif", "messages", "parquet", "csv", "jsonl"])]
    columns: bool,
    #[command(flatten)]
    redaction: Redaction,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    pricing: Pricing,
}

/// What is taken out, and what tells identities apart that it is taken out of.
#[derive(Debug, clap::Args)]
struct Redaction {
    #[command(flatten)]
    redacting: Redacting,
    #[command(flatten)]
    tokens: Tokens,
}

fn table(word: &str) -> Result<Table, String> {
    let known = || Table::ALL.map(Table::word).join(", ");
    Table::by_word(word).ok_or_else(|| format!("expected one of {}", known()))
}

impl Args {
    /// The forms that tables are to be written in, each with its folder.
    fn forms(&self) -> Vec<(Form, &Path)> {
        let all =
            [(Form::Parquet, &self.parquet), (Form::Csv, &self.csv), (Form::Jsonl, &self.jsonl)];
        all.into_iter().filter_map(|(form, folder)| Some((form, folder.as_deref()?))).collect()
    }

    /// What is taken out of the runs: their identities have tokens.
    fn redacting(&self) -> Result<Redacting, Failure> {
        let paths = self.paths.clone();
        let names = move || Sharding::names_of_all(&paths);
        Ok(self.redaction.redacting.with_tokens(self.redaction.tokens.keys(names)?))
    }

    /// The tables that are to be written, in their order.
    fn wanted(&self) -> Vec<Table> {
        let is_wanted = |table: &Table| self.tables.is_empty() || self.tables.contains(table);
        Table::ALL.into_iter().filter(is_wanted).collect()
    }
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    if args.columns {
        columns::print(&args.wanted(), args.redaction.redacting.is_json(), out)?;
        return Ok(Exit::Fine);
    }
    args.redaction.redacting.check()?;
    if args.redaction.redacting.is_list() && !args.atif && !args.messages {
        return tables::list(args, out);
    }
    if !args.forms().is_empty() {
        return tables::run(args, out);
    }
    if !args.atif && !args.messages {
        let why = "which form? --parquet DIR, --csv DIR or --jsonl DIR for tables; \
                   --atif or --messages for one run";
        return Err(Failure::wrong(why));
    }
    let [path] = args.paths.as_slice() else {
        return Err(Failure::wrong(
            "--atif and --messages take one recording; name each by itself",
        ));
    };
    if args.sharding.is_asked() {
        return Err(Failure::wrong("--shard is for tables: --parquet, --csv or --jsonl"));
    }
    one(path, args, out)
}

fn one(path: &Path, args: &Args, out: &mut Out) -> Outcome {
    let opened = store::open(path)?;
    let write = if args.atif { export::atif } else { export::messages };
    let made = write(&opened.run, &opened.archive);
    let redacting = args.redacting()?;
    let redactor = redacting.redactor([&*opened.run]);
    let mut document = redactor.json("", made.document);
    if let (true, Some(id)) = (args.messages, document.get_mut("id")) {
        *id = redactor.identity("id", &opened.run.id).into();
    }
    if redacting.is_list() {
        redacting.list(&redactor.findings(), out)?;
        return Ok(Exit::Fine);
    }
    for what in &made.left_out {
        tell(&format!("not carried: {what}"));
    }
    redacting.tell(&redactor.counts());
    let text = format!("{document:#}");
    match &args.out {
        None => out.line(&text)?,
        Some(path) => fs::write(path, text + "\n")
            .map_err(|why| Failure::unread(format!("cannot write {}: {why}", path.display())))?,
    }
    Ok(Exit::Fine)
}
