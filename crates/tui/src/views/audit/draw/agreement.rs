//! Draws the agreement of labels and verdicts.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::audit::{
        AuditPart, AuditView,
        agreement::{AgreementRow, NAME_CELLS, RESAMPLES},
        areas::AuditAreas,
    },
    widgets::{
        line::{fit_spans, recorded_span, trusted_span},
        text,
        theme::{Meaning, Theme},
    },
};

use super::{draw_frame, draw_lines};

/// Cells of a name beside four numbers.
const RATER_CELLS: usize = 11;

/// Cells of a count.
const COUNT_CELLS: usize = 4;

pub fn draw(
    view: &AuditView,
    session: &Session,
    theme: Theme,
    areas: &AuditAreas,
    area: Rect,
    buffer: &mut Buffer,
) {
    let drawn = format!("{},{:03} resamples", RESAMPLES / 1000, RESAMPLES % 1000);
    let inner = draw_frame(view, AuditPart::Agreement, ["agreement", &drawn], theme, area, buffer);
    let width = usize::from(inner.width);
    let lines = super::super::agreement::agreement_rows(view, session, areas);
    let lines: Vec<_> =
        lines.iter().map(|row| Line::from(fit_spans(row_spans(row, theme), width))).collect();
    let is_focused = view.part == AuditPart::Agreement;
    draw_lines(is_focused, &view.agreement.pane, &lines, theme, buffer);
}

fn row_spans(row: &AgreementRow, theme: Theme) -> Vec<Span<'static>> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    match row {
        AgreementRow::Blank => vec![],
        AgreementRow::Heading(words) => {
            vec![trusted_span(words.clone(), theme.style_for(Meaning::Heading))]
        }
        AgreementRow::Pair(name, value) => {
            vec![
                trusted_span(format!(" {name:<NAME_CELLS$} "), muted),
                trusted_span(value.clone(), plain),
            ]
        }
        AgreementRow::Note(words) => vec![trusted_span(words.clone(), plain)],
        AgreementRow::With(name, cells) => {
            let [n, exact, within, kappa] = cells;
            let words = format!("{n:>4} {exact:>6} {within:>6} {kappa:>7}");
            let name = text::truncate(name, RATER_CELLS, "…");
            let gap = " ".repeat(RATER_CELLS.saturating_sub(text::width(&name)));
            vec![recorded_span(&format!(" {name}{gap}"), muted), trusted_span(words, plain)]
        }
        AgreementRow::Head(name, levels) => {
            let levels: String =
                levels.iter().map(|level| format!("{level:>COUNT_CELLS$}")).collect();
            vec![trusted_span(format!(" {name:<NAME_CELLS$} {levels}"), muted)]
        }
        AgreementRow::Levels(name, counts) => {
            let counts: String =
                counts.iter().map(|count| format!("{count:>COUNT_CELLS$}")).collect();
            vec![trusted_span(format!(" {name:<NAME_CELLS$} "), muted), trusted_span(counts, plain)]
        }
        AgreementRow::Confusion { level, place, counts } => {
            confusion_spans(*level, *place, counts, theme)
        }
    }
}

/// Returns ` 3            ·   ·   1  [2]  ·`: the cell where both agree is in brackets.
fn confusion_spans(level: u8, place: usize, counts: &[usize], theme: Theme) -> Vec<Span<'static>> {
    let muted = theme.style_for(Meaning::Muted);
    let mut spans = vec![trusted_span(format!(" {level:<NAME_CELLS$} "), muted)];
    let mut pending = String::new();
    for (other, count) in counts.iter().enumerate() {
        let words = if *count == 0 { "·".to_owned() } else { count.to_string() };
        let is_agreed = other == place;
        let meaning = match (is_agreed, *count) {
            (_, 0) => Meaning::Muted,
            (true, _) => Meaning::Added,
            (false, _) => Meaning::Removed,
        };
        // The bracket behind a number takes the place of a blank before the next.
        let open = if is_agreed { "[" } else { "" };
        let taken = text::width(&pending) + text::width(&words) + open.len();
        let blank = " ".repeat(COUNT_CELLS.saturating_sub(taken));
        spans.push(trusted_span(format!("{pending}{blank}{open}"), muted));
        spans.push(trusted_span(words, theme.style_for(meaning)));
        pending = if is_agreed { "]".into() } else { String::new() };
    }
    spans.push(trusted_span(pending, muted));
    spans
}
