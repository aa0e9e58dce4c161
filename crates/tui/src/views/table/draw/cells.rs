//! The cells of a row.

use ratatui::text::Span;

use crate::{
    session::columns::{Column, Kind, SessionColumn, Source},
    views::table::{
        Collection,
        areas::Place,
        order::Group,
        row::Row,
        values::{Known, written},
    },
    widgets::{
        line::{fit_end, head, own, safe},
        spark::spark,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::Number;

/// Not recorded, or nothing to work it out from.
pub const MISSING: &str = "—";

/// Still being read or worked out.
pub const COMING: &str = "…";

pub fn of(row: &Row, place: &Place, theme: Theme) -> Vec<Span<'static>> {
    let (column, width) = (place.column, usize::from(place.width));
    if column == Column::Curve
        && let Some(scores) = row.scores().filter(|scores| scores.end.is_some())
    {
        // No point of it is chosen: all of them lie before the one after the last.
        return spark(&scores.curve, scores.curve.len(), width, theme);
    }
    let (words, meaning) = match row.shown(column) {
        Known::Known(words) => (words, meaning_of(column)),
        Known::Coming => (COMING.to_owned(), Meaning::Muted),
        Known::Missing => (MISSING.to_owned(), Meaning::Muted),
    };
    let words = match column {
        Column::Run => middle(&words, width),
        _ => safe(&words),
    };
    vec![own(words, theme.of(meaning))]
}

fn meaning_of(column: Column) -> Meaning {
    match (column, column.about().source) {
        (Column::Run, _) => Meaning::Text,
        (Column::Number(Number::Warnings), _) => Meaning::Warning,
        (_, Source::Computed) => Meaning::Hunk,
        (_, Source::Run | Source::Harness | Source::Judged) => Meaning::Text,
    }
}

/// A path cut in its middle: where it begins and how it ends tell runs apart.
pub fn middle(words: &str, width: usize) -> String {
    let words = safe(words);
    if text::width(&words) <= width {
        return words;
    }
    let start = head(&words, width / 2).to_owned();
    let rest = width.saturating_sub(text::width(&start));
    format!("{start}{}", fit_end(&words, rest))
}

/// The mean of what is known in a group.
pub fn mean(table: &Collection, group: &Group, column: Column) -> String {
    let has_no_mean = [Column::Curve, Column::Session(SessionColumn::When)].contains(&column);
    if column.kind() == Kind::Words || has_no_mean {
        return String::new();
    }
    let rows = group.rows.iter().filter_map(|row| table.rows.get(*row));
    let numbers: Vec<f64> = rows.filter_map(|row| row.number(column).known()).collect();
    if numbers.is_empty() {
        return String::new();
    }
    let sum: f64 = numbers.iter().sum();
    match (column, sum) {
        (Column::Number(Number::Warnings), 0.0) => String::new(),
        _ => written(column, sum / numbers.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        assert_eq!(middle("claude-code/054395ac", 11), "claud…395ac");
        assert_eq!(middle("short", 11), "short");
        assert_eq!(middle("short", 0), "");
    }
}
