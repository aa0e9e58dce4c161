//! Two sessions of which nothing was judged: what was done in each, and what was asked turn by turn.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    views::compare::{Comparison, Part},
    widgets::{
        line::{fit, own, safe},
        panel::{position, put_row},
        theme::{Meaning, Theme},
    },
};
use trajview_run::Run;
use trajview_study::compare::{Session, letter};

use super::{frame, muted, name};

/// Cells of a fact's name, and of its value in a session.
const LABEL: usize = 12;
const VALUE: usize = 15;

/// Requests, steps, edits and the rest, one row each.
pub fn facts(compared: &Comparison, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let title = vec![own(" sessions ", theme.of(Meaning::Text))];
    let below = muted("neither has a checklist or a verdict", theme);
    let inner = frame(false, [title, vec![], below], theme, area, buffer);
    let Some(pair) = compared.sides() else { return };
    let [a, b] = pair.map(|party| Session::of(party).facts());
    let known = a.into_iter().zip(b).filter(|(a, b)| a.1.is_some() || b.1.is_some());
    let heads = compared.pair.map(|run| Some(letter(run)));
    let rows = [(("", heads[0].clone()), ("", heads[1].clone()))].into_iter().chain(known);
    for (y, ((name, a), (_, b))) in (0..inner.height).zip(rows) {
        let value = |value: Option<String>| {
            let meaning = if value.is_some() { Meaning::Text } else { Meaning::Muted };
            let words = value.map_or_else(|| "–".into(), |words| safe(&words));
            let words = fit(vec![own(words, theme.of(meaning))], VALUE - 1);
            let cells: usize = words.iter().map(|span| span.width()).sum();
            let blank = own(" ".repeat(VALUE - cells), theme.of(Meaning::Text));
            [vec![blank], words].concat()
        };
        let label = own(format!("{name:<LABEL$}"), theme.of(Meaning::Muted));
        let line = Line::from([vec![label], value(a), value(b)].concat());
        put_row(line, None, inner, y, buffer);
    }
}

/// The requests of both, a turn a row.
pub fn requests(compared: &Comparison, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_focused = compared.part == Part::Components;
    let title = vec![name(compared, Part::Components, "requests", theme)];
    let here = muted(format!("enter opens {}", letter(compared.here())), theme);
    let inner = frame(is_focused, [title, here, vec![]], theme, area, buffer);
    let Some(pair) = compared.sides() else { return };
    let half = usize::from(inner.width).saturating_sub(6) / 2;
    let head = |side: usize| format!(" {}", letter(compared.pair[side]));
    let heads = format!("     {:<half$} {}", head(0), head(1));
    put_row(Line::styled(heads, theme.of(Meaning::Muted)), None, inner, 0, buffer);
    let table = &compared.table;
    let height = usize::from(inner.height.saturating_sub(1));
    let seen = table.order.iter().enumerate().skip(table.scroll.top).take(height);
    for (y, (at, turn)) in (1..).zip(seen) {
        let chosen = (at == table.scroll.cursor)
            .then(|| theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked }));
        let mut spans = vec![own(format!("{:>4} ", turn + 1), theme.of(Meaning::Muted))];
        for party in pair {
            let words = fit(vec![request(&party.run, *turn, theme)], half);
            let cells: usize = words.iter().map(|span| span.width()).sum();
            spans.extend(words);
            spans.push(own(" ".repeat(half + 1 - cells), theme.of(Meaning::Text)));
        }
        put_row(Line::from(spans), chosen, inner, y, buffer);
    }
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    position(table.scroll.top, table.order.len(), theme, below, buffer);
}

fn request(run: &Run, turn: usize, theme: Theme) -> ratatui::text::Span<'static> {
    match run.turns.get(turn).map(|turn| &*turn.title) {
        Some("") => own("no request recorded", theme.of(Meaning::Muted)),
        Some(words) => own(safe(words), theme.of(Meaning::Text)),
        None => own("–", theme.of(Meaning::Muted)),
    }
}
