//! A recording as the runtime reads it, and how one is opened.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use trajview_layers::record::Record;
use trajview_metrics::{
    absence::Place,
    decisions::Lane,
    lifeline::{Asked, Lifeline},
    memory::Course,
    numbers::facts::Reused,
    process::{Processed, Report},
    quality::Scored,
    reuse::Reuse,
};
use trajview_run::{
    RepoPath, Run, StepId, StepText,
    files::{
        Blob, Change, FileDiff, Moment, Timeline, TreeFile,
        blame::BlamedLine,
        history::{History, Wanted},
    },
    pictures::Picture,
    rubric::{Component, Label, Labels, Rubric, Verdict},
    search::{Hit, Query},
};
use trajview_store as store;
use trajview_store::{Archive, Cache, GoesOn, OpenError, ReuseReader, Scorer, Siblings, decisions};
use trajview_tui::session::{
    digest::Counts,
    saved::{Saved, ToSave},
};

use super::auditing;

/// What answers questions about a run. The store's archive does; tests bring their own.
pub trait Recording: Send + Sync {
    fn step_text(&self, run: &Run, step: StepId) -> StepText;
    fn request(&self, run: &Run, turn: usize) -> String;
    fn timeline(&self, run: &Run) -> Result<Arc<Timeline>, String>;
    /// One list a turn, one entry a change.
    fn line_counts(&self, run: &Run) -> Result<Counts, String>;
    fn diff(&self, run: &Run, change: &Change, context: usize) -> FileDiff;
    /// What changed between two moments, counted in turns done.
    fn changes_between(
        &self,
        run: &Run,
        before: usize,
        after: usize,
    ) -> Result<Vec<Change>, String>;
    /// One entry a line of the file at a moment.
    fn blame(&self, run: &Run, path: &RepoPath, moment: Moment) -> Result<Vec<BlamedLine>, String>;
    fn search(
        &self,
        run: &Run,
        query: &Query,
        found: &mut dyn FnMut(Hit) -> bool,
    ) -> Result<(), String>;
    /// The scores of the files at each of these moments.
    fn score(
        &self,
        run: &Run,
        moments: &[Moment],
        scorer: &Scorer,
        goes_on: &GoesOn<'_>,
    ) -> Result<Vec<Scored>, String>;
    /// What the files use of each other at each of these moments, counted in turns done; None where there are none.
    fn reused(
        &self,
        run: &Run,
        moments: &[usize],
        reader: &ReuseReader,
    ) -> Result<Vec<Option<Reused>>, String>;
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
        _asked: &[Asked],
        _goes_on: &GoesOn<'_>,
    ) -> Result<Vec<Lifeline>, String> {
        Err("this recording cannot tell what became of its components".into())
    }
    /// Every change to a file, or to a definition in it. The error is a sentence.
    fn history(&self, _run: &Run, _wanted: &Wanted) -> Result<History, String> {
        Err("this recording cannot tell the history of its files".into())
    }
    /// How the run was worked on; None where that cannot be told.
    fn process(&self, _run: &Run) -> Option<Report> {
        None
    }
    /// The numbers of how the run was worked on, those of its memory among them; None where that cannot be told.
    fn processed(&self, _run: &Run) -> Option<Processed> {
        None
    }
    /// As [`Self::processed`], with the turns (count from 0) in which signals open, ascending.
    fn worked(&self, _run: &Run) -> Option<(Processed, Vec<usize>)> {
        None
    }
    /// What a memory gave the agent, with the state of its cards at the end; None where no memory events are recorded.
    fn memory(&self, _run: &Run) -> Option<Course> {
        None
    }
    /// The decisions of the store at a path, else of the run's own, over its steps; None where it has none. The error is a
    /// sentence.
    fn decisions(&self, _run: &Run, _named: Option<&Path>) -> Option<Result<Lane, String>> {
        None
    }
    /// Writes what the requests lay down into the bundle as its store of decisions. Both are sentences.
    fn draw_decisions(&self, _run: &Run) -> Result<String, String> {
        Err(decisions::NO_BUNDLE.into())
    }
    /// The images of a step and of its result; without a step those of the turn's request.
    fn images(&self, _run: &Run, _turn: usize, _step: Option<StepId>) -> Vec<Picture> {
        vec![]
    }
    /// What layers of project state said and knew over the run; empty where none is recorded.
    fn layers(&self, _run: &Run) -> Vec<Record> {
        vec![]
    }
    /// What a rater has labelled so far; nothing of other raters. The error is a sentence.
    fn labels(&self, _annotator: &str) -> Result<Labels, String> {
        Err(auditing::NO_BUNDLE.into())
    }
    /// Brings what a rater said or saw to the disk before it returns, and gives all labels of the rater. The error is a
    /// sentence.
    fn save_label(
        &self,
        _annotator: &str,
        _what: ToSave,
        _seen: Option<&Label>,
    ) -> Result<Saved, String> {
        Err(auditing::NO_BUNDLE.into())
    }
    /// Places that look like a component after so many turns, best first; what of them a verdict's looks read, where
    /// one is given. The error is a sentence.
    fn places(
        &self,
        _run: &Run,
        _done: usize,
        _component: &Component,
        _verdict: Option<&Verdict>,
    ) -> Result<Vec<Place>, String> {
        Err("this recording cannot tell what its code looks like".into())
    }
}

impl Recording for Archive {
    fn step_text(&self, run: &Run, step: StepId) -> StepText {
        self.step_text(run, step)
    }

    fn request(&self, run: &Run, turn: usize) -> String {
        self.request(run, turn)
    }

    fn images(&self, run: &Run, turn: usize, step: Option<StepId>) -> Vec<Picture> {
        self.images(run, turn, step)
    }

    fn timeline(&self, run: &Run) -> Result<Arc<Timeline>, String> {
        self.timeline(run)
    }

    fn line_counts(&self, run: &Run) -> Result<Counts, String> {
        self.line_counts(run)
    }

    fn diff(&self, run: &Run, change: &Change, context: usize) -> FileDiff {
        self.diff(run, change, context)
    }

    fn changes_between(
        &self,
        run: &Run,
        before: usize,
        after: usize,
    ) -> Result<Vec<Change>, String> {
        self.changes_between(run, Moment::after(before), Moment::after(after))
    }

    fn blame(&self, run: &Run, path: &RepoPath, moment: Moment) -> Result<Vec<BlamedLine>, String> {
        self.blame(run, path, moment)
    }

    fn history(&self, run: &Run, wanted: &Wanted) -> Result<History, String> {
        store::history(self, run, wanted)
    }

    fn search(
        &self,
        run: &Run,
        query: &Query,
        found: &mut dyn FnMut(Hit) -> bool,
    ) -> Result<(), String> {
        self.search(run, query, found)
    }

    fn score(
        &self,
        run: &Run,
        moments: &[Moment],
        scorer: &Scorer,
        goes_on: &GoesOn<'_>,
    ) -> Result<Vec<Scored>, String> {
        self.score(run, moments, scorer, goes_on)
    }

    fn reused(
        &self,
        run: &Run,
        moments: &[usize],
        reader: &ReuseReader,
    ) -> Result<Vec<Option<Reused>>, String> {
        let reuse = self.reuse(run, moments, reader)?;
        Ok(reuse.iter().map(|reuse| reuse.as_ref().map(Reused::of)).collect())
    }

    fn content(&self, run: &Run, file: TreeFile) -> Result<Blob, String> {
        self.content(run, file)
    }

    fn process(&self, run: &Run) -> Option<Report> {
        Some(store::report(self, run))
    }

    fn processed(&self, run: &Run) -> Option<Processed> {
        Some(store::processed(self, run))
    }

    fn worked(&self, run: &Run) -> Option<(Processed, Vec<usize>)> {
        let report = store::report(self, run);
        let turns = report.signals.iter().map(|signal| signal.step.turn).collect();
        Some((store::processed_of(self, run, &report), turns))
    }

    fn memory(&self, run: &Run) -> Option<Course> {
        store::memory_events::course(self, run, run.end()).map(|(course, _)| course)
    }

    fn decisions(&self, run: &Run, named: Option<&Path>) -> Option<Result<Lane, String>> {
        let store = decisions::of_run(self, named)?;
        Some(store.map(|store| decisions::lane(self, run, &store)))
    }

    fn draw_decisions(&self, run: &Run) -> Result<String, String> {
        let path = self.bundle().ok_or(decisions::NO_BUNDLE)?.join(decisions::FILE);
        let count = decisions::write_drawn(self, run, &path)?;
        Ok(format!("{} drawn from the requests into {}", decisions::counted(count), path.display()))
    }

    fn layers(&self, run: &Run) -> Vec<Record> {
        self.layers(run)
    }

    fn rubric(&self) -> Rubric {
        self.rubric()
    }

    fn bundle(&self) -> Option<PathBuf> {
        self.bundle().map(Path::to_owned)
    }

    fn reuse(&self, run: &Run, done: usize) -> Result<Option<Reuse>, String> {
        let mut all = self.reuse(run, &[done], &self.reuse_reader())?;
        Ok(all.pop().flatten())
    }

    fn lifelines(
        &self,
        run: &Run,
        asked: &[Asked],
        goes_on: &GoesOn<'_>,
    ) -> Result<Vec<Lifeline>, String> {
        self.lifelines(run, asked, goes_on)
    }

    fn labels(&self, annotator: &str) -> Result<Labels, String> {
        auditing::labels(self, annotator)
    }

    fn save_label(
        &self,
        annotator: &str,
        what: ToSave,
        seen: Option<&Label>,
    ) -> Result<Saved, String> {
        auditing::save(self, annotator, what, seen)
    }

    fn places(
        &self,
        run: &Run,
        done: usize,
        component: &Component,
        verdict: Option<&Verdict>,
    ) -> Result<Vec<Place>, String> {
        self.places(run, done, component, verdict)
    }
}

/// A run and what answers questions about it.
#[derive(Clone)]
pub struct Opened {
    pub run: Arc<Run>,
    pub recording: Arc<dyn Recording>,
}

impl From<store::Opened> for Opened {
    fn from(opened: store::Opened) -> Self {
        Self { run: opened.run, recording: opened.archive }
    }
}

/// How a path becomes a run.
#[derive(Clone)]
pub struct Opener {
    whole: Arc<Whole>,
    among: Option<Arc<Among>>,
    head: Arc<Head>,
    several: Arc<Several>,
}

type Whole = dyn Fn(&Path) -> Result<Opened, OpenError> + Send + Sync;
type Among = dyn Fn(&Path, &Siblings) -> Result<Opened, OpenError> + Send + Sync;
type Head = dyn Fn(&Path) -> Option<Opened> + Send + Sync;
type Several = dyn Fn(&Path) -> bool + Send + Sync;

impl Opener {
    pub fn new(whole: impl Fn(&Path) -> Result<Opened, OpenError> + Send + Sync + 'static) -> Self {
        let (head, several) = (Arc::new(|_: &Path| None), Arc::new(|_: &Path| false));
        Self { whole: Arc::new(whole), among: None, head, several }
    }

    /// Opens the whole run.
    pub fn open(&self, path: &Path) -> Result<Opened, OpenError> {
        (self.whole)(path)
    }

    /// Opens one of many runs, by what is known of the logs beside it.
    pub fn open_among(&self, path: &Path, siblings: &Siblings) -> Result<Opened, OpenError> {
        match &self.among {
            Some(among) => among(path, siblings),
            None => self.open(path),
        }
    }

    /// The beginning of a run, where it can be had before the whole.
    pub fn head(&self, path: &Path) -> Option<Opened> {
        (self.head)(path)
    }

    /// Whether a path holds several runs.
    pub fn holds_several(&self, path: &Path) -> bool {
        (self.several)(path)
    }

    /// With a way to open many runs that costs less than to open each by itself.
    #[must_use]
    pub fn with_many(
        self,
        among: impl Fn(&Path, &Siblings) -> Result<Opened, OpenError> + Send + Sync + 'static,
    ) -> Self {
        Self { among: Some(Arc::new(among)), ..self }
    }

    /// With a way to have the beginning of a run while the whole is read.
    #[must_use]
    pub fn with_head(self, head: impl Fn(&Path) -> Option<Opened> + Send + Sync + 'static) -> Self {
        Self { head: Arc::new(head), ..self }
    }

    /// With a way to tell that a path holds several runs, which are shown in a table then.
    #[must_use]
    pub fn with_several(self, several: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self { several: Arc::new(several), ..self }
    }
}

/// The way in through the disk.
pub fn from_disk() -> Opener {
    on_disk(|| None)
}

/// The same; what costs much is kept between starts, where there is a folder for it.
pub fn from_disk_with_cache() -> Opener {
    let cache = OnceLock::new();
    // A cache that cannot be opened is told of where it is first missed: by the scores.
    let open = || Some(Arc::new(Cache::open(&Cache::default_path()?).ok()?));
    on_disk(move || cache.get_or_init(open).clone())
}

fn on_disk(cache: impl Fn() -> Option<Arc<Cache>> + Send + Sync + 'static) -> Opener {
    let cache = Arc::new(cache);
    let kept = move |opened: store::Opened| {
        if let Some(cache) = cache() {
            opened.archive.keep_in(cache);
        }
        Opened::from(opened)
    };
    let kept_too = kept.clone();
    Opener::new(move |path| store::open(path).map(&kept))
        .with_many(move |path, siblings| store::open_among(path, siblings).map(&kept_too))
        .with_head(|path| store::open_head(path).map(Opened::from))
        .with_several(store::exported_runs::opens_as_table)
}
