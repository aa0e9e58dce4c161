//! A run that has grown while it is looked at.
//!
//! The new run takes the place of the old one. What has not changed keeps its texts, folds and comparisons; the files
//! known so far stay on screen until the new ones have been worked out.

use std::sync::Arc;

use crate::{
    run::{Run, StepId, files::Timeline},
    session::{Session, ask::Loading, digest::Digest},
    views::replay::{Replay, diff::Follows, steps::Item},
};

impl Replay {
    /// Puts a run that has grown in the place of the old one. A playhead at the end stays there.
    pub fn grow(&mut self, session: &mut Session, run: Arc<Run>) {
        if *run == *session.run {
            return;
        }
        if let Some(chooser) = &mut self.chooser {
            chooser.look_again();
        }
        let goes_along = session.follow.is_on && self.is_at_end(session);
        let old = std::mem::replace(&mut session.run, run);
        let run = session.run.clone();
        let first = first_change(&old, &run);
        let turns = first.min(session.digests.len())..run.turns.len();
        session.digests.truncate(turns.start);
        session.digests.extend(turns.map(|turn| Digest::of(&run, &run.steps_of_turn(turn))));
        session.turn = session.turn.min(run.turns.len().saturating_sub(1));
        self.steps.grow(&run, session.turn, |item| has_changed(&old, &run, item));
        self.texts.forget(); // what is out was asked of the old run
        session.growth.timeline.is_wanted = true;
        session.growth.counts.is_wanted = true;
        session.growth.first = Some(session.growth.first.map_or(first, |before| before.min(first)));
        if let Loading::Failed(_) = session.timeline {
            session.timeline = Loading::Nothing;
        }
        if goes_along {
            self.go_to_end(session);
        }
    }

    /// Puts the whole run in the place of its beginning, and goes to the turn that was asked for in the meantime.
    pub fn complete(&mut self, session: &mut Session, run: Arc<Run>) {
        session.growth.is_whole = true;
        self.grow(session, run);
        if let Some(turn) = session.growth.beyond.take() {
            self.select_turn(session, turn.min(session.run.turns.len().saturating_sub(1)));
        }
        if let Some(query) = self.search.start_over() {
            self.looking_for = Some(query);
        }
    }

    /// Takes the files of a run that has grown. Comparisons of what was known before are worth nothing then.
    pub(crate) fn renew_timeline(&mut self, session: &mut Session, timeline: Arc<Timeline>) {
        if session.renew_timeline(timeline) {
            self.tree.forget();
        }
    }

    /// Follows the recording from its end, or no longer.
    pub(crate) fn follow_or_not(&mut self, session: &mut Session) {
        if session.follow.is_on && self.is_at_end(session) {
            session.follow.is_on = false;
            session.notice = Some("no longer following the recording".into());
            return;
        }
        session.follow.is_on = true;
        self.go_to_end(session);
    }

    pub(crate) fn go_to_end(&mut self, session: &mut Session) {
        self.select_turn(session, session.run.turns.len().saturating_sub(1));
        self.steps.select(usize::MAX);
        self.diff.follows = Follows::Turn;
    }

    /// Remembers how much has been seen while the playhead is at the end.
    pub(crate) fn settle_follow(&mut self, session: &mut Session) {
        if session.follow.is_on && self.is_at_end(session) {
            session.follow.see(session.end());
        }
    }

    /// Whether what is written next will be gone to.
    pub fn is_at_end(&self, session: &Session) -> bool {
        let is_last_step = self.steps.selected_index() + 1 >= self.steps.items.len();
        session.turn + 1 >= session.run.turns.len() && is_last_step
    }
}

/// The first turn that is not what it was; counts from 0.
fn first_change(old: &Run, new: &Run) -> usize {
    let same = |(old, new): &(_, _)| old == new;
    let turns = old.turns.iter().zip(&new.turns).take_while(same).count();
    let count = old.subagents.len().max(new.subagents.len());
    let is_changed = |index: &usize| old.subagents.get(*index) != new.subagents.get(*index);
    let parents = (0..count).filter(is_changed).filter_map(|index| {
        let agent = new.subagents.get(index).or_else(|| old.subagents.get(index));
        agent.map(|agent| agent.parent.map_or(0, |parent| parent.turn))
    });
    parents.fold(turns, usize::min)
}

fn has_changed(old: &Run, new: &Run, item: Item) -> bool {
    match item {
        Item::Layer(turn) => {
            let layer = |run: &Run| run.turns.get(turn).map(|turn| turn.layer.clone());
            layer(old) != layer(new)
        }
        Item::Request(turn) => {
            let request = |run: &Run| run.turns.get(turn).map(|turn| turn.request);
            request(old) != request(new)
        }
        Item::Step(id) => step_changed(old, new, id),
    }
}

fn step_changed(old: &Run, new: &Run, id: StepId) -> bool {
    old.step(id) != new.step(id)
}
