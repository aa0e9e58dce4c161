//! Handles clicks and the wheel on the components.

use ratatui::layout::Rect;

use crate::{
    session::Session,
    views::scores::{components::ComponentsView, lifeline::lifeline_columns},
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind, ROWS_PER_WHEEL_NOTCH},
        scroll::Motion,
        text::width,
    },
};

use super::{ComponentsMessage, ComponentsPart, areas::ComponentsAreas};

impl ComponentsView {
    /// Returns whether the mouse is on the name of the judge in the header.
    pub(crate) fn is_on_judge(
        &self,
        session: &Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) -> bool {
        let header = ComponentsAreas::for_layout(layout, self.part).header;
        let Some(judgement) = session.rubric.shown_judgement().filter(|_| header.height > 1) else {
            return false;
        };
        let columns = width(&format!("judge {}", judgement.judge.name)) as u16;
        let name = Rect { x: header.x + 1, width: columns.min(header.width), height: 1, ..header };
        mouse.is_in(name)
    }

    pub(crate) fn point_at_components(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) {
        let areas = ComponentsAreas::for_layout(layout, self.part);
        let is_in = |area: Option<Rect>| area.is_some_and(|it| mouse.is_in(it));
        let part = match () {
            () if is_in(areas.table) => ComponentsPart::Table,
            () if is_in(areas.verdict) => ComponentsPart::Verdict,
            () if is_in(areas.lifeline) => ComponentsPart::Lifeline,
            () => return,
        };
        let wheel = |motion| match part {
            ComponentsPart::Lifeline => ComponentsMessage::Turn(motion),
            ComponentsPart::Table | ComponentsPart::Verdict => ComponentsMessage::Move(motion),
        };
        let message = match mouse.kind {
            MouseKind::Move | MouseKind::Release | MouseKind::Drag => return,
            MouseKind::WheelUp | MouseKind::WheelLeft => wheel(Motion::Up(rows_per_notch(part))),
            MouseKind::WheelDown | MouseKind::WheelRight => {
                wheel(Motion::Down(rows_per_notch(part)))
            }
            MouseKind::Click | MouseKind::DoubleClick => {
                self.part = part;
                self.select_under(session, mouse, &areas, part);
                match mouse.kind {
                    MouseKind::DoubleClick => ComponentsMessage::Open,
                    _ => return,
                }
            }
        };
        self.part = part;
        self.update_components(session, message, layout);
    }

    fn select_under(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        areas: &ComponentsAreas,
        part: ComponentsPart,
    ) {
        match part {
            ComponentsPart::Table => {
                let at = self.rows.row_at(mouse);
                let row = at.and_then(|at| self.component_rows(session).into_iter().nth(at));
                if let Some(row) = row {
                    self.choose_component(Some(row.id));
                }
            }
            ComponentsPart::Verdict => self.verdict.choose_row_at(mouse),
            ComponentsPart::Lifeline => {
                let strip = areas.strip_area();
                let columns = lifeline_columns(session, usize::from(strip.width));
                let column = mouse.column.checked_sub(strip.x).map(usize::from);
                if let Some(turn) = column.and_then(|column| columns.turn_at(column)) {
                    session.select_turn(turn);
                }
            }
        }
    }
}

const fn rows_per_notch(part: ComponentsPart) -> usize {
    match part {
        ComponentsPart::Table | ComponentsPart::Lifeline => 1,
        ComponentsPart::Verdict => ROWS_PER_WHEEL_NOTCH,
    }
}
