//! `trajview process`: the process of runs. For one run the seven pillars with their counts, the signals, the cycles of
//! failure and recovery, the plan compared with the steps, and faults of the recording; for several runs, or a folder,
//! tables by task and harness.

mod build_and_test;
mod many_runs;
mod one_run;
mod outcome_file;

use std::{path::PathBuf, sync::Arc};

use clap::builder::TypedValueParser;

use trajview_analysis as analysis;
use trajview_metrics::process::{
    ObservedRun, Pillar, PillarWeights, ProcessReport, RigorProfile, pillars::MAX_WEIGHT_CHANGE,
};
use trajview_run::Run;
use trajview_store as store;
use trajview_store::DiskCache;

use super::{
    CommandFailure, CommandResult, Exit,
    measuring_args::open_cache,
    output::{Out, TableFormArgs},
    resampling::ResamplingArgs,
    run_args,
};

pub(crate) use one_run::{process_score_row, rigor_score_text, signal_rows};

/// Process of runs: RigorBench's pillars, signals of problems, plans
///
/// One run in full; several runs, or a folder, as tables: task by harness, a ranking with intervals, harnesses by pillar (of
/// RigorBench's results Tables III, IV and V of its paper), and the correlation of process and outcome. Both profiles
/// are shown: rigor-paper has the paper's formulas without parts that are not recorded; rigor-shipped is the released
/// scorer, with its default values if it finds no events (marked *).
///
/// --build and --test run your command on the files after each turn that changed files, each time in a new scratch
/// folder, with a separate home, no keys, and no access to the recording; without them nothing is run. Results are
/// saved in checks.jsonl of the bundle (for other recordings beside the cache), are not repeated for the same files,
/// and count from then on. Ctrl-C stops; finished results stay.
#[derive(Debug, clap::Args)]
pub struct ProcessArgs {
    /// Logs, run bundles, RigorBench results, or folders of them
    #[arg(value_name = "RUN", required = true, value_parser = run_args::recording_parser())]
    runs: Vec<PathBuf>,
    /// The profile of rankings, of the table and of CSV
    #[arg(long, default_value = RigorProfile::Paper.word(), value_parser = profile_parser())]
    profile: RigorProfile,
    /// Change weights of pillars by N per cent, -50 to 50: pf=+50,tad=-20
    #[arg(long, value_name = "PILLAR=PERCENT,...", value_parser = parse_weights, allow_hyphen_values = true)]
    weights: Option<PillarWeights>,
    /// Do not use the cache of file contents
    #[arg(long)]
    no_cache: bool,
    /// Only the signals, one per line
    #[arg(long)]
    signals: bool,
    /// The file of scores whose specification coverage is the outcome, instead of the file chosen among those beside
    /// the runs
    #[arg(long, value_name = "FILE")]
    outcome: Option<PathBuf>,
    #[command(flatten)]
    checking: build_and_test::CheckingArgs,
    #[command(flatten)]
    resampling: ResamplingArgs,
    /// Print JSON (schema trajview.process/1): one document per run, or one for a folder
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables"])]
    json: bool,
    /// Print a row a run as CSV
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    csv: bool,
    #[command(flatten)]
    forms: TableFormArgs,
}

impl ProcessArgs {
    fn open_cache(&self) -> Option<Arc<DiskCache>> {
        open_cache(!self.no_cache)
    }

    fn pillar_weights(&self) -> PillarWeights {
        self.weights.clone().unwrap_or_default()
    }
}

fn profile_parser() -> impl TypedValueParser<Value = RigorProfile> {
    run_args::word_parser(RigorProfile::ALL.iter().map(|it| it.word()), RigorProfile::by_word)
}

fn parse_weights(words: &str) -> Result<PillarWeights, String> {
    let mut weights = PillarWeights::default();
    for one in words.split(',') {
        let parsed = one.split_once('=').and_then(|(id, percent)| {
            let pillar = Pillar::ALL.iter().find(|pillar| pillar.word() == id.trim())?;
            let percent: f64 = percent.trim().trim_end_matches('%').parse().ok()?;
            let by = percent / 100.0;
            (by.abs() <= MAX_WEIGHT_CHANGE).then_some((*pillar, by))
        });
        let (pillar, by) = parsed.ok_or_else(|| {
            let ids: Vec<&str> = Pillar::ALL.iter().map(|pillar| pillar.word()).collect();
            format!("expected {} with -50 to 50, as pf=+50", ids.join(", "))
        })?;
        weights = weights.with_moved(pillar, by);
    }
    Ok(weights)
}

/// A run with the report of its process.
pub struct ProcessedRun {
    pub path: String,
    pub run: Arc<Run>,
    pub observed: ObservedRun,
    pub report: ProcessReport,
    /// The folder that the agent left, where it lies beside a result.
    pub working_copy: Option<String>,
}

impl ProcessedRun {
    pub fn new(path: String, opened: &store::OpenedRecording) -> Self {
        let observed = analysis::observe_run(&opened.archive, &opened.run);
        let report = ProcessReport::new(&opened.run, &observed);
        let working_copy = opened.archive.working_copy().map(|it| it.display().to_string());
        Self { path, run: opened.run.clone(), observed, report, working_copy }
    }
}

pub fn run(args: &ProcessArgs, out: &mut Out) -> CommandResult {
    out.set_table_form(&args.forms)?;
    if let [path] = args.runs.as_slice()
        && !store::contains_several_runs(path)
    {
        let opened = store::open(path)?;
        if let Some(checking) = args.checking.checks_wanted() {
            build_and_test::run_checks(path, &opened, &checking)?;
        }
        if let Some(cache) = args.open_cache() {
            opened.archive.set_cache(cache);
        }
        let worked = ProcessedRun::new(path.display().to_string(), &opened);
        print_one_run(&worked, args, out)?;
        return Ok(Exit::Fine);
    }
    if args.checking.checks_wanted().is_some() {
        return Err(CommandFailure::wrong_arguments("--build and --test need exactly one run"));
    }
    let paths: Vec<PathBuf> = args
        .runs
        .iter()
        .flat_map(|path| match store::contains_several_runs(path) {
            true => store::runs_below(path),
            false => vec![path.clone()],
        })
        .collect();
    if paths.is_empty() {
        return Err(CommandFailure::cannot_understand("no recording below these folders"));
    }
    many_runs::run_many(&paths, args, out)
}

fn print_one_run(worked: &ProcessedRun, args: &ProcessArgs, out: &mut Out) -> std::io::Result<()> {
    let document = one_run::process_document(worked, &args.pillar_weights());
    if args.signals {
        return one_run::print_signals(&document, args, out);
    }
    if args.json {
        return out.print_json(&document);
    }
    if args.csv {
        return out.print_csv(one_run::CSV_COLUMNS, [one_run::run_row(worked, args)]);
    }
    one_run::print_process(&document, args.forms.md, out)
}
