//! The cells of a row.

use ratatui::text::Span;
use trajview_run::format_number;

use crate::{
    session::columns::{CardColumn, ColumnKind, ColumnSource, RunTableColumn},
    views::table::{
        RunTableView,
        areas::ColumnPlace,
        order::RunGroup,
        row::RunRow,
        values::{KnownValue, column_value_text},
    },
    widgets::{
        line::{fit_text_end, fitting_prefix, safe_string, trusted_span},
        sparkline::sparkline_spans,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::Number;

/// The sign for a value that is still being read or computed.
pub(crate) const COMING_SIGN: &str = "…";

pub(crate) fn run_cell_spans(
    row: &RunRow,
    place: &ColumnPlace,
    names: &SharedEnds,
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
        KnownValue::Missing => (format_number::MISSING_SIGN.to_owned(), Meaning::Muted),
    };
    let words = match column {
        RunTableColumn::Run => names.fit_name(&words, width),
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

/// What the names on screen have in common, which tells no runs apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct SharedEnds {
    /// Bytes at the beginning and at the end.
    start: usize,
    end: usize,
}

/// Characters of a common beginning or end that are worth a sign in their place.
const LEAST_SHARED: usize = 6;

impl SharedEnds {
    pub(crate) fn of_names(names: Vec<&str>) -> Self {
        let Some((first, rest)) = names.split_first().filter(|(_, rest)| !rest.is_empty()) else {
            return Self::default();
        };
        let shared = |bytes: &dyn Fn(&str, &str) -> usize| {
            rest.iter().map(|name| bytes(first, name)).min().unwrap_or_default()
        };
        let start = shared(&|a, b| {
            let equal = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
            equal.map(|(c, _)| c.len_utf8()).sum()
        });
        let end = shared(&|a, b| {
            let equal = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b);
            equal.map(|(c, _)| c.len_utf8()).sum()
        });
        let shortest = names.iter().map(|name| name.len()).min().unwrap_or_default();
        let worth = |bytes: usize| if bytes >= LEAST_SHARED { bytes } else { 0 };
        match start + end < shortest {
            true => Self { start: worth(start), end: worth(end) },
            false => Self::default(),
        }
    }

    /// Returns a name in so many cells: whole, or without the common end, or without both, or cut in its middle.
    pub(crate) fn fit_name(self, name: &str, width: usize) -> String {
        let own = name.len().checked_sub(self.end).and_then(|end| name.get(..end));
        let own = own.filter(|_| (self.start, self.end) != (0, 0));
        let Some(own) = own.filter(|_| text::width(&safe_string(name)) > width) else {
            return cut_in_middle(name, width);
        };
        let end = if self.end > 0 { "…" } else { "" };
        let long = format!("{own}{end}");
        if self.start == 0 || text::width(&safe_string(&long)) <= width {
            return cut_in_middle(&long, width);
        }
        let middle = own.get(self.start..).unwrap_or(own);
        cut_in_middle(&format!("…{middle}{end}"), width)
    }
}

/// Cuts a path in its middle, since its beginning and its end tell runs apart.
fn cut_in_middle(words: &str, width: usize) -> String {
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
        _ => column_value_text(column, sum / numbers.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_names_share_gives_way_to_what_tells_them_apart() {
        let names =
            ["results.json/maze-5x5.1-of-1.2025-11-08", "results.json/git.1-of-1.2025-11-08"];
        let shared = SharedEnds::of_names(names.to_vec());

        assert_eq!(
            names.map(|name| shared.fit_name(name, 22)),
            ["results.json/maze-5x5…", "results.json/git…"]
        );
        assert_eq!(names.map(|name| shared.fit_name(name, 12)), ["…maze-5x5…", "…git…"]);
        assert_eq!(shared.fit_name(names[0], 60), names[0]);
        assert_eq!(SharedEnds::of_names(vec!["same-name", "same-name"]), SharedEnds::default());
        assert_eq!(SharedEnds::of_names(vec!["alone"]), SharedEnds::default());
    }

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        assert_eq!(cut_in_middle("claude-code/054395ac", 11), "claud…395ac");
        assert_eq!(cut_in_middle("short", 11), "short");
        assert_eq!(cut_in_middle("short", 0), "");
    }
}
