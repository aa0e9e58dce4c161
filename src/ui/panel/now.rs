//! The turn on screen in numbers.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Block, Widget},
};

use super::put_row;
use crate::{
    app::{
        now::{ROWS, Value},
        replay::Replay,
    },
    ui::{
        line::{amount, duration, fit, own},
        theme::{Meaning, Theme},
    },
};

pub fn draw(replay: &Replay, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let words = format!(" up to turn {} ", replay.turn + 1);
    let block = Block::bordered()
        .border_style(theme.of(Meaning::Border))
        .title(Line::styled(words, theme.of(Meaning::Text)));
    let inner = block.inner(area);
    block.render(area, buffer);
    let width = usize::from(inner.width);
    for (y, row) in ROWS.iter().enumerate() {
        let value = (row.value)(replay);
        let label = format!(" {}", row.label);
        let mut spans = vec![own(format!("{label:<LABEL$} "), theme.of(Meaning::Muted))];
        spans.extend(say(&value, replay.turn, width.saturating_sub(LABEL + 2), theme));
        put_row(Line::from(fit(spans, width)), None, inner, y as u16, buffer);
    }
}

/// Cells of the names.
const LABEL: usize = 12;

fn say(value: &Value, turn: usize, width: usize, theme: Theme) -> Vec<Span<'static>> {
    let plain = |words: String| vec![own(words, theme.of(Meaning::Text))];
    match value {
        Value::Tokens { read, written } => {
            plain(format!("{} read · {} written", amount(*read, ""), amount(*written, "")))
        }
        Value::Dollars(dollars) => plain(format!("${dollars:.2}")),
        Value::Count(count) => plain(count.to_string()),
        Value::Seconds(seconds) => plain(duration(*seconds)),
        Value::Progress { checkpoint: [at, all], turn: [here, turns] } => {
            plain(format!("{at} of {all}, turn {here} of {turns}"))
        }
        Value::Curve(points) => curve(points, turn, width, theme),
        Value::NotRecorded => vec![own("not recorded", theme.of(Meaning::Muted))],
        Value::Waiting => vec![own("…", theme.of(Meaning::Muted))],
    }
}

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A bar a turn, the one on screen marked, those to come muted; where turns do not fit, each bar is the highest of
/// several. A dot is 0, a blank is not recorded.
fn curve(points: &[Option<u64>], turn: usize, width: usize, theme: Theme) -> Vec<Span<'static>> {
    let per_cell = points.len().div_ceil(width.max(1)).max(1);
    let most = points.iter().flatten().max().copied().unwrap_or_default().max(1);
    let cells = points.chunks(per_cell).enumerate().map(|(cell, points)| {
        let sign = match points.iter().flatten().max() {
            None => ' ',
            Some(0) => '·',
            Some(point) => LEVELS[((point - 1).saturating_mul(8) / most).min(7) as usize],
        };
        let meaning = match cell.cmp(&(turn / per_cell)) {
            std::cmp::Ordering::Less => Meaning::Hunk,
            std::cmp::Ordering::Equal => Meaning::CurrentHit,
            std::cmp::Ordering::Greater => Meaning::Muted,
        };
        own(sign, theme.of(meaning))
    });
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(points: &[Option<u64>], width: usize) -> String {
        Line::from(curve(points, 0, width, Theme::plain())).to_string()
    }

    #[test]
    fn a_curve_tells_nothing_from_zero_and_fits() {
        assert_eq!(drawn(&[None, Some(0), Some(1), Some(4), Some(8)], 10), " ·▁▄█");
        assert_eq!(drawn(&[Some(1), Some(8), Some(4), Some(0)], 2), "█▄");
        assert_eq!(drawn(&[], 10), "");
    }
}
