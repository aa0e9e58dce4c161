//! The values at the playhead: each with its change since the point before and its curve in small.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{
        Session,
        points::Point,
        series::{self, Origin},
    },
    views::curves::{Curves, Part},
    widgets::{
        line::{fit, own, safe, sides},
        panel::{list, position, put_row, titled},
        scroll::centred,
        spark::spark,
        theme::{Meaning, Theme},
        wrap::wrap,
    },
};
use trajview_metrics::{Number, phase::Phase};
use trajview_run::Checkpoint;

use super::has_keyboard;

pub fn draw(view: &Curves, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let points = view.points(session);
    let here = view.shown_point(session, &points);
    let width = usize::from(area.width.saturating_sub(2));
    let title = here.map(|here| title(view, session, &points, here, theme)).unwrap_or_default();
    let titles = [Line::from(fit(title, width)), Line::default(), Line::default()];
    let inner = titled(false, titles, theme, area, buffer);
    let Some(here) = here else { return };
    let listed = series::listed(session);
    let (rows, notes) = list_and_notes(session, &points[here], inner);
    for (line, y) in notes.into_iter().zip(rows.height..inner.height) {
        put_row(Line::from(own(line, theme.of(Meaning::Muted))), None, inner, y, buffer);
    }
    let line = |index: usize| row(view, session, &points, here, listed[index], theme, width);
    let is_focused = has_keyboard(view, Part::Chart);
    let style = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let chosen = view.chosen(session);
    list(listed.len(), line, chosen, style, rows, buffer);
    let top = centred(chosen, listed.len(), usize::from(rows.height));
    position(top, listed.len(), theme, area, buffer);
}

/// Splits the room of the panel: the list of numbers, and below it the lines of the notes, a third of it at most.
pub fn list_and_notes(session: &Session, point: &Point, area: Rect) -> (Rect, Vec<String>) {
    let width = usize::from(area.width);
    let mut lines = vec![];
    for note in notes(session, point) {
        lines.extend(wrap(&note, width).into_iter().map(|row| note[row].to_owned()));
    }
    lines.truncate(usize::from(area.height / 3));
    let notes = u16::try_from(lines.len()).expect("fewer lines than the panel has");
    (Rect { height: area.height - notes, ..area }, lines)
}

/// Why recorded values of the listed numbers are not to be relied on: a line for each reason.
fn notes(session: &Session, point: &Point) -> Vec<String> {
    let Some(record) = point.ended().and_then(|turn| session.run.record_at(turn)) else {
        return vec![];
    };
    let mut by_reason: Vec<(&str, Vec<&str>)> = vec![];
    for number in series::listed(session) {
        let Some(why) = record.of_metric(number.id()).and_then(|recorded| recorded.doubt) else {
            continue;
        };
        match by_reason.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, names)) => names.push(number.label()),
            None => by_reason.push((why, vec![number.label()])),
        }
    }
    let line = |(why, names): (&str, Vec<&str>)| {
        format!("? recorded {} is not used: {why}", names.join(", "))
    };
    by_reason.into_iter().map(line).collect()
}

/// ` turn 23 · c4, early  since turn 22 `
fn title(
    view: &Curves,
    session: &Session,
    points: &[Point],
    here: usize,
    theme: Theme,
) -> Vec<Span<'static>> {
    let run = &session.run;
    let point = &points[here];
    let index = run.checkpoints.partition_point(|it| it.last_turn < point.turn());
    let phase = Phase::of(index, run.checkpoints.len());
    let phase = phase.map(|phase| format!(", {}", phase.word())).unwrap_or_default();
    let id = run.checkpoints.get(index).map(|it: &Checkpoint| safe(&it.id));
    let id = id.map(|id| format!(" · {id}{phase}")).unwrap_or_default();
    let since = match here.checked_sub(1) {
        Some(before) => format!(" since {} ", points[before].said()),
        None => " since the start ".into(),
    };
    let before = session.scores.before.as_ref();
    let now = session.scores.ruler.as_ref();
    let before = before.map(|it| format!(" (before: {})", safe(&it.ruler.beside(now))));
    let is_hovered = view.hovered.is_some();
    let what = if is_hovered { "pointed at:" } else { "after" };
    vec![
        own(format!(" {what} {}{id} ", point.said()), theme.of(Meaning::Text)),
        own(before.unwrap_or_default(), theme.of(Meaning::Muted)),
        own(since, theme.of(Meaning::Muted)),
    ]
}

/// Cells of the name, the value, its change and where it comes from.
const COLUMNS: [usize; 4] = [19, 9, 9, 9];

/// Cells of a value that was measured before, brackets included.
const BEFORE: usize = 11;

/// From here on there is room for the change beside such a value.
const WIDE: usize = 70;

/// `erosion   0.445  +0.099  ▁▂▃▅█  computed`
fn row(
    view: &Curves,
    session: &Session,
    points: &[Point],
    here: usize,
    number: Number,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let [label, cells, mut by, from] = COLUMNS;
    let mark = if number == view.number { "▌" } else { " " };
    let values = series::values(number, session, points);
    let point = &points[here];
    let said = series::said_at(number, session, point);
    let meaning = if said.is_some() { Meaning::Text } else { Meaning::Muted };
    let is_coming = Origin::of(number) == Origin::Computed
        && session.scores.at(point.moment()).is_none()
        && session.scores.failed.is_none();
    let said = said.unwrap_or_else(|| if is_coming { "…" } else { "–" }.into());
    let before = here.checked_sub(1).and_then(|before| values[before]);
    let moved = values[here].zip(before).map(|(now, before)| now - before);
    let change = moved.map(|by| series::change_said(number, by));
    let gains = moved.and_then(|by| number.better().gains(by));
    let measured_before = measured_before(session, point, number);
    let room_before = measured_before.chars().count();
    let mut change = change.unwrap_or_default();
    if room_before > 0 && width < WIDE {
        (by, change) = (0, String::new()); // what was measured before is what is looked at
    }
    let left = vec![
        own(mark, theme.of(Meaning::FocusedBorder)),
        own(format!("{:<label$}", number.label()), theme.of(Meaning::Text)),
        own(format!("{said:>cells$}"), theme.of(meaning)),
        own(measured_before, theme.of(Meaning::Muted)),
        own(format!("{change:>by$}  "), theme.of(Meaning::of_change(gains))),
    ];
    let origin = recorded(session, point, number);
    let origin = origin.unwrap_or_else(|| Origin::of(number).word().into());
    let taken = room_before + 1 + label + cells + by + 2;
    let room = width.saturating_sub(taken + from.max(origin.len() + 1));
    let left = left.into_iter().chain(spark(&values, here, room, theme)).collect();
    sides(left, vec![own(origin, theme.of(Meaning::Muted))], width)
}

/// `   (0.4471)`: with the profile or the rules before; empty where nothing was measured with others.
fn measured_before(session: &Session, point: &Point, number: Number) -> String {
    if session.scores.before.is_none() {
        return String::new();
    }
    let value = series::value_before(number, session, point);
    let said = value.map(|value| format!("({})", series::said(number, value))).unwrap_or_default();
    format!("{said:>BEFORE$}")
}

/// `recorded 0.4471`: what a harness recorded of the same number, beside the computed one. A question mark follows
/// a value that is not to be relied on; `notes` says why.
fn recorded(session: &Session, point: &Point, number: Number) -> Option<String> {
    let record = session.run.record_at(point.ended()?)?;
    let recorded = record.of_metric(number.id())?;
    let said = series::said(number, recorded.value.number()?);
    Some(match recorded.doubt {
        Some(_) => format!("recorded {said}?"),
        None => format!("recorded {said}"),
    })
}
