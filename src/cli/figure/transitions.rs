//! `trajview figure transitions`: the levels of the same components in two runs, or at two moments of one, as a heat map.

use std::collections::BTreeMap;

use trajview_figures::{Axis, Figure, HeatCell, Mark, Panel};
use trajview_run::{
    Run,
    format_number::count_with_noun,
    rubric::{Judgement, Rubric},
};
use trajview_store::{self as store, OpenedRecording};
use trajview_study::{
    compare::turns_done_at_judgement,
    pairing::{ConditionPair, PairingKey, RunIdentity, pair_runs, pairing_keys},
};

use crate::cli::{CommandFailure, CommandResult, corpus, output::Out, run_args};

use super::{
    figure_file::FigureFileArgs,
    figure_runs::{FigureGrouping, FigureRunArgs, group_runs, joined_sentences},
};

/// From which level to which: components of paired runs, or of one run at two judged moments
#[derive(Debug, clap::Args)]
pub struct TransitionsArgs {
    #[command(flatten)]
    runs: FigureRunArgs,
    /// The two conditions: runs of one task and agent are paired. Two runs are compared whatever their conditions
    #[arg(long, value_name = "A,B", default_value = "single-shot,emergent", value_parser = corpus::parse_conditions)]
    pair: ConditionPair,
    /// Of one run: the judged moments to compare. A turn (counts from 1), a checkpoint's id, `start` or `final`
    #[arg(long, value_names = ["MOMENT", "MOMENT"], num_args = 2)]
    between: Vec<String>,
    /// The judge's name. Default: for each run the judge whose scores count
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    #[command(flatten)]
    file: FigureFileArgs,
}

/// The levels of the scale, 0 to 4.
const LEVELS: usize = 5;

type Levels = BTreeMap<String, usize>;

/// A judged run.
struct JudgedRun {
    name: String,
    identity: RunIdentity,
    judge: String,
    levels: Levels,
}

/// Counts of components by their two levels.
#[derive(Default)]
struct TransitionCounts {
    /// Rows by the first level, columns by the second.
    counts: [[usize; LEVELS]; LEVELS],
    total: usize,
}

impl TransitionCounts {
    fn add_levels(&mut self, first: &Levels, second: &Levels) {
        for (component, from) in first {
            let Some(to) = second.get(component) else { continue };
            if let Some(count) = self.counts.get_mut(*from).and_then(|row| row.get_mut(*to)) {
                *count += 1;
                self.total += 1;
            }
        }
    }

    fn count_text(&self, is_counted: impl Fn(usize, usize) -> bool) -> String {
        let cells = (0..LEVELS).flat_map(|from| (0..LEVELS).map(move |to| (from, to)));
        let counted = cells.filter(|(from, to)| is_counted(*from, *to));
        counted.map(|(from, to)| self.counts[from][to]).sum::<usize>().to_string()
    }
}

pub fn run(args: &TransitionsArgs, out: &mut Out) -> CommandResult {
    let paths = args.runs.run_paths()?;
    let figure = match (args.between.as_slice(), paths.as_slice()) {
        ([from, to], [path]) => {
            let opened = store::open(path)?;
            moments_figure(args, &opened, &store::rubric::read_beside(path), [from, to])?
        }
        ([_, _], _) => {
            return Err(CommandFailure::wrong_arguments("--between needs exactly one run"));
        }
        _ => {
            let compute = |opened: &OpenedRecording, path: &std::path::Path| {
                judged_run(opened, path, args.judge.as_deref())
            };
            let runs = group_runs(&paths, FigureGrouping::Run, None, compute)?;
            let left_out = runs.left_out_sentence();
            let judged = runs.groups.into_iter().flat_map(|group| group.runs).collect::<Vec<_>>();
            pairs_figure(args, &judged, left_out)?
        }
    };
    args.file.write_figure(&figure, out)
}

fn judgement_levels(judgement: &Judgement) -> Levels {
    let level = |verdict: &trajview_run::rubric::Verdict| {
        Some((verdict.component.clone(), usize::from(verdict.counted_level()?)))
    };
    judgement.verdicts.iter().filter_map(level).collect()
}

/// Returns the judgement whose scores count, or the last one of the named judge.
fn chosen_judgement<'a>(rubric: &'a Rubric, judge: Option<&str>) -> Option<&'a Judgement> {
    match judge {
        None => rubric.result_judgement(),
        Some(name) => rubric.judgements.iter().rfind(|it| it.judge.name == name),
    }
}

fn judged_run(
    opened: &OpenedRecording,
    path: &std::path::Path,
    judge: Option<&str>,
) -> Result<JudgedRun, String> {
    let rubric = store::rubric::read_beside(path);
    let judgement =
        chosen_judgement(&rubric, judge).ok_or("no judgement of the whole checklist")?;
    Ok(JudgedRun {
        name: path.display().to_string(),
        identity: RunIdentity::for_run(&opened.run),
        judge: judgement.judge.name.clone(),
        levels: judgement_levels(judgement),
    })
}

fn pairs_figure(
    args: &TransitionsArgs,
    runs: &[JudgedRun],
    left_out: Option<String>,
) -> Result<Figure, CommandFailure> {
    let identities: Vec<RunIdentity> = runs.iter().map(|run| run.identity.clone()).collect();
    let keys: Vec<PairingKey> = pairing_keys(&identities);
    let pairing = pair_runs(&keys, &args.pair);
    let mut pairs: Vec<(usize, usize)> = vec![];
    let mut has_repeats = false;
    for pair in &pairing.pairs {
        has_repeats |= pair.a.len() > 1 || pair.b.len() > 1;
        pairs.extend(pair.a.iter().copied().zip(pair.b.iter().copied()));
    }
    let mut sides = [args.pair.a.clone(), args.pair.b.clone()];
    if let (true, [first, second]) = (pairs.is_empty(), runs) {
        pairs.push((0, 1));
        sides = [first.name.clone(), second.name.clone()];
    }
    if pairs.is_empty() {
        let [a, b] = &sides;
        return Err(CommandFailure::cannot_understand(format!(
            "no judged runs of one task and agent under both conditions, {a} and {b}; choose others with --pair"
        )));
    }
    let mut transitions = TransitionCounts::default();
    pairs.iter().for_each(|(a, b)| transitions.add_levels(&runs[*a].levels, &runs[*b].levels));
    let paired = pairs.iter().flat_map(|(a, b)| [&runs[*a].judge, &runs[*b].judge]);
    let mut judges: Vec<&str> = paired.map(String::as_str).collect();
    judges.sort_unstable();
    judges.dedup();
    let repeats =
        if has_repeats { "Repeats of a task are paired in the order of their paths." } else { "" };
    let more = [
        format!(
            "{} of runs, scores by {}.",
            count_with_noun(pairs.len(), "pair"),
            judges.join(", ")
        ),
        repeats.to_owned(),
        left_out.unwrap_or_default(),
    ];
    Ok(transitions_figure(&transitions, &sides.map(|side| format!("level, {side}")), args, more))
}

/// Compares the last judgements of one judge on the states at two moments.
fn moments_figure(
    args: &TransitionsArgs,
    opened: &OpenedRecording,
    rubric: &Rubric,
    moments: [&String; 2],
) -> Result<Figure, CommandFailure> {
    let run = &*opened.run;
    let judge = match (&args.judge, rubric.result_judgement()) {
        (Some(name), _) => name.clone(),
        (None, Some(judgement)) => judgement.judge.name.clone(),
        (None, None) => {
            return Err(CommandFailure::cannot_understand("no judgement of the whole checklist"));
        }
    };
    let levels = |word: &str| levels_at(run, rubric, &judge, word);
    let [first, second] = moments;
    let mut transitions = TransitionCounts::default();
    transitions.add_levels(&levels(first)?, &levels(second)?);
    let labels = [first, second].map(|word| format!("level after {word}"));
    let more = [format!("One run, scores by {judge}."), String::new(), String::new()];
    Ok(transitions_figure(&transitions, &labels, args, more))
}

fn levels_at(
    run: &Run,
    rubric: &Rubric,
    judge: &str,
    word: &str,
) -> Result<Levels, CommandFailure> {
    let done = run_args::turns_done(run, word)?;
    let by_judge = || rubric.judgements.iter().filter(|it| it.judge.name == judge);
    let found = by_judge().rfind(|it| turns_done_at_judgement(run, it) == done);
    let Some(judgement) = found else {
        let mut judged: Vec<usize> =
            by_judge().map(|it| turns_done_at_judgement(run, it)).collect();
        judged.sort_unstable();
        judged.dedup();
        let judged: Vec<String> = judged.iter().map(ToString::to_string).collect();
        let turns = judged.join(", ");
        return Err(CommandFailure::cannot_understand(format!(
            "{judge} did not judge the state after {word}; it judged the states after these turns: {turns}"
        )));
    };
    Ok(judgement_levels(judgement))
}

fn transitions_figure(
    transitions: &TransitionCounts,
    [first, second]: &[String; 2],
    args: &TransitionsArgs,
    more: [String; 3],
) -> Figure {
    let most = transitions.counts.iter().flatten().copied().max().unwrap_or(0).max(1);
    let names: Vec<String> = (0..LEVELS).map(|level| level.to_string()).collect();
    let cell = |from: usize, to: usize| {
        let count = transitions.counts[from][to];
        Mark::Cell(HeatCell {
            x: to as f64,
            y: from as f64,
            shade: count as f64 / most as f64,
            text: count.to_string(),
        })
    };
    let cells = (0..LEVELS).flat_map(|from| (0..LEVELS).map(move |to| (from, to)));
    let (lower, same, higher) = (
        transitions.count_text(|from, to| to < from),
        transitions.count_text(|from, to| to == from),
        transitions.count_text(|from, to| to > from),
    );
    let count = format!(
        "Components by both of their levels, n={}: {lower} lower in the second (horizontal), {same} equal, {higher} higher.",
        transitions.total
    );
    Figure {
        title: "Transitions between levels".into(),
        caption: joined_sentences(std::iter::once(count).chain(more)),
        columns: args.file.page_columns(),
        panels: vec![Panel {
            title: format!("n={}", transitions.total),
            x: Axis::with_names(second.as_str(), names.clone()),
            y: Axis::with_names(first.as_str(), names),
            marks: cells.map(|(from, to)| cell(from, to)).collect(),
        }],
        legend: vec![],
    }
}
