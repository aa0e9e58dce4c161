//! Finds every mistake in the files beside a recording, checked against the run and its files.

use std::path::Path;

use crate::archive::OpenedRecording;
use trajview_formats::{SourceBytes, rubric};
use trajview_run::{RepoPath, Warning, files::FilesSource};

use super::{RubricFiles, bundle_of, name_of};

/// Returns every mistake in the files beside the run, checked against the run and its files; see
/// [`strict`](rubric::strict).
pub fn check_beside_run(path: &Path, opened: &OpenedRecording) -> Vec<Warning> {
    let Some(folder) = bundle_of(path) else { return vec![] };
    let RubricFiles { files, problems } = RubricFiles::in_folder(&folder);
    let sources: Vec<_> = files.iter().map(|(name, bytes)| SourceBytes { name, bytes }).collect();
    let mut warnings = problems;
    warnings.extend(rubric::strict::check_files(&sources, &RecordedRun { opened }));
    warnings.extend(rubric::missing_verdicts(&rubric::read_rubric(&sources)));
    warnings
}

/// Returns every mistake in one document by itself, checked without a run, and the name of the document; None where the
/// file is no document of a bundle.
pub fn check_alone(path: &Path) -> Option<(&'static str, Vec<Warning>)> {
    let is_small =
        std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= rubric::MAX_BYTES);
    let bytes = std::fs::read(path).ok().filter(|_| is_small)?;
    let schema = serde_json::from_slice::<SchemaField>(&bytes).ok()?.schema;
    let name = rubric::strict::document_for_schema(&schema)?;
    let sources = [SourceBytes { name, bytes: &bytes }];
    let mut warnings = rubric::strict::check_files(&sources, &rubric::strict::WithoutRun);
    for warning in &mut warnings {
        warning.place = warning.place.replace(name, name_of(path));
    }
    let kind = name.split(['/', '.']).next().unwrap_or_default();
    Some((kind, warnings))
}

#[derive(serde::Deserialize)]
struct SchemaField {
    schema: String,
}

/// A run that was opened, as something that documents can be held against.
struct RecordedRun<'a> {
    opened: &'a OpenedRecording,
}

impl rubric::strict::CheckContext for RecordedRun<'_> {
    fn turn_count(&self) -> usize {
        self.opened.run.turns.len()
    }

    fn turns_at_commit(&self, commit: &str) -> Option<Vec<usize>> {
        let turns = &self.opened.run.turns;
        let is_it = |known: &str| commit.len() >= SHORTEST_COMMIT && known.starts_with(commit);
        let has_it = |turn: &trajview_run::Turn| turn.commit.as_deref().is_some_and(is_it);
        let found = turns.iter().zip(1..).filter(|(turn, _)| has_it(turn)).map(|(_, done)| done);
        turns.iter().any(|turn| turn.commit.is_some()).then(|| found.collect())
    }

    fn line_count(&self, path: &str, done: usize) -> Option<Result<usize, String>> {
        let OpenedRecording { run, archive } = self.opened;
        let timeline = archive.timeline(run).ok()?;
        let Some(path) = RepoPath::new(path) else {
            return Some(Err("not a path inside the workspace".into()));
        };
        // Where files are known from recorded edits alone, one that is not there may have been there all along.
        let is_complete = timeline.from == FilesSource::Commits;
        let missing = || is_complete.then(|| Err("no such file".to_owned()));
        let tree = timeline.tree_after(done);
        let Some(file) = tree.files.get(&path) else { return missing() };
        let content = archive.file_content(run, *file).ok()?;
        let ends = content.iter().filter(|byte| **byte == b'\n').count();
        Some(Ok(ends + usize::from(content.last().is_some_and(|last| *last != b'\n'))))
    }
}

/// A shorter beginning of a commit names none.
const SHORTEST_COMMIT: usize = 7;
