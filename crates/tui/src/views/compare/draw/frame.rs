//! The border of a part, names of parts and sides, and why there is no value.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    views::compare::{Comparison, Part},
    widgets::{
        line::{fit, own, width_of},
        theme::{Meaning, Theme},
    },
};
use trajview_study::compare::{Party, letter};

/// Draws the border of a part with its titles; gives the room inside.
pub fn frame(
    is_focused: bool,
    [left, right, below]: [Vec<Span<'static>>; 3],
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    let width = usize::from(area.width.saturating_sub(2));
    let left = fit(left, width);
    let room = width.saturating_sub(width_of(&left) + 1);
    let right = if width_of(&right) <= room { right } else { vec![] };
    let titles = [Line::from(left), Line::from(right), Line::from(fit(below, width))];
    crate::widgets::panel::titled(is_focused, titles, theme, area, buffer)
}

/// A part's name, bold where it has the keyboard.
pub fn name(compared: &Comparison, part: Part, words: &str, theme: Theme) -> Span<'static> {
    let meaning = if compared.part == part { Meaning::Title } else { Meaning::Text };
    own(format!(" {words} "), theme.of(meaning))
}

pub fn muted(words: impl Into<String>, theme: Theme) -> Vec<Span<'static>> {
    let words: String = words.into();
    if words.is_empty() {
        vec![]
    } else {
        vec![own(format!(" {words} "), theme.of(Meaning::Muted))]
    }
}

/// What stands for a side: `a`, marked where it has the keyboard.
pub fn side_letter(compared: &Comparison, side: usize, theme: Theme) -> Span<'static> {
    let run = compared.pair[side];
    let is_here = compared.side == side;
    let words = if is_here { format!("▸{}", letter(run)) } else { format!(" {}", letter(run)) };
    own(words, theme.of(if is_here { Meaning::Key } else { Meaning::Text }))
}

/// What a cell without a value says; measuring is not the same as nothing recorded.
pub fn no_value(compared: &Comparison, party: &Party, done: usize) -> &'static str {
    let is_coming = !party.measured.contains_key(&done)
        && compared.measures.failed.is_none()
        && !compared.measures.is_stopped;
    if is_coming { "…" } else { "–" }
}
