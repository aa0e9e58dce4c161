//! The components: both scores with bars, what is between them, and in words.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    views::{
        compare::{Comparison, Part, judging::Speaks},
        verdict::{plain_name, score_meaning},
    },
    widgets::{
        line::{fit, own, recorded, safe, sides, width_of},
        panel::{position, put_row, sentence},
        theme::{Meaning, Theme},
    },
};
use trajview_run::rubric::{FULL, LEVELS};
use trajview_study::compare::{Cell, Row, letter};

use super::{frame, muted, name, shown_runs, side_letter};

pub fn draw(compared: &Comparison, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_focused = compared.part == Part::Components;
    let table = &compared.table;
    let sorted = table.sort.words(compared.pair, compared.subtraction().is_slump);
    let title = vec![name(compared, Part::Components, "components", theme)];
    let below = muted(speaks(compared), theme);
    let inner = frame(is_focused, [title, muted(sorted, theme), below], theme, area, buffer);
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

/// Whose scores these are, where the user chose that; of pooled ones that they stand at the nearest level.
fn speaks(compared: &Comparison) -> String {
    match &compared.speaks {
        Speaks::Chosen => String::new(),
        Speaks::Judge(name) => format!("by {}", safe(name)),
        Speaks::Pooled(pool) => format!("pooled: {}, nearest level", pool.word()),
    }
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
    let delta = row.delta(compared.subtraction());
    let is_equal = delta == Some(0);
    let mut right: Vec<Span> = vec![];
    for run in shown_runs(compared) {
        right.extend(score(row.cells.get(run), is_equal, theme));
    }
    let (words, meaning) = match delta {
        None => ("  –".into(), Meaning::Muted),
        Some(0) => ("  0".into(), Meaning::Muted),
        Some(delta) if delta > 0 => (format!(" +{delta}"), Meaning::of_change(Some(true))),
        Some(delta) => (format!(" −{}", delta.unsigned_abs()), Meaning::of_change(Some(false))),
    };
    right.push(own(words, theme.of(meaning)));
    if width >= ROOM_FOR_WORDS {
        right.push(own(" ", theme.of(Meaning::Text)));
        right.extend(labels(row, compared.pair, is_equal, theme));
    }
    // What is equal is read last.
    let name = if is_equal { Meaning::Muted } else { Meaning::Text };
    let left = vec![
        own(format!("{} ", safe(&row.id)), theme.of(if is_equal { name } else { Meaning::Key })),
        recorded(plain_name(&row.name), theme.of(name)),
    ];
    let left = fit(left, width.saturating_sub(width_of(&right) + 1));
    sides(left, right, width)
}

/// `1 █··· `
fn score(cell: Option<&Cell>, is_equal: bool, theme: Theme) -> Vec<Span<'static>> {
    let muted = theme.of(Meaning::Muted);
    match cell {
        Some(Cell::Score(score)) => {
            let full = usize::from((*score).min(FULL));
            let bar = format!("{}{} ", "█".repeat(full), "·".repeat(usize::from(FULL) - full));
            let [number, meaning] = match is_equal {
                true => [Meaning::Muted; 2],
                false => [Meaning::Text, score_meaning(*score)],
            };
            vec![own(format!("{score} "), theme.of(number)), own(bar, theme.of(meaning))]
        }
        Some(Cell::NotJudged(_)) => vec![own("? ···· ", muted)],
        Some(Cell::NotListed) | None => vec![own("       ", muted)],
    }
}

/// `Wrong → Faithful`, each level in its colour; why there is no such thing.
fn labels(row: &Row, pair: [usize; 2], is_equal: bool, theme: Theme) -> Vec<Span<'static>> {
    let muted = theme.of(Meaning::Muted);
    let level = |score: u8| LEVELS.get(usize::from(score)).copied().unwrap_or_default();
    let colour = |score: u8| theme.of(score_meaning(score));
    let words = match (row.only_in(), pair.map(|run| row.score(run))) {
        (Some(only), _) => vec![own(format!("only in {}", letter(only)), muted)],
        (None, [Some(a), Some(_)]) if is_equal => vec![own(level(a), muted)],
        (None, [Some(a), Some(b)]) => {
            vec![own(level(a), colour(a)), own(" → ", muted), own(level(b), colour(b))]
        }
        (None, [a, b]) => {
            let missing = [(a, pair[0]), (b, pair[1])].into_iter().filter(|(it, _)| it.is_none());
            let missing = missing.map(|(_, run)| letter(run)).collect::<Vec<_>>().join(", ");
            vec![own(format!("not judged in {missing}"), muted)]
        }
    };
    let blank = (WORDS - 1).saturating_sub(width_of(&words));
    words.into_iter().chain([own(" ".repeat(blank), muted)]).collect()
}
