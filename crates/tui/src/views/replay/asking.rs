//! What the open run is missing, most wanted first.

use ratatui::layout::Rect;

use crate::{
    session::{
        Session,
        effect::Effect,
        files::{DiffKey, Scope, Span},
        question::Question,
        request::Numbers,
    },
    views::replay::{Replay, chooser::Kind, diff::View, steps::Item},
    widgets::layout::{Layout, Panel},
};
use trajview_run::files::Change;

/// Files of the turn beyond this are compared only when they are selected.
const FILES_AHEAD: usize = 40;

impl Replay {
    /// Asks for the search that was asked for, if any.
    pub fn ask_search(&mut self, session: &mut Session, numbers: &mut Numbers) -> Option<Effect> {
        let run = session.run.clone();
        self.looking_for.take().map(|query| {
            let request = numbers.fresh();
            self.search.asked(request);
            Question::Search { run, query }.under(request)
        })
    }

    /// What a run that has grown makes new.
    pub(super) fn ask_again(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
    ) -> Option<Effect> {
        session.timeline.ready()?;
        if session.growth.timeline.is_due() {
            let question = Question::Timeline { run: session.run.clone() };
            return Some(session.growth.timeline.ask(numbers, question));
        }
        let is_next = session.growth.timeline.is_idle() && session.counts.ready().is_some();
        if is_next && session.growth.counts.is_due() {
            let question = Question::LineCounts { run: session.run.clone() };
            return Some(session.growth.counts.ask(numbers, question));
        }
        None
    }

    pub(super) fn ask_text(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
        layout: &Layout,
    ) -> Option<Effect> {
        let height = usize::from(layout.room(Panel::Steps).height);
        let wanted = self.text_to_choose(layout);
        let wanted = wanted.or_else(|| self.steps.wanted_text(&session.run, height));
        let instead = || {
            let beside = |area: Rect| {
                let (width, height) = (usize::from(area.width), usize::from(area.height));
                self.steps.wanted_from_selected(width, height)
            };
            layout.step.and_then(beside).or_else(|| {
                let item = self.step_instead_of_diff(session)?;
                self.steps.text(item).is_none().then_some(item)
            })
        };
        let wanted = wanted.or_else(instead);
        let item = wanted.filter(|_| self.texts.is_free())?;
        let run = session.run.clone();
        let question = match item {
            // A layer's words are there from the start, so it is never asked for.
            Item::Layer(turn) | Item::Request(turn) => Question::RequestText { run, turn },
            Item::Step(step) => Question::StepText { run, step },
        };
        Some(self.texts.ask(numbers, item, question))
    }

    /// Whether what steps or agents cost is on screen.
    pub(super) fn shows_cost(&self) -> bool {
        let lists_agents = self.chooser.as_ref().is_some_and(|it| it.kind == Kind::Agents);
        lists_agents || self.steps.began.is_some()
    }

    pub(super) fn ask_diff(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
    ) -> Option<Effect> {
        if !session.files.is_free() {
            return None;
        }
        if let Some(effect) = self.ask_file(session, numbers) {
            return Some(effect);
        }
        let (key, change) =
            self.wanted_diffs(session).into_iter().find(|(key, _)| !session.files.has(key))?;
        let wanted = (key, change.clone());
        Some(session.files.ask(numbers, &session.run, wanted, self.context))
    }

    pub(super) fn ask_changes(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
    ) -> Option<Effect> {
        let span = Span::of(self.scope(session))?;
        session.ask_changes(numbers, span)
    }

    /// The whole file on screen, as if all of it was new.
    fn ask_file(&mut self, session: &mut Session, numbers: &mut Numbers) -> Option<Effect> {
        let key = self.diff_key(session).filter(|_| self.diff.view != View::Change)?;
        session.ask_whole(numbers, key)
    }

    /// Once the text is there: a file that cannot be shown need not be blamed.
    pub(super) fn ask_blame(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
    ) -> Option<Effect> {
        let file = self.file_at(session)?;
        let compared = session.files.compared(&self.diff_key(session)?)?.as_ref().ok()?;
        compared.text()?;
        session.files.blame.ask(numbers, &session.run, file)
    }

    pub(super) fn ask_colours(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
    ) -> Option<Effect> {
        let key = self.diff_key(session)?;
        let compared = session.files.compared(&key)?.as_ref().ok()?.clone();
        session.files.colours.ask(numbers, key, &compared)
    }

    /// The comparisons worth having, most wanted first: the one on screen, the other files beside it, and where the
    /// next key is likely to lead.
    fn wanted_diffs<'s>(&self, session: &'s Session) -> Vec<(DiffKey, &'s Change)> {
        let scope = self.scope(session);
        let selected = self.change(session).map(|(_, change)| (scope, change));
        let beside = self.changes(session).iter().take(FILES_AHEAD).map(|change| (scope, change));
        let turns = [Some(session.turn + 1), session.turn.checked_sub(1)].into_iter().flatten();
        let turns = turns.filter(|_| matches!(scope, Scope::Turn(_) | Scope::Step(_)));
        let near = turns.map(Scope::Turn).filter_map(|scope| {
            let changes = session.changes_of(scope);
            Some((scope, changes.get(self.files.selected(changes))?))
        });
        let named =
            |(scope, change): (Scope, &'_ Change)| DiffKey { scope, path: change.path.clone() };
        let all = selected.into_iter().chain(beside).chain(near);
        all.map(|wanted| (named(wanted), wanted.1)).collect()
    }
}
