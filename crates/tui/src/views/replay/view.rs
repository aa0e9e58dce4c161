//! What the shell does with the replay.

use ratatui::buffer::Buffer;

use crate::{
    session::{
        Session, context::Context, effect::Effect, question::Question, request::Numbers,
        views::View as Shown,
    },
    views::{
        replay::{Replay, history, marks},
        view::RunView,
    },
    widgets::{
        layout::{Layout, Panel},
        mouse::Mouse,
        theme::Theme,
    },
};

use super::draw;

impl RunView for Replay {
    /// Brings every panel in step with the selection.
    fn settle(&mut self, session: &mut Session, layout: &Layout) {
        let room = layout.room(Panel::Steps);
        self.steps.settle(usize::from(room.width), usize::from(room.height));
        let height = usize::from(layout.room(Panel::Diff).height);
        let (key, arrangement) = (self.diff_key(session), self.arrangement(layout));
        self.diff.settle(key, &session.files, height, arrangement);
        let timeline = session.timeline.ready().map(|timeline| &**timeline);
        let step = self.moment(session).step;
        session.follow.step = step.map(|step| (step, self.number_of(step)));
        let moment = self.moment_of_files(session);
        self.tree.settle(&session.run, moment, timeline);
        self.settle_chooser(session, layout);
        self.settle_follow(session);
        if session.view == Shown::Replay && layout.now.is_some() {
            session.note_standings_shown();
        }
    }

    /// What is missing most, one question of each kind.
    fn ask(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
        layout: &Layout,
    ) -> Vec<Effect> {
        let is_on = matches!(
            session.view,
            Shown::Replay | Shown::Collection | Shown::Compare | Shown::Live
        );
        session.scores.marked = marks::marked_span(self, session).filter(|_| is_on);
        let mut effects = vec![];
        let run = session.run.clone();
        if session.timeline.is_nothing() {
            effects.push(session.timeline.ask(numbers, Question::Timeline { run: run.clone() }));
        }
        if session.counts.is_nothing() && session.timeline.ready().is_some() {
            effects.push(session.counts.ask(numbers, Question::LineCounts { run: run.clone() }));
        }
        effects.extend(self.ask_again(session, numbers));
        effects.extend(self.ask_text(session, numbers, layout));
        effects.extend(self.steps.images.ask(&run, numbers));
        effects.extend(history::ask(self, session, numbers));
        if self.shows_cost() {
            effects.extend(session.scores.worked.cost.ask(numbers, &run));
        }
        effects.extend(self.ask_changes(session, numbers));
        effects.extend(self.ask_diff(session, numbers));
        effects.extend(self.ask_blame(session, numbers));
        effects.extend(self.ask_colours(session, numbers));
        effects
    }

    fn context(&self, _: &Session) -> Context {
        match self.focus {
            Panel::Turns => Context::Turns,
            Panel::Files => Context::Files,
            Panel::Diff => Context::Diff,
            Panel::Steps => Context::Steps,
        }
    }

    fn point(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) -> bool {
        self.click(session, mouse, layout)
    }

    fn draw(&self, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
        draw::draw(self, session, theme, layout, buffer);
    }
}
