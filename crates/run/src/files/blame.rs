//! Blame by turn: which turn, and which step of it, last wrote a line.
//!
//! [`blame`] walks a file's versions back from a moment. From the end of a turn to the turn before, lines that both
//! have are older and wait for an earlier turn; the others are this turn's. Within the turn its steps are walked the
//! same way, as far as their recorded edits tell: a line that no step explains was changed outside recorded edits.
//! A turn means what git means by a commit: a line that a turn took away and put back is not its own.
//!
//! Lines end at `\n` and nowhere else, as everywhere here.

use std::{ops::Range, rc::Rc};

use crate::{EditKind, RepoPath, StepId, values::worded};
use trajview_code::{
    diff::{self, LineKind, Sides},
    patch::PatchHunk,
};

use super::{Blob, BlobId, Blobs, Change, FileMode, Origin, Timeline, TreeFile, Version};

/// Who last wrote a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlamedLine {
    /// Counts from 0; None for a line from before the run, and where the recording cannot tell.
    pub turn: Option<usize>,
    /// The step whose recorded edit wrote it.
    pub step: Option<StepId>,
    pub origin: LineOrigin,
}

worded! {
    /// How we know who wrote a line.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum LineOrigin {
        /// A recorded edit wrote it.
        Recorded = "recorded",
        /// It appeared in this turn, and no recorded edit explains it.
        Outside = "outside",
        /// It was there before the first turn.
        BeforeRun = "before-run",
        /// An earlier version of the file is not in the recording.
        NotRecorded = "not-recorded",
    }
}

impl LineOrigin {
    /// The words on screen; empty for what needs none.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Recorded => "",
            Self::Outside => "changed outside recorded edits",
            Self::BeforeRun => "there before the run",
            Self::NotRecorded => "not recorded who wrote it",
        }
    }

    /// One column wide, for a gutter; a space for what needs none.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Recorded => " ",
            Self::Outside => "◇",
            Self::BeforeRun => "·",
            Self::NotRecorded => "?",
        }
    }
}

/// The largest file that is blamed, in bytes.
pub const BLAME_LIMIT: usize = 8 << 20;

/// The most lines of a file that is blamed.
pub const BLAME_LINES: usize = 400_000;

/// Equal lines around a change that are compared with it, so that an added block stands where the diff has it.
const MARGIN: usize = 16;

/// After a change two versions count as together again where so many lines in a row are equal.
const TOGETHER: usize = 8;

/// How many lines, old and new together, a place to meet is looked for; beyond it all the rest is compared.
const REACH: usize = 160;

/// Who last wrote each line of `path` as it stood after `turns_done` turns: one entry a line, in order. The error is
/// a sentence that says why this file has no lines to blame.
pub fn blame(
    timeline: &Timeline,
    blobs: &dyn Blobs,
    path: &RepoPath,
    turns_done: usize,
) -> Result<Vec<BlamedLine>, String> {
    let turns = &timeline.turns[..turns_done.min(timeline.turns.len())];
    let file = timeline.tree_after(turns.len()).files.get(path).copied();
    let file = file.ok_or("no such file at that moment")?;
    let text = Text::read(file, blobs)?;
    let mut walk = Walk::new(text.line_count());
    let mut comparer = Comparer::default();
    let (mut path, mut now) = (path.clone(), text);
    for (turn, files) in turns.iter().enumerate().rev() {
        if walk.is_done() {
            break;
        }
        let Some(change) = files.changes.iter().find(|change| change.path == path) else {
            continue;
        };
        let steps: Vec<(StepId, &Change)> = files
            .steps
            .iter()
            .flat_map(|(id, changes)| changes.iter().map(|change| (*id, change)))
            .collect();
        match before(change, blobs) {
            Before::Text(old) => {
                let mut own = walk.take_new(&comparer.older_lines(&old, &now));
                own.walk_steps(&steps, &path, &now, blobs, &mut comparer);
                walk.settle(own, turn);
                now = old;
            }
            Before::Nothing => {
                let mut own = walk.take_all();
                own.walk_steps(&steps, &path, &now, blobs, &mut comparer);
                walk.settle(own, turn);
            }
            // What was there before may have had every line.
            Before::Unknown => break,
        }
        if let Some(from) = &change.from {
            path = from.clone();
        }
    }
    let is_from_base =
        timeline.base.files.get(&path).is_some_and(|file| file.blob() == Some(now.id));
    Ok(walk.finish(if is_from_base { LineOrigin::BeforeRun } else { LineOrigin::NotRecorded }))
}

/// What a change was made of.
enum Before {
    Nothing,
    Text(Text),
    Unknown,
}

fn before(change: &Change, blobs: &dyn Blobs) -> Before {
    match &change.version {
        Version::Hunks(_) | Version::Part(_) | Version::Binary => Before::Unknown,
        Version::Whole { old: None, .. } => Before::Nothing,
        Version::Whole { old: Some(old), .. } => {
            Text::read(*old, blobs).map_or(Before::Unknown, Before::Text)
        }
    }
}

/// One version of the file, cut into lines.
struct Text {
    blob: Blob,
    id: BlobId,
    /// Where each line ends, its line end included.
    ends: Vec<usize>,
}

impl Text {
    fn read(file: TreeFile, blobs: &dyn Blobs) -> Result<Self, String> {
        match file.mode {
            FileMode::Submodule => return Err("a commit of another repository has no lines".into()),
            FileMode::Link => return Err("a link has no lines".into()),
            FileMode::Regular | FileMode::Executable => {}
        }
        let id = file.blob().ok_or("the content of this file is not in the recording")?;
        let blob = blobs.blob(id)?;
        if diff::is_binary(&blob) {
            return Err("a binary file has no lines".into());
        }
        if blob.len() > BLAME_LIMIT {
            return Err(format!("too big to blame: more than {} MiB", BLAME_LIMIT >> 20));
        }
        let mut ends: Vec<usize> = memchr::memchr_iter(b'\n', &blob).map(|end| end + 1).collect();
        if ends.last().copied().unwrap_or(0) < blob.len() {
            ends.push(blob.len());
        }
        if ends.len() > BLAME_LINES {
            return Err(format!("too big to blame: more than {BLAME_LINES} lines"));
        }
        Ok(Self { blob, id, ends })
    }

    fn line_count(&self) -> usize {
        self.ends.len()
    }

    fn start(&self, line: usize) -> usize {
        line.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    fn line(&self, line: usize) -> &[u8] {
        &self.blob[self.start(line)..self.ends[line]]
    }

    /// The bytes of some lines.
    fn lines(&self, lines: &Range<usize>) -> &[u8] {
        &self.blob[self.start(lines.start)..self.start(lines.end)]
    }
}

/// For each line of `new` the line of `old` that it is; None for a new one.
fn older_lines(old: &Text, new: &Text) -> Vec<Option<usize>> {
    let mut older: Vec<Option<usize>> = Vec::with_capacity(new.line_count());
    let mut next = 0;
    for Sides { old: old_part, new: new_part } in differing(old, new) {
        older.extend((next..old_part.start).map(Some));
        next = old_part.start;
        for hunk in diff::diff_bytes(old.lines(&old_part), new.lines(&new_part), 0).hunks {
            // A hunk that adds nothing stands after the line it names.
            let within = if hunk.new_len == 0 { hunk.new_start } else { hunk.new_start - 1 };
            let equal = (new_part.start + within).saturating_sub(older.len());
            older.extend((next..next + equal).map(Some));
            older.extend(std::iter::repeat_n(None, hunk.new_len));
            next += equal + hunk.old_len;
        }
        older.extend((next..old_part.end).map(Some));
        next = old_part.end;
    }
    older.extend((next..old.line_count()).map(Some));
    debug_assert_eq!(older.len(), new.line_count());
    older.resize(new.line_count(), None);
    older
}

/// The parts in which two versions differ, in order, each with some equal lines around; what lies between them is
/// equal line by line. Versions of a file are mostly equal, and comparing the parts alone is many times faster.
fn differing(old: &Text, new: &Text) -> Vec<Sides<Range<usize>>> {
    let mut parts: Vec<Sides<Range<usize>>> = vec![];
    let counts = Sides { old: old.line_count(), new: new.line_count() };
    let mut at = Sides { old: 0, new: 0 };
    loop {
        let equal = equal_from(old, new, at, usize::MAX);
        at = Sides { old: at.old + equal, new: at.new + equal };
        if at == counts {
            return parts;
        }
        let end = meeting_after(old, new, at).unwrap_or(counts);
        let margin = MARGIN.min(equal);
        let part = Sides { old: at.old - margin..end.old, new: at.new - margin..end.new };
        let tail = equal_from(old, new, end, MARGIN);
        let part = Sides {
            old: part.old.start..part.old.end + tail,
            new: part.new.start..part.new.end + tail,
        };
        match parts.last_mut().filter(|last| last.old.end >= part.old.start) {
            Some(last) => {
                last.old.end = part.old.end;
                last.new.end = part.new.end;
            }
            None => parts.push(part),
        }
        at = end;
    }
}

/// How many lines are equal from there on; counted up to `most`.
fn equal_from(old: &Text, new: &Text, at: Sides<usize>, most: usize) -> usize {
    let most = (old.line_count() - at.old).min(new.line_count() - at.new).min(most);
    (0..most).take_while(|&by| old.line(at.old + by) == new.line(at.new + by)).count()
}

/// Where the two are together again for a while: the nearest such place, not further than [`REACH`] lines.
fn meeting_after(old: &Text, new: &Text, at: Sides<usize>) -> Option<Sides<usize>> {
    let (old_left, new_left) = (old.line_count() - at.old, new.line_count() - at.new);
    let places = (1..=REACH).flat_map(|far| {
        (far.saturating_sub(new_left)..=far.min(old_left))
            .map(move |by| Sides { old: at.old + by, new: at.new + far - by })
    });
    let is_together = |place: &Sides<usize>| {
        let left = (old.line_count() - place.old).min(new.line_count() - place.new);
        let wanted = TOGETHER.min(left);
        let is_end = place.old == old.line_count() && place.new == new.line_count();
        is_end
            || wanted > 0
                && (0..wanted).all(|by| old.line(place.old + by) == new.line(place.new + by))
    };
    places.into_iter().find(is_together)
}

/// What [`older_lines`] gives, shared.
type OlderLines = Rc<[Option<usize>]>;

/// [`older_lines`], remembering the last pair: mostly a turn has one step, and both are the same comparison.
#[derive(Default)]
struct Comparer {
    last: Option<(Sides<BlobId>, OlderLines)>,
}

impl Comparer {
    fn older_lines(&mut self, old: &Text, new: &Text) -> OlderLines {
        let pair = Sides { old: old.id, new: new.id };
        if let Some((_, older)) = self.last.as_ref().filter(|(last, _)| *last == pair) {
            return Rc::clone(older);
        }
        let older: OlderLines = older_lines(old, new).into();
        self.last = Some((pair, Rc::clone(&older)));
        older
    }
}

/// A line that still waits for its turn: where it stands in the version looked at, and which line of the file it is.
#[derive(Clone, Copy)]
struct Waiting {
    line: usize,
    target: usize,
}

struct Walk {
    blamed: Vec<Option<BlamedLine>>,
    /// Sorted by line.
    waiting: Vec<Waiting>,
}

impl Walk {
    fn new(count: usize) -> Self {
        let waiting = (0..count).map(|line| Waiting { line, target: line }).collect();
        Self { blamed: vec![None; count], waiting }
    }

    fn is_done(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The waiting lines that the older version does not have; those it has wait on, where they stand in it.
    fn take_new(&mut self, older: &[Option<usize>]) -> Own {
        let (own, waiting) = split(&self.waiting, older);
        self.waiting = waiting;
        Own { waiting: own, found: vec![] }
    }

    fn take_all(&mut self) -> Own {
        Own { waiting: std::mem::take(&mut self.waiting), found: vec![] }
    }

    fn settle(&mut self, own: Own, turn: usize) {
        for (target, step) in own.found {
            let origin = if step.is_some() { LineOrigin::Recorded } else { LineOrigin::Outside };
            self.blamed[target] = Some(BlamedLine { turn: Some(turn), step, origin });
        }
    }

    fn finish(self, rest: LineOrigin) -> Vec<BlamedLine> {
        let rest = BlamedLine { turn: None, step: None, origin: rest };
        self.blamed.into_iter().map(|line| line.unwrap_or(rest)).collect()
    }
}

/// The lines that are new, as they stand, and the others, where they stand in the older version.
fn split(waiting: &[Waiting], older: &[Option<usize>]) -> (Vec<Waiting>, Vec<Waiting>) {
    let (mut new, mut old) = (vec![], vec![]);
    for &Waiting { line, target } in waiting {
        match older.get(line).copied().flatten() {
            Some(line) => old.push(Waiting { line, target }),
            None => new.push(Waiting { line, target }),
        }
    }
    (new, old)
}

/// The lines of one turn, on their way back through its steps.
struct Own {
    waiting: Vec<Waiting>,
    /// Lines of the file, each with the step that wrote it; None for outside recorded edits.
    found: Vec<(usize, Option<StepId>)>,
}

impl Own {
    /// Walks from the version that the turn ended in.
    fn walk_steps(
        &mut self,
        steps: &[(StepId, &Change)],
        path: &RepoPath,
        end: &Text,
        blobs: &dyn Blobs,
        comparer: &mut Comparer,
    ) {
        let (mut path, mut now) = (path, None::<Text>);
        for (id, change) in steps.iter().rev() {
            if change.path != *path || change.kind == EditKind::Delete || self.waiting.is_empty() {
                continue;
            }
            match &change.version {
                Version::Binary => {}
                Version::Hunks(hunks) | Version::Part(hunks) => {
                    self.take_hunks(hunks, *id, now.as_ref().unwrap_or(end));
                }
                Version::Whole { old, new } => {
                    let Some(Ok(after)) = new.map(|new| Text::read(new, blobs)) else { continue };
                    let later = now.as_ref().unwrap_or(end);
                    self.step_back(&after, later, None, comparer);
                    let writer = (change.origin == Origin::Recorded).then_some(*id);
                    match old.map(|old| Text::read(old, blobs)) {
                        None => self.give_all(writer),
                        Some(Ok(old)) => {
                            self.step_back(&old, &after, writer, comparer);
                            now = Some(old);
                        }
                        Some(Err(_)) => now = Some(after),
                    }
                }
            }
            path = change.from.as_ref().unwrap_or(path);
        }
        self.give_all(None);
    }

    /// What `old` lacks was written by `writer`; the rest waits, where it stands in `old`.
    fn step_back(
        &mut self,
        old: &Text,
        new: &Text,
        writer: Option<StepId>,
        comparer: &mut Comparer,
    ) {
        if old.id == new.id {
            return;
        }
        let (own, waiting) = split(&self.waiting, &comparer.older_lines(old, new));
        self.found.extend(own.iter().map(|line| (line.target, writer)));
        self.waiting = waiting;
    }

    fn give_all(&mut self, writer: Option<StepId>) {
        self.found.extend(self.waiting.drain(..).map(|line| (line.target, writer)));
    }

    /// Only the hunks of an edit are known, not where they went: a run of added lines that stands in the file word
    /// for word, all of it this turn's, was written by it.
    fn take_hunks(&mut self, hunks: &[PatchHunk], step: StepId, now: &Text) {
        for run in hunks.iter().flat_map(runs_of_added) {
            let at = (0..self.waiting.len()).find(|&at| {
                let candidates = self.waiting[at..].iter().take(run.len());
                let first = self.waiting[at].line;
                self.waiting.len() - at >= run.len()
                    && candidates.zip(&run).zip(first..).all(|((waiting, text), line)| {
                        waiting.line == line && without_end(now.line(line)) == text.as_bytes()
                    })
            });
            if let Some(at) = at {
                let taken = self.waiting.drain(at..at + run.len());
                self.found.extend(taken.map(|line| (line.target, Some(step))));
            }
        }
    }
}

fn runs_of_added(hunk: &PatchHunk) -> Vec<Vec<&str>> {
    let is_added = |kind: LineKind| kind == LineKind::Added;
    hunk.lines
        .chunk_by(|a, b| is_added(a.kind) == is_added(b.kind))
        .filter(|run| run.first().is_some_and(|line| is_added(line.kind)))
        .map(|run| run.iter().map(|line| line.text.as_str()).collect())
        .collect()
}

fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

#[cfg(test)]
mod tests;
