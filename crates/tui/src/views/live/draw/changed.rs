//! What the turn under way has changed so far: its files, and below them their patches.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::live::Changed,
    views::live::Live,
    widgets::{
        line::{fit, own, recorded},
        panel::{put_row, titled},
        theme::{Meaning, Theme},
    },
};

pub fn draw(live: &Live, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let turn = live.under_way().map(|at| live.turns[at].asked.turn);
    let name = match turn {
        Some(turn) => format!(" changed so far in turn {turn} "),
        None => " the turn under way ".into(),
    };
    let titles = [Line::styled(name, theme.of(Meaning::Text)), Line::default(), Line::default()];
    let inside = titled(false, titles, theme, area, buffer);
    let width = usize::from(inside.width);
    let rows = rows(live, theme);
    for (y, row) in rows.into_iter().take(usize::from(inside.height)).enumerate() {
        put_row(Line::from(fit(row, width)), None, inside, y as u16, buffer);
    }
}

fn rows(live: &Live, theme: Theme) -> Vec<Vec<Span<'static>>> {
    if live.under_way().is_none() {
        return vec![vec![own("no turn is under way", theme.of(Meaning::Muted))]];
    }
    if live.changed.is_empty() {
        return vec![vec![own("no file has changed yet", theme.of(Meaning::Muted))]];
    }
    let files = live.changed.iter().map(|it| file(it, theme));
    // The last file that was written is likely the one that is worked on.
    let patch = live.changed.last().map_or("", |it| it.patch.as_str());
    files.chain(patch.lines().map(|line| of_patch(line, theme))).collect()
}

fn file(changed: &Changed, theme: Theme) -> Vec<Span<'static>> {
    let mut spans = vec![recorded(&changed.path, theme.of(Meaning::Heading))];
    match changed.lines {
        Some((added, removed)) => {
            spans.push(own(format!("  +{added}"), theme.of(Meaning::Added)));
            spans.push(own(format!(" −{removed}"), theme.of(Meaning::Removed)));
        }
        None => spans.push(own("  not text", theme.of(Meaning::Muted))),
    }
    spans
}

fn of_patch(line: &str, theme: Theme) -> Vec<Span<'static>> {
    let meaning = match line.as_bytes().first() {
        Some(b'+') => Meaning::Added,
        Some(b'-') => Meaning::Removed,
        Some(b'@') => Meaning::Hunk,
        _ => Meaning::Muted,
    };
    vec![recorded(line, theme.of(meaning))]
}
