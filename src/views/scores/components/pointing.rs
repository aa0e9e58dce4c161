//! What a click on the components selects and the wheel moves.

use ratatui::layout::{Position, Rect};

use crate::{
    shell::replay::Replay,
    views::scores::lifeline,
    widgets::{
        layout::Layout,
        mouse::{Kind, Mouse},
        scroll::Motion,
    },
};

use super::{Message, Part, areas::Areas};

/// Rows that one notch of the wheel moves by.
const NOTCH: usize = 3;

impl Replay {
    pub(crate) fn point_at_components(&mut self, mouse: Mouse, layout: &Layout) {
        let areas = Areas::of(layout, self.scores.components.part);
        let is_in = |area: Option<Rect>| {
            area.is_some_and(|it| it.contains(Position { x: mouse.column, y: mouse.row }))
        };
        let part = match () {
            () if is_in(areas.table) => Part::Table,
            () if is_in(areas.verdict) => Part::Verdict,
            () if is_in(areas.lifeline) => Part::Lifeline,
            () => return,
        };
        let wheel = |motion| match part {
            Part::Lifeline => Message::Turn(motion),
            Part::Table | Part::Verdict => Message::Move(motion),
        };
        let message = match mouse.kind {
            Kind::Move | Kind::Release | Kind::Drag => return,
            Kind::WheelUp | Kind::WheelLeft => wheel(Motion::Up(by(part))),
            Kind::WheelDown | Kind::WheelRight => wheel(Motion::Down(by(part))),
            Kind::Click | Kind::DoubleClick => {
                self.scores.components.part = part;
                self.select_under(mouse, &areas, part);
                match mouse.kind {
                    Kind::DoubleClick => Message::Open,
                    _ => return,
                }
            }
        };
        self.scores.components.part = part;
        self.update_components(message, layout);
    }

    fn select_under(&mut self, mouse: Mouse, areas: &Areas, part: Part) {
        match part {
            Part::Table => {
                let first = areas.table.map_or(0, |area| area.y + 2);
                let rows = self.component_rows();
                let top = self.scores.components.rows.top;
                let at = mouse.row.checked_sub(first).map(|row| top + usize::from(row));
                if let Some(row) = at.and_then(|at| rows.get(at)) {
                    self.scores.components.choose(Some(row.id.clone()));
                }
            }
            Part::Verdict => {
                let first = areas.verdict.map_or(0, |area| area.y + 1);
                let scroll = &mut self.scores.components.verdict;
                if let Some(row) = mouse.row.checked_sub(first) {
                    scroll.cursor = scroll.top + usize::from(row);
                }
            }
            Part::Lifeline => {
                let strip = areas.strip();
                let (turns, cells) = (self.session.run.turns.len(), usize::from(strip.width));
                let first = lifeline::first_shown(self.session.turn, turns, cells);
                let at = mouse.column.checked_sub(strip.x).map(|cell| first + usize::from(cell));
                if let Some(turn) = at.filter(|turn| *turn < turns && mouse.column < strip.right())
                {
                    self.select_turn(turn);
                }
            }
        }
    }
}

const fn by(part: Part) -> usize {
    match part {
        Part::Table | Part::Lifeline => 1,
        Part::Verdict => NOTCH,
    }
}
