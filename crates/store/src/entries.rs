//! The entries of a folder by name: regular files and folders. A link is neither: nothing outside a recording is
//! followed. In a folder of logs a link to a file counts as the log that it leads to: see [`is_log_file`]. The links of a
//! model hub's cache count as files everywhere: see [`disk::symlink_metadata`].

pub use super::disk::name_of;
use super::{containers, disk, path_meta::PathKind};
use std::path::{Path, PathBuf};
use trajview_formats::{could_be_log, log_stem};

/// The most files below the folder of one recording that are listed.
const MOST_FILES: usize = 4_000;

/// The depth to which the files of a recording are searched below its folder.
const MOST_DEEP: usize = 6;

pub fn is_bundle(folder: &Path) -> bool {
    is_plain_file(&folder.join("run.json"))
}

/// Returns the entries directly in a folder, or in a container file, in the order of the names; rows in their own
/// order.
pub fn entries_of(folder: &Path) -> Vec<PathBuf> {
    if let Some(place) = place_in_container(folder) {
        return place.entry_names().into_iter().map(|name| folder.join(name)).collect();
    }
    disk::list_folder(folder)
}

/// Returns whether a path is a folder. A link to one is not: nothing outside the recording is followed.
pub fn is_folder(path: &Path) -> bool {
    match disk::symlink_kind(path) {
        Ok(kind) => kind == PathKind::Folder,
        Err(_) => containers::place_of_missing(path).is_some_and(|place| place.is_folder()),
    }
}

/// Returns the place in a container that a path leads to where the disk does not have the path, or the container
/// itself.
fn place_in_container(path: &Path) -> Option<containers::ContainerPlace> {
    if disk::is_dir(path) { None } else { containers::place_at(path) }
}

pub(crate) fn is_plain_file(path: &Path) -> bool {
    match disk::symlink_kind(path) {
        Ok(kind) => kind == PathKind::File,
        Err(_) => containers::place_of_missing(path).is_some_and(|place| place.is_file()),
    }
}

/// Returns whether a log may be read from here: a regular file, or in a folder of logs a link to one. Inside of a bundle
/// no link is followed, and a link to a folder never: it may lead back.
pub(crate) fn is_log_file(path: &Path) -> bool {
    is_plain_file(path) || is_link_to_log(path)
}

fn is_link_to_log(path: &Path) -> bool {
    let is_link = disk::symlink_kind(path).is_ok_and(|kind| kind == PathKind::Link);
    is_link && disk::is_file(path) && !path.ancestors().skip(1).any(is_bundle)
}

/// Returns the folder named after a log, where newer tools put its companions.
pub(crate) fn companion_folder_of(main: &Path) -> PathBuf {
    main.with_file_name(log_stem(main))
}

/// Adds the files below a folder, up to [`MOST_FILES`] in all and [`MOST_DEEP`] folders deep; `depth` is that of the
/// folder itself.
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

/// Returns the files among which a log's companions are.
pub fn neighbours_of(main: &Path) -> Vec<PathBuf> {
    let Some(folder) = main.parent() else { return vec![] };
    let mut near = entries_of(folder);
    near.retain(|path| path != main);
    let mut companions = vec![];
    collect_files(&companion_folder_of(main), 0, &mut companions);
    near.append(&mut companions);
    near.retain(|path| could_be_log(path) && is_log_file(path));
    near
}
