//! A bundle's repository: trees and blobs of commits. git2 does not leave this file.
//!
//! A recorded repository is somebody else's: it is opened bare and only read, and one that points outside its own
//! folder is refused.

use std::{
    fs,
    path::Path,
    sync::{Mutex, MutexGuard, Once, PoisonError},
};

use git2::{Delta, DiffFindOptions, DiffOptions, Oid, Repository, TreeWalkMode, TreeWalkResult};

use crate::run::{
    EditKind, RepoPath,
    files::{Blob, BlobId, Blobs, Change, Content, FileMode, Origin, Tree, TreeFile, Version},
};

/// Libgit2's repository may be sent between threads, not shared.
pub struct Repo {
    inner: Mutex<Repository>,
}

impl std::fmt::Debug for Repo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Repo")
    }
}

/// Files by which a repository borrows from another place.
const POINTERS: [&str; 3] = ["commondir", "gitdir", "objects/info/alternates"];

impl Repo {
    /// Opens a bare repository. The error is a sentence.
    pub fn open(path: &Path) -> Result<Self, String> {
        trust_any_owner();
        let is_link = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        if is_link {
            return Err("the repository is a link; not followed".into());
        }
        if let Some(pointer) = POINTERS.iter().find(|pointer| path.join(pointer).exists()) {
            return Err(format!("the repository borrows from outside ({pointer}); not followed"));
        }
        let inner = Repository::open_bare(path).map_err(|why| match why.code() {
            git2::ErrorCode::NotFound => "not a bare repository".to_owned(),
            _ => sentence(&why),
        })?;
        Ok(Self { inner: Mutex::new(inner) })
    }

    fn lock(&self) -> MutexGuard<'_, Repository> {
        // A thread that panicked while reading left nothing half-written behind.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All files of a commit. The error is a sentence.
    pub fn tree(&self, commit: &str) -> Result<Tree, String> {
        let repo = self.lock();
        let tree = commit_tree(&repo, commit)?;
        let mut files = Tree::default();
        let walked = tree.walk(TreeWalkMode::PreOrder, |folder, entry| {
            // A tree may say that it contains itself; git's own depth limit for paths is 4,096 bytes.
            if folder.len() > 4096 {
                return TreeWalkResult::Skip;
            }
            let name = String::from_utf8_lossy(entry.name_bytes());
            if let (Some(mode), Some(path)) =
                (mode_of(entry.filemode()), RepoPath::new(&format!("{folder}{name}")))
            {
                files.files.insert(path, TreeFile { content: content_of(entry.id()), mode });
            }
            TreeWalkResult::Ok
        });
        walked.map_err(|why| sentence(&why))?;
        Ok(files)
    }

    /// The first parent of a commit, as 40 hex digits.
    pub fn parent(&self, commit: &str) -> Option<String> {
        let repo = self.lock();
        let commit = repo.find_commit(Oid::from_str(commit).ok()?).ok()?;
        Some(commit.parent_id(0).ok()?.to_string())
    }

    /// What changed from one commit to another, renames found as git finds them (half of the lines alike), sorted by
    /// path. `old` None is the empty tree. The error is a sentence.
    pub fn changes(&self, old: Option<&str>, new: &str) -> Result<Vec<Change>, String> {
        let repo = self.lock();
        let old = old.map(|old| commit_tree(&repo, old)).transpose()?;
        let new = commit_tree(&repo, new)?;
        let mut options = DiffOptions::new();
        options.include_typechange(true).ignore_submodules(false);
        let mut diff = repo
            .diff_tree_to_tree(old.as_ref(), Some(&new), Some(&mut options))
            .map_err(|why| sentence(&why))?;
        let mut similar = DiffFindOptions::new();
        similar.renames(true).rename_limit(400);
        diff.find_similar(Some(&mut similar)).map_err(|why| sentence(&why))?;
        let mut changes: Vec<Change> =
            diff.deltas().filter_map(|delta| change_of(&delta)).collect();
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    /// Whether the repository has that commit.
    pub fn has_commit(&self, commit: &str) -> bool {
        let repo = self.lock();
        Oid::from_str(commit).is_ok_and(|id| repo.find_commit(id).is_ok())
    }
}

impl Blobs for Repo {
    fn blob(&self, id: BlobId) -> Result<Blob, String> {
        let repo = self.lock();
        let id = Oid::from_bytes(&id.0).map_err(|why| sentence(&why))?;
        let blob = repo.find_blob(id).map_err(|why| sentence(&why))?;
        Ok(blob.content().into())
    }
}

/// A recording copied from elsewhere belongs to someone else; we only read it and run nothing of it.
pub fn trust_any_owner() {
    static ONCE: Once = Once::new();
    // SAFETY: libgit2 keeps this as a plain global; `Once` makes sure that no two threads set it at the same time.
    ONCE.call_once(|| {
        if let Err(why) = unsafe { git2::opts::set_verify_owner_validation(false) } {
            debug_assert!(false, "{why}"); // then a foreign repository is refused, in words, when it is opened
        }
    });
}

fn commit_tree<'r>(repo: &'r Repository, commit: &str) -> Result<git2::Tree<'r>, String> {
    let id = Oid::from_str(commit).map_err(|_| format!("{commit:?} is not a commit id"))?;
    repo.find_commit(id)
        .and_then(|commit| commit.tree())
        .map_err(|why| format!("commit {commit}: {}", sentence(&why)))
}

fn change_of(delta: &git2::DiffDelta<'_>) -> Option<Change> {
    let path = |file: &git2::DiffFile<'_>| {
        file.path_bytes().and_then(|path| RepoPath::new(&String::from_utf8_lossy(path)))
    };
    let file = |file: &git2::DiffFile<'_>| {
        let mode = mode_of(i32::try_from(u32::from(file.mode())).ok()?)?;
        Some(TreeFile { content: content_of(file.id()), mode })
    };
    let (old, new) = (delta.old_file(), delta.new_file());
    let kind = match delta.status() {
        Delta::Added | Delta::Copied => EditKind::Create,
        Delta::Deleted => EditKind::Delete,
        Delta::Renamed => EditKind::Rename,
        _ => EditKind::Modify,
    };
    Some(Change {
        path: if kind == EditKind::Delete { path(&old)? } else { path(&new)? },
        from: if kind == EditKind::Rename { path(&old) } else { None },
        kind,
        version: Version::Whole {
            old: if kind == EditKind::Create { None } else { file(&old) },
            new: if kind == EditKind::Delete { None } else { file(&new) },
        },
        origin: Origin::Outside,
    })
}

/// For a submodule the id is the other repository's commit.
fn content_of(id: Oid) -> Content {
    <[u8; 20]>::try_from(id.as_bytes())
        .map_or(Content::NotRecorded, |bytes| Content::Known(BlobId(bytes)))
}

/// None for a folder.
fn mode_of(mode: i32) -> Option<FileMode> {
    match mode {
        0o040000 => None,
        0o120000 => Some(FileMode::Link),
        0o160000 => Some(FileMode::Submodule),
        mode if mode & 0o111 != 0 => Some(FileMode::Executable),
        _ => Some(FileMode::Regular),
    }
}

fn sentence(why: &git2::Error) -> String {
    why.message().trim_end_matches('.').to_owned()
}
