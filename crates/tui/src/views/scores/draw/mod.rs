//! What a run is judged by: the table of its components, all judgements at once, its rubric tree, or its flags.

pub mod components;
mod flags;
mod judges;
mod lifeline;
mod tree;

use ratatui::buffer::Buffer;

use crate::{
    session::{Session, ask::Loading},
    views::scores::{Scores, Shows},
    widgets::{
        layout::Layout,
        line::safe,
        panel::sentence,
        theme::{Meaning, Theme},
    },
};

pub fn draw(view: &Scores, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    match view.shown(session) {
        Some(Shows::Components) => components::draw(view, session, theme, layout, buffer),
        Some(Shows::Judges) => judges::draw(view, session, theme, layout, buffer),
        Some(Shows::Tree) => tree::draw(view, theme, layout, buffer),
        Some(Shows::Flags) => flags::draw(view, session, theme, layout, buffer),
        None => {
            sentence(&why_none(session), theme.of(Meaning::Muted), layout.body, buffer);
        }
    }
}

fn why_none(session: &Session) -> String {
    match session.rubric.reading() {
        Loading::Nothing | Loading::Waiting(_) => "reading what this run is judged by…".into(),
        Loading::Failed(why) => safe(why),
        Loading::Ready(_) => "nothing here says what this run is judged by: neither a checklist \
            (components.json), nor judgements, nor flags, nor a graded rubric tree (grader_output.json, grade.json or \
            rubric.json) lies beside it"
            .into(),
    }
}
