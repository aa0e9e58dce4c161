//! A run that has grown while it is looked at.
//!
//! The new run takes the place of the old one. What has not changed keeps its texts, folds and comparisons; the files
//! known so far stay on screen until the new ones have been worked out.

use std::sync::Arc;

use super::Replay;
use crate::{
    app::{
        Effect,
        ask::{Loading, Numbers, Request},
        diff::{DiffKey, Follows, Scope},
        digest::Digest,
        follow::End,
        question::Question,
        steps::Item,
    },
    run::{Run, StepId, files::Timeline},
};

/// Questions that a grown run has to answer again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Growth {
    pub timeline: Again,
    pub counts: Again,
    /// The first turn whose files may be others than those known so far; counts from 0.
    first: Option<usize>,
}

/// A question that may be wanted again while it is out: a log that grows faster than it can be worked out must still
/// be seen to grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Again {
    is_wanted: bool,
    asked: Option<Request>,
}

impl Again {
    pub const fn is_due(&self) -> bool {
        self.is_wanted && self.asked.is_none()
    }

    pub const fn is_idle(&self) -> bool {
        !self.is_wanted && self.asked.is_none()
    }

    pub fn ask(&mut self, numbers: &mut Numbers, question: Question) -> Effect {
        let request = numbers.fresh();
        *self = Self { is_wanted: false, asked: Some(request) };
        question.under(request)
    }

    /// Whether this is the answer that was waited for; it is no longer.
    pub fn is_answered(&mut self, request: Request) -> bool {
        self.asked.take_if(|asked| *asked == request).is_some()
    }
}

impl Replay {
    /// Puts a run that has grown in the place of the old one. A playhead at the end stays there.
    pub fn grow(&mut self, run: Arc<Run>) {
        if *run == *self.run {
            return;
        }
        if let Some(chooser) = &mut self.chooser {
            chooser.look_again();
        }
        let goes_along = self.follow.is_on && self.is_at_end();
        let old = std::mem::replace(&mut self.run, run);
        let run = self.run.clone();
        let first = first_change(&old, &run);
        let turns = first.min(self.digests.len())..run.turns.len();
        self.digests.truncate(turns.start);
        self.digests.extend(turns.map(|turn| Digest::of(&run, &run.steps_of_turn(turn))));
        self.turn = self.turn.min(run.turns.len().saturating_sub(1));
        self.steps.grow(&run, self.turn, |item| has_changed(&old, &run, item));
        self.texts.forget(); // what is out was asked of the old run
        self.growth.timeline.is_wanted = true;
        self.growth.counts.is_wanted = true;
        self.growth.first = Some(self.growth.first.map_or(first, |before| before.min(first)));
        if let Loading::Failed(_) = self.timeline {
            self.timeline = Loading::Nothing;
        }
        if goes_along {
            self.go_to_end();
        }
    }

    /// Puts the whole run in the place of its beginning, and goes to the turn that was asked for in the meantime.
    pub fn complete(&mut self, run: Arc<Run>) {
        self.is_whole = true;
        self.grow(run);
        if let Some(turn) = self.beyond.take() {
            self.select_turn(turn.min(self.run.turns.len().saturating_sub(1)));
        }
        if let Some(query) = self.search.start_over() {
            self.looking_for = Some(query);
        }
    }

    /// Takes the files of a run that has grown. Comparisons of what was known before are worth nothing then.
    pub(super) fn renew_timeline(&mut self, timeline: Arc<Timeline>) {
        self.timeline = Loading::Ready(timeline);
        let is_known = !self.growth.timeline.is_wanted;
        let first = if is_known { self.growth.first.take() } else { self.growth.first };
        let Some(first) = first else { return };
        self.diffs.forget();
        self.diff.forget(|key| turn_of(key) >= first);
        self.colours.forget(|key| turn_of(key) >= first);
        self.bases.forget(|span| span.before.max(span.after) > first);
        self.blame.forget(|file| file.turn >= first);
        self.tree.forget();
        self.curves.scores.forget_after(first);
    }

    /// Follows the recording from its end, or no longer.
    pub(super) fn follow_or_not(&mut self) {
        if self.follow.is_on && self.is_at_end() {
            self.follow.is_on = false;
            self.notice = Some("no longer following the recording".into());
            return;
        }
        self.follow.is_on = true;
        self.go_to_end();
    }

    pub(super) fn go_to_end(&mut self) {
        self.select_turn(self.run.turns.len().saturating_sub(1));
        self.steps.select(usize::MAX);
        self.diff.follows = Follows::Turn;
    }

    /// Remembers how much has been seen while the playhead is at the end.
    pub(super) fn settle_follow(&mut self) {
        if self.follow.is_on && self.is_at_end() {
            self.follow.see(self.end());
        }
    }

    /// `2 new turns`: what was written after the place that is looked at.
    pub fn news(&self) -> Option<String> {
        self.follow.news(self.end())
    }

    /// Whether what is written next will be gone to.
    pub fn is_at_end(&self) -> bool {
        let is_last_step = self.steps.selected_index() + 1 >= self.steps.items.len();
        self.turn + 1 >= self.run.turns.len() && is_last_step
    }

    fn end(&self) -> End {
        let last = self.run.turns.len().saturating_sub(1);
        let steps = self.run.turns.last().map_or(0, |_| self.run.steps_of_turn(last).len());
        End { turns: self.run.turns.len(), steps }
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

const fn turn_of(key: &DiffKey) -> usize {
    match key.scope {
        Scope::Turn(turn) | Scope::At(turn) => turn,
        Scope::Since { done, turn } => {
            if done > turn + 1 {
                done - 1
            } else {
                turn
            }
        }
        Scope::Step(step) => step.turn,
    }
}
