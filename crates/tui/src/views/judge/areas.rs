//! Where the parts of the pane stand, as a pure function: `update` asks it what a click means, `draw` where things go.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::{Layout, inside};

use super::Page;

/// The areas of one frame; they do not overlap and lie inside the pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Areas {
    /// Borders included.
    pub pane: Rect,
    /// How far a judging is.
    pub head: Rect,
    /// The fields, the components, or the words about one.
    pub list: Rect,
    /// What it would take; the calls, with a row for their title.
    pub below: Rect,
}

/// Rows that say what a judging would take.
const PLAN: u16 = 14;

/// Rows that say how far it is.
const HEAD: u16 = 4;

/// Rows below which the head says less.
const LOW: u16 = 16;

impl Areas {
    pub fn of(layout: &Layout, page: Page) -> Self {
        let Some(pane) = layout.pane else { return Self::default() };
        let inner = inside(pane);
        let head = if inner.height < LOW { HEAD - 1 } else { HEAD };
        let (head, below) = match page {
            Page::Form => (0, PLAN.min(inner.height / 2)),
            Page::Watch => (head, inner.height.saturating_sub(head) * 2 / 5),
            Page::Detail => (head, 0),
        };
        let parts = [Constraint::Length(head), Constraint::Fill(1), Constraint::Length(below)];
        let [head, list, below] = Split::vertical(parts).areas(inner);
        Self { pane, head, list, below }
    }

    pub const fn list_height(&self) -> usize {
        self.list.height as usize
    }

    /// Rows for calls.
    pub const fn below_height(&self) -> usize {
        self.below.height.saturating_sub(1) as usize
    }

    pub const fn width(&self) -> usize {
        self.list.width as usize
    }
}
