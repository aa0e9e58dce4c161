//! Looking for something in every run below some paths: what is in the index is narrowed down by it, what is not, or is
//! another than it was, is read through.
//!
//! The index (`index`) says which parts of a run may have what is looked for; whether they do is always read from the
//! recording. So it is never needed for what is found, only for how soon.

mod build;
mod gathered;
mod index;
mod parts;
mod sieve;
mod stamp;

use std::{
    collections::HashSet,
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use trajview_formats::Executor as _;
use trajview_run::lookup::{About, Hit, Looked, Lookup, MOST_HITS, Moment, RunHits};

use super::{
    archive::Opened,
    bytes::Access,
    disk,
    executor::{Threads, one_of_many},
    find::find_among,
    heads::KnownHeads,
    open::open_found,
    siblings::Siblings,
};

use index::{Facts, Index, Row};
use parts::Parts;
use sieve::Sieve;

pub use build::{Built, Progress, build};
pub use index::{default_path, forget};

/// Looks for one thing.
pub struct Finder<'a> {
    pub lookup: &'a Lookup,
    /// The index, where one is to be used.
    pub index: Option<&'a Path>,
    /// Asked before every step, by several threads.
    pub goes_on: &'a (dyn Fn() -> bool + Sync),
}

/// What is told while it is looked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    Found(RunHits),
    /// A run that cannot be read; a sentence.
    Unread(String),
}

/// A run to look in: all of it, or the parts that may have something.
struct Wanted {
    /// As it is told.
    path: PathBuf,
    parts: MayHave,
}

/// Where in a run something may be.
enum MayHave {
    Anywhere,
    /// Positions of requests and steps.
    Parts(Vec<Range<usize>>),
}

impl Finder<'_> {
    /// Tells what each run below the paths has, the newest first: those that the index knows before the others. Ends where
    /// `tell` returns false.
    pub fn look(&self, sources: &[PathBuf], tell: &mut dyn FnMut(Told) -> bool) -> Looked {
        let siblings = Siblings::default();
        let sources: Vec<Source> = sources.iter().map(|path| Source::of(path)).collect();
        let mut looked = Looked::default();
        let indexed = self.index.and_then(Index::existing);
        let rows = indexed.and_then(|index| self.indexed(&index, &sources)).unwrap_or_default();
        // What may have something comes before it is asked of all others whether they are as they were.
        let mut wanted = vec![];
        let (mut known, mut rest) = (HashSet::new(), vec![]);
        for (row, parts) in rows {
            match (parts, told_as(&sources, &row.path)) {
                (Some(parts), Some(path)) if self.takes(&row.facts) => {
                    if row.is_now(&siblings) {
                        wanted.push(Wanted { path, parts });
                        known.insert(row.path);
                    }
                }
                _ => rest.push(row),
            }
        }
        if !self.look_in_all(&wanted, &siblings, &mut looked, tell) {
            return looked;
        }
        let fresh = rest.into_iter().filter(|row| (self.goes_on)() && row.is_now(&siblings));
        known.extend(fresh.map(|row| row.path));
        let absolute: Vec<PathBuf> = sources.iter().map(|source| source.absolute.clone()).collect();
        let heads = self.index.map_or_else(KnownHeads::default, KnownHeads::beside);
        let others =
            build::found(&absolute, &heads).into_iter().filter(|(path, _)| !known.contains(path));
        let others = others.filter_map(|(path, _)| {
            Some(Wanted { path: told_as(&sources, &path)?, parts: MayHave::Anywhere })
        });
        let others: Vec<Wanted> = others.collect();
        (looked.runs, looked.indexed) = (known.len() + others.len(), known.len());
        self.look_in_all(&others, &siblings, &mut looked, tell);
        looked
    }

    /// The runs below the sources that the index has, the newest first, each with where it may have something; None
    /// where it has nothing. None where the index cannot be read.
    fn indexed(&self, index: &Index, sources: &[Source]) -> Option<Vec<(Row, Option<MayHave>)>> {
        let mut rows = index.runs().ok()?;
        let mut parts = index.candidates(&self.lookup.needed()).ok()?;
        rows.retain(|row| told_as(sources, &row.path).is_some());
        rows.sort_by(|a, b| {
            b.facts.written.cmp(&a.facts.written).then_with(|| a.path.cmp(&b.path))
        });
        let with_parts = rows.into_iter().map(|row| {
            let parts = match &mut parts {
                Some(parts) => parts.remove(&row.id).map(MayHave::Parts),
                None => Some(MayHave::Anywhere),
            };
            (row, parts)
        });
        Some(with_parts.collect())
    }

    fn takes(&self, facts: &Facts) -> bool {
        let project = facts.project.as_deref();
        self.lookup.takes_run(facts.agent.as_deref(), &facts.format, project, facts.last())
    }

    /// Whether more is wanted.
    fn look_in_all(
        &self,
        wanted: &[Wanted],
        siblings: &Siblings,
        looked: &mut Looked,
        tell: &mut dyn FnMut(Told) -> bool,
    ) -> bool {
        let kept: Vec<Mutex<Option<Told>>> = wanted.iter().map(|_| Mutex::default()).collect();
        let is_over = AtomicBool::new(false);
        let goes_on = || !is_over.load(Ordering::Relaxed) && (self.goes_on)();
        let sieve = Sieve::of(self.lookup);
        let work = |at: usize, left: usize| {
            if goes_on() {
                let look = || self.look_in(&wanted[at], &sieve, siblings, &goes_on);
                *held(&kept[at]) = one_of_many(left, look);
            }
        };
        let mut then = |at: usize| {
            let Some(told) = held(&kept[at]).take() else { return };
            if let Told::Found(found) = &told {
                looked.with_hits += 1;
                looked.hits += found.total;
            }
            if !goes_on() || !tell(told) {
                is_over.store(true, Ordering::Relaxed);
            }
        };
        // The first answer is waited for: all threads look for it together.
        if wanted.is_empty() {
            return goes_on();
        }
        work(0, 0);
        then(0);
        let after = wanted.len() - 1;
        let work = |at: usize| work(at + 1, after - at - 1);
        Threads::all().in_order(after, &work, &mut |at| then(at + 1));
        goes_on()
    }

    /// None where nothing is found.
    fn look_in(
        &self,
        wanted: &Wanted,
        sieve: &Sieve,
        siblings: &Siblings,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Option<Told> {
        let found = match find_among(&wanted.path, Access::Held, siblings) {
            Ok(found) => found,
            Err(why) => return Some(Told::Unread(why.to_string())),
        };
        if matches!(wanted.parts, MayHave::Anywhere) && !sieve.may_pass(&found, goes_on) {
            return None;
        }
        let opened = match open_found(&wanted.path, found) {
            Ok(opened) => opened,
            Err(why) => return Some(Told::Unread(why.to_string())),
        };
        let found = self.look_in_opened(&opened, &wanted.parts, goes_on);
        let Parted { hits, total } = found;
        (total > 0).then(|| {
            let about = About::of(&opened.run);
            Told::Found(RunHits { path: wanted.path.clone(), about, hits, total })
        })
    }

    fn look_in_opened(
        &self,
        opened: &Opened,
        wanted: &MayHave,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Parted {
        let parts = Parts::of(opened);
        if !self.takes(&Facts::of(&opened.run, &parts.moments, 0)) {
            return Parted::default();
        }
        let ranges = match wanted {
            MayHave::Anywhere => parts.all(),
            MayHave::Parts(parts) => parts.clone(),
        };
        let kept: Vec<Mutex<Parted>> = ranges.iter().map(|_| Mutex::default()).collect();
        let work = |at: usize| {
            let moments = parts.moments.get(ranges[at].clone()).unwrap_or_default();
            let found = self.look_in_part(&parts, moments, goes_on);
            *held(&kept[at]) = found;
        };
        let mut all = Parted::default();
        Threads::all().in_order(ranges.len(), &work, &mut |at| {
            let Parted { hits, total } = std::mem::take(&mut *held(&kept[at]));
            let room = MOST_HITS - all.hits.len();
            all.hits.extend(hits.into_iter().take(room));
            all.total += total;
        });
        all
    }

    fn look_in_part(
        &self,
        parts: &Parts<'_>,
        moments: &[Moment],
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Parted {
        let run = &parts.opened.run;
        let mut found = Parted::default();
        for moment in moments.iter().filter(|moment| self.lookup.takes(run, **moment)) {
            if !goes_on() {
                break;
            }
            let texts = parts.texts(*moment);
            self.lookup.look(run, *moment, &texts, &mut |hit| {
                found.total += 1;
                if found.hits.len() < MOST_HITS {
                    found.hits.push(hit.kept());
                }
            });
        }
        found
    }
}

/// What was found in a part of a run.
#[derive(Debug, Default)]
struct Parted {
    hits: Vec<Hit>,
    total: usize,
}

/// A path that is looked below.
struct Source {
    /// As it was named.
    named: PathBuf,
    absolute: PathBuf,
}

impl Source {
    fn of(path: &Path) -> Self {
        Self { named: path.to_owned(), absolute: disk::absolute(path) }
    }
}

/// The path of a run, below the source as it was named; None where it is below none.
fn told_as(sources: &[Source], path: &Path) -> Option<PathBuf> {
    sources.iter().find_map(|source| {
        let rest = path.strip_prefix(&source.absolute).ok()?;
        Some(if rest.as_os_str().is_empty() {
            source.named.clone()
        } else {
            source.named.join(rest)
        })
    })
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
