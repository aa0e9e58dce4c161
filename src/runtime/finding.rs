//! Carries out what is looked for in all runs, and keeps the index up in the background while a table of them is on
//! screen.

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
    lookup::{Looked, Lookup, RunHits},
};
use trajview_store::lookup::{self, Finder, Told};
use trajview_tui::session::request::{Request, Sentence};

/// What a worker needs to look through all runs.
#[derive(Debug, Clone, Default)]
pub struct Finding {
    /// The file of the index; None where everything is read instead.
    pub index: Option<PathBuf>,
    /// The newest question; an older one stops at its next step.
    newest: Arc<AtomicU64>,
    /// The index is being brought up to date.
    is_at_work: Arc<AtomicBool>,
    first: Arc<First>,
}

/// What somebody waits for, and goes before the index.
#[derive(Debug, Default)]
struct First {
    under_way: AtomicUsize,
    /// When the last of it ended.
    ended: Mutex<Option<Instant>>,
}

/// While it is there the index waits.
pub struct GoesFirst(Arc<First>);

impl Drop for GoesFirst {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
        *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

/// What somebody waits for comes in questions, one soon after the other.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(200);

impl First {
    /// Returns once nobody has waited for anything for a while.
    fn wait(&self) {
        let is_soon = || {
            let ended = *self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            ended.is_some_and(|ended| ended.elapsed() < BETWEEN_QUESTIONS)
        };
        while self.under_way.load(Ordering::Relaxed) > 0 || is_soon() {
            thread::sleep(BETWEEN_QUESTIONS / 4);
        }
    }
}

impl Finding {
    /// Has the index wait for as long as this is kept.
    pub fn goes_first(&self) -> GoesFirst {
        self.first.under_way.fetch_add(1, Ordering::Relaxed);
        GoesFirst(self.first.clone())
    }

    /// This is asked now, and what was asked before is not wanted any more.
    pub fn begin(&self, request: Request) {
        self.newest.store(request.number(), Ordering::Relaxed);
    }

    /// Tells what each run has as it is found, until `tell` returns false. The error is a sentence about the words.
    pub fn find(
        &self,
        request: Request,
        sources: Vec<PathBuf>,
        words: &str,
        tell: &dyn Fn(RunHits) -> bool,
    ) -> Result<Looked, Sentence> {
        let lookup = Lookup::parse(words, Time(jiff::Timestamp::now().as_millisecond()))?;
        let _first = self.goes_first();
        let goes_on = || self.newest.load(Ordering::Relaxed) == request.number();
        let finder = Finder { lookup: &lookup, index: self.index.as_deref(), goes_on: &goes_on };
        let looked = finder.look(&sources, &mut |told| match told {
            Told::Found(found) => tell(found),
            Told::Unread(_) => goes_on(), // the table says so of its run
        });
        if looked.indexed < looked.runs {
            self.keep_up(sources);
        }
        Ok(looked)
    }

    /// Brings the index up to date in the background, unless that is under way. Of a file of many runs, such as a data
    /// set, nothing is kept: it is read when it is looked through.
    pub fn keep_up(&self, sources: Vec<PathBuf>) {
        let folders: Vec<PathBuf> = sources.into_iter().filter(|source| source.is_dir()).collect();
        let Some(index) = self.index.clone().filter(|_| !folders.is_empty()) else { return };
        if self.is_at_work.swap(true, Ordering::AcqRel) {
            return;
        }
        let (is_at_work, first) = (self.is_at_work.clone(), self.first.clone());
        let work = move || {
            let goes_on = || {
                first.wait();
                true
            };
            goes_on();
            // What goes wrong costs time alone: what is not in the index is read when it is looked through.
            let _ = lookup::build(&index, &folders, &goes_on, &mut |_| {});
            is_at_work.store(false, Ordering::Release);
        };
        if thread::Builder::new().name("index".into()).spawn(work).is_err() {
            self.is_at_work.store(false, Ordering::Release);
        }
    }
}
