//! `trajview compare`: two runs paired by component, checkpoint and phase; more of them as columns.

mod document;
mod tables;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::ValueEnum;

use trajview_metrics::numbers::facts::Reused;
use trajview_run::{
    files::{Moment as At, Tree},
    named,
    pooled::Pooling,
    rubric::Rubric,
};
use trajview_store as store;
use trajview_store::{Contents, Opened, ReuseReader, Scorer};
use trajview_study::compare::{self, FileRow, Moment, Party, Side, Subtraction, Trees};

use super::{
    Exit, Failure, Outcome, at,
    measuring::Measuring,
    output::{Forms, Out},
    resampling::Resampling,
};
use document::Document;

/// Compare runs, paired by component, checkpoint and phase
///
/// The first two runs, a and b, are paired; more runs are columns beside them. Differences are SLUMP's, single-shot
/// minus emergent in whatever order they are named, so that a positive one is a loss; runs whose conditions do not
/// tell are compared as a minus b.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Two runs or more: logs, run bundles, or folders that hold one of them
    #[arg(value_name = "RUN", required = true, num_args = 2.., value_parser = at::recording())]
    runs: Vec<PathBuf>,
    /// Whose verdicts speak: the judge's name, or a judgement's file; the beginning is enough where only one begins so;
    /// `pooled:mean`, `pooled:median` or `pooled:majority` pools those of each state, with `:JUDGE` the repeats of one.
    /// Without it a judge that all runs have, by judgements with a score for every component
    #[arg(long, visible_alias = "judgement", value_name = "NAME|FILE")]
    judge: Option<String>,
    /// The moments of each run that are measured, beside its end
    #[arg(long, value_enum, default_value_t = Each::Checkpoint)]
    each: Each,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    resampling: Resampling,
    /// Print JSON (schema trajview.compare/1)
    #[arg(long, conflicts_with_all = ["csv", "md", "tex", "save_tables"])]
    json: bool,
    /// Print one table of every pair of numbers as CSV
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    csv: bool,
    #[command(flatten)]
    forms: Forms,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Each {
    /// The end of each checkpoint
    Checkpoint,
    /// The end of each turn too
    Turn,
}

/// A run that was opened, and where from.
struct Named {
    path: PathBuf,
    opened: Opened,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    out.write_as(&args.forms)?;
    let (scorer, reader) = args.measuring.scorers()?;
    let open = |path: &PathBuf| open(path, &scorer);
    let named = args.runs.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let mut parties = parties(&named, args.each, (&scorer, &reader))?;
    if let Some(word) = args.judge.as_deref() {
        pool_each(parties.iter_mut().map(|party| &mut party.rubric), word)?;
    }
    let rubrics: Vec<&Rubric> = parties.iter().map(|party| &party.rubric).collect();
    let judge = judge_called(args.judge.as_deref(), &rubrics)?;
    compare::choose_judge(&mut parties, judge.as_ref());
    let files = files(&named)?;
    let document = Document { named: &named, parties: &parties, files: &files, args };
    if args.json {
        out.json(&document.shown(scorer.ruler()))?;
    } else if args.csv {
        tables::csv(&document, out)?;
    } else {
        tables::print(&document, scorer.ruler(), out)?;
    }
    Ok(Exit::Fine)
}

fn open(path: &Path, scorer: &Scorer) -> Result<Named, Failure> {
    Ok(Named { path: path.to_owned(), opened: store::open(path)?.kept_in(scorer.cache()) })
}

fn parties(
    named: &[Named],
    each: Each,
    (scorer, reader): (&Scorer, &ReuseReader),
) -> Result<Vec<Party>, Failure> {
    let party = |Named { path, opened }: &Named| {
        let mut party = Party::new(opened.run.clone(), store::rubric::read(path));
        party.process = Some(store::processed(&opened.archive, &opened.run));
        let counts = opened.archive.line_counts(&opened.run).unwrap_or_default();
        party.lines = store::cards::lines_of(&opened.run, &counts);
        let moments = moments(&party, each);
        let ends = At::after_each(&moments);
        // First: what is read to be measured is not read again for DIR.
        let scored = opened.archive.score(&opened.run, &ends, scorer, &|_, _| true);
        let scored = scored.map_err(Failure::unread)?.into_iter();
        let measured = scored.map(|it| it.measured().ok());
        party.measured = moments.iter().copied().zip(measured).collect();
        let reuse = opened.archive.reuse(&opened.run, &moments, reader).map_err(Failure::unread)?;
        let reuse = reuse.iter().map(|reuse| reuse.as_ref().map(Reused::of));
        party.reuse = moments.into_iter().zip(reuse).collect();
        Ok(party)
    };
    named.iter().map(party).collect()
}

/// In turns done; the end is always among them, and every state that was judged.
fn moments(party: &Party, each: Each) -> Vec<usize> {
    let ends = match each {
        Each::Checkpoint => compare::moments_of(&party.run),
        Each::Turn => compare::turns_of(&party.run),
    };
    let ends = ends.into_iter().map(|Moment { done, .. }| done);
    let judged = party.rubric.judgements.iter().map(|it| compare::done_at(&party.run, it));
    let moments: BTreeSet<usize> = ends.chain(judged).chain([party.run.end()]).collect();
    moments.into_iter().collect()
}

/// Pools the judgements of each run, where the word asks for that; an error where no run has any to pool.
pub fn pool_each<'r>(
    rubrics: impl Iterator<Item = &'r mut Rubric>,
    word: &str,
) -> Result<(), Failure> {
    let Some(pooling) = Pooling::of_word(word) else { return Ok(()) };
    let pooling = pooling.map_err(Failure::wrong)?;
    let pooled: Vec<Result<(), String>> = rubrics.map(|rubric| rubric.pool(&pooling)).collect();
    match pooled.iter().any(Result::is_ok) {
        true => Ok(()),
        false => pooled.into_iter().collect::<Result<(), _>>().map_err(Failure::wrong),
    }
}

/// What the word names in these runs; None without a word.
pub fn judge_called(
    word: Option<&str>,
    rubrics: &[&Rubric],
) -> Result<Option<named::Named>, Failure> {
    let judge = word.map(|word| named::Named::of(word, rubrics)).transpose();
    judge.map_err(|why| Failure::wrong(why.to_string()))
}

/// Of the first two runs, at their ends.
fn files(named: &[Named]) -> Result<Vec<FileRow>, Failure> {
    let [a, b, ..] = named else { return Ok(vec![]) };
    let (tree_a, tree_b) = (last_tree(a)?, last_tree(b)?);
    let (of_a, of_b) = (contents(a), contents(b));
    let a = Side { tree: &tree_a, contents: &of_a };
    let b = Side { tree: &tree_b, contents: &of_b };
    Ok(Trees::of(a, b).rows)
}

fn contents(Named { opened, .. }: &Named) -> Contents<'_> {
    Contents { run: &opened.run, archive: &opened.archive }
}

fn last_tree(Named { opened, .. }: &Named) -> Result<Tree, Failure> {
    let timeline = opened.archive.timeline(&opened.run).map_err(Failure::unread)?;
    Ok(timeline.tree_after(opened.run.end()))
}

/// Of the first two runs.
fn subtraction(parties: &[Party]) -> Subtraction {
    let condition = |at: usize| parties.get(at).and_then(|it| it.run.condition.as_deref());
    Subtraction::of((0, 1), (condition(0), condition(1)))
}
