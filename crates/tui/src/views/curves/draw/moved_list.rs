//! The list of changes that moved a point since the point before it: callables, rules and clones, the largest first.

use ratatui::{
    buffer::Buffer,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::curves::{CurvesPart, CurvesView},
    widgets::{
        line::{fit_spans, fit_text_end, left_and_right, safe_string, spans_width, trusted_span},
        panel::draw_sentence,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::quality::{CallableWeight, QualityChange, QualityChangeKind};
use trajview_run::format_number;

use super::has_keyboard;

pub(crate) fn draw_moved_list(
    view: &CurvesView,
    session: &Session,
    theme: Theme,
    buffer: &mut Buffer,
) {
    let is_focused = has_keyboard(view, CurvesPart::Moved);
    let width = usize::from(view.rows.frame_width().saturating_sub(2));
    let title = fit_spans(moved_title(view, session, theme), width);
    let inner = view.rows.draw_frame(title, is_focused, theme, buffer);
    let changes = match view.moved_span(session).and_then(|span| session.scores.moved_between(span))
    {
        Some(Ok(moved)) if !moved.changes.is_empty() => view.moved_rows(session),
        Some(Ok(moved)) => {
            let words = empty_list_text(&moved.not_compared);
            return draw_sentence(&words, theme.style_for(Meaning::Muted), inner, buffer);
        }
        Some(Err(why)) => {
            return draw_sentence(
                &safe_string(why),
                theme.style_for(Meaning::Error),
                inner,
                buffer,
            );
        }
        None => return,
    };
    let chosen = is_focused.then(|| theme.style_for(Meaning::Selected));
    view.rows.draw_rows(chosen, theme, buffer, |index| change_line(changes[index], theme, width));
}

/// Returns the text that is shown while the list is empty.
fn empty_list_text(not_compared: &[String]) -> String {
    match not_compared {
        [] => "no callable, rule match or clone changed".into(),
        [path] => format!("{} could not be measured before or after", safe_string(path)),
        [path, others @ ..] => {
            let count = others.len();
            format!("{} and {count} more could not be measured before or after", safe_string(path))
        }
    }
}

/// Returns ` what moved  turn 22 to turn 23 `.
fn moved_title(view: &CurvesView, session: &Session, theme: Theme) -> Vec<Span<'static>> {
    let is_focused = has_keyboard(view, CurvesPart::Moved);
    let name = theme.style_for(if is_focused { Meaning::Title } else { Meaning::Text });
    let points = view.axis_points(session);
    let here = view.point_index(session, &points);
    let since = here.zip(view.moved_span(session)).map(|(here, (before, _))| {
        let from = match here.checked_sub(1) {
            Some(previous) => points[previous].display_text(),
            None if before.turns == 0 => "the start".to_owned(),
            None => format!("turn {}", before.turns),
        };
        format!(" from {from} to {} ", points[here].display_text())
    });
    let left_out = view.moved_scores(session).map_or(0, |moved| moved.not_compared.len());
    let left_out = match left_out {
        0 => String::new(),
        1 => "· 1 file not compared ".into(),
        count => format!("· {count} files not compared "),
    };
    let muted = theme.style_for(Meaning::Muted);
    vec![
        trusted_span(" what changed the number ", name),
        trusted_span(since.unwrap_or_default(), muted),
        trusted_span(left_out, muted),
    ]
}

/// Cells that the name of a thing keeps while its place grows shorter.
const NAME_CELLS: usize = 18;

/// List width from which the place is drawn beside the name.
const WIDE_LIST_CELLS: usize = 100;

/// Cells of the kind of thing.
const KIND_CELLS: usize = 9;

fn change_line(change: &QualityChange, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let (kind, name, by) = change_texts(&change.what);
    let facts = trusted_span(format!(" {by}"), theme.style_for(Meaning::Hunk));
    let place = match change.is_there {
        true => format!("{}:{}", change.place.path, change.place.span.start),
        false => format!("{} (gone)", change.place.path),
    };
    let name = safe_string(&name);
    let taken = KIND_CELLS + spans_width(std::slice::from_ref(&facts)) + 1;
    let room = width.saturating_sub(taken + text::width(&name).min(NAME_CELLS));
    let place = fit_text_end(&safe_string(&place), room.max(width / 5));
    let room = width.saturating_sub(taken + text::width(&place));
    let name = fit_text_end(&name, room.max(NAME_CELLS / 2));
    let kind = trusted_span(format!("{kind:<KIND_CELLS$}"), muted);
    if width >= WIDE_LIST_CELLS {
        // The place follows the name directly, since a wide gap would make the row hard to read.
        let name = trusted_span(format!("{name}  "), plain);
        return Line::from(fit_spans(
            vec![kind, name, trusted_span(place, muted), trusted_span(" ", muted), facts],
            width,
        ));
    }
    left_and_right(
        vec![kind, trusted_span(name, plain), facts],
        vec![trusted_span(place, muted)],
        width,
    )
}

/// Returns the kind of thing, which one, and by how much.
fn change_texts(what: &QualityChangeKind) -> (&'static str, String, String) {
    match what {
        QualityChangeKind::Callable { name, before, after } => {
            ("function", name.clone(), weight_change(before.as_ref(), after.as_ref()))
        }
        QualityChangeKind::Rule { rule, hits, lines } => (
            "rule",
            rule.clone(),
            format!("{}, {}", signed_count(*hits, "hit"), signed_count(*lines, "line")),
        ),
        QualityChangeKind::Clones { pieces, lines } => (
            "clone",
            String::new(),
            format!("{}, {}", signed_count(*pieces, "piece"), signed_count(*lines, "line")),
        ),
    }
}

/// Returns `mass 12.3 → 45.6, CC 4 → 12`.
fn weight_change(before: Option<&CallableWeight>, after: Option<&CallableWeight>) -> String {
    match (before, after) {
        (Some(before), Some(after)) => format!(
            "mass {} → {}, branches (CC) {}",
            format_number::one_decimal(before.mass),
            format_number::one_decimal(after.mass),
            if before.cc == after.cc {
                after.cc.to_string()
            } else {
                format!("{} → {}", before.cc, after.cc)
            }
        ),
        (None, Some(after)) => {
            format!(
                "new, mass {}, branches (CC) {}",
                format_number::one_decimal(after.mass),
                after.cc
            )
        }
        (Some(before), None) => {
            format!(
                "gone, mass {}, branches (CC) {}",
                format_number::one_decimal(before.mass),
                before.cc
            )
        }
        (None, None) => String::new(),
    }
}

/// Returns `+1 hit`, `−3 lines`.
fn signed_count(by: i64, thing: &str) -> String {
    let sign = if by < 0 { "−" } else { "+" };
    let count = by.unsigned_abs();
    let number = format_number::with_thousands(count);
    let plural = if count == 1 { "" } else { "s" };
    format!("{sign}{number} {thing}{plural}")
}
