//! The parts of a recorded path, with forward or backward slashes.

use crate::lifeline;
use trajview_run::RepoPath;

/// Returns the last part.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the last part up to its first dot.
pub(super) fn file_stem(path: &str) -> &str {
    let name = file_name(path);
    name.split('.').next().unwrap_or(name)
}

/// Returns whether the path is named like a test, inside the workspace or outside.
pub(super) fn is_test_path(path: &str) -> bool {
    RepoPath::new(path.trim_start_matches('/')).is_some_and(|path| lifeline::is_test(&path))
}
