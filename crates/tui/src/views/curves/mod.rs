//! The numbers of the code and of the run over its turns: which are known, which curve is looked at, what moved a point.
//!
//! [`series`] has one row a curve, [`points`] says where the points lie, `wanted` what is to be measured next, [`areas`] where the parts of the view stand. The playhead is the run's selected turn.

pub mod areas;
pub mod draw;
mod moving;
mod pointing;
pub mod reference;
mod view;
mod wanted;

use std::sync::Arc;

use crate::{
    session::{
        Session,
        measured::{Moved, Span},
        points::{self, Axis, Point},
        series,
        views::View,
    },
    views::curves::reference::Reference,
    widgets::{
        layout::Layout,
        scroll::{Motion, Scroll},
    },
};
use areas::Areas;
use trajview_metrics::{
    Number,
    numbers::Evidence,
    quality::{Change, What},
};
use trajview_run::files::{Moment, Timeline};

/// What the view shows beside what is known.
#[derive(Debug)]
pub struct Curves {
    /// What somebody chose; None where nobody did.
    chosen_axis: Option<Axis>,
    /// The points at steps, and the files that they are of.
    by_step: (Option<Arc<Timeline>>, Vec<Point>),
    /// The curve that is looked at.
    pub number: Number,
    pub part: Part,
    /// Of the list of what moved.
    pub rows: Scroll,
    /// The point whose changes are listed; a move elsewhere starts the list over.
    listed: Option<Span>,
    /// The rise that was gone to last: of which curve, its rank, and the moment it led to.
    rise: Option<(Number, usize, Moment)>,
    pub reference: Reference,
    /// The point under the pointer.
    pub hovered: Option<usize>,
}

impl Default for Curves {
    fn default() -> Self {
        Self {
            chosen_axis: None,
            by_step: (None, vec![]),
            number: Number::Erosion,
            part: Part::default(),
            rows: Scroll::default(),
            listed: None,
            rise: None,
            reference: Reference::default(),
            hovered: None,
        }
    }
}

/// A run of no more turns has its points at steps, unless somebody chooses otherwise or it has checkpoints.
const FEW_TURNS: usize = 3;

/// Which part of the view has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    #[default]
    Chart,
    /// The list of what moved a point.
    Moved,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// From point to point; up is back.
    Go(Motion),
    /// Checkpoints by count: on, or back.
    NextCheckpoint(usize),
    PreviousCheckpoint(usize),
    /// Among the curves.
    Choose(Motion),
    /// Over turns or over checkpoints.
    SwitchAxis,
    /// Over the steps that edited files, or over turns again.
    SwitchSteps,
    /// To the steepest rise of the curve; from there to the next steepest.
    Steepest(usize),
    /// Into the list of what moved the point; to a step, where the points are steps.
    Open,
    /// Out of it.
    Close,
    SwitchPart,
    /// In the list of what moved.
    Move(Motion),
    /// To the place of the selected row.
    Follow,
    /// Stop measuring, or go on.
    StopOrGoOn,
}

impl Curves {
    pub fn update(&mut self, session: &mut Session, message: Message, layout: &Layout) {
        session.view = View::Curves;
        match message {
            Message::Go(motion) => self.go_by_point(session, motion),
            Message::NextCheckpoint(count) => self.go_by_checkpoint(session, count, Way::On),
            Message::PreviousCheckpoint(count) => self.go_by_checkpoint(session, count, Way::Back),
            Message::Choose(motion) => {
                let (at, listed) = (self.chosen(session), series::listed(session));
                self.number = listed[motion.from(at, listed.len(), 4)];
            }
            Message::SwitchAxis => self.switch_axis(session),
            Message::SwitchSteps => self.switch_steps(session),
            Message::Steepest(count) => self.go_to_steepest(session, count),
            Message::Open => self.open_point(session),
            Message::Close => self.part = Part::Chart,
            Message::SwitchPart => {
                self.part = match self.part {
                    Part::Chart => Part::Moved,
                    Part::Moved => Part::Chart,
                }
            }
            Message::Move(motion) => {
                let len = self.moved_rows(session).len();
                let height = Areas::of(layout, self.part).list_height();
                self.rows.cursor = motion.from(self.rows.cursor, len, height);
            }
            Message::Follow => self.follow_moved(session),
            Message::StopOrGoOn => self.stop_or_go_on(session),
        }
    }

    /// The place of the chosen curve in [`series::listed`].
    pub fn chosen(&self, session: &Session) -> usize {
        let listed = series::listed(session);
        listed.iter().position(|number| *number == self.number).unwrap_or_default()
    }

    /// What the points are at: as somebody chose, else at steps where a run has few turns to look at.
    pub fn axis(&self, session: &Session) -> Axis {
        let run = &session.run;
        let is_short = run.checkpoints.is_empty() && run.turns.len() <= FEW_TURNS;
        let has_steps = self.by_step.1.len() > 1;
        match self.chosen_axis {
            Some(axis) => axis,
            None if is_short && has_steps => Axis::Steps,
            None => Axis::Turns,
        }
    }

    /// The points of the axis, in order.
    pub fn points(&self, session: &Session) -> Vec<Point> {
        match self.axis(session) {
            Axis::Steps => self.by_step.1.clone(),
            axis => points::of(&session.run, axis),
        }
    }

    /// Works the points at steps out, where the files are others than before.
    fn settle_steps(&mut self, session: &Session) {
        let Some(timeline) = session.timeline.ready() else { return };
        if self.by_step.0.as_ref().is_none_or(|known| !Arc::ptr_eq(known, timeline)) {
            let points = points::by_step(&session.run, timeline);
            self.by_step = (Some(timeline.clone()), points);
        }
    }

    /// Which of [`Self::points`] the playhead is at: the first that is not before it.
    pub fn point_index(&self, session: &Session, points: &[Point]) -> Option<usize> {
        let at = points.partition_point(|point| point.place() < session.place());
        Some(at.min(points.len().checked_sub(1)?))
    }

    /// Which of [`Self::points`] has its values listed: the one under the pointer, otherwise that of the playhead.
    pub fn shown_point(&self, session: &Session, points: &[Point]) -> Option<usize> {
        let hovered = self.hovered.filter(|hovered| *hovered < points.len());
        hovered.or_else(|| self.point_index(session, points))
    }

    /// The moments between which the list says what moved.
    pub fn moved_span(&self, session: &Session) -> Option<Span> {
        let points = self.points(session);
        let at = self.point_index(session, &points)?;
        let before = match at.checked_sub(1) {
            Some(previous) => points[previous].moment(),
            None if points[at].turns.is_empty() => Moment::after(points[at].turn()),
            None => Moment::after(points[at].turns.start),
        };
        Some((before, points[at].moment()))
    }

    /// What moved the point at the playhead, if that is known.
    pub fn moved<'a>(&self, session: &'a Session) -> Option<&'a Moved> {
        match session.scores.moved(self.moved_span(session)?)? {
            Ok(moved) => Some(moved),
            Err(_) => None,
        }
    }

    /// What moved the point at the playhead, the largest first: of what is made of flagged
    /// lines rules and clones, else callables.
    pub fn moved_rows<'a>(&self, session: &'a Session) -> Vec<&'a Change> {
        let Some(moved) = self.moved(session) else { return vec![] };
        let is_code = |change: &&Change| matches!(change.what, What::Callable { .. });
        let (code, others): (Vec<_>, Vec<_>) = moved.changes.iter().partition(is_code);
        match self.number.row().opens {
            Evidence::FlaggedLines => [others, code].concat(),
            Evidence::Callables
            | Evidence::Files
            | Evidence::Symbols
            | Evidence::Components
            | Evidence::Exposure
            | Evidence::TestCases
            | Evidence::Turns
            | Evidence::Steps
            | Evidence::Nodes
            | Evidence::RatedPairs
            | Evidence::Runs => [code, others].concat(),
        }
    }

    fn stop_or_go_on(&mut self, session: &mut Session) {
        session.notice = Some(match session.scores.stop_or_go_on() {
            true => "measuring is stopped; x goes on".into(),
            false => "measuring goes on".into(),
        });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    On,
    Back,
}
