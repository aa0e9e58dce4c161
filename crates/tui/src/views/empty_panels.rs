//! A view of a run that has nothing to show: what would fill it and with which command, and beside it the run, so that the
//! screen is not empty.

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout as Split, Rect},
    text::Line,
};

use crate::{
    session::{Session, pending::Loading},
    views::replay::draw::step_text::item_name,
    widgets::{
        line::{fit_spans, recorded_span, shown_label, spans_width, trusted_span},
        panel::{draw_sentence, draw_titled_panel, panel_title_span, put_row},
        scroll::centred_top,
        text,
        theme::{Meaning, Theme},
        wrap::wrap_text,
    },
};

/// Why a view is empty.
pub(crate) struct EmptyReason<'a> {
    pub title: &'a str,
    /// One sentence.
    pub why: String,
    /// Keys or commands that fill it, each with what it does.
    pub remedies: Vec<(String, &'a str)>,
}

/// Screen width from which the request and the steps of the turn are beside the turns.
const TWO_COLUMNS_FROM: u16 = 110;

/// The least height for panels; below it there is only the sentence.
const PANELS_FROM_ROWS: u16 = 14;

/// Rows of one request at most before the steps get their room.
const STEP_ROWS: u16 = 5;

/// Draws why a view has nothing to show, and in a large area also the turns, the request and the steps of the run.
pub(crate) fn draw_reason_and_run(
    session: &Session,
    reason: &EmptyReason<'_>,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let muted = theme.style_for(Meaning::Muted);
    if area.height < PANELS_FROM_ROWS || session.run.turns.is_empty() {
        let first = reason.remedies.first().map(|(how, what)| format!(": {how} {what}"));
        let words = format!("{}{}", reason.why, first.unwrap_or_default());
        return draw_sentence(&words, muted, area, buffer);
    }
    let is_wide = area.width >= TWO_COLUMNS_FROM;
    let left_width = if is_wide { area.width / 2 } else { area.width };
    let rows = reason_lines(reason, theme, usize::from(left_width.saturating_sub(4)));
    let height = (rows.len() as u16 + 2).min(area.height / 2);
    let sides = [Constraint::Length(left_width), Constraint::Fill(1)];
    let [left, right] = Split::horizontal(sides).areas(area);
    let [above, below] =
        Split::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(left);
    let title = panel_title_span(true, reason.title, theme);
    draw_lines(rows, draw_titled_panel(true, title, theme, above, buffer), buffer);
    let has_one_turn = session.run.turns.len() == 1;
    match (has_one_turn, is_wide) {
        (true, true) => {
            let lines = request_lines(session, theme, below);
            draw_request(lines, session, theme, below, buffer);
            draw_steps(session, theme, right, buffer);
        }
        (true, false) => draw_request_and_steps(session, theme, below, buffer),
        (false, is_wide) => {
            draw_turns(session, theme, below, buffer);
            if is_wide {
                draw_request_and_steps(session, theme, right, buffer);
            }
        }
    }
}

fn reason_lines(reason: &EmptyReason<'_>, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let plain = theme.style_for(Meaning::Text);
    let mut lines: Vec<Line<'static>> = wrap_text(&reason.why, width)
        .map(|(_, range)| recorded_span(reason.why[range].trim_end(), plain).into())
        .collect();
    let muted = theme.style_for(Meaning::Muted);
    for (how, what) in &reason.remedies {
        let how = trusted_span(how.clone(), theme.style_for(Meaning::Key));
        let used = spans_width(std::slice::from_ref(&how));
        if used + 2 + text::width(what) <= width {
            lines.push(Line::from(vec![how, trusted_span(format!("  {what}"), muted)]));
            continue;
        }
        lines.push(Line::from(how));
        let rows = wrap_text(what, width.saturating_sub(2).max(1));
        lines.extend(rows.map(|(_, range)| {
            Line::from(trusted_span(format!("  {}", what[range].trim_end()), muted))
        }));
    }
    lines
}

fn draw_lines(lines: Vec<Line<'static>>, inner: Rect, buffer: &mut Buffer) {
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    for (line, y) in lines.into_iter().zip(0..inner.height) {
        put_row(line, None, inner, y, buffer);
    }
}

/// Draws the turns, so that the one at the playhead is among them.
fn draw_turns(session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let turns = &session.run.turns;
    let title = panel_title_span(false, "turns of this run", theme);
    let inner = draw_titled_panel(false, title, theme, area, buffer);
    let height = usize::from(inner.height);
    let first = (session.turn + 1).saturating_sub(height.max(1) / 2);
    let first = first.min(turns.len().saturating_sub(height));
    let digits = turns.len().to_string().len();
    let rows = turns.iter().enumerate().skip(first).take(height);
    for ((index, turn), y) in rows.zip(0..) {
        let is_here = index == session.turn;
        let spans = vec![
            trusted_span(format!(" {:>digits$} ", index + 1), theme.style_for(Meaning::Muted)),
            recorded_span(&turn.title, theme.style_for(Meaning::Text)),
        ];
        let line = Line::from(fit_spans(spans, usize::from(inner.width)));
        put_row(line, is_here.then(|| theme.chosen_row(false)), inner, y, buffer);
    }
}

/// Draws the request of the turn in full, and its steps below, so that the selected one is among them.
pub(crate) fn draw_request_and_steps(
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let lines = request_lines(session, theme, area);
    let height = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(2)
        .min(area.height.saturating_sub(STEP_ROWS));
    let [above, below] =
        Split::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(area);
    draw_request(lines, session, theme, above, buffer);
    draw_steps(session, theme, below, buffer);
}

fn request_lines(session: &Session, theme: Theme, area: Rect) -> Vec<Line<'static>> {
    let plain = theme.style_for(Meaning::Text);
    let width = usize::from(area.width.saturating_sub(4)).max(1);
    let words = match session.request_words(session.turn) {
        Some(Ok(words) | Err(words)) => words,
        None => "the recording has no request for this turn",
    };
    let words = words.trim_start_matches(['\r', '\n']);
    wrap_text(words, width)
        .take(usize::from(area.height))
        .map(|(_, range)| recorded_span(words[range].trim_end(), plain).into())
        .collect()
}

fn draw_request(
    lines: Vec<Line<'static>>,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let title = format!("turn {}: request", session.turn + 1);
    let title = panel_title_span(false, &title, theme);
    let inner = draw_titled_panel(false, title, theme, area, buffer);
    draw_lines(lines, inner, buffer);
}

fn draw_steps(session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width.saturating_sub(4)).max(1);
    let title = format!("turn {}: steps and files", session.turn + 1);
    let title = panel_title_span(false, &title, theme);
    let inner = draw_titled_panel(false, title, theme, area, buffer);
    let lines = step_lines(session, theme, width);
    let chosen = session.follow.step.and_then(|(_, number)| number.checked_sub(1));
    let height = usize::from(inner.height);
    let first = centred_top(chosen.unwrap_or_default(), lines.len(), height);
    let area = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    for ((index, line), y) in lines.into_iter().enumerate().skip(first).zip(0..inner.height) {
        let style = (chosen == Some(index)).then(|| theme.chosen_row(false));
        put_row(line, style, area, y, buffer);
    }
}

/// Returns the steps of the turn at the playhead with their number, and the files that it changed.
fn step_lines(session: &Session, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let ids = session.run.steps_of_turn(session.turn);
    let steps = ids.iter().zip(1..).filter_map(|(id, number): (_, usize)| {
        let step = session.run.step(*id)?;
        let spans = vec![
            trusted_span(format!("{number:>3} "), muted),
            recorded_span(&item_name(*id, session), theme.style_for(Meaning::Heading)),
            recorded_span(&format!("  {}", shown_label(&step.label)), plain),
        ];
        Some(Line::from(fit_spans(spans, width)))
    });
    let changes = match &session.timeline {
        Loading::Ready(timeline) => timeline.turns.get(session.turn).map(|turn| &*turn.changes),
        Loading::Nothing | Loading::Waiting(_) | Loading::Failed(_) => None,
    };
    let files = changes.unwrap_or_default().iter().map(|change| {
        let spans = vec![trusted_span("  ± ", muted), recorded_span(change.path.as_str(), plain)];
        Line::from(fit_spans(spans, width))
    });
    steps.chain(files).collect()
}
