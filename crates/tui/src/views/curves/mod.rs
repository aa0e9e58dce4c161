//! The curves: numbers of the code and of the run over its turns.
//!
//! [`curve_values`] has one row a curve, [`curve_points`] gives the places of the points, `wanted_moments` chooses what to
//! measure next, and [`areas`] computes the parts of the view. The playhead is the run's selected turn.

pub mod areas;
pub mod draw;
mod mouse;
mod navigation;
pub mod reference;
mod view;
mod wanted_moments;

use std::sync::Arc;

use crate::{
    session::{
        Session,
        code_measures::{MomentSpan, MovedScores},
        curve_points::{self, CurveAxis, RunPoint},
        curve_values,
        views::View,
    },
    views::curves::reference::ReferenceBands,
    widgets::{layout::ScreenLayout, pane::ListPane, scroll::Motion},
};
use trajview_metrics::{
    Number,
    numbers::NumberEvidence,
    quality::{QualityChange, QualityChangeKind},
};
use trajview_run::files::{RunMoment, Timeline};

/// The state of the view, apart from the measured values.
#[derive(Debug)]
pub struct CurvesView {
    /// The axis that the user chose. None if the user chose none.
    chosen_axis: Option<CurveAxis>,
    /// The points at steps, and the timeline from which they were computed.
    step_points: (Option<Arc<Timeline>>, Vec<RunPoint>),
    /// The selected curve.
    pub number: Number,
    pub part: CurvesPart,
    /// Position in the list of changes.
    rows: ListPane,
    /// The span whose changes are listed. A move to another point starts the list over.
    listed_span: Option<MomentSpan>,
    /// The rise that was gone to last: of which curve, its rank, and the moment it led to.
    last_rise: Option<(Number, usize, RunMoment)>,
    pub reference: ReferenceBands,
    /// The point under the pointer.
    pub hovered: Option<usize>,
}

impl Default for CurvesView {
    fn default() -> Self {
        Self {
            chosen_axis: None,
            step_points: (None, vec![]),
            number: Number::Erosion,
            part: CurvesPart::default(),
            rows: ListPane::default(),
            listed_span: None,
            last_rise: None,
            reference: ReferenceBands::default(),
            hovered: None,
        }
    }
}

/// A run with at most this many turns shows points at steps, unless the user chooses otherwise or it has checkpoints.
const FEW_TURNS: usize = 3;

/// The part of the view that has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CurvesPart {
    #[default]
    Chart,
    /// The list of what moved a point.
    Moved,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CurvesMessage {
    /// Moves from point to point. Up moves back.
    Go(Motion),
    /// Checkpoints by count: on, or back.
    NextCheckpoint(usize),
    PreviousCheckpoint(usize),
    /// Moves among the curves.
    Choose(Motion),
    /// Shows the curve of a number.
    ChooseNumber(Number),
    /// Switches between turns and checkpoints.
    SwitchAxis,
    /// Switches between the steps that edited files and the turns.
    SwitchSteps,
    /// Moves to the steepest rise of the curve, and from there to the next steepest.
    Steepest(usize),
    /// Enters the list of changes that moved the point. If the points are steps, opens the step.
    Open,
    SwitchPart,
    /// Moves within the list of changes.
    Move(Motion),
    /// Opens the place of the selected row.
    Follow,
    /// Stop measuring, or go on.
    StopOrGoOn,
}

impl CurvesView {
    pub(crate) fn update_view(
        &mut self,
        session: &mut Session,
        message: CurvesMessage,
        _: &ScreenLayout,
    ) {
        session.view = View::Curves;
        match message {
            CurvesMessage::Go(motion) => self.go_by_point(session, motion),
            CurvesMessage::NextCheckpoint(count) => {
                self.go_by_checkpoint(session, count, CheckpointDirection::On)
            }
            CurvesMessage::PreviousCheckpoint(count) => {
                self.go_by_checkpoint(session, count, CheckpointDirection::Back)
            }
            CurvesMessage::Choose(motion) => {
                let (at, listed) =
                    (self.chosen_index(session), curve_values::listed_numbers(session));
                self.number = listed[motion.target_row(at, listed.len(), 4)];
            }
            CurvesMessage::ChooseNumber(number) => self.number = number,
            CurvesMessage::SwitchAxis => self.switch_axis(session),
            CurvesMessage::SwitchSteps => self.switch_steps(session),
            CurvesMessage::Steepest(count) => self.go_to_steepest(session, count),
            CurvesMessage::Open => self.open_point(session),
            CurvesMessage::SwitchPart => {
                self.part = match self.part {
                    CurvesPart::Chart => CurvesPart::Moved,
                    CurvesPart::Moved => CurvesPart::Chart,
                }
            }
            CurvesMessage::Move(motion) => self.rows.move_cursor(motion),
            CurvesMessage::Follow => self.follow_moved(session),
            CurvesMessage::StopOrGoOn => self.stop_or_go_on(session),
        }
    }

    /// Returns the place of the chosen curve in [`curve_values::listed_numbers`].
    pub(crate) fn chosen_index(&self, session: &Session) -> usize {
        let listed = curve_values::listed_numbers(session);
        listed.iter().position(|number| *number == self.number).unwrap_or_default()
    }

    /// Returns the axis of the points: the chosen one, or else steps for a run with few turns.
    pub(crate) fn shown_axis(&self, session: &Session) -> CurveAxis {
        let run = &session.run;
        let is_short = run.checkpoints.is_empty() && run.turns.len() <= FEW_TURNS;
        let has_steps = self.step_points.1.len() > 1;
        match self.chosen_axis {
            Some(axis) => axis,
            None if is_short && has_steps => CurveAxis::Steps,
            None => CurveAxis::Turns,
        }
    }

    /// Returns the points of the axis, in order.
    pub fn axis_points(&self, session: &Session) -> Vec<RunPoint> {
        match self.shown_axis(session) {
            CurveAxis::Steps => self.step_points.1.clone(),
            axis => curve_points::points_of_run(&session.run, axis),
        }
    }

    /// Works the points at steps out, where the files are others than before.
    fn settle_steps(&mut self, session: &Session) {
        let Some(timeline) = session.timeline.ready() else { return };
        if self.step_points.0.as_ref().is_none_or(|known| !Arc::ptr_eq(known, timeline)) {
            let points = curve_points::points_by_step(&session.run, timeline);
            self.step_points = (Some(timeline.clone()), points);
        }
    }

    /// Returns the index in [`Self::axis_points`] of the point at the playhead: the first that is not before it.
    pub(crate) fn point_index(&self, session: &Session, points: &[RunPoint]) -> Option<usize> {
        let place = session.playhead_place();
        let at = points.partition_point(|point| point.sort_key() < place);
        // A turn belongs to the checkpoint that ends with it or later; after a step the code is as that step left it.
        let is_later_step =
            points.get(at).is_none_or(|point| point.turns.is_empty() && point.sort_key() > place);
        let at = if is_later_step { at.saturating_sub(1) } else { at };
        Some(at.min(points.len().checked_sub(1)?))
    }

    /// Returns the index in [`Self::axis_points`] of the point whose values are listed: the one under the pointer, or
    /// else the one at the playhead.
    pub(crate) fn shown_point(&self, session: &Session, points: &[RunPoint]) -> Option<usize> {
        let hovered = self.hovered.filter(|hovered| *hovered < points.len());
        hovered.or_else(|| self.point_index(session, points))
    }

    /// Returns the moments between which the list compares the code.
    pub(crate) fn moved_span(&self, session: &Session) -> Option<MomentSpan> {
        let points = self.axis_points(session);
        let at = self.point_index(session, &points)?;
        let before = match at.checked_sub(1) {
            Some(previous) => points[previous].moment(),
            None if points[at].turns.is_empty() => RunMoment::after_turns(points[at].turn()),
            None => RunMoment::after_turns(points[at].turns.start),
        };
        Some((before, points[at].moment()))
    }

    /// Returns the changes that moved the point at the playhead. None while they are unknown.
    pub(crate) fn moved_scores<'a>(&self, session: &'a Session) -> Option<&'a MovedScores> {
        match session.scores.moved_between(self.moved_span(session)?)? {
            Ok(moved) => Some(moved),
            Err(_) => None,
        }
    }

    /// Returns the changes that moved the point at the playhead, the largest first. For numbers of flagged lines these
    /// are rules and clones first, for other numbers callables.
    pub fn moved_rows<'a>(&self, session: &'a Session) -> Vec<&'a QualityChange> {
        let Some(moved) = self.moved_scores(session) else { return vec![] };
        let is_code =
            |change: &&QualityChange| matches!(change.what, QualityChangeKind::Callable { .. });
        let (code, others): (Vec<_>, Vec<_>) = moved.changes.iter().partition(is_code);
        match self.number.row().evidence {
            NumberEvidence::FlaggedLines => [others, code].concat(),
            NumberEvidence::Callables
            | NumberEvidence::Files
            | NumberEvidence::Symbols
            | NumberEvidence::Components
            | NumberEvidence::Exposure
            | NumberEvidence::TestCases
            | NumberEvidence::Turns
            | NumberEvidence::Steps
            | NumberEvidence::Nodes
            | NumberEvidence::RatedPairs
            | NumberEvidence::Runs => [code, others].concat(),
        }
    }

    fn stop_or_go_on(&mut self, session: &mut Session) {
        session.notice = Some(match session.scores.toggle_stopped() {
            true => "measuring stopped; X continues".into(),
            false => "measuring continues".into(),
        });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckpointDirection {
    On,
    Back,
}
