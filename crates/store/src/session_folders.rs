//! The places of this machine that hold sessions: where agents keep theirs
//! ([`trajview_formats::session_folders`]), and what was opened lately.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{cache::DiskCache, entries::is_bundle, slopcodebench};

/// The most opened paths that are remembered.
const MOST_OPENED: usize = 50;

/// Returns the places of this machine that hold sessions, then the recordings that were opened lately; those that are
/// there. A folder of many runs that was opened lately is no place of this machine's sessions.
pub fn all_session_folders() -> Vec<PathBuf> {
    let mut places = agent_folders();
    for opened in recently_opened() {
        let is_recording =
            opened.is_file() || is_bundle(&opened) || slopcodebench::is_problem(&opened);
        if is_recording && !places.iter().any(|place| opened.starts_with(place)) {
            places.push(opened);
        }
    }
    places
}

/// Returns the places where agents keep their sessions, those that are there; none where there is no home folder.
pub fn agent_folders() -> Vec<PathBuf> {
    let Ok(home) = etcetera::home_dir() else { return vec![] };
    let variable =
        |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let mut places = trajview_formats::session_folders(&home, &variable);
    places.retain(|place| place.exists());
    places
}

/// Notes that paths were opened, the last first. What cannot be noted is forgotten.
pub fn remember_opened(paths: &[PathBuf]) {
    let Some(file) = recent_list_path() else { return };
    let mut all: Vec<PathBuf> = paths
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .filter(|it| is_one_line(it))
        .collect();
    let before = recently_opened().into_iter().filter(|it| !all.contains(it)).collect::<Vec<_>>();
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

fn recently_opened() -> Vec<PathBuf> {
    let text =
        recent_list_path().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    text.lines().take(MOST_OPENED).map(PathBuf::from).collect()
}

fn recent_list_path() -> Option<PathBuf> {
    Some(DiskCache::default_path()?.with_file_name("opened"))
}

/// Returns a session that can be opened where there is none: it is written into the cache folder at the first call.
pub fn sample_session() -> Option<PathBuf> {
    const SAMPLE: &[u8] = include_bytes!(
        "../../../sample-runs/claude-code/054395ac-4290-4fcf-ab21-925712a16d08.jsonl"
    );
    let path = DiskCache::default_path()?.with_file_name("sample-run.jsonl");
    let is_there = fs::metadata(&path).is_ok_and(|meta| meta.len() == SAMPLE.len() as u64);
    if !is_there {
        fs::create_dir_all(path.parent()?).ok()?;
        fs::write(&path, SAMPLE).ok()?;
    }
    Some(path)
}
