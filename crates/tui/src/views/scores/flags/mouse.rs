//! Handles clicks and the wheel on the flags.

use crate::{
    session::Session,
    views::scores::flags::FlagsView,
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind},
        scroll::Motion,
    },
};

use super::{FlagsMessage, areas::FlagsAreas};

impl FlagsView {
    pub(crate) fn point_at_flags(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) {
        let area = FlagsAreas::for_layout(layout).table;
        if !mouse.is_in(area) {
            return;
        }
        let row = mouse.row.checked_sub(area.y + 2).map(usize::from);
        let under = row
            .map(|row| self.rows.top + row)
            .filter(|at| mouse.row + 1 < area.bottom() && *at < self.flag_rows(session).len());
        match (mouse.kind, under) {
            (MouseKind::WheelUp, _) => {
                self.update_flags(session, FlagsMessage::Move(Motion::Up(1)), layout)
            }
            (MouseKind::WheelDown, _) => {
                self.update_flags(session, FlagsMessage::Move(Motion::Down(1)), layout)
            }
            (MouseKind::Click, Some(at)) => self.rows.cursor = at,
            (MouseKind::DoubleClick, Some(at)) => {
                self.rows.cursor = at;
                self.update_flags(session, FlagsMessage::Open, layout);
            }
            _ => {}
        }
    }
}
