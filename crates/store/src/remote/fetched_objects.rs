//! The fetched objects in the cache folder: a file an object, named by a hash of its address and of its version.
//!
//! No part of a key is ever a part of such a name, so no key can lead out of the folder. An object that changed has
//! another name; the old one is forgotten when there is too much. Whoever deletes the folder loses time and nothing
//! else.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
    time::SystemTime,
};

use tempfile::{NamedTempFile, TempDir};

use crate::{cache::DiskCache, digest::sha256, failure_reason::error_reason};

/// The size in bytes above which the files that were fetched first are removed, until half of them are left.
const MOST_BYTES: u64 = 8 << 30;

/// The folder of this process where there is no other.
static OWN_FOLDER: Mutex<Option<TempDir>> = Mutex::new(None);

static FOLDER: OnceLock<Result<PathBuf, (io::ErrorKind, String)>> = OnceLock::new();

/// Returns the folder; it is created, and its size reduced, at the first call.
fn cache_folder() -> io::Result<&'static Path> {
    let made = FOLDER.get_or_init(|| {
        let folder = match DiskCache::default_path() {
            Some(path) => path.with_file_name("remote"),
            None => make_own_folder()?,
        };
        make_private_folder(&folder).map_err(|why| (why.kind(), cannot_keep(&why)))?;
        remove_oldest(&folder, MOST_BYTES);
        Ok(folder)
    });
    made.as_deref().map_err(|(kind, why)| io::Error::new(*kind, why.clone()))
}

fn cannot_keep(why: &io::Error) -> String {
    format!("cannot write to the cache folder: {}", error_reason(why))
}

fn make_own_folder() -> Result<PathBuf, (io::ErrorKind, String)> {
    let made = tempfile::Builder::new().prefix("trajview-").tempdir();
    let made = made.map_err(|why| (why.kind(), cannot_keep(&why)))?;
    let path = made.path().to_owned();
    *OWN_FOLDER.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
    Ok(path)
}

/// Removes the folder of this process, where it has one.
pub(crate) fn remove_own_folder() {
    drop(OWN_FOLDER.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// Makes a folder that only its owner can read.
fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Returns the path of a cached object: `parts` identify it, `what` is the piece of it.
pub(crate) fn object_path(parts: &[&str], what: &str) -> io::Result<PathBuf> {
    let mut known_by = vec![];
    for part in parts {
        known_by.extend((part.len() as u64).to_be_bytes());
        known_by.extend(part.as_bytes());
    }
    let name = sha256(&known_by);
    Ok(cache_folder()?.join(name.get(..2).unwrap_or_default()).join(format!("{name}{what}")))
}

/// Returns a file that gets its name by [`keep_file`].
pub fn new_file(place: &Path) -> io::Result<NamedTempFile> {
    let folder = place.parent().unwrap_or(Path::new("."));
    make_private_folder(folder)?;
    tempfile::Builder::new().prefix("part-").tempfile_in(folder)
}

/// Gives a file its name, all of it or nothing.
pub(crate) fn keep_file(file: NamedTempFile, place: &Path) -> io::Result<()> {
    file.persist(place).map(|_| ()).map_err(|why| why.error)
}

/// Keeps a few bytes; what cannot be kept is fetched again.
pub fn keep_bytes(place: &Path, bytes: &[u8]) {
    let outcome = new_file(place).and_then(|mut file| {
        file.write_all(bytes)?;
        keep_file(file, place)
    });
    let _ = outcome; // what was fetched is there all the same
}

fn remove_oldest(folder: &Path, most: u64) {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = vec![];
    for below in fs::read_dir(folder).into_iter().flatten().flatten() {
        for entry in fs::read_dir(below.path()).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let written = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            match meta.is_dir() {
                // A repository; its files were fetched together.
                true => files.push((written, size_below(&entry.path()), entry.path())),
                false => files.push((written, meta.len(), entry.path())),
            }
        }
    }
    let mut sum: u64 = files.iter().map(|(_, size, _)| size).sum();
    if sum <= most {
        return;
    }
    files.sort();
    for (_, size, path) in files {
        if sum <= most / 2 {
            return;
        }
        let gone = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        if gone.is_ok() {
            sum -= size;
        }
    }
}

fn size_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size_below(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_fetched_first_is_forgotten_first() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("ab");
        make_private_folder(&below).unwrap();
        for (name, age) in [("old", 300), ("middle", 200), ("new", 100)] {
            let file = fs::File::create(below.join(name)).unwrap();
            file.set_len(10).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000 - age))
                .unwrap();
        }

        remove_oldest(folder.path(), 30);
        assert!(below.join("old").exists());

        remove_oldest(folder.path(), 29);
        let left: Vec<bool> = ["old", "middle", "new"].map(|it| below.join(it).exists()).into();
        assert_eq!(left, [false, false, true]);
    }
}
