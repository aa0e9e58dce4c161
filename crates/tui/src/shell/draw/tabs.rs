//! Draws the first line of every screen: the views as tabs, and at the right the run, the position in it and the
//! playback.
//!
//! A narrow screen leaves out parts of the right side first, then it shortens the names of the tabs.

use std::ops::Range;

use ratatui::{buffer::Buffer, layout::Rect, style::Modifier, text::Span, widgets::Widget};

use crate::{
    session::{table_protocol::agent_text, views::View},
    shell::{
        open_run::OpenRun,
        screens::{Screens, judge::file_name_text},
    },
    views::replay::activity::has_one_request,
    widgets::{
        line::{fit_spans, left_and_right, recorded_span, spans_width, trusted_span},
        mouse::Mouse,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_formats::{self as formats, RecordingShape};
use trajview_run::{Run, format_number, trial::TrialValues};

/// Draws the tabs, and the facts of the run where a view of it is on screen.
pub(crate) fn draw(screens: &Screens, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let facts = shown_facts(screens);
    let width = usize::from(area.width);
    let current = screens.current_view();
    let names = tab_names(current, width.saturating_sub(least_width(&facts) + 2));
    let mut spans = vec![];
    let mut before = None;
    for (view, name) in &names {
        let is_here = Some(*view) == current;
        let style = match (is_here, screens.has_view(*view)) {
            (true, _) => theme.style_for(Meaning::Selected),
            (false, true) => theme.style_for(Meaning::Text),
            // A dim colour could not be read on a light ground.
            (false, false) if theme.theme_shades().is_some() => theme.style_for(Meaning::Muted),
            (false, false) => theme.style_for(Meaning::Muted).add_modifier(Modifier::DIM),
        };
        spans.push(separator(before, Some(*view), current, theme));
        spans.push(trusted_span(name.clone(), style));
        before = Some(*view);
    }
    spans.push(separator(before, None, current, theme));
    let room = width.saturating_sub(spans_width(&spans) + 1);
    let mut right = fact_spans(&facts, room.saturating_sub(1), theme);
    right.push(trusted_span(" ", theme.style_for(Meaning::Text)));
    left_and_right(spans, right, width).render(area, buffer);
}

/// Draws the facts of the run without tabs, for a run beside a live one.
pub(crate) fn draw_facts(screens: &Screens, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let Some(open) = screens.open_run() else { return };
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let width = usize::from(inner.width);
    let facts = run_facts(open, &run_name(screens, &open.session.run));
    left_and_right(fact_spans(&facts, width, theme), vec![], width).render(inner, buffer);
}

/// Returns the view whose tab is under the mouse.
pub(crate) fn view_at(screens: &Screens, mouse: Mouse, area: Rect) -> Option<View> {
    let room = usize::from(area.width).saturating_sub(least_width(&shown_facts(screens)) + 2);
    let names = tab_names(screens.current_view(), room);
    let column = usize::from(mouse.column.checked_sub(area.x)?);
    let mut start = 1;
    mouse.is_in(area).then_some(())?;
    names.into_iter().find_map(|(view, name)| {
        let cells: Range<usize> = start..start + text::width(&name);
        start = cells.end + 1;
        cells.contains(&column).then_some(view)
    })
}

/// Returns a bracket around the tab of the current view, else a blank: the current tab differs not only by colour.
fn separator(
    before: Option<View>,
    after: Option<View>,
    current: Option<View>,
    theme: Theme,
) -> Span<'static> {
    let sign = match current {
        Some(view) if after == Some(view) => "[",
        Some(view) if before == Some(view) => "]",
        _ => " ",
    };
    trusted_span(sign, theme.style_for(Meaning::Key))
}

/// The numbers of letters of the shortened names, from the whole name on.
const NAME_LETTERS: [usize; 4] = [7, 4, 3, 1];

/// Returns the names of the tabs, as long as they fit; the current one is never cut.
fn tab_names(current: Option<View>, room: usize) -> Vec<(View, String)> {
    let cut = |letters: usize| -> Vec<(View, String)> {
        let name = |view: View| match Some(view) == current {
            true => view.tab_name().to_owned(),
            false => view.tab_name().chars().take(letters).collect(),
        };
        View::ALL.into_iter().map(|view| (view, name(view))).collect()
    };
    let width =
        |names: &[(View, String)]| names.iter().map(|(_, name)| name.len() + 1).sum::<usize>();
    let mut forms = NAME_LETTERS.into_iter().map(cut);
    let fitting = forms.find(|names| width(names) < room);
    fitting.unwrap_or_else(|| cut(1))
}

/// A part of the right side.
struct Fact {
    words: String,
    meaning: Meaning,
    /// The text between it and the part before it.
    gap: &'static str,
    /// Parts of a higher rank are left out first; those of rank 0 stay.
    rank: u8,
}

impl Fact {
    fn new(rank: u8, gap: &'static str, meaning: Meaning, words: impl Into<String>) -> Self {
        Self { words: words.into(), meaning, gap, rank }
    }
}

/// Returns the width in cells that the parts of rank 0 need.
fn least_width(facts: &[Fact]) -> usize {
    let kept = facts.iter().filter(|it| it.rank == 0).enumerate();
    kept.map(|(at, it)| text::width(&it.words) + if at == 0 { 0 } else { it.gap.len() }).sum()
}

/// Returns as many parts as fit, the important ones first, in their order on screen.
fn fact_spans(facts: &[Fact], room: usize, theme: Theme) -> Vec<Span<'static>> {
    let mut by_rank: Vec<usize> = (0..facts.len()).collect();
    by_rank.sort_by_key(|at| facts[*at].rank);
    let mut shown = vec![false; facts.len()];
    let draw = |shown: &[bool]| {
        let mut spans: Vec<Span> = vec![];
        for (fact, _) in facts.iter().zip(shown).filter(|(_, is_shown)| **is_shown) {
            if !spans.is_empty() {
                spans.push(trusted_span(fact.gap, theme.style_for(Meaning::Muted)));
            }
            let words = theme.spell_out(&fact.words);
            spans.push(recorded_span(&words, theme.style_for(fact.meaning)));
        }
        spans
    };
    for at in by_rank {
        // A part behind one blank explains the part before it.
        shown[at] = facts[at].gap != " " || shown[at - 1];
        shown[at] &= facts[at].rank == 0 || spans_width(&draw(&shown)) <= room;
    }
    fit_spans(draw(&shown), room)
}

/// Returns the parts for what is on screen; none for several runs, which have a line of their own.
fn shown_facts(screens: &Screens) -> Vec<Fact> {
    let shown = screens.shown_run();
    shown.map_or_else(Vec::new, |open| run_facts(open, &run_name(screens, &open.session.run)))
}

/// The longest name of a run (cells).
const MAX_NAME: usize = 28;

/// Returns the id of a bundle, else the name of the recording as the user gave it, else its title or id.
fn run_name(screens: &Screens, run: &Run) -> String {
    let file = file_name_text(&screens.source);
    let is_bundle = formats::shape_by_name(run.origin.format) == Some(RecordingShape::Bundle);
    let name = match (is_bundle, file.is_empty() || file == "-") {
        (true, _) => &run.id,
        (false, false) => &file,
        (false, true) if run.title.is_empty() => &run.id,
        (false, true) => &run.title,
    };
    text::truncate(text::safe(name).as_ref(), MAX_NAME, "…").to_string()
}

/// Returns `codex-p12 · emergent · codex 0.169.0 · judge A  turn 23/56 · checkpoint 4/9 joint loss · step 3/11  ▶ 2× by turn`.
fn run_facts(open: &OpenRun, name: &str) -> Vec<Fact> {
    let run = &open.session.run;
    let judge = open.session.rubric.shown_judgement().map(|it| format!("judge {}", it.judge.name));
    let mut facts = vec![Fact::new(2, "  ", Meaning::Title, name)];
    facts.extend(trial_facts(run));
    let more = [(5, run.condition.clone()), (6, Some(agent_text(run))), (7, judge)];
    for (rank, words) in more {
        let words = words.filter(|words| !words.is_empty());
        facts.extend(words.map(|words| Fact::new(rank, " · ", Meaning::Muted, words)));
    }
    facts.extend(position_facts(open));
    if let Some(sign) = open.judging.status_text() {
        facts.push(Fact::new(0, "  ", Meaning::Playing, sign));
    }
    let warnings = open.session.all_warnings().count();
    if warnings > 0 {
        facts.push(Fact::new(0, "  ", Meaning::Warning, format!("⚠ {warnings}")));
    }
    if let Some(position) = open.replay.search.position_text() {
        facts.push(Fact::new(1, "  ", Meaning::Hit, position));
    }
    facts.extend(playing_facts(open));
    facts.extend(following_text(open).map(|words| Fact::new(1, "  ", Meaning::Playing, words)));
    facts
}

/// Returns the result of the trial, `✗ failed · reward 0.25`; none where no harness recorded one.
fn trial_facts(run: &Run) -> Option<Fact> {
    let trial = TrialValues::for_run(run);
    let meaning = trial.outcome.map_or(Meaning::Text, Meaning::for_outcome);
    Some(Fact::new(1, "  ", meaning, trial.result_text()?))
}

/// Returns `turn 23/56`, `checkpoint 4/9`, its label, `step 3/11`.
fn position_facts(open: &OpenRun) -> Vec<Fact> {
    let session = &open.session;
    let judged = judged_turn(open);
    let is_in_replay = session.view == View::Replay;
    // For a run of one request the turn is left out.
    let is_by_step = is_in_replay && has_one_request(session) && open.replay.step_number() > 0;
    if is_by_step {
        let counts = [open.replay.step_number(), open.replay.step_count()];
        let [step, steps] = counts.map(|count| format_number::with_thousands(count as u64));
        return vec![Fact::new(0, "  ", Meaning::Title, format!("step {step} of {steps}"))];
    }
    let words = match judged {
        Some(turn) => format!("after turn {}/{}", turn + 1, session.run.turns.len()),
        None => turn_text(open),
    };
    let mut facts = vec![Fact::new(0, "  ", Meaning::Title, words)];
    if let Some((number, label)) = checkpoint_texts(open, judged.unwrap_or(session.turn)) {
        facts.push(Fact::new(4, " · ", Meaning::Text, number));
        facts.extend(label.map(|label| Fact::new(9, " ", Meaning::Text, label)));
    }
    let is_elsewhere = judged.is_some_and(|judged| judged != session.turn);
    if is_elsewhere && session.view == View::Scores {
        let words = format!("playhead at turn {}", session.turn + 1);
        facts.push(Fact::new(8, " · ", Meaning::Muted, words));
    }
    if let Some(words) = step_text(open).filter(|_| is_in_replay) {
        // The selected step says where one is, the number of steps does not.
        let rank = if open.replay.step_number() > 0 { 3 } else { 8 };
        facts.push(Fact::new(rank, " · ", Meaning::Text, words));
    }
    facts
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
fn step_text(open: &OpenRun) -> Option<String> {
    match (open.replay.step_number(), open.replay.step_count()) {
        (_, 0) if open.session.run.turns.is_empty() => None,
        (_, 0) => Some("no steps".into()),
        (0, 1) => Some("1 step".into()),
        (0, steps) => Some(format!("{steps} steps")),
        (step, steps) => Some(format!("step {step}/{steps}")),
    }
}

/// Returns `checkpoint 4/9` and the label of the checkpoint.
fn checkpoint_texts(open: &OpenRun, turn: usize) -> Option<(String, Option<String>)> {
    let run = &open.session.run;
    let index = run.turns.get(turn)?.checkpoint?;
    let checkpoint = run.checkpoints.get(index)?;
    let number = format!("checkpoint {}/{}", index + 1, run.checkpoints.len());
    Some((number, checkpoint.label.clone()))
}

/// Returns `● following`, or the number of new turns since the playhead left the end.
fn following_text(open: &OpenRun) -> Option<String> {
    let words = match (open.session.news_text(), open.session.follow.is_following) {
        (Some(news), _) => news,
        (None, false) => return None,
        (None, true) if open.replay.is_at_end(&open.session) => "following".into(),
        (None, true) => "nothing new".into(),
    };
    Some(format!("● {words}"))
}

/// Returns `▶ 2×`, and what is played.
fn playing_facts(open: &OpenRun) -> Vec<Fact> {
    let playback = &open.replay.playback;
    if !playback.is_playing {
        return vec![];
    }
    let stops =
        playback.stops.reasons_text().map(|stops| format!(" until {stops}")).unwrap_or_default();
    let details = format!("by {}{stops}", open.replay.unit_name(&open.session));
    vec![
        Fact::new(0, "  ", Meaning::Playing, format!("▶ {}", playback.speed_text())),
        Fact::new(3, " ", Meaning::Playing, details),
    ]
}
