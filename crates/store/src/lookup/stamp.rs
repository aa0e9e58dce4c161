//! By what it is known that the files of a run are as they were when it was indexed.

use std::{
    hash::{DefaultHasher, Hasher},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::super::{
    bytes::{self, Access},
    disk::{self, Meta, written},
    entries::own_folder_of,
    find::{self, Found},
    siblings::Siblings,
};

/// The files of a run, and the folders in which more of them could appear.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stamp {
    files: Vec<Seen>,
    folders: Vec<(PathBuf, Option<u128>)>,
    /// Of the beginning and the end of each file.
    ends: Vec<u64>,
}

/// A file as it was seen. Its size and time are None where it was not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    path: PathBuf,
    size: Option<u64>,
    /// Nanoseconds since 1970.
    modified: Option<u128>,
}

/// Bytes at each end of a file by which it is known again when it has grown.
const ENDS: u64 = 4 << 10;

impl Stamp {
    /// Of the files as they are now; to be taken before they are read.
    pub fn of(found: &Found) -> Self {
        let paths = paths(found);
        let mut folders: Vec<PathBuf> =
            paths.iter().filter_map(|path| path.parent()).map(Path::to_owned).collect();
        folders.push(own_folder_of(&found.main));
        folders.sort();
        folders.dedup();
        let folders = folders.into_iter().map(|folder| {
            let changed = modified(&folder);
            (folder, changed)
        });
        let files: Vec<Seen> = paths.iter().map(|path| Seen::of(path)).collect();
        let ends = files.iter().map(|file| ends(&file.path, file.size.unwrap_or(0))).collect();
        Self { folders: folders.collect(), files, ends }
    }

    /// Whether the run at this path has the files it had, and each is as it was.
    pub fn is_now(&self, path: &Path, siblings: &Siblings) -> bool {
        if self.files.is_empty() || !self.files.iter().all(|file| *file == Seen::of(&file.path)) {
            return false;
        }
        let is_same = |(folder, changed): &(PathBuf, Option<u128>)| modified(folder) == *changed;
        self.folders.iter().all(is_same)
            || find::find_among(path, Access::OnDisk, siblings).is_ok_and(|found| {
                paths(&found).iter().eq(self.files.iter().map(|file| &file.path))
            })
    }

    /// Whether these files are those of `older`, with nothing but more at their ends. Told by their beginnings and by
    /// what was their end.
    pub fn only_grew_from(&self, older: &Self) -> bool {
        let grew = |((now, then), was): ((&Seen, &Seen), &u64)| {
            let (Some(size), Some(before)) = (now.size, then.size) else { return false };
            now.path == then.path && size >= before && ends(&now.path, before) == *was
        };
        !older.files.is_empty()
            && self.files.len() >= older.files.len()
            && self.files.iter().zip(&older.files).zip(&older.ends).all(grew)
    }
}

impl Seen {
    fn of(path: &Path) -> Self {
        let meta = disk::metadata(path).ok();
        let size = meta.as_ref().map(Meta::len);
        Self { path: path.to_owned(), size, modified: meta.as_ref().and_then(written) }
    }
}

/// The files of the disk that a run is read from; of one inside of a file, that file with what a database keeps beside it.
fn paths(found: &Found) -> Vec<PathBuf> {
    let mut paths = vec![];
    let named = found.files.iter().map(|file| found.folder.join(&file.name));
    for path in std::iter::once(found.main.clone()).chain(named) {
        if disk::is_file(&path) {
            paths.push(path);
            continue;
        }
        let holder = path.ancestors().find(|path| disk::symlink_metadata(path).is_ok());
        if let Some(holder) = holder.filter(|holder| !disk::is_dir(holder)) {
            let mut log = holder.as_os_str().to_owned();
            log.push("-wal");
            paths.extend([holder.to_owned(), PathBuf::from(log)]);
        }
    }
    let mut seen = std::collections::HashSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    paths
}

fn modified(path: &Path) -> Option<u128> {
    disk::metadata(path).ok().as_ref().and_then(written)
}

/// Of the beginning of a file, and of the end that it has or had at that size; 0 where it cannot be read.
fn ends(path: &Path, size: u64) -> u64 {
    let Ok(file) = disk::open(path) else { return 0 };
    let len = size.min(ENDS);
    let mut hasher = DefaultHasher::new();
    for start in [0, size - len] {
        let mut bytes = vec![0; len as usize];
        if bytes::read_at(&file, &mut bytes, start).is_err() {
            return 0;
        }
        hasher.write(&bytes);
    }
    hasher.finish()
}
