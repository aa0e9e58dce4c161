//! The history of one thing: every change to a file, or to a definition in it, over the run, whatever it was called.
//!
//! [`FileEvents`] splits a [`Timeline`] into events: each step of a turn with its recorded edits, and, where these do
//! not explain the files that follow, an event of its own without a step. This module follows a file over the events;
//! `metrics::lifeline` follows a definition, for which a timeline of events is a timeline like any other.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ChangeOrigin, ChangeVersion, FileChange, FileContent, FileDiff, RunMoment, SourceTree,
    Timeline, TreeFile,
};
use crate::{EditKind, RepoPath, Run, StepId, worded_enum::worded};

/// A time at which files changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileEvent {
    /// Counts from 0.
    pub turn: usize,
    /// The step; None where no recorded step did it: the change was seen in the files of a later edit, or at the turn's end.
    pub step: Option<StepId>,
}

/// The files of a run over time, event by event.
#[derive(Debug, Clone, Default)]
pub struct FileEvents {
    /// Its turns are the events.
    pub timeline: Timeline,
    /// The event of each turn of the timeline, in playing order.
    pub at: Vec<FileEvent>,
}

/// A request for the history of a file or a definition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HistoryQuery {
    pub path: RepoPath,
    pub subject: HistorySubject,
    /// The moment at which the file has this path; None for the last one.
    pub at: Option<RunMoment>,
}

/// The subject of a history.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum HistorySubject {
    File,
    /// The innermost function, class or value around this line, which counts from 1; the file where there is none.
    AtLine(usize),
    /// A function, class or value by its dotted name, or by the end of it.
    Symbol(String),
}

/// Every change to one thing.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeHistory {
    /// Its place at the requested moment.
    pub place: SubjectPlace,
    /// The changes in playing order.
    pub entries: Vec<HistoryEntry>,
}

/// A file, or a definition in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectPlace {
    pub path: RepoPath,
    /// Its dotted name; None for the whole file.
    pub symbol: Option<String>,
}

/// One change to it.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry {
    pub event: FileEvent,
    /// The number of the step in its turn, counts from 1; None where no step did it.
    pub number: Option<usize>,
    pub change: HistoryChange,
    /// Its place after the change; for a deletion, its last place.
    pub place: SubjectPlace,
    /// Its place before the change, where it is another one.
    pub from: Option<SubjectPlace>,
    pub origin: ChangeOrigin,
    /// The lines of it that changed, without the texts around; numbered as in the files.
    pub diff: FileDiff,
}

worded! {
    /// The kind of change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum HistoryChange {
        Created = "created",
        Changed = "changed",
        /// The subject has another name now; a definition that is in another file now is [`HistoryChange::Moved`].
        Renamed = "renamed",
        Moved = "moved",
        /// Another definition has its body now.
        Absorbed = "taken in",
        Deleted = "deleted",
        /// The subject was created again after its deletion.
        Recreated = "back",
    }
}

impl ChangeHistory {
    /// Returns position of the last change up to a moment; None where there is none before it.
    pub fn last_change_at(&self, run: &Run, moment: RunMoment) -> Option<usize> {
        let events: Vec<FileEvent> = self.entries.iter().map(|entry| entry.event).collect();
        position_of_last_done(&events, run, moment)
    }
}

/// Returns position of the last event that is done at a moment.
fn position_of_last_done(events: &[FileEvent], run: &Run, moment: RunMoment) -> Option<usize> {
    let numbers = moment.step.map(|step| (step, run.step_numbers(step.turn)));
    events.iter().rposition(|event| match (&numbers, event.step) {
        _ if event.turn < moment.turns => true,
        (Some((last, numbers)), Some(step)) if event.turn == last.turn => {
            numbers.get(&step) <= numbers.get(last)
        }
        _ => false,
    })
}

impl SubjectPlace {
    /// Returns `src/loss.py::joint_loss`; the path alone without a symbol.
    pub fn display_text(&self) -> String {
        match &self.symbol {
            Some(symbol) => format!("{}::{symbol}", self.path),
            None => self.path.to_string(),
        }
    }
}

impl HistoryEntry {
    /// Returns `12.7`, or `12` where no step did it.
    pub fn moment_text(&self) -> String {
        let turn = self.event.turn + 1;
        self.number.map_or_else(|| turn.to_string(), |number| format!("{turn}.{number}"))
    }

    /// Returns `moved from src/old.py`, to be put after the thing's name.
    pub fn change_text(&self) -> String {
        let word = self.change.word();
        match (&self.from, self.change) {
            (_, HistoryChange::Absorbed) => format!("taken into {}", self.place.display_text()),
            (Some(from), _) if from.path == self.place.path => {
                format!("{word} from {}", from.symbol.as_deref().unwrap_or_default())
            }
            (Some(from), _) => format!("{word} from {}", from.display_text()),
            (None, _) => word.to_owned(),
        }
    }
}

impl FileEvents {
    /// Takes a timeline apart.
    pub fn from_timeline(timeline: &Timeline) -> Self {
        let (from, base) = (timeline.from, timeline.base.clone());
        let mut events =
            Self { timeline: Timeline { from, base, ..Timeline::default() }, at: vec![] };
        // As after the events so far, and as the timeline has the ends of the turns.
        let (mut tree, mut tree_at_end) = (timeline.base.clone(), timeline.base.clone());
        for (turn, files) in timeline.turns.iter().enumerate() {
            let mut touched = BTreeSet::new();
            for (step, changes) in &files.steps {
                let seen =
                    changes.iter().filter_map(|change| change_before_step(&tree, change)).collect();
                events.add_event(FileEvent { turn, step: None }, seen, &mut tree);
                touched.extend(changes.iter().flat_map(change_paths));
                events.add_event(FileEvent { turn, step: Some(*step) }, changes.clone(), &mut tree);
            }
            tree_at_end.apply_changes(&files.changes);
            touched.extend(files.changes.iter().flat_map(change_paths));
            if !files.is_unknown {
                let rest = unexplained_changes(&tree, &tree_at_end, &touched, &files.changes);
                events.add_event(FileEvent { turn, step: None }, rest, &mut tree);
            }
            for path in touched {
                match tree_at_end.files.get(&path) {
                    Some(file) => drop(tree.files.insert(path, *file)),
                    None => drop(tree.files.remove(&path)),
                }
            }
        }
        events
    }

    fn add_event(&mut self, event: FileEvent, changes: Vec<FileChange>, tree: &mut SourceTree) {
        if changes.is_empty() {
            return;
        }
        tree.apply_changes(&changes);
        self.at.push(event);
        self.timeline.turns.push(super::TurnFiles { changes, ..Default::default() });
    }

    /// Returns the number of events that are done at a moment.
    pub fn events_done_at(&self, run: &Run, moment: RunMoment) -> usize {
        position_of_last_done(&self.at, run, moment).map_or(0, |last| last + 1)
    }

    /// Returns the changes of the file that has a path after so many events (None: when one last had it), each with its event, in
    /// playing order. None where no file has that path then.
    pub fn changes_of_file(
        &self,
        path: &RepoPath,
        done: Option<usize>,
    ) -> Option<Vec<(usize, &FileChange)>> {
        let mut files = FollowedFiles::default();
        self.timeline.base.files.keys().for_each(|path| files.add_file(path));
        let mut file = files.present.get(path).copied().filter(|_| done.is_none_or(|it| it == 0));
        for (at, event) in self.timeline.turns.iter().enumerate() {
            event.changes.iter().for_each(|change| files.add_change(at, change));
            match done {
                Some(done) if done == at + 1 => file = files.present.get(path).copied(),
                Some(_) => {}
                None => file = files.present.get(path).copied().or(file),
            }
        }
        Some(std::mem::take(files.changes.get_mut(file?)?))
    }
}

/// Files by where they are, followed through renames.
#[derive(Default)]
struct FollowedFiles<'e> {
    present: BTreeMap<RepoPath, usize>,
    /// Deleted files, by their last path.
    deleted: BTreeMap<RepoPath, usize>,
    changes: Vec<Vec<(usize, &'e FileChange)>>,
}

impl<'e> FollowedFiles<'e> {
    fn add_file(&mut self, path: &RepoPath) {
        self.present.insert(path.clone(), self.changes.len());
        self.changes.push(vec![]);
    }

    fn add_change(&mut self, event: usize, change: &'e FileChange) {
        let before = change.from.as_ref().unwrap_or(&change.path);
        let followed = self.present.remove(before).or_else(|| self.deleted.remove(&change.path));
        let file = followed.unwrap_or_else(|| {
            self.changes.push(vec![]);
            self.changes.len() - 1
        });
        self.changes[file].push((event, change));
        let is_gone = change.kind == EditKind::Delete;
        let place = if is_gone { &mut self.deleted } else { &mut self.present };
        place.insert(change.path.clone(), file);
    }
}

fn change_paths(change: &FileChange) -> impl Iterator<Item = RepoPath> {
    [Some(change.path.clone()), change.from.clone()].into_iter().flatten()
}

/// Returns the change of a file before a step edited it: the step found another text than the last one known.
fn change_before_step(tree: &SourceTree, change: &FileChange) -> Option<FileChange> {
    let path = change.from.as_ref().unwrap_or(&change.path);
    let (known_file, found_file) = (tree.files.get(path).copied(), change.file_before()?);
    let is_seen =
        found_file.blob_id().is_some() && known_file.is_none_or(|known| known.blob_id().is_some());
    (is_seen && known_file != Some(found_file))
        .then(|| outside_change(path, known_file, Some(found_file)))
}

/// Returns the difference between the files as the steps of a turn left them and the files at its end.
fn unexplained_changes(
    tree: &SourceTree,
    tree_at_end: &SourceTree,
    touched: &BTreeSet<RepoPath>,
    recorded: &[FileChange],
) -> Vec<FileChange> {
    let part = |tree: &SourceTree| {
        let file = |path: &RepoPath| Some((path.clone(), *tree.files.get(path)?));
        SourceTree { files: touched.iter().filter_map(file).collect() }
    };
    let mut all = part(tree).changes_to(&part(tree_at_end), ChangeOrigin::Outside);
    for rename in recorded.iter().filter(|change| change.from.is_some()) {
        let from = rename.from.as_ref();
        let deleted = all.iter().position(|it| Some(&it.path) == from && it.file_after().is_none());
        let created =
            all.iter().position(|it| it.path == rename.path && it.file_before().is_none());
        if let (Some(deleted), Some(created)) = (deleted, created) {
            let version = ChangeVersion::Whole {
                old: all[deleted].file_before(),
                new: all[created].file_after(),
            };
            let (path, from, kind) = (rename.path.clone(), from.cloned(), EditKind::Rename);
            all[created] = FileChange { path, from, kind, version, origin: ChangeOrigin::Outside };
            all.remove(deleted);
        }
    }
    // Where a text is not recorded, the recording must say that the steps do not explain it.
    let is_known =
        |file: Option<TreeFile>| file.is_none_or(|it| it.content != FileContent::NotRecorded);
    let is_told = |change: &FileChange| {
        recorded.iter().any(|it| it.path == change.path && it.origin != ChangeOrigin::Recorded)
    };
    all.retain(|it| (is_known(it.file_before()) && is_known(it.file_after())) || is_told(it));
    all
}

fn outside_change(path: &RepoPath, old: Option<TreeFile>, new: Option<TreeFile>) -> FileChange {
    let kind = match (old, new) {
        (None, _) => EditKind::Create,
        (_, None) => EditKind::Delete,
        _ => EditKind::Modify,
    };
    let version = ChangeVersion::Whole { old, new };
    FileChange { path: path.clone(), from: None, kind, version, origin: ChangeOrigin::Outside }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Step, Turn,
        files::{BlobId, TurnFiles},
    };

    fn repo_path(name: &str) -> RepoPath {
        RepoPath::new(name).unwrap()
    }

    fn known_file(text: &str) -> TreeFile {
        TreeFile::with_blob(BlobId::for_bytes(text.as_bytes()))
    }

    fn recorded_change(name: &str, old: Option<&str>, new: Option<&str>) -> FileChange {
        let (old, new) = (old.map(known_file), new.map(known_file));
        FileChange { origin: ChangeOrigin::Recorded, ..outside_change(&repo_path(name), old, new) }
    }

    const fn step_id(turn: usize, step: usize) -> StepId {
        StepId { turn, subagent: None, step }
    }

    fn turn_files(steps: Vec<(StepId, Vec<FileChange>)>, changes: Vec<FileChange>) -> TurnFiles {
        TurnFiles { steps, changes, is_unknown: false }
    }

    /// Returns a file that is created in a step, changed outside the steps, found changed by an edit and renamed by a command.
    fn sample_timeline() -> Timeline {
        let made = recorded_change("a.py", None, Some("one"));
        let edit = recorded_change("a.py", Some("two"), Some("three"));
        let net = recorded_change("a.py", Some("one"), Some("three"));
        let from = Some(repo_path("a.py"));
        let moved = FileChange {
            from,
            kind: EditKind::Rename,
            ..recorded_change("b.py", Some("three"), Some("three"))
        };
        let turns = vec![
            turn_files(vec![(step_id(0, 1), vec![made.clone()])], vec![made]),
            turn_files(vec![(step_id(1, 0), vec![edit])], vec![net]),
            turn_files(vec![], vec![moved]),
        ];
        Timeline { turns, ..Timeline::default() }
    }

    #[test]
    fn a_file_is_followed_through_steps_renames_and_what_no_step_names() {
        let events = FileEvents::from_timeline(&sample_timeline());

        let changes = events.changes_of_file(&repo_path("b.py"), None).unwrap();

        let told: Vec<_> = changes
            .iter()
            .map(|(at, change)| {
                (events.at[*at].turn, events.at[*at].step, change.kind, change.origin)
            })
            .collect();
        let expected = [
            (0, Some(step_id(0, 1)), EditKind::Create, ChangeOrigin::Recorded),
            (1, None, EditKind::Modify, ChangeOrigin::Outside),
            (1, Some(step_id(1, 0)), EditKind::Modify, ChangeOrigin::Recorded),
            (2, None, EditKind::Rename, ChangeOrigin::Outside),
        ];
        assert_eq!(told, expected);
        assert_eq!(events.changes_of_file(&repo_path("a.py"), Some(2)), Some(changes.clone()));
        assert_eq!(events.changes_of_file(&repo_path("a.py"), None), Some(changes));
        assert_eq!(events.changes_of_file(&repo_path("a.py"), Some(4)), None);
        assert_eq!(events.changes_of_file(&repo_path("c.py"), None), None);
    }

    #[test]
    fn events_are_counted_up_to_a_step() {
        let events = FileEvents::from_timeline(&sample_timeline());
        let steps = |count| Turn { steps: vec![Step::default(); count], ..Turn::default() };
        let run = Run { turns: vec![steps(2), steps(2), steps(0)], ..Run::default() };
        let done = |turns, step| events.events_done_at(&run, RunMoment { turns, step });

        assert_eq!([done(0, None), done(1, None), done(2, None), done(3, None)], [0, 1, 3, 4]);
        assert_eq!([done(0, Some(step_id(0, 0))), done(1, Some(step_id(1, 0)))], [0, 3]);
    }

    #[test]
    fn a_file_that_is_written_again_under_an_old_name_is_another_one() {
        let from = Some(repo_path("a.py"));
        let moved = FileChange {
            from,
            kind: EditKind::Rename,
            ..recorded_change("b.py", Some("x"), Some("x"))
        };
        let again = recorded_change("a.py", None, Some("y"));
        let first = recorded_change("a.py", None, Some("x"));
        let step_changes = |at, change: &FileChange| (step_id(0, at), vec![change.clone()]);
        let steps = vec![step_changes(0, &first), step_changes(1, &moved), step_changes(2, &again)];
        let net = vec![again.clone(), recorded_change("b.py", None, Some("x"))];
        let events = FileEvents::from_timeline(&Timeline {
            turns: vec![turn_files(steps, net)],
            ..Timeline::default()
        });

        let count = |name| events.changes_of_file(&repo_path(name), None).map(|it| it.len());
        assert_eq!((count("a.py"), count("b.py"), events.at.len()), (Some(1), Some(2), 3));
    }
}
