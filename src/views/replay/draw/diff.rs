//! What happened to one file: hunks with line numbers, signs, the words that changed, syntax colours.
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
    code::diff::{self, DiffLine, Hunk, LineKind},
    run::{
        EditKind,
        files::{Change, FileDiff},
    },
    session::{
        self, Session,
        arrangement::Arrangement,
        files::{
            Scope,
            compared::{Compared, Row},
        },
        judged_marks::{EvidenceMark, FlagMark, evidence_marks, flag_marks},
    },
    views::replay::{Replay, marks},
    widgets::{
        layout::Panel,
        line::{bytes, fit, fit_end, own, safe, width_of},
        paint::{Layer, paint, visible, window},
        panel::{position, put_row, sentence},
        text,
        theme::{Meaning, Theme},
    },
};

use super::{files, frame, name, turns::line_counts};

mod columns;
mod gutter;

use gutter::Gutter;

pub fn draw(view: &Replay, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width.saturating_sub(2));
    let title = match view.file_at(session) {
        Some(file) => gutter::title(view, session, &file, theme, width),
        None => title(view, session, theme, width),
    };
    let inner = frame(view, Panel::Diff, title, theme, area, buffer);
    match view.compared(session) {
        None if view.diff_key(session).is_none() => {
            sentence(&files::nothing(view, session), theme.of(Meaning::Muted), inner, buffer);
        }
        None => {} // on its way, a blink away: an empty panel is calmer than a word that flashes
        Some(Err(why)) => sentence(&safe(why), theme.of(Meaning::Error), inner, buffer),
        Some(Ok(compared)) => {
            body(view, session, compared, theme, inner, buffer);
            position(view.diff.scroll.top, compared.rows.len(), theme, area, buffer);
        }
    }
}

/// Room that a path has before other words grow shorter.
const MOST_PATH: usize = 24;

/// `src/loss.py  +34 −8  since turn 22  2/5 files  changed outside recorded edits`
fn title(view: &Replay, session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let Some((index, change)) = view.change(session) else {
        return Line::from(name(view, Panel::Diff, "diff".into(), theme));
    };
    let plain = theme.of(Meaning::Text);
    let muted = theme.of(Meaning::Muted);
    let mut facts = vec![];
    for count in
        view.lines_of(session, change).map(|lines| line_counts(lines, theme)).unwrap_or_default()
    {
        facts.extend([own(" ", plain), count]);
    }
    facts.push(own(format!("  {}", base(view, session)), plain));
    facts.push(own(format!("  file {}/{}", index + 1, view.changes(session).len()), muted));
    let before_origin = width_of(&facts) + 3;
    if let Some(mark) = files::origin_mark(change.origin) {
        let full = format!("  {mark} {}", change.origin.words());
        let path = text::width(&path_words(change)).min(MOST_PATH);
        let fits = before_origin + text::width(&full) + path <= width;
        let words = if fits { full } else { format!("  {mark} outside") };
        facts.push(own(words, theme.of(Meaning::Warning)));
    }
    facts.push(own(" ", plain));
    let room = width.saturating_sub(width_of(&facts) + 3).max(width / 4);
    let path = fit_end(&safe(&path_words(change)), room);
    let mut spans = vec![name(view, Panel::Diff, path, theme)];
    spans.extend(facts);
    Line::from(fit(spans, width))
}

fn path_words(change: &Change) -> String {
    match &change.from {
        Some(from) => format!("{from} → {}", change.path),
        None => change.path.to_string(),
    }
}

/// What the diff is measured from.
fn base(view: &Replay, session: &Session) -> String {
    match view.scope(session) {
        Scope::Step(step) => format!("by step {} alone", view.number_of(step)),
        Scope::Turn(_) | Scope::Since { .. } | Scope::At(_) => {
            view.bases.words(&session.run, session.turn)
        }
    }
}

fn body(
    view: &Replay,
    session: &Session,
    compared: &Compared,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    if let Some(words) = instead_of_rows(view, session, compared) {
        return sentence(&words, theme.of(Meaning::Muted), area, buffer);
    }
    let rows = Rows::of(view, session, compared, theme, area);
    let cursor = (view.focus == Panel::Diff).then_some(view.diff.scroll.cursor);
    put_rows(&rows, view.diff.scroll.top, cursor, area, buffer);
}

/// A file of two runs, side by side: the first run's lines to the left.
pub fn draw_between(
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
fn put_rows(rows: &Rows<'_>, top: usize, cursor: Option<usize>, area: Rect, buffer: &mut Buffer) {
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

/// What to say of a change that has no lines to show.
fn instead_of_rows(view: &Replay, session: &Session, compared: &Compared) -> Option<String> {
    let size = |side: &Option<u64>| side.map_or("nothing".into(), bytes);
    match &*compared.diff {
        FileDiff::Binary { new, .. } if compared.is_whole_file() => {
            Some(format!("not text: {}", size(new)))
        }
        FileDiff::TooBig { new, .. } if compared.is_whole_file() => {
            Some(format!("too big to show: {}", size(new)))
        }
        FileDiff::Binary { old, new } => {
            Some(format!("not text: {} before, {} after", size(old), size(new)))
        }
        FileDiff::TooBig { old, new } => Some(format!(
            "too big to compare line by line: {} before, {} after",
            size(old),
            size(new)
        )),
        FileDiff::NotRecorded(why) => Some(safe(why)),
        FileDiff::Text { .. } | FileDiff::Hunks(_) if !compared.rows.is_empty() => None,
        FileDiff::Text { .. } if compared.is_whole_file() => Some("an empty file".into()),
        FileDiff::Text { .. } | FileDiff::Hunks(_) => Some(no_lines(view, session)),
    }
}

fn no_lines(view: &Replay, session: &Session) -> String {
    let Some((_, change)) = view.change(session) else { return String::new() };
    match change.kind {
        EditKind::Create => "a new file with nothing in it".into(),
        EditKind::Delete => "an empty file was deleted".into(),
        EditKind::Rename => "renamed, not a line changed".into(),
        EditKind::Modify => match (change.before(), change.after()) {
            (Some(old), Some(new)) if old.mode != new.mode => {
                format!("only the mode changed, from {} to {}", old.mode.octal(), new.mode.octal())
            }
            _ => "not a line changed".into(),
        },
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
struct Rows<'a> {
    compared: &'a Compared,
    colours: Option<&'a session::files::texts::Sides>,
    theme: Theme,
    digits: usize,
    column: usize,
    width: usize,
    /// Who wrote the lines, where a whole file is shown.
    gutter: Option<Gutter<'a>>,
    marks: Option<marks::Shown<'a>>,
    evidence: Vec<EvidenceMark>,
    flags: Vec<FlagMark>,
}

impl<'a> Rows<'a> {
    fn of(
        view: &'a Replay,
        session: &'a Session,
        compared: &'a Compared,
        theme: Theme,
        area: Rect,
    ) -> Self {
        let marked = marks::marked_file(view, session);
        let key = marked.as_ref();
        Self {
            compared,
            colours: view.diff_key(session).and_then(|key| session.files.colours.of(&key)),
            theme,
            digits: digits_of(compared),
            column: view.diff.column,
            width: usize::from(area.width),
            gutter: compared.is_whole_file().then(|| Gutter::of(view, session, theme)),
            marks: marks::marks(view, session),
            evidence: key.map(|key| evidence_marks(session, key)).unwrap_or_default(),
            flags: key.map(|key| flag_marks(session, key)).unwrap_or_default(),
        }
    }

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
    fn words_and_marks(
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
    fn marks(&self, line: &DiffLine, room: usize) -> Vec<Span<'static>> {
        let Some(number) = line.new else { return vec![] };
        let style = self.theme.of(Meaning::Warning);
        let code = self.marks.iter().flat_map(|shown| shown.at(number, self.compared));
        let evidence = self.evidence.iter().filter(|mark| *mark.lines.start() == number);
        let evidence = evidence.map(EvidenceMark::label);
        let flags = self.flags.iter().filter(|mark| *mark.lines.start() == number);
        let judged = evidence.chain(flags.map(FlagMark::label));
        let labels: Vec<String> = judged.chain(code.map(marks::label)).collect();
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

    fn number(&self, number: Option<usize>) -> String {
        let digits = self.digits;
        number.map_or_else(|| " ".repeat(digits), |number| format!("{number:>digits$}"))
    }

    fn cursor(&self, is_here: bool) -> Span<'static> {
        own(if is_here { "▌" } else { " " }, self.theme.of(Meaning::FocusedBorder))
    }
}

/// Sign, colour of the line, colour of the words that changed.
const fn looks(kind: LineKind) -> (&'static str, Meaning, Meaning) {
    match kind {
        LineKind::Context => (" ", Meaning::Text, Meaning::Text),
        LineKind::Removed => ("−", Meaning::Removed, Meaning::RemovedWord),
        LineKind::Added => ("+", Meaning::Added, Meaning::AddedWord),
    }
}

/// Digits of the largest line number.
fn digits_of(compared: &Compared) -> usize {
    let ends = compared
        .hunks()
        .iter()
        .map(|hunk| (hunk.old_start + hunk.old_len).max(hunk.new_start + hunk.new_len));
    ends.max().unwrap_or_default().max(compared.line_count()).to_string().len()
}
