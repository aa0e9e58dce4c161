//! Whose verdicts are audited, and how far that is.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    session::Session,
    views::audit::{Audit, over_runs},
    widgets::{
        line::{own, recorded, sides},
        theme::{Meaning, Theme},
    },
};
use trajview_run::rubric::Unit;

/// Cells of the bar of what is done.
const BAR: usize = 16;

pub fn draw(view: &Audit, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width.saturating_sub(2));
    let rows = match area.height {
        0 => vec![],
        1 => vec![progress(view, session, theme, width)],
        _ => vec![whose(session, theme, width), progress(view, session, theme, width)],
    };
    for (row, y) in rows.into_iter().zip(area.y..) {
        let area = Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 1 };
        row.render(area, buffer);
    }
}

/// `audit of quick-reader · after turn 56 at 610540d · slump-5      judgement 2 of 3`
fn whose(session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    if over_runs::why_not_here(session).is_some() {
        return study(session, vec![], theme, width);
    }
    let Some(judgement) = session.audit_source() else { return Line::default() };
    let name = &judgement.by;
    let name = if name.is_empty() { "a judge without a name" } else { name };
    let commit = judgement.commit.as_deref().map(|it| it.chars().take(7).collect::<String>());
    let commit = commit.filter(|it| !it.is_empty()).map(|it| format!(" at {it}"));
    let state = match session.audited_turn() {
        Some(turn) => format!("after turn {}", turn + 1),
        None => "no turn of this run".into(),
    };
    let rubric = match (&judgement.rubric, session.audited.unit()) {
        (Some(rubric), _) => rubric.clone(),
        (None, Unit::Signal) => Unit::Signal.plural().into(),
        (None, _) => "rubric not named".into(),
    };
    let facts = format!(" · {state}{} · {rubric}", commit.unwrap_or_default());
    let left = vec![
        own("audit of ", muted),
        recorded(name, theme.of(Meaning::Title)),
        recorded(&facts, plain),
    ];
    if session.study().is_some() {
        return study(session, left, theme, width);
    }
    let right = match session.audited_number() {
        Some((number, count)) if count > 1 => format!("judgement {number} of {count}"),
        _ => String::new(),
    };
    sides(left, vec![own(right, muted)], width)
}

/// `fidelity · audit of quick-reader · …      run 2 of 3: 1/4`
fn study(
    session: &Session,
    whose: Vec<Span<'static>>,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let Some(study) = session.study() else { return Line::default() };
    let mut left = vec![recorded(&study.studied.name, theme.of(Meaning::Title))];
    if !whose.is_empty() {
        left.push(own(" · ", muted));
        left.extend(whose);
    }
    let Some(item) = study.chosen() else { return sides(left, vec![], width) };
    let by_run = session.study_progress();
    let number = by_run.keys().position(|run| *run == item.run).map_or(0, |at| at + 1);
    let here = by_run.get(&item.run).copied().unwrap_or_default();
    let right = vec![
        own(format!("run {number} of {}: ", by_run.len()), muted),
        own(format!("{}/{}", here.done, here.all), plain),
    ];
    sides(left, right, width)
}

/// `7/24 ████······ labelled by ann · seed 1      saved`
fn progress(view: &Audit, session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let all = session.study().map_or(session.queued().len(), |study| study.len());
    let done = view.labelled_count(session);
    let full = (done * BAR).checked_div(all).unwrap_or_default();
    let bar = "█".repeat(full) + &"·".repeat(BAR - full);
    let mut left = vec![
        own(format!("{done}/{all} "), theme.of(Meaning::Title)),
        own(bar, theme.of(Meaning::Playing)),
    ];
    match session.labels.annotator() {
        Some(name) => {
            let act = if session.adjudicates() { " settled by " } else { " labelled by " };
            left.push(own(act, muted));
            left.push(recorded(name, theme.of(Meaning::Title)));
        }
        None => left.push(own(" no name yet: press a", theme.of(Meaning::Warning))),
    }
    let seed = session.study().map_or(view.audit_seed(), |it| it.studied.design.sample.seed);
    left.push(own(" · seed ", muted));
    left.push(own(seed.to_string(), plain));
    if view.proposes {
        left.push(own(" · two acts", muted));
    }
    sides(left, vec![saved(view, session, theme)], width)
}

fn saved(view: &Audit, session: &Session, theme: Theme) -> Span<'static> {
    let book = &session.labels;
    let unsaved = book.unsaved_count() + session.unsaved_elsewhere();
    let why_not = book.why_not_saved().or_else(|| session.study()?.gold.why_not_saved());
    let count = match unsaved {
        1 => "1 label".to_owned(),
        count => format!("{count} labels"),
    };
    match (unsaved, why_not) {
        (0, _) if view.labelled_count(session) == 0 => own("", theme.of(Meaning::Muted)),
        (0, _) => own("all saved", theme.of(Meaning::Muted)),
        (_, None) => own(format!("saving {count}…"), theme.of(Meaning::Muted)),
        (_, Some(_)) => own(format!("{count} not saved"), theme.of(Meaning::Error)),
    }
}
