//! What the beginnings of files said the last time: a walk over thousands of sessions need not read them again.
//!
//! A file is known by its path, size and time. All of it is one file of the cache folder; whoever deletes it loses time and
//! nothing else.

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

use trajview_formats::companions::BelongsTo;

use super::{
    disk::{Meta, written},
    write,
};

/// The beginnings of files, as they were understood.
#[derive(Debug, Default)]
pub struct KnownHeads {
    file: PathBuf,
    known: Mutex<HashMap<String, Seen>>,
    is_changed: AtomicBool,
}

/// What a file's beginning says; None where it is no recording.
pub type Understood = Option<KnownHead>;

/// The beginning of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownHead {
    /// The name of its format.
    pub format: String,
    pub belongs_to: BelongsTo,
    /// By which its parts call it; None where that was not asked.
    pub names: Option<Vec<String>>,
}

/// A file as it was.
#[derive(Debug, Serialize, Deserialize)]
struct Seen {
    size: u64,
    /// Nanoseconds since 1970.
    modified: u128,
    understood: Understood,
}

/// What is kept: by whom, and of which files.
type Kept = (String, HashMap<String, Seen>);

/// Changes with what is said of a file, so that what another version said is not used.
const LAYOUT: &str = concat!("heads/2 ", env!("CARGO_PKG_VERSION"));

/// With more files than this all is forgotten: most of them are gone.
const MOST: usize = 100_000;

impl KnownHeads {
    /// Those that are kept beside a file of the cache folder. What cannot be read is made anew.
    pub fn beside(file: &Path) -> Self {
        let file = file.with_file_name("heads.json");
        let kept =
            fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).ok());
        let ours = kept.filter(|(layout, files)| layout == LAYOUT && files.len() < MOST);
        let known = Mutex::new(ours.map(|(_, files)| files).unwrap_or_default());
        Self { file, known, is_changed: AtomicBool::default() }
    }

    /// What was said of a file that is as it was; `meta` is of the file itself, be it a link.
    pub fn get(&self, path: &Path, meta: &Meta) -> Option<Understood> {
        let (size, modified) = stamp(meta)?;
        let known = self.held();
        let seen = known.get(path.to_str()?)?;
        ((seen.size, seen.modified) == (size, modified)).then(|| seen.understood.clone())
    }

    /// What was just said of a file.
    pub fn put(&self, path: &Path, meta: &Meta, understood: Understood) {
        let (Some(path), Some((size, modified))) = (path.to_str(), stamp(meta)) else { return };
        self.held().insert(path.to_owned(), Seen { size, modified, understood });
        self.is_changed.store(true, Ordering::Relaxed);
    }

    /// By which names the parts of a recording that was just looked into call it.
    pub fn names(&self, path: &Path, ask: impl FnOnce() -> Vec<String>) -> Vec<String> {
        let Some(key) = path.to_str() else { return ask() };
        let head = |known: &HashMap<String, Seen>| known.get(key)?.understood.clone();
        let known = head(&self.held());
        if let Some(names) = known.and_then(|head| head.names) {
            return names;
        }
        let names = ask();
        if let Some(Seen { understood: Some(head), .. }) = self.held().get_mut(key) {
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
        let kept = serde_json::to_vec(&(LAYOUT, &*self.held()));
        let folder = self.file.parent().unwrap_or(Path::new("."));
        if let (Ok(kept), Ok(())) = (kept, fs::create_dir_all(folder)) {
            let _ = write::replace(&self.file, &kept);
        }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<String, Seen>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Size and time of a file.
fn stamp(meta: &Meta) -> Option<(u64, u128)> {
    Some((meta.len(), written(meta)?))
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
        let head = KnownHead {
            format: "pi".into(),
            belongs_to: BelongsTo::Named(vec!["b".into()]),
            names: None,
        };

        let first = KnownHeads::beside(&file);
        assert_eq!(first.get(&log, &meta()), None);
        first.put(&log, &meta(), Some(head.clone()));
        assert_eq!(first.names(&log, || vec!["a".into()]), ["a"]);
        first.save();

        let again = KnownHeads::beside(&file);
        let named = KnownHead { names: Some(vec!["a".into()]), ..head };
        assert_eq!(again.get(&log, &meta()), Some(Some(named)));
        assert_eq!(again.names(&log, || panic!("they are known")), ["a"]);
        fs::write(&log, "more words").unwrap();
        assert_eq!(again.get(&log, &meta()), None);
        fs::write(&file, "no such file").unwrap();
        assert_eq!(KnownHeads::beside(&file).get(&log, &meta()), None);
    }
}
