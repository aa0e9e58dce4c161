//! Draws the judge, the judged state and the overall scores.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    session::{Session, corrected_mcf::ShownMeans, integration::DependencyIntegration},
    views::scores::{ScoresView, components::table::ComponentRow},
    widgets::{
        line::{fit_spans, left_and_right, recorded_span, spans_width, trusted_span},
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::{Number, blockers::CappedMean, faithfulness::if50, numbers::NumberStyle};
use trajview_run::{
    format_number,
    model_vendor::shared_vendor,
    rubric::{FULL_SCORE, Judgement, PooledSources, SEVERE, VerdictDoubt},
};

pub(crate) fn draw_header(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = usize::from(area.width.saturating_sub(2));
    let rows = match area.height {
        0 => vec![],
        1 => vec![sums_line(view, session, theme, width)],
        _ => vec![judge_line(session, theme, width), sums_line(view, session, theme, width)],
    };
    for (row, y) in rows.into_iter().zip(area.y..) {
        row.render(
            Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 1 },
            buffer,
        );
    }
}

/// Returns `judge gpt-5 (http, gpt-5-mini) · turn 56 at 610540d · 2026-11-21 · slump-5   judgement 1 of 2`.
fn judge_line(session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let muted = theme.style_for(Meaning::Muted);
    let judged = &session.rubric;
    let Some(judgement) = judged.shown_judgement() else {
        return Line::from(fit_spans(
            vec![trusted_span("no judgements of this run yet", muted)],
            width,
        ));
    };
    let judge = &judgement.judge;
    let name = if judge.name.is_empty() { "unnamed judge" } else { &judge.name };
    let judge_facts: Vec<String> = [
        (!judge.kind.is_empty()).then(|| judge.kind.clone()),
        judge.model.clone().filter(|model| *model != judge.name),
        judgement.pooled.as_ref().map(PooledSources::summary_text),
        judge.budget.map(|calls| format!("at most {calls} calls")),
        judged.is_pinned(judgement).then(|| "pinned".to_owned()),
        shared_vendor(judge, &session.run).map(|vendor| format!("{vendor}, as the agent")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut facts = vec![judged_state(session, judgement)];
    facts.extend(judgement.created_at.as_deref().map(day_text));
    facts.push(judgement.rubric.clone().unwrap_or_else(|| "rubric not named".into()));
    let mut left =
        vec![trusted_span("judge ", muted), recorded_span(name, theme.style_for(Meaning::Title))];
    if !judge_facts.is_empty() {
        left.push(recorded_span(&format!(" ({})", judge_facts.join(", ")), muted));
    }
    left.push(recorded_span(&format!(" · {}", facts.join(" · ")), theme.style_for(Meaning::Text)));
    let mut right = vec![];
    if let Some(newer) = judged.newer_judgement() {
        let words = format!("newer: {} · f ", newer.judge.name);
        right.push(recorded_span(&words, theme.style_for(Meaning::Warning)));
    }
    if let Some((number, count)) = judged.judgement_number().filter(|(_, count)| *count > 1) {
        right.push(trusted_span(format!("judgement {number} of {count}"), muted));
    }
    left_and_right(left, right, width)
}

/// Returns `after turn 56 at 610540d`.
fn judged_state(session: &Session, judgement: &Judgement) -> String {
    let commit = judgement.commit.as_deref().map(|it| it.chars().take(7).collect::<String>());
    let at = commit.filter(|it| !it.is_empty()).map(|it| format!(" at {it}")).unwrap_or_default();
    match session.judged_turn() {
        Some(turn) => format!("after turn {}{at}", turn + 1),
        None => format!("not a turn of this run{at}"),
    }
}

/// Returns the day of an RFC 3339 time; what is none stays as it is.
fn day_text(written: &str) -> String {
    written.split(['T', ' ']).next().unwrap_or(written).to_owned()
}

/// Returns `MCF 2.708 of 4 · severe 5 · full 11 · judged 24 of 24`.
fn sums_line(view: &ScoresView, session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let rows = view.components.component_rows(session);
    let listed: Vec<_> = rows.iter().filter(|row| row.is_in_checklist).collect();
    let counted = if listed.is_empty() { rows.iter().collect() } else { listed };
    let value = |row: &ComponentRow| {
        row.exact_score.or(row.score.map(f64::from)).filter(|_| !row.is_left_out)
    };
    let doubted = |doubt| counted.iter().filter(|row| row.doubt == Some(doubt)).count();
    let doubts = [
        (Number::Unlooked, doubted(VerdictDoubt::Unlooked)),
        (Number::Unsupported, doubted(VerdictDoubt::Unsupported)),
    ];
    let scores: Vec<f64> = counted.iter().filter_map(|row| value(row)).collect();
    if scores.is_empty() {
        let by_book = counted.iter().filter(|row| !row.given_text.is_empty()).count();
        let words = match by_book {
            0 => format!("{} components, no scores", counted.len()),
            some => {
                format!("{} components, {some} scored by a codebook and not on 0..4", counted.len())
            }
        };
        return Line::from(fit_spans(vec![trusted_span(words, muted)], width));
    }
    let mcf = scores.iter().sum::<f64>() / scores.len() as f64;
    let dir = judged_integration(session).and_then(|it| it.reused_share());
    let dir_of = |value: &dyn Fn(f64) -> String| dir.map_or_else(|| waiting_text(session), value);
    let has_means = session.rubric.has_means();
    let mean = |value: String| if has_means { value } else { format_number::MISSING_SIGN.into() };
    let part = if is_in_part(session) { ", partial" } else { "" };
    let count = |is: &dyn Fn(f64) -> bool| scores.iter().filter(|score| is(**score)).count();
    let called = |name: &str, value: String| {
        [
            trusted_span(format!("{name} "), muted),
            trusted_span(value, theme.style_for(Meaning::Title)),
            trusted_span("   ", plain),
        ]
    };
    let named_value = |number: Number, value: String| called(number.short(), value);
    let written = |number: Number, value: f64| number.format_value(value, NumberStyle::Full);
    let capped = capped_score(session).map(|it| {
        let by: Vec<&str> = it.by.iter().map(|it| it.component.as_str()).collect();
        let by = if by.is_empty() { "none fails".into() } else { by.join(", ") };
        named_value(
            Number::McfCapped,
            mean(format!("{} ({by})", written(Number::McfCapped, it.mcf))),
        )
    });
    let corrected = session.rubric.corrected_mcf().filter(|it| has_means || it.mean.is_ok());
    let shows_corrected = session.rubric.shown_means == ShownMeans::Corrected;
    if let Some(corrected) = corrected.filter(|it| shows_corrected && it.mean.is_ok()) {
        let words = corrected.summary_text();
        let spans = vec![
            trusted_span(format!("{} ", Number::Mcf.short()), muted),
            trusted_span(words, theme.style_for(Meaning::Title)),
        ];
        return left_and_right(spans, vec![], width);
    }
    // Where there are two means, the name says which this is.
    let judged_word = corrected.filter(|it| it.mean.is_ok()).map(|_| "judged ").unwrap_or_default();
    let not_corrected = corrected.filter(|_| shows_corrected);
    let not_corrected = not_corrected.map(|it| format!("({})", it.summary_text()));
    let all = [
        named_value(
            Number::Mcf,
            mean(format!("{judged_word}{} of {FULL_SCORE}", written(Number::Mcf, mcf))),
        ),
        named_value(Number::Dir, dir_of(&|dir| written(Number::Dir, dir))),
        named_value(Number::If50, mean(dir_of(&|dir| written(Number::If50, if50(mcf, dir))))),
        named_value(Number::Judged, format!("{} of {}{part}", scores.len(), counted.len())),
        named_value(Number::Severe, count(&|score| score <= f64::from(SEVERE)).to_string()),
        named_value(Number::Full, count(&|score| score >= f64::from(FULL_SCORE)).to_string()),
        called("lost", lost_count(session)),
    ];
    let [first, rest @ ..] = all;
    let doubts = doubts.into_iter().filter(|(_, count)| *count > 0);
    let doubts = doubts.map(|(number, count)| named_value(number, count.to_string()));
    let groups = [first].into_iter().chain(capped).chain(rest).chain(doubts);
    let mut spans: Vec<Span<'static>> = groups.flatten().collect();
    if let Some(words) = not_corrected {
        spans.splice(
            3..3,
            [trusted_span(words, theme.style_for(Meaning::Warning)), trusted_span("   ", plain)],
        );
    }
    spans.pop(); // the blank after the last
    // On a small screen the numbers are closer together.
    let is_wide = spans_width(&spans) > width;
    for gap in spans.iter_mut().filter(|span| is_wide && span.content.trim().is_empty()) {
        gap.content = " ".into();
    }
    left_and_right(spans, vec![], width)
}

/// Returns the score with blockers taken into account. None if the checklist has no blockers.
fn capped_score(session: &Session) -> Option<CappedMean> {
    let checklist = session.rubric.known_rubric()?.checklist.as_ref();
    CappedMean::from_judgement(session.rubric.shown_judgement()?, checklist)
}

/// Returns true if the selected judgement does not cover the whole checklist.
fn is_in_part(session: &Session) -> bool {
    let judged = &session.rubric;
    judged
        .known_rubric()
        .zip(judged.shown_judgement())
        .is_some_and(|(rubric, it)| !rubric.is_covered_by(it))
}

/// Returns the integration of the judged state. None if it is unknown.
fn judged_integration(session: &Session) -> Option<DependencyIntegration> {
    let done = session.judged_turn()? + 1;
    session.rubric.reuse.reuse_after(done)?.as_ref().ok().copied().flatten()
}

/// Returns the text that is shown for a missing number.
fn waiting_text(session: &Session) -> String {
    let done = session.judged_turn().map(|turn| turn + 1);
    let is_known = done.is_none_or(|done| session.rubric.reuse.reuse_after(done).is_some());
    if is_known { format_number::MISSING_SIGN.into() } else { "…".into() }
}

/// Returns the number of components that were lost during the run, as far as it is known.
fn lost_count(session: &Session) -> String {
    match session.rubric.lifelines.known_lifelines() {
        Some(Ok(told)) => told.iter().filter(|it| it.lost_at.is_some()).count().to_string(),
        Some(Err(_)) => "not recorded".into(),
        None => "…".into(),
    }
}
