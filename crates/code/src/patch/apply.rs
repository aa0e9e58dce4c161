//! Carrying hunks out, the way Codex' own `apply_patch` finds its place.

use super::{LineKind, Misfit, PatchHunk, PatchLine};

/// `old` with the hunks carried out: at their line numbers where the lines stand there, else at the first place
/// from the anchor on where they stand exactly, up to trailing blanks, up to blanks at both ends, or up to
/// typographic quotes and dashes.
pub fn apply(old: &str, hunks: &[PatchHunk]) -> Result<String, Misfit> {
    by_numbers(old, hunks).map_or_else(|| by_looking(old, hunks), Ok)
}

/// The same where each hunk stands where its line number says: no list is made of all lines. None where one does not, or has
/// no old lines.
fn by_numbers(old: &str, hunks: &[PatchHunk]) -> Option<String> {
    let added = hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.text.len() + 1);
    let mut made =
        Made { text: String::with_capacity(old.len() + added.sum::<usize>()), owes_end: false };
    let (mut done, mut lines) = (0, 0);
    for hunk in hunks {
        let at = hunk.old_start?.checked_sub(1)?;
        let start = done + start_of_line(&old[done..], at.checked_sub(lines)?)?;
        made.text(&old[done..start]);
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
        new.for_each(|line| made.line(line));
    }
    made.text(&old[done..]);
    (!hunks.is_empty()).then_some(made.text)
}

/// Where the line begins that has so many before it; None where there are fewer.
fn start_of_line(text: &str, before: usize) -> Option<usize> {
    let mut ends = memchr::memchr_iter(b'\n', text.as_bytes());
    match before.checked_sub(1) {
        None => Some(0),
        Some(last) => ends.nth(last).map(|end| end + 1),
    }
}

/// A text that is put together.
struct Made {
    text: String,
    /// The last line has no line end, and is to have one if anything follows.
    owes_end: bool,
}

impl Made {
    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.end_line();
            self.text.push_str(text);
        }
    }

    fn line(&mut self, line: &PatchLine) {
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

fn by_looking(old: &str, hunks: &[PatchHunk]) -> Result<String, Misfit> {
    let lines = lines_of(old);
    let mut splices = vec![];
    let mut from = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let splice =
            Splice::find(&lines, hunk, from).ok_or(Misfit::NotFound { hunk: index + 1 })?;
        // An addition without context goes to the end of the file; what follows may stand above it.
        if !splice.is_blind {
            from = splice.at + splice.old_len;
        }
        splices.push(splice);
    }
    splices.sort_by_key(|splice| splice.at);
    // A patch without line numbers cannot say that the last newline is missing; Codex always writes one.
    let is_dialect = !hunks.is_empty() && hunks.iter().all(|hunk| hunk.old_start.is_none());
    Ok(join(&spliced(&lines, &splices), is_dialect))
}

/// A line and whether a line feed follows it.
type Line<'a> = (&'a str, bool);

fn lines_of(text: &str) -> Vec<Line<'_>> {
    text.split_inclusive('\n')
        .map(|line| line.strip_suffix('\n').map_or((line, false), |line| (line, true)))
        .collect()
}

/// Lines `at..at + old_len` become `new`.
struct Splice<'a> {
    at: usize,
    old_len: usize,
    new: Vec<Line<'a>>,
    is_blind: bool,
}

impl<'a> Splice<'a> {
    fn find(lines: &[Line<'_>], hunk: &'a PatchHunk, from: usize) -> Option<Self> {
        let side = |drop: LineKind| {
            let kept = hunk.lines.iter().filter(move |line| line.kind != drop);
            kept.map(|line: &PatchLine| (line.text.as_str(), line.newline)).collect::<Vec<_>>()
        };
        let (mut old, mut new) = (side(LineKind::Added), side(LineKind::Removed));
        if let Some(at) = numbered(lines, &old, hunk.old_start, from) {
            return Some(Self { at, old_len: old.len(), new, is_blind: false });
        }
        let from = below_anchor(lines, hunk, from)?;
        if old.is_empty() {
            let at = lines.len();
            return Some(Self { at, old_len: 0, new, is_blind: true });
        }
        let mut at = seek(lines, &old, from, hunk.at_end);
        // The patch may show the empty "line" after the last newline.
        if at.is_none() && old.last().is_some_and(|(text, _)| text.is_empty()) {
            old.pop();
            if new.last().is_some_and(|(text, _)| text.is_empty()) {
                new.pop();
            }
            at = seek(lines, &old, from, hunk.at_end);
        }
        Some(Self { at: at?, old_len: old.len(), new, is_blind: false })
    }
}

/// The place its line number names, where the old lines stand exactly there.
fn numbered(
    lines: &[Line<'_>],
    old: &[Line<'_>],
    start: Option<usize>,
    from: usize,
) -> Option<usize> {
    let start = start?;
    let at = if old.is_empty() { start.min(lines.len()) } else { start.checked_sub(1)? };
    let here = lines.get(at..at.checked_add(old.len())?)?;
    let fits = at >= from && here.iter().zip(old).all(|(a, b)| a.0 == b.0);
    fits.then_some(at)
}

/// Where to start looking. A unified diff's heading is a hint and may be cut short; an anchor must be there.
fn below_anchor(lines: &[Line<'_>], hunk: &PatchHunk, from: usize) -> Option<usize> {
    let anchors = hunk.anchor.iter().flat_map(|anchors| anchors.split('\n'));
    let found = anchors.clone().try_fold(from, |from, anchor| {
        seek(lines, &[(anchor, true)], from, false).map(|at| at + 1)
    });
    found.or(hunk.old_start.map(|_| from))
}

/// How alike two lines must be, strictest first.
const ALIKE: [fn(&str, &str) -> bool; 4] = [
    |a, b| a == b,
    |a, b| a.trim_end() == b.trim_end(),
    |a, b| a.trim() == b.trim(),
    |a, b| plain(a.trim()).eq(plain(b.trim())),
];

fn seek(lines: &[Line<'_>], wanted: &[Line<'_>], from: usize, at_end: bool) -> Option<usize> {
    if wanted.is_empty() {
        return Some(from.min(lines.len()));
    }
    let last = lines.len().checked_sub(wanted.len())?;
    let from = if at_end { last } else { from };
    ALIKE.iter().find_map(|alike| {
        (from..=last).find(|&at| wanted.iter().zip(&lines[at..]).all(|(a, b)| alike(a.0, b.0)))
    })
}

/// Typographic characters as their ASCII cousins; the list is that of Codex' `seek_sequence`.
fn plain(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().map(|c| match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    })
}

fn spliced<'a>(lines: &[Line<'a>], splices: &[Splice<'a>]) -> Vec<Line<'a>> {
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

fn join(lines: &[Line<'_>], ends_with_newline: bool) -> String {
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

    /// Hunks of a text, most of which stand where they say.
    fn hunk(
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
                .map(|(start, old, new, is_off)| hunk(&letters, *start, *old, new, usize::from(*is_off)))
                .collect();

            if let Some(made) = by_numbers(&old, &hunks) {
                prop_assert_eq!(Ok(made), by_looking(&old, &hunks));
            }
        }
    }

    #[test]
    fn a_hunk_that_stands_where_it_says_needs_no_list_of_lines() {
        let old = "a\nb\nc\nd";
        let hunks = [
            hunk(&[0, 1, 2, 3], 0, 2, &[(4, true)], 0),
            hunk(&[0, 1, 2, 3], 3, 1, &[(5, false)], 0),
        ];

        assert_eq!(by_numbers(old, &hunks).as_deref(), Some("a\ne\nc\nd\nf"));
        assert_eq!(by_numbers("a\n", &hunks), None);
        assert_eq!(by_numbers(old, &[]), None);
    }
}
