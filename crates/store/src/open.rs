//! Opens a recording from a path: finds its files, indexes them, and completes the run with what only the store knows.

use std::{path::Path, sync::Arc};

use trajview_formats as formats;
use trajview_formats::{
    IncrementalReader, NotUnderstood, RecordingShape, SourceBytes, jsonl::LogInput,
};
use trajview_run::{Run, SourceId, SourceRecord, Warning};

use super::{
    archive::{Archive, OpenedRecording},
    commit_link, disk,
    error::OpenError,
    executor::WorkerThreads,
    file_bytes::{self, FileAccess, FileBytes, LogOnDisk, ReadAllowance},
    memory_trim,
    path_memo::with_path_memo,
    recording_files::{self, FoundFile, FoundRecording},
    repo::{CommitProblem, Repo},
    rubric, rubric_tree,
    siblings::Siblings,
    snapshot::Snapshots,
    terminal_recordings, trial_sidecars,
};

/// Opens a recording: a log of a known format, or a run bundle, or a folder with one of them.
pub fn open(path: &Path) -> Result<OpenedRecording, OpenError> {
    open_among(path, &Siblings::default())
}

/// Works as [`open`], for a caller that opens many recordings: `siblings` is passed from one to the next, so that a
/// folder of thousands of logs is searched once.
pub fn open_among(path: &Path, siblings: &Siblings) -> Result<OpenedRecording, OpenError> {
    with_path_memo(|| {
        open_found(path, recording_files::find_among(path, FileAccess::InMemory, siblings)?)
    })
}

/// Opens a recording whose files were found at a path.
pub(super) fn open_found(
    path: &Path,
    mut recording: FoundRecording,
) -> Result<OpenedRecording, OpenError> {
    let run = index_recording(&mut recording)
        .map_err(|why| OpenError::Understand { path: path.into(), why: why.to_string() })?;
    Ok(complete_recording(run, recording))
}

/// A document that is longer is read element by element, where its format can: by both cores, and never as a whole.
const STREAMED_FROM: u64 = 16 << 20;

/// Indexes a recording. A file that was not read to its end keeps a note of that.
pub(super) fn index_recording(recording: &mut FoundRecording) -> Result<Run, NotUnderstood> {
    let executor = WorkerThreads::for_all_cores();
    let is_large = recording.files.iter().any(|file| file.bytes.file_size() > STREAMED_FROM);
    let streaming = || recording.format.streaming_reader().filter(|_| is_large);
    let Some(mut growing) = recording.format.incremental_reader().or_else(streaming) else {
        return index_whole(recording, &executor);
    };
    growing.expect_whole_logs();
    take_all(&mut *growing, recording, &executor);
    if growing.needs_second_read() {
        take_all(&mut *growing, recording, &executor);
    }
    let mut left = vec![];
    let run = growing.finish_run(&sources_of(&recording.files), &mut |it| left.push(it));
    memory_trim::trim_after_reading(
        file_bytes::total_size(recording.files.iter().map(|file| &file.bytes)),
        left,
    );
    run
}

fn take_all(
    growing: &mut dyn IncrementalReader,
    recording: &mut FoundRecording,
    executor: &WorkerThreads,
) {
    for (id, file) in (0..).map(SourceId).zip(&mut recording.files) {
        match &file.bytes {
            FileBytes::InMemory(bytes) => {
                growing.take_lines(id, &file.name, LogInput::whole_file(bytes), executor)
            }
            FileBytes::OnDisk(disk) => {
                let log = LogOnDisk::new(disk);
                growing.take_lines(id, &file.name, LogInput::Stored(&log), executor);
                file.problem = file.problem.take().or(log.problem());
            }
        }
    }
}

/// Indexes a format that needs all of its files at once; they are freed afterwards.
fn index_whole(
    recording: &mut FoundRecording,
    executor: &WorkerThreads,
) -> Result<Run, NotUnderstood> {
    let mut left = file_bytes::IN_MEMORY_LIMIT;
    let wholes: Vec<_> =
        recording.files.iter().map(|file| file.bytes.read_all_within(&mut left)).collect();
    let named = recording.files.iter().zip(&wholes);
    let sources: Vec<SourceBytes<'_>> =
        named.map(|(file, (bytes, _))| SourceBytes { name: &file.name, bytes }).collect();
    let run = recording.format.index_run_with(&sources, executor);
    let problems: Vec<_> = wholes.into_iter().map(|(_, problem)| problem).collect();
    for (file, problem) in recording.files.iter_mut().zip(problems) {
        file.problem = file.problem.take().or(problem);
    }
    run
}

pub(super) fn sources_of(files: &[FoundFile]) -> Vec<SourceBytes<'_>> {
    files.iter().map(|file| SourceBytes { name: &file.name, bytes: &file.bytes }).collect()
}

/// Completes a run with what only the store knows.
pub(super) fn complete_recording(mut run: Run, mut recording: FoundRecording) -> OpenedRecording {
    if run.origin.sources.is_empty() {
        let source = |file: &FoundFile| SourceRecord {
            name: file.name.clone(),
            format: recording.format.name(),
        };
        run.origin.sources = recording.files.iter().map(source).collect();
    }
    if run.id.is_empty() {
        run.id = recording.files.first().map(|file| file.name.clone()).unwrap_or_default();
    }
    if run.title.is_empty() {
        run.title.clone_from(&run.id);
    }
    for file in &recording.files {
        if let Some(what) = &file.problem {
            run.warnings.push(Warning { place: file.name.clone(), what: what.clone() });
        }
    }
    rubric_tree::add_rubric_tree(&mut run, &recording.folder);
    trial_sidecars::add_trial_result(&mut run, &recording);
    add_trial_notes(&mut run);
    add_terminal_recordings(&mut run, &mut recording);
    let repo = open_repo(&recording.folder, &mut run);
    let joined =
        if repo.is_none() { commit_link::link_commits(&mut run, &recording) } else { None };
    let commits = joined.as_ref().and_then(|repo| Snapshots::from_commits(&run, repo));
    let repo = repo.or(joined);
    let snapshots = match recording.format.capabilities().shape {
        _ if commits.is_some() => commits,
        RecordingShape::Snapshots => Snapshots::from_problem(&recording.main, &run.checkpoints),
        _ => {
            let main = recording.files.first().map(|main| recording.folder.join(&main.name));
            main.and_then(|main| Snapshots::beside_log(&main, run.turns.len()))
        }
    };
    for (place, what) in snapshots.iter().flat_map(|snapshots| &snapshots.problems) {
        run.warnings.push(Warning { place: place.clone(), what: what.clone() });
    }
    let bundle = (recording.format.capabilities().shape == RecordingShape::Bundle)
        .then(|| recording.folder.clone());
    let files = recording.files.into_iter().map(|file| file.bytes).collect();
    let copy = (run.origin.format == formats::rigorbench::NAME)
        .then(|| super::working_copy::copy_beside(&recording.folder, &run))
        .flatten();
    let tree = run.rubric_tree.as_ref().filter(|_| bundle.is_none() && run.is_rubric_tree_alone());
    let labels = tree.map(|tree| rubric::label_folder_of_tree(&recording.folder, &tree.file));
    let archive = Archive::new(files, repo, snapshots, bundle)
        .with_working_copy(copy)
        .with_label_folder(labels);
    OpenedRecording { run: Arc::new(run), archive: Arc::new(archive) }
}

/// Adds the terminal recordings beside the log of a trial to its files. A record of a trial names them itself.
fn add_terminal_recordings(run: &mut Run, recording: &mut FoundRecording) {
    let record_rank = recording.format.trial_record_rank(disk::name_of(&recording.main));
    if run.trial.is_none() || record_rank.is_some() {
        return;
    }
    let mut allowance = ReadAllowance::default();
    for path in terminal_recordings::recordings_beside(&recording.main) {
        let name = path.strip_prefix(&recording.folder).unwrap_or(&path);
        let name = name.to_string_lossy().replace('\\', "/");
        let is_new = run.origin.sources.iter().all(|source| source.name != name);
        let file = is_new
            .then(|| recording_files::read_member(&path, name, FileAccess::OnDisk, &mut allowance))
            .flatten();
        if let Some(file) = file {
            let name = file.name.clone();
            run.origin.sources.push(SourceRecord { name, format: "asciicast" });
            recording.files.push(file);
        }
    }
}

/// Adds a warning for each note on the harness' result.
fn add_trial_notes(run: &mut Run) {
    let Some(trial) = &run.trial else { return };
    let place = || trial.source.to_string();
    let warnings =
        trial.notes.iter().map(|note| Warning { place: place(), what: note.to_string() });
    run.warnings.extend(warnings);
}

/// Opens the repository of a bundle, where it has one that can be read; a problem with it becomes a warning.
fn open_repo(folder: &Path, run: &mut Run) -> Option<Repo> {
    let path = folder.join("workspace.git");
    if formats::shape_by_name(run.origin.format) != Some(RecordingShape::Bundle)
        || disk::symlink_metadata(&path).is_err()
    {
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
        match repo.commit_problem(commit) {
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

#[cfg(test)]
mod tests {
    use std::{borrow::Cow, path::PathBuf};

    use super::*;
    use crate::runs_below;
    use trajview_formats::{ReversedExecutor, SequentialExecutor, jsonl::LogPiece};

    fn sample_paths() -> Vec<PathBuf> {
        runs_below(&Path::new(trajview_testing::project()).join("sample-runs"))
    }

    fn wholes_of(recording: &FoundRecording) -> Vec<Cow<'_, [u8]>> {
        recording.files.iter().map(|file| file.bytes.read_all().0).collect()
    }

    fn named_sources<'a>(
        recording: &'a FoundRecording,
        wholes: &'a [Cow<'_, [u8]>],
    ) -> Vec<SourceBytes<'a>> {
        let both = recording.files.iter().zip(wholes);
        both.map(|(file, bytes)| SourceBytes { name: &file.name, bytes }).collect()
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

            let texts: Vec<&str> = opened.run.warnings.iter().map(|it| it.what.as_str()).collect();
            let expected = "too many records; everything after line ";
            assert!(texts.iter().any(|what| what.starts_with(expected)), "{name}: {texts:?}");
            let steps: usize = opened.run.turns.iter().map(|turn| turn.steps.len()).sum();
            assert!((50_000..200_000).contains(&steps), "{name}: {steps}");
        }
    }

    fn assert_same_left_on_disk(paths: Vec<PathBuf>) {
        for path in paths {
            let by_access = [FileAccess::OnDisk, FileAccess::InMemory]
                .map(|access| recording_files::find_recording(&path, access));
            let [Ok(mut left), Ok(in_memory)] = by_access else {
                assert!(by_access.iter().all(Result::is_err), "{}", path.display());
                continue;
            };
            let wholes = wholes_of(&in_memory);

            let whole = in_memory.format.index_run(&named_sources(&in_memory, &wholes));

            assert!(index_recording(&mut left) == whole, "{}", path.display());
        }
    }

    #[test]
    fn a_recording_left_on_the_disk_is_the_same_run() {
        assert_same_left_on_disk(sample_paths());
    }

    #[test]
    #[ignore = "needs TRAJVIEW_REAL_DATA"]
    fn a_real_recording_left_on_the_disk_is_the_same_run() {
        assert_same_left_on_disk(runs_below(&trajview_testing::real_data()));
    }

    #[test]
    fn a_document_that_is_read_an_element_at_a_time_is_the_same_run() {
        let mut streamed = 0;
        for path in sample_paths() {
            let left = recording_files::find_recording(&path, FileAccess::OnDisk).unwrap();
            let in_memory = recording_files::find_recording(&path, FileAccess::InMemory).unwrap();
            let Some(mut streaming) = left.format.streaming_reader() else { continue };
            for (id, file) in (0..).map(SourceId).zip(&left.files) {
                let FileBytes::OnDisk(disk) = &file.bytes else { continue };
                let log = LogOnDisk::new(disk);
                streaming.take_lines(id, &file.name, LogInput::Stored(&log), &SequentialExecutor);
            }

            let run = streaming.finish_run(&sources_of(&left.files), &mut |_| {});

            assert!(
                run == in_memory
                    .format
                    .index_run(&named_sources(&in_memory, &wholes_of(&in_memory))),
                "{path:?}"
            );
            streamed += 1;
        }
        assert!(streamed > 0);
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
        let mut recording = recording_files::find_recording(&path, FileAccess::InMemory).unwrap();
        let size = recording.files[0].bytes.file_size();
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(size / 2).unwrap();

        let run = index_recording(&mut recording).unwrap();
        let opened = complete_recording(run, recording);

        assert!((1400..1600).contains(&opened.run.turns.len()));
        let last = opened.run.warnings.last().unwrap();
        assert_eq!(last.place, "s.jsonl");
        assert_eq!(last.what, "became shorter while it was read; the missing part is omitted");
        assert!(opened.archive.request_with_added(&opened.run, 0).starts_with("request 1 "));
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
                    opened.archive.request_with_added(&opened.run, turn);
                }
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }

    fn assert_same_however_many_read(paths: Vec<PathBuf>) {
        // One that cannot be read is the subject of other tests.
        for path in paths {
            let Ok(recording) = recording_files::find_recording(&path, FileAccess::InMemory) else {
                continue;
            };
            let wholes = wholes_of(&recording);
            let sources = named_sources(&recording, &wholes);
            let alone = recording.format.index_run_with(&sources, &SequentialExecutor);

            for piece_bytes in [900, 40_000] {
                let many =
                    recording.format.index_run_with(&sources, &ReversedExecutor { piece_bytes });
                assert!(alone == many, "{} in pieces of {piece_bytes}", path.display());
            }
            assert!(
                alone == recording.format.index_run_with(&sources, &WorkerThreads::for_all_cores())
            );
        }
    }

    #[test]
    fn however_many_threads_read_a_recording_it_is_the_same_run() {
        assert_same_however_many_read(sample_paths());
    }

    #[test]
    #[ignore = "needs TRAJVIEW_REAL_DATA"]
    fn however_many_threads_read_a_real_recording_it_is_the_same_run() {
        assert_same_however_many_read(runs_below(&trajview_testing::real_data()));
    }

    /// Returns how many of them can be read as they grow.
    fn assert_same_read_as_it_grows(paths: Vec<PathBuf>) -> usize {
        let mut grown = 0;
        for path in paths {
            let Ok(recording) = recording_files::find_recording(&path, FileAccess::InMemory) else {
                continue;
            };
            let wholes = wholes_of(&recording);
            let sources = named_sources(&recording, &wholes);
            let Some(mut growing) = recording.format.incremental_reader() else { continue };
            for (id, source) in (0..).map(trajview_run::SourceId).zip(&sources) {
                let mut piece = LogPiece::whole_file(source.bytes);
                while let Some(end) = memchr::memchr(b'\n', piece.bytes) {
                    let (line, rest) = piece.bytes.split_at(end + 1);
                    let lines = LogInput::InMemory(LogPiece { bytes: line, ..piece });
                    growing.take_lines(id, source.name, lines, &SequentialExecutor);
                    let start = piece.start + line.len() as u64;
                    piece = LogPiece { bytes: rest, start, lines_before: piece.lines_before + 1 };
                }
                growing.take_lines(id, source.name, LogInput::InMemory(piece), &SequentialExecutor);
            }

            let mut whole = recording.format.index_run(&sources);
            let mut run = growing.current_run(&sources);
            // A problem of a line has other words where the line is not the last one.
            whole.iter_mut().chain(&mut run).for_each(|run| run.warnings.clear());
            assert!(whole == run, "{}", path.display());
            grown += 1;
        }
        grown
    }

    #[test]
    fn a_recording_read_as_it_grows_is_the_same_run() {
        assert!(assert_same_read_as_it_grows(sample_paths()) > 2);
    }

    #[test]
    #[ignore = "needs TRAJVIEW_REAL_DATA"]
    fn a_real_recording_read_as_it_grows_is_the_same_run() {
        assert!(assert_same_read_as_it_grows(runs_below(&trajview_testing::real_data())) > 2);
    }
}
