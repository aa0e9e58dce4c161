//! The lines of a comparison as rows: hunks with line numbers, signs, changed words, syntax colours, marks.
//!
//! The text is drawn immediately without colours, and with colours once they have arrived. Changed words are computed
//! for the rows on screen only.

use ratatui::{
    style::Style,
    text::{Line, Span},
};
use std::{collections::HashMap, ops::Range};

use crate::{
    session::{
        self,
        arrangement::Arrangement,
        files::compared_file::{ComparedFile, DiffRow},
        judged_marks::{EvidenceMark, FlagMark},
    },
    widgets::{
        line::{fit_spans, safe_string, spans_width, trusted_span},
        paint::{StyleLayer, paint_text, paintable_prefix, scrolled_line},
        theme::{Meaning, Theme},
    },
};
use trajview_code::diff::{self, DiffHunk, DiffLine, LineKind};

use super::{
    diff_gutter::BlameGutter,
    line_marks::{ShownMarks, mark_label},
};

/// Returns the rows of a file of two runs, side by side: the first run's lines to the left.
pub(super) fn rows_between<'a>(
    compared: &'a ComparedFile,
    colours: Option<&'a session::files::coloured_texts::ColouredSides>,
    column: usize,
    theme: Theme,
    width: usize,
) -> ComparisonRows<'a> {
    ComparisonRows {
        compared,
        colours,
        theme,
        digits: line_number_digits(compared),
        column,
        width,
        gutter: None,
        marks: None,
        evidence: vec![],
        flags: vec![],
    }
}

/// Returns the words that changed in the lines on screen: bytes by hunk and line.
fn changed_words(
    compared: &ComparedFile,
    seen: impl Iterator<Item = DiffRow>,
) -> HashMap<(usize, usize), Vec<Range<usize>>> {
    let mut lines: HashMap<usize, Range<usize>> = HashMap::new();
    for row in seen {
        let (hunk, seen) = match row {
            DiffRow::Line { hunk, line } => (hunk, [Some(line), None]),
            DiffRow::Pair { hunk, old, new } => (hunk, [old, new]),
            DiffRow::Hunk(_) | DiffRow::Rest(_) | DiffRow::Equal { .. } => continue,
        };
        for line in seen.into_iter().flatten() {
            let range = lines.entry(hunk).or_insert(line..line + 1);
            *range = range.start.min(line)..range.end.max(line + 1);
        }
    }
    let hunks = compared.text_diff().map_or(&[][..], |text| text.hunks.as_slice());
    let of_hunk = |(index, seen): (usize, Range<usize>)| {
        hunks.get(index).map(|hunk| words_of_hunk(index, hunk, &seen)).unwrap_or_default()
    };
    lines.into_iter().flat_map(of_hunk).collect()
}

type ChangedLineWords = ((usize, usize), Vec<Range<usize>>);

fn words_of_hunk(index: usize, hunk: &DiffHunk, seen: &Range<usize>) -> Vec<ChangedLineWords> {
    let has = |kind| hunk.lines.iter().any(|line| line.kind == kind);
    if !(has(LineKind::Removed) && has(LineKind::Added)) {
        return vec![]; // and a new file of many thousand lines is not looked through for each frame
    }
    let pairs = diff::pair_lines(hunk).into_iter();
    let on_screen = pairs.filter(|(old, new)| seen.contains(old) || seen.contains(new));
    on_screen
        .flat_map(|(old, new)| {
            let words = diff::word_differences(&hunk.lines[old].text, &hunk.lines[new].text);
            [((index, old), words.old), ((index, new), words.new)]
        })
        .collect()
}

/// The state that all rows of one comparison share.
pub struct ComparisonRows<'a> {
    pub(super) compared: &'a ComparedFile,
    pub(super) colours: Option<&'a session::files::coloured_texts::ColouredSides>,
    pub(super) theme: Theme,
    pub(super) digits: usize,
    pub(super) column: usize,
    pub(super) width: usize,
    /// The authors of the lines. Given only where a whole file is shown.
    pub(super) gutter: Option<BlameGutter<'a>>,
    pub(super) marks: Option<ShownMarks<'a>>,
    pub(super) evidence: Vec<EvidenceMark>,
    pub(super) flags: Vec<FlagMark>,
}

impl ComparisonRows<'_> {
    /// Returns the function that makes the line of a visible row.
    pub(super) fn visible_lines(
        &self,
        visible: Range<usize>,
        cursor: Option<usize>,
    ) -> impl Fn(usize) -> Line<'static> {
        let rows = self.compared.rows.get(visible).unwrap_or_default();
        let words = changed_words(self.compared, rows.iter().copied());
        move |index| {
            let line = |row| self.row_line(row, &words, Some(index) == cursor);
            self.compared.rows.get(index).copied().and_then(line).unwrap_or_default()
        }
    }

    fn row_line(
        &self,
        row: DiffRow,
        words: &HashMap<(usize, usize), Vec<Range<usize>>>,
        is_cursor: bool,
    ) -> Option<Line<'static>> {
        let words_at = |hunk, line| words.get(&(hunk, line)).map_or(&[][..], Vec::as_slice);
        Some(match row {
            DiffRow::Hunk(hunk) => self.hunk_line(hunk, is_cursor),
            DiffRow::Rest(lines) => self.rest_line(lines, is_cursor),
            DiffRow::Pair { hunk, old, new } => self.pair_line(hunk, old, new, words_at, is_cursor),
            DiffRow::Equal { .. } if self.compared.arrangement() == Arrangement::Columns => {
                self.equal_pair(&*self.compared.line_at(row)?, is_cursor)
            }
            DiffRow::Equal { .. } => self.text_line(&*self.compared.line_at(row)?, &[], is_cursor),
            DiffRow::Line { hunk, line } => {
                self.text_line(&*self.compared.line_at(row)?, words_at(hunk, line), is_cursor)
            }
        })
    }

    /// Returns `⋯ 23 lines  @@ −40,7 +40,9 @@` over the whole width.
    fn hunk_line(&self, index: usize, is_cursor: bool) -> Line<'static> {
        let hunks = self.compared.text_diff().map_or(&[][..], |text| text.hunks.as_slice());
        let Some(hunk) = hunks.get(index) else { return Line::default() };
        let words = match (hunk.old_start, hunk.new_start) {
            (0, 0) => {
                format!("@@ change {} of {}; its place is not recorded @@", index + 1, hunks.len())
            }
            (old, new) => format!("@@ −{old},{} +{new},{} @@", hunk.old_len, hunk.new_len),
        };
        let style = self.theme.style_for(Meaning::Hunk);
        let mut spans = vec![self.cursor_span(is_cursor)];
        if let Some(lines) = self.compared.folded_before(index) {
            spans.push(self.folded_span(lines));
        }
        spans.push(trusted_span(words, style));
        Line::from(fit_spans(spans, self.width))
    }

    /// Returns `⋯ 23 lines`, after the last hunk.
    fn rest_line(&self, lines: usize, is_cursor: bool) -> Line<'static> {
        Line::from(fit_spans(
            vec![self.cursor_span(is_cursor), self.folded_span(lines)],
            self.width,
        ))
    }

    fn folded_span(&self, lines: usize) -> Span<'static> {
        let words = if lines == 1 { "line" } else { "lines" };
        trusted_span(format!("⋯ {lines} {words}  "), self.theme.style_for(Meaning::Muted))
    }

    /// Returns ` 40   40   text`.
    fn text_line(&self, line: &DiffLine, words: &[Range<usize>], is_cursor: bool) -> Line<'static> {
        let (sign, side, word) = line_appearance(line.kind);
        let side = self.theme.style_for(side);
        let mut spans = vec![self.cursor_span(is_cursor)];
        match &self.gutter {
            Some(gutter) => spans.extend(gutter.line_spans(line.new)),
            None => spans.extend([
                trusted_span(self.number_text(line.old), self.theme.style_for(Meaning::Muted)),
                trusted_span(" ", Style::default()),
            ]),
        }
        spans.extend([
            trusted_span(self.number_text(line.new), self.theme.style_for(Meaning::Muted)),
            trusted_span(format!(" {sign} "), side),
        ]);
        let room = self.width.saturating_sub(spans_width(&spans));
        let marks = self.mark_spans(line, room);
        spans.extend(self.words_and_marks((line, words), (side, word), marks, room));
        Line::from(spans)
    }

    /// Returns the text of a line, and its marks at the right edge.
    pub(super) fn words_and_marks(
        &self,
        (line, words): (&DiffLine, &[Range<usize>]),
        looks: (Style, Meaning),
        marks: Vec<Span<'static>>,
        room: usize,
    ) -> Vec<Span<'static>> {
        let room = room.saturating_sub(spans_width(&marks));
        let mut spans = self.painted_text(line, words, looks, room).spans;
        if !marks.is_empty() {
            let blank = room.saturating_sub(spans_width(&spans));
            spans.push(trusted_span(" ".repeat(blank), Style::default()));
            spans.extend(marks);
        }
        spans
    }

    /// Returns `  ▲ CC 14  § rule-id`, for the right edge; no more than half of the room.
    pub(super) fn mark_spans(&self, line: &DiffLine, room: usize) -> Vec<Span<'static>> {
        let Some(number) = line.new else { return vec![] };
        let style = self.theme.style_for(Meaning::Warning);
        let code = self.marks.iter().flat_map(|shown| shown.marks_at_line(number, self.compared));
        let evidence = self.evidence.iter().filter(|mark| *mark.lines.start() == number);
        let evidence = evidence.map(EvidenceMark::mark_label);
        let flags = self.flags.iter().filter(|mark| *mark.lines.start() == number);
        let judged = evidence.chain(flags.map(FlagMark::mark_label));
        let labels: Vec<String> = judged.chain(code.map(mark_label)).collect();
        if labels.is_empty() {
            return vec![];
        }
        fit_spans(
            vec![trusted_span(format!("  {} ", safe_string(&labels.join("  "))), style)],
            room / 2,
        )
    }

    /// Returns the text of a line, as much of it as there is room for.
    fn painted_text(
        &self,
        line: &DiffLine,
        words: &[Range<usize>],
        (side, word): (Style, Meaning),
        room: usize,
    ) -> Line<'static> {
        let text = paintable_prefix(&line.text, self.column);
        let layers = self.style_layers(line, words, self.theme.style_for(word));
        let mut painted = paint_text(text, side, &layers, self.theme.line_display());
        if !line.newline {
            painted.push(trusted_span(" ⊘ no line end", self.theme.style_for(Meaning::Muted)));
        }
        scrolled_line(painted, self.column, room, self.theme.style_for(Meaning::Muted))
    }

    fn style_layers(
        &self,
        line: &DiffLine,
        words: &[Range<usize>],
        word: Style,
    ) -> Vec<StyleLayer> {
        let spans = self.colours.map_or(&[][..], |colours| colours.line_spans(line));
        let syntax =
            spans.iter().map(|span| (span.range.clone(), self.theme.syntax_style(span.class)));
        let words = words.iter().map(|range| (range.clone(), word));
        match line.kind {
            LineKind::Context => syntax.collect(),
            LineKind::Added => syntax.chain(words).collect(),
            // What is gone is not read for its syntax, and must not be taken for what is there.
            LineKind::Removed => words.collect(),
        }
    }

    pub(super) fn number_text(&self, number: Option<usize>) -> String {
        let digits = self.digits;
        number.map_or_else(|| " ".repeat(digits), |number| format!("{number:>digits$}"))
    }

    pub(super) fn cursor_span(&self, is_here: bool) -> Span<'static> {
        trusted_span(if is_here { "▌" } else { " " }, self.theme.style_for(Meaning::FocusedBorder))
    }
}

/// Returns the sign, the colour of the line, and the colour of the changed words.
pub(super) const fn line_appearance(kind: LineKind) -> (&'static str, Meaning, Meaning) {
    match kind {
        LineKind::Context => (" ", Meaning::Text, Meaning::Text),
        LineKind::Removed => ("−", Meaning::Removed, Meaning::RemovedWord),
        LineKind::Added => ("+", Meaning::Added, Meaning::AddedWord),
    }
}

/// Returns the number of digits of the largest line number.
pub(super) fn line_number_digits(compared: &ComparedFile) -> usize {
    let ends = compared
        .hunks()
        .iter()
        .map(|hunk| (hunk.old_start + hunk.old_len).max(hunk.new_start + hunk.new_len));
    ends.max().unwrap_or_default().max(compared.line_count()).to_string().len()
}
