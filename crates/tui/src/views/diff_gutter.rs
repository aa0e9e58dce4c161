//! Draws the author of each line of a whole file, to the left of its number.

use ratatui::{style::Style, text::Span};
use std::sync::Arc;

use crate::{
    session::files::blame::BlamedFile,
    widgets::{
        line::trusted_span,
        theme::{Meaning, Theme},
    },
};
use trajview_run::files::{RunMoment, blame::LineOrigin};

/// Turn, step and origin of each line: `26.3 `, `26  ◇`, `   ·`.
pub(super) struct BlameGutter<'a> {
    pub(super) blamed: Option<&'a Arc<BlamedFile>>,
    /// The selected moment. Lines that its step or turn wrote are highlighted.
    pub(super) moment: RunMoment,
    pub(super) theme: Theme,
    pub(super) turn_digits: usize,
    pub(super) step_digits: usize,
}

impl BlameGutter<'_> {
    pub(super) fn line_spans(&self, number: Option<usize>) -> [Span<'static>; 3] {
        let (turns, steps) = (self.turn_digits, self.step_digits);
        let line = number.zip(self.blamed).and_then(|(number, it)| it.lines.get(number - 1));
        let step = line.and_then(|line| line.step).zip(self.blamed);
        let turn = line.and_then(|line| line.turn);
        let mark = line.map_or(" ", |line| line.origin.gutter_mark());
        let words = match (turn, step.and_then(|(step, blamed)| blamed.step_number(step))) {
            (Some(turn), Some(step)) => format!("{:>turns$}.{step:<steps$}", turn + 1),
            (Some(turn), None) => format!("{:>turns$} {:steps$}", turn + 1, ""),
            (None, _) => " ".repeat(turns + 1 + steps),
        };
        let is_new = match self.moment.step {
            Some(step) => line.and_then(|line| line.step) == Some(step),
            None => turn.is_some() && turn == self.moment.ended_turn(),
        };
        let writer = if is_new { Meaning::Added } else { Meaning::Hunk };
        let origin = match line.map(|line| line.origin) {
            Some(LineOrigin::Outside) => Meaning::Warning,
            _ => Meaning::Muted,
        };
        [
            trusted_span(words, self.theme.style_for(writer)),
            trusted_span(mark, self.theme.style_for(origin)),
            trusted_span(" ", Style::default()),
        ]
    }
}
