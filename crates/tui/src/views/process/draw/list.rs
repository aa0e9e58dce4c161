//! The lists: what a pillar is made of, and signals, recoveries, decisions, memory or the recording below.

use std::path::Path;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Paragraph, Widget, Wrap},
};

use crate::{
    session::Session,
    views::process::{ProcessList, ProcessPart, ProcessView, rows::ProcessRow},
    widgets::{
        line::{fit_spans, safe_string, spans_width, trusted_span},
        pane::ListPane,
        panel::{
            PanelTitles, draw_scroll_position, draw_sentence, draw_titled_panel, panel_title_span,
            put_row,
        },
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::format_number;

use super::is_focused;

pub(crate) fn draw_counted(
    view: &ProcessView,
    session: &Session,
    theme: Theme,
    buffer: &mut Buffer,
) {
    let is_focused = is_focused(view, ProcessPart::Counted);
    let title = panel_title_span(is_focused, view.chosen_pillar().name(), theme);
    let inner = view.counted.draw_frame(title, is_focused, theme, buffer);
    draw_process_rows(&view.counted, &view.counted_rows(session), is_focused, theme, inner, buffer);
}

pub(crate) fn draw_below(view: &ProcessView, session: &Session, theme: Theme, buffer: &mut Buffer) {
    let is_focused = is_focused(view, ProcessPart::Below);
    let rows = view.below_rows(session);
    let width = view.below.frame_width();
    let titles = list_titles(view, session, (rows.len(), width), is_focused, theme);
    let inner = view.below.draw_frame(titles, is_focused, theme, buffer);
    if rows.is_empty() {
        let words = empty_list_text(view, session);
        return draw_sentence(&words, theme.style_for(Meaning::Muted), inner, buffer);
    }
    draw_process_rows(&view.below, &rows, is_focused, theme, inner, buffer);
}

/// Draws a list that is not the chosen one, from its first row on.
pub(crate) fn draw_other(
    view: &ProcessView,
    session: &Session,
    list: ProcessList,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let rows = view.rows_of(list, session);
    let muted = theme.style_for(Meaning::Muted);
    let count = format!("{} ", format_number::with_thousands(rows.len() as u64));
    let title = vec![panel_title_span(false, list.list_title(), theme), trusted_span(count, muted)];
    let inner = draw_titled_panel(false, title, theme, area, buffer);
    for (row, y) in rows.iter().zip(0..inner.height) {
        let line =
            Line::from(fit_spans(row_spans(row, KIND_CELLS, theme), usize::from(inner.width)));
        put_row(line, None, inner, y, buffer);
    }
    draw_scroll_position(0, rows.len(), theme, area, buffer);
}

fn draw_process_rows(
    pane: &ListPane,
    rows: &[ProcessRow],
    is_focused: bool,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = usize::from(area.width);
    let chosen = is_focused.then(|| theme.style_for(Meaning::Selected));
    let kind_width = kind_width(rows);
    pane.draw_rows(chosen, theme, buffer, |index| {
        Line::from(fit_spans(row_spans(&rows[index], kind_width, theme), width))
    });
    if let Some(row) = rows.get(pane.cursor()).filter(|_| is_focused) {
        draw_chosen_whole(row, (rows.len(), kind_width), theme, area, buffer);
    }
}

/// Returns the width of the column of kinds in cells: the narrow one where every kind fits, else the usual one, so that
/// lists below each other are aligned.
fn kind_width(rows: &[ProcessRow]) -> usize {
    let longest = rows.iter().map(|row| text::width(&row.kind)).max().unwrap_or_default();
    if longest < SHORT_KIND_CELLS { SHORT_KIND_CELLS } else { KIND_CELLS }
}

/// Returns ` signals 6 `, ` decisions 9 of decisions.json `, and the other lists at the right.
fn list_titles(
    view: &ProcessView,
    session: &Session,
    (count, width): (usize, u16),
    is_focused: bool,
    theme: Theme,
) -> PanelTitles {
    let muted = theme.style_for(Meaning::Muted);
    let count = trusted_span(format!("{} ", format_number::with_thousands(count as u64)), muted);
    let store = match (view.list, &session.scores.process.store) {
        (ProcessList::Decisions, Some(path)) => format!("of {} ", safe_string(&short_path(path))),
        _ => String::new(),
    };
    let left = vec![
        panel_title_span(is_focused, view.list.list_title(), theme),
        count,
        trusted_span(store, muted),
    ];
    let room = usize::from(width).saturating_sub(spans_width(&left) + 3);
    PanelTitles::from(left).with_right(trusted_span(other_lists(view.list, room), muted))
}

/// Returns ` v recoveries and plan · decisions · memory `: the other lists, in the order in which `v` brings them; as
/// many as there is room for.
fn other_lists(list: ProcessList, room: usize) -> String {
    let at = ProcessList::ALL.iter().position(|it| *it == list).unwrap_or_default();
    let next = |by: usize| ProcessList::ALL[(at + by) % ProcessList::ALL.len()].list_title();
    let all: Vec<&str> = (1..ProcessList::ALL.len()).map(next).collect();
    let first_lists = |count: usize| {
        let more = if count < all.len() { " …" } else { "" };
        format!(" v {}{more} ", all[..count].join(" · "))
    };
    let fitting = (1..=all.len()).rev().map(first_lists).find(|words| text::width(words) <= room);
    fitting.unwrap_or_default()
}

/// Returns the file name with its parent folder.
fn short_path(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}

fn empty_list_text(view: &ProcessView, session: &Session) -> String {
    match view.list {
        ProcessList::Signals => "no signals".into(),
        ProcessList::Plan => "no failures, no plan".into(),
        ProcessList::States => "no builds or tests on request; B: run your commands at every turn".into(),
        ProcessList::Recording => "no problems found in the recording".into(),
        ProcessList::Decisions => match session.scores.process.decisions() {
            None => "loading decisions…".into(),
            Some(Err(why)) => safe_string(why),
            Some(Ok(None)) => "no decisions.json; \": extract decisions from requests · --decisions FILE: use another file".into(),
            Some(Ok(Some(_))) => "no decision applies to a file of a step".into(),
        },
        ProcessList::Memory => match session.scores.process.memory() {
            None => "loading memory events…".into(),
            Some(Err(why)) => safe_string(why),
            Some(Ok(_)) => "this run has no memory events".into(),
        },
    }
}

/// Cells of the place and of the kind.
const PLACE_CELLS: usize = 7;
const KIND_CELLS: usize = 21;
const SHORT_KIND_CELLS: usize = 9;

/// Draws all words of the chosen row below the list, where the row is cut and there is room.
fn draw_chosen_whole(
    row: &ProcessRow,
    (row_count, kind_width): (usize, usize),
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    let is_cut = spans_width(&row_spans(row, kind_width, theme)) > usize::from(area.width);
    let words = safe_string(&row.text);
    let height = text::width(&words).div_ceil(width) + 2;
    let free = usize::from(area.height).saturating_sub(row_count);
    if !is_cut || free < height {
        return;
    }
    let y = area.bottom() - height as u16 + 1;
    let below = Rect { x: area.x + 1, y, width: area.width - 1, height: area.bottom() - y };
    Paragraph::new(Line::styled(words, theme.style_for(Meaning::Text)))
        .wrap(Wrap { trim: true })
        .render(below, buffer);
}

fn row_spans(row: &ProcessRow, kind_width: usize, theme: Theme) -> Vec<Span<'static>> {
    let kind = if row.is_loud { Meaning::Warning } else { Meaning::Hunk };
    let kind_words = match row.kind.is_empty() {
        true => "  ".to_owned(),
        false => format!("{:<kind_width$} ", row.kind),
    };
    let at = match (row.place.is_empty(), row.kind.is_empty()) {
        (true, false) if row.step.is_none() => " ".to_owned(),
        _ => format!("{:>PLACE_CELLS$}  ", row.place),
    };
    vec![
        trusted_span(at, theme.style_for(Meaning::Muted)),
        trusted_span(kind_words, theme.style_for(kind)),
        trusted_span(safe_string(&row.text), theme.style_for(Meaning::Text)),
    ]
}
