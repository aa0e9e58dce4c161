//! Which moments are to be measured next.

use std::collections::BTreeSet;

use crate::session::{
    points::{self, Axis, Point},
    scores::Scores,
};
use trajview_run::{Run, files::Moment};

/// Moments measured at once: few enough that the curves are seen to grow.
const AT_ONCE: usize = 24;

/// The moments to measure next, a few at once and in order: where the playhead is and the point before, then the ends
/// of checkpoints, then the other turns from the playhead outwards.
pub fn moments(run: &Run, turn: usize, scores: &Scores) -> Vec<usize> {
    let is_unknown = |done: &usize| scores.at(Moment::after(*done)).is_none();
    let all = run.turns.len();
    if all == 0 {
        return vec![];
    }
    let here = [turn + 1, turn].into_iter().filter(|done| (1..=all).contains(done));
    let ends = points::of(run, Axis::Checkpoints).into_iter().map(|point| point.done);
    let first: BTreeSet<usize> = here.chain(ends).filter(is_unknown).take(AT_ONCE).collect();
    if !first.is_empty() {
        return first.into_iter().collect();
    }
    let mut others: Vec<usize> = (1..=all).filter(is_unknown).collect();
    others.sort_by_key(|done| done.abs_diff(turn + 1));
    others.truncate(AT_ONCE);
    others.sort_unstable();
    others
}

/// The same of points at steps, of which the one at this place is looked at: that and those around it first.
pub fn steps(points: &[Point], here: usize, scores: &Scores) -> Vec<Moment> {
    let unknown = |(_, point): &(usize, &Point)| scores.at(point.moment()).is_none();
    let mut wanted: Vec<(usize, &Point)> = points.iter().enumerate().filter(unknown).collect();
    wanted.sort_by_key(|(at, _)| at.abs_diff(here));
    wanted.truncate(AT_ONCE);
    wanted.into_iter().map(|(_, point)| point.moment()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{
        measured::{Answer, Measured, RulerName},
        request::Numbers,
    };
    use trajview_metrics::quality::Unmeasured;
    use trajview_run::{Checkpoint, Turn};

    #[test]
    fn what_is_looked_at_is_measured_first_then_checkpoints_then_what_is_near() {
        let checkpoint = |last_turn| Checkpoint { last_turn, ..Checkpoint::default() };
        let run = Run {
            turns: vec![Turn::default(); 60],
            checkpoints: [9, 59].map(checkpoint).to_vec(),
            ..Run::default()
        };
        let mut scores = Scores::default();
        let ruler = RulerName {
            name: "scb-paper".into(),
            is_comparable: true,
            rules: 0,
            source: "built in".into(),
        };
        let mut numbers = Numbers::default();
        let mut know = |scores: &mut Scores, wanted: &[usize]| {
            let nothing = Measured { snapshot: Err(Unmeasured::NoFiles), not_recorded: 0 };
            let asked = scores.ask(&mut numbers, &Default::default(), Moment::after_each(wanted));
            let moments =
                wanted.iter().map(|done| (Moment::after(*done), nothing.clone())).collect();
            let request = asked.and_then(|effect| effect.request()).unwrap();
            scores.take(request, Ok(Answer { ruler: ruler.clone(), moments }));
        };

        let first = moments(&run, 30, &scores);
        know(&mut scores, &first);
        let second = moments(&run, 30, &scores);
        know(&mut scores, &second);

        assert_eq!(first, [10, 30, 31, 60]);
        assert_eq!((second.len(), second[0], second[23]), (AT_ONCE, 18, 43));
        assert_eq!(moments(&Run::default(), 0, &scores), [0; 0]);
    }
}
