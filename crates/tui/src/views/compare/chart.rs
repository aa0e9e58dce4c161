//! The overlaid curves: one number of both runs, over phases, checkpoints or turns.

use ratatui::layout::Rect;

use crate::widgets::scroll::Motion;
use trajview_metrics::{
    Number,
    numbers::{self, COMPARED},
};
use trajview_study::compare::{Moment, Party, by_checkpoint, by_phase, turns_of};

use super::Comparison;

#[derive(Debug)]
pub struct Chart {
    pub axis: Axis,
    pub number: Number,
    /// The point that is looked at.
    pub point: usize,
    /// Nobody has moved yet: the last point is looked at.
    has_moved: bool,
}

/// What both runs are drawn over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Axis {
    #[default]
    Phases,
    Checkpoints,
    Turns,
}

impl Default for Chart {
    fn default() -> Self {
        Self { axis: Axis::default(), number: Number::Erosion, point: 0, has_moved: false }
    }
}

/// Where both runs have a value, or one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// 0–1, from left to right.
    pub at: f64,
    pub name: String,
    /// One a side.
    pub moments: [Option<Moment>; 2],
}

/// Cells to the left of the plot: the numbers of the axis and the axis itself.
pub const LEFT: u16 = 9;

/// Rows below the plot: the axis, its names, the values at the point.
pub const BELOW: u16 = 3;

/// The cells that curves are drawn in, inside a panel.
pub fn plot(area: Rect) -> Rect {
    Rect {
        x: area.x + (1 + LEFT).min(area.width),
        y: area.y + 1,
        width: area.width.saturating_sub(2 + LEFT + 1),
        height: area.height.saturating_sub(2 + BELOW),
    }
}

impl Axis {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Phases => "phase",
            Self::Checkpoints => "checkpoint",
            Self::Turns => "turn",
        }
    }
}

impl Chart {
    pub(crate) const fn next_axis(&mut self) {
        self.axis = match self.axis {
            Axis::Phases => Axis::Checkpoints,
            Axis::Checkpoints => Axis::Turns,
            Axis::Turns => Axis::Phases,
        };
        self.has_moved = false;
    }

    pub(crate) const fn go_to(&mut self, point: usize) {
        self.point = point;
        self.has_moved = true;
    }
}

impl Comparison {
    /// The numbers that are listed and drawn, in order.
    pub fn numbers(&self) -> Vec<Number> {
        let has = |number: Number| self.all().iter().any(|party| party.value(number).is_some());
        let mut shown = numbers::shown(&COMPARED, has);
        if self.is_plain() {
            // Nobody judged, and nobody tested: that is said once.
            shown.retain(|number| number.is_measured() || has(*number));
        }
        shown
    }

    /// The row of the chosen number among [`Self::numbers`].
    pub fn number_row(&self, numbers: &[Number]) -> usize {
        numbers.iter().position(|number| *number == self.chart.number).unwrap_or_default()
    }

    pub(crate) fn choose_number(&mut self, motion: Motion) {
        let numbers = self.numbers();
        let row = motion.from(self.number_row(&numbers), numbers.len(), 4);
        self.chart.number = numbers.get(row).copied().unwrap_or(self.chart.number);
    }

    /// From left to right.
    pub fn places(&self) -> Vec<Place> {
        let Some([a, b]) = self.sides() else { return vec![] };
        match self.chart.axis {
            Axis::Phases => spread(
                by_phase(&a.run, &b.run)
                    .into_iter()
                    .map(|pair| (pair.phase.word().to_owned(), [pair.a, pair.b])),
            ),
            Axis::Checkpoints => spread(by_checkpoint(&a.run, &b.run).into_iter().map(|pair| {
                let moments = [pair.a, pair.b];
                (name_of([a, b], &moments), moments)
            })),
            Axis::Turns => over_turns([a, b]),
        }
    }

    /// The chosen number at every place, on one side.
    pub fn values(&self, places: &[Place], side: usize) -> Vec<Option<f64>> {
        let Some(sides) = self.sides() else { return vec![] };
        let number = self.chart.number;
        let value =
            |place: &Place| sides[side].value_at(number, place.moments[side].as_ref()?.done);
        places.iter().map(value).collect()
    }

    /// How many signals of one side open between each place and the one before.
    pub fn signals(&self, places: &[Place], side: usize) -> Vec<usize> {
        let mut counts = vec![0; places.len()];
        let Some(sides) = self.sides() else { return counts };
        let done = |place: &Place| place.moments[side].as_ref().map(|moment| moment.done);
        for turn in &sides[side].signal_turns {
            let place = places.iter().position(|place| done(place).is_some_and(|it| it > *turn));
            if let Some(place) = place {
                counts[place] += 1;
            }
        }
        counts
    }

    pub(crate) fn go_by_point(&mut self, motion: Motion) {
        let count = self.places().len();
        self.chart.go_to(motion.from(self.chart.point, count, 10));
    }

    pub(crate) fn settle_chart(&mut self) {
        let last = self.places().len().saturating_sub(1);
        let point = if self.chart.has_moved { self.chart.point.min(last) } else { last };
        self.chart.point = point;
    }
}

/// Places from edge to edge.
fn spread(places: impl Iterator<Item = (String, [Option<Moment>; 2])>) -> Vec<Place> {
    let places: Vec<_> = places.collect();
    let last = places.len().saturating_sub(1);
    let at = |index: usize| if last == 0 { 1.0 } else { index as f64 / last as f64 };
    let place = |(index, (name, moments))| Place { at: at(index), name, moments };
    places.into_iter().enumerate().map(place).collect()
}

/// `c4`, and of two checkpoints with different names both.
fn name_of(parties: [&Party; 2], moments: &[Option<Moment>; 2]) -> String {
    let id = |side: usize| {
        let index = moments[side].as_ref()?.checkpoint?;
        Some(parties[side].run.checkpoints.get(index)?.id.clone())
    };
    match (id(0), id(1)) {
        (Some(a), Some(b)) if a == b => a,
        (Some(a), Some(b)) => format!("{a}|{b}"),
        (Some(id), None) | (None, Some(id)) => id,
        (None, None) => "end".into(),
    }
}

/// Each run over its own turns: both begin at the left edge and end at the right one.
fn over_turns(parties: [&Party; 2]) -> Vec<Place> {
    let mut places: Vec<Place> = vec![];
    for (side, party) in parties.into_iter().enumerate() {
        for moment in turns_of(&party.run) {
            let mut moments = [None, None];
            let (at, name) = (moment.fraction, format!("turn {}", moment.done));
            moments[side] = Some(moment);
            places.push(Place { at, name, moments });
        }
    }
    places.sort_by(|one, other| one.at.total_cmp(&other.at)); // stable: a before b
    merged(places)
}

/// Moments of both runs that stand at one place are one.
fn merged(places: Vec<Place>) -> Vec<Place> {
    let mut merged: Vec<Place> = vec![];
    for place in places {
        match merged.last_mut() {
            Some(last)
                if last.at == place.at
                    && last.moments[1].is_none()
                    && place.moments[0].is_none() =>
            {
                if last.name != place.name {
                    last.name = format!("{} | {}", last.name, place.name);
                }
                let [_, b] = place.moments;
                last.moments[1] = b;
            }
            _ => merged.push(place),
        }
    }
    merged
}
