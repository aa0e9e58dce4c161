//! A line of a file as it was after a turn: the turn that wrote it, its number, its text in colours.

use ratatui::text::Line;

use crate::{
    session::{
        Session,
        files::{DiffKey, Scope, blame::FileAt, compared::Row},
    },
    widgets::{
        line::own,
        paint::{paint, visible, window},
        theme::{Meaning, Theme},
    },
};

/// ` 24  10 return min(…)`, or ` 24  10▌return min(…)` where it is marked, from character `column` of the text on; lines count from 1.
pub fn line(
    session: &Session,
    key: &DiffKey,
    (line, mark): (usize, Mark),
    column: usize,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let muted = theme.of(Meaning::Muted);
    let mut head = vec![
        own(format!(" {}", writer(session, key, line)), theme.of(Meaning::Hunk)),
        own(format!("{line:>5}"), muted),
        own(mark.sign(), theme.of(Meaning::Hunk)),
    ];
    let taken = crate::widgets::line::width_of(&head);
    let Some(Ok(compared)) = session.files.compared(key) else { return Line::from(head) };
    let row = compared.rows.get(compared.row_of_line(line)).copied().unwrap_or(Row::Hunk(0));
    let Some(text) = compared.line(row) else { return Line::from(head) };
    let colours = session.files.colours.of(key).map_or(&[][..], |sides| sides.of(&text));
    let layers: Vec<_> =
        colours.iter().map(|span| (span.range.clone(), theme.syntax(span.class))).collect();
    let words = visible(&text.text, column);
    let painted = paint(words, theme.of(Meaning::Text), &layers, theme.writing());
    head.extend(window(painted, column, width.saturating_sub(taken), muted).spans);
    Line::from(head)
}

/// Whether a line is one of those that are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Plain,
    Meant,
}

impl Mark {
    const fn sign(self) -> &'static str {
        match self {
            Self::Plain => " ",
            Self::Meant => "▌",
        }
    }
}

/// The number of the turn that wrote a line, or the sign of where it is from; as wide as any number of the run.
fn writer(session: &Session, key: &DiffKey, line: usize) -> String {
    let digits = session.run.turns.len().to_string().len();
    let Scope::At(moment) = key.scope else { return " ".repeat(digits) };
    let file = FileAt { moment, path: key.path.clone() };
    let blamed = session.files.blame.of(&file).and_then(|blamed| blamed.as_ref().ok());
    let written = blamed.and_then(|blamed| blamed.lines.get(line.checked_sub(1)?).copied());
    let said = written.map(|written| {
        let own_mark = || written.origin.mark().to_owned();
        written.turn.map_or_else(own_mark, |turn| (turn + 1).to_string())
    });
    format!("{:>digits$}", said.unwrap_or_default())
}
