//! Implements the interface to the shell for the scores.

use ratatui::buffer::Buffer;

use crate::{
    session::{Session, context::KeyContext, effect::Effect, request::RequestIds, views::View},
    views::view::RunView,
    widgets::{layout::ScreenLayout, mouse::Mouse, theme::Theme},
};

use super::{ScoresPage, ScoresView, components, draw, judges};

impl RunView for ScoresView {
    fn settle_view(&mut self, session: &mut Session, layout: &ScreenLayout) {
        if session.view != View::Scores {
            return;
        }
        self.note_verdicts_shown(session);
        session.settle_corrected_mcf();
        match self.shown_page(session) {
            Some(ScoresPage::Components) => self.components.settle_components(session, layout),
            Some(ScoresPage::Judges) => self.judges.settle_judges(session, layout),
            Some(ScoresPage::Tree) => self.tree.settle_tree(session, layout),
            Some(ScoresPage::Flags) => self.flags.settle_flags(session, layout),
            Some(ScoresPage::Losses) => self.losses.settle_losses(session, layout),
            Some(ScoresPage::Crash) => self.crash.settle_crash(session, layout),
            None => {}
        }
    }

    fn ask_missing(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
        layout: &ScreenLayout,
    ) -> Vec<Effect> {
        let is_seen = session.view == View::Scores;
        let is_back = is_seen && !self.components.was_seen;
        self.components.was_seen = is_seen;
        let mut effects = vec![];
        effects.extend(session.rubric.take_wanted_pin().map(Effect::PinJudge));
        effects.extend(session.ask_rubric(numbers, is_back));
        let page = self.shown_page(session).filter(|_| is_seen);
        let is_shown = page == Some(ScoresPage::Components);
        let has_timeline = layout.timeline.is_some() && session.rubric.has_content();
        let shows_losses = page == Some(ScoresPage::Losses);
        let goes_on = session.rubric.lifelines.goes_to_next_loss;
        if is_shown || shows_losses || goes_on || has_timeline {
            effects.extend(session.ask_lifelines(numbers));
        }
        if shows_losses {
            let turn = self.losses.chosen_turn(session);
            effects.extend(turn.and_then(|turn| session.ask_request(numbers, turn)));
        }
        if page == Some(ScoresPage::Crash) {
            effects.extend(session.ask_crash_tests(numbers));
        }
        if is_shown {
            effects.extend(components::questions::ask_evidence(&self.components, session, numbers));
            effects.extend(session.ask_reuse(numbers));
            let requesting = self.components.requesting_turn(session);
            effects.extend(requesting.and_then(|turn| session.ask_request(numbers, turn)));
        }
        effects
    }

    /// Returns the keyboard context while the view is on screen.
    fn keyboard_context(&self, session: &Session) -> KeyContext {
        match self.shown_page(session) {
            Some(ScoresPage::Tree) if self.tree.find.is_typing => KeyContext::RubricFind,
            Some(ScoresPage::Components) => match self.components.part {
                components::ComponentsPart::Table => KeyContext::Components,
                components::ComponentsPart::Verdict => KeyContext::Verdict,
                components::ComponentsPart::Lifeline => KeyContext::Lifeline,
            },
            Some(ScoresPage::Judges) => match self.judges.part {
                judges::JudgesPart::Matrix => KeyContext::Matrix,
                judges::JudgesPart::Pair => KeyContext::Differing,
                judges::JudgesPart::Both => KeyContext::BothVerdicts,
            },
            Some(ScoresPage::Tree) => KeyContext::Rubric,
            Some(ScoresPage::Flags) => KeyContext::Flags,
            Some(ScoresPage::Losses) => KeyContext::Losses,
            Some(ScoresPage::Crash) => KeyContext::CrashTest,
            None => KeyContext::Scores,
        }
    }

    fn close_part(&mut self, session: &mut Session) -> bool {
        match self.shown_page(session) {
            Some(ScoresPage::Components) => self.components.close_part(),
            Some(ScoresPage::Judges) => self.judges.close_part(),
            Some(ScoresPage::Tree) => self.tree.close_part(),
            Some(ScoresPage::Losses) => self.close_page(),
            Some(ScoresPage::Crash) => self.crash.close_part() || self.close_page(),
            Some(ScoresPage::Flags) | None => false,
        }
    }

    /// Handles clicks and the wheel.
    fn point_at_view(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) -> bool {
        match self.shown_page(session) {
            // The crash test is one of the judge.
            Some(ScoresPage::Components)
                if mouse.is_click() && self.components.is_on_judge(session, mouse, layout) =>
            {
                self.toggle_crash_test(session);
            }
            Some(ScoresPage::Components) => {
                self.components.point_at_components(session, mouse, layout)
            }
            Some(ScoresPage::Judges) => self.point_at_judges(session, mouse, layout),
            Some(ScoresPage::Tree) => self.tree.point_at_tree(session, mouse, layout),
            Some(ScoresPage::Flags) => self.flags.point_at_flags(session, mouse),
            Some(ScoresPage::Losses) => self.losses.point_at_losses(session, mouse),
            Some(ScoresPage::Crash) => self.crash.point_at_crash(session, mouse),
            None => {}
        }
        false
    }

    fn draw_view(
        &self,
        session: &Session,
        theme: Theme,
        layout: &ScreenLayout,
        buffer: &mut Buffer,
    ) {
        draw::draw_scores(self, session, theme, layout, buffer);
    }
}
