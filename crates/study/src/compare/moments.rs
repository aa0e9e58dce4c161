//! Moments of two runs that stand against each other: the end of a phase, of a checkpoint, of a turn.

use trajview_metrics::phase::{self, Phase};
use trajview_run::{Checkpoint, Run, values::worded};

/// One moment of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Turns done.
    pub done: usize,
    /// 0–1: turns done of all turns.
    pub fraction: f64,
    /// Index of the checkpoint that ends here.
    pub checkpoint: Option<usize>,
    /// None where the run has checkpoints and none ends here.
    pub phase: Option<Phase>,
    /// SlopCodeBench's: 0.2 to 1.
    pub bin: Option<f64>,
}

/// One phase in both runs; a side without a checkpoint in that phase has none.
#[derive(Debug, Clone, PartialEq)]
pub struct PhasePair {
    pub phase: Phase,
    pub a: Option<Moment>,
    pub b: Option<Moment>,
}

/// One checkpoint in both runs, or one that only one of them has.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckpointPair {
    pub a: Option<Moment>,
    pub b: Option<Moment>,
    /// None where one side is missing.
    pub by: Option<PairedBy>,
}

worded! {
    /// Why two checkpoints are a pair.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PairedBy {
        Label = "label",
        Id = "id",
        /// No names match: the first with the first, and so on.
        Order = "order",
        /// One of the runs has one checkpoint only: it ends where the other's last one does.
        End = "end",
    }
}

/// The ends of the checkpoints, in order. A run without checkpoints has one moment, its end.
pub fn moments_of(run: &Run) -> Vec<Moment> {
    let count = run.checkpoints.len();
    if count == 0 {
        let end = moment(run, run.end(), None);
        let end = Moment { phase: Some(Phase::Final), bin: Some(1.0), ..end };
        return if run.end() == 0 { vec![] } else { vec![end] };
    }
    let of = |(index, checkpoint): (usize, &Checkpoint)| {
        moment(run, (checkpoint.last_turn + 1).min(run.turns.len()), Some((index, count)))
    };
    run.checkpoints.iter().enumerate().map(of).collect()
}

/// The end of every turn, in order.
pub fn turns_of(run: &Run) -> Vec<Moment> {
    let count = run.checkpoints.len();
    let ends = |done: usize| run.checkpoints.iter().rposition(|it| it.last_turn + 1 == done);
    run.counted_moments()
        .map(|done| moment(run, done, ends(done).map(|index| (index, count))))
        .collect()
}

fn moment(run: &Run, done: usize, checkpoint: Option<(usize, usize)>) -> Moment {
    Moment {
        done,
        fraction: done as f64 / run.end().max(1) as f64,
        checkpoint: checkpoint.map(|(index, _)| index),
        phase: checkpoint.and_then(|(index, count)| Phase::of(index, count)),
        bin: checkpoint.and_then(|(index, count)| phase::bin(index, count)),
    }
}

/// Every phase that either run has; a phase of several checkpoints stands where its last one ends.
pub fn by_phase(a: &Run, b: &Run) -> Vec<PhasePair> {
    let (a, b) = (moments_of(a), moments_of(b));
    let last = |moments: &[Moment], phase| {
        moments.iter().rfind(|moment| moment.phase == Some(phase)).cloned()
    };
    Phase::ALL
        .into_iter()
        .map(|phase| PhasePair { phase, a: last(&a, phase), b: last(&b, phase) })
        .filter(|pair| pair.a.is_some() || pair.b.is_some())
        .collect()
}

/// Checkpoints with the same label, then those with the same id whose labels do not differ. Where no name matches: the
/// only one of a run with the last of the other's, else in order. What is left over stands alone, in its place.
pub fn by_checkpoint(a: &Run, b: &Run) -> Vec<CheckpointPair> {
    let (ends_a, ends_b) = (moments_of(a), moments_of(b));
    let mut pairs = by_name(a, b);
    if pairs.is_empty() && !ends_a.is_empty() && !ends_b.is_empty() {
        pairs = match (ends_a.len(), ends_b.len()) {
            (1, 1) => vec![(0, 0, PairedBy::Order)],
            (1, many) => vec![(0, many - 1, PairedBy::End)],
            (many, 1) => vec![(many - 1, 0, PairedBy::End)],
            (one, other) => (0..one.min(other)).map(|at| (at, at, PairedBy::Order)).collect(),
        };
    }
    woven(&ends_a, &ends_b, &pairs)
}

/// Positions in both runs and why; in the order of the first, and never across each other.
fn by_name(a: &Run, b: &Run) -> Vec<(usize, usize, PairedBy)> {
    let mut pairs: Vec<(usize, usize, PairedBy)> = vec![];
    for (at, checkpoint) in a.checkpoints.iter().enumerate() {
        let after = pairs.last().map_or(0, |(_, other, _)| other + 1);
        let others = b.checkpoints.iter().enumerate().skip(after);
        let found = others.filter_map(|(other, it)| Some((other, alike(checkpoint, it)?)));
        if let Some((other, by)) =
            found.max_by_key(|(other, by)| (*by == PairedBy::Label, std::cmp::Reverse(*other)))
        {
            pairs.push((at, other, by));
        }
    }
    pairs
}

fn alike(a: &Checkpoint, b: &Checkpoint) -> Option<PairedBy> {
    let label = |it: &Checkpoint| it.label.clone().filter(|label| !label.is_empty());
    match (label(a), label(b)) {
        (Some(one), Some(other)) => (one == other).then_some(PairedBy::Label),
        _ => (a.id == b.id && !a.id.is_empty()).then_some(PairedBy::Id),
    }
}

/// The pairs with what stands between them alone.
fn woven(a: &[Moment], b: &[Moment], pairs: &[(usize, usize, PairedBy)]) -> Vec<CheckpointPair> {
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
