//! Whether the files of a bundle are still what was written.
//!
//! A [`Seal`] is taken when a request is about to be sent and looked at when the turn is over: what is different then was
//! changed by something else than trajview. Logs and the journal grow meanwhile, and only by what is added at their ends.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// How a file was when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub bytes: u64,
    /// Hex digits of the SHA-256.
    pub sha256: String,
    /// What tells cheaply that nobody wrote to it; None where that cannot be told.
    #[serde(skip)]
    stamp: Option<Stamp>,
}

/// Number and last change of a file. An owner can set the time of its content, but not that of its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    file: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// The marks of every file of a bundle, by their paths in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seal {
    marks: BTreeMap<String, Mark>,
}

/// Folders that people and judges write to while a run goes on.
const OTHERS: [&str; 2] = ["judgements", "labels"];

/// What is not whole yet.
const PART: &str = ".part-";

/// Deeper folders are no part of a bundle.
const MOST_DEEP: usize = 8;

impl Seal {
    /// The files as they are. What an earlier seal knows of files that nobody wrote to since is not read again.
    pub fn take(bundle: &Path, earlier: &Self) -> Self {
        let mark = |name: String| {
            let path = bundle.join(&name);
            let known = earlier.marks.get(&name).filter(|mark| {
                mark.stamp.is_some()
                    && fs::symlink_metadata(&path).is_ok_and(|it| stamp_of(&it) == mark.stamp)
            });
            let mark = known.cloned().or_else(|| mark_of(&path).ok())?;
            Some((name, mark))
        };
        Self { marks: files(bundle).into_iter().filter_map(mark).collect() }
    }

    /// As it was written down; the files that did not change since are known by their content.
    pub fn of_marks(marks: BTreeMap<String, Mark>) -> Self {
        Self { marks }
    }

    pub const fn marks(&self) -> &BTreeMap<String, Mark> {
        &self.marks
    }

    /// What is different now, as `run.json was changed`; sorted by path. `is_reachable`: whether the agent could have
    /// written in folders that others write to as well.
    pub fn differences(&self, bundle: &Path, is_reachable: bool) -> Vec<String> {
        let mut found: Vec<(String, &str)> = vec![];
        for (name, mark) in &self.marks {
            match difference(&bundle.join(name), mark, grows(name)) {
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
        found.extend(files(bundle).into_iter().filter(is_new).map(|name| (name, "appeared")));
        let is_others = |name: &str| OTHERS.iter().any(|it| name.split('/').next() == Some(it));
        found.retain(|(name, _)| is_reachable || !is_others(name));
        found.sort();
        found.into_iter().map(|(name, what)| format!("{name} {what}")).collect()
    }
}

/// Files that we add to while the agent works.
fn grows(name: &str) -> bool {
    name.starts_with("session/") || name == "live.jsonl"
}

/// Whether a file is another than the mark says, or does not begin with it where it may have grown.
fn difference(path: &Path, mark: &Mark, may_grow: bool) -> io::Result<bool> {
    let meta = fs::symlink_metadata(path)?;
    if mark.stamp.is_some() && stamp_of(&meta) == mark.stamp {
        return Ok(false);
    }
    let has_size = if may_grow { meta.len() >= mark.bytes } else { meta.len() == mark.bytes };
    if !meta.is_file() || !has_size {
        return Ok(true);
    }
    Ok(sum(path, mark.bytes)? != mark.sha256)
}

fn mark_of(path: &Path) -> io::Result<Mark> {
    let meta = fs::symlink_metadata(path)?;
    if !meta.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(Mark { bytes: meta.len(), sha256: sum(path, meta.len())?, stamp: stamp_of(&meta) })
}

fn sum(path: &Path, bytes: u64) -> io::Result<String> {
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
fn stamp_of(meta: &fs::Metadata) -> Option<Stamp> {
    use std::os::unix::fs::MetadataExt;
    Some(Stamp { file: meta.ino(), seconds: meta.ctime(), nanoseconds: meta.ctime_nsec() })
}

#[cfg(not(unix))]
fn stamp_of(_meta: &fs::Metadata) -> Option<Stamp> {
    None
}

/// Paths of all files, links and the like included.
fn files(bundle: &Path) -> Vec<String> {
    let mut found = vec![];
    collect(bundle, PathBuf::new(), 0, &mut found);
    found
}

fn collect(bundle: &Path, inner: PathBuf, depth: usize, found: &mut Vec<String>) {
    for entry in fs::read_dir(bundle.join(&inner)).into_iter().flatten().flatten() {
        let path = inner.join(entry.file_name());
        let name = path.to_string_lossy().replace('\\', "/");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < MOST_DEEP => {
                collect(bundle, path, depth + 1, found)
            }
            Ok(_) if !name.contains(PART) => found.push(name),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle() -> tempfile::TempDir {
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
        let bundle = bundle();
        let seal = Seal::take(bundle.path(), &Seal::default());
        fs::write(bundle.path().join("session/a.jsonl"), "1\n2\n").unwrap();
        fs::write(bundle.path().join("session/b.jsonl"), "1\n").unwrap();
        fs::write(bundle.path().join("script.json"), "ask").unwrap(); // the same again

        assert_eq!(seal.differences(bundle.path(), true), Vec::<String>::new());
        let written = serde_json::to_string(seal.marks()).unwrap();
        let read = Seal::of_marks(serde_json::from_str(&written).unwrap());
        assert_eq!(read.differences(bundle.path(), true), Vec::<String>::new());
    }

    #[test]
    fn what_somebody_else_wrote_is_named() {
        let bundle = bundle();
        let seal = Seal::take(bundle.path(), &Seal::default());
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
