//! Where a view leads to in the replay: a value that it gives to the session, so that it need not know the replay.

use trajview_run::{
    RepoPath, StepId,
    search::{Hit, Query},
};

/// A place in the replay that another view leads to. The replay remembers where it was opened from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// Counts from 0.
    pub turn: usize,
    pub target: Target,
    /// What changes are measured from there; None for what they are measured from now.
    pub base: Option<Base>,
}

/// What of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The turn, with what was last looked at of it.
    Turn,
    /// What the agent was asked in it.
    Request,
    /// One of its steps.
    Step(StepId),
    /// What one of its steps changed in a file; where it did not change it, the file as the step left it.
    Edit { step: StepId, path: RepoPath, aim: Option<Aim> },
    /// A hit of a search; the search goes on from there in the run.
    Found { hit: Hit, query: Option<Query> },
    /// What the turn changed in a file.
    Change { path: RepoPath, aim: Option<Aim> },
    /// The list of every change to the function that a line of a file is in, as it is after the turn; to the file without one.
    History { path: RepoPath, line: Option<usize> },
    /// A file as it is after the turn.
    File { path: RepoPath, aim: Option<Aim> },
}

/// A line to go to once the file is there; lines count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// Of the new text.
    Line(usize),
    /// Of the old text.
    Old(usize),
    /// The first added line from the first to the last of these, else the first of them.
    Within(usize, usize),
}

/// What changes are measured from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Base {
    #[default]
    PreviousTurn,
    /// Where the turn's checkpoint began.
    Checkpoint,
    Start,
    /// After the marked turn.
    Mark,
}

impl Opening {
    /// A place in the code, measured from what changes are measured from now.
    pub fn at(turn: usize, target: Target) -> Self {
        Self { turn, target, base: None }
    }

    /// A line of a file as it is after a turn.
    pub fn at_line(turn: usize, path: RepoPath, line: usize) -> Self {
        Self::at(turn, Target::File { path, aim: Some(Aim::Line(line)) })
    }
}

impl Target {
    /// The change of a file where it changed or the lines are gone, else the whole file. `lines` are the first and the
    /// last in the file after the turn; None for what is gone.
    pub fn lines(path: RepoPath, lines: Option<(usize, usize)>, is_changed: bool) -> Self {
        let aim = lines.map(|(first, last)| Aim::Within(first, last));
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
        let mut session = Session::of(Run::default().into());
        session.open(Opening::at(2, Target::Request));

        assert_eq!(session.take_opening(), Some(Opening::at(2, Target::Request)));
        assert_eq!(session.take_opening(), None);
    }

    #[test]
    fn lines_that_no_change_of_the_turn_has_are_shown_in_the_whole_file() {
        let path = RepoPath::new("a.py").unwrap();
        let is_whole = |lines, is_changed| {
            matches!(Target::lines(path.clone(), lines, is_changed), Target::File { .. })
        };

        assert!(is_whole(Some((3, 4)), false));
        assert!(!is_whole(Some((3, 4)), true) && !is_whole(None, false));
    }
}
