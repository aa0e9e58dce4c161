//! Where the parts stand, as a pure function: `update` asks it what a click means, `draw` where things go.

use ratatui::layout::{Constraint, Layout as Split, Position, Rect};

use crate::widgets::layout::{Layout, inside};

use super::Part;

/// The areas of one frame, borders included; they do not overlap and lie inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Areas {
    /// The row of tabs, where one part is seen at a time.
    pub tabs: Option<Rect>,
    /// By part.
    parts: [Option<Rect>; 5],
    /// The table of transitions, beside the numbers.
    pub transitions: Option<Rect>,
}

/// From here on parts stand beside each other.
const SIDE_BY_SIDE: (u16, u16) = (100, 28);

/// From here on the curves are always seen.
const WIDE: u16 = 160;

/// From here on numbers have their intervals beside the curves.
const VERY_WIDE: u16 = 190;

/// Rows of the numbers, borders and heads included.
const NUMBERS: u16 = 13;

/// Cells of the table of transitions, borders included.
pub const TRANSITIONS: u16 = 44;

/// Rows of the table of transitions, borders included, and cells that the numbers need beside it.
const TRANSITIONS_ROWS: u16 = 8;
const NUMBERS_WIDTH: u16 = 64;

impl Areas {
    /// `beside` is what stands beside the components where there is room for one thing.
    pub fn at(layout: &Layout, part: Part, beside: Part, is_zoomed: bool) -> Self {
        let body = layout.body;
        if layout.is_too_small {
            return Self::default();
        }
        let has_room = body.width >= SIDE_BY_SIDE.0 && body.height >= SIDE_BY_SIDE.1;
        if !has_room || is_zoomed {
            return Self::tabbed(body, part);
        }
        let [band, below] =
            Split::vertical([Constraint::Length(NUMBERS), Constraint::Fill(1)]).areas(body);
        let is_wide = body.width >= WIDE;
        let mut areas = Self::default();
        if is_wide {
            let numbers = if body.width >= VERY_WIDE { 86 } else { 68 };
            let columns =
                [Constraint::Length(numbers), Constraint::Length(TRANSITIONS), Constraint::Fill(1)];
            let [numbers, transitions, curves] = Split::horizontal(columns).areas(band);
            areas.put(Part::Numbers, numbers);
            areas.transitions = Some(transitions);
            areas.put(Part::Curves, curves);
        } else {
            let columns = [Constraint::Fill(1), Constraint::Length(TRANSITIONS)];
            let [numbers, transitions] = Split::horizontal(columns).areas(band);
            areas.put(Part::Numbers, numbers);
            areas.transitions = Some(transitions);
        }
        let components = if is_wide { 78 } else { body.width * 2 / 5 };
        let columns = [Constraint::Length(components), Constraint::Fill(1)];
        let [components, right] = Split::horizontal(columns).areas(below);
        areas.put(Part::Components, components);
        let right_part = match beside {
            Part::Curves if is_wide => Part::Code,
            Part::Curves | Part::Files => beside,
            _ => Part::Code,
        };
        areas.put(right_part, right);
        areas
    }

    fn tabbed(body: Rect, part: Part) -> Self {
        let [tabs, rest] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(body);
        let mut areas = Self { tabs: Some(tabs), ..Self::default() };
        if part == Part::Numbers && rest.width >= TRANSITIONS + NUMBERS_WIDTH {
            let columns = [Constraint::Fill(1), Constraint::Length(TRANSITIONS)];
            let [numbers, transitions] = Split::horizontal(columns).areas(rest);
            areas.put(part, numbers);
            areas.transitions = Some(transitions);
        } else if part == Part::Numbers && rest.height >= 2 * TRANSITIONS_ROWS {
            let rows = [Constraint::Fill(1), Constraint::Length(TRANSITIONS_ROWS)];
            let [numbers, transitions] = Split::vertical(rows).areas(rest);
            areas.put(part, numbers);
            areas.transitions = Some(transitions);
        } else {
            areas.put(part, rest);
        }
        areas
    }

    const fn put(&mut self, part: Part, area: Rect) {
        self.parts[part as usize] = Some(area);
    }

    /// Where a part stands; None where it is not seen.
    pub const fn of(&self, part: Part) -> Option<Rect> {
        self.parts[part as usize]
    }

    /// Rows inside the border of a part, without heads.
    pub fn height(&self, part: Part) -> usize {
        let rows = self.of(part).map_or(0, |area| area.height.saturating_sub(2));
        usize::from(rows.saturating_sub(heads(part)))
    }

    /// The part under a cell.
    pub fn part_at(&self, column: u16, row: u16) -> Option<Part> {
        let at = Position { x: column, y: row };
        Part::ALL.into_iter().find(|part| self.of(*part).is_some_and(|area| area.contains(at)))
    }

    /// The cells of the code of both sides, borders of the panel not included.
    pub fn code_sides(&self) -> Option<[Rect; 2]> {
        let area = self.of(Part::Code)?;
        let inner = inside(area);
        let [a, _, b] =
            Split::horizontal([Constraint::Fill(1), Constraint::Length(1), Constraint::Fill(1)])
                .areas(inner);
        Some([a, b])
    }
}

/// Rows at the top of a part that do not scroll.
pub const fn heads(part: Part) -> u16 {
    match part {
        Part::Numbers | Part::Components => 1,
        Part::Code => CODE_HEADS,
        Part::Curves | Part::Files => 0,
    }
}

/// Above the code of a side: its place, and two rows of why.
pub const CODE_HEADS: u16 = 3;

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::*;
    use crate::widgets::layout::{Panel, Zoom};

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart_and_the_focus_is_seen() {
        for (width, height) in [(60, 15), (80, 24), (100, 30), (120, 40), (200, 50), (300, 100)] {
            let layout = Layout::of(Size { width, height }, Panel::Turns, Zoom::Off, 0);
            for part in Part::ALL {
                let beside = if part == Part::Numbers { Part::Files } else { part };
                let areas = Areas::at(&layout, part, beside, false);
                let seen = Part::ALL.into_iter().filter_map(|part| areas.of(part));
                let all: Vec<Rect> = seen.chain(areas.transitions).chain(areas.tabs).collect();
                for (at, area) in all.iter().enumerate() {
                    assert_eq!(area.intersection(layout.body), *area, "{width}x{height}");
                    assert!(all[..at].iter().all(|other| !area.intersects(*other)));
                }
                assert!(areas.of(part).is_some(), "{part:?} at {width}x{height}");
            }
        }
    }

    #[test]
    fn a_screen_too_small_has_no_parts() {
        let layout = Layout::of(Size { width: 40, height: 10 }, Panel::Turns, Zoom::Off, 0);
        assert_eq!(Areas::at(&layout, Part::Code, Part::Code, false), Areas::default());
    }
}
