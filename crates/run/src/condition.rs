//! The condition under which a run's specification is given.

use serde::{Deserialize, Serialize};

use super::worded_enum::worded;

worded! {
    /// The form in which a task is requested.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Condition {
        /// One request a turn.
        #[default]
        Emergent = "emergent",
        /// One request with everything.
        SingleShot = "single-shot",
    }
}

impl Condition {
    pub const fn opposite(self) -> Self {
        match self {
            Self::Emergent => Self::SingleShot,
            Self::SingleShot => Self::Emergent,
        }
    }
}
