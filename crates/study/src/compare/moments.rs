//! Corresponding moments of two runs: the end of a phase, of a checkpoint, of a turn.

use trajview_metrics::phase::{self, TaskPhase};
use trajview_run::{Checkpoint, Run, worded_enum::worded};

/// A moment of a run within a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedMoment {
    /// Turns done.
    pub done: usize,
    /// 0–1: turns done of all turns.
    pub fraction: f64,
    /// Index of the checkpoint that ends here.
    pub checkpoint: Option<usize>,
    /// The phase that ends here; None where the run has checkpoints and none ends here.
    pub phase: Option<TaskPhase>,
    /// SlopCodeBench's: 0.2 to 1.
    pub bin: Option<f64>,
}

/// A phase in both runs; a side without a checkpoint in that phase is None.
#[derive(Debug, Clone, PartialEq)]
pub struct PhasePair {
    pub phase: TaskPhase,
    pub a: Option<ComparedMoment>,
    pub b: Option<ComparedMoment>,
}

/// A checkpoint in both runs, or one that only one of them has.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckpointPair {
    pub a: Option<ComparedMoment>,
    pub b: Option<ComparedMoment>,
    /// The reason for the pair; None where one side is missing.
    pub by: Option<PairedBy>,
}

worded! {
    /// The reason why two checkpoints are a pair.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PairedBy {
        Label = "label",
        Id = "id",
        /// No names match: the first with the first, and so on.
        Order = "order",
        /// One of the runs has a single checkpoint: it is paired with the other's last one.
        End = "end",
    }
}

/// Returns the ends of the checkpoints, in order. A run without checkpoints has one moment, its end.
pub fn checkpoint_moments(run: &Run) -> Vec<ComparedMoment> {
    let count = run.checkpoints.len();
    if count == 0 {
        let end = moment_after(run, run.end_in_turns(), None);
        let end = ComparedMoment { phase: Some(TaskPhase::Final), bin: Some(1.0), ..end };
        return if run.end_in_turns() == 0 { vec![] } else { vec![end] };
    }
    let moment = |(index, checkpoint): (usize, &Checkpoint)| {
        moment_after(run, (checkpoint.last_turn + 1).min(run.turns.len()), Some((index, count)))
    };
    run.checkpoints.iter().enumerate().map(moment).collect()
}

/// Returns the end of every turn that counts, in order.
pub fn turn_moments(run: &Run) -> Vec<ComparedMoment> {
    let count = run.checkpoints.len();
    let ends = |done: usize| run.checkpoints.iter().rposition(|it| it.last_turn + 1 == done);
    run.counted_moments()
        .map(|done| moment_after(run, done, ends(done).map(|index| (index, count))))
        .collect()
}

fn moment_after(run: &Run, done: usize, checkpoint: Option<(usize, usize)>) -> ComparedMoment {
    ComparedMoment {
        done,
        fraction: done as f64 / run.end_in_turns().max(1) as f64,
        checkpoint: checkpoint.map(|(index, _)| index),
        phase: checkpoint.and_then(|(index, count)| TaskPhase::for_checkpoint(index, count)),
        bin: checkpoint.and_then(|(index, count)| phase::progress_bin(index, count)),
    }
}

/// Pairs every phase that either run has; the last checkpoint of a phase represents it.
pub fn pair_by_phase(a: &Run, b: &Run) -> Vec<PhasePair> {
    let (a, b) = (checkpoint_moments(a), checkpoint_moments(b));
    let last = |moments: &[ComparedMoment], phase| {
        moments.iter().rfind(|moment| moment.phase == Some(phase)).cloned()
    };
    TaskPhase::ALL
        .into_iter()
        .map(|phase| PhasePair { phase, a: last(&a, phase), b: last(&b, phase) })
        .filter(|pair| pair.a.is_some() || pair.b.is_some())
        .collect()
}

/// Pairs checkpoints with the same label, then those with the same id whose labels do not differ. Where no name
/// matches, a run's only checkpoint is paired with the other's last one, else they are paired in order. Unpaired
/// checkpoints keep their place.
pub fn pair_by_checkpoint(a: &Run, b: &Run) -> Vec<CheckpointPair> {
    let (ends_a, ends_b) = (checkpoint_moments(a), checkpoint_moments(b));
    let mut pairs = pair_by_name(a, b);
    if pairs.is_empty() && !ends_a.is_empty() && !ends_b.is_empty() {
        pairs = match (ends_a.len(), ends_b.len()) {
            (1, 1) => vec![(0, 0, PairedBy::Order)],
            (1, many) => vec![(0, many - 1, PairedBy::End)],
            (many, 1) => vec![(many - 1, 0, PairedBy::End)],
            (one, other) => (0..one.min(other)).map(|at| (at, at, PairedBy::Order)).collect(),
        };
    }
    interleave_unpaired(&ends_a, &ends_b, &pairs)
}

/// Returns positions in both runs and why they are paired; in the order of the first, and never across each other.
fn pair_by_name(a: &Run, b: &Run) -> Vec<(usize, usize, PairedBy)> {
    let mut pairs: Vec<(usize, usize, PairedBy)> = vec![];
    for (at, checkpoint) in a.checkpoints.iter().enumerate() {
        let after = pairs.last().map_or(0, |(_, other, _)| other + 1);
        let others = b.checkpoints.iter().enumerate().skip(after);
        let found = others.filter_map(|(other, it)| Some((other, matching_name(checkpoint, it)?)));
        if let Some((other, by)) =
            found.max_by_key(|(other, by)| (*by == PairedBy::Label, std::cmp::Reverse(*other)))
        {
            pairs.push((at, other, by));
        }
    }
    pairs
}

fn matching_name(a: &Checkpoint, b: &Checkpoint) -> Option<PairedBy> {
    let label = |it: &Checkpoint| it.label.clone().filter(|label| !label.is_empty());
    match (label(a), label(b)) {
        (Some(one), Some(other)) => (one == other).then_some(PairedBy::Label),
        _ => (a.id == b.id && !a.id.is_empty()).then_some(PairedBy::Id),
    }
}

/// Returns the pairs together with the unpaired moments between them, in order.
fn interleave_unpaired(
    a: &[ComparedMoment],
    b: &[ComparedMoment],
    pairs: &[(usize, usize, PairedBy)],
) -> Vec<CheckpointPair> {
    let mut woven = vec![];
    let (mut next_a, mut next_b) = (0, 0);
    let ends = pairs.iter().map(|(a, b, by)| (*a, *b, Some(*by)));
    for (at, other, by) in ends.chain([(a.len(), b.len(), None)]) {
        let alone = |a, b| CheckpointPair { a, b, by: None };
        woven.extend(
            a.get(next_a..at).unwrap_or_default().iter().map(|it| alone(Some(it.clone()), None)),
        );
        woven.extend(
            b.get(next_b..other).unwrap_or_default().iter().map(|it| alone(None, Some(it.clone()))),
        );
        if by.is_some() {
            woven.push(CheckpointPair { a: a.get(at).cloned(), b: b.get(other).cloned(), by });
        }
        (next_a, next_b) = (at + 1, other + 1);
    }
    woven
}
