//! Draws two sessions without judgements: their numbers, and their requests turn by turn.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    session::context::KeyContext,
    views::compare::{ComparePart, ComparisonView},
    widgets::{
        line::{fit_spans, safe_string, trusted_span},
        panel::put_row,
        theme::{Meaning, Theme},
    },
};
use trajview_run::{Run, format_number};
use trajview_study::compare::{SessionFacts, run_letter};

use super::{draw_frame, muted_spans, part_name_span};

/// Cells of a fact's name, and of its value in a session.
const LABEL_CELLS: usize = 12;
const VALUE_CELLS: usize = 15;

/// Requests, steps, edits and the rest, one row each.
pub(crate) fn draw_facts(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let title = vec![trusted_span(" sessions ", theme.style_for(Meaning::Text))];
    let none = if compared.paths.len() > 2 { "no run has" } else { "neither has" };
    let below = muted_spans(format!("{none} a checklist or a verdict"), theme);
    let inner = draw_frame(false, [title, vec![], below], theme, area, buffer);
    let Some(pair) = compared.compared_parties() else { return };
    let [a, b] = pair.map(|party| SessionFacts::for_run(party).named_facts());
    let known = a.into_iter().zip(b).filter(|(a, b)| a.1.is_some() || b.1.is_some());
    let heads = compared.pair.map(|run| Some(run_letter(run)));
    let rows = [(("", heads[0].clone()), ("", heads[1].clone()))].into_iter().chain(known);
    for (y, ((name, a), (_, b))) in (0..inner.height).zip(rows) {
        let value = |value: Option<String>| {
            let meaning = if value.is_some() { Meaning::Text } else { Meaning::Muted };
            let words = value
                .map_or_else(|| format_number::MISSING_SIGN.into(), |words| safe_string(&words));
            let words =
                fit_spans(vec![trusted_span(words, theme.style_for(meaning))], VALUE_CELLS - 1);
            let cells: usize = words.iter().map(|span| span.width()).sum();
            let blank =
                trusted_span(" ".repeat(VALUE_CELLS - cells), theme.style_for(Meaning::Text));
            [vec![blank], words].concat()
        };
        let label = trusted_span(format!("{name:<LABEL_CELLS$}"), theme.style_for(Meaning::Muted));
        let line = Line::from([vec![label], value(a), value(b)].concat());
        put_row(line, None, inner, y, buffer);
    }
}

/// Draws the requests of both sessions, one row per turn.
pub(crate) fn draw_requests(
    compared: &ComparisonView,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let is_focused = compared.part == ComparePart::Components;
    let title = vec![part_name_span(compared, ComparePart::Components, "requests", theme)];
    let open = compared.keys.key_text(KeyContext::Pair, "open");
    let here = muted_spans(format!("{open} opens {}", run_letter(compared.focused_run())), theme);
    let inner = draw_frame(is_focused, [title, here, vec![]], theme, area, buffer);
    let Some(pair) = compared.compared_parties() else { return };
    let half = usize::from(inner.width).saturating_sub(6) / 2;
    let head = |side: usize| format!(" {}", run_letter(compared.pair[side]));
    let heads = format!("     {:<half$} {}", head(0), head(1));
    put_row(Line::styled(heads, theme.style_for(Meaning::Muted)), None, inner, 0, buffer);
    let table = &compared.table;
    table.pane.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |row| {
        let turn = table.order[row];
        let mut spans =
            vec![trusted_span(format!("{:>4} ", turn + 1), theme.style_for(Meaning::Muted))];
        for party in pair {
            let words = fit_spans(vec![request_span(&party.run, turn, theme)], half);
            let cells: usize = words.iter().map(|span| span.width()).sum();
            spans.extend(words);
            spans.push(trusted_span(" ".repeat(half + 1 - cells), theme.style_for(Meaning::Text)));
        }
        Line::from(spans)
    });
}

fn request_span(run: &Run, turn: usize, theme: Theme) -> ratatui::text::Span<'static> {
    match run.turns.get(turn).map(|turn| &*turn.title) {
        Some("") => trusted_span("no request recorded", theme.style_for(Meaning::Muted)),
        Some(words) => trusted_span(safe_string(words), theme.style_for(Meaning::Text)),
        None => trusted_span(format_number::MISSING_SIGN, theme.style_for(Meaning::Muted)),
    }
}
