//! A place in the run as the screen shows it, to come back to.

use crate::{
    session::{Session, arrangement::Arrangement, replay_opening::DiffBase, views},
    views::replay::{
        ReplayView,
        diff::{DiffContent, DiffFollows},
    },
    widgets::{layout::ReplayPanel, pane::ListPane},
};
use trajview_run::RepoPath;

#[derive(Debug, Clone, PartialEq)]
pub struct Bookmark {
    /// Counts from 0.
    pub turn: usize,
    /// Index into the listed steps of the turn; None while none is chosen.
    step: Option<usize>,
    steps: ListPane,
    follows: DiffFollows,
    view: DiffContent,
    focus: ReplayPanel,
    file: Option<RepoPath>,
    diff: ListPane,
    column: usize,
    hit: Option<usize>,
    app_view: views::View,
}

/// The arrangement and the base of the diff, which are kept between runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffOutlook {
    arrangement: Arrangement,
    base: DiffBase,
    /// The turn that the base means, where it is a marked one; counts from 0.
    mark: Option<usize>,
}

impl Bookmark {
    pub fn for_place(replay: &ReplayView, session: &Session) -> Self {
        Self {
            turn: session.turn,
            step: replay.steps.chosen_step().map(|_| replay.steps.selected_index()),
            steps: replay.steps.list,
            follows: replay.diff.follows,
            view: replay.diff.view.clone(),
            focus: replay.focus,
            file: replay.selected_change(session).map(|(_, change)| change.path.clone()),
            diff: replay.diff.list,
            column: replay.diff.column,
            hit: replay.search.current,
            app_view: session.view,
        }
    }

    /// Restores the place. Folds stay as they are; a place that is folded now leads to the step that contains it.
    pub fn restore(&self, replay: &mut ReplayView, session: &mut Session) {
        session.view = self.app_view;
        replay.select_turn(session, self.turn.min(session.run.turns.len().saturating_sub(1)));
        match self.step {
            Some(step) => replay.steps.select_item(step),
            None => replay.steps.choose_none(),
        }
        if self.step.is_some() && replay.steps.item_at(self.steps.cursor()) == self.step {
            replay.steps.list = self.steps;
        }
        replay.diff.follows = self.follows;
        replay.diff.view = self.view.clone();
        replay.focus = self.focus;
        if let Some(path) = &self.file {
            replay.files.select_path(path.clone());
        }
        if let Some(key) = replay.diff_key(session) {
            replay.diff.restore_when_loaded(key, self.diff, self.column);
        }
    }

    /// Returns whether the move from `other` to here is a jump: more than one turn, or a hit of the search.
    pub(crate) fn is_a_jump_from(&self, other: &Self) -> bool {
        let has_moved = (self.turn, self.step) != (other.turn, other.step);
        self.turn.abs_diff(other.turn) > 1 || (has_moved && self.hit != other.hit)
    }
}

impl DiffOutlook {
    pub(crate) fn for_replay(replay: &ReplayView) -> Self {
        let mark = replay.bases.mark.filter(|_| replay.bases.base == DiffBase::Mark);
        Self { arrangement: replay.diff.arrangement, base: replay.bases.base, mark }
    }

    pub fn restore(self, replay: &mut ReplayView) {
        replay.diff.arrangement = self.arrangement;
        replay.bases.base = self.base;
        replay.bases.mark = self.mark.or(replay.bases.mark);
    }
}
