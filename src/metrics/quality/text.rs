//! The text of a file and its lines, as the references read them.

use std::borrow::Cow;

/// The text with `\n` for every line end, as Python opens files.
pub fn universal(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a `\r` is followed by no `\n`.
pub fn has_lone_carriage_return(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
}

/// Where lines begin as `str.splitlines` of Python cuts them: also at form feeds and the separators of Unicode, where
/// a syntax tree sees no line end.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub fn of(text: &'a str) -> Self {
        let ends =
            text.char_indices().filter(|&(_, c)| is_line_end(c)).map(|(at, c)| at + c.len_utf8());
        let starts = std::iter::once(0).chain(ends).filter(|&start| start < text.len());
        Self { text, starts: starts.collect() }
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The line a byte stands in, counted from 1.
    pub fn line_of(&self, byte: usize) -> u32 {
        let line = self.starts.partition_point(|&start| start <= byte).max(1);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// A line by its number from 0, its end cut off; empty past the last.
    pub fn line(&self, row: usize) -> &'a str {
        let Some(&start) = self.starts.get(row) else { return "" };
        let end = self.starts.get(row + 1).copied().unwrap_or(self.text.len());
        self.text.get(start..end).unwrap_or_default().trim_end_matches(is_line_end)
    }
}

fn is_line_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// White space as `str.strip` of Python takes it: that of Unicode and four separators of ASCII.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}
