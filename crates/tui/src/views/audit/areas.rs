//! Where the parts of the view stand, as a pure function: `update` asks it what a click means, `draw` where things go.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::{Layout, TAB_GAP};

use super::Part;

/// The areas of one frame, borders included; they do not overlap and lie inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Areas {
    /// Two rows, or one, without a border.
    pub header: Rect,
    /// The names of the parts in one row, where there is room for one of them only.
    pub tabs: Option<Rect>,
    parts: [Rect; 5],
}

/// From here on the parts stand beside each other.
const SIDE_BY_SIDE: u16 = 110;

/// From here on the code stands beside the item and not below it, and the codebook below the item.
const THREE_COLUMNS: u16 = 170;

/// Rows from which on there are two of the header.
const LOW: u16 = 18;

/// Rows of the agreement below the queue: all there is to say in most sessions.
const AGREEMENT: u16 = 23;

/// Rows of the sentence that says when it is shown.
const NO_AGREEMENT: u16 = 5;

/// Cells of the queue, borders included, on a medium and on a wide screen.
const QUEUE: (u16, u16) = (40, 56);

impl Areas {
    /// Where no agreement is shown the queue has its room.
    pub fn of(layout: &Layout, part: Part, shows_agreement: bool) -> Self {
        if layout.is_too_small {
            return Self::default();
        }
        let body = layout.body;
        let lines = if body.height >= LOW { 2 } else { 1 };
        let [header, rest] =
            Split::vertical([Constraint::Length(lines), Constraint::Fill(1)]).areas(body);
        let mut parts = [Rect::default(); 5];
        if body.width < SIDE_BY_SIDE || body.height < LOW {
            let [tabs, only] =
                Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(rest);
            parts[part as usize] = only;
            return Self { header, tabs: Some(tabs), parts };
        }
        let queue = if body.width >= THREE_COLUMNS { QUEUE.1 } else { QUEUE.0 };
        let [left, right] =
            Split::horizontal([Constraint::Length(queue), Constraint::Fill(1)]).areas(rest);
        let wanted = if shows_agreement { AGREEMENT } else { NO_AGREEMENT };
        let below = wanted.min(left.height * 3 / 5);
        let [queue, agreement] =
            Split::vertical([Constraint::Fill(1), Constraint::Length(below)]).areas(left);
        let (item, code, codebook) = if body.width >= THREE_COLUMNS {
            let [item, code] =
                Split::horizontal([Constraint::Fill(4), Constraint::Fill(5)]).areas(right);
            let [item, codebook] =
                Split::vertical([Constraint::Fill(5), Constraint::Fill(4)]).areas(item);
            (item, code, codebook)
        } else {
            let [item, below] =
                Split::vertical([Constraint::Fill(4), Constraint::Fill(5)]).areas(right);
            // One of the two; what has the keyboard is shown.
            match part {
                Part::Codebook => (item, Rect::default(), below),
                Part::Queue | Part::Item | Part::Code | Part::Agreement => {
                    (item, below, Rect::default())
                }
            }
        };
        for (part, area) in [
            (Part::Queue, queue),
            (Part::Item, item),
            (Part::Code, code),
            (Part::Codebook, codebook),
            (Part::Agreement, agreement),
        ] {
            parts[part as usize] = area;
        }
        Self { header, tabs: None, parts }
    }

    /// Where a part stands; None where it is not shown.
    pub fn of_part(&self, part: Part) -> Option<Rect> {
        Some(self.parts[part as usize]).filter(|area| !area.is_empty())
    }

    /// Rows inside the border of a part; of a hidden one those it would have.
    pub fn height(&self, part: Part) -> usize {
        usize::from(self.room(part).height.saturating_sub(2))
    }

    /// Cells inside the border of a part; of a hidden one those it would have.
    pub fn width(&self, part: Part) -> usize {
        usize::from(self.room(part).width.saturating_sub(2))
    }

    fn room(&self, part: Part) -> Rect {
        let shown = Part::ALL.into_iter().find_map(|part| self.of_part(part));
        self.of_part(part).or(shown).unwrap_or_default()
    }

    /// Where the tab of a part stands, where there are tabs.
    pub fn tab(&self, part: Part) -> Option<Rect> {
        let row = self.tabs?;
        let before = Part::ALL.iter().take(part as usize);
        let start = before.fold(row.x + TAB_GAP, |x, part| x + tab_width(*part) + TAB_GAP);
        Some(Rect { x: start, width: tab_width(part), ..row }.intersection(row))
    }
}

/// A blank on each side of the word.
fn tab_width(part: Part) -> u16 {
    part.word().len() as u16 + 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{Panel, Zoom};
    use ratatui::layout::Size;

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for (width, height) in [(0, 0), (60, 15), (80, 24), (110, 19), (120, 40), (300, 100)] {
            for part in Part::ALL {
                let layout = Layout::of(Size { width, height }, Panel::Turns, Zoom::Off, 0);
                let areas = Areas::of(&layout, part, true);
                let parts = Part::ALL.into_iter().filter_map(|part| areas.of_part(part));
                let all: Vec<Rect> =
                    [Some(areas.header), areas.tabs].into_iter().flatten().chain(parts).collect();
                for (at, area) in all.iter().enumerate() {
                    assert_eq!(area.intersection(layout.body), *area);
                    assert!(all[..at].iter().all(|other| !area.intersects(*other)));
                }
                assert!(layout.is_too_small || areas.height(part) >= 4);
                assert!(layout.is_too_small || areas.of_part(part).is_some());
            }
        }
    }

    #[test]
    fn tabs_fit_the_smallest_screen() {
        let size = crate::widgets::layout::LEAST;
        let layout = Layout::of(size, Panel::Turns, Zoom::Off, 0);
        let areas = Areas::of(&layout, Part::Queue, true);
        let last = areas.tab(Part::Agreement).unwrap();
        assert_eq!(last.width, tab_width(Part::Agreement));
        assert!(last.right() <= size.width);
    }
}
