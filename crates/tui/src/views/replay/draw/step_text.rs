//! Draws the full text of the chosen step: in the place of a diff where no file changed, and beside the steps on a very
//! wide screen.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::replay::{
        ReplayView,
        steps::{StepRowKind, body_rows_at_most, step_field_text},
    },
    widgets::{
        line::{fit_spans, recorded_span, trusted_span},
        paint::paint_text,
        panel::{draw_titled_panel, put_row},
        theme::{Meaning, Theme},
    },
};
use trajview_run::{StepId, search::StepField};

use super::steps::{printed_layers, step_name};

/// Rows of one part that are counted; nobody reads more of them in a panel that does not scroll.
const MAX_ROWS: usize = 1000;

/// Blanks to the left of the words.
const LEFT_MARGIN: usize = 1;

/// Draws the panel beside the steps: the chosen step and the following ones, as far as they fit.
pub fn draw(view: &ReplayView, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let title = Line::styled(format!(" {} ", title_text(view)), theme.style_for(Meaning::Text));
    let inner = draw_titled_panel(false, title, theme, area, buffer);
    draw_texts(view, session, theme, inner, buffer);
}

/// Returns `text of step 3 and later`.
pub(super) fn title_text(view: &ReplayView) -> String {
    format!("text of step {} and later", view.step_number().max(1))
}

/// Draws the texts of the chosen step and the following ones, as far as they fit.
pub(super) fn draw_texts(
    view: &ReplayView,
    session: &Session,
    theme: Theme,
    inner: Rect,
    buffer: &mut Buffer,
) {
    let mut y = 0;
    for item in view.steps.items_from_selected() {
        if y >= inner.height {
            break;
        }
        let head = recorded_span(
            &format!(" {}", item_name(item, session)),
            theme.style_for(Meaning::Heading),
        );
        put_row(Line::from(head), None, inner, y, buffer);
        let rest = Rect { y: inner.y + y + 1, height: inner.height - y - 1, ..inner };
        y += 1 + draw_item_text(view, item, theme, rest, buffer) as u16;
    }
}

/// Returns `exec_command`.
pub(crate) fn item_name(step: StepId, session: &Session) -> String {
    session.run.step(step).map(|it| step_name(&session.run, it)).unwrap_or_default()
}

/// Draws as much of the text as fits; returns the number of rows that the whole text takes.
pub(crate) fn draw_item_text(
    view: &ReplayView,
    item: StepId,
    theme: Theme,
    inner: Rect,
    buffer: &mut Buffer,
) -> usize {
    let width = usize::from(inner.width);
    let text = view.steps.item_text(item);
    let rows = body_rows_at_most(text, width.saturating_sub(2 * LEFT_MARGIN), MAX_ROWS);
    for (row, y) in rows.iter().zip(0..inner.height) {
        let line = match (row, text) {
            (StepRowKind::Section(field), _) => {
                let words = match field {
                    StepField::Text => "text",
                    StepField::Arguments => "call",
                    StepField::Result => "result",
                };
                vec![trusted_span(format!(" ─ {words}"), theme.style_for(Meaning::Muted))]
            }
            (StepRowKind::Text { field, range, .. }, Some(Ok(text))) => {
                let words =
                    step_field_text(text, *field).and_then(|words| words.get(range.clone()));
                let layers = printed_layers(view, item, *field, range, theme);
                let words = words.unwrap_or_default();
                let painted = paint_text(
                    words,
                    theme.style_for(Meaning::Text),
                    &layers,
                    theme.line_display(),
                );
                [vec![Span::raw(" ")], painted].concat()
            }
            (StepRowKind::Failed, Some(Err(why))) => {
                vec![Span::raw(" "), recorded_span(why, theme.style_for(Meaning::Error))]
            }
            (StepRowKind::Empty, _) => {
                vec![trusted_span(" not recorded", theme.style_for(Meaning::Muted))]
            }
            _ => vec![],
        };
        put_row(Line::from(fit_spans(line, width)), None, inner, y, buffer);
    }
    rows.len()
}
