//! Draws the 5x5 table of score transitions, with the chosen component's cell marked.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    views::compare::ComparisonView,
    widgets::{
        line::{safe_string, trusted_span},
        panel::{draw_sentence, put_row},
        theme::{Meaning, Theme},
    },
};
use trajview_run::rubric::LEVELS;
use trajview_study::compare::run_letter;

use super::{draw_frame, muted_spans};

/// Cells of a row's name and of a count.
const LABEL_CELLS: usize = 14;
const COUNT_CELLS: usize = 5;

pub fn draw(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let [a, b] = compared.pair.map(run_letter);
    let transitions = compared.score_transitions();
    let title = vec![trusted_span(
        format!(" score transitions ({a} → {b}) "),
        theme.style_for(Meaning::Text),
    )];
    let below = muted_spans("[ ] selected · = unchanged", theme);
    let inner = draw_frame(false, [title, vec![], below], theme, area, buffer);
    if transitions.n == 0 {
        let none = || "no component is judged in both runs".to_owned();
        let words = compared.not_compared().unwrap_or_else(none);
        return draw_sentence(&safe_string(&words), theme.style_for(Meaning::Muted), inner, buffer);
    }
    put_row(head_line(theme), None, inner, 0, buffer);
    let chosen = chosen_cell(compared);
    for (score, counts) in transitions.counts.iter().enumerate() {
        let line = score_line(score, counts, chosen, theme);
        put_row(line, None, inner, score as u16 + 1, buffer);
    }
    let (lost, gained) = lost_and_gained(compared);
    let words = [
        format!("{} judged in both, {} unchanged", transitions.n, transitions.equal_count()),
        format!("{lost} lower in {a}, {gained} lower in {b}"),
    ];
    for (y, words) in (7..).zip(words) {
        put_row(Line::styled(words, theme.style_for(Meaning::Muted)), None, inner, y, buffer);
    }
}

fn head_line(theme: Theme) -> Line<'static> {
    let scores =
        (0..LEVELS.len()).map(|score| format!("{score:>COUNT_CELLS$}")).collect::<String>();
    Line::styled(format!("{}{scores}", " ".repeat(LABEL_CELLS)), theme.style_for(Meaning::Muted))
}

/// Returns the scores of the chosen component in both runs; None where one of them has none.
fn chosen_cell(compared: &ComparisonView) -> Option<(usize, usize)> {
    let row = compared.table.selected_row()?;
    let [a, b] = compared.pair.map(|run| row.score_in(run).map(usize::from));
    a.zip(b)
}

fn score_line(
    score: usize,
    counts: &[usize; 5],
    chosen: Option<(usize, usize)>,
    theme: Theme,
) -> Line<'static> {
    let label = format!("{score} {}", LEVELS[score]);
    let mut spans =
        vec![trusted_span(format!("{label:<LABEL_CELLS$}"), theme.style_for(Meaning::Text))];
    for (other, count) in counts.iter().enumerate() {
        spans.push(cell_span((score, other), *count, chosen, theme));
    }
    Line::from(spans)
}

/// Returns `  =14` on the diagonal, `  [2]` for the chosen component.
fn cell_span(
    (a, b): (usize, usize),
    count: usize,
    chosen: Option<(usize, usize)>,
    theme: Theme,
) -> Span<'static> {
    let number = if count == 0 { "·".into() } else { count.to_string() };
    let words = match (chosen == Some((a, b)), a == b) {
        (true, true) => format!("[={number}]"),
        (true, false) => format!("[{number}]"),
        (false, true) if count > 0 => format!("={number}"),
        (false, _) => number,
    };
    let meaning = match (chosen == Some((a, b)), count == 0, a == b) {
        (true, ..) => Meaning::CurrentHit,
        (_, true, _) => Meaning::Muted,
        (_, _, true) => Meaning::Text,
        _ => Meaning::Warning,
    };
    let blank = COUNT_CELLS.saturating_sub(words.chars().count());
    trusted_span(format!("{}{words}", " ".repeat(blank)), theme.style_for(meaning))
}

fn lost_and_gained(compared: &ComparisonView) -> (usize, usize) {
    let [a, b] = compared.pair;
    let scores = compared.table.rows.iter().filter_map(|row| row.score_in(a).zip(row.score_in(b)));
    scores.fold((0, 0), |(lost, gained), (a, b)| {
        (lost + usize::from(a < b), gained + usize::from(a > b))
    })
}
