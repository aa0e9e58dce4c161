//! One number of both runs over phases, checkpoints or turns: `●` and a full line for the first, `○` and a thin one
//! for the second.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    metrics::{Number, numbers},
    study::compare::{Outcome, letter},
    views::compare::{
        Comparison, Part,
        chart::{LEFT, Place, plot},
    },
    widgets::{
        dots::Grid,
        line::{fit, own, safe},
        panel::sentence,
        text,
        theme::{Meaning, Theme},
        ticks::{round_up, trimmed},
    },
};

use super::{frame, muted, name, no_value};

/// By side: at a point, between points where there is no braille, how it looks.
const SIGNS: [char; 2] = ['●', '○'];
const STROKES: [char; 2] = ['.', '\''];
const LOOKS: [Meaning; 2] = [Meaning::Hunk, Meaning::Heading];

pub fn draw(compared: &Comparison, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let number = compared.chart.number();
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
    let chart = Chart::of(&places, plot, number, &curves, theme);
    if curves.iter().flatten().all(Option::is_none) {
        let words = nothing(compared, number);
        sentence(&words, theme.of(Meaning::Muted), Rect { height: plot.height, ..inner }, buffer);
        return;
    }
    chart.axis(buffer);
    chart.pointer(compared.chart.point, buffer);
    for side in [1, 0] {
        chart.curve(&curves[side], side, compared.chart.point, buffer);
    }
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
    let number = compared.chart.number();
    let mut spans = vec![own(format!(" {}: ", safe(&place.name)), theme.of(Meaning::Title))];
    let mut found = [None, None];
    for (side, party) in sides.into_iter().enumerate() {
        let run = letter(compared.pair[side]);
        let moment = place.moments[side].as_ref();
        found[side] = moment.and_then(|moment| party.value_at(number, moment.done));
        let words = match (moment, found[side]) {
            (None, _) => format!(" {} {run} has none ", SIGNS[side]),
            (Some(moment), Some(value)) => {
                let value = number.written(value, numbers::Style::Plain);
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
    plot: Rect,
    is_share: bool,
    /// The value at the upper edge; the lower one is 0.
    most: f64,
    theme: Theme,
}

/// Cells between signs on a curve, at least.
const APART: usize = 4;

impl<'a> Chart<'a> {
    fn of(
        places: &'a [Place],
        plot: Rect,
        number: Number,
        curves: &[Vec<Option<f64>>; 2],
        theme: Theme,
    ) -> Self {
        let is_share = number.is_share();
        let highest = curves.iter().flatten().flatten().copied().fold(0.0, f64::max);
        let most = number.most().unwrap_or_else(|| round_up(highest, is_share));
        Self { places, plot, is_share, most, theme }
    }

    fn column(&self, index: usize) -> usize {
        let last = f64::from(self.plot.width.saturating_sub(1));
        self.places.get(index).map_or(0, |place| (place.at.clamp(0.0, 1.0) * last).round() as usize)
    }

    fn dot(&self, value: f64, dots: usize) -> usize {
        let last = dots.saturating_sub(1);
        let up = (value / self.most * last as f64).round().max(0.0) as usize;
        last - up.min(last)
    }

    fn axis(&self, buffer: &mut Buffer) {
        let (plot, style) = (self.plot, self.theme.of(Meaning::Muted));
        for y in plot.y..plot.bottom() {
            put(buffer, (plot.x - 1, y), "│", style);
        }
        let numbers = [(0, self.most), (plot.height / 2, self.most / 2.0), (plot.height - 1, 0.0)];
        let numbers = if plot.height < 4 { vec![numbers[0], numbers[2]] } else { numbers.to_vec() };
        for (y, number) in numbers {
            let words = match number {
                number if self.is_share || number < 10.0 => trimmed(number),
                number => short(number),
            };
            let room = usize::from(LEFT - 2);
            put(buffer, (plot.x - LEFT, plot.y + y), &format!("{words:>room$}"), style);
            put(buffer, (plot.x - 1, plot.y + y), "┤", style);
        }
        let line = format!("└{}", "─".repeat(usize::from(plot.width)));
        put(buffer, (plot.x - 1, plot.bottom()), &line, style);
    }

    /// The point that is looked at.
    fn pointer(&self, point: usize, buffer: &mut Buffer) {
        let x = self.plot.x + self.column(point) as u16;
        let style = self.theme.of(Meaning::Muted);
        for y in self.plot.y..self.plot.bottom() {
            put(buffer, (x, y), "┊", style);
        }
        put(buffer, (x, self.plot.bottom()), "▲", self.theme.of(Meaning::Playing));
    }

    fn curve(&self, values: &[Option<f64>], side: usize, point: usize, buffer: &mut Buffer) {
        let mut grid = Grid::of(self.plot);
        let dots = grid.height();
        let style = self.theme.of(LOOKS[side]);
        let mut before = None;
        for (index, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            let here = (self.column(index) * 2, self.dot(*value, dots));
            grid.line(before.unwrap_or(here), here);
            before = Some(here);
        }
        grid.draw(STROKES[side], style, self.theme.alphabet(), buffer);
        let mut free = 0;
        for (index, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            let column = self.column(index);
            let is_here = index == point;
            if column < free && !is_here {
                continue;
            }
            free = column + APART;
            let at =
                (self.plot.x + column as u16, self.plot.y + (self.dot(*value, dots) / 4) as u16);
            let style = if is_here { self.theme.of(Meaning::CurrentHit) } else { style };
            put(buffer, at, &SIGNS[side].to_string(), style);
        }
    }

    /// Names under the axis, those that do not fit left out, the one that is looked at never.
    fn names(&self, point: usize, buffer: &mut Buffer) {
        let y = self.plot.bottom() + 1;
        let mut taken: Vec<(u16, u16)> = vec![];
        let order = [point].into_iter().chain(0..self.places.len());
        for index in order {
            let Some(place) = self.places.get(index) else { continue };
            let name = safe(&place.name);
            let width = text::width(&name) as u16;
            let middle = self.plot.x + self.column(index) as u16;
            let last = (self.plot.right() + 1).saturating_sub(width);
            let x = middle.saturating_sub(width / 2).clamp(self.plot.x, last.max(self.plot.x));
            if taken.iter().any(|(from, to)| x < to + 1 && x + width + 1 > *from) {
                continue;
            }
            taken.push((x, x + width));
            let meaning = if index == point { Meaning::Title } else { Meaning::Muted };
            put(buffer, (x, y), &name, self.theme.of(meaning));
        }
    }
}

/// `4.4 M`, `344 k`, `1074`
fn short(number: f64) -> String {
    match number {
        number if number >= 999_500.0 => format!("{:.1} M", number / 1e6),
        number if number >= 9_999.5 => format!("{:.0} k", number / 1e3),
        number => format!("{number:.0}"),
    }
}

fn put(buffer: &mut Buffer, (x, y): (u16, u16), words: &str, style: Style) {
    let width = text::width(words) as u16;
    let area = Rect { x, y, width, height: 1 }.intersection(buffer.area);
    if !area.is_empty() {
        Line::styled(words.to_owned(), style).render(area, buffer);
    }
}
