//! Pieces of texts that are replaced together, or not at all.

use std::ops::Range;

use super::SourceTexts;

/// Replacements in some files, with a summary.
#[derive(Debug, Default)]
pub(super) struct TextEdits {
    pub summary: String,
    replacements: Vec<Replacement>,
    added: SourceTexts,
}

#[derive(Debug)]
struct Replacement {
    path: String,
    range: Range<usize>,
    text: String,
}

impl TextEdits {
    pub fn new(summary: String) -> Self {
        Self { summary, ..Self::default() }
    }

    pub fn replace(&mut self, path: &str, range: Range<usize>, text: impl Into<String>) {
        self.replacements.push(Replacement { path: path.to_owned(), range, text: text.into() });
    }

    pub fn insert(&mut self, path: &str, at: usize, text: impl Into<String>) {
        self.replace(path, at..at, text);
    }

    pub fn add_file(&mut self, path: String, text: String) {
        self.added.insert(path, text);
    }

    /// Returns the summary and the new texts. An error where two pieces overlap or an added file exists already.
    pub fn apply(mut self, files: &SourceTexts) -> Result<(String, SourceTexts), String> {
        let order = |it: &Replacement| (it.path.clone(), it.range.start, it.range.end);
        self.replacements.sort_by_key(order);
        let mut changed = self.added;
        if let Some(path) = changed.keys().find(|path| files.contains_key(*path)) {
            return Err(format!("{path} exists already"));
        }
        let mut pieces = self.replacements.into_iter().peekable();
        while let Some(path) = pieces.peek().map(|piece| piece.path.clone()) {
            let old = files.get(&path).ok_or_else(|| format!("{path} is not there"))?;
            let (mut text, mut at) = (String::with_capacity(old.len()), 0);
            while let Some(piece) = pieces.next_if(|piece| piece.path == path) {
                let between = old.get(at..piece.range.start).ok_or("two edits overlap")?;
                text.push_str(between);
                text.push_str(&piece.text);
                at = piece.range.end;
            }
            text.push_str(old.get(at..).ok_or("an edit is outside of its file")?);
            if text != *old {
                changed.insert(path, text);
            }
        }
        Ok((self.summary, changed))
    }
}
