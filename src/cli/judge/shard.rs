//! The runs of a shard, judged one after the other out of one budget. Judgements are files that never change and lie beside
//! their run, so that shards write nothing in common; what is judged already is not asked again.

use std::{path::Path, slice, sync::Arc};

use trajview_judge::{cost::CostBudget, each, settings::Settings};

use super::{
    super::{
        Exit, Failure, Outcome, at,
        output::{Out, tell},
    },
    Args, Begin, JudgingCall, calls, judge, report,
};

pub fn run(args: &Args, judges: &[Settings], out: &mut Out) -> Outcome {
    let [settings] = judges else {
        return Err(Failure::wrong("--shard takes one --judge; start as many as there are judges"));
    };
    if args.max_cost.is_some() {
        let why = "--max-cost is for several judges; the bound in the settings counts for all runs of a shard";
        return Err(Failure::wrong(why));
    }
    let budget = Arc::new(CostBudget::new(settings.cost));
    let runs = args.sharding.runs(slice::from_ref(&args.run.path))?;
    let (mut exit, mut left_out) = (Exit::Fine, 0);
    for run in &runs {
        let (call, moments) = match prepared(args, run, settings) {
            Ok(prepared) => prepared,
            Err(why) => {
                left_out += 1;
                tell(&format!("{}: left out: {}", run.display(), why.sentence));
                continue;
            }
        };
        if args.dry_run {
            let (jobs, left_out) = each::jobs(&moments, |turn| call.job(turn))?;
            report::plan((&jobs, &left_out), args.json, out)?;
        } else if judge(args, &call, (&moments, Begin::Either, &budget), out)? != Exit::Fine {
            exit = Exit::Failed;
        }
    }
    let judged = at::counted(runs.len() - left_out, "run");
    tell(&format!("shard {}: {judged}, {left_out} left out", args.sharding.shard()));
    Ok(exit)
}

/// What is asked about a run, where there is something to judge.
fn prepared(
    args: &Args,
    run: &Path,
    settings: &Settings,
) -> Result<(JudgingCall, Vec<usize>), Failure> {
    let (mut calls, moments) = calls(args, run, vec![settings.clone()])?;
    let call = calls.pop().ok_or_else(|| Failure::wrong("no judge"))?;
    each::jobs(&moments, |turn| call.job(turn))?;
    Ok((call, moments))
}
