//! How far label and verdict agree, as far as things are labelled.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::audit::{
        Audit, Part,
        agreement::{NAME, RESAMPLES, Row},
        areas::Areas,
    },
    widgets::{
        line::{fit, own, recorded},
        text,
        theme::{Meaning, Theme},
    },
};

use super::{frame, rows};

/// Cells of a name beside four numbers.
const WHO: usize = 11;

/// Cells of a count.
const COUNT: usize = 4;

pub fn draw(
    view: &Audit,
    session: &Session,
    theme: Theme,
    areas: &Areas,
    area: Rect,
    buffer: &mut Buffer,
) {
    let drawn = format!("{},{:03} resamples", RESAMPLES / 1000, RESAMPLES % 1000);
    let inner = frame(view, Part::Agreement, ["agreement", &drawn], theme, area, buffer);
    let width = usize::from(inner.width);
    let lines = super::super::agreement::agreement_rows(view, session, areas);
    let lines = lines.iter().map(|row| Line::from(fit(say(row, theme), width))).collect();
    let scroll = view.agreement.scroll;
    rows(view, Part::Agreement, lines, scroll, theme, [area, inner], buffer);
}

fn say(row: &Row, theme: Theme) -> Vec<Span<'static>> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    match row {
        Row::Blank => vec![],
        Row::Heading(words) => vec![own(words.clone(), theme.of(Meaning::Heading))],
        Row::Pair(name, value) => {
            vec![own(format!(" {name:<NAME$} "), muted), own(value.clone(), plain)]
        }
        Row::Note(words) => vec![own(words.clone(), plain)],
        Row::With(name, cells) => {
            let [n, exact, within, kappa] = cells;
            let words = format!("{n:>4} {exact:>6} {within:>6} {kappa:>7}");
            let name = text::truncate(name, WHO, "…");
            let gap = " ".repeat(WHO.saturating_sub(text::width(&name)));
            vec![recorded(&format!(" {name}{gap}"), muted), own(words, plain)]
        }
        Row::Head(name, levels) => {
            let levels: String = levels.iter().map(|level| format!("{level:>COUNT$}")).collect();
            vec![own(format!(" {name:<NAME$} {levels}"), muted)]
        }
        Row::Levels(name, counts) => {
            let counts: String = counts.iter().map(|count| format!("{count:>COUNT$}")).collect();
            vec![own(format!(" {name:<NAME$} "), muted), own(counts, plain)]
        }
        Row::Confusion { level, place, counts } => confusion(*level, *place, counts, theme),
    }
}

/// ` 3            ·   ·   1  [2]  ·`: where both agree stands between brackets.
fn confusion(level: u8, place: usize, counts: &[usize], theme: Theme) -> Vec<Span<'static>> {
    let muted = theme.of(Meaning::Muted);
    let mut spans = vec![own(format!(" {level:<NAME$} "), muted)];
    let mut pending = String::new();
    for (other, count) in counts.iter().enumerate() {
        let words = if *count == 0 { "·".to_owned() } else { count.to_string() };
        let is_agreed = other == place;
        let meaning = match (is_agreed, *count) {
            (_, 0) => Meaning::Muted,
            (true, _) => Meaning::Added,
            (false, _) => Meaning::Removed,
        };
        // The bracket behind a number takes the place of a blank before the next.
        let open = if is_agreed { "[" } else { "" };
        let taken = text::width(&pending) + text::width(&words) + open.len();
        let blank = " ".repeat(COUNT.saturating_sub(taken));
        spans.push(own(format!("{pending}{blank}{open}"), muted));
        spans.push(own(words, theme.of(meaning)));
        pending = if is_agreed { "]".into() } else { String::new() };
    }
    spans.push(own(pending, muted));
    spans
}
