//! Unified diffs as SlopCodeBench stores them: Python's `difflib` over lines that keep their ends, joined by one more.
//!
//! Every content line that has a line end is therefore followed by an empty line, headers are not, and a line without
//! one is followed by nothing: what no reader of patches expects, and enough to put the file together byte for byte.
//! Lines are Python's: a form feed or a lone carriage return ends one too.

use super::{HunkHeader, LineKind, PatchHunk, PatchLine, PatchMisfit};

/// Reads the hunks of one file's `diff_text`. A text that is not of this kind has none.
pub fn parse_difflib(text: &str) -> Vec<PatchHunk> {
    let mut hunks = vec![];
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        rest = after;
        let Some(header) = HunkHeader::parse(line) else { continue };
        let (mut old, mut new) = (header.old.1, header.new.1);
        let mut hunk = PatchHunk {
            old_start: Some(header.old.0),
            new_start: Some(header.new.0),
            ..PatchHunk::default()
        };
        while (old > 0 || new > 0)
            && let Some((line, after)) = content_line(rest)
        {
            let (is_old, is_new) = (line.kind != LineKind::Added, line.kind != LineKind::Removed);
            if (is_old && old == 0) || (is_new && new == 0) {
                break;
            }
            (old, new) = (old - usize::from(is_old), new - usize::from(is_new));
            hunk.lines.push(line);
            rest = after;
        }
        hunks.push(hunk);
    }
    hunks
}

/// Returns the next content line, and what follows it.
fn content_line(text: &str) -> Option<(PatchLine, &str)> {
    let kind = match text.as_bytes().first()? {
        b' ' => LineKind::Context,
        b'-' => LineKind::Removed,
        b'+' => LineKind::Added,
        _ => return None,
    };
    let (line, newline, rest) = match text.split_once('\n') {
        None => (text, false, ""),
        Some((line, "")) => (line, true, ""),
        Some((line, rest)) => match rest.strip_prefix('\n') {
            Some(rest) => (line, true, rest),
            None => (line, false, rest),
        },
    };
    Some((PatchLine { kind, text: line[1..].to_owned(), newline }, rest))
}

/// Returns `old` with the hunks carried out, at their line numbers and nowhere else, every line equal.
pub fn apply_exactly(old: &str, hunks: &[PatchHunk]) -> Result<String, PatchMisfit> {
    let lines = python_lines(old);
    let mut built = String::with_capacity(old.len());
    let mut done = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let misfit = PatchMisfit::NotFound { hunk: index + 1 };
        let side = |drop: LineKind| hunk.lines.iter().filter(move |line| line.kind != drop);
        let start = hunk.old_start.unwrap_or_default();
        let old_len = side(LineKind::Added).count();
        let at = if old_len == 0 { start } else { start.saturating_sub(1) };
        let old_lines = at.checked_add(old_len).and_then(|end| lines.get(at..end));
        let Some(old_lines) = old_lines.filter(|_| at >= done) else { return Err(misfit) };
        let is_same = |(line, expected): (&&str, &PatchLine)| {
            line.strip_suffix('\n').map_or((*line, false), |line| (line, true))
                == (expected.text.as_str(), expected.newline)
        };
        if !old_lines.iter().zip(side(LineKind::Added)).all(is_same) {
            return Err(misfit);
        }
        built.extend(lines[done..at].iter().copied());
        for line in side(LineKind::Removed) {
            built.push_str(&line.text);
            built.extend(line.newline.then_some('\n'));
        }
        done = at + old_len;
    }
    built.extend(lines[done..].iter().copied());
    Ok(built)
}

/// Returns lines with their ends, as `str.splitlines(keepends=True)` cuts them.
fn python_lines(text: &str) -> Vec<&str> {
    let mut lines = vec![];
    let mut start = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let is_pair = letter == '\r' && letters.peek().is_some_and(|(_, next)| *next == '\n');
        let is_end = matches!(
            letter,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        );
        if is_end && !is_pair {
            let end = at + letter.len_utf8();
            lines.push(&text[start..end]);
            start = end;
        }
    }
    if start < text.len() {
        lines.push(&text[start..]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of Python for `"\n".join(difflib.unified_diff(old, new, "a", "a", lineterm=""))`, recorded.
    const MADE: &str = "--- a\n+++ a\n@@ -0,0 +1,2 @@\n+one\n\n+two\n";
    const CHANGED: &str =
        "--- a\n+++ a\n@@ -1,4 +1,4 @@\n one\n\n-two\n\n+2\n\n three\r\n\n-end\n+end\n";

    #[test]
    fn a_created_file_is_put_together_byte_for_byte() {
        assert_eq!(apply_exactly("", &parse_difflib(MADE)).unwrap(), "one\ntwo\n");
    }

    #[test]
    fn a_missing_line_end_and_a_carriage_return_are_kept() {
        let old = "one\ntwo\nthree\r\nend";
        assert_eq!(apply_exactly(old, &parse_difflib(CHANGED)).unwrap(), "one\n2\nthree\r\nend\n");
    }

    #[test]
    fn a_file_that_is_another_one_does_not_fit() {
        for old in ["", "one\ntwo\nthree\r\nend\n", "zero\none\ntwo\nthree\r\nend"] {
            assert_eq!(
                apply_exactly(old, &parse_difflib(CHANGED)),
                Err(PatchMisfit::NotFound { hunk: 1 })
            );
        }
    }

    #[test]
    fn lines_end_where_python_ends_them() {
        assert_eq!(
            python_lines("a\nb\r\nc\rd\u{c}e\u{2028}f"),
            ["a\n", "b\r\n", "c\r", "d\u{c}", "e\u{2028}", "f"]
        );
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_text_it_is_read_without_a_panic(text in "(@@ -[0-3],[0-3] \\+[0-3],[0-3] @@\n|[ +-]?[ab]?\r?\n){0,12}") {
            let hunks = parse_difflib(&text);
            let _ = apply_exactly("a\nb\n", &hunks);
        }
    }
}
