//! Judging several states of one run, one after the other, out of one budget.

use std::sync::Arc;

use trajview_run::judging::{JudgeEvent, JudgingStart};
use trajview_store::judgements::JudgementFolder;

use super::{
    cost::CostBudget,
    job::JobError,
    judging::{self, JudgingFiles, JudgingHalt, JudgingJob},
    stop_flag::StopFlag,
};

/// The reason why a state was not begun; shown, a sentence.
#[derive(Debug, thiserror::Error)]
pub enum EachError {
    #[error(transparent)]
    Job(#[from] JobError),
    #[error("judge {judge} {why}")]
    Judge { judge: String, why: String },
}

/// An event about a state.
#[derive(Debug)]
pub enum StateEvent<'e> {
    Begins(&'e JudgingJob),
    Event(&'e JudgingJob, &'e JudgeEvent),
    LeftOut(&'e StateWithoutItems),
}

/// A state that has nothing to judge, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateWithoutItems {
    /// Turns done.
    pub turn: usize,
    /// A sentence.
    pub why: String,
}

/// The results of several states, in order.
#[derive(Debug, Default)]
pub struct JudgedStates {
    pub judged: Vec<(JudgingJob, JudgingFiles)>,
    pub left_out: Vec<StateWithoutItems>,
}

impl JudgedStates {
    /// Returns whether a judging was to be resumed and there was none.
    pub fn has_nothing_to_resume(&self) -> bool {
        self.judged.iter().any(|(_, it)| matches!(it.halted, Some(JudgingHalt::NothingToResume)))
    }
}

/// Returns the jobs of the states after these turns, and the states that have nothing to judge. An error where that is so of all
/// of them.
pub fn jobs_for_turns(
    turns: &[usize],
    job: impl Fn(usize) -> Result<JudgingJob, JobError>,
) -> Result<(Vec<JudgingJob>, Vec<StateWithoutItems>), JobError> {
    let (mut jobs, mut left_out) = (vec![], vec![]);
    for turn in turns {
        match job(*turn) {
            Ok(job) => jobs.push(job),
            Err(why) => left_out.push(left_out_or(why, *turn, (turns, left_out.len()))?),
        }
    }
    Ok((jobs, left_out))
}

/// Leaves out a state that cannot be judged, where there are other states; `before` states were left out already.
fn left_out_or(
    why: JobError,
    turn: usize,
    (turns, before): (&[usize], usize),
) -> Result<StateWithoutItems, JobError> {
    match why.has_nothing() && before + 1 < turns.len() {
        true => Ok(StateWithoutItems { turn, why: why.to_string() }),
        false => Err(why),
    }
}

/// Judges the states after these turns, in order, and adds each to `states`; nothing follows one that was halted. A state
/// that has nothing to judge is left out; where that is so of all of them it is an error.
///
/// `job` is called for a state, with its key, just before it is judged, so that flags are carried on from the states
/// before. A judging that was stopped ended within one state: the states after it begin anew.
pub fn judge_each(
    turns: &[usize],
    job: impl Fn(usize) -> Result<JudgingJob, JobError>,
    (cost_budget, start): (&Arc<CostBudget>, JudgingStart),
    (judgements, stop): (&JudgementFolder, &StopFlag),
    on_event: &mut dyn FnMut(StateEvent<'_>),
    states: &mut JudgedStates,
) -> Result<(), EachError> {
    let mut start = start;
    for turn in turns {
        let job = match job(*turn) {
            Ok(job) => job,
            Err(why) => {
                let left_out = left_out_or(why, *turn, (turns, states.left_out.len()))?;
                on_event(StateEvent::LeftOut(&left_out));
                states.left_out.push(left_out);
                continue;
            }
        };
        on_event(StateEvent::Begins(&job));
        let mut go = |start| {
            let mut on_job_event = |event: &JudgeEvent| on_event(StateEvent::Event(&job, event));
            judging::run_judging(cost_budget, &job, judgements, start, stop, &mut on_job_event)
                .map_err(|why| EachError::Judge { judge: job.settings.name.clone(), why })
        };
        let mut ended = go(start)?;
        if matches!(ended.halted, Some(JudgingHalt::NothingToResume)) && !states.judged.is_empty() {
            start = JudgingStart::Anew;
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
