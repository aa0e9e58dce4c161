//! Draws the recorded tests by run, where no run has components: those with different outcomes first.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    views::compare::{ComparePart, ComparisonView, table::test_name},
    widgets::{
        line::{padded_spans, safe_string, trusted_span},
        panel::put_row,
        theme::{Meaning, Theme},
    },
};
use trajview_run::{checkpoint_record::TestOutcome, format_number};

use super::{draw_frame, muted_spans, part_name_span, run_head};

/// Cells of an outcome, with the blank after it.
const OUTCOME_CELLS: usize = 8;

/// Cells that the name of a test is not shortened below.
const LEAST_NAME_CELLS: usize = 16;

/// Returns how many columns fit beside the base.
pub(super) fn column_room(width: usize) -> usize {
    (width.saturating_sub(LEAST_NAME_CELLS) / OUTCOME_CELLS).saturating_sub(1)
}

pub(crate) fn draw(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_focused = compared.part == ComparePart::Components;
    let table = &compared.table;
    let title = vec![part_name_span(compared, ComparePart::Components, "recorded tests", theme)];
    let in_some = match table.partial_tests {
        0 => String::new(),
        count => format!(", {count} in some runs only"),
    };
    let differing = table.differing_tests;
    let count =
        format!("{} tests, {differing} with different outcomes{in_some}", table.tests.len());
    let columns = compared.run_columns(column_room(usize::from(area.width.saturating_sub(2))));
    let right = muted_spans(count, theme);
    let below = muted_spans(columns.hidden_text(), theme);
    let inner = draw_frame(is_focused, [title, right, below], theme, area, buffer);
    let names = usize::from(inner.width).saturating_sub(columns.runs.len() * OUTCOME_CELLS);
    let muted = theme.style_for(Meaning::Muted);
    let mut head = padded_spans(vec![trusted_span("test", muted)], names);
    for run in &columns.runs {
        head.extend(padded_spans(vec![run_head(compared, *run, theme)], OUTCOME_CELLS));
    }
    put_row(Line::from(head), None, inner, 0, buffer);
    table.pane.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |row| {
        let test = &table.tests[table.order[row]];
        let meaning = if test.is_equal() { Meaning::Muted } else { Meaning::Text };
        let name = trusted_span(safe_string(&test_name(test)), theme.style_for(meaning));
        let mut spans = padded_spans(vec![name], names);
        for run in &columns.runs {
            let (word, meaning) = match test.outcomes[*run] {
                None => (format_number::MISSING_SIGN, Meaning::Muted),
                Some(outcome @ TestOutcome::Passed) => (outcome.word(), Meaning::Added),
                Some(outcome @ TestOutcome::Failed) => (outcome.word(), Meaning::Error),
                Some(outcome @ TestOutcome::Skipped) => (outcome.word(), Meaning::Muted),
            };
            let word = trusted_span(word, theme.style_for(meaning));
            spans.extend(padded_spans(vec![word], OUTCOME_CELLS));
        }
        Line::from(spans)
    });
}
