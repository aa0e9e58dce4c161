//! Implements the interface to the shell.

use ratatui::buffer::Buffer;

use crate::{
    session::{
        Session, context::KeyContext, effect::Effect, pending::Loading, request::RequestIds,
        views::View,
    },
    views::view::RunView,
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind},
        pane::{PaneRoom, part_under},
        theme::Theme,
    },
};

use super::{LayersMessage, LayersPart, LayersView, areas::LayersAreas, draw};

impl RunView for LayersView {
    fn settle_view(&mut self, session: &mut Session, layout: &ScreenLayout) {
        if session.view != View::Layers {
            return;
        }
        let areas = LayersAreas::for_layout(layout, self.part);
        self.turns.choose(session.turn);
        self.turns.settle(PaneRoom::framed(areas.turns), session.run.turns.len());
        let len = self.brief_rows(session).len();
        self.brief.settle(PaneRoom::framed(areas.brief), len);
        let len = self.origin_rows(session).len();
        self.origin.settle(PaneRoom::framed(areas.origin), len);
    }

    /// Returns the question for the recorded layers, while the view is on.
    fn ask_missing(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
        _: &ScreenLayout,
    ) -> Vec<Effect> {
        let is_known = session.growth.is_whole && matches!(session.timeline, Loading::Ready(_));
        if !is_known || session.view != View::Layers {
            return vec![];
        }
        let Session { run, scores, .. } = session;
        scores.process.ask_layers(numbers, run).into_iter().collect()
    }

    fn keyboard_context(&self, _: &Session) -> KeyContext {
        KeyContext::Layers
    }

    fn close_part(&mut self, _: &mut Session) -> bool {
        std::mem::replace(&mut self.part, LayersPart::Turns) != LayersPart::Turns
    }

    fn point_at_view(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) -> bool {
        let parts = [
            (LayersPart::Turns, &self.turns),
            (LayersPart::Brief, &self.brief),
            (LayersPart::Origin, &self.origin),
        ];
        let Some((part, motion)) = part_under(parts, mouse) else { return false };
        self.part = part;
        let Some(motion) = motion else { return false };
        self.update_view(session, LayersMessage::Move(motion), layout);
        mouse.kind == MouseKind::DoubleClick
    }

    fn draw_view(
        &self,
        session: &Session,
        theme: Theme,
        layout: &ScreenLayout,
        buffer: &mut Buffer,
    ) {
        draw::draw_layers(self, session, theme, layout, buffer);
    }
}
