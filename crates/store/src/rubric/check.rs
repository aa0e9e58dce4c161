//! Every mistake in the files beside a recording, held against the run and its files.

use std::path::Path;

use crate::archive::Opened;
use trajview_formats::{Source, rubric};
use trajview_run::{RepoPath, Warning, files::FilesFrom};

use super::{Held, bundle_of, name_of};

/// Every mistake in what stands beside the run, held against the run and its files; see [`strict`](rubric::strict).
pub fn check(path: &Path, opened: &Opened) -> Vec<Warning> {
    let Some(folder) = bundle_of(path) else { return vec![] };
    let Held { files, problems } = Held::of(&folder);
    let sources: Vec<_> = files.iter().map(|(name, bytes)| Source { name, bytes }).collect();
    let mut warnings = problems;
    warnings.extend(rubric::strict::read(&sources, &Recorded { opened }));
    warnings.extend(rubric::silences(&rubric::read(&sources)));
    warnings
}

/// Every mistake in one document that stands alone, held against no run, and what it is; None where the file is no document
/// that would stand beside one.
pub fn check_alone(path: &Path) -> Option<(&'static str, Vec<Warning>)> {
    let is_small = std::fs::metadata(path)
        .is_ok_and(|meta| meta.is_file() && meta.len() <= rubric::MOST_BYTES);
    let bytes = std::fs::read(path).ok().filter(|_| is_small)?;
    let schema = serde_json::from_slice::<Schema>(&bytes).ok()?.schema;
    let name = rubric::strict::document_of(&schema)?;
    let sources = [Source { name, bytes: &bytes }];
    let mut warnings = rubric::strict::read(&sources, &rubric::strict::Nowhere);
    for warning in &mut warnings {
        warning.place = warning.place.replace(name, name_of(path));
    }
    let kind = name.split(['/', '.']).next().unwrap_or_default();
    Some((kind, warnings))
}

#[derive(serde::Deserialize)]
struct Schema {
    schema: String,
}

/// A run that was opened, as something that documents can be held against.
struct Recorded<'a> {
    opened: &'a Opened,
}

impl rubric::strict::Ground for Recorded<'_> {
    fn turns(&self) -> usize {
        self.opened.run.turns.len()
    }

    fn turns_at(&self, commit: &str) -> Option<Vec<usize>> {
        let turns = &self.opened.run.turns;
        let is_it = |known: &str| commit.len() >= SHORTEST_COMMIT && known.starts_with(commit);
        let has_it = |turn: &trajview_run::Turn| turn.commit.as_deref().is_some_and(is_it);
        let found = turns.iter().zip(1..).filter(|(turn, _)| has_it(turn)).map(|(_, done)| done);
        turns.iter().any(|turn| turn.commit.is_some()).then(|| found.collect())
    }

    fn lines_of(&self, path: &str, done: usize) -> Option<Result<usize, String>> {
        let Opened { run, archive } = self.opened;
        let timeline = archive.timeline(run).ok()?;
        let Some(path) = RepoPath::new(path) else {
            return Some(Err("not a path inside the workspace".into()));
        };
        // Where files are known from recorded edits alone, one that is not there may have been there all along.
        let is_complete = timeline.from == FilesFrom::Commits;
        let missing = || is_complete.then(|| Err("no such file".to_owned()));
        let tree = timeline.tree_after(done);
        let Some(file) = tree.files.get(&path) else { return missing() };
        let content = archive.content(run, *file).ok()?;
        let ends = content.iter().filter(|byte| **byte == b'\n').count();
        Some(Ok(ends + usize::from(content.last().is_some_and(|last| *last != b'\n'))))
    }
}

/// A shorter beginning of a commit names none.
const SHORTEST_COMMIT: usize = 7;
