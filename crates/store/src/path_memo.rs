//! What the disk says about paths, remembered by a thread for as long as it finds one recording.
//!
//! Many readers look for the files of a recording one after the other, each by the same few paths: without a memo the system
//! is asked three times about most of them. A list of a folder also answers for what is not in it, and for the kinds of its
//! entries. Contents are never remembered.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    ffi::{OsStr, OsString},
    fs, io,
    path::Path,
    rc::Rc,
};

use super::path_meta::{PathKind, PathMeta};

/// The most paths, and the most entries of folders, that are remembered; of more the system is asked each time.
const MOST_PATHS: usize = 1_000;
const MOST_ENTRIES: usize = 20_000;

/// The code of the error of a path that is not there, on Unix and on Windows.
const NOT_FOUND: i32 = 2;

/// The entries of a folder.
#[derive(Debug)]
pub(crate) struct FolderList {
    /// Sorted by name. The kind is None where the list does not tell it.
    pub(crate) entries: Vec<(OsString, Option<PathKind>)>,
    /// False where an entry could not be read.
    is_whole: bool,
}

/// The metadata of a path, or the code of the error.
type MetaAnswer = Result<PathMeta, i32>;

/// The answers of the system so far, by path.
#[derive(Default)]
struct PathMemo {
    metas: HashMap<OsString, MetaAnswer>,
    /// The metadata where a link was followed.
    followed: HashMap<OsString, MetaAnswer>,
    lists: HashMap<OsString, Rc<FolderList>>,
    listed_entries: usize,
}

thread_local! {
    /// The number of calls of [`with_path_memo`] that this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static MEMO: RefCell<PathMemo> = RefCell::default();
}

/// Does `work`, during which this thread asks the system about each path once. It must not wait for a file to change.
pub(crate) fn with_path_memo<T>(work: impl FnOnce() -> T) -> T {
    struct EndOfMemo;

    impl Drop for EndOfMemo {
        fn drop(&mut self) {
            DEPTH.set(DEPTH.get() - 1);
            if DEPTH.get() == 0 {
                MEMO.with_borrow_mut(PathMemo::clear);
            }
        }
    }

    DEPTH.set(DEPTH.get() + 1);
    let _end = EndOfMemo; // also where `work` panics
    work()
}

/// Returns the metadata of a path of the disk, from the memo or else as `ask` returns them. `follows` is whether a link is
/// followed.
pub(crate) fn path_meta(
    path: &Path,
    follows: bool,
    ask: impl FnOnce() -> io::Result<PathMeta>,
) -> io::Result<PathMeta> {
    if DEPTH.get() == 0 {
        return ask();
    }
    if let Some(known) = MEMO.with_borrow(|memo| memo.find_meta(path, follows)) {
        return known.map_err(io::Error::from_raw_os_error);
    }
    let answer = ask();
    let lasting = match &answer {
        Ok(meta) => Some(Ok(meta.clone())),
        Err(why) => why.raw_os_error().map(Err),
    };
    if let Some(lasting) = lasting {
        MEMO.with_borrow_mut(|memo| memo.add_meta(path, follows, lasting));
    }
    answer
}

/// Returns the kind of an entry of a folder that is in the memo; None for a link, and where the list does not tell it.
pub(crate) fn listed_kind(path: &Path) -> Option<PathKind> {
    if DEPTH.get() == 0 {
        return None;
    }
    let kind = MEMO.with_borrow(|memo| memo.find_entry(path)??.1);
    kind.filter(|kind| *kind != PathKind::Link)
}

/// Returns the entries of a folder of the disk.
pub(crate) fn folder_list(folder: &Path) -> io::Result<Rc<FolderList>> {
    if let Some(list) = known_list(folder) {
        return Ok(list);
    }
    let list = Rc::new(FolderList::read(folder)?);
    if DEPTH.get() > 0 {
        MEMO.with_borrow_mut(|memo| memo.add_list(folder, &list));
    }
    Ok(list)
}

/// Returns the names in a folder that is in the memo, sorted; None where one of them could not be read.
pub(crate) fn listed_names(folder: &Path) -> Option<Vec<OsString>> {
    let list = known_list(folder).filter(|list| list.is_whole)?;
    Some(list.entries.iter().map(|(name, _)| name.clone()).collect())
}

/// Returns the entries of a folder that is in the memo.
fn known_list(folder: &Path) -> Option<Rc<FolderList>> {
    let find = |memo: &PathMemo| memo.lists.get(folder.as_os_str()).cloned();
    if DEPTH.get() > 0 { MEMO.with_borrow(find) } else { None }
}

impl FolderList {
    fn read(folder: &Path) -> io::Result<Self> {
        let mut list = Self { entries: vec![], is_whole: true };
        for entry in fs::read_dir(folder)? {
            match entry {
                Ok(entry) => {
                    let kind = entry.file_type().ok().map(PathKind::from_disk);
                    list.entries.push((entry.file_name(), kind));
                }
                Err(_) => list.is_whole = false,
            }
        }
        list.entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(list)
    }

    fn find(&self, name: &OsStr) -> Option<&(OsString, Option<PathKind>)> {
        let at = self.entries.binary_search_by(|it| it.0.as_os_str().cmp(name)).ok()?;
        self.entries.get(at)
    }
}

impl PathMemo {
    fn clear(&mut self) {
        self.metas.clear();
        self.followed.clear();
        self.lists.clear();
        self.listed_entries = 0;
    }

    fn find_meta(&self, path: &Path, follows: bool) -> Option<MetaAnswer> {
        let own = self.metas.get(path.as_os_str());
        let is_link = |answer: &MetaAnswer| answer.as_ref().is_ok_and(PathMeta::is_symlink);
        let known = match own.filter(|own| !follows || !is_link(own)) {
            None if follows => self.followed.get(path.as_os_str()),
            known => known,
        };
        let missing = || matches!(self.find_entry(path), Some(None)).then_some(Err(NOT_FOUND));
        known.cloned().or_else(missing)
    }

    fn add_meta(&mut self, path: &Path, follows: bool, answer: MetaAnswer) {
        let metas = if follows { &mut self.followed } else { &mut self.metas };
        if metas.len() < MOST_PATHS {
            metas.insert(path.into(), answer);
        }
    }

    /// Returns the entry of a path in the list of its folder. None where the folder was not listed, and `Some(None)` where
    /// its list does not have the path.
    fn find_entry(&self, path: &Path) -> Option<Option<&(OsString, Option<PathKind>)>> {
        let name = path.file_name()?;
        let list = self.lists.get(path.parent()?.as_os_str())?;
        let entry = list.find(name);
        (entry.is_some() || list.is_whole).then_some(entry)
    }

    fn add_list(&mut self, folder: &Path, list: &Rc<FolderList>) {
        let entries = self.listed_entries + list.entries.len();
        if entries <= MOST_ENTRIES {
            self.listed_entries = entries;
            self.lists.insert(folder.into(), Rc::clone(list));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk;

    #[test]
    fn a_path_is_what_it_was_at_the_first_look_until_the_memo_ends() {
        let place = tempfile::tempdir().unwrap();
        let [file, late] = ["a", "b"].map(|name| place.path().join(name));
        fs::write(&file, "one").unwrap();
        let size = || disk::metadata(&file).unwrap().len();

        with_path_memo(|| {
            assert_eq!((size(), disk::list_folder(place.path())), (3, vec![file.clone()]));
            fs::write(&file, "longer").unwrap();
            fs::write(&late, "").unwrap();
            with_path_memo(|| assert_eq!((size(), disk::exists(&late)), (3, false)));
            assert_eq!((size(), disk::is_file(&late), disk::is_file(&file)), (3, false, true));
            let missing = disk::symlink_metadata(&late).unwrap_err();
            assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        });

        assert_eq!((size(), disk::exists(&late)), (6, true));
        let list = with_path_memo(|| disk::list_folder(place.path()));
        assert_eq!(list, [file, late]);
    }

    #[cfg(unix)]
    #[test]
    fn with_and_without_a_memo_every_path_has_the_same_metadata() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        fs::create_dir_all(path("folder/inner")).unwrap();
        fs::write(path("file"), "text").unwrap();
        for (target, link) in
            [("file", "to file"), ("folder", "to folder"), ("nothing", "to nothing")]
        {
            std::os::unix::fs::symlink(path(target), path(link)).unwrap();
        }
        let names = ["file", "folder", "folder/inner", "to file", "to folder", "to nothing", "no"];
        let kinds = || {
            let kind =
                |meta: io::Result<PathMeta>| meta.map(|it| it.kind()).map_err(|it| it.kind());
            let of = |name: &str| {
                let path = path(name);
                (
                    [disk::exists(&path), disk::is_dir(&path), disk::is_file(&path)],
                    [crate::is_folder(&path), crate::entries::is_plain_file(&path)],
                    [kind(disk::metadata(&path)), kind(disk::symlink_metadata(&path))],
                )
            };
            names.map(of)
        };
        let plain = kinds();

        assert_eq!(with_path_memo(kinds), plain);
        let listed = with_path_memo(|| {
            disk::list_folder(place.path());
            [kinds(), kinds()]
        });
        assert_eq!(listed, [plain, plain]);
    }

    #[test]
    fn no_more_is_remembered_than_there_is_room_for() {
        let place = tempfile::tempdir().unwrap();
        with_path_memo(|| {
            for number in 0..2 * MOST_PATHS {
                assert!(!disk::exists(&place.path().join(number.to_string())));
            }
            let size = MEMO.with_borrow(|memo| memo.metas.len() + memo.followed.len());
            assert_eq!(size, MOST_PATHS);
        });
        MEMO.with_borrow(|memo| assert!(memo.followed.is_empty()));
    }
}
