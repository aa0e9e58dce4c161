//! `trajview score`: erosion, verbosity and their parts, at the end, at every checkpoint or at every turn; faithfulness
//! at the end; and the scores of a run's rubric tree. A file that holds such a tree and no run has nothing else to
//! score. With `--against` it is a gate for a change of the code.

mod document;
pub mod document_point;
pub mod faithfulness;
mod faithfulness_table;
mod gate;
mod lifelines;
mod recorded_table;
mod rubric_tree;
mod tables;

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
};

use clap::ValueEnum;

use trajview_analysis as analysis;
use trajview_analysis::scores::{
    ReuseRequest, ReuseScores, ScoreRequest, ScoreStage, Scorers, Scores,
};
use trajview_metrics::quality::ScoredSnapshot;
use trajview_run::{
    Run,
    files::{self, Timeline},
    rubric::Rubric,
};
use trajview_store as store;
use trajview_store::OpenedRecording;

use super::{
    CommandFailure, CommandResult, Exit,
    measuring_args::MeasuringArgs,
    memory,
    output::{Out, TableFormArgs, print_note, print_warnings},
    process, run_args,
    sharding::{PartLines, PartsArgs, ShardArgs},
};
pub use document::{RulerFacts, rules_facts, skipped_files};
use document::{ScoreDocument, ScoredMoment};
use faithfulness::FaithfulnessRow;
use rubric_tree::RubricTreeRows;

/// Score runs: erosion, verbosity, faithfulness; graded rubric trees
#[derive(Debug, clap::Args)]
pub struct ScoreArgs {
    /// Logs, run bundles, graded rubric trees, or folders that hold one of them
    #[arg(value_name = "RUN", required_unless_present = "tree", value_parser = run_args::recording_parser())]
    runs: Vec<PathBuf>,
    /// Score a plain folder instead of runs
    #[arg(long, value_name = "DIR", conflicts_with = "runs")]
    tree: Option<PathBuf>,
    /// The moments to score; `--by step` is the same as `--each step`
    #[arg(long, visible_alias = "by", value_enum, default_value_t = ScoreEach::Final)]
    each: ScoreEach,
    #[arg(long, value_name = "MOMENT", conflicts_with_all = ["each", "tree"], help = SCORED_MOMENT_HELP)]
    at: Option<String>,
    #[command(flatten)]
    measuring: MeasuringArgs,
    /// Judge whose scores count: the judge's name, or a judgement's file (also from elsewhere); a unique beginning is
    /// enough. `pooled:mean`, `pooled:median` or `pooled:majority` (a strict one) pools the last judgement
    /// of each judge, or the repeats of a single judge; with `:JUDGE` the repeats of that judge. Without it the last judgement
    /// of the latest state that has a score for every component
    #[arg(long, alias = "judgement", value_name = "NAME|FILE", conflicts_with = "tree")]
    judge: Option<String>,
    #[command(flatten)]
    counting: run_args::CountingArgs,
    /// Also print the callables, clones, rule matches, exported symbols and rubric nodes behind the numbers
    #[arg(long)]
    detail: bool,
    /// Print JSON (schema trajview.score/1), one document a run
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables"])]
    json: bool,
    /// Print one table of all runs as CSV
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    csv: bool,
    #[command(flatten)]
    sharding: ShardArgs,
    #[command(flatten)]
    into: PartsArgs,
    #[command(flatten)]
    forms: TableFormArgs,
    #[command(flatten)]
    gate: gate::GateArgs,
}

const SCORED_MOMENT_HELP: &str = "Score this moment instead: a turn (counts from 1), a step of one (12.7), a checkpoint's id, \
                                  `start` or `final`. With --against: the later state, a revision or a moment [default: the \
                                  working folder, with uncommitted changes; the end of the run]";

/// The moments that are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScoreEach {
    /// The end of the run
    Final,
    /// The end of each checkpoint
    Checkpoint,
    /// The end of each turn
    Turn,
    /// After each step that edited files, and at the end of a turn whose files differ from its last edit
    Step,
}

pub fn run(args: &ScoreArgs, out: &mut Out) -> CommandResult {
    args.counting.apply();
    out.set_table_form(&args.forms)?;
    let gate = args.gate.named_gate()?;
    let scorers = args.measuring.open_scorers()?;
    let scorer = &scorers.scorer;
    if let Some(gate) = gate {
        return gate::run_gate(args, gate, scorer, out);
    }
    if args.tree.is_some() && args.sharding.is_named() {
        return Err(CommandFailure::wrong_arguments("--shard is for runs, --tree has none"));
    }
    if let Some(lines) = args.into.open_part("score", args.sharding)? {
        return score_into_parts(args, &scorers, lines, out);
    }
    let documents = match &args.tree {
        Some(folder) => vec![score_folder(folder, &scorers)?],
        None => {
            let runs = match args.sharding.is_named() {
                true => args.sharding.runs_of_shard(&args.runs)?,
                false => args.runs.clone(),
            };
            let all = || runs.iter().map(|path| score_run(path, args, &scorers));
            scorer.batch_cache_writes(|| all().collect::<Result<Vec<_>, CommandFailure>>())?
        }
    };
    if args.json {
        documents
            .iter()
            .try_for_each(|document| out.print_json(&document.to_json(scorer, args.detail)))?;
    } else if args.csv {
        tables::write_csv(&documents, scorer.ruler(), out)?;
    } else {
        for document in &documents {
            tables::print_scores(document, scorer.ruler(), args, out)?;
        }
    }
    match &args.tree {
        Some(folder) => Ok(exit_after_folder(folder, &documents)),
        None => Ok(Exit::Fine),
    }
}

/// Writes a line for each run, with the reason where it cannot be read.
fn score_into_parts(
    args: &ScoreArgs,
    scorers: &Scorers,
    mut lines: PartLines<'_>,
    out: &mut Out,
) -> CommandResult {
    for run in args.sharding.runs_of_shard(&args.runs)? {
        match score_run(&run, args, scorers) {
            Ok(document) => {
                lines.add_document(&run, &document.to_json(&scorers.scorer, args.detail))?
            }
            Err(why) => {
                print_note(&why.sentence);
                lines.add_error(&run, &why.sentence)?;
            }
        }
    }
    lines.publish(out)?;
    Ok(Exit::Fine)
}

/// Returns a folder in which no file could be measured has no score: a script must not take it for a good one.
fn exit_after_folder(folder: &Path, documents: &[ScoreDocument]) -> Exit {
    let points = documents.iter().flat_map(|document| &document.points);
    let Some(why) = points.map(|(_, scored)| scored).find_map(ScoredSnapshot::unmeasured_reason)
    else {
        return Exit::Fine;
    };
    print_note(&format!("{}: not measured: {why}", folder.display()));
    Exit::CannotUnderstand
}

fn score_folder(folder: &Path, scorers: &Scorers) -> Result<ScoreDocument, CommandFailure> {
    let read = scorers.scorer.score_folder_with_reuse(folder, &scorers.reader);
    let (scored, reuse) = read.map_err(CommandFailure::cannot_read)?;
    Ok(ScoreDocument::for_folder(folder, scored, reuse))
}

fn score_run(
    path: &Path,
    args: &ScoreArgs,
    scorers: &Scorers,
) -> Result<ScoreDocument, CommandFailure> {
    let opened = store::open(path)?.with_cache(scorers.scorer.cache());
    let (run, archive) = (&*opened.run, &*opened.archive);
    let tree_rows = if args.detail { RubricTreeRows::Nodes } else { RubricTreeRows::Sums };
    let tree =
        match run.rubric_tree.as_ref().map(|tree| rubric_tree::rubric_tree_row(tree, tree_rows)) {
            Some(tree) if run.turns.is_empty() => {
                return Ok(ScoreDocument::for_rubric_tree(path, run, tree));
            }
            tree => tree,
        };
    let mut rubric = store::rubric::read_beside(path);
    let chosen = faithfulness::choose_judgement(&mut rubric, args.judge.as_deref())?;
    let measured =
        ScoredMoments { each: args.each, at: args.at.as_deref(), with_detail: args.detail };
    let document = measured.points_document(path, &opened, (&rubric, chosen), scorers)?;
    print_warnings(&rubric.warnings);
    let chosen = chosen.and_then(|chosen| rubric.judgements.get(chosen));
    let memory = analysis::memory::memory_timeline(archive, run, run.end_in_turns());
    Ok(ScoreDocument {
        lifelines: lifelines::lifeline_rows((run, archive), &rubric, chosen)
            .map_err(CommandFailure::cannot_read)?,
        rubric_tree: tree,
        process: Some(process::process_score_row(&analysis::process_report(archive, run))),
        memory: memory.as_ref().map(|(course, _)| memory::memory_score_row(course)),
        ..document
    })
}

/// The moments to score, and whether details are included.
#[derive(Debug, Clone, Copy)]
pub struct ScoredMoments<'a> {
    pub each: ScoreEach,
    /// The one moment to score in place of [`Self::each`].
    pub at: Option<&'a str>,
    pub with_detail: bool,
}

impl ScoredMoments<'_> {
    /// Returns the points of a run, with what was judged and exposed: what a row of the points' CSV is made of.
    ///
    /// # Errors
    ///
    /// If the files cannot be read, and where the run has no such moments.
    pub(crate) fn points_document(
        self,
        path: &Path,
        opened: &OpenedRecording,
        (rubric, chosen): (&Rubric, Option<usize>),
        scorers: &Scorers,
    ) -> Result<ScoreDocument, CommandFailure> {
        let (run, archive) = (&*opened.run, &*opened.archive);
        let timeline = archive.timeline(run).map_err(CommandFailure::cannot_read)?;
        let moments = match self.at {
            Some(word) => vec![named_moment(run, word)?],
            None => scored_moments(run, &timeline, self.each)?,
        };
        let at: Vec<files::RunMoment> = moments.iter().map(|moment| moment.moment).collect();
        let request = ScoreRequest {
            moments: &at,
            with_detail: self.with_detail,
            reuse: ReuseRequest::AtTurnEnds(&scorers.reader),
            for_process: false,
        };
        let scores = Scores::for_run(archive, run, &request, &scorers.scorer, &print_progress);
        let Scores { code, reuse } = scores.map_err(CommandFailure::cannot_read)?;
        let lines = archive.line_counts(run).map_err(CommandFailure::cannot_read)?;
        let ReuseScores { counts, end } = reuse.map_err(CommandFailure::cannot_read)?;
        let from = timeline.from.display_text();
        let document = ScoreDocument::for_run(path, (run, archive), from, moments, code, &lines);
        let chosen = chosen.and_then(|chosen| rubric.judgements.get(chosen));
        Ok(ScoreDocument {
            faithfulness: Some(FaithfulnessRow::for_run(run, rubric, chosen, end.as_ref())),
            exposure: faithfulness::exposure_shares(run, rubric),
            ..document.with_reuse(&counts)
        })
    }
}

/// Prints the progress on a terminal, in a line that is removed at the end. Short work prints nothing. Returns true:
/// the work goes on.
fn print_progress(stage: ScoreStage, done: usize, total: usize) -> bool {
    let (verb, noun, soon_done) = match stage {
        ScoreStage::Measuring => ("measured", "versions of files", 1_000),
        // DIR links all files of a moment with each other.
        ScoreStage::Linking => ("linked", "moments for DIR", 100),
    };
    if total > soon_done && std::io::stderr().is_terminal() {
        let words = format!("{verb} {done} of {total} {noun}");
        eprint!("\r\x1b[K{}", if done < total { words.as_str() } else { "" });
    }
    true
}

/// Returns the moment that a word names.
fn named_moment(run: &Run, word: &str) -> Result<ScoredMoment, CommandFailure> {
    let moment = run_args::parse_moment(run, word)?;
    Ok(match moment.step {
        Some(step) => ScoredMoment::for_edit((moment, Some(run_args::step_number(run, step)))),
        None if word.parse::<usize>().is_ok() => {
            ScoredMoment::after_turns(format!("turn {word}"), moment.turns)
        }
        None => ScoredMoment::after_turns(word.to_owned(), moment.turns),
    })
}

fn scored_moments(
    run: &Run,
    timeline: &Timeline,
    each: ScoreEach,
) -> Result<Vec<ScoredMoment>, CommandFailure> {
    let moments: Vec<ScoredMoment> = match each {
        ScoreEach::Final => vec![ScoredMoment::after_turns("final".into(), run.end_in_turns())],
        ScoreEach::Checkpoint => {
            let moment = |checkpoint: &trajview_run::Checkpoint| {
                ScoredMoment::after_turns(checkpoint.id.clone(), checkpoint.last_turn + 1)
            };
            run.checkpoints.iter().map(moment).collect()
        }
        ScoreEach::Turn => run
            .counted_moments()
            .map(|done| ScoredMoment::after_turns(format!("turn {done}"), done))
            .collect(),
        ScoreEach::Step => {
            timeline.moments_of_edits(run).into_iter().map(ScoredMoment::for_edit).collect()
        }
    };
    if moments.is_empty() {
        let noun = match each {
            ScoreEach::Checkpoint => "checkpoints",
            ScoreEach::Step => "edits",
            ScoreEach::Final | ScoreEach::Turn => "turns",
        };
        let why = format!("{}: this run records no {noun}", run.id);
        return Err(CommandFailure::cannot_understand(why));
    }
    Ok(moments)
}
