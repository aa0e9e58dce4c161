//! The commits of a repository beside their files: their order, their messages, the references to them.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    fs,
    path::Path,
};

use crate::{
    disk,
    objects::{ObjectKind, parse_id},
};
use trajview_run::{Time, files::BlobId};

use super::Repo;

/// A commit with its message.
#[derive(Debug, Clone)]
pub struct CommitInfo {
    pub id: BlobId,
    pub tree: BlobId,
    pub parents: Vec<BlobId>,
    /// The time of the commit.
    pub time: Option<Time>,
    pub message: String,
}

/// The most commits among which those of a run are searched.
const MOST_COMMITS: usize = 50_000;

/// The most bytes of a file that refers to commits.
const MOST_OF_REFERENCES: u64 = 16 << 20;

/// The most references; a repository with more of them is not listed.
const MOST_REFERENCES: usize = 10_000;

impl Repo {
    /// Returns the object that a reference such as `refs/notes/ai` names.
    pub(crate) fn reference_id(&self, name: &str) -> Option<BlobId> {
        self.all_references().into_iter().find(|(known, _)| known == name).map(|(_, id)| id)
    }

    /// Returns every reference by its name; those in files of their own before the packed ones.
    fn all_references(&self) -> Vec<(String, BlobId)> {
        let folder = self.objects.repository();
        let (mut files, mut folders) = (vec![], vec![folder.join("refs")]);
        while let Some(below) = folders.pop().filter(|_| files.len() < MOST_REFERENCES) {
            let entries = disk::list_folder(&below).into_iter();
            let (more, found): (Vec<_>, Vec<_>) = entries
                .partition(|path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir()));
            folders.extend(more);
            files.extend(found);
        }
        let loose = files.iter().take(MOST_REFERENCES).filter_map(|file| {
            let name = file.strip_prefix(folder).ok()?.to_str()?.replace('\\', "/");
            Some((name, parse_id(read_text(file)?.trim().as_bytes())?))
        });
        let packed = read_text(&folder.join("packed-refs")).unwrap_or_default();
        let packed = packed.lines().take(MOST_REFERENCES).filter_map(|line| {
            let (id, name) = line.split_once(' ')?;
            Some((name.to_owned(), parse_id(id.as_bytes())?))
        });
        loose.chain(packed).collect()
    }

    /// Returns the commits that any branch leads to, and what is checked out; parents after their children.
    pub(crate) fn branch_commits(&self) -> Vec<CommitInfo> {
        let is_branch = |name: &str| {
            (name.starts_with("refs/heads/") || name.starts_with("refs/remotes/"))
                && !name.contains("/entire/")
        };
        let named = self.all_references();
        // What is checked out is a branch, or a commit by itself.
        let head = read_text(&self.objects.repository().join("HEAD")).unwrap_or_default();
        let head = head.trim();
        let is_head = |name: &str| head.strip_prefix("ref: ") == Some(name);
        let branches = named.iter().filter(|(name, _)| is_head(name) || is_branch(name));
        let mut next: VecDeque<BlobId> =
            parse_id(head.as_bytes()).into_iter().chain(branches.map(|(_, id)| *id)).collect();
        let mut seen = HashSet::new();
        let mut commits = vec![];
        while let Some(id) = next.pop_front() {
            if commits.len() >= MOST_COMMITS || !seen.insert(id) {
                continue;
            }
            let Some(commit) = self.read_commit(id) else { continue };
            next.extend(&commit.parents);
            commits.push(commit);
        }
        children_first(commits)
    }

    /// Returns a commit with its message; None where there is none, or where it cannot be read.
    pub(crate) fn read_commit(&self, id: BlobId) -> Option<CommitInfo> {
        let bytes = self.objects.read_kind(id, ObjectKind::Commit).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
        let of = |key: &str| {
            head.lines().filter_map(|line| line.strip_prefix(key)).map(str::to_owned).collect()
        };
        let ids = |key: &str| {
            let lines: Vec<String> = of(key);
            lines.iter().filter_map(|id| parse_id(id.as_bytes())).collect::<Vec<BlobId>>()
        };
        let committed: Vec<String> = of("committer ");
        let seconds = committed.first().and_then(|line| line.rsplit(' ').nth(1)?.parse().ok());
        Some(CommitInfo {
            id,
            tree: *ids("tree ").first()?,
            parents: ids("parent "),
            time: seconds.and_then(|seconds: i64| Some(Time(seconds.checked_mul(1000)?))),
            message: message.to_owned(),
        })
    }

    /// Returns the object at a path below a tree, and whether it is a folder.
    pub(crate) fn entry_below(&self, tree: BlobId, path: &str) -> Option<(BlobId, bool)> {
        let mut at = (tree, true);
        for part in path.split('/') {
            let folder = self.objects.read_tree(at.0).ok()?;
            let entry = folder.entries().find(|entry| entry.name == part.as_bytes())?;
            at = (entry.id, entry.is_folder());
        }
        Some(at)
    }

    /// Returns the names directly below a tree, in git's order.
    pub fn names_in(&self, tree: BlobId) -> Vec<(String, BlobId, bool)> {
        let Ok(folder) = self.objects.read_tree(tree) else { return vec![] };
        let named = folder.entries().map(|entry| {
            (String::from_utf8_lossy(entry.name).into_owned(), entry.id, entry.is_folder())
        });
        named.collect()
    }

    /// Returns the whole id of the one commit that begins so, in hex digits; at least seven of them.
    pub(crate) fn full_id(&self, start: &str) -> Option<String> {
        if start.len() == 40 {
            return parse_id(start.as_bytes()).map(|id| id.to_string());
        }
        let is_hex = start.len() >= 7 && start.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hex {
            return None;
        }
        let mut matching = self.objects.ids_with_prefix(&start.to_ascii_lowercase());
        matching.retain(|id| self.read_commit(*id).is_some());
        match matching.as_slice() {
            [one] => Some(one.to_string()),
            _ => None,
        }
    }
}

/// Sorts children before their parents, the youngest first where neither is the other's.
pub(crate) fn children_first(commits: Vec<CommitInfo>) -> Vec<CommitInfo> {
    let mut children: HashMap<BlobId, usize> = HashMap::new();
    for parent in commits.iter().flat_map(|commit| &commit.parents) {
        *children.entry(*parent).or_default() += 1;
    }
    let mut by_id: HashMap<BlobId, CommitInfo> =
        commits.into_iter().map(|commit| (commit.id, commit)).collect();
    let mut ready: std::collections::BTreeSet<(Option<Time>, BlobId)> = by_id
        .values()
        .filter(|commit| !children.contains_key(&commit.id))
        .map(|commit| (commit.time, commit.id))
        .collect();
    let mut all = vec![];
    while let Some((_, id)) = ready.pop_last() {
        let Some(commit) = by_id.remove(&id) else { continue };
        for parent in &commit.parents {
            let left = children.entry(*parent).or_default();
            *left = left.saturating_sub(1);
            if let (0, Some(parent)) = (*left, by_id.get(parent)) {
                ready.insert((parent.time, parent.id));
            }
        }
        all.push(commit);
    }
    all
}

/// Returns a regular file as text; what is not UTF-8 in it is replaced.
fn read_text(path: &Path) -> Option<String> {
    let meta = fs::symlink_metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MOST_OF_REFERENCES {
        return None;
    }
    Some(String::from_utf8_lossy(&fs::read(path).ok()?).into_owned())
}
