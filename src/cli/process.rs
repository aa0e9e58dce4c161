//! `trajview process`: how runs were worked on. Of one run the seven pillars with what was counted, the signals, the cycles of
//! failure and recovery, the plan beside what was done, and what is wrong with the recording; of several runs, or of a folder,
//! tables by task and harness.

mod document;
mod many;
mod outcome;
mod states;
mod tables;

use std::{path::PathBuf, sync::Arc};

use trajview_metrics::process::{Observed, Pillar, Profile, Report, Weights, pillars::MOST_MOVED};
use trajview_run::Run;
use trajview_store as store;
use trajview_store::Cache;

use super::{
    Exit, Failure, Outcome, at,
    measuring::cache,
    output::{Forms, Out},
    resampling::Resampling,
};

pub use document::{Process, ScoreRow, SignalRow};

/// How runs were worked on: RigorBench's seven pillars, signals of where they went wrong, plan and execution
///
/// One run in full; several runs, or a folder, as tables: task by harness, a ranking with intervals, harnesses by pillar (of
/// RigorBench's results Tables III, IV and V of its paper), and how process goes with outcome. Both profiles are shown: rigor-paper has the paper's formulas and leaves out what no recording can tell;
/// rigor-shipped is the released scorer, with its values where it finds nothing (marked *).
///
/// --build and --test run a command of yours on the files after each turn that changed some, each time in a scratch folder of
/// their own, with a home of its own, no keys, and the recording out of reach; nothing is ever run without them. Results are kept
/// in checks.jsonl of the bundle (of other recordings beside the cache), are not run again for the same files, and count from
/// then on. Ctrl-C stops; what is done is kept.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Logs, run bundles, RigorBench results, or folders of them
    #[arg(value_name = "RUN", required = true, value_parser = at::recording())]
    runs: Vec<PathBuf>,
    /// The profile of rankings, of the table and of CSV
    #[arg(long, default_value = Profile::Paper.word(), value_parser = profile)]
    profile: Profile,
    /// Weights of pillars moved by so many per cent of their own, -50 to 50: pf=+50,tad=-20
    #[arg(long, value_name = "PILLAR=PERCENT,...", value_parser = weights, allow_hyphen_values = true)]
    weights: Option<Weights>,
    /// Neither read nor write the cache of what files say
    #[arg(long)]
    no_cache: bool,
    /// Only the signals, one a line
    #[arg(long)]
    signals: bool,
    /// The file of scores whose specification coverage is the outcome, in the place of the one that is chosen among those
    /// beside the runs
    #[arg(long, value_name = "FILE")]
    outcome: Option<PathBuf>,
    #[command(flatten)]
    checking: states::Checking,
    #[command(flatten)]
    resampling: Resampling,
    /// Print JSON (schema trajview.process/1): a document a run, one in all of a folder
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables"])]
    json: bool,
    /// Print a row a run as CSV
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    csv: bool,
    #[command(flatten)]
    forms: Forms,
}

impl Args {
    fn cache(&self) -> Option<Arc<Cache>> {
        cache(!self.no_cache)
    }
}

fn profile(word: &str) -> Result<Profile, String> {
    let found = Profile::ALL.iter().copied().find(|profile| profile.word() == word);
    let words: Vec<&str> = Profile::ALL.iter().map(|profile| profile.word()).collect();
    found.ok_or_else(|| format!("expected one of: {}", words.join(", ")))
}

fn weights(words: &str) -> Result<Weights, String> {
    let mut weights = Weights::default();
    for one in words.split(',') {
        let parsed = one.split_once('=').and_then(|(id, percent)| {
            let pillar = Pillar::ALL.iter().find(|pillar| pillar.word() == id.trim())?;
            let percent: f64 = percent.trim().trim_end_matches('%').parse().ok()?;
            let by = percent / 100.0;
            (by.abs() <= MOST_MOVED).then_some((*pillar, by))
        });
        let (pillar, by) = parsed.ok_or_else(|| {
            let ids: Vec<&str> = Pillar::ALL.iter().map(|pillar| pillar.word()).collect();
            format!("expected {} with -50 to 50, as pf=+50", ids.join(", "))
        })?;
        weights = weights.moved(pillar, by);
    }
    Ok(weights)
}

/// A run with what is told of its process.
pub struct Worked {
    pub path: String,
    pub run: Arc<Run>,
    pub observed: Observed,
    pub report: Report,
    /// The folder that the agent left, where it lies beside a result.
    pub working_copy: Option<String>,
}

impl Worked {
    pub fn of(path: String, opened: &store::Opened) -> Self {
        let observed = store::observed(&opened.archive, &opened.run);
        let report = Report::of(&opened.run, &observed);
        let working_copy = opened.archive.working_copy().map(|it| it.display().to_string());
        Self { path, run: opened.run.clone(), observed, report, working_copy }
    }
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    out.write_as(&args.forms)?;
    if let [path] = args.runs.as_slice()
        && !store::holds_several(path)
    {
        let opened = store::open(path)?;
        if let Some(checking) = args.checking.wanted() {
            states::run(path, &opened, &checking)?;
        }
        if let Some(cache) = args.cache() {
            opened.archive.keep_in(cache);
        }
        let worked = Worked::of(path.display().to_string(), &opened);
        one(&worked, args, out)?;
        return Ok(Exit::Fine);
    }
    if args.checking.wanted().is_some() {
        return Err(Failure::wrong("--build and --test take one run; name each by itself"));
    }
    let paths: Vec<PathBuf> = args
        .runs
        .iter()
        .flat_map(|path| match store::holds_several(path) {
            true => store::runs_below(path),
            false => vec![path.clone()],
        })
        .collect();
    if paths.is_empty() {
        return Err(Failure::not_understood("no recording below these folders"));
    }
    many::run(&paths, args, out)
}

fn one(worked: &Worked, args: &Args, out: &mut Out) -> std::io::Result<()> {
    let document = Process::of(worked, args.weights.as_ref());
    if args.signals {
        return tables::signals(&document, args, out);
    }
    if args.json {
        return out.json(&document);
    }
    if args.csv {
        return out.csv(
            document::CSV,
            [document::CsvRow::of(worked, args.profile, args.weights.as_ref())],
        );
    }
    tables::print(&document, args.forms.md, out)
}
