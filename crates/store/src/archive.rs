//! The bytes behind a run: the text of a step, the files of a turn and the hits of a search, read when they are wanted.

use std::{
    any::{Any, TypeId},
    borrow::Cow,
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use sha1::{Digest, Sha1};

use trajview_code::patch::LineCounts;
use trajview_formats as formats;
use trajview_formats::Format;
use trajview_run::{
    RecordPlace, RepoPath, Run, StepId, StepText, Warning,
    files::{
        Blob, BlobId, Blobs, ChangeOrigin, FileChange, FileDiff, MemoryBlobs, RunMoment, Timeline,
        TreeFile,
        blame::{self, BlamedLine},
        file_diff, renames,
    },
    pictures::{RecordedImage, images_in_record},
    search::{QueryMatcher, SearchHit, SearchQuery},
};

use super::{
    cache::DiskCache,
    executor::WorkerThreads,
    file_bytes::{self, FileBytes},
    memory_trim,
    repo::Repo,
    rubric, run_search,
    snapshot::Snapshots,
    timeline,
};

/// A recording that was opened: its index, and the archive that reads its bytes.
#[derive(Debug, Clone)]
pub struct OpenedRecording {
    pub run: Arc<Run>,
    pub archive: Arc<Archive>,
}

impl OpenedRecording {
    /// Works as [`Archive::set_cache`], where there is a cache.
    #[must_use]
    pub fn with_cache(self, cache: Option<Arc<DiskCache>>) -> Self {
        cache.into_iter().for_each(|cache| self.archive.set_cache(cache));
        self
    }
}

/// Frees a recording that is no longer shown, together with `made`, which was derived from it; on another thread where
/// that takes a while.
pub fn free_recording(opened: OpenedRecording, made: impl Send + 'static) {
    if file_bytes::total_size(&opened.archive.files) >= memory_trim::LEAST_BYTES {
        memory_trim::free_later((opened, made));
    }
}

/// The heading above a text that was added to a request.
pub const ADDED_HEADING: &str = "[added by the agent's program]";

/// The bytes behind a run. Shared between worker threads.
#[derive(Debug)]
pub struct Archive {
    /// The files, in the order of [`trajview_run::RunOrigin::sources`].
    pub(super) files: Vec<FileBytes>,
    pub(super) repo: Option<Repo>,
    snapshots: Option<Snapshots>,
    timeline: OnceLock<Result<(Arc<Timeline>, MemoryBlobs), String>>,
    /// What others computed of the recording, by its type.
    derived: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    /// The folder of the bundle, where it is one.
    bundle: Option<PathBuf>,
    /// The folder of labels: the bundle, or the one that belongs to a graded rubric tree alone.
    label_folder: Option<PathBuf>,
    /// The folder that the agent left, where it lies beside a recording that holds no files itself.
    working_copy: Option<PathBuf>,
    /// The cache that keeps costly results between starts.
    cache: OnceLock<Arc<DiskCache>>,
}

impl Archive {
    /// Returns the archive of these files, in the order of [`trajview_run::RunOrigin::sources`]; `bundle` is the folder
    /// of a bundle.
    pub(super) fn new(
        files: Vec<FileBytes>,
        repo: Option<Repo>,
        snapshots: Option<Snapshots>,
        bundle: Option<PathBuf>,
    ) -> Self {
        Self {
            files,
            repo,
            snapshots,
            timeline: OnceLock::new(),
            derived: Mutex::default(),
            label_folder: bundle.clone(),
            bundle,
            working_copy: None,
            cache: OnceLock::new(),
        }
    }

    /// Returns the archive of one log in memory, whose files over time are there already; an error is the sentence why
    /// they are not.
    pub fn in_memory(log: Vec<u8>, files: Result<(Timeline, MemoryBlobs), String>) -> Self {
        let archive = Self::new(vec![FileBytes::InMemory(log)], None, None, None);
        let files = files.map(|(timeline, blobs)| (Arc::new(timeline), blobs));
        Self { timeline: OnceLock::from(files), ..archive }
    }

    /// Sets the folder of labels of a recording that is no bundle.
    pub(super) fn with_label_folder(self, folder: Option<PathBuf>) -> Self {
        Self { label_folder: folder.or(self.label_folder), ..self }
    }

    /// Returns the folder in which labels are saved; None where there is no place for labels. It need not exist yet.
    pub fn label_folder(&self) -> Option<&Path> {
        self.label_folder.as_deref()
    }

    /// Sets the folder that the agent left.
    pub(super) fn with_working_copy(self, working_copy: Option<PathBuf>) -> Self {
        Self { working_copy, ..self }
    }

    /// Returns the folder that the agent left, where it lies beside a recording that holds no files itself.
    pub fn working_copy(&self) -> Option<&Path> {
        self.working_copy.as_deref()
    }

    /// Sets the cache that keeps costly results between starts. A cache that is set already stays.
    pub fn set_cache(&self, cache: Arc<DiskCache>) {
        self.cache.get_or_init(|| cache);
    }

    /// Returns the cache that keeps costly results between starts.
    pub fn cache(&self) -> Option<&Arc<DiskCache>> {
        self.cache.get()
    }

    /// Returns a digest of the recording's files. None where one of them is left on the disk, and where other things are part
    /// of the recording: a repository, snapshots, a bundle, a folder of labels, the folder that the agent left.
    pub fn content_digest(&self) -> Option<[u8; 20]> {
        let folders = [&self.bundle, &self.label_folder, &self.working_copy];
        let has_more = self.repo.is_some() || self.snapshots.is_some();
        if has_more || folders.into_iter().any(Option::is_some) {
            return None;
        }
        let mut hash = Sha1::new();
        for file in &self.files {
            let FileBytes::InMemory(bytes) = file else { return None };
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
        Some(hash.finalize().into())
    }

    /// Returns the value of a type that is kept as long as the recording is open, the default at the first call: room for
    /// what others compute of it.
    pub fn derived_facts<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut all = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        let value = all.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(value).downcast().expect("its key is its type")
    }

    /// Returns the text of a step, with its observation.
    pub fn step_text(&self, run: &Run, step: StepId) -> StepText {
        let Some(step) = run.step(step) else { return StepText::default() };
        let Some(format) = format_of(run, step.place) else { return StepText::default() };
        let record = self.record_bytes(step.place);
        let bytes_of = |place: RecordPlace| (place.source, place.start, place.len);
        if let Some(result) = step.tool_result()
            && bytes_of(result.place) == bytes_of(step.place)
        {
            return format.text_with_result(&record, step, result);
        }
        let mut text = format.step_text(&record, step);
        if let Some(result) = step.tool_result()
            && let Some(format) = format_of(run, result.place)
        {
            text.result = Some(format.result_text(&self.record_bytes(result.place), result));
        }
        text
    }

    /// Returns the images of a step and of its result; without a step those of the turn's request.
    pub fn images_of_step(
        &self,
        run: &Run,
        turn: usize,
        step: Option<StepId>,
    ) -> Vec<RecordedImage> {
        let places = match step.and_then(|step| run.step(step)) {
            Some(step) => [Some(step.place), step.tool_result().map(|result| result.place)],
            None => [run.turns.get(turn).and_then(|turn| turn.request), None],
        };
        let mut found = vec![];
        for picture in
            places.into_iter().flatten().flat_map(|it| images_in_record(&self.record_bytes(it)))
        {
            if !found.contains(&picture) {
                found.push(picture);
            }
        }
        found
    }

    /// Returns the folder of the bundle; None where the recording is none.
    pub fn bundle(&self) -> Option<&Path> {
        self.bundle.as_deref()
    }

    /// Reads the rubric, judgements and labels beside the run; of a graded rubric tree alone its labels. They are read anew
    /// at each call, since judges and raters add to them.
    pub fn read_rubric(&self) -> trajview_run::rubric::Rubric {
        let of_tree = || self.label_folder.as_deref().map(rubric::read_folder).unwrap_or_default();
        self.bundle.as_deref().map_or_else(of_tree, rubric::read_beside)
    }

    /// Returns the whole request of a turn and what was added to it, each as a part of its own: what the model read.
    /// Empty where the turn has no request.
    pub fn request_with_added(&self, run: &Run, turn: usize) -> String {
        let mut text = self.request_text(run, turn);
        for added in self.added_texts(run, turn) {
            text.push_str(&format!("\n\n{ADDED_HEADING}\n{added}"));
        }
        text
    }

    /// Returns the request of a turn as it was made; empty where the turn has none.
    pub fn request_text(&self, run: &Run, turn: usize) -> String {
        let place = run.turns.get(turn).and_then(|turn| turn.request);
        place.map(|place| self.request_at_place(run, place)).unwrap_or_default()
    }

    /// Returns the texts that the agent's program put before the model together with the request.
    pub fn added_texts(&self, run: &Run, turn: usize) -> Vec<String> {
        let places = run.turns.get(turn).map_or(&[][..], |turn| &turn.added);
        let text_at = |place: &RecordPlace| {
            let format = format_of(run, *place);
            format
                .map(|format| format.added_text(&self.record_bytes(*place), place.part))
                .unwrap_or_default()
        };
        places.iter().map(text_at).collect()
    }

    fn request_at_place(&self, run: &Run, place: RecordPlace) -> String {
        let format = format_of(run, place);
        format.map(|format| format.request_text(&self.record_bytes(place))).unwrap_or_default()
    }

    /// Returns the whole text of a failed test; empty where it is not recorded.
    pub fn failure_text(&self, run: &Run, place: RecordPlace) -> String {
        let format = format_of(run, place);
        format.map(|format| format.failure_text(&self.record_bytes(place))).unwrap_or_default()
    }

    /// Returns the files over time; worked out once, then kept. The error is a sentence.
    pub fn timeline(&self, run: &Run) -> Result<Arc<Timeline>, String> {
        self.built_timeline(run)
            .as_ref()
            .map(|(timeline, _)| Arc::clone(timeline))
            .map_err(Clone::clone)
    }

    /// Returns the timeline of the run of this archive, which is built in the first call; the error is a sentence.
    fn built_timeline(&self, run: &Run) -> &Result<(Arc<Timeline>, MemoryBlobs), String> {
        self.timeline.get_or_init(|| {
            let recording = timeline::TimelineSource {
                run,
                files: &self.files,
                repo: self.repo.as_ref(),
                snapshots: self.snapshots.as_ref(),
            };
            let built = timeline::build_timeline(&recording);
            memory_trim::trim_after_reading(file_bytes::total_size(&self.files), ());
            built.map(|(timeline, made)| (Arc::new(timeline), made))
        })
    }

    /// Returns the changes between two moments, with renames detected. The error is a sentence.
    pub fn changes_between(
        &self,
        run: &Run,
        before: RunMoment,
        after: RunMoment,
    ) -> Result<Vec<FileChange>, String> {
        let timeline = self.timeline(run)?;
        let changes = match (before.step, after.step) {
            (None, None) => timeline.changes_between(before.turns, after.turns),
            _ => {
                let (old, new) = (timeline.tree_at(run, before), timeline.tree_at(run, after));
                old.changes_to(&new, ChangeOrigin::Recorded)
            }
        };
        self.with_blobs(run, |blobs| renames::pair_renames(changes, blobs))
    }

    /// Compares one change line by line, with `context` lines around.
    pub fn file_diff(&self, run: &Run, change: &FileChange, context: usize) -> FileDiff {
        self.with_blobs(run, |blobs| file_diff::diff_change(change, blobs, context))
            .unwrap_or_else(FileDiff::NotRecorded)
    }

    /// Returns the lines that a change adds and removes; None for what has no lines to count.
    pub fn line_counts_of(&self, run: &Run, change: &FileChange) -> Option<LineCounts> {
        self.with_blobs(run, |blobs| file_diff::line_counts(change, blobs)).ok().flatten()
    }

    /// Returns whether a change is of a file that is no text, which has no lines: sums of lines are whole without it.
    pub fn is_binary(&self, run: &Run, change: &FileChange) -> bool {
        self.with_blobs(run, |blobs| file_diff::is_binary(change, blobs)).unwrap_or(false)
    }

    /// Returns the lines added and removed by every change of every turn, in the order of the timeline; 0 for files
    /// that are no text, None where the recording does not have them. Reads every version of every file: for a worker,
    /// not for the screen. The error is a sentence.
    pub fn line_counts(&self, run: &Run) -> Result<Vec<Vec<Option<LineCounts>>>, String> {
        let timeline = self.timeline(run)?;
        let count = |change: &FileChange| {
            let binary = || self.is_binary(run, change).then(LineCounts::default);
            self.line_counts_of(run, change).or_else(binary)
        };
        Ok(timeline.turns.iter().map(|turn| turn.changes.iter().map(count).collect()).collect())
    }

    /// Returns the content of a file. The error is a sentence.
    pub fn file_content(&self, run: &Run, file: TreeFile) -> Result<Blob, String> {
        let id = file.blob_id().ok_or("the content of this file is not in the recording")?;
        self.with_blobs(run, |blobs| blobs.read_blob(id))?
    }

    /// Returns the turn that last wrote each line of a file at a moment: one entry a line, in order. The error is a
    /// sentence.
    pub fn blame_lines(
        &self,
        run: &Run,
        path: &RepoPath,
        moment: RunMoment,
    ) -> Result<Vec<BlamedLine>, String> {
        let timeline = self.timeline(run)?;
        self.with_blobs(run, |blobs| match moment.step {
            None => blame::blame_lines(&timeline, blobs, path, moment.turns),
            Some(step) => blame::blame_lines(
                &timeline.timeline_up_to(run, step),
                blobs,
                path,
                moment.turns + 1,
            ),
        })?
    }

    /// Does `read` with the contents of the run's files. The error is a sentence.
    pub fn with_blobs<T>(
        &self,
        run: &Run,
        read: impl FnOnce(&(dyn Blobs + Sync)) -> T,
    ) -> Result<T, String> {
        let (_, rebuilt) = self.built_timeline(run).as_ref().map_err(Clone::clone)?;
        let (repo, snapshots) = (self.repo.as_ref(), self.snapshots.as_ref());
        Ok(read(&timeline::AllBlobs { rebuilt, repo, snapshots }))
    }

    /// Looks through every request, step and observation, in playing order, until `on_hit` returns false.
    /// The error is a sentence about the pattern.
    pub fn search(
        &self,
        run: &Run,
        query: &SearchQuery,
        on_hit: &mut dyn FnMut(SearchHit) -> bool,
    ) -> Result<(), String> {
        self.search_while(run, query, &|| true, on_hit)
    }

    /// Works as [`Archive::search`]. Several threads call `keep_going` before every step, so that a search without hits
    /// can be stopped as well.
    pub(crate) fn search_while(
        &self,
        run: &Run,
        query: &SearchQuery,
        keep_going: &(dyn Fn() -> bool + Sync),
        on_hit: &mut dyn FnMut(SearchHit) -> bool,
    ) -> Result<(), String> {
        run_search::RunSearch {
            archive: self,
            run,
            matcher: QueryMatcher::for_query(query)?,
            keep_going,
        }
        .run_search(&WorkerThreads::for_all_cores(), on_hit);
        Ok(())
    }

    /// Returns where the files of a run break the published rules of their formats, each with its line.
    pub fn form_faults(&self, run: &Run) -> Vec<Warning> {
        let mut found = vec![];
        for (file, source) in self.files.iter().zip(&run.origin.sources) {
            let Some(format) = formats::format_by_name(source.format) else { continue };
            let (bytes, _) = file.read_all();
            let Ok(text) = std::str::from_utf8(&bytes) else { continue };
            found.extend(format.form_faults(text).into_iter().map(|fault| {
                let before = text.get(..fault.offset).unwrap_or_default();
                let line = 1 + memchr::memchr_iter(b'\n', before.as_bytes()).count();
                Warning { place: format!("{}:{line}", source.name), what: fault.what }
            }));
        }
        found
    }

    /// Returns the definitions of the tools that the model could call, as the main file of the run has them.
    pub(super) fn tool_definitions(&self, run: &Run) -> Option<serde_json::Value> {
        let (file, source) = self.files.iter().zip(&run.origin.sources).next()?;
        let (bytes, _) = file.read_all();
        let text = std::str::from_utf8(&bytes).ok()?;
        formats::format_by_name(source.format)?.tool_definitions(text)
    }

    pub(super) fn record_bytes(&self, place: RecordPlace) -> Cow<'_, [u8]> {
        let file = self.files.get(place.source.0 as usize);
        file.map(|file| file.record_bytes(place)).unwrap_or_default()
    }
}

/// The contents of a run's files, by their names.
#[derive(Debug, Clone, Copy)]
pub struct RunContents<'a> {
    pub run: &'a Run,
    pub archive: &'a Archive,
}

impl Blobs for RunContents<'_> {
    fn read_blob(&self, id: BlobId) -> Result<Blob, String> {
        self.archive.file_content(self.run, TreeFile::with_blob(id))
    }
}

pub(super) fn format_of(run: &Run, place: RecordPlace) -> Option<&'static dyn Format> {
    run.origin
        .sources
        .get(place.source.0 as usize)
        .and_then(|source| formats::format_by_name(source.format))
}
