//! Logs side by side, whose beginnings are read once for all that are opened among them.
//!
//! A log's companions may be anywhere among its neighbours. A caller that opens many recordings passes the same
//! [`Siblings`] to each: a folder is read at the first use, and again once files were added or removed.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::SystemTime,
};

use trajview_formats::{
    FileHead, Format, PieceExecutor,
    companion_files::{BelongsTo, CompanionFiles},
    could_be_log,
};

use super::{
    containers,
    entries::{entries_of, is_log_file, name_of},
    executor::WorkerThreads,
    path_bytes,
    remote::{self, FetchAmount},
};

/// The number of files that a thread takes at a time.
const FILES_PER_PIECE: usize = 64;

/// The known folders.
#[derive(Debug, Default)]
pub struct Siblings {
    folders: Mutex<HashMap<(PathBuf, &'static str), Arc<KnownFolder>>>,
}

/// A folder that was read, or is being read: another thread that needs the same one waits for it, and none waits for other
/// folders.
#[derive(Debug, Default)]
struct KnownFolder {
    /// The time when files were last added to the folder or removed from it.
    changed: Option<SystemTime>,
    logs: OnceLock<FolderLogs>,
}

/// The logs of a folder, as one format reads them.
#[derive(Debug)]
struct FolderLogs {
    paths: Vec<PathBuf>,
    /// Read when a log has another one beside it.
    companions: OnceLock<CompanionFiles>,
}

impl Siblings {
    /// Drops the known files, whose content may have changed since.
    pub fn forget_all(&self) {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns the companions of a log in its own folder, sorted.
    pub(crate) fn companions_of(
        &self,
        main: &Path,
        head: &FileHead<'_>,
        format: &'static dyn Format,
    ) -> Vec<PathBuf> {
        let Some(folder) = main.parent() else { return vec![] };
        let known = self.known_folder(folder, format);
        let logs = known.logs.get_or_init(|| FolderLogs::of_folder(folder));
        if !logs.paths.iter().any(|path| path != main && could_be_log(path)) {
            return vec![];
        }
        let companions = logs.companions.get_or_init(|| companions_among(&logs.paths, format));
        let found = companions.parts_of(&format.names_in_parts(head)).into_iter();
        found.map(|at| &logs.paths[at]).filter(|path| *path != main).cloned().collect()
    }

    fn known_folder(&self, folder: &Path, format: &'static dyn Format) -> Arc<KnownFolder> {
        let changed = containers::changed_at(folder);
        let mut all = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.entry((folder.to_owned(), format.name())).or_default();
        if changed.is_none() || known.changed != changed {
            *known = Arc::new(KnownFolder { changed, logs: OnceLock::new() });
        }
        Arc::clone(known)
    }
}

impl FolderLogs {
    fn of_folder(folder: &Path) -> Self {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Self { paths: entries_of(folder), companions: OnceLock::new() }
    }
}

/// Returns the companions among these files, as a format reads them.
pub(crate) fn companions_among(paths: &[PathBuf], format: &'static dyn Format) -> CompanionFiles {
    let logs: Vec<PathBuf> = paths.iter().filter(|path| could_be_log(path)).cloned().collect();
    remote::fetch_soon(&logs, FetchAmount::Start);
    let memberships: Vec<OnceLock<BelongsTo>> = paths.iter().map(|_| OnceLock::new()).collect();
    let look = |piece: usize| {
        for (path, memberships) in
            paths.iter().zip(&memberships).skip(piece * FILES_PER_PIECE).take(FILES_PER_PIECE)
        {
            memberships.get_or_init(|| belongs_to(path, format).unwrap_or_default());
        }
    };
    // Not rayon: a thread of its pool that waits for the others takes up whatever else is to be done meanwhile, which
    // may be to open another log of this folder.
    match paths.len().div_ceil(FILES_PER_PIECE) {
        0 | 1 => look(0),
        pieces => WorkerThreads::for_all_cores().in_order(pieces, &look, &mut |_| {}),
    }
    let mut companions = CompanionFiles::default();
    for (at, memberships) in memberships.into_iter().enumerate() {
        companions.add_file(at, memberships.into_inner().unwrap_or_default());
    }
    companions
}

fn belongs_to(path: &Path, format: &dyn Format) -> Option<BelongsTo> {
    if !could_be_log(path) || !is_log_file(path) {
        return None;
    }
    let (bytes, is_whole) = path_bytes::read_head(path).ok()?;
    Some(format.belongs_to(&FileHead { name: name_of(path), bytes: &bytes, is_whole }))
}

#[cfg(test)]
mod tests;
