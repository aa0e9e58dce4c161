//! The files of a plain folder that is scored as it is, without a recording. Links are not followed.

use std::{fs, io::Read, path::Path};

use trajview_metrics::quality::MAX_BYTES;
use trajview_run::RepoPath;

use super::file_bytes;

/// The most folders inside each other that are searched.
const MOST_DEEP: usize = 64;

/// Returns the files below a folder whose path `takes` accepts; a folder is entered if a file in it could be accepted.
/// A folder that cannot be read is an error, in a sentence.
pub fn file_paths(folder: &Path, takes: &dyn Fn(&str) -> bool) -> Result<Vec<RepoPath>, String> {
    let mut paths = vec![];
    collect_paths(folder, "", 0, takes, &mut paths)?;
    Ok(paths)
}

fn collect_paths(
    folder: &Path,
    below: &str,
    depth: usize,
    takes: &dyn Fn(&str) -> bool,
    paths: &mut Vec<RepoPath>,
) -> Result<(), String> {
    let read_error = |why: std::io::Error| {
        format!("cannot read {}: {}", folder.join(below).display(), file_bytes::error_reason(&why))
    };
    for entry in fs::read_dir(folder.join(below)).map_err(read_error)? {
        let entry = entry.map_err(read_error)?;
        let kind = entry.file_type().map_err(read_error)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let path = if below.is_empty() { name.to_string() } else { format!("{below}/{name}") };
        if kind.is_dir() && depth < MOST_DEEP && takes(&format!("{path}/a.py")) {
            collect_paths(folder, &path, depth + 1, takes, paths)?;
        } else if kind.is_file() && takes(&path) {
            paths.extend(RepoPath::new(&path));
        }
    }
    Ok(())
}

/// Reads a file; of a file too big to count only as much as shows that. The error is a sentence.
pub fn read_countable(folder: &Path, path: &RepoPath) -> Result<Vec<u8>, String> {
    const MOST: u64 = MAX_BYTES as u64 + 1;
    let mut content = vec![];
    let opened = fs::File::open(folder.join(path.as_str()));
    opened
        .and_then(|file| {
            // Room for all of it at once, and to see that nothing follows.
            let size = file.metadata()?.len().min(MOST);
            content.reserve_exact(usize::try_from(size).unwrap_or(0) + 32);
            file.take(MOST).read_to_end(&mut content)
        })
        .map_err(|why| format!("cannot read {path}: {}", file_bytes::error_reason(&why)))?;
    Ok(content)
}
