//! Where a view leads to in the replay: a value that it gives to the session, so that it need not know the replay.

use trajview_metrics::lifeline::{EventSpot, TurnSide};
use trajview_run::{
    RepoPath, StepId,
    files::FileChange,
    search::{SearchHit, SearchQuery},
};

/// A place in the replay that another view leads to. The replay remembers where it was opened from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayOpening {
    /// The turn, counted from 0.
    pub turn: usize,
    pub target: OpeningTarget,
    /// The base of the changes there; None for the current one.
    pub base: Option<DiffBase>,
}

/// The part of a turn to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpeningTarget {
    /// The turn, with what was last looked at of it.
    Turn,
    /// The request of the turn.
    Request,
    /// One of its steps.
    Step(StepId),
    /// The change of one of its steps in a file; where the step did not change it, the file after the step.
    Edit { step: StepId, path: RepoPath, aim: Option<LineAim> },
    /// A search hit; the search continues from there in the run.
    Found { hit: SearchHit, query: Option<SearchQuery> },
    /// The change of the turn in a file.
    Change { path: RepoPath, aim: Option<LineAim> },
    /// The list of every change to the function that a line of a file is in, as it is after the turn; to the file without one.
    History { path: RepoPath, line: Option<usize> },
    /// A file as it is after the turn.
    File { path: RepoPath, aim: Option<LineAim> },
}

/// A line to go to once the file is there; lines count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineAim {
    /// A line of the new text.
    Line(usize),
    /// A line of the old text.
    Old(usize),
    /// The first added line from the first to the last of these, else the first of them.
    Within(usize, usize),
}

/// The base from which changes are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DiffBase {
    #[default]
    PreviousTurn,
    /// The start of the turn's checkpoint.
    Checkpoint,
    Start,
    /// The state after the marked turn.
    Mark,
}

impl ReplayOpening {
    /// Returns the opening of a place in the code, measured from what changes are measured from now.
    pub(crate) fn at_turn(turn: usize, target: OpeningTarget) -> Self {
        Self { turn, target, base: None }
    }

    /// Returns the opening of a line of a file, counted from 1, as it is after a turn.
    pub fn at_line(turn: usize, path: RepoPath, line: usize) -> Self {
        Self::at_turn(turn, OpeningTarget::File { path, aim: Some(LineAim::Line(line)) })
    }
}

impl ReplayOpening {
    /// Returns the opening of the line of a turn's diff that shows an event of a component. `changes` are those of the
    /// turn; where they are not known, the file has the name that the event gives.
    pub(crate) fn at_event(turn: usize, spot: &EventSpot, changes: &[FileChange]) -> Self {
        let is_it = |change: &&FileChange| {
            change.path == spot.path
                || (spot.side == TurnSide::Old && change.from.as_ref() == Some(&spot.path))
        };
        let change = changes.iter().find(is_it);
        let path = change.map_or_else(|| spot.path.clone(), |change| change.path.clone());
        let line = spot.line as usize;
        let target = match spot.side {
            TurnSide::Old => OpeningTarget::Change { path, aim: Some(LineAim::Old(line)) },
            TurnSide::New if change.is_some() => {
                OpeningTarget::Change { path, aim: Some(LineAim::Line(line)) }
            }
            TurnSide::New => OpeningTarget::File { path, aim: Some(LineAim::Line(line)) },
        };
        Self { turn, target, base: Some(DiffBase::PreviousTurn) }
    }
}

impl OpeningTarget {
    /// Returns the change of a file where it changed or the lines are gone, else the whole file. `lines` are the first
    /// and the last in the file after the turn; None for what is gone.
    pub(crate) fn for_lines(
        path: RepoPath,
        lines: Option<(usize, usize)>,
        is_changed: bool,
    ) -> Self {
        let aim = lines.map(|(first, last)| LineAim::Within(first, last));
        match is_changed || lines.is_none() {
            true => Self::Change { path, aim },
            false => Self::File { path, aim },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use trajview_run::Run;

    #[test]
    fn a_place_to_open_is_given_once() {
        let mut session = Session::new(Run::default().into());
        session.set_opening(ReplayOpening::at_turn(2, OpeningTarget::Request));

        assert_eq!(session.take_opening(), Some(ReplayOpening::at_turn(2, OpeningTarget::Request)));
        assert_eq!(session.take_opening(), None);
    }

    #[test]
    fn lines_that_no_change_of_the_turn_has_are_shown_in_the_whole_file() {
        let path = RepoPath::new("a.py").unwrap();
        let is_whole = |lines, is_changed| {
            matches!(
                OpeningTarget::for_lines(path.clone(), lines, is_changed),
                OpeningTarget::File { .. }
            )
        };

        assert!(is_whole(Some((3, 4)), false));
        assert!(!is_whole(Some((3, 4)), true) && !is_whole(None, false));
    }
}
