//! The process of a run: the pillars, what one of them is made of, the lists below.

mod list;
mod pillars;

use ratatui::buffer::Buffer;

use crate::{
    session::Session,
    views::{
        empty_panels::draw_request_and_steps,
        process::{ProcessPart, ProcessView},
    },
    widgets::{
        layout::ScreenLayout,
        line::safe_string,
        panel::draw_sentence,
        theme::{Meaning, Theme},
    },
};

pub(crate) fn draw_process(
    view: &ProcessView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let muted = theme.style_for(Meaning::Muted);
    match session.scores.process.report() {
        None => {
            return draw_sentence("computing the process…", muted, layout.body, buffer);
        }
        Some(Err(why)) => {
            return draw_sentence(
                &safe_string(why),
                theme.style_for(Meaning::Error),
                layout.body,
                buffer,
            );
        }
        Some(Ok(None)) => {
            let words = "this recording has no process data";
            return draw_sentence(words, muted, layout.body, buffer);
        }
        Some(Ok(Some(_))) => {}
    }
    pillars::draw_pillars(view, session, theme, buffer);
    if view.counted.frame_width() > 0 {
        list::draw_counted(view, session, theme, buffer);
    }
    let areas = view.areas(session, layout);
    if view.below.frame_width() > 0 {
        list::draw_below(view, session, theme, buffer);
    }
    for (list, area) in view.other_lists(session).into_iter().zip(areas.others) {
        if !area.is_empty() {
            list::draw_other(view, session, list, theme, area, buffer);
        }
    }
    if !areas.turn.is_empty() {
        draw_request_and_steps(session, theme, areas.turn, buffer);
    }
}

/// Returns whether key presses go to this part of the view.
fn is_focused(view: &ProcessView, part: ProcessPart) -> bool {
    view.part == part
}
