//! What a click on the audit selects and the wheel moves.

use ratatui::layout::{Position, Rect};

use crate::{
    session::Session,
    views::audit::Audit,
    widgets::{
        layout::Layout,
        mouse::{Kind, Mouse},
        scroll::Motion,
    },
};

use super::{Message, Part, areas::Areas};

/// Rows that one notch of the wheel moves by.
const NOTCH: usize = 3;

impl Audit {
    /// What a click selects and the wheel moves.
    pub fn point_at_audit(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) {
        let areas = Areas::of(layout, self.part);
        let is_in = |area: Option<Rect>| {
            area.is_some_and(|it| it.contains(Position { x: mouse.column, y: mouse.row }))
        };
        if let Some(part) = Part::ALL.into_iter().find(|part| is_in(areas.tab(*part))) {
            if mouse.kind == Kind::Click {
                self.part = part;
            }
            return;
        }
        let Some(part) = Part::ALL.into_iter().find(|part| is_in(areas.of_part(*part))) else {
            return;
        };
        let by = if part == Part::Queue { 1 } else { NOTCH };
        let message = match mouse.kind {
            Kind::Move | Kind::Release | Kind::Drag => return,
            Kind::WheelUp => Message::Move(Motion::Up(by)),
            Kind::WheelDown => Message::Move(Motion::Down(by)),
            Kind::WheelLeft => Message::Left(NOTCH),
            Kind::WheelRight => Message::Right(NOTCH),
            Kind::Click => {
                self.part = part;
                return self.select_in_audit(session, mouse, &areas, part);
            }
            Kind::DoubleClick => Message::Open,
        };
        self.part = part;
        self.update(session, message, layout);
    }

    fn select_in_audit(&mut self, session: &mut Session, mouse: Mouse, areas: &Areas, part: Part) {
        let first = areas.of_part(part).map_or(0, |area| area.y + 1);
        let Some(row) = mouse.row.checked_sub(first).map(usize::from) else { return };
        if row >= areas.height(part) {
            return;
        }
        match part {
            Part::Queue => {
                let at = self.rows.top + row;
                if at < session.queued().len() {
                    self.go_to_queued(session, at);
                }
            }
            Part::Component => self.item.cursor = self.item.top + row,
            Part::Agreement => self.figures.cursor = self.figures.top + row,
            Part::Code => self.select_in_code(session, row, areas),
        }
    }

    fn select_in_code(&mut self, session: &mut Session, row: usize, areas: &Areas) {
        let rows = self.code_rows(session, areas);
        let code = &mut self.code;
        if code.tree.is_shown {
            let top = crate::widgets::scroll::centred(
                code.tree.cursor,
                code.tree.rows().len(),
                areas.height(Part::Code),
            );
            if top + row < code.tree.rows().len() {
                code.tree.cursor = top + row;
            }
            return;
        }
        if row < rows.spots {
            return self.aim_at_spot(rows.first_spot + row);
        }
        if let Some(line) = row.checked_sub(rows.spots + 1) {
            code.scroll.cursor = code.scroll.top + line; // settled to the last line there is
        }
    }
}
