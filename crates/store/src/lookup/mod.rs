//! Searches every run below some paths: the index narrows down the runs that it has, and runs that it does not have, or
//! that changed, are searched whole.
//!
//! The index (`word_index`) knows which parts of a run may have hits; the recording itself always decides. So the index
//! never changes what is found, only how soon.

mod files_stamp;
mod gathered_words;
mod index_builder;
mod run_parts;
mod run_sieve;
mod word_index;

use std::{
    collections::HashSet,
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use trajview_formats::PieceExecutor as _;
use trajview_run::{
    lookup::{Lookup, LookupHit, LookupMoment, LookupRun, LookupTotals, MOST_HITS, RunHits},
    trial::TrialValues,
};

use super::{
    archive::OpenedRecording,
    disk,
    executor::{WorkerThreads, run_one_of_many},
    file_bytes::FileAccess,
    file_head_cache::FileHeadCache,
    open::open_found,
    recording_files::find_among,
    siblings::Siblings,
};

use run_parts::RunParts;
use run_sieve::RunSieve;
use word_index::{IndexedFacts, IndexedRun, WordIndex};

pub use files_stamp::FilesStamp;
pub use index_builder::{BuildOutcome, IndexProgress, build_index};
pub use word_index::{default_path, delete_index};

/// A search for one lookup in many runs.
pub struct RunFinder<'a> {
    pub lookup: &'a Lookup,
    /// The index, where one is to be used.
    pub index: Option<&'a Path>,
    /// The check before every step, by several threads; false ends the search.
    pub keep_going: &'a (dyn Fn() -> bool + Sync),
}

/// A message of a search that is under way.
#[derive(Debug, Clone, PartialEq)]
pub enum LookupMessage {
    Found(RunHits),
    /// A run that cannot be read; a sentence.
    Unread(String),
}

/// A run to look in: all of it, or the parts that may have something.
struct WantedRun {
    /// The path as it is reported.
    path: PathBuf,
    parts: CandidateParts,
}

/// The parts of a run that may have hits.
enum CandidateParts {
    Anywhere,
    /// The ranges of requests and steps that may have hits.
    Parts(Vec<Range<usize>>),
}

impl RunFinder<'_> {
    /// Reports the hits of each run below the paths, the newest first: runs of the index before the others. Ends where
    /// `on_message` returns false.
    pub fn find_in_runs(
        &self,
        sources: &[PathBuf],
        on_message: &mut dyn FnMut(LookupMessage) -> bool,
    ) -> LookupTotals {
        let siblings = Siblings::default();
        let sources: Vec<SourcePath> = sources.iter().map(|path| SourcePath::new(path)).collect();
        let mut looked = LookupTotals::default();
        let indexed = self.index.and_then(WordIndex::open_existing);
        let rows =
            indexed.and_then(|index| self.indexed_candidates(&index, &sources)).unwrap_or_default();
        // Runs with candidates come before all others are checked for changes.
        let mut wanted = vec![];
        let (mut known, mut rest) = (HashSet::new(), vec![]);
        for (row, parts) in rows {
            match (parts, named_path(&sources, &row.path)) {
                (Some(parts), Some(path)) if self.takes_run(&row.facts) => {
                    if row.is_current(&siblings) {
                        wanted.push(WantedRun { path, parts });
                        known.insert(row.path);
                    }
                }
                _ => rest.push(row),
            }
        }
        if !self.find_in_all(&wanted, &siblings, &mut looked, on_message) {
            return looked;
        }
        let fresh = rest.into_iter().filter(|row| (self.keep_going)() && row.is_current(&siblings));
        known.extend(fresh.map(|row| row.path));
        let absolute: Vec<PathBuf> = sources.iter().map(|source| source.absolute.clone()).collect();
        let heads = self.index.map_or_else(FileHeadCache::default, FileHeadCache::beside_file);
        let others = index_builder::find_runs(&absolute, &heads)
            .into_iter()
            .filter(|(path, _)| !known.contains(path));
        let others = others.filter_map(|(path, _)| {
            Some(WantedRun { path: named_path(&sources, &path)?, parts: CandidateParts::Anywhere })
        });
        let others: Vec<WantedRun> = others.collect();
        (looked.runs, looked.indexed) = (known.len() + others.len(), known.len());
        self.find_in_all(&others, &siblings, &mut looked, on_message);
        looked
    }

    /// Returns the runs below the sources that the index has, the newest first, each with where it may have something;
    /// None where it has nothing. None where the index cannot be read.
    fn indexed_candidates(
        &self,
        index: &WordIndex,
        sources: &[SourcePath],
    ) -> Option<Vec<(IndexedRun, Option<CandidateParts>)>> {
        let mut rows = index.indexed_runs().ok()?;
        let mut parts = index.candidate_parts(&self.lookup.index_needs()).ok()?;
        rows.retain(|row| named_path(sources, &row.path).is_some());
        rows.sort_by(|a, b| {
            b.facts.written.cmp(&a.facts.written).then_with(|| a.path.cmp(&b.path))
        });
        let with_parts = rows.into_iter().map(|row| {
            let parts = match &mut parts {
                Some(parts) => parts.remove(&row.id).map(CandidateParts::Parts),
                None => Some(CandidateParts::Anywhere),
            };
            (row, parts)
        });
        Some(with_parts.collect())
    }

    fn takes_run(&self, facts: &IndexedFacts) -> bool {
        let project = facts.project.as_deref();
        self.lookup.accepts_run(facts.agent.as_deref(), &facts.format, project, facts.last_time())
    }

    /// Searches all runs, and reports their messages in order. Returns whether more is wanted.
    fn find_in_all(
        &self,
        wanted: &[WantedRun],
        siblings: &Siblings,
        looked: &mut LookupTotals,
        on_message: &mut dyn FnMut(LookupMessage) -> bool,
    ) -> bool {
        let messages: Vec<Mutex<Option<LookupMessage>>> =
            wanted.iter().map(|_| Mutex::default()).collect();
        let is_over = AtomicBool::new(false);
        let keep_going = || !is_over.load(Ordering::Relaxed) && (self.keep_going)();
        let sieve = RunSieve::for_lookup(self.lookup);
        let work = |at: usize, left: usize| {
            if keep_going() {
                let look = || self.find_in_run(&wanted[at], &sieve, siblings, &keep_going);
                *lock(&messages[at]) = run_one_of_many(left, look);
            }
        };
        let mut then = |at: usize| {
            let Some(message) = lock(&messages[at]).take() else { return };
            if let LookupMessage::Found(run_hits) = &message {
                looked.with_hits += 1;
                looked.hits += run_hits.total;
            }
            if !keep_going() || !on_message(message) {
                is_over.store(true, Ordering::Relaxed);
            }
        };
        // The first answer is waited for: all threads look for it together.
        if wanted.is_empty() {
            return keep_going();
        }
        work(0, 0);
        then(0);
        let after = wanted.len() - 1;
        let work = |at: usize| work(at + 1, after - at - 1);
        WorkerThreads::for_all_cores().in_order(after, &work, &mut |at| then(at + 1));
        keep_going()
    }

    /// Returns None where nothing is found.
    fn find_in_run(
        &self,
        wanted: &WantedRun,
        sieve: &RunSieve,
        siblings: &Siblings,
        keep_going: &(dyn Fn() -> bool + Sync),
    ) -> Option<LookupMessage> {
        let recording = match find_among(&wanted.path, FileAccess::InMemory, siblings) {
            Ok(recording) => recording,
            Err(why) => return Some(LookupMessage::Unread(why.to_string())),
        };
        if matches!(wanted.parts, CandidateParts::Anywhere)
            && !sieve.may_have_hits(&recording, keep_going)
        {
            return None;
        }
        let opened = match open_found(&wanted.path, recording) {
            Ok(opened) => opened,
            Err(why) => return Some(LookupMessage::Unread(why.to_string())),
        };
        let part_hits = self.find_in_opened(&opened, &wanted.parts, keep_going);
        let PartHits { hits, total } = part_hits;
        (total > 0).then(|| {
            let about = LookupRun::for_run(&opened.run);
            LookupMessage::Found(RunHits { path: wanted.path.clone(), about, hits, total })
        })
    }

    fn find_in_opened(
        &self,
        opened: &OpenedRecording,
        wanted: &CandidateParts,
        keep_going: &(dyn Fn() -> bool + Sync),
    ) -> PartHits {
        let parts = RunParts::new(opened);
        if !self.takes_run(&IndexedFacts::for_run(&opened.run, &parts.moments, 0))
            || !self.lookup.accepts_trial(&TrialValues::for_run(&opened.run))
        {
            return PartHits::default();
        }
        let ranges = match wanted {
            CandidateParts::Anywhere => parts.part_ranges(),
            CandidateParts::Parts(parts) => parts.clone(),
        };
        let hits_of_parts: Vec<Mutex<PartHits>> = ranges.iter().map(|_| Mutex::default()).collect();
        let work = |at: usize| {
            let moments = parts.moments.get(ranges[at].clone()).unwrap_or_default();
            let hits = self.find_in_part(&parts, moments, keep_going);
            *lock(&hits_of_parts[at]) = hits;
        };
        let mut all = PartHits::default();
        WorkerThreads::for_all_cores().in_order(ranges.len(), &work, &mut |at| {
            let PartHits { hits, total } = std::mem::take(&mut *lock(&hits_of_parts[at]));
            let room = MOST_HITS - all.hits.len();
            all.hits.extend(hits.into_iter().take(room));
            all.total += total;
        });
        all
    }

    fn find_in_part(
        &self,
        parts: &RunParts<'_>,
        moments: &[LookupMoment],
        keep_going: &(dyn Fn() -> bool + Sync),
    ) -> PartHits {
        let run = &parts.opened.run;
        let mut part_hits = PartHits::default();
        for moment in moments.iter().filter(|moment| self.lookup.accepts_moment(run, **moment)) {
            if !keep_going() {
                break;
            }
            let texts = parts.moment_text(*moment);
            self.lookup.find_hits(run, *moment, &texts, &mut |hit| {
                part_hits.total += 1;
                if part_hits.hits.len() < MOST_HITS {
                    part_hits.hits.push(hit.to_hit());
                }
            });
        }
        part_hits
    }
}

/// The hits in a part of a run.
#[derive(Debug, Default)]
struct PartHits {
    hits: Vec<LookupHit>,
    total: usize,
}

/// A path below which runs are searched.
struct SourcePath {
    /// The path as the user wrote it.
    as_written: PathBuf,
    absolute: PathBuf,
}

impl SourcePath {
    fn new(path: &Path) -> Self {
        Self { as_written: path.to_owned(), absolute: disk::absolute_path(path) }
    }
}

/// Returns the path of a run, below the source as it was named; None where it is below none.
fn named_path(sources: &[SourcePath], path: &Path) -> Option<PathBuf> {
    sources.iter().find_map(|source| {
        let rest = path.strip_prefix(&source.absolute).ok()?;
        Some(if rest.as_os_str().is_empty() {
            source.as_written.clone()
        } else {
            source.as_written.join(rest)
        })
    })
}

fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
