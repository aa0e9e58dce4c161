//! The text of a file and its lines, as the references read them.

use std::borrow::Cow;

use tree_sitter::Node;

/// Returns the text with `\n` for every line end, as Python opens files.
pub(crate) fn universal_newlines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns whether the text has a `\r` without a `\n` after it.
pub(crate) fn has_lone_carriage_return(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
}

/// The lines of a text as `str.splitlines` of Python splits them: also at form feeds and Unicode separators, where a
/// syntax tree sees no line end.
#[derive(Debug)]
pub struct PythonLines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// True where a syntax tree sees the same lines.
    are_those_of_a_tree: bool,
}

impl<'a> PythonLines<'a> {
    /// Finds the lines of a text.
    pub fn new(text: &'a str) -> Self {
        if !text.bytes().fold(false, |any, byte| any | may_end_line(byte)) {
            let mut starts = vec![0];
            starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
            starts.pop_if(|start| *start >= text.len());
            return Self { text, starts, are_those_of_a_tree: true };
        }
        let (mut starts, mut are_those_of_a_tree) = (vec![0], true);
        for (at, byte) in text.bytes().enumerate() {
            let after = match byte {
                b'\n' => at + 1,
                byte if may_end_line(byte) => {
                    let c = text.get(at..).and_then(|rest| rest.chars().next());
                    let Some(end) = c.filter(|&c| is_line_end(c)) else { continue };
                    are_those_of_a_tree = false;
                    at + end.len_utf8()
                }
                _ => continue,
            };
            starts.push(after);
        }
        starts.pop_if(|start| *start >= text.len());
        Self { text, starts, are_those_of_a_tree }
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns the line of a byte, counted from 1.
    pub fn line_of(&self, byte: usize) -> u32 {
        let line = self.starts.partition_point(|&start| start <= byte).max(1);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// Returns the line in which a node begins, counted from 1.
    pub(crate) fn first_of(&self, node: Node<'_>) -> u32 {
        if self.are_those_of_a_tree {
            return u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX);
        }
        self.line_of(node.start_byte())
    }

    /// Returns a line by its number from 0, without its line end; empty past the last line.
    pub fn line_at(&self, row: usize) -> &'a str {
        let Some(&start) = self.starts.get(row) else { return "" };
        let end = self.starts.get(row + 1).copied().unwrap_or(self.text.len());
        self.text.get(start..end).unwrap_or_default().trim_end_matches(is_line_end)
    }

    /// Returns whether a line (by its number from 0) has only white space.
    pub fn is_blank(&self, row: usize) -> bool {
        let first = self.starts.get(row).and_then(|&start| self.text.as_bytes().get(start));
        !first.is_some_and(u8::is_ascii_graphic) && self.line_at(row).chars().all(is_space)
    }
}

/// Returns whether a byte may begin a line end other than `\n`.
fn may_end_line(byte: u8) -> bool {
    matches!(byte, b'\r' | 0xb | 0xc | 0x1c..=0x1e | 0xc2 | 0xe2)
}

fn is_line_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Returns whether a character is white space for Python's `str.strip`: that of Unicode and four ASCII separators.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_where_python_cuts_them() {
        let lines = |text| {
            (0..PythonLines::new(text).len())
                .map(|row| PythonLines::new(text).line_at(row).to_owned())
                .collect::<Vec<_>>()
        };

        assert_eq!(lines(""), [""; 0]);
        assert_eq!(lines("a\nb"), ["a", "b"]);
        assert_eq!(
            lines("a\u{c}b\u{85}c\u{2028}d\u{e9}\u{2019}\n\n"),
            ["a", "b", "c", "d\u{e9}\u{2019}", ""]
        );
        assert!(
            PythonLines::new("  \u{2003}\n").is_blank(0) && !PythonLines::new("  x\n").is_blank(0)
        );
    }
}
