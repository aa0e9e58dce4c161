//! Brings the index up to date: runs are read by several threads, one writes.
//!
//! A run whose files are as they were is passed over. Of a log that grew its index is read again, which is quick, and
//! the words of what is new.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant, UNIX_EPOCH},
};

use crossbeam_channel::{Receiver, Sender, bounded};

use trajview_formats::RecordingShape;

use super::{
    super::{
        archive::OpenedRecording,
        disk,
        executor::{core_count, lower_priority, run_one_of_many},
        file_bytes::FileAccess,
        file_head_cache::FileHeadCache,
        open::{complete_recording, index_recording as index_of},
        recording_files,
        siblings::Siblings,
        walk::walk_runs,
    },
    files_stamp::FilesStamp,
    gathered_words::GatheredWords,
    run_parts::RunParts,
    word_index::{IndexedFacts, IndexedPart, IndexedRun, WordIndex, lock_of},
};

/// The progress of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexProgress {
    /// The number of runs that were read, of those that are new or changed.
    pub runs: usize,
    pub of_runs: usize,
    /// The number of runs that were in the index already, unchanged.
    pub passed_over: usize,
}

/// The result of bringing the index up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildOutcome {
    Done(IndexProgress),
    /// The work was cancelled; what was written stays.
    Stopped(IndexProgress),
    /// Another program is building the index.
    Elsewhere,
}

/// A piece of work for the writing thread.
enum IndexPiece {
    Run { path: String, facts: IndexedFacts, kept: usize },
    Part { path: String, part: IndexedPart, words: String },
    End { path: String, stamp: FilesStamp },
}

/// The time after which runs are written together: short, since they are read again where the program is killed, and
/// not so short that writing is slow.
const TRANSACTION_TIME: Duration = Duration::from_secs(3);
const TRANSACTION_BYTES: usize = 24 << 20;

/// The time without new pieces after which the pieces so far are committed.
const QUIET_TIME: Duration = Duration::from_millis(100);

/// The most parts that wait to be written.
const MOST_WAITING: usize = 8;

/// Reads the runs below some paths into the index at `path`, until `keep_going` is false. The error is a sentence.
pub fn build_index(
    path: &Path,
    sources: &[PathBuf],
    keep_going: &(dyn Fn() -> bool + Sync),
    on_progress: &mut dyn FnMut(IndexProgress),
) -> Result<BuildOutcome, String> {
    let write_error =
        |why: rusqlite::Error| format!("the index {} cannot be written: {why}", path.display());
    let lock = open_lock_file(path)?;
    if lock.try_lock().is_err() {
        return Ok(BuildOutcome::Elsewhere);
    }
    let index = WordIndex::open_to_write(path)?;
    let siblings = Siblings::default();
    let rows = index.indexed_runs().map_err(write_error)?;
    let heads = FileHeadCache::beside_file(path);
    let runs = find_runs(sources, &heads);
    heads.save();
    remove_gone(&index, &rows, sources, &runs).map_err(write_error)?;
    let (fresh, stale) = split_fresh(&rows, runs, &siblings);
    let mut progress = IndexProgress { runs: 0, of_runs: stale.len(), passed_over: fresh };
    on_progress(progress);
    let readers = RunReaders {
        stale: &stale,
        next: AtomicUsize::new(0),
        keep_going,
        siblings: &siblings,
        path,
    };
    let (sender, pieces) = bounded(MOST_WAITING);
    let written = thread::scope(|scope| {
        for _ in 0..core_count().min(stale.len()) {
            let (sender, readers) = (sender.clone(), &readers);
            scope.spawn(move || readers.read_runs(&sender));
        }
        drop(sender);
        write_pieces(&index, &pieces, &mut || {
            progress.runs += 1;
            on_progress(progress);
        })
    });
    written.map_err(write_error)?;
    Ok(if keep_going() { BuildOutcome::Done(progress) } else { BuildOutcome::Stopped(progress) })
}

/// Opens the lock file of an index without locking it; creates it and its folder where they are missing.
fn open_lock_file(index_path: &Path) -> Result<fs::File, String> {
    let lock = lock_of(index_path);
    let lock_error = |why: std::io::Error| {
        format!(
            "the index {} cannot be used: {}",
            index_path.display(),
            super::super::file_bytes::error_reason(&why)
        )
    };
    if let Some(folder) = lock.parent() {
        fs::create_dir_all(folder).map_err(lock_error)?;
    }
    fs::OpenOptions::new().create(true).truncate(false).write(true).open(&lock).map_err(lock_error)
}

/// Returns the runs below some paths with the time of their last change, the newest first.
pub fn find_runs(sources: &[PathBuf], heads: &FileHeadCache) -> Vec<(PathBuf, u64)> {
    let mut runs = vec![];
    let mut seen = HashSet::new();
    for source in sources {
        let source = disk::absolute_path(source);
        walk_runs(&source, Some(heads), &mut |run| {
            if seen.insert(run.clone()) {
                let written = written_seconds(&run);
                runs.push((run, written));
            }
            true
        });
    }
    runs.sort_by(|(path, time), (other, other_time)| {
        other_time.cmp(time).then_with(|| path.cmp(other))
    });
    runs
}

/// Returns the time when a run's file, or its container, was last written: seconds since 1970.
fn written_seconds(run: &Path) -> u64 {
    let meta = run.ancestors().find_map(|path| disk::metadata(path).ok());
    let time = meta.and_then(|meta| meta.modified);
    time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |time| time.as_secs())
}

/// Removes the runs below the sources that are gone.
fn remove_gone(
    index: &WordIndex,
    rows: &[IndexedRun],
    sources: &[PathBuf],
    runs: &[(PathBuf, u64)],
) -> rusqlite::Result<()> {
    let there: HashSet<&PathBuf> = runs.iter().map(|(path, _)| path).collect();
    let sources: Vec<PathBuf> = sources.iter().map(|path| disk::absolute_path(path)).collect();
    let is_gone = |row: &&IndexedRun| {
        !there.contains(&row.path) && sources.iter().any(|source| row.path.starts_with(source))
    };
    let gone: Vec<&IndexedRun> = rows.iter().filter(is_gone).collect();
    if gone.is_empty() {
        return Ok(());
    }
    index.begin_transaction()?;
    gone.into_iter().try_for_each(|row| index.remove_run(row.id))?;
    index.commit_transaction()
}

/// Returns how many of the runs are in the index as they are, and the others.
fn split_fresh(
    rows: &[IndexedRun],
    runs: Vec<(PathBuf, u64)>,
    siblings: &Siblings,
) -> (usize, Vec<(PathBuf, u64)>) {
    let row_of_path: HashMap<&PathBuf, &IndexedRun> =
        rows.iter().map(|row| (&row.path, row)).collect();
    let is_fresh =
        |path: &PathBuf| row_of_path.get(path).is_some_and(|row| row.is_current(siblings));
    let (fresh, stale): (Vec<_>, Vec<_>) = runs.into_iter().partition(|(path, _)| is_fresh(path));
    (fresh.len(), stale)
}

/// The threads that read runs.
struct RunReaders<'a> {
    stale: &'a [(PathBuf, u64)],
    next: AtomicUsize,
    keep_going: &'a (dyn Fn() -> bool + Sync),
    siblings: &'a Siblings,
    /// The path of the index, in which each thread looks up earlier entries.
    path: &'a Path,
}

impl RunReaders<'_> {
    fn read_runs(&self, sender: &Sender<IndexPiece>) {
        lower_priority();
        let index = WordIndex::open_existing(self.path);
        let mut gathered = GatheredWords::default();
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some((path, written)) = self.stale.get(at) else { return };
            let left = self.stale.len() - at - 1;
            let mut read = || self.read_run(path, *written, index.as_ref(), &mut gathered, sender);
            if !(self.keep_going)() || run_one_of_many(left, &mut read).is_none() {
                return;
            }
        }
    }

    /// Reads a run and sends the pieces of its index. Returns None where the receiver is gone. A run that cannot be
    /// read is not in the index, and is searched each time.
    fn read_run(
        &self,
        path: &Path,
        written: u64,
        known: Option<&WordIndex>,
        gathered: &mut GatheredWords,
        sender: &Sender<IndexPiece>,
    ) -> Option<()> {
        let Some(name) = path.to_str() else { return Some(()) };
        let Some((opened, stamp, shape)) = open_stamped(path, self.siblings) else {
            return Some(());
        };
        let parts = RunParts::new(&opened);
        let all: Vec<IndexedPart> = parts
            .part_ranges()
            .into_iter()
            .map(|moments| IndexedPart { fingerprint: parts.fingerprint(&moments), moments })
            .collect();
        let before = known.and_then(|known| known.parts_and_stamp(name).ok());
        let kept = before.map_or(0, |(before, older)| {
            let only_grew = older.is_some_and(|older| stamp.only_grew_from(&older));
            let is_log = matches!(shape, RecordingShape::Lines);
            if only_grew && is_log {
                all.iter().zip(&before).take_while(|(a, b)| a == b).count()
            } else {
                0
            }
        });
        let facts = IndexedFacts::for_run(&opened.run, &parts.moments, written);
        let path = name.to_owned();
        sender.send(IndexPiece::Run { path: path.clone(), facts, kept }).ok()?;
        for part in all.into_iter().skip(kept) {
            if !(self.keep_going)() {
                return None;
            }
            let words = parts.gather_words(&part.moments, gathered);
            sender.send(IndexPiece::Part { path: path.clone(), part, words }).ok()?;
        }
        sender.send(IndexPiece::End { path, stamp }).ok()
    }
}

/// Opens a run, with the stamp of its files from before they were read.
pub(crate) fn open_stamped(
    path: &Path,
    siblings: &Siblings,
) -> Option<(OpenedRecording, FilesStamp, RecordingShape)> {
    let mut recording = recording_files::find_among(path, FileAccess::InMemory, siblings).ok()?;
    let (stamp, shape) =
        (FilesStamp::for_recording(&recording), recording.format.capabilities().shape);
    let run = index_of(&mut recording).ok()?;
    Some((complete_recording(run, recording), stamp, shape))
}

/// Writes what comes, several pieces in a transaction.
fn write_pieces(
    index: &WordIndex,
    pieces: &Receiver<IndexPiece>,
    ended: &mut dyn FnMut(),
) -> rusqlite::Result<()> {
    lower_priority();
    let mut runs: HashMap<String, i64> = HashMap::new();
    while let Ok(first) = pieces.recv() {
        index.begin_transaction()?;
        let began = Instant::now();
        let mut bytes = 0;
        let mut next = Some(first);
        while let Some(piece) = next {
            match piece {
                IndexPiece::Run { path, facts, kept } => {
                    let id = index.begin_run(&path, &facts, kept)?;
                    runs.insert(path, id);
                }
                IndexPiece::Part { path, part, words } => {
                    bytes += words.len();
                    if let Some(run) = runs.get(&path) {
                        index.add_part(*run, &part, &words)?;
                    }
                }
                IndexPiece::End { path, stamp } => {
                    if let Some(run) = runs.remove(&path) {
                        index.end_run(run, &stamp)?;
                        ended();
                    }
                }
            }
            let is_enough = bytes > TRANSACTION_BYTES || began.elapsed() > TRANSACTION_TIME;
            // Whoever looks for something is not to wait while nothing comes.
            next = if is_enough { None } else { pieces.recv_timeout(QUIET_TIME).ok() };
        }
        index.commit_transaction()?;
    }
    Ok(())
}
