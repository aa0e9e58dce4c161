//! The objects of a recorded repository, read without libgit2.
//!
//! A recorded repository has foreign bytes, and libgit2 reads past the end of a damaged pack. So packs and loose
//! objects are read here, in safe Rust: every size is checked before anything is unpacked, every place is checked
//! before it is read, and an object counts only if its content has the hash it is named by. For a folder out of a pack
//! the checksum of the index is enough, since a big folder is read anew for each turn. Only regular files inside the
//! folder `objects` are opened; links, pipes, alternates and the repository's configuration are never read.

mod delta;
mod object_pack;
mod pack_index;
mod recent_objects;
mod tree_bytes;

use std::{
    collections::HashMap,
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use flate2::bufread::ZlibDecoder;
use sha1::{Digest, Sha1};

use trajview_run::{
    files::{Blob, BlobId},
    worded_enum::worded,
};

use super::{disk, file_bytes};

use object_pack::ObjectPack;
use recent_objects::RecentObjects;

pub use tree_bytes::{GitTreeEntry, TreeBytes, TreeDifferences};

/// The most bytes an object may have: twice what a live run records of one file.
pub const MOST_BYTES: u64 = 32 << 20;

/// The most packs a repository may have; a finished recording has one.
const MOST_PACKS: usize = 200;

/// The most commits that are kept in memory.
const MOST_COMMITS: usize = 100_000;

worded! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ObjectKind {
        Commit = "commit",
        Tree = "tree",
        Blob = "blob",
        Tag = "tag",
    }
}

/// The content of an object, unpacked.
#[derive(Debug, Clone)]
pub struct GitObject {
    pub kind: ObjectKind,
    pub bytes: Blob,
    /// True if everything it was unpacked from has the checksum that the index of the pack states.
    is_sound: bool,
}

/// The parts of a commit that the files over time are made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitCommit {
    pub tree: BlobId,
    /// The first one.
    pub parent: Option<BlobId>,
}

/// The object store of a repository; threads may share it.
#[derive(Debug)]
pub struct ObjectStore {
    folder: PathBuf,
    packs: RwLock<Vec<Arc<ObjectPack>>>,
    recent: RecentObjects,
    /// The commits that were read.
    commits: Mutex<HashMap<BlobId, GitCommit>>,
    /// The last big object that was read: many files may have the same content.
    last: Mutex<Option<(BlobId, GitObject)>>,
}

/// The size in bytes from which an object is kept only until the next such one is read.
const BIG_OBJECT: usize = 1 << 20;

impl ObjectKind {
    /// Returns the number of the type in a pack.
    pub(crate) const fn pack_number(self) -> u8 {
        match self {
            Self::Commit => 1,
            Self::Tree => 2,
            Self::Blob => 3,
            Self::Tag => 4,
        }
    }

    fn from_pack_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.pack_number() == number)
    }
}

/// Returns the SHA-1 that git knows an object by.
pub(crate) fn hash_object(kind: ObjectKind, content: &[u8]) -> BlobId {
    let mut hash = Sha1::new();
    hash.update(format!("{} {}\0", kind.word(), content.len()));
    hash.update(content);
    BlobId(hash.finalize().into())
}

impl ObjectStore {
    /// Opens the objects of the repository in a folder. The error is a sentence: what is damaged, or not a regular file
    /// or folder.
    pub fn open(repository: &Path) -> Result<Self, String> {
        let folder = repository.join("objects");
        if fs::symlink_metadata(&folder).is_err() {
            return Err("not a bare repository".into());
        }
        require_folder(&folder, "objects")?;
        let packs = packs_of(&folder, &[])?;
        Ok(Self {
            folder,
            packs: RwLock::new(packs),
            recent: RecentObjects::default(),
            commits: Mutex::default(),
            last: Mutex::default(),
        })
    }

    /// Returns the folder of the repository.
    pub fn repository(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }

    /// Returns the objects whose ids begin with these hex digits, two of them at least.
    pub(crate) fn ids_with_prefix(&self, hex: &str) -> Vec<BlobId> {
        let packs = self.packs.read().unwrap_or_else(PoisonError::into_inner).clone();
        let packed = packs.iter().flat_map(|pack| pack.ids_with_prefix(hex));
        let (folder, rest) = hex.split_at(hex.len().min(2));
        let loose = disk::list_folder(&self.folder.join(folder)).into_iter().filter_map(|path| {
            let name = disk::name_of(&path);
            name.starts_with(rest).then(|| parse_id(format!("{folder}{name}").as_bytes()))?
        });
        let mut blobs: Vec<BlobId> = packed.chain(loose).collect();
        blobs.sort_unstable_by_key(|id| id.0);
        blobs.dedup();
        blobs
    }

    /// Returns the content of an object. The error is a sentence.
    pub fn read_object(&self, id: BlobId) -> Result<GitObject, String> {
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, object)) = last().as_ref().filter(|(last, _)| *last == id) {
            return Ok(object.clone());
        }
        let object = match self.find_packed(id) {
            Some((pack, offset)) => pack.read_at_offset(offset, &self.recent)?,
            None => self.read_loose(id)?.ok_or_else(|| format!("object {id} is not there"))?,
        };
        if !object.is_sound && hash_of(&object) != id {
            return Err(damage_text(&format!("object {id}"), "its content has another hash"));
        }
        if object.bytes.len() > BIG_OBJECT {
            *last() = Some((id, object.clone()));
        }
        Ok(object)
    }

    /// Works as [`ObjectStore::read_object`], for an object that has to be of one kind.
    pub fn read_kind(&self, id: BlobId, kind: ObjectKind) -> Result<Blob, String> {
        let object = self.read_object(id)?;
        if object.kind == kind {
            return Ok(object.bytes);
        }
        Err(format!("object {id} is a {}, not a {}", object.kind.word(), kind.word()))
    }

    /// Returns whether there is an object of that id, whatever its content is like.
    pub(crate) fn has_object(&self, id: BlobId) -> bool {
        self.find_packed(id).is_some() || fs::symlink_metadata(self.loose_path(id)).is_ok()
    }

    pub(crate) fn read_commit(&self, id: BlobId) -> Result<GitCommit, String> {
        let commits = || self.commits.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(commit) = commits().get(&id) {
            return Ok(commit.clone());
        }
        let bytes = self.read_kind(id, ObjectKind::Commit)?;
        let commit = parse_commit(&bytes)
            .ok_or_else(|| damage_text(&format!("commit {id}"), "it names no tree"))?;
        let mut commits = commits();
        if commits.len() < MOST_COMMITS {
            commits.insert(id, commit.clone());
        }
        Ok(commit)
    }

    pub fn read_tree(&self, id: BlobId) -> Result<TreeBytes, String> {
        TreeBytes::new(self.read_kind(id, ObjectKind::Tree)?)
            .map_err(|why| tree_damage_text(id, why))
    }

    /// Reads every object of every pack, to find damaged ones. The error is a sentence.
    pub(crate) fn check_packs(&self) -> Result<(), String> {
        let packs = self.packs.read().unwrap_or_else(PoisonError::into_inner).clone();
        for pack in packs {
            pack.check_sum()?;
            for (id, offset) in pack.all_entries() {
                let object = pack.read_at_offset(offset, &self.recent)?;
                if hash_of(&object) != id {
                    return Err(damage_text(
                        &format!("object {id}"),
                        "its content has another hash",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Returns the pack that has an object, and where. A repository that is still being written may have got a new one.
    fn find_packed(&self, id: BlobId) -> Option<(Arc<ObjectPack>, u64)> {
        let look = |packs: &[Arc<ObjectPack>]| {
            packs.iter().find_map(|pack| Some((Arc::clone(pack), pack.offset_of(id)?)))
        };
        let packs = self.packs.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(found) = look(&packs) {
            return Some(found);
        }
        if self.loose_path(id).exists() {
            return None;
        }
        let new = packs_of(&self.folder, &packs).ok().filter(|new| !new.is_empty())?;
        let found = look(&new);
        self.packs.write().unwrap_or_else(PoisonError::into_inner).extend(new);
        found
    }

    fn loose_path(&self, id: BlobId) -> PathBuf {
        let hex = id.to_string();
        self.folder.join(&hex[..2]).join(&hex[2..])
    }

    /// Reads an object that is in a file of its own; None where there is no such file. The error is a sentence.
    fn read_loose(&self, id: BlobId) -> Result<Option<GitObject>, String> {
        let path = self.loose_path(id);
        if fs::symlink_metadata(&path).is_err() {
            return Ok(None);
        }
        let name = format!("objects/{}", &id.to_string()[..2]);
        path.parent().map_or(Ok(()), |folder| require_folder(folder, &name))?;
        let file = open_regular_file(&path, &format!("object {id}"))?;
        let damaged_object = |why: &str| damage_text(&format!("object {id}"), why);
        let mut unpacked = BufReader::new(ZlibDecoder::new(BufReader::new(file)));
        let mut head = vec![];
        (&mut unpacked)
            .take(32)
            .read_until(0, &mut head)
            .map_err(|_| damaged_object("it cannot be unpacked"))?;
        let (kind, size) =
            parse_loose_head(&head).ok_or_else(|| damaged_object("it does not say what it is"))?;
        let bytes = unpack_sized(unpacked, size).map_err(|why| damaged_object(&why))?.into();
        Ok(Some(GitObject { kind, bytes, is_sound: false }))
    }
}

/// Parses a head such as `blob 12\0`.
fn parse_loose_head(head: &[u8]) -> Option<(ObjectKind, u64)> {
    let (kind, size) = std::str::from_utf8(head.strip_suffix(&[0])?).ok()?.split_once(' ')?;
    Some((ObjectKind::by_word(kind)?, size.parse().ok()?))
}

/// Reads exactly so many bytes. The error is the reason.
fn unpack_sized(from: impl Read, size: u64) -> Result<Vec<u8>, String> {
    if size > MOST_BYTES {
        return Err(too_big_text(size));
    }
    let mut bytes = Vec::with_capacity(size.min(1 << 20) as usize);
    let outcome = from.take(size + 1).read_to_end(&mut bytes);
    match outcome {
        Ok(_) if bytes.len() as u64 == size => Ok(bytes),
        Ok(_) => Err("its size is not the one it states".into()),
        Err(_) => Err("it cannot be unpacked".into()),
    }
}

fn too_big_text(size: u64) -> String {
    format!("it has {size} bytes; up to {} MiB are read", MOST_BYTES >> 20)
}

/// Describes the damage, its reason and the remedy.
fn damage_text(what: &str, why: &str) -> String {
    if why.contains(" are read") {
        return format!("{what}: {why}"); // nothing is damaged
    }
    format!("{what} is damaged ({why}); copy the recording again from where it was made")
}

/// Returns why a folder cannot be read.
pub(crate) fn tree_damage_text(id: BlobId, why: &str) -> String {
    damage_text(&format!("tree {id}"), why)
}

fn hash_of(object: &GitObject) -> BlobId {
    hash_object(object.kind, &object.bytes)
}

/// Reads the lines above a commit's message.
fn parse_commit(bytes: &[u8]) -> Option<GitCommit> {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let tree = parse_id(lines.next()?.strip_prefix(b"tree ")?)?;
    let parent = lines.next().and_then(|line| parse_id(line.strip_prefix(b"parent ")?));
    Some(GitCommit { tree, parent })
}

/// Parses 40 hex digits.
pub(crate) fn parse_id(hex: &[u8]) -> Option<BlobId> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut id = [0; 20];
    if hex.len() != 40 {
        return None;
    }
    for (byte, pair) in id.iter_mut().zip(hex.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(BlobId(id))
}

/// Returns the packs of a folder of objects that are not among those known.
fn packs_of(
    objects: &Path,
    open_packs: &[Arc<ObjectPack>],
) -> Result<Vec<Arc<ObjectPack>>, String> {
    let folder = objects.join("pack");
    if fs::symlink_metadata(&folder).is_err() {
        return Ok(vec![]);
    }
    require_folder(&folder, "objects/pack")?;
    let is_new = |path: &PathBuf| {
        path.extension().is_some_and(|end| end == "idx")
            && !open_packs.iter().any(|pack| pack.name == disk::name_of(path))
    };
    let indexes: Vec<PathBuf> = disk::list_folder(&folder).into_iter().filter(is_new).collect();
    if indexes.len() > MOST_PACKS {
        return Err(format!(
            "objects/pack holds {} packs; up to {MOST_PACKS} are read, `git gc` makes one of them",
            indexes.len()
        ));
    }
    let first = open_packs.len();
    let open = |(at, path): (usize, &PathBuf)| ObjectPack::open(path, first + at).map(Arc::new);
    indexes.iter().enumerate().map(open).collect()
}

/// Fails, with a sentence, where the path is not a folder, or is a link to one elsewhere.
fn require_folder(path: &Path, name: &str) -> Result<(), String> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => Ok(()),
        Ok(meta) if meta.is_symlink() => Err(format!("{name} is a link; not followed")),
        Ok(_) => Err(format!("{name} is not a folder")),
        Err(why) => Err(format!("{name} cannot be read: {}", file_bytes::error_reason(&why))),
    }
}

/// Opens a regular file that is no link to one elsewhere.
fn open_regular_file(path: &Path, name: &str) -> Result<fs::File, String> {
    let cannot =
        |why: std::io::Error| format!("{name} cannot be read: {}", file_bytes::error_reason(&why));
    let meta = disk::symlink_metadata(path).map_err(cannot)?;
    if meta.is_symlink() {
        return Err(format!("{name} is a link; not followed"));
    }
    if !meta.is_file() {
        return Err(format!("{name} is not a regular file"));
    }
    fs::File::open(path).map_err(cannot)
}

#[cfg(test)]
pub mod tests;
