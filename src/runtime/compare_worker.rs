//! Answers the questions of a comparison: opens the runs and caches them, reads verdicts, measures, compares files.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use trajview_analysis as analysis;
use trajview_analysis::{
    ReuseReader, cards, lifelines,
    scores::{ReuseRequest, ScoreRequest, ScoreStage, Scores},
};
use trajview_code::diff;
use trajview_metrics::lifeline::{FollowedComponent, Lifeline};
use trajview_run::{
    RepoPath, Run,
    files::{Blob, BlobId, Blobs, FileChange, FileDiff, RunMoment, SourceTree, TreeFile},
};
use trajview_store::{Archive, OpenError, OpenedRecording};
use trajview_study::compare::{
    ComparedRun, ComparedTranscripts, ComparedTrees, TreeSide, choose_judge, diff_between,
};
use trajview_tui::{
    session::{code_measures::RulerName, compare_protocol::MeasuredRunMoment},
    views::compare::questions::CONTEXT_LINES,
};

use super::{
    lazy_scorer::{LazyScorer, ruler_name},
    run_opener::RunOpener,
};

/// Everything that a worker needs to compare runs; copies share the runs.
#[derive(Clone)]
pub struct CompareWorker {
    opener: RunOpener,
    scoring: Arc<LazyScorer>,
    reader: Arc<ReuseReader>,
    open_runs: Arc<Mutex<HashMap<PathBuf, OpenedRecording>>>,
    /// Raised when earlier measurements are no longer wanted.
    unwanted: Arc<AtomicU64>,
}

/// The contents of a run's files, by blob id.
struct OpenedContents<'a>(&'a OpenedRecording);

impl Blobs for OpenedContents<'_> {
    fn read_blob(&self, id: BlobId) -> Result<Blob, String> {
        self.0.archive.file_content(&self.0.run, TreeFile::with_blob(id))
    }
}

impl CompareWorker {
    pub fn new(opener: RunOpener) -> Self {
        Self {
            opener,
            scoring: Arc::default(),
            reader: Arc::default(),
            open_runs: Arc::default(),
            unwanted: Arc::default(),
        }
    }

    pub(crate) fn score_with(&mut self, scoring: Arc<LazyScorer>) {
        self.scoring = scoring;
    }

    /// Stops the measuring.
    pub fn stop_measuring(&self) {
        self.unwanted.fetch_add(1, Ordering::Relaxed);
    }

    fn open_or_cached(&self, path: &Path) -> Result<OpenedRecording, OpenError> {
        let open_runs = || self.open_runs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = open_runs().get(path) {
            return Ok(opened.clone());
        }
        let opened = self.opener.open(path)?;
        open_runs().insert(path.to_owned(), opened.clone());
        Ok(opened)
    }

    /// Opens a run, or returns the open one. The error is a sentence.
    fn open_with_sentence(&self, path: &Path) -> Result<OpenedRecording, String> {
        self.open_or_cached(path).map_err(|why| why.to_string())
    }

    /// Opens all runs; runs of an earlier comparison are closed.
    pub(crate) fn open_all(&self, paths: &[PathBuf]) -> Result<Vec<ComparedRun>, OpenError> {
        let mut open_runs = self.open_runs.lock().unwrap_or_else(PoisonError::into_inner);
        open_runs.retain(|path, _| paths.contains(path));
        drop(open_runs);
        let party = |path: &PathBuf| {
            let opened = self.open_or_cached(path)?;
            let rubric = opened.archive.read_rubric();
            let report = analysis::process_report(&opened.archive, &opened.run);
            let signal_turns = report.signals.iter().map(|signal| signal.step.turn).collect();
            let process = Some(analysis::numbers_of_report(&opened.archive, &opened.run, &report));
            let counts = opened.archive.line_counts(&opened.run).unwrap_or_default();
            let lines = cards::lines_changed(&opened.run, &counts);
            Ok(ComparedRun { lines, process, signal_turns, ..ComparedRun::new(opened.run, rubric) })
        };
        let mut parties = paths.iter().map(party).collect::<Result<Vec<_>, OpenError>>()?;
        choose_judge(&mut parties, None);
        Ok(parties)
    }

    /// Measures a run's code at these moments. The error is a sentence.
    pub(crate) fn measure_run(
        &self,
        path: &Path,
        moments: Vec<usize>,
        say: &dyn Fn(String),
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<(RulerName, Vec<MeasuredRunMoment>), String> {
        let era = self.unwanted.load(Ordering::Relaxed);
        let opened = self.open_with_sentence(path)?;
        let scorer = self.scoring.get_scorer(say)?;
        let keep_going = |stage: ScoreStage, done: usize, total: usize| {
            if stage == ScoreStage::Measuring {
                progress(done, total);
            }
            self.unwanted.load(Ordering::Relaxed) == era
        };
        let request = ScoreRequest {
            moments: &RunMoment::after_each_count(&moments),
            with_detail: false,
            reuse: ReuseRequest::AtTurnEnds(&self.reader),
            for_process: false,
        };
        let Scores { code, reuse } =
            Scores::for_run(&opened.archive, &opened.run, &request, scorer, &keep_going)?;
        let snapshots = code.into_iter().map(|it| it.into_measured().ok());
        let numbers = moments.into_iter().zip(snapshots).zip(reuse?.counts);
        let measured = numbers.map(|((done, code), reuse)| MeasuredRunMoment { done, code, reuse });
        let measured = measured.collect();
        Ok((ruler_name(scorer.ruler()), measured))
    }

    /// Follows components of a run, turn by turn. The error is a sentence.
    pub(crate) fn follow_components(
        &self,
        path: &Path,
        components: &[FollowedComponent],
    ) -> Result<Arc<Vec<Lifeline>>, String> {
        let OpenedRecording { archive, run, .. } = self.open_with_sentence(path)?;
        lifelines::component_lifelines(&archive, &run, components, &|_, _| true).map(Arc::new)
    }

    /// Compares the files at the end of two runs. The error is a sentence.
    pub fn compare_trees(&self, [a, b]: &[PathBuf; 2]) -> Result<ComparedTrees, String> {
        let (a, b) = (self.open_with_sentence(a)?, self.open_with_sentence(b)?);
        let (tree_a, tree_b) = (last_tree(&a)?, last_tree(&b)?);
        let (of_a, of_b) = (OpenedContents(&a), OpenedContents(&b));
        let a = TreeSide { tree: &tree_a, contents: &of_a };
        let b = TreeSide { tree: &tree_b, contents: &of_b };
        Ok(ComparedTrees::compare_sides(a, b))
    }

    /// Aligns the transcripts of two runs. The error is a sentence, also for a run without a log.
    pub(crate) fn align_transcripts(
        &self,
        [a, b]: &[PathBuf; 2],
    ) -> Result<ComparedTranscripts, String> {
        let (a, b) = (self.open_with_sentence(a)?, self.open_with_sentence(b)?);
        if let Some(it) = [&a, &b].into_iter().find(|it| it.run.has_no_log()) {
            return Err(format!("{} has no log; its transcript is not compared", it.run.id));
        }
        Ok(analysis::compare_transcripts((&a.archive, &a.run), (&b.archive, &b.run)))
    }

    /// Compares a file of both runs line by line. The error is a sentence.
    pub(crate) fn diff_between_runs(
        &self,
        [a, b]: &[PathBuf; 2],
        change: &FileChange,
    ) -> Result<FileDiff, String> {
        let (a, b) = (self.open_with_sentence(a)?, self.open_with_sentence(b)?);
        Ok(diff_between([&OpenedContents(&a), &OpenedContents(&b)], change, CONTEXT_LINES))
    }

    /// Reads a file of a run after `done` turns. The error is a sentence.
    pub fn file_text(&self, path: &Path, file: &str, done: usize) -> Result<Arc<str>, String> {
        let opened = self.open_with_sentence(path)?;
        let tree = tree_after(&opened.archive, &opened.run, done)?;
        let missing = || format!("no {file} after turn {done}");
        let known = RepoPath::new(file).and_then(|path| tree.files.get(&path).copied());
        let bytes = opened.archive.file_content(&opened.run, known.ok_or_else(missing)?)?;
        if diff::is_binary(&bytes) {
            return Err(format!("{file} is not text: {} bytes", bytes.len()));
        }
        Ok(String::from_utf8_lossy(&bytes).into())
    }
}

fn last_tree(opened: &OpenedRecording) -> Result<SourceTree, String> {
    tree_after(&opened.archive, &opened.run, opened.run.end_in_turns())
}

fn tree_after(archive: &Archive, run: &Run, done: usize) -> Result<SourceTree, String> {
    Ok(archive.timeline(run)?.tree_after(done))
}
