//! Draws the results of the harness and every number of more than two runs: the base first, each other run with its
//! difference to the base.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    views::compare::{ComparePart, ComparisonView},
    widgets::{
        line::{fit_spans, padded_spans, safe_string, spans_width, trusted_span},
        panel::put_row,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::{BetterDirection, Number, numbers::NumberStyle};
use trajview_run::format_number::{self, signed_three_decimals};
use trajview_study::compare::{ComparedResult, base_differences, result_rows, run_letter};

use super::{
    draw_frame, muted_spans, no_value,
    numbers::{CORRECTED_LABEL, measured_by_text},
    part_name_span, run_head,
};

/// Cells of a value, and of its difference to the base.
const VALUE_CELLS: usize = 10;
const DIFFERENCE_CELLS: usize = 9;

/// Cells of the sign of a better difference, its blank included.
const BETTER_CELLS: usize = 7;

/// Cells of a number's name.
const LABEL_CELLS: usize = 17;

/// A row: the text of each run with its difference to the base.
struct NumberRow {
    label: String,
    better: BetterDirection,
    /// One a run; None where there is no value.
    values: Vec<Option<String>>,
    /// The text of a missing value.
    missing: Vec<&'static str>,
    differences: Vec<Option<(f64, String)>>,
}

pub(super) fn draw(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let title = vec![part_name_span(compared, ComparePart::Numbers, "numbers", theme)];
    let width = usize::from(area.width.saturating_sub(2));
    let columns = compared.run_columns(column_room(width));
    let base = run_letter(compared.base);
    let hidden = columns.hidden_text();
    let hidden = if hidden.is_empty() { hidden } else { format!("  {hidden}") };
    let right = muted_spans(format!("each run − {base}{hidden}"), theme);
    let below = muted_spans(measured_by_text(compared), theme);
    let is_focused = compared.part == ComparePart::Numbers;
    let inner = draw_frame(is_focused, [title, right, below], theme, area, buffer);
    put_row(head_line(compared, &columns.runs, theme), None, inner, 0, buffer);
    let numbers = compared.compared_numbers();
    let results = result_rows(compared.all_parties());
    let rows: Vec<NumberRow> = results
        .iter()
        .map(|result| result_row(result, compared.base))
        .chain(numbers.iter().map(|number| number_row(compared, *number)))
        .collect();
    let chosen = results.len() + compared.number_row(&numbers);
    let height = usize::from(inner.height.saturating_sub(1));
    let (top, _) = compared.numbers_top(height);
    for (y, (at, row)) in (1..).zip(rows.iter().enumerate().skip(top).take(height)) {
        let style = (at == chosen).then(|| theme.chosen_row(is_focused));
        put_row(row_line(compared, row, &columns.runs, theme), style, inner, y, buffer);
    }
}

/// Returns how many columns fit beside the base.
pub(super) fn column_room(width: usize) -> usize {
    let room = width.saturating_sub(LABEL_CELLS + VALUE_CELLS + BETTER_CELLS);
    room / (VALUE_CELLS + DIFFERENCE_CELLS)
}

fn head_line(compared: &ComparisonView, runs: &[usize], theme: Theme) -> Line<'static> {
    let muted = theme.style_for(Meaning::Muted);
    let mut spans = vec![trusted_span(" ".repeat(LABEL_CELLS), muted)];
    for run in runs {
        spans.push(trusted_span(" ".repeat(VALUE_CELLS - 2), muted));
        spans.push(run_head(compared, *run, theme));
        if *run != compared.base {
            spans.push(trusted_span(format!("{:>DIFFERENCE_CELLS$}", "diff."), muted));
        }
    }
    spans.push(trusted_span(format!("{:>BETTER_CELLS$}", "better"), muted));
    Line::from(spans)
}

fn result_row(result: &ComparedResult, base: usize) -> NumberRow {
    let signed = |by: f64| (by, signed_three_decimals(by));
    NumberRow {
        label: result.name.clone(),
        better: result.better,
        values: result.cells.iter().map(|cell| cell.display_text()).collect(),
        missing: vec![format_number::MISSING_SIGN; result.cells.len()],
        differences: result.differences(base).into_iter().map(|by| by.map(signed)).collect(),
    }
}

fn number_row(compared: &ComparisonView, number: Number) -> NumberRow {
    let all = compared.all_parties();
    if number == Number::Mcf && compared.shows_corrected() {
        return corrected_row(compared);
    }
    let values: Vec<Option<f64>> = all.iter().map(|party| party.final_value(number)).collect();
    let text = |value: &Option<f64>| {
        let full = number.format_value((*value)?, NumberStyle::Full);
        Some(match text::width(&full) < VALUE_CELLS {
            true => full,
            false => number.format_value((*value)?, NumberStyle::Short),
        })
    };
    let missing = all.iter().map(|party| match number.is_measured() {
        true => no_value(compared, party, party.run.end_in_turns()),
        false => format_number::MISSING_SIGN,
    });
    let signed = |by: f64| {
        let full = number.format_difference(by);
        if text::width(&full) < DIFFERENCE_CELLS {
            return (by, full);
        }
        // A number that is cut would be another number.
        (by, number.format_change(by, NumberStyle::Short).unwrap_or(full))
    };
    let differences = base_differences(&values, compared.base);
    NumberRow {
        label: number.label().to_owned(),
        better: number.better(),
        values: values.iter().map(text).collect(),
        missing: missing.collect(),
        differences: differences.into_iter().map(|by| by.map(signed)).collect(),
    }
}

/// Returns the row of the MCFs that labels correct. No run is better: the differences have no intervals here.
fn corrected_row(compared: &ComparisonView) -> NumberRow {
    let runs = 0..compared.all_parties().len();
    let values: Vec<Option<f64>> =
        runs.clone().map(|run| Some(compared.corrected_mean(run)?.value)).collect();
    let differences = base_differences(&values, compared.base);
    NumberRow {
        label: CORRECTED_LABEL.to_owned(),
        better: BetterDirection::Neither,
        values: values
            .iter()
            .map(|it| it.map(|value| format_number::with_decimals(value, 2)))
            .collect(),
        missing: runs.map(|_| format_number::MISSING_SIGN).collect(),
        differences: differences
            .into_iter()
            .map(|by| by.map(|by| (by, signed_three_decimals(by))))
            .collect(),
    }
}

/// Returns `erosion    0.445    0.000    −0.445       −`: the last sign is that of a better difference.
fn row_line(
    compared: &ComparisonView,
    row: &NumberRow,
    runs: &[usize],
    theme: Theme,
) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let label = safe_string(&row.label);
    // A longer name takes blanks of the first value.
    let of_value = row.values[compared.base].as_deref().map_or(1, text::width);
    let longest = LABEL_CELLS + VALUE_CELLS.saturating_sub(of_value + 1);
    let label_cells = (text::width(&label) + 1).clamp(LABEL_CELLS, longest);
    let mut spans = padded_spans(vec![trusted_span(label, plain)], label_cells);
    for run in runs {
        let taken = if *run == compared.base { label_cells - LABEL_CELLS } else { 0 };
        spans.extend(match &row.values[*run] {
            Some(value) => {
                right_spans(trusted_span(safe_string(value), plain), VALUE_CELLS - taken)
            }
            None => right_spans(trusted_span(row.missing[*run], muted), VALUE_CELLS - taken),
        });
        if *run == compared.base {
            continue;
        }
        let (words, meaning) = match &row.differences[*run] {
            None => (String::new(), Meaning::Muted),
            Some((by, words)) => (words.clone(), Meaning::for_change(row.better.is_gain(*by))),
        };
        spans.extend(right_spans(trusted_span(words, theme.style_for(meaning)), DIFFERENCE_CELLS));
    }
    let better = match row.better {
        BetterDirection::Higher => "+",
        BetterDirection::Lower => "−",
        BetterDirection::Neither => "",
    };
    spans.push(trusted_span(format!("{better:>BETTER_CELLS$}"), muted));
    Line::from(spans)
}

/// Returns a span at the right end of so many cells, with a blank before it; a longer one is cut.
fn right_spans(span: Span<'static>, cells: usize) -> Vec<Span<'static>> {
    let spans = fit_spans(vec![span], cells - 1);
    let blank = Span::raw(" ".repeat(cells - spans_width(&spans)));
    [vec![blank], spans].concat()
}
