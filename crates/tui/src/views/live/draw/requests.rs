//! The requests of the script: what became of each, which one is next.

use ratatui::{
    buffer::Buffer,
    text::{Line, Span},
};

use crate::{
    views::live::{LiveFocus, LiveTurn, LiveTurnState, LiveView, PromptKind, areas::LiveAreas},
    widgets::{
        line::{fit_spans, fit_text_end, recorded_span, safe_string, trusted_span},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::format_number;

pub fn draw(live: &LiveView, theme: Theme, areas: &LiveAreas, buffer: &mut Buffer) {
    let is_focused = live.focus == LiveFocus::Requests;
    let limits = match live.plan.limits.as_slice() {
        [] => Line::default(),
        limits => Line::styled(
            format!(" limits: {} ", limits.join(", ")),
            theme.style_for(Meaning::Muted),
        ),
    };
    let titles = [
        Line::styled(
            if live.has_no_run() { " requests of the open run " } else { " requests " },
            theme.style_for(Meaning::Title),
        ),
        limits,
        Line::styled(
            output_folder_text(live, areas.requests.width),
            theme.style_for(Meaning::Muted),
        ),
    ];
    let inside = live.rows.draw_frame(titles, is_focused, theme, buffer);
    live.rows.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |at| {
        let is_next = !live.has_no_run() && live.next_request() == Some(at);
        let spans = request_spans(&live.turns[at], is_next, live.plan.is_chat, theme);
        Line::from(fit_spans(spans, usize::from(inside.width)))
    });
}

/// Returns ` recorded in DIR `; of a long path the end, which distinguishes folders, and never a part that could be
/// another folder's whole name.
fn output_folder_text(live: &LiveView, width: u16) -> String {
    if live.plan.out.is_empty() {
        return String::new();
    }
    let out = safe_string(&live.plan.out);
    // Where not all rows are visible, their numbers are shown to the right of it.
    let position = if live.rows.hides_rows() { " 888–888 of 888 ".chars().count() } else { 0 };
    let room = usize::from(width).saturating_sub(2 + position);
    let long = "recorded in ";
    let words = if room >= text::width(&out) + long.len() + 2 { long } else { "in " };
    format!(" {words}{} ", fit_text_end(&out, room.saturating_sub(words.len() + 2)))
}

fn request_spans(
    turn: &LiveTurn,
    is_next: bool,
    is_chat: bool,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (sign, meaning) = state_sign(&turn.state, is_next);
    let mut spans = vec![
        trusted_span(format!("{sign} "), theme.style_for(meaning)),
        trusted_span(turn_number(turn), theme.style_for(Meaning::Muted)),
    ];
    if let Some(checkpoint) = &turn.request.checkpoint {
        spans.push(recorded_span(&format!("[{checkpoint}] "), theme.style_for(Meaning::Heading)));
    }
    if let LiveTurnState::Ended(Some(why)) = &turn.state {
        spans.push(recorded_span(&format!("failed: {why} · "), theme.style_for(Meaning::Error)));
    }
    if turn.state == LiveTurnState::Skipped {
        spans.push(trusted_span("skipped · ", theme.style_for(Meaning::Warning)));
    }
    if turn.request.typed && !is_chat {
        spans.push(trusted_span("typed, not in the script · ", theme.style_for(Meaning::Warning)));
    }
    if turn.is_edited {
        spans.push(trusted_span("edited · ", theme.style_for(Meaning::Warning)));
    }
    if turn.attempt > 1 {
        let words = format!("attempt {} · ", turn.attempt);
        spans.push(trusted_span(words, theme.style_for(Meaning::Warning)));
    }
    for layer in &turn.layers {
        spans.push(recorded_span(
            &format!("{}: {} · ", layer.name, layer.why),
            theme.style_for(Meaning::Heading),
        ));
    }
    if let Some(seconds) = turn.seconds {
        spans.push(trusted_span(
            format!("{} · ", format_number::duration_text(seconds)),
            theme.style_for(Meaning::Muted),
        ));
    }
    let first = turn.request.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    spans.push(match first {
        "" => trusted_span("no request recorded", theme.style_for(Meaning::Muted)),
        words => recorded_span(words, theme.style_for(Meaning::Text)),
    });
    spans
}

/// Returns the turn, where the request has one.
fn turn_number(turn: &LiveTurn) -> String {
    match turn.request.turn {
        0 => format!("{:>3} ", format_number::MISSING_SIGN),
        number => format!("{number:>3} "),
    }
}

const fn state_sign(state: &LiveTurnState, is_next: bool) -> (&'static str, Meaning) {
    match state {
        LiveTurnState::Waits if is_next => ("›", Meaning::Key),
        LiveTurnState::Waits => (" ", Meaning::Muted),
        LiveTurnState::UnderWay => ("▶", Meaning::Playing),
        LiveTurnState::Ended(None) => ("✓", Meaning::Added),
        LiveTurnState::Skipped => ("–", Meaning::Warning),
        LiveTurnState::Ended(Some(_)) => ("✗", Meaning::Error),
    }
}

/// Returns the label before the typed text.
pub(crate) const fn prompt_label(kind: PromptKind) -> &'static str {
    match kind {
        PromptKind::Request => "next request ",
        PromptKind::Find => "find in the terminal ",
    }
}
