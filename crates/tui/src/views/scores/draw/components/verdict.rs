//! The verdict on the chosen component, its evidence in the code, and what the judge looked at.

use ratatui::{
    buffer::Buffer,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::{
        scores::{
            Scores,
            components::{Part, areas::Areas},
        },
        verdict::say,
    },
    widgets::{
        line::{fit, safe},
        panel::{name, position, put_row, sentence, titled},
        theme::{Meaning, Theme},
    },
};

pub fn draw(view: &Scores, session: &Session, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    let Some(area) = areas.verdict else { return };
    let is_focused = view.components.has_part(Part::Verdict);
    let width = areas.verdict_width();
    let titles = [
        Line::from(fit(title(view, session, theme, width), width)),
        Line::default(),
        Line::default(),
    ];
    let inner = titled(is_focused, titles, theme, area, buffer);
    let rows = view.components.verdict_rows(session, areas);
    if rows.is_empty() {
        return sentence("no component is chosen", theme.of(Meaning::Muted), inner, buffer);
    }
    let scroll = view.components.verdict;
    let selected = theme.of(Meaning::Selected);
    let seen = rows.iter().enumerate().skip(scroll.top).take(usize::from(inner.height));
    for (index, row) in seen {
        let style = (index == scroll.cursor && is_focused).then_some(selected);
        let line = say(row, session, theme, width);
        put_row(line, style, inner, (index - scroll.top) as u16, buffer);
    }
    position(scroll.top, rows.len(), theme, area, buffer);
}

/// ` C10 Cosine noise schedule (CosineSchedule) `
fn title(view: &Scores, session: &Session, theme: Theme, width: usize) -> Vec<Span<'static>> {
    let is_focused = view.components.has_part(Part::Verdict);
    let Some(row) = view.components.component_row(session) else {
        return vec![name(is_focused, "verdict", theme)];
    };
    let words = format!("{} {}", safe(&row.id), safe(&row.name));
    let kept = fit(vec![Span::raw(words)], width.saturating_sub(3));
    let kept: String = kept.into_iter().map(|span| span.content.into_owned()).collect();
    vec![name(is_focused, kept.trim_end(), theme)]
}
