//! The files that a live run begins with: the working tree of a repository, one of its commits, or a folder, copied
//! into the workspace of an agent.
//!
//! What is copied is never written to. Of a repository's own files none but those of its working tree are copied; its
//! history comes along where that is wanted, without the address it came from. A repository elsewhere is not fetched:
//! this program is built without a network of its own for git.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Component, Path, PathBuf},
};

use git2::{
    ErrorCode, ObjectType, Oid, Repository, RepositoryOpenFlags, StatusOptions, TreeWalkMode,
    TreeWalkResult,
    build::{CloneLocal, RepoBuilder},
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    bare_repo::git_error_text,
    file_bytes::error_reason,
    repo::prepare_libgit2,
    workspace::{PlacedFile, place_file},
};

/// The source of the files, located but not copied yet.
pub struct StartSource {
    /// The source as the user wrote it, without a login.
    as_written: String,
    place: PathBuf,
    kind: StartSourceKind,
}

enum StartSourceKind {
    Folder,
    /// The working tree of a repository.
    WorkingTree(Repository),
    /// A commit of a repository.
    Commit {
        repo: Repository,
        commit: Oid,
        asked: String,
    },
}

/// The record of what was copied, as a bundle contains it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CopiedFiles {
    /// A repository as it was given, without a login; null for a plain folder.
    pub repository: Option<String>,
    /// A plain folder as it was given.
    pub folder: Option<String>,
    /// The whole id of the commit; null for a plain folder and for a repository without one.
    pub revision: Option<String>,
    /// The revision as the user wrote it; null where the working tree was copied.
    pub asked: Option<String>,
    /// Files of the working tree that differed from the revision; null where there is no working tree.
    pub changed: Option<usize>,
    /// True if the history of the repository was copied too.
    pub has_history: bool,
    /// Files and links that were copied.
    pub files: usize,
    /// The entries that exist and were not copied.
    pub ignored: LeftOutNames,
}

/// The names of the files that were left out; some of them where there are many.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LeftOutNames {
    pub count: usize,
    pub names: Vec<String>,
}

/// The most names of left-out files that a bundle lists.
const MOST_NAMES: usize = 100;

/// The depth of folders that are copied, as deep as they are recorded.
const MOST_DEEP: usize = 64;

impl LeftOutNames {
    /// Sorts the names, and keeps the first of them.
    pub fn from_names(mut names: Vec<String>) -> Self {
        names.sort();
        names.dedup();
        let count = names.len();
        names.truncate(MOST_NAMES);
        Self { count, names }
    }
}

impl StartSource {
    /// Finds what `REPO[@REVISION]` or a folder names. The error is a sentence.
    pub fn find(spec: &str) -> Result<Self, String> {
        let shown_spec = without_login(spec);
        if let Some(url) = address_of(spec) {
            return Err(format!(
                "{}: this trajview fetches nothing over the network; clone the repository with git, and name the folder",
                without_login(url)
            ));
        }
        let (place, revision) = split_revision(spec);
        let metadata = fs::metadata(&place)
            .map_err(|why| format!("cannot read {}: {}", place.display(), error_reason(&why)))?;
        if !metadata.is_dir() {
            return Err(format!("{} is neither a repository nor a folder", place.display()));
        }
        prepare_libgit2();
        let opened = Repository::open_ext(&place, RepositoryOpenFlags::NO_SEARCH, [""; 0]);
        let kind = match (opened, revision) {
            (Ok(repo), Some(revision)) => commit_of(repo, revision, &shown_spec)?,
            (Ok(repo), None) if repo.is_bare() => commit_of(repo, "HEAD".into(), &shown_spec)?,
            (Ok(repo), None) => StartSourceKind::WorkingTree(repo),
            (Err(why), None) if why.code() == ErrorCode::NotFound => StartSourceKind::Folder,
            (Err(why), Some(_)) if why.code() == ErrorCode::NotFound => {
                return Err(format!(
                    "{} is not a git repository, so it has no revisions",
                    place.display()
                ));
            }
            (Err(why), _) => return Err(format!("{}: {}", place.display(), git_error_text(&why))),
        };
        let spec = match &kind {
            StartSourceKind::Commit { .. } => place.display().to_string(),
            StartSourceKind::Folder | StartSourceKind::WorkingTree(_) => shown_spec,
        };
        Ok(Self { as_written: spec, place, kind })
    }

    /// Copies the files into an empty folder. `hidden` are folders that are left out wherever they lie: what the agent
    /// is not to see. The error is a sentence.
    pub fn copy_files(
        &self,
        into: &Path,
        with_history: bool,
        hidden: &[PathBuf],
        count: &mut dyn FnMut(usize),
    ) -> Result<CopiedFiles, String> {
        let copied = CopiedFiles { has_history: with_history, ..CopiedFiles::default() };
        match &self.kind {
            StartSourceKind::Folder if with_history => Err(format!(
                "{} is not a git repository, so it has no history",
                self.place.display()
            )),
            StartSourceKind::Folder => {
                let mut to_copy = PathsToCopy::default();
                to_copy.add_folder(&self.place, Path::new(""), hidden, 0)?;
                let files = copy_all(&self.place, into, &mut to_copy, count)?;
                let folder = Some(self.as_written.clone());
                Ok(CopiedFiles {
                    folder,
                    files,
                    ignored: LeftOutNames::from_names(to_copy.left_out),
                    ..copied
                })
            }
            StartSourceKind::WorkingTree(repo) => {
                let mut to_copy = PathsToCopy::default();
                let changed =
                    to_copy.add_working_tree(repo, hidden).map_err(|why| self.error_text(&why))?;
                let head = head_of(repo).map_err(|why| self.error_text(&why))?;
                if with_history {
                    self.copy_history(repo, into, head, false)?;
                }
                let files = copy_all(&self.place, into, &mut to_copy, count)?;
                let repository = Some(self.as_written.clone());
                Ok(CopiedFiles {
                    repository,
                    revision: head.map(|it| it.to_string()),
                    changed: Some(changed),
                    files,
                    ignored: LeftOutNames::from_names(to_copy.left_out),
                    ..copied
                })
            }
            StartSourceKind::Commit { repo, commit, asked } => {
                if with_history {
                    self.copy_history(repo, into, Some(*commit), true)?;
                }
                let (files, left_out) = check_out(repo, *commit, into, count)
                    .map_err(|why| format!("{}: {why}", self.place.display()))?;
                Ok(CopiedFiles {
                    repository: Some(self.as_written.clone()),
                    revision: Some(commit.to_string()),
                    asked: Some(asked.clone()),
                    files,
                    ignored: LeftOutNames::from_names(left_out),
                    ..copied
                })
            }
        }
    }

    fn error_text(&self, why: &git2::Error) -> String {
        format!("{}: {}", self.place.display(), git_error_text(why))
    }

    /// Makes a repository in the workspace with the commits, without the address that they came from.
    fn copy_history(
        &self,
        from: &Repository,
        into: &Path,
        commit: Option<Oid>,
        is_detached: bool,
    ) -> Result<(), String> {
        let Some(commit) = commit else {
            return Err(format!(
                "{} has no commit yet, so it has no history",
                self.place.display()
            ));
        };
        let made = || -> Result<(), git2::Error> {
            // Without links: what the agent does to its objects must not reach those of the person.
            let has_borrowed = from.commondir().join("objects/info/alternates").exists();
            let clone_mode = if has_borrowed { CloneLocal::None } else { CloneLocal::NoLinks };
            let mut checkout = git2::build::CheckoutBuilder::new();
            checkout.dry_run();
            let place = from.commondir().to_string_lossy().into_owned();
            let mut builder = RepoBuilder::new();
            let repo =
                builder.clone_local(clone_mode).with_checkout(checkout).clone(&place, into)?;
            let _ = repo.remote_delete("origin"); // a clone of nothing has none
            let is_elsewhere = repo.head().ok().and_then(|head| head.target()) != Some(commit);
            if is_detached || is_elsewhere {
                repo.set_head_detached(commit)?;
            }
            let mut index = repo.index()?;
            index.read_tree(&repo.find_commit(commit)?.tree()?)?;
            index.write()
        };
        made().map_err(|why| self.error_text(&why))?;
        // The logs of references say where the clone came from.
        let _ = fs::remove_dir_all(into.join(".git/logs"));
        Ok(())
    }
}

/// Returns the working folder of the repository that a folder lies in; None where there is none.
pub fn enclosing_repository(folder: &Path) -> Option<PathBuf> {
    prepare_libgit2();
    let repo = Repository::discover(folder).ok()?;
    repo.workdir().map(Path::to_owned)
}

fn commit_of(repo: Repository, asked: String, shown: &str) -> Result<StartSourceKind, String> {
    let found = repo
        .revparse_single(&asked)
        .and_then(|object| object.peel_to_commit())
        .map(|commit| commit.id());
    match found {
        Ok(commit) => Ok(StartSourceKind::Commit { repo, commit, asked }),
        Err(_) => Err(format!("{shown}: the repository has no revision {asked}")),
    }
}

fn head_of(repo: &Repository) -> Result<Option<Oid>, git2::Error> {
    match repo.head().and_then(|head| head.peel_to_commit()) {
        Ok(commit) => Ok(Some(commit.id())),
        Err(why) if matches!(why.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound) => Ok(None),
        Err(why) => Err(why),
    }
}

/// Splits a path and a revision. A path that exists is taken whole, whatever characters it has.
fn split_revision(spec: &str) -> (PathBuf, Option<String>) {
    let spec = spec.strip_prefix("file://").unwrap_or(spec);
    let path = PathBuf::from(spec);
    if path.exists() {
        return (path, None);
    }
    match spec.rsplit_once('@') {
        Some((place, revision)) if !place.is_empty() && !revision.is_empty() => {
            (place.into(), Some(revision.to_owned()))
        }
        _ => (path, None),
    }
}

/// Returns the folder that `REPO[@REVISION]` names.
pub fn folder_of(spec: &str) -> PathBuf {
    split_revision(spec).0
}

/// Returns an address that only a network reaches; None for paths and for `file://`.
fn address_of(spec: &str) -> Option<&str> {
    let has_scheme = spec.split_once("://").is_some_and(|(scheme, _)| scheme != "file");
    let is_short = || {
        let (host, _) = spec.split_once(':')?;
        let looks_so = host.contains('@') && !host.contains('/');
        (looks_so && !Path::new(spec).exists()).then_some(())
    };
    (has_scheme || is_short().is_some()).then_some(spec)
}

/// Returns an address without name and password.
fn without_login(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// The paths to be copied, and those that are left out.
#[derive(Default)]
struct PathsToCopy {
    files: Vec<PathBuf>,
    left_out: Vec<String>,
}

impl PathsToCopy {
    /// Adds everything below a plain folder, but for the files of git.
    fn add_folder(
        &mut self,
        root: &Path,
        inner: &Path,
        hidden: &[PathBuf],
        depth: usize,
    ) -> Result<(), String> {
        let folder = root.join(inner);
        let read_error =
            |why: io::Error| format!("cannot read {}: {}", folder.display(), error_reason(&why));
        for entry in fs::read_dir(&folder).map_err(read_error)? {
            let entry = entry.map_err(read_error)?;
            let path = inner.join(entry.file_name());
            let kind = entry.file_type().map_err(read_error)?;
            if entry.file_name() == ".git" {
                continue;
            }
            if kind.is_dir() && (is_hidden(&root.join(&path), hidden) || depth >= MOST_DEEP) {
                self.left_out.push(listed_name(&path, true));
            } else if kind.is_dir() {
                self.add_folder(root, &path, hidden, depth + 1)?;
            } else if !kind.is_file() && !kind.is_symlink() {
                self.left_out.push(listed_name(&path, false));
            } else {
                self.files.push(path);
            }
        }
        Ok(())
    }

    /// Adds the files that git knows of and those that it does not ignore. Returns how many files differ from the last
    /// commit.
    fn add_working_tree(
        &mut self,
        repo: &Repository,
        hidden: &[PathBuf],
    ) -> Result<usize, git2::Error> {
        let root = repo.workdir().unwrap_or(repo.path()).to_owned();
        let mut changed = BTreeSet::new();
        let mut files = BTreeSet::new();
        for entry in repo.index()?.iter() {
            let path = path_of(&entry.path);
            if entry.mode == 0o160000 {
                self.left_out.push(format!("{} (a submodule)", path.display()));
            } else {
                files.insert(path);
            }
        }
        let mut options = StatusOptions::new();
        options.include_untracked(true).recurse_untracked_dirs(true).include_ignored(true);
        options.recurse_ignored_dirs(false).exclude_submodules(true);
        for entry in repo.statuses(Some(&mut options))?.iter() {
            let path = path_of(entry.path_bytes());
            let status = entry.status();
            if status.is_ignored() {
                self.left_out.push(String::from_utf8_lossy(entry.path_bytes()).into_owned());
                continue;
            }
            let folder = path.ancestors().skip(1).map(|it| root.join(it));
            let in_hidden = status.is_wt_new() && {
                let mut above = folder.take_while(|it| *it != root);
                above.any(|it| is_hidden(&it, hidden))
            };
            // git reports a repository within the repository as a folder.
            if in_hidden || entry.path_bytes().ends_with(b"/") {
                let top = path.components().next().map(|it| listed_name(Path::new(&it), true));
                self.left_out.extend(if in_hidden { top } else { Some(listed_name(&path, true)) });
                continue;
            }
            changed.insert(path.clone());
            if status.is_wt_new() {
                files.insert(path);
            }
        }
        self.files = files.into_iter().collect();
        Ok(changed.len())
    }
}

fn listed_name(path: &Path, is_folder: bool) -> String {
    let slash = if is_folder { "/" } else { "" };
    format!("{}{slash}", path.display())
}

/// Returns whether a folder has content that the agent must not see.
fn is_hidden(folder: &Path, hidden: &[PathBuf]) -> bool {
    if folder.join("live.jsonl").is_file() || folder.join(super::WORK_MARK_FILE).is_file() {
        return true;
    }
    let is_bundle = || folder.join("run.json").is_file() && folder.join("session").is_dir();
    is_bundle() || fs::canonicalize(folder).is_ok_and(|it| hidden.contains(&it))
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// Returns whether a path stays inside the folder that it is joined to.
fn is_inner(path: &Path) -> bool {
    let is_plain = |it| matches!(it, Component::Normal(name) if name != ".git");
    path.components().all(is_plain)
}

/// The number of files that are copied between two progress reports.
const FILES_PER_REPORT: usize = 1_000;

/// Copies files and links. What is gone meanwhile, or lies behind a link, is left out.
fn copy_all(
    from: &Path,
    into: &Path,
    to_copy: &mut PathsToCopy,
    count: &mut dyn FnMut(usize),
) -> Result<usize, String> {
    let mut folders: BTreeMap<PathBuf, bool> = BTreeMap::new();
    let mut files = vec![];
    for path in std::mem::take(&mut to_copy.files) {
        let parent = path.parent().unwrap_or(Path::new("")).to_owned();
        if is_inner(&path) && make_real_folder(from, into, &parent, &mut folders)? {
            files.push(path);
        }
    }
    let mut copied = 0;
    for part in files.chunks(FILES_PER_REPORT) {
        let outcomes: Vec<io::Result<bool>> =
            part.par_iter().map(|path| copy_entry(&from.join(path), &into.join(path))).collect();
        for (path, outcome) in part.iter().zip(outcomes) {
            match outcome {
                Ok(true) => copied += 1,
                Ok(false) => to_copy.left_out.push(listed_name(path, false)),
                Err(why) if why.kind() == io::ErrorKind::NotFound => {} // deleted, as git says too
                Err(why) => {
                    return Err(format!("cannot copy {}: {}", path.display(), error_reason(&why)));
                }
            }
        }
        count(copied);
    }
    Ok(copied)
}

/// Makes a folder in the copy where it is one in the original, and not a link to one.
fn make_real_folder(
    from: &Path,
    into: &Path,
    folder: &Path,
    known: &mut BTreeMap<PathBuf, bool>,
) -> Result<bool, String> {
    if folder.as_os_str().is_empty() {
        return Ok(true);
    }
    if let Some(is_real) = known.get(folder) {
        return Ok(*is_real);
    }
    let parent = folder.parent().unwrap_or(Path::new("")).to_owned();
    let is_there = make_real_folder(from, into, &parent, known)?
        && fs::symlink_metadata(from.join(folder)).is_ok_and(|meta| meta.is_dir());
    if is_there {
        let made = fs::create_dir_all(into.join(folder));
        made.map_err(|why| format!("cannot make {}: {}", folder.display(), error_reason(&why)))?;
    }
    known.insert(folder.to_owned(), is_there);
    Ok(is_there)
}

/// Copies a file or a link; false where it is neither.
fn copy_entry(from: &Path, into: &Path) -> io::Result<bool> {
    let meta = fs::symlink_metadata(from)?;
    if meta.is_symlink() {
        let to = fs::read_link(from)?;
        make_symlink(&to, into)?;
        return Ok(true);
    }
    if !meta.is_file() {
        return Ok(false);
    }
    fs::copy(from, into)?;
    Ok(true)
}

#[cfg(unix)]
fn make_symlink(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn make_symlink(to: &Path, at: &Path) -> io::Result<()> {
    fs::write(at, to.to_string_lossy().as_bytes())
}

/// Writes the files of a commit, byte for byte as it has them. Returns how many there are, and the names that are left
/// out. The error is a sentence.
fn check_out(
    repo: &Repository,
    commit: Oid,
    into: &Path,
    count: &mut dyn FnMut(usize),
) -> Result<(usize, Vec<String>), String> {
    let error_text = |why: git2::Error| git_error_text(&why);
    let tree = repo.find_commit(commit).and_then(|it| it.tree()).map_err(error_text)?;
    let (mut rows, mut left_out, mut folders) = (vec![], vec![], vec![]);
    let walked = tree.walk(TreeWalkMode::PreOrder, |above, entry| {
        let path = path_of(above.as_bytes()).join(path_of(entry.name_bytes()));
        match entry.kind() {
            _ if !is_inner(&path) => left_out.push(listed_name(&path, false)),
            Some(ObjectType::Tree) => folders.push(path),
            Some(ObjectType::Blob) => rows.push((path, entry.id(), entry.filemode())),
            _ => left_out.push(format!("{} (a submodule)", path.display())),
        }
        TreeWalkResult::Ok
    });
    walked.map_err(error_text)?;
    for folder in folders {
        let made = fs::create_dir_all(into.join(&folder));
        made.map_err(|why| format!("cannot make {}: {}", folder.display(), error_reason(&why)))?;
    }
    let mut written = 0;
    for part in rows.chunks(FILES_PER_REPORT) {
        let contents = part
            .iter()
            .map(|(path, id, mode)| Ok((path, repo.find_blob(*id)?.content().to_vec(), *mode)))
            .collect::<Result<Vec<_>, git2::Error>>()
            .map_err(error_text)?;
        contents.par_iter().try_for_each(|(path, content, mode)| {
            place_file(&PlacedFile { path: &into.join(path), content, mode: *mode })
                .map_err(|why| format!("cannot write {}: {}", path.display(), error_reason(&why)))
        })?;
        written += part.len();
        count(written);
    }
    Ok((written, left_out))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    struct CopyTest(tempfile::TempDir);

    impl CopyTest {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn write(&self, name: &str, content: &str) {
            let path = self.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }

        /// Makes a repository with one commit of the present files.
        fn create_repository(&self, name: &str) -> Repository {
            prepare_libgit2();
            let repo = Repository::init(self.path(name)).unwrap();
            commit_all(&repo, "first");
            repo
        }

        fn copy_from(&self, from: &str, with_history: bool) -> (CopiedFiles, Vec<String>) {
            let into = self.path("into");
            let _ = fs::remove_dir_all(&into);
            fs::create_dir_all(&into).unwrap();
            let from = self.path(from).to_str().unwrap().to_owned();
            let beginning = StartSource::find(&from).unwrap();
            let copied = beginning.copy_files(&into, with_history, &[], &mut |_| {}).unwrap();
            let mut names = vec![];
            list_files(&into, &into, &mut names);
            names.sort();
            (copied, names)
        }
    }

    fn list_files(root: &Path, folder: &Path, files: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() && entry.file_name() != ".git" {
                list_files(root, &path, files);
            } else {
                files.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }

    fn commit_all(repo: &Repository, title: &str) -> Oid {
        let mut index = repo.index().unwrap();
        index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).unwrap();
        index.write().unwrap();
        let tree = repo.find_tree(index.write_tree().unwrap()).unwrap();
        let who = git2::Signature::now("a person", "person@example.invalid").unwrap();
        let parent = repo.head().ok().and_then(|head| head.peel_to_commit().ok());
        let parents: Vec<_> = parent.iter().collect();
        repo.commit(Some("HEAD"), &who, &who, title, &tree, &parents).unwrap()
    }

    #[test]
    fn a_working_tree_is_copied_as_it_lies_there_without_what_git_ignores() {
        let desk = CopyTest::new();
        desk.write("r/.gitignore", "made/\n");
        desk.write("r/kept", "one");
        desk.write("r/gone", "x");
        let repo = desk.create_repository("r");
        desk.write("r/kept", "two");
        desk.write("r/new/file", "n");
        desk.write("r/made/big", "m");
        desk.write("r/runs/one/live.jsonl", "{}");
        fs::remove_file(desk.path("r/gone")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", desk.path("r/link")).unwrap();

        let (copied, names) = desk.copy_from("r", false);

        assert_eq!(names, [".gitignore", "kept", "link", "new/file"]);
        assert_eq!(fs::read(desk.path("into/kept")).unwrap(), b"two");
        assert!(fs::symlink_metadata(desk.path("into/link")).unwrap().is_symlink());
        let head = repo.head().unwrap().target().unwrap().to_string();
        assert_eq!((copied.revision, copied.changed), (Some(head), Some(4)));
        assert_eq!(copied.ignored.names, ["made/", "runs/"]);
        assert_eq!((copied.files, copied.has_history), (4, false));
    }

    #[test]
    fn a_revision_is_copied_byte_for_byte_and_its_history_where_that_is_wanted() {
        let desk = CopyTest::new();
        desk.write("r/a", "one\r\n");
        desk.write("r/sub/b", "two");
        let repo = desk.create_repository("r");
        let first = repo.head().unwrap().target().unwrap();
        desk.write("r/a", "changed");
        commit_all(&repo, "second");

        let (copied, names) = desk.copy_from(&format!("r@{first}"), true);

        assert_eq!(names, [".git", "a", "sub/b"]);
        assert_eq!(fs::read(desk.path("into/a")).unwrap(), b"one\r\n");
        assert_eq!(copied.revision, Some(first.to_string()));
        assert_eq!((copied.asked, copied.changed), (Some(first.to_string()), None));
        let made = Repository::open(desk.path("into")).unwrap();
        assert_eq!(made.head().unwrap().target(), Some(first));
        assert!(made.statuses(None).unwrap().is_empty());
        assert_eq!(made.remotes().unwrap().len(), 0);
        let config = fs::read_to_string(desk.path("into/.git/config")).unwrap();
        assert!(!config.contains(desk.0.path().to_str().unwrap()), "{config}");
    }

    #[test]
    fn history_comes_along_with_a_working_tree_that_was_changed() {
        let desk = CopyTest::new();
        desk.write("r/a", "one");
        let repo = desk.create_repository("r");
        desk.write("r/a", "changed");

        let (copied, names) = desk.copy_from("r", true);

        assert_eq!(names, [".git", "a"]);
        assert_eq!(copied.changed, Some(1));
        let made = Repository::open(desk.path("into")).unwrap();
        assert_eq!(made.head().unwrap().target(), repo.head().unwrap().target());
        assert_eq!(made.statuses(None).unwrap().len(), 1);
    }

    #[test]
    fn a_plain_folder_is_copied_whole_but_for_recordings() {
        let desk = CopyTest::new();
        desk.write("f/a", "one");
        desk.write("f/sub/deep/b", "two");
        desk.write("f/run/live.jsonl", "{}");

        let (copied, names) = desk.copy_from("f", false);

        assert_eq!(names, ["a", "sub/deep/b"]);
        assert_eq!(copied.folder, desk.path("f").to_str().map(str::to_owned));
        assert_eq!((copied.repository, copied.revision, copied.changed), (None, None, None));
        assert_eq!(copied.ignored.names, ["run/"]);
    }

    #[test]
    fn what_cannot_be_begun_with_is_said_in_a_sentence_and_without_a_login() {
        let desk = CopyTest::new();
        desk.write("f/a", "");
        desk.write("r/a", "");
        desk.create_repository("r");
        let at = |name: &str| desk.path(name).to_str().unwrap().to_owned();
        let why = |given: &str| StartSource::find(given).err().unwrap();

        assert!(why(&at("gone")).ends_with("no such file or folder"), "{}", why(&at("gone")));
        assert!(why(&at("f/a")).ends_with("is neither a repository nor a folder"));
        assert!(why(&at("f@main")).ends_with("is not a git repository, so it has no revisions"));
        assert!(why(&at("r@nowhere")).ends_with("the repository has no revision nowhere"));
        let message = why("https://me:sesame@example.com/r.git?token=sesame");
        assert!(message.starts_with("https://example.com/r.git: this trajview fetches nothing"));
        assert!(why("git@example.com:r.git").contains("fetches nothing over the network"));
    }
}
