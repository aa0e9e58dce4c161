//! `trajview score`: erosion, verbosity and what they are made of, at the end, at every checkpoint or at every turn; how
//! faithful the end is to what was asked for; and what the rubric tree of a run comes to. A file that holds such a tree
//! and no run has nothing else to score.

mod document;
pub mod faithful;
mod faithful_table;
mod lifelines;
pub mod point;
mod recorded_table;
mod rubric_tree;
mod tables;

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::ValueEnum;

use trajview_metrics::{
    numbers::facts::Reused,
    quality::{Detail, Scored},
};
use trajview_run::{
    Run,
    files::{self, Timeline},
    rubric::Rubric,
};
use trajview_store as store;
use trajview_store::{Opened, ReuseReader, Scorer};

use super::{
    Exit, Failure, Outcome, at,
    measuring::Measuring,
    memory,
    output::{Forms, Out, tell, tell_warnings},
    process,
    sharding::{IntoParts, Lines, Sharding},
};
use document::{Document, Moment};
pub use document::{RulerRow, RulesFacts, rules_of, skipped};
use faithful::{ExposureRow, FaithfulnessRow};
use rubric_tree::NodeRows;

/// Score runs: erosion, verbosity, faithfulness and what they are made of; graded rubric trees
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Logs, run bundles, graded rubric trees, or folders that hold one of them
    #[arg(value_name = "RUN", required_unless_present = "tree", value_parser = at::recording())]
    runs: Vec<PathBuf>,
    /// Score a plain folder instead of runs
    #[arg(long, value_name = "DIR", conflicts_with = "runs")]
    tree: Option<PathBuf>,
    /// The moments that are scored; `--by step` is the same as `--each step`
    #[arg(long, visible_alias = "by", value_enum, default_value_t = Each::Final)]
    each: Each,
    #[command(flatten)]
    measuring: Measuring,
    /// Whose scores count: the judge's name, or a judgement's file (one from elsewhere too); the beginning is enough where
    /// only one begins so. `pooled:mean`, `pooled:median` or `pooled:majority` (a strict one) pools the last judgement of each
    /// judge, or the repeats of one that judged alone; with `:JUDGE` the repeats of that judge. Without it the last judgement
    /// of the latest state that has a score for every component
    #[arg(long, visible_alias = "judgement", value_name = "NAME|FILE", conflicts_with = "tree")]
    judge: Option<String>,
    /// With the callables, clones, rule hits, exported symbols and rubric nodes the numbers are made of
    #[arg(long)]
    detail: bool,
    /// Print JSON (schema trajview.score/1), one document a run
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables"])]
    json: bool,
    /// Print one table of all runs as CSV
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    csv: bool,
    #[command(flatten)]
    sharding: Sharding,
    #[command(flatten)]
    into: IntoParts,
    #[command(flatten)]
    forms: Forms,
}

/// The moments that are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Each {
    /// The end of the run
    Final,
    /// The end of each checkpoint
    Checkpoint,
    /// The end of each turn
    Turn,
    /// After each step that edited files, and where a turn ends otherwise than its last edit left the files
    Step,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    out.write_as(&args.forms)?;
    let scorers = args.measuring.scorers()?;
    let scorer = &scorers.0;
    if args.tree.is_some() && args.sharding.is_asked() {
        return Err(Failure::wrong("--shard is for runs, --tree has none"));
    }
    if let Some(lines) = args.into.begin("score", args.sharding)? {
        return into_parts(args, &scorers, lines, out);
    }
    let documents = match &args.tree {
        Some(folder) => vec![of_folder(folder, &scorers)?],
        None => {
            let runs = match args.sharding.is_asked() {
                true => args.sharding.runs(&args.runs)?,
                false => args.runs.clone(),
            };
            let all = || runs.iter().map(|path| of_run(path, args, &scorers));
            scorer.gathering(|| all().collect::<Result<Vec<_>, Failure>>())?
        }
    };
    if args.json {
        documents.iter().try_for_each(|document| out.json(&document.shown(scorer, args.detail)))?;
    } else if args.csv {
        tables::csv(&documents, scorer.ruler(), out)?;
    } else {
        for document in &documents {
            tables::print(document, scorer.ruler(), args, out)?;
        }
    }
    match &args.tree {
        Some(folder) => Ok(exit_of_folder(folder, &documents)),
        None => Ok(Exit::Fine),
    }
}

/// A line a run, whatever of them cannot be read.
fn into_parts(args: &Args, scorers: &Scorers, mut lines: Lines<'_>, out: &mut Out) -> Outcome {
    for run in args.sharding.runs(&args.runs)? {
        match of_run(&run, args, scorers) {
            Ok(document) => lines.add(&run, &document.shown(&scorers.0, args.detail))?,
            Err(why) => {
                tell(&why.sentence);
                lines.add_error(&run, &why.sentence)?;
            }
        }
    }
    lines.publish(out)?;
    Ok(Exit::Fine)
}

/// A folder in which no file could be measured has no score: a script must not take it for a good one.
fn exit_of_folder(folder: &Path, documents: &[Document]) -> Exit {
    let points = documents.iter().flat_map(|document| &document.points);
    let Some(why) = points.map(|(_, scored)| scored).find_map(Scored::unmeasured) else {
        return Exit::Fine;
    };
    tell(&format!("{}: nothing was measured: {why}", folder.display()));
    Exit::CannotUnderstand
}

/// What remembers contents from run to run.
type Scorers = (Scorer, Arc<ReuseReader>);

fn of_folder(folder: &Path, (scorer, reader): &Scorers) -> Result<Document, Failure> {
    let read = scorer.score_folder_with_reuse(folder, reader);
    let (scored, reuse) = read.map_err(Failure::unread)?;
    Ok(Document::of_folder(folder, scored, reuse))
}

fn of_run(path: &Path, args: &Args, (scorer, reader): &Scorers) -> Result<Document, Failure> {
    let opened = store::open(path)?.kept_in(scorer.cache());
    let (run, archive) = (&*opened.run, &*opened.archive);
    let told = if args.detail { NodeRows::Nodes } else { NodeRows::Sums };
    let tree = match run.rubric_tree.as_ref().map(|tree| rubric_tree::row(tree, told)) {
        Some(tree) if run.turns.is_empty() => return Ok(Document::of_tree(path, run, tree)),
        tree => tree,
    };
    let mut rubric = store::rubric::read(path);
    let chosen = faithful::choose(&mut rubric, args.judge.as_deref())?;
    let measured = Measured { each: args.each, with_detail: args.detail };
    let document = measured.document(path, &opened, (&rubric, chosen), (scorer, reader))?;
    tell_warnings(&rubric.warnings);
    let chosen = chosen.and_then(|chosen| rubric.judgements.get(chosen));
    let memory = store::memory_events::course(archive, run, run.end());
    Ok(Document {
        lifelines: lifelines::rows((run, archive), &rubric, chosen).map_err(Failure::unread)?,
        rubric_tree: tree,
        process: Some(process::ScoreRow::of(&store::report(archive, run))),
        memory: memory.as_ref().map(|(course, _)| memory::ScoreRow::of(course)),
        ..document
    })
}

/// Which moments are scored, and how much is told of each.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    pub each: Each,
    pub with_detail: bool,
}

impl Measured {
    /// The points of a run, with what was judged and exposed: what a row of the points' CSV is made of.
    ///
    /// # Errors
    ///
    /// Where the files cannot be read, and where the run has no such moments.
    pub fn document(
        self,
        path: &Path,
        opened: &Opened,
        (rubric, chosen): (&Rubric, Option<usize>),
        (scorer, reader): (&Scorer, &Arc<ReuseReader>),
    ) -> Result<Document, Failure> {
        let (run, archive) = (&*opened.run, &*opened.archive);
        let timeline = archive.timeline(run).map_err(Failure::unread)?;
        let moments = moments(run, &timeline, self.each)?;
        let at: Vec<files::Moment> = moments.iter().map(|moment| moment.at).collect();
        let ends = at.iter().filter(|at| at.step.is_none()).map(|at| at.turns);
        let done: Vec<usize> = ends.collect();
        let kept = |scored: Scored| match self.with_detail {
            true => scored,
            false => Scored { detail: Detail::default(), ..scored },
        };
        let scored = archive
            .score_each(run, &at, scorer, &says_how_far(&VERSIONS), &kept)
            .map_err(Failure::unread)?;
        let lines = archive.line_counts(run).map_err(Failure::unread)?;
        let reuse = archive
            .reuse_each(run, &done, reader, &says_how_far(&MOMENTS), &|reuse| Reused::of(&reuse));
        let reuse = reuse.map_err(Failure::unread)?;
        let last =
            archive.reuse(run, &[run.end()], reader).map_err(Failure::unread)?.pop().flatten();
        let from = timeline.from.words();
        let document = Document::of_run(path, (run, archive), from, moments, scored, &lines);
        let chosen = chosen.and_then(|chosen| rubric.judgements.get(chosen));
        Ok(Document {
            faithfulness: Some(FaithfulnessRow::of_run(run, rubric, chosen, last)),
            exposure: ExposureRow::of(run, rubric),
            ..document.with_reuse(&reuse)
        })
    }
}

/// A work that may take long, as its progress is said.
struct Slow {
    verb: &'static str,
    things: &'static str,
    /// So many are done before anybody would ask how far it is.
    soon_done: usize,
}

const VERSIONS: Slow = Slow { verb: "measured", things: "versions of files", soon_done: 1_000 };

/// DIR links all files of a moment with each other.
const MOMENTS: Slow = Slow { verb: "linked", things: "moments for DIR", soon_done: 100 };

/// Says on a terminal how far a work is, in a line that is taken away at the end.
fn says_how_far(slow: &Slow) -> impl Fn(usize, usize) -> bool + Sync + '_ {
    let is_seen = std::io::stderr().is_terminal();
    move |done, total| {
        if is_seen && total > slow.soon_done {
            let words = format!("{} {done} of {total} {}", slow.verb, slow.things);
            eprint!("\r\x1b[K{}", if done < total { words.as_str() } else { "" });
        }
        true
    }
}

fn moments(run: &Run, timeline: &Timeline, each: Each) -> Result<Vec<Moment>, Failure> {
    let moments: Vec<Moment> = match each {
        Each::Final => vec![Moment::after("final".into(), run.end())],
        Each::Checkpoint => {
            let moment = |checkpoint: &trajview_run::Checkpoint| {
                Moment::after(checkpoint.id.clone(), checkpoint.last_turn + 1)
            };
            run.checkpoints.iter().map(moment).collect()
        }
        Each::Turn => {
            run.counted_moments().map(|done| Moment::after(format!("turn {done}"), done)).collect()
        }
        Each::Step => timeline.moments_of_edits(run).into_iter().map(Moment::of_edit).collect(),
    };
    if moments.is_empty() {
        let noun = match each {
            Each::Checkpoint => "checkpoints",
            Each::Step => "edits",
            Each::Final | Each::Turn => "turns",
        };
        let why = format!("{}: this run records no {noun}", run.id);
        return Err(Failure::not_understood(why));
    }
    Ok(moments)
}
