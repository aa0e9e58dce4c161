//! Computes the areas of the parts as a pure function: `update` uses it for clicks, `draw` for positions.

use ratatui::layout::{Constraint, Layout as Split, Position, Rect};

use crate::widgets::{
    layout::{ScreenLayout, inside_border},
    pane::PaneRoom,
};

use super::ComparePart;

/// The areas of one frame, borders included; they do not overlap and lie inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CompareAreas {
    /// The names of the runs, and the progress of the measurement.
    pub head: Rect,
    /// The row of tabs, where one part is shown at a time.
    pub tabs: Option<Rect>,
    /// The area of each part, by part.
    parts: [Option<Rect>; ComparePart::ALL.len()],
    /// The table of transitions, beside the numbers.
    pub transitions: Option<Rect>,
}

/// From this size on parts are side by side.
const SIDE_BY_SIDE_FROM: (u16, u16) = (100, 27);

/// From this width on the curves are always shown.
const CURVES_ALWAYS_FROM: u16 = 160;

/// From this width on numbers have their intervals beside the curves.
const INTERVALS_FROM: u16 = 190;

/// Rows of the numbers, borders and heads included.
const NUMBERS_ROWS: u16 = 13;

/// Cells of the table of transitions, borders included.
pub(crate) const TRANSITIONS_CELLS: u16 = 44;

/// Rows of the table of transitions, borders included, and cells that the numbers need beside it.
const TRANSITIONS_ROWS: u16 = 8;
const NUMBERS_WIDTH: u16 = 64;

impl CompareAreas {
    /// Computes the areas; `beside` is the part beside the components where there is room for one.
    pub fn new(
        layout: &ScreenLayout,
        part: ComparePart,
        beside: ComparePart,
        is_zoomed: bool,
    ) -> Self {
        if layout.is_too_small {
            return Self::default();
        }
        let [head, body] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(layout.body);
        Self { head, ..Self::without_head(body, part, beside, is_zoomed) }
    }

    fn without_head(body: Rect, part: ComparePart, beside: ComparePart, is_zoomed: bool) -> Self {
        let has_room = body.width >= SIDE_BY_SIDE_FROM.0 && body.height >= SIDE_BY_SIDE_FROM.1;
        if !has_room || is_zoomed || part == ComparePart::Transcripts {
            return Self::one_part(body, part);
        }
        let [band, below] =
            Split::vertical([Constraint::Length(NUMBERS_ROWS), Constraint::Fill(1)]).areas(body);
        let is_wide = body.width >= CURVES_ALWAYS_FROM;
        let mut areas = Self::default();
        if is_wide {
            let numbers = if body.width >= INTERVALS_FROM { 86 } else { 68 };
            let columns = [
                Constraint::Length(numbers),
                Constraint::Length(TRANSITIONS_CELLS),
                Constraint::Fill(1),
            ];
            let [numbers, transitions, curves] = Split::horizontal(columns).areas(band);
            areas.set_area(ComparePart::Numbers, numbers);
            areas.transitions = Some(transitions);
            areas.set_area(ComparePart::Curves, curves);
        } else {
            let columns = [Constraint::Fill(1), Constraint::Length(TRANSITIONS_CELLS)];
            let [numbers, transitions] = Split::horizontal(columns).areas(band);
            areas.set_area(ComparePart::Numbers, numbers);
            areas.transitions = Some(transitions);
        }
        let components = if is_wide { 78 } else { body.width * 2 / 5 };
        let columns = [Constraint::Length(components), Constraint::Fill(1)];
        let [components, right] = Split::horizontal(columns).areas(below);
        areas.set_area(ComparePart::Components, components);
        let right_part = match beside {
            ComparePart::Curves if is_wide => ComparePart::Code,
            ComparePart::Curves | ComparePart::Files | ComparePart::Losses => beside,
            _ => ComparePart::Code,
        };
        areas.set_area(right_part, right);
        areas
    }

    fn one_part(body: Rect, part: ComparePart) -> Self {
        let [tabs, rest] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(body);
        let mut areas = Self { tabs: Some(tabs), ..Self::default() };
        if part == ComparePart::Numbers && rest.width >= TRANSITIONS_CELLS + NUMBERS_WIDTH {
            let columns = [Constraint::Fill(1), Constraint::Length(TRANSITIONS_CELLS)];
            let [numbers, transitions] = Split::horizontal(columns).areas(rest);
            areas.set_area(part, numbers);
            areas.transitions = Some(transitions);
        } else if part == ComparePart::Numbers && rest.height >= 2 * TRANSITIONS_ROWS {
            let rows = [Constraint::Fill(1), Constraint::Length(TRANSITIONS_ROWS)];
            let [numbers, transitions] = Split::vertical(rows).areas(rest);
            areas.set_area(part, numbers);
            areas.transitions = Some(transitions);
        } else {
            areas.set_area(part, rest);
        }
        areas
    }

    const fn set_area(&mut self, part: ComparePart, area: Rect) {
        self.parts[part as usize] = Some(area);
    }

    /// Returns the area of a part; None where it is not shown.
    pub(crate) const fn part_area(&self, part: ComparePart) -> Option<Rect> {
        self.parts[part as usize]
    }

    /// Returns the rows inside the border of a part, without heads.
    pub(crate) fn part_room(&self, part: ComparePart) -> PaneRoom {
        let below = if part == ComparePart::Transcripts { DETAIL_ROWS } else { 0 };
        PaneRoom::framed(self.part_area(part)).with_fixed_rows(head_rows(part), below)
    }

    /// Returns the rows for the code of each side, without heads.
    pub(super) fn code_rooms(&self) -> [PaneRoom; 2] {
        let room = |half| PaneRoom::without_border(half).with_fixed_rows(CODE_HEADS, 0);
        self.code_sides().unwrap_or_default().map(room)
    }

    /// Returns the part under a cell.
    pub(crate) fn part_at(&self, column: u16, row: u16) -> Option<ComparePart> {
        let at = Position { x: column, y: row };
        ComparePart::ALL
            .into_iter()
            .find(|part| self.part_area(*part).is_some_and(|area| area.contains(at)))
    }

    /// Returns the areas of the code of both sides, without the borders of the panel; None where no code is shown.
    pub(crate) fn code_sides(&self) -> Option<[Rect; 2]> {
        let area = self.part_area(ComparePart::Code)?;
        let inner = inside_border(area);
        let [a, _, b] =
            Split::horizontal([Constraint::Fill(1), Constraint::Length(1), Constraint::Fill(1)])
                .areas(inner);
        Some([a, b])
    }
}

/// Returns rows at the top of a part that do not scroll.
pub(crate) const fn head_rows(part: ComparePart) -> u16 {
    match part {
        ComparePart::Numbers | ComparePart::Components | ComparePart::Losses => 1,
        ComparePart::Code => CODE_HEADS,
        ComparePart::Transcripts => TRANSCRIPT_HEADS,
        ComparePart::Curves | ComparePart::Files => 0,
    }
}

/// The rows above the transcripts: the first difference, and the runs.
const TRANSCRIPT_HEADS: u16 = 2;

/// The rows below the transcripts: the chosen item of each side in full width.
pub(crate) const DETAIL_ROWS: u16 = 2;

/// The rows above the code of a side: its place, and two rows of rationale.
pub(crate) const CODE_HEADS: u16 = 3;

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::*;
    use crate::widgets::layout::{PanelNeeds, ReplayPanel, Zoom, assert_apart, layouts_to_test};

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart_and_the_focus_is_seen() {
        for layout in layouts_to_test() {
            for part in ComparePart::ALL {
                let beside = if part == ComparePart::Numbers { ComparePart::Files } else { part };
                let areas = CompareAreas::new(&layout, part, beside, false);
                let seen = ComparePart::ALL.into_iter().filter_map(|part| areas.part_area(part));
                let around = areas.transitions.into_iter().chain(areas.tabs).chain([areas.head]);
                assert_apart(layout.body, seen.chain(around));
                assert!(
                    layout.is_too_small || areas.part_area(part).is_some(),
                    "{part:?}: {layout:?}"
                );
            }
        }
    }

    #[test]
    fn a_screen_too_small_has_no_parts() {
        let layout = ScreenLayout::new(
            Size { width: 40, height: 10 },
            ReplayPanel::Turns,
            Zoom::Off,
            &PanelNeeds::default(),
        );
        assert_eq!(
            CompareAreas::new(&layout, ComparePart::Code, ComparePart::Code, false),
            CompareAreas::default()
        );
    }
}
