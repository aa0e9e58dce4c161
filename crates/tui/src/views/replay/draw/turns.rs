//! Draws the list of turns: requests, changes, failures.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{
        Session,
        context::KeyContext,
        turn_counts::{LineTotals, TurnEditCounts},
        turns::{TurnListRow, turn_rows},
    },
    views::replay::{
        ReplayView,
        activity::{self, has_one_request, selected_action},
    },
    widgets::{
        layout::ReplayPanel,
        line::{
            fit_spans, fit_text_end, left_and_right, recorded_span, safe_string, spans_width,
            trusted_span,
        },
        panel::draw_list,
        theme::{Meaning, Theme},
    },
};
use trajview_run::{Edit, StepKind, Turn};

use super::{draw_frame, name_span, selection_style, steps::step_name};

pub fn draw(view: &ReplayView, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_single = has_one_request(session);
    let words = if is_single { "edits and commands" } else { "turns" };
    let title = Line::from(name_span(view, ReplayPanel::Turns, words.into(), theme));
    let inner = draw_frame(view, ReplayPanel::Turns, title, theme, area, buffer);
    if is_single {
        return draw_actions(view, session, theme, inner, buffer);
    }
    let rows = turn_rows(&session.run);
    let selected =
        rows.iter().position(|row| *row == TurnListRow::Turn(session.turn)).unwrap_or_default();
    if session.run.turns.is_empty() {
        let words = match session.run.warnings.is_empty() {
            true => "this run has no turns".to_owned(),
            false => format!(
                "this run has no turns; {} lists the warnings about the recording",
                session.keys.key_text(KeyContext::Turns, "reading-problems")
            ),
        };
        return crate::widgets::panel::draw_sentence(
            &words,
            theme.style_for(Meaning::Muted),
            inner,
            buffer,
        );
    }
    let width = usize::from(inner.width);
    let room = width.saturating_sub(1);
    let line = |index: usize| match rows[index] {
        TurnListRow::Checkpoint(index) => checkpoint_line(session, index, theme, width),
        TurnListRow::Turn(index) => turn_line(session, index, theme, room),
    };
    draw_list(
        rows.len(),
        line,
        selected,
        selection_style(view, ReplayPanel::Turns, theme),
        inner,
        buffer,
    );
}

/// Draws the actions of the agent in a run with one request: `▌136 ✗ pytest -q`.
fn draw_actions(
    view: &ReplayView,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let acts = activity::agent_actions(session);
    if acts.is_empty() {
        return crate::widgets::panel::draw_sentence(
            "no edits or commands",
            theme.style_for(Meaning::Muted),
            area,
            buffer,
        );
    }
    let (digits, here) = (view.step_count().to_string().len(), selected_action(view, &acts));
    let line = |index: usize| {
        let (number, id) = acts[index];
        let Some(step) = session.run.step(id) else { return Line::default() };
        let mark = if index == here { "▌" } else { " " };
        let mut left = vec![trusted_span(
            format!("{mark}{number:>digits$} "),
            theme.style_for(Meaning::Muted),
        )];
        if step.has_failed() {
            left.push(trusted_span("✗ ", theme.style_for(Meaning::Error)));
        }
        let words = if step.label.is_empty() {
            step_name(&session.run, step)
        } else {
            step.label.to_string()
        };
        let counts = |count: fn(&Edit) -> Option<u32>| {
            step.edits.iter().filter_map(count).map(|count| count as usize).sum()
        };
        let lines = LineTotals { added: counts(|it| it.added), removed: counts(|it| it.removed) };
        let right = line_counts(lines, theme).into_iter();
        let space = || trusted_span(" ", theme.style_for(Meaning::Text));
        let right: Vec<Span<'static>> = right.flat_map(|count| [space(), count]).skip(1).collect();
        let room = usize::from(area.width).saturating_sub(1);
        // Of a path the end says which file it is.
        let is_path = words.starts_with('/') && !words.contains(char::is_whitespace);
        let words = match is_path {
            true => {
                let used =
                    spans_width(&left) + spans_width(&right) + usize::from(!right.is_empty());
                fit_text_end(&safe_string(&words), room.saturating_sub(used))
            }
            false => words,
        };
        left.push(recorded_span(&words, theme.style_for(Meaning::Text)));
        left_and_right(left, right, room)
    };
    draw_list(
        acts.len(),
        line,
        here,
        selection_style(view, ReplayPanel::Turns, theme),
        area,
        buffer,
    );
}

fn checkpoint_line(session: &Session, index: usize, theme: Theme, width: usize) -> Line<'static> {
    let words =
        session.run.checkpoints.get(index).map(|it| it.label.as_ref().unwrap_or(&it.id).clone());
    let muted = theme.style_for(Meaning::Muted);
    let mut spans = vec![
        trusted_span(format!("─ {} ", index + 1), muted),
        recorded_span(&words.unwrap_or_default(), theme.style_for(Meaning::Heading)),
        trusted_span(format!(" {}", "─".repeat(width)), muted),
    ];
    spans = fit_spans(spans, width + 1); // a rule that is cut off ends as a rule
    let mut line = Line::from(spans);
    if let Some(rule) = line.spans.last_mut() {
        let trimmed = rule.content.trim_end_matches('…').to_owned();
        rule.content = trimmed.into();
    }
    line
}

fn turn_line(session: &Session, index: usize, theme: Theme, width: usize) -> Line<'static> {
    let digits = session.run.turns.len().to_string().len();
    let turn = &session.run.turns[index];
    let mark = if index == session.turn { "▌" } else { " " };
    let (title, meaning) = match &*turn.title {
        "" => (first_message_text(turn), Meaning::Muted),
        title => (title.to_owned(), Meaning::Text),
    };
    let left = vec![
        trusted_span(format!("{mark}{:>digits$} ", index + 1), theme.style_for(Meaning::Muted)),
        recorded_span(&title, theme.style_for(meaning)),
    ];
    let right =
        session.turn_counts.get(index).map(|digest| turn_mark_spans(session, index, digest, theme));
    left_and_right(left, right.unwrap_or_default(), width)
}

/// Returns the text for a turn whose request is not recorded: the first message of the agent.
fn first_message_text(turn: &Turn) -> String {
    let messages = turn.steps.iter().filter(|step| step.kind == StepKind::Message);
    let labels = messages.map(|step| &*step.label);
    let first = labels.into_iter().find(|label| !label.is_empty());
    first.map_or_else(|| "(no text)".into(), |label| format!("“{label}”"))
}

/// Returns `cut ✗1 ⟲ ⑂2 +34 −8`.
pub(crate) fn turn_mark_spans(
    session: &Session,
    turn: usize,
    digest: &TurnEditCounts,
    theme: Theme,
) -> Vec<Span<'static>> {
    let mut marks = vec![];
    let state = session.run.turns.get(turn).and_then(Turn::state);
    if let Some(state) = state.filter(|state| !state.display_text().is_empty()) {
        let meaning = if state.is_counted() { Meaning::Warning } else { Meaning::Error };
        marks.push(trusted_span(state.display_text(), theme.style_for(meaning)));
    }
    if digest.errors > 0 {
        marks.push(trusted_span(format!("✗{}", digest.errors), theme.style_for(Meaning::Error)));
    }
    if digest.compactions > 0 {
        marks.push(trusted_span("⟲", theme.style_for(Meaning::Warning)));
    }
    if digest.subagents > 0 {
        marks.push(trusted_span(format!("⑂{}", digest.subagents), theme.style_for(Meaning::Hunk)));
    }
    if !session.scores.process.signals_in_turn(turn).is_empty() {
        marks.push(trusted_span("•", theme.style_for(Meaning::Warning)));
    }
    match session.lines_of_turn(turn) {
        Some(lines) => marks.extend(line_counts(lines, theme)),
        None => marks.extend(
            file_count_text(session, turn)
                .map(|words| trusted_span(words, theme.style_for(Meaning::Muted))),
        ),
    }
    let space = || trusted_span(" ", theme.style_for(Meaning::Text));
    marks.into_iter().flat_map(|mark| [space(), mark]).skip(1).collect()
}

/// Returns `+34` and `−8`, each left out where it is 0.
pub fn line_counts(lines: LineTotals, theme: Theme) -> Vec<Span<'static>> {
    let mut spans = vec![];
    if lines.added > 0 {
        spans.push(trusted_span(format!("+{}", lines.added), theme.style_for(Meaning::Added)));
    }
    if lines.removed > 0 {
        spans.push(trusted_span(format!("−{}", lines.removed), theme.style_for(Meaning::Removed)));
    }
    spans
}

/// Returns the number of changed files, for a turn whose edits were not recorded.
fn file_count_text(session: &Session, turn: usize) -> Option<String> {
    match session.timeline.ready()?.turns.get(turn)?.changes.len() {
        0 => None,
        1 => Some("1 file".into()),
        files => Some(format!("{files} files")),
    }
}
