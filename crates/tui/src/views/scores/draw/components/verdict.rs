//! Draws the verdict on the chosen component, its evidence in the code, and the judge's lookups.

use ratatui::{buffer::Buffer, text::Span};

use crate::{
    session::Session,
    views::{
        scores::{
            ScoresView,
            components::{ComponentsPart, areas::ComponentsAreas},
        },
        verdict::verdict_row_line,
    },
    widgets::{
        line::{fit_spans, safe_string},
        panel::{draw_sentence, panel_title_span},
        theme::{Meaning, Theme},
    },
};

pub(crate) fn draw_verdict(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    areas: &ComponentsAreas,
    buffer: &mut Buffer,
) {
    let pane = &view.components.verdict;
    let is_focused = view.components.has_part(ComponentsPart::Verdict);
    let width = areas.verdict_width();
    let title = fit_spans(verdict_title(view, session, theme, width), width);
    let inner = pane.draw_frame(title, is_focused, theme, buffer);
    let rows = view.components.verdict_rows(session, areas);
    if rows.is_empty() {
        let muted = theme.style_for(Meaning::Muted);
        return draw_sentence("no component selected", muted, inner, buffer);
    }
    let chosen = is_focused.then(|| theme.style_for(Meaning::Selected));
    pane.draw_rows(chosen, theme, buffer, |index| {
        verdict_row_line(&rows[index], session, theme, width)
    });
}

/// Returns ` C10 Cosine noise schedule (CosineSchedule) `.
fn verdict_title(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    width: usize,
) -> Vec<Span<'static>> {
    let is_focused = view.components.has_part(ComponentsPart::Verdict);
    let Some(row) = view.components.component_row(session) else {
        return vec![panel_title_span(is_focused, "verdict", theme)];
    };
    let words = format!("{} {}", safe_string(&row.id), safe_string(&row.name));
    let cut_spans = fit_spans(vec![Span::raw(words)], width.saturating_sub(3));
    let cut_text: String = cut_spans.into_iter().map(|span| span.content.into_owned()).collect();
    vec![panel_title_span(is_focused, cut_text.trim_end(), theme)]
}
