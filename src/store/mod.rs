//! Disk and git: finding runs, reading bytes, blobs of a commit.
//!
//! [`open`] turns a path into an index ([`Run`]) and an [`Archive`], which reads the words of a step, the files of a
//! turn or the hits of a search when they are wanted. Recordings are only ever read, and nothing outside a
//! recording's own folder is followed. [`import`] makes a bundle of one, elsewhere, through [`write`](mod@write).

mod absence;
mod bytes;
mod cache;
pub mod cards;
pub mod config;
mod find;
mod folder;
mod follow;
pub mod forms;
mod hands;
mod harness;
mod head;
pub mod import;
pub mod judgements;
pub mod labels;
mod lifeline;
mod memory;
mod objects;
mod pack;
mod repo;
mod reuse;
pub mod rubric;
mod rubric_tree;
pub mod rules;
mod score;
mod search;
mod siblings;
mod slopcodebench;
mod snapshot;
mod timeline;
mod walk;
pub mod workspace;
pub mod write;

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use crate::{
    code::patch::LineCounts,
    formats::{self, Format, NotUnderstood, Source, jsonl::Input},
    run::{
        Place, RepoPath, Run, SourceFile, SourceId, StepId, StepText, Warning,
        files::{
            Blob, BlobId, Blobs, Change, FileDiff, MemoryBlobs, Timeline, TreeFile,
            blame::{self, BlamedLine},
            compare, renames,
        },
        search::{Hit, Matcher, Query},
    },
};

use bytes::{Access, Bytes, LogOnDisk};
use find::{Found, FoundFile};
use hands::Threads;
use repo::{CommitProblem, Repo};
use snapshot::Snapshots;

pub use cache::Cache;
pub use follow::{Follower, follow};
pub use hands::stand_back;
pub use head::open as open_head;
pub use memory::give_back_with;
pub use reuse::ReuseReader;
pub use score::{GoesOn, Scorer};
pub use siblings::Siblings;
pub use walk::{WORK_MARK, holds_several, runs_below, walk};

/// A recording that was opened: its index, and the way back to its bytes.
#[derive(Debug, Clone)]
pub struct Opened {
    pub run: Arc<Run>,
    pub archive: Arc<Archive>,
}

/// Why a recording could not be opened. Each says which path, in a sentence.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Exit code 3.
    #[error("cannot read {}: {why}", path.display())]
    Read { path: PathBuf, why: String },
    /// Exit code 4.
    #[error("{}: {why}", path.display())]
    Understand { path: PathBuf, why: String },
}

/// Opens a recording: a log of a known format, or a run bundle, or a folder that holds one of them.
pub fn open(path: &Path) -> Result<Opened, OpenError> {
    open_among(path, &Siblings::default())
}

/// As [`open`], for whoever opens many: `siblings` is handed on from one to the next, and a folder of thousands of logs is
/// looked through once.
pub fn open_among(path: &Path, siblings: &Siblings) -> Result<Opened, OpenError> {
    let mut found = find::find_among(path, Access::Held, siblings)?;
    let run = index(&mut found)
        .map_err(|why| OpenError::Understand { path: path.into(), why: why.to_string() })?;
    Ok(opened(run, found))
}

/// Indexes a recording; a file that was not read to its end says so from then on.
fn index(found: &mut Found) -> Result<Run, NotUnderstood> {
    let hands = Threads::all();
    let Some(mut growing) = found.format.growing() else { return index_whole(found, &hands) };
    for (id, file) in (0..).map(SourceId).zip(&mut found.files) {
        match &file.bytes {
            Bytes::Held(bytes) => growing.take(id, &file.name, Input::whole(bytes), &hands),
            Bytes::OnDisk(disk) => {
                let log = LogOnDisk::of(disk);
                growing.take(id, &file.name, Input::Log(&log), &hands);
                file.problem = file.problem.take().or(log.problem());
            }
        }
    }
    let mut left = vec![];
    let run = growing.finish(&sources_of(&found.files), &mut |it| left.push(it));
    memory::sweep_after(size_of(found.files.iter().map(|file| &file.bytes)), left);
    run
}

/// Bytes of some files.
fn size_of<'a>(files: impl IntoIterator<Item = &'a Bytes>) -> u64 {
    files.into_iter().map(Bytes::size).sum()
}

/// For a format that has to see all of its files at once; they are let go of afterwards.
fn index_whole(found: &mut Found, hands: &Threads) -> Result<Run, NotUnderstood> {
    let mut left = bytes::HELD_LIMIT;
    let wholes: Vec<_> =
        found.files.iter().map(|file| file.bytes.whole_within(&mut left)).collect();
    let named = found.files.iter().zip(&wholes);
    let sources: Vec<Source<'_>> =
        named.map(|(file, (bytes, _))| Source { name: &file.name, bytes }).collect();
    let run = found.format.index_with(&sources, hands);
    let problems: Vec<_> = wholes.into_iter().map(|(_, problem)| problem).collect();
    for (file, problem) in found.files.iter_mut().zip(problems) {
        file.problem = file.problem.take().or(problem);
    }
    run
}

fn sources_of(files: &[FoundFile]) -> Vec<Source<'_>> {
    files.iter().map(|file| Source { name: &file.name, bytes: &file.bytes }).collect()
}

/// Stands above what was added to a request.
pub const ADDED: &str = "[added by the agent's program]";

/// Completes a run with what only the store knows.
fn opened(mut run: Run, found: Found) -> Opened {
    if run.sources.is_empty() {
        let source =
            |file: &FoundFile| SourceFile { name: file.name.clone(), format: found.format.name() };
        run.sources = found.files.iter().map(source).collect();
    }
    if run.id.is_empty() {
        run.id = found.files.first().map(|file| file.name.clone()).unwrap_or_default();
    }
    if run.title.is_empty() {
        run.title.clone_from(&run.id);
    }
    for file in &found.files {
        if let Some(what) = &file.problem {
            run.warnings.push(Warning { place: file.name.clone(), what: what.clone() });
        }
    }
    rubric_tree::complete(&mut run, &found.folder);
    let repo = open_repo(&found.folder, &mut run);
    let snapshots = match found.format.name() {
        "slopcodebench" => Snapshots::of_problem(&found.main, &run.checkpoints),
        _ => {
            let main = found.files.first().map(|main| found.folder.join(&main.name));
            main.and_then(|main| Snapshots::beside(&main, run.turns.len()))
        }
    };
    for (place, what) in snapshots.iter().flat_map(|snapshots| &snapshots.problems) {
        run.warnings.push(Warning { place: place.clone(), what: what.clone() });
    }
    let bundle = (run.format == "bundle").then(|| found.folder.clone());
    let files = found.files.into_iter().map(|file| file.bytes).collect();
    let archive = Archive {
        files,
        repo,
        snapshots,
        timeline: OnceLock::new(),
        facts: lifeline::Facts::default(),
        absence: absence::LastIndex::default(),
        bundle,
    };
    Opened { run: Arc::new(run), archive: Arc::new(archive) }
}

/// The repository of a bundle, where it has one that can be read; what is wrong with it becomes a warning.
fn open_repo(folder: &Path, run: &mut Run) -> Option<Repo> {
    let path = folder.join("workspace.git");
    if run.format != "bundle" || std::fs::symlink_metadata(&path).is_err() {
        return None;
    }
    let mut warn =
        |what: String| run.warnings.push(Warning { place: "workspace.git".into(), what });
    let repo = match Repo::open(&path) {
        Ok(repo) => repo,
        Err(why) => {
            warn(why);
            return None;
        }
    };
    let mut unreadable = vec![];
    for (turn, number) in run.turns.iter().zip(1..) {
        let Some(commit) = &turn.commit else { continue };
        match repo.problem_of(commit) {
            None => {}
            Some(CommitProblem::NotThere) => {
                warn(format!("has no commit {commit}, which run.json names for turn {number}"));
            }
            Some(CommitProblem::Unreadable(why)) => unreadable.push((number, why)),
        }
    }
    match unreadable.as_slice() {
        [] => {}
        [(turn, why)] => warn(format!("the commit of turn {turn}: {why}")),
        [(turn, why), more @ ..] => {
            warn(format!("the commits of turn {turn} and of {} more: {why}", more.len()));
        }
    }
    Some(repo)
}

/// The bytes behind a run. Shared between worker threads.
#[derive(Debug)]
pub struct Archive {
    /// In the order of [`Run::sources`].
    files: Vec<Bytes>,
    repo: Option<Repo>,
    snapshots: Option<Snapshots>,
    timeline: OnceLock<Result<(Arc<Timeline>, MemoryBlobs), String>>,
    facts: lifeline::Facts,
    absence: absence::LastIndex,
    /// The folder of the bundle, where it is one.
    bundle: Option<PathBuf>,
}

impl Archive {
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

    /// The folder of the bundle; None where the recording is none.
    pub fn bundle(&self) -> Option<&Path> {
        self.bundle.as_deref()
    }

    /// What stands beside the run of what it is judged by, read afresh: judges and raters add to it.
    pub fn rubric(&self) -> crate::run::rubric::Rubric {
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
        places.iter().map(|place| self.request_at(run, *place)).collect()
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
            memory::sweep_after(size_of(&self.files), ());
            built.map(|(timeline, made)| (Arc::new(timeline), made))
        })
    }

    /// What changed between two moments, both counted in turns done, renames found. The error is a sentence.
    pub fn changes_between(
        &self,
        run: &Run,
        before: usize,
        after: usize,
    ) -> Result<Vec<Change>, String> {
        let changes = self.timeline(run)?.changes_between(before, after);
        self.with_blobs(run, |blobs| renames::find(changes, blobs))
    }

    /// One change, compared line by line with `context` lines around.
    pub fn diff(&self, run: &Run, change: &Change, context: usize) -> FileDiff {
        self.with_blobs(run, |blobs| compare::compare(change, blobs, context))
            .unwrap_or_else(FileDiff::NotRecorded)
    }

    /// Lines added and removed by every change of every turn, in the order of the timeline; None for what has no
    /// lines to count. Reads every version of every file: for a worker, not for the screen. The error is a sentence.
    pub fn line_counts(&self, run: &Run) -> Result<Vec<Vec<Option<LineCounts>>>, String> {
        let timeline = self.timeline(run)?;
        let count = |change: &Change| self.diff(run, change, 0).line_counts();
        Ok(timeline.turns.iter().map(|turn| turn.changes.iter().map(count).collect()).collect())
    }

    /// The content of a file. The error is a sentence.
    pub fn content(&self, run: &Run, file: TreeFile) -> Result<Blob, String> {
        let id = file.blob().ok_or("the content of this file is not in the recording")?;
        self.with_blobs(run, |blobs| blobs.blob(id))?
    }

    /// Which turn last wrote each line of a file as it stood after `turns_done` turns: one entry a line, in order.
    /// The error is a sentence.
    pub fn blame(
        &self,
        run: &Run,
        path: &RepoPath,
        turns_done: usize,
    ) -> Result<Vec<BlamedLine>, String> {
        let timeline = self.timeline(run)?;
        self.with_blobs(run, |blobs| blame::blame(&timeline, blobs, path, turns_done))?
    }

    fn with_blobs<T>(
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

    fn record(&self, place: Place) -> Cow<'_, [u8]> {
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

fn format_of(run: &Run, place: Place) -> Option<&'static dyn Format> {
    run.sources.get(place.source.0 as usize).and_then(|source| formats::by_name(source.format))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{Backwards, OneHand, jsonl::Piece};

    fn samples() -> Vec<PathBuf> {
        runs_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-runs"))
    }

    fn wholes_of(found: &Found) -> Vec<Cow<'_, [u8]>> {
        found.files.iter().map(|file| file.bytes.whole().0).collect()
    }

    fn named<'a>(found: &'a Found, wholes: &'a [Cow<'_, [u8]>]) -> Vec<Source<'a>> {
        let both = found.files.iter().zip(wholes);
        both.map(|(file, bytes)| Source { name: &file.name, bytes }).collect()
    }

    #[test]
    fn a_log_of_nothing_but_empty_records_is_read_so_far_and_says_where_it_stops() {
        let claude = "{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n";
        let codex = "{\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\"s\",\
                     \"cwd\":\"/w\"}}\n";
        for (name, begin) in [("s.jsonl", claude), ("rollout-s.jsonl", codex)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            std::fs::write(&path, begin.to_owned() + &"{}\n".repeat(300_000)).unwrap();

            let opened = open(&path).unwrap();

            let said: Vec<&str> = opened.run.warnings.iter().map(|it| it.what.as_str()).collect();
            let told = "has more records than are read; what follows line ";
            assert!(said.iter().any(|what| what.starts_with(told)), "{name}: {said:?}");
            let steps: usize = opened.run.turns.iter().map(|turn| turn.steps.len()).sum();
            assert!((50_000..200_000).contains(&steps), "{name}: {steps}");
        }
    }

    fn assert_same_left_on_disk(paths: Vec<PathBuf>) {
        for path in paths {
            let mut left = find::find(&path, Access::OnDisk).unwrap();
            let held = find::find(&path, Access::Held).unwrap();
            let wholes = wholes_of(&held);

            let whole = held.format.index(&named(&held, &wholes));

            assert!(index(&mut left) == whole, "{}", path.display());
        }
    }

    #[test]
    fn a_recording_left_on_the_disk_is_the_same_run() {
        assert_same_left_on_disk(samples());
    }

    #[test]
    #[ignore = "needs TRAJVIEW_REAL_DATA"]
    fn a_real_recording_left_on_the_disk_is_the_same_run() {
        assert_same_left_on_disk(runs_below(&crate::real_data()));
    }

    fn log_of(lines: usize) -> String {
        let line = |at: usize| {
            format!(
                "{{\"parentUuid\":null,\"isSidechain\":false,\"sessionId\":\"s\",\"message\":{{\"role\":\"user\",\
                 \"content\":\"request {at} {}\"}},\"type\":\"user\",\"uuid\":\"u{at}\"}}\n",
                "x".repeat(900)
            )
        };
        (1..=lines).map(line).collect()
    }

    #[test]
    fn a_log_that_is_cut_short_before_it_is_indexed_is_read_as_far_as_it_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        std::fs::write(&path, log_of(3000)).unwrap();
        let mut found = find::find(&path, Access::Held).unwrap();
        let size = found.files[0].bytes.size();
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(size / 2).unwrap();

        let run = index(&mut found).unwrap();
        let opened = opened(run, found);

        assert!((1400..1600).contains(&opened.run.turns.len()));
        let last = opened.run.warnings.last().unwrap();
        assert_eq!(last.place, "s.jsonl");
        assert_eq!(last.what, "became shorter while it was read; what is missing is left out");
        assert!(opened.archive.request(&opened.run, 0).starts_with("request 1 "));
    }

    #[test]
    fn a_log_that_is_cut_short_again_and_again_while_it_is_opened_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let text = log_of(4000);
        std::fs::write(&path, &text).unwrap();
        let is_over = std::sync::atomic::AtomicBool::new(false);

        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
                    file.set_len(1 << 17).unwrap();
                    std::fs::write(&path, &text).unwrap();
                }
            });
            for _ in 0..20 {
                let Ok(opened) = open(&path) else { continue };
                for turn in [0, 3000] {
                    opened.archive.request(&opened.run, turn);
                }
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }

    fn assert_same_however_many_read(paths: Vec<PathBuf>) {
        for path in paths {
            let found = find::find(&path, Access::Held).unwrap();
            let wholes = wholes_of(&found);
            let sources = named(&found, &wholes);
            let alone = found.format.index_with(&sources, &OneHand);

            for piece_bytes in [900, 40_000] {
                let many = found.format.index_with(&sources, &Backwards { piece_bytes });
                assert!(alone == many, "{} in pieces of {piece_bytes}", path.display());
            }
            assert!(alone == found.format.index_with(&sources, &Threads::all()));
        }
    }

    #[test]
    fn however_many_threads_read_a_recording_it_is_the_same_run() {
        assert_same_however_many_read(samples());
    }

    #[test]
    #[ignore = "needs TRAJVIEW_REAL_DATA"]
    fn however_many_threads_read_a_real_recording_it_is_the_same_run() {
        assert_same_however_many_read(runs_below(&crate::real_data()));
    }

    /// Gives how many of them can be read as they grow.
    fn assert_same_read_as_it_grows(paths: Vec<PathBuf>) -> usize {
        let mut grown = 0;
        for path in paths {
            let found = find::find(&path, Access::Held).unwrap();
            let wholes = wholes_of(&found);
            let sources = named(&found, &wholes);
            let Some(mut growing) = found.format.growing() else { continue };
            for (id, source) in (0..).map(crate::run::SourceId).zip(&sources) {
                let mut piece = Piece::whole(source.bytes);
                while let Some(end) = memchr::memchr(b'\n', piece.bytes) {
                    let (line, rest) = piece.bytes.split_at(end + 1);
                    let lines = Input::Held(Piece { bytes: line, ..piece });
                    growing.take(id, source.name, lines, &OneHand);
                    let start = piece.start + line.len() as u64;
                    piece = Piece { bytes: rest, start, lines_before: piece.lines_before + 1 };
                }
                growing.take(id, source.name, Input::Held(piece), &OneHand);
            }

            let mut whole = found.format.index(&sources);
            let mut run = growing.run(&sources);
            // What is wrong with a line is said in other words where it is not the last one.
            whole.iter_mut().chain(&mut run).for_each(|run| run.warnings.clear());
            assert!(whole == run, "{}", path.display());
            grown += 1;
        }
        grown
    }

    #[test]
    fn a_recording_read_as_it_grows_is_the_same_run() {
        assert!(assert_same_read_as_it_grows(samples()) > 2);
    }

    #[test]
    #[ignore = "needs TRAJVIEW_REAL_DATA"]
    fn a_real_recording_read_as_it_grows_is_the_same_run() {
        assert!(assert_same_read_as_it_grows(runs_below(&crate::real_data())) > 2);
    }
}
