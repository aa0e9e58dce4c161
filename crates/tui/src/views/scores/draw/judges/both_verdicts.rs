//! Draws the verdicts of two judgements on one component, side by side if there is room.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::{
        scores::{
            ScoresView,
            judges::{JudgeSide, areas::JudgesAreas, both_verdicts::VerdictWordsRow},
        },
        verdict::{evidence_spans, score_spans},
    },
    widgets::{
        line::{fit_spans, recorded_span, safe_string, trusted_span},
        panel::{panel_title_span, put_row},
        theme::{Meaning, Theme},
    },
};

pub(crate) fn draw_both_verdicts(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    areas: &JudgesAreas,
    buffer: &mut Buffer,
) {
    if let Some(area) = areas.compared_component {
        let width = usize::from(area.width.saturating_sub(2));
        let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
        put_row(
            Line::from(fit_spans(compared_component(view, session, theme), width)),
            None,
            inner,
            0,
            buffer,
        );
    }
    for side in JudgeSide::ALL {
        if let Some(area) = areas.words[side as usize] {
            draw_side_words(view, session, theme, (side, area), buffer);
        }
    }
}

/// Returns `C05 Time embedding: a 4, b 1; 3 of 9 on which they differ`.
fn compared_component(view: &ScoresView, session: &Session, theme: Theme) -> Vec<Span<'static>> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let Some(id) = view.judges.judges_component() else { return vec![] };
    let rows = view.judges.differing_rows(session);
    let checklist = session.rubric.known_rubric().and_then(|it| it.checklist.as_ref());
    let component = checklist.and_then(|it| it.components.iter().find(|it| it.id == id));
    let at = rows.iter().position(|row| row.id == id);
    let place = match at {
        Some(at) => format!("  difference {} of {}", at + 1, rows.len()),
        None => "  no difference".into(),
    };
    vec![
        recorded_span(&format!("{id} "), muted),
        recorded_span(
            component.map_or("not in the checklist", |it| &it.name),
            theme.style_for(Meaning::Title),
        ),
        trusted_span(place, plain),
    ]
}

fn draw_side_words(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    (side, area): (JudgeSide, Rect),
    buffer: &mut Buffer,
) {
    let is_focused = view.judges.side == side;
    let width = usize::from(area.width.saturating_sub(2));
    let column = view.judges.side_column(session, side);
    let who = column.map(|column| column.column_words()).unwrap_or_default();
    let title = format!("{} {}", side.side_letter(), safe_string(&who));
    let title = fit_spans(vec![panel_title_span(is_focused, &title, theme)], width);
    let rows = view.judges.side_verdict_rows(session, side, width);
    view.judges.words[side as usize].draw(title, is_focused, theme, buffer, |index| {
        verdict_row_line(&rows[index], theme, width)
    });
}

fn verdict_row_line(row: &VerdictWordsRow, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let spans = match row {
        VerdictWordsRow::Blank => vec![],
        VerdictWordsRow::Heading(words) => {
            vec![trusted_span(words.clone(), theme.style_for(Meaning::Heading))]
        }
        VerdictWordsRow::Score(Some(given)) => score_spans(*given, theme),
        VerdictWordsRow::Score(None) => {
            vec![trusted_span("no score", theme.style_for(Meaning::Warning))]
        }
        VerdictWordsRow::Words(words) => vec![recorded_span(words, plain)],
        VerdictWordsRow::Note(words) => vec![trusted_span(words.clone(), muted)],
        VerdictWordsRow::Problem(words) => {
            vec![recorded_span(words, theme.style_for(Meaning::Warning))]
        }
        VerdictWordsRow::Evidence(evidence) => {
            let quote = evidence.quote.as_ref().map(|quote| quote.check);
            evidence_spans(&evidence.path, evidence.lines, quote, theme, width)
        }
        VerdictWordsRow::Look { tool, arguments } => {
            vec![
                recorded_span(tool, theme.style_for(Meaning::Hunk)),
                recorded_span(&format!(" {arguments}"), muted),
            ]
        }
    };
    Line::from(fit_spans(spans, width))
}
