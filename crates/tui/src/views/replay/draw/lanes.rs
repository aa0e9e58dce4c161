//! The agents beside each other in time: a lane each, below an axis, with what it read, wrote and costs.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    widgets::{
        line::{fit, head, own, safe, sides, width_of},
        panel::put_row,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::cost::RunCost;
use trajview_run::{
    Time, figures,
    lanes::{self, Lane, Scope},
};

/// ` agents of turn 3  2 sub-agents `
pub(super) fn title((scope, lanes): &(Scope, Vec<Lane>), theme: Theme) -> Vec<Span<'static>> {
    let of = match scope {
        Scope::Run => "the run".to_owned(),
        Scope::Turn(turn) => format!("turn {}", turn + 1),
    };
    let count = figures::counted(lanes.len().saturating_sub(1), "sub-agent");
    vec![
        own(format!(" agents of {of} "), theme.of(Meaning::Title)),
        own(format!(" {count} "), theme.of(Meaning::Muted)),
    ]
}

/// Cells of the tokens, of the computed cost and of the length at the right of a lane, a blank before each included.
const TOKENS: usize = 10;
const COST: usize = 12;
const LENGTH: usize = 8;

/// Levels of sub-agents that are told apart by how far their names stand in.
const DEEPEST: usize = 6;

/// Lanes as they are drawn into an area, its first row the first lane.
pub(super) struct Picture<'a> {
    session: &'a Session,
    scope: Scope,
    lanes: &'a [Lane],
    theme: Theme,
    area: Rect,
    span: Option<(Time, Time)>,
    /// Cells of the names, and of the bars.
    names: usize,
    bars: usize,
}

impl<'a> Picture<'a> {
    pub fn of(
        session: &'a Session,
        (scope, lanes): &'a (Scope, Vec<Lane>),
        theme: Theme,
        area: Rect,
    ) -> Self {
        // One cell at the left is the mark of the selected lane, one at the right stays free.
        let width = usize::from(area.width).saturating_sub(2);
        let widest = lanes.iter().map(|lane| text::width(&name(session, lane).concat())).max();
        let names = widest.unwrap_or_default().min(width / 4);
        let bars = width.saturating_sub(names + 3 + TOKENS + COST + LENGTH);
        let span = lanes::span(lanes);
        Self { session, scope: *scope, lanes, theme, area, span, names, bars }
    }

    /// `main        0s        1m        2m`, in the row above the area; without times a sentence instead.
    pub fn axis(&self, buffer: &mut Buffer) {
        let muted = self.theme.of(Meaning::Muted);
        let row = Rect { y: self.area.y.saturating_sub(1), height: 1, ..self.area };
        let left = match self.span {
            Some(span) => own(format!("{}{}", " ".repeat(self.names + 3), self.ticks(span)), muted),
            None => own(" the recording tells no times, so there are no bars", muted),
        };
        let heads = format!("{:>TOKENS$}{:>COST$}{:>LENGTH$} ", "in/out", "$ computed", "length");
        put_row(
            sides(vec![left], vec![own(heads, muted)], usize::from(row.width)),
            None,
            row,
            0,
            buffer,
        );
    }

    /// Times since the first moment at round distances, each above its column.
    fn ticks(&self, (start, end): (Time, Time)) -> String {
        let seconds = end.seconds_since(start).unwrap_or_default();
        let every = distance(seconds, self.bars);
        let mut words = String::new();
        for number in 0_u32.. {
            let at = every * f64::from(number);
            let column =
                self.column(start, Time(start.0.saturating_add((at * 1000.0) as i64)), end);
            let tick = figures::duration(at);
            let is_room = column + tick.len() <= self.bars;
            if at > seconds || !is_room || (number > 0 && column <= words.len()) {
                break;
            }
            words.push_str(&" ".repeat(column - words.len()));
            words.push_str(&tick);
        }
        words
    }

    /// The cell of a moment among those of the bars.
    fn column(&self, start: Time, moment: Time, end: Time) -> usize {
        let share = moment.seconds_since(start).zip(end.seconds_since(start));
        let share = share.filter(|(_, all)| *all > 0.0).map_or(0.0, |(part, all)| part / all);
        let last = self.bars.saturating_sub(1);
        ((share * self.bars as f64) as usize).min(last)
    }

    /// `  explorer    ━━━━━✗━━━━━━       34k/1.2k     $0.0123  2m 14s`, without the mark before it.
    pub fn row(&self, index: usize) -> Line<'static> {
        let Some(lane) = self.lanes.get(index) else { return Line::default() };
        let (plain, muted) = (self.theme.of(Meaning::Text), self.theme.of(Meaning::Muted));
        let [name, task] = name(self.session, lane);
        let mut left = fit(vec![own(name, plain), own(task, muted)], self.names);
        left.push(own(" ".repeat(self.names.saturating_sub(width_of(&left)) + 2), plain));
        left.extend(self.bar(lane));
        let known = |count: Option<u64>| count.map_or_else(|| "—".into(), figures::short);
        let tokens = match (lane.tokens.input, lane.tokens.output) {
            (None, None) => "—".into(),
            (input, output) => format!("{}/{}", known(input), known(output)),
        };
        let length = lane.seconds().map_or_else(|| "—".into(), figures::lapse);
        let cost = self.cost(lane);
        let right = format!("{tokens:>TOKENS$}{cost:>COST$}{length:>LENGTH$}");
        let width = usize::from(self.area.width).saturating_sub(2);
        sides(left, vec![own(right, muted)], width)
    }

    /// `$0.0123`, of the agent alone; `…` while it is worked out, `—` without tokens.
    fn cost(&self, lane: &Lane) -> String {
        let turn = match self.scope {
            Scope::Run => None,
            Scope::Turn(turn) => Some(turn),
        };
        let said = |cost: &RunCost| cost.of_agent(lane.agent, turn).said();
        let known = self.session.scores.worked.cost.known();
        let words = known.map_or_else(|| Some("…".into()), |cost| cost.ok().and_then(said));
        words.unwrap_or_else(|| "—".into())
    }

    fn bar(&self, lane: &Lane) -> Vec<Span<'static>> {
        let Some((start, end)) = self.span.filter(|_| !lane.bars.is_empty()) else {
            let words = if self.span.is_some() { "no times recorded" } else { "" };
            return vec![own(head(words, self.bars).to_owned(), self.theme.of(Meaning::Muted))];
        };
        let column = |moment: Time| self.column(start, moment, end);
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
            own(cells.iter().collect::<String>(), self.theme.of(meaning))
        };
        cells.chunk_by(|a, b| a == b).map(span).collect()
    }

    /// What the selected agent was to do, how many steps it took and when: two rows.
    pub fn below(&self, selected: usize, area: Rect, buffer: &mut Buffer) {
        let muted = self.theme.of(Meaning::Muted);
        let width = usize::from(area.width);
        put_row(Line::from(own("─".repeat(width), muted)), None, area, 0, buffer);
        let Some(lane) = self.lanes.get(selected) else { return };
        let mut facts = vec![figures::counted(lane.steps, "step")];
        facts.extend((lane.failed > 0).then(|| format!("{} failed", lane.failed)));
        let ends = lane.bars.first().zip(lane.bars.last());
        facts.extend(ends.zip(self.span).and_then(|(((from, _), (_, to)), (start, _))| {
            let since = |time: &Time| time.seconds_since(start).map(figures::lapse);
            Some(format!("+{} to +{}", since(from)?, since(to)?))
        }));
        let left =
            vec![own(format!(" {}", task(self.session, lane)), self.theme.of(Meaning::Text))];
        let right = vec![own(format!("{} ", facts.join(" · ")), muted)];
        put_row(sides(left, right, width), None, area, 1, buffer);
    }
}

/// `⑂ explorer`, further to the right the deeper it is, and what it was to do.
fn name(session: &Session, lane: &Lane) -> [String; 2] {
    let margin = "  ".repeat(lane.depth.min(DEEPEST).saturating_sub(1));
    match lane.agent.and_then(|agent| session.run.subagents.get(agent)) {
        Some(agent) => {
            [format!("{margin}⑂ {}", safe(&agent.name)), format!("  {}", task(session, lane))]
        }
        None => ["main agent".into(), String::new()],
    }
}

/// What the agent was to do, in the words of the step that started it, else of its own request.
fn task(session: &Session, lane: &Lane) -> String {
    let run = &session.run;
    let started = lane.started_by.and_then(|step| run.step(step)).map(|step| &step.label);
    let asked = lane.agent.and_then(|agent| run.subagents.get(agent)).map(|agent| &agent.title);
    let said = [started, asked].into_iter().flatten().find(|words| !words.is_empty());
    said.map_or_else(|| "the main agent".into(), |words| safe(words))
}

/// Seconds between two ticks of an axis: the least round number that leaves each tick room.
fn distance(seconds: f64, cells: usize) -> f64 {
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
    let most = (cells / TICK).max(1) as f64;
    ROUND.into_iter().find(|every| seconds / every <= most).unwrap_or(seconds)
}

/// Cells from tick to tick at least.
const TICK: usize = 12;
