//! Searches all runs, and updates the index in the background while a table of them is on screen.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use trajview_run::{
    Time,
    lookup::{Lookup, LookupTotals, RunHits},
};
use trajview_store::lookup::{self, LookupMessage, RunFinder};
use trajview_tui::session::request::{RequestId, Sentence};

/// Everything that a worker needs to search all runs.
#[derive(Debug, Clone, Default)]
pub struct FindWorker {
    /// The file of the index; None when everything is read instead.
    pub index: Option<PathBuf>,
    /// The newest search; an older one stops at its next step.
    newest: Arc<AtomicU64>,
    /// True if the index is being updated.
    is_at_work: Arc<AtomicBool>,
    first: Arc<ForegroundWork>,
}

/// Work that the user waits for, and that the index gives way to.
#[derive(Debug, Default)]
struct ForegroundWork {
    under_way: AtomicUsize,
    /// The time when the last of it ended.
    ended: Mutex<Option<Instant>>,
}

/// While it exists the index waits.
pub struct ForegroundGuard(Arc<ForegroundWork>);

impl Drop for ForegroundGuard {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
        *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

/// The time for which the index waits after a question: the next one often follows soon.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(200);

impl ForegroundWork {
    /// Waits until no such work has been done for a while.
    fn wait_until_idle(&self) {
        let is_soon = || {
            let ended = *self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            ended.is_some_and(|ended| ended.elapsed() < BETWEEN_QUESTIONS)
        };
        while self.under_way.load(Ordering::Relaxed) > 0 || is_soon() {
            thread::sleep(BETWEEN_QUESTIONS / 4);
        }
    }
}

impl FindWorker {
    /// Makes the index wait for as long as this exists.
    pub(crate) fn goes_first(&self) -> ForegroundGuard {
        self.first.under_way.fetch_add(1, Ordering::Relaxed);
        ForegroundGuard(self.first.clone())
    }

    /// Makes this the newest search; older ones stop.
    pub(crate) fn set_newest(&self, request: RequestId) {
        self.newest.store(request.as_number(), Ordering::Relaxed);
    }

    /// Sends the hits of each run as they are found, until `tell` returns false. The error is a sentence about the query.
    pub fn find_hits(
        &self,
        request: RequestId,
        sources: Vec<PathBuf>,
        words: &str,
        tell: &dyn Fn(RunHits) -> bool,
    ) -> Result<LookupTotals, Sentence> {
        let lookup = Lookup::parse(words, Time(jiff::Timestamp::now().as_millisecond()))?;
        let _first = self.goes_first();
        let goes_on = || self.newest.load(Ordering::Relaxed) == request.as_number();
        let finder =
            RunFinder { lookup: &lookup, index: self.index.as_deref(), keep_going: &goes_on };
        let looked = finder.find_in_runs(&sources, &mut |event| match event {
            LookupMessage::Found(found) => tell(found),
            LookupMessage::Unread(_) => goes_on(), // the table says so of its run
        });
        if looked.indexed < looked.runs {
            self.update_index(sources);
        }
        Ok(looked)
    }

    /// Updates the index in the background, unless that is under way. A file of many runs, such as a data set, is not
    /// indexed: it is read at each search.
    pub(crate) fn update_index(&self, sources: Vec<PathBuf>) {
        let folders: Vec<PathBuf> = sources.into_iter().filter(|source| source.is_dir()).collect();
        let Some(index) = self.index.clone().filter(|_| !folders.is_empty()) else { return };
        if self.is_at_work.swap(true, Ordering::AcqRel) {
            return;
        }
        let (is_at_work, first) = (self.is_at_work.clone(), self.first.clone());
        let work = move || {
            let goes_on = || {
                first.wait_until_idle();
                true
            };
            goes_on();
            // An error costs only time: runs that are not in the index are read at each search.
            let _ = lookup::build_index(&index, &folders, &goes_on, &mut |_| {});
            is_at_work.store(false, Ordering::Release);
        };
        if thread::Builder::new().name("index".into()).spawn(work).is_err() {
            self.is_at_work.store(false, Ordering::Release);
        }
    }
}
