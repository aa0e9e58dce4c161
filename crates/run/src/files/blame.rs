//! Blame by turn: which turn, and which step of it, last wrote a line.
//!
//! [`blame_lines`] walks a file's versions back from a moment. From the end of a turn to the turn before, lines that both
//! have are older and wait for an earlier turn; the others are this turn's. Within the turn its steps are walked the
//! same way, as far as their recorded edits tell: a line that no step explains was changed outside recorded edits.
//! A turn means what git means by a commit: a line that a turn took away and put back is not its own.
//!
//! Lines end at `\n` and nowhere else, as everywhere here.

use std::{ops::Range, rc::Rc};

use crate::{EditKind, RepoPath, StepId, worded_enum::worded};
use trajview_code::{
    diff::{self, LineKind, Sides},
    patch::PatchHunk,
};

use super::{
    Blob, BlobId, Blobs, ChangeOrigin, ChangeVersion, FileChange, FileMode, Timeline, TreeFile,
};

/// The last writer of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlamedLine {
    /// Counts from 0; None for a line from before the run, and where the recording cannot tell.
    pub turn: Option<usize>,
    /// The step whose recorded edit wrote it.
    pub step: Option<StepId>,
    pub origin: LineOrigin,
}

worded! {
    /// The source of our knowledge about the writer of a line.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum LineOrigin {
        /// A recorded edit wrote it.
        Recorded = "recorded",
        /// The line appeared in this turn, and no recorded edit explains it.
        Outside = "outside",
        /// The line existed before the first turn.
        BeforeRun = "before-run",
        /// An earlier version of the file is not in the recording.
        NotRecorded = "not-recorded",
    }
}

impl LineOrigin {
    /// Returns the words on screen; empty for what needs none.
    pub const fn display_text(self) -> &'static str {
        match self {
            Self::Recorded => "",
            Self::Outside => "changed outside recorded edits",
            Self::BeforeRun => "there before the run",
            Self::NotRecorded => "not recorded who wrote it",
        }
    }

    /// Returns a sign of one column for a gutter; a space for a line that needs none.
    pub const fn gutter_mark(self) -> &'static str {
        match self {
            Self::Recorded => " ",
            Self::Outside => "◇",
            Self::BeforeRun => "·",
            Self::NotRecorded => "?",
        }
    }
}

/// The largest file that is blamed, in bytes.
pub(crate) const BLAME_LIMIT: usize = 8 << 20;

/// The most lines of a file that is blamed.
pub(crate) const BLAME_LINES: usize = 400_000;

/// Equal lines around a change that are compared with it, so that an added block is placed where the diff places it.
const MARGIN: usize = 16;

/// Number of equal lines in a row after which a change counts as over.
const TOGETHER: usize = 8;

/// Largest distance, in old and new lines together, at which a common place is searched; beyond it all the rest is
/// compared.
const REACH: usize = 160;

/// Returns the last writer of each line of `path` after `turns_done` turns: one entry a line, in order. The error is a
/// sentence that says why this file has no lines to blame.
pub fn blame_lines(
    timeline: &Timeline,
    blobs: &dyn Blobs,
    path: &RepoPath,
    turns_done: usize,
) -> Result<Vec<BlamedLine>, String> {
    let turns = &timeline.turns[..turns_done.min(timeline.turns.len())];
    let file = timeline.tree_after(turns.len()).files.get(path).copied();
    let file = file.ok_or("no such file at that moment")?;
    let text = LinedText::read_file(file, blobs)?;
    let mut walk = BlameWalk::new(text.line_count());
    let mut comparer = LineComparer::default();
    let (mut path, mut now) = (path.clone(), text);
    for (turn, files) in turns.iter().enumerate().rev() {
        if walk.is_done() {
            break;
        }
        let Some(change) = files.changes.iter().find(|change| change.path == path) else {
            continue;
        };
        let steps: Vec<(StepId, &FileChange)> = files
            .steps
            .iter()
            .flat_map(|(id, changes)| changes.iter().map(|change| (*id, change)))
            .collect();
        match content_before(change, blobs) {
            ContentBefore::Text(old) => {
                let mut turn_lines = walk.take_new(&comparer.older_lines(&old, &now));
                turn_lines.walk_steps(&steps, &path, &now, blobs, &mut comparer);
                walk.settle_turn(turn_lines, turn);
                now = old;
            }
            ContentBefore::Nothing => {
                let mut turn_lines = walk.take_all();
                turn_lines.walk_steps(&steps, &path, &now, blobs, &mut comparer);
                walk.settle_turn(turn_lines, turn);
            }
            // What was there before may have had every line.
            ContentBefore::Unknown => break,
        }
        if let Some(from) = &change.from {
            path = from.clone();
        }
    }
    let is_from_base =
        timeline.base.files.get(&path).is_some_and(|file| file.blob_id() == Some(now.id));
    Ok(walk.finish(if is_from_base { LineOrigin::BeforeRun } else { LineOrigin::NotRecorded }))
}

/// The content before a change.
enum ContentBefore {
    Nothing,
    Text(LinedText),
    Unknown,
}

fn content_before(change: &FileChange, blobs: &dyn Blobs) -> ContentBefore {
    match &change.version {
        ChangeVersion::Hunks(_) | ChangeVersion::Part(_) | ChangeVersion::Binary => {
            ContentBefore::Unknown
        }
        ChangeVersion::Whole { old: None, .. } => ContentBefore::Nothing,
        ChangeVersion::Whole { old: Some(old), .. } => {
            LinedText::read_file(*old, blobs).map_or(ContentBefore::Unknown, ContentBefore::Text)
        }
    }
}

/// One version of the file, cut into lines.
struct LinedText {
    blob: Blob,
    id: BlobId,
    /// The end of each line, its line end included.
    ends: Vec<usize>,
}

impl LinedText {
    fn read_file(file: TreeFile, blobs: &dyn Blobs) -> Result<Self, String> {
        match file.mode {
            FileMode::Submodule => return Err("a commit of another repository has no lines".into()),
            FileMode::Link => return Err("a link has no lines".into()),
            FileMode::Regular | FileMode::Executable => {}
        }
        let id = file.blob_id().ok_or("the content of this file is not in the recording")?;
        let blob = blobs.read_blob(id)?;
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

    fn line_start(&self, line: usize) -> usize {
        line.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    fn line_bytes(&self, line: usize) -> &[u8] {
        &self.blob[self.line_start(line)..self.ends[line]]
    }

    /// Returns the bytes of some lines.
    fn lines_bytes(&self, lines: &Range<usize>) -> &[u8] {
        &self.blob[self.line_start(lines.start)..self.line_start(lines.end)]
    }
}

/// Compares two texts, or returns the result of the last comparison where that was of the same two.
fn older_lines(old: &LinedText, new: &LinedText) -> Vec<Option<usize>> {
    let mut older: Vec<Option<usize>> = Vec::with_capacity(new.line_count());
    let mut next = 0;
    for Sides { old: old_part, new: new_part } in differing_parts(old, new) {
        older.extend((next..old_part.start).map(Some));
        next = old_part.start;
        for hunk in
            diff::diff_bytes(old.lines_bytes(&old_part), new.lines_bytes(&new_part), 0).hunks
        {
            // A hunk that adds nothing comes after the line it names.
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

/// Returns the parts in which two versions differ, in order, each with some equal lines around; what lies between them is
/// equal line by line. Versions of a file are mostly equal, and comparing the parts alone is many times faster.
fn differing_parts(old: &LinedText, new: &LinedText) -> Vec<Sides<Range<usize>>> {
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

/// Counts the equal lines from these two places on, up to `most`.
fn equal_from(old: &LinedText, new: &LinedText, at: Sides<usize>, most: usize) -> usize {
    let most = (old.line_count() - at.old).min(new.line_count() - at.new).min(most);
    (0..most).take_while(|&by| old.line_bytes(at.old + by) == new.line_bytes(at.new + by)).count()
}

/// Returns the nearest place where the two texts are equal again for some lines, at most [`REACH`] lines away.
fn meeting_after(old: &LinedText, new: &LinedText, at: Sides<usize>) -> Option<Sides<usize>> {
    let (old_left, new_left) = (old.line_count() - at.old, new.line_count() - at.new);
    let places = (1..=REACH).flat_map(|far| {
        (far.saturating_sub(new_left)..=far.min(old_left))
            .map(move |by| Sides { old: at.old + by, new: at.new + far - by })
    });
    let is_together = |place: &Sides<usize>| {
        let left = (old.line_count() - place.old).min(new.line_count() - place.new);
        let needed = TOGETHER.min(left);
        let is_end = place.old == old.line_count() && place.new == new.line_count();
        is_end
            || needed > 0
                && (0..needed)
                    .all(|by| old.line_bytes(place.old + by) == new.line_bytes(place.new + by))
    };
    places.into_iter().find(is_together)
}

/// The result of [`older_lines`], shared.
type OlderLines = Rc<[Option<usize>]>;

/// [`older_lines`], remembering the last pair: mostly a turn has one step, and both are the same comparison.
#[derive(Default)]
struct LineComparer {
    last: Option<(Sides<BlobId>, OlderLines)>,
}

impl LineComparer {
    fn older_lines(&mut self, old: &LinedText, new: &LinedText) -> OlderLines {
        let pair = Sides { old: old.id, new: new.id };
        if let Some((_, older)) = self.last.as_ref().filter(|(last, _)| *last == pair) {
            return Rc::clone(older);
        }
        let older: OlderLines = older_lines(old, new).into();
        self.last = Some((pair, Rc::clone(&older)));
        older
    }
}

/// A line whose writer is not known yet: its place in the version looked at, and its place in the file.
#[derive(Clone, Copy)]
struct WaitingLine {
    line: usize,
    target: usize,
}

struct BlameWalk {
    blamed: Vec<Option<BlamedLine>>,
    /// Sorted by line.
    waiting: Vec<WaitingLine>,
}

impl BlameWalk {
    fn new(count: usize) -> Self {
        let waiting = (0..count).map(|line| WaitingLine { line, target: line }).collect();
        Self { blamed: vec![None; count], waiting }
    }

    fn is_done(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes out the waiting lines that the older version lacks; the others keep waiting, with their place in it.
    fn take_new(&mut self, older: &[Option<usize>]) -> TurnLines {
        let (new_lines, waiting) = split_new_lines(&self.waiting, older);
        self.waiting = waiting;
        TurnLines { waiting: new_lines, attributed: vec![] }
    }

    fn take_all(&mut self) -> TurnLines {
        TurnLines { waiting: std::mem::take(&mut self.waiting), attributed: vec![] }
    }

    fn settle_turn(&mut self, turn_lines: TurnLines, turn: usize) {
        for (target, step) in turn_lines.attributed {
            let origin = if step.is_some() { LineOrigin::Recorded } else { LineOrigin::Outside };
            self.blamed[target] = Some(BlamedLine { turn: Some(turn), step, origin });
        }
    }

    fn finish(self, rest: LineOrigin) -> Vec<BlamedLine> {
        let rest = BlamedLine { turn: None, step: None, origin: rest };
        self.blamed.into_iter().map(|line| line.unwrap_or(rest)).collect()
    }
}

/// Returns the new lines with their place in the newer version, and the others with their place in the older one.
fn split_new_lines(
    waiting: &[WaitingLine],
    older: &[Option<usize>],
) -> (Vec<WaitingLine>, Vec<WaitingLine>) {
    let (mut new, mut old) = (vec![], vec![]);
    for &WaitingLine { line, target } in waiting {
        match older.get(line).copied().flatten() {
            Some(line) => old.push(WaitingLine { line, target }),
            None => new.push(WaitingLine { line, target }),
        }
    }
    (new, old)
}

/// The lines of one turn, on their way back through its steps.
struct TurnLines {
    waiting: Vec<WaitingLine>,
    /// Lines of the file, each with the step that wrote it; None for outside recorded edits.
    attributed: Vec<(usize, Option<StepId>)>,
}

impl TurnLines {
    /// Walks from the version that the turn ended in.
    fn walk_steps(
        &mut self,
        steps: &[(StepId, &FileChange)],
        path: &RepoPath,
        end: &LinedText,
        blobs: &dyn Blobs,
        comparer: &mut LineComparer,
    ) {
        let (mut path, mut now) = (path, None::<LinedText>);
        for (id, change) in steps.iter().rev() {
            if change.path != *path || change.kind == EditKind::Delete || self.waiting.is_empty() {
                continue;
            }
            match &change.version {
                ChangeVersion::Binary => {}
                ChangeVersion::Hunks(hunks) | ChangeVersion::Part(hunks) => {
                    self.attribute_hunks(hunks, *id, now.as_ref().unwrap_or(end));
                }
                ChangeVersion::Whole { old, new } => {
                    let Some(Ok(after)) = new.map(|new| LinedText::read_file(new, blobs)) else {
                        continue;
                    };
                    let later = now.as_ref().unwrap_or(end);
                    self.step_back(&after, later, None, comparer);
                    let writer = (change.origin == ChangeOrigin::Recorded).then_some(*id);
                    match old.map(|old| LinedText::read_file(old, blobs)) {
                        None => self.attribute_all(writer),
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
        self.attribute_all(None);
    }

    /// Attributes the lines that `old` lacks to `writer`; the rest waits, with its place in `old`.
    fn step_back(
        &mut self,
        old: &LinedText,
        new: &LinedText,
        writer: Option<StepId>,
        comparer: &mut LineComparer,
    ) {
        if old.id == new.id {
            return;
        }
        let (new_lines, waiting) = split_new_lines(&self.waiting, &comparer.older_lines(old, new));
        self.attributed.extend(new_lines.iter().map(|line| (line.target, writer)));
        self.waiting = waiting;
    }

    fn attribute_all(&mut self, writer: Option<StepId>) {
        self.attributed.extend(self.waiting.drain(..).map(|line| (line.target, writer)));
    }

    /// Attributes lines by the hunks of an edit whose place is not known: a run of added lines that is in the file word
    /// for word, all of it from this turn, was written by the edit.
    fn attribute_hunks(&mut self, hunks: &[PatchHunk], step: StepId, now: &LinedText) {
        for run in hunks.iter().flat_map(runs_of_added) {
            let at = (0..self.waiting.len()).find(|&at| {
                let candidates = self.waiting[at..].iter().take(run.len());
                let first = self.waiting[at].line;
                self.waiting.len() - at >= run.len()
                    && candidates.zip(&run).zip(first..).all(|((waiting, text), line)| {
                        waiting.line == line && without_end(now.line_bytes(line)) == text.as_bytes()
                    })
            });
            if let Some(at) = at {
                let taken = self.waiting.drain(at..at + run.len());
                self.attributed.extend(taken.map(|line| (line.target, Some(step))));
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
