//! The bytes behind a run: the text of a step, the files of a turn and the hits of a search, read when they are wanted.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use trajview_code::patch::LineCounts;
use trajview_formats as formats;
use trajview_formats::Format;
use trajview_run::{
    Place, RepoPath, Run, StepId, StepText,
    files::{
        Blob, BlobId, Blobs, Change, FileDiff, MemoryBlobs, Moment, Origin, Timeline, TreeFile,
        blame::{self, BlamedLine},
        compare, renames,
    },
    pictures::{Picture, in_record},
    search::{Hit, Matcher, Query},
};

use super::{
    absence,
    bytes::{self, Bytes},
    cache::Cache,
    executor::Threads,
    lifeline, memory,
    repo::Repo,
    rubric, search,
    snapshot::Snapshots,
    timeline,
};

/// A recording that was opened: its index, and the way back to its bytes.
#[derive(Debug, Clone)]
pub struct Opened {
    pub run: Arc<Run>,
    pub archive: Arc<Archive>,
}

impl Opened {
    /// As [`Archive::keep_in`], where there is a cache.
    #[must_use]
    pub fn kept_in(self, cache: Option<Arc<Cache>>) -> Self {
        cache.into_iter().for_each(|cache| self.archive.keep_in(cache));
        self
    }
}

/// Frees a recording that nobody looks at any more, and what was made of it, beside the caller where that takes a while.
pub fn let_go(opened: Opened, made: impl Send + 'static) {
    if bytes::size_of(&opened.archive.files) >= memory::WORTH_IT {
        memory::free_later((opened, made));
    }
}

/// Stands above what was added to a request.
pub const ADDED: &str = "[added by the agent's program]";

/// The bytes behind a run. Shared between worker threads.
#[derive(Debug)]
pub struct Archive {
    /// In the order of [`trajview_run::RunOrigin::sources`].
    files: Vec<Bytes>,
    pub(super) repo: Option<Repo>,
    snapshots: Option<Snapshots>,
    timeline: OnceLock<Result<(Arc<Timeline>, MemoryBlobs), String>>,
    pub(super) facts: lifeline::Facts,
    pub(super) absence: absence::LastIndex,
    /// The folder of the bundle, where it is one.
    bundle: Option<PathBuf>,
    /// The folder that the agent left, where it lies beside a recording that holds no files itself.
    working_copy: Option<PathBuf>,
    /// Where what costs much is kept between starts.
    cache: OnceLock<Arc<Cache>>,
}

impl Archive {
    /// The archive of these files, in the order of [`trajview_run::RunOrigin::sources`]; `bundle` is the folder of a bundle.
    pub(super) fn new(
        files: Vec<Bytes>,
        repo: Option<Repo>,
        snapshots: Option<Snapshots>,
        bundle: Option<PathBuf>,
    ) -> Self {
        Self {
            files,
            repo,
            snapshots,
            timeline: OnceLock::new(),
            facts: lifeline::Facts::default(),
            absence: absence::LastIndex::default(),
            bundle,
            working_copy: None,
            cache: OnceLock::new(),
        }
    }

    /// With the folder that the agent left.
    pub(super) fn with_working_copy(self, working_copy: Option<PathBuf>) -> Self {
        Self { working_copy, ..self }
    }

    /// The folder that the agent left, where it lies beside a recording that holds no files itself.
    pub fn working_copy(&self) -> Option<&Path> {
        self.working_copy.as_deref()
    }

    /// From now on what costs much is kept here between starts. The first cache stays.
    pub fn keep_in(&self, cache: Arc<Cache>) {
        self.cache.get_or_init(|| cache);
    }

    pub(super) fn cache(&self) -> Option<&Arc<Cache>> {
        self.cache.get()
    }

    /// What a step says, with its observation.
    pub fn step_text(&self, run: &Run, step: StepId) -> StepText {
        let Some(step) = run.step(step) else { return StepText::default() };
        let Some(format) = format_of(run, step.place) else { return StepText::default() };
        let mut text = format.words(&self.record(step.place), step);
        if let Some(result) = step.result()
            && let Some(format) = format_of(run, result.place)
        {
            text.result = Some(format.result(&self.record(result.place), result));
        }
        text
    }

    /// The images of a step and of its result; without a step those of the turn's request.
    pub fn images(&self, run: &Run, turn: usize, step: Option<StepId>) -> Vec<Picture> {
        let places = match step.and_then(|step| run.step(step)) {
            Some(step) => [Some(step.place), step.result().map(|result| result.place)],
            None => [run.turns.get(turn).and_then(|turn| turn.request), None],
        };
        let mut found = vec![];
        for picture in places.into_iter().flatten().flat_map(|it| in_record(&self.record(it))) {
            if !found.contains(&picture) {
                found.push(picture);
            }
        }
        found
    }

    /// The folder of the bundle; None where the recording is none.
    pub fn bundle(&self) -> Option<&Path> {
        self.bundle.as_deref()
    }

    /// What stands beside the run of what it is judged by, read afresh: judges and raters add to it.
    pub fn rubric(&self) -> trajview_run::rubric::Rubric {
        self.bundle.as_deref().map(rubric::read).unwrap_or_default()
    }

    /// The whole request of a turn and what was added to it, each as a part of its own: what the model read. Empty where
    /// the turn has no request.
    pub fn request(&self, run: &Run, turn: usize) -> String {
        let mut whole = self.request_alone(run, turn);
        for added in self.added(run, turn) {
            whole.push_str(&format!("\n\n{ADDED}\n{added}"));
        }
        whole
    }

    /// The request of a turn as it was made; empty where the turn has none.
    pub fn request_alone(&self, run: &Run, turn: usize) -> String {
        let place = run.turns.get(turn).and_then(|turn| turn.request);
        place.map(|place| self.request_at(run, place)).unwrap_or_default()
    }

    /// What the agent's program put before the model with the request.
    pub fn added(&self, run: &Run, turn: usize) -> Vec<String> {
        let places = run.turns.get(turn).map_or(&[][..], |turn| &turn.added);
        let added = |place: &Place| {
            let format = format_of(run, *place);
            format.map(|format| format.added(&self.record(*place), place.part)).unwrap_or_default()
        };
        places.iter().map(added).collect()
    }

    fn request_at(&self, run: &Run, place: Place) -> String {
        let format = format_of(run, place);
        format.map(|format| format.request(&self.record(place))).unwrap_or_default()
    }

    /// The whole text of a failed test; empty where it is not recorded.
    pub fn failure(&self, run: &Run, place: Place) -> String {
        let format = format_of(run, place);
        format.map(|format| format.failure(&self.record(place))).unwrap_or_default()
    }

    /// The files over time; worked out once, then kept. The error is a sentence.
    pub fn timeline(&self, run: &Run) -> Result<Arc<Timeline>, String> {
        self.built(run).as_ref().map(|(timeline, _)| Arc::clone(timeline)).map_err(Clone::clone)
    }

    fn built(&self, run: &Run) -> &Result<(Arc<Timeline>, MemoryBlobs), String> {
        self.timeline.get_or_init(|| {
            let recording = timeline::Recording {
                run,
                files: &self.files,
                repo: self.repo.as_ref(),
                snapshots: self.snapshots.as_ref(),
            };
            let built = timeline::build(&recording);
            memory::sweep_after(bytes::size_of(&self.files), ());
            built.map(|(timeline, made)| (Arc::new(timeline), made))
        })
    }

    /// What changed between two moments, renames found. The error is a sentence.
    pub fn changes_between(
        &self,
        run: &Run,
        before: Moment,
        after: Moment,
    ) -> Result<Vec<Change>, String> {
        let timeline = self.timeline(run)?;
        let changes = match (before.step, after.step) {
            (None, None) => timeline.changes_between(before.turns, after.turns),
            _ => {
                let (old, new) = (timeline.tree_at(run, before), timeline.tree_at(run, after));
                old.changes_to(&new, Origin::Recorded)
            }
        };
        self.with_blobs(run, |blobs| renames::find(changes, blobs))
    }

    /// One change, compared line by line with `context` lines around.
    pub fn diff(&self, run: &Run, change: &Change, context: usize) -> FileDiff {
        self.with_blobs(run, |blobs| compare::compare(change, blobs, context))
            .unwrap_or_else(FileDiff::NotRecorded)
    }

    /// Lines that a change adds and removes; None for what has no lines to count.
    pub fn line_counts_of(&self, run: &Run, change: &Change) -> Option<LineCounts> {
        self.with_blobs(run, |blobs| compare::line_counts(change, blobs)).ok().flatten()
    }

    /// Whether a change is of a file that is no text, which has no lines: sums of lines are whole without it.
    pub fn is_binary(&self, run: &Run, change: &Change) -> bool {
        self.with_blobs(run, |blobs| compare::is_binary(change, blobs)).unwrap_or(false)
    }

    /// Lines added and removed by every change of every turn, in the order of the timeline; 0 for files that are no text,
    /// None where the recording cannot tell. Reads every version of every file: for a worker, not for the screen. The error is a sentence.
    pub fn line_counts(&self, run: &Run) -> Result<Vec<Vec<Option<LineCounts>>>, String> {
        let timeline = self.timeline(run)?;
        let count = |change: &Change| {
            let binary = || self.is_binary(run, change).then(LineCounts::default);
            self.line_counts_of(run, change).or_else(binary)
        };
        Ok(timeline.turns.iter().map(|turn| turn.changes.iter().map(count).collect()).collect())
    }

    /// The content of a file. The error is a sentence.
    pub fn content(&self, run: &Run, file: TreeFile) -> Result<Blob, String> {
        let id = file.blob().ok_or("the content of this file is not in the recording")?;
        self.with_blobs(run, |blobs| blobs.blob(id))?
    }

    /// Which turn last wrote each line of a file as it stood at a moment: one entry a line, in order. The error is a
    /// sentence.
    pub fn blame(
        &self,
        run: &Run,
        path: &RepoPath,
        moment: Moment,
    ) -> Result<Vec<BlamedLine>, String> {
        let timeline = self.timeline(run)?;
        self.with_blobs(run, |blobs| match moment.step {
            None => blame::blame(&timeline, blobs, path, moment.turns),
            Some(step) => blame::blame(&timeline.until(run, step), blobs, path, moment.turns + 1),
        })?
    }

    pub(super) fn with_blobs<T>(
        &self,
        run: &Run,
        read: impl FnOnce(&(dyn Blobs + Sync)) -> T,
    ) -> Result<T, String> {
        let (_, made) = self.built(run).as_ref().map_err(Clone::clone)?;
        let (repo, snapshots) = (self.repo.as_ref(), self.snapshots.as_ref());
        Ok(read(&timeline::AllBlobs { made, repo, snapshots }))
    }

    /// Looks through every request, step and observation, in playing order, until `found` returns false.
    /// The error is a sentence about the pattern.
    pub fn search(
        &self,
        run: &Run,
        query: &Query,
        found: &mut dyn FnMut(Hit) -> bool,
    ) -> Result<(), String> {
        self.search_while(run, query, &|| true, found)
    }

    /// As [`Archive::search`]; `goes_on` is asked before every step, so that a search that finds nothing can be
    /// stopped as well. It is asked by several threads.
    pub fn search_while(
        &self,
        run: &Run,
        query: &Query,
        goes_on: &(dyn Fn() -> bool + Sync),
        found: &mut dyn FnMut(Hit) -> bool,
    ) -> Result<(), String> {
        search::Search { archive: self, run, matcher: Matcher::of(query)?, goes_on }
            .look(&Threads::all(), found);
        Ok(())
    }

    pub(super) fn record(&self, place: Place) -> Cow<'_, [u8]> {
        let file = self.files.get(place.source.0 as usize);
        file.map(|file| file.record(place)).unwrap_or_default()
    }
}

/// The contents of a run's files, by their names.
#[derive(Debug, Clone, Copy)]
pub struct Contents<'a> {
    pub run: &'a Run,
    pub archive: &'a Archive,
}

impl Blobs for Contents<'_> {
    fn blob(&self, id: BlobId) -> Result<Blob, String> {
        self.archive.content(self.run, TreeFile::known(id))
    }
}

pub(super) fn format_of(run: &Run, place: Place) -> Option<&'static dyn Format> {
    run.origin
        .sources
        .get(place.source.0 as usize)
        .and_then(|source| formats::by_name(source.format))
}
