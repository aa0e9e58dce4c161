//! Carries out what is looked for in all runs, and keeps the index up in the background while a table of them is on
//! screen.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use crate::{
    run::{
        Time,
        lookup::{Looked, Lookup, RunHits},
    },
    session::request::{Request, Sentence},
    store::lookup::{self, Finder, Told},
};

/// What a worker needs to look through all runs.
#[derive(Debug, Clone, Default)]
pub struct Finding {
    /// The file of the index; None where everything is read instead.
    pub index: Option<PathBuf>,
    /// The newest question; an older one stops at its next step.
    newest: Arc<AtomicU64>,
    /// The index is being brought up to date.
    is_at_work: Arc<AtomicBool>,
}

impl Finding {
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
        let is_at_work = self.is_at_work.clone();
        let work = move || {
            // What goes wrong costs time alone: what is not in the index is read when it is looked through.
            let _ = lookup::build(&index, &folders, &|| true, &mut |_| {});
            is_at_work.store(false, Ordering::Release);
        };
        if thread::Builder::new().name("index".into()).spawn(work).is_err() {
            self.is_at_work.store(false, Ordering::Release);
        }
    }
}
