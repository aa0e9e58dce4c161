//! The runs of a server: their names, which one a call means, and what is secret in each.

use std::{
    collections::HashMap,
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use trajview_code::redact::Redactor;
use trajview_metrics::cost::RunCost;
use trajview_run::{Run, closest_word::closest_word};
use trajview_store as store;
use trajview_store::{Archive, OpenedRecording};

use crate::cli::{
    CommandFailure, redaction::RedactingArgs, run_args::count_with_noun, sharding,
    show_json::ShowBuilder,
};

/// The runs below the paths of the command line.
pub(super) struct Recordings {
    paths: Vec<PathBuf>,
    redacting: RedactingArgs,
    /// A redactor for each run that a call was about: it knows every secret of the run.
    redactors: Mutex<HashMap<PathBuf, Arc<Redactor>>>,
}

impl Recordings {
    pub(super) fn new(paths: Vec<PathBuf>, redacting: RedactingArgs) -> Self {
        Self { paths, redacting, redactors: Mutex::default() }
    }

    pub(super) const fn redacting(&self) -> &RedactingArgs {
        &self.redacting
    }

    /// Returns the paths of all runs, in order; a run may have come since the last call.
    pub(super) fn run_paths(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> =
            self.paths.iter().flat_map(|path| sharding::runs_at(path)).collect();
        all.sort_by_cached_key(|path| path.display().to_string());
        all.dedup();
        all
    }

    /// Returns the run that a call names: by the name that the tools use, by its path, or by the end of one. Without a name
    /// the only run.
    pub(super) fn find_run(&self, name: Option<&str>) -> Result<PathBuf, String> {
        let mut all = self.run_paths();
        let Some(name) = name else {
            return match all.len() {
                1 => Ok(all.remove(0)),
                count => Err(format!(
                    "this server has {}; name one as `run`, as the tool runs lists them",
                    count_with_noun(count, "run")
                )),
            };
        };
        let name = name.trim_end_matches('/');
        if let Some(at) = all.iter().position(|path| is_named(path, name)) {
            return Ok(all.swap_remove(at));
        }
        let mut ending: Vec<&PathBuf> = all.iter().filter(|path| path.ends_with(name)).collect();
        match (ending.pop(), ending.len()) {
            (Some(path), 0) => Ok(path.clone()),
            (Some(_), more) => Err(format!(
                "{} runs have a path that ends in {name:?}; name one as the tool runs lists them",
                more + 1
            )),
            (None, _) => {
                let names: Vec<String> = all.iter().map(|path| run_name(path)).collect();
                let like = closest_word(name, names.iter().map(String::as_str));
                let like = like.map(|like| format!("; did you mean {like}?"));
                let like = like.unwrap_or_else(|| ".".into());
                Err(format!("no run {name:?} on this server{like} The tool runs lists them"))
            }
        }
    }

    /// Returns the redactor of a run, which has read the run to its end: a secret that is complete in one step is found where
    /// another step has a part of it.
    pub(super) fn redactor_of(&self, path: &Path) -> Result<Arc<Redactor>, CommandFailure> {
        let known =
            self.redactors.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        if let Some(redactor) = known {
            return Ok(redactor);
        }
        let OpenedRecording { run, archive } = &store::open(path)?;
        let redactor = self.redacting.redactor_for_runs([&**run]);
        if !self.redacting.is_off() {
            learn_texts(&redactor, path, run, archive)?;
        }
        let redactor = Arc::new(redactor);
        let mut redactors = self.redactors.lock().unwrap_or_else(PoisonError::into_inner);
        redactors.insert(path.to_owned(), Arc::clone(&redactor));
        Ok(redactor)
    }
}

fn learn_texts(
    redactor: &Redactor,
    path: &Path,
    run: &Run,
    archive: &Archive,
) -> Result<(), CommandFailure> {
    let timeline = archive.timeline(run).map_err(CommandFailure::cannot_read)?;
    let prices = store::prices::current_prices();
    let cost = RunCost::new(run, &prices.prices);
    let builder = ShowBuilder { run, archive, timeline: &timeline, path, cost: &cost };
    for turn in 0..run.turns.len() {
        redactor.learn_json(&archive.request_text(run, turn).into());
        let steps = serde_json::to_value(builder.step_rows(turn));
        redactor.learn_json(&steps.unwrap_or_default());
    }
    Ok(())
}

fn is_named(path: &Path, name: &str) -> bool {
    path.as_os_str() == OsStr::new(name) || run_name(path) == name
}

/// Returns the name of a run: its path as it was given, the home folder as `~`.
pub(super) fn run_name(path: &Path) -> String {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) if !below.as_os_str().is_empty() => format!("~/{}", below.display()),
        _ => path.display().to_string(),
    }
}

/// Returns the place of a moment, which `trajview PLACE` opens: `runs/a:12.7`. Without a turn it is the run.
pub(super) fn place_text(path: &Path, turn: Option<usize>, step: Option<usize>) -> String {
    let run = run_name(path);
    match (turn.filter(|turn| *turn > 0), step) {
        (None, _) => run,
        (Some(turn), None) => format!("{run}:{turn}"),
        (Some(turn), Some(step)) => format!("{run}:{turn}.{step}"),
    }
}
