//! What the run costs at list prices, as far as it is known.

use std::sync::{Arc, Weak};

use trajview_metrics::cost::RunCost;
use trajview_run::Run;

use super::{
    effect::Effect,
    pending::Pending,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
};

/// The cost of a run, computed once it is shown. It is computed again once the run has grown, and the old one is
/// shown until then.
#[derive(Debug, Default)]
pub struct RunCosts {
    known: Option<Result<Arc<RunCost>, Sentence>>,
    /// The run that it is of.
    run: Weak<Run>,
    pending: Pending<Weak<Run>>,
}

impl RunCosts {
    pub(crate) fn ask_cost(&mut self, numbers: &mut RequestIds, run: &Arc<Run>) -> Option<Effect> {
        let is_known = self.known.is_some() && self.run.as_ptr() == Arc::as_ptr(run);
        let question = || Question::Cost { run: run.clone() };
        (!is_known && self.pending.is_free())
            .then(|| self.pending.ask_question(numbers, Arc::downgrade(run), question()))
    }

    pub(crate) fn take_answer(
        &mut self,
        request: RequestId,
        answer: Result<Arc<RunCost>, Sentence>,
    ) {
        if let Some(run) = self.pending.take_answered(request) {
            (self.run, self.known) = (run, Some(answer));
        }
    }

    /// Returns the result; None while it is being computed.
    pub(crate) fn cost_result(&self) -> Option<Result<&RunCost, &str>> {
        Some(self.known.as_ref()?.as_deref().map_err(String::as_str))
    }

    /// Returns the cost; None while it is not known.
    pub(crate) fn known_cost(&self) -> Option<&RunCost> {
        self.cost_result()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_asked_for_once_and_again_when_the_run_has_grown() {
        let (mut numbers, mut costs) = (RequestIds::default(), RunCosts::default());
        let mut ask = |costs: &mut RunCosts, run: &Arc<Run>| costs.ask_cost(&mut numbers, run);
        let (first, grown) = (Arc::new(Run::default()), Arc::new(Run::default()));

        let request = ask(&mut costs, &first).unwrap().request_id().unwrap();
        assert_eq!(ask(&mut costs, &grown), None, "one question is out");
        costs.take_answer(request, Ok(Arc::default()));
        assert_eq!(ask(&mut costs, &first), None, "it is known");

        assert!(ask(&mut costs, &grown).is_some());
        assert!(costs.known_cost().is_some(), "what was known is shown until then");
    }
}
