//! The output of `process` for several runs: the grid of tasks and harnesses, a ranking with intervals, and the
//! relation of process and outcome.

use std::{
    collections::BTreeSet,
    io, iter,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use crate::cli::{
    CommandResult, Exit,
    output::{Json, Out, OutputTable, TableColumn, cell_or_dash, print_note, record},
};
use trajview_formats::rigorbench::{self, names::rigorbench_name};
use trajview_metrics::process::{Pillar, divergence::find_divergence};
use trajview_run::{Run, format_number};
use trajview_store as store;
use trajview_store::score_files::ScoreFile;
use trajview_study::{
    fairness::task_difference,
    harness_names::HarnessSpellings,
    process_tables::{
        DISCIPLINED, ProcessRun, condition_table, outcome_correlations, overall_table,
        pillar_table, process_grid, rank_harnesses,
    },
};

use super::{
    ProcessArgs, ProcessedRun,
    one_run::{CSV_COLUMNS, run_row},
    outcome_file::OutcomeFile,
};

/// Returns the first step of each run after which most of what either does has no counterpart: `12.7`, null if that run
/// is over. `shared` are the steps before it that have a counterpart, `alike_after` is the share of those after it that
/// have one, 0 to 0.5. None if the runs do not differ for good.
fn divergence_row(a: &ProcessedRun, b: &ProcessedRun) -> Option<Json> {
    let found = find_divergence(&a.observed, &b.observed)?;
    Some(record! {
        a: found.a.map(|step| a.report.names.step_label(step)),
        b: found.b.map(|step| b.report.names.step_label(step)),
        shared: found.shared,
        alike_after: found.alike_after,
    })
}

pub(crate) fn run_many(paths: &[PathBuf], args: &ProcessArgs, out: &mut Out) -> CommandResult {
    let scores = store::score_files::scores_beside(paths);
    let outcome_file = OutcomeFile::choose(&scores, args.outcome.as_deref())?;
    let document = many_runs_document(paths, args, &scores, outcome_file.as_ref());
    if args.json {
        out.print_json(&document)?;
        return Ok(Exit::Fine);
    }
    for problem in document.rows("problems") {
        print_note(&format!("{}: {}", problem.cell("path"), problem.cell("what")));
    }
    if args.csv {
        document.text("not_compared").into_iter().for_each(print_note);
        let columns = format!("{CSV_COLUMNS} outcome harness outcome_from working_copy");
        out.print_csv(&columns, document.rows("runs"))?;
    } else {
        print_document(&document, outcome_file.as_ref(), args.forms.md, out)?;
    }
    Ok(Exit::Fine)
}

/// Returns whether the benchmark's own scripts leave out a file: a log of one run, or means.
fn is_left_out(path: &Path) -> bool {
    let name = store::disk::name_of(path);
    name.ends_with("trajectory.yaml") || name.ends_with("averages.yaml")
}

/// A run among several.
struct ReadRun {
    /// The fields of its row, but for the next.
    row: Json,
    /// One spelling of the agent's name for all runs of it.
    harness: Option<String>,
    outcome: RunOutcome,
    working_copy: Option<String>,
    is_result: bool,
    task: Option<String>,
    /// The run itself, if two are named.
    worked: Option<ProcessedRun>,
}

fn many_runs_document(
    paths: &[PathBuf],
    args: &ProcessArgs,
    scores: &[ScoreFile],
    outcome_file: Option<&OutcomeFile>,
) -> Json {
    let is_pair = paths.len() == 2;
    let cache = args.open_cache();
    let problem =
        |path: &Path, what: String| record! { path: path.display().to_string(), what: what };
    let read = |path: &PathBuf| match store::open(path) {
        Ok(opened) => {
            if let Some(cache) = &cache {
                opened.archive.set_cache(cache.clone());
            }
            let is_result = opened.run.origin.format == rigorbench::NAME;
            if is_result && is_left_out(path) {
                let what = "excluded, as in the benchmark's scripts".to_owned();
                return Err(problem(path, what));
            }
            let worked = ProcessedRun::new(path.display().to_string(), &opened);
            let agent = worked.run.agent_key();
            let usual_name = agent.as_deref().filter(|_| is_result).and_then(rigorbench_name);
            Ok(ReadRun {
                row: run_row(&worked, args),
                harness: usual_name.map(str::to_owned).or(agent),
                outcome: RunOutcome::for_run(&opened.run, outcome_file),
                working_copy: worked.working_copy.clone(),
                is_result,
                task: worked.run.task_key(),
                worked: is_pair.then_some(worked),
            })
        }
        Err(why) => Err(problem(path, why.to_string())),
    };
    let read: Vec<Result<ReadRun, Json>> = paths.par_iter().map(read).collect();
    let (mut runs, mut problems) = (vec![], vec![]);
    for one in read {
        match one {
            Ok(run) => runs.push(run),
            Err(problem) => problems.push(problem),
        }
    }
    let spellings =
        HarnessSpellings::from_names(runs.iter().filter_map(|run| run.harness.as_deref()));
    for run in &mut runs {
        run.harness = run.harness.as_deref().map(|name| spellings.usual_spelling(name));
    }
    let rows: Vec<ProcessRun> = runs.iter().map(ReadRun::process_run).collect();
    let not_compared = match runs.as_slice() {
        [a, b] => task_difference([("a".into(), a.task.clone()), ("b".into(), b.task.clone())]),
        _ => None,
    };
    let divergence = match runs.as_slice() {
        [ReadRun { worked: Some(a), .. }, ReadRun { worked: Some(b), .. }] => {
            not_compared.is_none().then(|| divergence_row(a, b)).flatten()
        }
        _ => None,
    };
    // Two runs of different tasks are listed, and nothing about them is compared.
    let compared_rows = if not_compared.is_some() { &[] } else { rows.as_slice() };
    record! {
        schema: "trajview.process-of-runs/1",
        profile: args.profile.word(),
        runs: Json::list(&runs, ReadRun::run_record),
        // `not the same task: a X, b Y` for two runs of different tasks. Else null.
        not_compared: not_compared,
        grid: process_grid(&rows),
        ranking: rank_harnesses(compared_rows, &args.resampling.to_plan()),
        // Harnesses over all their runs: of RigorBench's results Table III of its paper.
        overall: overall_table(compared_rows),
        // Pillars without discipline and with it: Table IV; empty without Agent-Rigor among several harnesses.
        by_condition: condition_table(compared_rows),
        // Harnesses pillar by pillar: Table V.
        by_pillar: pillar_table(compared_rows),
        // True if all runs are results of RigorBench.
        is_rigorbench: !runs.is_empty() && runs.iter().all(|run| run.is_result),
        // The source of outcomes for runs without tests. Null if no file of scores lies beside the runs.
        outcome_file: outcome_file,
        // The relation of process and outcome, across harnesses and within each.
        outcomes: outcome_correlations(compared_rows),
        // The point from which two named runs differ for good. Null if there is none.
        divergence: divergence,
        // The contents of the score files beside the runs.
        scores: scores.iter().flat_map(|file| &file.scores).collect::<Vec<_>>(),
        problems: problems,
    }
}

impl ReadRun {
    fn run_record(&self) -> Json {
        record! {
            ..self.row,
            harness: self.harness,
            // The value of the run's outcome, where it is recorded.
            outcome: self.outcome.value,
            // `tests`, or the file that has it.
            outcome_from: self.outcome.source,
            // The folder that the agent left, where the code of a RigorBench result was read from there.
            working_copy: self.working_copy,
        }
    }

    fn process_run(&self) -> ProcessRun {
        ProcessRun {
            task: self.row.cell("task"),
            harness: self.harness.clone().unwrap_or_else(|| "-".into()),
            score: self.row.number("rigor_score"),
            outcome: self.outcome.value,
            pillars: Pillar::ALL.map(|it| self.row.number(&format!("pillars.{}", it.word()))),
        }
    }
}

/// The outcome of a run, and the tests or the file that it is from.
#[derive(Default)]
struct RunOutcome {
    value: Option<f64>,
    source: Option<String>,
}

impl RunOutcome {
    /// Returns the share of the last checkpoint's tests that pass, else the specification coverage of the chosen file.
    fn for_run(run: &Run, file: Option<&OutcomeFile>) -> Self {
        let tests = run.checkpoints.iter().rev().find_map(|it| it.last_record()?.tests.as_ref());
        if let Some(tests) = tests.filter(|tests| !tests.infrastructure_failure) {
            return Self { value: tests.strict.passed_share(), source: Some("tests".into()) };
        }
        let found = file.and_then(|file| Some((file.outcome_of_run(run)?, file.file.clone())));
        found.map_or_else(Self::default, |(value, file)| Self {
            value: Some(value),
            source: Some(file),
        })
    }
}

/// Returns `0.522 ± 0.089`.
fn spread_cell(spread: &Json) -> String {
    match spread.field("deviation").is_null() {
        true => spread.share_cell("mean"),
        false => format!("{} ± {}", spread.share_cell("mean"), spread.share_cell("deviation")),
    }
}

fn print_titled(
    title: &str,
    table: &OutputTable,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    out.print_line("")?;
    out.print_sentence(title)?;
    table.write_table(is_markdown, out)
}

/// Prints harnesses over all runs, pillars by condition, harnesses by pillar.
fn print_paper_tables(
    document: &Json,
    outcome_file: Option<&OutcomeFile>,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let is_rigorbench = document.flag("is_rigorbench");
    let called = |title: &str, number: &str| match is_rigorbench {
        true => format!("{title} (Table {number} of RigorBench's paper)"),
        false => title.to_owned(),
    };
    if let Some(file) = outcome_file {
        out.print_line("")?;
        out.print_sentence(&file.outcome_line())?;
    }
    let columns: [TableColumn<'_, Json>; 5] = [
        ("harness", &|it| it.cell("harness")),
        (">n", &|it| it.cell("rigor_score.n")),
        (">RigorScore", &|it| spread_cell(it.field("rigor_score"))),
        (">n", &|it| it.cell("outcome.n")),
        (">outcome", &|it| spread_cell(it.field("outcome"))),
    ];
    let title = called("RigorScore and outcome, mean ± standard deviation over runs", "III");
    let table = OutputTable::from_rows(&columns, document.rows("overall"));
    print_titled(&title, &table, is_markdown, out)?;

    let by_condition = document.rows("by_condition");
    if !by_condition.is_empty() {
        let columns: [TableColumn<'_, Json>; 5] = [
            ("pillar", &|it| format!("{} ({})", it.cell("name"), it.cell("pillar").to_uppercase())),
            (">weight", &|it| it.digits_cell("weight", 2)),
            (">others", &|it| it.share_cell("baseline")),
            (">disciplined", &|it| it.share_cell("disciplined")),
            (">difference", &|it| {
                let difference = it.number("delta");
                cell_or_dash(difference.map(format_number::signed_three_decimals))
            }),
        ];
        let title =
            format!("pillars of the other harnesses (mean of their means) and of {DISCIPLINED}");
        let table = OutputTable::from_rows(&columns, by_condition);
        print_titled(&called(&title, "IV"), &table, is_markdown, out)?;
    }

    let words = Pillar::ALL.map(|it| it.word());
    let heads = words.map(|word| format!(">{}", word.to_uppercase()));
    let heads = ["harness".to_owned(), ">n".to_owned()].into_iter().chain(heads);
    let mut table = OutputTable::with_heads(heads.chain([">RigorScore".to_owned()]).collect());
    for row in document.rows("by_pillar") {
        let first = [row.cell("harness"), row.cell("n")];
        let pillars = words.map(|word| row.share_cell(&format!("pillars.{word}")));
        let cells = first.into_iter().chain(pillars).chain([row.share_cell("rigor_score")]);
        table.add_row(cells.collect());
    }
    let title = called("harnesses by pillar, means over runs", "V");
    print_titled(&title, &table, is_markdown, out)
}

/// Makes a table of tasks by harness.
fn grid_table(grid: &[Json]) -> OutputTable {
    let names = |field: &str| grid.iter().map(|it| it.cell(field)).collect::<BTreeSet<_>>();
    let (tasks, harnesses) = (names("task"), names("harness"));
    let heads = harnesses.iter().map(|it| format!(">{it}"));
    let mut table = OutputTable::with_heads(iter::once("task".to_owned()).chain(heads).collect());
    for task in tasks {
        let cell = |harness: &String| {
            let is_here = |it: &&Json| it.cell("task") == task && it.cell("harness") == *harness;
            let Some(cell) = grid.iter().find(is_here) else { return String::new() };
            match cell.count("n") {
                1 => cell.share_cell("mean"),
                n => format!("{} ({n})", cell.share_cell("mean")),
            }
        };
        table.add_row(iter::once(task.clone()).chain(harnesses.iter().map(cell)).collect());
    }
    table
}

fn ranking_table(ranking: &[Json]) -> OutputTable {
    let columns: [TableColumn<'_, (usize, &Json)>; 6] = [
        (">rank", &|(rank, _)| rank.to_string()),
        ("harness", &|(_, it)| it.cell("harness")),
        (">n", &|(_, it)| it.cell("n")),
        (">mean", &|(_, it)| it.share_cell("mean")),
        ("interval", &|(_, it)| match it.field("interval").is_null() {
            true => "-".into(),
            false => format!("{} to {}", it.share_cell("interval.0"), it.share_cell("interval.1")),
        }),
        (">without a score", &|(_, it)| it.cell("without")),
    ];
    OutputTable::from_rows(&columns, &(1..).zip(ranking).collect::<Vec<_>>())
}

fn outcome_table(outcomes: &[Json]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 4] = [
        ("over", &|it| it.cell("over")),
        (">n", &|it| it.cell("n")),
        (">rho", &|it| it.share_cell("rho")),
        (">p", &|it| it.share_cell("p")),
    ];
    OutputTable::from_rows(&columns, outcomes)
}

fn print_document(
    document: &Json,
    outcome_file: Option<&OutcomeFile>,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let runs = document.rows("runs");
    out.print_sentence(&format!("{}: {} runs", document.cell("profile"), runs.len()))?;
    grid_table(document.rows("grid")).write_table(is_markdown, out)?;
    if let Some(why) = document.text("not_compared") {
        out.print_line("")?;
        out.print_sentence(why)?;
        return print_lint_count(runs, out);
    }
    let title = "ranking by mean RigorScore, with 95 % intervals (BCa over runs)";
    print_titled(title, &ranking_table(document.rows("ranking")), is_markdown, out)?;
    print_paper_tables(document, outcome_file, is_markdown, out)?;
    if let [a, b] = runs {
        out.print_line("")?;
        out.print_sentence(&divergence_text(document.field("divergence"), [a, b]))?;
    }
    let outcomes = document.rows("outcomes");
    if outcomes.iter().any(|row| row.count("n") > 0) {
        let title = "correlation of process and outcome (Spearman)";
        print_titled(title, &outcome_table(outcomes), is_markdown, out)?;
    }
    print_lint_count(runs, out)
}

fn print_lint_count(runs: &[Json], out: &mut Out) -> io::Result<()> {
    let linted = runs.iter().filter(|run| run.count("lints") > 0).count();
    if linted > 0 {
        out.print_line("")?;
        let count = format_number::with_thousands(linted as u64);
        out.print_sentence(&format!("{count} recordings are implausible (process RUN shows why)"))?;
    }
    Ok(())
}

fn divergence_text(row: &Json, [a, b]: [&Json; 2]) -> String {
    if row.is_null() {
        return "the two runs never diverge".to_owned();
    }
    format!(
        "diverge: {} at {}, {} at {}; {} steps before have a counterpart, {} of those after",
        a.cell("path"),
        row.cell_or("a", "its end"),
        b.cell("path"),
        row.cell_or("b", "its end"),
        row.cell("shared"),
        format_number::whole_percent(row.number("alike_after").unwrap_or_default())
    )
}
