//! What moved a point away from the one before it.

use serde::{Deserialize, Serialize};

use super::snapshot::{Detail, Place};

/// One thing that is different, and by how much.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Where it lies now; where it lay, if it is gone.
    pub place: Place,
    /// False where it lies in the earlier snapshot only.
    pub is_there: bool,
    pub what: What,
}

/// What is different.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum What {
    /// A callable came, went or has other paths or length. `before` and `after` are None where there was none.
    Callable { name: String, before: Option<Weight>, after: Option<Weight> },
    /// A rule matches at more or fewer places of a file: by how many, and by how many lines.
    Rule { rule: String, hits: i64, lines: i64 },
    /// Pieces of a clone group came or went: by how many, and by how many lines.
    Clones { pieces: i64, lines: i64 },
}

/// How heavy a callable is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Weight {
    pub cc: u32,
    pub sloc: u32,
    pub mass: f64,
}

/// What moved, largest first: callables by mass, then rules and clones by lines.
pub fn changes(before: &Detail, after: &Detail) -> Vec<Change> {
    let _ = (before, after);
    vec![]
}
