//! One change of a file, ready to be shown.

use std::sync::Arc;

use crate::EditKind;
use trajview_code::{
    diff::{self, TextDiff},
    diff_stat,
    patch::{self, LineCounts},
    utf8,
};

use super::{Blob, BlobId, Blobs, ChangeVersion, FileChange, FileMode, TreeFile};

/// The difference of a change, for display.
#[derive(Debug, Clone, PartialEq)]
pub enum FileDiff {
    /// Both texts are known; None on the side where there is no file, or where it is not in the recording.
    Text { diff: TextDiff, old: Option<Arc<str>>, new: Option<Arc<str>> },
    /// Only the recorded hunks are known: the file before is not in the recording. Line numbers may be missing.
    Hunks(TextDiff),
    /// Only a part of the change is in the recording: these hunks, whose lines are not all that changed.
    Part(TextDiff),
    /// No text; sizes in bytes.
    Binary { old: Option<u64>, new: Option<u64> },
    /// Text too big to compare line by line; sizes in bytes.
    TooBig { old: Option<u64>, new: Option<u64> },
    /// Cannot be shown; a sentence says why.
    NotRecorded(String),
}

impl FileDiff {
    /// Returns the lines of it; None for what has none to show.
    pub const fn text_diff(&self) -> Option<&TextDiff> {
        match self {
            Self::Text { diff, .. } | Self::Hunks(diff) | Self::Part(diff) => Some(diff),
            Self::Binary { .. } | Self::TooBig { .. } | Self::NotRecorded(_) => None,
        }
    }

    /// Returns lines added and removed; None for what has no lines to count, and where only a part of them is known.
    pub fn line_counts(&self) -> Option<LineCounts> {
        let complete_diff = self.text_diff().filter(|_| !matches!(self, Self::Part(_)));
        complete_diff.map(|diff| LineCounts { added: diff.added, removed: diff.removed })
    }
}

/// The largest side that is compared for the screen, in bytes.
pub(crate) const SCREEN_LIMIT: usize = 4 << 20;

/// The most lines of a side that is compared for the screen.
const SCREEN_LINES: usize = 400_000;

fn is_too_big(bytes: &[u8]) -> bool {
    let has_more = || memchr::memchr_iter(b'\n', bytes).count() > SCREEN_LINES;
    bytes.len() > SCREEN_LIMIT || bytes.len() > SCREEN_LINES && has_more()
}

/// Returns the number of lines of a content; None for a content that is not compared line by line.
pub(super) fn comparable_lines(bytes: &[u8]) -> Option<usize> {
    (!diff::is_binary(bytes) && !is_too_big(bytes)).then(|| diff_stat::count_lines(bytes))
}

/// Returns the [`FileDiff::line_counts`] of a change, without comparing more than it takes.
pub fn line_counts(change: &FileChange, blobs: &dyn Blobs) -> Option<LineCounts> {
    let (old, new) = match &change.version {
        ChangeVersion::Hunks(hunks) => return Some(patch::line_counts(hunks)),
        ChangeVersion::Part(_) | ChangeVersion::Binary => return None,
        // It was there, and what it was is not in the recording.
        ChangeVersion::Whole { old: None, .. }
            if matches!(change.kind, EditKind::Modify | EditKind::Rename) =>
        {
            return None;
        }
        ChangeVersion::Whole { old, new } => (*old, *new),
    };
    let (old, new) = (content_id(old).ok()?, content_id(new).ok()?);
    if let Some(counts) = blobs.line_counts(old, new) {
        return Some(counts);
    }
    let read = |side: Option<BlobId>| side.map(|id| blobs.read_blob(id)).transpose().ok();
    let (old, new) = (read(old)?.unwrap_or_default(), read(new)?.unwrap_or_default());
    if [&old, &new].into_iter().any(|bytes| comparable_lines(bytes).is_none()) {
        return None;
    }
    Some(match (utf8::as_text(&old), utf8::as_text(&new)) {
        (Some(_), Some(_)) => diff_stat::line_counts(&old, &new),
        // As they are shown: what is no text is the same everywhere.
        _ => {
            let [old, new] = [&old, &new].map(|side| String::from_utf8_lossy(side));
            diff_stat::line_counts(old.as_bytes(), new.as_bytes())
        }
    })
}

/// Returns whether a change has no lines because its file is no text: sums of lines are complete without it.
pub fn is_binary(change: &FileChange, blobs: &dyn Blobs) -> bool {
    let ChangeVersion::Whole { old, new } = &change.version else {
        return change.version == ChangeVersion::Binary;
    };
    let is_no_text = |file: TreeFile| {
        let bytes = file.blob_id().and_then(|id| blobs.read_blob(id).ok());
        bytes.is_some_and(|bytes| diff::is_binary(&bytes))
    };
    [old, new].into_iter().flatten().any(|file| is_no_text(*file))
}

/// Compares the two sides of a change, with `context` lines around each hunk.
pub fn diff_change(change: &FileChange, blobs: &dyn Blobs, context: usize) -> FileDiff {
    let (old, new) = match &change.version {
        ChangeVersion::Binary => return FileDiff::Binary { old: None, new: None },
        ChangeVersion::Part(hunks) if hunks.is_empty() => {
            return FileDiff::NotRecorded("this file changed; the change is not recorded".into());
        }
        ChangeVersion::Hunks(hunks) => return FileDiff::Hunks(diff::recorded_hunks(hunks)),
        ChangeVersion::Part(hunks) => return FileDiff::Part(diff::recorded_hunks(hunks)),
        ChangeVersion::Whole { old, new } => (*old, *new),
    };
    match (read_side(old, blobs), read_side(new, blobs)) {
        (Ok(old), Ok(new)) => compare_blobs(old.as_deref(), new.as_deref(), context),
        (Err(why), _) | (_, Err(why)) => FileDiff::NotRecorded(why),
    }
}

fn read_side(file: Option<TreeFile>, blobs: &dyn Blobs) -> Result<Option<Blob>, String> {
    content_id(file)?.map(|id| blobs.read_blob(id)).transpose()
}

/// Returns the name of a file's content; None where there is no file.
fn content_id(file: Option<TreeFile>) -> Result<Option<BlobId>, String> {
    match file {
        None => Ok(None),
        Some(file) if file.mode == FileMode::Submodule => {
            Err("a commit of another repository".into())
        }
        Some(file) => match file.blob_id() {
            Some(id) => Ok(Some(id)),
            None => Err("the content of this file is not in the recording".into()),
        },
    }
}

fn compare_blobs(old: Option<&[u8]>, new: Option<&[u8]>, context: usize) -> FileDiff {
    let size = |side: Option<&[u8]>| side.map(|bytes| bytes.len() as u64);
    if [old, new].into_iter().flatten().any(diff::is_binary) {
        return FileDiff::Binary { old: size(old), new: size(new) };
    }
    if [old, new].into_iter().flatten().any(is_too_big) {
        return FileDiff::TooBig { old: size(old), new: size(new) };
    }
    let text =
        |side: Option<&[u8]>| side.map(|bytes| Arc::<str>::from(String::from_utf8_lossy(bytes)));
    let (old, new) = (text(old), text(new));
    let diff = diff::diff_text(
        old.as_deref().unwrap_or_default(),
        new.as_deref().unwrap_or_default(),
        context,
    );
    FileDiff::Text { diff, old, new }
}
