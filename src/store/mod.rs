//! Disk and git: finding runs, reading bytes, blobs of a commit.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::run::{
    Run, StepId, StepText,
    files::{Change, FileDiff, Timeline},
    search::{Hit, Query},
};

/// A recording that was opened: its index, and the way back to its bytes.
#[derive(Debug, Clone)]
pub struct Opened {
    pub run: Arc<Run>,
    pub archive: Arc<Archive>,
}

/// Why a recording could not be opened. Each says which path, in a sentence.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Exit code 3.
    #[error("cannot read {}: {why}", path.display())]
    Read { path: PathBuf, why: String },
    /// Exit code 4.
    #[error("{}: {why}", path.display())]
    Understand { path: PathBuf, why: String },
}

/// Opens a recording: a log of a known format, or a run bundle.
pub fn open(path: &Path) -> Result<Opened, OpenError> {
    Err(OpenError::Read { path: path.into(), why: "not written yet".into() })
}

/// The bytes behind a run. Shared between worker threads.
#[derive(Debug)]
pub struct Archive {}

impl Archive {
    /// What a step says, with its observation.
    pub fn step_text(&self, _run: &Run, _step: StepId) -> StepText {
        StepText::default()
    }

    /// The whole request of a turn; empty where the turn has none.
    pub fn request(&self, _run: &Run, _turn: usize) -> String {
        String::new()
    }

    /// The files over time; worked out once, then kept. The error is a sentence.
    pub fn timeline(&self, _run: &Run) -> Result<Arc<Timeline>, String> {
        Ok(Arc::new(Timeline::default()))
    }

    /// One change, compared line by line with `context` lines around.
    pub fn diff(&self, _change: &Change, _context: usize) -> FileDiff {
        FileDiff::NotRecorded("not written yet".into())
    }

    /// Looks through every request, step and observation, in playing order, until `found` returns false.
    /// The error is a sentence about the pattern.
    pub fn search(
        &self,
        _run: &Run,
        _query: &Query,
        _found: &mut dyn FnMut(Hit) -> bool,
    ) -> Result<(), String> {
        Ok(())
    }
}
