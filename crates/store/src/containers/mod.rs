//! Files that hold other files, or rows: archives, databases of sessions, published data sets.
//!
//! A member is named as if the file were a folder: `runs.zip/a/session.jsonl`, `log.eval/default_epoch_1`,
//! `rows.parquet/django__django-11099`. Nothing is written to the disk; a member is read when it is opened, within the
//! limits of everything that is unpacked.

mod column_settings;
mod commit_sessions;
mod cut_zip;
mod members;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod session_database;
mod sqlite_tables;
mod text_rows;
mod zip_tar;

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use trajview_formats as formats;
use trajview_formats::{FileHead, Format};

pub use column_settings::{has_named_columns, set_columns};
pub use members::{JoinedCommits, Members};
pub use sqlite_tables::remove_copies;

use super::{disk, file_bytes};

/// A place in a file: the file's members, and the name below it; empty for the file itself.
pub struct ContainerPlace {
    pub members: Arc<dyn Members>,
    pub name: String,
}

impl ContainerPlace {
    pub fn read(&self, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let at = self.members.names().position(&self.name).ok_or(io::ErrorKind::NotFound)?;
        self.members.read(at, most)
    }

    /// Works as [`Members::joined_commits`].
    pub(crate) fn joined_commits(&self) -> Option<JoinedCommits> {
        self.members.joined_commits(self.members.names().position(&self.name)?)
    }

    pub fn is_file(&self) -> bool {
        !self.name.is_empty() && self.has_member(&self.name)
    }

    pub fn is_folder(&self) -> bool {
        self.name.is_empty()
            || !self.members.are_runs() && self.members.names().folder_entries(&self.name).is_some()
    }

    fn has_member(&self, wanted: &str) -> bool {
        self.members.names().position(wanted).is_some()
    }

    /// Returns the names directly below, in their order.
    pub(crate) fn entry_names(&self) -> Vec<String> {
        let names = self.members.names();
        if self.members.are_runs() {
            return if self.name.is_empty() { names.all_names().to_vec() } else { vec![] };
        }
        names.folder_entries(&self.name).unwrap_or_default().to_vec()
    }
}

/// Returns the first of a path and its parents that exists on the disk, where that may be a container.
fn container_of(path: &Path) -> Option<&Path> {
    let mut file = path;
    loop {
        match disk::symlink_metadata(file) {
            Ok(meta) if meta.is_file() || meta.is_symlink() && disk::is_file(file) => {
                return Some(file);
            }
            Ok(_) if is_repository(file) => return Some(file),
            Ok(_) => return None,
            Err(_) => file = file.parent().filter(|it| !it.as_os_str().is_empty())?,
        }
    }
}

/// Returns the time of the last change of a path; of a member of a container, that of the container. None where it is
/// not known.
pub fn changed_at(path: &Path) -> Option<SystemTime> {
    let meta = disk::metadata(path).or_else(|why| match container_of(path) {
        Some(file) => disk::metadata(file),
        None => Err(why),
    });
    meta.ok()?.modified
}

/// Returns the place in a container that a path leads to, or the container itself; None where it is a path of the disk.
pub fn place_at(path: &Path) -> Option<ContainerPlace> {
    place_in(container_of(path)?, path)
}

fn place_in(file: &Path, path: &Path) -> Option<ContainerPlace> {
    let below = path.strip_prefix(file).ok()?;
    let members = members_of(file)?;
    let parts = below.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    Some(ContainerPlace { members, name: parts.collect::<Vec<_>>().join("/") })
}

/// Works as [`place_at`], of a path that the disk does not have.
pub(crate) fn place_inside(path: &Path) -> Option<ContainerPlace> {
    if disk::symlink_metadata(path).is_ok() { None } else { place_of_missing(path) }
}

/// Works as [`place_inside`], of a path that was just looked for on the disk in vain.
pub(crate) fn place_of_missing(path: &Path) -> Option<ContainerPlace> {
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty())?;
    place_in(container_of(parent)?, path)
}

/// Returns whether a file contains runs, or files that may be runs.
pub fn is_container(file: &Path) -> bool {
    could_be_container(name_of(file))
        && disk::metadata(file).is_ok_and(|meta| is_container_with(file, &meta))
}

/// Works as [`is_container`], of a file whose metadata are at hand.
pub(crate) fn is_container_with(file: &Path, meta: &disk::PathMeta) -> bool {
    could_be_container(name_of(file)) && meta.is_file() && members_with(file, meta).is_some()
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Returns whether a file is named as no log is: an archive, a database, columns.
pub(crate) fn is_named_as_container(file: &Path) -> bool {
    let name = name_of(file);
    could_be_container(name) && !name.contains(".json")
}

fn could_be_container(name: &str) -> bool {
    const ENDS: [&str; 15] = [
        ".zip",
        ".eval",
        ".tar",
        ".tgz",
        ".tar.gz",
        ".tar.zst",
        ".db",
        ".sqlite",
        ".sqlite3",
        ".vscdb",
        ".parquet",
        ".jsonl",
        ".json",
        ".jsonl.gz",
        ".jsonl.zst",
    ];
    ENDS.iter().any(|end| name.ends_with(end))
}

/// A file that was looked into: a container, or a plain file.
#[derive(Clone)]
struct SeenFile {
    changed: Option<SystemTime>,
    len: u64,
    members: Option<Arc<dyn Members>>,
    /// The format of a log.
    format: Option<&'static dyn Format>,
}

type SeenFiles = HashMap<PathBuf, SeenFile>;

/// The files that were looked into; they are looked into again once they change.
static SEEN_FILES: Mutex<Option<SeenFiles>> = Mutex::new(None);

fn seen_file(file: &Path, meta: &disk::PathMeta) -> Option<SeenFile> {
    let mut all = SEEN_FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let seen = all.get_or_insert_default().get(file)?;
    let is_same = seen.changed == meta.modified && seen.len == meta.len();
    (is_same && seen.changed.is_some()).then(|| seen.clone())
}

fn members_of(file: &Path) -> Option<Arc<dyn Members>> {
    members_with(file, &disk::metadata(file).ok()?)
}

fn members_with(file: &Path, meta: &disk::PathMeta) -> Option<Arc<dyn Members>> {
    if let Some(seen) = seen_file(file, meta) {
        return seen.members;
    }
    let members = open_container(file);
    let (changed, len) = (meta.modified, meta.len());
    remember_file(file, SeenFile { changed, len, members: members.clone(), format: None });
    members
}

/// Remembers that a file that was read is no container, and the format of a log.
pub(crate) fn remember_plain_log(
    file: &Path,
    meta: &disk::PathMeta,
    format: Option<&'static dyn Format>,
) {
    let (changed, len) = (meta.modified, meta.len());
    remember_file(file, SeenFile { changed, len, members: None, format });
}

/// Returns the format of a log that a walk came by and that has not changed since.
pub(crate) fn format_of_seen_log(file: &Path) -> Option<&'static dyn Format> {
    seen_file(file, &disk::metadata(file).ok()?)?.format
}

/// The most files that are remembered as no containers, and the most containers: a long walk must not keep everything
/// that it reads.
const MOST_PLAIN: usize = 20_000;
const MOST_CONTAINERS: usize = 256;

fn remember_file(file: &Path, seen: SeenFile) {
    let mut all = SEEN_FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    if all.len() > MOST_PLAIN {
        all.clear();
    }
    if seen.members.is_some()
        && all.values().filter(|seen| seen.members.is_some()).count() > MOST_CONTAINERS
    {
        all.retain(|_, seen| seen.members.is_none());
    }
    all.insert(file.to_owned(), seen);
}

/// Returns whether a folder is a repository of git, by its entries.
pub(crate) fn is_repository(folder: &Path) -> bool {
    disk::is_file(&folder.join("HEAD"))
        && disk::is_dir(&folder.join("objects"))
        && disk::is_dir(&folder.join("refs"))
}

fn open_container(file: &Path) -> Option<Arc<dyn Members>> {
    if disk::is_dir(file) {
        return commit_sessions::CommitSessions::open(file)
            .map(|it| Arc::new(it) as Arc<dyn Members>);
    }
    let (raw, _) = file_bytes::read_start(file).ok()?;
    if raw.starts_with(b"PK\x03\x04") || raw.starts_with(b"PK\x05\x06") {
        let whole = zip_tar::ZipContainer::open(file).map(|it| Arc::new(it) as Arc<dyn Members>);
        let cut =
            || zip_tar::CutZipContainer::open(file).map(|it| Arc::new(it) as Arc<dyn Members>);
        return whole.or_else(cut);
    }
    if raw.starts_with(b"SQLite format 3\0") {
        return session_database::SessionDatabase::open(file)
            .map(|it| Arc::new(it) as Arc<dyn Members>);
    }
    #[cfg(feature = "parquet")]
    if raw.starts_with(b"PAR1") {
        return parquet_rows::ParquetRows::open(file).map(|it| Arc::new(it) as Arc<dyn Members>);
    }
    let (head, is_whole) = file_bytes::read_head(file).ok()?;
    if head.get(257..262) == Some(b"ustar") {
        return zip_tar::TarContainer::open(file).map(|it| Arc::new(it) as Arc<dyn Members>);
    }
    let head = FileHead { name: name_of(file), bytes: &head, is_whole };
    if column_settings::has_named_columns(head.bytes) {
        return text_rows::LineRows::open(file).map(|it| Arc::new(it) as Arc<dyn Members>);
    }
    let format = formats::format_for_head(&head)?;
    match format.runs_in_file(&head) {
        formats::RunsInFile::One => None,
        formats::RunsInFile::OnePerLine => {
            text_rows::LineRows::open(file).map(|it| Arc::new(it) as Arc<dyn Members>)
        }
        formats::RunsInFile::OnePerElement(key) => {
            text_rows::JsonListRows::open(file, key).map(|it| Arc::new(it) as Arc<dyn Members>)
        }
        formats::RunsInFile::OnePerField(key) => {
            text_rows::JsonFieldRows::open(file, key).map(|it| Arc::new(it) as Arc<dyn Members>)
        }
        formats::RunsInFile::OnePerListedName => {
            text_rows::ListedNameRows::open(file).map(|it| Arc::new(it) as Arc<dyn Members>)
        }
    }
}
