//! Mouse events and their positions.

use ratatui::layout::{Position, Rect};

use super::{
    layout::{TAB_GAP, inside_border},
    scroll::Motion,
};

/// Rows that one notch of the wheel moves by.
pub(crate) const ROWS_PER_WHEEL_NOTCH: usize = 3;

/// Something done with the mouse, in cells from the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    pub kind: MouseKind,
    pub column: u16,
    pub row: u16,
}

impl Mouse {
    pub const fn position(self) -> Position {
        Position { x: self.column, y: self.row }
    }

    pub const fn is_in(self, area: Rect) -> bool {
        area.contains(self.position())
    }

    /// Returns whether it is a click, the first or the second.
    pub(crate) const fn is_click(self) -> bool {
        matches!(self.kind, MouseKind::Click | MouseKind::DoubleClick)
    }

    /// Returns the motion of a notch of the wheel, so many rows long.
    pub(crate) const fn wheel_motion(self, rows: usize) -> Option<Motion> {
        match self.kind {
            MouseKind::WheelUp => Some(Motion::Up(rows)),
            MouseKind::WheelDown => Some(Motion::Down(rows)),
            _ => None,
        }
    }

    /// Returns the row inside the border of an area, counted from its first; None on the border.
    pub(crate) fn row_inside(self, area: Rect) -> Option<usize> {
        let inner = inside_border(area);
        self.is_in(inner).then(|| usize::from(self.row - inner.y))
    }

    /// Returns the index of the tab at the position, in a line of tabs with these widths.
    pub(crate) fn tab_at(
        self,
        line: Rect,
        widths: impl IntoIterator<Item = usize>,
    ) -> Option<usize> {
        if !self.is_in(line) {
            return None;
        }
        let mut start = line.x + TAB_GAP;
        widths.into_iter().position(|width| {
            let end = start + width as u16;
            let is_here = (start..end).contains(&self.column);
            start = end + TAB_GAP;
            is_here
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    Click,
    /// The second of two clicks on one cell; the first came as a click.
    DoubleClick,
    WheelUp,
    WheelDown,
    WheelLeft,
    WheelRight,
    /// No button is down.
    Move,
    /// The button is let go; only programs in a terminal of ours want to know.
    Release,
    /// Moved with the button down; likewise.
    Drag,
}
