//! Moving the playhead over the points of the curves, and from what moved a point to the lines that did.

use crate::{
    session::{
        Session,
        files::Scope,
        opening::{Aim, Base, Opening, Target},
        points::{Axis, Point},
        series::{self, Known},
        turns,
    },
    views::curves::Curves,
    widgets::scroll::Motion,
};
use trajview_metrics::{Number, quality};
use trajview_run::RepoPath;

use super::{Part, Way};

/// Points that a page moves by.
const PAGE: usize = 10;

impl Curves {
    pub(super) fn go_by_point(&mut self, session: &mut Session, motion: Motion) {
        let points = self.points(session);
        let Some(at) = self.point_index(session, &points) else { return };
        let at = match motion {
            // A number is a turn's, or a step's where the points are steps.
            Motion::To(number) => {
                if self.axis(session) == Axis::Steps {
                    let wanted = (session.turn, number);
                    let at = points.partition_point(|point| point.place() < wanted);
                    return go_to(session, &points[at.min(points.len() - 1)]);
                }
                let turn = number.saturating_sub(1).min(session.run.turns.len().saturating_sub(1));
                return session.select_turn(turn);
            }
            motion => motion.from(at, points.len(), PAGE),
        };
        go_to(session, &points[at]);
    }

    pub(super) fn go_by_checkpoint(&mut self, session: &mut Session, count: usize, way: Way) {
        if self.axis(session) == Axis::Checkpoints {
            return self.go_by_point(
                session,
                match way {
                    Way::On => Motion::Down(count),
                    Way::Back => Motion::Up(count),
                },
            );
        }
        let message = match way {
            Way::On => turns::Message::NextCheckpoint(count),
            Way::Back => turns::Message::PreviousCheckpoint(count),
        };
        session.select_turn(message.from(&session.run, session.turn));
    }

    pub(super) fn switch_axis(&mut self, session: &mut Session) {
        if session.run.checkpoints.is_empty() {
            let axis = self.axis(session).word();
            session.notice =
                Some(format!("this run has no checkpoints: the points are its {axis}s"));
            return;
        }
        self.chosen_axis = Some(match self.axis(session) {
            Axis::Turns | Axis::Steps => Axis::Checkpoints,
            Axis::Checkpoints => Axis::Turns,
        });
    }

    pub(super) fn switch_steps(&mut self, session: &mut Session) {
        if self.axis(session) == Axis::Steps {
            self.chosen_axis = Some(Axis::Turns);
            session.notice = Some("the points are turns; s has steps".into());
        } else if self.by_step.1.is_empty() {
            let words = "no step of this run is recorded to have edited a file";
            session.notice = Some(words.into());
        } else {
            self.chosen_axis = Some(Axis::Steps);
            session.notice = Some("the points are the steps that edited files".into());
        }
    }

    /// To the edit of the step at the playhead; else into the list of what moved.
    pub(super) fn open_point(&mut self, session: &mut Session) {
        let points = self.points(session);
        let point = self.point_index(session, &points).and_then(|at| points.get(at));
        let step = point.and_then(|point| point.step);
        let Some((step, _)) = step.filter(|_| self.part == Part::Chart) else {
            self.part = Part::Moved;
            return;
        };
        let changes = session.changes_of(Scope::Step(step));
        let target = match changes.first().map(|change| change.path.clone()) {
            Some(path) => Target::Edit { step, path, aim: None },
            None => Target::Step(step),
        };
        session.open(Opening::at(step.turn, target));
        session.notice = Some("backspace goes back to the curves".into());
    }

    pub(super) fn go_to_steepest(&mut self, session: &mut Session, count: usize) {
        let (points, number) = (self.points(session), self.number);
        let rises = rises(&series::known(number, session, &points));
        let here = self.point_index(session, &points).map(|at| points[at].moment());
        let last = self.rise.filter(|(of, _, at)| *of == number && Some(*at) == here);
        let wanted = last.map_or(count - 1, |(_, rank, _)| rank.saturating_add(count));
        match rises.get(wanted) {
            Some((index, by)) => {
                go_to(session, &points[*index]);
                self.rise = Some((number, wanted, points[*index].moment()));
                session.notice = Some(self.rise_said(session, number, wanted, rises.len(), *by));
            }
            None if rises.is_empty() => {
                session.notice =
                    Some(format!("{} never rises{}", number.label(), self.so_far(session)));
            }
            None => session.notice = Some(format!("no further rise of {}", number.label())),
        }
    }

    /// `rise 1 of 12 of erosion: +0.2452`
    fn rise_said(
        &self,
        session: &Session,
        number: Number,
        rank: usize,
        count: usize,
        by: f64,
    ) -> String {
        let by = series::change_said(number, by);
        format!("rise {} of {count} of {}: {by}{}", rank + 1, number.label(), self.so_far(session))
    }

    fn so_far(&self, session: &Session) -> &'static str {
        let (known, all) = self.measured(session, &self.points(session));
        if known < all { " so far" } else { "" }
    }

    /// How many of how many moments are measured: steps where these are the points, else turns.
    pub(super) fn measured(&self, session: &Session, points: &[Point]) -> (usize, usize) {
        let scores = &session.scores;
        match self.axis(session) {
            Axis::Steps => {
                let known = points.iter().filter(|point| scores.at(point.moment()).is_some());
                (known.count(), points.len())
            }
            Axis::Turns | Axis::Checkpoints => {
                let turns = session.run.turns.len();
                (scores.count().min(turns), turns)
            }
        }
    }

    pub(super) fn follow_moved(&mut self, session: &mut Session) {
        if self.part == Part::Chart {
            self.part = Part::Moved;
            return;
        }
        let change = self.moved_rows(session).get(self.rows.cursor).copied();
        let Some(opening) = change.and_then(|change| self.opening_of(session, change)) else {
            return;
        };
        session.open(opening);
        session.notice = Some("backspace goes back to the curves".into());
    }

    fn opening_of(&self, session: &Session, change: &quality::Change) -> Option<Opening> {
        let points = self.points(session);
        let point = points.get(self.point_index(session, &points)?)?;
        let turns = match self.axis(session) {
            Axis::Steps => point.turn()..point.turn() + 1,
            Axis::Turns | Axis::Checkpoints => point.turns.clone(),
        };
        let path = RepoPath::new(&change.place.path)?;
        let span = change.place.span;
        let lines = change.is_there.then_some((span.start as usize, span.end as usize));
        if let Some((step, _)) = point.step {
            let aim = lines.map(|(first, last)| Aim::Within(first, last));
            return Some(Opening::at(step.turn, Target::Edit { step, path, aim }));
        }
        let timeline = session.timeline.ready()?;
        let changed = |turn: &usize| {
            let changes = timeline.turns.get(*turn).map_or(&[][..], |turn| &turn.changes);
            changes.iter().any(|it| it.path == path || it.from.as_ref() == Some(&path))
        };
        let is_changed = turns.clone().any(|turn| changed(&turn));
        let turn = turns.end.checked_sub(1)?;
        let base = (self.axis(session) == Axis::Checkpoints).then_some(Base::Checkpoint);
        Some(Opening { turn, target: Target::lines(path, lines, is_changed), base })
    }
}

/// Takes the playhead to a point.
pub(super) fn go_to(session: &mut Session, point: &Point) {
    match point.step {
        Some((step, number)) => session.select_step(step, number),
        None => session.select_turn(point.done.saturating_sub(1)),
    }
}

/// Where the values rise from one point to the next that is known, and by how much, the steepest first; of equals the
/// earlier.
fn rises(points: &[Known]) -> Vec<(usize, f64)> {
    let known = points.iter().enumerate().filter(|(_, point)| **point != Known::NotYet);
    let known: Vec<(usize, Option<f64>)> = known.map(|(at, point)| (at, point.value())).collect();
    let mut rises: Vec<(usize, f64)> = known
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
        use Known::{NotRecorded, NotYet, Value};
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
        assert_eq!(rises(&points), [(5, 2.0), (1, 1.0), (7, 1.0)]);
        assert_eq!(rises(&[]), []);
    }
}
