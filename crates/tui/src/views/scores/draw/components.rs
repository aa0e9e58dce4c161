//! The components of a run: the table, the verdict on the chosen one, its lifeline.

mod header;
pub(super) mod table;
pub mod verdict;

use ratatui::{buffer::Buffer, text::Span};

use crate::{
    session::Session,
    views::scores::{ScoresView, components::areas::ComponentsAreas},
    widgets::{layout::ScreenLayout, line::fit_spans, text, theme::Theme},
};

use super::lifeline;

pub(crate) fn draw_components(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let areas = ComponentsAreas::for_layout(layout, view.components.part);
    header::draw_header(view, session, theme, areas.header, buffer);
    if areas.table.is_some() {
        table::draw_component_table(view, session, theme, buffer);
    }
    if areas.verdict.is_some() {
        verdict::draw_verdict(view, session, theme, &areas, buffer);
    }
    if areas.lifeline.is_some() {
        lifeline::draw_lifeline(view, session, theme, &areas, buffer);
    }
}

/// Returns words in a column of so many cells with a blank after them; cut where they are longer.
pub(super) fn padded_cell(words: &str, cells: usize) -> String {
    let Some(room) = cells.checked_sub(1) else { return String::new() };
    let cut_spans = fit_spans(vec![Span::raw(words.to_owned())], room);
    let cut_text: String = cut_spans.into_iter().map(|span| span.content.into_owned()).collect();
    let blank = cells - text::width(&cut_text).min(cells);
    cut_text + &" ".repeat(blank)
}
