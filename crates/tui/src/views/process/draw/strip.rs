//! The strip of turns: marks where signals are, and nothing elsewhere.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    session::Session,
    widgets::{
        line::trusted_span,
        theme::{Meaning, Theme},
    },
};

/// Draws the turns over the full width, each with the same number of cells: `·` nothing, `○` a failure that was retried,
/// `━` a signal that continues, `•` one signal, `◆` several. The cell of the playhead is marked.
pub(crate) fn draw_turn_strip(session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let turns = session.run.turns.len();
    let width = usize::from(area.width.saturating_sub(2));
    if area.height == 0 || turns == 0 || width == 0 {
        return;
    }
    // The strip has the full width: a turn may have several cells, or several turns one.
    let cell_of = |turn: usize| turn.min(turns - 1) * width / turns;
    let last_cell_of = |turn: usize| ((turn.min(turns - 1) + 1) * width / turns).saturating_sub(1);
    let mut cells = vec![StripCell::default(); width];
    for signal in session.scores.process.signals() {
        let (from, to) = (cell_of(signal.step.turn), last_cell_of(signal.until.turn));
        cells[from].signals += 1;
        cells[from..=to.max(from)].iter_mut().for_each(|cell| cell.goes_on = true);
    }
    if let Some(Ok(Some(report))) = session.scores.process.report() {
        report.cycles.iter().for_each(|it| cells[cell_of(it.failed.turn)].is_recovery = true);
    }
    let playhead = cell_of(session.turn)..=last_cell_of(session.turn).max(cell_of(session.turn));
    let drawn = |(at, cell): (usize, &StripCell)| {
        let (sign, meaning) = cell.cell_sign();
        let style = theme.style_for(meaning);
        trusted_span(
            sign,
            if playhead.contains(&at) {
                style.patch(theme.style_for(Meaning::Cursor))
            } else {
                style
            },
        )
    };
    let spans: Vec<_> = std::iter::once(trusted_span(" ", theme.style_for(Meaning::Text)))
        .chain(cells.iter().enumerate().map(drawn))
        .collect();
    Line::from(spans).render(area, buffer);
}

/// The facts about the turns of one cell.
#[derive(Debug, Clone, Copy, Default)]
struct StripCell {
    /// Number of signals that begin in these turns.
    signals: usize,
    goes_on: bool,
    is_recovery: bool,
}

impl StripCell {
    const fn cell_sign(self) -> (&'static str, Meaning) {
        match (self.signals, self.goes_on, self.is_recovery) {
            (0, true, _) => ("━", Meaning::Warning),
            (0, false, true) => ("○", Meaning::Muted),
            (0, false, false) => ("·", Meaning::Muted),
            (1, ..) => ("•", Meaning::Warning),
            _ => ("◆", Meaning::Warning),
        }
    }
}
