//! The chart: the chosen curve and its partner over the points, the playhead, checkpoints and phases under the axis.

use ratatui::{
    buffer::Buffer,
    style::Style,
    text::{Line, Span},
};

use crate::{
    session::{
        Session,
        code_measures::MeasuredMoment,
        curve_points::{self, CurveAxis, PointStretch, RunPoint},
        curve_values::{self, PointValue, ValueOrigin},
        judged_points,
        pending::Loading,
    },
    views::curves::{
        CurvesPart, CurvesView,
        areas::{CELLS_LEFT_OF_PLOT, CELLS_RIGHT_OF_PLOT, CurvesAreas, point_column},
    },
    widgets::{
        axis_ticks::round_up,
        braille::LineStroke,
        line::{fit_spans, safe_string, spans_width, trusted_span},
        panel::{draw_sentence, draw_titled_panel},
        plot::{Plot, PlotTrace, put_text},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::Number;

use super::{is_focused, line_points};

pub(crate) fn draw_chart(
    view: &CurvesView,
    session: &Session,
    theme: Theme,
    areas: &CurvesAreas,
    buffer: &mut Buffer,
) {
    let points = view.axis_points(session);
    let chart = CurveChart::for_view(view, session, &points, areas, theme);
    let width = usize::from(areas.chart.width.saturating_sub(2));
    let curves = chart.legend_spans();
    let origin = chart.origin_spans(width.saturating_sub(spans_width(&curves) + 1));
    let titles =
        [curves, origin, chart.remark_spans()].map(|spans| Line::from(fit_spans(spans, width)));
    let inner =
        draw_titled_panel(is_focused(view, CurvesPart::Chart), titles, theme, areas.chart, buffer);
    if let Some(words) = instead_of_curves(session, &points) {
        return draw_sentence(&words, theme.style_for(Meaning::Muted), inner, buffer);
    }
    chart.draw_axis(buffer);
    chart.draw_band(buffer);
    chart.draw_playhead(buffer);
    chart.draw_curves(buffer);
    chart.draw_compactions(buffer);
    chart.draw_curve_names(buffer);
}

fn rules_text(count: usize) -> String {
    if count == 1 { "1 rule".into() } else { format!("{count} rules") }
}

fn instead_of_curves(session: &Session, points: &[RunPoint]) -> Option<String> {
    if points.is_empty() {
        return Some("this run has no turns".into());
    }
    if !session.growth.is_whole {
        return Some("the rest of the recording is still being read".into());
    }
    if let Loading::Failed(why) = &session.timeline {
        return Some(safe_string(why));
    }
    session.scores.failed.as_deref().map(safe_string)
}

/// One curve and how it looks.
struct DrawnCurve {
    /// Its number, and who measured it if several did.
    name: String,
    /// The short name, drawn behind the curve's last point.
    short: String,
    points: Vec<PointValue>,
    /// The sign drawn at each point.
    sign: char,
    stroke: LineStroke,
    style: Style,
}

/// Returns the chosen number as it was measured before, where that is still shown.
fn earlier_curve(
    view: &CurvesView,
    session: &Session,
    points: &[RunPoint],
    theme: Theme,
) -> Option<DrawnCurve> {
    let chosen = view.number;
    let before = session
        .scores
        .before
        .as_ref()
        .filter(|_| ValueOrigin::for_number(chosen) == ValueOrigin::Computed)?;
    let whose = safe_string(&before.ruler.name_beside(session.scores.ruler.as_ref()));
    let values = points.iter().map(|point| curve_values::value_before(chosen, session, point));
    Some(DrawnCurve {
        name: format!("{}, {whose}", chosen.label()),
        short: "before".to_owned(),
        points: values.map(|value| value.map_or(PointValue::NotYet, PointValue::Value)).collect(),
        sign: '◇',
        stroke: LineStroke::Dotted,
        style: theme.style_for(Meaning::Muted),
    })
}

struct CurveChart<'a> {
    view: &'a CurvesView,
    session: &'a Session,
    points: &'a [RunPoint],
    plot: Plot,
    rows_below: u16,
    theme: Theme,
    /// The chosen curve first.
    drawn_curves: Vec<DrawnCurve>,
    playhead_index: Option<usize>,
}

/// Cells by which names under the axis may extend past its end.
const CELLS_OVER_AXIS_END: u16 = 4;

impl<'a> CurveChart<'a> {
    fn for_view(
        view: &'a CurvesView,
        session: &'a Session,
        points: &'a [RunPoint],
        areas: &CurvesAreas,
        theme: Theme,
    ) -> Self {
        let rows_below = areas.rows_below();
        let chosen = view.number;
        let curve = |(at, number): (usize, Number)| DrawnCurve {
            name: number.label().to_owned(),
            short: number.label().to_owned(),
            points: curve_values::point_values(number, session, points),
            sign: if at == 0 { '●' } else { '○' },
            stroke: if at == 0 { LineStroke::Full } else { LineStroke::Dashed },
            style: theme.style_for(if at == 0 { Meaning::Hunk } else { Meaning::Heading }),
        };
        let all = [Some(chosen), chosen.drawn_with()].into_iter().flatten();
        let drawn = all.enumerate().map(curve).chain(earlier_curve(view, session, points, theme));
        let drawn: Vec<DrawnCurve> = drawn.collect();
        let values =
            drawn.iter().flat_map(|curve| &curve.points).filter_map(|point| point.as_number());
        let band = reference_band(view, chosen).map(|[_, high]| high);
        let highest = values.chain(band).fold(0.0, f64::max);
        let plot = Plot { area: areas.plot_area(), highest: round_up(highest, chosen.is_share()) };
        Self {
            view,
            session,
            points,
            plot,
            rows_below,
            theme,
            drawn_curves: drawn,
            playhead_index: view.point_index(session, points),
        }
    }

    /// Returns ` curves  ● erosion  ○ verbosity `.
    fn legend_spans(&self) -> Vec<Span<'static>> {
        let mut spans = vec![trusted_span(" curves ", self.theme.style_for(Meaning::Title))];
        for curve in &self.drawn_curves {
            spans.push(trusted_span(format!(" {} ", curve.sign), curve.style));
            spans.push(trusted_span(
                format!("{} ", curve.name),
                self.theme.style_for(Meaning::Text),
            ));
        }
        spans
    }

    /// Returns ` computed · profile trajview · 140 rules, built in `, as much of it as fits.
    fn origin_spans(&self, room: usize) -> Vec<Span<'static>> {
        let muted = self.theme.style_for(Meaning::Muted);
        let origin = ValueOrigin::for_number(self.view.number);
        let scores = &self.session.scores;
        let all = match (&scores.ruler, origin) {
            (Some(ruler), ValueOrigin::Computed) => {
                let (said, rules) = (safe_string(&ruler.display_text()), rules_text(ruler.rules));
                let source = safe_string(&ruler.source);
                let name = safe_string(&ruler.name);
                let short = match ruler.is_comparable {
                    true => name,
                    false => format!("{name}, not comparable"),
                };
                let last = if ruler.is_comparable { short.as_str() } else { "not comparable" };
                vec![
                    format!(" computed · {said} · {rules}, {source} "),
                    format!(" {short} · {rules}, {source} "),
                    format!(" {short} · {rules} "),
                    format!(" {short} "),
                    format!(" {last} "),
                ]
            }
            (_, ValueOrigin::Judged) => {
                let who = judged_points::judge_of_number(self.session, self.view.number);
                let who = who.map(|who| format!(" judged by {} ", safe_string(&who)));
                who.into_iter().chain([" judged ".to_owned()]).collect()
            }
            (_, origin) => vec![format!(" {} ", origin.word())],
        };
        let fitting = all.into_iter().find(|words| text::width(words) <= room);
        vec![trusted_span(fitting.unwrap_or_default(), muted)]
    }

    /// Returns what is being measured, what is left out and the source of the band.
    fn remark_spans(&self) -> Vec<Span<'static>> {
        let scores = &self.session.scores;
        let (known, all) = self.view.measured_counts(self.session, self.points);
        let noun = match self.view.shown_axis(self.session) {
            CurveAxis::Steps => "steps",
            CurveAxis::Turns | CurveAxis::Checkpoints => "turns",
        };
        let mut remarks = vec![];
        if scores.is_stopped {
            remarks.push(format!("stopped: {known} of {all} {noun} measured, X continues"));
        } else if scores.is_busy() {
            let files = scores.progress.filter(|(done, total)| done < total);
            let files = files.map(|(done, total)| format!(", {done} of {total} files"));
            let files = files.unwrap_or_default();
            remarks.push(format!("measuring: {known} of {all} {noun}{files}"));
        }
        let at_playhead =
            self.playhead_index.and_then(|here| scores.measured_at(self.points[here].moment()));
        remarks.extend(at_playhead.and_then(left_out_text));
        if let Some([low, high]) = reference_band(self.view, self.view.number) {
            let source = self.view.reference.source.as_deref();
            let source = source.unwrap_or("source not given");
            remarks.push(format!("┄ {low}–{high}: {}", safe_string(source)));
        }
        let is_cut =
            self.view.number == Number::Context && self.compacted_points().next().is_some();
        remarks.extend(is_cut.then(|| "⟲ the context was compacted".to_owned()));
        remarks
            .extend(self.equals_earlier_curve().then(|| "◇ the same values as before".to_owned()));
        if remarks.is_empty() {
            return vec![];
        }
        vec![trusted_span(
            format!(" {} ", remarks.join(" · ")),
            self.theme.style_for(Meaning::Muted),
        )]
    }

    /// Returns true if the chosen number equals the earlier measurement wherever both are known. One line would then
    /// hide the other.
    fn equals_earlier_curve(&self) -> bool {
        let chosen = self.view.number;
        let pair = |point: &RunPoint| {
            let now = curve_values::value_at(chosen, self.session, point);
            now.zip(curve_values::value_before(chosen, self.session, point))
        };
        let mut pairs = self.points.iter().filter_map(pair).peekable();
        pairs.peek().is_some() && pairs.all(|(now, before)| now == before)
    }

    fn point_column(&self, index: usize) -> u16 {
        point_column(index, self.points.len(), usize::from(self.plot.area.width)) as u16
    }

    /// Draws the numbers to the left, the line below, checkpoints and phases under it.
    fn draw_axis(&self, buffer: &mut Buffer) {
        let (plot, muted) = (self.plot.area, self.theme.style_for(Meaning::Muted));
        self.plot.draw_axis(usize::from(CELLS_LEFT_OF_PLOT - 3), muted, buffer);
        let below = plot.bottom();
        let run = &self.session.run;
        for stretch in curve_points::checkpoint_stretches(run, self.points) {
            put_text(
                buffer,
                (plot.x + self.point_column(stretch.points.end - 1), below),
                "┴",
                muted,
            );
        }
        self.draw_signals(below, buffer);
        if self.rows_below == 1 {
            return;
        }
        if run.checkpoints.is_empty() {
            self.draw_axis_ends(below + 1, buffer);
        } else {
            self.draw_stretches(
                &curve_points::checkpoint_stretches(run, self.points),
                below + 1,
                buffer,
            );
            self.draw_stretches(
                &curve_points::phase_stretches(run, self.points),
                below + 2,
                buffer,
            );
        }
    }

    /// Draws a mark under each point whose turns have signals, or the steps up to it.
    fn draw_signals(&self, y: u16, buffer: &mut Buffer) {
        for signal in self.session.scores.process.signals() {
            let place = (signal.step.turn, signal.number);
            let at = self.points.partition_point(|point| point.sort_key() < place);
            if at < self.points.len() {
                let place = (self.plot.area.x + self.point_column(at), y);
                put_text(buffer, place, "•", self.theme.style_for(Meaning::Warning));
            }
        }
    }

    /// Draws a mark above each point at which the context was summarised and cut, if the context is drawn.
    fn draw_compactions(&self, buffer: &mut Buffer) {
        for at in self.compacted_points().filter(|_| self.view.number == Number::Context) {
            let place = (self.plot.area.x + self.point_column(at), self.plot.area.y);
            put_text(buffer, place, "⟲", self.theme.style_for(Meaning::Warning));
        }
    }

    /// Returns the indices of the points at which the context was summarised and cut.
    fn compacted_points(&self) -> impl Iterator<Item = usize> + '_ {
        let run = &self.session.run;
        (0..self.points.len()).filter(move |at| curve_points::has_compaction(run, self.points, *at))
    }

    /// Draws the numbers of the first and the last turn or step.
    fn draw_axis_ends(&self, y: u16, buffer: &mut Buffer) {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else { return };
        let muted = self.theme.style_for(Meaning::Muted);
        if self.points.len() == 1 {
            let words = first.display_text();
            let x = self.plot.area.x + self.point_column(0);
            let x = x.saturating_sub(words.len() as u16 / 2).max(self.plot.area.x);
            return put_text(buffer, (x, y), &words, muted);
        }
        put_text(buffer, (self.plot.area.x, y), &first.display_text(), muted);
        let words = match (last.step, first.step) {
            (None, None) => last.done.to_string(),
            _ => last.display_text(),
        };
        let x = self.plot.area.right().saturating_sub(words.len() as u16);
        put_text(buffer, (x, y), &words, muted);
    }

    /// Draws names in the middle of what they name, and leaves out those that do not fit.
    fn draw_stretches(&self, stretches: &[PointStretch], y: u16, buffer: &mut Buffer) {
        let mut free = self.plot.area.x;
        for stretch in stretches {
            let (first, last) = (stretch.points.start, stretch.points.end - 1);
            let middle = (self.point_column(first) + self.point_column(last)) / 2;
            let name = safe_string(&stretch.name);
            let width = text::width(&name) as u16;
            let x = (self.plot.area.x + middle).saturating_sub(width / 2).max(self.plot.area.x);
            let x = x.min((self.plot.area.right() + CELLS_OVER_AXIS_END).saturating_sub(width));
            let is_here = self.playhead_index.is_some_and(|here| stretch.points.contains(&here));
            if x < free {
                continue;
            }
            let meaning = if is_here { Meaning::Title } else { Meaning::Muted };
            put_text(buffer, (x, y), &name, self.theme.style_for(meaning));
            free = x + width + 1;
        }
    }

    fn draw_band(&self, buffer: &mut Buffer) {
        for value in reference_band(self.view, self.view.number).into_iter().flatten() {
            self.plot.draw_level(value, self.theme.style_for(Meaning::Warning), buffer);
        }
    }

    fn draw_playhead(&self, buffer: &mut Buffer) {
        if let Some(hovered) = self.view.hovered.filter(|it| *it < self.points.len()) {
            self.plot.draw_vertical(
                self.point_column(hovered),
                "┊",
                self.theme.style_for(Meaning::Muted),
                buffer,
            );
        }
        let Some(here) = self.playhead_index else { return };
        let (column, style) = (self.point_column(here), self.theme.style_for(Meaning::Playing));
        self.plot.draw_vertical(column, "│", style, buffer);
        put_text(buffer, (self.plot.area.x + column, self.plot.area.bottom()), "▲", style);
    }

    fn draw_curves(&self, buffer: &mut Buffer) {
        let trace = |curve: &DrawnCurve| PlotTrace {
            points: line_points(&curve.points, |index| self.point_column(index)),
            stroke: curve.stroke,
            sign: curve.sign,
            style: curve.style,
        };
        let traces: Vec<PlotTrace> = self.drawn_curves.iter().map(trace).collect();
        self.plot.draw_traces(&traces, self.theme, buffer);
        for (curve, here) in
            self.drawn_curves.iter().rev().filter_map(|curve| Some((curve, self.playhead_index?)))
        {
            if let Some(value) = curve.points[here].as_number() {
                self.plot.draw_inspected_value(
                    self.point_column(here),
                    value,
                    curve.sign,
                    self.theme,
                    buffer,
                );
            }
        }
    }

    /// Draws the name of each curve to the right of its last point.
    fn draw_curve_names(&self, buffer: &mut Buffer) {
        let mut taken = vec![];
        for curve in &self.drawn_curves {
            let last = curve.points.iter().rev().find_map(|point| point.as_number());
            let Some(last) = last else { continue };
            let rows = self.plot.area.y..self.plot.area.bottom();
            let near = [0, 1, -1, 2, -2];
            let near = near.map(|by| self.plot.screen_row(last).saturating_add_signed(by));
            let free = near.into_iter().find(|y| rows.contains(y) && !taken.contains(y));
            let Some(y) = free else { continue };
            taken.push(y);
            let words = format!("{} {}", curve.sign, curve.short);
            let words =
                text::truncate(&words, usize::from(CELLS_RIGHT_OF_PLOT - 1), "…").into_owned();
            let at = (self.plot.area.right() + 1, y);
            put_text(buffer, at, &words, curve.style);
        }
        if self
            .drawn_curves
            .iter()
            .all(|curve| curve.points.iter().all(|point| point.as_number().is_none()))
        {
            let scores = &self.session.scores;
            let (known, all) = self.view.measured_counts(self.session, self.points);
            let is_coming = ValueOrigin::for_number(self.view.number) == ValueOrigin::Computed
                && !scores.is_stopped
                && known < all;
            let words = match self.view.number.is_measured() {
                _ if is_coming => "measuring…",
                true => "not measured",
                false => "not recorded",
            };
            draw_sentence(words, self.theme.style_for(Meaning::Muted), self.plot.area, buffer);
        }
    }
}

/// Returns the reason for a gap, or what the numbers leave out.
fn left_out_text(measured: &MeasuredMoment) -> Option<String> {
    let skipped = match &measured.snapshot {
        Ok(snapshot) => snapshot.skipped.as_slice(),
        Err(why) => return Some(format!("not measured here: {}", safe_string(&why.to_string()))),
    };
    let not_recorded = match measured.not_recorded {
        0 => None,
        1 => Some("1 file here is not recorded and excluded".to_owned()),
        count => Some(format!("{count} files here are not recorded and excluded")),
    };
    let skipped = match skipped {
        [] => None,
        [one] => Some(format!("excluded here: {}: {}", safe_string(&one.path), one.why.why())),
        [first, others @ ..] => {
            let (path, why, count) = (safe_string(&first.path), first.why.why(), others.len());
            Some(format!("excluded here: {path}: {why}, and {count} more files"))
        }
    };
    let parts: Vec<String> = not_recorded.into_iter().chain(skipped).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

fn reference_band(view: &CurvesView, number: Number) -> Option<[f64; 2]> {
    let reference = &view.reference;
    let bands = [(Number::Erosion, reference.erosion), (Number::Verbosity, reference.verbosity)];
    bands.into_iter().find(|(other, _)| *other == number)?.1
}
