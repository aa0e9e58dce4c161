//! Works out the files over time, from commits, from recorded edits, or from edits and snapshots.

use std::{
    iter::Peekable,
    sync::{Arc, mpsc},
    thread,
};

use trajview_code::patch::LineCounts;
use trajview_formats as formats;
use trajview_formats::Executor;
use trajview_run::{
    Edit, EditKind, Place, Run, Step, StepId, Warning,
    files::{
        Blob, BlobId, Blobs, Change, EditBodies, FilesFrom, MemoryBlobs, Origin, RecordedChange,
        RecordedEdit, Timeline, Tree, TurnFiles, renames,
        replay::{self, Before, Replayer},
    },
    fitted,
};

use super::{
    bytes::{Bytes, OnDisk},
    executor::Threads,
    harness::{self, Compared},
    repo::{Comparisons, Repo},
    snapshot::Snapshots,
};

/// What the timeline is made from.
pub struct Recording<'a> {
    pub run: &'a Run,
    pub files: &'a [Bytes],
    pub repo: Option<&'a Repo>,
    pub snapshots: Option<&'a Snapshots>,
}

/// The timeline, and the contents that recorded edits brought about. The error is a sentence.
pub fn build(recording: &Recording<'_>) -> Result<(Timeline, MemoryBlobs), String> {
    let mut made = MemoryBlobs::beside(Arc::new(Bodies::of(recording)));
    let has_commits = recording.run.turns.iter().any(|turn| turn.commit.is_some());
    let on_the_way = recording.snapshots.is_some_and(|snapshots| snapshots.are_commits);
    let timeline = thread::scope(|scope| {
        let mut told = all_told(recording, scope);
        match recording.repo.filter(|_| has_commits && !on_the_way) {
            Some(repo) => from_commits(recording, repo, &mut told, &mut made),
            None => Ok(from_edits(recording, &mut told, &mut made)),
        }
    })?;
    Ok((timeline, made))
}

/// Edits only, or edits on the way from one recorded tree to the next.
fn from_edits(
    recording: &Recording<'_>,
    told: &mut AllTold<'_>,
    made: &mut MemoryBlobs,
) -> Timeline {
    let run = recording.run;
    let started = match recording.snapshots {
        Some(snapshots) => snapshots.before.clone(),
        None => start_of(recording).or_else(|| harness::starts_empty(run).then(Tree::default)),
    };
    let before_us = if started.is_some() { Before::Complete } else { Before::Partial };
    let mut base = started.unwrap_or_default();
    let reader: &dyn Blobs = match (recording.repo, recording.snapshots) {
        (Some(repo), _) => repo,
        (None, Some(snapshots)) => snapshots,
        (None, None) => &Nowhere,
    };
    let mut replayer = Replayer::new(base.clone(), before_us, reader, made);
    let mut compared = Compared::default();
    let turn = |turn: usize| {
        let snapshot = recording.snapshots.and_then(|snapshots| snapshots.ends.get(&turn));
        let commit = snapshot.filter(|_| recording.snapshots.is_some_and(|it| it.are_commits));
        let start = commit.map(|_| replayer.tree.clone());
        let mut all = compared.before(recording, turn, &mut replayer);
        let steps = steps_of(turn, &mut replayer, told);
        all.extend(steps.iter().flat_map(|(_, changes)| changes.iter().cloned()));
        all.extend(compared.after(run, turn, snapshot, &mut replayer));
        if let Some(snapshot) = snapshot {
            all.extend(replayer.arrive_at(snapshot));
        }
        let mut changes = replay::net(&all);
        if let (Some(start), Some(commit)) = (start, commit) {
            // What was committed is told whole, whatever the log tells of the way.
            let mut seen = start.changes_to(commit, Origin::Outside);
            let told: Vec<Change> =
                steps.iter().flat_map(|(_, changes)| changes.iter().cloned()).collect();
            replay::explain(&mut seen, &replay::net(&told));
            changes = seen;
        }
        TurnFiles { changes, steps, is_untold: false }
    };
    let mut turns: Vec<TurnFiles> = (0..run.turns.len()).map(turn).collect();
    base.files.append(&mut replayer.base.files);
    let blobs = AllBlobs { made, repo: recording.repo, snapshots: recording.snapshots };
    for turn in &mut turns {
        turn.changes = renames::find(std::mem::take(&mut turn.changes), &blobs);
    }
    let is_known = before_us == Before::Complete || !base.files.is_empty();
    mark_untold(recording, is_known, &mut turns);
    let from = match recording.snapshots {
        Some(snapshots) if snapshots.are_commits => FilesFrom::Commits,
        Some(_) => FilesFrom::Snapshots,
        None if compared.has_compared => FilesFrom::Comparisons,
        None => FilesFrom::RecordedEdits,
    };
    Timeline { from, base, turns, warnings: compared.warnings }
}

/// The files that a run under way begins with, before any of its turns is committed.
fn start_of(recording: &Recording<'_>) -> Option<Tree> {
    let commit = recording.run.origin.start_commit.as_deref()?;
    recording.repo?.tree(commit).ok()
}

/// Marks the turns after which nothing says what the files are. `is_known` is of the moment before the first.
fn mark_untold(recording: &Recording<'_>, mut is_known: bool, turns: &mut [TurnFiles]) {
    for (at, turn) in turns.iter_mut().enumerate() {
        let has_snapshot =
            recording.snapshots.is_some_and(|snapshots| snapshots.ends.contains_key(&at));
        let goes_on = is_known || !turn.changes.is_empty();
        is_known = has_snapshot || (goes_on && !harness::is_silent(recording.run, at));
        turn.is_untold = !is_known;
    }
}

fn from_commits(
    recording: &Recording<'_>,
    repo: &Repo,
    told: &mut AllTold<'_>,
    made: &mut MemoryBlobs,
) -> Result<Timeline, String> {
    let first = recording.run.turns.iter().find_map(|turn| turn.commit.as_deref());
    let start = recording.run.origin.start_commit.clone();
    let start = start.filter(|commit| repo.has_commit(commit));
    let mut last = start.or_else(|| repo.parent(first?));
    let base = last.as_deref().map(|commit| repo.tree(commit)).transpose()?.unwrap_or_default();
    // One tree for all turns: there may be thousands of each, turns and files.
    let mut replayer = Replayer::new(base.clone(), Before::Complete, repo, made).on_trial();
    let mut turns = vec![];
    let mut unread = vec![];
    let mut carried = Comparisons::default();
    for (at, turn) in recording.run.turns.iter().enumerate() {
        let steps = steps_of(at, &mut replayer, told);
        replayer.take_back();
        let commit = turn.commit.as_deref().filter(|commit| repo.has_commit(commit));
        let read = commit.map(|commit| repo.changes(last.as_deref(), commit, &mut carried));
        let is_untold = !matches!(read, Some(Ok(_)));
        let changes = match read {
            None => vec![], // seen with the next commit
            Some(Err(why)) => {
                unread.push((at + 1, why));
                vec![]
            }
            Some(Ok(mut changes)) => {
                let told: Vec<Change> =
                    steps.iter().flat_map(|(_, changes)| changes.iter().cloned()).collect();
                replay::explain(&mut changes, &replay::net(&told));
                last = commit.map(str::to_owned);
                changes
            }
        };
        changes.iter().for_each(|change| replayer.tree.apply(change));
        turns.push(TurnFiles { changes, steps, is_untold });
    }
    let warnings = unread_turns(repo.name(), &unread);
    Ok(Timeline { from: FilesFrom::Commits, base, turns, warnings })
}

/// One warning about the turns whose commits could not be read: the first reason stands for all.
fn unread_turns(repo: &str, unread: &[(usize, String)]) -> Vec<Warning> {
    let Some(((turn, why), more)) = unread.split_first() else { return vec![] };
    let turns = match more.len() {
        0 => format!("turn {turn}"),
        more => format!("turn {turn} and {more} more"),
    };
    let what = format!("the files after {turns} are not known: {why}");
    vec![Warning { place: repo.to_owned(), what }]
}

/// Carries out the recorded edits of one turn, sub-agents' included, in playing order.
fn steps_of(
    turn: usize,
    replayer: &mut Replayer<'_>,
    told: &mut AllTold<'_>,
) -> Vec<(StepId, Vec<Change>)> {
    let mut steps = vec![];
    while let Some(Told { id, step, bodies }) = told.next_if(|told| told.id.turn == turn) {
        let changes: Vec<Change> = (step.edits.iter().zip(&bodies))
            .flat_map(|(edit, (body, written))| replayer.edit(edit, body, *written))
            .collect();
        if !changes.is_empty() {
            steps.push((id, fitted(changes)));
        }
    }
    fitted(steps)
}

/// A step that edits, and what its edits say, with the ids of whole files that they write: to find those takes as long as all else.
struct Told<'a> {
    id: StepId,
    step: &'a Step,
    bodies: Vec<(RecordedEdit, Option<BlobId>)>,
}

/// Every step of a run that edits, in playing order.
type AllTold<'a> = Peekable<Box<dyn Iterator<Item = Told<'a>> + 'a>>;

/// Steps that are read before any of them is handed on.
const A_BATCH: usize = 32;

/// Batches that may wait.
const AHEAD: usize = 4;

/// One edit is carried out after the other; where there are many, what they say is read meanwhile by another thread.
fn all_told<'scope, 'a: 'scope>(
    recording: &'a Recording<'a>,
    scope: &'scope thread::Scope<'scope, '_>,
) -> AllTold<'scope> {
    let run = recording.run;
    let ids = (0..run.turns.len()).flat_map(|turn| run.steps_of_turn(turn));
    let stays = |id: &StepId| !id.subagent.is_some_and(|agent| run.was_left(agent));
    let steps = ids.filter(stays).filter_map(|id| Some((id, run.step(id)?)));
    let steps: Vec<(StepId, &Step)> = steps.filter(|(_, step)| !step.edits.is_empty()).collect();
    let mut room = vec![];
    let mut read = move |(id, step): (StepId, &'a Step)| {
        let body = |edit| {
            let body = body_in(recording, edit, &mut room);
            let written = match &body.change {
                RecordedChange::Write(text) => Some(BlobId::of(text.as_bytes())),
                _ => None,
            };
            (body, written)
        };
        Told { id, step, bodies: step.edits.iter().map(body).collect() }
    };
    let all: Box<dyn Iterator<Item = Told<'scope>> + 'scope> =
        if steps.len() <= 2 * A_BATCH || Threads::all().count() == 1 {
            Box::new(steps.into_iter().map(read))
        } else {
            let (ready, batches) = mpsc::sync_channel(AHEAD);
            scope.spawn(move || {
                let batches = steps.chunks(A_BATCH);
                let mut read = batches.map(|batch| batch.iter().copied().map(&mut read).collect());
                // Nobody waits for what is left where the timeline cannot be built.
                let _ = read.try_for_each(|batch: Vec<Told<'_>>| ready.send(batch));
            });
            Box::new(batches.into_iter().flatten())
        };
    all.peekable()
}

/// The body of one edit; one that cannot be read counts as not recorded.
pub fn body_of(recording: &Recording<'_>, edit: &Edit) -> RecordedEdit {
    body_in(recording, edit, &mut vec![])
}

/// As [`body_of`], with room for records that are read from the disk.
fn body_in(recording: &Recording<'_>, edit: &Edit, room: &mut Vec<u8>) -> RecordedEdit {
    let source = edit.place.source.0 as usize;
    let file = recording.files.get(source);
    let record = file.map(|file| file.record_in(edit.place, room)).unwrap_or_default();
    let format =
        recording.run.origin.sources.get(source).and_then(|source| formats::by_name(source.format));
    let not_recorded = || {
        let change = if edit.kind == EditKind::Delete {
            RecordedChange::Delete
        } else {
            RecordedChange::NotRecorded
        };
        RecordedEdit { before: None, change }
    };
    format.and_then(|format| format.edit(record, edit)).unwrap_or_else(not_recorded)
}

/// The files of a recording that are left on the disk, each with the name of its format: enough to read edits again.
#[derive(Debug)]
struct Bodies(Vec<Option<(OnDisk, &'static str)>>);

impl Bodies {
    fn of(recording: &Recording<'_>) -> Self {
        let files = recording.files.iter().zip(&recording.run.origin.sources);
        let on_disk = files.map(|(bytes, source)| match bytes {
            Bytes::Held(_) => None,
            Bytes::OnDisk(disk) => Some((disk.clone(), source.format)),
        });
        Self(on_disk.collect())
    }

    fn file(&self, place: Place) -> Option<&(OnDisk, &'static str)> {
        self.0.get(place.source.0 as usize)?.as_ref()
    }
}

impl EditBodies for Bodies {
    fn body(&self, edit: &Edit) -> Option<RecordedEdit> {
        let (disk, format) = self.file(edit.place)?;
        formats::by_name(format)?.edit(disk.record(edit.place, &mut vec![]), edit)
    }

    fn is_on_disk(&self, place: Place) -> bool {
        self.file(place).is_some()
    }
}

/// Where there is no repository, contents come from edits only.
struct Nowhere;

impl Blobs for Nowhere {
    fn blob(&self, id: BlobId) -> Result<Blob, String> {
        Err(format!("content {id} is not in the recording"))
    }
}

/// Contents from wherever they are: put together from edits, in the repository, in a snapshot.
pub struct AllBlobs<'a> {
    pub made: &'a MemoryBlobs,
    pub repo: Option<&'a Repo>,
    pub snapshots: Option<&'a Snapshots>,
}

impl Blobs for AllBlobs<'_> {
    fn blob(&self, id: BlobId) -> Result<Blob, String> {
        if let Some(blob) = self.made.get(id) {
            return Ok(blob);
        }
        match (self.repo, self.snapshots) {
            (Some(repo), _) => repo.blob(id),
            (None, Some(snapshots)) => snapshots.blob(id),
            (None, None) => Nowhere.blob(id),
        }
    }
    fn line_counts(&self, old: Option<BlobId>, new: Option<BlobId>) -> Option<LineCounts> {
        self.made.line_counts(old, new)
    }
}
