//! The border of a part, names of parts and sides, and why there is no value.

use ratatui::{buffer::Buffer, layout::Rect, text::Span};
use trajview_run::format_number;

use crate::{
    views::compare::{ComparePart, ComparisonView},
    widgets::{
        line::{fit_spans, spans_width, trusted_span},
        panel::{PanelTitles, draw_titled_panel},
        theme::{Meaning, Theme},
    },
};
use trajview_study::compare::{ComparedRun, run_letter};

/// Draws the border of a part with its titles; gives the room inside.
pub fn draw_frame(
    is_focused: bool,
    [left, right, below]: [Vec<Span<'static>>; 3],
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    let width = usize::from(area.width.saturating_sub(2));
    let left = fit_spans(left, width);
    let room = width.saturating_sub(spans_width(&left) + 1);
    let right = if spans_width(&right) <= room { right } else { vec![] };
    let titles = PanelTitles::from(left).with_right(right).with_below(fit_spans(below, width));
    draw_titled_panel(is_focused, titles, theme, area, buffer)
}

/// Returns a part's name, bold where it has the keyboard.
pub(crate) fn part_name_span(
    compared: &ComparisonView,
    part: ComparePart,
    words: &str,
    theme: Theme,
) -> Span<'static> {
    let meaning = if compared.part == part { Meaning::Title } else { Meaning::Text };
    trusted_span(format!(" {words} "), theme.style_for(meaning))
}

pub(crate) fn muted_spans(words: impl Into<String>, theme: Theme) -> Vec<Span<'static>> {
    let words: String = words.into();
    if words.is_empty() {
        vec![]
    } else {
        vec![trusted_span(format!(" {words} "), theme.style_for(Meaning::Muted))]
    }
}

/// Returns the letter of a side, marked where it has the keyboard: `▸a`.
pub(crate) fn side_letter(compared: &ComparisonView, side: usize, theme: Theme) -> Span<'static> {
    let run = compared.pair[side];
    let is_here = compared.side == side;
    let words =
        if is_here { format!("▸{}", run_letter(run)) } else { format!(" {}", run_letter(run)) };
    trusted_span(words, theme.style_for(if is_here { Meaning::Key } else { Meaning::Text }))
}

/// Returns the letter of a run as the head of its column; `▸` marks the one with the keyboard.
pub(crate) fn run_head(compared: &ComparisonView, run: usize, theme: Theme) -> Span<'static> {
    match compared.pair.iter().position(|it| *it == run) {
        Some(side) => side_letter(compared, side, theme),
        None => trusted_span(format!(" {}", run_letter(run)), theme.style_for(Meaning::Muted)),
    }
}

/// Returns the text of a cell without a value; a pending measurement differs from a missing record.
pub fn no_value(compared: &ComparisonView, party: &ComparedRun, done: usize) -> &'static str {
    let is_coming = !party.measured.contains_key(&done)
        && compared.measures.failed.is_none()
        && !compared.measures.is_stopped;
    if is_coming { "…" } else { format_number::MISSING_SIGN }
}
