//! Patches as agents write them: unified diffs, and the `apply_patch` dialect of Codex.
//!
//! [`parse_unified`] reads the hunks of one file's unified diff, [`files_of_diff`] a diff of many files; [`parse_codex`] reads an `apply_patch` text and
//! [`patches_in_call`] finds one in whatever an agent wrapped it (a here-document in a shell command, an argument
//! list, JSON, JavaScript); [`parse_difflib()`] reads what SlopCodeBench stores. [`apply_hunks()`] carries hunks out. Nothing here panics, whatever the bytes: a text that
//! is no patch has no hunks.

mod apply;
mod call_patches;
mod codex_patch;
mod difflib;
mod git_diff;
mod shell_script;

pub use apply::apply_hunks;
pub use call_patches::{patches_in_call, string_literal, without_comments};
pub use codex_patch::parse_codex;
pub use difflib::{apply_exactly, parse_difflib};
pub use git_diff::{DiffChange, DiffFile, files_of_diff};

/// Some lines of a file, and what becomes of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatchHunk {
    /// First line in the old file, counts from 1; None where the dialect has no numbers. Where the hunk has no old
    /// lines, the line before it.
    pub old_start: Option<usize>,
    /// First line in the new file, counts from 1; None where the dialect has no numbers.
    pub new_start: Option<usize>,
    /// A line somewhere above the hunk (`@@ def f():`), to be found first; several, outermost first, are separated by
    /// line feeds.
    pub anchor: Option<String>,
    pub lines: Vec<PatchLine>,
    /// True if the hunk is at the end of the file.
    pub at_end: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchLine {
    pub kind: LineKind,
    /// The text without its line end.
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

/// The change of one file in a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// The path as written in the patch; below the folder of a `cd folder &&` before it.
    pub path: String,
    /// The new path of a move.
    pub move_to: Option<String>,
    pub change: PatchedFile,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchedFile {
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

/// The reason why a patch does not fit a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchMisfit {
    #[error("hunk {hunk}: its lines are not in the file")]
    NotFound {
        /// Counts from 1.
        hunk: usize,
    },
}

/// Returns lines that these hunks add and remove.
pub fn line_counts(hunks: &[PatchHunk]) -> LineCounts {
    let count_of =
        |kind| hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind).count();
    LineCounts { added: count_of(LineKind::Added), removed: count_of(LineKind::Removed) }
}

impl PatchLine {
    fn new(kind: LineKind, text: &str) -> Self {
        Self { kind, text: text.to_owned(), newline: true }
    }
}

/// Reads the hunks of a unified diff of one file. Text before the first `@@` is skipped.
pub fn parse_unified(text: &str) -> Vec<PatchHunk> {
    let mut hunks: Vec<PatchHunk> = vec![];
    let mut open: Option<(PatchHunk, LinesLeft)> = None;
    for line in text.split_terminator('\n') {
        if let Some((hunk, lines_left)) = &mut open
            && lines_left.take_line(line, Some(hunk))
        {
            continue;
        }
        if let Some((hunk, _)) = open.take() {
            hunks.push(hunk);
        }
        open = HunkHeader::parse(line).map(HunkHeader::start_hunk);
    }
    hunks.extend(open.map(|(hunk, _)| hunk));
    hunks
}

/// `@@ -1,3 +1,4 @@ heading`
struct HunkHeader<'a> {
    old: (usize, usize),
    new: (usize, usize),
    heading: &'a str,
}

impl<'a> HunkHeader<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (ranges, heading) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        let (old, new) = ranges.split_once(" +")?;
        let range = |text: &str| match text.split_once(',') {
            Some((start, len)) => Some((start.parse().ok()?, len.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        };
        Some(Self { old: range(old)?, new: range(new)?, heading: heading.trim() })
    }

    fn start_hunk(self) -> (PatchHunk, LinesLeft) {
        let hunk = PatchHunk {
            old_start: Some(self.old.0),
            new_start: Some(self.new.0),
            anchor: (!self.heading.is_empty()).then(|| self.heading.to_owned()),
            ..PatchHunk::default()
        };
        (hunk, LinesLeft { old: self.old.1, new: self.new.1 })
    }
}

/// The number of lines that a hunk still lacks, so that a removed `-- x` is not taken for the next file's header.
struct LinesLeft {
    old: usize,
    new: usize,
}

impl LinesLeft {
    /// Returns the number of lines of the hunk whose head this line is; None for another line.
    fn from_header(line: &str) -> Option<Self> {
        HunkHeader::parse(line).map(|header| header.start_hunk().1)
    }

    /// Adds the line to the hunk; false where the line does not belong to it.
    fn take_line(&mut self, line: &str, hunk: Option<&mut PatchHunk>) -> bool {
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
