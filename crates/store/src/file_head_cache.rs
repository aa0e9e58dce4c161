//! A cache of what the beginnings of files contain, so that a walk over thousands of sessions need not read them again.
//!
//! A file is identified by its path, size and time. The cache is one file of the cache folder; deleting it costs time
//! and nothing else.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use serde::{Deserialize, Serialize};

use trajview_formats::companion_files::BelongsTo;

use super::{
    cache::build_id,
    disk::{PathMeta, modified_nanos},
    write,
};

/// The beginnings of files, as they were understood.
#[derive(Debug, Default)]
pub struct FileHeadCache {
    file: PathBuf,
    entries: Mutex<HashMap<String, CachedFileHead>>,
    is_changed: AtomicBool,
}

/// The content of a file's beginning; None where it is no recording.
pub type ParsedHead = Option<RecordingHead>;

/// The beginning of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordingHead {
    /// The name of its format.
    pub format: String,
    pub belongs_to: BelongsTo,
    /// The names by which its parts refer to it; None where they were not requested.
    pub names: Option<Vec<String>>,
}

/// A file as it was.
#[derive(Debug, Serialize, Deserialize)]
struct CachedFileHead {
    size: u64,
    /// Nanoseconds since 1970.
    modified: u128,
    understood: ParsedHead,
}

/// The content of the cache file: the build that wrote it, and the files by path. Entries of another build are not used, since
/// its formats may claim other files.
type HeadCacheFile = (String, HashMap<String, CachedFileHead>);

/// The number of files above which the cache is emptied: most of them are gone.
const MOST_FILES: usize = 100_000;

impl FileHeadCache {
    /// Reads the cache that is kept beside a file of the cache folder. It is empty where that cannot be read.
    pub(crate) fn beside_file(file: &Path) -> Self {
        let file = file.with_file_name("heads.json");
        let cached = fs::read(&file)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<HeadCacheFile>(&bytes).ok());
        let ours = cached.filter(|(build, files)| build == build_id() && files.len() < MOST_FILES);
        let entries = Mutex::new(ours.map(|(_, files)| files).unwrap_or_default());
        Self { file, entries, is_changed: AtomicBool::default() }
    }

    /// Returns the cached head of a file that has not changed; `meta` is of the file itself, even if it is a link.
    pub fn get(&self, path: &Path, meta: &PathMeta) -> Option<ParsedHead> {
        let (size, modified) = size_and_time(meta)?;
        let entries = self.lock_heads();
        let seen = entries.get(path.to_str()?)?;
        ((seen.size, seen.modified) == (size, modified)).then(|| seen.understood.clone())
    }

    /// Caches the parsed head of a file with its size and time; it is on disk when the cache is saved. A file without a
    /// time is not cached.
    pub fn put(&self, path: &Path, meta: &PathMeta, understood: ParsedHead) {
        let (Some(path), Some((size, modified))) = (path.to_str(), size_and_time(meta)) else {
            return;
        };
        self.lock_heads().insert(path.to_owned(), CachedFileHead { size, modified, understood });
        self.is_changed.store(true, Ordering::Relaxed);
    }

    /// Returns the names by which the parts of a recording refer to it; the recording was just read.
    pub(crate) fn part_names(&self, path: &Path, ask: impl FnOnce() -> Vec<String>) -> Vec<String> {
        let Some(key) = path.to_str() else { return ask() };
        let head = |cached_head: &HashMap<String, CachedFileHead>| {
            cached_head.get(key)?.understood.clone()
        };
        let cached_head = head(&self.lock_heads());
        if let Some(names) = cached_head.and_then(|head| head.names) {
            return names;
        }
        let names = ask();
        if let Some(CachedFileHead { understood: Some(head), .. }) = self.lock_heads().get_mut(key)
        {
            head.names = Some(names.clone());
            self.is_changed.store(true, Ordering::Relaxed);
        }
        names
    }

    /// Writes down what is new, all of it or nothing; what cannot be written is read again the next time.
    pub fn save(&self) {
        if !self.is_changed.swap(false, Ordering::Relaxed) {
            return;
        }
        let json = serde_json::to_vec(&(build_id(), &*self.lock_heads()));
        let folder = self.file.parent().unwrap_or(Path::new("."));
        if let (Ok(json), Ok(())) = (json, fs::create_dir_all(folder)) {
            let _ = write::replace_file(&self.file, &json);
        }
    }

    fn lock_heads(&self) -> MutexGuard<'_, HashMap<String, CachedFileHead>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns size and time of a file.
fn size_and_time(meta: &PathMeta) -> Option<(u64, u128)> {
    Some((meta.len(), modified_nanos(meta)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk;

    #[test]
    fn what_is_known_of_a_file_comes_back_until_the_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (file, log) = (folder.path().join("cache/heads.json"), folder.path().join("a.jsonl"));
        fs::write(&log, "words").unwrap();
        let meta = || disk::symlink_metadata(&log).unwrap();
        let head = RecordingHead {
            format: "pi".into(),
            belongs_to: BelongsTo::Named(vec!["b".into()]),
            names: None,
        };

        let first = FileHeadCache::beside_file(&file);
        assert_eq!(first.get(&log, &meta()), None);
        first.put(&log, &meta(), Some(head.clone()));
        assert_eq!(first.part_names(&log, || vec!["a".into()]), ["a"]);
        first.save();

        let again = FileHeadCache::beside_file(&file);
        let named = RecordingHead { names: Some(vec!["a".into()]), ..head };
        assert_eq!(again.get(&log, &meta()), Some(Some(named)));
        assert_eq!(again.part_names(&log, || panic!("they are known")), ["a"]);
        fs::write(&log, "more words").unwrap();
        assert_eq!(again.get(&log, &meta()), None);
        fs::write(&file, "no such file").unwrap();
        assert_eq!(FileHeadCache::beside_file(&file).get(&log, &meta()), None);
    }
}
