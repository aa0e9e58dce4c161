//! From a path to a recording: its files are found, indexed, and completed with what only the store knows.

use std::{path::Path, sync::Arc};

use trajview_formats as formats;
use trajview_formats::{Growing, NotUnderstood, Shape, Source, jsonl::Input};
use trajview_run::{Run, SourceFile, SourceId, Warning};

use super::{
    archive::{Archive, Opened},
    bytes::{self, Access, Bytes, LogOnDisk},
    disk,
    error::OpenError,
    executor::Threads,
    find::{self, Found, FoundFile},
    joined, memory,
    repo::{CommitProblem, Repo},
    rubric_tree,
    siblings::Siblings,
    snapshot::Snapshots,
};

/// Opens a recording: a log of a known format, or a run bundle, or a folder that holds one of them.
pub fn open(path: &Path) -> Result<Opened, OpenError> {
    open_among(path, &Siblings::default())
}

/// As [`open`], for whoever opens many: `siblings` is handed on from one to the next, and a folder of thousands of logs is
/// looked through once.
pub fn open_among(path: &Path, siblings: &Siblings) -> Result<Opened, OpenError> {
    open_found(path, find::find_among(path, Access::Held, siblings)?)
}

/// Opens a recording whose files were found at a path.
pub(super) fn open_found(path: &Path, mut found: Found) -> Result<Opened, OpenError> {
    let run = index(&mut found)
        .map_err(|why| OpenError::Understand { path: path.into(), why: why.to_string() })?;
    Ok(opened(run, found))
}

/// A document that is longer is read element by element, where its format can: by both cores, and never as a whole.
const STREAMED: u64 = 16 << 20;

/// Indexes a recording; a file that was not read to its end says so from then on.
pub(super) fn index(found: &mut Found) -> Result<Run, NotUnderstood> {
    let executor = Threads::all();
    let is_large = found.files.iter().any(|file| file.bytes.size() > STREAMED);
    let streaming = || found.format.streaming().filter(|_| is_large);
    let Some(mut growing) = found.format.growing().or_else(streaming) else {
        return index_whole(found, &executor);
    };
    growing.is_all();
    take_all(&mut *growing, found, &executor);
    if growing.is_read_again() {
        take_all(&mut *growing, found, &executor);
    }
    let mut left = vec![];
    let run = growing.finish(&sources_of(&found.files), &mut |it| left.push(it));
    memory::sweep_after(bytes::size_of(found.files.iter().map(|file| &file.bytes)), left);
    run
}

fn take_all(growing: &mut dyn Growing, found: &mut Found, executor: &Threads) {
    for (id, file) in (0..).map(SourceId).zip(&mut found.files) {
        match &file.bytes {
            Bytes::Held(bytes) => growing.take(id, &file.name, Input::whole(bytes), executor),
            Bytes::OnDisk(disk) => {
                let log = LogOnDisk::of(disk);
                growing.take(id, &file.name, Input::Log(&log), executor);
                file.problem = file.problem.take().or(log.problem());
            }
        }
    }
}

/// For a format that has to see all of its files at once; they are let go of afterwards.
fn index_whole(found: &mut Found, executor: &Threads) -> Result<Run, NotUnderstood> {
    let mut left = bytes::HELD_LIMIT;
    let wholes: Vec<_> =
        found.files.iter().map(|file| file.bytes.whole_within(&mut left)).collect();
    let named = found.files.iter().zip(&wholes);
    let sources: Vec<Source<'_>> =
        named.map(|(file, (bytes, _))| Source { name: &file.name, bytes }).collect();
    let run = found.format.index_with(&sources, executor);
    let problems: Vec<_> = wholes.into_iter().map(|(_, problem)| problem).collect();
    for (file, problem) in found.files.iter_mut().zip(problems) {
        file.problem = file.problem.take().or(problem);
    }
    run
}

pub(super) fn sources_of(files: &[FoundFile]) -> Vec<Source<'_>> {
    files.iter().map(|file| Source { name: &file.name, bytes: &file.bytes }).collect()
}

/// Completes a run with what only the store knows.
pub(super) fn opened(mut run: Run, found: Found) -> Opened {
    if run.origin.sources.is_empty() {
        let source =
            |file: &FoundFile| SourceFile { name: file.name.clone(), format: found.format.name() };
        run.origin.sources = found.files.iter().map(source).collect();
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
    let joined = if repo.is_none() { joined::join(&mut run, &found) } else { None };
    let commits = joined.as_ref().and_then(|repo| Snapshots::of_commits(&run, repo));
    let repo = repo.or(joined);
    let snapshots = match found.format.offers().shape {
        _ if commits.is_some() => commits,
        Shape::Snapshots => Snapshots::of_problem(&found.main, &run.checkpoints),
        _ => {
            let main = found.files.first().map(|main| found.folder.join(&main.name));
            main.and_then(|main| Snapshots::beside(&main, run.turns.len()))
        }
    };
    for (place, what) in snapshots.iter().flat_map(|snapshots| &snapshots.problems) {
        run.warnings.push(Warning { place: place.clone(), what: what.clone() });
    }
    let bundle = (found.format.offers().shape == Shape::Bundle).then(|| found.folder.clone());
    let files = found.files.into_iter().map(|file| file.bytes).collect();
    let copy = (run.origin.format == formats::rigorbench::NAME)
        .then(|| super::process::copy::beside(&found.folder, &run))
        .flatten();
    let archive = Archive::new(files, repo, snapshots, bundle).with_working_copy(copy);
    Opened { run: Arc::new(run), archive: Arc::new(archive) }
}

/// The repository of a bundle, where it has one that can be read; what is wrong with it becomes a warning.
fn open_repo(folder: &Path, run: &mut Run) -> Option<Repo> {
    let path = folder.join("workspace.git");
    if formats::shape_of(run.origin.format) != Some(Shape::Bundle)
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

#[cfg(test)]
mod tests {
    use std::{borrow::Cow, path::PathBuf};

    use super::*;
    use crate::runs_below;
    use trajview_formats::{Backwards, OneHand, jsonl::Piece};

    fn samples() -> Vec<PathBuf> {
        runs_below(&Path::new(trajview_testing::project()).join("sample-runs"))
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
            let found = [Access::OnDisk, Access::Held].map(|access| find::find(&path, access));
            let [Ok(mut left), Ok(held)] = found else {
                assert!(found.iter().all(Result::is_err), "{}", path.display());
                continue;
            };
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
        assert_same_left_on_disk(runs_below(&trajview_testing::real_data()));
    }

    #[test]
    fn a_document_that_is_read_an_element_at_a_time_is_the_same_run() {
        let mut streamed = 0;
        for path in samples() {
            let left = find::find(&path, Access::OnDisk).unwrap();
            let held = find::find(&path, Access::Held).unwrap();
            let Some(mut streaming) = left.format.streaming() else { continue };
            for (id, file) in (0..).map(SourceId).zip(&left.files) {
                let Bytes::OnDisk(disk) = &file.bytes else { continue };
                let log = LogOnDisk::of(disk);
                streaming.take(id, &file.name, Input::Log(&log), &OneHand);
            }

            let run = streaming.finish(&sources_of(&left.files), &mut |_| {});

            assert!(run == held.format.index(&named(&held, &wholes_of(&held))), "{path:?}");
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
        // One that cannot be read is the subject of other tests.
        for path in paths {
            let Ok(found) = find::find(&path, Access::Held) else { continue };
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
        assert_same_however_many_read(runs_below(&trajview_testing::real_data()));
    }

    /// Gives how many of them can be read as they grow.
    fn assert_same_read_as_it_grows(paths: Vec<PathBuf>) -> usize {
        let mut grown = 0;
        for path in paths {
            let Ok(found) = find::find(&path, Access::Held) else { continue };
            let wholes = wholes_of(&found);
            let sources = named(&found, &wholes);
            let Some(mut growing) = found.format.growing() else { continue };
            for (id, source) in (0..).map(trajview_run::SourceId).zip(&sources) {
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
        assert!(assert_same_read_as_it_grows(runs_below(&trajview_testing::real_data())) > 2);
    }
}
