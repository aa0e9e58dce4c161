//! What stands above the table: what was opened and how far it is read, who says what, the titles.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    session::columns::{Column, Kind, Source},
    views::table::{
        Collection,
        areas::{Areas, Place},
        order::Direction,
    },
    widgets::{
        line::{fit, own, recorded, sides},
        theme::{Meaning, Theme},
    },
};
use trajview_run::figures::counted;

use super::{edge, padded};

pub fn title(table: &Collection, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let area = edge(area);
    sides(what(table, theme), progress(table, theme), usize::from(area.width)).render(area, buffer);
}

/// `sample-runs  8 runs · 3 shown · by task`
fn what(table: &Collection, theme: Theme) -> Vec<Span<'static>> {
    let name = match table.sources.as_slice() {
        _ if table.shape.start.is_some() => "this machine".to_owned(),
        [one] => one.file_name().unwrap_or(one.as_os_str()).to_string_lossy().into_owned(),
        several => format!("{} paths", several.len()),
    };
    let mut facts = vec![counted(table.rows.len(), table.what())];
    if !table.shape.filter.is_empty() {
        facts.push(format!("{} fit `{}`", table.taken(), table.shape.filter.text));
    }
    if !table.shape.expression.is_empty() {
        let (taken, text) = (table.taken(), &table.shape.expression.text);
        facts.push(format!("{taken} of {} where `{text}`", table.rows.len()));
    }
    facts.extend(table.shape.group.map(|column| format!("by {}", column.about().word)));
    vec![
        recorded(&name, theme.of(Meaning::Title)),
        own("  ", theme.of(Meaning::Text)),
        recorded(&facts.join(" · "), theme.of(Meaning::Muted)),
    ]
}

/// How far the work is; nothing when all is done.
fn progress(table: &Collection, theme: Theme) -> Vec<Span<'static>> {
    let total = table.rows.len();
    let [read, done] = table.progress();
    let words = match (table.is_listed, read < total, done < total) {
        (false, ..) => format!("looking for {}s… {total} so far", table.what()),
        (true, ..) if table.is_remote() && read < total => {
            let words = format!("{read}/{total} read whole: the others when they are opened");
            return vec![own(words, theme.of(Meaning::Muted))];
        }
        (true, ..) if table.is_remote() => return vec![],
        (true, ..) if table.reads_what_is_seen() => {
            // What an export tells of is read already.
            let words = match read < total {
                true => format!("{read}/{total} read: the others as they are looked at"),
                false => format!("{done}/{total} measured: the others as they are looked at"),
            };
            return vec![own(words, theme.of(Meaning::Muted))];
        }
        (true, true, _) => format!("reading {read}/{total}"),
        (true, false, true) => format!("measuring {done}/{total}"),
        (true, false, false) => return vec![],
    };
    match table.is_stopped {
        true => vec![own(format!("■ {words}, stopped: x goes on"), theme.of(Meaning::Warning))],
        false => vec![own(format!("{words} · x stops"), theme.of(Meaning::Playing))],
    }
}

pub fn draw(table: &Collection, areas: &Areas, theme: Theme, buffer: &mut Buffer) {
    let room = usize::from(areas.sources.width.saturating_sub(MORE));
    Line::from(fit(sources(areas, theme), room)).render(areas.sources, buffer);
    let mut spans = vec![own(" ", theme.of(Meaning::Text))];
    for (at, place) in areas.columns.iter().enumerate() {
        if at > 0 {
            spans.push(own("  ", theme.of(Meaning::Text)));
        }
        spans.extend(title_of(table, place, theme));
    }
    Line::from(spans).render(areas.titles, buffer);
    let [left, right] = areas.hidden;
    put_more(&format!("‹{left}"), left, areas.titles.x, areas, theme, buffer);
    let width = right.to_string().len() as u16 + 1;
    let x = areas.titles.right().saturating_sub(width);
    put_more(&format!("{right}›"), right, x, areas, theme, buffer);
}

/// Cells at the right edge for the number of columns beyond it.
const MORE: u16 = 4;

/// Says above the titles that there are columns beyond an edge.
fn put_more(words: &str, count: usize, x: u16, areas: &Areas, theme: Theme, buffer: &mut Buffer) {
    if count > 0 {
        let area = Rect { x, width: words.chars().count() as u16, ..areas.sources };
        Line::from(own(words, theme.of(Meaning::Key)))
            .render(area.intersection(areas.sources), buffer);
    }
}

/// Who says so, over the first of the columns that do.
fn sources(areas: &Areas, theme: Theme) -> Vec<Span<'static>> {
    let mut spans: Vec<Span<'static>> = vec![];
    let mut x = areas.sources.x;
    let mut places = areas.columns.as_slice();
    while let Some(first) = places.first() {
        let source = first.column.about().source;
        let count = places.iter().take_while(|it| it.column.about().source == source).count();
        let (here, rest) = places.split_at(count);
        places = rest;
        let end = here.last().map_or(first.x, |last| last.x + last.width);
        if source != Source::Run {
            let room = usize::from(end - first.x);
            spans.push(own(" ".repeat(usize::from(first.x - x)), theme.of(Meaning::Text)));
            spans.extend(over(source.heading(), room, theme));
            x = end;
        }
    }
    spans
}

/// `╭ computed here ╮`, as wide as its columns.
fn over(words: &str, room: usize, theme: Theme) -> Vec<Span<'static>> {
    let style = theme.of(Meaning::Muted);
    let words = fit(vec![own(format!("╭ {words} "), style)], room.saturating_sub(1));
    let used = crate::widgets::line::width_of(&words);
    let mut spans = words;
    spans.push(own("─".repeat(room.saturating_sub(used + 1)), style));
    spans.push(own("╮", style));
    spans
}

fn title_of(table: &Collection, place: &Place, theme: Theme) -> Vec<Span<'static>> {
    let sign = match table.sort() {
        Some(sort) if sort.column == place.column => match sort.direction {
            Direction::Up => "▲",
            Direction::Down => "▼",
        },
        _ => "",
    };
    let is_chosen = place.column == table.shape.chosen;
    let meaning = if is_chosen { Meaning::Selected } else { Meaning::Heading };
    let about = place.column.about();
    let spans = vec![own(format!("{}{sign}", about.title), theme.of(meaning))];
    let kind = if place.column == Column::Curve { Kind::Words } else { about.kind };
    padded(spans, usize::from(place.width), kind)
}
