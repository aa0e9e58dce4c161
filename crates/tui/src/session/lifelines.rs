//! What became of the components of a run, turn by turn, as far as it is known.

use std::sync::Arc;

use trajview_metrics::lifeline::{Asked, Lifeline};
use trajview_run::Run;

use super::{
    ask::Pending,
    effect::Effect,
    question::Question,
    request::{Numbers, Request},
};

/// The lifelines of one judgement and one state of the run.
#[derive(Debug, Default)]
pub struct Lifelines {
    known: Option<(Key, Answered)>,
    pending: Pending<Key>,
}

type Answered = Result<Arc<Vec<Lifeline>>, String>;

/// What they depend on: how many turns there are, and what is followed.
type Key = (usize, Vec<Asked>);

impl Lifelines {
    pub fn ask(
        &mut self,
        numbers: &mut Numbers,
        run: &Arc<Run>,
        components: Vec<Asked>,
    ) -> Option<Effect> {
        let key = (run.turns.len(), components);
        let is_known = self.known.as_ref().is_some_and(|(known, _)| *known == key);
        if is_known || !self.pending.is_free() {
            return None;
        }
        let question = Question::Lifelines { run: run.clone(), components: key.1.clone() };
        Some(self.pending.ask(numbers, key, question))
    }

    pub fn take(&mut self, request: Request, answer: Answered) {
        if let Some(key) = self.pending.answered(request) {
            self.known = Some((key, answer));
        }
    }

    /// None while they are worked out for the first time.
    pub fn known(&self) -> Option<&Answered> {
        self.known.as_ref().map(|(_, answer)| answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(lifelines: &mut Lifelines, numbers: &mut Numbers, turns: usize) -> Option<Request> {
        let run = Run { turns: vec![Default::default(); turns], ..Run::default() };
        lifelines.ask(numbers, &Arc::new(run), vec![])?.request()
    }

    #[test]
    fn lifelines_are_asked_for_again_once_the_run_has_grown_and_shown_until_then() {
        let (mut lifelines, mut numbers) = (Lifelines::default(), Numbers::default());
        let request = ask(&mut lifelines, &mut numbers, 1).unwrap();
        lifelines.take(request, Ok(Arc::default()));

        assert_eq!(ask(&mut lifelines, &mut numbers, 1), None);
        assert!(ask(&mut lifelines, &mut numbers, 2).is_some());
        assert_eq!(lifelines.known(), Some(&Ok(Arc::default())));
    }
}
