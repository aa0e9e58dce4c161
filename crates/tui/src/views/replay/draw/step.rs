//! What the chosen step says, in full: in the place of a diff where no file changed, and beside the steps on a very wide
//! screen.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::replay::{
        Replay,
        steps::{Item, RowKind, at_most, part_of},
    },
    widgets::{
        line::{fit, own, recorded},
        paint::paint,
        panel::{put_row, titled},
        theme::{Meaning, Theme},
    },
};
use trajview_run::search::StepField;

use super::steps::{looks, step_words};

/// Rows of one part that are counted; nobody reads more of them in a panel that does not scroll.
const MOST_ROWS: usize = 1000;

/// Blanks to the left of the words.
const MARGIN: usize = 1;

/// The panel beside the steps: the chosen one and what follows, as much as there is room for.
pub fn draw(view: &Replay, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let title = Line::styled(" from the chosen step on ", theme.of(Meaning::Text));
    let titles = [title, Line::default(), Line::default()];
    let inner = titled(false, titles, theme, area, buffer);
    let mut y = 0;
    for item in view.steps.from_selected() {
        if y >= inner.height {
            break;
        }
        let head = recorded(&format!(" {}", words_of(item, session)), theme.of(Meaning::Heading));
        put_row(Line::from(head), None, inner, y, buffer);
        let rest = Rect { y: inner.y + y + 1, height: inner.height - y - 1, ..inner };
        y += 1 + body(view, item, theme, rest, buffer) as u16;
    }
}

/// `request`, `exec_command`.
pub fn words_of(item: Item, session: &Session) -> String {
    match item {
        Item::Request(_) => "request".to_owned(),
        Item::Layer(_) => "before the request".to_owned(),
        Item::Step(id) => {
            session.run.step(id).map(|it| step_words(&session.run, it)).unwrap_or_default()
        }
    }
}

/// As much of its words as fits; how many rows all of them take.
pub fn body(view: &Replay, item: Item, theme: Theme, inner: Rect, buffer: &mut Buffer) -> usize {
    let width = usize::from(inner.width);
    let text = view.steps.text(item);
    let rows = at_most(text, width.saturating_sub(2 * MARGIN), MOST_ROWS);
    for (row, y) in rows.iter().zip(0..inner.height) {
        let line = match (row, text) {
            (RowKind::Section(field), _) => {
                let words = match field {
                    StepField::Text => "text",
                    StepField::Arguments => "call",
                    StepField::Result => "result",
                };
                vec![own(format!(" ─ {words}"), theme.of(Meaning::Muted))]
            }
            (RowKind::Text { field, range, .. }, Some(Ok(text))) => {
                let words = part_of(text, *field).and_then(|words| words.get(range.clone()));
                let layers = looks(view, item, *field, range, theme);
                let words = words.unwrap_or_default();
                let painted = paint(words, theme.of(Meaning::Text), &layers, theme.writing());
                [vec![Span::raw(" ")], painted].concat()
            }
            (RowKind::Failed, Some(Err(why))) => {
                vec![Span::raw(" "), recorded(why, theme.of(Meaning::Error))]
            }
            (RowKind::Empty, _) => vec![own(" nothing is recorded here", theme.of(Meaning::Muted))],
            _ => vec![],
        };
        put_row(Line::from(fit(line, width)), None, inner, y, buffer);
    }
    rows.len()
}
