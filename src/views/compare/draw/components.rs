//! The components: both scores with bars, what is between them, and in words.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    run::rubric::{FULL, LEVELS},
    study::compare::{Cell, Row, letter},
    views::compare::{Comparison, Part},
    widgets::{
        line::{fit, own, recorded, safe, sides, width_of},
        panel::{position, put_row, sentence},
        theme::{Meaning, Theme},
    },
};

use super::{frame, muted, name, shown_runs, side_letter};

pub fn draw(compared: &Comparison, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_focused = compared.part == Part::Components;
    let table = &compared.table;
    let sorted = table.sort.words(compared.pair, compared.subtraction().is_slump);
    let title = vec![name(compared, Part::Components, "components", theme)];
    let inner = frame(is_focused, [title, muted(sorted, theme), vec![]], theme, area, buffer);
    if table.rows.is_empty() {
        let words = "neither run has a checklist of components";
        return sentence(words, theme.of(Meaning::Muted), inner, buffer);
    }
    let width = usize::from(inner.width);
    put_row(head(compared, theme, width), None, inner, 0, buffer);
    let height = usize::from(inner.height.saturating_sub(1));
    let seen = table.order.iter().enumerate().skip(table.scroll.top).take(height);
    for (y, (at, index)) in (1..).zip(seen) {
        let chosen = (at == table.scroll.cursor)
            .then(|| theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked }));
        put_row(row(compared, &table.rows[*index], theme, width), chosen, inner, y, buffer);
    }
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    position(table.scroll.top, table.order.len(), theme, below, buffer);
}

/// Cells of a score with its bar.
const SCORE: usize = 7;

/// From here on the difference is said in words too.
const ROOM_FOR_WORDS: usize = 72;

const WORDS: usize = 25;

fn head(compared: &Comparison, theme: Theme, width: usize) -> Line<'static> {
    let mut right = vec![];
    for run in shown_runs(compared) {
        let side = compared.pair.iter().position(|it| *it == run);
        let word = side.map_or_else(
            || own(format!(" {}", letter(run)), theme.of(Meaning::Muted)),
            |side| side_letter(compared, side, theme),
        );
        let blank = SCORE - width_of(std::slice::from_ref(&word));
        right.extend([word, own(" ".repeat(blank), theme.of(Meaning::Muted))]);
    }
    right.push(own(" by", theme.of(Meaning::Muted)));
    if width >= ROOM_FOR_WORDS {
        right.push(own(" ".repeat(WORDS), theme.of(Meaning::Muted)));
    }
    sides(vec![], right, width)
}

/// `C10 Cosine noise schedule   1 █░░░  4 ████  +3  Wrong → Faithful`
fn row(compared: &Comparison, row: &Row, theme: Theme, width: usize) -> Line<'static> {
    let mut right: Vec<Span> = vec![];
    for run in shown_runs(compared) {
        right.push(score(row.cells.get(run), theme));
    }
    let delta = row.delta(compared.subtraction());
    let (words, meaning) = match delta {
        None => ("  –".into(), Meaning::Muted),
        Some(0) => ("  0".into(), Meaning::Muted),
        Some(delta) if delta > 0 => (format!(" +{delta}"), Meaning::Removed),
        Some(delta) => (format!(" −{}", delta.unsigned_abs()), Meaning::Added),
    };
    right.push(own(words, theme.of(meaning)));
    if width >= ROOM_FOR_WORDS {
        let words = labels(row, compared.pair);
        let words = format!(" {words:<0$}", WORDS - 1);
        right.push(own(words, theme.of(Meaning::Muted)));
    }
    let left = vec![
        own(format!("{} ", safe(&row.id)), theme.of(Meaning::Key)),
        recorded(&row.name, theme.of(Meaning::Text)),
    ];
    let left = fit(left, width.saturating_sub(width_of(&right) + 1));
    sides(left, right, width)
}

/// `1 █░░░ `
fn score(cell: Option<&Cell>, theme: Theme) -> Span<'static> {
    let words = match cell {
        Some(Cell::Score(score)) => {
            let score = usize::from((*score).min(FULL));
            let rest = usize::from(FULL) - score;
            format!("{score} {}{} ", "█".repeat(score), "░".repeat(rest))
        }
        Some(Cell::NotJudged(_)) => "? ···· ".into(),
        Some(Cell::NotListed) | None => "       ".into(),
    };
    let meaning = if matches!(cell, Some(Cell::Score(_))) { Meaning::Text } else { Meaning::Muted };
    own(words, theme.of(meaning))
}

/// `Wrong → Faithful`; why there is no such thing.
fn labels(row: &Row, pair: [usize; 2]) -> String {
    if let Some(only) = row.only_in() {
        return format!("only in {}", letter(only));
    }
    let label = |run| row.score(run).and_then(|score| LEVELS.get(usize::from(score)));
    match pair.map(label) {
        [Some(a), Some(b)] if a == b => (*a).to_owned(),
        [Some(a), Some(b)] => format!("{a} → {b}"),
        [a, b] => {
            let missing = [(a, pair[0]), (b, pair[1])].into_iter().filter(|(it, _)| it.is_none());
            let missing = missing.map(|(_, run)| letter(run)).collect::<Vec<_>>().join(", ");
            format!("not judged in {missing}")
        }
    }
}
