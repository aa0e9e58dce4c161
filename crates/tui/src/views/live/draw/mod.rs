//! A run that is being made: a line about it, the agent's terminal, its requests, what the turn under way has changed.

mod changed;
pub mod requests;
mod status;
pub mod terminal;

use ratatui::{buffer::Buffer, text::Line};

use crate::{
    views::live::{Focus, Live, areas::Areas, terminal::Terminal},
    widgets::{
        line::{own, recorded},
        panel::{sentence, titled},
        theme::{Meaning, Theme},
    },
};

pub fn draw(live: &Live, areas: &Areas, theme: Theme, buffer: &mut Buffer) {
    status::draw(live, theme, areas.status, buffer);
    screen(live, areas, theme, buffer);
    requests::draw(live, theme, areas, buffer);
    if !areas.changed.is_empty() {
        changed::draw(live, theme, areas.changed, buffer);
    }
}

fn screen(live: &Live, areas: &Areas, theme: Theme, buffer: &mut Buffer) {
    let has_keyboard = live.focus == Focus::Terminal;
    let name = if live.plan.is_interactive { " terminal " } else { " output " };
    let mut left = vec![own(name, theme.of(Meaning::Title))];
    if let Some(title) = live.terminal.title() {
        left.push(recorded(title, theme.of(Meaning::Muted)));
        left.push(own(" ", theme.of(Meaning::Muted)));
    }
    let right = match has_keyboard {
        true => Line::styled(" the agent has the keyboard ", theme.of(Meaning::Playing)),
        false => Line::default(),
    };
    let titles =
        [left.into(), right, Line::styled(place(&live.terminal), theme.of(Meaning::Muted))];
    let inside = titled(has_keyboard, titles, theme, areas.terminal, buffer);
    if live.is_nothing() {
        return sentence(NOTHING, theme.of(Meaning::Muted), inside, buffer);
    }
    if live.is_over() && live.terminal.is_blank() {
        let words = "what the agent printed is not kept; the replay shows what it did";
        return sentence(words, theme.of(Meaning::Muted), inside, buffer);
    }
    terminal::draw(&live.terminal, has_keyboard, theme, inside, buffer);
}

const NOTHING: &str = "no run is being made: A opens a form that starts one, and shows its plan first; from the shell \
                       `trajview live --agent NAME --script FILE --out DIR` does";

/// Where in its history a terminal is looked at; empty at the end.
fn place(terminal: &Terminal) -> String {
    match terminal.back() {
        0 => String::new(),
        back => format!(" {back} of {} lines back ", terminal.history()),
    }
}
