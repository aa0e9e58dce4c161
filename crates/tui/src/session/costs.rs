//! What the run costs at list prices, as far as it is known.

use std::sync::{Arc, Weak};

use trajview_metrics::cost::RunCost;
use trajview_run::Run;

use super::{
    ask::Pending,
    effect::Effect,
    question::Question,
    request::{Numbers, Request, Sentence},
};

/// The cost of a run, asked for once somebody looks at it. It is worked out again once the run has grown, and shown until
/// then.
#[derive(Debug, Default)]
pub struct Costs {
    known: Option<Result<Arc<RunCost>, Sentence>>,
    /// The run that it is of.
    of: Weak<Run>,
    pending: Pending<Weak<Run>>,
}

impl Costs {
    pub fn ask(&mut self, numbers: &mut Numbers, run: &Arc<Run>) -> Option<Effect> {
        let is_known = self.known.is_some() && self.of.as_ptr() == Arc::as_ptr(run);
        let question = || Question::Cost { run: run.clone() };
        (!is_known && self.pending.is_free())
            .then(|| self.pending.ask(numbers, Arc::downgrade(run), question()))
    }

    pub fn take(&mut self, request: Request, answer: Result<Arc<RunCost>, Sentence>) {
        if let Some(run) = self.pending.answered(request) {
            (self.of, self.known) = (run, Some(answer));
        }
    }

    /// None while it is being worked out.
    pub fn known(&self) -> Option<Result<&RunCost, &str>> {
        Some(self.known.as_ref()?.as_deref().map_err(String::as_str))
    }

    /// None while it is not known.
    pub fn ready(&self) -> Option<&RunCost> {
        self.known()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_asked_for_once_and_again_when_the_run_has_grown() {
        let (mut numbers, mut costs) = (Numbers::default(), Costs::default());
        let mut ask = |costs: &mut Costs, run: &Arc<Run>| costs.ask(&mut numbers, run);
        let (first, grown) = (Arc::new(Run::default()), Arc::new(Run::default()));

        let request = ask(&mut costs, &first).unwrap().request().unwrap();
        assert_eq!(ask(&mut costs, &grown), None, "one question is out");
        costs.take(request, Ok(Arc::default()));
        assert_eq!(ask(&mut costs, &first), None, "it is known");

        assert!(ask(&mut costs, &grown).is_some());
        assert!(costs.ready().is_some(), "what was known is shown until then");
    }
}
