//! Computes the areas of the parts of the view, as a pure function.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::ScreenLayout;

use super::LayersPart;

/// The areas of one frame, borders included. They do not overlap and are inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LayersAreas {
    pub turns: Option<Rect>,
    /// The request, and the layer's brief before it.
    pub brief: Option<Rect>,
    /// The origins of the chosen sentence.
    pub origin: Option<Rect>,
}

/// Cells of the list of turns if another part is next to it.
const TURNS_CELLS: u16 = 40;

/// Screen width from which the turns are next to the brief.
const SIDE_BY_SIDE_WIDTH: u16 = 100;

impl LayersAreas {
    pub(crate) fn for_layout(layout: &ScreenLayout, part: LayersPart) -> Self {
        let body = layout.body;
        if layout.is_too_small {
            return Self::default();
        }
        let wide = body.width >= SIDE_BY_SIDE_WIDTH;
        let (turns, rest) = match wide {
            true => {
                let sides = [Constraint::Length(TURNS_CELLS), Constraint::Fill(1)];
                let [turns, rest] = Split::horizontal(sides).areas(body);
                (Some(turns), rest)
            }
            false => (None, body),
        };
        let parts = [Constraint::Fill(3), Constraint::Fill(2)];
        let [above, below] = Split::vertical(parts).areas(rest);
        match (wide, part) {
            (false, LayersPart::Turns) => {
                Self { turns: Some(above), brief: Some(below), origin: None }
            }
            _ => Self { turns, brief: Some(above), origin: Some(below) },
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
            for part in [LayersPart::Turns, LayersPart::Brief, LayersPart::Origin] {
                let areas = LayersAreas::for_layout(&layout, part);
                let all = [areas.turns, areas.brief, areas.origin];
                assert_apart(layout.body, all.into_iter().flatten());
            }
        }
    }
}
