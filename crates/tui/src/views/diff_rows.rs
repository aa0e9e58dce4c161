//! The lines of a comparison as rows: hunks with line numbers, signs, the words that changed, syntax colours, marks.
//!
//! The text is drawn at once and plain; colours are laid over it when they have arrived. The words that changed are
//! compared for the rows on screen only.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};
use std::{collections::HashMap, ops::Range};

use crate::{
    session::{
        self,
        arrangement::Arrangement,
        files::compared::{Compared, Row},
        judged_marks::{EvidenceMark, FlagMark},
    },
    widgets::{
        line::{fit, own, safe, width_of},
        paint::{Layer, paint, visible, window},
        panel::put_row,
        theme::{Meaning, Theme},
    },
};
use trajview_code::diff::{self, DiffLine, Hunk, LineKind};

use super::{
    diff_gutter::Gutter,
    line_marks::{Shown, label},
};

/// A file of two runs, side by side: the first run's lines to the left.
pub(super) fn draw_between(
    compared: &Compared,
    colours: Option<&session::files::texts::Sides>,
    (top, column, cursor): (usize, usize, Option<usize>),
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let rows = Rows {
        compared,
        colours,
        theme,
        digits: digits_of(compared),
        column,
        width: usize::from(area.width),
        gutter: None,
        marks: None,
        evidence: vec![],
        flags: vec![],
    };
    put_rows(&rows, top, cursor, area, buffer);
}

/// The rows that are seen, from `top` on.
pub(super) fn put_rows(
    rows: &Rows<'_>,
    top: usize,
    cursor: Option<usize>,
    area: Rect,
    buffer: &mut Buffer,
) {
    let compared = rows.compared;
    let seen = compared.rows.iter().enumerate().skip(top).take(usize::from(area.height));
    let words = changed_words(compared, seen.clone().map(|(_, row)| *row));
    let words_at =
        |hunk, line| words.get(&(hunk, line)).map_or(&[][..], |ranges: &Vec<_>| ranges.as_slice());
    for (index, row) in seen {
        let is_cursor = Some(index) == cursor;
        let line = match *row {
            Row::Hunk(hunk) => rows.hunk(hunk, is_cursor),
            Row::Rest(lines) => rows.rest(lines, is_cursor),
            Row::Pair { hunk, old, new } => rows.pair(hunk, old, new, words_at, is_cursor),
            Row::Equal { .. } if compared.arrangement() == Arrangement::Columns => {
                let Some(found) = compared.line(*row) else { continue };
                rows.equal_pair(&found, is_cursor)
            }
            Row::Equal { .. } | Row::Line { .. } => {
                let Some(found) = compared.line(*row) else { continue };
                let changed = match *row {
                    Row::Line { hunk, line } => words_at(hunk, line),
                    _ => &[],
                };
                rows.line(&found, changed, is_cursor)
            }
        };
        put_row(line, None, area, (index - top) as u16, buffer);
    }
}

/// The words that changed in the lines on screen: bytes by hunk and line.
fn changed_words(
    compared: &Compared,
    seen: impl Iterator<Item = Row>,
) -> HashMap<(usize, usize), Vec<Range<usize>>> {
    let mut lines: HashMap<usize, Range<usize>> = HashMap::new();
    for row in seen {
        let (hunk, seen) = match row {
            Row::Line { hunk, line } => (hunk, [Some(line), None]),
            Row::Pair { hunk, old, new } => (hunk, [old, new]),
            Row::Hunk(_) | Row::Rest(_) | Row::Equal { .. } => continue,
        };
        for line in seen.into_iter().flatten() {
            let range = lines.entry(hunk).or_insert(line..line + 1);
            *range = range.start.min(line)..range.end.max(line + 1);
        }
    }
    let hunks = compared.text().map_or(&[][..], |text| text.hunks.as_slice());
    let of_hunk = |(index, seen): (usize, Range<usize>)| {
        hunks.get(index).map(|hunk| words_of_hunk(index, hunk, &seen)).unwrap_or_default()
    };
    lines.into_iter().flat_map(of_hunk).collect()
}

type Changed = ((usize, usize), Vec<Range<usize>>);

fn words_of_hunk(index: usize, hunk: &Hunk, seen: &Range<usize>) -> Vec<Changed> {
    let has = |kind| hunk.lines.iter().any(|line| line.kind == kind);
    if !(has(LineKind::Removed) && has(LineKind::Added)) {
        return vec![]; // and a new file of many thousand lines is not looked through for each frame
    }
    let pairs = diff::pair_lines(hunk).into_iter();
    let on_screen = pairs.filter(|(old, new)| seen.contains(old) || seen.contains(new));
    on_screen
        .flat_map(|(old, new)| {
            let words = diff::words(&hunk.lines[old].text, &hunk.lines[new].text);
            [((index, old), words.old), ((index, new), words.new)]
        })
        .collect()
}

/// What all rows of one comparison share.
pub struct Rows<'a> {
    pub(super) compared: &'a Compared,
    pub(super) colours: Option<&'a session::files::texts::Sides>,
    pub(super) theme: Theme,
    pub(super) digits: usize,
    pub(super) column: usize,
    pub(super) width: usize,
    /// Who wrote the lines, where a whole file is shown.
    pub(super) gutter: Option<Gutter<'a>>,
    pub(super) marks: Option<Shown<'a>>,
    pub(super) evidence: Vec<EvidenceMark>,
    pub(super) flags: Vec<FlagMark>,
}

impl Rows<'_> {
    /// `⋯ 23 lines  @@ −40,7 +40,9 @@`, over the whole width.
    fn hunk(&self, index: usize, is_cursor: bool) -> Line<'static> {
        let hunks = self.compared.text().map_or(&[][..], |text| text.hunks.as_slice());
        let Some(hunk) = hunks.get(index) else { return Line::default() };
        let words = match (hunk.old_start, hunk.new_start) {
            (0, 0) => {
                format!("@@ change {} of {}; its place is not recorded @@", index + 1, hunks.len())
            }
            (old, new) => format!("@@ −{old},{} +{new},{} @@", hunk.old_len, hunk.new_len),
        };
        let style = self.theme.of(Meaning::Hunk);
        let mut spans = vec![self.cursor(is_cursor)];
        if let Some(lines) = self.compared.folded_before(index) {
            spans.push(self.folded(lines));
        }
        spans.push(own(words, style));
        Line::from(fit(spans, self.width))
    }

    /// `⋯ 23 lines`, after the last hunk.
    fn rest(&self, lines: usize, is_cursor: bool) -> Line<'static> {
        Line::from(fit(vec![self.cursor(is_cursor), self.folded(lines)], self.width))
    }

    fn folded(&self, lines: usize) -> Span<'static> {
        let words = if lines == 1 { "line" } else { "lines" };
        own(format!("⋯ {lines} {words}  "), self.theme.of(Meaning::Muted))
    }

    /// ` 40   40   text`
    fn line(&self, line: &DiffLine, words: &[Range<usize>], is_cursor: bool) -> Line<'static> {
        let (sign, side, word) = looks(line.kind);
        let side = self.theme.of(side);
        let mut spans = vec![self.cursor(is_cursor)];
        match &self.gutter {
            Some(gutter) => spans.extend(gutter.of_line(line.new)),
            None => spans.extend([
                own(self.number(line.old), self.theme.of(Meaning::Muted)),
                own(" ", Style::default()),
            ]),
        }
        spans.extend([
            own(self.number(line.new), self.theme.of(Meaning::Muted)),
            own(format!(" {sign} "), side),
        ]);
        let room = self.width.saturating_sub(width_of(&spans));
        let marks = self.marks(line, room);
        spans.extend(self.words_and_marks((line, words), (side, word), marks, room));
        Line::from(spans)
    }

    /// The text of a line, and its marks at the right edge.
    pub(super) fn words_and_marks(
        &self,
        (line, words): (&DiffLine, &[Range<usize>]),
        looks: (Style, Meaning),
        marks: Vec<Span<'static>>,
        room: usize,
    ) -> Vec<Span<'static>> {
        let room = room.saturating_sub(width_of(&marks));
        let mut spans = self.words(line, words, looks, room).spans;
        if !marks.is_empty() {
            let blank = room.saturating_sub(width_of(&spans));
            spans.push(own(" ".repeat(blank), Style::default()));
            spans.extend(marks);
        }
        spans
    }

    /// `  ▲ CC 14  § rule-id`, for the right edge; no more than half of the room.
    pub(super) fn marks(&self, line: &DiffLine, room: usize) -> Vec<Span<'static>> {
        let Some(number) = line.new else { return vec![] };
        let style = self.theme.of(Meaning::Warning);
        let code = self.marks.iter().flat_map(|shown| shown.at(number, self.compared));
        let evidence = self.evidence.iter().filter(|mark| *mark.lines.start() == number);
        let evidence = evidence.map(EvidenceMark::label);
        let flags = self.flags.iter().filter(|mark| *mark.lines.start() == number);
        let judged = evidence.chain(flags.map(FlagMark::label));
        let labels: Vec<String> = judged.chain(code.map(label)).collect();
        if labels.is_empty() {
            return vec![];
        }
        fit(vec![own(format!("  {} ", safe(&labels.join("  "))), style)], room / 2)
    }

    /// The text of a line, as much of it as there is room for.
    fn words(
        &self,
        line: &DiffLine,
        words: &[Range<usize>],
        (side, word): (Style, Meaning),
        room: usize,
    ) -> Line<'static> {
        let text = visible(&line.text, self.column);
        let layers = self.layers(line, words, self.theme.of(word));
        let mut painted = paint(text, side, &layers, self.theme.writing());
        if !line.newline {
            painted.push(own(" ⊘ no line end", self.theme.of(Meaning::Muted)));
        }
        window(painted, self.column, room, self.theme.of(Meaning::Muted))
    }

    fn layers(&self, line: &DiffLine, words: &[Range<usize>], word: Style) -> Vec<Layer> {
        let spans = self.colours.map_or(&[][..], |colours| colours.of(line));
        let syntax = spans.iter().map(|span| (span.range.clone(), self.theme.syntax(span.class)));
        let words = words.iter().map(|range| (range.clone(), word));
        match line.kind {
            LineKind::Context => syntax.collect(),
            LineKind::Added => syntax.chain(words).collect(),
            // What is gone is not read for its syntax, and must not be taken for what is there.
            LineKind::Removed => words.collect(),
        }
    }

    pub(super) fn number(&self, number: Option<usize>) -> String {
        let digits = self.digits;
        number.map_or_else(|| " ".repeat(digits), |number| format!("{number:>digits$}"))
    }

    pub(super) fn cursor(&self, is_here: bool) -> Span<'static> {
        own(if is_here { "▌" } else { " " }, self.theme.of(Meaning::FocusedBorder))
    }
}

/// Sign, colour of the line, colour of the words that changed.
pub(super) const fn looks(kind: LineKind) -> (&'static str, Meaning, Meaning) {
    match kind {
        LineKind::Context => (" ", Meaning::Text, Meaning::Text),
        LineKind::Removed => ("−", Meaning::Removed, Meaning::RemovedWord),
        LineKind::Added => ("+", Meaning::Added, Meaning::AddedWord),
    }
}

/// Digits of the largest line number.
pub(super) fn digits_of(compared: &Compared) -> usize {
    let ends = compared
        .hunks()
        .iter()
        .map(|hunk| (hunk.old_start + hunk.old_len).max(hunk.new_start + hunk.new_len));
    ends.max().unwrap_or_default().max(compared.line_count()).to_string().len()
}
