//! Handles clicks and the wheel on the flags.

use crate::{
    session::Session,
    views::scores::flags::FlagsView,
    widgets::mouse::{Mouse, MouseKind},
};

use super::FlagsMessage;

impl FlagsView {
    pub(crate) fn point_at_flags(&mut self, session: &mut Session, mouse: Mouse) {
        if let Some(motion) = mouse.wheel_motion(1).filter(|_| self.rows.has_mouse(mouse)) {
            return self.update_flags(session, FlagsMessage::Move(motion));
        }
        let Some(row) = self.rows.row_at(mouse).filter(|_| mouse.is_click()) else { return };
        self.rows.choose(row);
        if mouse.kind == MouseKind::DoubleClick {
            self.update_flags(session, FlagsMessage::Open);
        }
    }
}
