//! What is known of the run at the cursor, beside the table: what it was asked, what its numbers are, what was wrong.

use ratatui::{buffer::Buffer, layout::Rect, style::Style, text::Line};

use crate::{
    session::columns::{Column, Source},
    views::table::{Collection, row::Row, values::Known},
    widgets::{
        dots::Stroke,
        line::{own, recorded, safe},
        panel::{put_row, sentence, titled},
        plot::{Plot, Trace},
        theme::{Meaning, Theme},
        ticks::round_up,
        wrap::wrap,
    },
};
use trajview_metrics::Number;
use trajview_run::{
    Card,
    figures::{self, counted},
};

/// Cells of the name of a fact.
const NAME: usize = 14;

/// Cells to the left of the curve: its numbers and the axis.
const LEFT: u16 = 8;

/// Rows of the curve with its head and its axis.
const CURVE: u16 = 12;

/// Rows of a request at most.
const REQUEST: usize = 4;

pub fn draw(table: &Collection, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let name = table.selected().map(|row| safe(&row.name)).unwrap_or_default();
    let title = Line::styled(format!(" {name} "), theme.of(Meaning::Title));
    let inner = titled(false, [title, Line::default(), Line::default()], theme, area, buffer);
    let Some(row) = table.selected() else {
        return sentence(&off_the_runs(table), theme.of(Meaning::Muted), inner, buffer);
    };
    let width = usize::from(inner.width);
    let (curve, height) =
        match row.scores().filter(|scores| scores.curve.iter().flatten().count() > 1) {
            Some(scores) if inner.height > 2 * CURVE => (Some(&scores.curve), inner.height - CURVE),
            _ => (None, inner.height),
        };
    let lines = lines(row, &table.columns(), theme, width);
    for (line, y) in lines.into_iter().zip(0..height) {
        put_row(line, None, inner, y, buffer);
    }
    if let Some(curve) = curve {
        let below = Rect { y: inner.y + height, height: CURVE, ..inner };
        erosion(curve, theme, below, buffer);
    }
}

/// What to say where the cursor is on no run.
fn off_the_runs(table: &Collection) -> String {
    match table.group_at_cursor() {
        Some(group) => {
            let enter = match (table.prompt.is_some(), group.is_folded) {
                (true, _) => "opens the first",
                (false, true) => "unfolds it",
                (false, false) => "folds it",
            };
            format!("{} in this group: enter {enter}", counted(group.rows.len(), table.what()))
        }
        None => "the cursor is not on a run".into(),
    }
}

fn lines(row: &Row, columns: &[Column], theme: Theme, width: usize) -> Vec<Line<'static>> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let mut lines = vec![];
    if let Some(why) = row.failure() {
        lines.extend(wrapped(why, theme.of(Meaning::Error), width));
        return lines;
    }
    let heading = |words: &str| Line::styled(words.to_owned(), theme.of(Meaning::Heading));
    if let Some(request) = row.card().and_then(|card| card.identity.request.as_deref()) {
        lines.push(heading("first request"));
        lines.extend(wrapped(request, plain, width).into_iter().take(REQUEST));
        lines.push(Line::default());
    }
    for (source, head) in [
        (Source::Run, "run"),
        (Source::Computed, "computed"),
        (Source::Harness, "recorded by the harness"),
        (Source::Judged, "judged"),
    ] {
        let of_source = columns.iter().copied().filter(|column| {
            column.about().source == source && !matches!(column, Column::Run | Column::Curve)
        });
        let known = of_source.filter_map(|column| match row.shown(column) {
            Known::Known(words) if !words.is_empty() => Some((column.about().title, words)),
            Known::Known(_) | Known::Coming | Known::Missing => None,
        });
        let mut facts: Vec<(&str, String)> = known.collect();
        if source == Source::Run {
            // What has no turns has no calls that could fail.
            let card = row.whole().filter(|card| card.turns > 0);
            let failures =
                card.and_then(|card| Some(figures::count(card.trouble.failures? as u64)));
            facts.extend(failures.map(|count| ("failed calls", count)));
        }
        if facts.is_empty() {
            continue;
        }
        lines.push(heading(head));
        for (name, words) in facts {
            let parts = wrapped(&words, plain, width.saturating_sub(NAME));
            for (at, part) in parts.into_iter().enumerate() {
                let name = if at == 0 { name } else { "" };
                let mut spans = vec![own(format!("{name:<NAME$}"), muted)];
                spans.extend(part.spans.into_iter().map(|span| span.patch_style(part.style)));
                lines.push(Line::from(spans));
            }
        }
        lines.push(Line::default());
    }
    lines.extend(row.whole().map(|card| warnings(card, theme, width)).unwrap_or_default());
    lines
}

/// What could not be used of the recording.
fn warnings(card: &Card, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![];
    if card.trouble.warnings > 0 {
        let label = Number::Warnings.label();
        let head = format!("{label}: {}", figures::count(card.trouble.warnings as u64));
        lines.push(Line::styled(head, theme.of(Meaning::Warning)));
    }
    for warning in &card.trouble.first_warnings {
        let words = format!("{}: {}", warning.place, warning.what);
        lines.extend(wrapped(&words, theme.of(Meaning::Muted), width));
    }
    lines
}

fn wrapped(words: &str, style: Style, width: usize) -> Vec<Line<'static>> {
    let words = safe(words);
    let rows = wrap(&words, width).into_iter();
    rows.map(|range| Line::from(recorded(words[range].trim_end(), style))).collect()
}

/// Erosion over the moments that were measured.
fn erosion(curve: &[Option<f64>], theme: Theme, area: Rect, buffer: &mut Buffer) {
    put_row(
        Line::styled("erosion over the run", theme.of(Meaning::Heading)),
        None,
        area,
        0,
        buffer,
    );
    let plot = Rect {
        x: area.x + LEFT,
        y: area.y + 2,
        width: area.width.saturating_sub(LEFT + 1),
        height: area.height.saturating_sub(3),
    };
    let highest = curve.iter().flatten().copied().fold(0.0, f64::max);
    let plot = Plot { area: plot, most: round_up(highest, true) };
    plot.axis(usize::from(LEFT - 3), theme.of(Meaning::Muted), buffer);
    let last = curve.len().saturating_sub(1).max(1);
    let column = |at: usize| (at * usize::from(plot.area.width.saturating_sub(1)) / last) as u16;
    let points = curve.iter().enumerate().map(|(at, value)| (column(at), *value)).collect();
    let style = theme.of(Meaning::Hunk);
    plot.traces(&[Trace { points, stroke: Stroke::Full, sign: '●', style }], theme, buffer);
}
