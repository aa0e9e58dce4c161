//! The overlaid curves: one number of both runs, over phases, checkpoints or turns.

use ratatui::layout::Rect;

use crate::widgets::scroll::{Motion, centred_top};
use trajview_metrics::{
    Number,
    numbers::{self, COMPARED},
};
use trajview_study::compare::{
    ComparedMoment, ComparedRun, pair_by_checkpoint, pair_by_phase, result_rows, turn_moments,
};

use super::ComparisonView;

#[derive(Debug)]
pub struct CompareChart {
    pub axis: CompareAxis,
    pub number: Number,
    /// The selected point.
    pub point: usize,
    /// False until the user moves: the last point is selected.
    has_moved: bool,
}

/// The horizontal axis of the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompareAxis {
    #[default]
    Phases,
    Checkpoints,
    Turns,
}

impl Default for CompareChart {
    fn default() -> Self {
        Self { axis: CompareAxis::default(), number: Number::Erosion, point: 0, has_moved: false }
    }
}

/// A position where one run or both have a value.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartPlace {
    /// 0–1, from left to right.
    pub at: f64,
    pub name: String,
    /// One a side.
    pub moments: [Option<ComparedMoment>; 2],
}

/// Cells to the left of the plot: the numbers of the axis and the axis itself.
pub(crate) const AXIS_CELLS: u16 = 9;

/// Rows below the plot: the axis, its names, the values at the point.
pub(crate) const ROWS_BELOW_PLOT: u16 = 3;

/// Returns the area in which curves are drawn, inside a panel, without the axes.
pub(crate) fn plot_area(area: Rect) -> Rect {
    Rect {
        x: area.x + (1 + AXIS_CELLS).min(area.width),
        y: area.y + 1,
        width: area.width.saturating_sub(2 + AXIS_CELLS + 1),
        height: area.height.saturating_sub(2 + ROWS_BELOW_PLOT),
    }
}

impl CompareAxis {
    pub(crate) const fn axis_name(self) -> &'static str {
        match self {
            Self::Phases => "phase",
            Self::Checkpoints => "checkpoint",
            Self::Turns => "turn",
        }
    }
}

impl CompareChart {
    pub(crate) const fn next_axis(&mut self) {
        self.axis = match self.axis {
            CompareAxis::Phases => CompareAxis::Checkpoints,
            CompareAxis::Checkpoints => CompareAxis::Turns,
            CompareAxis::Turns => CompareAxis::Phases,
        };
        self.has_moved = false;
    }

    pub(crate) const fn go_to_point(&mut self, point: usize) {
        self.point = point;
        self.has_moved = true;
    }
}

impl ComparisonView {
    /// Returns the numbers that are listed and drawn, in order.
    pub(crate) fn compared_numbers(&self) -> Vec<Number> {
        let has = |number: Number| {
            self.all_parties().iter().any(|party| party.final_value(number).is_some())
        };
        let mut shown = numbers::visible_numbers(COMPARED, has);
        if self.has_no_components() {
            // Without judgements and tests, numbers that need them are left out.
            shown.retain(|number| number.is_measured() || has(*number));
        }
        shown
    }

    /// Returns the row of the chosen number among [`Self::compared_numbers`].
    pub fn number_row(&self, numbers: &[Number]) -> usize {
        numbers.iter().position(|number| *number == self.chart.number).unwrap_or_default()
    }

    /// Returns the first drawn row of the table of numbers in a panel of this height, and the number of its rows that are
    /// results of the harness, which stand above the numbers of more than two runs.
    pub(crate) fn numbers_top(&self, height: usize) -> (usize, usize) {
        let numbers = self.compared_numbers();
        let is_many = self.paths.len() > 2;
        let results = if is_many { result_rows(self.all_parties()).len() } else { 0 };
        let chosen = results + self.number_row(&numbers);
        (centred_top(chosen, results + numbers.len(), height), results)
    }

    pub(crate) fn choose_number(&mut self, motion: Motion) {
        let numbers = self.compared_numbers();
        let row = motion.target_row(self.number_row(&numbers), numbers.len(), 4);
        self.chart.number = numbers.get(row).copied().unwrap_or(self.chart.number);
    }

    /// Returns the positions from left to right.
    pub(crate) fn chart_places(&self) -> Vec<ChartPlace> {
        let Some([a, b]) = self.compared_parties() else { return vec![] };
        match self.chart.axis {
            CompareAxis::Phases => spread_places(
                pair_by_phase(&a.run, &b.run)
                    .into_iter()
                    .map(|pair| (pair.phase.word().to_owned(), [pair.a, pair.b])),
            ),
            CompareAxis::Checkpoints => {
                spread_places(pair_by_checkpoint(&a.run, &b.run).into_iter().map(|pair| {
                    let moments = [pair.a, pair.b];
                    (checkpoint_name([a, b], &moments), moments)
                }))
            }
            CompareAxis::Turns => turn_places([a, b]),
        }
    }

    /// Returns the chosen number at every place, on one side. A state that several places stand for is measured once and has
    /// its value at the last of them: a level line would claim measurements that nobody made.
    pub(crate) fn values_of_side(&self, places: &[ChartPlace], side: usize) -> Vec<Option<f64>> {
        let Some(sides) = self.compared_parties() else { return vec![] };
        let number = self.chart.number;
        let done = |place: &ChartPlace| place.moments[side].as_ref().map(|moment| moment.done);
        let value = |(at, place): (usize, &ChartPlace)| {
            let done_here = done(place)?;
            let is_repeated = places[at + 1..].iter().filter_map(done).next() == Some(done_here);
            if is_repeated { None } else { sides[side].value_at(number, done_here) }
        };
        places.iter().enumerate().map(value).collect()
    }

    /// Returns the number of signals of one side between each position and the one before.
    pub(crate) fn signals_of_side(&self, places: &[ChartPlace], side: usize) -> Vec<usize> {
        let mut counts = vec![0; places.len()];
        let Some(sides) = self.compared_parties() else { return counts };
        let done = |place: &ChartPlace| place.moments[side].as_ref().map(|moment| moment.done);
        for turn in &sides[side].signal_turns {
            let place = places.iter().position(|place| done(place).is_some_and(|it| it > *turn));
            if let Some(place) = place {
                counts[place] += 1;
            }
        }
        counts
    }

    pub(crate) fn go_by_point(&mut self, motion: Motion) {
        let count = self.chart_places().len();
        self.chart.go_to_point(motion.target_row(self.chart.point, count, 10));
    }

    pub(crate) fn settle_chart(&mut self) {
        let last = self.chart_places().len().saturating_sub(1);
        let point = if self.chart.has_moved { self.chart.point.min(last) } else { last };
        self.chart.point = point;
    }
}

/// Spreads places evenly from edge to edge.
fn spread_places(
    places: impl Iterator<Item = (String, [Option<ComparedMoment>; 2])>,
) -> Vec<ChartPlace> {
    let places: Vec<_> = places.collect();
    let last = places.len().saturating_sub(1);
    let at = |index: usize| if last == 0 { 1.0 } else { index as f64 / last as f64 };
    let place = |(index, (name, moments))| ChartPlace { at: at(index), name, moments };
    places.into_iter().enumerate().map(place).collect()
}

/// Returns `c4`; for two checkpoints with different names both.
fn checkpoint_name(parties: [&ComparedRun; 2], moments: &[Option<ComparedMoment>; 2]) -> String {
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

/// Places each run over its own turns: both begin at the left edge and end at the right one.
fn turn_places(parties: [&ComparedRun; 2]) -> Vec<ChartPlace> {
    let mut places: Vec<ChartPlace> = vec![];
    for (side, party) in parties.into_iter().enumerate() {
        for moment in turn_moments(&party.run) {
            let mut moments = [None, None];
            let (at, name) = (moment.fraction, format!("turn {}", moment.done));
            moments[side] = Some(moment);
            places.push(ChartPlace { at, name, moments });
        }
    }
    places.sort_by(|one, other| one.at.total_cmp(&other.at)); // stable: a before b
    merge_places(places)
}

/// Merges positions that are the same in both runs.
fn merge_places(places: Vec<ChartPlace>) -> Vec<ChartPlace> {
    let mut merged: Vec<ChartPlace> = vec![];
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use trajview_run::{
        Checkpoint, Run, Turn,
        rubric::{Judgement, Rubric, Verdict},
    };

    fn party(turns: usize, ends: &[usize], judged: &[usize]) -> ComparedRun {
        let checkpoint =
            |last_turn: &usize| Checkpoint { last_turn: *last_turn, ..Checkpoint::default() };
        let run = Run {
            turns: vec![Turn::default(); turns],
            checkpoints: ends.iter().map(checkpoint).collect(),
            ..Run::default()
        };
        let verdict = Verdict { component: "C1".into(), score: Some(3), ..Verdict::default() };
        let judgement = |turn: &usize| Judgement {
            turn: Some(*turn),
            verdicts: vec![verdict.clone()],
            ..Judgement::default()
        };
        let judgements = judged.iter().map(judgement).collect();
        let rubric = Rubric { judgements, ..Rubric::default() };
        ComparedRun { judgement: Some(0), ..ComparedRun::new(Arc::new(run), rubric) }
    }

    /// Five checkpoints of one request end in one state, which was drawn as a level line over all phases.
    #[test]
    fn a_state_that_stands_for_several_phases_is_one_point() {
        let mut view = ComparisonView::new(vec!["a".into(), "b".into()]);
        let emergent = party(5, &[0, 1, 2, 3, 4], &[1, 2, 3, 4, 5]);
        let single_shot = party(1, &[0, 0, 0, 0, 0], &[1]);
        view.set_parties(vec![emergent, single_shot]);
        view.chart.number = Number::Mcf;

        for axis in [CompareAxis::Phases, CompareAxis::Checkpoints] {
            view.chart.axis = axis;
            let places = view.chart_places();
            let values = [0, 1].map(|side| view.values_of_side(&places, side));

            assert_eq!(values[0], [Some(3.0); 5]);
            assert_eq!(values[1], [None, None, None, None, Some(3.0)]);
        }
    }
}
