//! The list of turns: what was asked, how much changed, what went wrong.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{
        Session,
        digest::{Digest, Lines},
        turns::{Row, rows},
    },
    views::replay::{
        Replay,
        acts::{self, act_here, has_one_request},
    },
    widgets::{
        layout::Panel,
        line::{fit, own, recorded, sides},
        panel::list,
        theme::{Meaning, Theme},
    },
};
use trajview_run::{Edit, StepKind, Turn};

use super::{chosen, frame, name, steps::step_words};

pub fn draw(view: &Replay, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_single = has_one_request(session);
    let words = if is_single { "edits and commands" } else { "turns" };
    let title = Line::from(name(view, Panel::Turns, words.into(), theme));
    let inner = frame(view, Panel::Turns, title, theme, area, buffer);
    if is_single {
        return actions(view, session, theme, inner, buffer);
    }
    let rows = rows(&session.run);
    let selected = rows.iter().position(|row| *row == Row::Turn(session.turn)).unwrap_or_default();
    if session.run.turns.is_empty() {
        return crate::widgets::panel::sentence(
            "this run has no turns",
            theme.of(Meaning::Muted),
            inner,
            buffer,
        );
    }
    let width = usize::from(inner.width);
    let room = width.saturating_sub(1);
    let line = |index: usize| match rows[index] {
        Row::Checkpoint(index) => checkpoint(session, index, theme, width),
        Row::Turn(index) => turn(session, index, theme, room),
    };
    list(rows.len(), line, selected, chosen(view, Panel::Turns, theme), inner, buffer);
}

/// What the agent of a run of one request did: `▌136 ✗ pytest -q`.
fn actions(view: &Replay, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let acts = acts::acts(session);
    if acts.is_empty() {
        let words = "nothing was edited or run";
        return crate::widgets::panel::sentence(words, theme.of(Meaning::Muted), area, buffer);
    }
    let (digits, here) = (view.step_count().to_string().len(), act_here(view, &acts));
    let line = |index: usize| {
        let (number, id) = acts[index];
        let Some(step) = session.run.step(id) else { return Line::default() };
        let mark = if index == here { "▌" } else { " " };
        let mut left = vec![own(format!("{mark}{number:>digits$} "), theme.of(Meaning::Muted))];
        if step.failed() {
            left.push(own("✗ ", theme.of(Meaning::Error)));
        }
        let words = if step.label.is_empty() {
            step_words(&session.run, step)
        } else {
            step.label.to_string()
        };
        left.push(recorded(&words, theme.of(Meaning::Text)));
        let counts = |count: fn(&Edit) -> Option<u32>| {
            step.edits.iter().filter_map(count).map(|count| count as usize).sum()
        };
        let lines = Lines { added: counts(|it| it.added), removed: counts(|it| it.removed) };
        let right = line_counts(lines, theme).into_iter();
        let space = || own(" ", theme.of(Meaning::Text));
        let right = right.flat_map(|count| [space(), count]).skip(1).collect();
        sides(left, right, usize::from(area.width).saturating_sub(1))
    };
    list(acts.len(), line, here, chosen(view, Panel::Turns, theme), area, buffer);
}

fn checkpoint(session: &Session, index: usize, theme: Theme, width: usize) -> Line<'static> {
    let words =
        session.run.checkpoints.get(index).map(|it| it.label.as_ref().unwrap_or(&it.id).clone());
    let muted = theme.of(Meaning::Muted);
    let mut spans = vec![
        own(format!("─ {} ", index + 1), muted),
        recorded(&words.unwrap_or_default(), theme.of(Meaning::Heading)),
        own(format!(" {}", "─".repeat(width)), muted),
    ];
    spans = fit(spans, width + 1); // a rule that is cut off ends as a rule
    let mut line = Line::from(spans);
    if let Some(rule) = line.spans.last_mut() {
        let trimmed = rule.content.trim_end_matches('…').to_owned();
        rule.content = trimmed.into();
    }
    line
}

fn turn(session: &Session, index: usize, theme: Theme, width: usize) -> Line<'static> {
    let digits = session.run.turns.len().to_string().len();
    let turn = &session.run.turns[index];
    let mark = if index == session.turn { "▌" } else { " " };
    let (title, meaning) = match &*turn.title {
        "" => (first_words(turn), Meaning::Muted),
        title => (title.to_owned(), Meaning::Text),
    };
    let left = vec![
        own(format!("{mark}{:>digits$} ", index + 1), theme.of(Meaning::Muted)),
        recorded(&title, theme.of(meaning)),
    ];
    let right = session.digests.get(index).map(|digest| marks(session, index, digest, theme));
    sides(left, right.unwrap_or_default(), width)
}

/// What stands for a turn whose request is not recorded: the first thing the agent said.
fn first_words(turn: &Turn) -> String {
    let messages = turn.steps.iter().filter(|step| step.kind == StepKind::Message);
    let labels = messages.map(|step| &*step.label);
    let first = labels.into_iter().find(|label| !label.is_empty());
    first.map_or_else(|| "(nothing is said)".into(), |label| format!("“{label}”"))
}

/// `cut ✗1 ⟲ ⑂2 +34 −8`
pub fn marks(session: &Session, turn: usize, digest: &Digest, theme: Theme) -> Vec<Span<'static>> {
    let mut marks = vec![];
    let state = session.run.turns.get(turn).and_then(Turn::state);
    if let Some(state) = state.filter(|state| !state.words().is_empty()) {
        let meaning = if state.counts() { Meaning::Warning } else { Meaning::Error };
        marks.push(own(state.words(), theme.of(meaning)));
    }
    if digest.errors > 0 {
        marks.push(own(format!("✗{}", digest.errors), theme.of(Meaning::Error)));
    }
    if digest.compactions > 0 {
        marks.push(own("⟲", theme.of(Meaning::Warning)));
    }
    if digest.subagents > 0 {
        marks.push(own(format!("⑂{}", digest.subagents), theme.of(Meaning::Hunk)));
    }
    if !session.scores.worked.signals_of(turn).is_empty() {
        marks.push(own("•", theme.of(Meaning::Warning)));
    }
    match session.lines_of_turn(turn) {
        Some(lines) => marks.extend(line_counts(lines, theme)),
        None => marks
            .extend(file_count(session, turn).map(|words| own(words, theme.of(Meaning::Muted)))),
    }
    let space = || own(" ", theme.of(Meaning::Text));
    marks.into_iter().flat_map(|mark| [space(), mark]).skip(1).collect()
}

/// `+34` and `−8`, each left out where it is 0.
pub fn line_counts(lines: Lines, theme: Theme) -> Vec<Span<'static>> {
    let mut spans = vec![];
    if lines.added > 0 {
        spans.push(own(format!("+{}", lines.added), theme.of(Meaning::Added)));
    }
    if lines.removed > 0 {
        spans.push(own(format!("−{}", lines.removed), theme.of(Meaning::Removed)));
    }
    spans
}

/// What is known of a turn whose edits were not recorded.
fn file_count(session: &Session, turn: usize) -> Option<String> {
    match session.timeline.ready()?.turns.get(turn)?.changes.len() {
        0 => None,
        1 => Some("1 file".into()),
        files => Some(format!("{files} files")),
    }
}
