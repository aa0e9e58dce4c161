//! Where the parts of the view stand, as a pure function.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::Layout;

use super::Part;

/// The areas of one frame, borders included; they do not overlap and lie inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Areas {
    pub turns: Option<Rect>,
    /// The request, and what was said before it.
    pub brief: Option<Rect>,
    /// Where the chosen sentence is from.
    pub origin: Option<Rect>,
}

/// Cells of the turns where something stands beside them.
const TURNS: u16 = 40;

/// From here on the turns stand beside what was said.
const SIDE_BY_SIDE: u16 = 100;

impl Areas {
    pub fn of(layout: &Layout, part: Part) -> Self {
        let body = layout.body;
        if layout.is_too_small {
            return Self::default();
        }
        let wide = body.width >= SIDE_BY_SIDE;
        let (turns, rest) = match wide {
            true => {
                let sides = [Constraint::Length(TURNS), Constraint::Fill(1)];
                let [turns, rest] = Split::horizontal(sides).areas(body);
                (Some(turns), rest)
            }
            false => (None, body),
        };
        let parts = [Constraint::Fill(3), Constraint::Fill(2)];
        let [above, below] = Split::vertical(parts).areas(rest);
        match (wide, part) {
            (false, Part::Turns) => Self { turns: Some(above), brief: Some(below), origin: None },
            _ => Self { turns, brief: Some(above), origin: Some(below) },
        }
    }

    /// Rows inside the borders of a part.
    pub fn height(area: Option<Rect>) -> usize {
        area.map_or(0, |area| usize::from(area.height.saturating_sub(2)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{Panel, Zoom};
    use ratatui::layout::Size;

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for (width, height) in [(0, 0), (60, 15), (80, 24), (100, 15), (120, 40), (300, 100)] {
            for part in [Part::Turns, Part::Brief, Part::Origin] {
                let layout = Layout::of(Size { width, height }, Panel::Turns, Zoom::Off, 0);
                let areas = Areas::of(&layout, part);
                let all = [areas.turns, areas.brief, areas.origin];
                let all: Vec<Rect> = all.into_iter().flatten().collect();
                for (at, area) in all.iter().enumerate() {
                    assert_eq!(area.intersection(layout.body), *area);
                    assert!(all[..at].iter().all(|other| !area.intersects(*other)));
                }
            }
        }
    }
}
