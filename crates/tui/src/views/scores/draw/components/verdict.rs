//! Draws the verdict on the chosen component, its evidence in the code, and the judge's lookups.

use ratatui::{
    buffer::Buffer,
    text::{Line, Span},
};

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
        panel::{
            draw_scroll_position, draw_sentence, draw_titled_panel, panel_title_span, put_row,
        },
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
    let Some(area) = areas.verdict else { return };
    let is_focused = view.components.has_part(ComponentsPart::Verdict);
    let width = areas.verdict_width();
    let titles = [
        Line::from(fit_spans(verdict_title(view, session, theme, width), width)),
        Line::default(),
        Line::default(),
    ];
    let inner = draw_titled_panel(is_focused, titles, theme, area, buffer);
    let rows = view.components.verdict_rows(session, areas);
    if rows.is_empty() {
        return draw_sentence(
            "no component is chosen",
            theme.style_for(Meaning::Muted),
            inner,
            buffer,
        );
    }
    let scroll = view.components.verdict;
    let selected = theme.style_for(Meaning::Selected);
    let seen = rows.iter().enumerate().skip(scroll.top).take(usize::from(inner.height));
    for (index, row) in seen {
        let style = (index == scroll.cursor && is_focused).then_some(selected);
        let line = verdict_row_line(row, session, theme, width);
        put_row(line, style, inner, (index - scroll.top) as u16, buffer);
    }
    draw_scroll_position(scroll.top, rows.len(), theme, area, buffer);
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
