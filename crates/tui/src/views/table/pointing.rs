//! The mouse over the table: a click on a title sorts, one on a row chooses it, two open it.

use ratatui::layout::Rect;

use crate::widgets::{
    layout::Layout,
    mouse::{Kind, Mouse, NOTCH},
    scroll::Motion,
};

use super::{Collection, Message};

impl Collection {
    /// What a click or the wheel wants.
    pub fn pointed_at(&self, mouse: Mouse, layout: &Layout) -> Option<Message> {
        if let Some(finding) = &self.finding {
            return finding.pointed_at(mouse, layout.body).map(Message::Find);
        }
        let areas = self.areas(layout.body);
        let is_in = |area: Rect| mouse.is_in(area);
        let line = is_in(areas.list)
            .then(|| self.scroll.top + usize::from(mouse.row - areas.list.y))
            .filter(|line| *line < self.lines().len());
        let title = (is_in(areas.titles) || is_in(areas.sources))
            .then(|| areas.column_at(mouse.column))
            .flatten();
        Some(match (mouse.kind, title, line) {
            (Kind::Click, Some(column), _) => Message::SortBy(column),
            (Kind::Click, _, Some(line)) => Message::Move(Motion::To(line + 1)),
            (Kind::DoubleClick, _, Some(_)) => Message::Open,
            (Kind::WheelUp, ..) => Message::Turn(Motion::Up(NOTCH)),
            (Kind::WheelDown, ..) => Message::Turn(Motion::Down(NOTCH)),
            (Kind::WheelLeft, ..) => Message::Choose(Motion::Up(1)),
            (Kind::WheelRight, ..) => Message::Choose(Motion::Down(1)),
            _ => return None,
        })
    }
}
