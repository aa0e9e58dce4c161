//! What a click on the comparison selects and the wheel moves.

use ratatui::layout::Rect;

use crate::widgets::{
    layout::TAB_GAP,
    mouse::{Kind, Mouse},
    scroll::Motion,
};

use super::{
    Comparison, Message, Part,
    areas::{Areas, heads},
};

/// Rows that one notch of the wheel moves by.
const NOTCH: usize = 3;

impl Comparison {
    /// What a click or the wheel wants; a click selects at once.
    pub fn pointed_at(&mut self, mouse: Mouse, areas: &Areas) -> Option<Message> {
        if let Some(part) = tab_at(areas, mouse) {
            return (mouse.kind == Kind::Click).then_some(Message::To(part));
        }
        let part = areas.part_at(mouse.column, mouse.row)?;
        match mouse.kind {
            Kind::WheelUp => Some(Message::Turn(part, Motion::Up(NOTCH))),
            Kind::WheelDown => Some(Message::Turn(part, Motion::Down(NOTCH))),
            Kind::WheelLeft => Some(Message::Sideways(Motion::Up(NOTCH))),
            Kind::WheelRight => Some(Message::Sideways(Motion::Down(NOTCH))),
            Kind::DoubleClick => Some(Message::Enter),
            Kind::Click => {
                self.click(part, mouse, areas);
                None
            }
            Kind::Move | Kind::Release | Kind::Drag => None,
        }
    }

    /// Selects what is under the pointer.
    fn click(&mut self, part: Part, mouse: Mouse, areas: &Areas) {
        self.focus(part);
        let Some(area) = areas.of(part) else { return };
        let Some(row) = row_below(area, heads(part), mouse) else { return };
        match part {
            Part::Components => {
                let wanted = self.table.scroll.top + row;
                if wanted < self.table.order.len() {
                    self.table.scroll.cursor = wanted;
                }
            }
            Part::Files => {
                let count = self.files.order.len();
                match &mut self.files.open {
                    Some(open) => open.scroll.cursor = open.scroll.top + row,
                    None if self.files.scroll.top + row < count => {
                        self.files.scroll.cursor = self.files.scroll.top + row;
                    }
                    None => {}
                }
            }
            Part::Code => {
                let middle = areas.code_sides().map_or(0, |[_, b]| b.x);
                self.side = usize::from(mouse.column >= middle);
                let view = &mut self.code.views[self.side];
                view.scroll.cursor = view.scroll.top + row;
            }
            Part::Numbers => self.chart.choose_row(row),
            Part::Curves => {
                let plot = super::chart::plot(area);
                let places = self.places();
                let width = f64::from(plot.width.saturating_sub(1).max(1));
                let at = f64::from(mouse.column.saturating_sub(plot.x)) / width;
                let nearest = (0..places.len()).min_by(|one, other| {
                    let away = |index: usize| (places[index].at - at).abs();
                    away(*one).total_cmp(&away(*other))
                });
                if let Some(point) = nearest {
                    self.chart.go_to(point);
                }
            }
        }
    }
}

/// What a tab says.
pub fn tab(part: Part) -> String {
    format!(" {} ", part.word())
}

fn tab_at(areas: &Areas, mouse: Mouse) -> Option<Part> {
    let tabs = areas.tabs.filter(|tabs| tabs.y == mouse.row)?;
    let mut start = tabs.x + TAB_GAP;
    Part::ALL.into_iter().find(|part| {
        let end = start + tab(*part).len() as u16;
        let is_here = (start..end).contains(&mouse.column);
        start = end + TAB_GAP;
        is_here
    })
}

/// The row inside the border of an area below its heads; None elsewhere.
fn row_below(area: Rect, heads: u16, mouse: Mouse) -> Option<usize> {
    let first = area.y + 1 + heads;
    let is_inside = (first..area.bottom().saturating_sub(1)).contains(&mouse.row)
        && mouse.column > area.x
        && mouse.column + 1 < area.right();
    is_inside.then(|| usize::from(mouse.row - first))
}
