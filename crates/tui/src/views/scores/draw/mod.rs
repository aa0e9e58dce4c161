//! Draws the scores of a run: the table of its components, all judgements at once, its rubric tree, or its flags.

pub mod components;
mod crash;
mod flags;
mod judges;
mod lifeline;
mod losses;
mod tree;

use ratatui::buffer::Buffer;
use trajview_formats::{self as formats, RecordingShape};

use crate::{
    session::{Session, context::KeyContext, pending::Loading},
    views::{
        empty_panels::{EmptyReason, draw_reason_and_run},
        scores::{ScoresPage, ScoresView},
    },
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
        Some(ScoresPage::Tree) => tree::draw_tree(view, session, theme, layout, buffer),
        Some(ScoresPage::Flags) => flags::draw_flags(view, session, theme, layout, buffer),
        Some(ScoresPage::Crash) => crash::draw_crash(view, session, theme, layout, buffer),
        Some(ScoresPage::Losses) => losses::draw_losses(view, session, theme, layout, buffer),
        None => match why_none(session) {
            Ok(words) => {
                draw_sentence(&words, theme.style_for(Meaning::Muted), layout.body, buffer);
            }
            Err(reason) => draw_reason_and_run(session, &reason, theme, layout.body, buffer),
        },
    }
}

/// Returns a sentence while the scores are read or cannot be read, else why there are none.
fn why_none(session: &Session) -> Result<String, EmptyReason<'static>> {
    match session.rubric.loading_rubric() {
        Loading::Nothing | Loading::Waiting(_) => Ok("reading the rubric of this run…".into()),
        Loading::Failed(why) => Ok(safe_string(why)),
        Loading::Ready(_) => Err(no_scores(session)),
    }
}

/// Returns why there are no scores, and what gives some; a judge is asked only about a run bundle.
fn no_scores(session: &Session) -> EmptyReason<'static> {
    let is_bundle =
        matches!(formats::shape_by_name(session.run.origin.format), Some(RecordingShape::Bundle));
    let mut remedies = vec![
        ("trajview import RECORDING --out DIR".into(), "makes a run bundle, which can have scores"),
        (
            "trajview new checklist --out DIR/components.json".into(),
            "creates a checklist to fill in",
        ),
    ];
    if is_bundle {
        remedies.push((
            session.keys.key_text(KeyContext::Scores, "judge"),
            "asks a judge; in a shell: `trajview judge RUN`",
        ));
    }
    EmptyReason {
        title: "no scores",
        why: "no rubric for this run: no checklist (components.json), no judgements, no flags, no graded rubric tree \
              (grader_output.json, grade.json or rubric.json)"
            .into(),
        remedies,
    }
}
