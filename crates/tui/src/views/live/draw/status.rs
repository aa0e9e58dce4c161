//! Draws the status line: the agent, its progress, its usage, and the event it waits for.

use ratatui::{buffer::Buffer, layout::Rect, text::Span, widgets::Widget};

use crate::{
    views::live::{LivePhase, LiveView},
    widgets::{
        line::{left_and_right, recorded_span, trusted_span},
        theme::{Meaning, Theme},
    },
};
use trajview_run::{format_number, live::WaitReason};

pub fn draw(live: &LiveView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width.saturating_sub(2));
    let inner = Rect { x: area.x + 1, width: width as u16, ..area };
    left_and_right(left_spans(live, theme), right_spans(live, theme), width).render(inner, buffer);
}

fn left_spans(live: &LiveView, theme: Theme) -> Vec<Span<'static>> {
    let (sign, words, meaning) = phase_words(live);
    if live.has_no_run() && live.player.is_some() {
        let count = format!("  {}", format_number::count_with_noun(live.turns.len(), "turn"));
        return vec![
            trusted_span("▷ recorded terminal", theme.style_for(Meaning::Playing)),
            trusted_span(count, theme.style_for(Meaning::Text)),
        ];
    }
    if live.has_no_run() {
        let recorded =
            if live.turns.is_empty() { "" } else { " · this run has no recorded terminal" };
        return vec![trusted_span(format!("{sign} {words}{recorded}"), theme.style_for(meaning))];
    }
    let count = format!("  turn {}/{}", live.finished_count(), live.turns.len());
    vec![
        trusted_span(format!("{sign} "), theme.style_for(meaning)),
        recorded_span(&words, theme.style_for(meaning)),
        trusted_span(count, theme.style_for(Meaning::Text)),
        trusted_span(" · ", theme.style_for(Meaning::Muted)),
        recorded_span(&live.plan.agent, theme.style_for(Meaning::Title)),
        trusted_span(" · ", theme.style_for(Meaning::Muted)),
        recorded_span(&live.plan.condition, theme.style_for(Meaning::Text)),
    ]
}

/// Returns a sign, words and what they mean.
fn phase_words(live: &LiveView) -> (&'static str, String, Meaning) {
    match &live.phase {
        LivePhase::Nothing => ("◌", "no live run".into(), Meaning::Muted),
        LivePhase::Starting => ("◌", "starting".into(), Meaning::Muted),
        LivePhase::Running => ("▶", "running".into(), Meaning::Playing),
        LivePhase::Waiting(WaitReason::Paused) => ("‖", "paused".into(), Meaning::Warning),
        LivePhase::Waiting(WaitReason::Prompt) => {
            ("‖", "waiting for your prompt".into(), Meaning::Key)
        }
        LivePhase::Waiting(WaitReason::StepByStep) => {
            ("‖", "waiting for you".into(), Meaning::Warning)
        }
        LivePhase::Waiting(WaitReason::Failed(_)) => {
            ("‖", "paused: the turn failed".into(), Meaning::Error)
        }
        LivePhase::Elsewhere => ("▷", "run by another process".into(), Meaning::Playing),
        LivePhase::Stopping => ("■", "stopping".into(), Meaning::Warning),
        LivePhase::Over { words, is_whole: true } => ("✓", words.clone(), Meaning::Added),
        LivePhase::Over { words, is_whole: false } if live.may_resume() => {
            ("■", format!("{words}; {} resumes it", live.key_text("resume")), Meaning::Warning)
        }
        LivePhase::Over { words, is_whole: false } => ("■", words.clone(), Meaning::Warning),
    }
}

/// Returns the usage; values that the agent does not report are left out.
fn right_spans(live: &LiveView, theme: Theme) -> Vec<Span<'static>> {
    let tests = live
        .tests
        .last()
        .map(|it| format!("tests after {}: {}/{}", it.checkpoint, it.passed, it.total));
    let tokens = live
        .spent
        .tokens
        .recorded_sum()
        .map(|tokens| format!("{} tokens", format_number::short_count(tokens)));
    let cost = live.spent.cost_usd.map(format_number::dollars_text);
    let facts: Vec<String> = [tests, tokens, cost].into_iter().flatten().collect();
    vec![recorded_span(&facts.join(" · "), theme.style_for(Meaning::Muted))]
}
