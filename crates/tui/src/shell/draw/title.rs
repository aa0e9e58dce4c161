//! Draws the bar on top: the run, the position in it, and the playback.

use ratatui::{buffer::Buffer, layout::Rect, text::Span, widgets::Widget};

use crate::{
    session::{table_protocol::agent_text, views::View},
    shell::open_run::OpenRun,
    views::replay::activity::has_one_request,
    widgets::{
        line::{left_and_right, recorded_span, trusted_span},
        theme::{Meaning, Theme},
    },
};
use trajview_run::{Run, format_number};

pub fn draw(open: &OpenRun, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let width = usize::from(inner.width);
    let detail = if width < MIN_LABEL_WIDTH { TitleDetail::Numbers } else { TitleDetail::Labels };
    left_and_right(
        run_name_spans(&open.session.run, theme),
        position_spans(open, detail, theme),
        width,
    )
    .render(inner, buffer);
}

/// The narrowest bar with the checkpoint's label (cells).
const MIN_LABEL_WIDTH: usize = 76;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TitleDetail {
    Numbers,
    Labels,
}

/// Returns `joint diffusion  emergent · codex 0.42.0 · gpt-5.5 · PPDiff`: the least important part is last and is cut
/// first.
fn run_name_spans(run: &Run, theme: Theme) -> Vec<Span<'static>> {
    let title = if run.title.is_empty() { &run.id } else { &run.title };
    let task = run.task.as_ref().map(|task| task.title.as_ref().unwrap_or(&task.id).clone());
    let task = task.filter(|task| task != title);
    let facts = [
        run.condition.clone(),
        Some(agent_text(run)),
        run.model.clone(),
        task,
        run.origin.harness.clone(),
    ];
    let facts: Vec<_> = facts.into_iter().flatten().filter(|fact| !fact.is_empty()).collect();
    vec![
        recorded_span(title, theme.style_for(Meaning::Title)),
        trusted_span("  ", theme.style_for(Meaning::Text)),
        recorded_span(&facts.join(" · "), theme.style_for(Meaning::Muted)),
    ]
}

/// Returns `turn 23/56 · checkpoint 4/9 joint loss · step 3/11  ▶ 2× by turn`.
fn position_spans(open: &OpenRun, detail: TitleDetail, theme: Theme) -> Vec<Span<'static>> {
    let plain = theme.style_for(Meaning::Text);
    let mut spans = vec![];
    if let Some(sign) = open.judging.status_text() {
        spans.push(trusted_span(format!("{sign}  "), theme.style_for(Meaning::Playing)));
    }
    let warnings = open.session.all_warnings().count();
    if warnings > 0 {
        spans.push(trusted_span(format!("⚠ {warnings}  "), theme.style_for(Meaning::Warning)));
    }
    if let Some(position) = open.replay.search.position_text() {
        spans.push(trusted_span(format!("{position}  "), theme.style_for(Meaning::Hit)));
    }
    // For a run of one request the turn is left out.
    let is_by_step = open.session.view == View::Replay
        && has_one_request(&open.session)
        && open.replay.step_number() > 0;
    let judged = judged_turn(open);
    if let Some(judged) = judged {
        let words = format!("after turn {}/{}", judged + 1, open.session.run.turns.len());
        spans.push(trusted_span(words, theme.style_for(Meaning::Title)));
    } else if !is_by_step {
        spans.push(trusted_span(turn_text(open), theme.style_for(Meaning::Title)));
    }
    let shown = judged.unwrap_or(open.session.turn);
    spans.extend(checkpoint_text(open, shown, detail).map(|words| recorded_span(&words, plain)));
    let is_elsewhere = judged.is_some_and(|judged| judged != open.session.turn);
    if is_elsewhere && open.session.view == View::Scores && detail == TitleDetail::Labels {
        let words = format!(" · playhead at turn {}", open.session.turn + 1);
        spans.push(trusted_span(words, theme.style_for(Meaning::Muted)));
    }
    match open.session.view {
        View::Replay if is_by_step => {
            let (step, steps) = (open.replay.step_number(), open.replay.step_count());
            let words = format!(
                "step {} of {}",
                format_number::with_thousands(step as u64),
                format_number::with_thousands(steps as u64)
            );
            spans.push(trusted_span(words, theme.style_for(Meaning::Title)));
        }
        View::Replay => spans.push(trusted_span(step_text(open), plain)),
        _ => {}
    }
    spans.extend(playing_span(open, theme));
    spans.extend(following_span(open, theme));
    spans
}

/// Returns the turn whose code the view on screen is about, counts from 0; None when that is the turn at the playhead.
fn judged_turn(open: &OpenRun) -> Option<usize> {
    let session = &open.session;
    let turn = match session.view {
        View::Scores => open.view_focus().done?.checked_sub(1),
        View::Audit => session.audited_turn(),
        _ => None,
    };
    turn.filter(|turn| *turn < session.run.turns.len())
}

fn turn_text(open: &OpenRun) -> String {
    match open.session.run.turns.len() {
        0 if open.replay.has_tree_only(&open.session) => "a rubric, no turns".into(),
        0 => "no turns".into(),
        _ if !open.session.growth.is_whole => {
            format!("turn {}/… reading", open.session.turn + 1)
        }
        turns => format!("turn {}/{turns}", open.session.turn + 1),
    }
}

/// Returns the step, or the number of steps when the request is selected.
fn step_text(open: &OpenRun) -> String {
    match (open.replay.step_number(), open.replay.step_count()) {
        (_, 0) if open.session.run.turns.is_empty() => String::new(),
        (_, 0) => " · no steps".into(),
        (0, 1) => " · 1 step".into(),
        (0, steps) => format!(" · {steps} steps"),
        (step, steps) => format!(" · step {step}/{steps}"),
    }
}

fn checkpoint_text(open: &OpenRun, turn: usize, detail: TitleDetail) -> Option<String> {
    let run = &open.session.run;
    let index = run.turns.get(turn)?.checkpoint?;
    let checkpoint = run.checkpoints.get(index)?;
    let label = checkpoint.label.as_ref().filter(|_| detail == TitleDetail::Labels);
    let label = label.map(|label| format!(" {label}")).unwrap_or_default();
    Some(format!(" · checkpoint {}/{}{label}", index + 1, run.checkpoints.len()))
}

/// Returns `● following`, or the number of new turns since the playhead left the end.
fn following_span(open: &OpenRun, theme: Theme) -> Option<Span<'static>> {
    let words = match (open.session.news_text(), open.session.follow.is_following) {
        (Some(news), _) => news,
        (None, false) => return None,
        (None, true) if open.replay.is_at_end(&open.session) => "following".into(),
        (None, true) => "nothing new".into(),
    };
    Some(trusted_span(format!("  ● {words}"), theme.style_for(Meaning::Playing)))
}

fn playing_span(open: &OpenRun, theme: Theme) -> Option<Span<'static>> {
    let playback = &open.replay.playback;
    let stops =
        playback.stops.reasons_text().map(|stops| format!(" until {stops}")).unwrap_or_default();
    let words =
        format!("  ▶ {} by {}{stops}", playback.speed_text(), open.replay.unit_name(&open.session));
    playback
        .is_playing
        .then(|| trusted_span(theme.spell_out(&words), theme.style_for(Meaning::Playing)))
}
