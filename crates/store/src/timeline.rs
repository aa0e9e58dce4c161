//! Works out the files over time, from commits, from recorded edits, or from edits and snapshots.

use std::{
    iter::Peekable,
    sync::{Arc, mpsc},
    thread,
};

use trajview_code::patch::LineCounts;
use trajview_formats as formats;
use trajview_formats::PieceExecutor;
use trajview_run::{
    Edit, EditKind, RecordPlace, Run, Step, StepId, Warning,
    files::{
        Blob, BlobId, Blobs, ChangeOrigin, EditBodies, FileChange, FilesSource, MemoryBlobs,
        RecordedChange, RecordedEdit, SourceTree, Timeline, TurnFiles, renames,
        replay::{self, BaseCompleteness, Replayer},
    },
    shrink_list,
};

use super::{
    diff_json::{self, TreeComparison},
    executor::WorkerThreads,
    file_bytes::{FileBytes, FileOnDisk},
    repo::{CommitComparisons, Repo},
    snapshot::Snapshots,
};

/// The input of the timeline.
pub struct TimelineSource<'a> {
    pub run: &'a Run,
    pub files: &'a [FileBytes],
    pub repo: Option<&'a Repo>,
    pub snapshots: Option<&'a Snapshots>,
}

/// Returns the timeline, and the contents that recorded edits brought about. The error is a sentence.
pub(crate) fn build_timeline(
    recording: &TimelineSource<'_>,
) -> Result<(Timeline, MemoryBlobs), String> {
    let mut rebuilt = MemoryBlobs::with_bodies(Arc::new(BodiesOnDisk::from_source(recording)));
    let has_commits = recording.run.turns.iter().any(|turn| turn.commit.is_some());
    let snapshots_are_commits = recording.snapshots.is_some_and(|snapshots| snapshots.are_commits);
    let timeline = thread::scope(|scope| {
        let mut editing_steps = read_editing_steps(recording, scope);
        match recording.repo.filter(|_| has_commits && !snapshots_are_commits) {
            Some(repo) => from_commits(recording, repo, &mut editing_steps, &mut rebuilt),
            None => Ok(from_edits(recording, &mut editing_steps, &mut rebuilt)),
        }
    })?;
    Ok((timeline, rebuilt))
}

/// Builds the timeline from edits only, or from edits between one recorded tree and the next.
fn from_edits(
    recording: &TimelineSource<'_>,
    editing_steps: &mut EditingSteps<'_>,
    rebuilt: &mut MemoryBlobs,
) -> Timeline {
    let run = recording.run;
    let started = match recording.snapshots {
        Some(snapshots) => snapshots.before.clone(),
        None => {
            start_tree(recording).or_else(|| diff_json::starts_empty(run).then(SourceTree::default))
        }
    };
    let before_us =
        if started.is_some() { BaseCompleteness::Complete } else { BaseCompleteness::Partial };
    let mut base = started.unwrap_or_default();
    let reader: &dyn Blobs = match (recording.repo, recording.snapshots) {
        (Some(repo), _) => repo,
        (None, Some(snapshots)) => snapshots,
        (None, None) => &NoContents,
    };
    let mut replayer = Replayer::new(base.clone(), before_us, reader, rebuilt);
    let mut compared = TreeComparison::default();
    let turn = |turn: usize| {
        let snapshot = recording.snapshots.and_then(|snapshots| snapshots.ends.get(&turn));
        let commit = snapshot.filter(|_| recording.snapshots.is_some_and(|it| it.are_commits));
        let start = commit.map(|_| replayer.tree.clone());
        let mut all = compared.changes_before(recording, turn, &mut replayer);
        let steps = replay_turn(turn, &mut replayer, editing_steps);
        all.extend(steps.iter().flat_map(|(_, changes)| changes.iter().cloned()));
        all.extend(compared.changes_after(run, turn, snapshot, &mut replayer));
        if let Some(snapshot) = snapshot {
            all.extend(replayer.accept_snapshot(snapshot));
        }
        let mut changes = replay::net_changes(&all);
        if let (Some(start), Some(commit)) = (start, commit) {
            // A commit is reported whole, whatever edits the log has.
            let mut seen = start.changes_to(commit, ChangeOrigin::Outside);
            let step_changes: Vec<FileChange> =
                steps.iter().flat_map(|(_, changes)| changes.iter().cloned()).collect();
            replay::mark_origins(&mut seen, &replay::net_changes(&step_changes));
            changes = seen;
        }
        TurnFiles { changes, steps, is_unknown: false }
    };
    let mut turns: Vec<TurnFiles> = (0..run.turns.len()).map(turn).collect();
    base.files.append(&mut replayer.base.files);
    let blobs = AllBlobs { rebuilt, repo: recording.repo, snapshots: recording.snapshots };
    for turn in &mut turns {
        turn.changes = renames::pair_renames(std::mem::take(&mut turn.changes), &blobs);
    }
    let is_known = before_us == BaseCompleteness::Complete || !base.files.is_empty();
    mark_unknown_turns(recording, is_known, &mut turns);
    let from = match recording.snapshots {
        Some(snapshots) if snapshots.are_commits => FilesSource::Commits,
        Some(_) => FilesSource::Snapshots,
        None if compared.has_compared => FilesSource::Comparisons,
        None => FilesSource::RecordedEdits,
    };
    Timeline { from, base, turns, warnings: compared.warnings }
}

/// Returns the files at the beginning of a live run, before any of its turns is committed.
fn start_tree(recording: &TimelineSource<'_>) -> Option<SourceTree> {
    let commit = recording.run.origin.start_commit.as_deref()?;
    recording.repo?.tree_of_commit(commit).ok()
}

/// Marks the turns after which the files are not known. `is_known` is that of the moment before the first.
fn mark_unknown_turns(recording: &TimelineSource<'_>, mut is_known: bool, turns: &mut [TurnFiles]) {
    for (at, turn) in turns.iter_mut().enumerate() {
        let has_snapshot =
            recording.snapshots.is_some_and(|snapshots| snapshots.ends.contains_key(&at));
        let can_follow_edits = is_known || !turn.changes.is_empty();
        is_known =
            has_snapshot || (can_follow_edits && !diff_json::is_turn_unrecorded(recording.run, at));
        turn.is_unknown = !is_known;
    }
}

fn from_commits(
    recording: &TimelineSource<'_>,
    repo: &Repo,
    editing_steps: &mut EditingSteps<'_>,
    rebuilt: &mut MemoryBlobs,
) -> Result<Timeline, String> {
    let first = recording.run.turns.iter().find_map(|turn| turn.commit.as_deref());
    let start = recording.run.origin.start_commit.clone();
    let start = start.filter(|commit| repo.has_commit(commit));
    let mut last = start.or_else(|| repo.first_parent(first?));
    let base =
        last.as_deref().map(|commit| repo.tree_of_commit(commit)).transpose()?.unwrap_or_default();
    // One tree for all turns: there may be thousands of each, turns and files.
    let mut replayer =
        Replayer::new(base.clone(), BaseCompleteness::Complete, repo, rebuilt).with_undo();
    let mut turns = vec![];
    let mut unread = vec![];
    let mut comparisons = CommitComparisons::default();
    for (at, turn) in recording.run.turns.iter().enumerate() {
        let steps = replay_turn(at, &mut replayer, editing_steps);
        replayer.undo_edits();
        let commit = turn.commit.as_deref().filter(|commit| repo.has_commit(commit));
        let read =
            commit.map(|commit| repo.changes_between(last.as_deref(), commit, &mut comparisons));
        let is_unknown = !matches!(read, Some(Ok(_)));
        let changes = match read {
            None => vec![], // seen with the next commit
            Some(Err(why)) => {
                unread.push((at + 1, why));
                vec![]
            }
            Some(Ok(mut changes)) => {
                let step_changes: Vec<FileChange> =
                    steps.iter().flat_map(|(_, changes)| changes.iter().cloned()).collect();
                replay::mark_origins(&mut changes, &replay::net_changes(&step_changes));
                last = commit.map(str::to_owned);
                changes
            }
        };
        replayer.tree.apply_changes(&changes);
        turns.push(TurnFiles { changes, steps, is_unknown });
    }
    let warnings = unread_turns_warning(repo.name(), &unread);
    Ok(Timeline { from: FilesSource::Commits, base, turns, warnings })
}

/// Returns one warning about the turns whose commits could not be read: the first reason represents all.
fn unread_turns_warning(repo: &str, unread: &[(usize, String)]) -> Vec<Warning> {
    let Some(((turn, why), more)) = unread.split_first() else { return vec![] };
    let turns = match more.len() {
        0 => format!("turn {turn}"),
        more => format!("turn {turn} and {more} more"),
    };
    let what = format!("the files after {turns} are not known: {why}");
    vec![Warning { place: repo.to_owned(), what }]
}

/// Applies the recorded edits of one turn, sub-agents' included, in playing order.
fn replay_turn(
    turn: usize,
    replayer: &mut Replayer<'_>,
    editing_steps: &mut EditingSteps<'_>,
) -> Vec<(StepId, Vec<FileChange>)> {
    let mut steps = vec![];
    while let Some(EditingStep { id, step, bodies }) =
        editing_steps.next_if(|next| next.id.turn == turn)
    {
        let changes: Vec<FileChange> = (step.edits.iter().zip(&bodies))
            .flat_map(|(edit, (body, written))| replayer.apply_edit(edit, body, *written))
            .collect();
        if !changes.is_empty() {
            steps.push((id, shrink_list(changes)));
        }
    }
    shrink_list(steps)
}

/// A step that edits, with the bodies of its edits and the ids of whole files that they write: to compute those takes
/// as long as all else.
struct EditingStep<'a> {
    id: StepId,
    step: &'a Step,
    bodies: Vec<(RecordedEdit, Option<BlobId>)>,
}

/// Every step of a run that edits, in playing order.
type EditingSteps<'a> = Peekable<Box<dyn Iterator<Item = EditingStep<'a>> + 'a>>;

/// The number of steps that are read together before they are passed on.
const BATCH_STEPS: usize = 32;

/// The number of batches that may wait.
const BATCHES_AHEAD: usize = 4;

/// Reads the steps that edit. Edits are applied one after the other; where there are many, another thread reads their
/// bodies meanwhile.
fn read_editing_steps<'scope, 'a: 'scope>(
    recording: &'a TimelineSource<'a>,
    scope: &'scope thread::Scope<'scope, '_>,
) -> EditingSteps<'scope> {
    let run = recording.run;
    let ids = (0..run.turns.len()).flat_map(|turn| run.steps_of_turn(turn));
    let stays = |id: &StepId| !id.subagent.is_some_and(|agent| run.was_left(agent));
    let steps = ids.filter(stays).filter_map(|id| Some((id, run.step(id)?)));
    let steps: Vec<(StepId, &Step)> = steps.filter(|(_, step)| !step.edits.is_empty()).collect();
    let mut room = vec![];
    let mut read = move |(id, step): (StepId, &'a Step)| {
        let body = |edit| {
            let body = edit_body_in(recording, edit, &mut room);
            let written = match &body.change {
                RecordedChange::Write(text) => Some(BlobId::for_bytes(text.as_bytes())),
                _ => None,
            };
            (body, written)
        };
        EditingStep { id, step, bodies: step.edits.iter().map(body).collect() }
    };
    let all: Box<dyn Iterator<Item = EditingStep<'scope>> + 'scope> =
        if steps.len() <= 2 * BATCH_STEPS || WorkerThreads::for_all_cores().worker_count() == 1 {
            Box::new(steps.into_iter().map(read))
        } else {
            let (ready, batches) = mpsc::sync_channel(BATCHES_AHEAD);
            scope.spawn(move || {
                let batches = steps.chunks(BATCH_STEPS);
                let mut read = batches.map(|batch| batch.iter().copied().map(&mut read).collect());
                // Nobody waits for what is left where the timeline cannot be built.
                let _ = read.try_for_each(|batch: Vec<EditingStep<'_>>| ready.send(batch));
            });
            Box::new(batches.into_iter().flatten())
        };
    all.peekable()
}

/// Returns the body of one edit; one that cannot be read counts as not recorded.
pub fn edit_body(recording: &TimelineSource<'_>, edit: &Edit) -> RecordedEdit {
    edit_body_in(recording, edit, &mut vec![])
}

/// Works as [`edit_body`], with room for records that are read from the disk.
fn edit_body_in(recording: &TimelineSource<'_>, edit: &Edit, room: &mut Vec<u8>) -> RecordedEdit {
    let source = edit.place.source.0 as usize;
    let file = recording.files.get(source);
    let record = file.map(|file| file.record_bytes_in(edit.place, room)).unwrap_or_default();
    let format = recording
        .run
        .origin
        .sources
        .get(source)
        .and_then(|source| formats::format_by_name(source.format));
    let not_recorded = || {
        let change = if edit.kind == EditKind::Delete {
            RecordedChange::Delete
        } else {
            RecordedChange::NotRecorded
        };
        RecordedEdit { before: None, change }
    };
    format.and_then(|format| format.recorded_edit(record, edit)).unwrap_or_else(not_recorded)
}

/// The files of a recording that are left on the disk, each with the name of its format: enough to read edits again.
#[derive(Debug)]
struct BodiesOnDisk(Vec<Option<(FileOnDisk, &'static str)>>);

impl BodiesOnDisk {
    fn from_source(recording: &TimelineSource<'_>) -> Self {
        let files = recording.files.iter().zip(&recording.run.origin.sources);
        let on_disk = files.map(|(bytes, source)| match bytes {
            FileBytes::InMemory(_) => None,
            FileBytes::OnDisk(disk) => Some((disk.clone(), source.format)),
        });
        Self(on_disk.collect())
    }

    fn file_at(&self, place: RecordPlace) -> Option<&(FileOnDisk, &'static str)> {
        self.0.get(place.source.0 as usize)?.as_ref()
    }
}

impl EditBodies for BodiesOnDisk {
    fn edit_body(&self, edit: &Edit) -> Option<RecordedEdit> {
        let (disk, format) = self.file_at(edit.place)?;
        formats::format_by_name(format)?
            .recorded_edit(disk.read_record(edit.place, &mut vec![]), edit)
    }

    fn is_on_disk(&self, place: RecordPlace) -> bool {
        self.file_at(place).is_some()
    }
}

/// The contents of a recording without a repository: they come from edits only.
struct NoContents;

impl Blobs for NoContents {
    fn read_blob(&self, id: BlobId) -> Result<Blob, String> {
        Err(format!("content {id} is not in the recording"))
    }
}

/// All contents of a run: those put together from edits, those in the repository and those in snapshots.
pub struct AllBlobs<'a> {
    pub rebuilt: &'a MemoryBlobs,
    pub repo: Option<&'a Repo>,
    pub snapshots: Option<&'a Snapshots>,
}

impl Blobs for AllBlobs<'_> {
    fn read_blob(&self, id: BlobId) -> Result<Blob, String> {
        if let Some(blob) = self.rebuilt.get(id) {
            return Ok(blob);
        }
        match (self.repo, self.snapshots) {
            (Some(repo), _) => repo.read_blob(id),
            (None, Some(snapshots)) => snapshots.read_blob(id),
            (None, None) => NoContents.read_blob(id),
        }
    }
    fn line_counts(&self, old: Option<BlobId>, new: Option<BlobId>) -> Option<LineCounts> {
        self.rebuilt.line_counts(old, new)
    }
}
