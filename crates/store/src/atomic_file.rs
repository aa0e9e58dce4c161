//! Small files of a bundle that are replaced whole in one step, under a lock of their folder.
//!
//! A writer locks the folder, reads the file, makes the new content and renames it over the old one.
//! Whenever the program ends there is a readable file, and two programs that write at once lose nothing. No link is
//! followed.

use std::{
    fs,
    fs::TryLockError,
    io,
    io::Write,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use trajview_formats::rubric::MAX_BYTES;

use super::{
    entries::is_folder,
    remote,
    write::{WriteError, sync_folder, write_error},
};

/// The number of attempts to get the lock, and the time between them: two seconds in all.
const TRIES: usize = 100;
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// Returns the content of the file; None where there is no file yet.
pub fn read_file(path: &Path) -> Result<Option<Vec<u8>>, WriteError> {
    match fs::symlink_metadata(path) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(write_error(path, &why)),
        Ok(meta) if meta.is_symlink() => {
            return Err(WriteError::new(path, "is a link; not followed"));
        }
        Ok(meta) if !meta.is_file() => return Err(WriteError::new(path, "is not a file")),
        Ok(meta) if meta.len() > MAX_BYTES => {
            let what = format!("is larger than {} MB", MAX_BYTES >> 20);
            return Err(WriteError::new(path, what));
        }
        Ok(_) => {}
    }
    fs::read(path).map(Some).map_err(|why| write_error(path, &why))
}

/// Replaces the content of a file in one step.
pub fn replace_file(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".part-{}-{number}", std::process::id()));
    let part = path.with_file_name(name);
    let written = fs::OpenOptions::new().write(true).create_new(true).open(&part);
    let written = written.and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&part, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&part); // the failure to write is reported
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    replaced.and_then(|()| sync_folder(folder)).map_err(|why| write_error(path, &why))
}

/// Fails where the path exists and is not a folder.
pub(crate) fn require_folder(folder: &Path) -> Result<(), WriteError> {
    remote::refuse_writing(folder).map_err(|why| write_error(folder, &why))?;
    match fs::symlink_metadata(folder) {
        Ok(meta) if meta.is_dir() => Ok(()),
        Ok(meta) if meta.is_symlink() => Err(WriteError::new(folder, "is a link; not followed")),
        Ok(_) => Err(WriteError::new(folder, "is not a folder")),
        Err(_) => Ok(()),
    }
}

/// Locks the folder against other programs that write there, until the returned file is dropped; the folder is made
/// where it is missing.
pub(crate) fn lock_folder(folder: &Path) -> Result<Option<fs::File>, WriteError> {
    require_folder(folder)?;
    if !is_folder(folder) {
        match fs::create_dir_all(folder) {
            Err(why) if why.kind() != io::ErrorKind::AlreadyExists => {
                return Err(write_error(folder, &why));
            }
            _ => {}
        }
    }
    let Ok(handle) = fs::File::open(folder) else { return Ok(None) };
    for _ in 0..TRIES {
        match handle.try_lock() {
            Ok(()) => return Ok(Some(handle)),
            Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN_TRIES),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    Err(WriteError::new(folder, "another program is writing labels; try again"))
}
