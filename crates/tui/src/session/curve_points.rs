//! Where the points of the curves lie: at the end of every turn that counts, at the end of every checkpoint, or after every
//! step that edited files.

use std::ops::Range;

use trajview_metrics::phase::TaskPhase;
use trajview_run::{
    Run, Step, StepId, StepKind,
    files::{RunMoment, Timeline},
};

/// The axis of the curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CurveAxis {
    #[default]
    Turns,
    Checkpoints,
    /// The steps within turns; see [`points_by_step`].
    Steps,
}

/// One moment of the run, and the turns that lead to it from the moment before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPoint {
    /// Count from 0. Empty where the points are steps.
    pub turns: Range<usize>,
    /// Turns done.
    pub done: usize,
    /// Index of the checkpoint that ends here.
    pub checkpoint: Option<usize>,
    /// The step after which it lies, with its number in its turn; None at the end of a turn.
    pub step: Option<(StepId, usize)>,
}

impl RunPoint {
    pub fn moment(&self) -> RunMoment {
        RunMoment { turns: self.done, step: self.step.map(|(step, _)| step) }
    }

    /// Returns the turn that the point ends or lies in, counted from 0.
    pub fn turn(&self) -> usize {
        self.step.map_or(self.done.saturating_sub(1), |(step, _)| step.turn)
    }

    /// Returns the number of turns done, where the point is the end of one; None for a step.
    pub(crate) fn ended_turns(&self) -> Option<usize> {
        self.step.is_none().then_some(self.done)
    }

    /// Returns the key by which points and playheads are ordered: the turn, and the number of the step or the maximum
    /// after all of them.
    pub fn sort_key(&self) -> (usize, usize) {
        (self.turn(), self.step.map_or(usize::MAX, |(_, number)| number))
    }

    /// Returns `turn 23` or `step 1.7`.
    pub fn display_text(&self) -> String {
        match self.step {
            Some((step, number)) => format!("step {}.{number}", step.turn + 1),
            None => format!("turn {}", self.done),
        }
    }
}

impl CurveAxis {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Turns => "turn",
            Self::Checkpoints => "checkpoint",
            Self::Steps => "step",
        }
    }
}

/// Returns the points in order. Checkpoints that end at the same turn give one point; [`points_by_step`] gives the
/// points of steps.
pub(crate) fn points_of_run(run: &Run, axis: CurveAxis) -> Vec<RunPoint> {
    let last_of = |done: usize| {
        let last = run.checkpoints.partition_point(|it| it.last_turn < done).checked_sub(1)?;
        (run.checkpoints[last].last_turn + 1 == done).then_some(last)
    };
    match axis {
        CurveAxis::Turns => run
            .counted_moments()
            .map(|done| RunPoint {
                turns: done - 1..done,
                done,
                checkpoint: last_of(done),
                step: None,
            })
            .collect(),
        CurveAxis::Checkpoints => {
            let mut points: Vec<RunPoint> = vec![];
            for checkpoint in &run.checkpoints {
                let done = (checkpoint.last_turn + 1).min(run.turns.len());
                let start = points.last().map_or(0, |point| point.done);
                if done > start {
                    let (turns, checkpoint) = (start..done, last_of(done));
                    points.push(RunPoint { turns, done, checkpoint, step: None });
                }
            }
            points
        }
        CurveAxis::Steps => vec![],
    }
}

/// Returns a point after every step with recorded edits, and at the ends of turns that were changed otherwise.
pub(crate) fn points_by_step(run: &Run, timeline: &Timeline) -> Vec<RunPoint> {
    let moments = timeline.moments_of_edits(run).into_iter();
    moments
        .map(|(RunMoment { turns: done, step }, number)| RunPoint {
            turns: done..done,
            done,
            checkpoint: None,
            step: step.zip(number),
        })
        .collect()
}

/// Returns whether the main agent's context was summarised and cut in the turns of a point; for a step, since the
/// point before.
pub(crate) fn has_compaction(run: &Run, points: &[RunPoint], at: usize) -> bool {
    let is_cut = |step: &Step| step.kind == StepKind::Compaction;
    let Some(point) = points.get(at) else { return false };
    let Some((step, _)) = point.step else {
        let turns = run.turns.get(point.turns.clone()).unwrap_or_default();
        return turns.iter().any(|turn| turn.steps.iter().any(is_cut));
    };
    let before = at.checked_sub(1).and_then(|at| points[at].step).map(|(step, _)| step);
    let first = before.filter(|it| it.turn == step.turn && it.subagent.is_none());
    let first = first.map_or(0, |it| it.step + 1);
    let steps = run.turns.get(step.turn).filter(|_| step.subagent.is_none());
    steps.and_then(|turn| turn.steps.get(first..=step.step)).is_some_and(|it| it.iter().any(is_cut))
}

/// A stretch of points with a name under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointStretch {
    /// Indices of points.
    pub points: Range<usize>,
    pub name: String,
}

/// Returns the checkpoints as stretches of points.
pub(crate) fn checkpoint_stretches(run: &Run, points: &[RunPoint]) -> Vec<PointStretch> {
    let name = |index: usize| run.checkpoints.get(index).map(|it| it.id.clone());
    named_stretches(run, points, |index| name(index).unwrap_or_default())
}

/// Returns the phases of SlopCodeBench as stretches of points; none for a run without checkpoints.
pub(crate) fn phase_stretches(run: &Run, points: &[RunPoint]) -> Vec<PointStretch> {
    let count = run.checkpoints.len();
    let word = |index| TaskPhase::for_checkpoint(index, count).map_or("", TaskPhase::word);
    named_stretches(run, points, |index| word(index).to_owned())
}

/// Returns stretches of points by the name of their checkpoint: neighbours of one name are one; points after the last
/// checkpoint have none.
fn named_stretches(
    run: &Run,
    points: &[RunPoint],
    name: impl Fn(usize) -> String,
) -> Vec<PointStretch> {
    let mut stretches: Vec<PointStretch> = vec![];
    for (at, point) in points.iter().enumerate() {
        let index = run.checkpoints.partition_point(|it| it.last_turn < point.turn());
        if index >= run.checkpoints.len() {
            break;
        }
        let name = name(index);
        match stretches.last_mut() {
            Some(last) if last.name == name => last.points.end = at + 1,
            _ => stretches.push(PointStretch { points: at..at + 1, name }),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{Checkpoint, Turn};

    fn run_with_checkpoints() -> Run {
        let checkpoint = |(id, last_turn): (&str, usize)| Checkpoint {
            id: id.into(),
            last_turn,
            ..Checkpoint::default()
        };
        Run {
            turns: vec![Turn::default(); 6],
            checkpoints: [("c1", 1), ("c2", 2), ("c3", 4)].map(checkpoint).to_vec(),
            ..Run::default()
        }
    }

    #[test]
    fn a_checkpoint_is_reached_by_the_turns_since_the_one_before() {
        let points = points_of_run(&run_with_checkpoints(), CurveAxis::Checkpoints);
        let turns: Vec<_> = points.iter().map(|point| point.turns.clone()).collect();
        assert_eq!(turns, [0..2, 2..3, 3..5]);
        assert_eq!(points_of_run(&run_with_checkpoints(), CurveAxis::Turns)[2].checkpoint, Some(1));
    }

    #[test]
    fn stretches_end_with_the_last_checkpoint() {
        let run = run_with_checkpoints();
        let points = points_of_run(&run, CurveAxis::Turns);
        let named = |stretches: Vec<PointStretch>| -> Vec<_> {
            stretches.into_iter().map(|it| (it.name, it.points)).collect()
        };
        let expected = [("c1", 0..2), ("c2", 2..3), ("c3", 3..5)];
        assert_eq!(
            named(checkpoint_stretches(&run, &points)),
            expected.map(|(name, it)| (name.into(), it))
        );
        let expected = [("start", 0..2), ("early", 2..3), ("final", 3..5)];
        assert_eq!(
            named(phase_stretches(&run, &points)),
            expected.map(|(name, it)| (name.into(), it))
        );
    }
}
