//! A place in the run as the screen shows it, to come back to.

use crate::{
    session::{Session, arrangement::Arrangement, opening::Base, views},
    views::replay::{
        Replay,
        diff::{Follows, View},
    },
    widgets::{layout::Panel, scroll::Scroll},
};
use trajview_run::RepoPath;

#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// Counts from 0.
    pub turn: usize,
    /// Index into the steps of the turn, its request included.
    step: usize,
    steps: Scroll,
    follows: Follows,
    view: View,
    focus: Panel,
    file: Option<RepoPath>,
    diff: Scroll,
    column: usize,
    hit: Option<usize>,
    shown: views::View,
}

/// How the diff is looked at, wherever one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outlook {
    arrangement: Arrangement,
    base: Base,
    /// The turn that the base means, where it is a marked one; counts from 0.
    mark: Option<usize>,
}

impl Spot {
    pub fn of(replay: &Replay, session: &Session) -> Self {
        Self {
            turn: session.turn,
            step: replay.steps.selected_index(),
            steps: replay.steps.scroll,
            follows: replay.diff.follows,
            view: replay.diff.view.clone(),
            focus: replay.focus,
            file: replay.change(session).map(|(_, change)| change.path.clone()),
            diff: replay.diff.scroll,
            column: replay.diff.column,
            hit: replay.search.current,
            shown: session.view,
        }
    }

    /// Folds stay as they are; a place that is folded away by now leads to the step it stands in.
    pub fn restore(&self, replay: &mut Replay, session: &mut Session) {
        session.view = self.shown;
        replay.select_turn(session, self.turn.min(session.run.turns.len().saturating_sub(1)));
        replay.steps.select(self.step);
        let is_unchanged = replay.steps.item_at(self.steps.cursor) == Some(self.step);
        if is_unchanged {
            replay.steps.scroll = self.steps;
        }
        replay.diff.follows = self.follows;
        replay.diff.view = self.view.clone();
        replay.focus = self.focus;
        if let Some(path) = &self.file {
            replay.files.want(path.clone());
        }
        if let Some(key) = replay.diff_key(session) {
            replay.diff.restore(key, self.diff, self.column);
        }
    }

    /// Whether nobody gets from here to `other` by looking around: more than one turn, a hit of the search, or out of
    /// the audit into the replay.
    pub fn is_a_jump_from(&self, other: &Self) -> bool {
        let has_moved = (self.turn, self.step) != (other.turn, other.step);
        let leaves_the_audit = self.is_in_audit() && other.shown == views::View::Replay;
        leaves_the_audit
            || self.turn.abs_diff(other.turn) > 1
            || (has_moved && self.hit != other.hit)
    }

    pub(crate) fn is_in_audit(&self) -> bool {
        self.shown == views::View::Audit
    }
}

impl Outlook {
    pub fn of(replay: &Replay) -> Self {
        let mark = replay.bases.mark.filter(|_| replay.bases.base == Base::Mark);
        Self { arrangement: replay.diff.arrangement, base: replay.bases.base, mark }
    }

    pub fn restore(self, replay: &mut Replay) {
        replay.diff.arrangement = self.arrangement;
        replay.bases.base = self.base;
        replay.bases.mark = self.mark.or(replay.bases.mark);
    }
}
