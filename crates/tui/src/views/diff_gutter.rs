//! Who wrote each line of a whole file, to the left of its number.

use ratatui::{style::Style, text::Span};
use std::sync::Arc;

use crate::{
    session::files::blame::Blamed,
    widgets::{
        line::own,
        theme::{Meaning, Theme},
    },
};
use trajview_run::files::{Moment, blame::LineOrigin};

/// Turn, step and origin of each line: `26.3 `, `26  ◇`, `   ·`.
pub(super) struct Gutter<'a> {
    pub(super) blamed: Option<&'a Arc<Blamed>>,
    /// What is looked at: lines that its step, else its turn, wrote stand out.
    pub(super) moment: Moment,
    pub(super) theme: Theme,
    pub(super) turn_digits: usize,
    pub(super) step_digits: usize,
}

impl Gutter<'_> {
    pub(super) fn of_line(&self, number: Option<usize>) -> [Span<'static>; 3] {
        let (turns, steps) = (self.turn_digits, self.step_digits);
        let line = number.zip(self.blamed).and_then(|(number, it)| it.lines.get(number - 1));
        let step = line.and_then(|line| line.step).zip(self.blamed);
        let turn = line.and_then(|line| line.turn);
        let mark = line.map_or(" ", |line| line.origin.mark());
        let words = match (turn, step.and_then(|(step, blamed)| blamed.number_of(step))) {
            (Some(turn), Some(step)) => format!("{:>turns$}.{step:<steps$}", turn + 1),
            (Some(turn), None) => format!("{:>turns$} {:steps$}", turn + 1, ""),
            (None, _) => " ".repeat(turns + 1 + steps),
        };
        let is_new = match self.moment.step {
            Some(step) => line.and_then(|line| line.step) == Some(step),
            None => turn.is_some() && turn == self.moment.turn(),
        };
        let writer = if is_new { Meaning::Added } else { Meaning::Hunk };
        let origin = match line.map(|line| line.origin) {
            Some(LineOrigin::Outside) => Meaning::Warning,
            _ => Meaning::Muted,
        };
        [
            own(words, self.theme.of(writer)),
            own(mark, self.theme.of(origin)),
            own(" ", Style::default()),
        ]
    }
}
