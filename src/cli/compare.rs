//! `trajview compare`: two runs paired by component, checkpoint and phase; more of them as columns with differences to a
//! base; the transcript of each aligned with that of the base.

mod document;
mod tables;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::ValueEnum;

use trajview_analysis as analysis;
use trajview_analysis::{
    Scorer, lifelines,
    scores::{ReuseRequest, ScoreRequest, Scorers, Scores},
};
use trajview_metrics::lifeline::components_to_follow;
use trajview_run::{
    files::{RunMoment as At, SourceTree},
    find_by_name,
    pooled_judgements::PoolRequest,
    rubric::Rubric,
};
use trajview_store as store;
use trajview_store::{OpenedRecording, RunContents};
use trajview_study::compare::{
    self, ComparedMoment, ComparedRun, ComparedTrees, FileRow, Subtraction, TreeSide,
};

use super::{
    CommandFailure, CommandResult, Exit,
    measuring_args::MeasuringArgs,
    output::{self, Json, Out, TableFormArgs},
    resampling::ResamplingArgs,
    run_args,
};
use document::CompareDocument;

/// Compare runs, paired by component, checkpoint and phase
///
/// Two runs, a and b, are paired. Their differences are SLUMP's, single-shot minus emergent, in any order of the arguments,
/// so a positive one is a loss; if the conditions do not identify them, the difference is a minus b. More runs are columns;
/// then results, numbers, components and tests have the difference of each run to the base, and the other tables are of the
/// first two. The transcript of each run is aligned with that of the base by requests, tool calls and edits; the first step
/// that differs is named.
#[derive(Debug, clap::Args)]
pub struct CompareArgs {
    /// Two runs or more: logs, run bundles, or folders that hold one of them
    #[arg(value_name = "RUN", required = true, num_args = 2.., value_parser = run_args::recording_parser())]
    runs: Vec<PathBuf>,
    /// Judge whose verdicts count: the judge's name, or a judgement's file; a unique beginning is enough;
    /// `pooled:mean`, `pooled:median` or `pooled:majority` pools those of each state, with `:JUDGE` the repeats of one.
    /// Default: a judge that all runs have, by complete judgements
    #[arg(long, alias = "judgement", value_name = "NAME|FILE")]
    judge: Option<String>,
    #[command(flatten)]
    counting: run_args::CountingArgs,
    /// The run that the others are compared with: its number, which counts from 1, or its letter. Default: the first
    #[arg(long, value_name = "N", value_parser = parse_base)]
    base: Option<usize>,
    /// The measured moments of each run, in addition to its end
    #[arg(long, value_enum, default_value_t = CompareEach::Checkpoint)]
    each: CompareEach,
    #[command(flatten)]
    measuring: MeasuringArgs,
    #[command(flatten)]
    resampling: ResamplingArgs,
    /// Print JSON (schema trajview.compare/1)
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables"])]
    json: bool,
    /// Print one table of every pair of numbers as CSV
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    csv: bool,
    #[command(flatten)]
    forms: TableFormArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompareEach {
    /// The end of each checkpoint
    Checkpoint,
    /// Also the end of each turn
    Turn,
}

/// Parses the number or the letter of a run. Returns its position, which counts from 0.
fn parse_base(word: &str) -> Result<usize, String> {
    let by_number = || word.parse::<usize>().ok()?.checked_sub(1);
    let by_letter = || (0..26).find(|at| compare::run_letter(*at).eq_ignore_ascii_case(word));
    by_number().or_else(by_letter).ok_or_else(|| "expected 1, 2, 3 … or a, b, c …".into())
}

/// A run that was opened, and where from.
struct OpenedRun {
    path: PathBuf,
    opened: OpenedRecording,
}

pub fn run(args: &CompareArgs, out: &mut Out) -> CommandResult {
    args.counting.apply();
    out.set_table_form(&args.forms)?;
    if let Some(base) = args.base.filter(|base| *base >= args.runs.len()) {
        let (base, count) = (compare::run_letter(base), args.runs.len());
        let why = format!("--base {base}: only {count} runs are compared");
        return Err(CommandFailure::wrong_arguments(why));
    }
    let scorers = args.measuring.open_scorers()?;
    let open = |path: &PathBuf| open_run(path, &scorers.scorer);
    let opened_runs = args.runs.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let mut parties = compared_parties(&opened_runs, args.each, &scorers)?;
    if let Some(word) = args.judge.as_deref() {
        pool_each(parties.iter_mut().map(|party| &mut party.rubric), word)?;
    }
    let rubrics: Vec<&Rubric> = parties.iter().map(|party| &party.rubric).collect();
    let judge = judge_by_name(args.judge.as_deref(), &rubrics)?;
    compare::choose_judge(&mut parties, judge.as_ref());
    for (party, OpenedRun { opened, .. }) in parties.iter_mut().zip(&opened_runs) {
        add_lifelines(party, opened)?;
    }
    let files = file_rows(&opened_runs)?;
    let transcripts = transcript_rows(&opened_runs, args.base.unwrap_or_default());
    let document = CompareDocument {
        opened_runs: &opened_runs,
        parties: &parties,
        files: &files,
        transcripts: &transcripts,
        args,
    };
    if args.json {
        out.print_json(&document.to_json(scorers.scorer.ruler()))?;
    } else if args.csv {
        document.not_compared().iter().for_each(|why| output::print_note(why));
        tables::write_csv(&document, out)?;
    } else {
        tables::print_comparison(&document, scorers.scorer.ruler(), out)?;
    }
    Ok(Exit::Fine)
}

fn open_run(path: &Path, scorer: &Scorer) -> Result<OpenedRun, CommandFailure> {
    Ok(OpenedRun { path: path.to_owned(), opened: store::open(path)?.with_cache(scorer.cache()) })
}

fn compared_parties(
    opened_runs: &[OpenedRun],
    each: CompareEach,
    scorers: &Scorers,
) -> Result<Vec<ComparedRun>, CommandFailure> {
    let party = |OpenedRun { path, opened }: &OpenedRun| {
        let mut party = ComparedRun::new(opened.run.clone(), store::rubric::read_beside(path));
        party.process = Some(analysis::process_numbers(&opened.archive, &opened.run));
        let counts = opened.archive.line_counts(&opened.run).unwrap_or_default();
        party.lines = analysis::cards::lines_changed(&opened.run, &counts);
        let moments = measured_moments(&party, each);
        let request = ScoreRequest {
            moments: &At::after_each_count(&moments),
            with_detail: false,
            reuse: ReuseRequest::AtTurnEnds(&scorers.reader),
            for_process: false,
        };
        let (archive, run) = (&opened.archive, &opened.run);
        let scores = Scores::for_run(archive, run, &request, &scorers.scorer, &|_, _, _| true);
        let Scores { code, reuse } = scores.map_err(CommandFailure::cannot_read)?;
        let measured = code.into_iter().map(|it| it.into_measured().ok());
        party.measured = moments.iter().copied().zip(measured).collect();
        let reuse = reuse.map_err(CommandFailure::cannot_read)?;
        party.reuse = moments.into_iter().zip(reuse.counts).collect();
        Ok(party)
    };
    opened_runs.iter().map(party).collect()
}

/// Follows the components of a run, where it has any.
fn add_lifelines(party: &mut ComparedRun, opened: &OpenedRecording) -> Result<(), CommandFailure> {
    let followed = components_to_follow(&party.run, &party.rubric, party.judgement());
    if !followed.is_empty() {
        let (archive, run) = (&opened.archive, &opened.run);
        let lifelines = lifelines::component_lifelines(archive, run, &followed, &|_, _| true);
        party.lifelines = Some(lifelines.map_err(CommandFailure::cannot_read)?.into());
    }
    Ok(())
}

/// Returns the measured moments, in turns done; always with the end, and every state that was judged.
fn measured_moments(party: &ComparedRun, each: CompareEach) -> Vec<usize> {
    let ends = match each {
        CompareEach::Checkpoint => compare::checkpoint_moments(&party.run),
        CompareEach::Turn => compare::turn_moments(&party.run),
    };
    let ends = ends.into_iter().map(|ComparedMoment { done, .. }| done);
    let judged =
        party.rubric.judgements.iter().map(|it| compare::turns_done_at_judgement(&party.run, it));
    let measured_moments: BTreeSet<usize> =
        ends.chain(judged).chain([party.run.end_in_turns()]).collect();
    measured_moments.into_iter().collect()
}

/// Pools the judgements of each run, where the word asks for that; an error where no run has any to pool.
pub(crate) fn pool_each<'r>(
    rubrics: impl Iterator<Item = &'r mut Rubric>,
    word: &str,
) -> Result<(), CommandFailure> {
    let Some(pooling) = PoolRequest::from_word(word) else { return Ok(()) };
    let pooling = pooling.map_err(CommandFailure::wrong_arguments)?;
    let pooled: Vec<Result<(), String>> =
        rubrics.map(|rubric| rubric.add_pooled(&pooling)).collect();
    match pooled.iter().any(Result::is_ok) {
        true => Ok(()),
        false => {
            pooled.into_iter().collect::<Result<(), _>>().map_err(CommandFailure::wrong_arguments)
        }
    }
}

/// Finds the judge that the word names in these runs; None without a word.
pub(crate) fn judge_by_name(
    word: Option<&str>,
    rubrics: &[&Rubric],
) -> Result<Option<find_by_name::JudgeSelection>, CommandFailure> {
    let judge = word.map(|word| find_by_name::JudgeSelection::find_in(word, rubrics)).transpose();
    judge.map_err(|why| CommandFailure::wrong_arguments(why.to_string()))
}

/// Aligns the transcript of each run with that of the base, and makes a row of it. Each comes with the position of its run. A
/// run without a log has no transcript.
fn transcript_rows(opened_runs: &[OpenedRun], base: usize) -> Vec<(usize, Json)> {
    if opened_runs[base].opened.run.has_no_log() {
        return vec![];
    }
    let side = |at: usize| {
        let opened = &opened_runs[at].opened;
        (&*opened.archive, &*opened.run)
    };
    let has_log = |at: &usize| !opened_runs[*at].opened.run.has_no_log();
    let others: Vec<usize> =
        (0..opened_runs.len()).filter(|at| *at != base).filter(has_log).collect();
    let sides: Vec<_> = others.iter().map(|at| side(*at)).collect();
    let aligned = analysis::transcripts_with_base(side(base), &sides);
    let rows = others.into_iter().zip(aligned);
    rows.map(|(at, it)| (at, document::transcript_row(base, at, &it))).collect()
}

/// Compares the files of the first two runs at their ends.
fn file_rows(opened_runs: &[OpenedRun]) -> Result<Vec<FileRow>, CommandFailure> {
    let [a, b, ..] = opened_runs else { return Ok(vec![]) };
    let (tree_a, tree_b) = (last_tree(a)?, last_tree(b)?);
    let (of_a, of_b) = (run_contents(a), run_contents(b));
    let a = TreeSide { tree: &tree_a, contents: &of_a };
    let b = TreeSide { tree: &tree_b, contents: &of_b };
    Ok(ComparedTrees::compare_sides(a, b).rows)
}

fn run_contents(OpenedRun { opened, .. }: &OpenedRun) -> RunContents<'_> {
    RunContents { run: &opened.run, archive: &opened.archive }
}

fn last_tree(OpenedRun { opened, .. }: &OpenedRun) -> Result<SourceTree, CommandFailure> {
    let timeline = opened.archive.timeline(&opened.run).map_err(CommandFailure::cannot_read)?;
    Ok(timeline.tree_after(opened.run.end_in_turns()))
}

/// Returns which of the first two runs is subtracted from which.
fn run_subtraction(parties: &[ComparedRun]) -> Subtraction {
    let condition = |at: usize| parties.get(at).and_then(|it| it.run.condition.as_deref());
    Subtraction::by_conditions((0, 1), (condition(0), condition(1)))
}
