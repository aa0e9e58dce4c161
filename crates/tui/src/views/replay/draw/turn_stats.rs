//! The turn on screen in numbers.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Block, Widget},
};

use crate::{
    session::{Session, component_scores_at_turn::ComponentAtTurn},
    views::replay::turn_stats::{TURN_STATS, TurnStatValue},
    widgets::{
        line::{fit_spans, recorded_span, safe_string, trusted_span},
        panel::put_row,
        sparkline::sparkline_spans,
        theme::{Meaning, Theme},
    },
};
use trajview_run::format_number;

pub fn draw(session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let words = format!(" Run at turn {} ", session.turn + 1);
    let block = Block::bordered()
        .border_style(theme.style_for(Meaning::Border))
        .title(Line::styled(words, theme.style_for(Meaning::Text)));
    let inner = block.inner(area);
    block.render(area, buffer);
    let width = usize::from(inner.width);
    for (y, row) in TURN_STATS.iter().enumerate() {
        let value = (row.value)(session);
        let label = format!(" {}", (row.label)());
        let mut spans =
            vec![trusted_span(format!("{label:<LABEL_CELLS$} "), theme.style_for(Meaning::Muted))];
        spans.extend(value_spans(
            &value,
            session.turn,
            width.saturating_sub(LABEL_CELLS + 2),
            theme,
        ));
        put_row(Line::from(fit_spans(spans, width)), None, inner, y as u16, buffer);
    }
    for (row, y) in session.components_at_turn().iter().zip(TURN_STATS.len() as u16..) {
        put_row(Line::from(fit_spans(component_spans(row, theme), width)), None, inner, y, buffer);
    }
}

/// Returns `C10  1 ▼3 turn 39  Cosine noise schedule`, with the turn that was judged.
fn component_spans(row: &ComponentAtTurn, theme: Theme) -> Vec<Span<'static>> {
    let change = match row.change {
        Some(by) if by < 0 => {
            trusted_span(format!(" ▼{} ", by.unsigned_abs()), theme.style_for(Meaning::Removed))
        }
        Some(by) if by > 0 => trusted_span(format!(" ▲{by} "), theme.style_for(Meaning::Added)),
        _ => trusted_span("    ", theme.style_for(Meaning::Muted)),
    };
    let label = format!(" {}", safe_string(&row.id));
    vec![
        trusted_span(format!("{label:<LABEL_CELLS$} "), theme.style_for(Meaning::Muted)),
        trusted_span(row.score.to_string(), theme.style_for(Meaning::Text)),
        change,
        trusted_span(format!("turn {}  ", row.judged), theme.style_for(Meaning::Muted)),
        recorded_span(&row.name, theme.style_for(Meaning::Muted)),
    ]
}

/// Cells of the names.
const LABEL_CELLS: usize = 12;

fn value_spans(
    value: &TurnStatValue,
    turn: usize,
    width: usize,
    theme: Theme,
) -> Vec<Span<'static>> {
    let plain = |words: String| vec![trusted_span(words, theme.style_for(Meaning::Text))];
    match value {
        TurnStatValue::Tokens { read, written } => plain(format!(
            "{} in · {} out",
            format_number::short_count(*read),
            format_number::short_count(*written)
        )),
        TurnStatValue::Dollars(dollars) => plain(format_number::dollars_text(*dollars)),
        TurnStatValue::Count(count) => plain(count.to_string()),
        TurnStatValue::Seconds(seconds) => plain(format_number::duration_text(*seconds)),
        TurnStatValue::Progress { checkpoint: [at, all], turn: [here, turns] } => {
            plain(format!("{at} of {all}, turn {here} of {turns}"))
        }
        TurnStatValue::Curve(points) => sparkline_spans(points, turn, width, theme),
        TurnStatValue::Score(said, points) => {
            let room = width.saturating_sub(said.len() + 2);
            let value = trusted_span(format!("{said}  "), theme.style_for(Meaning::Text));
            [value].into_iter().chain(sparkline_spans(points, turn, room, theme)).collect()
        }
        TurnStatValue::NotRecorded => {
            vec![trusted_span("not recorded", theme.style_for(Meaning::Muted))]
        }
        TurnStatValue::NotMeasured => {
            vec![trusted_span("not measured", theme.style_for(Meaning::Muted))]
        }
        TurnStatValue::Waiting => vec![trusted_span("…", theme.style_for(Meaning::Muted))],
    }
}
