//! The timeline of the open run: its facts, worked out again only when something they are made of has changed, and the part of
//! the turns that it shows.

use std::{ops::Range, sync::Arc};

use trajview_metrics::{
    Number,
    lifeline::{ComponentLoss, Lifeline, component_loss, judged_after},
    numbers::NumberInput,
};
use trajview_run::{
    RepoPath, Run, StepId,
    rubric::{Judge, Judgement, Rubric},
};

use super::{
    Session,
    code_measures::RulerName,
    curve_points::{self, CurveAxis},
    curve_values::{self, PointValue},
    timeline::{
        LaneChoice, NumberLane, TimelineFacts, TurnEvents, lost_tests, step_events,
        timeline_checkpoints, turn_events,
    },
    timeline_components::ComponentLane,
    views::View,
};

/// The timeline of a run.
#[derive(Debug, Default)]
pub struct RunTimeline {
    facts: TimelineFacts,
    inputs: Option<TimelineInputs>,
    /// The turns that are shown of a long run; None for all.
    window: Option<Range<usize>>,
}

/// What the facts are made of. Equal inputs give equal facts.
#[derive(Debug, Clone)]
struct TimelineInputs {
    run: Arc<Run>,
    rubric: Option<Arc<Rubric>>,
    lifelines: Option<Arc<Vec<Lifeline>>>,
    rest: OtherInputs,
}

#[derive(Debug, Clone, PartialEq)]
struct OtherInputs {
    numbers: Vec<Number>,
    measured: usize,
    ruler: Option<RulerName>,
    missing: Option<String>,
    are_lifelines_ready: bool,
    judge: Option<Judge>,
    /// The file of the judgement that is shown.
    judgement: Option<String>,
    signals: Vec<StepId>,
    has_lines: bool,
    has_memory: bool,
}

impl PartialEq for TimelineInputs {
    fn eq(&self, other: &Self) -> bool {
        // Both sides hold what they point to, so equal addresses are the same value.
        Arc::ptr_eq(&self.run, &other.run)
            && self.rubric.as_ref().map(Arc::as_ptr) == other.rubric.as_ref().map(Arc::as_ptr)
            && self.lifelines.as_ref().map(Arc::as_ptr) == other.lifelines.as_ref().map(Arc::as_ptr)
            && self.rest == other.rest
    }
}

/// The turns that a zoomed timeline shows at least.
const MIN_SHOWN_TURNS: usize = 20;

impl RunTimeline {
    pub(crate) const fn facts(&self) -> &TimelineFacts {
        &self.facts
    }

    /// Returns the turns that are shown.
    pub(crate) fn shown_turns(&self) -> Range<usize> {
        self.window.clone().unwrap_or(0..self.facts.points)
    }

    pub(crate) const fn is_zoomed(&self) -> bool {
        self.window.is_some()
    }

    /// Shows half as many turns around one of them, or twice as many; the turn stays where it is.
    pub(crate) fn zoom(&mut self, turn: usize, closer: bool) {
        let (shown, all) = (self.shown_turns(), self.facts.points);
        let count = if closer { (shown.len() / 2).max(MIN_SHOWN_TURNS) } else { shown.len() * 2 };
        if count >= all {
            self.window = None;
            return;
        }
        let before = (turn - shown.start.min(turn)) * count / shown.len().max(1);
        self.show_turns(turn.saturating_sub(before), count);
    }

    fn show_turns(&mut self, first: usize, count: usize) {
        let first = first.min(self.facts.points.saturating_sub(count));
        self.window = Some(first..first + count);
    }

    /// Moves the shown part so that it has the turn.
    fn follow_turn(&mut self, turn: usize) {
        let Some(shown) = self.window.clone() else { return };
        if shown.end > self.facts.points {
            self.window = None;
        } else if !shown.contains(&turn) {
            self.show_turns(turn.saturating_sub(shown.len() / 2), shown.len());
        }
    }
}

impl Session {
    /// Returns the lanes that the run can have, with these numbers.
    pub(crate) fn timeline_choice(&self, numbers: &[Number]) -> LaneChoice {
        LaneChoice {
            has_checkpoints: !self.run.checkpoints.is_empty(),
            numbers: numbers.len(),
            has_components: self.rubric.has_content(),
            has_signals: self.view == View::Process,
            is_compared: false,
        }
    }

    /// Works out the timeline where something about it is new, and follows the playhead.
    pub(crate) fn settle_timeline(&mut self, numbers: &[Number]) {
        let inputs = self.timeline_inputs(numbers);
        if self.run_timeline.inputs.as_ref() != Some(&inputs) {
            self.run_timeline.facts = self.timeline_facts(&inputs);
            self.run_timeline.inputs = Some(inputs);
        }
        if let Some(point) = self.timeline_point() {
            self.run_timeline.follow_turn(point);
        }
        self.settle_hidden_scores();
    }

    /// Returns the place of the playhead among the points of the timeline; None where the points are steps and the turn as a
    /// whole is looked at.
    pub(crate) fn timeline_point(&self) -> Option<usize> {
        match self.run_timeline.facts.is_by_step() {
            true => self.follow.step.and_then(|(_, number)| number.checked_sub(1)),
            false => Some(self.turn),
        }
    }

    /// Goes to a point of the timeline.
    pub(crate) fn select_timeline_point(&mut self, point: usize) {
        if self.timeline_point() == Some(point) {
            return;
        }
        match self.run_timeline.facts.steps.get(point) {
            Some(step) => self.select_step(*step, point + 1),
            None => self.select_turn(point.min(self.run.turns.len().saturating_sub(1))),
        }
    }

    /// Notes which scores the timeline shows: a label that follows is not blind.
    pub(crate) fn note_timeline_scores(&mut self) {
        let Some(lane) = &self.run_timeline.facts.components else { return };
        let shown = lane.tracks.iter().filter_map(|track| {
            let (_, file) = track.score_after(self.turn + 1)?;
            Some((file.to_owned(), track.id.clone()))
        });
        let shown: Vec<_> = shown.collect();
        self.audit.see_verdicts(shown);
    }

    /// Hides the scores that wait for a label: of a rater who audits, or who has labelled something of this run.
    fn settle_hidden_scores(&mut self) {
        let Some(mut lane) = self.run_timeline.facts.components.take() else { return };
        let is_rater = self.is_labelling();
        for track in &mut lane.tracks {
            let waits = || is_rater && self.own_label_of(&track.id).is_none();
            track.is_hidden = self.is_hidden_by_the_audit(&track.id) || waits();
        }
        self.run_timeline.facts.components = Some(lane);
    }

    /// Returns whether the rater works on a study, or has labelled something of this run.
    fn is_labelling(&self) -> bool {
        let files = self.rubric.known_rubric().map_or(&[][..], |rubric| &rubric.labels);
        let has_labels = |annotator: &str| {
            files.iter().any(|file| file.annotator == annotator && !file.labels.is_empty())
        };
        self.study_queue().is_some() || self.labels.annotator().is_some_and(has_labels)
    }

    fn timeline_inputs(&self, numbers: &[Number]) -> TimelineInputs {
        let scores = &self.scores;
        let lifelines = self.rubric.lifelines.known_lifelines();
        let missing = match (&scores.failed, scores.is_stopped) {
            (Some(why), _) => Some(why.clone()),
            (None, true) => Some("measuring is stopped".into()),
            (None, false) => None,
        };
        let shown = self.rubric.shown_judgement();
        let judge = self.rubric.judge_of_curves().or(shown.map(|it| &it.judge));
        TimelineInputs {
            run: self.run.clone(),
            rubric: self.rubric.shared_rubric().cloned(),
            lifelines: lifelines.and_then(|answer| answer.as_ref().ok()).cloned(),
            rest: OtherInputs {
                numbers: numbers.to_vec(),
                measured: scores.measured_turn_count(),
                ruler: scores.ruler.clone(),
                missing,
                are_lifelines_ready: lifelines.is_some(),
                judge: judge.cloned(),
                judgement: shown.map(|it| it.file.clone()),
                signals: scores.process.signals().iter().map(|it| it.step).collect(),
                has_lines: self.counts.ready().is_some(),
                has_memory: scores.process.memory().is_some(),
            },
        }
    }

    fn timeline_facts(&self, inputs: &TimelineInputs) -> TimelineFacts {
        let judgements = self.judgements_of_timeline(inputs);
        let none: &[Lifeline] = &[];
        let lifelines = match &inputs.lifelines {
            Some(lifelines) => Some(lifelines.as_slice()),
            None => inputs.rest.are_lifelines_ready.then_some(none),
        };
        let components = self
            .rubric
            .known_rubric()
            .and_then(|rubric| ComponentLane::new(&self.run, rubric, &judgements, lifelines));
        let rubric = self.rubric.known_rubric();
        let all = rubric.map_or(&[][..], |rubric| &rubric.judgements);
        let judged = all.iter().filter(|it| it.pooled.is_none());
        let lost_tests = lost_tests(&self.run);
        let signal_turns: Vec<usize> = inputs.rest.signals.iter().map(|it| it.turn).collect();
        let events = turn_events(
            &self.run,
            self.turn_counts.iter().cloned(),
            &signal_turns,
            judged.map(|it| judged_after(&self.run, it)),
            components.as_ref(),
            &lost_tests,
        );
        let by_turn = TimelineFacts {
            points: self.run.turns.len(),
            steps: vec![],
            checkpoints: timeline_checkpoints(&self.run),
            numbers: self.number_lanes(inputs),
            checkpoint_count: self.run.checkpoints.len(),
            events,
            components,
            lost_tests,
        };
        self.facts_by_step(by_turn, &inputs.rest.signals)
    }

    /// Spreads the facts of a run with one turn over its steps; other facts stay. What was measured of the turn is at its last
    /// step.
    fn facts_by_step(&self, mut facts: TimelineFacts, signals: &[StepId]) -> TimelineFacts {
        let steps = match facts.points {
            1 => self.run.steps_of_turn(0),
            _ => vec![],
        };
        let Some(before_last) = steps.len().checked_sub(1).filter(|count| *count > 0) else {
            return facts;
        };
        let of_turn: TurnEvents = facts.events.first().copied().unwrap_or_default();
        facts.events = step_events(&self.run, &steps, signals, of_turn);
        for lane in &mut facts.numbers {
            lane.values.splice(0..0, std::iter::repeat_n(PointValue::NotRecorded, before_last));
        }
        for checkpoint in &mut facts.checkpoints {
            checkpoint.turns = 0..steps.len();
        }
        TimelineFacts { points: steps.len(), steps, ..facts }
    }

    /// Returns the judgements of the judge whose scores are shown, by judged state; of one state the one that is shown, or the
    /// newest, is the last.
    fn judgements_of_timeline(&self, inputs: &TimelineInputs) -> Vec<&Judgement> {
        let all = self.rubric.known_rubric().map_or(&[][..], |rubric| &rubric.judgements);
        let mut judgements: Vec<&Judgement> =
            all.iter().filter(|it| Some(&it.judge) == inputs.rest.judge.as_ref()).collect();
        judgements.sort_by_key(|it| {
            (judged_after(&self.run, it), Some(&it.file) == inputs.rest.judgement.as_ref())
        });
        judgements
    }

    fn number_lanes(&self, inputs: &TimelineInputs) -> Vec<NumberLane> {
        let points = curve_points::points_of_run(&self.run, CurveAxis::Turns);
        let lane = |number: &Number| {
            let point_values = curve_values::point_values(*number, self, &points);
            let mut values = vec![PointValue::NotRecorded; self.run.turns.len()];
            for (point, value) in points.iter().zip(point_values) {
                values[point.done - 1] = value;
            }
            let missing = self.why_no_values(*number, &values, &inputs.rest);
            NumberLane { number: *number, values, missing }
        };
        inputs.rest.numbers.iter().map(lane).collect()
    }

    fn why_no_values(
        &self,
        number: Number,
        values: &[PointValue],
        inputs: &OtherInputs,
    ) -> Option<String> {
        if let NumberInput::Reuse(_)
        | NumberInput::RubricTree(_)
        | NumberInput::Raters
        | NumberInput::Runs = number.row().input
        {
            return Some("has no value for each turn".into());
        }
        let has_value = values.iter().any(|value| value.as_number().is_some());
        let is_coming = values.contains(&PointValue::NotYet);
        if has_value {
            return inputs.missing.clone().filter(|_| is_coming);
        }
        let is_waiting = match number.row().input {
            NumberInput::Judgement(_) | NumberInput::Exposure(_) => inputs.judge.is_none(),
            NumberInput::Counted(_) => !inputs.has_lines,
            _ => false,
        };
        match (is_coming, &inputs.missing) {
            (true, None) => None,
            (true, Some(why)) => Some(why.clone()),
            (false, _) if is_waiting && number.is_of_judgement() => Some("not judged".into()),
            (false, _) if is_waiting => None,
            (false, _) if number.is_measured() => Some("not measured".into()),
            (false, _) => Some("not recorded".into()),
        }
    }

    /// Returns the ids of the components that the selected turn loses by a change to a file.
    pub(crate) fn losses_in_file(&self, path: &RepoPath) -> Vec<String> {
        let lifelines = self.rubric.lifelines.known_lifelines().and_then(|it| it.as_ref().ok());
        let lost_here = |lifeline: &&Lifeline| lifeline.lost_at == Some(self.turn + 1);
        let is_by_file = |loss: &ComponentLoss<'_>| {
            loss.symbols.iter().filter(|symbol| symbol.turn == loss.turn).any(|symbol| {
                let spot = symbol.event.and_then(|event| event.spot.as_ref());
                let place = symbol.life.place.as_ref();
                spot.map(|spot| &spot.path).or(place.map(|place| &place.path)) == Some(path)
            })
        };
        let lost = lifelines.iter().flat_map(|it| it.iter()).filter(lost_here);
        let losses = lost.filter_map(component_loss).filter(is_by_file);
        losses.map(|loss| loss.component.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::timeline::TurnEvents, *};
    use trajview_run::Turn;

    fn session_of(turns: usize) -> Session {
        let mut session =
            Session::new(Run { turns: vec![Turn::default(); turns], ..Run::default() }.into());
        session.settle_timeline(&[Number::Erosion, Number::Mcf]);
        session
    }

    #[test]
    fn a_number_that_is_not_measured_has_no_value() {
        let facts = session_of(3).run_timeline.facts;

        assert_eq!(facts.numbers[0].values, [PointValue::NotYet; 3]);
        assert_eq!(facts.numbers[0].missing, None);
        assert_eq!(facts.numbers[1].values, [PointValue::NotRecorded; 3]);
        assert_eq!(facts.numbers[1].missing.as_deref(), Some("not judged"));
        assert_eq!(facts.events, [TurnEvents::default(); 3]);
    }

    #[test]
    fn zooming_keeps_the_turn_and_ends_with_the_whole_run() {
        let mut timeline = session_of(5_000).run_timeline;
        assert_eq!(timeline.shown_turns(), 0..5_000);

        timeline.zoom(4_000, true);
        assert_eq!(timeline.shown_turns(), 2_000..4_500);
        timeline.zoom(4_000, true);
        assert_eq!(timeline.shown_turns(), 3_000..4_250);
        timeline.follow_turn(10);
        assert_eq!(timeline.shown_turns(), 0..1_250);
        for _ in 0..9 {
            timeline.zoom(10, true);
        }
        assert_eq!(timeline.shown_turns().len(), MIN_SHOWN_TURNS);
        for _ in 0..9 {
            timeline.zoom(10, false);
        }
        assert!(!timeline.is_zoomed());
    }
}
