//! Handles clicks and the wheel on the curves.

use ratatui::layout::{Margin, Rect};

use crate::{
    session::{Session, curve_values, views::View},
    views::curves::CurvesView,
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind},
        scroll::{Motion, centred_top},
    },
};

use super::{
    CurvesMessage, CurvesPart, areas::CurvesAreas, draw::value_list::list_and_notes,
    navigation::go_to,
};

impl CurvesView {
    /// Handles a click. On the chart it moves the playhead to the nearest point, on a list it selects a row.
    pub(super) fn handle_click(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) {
        let areas = CurvesAreas::for_layout(layout, self.part);
        let is_wheel = mouse.wheel_motion(1).is_some();
        // The wheel works on a border too.
        let at =
            |area: Rect| mouse.row_inside(area).or((is_wheel && mouse.is_in(area)).then_some(0));
        match (mouse.kind, areas.values.and_then(at), areas.moved.and_then(at)) {
            (MouseKind::WheelUp, _, Some(_)) => {
                self.update_view(session, CurvesMessage::Move(Motion::Up(1)), layout)
            }
            (MouseKind::WheelDown, _, Some(_)) => {
                self.update_view(session, CurvesMessage::Move(Motion::Down(1)), layout);
            }
            (MouseKind::WheelUp, Some(_), _) => {
                self.update_view(session, CurvesMessage::Choose(Motion::Up(1)), layout);
            }
            (MouseKind::WheelDown, Some(_), _) => {
                self.update_view(session, CurvesMessage::Choose(Motion::Down(1)), layout);
            }
            (MouseKind::WheelUp | MouseKind::WheelLeft, ..) => {
                self.go_by_point(session, Motion::Up(1))
            }
            (MouseKind::WheelDown | MouseKind::WheelRight, ..) => {
                self.go_by_point(session, Motion::Down(1))
            }
            (MouseKind::Click, Some(row), _) => self.choose_row(session, row, areas.values),
            (MouseKind::Click, _, Some(_)) => {
                self.part = CurvesPart::Moved;
                self.rows.choose_row_at(mouse);
            }
            (MouseKind::Move | MouseKind::Release | MouseKind::Drag, ..) => {}
            (MouseKind::DoubleClick, _, Some(_)) => self.follow_moved(session),
            (MouseKind::DoubleClick, None, None) => self.part = CurvesPart::Moved,
            (MouseKind::DoubleClick, Some(_), _) => {}
            (MouseKind::Click, None, None) => {
                let points = self.axis_points(session);
                if let Some(index) = areas.point_at(mouse.column, mouse.row, points.len()) {
                    self.part = CurvesPart::Chart;
                    go_to(session, &points[index]);
                }
            }
        }
    }

    /// Stores the point under the pointer. Its values are shown until the pointer moves on or a key is pressed.
    pub(crate) fn set_hovered(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
        is_free: bool,
    ) {
        let is_here = is_free && session.view == View::Curves;
        let areas = CurvesAreas::for_layout(layout, self.part);
        let count = if is_here { self.axis_points(session).len() } else { 0 };
        self.hovered = areas.point_at(mouse.column, mouse.row, count);
    }

    fn choose_row(&mut self, session: &mut Session, row: usize, area: Option<Rect>) {
        self.part = CurvesPart::Chart;
        let points = self.axis_points(session);
        let Some((area, here)) = area.zip(self.shown_point(session, &points)) else { return };
        let (rows, _) = list_and_notes(self, session, &points[here], area.inner(Margin::new(1, 1)));
        let height = usize::from(rows.height);
        let listed = curve_values::listed_numbers(session);
        let top = centred_top(self.chosen_index(session), listed.len(), height);
        if row >= height {
            return;
        }
        if let Some(number) = listed.get(top + row) {
            self.number = *number;
        }
    }
}
