//! Draws the changes of the turn under way: its files, and below them their patches.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    views::live::{LiveFileChange, LiveView},
    widgets::{
        line::{fit_spans, recorded_span, trusted_span},
        panel::{draw_titled_panel, put_row},
        theme::{Meaning, Theme},
    },
};

pub fn draw(live: &LiveView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let turn = live.turn_under_way().map(|at| live.turns[at].request.turn);
    let name = match turn {
        Some(turn) => format!(" changed so far in turn {turn} "),
        None => " current turn: none ".into(),
    };
    let titles = Line::styled(name, theme.style_for(Meaning::Text));
    let inside = draw_titled_panel(false, titles, theme, area, buffer);
    let width = usize::from(inside.width);
    let rows = changed_rows(live, theme);
    for (y, row) in rows.into_iter().take(usize::from(inside.height)).enumerate() {
        put_row(Line::from(fit_spans(row, width)), None, inside, y as u16, buffer);
    }
}

fn changed_rows(live: &LiveView, theme: Theme) -> Vec<Vec<Span<'static>>> {
    if live.turn_under_way().is_none() {
        let words = "the files that a turn changes are shown here while it runs";
        return vec![vec![trusted_span(words, theme.style_for(Meaning::Muted))]];
    }
    if live.changed.is_empty() {
        return vec![vec![trusted_span("no changes yet", theme.style_for(Meaning::Muted))]];
    }
    let files = live.changed.iter().map(|it| file_spans(it, theme));
    // The last file that was written is likely the one that is worked on.
    let patch = live.changed.last().map_or("", |it| it.patch.as_str());
    files.chain(patch.lines().map(|line| patch_line_spans(line, theme))).collect()
}

fn file_spans(changed: &LiveFileChange, theme: Theme) -> Vec<Span<'static>> {
    let mut spans = vec![recorded_span(&changed.path, theme.style_for(Meaning::Heading))];
    match changed.lines {
        Some((added, removed)) => {
            spans.push(trusted_span(format!("  +{added}"), theme.style_for(Meaning::Added)));
            spans.push(trusted_span(format!(" −{removed}"), theme.style_for(Meaning::Removed)));
        }
        None => spans.push(trusted_span("  not text", theme.style_for(Meaning::Muted))),
    }
    spans
}

fn patch_line_spans(line: &str, theme: Theme) -> Vec<Span<'static>> {
    let meaning = match line.as_bytes().first() {
        Some(b'+') => Meaning::Added,
        Some(b'-') => Meaning::Removed,
        Some(b'@') => Meaning::Hunk,
        _ => Meaning::Muted,
    };
    vec![recorded_span(line, theme.style_for(meaning))]
}
