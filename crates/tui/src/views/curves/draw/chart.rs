//! The chart: the chosen curve and its partner over the points, the playhead, checkpoints and phases under the axis.

use ratatui::{
    buffer::Buffer,
    style::Style,
    text::{Line, Span},
};

use crate::{
    session::{
        Session,
        ask::Loading,
        judged_points,
        measured::Measured,
        points::{self, Axis, Point, Stretch},
        series::{self, Known, Origin},
    },
    views::curves::{
        Curves, Part,
        areas::{Areas, LEFT, RIGHT, cell_of},
    },
    widgets::{
        dots::Stroke,
        line::{fit, own, safe, width_of},
        panel::{sentence, titled},
        plot::{Plot, Trace, put},
        text,
        theme::{Meaning, Theme},
        ticks::round_up,
    },
};
use trajview_metrics::Number;

use super::{has_keyboard, points_of};

pub fn draw(view: &Curves, session: &Session, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    let points = view.points(session);
    let chart = Chart::of(view, session, &points, areas, theme);
    let width = usize::from(areas.chart.width.saturating_sub(2));
    let curves = chart.legend();
    let origin = chart.origin(width.saturating_sub(width_of(&curves) + 1));
    let titles = [curves, origin, chart.remarks()].map(|spans| Line::from(fit(spans, width)));
    let inner = titled(has_keyboard(view, Part::Chart), titles, theme, areas.chart, buffer);
    if let Some(words) = instead_of_curves(session, &points) {
        return sentence(&words, theme.of(Meaning::Muted), inner, buffer);
    }
    chart.axis(buffer);
    chart.band(buffer);
    chart.playhead(buffer);
    chart.curves(buffer);
    chart.compactions(buffer);
    chart.names(buffer);
}

fn rules_said(count: usize) -> String {
    if count == 1 { "1 rule".into() } else { format!("{count} rules") }
}

fn instead_of_curves(session: &Session, points: &[Point]) -> Option<String> {
    if points.is_empty() {
        return Some("this run has no turns".into());
    }
    if !session.growth.is_whole {
        return Some("the rest of the recording is still being read".into());
    }
    if let Loading::Failed(why) = &session.timeline {
        return Some(safe(why));
    }
    session.scores.failed.as_deref().map(safe)
}

/// One curve and how it looks.
struct Curve {
    /// Its number, and whose it is where several measured it.
    name: String,
    /// As it is named behind its last point.
    short: String,
    points: Vec<Known>,
    /// At a point.
    sign: char,
    stroke: Stroke,
    style: Style,
}

/// The chosen number as it was measured before, where that is still shown.
fn before(view: &Curves, session: &Session, points: &[Point], theme: Theme) -> Option<Curve> {
    let chosen = view.number;
    let before =
        session.scores.before.as_ref().filter(|_| Origin::of(chosen) == Origin::Computed)?;
    let whose = safe(&before.ruler.beside(session.scores.ruler.as_ref()));
    let values = points.iter().map(|point| series::value_before(chosen, session, point));
    Some(Curve {
        name: format!("{}, {whose}", chosen.label()),
        short: "before".to_owned(),
        points: values.map(|value| value.map_or(Known::NotYet, Known::Value)).collect(),
        sign: '◇',
        stroke: Stroke::Dotted,
        style: theme.of(Meaning::Muted),
    })
}

struct Chart<'a> {
    view: &'a Curves,
    session: &'a Session,
    points: &'a [Point],
    plot: Plot,
    rows_below: u16,
    theme: Theme,
    /// The chosen curve first.
    drawn: Vec<Curve>,
    here: Option<usize>,
}

/// Cells that names under the axis may stand over its end.
const OVER: u16 = 4;

impl<'a> Chart<'a> {
    fn of(
        view: &'a Curves,
        session: &'a Session,
        points: &'a [Point],
        areas: &Areas,
        theme: Theme,
    ) -> Self {
        let rows_below = areas.rows_below();
        let chosen = view.number;
        let curve = |(at, number): (usize, Number)| Curve {
            name: number.label().to_owned(),
            short: number.label().to_owned(),
            points: series::known(number, session, points),
            sign: if at == 0 { '●' } else { '○' },
            stroke: if at == 0 { Stroke::Full } else { Stroke::Dashed },
            style: theme.of(if at == 0 { Meaning::Hunk } else { Meaning::Heading }),
        };
        let all = [Some(chosen), chosen.row().shown.drawn_with].into_iter().flatten();
        let drawn = all.enumerate().map(curve).chain(before(view, session, points, theme));
        let drawn: Vec<Curve> = drawn.collect();
        let values = drawn.iter().flat_map(|curve| &curve.points).filter_map(|point| point.value());
        let band = band_of(view, chosen).map(|[_, high]| high);
        let highest = values.chain(band).fold(0.0, f64::max);
        let plot = Plot { area: areas.plot(), most: round_up(highest, chosen.is_share()) };
        Self {
            view,
            session,
            points,
            plot,
            rows_below,
            theme,
            drawn,
            here: view.point_index(session, points),
        }
    }

    /// ` curves  ● erosion  ○ verbosity `
    fn legend(&self) -> Vec<Span<'static>> {
        let mut spans = vec![own(" curves ", self.theme.of(Meaning::Title))];
        for curve in &self.drawn {
            spans.push(own(format!(" {} ", curve.sign), curve.style));
            spans.push(own(format!("{} ", curve.name), self.theme.of(Meaning::Text)));
        }
        spans
    }

    /// ` computed · profile trajview · 140 rules, built in `, as much of it as fits.
    fn origin(&self, room: usize) -> Vec<Span<'static>> {
        let muted = self.theme.of(Meaning::Muted);
        let origin = Origin::of(self.view.number);
        let scores = &self.session.scores;
        let all = match (&scores.ruler, origin) {
            (Some(ruler), Origin::Computed) => {
                let (said, rules) = (safe(&ruler.said()), rules_said(ruler.rules));
                let source = safe(&ruler.source);
                let short = match ruler.is_comparable {
                    true => safe(&ruler.name),
                    false => said.clone(),
                };
                let last = if ruler.is_comparable { short.as_str() } else { "not comparable" };
                vec![
                    format!(" computed · {said} · {rules}, {source} "),
                    format!(" {short} · {rules}, {source} "),
                    format!(" {short} · {rules} "),
                    format!(" {last} "),
                ]
            }
            (_, Origin::Judged) => {
                let who = judged_points::judged_by(self.session, self.view.number);
                let who = who.map(|who| format!(" judged by {} ", safe(&who)));
                who.into_iter().chain([" judged ".to_owned()]).collect()
            }
            (_, origin) => vec![format!(" {} ", origin.word())],
        };
        let fitting = all.into_iter().find(|words| text::width(words) <= room);
        vec![own(fitting.unwrap_or_default(), muted)]
    }

    /// What is being measured, what is left out, where the band comes from.
    fn remarks(&self) -> Vec<Span<'static>> {
        let scores = &self.session.scores;
        let (known, all) = self.view.measured(self.session, self.points);
        let things = match self.view.axis(self.session) {
            Axis::Steps => "steps",
            Axis::Turns | Axis::Checkpoints => "turns",
        };
        let mut remarks = vec![];
        if scores.is_stopped {
            remarks.push(format!("stopped: {known} of {all} {things} measured, x goes on"));
        } else if scores.is_busy() {
            let files = scores.progress.filter(|(done, total)| done < total);
            let files = files.map(|(done, total)| format!(", {done} of {total} files"));
            let files = files.unwrap_or_default();
            remarks.push(format!("measuring: {known} of {all} {things}{files}"));
        }
        let at_playhead = self.here.and_then(|here| scores.at(self.points[here].moment()));
        remarks.extend(at_playhead.and_then(left_out_said));
        if let Some([low, high]) = band_of(self.view, self.view.number) {
            let source = self.view.reference.source.as_deref();
            let source = source.unwrap_or("source not given");
            remarks.push(format!("┄ {low}–{high}: {}", safe(source)));
        }
        let is_cut = self.view.number == Number::Context && self.compacted().next().is_some();
        remarks.extend(is_cut.then(|| "⟲ the context was compacted".to_owned()));
        remarks.extend(self.is_as_before().then(|| "◇ the same values as before".to_owned()));
        if remarks.is_empty() {
            return vec![];
        }
        vec![own(format!(" {} ", remarks.join(" · ")), self.theme.of(Meaning::Muted))]
    }

    /// Whether the chosen number lies on what was measured before, wherever both are known: one line hides the other.
    fn is_as_before(&self) -> bool {
        let chosen = self.view.number;
        let pair = |point: &Point| {
            let now = series::value(chosen, self.session, point);
            now.zip(series::value_before(chosen, self.session, point))
        };
        let mut pairs = self.points.iter().filter_map(pair).peekable();
        pairs.peek().is_some() && pairs.all(|(now, before)| now == before)
    }

    fn column_of(&self, index: usize) -> u16 {
        cell_of(index, self.points.len(), usize::from(self.plot.area.width)) as u16
    }

    /// The numbers to the left, the line below, checkpoints and phases under it.
    fn axis(&self, buffer: &mut Buffer) {
        let (plot, muted) = (self.plot.area, self.theme.of(Meaning::Muted));
        self.plot.axis(usize::from(LEFT - 3), muted, buffer);
        let below = plot.bottom();
        let run = &self.session.run;
        for stretch in points::checkpoints(run, self.points) {
            put(buffer, (plot.x + self.column_of(stretch.points.end - 1), below), "┴", muted);
        }
        self.signals(below, buffer);
        if self.rows_below == 1 {
            return;
        }
        if run.checkpoints.is_empty() {
            self.ends(below + 1, buffer);
        } else {
            self.stretches(&points::checkpoints(run, self.points), below + 1, buffer);
            self.stretches(&points::phases(run, self.points), below + 2, buffer);
        }
    }

    /// A mark under each point whose turns have signals, or the steps up to it.
    fn signals(&self, y: u16, buffer: &mut Buffer) {
        for signal in self.session.scores.worked.signals() {
            let place = (signal.step.turn, signal.number);
            let at = self.points.partition_point(|point| point.place() < place);
            if at < self.points.len() {
                let place = (self.plot.area.x + self.column_of(at), y);
                put(buffer, place, "•", self.theme.of(Meaning::Warning));
            }
        }
    }

    /// A mark above each point in whose turns, or since whose last step, the context was summarised and cut, where the
    /// context is drawn.
    fn compactions(&self, buffer: &mut Buffer) {
        for at in self.compacted().filter(|_| self.view.number == Number::Context) {
            let place = (self.plot.area.x + self.column_of(at), self.plot.area.y);
            put(buffer, place, "⟲", self.theme.of(Meaning::Warning));
        }
    }

    /// Indices of those points.
    fn compacted(&self) -> impl Iterator<Item = usize> + '_ {
        let run = &self.session.run;
        (0..self.points.len()).filter(move |at| points::has_compaction(run, self.points, *at))
    }

    /// The numbers of the first and the last turn or step.
    fn ends(&self, y: u16, buffer: &mut Buffer) {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else { return };
        let muted = self.theme.of(Meaning::Muted);
        put(buffer, (self.plot.area.x, y), &first.said(), muted);
        let words = match (last.step, first.step) {
            (None, None) => last.done.to_string(),
            _ => last.said(),
        };
        let x = self.plot.area.right().saturating_sub(words.len() as u16);
        put(buffer, (x, y), &words, muted);
    }

    /// Names in the middle of what they name, those that do not fit left out.
    fn stretches(&self, stretches: &[Stretch], y: u16, buffer: &mut Buffer) {
        let mut free = self.plot.area.x;
        for stretch in stretches {
            let (first, last) = (stretch.points.start, stretch.points.end - 1);
            let middle = (self.column_of(first) + self.column_of(last)) / 2;
            let name = safe(&stretch.name);
            let width = text::width(&name) as u16;
            let x = (self.plot.area.x + middle).saturating_sub(width / 2).max(self.plot.area.x);
            let x = x.min((self.plot.area.right() + OVER).saturating_sub(width));
            let is_here = self.here.is_some_and(|here| stretch.points.contains(&here));
            if x < free {
                continue;
            }
            let meaning = if is_here { Meaning::Title } else { Meaning::Muted };
            put(buffer, (x, y), &name, self.theme.of(meaning));
            free = x + width + 1;
        }
    }

    fn band(&self, buffer: &mut Buffer) {
        for value in band_of(self.view, self.view.number).into_iter().flatten() {
            self.plot.level(value, self.theme.of(Meaning::Warning), buffer);
        }
    }

    fn playhead(&self, buffer: &mut Buffer) {
        if let Some(hovered) = self.view.hovered.filter(|it| *it < self.points.len()) {
            self.plot.upright(self.column_of(hovered), "┊", self.theme.of(Meaning::Muted), buffer);
        }
        let Some(here) = self.here else { return };
        let (column, style) = (self.column_of(here), self.theme.of(Meaning::Playing));
        self.plot.upright(column, "│", style, buffer);
        put(buffer, (self.plot.area.x + column, self.plot.area.bottom()), "▲", style);
    }

    fn curves(&self, buffer: &mut Buffer) {
        let trace = |curve: &Curve| Trace {
            points: points_of(&curve.points, |index| self.column_of(index)),
            stroke: curve.stroke,
            sign: curve.sign,
            style: curve.style,
        };
        let traces: Vec<Trace> = self.drawn.iter().map(trace).collect();
        self.plot.traces(&traces, self.theme, buffer);
        for (curve, here) in self.drawn.iter().rev().filter_map(|curve| Some((curve, self.here?))) {
            if let Some(value) = curve.points[here].value() {
                self.plot.looked_at(self.column_of(here), value, curve.sign, self.theme, buffer);
            }
        }
    }

    /// What each curve is, to the right of its last point.
    fn names(&self, buffer: &mut Buffer) {
        let mut taken = vec![];
        for curve in &self.drawn {
            let last = curve.points.iter().rev().find_map(|point| point.value());
            let Some(last) = last else { continue };
            let rows = self.plot.area.y..self.plot.area.bottom();
            let near = [0, 1, -1, 2, -2];
            let near = near.map(|by| self.plot.row(last).saturating_add_signed(by));
            let free = near.into_iter().find(|y| rows.contains(y) && !taken.contains(y));
            let Some(y) = free else { continue };
            taken.push(y);
            let words = format!("{} {}", curve.sign, curve.short);
            let words = text::truncate(&words, usize::from(RIGHT - 1), "…").into_owned();
            let at = (self.plot.area.right() + 1, y);
            put(buffer, at, &words, curve.style);
        }
        if self.drawn.iter().all(|curve| curve.points.iter().all(|point| point.value().is_none())) {
            let scores = &self.session.scores;
            let (known, all) = self.view.measured(self.session, self.points);
            let is_coming = Origin::of(self.view.number) == Origin::Computed
                && !scores.is_stopped
                && known < all;
            let words = if is_coming { "measuring…" } else { "not recorded" };
            sentence(words, self.theme.of(Meaning::Muted), self.plot.area, buffer);
        }
    }
}

/// Why there is a gap, or what the numbers leave out.
fn left_out_said(measured: &Measured) -> Option<String> {
    let skipped = match &measured.snapshot {
        Ok(snapshot) => snapshot.skipped.as_slice(),
        Err(why) => return Some(format!("not measured here: {}", safe(&why.to_string()))),
    };
    let not_recorded = match measured.not_recorded {
        0 => None,
        1 => Some("1 file here is not recorded and left out".to_owned()),
        count => Some(format!("{count} files here are not recorded and left out")),
    };
    let skipped = match skipped {
        [] => None,
        [one] => Some(format!("left out here: {}: {}", safe(&one.path), one.why.why())),
        [first, others @ ..] => {
            let (path, why, count) = (safe(&first.path), first.why.why(), others.len());
            Some(format!("left out here: {path}: {why}, and {count} more files"))
        }
    };
    let said: Vec<String> = not_recorded.into_iter().chain(skipped).collect();
    (!said.is_empty()).then(|| said.join(" · "))
}

fn band_of(view: &Curves, number: Number) -> Option<[f64; 2]> {
    let reference = &view.reference;
    let bands = [(Number::Erosion, reference.erosion), (Number::Verbosity, reference.verbosity)];
    bands.into_iter().find(|(other, _)| *other == number)?.1
}
