//! `trajview judge`: asks a judge about the components of a run, and keeps what it says beside the run.

pub mod signals;
mod told;

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use crate::{
    judge::{
        document::Document,
        fault::Fault,
        job::{JobError, Wish},
        prompt::{self, Prompt},
        run::{self, Ended, Halt, Job, Start},
        settings::Settings,
    },
    store::{self, judgements::Judgements},
};

use super::{
    Exit, Failure, Outcome, RunArg, at, config,
    output::{Out, plain},
};

/// Ask a judge how faithfully each component is implemented
///
/// The judge is one of those in the settings file ([judges.NAME]): a server or a command. For each component it may
/// look at the files of one turn a few times and then gives a level from 0 to 4 with its lines. Each component is saved
/// as soon as it is done, into a new file below RUN/judgements. Ends with 1 where a component got no verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    run: RunArg,
    /// A judge of the settings file
    #[arg(long, value_name = "NAME")]
    judge: String,
    /// `all`, or ids of components.json
    #[arg(long, value_name = "all|ID,...", default_value = "all", value_delimiter = ',')]
    components: Vec<String>,
    /// Looks a judge may take for one component; else as the settings say
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    budget: Option<u32>,
    /// How often everything is judged; one file each
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    #[arg(long, default_value = "final", help = at::HELP)]
    at: String,
    /// The words a judge is told, in the place of the built-in ones
    #[arg(long, value_name = "FILE")]
    prompt: Option<PathBuf>,
    /// Print what would be sent and what it could cost at most; ask nothing
    #[arg(long)]
    dry_run: bool,
    /// Go on with the last judging of the same thing, where it stopped
    #[arg(long, conflicts_with = "dry_run")]
    resume: bool,
    /// The settings file, in the place of the usual one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON (schema trajview.judge/1)
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let settings = settings(args)?;
    let bundle = bundle(&args.run.path)?;
    let job = job(args, settings, &bundle)?;
    if args.dry_run {
        told::plan(&job, args.json, out)?;
        return Ok(Exit::Fine);
    }
    let job = job.with_key()?;
    let start = if args.resume { Start::Resume } else { Start::Anew };
    let (stop, signal) = signals::listen();
    told::beginning(&job);
    let ended = run::judge(&job, &Judgements::of(&bundle), start, &stop, &mut told::event)
        .map_err(|why| wrong(format!("judge {} {why}", args.judge)))?;
    told::ended(&job, &ended, args.json, out)?;
    end(args, &job, &ended, signal.last())
}

fn wrong(sentence: impl Into<String>) -> Failure {
    Failure::new(Exit::WrongArguments, sentence)
}

/// How it ended, as an exit code and a sentence.
fn end(args: &Args, job: &Job, ended: &Ended, signal: Option<u8>) -> Outcome {
    let kept = match ended.files.last() {
        Some((_, document)) if document.scores.is_empty() => "nothing was judged yet".to_owned(),
        Some((path, document)) => {
            let judged = at::counted(document.scores.len(), "component");
            format!("{judged} stay in {}; --resume goes on", path.display())
        }
        None => "nothing was judged yet".to_owned(),
    };
    let judge = &args.judge;
    match &ended.halted {
        Some(Halt::Stopped) => {
            let exit = match signal {
                Some(signal) if signal != signals::INTERRUPT => Exit::Signal(signal),
                _ => Exit::Interrupted,
            };
            Err(Failure::new(exit, format!("stopped; {kept}")))
        }
        Some(Halt::Fault(fault @ Fault::Dear(_))) => {
            Err(Failure::new(Exit::Failed, format!("judge {judge} stops at {fault}; {kept}")))
        }
        Some(Halt::Fault(fault)) => {
            Err(Failure::new(Exit::CannotRead, format!("judge {judge}: {fault}; {kept}")))
        }
        Some(Halt::Write(why)) => Err(Failure::new(Exit::CannotRead, format!("{why}; {kept}"))),
        Some(Halt::NothingToResume) => Err(wrong(format!(
            "no judging of {} after turn {} by {judge}, with this prompt, budget and these components, to go on \
             with; leave out --resume to begin one",
            job.subject.run, job.subject.turn
        ))),
        None => {
            let lacks = |(_, score): &(String, Option<u8>)| score.is_none();
            let is_whole =
                |(_, it): &(PathBuf, Document)| it.is_finished() && !it.given().iter().any(lacks);
            Ok(if ended.files.iter().all(is_whole) { Exit::Fine } else { Exit::Failed })
        }
    }
}

fn settings(args: &Args) -> Result<Settings, Failure> {
    let loaded = config::load(args.config.as_deref())?;
    for problem in loaded.problems.iter().filter(|problem| problem.contains("judges")) {
        eprintln!("trajview: {}", plain(problem));
    }
    let Some(judge) = loaded.judges.iter().find(|judge| judge.name == args.judge) else {
        let known: Vec<&str> = loaded.judges.iter().map(|judge| judge.name.as_str()).collect();
        let known = match known.as_slice() {
            [] => "the settings name none".to_owned(),
            names => format!("known: {}", names.join(", ")),
        };
        return Err(wrong(format!(
            "no judge is called {}; {known}; a table [judges.{}] in the settings file makes one",
            args.judge, args.judge
        )));
    };
    Ok(judge.clone())
}

fn bundle(path: &Path) -> Result<PathBuf, Failure> {
    if let Some(folder) = store::rubric::bundle_of(path) {
        return Ok(folder);
    }
    store::open(path)?; // what cannot be read at all says so itself
    let shown = path.display();
    Err(wrong(format!(
        "{shown} is no run bundle, so there is no place for verdicts; `trajview import {shown} --out DIR` makes one"
    )))
}

fn job(args: &Args, settings: Settings, bundle: &Path) -> Result<Job, Failure> {
    let opened = store::open(bundle)?;
    let wanted: Vec<String> = args.components.iter().map(|id| id.trim().to_owned()).collect();
    let wish = Wish {
        settings,
        prompt: prompt(args.prompt.as_deref())?,
        components: (wanted != ["all"]).then_some(wanted),
        turn: at::turns_done(&opened.run, &args.at)?,
        budget: args.budget,
        repeats: usize::from(args.repeat),
    };
    Ok(Job::prepare(wish, bundle, &opened)?)
}

impl From<JobError> for Failure {
    fn from(why: JobError) -> Self {
        let exit = match why {
            JobError::TooEarly | JobError::UnknownComponent { .. } | JobError::NoKey { .. } => {
                Exit::WrongArguments
            }
            JobError::NoFiles(_) => Exit::CannotRead,
            JobError::NoChecklist(_) => Exit::CannotUnderstand,
        };
        Self::new(exit, why.to_string())
    }
}

fn prompt(path: Option<&Path>) -> Result<Prompt, Failure> {
    let Some(path) = path else { return Ok(Prompt::built_in()) };
    let shown = path.display();
    let cannot =
        |why: std::io::Error| Failure::new(Exit::CannotRead, format!("cannot read {shown}: {why}"));
    let mut bytes = vec![];
    let most = prompt::MOST_BYTES as u64 + 1;
    let file = std::fs::File::open(path).map_err(cannot)?;
    file.take(most).read_to_end(&mut bytes).map_err(cannot)?;
    Prompt::of(&bytes, &shown.to_string())
        .map_err(|why| Failure::new(Exit::CannotUnderstand, format!("{shown} {why}")))
}
