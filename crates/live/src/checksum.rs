//! Checksums that show whether the files of a bundle are still as they were written.
//!
//! [`BundleChecksums`] are taken before a request is sent and compared when the turn is over: a difference then was made by
//! another program than trajview. Logs and the journal grow meanwhile, and only at their ends.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The size and checksum of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    pub bytes: u64,
    /// Hex digits of the SHA-256.
    pub sha256: String,
    /// A quick check that the file was not written to; None when the system has none.
    #[serde(skip)]
    stamp: Option<FileStamp>,
}

/// Number and last change of a file. Its owner can set the time of its content, but not that of its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    file: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// The checksums of every file of a bundle, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BundleChecksums {
    marks: BTreeMap<String, FileMark>,
}

/// Folders that people and judges write to while a run goes on.
const SHARED_FOLDERS: [&str; 3] = ["judgements", "crash-tests", "labels"];

/// Part of the names of incomplete files.
const PART_INFIX: &str = ".part-";

/// The deepest folders that are part of a bundle.
const MAX_DEPTH: usize = 8;

impl BundleChecksums {
    /// Takes the checksums of all files. Files that were not written to since `earlier` are not read again.
    pub(crate) fn of_bundle(bundle: &Path, earlier: &Self) -> Self {
        let mark = |name: String| {
            let path = bundle.join(&name);
            let known = earlier.marks.get(&name).filter(|mark| {
                mark.stamp.is_some()
                    && fs::symlink_metadata(&path).is_ok_and(|it| file_stamp(&it) == mark.stamp)
            });
            let mark = known.cloned().or_else(|| file_mark(&path).ok())?;
            Some((name, mark))
        };
        Self { marks: bundle_files(bundle).into_iter().filter_map(mark).collect() }
    }

    /// Restores recorded checksums; unchanged files are recognised by their content.
    pub(crate) fn from_marks(marks: BTreeMap<String, FileMark>) -> Self {
        Self { marks }
    }

    pub const fn marks(&self) -> &BTreeMap<String, FileMark> {
        &self.marks
    }

    /// Returns the differences, such as `run.json was changed`; sorted by path. `is_reachable`: whether the agent could
    /// have written in folders that others write to as well.
    pub fn differences(&self, bundle: &Path, is_reachable: bool) -> Vec<String> {
        let mut found: Vec<(String, &str)> = vec![];
        for (name, mark) in &self.marks {
            match has_changed(&bundle.join(name), mark, may_grow(name)) {
                Ok(false) => {}
                Ok(true) => found.push((name.clone(), "was changed")),
                Err(why) if why.kind() == io::ErrorKind::NotFound => {
                    found.push((name.clone(), "is gone"));
                }
                Err(_) => found.push((name.clone(), "cannot be read any more")),
            }
        }
        let is_new =
            |name: &String| !self.marks.contains_key(name) && !name.starts_with("session/");
        found
            .extend(bundle_files(bundle).into_iter().filter(is_new).map(|name| (name, "appeared")));
        let is_others =
            |name: &str| SHARED_FOLDERS.iter().any(|it| name.split('/').next() == Some(it));
        found.retain(|(name, _)| is_reachable || !is_others(name));
        found.sort();
        found.into_iter().map(|(name, what)| format!("{name} {what}")).collect()
    }
}

/// Returns whether trajview appends to the file while the agent works.
fn may_grow(name: &str) -> bool {
    name.starts_with("session/") || name == "live.jsonl"
}

/// Returns whether a file differs from its mark, or does not begin with it if it may grow.
fn has_changed(path: &Path, mark: &FileMark, may_grow: bool) -> io::Result<bool> {
    let meta = fs::symlink_metadata(path)?;
    if mark.stamp.is_some() && file_stamp(&meta) == mark.stamp {
        return Ok(false);
    }
    let has_size = if may_grow { meta.len() >= mark.bytes } else { meta.len() == mark.bytes };
    if !meta.is_file() || !has_size {
        return Ok(true);
    }
    Ok(sha256_of_start(path, mark.bytes)? != mark.sha256)
}

/// Reads a whole file and returns its size, checksum and stamp. Fails for anything but a regular file; follows no link.
fn file_mark(path: &Path) -> io::Result<FileMark> {
    let meta = fs::symlink_metadata(path)?;
    if !meta.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(FileMark {
        bytes: meta.len(),
        sha256: sha256_of_start(path, meta.len())?,
        stamp: file_stamp(&meta),
    })
}

fn sha256_of_start(path: &Path, bytes: u64) -> io::Result<String> {
    let (mut file, mut hasher) = (File::open(path)?.take(bytes), Sha256::new());
    let mut piece = vec![0; 64 << 10];
    loop {
        match file.read(&mut piece)? {
            0 => break,
            count => hasher.update(&piece[..count]),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(unix)]
fn file_stamp(meta: &fs::Metadata) -> Option<FileStamp> {
    use std::os::unix::fs::MetadataExt;
    Some(FileStamp { file: meta.ino(), seconds: meta.ctime(), nanoseconds: meta.ctime_nsec() })
}

#[cfg(not(unix))]
fn file_stamp(_meta: &fs::Metadata) -> Option<FileStamp> {
    None
}

/// Returns the paths of all files, links and the like included.
fn bundle_files(bundle: &Path) -> Vec<String> {
    let mut found = vec![];
    collect_files(bundle, PathBuf::new(), 0, &mut found);
    found
}

fn collect_files(bundle: &Path, inner: PathBuf, depth: usize, found: &mut Vec<String>) {
    for entry in fs::read_dir(bundle.join(&inner)).into_iter().flatten().flatten() {
        let path = inner.join(entry.file_name());
        let name = path.to_string_lossy().replace('\\', "/");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < MAX_DEPTH => {
                collect_files(bundle, path, depth + 1, found)
            }
            Ok(_) if !name.contains(PART_INFIX) => found.push(name),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_bundle() -> tempfile::TempDir {
        let bundle = tempfile::tempdir().unwrap();
        fs::create_dir_all(bundle.path().join("session")).unwrap();
        for (name, content) in
            [("run.json", "{}"), ("script.json", "ask"), ("session/a.jsonl", "1\n")]
        {
            fs::write(bundle.path().join(name), content).unwrap();
        }
        bundle
    }

    #[test]
    fn what_nobody_wrote_is_no_difference_and_logs_may_grow() {
        let bundle = sample_bundle();
        let seal = BundleChecksums::of_bundle(bundle.path(), &BundleChecksums::default());
        fs::write(bundle.path().join("session/a.jsonl"), "1\n2\n").unwrap();
        fs::write(bundle.path().join("session/b.jsonl"), "1\n").unwrap();
        fs::write(bundle.path().join("script.json"), "ask").unwrap(); // the same again

        assert_eq!(seal.differences(bundle.path(), true), Vec::<String>::new());
        let written = serde_json::to_string(seal.marks()).unwrap();
        let read = BundleChecksums::from_marks(serde_json::from_str(&written).unwrap());
        assert_eq!(read.differences(bundle.path(), true), Vec::<String>::new());
    }

    #[test]
    fn what_somebody_else_wrote_is_named() {
        let bundle = sample_bundle();
        let seal = BundleChecksums::of_bundle(bundle.path(), &BundleChecksums::default());
        fs::write(bundle.path().join("script.json"), "ASK").unwrap();
        fs::write(bundle.path().join("session/a.jsonl"), "2\n3\n").unwrap();
        fs::remove_file(bundle.path().join("run.json")).unwrap();
        fs::create_dir(bundle.path().join("judgements")).unwrap();
        fs::write(bundle.path().join("judgements/mine.json"), "").unwrap();

        let all = seal.differences(bundle.path(), true);
        let ours = seal.differences(bundle.path(), false);

        assert_eq!(
            all,
            [
                "judgements/mine.json appeared",
                "run.json is gone",
                "script.json was changed",
                "session/a.jsonl was changed"
            ]
        );
        assert_eq!(ours, all[1..]);
    }
}
