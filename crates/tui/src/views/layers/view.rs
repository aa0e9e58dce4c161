//! What the shell does with the view.

use ratatui::buffer::Buffer;

use crate::{
    session::{
        Session, ask::Loading, context::Context, effect::Effect, request::Numbers, views::View,
    },
    views::view::RunView,
    widgets::{
        layout::Layout,
        mouse::{Kind, Mouse},
        scroll::Motion,
        theme::Theme,
    },
};

use super::{Layers, Message, Part, areas::Areas, draw};

impl RunView for Layers {
    fn settle(&mut self, session: &mut Session, layout: &Layout) {
        if session.view != View::Layers {
            return;
        }
        let areas = Areas::of(layout, self.part);
        self.turns.cursor = session.turn;
        self.turns.follow(session.run.turns.len(), Areas::height(areas.turns));
        self.brief.follow(self.brief_rows(session).len(), Areas::height(areas.brief));
        self.origin.follow(self.origin_rows(session).len(), Areas::height(areas.origin));
    }

    /// What is recorded of layers, while the view is on.
    fn ask(&mut self, session: &mut Session, numbers: &mut Numbers, _: &Layout) -> Vec<Effect> {
        let is_known = session.growth.is_whole && matches!(session.timeline, Loading::Ready(_));
        if !is_known || session.view != View::Layers {
            return vec![];
        }
        let Session { run, scores, .. } = session;
        scores.worked.ask_layers(numbers, run).into_iter().collect()
    }

    fn context(&self, _: &Session) -> Context {
        Context::Layers
    }

    fn point(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) -> bool {
        let areas = Areas::of(layout, self.part);
        let parts = [
            (Part::Turns, areas.turns, self.turns.top),
            (Part::Brief, areas.brief, self.brief.top),
            (Part::Origin, areas.origin, self.origin.top),
        ];
        let hit = parts
            .iter()
            .find_map(|(part, area, top)| Some((*part, *top, mouse.row_inside((*area)?)?)));
        let Some((part, top, row)) = hit else { return false };
        self.part = part;
        let motion = match mouse.kind {
            Kind::WheelUp => Motion::Up(1),
            Kind::WheelDown => Motion::Down(1),
            Kind::Click | Kind::DoubleClick => Motion::To(top + row + 1),
            _ => return false,
        };
        self.update(session, Message::Move(motion), layout);
        mouse.kind == Kind::DoubleClick
    }

    fn draw(&self, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
        draw::draw(self, session, theme, layout, buffer);
    }
}
