//! Answers what a comparison asks: opens the runs, keeps them at hand, reads verdicts, measures, compares files.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use trajview_code::diff;
use trajview_run::{
    RepoPath, Run,
    files::{Blob, BlobId, Blobs, Change, FileDiff, Moment, Tree, TreeFile},
};
use trajview_store::{OpenError, ReuseReader, cards};
use trajview_study::compare::{Party, Side, Trees, choose_judge, diff_between};
use trajview_tui::{
    session::{measured::RulerName, parties::Measured},
    views::compare::asking::CONTEXT,
};

use super::{
    recording::{Opened, Opener, Recording},
    scoring::{Scoring, name_of},
};

/// What a worker needs to set runs side by side; copies share the runs.
#[derive(Clone)]
pub struct Comparing {
    opener: Opener,
    scoring: Arc<Scoring>,
    reader: Arc<ReuseReader>,
    held: Arc<Mutex<HashMap<PathBuf, Opened>>>,
    /// Raised when nobody wants any more measured of what was asked for before.
    unwanted: Arc<AtomicU64>,
}

/// The contents of a run's files, by their names.
struct Contents<'a>(&'a Opened);

impl Blobs for Contents<'_> {
    fn blob(&self, id: BlobId) -> Result<Blob, String> {
        self.0.recording.content(&self.0.run, TreeFile::known(id))
    }
}

impl Comparing {
    pub fn new(opener: Opener) -> Self {
        Self {
            opener,
            scoring: Arc::default(),
            reader: Arc::default(),
            held: Arc::default(),
            unwanted: Arc::default(),
        }
    }

    pub fn score_with(&mut self, scoring: Arc<Scoring>) {
        self.scoring = scoring;
    }

    /// Ends what is being measured.
    pub fn stop(&self) {
        self.unwanted.fetch_add(1, Ordering::Relaxed);
    }

    fn open(&self, path: &Path) -> Result<Opened, OpenError> {
        let held = || self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = held().get(path) {
            return Ok(opened.clone());
        }
        let opened = self.opener.open(path)?;
        held().insert(path.to_owned(), opened.clone());
        Ok(opened)
    }

    /// The error is a sentence.
    fn opened(&self, path: &Path) -> Result<Opened, String> {
        self.open(path).map_err(|why| why.to_string())
    }

    /// What was held for an earlier comparison is let go of.
    pub fn open_all(&self, paths: &[PathBuf]) -> Result<Vec<Party>, OpenError> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|path, _| paths.contains(path));
        drop(held);
        let party = |path: &PathBuf| {
            let opened = self.open(path)?;
            let rubric = opened.recording.rubric();
            let worked = opened.recording.worked(&opened.run);
            let (process, signal_turns) = worked.unzip();
            let signal_turns = signal_turns.unwrap_or_default();
            let counts = opened.recording.line_counts(&opened.run).unwrap_or_default();
            let lines = cards::lines_of(&opened.run, &counts);
            Ok(Party { lines, process, signal_turns, ..Party::new(opened.run, rubric) })
        };
        let mut parties = paths.iter().map(party).collect::<Result<Vec<_>, OpenError>>()?;
        choose_judge(&mut parties, None);
        Ok(parties)
    }

    /// The numbers of a run's code at these moments. The error is a sentence.
    pub fn measure(
        &self,
        path: &Path,
        moments: Vec<usize>,
        say: &dyn Fn(String),
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<(RulerName, Vec<Measured>), String> {
        let era = self.unwanted.load(Ordering::Relaxed);
        let opened = self.opened(path)?;
        let scorer = self.scoring.scorer(say)?;
        let goes_on = |done: usize, total: usize| {
            progress(done, total);
            self.unwanted.load(Ordering::Relaxed) == era
        };
        let scored =
            opened.recording.score(&opened.run, &Moment::after_each(&moments), scorer, &goes_on)?;
        let snapshots = scored.into_iter().map(|it| it.measured().ok());
        let reused = opened.recording.reused(&opened.run, &moments, &self.reader)?;
        let numbers = moments.into_iter().zip(snapshots).zip(reused);
        let measured = numbers.map(|((done, code), reuse)| Measured { done, code, reuse });
        let measured = measured.collect();
        Ok((name_of(scorer.ruler()), measured))
    }

    /// The files that two runs ended with. The error is a sentence.
    pub fn trees(&self, [a, b]: &[PathBuf; 2]) -> Result<Trees, String> {
        let (a, b) = (self.opened(a)?, self.opened(b)?);
        let (tree_a, tree_b) = (last_tree(&a)?, last_tree(&b)?);
        let (of_a, of_b) = (Contents(&a), Contents(&b));
        let a = Side { tree: &tree_a, contents: &of_a };
        let b = Side { tree: &tree_b, contents: &of_b };
        Ok(Trees::of(a, b))
    }

    /// A file of both, line by line. The error is a sentence.
    pub fn between(&self, [a, b]: &[PathBuf; 2], change: &Change) -> Result<FileDiff, String> {
        let (a, b) = (self.opened(a)?, self.opened(b)?);
        Ok(diff_between([&Contents(&a), &Contents(&b)], change, CONTEXT))
    }

    /// A file of a run as it stood after so many turns. The error is a sentence.
    pub fn file(&self, path: &Path, file: &str, done: usize) -> Result<Arc<str>, String> {
        let opened = self.opened(path)?;
        let tree = tree_after(&*opened.recording, &opened.run, done)?;
        let missing = || format!("there is no {file} after turn {done}");
        let known = RepoPath::new(file).and_then(|path| tree.files.get(&path).copied());
        let bytes = opened.recording.content(&opened.run, known.ok_or_else(missing)?)?;
        if diff::is_binary(&bytes) {
            return Err(format!("{file} is not text: {} bytes", bytes.len()));
        }
        Ok(String::from_utf8_lossy(&bytes).into())
    }
}

fn last_tree(opened: &Opened) -> Result<Tree, String> {
    tree_after(&*opened.recording, &opened.run, opened.run.end())
}

fn tree_after(recording: &dyn Recording, run: &Run, done: usize) -> Result<Tree, String> {
    Ok(recording.timeline(run)?.tree_after(done))
}
