//! Draws the facts of the run at the cursor next to the table: its request, its numbers, its warnings.

use ratatui::{buffer::Buffer, layout::Rect, style::Style, text::Line};

use crate::{
    session::columns::{ColumnSource, RunTableColumn},
    views::table::{RunTableView, row::RunRow, values::KnownValue},
    widgets::{
        axis_ticks::round_up,
        braille::LineStroke,
        line::{recorded_span, safe_string, shown_label, trusted_span},
        panel::{draw_sentence, draw_titled_panel, put_row},
        plot::{Plot, PlotTrace},
        theme::{Meaning, Theme},
        wrap::wrap_line,
    },
};
use trajview_metrics::Number;
use trajview_run::{
    RunCard,
    format_number::{self, count_with_noun},
};

/// Cells of the name of a fact.
const NAME_CELLS: usize = 14;

/// Cells to the left of the curve: its numbers and the axis.
const CELLS_LEFT_OF_CURVE: u16 = 8;

/// Rows of the curve with its head and its axis.
const CURVE_ROWS: u16 = 12;

/// Rows of a request at most.
const MOST_REQUEST_ROWS: usize = 4;

pub(crate) fn draw_preview(table: &RunTableView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let name = table.selected_run().map(|row| safe_string(&row.name)).unwrap_or_default();
    let title = Line::styled(format!(" {name} "), theme.style_for(Meaning::Title));
    let inner = draw_titled_panel(false, title, theme, area, buffer);
    let Some(row) = table.selected_run() else {
        return draw_sentence(&off_the_runs(table), theme.style_for(Meaning::Muted), inner, buffer);
    };
    if inner.width >= 2 * COLUMN_CELLS {
        return draw_in_columns(table, row, theme, inner, buffer);
    }
    let width = usize::from(inner.width);
    let (curve, height) =
        match row.computed_scores().filter(|scores| scores.curve.iter().flatten().count() > 1) {
            Some(scores) if inner.height > 2 * CURVE_ROWS => {
                (Some(&scores.curve), inner.height - CURVE_ROWS)
            }
            _ => (None, inner.height),
        };
    let lines = preview_lines(row, &table.set_columns(), theme, width);
    for (line, y) in lines.into_iter().zip(0..height) {
        put_row(line, None, inner, y, buffer);
    }
    if let Some(curve) = curve {
        let below = Rect { y: inner.y + height, height: CURVE_ROWS, ..inner };
        draw_erosion(curve, theme, below, buffer);
    }
}

/// Draws the facts in columns; the curve has the last one.
fn draw_in_columns(
    table: &RunTableView,
    row: &RunRow,
    theme: Theme,
    inner: Rect,
    buffer: &mut Buffer,
) {
    let curve = row.computed_scores().map(|scores| &scores.curve);
    let curve = curve.filter(|curve| curve.iter().flatten().count() > 1);
    let columns = inner.width / COLUMN_CELLS;
    let cells = inner.width / columns;
    let width = usize::from(cells.saturating_sub(2));
    let lines = preview_lines(row, &table.set_columns(), theme, width);
    let text_columns = if curve.is_some() { columns - 1 } else { columns };
    let height = lines.len().div_ceil(usize::from(text_columns.max(1)));
    let height = height.clamp(1, usize::from(inner.height.max(1)));
    for (chunk, column) in lines.chunks(height).zip(0..text_columns) {
        let area = Rect { x: inner.x + column * cells, width: cells - 1, ..inner };
        for (line, y) in chunk.iter().zip(0..inner.height) {
            put_row(line.clone(), None, area, y, buffer);
        }
    }
    if let Some(curve) = curve {
        let x = inner.x + text_columns * cells;
        draw_erosion(curve, theme, Rect { x, width: inner.right() - x, ..inner }, buffer);
    }
}

/// Cells of a column of facts, below the table.
const COLUMN_CELLS: u16 = 56;

/// Returns the text that is shown while the cursor is not on a run.
fn off_the_runs(table: &RunTableView) -> String {
    match table.group_at_cursor() {
        Some(group) => {
            let enter = match (table.prompt.is_some(), group.is_folded) {
                (true, _) => "opens the first",
                (false, true) => "expands it",
                (false, false) => "collapses it",
            };
            let rate = table.group_pass_rate(group).map(|rate| {
                format!(
                    "; pass rate {} (95 % Wilson interval; an error, a timeout and a limit count as failures)",
                    rate.short_text()
                )
            });
            format!(
                "{} in this group: enter {enter}{}",
                count_with_noun(group.rows.len(), table.row_noun()),
                rate.unwrap_or_default()
            )
        }
        None => "the cursor is not on a run".into(),
    }
}

fn preview_lines(
    row: &RunRow,
    columns: &[RunTableColumn],
    theme: Theme,
    width: usize,
) -> Vec<Line<'static>> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let mut lines = vec![];
    if let Some(why) = row.reading_failure() {
        lines.extend(wrapped_lines(why, theme.style_for(Meaning::Error), width));
        return lines;
    }
    let heading = |words: &str| Line::styled(words.to_owned(), theme.style_for(Meaning::Heading));
    if let Some(request) = row.known_card().and_then(|card| card.identity.request.as_deref()) {
        lines.push(heading("first request"));
        let request = wrapped_lines(&shown_label(request), plain, width);
        lines.extend(request.into_iter().take(MOST_REQUEST_ROWS));
        lines.push(Line::default());
    }
    for (source, head) in [
        (ColumnSource::Run, "run"),
        (ColumnSource::Computed, "computed"),
        (ColumnSource::Harness, "recorded by the harness"),
        (ColumnSource::Judged, "judged"),
    ] {
        let of_source = columns.iter().copied().filter(|column| {
            column.column_info().source == source
                && !matches!(column, RunTableColumn::Run | RunTableColumn::Curve)
        });
        let known_rows = of_source.filter_map(|column| match row.shown_text(column) {
            KnownValue::Known(words) if !words.is_empty() => {
                Some((column.column_info().title, words))
            }
            KnownValue::Known(_) | KnownValue::Coming | KnownValue::Missing => None,
        });
        let mut facts: Vec<(&str, String)> = known_rows.collect();
        if source == ColumnSource::Run {
            // What has no turns has no calls that could fail.
            let card = row.whole_card().filter(|card| card.turns > 0);
            let failures = card.and_then(|card| {
                Some(format_number::with_thousands(card.trouble.failures? as u64))
            });
            facts.extend(failures.map(|count| ("failed calls", count)));
        }
        if facts.is_empty() {
            continue;
        }
        lines.push(heading(head));
        for (name, words) in facts {
            let parts = wrapped_lines(&words, plain, width.saturating_sub(NAME_CELLS));
            for (at, part) in parts.into_iter().enumerate() {
                let name = if at == 0 { name } else { "" };
                let mut spans = vec![trusted_span(format!("{name:<NAME_CELLS$}"), muted)];
                spans.extend(part.spans.into_iter().map(|span| span.patch_style(part.style)));
                lines.push(Line::from(spans));
            }
        }
        lines.push(Line::default());
    }
    lines
        .extend(row.whole_card().map(|card| warning_lines(card, theme, width)).unwrap_or_default());
    lines
}

/// Returns the warnings about parts of the recording that could not be used.
fn warning_lines(card: &RunCard, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![];
    if card.trouble.warnings > 0 {
        let label = Number::Warnings.label();
        let head =
            format!("{label}: {}", format_number::with_thousands(card.trouble.warnings as u64));
        lines.push(Line::styled(head, theme.style_for(Meaning::Warning)));
    }
    for warning in &card.trouble.first_warnings {
        let words = format!("{}: {}", warning.place, warning.what);
        lines.extend(wrapped_lines(&words, theme.style_for(Meaning::Muted), width));
    }
    lines
}

fn wrapped_lines(words: &str, style: Style, width: usize) -> Vec<Line<'static>> {
    let words = safe_string(words);
    let rows = wrap_line(&words, width).into_iter();
    rows.map(|range| Line::from(recorded_span(words[range].trim_end(), style))).collect()
}

/// Draws the erosion over the measured moments.
fn draw_erosion(curve: &[Option<f64>], theme: Theme, area: Rect, buffer: &mut Buffer) {
    put_row(
        Line::styled("erosion over the run", theme.style_for(Meaning::Heading)),
        None,
        area,
        0,
        buffer,
    );
    let plot = Rect {
        x: area.x + CELLS_LEFT_OF_CURVE,
        y: area.y + 2,
        width: area.width.saturating_sub(CELLS_LEFT_OF_CURVE + 1),
        height: area.height.saturating_sub(3),
    };
    let highest = curve.iter().flatten().copied().fold(0.0, f64::max);
    let plot = Plot { area: plot, highest: round_up(highest, true) };
    plot.draw_axis(usize::from(CELLS_LEFT_OF_CURVE - 3), theme.style_for(Meaning::Muted), buffer);
    let last = curve.len().saturating_sub(1).max(1);
    let column = |at: usize| (at * usize::from(plot.area.width.saturating_sub(1)) / last) as u16;
    let points = curve.iter().enumerate().map(|(at, value)| (column(at), *value)).collect();
    let style = theme.style_for(Meaning::Hunk);
    plot.draw_traces(
        &[PlotTrace { points, stroke: LineStroke::Full, sign: '●', style }],
        theme,
        buffer,
    );
}
