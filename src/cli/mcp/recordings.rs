//! The runs of a server: their names, which one a call means, and what is secret in each.

use std::{
    collections::HashMap,
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use trajview_code::redact::Redactor;
use trajview_metrics::cost::RunCost;
use trajview_run::{Run, closest_word::closest_word};
use trajview_store as store;
use trajview_store::{Archive, OpenedRecording, Siblings, lookup::FilesStamp};

use super::answer::Answer;
use crate::cli::{
    CommandFailure,
    redaction::RedactingArgs,
    run_args::{self, count_with_noun},
    sharding,
    show_json::ShowBuilder,
};

/// The runs below the paths of the command line.
pub(super) struct Recordings {
    paths: Vec<PathBuf>,
    redacting: RedactingArgs,
    /// The runs as they were found last.
    found: Mutex<Arc<[PathBuf]>>,
    /// A redactor for each run that a call was about: it knows every secret of the run as its files were.
    redactors: Mutex<HashMap<PathBuf, KnownRun>>,
    /// The last answer about all runs, and its call.
    answered: Mutex<Option<(String, Arc<Answer>)>>,
}

/// What is secret in a run, and the files in which that was found.
struct KnownRun {
    files: FilesStamp,
    redactor: Arc<Redactor>,
}

/// The most rows of an answer that are kept for its later pages.
const MOST_KEPT_ROWS: usize = 20_000;

impl Recordings {
    pub(super) fn new(paths: Vec<PathBuf>, redacting: RedactingArgs) -> Self {
        Self {
            paths,
            redacting,
            found: Mutex::new(Arc::new([])),
            redactors: Mutex::default(),
            answered: Mutex::default(),
        }
    }

    pub(super) const fn redacting_args(&self) -> &RedactingArgs {
        &self.redacting
    }

    /// Looks for runs and returns their paths, in order; a run may have come since the last call.
    pub(super) fn find_runs(&self) -> Arc<[PathBuf]> {
        let mut all: Vec<PathBuf> =
            self.paths.iter().flat_map(|path| sharding::runs_at(path)).collect();
        all.sort_by_cached_key(|path| path.display().to_string());
        all.dedup();
        let all: Arc<[PathBuf]> = all.into();
        *lock(&self.found) = Arc::clone(&all);
        all
    }

    /// Returns the paths of the runs for a page: a later page is of the runs that the first one found.
    pub(super) fn runs_of_page(&self, cursor: Option<&str>) -> Arc<[PathBuf]> {
        let found = Arc::clone(&lock(&self.found));
        if cursor.is_none() || found.is_empty() { self.find_runs() } else { found }
    }

    /// Returns the answer of a call about all runs. A later page is of the answer that the first one had, where no other such
    /// call came between.
    pub(super) fn answer_for_page(
        &self,
        call: &str,
        cursor: Option<&str>,
        make: impl FnOnce() -> Result<Answer, String>,
    ) -> Result<Arc<Answer>, String> {
        let kept = lock(&self.answered).clone();
        if let Some((_, answer)) = kept.filter(|(of, _)| cursor.is_some() && of == call) {
            return Ok(answer);
        }
        let answer = Arc::new(make()?);
        let is_small = answer.rows.len() <= MOST_KEPT_ROWS;
        *lock(&self.answered) = is_small.then(|| (call.to_owned(), Arc::clone(&answer)));
        Ok(answer)
    }

    /// Returns the run that a call names: by the name that the tools use, by its path, or by the end of one. Without a name
    /// the only run.
    pub(super) fn find_run(&self, name: Option<&str>) -> Result<PathBuf, String> {
        let Some(name) = name else {
            return match &*self.find_runs() {
                [only] => Ok(only.clone()),
                all => Err(format!(
                    "this server has {}; name one as `run`, as the tool runs lists them",
                    count_with_noun(all.len(), "run")
                )),
            };
        };
        let name = name.trim_end_matches('/');
        let known = Arc::clone(&lock(&self.found));
        let named = |all: &[PathBuf]| all.iter().find(|path| is_named(path, name)).cloned();
        if let Some(path) = named(&known).filter(|path| !run_args::is_missing(path)) {
            return Ok(path);
        }
        let all = self.find_runs();
        if let Some(path) = named(&all) {
            return Ok(path);
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

    /// Returns the redactor of a run, which has read the run to its end, again if its files changed: a secret that is complete in
    /// one step is found where another step has a part of it.
    pub(super) fn redactor_of(&self, path: &Path) -> Result<Arc<Redactor>, CommandFailure> {
        let siblings = Siblings::default();
        if let Some(known) = lock(&self.redactors).get(path)
            && known.files.is_current(path, &siblings)
        {
            return Ok(Arc::clone(&known.redactor));
        }
        let files = FilesStamp::of_run(path, &siblings); // before they are read
        let OpenedRecording { run, archive } = &store::open(path)?;
        let redactor = self.redacting.redactor_for_runs([&**run]);
        if !self.redacting.is_off() {
            learn_texts(&redactor, path, run, archive)?;
        }
        let redactor = Arc::new(redactor);
        let known = files.map(|files| KnownRun { files, redactor: Arc::clone(&redactor) });
        known.and_then(|known| lock(&self.redactors).insert(path.to_owned(), known));
        Ok(redactor)
    }
}

fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
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
