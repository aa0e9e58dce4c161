//! The timeline below the views: its rows, what its keys change, and what a click, a drag and the wheel do.

use ratatui::layout::Rect;

use crate::{
    session::{
        effect::Effect,
        timeline::{TimelineConfig, TimelineMessage, TimelineMode, TimelineRoom},
        views::View,
    },
    views::timeline::{TimelineTarget, TimelineView},
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind},
    },
};

use super::{ScreenKind, Screens};

/// The timeline of the screen: what it shows, and whether it is being dragged.
#[derive(Debug, Default)]
pub struct TimelineFrame {
    pub config: TimelineConfig,
    /// The timeline in which a button was pressed and not released yet.
    dragged: Option<usize>,
}

impl Screens {
    fn timeline_mode(&self) -> TimelineMode {
        self.frame.timeline.config.mode.on_screen(self.frame.size.height, self.timeline_room())
    }

    fn timeline_room(&self) -> TimelineRoom {
        match (self.screen, self.open_run().map(|open| open.session.view)) {
            (ScreenKind::Compare, _) => TimelineRoom::Comparison,
            (_, Some(View::Audit)) => TimelineRoom::CrowdedView,
            _ => TimelineRoom::View,
        }
    }

    /// Returns the rows of all timelines on the screen, their lines included.
    pub(super) fn timeline_rows(&self) -> u16 {
        let (mode, lanes) = (self.timeline_mode(), &self.frame.timeline.config.lanes);
        if mode == TimelineMode::Hidden {
            return 0;
        }
        // The views keep at least half of the screen; a comparison of many runs, whose timelines scroll, two thirds.
        let is_many = self.shown_comparison().is_some_and(|it| it.paths.len() > 2);
        let room = self.frame.size.height / if is_many { 3 } else { 2 };
        let shown = self.shown_run().or_else(|| self.run_with_player());
        let rows = match (shown, self.shown_comparison()) {
            (Some(open), _) if open.session.run.turns.is_empty() => 0,
            (Some(open), _) => open.session.timeline_choice(lanes).lanes(mode).len() + 1,
            (None, Some(compared)) => {
                let mode = compared.fitting_mode(lanes.len(), mode, room);
                compared.timeline_rows(lanes.len(), mode)
            }
            (None, None) => 0,
        };
        (rows as u16).min(room)
    }

    /// Returns every timeline on the screen with its area, from top to bottom.
    pub(crate) fn timelines(&self, area: Rect) -> Vec<(TimelineView<'_>, Rect)> {
        let mode = self.timeline_mode();
        if let Some(open) = self.shown_run().or_else(|| self.run_with_player()) {
            let lanes = open.session.timeline_choice(&self.frame.timeline.config.lanes).lanes(mode);
            return vec![(TimelineView::of_session(&open.session, lanes, mode, area), area)];
        }
        self.shown_comparison().map_or(vec![], |it| it.timeline_views(mode, area))
    }

    pub(crate) fn update_timeline(&mut self, message: TimelineMessage) -> Vec<Effect> {
        let (rows, room) = (self.frame.size.height, self.timeline_room());
        let config = &mut self.frame.timeline.config;
        match message {
            TimelineMessage::NextMode => {
                config.mode = config.mode.next_on_screen(rows, room);
                let words = format!("timeline: {}", config.mode.word());
                self.show_notice(words);
            }
            TimelineMessage::SetLanes(ids) => match config.set_lanes(&ids) {
                Ok(()) => {
                    let lanes = config.lanes.iter().map(|it| it.id().to_owned()).collect();
                    return vec![Effect::KeepLanes(lanes)];
                }
                Err(why) => self.show_notice(why),
            },
        }
        vec![]
    }

    /// Works out the timelines that are on the screen.
    pub(super) fn settle_timelines(&mut self, layout: &ScreenLayout) {
        let Some(area) = layout.timeline else { return };
        let mode = self.timeline_mode();
        let lanes = self.frame.timeline.config.lanes.clone();
        match self.screen {
            ScreenKind::Compare => self.on_comparison(|it| it.settle_timelines(&lanes, mode, area)),
            _ => self.on_open_run(|open| {
                open.session.settle_timeline(&lanes);
                open.session.note_timeline_scores();
            }),
        }
    }

    /// Handles the mouse over the timeline; returns whether it was there.
    pub(crate) fn point_at_timeline(&mut self, mouse: Mouse, layout: &ScreenLayout) -> bool {
        let Some(area) = layout.timeline else { return false };
        if mouse.kind == MouseKind::Release {
            return self.frame.timeline.dragged.take().is_some();
        }
        let pointed = match (mouse.kind, self.frame.timeline.dragged) {
            (MouseKind::Drag, dragged) => dragged,
            _ => {
                self.frame.timeline.dragged = None;
                self.timelines(area).iter().position(|(_, area)| mouse.is_in(*area))
            }
        };
        let Some(index) = pointed else { return false };
        let timelines = self.timelines(area);
        let Some((timeline, area)) = timelines.get(index) else { return false };
        // Only the timeline of the open run is zoomed.
        let is_long = self.screen == ScreenKind::Run
            && (timeline.columns.has_buckets() || timeline.window.is_some());
        let run = timeline.run;
        let target = match mouse.kind {
            MouseKind::Drag => timeline.point_near(*area, mouse).map(TimelineTarget::Point),
            _ => timeline.target_at(*area, mouse),
        };
        let by = match mouse.kind {
            MouseKind::WheelUp => 1,
            MouseKind::WheelDown => -1,
            _ => 0,
        };
        match (mouse.kind, target) {
            (MouseKind::Click | MouseKind::Drag, Some(TimelineTarget::Point(point))) => {
                self.frame.timeline.dragged = Some(index);
                self.seek(run, point);
            }
            (MouseKind::Click, Some(TimelineTarget::Component(id))) => self.show_component(&id),
            (MouseKind::WheelUp | MouseKind::WheelDown, Some(TimelineTarget::Point(point)))
                if is_long =>
            {
                self.on_open_run(|open| open.session.run_timeline.zoom(point, by > 0));
            }
            (MouseKind::WheelUp | MouseKind::WheelDown, Some(TimelineTarget::Point(_))) => {
                self.seek_by(-by);
            }
            _ => {}
        }
        true
    }

    /// Goes to a point of the open run, or to a turn of one of the compared runs; both count from 0.
    fn seek(&mut self, run: usize, point: usize) {
        match self.screen {
            ScreenKind::Compare => self.on_comparison(|it| it.go_to_turn(run, point)),
            _ => self.on_view(|open| open.session.select_timeline_point(point)),
        }
    }

    /// Goes forward or back by points of the timeline; in the comparison by points.
    fn seek_by(&mut self, by: isize) {
        match self.screen {
            ScreenKind::Compare => self.on_comparison(|it| it.go_by_turns(by)),
            _ => self.on_view(|open| {
                let last = open.session.run_timeline.facts().points.saturating_sub(1);
                let point = match open.session.timeline_point() {
                    Some(point) => point.saturating_add_signed(by).min(last),
                    None if by < 0 => last,
                    None => 0,
                };
                open.session.select_timeline_point(point);
            }),
        }
    }

    /// Opens a component in the scores, or selects it in the comparison.
    fn show_component(&mut self, id: &str) {
        if self.screen == ScreenKind::Compare {
            return self.on_comparison(|it| it.table.choose_component(id));
        }
        self.bring_up_view(View::Scores);
        self.on_open_run(|open| open.carry_component(Some(id.to_owned())));
    }
}
