//! The history of a file, or of a definition in it: what [`Events`] and lifelines tell, with the lines that changed.

use std::collections::{BTreeSet, HashMap};

use trajview_code::diff::{self, TextDiff};
use trajview_metrics::lifeline::{self, By, Code, Passage, Stretch};
use trajview_run::{
    EditKind, RepoPath, Run, StepId,
    files::{
        Blobs, Change, FileDiff, Origin, TreeFile, compare,
        history::{Entry, Event, Events, History, Place, Thing, Wanted, What},
    },
};

use super::Archive;

/// Equal lines around each change.
const CONTEXT: usize = 3;

/// Every change to what is wanted, over the whole run. The error is a sentence.
pub fn history(archive: &Archive, run: &Run, wanted: &Wanted) -> Result<History, String> {
    let events = Events::of(&*archive.timeline(run)?);
    let done = wanted.at.map(|moment| events.done_at(run, moment));
    let changes = events.of_file(&wanted.path, done).ok_or_else(|| match done {
        Some(_) => "there is no such file at that moment".to_owned(),
        None => "the run has no such file".to_owned(),
    })?;
    let by = match &wanted.thing {
        Thing::File => None,
        Thing::Around(line) => Some(By::Line(*line)),
        Thing::Symbol(name) => Some(By::Name(name)),
    };
    let found = match by {
        Some(by) => past(archive, run, &events, &wanted.path, done, by)?,
        None => None,
    };
    let numbers = run.numbered_steps().into_iter().collect();
    archive.with_blobs(run, |blobs| {
        let reader = Reader { events: &events, numbers, blobs };
        match (found, &wanted.thing) {
            (Some((place, passages)), _) => {
                Ok(History { place: named(&place), entries: reader.of_definition(&passages) })
            }
            (None, Thing::Symbol(name)) => {
                Err(format!("no function, class or value {name:?} in it"))
            }
            (None, Thing::File | Thing::Around(_)) => {
                let place = Place { path: wanted.path.clone(), symbol: None };
                Ok(History { place, entries: reader.of_file(&changes) })
            }
        }
    })?
}

/// Where a definition stands and what touched it; None where there is none.
fn past(
    archive: &Archive,
    run: &Run,
    events: &Events,
    path: &RepoPath,
    done: Option<usize>,
    by: By<'_>,
) -> Result<Option<(lifeline::Place, Vec<Passage>)>, String> {
    let mut timeline = events.timeline.clone();
    let changes = timeline.turns.iter().flat_map(|event| &event.changes);
    let touched: BTreeSet<RepoPath> =
        changes.flat_map(|it| it.from.iter().chain([&it.path])).cloned().collect();
    // Nothing comes from a file that no event touches, or goes there.
    timeline.base.files.retain(|file, _| file == path || touched.contains(file));
    let known = archive.known_of(run, &timeline, Code::All, &|_, _| true)?;
    Ok(lifeline::past(&timeline, &known, path, done, by))
}

fn named(place: &lifeline::Place) -> Place {
    Place { path: place.path.clone(), symbol: Some(place.name.to_string()) }
}

/// Reads the lines that events changed.
struct Reader<'a> {
    events: &'a Events,
    /// Of every step of the run, as [`Run::step_numbers`] has them.
    numbers: HashMap<StepId, usize>,
    blobs: &'a dyn Blobs,
}

impl Reader<'_> {
    fn of_file(&self, changes: &[(usize, &Change)]) -> Vec<Entry> {
        let mut was_there = false;
        let entry = |(at, change): &(usize, &Change)| {
            let what = match change.kind {
                EditKind::Create if was_there => What::Back,
                EditKind::Create => What::Created,
                EditKind::Modify => What::Changed,
                EditKind::Rename => What::Renamed,
                EditKind::Delete => What::Deleted,
            };
            was_there = true;
            let place = |path: &RepoPath| Place { path: path.clone(), symbol: None };
            let from = change.from.as_ref().map(place);
            let diff = without_texts(compare::compare(change, self.blobs, CONTEXT));
            self.entry(*at, what, place(&change.path), from, change.origin, diff)
        };
        changes.iter().map(entry).collect()
    }

    fn of_definition(&self, passages: &[Passage]) -> Vec<Entry> {
        let mut last: Option<&Stretch> = None;
        let mut entries = vec![];
        for passage in passages {
            entries.extend(self.passage(passage, last));
            last = passage.new.as_ref().or(passage.old.as_ref()).or(last);
        }
        entries
    }

    /// None where a turn touched the file and left the definition as it was. `last` is where it stood before, there or not.
    fn passage(&self, passage: &Passage, last: Option<&Stretch>) -> Option<Entry> {
        let at = passage.turn - 1;
        let (old, new) = (passage.old.as_ref(), passage.new.as_ref());
        let before = old.or(last).map(|it| &it.place);
        let place = &new.or(old)?.place;
        let what = match (old, new, before) {
            _ if passage.is_taken_in => What::TakenIn,
            (_, None, _) => What::Deleted,
            (None, Some(_), None) => What::Created,
            (None, Some(new), Some(before)) if new.place == *before => What::Back,
            (Some(old), Some(new), _) if old.place == new.place => What::Changed,
            (_, Some(new), Some(before)) if new.place.path == before.path => What::Renamed,
            _ => What::Moved,
        };
        let moved = self.events.timeline.turns[at].changes.as_slice();
        let diff = self.between(moved, old, new);
        let is_left_alone = diff.line_counts().is_some_and(|it| it.added + it.removed == 0);
        if what == What::Changed && is_left_alone {
            return None;
        }
        let from = before.filter(|it| *it != place).map(named);
        let from = if what == What::TakenIn { before.map(named) } else { from };
        let mut of_it = moved.iter().filter(|it| it.path == place.path);
        let origin = of_it.next().map_or(Origin::Recorded, |it| it.origin);
        Some(self.entry(at, what, named(place), from, origin, diff))
    }

    /// The lines of a definition on both sides of an event that changed these files.
    fn between(
        &self,
        changes: &[Change],
        old: Option<&Stretch>,
        new: Option<&Stretch>,
    ) -> FileDiff {
        let file = |stretch: &Stretch, side: fn(&Change) -> Option<TreeFile>, is_old: bool| {
            let path = |change: &Change| match (&change.from, is_old) {
                (Some(from), true) => *from == stretch.place.path,
                _ => change.path == stretch.place.path,
            };
            changes.iter().find(|change| path(change)).and_then(side)
        };
        let side = |stretch: Option<&Stretch>, file: Option<TreeFile>| match stretch {
            None => Ok(Lines::default()),
            Some(stretch) => {
                let blob = file.and_then(TreeFile::blob);
                let blob = blob.ok_or("the content of this file is not in the recording")?;
                Ok::<_, String>(Lines::of(&self.blobs.blob(blob)?, &stretch.lines))
            }
        };
        let (before, after) = (
            old.and_then(|it| file(it, Change::before, true)),
            new.and_then(|it| file(it, Change::after, false)),
        );
        match (side(old, before), side(new, after)) {
            (Ok(old), Ok(new)) => FileDiff::Hunks(old.diff_to(&new)),
            (Err(why), _) | (_, Err(why)) => FileDiff::NotRecorded(why),
        }
    }

    fn entry(
        &self,
        at: usize,
        what: What,
        place: Place,
        from: Option<Place>,
        origin: Origin,
        diff: FileDiff,
    ) -> Entry {
        let event: Event = self.events.at[at];
        let number = event.step.and_then(|step| self.numbers.get(&step).copied());
        Entry { event, number, what, place, from, origin, diff }
    }
}

/// Some lines of a file.
#[derive(Default)]
struct Lines {
    text: String,
    /// The number of each in the file, counts from 1.
    numbers: Vec<usize>,
}

impl Lines {
    fn of(bytes: &[u8], parts: &[(usize, usize)]) -> Self {
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

    /// Numbered as in the two files.
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
