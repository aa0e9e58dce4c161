//! The working copy of a RigorBench result: the folder that the agent left, beside the results in the benchmark's
//! checkout.
//!
//! A result has only events. The released scorer counts assertions in `tasks/CATEGORY/TASK/repo_HARNESS`, which it
//! finds from the task and the agent's name (`rigorbench/trajectory.py`, `_find_repo`); so do we, for both profiles.

use std::path::{Path, PathBuf};

use trajview_code::tree::Grammar;
use trajview_run::{RepoPath, Run};

use super::disk;

/// The part of an agent's name, and the folder of its copy; the first that fits counts.
const COPIES: [(&str, &str); 7] = [
    ("agent-rigor", "repo_agentrigor"),
    ("agentrigor", "repo_agentrigor"),
    ("superpowers", "repo_superpowers"),
    ("agent-skills", "repo_agentskills"),
    ("agentskills", "repo_agentskills"),
    ("baseline", "repo_baseline"),
    ("baseline react", "repo_baseline"),
];

/// The names of folders without the project's own code.
const NOT_OWN: [&str; 9] = [
    ".git",
    "__pycache__",
    "node_modules",
    "venv",
    ".venv",
    "env",
    "dist",
    "build",
    ".pytest_cache",
];

/// The most files of a copy, the greatest depth of its folders and the most bytes of its files: it is the folder of a
/// small task.
const MOST_FILES: usize = 4_000;
const MOST_DEPTH: usize = 16;
const MOST_BYTES: usize = 64 << 20;
const MOST_FILE: u64 = 4 << 20;

/// Returns the working copy of a result that lies in this folder; None where there is none beside it.
pub(crate) fn copy_beside(folder: &Path, run: &Run) -> Option<PathBuf> {
    let (task, agent) = (run.task.as_ref()?.id.as_str(), run.agent.name.to_lowercase());
    let is_name = !task.is_empty() && !task.contains(['/', '\\']) && task != "." && task != "..";
    let (_, copy) = COPIES.iter().find(|(name, _)| agent.contains(name)).filter(|_| is_name)?;
    let tasks = disk::absolute_path(folder).parent()?.join("tasks");
    let mut copies =
        disk::list_folder(&tasks).into_iter().map(|category| category.join(task).join(copy));
    copies.find(|copy| is_plain_folder(copy))
}

/// Returns whether a path is a folder and no link to one.
fn is_plain_folder(path: &Path) -> bool {
    disk::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Returns the text of a file below the copy, named as the agent's steps name it; None where there is none.
pub fn file_text(copy: &Path, path: &str) -> Option<String> {
    let path = RepoPath::new(path)?;
    let file = copy.join(path.as_str());
    let is_inside = disk::canonical_path(&file).ok()?.starts_with(disk::canonical_path(copy).ok()?);
    let meta = disk::metadata(&file).ok().filter(|meta| is_inside && meta.is_file())?;
    let bytes = (meta.len() <= MOST_FILE).then(|| disk::read_file(&file).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the files of code with their bytes, by path; links are not followed.
pub fn code_files(copy: &Path) -> Vec<(RepoPath, Vec<u8>)> {
    let (mut found, mut left, mut open) = (vec![], MOST_BYTES, vec![(copy.to_owned(), 0)]);
    while let Some((folder, depth)) = open.pop() {
        for path in disk::list_folder(&folder) {
            let Ok(meta) = disk::symlink_metadata(&path) else { continue };
            if meta.is_dir() && depth < MOST_DEPTH && !NOT_OWN.contains(&disk::name_of(&path)) {
                open.push((path, depth + 1));
                continue;
            }
            let name = path.strip_prefix(copy).ok().and_then(Path::to_str).and_then(RepoPath::new);
            let name = name.filter(|name| Grammar::for_path(name.as_str()).is_some());
            let (Some(name), true) = (name, meta.is_file() && meta.len() <= MOST_FILE) else {
                continue;
            };
            let Ok(bytes) = disk::read_file(&path) else { continue };
            if found.len() >= MOST_FILES || bytes.len() > left {
                continue;
            }
            left -= bytes.len();
            found.push((name, bytes));
        }
    }
    found.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
    found
}
