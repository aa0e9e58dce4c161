//! `trajview corpus`: all runs below some paths, and what two conditions do to the same tasks.

mod document;
mod measure;
mod solved;
mod tables;

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use trajview_run::{named::Named, path::shared_folder, rubric::Rubric};
use trajview_store as store;
use trajview_store::remote;
use trajview_study::pairing::Conditions;

use super::{
    Exit, Failure, Outcome, at, compare, components,
    measuring::Measuring,
    output::{Forms, Out},
    pricing::Pricing,
    resampling::Resampling,
};
use document::Document;

/// All runs below some paths: a table, paired tests between two conditions, correlations
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
    /// Folders below which runs are looked for, runs, or addresses of them; a run that is named twice counts once
    #[arg(value_name = "PATH", value_parser = at::place(), required_unless_present = "listed")]
    paths: Vec<PathBuf>,
    /// And the runs whose paths stand in this file, one a line, as `trajview sample --paths` prints them; `-` is standard input
    #[arg(long = "paths", id = "listed", value_name = "FILE|-")]
    listed: Option<PathBuf>,
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
    let runs = measure::all(&paths, &shared(args, &paths), &with);
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
        tables::several_judgements(&document).iter().for_each(|words| super::output::tell(words));
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

/// The runs that are named and those below the folders that are, sorted, each once.
fn paths(args: &Args) -> Result<Vec<PathBuf>, Failure> {
    let listed = args.listed.as_deref().map(listed).transpose()?.unwrap_or_default();
    let mut runs = vec![];
    for path in args.paths.iter().chain(&listed) {
        let named = path.display();
        if !store::holds_runs(path) {
            // What lies in a file that holds others is nothing that the disk knows.
            let is_inside =
                path.ancestors().skip(1).find(|it| it.exists()).is_some_and(Path::is_file);
            if let (Err(why), false) = (store::disk::metadata(path), is_inside) {
                return Err(Failure::unread(format!("cannot read {named}: {why}")));
            }
            runs.push(path.clone());
            continue;
        }
        let below = store::runs_below(path);
        if below.is_empty() {
            let why = format!("{named}: no recording below this folder");
            return Err(Failure::not_understood(why));
        }
        runs.extend(below);
    }
    if runs.is_empty() {
        return Err(Failure::not_understood("no path is listed, so there is no run"));
    }
    runs.sort();
    runs.dedup();
    Ok(runs)
}

/// The paths in a list, one a line.
fn listed(file: &Path) -> Result<Vec<PathBuf>, Failure> {
    let read = match file.as_os_str() == "-" {
        true => std::io::read_to_string(std::io::stdin()),
        false => std::fs::read_to_string(file),
    };
    let text =
        read.map_err(|why| Failure::unread(format!("cannot read {}: {why}", file.display())))?;
    let lines = text.lines().map(|line| line.trim_end_matches('\r'));
    Ok(lines.filter(|line| !line.trim().is_empty()).map(|it| remote::named(it.into())).collect())
}

/// Below which the table calls each run by its path: the one folder that was named, else the innermost that all runs are in.
fn shared(args: &Args, runs: &[PathBuf]) -> PathBuf {
    if let ([folder], None) = (args.paths.as_slice(), &args.listed) {
        return folder.clone();
    }
    shared_folder(runs).unwrap_or(Path::new("")).to_owned()
}
