//! The output of `process` for several runs: the grid of tasks and harnesses, a ranking with intervals, and the
//! relation of process and outcome.

use std::{
    io,
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use serde::Serialize;

use crate::cli::{
    CommandResult, Exit,
    output::{Out, OutputTable, print_note, share_cell},
};
use trajview_formats::rigorbench;
use trajview_metrics::process::{Pillar, divergence::find_divergence};
use trajview_run::{Run, format_number};
use trajview_store as store;
use trajview_study::{
    harness_names::{HarnessSpellings, rigorbench_name},
    process_tables::{
        DISCIPLINED, GridCell, HarnessRank, MeanSpread, OutcomeCorrelation, OverallRow,
        PillarContrast, PillarMeans, ProcessRun as Row, condition_table, outcome_correlations,
        overall_table, pillar_table, process_grid, rank_harnesses,
    },
};

use super::{
    ProcessArgs, ProcessedRun,
    document::{CSV_COLUMNS, ProcessCsvRow},
    outcome_file::OutcomeFile,
};

/// The process of several runs (JSON).
#[derive(Serialize)]
struct ManyRunsDocument {
    schema: &'static str,
    profile: &'static str,
    runs: Vec<ProcessCsvRow>,
    grid: Vec<GridCell>,
    ranking: Vec<HarnessRank>,
    /// Harnesses over all their runs: of RigorBench's results Table III of its paper.
    overall: Vec<OverallRow>,
    /// Pillars without discipline and with it: Table IV; empty without Agent-Rigor among several harnesses.
    by_condition: Vec<PillarContrast>,
    /// Harnesses pillar by pillar: Table V.
    by_pillar: Vec<PillarMeans>,
    /// True if all runs are results of RigorBench.
    is_rigorbench: bool,
    /// The source of outcomes for runs without tests. Null if no file of scores lies beside the runs.
    outcome_file: Option<OutcomeFile>,
    /// The relation of process and outcome, across harnesses and within each.
    outcomes: Vec<OutcomeCorrelation>,
    /// The point from which two named runs differ for good. Null if there is none.
    divergence: Option<DivergenceRow>,
    /// The contents of the score files beside the runs.
    scores: Vec<trajview_formats::rigorbench::scores::RigorScore>,
    problems: Vec<ManyRunsProblem>,
}

/// The first step of each run after which most of what either does has no counterpart.
#[derive(Serialize)]
struct DivergenceRow {
    /// `12.7`. Null if that run is over.
    a: Option<String>,
    b: Option<String>,
    /// Steps before it that have a counterpart.
    shared: usize,
    /// Share of the steps after it that have one, 0 to 0.5.
    alike_after: f64,
}

impl DivergenceRow {
    fn between(a: &ProcessedRun, b: &ProcessedRun) -> Option<Self> {
        let found = find_divergence(&a.observed, &b.observed)?;
        Some(Self {
            a: found.a.map(|step| a.report.names.step_label(step)),
            b: found.b.map(|step| b.report.names.step_label(step)),
            shared: found.shared,
            alike_after: found.alike_after,
        })
    }
}

#[derive(Serialize)]
struct ManyRunsProblem {
    path: String,
    what: String,
}

pub(crate) fn run_many(paths: &[PathBuf], args: &ProcessArgs, out: &mut Out) -> CommandResult {
    let scores = store::score_files::scores_beside(paths);
    let outcome_file = OutcomeFile::choose(&scores, args.outcome.as_deref())?;
    let document = many_runs_document(paths, args, scores, outcome_file);
    if args.json {
        out.print_json(&document)?;
        return Ok(Exit::Fine);
    }
    for problem in &document.problems {
        print_note(&format!("{}: {}", problem.path, problem.what));
    }
    if args.csv {
        out.print_csv(
            &format!("{CSV_COLUMNS} outcome harness outcome_from working_copy"),
            &document.runs,
        )?;
    } else {
        print_document(&document, args.forms.md, out)?;
    }
    Ok(Exit::Fine)
}

/// Files that the benchmark's own scripts leave out: a log of one run, and means.
fn is_left_out(path: &Path) -> bool {
    let name = store::disk::name_of(path);
    name.ends_with("trajectory.yaml") || name.ends_with("averages.yaml")
}

fn many_runs_document(
    paths: &[PathBuf],
    args: &ProcessArgs,
    scores: Vec<store::score_files::ScoreFile>,
    outcome_file: Option<OutcomeFile>,
) -> ManyRunsDocument {
    let weights = args.weights.as_ref();
    let is_pair = paths.len() == 2;
    let cache = args.open_cache();
    let read = |path: &PathBuf| match store::open(path) {
        Ok(opened) => {
            if let Some(cache) = &cache {
                opened.archive.set_cache(cache.clone());
            }
            let is_result = opened.run.origin.format == rigorbench::NAME;
            if is_result && is_left_out(path) {
                let what = "excluded, as in the benchmark's scripts".to_owned();
                return Err(ManyRunsProblem { path: path_text(path), what });
            }
            let worked = ProcessedRun::new(path.display().to_string(), &opened);
            let mut row = ProcessCsvRow::new(&worked, args.profile, weights);
            if let Some(called) =
                row.agent.as_deref().filter(|_| is_result).and_then(rigorbench_name)
            {
                row.harness = Some(called.to_owned());
            }
            (row.outcome, row.outcome_from) = outcome_of_run(&opened.run, outcome_file.as_ref());
            Ok((row, is_result, is_pair.then_some(worked)))
        }
        Err(why) => Err(ManyRunsProblem { path: path_text(path), what: why.to_string() }),
    };
    type Read = (ProcessCsvRow, bool, Option<ProcessedRun>);
    let read: Vec<Result<Read, ManyRunsProblem>> = paths.par_iter().map(read).collect();
    let (mut runs, mut problems, mut pair) = (vec![], vec![], vec![]);
    let mut are_results = true;
    for one in read {
        match one {
            Ok((row, is_result, worked)) => {
                are_results &= is_result;
                runs.push(row);
                pair.extend(worked);
            }
            Err(problem) => problems.push(problem),
        }
    }
    let spellings =
        HarnessSpellings::from_names(runs.iter().filter_map(|run| run.harness.as_deref()));
    for run in &mut runs {
        run.harness = run.harness.as_deref().map(|name| spellings.usual_spelling(name));
    }
    let rows: Vec<Row> = runs.iter().map(grid_row).collect();
    let plan = args.resampling.to_plan();
    ManyRunsDocument {
        schema: "trajview.process-of-runs/1",
        profile: args.profile.word(),
        grid: process_grid(&rows),
        ranking: rank_harnesses(&rows, &plan),
        outcomes: outcome_correlations(&rows),
        overall: overall_table(&rows),
        by_condition: condition_table(&rows),
        by_pillar: pillar_table(&rows),
        is_rigorbench: are_results && !runs.is_empty(),
        outcome_file,
        divergence: match pair.as_slice() {
            [a, b] => DivergenceRow::between(a, b),
            _ => None,
        },
        scores: scores.into_iter().flat_map(|file| file.scores).collect(),
        problems,
        runs,
    }
}

fn path_text(path: &Path) -> String {
    path.display().to_string()
}

fn grid_row(run: &ProcessCsvRow) -> Row {
    let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
    Row {
        task: word(&run.task),
        harness: word(&run.harness),
        score: run.rigor_score,
        outcome: run.outcome,
        pillars: Pillar::ALL.map(|it| run.pillars.get(it.word()).copied().flatten()),
    }
}

/// Returns the share of the last checkpoint's tests that pass, else the specification coverage of the chosen file; and
/// where it is from.
fn outcome_of_run(run: &Run, file: Option<&OutcomeFile>) -> (Option<f64>, Option<String>) {
    let tests = run.checkpoints.iter().rev().find_map(|it| it.last_record()?.tests.as_ref());
    if let Some(tests) = tests.filter(|tests| !tests.infrastructure_failure) {
        return (tests.strict.passed_share(), Some("tests".into()));
    }
    let found = file.and_then(|file| Some((file.outcome_of_run(run)?, file.file.clone())));
    found.map_or((None, None), |(value, file)| (Some(value), Some(file)))
}

/// Returns `0.522 ± 0.089`.
fn spread_cell(spread: MeanSpread) -> String {
    match (spread.mean, spread.deviation) {
        (Some(mean), Some(deviation)) => {
            format!(
                "{} ± {}",
                format_number::three_decimals(mean),
                format_number::three_decimals(deviation)
            )
        }
        (mean, _) => share_cell(mean),
    }
}

/// Harnesses over all runs, pillars by condition, harnesses by pillar.
fn print_paper_tables(
    document: &ManyRunsDocument,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let called = |title: &str, number: &str| match document.is_rigorbench {
        true => format!("{title} (Table {number} of RigorBench's paper)"),
        false => title.to_owned(),
    };
    if let Some(file) = &document.outcome_file {
        out.print_line("")?;
        out.print_sentence(&file.outcome_line())?;
    }
    out.print_line("")?;
    out.print_sentence(&called(
        "RigorScore and outcome, mean ± standard deviation over runs",
        "III",
    ))?;
    let mut table = OutputTable::new(&["harness", ">n", ">RigorScore", ">n", ">outcome"]);
    for row in &document.overall {
        let (score, worth) = (row.rigor_score, row.outcome);
        let counts = [score.n, worth.n].map(|n| n.to_string());
        let [of_score, of_worth] = counts;
        table.add_row(vec![
            row.harness.clone(),
            of_score,
            spread_cell(score),
            of_worth,
            spread_cell(worth),
        ]);
    }
    table.write_table(is_markdown, out)?;

    if !document.by_condition.is_empty() {
        out.print_line("")?;
        let title =
            format!("pillars of the other harnesses (mean of their means) and of {DISCIPLINED}");
        out.print_sentence(&called(&title, "IV"))?;
        let mut table =
            OutputTable::new(&["pillar", ">weight", ">others", ">disciplined", ">difference"]);
        for row in &document.by_condition {
            let difference = row.delta.map(|by| format!("{by:+.3}").replace('-', "−"));
            table.add_row(vec![
                format!("{} ({})", row.name, row.pillar.to_uppercase()),
                format!("{:.2}", row.weight),
                share_cell(row.baseline),
                share_cell(row.disciplined),
                difference.unwrap_or_else(|| "-".into()),
            ]);
        }
        table.write_table(is_markdown, out)?;
    }

    out.print_line("")?;
    out.print_sentence(&called("harnesses by pillar, means over runs", "V"))?;
    let heads = Pillar::ALL.iter().map(|it| format!(">{}", it.word().to_uppercase()));
    let heads = ["harness".to_owned(), ">n".to_owned()].into_iter().chain(heads);
    let mut table = OutputTable::with_heads(heads.chain([">RigorScore".to_owned()]).collect());
    for row in &document.by_pillar {
        let pillars =
            Pillar::ALL.iter().map(|it| share_cell(row.pillars.get(it.word()).copied().flatten()));
        let first = [row.harness.clone(), row.n.to_string()];
        table.add_row(
            first.into_iter().chain(pillars).chain([share_cell(row.rigor_score)]).collect(),
        );
    }
    table.write_table(is_markdown, out)
}

fn print_document(document: &ManyRunsDocument, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    out.print_sentence(&format!("{}: {} runs", document.profile, document.runs.len()))?;
    let mut harnesses: Vec<&str> = document.grid.iter().map(|it| it.harness.as_str()).collect();
    harnesses.sort_unstable();
    harnesses.dedup();
    let mut tasks: Vec<&str> = document.grid.iter().map(|it| it.task.as_str()).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let heads = harnesses.iter().map(|it| format!(">{it}"));
    let mut table =
        OutputTable::with_heads(std::iter::once("task".to_owned()).chain(heads).collect());
    for task in tasks {
        let cell = |harness: &&str| {
            let cell = document.grid.iter().find(|it| it.task == task && it.harness == **harness);
            match cell {
                None => String::new(),
                Some(GridCell { n: 1, mean, .. }) => share_cell(*mean),
                Some(GridCell { n, mean, .. }) => format!("{} ({n})", share_cell(*mean)),
            }
        };
        let cells = harnesses.iter().map(cell);
        table.add_row(std::iter::once(task.to_owned()).chain(cells).collect());
    }
    table.write_table(is_markdown, out)?;

    out.print_line("")?;
    out.print_sentence("ranking by mean RigorScore, with 95 % intervals (BCa over runs)")?;
    let mut table =
        OutputTable::new(&[">rank", "harness", ">n", ">mean", "interval", ">without a score"]);
    for (rank, row) in (1..).zip(&document.ranking) {
        let interval = row.interval.map(|it| {
            format!(
                "{} to {}",
                format_number::three_decimals(it.low),
                format_number::three_decimals(it.high)
            )
        });
        table.add_row(vec![
            rank.to_string(),
            row.harness.clone(),
            row.n.to_string(),
            share_cell(row.mean),
            interval.unwrap_or_else(|| "-".into()),
            row.without.to_string(),
        ]);
    }
    table.write_table(is_markdown, out)?;

    print_paper_tables(document, is_markdown, out)?;

    if let [a, b] = document.runs.as_slice() {
        out.print_line("")?;
        out.print_sentence(&match &document.divergence {
            None => "the two runs never diverge".to_owned(),
            Some(row) => {
                let at = |step: &Option<String>| step.clone().unwrap_or_else(|| "its end".into());
                format!(
                    "diverge: {} at {}, {} at {}; {} steps before have a counterpart, {} of those after",
                    a.path,
                    at(&row.a),
                    b.path,
                    at(&row.b),
                    row.shared,
                    format_number::whole_percent(row.alike_after)
                )
            }
        })?;
    }
    if document.outcomes.iter().any(|row| row.n > 0) {
        out.print_line("")?;
        out.print_sentence("correlation of process and outcome (Spearman)")?;
        let mut table = OutputTable::new(&["over", ">n", ">rho", ">p"]);
        for row in &document.outcomes {
            table.add_row(vec![
                row.over.clone(),
                row.n.to_string(),
                share_cell(row.rho),
                share_cell(row.p),
            ]);
        }
        table.write_table(is_markdown, out)?;
    }
    let linted: Vec<&ProcessCsvRow> = document.runs.iter().filter(|run| run.lints > 0).collect();
    if !linted.is_empty() {
        out.print_line("")?;
        let count = format_number::with_thousands(linted.len() as u64);
        out.print_sentence(&format!("{count} recordings are implausible (process RUN shows why)"))?;
    }
    Ok(())
}
