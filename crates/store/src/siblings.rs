//! Logs side by side, looked into once for all that are opened among them.
//!
//! A log's companions may stand anywhere among its neighbours. Whoever opens many recordings hands the same
//! [`Siblings`] to each: a folder is read when it is first asked about, and again once files came or went.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::SystemTime,
};

use trajview_formats::{
    Executor, Format, Head,
    companions::{BelongsTo, Companions},
};

use super::{
    entries::{could_be_log, entries_of, is_log_file, name_of},
    executor::Threads,
    inside, reading,
    remote::{self, Much},
};

/// Files that a thread looks into before it asks for more.
const PIECE: usize = 64;

/// What is known of folders so far.
#[derive(Debug, Default)]
pub struct Siblings {
    known: Mutex<HashMap<(PathBuf, &'static str), Arc<Known>>>,
}

/// The logs of a folder, as one format reads them.
#[derive(Debug)]
struct Known {
    /// When files last came to the folder or went from it.
    changed: Option<SystemTime>,
    paths: Vec<PathBuf>,
    companions: Companions,
}

impl Siblings {
    /// Files are looked into again; their words may have changed since.
    pub fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The companions of a log in its own folder, sorted.
    pub fn of(&self, main: &Path, head: &Head<'_>, format: &'static dyn Format) -> Vec<PathBuf> {
        let Some(folder) = main.parent() else { return vec![] };
        let known = self.folder(folder, format);
        let found = known.companions.of(&format.names(head)).into_iter();
        found.map(|at| &known.paths[at]).filter(|path| *path != main).cloned().collect()
    }

    fn folder(&self, folder: &Path, format: &'static dyn Format) -> Arc<Known> {
        let changed = inside::changed(folder);
        let key = (folder.to_owned(), format.name());
        // Held while a folder is read: who asks for the same one would only read it a second time.
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(&key).filter(|it| changed.is_some() && it.changed == changed) {
            return Arc::clone(known);
        }
        let paths = entries_of(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        let companions = among(&paths, format);
        let known = Arc::new(Known { changed, paths, companions });
        all.insert(key, Arc::clone(&known));
        known
    }
}

/// What these files belong to, as a format reads them.
pub fn among(paths: &[PathBuf], format: &'static dyn Format) -> Companions {
    let logs: Vec<PathBuf> = paths.iter().filter(|path| could_be_log(path)).cloned().collect();
    remote::fetch_soon(&logs, Much::Start);
    let told: Vec<OnceLock<BelongsTo>> = paths.iter().map(|_| OnceLock::new()).collect();
    let look = |piece: usize| {
        for (path, told) in paths.iter().zip(&told).skip(piece * PIECE).take(PIECE) {
            told.get_or_init(|| belongs_to(path, format).unwrap_or_default());
        }
    };
    // Not rayon: a thread of its pool that waits for the others takes up whatever else is to be done meanwhile, which
    // may be to open another log of this folder.
    match paths.len().div_ceil(PIECE) {
        0 | 1 => look(0),
        pieces => Threads::all().in_order(pieces, &look, &mut |_| {}),
    }
    let mut companions = Companions::default();
    for (at, told) in told.into_iter().enumerate() {
        companions.add(at, told.into_inner().unwrap_or_default());
    }
    companions
}

fn belongs_to(path: &Path, format: &dyn Format) -> Option<BelongsTo> {
    if !could_be_log(path) || !is_log_file(path) {
        return None;
    }
    let (bytes, is_whole) = reading::read_head(path).ok()?;
    Some(format.belongs_to(&Head { name: name_of(path), bytes: &bytes, is_whole }))
}

#[cfg(test)]
mod tests;
