//! The timelines of the compared runs, one below the other, with corresponding checkpoints or phases in the same columns.
//! Of many runs those from the first shown column on are drawn, as far as there is room.

use std::{ops::Range, sync::Arc};

use ratatui::layout::Rect;

use crate::{
    session::{
        code_measures::RulerName,
        context::KeyContext,
        curve_values::PointValue,
        timeline::{
            LaneChoice, NumberLane, TimelineFacts, TimelineMode, lost_tests, timeline_checkpoints,
            turn_events,
        },
        timeline_components::ComponentLane,
        turn_counts::TurnEditCounts,
    },
    views::timeline::TimelineView,
    widgets::{
        scroll::Motion,
        timeline::{TurnColumns, column_area},
    },
};
use trajview_metrics::{Number, lifeline::Lifeline, phase::TaskPhase};
use trajview_run::{Run, rubric::Judgement};
use trajview_study::compare::{ComparedRun, run_letter, turns_done_at_judgement};

use super::{ComparisonView, questions::shown_moments};

/// The facts of each run with what they are made of, worked out again only for the run of which that has changed.
#[derive(Debug, Default)]
pub struct CompareTimelines {
    facts: Vec<TimelineFacts>,
    inputs: Vec<TimelineInputs>,
    /// Runs that do not fit above the last timelines.
    pub(super) hidden_runs: usize,
}

/// What the facts of a run are made of. Equal inputs give equal facts.
#[derive(Debug, Clone)]
struct TimelineInputs {
    /// None while they are computed.
    lifelines: Option<Arc<Vec<Lifeline>>>,
    rest: OtherInputs,
}

#[derive(Debug, Clone, PartialEq)]
struct OtherInputs {
    numbers: Vec<Number>,
    measured_moments: usize,
    judgement_file: Option<String>,
    judgements: usize,
    ruler: Option<RulerName>,
    is_coming: bool,
    is_by_turn: bool,
    /// True if no lifelines come any more.
    have_lifelines_failed: bool,
}

impl PartialEq for TimelineInputs {
    fn eq(&self, other: &Self) -> bool {
        // Both sides hold what they point to, so equal addresses are the same value.
        let address = |it: &Self| it.lifelines.as_ref().map(Arc::as_ptr);
        address(self) == address(other) && self.rest == other.rest
    }
}

impl ComparisonView {
    /// Returns the rows of all timelines with so many numbers, their lines included; 0 until the runs are read.
    pub(crate) fn timeline_rows(&self, numbers: usize, mode: TimelineMode) -> usize {
        let all = self.all_parties();
        all.iter().map(|party| rows_of_timeline(party, numbers, mode)).sum()
    }

    /// Returns the mode in which the timelines are drawn in so many rows: slim where they do not all fit in full.
    pub(crate) fn fitting_mode(
        &self,
        numbers: usize,
        mode: TimelineMode,
        rows: u16,
    ) -> TimelineMode {
        match mode == TimelineMode::Full && self.timeline_rows(numbers, mode) > usize::from(rows) {
            true => TimelineMode::Slim,
            false => mode,
        }
    }

    /// Works out the timelines where something about them is new.
    pub(crate) fn settle_timelines(&mut self, numbers: &[Number], mode: TimelineMode, area: Rect) {
        let before = std::mem::take(&mut self.timelines);
        let mut before = before.inputs.into_iter().zip(before.facts);
        let of_run = |(run, party): (usize, &ComparedRun)| {
            let inputs = self.timeline_inputs(run, party, numbers);
            before.next().filter(|(known, _)| *known == inputs).unwrap_or_else(|| {
                let facts = self.party_facts(party, &inputs.rest);
                (inputs, facts)
            })
        };
        let (inputs, facts) = self.all_parties().iter().enumerate().map(of_run).unzip();
        self.timelines = CompareTimelines { facts, inputs, hidden_runs: 0 };
        let mode = self.fitting_mode(numbers.len(), mode, area.height);
        self.timelines.hidden_runs = self.last_first_timeline(mode, area);
    }

    fn timeline_inputs(
        &self,
        run: usize,
        party: &ComparedRun,
        numbers: &[Number],
    ) -> TimelineInputs {
        let rest = OtherInputs {
            numbers: numbers.to_vec(),
            measured_moments: party.measured.len(),
            judgement_file: party.judgement().map(|it| it.file.clone()),
            judgements: party.rubric.judgements.len(),
            ruler: self.measures.ruler.clone(),
            is_coming: self.measures.failed.is_none() && !self.measures.is_stopped,
            is_by_turn: self.chart.axis == super::chart::CompareAxis::Turns,
            have_lifelines_failed: self.losses.failed.contains_key(&run),
        };
        TimelineInputs { lifelines: party.lifelines.clone(), rest }
    }

    fn party_facts(&self, party: &ComparedRun, inputs: &OtherInputs) -> TimelineFacts {
        let run = &*party.run;
        let wanted = shown_moments(party, self.chart.axis);
        let number = |number: &Number| {
            let value = |turn: usize| match party.value_at(*number, turn + 1) {
                Some(value) => PointValue::Value(value),
                None if number.is_measured()
                    && inputs.is_coming
                    && !party.measured.contains_key(&(turn + 1))
                    && wanted.binary_search(&(turn + 1)).is_ok() =>
                {
                    PointValue::NotYet
                }
                None => PointValue::NotRecorded,
            };
            let values: Vec<PointValue> = (0..run.turns.len()).map(value).collect();
            let has_any = values.iter().any(|value| *value != PointValue::NotRecorded);
            let missing = if number.is_of_judgement() { "not judged" } else { "not measured" };
            let missing = (!has_any).then(|| missing.to_owned());
            NumberLane { number: *number, values, missing }
        };
        let lifelines = match &party.lifelines {
            Some(lifelines) => Some(lifelines.as_slice()),
            None => inputs.have_lifelines_failed.then_some(&[][..]),
        };
        let components = ComponentLane::new(run, &party.rubric, &judgements_of(party), lifelines);
        let counts = |turn: usize| TurnEditCounts::for_steps(run, &run.steps_of_turn(turn));
        let judged = party.rubric.judgements.iter().filter(|it| it.pooled.is_none());
        let lost_tests = lost_tests(run);
        TimelineFacts {
            points: run.turns.len(),
            steps: vec![],
            checkpoints: timeline_checkpoints(run),
            checkpoint_count: run.checkpoints.len(),
            numbers: inputs.numbers.iter().map(number).collect(),
            events: turn_events(
                run,
                (0..run.turns.len()).map(counts),
                &party.signal_turns,
                judged.map(|it| Some(turns_done_at_judgement(run, it))),
                components.as_ref(),
                &lost_tests,
            ),
            components,
            lost_tests,
        }
    }

    /// Returns the timelines with their areas, from top to bottom.
    pub(crate) fn timeline_views(
        &self,
        mode: TimelineMode,
        area: Rect,
    ) -> Vec<(TimelineView<'_>, Rect)> {
        let (all, facts) = (self.all_parties(), &self.timelines.facts);
        if facts.len() != all.len() {
            return vec![];
        }
        let runs: Vec<(&TimelineFacts, &Run)> =
            facts.iter().zip(all.iter().map(|party| &*party.run)).collect();
        let numbers = facts.first().map_or(0, |facts| facts.numbers.len());
        let mode = self.fitting_mode(numbers, mode, area.height);
        let width = usize::from(column_area(area).width);
        let (columns, alignment) = aligned_columns(&runs, width);
        let places = self.chart_places();
        let place = places.get(self.chart.point);
        let mut y = area.y;
        let mut views = vec![];
        let first = self.first_shown_run().min(self.last_first_timeline(mode, area));
        for (run, columns) in columns.into_iter().enumerate().skip(first) {
            let party = &all[run];
            let lanes = lane_choice(party, facts[run].numbers.len()).lanes(mode);
            let height = (lanes.len() as u16 + 1).min(area.bottom().saturating_sub(y));
            if height == 0 {
                break;
            }
            let side = self.pair.iter().position(|it| *it == run);
            let moment = place.zip(side).and_then(|(place, side)| place.moments[side].as_ref());
            let done = moment.map(|it| it.done);
            let condition = party.run.condition.as_ref().unwrap_or(&party.run.id);
            let alignment = if views.is_empty() { format!(", {alignment}") } else { String::new() };
            let name = format!("{} {condition}{alignment}", run_letter(run));
            let view = TimelineView {
                facts: &facts[run],
                columns,
                lanes,
                mode,
                turn: done.and_then(|done| done.checked_sub(1)),
                step: None,
                name,
                turn_word: "turn",
                run,
                others: facts,
                window: None,
            };
            views.push((view, Rect { y, height, ..area }));
            y += height;
        }
        views
    }

    /// Returns the first run from which on all timelines fit.
    fn last_first_timeline(&self, mode: TimelineMode, area: Rect) -> usize {
        let rows = |(party, facts): (&ComparedRun, &TimelineFacts)| {
            rows_of_timeline(party, facts.numbers.len(), mode)
        };
        let all = self.all_parties().iter().zip(&self.timelines.facts).map(rows);
        let all: Vec<usize> = all.collect();
        let fits = |first: &usize| all[*first..].iter().sum::<usize>() <= usize::from(area.height);
        (0..all.len()).find(fits).unwrap_or_default()
    }

    /// Selects the point nearest to a turn of one of the two compared runs; the turn counts from 0.
    pub(crate) fn go_to_turn(&mut self, run: usize, turn: usize) {
        let Some(side) = self.pair.iter().position(|it| *it == run) else {
            self.notice = Some(format!(
                "{} is not one of the two compared runs ({}: next two)",
                run_letter(run),
                self.keys.key_text(KeyContext::Compare, "next-pair")
            ));
            return;
        };
        let places = self.chart_places();
        let away = |at: &usize| {
            let moment = places[*at].moments.get(side).and_then(Option::as_ref);
            moment.map_or(usize::MAX, |moment| moment.done.abs_diff(turn + 1))
        };
        if let Some(point) = (0..places.len()).min_by_key(away) {
            self.chart.go_to_point(point);
        }
    }

    /// Moves by so many points, back where the number is less than 0.
    pub(crate) fn go_by_turns(&mut self, by: isize) {
        let count = by.unsigned_abs();
        self.go_by_point(if by < 0 { Motion::Up(count) } else { Motion::Down(count) });
    }
}

fn rows_of_timeline(party: &ComparedRun, numbers: usize, mode: TimelineMode) -> usize {
    lane_choice(party, numbers).lanes(mode).len() + 1
}

fn lane_choice(party: &ComparedRun, numbers: usize) -> LaneChoice {
    let has_list = party.rubric.checklist.as_ref().is_some_and(|it| !it.components.is_empty());
    LaneChoice {
        has_checkpoints: !party.run.checkpoints.is_empty(),
        numbers,
        has_components: has_list || party.judgement().is_some(),
        has_signals: false,
        is_compared: true,
    }
}

/// Returns the judgements of the judge that speaks, by judged state; the one that speaks is the last of its state.
fn judgements_of(party: &ComparedRun) -> Vec<&Judgement> {
    let Some(speaks) = party.judgement() else { return vec![] };
    let all = party.rubric.judgements.iter();
    let mut judgements: Vec<&Judgement> =
        all.filter(|it| it.judge.name == speaks.judge.name).collect();
    judgements
        .sort_by_key(|it| (turns_done_at_judgement(&party.run, it), std::ptr::eq(*it, speaks)));
    judgements
}

/// Returns the columns of each run, with corresponding parts in the same columns, and the name of those parts.
fn aligned_columns(
    runs: &[(&TimelineFacts, &Run)],
    width: usize,
) -> (Vec<TurnColumns>, &'static str) {
    let parts: Vec<usize> = runs.iter().map(|(facts, _)| facts.checkpoints.len()).collect();
    if parts.contains(&0) {
        let even =
            |(facts, _): &(&TimelineFacts, &Run)| TurnColumns::evenly(0..facts.points, width);
        return (runs.iter().map(even).collect(), "aligned by share of turns");
    }
    let is_same = parts.windows(2).all(|pair| pair[0] == pair[1]);
    let keyed: Vec<_> = runs.iter().map(|(facts, run)| keyed_parts(facts, run, is_same)).collect();
    let mut keys: Vec<usize> = keyed.iter().flatten().map(|(key, _)| *key).collect();
    keys.sort_unstable();
    keys.dedup();
    let columns = |part: &(usize, Range<usize>)| {
        let at = keys.binary_search(&part.0).unwrap_or_default();
        (part.1.clone(), at * width / keys.len()..(at + 1) * width / keys.len())
    };
    let of_run =
        |parts: &Vec<(usize, Range<usize>)>| TurnColumns::in_segments(parts.iter().map(columns));
    let alignment = if is_same { "aligned by checkpoint" } else { "aligned by phase" };
    (keyed.iter().map(of_run).collect(), alignment)
}

/// Returns the turns of each checkpoint with its number, or of each phase with its number; turns after the last checkpoint
/// belong to the last part.
fn keyed_parts(
    facts: &TimelineFacts,
    run: &Run,
    by_checkpoint: bool,
) -> Vec<(usize, Range<usize>)> {
    let mut parts: Vec<(usize, Range<usize>)> = vec![];
    for (at, checkpoint) in facts.checkpoints.iter().enumerate() {
        let phase = TaskPhase::for_checkpoint(checkpoint.index, run.checkpoints.len());
        let key = if by_checkpoint { at } else { phase.map_or(0, |phase| phase as usize) };
        match parts.last_mut() {
            Some((last, turns)) if *last == key => turns.end = checkpoint.turns.end,
            _ => parts.push((key, checkpoint.turns.clone())),
        }
    }
    if let Some((_, turns)) = parts.last_mut() {
        turns.end = facts.points;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{Checkpoint, Turn};

    fn run_with(ends: &[usize]) -> Run {
        let checkpoint =
            |last_turn: &usize| Checkpoint { last_turn: *last_turn, ..Checkpoint::default() };
        Run {
            turns: vec![Turn::default(); ends.last().map_or(8, |last| last + 1)],
            checkpoints: ends.iter().map(checkpoint).collect(),
            ..Run::default()
        }
    }

    fn aligned(a: &[usize], b: &[usize]) -> ([TurnColumns; 2], &'static str) {
        let runs = [run_with(a), run_with(b)];
        let facts = runs.each_ref().map(|run| TimelineFacts {
            points: run.turns.len(),
            checkpoints: timeline_checkpoints(run),
            ..TimelineFacts::default()
        });
        let (columns, alignment) =
            aligned_columns(&[(&facts[0], &runs[0]), (&facts[1], &runs[1])], 50);
        (columns.try_into().unwrap(), alignment)
    }

    #[test]
    fn corresponding_checkpoints_stand_in_the_same_columns() {
        let ([a, b], alignment) = aligned(&[3, 4], &[0, 9]);

        assert_eq!(alignment, "aligned by checkpoint");
        assert_eq!((a.columns_of_turns(&(0..4)), b.columns_of_turns(&(0..1))), (0..25, 0..25));
        assert_eq!((a.columns_of_turns(&(4..5)), b.columns_of_turns(&(1..10))), (25..50, 25..50));
    }

    #[test]
    fn a_run_of_one_checkpoint_stands_in_the_final_phase() {
        let ([a, b], alignment) = aligned(&[1, 3, 5, 7, 9], &[0]);

        assert_eq!(alignment, "aligned by phase");
        assert_eq!(a.columns_of_turns(&(8..10)), 40..50);
        assert_eq!(b.columns_of(0), 40..50);
    }

    #[test]
    fn without_checkpoints_the_shares_of_turns_correspond() {
        let ([a, b], alignment) = aligned(&[], &[4]);

        assert_eq!(alignment, "aligned by share of turns");
        assert_eq!((a.columns_of_turns(&(0..8)), b.columns_of_turns(&(0..5))), (0..50, 0..50));
    }
}
