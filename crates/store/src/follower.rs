//! A recording that is still being written.
//!
//! [`follow_recording`] reports that something changed, never what; [`Follower::open`] then finds out. Lines are read
//! once, unless the file is replaced or cut short; a last line without its end is left for later, without a warning.
//! Nothing is mapped: a writer that cuts a file short does no harm.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use notify::{Event, EventKind, RecursiveMode, Watcher};

use trajview_formats::{
    Format, HEAD_BYTES, IncrementalReader,
    jsonl::{LogInput, LogPiece},
};
use trajview_run::SourceId;

use super::{
    archive::OpenedRecording,
    entries,
    error::OpenError,
    executor::WorkerThreads,
    file_bytes::{self, FileAccess, FileBytes, FileIdentity, FileOnDisk},
    open::{complete_recording, open, sources_of},
    recording_files::{self, FoundFile, FoundRecording},
};

/// A watch on one recording, which ends when it is dropped.
pub struct Follower {
    path: PathBuf,
    /// The files in the same folder that belong to other recordings.
    strangers: Arc<Mutex<HashSet<PathBuf>>>,
    watcher: notify::RecommendedWatcher,
    /// The folder of companions, once there is one to watch.
    own_folder: Option<PathBuf>,
    reading: Option<ReadState>,
}

/// The part of a recording that was read so far.
struct ReadState {
    format: &'static dyn Format,
    folder: PathBuf,
    main: PathBuf,
    growing: Box<dyn IncrementalReader>,
    files: Vec<FollowedFile>,
    /// The names of all files nearby, with their sizes where these tell whether a file is a companion.
    neighbours: Vec<(PathBuf, u64)>,
}

struct FollowedFile {
    name: String,
    path: PathBuf,
    disk: FileOnDisk,
    identity: FileIdentity,
    /// The number of bytes read.
    bytes_read: u64,
    lines: u32,
    /// The last bytes read, to see that they are still the same.
    tail: Vec<u8>,
}

/// Calls `changed` (on a thread of its own, several times for one change) whenever the recording may have: it grew, was
/// cut short or replaced, or a file appeared that may belong to it. Errors where there is no recording to follow.
pub fn follow_recording(
    path: &Path,
    changed: impl Fn() + Send + 'static,
) -> Result<Follower, OpenError> {
    let cannot_watch = |why: String| OpenError::Read { path: path.into(), why };
    let main = recording_files::find_recording(path, FileAccess::OnDisk)?.main;
    let folder = main.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))
        .map_err(|why| cannot_watch(file_bytes::error_reason(&why)))?;
    let main = folder.join(main.file_name().map(OsString::from).unwrap_or_default());
    let strangers: Arc<Mutex<HashSet<PathBuf>>> = Arc::default();
    let is_of_interest = {
        let (strangers, main, own) =
            (Arc::clone(&strangers), main.clone(), entries::companion_folder_of(&main));
        move |path: &PathBuf| {
            *path == main
                || path.starts_with(&own)
                || trajview_formats::could_be_log(path) && !lock(&strangers).contains(path)
        }
    };
    let on_event = move |event: notify::Result<Event>| match event {
        // Reading a file is an event too, and we read.
        Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
        Ok(event) if !event.need_rescan() && !event.paths.iter().any(&is_of_interest) => {}
        Ok(_) | Err(_) => changed(),
    };
    let watch_error = |why: notify::Error| cannot_watch(format!("it cannot be watched: {why}"));
    let mut watcher = notify::recommended_watcher(on_event).map_err(watch_error)?;
    watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(watch_error)?;
    Ok(Follower { path: main, strangers, watcher, own_folder: None, reading: None })
}

fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Follower {
    /// Opens the recording as it is now. The first time it is read from its beginning, later only the addition is read.
    pub fn open(&mut self) -> Result<OpenedRecording, OpenError> {
        self.watch_own_folder();
        let neighbours = neighbour_sizes(&self.path);
        let keep_going = self.reading.as_mut().is_some_and(|reading| {
            reading.neighbours == neighbours
                && reading.files.iter_mut().all(FollowedFile::is_same_file)
        });
        if !keep_going {
            self.reading = None;
            let found = recording_files::find_recording(&self.path, FileAccess::OnDisk)?;
            let Some(growing) = found.format.incremental_reader().filter(|_| is_on_disk(&found))
            else {
                return open(&self.path); // no log of lines: read as a whole each time
            };
            self.reading = Some(ReadState::new(found, growing, neighbours));
        }
        let Some(reading) = &mut self.reading else { return open(&self.path) };
        let own: HashSet<&PathBuf> = reading.files.iter().map(|file| &file.path).collect();
        let is_stranger =
            |(path, size): &&(PathBuf, u64)| *size == HEAD_BYTES as u64 && !own.contains(path);
        *lock(&self.strangers) =
            reading.neighbours.iter().filter(is_stranger).map(|(path, _)| path.clone()).collect();
        let opened = reading.read_new_lines().and_then(|()| reading.opened_recording());
        if opened.is_err() {
            self.reading = None;
        }
        opened.map_err(|why| match why {
            FollowError::Read(why) => {
                OpenError::Read { path: self.path.clone(), why: file_bytes::error_reason(&why) }
            }
            FollowError::Understand(why) => OpenError::Understand { path: self.path.clone(), why },
        })
    }

    fn watch_own_folder(&mut self) {
        let folder = entries::companion_folder_of(&self.path);
        if self.own_folder.is_none() && folder.is_dir() {
            // Without it companions are seen when the log itself changes next.
            let watched = self.watcher.watch(&folder, RecursiveMode::Recursive);
            self.own_folder = watched.is_ok().then_some(folder);
        }
    }
}

enum FollowError {
    Read(io::Error),
    Understand(String),
}

fn neighbour_sizes(main: &Path) -> Vec<(PathBuf, u64)> {
    let with_size = |path: PathBuf| {
        let size = fs::metadata(&path).map_or(0, |meta| meta.len().min(HEAD_BYTES as u64));
        (path, size)
    };
    entries::neighbours_of(main).into_iter().map(with_size).collect()
}

fn is_on_disk(found: &FoundRecording) -> bool {
    found.files.iter().all(|file| matches!(file.bytes, FileBytes::OnDisk(_)))
}

impl ReadState {
    fn new(
        found: FoundRecording,
        growing: Box<dyn IncrementalReader>,
        neighbours: Vec<(PathBuf, u64)>,
    ) -> Self {
        let FoundRecording { format, files, folder, main } = found;
        let followed = |file: FoundFile| {
            let FileBytes::OnDisk(disk) = file.bytes else { return None };
            let identity = FileIdentity::of_file(&disk.file).ok()?;
            let path = folder.join(&file.name);
            let (name, tail) = (file.name, vec![]);
            Some(FollowedFile { name, path, disk, identity, bytes_read: 0, lines: 0, tail })
        };
        let files = files.into_iter().filter_map(followed).collect();
        Self { format, folder: folder.clone(), main, growing, files, neighbours }
    }

    fn read_new_lines(&mut self) -> Result<(), FollowError> {
        let executor = WorkerThreads::for_all_cores();
        for (id, file) in (0..).map(SourceId).zip(&mut self.files) {
            while let Some(lines) = file.next_lines().map_err(FollowError::Read)? {
                let piece =
                    LogPiece { bytes: &lines, start: file.bytes_read, lines_before: file.lines };
                self.growing.take_lines(id, &file.name, LogInput::InMemory(piece), &executor);
                file.mark_taken(&lines);
            }
        }
        Ok(())
    }

    fn opened_recording(&self) -> Result<OpenedRecording, FollowError> {
        let files: Vec<FoundFile> = self.files.iter().map(FollowedFile::found_file).collect();
        let run = self.growing.current_run(&sources_of(&files));
        let run = run.map_err(|why| FollowError::Understand(why.to_string()))?;
        let (folder, main) = (self.folder.clone(), self.main.clone());
        Ok(complete_recording(run, FoundRecording { format: self.format, files, folder, main }))
    }
}

/// The number of bytes that are read at a time; a line that is longer is read whole all the same.
const CHUNK: u64 = 8 << 20;

/// The number of bytes compared to see that what was read is still there.
const TAIL: usize = 256;

impl FollowedFile {
    /// Returns whether the file is still the one that was read, with the same content as far as it was read. Updates
    /// its size.
    fn is_same_file(&mut self) -> bool {
        let Ok(now) = fs::metadata(&self.path) else { return false };
        let mut tail = vec![0; self.tail.len()];
        let start = self.bytes_read - self.tail.len() as u64;
        let keep_going = FileIdentity::from_metadata(&now) == self.identity
            && now.len() >= self.disk.len
            && file_bytes::read_at(&self.disk.file, &mut tail, start).is_ok()
            && tail == self.tail;
        self.disk.len = now.len();
        keep_going
    }

    /// Returns the next whole lines that were not read yet; None where there is none.
    fn next_lines(&self) -> io::Result<Option<Vec<u8>>> {
        let mut size = CHUNK;
        loop {
            let there = self.disk.len.saturating_sub(self.bytes_read).min(size);
            let mut lines = vec![0; there as usize];
            file_bytes::read_at(&self.disk.file, &mut lines, self.bytes_read)?;
            if let Some(end) = memchr::memrchr(b'\n', &lines) {
                lines.truncate(end + 1);
                return Ok(Some(lines));
            }
            if there < size {
                return Ok(None);
            }
            size *= 4;
        }
    }

    fn mark_taken(&mut self, lines: &[u8]) {
        self.bytes_read += lines.len() as u64;
        let ends = memchr::memchr_iter(b'\n', lines).count();
        self.lines = self.lines.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
        self.tail = lines[lines.len().saturating_sub(TAIL)..].to_vec();
    }

    fn found_file(&self) -> FoundFile {
        let bytes = FileBytes::OnDisk(self.disk.clone());
        FoundFile { name: self.name.clone(), bytes, problem: None }
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write, thread, time::Duration};

    use super::*;

    fn request_line(number: usize) -> String {
        format!(
            "{{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u{number}\",\"message\":{{\"role\":\"user\",\
             \"content\":\"request {number}\"}}}}\n"
        )
    }

    fn agent_request_line(number: usize) -> String {
        request_line(number).replacen('{', "{\"isSidechain\":true,\"agentId\":\"a\",", 1)
    }

    struct TestLog {
        folder: tempfile::TempDir,
        path: PathBuf,
    }

    impl TestLog {
        fn with_text(text: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("s.jsonl");
            fs::write(&path, text).unwrap();
            Self { folder, path }
        }

        fn append(&self, text: &str) {
            let mut file = fs::OpenOptions::new().append(true).open(&self.path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }

        fn follow(&self) -> (Follower, crossbeam_channel::Receiver<()>) {
            let (sender, changes) = crossbeam_channel::unbounded();
            (
                follow_recording(&self.path, move || sender.send(()).unwrap_or_default()).unwrap(),
                changes,
            )
        }
    }

    fn turn_titles(follower: &mut Follower) -> Vec<String> {
        let opened = follower.open().unwrap();
        assert_eq!(opened.run.warnings, []);
        let words = |turn| opened.archive.request_with_added(&opened.run, turn);
        let titles: Vec<String> =
            opened.run.turns.iter().map(|turn| turn.title.to_string()).collect();
        assert_eq!(titles, (0..titles.len()).map(words).collect::<Vec<_>>());
        titles
    }

    #[test]
    fn a_turn_that_another_thread_appends_is_told_and_then_in_the_run() {
        let log = TestLog::with_text(&request_line(1));
        let (mut follower, changes) = log.follow();
        assert_eq!(turn_titles(&mut follower), ["request 1"]);

        thread::scope(|scope| {
            scope.spawn(|| log.append(&request_line(2)));
            while turn_titles(&mut follower).len() < 2 {
                changes.recv_timeout(Duration::from_secs(20)).unwrap();
            }
        });

        assert_eq!(turn_titles(&mut follower), ["request 1", "request 2"]);
    }

    #[test]
    fn a_last_line_that_is_still_being_written_is_no_warning() {
        let log = TestLog::with_text(&request_line(1));
        let (mut follower, _changes) = log.follow();
        let second = request_line(2);

        log.append(&second[..30]);
        assert_eq!(turn_titles(&mut follower), ["request 1"]);

        log.append(&second[30..]);
        assert_eq!(turn_titles(&mut follower), ["request 1", "request 2"]);
    }

    #[test]
    fn a_log_that_is_replaced_or_cut_short_is_read_anew() {
        let log = TestLog::with_text(&(request_line(1) + &request_line(2)));
        let (mut follower, changes) = log.follow();
        assert_eq!(turn_titles(&mut follower).len(), 2);

        let other = log.folder.path().join("other");
        fs::write(&other, request_line(3) + &request_line(4) + &request_line(5)).unwrap();
        fs::rename(&other, &log.path).unwrap();
        changes.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(turn_titles(&mut follower), ["request 3", "request 4", "request 5"]);

        fs::write(&log.path, request_line(6)).unwrap();
        assert_eq!(turn_titles(&mut follower), ["request 6"]);

        fs::write(&log.path, request_line(7) + &request_line(8)).unwrap();
        assert_eq!(turn_titles(&mut follower), ["request 7", "request 8"]);
    }

    #[test]
    fn a_record_of_a_log_that_was_cut_short_is_empty() {
        let log = TestLog::with_text(&(request_line(1) + &request_line(2)));
        let (mut follower, _changes) = log.follow();
        let opened = follower.open().unwrap();

        fs::write(&log.path, "").unwrap();

        assert_eq!(opened.archive.request_with_added(&opened.run, 1), "");
        assert!(follower.open().is_err());
    }

    #[test]
    fn a_sub_agent_that_begins_later_is_told_and_found() {
        let log = TestLog::with_text(&request_line(1));
        let (mut follower, changes) = log.follow();
        assert_eq!(follower.open().unwrap().run.subagents.len(), 0);

        fs::write(log.folder.path().join("agent-a.jsonl"), agent_request_line(2)).unwrap();
        changes.recv_timeout(Duration::from_secs(20)).unwrap();

        assert_eq!(follower.open().unwrap().run.subagents.len(), 1);
    }
}
