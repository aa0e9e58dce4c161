//! A whole file: who wrote each line, to the left of its number.

use ratatui::{
    style::Style,
    text::{Line, Span},
};
use std::sync::Arc;

use crate::{
    run::files::blame::LineOrigin,
    session::{
        Session,
        files::blame::{Blamed, FileAt},
    },
    views::replay::Replay,
    widgets::{
        layout::Panel,
        line::{fit, fit_end, own, safe, width_of},
        theme::{Meaning, Theme},
    },
};

use super::super::name;

/// Turn, step and origin of each line: `26.3 `, `26  ◇`, `   ·`.
pub(super) struct Gutter<'a> {
    blamed: Option<&'a Arc<Blamed>>,
    turn: usize,
    theme: Theme,
    turn_digits: usize,
    step_digits: usize,
}

impl<'a> Gutter<'a> {
    pub(super) fn of(view: &'a Replay, session: &'a Session, theme: Theme) -> Self {
        let blamed = view.blamed(session).and_then(|blamed| blamed.as_ref().ok());
        let largest = blamed.map_or(0, |blamed| blamed.largest_number());
        Self {
            blamed,
            turn: session.turn,
            theme,
            turn_digits: session.run.turns.len().to_string().len(),
            step_digits: largest.to_string().len(),
        }
    }

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
        let is_new = turn == Some(self.turn);
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

/// `src/loss.py  after turn 26  112 lines  turn.step that wrote each, · before the run`
pub(super) fn title(
    view: &Replay,
    session: &Session,
    file: &FileAt,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let mut facts = vec![own(format!(" after turn {}", file.turn + 1), plain)];
    if let Some(Ok(compared)) = view.compared(session)
        && compared.text().is_some()
    {
        let lines = compared.line_count();
        let word = if lines == 1 { "line" } else { "lines" };
        facts.push(own(format!("  {lines} {word}"), muted));
    }
    let before_legend = width_of(&facts);
    let legend = match view.blamed(session) {
        None => String::new(),
        Some(Err(why)) => format!("  {}", safe(why)),
        Some(Ok(blamed)) => legend(blamed),
    };
    facts.push(own(legend, muted));
    facts.push(own(" ", plain));
    let room = width.saturating_sub(before_legend + 4).min(text_room(file, width));
    let mut spans = vec![name(view, Panel::Diff, fit_end(&safe(file.path.as_str()), room), theme)];
    spans.extend(facts);
    Line::from(fit(spans, width))
}

/// The path is cut before half of the panel is its own.
fn text_room(file: &FileAt, width: usize) -> usize {
    file.path.as_str().len().min(width / 2).max(8)
}

fn legend(blamed: &Blamed) -> String {
    let mut words = String::from("  turn.step");
    for origin in [LineOrigin::Outside, LineOrigin::BeforeRun, LineOrigin::NotRecorded] {
        let short = match origin {
            LineOrigin::Recorded => continue,
            LineOrigin::Outside => "outside edits",
            LineOrigin::BeforeRun => "before the run",
            LineOrigin::NotRecorded => "not recorded",
        };
        if blamed.has(origin) {
            words += &format!(", {} {short}", origin.mark());
        }
    }
    words
}
