//! The files of a run at one moment, scored.

use super::snapshot::{Detail, Snapshot};
use crate::run::RepoPath;

/// A snapshot's numbers, and what they leave out.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    pub snapshot: Snapshot,
    /// What the numbers are made of.
    pub detail: Detail,
    /// Files that would count, whose content the recording does not have: the numbers are those of the others.
    pub not_recorded: Vec<RepoPath>,
    /// Nothing in the recording says what the files were at this moment.
    pub is_untold: bool,
}

impl Scored {
    /// Whether the numbers are of anything: not so where nothing says what the files were, and where every file that
    /// counts is one whose content is not recorded.
    pub fn is_recorded(&self) -> bool {
        !self.is_untold && (self.not_recorded.is_empty() || self.snapshot.files > 0)
    }

    /// 0 to 1; None where nothing is recorded that it could be worked out from.
    pub fn erosion(&self) -> Option<f64> {
        self.is_recorded().then_some(self.snapshot.erosion)
    }

    /// 0 to 1; None where nothing is recorded that it could be worked out from.
    pub fn verbosity(&self) -> Option<f64> {
        self.is_recorded().then_some(self.snapshot.verbosity)
    }
}
