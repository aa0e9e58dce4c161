//! Draws a recorded terminal: its screen as it was at a time, the recorded size, and a bar of the whole time.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};
use trajview_run::{format_number, terminal_recording::TerminalAlignment};

use crate::{
    session::pending::Loading,
    views::live::player::TerminalPlayer,
    widgets::{
        line::{fit_spans, recorded_span, safe_string, spans_width, trusted_span},
        panel::{draw_sentence, draw_titled_panel},
        theme::{Meaning, Theme},
    },
};

use super::{scroll_place, terminal};

pub(super) fn draw(
    player: &TerminalPlayer,
    is_focused: bool,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let room = usize::from(area.width.saturating_sub(2));
    let titles = [
        Line::from(fit_spans(title_spans(player, theme), room)),
        Line::default(),
        Line::styled(scroll_place(&player.screen), theme.style_for(Meaning::Muted)),
    ];
    let inside = draw_titled_panel(is_focused, titles, theme, area, buffer);
    if let Some(why) = player.failure() {
        let why = format!("{}: {}", safe_string(player.name()), safe_string(why));
        return draw_sentence(&why, theme.style_for(Meaning::Error), inside, buffer);
    }
    let part = player.visible_part(inside);
    terminal::draw_part(&player.screen, part, true, theme, inside, buffer);
    let bar =
        Rect { x: inside.x, y: area.bottom().saturating_sub(1), width: inside.width, height: 1 };
    if area.height > 2 && player.screen.lines_back() == 0 {
        draw_time_bar(player, theme, bar, buffer);
    }
}

/// Returns the name, the recorded size with the visible columns, and how the recording is aligned.
fn title_spans(player: &TerminalPlayer, theme: Theme) -> Vec<Span<'static>> {
    let muted = theme.style_for(Meaning::Muted);
    let mut spans = vec![
        trusted_span(" terminal ", theme.style_for(Meaning::Title)),
        recorded_span(player.name(), theme.style_for(Meaning::Text)),
    ];
    let Loading::Ready(recording) = player.recording() else {
        let words = if player.failure().is_some() { " " } else { " · reading… " };
        spans.push(trusted_span(words, muted));
        return spans;
    };
    let size = player.screen.size();
    spans.push(trusted_span(format!(" · {}×{} recorded", size.width, size.height), muted));
    match recording.alignment {
        TerminalAlignment::Unknown => spans
            .push(trusted_span(" · not aligned with the steps", theme.style_for(Meaning::Warning))),
        TerminalAlignment::Commands { found, total } => {
            spans.push(trusted_span(format!(" · aligned by {found} of {total} commands"), muted));
        }
        _ => {}
    }
    for problem in &recording.problems {
        spans.push(trusted_span(format!(" · ⚠ {problem}"), theme.style_for(Meaning::Warning)));
    }
    if player.is_behind() {
        spans.push(trusted_span(" · reading…", muted));
    }
    spans.push(trusted_span(" ", muted));
    spans
}

/// Draws ` 0:27 ━━━━──────── 8:12 `.
fn draw_time_bar(player: &TerminalPlayer, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let Loading::Ready(recording) = player.recording() else { return };
    let text = theme.style_for(Meaning::Text);
    let now = trusted_span(format!(" {} ", format_number::duration_text(player.seconds())), text);
    let end = trusted_span(format!(" {} ", format_number::duration_text(recording.seconds)), text);
    let room = usize::from(area.width).saturating_sub(spans_width(&[now.clone(), end.clone()]));
    if room < 4 {
        return;
    }
    let share = if recording.seconds > 0.0 { player.seconds() / recording.seconds } else { 1.0 };
    let done = ((room as f64 * share).round() as usize).min(room);
    let bar = [
        trusted_span("━".repeat(done), theme.style_for(Meaning::Playing)),
        trusted_span("─".repeat(room - done), theme.style_for(Meaning::Muted)),
    ];
    let [played, left] = bar;
    Line::from(vec![now, played, left, end]).render(area, buffer);
}
