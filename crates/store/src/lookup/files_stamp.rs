//! A stamp of the files of a run, by which a change since the indexing is detected.

use std::{
    hash::{DefaultHasher, Hasher},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::super::{
    disk::{self, PathMeta, modified_nanos},
    entries::companion_folder_of,
    file_bytes::{self, FileAccess},
    recording_files::{self, FoundRecording},
    siblings::Siblings,
};

/// The files of a run, and the folders in which more of them could appear.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FilesStamp {
    files: Vec<SeenFile>,
    folders: Vec<(PathBuf, Option<u128>)>,
    /// The hashes of the beginning and the end of each file.
    ends: Vec<u64>,
}

/// A file as it was seen. Its size and time are None where it was not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SeenFile {
    path: PathBuf,
    size: Option<u64>,
    /// Nanoseconds since 1970.
    modified: Option<u128>,
}

/// The bytes at each end of a file by which a file that has grown is recognised.
const END_BYTES: u64 = 4 << 10;

impl FilesStamp {
    /// Returns the stamp of the run at this path as it is now, to be taken before the run is read. None where there is no run.
    pub fn of_run(path: &Path, siblings: &Siblings) -> Option<Self> {
        let found = recording_files::find_among(path, FileAccess::OnDisk, siblings).ok()?;
        Some(Self::for_recording(&found))
    }

    /// Returns the stamp of the files as they are now; it is to be taken before they are read.
    pub(crate) fn for_recording(recording: &FoundRecording) -> Self {
        let paths = disk_paths(recording);
        let mut folders: Vec<PathBuf> =
            paths.iter().filter_map(|path| path.parent()).map(Path::to_owned).collect();
        folders.push(companion_folder_of(&recording.main));
        folders.sort();
        folders.dedup();
        let folders = folders.into_iter().map(|folder| {
            let changed = path_modified_nanos(&folder);
            (folder, changed)
        });
        let files: Vec<SeenFile> = paths.iter().map(|path| SeenFile::at_path(path)).collect();
        let ends = files.iter().map(|file| hash_ends(&file.path, file.size.unwrap_or(0))).collect();
        Self { folders: folders.collect(), files, ends }
    }

    /// Returns whether the run at this path has the files it had, and each is as it was.
    pub fn is_current(&self, path: &Path, siblings: &Siblings) -> bool {
        if self.files.is_empty()
            || !self.files.iter().all(|file| *file == SeenFile::at_path(&file.path))
        {
            return false;
        }
        let is_same =
            |(folder, changed): &(PathBuf, Option<u128>)| path_modified_nanos(folder) == *changed;
        self.folders.iter().all(is_same)
            || recording_files::find_among(path, FileAccess::OnDisk, siblings).is_ok_and(
                |recording| {
                    disk_paths(&recording).iter().eq(self.files.iter().map(|file| &file.path))
                },
            )
    }

    /// Returns whether these files are those of `older`, with nothing but more at their ends. Told by their beginnings
    /// and by what was their end.
    pub(crate) fn only_grew_from(&self, older: &Self) -> bool {
        let grew = |((now, then), was): ((&SeenFile, &SeenFile), &u64)| {
            let (Some(size), Some(before)) = (now.size, then.size) else { return false };
            now.path == then.path && size >= before && hash_ends(&now.path, before) == *was
        };
        !older.files.is_empty()
            && self.files.len() >= older.files.len()
            && self.files.iter().zip(&older.files).zip(&older.ends).all(grew)
    }
}

impl SeenFile {
    fn at_path(path: &Path) -> Self {
        let meta = disk::metadata(path).ok();
        let size = meta.as_ref().map(PathMeta::len);
        Self { path: path.to_owned(), size, modified: meta.as_ref().and_then(modified_nanos) }
    }
}

/// Returns the files of the disk that a run is read from; of one inside of a file, that file with what a database keeps
/// beside it.
fn disk_paths(recording: &FoundRecording) -> Vec<PathBuf> {
    let mut paths = vec![];
    let named = recording.files.iter().map(|file| recording.folder.join(&file.name));
    for path in std::iter::once(recording.main.clone()).chain(named) {
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

fn path_modified_nanos(path: &Path) -> Option<u128> {
    disk::metadata(path).ok().as_ref().and_then(modified_nanos)
}

/// Hashes the beginning of a file, and the end that it has or had at that size; 0 where it cannot be read.
fn hash_ends(path: &Path, size: u64) -> u64 {
    let Ok(file) = disk::open_file(path) else { return 0 };
    let len = size.min(END_BYTES);
    let mut hasher = DefaultHasher::new();
    for start in [0, size - len] {
        let mut bytes = vec![0; len as usize];
        if file_bytes::read_at(&file, &mut bytes, start).is_err() {
            return 0;
        }
        hasher.write(&bytes);
    }
    hasher.finish()
}
