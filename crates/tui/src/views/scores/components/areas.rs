//! Where the parts of the view stand, as a pure function: `update` asks it what a click means, `draw` where things go.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::Layout;

use super::Part;

/// The areas of one frame, borders included; they do not overlap and lie inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Areas {
    /// Two rows, or one, without a border.
    pub header: Rect,
    pub table: Option<Rect>,
    pub verdict: Option<Rect>,
    pub lifeline: Option<Rect>,
}

/// From here on the verdict stands beside the table.
const SIDE_BY_SIDE: u16 = 110;

/// From here on the table has room for whole lifelines.
const WIDE: u16 = 160;

/// Cells of the table beside a verdict, borders included.
const TABLE: u16 = 66;

/// Rows below which the lifeline takes turns with the table.
const LOW: u16 = 18;

/// From so many rows on a narrow screen has both a verdict and a lifeline.
const HIGH: u16 = 32;

/// Cells to the left of the cells of a lifeline: the name of its symbol.
pub const NAMES: u16 = 20;

impl Areas {
    pub fn of(layout: &Layout, part: Part) -> Self {
        if layout.is_too_small {
            return Self::default();
        }
        let body = layout.body;
        let lines = if body.height >= LOW { 2 } else { 1 };
        let [header, rest] =
            Split::vertical([Constraint::Length(lines), Constraint::Fill(1)]).areas(body);
        let is_narrow = body.width < SIDE_BY_SIDE;
        // On a narrow screen a verdict, which is read, needs the rows more than the lifeline below it.
        let has_both =
            rest.height >= LOW && !(is_narrow && part == Part::Verdict && rest.height < HIGH);
        if !has_both && part == Part::Lifeline {
            return Self { header, lifeline: Some(rest), ..Self::default() };
        }
        let below = if !has_both { 0 } else { (rest.height / 3).clamp(8, 13) };
        let [above, lifeline] =
            Split::vertical([Constraint::Fill(1), Constraint::Length(below)]).areas(rest);
        let lifeline = has_both.then_some(lifeline);
        if is_narrow {
            let (table, verdict) = match part {
                Part::Verdict => (None, Some(above)),
                Part::Table | Part::Lifeline => (Some(above), None),
            };
            return Self { header, table, verdict, lifeline };
        }
        let width = if body.width >= WIDE { body.width * 13 / 20 } else { TABLE };
        let sides = [Constraint::Length(width), Constraint::Fill(1)];
        let [table, verdict] = Split::horizontal(sides).areas(above);
        Self { header, table: Some(table), verdict: Some(verdict), lifeline }
    }

    /// Rows of the table, without the one of its column names.
    pub fn table_height(&self) -> usize {
        self.table.map_or(0, |area| usize::from(area.height.saturating_sub(3)))
    }

    pub fn verdict_height(&self) -> usize {
        self.verdict.map_or(0, |area| usize::from(area.height.saturating_sub(2)))
    }

    /// Cells inside the border of the verdict; of a hidden one those it would have.
    pub fn verdict_width(&self) -> usize {
        let area = self.verdict.or(self.table).or(self.lifeline).unwrap_or_default();
        usize::from(area.width.saturating_sub(2))
    }

    /// The cells of the lifeline: those that turns stand in.
    pub fn strip(&self) -> Rect {
        let Some(area) = self.lifeline else { return Rect::default() };
        let left = NAMES.min(area.width / 3);
        Rect {
            x: area.x + 1 + left,
            y: area.y + 1,
            width: area.width.saturating_sub(left + 3),
            height: area.height.saturating_sub(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{Panel, Zoom};
    use ratatui::layout::Size;

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for (width, height) in [(0, 0), (60, 15), (80, 24), (109, 19), (120, 40), (300, 100)] {
            for part in Part::ALL {
                let layout = Layout::of(Size { width, height }, Panel::Turns, Zoom::Off, 0);
                let areas = Areas::of(&layout, part);
                let parts = [Some(areas.header), areas.table, areas.verdict, areas.lifeline];
                let all: Vec<Rect> = parts.into_iter().flatten().collect();
                for (at, area) in all.iter().enumerate() {
                    assert_eq!(area.intersection(layout.body), *area);
                    assert!(all[..at].iter().all(|other| !area.intersects(*other)));
                }
                let shown = match part {
                    Part::Table => areas.table,
                    Part::Verdict => areas.verdict,
                    Part::Lifeline => areas.lifeline,
                };
                assert!(layout.is_too_small || shown.is_some_and(|area| area.height >= 6));
                let strip = areas.strip();
                assert!(areas.lifeline.is_none_or(|area| strip.intersection(area) == strip));
            }
        }
    }
}
