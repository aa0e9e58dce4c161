//! The names in folders of the disk, remembered until something is added to a folder or removed from it.
//!
//! Most of the files that are looked for around a log are not there. A list of the folder answers for all of them; without it
//! the system is asked about each, for each of thousands of logs.

use std::{
    collections::HashMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use super::{
    containers,
    disk::{self, PathMeta},
    entries::{entries_of, is_plain_file},
    file_bytes::FileIdentity,
    remote::is_address,
};

/// The most names of a folder that is listed when it is first looked into; where there are more, nothing is listed until it
/// is looked into again, and then no more than [`MOST_NAMES`].
const FEW_NAMES: usize = 500;
const MOST_NAMES: usize = 200_000;

/// The most folders that are remembered, apart from those that were used since there were as many.
const MOST_FOLDERS: usize = 256;

/// A folder in which several files are looked for one after the other.
pub(crate) struct SearchedFolder {
    path: PathBuf,
    /// None for a container, an address and what is no folder, in which a file may be that the disk does not have.
    names: Option<Arc<FolderNames>>,
}

/// The names in a folder.
#[derive(Debug)]
struct FolderNames {
    version: FolderVersion,
    /// The most names that are listed.
    most: usize,
    /// Sorted; None where there are more, and where the folder cannot be listed.
    names: Option<Vec<OsString>>,
}

/// What differs once something is added to a folder or removed from it, or another folder is put in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FolderVersion {
    identity: Option<FileIdentity>,
    modified: Option<SystemTime>,
    status_changed: Option<(i64, i64)>,
}

/// The folders that were looked into: those of late, and those before, from which they return when they are used.
#[derive(Default)]
struct KnownFolders {
    late: HashMap<PathBuf, Arc<FolderNames>>,
    before: HashMap<PathBuf, Arc<FolderNames>>,
}

static KNOWN_FOLDERS: Mutex<Option<KnownFolders>> = Mutex::new(None);

impl SearchedFolder {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), names: FolderNames::of_folder(path) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether something with this name may be in the folder; of a path in it, what the path begins with. A path that
    /// leads out of the folder may lead anywhere.
    pub(crate) fn may_have(&self, path: &str) -> bool {
        self.names.as_ref().is_none_or(|names| names.may_have(path))
    }

    /// Works as [`is_plain_file`] for a file in the folder.
    pub(crate) fn has_file(&self, name: &str) -> bool {
        let path = || self.path.join(name);
        match &self.names {
            Some(names) => {
                let is_file = |path| disk::symlink_metadata(path).is_ok_and(|it| it.is_file());
                names.may_have(name) && is_file(&path())
            }
            None => is_plain_file(&path()),
        }
    }

    /// Works as [`entries_of`].
    pub(crate) fn entries(&self) -> Vec<PathBuf> {
        let listed = self.names.as_ref().and_then(|it| it.names.as_ref());
        match listed {
            Some(names) => names.iter().map(|name| self.path.join(name)).collect(),
            None => entries_of(&self.path),
        }
    }
}

impl FolderNames {
    fn of_folder(folder: &Path) -> Option<Arc<Self>> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        if is_address(folder) {
            return None;
        }
        let meta = disk::metadata(folder).ok().filter(|meta| meta.is_dir())?;
        let names = match known_folder(folder).filter(|it| it.version == FolderVersion::of(&meta)) {
            Some(known) if known.names.is_some() || known.most == MOST_NAMES => known,
            Some(_) => Self::list(folder, &meta, MOST_NAMES),
            None => Self::list(folder, &meta, FEW_NAMES),
        };
        let is_repository = names.may_have("HEAD") && containers::is_repository(folder);
        (!is_repository).then_some(names)
    }

    fn list(folder: &Path, meta: &PathMeta, most: usize) -> Arc<Self> {
        let is_settled = meta.is_settled();
        // One that changes all the time would be listed all the time.
        let most = if is_settled { most } else { FEW_NAMES };
        let listed = disk::list_names(folder, most);
        let is_listed = listed.is_ok();
        let version = FolderVersion::of(meta);
        let names = Arc::new(Self { version, most, names: listed.unwrap_or_default() });
        if is_settled && is_listed {
            remember_folder(folder, &names);
        }
        names
    }

    fn may_have(&self, path: &str) -> bool {
        let first = path.split('/').next().unwrap_or(path);
        let is_listed = |names: &Vec<OsString>| {
            names.binary_search_by(|it| it.as_os_str().cmp(first.as_ref())).is_ok()
        };
        matches!(first, "." | "..") || self.names.as_ref().is_none_or(is_listed)
    }
}

impl FolderVersion {
    const fn of(meta: &PathMeta) -> Self {
        let PathMeta { identity, modified, status_changed, .. } = *meta;
        Self { identity, modified, status_changed }
    }
}

fn known_folder(folder: &Path) -> Option<Arc<FolderNames>> {
    let mut all = KNOWN_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    let KnownFolders { late, before } = all.as_mut()?;
    if let Some(known) = late.get(folder) {
        return Some(Arc::clone(known));
    }
    let (path, known) = before.remove_entry(folder)?;
    late.insert(path, Arc::clone(&known));
    Some(known)
}

fn remember_folder(folder: &Path, names: &Arc<FolderNames>) {
    let mut all = KNOWN_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    if all.late.len() >= MOST_FOLDERS {
        all.before = std::mem::take(&mut all.late);
    }
    all.late.insert(folder.to_owned(), Arc::clone(names));
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use super::*;

    fn set_changed(folder: &Path, seconds: u64) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        fs::File::open(folder).unwrap().set_modified(time).unwrap();
    }

    fn names_in(folder: &Path) -> Option<Vec<OsString>> {
        listed(folder).names.clone()
    }

    fn listed(folder: &Path) -> Arc<FolderNames> {
        FolderNames::of_folder(folder).unwrap()
    }

    #[test]
    fn a_folder_is_listed_again_only_once_it_changes() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        fs::write(folder.join("a.json"), "").unwrap();
        assert_eq!(names_in(folder).unwrap(), ["a.json"]);
        fs::write(folder.join("b.json"), "").unwrap();
        assert_eq!(names_in(folder).unwrap(), ["a.json", "b.json"], "it changed just now");

        set_changed(folder, 1);
        assert!(Arc::ptr_eq(&listed(folder), &listed(folder)), "it is the same");
        fs::write(folder.join("c.json"), "").unwrap();
        set_changed(folder, 2);
        let found = SearchedFolder::new(folder);
        assert!(found.may_have("c.json/x") && found.has_file("c.json") && !found.may_have("d"));
    }

    #[cfg(unix)]
    #[test]
    fn another_folder_of_the_same_time_is_listed_in_its_place() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("job");
        let make_with = |name: &str| {
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(name), "").unwrap();
            set_changed(&folder, 1);
        };
        make_with("a.json");
        assert_eq!(names_in(&folder).unwrap(), ["a.json"]);

        fs::rename(&folder, place.path().join("old job")).unwrap();
        make_with("b.json");

        assert_eq!(names_in(&folder).unwrap(), ["b.json"]);
    }

    #[test]
    fn what_cannot_be_listed_may_have_any_name_and_is_tried_again() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("no folder");
        fs::write(&file, "").unwrap();
        fs::File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_modified(SystemTime::UNIX_EPOCH)
            .unwrap();

        let names = FolderNames::list(&file, &disk::metadata(&file).unwrap(), FEW_NAMES);

        assert!(names.names.is_none() && names.may_have("result.json"));
        assert!(known_folder(&file).is_none());
    }

    #[test]
    fn a_large_folder_is_listed_when_it_is_looked_into_again() {
        let place = tempfile::tempdir().unwrap();
        for number in 0..=FEW_NAMES {
            fs::write(place.path().join(number.to_string()), "").unwrap();
        }
        set_changed(place.path(), 1);

        let [first, second] = [(); 2].map(|()| SearchedFolder::new(place.path()));

        assert!(first.may_have("not there") && !second.may_have("not there"));
        let paths = second.entries();
        assert_eq!((paths.len(), paths), (FEW_NAMES + 1, first.entries()));
    }

    #[test]
    fn what_is_no_plain_folder_of_the_disk_has_no_list() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("file"), "").unwrap();
        for below in ["repository/objects", "repository/refs"] {
            fs::create_dir_all(place.path().join(below)).unwrap();
        }
        fs::write(place.path().join("repository/HEAD"), "").unwrap();

        for name in ["file", "repository", "nothing"] {
            assert!(FolderNames::of_folder(&place.path().join(name)).is_none(), "{name}");
        }
    }
}
