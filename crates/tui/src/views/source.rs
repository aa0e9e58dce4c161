//! A line of a file as it was after a turn: the turn that wrote it, its number, its text in colours.

use ratatui::text::Line;

use crate::{
    session::{
        Session,
        files::{DiffKey, DiffScope, blame::FileAt, compared_file::DiffRow},
    },
    widgets::{
        line::trusted_span,
        paint::{paint_text, paintable_prefix, scrolled_line},
        theme::{Meaning, Theme},
    },
};

/// Returns ` 24  10 return min(…)`, or ` 24  10▌return min(…)` where it is marked, from character `column` of the text
/// on; lines count from 1.
pub(crate) fn source_line(
    session: &Session,
    key: &DiffKey,
    (line, mark): (usize, SourceMark),
    column: usize,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let muted = theme.style_for(Meaning::Muted);
    let mut head = vec![
        trusted_span(
            format!(" {}", writing_turn(session, key, line)),
            theme.style_for(Meaning::Hunk),
        ),
        trusted_span(format!("{line:>5}"), muted),
        trusted_span(mark.mark_sign(), theme.style_for(Meaning::Hunk)),
    ];
    let taken = crate::widgets::line::spans_width(&head);
    let Some(Ok(compared)) = session.files.compared_file(key) else { return Line::from(head) };
    let row = compared.rows.get(compared.row_of_line(line)).copied().unwrap_or(DiffRow::Hunk(0));
    let Some(text) = compared.line_at(row) else { return Line::from(head) };
    let colours =
        session.files.colours.colours_of(key).map_or(&[][..], |sides| sides.line_spans(&text));
    let layers: Vec<_> =
        colours.iter().map(|span| (span.range.clone(), theme.syntax_style(span.class))).collect();
    let words = paintable_prefix(&text.text, column);
    let painted = paint_text(words, theme.style_for(Meaning::Text), &layers, theme.line_display());
    head.extend(scrolled_line(painted, column, width.saturating_sub(taken), muted).spans);
    Line::from(head)
}

/// Tells whether a line is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceMark {
    Plain,
    Meant,
}

impl SourceMark {
    const fn mark_sign(self) -> &'static str {
        match self {
            Self::Plain => " ",
            Self::Meant => "▌",
        }
    }
}

/// Returns the number of the turn that wrote a line, or the sign of where it is from; as wide as any number of the run.
fn writing_turn(session: &Session, key: &DiffKey, line: usize) -> String {
    let digits = session.run.turns.len().to_string().len();
    let DiffScope::At(moment) = key.scope else { return " ".repeat(digits) };
    let file = FileAt { moment, path: key.path.clone() };
    let blamed = session.files.blame.blame_of(&file).and_then(|blamed| blamed.as_ref().ok());
    let written = blamed.and_then(|blamed| blamed.lines.get(line.checked_sub(1)?).copied());
    let turn_text = written.map(|written| {
        let own_mark = || written.origin.gutter_mark().to_owned();
        written.turn.map_or_else(own_mark, |turn| (turn + 1).to_string())
    });
    format!("{:>digits$}", turn_text.unwrap_or_default())
}
