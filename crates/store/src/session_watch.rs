//! A watch for sessions below some folders that are new or were written to.
//!
//! It is called every few seconds while a list of sessions is on screen, so a call costs no more than reading the times
//! of folders and of recent files: a folder is read again when its own time changes, an old file is left alone.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use super::walk::{collect_logs, is_own_recording};

/// A file that was not written for longer is not watched: most agents continue an old session in a new file, and the
/// list is right again when it is opened the next time.
const FRESH_FOR: Duration = Duration::from_secs(7 * DAY.as_secs());

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The rate at which changes are reported: a log of a gigabyte takes a second to read, so it is reported after so many
/// bytes a second, however often it is written.
const BYTES_A_SECOND: u64 = 5_000_000;

/// A watch on the sessions below some folders, as they were last seen.
#[derive(Debug)]
pub struct SessionWatch {
    sources: Vec<PathBuf>,
    folders: HashMap<PathBuf, Option<SystemTime>>,
    logs: HashMap<PathBuf, SeenLog>,
}

#[derive(Debug)]
struct SeenLog {
    written: SystemTime,
    /// The earliest time of the next report.
    not_before: Instant,
}

impl SessionWatch {
    /// Makes a watch of the current sessions; those written after `since` count as changed.
    pub fn new(sources: &[PathBuf], since: SystemTime) -> Self {
        let mut watch =
            Self { sources: sources.to_vec(), folders: HashMap::new(), logs: HashMap::new() };
        watch.rescan_folders();
        for seen in watch.logs.values_mut().filter(|seen| seen.written >= since) {
            seen.written = SystemTime::UNIX_EPOCH;
        }
        watch
    }

    /// Returns the recordings that are new or were written to since the last time, in the order of their paths.
    pub fn take_changes(&mut self) -> Vec<PathBuf> {
        let is_other = |(folder, time): (&PathBuf, &Option<SystemTime>)| time_of(folder) != *time;
        let mut changed = match self.folders.iter().any(is_other) {
            true => self.rescan_folders(),
            false => vec![],
        };
        let now = (SystemTime::now(), Instant::now());
        for (path, seen) in &mut self.logs {
            let is_old = now.0.duration_since(seen.written).is_ok_and(|age| age > FRESH_FOR);
            let is_untold = seen.written == SystemTime::UNIX_EPOCH;
            if (is_untold || !is_old) && seen.has_changed(path, now.1) {
                changed.push(path.clone());
            }
        }
        changed.sort();
        changed.dedup();
        changed.retain(|path| is_own_recording(path));
        changed
    }

    /// Returns whether an agent of one of them may be at work, or wait for a person: that state changes after a long
    /// time without writing.
    pub fn has_fresh(&self) -> bool {
        let now = SystemTime::now();
        let is_fresh = |seen: &SeenLog| now.duration_since(seen.written).is_ok_and(|age| age < DAY);
        self.logs.values().any(is_fresh)
    }

    /// Returns the logs that were not known.
    fn rescan_folders(&mut self) -> Vec<PathBuf> {
        let mut found = vec![];
        let folders = &mut self.folders;
        folders.clear();
        for source in &self.sources {
            // The time before the folder is read: what is written meanwhile is seen the next time.
            let mut enter = |folder: &Path| {
                folders.insert(folder.to_owned(), time_of(folder));
            };
            collect_logs(source, &mut enter, &mut found);
        }
        let mut new = vec![];
        for (written, path) in found {
            if !self.logs.contains_key(&path) {
                let seen = SeenLog { written, not_before: Instant::now() };
                self.logs.insert(path.clone(), seen);
                new.push(path);
            }
        }
        new
    }
}

impl SeenLog {
    fn has_changed(&mut self, path: &Path, now: Instant) -> bool {
        let Ok(meta) = fs::metadata(path) else { return false };
        let Ok(written) = meta.modified() else { return false };
        if written == self.written || now < self.not_before {
            return false;
        }
        self.written = written;
        self.not_before = now + Duration::from_secs(meta.len() / BYTES_A_SECOND);
        true
    }
}

fn time_of(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder).ok()?.modified().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_session(folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name).join("s.jsonl");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let line = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"timestamp\":\"2026-01-01T00:00:03Z\",\
                    \"message\":{\"role\":\"user\",\"content\":\"mend it\"}}\n";
        fs::write(&path, line).unwrap();
        path
    }

    fn write_later(path: &Path) {
        let later = SystemTime::now() + Duration::from_secs(5);
        fs::File::options().append(true).open(path).unwrap().set_modified(later).unwrap();
    }

    #[test]
    fn what_is_new_and_what_was_written_to_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let first = write_session(folder.path(), "a");
        let since = SystemTime::now() + Duration::from_secs(2);
        let mut watch = SessionWatch::new(&[folder.path().to_owned()], since);
        assert!(watch.take_changes().is_empty() && watch.has_fresh());

        write_later(&first);
        let second = write_session(folder.path(), "b");
        fs::write(folder.path().join("b/notes.jsonl"), "{\"no\": \"recording\"}\n").unwrap();

        assert_eq!(watch.take_changes(), [first.clone(), second.clone()]);
        assert!(watch.take_changes().is_empty());
        let mut from_the_start =
            SessionWatch::new(&[folder.path().to_owned()], SystemTime::UNIX_EPOCH);
        assert_eq!(from_the_start.take_changes(), [first, second]);
        assert!(from_the_start.take_changes().is_empty());
    }

    #[test]
    fn an_old_session_is_left_alone_and_a_folder_that_is_gone_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let old = write_session(folder.path(), "a");
        let file = fs::File::options().append(true).open(&old).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1)).unwrap();

        let mut watch = SessionWatch::new(
            &[folder.path().to_owned(), "no/such/folder".into()],
            SystemTime::now(),
        );

        assert!(watch.take_changes().is_empty() && !watch.has_fresh());
        fs::remove_dir_all(folder.path().join("a")).unwrap();
        assert!(watch.take_changes().is_empty());
    }
}
