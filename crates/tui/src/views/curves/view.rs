//! Implements the interface to the shell for the curves.

use ratatui::buffer::Buffer;

use crate::{
    session::{
        Session, context::KeyContext, curve_points::CurveAxis, effect::Effect, pending::Loading,
        request::RequestIds, views::View,
    },
    views::view::RunView,
    widgets::{layout::ScreenLayout, mouse::Mouse, pane::PaneRoom, theme::Theme},
};
use trajview_run::files::RunMoment;

use super::{CurvesPart, CurvesView, areas::CurvesAreas, draw, wanted_moments};

impl RunView for CurvesView {
    fn settle_view(&mut self, session: &mut Session, layout: &ScreenLayout) {
        if session.view != View::Curves {
            return;
        }
        self.settle_steps(session);
        let span = self.moved_span(session);
        if self.listed_span != span {
            self.listed_span = span;
            self.rows.restart();
        }
        let len = self.moved_rows(session).len();
        let areas = CurvesAreas::for_layout(layout, self.part);
        self.rows.settle(PaneRoom::framed(areas.moved), len);
    }

    /// Returns the questions for what is to be measured or compared next, while the view is on screen.
    fn ask_missing(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
        layout: &ScreenLayout,
    ) -> Vec<Effect> {
        let is_known = session.growth.is_whole && matches!(session.timeline, Loading::Ready(_));
        let is_seen =
            session.view == View::Curves || layout.now.is_some() || layout.timeline.is_some();
        if !is_known {
            return vec![];
        }
        let mut effects = vec![];
        if is_seen {
            let wanted = self.wanted_moments(session);
            let Session { run, scores, .. } = session;
            effects.extend(scores.ask_scores(numbers, run, wanted));
            effects.extend(scores.process.ask_memory(numbers, run));
        }
        let is_on = session.view == View::Curves;
        let span = if is_on { self.moved_span(session) } else { session.scores.marked };
        effects.extend(span.and_then(|span| session.scores.ask_moved(numbers, &session.run, span)));
        effects
    }

    fn keyboard_context(&self, _: &Session) -> KeyContext {
        match self.part {
            CurvesPart::Chart => KeyContext::Chart,
            CurvesPart::Moved => KeyContext::Moved,
        }
    }

    fn close_part(&mut self, _: &mut Session) -> bool {
        std::mem::replace(&mut self.part, CurvesPart::Chart) != CurvesPart::Chart
    }

    fn point_at_view(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) -> bool {
        self.handle_click(session, mouse, layout);
        false
    }

    fn draw_view(
        &self,
        session: &Session,
        theme: Theme,
        layout: &ScreenLayout,
        buffer: &mut Buffer,
    ) {
        draw::draw_curves(self, session, theme, layout, buffer);
    }
}

impl CurvesView {
    /// Returns the moments to measure next: steps if these are the points on screen, and turns otherwise.
    fn wanted_moments(&self, session: &Session) -> Vec<RunMoment> {
        let Session { run, turn, scores, .. } = session;
        if session.view == View::Curves && self.shown_axis(session) == CurveAxis::Steps {
            let points = self.axis_points(session);
            let here = self.point_index(session, &points).unwrap_or_default();
            return wanted_moments::wanted_steps(&points, here, scores);
        }
        RunMoment::after_each_count(&wanted_moments::wanted_turns(run, *turn, scores))
    }
}
