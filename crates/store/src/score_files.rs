//! RigorBench's files of scores beside its results.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use trajview_formats::rigorbench::scores::{self, RigorScore};

use super::disk;

/// The most bytes of a score file that are read.
const MOST_SCORES: u64 = 16 << 20;

/// A file of scores and its content.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreFile {
    pub path: PathBuf,
    pub scores: Vec<RigorScore>,
}

/// Returns RigorBench's score files beside these runs or in the folder above them; each once, by its path.
pub fn scores_beside(paths: &[PathBuf]) -> Vec<ScoreFile> {
    let folders: BTreeSet<&Path> =
        paths.iter().flat_map(|path| path.ancestors().skip(1).take(2)).collect();
    let is_score = |path: &PathBuf| {
        let name = disk::name_of(path);
        name.contains("_scores") && (name.ends_with(".yaml") || name.ends_with(".yml"))
    };
    let files = folders.iter().flat_map(|folder| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        disk::list_folder(folder).into_iter().filter(is_score)
    });
    files.filter_map(|path| read_score_file(&path)).collect()
}

/// Returns None for what is no file of scores.
pub fn read_score_file(path: &Path) -> Option<ScoreFile> {
    let size = disk::metadata(path).ok().filter(|it| it.is_file())?.len();
    let text =
        (size <= MOST_SCORES).then(|| String::from_utf8(disk::read_file(path).ok()?).ok())??;
    Some(ScoreFile { path: path.to_owned(), scores: scores::read_scores(&text)? })
}
