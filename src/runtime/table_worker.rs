//! Does the work for the table of runs: finds runs, reads their cards, measures their files.
//!
//! Answers are sent in pieces. Rows that come in quick succession are sent together: each message costs the screen the
//! same, however much is in it.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rayon::prelude::*;

use trajview_analysis as analysis;
use trajview_analysis::{
    ReuseReader, Scorer,
    scores::{ReuseRequest, ScoreRequest, Scores},
};
use trajview_run::{RunCard, address::is_address, files::RunMoment, run_card::scoring_moments};
use trajview_store as store;
use trajview_store::{CardCache, Siblings, cards, exported_runs};
use trajview_tui::session::{
    code_measures::MeasuredMoment,
    table_protocol::{FoundRuns, KnownCard, ReadDepth, RunFileScores, RunOrder, RunRequest},
};

use super::{
    filter_worker::FilterWorker,
    find_worker::FindWorker,
    lazy_scorer::{LazyScorer, ruler_name},
    run_opener::RunOpener,
};

/// Everything that a worker for the table needs.
#[derive(Clone)]
pub struct TableWorker {
    pub opener: RunOpener,
    pub scoring: Arc<LazyScorer>,
    /// The logs beside each other, since the last search for runs.
    pub siblings: Arc<Siblings>,
    /// Raised when earlier requests are no longer wanted.
    pub unwanted: Arc<AtomicU64>,
    /// The value of `unwanted` when the work began.
    pub era: u64,
    pub finding: FindWorker,
    pub filtering: FilterWorker,
    /// Cached cards of sessions; opened when first needed. None when nothing is cached.
    pub kept: Option<Arc<OnceLock<Option<CardCache>>>>,
}

/// The time for which results wait for others to be sent with them.
const BATCH_WINDOW: Duration = Duration::from_millis(25);

/// The number of newest runs that are sent before all are found: more than a screen has room for.
const MAX_NEWEST: usize = 100;

/// Sends found runs; false when nobody listens any more.
type SendFound<'a> = dyn Fn(FoundRuns) -> bool + 'a;

impl TableWorker {
    fn is_wanted(&self) -> bool {
        self.unwanted.load(Ordering::Relaxed) == self.era
    }

    /// Finds the runs below these paths, and those in exports among them.
    ///
    /// # Errors
    ///
    /// A sentence when an export cannot be read, or a part of it is missing.
    pub fn find_runs(
        &self,
        sources: &[PathBuf],
        order: RunOrder,
        tell: &SendFound<'_>,
    ) -> Result<(), String> {
        let _first = self.finding.goes_first();
        self.siblings.forget_all();
        if order == RunOrder::NewestFirst {
            self.find_newest_first(sources, tell);
            return Ok(());
        }
        let (exports, sources): (Vec<&PathBuf>, Vec<&PathBuf>) =
            sources.iter().partition(|source| exported_runs::is_export(source));
        let batch = PendingBatch::default();
        let heads = self.card_cache().map(|kept| &kept.heads);
        for source in &sources {
            let goes_on = store::walk_runs(source, heads, &mut |run| {
                batch.add(run).is_none_or(|runs| tell(FoundRuns::Paths(runs)))
            });
            if !goes_on {
                break;
            }
        }
        tell(FoundRuns::Paths(batch.take_rest()));
        if let Some(heads) = heads {
            heads.save();
        }
        for export in exports {
            let below = exported_runs::common_folder(export).filter(|_| sources.is_empty());
            if let Some(below) = below {
                tell(FoundRuns::Below(below));
            }
            let known_card = |run: Result<Box<RunCard>, String>| {
                run.map_or_else(KnownCard::Failed, KnownCard::Whole)
            };
            let missing = exported_runs::for_each_run(export, &mut |runs| {
                let known = runs.into_iter().map(|(path, run)| (path, Some(known_card(run))));
                tell(FoundRuns::Known(known.collect())) && self.is_wanted()
            });
            if let Some(missing) = missing.map_err(|why| format!("{}: {why}", export.display()))? {
                return Err(format!("{}: {missing}", export.display()));
            }
        }
        Ok(())
    }

    /// Finds the newest runs first, by their files alone, with their first cards: nothing else is read before a screen of
    /// them is sent.
    fn find_newest_first(&self, sources: &[PathBuf], tell: &SendFound<'_>) {
        let heads = self.card_cache().map(|kept| &kept.heads);
        let mut sent = HashSet::new();
        store::newest_runs(sources, MAX_NEWEST, heads, &mut |runs| {
            sent.extend(runs.iter().cloned());
            tell(FoundRuns::Known(self.with_beginnings(runs)));
        });
        let mut runs = vec![];
        for source in sources {
            store::walk_runs(source, heads, &mut |run| {
                if !sent.contains(&run) {
                    runs.push((cards::written_at(&run), run));
                }
                self.is_wanted()
            });
        }
        runs.sort_by(|a, b| b.cmp(a));
        runs.dedup_by(|a, b| a.1 == b.1);
        let runs = runs.into_iter().map(|(_, run)| run).collect();
        tell(FoundRuns::Known(self.with_kept(runs)));
        if let Some(heads) = heads {
            heads.save();
        }
    }

    /// Returns the runs with their cached cards.
    fn with_kept(&self, runs: Vec<PathBuf>) -> Vec<(PathBuf, Option<KnownCard>)> {
        let paths: Vec<&Path> = runs.iter().map(PathBuf::as_path).collect();
        let cards = self.kept_cards(&paths);
        let card = cards.into_iter().map(|card| card.map(KnownCard::Whole));
        runs.into_iter().zip(card).collect()
    }

    /// Returns the runs with their cached cards, or else with the cards of their first screens.
    fn with_beginnings(&self, runs: Vec<PathBuf>) -> Vec<(PathBuf, Option<KnownCard>)> {
        let begin = |(path, card): (PathBuf, Option<KnownCard>)| {
            let card = card.unwrap_or_else(|| KnownCard::Beginning(beginning_card(&path)));
            (path, Some(card))
        };
        self.with_kept(runs).into_par_iter().map(begin).collect()
    }

    /// Reads the cards of these runs.
    pub(crate) fn read_cards(
        &self,
        depth: ReadDepth,
        requests: &[RunRequest],
        tell: &SendFound<'_>,
    ) {
        let _first = self.finding.goes_first();
        match depth {
            ReadDepth::Beginning => self.read_beginnings(requests, tell),
            ReadDepth::Index | ReadDepth::Whole => self.read_whole_cards(requests, tell),
        }
    }

    /// Sends the cached cards of these runs at once; returns the runs without one.
    fn send_kept(&self, asked: &[RunRequest], tell: &SendFound<'_>) -> Vec<RunRequest> {
        let paths: Vec<&Path> = asked.iter().map(|asked| asked.path.as_path()).collect();
        let (mut found, mut others) = (vec![], vec![]);
        for (asked, card) in asked.iter().zip(self.kept_cards(&paths)) {
            match card {
                Some(card) => found.push((asked.row, Ok(card))),
                None => others.push(asked.clone()),
            }
        }
        if !found.is_empty() {
            tell(FoundRuns::Cards(found));
        }
        others
    }

    /// Returns the cached cards of some runs, in the order of the paths; None for those without one.
    fn kept_cards(&self, paths: &[&Path]) -> Vec<Option<Box<RunCard>>> {
        let Some(kept) = self.card_cache() else { return vec![None; paths.len()] };
        let now = |(card, path): (Option<RunCard>, &&Path)| {
            card.map(|card| Box::new(cards::with_current_work(card, path)))
        };
        kept.get(paths).into_iter().zip(paths).map(now).collect()
    }

    fn card_cache(&self) -> Option<&CardCache> {
        self.kept.as_ref()?.get_or_init(CardCache::in_cache_folder).as_ref()
    }

    fn read_whole_cards<'a>(&self, asked: &'a [RunRequest], tell: &SendFound<'_>) {
        let read = |asked: &'a RunRequest| {
            let key = self.card_cache().and_then(|kept| kept.take_key(&asked.path));
            let opened = self.opener.open_among(&asked.path, &self.siblings);
            let card = opened.map(|opened| analysis::cards::card_of_opened(&asked.path, &opened));
            self.is_wanted().then(|| (asked, key, card.map_err(|why| why.to_string())))
        };
        in_batches(asked, read, |batch| {
            let known = batch.iter().filter_map(|(asked, key, card)| {
                Some((asked.path.as_path(), key.clone()?, card.as_ref().ok()?.clone()))
            });
            if let Some(kept) = self.card_cache() {
                kept.put(&known.collect::<Vec<_>>());
            }
            let now = |(asked, _, card): (&RunRequest, _, Result<RunCard, String>)| {
                (asked.row, card.map(|card| Box::new(cards::with_current_work(card, &asked.path))))
            };
            tell(FoundRuns::Cards(batch.into_iter().map(now).collect()))
        });
    }

    fn read_beginnings(&self, asked: &[RunRequest], tell: &SendFound<'_>) {
        let asked = self.send_kept(asked, tell);
        // A run that was fetched whole already is read whole.
        let is_here = |asked: &RunRequest| store::remote::is_cached(&asked.path);
        let (here, asked): (Vec<RunRequest>, Vec<RunRequest>) =
            asked.into_iter().partition(is_here);
        self.read_whole_cards(&here, tell);
        let asked = &asked;
        let begin = |asked: &RunRequest| {
            let card = beginning_of_long(&asked.path);
            self.is_wanted().then_some((asked.row, card))
        };
        in_batches(asked, begin, |cards| tell(FoundRuns::Beginnings(cards)));
    }

    /// Measures the files of these runs. The error is a sentence.
    pub(crate) fn score_runs(
        &self,
        requests: &[RunRequest],
        tell: &SendFound<'_>,
    ) -> Result<(), String> {
        let scorer = self.scoring.get_scorer(&|_| {})?;
        tell(FoundRuns::Ruler(ruler_name(scorer.ruler())));
        let score = |request: &RunRequest| {
            let scores = self.score_one(request, scorer);
            // A partial measurement is dropped; it is requested again when needed.
            self.is_wanted().then_some((request.row, scores))
        };
        scorer.batch_cache_writes(|| {
            in_batches(requests, score, |scored| tell(FoundRuns::Scores(scored)))
        });
        scorer.forget_measures();
        Ok(())
    }

    fn score_one(&self, asked: &RunRequest, scorer: &Scorer) -> Result<RunFileScores, String> {
        let opened = self.opener.open_among(&asked.path, &self.siblings);
        let opened = opened.map_err(|why| why.to_string())?;
        if opened.run.has_no_log() {
            return Ok(RunFileScores::default()); // without a log there is no code
        }
        // An export does not say which moments there are.
        let moments = match asked.moments.is_empty() {
            true => scoring_moments(&opened.run),
            false => asked.moments.clone(),
        };
        let reader = ReuseReader::with_cache(scorer.cache());
        let request = ScoreRequest {
            moments: &RunMoment::after_each_count(&moments),
            with_detail: false,
            reuse: ReuseRequest::AtEnd(&reader),
            for_process: true,
        };
        let keep_going = |_, _, _| self.is_wanted();
        let scores = Scores::for_run(&opened.archive, &opened.run, &request, scorer, &keep_going)?;
        let measured: Vec<MeasuredMoment> =
            scores.code.iter().map(MeasuredMoment::from_scored).collect();
        let dir = scores.reuse.ok().and_then(|reuse| reuse.end_counts()?.dir);
        let process = Some(Box::new(analysis::process_numbers(&opened.archive, &opened.run)));
        Ok(RunFileScores { dir, process, ..RunFileScores::from_moments(&measured) })
    }
}

/// The size in bytes up to which a recording is read whole about as soon as its beginning is.
const SHORT_BYTES: u64 = 256 << 10;

/// Works as [`beginning_card`]; None for a recording on disk that is so short that the whole is read instead. Of remote ones
/// only beginnings are read.
fn beginning_of_long(path: &Path) -> Option<Box<RunCard>> {
    let is_short = || {
        let meta = store::disk::metadata(path);
        meta.is_ok_and(|meta| meta.is_file() && meta.len() <= SHORT_BYTES)
    };
    if !is_address(path) && is_short() { None } else { beginning_card(path) }
}

/// Returns the card of a run's first screen as it is now.
fn beginning_card(path: &Path) -> Option<Box<RunCard>> {
    let card = cards::card_of_head(path)?;
    Some(Box::new(cards::with_current_work(card, path)))
}

/// Runs `work` for each item, several at a time, and sends results together with those that follow within a moment: fast
/// results do not wait for slow ones. Starts no more once `work` returns None or `send` returns false.
fn in_batches<'a, T: Send>(
    items: &'a [RunRequest],
    work: impl Fn(&'a RunRequest) -> Option<T> + Sync + Send,
    send: impl Fn(Vec<T>) -> bool,
) {
    let (sender, done) = crossbeam_channel::unbounded();
    let goes_on = AtomicBool::new(true);
    let labour = || {
        let sender = sender; // gone when all is done
        store::for_each_parallel(items, |item| {
            let is_sent = work(item).is_some_and(|it| sender.send(it).is_ok());
            is_sent && goes_on.load(Ordering::Relaxed)
        });
    };
    thread::scope(|scope| {
        scope.spawn(labour);
        while let Ok(first) = done.recv() {
            let mut batch = vec![first];
            let deadline = Instant::now() + BATCH_WINDOW;
            while let Ok(next) = done.recv_deadline(deadline) {
                batch.push(next);
            }
            if !send(batch) {
                goes_on.store(false, Ordering::Relaxed);
            }
        }
    });
}

/// Results that wait to be sent together.
struct PendingBatch<T> {
    items: Mutex<(Vec<T>, Option<Instant>)>,
}

impl<T> Default for PendingBatch<T> {
    fn default() -> Self {
        Self { items: Mutex::new((vec![], None)) }
    }
}

impl<T> PendingBatch<T> {
    fn lock_items(&self) -> MutexGuard<'_, (Vec<T>, Option<Instant>)> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a result; returns all results if it is time to send them.
    fn add(&self, one: T) -> Option<Vec<T>> {
        let mut items = self.lock_items();
        let (things, since) = &mut *items;
        things.push(one);
        if since.get_or_insert_with(Instant::now).elapsed() < BATCH_WINDOW {
            return None;
        }
        *since = None;
        Some(std::mem::take(things))
    }

    fn take_rest(&self) -> Vec<T> {
        std::mem::take(&mut self.lock_items().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_short_recording_is_not_read_before_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let line = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n";
        let beginning = |lines: usize| {
            std::fs::write(&path, line.repeat(lines)).unwrap();
            beginning_of_long(&path).map(|card| card.identity.format)
        };

        assert_eq!(beginning(1), None);
        assert_eq!(beginning(SHORT_BYTES as usize / line.len() + 1), Some("claude-code"));
    }
}
