//! The runs that a command takes: all named ones, or one shard of several.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use serde::Serialize;

use trajview_store as store;
use trajview_store::dataset::{
    DataFolder, ExistingPart, PartFile, PublishedPart, Shard, TableFormat, shard_id,
};

use super::{
    CommandFailure,
    output::{Out, json_bytes},
};

/// One machine's share of the work.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct ShardArgs {
    /// Only the runs of shard I of N: by a hash of each run's path in the named folder, so that shards never overlap,
    /// together cover all runs, and stay the same when runs are added
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
}

impl ShardArgs {
    /// Returns all runs, where no shard can be named.
    pub(crate) const fn all_runs() -> Self {
        Self { shard: None }
    }

    /// Returns the named shard, or the whole.
    pub(crate) fn shard_or_whole(self) -> Shard {
        self.shard.unwrap_or(Shard::ALL_RUNS)
    }

    /// Returns whether a shard was named.
    pub const fn is_named(self) -> bool {
        self.shard.is_some()
    }

    /// Returns the names by which runs belong to shards, of all runs below the paths: what every shard knows, on
    /// whatever machine.
    pub(crate) fn names_of_all_runs(paths: &[PathBuf]) -> Vec<String> {
        let names_below = |path: &PathBuf| {
            let runs = runs_or_path(runs_below(path), path).into_iter();
            runs.map(|run| shard_id(&run, path)).collect::<Vec<_>>()
        };
        let mut names: Vec<String> = paths.iter().flat_map(names_below).collect();
        names.sort();
        names
    }

    /// Returns the recordings of this shard below the paths, with a folder replaced by all recordings below it, in
    /// order, each once.
    ///
    /// # Errors
    ///
    /// Where a shard was named and a path is missing, or is a folder without a recording: every machine reports that,
    /// so that a missing disk does not look like an empty shard.
    pub fn runs_of_shard(self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, CommandFailure> {
        let mut runs = vec![];
        for path in paths {
            let below = runs_below(path);
            if below.is_empty() && self.is_named() && is_missing_or_folder(path) {
                store::open(path)?;
            }
            let named_runs = runs_or_path(below, path).into_iter();
            runs.extend(
                named_runs.filter(|run| self.shard_or_whole().contains_id(&shard_id(run, path))),
            );
        }
        runs.sort_by_cached_key(|run| run.display().to_string()); // as parts are sorted
        runs.dedup();
        Ok(runs)
    }
}

/// Returns the runs below a folder, or the path itself.
pub(crate) fn runs_at(path: &Path) -> Vec<PathBuf> {
    runs_or_path(runs_below(path), path)
}

fn runs_below(path: &Path) -> Vec<PathBuf> {
    if store::may_contain_runs(path) { store::runs_below(path) } else { vec![] }
}

fn runs_or_path(below: Vec<PathBuf>, path: &Path) -> Vec<PathBuf> {
    if below.is_empty() { vec![path.to_owned()] } else { below }
}

/// Returns whether a path without a recording is missing, or is a folder; false for a file or a path inside of one.
fn is_missing_or_folder(path: &Path) -> bool {
    let nearest = path.ancestors().find(|it| it.exists());
    nearest.is_none_or(Path::is_dir)
}

/// Documents of runs as parts, a line each.
#[derive(Debug, clap::Args)]
pub struct PartsArgs {
    /// Write the JSON of each run as one line of a file in this folder, named by shard and content; `trajview merge` joins shards.
    /// A run that cannot be read is a line with its error, and the exit code is 0
    #[arg(long, value_name = "DIR", conflicts_with_all = ["json"])]
    parts: Option<PathBuf>,
    /// Overwrite: remove parts in the folder that have other runs or another division
    #[arg(long, alias = "replace", requires = "parts")]
    overwrite: bool,
}

/// A line of a part: the document of a run, or why there is none.
#[derive(Serialize)]
struct PartLine<'d, D: Serialize> {
    source_uri: String,
    /// Null if there is a document.
    error: Option<&'d str>,
    #[serde(flatten)]
    document: Option<&'d D>,
}

/// A part that is being written.
pub struct PartLines<'a> {
    args: &'a PartsArgs,
    folder: DataFolder,
    file: PartFile,
}

impl PartsArgs {
    /// Opens a part for writing. None if `--parts` is not given.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written.
    pub fn open_part(
        &self,
        command: &str,
        sharding: ShardArgs,
    ) -> Result<Option<PartLines<'_>>, CommandFailure> {
        let Some(folder) = &self.parts else { return Ok(None) };
        let folder = DataFolder::open(folder)?;
        let file =
            folder.new_part(command, TableFormat::Jsonl.word(), sharding.shard_or_whole())?;
        Ok(Some(PartLines { args: self, folder, file }))
    }
}

impl PartLines<'_> {
    /// Adds the document of the next run; runs come in the order of [`ShardArgs::runs_of_shard`].
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn add_document<D: Serialize>(
        &mut self,
        run: &Path,
        document: &D,
    ) -> Result<(), CommandFailure> {
        self.write_line(&PartLine {
            source_uri: run.display().to_string(),
            error: None,
            document: Some(document),
        })
    }

    /// Adds a run that cannot be read.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn add_error(&mut self, run: &Path, why: &str) -> Result<(), CommandFailure> {
        let source_uri = run.display().to_string();
        self.write_line(&PartLine::<()> { source_uri, error: Some(why), document: None })
    }

    fn write_line<D: Serialize>(&mut self, line: &PartLine<'_, D>) -> Result<(), CommandFailure> {
        let folder = self.folder.path().display();
        let made = json_bytes(line);
        let written = made.and_then(|mut line| {
            line.push(b'\n');
            self.file.write_all(&line)
        });
        written.map_err(|why| CommandFailure::cannot_read(format!("cannot write {folder}: {why}")))
    }

    /// Renames the file to its final name and prints it.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, and where the folder has parts that cannot lie beside it.
    pub fn publish(self, out: &mut Out) -> Result<(), CommandFailure> {
        let existing = ExistingPart::from_replace(self.args.overwrite);
        let published = self.folder.publish_parts(vec![self.file], existing)?;
        Ok(print_published(&published, out)?)
    }
}

/// Prints the names of parts that were written or were there already.
pub(crate) fn print_published(published: &[PublishedPart], out: &mut Out) -> std::io::Result<()> {
    published.iter().try_for_each(|PublishedPart { path, is_new }| {
        let note = if *is_new { "" } else { " (already exists)" };
        out.print_line(&format!("{}{note}", path.display()))
    })
}
