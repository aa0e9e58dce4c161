//! The requests of the script: what became of each, which one is next.

use ratatui::{
    buffer::Buffer,
    text::{Line, Span},
};

use crate::{
    session::live::How,
    views::live::{Focus, Live, PromptKind, State, Turn, areas::Areas},
    widgets::{
        line::{fit, fit_end, own, recorded, safe},
        panel::{position, put_row, titled},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::figures;

pub fn draw(live: &Live, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    let is_focused = live.focus == Focus::Requests;
    let limits = match live.plan.limits.as_slice() {
        [] => Line::default(),
        limits => {
            Line::styled(format!(" stops at {} ", limits.join(", ")), theme.of(Meaning::Muted))
        }
    };
    let titles = [
        Line::styled(" requests ", theme.of(Meaning::Title)),
        limits,
        Line::styled(out(live, areas.requests.width), theme.of(Meaning::Muted)),
    ];
    let inside = titled(is_focused, titles, theme, areas.requests, buffer);
    let width = usize::from(inside.width);
    let chosen = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let rows = live.turns.iter().enumerate().skip(live.rows.top);
    for (y, (at, turn)) in rows.take(usize::from(inside.height)).enumerate() {
        let is_next = live.next() == Some(at);
        let line = Line::from(fit(row(turn, is_next, live.plan.is_chat, theme), width));
        let style = (at == live.rows.cursor).then_some(chosen);
        put_row(line, style, inside, y as u16, buffer);
    }
    position(live.rows.top, live.turns.len(), theme, areas.requests, buffer);
}

/// ` recorded in DIR `: of a long path the end, which tells folders apart, and never a part that is another folder's
/// whole name.
fn out(live: &Live, width: u16) -> String {
    if live.plan.out.is_empty() {
        return String::new();
    }
    let out = safe(&live.plan.out);
    // What rows are seen stands to the right of it.
    let position = " 888–888 of 888 ".chars().count();
    let room = usize::from(width).saturating_sub(2 + position);
    let long = "recorded in ";
    let words = if room >= text::width(&out) + long.len() + 2 { long } else { "in " };
    format!(" {words}{} ", fit_end(&out, room.saturating_sub(words.len() + 2)))
}

fn row(turn: &Turn, is_next: bool, is_chat: bool, theme: Theme) -> Vec<Span<'static>> {
    let (sign, meaning) = sign(&turn.state, is_next);
    let mut spans = vec![
        own(format!("{sign} "), theme.of(meaning)),
        own(number(turn), theme.of(Meaning::Muted)),
    ];
    if let Some(checkpoint) = &turn.asked.checkpoint {
        spans.push(recorded(&format!("[{checkpoint}] "), theme.of(Meaning::Heading)));
    }
    if let State::Ended(How::Failed(why)) = &turn.state {
        spans.push(recorded(&format!("failed: {why} · "), theme.of(Meaning::Error)));
    }
    if turn.state == State::Skipped {
        spans.push(own("skipped · ", theme.of(Meaning::Warning)));
    }
    if turn.asked.is_typed && !is_chat {
        spans.push(own("typed, not in the script · ", theme.of(Meaning::Warning)));
    }
    if turn.is_edited {
        spans.push(own("edited · ", theme.of(Meaning::Warning)));
    }
    if turn.attempt > 1 {
        let words = format!("attempt {} · ", turn.attempt);
        spans.push(own(words, theme.of(Meaning::Warning)));
    }
    for layer in &turn.layers {
        spans.push(recorded(
            &format!("{}: {} · ", layer.name, layer.why),
            theme.of(Meaning::Heading),
        ));
    }
    if let Some(seconds) = turn.seconds {
        spans.push(own(format!("{} · ", figures::duration(seconds)), theme.of(Meaning::Muted)));
    }
    let first = turn.asked.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    spans.push(recorded(first, theme.of(Meaning::Text)));
    spans
}

/// The turn, where the request has one.
fn number(turn: &Turn) -> String {
    match turn.asked.turn {
        0 => "  – ".into(),
        number => format!("{number:>3} "),
    }
}

const fn sign(state: &State, is_next: bool) -> (&'static str, Meaning) {
    match state {
        State::Waits if is_next => ("›", Meaning::Key),
        State::Waits => (" ", Meaning::Muted),
        State::UnderWay => ("▶", Meaning::Playing),
        State::Ended(How::Done) => ("✓", Meaning::Added),
        State::Skipped => ("–", Meaning::Warning),
        State::Ended(How::Failed(_)) => ("✗", Meaning::Error),
    }
}

/// What stands before the words that are being typed.
pub const fn asks(kind: PromptKind) -> &'static str {
    match kind {
        PromptKind::Request => "next request ",
        PromptKind::Find => "find in the terminal ",
    }
}
