//! One change of a file, ready to be shown.

use std::sync::Arc;

use crate::code::diff::TextDiff;

/// What there is to show of a change.
#[derive(Debug, Clone, PartialEq)]
pub enum FileDiff {
    /// Both texts are known; None on the side where there is no file.
    Text { diff: TextDiff, old: Option<Arc<str>>, new: Option<Arc<str>> },
    /// Only the recorded hunks are known: the file before is not in the recording. Line numbers may be missing.
    Hunks(TextDiff),
    /// Not text; sizes in bytes.
    Binary { old: Option<u64>, new: Option<u64> },
    /// Text too big to compare line by line; sizes in bytes.
    TooBig { old: Option<u64>, new: Option<u64> },
    /// Cannot be shown; a sentence says why.
    NotRecorded(String),
}
