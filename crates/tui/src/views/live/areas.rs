//! Where the parts of the live view stand, as a pure function.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::inside;

/// From here on the replay stands to the right of the terminal; below it has the screen to itself, in its own view.
const SIDE_BY_SIDE: u16 = 120;

/// Rows of requests that are seen at least, and at most.
const FEWEST: u16 = 3;
const MOST: u16 = 12;

/// The areas of the live view; none overlaps another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Areas {
    /// Who runs, how far it is, what it took so far.
    pub status: Rect,
    /// With its border.
    pub terminal: Rect,
    /// With its border.
    pub requests: Rect,
    /// What the turn under way has changed; with its border. Empty where there is no room.
    pub changed: Rect,
    /// What the replay has; empty where it stands in its own view.
    pub replay: Rect,
}

impl Areas {
    /// Within a screen without its footer.
    pub fn of(screen: Rect, requests: usize) -> Self {
        let is_wide = screen.width >= SIDE_BY_SIDE;
        let left_width = if is_wide { screen.width / 2 } else { screen.width };
        let [status, below] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(screen);
        let [left, right] =
            Split::horizontal([Constraint::Length(left_width), Constraint::Fill(1)]).areas(below);
        let wanted = u16::try_from(requests).unwrap_or(u16::MAX).clamp(FEWEST, MOST);
        let rows = wanted.min(screen.height.saturating_sub(3) / 3) + 2;
        let [terminal, requests] =
            Split::vertical([Constraint::Fill(1), Constraint::Length(rows)]).areas(left);
        if !is_wide {
            return Self { status, terminal, requests, ..Self::default() };
        }
        let below = right.height / 3;
        let [replay, changed] =
            Split::vertical([Constraint::Fill(1), Constraint::Length(below)]).areas(right);
        Self { status, terminal, requests, changed, replay }
    }

    /// The terminal without its border.
    pub fn inside(&self) -> Rect {
        inside(self.terminal)
    }

    /// The requests without their border.
    pub fn list(&self) -> Rect {
        inside(self.requests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_size_the_parts_lie_inside_and_apart() {
        for (width, height) in [(60, 14), (80, 23), (119, 39), (120, 39), (160, 44), (300, 99)] {
            let screen = Rect::new(0, 0, width, height);
            let areas = Areas::of(screen, 56);
            let all = [areas.status, areas.terminal, areas.requests, areas.changed, areas.replay];
            for (at, area) in all.iter().enumerate() {
                assert_eq!(area.intersection(screen), *area);
                let others = all[..at].iter().filter(|other| !other.is_empty());
                assert!(area.is_empty() || others.into_iter().all(|it| !it.intersects(*area)));
            }
            assert!(
                areas.inside().height >= 4 && areas.list().height >= FEWEST,
                "{width}x{height}"
            );
        }
    }
}
