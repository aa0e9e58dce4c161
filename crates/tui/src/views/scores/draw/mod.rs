//! Draws the scores of a run: the table of its components, all judgements at once, its rubric tree, or its flags.

pub mod components;
mod flags;
mod judges;
mod lifeline;
mod losses;
mod tree;

use ratatui::buffer::Buffer;

use crate::{
    session::{Session, pending::Loading},
    views::scores::{ScoresPage, ScoresView},
    widgets::{
        layout::ScreenLayout,
        line::safe_string,
        panel::draw_sentence,
        theme::{Meaning, Theme},
    },
};

pub(crate) fn draw_scores(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    match view.shown_page(session) {
        Some(ScoresPage::Components) => {
            components::draw_components(view, session, theme, layout, buffer)
        }
        Some(ScoresPage::Judges) => judges::draw_judges(view, session, theme, layout, buffer),
        Some(ScoresPage::Tree) => tree::draw_tree(view, theme, layout, buffer),
        Some(ScoresPage::Flags) => flags::draw_flags(view, session, theme, layout, buffer),
        Some(ScoresPage::Losses) => losses::draw_losses(view, session, theme, layout, buffer),
        None => {
            draw_sentence(&why_none(session), theme.style_for(Meaning::Muted), layout.body, buffer);
        }
    }
}

fn why_none(session: &Session) -> String {
    match session.rubric.loading_rubric() {
        Loading::Nothing | Loading::Waiting(_) => "reading the rubric of this run…".into(),
        Loading::Failed(why) => safe_string(why),
        Loading::Ready(_) => "no rubric for this run: no checklist (components.json), no judgements, no flags, no graded rubric tree \
            (grader_output.json, grade.json or rubric.json); `trajview judge RUN` asks a judge"
            .into(),
    }
}
