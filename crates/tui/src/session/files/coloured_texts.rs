//! The texts of a comparison, and their syntax colours.

use std::sync::Arc;

use trajview_code::{
    diff::{DiffLine, LineKind},
    highlight::SyntaxSpan,
};
use trajview_run::files::FileDiff;

/// Bytes of a text beyond which we do not colour; nobody reads such a file for its syntax.
pub(crate) const MAX_COLOURED_BYTES: usize = 2 << 20;

/// Spans of each line of a text; None where the language is not known.
pub type ColouredLines = Option<Vec<Vec<SyntaxSpan>>>;

/// The colours of both texts of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColouredSides {
    pub old: ColouredLines,
    pub new: ColouredLines,
}

/// Texts to colour; None on the side where there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextsToColour {
    /// Tells the language.
    pub path: String,
    pub old: Option<Arc<str>>,
    pub new: Option<Arc<str>>,
}

impl TextsToColour {
    /// Returns the two texts of a comparison; None where they are too long to be coloured, or no text.
    pub fn from_diff(path: &str, diff: &FileDiff) -> Option<Self> {
        let FileDiff::Text { old, new, .. } = diff else { return None };
        let is_long = [old, new].into_iter().flatten().any(|text| text.len() > MAX_COLOURED_BYTES);
        (!is_long).then(|| Self { path: path.into(), old: old.clone(), new: new.clone() })
    }
}

impl ColouredSides {
    /// Returns the spans of a line of a comparison: a removed line is coloured as it was, any other as it is.
    pub fn line_spans(&self, line: &DiffLine) -> &[SyntaxSpan] {
        let (side, number) = match line.kind {
            LineKind::Removed => (&self.old, line.old),
            LineKind::Context | LineKind::Added => (&self.new, line.new),
        };
        let found = side.as_ref().zip(number);
        found
            .and_then(|(lines, number)| lines.get(number.checked_sub(1)?))
            .map_or(&[], Vec::as_slice)
    }
}
