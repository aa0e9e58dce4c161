//! `trajview corpus`: all runs below a folder, and what two conditions do to the same tasks.

mod document;
mod measure;
mod solved;
mod tables;

use std::path::PathBuf;

use clap::ValueEnum;

use crate::{
    run::{named::Named, rubric::Rubric},
    store,
    study::pairing::Conditions,
};

use super::{
    Exit, Failure, Outcome, at, compare, components,
    measuring::Measuring,
    output::{Forms, Out},
    pricing::Pricing,
    resampling::Resampling,
};
use document::Document;

/// All runs below a folder: a table, paired tests between two conditions, correlations
///
/// Runs are paired by the task's id and the agent, with a row for each agent and, where there are several, one of all
/// of them pooled; of several runs under one condition the mean counts. Gaps are the first condition less the second.
/// Gaps that differ by rounding alone are equal. p is Wilcoxon's signed-rank test, exact by permutation for at most 25
/// gaps, zeros dropped; p Holm is adjusted for the metrics of the same agent. Erosion and verbosity rise where the last
/// measured checkpoint of a run is above its first. Components are paired within their task: intervals are over
/// components, and with tasks as clusters by drawing them whole and by a linear mixed model; p Holm is adjusted for the
/// measures of the same agent. Slopes are least squares a checkpoint, their mean is over runs. A solved checkpoint is one of
/// which every test passed; what it costs is all dollars by all solved checkpoints, by recorded and by computed cost apart,
/// with tasks drawn whole.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder below which runs are looked for, or its address
    #[arg(value_name = "DIR", value_parser = at::place())]
    folder: PathBuf,
    /// The two conditions that are compared
    #[arg(long, value_name = "A,B", default_value = "single-shot,emergent", value_parser = conditions)]
    pair: Conditions,
    /// Whose scores count: the judge's name, or a judgement's file; the beginning is enough where only one begins so;
    /// `pooled:mean`, `pooled:median` or `pooled:majority` pools those of each state, with `:JUDGE` the repeats of one.
    /// Without it the last judgement of the latest state that has a score for every component
    #[arg(long, visible_alias = "judgement", value_name = "NAME|FILE")]
    judge: Option<String>,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    pricing: Pricing,
    #[command(flatten)]
    resampling: Resampling,
    /// Print JSON (schema trajview.corpus/1)
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables"])]
    json: bool,
    /// Print one table as CSV: that of runs, unless --table names another
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    csv: bool,
    /// Which table --csv prints
    #[arg(long, value_enum, value_name = "TABLE", default_value_t = Which::Runs, requires = "csv")]
    table: Which,
    #[command(flatten)]
    forms: Forms,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// A row a run
    Runs,
    /// A row a paired test: an agent, a metric
    Paired,
    /// A row a measure of components, with tasks as clusters
    Components,
    /// How erosion and verbosity go from checkpoint to checkpoint
    Trends,
    /// What a solved checkpoint costs: a row an agent and condition
    Solved,
}

fn conditions(words: &str) -> Result<Conditions, String> {
    Conditions::parse(words)
        .ok_or_else(|| "expected two different conditions, as single-shot,emergent".into())
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    out.write_as(&args.forms)?;
    let paths = paths(args)?;
    let (scorer, reader) = args.measuring.scorers()?;
    let judge = judge(args.judge.as_deref(), &paths)?;
    let prices = args.pricing.prices()?;
    let with = measure::With { scorer: &scorer, reader: &reader, judge, prices: &prices };
    let runs = measure::all(&paths, &args.folder, &with);
    let plan = args.resampling.plan();
    let document = Document::of(runs, &args.pair, &plan, scorer.ruler());
    if args.json {
        out.json(&document)?;
    } else if args.csv {
        match args.table {
            Which::Runs => out.csv(&tables::runs_csv(&document), &document.runs)?,
            Which::Paired => out.csv(tables::PAIRED, &document.paired)?,
            Which::Components => out.csv(components::CSV, &document.components)?,
            Which::Trends => out.csv(tables::TRENDS, &document.trends)?,
            Which::Solved => out.csv(solved::CSV, &document.cost_per_solved)?,
        }
        super::output::tell_warnings(&document.doubts.problems);
    } else {
        tables::print(&document, args.forms.md, out)?;
    }
    Ok(Exit::Fine)
}

/// Whom the word names in all runs together.
fn judge(word: Option<&str>, paths: &[PathBuf]) -> Result<Option<Named>, Failure> {
    if word.is_none() {
        return Ok(None);
    }
    let mut rubrics: Vec<Rubric> = paths.iter().map(|path| store::rubric::read(path)).collect();
    compare::pool_each(rubrics.iter_mut(), word.unwrap_or_default())?;
    compare::judge_called(word, &rubrics.iter().collect::<Vec<_>>())
}

fn paths(args: &Args) -> Result<Vec<PathBuf>, Failure> {
    let folder = args.folder.display();
    if let Err(why) = store::disk::metadata(&args.folder) {
        return Err(Failure::unread(format!("cannot read {folder}: {why}")));
    }
    let paths = store::runs_below(&args.folder);
    if paths.is_empty() {
        let why = format!("{folder}: no recording below this folder");
        return Err(Failure::not_understood(why));
    }
    Ok(paths)
}
