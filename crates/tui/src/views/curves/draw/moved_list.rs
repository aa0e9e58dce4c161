//! The list of changes that moved a point since the point before it: callables, rules and clones, the largest first.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::curves::{CurvesPart, CurvesView},
    widgets::{
        line::{fit_spans, recorded_span, safe_string, spans_width, trusted_span},
        panel::{draw_sentence, put_row},
        text,
        theme::{Meaning, Theme},
        wrap::wrap_text,
    },
};
use trajview_metrics::quality::{CallableWeight, QualityChange, QualityChangeKind};
use trajview_run::format_number;

use super::is_focused;

/// Draws the list; the request of the turn is below it, unless it is already on screen.
pub(crate) fn draw_moved_list(
    view: &CurvesView,
    session: &Session,
    has_request_above: bool,
    theme: Theme,
    buffer: &mut Buffer,
) {
    let is_focused = is_focused(view, CurvesPart::Moved);
    let width = usize::from(view.rows.frame_width().saturating_sub(2));
    let title = fit_spans(moved_title(view, session, width, theme), width);
    let inner = view.rows.draw_frame(title, is_focused, theme, buffer);
    let rows = match view.moved_span(session).and_then(|it| session.scores.moved_between(it)) {
        Some(Ok(moved)) if !moved.changes.is_empty() => {
            let changes = view.moved_rows(session);
            let chosen = is_focused.then(|| theme.style_for(Meaning::Selected));
            let line = |index: usize| change_line(changes[index], theme, width);
            view.rows.draw_rows(chosen, theme, buffer, line);
            u16::try_from(changes.len()).unwrap_or(u16::MAX).min(inner.height)
        }
        Some(Ok(moved)) => {
            let words = why_not_measured(view, session)
                .unwrap_or_else(|| empty_list_text(&moved.not_compared));
            draw_reason(&words, Meaning::Muted, has_request_above, theme, inner, buffer)
        }
        Some(Err(why)) => {
            let words = safe_string(why);
            draw_reason(&words, Meaning::Error, has_request_above, theme, inner, buffer)
        }
        None => return,
    };
    let room = Rect { y: inner.y + rows, height: inner.height - rows, ..inner };
    if !has_request_above {
        draw_request(session, theme, room, buffer);
    }
}

/// Draws why there is no list, and returns the rows that it takes: all of them where no request follows.
fn draw_reason(
    words: &str,
    meaning: Meaning,
    has_request_above: bool,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> u16 {
    let has_room = !has_request_above && area.height >= REASON_ROWS + REQUEST_ROWS;
    let rows = if has_room { REASON_ROWS } else { area.height };
    draw_sentence(words, theme.style_for(meaning), Rect { height: rows, ..area }, buffer);
    rows
}

/// Rows of the sentence.
const REASON_ROWS: u16 = 4;

/// Rows below the list from which on the request of the turn is drawn there: a blank one, its name, its text.
const REQUEST_ROWS: u16 = 3;

/// Draws the request of the turn at the playhead, at the lower edge of the room below the list.
fn draw_request(session: &Session, theme: Theme, room: Rect, buffer: &mut Buffer) {
    let Some(Ok(words)) = session.request_words(session.turn) else { return };
    if room.height < REQUEST_ROWS {
        return;
    }
    let width = usize::from(room.width);
    let most = usize::from(room.height - 2);
    let mut rows: Vec<String> =
        wrap_text(words, width).take(most + 1).map(|(_, row)| words[row].to_owned()).collect();
    if rows.len() > most {
        rows.truncate(most);
        rows.last_mut().into_iter().for_each(|last| *last = format!("{}…", last.trim_end()));
    }
    let y = room.height - rows.len() as u16 - 1;
    let heading = format!("turn {}: request", session.turn + 1);
    put_row(Line::styled(heading, theme.style_for(Meaning::Heading)), None, room, y, buffer);
    for (words, y) in rows.iter().zip(y + 1..) {
        let words = fit_spans(vec![recorded_span(words, theme.style_for(Meaning::Text))], width);
        put_row(Line::from(words), None, room, y, buffer);
    }
}

/// Returns the reason where the code after the point has no number: that nothing changed would be a claim.
fn why_not_measured(view: &CurvesView, session: &Session) -> Option<String> {
    let (_, after) = view.moved_span(session)?;
    let measured = session.scores.measured_at(after)?;
    let why = measured.snapshot.as_ref().err()?;
    Some(format!("not measured here: {}", safe_string(&why.to_string())))
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
fn moved_title(
    view: &CurvesView,
    session: &Session,
    width: usize,
    theme: Theme,
) -> Vec<Span<'static>> {
    let is_focused = is_focused(view, CurvesPart::Moved);
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
    let mut spans = vec![
        trusted_span(" what changed the number ", name),
        trusted_span(since.unwrap_or_default(), muted),
    ];
    // A part of the count would be another number.
    if spans_width(&spans) + text::width(&left_out) <= width {
        spans.push(trusted_span(left_out, muted));
    }
    spans
}

/// List width from which the kind of thing has a column of its own and numbers have their whole names.
const WIDE_LIST_CELLS: usize = 100;

/// Cells of the kind of thing.
const KIND_CELLS: usize = 9;

/// Returns `compute_losses  ppdiff/losses.py:7  new, mass 8.5, CC 3`. The name is in full where there is room for it and
/// for the numbers; the place is as long as the rest allows.
fn change_line(change: &QualityChange, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let is_wide = width >= WIDE_LIST_CELLS;
    let (kind, name, by) = change_texts(&change.what, if is_wide { "branches (CC)" } else { "CC" });
    let kind = match (is_wide, kind) {
        (true, kind) => format!("{kind:<KIND_CELLS$}"),
        (false, "function") => String::new(), // most are functions
        (false, kind) => format!("{kind} "),
    };
    let name = safe_string(&name);
    let room = width.saturating_sub(text::width(&kind) + text::width(&by) + 2);
    let place = shortest_place(change, room.saturating_sub(text::width(&name)));
    let name = text::truncate(&name, room, "…").into_owned();
    let spans = vec![
        trusted_span(kind, muted),
        trusted_span(name, plain),
        trusted_span(place, muted),
        trusted_span(format!("  {by}"), theme.style_for(Meaning::Hunk)),
    ];
    Line::from(fit_spans(spans, width))
}

/// Returns the place of a change after a gap: the path and the line, or the name of the file and the line; empty where
/// neither fits.
fn shortest_place(change: &QualityChange, room: usize) -> String {
    let path = safe_string(change.place.path.as_str());
    let file = path.rsplit('/').next().unwrap_or_default().to_owned();
    let place = |path: String| match change.is_there {
        true => format!("  {path}:{}", change.place.span.start),
        false => format!("  {path} (gone)"),
    };
    let fits = |place: &String| text::width(place) <= room;
    [path, file].map(place).into_iter().find(fits).unwrap_or_default()
}

/// Returns the kind of thing, which one, and by how much; `cc` is the name of the complexity.
fn change_texts(what: &QualityChangeKind, cc: &str) -> (&'static str, String, String) {
    match what {
        QualityChangeKind::Callable { name, before, after } => {
            ("function", name.clone(), weight_change(before.as_ref(), after.as_ref(), cc))
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
fn weight_change(
    before: Option<&CallableWeight>,
    after: Option<&CallableWeight>,
    cc: &str,
) -> String {
    match (before, after) {
        (Some(before), Some(after)) => format!(
            "mass {} → {}, {cc} {}",
            format_number::one_decimal(before.mass),
            format_number::one_decimal(after.mass),
            if before.cc == after.cc {
                after.cc.to_string()
            } else {
                format!("{} → {}", before.cc, after.cc)
            }
        ),
        (None, Some(after)) => {
            format!("new, mass {}, {cc} {}", format_number::one_decimal(after.mass), after.cc)
        }
        (Some(before), None) => {
            format!("gone, mass {}, {cc} {}", format_number::one_decimal(before.mass), before.cc)
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
