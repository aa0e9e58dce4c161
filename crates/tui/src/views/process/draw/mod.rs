//! The process of a run: the pillars, what one of them is made of, the list below with the strip of the turns.

mod list;
mod pillars;
mod strip;

use ratatui::buffer::Buffer;

use crate::{
    session::Session,
    views::process::{Part, Process, areas::Areas},
    widgets::{
        layout::Layout,
        line::safe,
        panel::sentence,
        theme::{Meaning, Theme},
    },
};

pub fn draw(view: &Process, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let muted = theme.of(Meaning::Muted);
    match session.scores.worked.report() {
        None => {
            return sentence("working out how the run was worked on…", muted, layout.body, buffer);
        }
        Some(Err(why)) => {
            return sentence(&safe(why), theme.of(Meaning::Error), layout.body, buffer);
        }
        Some(Ok(None)) => {
            let words = "this recording does not tell how it was worked on";
            return sentence(words, muted, layout.body, buffer);
        }
        Some(Ok(Some(_))) => {}
    }
    let areas = Areas::of(layout, view.part);
    if let Some(area) = areas.pillars {
        pillars::draw(view, session, theme, area, buffer);
    }
    if let Some(area) = areas.counted {
        list::draw_counted(view, session, theme, area, buffer);
    }
    if let Some(area) = areas.below {
        list::draw_below(view, session, theme, area, buffer);
    }
}

fn has_keyboard(view: &Process, part: Part) -> bool {
    view.part == part
}
