//! Draws the request of the turn in full.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::replay::{
        ReplayView,
        request::{RequestPart, RequestRow, part_words},
    },
    widgets::{
        layout::ReplayPanel,
        line::{fit_spans, recorded_span, trusted_span},
        paint::{StyleLayer, paint_text},
        panel::draw_sentence,
        search_hits,
        theme::{LineDisplay, Meaning, Theme},
    },
};
use trajview_run::search::{HitPlace, SearchHit};

use super::{draw_frame, name_span};

pub fn draw(view: &ReplayView, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let words = format!("turn {}: request", session.turn + 1);
    let title = Line::from(name_span(view, ReplayPanel::Request, words, theme));
    let inner = draw_frame(view, ReplayPanel::Request, title, theme, area, buffer);
    let list = &view.request.list;
    if view.request.row_at(0).is_none() {
        let words = "the recording has no request for this turn";
        return draw_sentence(words, theme.style_for(Meaning::Muted), inner, buffer);
    }
    let has_keys = view.focus == ReplayPanel::Request;
    list.draw_rows(None, theme, buffer, |index| {
        let is_cursor = has_keys && index == list.cursor();
        let mark = trusted_span(
            if is_cursor { "▌" } else { " " },
            theme.style_for(Meaning::FocusedBorder),
        );
        let row = view.request.row_at(index);
        let spans = row.map_or(vec![], |row| row_spans(view, session, row, theme));
        Line::from(fit_spans([vec![mark], spans].concat(), usize::from(inner.width)))
    });
}

fn row_spans(
    view: &ReplayView,
    session: &Session,
    row: &RequestRow,
    theme: Theme,
) -> Vec<Span<'static>> {
    match row {
        RequestRow::Heading(words) => {
            vec![trusted_span(format!("─ {words}"), theme.style_for(Meaning::Muted))]
        }
        RequestRow::Failed(why) => vec![recorded_span(why, theme.style_for(Meaning::Error))],
        RequestRow::Text { part, line, range } => {
            let words = part_words(session, session.turn, *part).unwrap_or_default();
            let layers = match part {
                RequestPart::Request => hit_layers(view, session, words, (*line, range), theme),
                RequestPart::Layer => vec![],
            };
            let display = LineDisplay { tab_width: 4, ..theme.line_display() };
            paint_text(
                words.get(range.clone()).unwrap_or_default(),
                Style::default(),
                &layers,
                display,
            )
        }
    }
}

/// Returns the matches of the search in one row, the current one apart; bytes within the row.
fn hit_layers(
    view: &ReplayView,
    session: &Session,
    words: &str,
    (line, row): (usize, &std::ops::Range<usize>),
    theme: Theme,
) -> Vec<StyleLayer> {
    let Some(regex) = view.search.regex() else { return vec![] };
    let is_here = |hit: &&SearchHit| {
        (hit.turn, hit.place, hit.line) == (session.turn, HitPlace::Request, line)
    };
    let current = view.search.current_hit().filter(is_here);
    let hits = search_hits::hits_in_row(regex, words, row).into_iter();
    hits.map(|hit| {
        let is_current = current.is_some_and(|current| current.range == hit.in_line);
        let meaning = if is_current { Meaning::CurrentHit } else { Meaning::Hit };
        (hit.in_row, theme.style_for(meaning))
    })
    .collect()
}
