//! The difference between two texts, by line and by word.

pub use super::patch::LineKind;

/// The difference between two versions of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextDiff {
    /// In order; empty where the texts are equal.
    pub hunks: Vec<Hunk>,
    pub added: usize,
    pub removed: usize,
}

/// A run of changed lines with context around it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hunk {
    /// First old line, counts from 1; where `old_len` is 0, the line after which the hunk stands.
    pub old_start: usize,
    pub old_len: usize,
    pub new_start: usize,
    pub new_len: usize,
    pub lines: Vec<DiffLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    pub kind: LineKind,
    /// Line number in the old text, counts from 1; None for an added line, and where numbers are not recorded.
    pub old: Option<usize>,
    /// Line number in the new text, counts from 1; None for a removed line, and where numbers are not recorded.
    pub new: Option<usize>,
    /// Without its line end.
    pub text: String,
    /// False for a last line that has no line end.
    pub newline: bool,
}
