//! The result of a trial without a log, where the diff would be: all that is recorded of it, and the warnings. The texts
//! that the harness wrote are its steps.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    session::{Session, context::KeyContext},
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

/// Returns the rows of the result in a panel this wide inside its borders.
pub(crate) fn result_height(session: &Session, width: usize) -> usize {
    result_rows(session, width).count()
}

pub(super) fn draw(
    view: &ReplayView,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let title = Line::from(name_span(view, ReplayPanel::Diff, "result".into(), theme));
    let inner = draw_frame(view, ReplayPanel::Diff, title, theme, area, buffer);
    let height = usize::from(inner.height);
    let rows = result_rows(session, usize::from(inner.width));
    let mut rows: Vec<(String, Meaning)> = rows.take(height + 1).collect();
    if rows.len() > height && height > 0 {
        rows.truncate(height - 1);
        let details = session.keys.key_text(KeyContext::Replay, "run-details");
        rows.push((format!("… {details} shows all"), Meaning::Muted));
    }
    for ((words, meaning), y) in rows.into_iter().zip(0..inner.height) {
        let span = recorded_span(&format!(" {words}"), theme.style_for(meaning));
        put_row(Line::from(span), None, inner, y, buffer);
    }
}

/// Returns the wrapped rows, with room for a blank at the left and the right.
fn result_rows(session: &Session, width: usize) -> impl Iterator<Item = (String, Meaning)> {
    let width = width.saturating_sub(2);
    result_lines(session).into_iter().flat_map(move |(words, meaning)| {
        let rows: Vec<_> = wrap_text(&words, width).map(|(_, row)| words[row].to_owned()).collect();
        rows.into_iter().map(move |row| (row, meaning))
    })
}

fn head_text(session: &Session) -> &'static str {
    match session.run.turns.iter().any(|turn| !turn.steps.is_empty()) {
        true if !session.run.terminal_recordings().is_empty() => {
            "no log that can be read; the steps are those of the terminal, and the texts of the harness"
        }
        true => "no log that can be read; the steps are the texts of the harness",
        false => "this trial has no log that can be read",
    }
}

fn result_lines(session: &Session) -> Vec<(String, Meaning)> {
    let trial = session.run.trial.as_deref();
    let outcome = trial.and_then(|trial| trial.outcome);
    let mut facts = trial.map(|trial| trial.named_facts()).unwrap_or_default();
    // A low panel has the first rows alone.
    facts.sort_by_key(|(name, _)| (*name != "outcome", *name != "error"));
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
    let head = (head_text(session).to_owned(), Meaning::Muted);
    let recordings = session.run.terminal_recordings();
    let names: Vec<&str> = recordings.iter().map(|(_, name)| *name).collect();
    let terminals = (!names.is_empty()).then(|| {
        let key = session.keys.key_after_g("goto-terminal");
        (format!("terminal: {key} plays {}", names.join(", ")), Meaning::Text)
    });
    std::iter::once(head).chain(terminals).chain(facts).chain(task).chain(warnings).collect()
}
