//! The files after each turn, whatever the recording offers to reconstruct them.
//!
//! A [`Timeline`] lists, turn by turn, which files changed from which content to which ([`FileChange`]).
//! It is built in one of three ways ([`FilesSource`]): from the commits of a repository, from the edits that
//! the log records ([`replay`]), or from recorded edits reconciled with snapshots. What the log cannot
//! explain is a change too, with [`ChangeOrigin::Outside`].
//!
//! Contents are named by their git blob id and read through [`Blobs`], so that a timeline stays small.

pub mod blame;
mod blob;
pub mod file_diff;
pub mod history;
pub mod renames;
pub mod replay;
mod run_moment;
mod timeline;

pub use blob::{Blob, BlobId, Blobs, EditBodies, MemoryBlobs};
pub use file_diff::FileDiff;
pub use run_moment::RunMoment;
pub use timeline::{
    ChangeOrigin, ChangeVersion, FileChange, FileContent, FileMode, FilesSource, SourceTree,
    Timeline, TreeFile, TurnFiles,
};

use trajview_code::patch::PatchHunk;

/// The body of a recorded edit, as the log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedEdit {
    /// The whole file before the edit, where the log has it.
    pub before: Option<String>,
    pub change: RecordedChange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedChange {
    /// The whole file after the edit.
    Write(String),
    /// Text replaced, in order, each in the outcome of the one before.
    Replace(Vec<Replacement>),
    /// Hunks with or without line numbers; none for a pure rename.
    Patch(Vec<PatchHunk>),
    Delete,
    /// The log says that the file changed, not how.
    NotRecorded,
    /// The log states that the file is no text, and does not contain it.
    Binary,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Empty only where the edit creates the file.
    pub old: String,
    pub new: String,
    /// Every occurrence, else the first.
    pub all: bool,
}
