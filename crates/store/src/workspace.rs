//! The workspace of a working agent, kept as one commit a turn in a bundle's `workspace.git`.
//!
//! The repository lies outside the workspace and the agent never learns of it: its own `.git` is neither read nor
//! written. Trees are made from the files as they lie there, without git's filters, so that what is recorded is what
//! the agent left, byte for byte. Each commit is one pack, brought to the disk once (`store::pack_writer`).

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use git2::{DiffFormat, DiffOptions, ObjectType, Oid};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

pub use super::bare_repo::CommitNote;
use super::{
    bare_repo::{BareRepo, FOLDER_MODE, GitTreeRow, MEMORY_PRIORITY, NewObjects, git_error_text},
    file_bytes,
    objects::ObjectKind,
    start_files::LeftOutNames,
    write::WriteError,
};

/// The rules of which files of a workspace are recorded.
#[derive(Debug, Clone)]
pub struct RecordingRules {
    /// True if files that the workspace's own `.gitignore` names are recorded.
    pub records_ignored: bool,
    /// The patterns of paths that are never recorded.
    left_out: GlobSet,
    /// The most bytes of a file; longer files are not recorded.
    pub most_bytes: u64,
}

/// A commit that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCommit {
    /// The id of the commit: 40 hex digits, as that of the tree.
    pub commit: String,
    pub tree: String,
    /// The files that should have been recorded and could not be: path and reason.
    pub left_out: Vec<(String, String)>,
    /// The paths in whose names or contents a secret was covered.
    pub covered: Vec<String>,
}

/// The callbacks while files are recorded.
pub struct RecordingObserver<'a> {
    /// The function that covers secrets without changing the length; it returns whether there were any.
    pub cover: &'a dyn Fn(&mut [u8]) -> bool,
    /// The callback that gets the number of files read so far, now and then.
    pub count: &'a mut dyn FnMut(usize),
}

/// The number of files that are read between two calls of an observer.
const FILES_PER_REPORT: usize = 1_000;

/// The repository of one bundle.
pub struct WorkspaceHistory {
    bare: BareRepo,
    rules: RecordingRules,
    /// The folder that was looked at last, and whether the lists of ignored files that count in it can be read.
    lists: RefCell<Option<(PathBuf, bool)>>,
}

impl std::fmt::Debug for WorkspaceHistory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "History in {}", self.bare.path.display())
    }
}

/// The depth of folders that are recorded.
const MOST_DEEP: usize = 64;

impl RecordingRules {
    /// Makes the rules. The error names the pattern that is wrong.
    pub fn new(left_out: &[&str], records_ignored: bool, most_bytes: u64) -> Result<Self, String> {
        let mut globs = GlobSetBuilder::new();
        for pattern in left_out {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            globs.add(glob.map_err(|why| format!("{pattern:?} is not a valid pattern: {why}"))?);
        }
        let left_out = globs.build().map_err(|why| why.to_string())?;
        Ok(Self { records_ignored, left_out, most_bytes })
    }
}

impl WorkspaceHistory {
    /// Creates the repository in a bundle's folder.
    pub fn create(bundle: &Path, rules: RecordingRules) -> Result<Self, WriteError> {
        Ok(Self::new(BareRepo::create(&bundle.join("workspace.git"))?, rules))
    }

    /// Opens the repository of a bundle to continue it.
    pub fn open(bundle: &Path, rules: RecordingRules) -> Result<Self, WriteError> {
        Ok(Self::new(BareRepo::open(&bundle.join("workspace.git"))?, rules))
    }

    fn new(bare: BareRepo, rules: RecordingRules) -> Self {
        Self { bare, rules, lists: RefCell::new(None) }
    }

    /// Works as [`BareRepo::remove_locks`].
    pub fn remove_locks(&self) {
        self.bare.remove_locks();
    }

    /// Works as [`BareRepo::pack_all`].
    pub fn pack_all(&self) -> Result<(), WriteError> {
        self.bare.pack_all()
    }

    /// Records the files below `workspace` as the commit after `parent`.
    pub fn record_commit(
        &self,
        workspace: &Path,
        parent: Option<&str>,
        note: &CommitNote<'_>,
        onlooker: RecordingObserver<'_>,
    ) -> Result<RecordedCommit, WriteError> {
        let failed = |why: git2::Error| self.bare.write_error(&why);
        let odb = self.bare.repo.odb().map_err(failed)?;
        let mut walk = WorkspaceWalk::new(self, workspace, self.bare.new_objects(&odb), onlooker);
        let (commit, tree) = self.write_commit(&mut walk, parent, note).map_err(failed)?;
        let WorkspaceWalk { left_out, covered, objects, .. } = walk;
        self.bare.finish_commit(objects, commit)?;
        Ok(RecordedCommit { commit: commit.to_string(), tree: tree.to_string(), left_out, covered })
    }

    /// Returns the differences of the files below `workspace` from a commit (None: no files), as a unified patch with
    /// renames. Nothing is written: its objects are kept in memory.
    pub fn patch_from(
        &self,
        workspace: &Path,
        parent: Option<&str>,
        cover: &dyn Fn(&mut [u8]) -> bool,
    ) -> Result<Vec<u8>, WriteError> {
        let mut patch = vec![];
        let mut write = || -> Result<(), git2::Error> {
            let odb = self.bare.repo.odb()?;
            let memory = odb.add_new_mempack_backend(MEMORY_PRIORITY)?;
            let objects = NewObjects::in_memory(&odb);
            let onlooker = RecordingObserver { cover, count: &mut |_| {} };
            let new =
                self.write_tree(&mut WorkspaceWalk::new(self, workspace, objects, onlooker))?;
            let new = self.bare.repo.find_tree(new)?;
            let old = parent
                .map(|id| self.bare.repo.find_commit(Oid::from_str(id)?)?.tree())
                .transpose()?;
            let mut diff = self.bare.repo.diff_tree_to_tree(old.as_ref(), Some(&new), None)?;
            diff.find_similar(None)?;
            diff.print(DiffFormat::Patch, |_, _, line| {
                if matches!(line.origin(), '+' | '-' | ' ') {
                    patch.push(line.origin() as u8);
                }
                patch.extend_from_slice(line.content());
                true
            })?;
            memory.reset()
        };
        write().map_err(|why| self.bare.write_error(&why))?;
        Ok(patch)
    }

    /// Returns the differences of two commits, as a unified patch that `git apply` takes: with renames, and whole
    /// binary files.
    pub fn patch_between(&self, old: Option<&str>, new: &str) -> Result<Vec<u8>, WriteError> {
        let tree = |id: &str| self.bare.repo.find_commit(Oid::from_str(id)?)?.tree();
        let made = || -> Result<Vec<u8>, git2::Error> {
            let (old, new) = (old.map(tree).transpose()?, tree(new)?);
            let mut options = DiffOptions::new();
            options.show_binary(true).id_abbrev(40); // without whole ids git takes no file that is no text
            let repo = &self.bare.repo;
            let mut diff = repo.diff_tree_to_tree(old.as_ref(), Some(&new), Some(&mut options))?;
            diff.find_similar(None)?;
            let mut patch = vec![];
            diff.print(DiffFormat::Patch, |_, _, line| {
                if matches!(line.origin(), '+' | '-' | ' ') {
                    patch.push(line.origin() as u8);
                }
                patch.extend_from_slice(line.content());
                true
            })?;
            Ok(patch)
        };
        made().map_err(|why| self.bare.write_error(&why))
    }

    /// Returns the paths of the last recorded workspace that are never recorded, but for git's own folders; folders end
    /// with a slash.
    pub fn unrecorded_files(&self, workspace: &Path) -> LeftOutNames {
        let mut names = vec![];
        self.find_unrecorded(workspace, Path::new(""), 0, &mut names);
        LeftOutNames::from_names(names)
    }

    fn find_unrecorded(&self, root: &Path, inner: &Path, depth: usize, names: &mut Vec<String>) {
        for entry in fs::read_dir(root.join(inner)).into_iter().flatten().flatten() {
            let path = inner.join(entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if entry.file_name() == ".git" {
                continue;
            }
            if self.is_never_recorded(&path) {
                names.push(format!("{}{}", path.display(), if is_folder { "/" } else { "" }));
            } else if is_folder && depth < MOST_DEEP {
                self.find_unrecorded(root, &path, depth + 1, names);
            }
        }
    }

    /// Writes the tree of the files as they are in the workspace.
    fn write_tree(&self, walk: &mut WorkspaceWalk<'_, '_>) -> Result<Oid, git2::Error> {
        if !self.rules.records_ignored {
            self.bare.repo.set_workdir(walk.workspace, false)?;
            self.bare.repo.clear_ignore_rules()?;
            self.lists.take(); // what was known of them was so before
        }
        match walk.folder_tree(&InnerPath::default(), 0)? {
            Some(tree) => Ok(tree),
            None => walk.objects.add_object(ObjectKind::Tree, b""),
        }
    }

    fn write_commit(
        &self,
        walk: &mut WorkspaceWalk<'_, '_>,
        parent: Option<&str>,
        note: &CommitNote<'_>,
    ) -> Result<(Oid, Oid), git2::Error> {
        let tree = self.write_tree(walk)?;
        let parent = parent.map(|id| self.bare.repo.find_commit(Oid::from_str(id)?)).transpose()?;
        let commit = walk.objects.add_commit(tree, parent.map(|it| it.id()), note)?;
        Ok((commit, tree))
    }

    /// Makes the files below `folder` those of a commit (None: none at all), as far as they are recorded: what is
    /// never recorded stays as it is, and so does any `.git`.
    pub fn restore_files(&self, folder: &Path, commit: Option<&str>) -> Result<(), WriteError> {
        let failed = |why: git2::Error| WriteError::new(folder, git_error_text(&why));
        if !is_folder(folder) {
            let _ = fs::remove_file(folder); // it may well not be there; what a link leads to is not ours
        }
        fs::create_dir_all(folder)
            .map_err(|why| WriteError::new(folder, file_bytes::error_reason(&why)))?;
        if !self.rules.records_ignored {
            self.bare.repo.set_workdir(folder, false).map_err(failed)?;
            self.lists.take(); // as above
        }
        let tree = commit
            .map(|id| self.bare.repo.find_commit(Oid::from_str(id)?)?.tree())
            .transpose()
            .map_err(failed)?;
        self.restore_folder(folder, Path::new(""), tree.as_ref(), 0)
            .map_err(WriteError::at_path(folder))
    }

    fn restore_folder(
        &self,
        root: &Path,
        inner: &Path,
        tree: Option<&git2::Tree<'_>>,
        depth: usize,
    ) -> Result<(), String> {
        let folder = root.join(inner);
        let mut wanted: BTreeMap<Vec<u8>, (Oid, i32)> = BTreeMap::new();
        for entry in tree.iter().flat_map(|tree| tree.iter()) {
            wanted.insert(entry.name_bytes().to_vec(), (entry.id(), entry.filemode()));
        }
        for entry in fs::read_dir(&folder).map_err(|why| file_bytes::error_reason(&why))? {
            let entry = entry.map_err(|why| file_bytes::error_reason(&why))?;
            let path = inner.join(entry.file_name());
            let is_wanted = wanted.contains_key(entry.file_name().as_encoded_bytes());
            if !is_wanted && !self.is_never_recorded(&path) && depth < MOST_DEEP {
                self.remove_entry(root, &path)?;
            }
        }
        for (name, (id, mode)) in wanted {
            let name = String::from_utf8_lossy(&name).into_owned();
            self.restore_entry(root, &inner.join(name), id, mode, depth)?;
        }
        Ok(())
    }

    fn restore_entry(
        &self,
        root: &Path,
        inner: &Path,
        id: Oid,
        mode: i32,
        depth: usize,
    ) -> Result<(), String> {
        let path = root.join(inner);
        let entry_error =
            |why: io::Error| format!("{}: {}", inner.display(), file_bytes::error_reason(&why));
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
        if mode == FOLDER_MODE {
            let tree = self.bare.repo.find_tree(id).map_err(|why| git_error_text(&why))?;
            if !is_folder {
                let _ = fs::remove_file(&path); // it may well not be there
                fs::create_dir(&path).map_err(entry_error)?;
            }
            return self.restore_folder(root, inner, Some(&tree), depth + 1);
        }
        if is_folder {
            fs::remove_dir_all(&path).map_err(entry_error)?;
        }
        let blob = self.bare.repo.find_blob(id).map_err(|why| git_error_text(&why))?;
        place_file(&PlacedFile { path: &path, content: blob.content(), mode }).map_err(entry_error)
    }

    /// Removes what is at a path, except what is never recorded.
    fn remove_entry(&self, root: &Path, inner: &Path) -> Result<(), String> {
        let path = root.join(inner);
        let entry_error =
            |why: io::Error| format!("{}: {}", inner.display(), file_bytes::error_reason(&why));
        if !fs::symlink_metadata(&path).map_err(entry_error)?.is_dir() {
            return fs::remove_file(&path).map_err(entry_error);
        }
        for entry in fs::read_dir(&path).map_err(entry_error)? {
            let child = inner.join(entry.map_err(entry_error)?.file_name());
            if !self.is_never_recorded(&child) {
                self.remove_entry(root, &child)?;
            }
        }
        let _ = fs::remove_dir(&path); // it stays where it has files that are never recorded
        Ok(())
    }

    fn is_never_recorded(&self, inner: &Path) -> bool {
        inner.file_name().is_some_and(|name| name == ".git")
            || self.rules.left_out.is_match(inner)
            || (!self.rules.records_ignored
                && self.has_readable_ignore_lists(inner)
                && self.bare.repo.is_path_ignored(inner).unwrap_or(false))
    }

    /// Returns whether the lists of ignored files that count for a path can be read. Where an agent put a pipe or a
    /// device in the place of one, libgit2 would wait for it for ever, so that nothing is ignored there.
    fn has_readable_ignore_lists(&self, inner: &Path) -> bool {
        let folder = inner.parent().unwrap_or(Path::new(""));
        if let Some((last, has_lists)) = &*self.lists.borrow()
            && last == folder
        {
            return *has_lists;
        }
        let root = self.bare.repo.workdir();
        let is_list = |inner: &Path| {
            let list = root.map(|root| root.join(inner).join(".gitignore"));
            list.and_then(|list| fs::metadata(list).ok()).is_none_or(|meta| meta.is_file())
        };
        let has_lists = folder.ancestors().all(is_list);
        *self.lists.borrow_mut() = Some((folder.to_owned(), has_lists));
        has_lists
    }
}

/// A path below the workspace: where it lies, and as it is recorded.
#[derive(Debug, Clone, Default)]
struct InnerPath {
    path: PathBuf,
    display_path: PathBuf,
}

/// A walk that turns folders into trees.
struct WorkspaceWalk<'a, 'o> {
    history: &'a WorkspaceHistory,
    workspace: &'a Path,
    objects: NewObjects<'a>,
    onlooker: RecordingObserver<'o>,
    files: usize,
    left_out: Vec<(String, String)>,
    covered: Vec<String>,
}

impl<'a, 'o> WorkspaceWalk<'a, 'o> {
    fn new(
        history: &'a WorkspaceHistory,
        workspace: &'a Path,
        objects: NewObjects<'a>,
        onlooker: RecordingObserver<'o>,
    ) -> Self {
        Self { history, workspace, objects, onlooker, files: 0, left_out: vec![], covered: vec![] }
    }

    /// Writes the tree of a folder, and returns its id; None for a folder without files: git has none.
    fn folder_tree(&mut self, inner: &InnerPath, depth: usize) -> Result<Option<Oid>, git2::Error> {
        let mut names = vec![];
        let path = self.workspace.join(&inner.path);
        // Asked of the workspace itself its path must not end with a slash, or what a link leads to would answer.
        let is_root = inner.path.as_os_str().is_empty();
        match fs::read_dir(&path) {
            Ok(_) if !is_folder(if is_root { self.workspace } else { path.as_path() }) => {
                self.leave_out(inner, "it is a link; not followed")
            }
            Ok(entries) => names.extend(entries.flatten().map(|entry| entry.file_name())),
            Err(why) => self.leave_out(inner, &file_bytes::error_reason(&why)),
        }
        let mut rows: Vec<GitTreeRow> = vec![];
        for name in names {
            let mut recorded = name.as_encoded_bytes().to_vec();
            let is_covered = (self.onlooker.cover)(&mut recorded);
            let display_path = inner.display_path.join(String::from_utf8_lossy(&recorded).as_ref());
            let child = InnerPath { path: inner.path.join(&name), display_path };
            if self.history.is_never_recorded(&child.path) {
                continue;
            }
            if name.eq_ignore_ascii_case(".git")
                || rows.iter().any(|row| is_covered && row.0 == recorded)
            {
                self.leave_out(&child, "git cannot store a file with this name");
                continue;
            }
            if is_covered {
                self.covered.push(child.display_path.to_string_lossy().into_owned());
            }
            rows.extend(self.tree_entry(&child, depth)?.map(|(id, mode)| (recorded, id, mode)));
        }
        if rows.is_empty() { Ok(None) } else { self.objects.add_tree(rows).map(Some) }
    }

    /// Writes a file, a link or a folder, and returns its id and git mode; None for what is left out.
    fn tree_entry(
        &mut self,
        inner: &InnerPath,
        depth: usize,
    ) -> Result<Option<(Oid, i32)>, git2::Error> {
        let path = self.workspace.join(&inner.path);
        let most = self.history.rules.most_bytes;
        let kind = match fs::symlink_metadata(&path) {
            Ok(meta) => meta,
            Err(why) => {
                self.leave_out(inner, &file_bytes::error_reason(&why));
                return Ok(None);
            }
        };
        if kind.is_dir() && depth >= MOST_DEEP {
            self.leave_out(inner, "it lies too deep");
            return Ok(None);
        }
        if kind.is_dir() {
            return Ok(self.folder_tree(inner, depth + 1)?.map(|id| (id, FOLDER_MODE)));
        }
        let content = if kind.is_symlink() {
            fs::read_link(&path).map(|to| (to.as_os_str().as_encoded_bytes().to_vec(), 0o120000))
        } else if !kind.is_file() {
            self.leave_out(inner, "it is neither file, folder nor link");
            return Ok(None);
        } else if kind.len() > most {
            let what =
                format!("it has {} bytes; files of up to {most} bytes are recorded", kind.len());
            self.leave_out(inner, &what);
            return Ok(None);
        } else {
            fs::read(&path).map(|content| (content, mode_of(&kind)))
        };
        match content {
            Ok((content, mode)) => Ok(Some((self.add_blob(inner, content)?, mode))),
            Err(why) => {
                self.leave_out(inner, &file_bytes::error_reason(&why));
                Ok(None)
            }
        }
    }

    fn add_blob(&mut self, inner: &InnerPath, mut content: Vec<u8>) -> Result<Oid, git2::Error> {
        self.files += 1;
        if self.files.is_multiple_of(FILES_PER_REPORT) {
            (self.onlooker.count)(self.files);
        }
        if (self.onlooker.cover)(&mut content) {
            self.covered.push(inner.display_path.to_string_lossy().into_owned());
        }
        self.objects.add_object(ObjectKind::Blob, &content)
    }

    fn leave_out(&mut self, inner: &InnerPath, why: &str) {
        let is_root = inner.display_path.as_os_str().is_empty();
        let shown = if is_root { Path::new(".") } else { &inner.display_path };
        self.left_out.push((shown.to_string_lossy().into_owned(), why.to_owned()));
    }
}

/// Returns whether a path is a folder itself, and no link to one.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Returns the mode that git records for a file: 0o100755 where its owner may execute it, else 0o100644.
#[cfg(unix)]
fn mode_of(meta: &fs::Metadata) -> i32 {
    use std::os::unix::fs::PermissionsExt;
    if meta.permissions().mode() & 0o100 == 0 { 0o100644 } else { 0o100755 }
}

#[cfg(not(unix))]
fn mode_of(_: &fs::Metadata) -> i32 {
    0o100644
}

/// A file or a link, as a tree has it.
pub(super) struct PlacedFile<'a> {
    pub path: &'a Path,
    pub content: &'a [u8],
    pub mode: i32,
}

/// Writes a file or a link where something else may lie.
#[cfg(unix)]
pub(super) fn place_file(it: &PlacedFile<'_>) -> io::Result<()> {
    let PlacedFile { path, content, mode } = *it;
    use std::os::unix::{ffi::OsStrExt, fs::PermissionsExt};
    let now = fs::symlink_metadata(path).ok();
    let is_same = |meta: &fs::Metadata| {
        meta.is_file() && mode_of(meta) == mode && fs::read(path).is_ok_and(|it| it == content)
    };
    if now.as_ref().is_some_and(is_same) {
        return Ok(());
    }
    if now.is_some() {
        fs::remove_file(path)?;
    }
    if mode == 0o120000 {
        return std::os::unix::fs::symlink(std::ffi::OsStr::from_bytes(content), path);
    }
    fs::write(path, content)?;
    let bits = if mode & 0o111 == 0 { 0o644 } else { 0o755 };
    fs::set_permissions(path, fs::Permissions::from_mode(bits))
}

#[cfg(not(unix))]
pub(super) fn place_file(it: &PlacedFile<'_>) -> io::Result<()> {
    fs::write(it.path, it.content)
}

impl WorkspaceHistory {
    /// Returns whether there is such a commit.
    pub fn has_commit(&self, commit: &str) -> bool {
        let commit_id = Oid::from_str(commit)
            .and_then(|id| self.bare.repo.find_object(id, Some(ObjectType::Commit)).map(|_| ()));
        commit_id.is_ok()
    }

    /// Returns the paths that differ between two commits (None: no files), at most that many.
    pub fn changed_paths(&self, old: Option<&str>, new: &str, most: usize) -> Vec<String> {
        let tree = |id: &str| self.bare.repo.find_commit(Oid::from_str(id)?)?.tree();
        let names = || -> Result<Vec<String>, git2::Error> {
            let old = old.map(tree).transpose()?;
            let diff = self.bare.repo.diff_tree_to_tree(old.as_ref(), Some(&tree(new)?), None)?;
            let path = |delta: git2::DiffDelta<'_>| {
                let file = delta.new_file().path().or(delta.old_file().path())?;
                Some(file.to_string_lossy().into_owned())
            };
            Ok(diff.deltas().filter_map(path).take(most).collect())
        };
        names().unwrap_or_default()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use git2::Repository;

    use crate::bare_repo::CONFIG;
    use trajview_run::Time;

    use super::*;

    struct TestWorkspace {
        bundle: tempfile::TempDir,
        workspace: tempfile::TempDir,
    }

    impl TestWorkspace {
        fn new() -> Self {
            Self { bundle: tempfile::tempdir().unwrap(), workspace: tempfile::tempdir().unwrap() }
        }

        fn write(&self, name: &str, content: &str) {
            let path = self.workspace.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }

        fn new_history(&self, records_ignored: bool) -> WorkspaceHistory {
            let rules = RecordingRules::new(&["**/__pycache__"], records_ignored, 100).unwrap();
            WorkspaceHistory::create(self.bundle.path(), rules).unwrap()
        }

        fn record_files(&self, history: &WorkspaceHistory, parent: Option<&str>) -> RecordedCommit {
            let trailers = [("Turn", "1".to_owned())];
            let note = CommitNote { title: "turn 1", trailers: &trailers, at: Time(1_000) };
            let onlooker = RecordingObserver { cover: &|_| false, count: &mut |_| {} };
            history.record_commit(self.workspace.path(), parent, &note, onlooker).unwrap()
        }

        fn file_names(&self) -> Vec<String> {
            let mut files = vec![];
            list_files(self.workspace.path(), self.workspace.path(), &mut files);
            files.sort();
            files
        }
    }

    fn list_files(root: &Path, folder: &Path, files: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                list_files(root, &entry.path(), files);
            } else {
                let path = entry.path();
                files.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }

    #[test]
    fn a_workspace_is_recorded_as_it_lies_there() {
        let place = TestWorkspace::new();
        place.write("a/b.txt", "one\r\n");
        place.write("a/__pycache__/b.pyc", "x");
        place.write(".git/HEAD", "ref: refs/heads/main");
        place.write("big", &"x".repeat(101));
        std::os::unix::fs::symlink("/etc/passwd", place.workspace.path().join("link")).unwrap();
        let history = place.new_history(true);

        let taken = place.record_files(&history, None);

        let repo = super::super::repo::Repo::open(&place.bundle.path().join("workspace.git"));
        let tree = repo.unwrap().tree_of_commit(&taken.commit).unwrap();
        let names: Vec<&str> = tree.files.keys().map(|path| path.as_str()).collect();
        assert_eq!(names, ["a/b.txt", "link"]);
        let what = "it has 101 bytes; files of up to 100 bytes are recorded";
        assert_eq!(taken.left_out, [("big".to_owned(), what.to_owned())]);
    }

    #[test]
    fn ignored_files_are_recorded_or_not() {
        let place = TestWorkspace::new();
        place.write(".gitignore", "*.log\n");
        place.write("a.log", "x");
        let history = place.new_history(false);
        let with = place.record_files(&history, None);
        place.write("b.log", "y");

        let again = place.record_files(&history, Some(&with.commit));

        assert_eq!(with.tree, again.tree);
        let elsewhere = TestWorkspace { bundle: tempfile::tempdir().unwrap(), ..place };
        let all = elsewhere.record_files(&elsewhere.new_history(true), None);
        assert_ne!(all.tree, with.tree);
    }

    #[test]
    fn what_is_no_list_of_ignored_files_is_neither_waited_for_nor_followed() {
        let place = TestWorkspace::new();
        place.write(".gitignore", "*.log\n");
        place.write("a.log", "x");
        place.write("pipe/a.log", "x");
        place.write("device/sub/a.log", "x");
        place.write("list/a.log", "x");
        let path = |name: &str| place.workspace.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(path("pipe/.gitignore")).status();
        assert!(made.unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", path("device/.gitignore")).unwrap();
        fs::create_dir(path("list/.gitignore")).unwrap();
        let history = place.new_history(false);

        let taken = place.record_files(&history, None);
        history.restore_files(place.workspace.path(), Some(&taken.commit)).unwrap();

        let repo = super::super::repo::Repo::open(&place.bundle.path().join("workspace.git"));
        let tree = repo.unwrap().tree_of_commit(&taken.commit).unwrap();
        let names: Vec<&str> = tree.files.keys().map(|path| path.as_str()).collect();
        let logs = ["device/sub/a.log", "list/a.log", "pipe/a.log"];
        assert_eq!(names, [".gitignore", "device/.gitignore", logs[0], logs[1], logs[2]]);
        let left_out: Vec<&str> = taken.left_out.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(left_out, ["pipe/.gitignore"]);
    }

    #[test]
    fn a_workspace_goes_back_to_a_commit() {
        let place = TestWorkspace::new();
        let history = place.new_history(true);
        place.write("a", "one");
        place.write("folder/b", "two");
        std::os::unix::fs::symlink("a", place.workspace.path().join("link")).unwrap();
        let first = place.record_files(&history, None);
        place.write("a", "changed");
        fs::remove_dir_all(place.workspace.path().join("folder")).unwrap();
        place.write("folder", "now a file");
        place.write("new/file", "x");
        place.write("new/.git/HEAD", "theirs");
        fs::remove_file(place.workspace.path().join("link")).unwrap();
        place.write("link/x", "now a folder");

        history.restore_files(place.workspace.path(), Some(&first.commit)).unwrap();

        assert_eq!(place.file_names(), ["a", "folder/b", "link", "new/.git/HEAD"]);
        assert_eq!(place.record_files(&history, None).tree, first.tree);
        history.restore_files(place.workspace.path(), None).unwrap();
        assert_eq!(place.file_names(), ["new/.git/HEAD"]);
    }

    #[test]
    fn a_link_in_the_place_of_the_workspace_is_neither_recorded_nor_emptied() {
        let place = TestWorkspace::new();
        let history = place.new_history(true);
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("mine"), "x").unwrap();
        fs::remove_dir(place.workspace.path()).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), place.workspace.path()).unwrap();

        let taken = place.record_files(&history, None);
        history.restore_files(place.workspace.path(), Some(&taken.commit)).unwrap();

        assert_eq!(taken.left_out, [(".".to_owned(), "it is a link; not followed".to_owned())]);
        assert!(elsewhere.path().join("mine").is_file());
        assert!(is_folder(place.workspace.path()));
    }

    #[test]
    fn what_differs_from_a_commit_is_a_patch() {
        let place = TestWorkspace::new();
        let history = place.new_history(true);
        place.write("a", "one\ntwo\nthree\n");
        let first = place.record_files(&history, None);
        fs::rename(place.workspace.path().join("a"), place.workspace.path().join("b")).unwrap();
        place.write("b", "one\ntwo\nfour\n");

        let patch =
            history.patch_from(place.workspace.path(), Some(&first.commit), &|_| false).unwrap();

        let patch = String::from_utf8(patch).unwrap();
        assert!(patch.contains("rename from a\nrename to b\n"), "{patch}");
        assert!(patch.contains(" two\n-three\n+four\n"), "{patch}");
        assert!(
            history
                .patch_from(place.workspace.path(), None, &|_| false)
                .unwrap()
                .starts_with(b"diff --git a/b b/b\nnew file")
        );
    }

    #[test]
    fn the_lock_of_a_writer_that_was_killed_is_taken_away() {
        let place = TestWorkspace::new();
        let first = place.record_files(&place.new_history(true), None);
        let lock = place.bundle.path().join("workspace.git/refs/heads/main.lock");
        fs::write(&lock, "").unwrap();

        let rules = RecordingRules::new(&[], true, 100).unwrap();
        let history = WorkspaceHistory::open(place.bundle.path(), rules).unwrap();
        history.remove_locks();

        assert!(!lock.exists());
        place.record_files(&history, Some(&first.commit));
    }

    #[test]
    fn a_history_that_is_gone_on_with_has_a_configuration_of_ours() {
        let place = TestWorkspace::new();
        let first = place.record_files(&place.new_history(true), None);
        let config = place.bundle.path().join("workspace.git/config");
        fs::write(&config, "[include]\n\tpath = ../../elsewhere\n[core]\n\tworktree = /\n")
            .unwrap();
        let rules = || RecordingRules::new(&[], true, 100).unwrap();

        let history = WorkspaceHistory::open(place.bundle.path(), rules()).unwrap();

        assert!(history.has_commit(&first.commit));
        assert_eq!(fs::read_to_string(&config).unwrap(), CONFIG);
        let objects = place.bundle.path().join("workspace.git/objects");
        let elsewhere = place.workspace.path().join("objects");
        fs::rename(&objects, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &objects).unwrap();
        let why = WorkspaceHistory::open(place.bundle.path(), rules()).unwrap_err().to_string();
        assert!(why.ends_with("objects is a link; not followed"), "{why}");
    }

    #[test]
    fn a_packed_history_reads_as_before() {
        let place = TestWorkspace::new();
        let history = place.new_history(true);
        place.write("a", "one");
        let first = place.record_files(&history, None);
        place.write("a", "two");
        let second = place.record_files(&history, Some(&first.commit));

        history.pack_all().unwrap();

        let rules = RecordingRules::new(&[], true, 100).unwrap();
        let history = WorkspaceHistory::open(place.bundle.path(), rules).unwrap();
        assert!(history.has_commit(&first.commit) && history.has_commit(&second.commit));
        assert_eq!(history.changed_paths(Some(&first.commit), &second.commit, 9), ["a"]);
        history.restore_files(place.workspace.path(), Some(&first.commit)).unwrap();
        assert_eq!(fs::read(place.workspace.path().join("a")).unwrap(), b"one");
    }

    #[test]
    fn what_a_kill_left_of_one_pack_is_taken_away_and_the_pack_is_made_again() {
        let place = TestWorkspace::new();
        let history = place.new_history(true);
        place.write("a", "one");
        let first = place.record_files(&history, None);
        place.write("a", "two");
        let second = place.record_files(&history, Some(&first.commit));
        let folder = place.bundle.path().join("workspace.git/objects/pack");
        for alone in ["0".repeat(40) + ".idx", "1".repeat(40) + ".pack"] {
            fs::write(folder.join(format!("pack-{alone}")), b"what was there").unwrap();
        }
        let part = folder.join("whole.part-1");
        fs::create_dir(&part).unwrap();
        fs::write(part.join("pack-1.idx"), b"what was there").unwrap();

        let rules = RecordingRules::new(&[], true, 100).unwrap();
        let history = WorkspaceHistory::open(place.bundle.path(), rules).unwrap();
        history.pack_all().unwrap();

        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().flatten().map(|it| it.path()).collect();
        names.sort();
        let ends: Vec<_> = names.iter().map(|path| path.extension().unwrap()).collect();
        assert_eq!(ends, ["idx", "pack"]);
        assert_eq!(names[0].file_stem(), names[1].file_stem());
        assert!(history.has_commit(&first.commit) && history.has_commit(&second.commit));
        let path = place.bundle.path().join("workspace.git");
        let objects = crate::objects::ObjectStore::open(&path).unwrap();
        objects.check_packs().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_leads_to_is_not_swept() {
        let place = TestWorkspace::new();
        let history = place.new_history(true);
        place.write("a", "one");
        place.record_files(&history, None);
        let folder = place.bundle.path().join("workspace.git/objects/pack");
        let elsewhere = tempfile::tempdir().unwrap();
        let theirs = elsewhere.path().join("pack-1.idx");
        fs::write(&theirs, b"theirs").unwrap();
        fs::remove_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), &folder).unwrap();

        let rules = RecordingRules::new(&[], true, 100).unwrap();
        let why = WorkspaceHistory::open(place.bundle.path(), rules).unwrap_err().to_string();

        assert!(why.contains("objects/pack is a link; not followed"), "{why}");
        assert!(theirs.exists());
    }

    fn pack_count(place: &TestWorkspace) -> usize {
        let folder = place.bundle.path().join("workspace.git/objects/pack");
        fs::read_dir(folder)
            .unwrap()
            .flatten()
            .filter(|it| it.path().extension().is_some_and(|end| end == "pack"))
            .count()
    }

    #[test]
    fn a_commit_is_one_pack_whatever_the_number_of_files() {
        let place = TestWorkspace::new();
        for number in 0..1_500 {
            place.write(&format!("folder{}/{number}", number % 7), &format!("file {number}"));
        }
        let history = place.new_history(true);
        let mut counted = vec![];
        let trailers = [("Turn", "1".to_owned())];
        let note = CommitNote { title: "turn 1", trailers: &trailers, at: Time(1_000) };
        let onlooker =
            RecordingObserver { cover: &|_| false, count: &mut |count| counted.push(count) };

        let first = history.record_commit(place.workspace.path(), None, &note, onlooker).unwrap();

        assert_eq!(counted, [1_000]);
        assert_eq!(pack_count(&place), 1);
        let loose = fs::read_dir(place.bundle.path().join("workspace.git/objects")).unwrap();
        let mut names: Vec<_> = loose.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        assert_eq!(names, ["info", "pack"]);
        let same = place.record_files(&history, Some(&first.commit));
        assert_eq!(same.tree, first.tree);
        history.pack_all().unwrap();
        assert_eq!(pack_count(&place), 1);
        assert!(history.has_commit(&first.commit) && history.has_commit(&same.commit));
    }

    #[test]
    fn trees_are_those_that_git_itself_would_write() {
        let place = TestWorkspace::new();
        for name in ["a/x", "a.b", "a-b", "ab", "b/c/d", "\u{e9}"] {
            place.write(name, name);
        }
        let history = place.new_history(true);
        let taken = place.record_files(&history, None);
        let repo = Repository::init(place.workspace.path()).unwrap();
        let mut index = repo.index().unwrap();
        index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).unwrap();

        assert_eq!(taken.tree, index.write_tree().unwrap().to_string());
    }

    #[test]
    fn what_must_not_be_recorded_is_covered_in_contents_links_and_names() {
        let place = TestWorkspace::new();
        place.write("env.txt", "KEY=sesame\n");
        place.write("sesame/a", "nothing");
        place.write("plain", "nothing");
        std::os::unix::fs::symlink("sesame/a", place.workspace.path().join("link")).unwrap();
        let history = place.new_history(true);
        let cover = |bytes: &mut [u8]| {
            let match_at = memchr::memmem::find(bytes, b"sesame");
            match_at.is_some_and(|at| {
                bytes[at..at + 6].fill(b'*');
                true
            })
        };
        let note = CommitNote { title: "t", trailers: &[], at: Time(0) };
        let onlooker = RecordingObserver { cover: &cover, count: &mut |_| {} };

        let mut taken =
            history.record_commit(place.workspace.path(), None, &note, onlooker).unwrap();

        taken.covered.sort();
        assert_eq!(taken.covered, ["******", "env.txt", "link"]);
        let elsewhere = tempfile::tempdir().unwrap();
        history.restore_files(elsewhere.path(), Some(&taken.commit)).unwrap();
        let read = |name: &str| fs::read_to_string(elsewhere.path().join(name)).unwrap();
        assert_eq!((read("env.txt").as_str(), read("link").as_str()), ("KEY=******\n", "nothing"));
    }

    #[test]
    fn looking_at_what_differs_writes_nothing() {
        let place = TestWorkspace::new();
        let history = place.new_history(true);
        place.write("a", "one\n");
        let first = place.record_files(&history, None);
        let count = || {
            let mut files = vec![];
            list_files(place.bundle.path(), place.bundle.path(), &mut files);
            files.len()
        };
        let before = count();
        place.write("a", "two\n");

        let patch =
            history.patch_from(place.workspace.path(), Some(&first.commit), &|_| false).unwrap();

        assert!(String::from_utf8(patch).unwrap().contains("-one\n+two\n"));
        assert_eq!(count(), before);
    }
}
