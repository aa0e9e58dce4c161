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
    views::process::{List, Part, Process, rows::Row},
    widgets::{
        line::{fit, own, safe, width_of},
        panel::{name, position, put_row, sentence, titled},
        scroll::Scroll,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::figures;

use super::{has_keyboard, strip};

pub fn draw_counted(
    view: &Process,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let is_focused = has_keyboard(view, Part::Counted);
    let title = Line::from(name(is_focused, view.chosen().name(), theme));
    let inner = titled(is_focused, [title, Line::default(), Line::default()], theme, area, buffer);
    let rows = view.counted_rows(session);
    put_rows(&rows, view.counted, is_focused, theme, inner, buffer);
    if is_focused {
        whole(&rows, view.counted, theme, inner, buffer);
    }
    position(view.counted.top, rows.len(), theme, area, buffer);
}

pub fn draw_below(
    view: &Process,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let is_focused = has_keyboard(view, Part::Below);
    let rows = view.below_rows(session);
    let inner = titled(
        is_focused,
        titles(view, session, (rows.len(), area.width), is_focused, theme),
        theme,
        area,
        buffer,
    );
    let strip_area = Rect { height: inner.height.min(1), ..inner };
    strip::draw(session, theme, strip_area, buffer);
    let below =
        Rect { y: inner.y + strip_area.height, height: inner.height - strip_area.height, ..inner };
    if rows.is_empty() {
        let words = nothing(view, session);
        return sentence(&words, theme.of(Meaning::Muted), below, buffer);
    }
    put_rows(&rows, view.below, is_focused, theme, below, buffer);
    if is_focused {
        whole(&rows, view.below, theme, below, buffer);
    }
    let seen = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    position(view.below.top, rows.len(), theme, seen, buffer);
}

/// ` signals 6 `, ` decisions 9 of decisions.json `, and the other lists at the right.
fn titles(
    view: &Process,
    session: &Session,
    (count, width): (usize, u16),
    is_focused: bool,
    theme: Theme,
) -> [Line<'static>; 3] {
    let muted = theme.of(Meaning::Muted);
    let count = own(format!("{} ", figures::count(count as u64)), muted);
    let store = match (view.list, &session.scores.worked.store) {
        (List::Decisions, Some(path)) => format!("of {} ", safe(&short(path))),
        _ => String::new(),
    };
    let left = vec![name(is_focused, view.list.words(), theme), count, own(store, muted)];
    let room = usize::from(width).saturating_sub(width_of(&left) + 3);
    [Line::from(left), Line::from(own(others(view.list, room), muted)), Line::default()]
}

/// ` v recoveries and plan · decisions · memory `: the other lists, in the order in which `v` brings them; as many as there
/// is room for.
fn others(list: List, room: usize) -> String {
    let at = List::ALL.iter().position(|it| *it == list).unwrap_or_default();
    let next = |by: usize| List::ALL[(at + by) % List::ALL.len()].words();
    let all: Vec<&str> = (1..List::ALL.len()).map(next).collect();
    let named = |count: usize| {
        let more = if count < all.len() { " …" } else { "" };
        format!(" v {}{more} ", all[..count].join(" · "))
    };
    let fitting = (1..=all.len()).rev().map(named).find(|words| text::width(words) <= room);
    fitting.unwrap_or_default()
}

/// The file and the folder that it lies in.
fn short(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}

fn nothing(view: &Process, session: &Session) -> String {
    match view.list {
        List::Signals => "nothing to look at: no loop, no failure left, no use lost".into(),
        List::Plan => "nothing failed, and no plan was listed".into(),
        List::States => "nothing was built or tested on request; B does it for every turn, with commands of your own".into(),
        List::Recording => "nothing speaks against the recording".into(),
        List::Decisions => match session.scores.worked.decisions() {
            None => "looking for the decisions…".into(),
            Some(Err(why)) => safe(why),
            Some(Ok(None)) => "the run has no decisions.json; d draws one from its requests, --store FILE lays another over the run".into(),
            Some(Ok(Some(_))) => "no decision applies to a file that a step touches".into(),
        },
        List::Memory => match session.scores.worked.memory() {
            None => "looking for what a memory gave the agent…".into(),
            Some(Err(why)) => safe(why),
            Some(Ok(_)) => "no memory events are recorded in this run".into(),
        },
    }
}

/// Cells of the place and of the kind.
const AT: usize = 7;
const KIND: usize = 19;

fn put_rows(
    rows: &[Row],
    scroll: Scroll,
    is_focused: bool,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = usize::from(area.width);
    let selected = theme.of(Meaning::Selected);
    let seen = rows.iter().enumerate().skip(scroll.top).take(usize::from(area.height));
    for (index, row) in seen {
        let style = (index == scroll.cursor && is_focused).then_some(selected);
        let line = Line::from(fit(spans(row, theme), width));
        put_row(line, style, area, (index - scroll.top) as u16, buffer);
    }
}

/// All words of the chosen row below the list, where the row is cut and there is room.
fn whole(rows: &[Row], scroll: Scroll, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let Some(row) = rows.get(scroll.cursor) else { return };
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    let is_cut = width_of(&spans(row, theme)) > usize::from(area.width);
    let words = safe(&row.words);
    let height = text::width(&words).div_ceil(width) + 2;
    let free = usize::from(area.height).saturating_sub(rows.len());
    if !is_cut || free < height {
        return;
    }
    let y = area.bottom() - height as u16 + 1;
    let below = Rect { x: area.x + 1, y, width: area.width - 1, height: area.bottom() - y };
    Paragraph::new(Line::styled(words, theme.of(Meaning::Text)))
        .wrap(Wrap { trim: true })
        .render(below, buffer);
}

fn spans(row: &Row, theme: Theme) -> Vec<Span<'static>> {
    let kind = if row.is_loud { Meaning::Warning } else { Meaning::Hunk };
    let kind_words = match row.kind.is_empty() {
        true => "  ".to_owned(),
        false => format!("{:<KIND$} ", row.kind),
    };
    let at = match (row.at.is_empty(), row.kind.is_empty()) {
        (true, false) if row.step.is_none() => " ".to_owned(),
        _ => format!("{:>AT$}  ", row.at),
    };
    vec![
        own(at, theme.of(Meaning::Muted)),
        own(kind_words, theme.of(kind)),
        own(safe(&row.words), theme.of(Meaning::Text)),
    ]
}
