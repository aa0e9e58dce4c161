//! The history of a file, or of a definition in it: the events of [`FileEvents`] and lifelines, with the lines that
//! changed.

use std::collections::{BTreeSet, HashMap};

use trajview_code::diff::{self, TextDiff};
use trajview_metrics::lifeline::{
    self, CodeScope, DefinitionLines, DefinitionQuery, DefinitionTurn,
};
use trajview_run::{
    EditKind, RepoPath, Run, StepId,
    files::{
        Blobs, ChangeOrigin, FileChange, FileDiff, TreeFile, file_diff,
        history::{
            ChangeHistory, FileEvent, FileEvents, HistoryChange, HistoryEntry, HistoryQuery,
            HistorySubject, SubjectPlace,
        },
    },
};
use trajview_store::Archive;

use super::lifelines;

/// The number of equal lines around each change.
const CONTEXT: usize = 3;

/// Returns every change to a file or definition, over the whole run. The error is a sentence.
pub fn file_history(
    archive: &Archive,
    run: &Run,
    query: &HistoryQuery,
) -> Result<ChangeHistory, String> {
    let events = FileEvents::from_timeline(&*archive.timeline(run)?);
    let done = query.at.map(|moment| events.events_done_at(run, moment));
    let changes = events.changes_of_file(&query.path, done).ok_or_else(|| match done {
        Some(_) => "no such file at that moment".to_owned(),
        None => "the run has no such file".to_owned(),
    })?;
    let by = match &query.subject {
        HistorySubject::File => None,
        HistorySubject::AtLine(line) => Some(DefinitionQuery::Line(*line)),
        HistorySubject::Symbol(name) => Some(DefinitionQuery::Name(name)),
    };
    let found = match by {
        Some(by) => definition_passages(archive, run, &events, &query.path, done, by)?,
        None => None,
    };
    let numbers = run.numbered_steps().into_iter().collect();
    archive.with_blobs(run, |blobs| {
        let reader = HistoryReader { events: &events, numbers, blobs };
        match (found, &query.subject) {
            (Some((place, passages)), _) => Ok(ChangeHistory {
                place: to_place(&place),
                entries: reader.definition_entries(&passages),
            }),
            (None, HistorySubject::Symbol(name)) => {
                Err(format!("no function, class or value {name:?} in it"))
            }
            (None, HistorySubject::File | HistorySubject::AtLine(_)) => {
                let place = SubjectPlace { path: query.path.clone(), symbol: None };
                Ok(ChangeHistory { place, entries: reader.file_entries(&changes) })
            }
        }
    })?
}

/// Returns the place of a definition and the turns that touched it; None where there is no such definition.
fn definition_passages(
    archive: &Archive,
    run: &Run,
    events: &FileEvents,
    path: &RepoPath,
    done: Option<usize>,
    by: DefinitionQuery<'_>,
) -> Result<Option<(lifeline::DefinitionPlace, Vec<DefinitionTurn>)>, String> {
    let mut timeline = events.timeline.clone();
    let changes = timeline.turns.iter().flat_map(|event| &event.changes);
    let touched: BTreeSet<RepoPath> =
        changes.flat_map(|it| it.from.iter().chain([&it.path])).cloned().collect();
    // Nothing comes from a file that no event touches, or goes there.
    timeline.base.files.retain(|file, _| file == path || touched.contains(file));
    let facts =
        lifelines::facts_of_timeline(archive, run, &timeline, CodeScope::All, &|_, _| true)?;
    Ok(lifeline::definition_history(&timeline, &facts, path, done, by))
}

/// Returns the place of a definition as a history names it.
fn to_place(place: &lifeline::DefinitionPlace) -> SubjectPlace {
    SubjectPlace { path: place.path.clone(), symbol: Some(place.name.to_string()) }
}

/// A reader of the lines that events changed.
struct HistoryReader<'a> {
    events: &'a FileEvents,
    /// The number of every step of the run, as in [`Run::step_numbers`].
    numbers: HashMap<StepId, usize>,
    blobs: &'a dyn Blobs,
}

impl HistoryReader<'_> {
    fn file_entries(&self, changes: &[(usize, &FileChange)]) -> Vec<HistoryEntry> {
        let mut was_there = false;
        let entry = |(at, change): &(usize, &FileChange)| {
            let what = match change.kind {
                EditKind::Create if was_there => HistoryChange::Recreated,
                EditKind::Create => HistoryChange::Created,
                EditKind::Modify => HistoryChange::Changed,
                EditKind::Rename => HistoryChange::Renamed,
                EditKind::Delete => HistoryChange::Deleted,
            };
            was_there = true;
            let place = |path: &RepoPath| SubjectPlace { path: path.clone(), symbol: None };
            let from = change.from.as_ref().map(place);
            let diff = without_texts(file_diff::diff_change(change, self.blobs, CONTEXT));
            self.new_entry(*at, what, place(&change.path), from, change.origin, diff)
        };
        changes.iter().map(entry).collect()
    }

    fn definition_entries(&self, passages: &[DefinitionTurn]) -> Vec<HistoryEntry> {
        let mut last: Option<&DefinitionLines> = None;
        let mut entries = vec![];
        for passage in passages {
            entries.extend(self.passage_entry(passage, last));
            last = passage.new.as_ref().or(passage.old.as_ref()).or(last);
        }
        entries
    }

    /// Returns None where a turn touched the file and left the definition as it was. `last` is the place of the
    /// definition before, even if it is gone.
    fn passage_entry(
        &self,
        passage: &DefinitionTurn,
        last: Option<&DefinitionLines>,
    ) -> Option<HistoryEntry> {
        let at = passage.turn - 1;
        let (old, new) = (passage.old.as_ref(), passage.new.as_ref());
        let before = old.or(last).map(|it| &it.place);
        let place = &new.or(old)?.place;
        let what = match (old, new, before) {
            _ if passage.is_taken_in => HistoryChange::Absorbed,
            (_, None, _) => HistoryChange::Deleted,
            (None, Some(_), None) => HistoryChange::Created,
            (None, Some(new), Some(before)) if new.place == *before => HistoryChange::Recreated,
            (Some(old), Some(new), _) if old.place == new.place => HistoryChange::Changed,
            (_, Some(new), Some(before)) if new.place.path == before.path => HistoryChange::Renamed,
            _ => HistoryChange::Moved,
        };
        let moved = self.events.timeline.turns[at].changes.as_slice();
        let diff = self.diff_between(moved, old, new);
        let is_left_alone = diff.line_counts().is_some_and(|it| it.added + it.removed == 0);
        if what == HistoryChange::Changed && is_left_alone {
            return None;
        }
        let from = before.filter(|it| *it != place).map(to_place);
        let from = if what == HistoryChange::Absorbed { before.map(to_place) } else { from };
        let mut of_it = moved.iter().filter(|it| it.path == place.path);
        let origin = of_it.next().map_or(ChangeOrigin::Recorded, |it| it.origin);
        Some(self.new_entry(at, what, to_place(place), from, origin, diff))
    }

    /// Returns the lines of a definition on both sides of an event that changed these files.
    fn diff_between(
        &self,
        changes: &[FileChange],
        old: Option<&DefinitionLines>,
        new: Option<&DefinitionLines>,
    ) -> FileDiff {
        let file =
            |stretch: &DefinitionLines, side: fn(&FileChange) -> Option<TreeFile>, is_old: bool| {
                let path = |change: &FileChange| match (&change.from, is_old) {
                    (Some(from), true) => *from == stretch.place.path,
                    _ => change.path == stretch.place.path,
                };
                changes.iter().find(|change| path(change)).and_then(side)
            };
        let side = |stretch: Option<&DefinitionLines>, file: Option<TreeFile>| match stretch {
            None => Ok(NumberedLines::default()),
            Some(stretch) => {
                let blob = file.and_then(TreeFile::blob_id);
                let blob = blob.ok_or("the content of this file is not in the recording")?;
                Ok::<_, String>(NumberedLines::from_parts(
                    &self.blobs.read_blob(blob)?,
                    &stretch.lines,
                ))
            }
        };
        let (before, after) = (
            old.and_then(|it| file(it, FileChange::file_before, true)),
            new.and_then(|it| file(it, FileChange::file_after, false)),
        );
        match (side(old, before), side(new, after)) {
            (Ok(old), Ok(new)) => FileDiff::Hunks(old.diff_to(&new)),
            (Err(why), _) | (_, Err(why)) => FileDiff::NotRecorded(why),
        }
    }

    fn new_entry(
        &self,
        at: usize,
        what: HistoryChange,
        place: SubjectPlace,
        from: Option<SubjectPlace>,
        origin: ChangeOrigin,
        diff: FileDiff,
    ) -> HistoryEntry {
        let event: FileEvent = self.events.at[at];
        let number = event.step.and_then(|step| self.numbers.get(&step).copied());
        HistoryEntry { event, number, change: what, place, from, origin, diff }
    }
}

/// A range of lines of a file, with their numbers.
#[derive(Default)]
struct NumberedLines {
    text: String,
    /// The number of each in the file, counts from 1.
    numbers: Vec<usize>,
}

impl NumberedLines {
    fn from_parts(bytes: &[u8], parts: &[(usize, usize)]) -> Self {
        let all: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let numbers: BTreeSet<usize> =
            parts.iter().flat_map(|(first, last)| *first..=*last).collect();
        let numbers = numbers.into_iter().filter(|number| (1..=all.len()).contains(number));
        let mut lines = Self::default();
        for number in numbers {
            lines.text.push_str(&String::from_utf8_lossy(all[number - 1]));
            lines.numbers.push(number);
        }
        lines
    }

    /// Returns the difference, numbered as in the two files.
    fn diff_to(&self, new: &Self) -> TextDiff {
        let mut text = diff::diff_text(&self.text, &new.text, CONTEXT);
        let number = |lines: &Self, at: usize| lines.numbers.get(at.wrapping_sub(1)).copied();
        for hunk in &mut text.hunks {
            hunk.old_start = number(self, hunk.old_start).unwrap_or(hunk.old_start);
            hunk.new_start = number(new, hunk.new_start).unwrap_or(hunk.new_start);
            for line in &mut hunk.lines {
                line.old = line.old.and_then(|at| number(self, at));
                line.new = line.new.and_then(|at| number(new, at));
            }
        }
        text
    }
}

fn without_texts(diff: FileDiff) -> FileDiff {
    match diff {
        FileDiff::Text { diff, .. } => FileDiff::Hunks(diff),
        other => other,
    }
}
