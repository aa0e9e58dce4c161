//! What the shell does with the audit.

use ratatui::buffer::Buffer;

use crate::{
    session::{Session, context::Context, effect::Effect, request::Numbers, views::View},
    views::{audit::Audit, view::RunView},
    widgets::{layout::Layout, mouse::Mouse, scroll::Scroll, theme::Theme},
};

use super::{Part, draw, prompt};

impl RunView for Audit {
    fn settle(&mut self, session: &mut Session, layout: &Layout) {
        self.note_what_is_seen(session);
        if session.view != View::Audit {
            return;
        }
        session.draw_queue(self.seed);
        self.start(session);
        self.give_wanted(session, layout);
        self.shows_agreement = self.labelled_count(session) > 0
            && super::agreement::hidden_by(self, session).is_none();
        let areas = self.areas(layout);
        self.settle_queue(session, &areas);
        let shown = self.chosen.clone().map(|it| (it, self.revealed(session).is_some()));
        if self.item_of != shown {
            self.item_of = shown;
            self.item = Scroll::default();
        }
        let len = super::item::item_rows(self, session, &areas).len();
        self.item.follow(len, areas.height(Part::Item));
        let len = super::codebook::codebook_rows(self, session, &areas).len();
        self.levels.follow(len, areas.height(Part::Codebook));
        let len = super::agreement::agreement_rows(self, session, &areas).len();
        self.agreement.scroll.follow(len, areas.height(Part::Agreement));
        self.settle_code(session, &areas);
    }

    fn ask(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
        layout: &Layout,
    ) -> Vec<Effect> {
        let mut effects = vec![];
        // Whatever is looked at, what was said is brought to the disk.
        effects.extend(self.ask_to_save(session, numbers));
        effects.extend(session.ask_in_study(numbers));
        if session.view != View::Audit || !session.growth.is_whole {
            return effects;
        }
        effects.extend(self.ask_for_labels(session, numbers));
        effects.extend(self.ask_for_process(session, numbers));
        effects.extend(self.ask_for_places(session, numbers));
        effects.extend(self.ask_for_code(session, numbers));
        if self.areas(layout).of_part(Part::Agreement).is_some() {
            effects.extend(self.ask_for_agreement(session, numbers));
        }
        effects
    }

    /// Where the keyboard is while the view is seen.
    fn context(&self, _: &Session) -> Context {
        match &self.prompt {
            None => Context::Audit,
            Some(prompt::Prompt::Reason) => Context::AuditReason,
            Some(
                prompt::Prompt::Note(_)
                | prompt::Prompt::Name(_)
                | prompt::Prompt::Score(_)
                | prompt::Prompt::Missed(_),
            ) => Context::AuditWords,
        }
    }

    /// What a click selects and the wheel moves.
    fn point(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) -> bool {
        self.click(session, mouse, layout);
        false
    }

    fn draw(&self, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
        draw::draw(self, session, theme, layout, buffer);
    }
}
