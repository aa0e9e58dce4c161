//! The mouse over the table: a click on a title sorts, one on a row chooses it, two open it.

use ratatui::layout::Rect;

use crate::widgets::{
    layout::ScreenLayout,
    mouse::{Mouse, MouseKind, ROWS_PER_WHEEL_NOTCH},
    scroll::Motion,
};

use super::{RunTableView, TableMessage};

impl RunTableView {
    /// Returns the message for a click or the wheel.
    pub(crate) fn message_for_mouse(
        &self,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) -> Option<TableMessage> {
        if let Some(finding) = &self.finding {
            return finding.message_for_mouse(mouse).map(TableMessage::Find);
        }
        let areas = self.table_areas(layout.body);
        let is_in = |area: Rect| mouse.is_in(area);
        let title = (is_in(areas.titles) || is_in(areas.sources))
            .then(|| areas.column_at(mouse.column))
            .flatten();
        Some(match (mouse.kind, title, self.list.row_at(mouse)) {
            (MouseKind::Click, Some(column), _) => TableMessage::SortBy(column),
            (MouseKind::Click, _, Some(line)) => TableMessage::Move(Motion::To(line + 1)),
            (MouseKind::DoubleClick, _, Some(_)) => TableMessage::Open,
            (MouseKind::WheelUp, ..) => TableMessage::Turn(Motion::Up(ROWS_PER_WHEEL_NOTCH)),
            (MouseKind::WheelDown, ..) => TableMessage::Turn(Motion::Down(ROWS_PER_WHEEL_NOTCH)),
            (MouseKind::WheelLeft, ..) => TableMessage::Choose(Motion::Up(1)),
            (MouseKind::WheelRight, ..) => TableMessage::Choose(Motion::Down(1)),
            _ => return None,
        })
    }
}
