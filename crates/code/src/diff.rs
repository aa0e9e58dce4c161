//! The difference between two texts, by line and by word.
//!
//! Lines end at `\n` and nowhere else, as git has it: a `\r` before it belongs to the text, and a last line without
//! `\n` differs from the same line with one. Comparing works on bytes, because a patch must carry a file that is not
//! valid UTF-8 unharmed ([`git_patch`](super::git_patch) does); [`TextDiff`] is the same difference for the screen, with
//! bytes that are no text shown as U+FFFD. Nothing here reads a clock: what is too large for the algorithm whose output
//! reads best is compared by one whose work is bounded, so the same two texts differ alike on any machine.

use std::{collections::HashMap, ops::Range};

use imara_diff::{Diff, InternedInput};
use similar::{Algorithm, DiffOp, TextDiff as Comparison, TextDiffConfig, group_diff_ops};
use unicode_segmentation::UnicodeSegmentation;

pub use super::patch::LineKind;
use super::{
    patch::{LineCounts, PatchHunk, PatchLine},
    small_map::ShortWords,
};

/// Texts with more lines than this between their equal beginnings and ends are compared by histogram: the work of the
/// other algorithm grows with the square of them.
const MOST_BY_PATIENCE: usize = 8_000;

/// Lines with more pairs of words than this are not compared by word.
const MOST_WORD_PAIRS: usize = 250_000;

/// Number of bytes at the beginning of a file in which git looks for a NUL (`buffer_is_binary` in its
/// xdiff-interface.c).
const BINARY_PROBE: usize = 8000;

/// Lines longer than this are generated or minified: their words are not compared. In bytes.
const LONG_LINE: usize = 2000;

/// Share of letters two lines must have in common to count as versions of one line.
const ALIKE: f64 = 0.4;

/// Blocks with more pairs of a removed and an added line than this are paired in order, not by likeness.
const MAX_PAIRS: usize = 2500;

/// A thing of which there is one before and one after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sides<T> {
    pub old: T,
    pub new: T,
}

/// The difference between two versions of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextDiff {
    /// The hunks in order; empty where the texts are equal.
    pub hunks: Vec<DiffHunk>,
    pub added: usize,
    pub removed: usize,
}

/// A run of changed lines with context around it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiffHunk {
    /// First old line, counts from 1; where `old_len` is 0, the line before the hunk. Where numbers are not recorded
    /// both starts are 0 and the lines have no numbers.
    pub old_start: usize,
    pub old_len: usize,
    pub new_start: usize,
    pub new_len: usize,
    pub lines: Vec<DiffLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    pub kind: LineKind,
    /// Line number in the old text, counts from 1; None for an added line, and where numbers are not recorded.
    pub old: Option<usize>,
    /// Line number in the new text, counts from 1; None for a removed line, and where numbers are not recorded.
    pub new: Option<usize>,
    /// The text without its line end.
    pub text: String,
    /// False for a last line that has no line end.
    pub newline: bool,
}

/// A [`DiffHunk`] of the bytes themselves; starts and lengths mean the same.
pub(super) struct ByteHunk<'t> {
    pub span: Sides<LineSpan>,
    /// The lines with their line ends.
    pub lines: Vec<(LineKind, &'t [u8])>,
}

/// The lines of one side that a hunk covers.
#[derive(Clone, Copy)]
pub(super) struct LineSpan {
    pub start: usize,
    pub len: usize,
}

/// Returns whether git would call these bytes binary: a NUL near the beginning.
pub fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(BINARY_PROBE)]).is_some()
}

/// Returns the difference that turns `old` into `new`, with up to `context` equal lines around each change.
pub fn diff_text(old: &str, new: &str, context: usize) -> TextDiff {
    diff_bytes(old.as_bytes(), new.as_bytes(), context)
}

/// Returns the difference, as [`diff_text`], of files that need not be valid UTF-8: lines that differ only in what cannot be shown differ.
pub fn diff_bytes(old: &[u8], new: &[u8], context: usize) -> TextDiff {
    TextDiff::from_hunks(byte_hunks(old, new, context).iter().map(DiffHunk::from_bytes).collect())
}

/// Returns recorded hunks for the screen, where the file itself is not known.
pub fn recorded_hunks(hunks: &[PatchHunk]) -> TextDiff {
    TextDiff::from_hunks(hunks.iter().map(DiffHunk::from_recorded).collect())
}

/// Returns the parts of two versions of a line that differ, as byte ranges on character boundaries. Both are empty where the
/// lines are equal, and where they have too little in common for the rest to mean anything.
pub fn word_differences(old_line: &str, new_line: &str) -> Sides<Vec<Range<usize>>> {
    let nothing = Sides { old: vec![], new: vec![] };
    if old_line == new_line || old_line.len().max(new_line.len()) > LONG_LINE {
        return nothing;
    }
    let (old, new) = (word_tokens(old_line), word_tokens(new_line));
    if old.len() * new.len() > MOST_WORD_PAIRS {
        return nothing;
    }
    let comparison =
        TextDiffConfig::new().algorithm(Algorithm::Myers).diff_slices::<str>(&old, &new);
    if line_likeness(&comparison) < ALIKE {
        return nothing;
    }
    let mut emphasis = nothing;
    let (old_ends, new_ends) = (token_ends(&old), token_ends(&new));
    for op in comparison.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        add_emphasis(&mut emphasis.old, &old_ends, op.old_range(), old_line);
        add_emphasis(&mut emphasis.new, &new_ends, op.new_range(), new_line);
    }
    emphasis
}

/// Pairs each removed line with the added line that replaced it: indices into `hunk.lines`, both ascending. Lines that
/// are alike are paired, in order, within each block of removed lines and the added lines after it.
pub fn pair_lines(hunk: &DiffHunk) -> Vec<(usize, usize)> {
    let mut pairs = vec![];
    let mut at = 0;
    while at < hunk.lines.len() {
        let removed = run_of_kind(hunk, at, LineKind::Removed);
        let added = run_of_kind(hunk, removed.end, LineKind::Added);
        pairs.extend(pair_block(hunk, &removed, &added));
        at = added.end.max(at + 1);
    }
    pairs
}

impl TextDiff {
    fn from_hunks(hunks: Vec<DiffHunk>) -> Self {
        let count = |kind| {
            hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind).count()
        };
        let (added, removed) = (count(LineKind::Added), count(LineKind::Removed));
        Self { hunks, added, removed }
    }
}

impl DiffHunk {
    /// Appends the hunk as a unified diff has it; without a head where numbers are not recorded.
    pub fn write(&self, out: &mut String) {
        if (self.old_start, self.new_start) != (0, 0) {
            *out += &format!(
                "@@ -{},{} +{},{} @@\n",
                self.old_start, self.old_len, self.new_start, self.new_len
            );
        }
        for line in &self.lines {
            out.push(match line.kind {
                LineKind::Context => ' ',
                LineKind::Added => '+',
                LineKind::Removed => '-',
            });
            *out += &line.text;
            *out += if line.newline { "\n" } else { "\n\\ No newline at end of file\n" };
        }
    }

    fn from_bytes(hunk: &ByteHunk<'_>) -> Self {
        let lines = hunk.lines.iter().map(|&(kind, line)| {
            let text = line.strip_suffix(b"\n");
            (kind, String::from_utf8_lossy(text.unwrap_or(line)).into_owned(), text.is_some())
        });
        let first = |span: LineSpan| Some(if span.len == 0 { span.start + 1 } else { span.start });
        Self {
            old_start: hunk.span.old.start,
            old_len: hunk.span.old.len,
            new_start: hunk.span.new.start,
            new_len: hunk.span.new.len,
            lines: number_lines(lines, first(hunk.span.old), first(hunk.span.new)),
        }
    }

    /// Returns a recorded hunk; its starts are 0 where its place is not recorded.
    fn from_recorded(hunk: &PatchHunk) -> Self {
        let lines = hunk
            .lines
            .iter()
            .map(|PatchLine { kind, text, newline }| (*kind, text.clone(), *newline));
        let count = |other| hunk.lines.iter().filter(|line| line.kind != other).count();
        Self {
            old_start: hunk.old_start.unwrap_or(0),
            old_len: count(LineKind::Added),
            new_start: hunk.new_start.unwrap_or(0),
            new_len: count(LineKind::Removed),
            lines: number_lines(lines, hunk.old_start, hunk.new_start),
        }
    }
}

/// Gives each line its number on its sides.
fn number_lines(
    lines: impl Iterator<Item = (LineKind, String, bool)>,
    mut old: Option<usize>,
    mut new: Option<usize>,
) -> Vec<DiffLine> {
    let step = |next: &mut Option<usize>| {
        let now = *next;
        *next = now.map(|number| number.saturating_add(1));
        now
    };
    let number = |(kind, text, newline)| DiffLine {
        kind,
        old: if kind == LineKind::Added { None } else { step(&mut old) },
        new: if kind == LineKind::Removed { None } else { step(&mut new) },
        text,
        newline,
    };
    lines.map(number).collect()
}

/// Returns the difference by lines, byte for byte.
pub(super) fn byte_hunks<'t>(old: &'t [u8], new: &'t [u8], context: usize) -> Vec<ByteHunk<'t>> {
    if old == new {
        return vec![];
    }
    let (old, new) = (split_lines(old), split_lines(new));
    let context = context.min(old.len().max(new.len()));
    group_diff_ops(settle_blocks(compare_lines(&old, &new), &old, &new), context)
        .iter()
        .filter(|ops| ops.iter().any(|op| !matches!(op, DiffOp::Equal { .. })))
        .map(|ops| byte_hunk(ops, &old, &new))
        .collect()
}

fn byte_hunk<'t>(ops: &[DiffOp], old: &[&'t [u8]], new: &[&'t [u8]]) -> ByteHunk<'t> {
    let mut lines = vec![];
    for op in ops {
        let mut push =
            |kind, from: &[&'t [u8]]| lines.extend(from.iter().map(|&line| (kind, line)));
        match op {
            DiffOp::Equal { .. } => push(LineKind::Context, &old[op.old_range()]),
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                push(LineKind::Removed, &old[op.old_range()]);
                push(LineKind::Added, &new[op.new_range()]);
            }
        }
    }
    let cover = |range: fn(&DiffOp) -> Range<usize>| {
        let start = ops.iter().map(|op| range(op).start).min().unwrap_or(0);
        let len = ops.iter().map(|op| range(op).len()).sum();
        LineSpan { start: if len == 0 { start } else { start + 1 }, len }
    };
    ByteHunk { span: Sides { old: cover(DiffOp::old_range), new: cover(DiffOp::new_range) }, lines }
}

/// Splits a text into its lines, each with its line break; the last one may have none.
pub(super) fn split_lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines = vec![];
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        lines.push(&bytes[start..=end]);
        start = end + 1;
    }
    if start < bytes.len() {
        lines.push(&bytes[start..]);
    }
    lines
}

/// Returns whether two lists of lines differ in so many that they are compared by histogram.
pub(super) fn is_by_histogram(old: &[&[u8]], new: &[&[u8]]) -> bool {
    let same = |pairs: &mut dyn Iterator<Item = (&&[u8], &&[u8])>| {
        pairs.take_while(|(old, new)| old == new).count()
    };
    let before = same(&mut old.iter().zip(new));
    let after = same(&mut old[before..].iter().rev().zip(new[before..].iter().rev()));
    old.len() + new.len() - 2 * (before + after) > MOST_BY_PATIENCE
}

/// Returns lines that are added and removed, by histogram.
pub(super) fn histogram_counts(old: &[&[u8]], new: &[&[u8]]) -> LineCounts {
    let equal_len = |op: &DiffOp| if let DiffOp::Equal { len, .. } = op { *len } else { 0 };
    let equal_lines: usize = by_histogram(old, new).iter().map(equal_len).sum();
    LineCounts { added: new.len() - equal_lines, removed: old.len() - equal_lines }
}

/// Returns the edits that turn one list of lines into the other, by the same rule on every machine.
fn compare_lines(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    if is_by_histogram(old, new) {
        return by_histogram(old, new);
    }
    let mut numbers: HashMap<&[u8], usize, ShortWords> = HashMap::default();
    let mut number = |line| {
        let next = numbers.len();
        *numbers.entry(line).or_insert(next)
    };
    let old: Vec<usize> = old.iter().map(|&line| number(line)).collect();
    let new: Vec<usize> = new.iter().map(|&line| number(line)).collect();
    similar::capture_diff_slices(Algorithm::Patience, &old, &new)
}

/// Compares by histogram, whose work grows with the lines and little else.
fn by_histogram(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    let mut input: InternedInput<&[u8]> = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let (mut ops, mut at) = (vec![], Sides { old: 0, new: 0 });
    for hunk in Diff::compute(imara_diff::Algorithm::Histogram, &input).hunks() {
        let range = |range: Range<u32>| range.start as usize..range.end as usize;
        let (removed, added) = (range(hunk.before), range(hunk.after));
        push_equal(&mut ops, at, removed.start);
        let (old_index, old_len) = (removed.start, removed.len());
        let (new_index, new_len) = (added.start, added.len());
        ops.push(match (old_len, new_len) {
            (_, 0) => DiffOp::Delete { old_index, old_len, new_index },
            (0, _) => DiffOp::Insert { old_index, new_index, new_len },
            _ => DiffOp::Replace { old_index, old_len, new_index, new_len },
        });
        at = Sides { old: removed.end, new: added.end };
    }
    push_equal(&mut ops, at, old.len());
    ops
}

/// Adds the equal lines from a place up to an old line.
fn push_equal(ops: &mut Vec<DiffOp>, at: Sides<usize>, until: usize) {
    let len = until - at.old;
    if len > 0 {
        ops.push(DiffOp::Equal { old_index: at.old, new_index: at.new, len });
    }
}

/// Moves added and removed blocks to where a reader would put them. A block that ends with the line before it (or
/// begins with the line after it) says the same one line further up (or down); of all such places this takes the one
/// whose edges are indented least and follow a blank line, the lowest of equals. git's indent heuristic
/// (`score_add_split` in its xdiffi.c) weighs the same things more finely.
fn settle_blocks(ops: Vec<DiffOp>, old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    let mut ops = between_equals(ops, old.len(), new.len());
    for at in 0..ops.len() {
        let (side, block) = match ops[at] {
            DiffOp::Insert { .. } => (new, ops[at].new_range()),
            DiffOp::Delete { .. } => (old, ops[at].old_range()),
            DiffOp::Equal { .. } | DiffOp::Replace { .. } => continue,
        };
        let room = Sides { old: room_before(&ops, at), new: room_after(&ops, at) };
        shift_block(&mut ops, at, block.start, best_start(side, &block, room));
    }
    ops.retain(|op| !matches!(op, DiffOp::Equal { len: 0, .. }));
    ops
}

/// Adds equal lines, if only none, first and last: a block that moves away from an edge leaves its lines there.
fn between_equals(mut ops: Vec<DiffOp>, old: usize, new: usize) -> Vec<DiffOp> {
    let is_equal = |op: Option<&DiffOp>| matches!(op, Some(DiffOp::Equal { .. }));
    if !is_equal(ops.first()) {
        ops.insert(0, DiffOp::Equal { old_index: 0, new_index: 0, len: 0 });
    }
    if !is_equal(ops.last()) {
        ops.push(DiffOp::Equal { old_index: old, new_index: new, len: 0 });
    }
    ops
}

/// Returns the equal lines over which a block may move up; one stays where another change is beyond, so that the two stay apart.
fn room_before(ops: &[DiffOp], at: usize) -> usize {
    match at.checked_sub(1).map(|before| ops[before]) {
        Some(DiffOp::Equal { len, .. }) => len - usize::from(at > 1),
        _ => 0,
    }
}

/// Returns the equal lines over which a block may move down, as [`room_before`].
fn room_after(ops: &[DiffOp], at: usize) -> usize {
    match ops.get(at + 1) {
        Some(DiffOp::Equal { len, .. }) => len - usize::from(at + 2 < ops.len()),
        _ => 0,
    }
}

fn best_start(lines: &[&[u8]], block: &Range<usize>, room: Sides<usize>) -> usize {
    let up = (0..room.old).take_while(|n| lines[block.start - 1 - n] == lines[block.end - 1 - n]);
    let down = (0..room.new).take_while(|n| lines[block.start + n] == lines[block.end + n]);
    let places = block.start - up.count()..=block.start + down.count();
    let cost = |&start: &usize| edge_cost(lines, start) + edge_cost(lines, start + block.len());
    places.rev().min_by_key(cost).unwrap_or(block.start)
}

/// Returns the cost of a block that begins or ends before this line.
fn edge_cost(lines: &[&[u8]], at: usize) -> usize {
    let is_blank = |line: &&[u8]| line.trim_ascii().is_empty();
    let indent = |line: &&[u8]| line.len() - line.trim_ascii_start().len();
    let next = lines[at..].iter().find(|line| !is_blank(line)).map_or(0, indent);
    let before_blank = lines.get(at).is_some_and(is_blank);
    let after_blank = at == 0 || is_blank(&lines[at - 1]);
    4 * next + 2 * usize::from(before_blank) + usize::from(!after_blank)
}

/// Lets the block begin at another line.
fn shift_block(ops: &mut [DiffOp], at: usize, from: usize, to: usize) {
    let moved = |place: &mut usize| *place = *place + to - from;
    if from == to {
        return;
    }
    if let Some(DiffOp::Equal { len, .. }) = at.checked_sub(1).and_then(|at| ops.get_mut(at)) {
        moved(len);
    }
    if let DiffOp::Insert { old_index, new_index, .. }
    | DiffOp::Delete { old_index, new_index, .. } = &mut ops[at]
    {
        moved(old_index);
        moved(new_index);
    }
    if let Some(DiffOp::Equal { old_index, new_index, len }) = ops.get_mut(at + 1) {
        moved(old_index);
        moved(new_index);
        *len = *len + from - to;
    }
}

/// Returns words, runs of blanks, and single other characters (with what combines with them).
fn word_tokens(line: &str) -> Vec<&str> {
    let mut tokens: Vec<Range<usize>> = vec![];
    let mut last = LetterClass::Other;
    for (at, grapheme) in line.grapheme_indices(true) {
        let letter = LetterClass::for_grapheme(grapheme);
        let end = at + grapheme.len();
        match tokens.last_mut() {
            Some(token) if letter == last && letter != LetterClass::Other => token.end = end,
            _ => tokens.push(at..end),
        }
        last = letter;
    }
    tokens.into_iter().map(|token| &line[token]).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LetterClass {
    Word,
    Blank,
    Other,
}

impl LetterClass {
    fn for_grapheme(grapheme: &str) -> Self {
        match grapheme.chars().next() {
            Some(c) if c.is_alphanumeric() || c == '_' => Self::Word,
            Some(c) if c.is_whitespace() => Self::Blank,
            _ => Self::Other,
        }
    }
}

/// Returns 0–1: twice the letters in common over the letters of both, without blanks.
fn line_likeness(comparison: &Comparison<'_, '_, str>) -> f64 {
    let common = comparison
        .ops()
        .iter()
        .filter(|op| matches!(op, DiffOp::Equal { .. }))
        .flat_map(DiffOp::old_range)
        .filter_map(|at| comparison.old_slice(at))
        .map(solid_len)
        .sum::<usize>();
    let all = comparison.iter_old_slices().chain(comparison.iter_new_slices()).map(solid_len).sum();
    share_of(2 * common, all)
}

/// Returns the number of bytes of a token that count: none of a blank.
fn solid_len(token: &str) -> usize {
    if token.trim().is_empty() { 0 } else { token.len() }
}

fn share_of(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn token_ends(tokens: &[&str]) -> Vec<usize> {
    let mut end = 0;
    let mut ends = vec![0];
    ends.extend(tokens.iter().map(|token| {
        end += token.len();
        end
    }));
    ends
}

/// Adds the bytes of some tokens; joins what only blanks separate.
fn add_emphasis(
    emphasis: &mut Vec<Range<usize>>,
    ends: &[usize],
    tokens: Range<usize>,
    line: &str,
) {
    let (start, end) = (ends[tokens.start], ends[tokens.end]);
    if start == end {
        return;
    }
    match emphasis.last_mut() {
        Some(last) if line[last.end..start].trim().is_empty() => last.end = end,
        _ => emphasis.push(start..end),
    }
}

fn run_of_kind(hunk: &DiffHunk, from: usize, kind: LineKind) -> Range<usize> {
    let len = hunk.lines[from..].iter().take_while(|line| line.kind == kind).count();
    from..from + len
}

fn pair_block(
    hunk: &DiffHunk,
    removed: &Range<usize>,
    added: &Range<usize>,
) -> Vec<(usize, usize)> {
    if removed.is_empty() || added.is_empty() {
        return vec![];
    }
    if removed.len() * added.len() > MAX_PAIRS {
        return removed.clone().zip(added.clone()).collect();
    }
    let bag = |at: usize| word_counts(&hunk.lines[at].text);
    let old: Vec<_> = removed.clone().map(bag).collect();
    let new: Vec<_> = added.clone().map(bag).collect();
    align_lines(&old, &new)
        .into_iter()
        .map(|(old, new)| (removed.start + old, added.start + new))
        .collect()
}

type WordCounts<'t> = HashMap<&'t str, usize>;

fn word_counts(line: &str) -> WordCounts<'_> {
    let mut counts = HashMap::new();
    if line.len() <= LONG_LINE {
        for token in word_tokens(line).into_iter().filter(|token| solid_len(token) > 0) {
            *counts.entry(token).or_insert(0) += 1;
        }
    }
    counts
}

/// Returns the likeness, as [`line_likeness`], without regard to order: cheap enough for every pair of a block.
fn rough_likeness(a: &WordCounts<'_>, b: &WordCounts<'_>) -> f64 {
    let letters =
        |counts: &WordCounts<'_>| counts.iter().map(|(word, n)| word.len() * n).sum::<usize>();
    let common: usize =
        a.iter().map(|(word, n)| word.len() * n.min(b.get(word).unwrap_or(&0))).sum();
    share_of(2 * common, letters(a) + letters(b))
}

/// Returns the pairing, in order on both sides, whose likenesses sum highest.
fn align_lines(old: &[WordCounts<'_>], new: &[WordCounts<'_>]) -> Vec<(usize, usize)> {
    let like: Vec<Vec<f64>> =
        old.iter().map(|a| new.iter().map(|b| rough_likeness(a, b)).collect()).collect();
    // best[i][j]: the highest sum for old[i..] and new[j..].
    let mut best = vec![vec![0.0_f64; new.len() + 1]; old.len() + 1];
    let paired = |best: &[Vec<f64>], i: usize, j: usize| {
        if like[i][j] < ALIKE { f64::MIN } else { like[i][j] + best[i + 1][j + 1] }
    };
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            best[i][j] = paired(&best, i, j).max(best[i + 1][j]).max(best[i][j + 1]);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = vec![];
    while i < old.len() && j < new.len() {
        if paired(&best, i, j) >= best[i][j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[i + 1][j] >= best[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn diff_line(kind: LineKind, old: Option<usize>, new: Option<usize>, text: &str) -> DiffLine {
        DiffLine { kind, old, new, text: text.into(), newline: true }
    }

    /// Puts the new text together again from the old text and the difference.
    fn apply_hunks(old: &[u8], hunks: &[ByteHunk<'_>]) -> Vec<u8> {
        let lines = split_lines(old);
        let mut new = vec![];
        let mut at = 0;
        for hunk in hunks {
            let span = hunk.span.old;
            let start = if span.len == 0 { span.start } else { span.start - 1 };
            new.extend(lines[at..start].concat());
            let new_lines = hunk.lines.iter().filter(|(kind, _)| *kind != LineKind::Removed);
            new_lines.for_each(|(_, line)| new.extend(*line));
            at = start + span.len;
        }
        new.extend(lines[at..].concat());
        new
    }

    /// Returns the new lines, put together from the old ones and the difference.
    fn replay_ops<'t>(ops: &[DiffOp], old: &[&'t [u8]], new: &[&'t [u8]]) -> Vec<&'t [u8]> {
        let side = |op: &DiffOp| match op {
            DiffOp::Equal { .. } => old[op.old_range()].to_vec(),
            _ => new[op.new_range()].to_vec(),
        };
        ops.iter().flat_map(side).collect()
    }

    proptest! {
        #[test]
        fn by_histogram_the_old_lines_become_the_new_ones(
            old in proptest::collection::vec(0_u8..6, 0..60),
            new in proptest::collection::vec(0_u8..6, 0..60),
        ) {
            let lines = |side: &[u8]| side.iter().map(|line| vec![b'a' + line, b'\n']).collect();
            let (old, new): (Vec<Vec<u8>>, Vec<Vec<u8>>) = (lines(&old), lines(&new));
            let (old, new): (Vec<&[u8]>, Vec<&[u8]>) =
                (old.iter().map(|it| &**it).collect(), new.iter().map(|it| &**it).collect());
            let ops = by_histogram(&old, &new);
            prop_assert_eq!(replay_ops(&ops, &old, &new), &*new);
            prop_assert_eq!(ops.iter().map(|op| op.old_range().len()).sum::<usize>(), old.len());
        }
    }

    /// Both are compared within a second even where nothing is optimised; a limit in time would give other numbers on a
    /// machine that is busy.
    #[test]
    fn texts_of_a_hundred_thousand_lines_differ_by_the_lines_that_were_changed() {
        let line = |n: usize| format!("line {}\n", n * 7919 % 50_021);
        let old: String = (0..100_000).map(line).collect();
        let changed = |n: usize| if n % 10 == 3 { format!("other {n}\n") } else { line(n) };
        let new: String = (0..100_000).map(changed).collect();

        let diff = diff_text(&old, &new, 0);

        assert_eq!((diff.added, diff.removed), (10_000, 10_000));
    }

    fn emphasised_text<'t>(text: &'t str, ranges: &[Range<usize>]) -> Vec<&'t str> {
        ranges.iter().map(|range| &text[range.clone()]).collect()
    }

    #[test]
    fn a_changed_line_has_its_numbers_and_context() {
        let diff = diff_text("a\nb\nc\nd\n", "a\nB\nc\nd\n", 1);

        let lines = vec![
            diff_line(LineKind::Context, Some(1), Some(1), "a"),
            diff_line(LineKind::Removed, Some(2), None, "b"),
            diff_line(LineKind::Added, None, Some(2), "B"),
            diff_line(LineKind::Context, Some(3), Some(3), "c"),
        ];
        let hunk = DiffHunk { old_start: 1, old_len: 3, new_start: 1, new_len: 3, lines };
        assert_eq!(diff, TextDiff { hunks: vec![hunk], added: 1, removed: 1 });
    }

    #[test]
    fn equal_texts_have_no_hunks() {
        assert_eq!(diff_text("a\n", "a\n", 3), TextDiff::default());
    }

    #[test]
    fn a_new_file_stands_after_line_0() {
        let hunk = &diff_text("", "a\n", 3).hunks[0];

        assert_eq!((hunk.old_start, hunk.old_len, hunk.new_start, hunk.new_len), (0, 0, 1, 1));
        assert_eq!(hunk.lines[0].new, Some(1));
    }

    #[test]
    fn an_insertion_without_context_stands_after_the_line_above() {
        let hunk = &diff_text("a\nb\n", "a\nx\nb\n", 0).hunks[0];

        assert_eq!((hunk.old_start, hunk.old_len, hunk.new_start, hunk.new_len), (1, 0, 2, 1));
        assert_eq!(hunk.lines, [diff_line(LineKind::Added, None, Some(2), "x")]);
    }

    #[test]
    fn a_missing_final_newline_is_a_difference() {
        let lines = &diff_text("a", "a\n", 3).hunks[0].lines;

        let newlines: Vec<_> =
            lines.iter().map(|line| (line.text.as_str(), line.newline)).collect();
        assert_eq!(newlines, [("a", false), ("a", true)]);
    }

    #[test]
    fn a_carriage_return_belongs_to_the_text_and_ends_no_line() {
        let diff = diff_text("a\r\nb\rc\n", "a\nb\rc\n", 3);

        let texts: Vec<_> = diff.hunks[0].lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["a\r", "a", "b\rc"]);
    }

    #[test]
    fn lines_that_differ_in_bytes_that_are_no_text_differ() {
        let diff = diff_bytes(b"caf\xe9\n", b"caf\xe8\n", 3);

        assert_eq!((diff.added, diff.removed), (1, 1));
        assert_eq!(diff.hunks[0].lines[0].text, "caf\u{fffd}");
    }

    #[test]
    fn a_block_that_moves_away_from_an_edge_leaves_its_lines_as_context() {
        for (old, new) in [("a\n", "a\na\n"), ("\ta\n", "\ta\n\ta\n"), ("a\nb\n", "a\nb\na\nb\n")] {
            let hunks = byte_hunks(old.as_bytes(), new.as_bytes(), 3);

            let new_lines = hunks
                .iter()
                .flat_map(|hunk| &hunk.lines)
                .filter(|(kind, _)| *kind != LineKind::Added);
            let new_bytes: Vec<u8> = new_lines.flat_map(|(_, line)| line.to_vec()).collect();
            assert_eq!(new_bytes, old.as_bytes(), "{new:?}");
            assert_eq!(hunks[0].span.old.len, old.lines().count());
        }
    }

    #[test]
    fn endless_context_is_the_whole_file() {
        assert_eq!(diff_text("a\nb\nc\n", "a\nb\nC\n", usize::MAX).hunks[0].lines.len(), 4);
    }

    #[test]
    fn a_nul_makes_a_file_binary_only_near_its_beginning() {
        let late = [vec![b'a'; BINARY_PROBE], vec![0]].concat();

        assert!(is_binary(b"a\0"));
        assert!(!is_binary(&late));
    }

    #[test]
    fn texts_that_exhaust_the_patience_still_have_a_true_difference() {
        let old: String = (0..20_000).map(|n| format!("{}\n", n % 97)).collect();
        let new: String = (0..20_000).map(|n| format!("{}\n", (n * 31) % 89)).collect();

        let hunks = byte_hunks(old.as_bytes(), new.as_bytes(), 3);

        assert_eq!(apply_hunks(old.as_bytes(), &hunks), new.as_bytes());
    }

    #[test]
    fn a_changed_word_is_emphasised() {
        let (old, new) = ("    loss = mse(xyz)", "    loss = mse(xyz) + ce(seq)");

        let words = word_differences(old, new);

        assert_eq!(emphasised_text(old, &words.old), [""; 0]);
        assert_eq!(emphasised_text(new, &words.new), [" + ce(seq)"]);
    }

    #[test]
    fn a_word_changes_as_a_whole() {
        let (old, new) = ("def naïve_name(x):", "def naive_name(x):");

        let words = word_differences(old, new);

        assert_eq!(emphasised_text(old, &words.old), ["naïve_name"]);
        assert_eq!(emphasised_text(new, &words.new), ["naive_name"]);
    }

    #[test]
    fn lines_with_little_in_common_have_nothing_emphasised() {
        assert_eq!(word_differences("import os", "def f(a, b):"), Sides::default());
        assert_eq!(word_differences("", "x = 1"), Sides::default());
    }

    #[test]
    fn a_removed_line_is_paired_with_the_added_line_that_is_like_it() {
        let old = "alpha = 1\nprint(alpha)\n";
        let new = "import os\nalpha = 2\nprint(alpha, 3)\n";

        let hunk = &diff_text(old, new, 3).hunks[0];

        let texts =
            |(a, b): (usize, usize)| (hunk.lines[a].text.as_str(), hunk.lines[b].text.as_str());
        let pairs: Vec<_> = pair_lines(hunk).into_iter().map(texts).collect();
        assert_eq!(pairs, [("alpha = 1", "alpha = 2"), ("print(alpha)", "print(alpha, 3)")]);
    }

    #[test]
    fn recorded_hunks_without_numbers_are_shown_without_numbers() {
        let added = PatchLine { kind: LineKind::Added, text: "x".into(), newline: true };
        let bare = PatchHunk { lines: vec![added], ..PatchHunk::default() };
        let numbered = PatchHunk { old_start: Some(4), new_start: Some(5), ..bare.clone() };

        let diff = recorded_hunks(&[bare, numbered]);

        assert_eq!(diff.added, 2);
        assert_eq!(diff.hunks[0].lines, [diff_line(LineKind::Added, None, None, "x")]);
        assert_eq!(diff.hunks[1].lines, [diff_line(LineKind::Added, None, Some(5), "x")]);
    }

    fn changed_text(old: &str, new: &str) -> String {
        let hunks = diff_text(old, new, 0).hunks;
        let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.map(|line| format!("{}\n", line.text)).collect()
    }

    #[test]
    fn an_added_function_begins_with_its_own_first_line() {
        let (f, g, h) =
            ("def f():\n    return 1\n\n", "def g():\n    return 1\n\n", "def h():\n    pass\n");

        assert_eq!(changed_text(&format!("{f}{h}"), &format!("{f}{g}{h}")), g);
        assert_eq!(changed_text(&format!("{f}{g}{h}"), &format!("{f}{h}")), g);
    }

    #[test]
    fn an_added_item_keeps_the_comment_above_it() {
        let (f, g) = ("/**\n * F\n */\nf() {\n}\n\n", "/**\n * G\n */\ng() {\n}\n\n");

        assert_eq!(changed_text(f, &format!("{g}{f}")), g);
        assert_eq!(changed_text(&format!("{g}{f}"), f), g);
    }

    #[test]
    fn an_added_block_ends_with_its_own_brace() {
        let (a, b) = ("    if x {\n        a();\n    }\n", "    if y {\n        b();\n    }\n");
        let rest = "    }\n}\n";

        assert_eq!(changed_text(&format!("{{\n{b}{rest}"), &format!("{{\n{a}{b}{rest}")), a);
        assert_eq!(changed_text(&format!("{{\n{b}{rest}"), &format!("{{\n{b}{a}{rest}")), a);
    }

    fn any_lines() -> impl Strategy<Value = Vec<u8>> {
        let line = prop::sample::select(vec!["a", "b", "  c", "    d", "a\r", "é", ""]);
        let lines = prop::collection::vec(line, 0..30).prop_map(|lines| lines.join("\n"));
        (lines, any::<bool>()).prop_map(|(text, end)| {
            let mut bytes = text.into_bytes();
            bytes.extend(end.then_some(b'\n'));
            bytes
        })
    }

    proptest! {
        #[test]
        fn whatever_the_texts_applying_their_difference_gives_the_second(
            old in any_lines(), new in any_lines(), context in 0_usize..5,
        ) {
            prop_assert_eq!(apply_hunks(&old, &byte_hunks(&old, &new, context)), new);
        }

        #[test]
        fn whatever_the_lines_emphasis_is_ordered_and_on_character_boundaries(old: String, new: String) {
            let emphasis = word_differences(&old, &new);
            for (line, ranges) in [(&old, &emphasis.old), (&new, &emphasis.new)] {
                prop_assert!(ranges.iter().all(|range| line.get(range.clone()).is_some_and(|part| !part.is_empty())));
                prop_assert!(ranges.windows(2).all(|two| two[0].end < two[1].start));
            }
        }

        #[test]
        fn whatever_the_texts_pairs_are_in_order_and_of_the_right_kinds(old in any_lines(), new in any_lines()) {
            for hunk in diff_bytes(&old, &new, 3).hunks {
                let pairs = pair_lines(&hunk);
                prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
                let kinds = |(a, b): (usize, usize)| (hunk.lines[a].kind, hunk.lines[b].kind);
                let wanted = (LineKind::Removed, LineKind::Added);
                prop_assert!(pairs.iter().all(|&pair| kinds(pair) == wanted));
            }
        }
    }
}
