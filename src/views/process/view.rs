//! What the shell does with the view.

use ratatui::buffer::Buffer;

use crate::{
    metrics::process::Pillar,
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

use super::{List, Message, Part, Process, areas::Areas, draw};

impl RunView for Process {
    fn settle(&mut self, session: &mut Session, layout: &Layout) {
        if session.view != View::Process {
            return;
        }
        let areas = Areas::of(layout, self.part);
        self.counted.follow(self.counted_rows(session).len(), areas.counted_height());
        self.below.follow(self.below_rows(session).len(), areas.below_height());
    }

    /// The report while the view is on; decisions and memory while their list is.
    fn ask(&mut self, session: &mut Session, numbers: &mut Numbers, _: &Layout) -> Vec<Effect> {
        let is_known = session.growth.is_whole && matches!(session.timeline, Loading::Ready(_));
        if !is_known || session.view != View::Process {
            return vec![];
        }
        let Session { run, scores, .. } = session;
        let mut effects: Vec<Effect> = scores.worked.ask(numbers, run).into_iter().collect();
        match self.list {
            List::Decisions => effects.extend(scores.worked.ask_decisions(numbers, run)),
            List::Memory => effects.extend(scores.worked.ask_memory(numbers, run)),
            List::Signals | List::Plan | List::Recording => {}
        }
        effects
    }

    fn context(&self, _: &Session) -> Context {
        match self.part {
            Part::Pillars => Context::Pillars,
            Part::Counted | Part::Below => Context::Told,
        }
    }

    fn point(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) -> bool {
        let areas = Areas::of(layout, self.part);
        let parts = [
            (Part::Pillars, areas.pillars),
            (Part::Counted, areas.counted),
            (Part::Below, areas.below),
        ];
        let hit = parts.iter().find_map(|(part, area)| Some((*part, mouse.row_inside((*area)?)?)));
        let Some((part, row)) = hit else { return false };
        match mouse.kind {
            Kind::WheelUp | Kind::WheelDown => {
                self.part = part;
                let motion = match mouse.kind {
                    Kind::WheelUp => Motion::Up(1),
                    _ => Motion::Down(1),
                };
                self.update(session, Message::Move(motion), layout);
                false
            }
            Kind::Click | Kind::DoubleClick => {
                self.part = part;
                let wanted = match part {
                    Part::Pillars => row.min(Pillar::ALL.len() - 1),
                    Part::Counted => self.counted.top + row,
                    // The strip stands above the rows.
                    Part::Below => (self.below.top + row).saturating_sub(1),
                };
                self.update(session, Message::Move(Motion::To(wanted + 1)), layout);
                mouse.kind == Kind::DoubleClick
            }
            _ => false,
        }
    }

    fn draw(&self, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
        draw::draw(self, session, theme, layout, buffer);
    }
}
