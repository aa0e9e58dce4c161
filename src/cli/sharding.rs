//! Which runs a command takes of those that were named: all of them, or one shard of several.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use serde::Serialize;

use trajview_store as store;
use trajview_store::dataset::{DataFolder, Existing, Form, PartFile, Published, Shard, id_of};

use super::{
    Failure,
    output::{Out, json_bytes},
};

/// One machine's share of the work.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Sharding {
    /// Only the runs of shard I of N: by a hash of each run's path below the folder that was named, so that shards never
    /// overlap, together are all runs, and stay the same when other runs come
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
}

impl Sharding {
    /// All runs, where no shard can be named.
    pub const fn whole() -> Self {
        Self { shard: None }
    }

    /// Which shard it is; the whole where none was named.
    pub fn shard(self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }

    /// Whether a shard was named.
    pub const fn is_asked(self) -> bool {
        self.shard.is_some()
    }

    /// The names by which runs belong to shards, of all runs below the paths: what every shard knows, on whatever machine.
    pub fn names_of_all(paths: &[PathBuf]) -> Vec<String> {
        let named = |path: &PathBuf| {
            let runs = below_or_itself(runs_below(path), path).into_iter();
            runs.map(|run| id_of(&run, path)).collect::<Vec<_>>()
        };
        let mut names: Vec<String> = paths.iter().flat_map(named).collect();
        names.sort();
        names
    }

    /// The recordings of this shard below the paths, a folder standing for all below it, in order, each once.
    ///
    /// # Errors
    ///
    /// Where a shard was named and a path is not there, or is a folder without a recording: every machine says so, rather
    /// than that all but one have nothing to do because a disk is not there.
    pub fn runs(self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
        let mut runs = vec![];
        for path in paths {
            let below = runs_below(path);
            if below.is_empty() && self.is_asked() && is_nothing(path) {
                store::open(path)?;
            }
            let named = below_or_itself(below, path).into_iter();
            runs.extend(named.filter(|run| self.shard().takes(&id_of(run, path))));
        }
        runs.sort_by_cached_key(|run| run.display().to_string()); // as parts are sorted
        runs.dedup();
        Ok(runs)
    }
}

/// A folder stands for all runs below it.
pub fn runs_at(path: &Path) -> Vec<PathBuf> {
    below_or_itself(runs_below(path), path)
}

fn runs_below(path: &Path) -> Vec<PathBuf> {
    if store::holds_runs(path) { store::runs_below(path) } else { vec![] }
}

fn below_or_itself(below: Vec<PathBuf>, path: &Path) -> Vec<PathBuf> {
    if below.is_empty() { vec![path.to_owned()] } else { below }
}

/// Whether a path below which no recording was found is not there, or is a folder; neither a file nor in one.
fn is_nothing(path: &Path) -> bool {
    let nearest = path.ancestors().find(|it| it.exists());
    nearest.is_none_or(Path::is_dir)
}

/// Documents of runs as parts, a line each.
#[derive(Debug, clap::Args)]
pub struct IntoParts {
    /// Write the JSON of each run as a line of a file in this folder, named by shard and content; `trajview merge` joins shards.
    /// A run that cannot be read is a line with its error, and the exit code is 0
    #[arg(long, value_name = "DIR", conflicts_with_all = ["json"])]
    parts: Option<PathBuf>,
    /// Take away parts in the folder that hold other runs or another division
    #[arg(long, requires = "parts")]
    replace: bool,
}

/// A line of a part: the document of a run, or why there is none.
#[derive(Serialize)]
struct Line<'d, D: Serialize> {
    source_uri: String,
    /// Null where there is a document.
    error: Option<&'d str>,
    #[serde(flatten)]
    document: Option<&'d D>,
}

/// A part that is being written.
pub struct Lines<'a> {
    args: &'a IntoParts,
    folder: DataFolder,
    file: PartFile,
}

impl IntoParts {
    /// None where no part was asked for.
    ///
    /// # Errors
    ///
    /// Where the folder cannot be written.
    pub fn begin(&self, of: &str, sharding: Sharding) -> Result<Option<Lines<'_>>, Failure> {
        let Some(folder) = &self.parts else { return Ok(None) };
        let folder = DataFolder::open(folder)?;
        let file = folder.part(of, Form::Jsonl.word(), sharding.shard())?;
        Ok(Some(Lines { args: self, folder, file }))
    }
}

impl Lines<'_> {
    /// Adds the document of the next run; runs come in the order of [`Sharding::runs`].
    ///
    /// # Errors
    ///
    /// Where the file cannot be written.
    pub fn add<D: Serialize>(&mut self, run: &Path, document: &D) -> Result<(), Failure> {
        self.line(&Line {
            source_uri: run.display().to_string(),
            error: None,
            document: Some(document),
        })
    }

    /// Adds a run that cannot be read.
    ///
    /// # Errors
    ///
    /// Where the file cannot be written.
    pub fn add_error(&mut self, run: &Path, why: &str) -> Result<(), Failure> {
        let source_uri = run.display().to_string();
        self.line(&Line::<()> { source_uri, error: Some(why), document: None })
    }

    fn line<D: Serialize>(&mut self, line: &Line<'_, D>) -> Result<(), Failure> {
        let folder = self.folder.path().display();
        let made = json_bytes(line);
        let written = made.and_then(|mut line| {
            line.push(b'\n');
            self.file.write_all(&line)
        });
        written.map_err(|why| Failure::unread(format!("cannot write {folder}: {why}")))
    }

    /// Gives the file its name and says it.
    ///
    /// # Errors
    ///
    /// Where the file cannot be written, and where the folder has parts that cannot lie beside it.
    pub fn publish(self, out: &mut Out) -> Result<(), Failure> {
        let existing = Existing::of(self.args.replace);
        let published = self.folder.publish(vec![self.file], existing)?;
        Ok(say(&published, out)?)
    }
}

/// The names of parts that were written or were there already.
pub fn say(published: &[Published], out: &mut Out) -> std::io::Result<()> {
    published.iter().try_for_each(|Published { path, is_new }| {
        let note = if *is_new { "" } else { " (there already)" };
        out.line(&format!("{}{note}", path.display()))
    })
}
