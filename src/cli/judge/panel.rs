//! Several judges at once: each judges what it would judge alone, in files of its own; what they may cost together is one bound.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use trajview_judge::{
    cost::{CommonBudget, CostBudget},
    judge_states::{self, EachError, JudgedStates, StateEvent, judge_each},
};
use trajview_run::judging::JudgingStart;
use trajview_store::judgements::JudgementFolder;

use super::{
    super::{
        CommandFailure, CommandResult, Exit,
        output::{Out, print_note},
    },
    JudgeArgs, JudgingCall, judging_outcome, report, signals,
};

/// The result of one judge.
pub struct JudgeResult {
    pub judge: String,
    pub states: JudgedStates,
    /// The reason why it stopped.
    pub failed: Option<EachError>,
    /// US dollars; None without prices.
    pub spent: Option<f64>,
}

pub(crate) fn run_panel(
    args: &JudgeArgs,
    calls: &[JudgingCall],
    moments: &[usize],
    out: &mut Out,
) -> CommandResult {
    if let (Some(_), Some(call)) = (args.max_cost, calls.iter().find(|it| it.has_no_prices())) {
        let name = &call.request.settings.name;
        return Err(CommandFailure::wrong_arguments(format!(
            "--max-cost cannot limit judge {name}: the settings have no price_input and price_output for it"
        )));
    }
    if args.dry_run {
        let mut jobs = vec![];
        let mut left_out = vec![];
        for call in calls {
            let (own_jobs, left) =
                judge_states::jobs_for_turns(moments, |turn| call.job_at_turn(turn))?;
            jobs.push(own_jobs);
            left_out = left;
        }
        return print_plans(&jobs, &left_out, args, out);
    }
    let results = ask_judges(args, calls, moments);
    report::print_panel_result(&results.0, args.json, out)?;
    panel_outcome(results.0, results.1)
}

fn print_plans(
    jobs: &[Vec<trajview_judge::judging::JudgingJob>],
    left_out: &[judge_states::StateWithoutItems],
    args: &JudgeArgs,
    out: &mut Out,
) -> CommandResult {
    if args.json {
        report::print_panel_plan(jobs, left_out, out)?;
        return Ok(Exit::Fine);
    }
    for own_jobs in jobs {
        report::print_plan((own_jobs, left_out), false, out)?;
        out.print_line("")?;
    }
    if let Some(most) = args.max_cost {
        out.print_line(&format!("Cost of all judges: at most {most:.2} USD."))?;
    }
    Ok(Exit::Fine)
}

/// Asks each judge on a thread of its own; their progress lines have their names. Returns the last signal too.
fn ask_judges(
    args: &JudgeArgs,
    calls: &[JudgingCall],
    moments: &[usize],
) -> (Vec<JudgeResult>, Option<u8>) {
    let (stop, signal) = signals::listen_for_signals();
    let common = args.max_cost.map(|most| Arc::new(CommonBudget::new(most)));
    let lines = Mutex::new(());
    let one = |call: &JudgingCall| {
        let settings = &call.request.settings;
        let own_budget = CostBudget::new(settings.cost);
        let budget = Arc::new(match &common {
            Some(common) => own_budget.with_common_budget(common.clone()),
            None => own_budget,
        });
        let mut tell = |news: StateEvent<'_>| {
            let _one_at_a_time = lines.lock().unwrap_or_else(PoisonError::into_inner);
            report::print_panel_news(&settings.name, news);
        };
        let mut states = JudgedStates::default();
        let mut go = |start, states: &mut JudgedStates| {
            let job = |turn| call.job_at_turn(turn)?.with_key();
            let judgements = JudgementFolder::in_bundle(&call.bundle);
            judge_each(moments, job, (&budget, start), (&judgements, &stop), &mut tell, states)
        };
        let mut failed = go(args.judging_start(), &mut states).err();
        // A panel that was stopped may not have come to this judge.
        if args.resume && states.has_nothing_to_resume() {
            states = JudgedStates::default();
            failed = go(JudgingStart::Anew, &mut states).err();
        }
        JudgeResult { judge: settings.name.clone(), states, failed, spent: budget.spent_usd() }
    };
    let results = thread::scope(|scope| {
        let started: Vec<_> = calls.iter().map(|call| scope.spawn(move || one(call))).collect();
        let ended = started.into_iter().map(|it| it.join());
        // A judge that broke down breaks the program down, as it would alone.
        ended.map(|it| it.unwrap_or_else(|why| std::panic::resume_unwind(why))).collect()
    });
    (results, signal.last())
}

/// Prints the reason of each judge that failed, and returns the worst outcome.
fn panel_outcome(results: Vec<JudgeResult>, signal: Option<u8>) -> CommandResult {
    let mut worst = Ok(Exit::Fine);
    for JudgeResult { judge, states, failed, .. } in results {
        let ends = states.judged.iter().map(|(job, ended)| judging_outcome(job, ended, signal));
        let failed = failed.map(|why| Err(CommandFailure::from(why)));
        for ended in ends.chain(failed) {
            match (&worst, ended) {
                (_, Ok(Exit::Fine)) => {}
                (Ok(Exit::Fine), Ok(exit)) => worst = Ok(exit),
                (_, Ok(_)) => {}
                (Ok(_), Err(why)) => worst = Err(why),
                (Err(_), Err(why)) => print_note(&format!("{judge}: {}", why.sentence)),
            }
        }
    }
    worst
}

impl JudgingCall {
    fn has_no_prices(&self) -> bool {
        let cost = self.request.settings.cost;
        cost.price_input.is_none() || cost.price_output.is_none()
    }
}
