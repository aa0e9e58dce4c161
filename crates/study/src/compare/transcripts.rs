//! Two transcripts aligned by their requests, tool calls and edits.
//!
//! Requests with equal texts are anchors: their longest common sequence is found first, so that a turn of one run stands
//! beside the same turn of the other. Between two anchors the calls are aligned by their longest common sequence (Myers
//! 1986); two calls are equal if tool, arguments and edits are. Of the calls that are left between two equal ones, those
//! of one tool on one file are paired in their order and count as *changed*. Messages and thinking stand beside the call
//! that follows them and are no difference: a model words them anew each time.
//!
//! The time of an alignment grows with the calls that occur in both runs, its memory with all steps; a transcript has at
//! most [`MAX_STEPS`] steps.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
};

use similar::{Algorithm, DiffOp, capture_diff_slices};
use trajview_run::{StepId, format_number::with_thousands, worded_enum::worded};

/// The most steps of a run that are aligned. Later ones are left out and counted.
pub const MAX_STEPS: usize = 20_000;

/// Returns the sentence that two transcripts do not differ, of runs with these letters.
pub fn same_transcripts_text(a: &str, b: &str, are_cut: bool) -> String {
    match are_cut {
        true => {
            let most = with_thousands(MAX_STEPS as u64);
            format!(
                "the first {most} steps of {a} and {b} are the same; later ones are not compared"
            )
        }
        false => format!("{a} and {b} have the same requests, tool calls and edits"),
    }
}

/// A request or a step of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptItem {
    /// Counts from 0.
    pub turn: usize,
    /// The step; None for the request of the turn.
    pub step: Option<StepId>,
    /// The number of the step in its turn, counts from 1; 0 for the request.
    pub number: usize,
    pub kind: ItemKind,
    /// The tool of a call; `request`, `message`, `thinking` and so on for the others.
    pub name: Box<str>,
    /// One line: the main argument of a call, the first line of a text.
    pub line: Box<str>,
    pub has_failed: bool,
    /// Equal for equal requests and for equal calls.
    pub fingerprint: u64,
    /// Equal for requests, and for calls of one tool on one file.
    pub family: u64,
}

worded! {
    /// What an item is to the alignment.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ItemKind {
        Request = "request",
        /// A tool call or an edit.
        Call = "call",
        /// A message, thinking, or anything else that is shown and not aligned.
        Text = "text",
    }
}

/// The items of a run in playing order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    pub items: Vec<TranscriptItem>,
    /// The steps beyond [`MAX_STEPS`].
    pub left_out: usize,
}

worded! {
    /// How the two sides of a row agree.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RowKind {
        Same = "same",
        /// Both runs call the same tool on the same file, with other arguments; or their requests differ.
        Changed = "changed",
        OnlyA = "only in a",
        OnlyB = "only in b",
        /// Texts, which are no difference.
        Text = "text",
    }
}

/// A row of two aligned transcripts: the position of the item in each; at least one is there.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptRow {
    pub kind: RowKind,
    pub a: Option<usize>,
    pub b: Option<usize>,
    /// The first line in which two changed items differ, one a side; None where the lines of the items show it.
    pub lines: Option<Box<[Box<str>; 2]>>,
}

/// The rows of each kind, without texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowCounts {
    pub same: usize,
    pub changed: usize,
    pub only_a: usize,
    pub only_b: usize,
}

/// The first row in which two transcripts differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstDifference<'a> {
    /// The index of the row.
    pub row: usize,
    /// Requests and calls before it, which are equal in both.
    pub equal_before: usize,
    /// What each run does there; None where that run has ended.
    pub a: Option<&'a TranscriptItem>,
    pub b: Option<&'a TranscriptItem>,
    /// The lines that differ, where those of the items do not show it.
    pub lines: Option<&'a [Box<str>; 2]>,
}

/// Two transcripts beside each other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ComparedTranscripts {
    pub a: Transcript,
    pub b: Transcript,
    pub rows: Vec<TranscriptRow>,
}

impl TranscriptItem {
    /// Returns `12.7` for step 7 of turn 12, as every address names it; `12` for the request.
    pub fn address(&self) -> String {
        match self.kind {
            ItemKind::Request => (self.turn + 1).to_string(),
            ItemKind::Call | ItemKind::Text => format!("{}.{}", self.turn + 1, self.number),
        }
    }

    /// Returns `Bash: ls -l`, or the name alone where there is no line.
    pub fn display_text(&self) -> String {
        match self.line.is_empty() {
            true => self.name.to_string(),
            false => format!("{}: {}", self.name, self.line),
        }
    }

    /// Returns whether items of this kind take part in the alignment of two transcripts; texts do not.
    const fn can_be_aligned(&self) -> bool {
        !matches!(self.kind, ItemKind::Text)
    }
}

/// Returns the hash of a value, the same in every process.
pub fn fingerprint_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl RowKind {
    /// Returns whether the runs differ in a row of this kind.
    pub const fn is_difference(self) -> bool {
        matches!(self, Self::Changed | Self::OnlyA | Self::OnlyB)
    }
}

impl ComparedTranscripts {
    /// Aligns two transcripts.
    pub fn align(a: Transcript, b: Transcript) -> Self {
        let rows = AlignedRows::new(&a.items, &b.items).rows;
        Self { a, b, rows }
    }

    /// Returns the items of a row.
    pub fn items_of(&self, row: &TranscriptRow) -> [Option<&TranscriptItem>; 2] {
        let item = |side: &'_ Transcript, at: Option<usize>| at.filter(|at| *at < side.items.len());
        [
            item(&self.a, row.a).map(|at| &self.a.items[at]),
            item(&self.b, row.b).map(|at| &self.b.items[at]),
        ]
    }

    pub fn row_counts(&self) -> RowCounts {
        let mut counts = RowCounts::default();
        for row in &self.rows {
            match row.kind {
                RowKind::Same => counts.same += 1,
                RowKind::Changed => counts.changed += 1,
                RowKind::OnlyA => counts.only_a += 1,
                RowKind::OnlyB => counts.only_b += 1,
                RowKind::Text => {}
            }
        }
        counts
    }

    /// Returns the first row in which the runs differ, with what each does there; None where they never do.
    pub fn first_difference(&self) -> Option<FirstDifference<'_>> {
        let row = self.rows.iter().position(|row| row.kind.is_difference())?;
        let before = self.rows[..row].iter().filter(|row| row.kind == RowKind::Same).count();
        let rest = || self.rows[row..].iter().filter(|row| row.kind != RowKind::Text);
        let item = |side: usize| rest().find_map(|row| self.items_of(row)[side]);
        let lines = self.rows[row].lines.as_deref();
        Some(FirstDifference { row, equal_before: before, a: item(0), b: item(1), lines })
    }
}

impl FirstDifference<'_> {
    /// Returns what a side does: `1.3 Bash: ls -l`; `the end` where that run has ended.
    pub fn side_text(&self, side: usize) -> String {
        let Some(item) = [self.a, self.b][side] else { return "the end".into() };
        match self.lines {
            Some(lines) => format!("{} {}: {}", item.address(), item.name, lines[side]),
            None => format!("{} {}", item.address(), item.display_text()),
        }
    }
}

/// The alignment while its rows are made.
struct AlignedRows<'i> {
    a: &'i [TranscriptItem],
    b: &'i [TranscriptItem],
    /// The next item of each side that has no row yet.
    next: [usize; 2],
    rows: Vec<TranscriptRow>,
}

impl<'i> AlignedRows<'i> {
    fn new(a: &'i [TranscriptItem], b: &'i [TranscriptItem]) -> Self {
        let mut made = Self { a, b, next: [0, 0], rows: Vec::with_capacity(a.len().max(b.len())) };
        let requests = [a, b]
            .map(|items| positions(items, 0..items.len(), |item| item.kind == ItemKind::Request));
        let anchors = made.common_pairs(&requests, |item| item.fingerprint);
        let mut from = [0, 0];
        for (at_a, at_b) in anchors {
            made.align_segment([from[0]..at_a, from[1]..at_b]);
            made.add_row(RowKind::Same, Some(at_a), Some(at_b));
            from = [at_a + 1, at_b + 1];
        }
        made.align_segment([from[0]..a.len(), from[1]..b.len()]);
        made.add_texts([a.len(), b.len()]);
        made
    }

    /// Aligns the items between two anchors.
    fn align_segment(&mut self, [a, b]: [Range<usize>; 2]) {
        let aligned = [
            positions(self.a, a, TranscriptItem::can_be_aligned),
            positions(self.b, b, TranscriptItem::can_be_aligned),
        ];
        let equal = self.common_pairs(&aligned, |item| item.fingerprint);
        let mut left: [&[usize]; 2] = [&aligned[0], &aligned[1]];
        for (at_a, at_b) in equal {
            let [before_a, before_b] = split_before(&mut left, [at_a, at_b]);
            self.align_remainder(before_a, before_b);
            self.add_row(RowKind::Same, Some(at_a), Some(at_b));
        }
        self.align_remainder(left[0], left[1]);
    }

    /// Pairs the calls between two equal ones that are of one family; the others stand alone.
    fn align_remainder(&mut self, a: &[usize], b: &[usize]) {
        let changed = self.common_pairs(&[a.to_vec(), b.to_vec()], |item| item.family);
        let mut left = [a, b];
        for (at_a, at_b) in changed {
            let alone = split_before(&mut left, [at_a, at_b]);
            self.add_alone(alone);
            self.add_row(RowKind::Changed, Some(at_a), Some(at_b));
        }
        self.add_alone(left);
    }

    fn add_alone(&mut self, [a, b]: [&[usize]; 2]) {
        a.iter().for_each(|at| self.add_row(RowKind::OnlyA, Some(*at), None));
        b.iter().for_each(|at| self.add_row(RowKind::OnlyB, None, Some(*at)));
    }

    /// Adds a row after the texts that precede its items.
    fn add_row(&mut self, kind: RowKind, a: Option<usize>, b: Option<usize>) {
        self.add_texts([a.unwrap_or(self.next[0]), b.unwrap_or(self.next[1])]);
        self.rows.push(TranscriptRow { kind, a, b, lines: None });
        for (next, at) in self.next.iter_mut().zip([a, b]) {
            *next = at.map_or(*next, |at| at + 1);
        }
    }

    /// Adds the texts up to these items, those of both sides beside each other.
    fn add_texts(&mut self, until: [usize; 2]) {
        let [a, b] = [0, 1].map(|side| self.next[side]..until[side].max(self.next[side]));
        for at in 0..a.len().max(b.len()) {
            let in_side = |side: &Range<usize>| Some(side.start + at).filter(|at| *at < side.end);
            let (a, b) = (in_side(&a), in_side(&b));
            self.rows.push(TranscriptRow { kind: RowKind::Text, a, b, lines: None });
        }
        self.next = [a.end, b.end];
    }

    /// Returns the items of a longest common sequence of the words at these positions, as pairs in order.
    fn common_pairs(
        &self,
        positions: &[Vec<usize>; 2],
        word: impl Fn(&TranscriptItem) -> u64,
    ) -> Vec<(usize, usize)> {
        let [a, b] = [(self.a, &positions[0]), (self.b, &positions[1])]
            .map(|(items, at)| at.iter().map(|at| (word(&items[*at]), *at)).collect::<Vec<_>>());
        // A word that the other side does not have is in no common sequence.
        let words = |side: &[(u64, usize)]| side.iter().map(|it| it.0).collect::<HashSet<u64>>();
        let (in_a, in_b) = (words(&a), words(&b));
        let shared = |side: Vec<(u64, usize)>, other: &HashSet<u64>| {
            side.into_iter().filter(|it| other.contains(&it.0)).unzip::<_, _, Vec<_>, Vec<_>>()
        };
        let ((words_a, at_a), (words_b, at_b)) = (shared(a, &in_b), shared(b, &in_a));
        let mut pairs = vec![];
        for op in capture_diff_slices(Algorithm::Myers, &words_a, &words_b) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                pairs.extend((0..len).map(|by| (at_a[old_index + by], at_b[new_index + by])));
            }
        }
        pairs
    }
}

fn positions(
    items: &[TranscriptItem],
    within: Range<usize>,
    is_wanted: impl Fn(&TranscriptItem) -> bool,
) -> Vec<usize> {
    within.filter(|at| is_wanted(&items[*at])).collect()
}

/// Takes the positions before these out of `left`, which keeps those after them.
fn split_before<'p>(left: &mut [&'p [usize]; 2], at: [usize; 2]) -> [&'p [usize]; 2] {
    let before = [0, 1].map(|side| left[side].partition_point(|it| *it < at[side]));
    let parts = [0, 1].map(|side| &left[side][..before[side]]);
    for side in 0..2 {
        left[side] = &left[side][(before[side] + 1).min(left[side].len())..];
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes items from words: `?x` is a request, `.x` a text, `tool:argument` a call.
    fn transcript(words: &str) -> Transcript {
        let (mut turn, mut number) = (0, 0);
        let mut items: Vec<TranscriptItem> = vec![];
        for word in words.split_whitespace() {
            let kind = match word.chars().next() {
                Some('?') => ItemKind::Request,
                Some('.') => ItemKind::Text,
                _ => ItemKind::Call,
            };
            if kind == ItemKind::Request {
                turn += usize::from(!items.is_empty());
                number = 0;
            } else {
                number += 1;
            }
            let (name, line) = word.split_once(':').unwrap_or((word, ""));
            let name = if kind == ItemKind::Request { "request" } else { name };
            let line = if kind == ItemKind::Request { word } else { line };
            items.push(TranscriptItem {
                turn,
                step: None,
                number,
                kind,
                name: name.into(),
                line: line.into(),
                has_failed: false,
                fingerprint: fingerprint_of(&word),
                family: fingerprint_of(&name),
            });
        }
        Transcript { items, left_out: 0 }
    }

    fn aligned(a: &str, b: &str) -> Vec<String> {
        let both = ComparedTranscripts::align(transcript(a), transcript(b));
        let text = |item: Option<&TranscriptItem>| item.map_or("-".into(), |it| it.display_text());
        let row = |row: &TranscriptRow| {
            let [a, b] = both.items_of(row).map(text);
            format!("{}: {a} | {b}", row.kind.word())
        };
        both.rows.iter().map(row).collect()
    }

    fn first_difference(a: &str, b: &str) -> Option<(usize, String, String)> {
        let both = ComparedTranscripts::align(transcript(a), transcript(b));
        let first = both.first_difference()?;
        Some((first.equal_before, first.side_text(0), first.side_text(1)))
    }

    #[test]
    fn calls_are_equal_changed_or_in_one_run_alone_and_texts_are_no_difference() {
        let rows = aligned(
            "?do .hm bash:ls read:x bash:make bash:test",
            "?do .well .so bash:ls bash:build edit:y bash:test .bye",
        );

        let expected = [
            "same: request: ?do | request: ?do",
            "text: .hm | .well",
            "text: - | .so",
            "same: bash: ls | bash: ls",
            "only in a: read: x | -",
            "changed: bash: make | bash: build",
            "only in b: - | edit: y",
            "same: bash: test | bash: test",
            "text: - | .bye",
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn equal_requests_are_anchors_even_where_calls_would_align_across_them() {
        let rows = aligned("?one bash:a ?two bash:b", "?one ?two bash:a bash:b");

        let expected = [
            "same: request: ?one | request: ?one",
            "only in a: bash: a | -",
            "same: request: ?two | request: ?two",
            "only in b: - | bash: a",
            "same: bash: b | bash: b",
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn the_first_step_that_differs_is_named_with_both_sides() {
        assert_eq!(first_difference("?x bash:a bash:b", "?x bash:a bash:b .more"), None);
        let expected = (2, "1.2 bash: b".to_owned(), "1.3 bash: c".to_owned());
        assert_eq!(first_difference("?x bash:a bash:b", "?x bash:a .t bash:c"), Some(expected));
        let ended = (2, "the end".to_owned(), "1.2 bash: b".to_owned());
        assert_eq!(first_difference("?x bash:a", "?x bash:a bash:b"), Some(ended));
        let detour = (1, "1.1 read: r".to_owned(), "1.1 bash: a".to_owned());
        assert_eq!(first_difference("?x read:r bash:a", "?x bash:a"), Some(detour));
    }

    #[test]
    fn equal_transcripts_that_were_cut_are_the_same_only_up_to_there() {
        assert!(same_transcripts_text("a", "b", false).contains("the same requests"));
        assert!(same_transcripts_text("a", "b", true).contains("the first 20,000 steps"));
    }

    #[test]
    fn long_runs_that_share_few_calls_are_aligned_whole() {
        let run = |own: &str| {
            let call = |at: usize| match at % 10 {
                0 => format!("bash:shared{at}"),
                _ => format!("{own}:{at}"),
            };
            let calls: Vec<String> = (0..5_000).map(call).collect();
            transcript(&format!("?x {}", calls.join(" ")))
        };

        let both = ComparedTranscripts::align(run("a"), run("b"));

        let expected = RowCounts { same: 501, changed: 0, only_a: 4_500, only_b: 4_500 };
        assert_eq!(both.row_counts(), expected);
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_items_each_stands_in_one_row_and_in_order(
            a in proptest::collection::vec("[?.]?[ab](:[xy])?", 0..20),
            b in proptest::collection::vec("[?.]?[ab](:[xy])?", 0..20),
        ) {
            let both = ComparedTranscripts::align(transcript(&a.join(" ")), transcript(&b.join(" ")));

            let seen = |side: fn(&TranscriptRow) -> Option<usize>| {
                both.rows.iter().filter_map(side).collect::<Vec<usize>>()
            };
            assert_eq!(seen(|row| row.a), (0..a.len()).collect::<Vec<_>>());
            assert_eq!(seen(|row| row.b), (0..b.len()).collect::<Vec<_>>());
        }
    }
}
