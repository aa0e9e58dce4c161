//! Judging several states of one run, one after the other, out of one budget.

use std::sync::Arc;

use trajview_store::judgements::Judgements;

use super::{
    cost::CostBudget,
    job::JobError,
    run::{self, Ended, Event, Halt, Job, Start},
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
    Begins(&'e Job),
    Event(&'e Job, &'e Event),
    LeftOut(&'e LeftOut),
}

/// A state that has nothing to judge, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Turns done.
    pub turn: usize,
    /// A sentence.
    pub why: String,
}

/// What came of several states, in order.
#[derive(Debug, Default)]
pub struct States {
    pub judged: Vec<(Job, Ended)>,
    pub left_out: Vec<LeftOut>,
}

impl States {
    /// Whether there was to be something to go on with, and there is nothing.
    pub fn has_nothing_to_resume(&self) -> bool {
        self.judged.iter().any(|(_, it)| matches!(it.halted, Some(Halt::NothingToResume)))
    }
}

/// The jobs of the states after these turns, and the states that have nothing to judge. An error where that is so of all
/// of them.
pub fn jobs(
    turns: &[usize],
    job: impl Fn(usize) -> Result<Job, JobError>,
) -> Result<(Vec<Job>, Vec<LeftOut>), JobError> {
    let (mut jobs, mut left_out) = (vec![], vec![]);
    for turn in turns {
        match job(*turn) {
            Ok(job) => jobs.push(job),
            Err(why) => left_out.push(left_out_or(why, *turn, (turns, left_out.len()))?),
        }
    }
    Ok((jobs, left_out))
}

/// What cannot be judged is left out where there are other states, so many of which were left out before.
fn left_out_or(
    why: JobError,
    turn: usize,
    (turns, before): (&[usize], usize),
) -> Result<LeftOut, JobError> {
    match why.has_nothing() && before + 1 < turns.len() {
        true => Ok(LeftOut { turn, why: why.to_string() }),
        false => Err(why),
    }
}

/// Judges the states after these turns, in order, and adds each to `states`; nothing follows one that was halted. A state
/// that has nothing to judge is left out; where that is so of all of them it is an error.
///
/// `job` is asked for a state, with its key, when its turn has come, so that flags are carried on from the states before. A judging that
/// was stopped went no further than one state: after it the ones behind begin anew.
pub fn judge_each(
    turns: &[usize],
    job: impl Fn(usize) -> Result<Job, JobError>,
    (cost_budget, start): (&Arc<CostBudget>, Start),
    (judgements, stop): (&Judgements, &Stop),
    tell: &mut dyn FnMut(News<'_>),
    states: &mut States,
) -> Result<(), EachError> {
    let mut start = start;
    for turn in turns {
        let job = match job(*turn) {
            Ok(job) => job,
            Err(why) => {
                let left_out = left_out_or(why, *turn, (turns, states.left_out.len()))?;
                tell(News::LeftOut(&left_out));
                states.left_out.push(left_out);
                continue;
            }
        };
        tell(News::Begins(&job));
        let mut go = |start| {
            let mut tell = |event: &Event| tell(News::Event(&job, event));
            run::judge(cost_budget, &job, judgements, start, stop, &mut tell)
                .map_err(|why| EachError::Judge { judge: job.settings.name.clone(), why })
        };
        let mut ended = go(start)?;
        if matches!(ended.halted, Some(Halt::NothingToResume)) && !states.judged.is_empty() {
            start = Start::Anew;
            ended = go(start)?;
        }
        let is_over = ended.halted.is_some();
        states.judged.push((job, ended));
        if is_over {
            break;
        }
    }
    Ok(())
}
