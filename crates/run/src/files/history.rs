//! The history of one thing: every change to a file, or to a definition in it, over the run, whatever it was called.
//!
//! [`Events`] takes a [`Timeline`] apart: in the place of a turn stand its steps, each with what it is recorded to have edited,
//! and where these do not explain the files that follow an event of its own, which no step names. A file is followed over
//! them here; a definition by `metrics::lifeline`, for which a timeline of events is one like any other.

use std::collections::{BTreeMap, BTreeSet};

use super::{Change, Content, FileDiff, Moment, Origin, Timeline, Tree, TreeFile, Version};
use crate::{EditKind, RepoPath, Run, StepId, values::worded};

/// When files changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Counts from 0.
    pub turn: usize,
    /// None where no step is recorded to have done it: it was seen in the files of a later edit, or at the turn's end.
    pub step: Option<StepId>,
}

/// The files of a run over time, event by event.
#[derive(Debug, Clone, Default)]
pub struct Events {
    /// Its turns are the events.
    pub timeline: Timeline,
    /// When each of them was, in playing order.
    pub at: Vec<Event>,
}

/// Whose history is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wanted {
    pub path: RepoPath,
    pub thing: Thing,
    /// When the file is called so; None for the last time it was.
    pub at: Option<Moment>,
}

/// What of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Thing {
    File,
    /// The innermost function, class or value around this line, which counts from 1; the file where there is none.
    Around(usize),
    /// A function, class or value by its dotted name, or by the end of it.
    Symbol(String),
}

/// Every change to one thing.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Where it stands at the moment asked for.
    pub place: Place,
    /// In playing order.
    pub entries: Vec<Entry>,
}

/// A file, or a definition in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: RepoPath,
    /// Its dotted name; None for the whole file.
    pub symbol: Option<String>,
}

/// One change to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub event: Event,
    /// The number of the step in its turn, counts from 1; None where no step did it.
    pub number: Option<usize>,
    pub what: What,
    /// Where it stands after it; of what is gone, where it stood.
    pub place: Place,
    /// Where it stood before, if elsewhere or under another name.
    pub from: Option<Place>,
    pub origin: Origin,
    /// The lines of it that changed, without the texts around; numbered as in the files.
    pub diff: FileDiff,
}

worded! {
    /// What became of it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum What {
        Created = "created",
        Changed = "changed",
        /// Under another name; a definition that is in another file now is [`What::Moved`].
        Renamed = "renamed",
        Moved = "moved",
        /// Another definition has its body now.
        TakenIn = "taken in",
        Deleted = "deleted",
        /// Created once more after it was deleted.
        Back = "back",
    }
}

impl History {
    /// Position of the last change up to a moment; None where there is none before it.
    pub fn last_at(&self, run: &Run, moment: Moment) -> Option<usize> {
        let events: Vec<Event> = self.entries.iter().map(|entry| entry.event).collect();
        last_done(&events, run, moment)
    }
}

/// Position of the last event that is done at a moment.
fn last_done(events: &[Event], run: &Run, moment: Moment) -> Option<usize> {
    let numbers = moment.step.map(|step| (step, run.step_numbers(step.turn)));
    events.iter().rposition(|event| match (&numbers, event.step) {
        _ if event.turn < moment.turns => true,
        (Some((last, numbers)), Some(step)) if event.turn == last.turn => {
            numbers.get(&step) <= numbers.get(last)
        }
        _ => false,
    })
}

impl Place {
    /// `src/loss.py::joint_loss`
    pub fn words(&self) -> String {
        match &self.symbol {
            Some(symbol) => format!("{}::{symbol}", self.path),
            None => self.path.to_string(),
        }
    }
}

impl Entry {
    /// `12.7`, or `12` where no step did it.
    pub fn moment(&self) -> String {
        let turn = self.event.turn + 1;
        self.number.map_or_else(|| turn.to_string(), |number| format!("{turn}.{number}"))
    }

    /// `moved from src/old.py`, after the thing's name.
    pub fn words(&self) -> String {
        let word = self.what.word();
        match (&self.from, self.what) {
            (_, What::TakenIn) => format!("taken into {}", self.place.words()),
            (Some(from), _) if from.path == self.place.path => {
                format!("{word} from {}", from.symbol.as_deref().unwrap_or_default())
            }
            (Some(from), _) => format!("{word} from {}", from.words()),
            (None, _) => word.to_owned(),
        }
    }
}

impl Events {
    /// Takes a timeline apart.
    pub fn of(timeline: &Timeline) -> Self {
        let (from, base) = (timeline.from, timeline.base.clone());
        let mut events =
            Self { timeline: Timeline { from, base, ..Timeline::default() }, at: vec![] };
        // As after the events so far, and as the timeline has the ends of the turns.
        let (mut tree, mut whole) = (timeline.base.clone(), timeline.base.clone());
        for (turn, files) in timeline.turns.iter().enumerate() {
            let mut touched = BTreeSet::new();
            for (step, changes) in &files.steps {
                let seen = changes.iter().filter_map(|change| seen_before(&tree, change)).collect();
                events.add(Event { turn, step: None }, seen, &mut tree);
                touched.extend(changes.iter().flat_map(paths));
                events.add(Event { turn, step: Some(*step) }, changes.clone(), &mut tree);
            }
            files.changes.iter().for_each(|change| whole.apply(change));
            touched.extend(files.changes.iter().flat_map(paths));
            if !files.is_untold {
                let rest = unexplained(&tree, &whole, &touched, &files.changes);
                events.add(Event { turn, step: None }, rest, &mut tree);
            }
            for path in touched {
                match whole.files.get(&path) {
                    Some(file) => drop(tree.files.insert(path, *file)),
                    None => drop(tree.files.remove(&path)),
                }
            }
        }
        events
    }

    fn add(&mut self, event: Event, changes: Vec<Change>, tree: &mut Tree) {
        if changes.is_empty() {
            return;
        }
        changes.iter().for_each(|change| tree.apply(change));
        self.at.push(event);
        self.timeline.turns.push(super::TurnFiles { changes, ..Default::default() });
    }

    /// How many of them are done at a moment.
    pub fn done_at(&self, run: &Run, moment: Moment) -> usize {
        last_done(&self.at, run, moment).map_or(0, |last| last + 1)
    }

    /// The changes of the file that has a path after so many events (None: when one last had it), each with its event, in
    /// playing order. None where no file has that path then.
    pub fn of_file(&self, path: &RepoPath, done: Option<usize>) -> Option<Vec<(usize, &Change)>> {
        let mut files = Files::default();
        self.timeline.base.files.keys().for_each(|path| files.begin(path));
        let mut wanted = files.here.get(path).copied().filter(|_| done.is_none_or(|it| it == 0));
        for (at, event) in self.timeline.turns.iter().enumerate() {
            event.changes.iter().for_each(|change| files.take(at, change));
            match done {
                Some(done) if done == at + 1 => wanted = files.here.get(path).copied(),
                Some(_) => {}
                None => wanted = files.here.get(path).copied().or(wanted),
            }
        }
        Some(std::mem::take(files.changes.get_mut(wanted?)?))
    }
}

/// Files by where they are, followed through renames.
#[derive(Default)]
struct Files<'e> {
    here: BTreeMap<RepoPath, usize>,
    /// Those that were deleted, by where they were last.
    gone: BTreeMap<RepoPath, usize>,
    changes: Vec<Vec<(usize, &'e Change)>>,
}

impl<'e> Files<'e> {
    fn begin(&mut self, path: &RepoPath) {
        self.here.insert(path.clone(), self.changes.len());
        self.changes.push(vec![]);
    }

    fn take(&mut self, event: usize, change: &'e Change) {
        let before = change.from.as_ref().unwrap_or(&change.path);
        let known = self.here.remove(before).or_else(|| self.gone.remove(&change.path));
        let file = known.unwrap_or_else(|| {
            self.changes.push(vec![]);
            self.changes.len() - 1
        });
        self.changes[file].push((event, change));
        let is_gone = change.kind == EditKind::Delete;
        let place = if is_gone { &mut self.gone } else { &mut self.here };
        place.insert(change.path.clone(), file);
    }
}

fn paths(change: &Change) -> impl Iterator<Item = RepoPath> {
    [Some(change.path.clone()), change.from.clone()].into_iter().flatten()
}

/// What was done to a file before a step found it: another text than the one it was left with.
fn seen_before(tree: &Tree, change: &Change) -> Option<Change> {
    let path = change.from.as_ref().unwrap_or(&change.path);
    let (here, found) = (tree.files.get(path).copied(), change.before()?);
    let is_seen = found.blob().is_some() && here.is_none_or(|here| here.blob().is_some());
    (is_seen && here != Some(found)).then(|| outside(path, here, Some(found)))
}

/// What lies between the files as the steps of a turn left them and as they were at its end.
fn unexplained(
    tree: &Tree,
    whole: &Tree,
    touched: &BTreeSet<RepoPath>,
    told: &[Change],
) -> Vec<Change> {
    let part = |tree: &Tree| {
        let file = |path: &RepoPath| Some((path.clone(), *tree.files.get(path)?));
        Tree { files: touched.iter().filter_map(file).collect() }
    };
    let mut all = part(tree).changes_to(&part(whole), Origin::Outside);
    for rename in told.iter().filter(|change| change.from.is_some()) {
        let from = rename.from.as_ref();
        let gone = all.iter().position(|it| Some(&it.path) == from && it.after().is_none());
        let come = all.iter().position(|it| it.path == rename.path && it.before().is_none());
        if let (Some(gone), Some(come)) = (gone, come) {
            let version = Version::Whole { old: all[gone].before(), new: all[come].after() };
            let (path, from, kind) = (rename.path.clone(), from.cloned(), EditKind::Rename);
            all[come] = Change { path, from, kind, version, origin: Origin::Outside };
            all.remove(gone);
        }
    }
    // Where a text is not recorded, the recording must say that the steps do not explain it.
    let is_known =
        |file: Option<TreeFile>| file.is_none_or(|it| it.content != Content::NotRecorded);
    let is_told = |change: &Change| {
        told.iter().any(|it| it.path == change.path && it.origin != Origin::Recorded)
    };
    all.retain(|it| (is_known(it.before()) && is_known(it.after())) || is_told(it));
    all
}

fn outside(path: &RepoPath, old: Option<TreeFile>, new: Option<TreeFile>) -> Change {
    let kind = match (old, new) {
        (None, _) => EditKind::Create,
        (_, None) => EditKind::Delete,
        _ => EditKind::Modify,
    };
    let version = Version::Whole { old, new };
    Change { path: path.clone(), from: None, kind, version, origin: Origin::Outside }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Step, Turn,
        files::{BlobId, TurnFiles},
    };

    fn path(name: &str) -> RepoPath {
        RepoPath::new(name).unwrap()
    }

    fn file(text: &str) -> TreeFile {
        TreeFile::known(BlobId::of(text.as_bytes()))
    }

    fn change(name: &str, old: Option<&str>, new: Option<&str>) -> Change {
        let (old, new) = (old.map(file), new.map(file));
        Change { origin: Origin::Recorded, ..outside(&path(name), old, new) }
    }

    const fn step(turn: usize, step: usize) -> StepId {
        StepId { turn, subagent: None, step }
    }

    fn turn(steps: Vec<(StepId, Vec<Change>)>, changes: Vec<Change>) -> TurnFiles {
        TurnFiles { steps, changes, is_untold: false }
    }

    /// A file is created in a step, changed by nobody, found so by an edit and renamed by a command.
    fn timeline() -> Timeline {
        let made = change("a.py", None, Some("one"));
        let edit = change("a.py", Some("two"), Some("three"));
        let net = change("a.py", Some("one"), Some("three"));
        let from = Some(path("a.py"));
        let moved =
            Change { from, kind: EditKind::Rename, ..change("b.py", Some("three"), Some("three")) };
        let turns = vec![
            turn(vec![(step(0, 1), vec![made.clone()])], vec![made]),
            turn(vec![(step(1, 0), vec![edit])], vec![net]),
            turn(vec![], vec![moved]),
        ];
        Timeline { turns, ..Timeline::default() }
    }

    #[test]
    fn a_file_is_followed_through_steps_renames_and_what_no_step_names() {
        let events = Events::of(&timeline());

        let found = events.of_file(&path("b.py"), None).unwrap();

        let told: Vec<_> = found
            .iter()
            .map(|(at, change)| {
                (events.at[*at].turn, events.at[*at].step, change.kind, change.origin)
            })
            .collect();
        let expected = [
            (0, Some(step(0, 1)), EditKind::Create, Origin::Recorded),
            (1, None, EditKind::Modify, Origin::Outside),
            (1, Some(step(1, 0)), EditKind::Modify, Origin::Recorded),
            (2, None, EditKind::Rename, Origin::Outside),
        ];
        assert_eq!(told, expected);
        assert_eq!(events.of_file(&path("a.py"), Some(2)), Some(found.clone()));
        assert_eq!(events.of_file(&path("a.py"), None), Some(found));
        assert_eq!(events.of_file(&path("a.py"), Some(4)), None);
        assert_eq!(events.of_file(&path("c.py"), None), None);
    }

    #[test]
    fn events_are_counted_up_to_a_step() {
        let events = Events::of(&timeline());
        let steps = |count| Turn { steps: vec![Step::default(); count], ..Turn::default() };
        let run = Run { turns: vec![steps(2), steps(2), steps(0)], ..Run::default() };
        let done = |turns, step| events.done_at(&run, Moment { turns, step });

        assert_eq!([done(0, None), done(1, None), done(2, None), done(3, None)], [0, 1, 3, 4]);
        assert_eq!([done(0, Some(step(0, 0))), done(1, Some(step(1, 0)))], [0, 3]);
    }

    #[test]
    fn a_file_that_is_written_again_under_an_old_name_is_another_one() {
        let from = Some(path("a.py"));
        let moved = Change { from, kind: EditKind::Rename, ..change("b.py", Some("x"), Some("x")) };
        let again = change("a.py", None, Some("y"));
        let first = change("a.py", None, Some("x"));
        let of = |at, change: &Change| (step(0, at), vec![change.clone()]);
        let steps = vec![of(0, &first), of(1, &moved), of(2, &again)];
        let net = vec![again.clone(), change("b.py", None, Some("x"))];
        let events = Events::of(&Timeline { turns: vec![turn(steps, net)], ..Timeline::default() });

        let count = |name| events.of_file(&path(name), None).map(|it| it.len());
        assert_eq!((count("a.py"), count("b.py"), events.at.len()), (Some(1), Some(2), 3));
    }
}
