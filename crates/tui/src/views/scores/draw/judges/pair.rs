//! Two judgements held against each other: how far they agree, and where they differ.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::scores::{
        Scores,
        judges::{Part, Side, areas::SUMS, pair, rows::Row},
    },
    widgets::{
        line::{fit, own, safe, sides},
        panel::{position, put_row, sentence, titled},
        theme::{Meaning, Theme},
    },
};
use trajview_run::figures;
use trajview_study::{Coefficient, Estimate, Interval, agreement::trust};

use super::{cell, looks, name};

/// Cells of an id and of a score.
const ID: usize = 5;
const SCORE: usize = 4;

pub fn draw(view: &Scores, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let judges = &view.judges;
    let is_focused = judges.part == Part::Pair;
    let [first, second] = Side::ALL.map(|side| view.judges.side_column(session, side));
    let (Some(first), Some(second)) = (first, second) else { return };
    let kind = pair::kind(&first, &second);
    let is_other_state = first.state != second.state;
    let code = if is_other_state { ", of other code" } else { "" };
    let title = Line::from(vec![name(is_focused, &format!("{kind}{code}"), theme)]);
    let titles = [title, Line::default(), Line::default()];
    let inner = titled(is_focused, titles, theme, area, buffer);
    let width = usize::from(inner.width);
    let mut sums: Vec<Vec<Span<'static>>> = vec![];
    for (side, column) in Side::ALL.into_iter().zip([&first, &second]) {
        sums.push(vec![
            own(format!("{} ", side.letter()), theme.of(Meaning::Key)),
            own(safe(&column.words()), theme.of(Meaning::Text)),
        ]);
    }
    sums.extend(measures(view, theme));
    let rows = view.judges.differing(session);
    for (y, spans) in sums.into_iter().take(usize::from(SUMS) - 1).enumerate() {
        put_row(Line::from(fit(spans, width)), None, inner, y as u16, buffer);
    }
    let words = differ(view, rows.len());
    let heads = if rows.is_empty() { "" } else { "a   b   b−a" };
    let left = vec![own(words, theme.of(Meaning::Heading))];
    let right = vec![own(heads, theme.of(Meaning::Muted))];
    put_row(sides(left, right, width), None, inner, SUMS - 1, buffer);
    let below = Rect { y: inner.y + SUMS, height: inner.height.saturating_sub(SUMS), ..inner };
    if rows.is_empty() {
        return sentence(why_none(view), theme.of(Meaning::Muted), below, buffer);
    }
    let chosen = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let scroll = judges.differing;
    let seen = rows.iter().enumerate().skip(scroll.top).take(usize::from(below.height));
    for (index, row) in seen {
        let is_here = Some(row.id.as_str()) == view.judges.judges_component();
        let line = row_of(view, session, row, width, theme);
        put_row(line, is_here.then_some(chosen), below, (index - scroll.top) as u16, buffer);
    }
    let body = Rect { y: area.y + SUMS, height: area.height.saturating_sub(SUMS), ..area };
    position(scroll.top, rows.len(), theme, body, buffer);
}

/// Five rows: how many pairs, three measures with their intervals, base rates.
fn measures(view: &Scores, theme: Theme) -> Vec<Vec<Span<'static>>> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let Some(measured) = view.judges.pair_measured() else { return vec![] };
    let mut rows = vec![];
    for (coefficient, estimate) in &measured.estimates {
        let label = match coefficient {
            Coefficient::Exact => "exact",
            Coefficient::Within1 => "within 1",
            _ => "kappa (quadr.)",
        };
        let mut words = said(estimate);
        let is_doubted = trust::SQUARING.contains(coefficient) && estimate.interval.is_ok();
        if is_doubted && measured.doubt.is_some() {
            words += "  may be too narrow";
        }
        rows.push(vec![own(format!("{label:<15}"), muted), own(words, plain)]);
    }
    let [first, second] = &measured.base_rates;
    let rates = |rates: &[f64]| {
        let shares: Vec<String> = rates.iter().map(|it| figures::percent(*it)).collect();
        shares.join("  ")
    };
    if !first.is_empty() {
        for (letter, all) in [("a", first), ("b", second)] {
            rows.push(vec![
                own(format!("{:<15}", format!("levels of {letter}")), muted),
                own(format!("{} for 0 to 4", rates(all)), plain),
            ]);
        }
    }
    rows
}

/// `0.771  95 % [0.632, 0.881]`
fn said(estimate: &Estimate) -> String {
    match (estimate.value, estimate.interval) {
        (Ok(value), Ok(Interval { low, high })) => {
            format!("{}  95 % {}", figures::share(value), figures::interval(low, high))
        }
        (Ok(value), Err(_)) => figures::share(value),
        (Err(why), _) => format!("not defined: {why}"),
    }
}

/// `they differ on 4 of 24`
fn differ(view: &Scores, count: usize) -> String {
    let n = view.judges.pair_measured().map_or(0, |it| it.n);
    match (n, count) {
        (0, _) => "they have scored nothing in common".into(),
        (n, 0) => format!("they agree on all {n}"),
        (n, count) => format!("they differ on {count} of {n}"),
    }
}

fn why_none(view: &Scores) -> &'static str {
    match view.judges.pair_measured() {
        Some(measured) if measured.n > 0 => "every score that both gave is the same",
        _ => "choose two others with a and b, or go through them with x",
    }
}

/// `C05  Time embedding      4   1   −3`
fn row_of(
    view: &Scores,
    session: &Session,
    row: &Row,
    width: usize,
    theme: Theme,
) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let gap = row.gap.unwrap_or_default();
    let by = match gap {
        gap if gap < 0 => format!("−{}", gap.unsigned_abs()),
        gap => format!("+{gap}"),
    };
    let columns = view.judges.judge_columns(session);
    let scores = Side::ALL.map(|side| {
        let file = view.judges.side_column(session, side)?.file;
        let at = columns.iter().position(|column| column.file == file)?;
        row.cells.get(at)?.score()
    });
    let named = if row.name.is_empty() { "not in the checklist" } else { &row.name };
    let room = width.saturating_sub(ID + 2 * SCORE + 4);
    let mut spans =
        vec![own(cell(&safe(&row.id), ID), muted), own(cell(&safe(named), room), plain)];
    for score in scores.into_iter().flatten() {
        spans.push(own(cell(&score.to_string(), SCORE), looks(score, theme)));
    }
    spans.push(own(by, plain));
    Line::from(fit(spans, width))
}
