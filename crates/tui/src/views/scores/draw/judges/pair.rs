//! Draws the comparison of two judgements: their agreement and their differences.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::scores::{
        ScoresView,
        judges::{JudgeSide, JudgesPart, areas::PAIR_SUM_ROWS, judgement_pair, rows::MatrixRow},
    },
    widgets::{
        line::{fit_spans, left_and_right, safe_string, trusted_span},
        panel::{draw_sentence, panel_title_span, put_row},
        theme::{Meaning, Theme},
    },
};
use trajview_run::format_number;
use trajview_study::{Coefficient, Estimate, Interval, agreement::interval_doubt};

use super::{super::components::padded_cell, score_style};

/// Cells of an id and of a score.
const ID_CELLS: usize = 5;
const SCORE_CELLS: usize = 4;

pub(crate) fn draw_pair(view: &ScoresView, session: &Session, theme: Theme, buffer: &mut Buffer) {
    let judges = &view.judges;
    let is_focused = judges.part == JudgesPart::Pair;
    let [first, second] = JudgeSide::ALL.map(|side| view.judges.side_column(session, side));
    let (Some(first), Some(second)) = (first, second) else { return };
    let kind = judgement_pair::comparison_kind(&first, &second);
    let is_other_state = first.state != second.state;
    let code = if is_other_state { ", of other code" } else { "" };
    let title = panel_title_span(is_focused, &format!("{kind}{code}"), theme);
    let inner = judges.differing.draw_frame(title, is_focused, theme, buffer);
    let width = usize::from(inner.width);
    let mut sums: Vec<Vec<Span<'static>>> = vec![];
    for (side, column) in JudgeSide::ALL.into_iter().zip([&first, &second]) {
        sums.push(vec![
            trusted_span(format!("{} ", side.side_letter()), theme.style_for(Meaning::Key)),
            trusted_span(safe_string(&column.column_words()), theme.style_for(Meaning::Text)),
        ]);
    }
    sums.extend(measure_rows(view, theme));
    let rows = view.judges.differing_rows(session);
    for (y, spans) in sums.into_iter().take(usize::from(PAIR_SUM_ROWS) - 1).enumerate() {
        put_row(Line::from(fit_spans(spans, width)), None, inner, y as u16, buffer);
    }
    let words = difference_text(view, rows.len());
    let heads = if rows.is_empty() { "" } else { "a   b   b−a" };
    let left = vec![trusted_span(words, theme.style_for(Meaning::Heading))];
    let right = vec![trusted_span(heads, theme.style_for(Meaning::Muted))];
    put_row(left_and_right(left, right, width), None, inner, PAIR_SUM_ROWS - 1, buffer);
    let below = Rect {
        y: inner.y + PAIR_SUM_ROWS,
        height: inner.height.saturating_sub(PAIR_SUM_ROWS),
        ..inner
    };
    if rows.is_empty() {
        return draw_sentence(why_none(view), theme.style_for(Meaning::Muted), below, buffer);
    }
    let is_here = |row: &&MatrixRow| Some(row.id.as_str()) == judges.judges_component();
    let chosen = rows.get(judges.differing.cursor()).filter(is_here);
    let chosen = chosen.map(|_| theme.chosen_row(is_focused));
    judges.differing.draw_rows(chosen, theme, buffer, |index| {
        pair_row_line(view, session, &rows[index], width, theme)
    });
}

/// Returns six rows: four measures with their intervals, and the base rates of both.
fn measure_rows(view: &ScoresView, theme: Theme) -> Vec<Vec<Span<'static>>> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let Some(measured) = view.judges.pair_measured() else { return vec![] };
    let mut rows = vec![];
    for (coefficient, estimate) in &measured.estimates {
        let label = match coefficient {
            Coefficient::Exact => "exact",
            Coefficient::Within1 => "within 1",
            Coefficient::Icc21 => "ICC(2,1)",
            _ => "kappa (quadr.)",
        };
        let mut words = estimate_text(estimate);
        let is_doubted =
            interval_doubt::SQUARING.contains(coefficient) && estimate.interval.is_ok();
        if is_doubted && measured.doubt.is_some() {
            words += "  may be too narrow";
        }
        rows.push(vec![trusted_span(format!("{label:<15}"), muted), trusted_span(words, plain)]);
    }
    let [first, second] = &measured.base_rates;
    let rates = |rates: &[f64]| {
        let shares: Vec<String> =
            rates.iter().map(|it| format_number::whole_percent(*it)).collect();
        shares.join("  ")
    };
    if !first.is_empty() {
        for (letter, all) in [("a", first), ("b", second)] {
            rows.push(vec![
                trusted_span(format!("{:<15}", format!("levels of {letter}")), muted),
                trusted_span(format!("{} for 0 to 4", rates(all)), plain),
            ]);
        }
    }
    rows
}

/// Returns `0.771  95 % [0.632, 0.881]`.
fn estimate_text(estimate: &Estimate) -> String {
    match (estimate.value, estimate.interval) {
        (Ok(value), Ok(Interval { low, high })) => {
            format!(
                "{}  95 % {}",
                format_number::three_decimals(value),
                format_number::interval_text(low, high)
            )
        }
        (Ok(value), Err(_)) => format_number::three_decimals(value),
        (Err(why), _) => format!("not defined: {why}"),
    }
}

/// Returns `they differ on 4 of 24`.
fn difference_text(view: &ScoresView, count: usize) -> String {
    let n = view.judges.pair_measured().map_or(0, |it| it.pair_count);
    match (n, count) {
        (0, _) => "no common scores".into(),
        (n, 0) => format!("they agree on all {n}"),
        (n, count) => format!("they differ on {count} of {n}"),
    }
}

fn why_none(view: &ScoresView) -> &'static str {
    match view.judges.pair_measured() {
        Some(measured) if measured.pair_count > 0 => "every score that both gave is the same",
        _ => "select two others with a and b, or the next pair with x",
    }
}

/// Returns `C05  Time embedding      4   1   −3`.
fn pair_row_line(
    view: &ScoresView,
    session: &Session,
    row: &MatrixRow,
    width: usize,
    theme: Theme,
) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let gap = row.gap.unwrap_or_default();
    let by = match gap {
        gap if gap < 0 => format!("−{}", gap.unsigned_abs()),
        gap => format!("+{gap}"),
    };
    let columns = view.judges.judge_columns(session);
    let scores = JudgeSide::ALL.map(|side| {
        let file = view.judges.side_column(session, side)?.file;
        let at = columns.iter().position(|column| column.file == file)?;
        row.cells.get(at)?.cell_score()
    });
    let component_name = if row.name.is_empty() { "not in the checklist" } else { &row.name };
    let room = width.saturating_sub(ID_CELLS + 2 * SCORE_CELLS + 4);
    let mut spans = vec![
        trusted_span(padded_cell(&safe_string(&row.id), ID_CELLS), muted),
        trusted_span(padded_cell(&safe_string(component_name), room), plain),
    ];
    for score in scores.into_iter().flatten() {
        spans.push(trusted_span(
            padded_cell(&score.to_string(), SCORE_CELLS),
            score_style(score, theme),
        ));
    }
    spans.push(trusted_span(by, plain));
    Line::from(fit_spans(spans, width))
}
