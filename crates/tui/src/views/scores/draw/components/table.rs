//! One row a component.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};
use trajview_run::format_number;

use super::padded_cell;
use crate::{
    session::Session,
    views::{
        scores::{
            ScoresView,
            components::{
                ComponentsPart,
                table::{ComponentRow, ComponentSort},
            },
            draw::lifeline::{self, checkpoint_names},
            lifeline::{LifelineSign, column_signs, lifeline_columns, standing_signs, turn_signs},
        },
        verdict::{doubt_sign, exact_score, plain_name, score_spans},
    },
    widgets::{
        line::{padded_spans, recorded_span, safe_string, trusted_span},
        panel::{PanelTitles, draw_sentence, panel_title_span, put_row},
        text,
        theme::{Meaning, Theme},
        timeline::TurnColumns,
    },
};

/// Cells of the columns other than the name and the lifeline.
const ID_CELLS: usize = 5;
const SCORE_CELLS: usize = 18;
/// Cells of the sign of a score in doubt, where a row has one.
const DOUBT_CELLS: usize = 2;
const LABEL_CELLS: usize = 5;
const CHANGE_CELLS: usize = 7;

/// The names of the columns of the level in the specification and of the turn of the loss, in full and short, each with
/// its cells.
const EXPOSURE_NAMES: [(&str, usize); 2] = [("spec level", 11), ("spec", 5)];
const LOST_NAMES: [(&str, usize); 2] = [("lost at turn", 13), ("lost at", 8)];

/// Table width from which columns have their full names.
const FULL_NAMES_WIDTH: usize = 80;

/// Cells that a name is not shortened below for the sake of a lifeline.
const LEAST_NAME_CELLS: usize = 14;

/// Fewest cells of a useful lifeline strip.
const LEAST_STRIP_CELLS: usize = 8;

pub(crate) fn draw_component_table(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    buffer: &mut Buffer,
) {
    let parts = &view.components;
    let is_focused = view.components.has_part(ComponentsPart::Table);
    let sorted = match parts.sort {
        ComponentSort::Checklist => String::new(),
        sort => format!(" by {} ", sort.sort_words()),
    };
    let right = sorted + &compared_with(session);
    let titles = PanelTitles::from(panel_title_span(is_focused, "components", theme))
        .with_right(trusted_span(right, theme.style_for(Meaning::Muted)));
    let inner = parts.rows.draw_frame(titles, is_focused, theme, buffer);
    let rows = view.components.component_rows(session);
    if rows.is_empty() {
        let words = "the checklist names no component";
        return draw_sentence(words, theme.style_for(Meaning::Muted), inner, buffer);
    }
    let columns = ComponentColumns::for_rows(usize::from(inner.width), session, &rows);
    put_row(columns.head_line(session, theme), None, inner, 0, buffer);
    parts.rows.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |index| {
        columns.row_line(&rows[index], session, theme)
    });
}

/// Returns the judgement with which scores are compared, such as ` change since turn 39 `.
fn compared_with(session: &Session) -> String {
    let judged = &session.rubric;
    let (Some(judgement), Some(other)) = (judged.shown_judgement(), judged.compared_judgement())
    else {
        return String::new();
    };
    let turn = other.turn.map(|turn| format!("turn {turn}")).unwrap_or_else(|| "the end".into());
    match judgement.turn == other.turn {
        true => format!(" change from {} ", safe_string(&other.judge.name)),
        false => format!(" change since {turn} "),
    }
}

/// Widths of the columns. A column of zero cells is not shown.
struct ComponentColumns {
    name: usize,
    score: usize,
    label: usize,
    /// The name and the cells.
    exposure: (&'static str, usize),
    change: usize,
    lost: (&'static str, usize),
    strip: TurnColumns,
}

impl ComponentColumns {
    /// Computes the widths. A column without any recorded value is left out.
    fn for_rows(width: usize, session: &Session, rows: &[ComponentRow]) -> Self {
        let has = |is: bool, cells: usize| if is { cells } else { 0 };
        let label = has(rows.iter().any(|row| row.label.is_some()), LABEL_CELLS);
        let names = usize::from(width < FULL_NAMES_WIDTH);
        let has_exposure = rows.iter().any(|row| row.exposure.is_some());
        let exposure = if has_exposure { EXPOSURE_NAMES[names] } else { ("", 0) };
        let lost = LOST_NAMES[names];
        let change = has(rows.iter().any(|row| row.change.is_some()), CHANGE_CELLS);
        let score = SCORE_CELLS + has(rows.iter().any(|row| row.doubt.is_some()), DOUBT_CELLS);
        let taken = ID_CELLS + score + label + exposure.1 + change + lost.1;
        let room = width.saturating_sub(taken);
        let turns = session.run.turns.len();
        let strip = room.saturating_sub(LEAST_NAME_CELLS + 1).min(turns.max(1));
        let strip = if strip < LEAST_STRIP_CELLS.min(turns) { 0 } else { strip };
        // A long name is worth more than the last cells of a strip that is squeezed anyway.
        let strip = if strip < turns { strip.min(room / 3) } else { strip };
        let longest = rows.iter().map(|row| text::width(plain_name(&row.name)) + 1).max();
        let name = room.saturating_sub(strip + usize::from(strip > 0));
        let name = name.min(longest.unwrap_or_default().max(LEAST_NAME_CELLS));
        // What the names leave is the turns'.
        let strip = if strip < turns { strip } else { room.saturating_sub(name + 1) };
        let strip = lifeline_columns(session, strip);
        Self { name, score, label, exposure, change, lost, strip }
    }

    fn head_line(&self, session: &Session, theme: Theme) -> Line<'static> {
        let columns = [
            ("id", ID_CELLS),
            ("component", self.name),
            ("score", self.score),
            ("you", self.label),
            self.exposure,
            ("change", self.change),
            self.lost,
        ];
        let words: String = columns.iter().map(|(word, cells)| padded_cell(word, *cells)).collect();
        let mut spans = vec![trusted_span(words, theme.style_for(Meaning::Muted))];
        spans.extend(self.checkpoint_spans(session, theme));
        Line::from(spans)
    }

    /// Returns the checkpoints above the turns where they begin, as many names as there is room for.
    fn checkpoint_spans(&self, session: &Session, theme: Theme) -> Vec<Span<'static>> {
        let run = &session.run;
        let muted = theme.style_for(Meaning::Muted);
        if self.strip.has_buckets() || run.checkpoints.is_empty() {
            let turns = if self.strip.width() < "turns".len() { "" } else { "turns" };
            return vec![trusted_span(turns, muted)];
        }
        checkpoint_names(session, &self.strip, theme)
    }

    fn row_line(&self, row: &ComponentRow, session: &Session, theme: Theme) -> Line<'static> {
        let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
        let name = if row.is_in_checklist { &row.name } else { "not in the checklist" };
        let mut spans = vec![
            trusted_span(padded_cell(&safe_string(&row.id), ID_CELLS), muted),
            trusted_span(padded_cell(&safe_string(plain_name(name)), self.name), plain),
        ];
        let score_text = match (row.score, &row.missing_reason) {
            (Some(given), _) => match row.exact_score {
                Some(exact) => exact_score(given, exact, theme),
                None => score_spans(given, theme),
            },
            (None, Some(_)) if !row.given_text.is_empty() => {
                vec![recorded_span(&row.given_text, plain)]
            }
            (None, Some(_)) if row.is_reasoned => vec![trusted_span("not scored", muted)],
            (None, Some(_))
                if session
                    .rubric
                    .shown_judgement()
                    .is_some_and(|it| it.verdict_on(&row.id).is_some()) =>
            {
                vec![trusted_span("no score", theme.style_for(Meaning::Warning))]
            }
            (None, Some(_)) => vec![trusted_span("not judged", muted)],
            (None, None) => vec![trusted_span(format_number::MISSING_SIGN, muted)],
        };
        let doubt = row.doubt.map(|doubt| format!(" {}", doubt_sign(doubt)));
        let doubt = doubt.map(|sign| trusted_span(sign, theme.style_for(Meaning::Warning)));
        spans.extend(padded_spans(score_text.into_iter().chain(doubt).collect(), self.score));
        if self.label > 0 {
            spans.push(trusted_span(padded_cell(&label_text(row), self.label), plain));
        }
        if self.exposure.1 > 0 {
            let level = row
                .exposure
                .map_or_else(|| format_number::MISSING_SIGN.into(), |level| level.to_string());
            spans.push(trusted_span(padded_cell(&level, self.exposure.1), plain));
        }
        if self.change > 0 {
            spans.push(change_span(row.change, self.change, theme));
        }
        spans.push(lost_span(row, session, self.lost.1, theme));
        spans.extend(self.strip_spans(row, session, theme));
        Line::from(spans)
    }

    fn strip_spans(
        &self,
        row: &ComponentRow,
        session: &Session,
        theme: Theme,
    ) -> Vec<Span<'static>> {
        self.strip_signs(row, session)
            .into_iter()
            .map(|sign| lifeline::sign_span(sign, theme))
            .collect()
    }

    fn strip_signs(&self, row: &ComponentRow, session: &Session) -> Vec<LifelineSign> {
        let Some(lifeline) = session.rubric.lifeline_of(&row.id) else { return vec![] };
        let turns = session.run.turns.len();
        column_signs(&self.strip, &turn_signs(lifeline, turns), &standing_signs(lifeline, turns))
    }
}

/// Returns the signs that the table shows, for the legend.
pub(crate) fn signs_shown(view: &ScoresView, session: &Session, area: Rect) -> Vec<LifelineSign> {
    let rows = view.components.component_rows(session);
    let columns =
        ComponentColumns::for_rows(usize::from(area.width.saturating_sub(2)), session, &rows);
    let seen = view.components.rows.visible_rows().filter_map(|index| rows.get(index));
    seen.flat_map(|row| columns.strip_signs(row, session)).collect()
}

/// Returns the label of the local rater.
fn label_text(row: &ComponentRow) -> String {
    row.label.map_or_else(|| format_number::MISSING_SIGN.to_owned(), |score| score.to_string())
}

fn change_span(by: Option<i8>, cells: usize, theme: Theme) -> Span<'static> {
    let (words, meaning) = match by {
        None => (String::new(), Meaning::Muted),
        Some(0) => ("=".into(), Meaning::Muted),
        Some(by) if by < 0 => (format!("▼{}", by.unsigned_abs()), Meaning::Removed),
        Some(by) => (format!("▲{by}"), Meaning::Added),
    };
    trusted_span(padded_cell(&words, cells), theme.style_for(meaning))
}

fn lost_span(row: &ComponentRow, session: &Session, cells: usize, theme: Theme) -> Span<'static> {
    let is_known = session.rubric.lifeline_of(&row.id).is_some();
    let words = match row.lost_at {
        Some(turn) => turn.to_string(),
        None if is_known => format_number::MISSING_SIGN.into(),
        None => String::new(),
    };
    let meaning = if row.lost_at.is_some() { Meaning::Error } else { Meaning::Muted };
    trusted_span(padded_cell(&words, cells), theme.style_for(meaning))
}
