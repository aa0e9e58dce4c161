//! The workspace of an agent under way, kept as one commit a turn in a bundle's `workspace.git`.
//!
//! The repository lies outside the workspace and the agent never learns of it: its own `.git` is neither read nor
//! written. Trees are made from the files as they lie there, without git's filters, so that what is recorded is what
//! the agent left, byte for byte. Each commit is one pack, brought to the disk once (`store::pack`).

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use git2::{DiffFormat, ObjectType, Odb, OdbLookupFlags, Oid, Repository, RepositoryInitOptions};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::run::Time;

use super::{
    bytes,
    objects::{Kind, hash},
    pack::PackWriter,
    repo::Repo,
    write::{WriteError, sweep_parts},
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

/// What a commit says.
#[derive(Debug, Clone, Copy)]
pub struct Note<'a> {
    pub title: &'a str,
    /// `Turn: 3` and the like, below the title.
    pub trailers: &'a [(&'a str, String)],
    pub at: Time,
}

/// The repository of one bundle.
pub struct History {
    repo: Repository,
    path: PathBuf,
    rules: Rules,
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "History in {}", self.path.display())
    }
}

/// Author and committer of every commit.
const WHO: (&str, &str) = ("trajview live", "live@trajview.invalid");

const REFERENCE: &str = "refs/heads/main";

/// Settings of the repository while it is written.
const OURS: [&str; 2] = ["core.fsyncObjectFiles", "core.excludesFile"];

/// The whole configuration of a repository while it is written. A crash may not take away what was said to be recorded;
/// nor may the user's own list of ignored files count.
const CONFIG: &str = "[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tfsyncObjectFiles = true
\texcludesFile = /dev/null
";

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
        let path = bundle.join("workspace.git");
        super::repo::prepare_libgit2();
        let mut options = RepositoryInitOptions::new();
        options.bare(true).no_reinit(true).external_template(false).initial_head("main");
        let made = Repository::init_opts(&path, &options).and_then(|repo| {
            let mut config = repo.config()?;
            config.set_bool(OURS[0], true)?;
            config.set_str(OURS[1], "/dev/null")?;
            Ok(repo)
        });
        let repo = made.map_err(|why| WriteError::new(&path, sentence(&why)))?;
        clean(&path)?;
        let _ = fs::remove_file(path.join("description"));
        Ok(Self { repo, path, rules })
    }

    /// The repository of a bundle that is gone on with.
    pub fn open(bundle: &Path, rules: Rules) -> Result<Self, WriteError> {
        let path = bundle.join("workspace.git");
        super::repo::prepare_libgit2();
        Repo::check(&path).map_err(WriteError::at(&path))?;
        clean(&path)?;
        let repo =
            Repository::open_bare(&path).map_err(|why| WriteError::new(&path, sentence(&why)))?;
        Ok(Self { repo, path, rules })
    }

    /// Takes away the locks and the unfinished packs of a writer that was killed. For whoever knows that nobody writes.
    pub fn unlock(&self) {
        for name in ["HEAD.lock", "config.lock", "packed-refs.lock", "refs/heads/main.lock"] {
            let _ = fs::remove_file(self.path.join(name)); // it is hardly ever there
        }
        sweep_parts(&self.packs());
    }

    fn packs(&self) -> PathBuf {
        self.path.join("objects/pack")
    }

    /// Records the files below `workspace` as the commit after `parent`.
    pub fn take(
        &self,
        workspace: &Path,
        parent: Option<&str>,
        note: &Note<'_>,
        onlooker: Onlooker<'_>,
    ) -> Result<Taken, WriteError> {
        let failed = |why: git2::Error| WriteError::new(&self.path, sentence(&why));
        let odb = self.repo.odb().map_err(failed)?;
        let sink = Sink::Pack(PackWriter::new(&self.packs()));
        let mut walk = Walk::new(self, workspace, Objects { odb: &odb, sink }, onlooker);
        let (commit, tree) = self.commit(&mut walk, parent, note).map_err(failed)?;
        let Walk { left_out, covered, objects, .. } = walk;
        if let Sink::Pack(writer) = objects.sink {
            writer.finish().map_err(|why| WriteError::new(&self.path, bytes::reason(&why)))?;
        }
        odb.refresh()
            .and_then(|()| self.repo.reference(REFERENCE, commit, true, "live"))
            .map_err(failed)?;
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
            let odb = self.repo.odb()?;
            let memory = odb.add_new_mempack_backend(MEMORY_FIRST)?;
            let objects = Objects { odb: &odb, sink: Sink::Memory };
            let onlooker = Onlooker { cover, count: &mut |_| {} };
            let new = self.tree(&mut Walk::new(self, workspace, objects, onlooker))?;
            let new = self.repo.find_tree(new)?;
            let old =
                parent.map(|id| self.repo.find_commit(Oid::from_str(id)?)?.tree()).transpose()?;
            let mut diff = self.repo.diff_tree_to_tree(old.as_ref(), Some(&new), None)?;
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
        write().map_err(|why| WriteError::new(&self.path, sentence(&why)))?;
        Ok(patch)
    }

    /// The tree of the files as they lie there.
    fn tree(&self, walk: &mut Walk<'_, '_>) -> Result<Oid, git2::Error> {
        if !self.rules.records_ignored {
            self.repo.set_workdir(walk.workspace, false)?;
            self.repo.clear_ignore_rules()?;
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
        let parent = parent.map(|id| self.repo.find_commit(Oid::from_str(id)?)).transpose()?;
        let parent = parent.map(|it| format!("parent {}\n", it.id())).unwrap_or_default();
        let who = format!("{} <{}> {} +0000", WHO.0, WHO.1, note.at.0.div_euclid(1000));
        let message = message(note);
        let text = format!("tree {tree}\n{parent}author {who}\ncommitter {who}\n\n{message}");
        Ok((walk.objects.put(Kind::Commit, text.as_bytes())?, tree))
    }

    /// Makes the files below `folder` those of a commit (None: none at all), as far as they are recorded: what is
    /// never recorded stays as it is, and so does any `.git`.
    pub fn restore(&self, folder: &Path, commit: Option<&str>) -> Result<(), WriteError> {
        let failed = |why: git2::Error| WriteError::new(folder, sentence(&why));
        fs::create_dir_all(folder).map_err(|why| WriteError::new(folder, bytes::reason(&why)))?;
        if !self.rules.records_ignored {
            self.repo.set_workdir(folder, false).map_err(failed)?;
        }
        let tree = commit
            .map(|id| self.repo.find_commit(Oid::from_str(id)?)?.tree())
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
            let tree = self.repo.find_tree(id).map_err(|why| sentence(&why))?;
            if !is_folder {
                let _ = fs::remove_file(&path); // it may well not be there
                fs::create_dir(&path).map_err(said)?;
            }
            return self.restore_folder(root, inner, Some(&tree), depth + 1);
        }
        if is_folder {
            fs::remove_dir_all(&path).map_err(said)?;
        }
        let blob = self.repo.find_blob(id).map_err(|why| sentence(&why))?;
        place(&path, blob.content(), mode).map_err(said)
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
            || (!self.rules.records_ignored && self.repo.is_path_ignored(inner).unwrap_or(false))
    }

    /// Whether the first commit is the last one: its pack is all there is.
    fn is_packed(&self) -> bool {
        let names = |folder: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect()
        };
        let is_pack = |path: &&PathBuf| path.extension().is_some_and(|end| end == "pack");
        names(&self.packs()).iter().filter(is_pack).count() == 1
            && !names(&self.path.join("objects")).iter().any(|path| is_of_loose_objects(path))
    }

    /// Puts everything that the last commit needs into one pack and takes the rest away. Nothing is recorded afterwards.
    pub fn pack(&self) -> Result<(), WriteError> {
        if let Ok(mut config) = self.repo.config() {
            for name in OURS {
                let _ = config.remove(name); // what is left of them does no harm
            }
        }
        let failed = |why: git2::Error| WriteError::new(&self.path, sentence(&why));
        let Ok(last) = self.repo.refname_to_id(REFERENCE) else { return Ok(()) };
        if self.is_packed() {
            return Ok(());
        }
        let (objects, packs) = (self.path.join("objects"), self.packs());
        fs::create_dir_all(&packs).map_err(|why| WriteError::new(&packs, bytes::reason(&why)))?;
        let write = || {
            let mut walk = self.repo.revwalk()?;
            walk.push(last)?;
            let mut builder = self.repo.packbuilder()?;
            builder.insert_walk(&mut walk)?;
            builder.write(&packs, 0o444)?;
            Ok(builder.name()?.map(|name| format!("pack-{name}")))
        };
        let whole = write().map_err(failed)?;
        super::write::sync_folder(&packs)
            .map_err(|why| WriteError::new(&packs, bytes::reason(&why)))?;
        for entry in fs::read_dir(&packs).into_iter().flatten().flatten() {
            let path = entry.path();
            if whole.is_some() && path.file_stem().and_then(|it| it.to_str()) != whole.as_deref() {
                let _ = fs::remove_file(path); // what it holds is in the whole pack as well
            }
        }
        for entry in fs::read_dir(&objects).into_iter().flatten().flatten() {
            if is_of_loose_objects(&entry.path()) {
                let _ = fs::remove_dir_all(entry.path()); // they are in the pack as well
            }
        }
        Ok(())
    }
}

/// Whether it is one of the folders `objects/xx`.
fn is_of_loose_objects(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Takes away hooks and lists of ignored files, and puts our configuration in the place of what is there: a
/// configuration may name files elsewhere.
fn clean(repository: &Path) -> Result<(), WriteError> {
    for name in ["hooks", "info"] {
        let path = repository.join(name);
        let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path)); // it may well not be there
    }
    let config = repository.join("config");
    let is_file = fs::symlink_metadata(&config).is_ok_and(|meta| meta.is_file());
    if is_file && fs::read(&config).is_ok_and(|text| text == CONFIG.as_bytes()) {
        return Ok(());
    }
    let new = repository.join("config.new");
    fs::write(&new, CONFIG)
        .and_then(|()| fs::rename(&new, &config))
        .map_err(|why| WriteError::new(&config, bytes::reason(&why)))
}

/// Before every other place where objects are looked for and put.
const MEMORY_FIRST: i32 = 1_000;

/// Where objects go that the repository does not have.
enum Sink {
    Pack(PackWriter),
    /// The repository writes no file: its first place for objects is in memory.
    Memory,
}

struct Objects<'a> {
    odb: &'a Odb<'a>,
    sink: Sink,
}

impl Objects<'_> {
    fn put(&mut self, kind: Kind, content: &[u8]) -> Result<Oid, git2::Error> {
        let id = hash(kind, content);
        let oid = Oid::from_bytes(&id.0)?;
        let is_new = |writer: &PackWriter| {
            !writer.has(&id) && !self.odb.exists_ext(oid, OdbLookupFlags::NO_REFRESH)
        };
        match &mut self.sink {
            Sink::Pack(writer) if is_new(writer) => {
                let failed = |why: io::Error| git2::Error::from_str(&bytes::reason(&why));
                writer.put(id, kind, content).map_err(failed)?;
            }
            Sink::Pack(_) => {}
            Sink::Memory => {
                let kind = match kind {
                    Kind::Commit => ObjectType::Commit,
                    Kind::Tree => ObjectType::Tree,
                    Kind::Blob => ObjectType::Blob,
                    Kind::Tag => ObjectType::Tag,
                };
                self.odb.write(kind, content)?;
            }
        }
        Ok(oid)
    }
}

/// A path below the workspace: where it lies, and as it is recorded.
#[derive(Debug, Clone, Default)]
struct Inner {
    path: PathBuf,
    shown: PathBuf,
}

/// Name as it is recorded, id, mode.
type TreeRow = (Vec<u8>, Oid, i32);

const FOLDER: i32 = 0o040000;

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
        match fs::read_dir(self.workspace.join(&inner.path)) {
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
        if rows.is_empty() {
            Ok(None)
        } else {
            self.objects.put(Kind::Tree, &tree_of(rows)).map(Some)
        }
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

/// A tree as git writes it: sorted by names, those of folders as if they ended with a slash.
fn tree_of(mut rows: Vec<TreeRow>) -> Vec<u8> {
    let key = |(name, _, mode): &TreeRow| {
        let end: &[u8] = if *mode == FOLDER { b"/" } else { b"" };
        [name.as_slice(), end].concat()
    };
    rows.sort_by_cached_key(key);
    let mut bytes = vec![];
    for (name, id, mode) in rows {
        bytes.extend(format!("{mode:o} ").bytes());
        bytes.extend(name);
        bytes.push(0);
        bytes.extend(id.as_bytes());
    }
    bytes
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

/// Writes a file or a link where something else may lie.
#[cfg(unix)]
fn place(path: &Path, content: &[u8], mode: i32) -> io::Result<()> {
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
fn place(path: &Path, content: &[u8], _mode: i32) -> io::Result<()> {
    fs::write(path, content)
}

fn message(note: &Note<'_>) -> String {
    let line = |text: &str| -> String {
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
    };
    let trailers: Vec<String> = note
        .trailers
        .iter()
        .map(|(name, value)| format!("{name}: {}", line(value.trim())))
        .collect();
    format!("{}\n\n{}\n", line(note.title).trim_end(), trailers.join("\n"))
}

fn sentence(why: &git2::Error) -> String {
    why.message().trim_end_matches('.').to_owned()
}

impl History {
    /// Whether there is such a commit.
    pub fn has(&self, commit: &str) -> bool {
        let found = Oid::from_str(commit)
            .and_then(|id| self.repo.find_object(id, Some(ObjectType::Commit)).map(|_| ()));
        found.is_ok()
    }

    /// The paths that differ between two commits (None: no files), at most that many.
    pub fn changed(&self, old: Option<&str>, new: &str, most: usize) -> Vec<String> {
        let tree = |id: &str| self.repo.find_commit(Oid::from_str(id)?)?.tree();
        let names = || -> Result<Vec<String>, git2::Error> {
            let old = old.map(tree).transpose()?;
            let diff = self.repo.diff_tree_to_tree(old.as_ref(), Some(&tree(new)?), None)?;
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
