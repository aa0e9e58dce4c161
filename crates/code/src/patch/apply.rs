//! Carrying hunks out, the way Codex' own `apply_patch` finds its place.

use super::{LineKind, PatchHunk, PatchLine, PatchMisfit};

/// Returns `old` with the hunks applied: at their line numbers where the lines are there, else at the first place from
/// the anchor on where they are exactly, up to trailing blanks, up to blanks at both ends, or up to typographic quotes
/// and dashes.
pub fn apply_hunks(old: &str, hunks: &[PatchHunk]) -> Result<String, PatchMisfit> {
    apply_by_numbers(old, hunks).map_or_else(|| apply_by_search(old, hunks), Ok)
}

/// Applies hunks whose lines are all at their line numbers, without making a list of all lines. None where one is
/// elsewhere, or has no old lines.
fn apply_by_numbers(old: &str, hunks: &[PatchHunk]) -> Option<String> {
    let added = hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.text.len() + 1);
    let mut built = BuiltText {
        text: String::with_capacity(old.len() + added.sum::<usize>()),
        owes_end: false,
    };
    let (mut done, mut lines) = (0, 0);
    for hunk in hunks {
        let at = hunk.old_start?.checked_sub(1)?;
        let start = done + start_of_line(&old[done..], at.checked_sub(lines)?)?;
        built.push_text(&old[done..start]);
        (done, lines) = (start, at);
        for line in hunk.lines.iter().filter(|line| line.kind != LineKind::Added) {
            let rest = old.get(done..).filter(|rest| !rest.is_empty())?;
            let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            if rest[..end] != line.text {
                return None;
            }
            done += (end + 1).min(rest.len());
            lines += 1;
        }
        if lines == at {
            return None;
        }
        let new = hunk.lines.iter().filter(|line| line.kind != LineKind::Removed);
        new.for_each(|line| built.push_line(line));
    }
    built.push_text(&old[done..]);
    (!hunks.is_empty()).then_some(built.text)
}

/// Returns the start of the line that has so many before it; None where there are fewer.
fn start_of_line(text: &str, before: usize) -> Option<usize> {
    let mut ends = memchr::memchr_iter(b'\n', text.as_bytes());
    match before.checked_sub(1) {
        None => Some(0),
        Some(last) => ends.nth(last).map(|end| end + 1),
    }
}

/// A text that is put together.
struct BuiltText {
    text: String,
    /// The last line has no line end, and is to have one if anything follows.
    owes_end: bool,
}

impl BuiltText {
    fn push_text(&mut self, text: &str) {
        if !text.is_empty() {
            self.end_line();
            self.text.push_str(text);
        }
    }

    fn push_line(&mut self, line: &PatchLine) {
        self.end_line();
        self.text.push_str(&line.text);
        self.owes_end = true;
        if line.newline {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.owes_end) {
            self.text.push('\n');
        }
    }
}

fn apply_by_search(old: &str, hunks: &[PatchHunk]) -> Result<String, PatchMisfit> {
    let lines = lines_of(old);
    let mut splices = vec![];
    let mut from = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let splice = LineSplice::locate_hunk(&lines, hunk, from)
            .ok_or(PatchMisfit::NotFound { hunk: index + 1 })?;
        // An addition without context goes to the end of the file; later hunks may be above it.
        if !splice.is_blind {
            from = splice.at + splice.old_len;
        }
        splices.push(splice);
    }
    splices.sort_by_key(|splice| splice.at);
    // A patch without line numbers cannot say that the last newline is missing; Codex always writes one.
    let is_dialect = !hunks.is_empty() && hunks.iter().all(|hunk| hunk.old_start.is_none());
    Ok(join_lines(&splice_lines(&lines, &splices), is_dialect))
}

/// A line and whether a line feed follows it.
type LineWithEnd<'a> = (&'a str, bool);

fn lines_of(text: &str) -> Vec<LineWithEnd<'_>> {
    text.split_inclusive('\n')
        .map(|line| line.strip_suffix('\n').map_or((line, false), |line| (line, true)))
        .collect()
}

/// Lines `at..at + old_len` become `new`.
struct LineSplice<'a> {
    at: usize,
    old_len: usize,
    new: Vec<LineWithEnd<'a>>,
    is_blind: bool,
}

impl<'a> LineSplice<'a> {
    fn locate_hunk(lines: &[LineWithEnd<'_>], hunk: &'a PatchHunk, from: usize) -> Option<Self> {
        let side = |drop: LineKind| {
            let lines = hunk.lines.iter().filter(move |line| line.kind != drop);
            lines.map(|line: &PatchLine| (line.text.as_str(), line.newline)).collect::<Vec<_>>()
        };
        let (mut old, mut new) = (side(LineKind::Added), side(LineKind::Removed));
        if let Some(at) = place_by_number(lines, &old, hunk.old_start, from) {
            return Some(Self { at, old_len: old.len(), new, is_blind: false });
        }
        let from = below_anchor(lines, hunk, from)?;
        if old.is_empty() {
            let at = lines.len();
            return Some(Self { at, old_len: 0, new, is_blind: true });
        }
        let mut at = seek_lines(lines, &old, from, hunk.at_end);
        // The patch may show the empty "line" after the last newline.
        if at.is_none() && old.last().is_some_and(|(text, _)| text.is_empty()) {
            old.pop();
            if new.last().is_some_and(|(text, _)| text.is_empty()) {
                new.pop();
            }
            at = seek_lines(lines, &old, from, hunk.at_end);
        }
        Some(Self { at: at?, old_len: old.len(), new, is_blind: false })
    }
}

/// Returns the place that its line number names, where the old lines are exactly there.
fn place_by_number(
    lines: &[LineWithEnd<'_>],
    old: &[LineWithEnd<'_>],
    start: Option<usize>,
    from: usize,
) -> Option<usize> {
    let start = start?;
    let at = if old.is_empty() { start.min(lines.len()) } else { start.checked_sub(1)? };
    let old_lines = lines.get(at..at.checked_add(old.len())?)?;
    let fits = at >= from && old_lines.iter().zip(old).all(|(a, b)| a.0 == b.0);
    fits.then_some(at)
}

/// Returns the line from which the search starts. A unified diff's heading is a hint and may be cut short; an anchor
/// must be there.
fn below_anchor(lines: &[LineWithEnd<'_>], hunk: &PatchHunk, from: usize) -> Option<usize> {
    let anchors = hunk.anchor.iter().flat_map(|anchors| anchors.split('\n'));
    let start = anchors.clone().try_fold(from, |from, anchor| {
        seek_lines(lines, &[(anchor, true)], from, false).map(|at| at + 1)
    });
    start.or(hunk.old_start.map(|_| from))
}

/// The degrees of likeness of two lines, strictest first.
const ALIKE: [fn(&str, &str) -> bool; 4] = [
    |a, b| a == b,
    |a, b| a.trim_end() == b.trim_end(),
    |a, b| a.trim() == b.trim(),
    |a, b| plain_chars(a.trim()).eq(plain_chars(b.trim())),
];

fn seek_lines(
    lines: &[LineWithEnd<'_>],
    searched: &[LineWithEnd<'_>],
    from: usize,
    at_end: bool,
) -> Option<usize> {
    if searched.is_empty() {
        return Some(from.min(lines.len()));
    }
    let last = lines.len().checked_sub(searched.len())?;
    let from = if at_end { last } else { from };
    ALIKE.iter().find_map(|alike| {
        (from..=last).find(|&at| searched.iter().zip(&lines[at..]).all(|(a, b)| alike(a.0, b.0)))
    })
}

/// Replaces typographic characters by their ASCII counterparts; the list is that of Codex' `seek_sequence`.
fn plain_chars(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().map(|c| match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    })
}

fn splice_lines<'a>(lines: &[LineWithEnd<'a>], splices: &[LineSplice<'a>]) -> Vec<LineWithEnd<'a>> {
    let mut result = vec![];
    let mut done = 0;
    for splice in splices {
        let at = splice.at.clamp(done, lines.len());
        result.extend_from_slice(&lines[done..at]);
        result.extend_from_slice(&splice.new);
        done = (at + splice.old_len).min(lines.len());
    }
    result.extend_from_slice(&lines[done..]);
    result
}

fn join_lines(lines: &[LineWithEnd<'_>], ends_with_newline: bool) -> String {
    let mut text = String::with_capacity(lines.iter().map(|line| line.0.len() + 1).sum());
    for (index, (line, newline)) in lines.iter().enumerate() {
        text.push_str(line);
        if *newline || index + 1 < lines.len() || ends_with_newline {
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Makes hunks of a text, most of which are at their line numbers.
    fn numbered_hunk(
        letters: &[u8],
        start: usize,
        old: usize,
        new: &[(u8, bool)],
        shift: usize,
    ) -> PatchHunk {
        let line = |kind, text: u8, newline| PatchLine {
            kind,
            text: char::from(b'a' + text).to_string(),
            newline,
        };
        let start = start.min(letters.len());
        let old = letters[start..].iter().take(old);
        let mut lines: Vec<PatchLine> = old
            .enumerate()
            .map(|(at, letter)| {
                let kind = if at % 2 == 0 { LineKind::Context } else { LineKind::Removed };
                line(kind, *letter, true)
            })
            .collect();
        let added = new.iter().map(|(text, newline)| line(LineKind::Added, *text, *newline));
        lines.extend(added);
        PatchHunk { old_start: Some(start + 1 + shift), lines, ..PatchHunk::default() }
    }

    proptest! {
        #[test]
        fn whatever_the_hunks_they_are_carried_out_by_their_numbers_as_by_looking(
            letters in prop::collection::vec(0_u8..4, 0..30),
            ends: bool,
            hunks in prop::collection::vec(
                (0_usize..30, 0_usize..4, prop::collection::vec((0_u8..4, prop::bool::weighted(0.9)), 0..3), prop::bool::weighted(0.1)),
                0..4,
            ),
        ) {
            let lines: Vec<String> = letters.iter().map(|letter| char::from(b'a' + letter).to_string()).collect();
            let old = lines.join("\n") + if ends { "\n" } else { "" };
            let mut hunks = hunks;
            hunks.sort_by_key(|hunk| hunk.0);
            let hunks: Vec<PatchHunk> = hunks
                .iter()
                .map(|(start, old, new, is_off)| numbered_hunk(&letters, *start, *old, new, usize::from(*is_off)))
                .collect();

            if let Some(result) = apply_by_numbers(&old, &hunks) {
                prop_assert_eq!(Ok(result), apply_by_search(&old, &hunks));
            }
        }
    }

    #[test]
    fn a_hunk_that_stands_where_it_says_needs_no_list_of_lines() {
        let old = "a\nb\nc\nd";
        let hunks = [
            numbered_hunk(&[0, 1, 2, 3], 0, 2, &[(4, true)], 0),
            numbered_hunk(&[0, 1, 2, 3], 3, 1, &[(5, false)], 0),
        ];

        assert_eq!(apply_by_numbers(old, &hunks).as_deref(), Some("a\ne\nc\nd\nf"));
        assert_eq!(apply_by_numbers("a\n", &hunks), None);
        assert_eq!(apply_by_numbers(old, &[]), None);
    }
}
