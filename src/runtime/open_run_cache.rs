//! A cache of the runs of a study that were open last: a rater goes back and forth among a few.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use trajview_store::{OpenError, OpenedRecording};

use super::run_opener::RunOpener;

/// The largest number of cached runs.
const MAX_RUNS: usize = 6;

/// Copies share the runs. The most recently used run is the last.
#[derive(Clone, Default)]
pub struct OpenRunCache(Arc<Mutex<Vec<(PathBuf, OpenedRecording)>>>);

impl OpenRunCache {
    /// Returns the run at a path, opened if it is not cached.
    pub(crate) fn open_cached(
        &self,
        path: &Path,
        opener: &RunOpener,
    ) -> Result<OpenedRecording, OpenError> {
        let known = self.take_cached(path);
        let opened = match known {
            Some(opened) => opened,
            None => opener.open(path)?,
        };
        self.put_newest(path, opened.clone());
        Ok(opened)
    }

    fn take_cached(&self, path: &Path) -> Option<OpenedRecording> {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = runs.iter().position(|(known, _)| known == path)?;
        Some(runs.remove(at).1)
    }

    fn put_newest(&self, path: &Path, opened: OpenedRecording) {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        runs.retain(|(known, _)| known != path);
        runs.push((path.to_owned(), opened));
        if runs.len() > MAX_RUNS {
            runs.remove(0);
        }
    }
}
