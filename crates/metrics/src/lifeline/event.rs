//! What can become of a symbol in a turn, and in which state that leaves it.

use super::chains::Place;
use trajview_run::{RepoPath, values::worded};

worded! {
    words;
    /// How a symbol stands after a turn.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum State {
        /// Not defined yet.
        Before = "not defined yet",
        /// Defined, and never used so far.
        Idle = "defined, not used yet",
        /// Defined and used by no code, but registered: by a decorator or by a string with its path.
        Registered = "registered",
        /// Used outside its own definition and outside tests.
        Used = "in use",
        /// Defined, was used, and is not any more.
        Unused = "defined, no longer used",
        /// The definition is no longer there.
        Gone = "gone",
    }
}

/// What a turn did to a symbol, the least first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// Used in so many more places.
    UsesGained(u32),
    /// Its body is another; comments, docstrings and formatting are not its body.
    Changed,
    /// Used for the first time.
    FirstUsed,
    /// Defined for the first time.
    Appeared,
    Moved {
        from: Place,
        to: Place,
    },
    Renamed {
        from: Place,
        to: Place,
    },
    /// Its body was taken into another definition.
    TakenIn {
        from: Place,
        to: Place,
    },
    /// Used again after nobody did.
    UsedAgain,
    /// Defined again after it was gone.
    Back,
    /// Used in so many places fewer.
    UsesLost(u32),
    /// Every use stands behind a condition now, and before not every one did.
    Guarded,
    /// Still defined; nobody uses it any more.
    LastUseLost,
    /// The definition is gone, and no rename or move explains it.
    Vanished,
}

/// One thing that a turn did, and where it is to be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub what: What,
    /// None for what has no place in the code.
    pub spot: Option<Spot>,
}

/// A line that shows an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    pub path: RepoPath,
    /// Counts from 1.
    pub line: u32,
    pub side: Side,
}

/// Of which text a line is: before or after the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Old,
    New,
}

impl What {
    /// For people, after the symbol's name.
    pub fn words(&self) -> String {
        let places = |count: u32| match count {
            1 => "in 1 place".to_owned(),
            _ => format!("in {count} places"),
        };
        match self {
            Self::UsesGained(count) => format!("used {} more", places(*count)),
            Self::Changed => "changed".into(),
            Self::Appeared => "first defined".into(),
            Self::FirstUsed => "first used".into(),
            Self::Moved { from, to } => format!("moved from {} to {}", from.path, to.path),
            Self::Renamed { from, to } if from.path == to.path => {
                format!("renamed from {} to {}", from.name, to.name)
            }
            Self::Renamed { from, to } => {
                format!("renamed from {} in {} to {} in {}", from.name, from.path, to.name, to.path)
            }
            Self::TakenIn { to, .. } => format!("taken into {} in {}", to.name, to.path),
            Self::UsedAgain => "used again".into(),
            Self::Back => "back again".into(),
            Self::UsesLost(count) => format!("used {} fewer", places(*count)),
            Self::Guarded => "used only behind a condition from here on".into(),
            Self::LastUseLost => "lost its last use".into(),
            Self::Vanished => "gone".into(),
        }
    }
}
