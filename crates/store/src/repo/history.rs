//! What a repository says of its commits beside their files: their order, their messages, the places that refer to them.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    fs,
    path::Path,
};

use crate::{
    disk,
    objects::{Kind, id_of},
};
use trajview_run::{Time, files::BlobId};

use super::Repo;

/// A commit, and what was said of it.
#[derive(Debug, Clone)]
pub struct Told {
    pub id: BlobId,
    pub tree: BlobId,
    pub parents: Vec<BlobId>,
    /// When it was committed.
    pub time: Option<Time>,
    pub message: String,
}

/// Commits that are looked through for those that belong to a run.
const MOST_COMMITS: usize = 50_000;

/// Bytes of a file that refers to commits.
const MOST_OF_REFERENCES: u64 = 16 << 20;

/// What every commit is called by; a repository with more of them is not ours to list.
const MOST_REFERENCES: usize = 10_000;

impl Repo {
    /// The object that a reference such as `refs/notes/ai` names.
    pub fn reference(&self, name: &str) -> Option<BlobId> {
        self.references().into_iter().find(|(known, _)| known == name).map(|(_, id)| id)
    }

    /// Every reference by its name; those in files of their own before the packed ones.
    fn references(&self) -> Vec<(String, BlobId)> {
        let folder = self.objects.repository();
        let (mut files, mut folders) = (vec![], vec![folder.join("refs")]);
        while let Some(below) = folders.pop().filter(|_| files.len() < MOST_REFERENCES) {
            let entries = disk::listed(&below).into_iter();
            let (more, found): (Vec<_>, Vec<_>) = entries
                .partition(|path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir()));
            folders.extend(more);
            files.extend(found);
        }
        let loose = files.iter().take(MOST_REFERENCES).filter_map(|file| {
            let name = file.strip_prefix(folder).ok()?.to_str()?.replace('\\', "/");
            Some((name, id_of(text_of(file)?.trim().as_bytes())?))
        });
        let packed = text_of(&folder.join("packed-refs")).unwrap_or_default();
        let packed = packed.lines().take(MOST_REFERENCES).filter_map(|line| {
            let (id, name) = line.split_once(' ')?;
            Some((name.to_owned(), id_of(id.as_bytes())?))
        });
        loose.chain(packed).collect()
    }

    /// The commits that any branch leads to, and what is checked out; parents after their children.
    pub fn commits(&self) -> Vec<Told> {
        let is_branch = |name: &str| {
            (name.starts_with("refs/heads/") || name.starts_with("refs/remotes/"))
                && !name.contains("/entire/")
        };
        let named = self.references();
        // What is checked out is a branch, or a commit by itself.
        let head = text_of(&self.objects.repository().join("HEAD")).unwrap_or_default();
        let head = head.trim();
        let is_head = |name: &str| head.strip_prefix("ref: ") == Some(name);
        let branches = named.iter().filter(|(name, _)| is_head(name) || is_branch(name));
        let mut next: VecDeque<BlobId> =
            id_of(head.as_bytes()).into_iter().chain(branches.map(|(_, id)| *id)).collect();
        let mut seen = HashSet::new();
        let mut found = vec![];
        while let Some(id) = next.pop_front() {
            if found.len() >= MOST_COMMITS || !seen.insert(id) {
                continue;
            }
            let Some(told) = self.told(id) else { continue };
            next.extend(&told.parents);
            found.push(told);
        }
        in_order_of(found)
    }

    /// A commit with its message; None where there is none, or where it cannot be read.
    pub fn told(&self, id: BlobId) -> Option<Told> {
        let bytes = self.objects.read_as(id, Kind::Commit).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
        let of = |key: &str| {
            head.lines().filter_map(|line| line.strip_prefix(key)).map(str::to_owned).collect()
        };
        let ids = |key: &str| {
            let lines: Vec<String> = of(key);
            lines.iter().filter_map(|id| id_of(id.as_bytes())).collect::<Vec<BlobId>>()
        };
        let committed: Vec<String> = of("committer ");
        let seconds = committed.first().and_then(|line| line.rsplit(' ').nth(1)?.parse().ok());
        Some(Told {
            id,
            tree: *ids("tree ").first()?,
            parents: ids("parent "),
            time: seconds.and_then(|seconds: i64| Some(Time(seconds.checked_mul(1000)?))),
            message: message.to_owned(),
        })
    }

    /// What stands at a path below a tree, and whether it is a folder.
    pub fn below(&self, tree: BlobId, path: &str) -> Option<(BlobId, bool)> {
        let mut at = (tree, true);
        for part in path.split('/') {
            let folder = self.objects.tree(at.0).ok()?;
            let entry = folder.entries().find(|entry| entry.name == part.as_bytes())?;
            at = (entry.id, entry.is_folder());
        }
        Some(at)
    }

    /// The names directly below a tree, in git's order.
    pub fn names_in(&self, tree: BlobId) -> Vec<(String, BlobId, bool)> {
        let Ok(folder) = self.objects.tree(tree) else { return vec![] };
        let named = folder.entries().map(|entry| {
            (String::from_utf8_lossy(entry.name).into_owned(), entry.id, entry.is_folder())
        });
        named.collect()
    }

    /// The whole id of the one commit that begins so, in hex digits; at least seven of them.
    pub fn whole_id(&self, start: &str) -> Option<String> {
        if start.len() == 40 {
            return id_of(start.as_bytes()).map(|id| id.to_string());
        }
        let is_hex = start.len() >= 7 && start.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hex {
            return None;
        }
        let mut found = self.objects.that_begin(&start.to_ascii_lowercase());
        found.retain(|id| self.told(*id).is_some());
        match found.as_slice() {
            [one] => Some(one.to_string()),
            _ => None,
        }
    }
}

/// Children before their parents, the youngest first where neither is the other's.
pub fn in_order_of(commits: Vec<Told>) -> Vec<Told> {
    let mut children: HashMap<BlobId, usize> = HashMap::new();
    for parent in commits.iter().flat_map(|told| &told.parents) {
        *children.entry(*parent).or_default() += 1;
    }
    let mut by_id: HashMap<BlobId, Told> =
        commits.into_iter().map(|told| (told.id, told)).collect();
    let mut ready: std::collections::BTreeSet<(Option<Time>, BlobId)> = by_id
        .values()
        .filter(|told| !children.contains_key(&told.id))
        .map(|told| (told.time, told.id))
        .collect();
    let mut all = vec![];
    while let Some((_, id)) = ready.pop_last() {
        let Some(told) = by_id.remove(&id) else { continue };
        for parent in &told.parents {
            let left = children.entry(*parent).or_default();
            *left = left.saturating_sub(1);
            if let (0, Some(parent)) = (*left, by_id.get(parent)) {
                ready.insert((parent.time, parent.id));
            }
        }
        all.push(told);
    }
    all
}

/// A regular file as text; what is not UTF-8 in it is replaced.
fn text_of(path: &Path) -> Option<String> {
    let meta = fs::symlink_metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MOST_OF_REFERENCES {
        return None;
    }
    Some(String::from_utf8_lossy(&fs::read(path).ok()?).into_owned())
}
