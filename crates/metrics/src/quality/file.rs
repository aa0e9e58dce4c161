//! What is known about one file without looking at any other.
//!
//! A [`FileMeasure`] depends on the profile, the rules, the bytes and the kind of file, not on where it lies: it can be
//! kept by content. All lines count from 1 and spans name both ends.

use serde::{Deserialize, Serialize};

use super::wrappers::Links;
use trajview_code::{flat::Flat, tree::Grammar};
use trajview_run::values::worded;

/// Everything measured on one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileMeasure {
    /// None where no grammar of the profile reads such files.
    pub grammar: Option<Grammar>,
    /// Why the file does not count; everything below is empty then.
    pub skipped: Option<Skip>,
    /// Physical lines, as `str.splitlines` of Python counts them.
    pub lines: u32,
    /// Lines that are neither blank nor only comment or docstring.
    pub loc: u32,
    /// The lines with code on them, by the profile's rule.
    pub sloc: LineSet,
    /// In the order they start.
    pub callables: Vec<Callable>,
    /// Pieces that are clones if another has the same hash.
    pub clones: Vec<CloneCandidate>,
    /// In the order they start.
    pub hits: Vec<Hit>,
    /// Matches left out because of an `ast-grep-ignore` comment.
    pub suppressed: u32,
    /// What can only be decided beside the other files.
    pub links: Links,
}

worded! {
    why;
    /// Why a file is left out whole.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Skip {
        /// Its bytes are not UTF-8.
        NotUtf8 = "not UTF-8",
        /// The grammar finds an error in it.
        SyntaxError = "syntax error",
        /// The grammar for it is not compiled in.
        NoGrammar = "no grammar for its language in this build",
        /// Its nodes lie deeper in one another than [`MAX_DEPTH`](super::MAX_DEPTH).
        TooDeep = "nested too deep",
        /// It is longer than [`MAX_BYTES`](super::MAX_BYTES).
        TooBig = "too big",
    }
}

/// Lines from `start` to `end`, both included, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// The lines of a node.
pub fn span(flat: &Flat<'_>, at: usize) -> Span {
    let node = flat.node(at);
    let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    Span { start: line(node.start_position().row), end: line(node.end_position().row) }
}

/// A function or method, or what the language has in their place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callable {
    /// Dotted from the outermost class or function: `Parser.read.inner`.
    pub name: String,
    pub span: Span,
    /// Cyclomatic complexity: 1 and the branches inside, nested functions included.
    pub cc: u32,
    /// Source lines, by the profile's rule.
    pub sloc: u32,
}

impl Callable {
    /// `cc * sqrt(sloc)`, the paper's mass.
    pub fn mass(&self) -> f64 {
        f64::from(self.cc) * f64::from(self.sloc).sqrt()
    }
}

/// A piece of code and the hash of its normalised text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloneCandidate {
    pub hash: u128,
    pub span: Span,
    /// Lines as the profile counts the length of a clone: physical lines or source lines.
    pub lines: u32,
}

/// A match of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// Its id.
    pub rule: String,
    pub span: Span,
}

/// A set of lines, kept as runs in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LineSet {
    runs: Vec<Span>,
}

impl FromIterator<u32> for LineSet {
    fn from_iter<I: IntoIterator<Item = u32>>(lines: I) -> Self {
        let mut lines: Vec<u32> = lines.into_iter().collect();
        lines.sort_unstable();
        let mut runs: Vec<Span> = vec![];
        for line in lines {
            match runs.last_mut() {
                Some(run) if line <= run.end.saturating_add(1) => run.end = line,
                _ => runs.push(Span { start: line, end: line }),
            }
        }
        Self { runs }
    }
}

impl LineSet {
    /// How many lines.
    pub fn len(&self) -> u32 {
        self.runs.iter().map(|run| run.end - run.start + 1).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// In ascending order.
    pub fn lines(&self) -> impl Iterator<Item = u32> + '_ {
        self.runs.iter().flat_map(|run| run.start..=run.end)
    }

    #[cfg(test)]
    pub fn contains(&self, line: u32) -> bool {
        let after = self.runs.partition_point(|run| run.end < line);
        self.runs.get(after).is_some_and(|run| run.start <= line)
    }

    /// How many of its lines lie in `span`.
    pub fn count_within(&self, span: Span) -> u32 {
        self.within(span).map(|run| run.end - run.start + 1).sum()
    }

    /// The runs of its lines in `span`.
    fn within(&self, span: Span) -> impl Iterator<Item = Span> + '_ {
        let from = self.runs.partition_point(|run| run.end < span.start);
        let reaching = self.runs[from..].iter().take_while(move |run| run.start <= span.end);
        reaching
            .map(move |run| Span { start: run.start.max(span.start), end: run.end.min(span.end) })
    }

    /// Those of its lines that lie in one of the spans.
    pub fn covered_by(&self, spans: impl IntoIterator<Item = Span>) -> Self {
        let mut pieces: Vec<Span> = spans.into_iter().flat_map(|span| self.within(span)).collect();
        pieces.sort_unstable();
        let mut runs: Vec<Span> = vec![];
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
