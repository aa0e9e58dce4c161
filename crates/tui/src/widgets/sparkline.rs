//! A curve in one row of cells.

use ratatui::text::Span;

use super::{
    line::trusted_span,
    theme::{Meaning, Theme},
};

const BAR_LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Returns one bar per point, the one at `here` marked, later ones muted; where points do not fit, each bar is the
/// highest of several. A dot is 0, a blank is not recorded. Values are not negative.
pub(crate) fn sparkline_spans(
    points: &[Option<f64>],
    here: usize,
    width: usize,
    theme: Theme,
) -> Vec<Span<'static>> {
    let per_cell = points.len().div_ceil(width.max(1)).max(1);
    let highest = |points: &[Option<f64>]| points.iter().flatten().copied().reduce(f64::max);
    let most = highest(points).filter(|most| *most > 0.0).unwrap_or(1.0);
    let cells = points.chunks(per_cell).enumerate().map(|(cell, points)| {
        let sign = bar_char(highest(points), most);
        let meaning = match cell.cmp(&(here / per_cell)) {
            std::cmp::Ordering::Less => Meaning::Hunk,
            std::cmp::Ordering::Equal => Meaning::CurrentHit,
            std::cmp::Ordering::Greater => Meaning::Muted,
        };
        trusted_span(sign, theme.style_for(meaning))
    });
    cells.collect()
}

/// Returns one bar per point, on a scale from 0 to `most`; signs as in [`sparkline_spans`].
pub fn bars_text(points: &[Option<f64>], most: f64) -> String {
    points.iter().map(|point| bar_char(*point, most)).collect()
}

pub(crate) fn bar_char(point: Option<f64>, most: f64) -> char {
    match point {
        None => ' ',
        Some(point) if point <= 0.0 => '·',
        Some(point) => BAR_LEVELS[((point * 8.0 / most).ceil() as usize).clamp(1, 8) - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::text::Line;

    fn drawn_text(points: &[Option<f64>], width: usize) -> String {
        Line::from(sparkline_spans(points, 0, width, Theme::without_colours())).to_string()
    }

    #[test]
    fn a_curve_tells_nothing_from_zero_and_fits() {
        let points = [None, Some(0.0), Some(1.0), Some(4.0), Some(8.0)];
        assert_eq!(drawn_text(&points, 10), " ·▁▄█");
        assert_eq!(bars_text(&[Some(0.0), None, Some(0.5), Some(1.0)], 1.0), "· ▄█");
        assert_eq!(drawn_text(&[1.0, 8.0, 4.0, 0.0].map(Some), 2), "█▄");
        assert_eq!(drawn_text(&[], 10), "");
    }
}
