//! Computes the areas of the view as a pure function: `update` uses it for clicks, `draw` for positions.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::{
    layout::{ScreenLayout, TAB_GAP, Zoom},
    pane::PaneRoom,
};

use super::AuditPart;

/// The areas of one frame, borders included; they do not overlap and lie inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditAreas {
    /// Two rows and those of the corrected mean, or one, without a border.
    pub header: Rect,
    /// The names of the parts in one row, where only one part fits.
    pub tabs: Option<Rect>,
    parts: [Rect; 5],
}

/// The room of the item where the code is beside or below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ItemRoom {
    /// The lines of code have half of the height.
    #[default]
    Short,
    /// While a reason or a decision is entered.
    Half,
    /// All of it: the recording has no code.
    Whole,
}

/// From this width on the parts are side by side.
const SIDE_BY_SIDE_FROM: u16 = 110;

/// From this width on the code is beside the item and not below it, and the codebook below the item.
const THREE_COLUMNS_FROM: u16 = 170;

/// Rows from which on there are two of the header.
const TWO_HEADER_ROWS_FROM: u16 = 18;

/// Rows of the agreement below the queue: all there is to say in most sessions.
const AGREEMENT_ROWS: u16 = 23;

/// Rows of the code part that hold no code where it is below the item: its border, the name of the file, and places.
const ROWS_AROUND_CODE: u16 = 3 + FEW_SPOTS as u16;

/// Rows of places above the code, where the part is low and where it is high.
const FEW_SPOTS: usize = 3;
const MANY_SPOTS: usize = 6;

/// Rows inside the code part from which on more places are listed.
const MANY_SPOTS_FROM: usize = 30;

/// Rows of the item at least, borders included.
const MIN_ITEM_ROWS: u16 = 7;

/// Cells of the queue, borders included, on a medium and on a wide screen.
const QUEUE_CELLS: (u16, u16) = (40, 56);

impl AuditAreas {
    /// Computes the areas with so many rows for the corrected mean; while the agreement is hidden the queue takes its space, unless the agreement has the keyboard.
    pub fn new(
        layout: &ScreenLayout,
        part: AuditPart,
        shows_agreement: bool,
        (item_room, correction_rows): (ItemRoom, u16),
    ) -> Self {
        if layout.is_too_small {
            return Self::default();
        }
        let body = layout.body;
        let lines = if body.height >= TWO_HEADER_ROWS_FROM { 2 + correction_rows } else { 1 };
        let [header, rest] =
            Split::vertical([Constraint::Length(lines), Constraint::Fill(1)]).areas(body);
        let mut parts = [Rect::default(); 5];
        let has_room = body.width >= SIDE_BY_SIDE_FROM && body.height >= TWO_HEADER_ROWS_FROM;
        if !has_room || layout.zoom == Zoom::On {
            let [tabs, only] =
                Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(rest);
            parts[part as usize] = only;
            return Self { header, tabs: Some(tabs), parts };
        }
        let queue = if body.width >= THREE_COLUMNS_FROM { QUEUE_CELLS.1 } else { QUEUE_CELLS.0 };
        let [left, right] =
            Split::horizontal([Constraint::Length(queue), Constraint::Fill(1)]).areas(rest);
        let has_agreement = shows_agreement || part == AuditPart::Agreement;
        let below = if has_agreement { AGREEMENT_ROWS.min(left.height * 3 / 5) } else { 0 };
        let [queue, agreement] =
            Split::vertical([Constraint::Fill(1), Constraint::Length(below)]).areas(left);
        let has_no_code = item_room == ItemRoom::Whole && part != AuditPart::Code;
        let (item, code, codebook) = if body.width >= THREE_COLUMNS_FROM {
            let code_share = if has_no_code { 0 } else { 5 };
            let [item, code] =
                Split::horizontal([Constraint::Fill(4), Constraint::Fill(code_share)]).areas(right);
            let [item, codebook] =
                Split::vertical([Constraint::Fill(5), Constraint::Fill(4)]).areas(item);
            (item, code, codebook)
        } else {
            let around_code = if item_room == ItemRoom::Short { ROWS_AROUND_CODE } else { 0 };
            let item = match has_no_code && part != AuditPart::Codebook {
                true => right.height,
                false => (right.height / 2).saturating_sub(around_code).max(MIN_ITEM_ROWS),
            };
            let [item, below] =
                Split::vertical([Constraint::Length(item), Constraint::Fill(1)]).areas(right);
            // One of the two; what has the keyboard is shown.
            match part {
                AuditPart::Codebook => (item, Rect::default(), below),
                AuditPart::Queue | AuditPart::Item | AuditPart::Code | AuditPart::Agreement => {
                    (item, below, Rect::default())
                }
            }
        };
        for (part, area) in [
            (AuditPart::Queue, queue),
            (AuditPart::Item, item),
            (AuditPart::Code, code),
            (AuditPart::Codebook, codebook),
            (AuditPart::Agreement, agreement),
        ] {
            parts[part as usize] = area;
        }
        Self { header, tabs: None, parts }
    }

    /// Returns the area of a part; None where it is not shown.
    pub(crate) fn part_area(&self, part: AuditPart) -> Option<Rect> {
        Some(self.parts[part as usize]).filter(|area| !area.is_empty())
    }

    /// Returns the room of a part; of a hidden one the room it would have.
    pub(super) fn part_room(&self, part: AuditPart) -> PaneRoom {
        PaneRoom::framed(Some(self.area_or_fallback(part)))
    }

    /// Returns rows inside the border of a part; of a hidden one those it would have.
    pub(crate) fn rows_inside(&self, part: AuditPart) -> usize {
        usize::from(self.area_or_fallback(part).height.saturating_sub(2))
    }

    /// Returns the rows of places above the code, at most.
    pub(super) fn spot_rows(&self) -> usize {
        let height = self.rows_inside(AuditPart::Code);
        let most = if height >= MANY_SPOTS_FROM { MANY_SPOTS } else { FEW_SPOTS };
        most.min((height / 3).max(1))
    }

    /// Returns the width in cells inside the border of a part; of a hidden one that which it would have.
    pub(crate) fn width_inside(&self, part: AuditPart) -> usize {
        usize::from(self.area_or_fallback(part).width.saturating_sub(2))
    }

    fn area_or_fallback(&self, part: AuditPart) -> Rect {
        let shown = AuditPart::ALL.into_iter().find_map(|part| self.part_area(part));
        self.part_area(part).or(shown).unwrap_or_default()
    }

    /// Returns the area of the tab of a part; None where there are no tabs.
    pub(crate) fn tab_area(&self, part: AuditPart) -> Option<Rect> {
        let row = self.tabs?;
        let before = AuditPart::ALL.iter().take(part as usize);
        let start = before.fold(row.x + TAB_GAP, |x, part| x + tab_width(*part) + TAB_GAP);
        Some(Rect { x: start, width: tab_width(part), ..row }.intersection(row))
    }
}

/// Returns the width of a tab, with a blank on each side of the word.
fn tab_width(part: AuditPart) -> u16 {
    part.part_name().len() as u16 + 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{PanelNeeds, ReplayPanel, assert_apart, layouts_to_test};

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for layout in layouts_to_test() {
            let rooms = [ItemRoom::Short, ItemRoom::Half, ItemRoom::Whole];
            for (part, room) in
                AuditPart::ALL.into_iter().flat_map(|it| rooms.map(|room| (it, room)))
            {
                let areas = AuditAreas::new(&layout, part, true, (room, 2));
                let parts = AuditPart::ALL.into_iter().filter_map(|part| areas.part_area(part));
                assert_apart(layout.body, parts.chain([areas.header]).chain(areas.tabs));
                assert!(layout.is_too_small || areas.rows_inside(part) >= 4);
                assert!(layout.is_too_small || areas.part_area(part).is_some());
            }
        }
    }

    #[test]
    fn at_120_by_40_half_of_the_rows_are_code() {
        let size = ratatui::layout::Size { width: 120, height: 40 };
        let layout = ScreenLayout::new(size, ReplayPanel::Turns, Zoom::Off, &PanelNeeds::default());

        let areas = AuditAreas::new(&layout, AuditPart::Queue, true, (ItemRoom::Short, 0));

        let lines = areas.rows_inside(AuditPart::Code) - areas.spot_rows() - 1;
        assert!(lines * 2 >= usize::from(layout.body.height - areas.header.height), "{lines}");
    }

    #[test]
    fn tabs_fit_the_smallest_screen() {
        let size = crate::widgets::layout::MIN_SIZE;
        let layout = ScreenLayout::new(size, ReplayPanel::Turns, Zoom::Off, &PanelNeeds::default());
        let areas = AuditAreas::new(&layout, AuditPart::Queue, true, (ItemRoom::Short, 0));
        let last = areas.tab_area(AuditPart::Agreement).unwrap();
        assert_eq!(last.width, tab_width(AuditPart::Agreement));
        assert!(last.right() <= size.width);
    }
}
