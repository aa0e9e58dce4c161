//! Who judged what, and the scores of the whole.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    session::{Session, integration::Integration},
    views::scores::{Scores, components::table::Row},
    widgets::{
        line::{fit, own, recorded, sides, width_of},
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::{Number, blockers::Capped, faithfulness::if50, numbers::Style};
use trajview_run::rubric::{FULL, Judgement, Pooled, SEVERE};

pub fn draw(view: &Scores, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width.saturating_sub(2));
    let rows = match area.height {
        0 => vec![],
        1 => vec![sums(view, session, theme, width)],
        _ => vec![who(session, theme, width), sums(view, session, theme, width)],
    };
    for (row, y) in rows.into_iter().zip(area.y..) {
        row.render(
            Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 1 },
            buffer,
        );
    }
}

/// `judge gpt-5 (http, gpt-5-mini) · turn 56 at 610540d · 2026-11-21 · slump-5   judgement 1 of 2`
fn who(session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let muted = theme.of(Meaning::Muted);
    let judged = &session.rubric;
    let Some(judgement) = judged.judgement() else {
        return Line::from(fit(vec![own("nothing has judged this run yet", muted)], width));
    };
    let judge = &judgement.judge;
    let name = if judge.name.is_empty() { "a judge without a name" } else { &judge.name };
    let about: Vec<String> = [
        (!judge.kind.is_empty()).then(|| judge.kind.clone()),
        judge.model.clone().filter(|model| *model != judge.name),
        judgement.pooled.as_ref().map(Pooled::words),
        judge.budget.map(|calls| format!("at most {calls} calls")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut facts = vec![judged_state(session, judgement)];
    facts.extend(judgement.created_at.as_deref().map(date));
    facts.push(judgement.rubric.clone().unwrap_or_else(|| "rubric not named".into()));
    let mut left = vec![own("judge ", muted), recorded(name, theme.of(Meaning::Title))];
    if !about.is_empty() {
        left.push(recorded(&format!(" ({})", about.join(", ")), muted));
    }
    left.push(recorded(&format!(" · {}", facts.join(" · ")), theme.of(Meaning::Text)));
    let mut right = vec![];
    if let Some(newer) = judged.newer() {
        let words = format!("newer: {} · f ", newer.judge.name);
        right.push(recorded(&words, theme.of(Meaning::Warning)));
    }
    if let Some((number, count)) = judged.judgement_number().filter(|(_, count)| *count > 1) {
        right.push(own(format!("judgement {number} of {count}"), muted));
    }
    sides(left, right, width)
}

/// `after turn 56 at 610540d`
fn judged_state(session: &Session, judgement: &Judgement) -> String {
    let commit = judgement.commit.as_deref().map(|it| it.chars().take(7).collect::<String>());
    let at = commit.filter(|it| !it.is_empty()).map(|it| format!(" at {it}")).unwrap_or_default();
    match session.judged_turn() {
        Some(turn) => format!("after turn {}{at}", turn + 1),
        None => format!("no turn of this run{at}"),
    }
}

/// The day of an RFC 3339 time; what is none stays as it is.
fn date(written: &str) -> String {
    written.split(['T', ' ']).next().unwrap_or(written).to_owned()
}

/// `MCF 2.708 of 4 · severe 5 · full 11 · judged 24 of 24`
fn sums(view: &Scores, session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let rows = view.components.component_rows(session);
    let listed: Vec<_> = rows.iter().filter(|row| row.is_in_checklist).collect();
    let counted = if listed.is_empty() { rows.iter().collect() } else { listed };
    let value = |row: &Row| row.exact.or(row.score.map(f64::from));
    let scores: Vec<f64> = counted.iter().filter_map(|row| value(row)).collect();
    if scores.is_empty() {
        let by_book = counted.iter().filter(|row| !row.given.is_empty()).count();
        let words = match by_book {
            0 => format!("{} components, none has a score", counted.len()),
            some => {
                format!("{} components, {some} scored by a codebook and not on 0..4", counted.len())
            }
        };
        return Line::from(fit(vec![own(words, muted)], width));
    }
    let mcf = scores.iter().sum::<f64>() / scores.len() as f64;
    let dir = integration(session).and_then(|it| it.dir());
    let dir_of = |value: &dyn Fn(f64) -> String| dir.map_or_else(|| waiting(session), value);
    let has_means = session.rubric.has_means();
    let mean = |value: String| if has_means { value } else { "–".into() };
    let part = if is_in_part(session) { ", in part" } else { "" };
    let count = |is: &dyn Fn(f64) -> bool| scores.iter().filter(|score| is(**score)).count();
    let called = |name: &str, value: String| {
        [own(format!("{name} "), muted), own(value, theme.of(Meaning::Title)), own("   ", plain)]
    };
    let named = |number: Number, value: String| called(number.short(), value);
    let written = |number: Number, value: f64| number.written(value, Style::Full);
    let capped = capped(session).map(|it| {
        let by: Vec<&str> = it.by.iter().map(|it| it.component.as_str()).collect();
        let by = if by.is_empty() { "none fails".into() } else { by.join(", ") };
        named(Number::McfCapped, mean(format!("{} ({by})", written(Number::McfCapped, it.mcf))))
    });
    let all = [
        named(Number::Mcf, mean(format!("{} of {FULL}", written(Number::Mcf, mcf)))),
        named(Number::Dir, dir_of(&|dir| written(Number::Dir, dir))),
        named(Number::If50, mean(dir_of(&|dir| written(Number::If50, if50(mcf, dir))))),
        named(Number::Judged, format!("{} of {}{part}", scores.len(), counted.len())),
        named(Number::Severe, count(&|score| score <= f64::from(SEVERE)).to_string()),
        named(Number::Full, count(&|score| score >= f64::from(FULL)).to_string()),
        called("lost", lost(session)),
    ];
    let [first, rest @ ..] = all;
    let shown = [first].into_iter().chain(capped).chain(rest);
    let mut spans: Vec<Span<'static>> = shown.flatten().collect();
    spans.pop(); // the blank after the last
    // On a small screen the numbers stand closer together.
    let is_wide = width_of(&spans) > width;
    for gap in spans.iter_mut().filter(|span| is_wide && span.content.trim().is_empty()) {
        gap.content = " ".into();
    }
    sides(spans, vec![], width)
}

/// With blockers taken into account; None where the checklist has none.
fn capped(session: &Session) -> Option<Capped> {
    let checklist = session.rubric.known()?.checklist.as_ref();
    Capped::of(session.rubric.judgement()?, checklist)
}

/// Whether the judgement that is looked at does not cover the checklist.
fn is_in_part(session: &Session) -> bool {
    let judged = &session.rubric;
    judged.known().zip(judged.judgement()).is_some_and(|(rubric, it)| !rubric.covers(it))
}

/// Of the state that was judged, as far as it is known.
fn integration(session: &Session) -> Option<Integration> {
    let done = session.judged_turn()? + 1;
    session.rubric.reuse.at(done)?.as_ref().ok().copied().flatten()
}

/// What stands for a number that is not there.
fn waiting(session: &Session) -> String {
    let done = session.judged_turn().map(|turn| turn + 1);
    let is_known = done.is_none_or(|done| session.rubric.reuse.at(done).is_some());
    if is_known { "–".into() } else { "…".into() }
}

/// How many components were lost on the way, as far as that is known.
fn lost(session: &Session) -> String {
    match session.rubric.lifelines.known() {
        Some(Ok(told)) => told.iter().filter(|it| it.lost_at.is_some()).count().to_string(),
        Some(Err(_)) => "not recorded".into(),
        None => "…".into(),
    }
}
