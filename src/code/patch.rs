//! Patches as agents write them: unified diffs, and the `apply_patch` dialect of Codex.

/// Some lines of a file, and what becomes of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatchHunk {
    /// First line in the old file, counts from 1; None where the dialect has no numbers.
    pub old_start: Option<usize>,
    /// First line in the new file, counts from 1; None where the dialect has no numbers.
    pub new_start: Option<usize>,
    /// A line that stands somewhere above the hunk (`@@ def f():`), to be found first.
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
    /// As written in the patch.
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

/// Why a patch does not fit a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    #[error("hunk {hunk}: its lines are not in the file")]
    NotFound {
        /// Counts from 1.
        hunk: usize,
    },
}

/// PLACEHOLDER until merged.
pub fn apply(_old: &str, _hunks: &[PatchHunk]) -> Result<String, Misfit> {
    Err(Misfit::NotFound { hunk: 1 })
}
