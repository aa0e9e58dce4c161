//! A place in the run as the screen shows it, to come back to.

use crate::{
    run::RepoPath,
    session::{Session, arrangement::Arrangement, opening::Base, views},
    views::replay::{
        Replay,
        diff::{Follows, View},
    },
    widgets::{layout::Panel, scroll::Scroll},
};

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
    /// Whether nobody gets from here to `other` by looking around: more than one turn, a hit of the search, or out of
    /// the audit into the replay.
    pub fn is_a_jump_from(&self, other: &Self) -> bool {
        let has_moved = (self.turn, self.step) != (other.turn, other.step);
        let leaves_the_audit = self.is_in_audit() && other.shown == views::View::Replay;
        leaves_the_audit
            || self.turn.abs_diff(other.turn) > 1
            || (has_moved && self.hit != other.hit)
    }
}

impl Spot {
    pub(crate) fn is_in_audit(&self) -> bool {
        self.shown == views::View::Audit
    }
}

impl Replay {
    pub fn spot(&self, session: &Session) -> Spot {
        Spot {
            turn: session.turn,
            step: self.steps.selected_index(),
            steps: self.steps.scroll,
            follows: self.diff.follows,
            view: self.diff.view.clone(),
            focus: self.focus,
            file: self.change(session).map(|(_, change)| change.path.clone()),
            diff: self.diff.scroll,
            column: self.diff.column,
            hit: self.search.current,
            shown: session.view,
        }
    }

    pub fn outlook(&self) -> Outlook {
        let mark = self.bases.mark.filter(|_| self.bases.base == Base::Mark);
        Outlook { arrangement: self.diff.arrangement, base: self.bases.base, mark }
    }

    pub fn look_from(&mut self, outlook: Outlook) {
        self.diff.arrangement = outlook.arrangement;
        self.bases.base = outlook.base;
        self.bases.mark = outlook.mark.or(self.bases.mark);
    }

    /// Folds stay as they are; a place that is folded away by now leads to the step it stands in.
    pub fn go_to_spot(&mut self, session: &mut Session, spot: &Spot) {
        session.view = spot.shown;
        self.select_turn(session, spot.turn.min(session.run.turns.len().saturating_sub(1)));
        self.steps.select(spot.step);
        let is_unchanged = self.steps.item_at(spot.steps.cursor) == Some(spot.step);
        if is_unchanged {
            self.steps.scroll = spot.steps;
        }
        self.diff.follows = spot.follows;
        self.diff.view = spot.view.clone();
        self.focus = spot.focus;
        if let Some(path) = &spot.file {
            self.files.want(path.clone());
        }
        if let Some(key) = self.diff_key(session) {
            self.diff.restore(key, spot.diff, spot.column);
        }
    }
}
