//! Components down, judgements across.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};
use std::ops::Range;

use crate::{
    session::{Session, context::KeyContext},
    views::{
        scores::{
            ScoresView,
            judges::{
                JudgeRowSort, JudgeSide, JudgesPart,
                areas::{ID_CELLS, JudgesAreas, MATRIX_FOOT_ROWS, MATRIX_HEAD_ROWS, SHARE_CELLS},
                columns::JudgementColumn,
                rows::{MatrixCell, MatrixHead, MatrixRow},
            },
        },
        verdict::plain_name,
    },
    widgets::{
        line::{fit_spans, safe_string, trusted_span},
        panel::{PanelTitles, draw_sentence, panel_title_span, put_row},
        theme::{Meaning, Theme},
    },
};
use trajview_run::format_number;

use super::{super::components::padded_cell, score_style};

/// The visible part of the matrix.
struct SeenMatrix {
    columns: Vec<JudgementColumn>,
    /// The columns for which there is room.
    column_range: Range<usize>,
    /// Cells of a name, and of a judgement.
    name_cells: usize,
    column_cells: usize,
    heads: Vec<MatrixHead>,
    /// The column of the cursor, and of a and b.
    cursor: Option<usize>,
    sides: [Option<usize>; 2],
    has_repeats: bool,
}

impl SeenMatrix {
    fn for_view(view: &ScoresView, session: &Session, areas: &JudgesAreas) -> Self {
        let columns = view.judges.judge_columns(session);
        let divided =
            areas.matrix_columns(columns.len(), view.judges.longest_names(session, &columns));
        let count = divided.seen;
        let left = view.judges.left.min(columns.len().saturating_sub(count));
        let at = |column: Option<JudgementColumn>| {
            let file = column?.file;
            columns.iter().position(|other| other.file == file)
        };
        Self {
            column_range: left..(left + count).min(columns.len()),
            name_cells: divided.name,
            column_cells: divided.column,
            heads: view.judges.matrix_heads(session),
            cursor: at(view.judges.judge_column(session)),
            sides: JudgeSide::ALL.map(|side| at(view.judges.side_column(session, side))),
            has_repeats: columns.iter().any(|column| column.repeat.is_some()),
            columns,
        }
    }

    fn shown_columns(&self) -> impl Iterator<Item = (usize, &JudgementColumn)> {
        self.columns.iter().enumerate().skip(self.column_range.start).take(self.column_range.len())
    }
}

pub(crate) fn draw_matrix(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    areas: &JudgesAreas,
    buffer: &mut Buffer,
) {
    let judges = &view.judges;
    let is_focused = judges.part == JudgesPart::Matrix;
    let muted = theme.style_for(Meaning::Muted);
    let seen = SeenMatrix::for_view(view, session, areas);
    let titles = matrix_titles(view, &seen, theme);
    let inner = judges.rows.draw_frame(titles, is_focused, theme, buffer);
    draw_matrix_heads(&seen, theme, inner, buffer);
    let rows = view.judges.judge_rows(session);
    judges.rows.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |index| {
        matrix_row_line(&rows[index], &seen, index == judges.rows.cursor(), theme)
    });
    if rows.is_empty() {
        let words = match judges.only_differing {
            true => format!(
                "a and b agree on all components; {} lists all",
                session.keys.key_text(KeyContext::Matrix, "differences-only")
            ),
            false => "no component has a verdict".into(),
        };
        let below = Rect {
            y: inner.y + MATRIX_HEAD_ROWS,
            height: inner.height.saturating_sub(MATRIX_HEAD_ROWS),
            ..inner
        };
        draw_sentence(&words, muted, below, buffer);
    }
    let foot =
        Line::from(fit_spans(cursor_column_text(view, session, theme), usize::from(inner.width)));
    put_row(foot, None, inner, inner.height.saturating_sub(MATRIX_FOOT_ROWS), buffer);
}

/// Returns ` judgements ` and ` by instability  columns 2–7 of 9 `.
fn matrix_titles(view: &ScoresView, seen: &SeenMatrix, theme: Theme) -> PanelTitles {
    let judges = &view.judges;
    let is_focused = judges.part == JudgesPart::Matrix;
    let sorted = match judges.sort {
        JudgeRowSort::Id => String::new(),
        JudgeRowSort::Instability => " by instability ".into(),
        JudgeRowSort::Difference => " by difference ".into(),
    };
    let only = if judges.only_differing { " where a and b differ " } else { "" };
    let (count, all) = (seen.column_range.len(), seen.columns.len());
    let columns = match count < all {
        true => {
            format!(" columns {}–{} of {all} ", seen.column_range.start + 1, seen.column_range.end)
        }
        false => String::new(),
    };
    let words = format!("{all} judgements");
    let right = format!("{only}{sorted}{columns}");
    PanelTitles::from(panel_title_span(is_focused, &words, theme))
        .with_right(trusted_span(right, theme.style_for(Meaning::Muted)))
}

/// Draws judge, prompt, turn and repeat of each column, and which column is a and which is b. The two columns of shares
/// cover all judgements of the state at the cursor, and the repeats alone.
fn draw_matrix_heads(seen: &SeenMatrix, theme: Theme, inner: Rect, buffer: &mut Buffer) {
    let muted = theme.style_for(Meaning::Muted);
    let label = |words: &str| trusted_span(padded_cell(words, ID_CELLS + seen.name_cells), muted);
    let (judge, prompt) = (theme.style_for(Meaning::Title), theme.style_for(Meaning::Text));
    let each = |words: &dyn Fn(&JudgementColumn) -> String| -> Vec<Span<'static>> {
        seen.shown_columns()
            .map(|(_, column)| trusted_span(padded_cell(&words(column), seen.column_cells), prompt))
            .collect()
    };
    let is_like =
        |a: &JudgementColumn, b: &JudgementColumn| a.has_same_judge(b) && a.prompt == b.prompt;
    let here = seen.cursor.and_then(|at| seen.columns[at].turn);
    let after = here.map_or_else(|| "at the end".into(), |turn| format!("after {turn}"));
    for (y, head) in seen.heads.iter().enumerate() {
        let name = |it: &JudgementColumn, _| safe_string(&it.setup.name);
        let mut spans = match head {
            MatrixHead::Judge => spans_over_alike(seen, |a, b| a.has_same_judge(b), name, judge),
            MatrixHead::Prompt => spans_over_alike(seen, is_like, prompt_digits, prompt),
            MatrixHead::Turn => {
                each(&|it| it.turn.map_or_else(|| "end".into(), |turn| turn.to_string()))
            }
            MatrixHead::Repeat => each(&|it| {
                it.repeat.map_or_else(
                    || format_number::MISSING_SIGN.into(),
                    |(number, of)| format!("{number}/{of}"),
                )
            }),
            MatrixHead::Sides => {
                seen.shown_columns().map(|(at, _)| side_mark(seen, at, theme)).collect()
            }
        };
        spans.insert(0, label(head.head_word()));
        // The judgements of one state that agree are those after the turn of the cursor's column.
        let shares = match (head, seen.has_repeats) {
            (MatrixHead::Turn, true) => ["agreed", "agreed"],
            (MatrixHead::Turn, false) => ["agreed", ""],
            (MatrixHead::Sides, true) => [&*after, "repeated"],
            (MatrixHead::Sides, false) => [&*after, ""],
            (MatrixHead::Judge | MatrixHead::Prompt | MatrixHead::Repeat, _) => ["", ""],
        };
        spans.extend(shares.map(|words| trusted_span(padded_cell(words, SHARE_CELLS), muted)));
        put_row(Line::from(spans), None, inner, y as u16, buffer);
    }
}

impl MatrixHead {
    const fn head_word(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Prompt => "prompt",
            Self::Turn => "after turn",
            Self::Repeat => "repeat",
            Self::Sides => "component",
        }
    }
}

/// Returns `a`, `b`, and an arrow where the cursor is.
fn side_mark(seen: &SeenMatrix, at: usize, theme: Theme) -> Span<'static> {
    let side = JudgeSide::ALL.into_iter().find(|side| seen.sides[*side as usize] == Some(at));
    let arrow = if seen.cursor == Some(at) { "▼" } else { "" };
    let words = format!("{:<2}{arrow}", side.map_or("", JudgeSide::side_letter));
    trusted_span(padded_cell(&words, seen.column_cells), theme.style_for(Meaning::Key))
}

/// Returns as many digits of the prompt's hash as there is room for.
fn prompt_digits(column: &JudgementColumn, cells: usize) -> String {
    if column.prompt.is_empty() {
        return format_number::MISSING_SIGN.into();
    }
    safe_string(&column.prompt.chars().take(cells).collect::<String>())
}

/// Returns one text over each group of neighbouring columns that are alike.
fn spans_over_alike(
    seen: &SeenMatrix,
    is_like: impl Fn(&JudgementColumn, &JudgementColumn) -> bool,
    words: impl Fn(&JudgementColumn, usize) -> String,
    style: ratatui::style::Style,
) -> Vec<Span<'static>> {
    let shown_columns: Vec<&JudgementColumn> =
        seen.shown_columns().map(|(_, column)| column).collect();
    let mut spans = vec![];
    for group in shown_columns.chunk_by(|a, b| is_like(a, b)) {
        let cells = seen.column_cells * group.len();
        let words = group.first().map(|column| words(column, cells - 1)).unwrap_or_default();
        spans.push(trusted_span(padded_cell(&words, cells), style));
    }
    spans
}

fn matrix_row_line(
    row: &MatrixRow,
    seen: &SeenMatrix,
    is_here: bool,
    theme: Theme,
) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let component_name = if row.name.is_empty() { "not in the checklist" } else { &row.name };
    let mut spans = vec![
        trusted_span(padded_cell(&safe_string(&row.id), ID_CELLS), muted),
        trusted_span(padded_cell(&safe_string(plain_name(component_name)), seen.name_cells), plain),
    ];
    for at in seen.column_range.clone() {
        let Some(said) = row.cells.get(at) else { continue };
        let (sign, style) = match said {
            MatrixCell::Score(score) => (score.to_string(), score_style(*score, theme)),
            MatrixCell::Error => ("!".to_owned(), theme.style_for(Meaning::Warning)),
            MatrixCell::Unscored => (format_number::MISSING_SIGN.to_owned(), muted),
            MatrixCell::Missing => ("…".to_owned(), muted),
            MatrixCell::NotAsked => ("·".to_owned(), muted),
        };
        let is_cursor = is_here && seen.cursor == Some(at);
        let [before, after] = if is_cursor { ["[", "]"] } else { [" ", " "] };
        spans.push(trusted_span(before, plain));
        spans.push(trusted_span(sign, style));
        spans.push(trusted_span(padded_cell(after, seen.column_cells - 2), plain));
    }
    spans.push(share_span(row.agreement, SHARE_CELLS, theme));
    if seen.has_repeats {
        spans.push(share_span(row.repeat_agreement, SHARE_CELLS, theme));
    }
    Line::from(spans)
}

fn share_span(it: Option<f64>, cells: usize, theme: Theme) -> Span<'static> {
    let words =
        it.map_or_else(|| format_number::MISSING_SIGN.into(), format_number::three_decimals);
    let is_low = it.is_some_and(|it| it < 0.5);
    trusted_span(
        padded_cell(&words, cells),
        theme.style_for(if is_low { Meaning::Warning } else { Meaning::Text }),
    )
}

/// Returns `this column: reader (a-model), prompt 3fa9c1b2, after turn 56, repeat 1 of 3`.
fn cursor_column_text(view: &ScoresView, session: &Session, theme: Theme) -> Vec<Span<'static>> {
    let words =
        view.judges.judge_column(session).map(|column| column.column_words()).unwrap_or_default();
    vec![
        trusted_span("▼ ", theme.style_for(Meaning::Key)),
        trusted_span(safe_string(&words), theme.style_for(Meaning::Text)),
    ]
}
