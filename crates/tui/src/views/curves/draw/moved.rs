//! What moved a point since the one before it: callables, rules and clones, the largest first.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::curves::{Curves, Part},
    widgets::{
        line::{fit, fit_end, own, safe, sides, width_of},
        panel::{position, put_row, sentence, titled},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::quality::{Change, Weight, What};
use trajview_run::figures;

use super::has_keyboard;

pub fn draw(view: &Curves, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_focused = has_keyboard(view, Part::Moved);
    let width = usize::from(area.width.saturating_sub(2));
    let titles =
        [Line::from(fit(title(view, session, theme), width)), Line::default(), Line::default()];
    let inner = titled(is_focused, titles, theme, area, buffer);
    let changes = match view.moved_span(session).and_then(|span| session.scores.moved(span)) {
        Some(Ok(moved)) if !moved.changes.is_empty() => view.moved_rows(session),
        Some(Ok(moved)) => {
            let words = nothing_said(&moved.not_compared);
            return sentence(&words, theme.of(Meaning::Muted), inner, buffer);
        }
        Some(Err(why)) => return sentence(&safe(why), theme.of(Meaning::Error), inner, buffer),
        None => return,
    };
    let scroll = view.rows;
    let selected = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let seen = changes.iter().enumerate().skip(scroll.top).take(usize::from(inner.height));
    for (index, change) in seen {
        let style = (index == scroll.cursor && is_focused).then_some(selected);
        put_row(row(change, theme, width), style, inner, (index - scroll.top) as u16, buffer);
    }
    position(scroll.top, changes.len(), theme, area, buffer);
}

/// What is said where the list is empty.
fn nothing_said(not_compared: &[String]) -> String {
    match not_compared {
        [] => "no callable, rule hit or clone is other than before".into(),
        [path] => format!("{} could not be measured before or after", safe(path)),
        [path, others @ ..] => {
            let count = others.len();
            format!("{} and {count} more could not be measured before or after", safe(path))
        }
    }
}

/// ` what moved  turn 22 to turn 23 `
fn title(view: &Curves, session: &Session, theme: Theme) -> Vec<Span<'static>> {
    let is_focused = has_keyboard(view, Part::Moved);
    let name = theme.of(if is_focused { Meaning::Title } else { Meaning::Text });
    let points = view.points(session);
    let here = view.point_index(session, &points);
    let since = here.zip(view.moved_span(session)).map(|(here, (before, _))| {
        let from = match here.checked_sub(1) {
            Some(previous) => points[previous].said(),
            None if before.turns == 0 => "the start".to_owned(),
            None => format!("turn {}", before.turns),
        };
        format!(" from {from} to {} ", points[here].said())
    });
    let left_out = view.moved(session).map_or(0, |moved| moved.not_compared.len());
    let left_out = match left_out {
        0 => String::new(),
        1 => "· 1 file not compared ".into(),
        count => format!("· {count} files not compared "),
    };
    let muted = theme.of(Meaning::Muted);
    vec![own(" what moved ", name), own(since.unwrap_or_default(), muted), own(left_out, muted)]
}

/// Cells that the name of a thing keeps while its place grows shorter.
const NAME: usize = 18;

/// From here on the place stands beside the name.
const WIDE: usize = 100;

/// Cells of the kind of thing.
const KIND: usize = 9;

fn row(change: &Change, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let (kind, name, by) = said(&change.what);
    let facts = own(format!(" {by}"), theme.of(Meaning::Hunk));
    let place = match change.is_there {
        true => format!("{}:{}", change.place.path, change.place.span.start),
        false => format!("{} (gone)", change.place.path),
    };
    let name = safe(&name);
    let taken = KIND + width_of(std::slice::from_ref(&facts)) + 1;
    let room = width.saturating_sub(taken + text::width(&name).min(NAME));
    let place = fit_end(&safe(&place), room.max(width / 5));
    let room = width.saturating_sub(taken + text::width(&place));
    let name = fit_end(&name, room.max(NAME / 2));
    let kind = own(format!("{kind:<KIND$}"), muted);
    if width >= WIDE {
        // Beside the name: over so many blanks nobody's eye finds the way.
        let name = own(format!("{name}  "), plain);
        return Line::from(fit(vec![kind, name, own(place, muted), own(" ", muted), facts], width));
    }
    sides(vec![kind, own(name, plain), facts], vec![own(place, muted)], width)
}

/// The kind of thing, which one, and by how much.
fn said(what: &What) -> (&'static str, String, String) {
    match what {
        What::Callable { name, before, after } => {
            ("function", name.clone(), weights(before.as_ref(), after.as_ref()))
        }
        What::Rule { rule, hits, lines } => (
            "rule",
            rule.clone(),
            format!("{}, {}", counted(*hits, "hit"), counted(*lines, "line")),
        ),
        What::Clones { pieces, lines } => (
            "clone",
            String::new(),
            format!("{}, {}", counted(*pieces, "piece"), counted(*lines, "line")),
        ),
    }
}

/// `mass 12.3 → 45.6, CC 4 → 12`
fn weights(before: Option<&Weight>, after: Option<&Weight>) -> String {
    match (before, after) {
        (Some(before), Some(after)) => format!(
            "mass {} → {}, branches (CC) {}",
            figures::tenths(before.mass),
            figures::tenths(after.mass),
            if before.cc == after.cc {
                after.cc.to_string()
            } else {
                format!("{} → {}", before.cc, after.cc)
            }
        ),
        (None, Some(after)) => {
            format!("new, mass {}, branches (CC) {}", figures::tenths(after.mass), after.cc)
        }
        (Some(before), None) => {
            format!("gone, mass {}, branches (CC) {}", figures::tenths(before.mass), before.cc)
        }
        (None, None) => String::new(),
    }
}

/// `+1 hit`, `−3 lines`
fn counted(by: i64, thing: &str) -> String {
    let sign = if by < 0 { "−" } else { "+" };
    let count = by.unsigned_abs();
    let number = figures::count(count);
    let plural = if count == 1 { "" } else { "s" };
    format!("{sign}{number} {thing}{plural}")
}
