//! Draws the source of the audited verdicts, the progress, and the corrected mean with the plan of labels.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    session::{Session, context::KeyContext},
    views::audit::{AuditView, study_queue},
    widgets::{
        line::{fit_spans, left_and_right, recorded_span, trusted_span},
        theme::{Meaning, Theme},
    },
};
use trajview_run::rubric::LabelUnit;

/// Cells of the progress bar.
const BAR_CELLS: usize = 16;

pub fn draw(view: &AuditView, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width.saturating_sub(2));
    let rows = match area.height {
        0 => vec![],
        1 => vec![progress_line(view, session, theme, width)],
        _ => {
            let lines = view.correction_lines.iter().map(|line| {
                let span = trusted_span(line.clone(), theme.style_for(Meaning::Text));
                Line::from(fit_spans(vec![span], width))
            });
            let first =
                [judgement_line(session, theme, width), progress_line(view, session, theme, width)];
            first.into_iter().chain(lines).collect()
        }
    };
    for (row, y) in rows.into_iter().zip(area.y..) {
        let area = Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 1 };
        row.render(area, buffer);
    }
}

/// Returns `audit of quick-reader · after turn 56 at 610540d · slump-5      judgement 2 of 3`.
fn judgement_line(session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    if study_queue::why_item_not_shown(session).is_some() {
        return study_line(session, vec![], theme, width);
    }
    let Some(judgement) = session.audit_source() else { return Line::default() };
    let name = &judgement.by;
    let name = if name.is_empty() { "unnamed judge" } else { name };
    let commit = judgement.commit.as_deref().map(|it| it.chars().take(7).collect::<String>());
    let commit = commit.filter(|it| !it.is_empty()).map(|it| format!(" at {it}"));
    let state = match session.audited_turn() {
        Some(turn) => format!("after turn {}", turn + 1),
        None if session.run.turns.is_empty() => "graded tree".into(),
        None => "not a turn of this run".into(),
    };
    let rubric = match (&judgement.rubric, session.audit.unit()) {
        (Some(rubric), _) => rubric.clone(),
        (None, LabelUnit::Signal) => LabelUnit::Signal.plural_word().into(),
        (None, _) => "rubric not named".into(),
    };
    let facts = format!(" · {state}{} · {rubric}", commit.unwrap_or_default());
    let left = vec![
        trusted_span("audit of ", muted),
        recorded_span(name, theme.style_for(Meaning::Title)),
        recorded_span(&facts, plain),
    ];
    if session.study_queue().is_some() {
        return study_line(session, left, theme, width);
    }
    let right = match session.audited_number() {
        Some((number, count)) if count > 1 => format!("judgement {number} of {count}"),
        _ => String::new(),
    };
    left_and_right(left, vec![trusted_span(right, muted)], width)
}

/// Returns `fidelity · audit of quick-reader · …      run 2 of 3: 1/4`.
fn study_line(
    session: &Session,
    whose: Vec<Span<'static>>,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let Some(study) = session.study_queue() else { return Line::default() };
    let mut left = vec![recorded_span(&study.studied.name, theme.style_for(Meaning::Title))];
    if !whose.is_empty() {
        left.push(trusted_span(" · ", muted));
        left.extend(whose);
    }
    let Some(item) = study.chosen_item() else { return left_and_right(left, vec![], width) };
    let by_run = session.study_progress();
    let number = by_run.keys().position(|run| *run == item.run).map_or(0, |at| at + 1);
    let here = by_run.get(&item.run).copied().unwrap_or_default();
    let right = vec![
        trusted_span(format!("run {number} of {}: ", by_run.len()), muted),
        trusted_span(format!("{}/{}", here.done, here.all), plain),
    ];
    left_and_right(left, right, width)
}

/// Returns `7/24 ████······ labelled by ann · seed 1      saved`.
fn progress_line(view: &AuditView, session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let all = session.study_queue().map_or(session.queued_items().len(), |study| study.len());
    let done = view.labelled_count(session);
    let full = (done * BAR_CELLS).checked_div(all).unwrap_or_default();
    let bar = "█".repeat(full) + &"·".repeat(BAR_CELLS - full);
    let mut left = vec![
        trusted_span(format!("{done}/{all} "), theme.style_for(Meaning::Title)),
        trusted_span(bar, theme.style_for(Meaning::Playing)),
    ];
    match session.labels.annotator() {
        Some(name) => {
            let act = if session.is_adjudicating() { " adjudicated by " } else { " labelled by " };
            left.push(trusted_span(act, muted));
            left.push(recorded_span(name, theme.style_for(Meaning::Title)));
        }
        None => {
            let rater = session.keys.key_text(KeyContext::Audit, "rater");
            let words = format!(" no name yet: press {rater}");
            left.push(trusted_span(words, theme.style_for(Meaning::Warning)));
        }
    }
    let seed = session.study_queue().map_or(view.audit_seed(), |it| it.studied.design.sample.seed);
    left.push(trusted_span(" · seed ", muted));
    left.push(trusted_span(seed.to_string(), plain));
    if view.proposes {
        left.push(trusted_span(" · confirm each label", muted));
    }
    if view.goes_on() {
        left.push(trusted_span(" · a label goes on to the next item", muted));
    }
    left_and_right(left, vec![saved_span(view, session, theme)], width)
}

fn saved_span(view: &AuditView, session: &Session, theme: Theme) -> Span<'static> {
    let book = &session.labels;
    let unsaved = book.unsaved_count() + session.unsaved_elsewhere();
    let why_not = book.why_not_saved().or_else(|| session.study_queue()?.gold.why_not_saved());
    let count = match unsaved {
        1 => "1 label".to_owned(),
        count => format!("{count} labels"),
    };
    match (unsaved, why_not) {
        (0, _) if view.labelled_count(session) == 0 => {
            trusted_span("", theme.style_for(Meaning::Muted))
        }
        (0, _) => trusted_span("all saved", theme.style_for(Meaning::Muted)),
        (_, None) => trusted_span(format!("saving {count}…"), theme.style_for(Meaning::Muted)),
        (_, Some(_)) => trusted_span(format!("{count} not saved"), theme.style_for(Meaning::Error)),
    }
}
