//! `trajview sample`: which of many runs to look at.

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::Value;

use trajview_run::format_number;
use trajview_store::dataset::{DataCell, DataColumn, DataTable, RunSpool, table_columns};
use trajview_study::sampling::{DrawAllocation, SampleUnit, SampledStratum, draw_strata};

use super::{
    CommandFailure, CommandResult,
    export::{ExportContext, exit_after_reading, read_all},
    measuring_args::MeasuringArgs,
    output::{Json, Out, OutputTable, TableColumn, TableFormArgs, print_note, record},
    pricing::PricingArgs,
    redaction::RedactingArgs,
    run_args,
    score::ScoreEach,
    sharding::ShardArgs,
};

/// Draw a sample of runs, by stratum and with a seed
///
/// Runs with the same values in the columns of --by are a stratum. From each stratum, the runs whose ids come first by
/// a hash of seed and id are drawn: the same runs and seed give the same sample, in any order of the files, and a
/// larger sample of a stratum contains the smaller one. Each drawn run has a weight, the size of its stratum divided by
/// the number drawn from it: use it to estimate values for all runs. --paths prints only the paths, for other commands;
/// --study prints a line of study.toml.
#[derive(Debug, clap::Args)]
pub struct SampleArgs {
    /// Logs, run bundles, or folders that contain them
    #[arg(value_name = "PATH", required = true, value_parser = run_args::recording_parser())]
    paths: Vec<PathBuf>,
    /// The columns that define the strata, of the table runs (`trajview export --columns --tables runs`); format stands for
    /// source_type
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', value_parser = parse_column, default_value = "task,agent,condition")]
    by: Vec<&'static DataColumn>,
    /// N runs per stratum; all if a stratum has fewer
    #[arg(long, value_name = "N", required_unless_present = "size")]
    per_stratum: Option<usize>,
    /// N runs in total, from each stratum in proportion to its size
    #[arg(long, value_name = "N", conflicts_with = "per_stratum")]
    size: Option<usize>,
    /// Seed of the sample
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print only the paths of the drawn runs, one per line
    #[arg(long = "paths", conflicts_with_all = ["study", "json", "md", "tex", "save_tables"])]
    paths_only: bool,
    /// Print the drawn runs in the form of study.toml
    #[arg(long, conflicts_with_all = ["json", "md", "tex", "save_tables"])]
    study: bool,
    #[command(flatten)]
    measuring: MeasuringArgs,
    #[command(flatten)]
    pricing: PricingArgs,
    /// Print JSON (schema trajview.sample/1)
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    json: bool,
    #[command(flatten)]
    forms: TableFormArgs,
}

fn parse_column(word: &str) -> Result<&'static DataColumn, String> {
    let name = match word {
        "format" => "source_type",
        other => other,
    };
    let all = table_columns(DataTable::Runs);
    all.iter().find(|column| column.name == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|column| column.name).collect();
        format!("expected a column of the table runs: {}", names.join(", "))
    })
}

pub fn run(args: &SampleArgs, out: &mut Out) -> CommandResult {
    out.set_table_form(&args.forms)?;
    let tables = [DataTable::Runs];
    let with = ExportContext::new(
        &tables,
        ScoreEach::Final,
        &args.measuring,
        &args.pricing,
        &RedactingArgs::off(),
    )?;
    let cannot = |why: std::io::Error| CommandFailure::unwritable(&std::env::temp_dir(), &why);
    let mut spool = RunSpool::new(&std::env::temp_dir()).map_err(cannot)?;
    let runs = ShardArgs::all_runs().runs_of_shard(&args.paths)?;
    let unread = read_all(&runs, &with, &mut spool).map_err(cannot)?;
    unread.iter().for_each(|it| print_note(&it.sentence));
    let units = run_units(&mut spool, &args.by).map_err(cannot)?;
    let (allocation, name, count) = match (args.per_stratum, args.size) {
        (Some(count), _) => (DrawAllocation::PerStratum(count), "per-stratum", count),
        (None, size) => {
            let count = size.unwrap_or_default();
            (DrawAllocation::Proportional(count), "proportional", count)
        }
    };
    let strata = draw_strata(&units, allocation, args.seed);
    let document = record! {
        schema: "trajview.sample/1",
        by: args.by.iter().map(|column| column.name).collect::<Vec<_>>(),
        allocation: name,
        asked: count,
        seed: args.seed,
        runs: units.len(),
        drawn: strata.iter().map(|it| it.drawn.len()).sum::<usize>(),
        strata: Json::list(strata.iter().zip(1..), |(it, at)| stratum_row(it, at, &args.by)),
        sample: drawn_run_rows(&strata, &units),
        problems: unread.iter().map(|it| it.sentence.as_str()).collect::<Vec<_>>(),
    };
    print_sample(&document, args, out)?;
    Ok(exit_after_reading(spool.run_count(), &unread))
}

/// Runs every run with its values.
fn run_units(spool: &mut RunSpool, by: &[&'static DataColumn]) -> std::io::Result<Vec<SampleUnit>> {
    let all = table_columns(DataTable::Runs);
    let place = |name: &str| all.iter().position(|column| column.name == name);
    let places: Vec<Option<usize>> = by.iter().map(|column| place(column.name)).collect();
    let (id, path) = (place("transcript_id"), place("source_uri"));
    let mut units = vec![];
    spool.write_table(DataTable::Runs, &mut |row| {
        let text_at = |at: &Option<usize>| at.and_then(|at| row.get(at)).and_then(cell_text);
        units.push(SampleUnit {
            id: text_at(&id).unwrap_or_default(),
            path: text_at(&path).unwrap_or_default(),
            stratum: places.iter().map(text_at).collect(),
        });
        Ok(())
    })?;
    Ok(units)
}

fn cell_text(cell: &DataCell) -> Option<String> {
    match cell {
        DataCell::Missing => None,
        DataCell::Text(words) => Some(words.clone()),
        DataCell::Integer(number) => Some(number.to_string()),
        DataCell::Real(number) => Some(number.to_string()),
        DataCell::Bool(is_so) => Some(is_so.to_string()),
    }
}

/// Makes a row for each sampled run in the order of the strata; within each in the order of drawing.
fn drawn_run_rows(strata: &[SampledStratum], units: &[SampleUnit]) -> Vec<Json> {
    let of_stratum = |(stratum, number): (&SampledStratum, usize)| {
        let weight = stratum.sample_weight()?;
        let row = |at: &usize| {
            let unit = &units[*at];
            record! { run: unit.id, path: unit.path, stratum: number, weight: weight }
        };
        Some(stratum.drawn.iter().map(row).collect::<Vec<_>>())
    };
    strata.iter().zip(1..).filter_map(of_stratum).flatten().collect()
}

/// Returns the JSON of a stratum, which counts from 1; its weight is null if none is drawn.
fn stratum_row(stratum: &SampledStratum, number: usize, by: &[&'static DataColumn]) -> Json {
    let values = by.iter().map(|column| column.name).zip(&stratum.values);
    record! {
        stratum: number,
        values: values.collect::<BTreeMap<_, _>>(),
        runs: stratum.size,
        drawn: stratum.drawn.len(),
        weight: stratum.sample_weight(),
    }
}

fn print_sample(document: &Json, args: &SampleArgs, out: &mut Out) -> std::io::Result<()> {
    if args.json {
        return out.print_json(document);
    }
    let none = document.rows("strata").iter().filter(|it| it.count("drawn") == 0).count();
    if none > 0 {
        let strata = format_number::count_with_noun(none, "stratum").replace("stratums", "strata");
        print_note(&format!("no runs drawn from {strata}: the sample does not represent them"));
    }
    let paths = document.rows("sample").iter().map(|it| it.cell("path"));
    if args.paths_only {
        return paths.into_iter().try_for_each(|path| out.print_line(&path));
    }
    if args.study {
        let quoted: Vec<String> = paths.map(|path| Value::from(path).to_string()).collect();
        return out.print_line(&format!("runs = [{}]", quoted.join(", ")));
    }
    print_sample_tables(document, args, out)
}

fn print_sample_tables(document: &Json, args: &SampleArgs, out: &mut Out) -> std::io::Result<()> {
    let names: Vec<&str> = args.by.iter().map(|column| column.name).collect();
    let heads = [">stratum"].into_iter().chain(names.iter().copied());
    let heads = heads.chain([">runs", ">drawn", ">weight"]).map(str::to_owned);
    let mut strata = OutputTable::with_heads(heads.collect());
    for row in document.rows("strata") {
        let values = names.iter().map(|name| row.field("values").cell(name));
        let numbers = [row.cell("runs"), row.cell("drawn"), row.digits_cell("weight", 4)];
        strata.add_row([row.cell("stratum")].into_iter().chain(values).chain(numbers).collect());
    }
    strata.write_table(args.forms.md, out)?;
    out.print_line("")?;
    let columns: [TableColumn<'_, Json>; 4] = [
        (">stratum", &|it| it.cell("stratum")),
        (">weight", &|it| it.digits_cell("weight", 4)),
        ("run", &|it| it.cell("run")),
        ("path", &|it| it.cell("path")),
    ];
    OutputTable::from_rows(&columns, document.rows("sample")).write_table(args.forms.md, out)?;
    out.print_line("")?;
    let (drawn, runs) = (
        format_number::with_thousands(document.count("drawn")),
        format_number::count_with_noun(document.count("runs") as usize, "run"),
    );
    out.print_line(&format!("{drawn} of {runs} drawn with seed {}", args.seed))
}
