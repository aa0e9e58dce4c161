//! The strip along the playhead: where signals are, quiet where there are none.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    session::Session,
    widgets::{
        line::own,
        theme::{Meaning, Theme},
    },
};

/// One cell for each turn, or for several where there is no room: `·` nothing, `○` a failure that was tried again, `━` a signal
/// goes on, `•` one signal, `◆` several; the playhead's is marked.
pub fn draw(session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let turns = session.run.turns.len();
    let width = usize::from(area.width.saturating_sub(2));
    if area.height == 0 || turns == 0 || width == 0 {
        return;
    }
    let cell_of = |turn: usize| turn.min(turns - 1) * turns.min(width) / turns;
    let mut cells = vec![Cell::default(); turns.min(width)];
    for signal in session.scores.worked.signals() {
        let (from, to) = (cell_of(signal.step.turn), cell_of(signal.until.turn));
        cells[from].signals += 1;
        cells[from..=to.max(from)].iter_mut().for_each(|cell| cell.goes_on = true);
    }
    if let Some(Ok(Some(report))) = session.scores.worked.report() {
        report.cycles.iter().for_each(|it| cells[cell_of(it.failed.turn)].is_recovery = true);
    }
    let playhead = cell_of(session.turn);
    let drawn = |(at, cell): (usize, &Cell)| {
        let (sign, meaning) = cell.sign();
        let style = theme.of(meaning);
        own(sign, if at == playhead { style.patch(theme.of(Meaning::Cursor)) } else { style })
    };
    let spans: Vec<_> = std::iter::once(own(" ", theme.of(Meaning::Text)))
        .chain(cells.iter().enumerate().map(drawn))
        .collect();
    Line::from(spans).render(area, buffer);
}

/// What is known of the turns of one cell.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    /// Those that open here.
    signals: usize,
    goes_on: bool,
    is_recovery: bool,
}

impl Cell {
    const fn sign(self) -> (&'static str, Meaning) {
        match (self.signals, self.goes_on, self.is_recovery) {
            (0, true, _) => ("━", Meaning::Warning),
            (0, false, true) => ("○", Meaning::Muted),
            (0, false, false) => ("·", Meaning::Muted),
            (1, ..) => ("•", Meaning::Warning),
            _ => ("◆", Meaning::Warning),
        }
    }
}
