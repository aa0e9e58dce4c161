//! Judges the runs of a shard one after the other out of one budget. Judgements are files that never change and lie
//! beside their run, so that shards share no files; items that are judged already are not asked again.

use std::{path::Path, slice, sync::Arc};

use trajview_judge::{cost::CostBudget, judge_states, settings::JudgeConfig};

use super::{
    super::{
        CommandFailure, CommandResult, Exit,
        output::{Out, print_note},
        run_args,
    },
    JudgeArgs, JudgingBegin, JudgingCall, judging_calls, report, run_judging,
};

pub(crate) fn run_shard(args: &JudgeArgs, judges: &[JudgeConfig], out: &mut Out) -> CommandResult {
    let [settings] = judges else {
        return Err(CommandFailure::wrong_arguments(
            "--shard works with one --judge; run one command per judge",
        ));
    };
    if args.max_cost.is_some() {
        let why =
            "--max-cost works only with several judges; for a shard use the limit in the settings";
        return Err(CommandFailure::wrong_arguments(why));
    }
    let budget = Arc::new(CostBudget::new(settings.cost));
    let runs = args.sharding.runs_of_shard(slice::from_ref(&args.run.path))?;
    let (mut exit, mut left_out) = (Exit::Fine, 0);
    for run in &runs {
        let (call, moments) = match prepare_call(args, run, settings) {
            Ok(prepared) => prepared,
            Err(why) => {
                left_out += 1;
                print_note(&format!("{}: skipped: {}", run.display(), why.sentence));
                continue;
            }
        };
        if args.dry_run {
            let (jobs, left_out) =
                judge_states::jobs_for_turns(&moments, |turn| call.job_at_turn(turn))?;
            report::print_plan((&jobs, &left_out), args.json, out)?;
        } else if run_judging(args, &call, (&moments, JudgingBegin::ResumeOrAnew, &budget), out)?
            != Exit::Fine
        {
            exit = Exit::Failed;
        }
    }
    let judged = run_args::count_with_noun(runs.len() - left_out, "run");
    print_note(&format!("shard {}: {judged}, {left_out} skipped", args.sharding.shard_or_whole()));
    Ok(exit)
}

/// Prepares the call and the moments of a run; fails where there is nothing to judge.
fn prepare_call(
    args: &JudgeArgs,
    run: &Path,
    settings: &JudgeConfig,
) -> Result<(JudgingCall, Vec<usize>), CommandFailure> {
    let (mut calls, moments) = judging_calls(args, run, vec![settings.clone()])?;
    let call = calls.pop().ok_or_else(|| CommandFailure::wrong_arguments("no judge"))?;
    judge_states::jobs_for_turns(&moments, |turn| call.job_at_turn(turn))?;
    Ok((call, moments))
}
