//! What the open run is missing, most wanted first.

use super::Replay;
use crate::{
    app::{
        Effect,
        ask::{Loading, Numbers},
        diff::{DiffKey, Scope},
        layout::{Layout, Panel},
        steps::Item,
    },
    run::files::Change,
};

/// Files of the turn beyond this are compared only when they are selected.
const FILES_AHEAD: usize = 40;

impl Replay {
    /// What is missing most, one question of each kind.
    pub fn ask(&mut self, numbers: &mut Numbers, layout: &Layout) -> Vec<Effect> {
        let mut effects = vec![];
        if self.timeline == Loading::Nothing {
            let request = numbers.fresh();
            self.timeline = Loading::Waiting(request);
            effects.push(Effect::LoadTimeline(request, self.run.clone()));
        }
        if self.counts == Loading::Nothing && self.timeline.ready().is_some() {
            let request = numbers.fresh();
            self.counts = Loading::Waiting(request);
            effects.push(Effect::CountLines(request, self.run.clone()));
        }
        effects.extend(self.ask_text(numbers, usize::from(layout.room(Panel::Steps).height)));
        effects.extend(self.ask_diff(numbers));
        effects.extend(self.ask_colours(numbers));
        effects.extend(self.looking_for.take().map(|query| {
            let request = numbers.fresh();
            self.search.asked(request);
            Effect::Search(request, self.run.clone(), query)
        }));
        effects
    }

    fn ask_text(&mut self, numbers: &mut Numbers, height: usize) -> Option<Effect> {
        let item = self.steps.wanted_text(&self.run, height).filter(|_| self.texts.is_free())?;
        let request = self.texts.ask(numbers, item);
        Some(match item {
            Item::Request(turn) => Effect::LoadRequest(request, self.run.clone(), turn),
            Item::Step(id) => Effect::LoadText(request, self.run.clone(), id),
        })
    }

    fn ask_diff(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        if !self.diffs.is_free() {
            return None;
        }
        let (key, change) = self.wanted_diffs().into_iter().find(|(key, _)| !self.diff.has(key))?;
        let change = change.clone();
        let request = self.diffs.ask(numbers, key);
        Some(Effect::Diff(request, self.run.clone(), change, self.context))
    }

    fn ask_colours(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let key = self.diff_key()?;
        let compared = self.diff.get(&key)?.as_ref().ok()?.clone();
        self.colours.ask(numbers, key, &compared)
    }

    /// The comparisons worth having, most wanted first: the one on screen, the other files beside it, and where the
    /// next key is likely to lead.
    fn wanted_diffs(&self) -> Vec<(DiffKey, &Change)> {
        let scope = self.scope();
        let selected = self.change().map(|(_, change)| (scope, change));
        let beside = self.changes().iter().take(FILES_AHEAD).map(|change| (scope, change));
        let turns = [Some(self.turn + 1), self.turn.checked_sub(1)].into_iter().flatten();
        let near = turns.map(Scope::Turn).filter_map(|scope| {
            let changes = self.changes_of(scope);
            Some((scope, changes.get(self.files.selected(changes))?))
        });
        let named =
            |(scope, change): (Scope, &'_ Change)| DiffKey { scope, path: change.path.clone() };
        let all = selected.into_iter().chain(beside).chain(near);
        all.map(|wanted| (named(wanted), wanted.1)).collect()
    }
}
