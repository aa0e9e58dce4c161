//! What `process` says of several runs: the grid of tasks and harnesses, a ranking with intervals, and how process goes with
//! outcome.

use std::{
    io,
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use serde::Serialize;

use crate::{
    cli::output::{Out, Table, share, tell},
    metrics::process::divergence::first_lasting,
    run::figures,
    store,
    study::process::{Cell, Harness, Outcomes, Worked as Row, grid, outcomes, ranking},
};

use super::{
    Args, Worked,
    document::{CSV, CsvRow},
};

/// What is said of several runs.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    profile: &'static str,
    runs: Vec<CsvRow>,
    grid: Vec<Cell>,
    ranking: Vec<Harness>,
    /// How process goes with outcome, across harnesses and within each.
    outcomes: Vec<Outcomes>,
    /// Where two runs part for good, where two are named; null where they do not.
    divergence: Option<DivergenceRow>,
    /// What the files of scores beside the runs say.
    scores: Vec<crate::formats::rigorbench::scores::Score>,
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

pub fn run(paths: &[PathBuf], args: &Args, out: &mut Out) -> io::Result<()> {
    let document = document(paths, args);
    if args.json {
        return out.json(&document);
    }
    for problem in &document.problems {
        tell(&format!("{}: {}", problem.path, problem.what));
    }
    if args.csv {
        return out.csv(&format!("{CSV} outcome"), &document.runs);
    }
    print(&document, args.forms.md, out)
}

fn document(paths: &[PathBuf], args: &Args) -> Document {
    let scores = store::scores_beside(paths);
    let weights = args.weights.as_ref();
    let is_pair = paths.len() == 2;
    let cache = args.cache();
    let read = |path: &PathBuf| match store::open(path) {
        Ok(opened) => {
            if let Some(cache) = &cache {
                opened.archive.keep_in(cache.clone());
            }
            let worked = Worked::of(path.display().to_string(), &opened);
            let mut row = CsvRow::of(&worked, args.profile, weights);
            row.outcome = outcome(&opened.run, &scores);
            Ok((row, is_pair.then_some(worked)))
        }
        Err(why) => Err(Problem { path: name(path), what: why.to_string() }),
    };
    let read: Vec<Result<(CsvRow, Option<Worked>), Problem>> = paths.par_iter().map(read).collect();
    let (mut runs, mut problems, mut pair) = (vec![], vec![], vec![]);
    for one in read {
        match one {
            Ok((row, worked)) => {
                runs.push(row);
                pair.extend(worked);
            }
            Err(problem) => problems.push(problem),
        }
    }
    let rows: Vec<Row> = runs.iter().map(row).collect();
    let plan = args.resampling.plan();
    Document {
        schema: "trajview.process-of-runs/1",
        profile: args.profile.word(),
        grid: grid(&rows),
        ranking: ranking(&rows, &plan),
        outcomes: outcomes(&rows),
        divergence: match pair.as_slice() {
            [a, b] => DivergenceRow::of(a, b),
            _ => None,
        },
        scores,
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
        harness: word(&run.agent),
        score: run.rigor_score,
        outcome: run.outcome,
    }
}

/// The share of the last checkpoint's tests that pass, else the specification coverage that a file beside the run gives.
fn outcome(
    run: &crate::run::Run,
    scores: &[crate::formats::rigorbench::scores::Score],
) -> Option<f64> {
    let tests = run.checkpoints.iter().rev().find_map(|it| it.last_record()?.tests.as_ref());
    if let Some(tests) = tests.filter(|tests| !tests.infrastructure_failure) {
        return tests.strict.share();
    }
    let (task, agent) = (run.task_key()?, run.agent_key()?);
    let same = |a: &str, b: &str| plain(a) == plain(b);
    let found = scores.iter().find(|score| {
        score.measure == "sc" && same(&score.task, &task) && same(&score.harness, &agent)
    });
    found?.value
}

/// `Agent-Rigor`, `agentrigor` and `agent_rigor` are one harness.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
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
