//! How the run was worked on, and the decisions over it, as far as they are known.

use std::{path::PathBuf, sync::Arc};

use trajview_layers::record::Record;
use trajview_metrics::{
    decisions::Lane,
    memory::Course,
    process::{Report, Signal},
};
use trajview_run::Run;

use super::{
    ask::Pending,
    costs::Costs,
    effect::Effect,
    question::Question,
    request::{Numbers, Request, Sentence},
};

/// What is known of a run's process. It is worked out again once the run has grown, and shown until then.
#[derive(Debug, Default)]
pub struct Worked {
    report: Known<Report>,
    decisions: Known<Lane>,
    memory: Known<Course>,
    layers: Known<Vec<Record>>,
    pub cost: Costs,
    /// Whether a person asked for the signals outside the process view.
    pub is_wanted: bool,
    /// The signal that was gone to last, by its place in [`Self::signals`].
    visited: Option<usize>,
    drawing: Pending<()>,
    /// Where the store of decisions was last read from.
    pub store: Option<PathBuf>,
}

/// An answer, with the number of turns that it is of; None where the recording cannot tell.
#[derive(Debug)]
struct Known<T> {
    answer: Option<(usize, Answered<T>)>,
    pending: Pending<usize>,
}

type Answered<T> = Result<Option<Arc<T>>, Sentence>;

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self { answer: None, pending: Pending::default() }
    }
}

impl<T> Known<T> {
    fn ask(&mut self, numbers: &mut Numbers, turns: usize, question: Question) -> Option<Effect> {
        let is_known = self.answer.as_ref().is_some_and(|(known, _)| *known == turns);
        (!is_known && self.pending.is_free()).then(|| self.pending.ask(numbers, turns, question))
    }

    /// What is known may be so no more: it is asked for again, and shown until then.
    fn forget(&mut self) {
        if let Some((turns, _)) = &mut self.answer {
            *turns = usize::MAX;
        }
        self.pending = Pending::default();
    }

    fn take(&mut self, request: Request, answer: Answered<T>) {
        if let Some(turns) = self.pending.answered(request) {
            self.answer = Some((turns, answer));
        }
    }

    fn known(&self) -> Option<Result<Option<&T>, &str>> {
        let (_, answer) = self.answer.as_ref()?;
        Some(answer.as_ref().map(Option::as_deref).map_err(String::as_str))
    }
}

impl Worked {
    pub fn ask(&mut self, numbers: &mut Numbers, run: &Arc<Run>) -> Option<Effect> {
        let question = Question::Process { run: run.clone() };
        self.report.ask(numbers, run.turns.len(), question)
    }

    pub fn ask_decisions(&mut self, numbers: &mut Numbers, run: &Arc<Run>) -> Option<Effect> {
        let question = Question::Decisions { run: run.clone() };
        self.decisions.ask(numbers, run.turns.len(), question)
    }

    pub fn ask_memory(&mut self, numbers: &mut Numbers, run: &Arc<Run>) -> Option<Effect> {
        let question = Question::Memory { run: run.clone() };
        self.memory.ask(numbers, run.turns.len(), question)
    }

    /// Has what the requests lay down written into the bundle.
    pub fn draw(&mut self, numbers: &mut Numbers, run: &Arc<Run>) -> Option<Effect> {
        let question = Question::DrawDecisions { run: run.clone() };
        self.drawing.is_free().then(|| self.drawing.ask(numbers, (), question))
    }

    /// The sentence to be shown.
    pub fn take_drawn(
        &mut self,
        request: Request,
        said: Result<String, Sentence>,
    ) -> Option<String> {
        self.drawing.answered(request)?;
        self.decisions.forget();
        Some(said.unwrap_or_else(|why| why))
    }

    /// The store of decisions may have been edited, or judged.
    pub fn forget_decisions(&mut self) {
        self.decisions.forget();
    }

    pub fn ask_layers(&mut self, numbers: &mut Numbers, run: &Arc<Run>) -> Option<Effect> {
        let question = Question::Layers { run: run.clone() };
        self.layers.ask(numbers, run.turns.len(), question)
    }

    pub fn take_layers(&mut self, request: Request, answer: Answered<Vec<Record>>) {
        self.layers.take(request, answer);
    }

    pub fn take(&mut self, request: Request, answer: Answered<Report>) {
        self.report.take(request, answer);
    }

    pub fn take_decisions(&mut self, request: Request, answer: Answered<Lane>) {
        if let Ok(Some(lane)) = &answer {
            self.store.clone_from(&lane.origin);
        }
        self.decisions.take(request, answer);
    }

    pub fn take_memory(&mut self, request: Request, answer: Answered<Course>) {
        self.memory.take(request, answer);
    }

    /// Has the report worked out again; what is known is shown until then.
    pub fn outdate(&mut self) {
        if let Some((turns, _)) = &mut self.report.answer {
            *turns = usize::MAX; // no run has as many
        }
    }

    /// None while it is worked out for the first time.
    pub fn report(&self) -> Option<Result<Option<&Report>, &str>> {
        self.report.known()
    }

    /// As [`Self::report`]; Ok(None) where the run has no store of decisions.
    pub fn decisions(&self) -> Option<Result<Option<&Lane>, &str>> {
        self.decisions.known()
    }

    /// As [`Self::report`]; Ok(None) where no memory events are recorded.
    pub fn memory(&self) -> Option<Result<Option<&Course>, &str>> {
        self.memory.known()
    }

    /// As [`Self::report`]: what layers of project state said; Ok(None) where none is recorded.
    pub fn layers(&self) -> Option<Result<Option<&Vec<Record>>, &str>> {
        self.layers.known()
    }

    /// The layers of the run; empty where there are none, or they are not known yet.
    pub fn records(&self) -> &[Record] {
        match self.layers() {
            Some(Ok(Some(records))) => records,
            _ => &[],
        }
    }

    /// As far as they are known, in playing order.
    pub fn signals(&self) -> &[Signal] {
        match self.report() {
            Some(Ok(Some(report))) => &report.signals,
            _ => &[],
        }
    }

    /// The signal after the one that was gone to last, or after the playhead; before it where `by` is less than 0. None past
    /// the ends; turns count from 0.
    pub fn visit(&mut self, turn: usize, by: isize) -> Option<&Signal> {
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

    /// Those that open in a turn, counted from 0.
    pub fn signals_of(&self, turn: usize) -> &[Signal] {
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
        let (mut worked, mut numbers) = (Worked::default(), Numbers::default());
        let run =
            |turns| Arc::new(Run { turns: vec![Default::default(); turns], ..Run::default() });
        let request = worked.ask(&mut numbers, &run(1)).unwrap().request().unwrap();
        assert!(worked.ask(&mut numbers, &run(1)).is_none());

        worked.take(request, Ok(None));

        assert_eq!(worked.report(), Some(Ok(None)));
        assert!(worked.ask(&mut numbers, &run(1)).is_none());
        assert!(worked.ask(&mut numbers, &run(2)).is_some());
        assert_eq!(worked.report(), Some(Ok(None)));
    }
}
