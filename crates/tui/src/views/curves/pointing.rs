//! What a click on the curves selects and the wheel moves.

use ratatui::layout::{Margin, Rect};

use crate::{
    session::{Session, series, views::View},
    views::curves::Curves,
    widgets::{
        layout::Layout,
        mouse::{Kind, Mouse},
        scroll::{Motion, centred},
    },
};

use super::{Message, Part, areas::Areas, draw::values::list_and_notes, moving::go_to};

impl Curves {
    /// A click on the chart takes the playhead to the nearest point, one on a list selects its row.
    pub(super) fn click(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) {
        let areas = Areas::of(layout, self.part);
        let at = |area: Option<Rect>| area.and_then(|area| mouse.row_inside(area));
        match (mouse.kind, at(areas.values), at(areas.moved)) {
            (Kind::WheelUp, _, Some(_)) => {
                self.update(session, Message::Move(Motion::Up(1)), layout)
            }
            (Kind::WheelDown, _, Some(_)) => {
                self.update(session, Message::Move(Motion::Down(1)), layout);
            }
            (Kind::WheelUp, Some(_), _) => {
                self.update(session, Message::Choose(Motion::Up(1)), layout);
            }
            (Kind::WheelDown, Some(_), _) => {
                self.update(session, Message::Choose(Motion::Down(1)), layout);
            }
            (Kind::WheelUp | Kind::WheelLeft, ..) => self.go_by_point(session, Motion::Up(1)),
            (Kind::WheelDown | Kind::WheelRight, ..) => self.go_by_point(session, Motion::Down(1)),
            (Kind::Click, Some(row), _) => self.choose_row(session, row, areas.values),
            (Kind::Click, _, Some(row)) => {
                self.part = Part::Moved;
                let rows = self.moved_rows(session).len();
                let wanted = self.rows.top + row;
                if wanted < rows {
                    self.rows.cursor = wanted;
                }
            }
            (Kind::Move | Kind::Release | Kind::Drag, ..) => {}
            (Kind::DoubleClick, _, Some(_)) => self.follow_moved(session),
            (Kind::DoubleClick, None, None) => self.part = Part::Moved,
            (Kind::DoubleClick, Some(_), _) => {}
            (Kind::Click, None, None) => {
                let points = self.points(session);
                if let Some(index) = areas.point_at(mouse.column, mouse.row, points.len()) {
                    self.part = Part::Chart;
                    go_to(session, &points[index]);
                }
            }
        }
    }

    /// Remembers the point under the pointer, whose values are shown until it is elsewhere or a key is pressed.
    pub fn hover(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout, is_free: bool) {
        let is_here = is_free && session.view == View::Curves;
        let areas = Areas::of(layout, self.part);
        let count = if is_here { self.points(session).len() } else { 0 };
        self.hovered = areas.point_at(mouse.column, mouse.row, count);
    }

    fn choose_row(&mut self, session: &mut Session, row: usize, area: Option<Rect>) {
        self.part = Part::Chart;
        let points = self.points(session);
        let Some((area, here)) = area.zip(self.shown_point(session, &points)) else { return };
        let (rows, _) = list_and_notes(session, &points[here], area.inner(Margin::new(1, 1)));
        let height = usize::from(rows.height);
        let listed = series::listed(session);
        let top = centred(self.chosen(session), listed.len(), height);
        if row >= height {
            return;
        }
        if let Some(number) = listed.get(top + row) {
            self.number = *number;
        }
    }
}
