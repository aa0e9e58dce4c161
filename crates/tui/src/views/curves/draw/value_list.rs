//! The values at the playhead: each with its change since the point before and its curve in small.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{
        Session,
        curve_points::RunPoint,
        curve_values::{self, ValueOrigin},
    },
    views::curves::{CurvesPart, CurvesView, areas::DEFINITION_ROWS},
    widgets::{
        line::{fit_spans, left_and_right, safe_string, trusted_span},
        panel::{draw_list, draw_scroll_position, draw_titled_panel, put_row},
        scroll::centred_top,
        sparkline::sparkline_spans,
        text,
        theme::{Meaning, Theme},
        wrap::wrap_line,
    },
};
use trajview_metrics::{Number, phase::TaskPhase};
use trajview_run::{Checkpoint, format_number};

use super::is_focused;

pub(crate) fn draw_value_list(
    view: &CurvesView,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let points = view.axis_points(session);
    let here = view.shown_point(session, &points);
    let width = usize::from(area.width.saturating_sub(2));
    let title =
        here.map(|here| values_title(view, session, &points, here, theme)).unwrap_or_default();
    let titles = Line::from(fit_spans(title, width));
    let inner = draw_titled_panel(false, titles, theme, area, buffer);
    let Some(here) = here else { return };
    let listed = curve_values::listed_numbers(session);
    let (rows, notes) = list_and_notes(view, session, &points[here], inner);
    for (line, y) in notes.into_iter().zip(rows.height..inner.height) {
        put_row(
            Line::from(trusted_span(line, theme.style_for(Meaning::Muted))),
            None,
            inner,
            y,
            buffer,
        );
    }
    let line = |index: usize| value_line(view, session, &points, here, listed[index], theme, width);
    let is_focused = is_focused(view, CurvesPart::Chart);
    let style = theme.chosen_row(is_focused);
    let chosen = view.chosen_index(session);
    draw_list(listed.len(), line, chosen, style, rows, buffer);
    let top = centred_top(chosen, listed.len(), usize::from(rows.height));
    draw_scroll_position(top, listed.len(), theme, area, buffer);
}

/// Splits the room of the panel: the list of numbers, and below it the definition of the chosen one and the notes, a
/// third of it at most.
pub(crate) fn list_and_notes(
    view: &CurvesView,
    session: &Session,
    point: &RunPoint,
    area: Rect,
) -> (Rect, Vec<String>) {
    let width = usize::from(area.width);
    let definition = format!("{}: {}", view.number.label(), view.number.row().definition);
    let rows = wrap_line(&definition, width).into_iter().take(usize::from(DEFINITION_ROWS));
    let mut lines: Vec<String> = rows.map(|row| definition[row].to_owned()).collect();
    for note in reliability_notes(session, point) {
        lines.extend(wrap_line(&note, width).into_iter().map(|row| note[row].to_owned()));
    }
    lines.truncate(usize::from(area.height / 3));
    let notes = u16::try_from(lines.len()).expect("fewer lines than the panel has");
    (Rect { height: area.height - notes, ..area }, lines)
}

/// Returns the reasons why recorded values of the listed numbers are not reliable, one line for each reason.
fn reliability_notes(session: &Session, point: &RunPoint) -> Vec<String> {
    let Some(record) = point.ended_turns().and_then(|turn| session.run.record_at(turn)) else {
        return vec![];
    };
    let mut by_reason: Vec<(&str, Vec<&str>)> = vec![];
    for number in curve_values::listed_numbers(session) {
        let Some(why) = record.value_of_metric(number.id()).and_then(|recorded| recorded.doubt)
        else {
            continue;
        };
        match by_reason.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, names)) => names.push(number.label()),
            None => by_reason.push((why, vec![number.label()])),
        }
    }
    let line = |(why, names): (&str, Vec<&str>)| {
        format!("recorded value {} ignored: {why}", names.join(", "))
    };
    by_reason.into_iter().map(line).collect()
}

/// Returns ` turn 23 · c4, early  since turn 22 `.
fn values_title(
    view: &CurvesView,
    session: &Session,
    points: &[RunPoint],
    here: usize,
    theme: Theme,
) -> Vec<Span<'static>> {
    let run = &session.run;
    let point = &points[here];
    let index = run.checkpoints.partition_point(|it| it.last_turn < point.turn());
    let phase = TaskPhase::for_checkpoint(index, run.checkpoints.len());
    let phase = phase.map(|phase| format!(", {}", phase.word())).unwrap_or_default();
    let id = run.checkpoints.get(index).map(|it: &Checkpoint| safe_string(&it.id));
    let id = id.map(|id| format!(" · {id}{phase}")).unwrap_or_default();
    let since = match here.checked_sub(1) {
        Some(before) => format!(" since {} ", points[before].display_text()),
        None => " since the start ".into(),
    };
    let before = session.scores.before.as_ref();
    let now = session.scores.ruler.as_ref();
    let before = before.map(|it| format!(" (before: {})", safe_string(&it.ruler.name_beside(now))));
    let is_hovered = view.hovered.is_some();
    let what = if is_hovered { "pointed at:" } else { "after" };
    vec![
        trusted_span(
            format!(" {what} {}{id} ", point.display_text()),
            theme.style_for(Meaning::Text),
        ),
        trusted_span(before.unwrap_or_default(), theme.style_for(Meaning::Muted)),
        trusted_span(since, theme.style_for(Meaning::Muted)),
    ]
}

/// Cells of the name, the value, its change and where it comes from.
const COLUMN_CELLS: [usize; 4] = [24, 9, 9, 9];

/// Cells of a value that was measured before, brackets included.
const EARLIER_VALUE_CELLS: usize = 11;

/// List width from which the change is drawn beside such a value.
const WIDE_LIST_CELLS: usize = 70;

/// Returns `erosion   0.445  +0.099  ▁▂▃▅█  computed`.
fn value_line(
    view: &CurvesView,
    session: &Session,
    points: &[RunPoint],
    here: usize,
    number: Number,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let [label, cells, mut by, from] = COLUMN_CELLS;
    let mark = if number == view.number { "▌" } else { " " };
    let values = curve_values::values_at(number, session, points);
    let point = &points[here];
    let value_text = curve_values::value_text_at(number, session, point);
    let meaning = if value_text.is_some() { Meaning::Text } else { Meaning::Muted };
    let is_coming = ValueOrigin::for_number(number) == ValueOrigin::Computed
        && session.scores.measured_at(point.moment()).is_none()
        && session.scores.failed.is_none();
    let value_text = value_text
        .unwrap_or_else(|| if is_coming { "…" } else { format_number::MISSING_SIGN }.into());
    let before = here.checked_sub(1).and_then(|before| values[before]);
    let moved = values[here].zip(before).map(|(now, before)| now - before);
    let change = moved.map(|by| curve_values::change_text(number, by));
    let gains = moved.and_then(|by| number.better().is_gain(by));
    let measured_before = measured_before(session, point, number);
    let room_before = measured_before.chars().count();
    let mut change = change.unwrap_or_default();
    if room_before > 0 && width < WIDE_LIST_CELLS {
        (by, change) = (0, String::new()); // what was measured before is what is looked at
    }
    let name = text::truncate(number.label(), label - 1, "…");
    let left = vec![
        trusted_span(mark, theme.style_for(Meaning::FocusedBorder)),
        trusted_span(format!("{name:<label$}"), theme.style_for(Meaning::Text)),
        trusted_span(format!("{value_text:>cells$}"), theme.style_for(meaning)),
        trusted_span(measured_before, theme.style_for(Meaning::Muted)),
        trusted_span(format!("{change:>by$}  "), theme.style_for(Meaning::for_change(gains))),
    ];
    let origin = recorded_text(session, point, number);
    let origin = origin.unwrap_or_else(|| ValueOrigin::for_number(number).word().into());
    let taken = room_before + 1 + label + cells + by + 2;
    let room = width.saturating_sub(taken + from.max(origin.len() + 1));
    let left = left.into_iter().chain(sparkline_spans(&values, here, room, theme)).collect();
    left_and_right(left, vec![trusted_span(origin, theme.style_for(Meaning::Muted))], width)
}

/// Returns `   (0.4471)`: with the profile or the rules before. Empty if nothing was measured with others.
fn measured_before(session: &Session, point: &RunPoint, number: Number) -> String {
    if session.scores.before.is_none() {
        return String::new();
    }
    let value = curve_values::value_before(number, session, point);
    let earlier_text = value
        .map(|value| format!("({})", curve_values::full_number_text(number, value)))
        .unwrap_or_default();
    format!("{earlier_text:>EARLIER_VALUE_CELLS$}")
}

/// Returns the value that a harness recorded of the same number, such as `recorded 0.4471`, for the place beside the
/// computed one. A question mark follows a value that is not reliable; `reliability_notes` gives the reason.
fn recorded_text(session: &Session, point: &RunPoint, number: Number) -> Option<String> {
    let record = session.run.record_at(point.ended_turns()?)?;
    let recorded = record.value_of_metric(number.id())?;
    let value_text = curve_values::full_number_text(number, recorded.value.as_number()?);
    Some(match recorded.doubt {
        Some(_) => format!("recorded {value_text}?"),
        None => format!("recorded {value_text}"),
    })
}
