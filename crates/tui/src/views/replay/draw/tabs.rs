//! The panels' names in one row, where there is only room for one panel.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    session::Session,
    views::replay::{
        ReplayView,
        activity::{self, has_one_request},
    },
    widgets::{
        layout::ReplayPanel,
        line::{fit_spans, trusted_span},
        theme::{Meaning, Theme},
    },
};

/// Returns the text of a tab: the panel's name and its number of entries.
pub(crate) fn tab_text(view: &ReplayView, session: &Session, panel: ReplayPanel) -> String {
    if panel == ReplayPanel::Turns && has_one_request(session) {
        return format!(" actions {} ", activity::agent_actions(session).len());
    }
    let count = match panel {
        ReplayPanel::Turns => Some(session.run.turns.len()),
        ReplayPanel::Files => Some(view.listed_changes(session).len()),
        ReplayPanel::Request | ReplayPanel::Diff => None,
        ReplayPanel::Steps => Some(view.step_count()),
    };
    let count = count.map(|count| format!(" {count}")).unwrap_or_default();
    format!(" {}{count} ", panel.panel_name())
}

pub fn draw(view: &ReplayView, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let mut spans = vec![trusted_span(" ", theme.style_for(Meaning::Text))];
    for panel in ReplayPanel::ALL {
        let is_here = view.focus == panel;
        let style = theme.style_for(if is_here { Meaning::Selected } else { Meaning::Muted });
        spans.push(trusted_span(tab_text(view, session, panel), style));
        spans.push(trusted_span(" ", theme.style_for(Meaning::Text)));
    }
    Line::from(fit_spans(spans, usize::from(area.width))).render(area, buffer);
}
