//! The code of a person's repository, to be measured: the files of its commits, and those of its working folder that
//! git does not ignore. Nothing of it is written, and no filter or hook of it runs.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use git2::{ErrorCode, ObjectType, Oid, Repository, StatusOptions, TreeWalkMode, TreeWalkResult};
use rayon::prelude::*;

use trajview_run::{
    RepoPath,
    files::{Blob, BlobId, Blobs, FileContent, FileMode, SourceTree, TreeFile},
};

use super::{
    bare_repo::git_error_text, file_bytes::error_reason, plain_folder, repo::prepare_libgit2,
};

/// A bit of an entry of the index: a sparse checkout does not have the file in the working folder.
const SKIP_WORKTREE: u16 = 1 << 14;

/// A repository, and the folder of it whose code is measured. Paths are relative to that folder.
pub struct CodeRepository {
    repository: Mutex<Repository>,
    folder: PathBuf,
    /// The folder's path in the repository, with a `/` at the end; empty for the whole repository.
    below: String,
}

/// The files of the working folder, read.
pub struct WorkingFiles {
    pub tree: SourceTree,
    contents: HashMap<BlobId, Blob>,
    /// The last commit, by its whole id; None without commits.
    pub head: Option<String>,
    /// The files that differ from the last commit, new ones included.
    pub changed: usize,
}

impl Blobs for WorkingFiles {
    fn read_blob(&self, id: BlobId) -> Result<Blob, String> {
        self.contents.get(&id).cloned().ok_or_else(|| format!("content {id} was not read"))
    }
}

impl Blobs for CodeRepository {
    fn read_blob(&self, id: BlobId) -> Result<Blob, String> {
        let repository = self.lock();
        let read = Oid::from_bytes(&id.0).and_then(|id| repository.find_blob(id));
        read.map(|blob| Blob::from(blob.content())).map_err(|why| self.error_text(&why))
    }
}

/// Returns whether a folder is the top of a repository: it has a `.git`, or it is bare.
pub fn is_top_of_repository(folder: &Path) -> bool {
    let is_bare = || ["HEAD", "objects", "refs"].iter().all(|name| folder.join(name).exists());
    folder.join(".git").exists() || is_bare()
}

impl CodeRepository {
    /// Finds the repository that a folder lies in; None where there is none. The error is a sentence.
    pub fn find(folder: &Path) -> Result<Option<Self>, String> {
        prepare_libgit2();
        let failed = |why: String| format!("{}: {why}", folder.display());
        let repository = match Repository::discover(folder) {
            Ok(repository) => repository,
            Err(why) if why.code() == ErrorCode::NotFound => return Ok(None),
            Err(why) => return Err(failed(git_error_text(&why))),
        };
        let below = match repository.workdir() {
            Some(root) => path_below(root, folder).map_err(|why| failed(error_reason(&why)))?,
            None => String::new(),
        };
        let (folder, repository) = (folder.to_owned(), Mutex::new(repository));
        Ok(Some(Self { repository, folder, below }))
    }

    fn lock(&self) -> MutexGuard<'_, Repository> {
        self.repository.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error_text(&self, why: &git2::Error) -> String {
        format!("{}: {}", self.folder.display(), git_error_text(why))
    }

    /// Returns whether the repository has no working folder.
    pub fn is_bare(&self) -> bool {
        self.lock().is_bare()
    }

    /// Returns whether older commits were not fetched.
    pub fn is_shallow(&self) -> bool {
        self.lock().is_shallow()
    }

    /// Returns the whole id of the commit that a revision names; `main...` is the last one that HEAD has in common with
    /// main, as for `git diff`. None where the repository has no such revision.
    pub fn commit_of_revision(&self, revision: &str) -> Option<String> {
        let repository = self.lock();
        let commit = |revision: &str| {
            repository.revparse_single(revision)?.peel_to_commit().map(|commit| commit.id())
        };
        let found = match revision.strip_suffix("...") {
            Some(branch) => {
                commit(branch).and_then(|branch| repository.merge_base(commit("HEAD")?, branch))
            }
            None => commit(revision),
        };
        found.ok().map(|id| id.to_string())
    }

    /// Returns the names of branches and tags, those of remotes as `origin/main`.
    pub fn reference_names(&self) -> Vec<String> {
        let repository = self.lock();
        let Ok(references) = repository.references() else { return vec![] };
        let name =
            |it: Result<git2::Reference<'_>, _>| it.ok()?.shorthand().ok().map(str::to_owned);
        references.filter_map(name).collect()
    }

    /// Returns the files of a commit. The error is a sentence.
    pub fn files_of_commit(&self, commit: &str) -> Result<SourceTree, String> {
        let repository = self.lock();
        let mut files = SourceTree::default();
        let mut read = || -> Result<(), git2::Error> {
            let mut tree = repository.find_commit(Oid::from_str(commit)?)?.tree()?;
            if !self.below.is_empty() {
                match tree.get_path(Path::new(&self.below)).and_then(|it| it.to_object(&repository))
                {
                    Ok(object) => tree = object.peel_to_tree()?,
                    Err(why) if why.code() == ErrorCode::NotFound => return Ok(()),
                    Err(why) => return Err(why),
                }
            }
            tree.walk(TreeWalkMode::PreOrder, |above, entry| {
                let name = String::from_utf8_lossy(entry.name_bytes());
                let is_file = entry.kind() == Some(ObjectType::Blob);
                let path = RepoPath::new(&format!("{above}{name}")).filter(|_| is_file);
                let file = tree_file(entry.id(), entry.filemode().cast_unsigned());
                files.files.extend(path.map(|path| (path, file)));
                TreeWalkResult::Ok
            })
        };
        read().map_err(|why| self.error_text(&why))?;
        Ok(files)
    }

    /// Reads the files of the working folder whose path `takes` accepts: those that git tracks and those that it does not
    /// ignore. The error is a sentence.
    pub fn working_files(&self, takes: &dyn Fn(&str) -> bool) -> Result<WorkingFiles, String> {
        let listed = self.list_working(takes).map_err(|why| self.error_text(&why))?;
        let ListedFiles { root, paths, absent, head, changed } = listed;
        let mut tree = SourceTree::default();
        let mut contents = HashMap::new();
        for (path, id) in absent {
            contents.insert(id, self.read_blob(id)?);
            tree.files.insert(path, regular_file(id));
        }
        let folder = root.join(&self.below);
        let read = |path: &RepoPath| {
            let bytes = plain_folder::read_countable(&folder, path)?;
            Ok((path.clone(), BlobId::for_bytes(&bytes), Blob::from(bytes)))
        };
        let read: Result<Vec<(RepoPath, BlobId, Blob)>, String> =
            paths.par_iter().map(read).collect();
        for (path, id, bytes) in read? {
            contents.insert(id, bytes);
            tree.files.insert(path, regular_file(id));
        }
        Ok(WorkingFiles { tree, contents, head, changed })
    }

    fn list_working(&self, takes: &dyn Fn(&str) -> bool) -> Result<ListedFiles, git2::Error> {
        let repository = self.lock();
        let root = repository.workdir().unwrap_or_else(|| repository.path()).to_owned();
        let head = repository.head().and_then(|head| head.peel_to_commit());
        let head = head.ok().map(|commit| commit.id().to_string());
        let mut listed = ListedFiles { root, head, ..ListedFiles::default() };
        let mut folders = RealFolders { root: listed.root.clone(), known: HashMap::new() };
        let inner = |bytes: &[u8]| {
            let path = String::from_utf8_lossy(bytes).into_owned();
            path.strip_prefix(&self.below).and_then(RepoPath::new)
        };
        let mut paths = BTreeMap::new();
        for entry in repository.index()?.iter() {
            let Some(path) = inner(&entry.path).filter(|path| takes(path.as_str())) else {
                continue;
            };
            let is_absent = entry.flags_extended & SKIP_WORKTREE != 0;
            if is_absent && is_regular(entry.mode) {
                listed.absent.push((path, blob_id(entry.id)));
            } else if !is_absent && entry.mode != 0o160_000 {
                paths.insert(path, String::from_utf8_lossy(&entry.path).into_owned());
            }
        }
        let mut options = StatusOptions::new();
        options.include_untracked(true).recurse_untracked_dirs(true).exclude_submodules(true);
        for entry in repository.statuses(Some(&mut options))?.iter() {
            let bytes = entry.path_bytes();
            // git reports a repository within the repository as a folder.
            let Some(path) = inner(bytes).filter(|_| !bytes.ends_with(b"/")) else { continue };
            listed.changed += 1;
            if entry.status().is_wt_new() && takes(path.as_str()) {
                paths.insert(path, String::from_utf8_lossy(bytes).into_owned());
            }
        }
        let is_there = |(path, whole): (RepoPath, String)| folders.has_file(&whole).then_some(path);
        listed.paths = paths.into_iter().filter_map(is_there).collect();
        Ok(listed)
    }
}

/// The files of the working folder, not read yet.
#[derive(Default)]
struct ListedFiles {
    root: PathBuf,
    paths: Vec<RepoPath>,
    /// Those that a sparse checkout leaves in the repository.
    absent: Vec<(RepoPath, BlobId)>,
    head: Option<String>,
    changed: usize,
}

/// The folders that are folders, and not links to one: nothing behind a link is of the repository.
struct RealFolders {
    root: PathBuf,
    known: HashMap<PathBuf, bool>,
}

impl RealFolders {
    /// Returns whether a path leads to a file without passing a link.
    fn has_file(&mut self, path: &str) -> bool {
        let path = Path::new(path);
        let is_file = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_file());
        path.parent().is_none_or(|folder| self.is_real(folder)) && is_file(&self.root.join(path))
    }

    fn is_real(&mut self, folder: &Path) -> bool {
        if folder.as_os_str().is_empty() {
            return true;
        }
        if let Some(is_real) = self.known.get(folder) {
            return *is_real;
        }
        let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_dir());
        let is_real = folder.parent().is_none_or(|above| self.is_real(above))
            && is_folder(&self.root.join(folder));
        self.known.insert(folder.to_owned(), is_real);
        is_real
    }
}

/// Returns the path of a folder below the top of its repository, with a `/` at the end; empty for the top.
fn path_below(root: &Path, folder: &Path) -> std::io::Result<String> {
    let (root, folder) = (fs::canonicalize(root)?, fs::canonicalize(folder)?);
    let below = folder.strip_prefix(&root).unwrap_or(Path::new("")).to_string_lossy().into_owned();
    Ok(if below.is_empty() { below } else { below.replace('\\', "/") + "/" })
}

const fn is_regular(mode: u32) -> bool {
    mode & 0o170_000 == 0o100_000
}

fn blob_id(id: Oid) -> BlobId {
    let mut bytes = [0; 20];
    bytes.copy_from_slice(id.as_bytes());
    BlobId(bytes)
}

const fn regular_file(id: BlobId) -> TreeFile {
    TreeFile { content: FileContent::Known(id), mode: FileMode::Regular }
}

fn tree_file(id: Oid, mode: u32) -> TreeFile {
    let mode = if is_regular(mode) { FileMode::Regular } else { FileMode::Link };
    TreeFile { mode, ..regular_file(blob_id(id)) }
}
