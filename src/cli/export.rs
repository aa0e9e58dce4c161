//! `trajview export`: a run in a form that other programs read, or many runs as tables.

mod columns;
mod inspect;
mod rows;
mod tables;
mod training;

pub use rows::ExportContext;
pub use tables::{exit_after_reading, read_all};

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::builder::TypedValueParser;

use trajview_store as store;
use trajview_store::{
    dataset::{ColumnChoice, DataTable, TableFormat, choose_columns},
    export,
};

use super::{
    CommandFailure, CommandResult, Exit,
    measuring_args::MeasuringArgs,
    output::{Out, print_note},
    pricing::PricingArgs,
    redaction::{RedactingArgs, TokenKeyArgs},
    run_args,
    score::ScoreEach,
    sharding::ShardArgs,
};

/// Export a run for other programs, or many runs as tables
///
/// --atif, --otlp and --messages write one run; standard error lists what the format cannot represent. If you read the file
/// again, the run is the same, except for this and for the redacted keys, passwords, addresses, home folders and names
/// (--redact off does not redact).
///
/// --sft and --dpo write training sets of all runs below the paths, chosen by the outcome that the harness recorded. A run
/// without a recorded outcome is never in one; standard error has the number of such runs. Beside `--out set.jsonl`,
/// `set.provenance.jsonl` names the runs of each line, with the file that states the outcome.
///
/// --inspect writes .eval files that Inspect View opens: a sample for each run, with messages, events that have a time, recorded
/// scores and tokens. --out FILE.eval takes runs of one task and one model; --out DIR has a file for each. Images are
/// written with --redact off.
///
/// --parquet, --csv and --jsonl write tables of all runs below the paths into a folder: runs, turns, steps, edits, points, flags,
/// verdicts, labels, signals, and a separate table of texts. A value in a table is the same as in the output of the
/// commands; an unknown value is null. A recording that cannot be read is a row of runs with read_error, and is
/// reported on standard error. Rows are sorted by task and run. A file is written atomically, never changes, and is
/// named by table, shard and content: a repeated export of the same runs leaves it unchanged. `trajview merge` joins shards.
#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    /// Logs, run bundles, or folders that contain them; for --atif, --otlp and --messages one recording, or
    /// `-` for standard input
    #[arg(value_name = "PATH", required_unless_present = "columns", value_parser = run_args::recording_parser())]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    counting: run_args::CountingArgs,
    /// The Agent Trajectory Interchange Format, version 1.8; `trajview check` checks such a file
    #[arg(long, conflicts_with = "messages")]
    atif: bool,
    /// Messages in the form of OpenAI's API
    #[arg(long)]
    messages: bool,
    /// OTLP JSON: spans with the attributes of OpenTelemetry's conventions for generative AI
    #[arg(long, conflicts_with_all = ["atif", "messages"])]
    otlp: bool,
    #[command(flatten)]
    training: training::TrainingArgs,
    /// Logs of Inspect (.eval, version 2), with a sample for each run; needs --out
    #[arg(long, conflicts_with_all = ["atif", "messages", "otlp", "sft", "dpo", "parquet", "csv", "jsonl"])]
    inspect: bool,
    /// The output file of --atif, --otlp, --messages, --sft or --dpo; default: standard output. Of --inspect a FILE.eval, or a
    /// folder with a file for each task and model
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["parquet", "csv", "jsonl"])]
    out: Option<PathBuf>,
    /// Tables as Parquet into this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["atif", "messages", "otlp"])]
    parquet: Option<PathBuf>,
    /// Tables as CSV into this folder: an empty cell is null, "" an empty text
    #[arg(long, value_name = "DIR", conflicts_with_all = ["atif", "messages", "otlp"])]
    csv: Option<PathBuf>,
    /// Tables as JSON lines into this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["atif", "messages", "otlp"])]
    jsonl: Option<PathBuf>,
    /// Only these tables; default: all
    #[arg(long, value_name = "TABLE,...", value_delimiter = ',', value_parser = table_parser())]
    tables: Vec<DataTable>,
    /// The moments in the table of points
    #[arg(long, value_enum, default_value_t = ScoreEach::Final)]
    each: ScoreEach,
    #[command(flatten)]
    sharding: ShardArgs,
    /// Overwrite: remove parts in the folder that have other runs or another division
    #[arg(long, alias = "replace")]
    overwrite: bool,
    /// Only these columns, in this order: `agent` is the column of every table that has it, `turns.turn` of one table.
    /// Without --tables, tables with none of them are not written. Without names: print the columns of the tables,
    /// with their types, units and meanings; with --json as JSON (schema trajview.columns/1)
    #[arg(long, value_name = "COLUMN,...", num_args = 0..=1, conflicts_with_all = ["atif", "messages", "otlp", "sft", "dpo", "inspect"])]
    columns: Option<Option<String>>,
    #[command(flatten)]
    redaction: RedactionArgs,
    #[command(flatten)]
    measuring: MeasuringArgs,
    #[command(flatten)]
    pricing: PricingArgs,
}

/// What is taken out, and what tells identities apart that it is taken out of.
#[derive(Debug, clap::Args)]
struct RedactionArgs {
    #[command(flatten)]
    redacting: RedactingArgs,
    #[command(flatten)]
    tokens: TokenKeyArgs,
}

fn table_parser() -> impl TypedValueParser<Value = DataTable> {
    run_args::word_parser(DataTable::ALL.map(DataTable::word), DataTable::by_word)
}

impl ExportArgs {
    /// Returns the forms that tables are to be written in, each with its folder.
    fn table_forms(&self) -> Vec<(TableFormat, &Path)> {
        let all = [
            (TableFormat::Parquet, &self.parquet),
            (TableFormat::Csv, &self.csv),
            (TableFormat::Jsonl, &self.jsonl),
        ];
        all.into_iter().filter_map(|(form, folder)| Some((form, folder.as_deref()?))).collect()
    }

    /// Returns the redaction options, with token keys for identities.
    fn redacting_with_tokens(&self) -> Result<RedactingArgs, CommandFailure> {
        let paths = self.paths.clone();
        let names = move || ShardArgs::names_of_all_runs(&paths);
        Ok(self.redaction.redacting.with_tokens(self.redaction.tokens.token_keys(names)?))
    }

    /// Returns the tables that are to be written, in their order, with their columns.
    fn wanted_tables(&self) -> Result<Vec<ColumnChoice>, CommandFailure> {
        let names = self.columns.iter().flatten().flat_map(|names| names.split(','));
        let names: Vec<&str> = names.map(str::trim).filter(|name| !name.is_empty()).collect();
        choose_columns(&self.tables, &names).map_err(CommandFailure::wrong_arguments)
    }

    /// Returns whether the columns are to be printed, and nothing is to be written.
    fn prints_columns(&self) -> bool {
        self.columns.is_some() && self.paths.is_empty() && self.table_forms().is_empty()
    }
}

pub fn run(args: &ExportArgs, out: &mut Out) -> CommandResult {
    args.counting.apply();
    if args.prints_columns() {
        columns::print_columns(&args.wanted_tables()?, args.redaction.redacting.is_json(), out)?;
        return Ok(Exit::Fine);
    }
    args.redaction.redacting.check_json()?;
    if args.inspect {
        return inspect::export_logs(args, out);
    }
    if args.training.is_wanted() {
        return training::export_training_set(args, out);
    }
    if args.training.has_options() {
        let why = "--outcome and --per-turn choose the lines of a training set: --sft or --dpo";
        return Err(CommandFailure::wrong_arguments(why));
    }
    let is_document = args.atif || args.messages || args.otlp;
    if args.redaction.redacting.is_list() && !is_document {
        return tables::list_redactions(args, out);
    }
    if args.columns == Some(None) {
        let why = "--columns needs the names of columns, as --columns task_id,erosion; without a recording it lists them";
        return Err(CommandFailure::wrong_arguments(why));
    }
    if args.paths.is_empty() {
        return Err(CommandFailure::wrong_arguments(
            "no recording is named: trajview export PATH...",
        ));
    }
    if !args.table_forms().is_empty() {
        return tables::export_tables(args, out);
    }
    if !is_document {
        let why = "no format: --parquet DIR, --csv DIR or --jsonl DIR for tables; --sft or --dpo for a training \
                   set; --inspect for logs of Inspect; --atif, --otlp or --messages for one run";
        return Err(CommandFailure::wrong_arguments(why));
    }
    let [path] = args.paths.as_slice() else {
        return Err(CommandFailure::wrong_arguments(
            "--atif, --otlp and --messages need exactly one recording",
        ));
    };
    if args.sharding.is_named() {
        return Err(CommandFailure::wrong_arguments(
            "--shard works only with tables and training sets: --parquet, --csv, --jsonl or --sft",
        ));
    }
    export_one(path, args, out)
}

fn export_one(path: &Path, args: &ExportArgs, out: &mut Out) -> CommandResult {
    let opened = store::open(path)?;
    if args.atif && opened.run.turns.is_empty() {
        let why = format!("{}: no step is recorded, and ATIF needs at least one", path.display());
        return Err(CommandFailure::cannot_understand(why));
    }
    let write = match (args.atif, args.otlp) {
        (true, _) => export::to_atif,
        (false, true) => export::to_otlp,
        (false, false) => export::to_messages,
    };
    let made = write(&opened.run, &opened.archive);
    let redacting = args.redacting_with_tokens()?;
    let redactor = redacting.redactor_for_runs([&*opened.run]);
    let mut document = redactor.redact_json("", made.document);
    if let (true, Some(id)) = (args.messages, document.get_mut("id")) {
        *id = redactor.redact_identity("id", &opened.run.id).into();
    }
    if args.otlp {
        export::set_span_ids(&mut document, &redactor.redact_identity("id", &opened.run.id));
    }
    if redacting.is_list() {
        redacting.print_findings(&redactor.findings(), out)?;
        return Ok(Exit::Fine);
    }
    for what in &made.left_out {
        print_note(&format!("not exported: {what}"));
    }
    redacting.print_counts(&redactor.counts_by_kind());
    let text = format!("{document:#}");
    match &args.out {
        None => out.print_line(&text)?,
        Some(path) => {
            fs::write(path, text + "\n").map_err(|why| CommandFailure::unwritable(path, &why))?;
        }
    }
    Ok(Exit::Fine)
}
