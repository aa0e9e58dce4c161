//! The places of this machine that hold sessions: where agents keep theirs ([`super::usual_places`]), and what was opened lately.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{cache::Cache, usual_places::usual_places};

/// Paths that were opened are remembered up to this many.
const MOST_OPENED: usize = 50;

/// The places of this machine that hold sessions, then what was opened lately; those that are there.
pub fn of_this_machine() -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = usual_places().into_iter().map(|place| place.path).collect();
    for opened in opened_lately() {
        if !places.iter().any(|place| opened.starts_with(place)) && opened.exists() {
            places.push(opened);
        }
    }
    places
}

/// Notes that paths were opened, the last first. What cannot be noted is forgotten.
pub fn remember(paths: &[PathBuf]) {
    let Some(file) = opened_file() else { return };
    let mut all: Vec<PathBuf> = paths
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .filter(|it| is_one_line(it))
        .collect();
    let before = opened_lately().into_iter().filter(|it| !all.contains(it)).collect::<Vec<_>>();
    all.extend(before);
    all.truncate(MOST_OPENED);
    let lines: String = all.iter().map(|it| format!("{}\n", it.display())).collect();
    let made = file.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok());
    if made {
        let _ = fs::write(&file, lines); // it is a convenience and nothing depends on it
    }
}

fn is_one_line(path: &Path) -> bool {
    path.to_str().is_some_and(|text| !text.contains('\n'))
}

fn opened_lately() -> Vec<PathBuf> {
    let text = opened_file().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    text.lines().take(MOST_OPENED).map(PathBuf::from).collect()
}

fn opened_file() -> Option<PathBuf> {
    Some(Cache::default_path()?.with_file_name("opened"))
}

/// A session to look at where there is none: written into the cache folder when it is first wanted.
pub fn sample() -> Option<PathBuf> {
    const SAMPLE: &[u8] = include_bytes!(
        "../../../sample-runs/claude-code/054395ac-4290-4fcf-ab21-925712a16d08.jsonl"
    );
    let path = Cache::default_path()?.with_file_name("sample-run.jsonl");
    let is_there = fs::metadata(&path).is_ok_and(|meta| meta.len() == SAMPLE.len() as u64);
    if !is_there {
        fs::create_dir_all(path.parent()?).ok()?;
        fs::write(&path, SAMPLE).ok()?;
    }
    Some(path)
}
