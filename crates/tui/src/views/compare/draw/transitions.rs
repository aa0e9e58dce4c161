//! From which score to which: the 5x5 table, with the chosen component's cell marked.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    views::compare::Comparison,
    widgets::{
        line::own,
        panel::{put_row, sentence},
        theme::{Meaning, Theme},
    },
};
use trajview_run::rubric::LEVELS;
use trajview_study::compare::letter;

use super::{frame, muted};

/// Cells of a row's name and of a count.
const LABEL: usize = 14;
const COUNT: usize = 5;

pub fn draw(compared: &Comparison, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let [a, b] = compared.pair.map(letter);
    let transitions = compared.transitions();
    let title = vec![own(format!(" {a} in rows, {b} in columns "), theme.of(Meaning::Text))];
    let below = muted("[ ] the chosen one  = the same", theme);
    let inner = frame(false, [title, vec![], below], theme, area, buffer);
    if transitions.n == 0 {
        let words = "no component is judged in both runs";
        return sentence(words, theme.of(Meaning::Muted), inner, buffer);
    }
    put_row(head(theme), None, inner, 0, buffer);
    let chosen = chosen(compared);
    for (score, counts) in transitions.counts.iter().enumerate() {
        let line = row(score, counts, chosen, theme);
        put_row(line, None, inner, score as u16 + 1, buffer);
    }
    let (lost, gained) = lost_and_gained(compared);
    let words = [
        format!("{} judged in both, {} the same", transitions.n, transitions.equal()),
        format!("{lost} lower in {a}, {gained} lower in {b}"),
    ];
    for (y, words) in (7..).zip(words) {
        put_row(Line::styled(words, theme.of(Meaning::Muted)), None, inner, y, buffer);
    }
}

fn head(theme: Theme) -> Line<'static> {
    let scores = (0..LEVELS.len()).map(|score| format!("{score:>COUNT$}")).collect::<String>();
    Line::styled(format!("{}{scores}", " ".repeat(LABEL)), theme.of(Meaning::Muted))
}

/// Both scores of the chosen component.
fn chosen(compared: &Comparison) -> Option<(usize, usize)> {
    let row = compared.table.selected()?;
    let [a, b] = compared.pair.map(|run| row.score(run).map(usize::from));
    a.zip(b)
}

fn row(
    score: usize,
    counts: &[usize; 5],
    chosen: Option<(usize, usize)>,
    theme: Theme,
) -> Line<'static> {
    let label = format!("{score} {}", LEVELS[score]);
    let mut spans = vec![own(format!("{label:<LABEL$}"), theme.of(Meaning::Text))];
    for (other, count) in counts.iter().enumerate() {
        spans.push(cell((score, other), *count, chosen, theme));
    }
    Line::from(spans)
}

/// `  =14` on the diagonal, `  [2]` where the chosen component stands.
fn cell(
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
    let blank = COUNT.saturating_sub(words.chars().count());
    own(format!("{}{words}", " ".repeat(blank)), theme.of(meaning))
}

fn lost_and_gained(compared: &Comparison) -> (usize, usize) {
    let [a, b] = compared.pair;
    let scores = compared.table.rows.iter().filter_map(|row| row.score(a).zip(row.score(b)));
    scores.fold((0, 0), |(lost, gained), (a, b)| {
        (lost + usize::from(a < b), gained + usize::from(a > b))
    })
}
