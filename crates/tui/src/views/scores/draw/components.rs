//! The components of a run: the table, the verdict on the chosen one, its lifeline.

mod header;
pub(super) mod table;
pub mod verdict;

use ratatui::{buffer::Buffer, text::Span};

use crate::{
    session::Session,
    views::scores::{Scores, components::areas::Areas},
    widgets::{layout::Layout, line::fit, text, theme::Theme},
};

use super::lifeline;

pub fn draw(view: &Scores, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let areas = Areas::of(layout, view.components.part);
    header::draw(view, session, theme, areas.header, buffer);
    if let Some(area) = areas.table {
        table::draw(view, session, theme, area, buffer);
    }
    if areas.verdict.is_some() {
        verdict::draw(view, session, theme, &areas, buffer);
    }
    if areas.lifeline.is_some() {
        lifeline::draw(view, session, theme, &areas, buffer);
    }
}

/// Words in a column with a blank after them; cut where they are longer.
pub(super) fn cell(words: &str, cells: usize) -> String {
    let Some(room) = cells.checked_sub(1) else { return String::new() };
    let kept = fit(vec![Span::raw(words.to_owned())], room);
    let kept: String = kept.into_iter().map(|span| span.content.into_owned()).collect();
    let blank = cells - text::width(&kept).min(cells);
    kept + &" ".repeat(blank)
}
