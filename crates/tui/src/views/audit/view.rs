//! The implementation of [`RunView`] for the audit.

use ratatui::buffer::Buffer;

use crate::{
    session::{Session, context::KeyContext, effect::Effect, request::RequestIds, views::View},
    views::{audit::AuditView, view::RunView},
    widgets::{layout::ScreenLayout, mouse::Mouse, theme::Theme},
};

use super::{AuditPart, areas::ItemRoom, draw, prompt};

impl RunView for AuditView {
    fn settle_view(&mut self, session: &mut Session, layout: &ScreenLayout) {
        self.note_what_is_seen(session);
        if session.view != View::Audit {
            return;
        }
        session.draw_queue(self.seed);
        session.settle_correction();
        self.choose_first_item(session);
        self.give_pending_answer(session, layout);
        self.shows_agreement = self.labelled_count(session) > 0
            && super::agreement::waiting_while_hidden(self, session).is_none();
        let decides = self.prompt == Some(prompt::AuditPrompt::Reason) || session.is_adjudicating();
        self.item_room = match (session.run.turns.is_empty(), decides) {
            (true, _) => ItemRoom::Whole,
            (false, true) => ItemRoom::Half,
            (false, false) => ItemRoom::Short,
        };
        self.correction_lines = self.lines_over_queue(session, layout);
        let areas = self.part_areas(layout);
        self.settle_queue(session, &areas);
        let shown = self.chosen.clone().map(|it| (it, self.revealed_verdict(session).is_some()));
        if self.item_scroll_key != shown {
            self.item_scroll_key = shown;
            self.item.restart();
        }
        let len = super::item_rows::item_rows(self, session, &areas).len();
        self.item.settle(areas.part_room(AuditPart::Item), len);
        let len = super::codebook_rows::codebook_rows(self, session, &areas).len();
        self.levels.settle(areas.part_room(AuditPart::Codebook), len);
        let len = super::agreement::agreement_rows(self, session, &areas).len();
        self.agreement.pane.settle(areas.part_room(AuditPart::Agreement), len);
        self.settle_code(session, &areas);
    }

    fn ask_missing(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
        layout: &ScreenLayout,
    ) -> Vec<Effect> {
        let mut effects = vec![];
        // Labels are saved whatever view is shown.
        effects.extend(self.ask_to_save(session, numbers));
        effects.extend(session.ask_in_study(numbers));
        if session.view != View::Audit || !session.growth.is_whole {
            return effects;
        }
        effects.extend(self.ask_for_labels(session, numbers));
        effects.extend(self.ask_for_process(session, numbers));
        effects.extend(self.ask_for_places(session, numbers));
        effects.extend(self.ask_for_code(session, numbers));
        let asking = self.requesting_turn(session);
        effects.extend(asking.and_then(|turn| session.ask_request(numbers, turn)));
        if self.part_areas(layout).part_area(AuditPart::Agreement).is_some() {
            effects.extend(self.ask_for_agreement(session, numbers));
        }
        effects
    }

    /// Returns the context of the key bindings while the view is shown.
    fn keyboard_context(&self, _: &Session) -> KeyContext {
        match &self.prompt {
            None => KeyContext::Audit,
            Some(prompt::AuditPrompt::Reason) => KeyContext::AuditReason,
            Some(
                prompt::AuditPrompt::Note(_)
                | prompt::AuditPrompt::Name(_)
                | prompt::AuditPrompt::Score(_)
                | prompt::AuditPrompt::Missed(_),
            ) => KeyContext::AuditWords,
        }
    }

    fn close_part(&mut self, _: &mut Session) -> bool {
        match self.part {
            AuditPart::Code if self.code.tree.is_shown => self.code.tree.is_shown = false,
            AuditPart::Queue => return false,
            _ => self.part = AuditPart::Queue,
        }
        true
    }

    /// Handles clicks and the wheel. Returns false: no click counts as enter.
    fn point_at_view(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) -> bool {
        self.handle_click(session, mouse, layout);
        false
    }

    fn draw_view(
        &self,
        session: &Session,
        theme: Theme,
        layout: &ScreenLayout,
        buffer: &mut Buffer,
    ) {
        draw::draw(self, session, theme, layout, buffer);
    }
}
