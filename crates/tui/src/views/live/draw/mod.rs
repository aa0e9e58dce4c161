//! Draws a live run: a status line, the agent's terminal, its requests, and the changes of the turn under way.

mod changed;
mod player;
pub mod requests;
mod status;
pub mod terminal;

use ratatui::{
    buffer::Buffer,
    text::Line,
    widgets::{Clear, Widget},
};

use crate::{
    session::context::KeyContext,
    views::live::{LiveFocus, LiveQuestion, LiveView, areas::LiveAreas, terminal::TerminalScreen},
    widgets::{
        layout::ScreenLayout,
        line::{fit_text_end, recorded_span, safe_string, trusted_span},
        panel::{draw_sentence, draw_titled_panel, put_row},
        theme::{Meaning, Theme},
    },
};

pub fn draw(live: &LiveView, areas: &LiveAreas, theme: Theme, buffer: &mut Buffer) {
    status::draw(live, theme, areas.status, buffer);
    draw_screen(live, areas, theme, buffer);
    if !areas.requests.is_empty() {
        requests::draw(live, theme, areas, buffer);
    }
    if !areas.changed.is_empty() {
        changed::draw(live, theme, areas.changed, buffer);
    }
}

fn draw_screen(live: &LiveView, areas: &LiveAreas, theme: Theme, buffer: &mut Buffer) {
    let is_focused = live.focus == LiveFocus::Terminal;
    if let Some(recorded) = &live.player {
        return player::draw(recorded, true, theme, areas.terminal, buffer);
    }
    let name = match live.is_interactive {
        _ if live.has_no_run() => " live run ",
        true => " terminal ",
        false => " output ",
    };
    let mut left = vec![trusted_span(name, theme.style_for(Meaning::Title))];
    if let Some(title) = live.terminal.title() {
        left.push(recorded_span(title, theme.style_for(Meaning::Muted)));
        left.push(trusted_span(" ", theme.style_for(Meaning::Muted)));
    }
    let right = match is_focused {
        true => Line::styled(" attached: keys go to the agent ", theme.style_for(Meaning::Playing)),
        false => Line::default(),
    };
    let titles = [
        left.into(),
        right,
        Line::styled(scroll_place(&live.terminal), theme.style_for(Meaning::Muted)),
    ];
    let inside = draw_titled_panel(is_focused, titles, theme, areas.terminal, buffer);
    if live.has_no_run() {
        let what = if live.turns.is_empty() { START_HINT } else { START_AGAIN_HINT };
        let words = format!("{} {what}", live.key_text("start-live-run"));
        return draw_sentence(&words, theme.style_for(Meaning::Muted), inside, buffer);
    }
    if live.is_over() && live.terminal.is_blank() {
        let words = "the agent's output is not recorded; the replay shows its steps";
        return draw_sentence(words, theme.style_for(Meaning::Muted), inside, buffer);
    }
    terminal::draw(&live.terminal, is_focused, theme, inside, buffer);
}

const START_AGAIN_HINT: &str = "starts an agent on these requests, after it shows the plan; its output, its files and its \
                                requests are shown here. In a shell: `trajview live --agent NAME --script FILE --out DIR`";

const START_HINT: &str = "starts an agent, after it shows the plan; its output, the files that it changes and its requests \
                          are then shown here. In a shell: `trajview live --agent NAME --script FILE --out DIR`";

/// Draws the open question in a box over the screen.
pub(crate) fn draw_question(
    live: &LiveView,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let Some(question) = live.input.question else { return };
    let (title, words, yes, no) = match question {
        LiveQuestion::Stop => (
            " stop the agent? ",
            format!(
                "The agent stops within its turn. The recording stays; {} resumes the run.",
                live.key_text("resume")
            ),
            "stop the agent",
            "keep it running",
        ),
        LiveQuestion::Resume => (
            " resume the run? ",
            "The agent starts again where the run stopped, with the same limits.".to_owned(),
            "resume the run",
            "leave it as it is",
        ),
    };
    let key = |id| live.keys.key_text(KeyContext::LiveQuestion, id);
    let muted = theme.style_for(Meaning::Muted);
    let folder =
        fit_text_end(&safe_string(&live.plan.out), usize::from(layout.box_area(4).width) - 4);
    let rows = [
        Line::styled(format!(" {words}"), theme.style_for(Meaning::Text)),
        Line::styled(format!(" {folder}"), muted),
        Line::default(),
        Line::from(vec![
            trusted_span(format!(" {}", key("yes")), theme.style_for(Meaning::Key)),
            trusted_span(format!(" {yes}   "), muted),
            trusted_span(key("no"), theme.style_for(Meaning::Key)),
            trusted_span(format!(" {no}"), muted),
        ]),
    ];
    let area = layout.box_area(rows.len());
    Clear.render(area, buffer);
    let title = Line::styled(title, theme.style_for(Meaning::Title));
    let inner = draw_titled_panel(true, title, theme, area, buffer);
    for (y, row) in rows.into_iter().enumerate() {
        put_row(row, None, inner, y as u16, buffer);
    }
}

/// Returns the scroll position of the terminal in its history; empty at the end.
fn scroll_place(terminal: &TerminalScreen) -> String {
    match terminal.lines_back() {
        0 => String::new(),
        back => format!(" {back} of {} lines back ", terminal.history_len()),
    }
}
