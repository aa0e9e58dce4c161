//! Draws lines over columns. One scale places a line, its signs and the ticks of the axis: a cell is four dots high,
//! and the labels of the axis are between the middle of the lowest cell and that of the highest.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Style},
    text::Line,
    widgets::Widget,
};

use trajview_run::format_number;

use super::{
    braille::{DotGrid, LineStroke},
    text,
    theme::{Meaning, Theme},
};

/// The area of a plot, with a scale from 0 at the lower edge to `highest` at the upper one.
#[derive(Debug, Clone, Copy)]
pub struct Plot {
    pub area: Rect,
    pub highest: f64,
}

/// A line through values at columns of the plot.
pub struct PlotTrace {
    /// Column and value, from left to right. None ends the line; the next value begins another.
    pub points: Vec<(u16, Option<f64>)>,
    pub stroke: LineStroke,
    /// The sign at a value without neighbours, at the playhead, and beside the line's name.
    pub sign: char,
    pub style: Style,
}

/// Cells between ticks, at least.
const MIN_ROWS_BETWEEN_TICKS: u16 = 5;

impl Plot {
    fn height_in_dots(&self) -> usize {
        usize::from(self.area.height) * 4
    }

    /// Returns the distance below the upper edge, in dots.
    fn dot_row(&self, value: f64) -> usize {
        // Half a cell stays free at both edges, where the ticks of 0 and of the highest value have their middle.
        let (first, last) = (1, self.height_in_dots().saturating_sub(2).max(1));
        let share = (value / self.highest).clamp(0.0, 1.0);
        last - (share * (last - first) as f64).round() as usize
    }

    /// Returns the row of the screen for a value.
    pub(crate) fn screen_row(&self, value: f64) -> u16 {
        self.area.y + (self.dot_row(value) / 4) as u16
    }

    /// Returns the values of the ticks, 0 first, as many as the height allows.
    pub(crate) fn tick_values(&self) -> Vec<f64> {
        let parts = match self.area.height {
            0..=1 => return vec![],
            height if height > 4 * MIN_ROWS_BETWEEN_TICKS => 4,
            height if height > 2 * MIN_ROWS_BETWEEN_TICKS => 2,
            _ => 1,
        };
        (0..=parts).map(|part| self.highest * f64::from(part) / f64::from(parts)).collect()
    }

    /// Returns the label of a tick, with decimals where whole numbers would not distinguish the ticks.
    fn tick_text(&self, tick: f64) -> String {
        match self.highest {
            ..10.0 => format_number::trimmed_decimals(tick),
            _ => format_number::short_count(tick.round() as u64),
        }
    }

    /// Draws the lines to the left of the plot and below it, and the ticks with their labels in `room` cells.
    pub(crate) fn draw_axis(&self, room: usize, style: Style, buffer: &mut Buffer) {
        let area = self.area;
        for y in area.y..area.bottom() {
            put_text(buffer, (area.x - 1, y), "│", style);
        }
        for tick in self.tick_values() {
            let words = format!("{:>room$} ┤", self.tick_text(tick));
            let x = (area.x).saturating_sub(text::width(&words) as u16);
            put_text(buffer, (x, self.screen_row(tick)), &words, style);
        }
        let line = format!("└{}", "─".repeat(usize::from(area.width)));
        put_text(buffer, (area.x - 1, area.bottom()), &line, style);
    }

    /// Draws the traces, the first on top. Where a later one would be hidden by an earlier one, it is drawn a little
    /// above it.
    pub(crate) fn draw_traces(&self, traces: &[PlotTrace], theme: Theme, buffer: &mut Buffer) {
        for (at, trace) in traces.iter().enumerate().rev() {
            let mut grid = DotGrid::new(self.area);
            let mut before = None;
            for (column, value) in &trace.points {
                let Some(value) = *value else {
                    before = None;
                    continue;
                };
                let hidden = traces[..at]
                    .iter()
                    .any(|over| over.is_near_dot(*column, self.dot_row(value), self));
                let dot = self.dot_row(value);
                let dot = if hidden { dot.saturating_sub(2) } else { dot };
                let here = (usize::from(*column) * 2, dot);
                grid.draw_line(before.unwrap_or(here), here, trace.stroke);
                before = Some(here);
            }
            // A level or the playhead below must not colour the line.
            let ink = theme.theme_shades().map_or(Color::Reset, |shades| shades.foreground);
            let style = trace.style.fg(trace.style.fg.unwrap_or(ink));
            grid.draw(trace.stroke.ascii_char(), style, theme.alphabet(), buffer);
        }
        for trace in traces.iter().rev() {
            self.draw_lone_values(trace, buffer);
        }
    }

    /// Draws signs on values without a neighbour, which no line shows.
    fn draw_lone_values(&self, trace: &PlotTrace, buffer: &mut Buffer) {
        let has = |at: Option<usize>| {
            at.and_then(|at| trace.points.get(at)).is_some_and(|(_, value)| value.is_some())
        };
        for (at, (column, value)) in trace.points.iter().enumerate() {
            if let Some(value) = value
                && !has(at.checked_sub(1))
                && !has(Some(at + 1))
            {
                self.draw_sign(*column, *value, trace.sign, trace.style, buffer);
            }
        }
    }

    /// Draws the sign of a trace at the inspected column.
    pub(crate) fn draw_inspected_value(
        &self,
        column: u16,
        value: f64,
        sign: char,
        theme: Theme,
        buffer: &mut Buffer,
    ) {
        self.draw_sign(column, value, sign, theme.style_for(Meaning::CurrentHit), buffer);
    }

    fn draw_sign(&self, column: u16, value: f64, sign: char, style: Style, buffer: &mut Buffer) {
        put_text(buffer, (self.area.x + column, self.screen_row(value)), &sign.to_string(), style);
    }

    /// Draws a value over the whole width: one without a moment, or a reference.
    pub(crate) fn draw_level(&self, value: f64, style: Style, buffer: &mut Buffer) {
        let line: String = "┄".repeat(usize::from(self.area.width));
        put_text(buffer, (self.area.x, self.screen_row(value)), &line, style);
    }

    /// Draws a line from top to bottom.
    pub(crate) fn draw_vertical(&self, column: u16, sign: &str, style: Style, buffer: &mut Buffer) {
        for y in self.area.y..self.area.bottom() {
            put_text(buffer, (self.area.x + column, y), sign, style);
        }
    }
}

impl PlotTrace {
    fn is_near_dot(&self, column: u16, dot: usize, plot: &Plot) -> bool {
        let first = self.points.partition_point(|(other, _)| *other < column);
        let here = self.points.get(first).filter(|(other, _)| *other == column);
        here.and_then(|(_, value)| *value)
            .is_some_and(|value| plot.dot_row(value).abs_diff(dot) < 2)
    }
}

/// Draws text, cut at the edges of the screen.
pub(crate) fn put_text(buffer: &mut Buffer, (x, y): (u16, u16), words: &str, style: Style) {
    let width = text::width(words) as u16;
    let area = Rect { x, y, width, height: 1 }.intersection(buffer.area);
    if !area.is_empty() {
        Line::styled(words.to_owned(), style).render(area, buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn_text(traces: &[PlotTrace], size: (u16, u16)) -> String {
        let area = Rect::new(6, 0, size.0, size.1);
        let plot = Plot { area, highest: 1.0 };
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6 + size.0, size.1 + 1));
        plot.draw_axis(4, Style::default(), &mut buffer);
        plot.draw_traces(traces, Theme::without_colours(), &mut buffer);
        crate::widgets::export::frame_text(&buffer)
    }

    fn full_trace(values: &[f64], stroke: LineStroke) -> PlotTrace {
        let points = values.iter().enumerate().map(|(at, value)| (at as u16 * 3, Some(*value)));
        PlotTrace { points: points.collect(), stroke, sign: '●', style: Style::default() }
    }

    #[test]
    fn a_line_at_a_tick_is_beside_it() {
        let shown = drawn_text(&[full_trace(&[0.0, 0.0, 1.0, 1.0], LineStroke::Full)], (10, 4));
        let rows: Vec<&str> = shown.lines().collect();
        assert!(
            rows[0].starts_with("   1 ┤      ") && rows[0].ends_with('⠉') || rows[0].contains('⠒'),
            "{shown}"
        );
        assert!(rows[3].starts_with("   0 ┤⠤") || rows[3].starts_with("   0 ┤⠒"), "{shown}");
    }

    #[test]
    fn two_equal_lines_are_both_seen() {
        let one = drawn_text(&[full_trace(&[0.5, 0.5], LineStroke::Full)], (4, 4));
        let two = drawn_text(
            &[
                full_trace(&[0.5, 0.5], LineStroke::Full),
                full_trace(&[0.5, 0.5], LineStroke::Dashed),
            ],
            (4, 4),
        );
        assert_ne!(one, two);
    }

    #[test]
    fn a_value_alone_has_a_sign() {
        assert!(drawn_text(&[full_trace(&[0.5], LineStroke::Full)], (4, 4)).contains('●'));
    }

    #[test]
    fn ticks_are_as_many_as_there_is_height_for() {
        let count =
            |height| Plot { area: Rect::new(0, 0, 9, height), highest: 2.0 }.tick_values().len();
        assert_eq!([0, 1, 2, 10, 11, 20, 21, 60].map(count), [0, 0, 2, 2, 3, 3, 5, 5]);
    }
}
