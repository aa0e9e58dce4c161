//! The workspace of an agent under way, kept as one commit a turn in a bundle's `workspace.git`.
//!
//! The repository lies outside the workspace and the agent never learns of it: its own `.git` is neither read nor
//! written. Trees are made from the files as they lie there, without git's filters, so that what is recorded is what
//! the agent left, byte for byte. Each commit is one pack, brought to the disk once (`store::pack`).

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use git2::{DiffFormat, DiffOptions, ObjectType, Oid};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

pub use super::bare::Note;
use super::{
    bare::{Bare, FOLDER, MEMORY_FIRST, Objects, TreeRow, sentence},
    beginning::LeftOut,
    bytes,
    objects::Kind,
    write::WriteError,
};

/// What of a workspace is recorded.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Whether files that the workspace's own `.gitignore` names are recorded.
    pub records_ignored: bool,
    /// Paths that are never recorded.
    left_out: GlobSet,
    /// Longer files are not recorded (bytes).
    pub most_bytes: u64,
}

/// A commit that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// 40 hex digits, as is the tree.
    pub commit: String,
    pub tree: String,
    /// What should have been recorded and could not be: path and reason.
    pub left_out: Vec<(String, String)>,
    /// Paths in whose names or contents something was covered.
    pub covered: Vec<String>,
}

/// Whoever looks on while files are taken.
pub struct Onlooker<'a> {
    /// Covers what must not be recorded, without changing the length; whether there was any.
    pub cover: &'a dyn Fn(&mut [u8]) -> bool,
    /// Told now and then how many files were read so far.
    pub count: &'a mut dyn FnMut(usize),
}

/// How often an onlooker is told (files).
const COUNTED: usize = 1_000;

/// The repository of one bundle.
pub struct History {
    bare: Bare,
    rules: Rules,
    /// The folder that was looked at last, and whether the lists of ignored files that count in it can be read.
    lists: RefCell<Option<(PathBuf, bool)>>,
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "History in {}", self.bare.path.display())
    }
}

/// Deeper folders are not recorded.
const MOST_DEEP: usize = 64;

impl Rules {
    /// The error names the pattern that is none.
    pub fn new(left_out: &[&str], records_ignored: bool, most_bytes: u64) -> Result<Self, String> {
        let mut globs = GlobSetBuilder::new();
        for pattern in left_out {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            globs.add(glob.map_err(|why| format!("{pattern:?} is no pattern: {why}"))?);
        }
        let left_out = globs.build().map_err(|why| why.to_string())?;
        Ok(Self { records_ignored, left_out, most_bytes })
    }
}

impl History {
    /// A new repository in a bundle's folder.
    pub fn create(bundle: &Path, rules: Rules) -> Result<Self, WriteError> {
        Ok(Self::of(Bare::create(&bundle.join("workspace.git"))?, rules))
    }

    /// The repository of a bundle that is gone on with.
    pub fn open(bundle: &Path, rules: Rules) -> Result<Self, WriteError> {
        Ok(Self::of(Bare::open(&bundle.join("workspace.git"))?, rules))
    }

    fn of(bare: Bare, rules: Rules) -> Self {
        Self { bare, rules, lists: RefCell::new(None) }
    }

    /// See `unlock`.
    pub fn unlock(&self) {
        self.bare.unlock();
    }

    /// See `pack`.
    pub fn pack(&self) -> Result<(), WriteError> {
        self.bare.pack()
    }

    /// Records the files below `workspace` as the commit after `parent`.
    pub fn take(
        &self,
        workspace: &Path,
        parent: Option<&str>,
        note: &Note<'_>,
        onlooker: Onlooker<'_>,
    ) -> Result<Taken, WriteError> {
        let failed = |why: git2::Error| self.bare.failed(&why);
        let odb = self.bare.repo.odb().map_err(failed)?;
        let mut walk = Walk::new(self, workspace, self.bare.objects(&odb), onlooker);
        let (commit, tree) = self.commit(&mut walk, parent, note).map_err(failed)?;
        let Walk { left_out, covered, objects, .. } = walk;
        self.bare.finish(objects, commit)?;
        Ok(Taken { commit: commit.to_string(), tree: tree.to_string(), left_out, covered })
    }

    /// How the files below `workspace` differ from a commit (None: no files), as a unified patch, renames found. Nothing is
    /// written: what it needs is kept in memory.
    pub fn patch(
        &self,
        workspace: &Path,
        parent: Option<&str>,
        cover: &dyn Fn(&mut [u8]) -> bool,
    ) -> Result<Vec<u8>, WriteError> {
        let mut patch = vec![];
        let mut write = || -> Result<(), git2::Error> {
            let odb = self.bare.repo.odb()?;
            let memory = odb.add_new_mempack_backend(MEMORY_FIRST)?;
            let objects = Objects::in_memory(&odb);
            let onlooker = Onlooker { cover, count: &mut |_| {} };
            let new = self.tree(&mut Walk::new(self, workspace, objects, onlooker))?;
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
        write().map_err(|why| self.bare.failed(&why))?;
        Ok(patch)
    }

    /// How two commits differ, as a unified patch that `git apply` takes: renames found, files that are no text whole.
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
        made().map_err(|why| self.bare.failed(&why))
    }

    /// What lies in the workspace that was taken last and is never recorded, but for git's own folders: paths, those of folders
    /// with a slash at their ends.
    pub fn unrecorded(&self, workspace: &Path) -> LeftOut {
        let mut found = vec![];
        self.find_unrecorded(workspace, Path::new(""), 0, &mut found);
        LeftOut::of(found)
    }

    fn find_unrecorded(&self, root: &Path, inner: &Path, depth: usize, found: &mut Vec<String>) {
        for entry in fs::read_dir(root.join(inner)).into_iter().flatten().flatten() {
            let path = inner.join(entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if entry.file_name() == ".git" {
                continue;
            }
            if self.is_never_recorded(&path) {
                found.push(format!("{}{}", path.display(), if is_folder { "/" } else { "" }));
            } else if is_folder && depth < MOST_DEEP {
                self.find_unrecorded(root, &path, depth + 1, found);
            }
        }
    }

    /// The tree of the files as they lie there.
    fn tree(&self, walk: &mut Walk<'_, '_>) -> Result<Oid, git2::Error> {
        if !self.rules.records_ignored {
            self.bare.repo.set_workdir(walk.workspace, false)?;
            self.bare.repo.clear_ignore_rules()?;
            self.lists.take(); // what was known of them was so before
        }
        match walk.folder(&Inner::default(), 0)? {
            Some(tree) => Ok(tree),
            None => walk.objects.put(Kind::Tree, b""),
        }
    }

    fn commit(
        &self,
        walk: &mut Walk<'_, '_>,
        parent: Option<&str>,
        note: &Note<'_>,
    ) -> Result<(Oid, Oid), git2::Error> {
        let tree = self.tree(walk)?;
        let parent = parent.map(|id| self.bare.repo.find_commit(Oid::from_str(id)?)).transpose()?;
        let commit = walk.objects.commit(tree, parent.map(|it| it.id()), note)?;
        Ok((commit, tree))
    }

    /// Makes the files below `folder` those of a commit (None: none at all), as far as they are recorded: what is
    /// never recorded stays as it is, and so does any `.git`.
    pub fn restore(&self, folder: &Path, commit: Option<&str>) -> Result<(), WriteError> {
        let failed = |why: git2::Error| WriteError::new(folder, sentence(&why));
        if !is_folder(folder) {
            let _ = fs::remove_file(folder); // it may well not be there; what a link leads to is not ours
        }
        fs::create_dir_all(folder).map_err(|why| WriteError::new(folder, bytes::reason(&why)))?;
        if !self.rules.records_ignored {
            self.bare.repo.set_workdir(folder, false).map_err(failed)?;
            self.lists.take(); // as above
        }
        let tree = commit
            .map(|id| self.bare.repo.find_commit(Oid::from_str(id)?)?.tree())
            .transpose()
            .map_err(failed)?;
        self.restore_folder(folder, Path::new(""), tree.as_ref(), 0).map_err(WriteError::at(folder))
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
        for entry in fs::read_dir(&folder).map_err(|why| bytes::reason(&why))? {
            let entry = entry.map_err(|why| bytes::reason(&why))?;
            let path = inner.join(entry.file_name());
            let is_wanted = wanted.contains_key(entry.file_name().as_encoded_bytes());
            if !is_wanted && !self.is_never_recorded(&path) && depth < MOST_DEEP {
                self.remove(root, &path)?;
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
        let said = |why: io::Error| format!("{}: {}", inner.display(), bytes::reason(&why));
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
        if mode == FOLDER {
            let tree = self.bare.repo.find_tree(id).map_err(|why| sentence(&why))?;
            if !is_folder {
                let _ = fs::remove_file(&path); // it may well not be there
                fs::create_dir(&path).map_err(said)?;
            }
            return self.restore_folder(root, inner, Some(&tree), depth + 1);
        }
        if is_folder {
            fs::remove_dir_all(&path).map_err(said)?;
        }
        let blob = self.bare.repo.find_blob(id).map_err(|why| sentence(&why))?;
        place(&Placed { path: &path, content: blob.content(), mode }).map_err(said)
    }

    /// Takes away what is at a path, but for what is never recorded.
    fn remove(&self, root: &Path, inner: &Path) -> Result<(), String> {
        let path = root.join(inner);
        let said = |why: io::Error| format!("{}: {}", inner.display(), bytes::reason(&why));
        if !fs::symlink_metadata(&path).map_err(said)?.is_dir() {
            return fs::remove_file(&path).map_err(said);
        }
        for entry in fs::read_dir(&path).map_err(said)? {
            let child = inner.join(entry.map_err(said)?.file_name());
            if !self.is_never_recorded(&child) {
                self.remove(root, &child)?;
            }
        }
        let _ = fs::remove_dir(&path); // it stays where it holds what is never recorded
        Ok(())
    }

    fn is_never_recorded(&self, inner: &Path) -> bool {
        inner.file_name().is_some_and(|name| name == ".git")
            || self.rules.left_out.is_match(inner)
            || (!self.rules.records_ignored
                && self.has_lists(inner)
                && self.bare.repo.is_path_ignored(inner).unwrap_or(false))
    }

    /// Whether the lists of ignored files that count for a path can be read. Where an agent put a pipe or a device in the
    /// place of one, libgit2 would wait for it for ever, so that nothing is ignored there.
    fn has_lists(&self, inner: &Path) -> bool {
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
struct Inner {
    path: PathBuf,
    shown: PathBuf,
}

/// Folders on their way into trees.
struct Walk<'a, 'o> {
    history: &'a History,
    workspace: &'a Path,
    objects: Objects<'a>,
    onlooker: Onlooker<'o>,
    files: usize,
    left_out: Vec<(String, String)>,
    covered: Vec<String>,
}

impl<'a, 'o> Walk<'a, 'o> {
    fn new(
        history: &'a History,
        workspace: &'a Path,
        objects: Objects<'a>,
        onlooker: Onlooker<'o>,
    ) -> Self {
        Self { history, workspace, objects, onlooker, files: 0, left_out: vec![], covered: vec![] }
    }

    /// None for a folder without files: git has none.
    fn folder(&mut self, inner: &Inner, depth: usize) -> Result<Option<Oid>, git2::Error> {
        let mut names = vec![];
        let path = self.workspace.join(&inner.path);
        // Asked of the workspace itself its path must not end with a slash, or what a link leads to would answer.
        let is_root = inner.path.as_os_str().is_empty();
        match fs::read_dir(&path) {
            Ok(_) if !is_folder(if is_root { self.workspace } else { path.as_path() }) => {
                self.leave_out(inner, "it is a link; not followed")
            }
            Ok(entries) => names.extend(entries.flatten().map(|entry| entry.file_name())),
            Err(why) => self.leave_out(inner, &bytes::reason(&why)),
        }
        let mut rows: Vec<TreeRow> = vec![];
        for name in names {
            let mut recorded = name.as_encoded_bytes().to_vec();
            let is_covered = (self.onlooker.cover)(&mut recorded);
            let shown = inner.shown.join(String::from_utf8_lossy(&recorded).as_ref());
            let child = Inner { path: inner.path.join(&name), shown };
            if self.history.is_never_recorded(&child.path) {
                continue;
            }
            if name.eq_ignore_ascii_case(".git")
                || rows.iter().any(|row| is_covered && row.0 == recorded)
            {
                self.leave_out(&child, "git can hold no file of this name");
                continue;
            }
            if is_covered {
                self.covered.push(child.shown.to_string_lossy().into_owned());
            }
            rows.extend(self.entry(&child, depth)?.map(|(id, mode)| (recorded, id, mode)));
        }
        if rows.is_empty() { Ok(None) } else { self.objects.tree(rows).map(Some) }
    }

    fn entry(&mut self, inner: &Inner, depth: usize) -> Result<Option<(Oid, i32)>, git2::Error> {
        let path = self.workspace.join(&inner.path);
        let most = self.history.rules.most_bytes;
        let kind = match fs::symlink_metadata(&path) {
            Ok(meta) => meta,
            Err(why) => {
                self.leave_out(inner, &bytes::reason(&why));
                return Ok(None);
            }
        };
        if kind.is_dir() && depth >= MOST_DEEP {
            self.leave_out(inner, "it lies too deep");
            return Ok(None);
        }
        if kind.is_dir() {
            return Ok(self.folder(inner, depth + 1)?.map(|id| (id, FOLDER)));
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
            Ok((content, mode)) => Ok(Some((self.blob(inner, content)?, mode))),
            Err(why) => {
                self.leave_out(inner, &bytes::reason(&why));
                Ok(None)
            }
        }
    }

    fn blob(&mut self, inner: &Inner, mut content: Vec<u8>) -> Result<Oid, git2::Error> {
        self.files += 1;
        if self.files.is_multiple_of(COUNTED) {
            (self.onlooker.count)(self.files);
        }
        if (self.onlooker.cover)(&mut content) {
            self.covered.push(inner.shown.to_string_lossy().into_owned());
        }
        self.objects.put(Kind::Blob, &content)
    }

    fn leave_out(&mut self, inner: &Inner, why: &str) {
        let is_root = inner.shown.as_os_str().is_empty();
        let shown = if is_root { Path::new(".") } else { &inner.shown };
        self.left_out.push((shown.to_string_lossy().into_owned(), why.to_owned()));
    }
}

/// Whether it is a folder itself, and no link to one.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Whether a commit's content of this kind is one that anyone can read back.
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
pub(super) struct Placed<'a> {
    pub path: &'a Path,
    pub content: &'a [u8],
    pub mode: i32,
}

/// Writes a file or a link where something else may lie.
#[cfg(unix)]
pub(super) fn place(it: &Placed<'_>) -> io::Result<()> {
    let Placed { path, content, mode } = *it;
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
pub(super) fn place(it: &Placed<'_>) -> io::Result<()> {
    fs::write(it.path, it.content)
}

impl History {
    /// Whether there is such a commit.
    pub fn has(&self, commit: &str) -> bool {
        let found = Oid::from_str(commit)
            .and_then(|id| self.bare.repo.find_object(id, Some(ObjectType::Commit)).map(|_| ()));
        found.is_ok()
    }

    /// The paths that differ between two commits (None: no files), at most that many.
    pub fn changed(&self, old: Option<&str>, new: &str, most: usize) -> Vec<String> {
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

    use crate::bare::CONFIG;
    use trajview_run::Time;

    use super::*;

    struct Place {
        bundle: tempfile::TempDir,
        workspace: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Self {
            Self { bundle: tempfile::tempdir().unwrap(), workspace: tempfile::tempdir().unwrap() }
        }

        fn write(&self, name: &str, content: &str) {
            let path = self.workspace.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }

        fn history(&self, records_ignored: bool) -> History {
            let rules = Rules::new(&["**/__pycache__"], records_ignored, 100).unwrap();
            History::create(self.bundle.path(), rules).unwrap()
        }

        fn take(&self, history: &History, parent: Option<&str>) -> Taken {
            let trailers = [("Turn", "1".to_owned())];
            let note = Note { title: "turn 1", trailers: &trailers, at: Time(1_000) };
            let onlooker = Onlooker { cover: &|_| false, count: &mut |_| {} };
            history.take(self.workspace.path(), parent, &note, onlooker).unwrap()
        }

        fn files(&self) -> Vec<String> {
            let mut found = vec![];
            list(self.workspace.path(), self.workspace.path(), &mut found);
            found.sort();
            found
        }
    }

    fn list(root: &Path, folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                list(root, &entry.path(), found);
            } else {
                let path = entry.path();
                found.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }

    #[test]
    fn a_workspace_is_recorded_as_it_lies_there() {
        let place = Place::new();
        place.write("a/b.txt", "one\r\n");
        place.write("a/__pycache__/b.pyc", "x");
        place.write(".git/HEAD", "ref: refs/heads/main");
        place.write("big", &"x".repeat(101));
        std::os::unix::fs::symlink("/etc/passwd", place.workspace.path().join("link")).unwrap();
        let history = place.history(true);

        let taken = place.take(&history, None);

        let repo = super::super::repo::Repo::open(&place.bundle.path().join("workspace.git"));
        let tree = repo.unwrap().tree(&taken.commit).unwrap();
        let names: Vec<&str> = tree.files.keys().map(|path| path.as_str()).collect();
        assert_eq!(names, ["a/b.txt", "link"]);
        let what = "it has 101 bytes; files of up to 100 bytes are recorded";
        assert_eq!(taken.left_out, [("big".to_owned(), what.to_owned())]);
    }

    #[test]
    fn ignored_files_are_recorded_or_not() {
        let place = Place::new();
        place.write(".gitignore", "*.log\n");
        place.write("a.log", "x");
        let history = place.history(false);
        let with = place.take(&history, None);
        place.write("b.log", "y");

        let again = place.take(&history, Some(&with.commit));

        assert_eq!(with.tree, again.tree);
        let elsewhere = Place { bundle: tempfile::tempdir().unwrap(), ..place };
        let all = elsewhere.take(&elsewhere.history(true), None);
        assert_ne!(all.tree, with.tree);
    }

    #[test]
    fn what_is_no_list_of_ignored_files_is_neither_waited_for_nor_followed() {
        let place = Place::new();
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
        let history = place.history(false);

        let taken = place.take(&history, None);
        history.restore(place.workspace.path(), Some(&taken.commit)).unwrap();

        let repo = super::super::repo::Repo::open(&place.bundle.path().join("workspace.git"));
        let tree = repo.unwrap().tree(&taken.commit).unwrap();
        let names: Vec<&str> = tree.files.keys().map(|path| path.as_str()).collect();
        let logs = ["device/sub/a.log", "list/a.log", "pipe/a.log"];
        assert_eq!(names, [".gitignore", "device/.gitignore", logs[0], logs[1], logs[2]]);
        let left_out: Vec<&str> = taken.left_out.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(left_out, ["pipe/.gitignore"]);
    }

    #[test]
    fn a_workspace_goes_back_to_a_commit() {
        let place = Place::new();
        let history = place.history(true);
        place.write("a", "one");
        place.write("folder/b", "two");
        std::os::unix::fs::symlink("a", place.workspace.path().join("link")).unwrap();
        let first = place.take(&history, None);
        place.write("a", "changed");
        fs::remove_dir_all(place.workspace.path().join("folder")).unwrap();
        place.write("folder", "now a file");
        place.write("new/file", "x");
        place.write("new/.git/HEAD", "theirs");
        fs::remove_file(place.workspace.path().join("link")).unwrap();
        place.write("link/x", "now a folder");

        history.restore(place.workspace.path(), Some(&first.commit)).unwrap();

        assert_eq!(place.files(), ["a", "folder/b", "link", "new/.git/HEAD"]);
        assert_eq!(place.take(&history, None).tree, first.tree);
        history.restore(place.workspace.path(), None).unwrap();
        assert_eq!(place.files(), ["new/.git/HEAD"]);
    }

    #[test]
    fn a_link_in_the_place_of_the_workspace_is_neither_recorded_nor_emptied() {
        let place = Place::new();
        let history = place.history(true);
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("mine"), "x").unwrap();
        fs::remove_dir(place.workspace.path()).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), place.workspace.path()).unwrap();

        let taken = place.take(&history, None);
        history.restore(place.workspace.path(), Some(&taken.commit)).unwrap();

        assert_eq!(taken.left_out, [(".".to_owned(), "it is a link; not followed".to_owned())]);
        assert!(elsewhere.path().join("mine").is_file());
        assert!(is_folder(place.workspace.path()));
    }

    #[test]
    fn what_differs_from_a_commit_is_a_patch() {
        let place = Place::new();
        let history = place.history(true);
        place.write("a", "one\ntwo\nthree\n");
        let first = place.take(&history, None);
        fs::rename(place.workspace.path().join("a"), place.workspace.path().join("b")).unwrap();
        place.write("b", "one\ntwo\nfour\n");

        let patch = history.patch(place.workspace.path(), Some(&first.commit), &|_| false).unwrap();

        let patch = String::from_utf8(patch).unwrap();
        assert!(patch.contains("rename from a\nrename to b\n"), "{patch}");
        assert!(patch.contains(" two\n-three\n+four\n"), "{patch}");
        assert!(
            history
                .patch(place.workspace.path(), None, &|_| false)
                .unwrap()
                .starts_with(b"diff --git a/b b/b\nnew file")
        );
    }

    #[test]
    fn the_lock_of_a_writer_that_was_killed_is_taken_away() {
        let place = Place::new();
        let first = place.take(&place.history(true), None);
        let lock = place.bundle.path().join("workspace.git/refs/heads/main.lock");
        fs::write(&lock, "").unwrap();

        let rules = Rules::new(&[], true, 100).unwrap();
        let history = History::open(place.bundle.path(), rules).unwrap();
        history.unlock();

        assert!(!lock.exists());
        place.take(&history, Some(&first.commit));
    }

    #[test]
    fn a_history_that_is_gone_on_with_has_a_configuration_of_ours() {
        let place = Place::new();
        let first = place.take(&place.history(true), None);
        let config = place.bundle.path().join("workspace.git/config");
        fs::write(&config, "[include]\n\tpath = ../../elsewhere\n[core]\n\tworktree = /\n")
            .unwrap();
        let rules = || Rules::new(&[], true, 100).unwrap();

        let history = History::open(place.bundle.path(), rules()).unwrap();

        assert!(history.has(&first.commit));
        assert_eq!(fs::read_to_string(&config).unwrap(), CONFIG);
        let objects = place.bundle.path().join("workspace.git/objects");
        let elsewhere = place.workspace.path().join("objects");
        fs::rename(&objects, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &objects).unwrap();
        let why = History::open(place.bundle.path(), rules()).unwrap_err().to_string();
        assert!(why.ends_with("objects is a link; not followed"), "{why}");
    }

    #[test]
    fn a_packed_history_reads_as_before() {
        let place = Place::new();
        let history = place.history(true);
        place.write("a", "one");
        let first = place.take(&history, None);
        place.write("a", "two");
        let second = place.take(&history, Some(&first.commit));

        history.pack().unwrap();

        let rules = Rules::new(&[], true, 100).unwrap();
        let history = History::open(place.bundle.path(), rules).unwrap();
        assert!(history.has(&first.commit) && history.has(&second.commit));
        assert_eq!(history.changed(Some(&first.commit), &second.commit, 9), ["a"]);
        history.restore(place.workspace.path(), Some(&first.commit)).unwrap();
        assert_eq!(fs::read(place.workspace.path().join("a")).unwrap(), b"one");
    }

    #[test]
    fn what_a_kill_left_of_one_pack_is_taken_away_and_the_pack_is_made_again() {
        let place = Place::new();
        let history = place.history(true);
        place.write("a", "one");
        let first = place.take(&history, None);
        place.write("a", "two");
        let second = place.take(&history, Some(&first.commit));
        let folder = place.bundle.path().join("workspace.git/objects/pack");
        for alone in ["0".repeat(40) + ".idx", "1".repeat(40) + ".pack"] {
            fs::write(folder.join(format!("pack-{alone}")), b"what was there").unwrap();
        }
        let part = folder.join("whole.part-1");
        fs::create_dir(&part).unwrap();
        fs::write(part.join("pack-1.idx"), b"what was there").unwrap();

        let rules = Rules::new(&[], true, 100).unwrap();
        let history = History::open(place.bundle.path(), rules).unwrap();
        history.pack().unwrap();

        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().flatten().map(|it| it.path()).collect();
        names.sort();
        let ends: Vec<_> = names.iter().map(|path| path.extension().unwrap()).collect();
        assert_eq!(ends, ["idx", "pack"]);
        assert_eq!(names[0].file_stem(), names[1].file_stem());
        assert!(history.has(&first.commit) && history.has(&second.commit));
        let path = place.bundle.path().join("workspace.git");
        let objects = crate::objects::Objects::open(&path).unwrap();
        objects.check_packs().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_leads_to_is_not_swept() {
        let place = Place::new();
        let history = place.history(true);
        place.write("a", "one");
        place.take(&history, None);
        let folder = place.bundle.path().join("workspace.git/objects/pack");
        let elsewhere = tempfile::tempdir().unwrap();
        let theirs = elsewhere.path().join("pack-1.idx");
        fs::write(&theirs, b"theirs").unwrap();
        fs::remove_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), &folder).unwrap();

        let rules = Rules::new(&[], true, 100).unwrap();
        let why = History::open(place.bundle.path(), rules).unwrap_err().to_string();

        assert!(why.contains("objects/pack is a link; not followed"), "{why}");
        assert!(theirs.exists());
    }

    fn packs(place: &Place) -> usize {
        let folder = place.bundle.path().join("workspace.git/objects/pack");
        fs::read_dir(folder)
            .unwrap()
            .flatten()
            .filter(|it| it.path().extension().is_some_and(|end| end == "pack"))
            .count()
    }

    #[test]
    fn a_commit_is_one_pack_whatever_the_number_of_files() {
        let place = Place::new();
        for number in 0..1_500 {
            place.write(&format!("folder{}/{number}", number % 7), &format!("file {number}"));
        }
        let history = place.history(true);
        let mut counted = vec![];
        let trailers = [("Turn", "1".to_owned())];
        let note = Note { title: "turn 1", trailers: &trailers, at: Time(1_000) };
        let onlooker = Onlooker { cover: &|_| false, count: &mut |count| counted.push(count) };

        let first = history.take(place.workspace.path(), None, &note, onlooker).unwrap();

        assert_eq!(counted, [1_000]);
        assert_eq!(packs(&place), 1);
        let loose = fs::read_dir(place.bundle.path().join("workspace.git/objects")).unwrap();
        let mut names: Vec<_> = loose.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        assert_eq!(names, ["info", "pack"]);
        let same = place.take(&history, Some(&first.commit));
        assert_eq!(same.tree, first.tree);
        history.pack().unwrap();
        assert_eq!(packs(&place), 1);
        assert!(history.has(&first.commit) && history.has(&same.commit));
    }

    #[test]
    fn trees_are_those_that_git_itself_would_write() {
        let place = Place::new();
        for name in ["a/x", "a.b", "a-b", "ab", "b/c/d", "\u{e9}"] {
            place.write(name, name);
        }
        let history = place.history(true);
        let taken = place.take(&history, None);
        let repo = Repository::init(place.workspace.path()).unwrap();
        let mut index = repo.index().unwrap();
        index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).unwrap();

        assert_eq!(taken.tree, index.write_tree().unwrap().to_string());
    }

    #[test]
    fn what_must_not_be_recorded_is_covered_in_contents_links_and_names() {
        let place = Place::new();
        place.write("env.txt", "KEY=sesame\n");
        place.write("sesame/a", "nothing");
        place.write("plain", "nothing");
        std::os::unix::fs::symlink("sesame/a", place.workspace.path().join("link")).unwrap();
        let history = place.history(true);
        let cover = |bytes: &mut [u8]| {
            let found = memchr::memmem::find(bytes, b"sesame");
            found.is_some_and(|at| {
                bytes[at..at + 6].fill(b'*');
                true
            })
        };
        let note = Note { title: "t", trailers: &[], at: Time(0) };
        let onlooker = Onlooker { cover: &cover, count: &mut |_| {} };

        let mut taken = history.take(place.workspace.path(), None, &note, onlooker).unwrap();

        taken.covered.sort();
        assert_eq!(taken.covered, ["******", "env.txt", "link"]);
        let elsewhere = tempfile::tempdir().unwrap();
        history.restore(elsewhere.path(), Some(&taken.commit)).unwrap();
        let read = |name: &str| fs::read_to_string(elsewhere.path().join(name)).unwrap();
        assert_eq!((read("env.txt").as_str(), read("link").as_str()), ("KEY=******\n", "nothing"));
    }

    #[test]
    fn looking_at_what_differs_writes_nothing() {
        let place = Place::new();
        let history = place.history(true);
        place.write("a", "one\n");
        let first = place.take(&history, None);
        let count = || {
            let mut found = vec![];
            list(place.bundle.path(), place.bundle.path(), &mut found);
            found.len()
        };
        let before = count();
        place.write("a", "two\n");

        let patch = history.patch(place.workspace.path(), Some(&first.commit), &|_| false).unwrap();

        assert!(String::from_utf8(patch).unwrap().contains("-one\n+two\n"));
        assert_eq!(count(), before);
    }
}
