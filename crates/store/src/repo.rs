//! A bundle's repository: trees and blobs of commits.
//!
//! A recorded repository is somebody else's: it is only read, one that points outside its own folder is refused, and
//! its bytes are read by [`super::objects`]. libgit2 sees none of its files: it only compares contents in memory, to
//! find renames as git does.

#![allow(unsafe_code, reason = "libgit2 has its settings in plain globals")]

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
    sync::{Arc, Once},
};

use git2::{ConfigLevel, Delta, DiffFindOptions, Odb, Oid, Repository};

use trajview_run::{
    EditKind, RepoPath,
    files::{Blob, BlobId, Blobs, Change, Content, FileMode, Origin, Tree, TreeFile, Version},
};

use super::objects::{Differences, Entry, Kind, Objects, TreeBytes, damaged_tree, id_of};
use super::{bytes, disk};

use folders::Folders;

mod folders;
pub mod history;

#[derive(Debug)]
pub struct Repo {
    objects: Objects,
}

/// Files by which a repository borrows from another place.
const POINTERS: [&str; 3] = ["commondir", "gitdir", "objects/info/alternates"];

/// Files a commit may have: ten times what the largest recorded workspaces have. Folders count too, and a path of more
/// than 128 bytes counts as several.
const MOST_FILES: u64 = 200_000;

/// Changes a whole run may have, counted in the same way.
const MOST_CHANGES: u64 = 500_000;

/// Entries of folders that are compared for a whole run; half a KiB of entries that are all the same counts as one.
const MOST_COMPARED: u64 = 100_000_000;

/// git's own limit for paths, in bytes.
const MOST_OF_A_PATH: usize = 4096;

/// Deleted files that a created one is compared with, at most.
const MOST_SOURCES: usize = 400;

/// Pairs of a deleted and a created file that are compared for one turn; beyond, only equal contents are renames.
const MOST_PAIRS: usize = MOST_SOURCES * MOST_SOURCES;

/// Bytes that are compared for one turn; what does not fit is a rename only where it is equal.
const MOST_ALIKE: usize = 64 << 20;

/// What is carried from one comparison of a run's commits to the next.
#[derive(Debug, Default)]
pub struct Comparisons {
    budget: Budget,
    folders: Folders,
}

/// What may still be looked at of a repository for one run.
#[derive(Debug)]
struct Budget {
    changes: u64,
    compared: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { changes: MOST_CHANGES, compared: MOST_COMPARED }
    }
}

impl Budget {
    fn compare(&mut self, entries: u64) -> Result<(), String> {
        self.compared = self.compared.checked_sub(entries).ok_or_else(|| {
            format!("more than {MOST_COMPARED} files would have to be compared; no more are read")
        })?;
        Ok(())
    }

    fn change(&mut self, path: &str) -> Result<(), String> {
        self.changes = self.changes.checked_sub(weight(path)).ok_or_else(|| {
            format!("the run changes more than {MOST_CHANGES} files; no more are read")
        })?;
        Ok(())
    }
}

const fn weight(path: &str) -> u64 {
    1 + path.len() as u64 / 128
}

impl Repo {
    /// Opens a bare repository. The error is a sentence.
    pub fn open(path: &Path) -> Result<Self, String> {
        let local = disk::local_repository(path).map_err(|why| bytes::reason(&why))?;
        let path = &*local;
        let is_link = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        if is_link {
            return Err("the repository is a link; not followed".into());
        }
        let is_there = |pointer: &&&str| fs::symlink_metadata(path.join(pointer)).is_ok();
        if let Some(pointer) = POINTERS.iter().find(is_there) {
            return Err(format!("the repository borrows from outside ({pointer}); not followed"));
        }
        Ok(Self { objects: Objects::open(path)? })
    }

    /// What its folder is called.
    pub fn name(&self) -> &str {
        disk::name_of(self.objects.repository())
    }

    /// Whether libgit2 may open the repository to write to it: what it would follow is inside, and every pack is whole.
    /// The error is a sentence.
    pub fn check(path: &Path) -> Result<(), String> {
        let repo = Self::open(path)?;
        for name in ["HEAD", "packed-refs", "refs", "refs/heads", "refs/heads/main"] {
            let meta = fs::symlink_metadata(path.join(name));
            if meta.is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
                return Err(format!("{name} is neither file nor folder; not followed"));
            }
        }
        repo.objects.check_packs()
    }

    /// All files of a commit. The error is a sentence.
    pub fn tree(&self, commit: &str) -> Result<Tree, String> {
        let mut files = Tree::default();
        let mut left = MOST_FILES;
        let mut folders = vec![(String::new(), self.tree_of(commit)?)];
        while let Some((folder, id)) = folders.pop() {
            for entry in self.objects.tree(id)?.entries() {
                let Some(path) = joined(&folder, &entry) else { continue };
                left = left.checked_sub(weight(&path)).ok_or_else(|| {
                    format!(
                        "commit {commit} has more than {MOST_FILES} files; its files are not read"
                    )
                })?;
                if entry.is_folder() {
                    folders.push((path, entry.id));
                } else if let Some(path) = RepoPath::new(&path) {
                    files.files.insert(path, file_of(&entry));
                }
            }
        }
        Ok(files)
    }

    /// The first parent of a commit, as 40 hex digits.
    pub fn parent(&self, commit: &str) -> Option<String> {
        let commit = self.objects.commit(id_of(commit.as_bytes())?).ok()?;
        Some(commit.parent?.to_string())
    }

    /// What changed from one commit to another, renames found as git finds them (half of the lines alike), sorted by
    /// path. `old` None is the empty tree. The error is a sentence.
    pub fn changes(
        &self,
        old: Option<&str>,
        new: &str,
        carried: &mut Comparisons,
    ) -> Result<Vec<Change>, String> {
        let old = old.map(|old| self.tree_of(old)).transpose()?;
        let mut walk = Comparison { objects: &self.objects, carried, found: BTreeMap::new() };
        walk.compare(old, Some(self.tree_of(new)?))
            .map_err(|why| format!("commit {new}: {why}"))?;
        let changes: Vec<Change> = walk.found.into_iter().filter_map(change_of).collect();
        Ok(self.with_renames(changes))
    }

    /// Why a commit cannot be read; None where it can. The sentence does not name the commit where it is not there.
    pub fn problem_of(&self, commit: &str) -> Option<CommitProblem> {
        let Some(id) = id_of(commit.as_bytes()) else { return Some(CommitProblem::NotThere) };
        if !self.objects.has(id) {
            return Some(CommitProblem::NotThere);
        }
        self.objects.commit(id).err().map(CommitProblem::Unreadable)
    }

    /// Whether the repository has that commit.
    pub fn has_commit(&self, commit: &str) -> bool {
        self.problem_of(commit).is_none()
    }

    fn tree_of(&self, commit: &str) -> Result<BlobId, String> {
        let id =
            id_of(commit.as_bytes()).ok_or_else(|| format!("{commit:?} is not a commit id"))?;
        let read = self.objects.commit(id);
        Ok(read.map_err(|why| format!("commit {commit}: {why}"))?.tree)
    }

    /// Makes renames of deleted and created files that are alike. What cannot be read stays as it is.
    fn with_renames(&self, changes: Vec<Change>) -> Vec<Change> {
        let of_kind = |kind: EditKind| {
            let all = changes.iter().enumerate().filter(move |(_, change)| change.kind == kind);
            all.filter_map(|(at, change)| {
                let file = change.before().or(change.after())?;
                let is_file = file.mode != FileMode::Submodule;
                Some(Side { at, id: file.blob().filter(|_| is_file)?, mode: file.mode })
            })
            .collect::<Vec<Side>>()
        };
        let sides = Sides { gone: of_kind(EditKind::Delete), come: of_kind(EditKind::Create) };
        if sides.gone.is_empty() || sides.come.is_empty() {
            return changes;
        }
        let pairs = if sides.pairs() > MOST_PAIRS {
            sides.equal()
        } else {
            let read = |id| self.objects.read_as(id, Kind::Blob).ok();
            sides.alike(&read).unwrap_or_else(|_| sides.equal())
        };
        renamed(changes, &pairs)
    }
}

/// Why a commit that a recording names cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitProblem {
    NotThere,
    /// A sentence.
    Unreadable(String),
}

impl Blobs for Repo {
    fn blob(&self, id: BlobId) -> Result<Blob, String> {
        self.objects.read_as(id, Kind::Blob)
    }
}

/// Two trees on their way to a list of files that differ.
struct Comparison<'a> {
    objects: &'a Objects,
    carried: &'a mut Comparisons,
    /// By path, before and after.
    found: BTreeMap<RepoPath, (Option<TreeFile>, Option<TreeFile>)>,
}

/// A folder before and after.
type Beneath = (String, Option<BlobId>, Option<BlobId>);

impl Comparison<'_> {
    fn compare(&mut self, old: Option<BlobId>, new: Option<BlobId>) -> Result<(), String> {
        let mut folders = vec![(String::new(), old, new)];
        while let Some((folder, old, new)) = folders.pop() {
            if old != new {
                self.folder(&folder, old, new, &mut folders)?;
            }
        }
        Ok(())
    }

    fn folder(
        &mut self,
        folder: &str,
        old: Option<BlobId>,
        new: Option<BlobId>,
        below: &mut Vec<Beneath>,
    ) -> Result<(), String> {
        let old = old.map(|id| self.known(id)).transpose()?.unwrap_or_default();
        let bytes = match new {
            Some(id) => self.objects.read_as(id, Kind::Tree)?,
            None => Blob::from([]),
        };
        let damaged = |why: &str| new.map_or_else(|| why.to_owned(), |id| damaged_tree(id, why));
        let mut differences = Differences::new(&old, &bytes);
        loop {
            let found = differences.find_next().map_err(damaged)?;
            self.carried.budget.compare(differences.take_work())?;
            let Some((old, new)) = found else { break };
            self.entry(folder, old, new, below)?;
        }
        if let Some(id) = new {
            let tree = differences.into_tree(Blob::clone(&bytes));
            self.carried.folders.put(id, Arc::new(tree));
        }
        Ok(())
    }

    /// A folder as it was: it is likely to be the outcome of the comparison before.
    fn known(&self, id: BlobId) -> Result<Arc<TreeBytes>, String> {
        match self.carried.folders.get(id) {
            Some(tree) => Ok(tree),
            None => Ok(Arc::new(self.objects.tree(id)?)),
        }
    }

    fn entry(
        &mut self,
        folder: &str,
        old: Option<Entry<'_>>,
        new: Option<Entry<'_>>,
        below: &mut Vec<Beneath>,
    ) -> Result<(), String> {
        let Some(entry) = new.or(old) else { return Ok(()) };
        let Some(path) = joined(folder, &entry) else { return Ok(()) };
        self.carried.budget.change(&path)?;
        if entry.is_folder() {
            below.push((path, old.map(|old| old.id), new.map(|new| new.id)));
        } else if let Some(path) = RepoPath::new(&path) {
            let sides = self.found.entry(path).or_default();
            sides.0 = old.map(|old| file_of(&old)).or(sides.0);
            sides.1 = new.map(|new| file_of(&new)).or(sides.1);
        }
        Ok(())
    }
}

/// The path of an entry; None where it is longer than git's own limit.
fn joined(folder: &str, entry: &Entry<'_>) -> Option<String> {
    if folder.len() > MOST_OF_A_PATH {
        return None;
    }
    let name = String::from_utf8_lossy(entry.name);
    Some(if folder.is_empty() { name.into_owned() } else { format!("{folder}/{name}") })
}

fn change_of(
    (path, (old, new)): (RepoPath, (Option<TreeFile>, Option<TreeFile>)),
) -> Option<Change> {
    let kind = match (old, new) {
        (None, None) => return None,
        (None, Some(_)) => EditKind::Create,
        (Some(_), None) => EditKind::Delete,
        (Some(_), Some(_)) => EditKind::Modify,
    };
    let version = Version::Whole { old, new };
    Some(Change { path, from: None, kind, version, origin: Origin::Outside })
}

/// A deleted or a created file.
struct Side {
    /// Among the changes.
    at: usize,
    id: BlobId,
    mode: FileMode,
}

struct Sides {
    gone: Vec<Side>,
    come: Vec<Side>,
}

/// A deleted file and the created one it became, among the changes.
type Pair = (usize, usize);

impl Sides {
    fn pairs(&self) -> usize {
        self.gone.len().min(MOST_SOURCES).saturating_mul(self.come.len())
    }

    /// Pairs of the same content, in the order of their paths.
    fn equal(&self) -> Vec<Pair> {
        let key = |side: &Side| (side.id, side.mode == FileMode::Link);
        let mut gone: HashMap<(BlobId, bool), Vec<usize>> = HashMap::new();
        for side in self.gone.iter().rev() {
            gone.entry(key(side)).or_default().push(side.at);
        }
        let twin = |side: &Side| Some((gone.get_mut(&key(side))?.pop()?, side.at));
        self.come.iter().filter_map(twin).collect()
    }

    /// Pairs that git's measure calls renames, found by libgit2 in a repository that is in memory only and has these
    /// files alone.
    fn alike(&self, read: &dyn Fn(BlobId) -> Option<Blob>) -> Result<Vec<Pair>, git2::Error> {
        let odb = Odb::new()?;
        odb.add_new_mempack_backend(1)?;
        let repo = Repository::from_odb(odb)?;
        repo.set_config(&git2::Config::new()?)?; // neither the recording's nor the user's
        let mut left = MOST_ALIKE;
        let old = tree_with(&repo, &self.gone, read, &mut left)?;
        let new = tree_with(&repo, &self.come, read, &mut left)?;
        let mut diff = repo.diff_tree_to_tree(Some(&old), Some(&new), None)?;
        let mut similar = DiffFindOptions::new();
        similar.renames(true).rename_limit(MOST_SOURCES);
        diff.find_similar(Some(&mut similar))?;
        let place = |file: git2::DiffFile<'_>| file.path()?.to_str()?.parse::<usize>().ok();
        let found = diff.deltas().filter(|delta| delta.status() == Delta::Renamed);
        let mut pairs: Vec<Pair> = found
            .filter_map(|delta| Some((place(delta.old_file())?, place(delta.new_file())?)))
            .collect();
        let is_free =
            |(old, new): &Pair| !pairs.iter().any(|pair| pair.0 == *old || pair.1 == *new);
        let more: Vec<Pair> = self.equal().into_iter().filter(is_free).collect();
        pairs.extend(more);
        Ok(pairs)
    }
}

/// A folder of these files, each named by its number, so that they are in the order of their paths.
fn tree_with<'r>(
    repo: &'r Repository,
    sides: &[Side],
    read: &dyn Fn(BlobId) -> Option<Blob>,
    left: &mut usize,
) -> Result<git2::Tree<'r>, git2::Error> {
    let mut builder = repo.treebuilder(None)?;
    for side in sides {
        let Some(content) = read(side.id) else { continue };
        let Some(rest) = left.checked_sub(content.len()) else { continue };
        *left = rest;
        let mode = match side.mode {
            FileMode::Link => 0o120000,
            FileMode::Executable => 0o100755,
            FileMode::Regular | FileMode::Submodule => 0o100644,
        };
        builder.insert(format!("{:08}", side.at), repo.blob(&content)?, mode)?;
    }
    let id: Oid = builder.write()?;
    repo.find_tree(id)
}

/// The changes with pairs of them made one.
fn renamed(changes: Vec<Change>, pairs: &[Pair]) -> Vec<Change> {
    let mut changes: Vec<Option<Change>> = changes.into_iter().map(Some).collect();
    for &(old, new) in pairs {
        if let (Some(gone), Some(come)) = (changes[old].take(), changes[new].as_mut()) {
            come.version = Version::Whole { old: gone.before(), new: come.after() };
            come.kind = EditKind::Rename;
            come.from = Some(gone.path);
        }
    }
    changes.into_iter().flatten().collect()
}

/// Before libgit2 opens or makes a repository. A recording copied from elsewhere belongs to someone else; we run nothing of
/// it. The settings of the person and of the machine are not ours either: what is recorded may not depend on them, and where
/// they cannot be read nothing would be recorded.
pub fn prepare_libgit2() {
    static ONCE: Once = Once::new();
    let levels =
        [ConfigLevel::ProgramData, ConfigLevel::System, ConfigLevel::XDG, ConfigLevel::Global];
    ONCE.call_once(|| {
        // SAFETY: libgit2 keeps this as a plain global; `Once` makes sure that no two threads set it at the same time.
        let trusted = unsafe { git2::opts::set_verify_owner_validation(false) };
        // SAFETY: as above; every repository is opened after this.
        let searched = levels.map(|level| unsafe { git2::opts::set_search_path(level, "") });
        for outcome in searched.into_iter().chain([trusted]) {
            if let Err(why) = outcome {
                debug_assert!(false, "{why}"); // then it says itself what it cannot open
            }
        }
    });
}

/// For a submodule the id is the other repository's commit.
fn file_of(entry: &Entry<'_>) -> TreeFile {
    let mode = match entry.mode {
        0o120000 => FileMode::Link,
        0o160000 => FileMode::Submodule,
        mode if mode & 0o111 != 0 => FileMode::Executable,
        _ => FileMode::Regular,
    };
    TreeFile { content: Content::Known(entry.id), mode }
}

#[cfg(test)]
mod tests;
