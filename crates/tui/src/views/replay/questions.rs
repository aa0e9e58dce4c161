//! Asks for the missing data of the open run, the most urgent first.

use ratatui::layout::Rect;

use crate::{
    session::{
        Session,
        effect::Effect,
        files::{DiffKey, DiffScope, TurnSpan},
        question::Question,
        request::RequestIds,
    },
    views::replay::{ReplayView, chooser::ChooserKind, diff::DiffContent},
    widgets::layout::{ReplayPanel, ScreenLayout},
};
use trajview_run::{files::FileChange, search::HitPlace};

/// Files of the turn beyond this are compared only when they are selected.
const MAX_FILES_COMPARED_AHEAD: usize = 40;

impl ReplayView {
    /// Requests the accepted search, if there is one.
    pub(crate) fn ask_search(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        let run = session.run.clone();
        self.pending_query.take().map(|query| {
            let request = numbers.next_request();
            self.search.set_request(request);
            Question::Search { run, query }.with_request(request)
        })
    }

    /// Asks for the data that the growth of the run made stale.
    pub(super) fn ask_after_growth(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        session.timeline.ready()?;
        if session.growth.timeline.is_due() {
            let question = Question::Timeline { run: session.run.clone() };
            return Some(session.growth.timeline.ask_again(numbers, question));
        }
        let is_next = session.growth.timeline.is_idle() && session.counts.ready().is_some();
        if is_next && session.growth.counts.is_due() {
            let question = Question::LineCounts { run: session.run.clone() };
            return Some(session.growth.counts.ask_again(numbers, question));
        }
        None
    }

    pub(super) fn ask_text(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
        layout: &ScreenLayout,
    ) -> Option<Effect> {
        let wanted = match self.text_for_chooser(session) {
            Some((turn, HitPlace::Request)) => return session.ask_request(numbers, turn),
            Some((_, HitPlace::Step(step, _))) => Some(step),
            None => self.steps.wanted_text(&session.run),
        };
        let instead = || {
            let diff = layout.panel_area(ReplayPanel::Diff);
            let instead_of_diff = diff.filter(|_| self.step_instead_of_diff(session).is_some());
            let wanted = |area: Rect| {
                let (width, height) = (usize::from(area.width), usize::from(area.height));
                self.steps.text_wanted_from_selected(width, height)
            };
            [layout.step, instead_of_diff].into_iter().flatten().find_map(wanted)
        };
        let wanted = wanted.or_else(instead);
        let step = wanted.filter(|_| self.pending_texts.is_free())?;
        let question = Question::StepText { run: session.run.clone(), step };
        Some(self.pending_texts.ask_question(numbers, step, question))
    }

    /// Asks for the request of the turn on screen, then for those of its neighbours, where the next key leads.
    pub(super) fn ask_requests(
        &self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        let here = session.turn;
        let near = [Some(here), here.checked_add(1), here.checked_sub(1)];
        near.into_iter().flatten().find_map(|turn| session.ask_request(numbers, turn))
    }

    /// Returns whether the cost of steps or agents is on screen.
    pub(super) fn shows_cost(&self) -> bool {
        let lists_agents = self.chooser.as_ref().is_some_and(|it| it.kind == ChooserKind::Agents);
        lists_agents || self.steps.began.is_some()
    }

    /// Asks for the whole file where it is shown, else for the next comparison that is missing; None while one is in
    /// progress or where none is missing.
    pub(super) fn ask_for_next_comparison(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        if !session.files.is_free() {
            return None;
        }
        if let Some(effect) = self.ask_file(session, numbers) {
            return Some(effect);
        }
        let (key, change) = self
            .diffs_to_load(session)
            .into_iter()
            .find(|(key, _)| !session.files.has_compared(key))?;
        let wanted = (key, change.clone());
        Some(session.files.ask_diff(numbers, &session.run, wanted, self.context))
    }

    pub(super) fn ask_changes(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        let span = TurnSpan::for_scope(self.diff_scope(session))?;
        session.ask_changes(numbers, span)
    }

    /// Asks for the whole file on screen, as if all of it was new.
    fn ask_file(&mut self, session: &mut Session, numbers: &mut RequestIds) -> Option<Effect> {
        let key = self.diff_key(session).filter(|_| self.diff.view != DiffContent::Change)?;
        session.ask_whole(numbers, key)
    }

    /// Asks for the blame of the file, once its text is there: a file that cannot be shown needs none.
    pub(super) fn ask_blame(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        let file = self.shown_file(session)?;
        let compared = session.files.compared_file(&self.diff_key(session)?)?.as_ref().ok()?;
        compared.text_diff()?;
        session.files.blame.ask_blame(numbers, &session.run, file)
    }

    pub(super) fn ask_colours(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        let key = self.diff_key(session)?;
        let compared = session.files.compared_file(&key)?.as_ref().ok()?.clone();
        session.files.colours.ask_colours(numbers, key, &compared)
    }

    /// Returns the comparisons to load, the most urgent first: the one on screen, the other files beside it, and the
    /// targets of the next likely key.
    fn diffs_to_load<'s>(&self, session: &'s Session) -> Vec<(DiffKey, &'s FileChange)> {
        let scope = self.diff_scope(session);
        let selected = self.selected_change(session).map(|(_, change)| (scope, change));
        let beside = self
            .listed_changes(session)
            .iter()
            .take(MAX_FILES_COMPARED_AHEAD)
            .map(|change| (scope, change));
        let turns = [Some(session.turn + 1), session.turn.checked_sub(1)].into_iter().flatten();
        let turns = turns.filter(|_| matches!(scope, DiffScope::Turn(_) | DiffScope::Step(_)));
        let near = turns.map(DiffScope::Turn).filter_map(|scope| {
            let changes = session.changes_of(scope);
            Some((scope, changes.get(self.file_index(session, scope))?))
        });
        let named = |(scope, change): (DiffScope, &'_ FileChange)| DiffKey {
            scope,
            path: change.path.clone(),
        };
        let all = selected.into_iter().chain(beside).chain(near);
        all.map(|wanted| (named(wanted), wanted.1)).collect()
    }
}
