//! A bundle's repository: trees and blobs of commits.
//!
//! A recorded repository is foreign: it is only read, one that points outside its own folder is refused, and its bytes
//! are read by [`super::objects`]. libgit2 opens none of its files: it only compares contents in memory, to find
//! renames as git does.

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
    files::{
        Blob, BlobId, Blobs, ChangeOrigin, ChangeVersion, FileChange, FileContent, FileMode,
        SourceTree, TreeFile,
    },
};

use super::objects::{
    GitTreeEntry, ObjectKind, ObjectStore, TreeBytes, TreeDifferences, parse_id, tree_damage_text,
};
use super::{disk, file_bytes};

use recent_folders::RecentFolders;

pub mod commit_log;
mod recent_folders;

#[derive(Debug)]
pub struct Repo {
    objects: ObjectStore,
}

/// The files by which a repository borrows from another place.
const POINTERS: [&str; 3] = ["commondir", "gitdir", "objects/info/alternates"];

/// The most files a commit may have: ten times what the largest recorded workspaces have. Folders count too, and a path
/// of more than 128 bytes counts as several.
const MOST_FILES: u64 = 200_000;

/// The most changes of a whole run, counted in the same manner.
const MOST_CHANGES: u64 = 500_000;

/// The most entries of folders that are compared for a whole run; half a KiB of entries that are all the same counts as
/// one.
const MOST_COMPARED: u64 = 100_000_000;

/// The longest path in bytes, which is git's own limit.
const MOST_OF_A_PATH: usize = 4096;

/// The most deleted files that a created one is compared with.
const MOST_SOURCES: usize = 400;

/// The most pairs of a deleted and a created file that are compared for one turn; beyond, only equal contents are
/// renames.
const MOST_PAIRS: usize = MOST_SOURCES * MOST_SOURCES;

/// The most bytes that are compared for one turn; what does not fit is a rename only where it is equal.
const MOST_ALIKE: usize = 64 << 20;

/// The state that passes from one comparison of a run's commits to the next.
#[derive(Debug, Default)]
pub struct CommitComparisons {
    budget: CompareBudget,
    folders: RecentFolders,
}

/// The limits of the work on a repository for one run.
#[derive(Debug)]
struct CompareBudget {
    changes: u64,
    compared: u64,
}

impl Default for CompareBudget {
    fn default() -> Self {
        Self { changes: MOST_CHANGES, compared: MOST_COMPARED }
    }
}

impl CompareBudget {
    /// Takes entries from those that may still be compared. The error is a sentence.
    fn spend_entries(&mut self, entries: u64) -> Result<(), String> {
        self.compared = self.compared.checked_sub(entries).ok_or_else(|| {
            format!("more than {MOST_COMPARED} files would have to be compared; no more are read")
        })?;
        Ok(())
    }

    /// Takes a change from those that may still be found. The error is a sentence.
    fn spend_change(&mut self, path: &str) -> Result<(), String> {
        self.changes = self.changes.checked_sub(path_weight(path)).ok_or_else(|| {
            format!("the run changes more than {MOST_CHANGES} files; no more are read")
        })?;
        Ok(())
    }
}

const fn path_weight(path: &str) -> u64 {
    1 + path.len() as u64 / 128
}

impl Repo {
    /// Opens a bare repository. The error is a sentence.
    pub fn open(path: &Path) -> Result<Self, String> {
        let local = disk::local_repository(path).map_err(|why| file_bytes::error_reason(&why))?;
        let path = &*local;
        let is_link = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        if is_link {
            return Err("the repository is a link; not followed".into());
        }
        let is_there = |pointer: &&&str| fs::symlink_metadata(path.join(pointer)).is_ok();
        if let Some(pointer) = POINTERS.iter().find(is_there) {
            return Err(format!("the repository borrows from outside ({pointer}); not followed"));
        }
        Ok(Self { objects: ObjectStore::open(path)? })
    }

    /// Returns the name of its folder.
    pub fn name(&self) -> &str {
        disk::name_of(self.objects.repository())
    }

    /// Checks that libgit2 may open the repository to write to it: what it would follow is inside, and every pack is
    /// whole. The error is a sentence.
    pub(crate) fn check_for_writing(path: &Path) -> Result<(), String> {
        let repo = Self::open(path)?;
        for name in ["HEAD", "packed-refs", "refs", "refs/heads", "refs/heads/main"] {
            let meta = fs::symlink_metadata(path.join(name));
            if meta.is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
                return Err(format!("{name} is neither file nor folder; not followed"));
            }
        }
        repo.objects.check_packs()
    }

    /// Returns all files of a commit. The error is a sentence.
    pub(crate) fn tree_of_commit(&self, commit: &str) -> Result<SourceTree, String> {
        let mut files = SourceTree::default();
        let mut left = MOST_FILES;
        let mut folders = vec![(String::new(), self.tree_id(commit)?)];
        while let Some((folder, id)) = folders.pop() {
            for entry in self.objects.read_tree(id)?.entries() {
                let Some(path) = entry_path(&folder, &entry) else { continue };
                left = left.checked_sub(path_weight(&path)).ok_or_else(|| {
                    format!(
                        "commit {commit} has more than {MOST_FILES} files; its files are not read"
                    )
                })?;
                if entry.is_folder() {
                    folders.push((path, entry.id));
                } else if let Some(path) = RepoPath::new(&path) {
                    files.files.insert(path, tree_file(&entry));
                }
            }
        }
        Ok(files)
    }

    /// Returns the first parent of a commit, as 40 hex digits.
    pub(crate) fn first_parent(&self, commit: &str) -> Option<String> {
        let commit = self.objects.read_commit(parse_id(commit.as_bytes())?).ok()?;
        Some(commit.parent?.to_string())
    }

    /// Returns the changes from one commit to another, renames found as git finds them (half of the lines alike),
    /// sorted by path. `old` None is the empty tree. The error is a sentence.
    pub fn changes_between(
        &self,
        old: Option<&str>,
        new: &str,
        comparisons: &mut CommitComparisons,
    ) -> Result<Vec<FileChange>, String> {
        let old = old.map(|old| self.tree_id(old)).transpose()?;
        let mut walk =
            CommitComparer { objects: &self.objects, comparisons, sides_by_path: BTreeMap::new() };
        walk.compare_trees(old, Some(self.tree_id(new)?))
            .map_err(|why| format!("commit {new}: {why}"))?;
        let changes: Vec<FileChange> =
            walk.sides_by_path.into_iter().filter_map(file_change).collect();
        Ok(self.with_renames(changes))
    }

    /// Returns why a commit cannot be read; None where it can. The sentence does not name the commit where it does not
    /// exist.
    pub(crate) fn commit_problem(&self, commit: &str) -> Option<CommitProblem> {
        let Some(id) = parse_id(commit.as_bytes()) else { return Some(CommitProblem::NotThere) };
        if !self.objects.has_object(id) {
            return Some(CommitProblem::NotThere);
        }
        self.objects.read_commit(id).err().map(CommitProblem::Unreadable)
    }

    /// Returns whether the repository has that commit.
    pub fn has_commit(&self, commit: &str) -> bool {
        self.commit_problem(commit).is_none()
    }

    fn tree_id(&self, commit: &str) -> Result<BlobId, String> {
        let id =
            parse_id(commit.as_bytes()).ok_or_else(|| format!("{commit:?} is not a commit id"))?;
        let read = self.objects.read_commit(id);
        Ok(read.map_err(|why| format!("commit {commit}: {why}"))?.tree)
    }

    /// Makes renames of deleted and created files that are alike. What cannot be read stays as it is.
    fn with_renames(&self, changes: Vec<FileChange>) -> Vec<FileChange> {
        let of_kind = |kind: EditKind| {
            let all = changes.iter().enumerate().filter(move |(_, change)| change.kind == kind);
            all.filter_map(|(at, change)| {
                let file = change.file_before().or(change.file_after())?;
                let is_file = file.mode != FileMode::Submodule;
                Some(RenameSide { at, id: file.blob_id().filter(|_| is_file)?, mode: file.mode })
            })
            .collect::<Vec<RenameSide>>()
        };
        let sides =
            RenameSides { deleted: of_kind(EditKind::Delete), created: of_kind(EditKind::Create) };
        if sides.deleted.is_empty() || sides.created.is_empty() {
            return changes;
        }
        let pairs = if sides.pair_count() > MOST_PAIRS {
            sides.equal_pairs()
        } else {
            let read = |id| self.objects.read_kind(id, ObjectKind::Blob).ok();
            sides.similar_pairs(&read).unwrap_or_else(|_| sides.equal_pairs())
        };
        join_renames(changes, &pairs)
    }
}

/// The reason why a commit that a recording names cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitProblem {
    NotThere,
    /// A sentence.
    Unreadable(String),
}

impl Blobs for Repo {
    fn read_blob(&self, id: BlobId) -> Result<Blob, String> {
        self.objects.read_kind(id, ObjectKind::Blob)
    }
}

/// A comparison of two trees, which collects the files that differ.
struct CommitComparer<'a> {
    objects: &'a ObjectStore,
    comparisons: &'a mut CommitComparisons,
    /// The files that differ by path, before and after.
    sides_by_path: BTreeMap<RepoPath, (Option<TreeFile>, Option<TreeFile>)>,
}

/// A folder before and after.
type FolderPair = (String, Option<BlobId>, Option<BlobId>);

impl CommitComparer<'_> {
    fn compare_trees(&mut self, old: Option<BlobId>, new: Option<BlobId>) -> Result<(), String> {
        let mut folders = vec![(String::new(), old, new)];
        while let Some((folder, old, new)) = folders.pop() {
            if old != new {
                self.compare_folders(&folder, old, new, &mut folders)?;
            }
        }
        Ok(())
    }

    fn compare_folders(
        &mut self,
        folder: &str,
        old: Option<BlobId>,
        new: Option<BlobId>,
        below: &mut Vec<FolderPair>,
    ) -> Result<(), String> {
        let old = old.map(|id| self.folder_tree(id)).transpose()?.unwrap_or_default();
        let bytes = match new {
            Some(id) => self.objects.read_kind(id, ObjectKind::Tree)?,
            None => Blob::from([]),
        };
        let damaged =
            |why: &str| new.map_or_else(|| why.to_owned(), |id| tree_damage_text(id, why));
        let mut differences = TreeDifferences::new(&old, &bytes);
        loop {
            let difference = differences.find_next().map_err(damaged)?;
            self.comparisons.budget.spend_entries(differences.take_work())?;
            let Some((old, new)) = difference else { break };
            self.compare_entry(folder, old, new, below)?;
        }
        if let Some(id) = new {
            let tree = differences.into_tree(Blob::clone(&bytes));
            self.comparisons.folders.put(id, Arc::new(tree));
        }
        Ok(())
    }

    /// Returns a folder as it was: it is likely to be the outcome of the comparison before.
    fn folder_tree(&self, id: BlobId) -> Result<Arc<TreeBytes>, String> {
        match self.comparisons.folders.get(id) {
            Some(tree) => Ok(tree),
            None => Ok(Arc::new(self.objects.read_tree(id)?)),
        }
    }

    fn compare_entry(
        &mut self,
        folder: &str,
        old: Option<GitTreeEntry<'_>>,
        new: Option<GitTreeEntry<'_>>,
        below: &mut Vec<FolderPair>,
    ) -> Result<(), String> {
        let Some(entry) = new.or(old) else { return Ok(()) };
        let Some(path) = entry_path(folder, &entry) else { return Ok(()) };
        self.comparisons.budget.spend_change(&path)?;
        if entry.is_folder() {
            below.push((path, old.map(|old| old.id), new.map(|new| new.id)));
        } else if let Some(path) = RepoPath::new(&path) {
            let sides = self.sides_by_path.entry(path).or_default();
            sides.0 = old.map(|old| tree_file(&old)).or(sides.0);
            sides.1 = new.map(|new| tree_file(&new)).or(sides.1);
        }
        Ok(())
    }
}

/// Returns the path of an entry; None where it is longer than git's own limit.
fn entry_path(folder: &str, entry: &GitTreeEntry<'_>) -> Option<String> {
    if folder.len() > MOST_OF_A_PATH {
        return None;
    }
    let name = String::from_utf8_lossy(entry.name);
    Some(if folder.is_empty() { name.into_owned() } else { format!("{folder}/{name}") })
}

fn file_change(
    (path, (old, new)): (RepoPath, (Option<TreeFile>, Option<TreeFile>)),
) -> Option<FileChange> {
    let kind = match (old, new) {
        (None, None) => return None,
        (None, Some(_)) => EditKind::Create,
        (Some(_), None) => EditKind::Delete,
        (Some(_), Some(_)) => EditKind::Modify,
    };
    let version = ChangeVersion::Whole { old, new };
    Some(FileChange { path, from: None, kind, version, origin: ChangeOrigin::Outside })
}

/// A deleted or a created file.
struct RenameSide {
    /// The position among the changes.
    at: usize,
    id: BlobId,
    mode: FileMode,
}

struct RenameSides {
    deleted: Vec<RenameSide>,
    created: Vec<RenameSide>,
}

/// A deleted file and the created one it became, among the changes.
type RenamePair = (usize, usize);

impl RenameSides {
    fn pair_count(&self) -> usize {
        self.deleted.len().min(MOST_SOURCES).saturating_mul(self.created.len())
    }

    /// Returns the pairs of the same content, in the order of their paths.
    fn equal_pairs(&self) -> Vec<RenamePair> {
        let key = |side: &RenameSide| (side.id, side.mode == FileMode::Link);
        let mut deleted: HashMap<(BlobId, bool), Vec<usize>> = HashMap::new();
        for side in self.deleted.iter().rev() {
            deleted.entry(key(side)).or_default().push(side.at);
        }
        let twin = |side: &RenameSide| Some((deleted.get_mut(&key(side))?.pop()?, side.at));
        self.created.iter().filter_map(twin).collect()
    }

    /// Returns the pairs that git's measure calls renames. libgit2 finds them in a repository in memory that has these
    /// files alone.
    fn similar_pairs(
        &self,
        read: &dyn Fn(BlobId) -> Option<Blob>,
    ) -> Result<Vec<RenamePair>, git2::Error> {
        let odb = Odb::new()?;
        odb.add_new_mempack_backend(1)?;
        let repo = Repository::from_odb(odb)?;
        repo.set_config(&git2::Config::new()?)?; // neither the recording's nor the user's
        let mut left = MOST_ALIKE;
        let old = write_side_tree(&repo, &self.deleted, read, &mut left)?;
        let new = write_side_tree(&repo, &self.created, read, &mut left)?;
        let mut diff = repo.diff_tree_to_tree(Some(&old), Some(&new), None)?;
        let mut similar = DiffFindOptions::new();
        similar.renames(true).rename_limit(MOST_SOURCES);
        diff.find_similar(Some(&mut similar))?;
        let place = |file: git2::DiffFile<'_>| file.path()?.to_str()?.parse::<usize>().ok();
        let renamed = diff.deltas().filter(|delta| delta.status() == Delta::Renamed);
        let mut pairs: Vec<RenamePair> = renamed
            .filter_map(|delta| Some((place(delta.old_file())?, place(delta.new_file())?)))
            .collect();
        let is_free =
            |(old, new): &RenamePair| !pairs.iter().any(|pair| pair.0 == *old || pair.1 == *new);
        let more: Vec<RenamePair> = self.equal_pairs().into_iter().filter(is_free).collect();
        pairs.extend(more);
        Ok(pairs)
    }
}

/// Writes a folder of these files, each named by its number, so that they are in the order of their paths.
fn write_side_tree<'r>(
    repo: &'r Repository,
    sides: &[RenameSide],
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

/// Returns the changes with each pair joined into one rename.
fn join_renames(changes: Vec<FileChange>, pairs: &[RenamePair]) -> Vec<FileChange> {
    let mut changes: Vec<Option<FileChange>> = changes.into_iter().map(Some).collect();
    for &(old, new) in pairs {
        if let (Some(deleted), Some(created)) = (changes[old].take(), changes[new].as_mut()) {
            created.version =
                ChangeVersion::Whole { old: deleted.file_before(), new: created.file_after() };
            created.kind = EditKind::Rename;
            created.from = Some(deleted.path);
        }
    }
    changes.into_iter().flatten().collect()
}

/// Prepares libgit2; to be called before it opens or makes a repository. A recording copied from elsewhere belongs to
/// another user; nothing of it is run. The settings of the user and of the machine are not used either: they must not
/// change what is recorded, and where they cannot be read nothing would be recorded.
pub(crate) fn prepare_libgit2() {
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

/// Returns the file of an entry. For a submodule the id is the other repository's commit.
fn tree_file(entry: &GitTreeEntry<'_>) -> TreeFile {
    let mode = match entry.mode {
        0o120000 => FileMode::Link,
        0o160000 => FileMode::Submodule,
        mode if mode & 0o111 != 0 => FileMode::Executable,
        _ => FileMode::Regular,
    };
    TreeFile { content: FileContent::Known(entry.id), mode }
}

#[cfg(test)]
mod tests;
