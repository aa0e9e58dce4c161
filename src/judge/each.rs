//! Judging several states of one run, one after the other, out of one budget.

use std::sync::Arc;

use crate::store::judgements::Judgements;

use super::{
    cost::CostBudget,
    job::JobError,
    run::{self, Ended, Event, Halt, Job, Start},
    settings::Cost,
    stop::Stop,
};

/// Why a state was not begun; shown, a sentence.
#[derive(Debug, thiserror::Error)]
pub enum EachError {
    #[error(transparent)]
    Job(#[from] JobError),
    #[error("judge {judge} {why}")]
    Judge { judge: String, why: String },
}

/// What is told of a state.
#[derive(Debug)]
pub enum News<'e> {
    Begins,
    Event(&'e Event),
}

/// Judges the states after these turns, in order, and adds each to `states`; nothing follows one that was halted.
///
/// `job` is asked for a state, with its key, when its turn has come, so that flags are carried on from the states before. A judging that
/// was stopped went no further than one state: after it the ones behind begin anew.
pub fn judge_each(
    turns: &[usize],
    job: impl Fn(usize) -> Result<Job, JobError>,
    (cost, start): (Cost, Start),
    (judgements, stop): (&Judgements, &Stop),
    tell: &mut dyn FnMut(&Job, News<'_>),
    states: &mut Vec<(Job, Ended)>,
) -> Result<(), EachError> {
    let cost_budget = Arc::new(CostBudget::new(cost));
    let mut start = start;
    for turn in turns {
        let job = job(*turn)?;
        tell(&job, News::Begins);
        let mut go = |start| {
            let mut tell = |event: &Event| tell(&job, News::Event(event));
            run::judge(&cost_budget, &job, judgements, start, stop, &mut tell)
                .map_err(|why| EachError::Judge { judge: job.settings.name.clone(), why })
        };
        let mut ended = go(start)?;
        if matches!(ended.halted, Some(Halt::NothingToResume)) && !states.is_empty() {
            start = Start::Anew;
            ended = go(start)?;
        }
        let is_over = ended.halted.is_some();
        states.push((job, ended));
        if is_over {
            break;
        }
    }
    Ok(())
}
