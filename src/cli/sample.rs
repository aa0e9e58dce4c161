//! `trajview sample`: which of many runs to look at.

use std::{collections::BTreeMap, path::PathBuf};

use serde::Serialize;
use serde_json::Value;

use trajview_run::figures;
use trajview_store::dataset::{Cell, Column, Spool, Table as DataTable, columns};
use trajview_study::sampling::{Allocation, Stratum, Unit, draw};

use super::{
    Failure, Outcome, at,
    export::{With, exit_of, read_all},
    measuring::Measuring,
    output::{Forms, Out, Table, dash, tell},
    pricing::Pricing,
    redaction::Redacting,
    score::Each,
    sharding::Sharding,
};

/// Draw runs to look at, by stratum and with a seed
///
/// Runs that have the same in the columns of --by are a stratum. Of each stratum those are drawn whose ids come first by a hash of seed
/// and id: the same runs and seed give the same sample, in whatever order the files lie, and a larger sample of a stratum holds the
/// smaller. Each run that is drawn has a weight, the runs of its stratum by those that are drawn of it: an estimate for all runs weighs
/// the runs of the sample by it. With --paths the paths alone are printed, for other commands; with --study as a line of study.toml.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Logs, run bundles, or folders below which runs are looked for
    #[arg(value_name = "PATH", required = true, value_parser = at::recording())]
    paths: Vec<PathBuf>,
    /// The columns that make strata, of the table runs (`trajview export --columns --tables runs`); task, outcome and format stand for
    /// task_id, success and source_type
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', value_parser = column, default_value = "task,agent,condition")]
    by: Vec<&'static Column>,
    /// So many runs of each stratum; all of one that has fewer
    #[arg(long, value_name = "N", required_unless_present = "size")]
    per_stratum: Option<usize>,
    /// So many runs in all, of each stratum in proportion to its size
    #[arg(long, value_name = "N", conflicts_with = "per_stratum")]
    size: Option<usize>,
    /// Another sample with another number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print the paths of the runs drawn alone, one a line
    #[arg(long = "paths", conflicts_with_all = ["study", "json", "md", "tex", "save_tables"])]
    paths_only: bool,
    /// Print the runs drawn as study.toml has them
    #[arg(long, conflicts_with_all = ["json", "md", "tex", "save_tables"])]
    study: bool,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    pricing: Pricing,
    /// Print JSON (schema trajview.sample/1)
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    json: bool,
    #[command(flatten)]
    forms: Forms,
}

fn column(word: &str) -> Result<&'static Column, String> {
    let name = match word {
        "task" => "task_id",
        "outcome" => "success",
        "format" => "source_type",
        other => other,
    };
    let all = columns(DataTable::Runs);
    all.iter().find(|column| column.name == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|column| column.name).collect();
        format!("expected a column of the table runs: {}", names.join(", "))
    })
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    by: Vec<&'static str>,
    /// `per-stratum` or `proportional`
    allocation: &'static str,
    asked: usize,
    seed: u64,
    runs: usize,
    drawn: usize,
    strata: Vec<StratumRow<'a>>,
    /// In the order of the strata, of each in the order in which they were drawn.
    sample: Vec<DrawnRow<'a>>,
    problems: Vec<&'a str>,
}

#[derive(Serialize)]
struct StratumRow<'a> {
    /// From 1.
    stratum: usize,
    values: BTreeMap<&'static str, Option<&'a str>>,
    runs: usize,
    drawn: usize,
    /// Null where none is drawn.
    weight: Option<f64>,
}

#[derive(Serialize)]
struct DrawnRow<'a> {
    run: &'a str,
    path: &'a str,
    stratum: usize,
    weight: f64,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    out.write_as(&args.forms)?;
    let tables = [DataTable::Runs];
    let with = With::new(&tables, Each::Final, &args.measuring, &args.pricing, &Redacting::off())?;
    let cannot = |why: std::io::Error| Failure::unread(format!("cannot keep the rows: {why}"));
    let mut spool = Spool::new(&std::env::temp_dir()).map_err(cannot)?;
    let runs = Sharding::whole().runs(&args.paths)?;
    let unread = read_all(&runs, &with, &mut spool).map_err(cannot)?;
    unread.iter().for_each(|it| tell(&it.why));
    let units = units(&mut spool, &args.by).map_err(cannot)?;
    let (allocation, name, asked) = match (args.per_stratum, args.size) {
        (Some(count), _) => (Allocation::PerStratum(count), "per-stratum", count),
        (None, size) => {
            let count = size.unwrap_or_default();
            (Allocation::Proportional(count), "proportional", count)
        }
    };
    let strata = draw(&units, allocation, args.seed);
    let document = Document {
        schema: "trajview.sample/1",
        by: args.by.iter().map(|column| column.name).collect(),
        allocation: name,
        asked,
        seed: args.seed,
        runs: units.len(),
        drawn: strata.iter().map(|it| it.drawn.len()).sum(),
        strata: strata.iter().zip(1..).map(|(it, at)| StratumRow::of(it, at, &args.by)).collect(),
        sample: sample(&strata, &units),
        problems: unread.iter().map(|it| it.why.as_str()).collect(),
    };
    document.write(args, out)?;
    Ok(exit_of(spool.count(), &unread))
}

/// Every run with its values.
fn units(spool: &mut Spool, by: &[&'static Column]) -> std::io::Result<Vec<Unit>> {
    let all = columns(DataTable::Runs);
    let place = |name: &str| all.iter().position(|column| column.name == name);
    let places: Vec<Option<usize>> = by.iter().map(|column| place(column.name)).collect();
    let (id, path) = (place("transcript_id"), place("source_uri"));
    let mut units = vec![];
    spool.write(DataTable::Runs, &mut |row| {
        let of = |at: &Option<usize>| at.and_then(|at| row.get(at)).and_then(said);
        units.push(Unit {
            id: of(&id).unwrap_or_default(),
            path: of(&path).unwrap_or_default(),
            stratum: places.iter().map(of).collect(),
        });
        Ok(())
    })?;
    Ok(units)
}

fn said(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Missing => None,
        Cell::Text(words) => Some(words.clone()),
        Cell::Whole(number) => Some(number.to_string()),
        Cell::Real(number) => Some(number.to_string()),
        Cell::Truth(is_so) => Some(is_so.to_string()),
    }
}

fn sample<'a>(strata: &[Stratum], units: &'a [Unit]) -> Vec<DrawnRow<'a>> {
    let of_stratum = |(stratum, number): (&Stratum, usize)| {
        let weight = stratum.weight()?;
        let row = |at: &usize| DrawnRow {
            run: &units[*at].id,
            path: &units[*at].path,
            stratum: number,
            weight,
        };
        Some(stratum.drawn.iter().map(row).collect::<Vec<_>>())
    };
    strata.iter().zip(1..).filter_map(of_stratum).flatten().collect()
}

impl<'a> StratumRow<'a> {
    fn of(stratum: &'a Stratum, number: usize, by: &[&'static Column]) -> Self {
        let values = stratum.values.iter().map(Option::as_deref);
        Self {
            stratum: number,
            values: by.iter().map(|column| column.name).zip(values).collect(),
            runs: stratum.size,
            drawn: stratum.drawn.len(),
            weight: stratum.weight(),
        }
    }
}

impl Document<'_> {
    fn write(&self, args: &Args, out: &mut Out) -> std::io::Result<()> {
        if args.json {
            return out.json(self);
        }
        let none = self.strata.iter().filter(|it| it.drawn == 0).count();
        if none > 0 {
            let strata = figures::counted(none, "stratum").replace("stratums", "strata");
            tell(&format!("nothing is drawn of {strata}: the sample says nothing about them"));
        }
        if args.paths_only {
            return self.sample.iter().try_for_each(|it| out.line(it.path));
        }
        if args.study {
            let paths: Vec<Value> = self.sample.iter().map(|it| it.path.into()).collect();
            let quoted: Vec<String> = paths.iter().map(ToString::to_string).collect();
            return out.line(&format!("runs = [{}]", quoted.join(", ")));
        }
        self.print(args.forms.md, out)
    }

    fn print(&self, is_markdown: bool, out: &mut Out) -> std::io::Result<()> {
        let heads = [">stratum"].into_iter().chain(self.by.iter().copied());
        let heads = heads.chain([">runs", ">drawn", ">weight"]).map(str::to_owned);
        let mut strata = Table::headed(heads.collect());
        for row in &self.strata {
            let values = self.by.iter().map(|name| dash(row.values.get(name).copied().flatten()));
            let weight = dash(row.weight.map(|it| format!("{it:.4}")));
            let numbers = [row.runs.to_string(), row.drawn.to_string(), weight];
            strata
                .row([row.stratum.to_string()].into_iter().chain(values).chain(numbers).collect());
        }
        strata.write(is_markdown, out)?;
        out.line("")?;
        let mut sample = Table::new(&[">stratum", ">weight", "run", "path"]);
        for row in &self.sample {
            let weight = format!("{:.4}", row.weight);
            sample.row(vec![row.stratum.to_string(), weight, row.run.into(), row.path.into()]);
        }
        sample.write(is_markdown, out)?;
        out.line("")?;
        let (drawn, runs) = (figures::count(self.drawn as u64), figures::counted(self.runs, "run"));
        out.line(&format!("{drawn} of {runs} drawn with seed {}", self.seed))
    }
}
