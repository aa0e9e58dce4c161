//! One number of both runs over phases, checkpoints or turns: `●` and a full line for the first, `○` and a thin one
//! for the second. On the axis the same signs stand where signals open, `◉` where both runs have some.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    views::compare::{
        Comparison, Part,
        chart::{Axis, LEFT, Place, plot},
    },
    widgets::{
        dots::Stroke,
        line::{fit, own, safe},
        panel::sentence,
        plot::{Plot, Trace, put},
        text,
        theme::{Meaning, Theme},
        ticks::round_up,
    },
};
use trajview_metrics::{Number, numbers};
use trajview_study::compare::{Outcome, letter};

use super::{frame, muted, name, no_value};

/// By side: at a point, between points, how it looks.
const SIGNS: [char; 2] = ['●', '○'];
/// Where both runs have signals.
const BOTH: char = '◉';
const STROKES: [Stroke; 2] = [Stroke::Full, Stroke::Dashed];
const LOOKS: [Meaning; 2] = [Meaning::Hunk, Meaning::Heading];

pub fn draw(compared: &Comparison, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let number = compared.chart.number;
    let title = legend(compared, number, theme);
    let axis = muted(format!("by {}", compared.chart.axis.word()), theme);
    let is_focused = compared.part == Part::Curves;
    let inner = frame(is_focused, [title, axis, vec![]], theme, area, buffer);
    let places = compared.places();
    let curves = [0, 1].map(|side| compared.values(&places, side));
    let plot = plot(area);
    if plot.is_empty() {
        return;
    }
    let chart = Chart::of((compared.chart.axis, places.as_slice()), plot, number, &curves, theme);
    if curves.iter().flatten().all(Option::is_none) {
        let words = nothing(compared, number);
        sentence(&words, theme.of(Meaning::Muted), Rect { height: plot.height, ..inner }, buffer);
        return;
    }
    chart.axis(buffer);
    chart.signals([0, 1].map(|side| compared.signals(&places, side)), buffer);
    chart.pointer(compared.chart.point, buffer);
    chart.curves(&curves, compared.chart.point, buffer);
    chart.names(compared.chart.point, buffer);
    let line = Rect { y: inner.bottom().saturating_sub(1), height: 1, ..inner };
    Line::from(fit(values(compared, &places, theme), usize::from(inner.width)))
        .render(line, buffer);
}

/// ` erosion  ● a codex-p12  ○ b codex-p12-single-shot `
fn legend(compared: &Comparison, number: Number, theme: Theme) -> Vec<Span<'static>> {
    let mut spans = vec![name(compared, Part::Curves, number.label(), theme)];
    for (side, sign) in SIGNS.iter().enumerate() {
        let run = compared.pair[side];
        let condition = compared.all().get(run).and_then(|party| party.run.condition.clone());
        let words = condition.map(|it| format!(" {}", safe(&it))).unwrap_or_default();
        spans.push(own(format!(" {sign} "), theme.of(LOOKS[side])));
        spans.push(own(format!("{}{words} ", letter(run)), theme.of(Meaning::Text)));
    }
    spans
}

fn nothing(compared: &Comparison, number: Number) -> String {
    if let (Some(why), true) = (&compared.measures.failed, number.is_measured()) {
        return safe(why);
    }
    let (known, wanted) = compared.measured();
    let is_coming = number.is_measured() && known < wanted && !compared.measures.is_stopped;
    match number.is_of_judgement() {
        _ if is_coming => "measuring…".into(),
        true => "nothing was judged at these moments".into(),
        false => "not recorded".into(),
    }
}

/// `c4 · early:  a turn 21 0.0000   b turn 1 0.0173   difference −0.0173`
fn values(compared: &Comparison, places: &[Place], theme: Theme) -> Vec<Span<'static>> {
    let (Some(place), Some(sides)) = (places.get(compared.chart.point), compared.sides()) else {
        return vec![];
    };
    let number = compared.chart.number;
    let mut spans = vec![own(format!(" {}: ", safe(&place.name)), theme.of(Meaning::Title))];
    let mut found = [None, None];
    for (side, party) in sides.into_iter().enumerate() {
        let run = letter(compared.pair[side]);
        let moment = place.moments[side].as_ref();
        found[side] = moment.and_then(|moment| party.value_at(number, moment.done));
        let words = match (moment, found[side]) {
            (None, _) => format!(" {} {run} has none ", SIGNS[side]),
            (Some(moment), Some(value)) => {
                let value = number.written(value, numbers::Style::Full);
                format!(" {} {run} turn {} {value} ", SIGNS[side], moment.done)
            }
            (Some(moment), None) => {
                let words = if number.is_measured() {
                    no_value(compared, party, moment.done)
                } else {
                    "–"
                };
                format!(" {} {run} turn {} {words} ", SIGNS[side], moment.done)
            }
        };
        spans.push(own(words, theme.of(LOOKS[side])));
        match compared.signals(places, side).get(compared.chart.point) {
            None | Some(0) => {}
            Some(1) => spans.push(own("1 signal ", theme.of(Meaning::Warning))),
            Some(count) => {
                spans.push(own(format!("{count} signals "), theme.of(Meaning::Warning)));
            }
        }
    }
    let outcome = Outcome::between(number, found, compared.subtraction());
    if let Some(delta) = outcome.delta {
        let better = outcome.better.map(|run| format!(", {} better", letter(run)));
        let words = format!(" {}{}", number.difference_written(delta), better.unwrap_or_default());
        spans.push(own(words, theme.of(Meaning::Muted)));
    }
    spans
}

struct Chart<'a> {
    places: &'a [Place],
    axis: Axis,
    plot: Plot,
    theme: Theme,
}

impl<'a> Chart<'a> {
    fn of(
        (axis, places): (Axis, &'a [Place]),
        plot: Rect,
        number: Number,
        curves: &[Vec<Option<f64>>; 2],
        theme: Theme,
    ) -> Self {
        let is_share = number.is_share();
        let highest = curves.iter().flatten().flatten().copied().fold(0.0, f64::max);
        let most = number.most().unwrap_or_else(|| round_up(highest, is_share));
        Self { places, axis, plot: Plot { area: plot, most }, theme }
    }

    fn column(&self, index: usize) -> u16 {
        let last = f64::from(self.plot.area.width.saturating_sub(1));
        self.places.get(index).map_or(0, |place| (place.at.clamp(0.0, 1.0) * last).round() as u16)
    }

    fn axis(&self, buffer: &mut Buffer) {
        let room = usize::from(LEFT - 3);
        self.plot.axis(room, self.theme.of(Meaning::Muted), buffer);
    }

    fn signals(&self, counts: [Vec<usize>; 2], buffer: &mut Buffer) {
        for (index, (a, b)) in counts[0].iter().zip(&counts[1]).enumerate() {
            let sign = match (a, b) {
                (0, 0) => continue,
                (_, 0) => SIGNS[0],
                (0, _) => SIGNS[1],
                (_, _) => BOTH,
            };
            let place = (self.plot.area.x + self.column(index), self.plot.area.bottom());
            put(buffer, place, &sign.to_string(), self.theme.of(Meaning::Warning));
        }
    }

    /// The point that is looked at.
    fn pointer(&self, point: usize, buffer: &mut Buffer) {
        let column = self.column(point);
        self.plot.upright(column, "┊", self.theme.of(Meaning::Muted), buffer);
        let below = (self.plot.area.x + column, self.plot.area.bottom());
        put(buffer, below, "▲", self.theme.of(Meaning::Playing));
    }

    /// A line joins values at places that follow each other; where a run has no value its line has a gap, and a value
    /// alone is a point.
    fn curves(&self, curves: &[Vec<Option<f64>>; 2], point: usize, buffer: &mut Buffer) {
        let styles = LOOKS.map(|meaning| self.theme.of(meaning));
        let traces = [0, 1].map(|side| Trace {
            points: (curves[side].iter().enumerate())
                .filter(|(index, value)| value.is_some() || self.is_gap(*index, side))
                .map(|(index, value)| (self.column(index), *value))
                .collect(),
            stroke: STROKES[side],
            sign: SIGNS[side],
            style: styles[side],
        });
        self.plot.traces(&traces, self.theme, buffer);
        for side in [1, 0] {
            if let Some(value) = curves[side].get(point).copied().flatten() {
                self.plot.looked_at(self.column(point), value, SIGNS[side], self.theme, buffer);
            }
        }
    }

    /// Whether a place without a value interrupts the line of a run. Over turns each run has places of its own, and
    /// those of the other are none of its.
    fn is_gap(&self, index: usize, side: usize) -> bool {
        let moments = self.places.get(index).map(|place| &place.moments);
        self.axis != Axis::Turns || moments.is_some_and(|moments| moments[side].is_some())
    }

    /// Names under the axis, those that do not fit left out, the one that is looked at never.
    fn names(&self, point: usize, buffer: &mut Buffer) {
        let y = self.plot.area.bottom() + 1;
        let mut taken: Vec<(u16, u16)> = vec![];
        let order = [point].into_iter().chain(0..self.places.len());
        for index in order {
            let Some(place) = self.places.get(index) else { continue };
            let name = safe(&place.name);
            let width = text::width(&name) as u16;
            let middle = self.plot.area.x + self.column(index);
            let last = (self.plot.area.right() + 1).saturating_sub(width);
            let x = middle
                .saturating_sub(width / 2)
                .clamp(self.plot.area.x, last.max(self.plot.area.x));
            if taken.iter().any(|(from, to)| x < to + 1 && x + width + 1 > *from) {
                continue;
            }
            taken.push((x, x + width));
            let meaning = if index == point { Meaning::Title } else { Meaning::Muted };
            put(buffer, (x, y), &name, self.theme.of(meaning));
        }
    }
}
