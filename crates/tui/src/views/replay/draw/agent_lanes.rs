//! The agents beside each other in time: a lane each, below an axis, with its tokens and cost.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    widgets::{
        line::{fit_spans, fitting_prefix, left_and_right, safe_string, spans_width, trusted_span},
        panel::put_row,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::cost::RunCost;
use trajview_run::{
    Time,
    agent_timeline::{self, AgentLane, LaneScope},
    format_number,
};

/// Returns ` agents of turn 3  2 sub-agents `.
pub(super) fn title_spans(
    (scope, lanes): &(LaneScope, Vec<AgentLane>),
    theme: Theme,
) -> Vec<Span<'static>> {
    let of = match scope {
        LaneScope::Run => "the run".to_owned(),
        LaneScope::Turn(turn) => format!("turn {}", turn + 1),
    };
    let count = format_number::count_with_noun(lanes.len().saturating_sub(1), "sub-agent");
    vec![
        trusted_span(format!(" agents of {of} "), theme.style_for(Meaning::Title)),
        trusted_span(format!(" {count} "), theme.style_for(Meaning::Muted)),
    ]
}

/// Cells of the tokens, of the computed cost and of the length at the right of a lane, a blank before each included.
const TOKEN_CELLS: usize = 10;
const COST_CELLS: usize = 12;
const LENGTH_CELLS: usize = 8;

/// The levels of sub-agents whose names are indented differently.
const MAX_NAME_DEPTH: usize = 6;

/// Lanes as they are drawn into an area, its first row the first lane.
pub(super) struct LanePicture<'a> {
    session: &'a Session,
    scope: LaneScope,
    lanes: &'a [AgentLane],
    theme: Theme,
    area: Rect,
    span: Option<(Time, Time)>,
    /// Cells of the names, and of the bars.
    names: usize,
    bars: usize,
}

impl<'a> LanePicture<'a> {
    pub fn new(
        session: &'a Session,
        (scope, lanes): &'a (LaneScope, Vec<AgentLane>),
        theme: Theme,
        area: Rect,
    ) -> Self {
        // One cell at the left is the mark of the selected lane, one at the right stays free.
        let width = usize::from(area.width).saturating_sub(2);
        let widest = lanes.iter().map(|lane| text::width(&lane_name(session, lane).concat())).max();
        let names = widest.unwrap_or_default().min(width / 4);
        let bars = width.saturating_sub(names + 3 + TOKEN_CELLS + COST_CELLS + LENGTH_CELLS);
        let span = agent_timeline::span_of_lanes(lanes);
        Self { session, scope: *scope, lanes, theme, area, span, names, bars }
    }

    /// Draws `main        0s        1m        2m`, in the row above the area; without times a sentence instead.
    pub(crate) fn draw_axis(&self, buffer: &mut Buffer) {
        let muted = self.theme.style_for(Meaning::Muted);
        let row = Rect { y: self.area.y.saturating_sub(1), height: 1, ..self.area };
        let left = match self.span {
            Some(span) => trusted_span(
                format!("{}{}", " ".repeat(self.names + 3), self.tick_text(span)),
                muted,
            ),
            None => trusted_span(" no times recorded, so no bars", muted),
        };
        let heads = format!(
            "{:>TOKEN_CELLS$}{:>COST_CELLS$}{:>LENGTH_CELLS$} ",
            "in/out", "$ computed", "length"
        );
        put_row(
            left_and_right(vec![left], vec![trusted_span(heads, muted)], usize::from(row.width)),
            None,
            row,
            0,
            buffer,
        );
    }

    /// Returns the times since the first moment at round distances, each above its column.
    fn tick_text(&self, (start, end): (Time, Time)) -> String {
        let seconds = end.seconds_since(start).unwrap_or_default();
        let every = tick_interval(seconds, self.bars);
        let mut words = String::new();
        for number in 0_u32.. {
            let at = every * f64::from(number);
            let column =
                self.cell_of_moment(start, Time(start.0.saturating_add((at * 1000.0) as i64)), end);
            let tick = format_number::duration_text(at);
            let is_room = column + tick.len() <= self.bars;
            if at > seconds || !is_room || (number > 0 && column <= words.len()) {
                break;
            }
            words.push_str(&" ".repeat(column - words.len()));
            words.push_str(&tick);
        }
        words
    }

    /// Returns the cell of a moment among those of the bars.
    fn cell_of_moment(&self, start: Time, moment: Time, end: Time) -> usize {
        let share = moment.seconds_since(start).zip(end.seconds_since(start));
        let share = share.filter(|(_, all)| *all > 0.0).map_or(0.0, |(part, all)| part / all);
        let last = self.bars.saturating_sub(1);
        ((share * self.bars as f64) as usize).min(last)
    }

    /// Returns `  explorer    ━━━━━✗━━━━━━       34k/1.2k     $0.0123  2m 14s`, without the mark before it.
    pub(crate) fn lane_line(&self, index: usize) -> Line<'static> {
        let Some(lane) = self.lanes.get(index) else { return Line::default() };
        let (plain, muted) =
            (self.theme.style_for(Meaning::Text), self.theme.style_for(Meaning::Muted));
        let [name, task] = lane_name(self.session, lane);
        let mut left =
            fit_spans(vec![trusted_span(name, plain), trusted_span(task, muted)], self.names);
        left.push(trusted_span(
            " ".repeat(self.names.saturating_sub(spans_width(&left)) + 2),
            plain,
        ));
        left.extend(self.bar_spans(lane));
        let known = |count: Option<u64>| {
            count.map_or_else(|| format_number::MISSING_SIGN.into(), format_number::short_count)
        };
        let tokens = match (lane.tokens.input, lane.tokens.output) {
            (None, None) => format_number::MISSING_SIGN.into(),
            (input, output) => format!("{}/{}", known(input), known(output)),
        };
        let length = lane.working_seconds().map_or_else(
            || format_number::MISSING_SIGN.into(),
            format_number::duration_with_tenths,
        );
        let cost = self.cost_text(lane);
        let right = format!("{tokens:>TOKEN_CELLS$}{cost:>COST_CELLS$}{length:>LENGTH_CELLS$}");
        let width = usize::from(self.area.width).saturating_sub(2);
        left_and_right(left, vec![trusted_span(right, muted)], width)
    }

    /// Returns `$0.0123`, of the agent alone; `…` while it is computed, `—` without tokens.
    fn cost_text(&self, lane: &AgentLane) -> String {
        let turn = match self.scope {
            LaneScope::Run => None,
            LaneScope::Turn(turn) => Some(turn),
        };
        let agent_cost = |cost: &RunCost| cost.sum_of_agent(lane.agent, turn).usd_text();
        let known = self.session.scores.process.cost.cost_result();
        let words = known.map_or_else(|| Some("…".into()), |cost| cost.ok().and_then(agent_cost));
        words.unwrap_or_else(|| format_number::MISSING_SIGN.into())
    }

    fn bar_spans(&self, lane: &AgentLane) -> Vec<Span<'static>> {
        let Some((start, end)) = self.span.filter(|_| !lane.bars.is_empty()) else {
            let words = if self.span.is_some() { "no times recorded" } else { "" };
            return vec![trusted_span(
                fitting_prefix(words, self.bars).to_owned(),
                self.theme.style_for(Meaning::Muted),
            )];
        };
        let column = |moment: Time| self.cell_of_moment(start, moment, end);
        let mut cells = vec![' '; self.bars];
        for (from, to) in &lane.bars {
            cells
                .get_mut(column(*from)..=column(*to))
                .into_iter()
                .flatten()
                .for_each(|it| *it = '━');
        }
        for failure in &lane.failures {
            cells.get_mut(column(*failure)).into_iter().for_each(|it| *it = '✗');
        }
        let work = if lane.agent.is_none() { Meaning::Heading } else { Meaning::Hunk };
        let span = |cells: &[char]| {
            let meaning = if cells[0] == '✗' { Meaning::Error } else { work };
            trusted_span(cells.iter().collect::<String>(), self.theme.style_for(meaning))
        };
        cells.chunk_by(|a, b| a == b).map(span).collect()
    }

    /// Draws the task of the selected agent, its number of steps and its times, in two rows.
    pub(crate) fn draw_details(&self, selected: usize, area: Rect, buffer: &mut Buffer) {
        let muted = self.theme.style_for(Meaning::Muted);
        let width = usize::from(area.width);
        put_row(Line::from(trusted_span("─".repeat(width), muted)), None, area, 0, buffer);
        let Some(lane) = self.lanes.get(selected) else { return };
        let mut facts = vec![format_number::count_with_noun(lane.steps, "step")];
        facts.extend((lane.failed > 0).then(|| format!("{} failed", lane.failed)));
        let ends = lane.bars.first().zip(lane.bars.last());
        facts.extend(ends.zip(self.span).and_then(|(((from, _), (_, to)), (start, _))| {
            let since =
                |time: &Time| time.seconds_since(start).map(format_number::duration_with_tenths);
            Some(format!("+{} to +{}", since(from)?, since(to)?))
        }));
        let left = vec![trusted_span(
            format!(" {}", lane_task(self.session, lane)),
            self.theme.style_for(Meaning::Text),
        )];
        let right = vec![trusted_span(format!("{} ", facts.join(" · ")), muted)];
        put_row(left_and_right(left, right, width), None, area, 1, buffer);
    }
}

/// Returns `⑂ explorer`, indented by its depth, and the task.
fn lane_name(session: &Session, lane: &AgentLane) -> [String; 2] {
    let margin = "  ".repeat(lane.depth.min(MAX_NAME_DEPTH).saturating_sub(1));
    match lane.agent.and_then(|agent| session.run.subagents.get(agent)) {
        Some(agent) => [
            format!("{margin}⑂ {}", safe_string(&agent.name)),
            format!("  {}", lane_task(session, lane)),
        ],
        None => ["main agent".into(), String::new()],
    }
}

/// Returns the task of the agent: the label of the step that started it, else its own request.
fn lane_task(session: &Session, lane: &AgentLane) -> String {
    let run = &session.run;
    let started = lane.started_by.and_then(|step| run.step(step)).map(|step| &step.label);
    let request = lane.agent.and_then(|agent| run.subagents.get(agent)).map(|agent| &agent.title);
    let task = [started, request].into_iter().flatten().find(|words| !words.is_empty());
    task.map_or_else(|| "the main agent".into(), |words| safe_string(words))
}

/// Returns seconds between two ticks of an axis: the least round number that leaves each tick room.
fn tick_interval(seconds: f64, cells: usize) -> f64 {
    const ROUND: [f64; 22] = [
        1.0,
        2.0,
        5.0,
        10.0,
        15.0,
        30.0,
        60.0,
        120.0,
        300.0,
        600.0,
        900.0,
        1_800.0,
        3_600.0,
        7_200.0,
        10_800.0,
        21_600.0,
        43_200.0,
        86_400.0,
        172_800.0,
        432_000.0,
        864_000.0,
        2_592_000.0,
    ];
    let most = (cells / MIN_TICK_CELLS).max(1) as f64;
    ROUND.into_iter().find(|every| seconds / every <= most).unwrap_or(seconds)
}

/// Cells from tick to tick at least.
const MIN_TICK_CELLS: usize = 12;
