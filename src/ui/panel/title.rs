//! The bar on top: which run, where in it, and whether it plays.

use ratatui::{buffer::Buffer, layout::Rect, text::Span, widgets::Widget};

use crate::{
    app::{overlay::agent, replay::Replay},
    run::Run,
    ui::{
        line::{own, recorded, sides},
        theme::{Meaning, Theme},
    },
};

pub fn draw(replay: &Replay, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let width = usize::from(inner.width);
    sides(who(&replay.run, theme), place(replay, theme), width).render(inner, buffer);
}

/// `joint diffusion  PPDiff · emergent · codex 0.42.0`
fn who(run: &Run, theme: Theme) -> Vec<Span<'static>> {
    let title = if run.title.is_empty() { &run.id } else { &run.title };
    let task = run.task.as_ref().map(|task| task.title.as_ref().unwrap_or(&task.id).clone());
    let facts = [task, run.condition.clone(), Some(agent(run)), run.model.clone()];
    let facts: Vec<_> = facts.into_iter().flatten().filter(|fact| !fact.is_empty()).collect();
    vec![
        recorded(title, theme.of(Meaning::Title)),
        own("  ", theme.of(Meaning::Text)),
        recorded(&facts.join(" · "), theme.of(Meaning::Muted)),
    ]
}

/// `turn 23/56 · checkpoint 4/9 joint loss · step 3/11  ▶ 2× by turn`
fn place(replay: &Replay, theme: Theme) -> Vec<Span<'static>> {
    let plain = theme.of(Meaning::Text);
    let mut spans = vec![];
    if !replay.run.warnings.is_empty() {
        spans.push(own(format!("⚠ {}  ", replay.run.warnings.len()), theme.of(Meaning::Warning)));
    }
    if let Some(position) = replay.search.position() {
        spans.push(own(format!("{position}  "), theme.of(Meaning::Hit)));
    }
    spans.push(own(turn(replay), theme.of(Meaning::Title)));
    spans.extend(checkpoint(replay).map(|words| recorded(&words, plain)));
    let (step, steps) = (replay.step_number(), replay.step_count());
    if steps > 0 {
        spans.push(own(format!(" · step {step}/{steps}"), plain));
    }
    spans.extend(playing(replay, theme));
    spans
}

fn turn(replay: &Replay) -> String {
    match replay.run.turns.len() {
        0 => "no turns".into(),
        turns => format!("turn {}/{turns}", replay.turn + 1),
    }
}

fn checkpoint(replay: &Replay) -> Option<String> {
    let run = &replay.run;
    let index = run.turns.get(replay.turn)?.checkpoint?;
    let checkpoint = run.checkpoints.get(index)?;
    let label = checkpoint.label.as_ref().map(|label| format!(" {label}")).unwrap_or_default();
    Some(format!(" · checkpoint {}/{}{label}", index + 1, run.checkpoints.len()))
}

fn playing(replay: &Replay, theme: Theme) -> Option<Span<'static>> {
    let playback = &replay.playback;
    let words = format!("  ▶ {} by {}", playback.speed(), playback.unit.word());
    playback.is_playing.then(|| own(words, theme.of(Meaning::Playing)))
}
