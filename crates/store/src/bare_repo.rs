//! Repositories that we write: bare ones in a bundle, with one branch, each commit one pack that is brought to the disk
//! once (`store::pack_writer`). [`super::workspace`] keeps the files of an agent in one, [`super::layers`] what layers
//! know in others.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use git2::{ObjectType, Odb, OdbLookupFlags, Oid, Repository, RepositoryInitOptions};

use trajview_run::Time;

use super::{
    file_bytes,
    objects::{ObjectKind, hash_object},
    pack_writer::{self, PackWriter},
    repo::Repo,
    write::{WriteError, sweep_parts},
};

/// A repository that is written.
pub struct BareRepo {
    pub repo: Repository,
    pub path: PathBuf,
}

/// The message of a commit.
#[derive(Debug, Clone, Copy)]
pub struct CommitNote<'a> {
    pub title: &'a str,
    /// `Turn: 3` and the like, below the title.
    pub trailers: &'a [(&'a str, String)],
    pub at: Time,
}

/// The author and committer of every commit: name and address.
const AUTHOR: (&str, &str) = ("trajview live", "live@trajview.invalid");

/// The one branch.
pub(crate) const BRANCH_REF: &str = "refs/heads/main";

/// The settings of the repository while it is written.
const WRITER_SETTINGS: [&str; 2] = ["core.fsyncObjectFiles", "core.excludesFile"];

/// The whole configuration of a repository while it is written. What was reported as recorded must survive a crash, and
/// the user's own list of ignored files must not count.
pub(super) const CONFIG: &str = "[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tfsyncObjectFiles = true
\texcludesFile = /dev/null
";

impl BareRepo {
    /// Creates a repository at that place.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        super::repo::prepare_libgit2();
        let mut options = RepositoryInitOptions::new();
        options.bare(true).no_reinit(true).external_template(false).initial_head("main");
        let made = Repository::init_opts(path, &options).and_then(|repo| {
            let mut config = repo.config()?;
            config.set_bool(WRITER_SETTINGS[0], true)?;
            config.set_str(WRITER_SETTINGS[1], "/dev/null")?;
            Ok(repo)
        });
        let repo = made.map_err(|why| WriteError::new(path, git_error_text(&why)))?;
        clean_settings(path)?;
        let _ = fs::remove_file(path.join("description"));
        Ok(Self { repo, path: path.to_owned() })
    }

    /// Opens a repository to continue it. One that borrows objects from elsewhere or is damaged is refused.
    pub fn open(path: &Path) -> Result<Self, WriteError> {
        super::repo::prepare_libgit2();
        pack_writer::remove_stray_indexes(path);
        Repo::check_for_writing(path).map_err(WriteError::at_path(path))?;
        clean_settings(path)?;
        let repo = Repository::open_bare(path)
            .map_err(|why| WriteError::new(path, git_error_text(&why)))?;
        Ok(Self { repo, path: path.to_owned() })
    }

    /// Removes the locks and the unfinished packs of a writer that was killed. The caller must know that no other
    /// program writes.
    pub fn remove_locks(&self) {
        for name in ["HEAD.lock", "config.lock", "packed-refs.lock", "refs/heads/main.lock"] {
            let _ = fs::remove_file(self.path.join(name)); // it is hardly ever there
        }
        sweep_parts(&self.pack_folder());
    }

    /// Makes a write error of this repository from an error of libgit2.
    pub fn write_error(&self, why: &git2::Error) -> WriteError {
        WriteError::new(&self.path, git_error_text(why))
    }

    /// Returns a place for the objects of the next commit.
    pub(crate) fn new_objects<'a>(&self, odb: &'a Odb<'a>) -> NewObjects<'a> {
        NewObjects { odb, sink: ObjectSink::Pack(PackWriter::new(&self.pack_folder())) }
    }

    /// Writes the objects to the disk and makes this commit the last one of the branch.
    pub(crate) fn finish_commit(
        &self,
        objects: NewObjects<'_>,
        commit: Oid,
    ) -> Result<(), WriteError> {
        if let ObjectSink::Pack(writer) = objects.sink {
            writer
                .finish()
                .map_err(|why| WriteError::new(&self.path, file_bytes::error_reason(&why)))?;
        }
        objects
            .odb
            .refresh()
            .and_then(|()| self.repo.reference(BRANCH_REF, commit, true, "live"))
            .map_err(|why| self.write_error(&why))?;
        Ok(())
    }

    fn pack_folder(&self) -> PathBuf {
        self.path.join("objects/pack")
    }

    /// Returns whether the first commit is the last one: its pack is all there is.
    fn is_packed(&self) -> bool {
        let names = |folder: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect()
        };
        let is_pack = |path: &&PathBuf| path.extension().is_some_and(|end| end == "pack");
        names(&self.pack_folder()).iter().filter(is_pack).count() == 1
            && !names(&self.path.join("objects")).iter().any(|path| is_loose_object_folder(path))
    }

    /// Puts everything that the last commit needs into one pack and removes the rest. Nothing is recorded afterwards.
    pub fn pack_all(&self) -> Result<(), WriteError> {
        if let Ok(mut config) = self.repo.config() {
            for name in WRITER_SETTINGS {
                let _ = config.remove(name); // what is left of them does no harm
            }
        }
        sweep_parts(&self.pack_folder());
        let Ok(last) = self.repo.refname_to_id(BRANCH_REF) else { return Ok(()) };
        if self.is_packed() {
            return Ok(());
        }
        let (objects, packs) = (self.path.join("objects"), self.pack_folder());
        let whole = pack_writer::write_whole(&self.repo, last, &packs)
            .map_err(|why| self.write_error(&why))?;
        let entries = fs::read_dir(&packs).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort(); // an index before its pack: a pack alone is nothing, an index alone leads nowhere
        for path in files {
            if path.file_stem().and_then(|it| it.to_str()) != Some(&whole) {
                let _ = fs::remove_file(path); // its objects are in the whole pack as well
            }
        }
        for entry in fs::read_dir(&objects).into_iter().flatten().flatten() {
            if is_loose_object_folder(&entry.path()) {
                let _ = fs::remove_dir_all(entry.path()); // they are in the pack as well
            }
        }
        Ok(())
    }
}

/// Returns whether a path is one of the folders `objects/xx`.
fn is_loose_object_folder(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Removes hooks and lists of ignored files, and replaces the configuration by ours: a configuration may name files
/// elsewhere.
fn clean_settings(repository: &Path) -> Result<(), WriteError> {
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
        .map_err(|why| WriteError::new(&config, file_bytes::error_reason(&why)))
}

/// An entry of a tree: its name as recorded, its id and its mode.
pub type GitTreeRow = (Vec<u8>, Oid, i32);

pub(crate) const FOLDER_MODE: i32 = 0o040000;

/// The priority of an object store that is searched and written before every other.
pub(crate) const MEMORY_PRIORITY: i32 = 1_000;

/// The place for objects that the repository does not have.
enum ObjectSink {
    Pack(PackWriter),
    /// The repository writes no file: its first place for objects is in memory.
    Memory,
}

/// A set of objects that are being added to a repository.
pub struct NewObjects<'a> {
    odb: &'a Odb<'a>,
    sink: ObjectSink,
}

impl<'a> NewObjects<'a> {
    /// Makes a set of objects that is kept in memory alone.
    pub(crate) const fn in_memory(odb: &'a Odb<'a>) -> Self {
        Self { odb, sink: ObjectSink::Memory }
    }

    /// Adds an object and returns its id.
    pub(crate) fn add_object(
        &mut self,
        kind: ObjectKind,
        content: &[u8],
    ) -> Result<Oid, git2::Error> {
        let id = hash_object(kind, content);
        let oid = Oid::from_bytes(&id.0)?;
        let is_new = |writer: &PackWriter| {
            !writer.has_object(&id) && !self.odb.exists_ext(oid, OdbLookupFlags::NO_REFRESH)
        };
        match &mut self.sink {
            ObjectSink::Pack(writer) if is_new(writer) => {
                let failed =
                    |why: io::Error| git2::Error::from_str(&file_bytes::error_reason(&why));
                writer.add_object(id, kind, content).map_err(failed)?;
            }
            ObjectSink::Pack(_) => {}
            ObjectSink::Memory => {
                let kind = match kind {
                    ObjectKind::Commit => ObjectType::Commit,
                    ObjectKind::Tree => ObjectType::Tree,
                    ObjectKind::Blob => ObjectType::Blob,
                    ObjectKind::Tag => ObjectType::Tag,
                };
                self.odb.write(kind, content)?;
            }
        }
        Ok(oid)
    }

    /// Adds a tree and returns its id.
    pub(crate) fn add_tree(&mut self, rows: Vec<GitTreeRow>) -> Result<Oid, git2::Error> {
        self.add_object(ObjectKind::Tree, &tree_of(rows))
    }

    /// Adds a commit and returns its id.
    pub(crate) fn add_commit(
        &mut self,
        tree: Oid,
        parent: Option<Oid>,
        note: &CommitNote<'_>,
    ) -> Result<Oid, git2::Error> {
        let parent = parent.map(|it| format!("parent {it}\n")).unwrap_or_default();
        let who = format!("{} <{}> {} +0000", AUTHOR.0, AUTHOR.1, note.at.0.div_euclid(1000));
        let message = commit_message(note);
        let text = format!("tree {tree}\n{parent}author {who}\ncommitter {who}\n\n{message}");
        self.add_object(ObjectKind::Commit, text.as_bytes())
    }
}

/// Returns a tree as git writes it: sorted by names, those of folders as if they ended with a slash.
fn tree_of(mut rows: Vec<GitTreeRow>) -> Vec<u8> {
    let key = |(name, _, mode): &GitTreeRow| {
        let end: &[u8] = if *mode == FOLDER_MODE { b"/" } else { b"" };
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

fn commit_message(note: &CommitNote<'_>) -> String {
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

/// Returns the message of an error of libgit2.
pub(crate) fn git_error_text(why: &git2::Error) -> String {
    why.message().trim_end_matches('.').to_owned()
}
