//! The bar on top: which run, where in it, and whether it plays.

use ratatui::{buffer::Buffer, layout::Rect, text::Span, widgets::Widget};

use crate::{
    session::{runs::agent, views::View},
    shell::open_run::OpenRun,
    views::replay::acts::has_one_request,
    widgets::{
        line::{own, recorded, sides},
        theme::{Meaning, Theme},
    },
};
use trajview_run::{Run, figures};

pub fn draw(open: &OpenRun, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let width = usize::from(inner.width);
    let detail = if width < ROOM_FOR_LABELS { Detail::Numbers } else { Detail::Labels };
    sides(who(&open.session.run, theme), place(open, detail, theme), width).render(inner, buffer);
}

/// Narrower bars leave out the checkpoint's label.
const ROOM_FOR_LABELS: usize = 76;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    Numbers,
    Labels,
}

/// `joint diffusion  emergent · codex 0.42.0 · gpt-5.5 · PPDiff`: what gives way first stands last.
fn who(run: &Run, theme: Theme) -> Vec<Span<'static>> {
    let title = if run.title.is_empty() { &run.id } else { &run.title };
    let task = run.task.as_ref().map(|task| task.title.as_ref().unwrap_or(&task.id).clone());
    let task = task.filter(|task| task != title);
    let facts = [
        run.condition.clone(),
        Some(agent(run)),
        run.model.clone(),
        task,
        run.origin.harness.clone(),
    ];
    let facts: Vec<_> = facts.into_iter().flatten().filter(|fact| !fact.is_empty()).collect();
    vec![
        recorded(title, theme.of(Meaning::Title)),
        own("  ", theme.of(Meaning::Text)),
        recorded(&facts.join(" · "), theme.of(Meaning::Muted)),
    ]
}

/// `turn 23/56 · checkpoint 4/9 joint loss · step 3/11  ▶ 2× by turn`
fn place(open: &OpenRun, detail: Detail, theme: Theme) -> Vec<Span<'static>> {
    let plain = theme.of(Meaning::Text);
    let mut spans = vec![];
    if let Some(sign) = open.judging.sign() {
        spans.push(own(format!("{sign}  "), theme.of(Meaning::Playing)));
    }
    let warnings = open.session.warnings().count();
    if warnings > 0 {
        spans.push(own(format!("⚠ {warnings}  "), theme.of(Meaning::Warning)));
    }
    if let Some(position) = open.replay.search.position() {
        spans.push(own(format!("{position}  "), theme.of(Meaning::Hit)));
    }
    // Of a run of one request the turn says nothing.
    let is_by_step = open.session.view == View::Replay
        && has_one_request(&open.session)
        && open.replay.step_number() > 0;
    let judged = judged_turn(open);
    if let Some(judged) = judged {
        let words = format!("after turn {}/{}", judged + 1, open.session.run.turns.len());
        spans.push(own(words, theme.of(Meaning::Title)));
    } else if !is_by_step {
        spans.push(own(turn(open), theme.of(Meaning::Title)));
    }
    let shown = judged.unwrap_or(open.session.turn);
    spans.extend(checkpoint(open, shown, detail).map(|words| recorded(&words, plain)));
    let is_elsewhere = judged.is_some_and(|judged| judged != open.session.turn);
    if is_elsewhere && open.session.view == View::Scores && detail == Detail::Labels {
        let words = format!(" · playhead at turn {}", open.session.turn + 1);
        spans.push(own(words, theme.of(Meaning::Muted)));
    }
    match open.session.view {
        View::Replay if is_by_step => {
            let (step, steps) = (open.replay.step_number(), open.replay.step_count());
            let words =
                format!("step {} of {}", figures::count(step as u64), figures::count(steps as u64));
            spans.push(own(words, theme.of(Meaning::Title)));
        }
        View::Replay => spans.push(own(step(open), plain)),
        _ => {}
    }
    spans.extend(playing(open, theme));
    spans.extend(following(open, theme));
    spans
}

/// The turn whose code the view on screen is about, counts from 0, where that is not the one at the playhead.
fn judged_turn(open: &OpenRun) -> Option<usize> {
    let session = &open.session;
    let turn = match session.view {
        View::Scores => open.looked_at().done?.checked_sub(1),
        View::Audit => session.audited_turn(),
        _ => None,
    };
    turn.filter(|turn| *turn < session.run.turns.len())
}

fn turn(open: &OpenRun) -> String {
    match open.session.run.turns.len() {
        0 if open.replay.has_tree_only(&open.session) => "a rubric, no turns".into(),
        0 => "no turns".into(),
        _ if !open.session.growth.is_whole => {
            format!("turn {}/… reading", open.session.turn + 1)
        }
        turns => format!("turn {}/{turns}", open.session.turn + 1),
    }
}

/// Where the request is selected, how many steps there are.
fn step(open: &OpenRun) -> String {
    match (open.replay.step_number(), open.replay.step_count()) {
        (_, 0) if open.session.run.turns.is_empty() => String::new(),
        (_, 0) => " · no steps".into(),
        (0, 1) => " · 1 step".into(),
        (0, steps) => format!(" · {steps} steps"),
        (step, steps) => format!(" · step {step}/{steps}"),
    }
}

fn checkpoint(open: &OpenRun, turn: usize, detail: Detail) -> Option<String> {
    let run = &open.session.run;
    let index = run.turns.get(turn)?.checkpoint?;
    let checkpoint = run.checkpoints.get(index)?;
    let label = checkpoint.label.as_ref().filter(|_| detail == Detail::Labels);
    let label = label.map(|label| format!(" {label}")).unwrap_or_default();
    Some(format!(" · checkpoint {}/{}{label}", index + 1, run.checkpoints.len()))
}

/// `● following`, or what is new since the playhead left the end.
fn following(open: &OpenRun, theme: Theme) -> Option<Span<'static>> {
    let words = match (open.session.news(), open.session.follow.is_on) {
        (Some(news), _) => news,
        (None, false) => return None,
        (None, true) if open.replay.is_at_end(&open.session) => "following".into(),
        (None, true) => "nothing new".into(),
    };
    Some(own(format!("  ● {words}"), theme.of(Meaning::Playing)))
}

fn playing(open: &OpenRun, theme: Theme) -> Option<Span<'static>> {
    let playback = &open.replay.playback;
    let stops = playback.stops.words().map(|stops| format!(" until {stops}")).unwrap_or_default();
    let words =
        format!("  ▶ {} by {}{stops}", playback.speed(), open.replay.unit_word(&open.session));
    playback.is_playing.then(|| own(theme.spelled(&words), theme.of(Meaning::Playing)))
}
