//! The panel below the table: two conditions or agents held against each other, a row a number.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Block, Widget},
};

use crate::{
    session::columns::{Column, Kind, Source},
    views::table::{
        Collection,
        areas::Areas,
        pairs::{Matched, Pairs},
    },
    widgets::{
        line::{fit, own, safe, width_of},
        panel::{put_row, sentence},
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::Better;
use trajview_run::figures;
use trajview_study::{
    Estimate,
    paired::{Tested, Wilcoxon},
};

use super::padded;

/// Cells of each column, and how it stands in them.
const COLUMNS: [(&str, usize, Kind); 10] = [
    ("", 14, Kind::Words),
    ("pairs", 5, Kind::Number),
    ("wins", 4, Kind::Number),
    ("ties", 4, Kind::Number),
    ("losses", 6, Kind::Number),
    ("mean gap", 8, Kind::Number),
    ("p", 6, Kind::Number),
    ("p Holm", 6, Kind::Number),
    ("d", 24, Kind::Words),
    ("test", 0, Kind::Words), // what room is left
];

/// What the numbers are, at the lower edge.
const LEGEND: &str = " wins are the first's · p: Wilcoxon signed-rank, ~ normal · Holm: over what can be better · d: Cohen's [95 % BCa] ";

pub fn draw(table: &Collection, areas: &Areas, theme: Theme, buffer: &mut Buffer) {
    let (Some(area), Some(matched), Some(pairs)) = (areas.pairs, table.matched(), &table.pairs)
    else {
        return;
    };
    let title = fit(title(matched, pairs, theme), usize::from(area.width.saturating_sub(2)));
    let legend = own(LEGEND, theme.of(Meaning::Muted));
    let legend = Line::from(fit(vec![legend], usize::from(area.width.saturating_sub(2))));
    let block = Block::bordered()
        .border_style(theme.of(Meaning::Border))
        .title(Line::from(title))
        .title_bottom(legend.right_aligned());
    let inner = block.inner(area);
    block.render(area, buffer);
    match matched {
        Ok(matched) if !matched.sides.is_empty() => rows(matched, pairs, theme, inner, buffer),
        Ok(_) => {
            let words = "no task was run both ways with a number on both sides";
            sentence(words, theme.of(Meaning::Muted), inner, buffer);
        }
        Err(why) => sentence(why, theme.of(Meaning::Muted), inner, buffer),
    }
}

/// ` paired: single-shot − emergent · 12 pairs of one agent and task · 3 runs in none · P next `
fn title(matched: &Result<Matched, String>, pairs: &Pairs, theme: Theme) -> Vec<Span<'static>> {
    let muted = theme.of(Meaning::Muted);
    let Ok(matched) = matched else { return vec![own(" paired ", theme.of(Meaning::Title))] };
    let (a, b) = (safe(&matched.conditions.a), safe(&matched.conditions.b));
    let other = pairs.factor.other().column().about().word;
    let count = |count: usize, thing: &str| match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    };
    let group = match (&matched.group, matched.groups) {
        (None, 0) => String::new(),
        (Some(one), _) => format!("· {} ", safe(one)),
        (None, groups) => format!("· {} pooled ", count(groups - 1, other)),
    };
    let facts = format!(
        "{group}· {} of one {other} and task · {} in none · P next ",
        count(matched.pairs, "pair"),
        count(matched.alone, "run")
    );
    vec![
        own(" paired: ", muted),
        own(a, theme.of(Meaning::Title)),
        own(" against ", muted),
        own(format!("{b} "), theme.of(Meaning::Title)),
        own(facts, muted),
    ]
}

fn rows(matched: &Matched, pairs: &Pairs, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let heading = theme.of(Meaning::Heading);
    let titles = COLUMNS.map(|(title, ..)| vec![own(title, heading)]);
    put_row(line(titles, area.width), None, area, 0, buffer);
    let results = pairs.results(&matched.sides);
    for (y, (column, sides)) in (1..).zip(&matched.sides) {
        let found = results.and_then(|all| all.iter().find(|tested| tested.metric == *column));
        let line = match (found, results) {
            (Some(tested), _) => line(result(tested, theme), area.width),
            (None, None) => waiting(*column, sides.len(), "…", theme),
            (None, Some(_)) => waiting(*column, sides.len(), "could not be worked out", theme),
        };
        put_row(line, None, area, y, buffer);
    }
}

/// From here on there are two cells between columns.
const ROOMY: u16 = 90;

/// A row's cells.
type Cells = [Vec<Span<'static>>; 10];

fn line(cells: Cells, room: u16) -> Line<'static> {
    let gap = if room < ROOMY { " " } else { "  " };
    let mut spans = vec![Span::raw(" ")];
    for (cell, (_, width, kind)) in cells.into_iter().zip(COLUMNS) {
        let left = usize::from(room).saturating_sub(width_of(&spans));
        spans.extend(padded(cell, if width == 0 { left } else { width.min(left) }, kind));
        spans.push(Span::raw(gap));
    }
    Line::from(spans)
}

fn name(column: Column, theme: Theme) -> Vec<Span<'static>> {
    let about = column.about();
    let name = match about.source {
        Source::Harness => format!("rec. {}", about.title),
        _ => about.title.to_owned(),
    };
    vec![own(name, theme.of(Meaning::Text))]
}

fn waiting(column: Column, count: usize, words: &str, theme: Theme) -> Line<'static> {
    let mut spans = vec![Span::raw(" ")];
    spans.extend(padded(name(column, theme), COLUMNS[0].1, Kind::Words));
    spans.push(own(format!("  {count:>5}  {words}"), theme.of(Meaning::Muted)));
    Line::from(spans)
}

/// Wins are the first side's. Of what is neither better higher nor lower there are arrows instead.
fn result(Tested { metric, paired, holm }: &Tested<Column>, theme: Theme) -> Cells {
    let column = *metric;
    let (text, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let (wins, losses) = match column.better() {
        Better::Higher => (paired.higher.to_string(), paired.lower.to_string()),
        Better::Lower => (paired.lower.to_string(), paired.higher.to_string()),
        Better::Neither => (format!("↑{}", paired.higher), format!("↓{}", paired.lower)),
    };
    let value = |value: Result<String, String>| match value {
        Ok(words) => vec![own(words, text)],
        Err(_) => vec![own(super::cells::MISSING, muted)],
    };
    [
        name(column, theme),
        vec![own(paired.n.to_string(), text)],
        vec![own(wins, text)],
        vec![own(paired.ties.to_string(), text)],
        vec![own(losses, text)],
        value(paired.mean_gap.value.map(|gap| signed(column, gap)).map_err(|why| why.to_string())),
        value(paired.wilcoxon.map(probability).map_err(|why| why.to_string())),
        value(holm.map(|holm| rounded(holm.p)).ok_or_else(String::new)),
        vec![effect(&paired.cohen_d, theme)],
        vec![own(paired.wilcoxon.map_or_else(|why| why.to_string(), |test| test.how()), muted)],
    ]
}

/// `+0.031`, `−2.1k`
fn signed(column: Column, gap: f64) -> String {
    use crate::views::table::values::written;
    let sign = if gap < 0.0 { "−" } else { "+" };
    format!("{sign}{}", written(column, gap.abs()))
}

/// `0.012`, `<0.001`; a sign where it is only near, from a normal distribution.
fn probability(test: Wilcoxon) -> String {
    use trajview_study::paired::Method;
    let sign = if test.method == Method::Exact { "" } else { "~" };
    format!("{sign}{}", rounded(test.p))
}

fn rounded(p: f64) -> String {
    if p < 0.001 { "<0.001".into() } else { figures::share(p) }
}

/// `−0.31 [−0.80, 0.12]`, or why there is none.
fn effect(estimate: &Estimate, theme: Theme) -> Span<'static> {
    let number = figures::share;
    match (estimate.value, estimate.interval) {
        (Ok(value), Ok(interval)) => {
            let words =
                format!("{} [{}, {}]", number(value), number(interval.low), number(interval.high));
            own(words, theme.of(Meaning::Text))
        }
        (Ok(value), Err(_)) => own(number(value), theme.of(Meaning::Text)),
        (Err(why), _) => own(why.to_string(), theme.of(Meaning::Muted)),
    }
}
