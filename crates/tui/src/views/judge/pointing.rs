//! What a click in the pane selects and the wheel moves.

use ratatui::layout::Rect;

use crate::{
    session::Session,
    views::judge::Judging,
    widgets::{
        layout::Layout,
        mouse::{Kind, Mouse},
        scroll::Motion,
    },
};

use super::{Message, Page, Part, areas::Areas};

impl Judging {
    /// True where the pointer is over the pane.
    pub(crate) fn point_at_judging(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &Layout,
    ) -> bool {
        let is_in = |area: Rect| mouse.is_in(area);
        if !self.is_open || !layout.pane.is_some_and(is_in) {
            if matches!(mouse.kind, Kind::Click | Kind::DoubleClick) {
                self.has_keyboard = false;
            }
            return false;
        }
        let areas = Areas::of(layout, self.page);
        if self.page == Page::Watch && (is_in(areas.list) || is_in(areas.below)) {
            self.part = if is_in(areas.list) { Part::Components } else { Part::Calls };
        }
        let message = match mouse.kind {
            Kind::WheelUp => Message::Move(Motion::Up(1)),
            Kind::WheelDown => Message::Move(Motion::Down(1)),
            Kind::Click => {
                self.has_keyboard = true;
                self.select_in_pane(mouse, &areas);
                return true;
            }
            // In the form two clicks must not begin what costs money.
            Kind::DoubleClick if self.page == Page::Form => Message::Mark,
            Kind::DoubleClick => Message::Enter,
            Kind::WheelLeft | Kind::WheelRight | Kind::Move | Kind::Release | Kind::Drag => {
                return true;
            }
        };
        self.update(session, message, layout);
        true
    }

    fn select_in_pane(&mut self, mouse: Mouse, areas: &Areas) {
        let row_in = |area: Rect| mouse.row.checked_sub(area.y).map(usize::from);
        let judging = &mut *self;
        match (judging.page, judging.part) {
            (Page::Form, _) => {
                if let Some(row) = row_in(areas.list).filter(|row| *row < areas.list_height()) {
                    judging.form.rows.cursor = judging.form.rows.top + row;
                }
            }
            (Page::Watch, Part::Components) => {
                if let Some(row) = row_in(areas.list).filter(|row| *row < areas.list_height()) {
                    let row = judging.rows.top + row;
                    self.choose_entry(row);
                }
            }
            (Page::Watch, Part::Calls) => {
                if let Some(row) = row_in(areas.below).and_then(|row| row.checked_sub(1)) {
                    judging.calls.cursor = judging.calls.top + row;
                    judging.follows = false;
                }
            }
            (Page::Detail, _) => {}
        }
    }
}
