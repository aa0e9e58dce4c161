//! The strip along the playhead: where signals are, quiet where there are none.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    session::Session,
    widgets::{
        line::own,
        theme::{Meaning, Theme},
    },
};

/// One cell for each turn, or for several where there is no room: `·` nothing, `•` a signal, `◆` several; the playhead's is
/// marked.
pub fn draw(session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let turns = session.run.turns.len();
    let width = usize::from(area.width.saturating_sub(2));
    if area.height == 0 || turns == 0 || width == 0 {
        return;
    }
    let cells = turns.min(width);
    let mut counts = vec![0usize; cells];
    for signal in session.scores.worked.signals() {
        counts[signal.step.turn * cells / turns] += 1;
    }
    let playhead = session.turn * cells / turns;
    let cell = |(at, count): (usize, &usize)| {
        let (sign, meaning) = match count {
            0 => ("·", Meaning::Muted),
            1 => ("•", Meaning::Warning),
            _ => ("◆", Meaning::Warning),
        };
        let style = theme.of(meaning);
        own(sign, if at == playhead { style.patch(theme.of(Meaning::Cursor)) } else { style })
    };
    let spans: Vec<_> = std::iter::once(own(" ", theme.of(Meaning::Text)))
        .chain(counts.iter().enumerate().map(cell))
        .collect();
    Line::from(spans).render(area, buffer);
}
