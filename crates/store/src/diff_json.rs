//! A harness' own comparison of the trees (`diff.json`), beside the recorded edits.
//!
//! The edits of a log are not complete: a shell command wrote a file, another program ran between two
//! checkpoints. The comparison has every change of a text file between the beginning and the end of a checkpoint.
//! From it and the edits together the files are put together exactly: at the beginning the file that the comparison
//! fits (as the last checkpoint left it, else as the log saw it before its first edit), at the end what the comparison
//! makes of it. What it tells and no edit explains was changed outside recorded edits; what it contradicts is a
//! warning.

use trajview_code::patch;
use trajview_formats::slopcodebench_layout::checkpoint_number;
use trajview_run::{
    RepoPath, Role, Run, Warning,
    checkpoint_record::{ChangedFile, RecordedChanges},
    files::{ChangeOrigin, FileChange, RecordedChange, SourceTree, replay::Replayer},
};

use super::timeline::{TimelineSource, edit_body};

/// A comparison of the files of a run with those of the `diff.json` of its checkpoints, turn by turn.
#[derive(Default)]
pub struct TreeComparison {
    pub warnings: Vec<Warning>,
    pub has_compared: bool,
    /// The checkpoint we are in.
    open: Option<ExpectedEnd>,
}

/// The files at the end of a checkpoint, according to its comparison.
struct ExpectedEnd {
    last_turn: usize,
    /// The tree at its beginning.
    start: SourceTree,
    /// The content of each file; None where the file is gone.
    end: Vec<(RepoPath, Option<String>)>,
    /// The files that the comparison does not fit; they stay as the log has them.
    left: Vec<RepoPath>,
    place: String,
}

/// Returns whether nothing was there before the first turn.
pub(crate) fn starts_empty(run: &Run) -> bool {
    let first = run.checkpoints.first();
    let record = first.and_then(|first| first.recorded.as_ref());
    record.is_some_and(|record| record.changes.is_some())
        && first.and_then(|first| checkpoint_number(&first.id)) == Some(1)
}

/// Returns whether the recording of a harness has nothing about the work of a turn: no log, and no comparison of the
/// trees.
pub(crate) fn is_turn_unrecorded(run: &Run, turn: usize) -> bool {
    let Some(found) = run.turns.get(turn).filter(|_| run.origin.harness.is_some()) else {
        return false;
    };
    let checkpoint = found.checkpoint.and_then(|at| run.checkpoints.get(at));
    // A comparison does not cover the second pass, which comes after it.
    let compared = checkpoint.filter(|it| turn <= it.recorded_turn());
    let record = compared.and_then(|it| it.recorded.as_ref());
    let has_log = found.steps.iter().any(|step| step.role != Role::System);
    !has_log && record.is_none_or(|record| record.changes.is_none())
}

/// Returns the comparison of a checkpoint that begins with this turn, with the turn at whose end it was made.
fn comparison_beginning_at(run: &Run, turn: usize) -> Option<(usize, &RecordedChanges)> {
    let at = (0..run.checkpoints.len()).find(|&at| run.first_turn_of(at) == turn)?;
    let checkpoint = &run.checkpoints[at];
    Some((checkpoint.recorded_turn(), checkpoint.recorded.as_ref()?.changes.as_ref()?))
}

impl TreeComparison {
    /// Returns the changes of files since the checkpoint before.
    pub(crate) fn changes_before(
        &mut self,
        recording: &TimelineSource<'_>,
        turn: usize,
        replayer: &mut Replayer<'_>,
    ) -> Vec<FileChange> {
        let Some((last_turn, changes)) = comparison_beginning_at(recording.run, turn) else {
            return vec![];
        };
        self.has_compared = true;
        let mut start = replayer.tree.clone();
        let (mut end, mut left) = (vec![], vec![]);
        for file in &changes.files {
            let Some(path) = file.edit.path.repo_path() else { continue };
            match edit_body(recording, &file.edit).change {
                RecordedChange::Write(text) => {
                    start.files.remove(path);
                    end.push((path.clone(), Some(text)));
                }
                RecordedChange::Delete => end.push((path.clone(), None)),
                RecordedChange::Patch(hunks) => {
                    let seen = [
                        replayer.text_at(path),
                        text_seen_by_log(recording, turn, last_turn, path),
                    ];
                    let fits = |text: String| {
                        patch::apply_exactly(&text, &hunks).ok().map(|made| (text, made))
                    };
                    match seen.into_iter().flatten().find_map(fits) {
                        Some((old, new)) => {
                            let old = replayer.file_with_text(path, &old);
                            start.files.insert(path.clone(), old);
                            end.push((path.clone(), Some(new)));
                        }
                        None => {
                            left.push(path.clone());
                            self.warn_about_misfit(&changes.source, file, path, replayer);
                        }
                    }
                }
                RecordedChange::Replace(_)
                | RecordedChange::NotRecorded
                | RecordedChange::Binary => left.push(path.clone()),
            }
        }
        self.check_sizes(&changes.source, &changes.files, &end);
        let corrected = replayer.accept_tree(start.clone());
        let place = changes.source.to_string();
        self.open = Some(ExpectedEnd { last_turn, start, end, left, place });
        corrected
    }

    fn warn_about_misfit(
        &mut self,
        source: &str,
        file: &ChangedFile,
        path: &RepoPath,
        replayer: &Replayer<'_>,
    ) {
        // Nothing to compare with is no contradiction.
        if replayer.text_at(path).is_some() {
            let place = format!("{source}:{}", file.edit.place.line);
            let what =
                format!("{path}: does not match the reconstructed file; shown as in the log");
            self.warnings.push(Warning { place, what });
        }
    }

    fn check_sizes(
        &mut self,
        source: &str,
        files: &[ChangedFile],
        end: &[(RepoPath, Option<String>)],
    ) {
        for file in files {
            let Some(path) = file.edit.path.repo_path() else { continue };
            let rebuilt = end.iter().find(|(other, _)| other == path);
            let rebuilt = rebuilt.and_then(|(_, text)| Some(text.as_ref()?.len() as u64));
            if let (Some(recorded_size), Some(rebuilt)) = (file.new_size, rebuilt)
                && recorded_size != rebuilt
            {
                let place = format!("{source}:{}", file.edit.place.line);
                let what = format!(
                    "{path}: recorded {recorded_size} bytes, the reconstructed file has {rebuilt}"
                );
                self.warnings.push(Warning { place, what });
            }
        }
    }

    /// Returns the changes that the comparison has and the edits do not. A snapshot, where there is one, is only
    /// compared with it.
    pub(crate) fn changes_after(
        &mut self,
        run: &Run,
        turn: usize,
        snapshot: Option<&SourceTree>,
        replayer: &mut Replayer<'_>,
    ) -> Vec<FileChange> {
        let Some(expected) = self.open.take_if(|open| open.last_turn <= turn) else {
            return vec![];
        };
        if let Some(snapshot) = snapshot {
            self.compare_snapshot(&expected, snapshot, replayer);
            return vec![];
        }
        let ExpectedEnd { start, end, left, .. } = expected;
        let is_whole = starts_empty(run);
        let mut target = if is_whole { start } else { replayer.tree.clone() };
        for path in left {
            match replayer.tree.files.get(&path) {
                Some(file) => target.files.insert(path, *file),
                None => target.files.remove(&path),
            };
        }
        for (path, text) in end {
            match text {
                Some(text) => {
                    let file = replayer.file_with_text(&path, &text);
                    target.files.insert(path, file);
                }
                None => {
                    target.files.remove(&path);
                }
            }
        }
        let mut changes = replayer.accept_tree(target);
        changes.iter_mut().for_each(|change| change.origin = ChangeOrigin::Outside);
        changes
    }

    fn compare_snapshot(
        &mut self,
        expected: &ExpectedEnd,
        snapshot: &SourceTree,
        replayer: &mut Replayer<'_>,
    ) {
        for (path, text) in &expected.end {
            let wanted = text.as_ref().map(|text| replayer.file_with_text(path, text).content);
            let found = snapshot.files.get(path).map(|file| file.content);
            if wanted != found {
                let what = format!(
                    "{path}: ends as another file than the one in snapshot/, which is shown"
                );
                self.warnings.push(Warning { place: expected.place.clone(), what });
            }
        }
    }
}

/// Returns the file as the log saw it before the first of its edits from `turn` to `last`.
fn text_seen_by_log(
    recording: &TimelineSource<'_>,
    turn: usize,
    last: usize,
    path: &RepoPath,
) -> Option<String> {
    let run = recording.run;
    let steps = (turn..=last).flat_map(|turn| run.steps_of_turn(turn));
    let mut edits = steps.filter_map(|id| run.step(id)).flat_map(|step| &step.edits);
    let first = edits.find(|edit| edit.path.repo_path() == Some(path))?;
    edit_body(recording, first).before
}
