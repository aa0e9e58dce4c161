//! Draws one number of both runs over phases, checkpoints or turns: `●` and a full line for the first, `○` and a thin
//! one for the second. The same signs are on the axis where signals open, `◉` where both runs have some.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};
use trajview_run::format_number;

use crate::{
    views::compare::{
        ComparePart, ComparisonView,
        chart::{AXIS_CELLS, ChartPlace, CompareAxis, plot_area},
    },
    widgets::{
        axis_ticks::round_up,
        braille::LineStroke,
        line::{fit_spans, safe_string, spans_width, trusted_span},
        panel::draw_sentence,
        plot::{Plot, PlotTrace, put_text},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::{Number, numbers};
use trajview_study::compare::{NumberOutcome, run_letter};

use super::{draw_frame, muted_spans, no_value, part_name_span};

/// The sign of each side at a point.
const SIGNS: [char; 2] = ['●', '○'];
/// The sign where both runs have signals.
const BOTH_SIGN: char = '◉';
const STROKES: [LineStroke; 2] = [LineStroke::Full, LineStroke::Dashed];
const MEANINGS: [Meaning; 2] = [Meaning::Hunk, Meaning::Heading];

pub fn draw(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let number = compared.chart.number;
    let places = compared.chart_places();
    let curves = [0, 1].map(|side| compared.values_of_side(&places, side));
    let measured = curves.each_ref().map(|values| values.iter().flatten().count());
    let title = legend_spans(compared, number, measured, theme);
    let axis = muted_spans(format!("by {}", compared.chart.axis.axis_name()), theme);
    let is_focused = compared.part == ComparePart::Curves;
    let inner = draw_frame(is_focused, [title, axis, vec![]], theme, area, buffer);
    let plot = plot_area(area);
    if plot.is_empty() {
        return;
    }
    let chart =
        ChartPainter::new((compared.chart.axis, places.as_slice()), plot, number, &curves, theme);
    if curves.iter().flatten().all(Option::is_none) {
        let words = why_no_curve(compared, number);
        draw_sentence(
            &words,
            theme.style_for(Meaning::Muted),
            Rect { height: plot.height, ..inner },
            buffer,
        );
        return;
    }
    chart.draw_axis(buffer);
    chart.draw_signals([0, 1].map(|side| compared.signals_of_side(&places, side)), buffer);
    chart.draw_pointer(compared.chart.point, buffer);
    chart.draw_curves(&curves, compared.chart.point, buffer);
    chart.draw_names(compared.chart.point, buffer);
    let line = Rect { y: inner.bottom().saturating_sub(1), height: 1, ..inner };
    let width = usize::from(inner.width);
    // Where not all of it fits, the signals and who is better are left out: signs on the axis and the table have them.
    let spans = [Wordiness::Full, Wordiness::ValuesOnly]
        .map(|it| value_spans(compared, &places, it, theme));
    let fits = spans_width(&spans[0]) <= width;
    let [full, short] = spans;
    Line::from(fit_spans(if fits { full } else { short }, width)).render(line, buffer);
}

/// Returns ` erosion  ● a emergent  ○ b single-shot (one point) `; `measured` counts the values of each side.
fn legend_spans(
    compared: &ComparisonView,
    number: Number,
    measured: [usize; 2],
    theme: Theme,
) -> Vec<Span<'static>> {
    let mut spans = vec![part_name_span(compared, ComparePart::Curves, number.label(), theme)];
    for (side, sign) in SIGNS.iter().enumerate() {
        let run = compared.pair[side];
        let condition =
            compared.all_parties().get(run).and_then(|party| party.run.condition.clone());
        let words = condition.map(|it| format!(" {}", safe_string(&it))).unwrap_or_default();
        spans.push(trusted_span(format!(" {sign} "), theme.style_for(MEANINGS[side])));
        let only = if measured[side] == 1 { "(one point) " } else { "" };
        spans.push(trusted_span(
            format!("{}{words} {only}", run_letter(run)),
            theme.style_for(Meaning::Text),
        ));
    }
    spans
}

fn why_no_curve(compared: &ComparisonView, number: Number) -> String {
    if let (Some(why), true) = (&compared.measures.failed, number.is_measured()) {
        return safe_string(why);
    }
    let (known, wanted) = compared.measured_counts();
    let is_coming = number.is_measured() && known < wanted && !compared.measures.is_stopped;
    match number.is_of_judgement() {
        _ if is_coming => "measuring…".into(),
        true => "no judgements at these moments".into(),
        false if number.is_measured() => "not measured".into(),
        false => "not recorded".into(),
    }
}

/// How much is written of the selected point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wordiness {
    Full,
    ValuesOnly,
}

/// Returns `c4 · early:  a turn 21 0.0000   b turn 1 0.0173   difference −0.0173`.
fn value_spans(
    compared: &ComparisonView,
    places: &[ChartPlace],
    wordiness: Wordiness,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (Some(place), Some(sides)) =
        (places.get(compared.chart.point), compared.compared_parties())
    else {
        return vec![];
    };
    let number = compared.chart.number;
    let mut spans = vec![trusted_span(
        format!(" {}: ", safe_string(&place.name)),
        theme.style_for(Meaning::Title),
    )];
    let mut found = [None, None];
    for (side, party) in sides.into_iter().enumerate() {
        let run = run_letter(compared.pair[side]);
        let moment = place.moments[side].as_ref();
        found[side] = moment.and_then(|moment| party.value_at(number, moment.done));
        let words = match (moment, found[side]) {
            (None, _) => format!(" {} {run} has none ", SIGNS[side]),
            (Some(moment), Some(value)) => {
                let value = number.format_value(value, numbers::NumberStyle::Full);
                format!(" {} {run} turn {} {value} ", SIGNS[side], moment.done)
            }
            (Some(moment), None) => {
                let words = if number.is_measured() {
                    no_value(compared, party, moment.done)
                } else {
                    format_number::MISSING_SIGN
                };
                format!(" {} {run} turn {} {words} ", SIGNS[side], moment.done)
            }
        };
        spans.push(trusted_span(words, theme.style_for(MEANINGS[side])));
        match compared.signals_of_side(places, side).get(compared.chart.point) {
            _ if wordiness == Wordiness::ValuesOnly => {}
            None | Some(0) => {}
            Some(1) => spans.push(trusted_span("1 signal ", theme.style_for(Meaning::Warning))),
            Some(count) => {
                spans.push(trusted_span(
                    format!("{count} signals "),
                    theme.style_for(Meaning::Warning),
                ));
            }
        }
    }
    let outcome = NumberOutcome::between_values(number, found, compared.subtraction());
    if let Some(delta) = outcome.delta {
        let better = outcome
            .better
            .filter(|_| wordiness == Wordiness::Full)
            .map(|run| format!(", {} better", run_letter(run)));
        let words = format!(" {}{}", number.format_difference(delta), better.unwrap_or_default());
        spans.push(trusted_span(words, theme.style_for(Meaning::Muted)));
    }
    spans
}

struct ChartPainter<'a> {
    places: &'a [ChartPlace],
    axis: CompareAxis,
    plot: Plot,
    theme: Theme,
}

impl<'a> ChartPainter<'a> {
    fn new(
        (axis, places): (CompareAxis, &'a [ChartPlace]),
        plot: Rect,
        number: Number,
        curves: &[Vec<Option<f64>>; 2],
        theme: Theme,
    ) -> Self {
        let is_share = number.is_share();
        let highest = curves.iter().flatten().flatten().copied().fold(0.0, f64::max);
        let most = number.axis_maximum().unwrap_or_else(|| round_up(highest, is_share));
        Self { places, axis, plot: Plot { area: plot, highest: most }, theme }
    }

    fn column_of_place(&self, index: usize) -> u16 {
        let last = f64::from(self.plot.area.width.saturating_sub(1));
        self.places.get(index).map_or(0, |place| (place.at.clamp(0.0, 1.0) * last).round() as u16)
    }

    fn draw_axis(&self, buffer: &mut Buffer) {
        let room = usize::from(AXIS_CELLS - 3);
        self.plot.draw_axis(room, self.theme.style_for(Meaning::Muted), buffer);
    }

    fn draw_signals(&self, counts: [Vec<usize>; 2], buffer: &mut Buffer) {
        for (index, (a, b)) in counts[0].iter().zip(&counts[1]).enumerate() {
            let sign = match (a, b) {
                (0, 0) => continue,
                (_, 0) => SIGNS[0],
                (0, _) => SIGNS[1],
                (_, _) => BOTH_SIGN,
            };
            let place = (self.plot.area.x + self.column_of_place(index), self.plot.area.bottom());
            put_text(buffer, place, &sign.to_string(), self.theme.style_for(Meaning::Warning));
        }
    }

    /// Draws the marker of the selected point.
    fn draw_pointer(&self, point: usize, buffer: &mut Buffer) {
        let column = self.column_of_place(point);
        self.plot.draw_vertical(column, "┊", self.theme.style_for(Meaning::Muted), buffer);
        let below = (self.plot.area.x + column, self.plot.area.bottom());
        put_text(buffer, below, "▲", self.theme.style_for(Meaning::Playing));
    }

    /// Draws the curves: a line joins values at consecutive positions; where a run has no value its line has a gap, and
    /// a value alone is a point.
    fn draw_curves(&self, curves: &[Vec<Option<f64>>; 2], point: usize, buffer: &mut Buffer) {
        let styles = MEANINGS.map(|meaning| self.theme.style_for(meaning));
        let traces = [0, 1].map(|side| PlotTrace {
            points: (curves[side].iter().enumerate())
                .filter(|(index, value)| value.is_some() || self.is_gap(*index, side))
                .map(|(index, value)| (self.column_of_place(index), *value))
                .collect(),
            stroke: STROKES[side],
            sign: SIGNS[side],
            style: styles[side],
        });
        self.plot.draw_traces(&traces, self.theme, buffer);
        for side in [1, 0] {
            if let Some(value) = curves[side].get(point).copied().flatten() {
                self.plot.draw_inspected_value(
                    self.column_of_place(point),
                    value,
                    SIGNS[side],
                    self.theme,
                    buffer,
                );
            }
        }
    }

    /// Returns whether a position without a value interrupts the line of a run. Over turns each run has its own
    /// positions, and those of the other do not interrupt it.
    fn is_gap(&self, index: usize, side: usize) -> bool {
        let moments = self.places.get(index).map(|place| &place.moments);
        self.axis != CompareAxis::Turns || moments.is_some_and(|moments| moments[side].is_some())
    }

    /// Draws the names under the axis; those that do not fit are left out, the selected one never.
    fn draw_names(&self, point: usize, buffer: &mut Buffer) {
        let y = self.plot.area.bottom() + 1;
        let mut taken: Vec<(u16, u16)> = vec![];
        let order = [point].into_iter().chain(0..self.places.len());
        for index in order {
            let Some(place) = self.places.get(index) else { continue };
            let name = safe_string(&place.name);
            let width = text::width(&name) as u16;
            let middle = self.plot.area.x + self.column_of_place(index);
            let last = (self.plot.area.right() + 1).saturating_sub(width);
            let x = middle
                .saturating_sub(width / 2)
                .clamp(self.plot.area.x, last.max(self.plot.area.x));
            if taken.iter().any(|(from, to)| x < to + 1 && x + width + 1 > *from) {
                continue;
            }
            taken.push((x, x + width));
            let meaning = if index == point { Meaning::Title } else { Meaning::Muted };
            put_text(buffer, (x, y), &name, self.theme.style_for(meaning));
        }
    }
}
