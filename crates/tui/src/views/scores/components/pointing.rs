//! What a click on the components selects and the wheel moves.

use ratatui::layout::Rect;

use crate::{
    session::Session,
    views::scores::{components::Components, lifeline},
    widgets::{
        layout::Layout,
        mouse::{Kind, Mouse, NOTCH},
        scroll::Motion,
    },
};

use super::{Message, Part, areas::Areas};

impl Components {
    pub(crate) fn point_at_components(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &Layout,
    ) {
        let areas = Areas::of(layout, self.part);
        let is_in = |area: Option<Rect>| area.is_some_and(|it| mouse.is_in(it));
        let part = match () {
            () if is_in(areas.table) => Part::Table,
            () if is_in(areas.verdict) => Part::Verdict,
            () if is_in(areas.lifeline) => Part::Lifeline,
            () => return,
        };
        let wheel = |motion| match part {
            Part::Lifeline => Message::Turn(motion),
            Part::Table | Part::Verdict => Message::Move(motion),
        };
        let message = match mouse.kind {
            Kind::Move | Kind::Release | Kind::Drag => return,
            Kind::WheelUp | Kind::WheelLeft => wheel(Motion::Up(by(part))),
            Kind::WheelDown | Kind::WheelRight => wheel(Motion::Down(by(part))),
            Kind::Click | Kind::DoubleClick => {
                self.part = part;
                self.select_under(session, mouse, &areas, part);
                match mouse.kind {
                    Kind::DoubleClick => Message::Open,
                    _ => return,
                }
            }
        };
        self.part = part;
        self.update_components(session, message, layout);
    }

    fn select_under(&mut self, session: &mut Session, mouse: Mouse, areas: &Areas, part: Part) {
        match part {
            Part::Table => {
                let first = areas.table.map_or(0, |area| area.y + 2);
                let rows = self.component_rows(session);
                let top = self.rows.top;
                let at = mouse.row.checked_sub(first).map(|row| top + usize::from(row));
                if let Some(row) = at.and_then(|at| rows.get(at)) {
                    self.choose(Some(row.id.clone()));
                }
            }
            Part::Verdict => {
                let first = areas.verdict.map_or(0, |area| area.y + 1);
                let scroll = &mut self.verdict;
                if let Some(row) = mouse.row.checked_sub(first) {
                    scroll.cursor = scroll.top + usize::from(row);
                }
            }
            Part::Lifeline => {
                let strip = areas.strip();
                let (turns, cells) = (session.run.turns.len(), usize::from(strip.width));
                let axis = lifeline::Axis::of(session.turn, turns, cells);
                let cell = mouse.column.checked_sub(strip.x).map(usize::from);
                if let Some(turn) = cell.and_then(|cell| axis.turn_at(cell)) {
                    session.select_turn(turn);
                }
            }
        }
    }
}

const fn by(part: Part) -> usize {
    match part {
        Part::Table | Part::Lifeline => 1,
        Part::Verdict => NOTCH,
    }
}
