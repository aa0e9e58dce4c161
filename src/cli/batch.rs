//! `trajview batch`: many runs from one plan.

mod report;

use std::{
    io::IsTerminal as _,
    path::{Path, PathBuf},
};

use crate::runtime;
use trajview_live::batch::{
    Batch, Entry, Options, ReadPlan, Summary, beside,
    entries::{entries, of_shard, remarks},
};
use trajview_store::dataset::Shard;

use super::{
    Exit, Failure, Outcome, at, config,
    judge::signals,
    output::{Out, tell},
};

/// Make the runs of a plan: scripts, agents, models, conditions, layers and repeats, several at once
///
/// Each combination becomes a run bundle, made by a `trajview live` of its own. What is there is never made again: a batch that
/// was stopped or killed goes on when it is started again, a plan that grew only adds runs, and several processes share one
/// plan, on one machine or with --shard on several. The runs end in one folder, which `trajview corpus DIR --pair` pairs. It is
/// shown and steered on screen unless --headless is said. Ends with 1 where not every run is whole.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The plan, a TOML file
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Runs at once; else as the plan says, or one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    jobs: Option<u16>,
    /// Only the runs of shard I of N: by their ids, so that shards never overlap and stay the same when the plan grows
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Without a screen; a line for each event on standard error
    #[arg(long)]
    headless: bool,
    /// Print every run with its folder and its exact command; make nothing
    #[arg(long)]
    print_plan: bool,
    /// Try runs again that failed as often as they may
    #[arg(long)]
    again: bool,
    /// The settings file, in the place of the usual one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON (schema trajview.batch/1, with --print-plan trajview.batch-plan/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    config::load(args.config.as_deref())?;
    let read = ReadPlan::read(&args.plan)?;
    let config = args.config.as_deref().map(std::path::absolute).transpose()?;
    let config = config.map(|path| path.display().to_string());
    let all = entries(&read, config.as_deref())?;
    let remarks = remarks(&read.plan);
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    if args.print_plan {
        report::plan(&of_shard(all, shard), &remarks, &shown(&read.out), args.json, out)?;
        return Ok(Exit::Fine);
    }
    remarks.iter().for_each(|remark| tell(remark));
    let jobs = args.jobs.map(usize::from).or(read.plan.jobs).unwrap_or(1).max(1);
    let program = std::env::current_exe().map_err(|why| {
        Failure::unread(format!("where trajview itself is cannot be found out: {why}"))
    })?;
    let (again, stays) = (args.again, !args.headless);
    let options = Options { program, jobs, shard, again, stays, config };
    match args.headless {
        true => headless(args, read, all, options, out),
        false => on_screen(args, read, all, options, out),
    }
}

/// Shows the runs while they are made; what came of them is printed when the screen is gone.
fn on_screen(
    args: &Args,
    read: ReadPlan,
    all: Vec<Entry>,
    options: Options,
    out: &mut Out,
) -> Outcome {
    let no_terminal =
        || Failure::wrong("a batch is shown in a terminal; --headless makes one without");
    if !std::io::stdout().is_terminal() {
        return Err(no_terminal());
    }
    let settings = config::load(args.config.as_deref())?;
    settings.problems.iter().for_each(|problem| tell(problem));
    let looks = super::view::of_settings(settings, args.config.as_deref());
    let (place, program) = (shown(&read.out), options.program.clone());
    let batch = Batch::open(read, all, options)?;
    let shown = runtime::batch(batch, &place, &program, &looks);
    let (ending, summary) = shown.map_err(|why| match why {
        runtime::Failure::NoTerminal => no_terminal(),
        why => why.into(),
    })?;
    let summary = summary?;
    report::ended(&summary, &place, args.json, out)?;
    let signal = match ending {
        runtime::Ending::Signal(signal) => Some(signal),
        runtime::Ending::Quit => None,
    };
    end(&summary, signal, &place)
}

/// The folder as it is called from here.
fn shown(folder: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| folder.strip_prefix(here).ok().map(Path::to_owned));
    below.filter(|it| !it.as_os_str().is_empty()).unwrap_or_else(|| folder.to_owned())
}

fn headless(
    args: &Args,
    read: ReadPlan,
    all: Vec<Entry>,
    options: Options,
    out: &mut Out,
) -> Outcome {
    let (stop, signal) = signals::listen();
    let place = shown(&read.out);
    let mut batch = Batch::open(read, all, options)?;
    report::begins(&batch.shown(), &place);
    // Nobody gives commands; the sender stays, so that the end of all commands is not one.
    let (_nobody, commands) = crossbeam_channel::unbounded();
    let summary = batch.run(&stop, &commands, &mut |event| report::event(&event))?;
    drop(batch);
    report::ended(&summary, &place, args.json, out)?;
    end(&summary, signal.last(), &place)
}

/// How it ended, as an exit code and a sentence.
fn end(summary: &Summary, signal: Option<u8>, place: &Path) -> Outcome {
    if summary.is_complete() {
        return Ok(Exit::Fine);
    }
    let runs = at::counted(summary.rows.len(), "run");
    let whole = summary.rows.iter().filter(|row| row.progress.state.word() == "done").count();
    let kept = format!("{whole} of {runs} are whole in {}", place.display());
    match (summary.is_stopped, &summary.halted) {
        (true, _) => {
            Err(Failure::stopped(signal, format!("stopped; {kept}; the same command goes on")))
        }
        (false, Some(why)) => Err(Failure::new(
            Exit::Failed,
            format!("{why}; {kept}; the same command with a higher limit goes on"),
        )),
        (false, None) => {
            let logs = beside(place).join("logs");
            Err(Failure::new(
                Exit::Failed,
                format!(
                    "{kept}; --again tries the others again; what they said is in {}",
                    logs.display()
                ),
            ))
        }
    }
}
