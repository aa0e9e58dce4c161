//! Repositories that we write: bare ones in a bundle, with one branch, each commit one pack that is brought to the disk once
//! (`store::pack`). [`super::workspace`] keeps the files of an agent in one, [`super::layers`] what layers know in others.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use git2::{ObjectType, Odb, OdbLookupFlags, Oid, Repository, RepositoryInitOptions};

use trajview_run::Time;

use super::{
    bytes,
    objects::{Kind, hash},
    pack::{self, PackWriter},
    repo::Repo,
    write::{WriteError, sweep_parts},
};

/// A repository that is written.
pub struct Bare {
    pub repo: Repository,
    pub path: PathBuf,
}

/// What a commit says.
#[derive(Debug, Clone, Copy)]
pub struct Note<'a> {
    pub title: &'a str,
    /// `Turn: 3` and the like, below the title.
    pub trailers: &'a [(&'a str, String)],
    pub at: Time,
}

/// Author and committer of every commit.
const WHO: (&str, &str) = ("trajview live", "live@trajview.invalid");

/// The one branch.
pub const REFERENCE: &str = "refs/heads/main";

/// Settings of the repository while it is written.
const OURS: [&str; 2] = ["core.fsyncObjectFiles", "core.excludesFile"];

/// The whole configuration of a repository while it is written. A crash may not take away what was said to be recorded;
/// nor may the user's own list of ignored files count.
pub(super) const CONFIG: &str = "[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tfsyncObjectFiles = true
\texcludesFile = /dev/null
";

impl Bare {
    /// A new repository at that place.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        super::repo::prepare_libgit2();
        let mut options = RepositoryInitOptions::new();
        options.bare(true).no_reinit(true).external_template(false).initial_head("main");
        let made = Repository::init_opts(path, &options).and_then(|repo| {
            let mut config = repo.config()?;
            config.set_bool(OURS[0], true)?;
            config.set_str(OURS[1], "/dev/null")?;
            Ok(repo)
        });
        let repo = made.map_err(|why| WriteError::new(path, sentence(&why)))?;
        clean(path)?;
        let _ = fs::remove_file(path.join("description"));
        Ok(Self { repo, path: path.to_owned() })
    }

    /// A repository that is gone on with. One that borrows from elsewhere or is damaged is refused.
    pub fn open(path: &Path) -> Result<Self, WriteError> {
        super::repo::prepare_libgit2();
        pack::sweep_indexes(path);
        Repo::check(path).map_err(WriteError::at(path))?;
        clean(path)?;
        let repo =
            Repository::open_bare(path).map_err(|why| WriteError::new(path, sentence(&why)))?;
        Ok(Self { repo, path: path.to_owned() })
    }

    /// Takes away the locks and the unfinished packs of a writer that was killed. For whoever knows that nobody writes.
    pub fn unlock(&self) {
        for name in ["HEAD.lock", "config.lock", "packed-refs.lock", "refs/heads/main.lock"] {
            let _ = fs::remove_file(self.path.join(name)); // it is hardly ever there
        }
        sweep_parts(&self.packs());
    }

    /// What libgit2 said, as a failure of writing here.
    pub fn failed(&self, why: &git2::Error) -> WriteError {
        WriteError::new(&self.path, sentence(why))
    }

    /// A place for the objects of the next commit.
    pub fn objects<'a>(&self, odb: &'a Odb<'a>) -> Objects<'a> {
        Objects { odb, sink: Sink::Pack(PackWriter::new(&self.packs())) }
    }

    /// Brings the objects to the disk and makes this commit the last one of the branch.
    pub fn finish(&self, objects: Objects<'_>, commit: Oid) -> Result<(), WriteError> {
        if let Sink::Pack(writer) = objects.sink {
            writer.finish().map_err(|why| WriteError::new(&self.path, bytes::reason(&why)))?;
        }
        objects
            .odb
            .refresh()
            .and_then(|()| self.repo.reference(REFERENCE, commit, true, "live"))
            .map_err(|why| self.failed(&why))?;
        Ok(())
    }

    fn packs(&self) -> PathBuf {
        self.path.join("objects/pack")
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
        sweep_parts(&self.packs());
        let Ok(last) = self.repo.refname_to_id(REFERENCE) else { return Ok(()) };
        if self.is_packed() {
            return Ok(());
        }
        let (objects, packs) = (self.path.join("objects"), self.packs());
        let whole = pack::write_whole(&self.repo, last, &packs).map_err(|why| self.failed(&why))?;
        let entries = fs::read_dir(&packs).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort(); // an index before its pack: a pack alone is nothing, an index alone leads nowhere
        for path in files {
            if path.file_stem().and_then(|it| it.to_str()) != Some(&whole) {
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

/// Name as it is recorded, id, mode.
pub type TreeRow = (Vec<u8>, Oid, i32);

pub const FOLDER: i32 = 0o040000;

/// Before every other place where objects are looked for and put.
pub const MEMORY_FIRST: i32 = 1_000;

/// Where objects go that the repository does not have.
enum Sink {
    Pack(PackWriter),
    /// The repository writes no file: its first place for objects is in memory.
    Memory,
}

/// Objects on their way into a repository.
pub struct Objects<'a> {
    odb: &'a Odb<'a>,
    sink: Sink,
}

impl<'a> Objects<'a> {
    /// Objects that are kept in memory alone.
    pub const fn in_memory(odb: &'a Odb<'a>) -> Self {
        Self { odb, sink: Sink::Memory }
    }

    /// Takes an object in; its id.
    pub fn put(&mut self, kind: Kind, content: &[u8]) -> Result<Oid, git2::Error> {
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

    /// Takes a tree in.
    pub fn tree(&mut self, rows: Vec<TreeRow>) -> Result<Oid, git2::Error> {
        self.put(Kind::Tree, &tree_of(rows))
    }

    /// Takes a commit in.
    pub fn commit(
        &mut self,
        tree: Oid,
        parent: Option<Oid>,
        note: &Note<'_>,
    ) -> Result<Oid, git2::Error> {
        let parent = parent.map(|it| format!("parent {it}\n")).unwrap_or_default();
        let who = format!("{} <{}> {} +0000", WHO.0, WHO.1, note.at.0.div_euclid(1000));
        let message = message(note);
        let text = format!("tree {tree}\n{parent}author {who}\ncommitter {who}\n\n{message}");
        self.put(Kind::Commit, text.as_bytes())
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

/// What libgit2 said.
pub fn sentence(why: &git2::Error) -> String {
    why.message().trim_end_matches('.').to_owned()
}
