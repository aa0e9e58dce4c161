//! Handles clicks and the wheel in the pane.

use ratatui::layout::Rect;

use crate::{
    session::Session,
    views::{form::FormMouse, judge::JudgePane},
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind},
        scroll::Motion,
    },
};

use super::{JudgePage, JudgePaneMessage, WatchedList, areas::JudgeAreas};

impl JudgePane {
    /// Handles a mouse event. Returns true where the pointer is over the pane.
    pub(crate) fn handle_mouse(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) -> bool {
        let is_in = |area: Rect| mouse.is_in(area);
        if !self.is_open || !layout.pane.is_some_and(is_in) {
            if matches!(mouse.kind, MouseKind::Click | MouseKind::DoubleClick) {
                self.is_focused_beside = false;
            }
            return false;
        }
        if self.page == JudgePage::Form {
            self.is_focused_beside |= mouse.is_click();
            let message = self.form.pane.mouse_request(mouse).map(|request| match request {
                FormMouse::Form(message) => JudgePaneMessage::Form(message),
                FormMouse::Start => JudgePaneMessage::Enter,
            });
            message.into_iter().for_each(|message| self.update(session, message, layout));
            return true;
        }
        let areas = JudgeAreas::new(layout, self.page);
        if self.page == JudgePage::Watch && (is_in(areas.list) || is_in(areas.below)) {
            self.part =
                if is_in(areas.list) { WatchedList::Components } else { WatchedList::Calls };
        }
        let message = match mouse.kind {
            MouseKind::WheelUp => JudgePaneMessage::Move(Motion::Up(1)),
            MouseKind::WheelDown => JudgePaneMessage::Move(Motion::Down(1)),
            MouseKind::Click => {
                self.is_focused_beside = true;
                self.select_in_pane(mouse);
                return true;
            }
            MouseKind::DoubleClick => JudgePaneMessage::Enter,
            MouseKind::WheelLeft
            | MouseKind::WheelRight
            | MouseKind::Move
            | MouseKind::Release
            | MouseKind::Drag => {
                return true;
            }
        };
        self.update(session, message, layout);
        true
    }

    fn select_in_pane(&mut self, mouse: Mouse) {
        match (self.page, self.part) {
            (JudgePage::Watch, WatchedList::Components) => {
                self.choose_entry(self.rows.row_at(mouse).unwrap_or(self.rows.cursor()));
            }
            (JudgePage::Watch, WatchedList::Calls) => {
                if let Some(row) = self.calls.row_at(mouse) {
                    self.calls.choose(row);
                    self.follows = false;
                }
            }
            (JudgePage::Form | JudgePage::Detail, _) => {}
        }
    }
}
