//! Where the parts of the view stand, as a pure function: `update` asks it what a click means, `draw` where things go.

use ratatui::layout::{Constraint, Layout as Split, Position, Rect};

use crate::widgets::layout::{Layout, inside};

use super::Part;

/// The areas of one frame, borders included; they do not overlap and lie inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Areas {
    /// The names of the parts, where there is only room for one of them.
    pub tabs: Option<Rect>,
    pub list: Option<Rect>,
    pub detail: Option<Rect>,
}

/// From here on the words stand beside the list.
const SIDE_BY_SIDE: u16 = 110;

/// From here on they stand below it.
const ABOVE_EACH_OTHER: u16 = 28;

impl Areas {
    pub fn of(layout: &Layout, part: Part) -> Self {
        let body = layout.body;
        if layout.is_too_small {
            return Self::default();
        }
        if body.width >= SIDE_BY_SIDE {
            let sides = [Constraint::Fill(5), Constraint::Fill(3)];
            let [list, detail] = Split::horizontal(sides).areas(body);
            return Self { tabs: None, list: Some(list), detail: Some(detail) };
        }
        if body.height >= ABOVE_EACH_OTHER {
            let sides = [Constraint::Fill(3), Constraint::Fill(2)];
            let [list, detail] = Split::vertical(sides).areas(body);
            return Self { tabs: None, list: Some(list), detail: Some(detail) };
        }
        let [tabs, rest] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(body);
        match part {
            Part::List => Self { tabs: Some(tabs), list: Some(rest), detail: None },
            Part::Detail => Self { tabs: Some(tabs), list: None, detail: Some(rest) },
        }
    }

    /// Rows of the list, below its heads.
    pub fn list_height(&self) -> usize {
        self.list_rows().map_or(0, |area| usize::from(area.height))
    }

    /// Inside the border, below the heads of the columns.
    pub fn list_rows(&self) -> Option<Rect> {
        let inner = inside(self.list?);
        let heads = 1.min(inner.height);
        Some(Rect { y: inner.y + heads, height: inner.height - heads, ..inner })
    }

    /// Inside the border.
    pub fn detail_rows(&self) -> Option<Rect> {
        self.detail.map(inside)
    }

    /// The part under the pointer.
    pub fn part_at(&self, at: Position) -> Option<Part> {
        let is_in = |area: Option<Rect>| area.is_some_and(|area| area.contains(at));
        let parts = [(self.list, Part::List), (self.detail, Part::Detail)];
        parts.into_iter().find(|(area, _)| is_in(*area)).map(|(_, part)| part)
    }
}

/// The cells of each column of the list; none of one that has no room.
#[derive(Debug, Clone, Copy)]
pub struct Columns {
    pub bar: usize,
    pub weight: usize,
    pub kind: usize,
}

pub const SHARE: usize = 7;
pub const SCORE: usize = 6;

/// Cells of the sign of a node, and of its fold mark.
const SIGN: usize = 2;
pub const FOLD: usize = 2;

impl Columns {
    pub const fn of(width: usize) -> Self {
        let bar = match width {
            ..66 => 0,
            66..80 => 5,
            _ => 11,
        };
        let kind = if width < 60 { 0 } else { 7 };
        Self { bar, weight: if bar == 0 { 7 } else { 5 }, kind }
    }

    /// Cells before the fold mark of the root.
    pub const fn before(self) -> usize {
        SHARE + SCORE + self.bar + self.weight + 1 + SIGN + self.kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{Panel, Zoom};
    use ratatui::layout::Size;

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for (width, height) in [(0, 0), (60, 15), (80, 24), (100, 40), (120, 40), (300, 100)] {
            let layout = Layout::of(Size { width, height }, Panel::Turns, Zoom::Off, 0);
            for part in [Part::List, Part::Detail] {
                let areas = Areas::of(&layout, part);
                let all: Vec<Rect> =
                    [areas.tabs, areas.list, areas.detail].into_iter().flatten().collect();
                for (at, area) in all.iter().enumerate() {
                    assert_eq!(area.intersection(layout.body), *area);
                    assert!(all[..at].iter().all(|other| !area.intersects(*other)));
                }
                assert!(
                    layout.is_too_small
                        || areas.list_height() + 1 > usize::from(part == Part::List)
                );
            }
        }
    }
}
