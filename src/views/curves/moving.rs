//! Moving the playhead over the points of the curves, and from what moved a point to the lines that did.

use crate::{
    metrics::{Number, quality},
    run::RepoPath,
    session::opening::{Base, Opening, Target},
    shell::replay::Replay,
    views::replay::turns,
    widgets::scroll::Motion,
};

use super::{
    Part, Way,
    points::Axis,
    series::{self, Known},
};

/// Points that a page moves by.
const PAGE: usize = 10;

impl Replay {
    pub(super) fn go_by_point(&mut self, motion: Motion) {
        let points = self.points();
        let Some(at) = self.point_index(&points) else { return };
        let at = match motion {
            // A number is a turn's, whatever the points are.
            Motion::To(number) => {
                let turn =
                    number.saturating_sub(1).min(self.session.run.turns.len().saturating_sub(1));
                return self.session.select_turn(turn);
            }
            motion => motion.from(at, points.len(), PAGE),
        };
        self.session.select_turn(points[at].done - 1);
    }

    pub(super) fn go_by_checkpoint(&mut self, count: usize, way: Way) {
        if self.curves.axis == Axis::Checkpoints {
            return self.go_by_point(match way {
                Way::On => Motion::Down(count),
                Way::Back => Motion::Up(count),
            });
        }
        let message = match way {
            Way::On => turns::Message::NextCheckpoint(count),
            Way::Back => turns::Message::PreviousCheckpoint(count),
        };
        self.session.select_turn(message.from(&self.session.run, self.session.turn));
    }

    pub(super) fn switch_axis(&mut self) {
        if self.session.run.checkpoints.is_empty() {
            self.session.notice =
                Some("this run has no checkpoints: the points are its turns".into());
            return;
        }
        self.curves.axis = match self.curves.axis {
            Axis::Turns => Axis::Checkpoints,
            Axis::Checkpoints => Axis::Turns,
        };
    }

    pub(super) fn go_to_steepest(&mut self, count: usize) {
        let (points, number) = (self.points(), self.curves.number);
        let rises = rises(&series::known(number, self, &points));
        let last =
            self.curves.rise.filter(|(of, _, turn)| (*of, *turn) == (number, self.session.turn));
        let wanted = last.map_or(count - 1, |(_, rank, _)| rank.saturating_add(count));
        match rises.get(wanted) {
            Some((index, by)) => {
                self.session.select_turn(points[*index].done - 1);
                self.curves.rise = Some((number, wanted, self.session.turn));
                self.session.notice = Some(self.rise_said(number, wanted, rises.len(), *by));
            }
            None if rises.is_empty() => {
                self.session.notice =
                    Some(format!("{} never rises{}", number.label(), self.so_far()));
            }
            None => self.session.notice = Some(format!("no further rise of {}", number.label())),
        }
    }

    /// `rise 1 of 12 of erosion: +0.2452`
    fn rise_said(&self, number: Number, rank: usize, count: usize, by: f64) -> String {
        let by = series::change_said(number, by);
        format!("rise {} of {count} of {}: {by}{}", rank + 1, number.label(), self.so_far())
    }

    fn so_far(&self) -> &'static str {
        if self.session.scores.count() < self.session.run.turns.len() { " so far" } else { "" }
    }

    pub(super) fn follow_moved(&mut self) {
        if self.curves.part == Part::Chart {
            self.curves.part = Part::Moved;
            return;
        }
        let change = self.moved_rows().get(self.curves.rows.cursor).copied();
        let Some(opening) = change.and_then(|change| self.opening_of(change)) else { return };
        self.session.open(opening);
        self.session.notice = Some("backspace goes back to the curves".into());
    }

    fn opening_of(&self, change: &quality::Change) -> Option<Opening> {
        let points = self.points();
        let turns = points.get(self.point_index(&points)?)?.turns.clone();
        let path = RepoPath::new(&change.place.path)?;
        let timeline = self.session.timeline.ready()?;
        let changed = |turn: &usize| {
            let changes = timeline.turns.get(*turn).map_or(&[][..], |turn| &turn.changes);
            changes.iter().any(|it| it.path == path || it.from.as_ref() == Some(&path))
        };
        let is_changed = turns.clone().any(|turn| changed(&turn));
        let turn = turns.end.checked_sub(1)?;
        let span = change.place.span;
        let lines = change.is_there.then_some((span.start as usize, span.end as usize));
        let base = (self.curves.axis == Axis::Checkpoints).then_some(Base::Checkpoint);
        Some(Opening { turn, target: Target::lines(path, lines, is_changed), base })
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
