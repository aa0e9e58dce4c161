//! The changes that a turn can make to a symbol, and the state of the symbol afterwards.

use super::chains::DefinitionPlace;
use trajview_run::{RepoPath, worded_enum::worded};

worded! {
    words;
    /// The state of a symbol after a turn.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum SymbolState {
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

/// The change that a turn made to a symbol, the least serious first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SymbolChange {
    /// The number of places in which it is used grew by this many.
    UsesGained(u32),
    /// The body changed; comments, docstrings and formatting do not count.
    Changed,
    /// Used for the first time.
    FirstUsed,
    /// Defined for the first time.
    Appeared,
    Moved {
        from: DefinitionPlace,
        to: DefinitionPlace,
    },
    Renamed {
        from: DefinitionPlace,
        to: DefinitionPlace,
    },
    /// The body was absorbed by another definition.
    TakenIn {
        from: DefinitionPlace,
        to: DefinitionPlace,
    },
    /// Used again after it was unused.
    UsedAgain,
    /// Defined again after it was gone.
    Back,
    /// The number of places in which it is used shrank by this many.
    UsesLost(u32),
    /// Every use is inside a condition now, which was not so before.
    Guarded,
    /// Still defined; nobody uses it any more.
    LastUseLost,
    /// The definition is gone, and no rename or move explains it.
    Vanished,
}

/// A change that a turn made to a symbol, with a line that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolEvent {
    pub change: SymbolChange,
    /// None for changes without a place in the code.
    pub spot: Option<EventSpot>,
}

/// A line that shows an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventSpot {
    pub path: RepoPath,
    /// Counts from 1.
    pub line: u32,
    pub side: TurnSide,
}

/// The text that a line belongs to: before or after the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnSide {
    Old,
    New,
}

impl SymbolChange {
    /// Returns the change in words, to follow the symbol's name.
    pub fn change_text(&self) -> String {
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
