//! Moving the playhead over the points of the curves, and from what moved a point to the lines that did.

use crate::{
    session::{
        Session,
        context::KeyContext,
        curve_points::{CurveAxis, RunPoint},
        curve_values::{self, PointValue},
        files::DiffScope,
        replay_opening::{DiffBase, LineAim, OpeningTarget, ReplayOpening},
        turns,
    },
    views::curves::CurvesView,
    widgets::scroll::Motion,
};
use trajview_metrics::{Number, quality};
use trajview_run::RepoPath;

use super::{CheckpointDirection, CurvesPart};

/// Points that a page moves by.
const POINTS_PER_PAGE: usize = 10;

impl CurvesView {
    pub(super) fn go_by_point(&mut self, session: &mut Session, motion: Motion) {
        let points = self.axis_points(session);
        let Some(at) = self.point_index(session, &points) else { return };
        let at = match motion {
            // A number is a turn's, or a step's where the points are steps.
            Motion::To(number) => {
                if self.shown_axis(session) == CurveAxis::Steps {
                    let wanted = (session.turn, number);
                    let at = points.partition_point(|point| point.sort_key() < wanted);
                    return go_to(session, &points[at.min(points.len() - 1)]);
                }
                let turn = number.saturating_sub(1).min(session.run.turns.len().saturating_sub(1));
                return session.select_turn(turn);
            }
            motion => motion.target_row(at, points.len(), POINTS_PER_PAGE),
        };
        go_to(session, &points[at]);
    }

    pub(super) fn go_by_checkpoint(
        &mut self,
        session: &mut Session,
        count: usize,
        way: CheckpointDirection,
    ) {
        if self.shown_axis(session) == CurveAxis::Checkpoints {
            return self.go_by_point(
                session,
                match way {
                    CheckpointDirection::On => Motion::Down(count),
                    CheckpointDirection::Back => Motion::Up(count),
                },
            );
        }
        let message = match way {
            CheckpointDirection::On => turns::TurnMessage::NextCheckpoint(count),
            CheckpointDirection::Back => turns::TurnMessage::PreviousCheckpoint(count),
        };
        session.select_turn(message.target_turn(&session.run, session.turn));
    }

    pub(super) fn switch_axis(&mut self, session: &mut Session) {
        if session.run.checkpoints.is_empty() {
            let axis = self.shown_axis(session).word();
            session.notice =
                Some(format!("this run has no checkpoints: the points are its {axis}s"));
            return;
        }
        self.chosen_axis = Some(match self.shown_axis(session) {
            CurveAxis::Turns | CurveAxis::Steps => CurveAxis::Checkpoints,
            CurveAxis::Checkpoints => CurveAxis::Turns,
        });
    }

    pub(super) fn switch_steps(&mut self, session: &mut Session) {
        if self.shown_axis(session) == CurveAxis::Steps {
            self.chosen_axis = Some(CurveAxis::Turns);
            let key = session.keys.key_text(KeyContext::Curves, "points-at-steps");
            session.notice = Some(format!("the points are turns; {key} has steps"));
        } else if self.step_points.1.is_empty() {
            let words = "this run has no recorded edits";
            session.notice = Some(words.into());
        } else {
            self.chosen_axis = Some(CurveAxis::Steps);
            session.notice = Some("the points are the steps that edited files".into());
        }
    }

    /// Opens the edit of the step at the playhead, or else enters the list of changes.
    pub(super) fn open_point(&mut self, session: &mut Session) {
        let points = self.axis_points(session);
        let point = self.point_index(session, &points).and_then(|at| points.get(at));
        let step = point.and_then(|point| point.step);
        let Some((step, _)) = step.filter(|_| self.part == CurvesPart::Chart) else {
            self.part = CurvesPart::Moved;
            return;
        };
        let changes = session.changes_of(DiffScope::Step(step));
        let target = match changes.first().map(|change| change.path.clone()) {
            Some(path) => OpeningTarget::Edit { step, path, aim: None },
            None => OpeningTarget::Step(step),
        };
        session.set_opening(ReplayOpening::at_turn(step.turn, target));
        session.notice = Some("backspace returns to the curves".into());
    }

    pub(super) fn go_to_steepest(&mut self, session: &mut Session, count: usize) {
        let (points, number) = (self.axis_points(session), self.number);
        let rises = rises_by_size(&curve_values::point_values(number, session, &points));
        let here = self.point_index(session, &points).map(|at| points[at].moment());
        let last = self.last_rise.filter(|(of, _, at)| *of == number && Some(*at) == here);
        let wanted = last.map_or(count - 1, |(_, rank, _)| rank.saturating_add(count));
        match rises.get(wanted) {
            Some((index, by)) => {
                go_to(session, &points[*index]);
                self.last_rise = Some((number, wanted, points[*index].moment()));
                session.notice = Some(self.rise_text(session, number, wanted, rises.len(), *by));
            }
            None if rises.is_empty() => {
                session.notice =
                    Some(format!("{} never rises{}", number.label(), self.so_far(session)));
            }
            None => session.notice = Some(format!("no further rise of {}", number.label())),
        }
    }

    /// Returns `rise 1 of 12 of erosion: +0.2452`.
    fn rise_text(
        &self,
        session: &Session,
        number: Number,
        rank: usize,
        count: usize,
        by: f64,
    ) -> String {
        let by = curve_values::change_text(number, by);
        format!(
            "largest rise {}/{count} of {}: {by}{}",
            rank + 1,
            number.label(),
            self.so_far(session)
        )
    }

    fn so_far(&self, session: &Session) -> &'static str {
        let (known, all) = self.measured_counts(session, &self.axis_points(session));
        if known < all { " so far" } else { "" }
    }

    /// Returns the number of measured moments and of all moments. Moments are steps if the points are steps, and turns
    /// otherwise.
    pub(super) fn measured_counts(&self, session: &Session, points: &[RunPoint]) -> (usize, usize) {
        let scores = &session.scores;
        match self.shown_axis(session) {
            CurveAxis::Steps => {
                let measured_points =
                    points.iter().filter(|point| scores.measured_at(point.moment()).is_some());
                (measured_points.count(), points.len())
            }
            CurveAxis::Turns | CurveAxis::Checkpoints => {
                let turns = session.run.turns.len();
                (scores.measured_turn_count().min(turns), turns)
            }
        }
    }

    pub(super) fn follow_moved(&mut self, session: &mut Session) {
        if self.part == CurvesPart::Chart {
            self.part = CurvesPart::Moved;
            return;
        }
        let change = self.moved_rows(session).get(self.rows.cursor()).copied();
        let Some(opening) = change.and_then(|change| self.change_opening(session, change)) else {
            return;
        };
        session.set_opening(opening);
        session.notice = Some("backspace returns to the curves".into());
    }

    fn change_opening(
        &self,
        session: &Session,
        change: &quality::QualityChange,
    ) -> Option<ReplayOpening> {
        let points = self.axis_points(session);
        let point = points.get(self.point_index(session, &points)?)?;
        let turns = match self.shown_axis(session) {
            CurveAxis::Steps => point.turn()..point.turn() + 1,
            CurveAxis::Turns | CurveAxis::Checkpoints => point.turns.clone(),
        };
        let path = RepoPath::new(&change.place.path)?;
        let span = change.place.span;
        let lines = change.is_there.then_some((span.start as usize, span.end as usize));
        if let Some((step, _)) = point.step {
            let aim = lines.map(|(first, last)| LineAim::Within(first, last));
            return Some(ReplayOpening::at_turn(
                step.turn,
                OpeningTarget::Edit { step, path, aim },
            ));
        }
        let timeline = session.timeline.ready()?;
        let changed = |turn: &usize| {
            let changes = timeline.turns.get(*turn).map_or(&[][..], |turn| &turn.changes);
            changes.iter().any(|it| it.path == path || it.from.as_ref() == Some(&path))
        };
        let is_changed = turns.clone().any(|turn| changed(&turn));
        let turn = turns.end.checked_sub(1)?;
        let base =
            (self.shown_axis(session) == CurveAxis::Checkpoints).then_some(DiffBase::Checkpoint);
        Some(ReplayOpening {
            turn,
            target: OpeningTarget::for_lines(path, lines, is_changed),
            base,
        })
    }
}

/// Takes the playhead to a point.
pub(super) fn go_to(session: &mut Session, point: &RunPoint) {
    match point.step {
        Some((step, number)) => session.select_step(step, number),
        None => session.select_turn(point.done.saturating_sub(1)),
    }
}

/// Returns the points at which the values rise from the known point before, with the rise, the steepest first. Among
/// equal rises the earlier is first.
fn rises_by_size(points: &[PointValue]) -> Vec<(usize, f64)> {
    let known_points = points.iter().enumerate().filter(|(_, point)| **point != PointValue::NotYet);
    let known_points: Vec<(usize, Option<f64>)> =
        known_points.map(|(at, point)| (at, point.as_number())).collect();
    let mut rises: Vec<(usize, f64)> = known_points
        .windows(2)
        .filter_map(|pair| Some((pair[1].0, pair[1].1? - pair[0].1?)))
        .filter(|(_, by)| *by > 0.0)
        .collect();
    rises.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    rises
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steepest_rise_comes_first_and_gaps_are_no_rise() {
        use PointValue::{NotRecorded, NotYet, Value};
        let points = [
            Value(0.0),
            Value(1.0),
            NotRecorded,
            Value(9.0),
            NotYet,
            Value(11.0),
            Value(10.0),
            Value(11.0),
        ];
        assert_eq!(rises_by_size(&points), [(5, 2.0), (1, 1.0), (7, 1.0)]);
        assert_eq!(rises_by_size(&[]), []);
    }
}
