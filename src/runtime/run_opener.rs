//! Opens runs for the workers.

use std::{
    path::Path,
    sync::{Arc, LazyLock},
};

use trajview_store as store;
use trajview_store::{DiskCache, OpenError, OpenedRecording, Siblings};

/// Opens runs by their paths.
#[derive(Debug, Clone)]
pub enum RunOpener {
    /// Reads from the disk.
    Disk,
    /// Reads from the disk, and caches expensive results between starts.
    CachedDisk,
    /// Gives this recording, whatever the path.
    Memory(OpenedRecording),
}

/// The cache, if there is a folder for it. A cache that cannot be opened is reported where it is first needed: by the
/// scores.
static CACHE: LazyLock<Option<Arc<DiskCache>>> =
    LazyLock::new(|| Some(Arc::new(DiskCache::open(&DiskCache::default_path()?).ok()?)));

impl RunOpener {
    /// Opens the whole run.
    pub fn open(&self, path: &Path) -> Result<OpenedRecording, OpenError> {
        self.open_among(path, &Siblings::default())
    }

    /// Opens one of many runs, with the facts known of the logs beside it.
    pub fn open_among(
        &self,
        path: &Path,
        siblings: &Siblings,
    ) -> Result<OpenedRecording, OpenError> {
        match self {
            Self::Disk => store::open_among(path, siblings),
            Self::CachedDisk => {
                store::open_among(path, siblings).map(|opened| opened.with_cache(CACHE.clone()))
            }
            Self::Memory(opened) => Ok(opened.clone()),
        }
    }

    /// Opens the first screen of a run, if that is possible before the whole is read.
    pub fn open_head(&self, path: &Path) -> Option<OpenedRecording> {
        match self {
            Self::Disk | Self::CachedDisk => store::open_head(path),
            Self::Memory(_) => None,
        }
    }

    /// Returns whether a path has several runs.
    pub(crate) fn has_several_runs(&self, path: &Path) -> bool {
        match self {
            Self::Disk | Self::CachedDisk => store::exported_runs::opens_as_table(path),
            Self::Memory(_) => false,
        }
    }
}
