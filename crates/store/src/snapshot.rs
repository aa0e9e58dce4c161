//! Snapshots of the workspace that a harness left beside the log.
//!
//! SlopCodeBench keeps `checkpoint_N/agent/<log>` beside `checkpoint_N/snapshot/`, the whole workspace after the
//! checkpoint; the snapshot of the checkpoint before is where the agent started (what a second pass made of it, where
//! there was one: `after_skill/snapshot/`). Contents are read again when they
//! are shown.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use trajview_formats::slopcodebench_layout::checkpoint_number;
use trajview_run::{
    Checkpoint, RepoPath, Run,
    files::{Blob, BlobId, Blobs, FileMode, SourceTree, TreeFile},
};

use super::{
    disk::{self, PathMeta},
    file_bytes,
    remote::{self, FetchAmount},
    repo::Repo,
};

/// The workspace before the first turn and after some.
#[derive(Debug, Default)]
pub struct Snapshots {
    /// The workspace before the first turn; None where it is not recorded.
    pub before: Option<SourceTree>,
    /// The workspace after a turn, which counts from 0.
    pub ends: BTreeMap<usize, SourceTree>,
    places: HashMap<BlobId, PathBuf>,
    /// True if they are commits, whose repository has the contents.
    pub are_commits: bool,
    /// The files that could not be read, as (path, sentence).
    pub problems: Vec<(String, String)>,
}

/// The workspace after a checkpoint, and after a second pass over it, where there was one.
const SNAPSHOT: &str = "snapshot";
const AFTER_SKILL: &str = "after_skill/snapshot";

/// The most files of a snapshot that are read.
const MOST_FILES: usize = 20_000;

/// The most files of all commits of a run that are kept at once.
const MOST_KEPT: usize = 1_000_000;

/// The most bytes a file may have, as in a repository.
const MOST_BYTES: u64 = super::objects::MOST_BYTES;

impl Snapshots {
    /// Returns the snapshots that belong to a log of so many turns; None where there are none.
    pub(crate) fn beside_log(log: &Path, turns: usize) -> Option<Self> {
        let agent =
            log.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "agent"))?;
        let checkpoint = disk::canonical_path(agent).ok()?.parent()?.to_owned();
        let folder = checkpoint.join("snapshot");
        if !is_folder(&folder) {
            return None;
        }
        let mut snapshots = Self::default();
        let after = snapshots.read_snapshot(&folder);
        snapshots.ends.extend(turns.checked_sub(1).map(|last| (last, after)));
        let number: u32 =
            checkpoint.file_name()?.to_str()?.strip_prefix("checkpoint_")?.parse().ok()?;
        snapshots.before = match number.checked_sub(1) {
            Some(0) => Some(SourceTree::default()), // the first checkpoint starts with nothing
            Some(before) => {
                let before = checkpoint.with_file_name(format!("checkpoint_{before}"));
                let folders = [AFTER_SKILL, SNAPSHOT].map(|below| before.join(below));
                let folder = folders.iter().find(|folder| is_folder(folder));
                folder.map(|folder| snapshots.read_snapshot(folder))
            }
            None => None,
        };
        Some(snapshots)
    }

    /// Returns the trees of the commits that the turns of a run are joined to; None where there are too many files to
    /// keep them all.
    pub(crate) fn from_commits(run: &Run, repo: &Repo) -> Option<Self> {
        let mut snapshots = Self { are_commits: true, ..Self::default() };
        let first = run.turns.iter().find_map(|turn| turn.commit.as_deref());
        let start = run.origin.start_commit.clone().filter(|commit| repo.has_commit(commit));
        snapshots.before = Some(match start.or_else(|| repo.first_parent(first?)) {
            Some(commit) => repo.tree_of_commit(&commit).ok()?,
            None => SourceTree::default(),
        });
        let mut count = 0;
        for (turn, commit) in (0..).zip(run.turns.iter().map(|turn| turn.commit.as_deref())) {
            let Some(tree) = commit.and_then(|commit| repo.tree_of_commit(commit).ok()) else {
                continue;
            };
            count += tree.files.len();
            if count > MOST_KEPT {
                return None;
            }
            snapshots.ends.insert(turn, tree);
        }
        Some(snapshots)
    }

    /// Returns the snapshots of a problem, each at the last turn of its checkpoint; None where there are none.
    pub(crate) fn from_problem(problem: &Path, checkpoints: &[Checkpoint]) -> Option<Self> {
        let mut snapshots = Self::default();
        for checkpoint in checkpoints {
            let folder = problem.join(&checkpoint.id);
            let after = checkpoint.after_skill.as_ref().map(|_| checkpoint.last_turn);
            let ends = [(Some(checkpoint.recorded_turn()), SNAPSHOT), (after, AFTER_SKILL)];
            for (turn, below) in ends {
                if let Some(turn) = turn.filter(|_| is_folder(&folder.join(below))) {
                    let tree = snapshots.read_snapshot(&folder.join(below));
                    snapshots.ends.insert(turn, tree);
                }
            }
        }
        if snapshots.ends.is_empty() {
            return None;
        }
        // The first checkpoint starts with nothing.
        let first = checkpoints.first().and_then(|first| checkpoint_number(&first.id));
        snapshots.before = (first == Some(1)).then(SourceTree::default);
        Some(snapshots)
    }

    fn read_snapshot(&mut self, root: &Path) -> SourceTree {
        let mut tree = SourceTree::default();
        self.read_folder(root, root, &mut tree);
        tree
    }

    fn read_folder(&mut self, root: &Path, folder: &Path, tree: &mut SourceTree) {
        let entries = disk::list_folder(folder);
        remote::fetch_soon(&entries, FetchAmount::All);
        for path in entries {
            let Ok(meta) = disk::symlink_metadata(&path) else { continue };
            if meta.is_dir() {
                if disk::name_of(&path) != ".git" {
                    self.read_folder(root, &path, tree);
                }
            } else if tree.files.len() < MOST_FILES {
                self.read_file(root, &path, &meta, tree);
            } else {
                let what = format!("has more than {MOST_FILES} files; the rest is omitted");
                self.problems.push((root.display().to_string(), what));
                return;
            }
        }
    }

    fn read_file(&mut self, root: &Path, path: &Path, meta: &PathMeta, tree: &mut SourceTree) {
        let relative = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        let Some(name) = RepoPath::new(&relative) else { return };
        match file_content(path, meta) {
            Ok((bytes, mode)) => {
                let blob = BlobId::for_bytes(&bytes);
                self.places.insert(blob, path.to_owned());
                tree.files.insert(name, TreeFile { mode, ..TreeFile::with_blob(blob) });
            }
            Err(why) => self
                .problems
                .push((relative, format!("cannot be read: {}", file_bytes::error_reason(&why)))),
        }
    }
}

fn is_folder(path: &Path) -> bool {
    disk::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Returns content and mode of a file. The content of a link is its target; it is not followed.
fn file_content(path: &Path, meta: &PathMeta) -> std::io::Result<(Vec<u8>, FileMode)> {
    if meta.is_symlink() {
        let target = fs::read_link(path)?;
        return Ok((target.to_string_lossy().into_owned().into_bytes(), FileMode::Link));
    }
    if !meta.is_file() {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    if meta.len() > MOST_BYTES {
        let most = MOST_BYTES >> 20;
        let what = format!("it has {} bytes; up to {most} MiB are read", meta.len());
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, what));
    }
    let mut content = Vec::with_capacity(meta.len() as usize);
    disk::open_file(path)?.take(MOST_BYTES).read_to_end(&mut content)?;
    Ok((content, mode_of(meta)))
}

fn mode_of(meta: &PathMeta) -> FileMode {
    if meta.is_executable { FileMode::Executable } else { FileMode::Regular }
}

impl Blobs for Snapshots {
    fn read_blob(&self, id: BlobId) -> Result<Blob, String> {
        let path =
            self.places.get(&id).ok_or_else(|| format!("content {id} is not in the recording"))?;
        let read = disk::symlink_metadata(path).and_then(|meta| file_content(path, &meta));
        let (bytes, _) = read.map_err(|why| {
            format!("cannot read {}: {}", path.display(), file_bytes::error_reason(&why))
        })?;
        if BlobId::for_bytes(&bytes) == id {
            Ok(bytes.into())
        } else {
            Err("the snapshot has since changed".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_file(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_checkpoint_starts_where_the_one_before_ended() {
        let run = tempfile::tempdir().unwrap();
        write_file(&run.path().join("checkpoint_1/snapshot/a.py"), "one\n");
        write_file(&run.path().join("checkpoint_2/snapshot/a.py"), "two\n");
        let log = run.path().join("checkpoint_2/agent/stdout.jsonl");
        write_file(&log, "");

        let snapshots = Snapshots::beside_log(&log, 3).unwrap();

        let tree = |text: &str| SourceTree {
            files: [(
                RepoPath::new("a.py").unwrap(),
                TreeFile::with_blob(BlobId::for_bytes(text.as_bytes())),
            )]
            .into(),
        };
        assert_eq!(
            (snapshots.before.clone(), snapshots.ends.clone()),
            (Some(tree("one\n")), [(2, tree("two\n"))].into())
        );
        assert_eq!(&*snapshots.read_blob(BlobId::for_bytes(b"one\n")).unwrap(), b"one\n");
    }

    #[test]
    fn a_log_elsewhere_has_no_snapshots() {
        let run = tempfile::tempdir().unwrap();
        write_file(&run.path().join("snapshot/a.py"), "one\n");
        write_file(&run.path().join("logs/stdout.jsonl"), "");

        assert!(Snapshots::beside_log(&run.path().join("logs/stdout.jsonl"), 1).is_none());
    }
}
