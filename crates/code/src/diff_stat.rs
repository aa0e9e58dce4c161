//! Counts the lines that differ between two texts, without listing them: the counts of [`diff`]
//! without its script of edits.
//!
//! The numbers are those of [`diff::diff_bytes`] for all texts. They are computed from the lines between the equal
//! beginnings and ends alone wherever the rest does not matter. It matters where a line that is unique on either side
//! is matched before others: only the whole text shows whether it is unique.

use std::{collections::HashMap, convert::Infallible, ops::Range};

use memchr::memmem;
use similar::algorithms::{DiffHook, myers, patience};

use super::{diff, patch::LineCounts, small_map::ShortWords};

/// Texts with more lines than this between their equal beginnings and ends are not compared at a glance.
const A_GLANCE: usize = 64;

/// Lines that are looked for in the whole text, at a glance.
const MOST_SEARCHES: usize = 8;

/// Texts of so many lines may be taken for strangers.
const LONG: usize = 512;

/// Returns lines that are added and removed, from one text to another.
pub fn line_counts(old: &[u8], new: &[u8]) -> LineCounts {
    at_a_glance(old, new).unwrap_or_else(|| count_in_full(old, new))
}

/// Counts added and removed lines from the few that differ; None where that is not enough.
pub fn at_a_glance(old: &[u8], new: &[u8]) -> Option<LineCounts> {
    let middle = DifferingMiddle::between(old, new);
    let all = LineCounts { added: count_lines(middle.new), removed: count_lines(middle.old) };
    if all.added == 0 || all.removed == 0 {
        return Some(all);
    }
    if all.added.max(all.removed) > A_GLANCE {
        return None;
    }
    let lines =
        LineNumbering::for_texts(&diff::split_lines(middle.old), &diff::split_lines(middle.new));
    if !lines.share_any() {
        return Some(all);
    }
    let once: Vec<&[u8]> = lines.lines_once().collect();
    let is_elsewhere = |line: &&[u8]| has_line(middle.start, line) || has_line(middle.end, line);
    (once.len() <= MOST_SEARCHES && once.iter().all(is_elsewhere)).then(|| lines.by_myers())
}

/// Returns the number of lines of a text; a last one without a line end counts.
pub fn count_lines(text: &[u8]) -> usize {
    let has_more = text.last().is_some_and(|last| *last != b'\n');
    memchr::memchr_iter(b'\n', text).count() + usize::from(has_more)
}

/// Returns the number of equal bytes at the beginning of both.
pub fn common_start(a: &[u8], b: &[u8]) -> usize {
    let (blocks_a, _) = a.as_chunks::<64>();
    let (blocks_b, _) = b.as_chunks::<64>();
    let start = 64 * blocks_a.iter().zip(blocks_b).take_while(|(a, b)| a == b).count();
    start + a[start..].iter().zip(&b[start..]).take_while(|(a, b)| a == b).count()
}

/// Returns the number of equal bytes at the end of both.
pub fn common_end(a: &[u8], b: &[u8]) -> usize {
    let (_, blocks_a) = a.as_rchunks::<64>();
    let (_, blocks_b) = b.as_rchunks::<64>();
    let end =
        64 * blocks_a.iter().rev().zip(blocks_b.iter().rev()).take_while(|(a, b)| a == b).count();
    let rest = |side: &'_ [u8]| side.len() - end;
    let (a, b) = (&a[..rest(a)], &b[..rest(b)]);
    end + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

fn count_in_full(old: &[u8], new: &[u8]) -> LineCounts {
    let (old, new) = (diff::split_lines(old), diff::split_lines(new));
    if diff::is_by_histogram(&old, &new) {
        return diff::histogram_counts(&old, &new);
    }
    LineNumbering::for_texts(&old, &new).by_patience()
}

/// The lines between the equal beginnings and ends of two texts.
struct DifferingMiddle<'t> {
    start: &'t [u8],
    old: &'t [u8],
    new: &'t [u8],
    end: &'t [u8],
}

impl<'t> DifferingMiddle<'t> {
    fn between(old: &'t [u8], new: &'t [u8]) -> Self {
        let same = &old[..common_start(old, new)];
        let first = memchr::memrchr(b'\n', same).map_or(0, |at| at + 1);
        let (start, old) = old.split_at(first);
        let new = &new[first..];
        let same = common_end(old, new);
        let is_whole = |side: &[u8]| {
            let before = side.len() - same;
            before == 0 || side[before - 1] == b'\n'
        };
        let last = if is_whole(old) && is_whole(new) {
            same
        } else {
            let rest = &old[old.len() - same..];
            memchr::memchr(b'\n', rest).map_or(0, |at| rest.len() - at - 1)
        };
        let (old, end) = old.split_at(old.len() - last);
        Self { start, old, new: &new[..new.len() - last], end }
    }
}

/// Returns whether a part of a text has a line; the part begins at the start of a line.
fn has_line(part: &[u8], line: &[u8]) -> bool {
    let is_line = |at: usize| {
        let begins = at == 0 || part[at - 1] == b'\n';
        begins && (line.ends_with(b"\n") || at + line.len() == part.len())
    };
    memmem::find_iter(part, line).any(is_line)
}

/// The lines of two texts by number: equal ones have the same.
struct LineNumbering<'t> {
    old: Vec<u32>,
    new: Vec<u32>,
    /// The lines by number, each with its number of occurrences in the old and in the new text.
    lines: Vec<(&'t [u8], [u32; 2])>,
}

impl<'t> LineNumbering<'t> {
    fn for_texts(old: &[&'t [u8]], new: &[&'t [u8]]) -> Self {
        let mut numbers: HashMap<&[u8], u32, ShortWords> =
            HashMap::with_capacity_and_hasher(old.len() + new.len(), ShortWords::default());
        let mut lines: Vec<(&[u8], [u32; 2])> = vec![];
        let mut number = |line: &&'t [u8], side: usize| {
            let number = *numbers.entry(line).or_insert_with(|| {
                lines.push((line, [0, 0]));
                (lines.len() - 1) as u32
            });
            lines[number as usize].1[side] += 1;
            number
        };
        let old = old.iter().map(|line| number(line, 0)).collect();
        let new = new.iter().map(|line| number(line, 1)).collect();
        Self { old, new, lines }
    }

    fn share_any(&self) -> bool {
        self.lines.iter().any(|(_, [old, new])| *old > 0 && *new > 0)
    }

    /// Returns the lines that are unique on either side.
    fn lines_once(&self) -> impl Iterator<Item = &'t [u8]> {
        self.lines.iter().filter(|(_, often)| *often == [1, 1]).map(|(line, _)| *line)
    }

    fn by_myers(&self) -> LineCounts {
        let mut counter = LineCounter::default();
        counter.count_range(&self.old, 0..self.old.len(), &self.new, 0..self.new.len());
        counter.0
    }

    /// Counts as [`similar::algorithms::patience`] does, with nothing hashed. It alone recognises two long texts that have next to
    /// nothing in common.
    fn by_patience(&self) -> LineCounts {
        let differ = |end_of: fn(&[u32]) -> Option<&u32>| end_of(&self.old) != end_of(&self.new);
        if self.old.len().min(self.new.len()) >= LONG && differ(<[_]>::first) && differ(<[_]>::last)
        {
            let (old, new, mut counter) = (&self.old, &self.new, LineCounter::default());
            let Ok(()) = patience::diff(&mut counter, old, 0..old.len(), new, 0..new.len());
            return counter.0;
        }
        let once = |side: &[u32], at: usize| -> (Vec<usize>, Vec<u32>) {
            let all = side.iter().copied().enumerate();
            all.filter(|(_, number)| self.lines[*number as usize].1[at] == 1).unzip()
        };
        let (old_places, old) = once(&self.old, 0);
        let (new_places, new) = once(&self.new, 1);
        let mut anchors = AnchorCounter {
            lines: self,
            places: diff::Sides { old: &old_places, new: &new_places },
            at: diff::Sides::default(),
            counter: LineCounter::default(),
        };
        let Ok(()) = myers::diff(&mut anchors, &old, 0..old.len(), &new, 0..new.len());
        anchors.counter.0
    }
}

/// Counts what a comparison says.
#[derive(Default)]
struct LineCounter(LineCounts);

impl LineCounter {
    fn count_range(
        &mut self,
        old: &[u32],
        old_range: Range<usize>,
        new: &[u32],
        new_range: Range<usize>,
    ) {
        let Ok(()) = myers::diff(self, old, old_range, new, new_range);
    }
}

impl DiffHook for LineCounter {
    type Error = Infallible;

    fn delete(&mut self, _: usize, len: usize, _: usize) -> Result<(), Infallible> {
        self.0.removed += len;
        Ok(())
    }

    fn insert(&mut self, _: usize, _: usize, len: usize) -> Result<(), Infallible> {
        self.0.added += len;
        Ok(())
    }
}

/// Counts the lines between those that are unique on either side and are matched.
struct AnchorCounter<'n> {
    lines: &'n LineNumbering<'n>,
    /// The places of the lines that are unique on their side.
    places: diff::Sides<&'n [usize]>,
    /// The lines before are counted.
    at: diff::Sides<usize>,
    counter: LineCounter,
}

impl AnchorCounter<'_> {
    fn count_until(&mut self, old: usize, new: usize) {
        let lines = self.lines;
        let (old_side, new_side) = (&lines.old[self.at.old..old], &lines.new[self.at.new..new]);
        let same = old_side.iter().zip(new_side).take_while(|(old, new)| old == new).count();
        let (old_range, new_range) = (self.at.old + same..old, self.at.new + same..new);
        self.counter.count_range(&lines.old, old_range, &lines.new, new_range);
        self.at = diff::Sides { old, new };
    }
}

impl DiffHook for AnchorCounter<'_> {
    type Error = Infallible;

    fn equal(&mut self, old: usize, new: usize, len: usize) -> Result<(), Infallible> {
        for (old, new) in (old..old + len).zip(new..new + len) {
            self.count_until(self.places.old[old], self.places.new[new]);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Infallible> {
        self.count_until(self.lines.old.len(), self.lines.new.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn by_script(old: &[u8], new: &[u8]) -> LineCounts {
        let diff = diff::diff_bytes(old, new, 0);
        LineCounts { added: diff.added, removed: diff.removed }
    }

    fn text_of_lines(lines: &[u16], has_end: bool) -> Vec<u8> {
        let mut text: Vec<u8> =
            lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
        if !has_end {
            text.pop();
        }
        text
    }

    /// Returns a list of lines, and what becomes of it where some of them are replaced by others, again and again.
    fn edited_lines(
        lines: Range<usize>,
        words: u16,
    ) -> impl Strategy<Value = (Vec<u16>, Vec<u16>)> {
        let edits = prop::collection::vec(
            (any::<prop::sample::Index>(), 0..9_usize, prop::collection::vec(0..words, 0..9)),
            0..6,
        );
        (prop::collection::vec(0..words, lines), edits).prop_map(|(old, edits)| {
            let mut new = old.clone();
            for (at, len, lines) in edits {
                let start = at.index(new.len() + 1);
                let end = (start + len).min(new.len());
                new.splice(start..end, lines);
            }
            (old, new)
        })
    }

    proptest! {
        #[test]
        fn whatever_the_texts_as_many_lines_differ_as_their_difference_has(
            old in prop::collection::vec(0_u16..9, 0..40),
            new in prop::collection::vec(0_u16..9, 0..40),
            ends: [bool; 2],
        ) {
            let (old, new) = (text_of_lines(&old, ends[0]), text_of_lines(&new, ends[1]));
            prop_assert_eq!(line_counts(&old, &new), by_script(&old, &new));
        }

        #[test]
        fn whatever_is_edited_as_many_lines_differ_as_the_difference_has(
            (old, new) in prop_oneof![edited_lines(0..90, 40), edited_lines(0..90, 4), edited_lines(30..300, 300), edited_lines(500..1500, 2000)],
            ends: [bool; 2],
        ) {
            let (old, new) = (text_of_lines(&old, ends[0]), text_of_lines(&new, ends[1]));
            let counted = by_script(&old, &new);
            prop_assert_eq!(line_counts(&old, &new), counted);
            prop_assert_eq!(count_in_full(&old, &new), counted);
        }

        #[test]
        fn whatever_the_bytes_their_common_start_and_end_are_found_to_the_byte(
            a in prop::collection::vec(0_u8..2, 0..300),
            at: prop::sample::Index,
        ) {
            let mut b = a.clone();
            b.insert(at.index(a.len() + 1), 7);
            let same = |a: &mut dyn Iterator<Item = &u8>, b: &mut dyn Iterator<Item = &u8>| {
                a.zip(b).take_while(|(a, b)| a == b).count()
            };
            prop_assert_eq!(common_start(&a, &b), same(&mut a.iter(), &mut b.iter()));
            prop_assert_eq!(common_end(&a, &b), same(&mut a.iter().rev(), &mut b.iter().rev()));
        }
    }

    fn number_lines(lines: impl Iterator<Item = usize>) -> Vec<u8> {
        lines.flat_map(|line| format!("{line}\n").into_bytes()).collect()
    }

    #[test]
    fn long_texts_that_have_next_to_nothing_in_common_differ_in_all_lines() {
        let (old, new) = (number_lines(0..2_000), number_lines((10_000..11_999).chain([7])));

        assert_eq!(line_counts(&old, &new), LineCounts { added: 2_000, removed: 2_000 });
        assert_eq!(by_script(&old, &new), LineCounts { added: 2_000, removed: 2_000 });
    }

    #[test]
    fn texts_of_tens_of_thousands_of_lines_differ_as_by_histogram() {
        let old = number_lines((0..20_000).map(|n| n % 97));
        for new in [number_lines((0..20_000).map(|n| n * 31 % 89)), old[100..].to_vec(), vec![]] {
            assert_eq!(line_counts(&old, &new), by_script(&old, &new));
        }
    }

    #[test]
    fn a_line_that_moves_is_told_by_what_stands_once_in_the_whole_text() {
        let cases = [
            ("x\na\nb\nc\nb\ny\n", "x\nb\nc\na\nb\ny\n"),
            ("a\nx\na\nb\nc\ny\n", "a\nx\nb\na\nc\ny\n"),
            ("\na\n\nb\n", "\nb\n\na\n"),
        ];
        for (old, new) in cases {
            let (old, new) = (old.as_bytes(), new.as_bytes());
            assert_eq!(line_counts(old, new), by_script(old, new));
        }
    }
}
