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
        scroll::Motion,
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
        self.turns.cursor = session.turn;
        self.turns.follow_cursor(session.run.turns.len(), LayersAreas::inner_height(areas.turns));
        self.brief
            .follow_cursor(self.brief_rows(session).len(), LayersAreas::inner_height(areas.brief));
        self.origin.follow_cursor(
            self.origin_rows(session).len(),
            LayersAreas::inner_height(areas.origin),
        );
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

    fn point_at_view(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) -> bool {
        let areas = LayersAreas::for_layout(layout, self.part);
        let parts = [
            (LayersPart::Turns, areas.turns, self.turns.top),
            (LayersPart::Brief, areas.brief, self.brief.top),
            (LayersPart::Origin, areas.origin, self.origin.top),
        ];
        let hit = parts
            .iter()
            .find_map(|(part, area, top)| Some((*part, *top, mouse.row_inside((*area)?)?)));
        let Some((part, top, row)) = hit else { return false };
        self.part = part;
        let motion = match mouse.kind {
            MouseKind::WheelUp => Motion::Up(1),
            MouseKind::WheelDown => Motion::Down(1),
            MouseKind::Click | MouseKind::DoubleClick => Motion::To(top + row + 1),
            _ => return false,
        };
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
