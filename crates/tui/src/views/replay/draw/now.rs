//! The turn on screen in numbers.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Block, Widget},
};

use crate::{
    session::{Session, standings::Standing},
    views::replay::now::{ROWS, Value},
    widgets::{
        line::{fit, own, recorded, safe},
        panel::put_row,
        spark::spark,
        theme::{Meaning, Theme},
    },
};
use trajview_run::figures;

pub fn draw(session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let words = format!(" up to turn {} ", session.turn + 1);
    let block = Block::bordered()
        .border_style(theme.of(Meaning::Border))
        .title(Line::styled(words, theme.of(Meaning::Text)));
    let inner = block.inner(area);
    block.render(area, buffer);
    let width = usize::from(inner.width);
    for (y, row) in ROWS.iter().enumerate() {
        let value = (row.value)(session);
        let label = format!(" {}", (row.label)());
        let mut spans = vec![own(format!("{label:<LABEL$} "), theme.of(Meaning::Muted))];
        spans.extend(say(&value, session.turn, width.saturating_sub(LABEL + 2), theme));
        put_row(Line::from(fit(spans, width)), None, inner, y as u16, buffer);
    }
    for (row, y) in session.standings().iter().zip(ROWS.len() as u16..) {
        put_row(Line::from(fit(standing(row, theme), width)), None, inner, y, buffer);
    }
}

/// `C10  1 Wrong  ▼3  Cosine noise schedule`
fn standing(row: &Standing, theme: Theme) -> Vec<Span<'static>> {
    let change = match row.change {
        Some(by) if by < 0 => own(format!(" ▼{} ", by.unsigned_abs()), theme.of(Meaning::Removed)),
        Some(by) if by > 0 => own(format!(" ▲{by} "), theme.of(Meaning::Added)),
        _ => own("    ", theme.of(Meaning::Muted)),
    };
    let label = format!(" {}", safe(&row.id));
    vec![
        own(format!("{label:<LABEL$} "), theme.of(Meaning::Muted)),
        own(row.score.to_string(), theme.of(Meaning::Text)),
        change,
        recorded(&row.name, theme.of(Meaning::Muted)),
    ]
}

/// Cells of the names.
const LABEL: usize = 12;

fn say(value: &Value, turn: usize, width: usize, theme: Theme) -> Vec<Span<'static>> {
    let plain = |words: String| vec![own(words, theme.of(Meaning::Text))];
    match value {
        Value::Tokens { read, written } => {
            plain(format!("{} read · {} written", figures::short(*read), figures::short(*written)))
        }
        Value::Dollars(dollars) => plain(figures::dollars(*dollars)),
        Value::Count(count) => plain(count.to_string()),
        Value::Seconds(seconds) => plain(figures::duration(*seconds)),
        Value::Progress { checkpoint: [at, all], turn: [here, turns] } => {
            plain(format!("{at} of {all}, turn {here} of {turns}"))
        }
        Value::Curve(points) => spark(points, turn, width, theme),
        Value::Score(said, points) => {
            let room = width.saturating_sub(said.len() + 2);
            let value = own(format!("{said}  "), theme.of(Meaning::Text));
            [value].into_iter().chain(spark(points, turn, room, theme)).collect()
        }
        Value::NotRecorded => vec![own("not recorded", theme.of(Meaning::Muted))],
        Value::Waiting => vec![own("…", theme.of(Meaning::Muted))],
    }
}
