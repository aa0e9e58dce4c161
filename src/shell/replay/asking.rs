//! What the open run is missing, most wanted first.

use crate::{
    run::files::Change,
    session::{
        ask::Numbers,
        effect::Effect,
        files::{DiffKey, Scope, Span},
        question::Question,
    },
    views::replay::{diff::View, steps::Item},
    widgets::layout::{Layout, Panel},
};

use super::Replay;

/// Files of the turn beyond this are compared only when they are selected.
const FILES_AHEAD: usize = 40;

impl Replay {
    /// What is missing most, one question of each kind.
    pub fn ask(&mut self, numbers: &mut Numbers, layout: &Layout) -> Vec<Effect> {
        let mut effects = vec![];
        let run = self.session.run.clone();
        if self.session.timeline.is_nothing() {
            effects
                .push(self.session.timeline.ask(numbers, Question::Timeline { run: run.clone() }));
        }
        if self.session.counts.is_nothing() && self.session.timeline.ready().is_some() {
            effects
                .push(self.session.counts.ask(numbers, Question::LineCounts { run: run.clone() }));
        }
        effects.extend(self.ask_again(numbers));
        effects.extend(self.ask_text(numbers, layout));
        effects.extend(self.ask_changes(numbers));
        effects.extend(self.ask_diff(numbers));
        effects.extend(self.ask_blame(numbers));
        effects.extend(self.ask_colours(numbers));
        let marked = self.marked_span();
        effects.extend(self.curves.ask_curves(&mut self.session, numbers, marked, layout));
        effects.extend(self.scores.ask_components(&mut self.session, numbers));
        effects.extend(self.audit.ask_audit(&mut self.session, numbers));
        effects.extend(self.judging.ask_judging(&mut self.session, numbers));
        effects.extend(self.looking_for.take().map(|query| {
            let request = numbers.fresh();
            self.search.asked(request);
            Question::Search { run, query }.under(request)
        }));
        effects
    }

    /// What a run that has grown makes new.
    fn ask_again(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        self.session.timeline.ready()?;
        if self.session.growth.timeline.is_due() {
            let question = Question::Timeline { run: self.session.run.clone() };
            return Some(self.session.growth.timeline.ask(numbers, question));
        }
        let is_next =
            self.session.growth.timeline.is_idle() && self.session.counts.ready().is_some();
        if is_next && self.session.growth.counts.is_due() {
            let question = Question::LineCounts { run: self.session.run.clone() };
            return Some(self.session.growth.counts.ask(numbers, question));
        }
        None
    }

    fn ask_text(&mut self, numbers: &mut Numbers, layout: &Layout) -> Option<Effect> {
        let height = usize::from(layout.room(Panel::Steps).height);
        let wanted = self.text_to_choose(layout);
        let wanted = wanted.or_else(|| self.steps.wanted_text(&self.session.run, height));
        let item = wanted.filter(|_| self.texts.is_free())?;
        let run = self.session.run.clone();
        let question = match item {
            // A layer's words are there from the start, so it is never asked for.
            Item::Layer(turn) | Item::Request(turn) => Question::RequestText { run, turn },
            Item::Step(step) => Question::StepText { run, step },
        };
        Some(self.texts.ask(numbers, item, question))
    }

    fn ask_diff(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        if !self.session.files.is_free() {
            return None;
        }
        if let Some(effect) = self.ask_file(numbers) {
            return Some(effect);
        }
        let (key, change) =
            self.wanted_diffs().into_iter().find(|(key, _)| !self.session.files.has(key))?;
        let wanted = (key, change.clone());
        Some(self.session.files.ask(numbers, &self.session.run, wanted, self.context))
    }

    fn ask_changes(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let span = Span::of(self.scope())?;
        self.session.ask_changes(numbers, span)
    }

    /// The whole file on screen, as if all of it was new.
    fn ask_file(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let key = self.diff_key().filter(|_| self.diff.view != View::Change)?;
        self.session.ask_whole(numbers, key)
    }

    /// Once the text is there: a file that cannot be shown need not be blamed.
    fn ask_blame(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let file = self.file_at()?;
        let compared = self.session.files.compared(&self.diff_key()?)?.as_ref().ok()?;
        compared.text()?;
        self.session.files.blame.ask(numbers, &self.session.run, file)
    }

    fn ask_colours(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let key = self.diff_key()?;
        let compared = self.session.files.compared(&key)?.as_ref().ok()?.clone();
        self.session.files.colours.ask(numbers, key, &compared)
    }

    /// The comparisons worth having, most wanted first: the one on screen, the other files beside it, and where the
    /// next key is likely to lead.
    fn wanted_diffs(&self) -> Vec<(DiffKey, &Change)> {
        let scope = self.scope();
        let selected = self.change().map(|(_, change)| (scope, change));
        let beside = self.changes().iter().take(FILES_AHEAD).map(|change| (scope, change));
        let turns =
            [Some(self.session.turn + 1), self.session.turn.checked_sub(1)].into_iter().flatten();
        let turns = turns.filter(|_| matches!(scope, Scope::Turn(_) | Scope::Step(_)));
        let near = turns.map(Scope::Turn).filter_map(|scope| {
            let changes = self.session.changes_of(scope);
            Some((scope, changes.get(self.files.selected(changes))?))
        });
        let named =
            |(scope, change): (Scope, &'_ Change)| DiffKey { scope, path: change.path.clone() };
        let all = selected.into_iter().chain(beside).chain(near);
        all.map(|wanted| (named(wanted), wanted.1)).collect()
    }
}
