//! Every number of two runs and the difference. More runs are drawn by [`many_numbers`].

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::code_measures::RulerName,
    views::compare::{ComparePart, ComparisonView, verdict_source::judgement_name},
    widgets::{
        line::{fit_spans, left_and_right, safe_string, trusted_span},
        panel::put_row,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::{
    Number,
    numbers::{NumberInput, NumberStyle},
};
use trajview_run::{format_number, rubric::Judgement};
use trajview_study::compare::{NumberOutcome, run_letter, turns_done_at_judgement};

use super::{draw_frame, many_numbers, muted_spans, no_value, part_name_span, side_letter};

/// Cells of a number's name, of each run, of the difference.
const LABEL_CELLS: usize = 19;
const VALUE_CELLS: usize = 11;

/// The name of the row of corrected means.
pub(super) const CORRECTED_LABEL: &str = "MCF, corrected";

/// Cells of a value with an earlier value behind it, and of the earlier value, brackets included.
const VALUE_CELLS_BEFORE_BRACKETS: usize = 9;
const EARLIER_VALUE_CELLS: usize = 9;

pub fn draw(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if compared.paths.len() > 2 {
        return many_numbers::draw(compared, theme, area, buffer);
    }
    let by = compared.subtraction();
    let title = vec![part_name_span(compared, ComparePart::Numbers, "numbers", theme)];
    let says = muted_spans(by.display_text(), theme);
    let below = muted_spans(measured_by_text(compared), theme);
    let is_focused = compared.part == ComparePart::Numbers;
    let inner = draw_frame(is_focused, [title, says, below], theme, area, buffer);
    let width = usize::from(inner.width);
    put_row(head_line(compared, theme, width), None, inner, 0, buffer);
    let height = usize::from(inner.height.saturating_sub(1));
    let numbers = compared.compared_numbers();
    let chosen = compared.number_row(&numbers);
    let (top, _) = compared.numbers_top(height);
    for (y, (at, number)) in (1..).zip(numbers.iter().enumerate().skip(top).take(height)) {
        let style = (at == chosen).then(|| theme.chosen_row(is_focused));
        put_row(number_line(compared, *number, theme, width), style, inner, y, buffer);
    }
}

/// Returns `profile trajview · judged by authors-reading, a at turn 56, b at turn 1`.
pub(super) fn measured_by_text(compared: &ComparisonView) -> String {
    let profile = compared.measures.ruler.as_ref().map(RulerName::display_text);
    let judged = judges_text(compared);
    let before = compared.measures.before.as_ref();
    let now = compared.measures.ruler.as_ref();
    let before =
        before.map(|(ruler, _)| format!("in brackets {}", safe_string(&ruler.name_beside(now))));
    let [a, b] = compared.pair;
    let corrected = [a, b].into_iter().filter(|_| compared.shows_corrected());
    let corrected = corrected
        .filter_map(|run| Some(format!("{} {}", run_letter(run), compared.correction_text(run)?)));
    let facts = corrected.chain(profile).chain(before).chain(judged);
    facts.collect::<Vec<_>>().join(" · ")
}

fn judges_text(compared: &ComparisonView) -> Option<String> {
    let judged = compared.pair.into_iter().filter_map(|run| {
        let party = compared.all_parties().get(run)?;
        let judgement = party.judgement()?;
        Some((run, judgement, turns_done_at_judgement(&party.run, judgement)))
    });
    let judged: Vec<(usize, &Judgement, usize)> = judged.collect();
    let (_, first, _) = judged.first()?;
    let is_one = judged.iter().all(|(_, it, _)| judgement_name(it) == judgement_name(first));
    let place = |(run, it, done): &(usize, &Judgement, usize)| {
        let by = if is_one {
            String::new()
        } else {
            format!(" by {}", safe_string(&judgement_name(it)))
        };
        format!("{} at turn {done}{by}", run_letter(*run))
    };
    let places = judged.iter().map(place).collect::<Vec<_>>().join(", ");
    Some(match is_one {
        true => format!("judged by {}, {places}", safe_string(&judgement_name(first))),
        false => format!("judged {places}"),
    })
}

fn head_line(compared: &ComparisonView, theme: Theme, width: usize) -> Line<'static> {
    let mut spans = vec![trusted_span(" ".repeat(LABEL_CELLS), theme.style_for(Meaning::Muted))];
    for side in 0..2 {
        spans.push(trusted_span(
            " ".repeat(value_width(compared) - 2),
            theme.style_for(Meaning::Muted),
        ));
        spans.push(side_letter(compared, side, theme));
        let before = if compared.measures.before.is_some() { EARLIER_VALUE_CELLS } else { 0 };
        spans.push(trusted_span(" ".repeat(before), theme.style_for(Meaning::Muted)));
    }
    spans.push(trusted_span("   difference", theme.style_for(Meaning::Muted)));
    if has_room_for_intervals(compared, width) {
        spans.push(trusted_span(
            format!("{:<INTERVAL_CELLS$}", "  95 % BCa"),
            theme.style_for(Meaning::Muted),
        ));
    }
    Line::from(spans)
}

/// Returns `erosion    0.4453  0.0000   −0.4453  ▼ b is better`.
fn number_line(
    compared: &ComparisonView,
    number: Number,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    if number == Number::Mcf && compared.shows_corrected() {
        return corrected_line(compared, theme, width);
    }
    let label = number.label();
    let mut left =
        vec![trusted_span(format!("{label:<LABEL_CELLS$}"), theme.style_for(Meaning::Text))];
    // A longer name takes blanks of the first value.
    let mut taken = text::width(label).saturating_sub(LABEL_CELLS);
    for run in compared.pair {
        let Some(party) = compared.all_parties().get(run) else { continue };
        let value = party.final_value(number);
        let end = party.run.end_in_turns();
        let words = match value {
            Some(value) => number.format_value(value, NumberStyle::Full),
            None if number.is_measured() => no_value(compared, party, end).into(),
            None => why_no_value(number).into(),
        };
        let meaning = if value.is_some() { Meaning::Text } else { Meaning::Muted };
        let cells = value_width(compared).saturating_sub(std::mem::take(&mut taken));
        left.push(trusted_span(format!("{words:>cells$}"), theme.style_for(meaning)));
        left.push(trusted_span(
            earlier_value_text(compared, run, number),
            theme.style_for(Meaning::Muted),
        ));
    }
    let Some(pair) = compared.compared_parties() else { return Line::from(left) };
    let outcome = NumberOutcome::at_end(number, pair, compared.subtraction());
    let delta = outcome.delta.map(|delta| number.format_difference(delta)).unwrap_or_default();
    let gains = outcome.delta.and_then(|delta| number.better().is_gain(delta));
    left.push(trusted_span(format!("{delta:>13}"), theme.style_for(Meaning::for_change(gains))));
    left.extend(interval_span(compared, number, theme, width));
    left.push(better_span(&outcome, theme));
    left_and_right(fit_spans(left, width), vec![], width)
}

/// Returns `MCF, corrected   2.88 ±0.52   3.01 ±0.44   +0.13 ±0.61`: who is better only where the interval lacks 0.
fn corrected_line(compared: &ComparisonView, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let mut left = vec![trusted_span(format!("{:<LABEL_CELLS$}", CORRECTED_LABEL), plain)];
    for run in compared.pair {
        let mean = compared.corrected_mean(run);
        let cells = value_width(compared);
        let words = mean.map_or_else(
            || format_number::MISSING_SIGN.to_owned(),
            |mean| {
                if cells >= VALUE_CELLS {
                    mean.short_text()
                } else {
                    format_number::with_decimals(mean.value, 2)
                }
            },
        );
        let style = if mean.is_some() { plain } else { muted };
        left.push(trusted_span(format!("{words:>cells$}"), style));
        if compared.measures.before.is_some() {
            left.push(trusted_span(" ".repeat(EARLIER_VALUE_CELLS), muted));
        }
    }
    let Some(mean) = compared.corrected_difference() else {
        return left_and_right(fit_spans(left, width), vec![], width);
    };
    let by = compared.subtraction();
    let better = match (mean.interval.low > 0.0, mean.interval.high < 0.0) {
        (true, _) => Some(by.from),
        (_, true) => Some(by.subtracted),
        _ => None,
    };
    let gains = better.map(|run| run == by.from);
    let sign = if mean.value < 0.0 { "−" } else { "+" };
    let words = mean.short_text();
    let words = format!("{sign}{}", words.trim_start_matches('-'));
    left.push(trusted_span(format!("{words:>13}"), theme.style_for(Meaning::for_change(gains))));
    if has_room_for_intervals(compared, width) {
        let ends = mean.interval;
        let words = format!("  {}", format_number::interval_text(ends.low, ends.high));
        left.push(trusted_span(format!("{words:<INTERVAL_CELLS$}"), muted));
    }
    left.extend(better.map(|run| trusted_span(format!("  {} better", run_letter(run)), plain)));
    left_and_right(fit_spans(left, width), vec![], width)
}

/// Cells of the interval of a difference, and of a difference with who is better.
const INTERVAL_CELLS: usize = 18;
const DIFFERENCE_CELLS: usize = 23;

fn has_room_for_intervals(compared: &ComparisonView, width: usize) -> bool {
    let before = if compared.measures.before.is_some() { EARLIER_VALUE_CELLS } else { 0 };
    let values = compared.paths.len() * (value_width(compared) + before);
    width >= LABEL_CELLS + values + DIFFERENCE_CELLS + INTERVAL_CELLS
}

/// Returns `  [0.333, 1.208]`; blank where there is none, None where it does not fit.
fn interval_span(
    compared: &ComparisonView,
    number: Number,
    theme: Theme,
    width: usize,
) -> Option<Span<'static>> {
    let found = compared.intervals.estimates.iter().find(|it| it.number == number);
    let words = found.and_then(|it| it.difference.interval.ok());
    let words = words.map(|it| format!("  {}", format_number::interval_text(it.low, it.high)));
    let words = words.unwrap_or_default();
    has_room_for_intervals(compared, width)
        .then(|| trusted_span(format!("{words:<INTERVAL_CELLS$}"), theme.style_for(Meaning::Muted)))
}

/// Returns the width in cells of the value of a run.
const fn value_width(compared: &ComparisonView) -> usize {
    if compared.measures.before.is_some() { VALUE_CELLS_BEFORE_BRACKETS } else { VALUE_CELLS }
}

/// Returns `   (0.4471)`: the value with the earlier profile or rules; empty where nothing was measured with others.
fn earlier_value_text(compared: &ComparisonView, run: usize, number: Number) -> String {
    let Some((_, parties)) = &compared.measures.before else { return String::new() };
    let party = parties.get(run).filter(|_| number.is_of_profile());
    let value = party.and_then(|party| party.final_value(number));
    let said = value.map(|value| format!("({})", number.format_value(value, NumberStyle::Full)));
    let said = said.unwrap_or_default();
    format!("{said:>EARLIER_VALUE_CELLS$}")
}

/// Returns the reason why a number is missing.
fn why_no_value(number: Number) -> &'static str {
    match number.row().input {
        NumberInput::Judgement(_) => "not judged",
        NumberInput::Reuse(_) => "none",
        NumberInput::Code(_)
        | NumberInput::Exposure(_)
        | NumberInput::Tests(_)
        | NumberInput::Counted(_)
        | NumberInput::Spent(_)
        | NumberInput::Process(_)
        | NumberInput::RubricTree(_)
        | NumberInput::Raters
        | NumberInput::Runs => format_number::MISSING_SIGN,
    }
}

fn better_span(outcome: &NumberOutcome, theme: Theme) -> Span<'static> {
    match outcome.better {
        None => trusted_span("", theme.style_for(Meaning::Text)),
        Some(run) => {
            trusted_span(format!("  {} better", run_letter(run)), theme.style_for(Meaning::Text))
        }
    }
}
