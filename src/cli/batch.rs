//! `trajview batch`: many runs from one plan.

mod report;

use std::{
    io::IsTerminal as _,
    path::{Path, PathBuf},
};

use crate::runtime;
use trajview_live::batch::{
    BatchOptions, BatchQueue, BatchSummary, LoadedPlan, PlannedRun, batch_folder,
    planned_runs::{plan_remarks, planned_runs, runs_of_shard},
};
use trajview_store::dataset::Shard;

use super::{
    CommandFailure, CommandResult, Exit, config,
    judge::signals,
    output::{Out, print_note},
    run_args,
};

/// Make the runs of a plan: agents, models, conditions, layers, repeats
///
/// Each combination becomes a run bundle, made by its own `trajview live`. Existing runs are never repeated: a batch
/// that was stopped or killed continues when you start it again, a larger plan only adds runs, and several processes
/// share one plan, on one machine or with --shard on several. All runs are in one folder, which `trajview corpus DIR
/// --pair` pairs. Runs in the terminal UI unless --headless is given. The exit code is 1 if a run is incomplete.
#[derive(Debug, clap::Args)]
pub struct BatchArgs {
    /// The plan, a TOML file
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Number of runs at the same time; default: from the plan, or one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    jobs: Option<u16>,
    /// Only the runs of shard I of N: by their ids, so that shards never overlap and stay the same when the plan grows
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Run without the terminal UI; one line per event on standard error
    #[arg(long)]
    headless: bool,
    /// Print every run with its folder and its exact command; run nothing
    #[arg(long)]
    print_plan: bool,
    /// Retry runs that used up their retries
    #[arg(long, alias = "again")]
    retry_failed: bool,
    /// The settings file, instead of the usual one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON (schema trajview.batch/1, with --print-plan trajview.batch-plan/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &BatchArgs, out: &mut Out) -> CommandResult {
    config::load_settings(args.config.as_deref())?;
    let read = LoadedPlan::load(&args.plan)?;
    let config = args.config.as_deref().map(std::path::absolute).transpose()?;
    let config = config.map(|path| path.display().to_string());
    let all = planned_runs(&read, config.as_deref())?;
    let remarks = plan_remarks(&read.plan);
    let shard = args.shard.unwrap_or(Shard::ALL_RUNS);
    if args.print_plan {
        report::print_plan(
            &runs_of_shard(all, shard),
            &remarks,
            &relative_folder(&read.out),
            args.json,
            out,
        )?;
        return Ok(Exit::Fine);
    }
    remarks.iter().for_each(|remark| print_note(remark));
    let jobs = args.jobs.map(usize::from).or(read.plan.jobs).unwrap_or(1).max(1);
    let program = std::env::current_exe().map_err(|why| {
        CommandFailure::cannot_read(format!("cannot find the trajview program: {why}"))
    })?;
    let (again, stays) = (args.retry_failed, !args.headless);
    let options = BatchOptions { program, jobs, shard, again, stays, config };
    match args.headless {
        true => run_headless(args, read, all, options, out),
        false => run_on_screen(args, read, all, options, out),
    }
}

/// Shows the runs while they are made; what came of them is printed when the screen is gone.
fn run_on_screen(
    args: &BatchArgs,
    read: LoadedPlan,
    all: Vec<PlannedRun>,
    options: BatchOptions,
    out: &mut Out,
) -> CommandResult {
    let no_terminal =
        || CommandFailure::wrong_arguments("a batch needs a terminal; use --headless without one");
    if !std::io::stdout().is_terminal() {
        return Err(no_terminal());
    }
    let settings = config::load_settings(args.config.as_deref())?;
    settings.problems.iter().for_each(|problem| print_note(problem));
    let looks = super::view::options_from_settings(settings, args.config.as_deref());
    let (place, program) = (relative_folder(&read.out), options.program.clone());
    let batch = BatchQueue::open(read, all, options)?;
    let shown = runtime::show_batch(batch, &place, &program, &looks);
    let (ending, summary) = shown.map_err(|why| match why {
        runtime::ScreenFailure::NoTerminal => no_terminal(),
        why => why.into(),
    })?;
    let summary = summary?;
    report::print_summary(&summary, &place, args.json, out)?;
    let signal = match ending {
        runtime::ScreenEnd::Signal(signal) => Some(signal),
        runtime::ScreenEnd::Quit => None,
    };
    batch_outcome(&summary, signal, &place)
}

/// Returns the folder as it is called from here.
fn relative_folder(folder: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| folder.strip_prefix(here).ok().map(Path::to_owned));
    below.filter(|it| !it.as_os_str().is_empty()).unwrap_or_else(|| folder.to_owned())
}

fn run_headless(
    args: &BatchArgs,
    read: LoadedPlan,
    all: Vec<PlannedRun>,
    options: BatchOptions,
    out: &mut Out,
) -> CommandResult {
    let (stop, signal) = signals::listen_for_signals();
    let place = relative_folder(&read.out);
    let mut batch = BatchQueue::open(read, all, options)?;
    report::print_start(&batch.own_rows(), &place);
    // Nobody gives commands; the sender stays, so that the end of all commands is not one.
    let (_nobody, commands) = crossbeam_channel::unbounded();
    let summary = batch.run(&stop, &commands, &mut |event| report::print_event(&event))?;
    drop(batch);
    report::print_summary(&summary, &place, args.json, out)?;
    batch_outcome(&summary, signal.last(), &place)
}

/// Converts the summary to an exit code and a sentence.
fn batch_outcome(summary: &BatchSummary, signal: Option<u8>, place: &Path) -> CommandResult {
    if summary.is_complete() {
        return Ok(Exit::Fine);
    }
    let runs = run_args::count_with_noun(summary.rows.len(), "run");
    let complete = summary.rows.iter().filter(|row| row.progress.state.word() == "done").count();
    let complete_text = format!("{complete} of {runs} are complete in {}", place.display());
    match (summary.is_stopped, &summary.halted) {
        (true, _) => Err(CommandFailure::stopped_by(
            signal,
            format!("stopped; {complete_text}; the same command continues"),
        )),
        (false, Some(why)) => Err(CommandFailure::new(
            Exit::Failed,
            format!("{why}; {complete_text}; the same command with a higher limit continues"),
        )),
        (false, None) => {
            let logs = batch_folder(place).join("logs");
            Err(CommandFailure::new(
                Exit::Failed,
                format!(
                    "{complete_text}; --retry-failed retries the others; their output is in {}",
                    logs.display()
                ),
            ))
        }
    }
}
