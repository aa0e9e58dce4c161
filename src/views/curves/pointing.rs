//! What a click on the curves selects and the wheel moves.

use ratatui::layout::{Position, Rect};

use crate::{
    session::views::View,
    shell::replay::Replay,
    widgets::{
        layout::{Layout, inside},
        mouse::{Kind, Mouse},
        scroll::{Motion, centred},
    },
};

use super::{Message, Part, areas::Areas, series};

impl Replay {
    /// A click on the chart takes the playhead to the nearest point, one on a list selects its row.
    pub fn point_at_curves(&mut self, mouse: Mouse, layout: &Layout) {
        let areas = Areas::of(layout, self.curves.part);
        let at = |area: Option<Rect>| area.and_then(|area| row_inside(area, mouse));
        match (mouse.kind, at(areas.values), at(areas.moved)) {
            (Kind::WheelUp, _, Some(_)) => self.update_curves(Message::Move(Motion::Up(1)), layout),
            (Kind::WheelDown, _, Some(_)) => {
                self.update_curves(Message::Move(Motion::Down(1)), layout);
            }
            (Kind::WheelUp, Some(_), _) => {
                self.update_curves(Message::Choose(Motion::Up(1)), layout);
            }
            (Kind::WheelDown, Some(_), _) => {
                self.update_curves(Message::Choose(Motion::Down(1)), layout);
            }
            (Kind::WheelUp | Kind::WheelLeft, ..) => self.go_by_point(Motion::Up(1)),
            (Kind::WheelDown | Kind::WheelRight, ..) => self.go_by_point(Motion::Down(1)),
            (Kind::Click, Some(row), _) => self.choose_row(row, areas.values),
            (Kind::Click, _, Some(row)) => {
                self.curves.part = Part::Moved;
                let rows = self.moved_rows().len();
                let wanted = self.curves.rows.top + row;
                if wanted < rows {
                    self.curves.rows.cursor = wanted;
                }
            }
            (Kind::Move | Kind::Release | Kind::Drag, ..) => {}
            (Kind::DoubleClick, _, Some(_)) => self.follow_moved(),
            (Kind::DoubleClick, None, None) => self.curves.part = Part::Moved,
            (Kind::DoubleClick, Some(_), _) => {}
            (Kind::Click, None, None) => {
                let points = self.points();
                if let Some(index) = areas.point_at(mouse.column, mouse.row, points.len()) {
                    self.curves.part = Part::Chart;
                    self.session.select_turn(points[index].done - 1);
                }
            }
        }
    }

    /// Remembers the point under the pointer, whose values are shown until it is elsewhere or a key is pressed.
    pub fn hover(&mut self, mouse: Mouse, layout: &Layout, is_free: bool) {
        let is_here = is_free && self.session.view == View::Curves;
        let areas = Areas::of(layout, self.curves.part);
        let count = if is_here { self.points().len() } else { 0 };
        self.curves.hovered = areas.point_at(mouse.column, mouse.row, count);
    }

    fn choose_row(&mut self, row: usize, area: Option<Rect>) {
        self.curves.part = Part::Chart;
        let height = area.map_or(0, |area| usize::from(area.height.saturating_sub(2)));
        let listed = series::listed(self);
        let top = centred(series::chosen(self), listed.len(), height);
        if let Some(number) = listed.get(top + row) {
            self.curves.number = *number;
        }
    }
}

/// The row inside the border of an area, counted from its first; None on the border.
fn row_inside(area: Rect, mouse: Mouse) -> Option<usize> {
    let inner = inside(area);
    let is_in = inner.contains(Position { x: mouse.column, y: mouse.row });
    is_in.then(|| usize::from(mouse.row - inner.y))
}
