//! The timeline as it is drawn: lanes, texts and columns from the facts of a run, and the target of a click.

use std::ops::Range;

use ratatui::{buffer::Buffer, layout::Rect, text::Span};

use crate::{
    session::{
        Session,
        timeline::{EventKind, LaneKind, NumberLane, TimelineFacts, TimelineMode, TurnEvents},
        timeline_components::{ComponentLane, ComponentState, ComponentTrack},
        views::View,
    },
    views::verdict::{plain_name, score_meaning},
    widgets::{
        line::{fitting_prefix, safe_string, spans_width, trusted_span},
        mouse::Mouse,
        text,
        theme::{Meaning, Theme},
        timeline::{
            LABEL_CELLS, LaneContent, LaneSign, NamedColumns, TimelineLane, TimelineStrip,
            TurnColumns, column_area, place_at,
        },
    },
};
use trajview_metrics::{Number, numbers::NumberStyle};
use trajview_run::format_number;

/// A timeline, ready to be drawn in its area.
pub(crate) struct TimelineView<'a> {
    pub facts: &'a TimelineFacts,
    pub columns: TurnColumns,
    /// The lanes from top to bottom.
    pub lanes: Vec<LaneKind>,
    pub mode: TimelineMode,
    /// The turn at the playhead, counts from 0; None where it is not on the timeline.
    pub turn: Option<usize>,
    /// The index of the step at the playhead where the points are steps; None where the turn as a whole is looked at.
    pub step: Option<usize>,
    /// The words before the number of the turn.
    pub turn_word: &'static str,
    /// The position of its run among the compared ones; 0 for the open run.
    pub run: usize,
    /// The facts of all runs beside it, which have the same scales.
    pub others: &'a [TimelineFacts],
    /// The words at the left of the line.
    pub name: String,
    /// The points that are shown of a long run.
    pub window: Option<Range<usize>>,
}

/// What a click selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TimelineTarget {
    /// A turn, or a step of a run with one turn; counts from 0.
    Point(usize),
    /// The id of a component.
    Component(String),
}

impl<'a> TimelineView<'a> {
    /// Returns the timeline of the open run, for an area.
    pub(crate) fn of_session(
        session: &'a Session,
        lanes: Vec<LaneKind>,
        mode: TimelineMode,
        area: Rect,
    ) -> Self {
        let timeline = &session.run_timeline;
        let shown = timeline.shown_turns();
        Self {
            facts: timeline.facts(),
            columns: TurnColumns::evenly(shown.clone(), usize::from(column_area(area).width)),
            lanes,
            mode,
            turn: Some(session.turn),
            step: session.timeline_point().filter(|_| timeline.facts().is_by_step()),
            turn_word: match session.view {
                // These views are about a judged turn, which may be another one.
                View::Scores | View::Audit => "playhead at turn",
                _ => "turn",
            },
            run: 0,
            others: &[],
            name: "timeline".into(),
            window: timeline.is_zoomed().then_some(shown),
        }
    }

    /// Returns what a click selects; None where it is beside everything.
    pub(crate) fn target_at(&self, area: Rect, mouse: Mouse) -> Option<TimelineTarget> {
        if let Some(cell) = self.component_cell_at(area, mouse) {
            let track = self.facts.components.as_ref()?.tracks.get(cell)?;
            return Some(TimelineTarget::Component(track.id.clone()));
        }
        let (lane, column) = place_at(area, mouse.position())?;
        let is_words = lane.is_some_and(|lane| self.lanes.get(lane) == Some(&LaneKind::Components));
        (!is_words).then(|| self.columns.turn_at(column).map(TimelineTarget::Point))?
    }

    /// Returns the point under the pointer, or nearest to it, wherever the pointer is in height.
    pub(crate) fn point_near(&self, area: Rect, mouse: Mouse) -> Option<usize> {
        let column = mouse.column.saturating_sub(column_area(area).x);
        self.columns.turn_at(usize::from(column))
    }

    /// Returns the index of the point at the playhead.
    fn point(&self) -> Option<usize> {
        if self.facts.is_by_step() { self.step } else { self.turn }
    }

    /// Returns the index of the point whose values are shown: of the last step where the turn as a whole is looked at.
    fn value_point(&self) -> Option<usize> {
        let last = || self.turn.map(|_| self.facts.points.saturating_sub(1));
        self.point().or_else(last)
    }

    /// Returns the events at the playhead, all of them where the turn as a whole is looked at.
    fn events_here(&self) -> &[TurnEvents] {
        let events = &self.facts.events;
        match (self.point(), self.turn) {
            (Some(point), _) => events.get(point..=point).unwrap_or_default(),
            (None, Some(_)) => events,
            (None, None) => &[],
        }
    }

    fn component_cell_at(&self, area: Rect, mouse: Mouse) -> Option<usize> {
        let (x, y) = match self.lanes.iter().position(|lane| *lane == LaneKind::Components) {
            Some(lane) => (column_area(area).x, column_area(area).y + lane as u16),
            None if self.has_cells_on_line() => (area.x + self.cells_on_line(), area.y),
            None => return None,
        };
        let cell = mouse.column.checked_sub(x).filter(|_| mouse.row == y && mouse.is_in(area))?;
        Some(usize::from(cell)).filter(|cell| *cell < MAX_CELLS)
    }

    /// Returns whether the component cells are on the line, where there is no lane for them.
    fn has_cells_on_line(&self) -> bool {
        self.mode == TimelineMode::Slim && self.facts.components.is_some()
    }

    /// Returns the distance of the cells from the left end of the line.
    fn cells_on_line(&self) -> u16 {
        3 + text::width(&self.name) as u16
    }

    pub(crate) fn draw(&self, theme: Theme, area: Rect, buffer: &mut Buffer) {
        let width = usize::from(column_area(area).width);
        let playhead = self.point().map_or(0..0, |point| self.columns.columns_of(point));
        let lanes = self.lanes.iter().map(|lane| self.lane(*lane, theme, width)).collect();
        let position =
            trusted_span(format!(" {} ", self.position_text()), theme.style_for(Meaning::Text));
        let title =
            self.title_spans(theme, usize::from(area.width), text::width(&position.content));
        let lane = |kind: LaneKind| self.lanes.iter().position(|lane| *lane == kind);
        let playhead_lane = lane(LaneKind::Checkpoints).or_else(|| lane(LaneKind::Events));
        TimelineStrip { title, position: vec![position], lanes, playhead, playhead_lane }
            .draw(theme, area, buffer);
    }

    /// Returns the words at the left of the line; without a lane of components their cells, how many are there, and what is
    /// lost.
    fn title_spans(&self, theme: Theme, width: usize, taken: usize) -> Vec<Span<'static>> {
        let mut spans = vec![trusted_span(
            format!(" {} ", safe_string(&self.name)),
            theme.style_for(Meaning::Title),
        )];
        let Some(turn) = self.turn.filter(|_| !self.lanes.contains(&LaneKind::Components)) else {
            return spans;
        };
        if let Some(lane) = self.facts.components.as_ref().filter(|_| self.has_cells_on_line()) {
            spans.extend(cell_spans(lane, turn + 1, theme));
            let value = format!(" {} ", there_text(lane, turn + 1));
            spans.push(trusted_span(value, theme.style_for(Meaning::Text)));
        }
        let room = width.saturating_sub(spans_width(&spans) + taken + 3);
        if let Some(words) = lost_text(self.facts, turn + 1, room) {
            spans.push(trusted_span(format!("{words} "), theme.style_for(Meaning::Error)));
        }
        spans
    }

    /// Returns `turn 46 of 56 · checkpoint 8 of 9`, or `turn 1 of 1 · step 7 of 87`.
    fn position_text(&self) -> String {
        let counted = |count: usize| format_number::with_thousands(count as u64);
        let is_by_step = self.facts.is_by_step();
        let turns = if is_by_step { 1 } else { self.facts.points };
        let turn = self
            .turn
            .map(|turn| format!("{} {} of {}", self.turn_word, counted(turn + 1), counted(turns)));
        let step = self.turn.filter(|_| is_by_step).map(|_| match self.step {
            Some(step) => format!("step {} of {}", counted(step + 1), counted(self.facts.points)),
            None => format_number::count_with_noun(self.facts.points, "step"),
        });
        let window = self
            .window
            .as_ref()
            .map(|shown| format!("shows {}–{}", counted(shown.start + 1), counted(shown.end)));
        let is_slim = self.mode == TimelineMode::Slim;
        let checkpoint = self.value_point().and_then(|point| self.facts.checkpoint_number(point));
        let checkpoint = checkpoint
            .filter(|_| !is_slim)
            .map(|(number, count)| format!("checkpoint {number} of {count}"));
        let bucket = (self.columns.has_buckets() && !is_slim).then(|| match is_by_step {
            true => "a column has several steps".to_owned(),
            false => "a column has the highest value of several turns".to_owned(),
        });
        let parts: Vec<String> =
            [bucket, window, turn, step, checkpoint].into_iter().flatten().collect();
        parts.join(" · ")
    }

    fn lane(&self, lane: LaneKind, theme: Theme, width: usize) -> TimelineLane {
        match lane {
            LaneKind::Checkpoints => TimelineLane {
                label: "checkpoint".into(),
                value: String::new(),
                content: LaneContent::Names(self.checkpoint_names()),
            },
            LaneKind::Number(index) => match self.facts.numbers.get(index) {
                Some(lane) => self.number_lane(index, lane, theme),
                None => TimelineLane {
                    label: String::new(),
                    value: String::new(),
                    content: LaneContent::Words(vec![]),
                },
            },
            LaneKind::Components => self.component_lane(theme, width),
            LaneKind::Events => TimelineLane {
                label: "events".into(),
                value: self.event_value(),
                content: LaneContent::Signs(self.event_signs()),
            },
            LaneKind::Signals => TimelineLane {
                label: "signals".into(),
                value: self.signal_value(),
                content: LaneContent::Signs(self.signal_signs()),
            },
        }
    }

    fn checkpoint_names(&self) -> Vec<NamedColumns> {
        let shown = self.window.clone().unwrap_or(0..self.facts.points);
        let (here, mut free) = (self.value_point(), 0);
        let stretch = |checkpoint: &crate::session::timeline::TimelineCheckpoint| {
            let turns = &checkpoint.turns;
            let turns = turns.start.max(shown.start)..turns.end.min(shown.end);
            let columns = self.columns.columns_of_turns(&turns);
            // Of several checkpoints in one column the first has it.
            let columns = columns.start.max(free)..columns.end;
            free = free.max(columns.end);
            let is_here = here.is_some_and(|point| checkpoint.turns.contains(&point));
            (!columns.is_empty()).then(|| NamedColumns {
                columns,
                name: checkpoint.name.clone(),
                is_here,
            })
        };
        self.facts.checkpoints.iter().filter_map(stretch).collect()
    }

    /// Returns the columns in which checkpoints start, if no lane names them and the columns have room for their signs.
    fn checkpoint_starts(&self) -> Vec<usize> {
        let columns = match self.mode {
            TimelineMode::Slim => self.checkpoint_names().into_iter().map(|it| it.columns.start),
            _ => return vec![],
        };
        let columns: Vec<usize> = columns.collect();
        let has_room = columns.len() * MIN_CHECKPOINT_CELLS <= self.columns.width();
        if has_room { columns } else { vec![] }
    }

    fn number_lane(&self, index: usize, lane: &NumberLane, theme: Theme) -> TimelineLane {
        let components = self.facts.components.as_ref();
        if lane.number.is_of_judgement() && components.is_some_and(ComponentLane::hides_scores) {
            return TimelineLane {
                label: lane_label(lane.number),
                value: String::new(),
                content: LaneContent::Words(vec![trusted_span(
                    HIDDEN_SCORES,
                    theme.style_for(Meaning::Muted),
                )]),
            };
        }
        let value = self.value_point().map(|point| lane.text_after_turn(point)).unwrap_or_default();
        let has_value = lane.values.iter().any(|value| value.as_number().is_some());
        let content = match (has_value, lane.only_turn()) {
            (false, _) => {
                let words = lane.missing.clone().unwrap_or_else(|| "measuring…".into());
                let words = trusted_span(safe_string(&words), theme.style_for(Meaning::Muted));
                LaneContent::Words(vec![words])
            }
            (true, Some(turn)) => LaneContent::Signs(self.lone_point(turn)),
            (true, None) => self.bars(index, lane),
        };
        TimelineLane { label: lane_label(lane.number), value, content }
    }

    fn bars(&self, index: usize, lane: &NumberLane) -> LaneContent {
        let columns = 0..self.columns.width();
        let values: Vec<Option<f64>> =
            columns.map(|column| lane.highest_of(&self.columns.turns_of(column))).collect();
        let others = self.others.iter().filter_map(|other| other.numbers.get(index));
        let values_of_both = [lane].into_iter().chain(others).flat_map(|it| &it.values);
        let measured = values_of_both.filter_map(|value| value.as_number());
        let highest = lane.number.axis_maximum().or_else(|| measured.reduce(f64::max));
        LaneContent::Bars { values, highest: highest.filter(|it| *it > 0.0).unwrap_or(1.0) }
    }

    /// Returns a point where the only value of a number is, and nothing elsewhere.
    fn lone_point(&self, turn: usize) -> Vec<Option<LaneSign>> {
        let mut signs = vec![Some((" ", Meaning::Text)); self.columns.width()];
        let last = self.columns.columns_of(turn).last();
        if let Some(sign) = last.and_then(|column| signs.get_mut(column)) {
            *sign = Some(("●", Meaning::Hunk));
        }
        signs
    }

    fn component_lane(&self, theme: Theme, width: usize) -> TimelineLane {
        let (label, words) = ("components".to_owned(), LaneContent::Words);
        let (Some(lane), Some(turn)) = (&self.facts.components, self.turn) else {
            return TimelineLane { label, value: String::new(), content: words(vec![]) };
        };
        let done = turn + 1;
        let mut spans = cell_spans(lane, done, theme);
        spans.push(trusted_span("  ", theme.style_for(Meaning::Text)));
        let judged = judgement_spans(lane, done, theme);
        let room = width.saturating_sub(spans_width(&spans) + spans_width(&judged) + 3);
        let lost = lost_text(self.facts, done, room)
            .map(|words| trusted_span(words, theme.style_for(Meaning::Error)));
        let gap = lost
            .iter()
            .map(|_| trusted_span(" · ", theme.style_for(Meaning::Muted)))
            .collect::<Vec<_>>();
        // Where both do not fit, the loss goes first: it is written nowhere else.
        match lost.as_ref().is_some_and(|lost| text::width(&lost.content) > room) {
            true => spans.extend(lost.into_iter().chain(gap).chain(judged)),
            false => spans.extend(judged.into_iter().chain(gap).chain(lost)),
        }
        TimelineLane { label, value: there_text(lane, done), content: words(spans) }
    }

    /// Returns what happened in the turn at the playhead: `✗2 •1`.
    fn event_value(&self) -> String {
        let here = self.events_here();
        let mut words: Vec<String> = vec![];
        for kind in EventKind::ALL {
            let count = kind.count_in(here);
            let word = format!("{}{count}", event_sign(kind).0);
            let cells: usize = words.iter().map(|it| text::width(it) + 1).sum();
            if count > 0 && cells + text::width(&word) <= EVENT_VALUE_CELLS {
                words.push(word);
            }
        }
        words.join(" ")
    }

    /// Returns `•2` where the turn at the playhead has two signals.
    fn signal_value(&self) -> String {
        let count = EventKind::Signal.count_in(self.events_here());
        if count == 0 { String::new() } else { format!("•{count}") }
    }

    /// Returns the sign of each column: `•` a signal, the number of several, `+` of ten or more.
    fn signal_signs(&self) -> Vec<Option<LaneSign>> {
        let sign = |column: usize| {
            let turns = self.columns.turns_of(column);
            if turns.is_empty() {
                return Some((" ", Meaning::Text));
            }
            let is_first = self.columns.columns_of(turns.start).start == column;
            let events = self.facts.events.get(turns).unwrap_or_default();
            let count = events.iter().map(|it| it.signals).sum::<usize>();
            let sign = match count {
                0 => return None,
                1 => "•",
                count => SIGNAL_COUNTS.get(count - 2).copied().unwrap_or("+"),
            };
            is_first.then_some((sign, Meaning::Warning))
        };
        (0..self.columns.width()).map(sign).collect()
    }

    /// Returns the sign of each column: the main event; without a lane of checkpoints also where one starts.
    fn event_signs(&self) -> Vec<Option<LaneSign>> {
        let starts = self.checkpoint_starts();
        let sign = |column: usize| {
            let turns = self.columns.turns_of(column);
            // A turn of several columns has its sign in the first.
            let is_first = self.columns.columns_of(turns.start).start == column;
            if turns.is_empty() {
                return Some((" ", Meaning::Text));
            }
            let event = self.facts.main_event(&turns).filter(|_| is_first);
            let start = || starts.contains(&column).then_some(("│", Meaning::Border));
            event.map(|(kind, _)| event_sign(kind)).or_else(start)
        };
        (0..self.columns.width()).map(sign).collect()
    }
}

/// Returns the name of a number; a long one would be cut, so its short name stands there.
fn lane_label(number: Number) -> String {
    let label = number.label();
    let has_room = text::width(label) <= LABEL_CELLS;
    if has_room { label } else { number.short() }.to_owned()
}

/// The signs of two signals to nine.
const SIGNAL_COUNTS: [&str; 8] = ["2", "3", "4", "5", "6", "7", "8", "9"];

/// Cells for the events of a turn beside the name of the lane.
const EVENT_VALUE_CELLS: usize = 10;

/// The columns that a checkpoint takes on average where its start has a sign.
const MIN_CHECKPOINT_CELLS: usize = 4;

/// Cells of components that are drawn at most.
const MAX_CELLS: usize = 60;

const fn event_sign(kind: EventKind) -> LaneSign {
    match kind {
        EventKind::Loss => ("✖", Meaning::Error),
        EventKind::Judgement => ("◆", Meaning::Title),
        EventKind::Compaction => ("⟲", Meaning::Warning),
        EventKind::Failure => ("✗", Meaning::Warning),
        EventKind::Signal => ("•", Meaning::Warning),
    }
}

/// The digits of the scores.
const DIGITS: [&str; 5] = ["0", "1", "2", "3", "4"];

/// Returns the sign of a component: `·` not requested, `□` requested and not there, `?` unclear, `■` there, a digit there
/// with this score, `✖` lost.
fn component_sign(state: ComponentState) -> LaneSign {
    match state {
        ComponentState::NotRequested => ("·", Meaning::Muted),
        ComponentState::Missing => ("□", Meaning::Warning),
        ComponentState::Unclear => ("?", Meaning::Muted),
        ComponentState::There(None) => ("■", Meaning::Text),
        ComponentState::There(Some(score)) => {
            let score = score.min(4);
            (DIGITS[usize::from(score)], score_meaning(score))
        }
        ComponentState::Lost => ("✖", Meaning::Error),
    }
}

fn cell_spans(lane: &ComponentLane, done: usize, theme: Theme) -> Vec<Span<'static>> {
    let cell = |track: &ComponentTrack| {
        let (sign, meaning) = component_sign(track.state_after(done));
        trusted_span(sign, theme.style_for(meaning))
    };
    let mut spans: Vec<Span<'static>> = lane.tracks.iter().take(MAX_CELLS).map(cell).collect();
    if lane.tracks.len() > MAX_CELLS {
        spans.push(trusted_span("…", theme.style_for(Meaning::Muted)));
    }
    spans
}

/// Returns `20/24`, `3–8/24` where five components may be there or not, and `…/24` while their code is being followed.
fn there_text(lane: &ComponentLane, done: usize) -> String {
    let all = lane.tracks.len();
    match (lane.is_followed, lane.count_there(done)) {
        (false, _) => format!("…/{all}"),
        (true, (there, 0)) => format!("{there}/{all}"),
        (true, (there, unclear)) => format!("{there}–{}/{all}", there + unclear),
    }
}

/// The text instead of scores that wait for a label.
const HIDDEN_SCORES: &str = "scores are hidden until you label them";

/// Returns `MCF 3.458 judged at turn 39`, or why there are no scores.
fn judgement_spans(lane: &ComponentLane, done: usize, theme: Theme) -> Vec<Span<'static>> {
    let muted = |words: String| vec![trusted_span(words, theme.style_for(Meaning::Muted))];
    let Some(judged) = lane.judged_until(done) else { return muted("not judged yet".into()) };
    if lane.hides_scores() {
        return muted(HIDDEN_SCORES.into());
    }
    let at = format!(" judged at turn {}", format_number::with_thousands(judged as u64));
    let mean = lane.mean_at(judged).map_or("in part".to_owned(), |mean| {
        format!("{} {}", Number::Mcf.short(), Number::Mcf.format_value(mean, NumberStyle::Short))
    });
    vec![
        trusted_span(mean, theme.style_for(Meaning::Title)),
        trusted_span(at, theme.style_for(Meaning::Muted)),
    ]
}

/// Returns `lost here: C17 Min-SNR time weight, C18 Interface weights`, with names cut to the room and left out where there is
/// none. Tests follow as [`lost_tests_text`] has them. None where the turn loses nothing.
fn lost_text(facts: &TimelineFacts, turn: usize, room: usize) -> Option<String> {
    let tests = lost_tests_text(facts, turn, room);
    let room_before = |tests: &str| room.saturating_sub(text::width(tests) + 2);
    let taken = tests.as_deref().map_or(room, room_before);
    let components =
        facts.components.as_ref().and_then(|lane| lost_components_text(lane, turn, taken));
    let words: Vec<String> = components.into_iter().chain(tests).collect();
    (!words.is_empty()).then(|| format!("lost here: {}", words.join(", ")))
}

/// Returns `test adds, test subtracts`, with as many names as half the room has space for: `test adds, 3 more tests`.
fn lost_tests_text(facts: &TimelineFacts, turn: usize, room: usize) -> Option<String> {
    let lost = facts.lost_tests.iter().filter(|test| test.turn == turn);
    let names: Vec<String> = lost.map(|test| format!("test {}", safe_string(&test.name))).collect();
    let has_components =
        facts.components.as_ref().is_some_and(|lane| lane.lost_in(turn).next().is_some());
    let room = if has_components { room / 2 } else { room };
    let words = |shown: usize| {
        let rest = names.len() - shown;
        let more = match shown {
            _ if rest == 0 => None,
            0 => Some(format_number::count_with_noun(rest, "test")),
            _ => Some(format!("{rest} more")),
        };
        names[..shown].iter().cloned().chain(more).collect::<Vec<_>>().join(", ")
    };
    // Of many names only the first few can fit.
    let most = names.len().min(MAX_LOST_NAMES);
    let fits = |shown: &usize| LOST_HERE_CELLS + text::width(&words(*shown)) <= room;
    (!names.is_empty()).then(|| words((0..=most).rev().find(fits).unwrap_or_default()))
}

/// Cells of `lost here: `.
const LOST_HERE_CELLS: usize = 11;

/// Names of lost tests that are on the timeline at most.
const MAX_LOST_NAMES: usize = 20;

fn lost_components_text(lane: &ComponentLane, turn: usize, room: usize) -> Option<String> {
    let lost: Vec<(String, String)> = lane
        .lost_in(turn)
        .map(|track| (safe_string(&track.id), safe_string(plain_name(&track.name))))
        .collect();
    if lost.is_empty() {
        return None;
    }
    let room = room.saturating_sub(LOST_HERE_CELLS);
    let joined = |name: &dyn Fn(&str) -> String| {
        let one = |(id, words): &(String, String)| format!("{id}{}", name(words));
        lost.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let whole = joined(&|name| if name.is_empty() { String::new() } else { format!(" {name}") });
    if text::width(&whole) <= room {
        return Some(whole);
    }
    let ids = joined(&|_| String::new());
    let share = room.saturating_sub(text::width(&ids)) / lost.len();
    let cut = |name: &str| match text::width(name) + 1 > share {
        true => format!(" {}…", fitting_prefix(name, share - 2).trim_end()),
        false => format!(" {name}"),
    };
    Some(if share < MIN_NAME_CELLS { ids } else { joined(&cut) })
}

/// Cells below which a cut name says nothing.
const MIN_NAME_CELLS: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::timeline::LostTest;
    use trajview_metrics::lifeline::Lifeline;
    use trajview_run::{
        Run, Turn,
        rubric::{Checklist, Component, Rubric},
    };

    #[test]
    fn a_number_that_is_still_measured_says_so_and_never_0() {
        let run = Run { turns: vec![Turn::default(); 3], ..Run::default() };
        let mut session = Session::new(run.into());
        session.settle_timeline(&[Number::Erosion]);
        let lanes = session.timeline_choice(&[Number::Erosion]).lanes(TimelineMode::Full);
        let area = Rect::new(0, 0, 60, 3);
        let mut buffer = Buffer::empty(area);

        TimelineView::of_session(&session, lanes, TimelineMode::Full, area).draw(
            Theme::without_colours(),
            area,
            &mut buffer,
        );

        let frame = crate::widgets::export::frame_text(&buffer);
        let rows: Vec<&str> = frame.lines().map(str::trim_end).collect();
        assert_eq!(rows[1], " erosion          … measuring…");
        assert!(rows[2].starts_with(" events             ▼···"), "{frame}");
    }

    #[test]
    fn names_of_lost_components_are_cut_to_the_room_and_left_out_where_there_is_none() {
        let component = |(id, name): (&str, &str)| Component {
            id: id.into(),
            name: name.into(),
            ..Component::default()
        };
        let lifeline = |id: &str| Lifeline {
            component: id.into(),
            committed: None,
            symbols: vec![],
            lost_at: Some(2),
        };
        let components = [("C1", "Time weight (snr)"), ("C2", "Interface weights")].map(component);
        let checklist = Checklist { components: components.into(), ..Checklist::default() };
        let rubric = Rubric { checklist: Some(checklist), ..Rubric::default() };
        let lifelines = ["C1", "C2"].map(lifeline);
        let lane = ComponentLane::new(&Run::default(), &rubric, &[], Some(&lifelines)).unwrap();
        let test = |name: &str| LostTest { turn: 3, name: name.to_owned() };
        let facts = TimelineFacts {
            components: Some(lane),
            lost_tests: vec![test("adds"), test("subtracts"), test("divides")],
            ..TimelineFacts::default()
        };
        let text = |room: usize| lost_text(&facts, 2, room);

        let whole = "lost here: C1 Time weight, C2 Interface weights";
        assert_eq!(text(60).as_deref(), Some(whole));
        assert_eq!(text(41).as_deref(), Some("lost here: C1 Time weight, C2 Interface…"));
        assert_eq!(text(30).as_deref(), Some("lost here: C1, C2"));
        assert_eq!(lost_text(&facts, 4, 60), None);

        let tests = |room: usize| lost_text(&facts, 3, room);
        assert_eq!(
            tests(60).as_deref(),
            Some("lost here: test adds, test subtracts, test divides")
        );
        assert_eq!(tests(40).as_deref(), Some("lost here: test adds, 2 more"));
        assert_eq!(tests(20).as_deref(), Some("lost here: 3 tests"));
    }
}
