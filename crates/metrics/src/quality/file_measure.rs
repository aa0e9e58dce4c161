//! Measures of one file that need no other file.
//!
//! A [`FileMeasure`] depends on the profile, the rules, the bytes and the kind of file, not on where it lies: it can
//! be cached by content. All lines count from 1 and spans include both ends.

use serde::{Deserialize, Serialize};

use super::wrappers::WrapperLinks;
use trajview_code::{flat_tree::FlatTree, tree::Grammar};
use trajview_run::worded_enum::worded;

/// Everything measured on one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileMeasure {
    /// None where no grammar of the profile reads such files.
    pub grammar: Option<Grammar>,
    /// The reason why the file does not count; everything below is empty then.
    pub skipped: Option<SkipReason>,
    /// Physical lines, as `str.splitlines` of Python counts them.
    pub lines: u32,
    /// Lines that are neither blank nor only comment or docstring.
    pub loc: u32,
    /// The lines with code, by the profile's rule.
    pub sloc: LineSet,
    /// Sorted by start.
    pub callables: Vec<FileCallable>,
    /// Pieces that are clones if another piece has the same hash.
    pub clones: Vec<CloneCandidate>,
    /// Sorted by start.
    pub hits: Vec<QualityHit>,
    /// Matches left out because of an `ast-grep-ignore` comment.
    pub suppressed: u32,
    /// Facts that can only be evaluated together with the other files.
    pub links: WrapperLinks,
}

worded! {
    why;
    /// The reason why a file is left out.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum SkipReason {
        /// The bytes are not UTF-8.
        NotUtf8 = "not UTF-8",
        /// The grammar finds an error in it.
        SyntaxError = "syntax error",
        /// The grammar for it is not compiled in.
        NoGrammar = "no grammar for its language in this build",
        /// Its nodes are nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
        TooDeep = "nested too deep",
        /// The file is longer than [`MAX_BYTES`](super::MAX_BYTES).
        TooBig = "too big",
    }
}

/// Lines from `start` to `end`, both included, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceSpan {
    pub start: u32,
    pub end: u32,
}

/// Returns the lines of a node.
pub(crate) fn node_span(flat: &FlatTree<'_>, at: usize) -> SourceSpan {
    let node = flat.node(at);
    let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    SourceSpan { start: line(node.start_position().row), end: line(node.end_position().row) }
}

/// A function or method, or the language's equivalent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileCallable {
    /// Dotted from the outermost class or function: `Parser.read.inner`.
    pub name: String,
    pub span: SourceSpan,
    /// Cyclomatic complexity: 1 and the branches inside, nested functions included.
    pub cc: u32,
    /// Source lines, by the profile's rule.
    pub sloc: u32,
}

impl FileCallable {
    /// Returns `cc * sqrt(sloc)`, the paper's mass.
    pub fn mass(&self) -> f64 {
        f64::from(self.cc) * f64::from(self.sloc).sqrt()
    }
}

/// A piece of code and the hash of its normalised text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloneCandidate {
    pub hash: u128,
    pub span: SourceSpan,
    /// Lines as the profile counts the length of a clone: physical lines or source lines.
    pub lines: u32,
}

/// A match of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualityHit {
    /// The id of the rule.
    pub rule: String,
    pub span: SourceSpan,
}

/// A set of lines, stored as runs in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LineSet {
    runs: Vec<SourceSpan>,
}

impl FromIterator<u32> for LineSet {
    fn from_iter<I: IntoIterator<Item = u32>>(lines: I) -> Self {
        let mut lines: Vec<u32> = lines.into_iter().collect();
        lines.sort_unstable();
        let mut runs: Vec<SourceSpan> = vec![];
        for line in lines {
            match runs.last_mut() {
                Some(run) if line <= run.end.saturating_add(1) => run.end = line,
                _ => runs.push(SourceSpan { start: line, end: line }),
            }
        }
        Self { runs }
    }
}

impl LineSet {
    /// Returns the number of lines.
    pub fn len(&self) -> u32 {
        self.runs.iter().map(|run| run.end - run.start + 1).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the lines in ascending order.
    pub fn lines(&self) -> impl Iterator<Item = u32> + '_ {
        self.runs.iter().flat_map(|run| run.start..=run.end)
    }

    #[cfg(test)]
    pub fn contains(&self, line: u32) -> bool {
        let after = self.runs.partition_point(|run| run.end < line);
        self.runs.get(after).is_some_and(|run| run.start <= line)
    }

    /// Returns the number of its lines in `span`.
    pub(crate) fn count_within(&self, span: SourceSpan) -> u32 {
        self.runs_within(span).map(|run| run.end - run.start + 1).sum()
    }

    /// Returns the runs of its lines in `span`.
    fn runs_within(&self, span: SourceSpan) -> impl Iterator<Item = SourceSpan> + '_ {
        let from = self.runs.partition_point(|run| run.end < span.start);
        let reaching = self.runs[from..].iter().take_while(move |run| run.start <= span.end);
        reaching.map(move |run| SourceSpan {
            start: run.start.max(span.start),
            end: run.end.min(span.end),
        })
    }

    /// Returns the lines that are in one of the spans.
    pub(crate) fn covered_by(&self, spans: impl IntoIterator<Item = SourceSpan>) -> Self {
        let mut pieces: Vec<SourceSpan> =
            spans.into_iter().flat_map(|span| self.runs_within(span)).collect();
        pieces.sort_unstable();
        let mut runs: Vec<SourceSpan> = vec![];
        for piece in pieces {
            match runs.last_mut() {
                Some(run) if piece.start <= run.end.saturating_add(1) => {
                    run.end = run.end.max(piece.end)
                }
                _ => runs.push(piece),
            }
        }
        Self { runs }
    }
}
