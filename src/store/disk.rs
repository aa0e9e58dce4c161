//! Names and entries of the disk, without what stands inside of files.

use std::{
    fs,
    path::{Path, PathBuf},
};

pub fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// What stands directly in a folder, in the order of the names; nothing where it is none.
pub fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
