//! Draws the components: both scores with bars, their difference, and the levels in words.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    views::{
        compare::{
            ComparePart, ComparisonView, columns::RunColumns, verdict_source::VerdictSource,
        },
        verdict::{doubt_sign, plain_name, score_meaning},
    },
    widgets::{
        line::{fit_spans, left_and_right, recorded_span, safe_string, spans_width, trusted_span},
        panel::{draw_sentence, put_row},
        theme::{Meaning, Theme},
    },
};
use trajview_run::{
    format_number,
    rubric::{FULL_SCORE, LEVELS, Verdict, VerdictDoubt},
};
use trajview_study::compare::{ComparedComponent, ComponentCell, run_letter, score_differences};

use super::{draw_frame, muted_spans, part_name_span, run_head};

pub fn draw(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_focused = compared.part == ComparePart::Components;
    let table = &compared.table;
    let is_slump = compared.subtraction().is_slump && compared.paths.len() == 2;
    let sorted = table.sort.sort_words(compared.pair, is_slump);
    let title = vec![part_name_span(compared, ComparePart::Components, "components", theme)];
    let width = usize::from(area.width.saturating_sub(2));
    let below = [source_text(compared), shown_columns(compared, width).hidden_text()];
    let below = below.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>();
    let below = muted_spans(below.join("  "), theme);
    let inner =
        draw_frame(is_focused, [title, muted_spans(sorted, theme), below], theme, area, buffer);
    if table.rows.is_empty() {
        let none = if compared.paths.len() > 2 { "no run has" } else { "neither run has" };
        let words = format!("{none} a checklist of components");
        return draw_sentence(&words, theme.style_for(Meaning::Muted), inner, buffer);
    }
    put_row(head_line(compared, theme, width), None, inner, 0, buffer);
    table.pane.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |row| {
        component_line(compared, &table.rows[table.order[row]], theme, width)
    });
}

/// Returns the source of the scores, where the user chose one; for pooled scores also that they are shown at the
/// nearest level.
fn source_text(compared: &ComparisonView) -> String {
    match &compared.verdict_source {
        VerdictSource::Chosen => String::new(),
        VerdictSource::Judge(name) => format!("by {}", safe_string(name)),
        VerdictSource::Pooled(pool) => format!("pooled: {}, nearest level", pool.word()),
    }
}

/// Cells of a score with its bar.
const SCORE_CELLS: usize = 7;

/// Cells of a difference to the base, with the blank after it.
const DIFFERENCE_CELLS: usize = 4;

/// Cells that a name is not shortened below.
const LEAST_NAME_CELLS: usize = 16;

/// From this width on the difference has words too.
const WORDS_FROM: usize = 72;

const WORDS_CELLS: usize = 25;

fn head_line(compared: &ComparisonView, theme: Theme, width: usize) -> Line<'static> {
    let mut right = vec![];
    for run in shown_columns(compared, width).runs {
        let word = run_head(compared, run, theme);
        if compared.paths.len() > 2 && run != compared.base {
            right.push(trusted_span(" ".repeat(DIFFERENCE_CELLS), theme.style_for(Meaning::Muted)));
        }
        let blank = SCORE_CELLS - spans_width(std::slice::from_ref(&word));
        right.extend([word, trusted_span(" ".repeat(blank), theme.style_for(Meaning::Muted))]);
    }
    if compared.paths.len() > 2 {
        return left_and_right(vec![], right, width);
    }
    let by = compared.subtraction();
    let difference = format!("{}−{}", run_letter(by.from), run_letter(by.subtracted));
    right.push(trusted_span(difference, theme.style_for(Meaning::Muted)));
    if width >= WORDS_FROM {
        right.push(trusted_span(" ".repeat(WORDS_CELLS), theme.style_for(Meaning::Muted)));
    }
    left_and_right(vec![], right, width)
}

/// Returns `C10 Cosine noise schedule   1 █░░░  4 ████  +3  Wrong → Faithful`.
fn component_line(
    compared: &ComparisonView,
    row: &ComparedComponent,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let is_many = compared.paths.len() > 2;
    let to_base = score_differences(row, compared.base);
    let delta = row.score_delta(compared.subtraction());
    let is_equal = match is_many {
        true => to_base.iter().flatten().all(|by| *by == 0),
        false => delta == Some(0),
    };
    let mut right: Vec<Span> = vec![];
    for run in shown_columns(compared, width).runs {
        if is_many && run != compared.base {
            right.push(difference_span(to_base[run], theme));
            right.push(trusted_span(" ", theme.style_for(Meaning::Text)));
        }
        let judgement = compared.all_parties().get(run).and_then(|party| party.judgement());
        let verdict = judgement.and_then(|it| it.verdict_on(&row.id));
        let doubt = verdict.and_then(Verdict::doubt);
        right.extend(score_spans((row.cells.get(run), doubt), is_equal, theme));
    }
    if !is_many {
        right.push(difference_span(delta, theme));
    }
    if !is_many && width >= WORDS_FROM {
        right.push(trusted_span(" ", theme.style_for(Meaning::Text)));
        right.extend(level_spans(row, compared.pair, is_equal, theme));
    }
    // Equal rows are the least important.
    let name = if is_equal { Meaning::Muted } else { Meaning::Text };
    let left = vec![
        trusted_span(
            format!("{} ", safe_string(&row.id)),
            theme.style_for(if is_equal { name } else { Meaning::Key }),
        ),
        recorded_span(plain_name(&row.name), theme.style_for(name)),
    ];
    let left = fit_spans(left, width.saturating_sub(spans_width(&right) + 1));
    left_and_right(left, right, width)
}

/// Returns ` +3`; `  –` where there is no difference to state.
fn difference_span(delta: Option<i8>, theme: Theme) -> Span<'static> {
    let (words, meaning) = match delta {
        None => (format!("{:>3}", format_number::MISSING_SIGN), Meaning::Muted),
        Some(0) => ("  0".into(), Meaning::Muted),
        Some(delta) if delta > 0 => (format!(" +{delta}"), Meaning::for_change(Some(true))),
        Some(delta) => (format!(" −{}", delta.unsigned_abs()), Meaning::for_change(Some(false))),
    };
    trusted_span(words, theme.style_for(meaning))
}

/// Returns the runs with a column, where each but the base has its difference before its score.
fn shown_columns(compared: &ComparisonView, width: usize) -> RunColumns {
    compared.run_columns(column_room(width))
}

/// Returns how many columns fit beside the base.
pub(super) fn column_room(width: usize) -> usize {
    width.saturating_sub(LEAST_NAME_CELLS + SCORE_CELLS) / (SCORE_CELLS + DIFFERENCE_CELLS)
}

/// Returns `3 ███· `; a sign after the score of a verdict in doubt.
fn score_spans(
    (cell, doubt): (Option<&ComponentCell>, Option<VerdictDoubt>),
    is_equal: bool,
    theme: Theme,
) -> Vec<Span<'static>> {
    let muted = theme.style_for(Meaning::Muted);
    match cell {
        Some(ComponentCell::Score(score)) => {
            let full = usize::from((*score).min(FULL_SCORE));
            let bar =
                format!("{}{} ", "█".repeat(full), "·".repeat(usize::from(FULL_SCORE) - full));
            let [number, meaning] = match is_equal {
                true => [Meaning::Muted; 2],
                false => [Meaning::Text, score_meaning(*score)],
            };
            let sign = doubt.map_or(" ", doubt_sign);
            vec![
                trusted_span(format!("{score}{sign}"), theme.style_for(number)),
                trusted_span(bar, theme.style_for(meaning)),
            ]
        }
        Some(ComponentCell::NotJudged(_)) => vec![trusted_span("? ···· ", muted)],
        Some(ComponentCell::LeftOut(score, doubt)) => {
            vec![trusted_span(format!("{score}{}     ", doubt_sign(*doubt)), muted)]
        }
        Some(ComponentCell::NotListed) | None => vec![trusted_span("       ", muted)],
    }
}

/// Returns `Wrong → Faithful`, each level in its colour; the reason where a level is missing.
fn level_spans(
    row: &ComparedComponent,
    pair: [usize; 2],
    is_equal: bool,
    theme: Theme,
) -> Vec<Span<'static>> {
    let muted = theme.style_for(Meaning::Muted);
    let level = |score: u8| LEVELS.get(usize::from(score)).copied().unwrap_or_default();
    let colour = |score: u8| theme.style_for(score_meaning(score));
    let words = match (row.only_in(), pair.map(|run| row.score_in(run))) {
        (Some(only), _) => vec![trusted_span(format!("only in {}", run_letter(only)), muted)],
        (None, [Some(a), Some(_)]) if is_equal => vec![trusted_span(level(a), muted)],
        (None, [Some(a), Some(b)]) => {
            vec![
                trusted_span(level(a), colour(a)),
                trusted_span(" → ", muted),
                trusted_span(level(b), colour(b)),
            ]
        }
        (None, [a, b]) => {
            let missing = [(a, pair[0]), (b, pair[1])].into_iter().filter(|(it, _)| it.is_none());
            let missing = missing.map(|(_, run)| run_letter(run)).collect::<Vec<_>>().join(", ");
            vec![trusted_span(format!("not judged in {missing}"), muted)]
        }
    };
    let blank = (WORDS_CELLS - 1).saturating_sub(spans_width(&words));
    words.into_iter().chain([trusted_span(" ".repeat(blank), muted)]).collect()
}
