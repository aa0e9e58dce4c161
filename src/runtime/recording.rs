//! A run with its recording, and the ways to open one.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use trajview_layers::record::LayerRecord;
use trajview_metrics::{
    absence::CandidatePlace,
    decisions::DecisionLane,
    lifeline::{FollowedComponent, Lifeline},
    memory::MemoryTimeline,
    numbers::facts::ReuseCounts,
    process::{ProcessNumbers, ProcessReport},
    quality::ScoredSnapshot,
    reuse::Reuse,
};
use trajview_run::{
    RepoPath, Run, StepId, StepText,
    files::{
        Blob, FileChange, FileDiff, RunMoment, Timeline, TreeFile,
        blame::BlamedLine,
        history::{ChangeHistory, HistoryQuery},
    },
    pictures::RecordedImage,
    rubric::{Component, Label, LabelFile, Rubric, Verdict},
    search::{SearchHit, SearchQuery},
};
use trajview_store as store;
use trajview_store::{
    Archive, DiskCache, OpenError, ProgressCheck, ReuseReader, Scorer, Siblings, decisions,
};
use trajview_tui::session::{
    label_protocol::{LabelSave, SavedLabels},
    turn_counts::ChangeLineCounts,
};

use super::label_files;

/// What answers questions about a run. The store's archive does; tests bring their own.
pub trait Recording: Send + Sync {
    fn step_text(&self, run: &Run, step: StepId) -> StepText;
    fn request(&self, run: &Run, turn: usize) -> String;
    fn timeline(&self, run: &Run) -> Result<Arc<Timeline>, String>;
    /// One list a turn, one entry a change.
    fn line_counts(&self, run: &Run) -> Result<ChangeLineCounts, String>;
    fn diff(&self, run: &Run, change: &FileChange, context: usize) -> FileDiff;
    /// What changed between two moments, counted in turns done.
    fn changes_between(
        &self,
        run: &Run,
        before: usize,
        after: usize,
    ) -> Result<Vec<FileChange>, String>;
    /// One entry a line of the file at a moment.
    fn blame(
        &self,
        run: &Run,
        path: &RepoPath,
        moment: RunMoment,
    ) -> Result<Vec<BlamedLine>, String>;
    fn search(
        &self,
        run: &Run,
        query: &SearchQuery,
        found: &mut dyn FnMut(SearchHit) -> bool,
    ) -> Result<(), String>;
    /// The scores of the files at each of these moments.
    fn score(
        &self,
        run: &Run,
        moments: &[RunMoment],
        scorer: &Scorer,
        goes_on: &ProgressCheck<'_>,
    ) -> Result<Vec<ScoredSnapshot>, String>;
    /// What the files use of each other at each of these moments, counted in turns done; None where there are none.
    fn reused(
        &self,
        run: &Run,
        moments: &[usize],
        reader: &ReuseReader,
    ) -> Result<Vec<Option<ReuseCounts>>, String>;
    /// What is in a file. The error is a sentence.
    fn content(&self, run: &Run, file: TreeFile) -> Result<Blob, String>;
    /// What stands beside the run of what it is judged by; by default nothing does.
    fn rubric(&self) -> Rubric {
        Rubric::default()
    }
    /// The folder of the bundle, where it is one: the place for verdicts.
    fn bundle(&self) -> Option<PathBuf> {
        None
    }
    /// What the modules offer after so many turns and who takes it; None where nothing says what the files were. The
    /// error is a sentence.
    fn reuse(&self, _run: &Run, _done: usize) -> Result<Option<Reuse>, String> {
        Ok(None)
    }
    /// What became of these components; one entry each. The error is a sentence.
    fn lifelines(
        &self,
        _run: &Run,
        _asked: &[FollowedComponent],
        _goes_on: &ProgressCheck<'_>,
    ) -> Result<Vec<Lifeline>, String> {
        Err("this recording cannot tell what became of its components".into())
    }
    /// Every change to a file, or to a definition in it. The error is a sentence.
    fn history(&self, _run: &Run, _wanted: &HistoryQuery) -> Result<ChangeHistory, String> {
        Err("this recording cannot tell the history of its files".into())
    }
    /// How the run was worked on; None where that cannot be told.
    fn process(&self, _run: &Run) -> Option<ProcessReport> {
        None
    }
    /// The numbers of how the run was worked on, those of its memory among them; None where that cannot be told.
    fn processed(&self, _run: &Run) -> Option<ProcessNumbers> {
        None
    }
    /// As [`Self::processed`], with the turns (count from 0) in which signals open, ascending.
    fn worked(&self, _run: &Run) -> Option<(ProcessNumbers, Vec<usize>)> {
        None
    }
    /// What a memory gave the agent, with the state of its cards at the end; None where no memory events are recorded.
    fn memory(&self, _run: &Run) -> Option<MemoryTimeline> {
        None
    }
    /// The decisions of the store at a path, else of the run's own, over its steps; None where it has none. The error is a
    /// sentence.
    fn decisions(&self, _run: &Run, _named: Option<&Path>) -> Option<Result<DecisionLane, String>> {
        None
    }
    /// Writes what the requests lay down into the bundle as its store of decisions. Both are sentences.
    fn draw_decisions(&self, _run: &Run) -> Result<String, String> {
        Err(decisions::NO_BUNDLE.into())
    }
    /// The images of a step and of its result; without a step those of the turn's request.
    fn images(&self, _run: &Run, _turn: usize, _step: Option<StepId>) -> Vec<RecordedImage> {
        vec![]
    }
    /// What layers of project state said and knew over the run; empty where none is recorded.
    fn layers(&self, _run: &Run) -> Vec<LayerRecord> {
        vec![]
    }
    /// What a rater has labelled so far; nothing of other raters. The error is a sentence.
    fn labels(&self, _annotator: &str) -> Result<LabelFile, String> {
        Err(label_files::NO_BUNDLE.into())
    }
    /// Brings what a rater said or saw to the disk before it returns, and gives all labels of the rater. The error is a
    /// sentence.
    fn save_label(
        &self,
        _annotator: &str,
        _what: LabelSave,
        _seen: Option<&Label>,
    ) -> Result<SavedLabels, String> {
        Err(label_files::NO_BUNDLE.into())
    }
    /// Places that look like a component after so many turns, best first; what of them a verdict's looks read, where
    /// one is given. The error is a sentence.
    fn places(
        &self,
        _run: &Run,
        _done: usize,
        _component: &Component,
        _verdict: Option<&Verdict>,
    ) -> Result<Vec<CandidatePlace>, String> {
        Err("this recording cannot tell what its code looks like".into())
    }
}

impl Recording for Archive {
    fn step_text(&self, run: &Run, step: StepId) -> StepText {
        self.step_text(run, step)
    }

    fn request(&self, run: &Run, turn: usize) -> String {
        self.request_with_added(run, turn)
    }

    fn images(&self, run: &Run, turn: usize, step: Option<StepId>) -> Vec<RecordedImage> {
        self.images_of_step(run, turn, step)
    }

    fn timeline(&self, run: &Run) -> Result<Arc<Timeline>, String> {
        self.timeline(run)
    }

    fn line_counts(&self, run: &Run) -> Result<ChangeLineCounts, String> {
        self.line_counts(run)
    }

    fn diff(&self, run: &Run, change: &FileChange, context: usize) -> FileDiff {
        self.file_diff(run, change, context)
    }

    fn changes_between(
        &self,
        run: &Run,
        before: usize,
        after: usize,
    ) -> Result<Vec<FileChange>, String> {
        self.changes_between(run, RunMoment::after_turns(before), RunMoment::after_turns(after))
    }

    fn blame(
        &self,
        run: &Run,
        path: &RepoPath,
        moment: RunMoment,
    ) -> Result<Vec<BlamedLine>, String> {
        self.blame_lines(run, path, moment)
    }

    fn history(&self, run: &Run, wanted: &HistoryQuery) -> Result<ChangeHistory, String> {
        store::file_history(self, run, wanted)
    }

    fn search(
        &self,
        run: &Run,
        query: &SearchQuery,
        found: &mut dyn FnMut(SearchHit) -> bool,
    ) -> Result<(), String> {
        self.search(run, query, found)
    }

    fn score(
        &self,
        run: &Run,
        moments: &[RunMoment],
        scorer: &Scorer,
        goes_on: &ProgressCheck<'_>,
    ) -> Result<Vec<ScoredSnapshot>, String> {
        self.score_moments(run, moments, scorer, goes_on)
    }

    fn reused(
        &self,
        run: &Run,
        moments: &[usize],
        reader: &ReuseReader,
    ) -> Result<Vec<Option<ReuseCounts>>, String> {
        let reuse = self.reuse_at(run, moments, reader)?;
        Ok(reuse.iter().map(|reuse| reuse.as_ref().map(ReuseCounts::from_reuse)).collect())
    }

    fn content(&self, run: &Run, file: TreeFile) -> Result<Blob, String> {
        self.file_content(run, file)
    }

    fn process(&self, run: &Run) -> Option<ProcessReport> {
        Some(store::process_report(self, run))
    }

    fn processed(&self, run: &Run) -> Option<ProcessNumbers> {
        Some(store::process_numbers(self, run))
    }

    fn worked(&self, run: &Run) -> Option<(ProcessNumbers, Vec<usize>)> {
        let report = store::process_report(self, run);
        let turns = report.signals.iter().map(|signal| signal.step.turn).collect();
        Some((store::numbers_of_report(self, run, &report), turns))
    }

    fn memory(&self, run: &Run) -> Option<MemoryTimeline> {
        store::memory_events::memory_timeline(self, run, run.end_in_turns())
            .map(|(course, _)| course)
    }

    fn decisions(&self, run: &Run, named: Option<&Path>) -> Option<Result<DecisionLane, String>> {
        let store = decisions::store_of_run(self, named)?;
        Some(store.map(|store| decisions::decision_lane(self, run, &store)))
    }

    fn draw_decisions(&self, run: &Run) -> Result<String, String> {
        let path = self.bundle().ok_or(decisions::NO_BUNDLE)?.join(decisions::STORE_FILE);
        let count = decisions::write_request_decisions(self, run, &path)?;
        Ok(format!(
            "{} drawn from the requests into {}",
            decisions::count_text(count),
            path.display()
        ))
    }

    fn layers(&self, run: &Run) -> Vec<LayerRecord> {
        self.layers(run)
    }

    fn rubric(&self) -> Rubric {
        self.read_rubric()
    }

    fn bundle(&self) -> Option<PathBuf> {
        self.bundle().map(Path::to_owned)
    }

    fn reuse(&self, run: &Run, done: usize) -> Result<Option<Reuse>, String> {
        let mut all = self.reuse_at(run, &[done], &self.reuse_reader())?;
        Ok(all.pop().flatten())
    }

    fn lifelines(
        &self,
        run: &Run,
        asked: &[FollowedComponent],
        goes_on: &ProgressCheck<'_>,
    ) -> Result<Vec<Lifeline>, String> {
        self.component_lifelines(run, asked, goes_on)
    }

    fn labels(&self, annotator: &str) -> Result<LabelFile, String> {
        label_files::read_labels(self, annotator)
    }

    fn save_label(
        &self,
        annotator: &str,
        what: LabelSave,
        seen: Option<&Label>,
    ) -> Result<SavedLabels, String> {
        label_files::save_to_bundle(self, annotator, what, seen)
    }

    fn places(
        &self,
        run: &Run,
        done: usize,
        component: &Component,
        verdict: Option<&Verdict>,
    ) -> Result<Vec<CandidatePlace>, String> {
        self.candidate_places(run, done, component, verdict)
    }
}

/// A run, and its recording that answers questions about it.
#[derive(Clone)]
pub struct RunWithRecording {
    pub run: Arc<Run>,
    pub recording: Arc<dyn Recording>,
}

impl From<store::OpenedRecording> for RunWithRecording {
    fn from(opened: store::OpenedRecording) -> Self {
        Self { run: opened.run, recording: opened.archive }
    }
}

/// Opens runs by their paths.
#[derive(Clone)]
pub struct RunOpener {
    whole: Arc<OpenWholeFn>,
    among: Option<Arc<OpenAmongFn>>,
    head: Arc<OpenHeadFn>,
    several: Arc<HasSeveralFn>,
}

type OpenWholeFn = dyn Fn(&Path) -> Result<RunWithRecording, OpenError> + Send + Sync;
type OpenAmongFn = dyn Fn(&Path, &Siblings) -> Result<RunWithRecording, OpenError> + Send + Sync;
type OpenHeadFn = dyn Fn(&Path) -> Option<RunWithRecording> + Send + Sync;
type HasSeveralFn = dyn Fn(&Path) -> bool + Send + Sync;

impl RunOpener {
    pub fn new(
        whole: impl Fn(&Path) -> Result<RunWithRecording, OpenError> + Send + Sync + 'static,
    ) -> Self {
        let (head, several) = (Arc::new(|_: &Path| None), Arc::new(|_: &Path| false));
        Self { whole: Arc::new(whole), among: None, head, several }
    }

    /// Opens the whole run.
    pub fn open(&self, path: &Path) -> Result<RunWithRecording, OpenError> {
        (self.whole)(path)
    }

    /// Opens one of many runs, with the facts known of the logs beside it.
    pub fn open_among(
        &self,
        path: &Path,
        siblings: &Siblings,
    ) -> Result<RunWithRecording, OpenError> {
        match &self.among {
            Some(among) => among(path, siblings),
            None => self.open(path),
        }
    }

    /// Opens the first screen of a run, if that is possible before the whole is read.
    pub fn open_head(&self, path: &Path) -> Option<RunWithRecording> {
        (self.head)(path)
    }

    /// Returns whether a path has several runs.
    pub(crate) fn has_several_runs(&self, path: &Path) -> bool {
        (self.several)(path)
    }

    /// Adds a function that opens many runs at a lower cost than each by itself.
    #[must_use]
    pub(crate) fn with_many(
        self,
        among: impl Fn(&Path, &Siblings) -> Result<RunWithRecording, OpenError> + Send + Sync + 'static,
    ) -> Self {
        Self { among: Some(Arc::new(among)), ..self }
    }

    /// Adds a function that opens the first screen of a run while the whole is read.
    #[must_use]
    pub(crate) fn with_head(
        self,
        head: impl Fn(&Path) -> Option<RunWithRecording> + Send + Sync + 'static,
    ) -> Self {
        Self { head: Arc::new(head), ..self }
    }

    /// Adds a function that recognises a path with several runs, which are shown in a table.
    #[must_use]
    pub(crate) fn with_several(
        self,
        several: impl Fn(&Path) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { several: Arc::new(several), ..self }
    }
}

/// Returns an opener that reads from the disk.
pub fn opener_from_disk() -> RunOpener {
    disk_opener(|| None)
}

/// Returns an opener that reads from the disk and caches expensive results, if there is a folder for them.
pub fn cached_opener_from_disk() -> RunOpener {
    let cache = OnceLock::new();
    // A cache that cannot be opened is reported where it is first needed: by the scores.
    let open = || Some(Arc::new(DiskCache::open(&DiskCache::default_path()?).ok()?));
    disk_opener(move || cache.get_or_init(open).clone())
}

fn disk_opener(cache: impl Fn() -> Option<Arc<DiskCache>> + Send + Sync + 'static) -> RunOpener {
    let cache = Arc::new(cache);
    let kept = move |opened: store::OpenedRecording| {
        if let Some(cache) = cache() {
            opened.archive.set_cache(cache);
        }
        RunWithRecording::from(opened)
    };
    let kept_too = kept.clone();
    RunOpener::new(move |path| store::open(path).map(&kept))
        .with_many(move |path, siblings| store::open_among(path, siblings).map(&kept_too))
        .with_head(|path| store::open_head(path).map(RunWithRecording::from))
        .with_several(store::exported_runs::opens_as_table)
}
