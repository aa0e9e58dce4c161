//! Computes the areas of the live view as a pure function.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::{Zoom, inside_border};

/// From this width on the replay is to the right of the terminal; below it the replay has its own view.
const SIDE_BY_SIDE_FROM: u16 = 120;

/// The least and the largest number of visible rows of requests.
const MIN_REQUEST_ROWS: u16 = 3;
const MAX_REQUEST_ROWS: u16 = 12;

/// Rows of the sentence without a live run, its border included.
const SENTENCE_ROWS: u16 = 6;

/// The areas of the live view; none overlaps another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LiveAreas {
    /// The agent, the progress and the usage so far.
    pub status: Rect,
    /// The terminal, with its border.
    pub terminal: Rect,
    /// The requests, with their border.
    pub requests: Rect,
    /// The changes of the turn under way, with their border. Empty where there is no room.
    pub changed: Rect,
    /// The area of the replay; empty where it has its own view.
    pub replay: Rect,
}

impl LiveAreas {
    /// Computes the areas within a screen without its tabs and its footer.
    pub fn new(screen: Rect, requests: usize) -> Self {
        let is_wide = screen.width >= SIDE_BY_SIDE_FROM;
        let left_width = if is_wide { screen.width / 2 } else { screen.width };
        let [status, below] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(screen);
        let [left, right] =
            Split::horizontal([Constraint::Length(left_width), Constraint::Fill(1)]).areas(below);
        let wanted =
            u16::try_from(requests).unwrap_or(u16::MAX).clamp(MIN_REQUEST_ROWS, MAX_REQUEST_ROWS);
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

    /// Computes the areas of a recorded terminal, which has no changes under way.
    pub(crate) fn for_recording(screen: Rect, requests: usize, zoom: Zoom) -> Self {
        let areas = Self::new(screen, requests);
        if zoom == Zoom::On {
            let terminal =
                Rect { y: screen.y + 1, height: screen.height.saturating_sub(1), ..screen };
            return Self { status: areas.status, terminal, ..Self::default() };
        }
        let replay = match areas.replay.is_empty() {
            true => Rect::default(),
            false => areas.replay.union(areas.changed),
        };
        // A run of few turns gives the terminal the rows that its list does not need.
        let needed = u16::try_from(requests).unwrap_or(u16::MAX).max(1).saturating_add(2);
        let height = areas.requests.height.min(needed);
        let freed = areas.requests.height - height;
        let terminal = Rect { height: areas.terminal.height + freed, ..areas.terminal };
        let requests = Rect { y: areas.requests.y + freed, height, ..areas.requests };
        Self { terminal, requests, changed: Rect::default(), replay, ..areas }
    }

    /// Computes the areas while there is no live run: a sentence in the place of the terminal, the requests of the open run
    /// in the rest of the height, and its replay beside them. Without an open run the sentence has all the room.
    pub(crate) fn without_run(screen: Rect, has_run: bool) -> Self {
        let left_width =
            if screen.width >= SIDE_BY_SIDE_FROM { screen.width / 2 } else { screen.width };
        let [status, below] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(screen);
        if !has_run {
            return Self { status, terminal: below, ..Self::default() };
        }
        let [left, replay] =
            Split::horizontal([Constraint::Length(left_width), Constraint::Fill(1)]).areas(below);
        let rows = SENTENCE_ROWS.min(below.height / 2);
        let [terminal, requests] =
            Split::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(left);
        Self { status, terminal, requests, replay, ..Self::default() }
    }

    /// Returns the terminal without its border.
    pub fn terminal_inside(&self) -> Rect {
        inside_border(self.terminal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::assert_apart;

    #[test]
    fn whatever_the_size_the_parts_lie_inside_and_apart() {
        for (width, height) in [(60, 14), (80, 23), (119, 39), (120, 39), (160, 44), (300, 99)] {
            let screen = Rect::new(0, 0, width, height);
            let areas = LiveAreas::new(screen, 56);
            let parts =
                |it: LiveAreas| [it.status, it.terminal, it.requests, it.changed, it.replay];
            assert_apart(screen, parts(areas));
            assert_apart(screen, parts(LiveAreas::without_run(screen, true)));
            for zoom in [Zoom::Off, Zoom::On] {
                assert_apart(screen, parts(LiveAreas::for_recording(screen, 56, zoom)));
            }
            assert!(
                areas.terminal_inside().height >= 4
                    && areas.requests.height >= MIN_REQUEST_ROWS + 2,
                "{width}x{height}"
            );
        }
    }
}
