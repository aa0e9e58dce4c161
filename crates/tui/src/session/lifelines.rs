//! What became of the components of a run, turn by turn, as far as it is known.

use std::sync::Arc;

use trajview_metrics::{
    lifeline::{FollowedComponent, Lifeline},
    test_losses::LossKind,
};
use trajview_run::Run;

use super::{
    effect::Effect,
    pending::Pending,
    question::Question,
    request::{RequestId, RequestIds},
};

/// The lifelines of one judgement and one state of the run.
#[derive(Debug, Default)]
pub struct Lifelines {
    known: Option<(LifelineKey, LifelineAnswer)>,
    pending: Pending<LifelineKey>,
    /// The user wants to go to the next loss, once the lifelines are there.
    pub(crate) goes_to_next_loss: bool,
    /// The loss that was last gone to.
    pub(crate) last_loss: Option<LastLoss>,
}

/// The identity of a loss of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LossKey {
    pub kind: LossKind,
    /// The id of the component, or the name of the test.
    pub id: String,
    /// The checkpoint that a test was written for; None for a component.
    pub checkpoint: Option<Box<str>>,
    /// Counts from 1.
    pub turn: usize,
}

/// A loss that the user went to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LastLoss {
    pub key: LossKey,
    /// The number of the selected step there; None until the replay has arrived.
    pub step: Option<usize>,
}

type LifelineAnswer = Result<Arc<Vec<Lifeline>>, String>;

/// The inputs of the lifelines: the number of turns, and the followed components.
type LifelineKey = (usize, Vec<FollowedComponent>);

impl Lifelines {
    pub(crate) fn ask_lifelines(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
        components: Vec<FollowedComponent>,
    ) -> Option<Effect> {
        let key = (run.turns.len(), components);
        let is_known = self.known.as_ref().is_some_and(|(known, _)| *known == key);
        if is_known || !self.pending.is_free() {
            return None;
        }
        let question = Question::Lifelines { run: run.clone(), components: key.1.clone() };
        Some(self.pending.ask_question(numbers, key, question))
    }

    pub(crate) fn take_answer(&mut self, request: RequestId, answer: LifelineAnswer) {
        if let Some(key) = self.pending.take_answered(request) {
            self.known = Some((key, answer));
        }
    }

    /// Returns the lifelines; None while they are computed for the first time.
    pub(crate) fn known_lifelines(&self) -> Option<&LifelineAnswer> {
        self.known.as_ref().map(|(_, answer)| answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask_for_turns(
        lifelines: &mut Lifelines,
        numbers: &mut RequestIds,
        turns: usize,
    ) -> Option<RequestId> {
        let run = Run { turns: vec![Default::default(); turns], ..Run::default() };
        lifelines.ask_lifelines(numbers, &Arc::new(run), vec![])?.request_id()
    }

    #[test]
    fn lifelines_are_asked_for_again_once_the_run_has_grown_and_shown_until_then() {
        let (mut lifelines, mut numbers) = (Lifelines::default(), RequestIds::default());
        let request = ask_for_turns(&mut lifelines, &mut numbers, 1).unwrap();
        lifelines.take_answer(request, Ok(Arc::default()));

        assert_eq!(ask_for_turns(&mut lifelines, &mut numbers, 1), None);
        assert!(ask_for_turns(&mut lifelines, &mut numbers, 2).is_some());
        assert_eq!(lifelines.known_lifelines(), Some(&Ok(Arc::default())));
    }
}
