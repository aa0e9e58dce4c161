//! The implementation of [`RunView`] for the replay.

use ratatui::buffer::Buffer;

use crate::{
    session::{
        Session, context::KeyContext, effect::Effect, question::Question, request::RequestIds,
        views::View as Shown,
    },
    views::{
        replay::{ReplayView, file_history_actions, line_marks, steps},
        view::RunView,
    },
    widgets::{
        layout::{ReplayPanel, ScreenLayout},
        mouse::Mouse,
        pane::PaneRoom,
        theme::Theme,
    },
};

use super::draw;

/// Returns the room of a panel; of a hidden one that it would have.
fn panel_room(layout: &ScreenLayout, panel: ReplayPanel) -> PaneRoom {
    PaneRoom::framed(Some(layout.panel_area(panel).unwrap_or(layout.body)))
}

impl RunView for ReplayView {
    /// Brings every panel in step with the selection.
    fn settle_view(&mut self, session: &mut Session, layout: &ScreenLayout) {
        let room = layout.inner_size(ReplayPanel::Steps);
        self.steps.settle_rows(usize::from(room.width), panel_room(layout, ReplayPanel::Steps));
        self.request.settle_rows(session, panel_room(layout, ReplayPanel::Request));
        let (key, arrangement) = (self.diff_key(session), self.effective_arrangement(layout));
        let room = panel_room(layout, ReplayPanel::Diff);
        self.diff.settle_rows(key, &session.files, room, arrangement);
        let timeline = session.timeline.ready().map(|timeline| &**timeline);
        let step = self.shown_moment(session).step;
        session.follow.step = step.map(|step| (step, self.number_in_turn(step)));
        let moment = self.moment_of_last_edit(session);
        self.tree.settle_tree(&session.run, moment, timeline);
        self.settle_chooser(session, layout);
        self.settle_follow(session);
        if session.view == Shown::Replay && layout.now.is_some() {
            session.note_components_shown();
        }
    }

    /// Asks for the most urgent missing data, one question of each kind.
    fn ask_missing(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
        layout: &ScreenLayout,
    ) -> Vec<Effect> {
        let is_on = matches!(
            session.view,
            Shown::Replay | Shown::Collection | Shown::Compare | Shown::Live
        );
        session.scores.marked = line_marks::marked_span(self, session).filter(|_| is_on);
        let mut effects = vec![];
        let run = session.run.clone();
        if session.timeline.is_nothing() {
            effects.push(
                session.timeline.ask_question(numbers, Question::Timeline { run: run.clone() }),
            );
        }
        if session.counts.is_nothing() && session.timeline.ready().is_some() {
            effects.push(
                session.counts.ask_question(numbers, Question::LineCounts { run: run.clone() }),
            );
        }
        effects.extend(self.ask_after_growth(session, numbers));
        effects.extend(self.ask_text(session, numbers, layout));
        effects.extend(self.ask_requests(session, numbers));
        effects.extend(self.steps.images.ask_images(&run, numbers));
        effects.extend(file_history_actions::ask_history(self, session, numbers));
        if self.shows_cost() {
            effects.extend(session.scores.process.cost.ask_cost(numbers, &run));
        }
        effects.extend(self.ask_changes(session, numbers));
        effects.extend(self.ask_for_next_comparison(session, numbers));
        effects.extend(self.ask_blame(session, numbers));
        effects.extend(self.ask_colours(session, numbers));
        effects
    }

    fn keyboard_context(&self, _: &Session) -> KeyContext {
        match self.focus {
            ReplayPanel::Turns => KeyContext::Turns,
            ReplayPanel::Request => KeyContext::Request,
            ReplayPanel::Files => KeyContext::Files,
            ReplayPanel::Diff => KeyContext::Diff,
            ReplayPanel::Steps => KeyContext::Steps,
        }
    }

    /// Leaves a sub-agent in the steps; in the diff goes back to the line where a jump began. Returns whether there was
    /// something to leave.
    fn close_part(&mut self, session: &mut Session) -> bool {
        match self.focus {
            ReplayPanel::Steps if !self.steps.is_outside_agents() => {
                self.steps.update(steps::StepsMessage::Leave);
                true
            }
            ReplayPanel::Request | ReplayPanel::Diff => self.return_from_jump(session),
            _ => false,
        }
    }

    fn point_at_view(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) -> bool {
        self.handle_click(session, mouse, layout)
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
