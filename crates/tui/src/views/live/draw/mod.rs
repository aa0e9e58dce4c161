//! Draws a live run: a status line, the agent's terminal, its requests, and the changes of the turn under way.

mod changed;
pub mod requests;
mod status;
pub mod terminal;

use ratatui::{buffer::Buffer, text::Line};

use crate::{
    views::live::{LiveFocus, LiveView, areas::LiveAreas, terminal::TerminalScreen},
    widgets::{
        line::{recorded_span, trusted_span},
        panel::{draw_sentence, draw_titled_panel},
        theme::{Meaning, Theme},
    },
};

pub fn draw(live: &LiveView, areas: &LiveAreas, theme: Theme, buffer: &mut Buffer) {
    status::draw(live, theme, areas.status, buffer);
    draw_screen(live, areas, theme, buffer);
    requests::draw(live, theme, areas, buffer);
    if !areas.changed.is_empty() {
        changed::draw(live, theme, areas.changed, buffer);
    }
}

fn draw_screen(live: &LiveView, areas: &LiveAreas, theme: Theme, buffer: &mut Buffer) {
    let has_keyboard = live.focus == LiveFocus::Terminal;
    let name = if live.is_interactive { " terminal " } else { " output " };
    let mut left = vec![trusted_span(name, theme.style_for(Meaning::Title))];
    if let Some(title) = live.terminal.title() {
        left.push(recorded_span(title, theme.style_for(Meaning::Muted)));
        left.push(trusted_span(" ", theme.style_for(Meaning::Muted)));
    }
    let right = match has_keyboard {
        true => Line::styled(" attached: keys go to the agent ", theme.style_for(Meaning::Playing)),
        false => Line::default(),
    };
    let titles = [
        left.into(),
        right,
        Line::styled(scroll_place(&live.terminal), theme.style_for(Meaning::Muted)),
    ];
    let inside = draw_titled_panel(has_keyboard, titles, theme, areas.terminal, buffer);
    if live.has_no_run() {
        return draw_sentence(NO_RUN_HINT, theme.style_for(Meaning::Muted), inside, buffer);
    }
    if live.is_over() && live.terminal.is_blank() {
        let words = "the agent's output is not recorded; the replay shows its steps";
        return draw_sentence(words, theme.style_for(Meaning::Muted), inside, buffer);
    }
    terminal::draw(&live.terminal, has_keyboard, theme, inside, buffer);
}

const NO_RUN_HINT: &str = "no live run. A: start one (shows the plan first) · shell: `trajview live --agent NAME --script FILE --out DIR`";

/// Returns the scroll position of the terminal in its history; empty at the end.
fn scroll_place(terminal: &TerminalScreen) -> String {
    match terminal.lines_back() {
        0 => String::new(),
        back => format!(" {back} of {} lines back ", terminal.history_len()),
    }
}
