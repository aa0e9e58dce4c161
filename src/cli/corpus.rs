//! `trajview corpus`: all runs below some paths, and what two conditions do to the same tasks.

mod corrected_differences;
mod cost_per_solved;
mod document;
mod outcomes;
mod run_facts;
mod tables;

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use clap::ValueEnum;

use trajview_metrics::{Number, numbers::CORPUS};
use trajview_run::{find_by_name::JudgeSelection, path::shared_folder, rubric::Rubric};
use trajview_store as store;
use trajview_store::remote;
use trajview_study::{corpus::TestFamily, pairing::ConditionPair};

use super::{
    CommandFailure, CommandResult, Exit, compare, component_comparison,
    measuring_args::{MeasuringArgs, ruler_text},
    output::{Json, Out, TableFormArgs},
    pricing::PricingArgs,
    resampling::ResamplingArgs,
    run_args,
};
use document::{CorpusDocument, TestTerms};

/// All runs below some paths: a table, paired tests, correlations
///
/// Runs are paired by the task's id and the agent, with a row for each agent and, if there are several, one of all of them
/// pooled; for several runs under one condition the mean counts. Gaps are the first condition minus the second. Gaps that
/// differ only by rounding are equal. p is Wilcoxon's signed-rank test, exact by permutation for at most 25 gaps, zeros
/// dropped; p Holm is adjusted for the metrics of the same agent. Erosion and verbosity rise where the last measured
/// checkpoint of a run is above its first. Components are paired within their task: intervals are over components, and over
/// tasks as clusters, by a bootstrap of whole tasks and by a linear mixed model; p Holm is adjusted for the measures of the
/// same agent. Slopes are least-squares slopes per checkpoint, averaged over runs. A checkpoint is solved if all its tests
/// passed; the cost of a solved checkpoint is the sum of dollars divided by the number of solved checkpoints, separately for
/// recorded and computed cost, with a bootstrap of whole tasks. Outcomes are those that a harness recorded: pass rates of
/// groups (--by) with Wilson's interval by three rules for errors, pass@k and pass^k over repeats, flaky tasks, the cost of a
/// passed trial, and every two groups paired by task with McNemar's exact test; unscored trials are excluded.
#[derive(Debug, clap::Args)]
pub struct CorpusArgs {
    /// Runs, folders that contain runs, or addresses of them; a run that is named twice counts once
    #[arg(value_name = "PATH", value_parser = run_args::place_parser(), required_unless_present = "listed")]
    paths: Vec<PathBuf>,
    /// Also the runs listed in this file, one path per line, as `trajview sample --paths` prints them; `-` is standard input
    #[arg(long = "paths", id = "listed", value_name = "FILE|-")]
    listed: Option<PathBuf>,
    /// The two conditions to compare
    #[arg(long, value_name = "A,B", default_value = "single-shot,emergent", value_parser = parse_conditions)]
    pair: ConditionPair,
    /// Judge whose scores count: the judge's name, or a judgement's file; a unique beginning is enough;
    /// `pooled:mean`, `pooled:median` or `pooled:majority` pools those of each state, with `:JUDGE` the repeats of one.
    /// Without it the last judgement of the latest state that has a score for every component
    #[arg(long, alias = "judgement", value_name = "NAME|FILE")]
    judge: Option<String>,
    /// Only these numbers, in the table of runs and in paired tests; p Holm is adjusted for them alone
    #[arg(long, value_name = "ID,...", value_delimiter = ',', value_parser = corpus_metric_parser())]
    metrics: Vec<Number>,
    /// The tests of which each p-value is adjusted for the others (Holm)
    #[arg(long, value_enum, value_name = "FAMILY", default_value_t = FamilyWord::Agent)]
    family: FamilyWord,
    #[command(flatten)]
    counting: run_args::CountingArgs,
    #[command(flatten)]
    measuring: MeasuringArgs,
    #[command(flatten)]
    pricing: PricingArgs,
    #[command(flatten)]
    resampling: ResamplingArgs,
    #[command(flatten)]
    outcomes: outcomes::OutcomeArgs,
    /// Only the outcomes of trials; code is not scored
    #[arg(long = "outcomes")]
    is_outcomes_only: bool,
    /// Print JSON (schema trajview.corpus/1)
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables"])]
    json: bool,
    /// Print one table as CSV: the one that --table names
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    csv: bool,
    /// The table that --csv prints. Default: runs; with --outcomes, outcomes
    #[arg(long, value_enum, value_name = "TABLE", requires = "csv")]
    table: Option<CorpusTable>,
    #[command(flatten)]
    forms: TableFormArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CorpusTable {
    /// One row per run
    Runs,
    /// One row per paired test: an agent, a metric
    Paired,
    /// One row per measure of components, with tasks as clusters
    Components,
    /// The MCF that blind labels correct, under both conditions: one row per agent
    Corrected,
    /// Erosion and verbosity from checkpoint to checkpoint
    Trends,
    /// Cost of a solved checkpoint: one row per agent and condition
    Solved,
    /// Outcomes of trials: one row per group
    Outcomes,
    /// Outcomes of trials: one row per group and task
    Tasks,
    /// pass@k and pass^k: one row per group and k
    AtK,
    /// Cost, tokens and time of a passed trial: one row per group and measure
    PerPass,
    /// Groups paired by task: McNemar's test of outcomes, Wilcoxon's of rewards
    OutcomePairs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FamilyWord {
    /// The numbers of each agent
    Agent,
    /// The agents of each number
    Metric,
    /// All tests of the table
    All,
}

impl FamilyWord {
    const fn description(self) -> &'static str {
        match self {
            Self::Agent => "adjusted for the numbers of the same agent",
            Self::Metric => "adjusted for the agents of the same number",
            Self::All => "adjusted for all tests of the table",
        }
    }

    const fn family(self) -> TestFamily {
        match self {
            Self::Agent => TestFamily::Agent,
            Self::Metric => TestFamily::Metric,
            Self::All => TestFamily::All,
        }
    }
}

fn corpus_metric_parser() -> impl clap::builder::TypedValueParser<Value = Number> {
    run_args::word_parser(CORPUS.iter().map(|it| it.id()), Number::find_by_id)
}

pub(super) fn parse_conditions(words: &str) -> Result<ConditionPair, String> {
    ConditionPair::parse(words)
        .ok_or_else(|| "expected two different conditions, as single-shot,emergent".into())
}

pub fn run(args: &CorpusArgs, out: &mut Out) -> CommandResult {
    args.counting.apply();
    out.set_table_form(&args.forms)?;
    let paths = paths_of_runs(&args.paths, args.listed.as_deref())?;
    let scorers = args.measuring.open_scorers()?;
    let judge = judge_of_paths(args.judge.as_deref(), &paths)?;
    let prices = args.pricing.read_prices()?;
    let with = run_facts::CorpusOptions {
        scorers: &scorers,
        judge,
        prices: &prices,
        is_outcomes_only: args.is_outcomes_only,
    };
    let runs = run_facts::measure_runs(&paths, &naming_folder(args, &paths), &with);
    let plan = args.resampling.to_plan();
    out.add_table_note(format!(
        "intervals: 95 % BCa bootstrap over tasks; p: Wilcoxon's signed-rank test of the gaps; p Holm: {}; {}",
        args.family.description(),
        ruler_text(scorers.scorer.ruler())
    ));
    let terms = TestTerms { family: args.family.family(), metrics: &args.metrics };
    let ruler = scorers.scorer.ruler();
    let document = CorpusDocument::new(runs, &args.pair, &args.outcomes, &plan, terms, ruler);
    if args.json {
        out.print_json(&document.json)?;
    } else if args.csv {
        let usual_table =
            if args.is_outcomes_only { CorpusTable::Outcomes } else { CorpusTable::Runs };
        let (columns, rows) = csv_table(args.table.unwrap_or(usual_table), &document);
        out.print_csv(&columns, rows)?;
        super::output::print_warnings(&document.problems);
        tables::several_judgements_notes(&document)
            .iter()
            .for_each(|words| super::output::print_note(words));
    } else if args.is_outcomes_only {
        tables::print_outcomes(&document, args.forms.md, out)?;
    } else {
        tables::print_corpus(&document, args.forms.md, out)?;
    }
    Ok(Exit::Fine)
}

/// Returns the columns and the rows of a table; no rows without outcomes.
fn csv_table(table: CorpusTable, document: &CorpusDocument) -> (Cow<'static, str>, &[Json]) {
    let rows = |name: &str| document.json.rows(name);
    let of_outcomes = |name: &str| document.json.field("outcomes").rows(name);
    match table {
        CorpusTable::Runs => (tables::runs_csv_columns(document).into(), rows("runs")),
        CorpusTable::Paired => (tables::PAIRED_CSV_COLUMNS.into(), rows("paired")),
        CorpusTable::Components => (component_comparison::CSV_COLUMNS.into(), rows("components")),
        CorpusTable::Corrected => (corrected_differences::CSV_COLUMNS.into(), rows("corrected")),
        CorpusTable::Trends => (tables::TREND_CSV_COLUMNS.into(), rows("trends")),
        CorpusTable::Solved => (cost_per_solved::CSV_COLUMNS.into(), rows("cost_per_solved")),
        CorpusTable::Outcomes => (outcomes::GROUP_CSV_COLUMNS.into(), of_outcomes("groups")),
        CorpusTable::Tasks => (outcomes::TASK_CSV_COLUMNS.into(), of_outcomes("tasks")),
        CorpusTable::AtK => (outcomes::AT_K_CSV_COLUMNS.into(), of_outcomes("at_k")),
        CorpusTable::PerPass => (outcomes::SPENT_CSV_COLUMNS.into(), of_outcomes("per_pass")),
        CorpusTable::OutcomePairs => {
            (outcomes::PAIRED_CSV_COLUMNS.into(), of_outcomes("outcome_pairs"))
        }
    }
}

/// Finds the judge that the word names in all runs together.
fn judge_of_paths(
    word: Option<&str>,
    paths: &[PathBuf],
) -> Result<Option<JudgeSelection>, CommandFailure> {
    if word.is_none() {
        return Ok(None);
    }
    let mut rubrics: Vec<Rubric> =
        paths.iter().map(|path| store::rubric::read_beside(path)).collect();
    compare::pool_each(rubrics.iter_mut(), word.unwrap_or_default())?;
    compare::judge_by_name(word, &rubrics.iter().collect::<Vec<_>>())
}

/// Runs the runs that are named and those below the folders that are, sorted, each once.
pub(super) fn paths_of_runs(
    paths: &[PathBuf],
    list: Option<&Path>,
) -> Result<Vec<PathBuf>, CommandFailure> {
    let listed = list.map(read_path_list).transpose()?.unwrap_or_default();
    let mut runs = vec![];
    for path in paths.iter().chain(&listed) {
        let shown_path = path.display();
        if !store::may_contain_runs(path) {
            // A path inside of a file that holds other runs is not known to the disk.
            let is_inside =
                path.ancestors().skip(1).find(|it| it.exists()).is_some_and(Path::is_file);
            if let (Err(why), false) = (store::disk::metadata(path), is_inside) {
                return Err(CommandFailure::unreadable(path, &why));
            }
            runs.push(path.clone());
            continue;
        }
        let below = store::runs_below(path);
        if below.is_empty() {
            let why = format!("{shown_path}: no recording below this folder");
            return Err(CommandFailure::cannot_understand(why));
        }
        runs.extend(below);
    }
    if runs.is_empty() {
        return Err(CommandFailure::cannot_understand("the list has no path"));
    }
    runs.sort();
    runs.dedup();
    Ok(runs)
}

/// Reads the paths in a list, one a line.
fn read_path_list(file: &Path) -> Result<Vec<PathBuf>, CommandFailure> {
    let read = match file.as_os_str() == "-" {
        true => std::io::read_to_string(std::io::stdin()),
        false => std::fs::read_to_string(file),
    };
    let text = read.map_err(|why| CommandFailure::unreadable(file, &why))?;
    let lines = text.lines().map(|line| line.trim_end_matches('\r'));
    Ok(lines
        .filter(|line| !line.trim().is_empty())
        .map(|it| remote::register_path(it.into()))
        .collect())
}

/// Returns the folder below which the table names each run by its path: the only folder named, else the innermost that
/// all runs are in.
fn naming_folder(args: &CorpusArgs, runs: &[PathBuf]) -> PathBuf {
    if let ([folder], None) = (args.paths.as_slice(), &args.listed) {
        return folder.clone();
    }
    shared_folder(runs).unwrap_or(Path::new("")).to_owned()
}
