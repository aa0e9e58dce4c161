//! One line: the agent, how far it is, what it took so far, what it waits for.

use ratatui::{buffer::Buffer, layout::Rect, text::Span, widgets::Widget};

use crate::{
    session::live::Pause,
    views::live::{Live, Phase},
    widgets::{
        line::{own, recorded, sides},
        theme::{Meaning, Theme},
    },
};
use trajview_run::figures;

pub fn draw(live: &Live, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width.saturating_sub(2));
    let inner = Rect { x: area.x + 1, width: width as u16, ..area };
    sides(left(live, theme), right(live, theme), width).render(inner, buffer);
}

fn left(live: &Live, theme: Theme) -> Vec<Span<'static>> {
    let (sign, words, meaning) = phase(&live.phase);
    if live.is_nothing() {
        return vec![own(format!("{sign} {words}"), theme.of(meaning))];
    }
    let count = format!("  turn {}/{}", live.done(), live.turns.len());
    vec![
        own(format!("{sign} "), theme.of(meaning)),
        recorded(&words, theme.of(meaning)),
        own(count, theme.of(Meaning::Text)),
        own(" · ", theme.of(Meaning::Muted)),
        recorded(&live.plan.agent, theme.of(Meaning::Title)),
        own(" · ", theme.of(Meaning::Muted)),
        recorded(&live.plan.condition, theme.of(Meaning::Text)),
    ]
}

/// A sign, words and what they mean.
fn phase(phase: &Phase) -> (&'static str, String, Meaning) {
    match phase {
        Phase::Nothing => ("◌", "no agent is running here".into(), Meaning::Muted),
        Phase::Starting => ("◌", "starting".into(), Meaning::Muted),
        Phase::Running => ("▶", "running".into(), Meaning::Playing),
        Phase::Waiting(Pause::Asked) => ("‖", "paused".into(), Meaning::Warning),
        Phase::Waiting(Pause::Prompt) => ("‖", "waits for your prompt".into(), Meaning::Key),
        Phase::Waiting(Pause::BeforeEach) => ("‖", "waits for you".into(), Meaning::Warning),
        Phase::Waiting(Pause::Failure) => ("‖", "waits: the turn failed".into(), Meaning::Error),
        Phase::Elsewhere => ("▷", "made by another program".into(), Meaning::Playing),
        Phase::Stopping => ("■", "stopping".into(), Meaning::Warning),
        Phase::Over { words, is_whole: true } => ("✓", words.clone(), Meaning::Added),
        Phase::Over { words, is_whole: false } => ("■", words.clone(), Meaning::Warning),
    }
}

/// What the agent did not say is left out.
fn right(live: &Live, theme: Theme) -> Vec<Span<'static>> {
    let tests = live
        .tests
        .last()
        .map(|it| format!("tests after {}: {}/{}", it.checkpoint, it.passed, it.total));
    let tokens = live.spent.tokens.map(|tokens| format!("{} tokens", figures::short(tokens)));
    let cost = live.spent.cost.map(figures::dollars);
    let said: Vec<String> = [tests, tokens, cost].into_iter().flatten().collect();
    vec![recorded(&said.join(" · "), theme.of(Meaning::Muted))]
}
