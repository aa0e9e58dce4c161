//! Lines over columns. One scale says where a line, a sign on it and a tick beside it stand: a cell is four dots high,
//! and what an axis names lies between the middle of the lowest cell and that of the highest.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Style},
    text::Line,
    widgets::Widget,
};

use trajview_run::figures;

use super::{
    dots::{Grid, Stroke},
    text,
    theme::{Meaning, Theme},
};

/// Where values stand, from 0 at the lower edge to `most` at the upper one.
#[derive(Debug, Clone, Copy)]
pub struct Plot {
    pub area: Rect,
    pub most: f64,
}

/// A line through values at columns of the plot.
pub struct Trace {
    /// By column, from left to right. None ends the line; the next value begins another.
    pub points: Vec<(u16, Option<f64>)>,
    pub stroke: Stroke,
    /// At a value that stands alone, at the playhead, and beside the line's name.
    pub sign: char,
    pub style: Style,
}

/// Cells between ticks, at least.
const TICKS_APART: u16 = 5;

impl Plot {
    fn dots(&self) -> usize {
        usize::from(self.area.height) * 4
    }

    /// Dots below the upper edge.
    fn dot(&self, value: f64) -> usize {
        // Half a cell stays free at both edges, where the ticks of 0 and of the highest value have their middle.
        let (first, last) = (1, self.dots().saturating_sub(2).max(1));
        let share = (value / self.most).clamp(0.0, 1.0);
        last - (share * (last - first) as f64).round() as usize
    }

    /// The row of the screen.
    pub fn row(&self, value: f64) -> u16 {
        self.area.y + (self.dot(value) / 4) as u16
    }

    /// As many parts of the highest value as there is height for, 0 first.
    pub fn ticks(&self) -> Vec<f64> {
        let parts = match self.area.height {
            0..=1 => return vec![],
            height if height > 4 * TICKS_APART => 4,
            height if height > 2 * TICKS_APART => 2,
            _ => 1,
        };
        (0..=parts).map(|part| self.most * f64::from(part) / f64::from(parts)).collect()
    }

    /// Decimals where whole numbers would not tell the ticks apart.
    fn written(&self, tick: f64) -> String {
        match self.most {
            ..10.0 => figures::trimmed(tick),
            _ => figures::short(tick.round() as u64),
        }
    }

    /// The lines to the left of the plot and below it, and the ticks with their words in `room` cells.
    pub fn axis(&self, room: usize, style: Style, buffer: &mut Buffer) {
        let area = self.area;
        for y in area.y..area.bottom() {
            put(buffer, (area.x - 1, y), "│", style);
        }
        for tick in self.ticks() {
            let words = format!("{:>room$} ┤", self.written(tick));
            let x = (area.x).saturating_sub(text::width(&words) as u16);
            put(buffer, (x, self.row(tick)), &words, style);
        }
        let line = format!("└{}", "─".repeat(usize::from(area.width)));
        put(buffer, (area.x - 1, area.bottom()), &line, style);
    }

    /// The traces, the first on top. Where a later one would lie under an earlier, it is drawn a little above it.
    pub fn traces(&self, traces: &[Trace], theme: Theme, buffer: &mut Buffer) {
        for (at, trace) in traces.iter().enumerate().rev() {
            let mut grid = Grid::of(self.area);
            let mut before = None;
            for (column, value) in &trace.points {
                let Some(value) = *value else {
                    before = None;
                    continue;
                };
                let hidden =
                    traces[..at].iter().any(|over| over.is_at(*column, self.dot(value), self));
                let dot = self.dot(value);
                let dot = if hidden { dot.saturating_sub(2) } else { dot };
                let here = (usize::from(*column) * 2, dot);
                grid.line(before.unwrap_or(here), here, trace.stroke);
                before = Some(here);
            }
            // What lies below, a level or the playhead, must not colour the line.
            let ink = theme.shades().map_or(Color::Reset, |shades| shades.ink);
            let style = trace.style.fg(trace.style.fg.unwrap_or(ink));
            grid.draw(trace.stroke.ascii(), style, theme.alphabet(), buffer);
        }
        for trace in traces.iter().rev() {
            self.lonely(trace, buffer);
        }
    }

    /// Signs on values without a neighbour, which no line shows.
    fn lonely(&self, trace: &Trace, buffer: &mut Buffer) {
        let has = |at: Option<usize>| {
            at.and_then(|at| trace.points.get(at)).is_some_and(|(_, value)| value.is_some())
        };
        for (at, (column, value)) in trace.points.iter().enumerate() {
            if let Some(value) = value
                && !has(at.checked_sub(1))
                && !has(Some(at + 1))
            {
                self.sign(*column, *value, trace.sign, trace.style, buffer);
            }
        }
    }

    /// The sign of a trace at a column, as it is looked at.
    pub fn looked_at(
        &self,
        column: u16,
        value: f64,
        sign: char,
        theme: Theme,
        buffer: &mut Buffer,
    ) {
        self.sign(column, value, sign, theme.of(Meaning::CurrentHit), buffer);
    }

    fn sign(&self, column: u16, value: f64, sign: char, style: Style, buffer: &mut Buffer) {
        put(buffer, (self.area.x + column, self.row(value)), &sign.to_string(), style);
    }

    /// A value over the whole width: what has no other moment, or a reference.
    pub fn level(&self, value: f64, style: Style, buffer: &mut Buffer) {
        let line: String = "┄".repeat(usize::from(self.area.width));
        put(buffer, (self.area.x, self.row(value)), &line, style);
    }

    /// A line from top to bottom.
    pub fn upright(&self, column: u16, sign: &str, style: Style, buffer: &mut Buffer) {
        for y in self.area.y..self.area.bottom() {
            put(buffer, (self.area.x + column, y), sign, style);
        }
    }
}

impl Trace {
    fn is_at(&self, column: u16, dot: usize, plot: &Plot) -> bool {
        let first = self.points.partition_point(|(other, _)| *other < column);
        let here = self.points.get(first).filter(|(other, _)| *other == column);
        here.and_then(|(_, value)| *value).is_some_and(|value| plot.dot(value).abs_diff(dot) < 2)
    }
}

/// Words on the screen, as much of them as lies on it.
pub fn put(buffer: &mut Buffer, (x, y): (u16, u16), words: &str, style: Style) {
    let width = text::width(words) as u16;
    let area = Rect { x, y, width, height: 1 }.intersection(buffer.area);
    if !area.is_empty() {
        Line::styled(words.to_owned(), style).render(area, buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(traces: &[Trace], size: (u16, u16)) -> String {
        let area = Rect::new(6, 0, size.0, size.1);
        let plot = Plot { area, most: 1.0 };
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6 + size.0, size.1 + 1));
        plot.axis(4, Style::default(), &mut buffer);
        plot.traces(traces, Theme::plain(), &mut buffer);
        crate::widgets::export::text(&buffer)
    }

    fn trace(values: &[f64], stroke: Stroke) -> Trace {
        let points = values.iter().enumerate().map(|(at, value)| (at as u16 * 3, Some(*value)));
        Trace { points: points.collect(), stroke, sign: '●', style: Style::default() }
    }

    #[test]
    fn a_line_at_a_tick_is_beside_it() {
        let shown = drawn(&[trace(&[0.0, 0.0, 1.0, 1.0], Stroke::Full)], (10, 4));
        let rows: Vec<&str> = shown.lines().collect();
        assert!(
            rows[0].starts_with("   1 ┤      ") && rows[0].ends_with('⠉') || rows[0].contains('⠒'),
            "{shown}"
        );
        assert!(rows[3].starts_with("   0 ┤⠤") || rows[3].starts_with("   0 ┤⠒"), "{shown}");
    }

    #[test]
    fn two_equal_lines_are_both_seen() {
        let one = drawn(&[trace(&[0.5, 0.5], Stroke::Full)], (4, 4));
        let two =
            drawn(&[trace(&[0.5, 0.5], Stroke::Full), trace(&[0.5, 0.5], Stroke::Dashed)], (4, 4));
        assert_ne!(one, two);
    }

    #[test]
    fn a_value_alone_has_a_sign() {
        assert!(drawn(&[trace(&[0.5], Stroke::Full)], (4, 4)).contains('●'));
    }

    #[test]
    fn ticks_are_as_many_as_there_is_height_for() {
        let count = |height| Plot { area: Rect::new(0, 0, 9, height), most: 2.0 }.ticks().len();
        assert_eq!([0, 1, 2, 10, 11, 20, 21, 60].map(count), [0, 0, 2, 2, 3, 3, 5, 5]);
    }
}
