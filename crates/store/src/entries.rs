//! What a folder holds: its entries by name, regular files and folders. A link is neither: nothing outside a recording
//! is followed. In a folder of logs a link to a file is the log that it leads to: see [`is_log_file`].

pub use super::disk::name_of;
use super::{disk, inside};
use std::path::{Path, PathBuf};

/// More files than this below the folder of one recording are not looked at.
const MOST_FILES: usize = 4_000;

/// How deep the files of a recording are looked for below its folder.
const MOST_DEEP: usize = 6;

pub fn is_bundle(folder: &Path) -> bool {
    is_plain_file(&folder.join("run.json"))
}

/// What stands directly in a folder, or in a file that holds others, in the order of the names; rows in their own.
pub fn entries_of(folder: &Path) -> Vec<PathBuf> {
    if let Some(place) = inside_of(folder) {
        return place.entries().into_iter().map(|name| folder.join(name)).collect();
    }
    disk::listed(folder)
}

/// A link to a folder is not one: nothing outside the recording is followed.
pub fn is_folder(path: &Path) -> bool {
    match disk::symlink_metadata(path) {
        Ok(meta) => meta.is_dir(),
        Err(_) => inside::below(path).is_some_and(|place| place.is_folder()),
    }
}

/// Where a path that the disk does not have leads into a file, or a file holds others.
fn inside_of(path: &Path) -> Option<inside::Place> {
    if disk::is_dir(path) { None } else { inside::at(path) }
}

pub fn is_plain_file(path: &Path) -> bool {
    match disk::symlink_metadata(path) {
        Ok(meta) => meta.is_file(),
        Err(_) => inside::below(path).is_some_and(|place| place.is_file()),
    }
}

/// Whether a log may be read from here: a regular file, or in a folder of logs a link to one. The caches of model hubs consist of
/// such links. Inside of a bundle no link is followed, and a link to a folder never: it may lead back.
pub fn is_log_file(path: &Path) -> bool {
    is_plain_file(path) || leads_to_log(path)
}

fn leads_to_log(path: &Path) -> bool {
    let is_link = disk::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
    is_link && disk::is_file(path) && !path.ancestors().skip(1).any(is_bundle)
}

pub fn could_be_log(path: &Path) -> bool {
    [
        ".jsonl",
        ".jsonl.zst",
        ".jsonl.zstd",
        ".json",
        ".stdout",
        ".traj",
        ".chat.history.md",
        ".jsonl.gz",
        ".json.gz",
    ]
    .iter()
    .any(|ending| name_of(path).ends_with(ending))
        || name_of(path).ends_with(".md") && is_history(path)
        || [".yaml", ".yml"].iter().any(|ending| name_of(path).ends_with(ending))
}

/// Whether a document lies where SpecStory puts its own: most documents are not logs.
fn is_history(path: &Path) -> bool {
    let mut folders = path.ancestors().skip(1).map(name_of);
    (folders.next(), folders.next()) == (Some("history"), Some(".specstory"))
}

/// The name without the endings of a log.
pub fn stem_of(path: &Path) -> String {
    let name = name_of(path).trim_end_matches(".zstd").trim_end_matches(".zst");
    name.trim_end_matches(".jsonl").to_owned()
}

/// The folder named after a log, where newer tools put its companions.
pub fn own_folder_of(main: &Path) -> PathBuf {
    main.with_file_name(stem_of(main))
}

pub fn collect_files(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    if is_folder(folder) && depth <= MOST_DEEP {
        for path in entries_of(folder) {
            if is_folder(&path) {
                collect_files(&path, depth + 1, files);
            } else if files.len() < MOST_FILES {
                files.push(path);
            }
        }
    }
}

/// The files among which a log's companions are.
pub fn neighbours_of(main: &Path) -> Vec<PathBuf> {
    let Some(folder) = main.parent() else { return vec![] };
    let mut near = entries_of(folder);
    near.retain(|path| path != main);
    let mut own = vec![];
    collect_files(&own_folder_of(main), 0, &mut own);
    near.append(&mut own);
    near.retain(|path| could_be_log(path) && is_log_file(path));
    near
}
