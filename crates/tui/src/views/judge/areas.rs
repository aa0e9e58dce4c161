//! Computes the areas of the pane as a pure function: `update` uses it for clicks, `draw` for positions.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::{
    layout::{ScreenLayout, inside_border},
    pane::PaneRoom,
};

use super::JudgePage;

/// The areas of one frame; they do not overlap and lie inside the pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JudgeAreas {
    /// Borders included.
    pub pane: Rect,
    /// The progress of a judging.
    pub head: Rect,
    /// The components, or the words about one.
    pub list: Rect,
    /// The calls, with a row for their title.
    pub below: Rect,
}

/// Rows that say how far it is.
const HEAD_ROWS: u16 = 4;

/// Below this height the head is shorter.
const SHORT_HEAD_BELOW: u16 = 16;

impl JudgeAreas {
    pub fn new(layout: &ScreenLayout, page: JudgePage) -> Self {
        let Some(pane) = layout.pane else { return Self::default() };
        let inner = inside_border(pane);
        let head = if inner.height < SHORT_HEAD_BELOW { HEAD_ROWS - 1 } else { HEAD_ROWS };
        let (head, below) = match page {
            JudgePage::Form => (0, 0),
            JudgePage::Watch => (head, inner.height.saturating_sub(head) * 2 / 5),
            JudgePage::Detail => (head, 0),
        };
        let parts = [Constraint::Length(head), Constraint::Fill(1), Constraint::Length(below)];
        let [head, list, below] = Split::vertical(parts).areas(inner);
        Self { pane, head, list, below }
    }

    /// Returns the room of the calls, below their title.
    pub(super) fn calls_room(&self) -> PaneRoom {
        PaneRoom::without_border(self.below).with_fixed_rows(1, 0)
    }

    pub(crate) const fn list_width(&self) -> usize {
        self.list.width as usize
    }
}
