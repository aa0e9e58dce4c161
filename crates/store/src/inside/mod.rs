//! Files that hold other files, or rows: archives, databases of sessions, published data sets.
//!
//! What stands inside is named as if the file were a folder: `runs.zip/a/session.jsonl`, `log.eval/default_epoch_1`,
//! `rows.parquet/django__django-11099`. Nothing is written to the disk; a member is read when it is opened, within the bounds
//! of everything that is unpacked.

mod archive;
mod columns;
mod cursor_ide;
mod cut_zip;
mod database;
mod members;
mod opencode;
#[cfg(feature = "parquet")]
mod parquet;
mod provenance;
mod rows;
mod tables;

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use trajview_formats as formats;
use trajview_formats::Head;

pub use columns::{are_named_in as has_named_columns, set_columns};
pub use members::{Joined, Members};
pub use tables::forget_copies;

use super::{bytes, disk};

/// A place in a file: the file's members, and the name below it; empty for the file itself.
pub struct Place {
    pub members: Arc<dyn Members>,
    pub name: String,
}

impl Place {
    pub fn read(&self, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let at = self.members.names().position(&self.name).ok_or(io::ErrorKind::NotFound)?;
        self.members.read(at, most)
    }

    /// As [`Members::joined`].
    pub fn joined(&self) -> Option<Joined> {
        self.members.joined(self.members.names().position(&self.name)?)
    }

    pub fn is_file(&self) -> bool {
        !self.name.is_empty() && self.has(&self.name)
    }

    pub fn is_folder(&self) -> bool {
        self.name.is_empty()
            || !self.members.are_runs() && self.members.names().entries(&self.name).is_some()
    }

    fn has(&self, wanted: &str) -> bool {
        self.members.names().position(wanted).is_some()
    }

    /// The names that stand directly below, in their order.
    pub fn entries(&self) -> Vec<String> {
        let names = self.members.names();
        if self.members.are_runs() {
            return if self.name.is_empty() { names.all().to_vec() } else { vec![] };
        }
        names.entries(&self.name).unwrap_or_default().to_vec()
    }
}

/// The first of a path and what is above it that stands on the disk, where that is one that may hold others.
fn holder_of(path: &Path) -> Option<&Path> {
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

/// When what stands at a path changed last: of what is in a file, when the file did. None where that is not known.
pub fn changed(path: &Path) -> Option<SystemTime> {
    let meta = disk::metadata(path).or_else(|why| match holder_of(path) {
        Some(file) => disk::metadata(file),
        None => Err(why),
    });
    meta.ok()?.modified
}

/// Where a path leads into a file, or names one that holds others; None where it is a path of the disk.
pub fn at(path: &Path) -> Option<Place> {
    let file = holder_of(path)?;
    let below = path.strip_prefix(file).ok()?;
    let members = members_of(file)?;
    let parts = below.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    Some(Place { members, name: parts.collect::<Vec<_>>().join("/") })
}

/// As [`at`], of a path that the disk does not have.
pub fn below(path: &Path) -> Option<Place> {
    if disk::symlink_metadata(path).is_ok() { None } else { at(path) }
}

/// Whether a file holds runs, or files that may be runs.
pub fn holds(file: &Path) -> bool {
    could_hold(name_of(file)) && disk::is_file(file) && members_of(file).is_some()
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Whether a file is named as no log is: an archive, a database, columns.
pub fn is_named_as_holder(file: &Path) -> bool {
    let name = name_of(file);
    could_hold(name) && !name.contains(".json")
}

fn could_hold(name: &str) -> bool {
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

type Known = HashMap<PathBuf, (Option<SystemTime>, u64, Option<Arc<dyn Members>>)>;

/// What was found in files; they are looked through again once they change.
static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn members_of(file: &Path) -> Option<Arc<dyn Members>> {
    let meta = disk::metadata(file).ok()?;
    let (changed, len) = (meta.modified, meta.len());
    let known = |all: &mut Option<Known>| {
        let (at, size, found) = all.get_or_insert_default().get(file)?;
        (*at == changed && *size == len && changed.is_some()).then(|| found.clone())
    };
    if let Some(found) = known(&mut KNOWN.lock().unwrap_or_else(PoisonError::into_inner)) {
        return found;
    }
    let found = open(file);
    keep(file, (changed, len, found.clone()));
    found
}

/// Remembers of a log that was looked into that it holds nothing but itself.
pub fn remember_plain_log(file: &Path, meta: &disk::Meta) {
    keep(file, (meta.modified, meta.len(), None));
}

/// What holds nothing is remembered of so many files, what holds something of so many: a long walk is not to keep all that it
/// saw.
const MOST_PLAIN: usize = 20_000;
const MOST_HOLDERS: usize = 256;

fn keep(file: &Path, seen: (Option<SystemTime>, u64, Option<Arc<dyn Members>>)) {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    if all.len() > MOST_PLAIN {
        all.clear();
    }
    if seen.2.is_some()
        && all.values().filter(|(_, _, found)| found.is_some()).count() > MOST_HOLDERS
    {
        all.retain(|_, (_, _, found)| found.is_none());
    }
    all.insert(file.to_owned(), seen);
}

/// Whether a folder is a repository of git, by what stands in it.
pub fn is_repository(folder: &Path) -> bool {
    disk::is_file(&folder.join("HEAD"))
        && disk::is_dir(&folder.join("objects"))
        && disk::is_dir(&folder.join("refs"))
}

fn open(file: &Path) -> Option<Arc<dyn Members>> {
    if disk::is_dir(file) {
        return provenance::Sessions::open(file).map(|it| Arc::new(it) as Arc<dyn Members>);
    }
    let (raw, _) = bytes::read_start(file).ok()?;
    if raw.starts_with(b"PK\x03\x04") || raw.starts_with(b"PK\x05\x06") {
        let whole = archive::Zip::open(file).map(|it| Arc::new(it) as Arc<dyn Members>);
        let cut = || archive::Cut::open(file).map(|it| Arc::new(it) as Arc<dyn Members>);
        return whole.or_else(cut);
    }
    if raw.starts_with(b"SQLite format 3\0") {
        return database::Sessions::open(file).map(|it| Arc::new(it) as Arc<dyn Members>);
    }
    #[cfg(feature = "parquet")]
    if raw.starts_with(b"PAR1") {
        return parquet::Rows::open(file).map(|it| Arc::new(it) as Arc<dyn Members>);
    }
    let (head, is_whole) = bytes::read_head(file).ok()?;
    if head.get(257..262) == Some(b"ustar") {
        return archive::Tar::open(file).map(|it| Arc::new(it) as Arc<dyn Members>);
    }
    let head = Head { name: name_of(file), bytes: &head, is_whole };
    if columns::are_named_in(head.bytes) {
        return rows::Lines::open(file).map(|it| Arc::new(it) as Arc<dyn Members>);
    }
    let format = formats::claim(&head)?;
    match format.rows(&head) {
        formats::Rows::None => None,
        formats::Rows::Lines => rows::Lines::open(file).map(|it| Arc::new(it) as Arc<dyn Members>),
        formats::Rows::List(key) => {
            rows::List::open(file, key).map(|it| Arc::new(it) as Arc<dyn Members>)
        }
    }
}
