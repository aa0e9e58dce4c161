//! Draws the head of the table: the opened source with the progress, the sources of the columns, the titles.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    session::columns::{ColumnKind, ColumnSource, RunTableColumn},
    session::context::KeyContext,
    views::table::{
        RunTableView,
        areas::{ColumnPlace, HIDDEN_COUNT_CELLS, RunTableAreas},
        order::SortDirection,
    },
    widgets::{
        line::{fit_spans, left_and_right, recorded_span, trusted_span},
        theme::{Meaning, Theme},
    },
};
use trajview_run::format_number::count_with_noun;

use super::{inside_margins, padded_spans};

pub(crate) fn draw_head(table: &RunTableView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let area = inside_margins(area);
    left_and_right(
        title_spans(table, theme),
        progress_spans(table, theme),
        usize::from(area.width),
    )
    .render(area, buffer);
}

/// Returns `sample-runs  8 runs · 3 match `x` · 5 passed · 3 failed · by task`.
fn title_spans(table: &RunTableView, theme: Theme) -> Vec<Span<'static>> {
    let name = match table.sources.as_slice() {
        _ if table.shape.start.is_some() => "runs".to_owned(),
        [one] => one.file_name().unwrap_or(one.as_os_str()).to_string_lossy().into_owned(),
        several => format!("{} paths", several.len()),
    };
    let mut facts = vec![count_with_noun(table.rows.len(), table.row_noun())];
    if !table.shape.filter.is_empty() {
        facts.push(format!("{} match `{}`", table.taken_count(), table.shape.filter.text));
    }
    if !table.shape.expression.is_empty() {
        let (taken, text) = (table.taken_count(), &table.shape.expression.text);
        facts.push(format!("{taken} of {} where `{text}`", table.rows.len()));
    }
    facts.extend(table.outcome_counts().summary_text());
    facts.extend(table.shape.group.map(|column| format!("by {}", column.column_info().word)));
    if table.shape.start.is_some() {
        facts.push("sessions of agents, and recordings opened lately".into());
    }
    vec![
        recorded_span(&name, theme.style_for(Meaning::Title)),
        trusted_span("  ", theme.style_for(Meaning::Text)),
        recorded_span(&facts.join(" · "), theme.style_for(Meaning::Muted)),
    ]
}

/// Returns the progress of reading and measuring. Empty once all is done.
fn progress_spans(table: &RunTableView, theme: Theme) -> Vec<Span<'static>> {
    let total = table.rows.len();
    let [read, done] = table.read_and_measured();
    let words = match (table.is_listed, read < total, done < total) {
        (false, ..) => format!("searching {}s… {total} so far", table.row_noun()),
        (true, ..) if table.is_remote() && read < total => {
            let words = format!("{read}/{total} read completely: the others when opened");
            return vec![trusted_span(words, theme.style_for(Meaning::Muted))];
        }
        (true, ..) if table.is_remote() => return vec![],
        (true, ..) if table.reads_what_is_seen() => {
            // The rows of an export are already read.
            let words = match read < total {
                true => format!("{read}/{total} read: the others when shown"),
                false => format!("{done}/{total} measured: the others when shown"),
            };
            return vec![trusted_span(words, theme.style_for(Meaning::Muted))];
        }
        (true, true, _) => format!("reading {read}/{total}"),
        (true, false, true) => format!("measuring {done}/{total}"),
        (true, false, false) => return vec![],
    };
    let stop = table.keys.key_text(KeyContext::Table, "stop-measuring");
    match table.is_stopped {
        true => vec![trusted_span(
            format!("■ {words}, stopped: {stop} continues"),
            theme.style_for(Meaning::Warning),
        )],
        false => {
            vec![trusted_span(format!("{words} · {stop} stops"), theme.style_for(Meaning::Playing))]
        }
    }
}

pub(crate) fn draw_headings(
    table: &RunTableView,
    areas: &RunTableAreas,
    theme: Theme,
    buffer: &mut Buffer,
) {
    let room = usize::from(areas.sources.width.saturating_sub(HIDDEN_COUNT_CELLS));
    Line::from(fit_spans(source_spans(areas, theme), room)).render(areas.sources, buffer);
    let mut spans = vec![trusted_span(" ", theme.style_for(Meaning::Text))];
    for (at, place) in areas.columns.iter().enumerate() {
        if at > 0 {
            spans.push(trusted_span("  ", theme.style_for(Meaning::Text)));
        }
        spans.extend(column_title_spans(table, place, theme));
    }
    Line::from(spans).render(areas.titles, buffer);
    let [left, right] = areas.hidden;
    put_more(&format!("‹{left}"), left, areas.titles.x, areas, theme, buffer);
    let width = right.to_string().len() as u16 + 1;
    let x = areas.titles.right().saturating_sub(width);
    put_more(&format!("{right}›"), right, x, areas, theme, buffer);
}

/// Draws above the titles that there are columns beyond an edge.
fn put_more(
    words: &str,
    count: usize,
    x: u16,
    areas: &RunTableAreas,
    theme: Theme,
    buffer: &mut Buffer,
) {
    if count > 0 {
        let area = Rect { x, width: words.chars().count() as u16, ..areas.sources };
        Line::from(trusted_span(words, theme.style_for(Meaning::Key)))
            .render(area.intersection(areas.sources), buffer);
    }
}

/// Returns the sources of the columns, each above the first of its columns.
fn source_spans(areas: &RunTableAreas, theme: Theme) -> Vec<Span<'static>> {
    let mut spans: Vec<Span<'static>> = vec![];
    let mut x = areas.sources.x;
    let mut places = areas.columns.as_slice();
    while let Some(first) = places.first() {
        let source = first.column.column_info().source;
        let count = places.iter().take_while(|it| it.column.column_info().source == source).count();
        let (here, rest) = places.split_at(count);
        places = rest;
        let end = here.last().map_or(first.x, |last| last.x + last.width);
        if source != ColumnSource::Run {
            let room = usize::from(end - first.x);
            spans.push(trusted_span(
                " ".repeat(usize::from(first.x - x)),
                theme.style_for(Meaning::Text),
            ));
            spans.extend(source_bracket(source.heading(), room, theme));
            x = end;
        }
    }
    spans
}

/// Returns `╭ computed here ╮`, as wide as its columns.
fn source_bracket(words: &str, room: usize, theme: Theme) -> Vec<Span<'static>> {
    let style = theme.style_for(Meaning::Muted);
    let words = fit_spans(vec![trusted_span(format!("╭ {words} "), style)], room.saturating_sub(1));
    let used = crate::widgets::line::spans_width(&words);
    let mut spans = words;
    spans.push(trusted_span("─".repeat(room.saturating_sub(used + 1)), style));
    spans.push(trusted_span("╮", style));
    spans
}

fn column_title_spans(
    table: &RunTableView,
    place: &ColumnPlace,
    theme: Theme,
) -> Vec<Span<'static>> {
    let sign = match table.current_sort() {
        Some(sort) if sort.column == place.column => match sort.direction {
            SortDirection::Up => "▲",
            SortDirection::Down => "▼",
        },
        _ => "",
    };
    let is_chosen = place.column == table.shape.chosen;
    let meaning = if is_chosen { Meaning::Selected } else { Meaning::Heading };
    let column_info = place.column.column_info();
    let spans =
        vec![trusted_span(format!("{}{sign}", column_info.title), theme.style_for(meaning))];
    let kind =
        if place.column == RunTableColumn::Curve { ColumnKind::Words } else { column_info.kind };
    padded_spans(spans, usize::from(place.width), kind)
}
