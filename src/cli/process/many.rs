//! What `process` says of several runs: the grid of tasks and harnesses, a ranking with intervals, and how process goes with
//! outcome.

use std::{
    io,
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use serde::Serialize;

use crate::cli::{
    Exit, Outcome,
    output::{Out, Table, share, tell},
};
use trajview_formats::rigorbench;
use trajview_metrics::process::{Pillar, divergence::first_lasting};
use trajview_run::{Run, figures};
use trajview_store as store;
use trajview_study::{
    harness::{Spellings, of_rigorbench},
    process::{
        ByCondition, ByPillar, Cell, DISCIPLINED, Harness, Outcomes, Overall, Spread,
        Worked as Row, by_condition, by_pillar, grid, outcomes, overall, ranking,
    },
};

use super::{
    Args, Worked,
    document::{CSV, CsvRow},
    outcome::OutcomeFile,
};

/// What is said of several runs.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    profile: &'static str,
    runs: Vec<CsvRow>,
    grid: Vec<Cell>,
    ranking: Vec<Harness>,
    /// Harnesses over all their runs: of RigorBench's results Table III of its paper.
    overall: Vec<Overall>,
    /// Pillars without discipline and with it: Table IV; empty without Agent-Rigor among several harnesses.
    by_condition: Vec<ByCondition>,
    /// Harnesses pillar by pillar: Table V.
    by_pillar: Vec<ByPillar>,
    /// Whether all runs are results of RigorBench.
    is_rigorbench: bool,
    /// Where outcomes are from that no tests tell; null where no file of scores lies beside the runs.
    outcome_file: Option<OutcomeFile>,
    /// How process goes with outcome, across harnesses and within each.
    outcomes: Vec<Outcomes>,
    /// Where two runs part for good, where two are named; null where they do not.
    divergence: Option<DivergenceRow>,
    /// What the files of scores beside the runs say.
    scores: Vec<trajview_formats::rigorbench::scores::Score>,
    problems: Vec<Problem>,
}

/// The first step of each run after which most of what either does has no counterpart.
#[derive(Serialize)]
struct DivergenceRow {
    /// `12.7`; null where that run is over.
    a: Option<String>,
    b: Option<String>,
    /// Steps before it that have a counterpart.
    shared: usize,
    /// Share of the steps after it that have one, 0 to 0.5.
    alike_after: f64,
}

impl DivergenceRow {
    fn of(a: &Worked, b: &Worked) -> Option<Self> {
        let found = first_lasting(&a.observed, &b.observed)?;
        Some(Self {
            a: found.a.map(|step| a.report.names.called(step)),
            b: found.b.map(|step| b.report.names.called(step)),
            shared: found.shared,
            alike_after: found.alike_after,
        })
    }
}

#[derive(Serialize)]
struct Problem {
    path: String,
    what: String,
}

pub fn run(paths: &[PathBuf], args: &Args, out: &mut Out) -> Outcome {
    let scores = store::scores_beside(paths);
    let outcome_file = OutcomeFile::of(&scores, args.outcome.as_deref())?;
    let document = document(paths, args, scores, outcome_file);
    if args.json {
        out.json(&document)?;
        return Ok(Exit::Fine);
    }
    for problem in &document.problems {
        tell(&format!("{}: {}", problem.path, problem.what));
    }
    if args.csv {
        out.csv(&format!("{CSV} outcome harness outcome_from working_copy"), &document.runs)?;
    } else {
        print(&document, args.forms.md, out)?;
    }
    Ok(Exit::Fine)
}

/// Files that the benchmark's own scripts leave out: a log of one run, and means.
fn is_left_out(path: &Path) -> bool {
    let name = store::disk::name_of(path);
    name.ends_with("trajectory.yaml") || name.ends_with("averages.yaml")
}

fn document(
    paths: &[PathBuf],
    args: &Args,
    scores: Vec<store::ScoreFile>,
    outcome_file: Option<OutcomeFile>,
) -> Document {
    let weights = args.weights.as_ref();
    let is_pair = paths.len() == 2;
    let cache = args.cache();
    let read = |path: &PathBuf| match store::open(path) {
        Ok(opened) => {
            if let Some(cache) = &cache {
                opened.archive.keep_in(cache.clone());
            }
            let is_result = opened.run.origin.format == rigorbench::NAME;
            if is_result && is_left_out(path) {
                let what = "left out, as by the benchmark's own scripts".to_owned();
                return Err(Problem { path: name(path), what });
            }
            let worked = Worked::of(path.display().to_string(), &opened);
            let mut row = CsvRow::of(&worked, args.profile, weights);
            if let Some(called) = row.agent.as_deref().filter(|_| is_result).and_then(of_rigorbench)
            {
                row.harness = Some(called.to_owned());
            }
            (row.outcome, row.outcome_from) = outcome(&opened.run, outcome_file.as_ref());
            Ok((row, is_result, is_pair.then_some(worked)))
        }
        Err(why) => Err(Problem { path: name(path), what: why.to_string() }),
    };
    type Read = (CsvRow, bool, Option<Worked>);
    let read: Vec<Result<Read, Problem>> = paths.par_iter().map(read).collect();
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
    let spellings = Spellings::of(runs.iter().filter_map(|run| run.harness.as_deref()));
    for run in &mut runs {
        run.harness = run.harness.as_deref().map(|name| spellings.called(name));
    }
    let rows: Vec<Row> = runs.iter().map(row).collect();
    let plan = args.resampling.plan();
    Document {
        schema: "trajview.process-of-runs/1",
        profile: args.profile.word(),
        grid: grid(&rows),
        ranking: ranking(&rows, &plan),
        outcomes: outcomes(&rows),
        overall: overall(&rows),
        by_condition: by_condition(&rows),
        by_pillar: by_pillar(&rows),
        is_rigorbench: are_results && !runs.is_empty(),
        outcome_file,
        divergence: match pair.as_slice() {
            [a, b] => DivergenceRow::of(a, b),
            _ => None,
        },
        scores: scores.into_iter().flat_map(|file| file.scores).collect(),
        problems,
        runs,
    }
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

fn row(run: &CsvRow) -> Row {
    let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
    Row {
        task: word(&run.task),
        harness: word(&run.harness),
        score: run.rigor_score,
        outcome: run.outcome,
        pillars: Pillar::ALL.map(|it| run.pillars.get(it.word()).copied().flatten()),
    }
}

/// The share of the last checkpoint's tests that pass, else the specification coverage of the chosen file; and where it is
/// from.
fn outcome(run: &Run, file: Option<&OutcomeFile>) -> (Option<f64>, Option<String>) {
    let tests = run.checkpoints.iter().rev().find_map(|it| it.last_record()?.tests.as_ref());
    if let Some(tests) = tests.filter(|tests| !tests.infrastructure_failure) {
        return (tests.strict.share(), Some("tests".into()));
    }
    let found = file.and_then(|file| Some((file.of_run(run)?, file.file.clone())));
    found.map_or((None, None), |(value, file)| (Some(value), Some(file)))
}

/// `0.522 ± 0.089`
fn spread(of: Spread) -> String {
    match (of.mean, of.deviation) {
        (Some(mean), Some(deviation)) => {
            format!("{} ± {}", figures::share(mean), figures::share(deviation))
        }
        (mean, _) => share(mean),
    }
}

/// Harnesses over all runs, pillars by condition, harnesses by pillar.
fn paper_tables(document: &Document, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    let called = |title: &str, number: &str| match document.is_rigorbench {
        true => format!("{title} (Table {number} of RigorBench's paper)"),
        false => title.to_owned(),
    };
    if let Some(file) = &document.outcome_file {
        out.line("")?;
        out.sentence(&file.words())?;
    }
    out.line("")?;
    out.sentence(&called("RigorScore and outcome, mean ± standard deviation over runs", "III"))?;
    let mut table = Table::new(&["harness", ">n", ">RigorScore", ">n", ">outcome"]);
    for row in &document.overall {
        let (score, worth) = (row.rigor_score, row.outcome);
        let counts = [score.n, worth.n].map(|n| n.to_string());
        let [of_score, of_worth] = counts;
        table.row(vec![row.harness.clone(), of_score, spread(score), of_worth, spread(worth)]);
    }
    table.write(is_markdown, out)?;

    if !document.by_condition.is_empty() {
        out.line("")?;
        let title =
            format!("pillars of the other harnesses (mean of their means) and of {DISCIPLINED}");
        out.sentence(&called(&title, "IV"))?;
        let mut table =
            Table::new(&["pillar", ">weight", ">others", ">disciplined", ">difference"]);
        for row in &document.by_condition {
            let difference = row.delta.map(|by| format!("{by:+.3}").replace('-', "−"));
            table.row(vec![
                format!("{} ({})", row.name, row.pillar.to_uppercase()),
                format!("{:.2}", row.weight),
                share(row.baseline),
                share(row.disciplined),
                difference.unwrap_or_else(|| "-".into()),
            ]);
        }
        table.write(is_markdown, out)?;
    }

    out.line("")?;
    out.sentence(&called("harnesses by pillar, means over runs", "V"))?;
    let heads = Pillar::ALL.iter().map(|it| format!(">{}", it.word().to_uppercase()));
    let heads = ["harness".to_owned(), ">n".to_owned()].into_iter().chain(heads);
    let mut table = Table::headed(heads.chain([">RigorScore".to_owned()]).collect());
    for row in &document.by_pillar {
        let pillars =
            Pillar::ALL.iter().map(|it| share(row.pillars.get(it.word()).copied().flatten()));
        let first = [row.harness.clone(), row.n.to_string()];
        table.row(first.into_iter().chain(pillars).chain([share(row.rigor_score)]).collect());
    }
    table.write(is_markdown, out)
}

fn print(document: &Document, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    out.sentence(&format!("{}: {} runs", document.profile, document.runs.len()))?;
    let mut harnesses: Vec<&str> = document.grid.iter().map(|it| it.harness.as_str()).collect();
    harnesses.sort_unstable();
    harnesses.dedup();
    let mut tasks: Vec<&str> = document.grid.iter().map(|it| it.task.as_str()).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let heads = harnesses.iter().map(|it| format!(">{it}"));
    let mut table = Table::headed(std::iter::once("task".to_owned()).chain(heads).collect());
    for task in tasks {
        let cell = |harness: &&str| {
            let cell = document.grid.iter().find(|it| it.task == task && it.harness == **harness);
            match cell {
                None => String::new(),
                Some(Cell { n: 1, mean, .. }) => share(*mean),
                Some(Cell { n, mean, .. }) => format!("{} ({n})", share(*mean)),
            }
        };
        let cells = harnesses.iter().map(cell);
        table.row(std::iter::once(task.to_owned()).chain(cells).collect());
    }
    table.write(is_markdown, out)?;

    out.line("")?;
    out.sentence("ranking by mean RigorScore, with 95 % intervals (BCa over runs)")?;
    let mut table =
        Table::new(&[">rank", "harness", ">n", ">mean", "interval", ">without a score"]);
    for (rank, row) in (1..).zip(&document.ranking) {
        let interval = row
            .interval
            .map(|it| format!("{} to {}", figures::share(it.low), figures::share(it.high)));
        table.row(vec![
            rank.to_string(),
            row.harness.clone(),
            row.n.to_string(),
            share(row.mean),
            interval.unwrap_or_else(|| "-".into()),
            row.without.to_string(),
        ]);
    }
    table.write(is_markdown, out)?;

    paper_tables(document, is_markdown, out)?;

    if let [a, b] = document.runs.as_slice() {
        out.line("")?;
        out.sentence(&match &document.divergence {
            None => "the two never part for good".to_owned(),
            Some(row) => {
                let at = |step: &Option<String>| step.clone().unwrap_or_else(|| "its end".into());
                format!(
                    "part for good: {} at {}, {} at {}; {} steps before have a counterpart, {} of those after",
                    a.path,
                    at(&row.a),
                    b.path,
                    at(&row.b),
                    row.shared,
                    figures::percent(row.alike_after)
                )
            }
        })?;
    }
    if document.outcomes.iter().any(|row| row.n > 0) {
        out.line("")?;
        out.sentence("how process goes with outcome (Spearman)")?;
        let mut table = Table::new(&["over", ">n", ">rho", ">p"]);
        for row in &document.outcomes {
            table.row(vec![row.over.clone(), row.n.to_string(), share(row.rho), share(row.p)]);
        }
        table.write(is_markdown, out)?;
    }
    let linted: Vec<&CsvRow> = document.runs.iter().filter(|run| run.lints > 0).collect();
    if !linted.is_empty() {
        out.line("")?;
        let count = figures::count(linted.len() as u64);
        out.sentence(&format!(
            "{count} recordings cannot be what they say (process RUN tells why)"
        ))?;
    }
    Ok(())
}
