//! Facts in two columns: what a box or a head lists.

use crate::widgets::wrap::wrap_line;

/// A row in two columns; one of them may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactRow {
    pub left: String,
    pub right: String,
    pub is_heading: bool,
}

impl FactRow {
    /// Returns whether the row contains all these words; those of its heading count too. A single letter is compared
    /// with the keys.
    pub(crate) fn matches_words(&self, words: &str, part: &str) -> bool {
        if words.chars().count() == 1 {
            return self.left.split(' ').any(|key| key == words);
        }
        let text = format!("{} {} {part}", self.left, self.right).to_lowercase();
        let is_blank = self.left.is_empty() && self.right.is_empty();
        !is_blank && words.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }

    pub fn heading(left: &str) -> Self {
        Self { left: left.into(), right: String::new(), is_heading: true }
    }

    pub fn new(left: impl Into<String>, right: impl Into<String>) -> Self {
        Self { left: left.into(), right: right.into(), is_heading: false }
    }

    /// Returns several rows where the right column is too long for one. A left column that does not fit has its own
    /// row.
    pub(crate) fn wrap_to_rows(self, left_width: usize, width: usize) -> Vec<Self> {
        let is_long = self.left.chars().count() >= left_width && !self.right.is_empty();
        let (alone, mut left) =
            if is_long { (Some(self.left), String::new()) } else { (None, self.left) };
        let alone = alone.map(|left| Self::new(left, ""));
        let parts = wrap_line(&self.right, width);
        let rows = parts.into_iter().map(|range| Self {
            left: std::mem::take(&mut left),
            right: self.right[range].trim_end().to_owned(),
            is_heading: self.is_heading,
        });
        alone.into_iter().chain(rows.collect::<Vec<_>>()).collect()
    }
}
