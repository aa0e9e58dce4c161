//! What a click on the flags selects and the wheel moves.

use crate::{
    session::Session,
    views::scores::flags::Flags,
    widgets::{
        layout::Layout,
        mouse::{Kind, Mouse},
        scroll::Motion,
    },
};

use super::{Message, areas::Areas};

impl Flags {
    pub(crate) fn point_at_flags(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) {
        let area = Areas::of(layout).table;
        if !mouse.is_in(area) {
            return;
        }
        let row = mouse.row.checked_sub(area.y + 2).map(usize::from);
        let under = row
            .map(|row| self.rows.top + row)
            .filter(|at| mouse.row + 1 < area.bottom() && *at < self.flag_rows(session).len());
        match (mouse.kind, under) {
            (Kind::WheelUp, _) => self.update_flags(session, Message::Move(Motion::Up(1)), layout),
            (Kind::WheelDown, _) => {
                self.update_flags(session, Message::Move(Motion::Down(1)), layout)
            }
            (Kind::Click, Some(at)) => self.rows.cursor = at,
            (Kind::DoubleClick, Some(at)) => {
                self.rows.cursor = at;
                self.update_flags(session, Message::Open, layout);
            }
            _ => {}
        }
    }
}
