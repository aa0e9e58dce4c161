//! The parts of a recorded path, whichever way its slashes lean.

use crate::lifeline;
use trajview_run::RepoPath;

/// The last part.
pub(super) fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The last part up to its first dot.
pub(super) fn stem(path: &str) -> &str {
    let name = name(path);
    name.split('.').next().unwrap_or(name)
}

/// Whether it is named as tests are, inside the workspace or not.
pub(super) fn is_test(path: &str) -> bool {
    RepoPath::new(path.trim_start_matches('/')).is_some_and(|path| lifeline::is_test(&path))
}
