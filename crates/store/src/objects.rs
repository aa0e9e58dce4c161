//! The objects of a recorded repository, read without libgit2.
//!
//! A recorded repository is somebody else's bytes, and libgit2 reads past the end of a damaged pack. So packs and loose
//! objects are read here, in safe Rust: every size is looked at before anything is unpacked, every place is checked
//! before it is read, and an object counts only if its content has the hash it is named by; for a folder out of a pack it is
//! enough that all it is packed in has the checksum of the index, since a big folder is read anew for each turn. Only regular files inside
//! the folder `objects` are opened; links, pipes, alternates and the repository's configuration are never read.

mod delta;
mod index;
mod pack;
mod recent;
mod tree;

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
    values::worded,
};

use super::{bytes, disk};

use pack::Pack;
use recent::Recent;

pub use tree::{Differences, Entry, TreeBytes};

/// Bytes an object may have: twice what a live run records of one file.
pub const MOST_BYTES: u64 = 32 << 20;

/// Packs a repository may have. One that is done recording has one.
const MOST_PACKS: usize = 200;

/// Commits that are kept.
const MOST_COMMITS: usize = 100_000;

worded! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind {
        Commit = "commit",
        Tree = "tree",
        Blob = "blob",
        Tag = "tag",
    }
}

/// The content of an object, unpacked.
#[derive(Debug, Clone)]
pub struct Object {
    pub kind: Kind,
    pub bytes: Blob,
    /// Whether everything it was unpacked from has the checksum that the index of the pack states.
    is_sound: bool,
}

/// What of a commit the files over time are made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub tree: BlobId,
    /// The first one.
    pub parent: Option<BlobId>,
}

/// The object store of a repository; threads may share it.
#[derive(Debug)]
pub struct Objects {
    folder: PathBuf,
    packs: RwLock<Vec<Arc<Pack>>>,
    recent: Recent,
    /// Commits that were read.
    commits: Mutex<HashMap<BlobId, Commit>>,
    /// The last big object that was read: many files may have the same content.
    last: Mutex<Option<(BlobId, Object)>>,
}

/// Bigger objects are kept until the next such one is read.
const BIG: usize = 1 << 20;

impl Kind {
    /// The number that stands for it in a pack.
    pub const fn number(self) -> u8 {
        match self {
            Self::Commit => 1,
            Self::Tree => 2,
            Self::Blob => 3,
            Self::Tag => 4,
        }
    }

    fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }
}

/// The SHA-1 that git knows an object by.
pub fn hash(kind: Kind, content: &[u8]) -> BlobId {
    let mut hash = Sha1::new();
    hash.update(format!("{} {}\0", kind.word(), content.len()));
    hash.update(content);
    BlobId(hash.finalize().into())
}

impl Objects {
    /// Of the repository in a folder. The error is a sentence: what is damaged, or not a regular file or folder.
    pub fn open(repository: &Path) -> Result<Self, String> {
        let folder = repository.join("objects");
        if fs::symlink_metadata(&folder).is_err() {
            return Err("not a bare repository".into());
        }
        folder_inside(&folder, "objects")?;
        let packs = packs_of(&folder, &[])?;
        Ok(Self {
            folder,
            packs: RwLock::new(packs),
            recent: Recent::default(),
            commits: Mutex::default(),
            last: Mutex::default(),
        })
    }

    /// The folder of the repository.
    pub fn repository(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }

    /// The objects whose ids begin with these hex digits, two of them at least.
    pub fn that_begin(&self, hex: &str) -> Vec<BlobId> {
        let packs = self.packs.read().unwrap_or_else(PoisonError::into_inner).clone();
        let packed = packs.iter().flat_map(|pack| pack.that_begin(hex));
        let (folder, rest) = hex.split_at(hex.len().min(2));
        let loose = disk::listed(&self.folder.join(folder)).into_iter().filter_map(|path| {
            let name = disk::name_of(&path);
            name.starts_with(rest).then(|| id_of(format!("{folder}{name}").as_bytes()))?
        });
        let mut found: Vec<BlobId> = packed.chain(loose).collect();
        found.sort_unstable_by_key(|id| id.0);
        found.dedup();
        found
    }

    /// The content of an object. The error is a sentence.
    pub fn read(&self, id: BlobId) -> Result<Object, String> {
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, object)) = last().as_ref().filter(|(last, _)| *last == id) {
            return Ok(object.clone());
        }
        let object = match self.packed(id) {
            Some((pack, offset)) => pack.read(offset, &self.recent)?,
            None => self.loose(id)?.ok_or_else(|| format!("object {id} is not there"))?,
        };
        if !object.is_sound && hash_of(&object) != id {
            return Err(damaged(&format!("object {id}"), "its content has another hash"));
        }
        if object.bytes.len() > BIG {
            *last() = Some((id, object.clone()));
        }
        Ok(object)
    }

    /// As [`Objects::read`], of something that has to be of one kind.
    pub fn read_as(&self, id: BlobId, kind: Kind) -> Result<Blob, String> {
        let object = self.read(id)?;
        if object.kind == kind {
            return Ok(object.bytes);
        }
        Err(format!("object {id} is a {}, not a {}", object.kind.word(), kind.word()))
    }

    /// Whether there is an object of that id, whatever its content is like.
    pub fn has(&self, id: BlobId) -> bool {
        self.packed(id).is_some() || fs::symlink_metadata(self.loose_path(id)).is_ok()
    }

    pub fn commit(&self, id: BlobId) -> Result<Commit, String> {
        let known = || self.commits.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(commit) = known().get(&id) {
            return Ok(commit.clone());
        }
        let bytes = self.read_as(id, Kind::Commit)?;
        let commit = commit_of(&bytes)
            .ok_or_else(|| damaged(&format!("commit {id}"), "it names no tree"))?;
        let mut known = known();
        if known.len() < MOST_COMMITS {
            known.insert(id, commit.clone());
        }
        Ok(commit)
    }

    pub fn tree(&self, id: BlobId) -> Result<TreeBytes, String> {
        TreeBytes::new(self.read_as(id, Kind::Tree)?).map_err(|why| damaged_tree(id, why))
    }

    /// Reads every object of every pack, so that what is wrong with one is known. The error is a sentence.
    pub fn check_packs(&self) -> Result<(), String> {
        let packs = self.packs.read().unwrap_or_else(PoisonError::into_inner).clone();
        for pack in packs {
            pack.check_sum()?;
            for (id, offset) in pack.entries() {
                let object = pack.read(offset, &self.recent)?;
                if hash_of(&object) != id {
                    return Err(damaged(&format!("object {id}"), "its content has another hash"));
                }
            }
        }
        Ok(())
    }

    /// The pack that has an object, and where. A repository that is still being written may have got a new one.
    fn packed(&self, id: BlobId) -> Option<(Arc<Pack>, u64)> {
        let look = |packs: &[Arc<Pack>]| {
            packs.iter().find_map(|pack| Some((Arc::clone(pack), pack.offset_of(id)?)))
        };
        let known = self.packs.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(found) = look(&known) {
            return Some(found);
        }
        if self.loose_path(id).exists() {
            return None;
        }
        let new = packs_of(&self.folder, &known).ok().filter(|new| !new.is_empty())?;
        let found = look(&new);
        self.packs.write().unwrap_or_else(PoisonError::into_inner).extend(new);
        found
    }

    fn loose_path(&self, id: BlobId) -> PathBuf {
        let hex = id.to_string();
        self.folder.join(&hex[..2]).join(&hex[2..])
    }

    /// None where there is no such file.
    fn loose(&self, id: BlobId) -> Result<Option<Object>, String> {
        let path = self.loose_path(id);
        if fs::symlink_metadata(&path).is_err() {
            return Ok(None);
        }
        let name = format!("objects/{}", &id.to_string()[..2]);
        path.parent().map_or(Ok(()), |folder| folder_inside(folder, &name))?;
        let file = file_inside(&path, &format!("object {id}"))?;
        let said = |why: &str| damaged(&format!("object {id}"), why);
        let mut unpacked = BufReader::new(ZlibDecoder::new(BufReader::new(file)));
        let mut head = vec![];
        (&mut unpacked)
            .take(32)
            .read_until(0, &mut head)
            .map_err(|_| said("it cannot be unpacked"))?;
        let (kind, size) = loose_head(&head).ok_or_else(|| said("it does not say what it is"))?;
        let bytes = unpack(unpacked, size).map_err(|why| said(&why))?.into();
        Ok(Some(Object { kind, bytes, is_sound: false }))
    }
}

/// `blob 12\0`.
fn loose_head(head: &[u8]) -> Option<(Kind, u64)> {
    let (kind, size) = std::str::from_utf8(head.strip_suffix(&[0])?).ok()?.split_once(' ')?;
    Some((Kind::by_word(kind)?, size.parse().ok()?))
}

/// So many bytes, all there are. The error says why not.
fn unpack(from: impl Read, size: u64) -> Result<Vec<u8>, String> {
    if size > MOST_BYTES {
        return Err(too_big(size));
    }
    let mut bytes = Vec::with_capacity(size.min(1 << 20) as usize);
    let outcome = from.take(size + 1).read_to_end(&mut bytes);
    match outcome {
        Ok(_) if bytes.len() as u64 == size => Ok(bytes),
        Ok(_) => Err("its size is not the one it states".into()),
        Err(_) => Err("it cannot be unpacked".into()),
    }
}

fn too_big(size: u64) -> String {
    format!("it has {size} bytes; up to {} MiB are read", MOST_BYTES >> 20)
}

/// What is damaged, why, and what to do about it.
fn damaged(what: &str, why: &str) -> String {
    if why.contains(" are read") {
        return format!("{what}: {why}"); // nothing is damaged
    }
    format!("{what} is damaged ({why}); copy the recording again from where it was made")
}

/// Why a folder cannot be read.
pub fn damaged_tree(id: BlobId, why: &str) -> String {
    damaged(&format!("tree {id}"), why)
}

fn hash_of(object: &Object) -> BlobId {
    hash(object.kind, &object.bytes)
}

/// Reads the lines above a commit's message.
fn commit_of(bytes: &[u8]) -> Option<Commit> {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let tree = id_of(lines.next()?.strip_prefix(b"tree ")?)?;
    let parent = lines.next().and_then(|line| id_of(line.strip_prefix(b"parent ")?));
    Some(Commit { tree, parent })
}

/// From 40 hex digits.
pub fn id_of(hex: &[u8]) -> Option<BlobId> {
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

/// The packs of a folder of objects that are not among those known.
fn packs_of(objects: &Path, known: &[Arc<Pack>]) -> Result<Vec<Arc<Pack>>, String> {
    let folder = objects.join("pack");
    if fs::symlink_metadata(&folder).is_err() {
        return Ok(vec![]);
    }
    folder_inside(&folder, "objects/pack")?;
    let is_new = |path: &PathBuf| {
        path.extension().is_some_and(|end| end == "idx")
            && !known.iter().any(|pack| pack.name == disk::name_of(path))
    };
    let indexes: Vec<PathBuf> = disk::listed(&folder).into_iter().filter(is_new).collect();
    if indexes.len() > MOST_PACKS {
        return Err(format!(
            "objects/pack holds {} packs; up to {MOST_PACKS} are read, `git gc` makes one of them",
            indexes.len()
        ));
    }
    let first = known.len();
    let open = |(at, path): (usize, &PathBuf)| Pack::open(path, first + at).map(Arc::new);
    indexes.iter().enumerate().map(open).collect()
}

/// A folder that is not a link to one elsewhere.
fn folder_inside(path: &Path, name: &str) -> Result<(), String> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => Ok(()),
        Ok(meta) if meta.is_symlink() => Err(format!("{name} is a link; not followed")),
        Ok(_) => Err(format!("{name} is not a folder")),
        Err(why) => Err(format!("{name} cannot be read: {}", bytes::reason(&why))),
    }
}

/// A regular file that is not a link to one elsewhere.
fn file_inside(path: &Path, name: &str) -> Result<fs::File, String> {
    let cannot = |why: std::io::Error| format!("{name} cannot be read: {}", bytes::reason(&why));
    let meta = fs::symlink_metadata(path).map_err(cannot)?;
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
