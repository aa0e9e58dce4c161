//! Patches as agents write them: unified diffs, and the `apply_patch` dialect of Codex.
//!
//! [`unified`] reads the hunks of one file's unified diff, [`files_of_diff`] a diff of many files; [`codex`] reads an `apply_patch` text and
//! [`in_call`] finds one in whatever an agent wrapped it (a here-document in a shell command, an argument
//! list, JSON, JavaScript); [`difflib()`] reads what SlopCodeBench stores. [`apply()`] carries hunks out. Nothing here panics, whatever the bytes: a text that
//! is no patch has no hunks.

mod apply;
mod dialect;
mod difflib;
mod git;
mod shell;
mod wrapped;

pub use apply::apply;
pub use dialect::codex;
pub use difflib::{apply_exactly, difflib};
pub use git::{DiffChange, DiffFile, files as files_of_diff};
pub use wrapped::{in_call, string_literal, without_comments};

/// Some lines of a file, and what becomes of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatchHunk {
    /// First line in the old file, counts from 1; None where the dialect has no numbers.
    /// Where the hunk has no old lines, the line after which it stands.
    pub old_start: Option<usize>,
    /// First line in the new file, counts from 1; None where the dialect has no numbers.
    pub new_start: Option<usize>,
    /// A line that stands somewhere above the hunk (`@@ def f():`), to be found first; several, outermost
    /// first, are separated by line feeds.
    pub anchor: Option<String>,
    pub lines: Vec<PatchLine>,
    /// The hunk stands at the end of the file.
    pub at_end: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchLine {
    pub kind: LineKind,
    /// Without its line end.
    pub text: String,
    /// False where the patch says "No newline at end of file" here.
    pub newline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineKind {
    Context,
    Removed,
    Added,
}

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// As written in the patch; below the folder the command first went to, where it says `cd folder &&`.
    pub path: String,
    /// The new path of a move.
    pub move_to: Option<String>,
    pub change: FileChange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// The whole content.
    Add(String),
    Update(Vec<PatchHunk>),
    Delete,
}

/// Lines that a patch adds and removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineCounts {
    pub added: usize,
    pub removed: usize,
}

/// Why a patch does not fit a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    #[error("hunk {hunk}: its lines are not in the file")]
    NotFound {
        /// Counts from 1.
        hunk: usize,
    },
}

/// Lines that these hunks add and remove.
pub fn line_counts(hunks: &[PatchHunk]) -> LineCounts {
    let of =
        |kind| hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind).count();
    LineCounts { added: of(LineKind::Added), removed: of(LineKind::Removed) }
}

impl PatchLine {
    fn new(kind: LineKind, text: &str) -> Self {
        Self { kind, text: text.to_owned(), newline: true }
    }
}

/// The hunks of a unified diff of one file. What stands before the first `@@` is skipped.
pub fn unified(text: &str) -> Vec<PatchHunk> {
    let mut hunks: Vec<PatchHunk> = vec![];
    let mut open: Option<(PatchHunk, Wanted)> = None;
    for line in text.split_terminator('\n') {
        if let Some((hunk, wanted)) = &mut open
            && wanted.take(line, Some(hunk))
        {
            continue;
        }
        if let Some((hunk, _)) = open.take() {
            hunks.push(hunk);
        }
        open = Header::parse(line).map(Header::open);
    }
    hunks.extend(open.map(|(hunk, _)| hunk));
    hunks
}

/// `@@ -1,3 +1,4 @@ heading`
struct Header<'a> {
    old: (usize, usize),
    new: (usize, usize),
    heading: &'a str,
}

impl<'a> Header<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (ranges, heading) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        let (old, new) = ranges.split_once(" +")?;
        let range = |text: &str| match text.split_once(',') {
            Some((start, len)) => Some((start.parse().ok()?, len.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        };
        Some(Self { old: range(old)?, new: range(new)?, heading: heading.trim() })
    }

    fn open(self) -> (PatchHunk, Wanted) {
        let hunk = PatchHunk {
            old_start: Some(self.old.0),
            new_start: Some(self.new.0),
            anchor: (!self.heading.is_empty()).then(|| self.heading.to_owned()),
            ..PatchHunk::default()
        };
        (hunk, Wanted { old: self.old.1, new: self.new.1 })
    }
}

/// How many lines a hunk still wants, so that a removed `-- x` is not taken for the next file's header.
struct Wanted {
    old: usize,
    new: usize,
}

impl Wanted {
    /// Of the hunk that begins with this line, if it is the head of one.
    fn of_header(line: &str) -> Option<Self> {
        Header::parse(line).map(|header| header.open().1)
    }

    /// Whether the line belongs to the hunk, which takes it.
    fn take(&mut self, line: &str, hunk: Option<&mut PatchHunk>) -> bool {
        if line.starts_with('\\') {
            if let Some(last) = hunk.and_then(|hunk| hunk.lines.last_mut()) {
                last.newline = false;
            }
            return true;
        }
        if self.old == 0 && self.new == 0 {
            return false;
        }
        // Some tools strip the blank that marks an empty context line.
        let (kind, text) = match line.as_bytes().first() {
            Some(b' ') => (LineKind::Context, &line[1..]),
            Some(b'-') => (LineKind::Removed, &line[1..]),
            Some(b'+') => (LineKind::Added, &line[1..]),
            None => (LineKind::Context, ""),
            Some(b'\r') if line.len() == 1 => (LineKind::Context, line),
            Some(_) => return false,
        };
        match kind {
            LineKind::Context => {
                self.old = self.old.saturating_sub(1);
                self.new = self.new.saturating_sub(1);
            }
            LineKind::Removed => self.old = self.old.saturating_sub(1),
            LineKind::Added => self.new = self.new.saturating_sub(1),
        }
        if let Some(hunk) = hunk {
            hunk.lines.push(PatchLine::new(kind, text));
        }
        true
    }
}

#[cfg(test)]
mod tests;
