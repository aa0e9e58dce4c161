//! The runs of a figure, in groups.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;

use trajview_figures::{LegendEntry, Style};
use trajview_run::{Run, format_number::count_with_noun, path::shared_folder};
use trajview_store::{self as store, DiskCache, OpenedRecording, Siblings};
use trajview_study::pairing::RunIdentity;

use crate::cli::{CommandFailure, corpus, run_args};

#[derive(Debug, clap::Args)]
pub struct FigureRunArgs {
    /// Runs, folders that contain runs, or addresses of them; a run that is named twice counts once
    #[arg(value_name = "RUN", value_parser = run_args::place_parser(), required_unless_present = "listed")]
    paths: Vec<PathBuf>,
    /// Also the runs listed in this file, one path per line, as `trajview sample --paths` prints them; `-` is standard input
    #[arg(long = "paths", id = "listed", value_name = "FILE|-")]
    listed: Option<PathBuf>,
}

impl FigureRunArgs {
    pub(crate) fn run_paths(&self) -> Result<Vec<PathBuf>, CommandFailure> {
        corpus::paths_of_runs(&self.paths, self.listed.as_deref())
    }
}

/// What runs are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FigureGrouping {
    Condition,
    Agent,
    Model,
    Task,
    /// Each run by itself.
    Run,
}

impl FigureGrouping {
    /// Returns the name of a run's group; a run by itself has its path below the folder that all are in.
    fn group_name(self, run: &Run, path: &Path, folder: &Path) -> String {
        let RunIdentity { key, model } = RunIdentity::for_run(run);
        let (word, known) = match self {
            Self::Condition => ("condition", key.condition),
            Self::Agent => ("agent", key.agent),
            Self::Model => ("model", model),
            Self::Task => ("task", key.task),
            Self::Run => {
                let below = path.strip_prefix(folder).ok();
                let below = below.filter(|below| !below.as_os_str().is_empty());
                let name = below.or_else(|| Some(Path::new(path.file_name()?))).unwrap_or(path);
                ("run", Some(name.display().to_string()))
            }
        };
        let known = known.filter(|name| !name.is_empty());
        known.unwrap_or_else(|| format!("{word} not recorded"))
    }
}

/// The runs of a group, each with what was computed of it.
pub struct FigureGroup<T> {
    pub name: String,
    pub runs: Vec<T>,
}

/// All groups by name, and a sentence for each run that is in none.
pub struct GroupedRuns<T> {
    pub groups: Vec<FigureGroup<T>>,
    pub left_out: Vec<String>,
}

/// Opens every run, and computes something of each. A run of which nothing can be computed is left out.
///
/// # Errors
///
/// If nothing could be computed of any run.
pub(crate) fn group_runs<T: Send>(
    paths: &[PathBuf],
    by: FigureGrouping,
    cache: Option<Arc<DiskCache>>,
    compute: impl Fn(&OpenedRecording, &Path) -> Result<T, String> + Sync,
) -> Result<GroupedRuns<T>, CommandFailure> {
    let siblings = Siblings::default();
    let folder = shared_folder(paths).unwrap_or(Path::new(""));
    let of_run = |path: &PathBuf| -> Result<(String, T), String> {
        let name = path.display();
        let opened = store::open_among(path, &siblings).map_err(|why| format!("{name}: {why}"))?;
        let opened = opened.with_cache(cache.clone());
        let computed = compute(&opened, path).map_err(|why| format!("{name}: {why}"))?;
        Ok((by.group_name(&opened.run, path, folder), computed))
    };
    let computed: Vec<Result<(String, T), String>> = paths.par_iter().map(of_run).collect();
    let mut groups: BTreeMap<String, Vec<T>> = BTreeMap::new();
    let mut left_out = vec![];
    for run in computed {
        match run {
            Ok((group, computed)) => groups.entry(group).or_default().push(computed),
            Err(why) => left_out.push(why),
        }
    }
    if groups.is_empty() {
        return Err(CommandFailure::cannot_understand(left_out.join("\n")));
    }
    let group = |(name, runs)| FigureGroup { name, runs };
    Ok(GroupedRuns { groups: groups.into_iter().map(group).collect(), left_out })
}

impl<T> GroupedRuns<T> {
    /// Prints why runs are left out, and returns the sentence of the caption about them.
    pub(crate) fn left_out_sentence(&self) -> Option<String> {
        self.left_out.iter().for_each(|why| crate::cli::output::print_note(why));
        let count = self.left_out.len();
        (count > 0).then(|| format!("{} left out: nothing to draw.", count_with_noun(count, "run")))
    }

    /// Returns the entries of the legend: each group with its number of runs.
    pub(crate) fn legend_entries(&self, has_marks: bool) -> Vec<LegendEntry> {
        let entry = |(at, group): (usize, &FigureGroup<T>)| LegendEntry {
            label: format!("{} (n={})", group.name, group.runs.len()),
            style: Style(at),
            shape: None,
            has_marks,
        };
        self.groups.iter().enumerate().map(entry).collect()
    }
}

/// Returns sentences as one text.
pub(crate) fn joined_sentences(sentences: impl IntoIterator<Item = String>) -> String {
    let sentences: Vec<String> = sentences.into_iter().filter(|it| !it.is_empty()).collect();
    sentences.join(" ")
}
