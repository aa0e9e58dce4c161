//! The panels' names in one row, where there is only room for one panel.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    session::Session,
    views::replay::{
        Replay,
        acts::{self, has_one_request},
    },
    widgets::{
        layout::Panel,
        line::{fit, own},
        theme::{Meaning, Theme},
    },
};

/// What a tab says: a panel's name and how much is in it.
pub fn tab(view: &Replay, session: &Session, panel: Panel) -> String {
    if panel == Panel::Turns && has_one_request(session) {
        return format!(" actions {} ", acts::acts(session).len());
    }
    let count = match panel {
        Panel::Turns => Some(session.run.turns.len()),
        Panel::Files => Some(view.changes(session).len()),
        Panel::Diff => None,
        Panel::Steps => Some(view.step_count()),
    };
    let count = count.map(|count| format!(" {count}")).unwrap_or_default();
    format!(" {}{count} ", panel.word())
}

pub fn draw(view: &Replay, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let mut spans = vec![own(" ", theme.of(Meaning::Text))];
    for panel in Panel::ALL {
        let is_here = view.focus == panel;
        let style = theme.of(if is_here { Meaning::Selected } else { Meaning::Muted });
        spans.push(own(tab(view, session, panel), style));
        spans.push(own(" ", theme.of(Meaning::Text)));
    }
    Line::from(fit(spans, usize::from(area.width))).render(area, buffer);
}
