//! How the run was worked on, and the decisions over it, as far as they are known.

use std::{path::PathBuf, sync::Arc};

use trajview_layers::record::LayerRecord;
use trajview_metrics::{
    decisions::DecisionLane,
    memory::MemoryTimeline,
    process::{ProcessReport, ProcessSignal},
};
use trajview_run::Run;

use super::{
    effect::Effect,
    pending::Pending,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
    run_costs::RunCosts,
};

/// The process of a run, as far as it is known. It is computed again once the run has grown, and the old one is shown
/// until then.
#[derive(Debug, Default)]
pub struct ProcessState {
    report: TurnAnswer<ProcessReport>,
    decisions: TurnAnswer<DecisionLane>,
    memory: TurnAnswer<MemoryTimeline>,
    layers: TurnAnswer<Vec<LayerRecord>>,
    pub cost: RunCosts,
    /// True where the user requested the signals outside the process view.
    pub is_wanted: bool,
    /// The signal that was gone to last, by its place in [`Self::signals`].
    visited: Option<usize>,
    drawing: Pending<()>,
    /// The store of decisions that was read last.
    pub store: Option<PathBuf>,
}

/// An answer, with the number of turns that it is of; None where the recording cannot tell.
#[derive(Debug)]
struct TurnAnswer<T> {
    answer: Option<(usize, OptionalAnswer<T>)>,
    pending: Pending<usize>,
}

type OptionalAnswer<T> = Result<Option<Arc<T>>, Sentence>;

impl<T> Default for TurnAnswer<T> {
    fn default() -> Self {
        Self { answer: None, pending: Pending::default() }
    }
}

impl<T> TurnAnswer<T> {
    fn ask_once(
        &mut self,
        numbers: &mut RequestIds,
        turns: usize,
        question: Question,
    ) -> Option<Effect> {
        let is_known = self.answer.as_ref().is_some_and(|(known, _)| *known == turns);
        (!is_known && self.pending.is_free())
            .then(|| self.pending.ask_question(numbers, turns, question))
    }

    /// Marks the answer as outdated: it is requested again, and shown until then.
    fn forget_answer(&mut self) {
        if let Some((turns, _)) = &mut self.answer {
            *turns = usize::MAX;
        }
        self.pending = Pending::default();
    }

    fn take_answer(&mut self, request: RequestId, answer: OptionalAnswer<T>) {
        if let Some(turns) = self.pending.take_answered(request) {
            self.answer = Some((turns, answer));
        }
    }

    fn known_answer(&self) -> Option<Result<Option<&T>, &str>> {
        let (_, answer) = self.answer.as_ref()?;
        Some(answer.as_ref().map(Option::as_deref).map_err(String::as_str))
    }
}

impl ProcessState {
    pub(crate) fn ask_process(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
    ) -> Option<Effect> {
        let question = Question::Process { run: run.clone() };
        self.report.ask_once(numbers, run.turns.len(), question)
    }

    pub(crate) fn ask_decisions(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
    ) -> Option<Effect> {
        let question = Question::Decisions { run: run.clone() };
        self.decisions.ask_once(numbers, run.turns.len(), question)
    }

    pub(crate) fn ask_memory(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
    ) -> Option<Effect> {
        let question = Question::Memory { run: run.clone() };
        self.memory.ask_once(numbers, run.turns.len(), question)
    }

    /// Asks for the decisions in the requests to be written into the bundle; None while that is in progress.
    pub fn draw_decisions(&mut self, numbers: &mut RequestIds, run: &Arc<Run>) -> Option<Effect> {
        let question = Question::DrawDecisions { run: run.clone() };
        self.drawing.is_free().then(|| self.drawing.ask_question(numbers, (), question))
    }

    /// Takes the outcome of drawing decisions, and returns the sentence to be shown; the decisions are read again. None
    /// where it answers no question.
    pub(crate) fn take_drawn(
        &mut self,
        request: RequestId,
        outcome: Result<String, Sentence>,
    ) -> Option<String> {
        self.drawing.take_answered(request)?;
        self.decisions.forget_answer();
        Some(outcome.unwrap_or_else(|why| why))
    }

    /// Forgets the decisions, whose store may have been edited, or judged.
    pub(crate) fn forget_decisions(&mut self) {
        self.decisions.forget_answer();
    }

    pub(crate) fn ask_layers(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
    ) -> Option<Effect> {
        let question = Question::Layers { run: run.clone() };
        self.layers.ask_once(numbers, run.turns.len(), question)
    }

    pub(crate) fn take_layers(
        &mut self,
        request: RequestId,
        answer: OptionalAnswer<Vec<LayerRecord>>,
    ) {
        self.layers.take_answer(request, answer);
    }

    pub(crate) fn take_process(
        &mut self,
        request: RequestId,
        answer: OptionalAnswer<ProcessReport>,
    ) {
        self.report.take_answer(request, answer);
    }

    pub(crate) fn take_decisions(
        &mut self,
        request: RequestId,
        answer: OptionalAnswer<DecisionLane>,
    ) {
        if let Ok(Some(lane)) = &answer {
            self.store.clone_from(&lane.origin);
        }
        self.decisions.take_answer(request, answer);
    }

    pub(crate) fn take_memory(
        &mut self,
        request: RequestId,
        answer: OptionalAnswer<MemoryTimeline>,
    ) {
        self.memory.take_answer(request, answer);
    }

    /// Marks the report to be worked out again; what is known is shown until then.
    pub(crate) fn mark_stale(&mut self) {
        if let Some((turns, _)) = &mut self.report.answer {
            *turns = usize::MAX; // no run has as many
        }
    }

    /// Returns the report; None while it is computed for the first time.
    pub fn report(&self) -> Option<Result<Option<&ProcessReport>, &str>> {
        self.report.known_answer()
    }

    /// Returns the decisions like [`Self::report`]; Ok(None) where the run has no store of decisions.
    pub fn decisions(&self) -> Option<Result<Option<&DecisionLane>, &str>> {
        self.decisions.known_answer()
    }

    /// Returns the memory like [`Self::report`]; Ok(None) where no memory events are recorded.
    pub fn memory(&self) -> Option<Result<Option<&MemoryTimeline>, &str>> {
        self.memory.known_answer()
    }

    /// Returns the layers like [`Self::report`]; Ok(None) where none is recorded.
    pub fn layers(&self) -> Option<Result<Option<&Vec<LayerRecord>>, &str>> {
        self.layers.known_answer()
    }

    /// Returns the layers of the run; empty where there are none, or they are not known yet.
    pub fn layer_records(&self) -> &[LayerRecord] {
        match self.layers() {
            Some(Ok(Some(records))) => records,
            _ => &[],
        }
    }

    /// Returns the signals, as far as they are known, in playing order.
    pub fn signals(&self) -> &[ProcessSignal] {
        match self.report() {
            Some(Ok(Some(report))) => &report.signals,
            _ => &[],
        }
    }

    /// Goes to the signal after the one that was gone to last, or after the playhead, and returns it; before it where
    /// `by` is less than 0. None past the ends; turns count from 0.
    pub(crate) fn visit_signal(&mut self, turn: usize, by: isize) -> Option<&ProcessSignal> {
        let all = self.signals();
        let start = all.partition_point(|signal| signal.step.turn < turn);
        let here = self.visited.filter(|at| all.get(*at).is_some_and(|it| it.step.turn == turn));
        let next = match (here, by < 0) {
            (Some(at), _) => at.checked_add_signed(by),
            (None, true) => start.checked_add_signed(by),
            (None, false) => start.checked_add_signed(by - 1),
        };
        let next = next.filter(|at| *at < all.len())?;
        self.visited = Some(next);
        self.signals().get(next)
    }

    /// Returns the signals that open in a turn, counted from 0.
    pub(crate) fn signals_in_turn(&self, turn: usize) -> &[ProcessSignal] {
        let all = self.signals();
        let start = all.partition_point(|signal| signal.step.turn < turn);
        let len = all[start..].partition_point(|signal| signal.step.turn == turn);
        &all[start..start + len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_grew_is_asked_for_again_and_shown_until_then() {
        let (mut worked, mut numbers) = (ProcessState::default(), RequestIds::default());
        let run =
            |turns| Arc::new(Run { turns: vec![Default::default(); turns], ..Run::default() });
        let request = worked.ask_process(&mut numbers, &run(1)).unwrap().request_id().unwrap();
        assert!(worked.ask_process(&mut numbers, &run(1)).is_none());

        worked.take_process(request, Ok(None));

        assert_eq!(worked.report(), Some(Ok(None)));
        assert!(worked.ask_process(&mut numbers, &run(1)).is_none());
        assert!(worked.ask_process(&mut numbers, &run(2)).is_some());
        assert_eq!(worked.report(), Some(Ok(None)));
    }
}
