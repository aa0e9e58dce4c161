//! A comparison cut into rows: hunks, the text between them folded or open, one column of lines or two.
//!
//! It never changes: [`ComparedFile::with_arrangement`] and [`ComparedFile::with_gap_toggled`] cut the same texts anew.

use std::{borrow::Cow, collections::BTreeSet, ops::Range, sync::Arc};

use crate::session::{arrangement::Arrangement, turn_counts::LineTotals};
use trajview_code::diff::{DiffHunk, DiffLine, LineKind, TextDiff, pair_lines};
use trajview_run::files::FileDiff;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffRow {
    /// The head of a hunk, and of the text left out before it; index into [`TextDiff::hunks`].
    Hunk(usize),
    /// The number of lines left out after the last hunk.
    Rest(usize),
    /// A line of a hunk, with the sides below each other.
    Line { hunk: usize, line: usize },
    /// Lines of a hunk beside each other; None where one side has nothing.
    Pair { hunk: usize, old: Option<usize>, new: Option<usize> },
    /// A line that no hunk has, by its place in an open gap.
    Equal { gap: usize, line: usize },
}

/// Equal text before a hunk; the last gap is after all hunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EqualGap {
    /// Numbers of its first line, from 1.
    old: usize,
    new: usize,
    lines: usize,
}

/// The part of the texts that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShownExtent {
    Changes,
    /// The new text as it is.
    WholeFile,
}

/// A comparison, cut into rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedFile {
    pub diff: Arc<FileDiff>,
    pub rows: Vec<DiffRow>,
    arrangement: Arrangement,
    extent: ShownExtent,
    gaps: Arc<[EqualGap]>,
    /// The end of each line of the new text, its line end included.
    ends: Arc<[usize]>,
    /// Gaps that are open.
    open: BTreeSet<usize>,
    /// Characters of the longest line shown.
    widest: usize,
}

impl ComparedFile {
    pub(crate) fn changes_only(diff: FileDiff) -> Self {
        Self::new(diff, ShownExtent::Changes)
    }

    /// Returns the new text from beginning to end, whatever changed in it.
    pub fn whole_file(mut diff: FileDiff) -> Self {
        if let FileDiff::Text { diff, .. } = &mut diff {
            *diff = TextDiff::default();
        }
        Self::new(diff, ShownExtent::WholeFile)
    }

    fn new(diff: FileDiff, extent: ShownExtent) -> Self {
        let ends = match &diff {
            FileDiff::Text { new: Some(text), .. } => line_ends(text),
            _ => vec![],
        };
        let gaps = equal_gaps(&diff, ends.len(), extent);
        let mut compared = Self {
            diff: Arc::new(diff),
            rows: vec![],
            arrangement: Arrangement::default(),
            extent,
            gaps: gaps.into(),
            ends: ends.into(),
            open: BTreeSet::new(),
            widest: 0,
        };
        compared.cut_rows();
        compared
    }

    pub fn text_diff(&self) -> Option<&TextDiff> {
        self.diff.text_diff()
    }

    pub fn hunks(&self) -> &[DiffHunk] {
        self.text_diff().map_or(&[], |text| text.hunks.as_slice())
    }

    pub(crate) fn line_totals(&self) -> Option<LineTotals> {
        self.text_diff().map(|text| LineTotals { added: text.added, removed: text.removed })
    }

    pub const fn arrangement(&self) -> Arrangement {
        self.arrangement
    }

    pub(crate) fn is_whole_file(&self) -> bool {
        self.extent == ShownExtent::WholeFile
    }

    pub(crate) const fn widest_line(&self) -> usize {
        self.widest
    }

    /// Returns the number of lines of the new text.
    pub fn line_count(&self) -> usize {
        self.ends.len()
    }

    /// Returns the index of the hunk that a row belongs to; None for a row outside hunks.
    pub(crate) const fn hunk_of(row: DiffRow) -> Option<usize> {
        match row {
            DiffRow::Hunk(hunk) | DiffRow::Line { hunk, .. } | DiffRow::Pair { hunk, .. } => {
                Some(hunk)
            }
            DiffRow::Rest(_) | DiffRow::Equal { .. } => None,
        }
    }

    /// Returns the line of a row; of two beside each other the new one where there is one.
    pub fn line_at(&self, row: DiffRow) -> Option<Cow<'_, DiffLine>> {
        match row {
            DiffRow::Hunk(_) | DiffRow::Rest(_) => None,
            DiffRow::Line { hunk, line } => self.hunk_line(hunk, line).map(Cow::Borrowed),
            DiffRow::Pair { hunk, old, new } => {
                self.hunk_line(hunk, new.or(old)?).map(Cow::Borrowed)
            }
            DiffRow::Equal { gap, line } => self.equal_line(gap, line).map(Cow::Owned),
        }
    }

    pub(crate) fn hunk_line(&self, hunk: usize, line: usize) -> Option<&DiffLine> {
        self.hunks().get(hunk)?.lines.get(line)
    }

    fn equal_line(&self, gap: usize, line: usize) -> Option<DiffLine> {
        let gap = self.gaps.get(gap)?;
        let FileDiff::Text { new: Some(text), old, .. } = &*self.diff else { return None };
        let number = gap.new + line;
        let start =
            number.checked_sub(2).map_or(Some(0), |before| self.ends.get(before).copied())?;
        let line_with_end = text.get(start..*self.ends.get(number - 1)?)?;
        let words = line_with_end.strip_suffix('\n');
        Some(DiffLine {
            kind: LineKind::Context,
            old: old.as_ref().map(|_| gap.old + line),
            new: Some(number),
            text: words.unwrap_or(line_with_end).to_owned(),
            newline: words.is_some(),
        })
    }

    /// Returns the number of lines left out before a hunk; None where its gap is open or there is none.
    pub(crate) fn folded_before(&self, hunk: usize) -> Option<usize> {
        let gap = self.gaps.get(hunk).filter(|gap| gap.lines > 0)?;
        (!self.is_open(hunk)).then_some(gap.lines)
    }

    fn is_open(&self, gap: usize) -> bool {
        self.extent == ShownExtent::WholeFile || self.open.contains(&gap)
    }

    /// Returns the index of the gap that a row is or belongs to, where it has lines and can be folded.
    pub(crate) fn gap_of(&self, row: DiffRow) -> Option<usize> {
        let gap = match row {
            DiffRow::Hunk(hunk) => hunk,
            DiffRow::Rest(_) => self.hunks().len(),
            DiffRow::Equal { gap, .. } => gap,
            DiffRow::Line { .. } | DiffRow::Pair { .. } => return None,
        };
        self.foldable_gap(gap)
    }

    /// Returns the index of the gap that is meant at a row: inside a hunk the nearer one.
    pub(crate) fn nearest_gap(&self, row: DiffRow) -> Option<usize> {
        let (hunk, line) = match row {
            DiffRow::Hunk(hunk) => (hunk, 0),
            DiffRow::Line { hunk, line } => (hunk, line),
            DiffRow::Pair { hunk, old, new } => (hunk, new.or(old)?),
            DiffRow::Rest(_) | DiffRow::Equal { .. } => return self.gap_of(row),
        };
        let is_upper_half = line * 2 < self.hunks().get(hunk)?.lines.len();
        let [near, far] = if is_upper_half { [hunk, hunk + 1] } else { [hunk + 1, hunk] };
        self.foldable_gap(near).or_else(|| self.foldable_gap(far))
    }

    fn foldable_gap(&self, gap: usize) -> Option<usize> {
        let has_lines = self.gaps.get(gap).is_some_and(|gap| gap.lines > 0);
        (self.extent == ShownExtent::Changes && has_lines).then_some(gap)
    }

    pub(crate) fn with_arrangement(&self, arrangement: Arrangement) -> Self {
        self.cut_again(|compared| compared.arrangement = arrangement)
    }

    /// Returns the file with a gap opened, or folded again.
    pub(crate) fn with_gap_toggled(&self, gap: usize) -> Self {
        self.cut_again(|compared| {
            if !compared.open.remove(&gap) {
                compared.open.insert(gap);
            }
        })
    }

    /// Returns a copy with every gap open, or with all folded where all were open.
    pub(crate) fn with_all_gaps_toggled(&self) -> Self {
        let all: BTreeSet<usize> =
            (0..self.gaps.len()).filter_map(|gap| self.foldable_gap(gap)).collect();
        self.cut_again(|compared| {
            compared.open = if compared.open == all { BTreeSet::new() } else { all };
        })
    }

    fn cut_again(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut compared = Self { rows: vec![], ..self.clone() };
        change(&mut compared);
        compared.cut_rows();
        compared
    }

    fn cut_rows(&mut self) {
        let mut rows = vec![];
        for (index, hunk) in self.hunks().iter().enumerate() {
            rows.extend(self.rows_of_gap(index));
            rows.push(DiffRow::Hunk(index));
            match self.arrangement {
                Arrangement::Unified => {
                    rows.extend(
                        (0..hunk.lines.len()).map(|line| DiffRow::Line { hunk: index, line }),
                    );
                }
                Arrangement::Columns => rows.extend(paired_rows(index, hunk)),
            }
        }
        let last = self.hunks().len();
        match self.gaps.get(last).filter(|gap| gap.lines > 0) {
            Some(_) if self.is_open(last) => rows.extend(self.rows_of_gap(last)),
            Some(gap) => rows.push(DiffRow::Rest(gap.lines)),
            None => {}
        }
        let in_hunks = self.hunks().iter().flat_map(|hunk| &hunk.lines);
        let in_hunks = in_hunks.map(|line| line.text.chars().count()).max();
        let open = self.gaps.iter().enumerate().filter(|(gap, _)| self.is_open(*gap));
        let opened = open.map(|(_, gap)| self.widest_of(gap)).max();
        self.widest = in_hunks.max(opened).unwrap_or_default();
        self.rows = rows;
    }

    fn rows_of_gap(&self, gap: usize) -> impl Iterator<Item = DiffRow> + use<> {
        let lines = self.gaps.get(gap).filter(|_| self.is_open(gap)).map_or(0, |gap| gap.lines);
        (0..lines).map(move |line| DiffRow::Equal { gap, line })
    }

    fn widest_of(&self, gap: &EqualGap) -> usize {
        let FileDiff::Text { new: Some(text), .. } = &*self.diff else { return 0 };
        let start =
            gap.new.checked_sub(2).and_then(|before| self.ends.get(before).copied()).unwrap_or(0);
        let after = text.get(start..).unwrap_or_default().lines().take(gap.lines);
        after.map(|line| line.chars().count()).max().unwrap_or_default()
    }

    pub(crate) fn hunk_rows(&self) -> impl Iterator<Item = usize> {
        let rows = self.rows.iter().enumerate();
        rows.filter(|(_, row)| matches!(row, DiffRow::Hunk(_))).map(|(row, _)| row)
    }

    /// Returns the number of a row's line in the new text, from 1; None where it has none there.
    pub(crate) fn new_number(&self, row: DiffRow) -> Option<usize> {
        match row {
            DiffRow::Equal { gap, line } => self.gaps.get(gap).map(|gap| gap.new + line),
            DiffRow::Pair { hunk, new, .. } => self.hunk_line(hunk, new?)?.new,
            DiffRow::Line { hunk, line } => self.hunk_line(hunk, line)?.new,
            DiffRow::Hunk(_) | DiffRow::Rest(_) => None,
        }
    }

    /// Returns the row of a line of the new text, or the first after it that is shown, or the last of all.
    pub(crate) fn row_of_line(&self, line_number: usize) -> usize {
        let reached =
            |row: &DiffRow| self.new_number(*row).is_some_and(|number| number >= line_number);
        let last = self.rows.len().saturating_sub(1);
        self.rows.iter().position(reached).unwrap_or(last)
    }

    /// Returns the row that removes a line of the old text; else the first that shows it or one after it, or the last
    /// of all.
    pub(crate) fn row_of_old_line(&self, line_number: usize) -> usize {
        let old = |row: &DiffRow| match *row {
            DiffRow::Pair { hunk, old, .. } => self.hunk_line(hunk, old?)?.old,
            DiffRow::Line { hunk, line } => self.hunk_line(hunk, line)?.old,
            DiffRow::Hunk(_) | DiffRow::Rest(_) | DiffRow::Equal { .. } => None,
        };
        let last = self.rows.len().saturating_sub(1);
        let reached = |row: &DiffRow| old(row).is_some_and(|number| number >= line_number);
        self.rows.iter().position(reached).unwrap_or(last)
    }

    /// Returns the first row that adds this text.
    pub(crate) fn row_that_adds(&self, text: &str) -> Option<usize> {
        self.row_adding(&|added| added == text)
    }

    /// Returns the first row that adds a match, else the first row with one.
    pub(crate) fn row_with(&self, words: &regex::Regex) -> Option<usize> {
        let has = |hunk: usize, line: usize| {
            self.hunk_line(hunk, line).is_some_and(|line| words.is_match(&line.text))
        };
        let any = || {
            self.rows.iter().position(|row| match *row {
                DiffRow::Line { hunk, line } => has(hunk, line),
                DiffRow::Pair { hunk, old, new } => {
                    [old, new].into_iter().flatten().any(|line| has(hunk, line))
                }
                DiffRow::Hunk(_) | DiffRow::Rest(_) | DiffRow::Equal { .. } => false,
            })
        };
        self.row_adding(&|added| words.is_match(added)).or_else(any)
    }

    fn row_adding(&self, is_it: &dyn Fn(&str) -> bool) -> Option<usize> {
        let adds = |hunk: usize, line: usize| {
            let line = self.hunk_line(hunk, line);
            line.is_some_and(|line| line.kind == LineKind::Added && is_it(&line.text))
        };
        self.rows.iter().position(|row| match *row {
            DiffRow::Line { hunk, line } => adds(hunk, line),
            DiffRow::Pair { hunk, new: Some(line), .. } => adds(hunk, line),
            DiffRow::Pair { .. } | DiffRow::Hunk(_) | DiffRow::Rest(_) | DiffRow::Equal { .. } => {
                false
            }
        })
    }

    /// Returns the first row that adds one of these lines of the new text; both ends count, from 1.
    pub(crate) fn row_added_within(&self, first: usize, last: usize) -> Option<usize> {
        let is_added = |hunk: usize, line: usize| {
            let line = self.hunk_line(hunk, line).filter(|line| line.kind == LineKind::Added);
            line.and_then(|line| line.new).is_some_and(|new| (first..=last).contains(&new))
        };
        self.rows.iter().position(|row| match *row {
            DiffRow::Line { hunk, line } => is_added(hunk, line),
            DiffRow::Pair { hunk, new: Some(line), .. } => is_added(hunk, line),
            DiffRow::Pair { .. } | DiffRow::Hunk(_) | DiffRow::Rest(_) | DiffRow::Equal { .. } => {
                false
            }
        })
    }

    /// Returns the row that matches one of another cut of the same texts: the same line, or the fold that contains
    /// it.
    pub(crate) fn row_matching(&self, row: DiffRow) -> Option<usize> {
        let is_like = |mine: &DiffRow| match (*mine, row) {
            (DiffRow::Line { hunk, line }, DiffRow::Pair { hunk: other, old, new }) => {
                hunk == other && new.or(old) == Some(line)
            }
            (DiffRow::Pair { hunk, old, new }, DiffRow::Line { hunk: other, line }) => {
                hunk == other && (old == Some(line) || new == Some(line))
            }
            (mine, row) => mine == row,
        };
        let folded = |mine: &DiffRow| match (*mine, row) {
            (DiffRow::Hunk(hunk), DiffRow::Equal { gap, .. }) => hunk == gap,
            (DiffRow::Rest(_), DiffRow::Equal { gap, .. }) => gap == self.hunks().len(),
            (DiffRow::Equal { gap, line }, DiffRow::Rest(_)) => {
                gap == self.hunks().len() && line == 0
            }
            _ => false,
        };
        self.rows.iter().position(is_like).or_else(|| self.rows.iter().position(folded))
    }
}

fn line_ends(text: &str) -> Vec<usize> {
    let mut ends: Vec<usize> =
        memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1).collect();
    if ends.last().copied().unwrap_or(0) < text.len() {
        ends.push(text.len());
    }
    ends
}

/// Returns one gap before each hunk and one after the last; none where the texts are unknown.
fn equal_gaps(diff: &FileDiff, lines: usize, extent: ShownExtent) -> Vec<EqualGap> {
    let FileDiff::Text { diff, .. } = diff else { return vec![] };
    if diff.hunks.is_empty() && extent == ShownExtent::Changes {
        return vec![];
    }
    let first = |start: usize, len: usize| if len == 0 { start + 1 } else { start };
    let (mut gaps, mut old, mut new) = (Vec::with_capacity(diff.hunks.len() + 1), 1, 1);
    for hunk in &diff.hunks {
        let hunk_new = first(hunk.new_start, hunk.new_len);
        gaps.push(EqualGap { old, new, lines: hunk_new.saturating_sub(new) });
        old = first(hunk.old_start, hunk.old_len) + hunk.old_len;
        new = hunk_new + hunk.new_len;
    }
    gaps.push(EqualGap { old, new, lines: (lines + 1).saturating_sub(new) });
    gaps
}

/// Returns the lines of a hunk beside each other: versions of one line in one row, the rest in order.
fn paired_rows(index: usize, hunk: &DiffHunk) -> Vec<DiffRow> {
    let has = |kind| hunk.lines.iter().any(|line| line.kind == kind);
    let is_mixed = has(LineKind::Removed) && has(LineKind::Added);
    let pairs = if is_mixed { pair_lines(hunk) } else { vec![] };
    let run_of = |start: usize, kind| {
        let lines = hunk.lines[start..].iter().take_while(|line| line.kind == kind);
        start..start + lines.count()
    };
    let (mut rows, mut at) = (vec![], 0);
    while at < hunk.lines.len() {
        if hunk.lines[at].kind == LineKind::Context {
            rows.push((Some(at), Some(at)));
            at += 1;
            continue;
        }
        let removed = run_of(at, LineKind::Removed);
        let added = run_of(removed.end, LineKind::Added);
        at = added.end;
        let first = pairs.partition_point(|(old, _)| *old < removed.start);
        let end = pairs.partition_point(|(old, _)| *old < removed.end);
        rows.extend(pair_sides(&removed, &added, &pairs[first..end]));
    }
    rows.into_iter().map(|(old, new)| DiffRow::Pair { hunk: index, old, new }).collect()
}

fn pair_sides(
    removed: &Range<usize>,
    added: &Range<usize>,
    pairs: &[(usize, usize)],
) -> Vec<(Option<usize>, Option<usize>)> {
    let (mut rows, mut old, mut new) = (vec![], removed.start, added.start);
    for &(pair_old, pair_new) in pairs.iter().chain([&(removed.end, added.end)]) {
        let lines = (pair_old - old).max(pair_new - new);
        let left = |start: usize, end: usize, by: usize| Some(start + by).filter(|at| *at < end);
        rows.extend((0..lines).map(|by| (left(old, pair_old, by), left(new, pair_new, by))));
        if pair_old < removed.end {
            rows.push((Some(pair_old), Some(pair_new)));
        }
        (old, new) = (pair_old + 1, pair_new + 1);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_code::diff::diff_text;

    fn compare_texts(old: &str, new: &str) -> ComparedFile {
        let diff = diff_text(old, new, 3);
        ComparedFile::changes_only(FileDiff::Text {
            diff,
            old: Some(old.into()),
            new: Some(new.into()),
        })
    }

    /// Two changes in thirty lines, so that there is text before, between and after.
    fn thirty_lines() -> ComparedFile {
        let old: String = (1..=30).map(|line| format!("line {line}\n")).collect();
        compare_texts(&old, &old.replace("line 9\n", "line nine\n").replace("line 22\n", ""))
    }

    fn row_texts(compared: &ComparedFile) -> Vec<String> {
        let words = |row: &DiffRow| match compared.line_at(*row) {
            Some(line) => line.text.clone(),
            None => format!("{row:?}"),
        };
        compared.rows.iter().map(words).collect()
    }

    #[test]
    fn what_is_folded_is_counted() {
        let compared = thirty_lines();

        let before: Vec<_> = [0, 1].map(|hunk| compared.folded_before(hunk)).to_vec();

        assert_eq!(before, [Some(5), Some(6)]);
        assert_eq!(compared.rows.last(), Some(&DiffRow::Rest(5)));
    }

    #[test]
    fn a_fold_opens_in_place_and_closes_again() {
        let folded = thirty_lines();
        let open = folded.with_gap_toggled(1);
        let lines = row_texts(&open);

        let head = lines.iter().position(|line| line == "Hunk(1)").unwrap();

        assert_eq!(
            lines[head - 6..head],
            ["line 13", "line 14", "line 15", "line 16", "line 17", "line 18"]
        );
        assert_eq!(open.folded_before(1), None);
        assert_eq!(open.with_gap_toggled(1), folded);
    }

    #[test]
    fn with_every_fold_open_the_new_text_is_there_line_by_line() {
        let open = thirty_lines().with_all_gaps_toggled();

        let numbers: Vec<_> = open.rows.iter().filter_map(|row| open.new_number(*row)).collect();

        assert_eq!(numbers, (1..=29).collect::<Vec<_>>());
        assert_eq!(open.with_all_gaps_toggled(), thirty_lines());
    }

    #[test]
    fn opened_lines_have_the_numbers_of_both_sides() {
        let open = thirty_lines().with_all_gaps_toggled();
        let last = open.line_at(*open.rows.last().unwrap()).unwrap();

        assert_eq!((last.old, last.new, &*last.text), (Some(30), Some(29), "line 30"));
    }

    #[test]
    fn beside_each_other_stand_versions_of_one_line_and_then_the_rest() {
        let compared = compare_texts("a\nlet total = 1;\nb\n", "a\nuse fmt;\nlet total = 12;\nb\n");
        let columns = compared.with_arrangement(Arrangement::Columns);

        let pairs: Vec<_> = columns
            .rows
            .iter()
            .filter_map(|row| match *row {
                DiffRow::Pair { old, new, .. } => Some((old, new)),
                _ => None,
            })
            .collect();

        assert_eq!(
            pairs,
            [(Some(0), Some(0)), (None, Some(2)), (Some(1), Some(3)), (Some(4), Some(4))]
        );
    }

    #[test]
    fn a_row_is_found_again_in_every_arrangement() {
        let unified = thirty_lines();
        let columns = unified.with_arrangement(Arrangement::Columns);
        for row in &unified.rows {
            assert!(columns.row_matching(*row).is_some(), "{row:?}");
        }
        for row in &columns.rows {
            assert!(unified.row_matching(*row).is_some(), "{row:?}");
        }
    }

    #[test]
    fn a_whole_file_is_its_lines_and_nothing_else() {
        let text = "one\ntwo";
        let diff = diff_text("", text, 0);
        let whole =
            ComparedFile::whole_file(FileDiff::Text { diff, old: None, new: Some(text.into()) });

        assert_eq!(row_texts(&whole), ["one", "two"]);
        assert_eq!(whole.gap_of(whole.rows[0]), None);
    }

    #[test]
    fn a_file_that_was_only_renamed_has_no_rows() {
        assert_eq!(compare_texts("same\n", "same\n").rows, []);
    }
}
