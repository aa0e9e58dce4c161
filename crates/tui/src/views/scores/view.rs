//! What the shell does with the scores.

use ratatui::buffer::Buffer;

use crate::{
    session::{Session, context::Context, effect::Effect, request::Numbers, views::View},
    views::view::RunView,
    widgets::{layout::Layout, mouse::Mouse, theme::Theme},
};

use super::{Scores, Shows, components, draw, judges};

impl RunView for Scores {
    fn settle(&mut self, session: &mut Session, layout: &Layout) {
        if session.view != View::Scores {
            return;
        }
        self.note_verdicts_shown(session);
        match self.shown(session) {
            Some(Shows::Components) => self.components.settle_components(session, layout),
            Some(Shows::Judges) => self.judges.settle_judges(session, layout),
            Some(Shows::Tree) => self.tree.settle_tree(session, layout),
            Some(Shows::Flags) => self.flags.settle_flags(session, layout),
            None => {}
        }
    }

    fn ask(&mut self, session: &mut Session, numbers: &mut Numbers, _: &Layout) -> Vec<Effect> {
        let is_seen = session.view == View::Scores;
        let is_back = is_seen && !self.components.was_seen;
        self.components.was_seen = is_seen;
        let mut effects = vec![];
        effects.extend(session.ask_rubric(numbers, is_back));
        let is_shown = self.shown(session) == Some(Shows::Components);
        if is_seen && is_shown {
            effects.extend(session.ask_lifelines(numbers));
            effects.extend(components::asking::ask_evidence(&self.components, session, numbers));
            effects.extend(session.ask_reuse(numbers));
        }
        effects
    }

    /// Where the keyboard is while the view is seen.
    fn context(&self, session: &Session) -> Context {
        match self.shown(session) {
            Some(Shows::Tree) if self.tree.find.is_typing => Context::RubricFind,
            Some(Shows::Components) => match self.components.part {
                components::Part::Table => Context::Components,
                components::Part::Verdict => Context::Verdict,
                components::Part::Lifeline => Context::Lifeline,
            },
            Some(Shows::Judges) => match self.judges.part {
                judges::Part::Matrix => Context::Matrix,
                judges::Part::Pair => Context::Differing,
                judges::Part::Both => Context::BothVerdicts,
            },
            Some(Shows::Tree) => Context::Rubric,
            Some(Shows::Flags) => Context::Flags,
            None => Context::Scores,
        }
    }

    /// What a click selects and the wheel moves.
    fn point(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) -> bool {
        match self.shown(session) {
            Some(Shows::Components) => self.components.point_at_components(session, mouse, layout),
            Some(Shows::Judges) => self.point_at_judges(session, mouse, layout),
            Some(Shows::Tree) => self.tree.point_at_tree(session, mouse, layout),
            Some(Shows::Flags) => self.flags.point_at_flags(session, mouse, layout),
            None => {}
        }
        false
    }

    fn draw(&self, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
        draw::draw(self, session, theme, layout, buffer);
    }
}
