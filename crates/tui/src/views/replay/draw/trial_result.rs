//! The result of a trial that left no log, where the diff would be: all that is recorded of it, and the warnings.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    session::Session,
    views::replay::ReplayView,
    widgets::{
        layout::ReplayPanel,
        line::recorded_span,
        panel::put_row,
        theme::{Meaning, Theme},
        wrap::wrap_text,
    },
};

use super::{draw_frame, name_span};

pub(super) fn draw(
    view: &ReplayView,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let title = Line::from(name_span(view, ReplayPanel::Diff, "result".into(), theme));
    let inner = draw_frame(view, ReplayPanel::Diff, title, theme, area, buffer);
    let width = usize::from(inner.width.saturating_sub(2));
    let rows = result_lines(session).into_iter().flat_map(|(words, meaning)| {
        let rows: Vec<_> = wrap_text(&words, width).map(|(_, row)| words[row].to_owned()).collect();
        rows.into_iter().map(move |row| (row, meaning))
    });
    for ((words, meaning), y) in rows.zip(0..inner.height) {
        let span = recorded_span(&format!(" {words}"), theme.style_for(meaning));
        put_row(Line::from(span), None, inner, y, buffer);
    }
}

fn result_lines(session: &Session) -> Vec<(String, Meaning)> {
    let trial = session.run.trial.as_deref();
    let outcome = trial.and_then(|trial| trial.outcome);
    let facts = trial.map(|trial| trial.named_facts()).unwrap_or_default();
    let task = session.run.task_key().map(|task| (format!("task: {task}"), Meaning::Text));
    let facts = facts.into_iter().map(|(name, text)| {
        let meaning = match outcome {
            Some(outcome) if name == "outcome" => Meaning::for_outcome(outcome),
            _ => Meaning::Text,
        };
        (format!("{name}: {text}"), meaning)
    });
    let warnings = session.run.warnings.iter();
    let warnings = warnings.map(|it| (format!("⚠ {}: {}", it.place, it.what), Meaning::Warning));
    let head = ("this trial has no log that can be read".to_owned(), Meaning::Muted);
    std::iter::once(head).chain(task).chain(facts).chain(warnings).collect()
}
