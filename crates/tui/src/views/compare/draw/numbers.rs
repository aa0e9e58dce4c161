//! Every number of all runs, and what there is between the two that are compared.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::measured::RulerName,
    views::compare::{Comparison, Part, judging::called},
    widgets::{
        line::{fit, own, safe, sides},
        panel::put_row,
        scroll::centred,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::{
    Number,
    numbers::{Of, Style},
};
use trajview_run::{figures, rubric::Judgement};
use trajview_study::compare::{Outcome, done_at, letter};

use super::{frame, muted, name, no_value, shown_runs, side_letter};

/// Cells of a number's name, of each run, of the difference.
const LABEL: usize = 19;
const VALUE: usize = 11;

/// Cells of a value where one that was measured before stands behind it, and of that one, brackets included.
const BESIDE_BEFORE: usize = 9;
const BEFORE: usize = 9;

pub fn draw(compared: &Comparison, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let by = compared.subtraction();
    let title = vec![name(compared, Part::Numbers, "numbers", theme)];
    let says = muted(by.words(), theme);
    let below = muted(whose(compared), theme);
    let is_focused = compared.part == Part::Numbers;
    let inner = frame(is_focused, [title, says, below], theme, area, buffer);
    let width = usize::from(inner.width);
    put_row(head(compared, theme, width), None, inner, 0, buffer);
    let height = usize::from(inner.height.saturating_sub(1));
    let numbers = compared.numbers();
    let chosen = compared.number_row(&numbers);
    let top = centred(chosen, numbers.len(), height);
    for (y, (at, number)) in (1..).zip(numbers.iter().enumerate().skip(top).take(height)) {
        let style = (at == chosen)
            .then(|| theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked }));
        put_row(row(compared, *number, theme, width), style, inner, y, buffer);
    }
}

/// `profile trajview · judged by authors-reading, a at turn 56, b at turn 1`
fn whose(compared: &Comparison) -> String {
    let profile = compared.measures.ruler.as_ref().map(RulerName::said);
    let judged = judges(compared);
    let before = compared.measures.before.as_ref();
    let now = compared.measures.ruler.as_ref();
    let before = before.map(|(ruler, _)| format!("in brackets {}", safe(&ruler.beside(now))));
    profile.into_iter().chain(before).chain(judged).collect::<Vec<_>>().join(" · ")
}

fn judges(compared: &Comparison) -> Option<String> {
    let judged = compared.pair.into_iter().filter_map(|run| {
        let party = compared.all().get(run)?;
        let judgement = party.judgement()?;
        Some((run, judgement, done_at(&party.run, judgement)))
    });
    let judged: Vec<(usize, &Judgement, usize)> = judged.collect();
    let (_, first, _) = judged.first()?;
    let is_one = judged.iter().all(|(_, it, _)| called(it) == called(first));
    let place = |(run, it, done): &(usize, &Judgement, usize)| {
        let by = if is_one { String::new() } else { format!(" by {}", safe(&called(it))) };
        format!("{} at turn {done}{by}", letter(*run))
    };
    let places = judged.iter().map(place).collect::<Vec<_>>().join(", ");
    Some(match is_one {
        true => format!("judged by {}, {places}", safe(&called(first))),
        false => format!("judged {places}"),
    })
}

fn head(compared: &Comparison, theme: Theme, width: usize) -> Line<'static> {
    let mut spans = vec![own(" ".repeat(LABEL), theme.of(Meaning::Muted))];
    for run in shown_runs(compared) {
        let side = compared.pair.iter().position(|it| *it == run);
        let word = side.map_or_else(
            || own(format!(" {}", letter(run)), theme.of(Meaning::Muted)),
            |side| side_letter(compared, side, theme),
        );
        spans.push(own(" ".repeat(value_cells(compared) - 2), theme.of(Meaning::Muted)));
        spans.push(word);
        let before = if compared.measures.before.is_some() { BEFORE } else { 0 };
        spans.push(own(" ".repeat(before), theme.of(Meaning::Muted)));
    }
    spans.push(own("   difference", theme.of(Meaning::Muted)));
    if has_room_for_intervals(compared, width) {
        spans.push(own(format!("{:<INTERVAL$}", "  95 % BCa"), theme.of(Meaning::Muted)));
    }
    Line::from(spans)
}

/// `erosion    0.4453  0.0000   −0.4453  ▼ b is better`
fn row(compared: &Comparison, number: Number, theme: Theme, width: usize) -> Line<'static> {
    let mut left = vec![own(format!("{:<LABEL$}", number.label()), theme.of(Meaning::Text))];
    for run in shown_runs(compared) {
        let Some(party) = compared.all().get(run) else { continue };
        let value = party.value(number);
        let end = party.run.end();
        let words = match value {
            Some(value) => number.written(value, Style::Full),
            None if number.is_measured() => no_value(compared, party, end).into(),
            None => missing(number).into(),
        };
        let meaning = if value.is_some() { Meaning::Text } else { Meaning::Muted };
        let cells = value_cells(compared);
        left.push(own(format!("{words:>cells$}"), theme.of(meaning)));
        left.push(own(before(compared, run, number), theme.of(Meaning::Muted)));
    }
    let Some(pair) = compared.sides() else { return Line::from(left) };
    let outcome = Outcome::of(number, pair, compared.subtraction());
    let delta = outcome.delta.map(|delta| number.difference_written(delta)).unwrap_or_default();
    let gains = outcome.delta.and_then(|delta| number.better().gains(delta));
    left.push(own(format!("{delta:>13}"), theme.of(Meaning::of_change(gains))));
    left.extend(interval(compared, number, theme, width));
    left.push(better(&outcome, theme));
    sides(fit(left, width), vec![], width)
}

/// Cells of the interval of a difference, and of a difference with who is better.
const INTERVAL: usize = 18;
const DIFFERENCE: usize = 23;

fn has_room_for_intervals(compared: &Comparison, width: usize) -> bool {
    let before = if compared.measures.before.is_some() { BEFORE } else { 0 };
    let values = compared.paths.len() * (value_cells(compared) + before);
    width >= LABEL + values + DIFFERENCE + INTERVAL
}

/// `  [0.333, 1.208]`; blank where there is none, nothing where there is no room.
fn interval(
    compared: &Comparison,
    number: Number,
    theme: Theme,
    width: usize,
) -> Option<Span<'static>> {
    let found = compared.intervals.found.iter().find(|it| it.number == number);
    let words = found.and_then(|it| it.difference.interval.ok());
    let words = words.map(|it| format!("  {}", figures::interval(it.low, it.high)));
    let words = words.unwrap_or_default();
    has_room_for_intervals(compared, width)
        .then(|| own(format!("{words:<INTERVAL$}"), theme.of(Meaning::Muted)))
}

/// Cells of the value of a run.
const fn value_cells(compared: &Comparison) -> usize {
    if compared.measures.before.is_some() { BESIDE_BEFORE } else { VALUE }
}

/// `   (0.4471)`: with the profile or the rules before; empty where nothing was measured with others.
fn before(compared: &Comparison, run: usize, number: Number) -> String {
    let Some((_, parties)) = &compared.measures.before else { return String::new() };
    let party = parties.get(run).filter(|_| number.is_of_profile());
    let value = party.and_then(|party| party.value(number));
    let said = value.map(|value| format!("({})", number.written(value, Style::Full)));
    let said = said.unwrap_or_default();
    format!("{said:>BEFORE$}")
}

/// Why a number is not there.
fn missing(number: Number) -> &'static str {
    match number.row().of {
        Of::Judgement(_) => "not judged",
        Of::Reuse(_) => "none",
        Of::Code(_)
        | Of::Exposure(_)
        | Of::Tests(_)
        | Of::Counted(_)
        | Of::Spent(_)
        | Of::Process(_)
        | Of::RubricTree(_)
        | Of::Raters
        | Of::Runs => "–",
    }
}

fn better(outcome: &Outcome, theme: Theme) -> Span<'static> {
    match outcome.better {
        None => own("", theme.of(Meaning::Text)),
        Some(run) => own(format!("  {} better", letter(run)), theme.of(Meaning::Text)),
    }
}
