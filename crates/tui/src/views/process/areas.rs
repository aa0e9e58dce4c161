//! Computes the areas of the parts of the view, as a pure function.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::ScreenLayout;
use trajview_metrics::process::Pillar;

use super::ProcessPart;

/// The areas of one frame, borders included. They do not overlap and are inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessAreas {
    pub pillars: Option<Rect>,
    /// The events of the chosen pillar.
    pub counted: Option<Rect>,
    /// The chosen list.
    pub below: Option<Rect>,
    /// Further lists, in the order of `v`; empty where there is no room for one.
    pub others: [Rect; MAX_OTHERS],
    /// The request and the steps of the turn; empty where the lists need the room.
    pub turn: Rect,
}

/// Lists beside the chosen one, at most.
pub(crate) const MAX_OTHERS: usize = 3;

/// The rows of the lists that are to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ListRows {
    /// The events of the chosen pillar.
    pub counted: usize,
    pub below: usize,
    /// The further lists that have rows.
    pub others: [usize; MAX_OTHERS],
}

/// Rows of the score below the pillars.
pub(super) const SCORE_ROWS: u16 = 1;

/// Rows of a list, borders included, that is worth its room.
const MIN_LIST_ROWS: u16 = 5;

/// Rows from which the turn is worth its room.
const MIN_TURN_ROWS: u16 = 10;

/// Screen width from which lists are beside each other.
const TWO_COLUMNS_WIDTH: u16 = 160;

/// Rows of the pillars, borders and the score included.
const PILLARS_ROWS: u16 = Pillar::ALL.len() as u16 + SCORE_ROWS + 2;

/// Cells of the pillars if another part is next to them.
const PILLAR_CELLS: u16 = 56;

/// Screen width from which the chosen pillar is next to the list of pillars.
const SIDE_BY_SIDE_WIDTH: u16 = 100;

impl ProcessAreas {
    pub(crate) fn for_layout(layout: &ScreenLayout, part: ProcessPart, rows: ListRows) -> Self {
        let body = layout.body;
        if layout.is_too_small {
            return Self::default();
        }
        let is_wide = body.width >= SIDE_BY_SIDE_WIDTH;
        let most = if is_wide { body.height / 2 } else { 0 };
        let above = framed_rows(rows.counted).min(most).max(PILLARS_ROWS.min(body.height));
        let [top, lists] =
            Split::vertical([Constraint::Length(above), Constraint::Fill(1)]).areas(body);
        let areas = match lists.height >= MIN_LIST_ROWS - 1 {
            true => Self::default().with_lists(lists, rows),
            false => Self::default(),
        };
        if is_wide {
            let sides = [Constraint::Length(PILLAR_CELLS), Constraint::Fill(1)];
            let [pillars, counted] = Split::horizontal(sides).areas(top);
            return Self { pillars: Some(pillars), counted: Some(counted), ..areas };
        }
        match part {
            ProcessPart::Counted => Self { counted: Some(top), ..areas },
            ProcessPart::Pillars | ProcessPart::Below => Self { pillars: Some(top), ..areas },
        }
    }

    /// Adds the chosen list and as many further ones as there is room for: on a wide screen in two columns, else below
    /// each other. The turn has the room that no list needs.
    fn with_lists(self, area: Rect, rows: ListRows) -> Self {
        let count = rows.others.iter().filter(|rows| **rows > 0).count();
        let mut others = [Rect::default(); MAX_OTHERS];
        if area.width < TWO_COLUMNS_WIDTH {
            let shown = [rows.below, rows.others[0]];
            let (area, turn) = area_and_rest(area, needed_rows(&shown[..1 + count.min(1)]));
            let [below, other] = stacked_lists(area, rows.below, count > 0);
            others[0] = other;
            return Self { below: Some(below), others, turn, ..self };
        }
        let sides = [Constraint::Fill(1), Constraint::Fill(1)];
        let [left, right] = Split::horizontal(sides).areas(area);
        let all = [rows.below, rows.others[0], rows.others[1], rows.others[2]];
        if count == 0 || needed_rows(&all[..=count]) <= area.height {
            let heights =
                all[..=count].iter().map(|rows| Constraint::Length(needed_rows(&[*rows])));
            let lists = Split::vertical(heights.chain([Constraint::Fill(1)])).split(left);
            others[..count].copy_from_slice(&lists[1..=count]);
            // The last list has the rest of the column.
            let last = others[..count].last_mut();
            let mut below = lists[0];
            let last = last.unwrap_or(&mut below);
            last.height = left.bottom() - last.y;
            return Self { below: Some(below), others, turn: right, ..self };
        }
        let (right, turn) = match count {
            1 => area_and_rest(right, needed_rows(&all[1..2])),
            _ => (right, Rect::default()),
        };
        let [below, third] = stacked_lists(left, rows.below, count > 2);
        let [second, next] = stacked_lists(right, rows.others[0], count > 1);
        others = [second, next, third];
        Self { below: Some(below), others, turn, ..self }
    }
}

/// Returns the rows that lists below each other need with their borders.
fn needed_rows(lists: &[usize]) -> u16 {
    let rows = lists.iter().map(|rows| framed_rows(*rows).max(MIN_LIST_ROWS));
    rows.fold(0, u16::saturating_add)
}

/// Cuts off what an area has beyond some rows, if the turn has room there.
fn area_and_rest(area: Rect, rows: u16) -> (Rect, Rect) {
    match area.height.saturating_sub(rows) {
        rest if rest < MIN_TURN_ROWS => (area, Rect::default()),
        rest => (
            Rect { height: area.height - rest, ..area },
            Rect { y: area.bottom() - rest, height: rest, ..area },
        ),
    }
}

/// Returns the rows of a list with its border.
fn framed_rows(rows: usize) -> u16 {
    u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2)
}

/// Splits an area between a list, as high as it needs but leaving room, and another one below it.
fn stacked_lists(area: Rect, rows: usize, has_second: bool) -> [Rect; 2] {
    if !has_second || area.height < 2 * MIN_LIST_ROWS {
        return [area, Rect::default()];
    }
    let first = framed_rows(rows).clamp(MIN_LIST_ROWS, area.height - MIN_LIST_ROWS);
    Split::vertical([Constraint::Length(first), Constraint::Fill(1)]).areas(area)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{assert_apart, layouts_to_test};

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for layout in layouts_to_test() {
            for part in [ProcessPart::Pillars, ProcessPart::Counted, ProcessPart::Below] {
                for others in [[0; MAX_OTHERS], [4, 0, 0], [4, 2, 3], [40, 0, 0], [40, 1, 9]] {
                    let rows = ListRows { counted: 12, below: 7, others };
                    let areas = ProcessAreas::for_layout(&layout, part, rows);
                    let all = [areas.pillars, areas.counted, areas.below];
                    let lists = areas.others.into_iter().chain([areas.turn]);
                    assert_apart(layout.body, all.into_iter().flatten().chain(lists));
                }
            }
        }
    }
}
