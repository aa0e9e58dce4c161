//! Noticing that a recording has grown.
//!
//! The system tells us at once where it can. Some file systems of a cluster tell nothing, so we look at sizes and
//! times ourselves now and then all the same. What a notification says is not trusted: only what the folder says
//! then counts.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{self, RecvTimeoutError},
    time::{Duration, SystemTime},
};

use notify::{RecursiveMode, Watcher};

/// A writer that is in the middle of a burst is given this long to finish it.
const BURST: Duration = Duration::from_millis(20);

/// How often we look where nobody tells us.
const LOOK: Duration = Duration::from_millis(500);

/// Files beside the recording that are looked at.
const MOST_FILES: usize = 4_000;

/// How deep below the recording's folder.
const MOST_DEEP: usize = 3;

/// Sizes and times of a recording's files, in no order that means anything.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Look(Vec<(PathBuf, u64, Option<SystemTime>)>);

/// Calls `grown` each time something at `path` has changed, until it answers [`Then::Stop`]. Blocks.
pub fn follow(path: &Path, mut grown: impl FnMut() -> Then) {
    let (sender, told) = mpsc::channel();
    let tell = move |_| {
        let _ = sender.send(()); // we may have stopped listening
    };
    // Where it cannot be watched it is looked at.
    let mut watcher = notify::recommended_watcher(tell).ok();
    if let Some(watcher) = &mut watcher {
        let _ = watcher.watch(folder_of(path), RecursiveMode::Recursive);
    }
    let mut before = look_at(path);
    // Between opening and watching something may have been written.
    let mut has_changed = true;
    loop {
        if has_changed && grown() == Then::Stop {
            return;
        }
        match told.recv_timeout(LOOK) {
            Ok(()) => {
                std::thread::sleep(BURST);
                while told.try_recv().is_ok() {}
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
        }
        let now = look_at(path);
        has_changed = now != before;
        before = now;
    }
}

/// Whether to go on following.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    GoOn,
    Stop,
}

/// A log is watched with what lies beside it: its sub-agents have files of their own.
fn folder_of(path: &Path) -> &Path {
    if path.is_dir() {
        return path;
    }
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A log, and what belongs to it; the whole of a folder.
fn look_at(path: &Path) -> Look {
    let mut files = vec![];
    match path.is_dir() {
        true => collect(path, 0, &mut files),
        false => {
            add(path.to_owned(), &mut files);
            collect(&path.with_extension(""), 0, &mut files);
        }
    }
    files.sort();
    Look(files)
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<(PathBuf, u64, Option<SystemTime>)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if files.len() >= MOST_FILES {
            return;
        }
        if kind.is_dir() && depth < MOST_DEEP {
            collect(&entry.path(), depth + 1, files);
        } else if kind.is_file() {
            add(entry.path(), files);
        }
    }
}

fn add(path: PathBuf, files: &mut Vec<(PathBuf, u64, Option<SystemTime>)>) {
    if let Ok(meta) = fs::metadata(&path) {
        files.push((path, meta.len(), meta.modified().ok()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_log_that_grows_is_noticed_and_one_that_rests_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        fs::write(&log, "{}\n").unwrap();
        let mut sizes = vec![];

        follow(&log, || {
            let size = fs::metadata(&log).unwrap().len();
            sizes.push(size);
            if size > 6 {
                return Then::Stop;
            }
            let mut file = fs::OpenOptions::new().append(true).open(&log).unwrap();
            file.write_all(b"{}\n").unwrap();
            Then::GoOn
        });

        assert_eq!(sizes.first(), Some(&3));
        assert!(sizes.len() <= 4 && sizes.is_sorted(), "{sizes:?}");
    }
}
