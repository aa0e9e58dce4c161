//! Links on the disk among recordings: the files of a model hub's cache, and the links that lead out of a folder.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::disk;

/// The links of this process's walks that led out of the folder that was named, with their targets.
static OUTSIDE_LINKS: Mutex<BTreeMap<PathBuf, PathBuf>> = Mutex::new(BTreeMap::new());

/// The number of links that a note names.
const NAMED_LINKS: usize = 3;

/// Returns the target file of a link in the cache of a model hub. There `snapshots/<revision>/...` has the names of a
/// repository, each a link to its content in `blobs` beside `snapshots`.
pub(crate) fn cached_hub_file(link: &Path) -> Option<PathBuf> {
    // Other links cost one call to the system.
    let target = fs::read_link(link).ok()?;
    target.parent().filter(|folder| disk::name_of(folder) == "blobs")?;
    let file = fs::canonicalize(link).ok()?;
    let blobs = file.parent().filter(|folder| disk::name_of(folder) == "blobs")?;
    let snapshots = blobs.with_file_name("snapshots");
    let is_beside = fs::canonicalize(link.parent()?).ok()?.starts_with(snapshots);
    (is_beside && file.is_file()).then_some(file)
}

/// Remembers a link whose target is not below `root`, for [`outside_link_notes`].
pub(crate) fn note_if_outside(link: &Path, root: &Path) {
    let (Ok(target), Ok(root)) = (disk::canonical_path(link), disk::canonical_path(root)) else {
        return;
    };
    if !target.starts_with(root) {
        let mut links = OUTSIDE_LINKS.lock().unwrap_or_else(PoisonError::into_inner);
        links.insert(link.to_owned(), target);
    }
}

/// Returns sentences about the links that led out of a folder since the last call: links to files were read, links to
/// folders were not.
pub fn outside_link_notes() -> Vec<String> {
    let links = std::mem::take(&mut *OUTSIDE_LINKS.lock().unwrap_or_else(PoisonError::into_inner));
    let (folders, files): (Vec<_>, Vec<_>) =
        links.into_iter().partition(|(_, target)| target.is_dir());
    let note = |links: &[(PathBuf, PathBuf)], one: &str, several: &str| {
        let named = links.iter().take(NAMED_LINKS);
        let named = named.map(|(link, to)| format!("{} → {}", link.display(), to.display()));
        let mut list = named.collect::<Vec<_>>().join(", ");
        if let more @ 1.. = links.len().saturating_sub(NAMED_LINKS) {
            list += &format!(" and {more} more");
        }
        let what =
            if links.len() == 1 { one.to_owned() } else { format!("{} {several}", links.len()) };
        format!("{what}: {list}")
    };
    let read = (!files.is_empty()).then(|| {
        let several = "links to files outside of the folder were read";
        note(&files, "a link to a file outside of the folder was read", several)
    });
    let skipped = (!folders.is_empty()).then(|| {
        let one = "a link to a folder outside is not followed; name that folder itself to read it";
        note(
            &folders,
            one,
            "links to folders outside are not followed; name those folders to read them",
        )
    });
    read.into_iter().chain(skipped).collect()
}
