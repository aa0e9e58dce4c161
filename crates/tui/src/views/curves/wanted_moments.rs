//! Chooses the moments to measure next.

use std::collections::BTreeSet;

use crate::session::{
    curve_points::{self, CurveAxis, RunPoint},
    scores::CodeScores,
};
use trajview_run::{Run, files::RunMoment};

/// Moments measured in one request: few, so that the curves grow visibly.
const MOMENTS_AT_ONCE: usize = 24;

/// Returns the next turns to measure, a few in one request and in this order: the turn at the playhead and the one
/// before, then the ends of checkpoints, then the other turns from the playhead outwards.
pub(crate) fn wanted_turns(run: &Run, turn: usize, scores: &CodeScores) -> Vec<usize> {
    let is_unknown = |done: &usize| scores.measured_at(RunMoment::after_turns(*done)).is_none();
    let all = run.turns.len();
    if all == 0 {
        return vec![];
    }
    let here = [turn + 1, turn].into_iter().filter(|done| (1..=all).contains(done));
    let ends = curve_points::points_of_run(run, CurveAxis::Checkpoints)
        .into_iter()
        .map(|point| point.done);
    let first: BTreeSet<usize> =
        here.chain(ends).filter(is_unknown).take(MOMENTS_AT_ONCE).collect();
    if !first.is_empty() {
        return first.into_iter().collect();
    }
    let mut others: Vec<usize> = (1..=all).filter(is_unknown).collect();
    others.sort_by_key(|done| done.abs_diff(turn + 1));
    others.truncate(MOMENTS_AT_ONCE);
    others.sort_unstable();
    others
}

/// Returns the next steps to measure, for points at steps: the selected one at index `here` and its neighbours first.
pub(crate) fn wanted_steps(
    points: &[RunPoint],
    here: usize,
    scores: &CodeScores,
) -> Vec<RunMoment> {
    let unknown = |(_, point): &(usize, &RunPoint)| scores.measured_at(point.moment()).is_none();
    let mut wanted: Vec<(usize, &RunPoint)> = points.iter().enumerate().filter(unknown).collect();
    wanted.sort_by_key(|(at, _)| at.abs_diff(here));
    wanted.truncate(MOMENTS_AT_ONCE);
    wanted.into_iter().map(|(_, point)| point.moment()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{
        code_measures::{MeasuredMoment, MeasuredMoments, RulerName},
        request::RequestIds,
    };
    use trajview_metrics::quality::UnmeasuredReason;
    use trajview_run::{Checkpoint, Turn};

    #[test]
    fn what_is_looked_at_is_measured_first_then_checkpoints_then_what_is_near() {
        let checkpoint = |last_turn| Checkpoint { last_turn, ..Checkpoint::default() };
        let run = Run {
            turns: vec![Turn::default(); 60],
            checkpoints: [9, 59].map(checkpoint).to_vec(),
            ..Run::default()
        };
        let mut scores = CodeScores::default();
        let ruler = RulerName {
            name: "scb-paper".into(),
            is_comparable: true,
            rules: 0,
            source: "built in".into(),
        };
        let mut numbers = RequestIds::default();
        let mut know = |scores: &mut CodeScores, wanted: &[usize]| {
            let nothing =
                MeasuredMoment { snapshot: Err(UnmeasuredReason::NoFiles), not_recorded: 0 };
            let request_effect = scores.ask_scores(
                &mut numbers,
                &Default::default(),
                RunMoment::after_each_count(wanted),
            );
            let moments = wanted
                .iter()
                .map(|done| (RunMoment::after_turns(*done), nothing.clone()))
                .collect();
            let request = request_effect.and_then(|effect| effect.request_id()).unwrap();
            scores.take_answer(request, Ok(MeasuredMoments { ruler: ruler.clone(), moments }));
        };

        let first = wanted_turns(&run, 30, &scores);
        know(&mut scores, &first);
        let second = wanted_turns(&run, 30, &scores);
        know(&mut scores, &second);

        assert_eq!(first, [10, 30, 31, 60]);
        assert_eq!((second.len(), second[0], second[23]), (MOMENTS_AT_ONCE, 18, 43));
        assert_eq!(wanted_turns(&Run::default(), 0, &scores), [0; 0]);
    }
}
