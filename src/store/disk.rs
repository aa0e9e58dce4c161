//! Names and entries of the disk, without what stands inside of files.

use std::{
    fs,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

pub fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// When a file was written last, in nanoseconds since 1970; None where the system does not tell.
pub fn written(meta: &fs::Metadata) -> Option<u128> {
    Some(meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos())
}

/// What stands directly in a folder, in the order of the names; nothing where it is none.
pub fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
