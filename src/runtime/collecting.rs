//! Carries out what a collection asks for: finding runs, reading what they say, measuring their files.
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

use trajview_run::{Card, card::moments, files::Moment};
use trajview_store as store;
use trajview_store::{KeptCards, ReuseReader, Siblings, cards, exported_runs};
use trajview_tui::session::{
    measured::Measured,
    runs::{Asked, Depth, Found, Order, Said, Scores},
};

use super::{
    filtering::Filtering,
    finding::Finding,
    recording::Opener,
    scoring::{Scoring, name_of},
};

/// What a worker for the collection needs.
#[derive(Clone)]
pub struct Collecting {
    pub opener: Opener,
    pub scoring: Arc<Scoring>,
    /// The logs side by side, since the runs were last looked for.
    pub siblings: Arc<Siblings>,
    /// Raised when nobody wants what was asked for before.
    pub unwanted: Arc<AtomicU64>,
    /// What `unwanted` was when the work began.
    pub era: u64,
    pub finding: Finding,
    pub filtering: Filtering,
    /// What sessions came to before; opened when it is first wanted. None where nothing is kept.
    pub kept: Option<Arc<OnceLock<Option<KeptCards>>>>,
}

/// Things that come in quick succession wait for each other this long.
const TOGETHER: Duration = Duration::from_millis(25);

/// Runs that are told of before all are found: more than a screen has room for.
const NEWEST: usize = 100;

/// Brings what was found; false where nobody listens any more.
type Tell<'a> = dyn Fn(Found) -> bool + 'a;

impl Collecting {
    fn is_wanted(&self) -> bool {
        self.unwanted.load(Ordering::Relaxed) == self.era
    }

    /// The runs below these paths, and those that exports among them tell of.
    ///
    /// # Errors
    ///
    /// A sentence, where an export cannot be read, or a part of it is not there.
    pub fn find(&self, sources: &[PathBuf], order: Order, tell: &Tell<'_>) -> Result<(), String> {
        let _first = self.finding.goes_first();
        self.siblings.forget();
        if order == Order::NewestFirst {
            self.find_newest_first(sources, tell);
            return Ok(());
        }
        let (exports, sources): (Vec<&PathBuf>, Vec<&PathBuf>) =
            sources.iter().partition(|source| exported_runs::is_export(source));
        let batch = Batch::default();
        for source in &sources {
            let goes_on = store::walk(source, &mut |run| {
                batch.add(run).is_none_or(|runs| tell(Found::Paths(runs)))
            });
            if !goes_on {
                break;
            }
        }
        tell(Found::Paths(batch.rest()));
        for export in exports {
            let below = exported_runs::folder_of_exported(export).filter(|_| sources.is_empty());
            if let Some(below) = below {
                tell(Found::Below(below));
            }
            let said = |run: Result<Box<Card>, String>| run.map_or_else(Said::Failed, Said::Whole);
            let missing = exported_runs::each_exported(export, &mut |runs| {
                let known = runs.into_iter().map(|(path, run)| (path, Some(said(run))));
                tell(Found::Known(known.collect())) && self.is_wanted()
            });
            if let Some(missing) = missing.map_err(|why| format!("{}: {why}", export.display()))? {
                return Err(format!("{}: {missing}", export.display()));
            }
        }
        Ok(())
    }

    /// The newest before the others are looked for, by their files alone, with what they say: nothing else is read before a
    /// screen of them is told.
    fn find_newest_first(&self, sources: &[PathBuf], tell: &Tell<'_>) {
        let heads = self.kept().map(|kept| &kept.heads);
        let mut told = HashSet::new();
        store::newest(sources, NEWEST, heads, &mut |runs| {
            told.extend(runs.iter().cloned());
            tell(Found::Known(self.with_beginnings(runs)));
        });
        let mut runs = vec![];
        for source in sources {
            store::walk_knowing(source, heads, &mut |run| {
                if !told.contains(&run) {
                    runs.push((cards::written_at(&run), run));
                }
                self.is_wanted()
            });
        }
        runs.sort_by(|a, b| b.cmp(a));
        runs.dedup_by(|a, b| a.1 == b.1);
        let runs = runs.into_iter().map(|(_, run)| run).collect();
        tell(Found::Known(self.with_kept(runs)));
        if let Some(heads) = heads {
            heads.save();
        }
    }

    /// The runs with what is kept of them.
    fn with_kept(&self, runs: Vec<PathBuf>) -> Vec<(PathBuf, Option<Said>)> {
        let paths: Vec<&Path> = runs.iter().map(PathBuf::as_path).collect();
        let cards = self.kept_cards(&paths);
        let said = cards.into_iter().map(|card| card.map(Said::Whole));
        runs.into_iter().zip(said).collect()
    }

    /// The runs with what is kept of them, else with what their beginnings say.
    fn with_beginnings(&self, runs: Vec<PathBuf>) -> Vec<(PathBuf, Option<Said>)> {
        let begin = |(path, said): (PathBuf, Option<Said>)| {
            let said = said.unwrap_or_else(|| Said::Beginning(beginning_of(&path)));
            (path, Some(said))
        };
        self.with_kept(runs).into_par_iter().map(begin).collect()
    }

    /// What these runs say.
    pub fn read(&self, depth: Depth, asked: &[Asked], tell: &Tell<'_>) {
        let _first = self.finding.goes_first();
        match depth {
            Depth::Beginning => self.read_beginnings(asked, tell),
            Depth::Index => self.read_indexes(asked, tell),
            Depth::Whole => self.read_wholes(asked, tell),
        }
    }

    /// What is kept of these runs is told at once; the others are given back.
    fn tell_kept(&self, asked: &[Asked], tell: &Tell<'_>) -> Vec<Asked> {
        let paths: Vec<&Path> = asked.iter().map(|asked| asked.path.as_path()).collect();
        let (mut found, mut others) = (vec![], vec![]);
        for (asked, card) in asked.iter().zip(self.kept_cards(&paths)) {
            match card {
                Some(card) => found.push((asked.row, Ok(card))),
                None => others.push(asked.clone()),
            }
        }
        if !found.is_empty() {
            tell(Found::Cards(found));
        }
        others
    }

    /// What is kept of some runs, as they stand now, in the order of the paths; None of those of which nothing is.
    fn kept_cards(&self, paths: &[&Path]) -> Vec<Option<Box<Card>>> {
        let Some(kept) = self.kept() else { return vec![None; paths.len()] };
        let now = |(card, path): (Option<Card>, &&Path)| {
            card.map(|card| Box::new(cards::as_of_now(card, path)))
        };
        kept.get(paths).into_iter().zip(paths).map(now).collect()
    }

    fn kept(&self) -> Option<&KeptCards> {
        self.kept.as_ref()?.get_or_init(KeptCards::in_cache_folder).as_ref()
    }

    fn read_indexes<'a>(&self, asked: &'a [Asked], tell: &Tell<'_>) {
        let read = |asked: &'a Asked| {
            let key = store::card_key(&asked.path);
            let opened = self.opener.open_among(&asked.path, &self.siblings);
            let card = opened.map(|opened| cards::of_opened(&asked.path, &opened.run));
            self.is_wanted().then(|| (asked, key, card.map_err(|why| why.to_string())))
        };
        in_batches(asked, read, |batch| {
            let known = batch
                .iter()
                .filter_map(|(_, key, card)| Some((key.clone()?, card.as_ref().ok()?.clone())));
            if let Some(kept) = self.kept() {
                kept.put(&known.collect::<Vec<_>>());
            }
            let now = |(asked, _, card): (&Asked, _, Result<Card, String>)| {
                (asked.row, card.map(|card| Box::new(cards::as_of_now(card, &asked.path))))
            };
            tell(Found::Cards(batch.into_iter().map(now).collect()))
        });
    }

    fn read_beginnings(&self, asked: &[Asked], tell: &Tell<'_>) {
        let asked = self.tell_kept(asked, tell);
        // What was fetched whole already is not told by half.
        let is_here = |asked: &Asked| store::remote::is_at_hand(&asked.path);
        let (here, asked): (Vec<Asked>, Vec<Asked>) = asked.into_iter().partition(is_here);
        self.read_wholes(&here, tell);
        let asked = &asked;
        let begin = |asked: &Asked| {
            let card = beginning_of(&asked.path);
            self.is_wanted().then_some((asked.row, card))
        };
        in_batches(asked, begin, |cards| tell(Found::Beginnings(cards)));
    }

    fn read_wholes(&self, asked: &[Asked], tell: &Tell<'_>) {
        let read = |asked: &Asked| {
            let opened = self.opener.open_among(&asked.path, &self.siblings);
            let card = opened.map(|opened| {
                let counts = opened.recording.line_counts(&opened.run);
                let card = cards::of_opened(&asked.path, &opened.run);
                let counts = counts.as_deref().map_or(&[][..], |it| it);
                let card = cards::with_lines(card, &opened.run, counts);
                Box::new(cards::as_of_now(card, &asked.path))
            });
            self.is_wanted().then(|| (asked.row, card.map_err(|why| why.to_string())))
        };
        in_batches(asked, read, |cards| tell(Found::Cards(cards)));
    }

    /// What the files of these runs measure. The error is a sentence.
    pub fn score(&self, asked: &[Asked], tell: &Tell<'_>) -> Result<(), String> {
        let scorer = self.scoring.scorer(&|_| {})?;
        tell(Found::Ruler(name_of(scorer.ruler())));
        let score = |asked: &Asked| {
            let scores = self.score_one(asked, scorer);
            // Half a measure is none; it is asked for again when it is wanted again.
            self.is_wanted().then_some((asked.row, scores))
        };
        scorer.gathering(|| in_batches(asked, score, |scored| tell(Found::Scores(scored))));
        scorer.forget();
        Ok(())
    }

    fn score_one(&self, asked: &Asked, scorer: &store::Scorer) -> Result<Scores, String> {
        let opened = self.opener.open_among(&asked.path, &self.siblings);
        let opened = opened.map_err(|why| why.to_string())?;
        if opened.run.is_rubric_tree_alone() {
            return Ok(Scores::default()); // a rubric tree alone has no code
        }
        let goes_on = |_, _| self.is_wanted();
        // What is known from an export does not say which moments there are.
        let moments = match asked.moments.is_empty() {
            true => moments(&opened.run),
            false => asked.moments.clone(),
        };
        let scored =
            opened.recording.score(&opened.run, &Moment::after_each(&moments), scorer, &goes_on)?;
        let measured: Vec<Measured> = scored.iter().map(Measured::of).collect();
        let done = opened.run.end();
        let reader = ReuseReader::kept_in(scorer.cache());
        let reused = opened.recording.reused(&opened.run, &[done], &reader);
        let dir = reused.ok().and_then(|mut reused| reused.pop().flatten()?.dir);
        let process = opened.recording.processed(&opened.run).map(Box::new);
        Ok(Scores { dir, process, ..Scores::of(&measured) })
    }
}

/// What the beginning of a run says as it stands now.
fn beginning_of(path: &Path) -> Option<Box<Card>> {
    let card = cards::of_beginning(path)?;
    Some(Box::new(cards::as_of_now(card, path)))
}

/// Does `work` for each item, several at a time, and sends what comes of it together with what follows within a moment:
/// nothing quick waits for something slow. Begins no more once `work` gives nothing or `send` returns false.
fn in_batches<'a, T: Send>(
    items: &'a [Asked],
    work: impl Fn(&'a Asked) -> Option<T> + Sync + Send,
    send: impl Fn(Vec<T>) -> bool,
) {
    let (sender, done) = crossbeam_channel::unbounded();
    let goes_on = AtomicBool::new(true);
    let labour = || {
        let sender = sender; // gone when all is done
        cards::for_each(items, |item| {
            let is_sent = work(item).is_some_and(|it| sender.send(it).is_ok());
            is_sent && goes_on.load(Ordering::Relaxed)
        });
    };
    thread::scope(|scope| {
        scope.spawn(labour);
        while let Ok(first) = done.recv() {
            let mut batch = vec![first];
            let deadline = Instant::now() + TOGETHER;
            while let Ok(next) = done.recv_deadline(deadline) {
                batch.push(next);
            }
            if !send(batch) {
                goes_on.store(false, Ordering::Relaxed);
            }
        }
    });
}

/// Things to be sent together.
struct Batch<T> {
    held: Mutex<(Vec<T>, Option<Instant>)>,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self { held: Mutex::new((vec![], None)) }
    }
}

impl<T> Batch<T> {
    fn held(&self) -> MutexGuard<'_, (Vec<T>, Option<Instant>)> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything so far, if it is time to send it.
    fn add(&self, one: T) -> Option<Vec<T>> {
        let mut held = self.held();
        let (things, since) = &mut *held;
        things.push(one);
        if since.get_or_insert_with(Instant::now).elapsed() < TOGETHER {
            return None;
        }
        *since = None;
        Some(std::mem::take(things))
    }

    fn rest(&self) -> Vec<T> {
        std::mem::take(&mut self.held().0)
    }
}
