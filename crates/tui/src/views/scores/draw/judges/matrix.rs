//! Components down, judgements across.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};
use std::ops::Range;

use crate::{
    session::Session,
    views::{
        scores::{
            Scores,
            judges::{
                Part, Side, Sort,
                areas::{Areas, FEET, HEADS, ID, SHARE},
                columns::Column,
                rows::{Cell, Head, Row},
            },
        },
        verdict::plain_name,
    },
    widgets::{
        line::{fit, own, safe},
        panel::{position, put_row, sentence, titled},
        theme::{Meaning, Theme},
    },
};
use trajview_run::figures;

use super::{cell, looks, name};

/// What is drawn of the columns.
struct Seen {
    columns: Vec<Column>,
    /// Those that there is room for.
    range: Range<usize>,
    /// Cells of a name, and of a judgement.
    name: usize,
    column: usize,
    heads: Vec<Head>,
    /// The column of the cursor, and of a and b.
    cursor: Option<usize>,
    sides: [Option<usize>; 2],
    has_repeats: bool,
}

impl Seen {
    fn of(view: &Scores, session: &Session, areas: &Areas) -> Self {
        let columns = view.judges.judge_columns(session);
        let divided = areas.columns(columns.len(), view.judges.longest(session, &columns));
        let count = divided.seen;
        let left = view.judges.left.min(columns.len().saturating_sub(count));
        let at = |column: Option<Column>| {
            let file = column?.file;
            columns.iter().position(|other| other.file == file)
        };
        Self {
            range: left..(left + count).min(columns.len()),
            name: divided.name,
            column: divided.column,
            heads: view.judges.heads(session),
            cursor: at(view.judges.judge_column(session)),
            sides: Side::ALL.map(|side| at(view.judges.side_column(session, side))),
            has_repeats: columns.iter().any(|column| column.repeat.is_some()),
            columns,
        }
    }

    fn shown(&self) -> impl Iterator<Item = (usize, &Column)> {
        self.columns.iter().enumerate().skip(self.range.start).take(self.range.len())
    }
}

pub fn draw(view: &Scores, session: &Session, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    let Some(area) = areas.matrix else { return };
    let judges = &view.judges;
    let is_focused = judges.part == Part::Matrix;
    let muted = theme.of(Meaning::Muted);
    let seen = Seen::of(view, session, areas);
    let inner = titled(is_focused, titles(view, &seen, theme), theme, area, buffer);
    heads(&seen, theme, inner, buffer);
    let rows = view.judges.judge_rows(session);
    let chosen = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    for (index, row) in rows.iter().enumerate().skip(judges.rows.top).take(areas.matrix_height()) {
        let is_here = index == judges.rows.cursor;
        let line = row_of(row, &seen, is_here, theme);
        let y = (seen.heads.len() + index - judges.rows.top) as u16;
        put_row(line, is_here.then_some(chosen), inner, y, buffer);
    }
    if rows.is_empty() {
        let words = match judges.only_differing {
            true => "a and b differ on no component; d lists all of them",
            false => "no component has a verdict",
        };
        let below =
            Rect { y: inner.y + HEADS, height: inner.height.saturating_sub(HEADS), ..inner };
        sentence(words, muted, below, buffer);
    }
    let foot = Line::from(fit(foot(view, session, theme), usize::from(inner.width)));
    put_row(foot, None, inner, inner.height.saturating_sub(FEET), buffer);
    let above = HEADS + FEET;
    let body = Rect { y: area.y + above, height: area.height.saturating_sub(above), ..area };
    position(judges.rows.top, rows.len(), theme, body, buffer);
}

/// ` judgements ` and ` by instability  columns 2–7 of 9 `.
fn titles(view: &Scores, seen: &Seen, theme: Theme) -> [Line<'static>; 3] {
    let judges = &view.judges;
    let is_focused = judges.part == Part::Matrix;
    let sorted = match judges.sort {
        Sort::Id => String::new(),
        Sort::Instability => " by instability ".into(),
        Sort::Difference => " by difference ".into(),
    };
    let only = if judges.only_differing { " where a and b differ " } else { "" };
    let (count, all) = (seen.range.len(), seen.columns.len());
    let columns = match count < all {
        true => format!(" columns {}–{} of {all} ", seen.range.start + 1, seen.range.end),
        false => String::new(),
    };
    let words = format!("{all} judgements");
    [
        Line::from(vec![name(is_focused, &words, theme)]),
        Line::styled(format!("{only}{sorted}{columns}"), theme.of(Meaning::Muted)),
        Line::default(),
    ]
}

/// Judge, prompt, turn, repeat, and which column is a and which b. The two columns of shares are of all judgements of
/// the state at the cursor, and of repeats alone.
fn heads(seen: &Seen, theme: Theme, inner: Rect, buffer: &mut Buffer) {
    let muted = theme.of(Meaning::Muted);
    let label = |words: &str| own(cell(words, ID + seen.name), muted);
    let (judge, prompt) = (theme.of(Meaning::Title), theme.of(Meaning::Text));
    let each = |words: &dyn Fn(&Column) -> String| -> Vec<Span<'static>> {
        seen.shown().map(|(_, column)| own(cell(&words(column), seen.column), prompt)).collect()
    };
    let is_like = |a: &Column, b: &Column| a.has_judge_of(b) && a.prompt == b.prompt;
    let here = seen.cursor.and_then(|at| seen.columns[at].turn);
    let after = here.map_or_else(|| "at the end".into(), |turn| format!("after {turn}"));
    for (y, head) in seen.heads.iter().enumerate() {
        let name = |it: &Column, _| safe(&it.setup.name);
        let mut spans = match head {
            Head::Judge => spanning(seen, |a, b| a.has_judge_of(b), name, judge),
            Head::Prompt => spanning(seen, is_like, digits, prompt),
            Head::Turn => each(&|it| it.turn.map_or_else(|| "end".into(), |turn| turn.to_string())),
            Head::Repeat => each(&|it| {
                it.repeat.map_or_else(|| "–".into(), |(number, of)| format!("{number}/{of}"))
            }),
            Head::Sides => seen.shown().map(|(at, _)| mark(seen, at, theme)).collect(),
        };
        spans.insert(0, label(head.word()));
        // The judgements of one state that agree are those after the turn of the cursor's column.
        let shares = match (head, seen.has_repeats) {
            (Head::Turn, true) => ["agreed", "agreed"],
            (Head::Turn, false) => ["agreed", ""],
            (Head::Sides, true) => [&*after, "repeated"],
            (Head::Sides, false) => [&*after, ""],
            (Head::Judge | Head::Prompt | Head::Repeat, _) => ["", ""],
        };
        spans.extend(shares.map(|words| own(cell(words, SHARE), muted)));
        put_row(Line::from(spans), None, inner, y as u16, buffer);
    }
}

impl Head {
    const fn word(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Prompt => "prompt",
            Self::Turn => "after turn",
            Self::Repeat => "repeat",
            Self::Sides => "component",
        }
    }
}

/// `a`, `b`, and an arrow where the cursor is.
fn mark(seen: &Seen, at: usize, theme: Theme) -> Span<'static> {
    let side = Side::ALL.into_iter().find(|side| seen.sides[*side as usize] == Some(at));
    let arrow = if seen.cursor == Some(at) { "▼" } else { "" };
    let words = format!("{:<2}{arrow}", side.map_or("", Side::letter));
    own(cell(&words, seen.column), theme.of(Meaning::Key))
}

/// As many digits of the prompt's hash as there is room for.
fn digits(column: &Column, cells: usize) -> String {
    if column.prompt.is_empty() {
        return "–".into();
    }
    safe(&column.prompt.chars().take(cells).collect::<String>())
}

/// One piece of words over neighbours that are alike.
fn spanning(
    seen: &Seen,
    is_like: impl Fn(&Column, &Column) -> bool,
    words: impl Fn(&Column, usize) -> String,
    style: ratatui::style::Style,
) -> Vec<Span<'static>> {
    let shown: Vec<&Column> = seen.shown().map(|(_, column)| column).collect();
    let mut spans = vec![];
    for group in shown.chunk_by(|a, b| is_like(a, b)) {
        let cells = seen.column * group.len();
        let words = group.first().map(|column| words(column, cells - 1)).unwrap_or_default();
        spans.push(own(cell(&words, cells), style));
    }
    spans
}

fn row_of(row: &Row, seen: &Seen, is_here: bool, theme: Theme) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let named = if row.name.is_empty() { "not in the checklist" } else { &row.name };
    let mut spans = vec![
        own(cell(&safe(&row.id), ID), muted),
        own(cell(&safe(plain_name(named)), seen.name), plain),
    ];
    for at in seen.range.clone() {
        let Some(said) = row.cells.get(at) else { continue };
        let (sign, style) = match said {
            Cell::Score(score) => (score.to_string(), looks(*score, theme)),
            Cell::Error => ("!".to_owned(), theme.of(Meaning::Warning)),
            Cell::Unscored => ("–".to_owned(), muted),
            Cell::Missing => ("…".to_owned(), muted),
            Cell::NotAsked => ("·".to_owned(), muted),
        };
        let is_cursor = is_here && seen.cursor == Some(at);
        let [before, after] = if is_cursor { ["[", "]"] } else { [" ", " "] };
        spans.push(own(before, plain));
        spans.push(own(sign, style));
        spans.push(own(cell(after, seen.column - 2), plain));
    }
    spans.push(share(row.agreed, SHARE, theme));
    if seen.has_repeats {
        spans.push(share(row.repeated, SHARE, theme));
    }
    Line::from(spans)
}

fn share(it: Option<f64>, cells: usize, theme: Theme) -> Span<'static> {
    let words = it.map_or_else(|| "–".into(), figures::share);
    let is_low = it.is_some_and(|it| it < 0.5);
    own(cell(&words, cells), theme.of(if is_low { Meaning::Warning } else { Meaning::Text }))
}

/// `this column: reader (a-model), prompt 3fa9c1b2, after turn 56, repeat 1 of 3`
fn foot(view: &Scores, session: &Session, theme: Theme) -> Vec<Span<'static>> {
    let words = view.judges.judge_column(session).map(|column| column.words()).unwrap_or_default();
    vec![own("▼ ", theme.of(Meaning::Key)), own(safe(&words), theme.of(Meaning::Text))]
}
