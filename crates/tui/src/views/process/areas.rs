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
    /// The list below, with the strip of the turns in its first row.
    pub below: Option<Rect>,
}

/// Rows of the score below the pillars, and of the strip of turns above the lower list.
pub(super) const SCORE_ROWS: u16 = 1;
pub(super) const STRIP_ROWS: u16 = 1;

/// Rows of the pillars, borders and the score included.
const PILLARS_ROWS: u16 = Pillar::ALL.len() as u16 + SCORE_ROWS + 2;

/// Cells of the pillars if another part is next to them.
const PILLAR_CELLS: u16 = 50;

/// Screen width from which the chosen pillar is next to the list of pillars.
const SIDE_BY_SIDE_WIDTH: u16 = 100;

impl ProcessAreas {
    pub(crate) fn for_layout(layout: &ScreenLayout, part: ProcessPart) -> Self {
        let body = layout.body;
        if layout.is_too_small {
            return Self::default();
        }
        let above = match body.width >= SIDE_BY_SIDE_WIDTH {
            true => (body.height * 2 / 5).max(PILLARS_ROWS.min(body.height)),
            false => PILLARS_ROWS.min(body.height),
        };
        let [top, below] =
            Split::vertical([Constraint::Length(above), Constraint::Fill(1)]).areas(body);
        let below = Some(below).filter(|area| area.height >= 4);
        if body.width >= SIDE_BY_SIDE_WIDTH {
            let sides = [Constraint::Length(PILLAR_CELLS), Constraint::Fill(1)];
            let [pillars, counted] = Split::horizontal(sides).areas(top);
            return Self { pillars: Some(pillars), counted: Some(counted), below };
        }
        match part {
            ProcessPart::Counted => Self { pillars: None, counted: Some(top), below },
            ProcessPart::Pillars | ProcessPart::Below => {
                Self { pillars: Some(top), counted: None, below }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{assert_apart, layouts_to_test};

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for layout in layouts_to_test() {
            for part in [ProcessPart::Pillars, ProcessPart::Counted, ProcessPart::Below] {
                let areas = ProcessAreas::for_layout(&layout, part);
                let all = [areas.pillars, areas.counted, areas.below];
                assert_apart(layout.body, all.into_iter().flatten());
            }
        }
    }
}
