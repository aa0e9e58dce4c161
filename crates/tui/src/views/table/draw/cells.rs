//! The cells of a row.

use ratatui::text::Span;

use crate::{
    session::columns::{CardColumn, ColumnKind, ColumnSource, RunTableColumn},
    views::table::{
        RunTableView,
        areas::ColumnPlace,
        order::RunGroup,
        row::RunRow,
        values::{KnownValue, value_text},
    },
    widgets::{
        line::{fit_text_end, fitting_prefix, safe_string, trusted_span},
        sparkline::sparkline_spans,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::Number;

/// The sign for a value that was not recorded and cannot be computed.
pub(crate) const MISSING_SIGN: &str = "—";

/// The sign for a value that is still being read or computed.
pub(crate) const COMING_SIGN: &str = "…";

pub(crate) fn run_cell_spans(
    row: &RunRow,
    place: &ColumnPlace,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (column, width) = (place.column, usize::from(place.width));
    if column == RunTableColumn::Curve
        && let Some(scores) = row.computed_scores().filter(|scores| scores.end.is_some())
    {
        // No point is chosen: all points are before the index after the last.
        return sparkline_spans(&scores.curve, scores.curve.len(), width, theme);
    }
    let (words, meaning) = match row.shown_text(column) {
        KnownValue::Known(words) => (words, cell_meaning(row, column)),
        KnownValue::Coming => (COMING_SIGN.to_owned(), Meaning::Muted),
        KnownValue::Missing => (MISSING_SIGN.to_owned(), Meaning::Muted),
    };
    let words = match column {
        RunTableColumn::Run => cut_in_middle(&words, width),
        _ => safe_string(&words),
    };
    vec![trusted_span(words, theme.style_for(meaning))]
}

fn cell_meaning(row: &RunRow, column: RunTableColumn) -> Meaning {
    match (column, column.column_info().source) {
        (RunTableColumn::Card(CardColumn::Outcome), _) => {
            row.outcome().map_or(Meaning::Text, Meaning::for_outcome)
        }
        (RunTableColumn::Run, _) => Meaning::Text,
        (RunTableColumn::Number(Number::Warnings), _) => Meaning::Warning,
        (_, ColumnSource::Computed) => Meaning::Hunk,
        (_, ColumnSource::Run | ColumnSource::Harness | ColumnSource::Judged) => Meaning::Text,
    }
}

/// Cuts a path in its middle, since its beginning and its end tell runs apart.
pub(crate) fn cut_in_middle(words: &str, width: usize) -> String {
    let words = safe_string(words);
    if text::width(&words) <= width {
        return words;
    }
    let start = fitting_prefix(&words, width / 2).to_owned();
    let rest = width.saturating_sub(text::width(&start));
    format!("{start}{}", fit_text_end(&words, rest))
}

/// Returns the mean of what is known in a group.
pub(crate) fn group_mean(table: &RunTableView, group: &RunGroup, column: RunTableColumn) -> String {
    let has_no_mean =
        [RunTableColumn::Curve, RunTableColumn::Card(CardColumn::When)].contains(&column);
    if column.column_kind() == ColumnKind::Words || has_no_mean {
        return String::new();
    }
    let rows = group.rows.iter().filter_map(|row| table.rows.get(*row));
    let numbers: Vec<f64> =
        rows.filter_map(|row| row.column_number(column).known_value()).collect();
    if numbers.is_empty() {
        return String::new();
    }
    let sum: f64 = numbers.iter().sum();
    match (column, sum) {
        (RunTableColumn::Number(Number::Warnings), 0.0) => String::new(),
        _ => value_text(column, sum / numbers.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        assert_eq!(cut_in_middle("claude-code/054395ac", 11), "claud…395ac");
        assert_eq!(cut_in_middle("short", 11), "short");
        assert_eq!(cut_in_middle("short", 0), "");
    }
}
