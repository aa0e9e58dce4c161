//! Draws the panel below the table: the comparison of two conditions or agents, with one row for each number.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Block, Widget},
};

use crate::{
    session::columns::{ColumnKind, ColumnSource, RunTableColumn},
    views::table::{
        RunTableView,
        areas::RunTableAreas,
        pairs::{MatchedPairs, PairsPanel},
    },
    widgets::{
        line::{fit_spans, safe_string, spans_width, trusted_span},
        panel::{draw_sentence, put_row},
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::BetterDirection;
use trajview_run::format_number;
use trajview_study::{
    Estimate,
    paired::{TestedMetric, Wilcoxon},
};

use super::padded_spans;

/// Title, cells and kind of each column.
const PAIR_COLUMNS: [(&str, usize, ColumnKind); 10] = [
    ("", 14, ColumnKind::Words),
    ("pairs", 5, ColumnKind::Number),
    ("wins", 4, ColumnKind::Number),
    ("ties", 4, ColumnKind::Number),
    ("losses", 6, ColumnKind::Number),
    ("mean gap", 8, ColumnKind::Number),
    ("p", 6, ColumnKind::Number),
    ("p Holm", 6, ColumnKind::Number),
    ("d", 24, ColumnKind::Words),
    ("test", 0, ColumnKind::Words), // what room is left
];

/// The explanation of the numbers, shown at the lower edge.
const PAIRS_LEGEND: &str = " wins = first condition better · p: Wilcoxon signed-rank, ~ normal · Holm: over what can be better · d: Cohen's [95 % BCa] ";

pub(crate) fn draw_pairs(
    table: &RunTableView,
    areas: &RunTableAreas,
    theme: Theme,
    buffer: &mut Buffer,
) {
    let (Some(area), Some(matched), Some(pairs)) =
        (areas.pairs, table.matched_pairs(), &table.pairs)
    else {
        return;
    };
    let title =
        fit_spans(pairs_title(matched, pairs, theme), usize::from(area.width.saturating_sub(2)));
    let legend = trusted_span(PAIRS_LEGEND, theme.style_for(Meaning::Muted));
    let legend = Line::from(fit_spans(vec![legend], usize::from(area.width.saturating_sub(2))));
    let block = Block::bordered()
        .border_style(theme.style_for(Meaning::Border))
        .title(Line::from(title))
        .title_bottom(legend.right_aligned());
    let inner = block.inner(area);
    block.render(area, buffer);
    match matched {
        Ok(matched) if !matched.sides.is_empty() => {
            draw_pair_rows(matched, pairs, theme, inner, buffer)
        }
        Ok(_) => {
            let words = "no task has a value under both conditions";
            draw_sentence(words, theme.style_for(Meaning::Muted), inner, buffer);
        }
        Err(why) => draw_sentence(why, theme.style_for(Meaning::Muted), inner, buffer),
    }
}

/// Returns ` paired: single-shot − emergent · 12 pairs of one agent and task · 3 runs in none · P next `.
fn pairs_title(
    matched: &Result<MatchedPairs, String>,
    pairs: &PairsPanel,
    theme: Theme,
) -> Vec<Span<'static>> {
    let muted = theme.style_for(Meaning::Muted);
    let Ok(matched) = matched else {
        return vec![trusted_span(" paired ", theme.style_for(Meaning::Title))];
    };
    let (a, b) = (safe_string(&matched.conditions.a), safe_string(&matched.conditions.b));
    let other = pairs.factor.other_factor().factor_column().column_info().word;
    let count = |count: usize, thing: &str| match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    };
    let group = match (&matched.group, matched.groups) {
        (None, 0) => String::new(),
        (Some(one), _) => format!("· {} ", safe_string(one)),
        (None, groups) => format!("· {} pooled ", count(groups - 1, other)),
    };
    let facts = format!(
        "{group}· {} of one {other} and task · {} unpaired · P next ",
        count(matched.pairs, "pair"),
        count(matched.unpaired_runs, "run")
    );
    vec![
        trusted_span(" paired: ", muted),
        trusted_span(a, theme.style_for(Meaning::Title)),
        trusted_span(" against ", muted),
        trusted_span(format!("{b} "), theme.style_for(Meaning::Title)),
        trusted_span(facts, muted),
    ]
}

fn draw_pair_rows(
    matched: &MatchedPairs,
    pairs: &PairsPanel,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let heading = theme.style_for(Meaning::Heading);
    let titles = PAIR_COLUMNS.map(|(title, ..)| vec![trusted_span(title, heading)]);
    put_row(pair_line(titles, area.width), None, area, 0, buffer);
    let results = pairs.results_for(&matched.sides);
    for (y, (column, sides)) in (1..).zip(&matched.sides) {
        let found = results.and_then(|all| all.iter().find(|tested| tested.metric == *column));
        let line = match (found, results) {
            (Some(tested), _) => pair_line(result_cells(tested, theme), area.width),
            (None, None) => waiting_line(*column, sides.len(), "…", theme),
            (None, Some(_)) => waiting_line(*column, sides.len(), "cannot be computed", theme),
        };
        put_row(line, None, area, y, buffer);
    }
}

/// Panel width from which there are two cells between columns.
const ROOMY_WIDTH: u16 = 90;

/// A row's cells.
type PairCells = [Vec<Span<'static>>; 10];

fn pair_line(cells: PairCells, room: u16) -> Line<'static> {
    let gap = if room < ROOMY_WIDTH { " " } else { "  " };
    let mut spans = vec![Span::raw(" ")];
    for (cell, (_, width, kind)) in cells.into_iter().zip(PAIR_COLUMNS) {
        let left = usize::from(room).saturating_sub(spans_width(&spans));
        spans.extend(padded_spans(cell, if width == 0 { left } else { width.min(left) }, kind));
        spans.push(Span::raw(gap));
    }
    Line::from(spans)
}

fn metric_name(column: RunTableColumn, theme: Theme) -> Vec<Span<'static>> {
    let column_info = column.column_info();
    let name = match column_info.source {
        ColumnSource::Harness => format!("rec. {}", column_info.title),
        _ => column_info.title.to_owned(),
    };
    vec![trusted_span(name, theme.style_for(Meaning::Text))]
}

fn waiting_line(column: RunTableColumn, count: usize, words: &str, theme: Theme) -> Line<'static> {
    let mut spans = vec![Span::raw(" ")];
    spans.extend(padded_spans(metric_name(column, theme), PAIR_COLUMNS[0].1, ColumnKind::Words));
    spans.push(trusted_span(format!("  {count:>5}  {words}"), theme.style_for(Meaning::Muted)));
    Line::from(spans)
}

/// Returns wins and losses of the first side, with the other results of a test; of what is neither better higher nor
/// lower there are arrows instead.
fn result_cells(
    TestedMetric { metric, paired, holm }: &TestedMetric<RunTableColumn>,
    theme: Theme,
) -> PairCells {
    let column = *metric;
    let (text, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let (wins, losses) = match column.better_direction() {
        BetterDirection::Higher => (paired.higher.to_string(), paired.lower.to_string()),
        BetterDirection::Lower => (paired.lower.to_string(), paired.higher.to_string()),
        BetterDirection::Neither => (format!("↑{}", paired.higher), format!("↓{}", paired.lower)),
    };
    let value = |value: Result<String, String>| match value {
        Ok(words) => vec![trusted_span(words, text)],
        Err(_) => vec![trusted_span(format_number::MISSING_SIGN, muted)],
    };
    [
        metric_name(column, theme),
        vec![trusted_span(paired.n.to_string(), text)],
        vec![trusted_span(wins, text)],
        vec![trusted_span(paired.ties.to_string(), text)],
        vec![trusted_span(losses, text)],
        value(
            paired.mean_gap.value.map(|gap| signed_gap(column, gap)).map_err(|why| why.to_string()),
        ),
        value(paired.wilcoxon.map(probability_text).map_err(|why| why.to_string())),
        value(holm.map(|holm| rounded_probability(holm.p)).ok_or_else(String::new)),
        vec![effect_span(&paired.cohen_d, theme)],
        vec![trusted_span(
            paired.wilcoxon.map_or_else(|why| why.to_string(), |test| test.method_details()),
            muted,
        )],
    ]
}

/// Returns `+0.031`, `−2.1k`.
fn signed_gap(column: RunTableColumn, gap: f64) -> String {
    use crate::views::table::values::column_value_text;
    let sign = if gap < 0.0 { "−" } else { "+" };
    format!("{sign}{}", column_value_text(column, gap.abs()))
}

/// Returns `0.012`, `<0.001`; a sign where it is only near, from a normal distribution.
fn probability_text(test: Wilcoxon) -> String {
    use trajview_study::paired::PValueMethod;
    let sign = if test.method == PValueMethod::Exact { "" } else { "~" };
    format!("{sign}{}", rounded_probability(test.p))
}

fn rounded_probability(p: f64) -> String {
    if p < 0.001 { "<0.001".into() } else { format_number::three_decimals(p) }
}

/// Returns `−0.31 [−0.80, 0.12]`, or why there is none.
fn effect_span(estimate: &Estimate, theme: Theme) -> Span<'static> {
    let number = format_number::three_decimals;
    match (estimate.value, estimate.interval) {
        (Ok(value), Ok(interval)) => {
            let words =
                format!("{} [{}, {}]", number(value), number(interval.low), number(interval.high));
            trusted_span(words, theme.style_for(Meaning::Text))
        }
        (Ok(value), Err(_)) => trusted_span(number(value), theme.style_for(Meaning::Text)),
        (Err(why), _) => trusted_span(why.to_string(), theme.style_for(Meaning::Muted)),
    }
}
