//! `trajview judge --crash-test`: plans the test, announces its cost, asks where it costs money, and runs it.

use std::{
    io::{IsTerminal, Write},
    sync::Arc,
};

use trajview_judge::{
    cost::CostBudget,
    crash_test::{self, CrashTest, CrashTestEnd},
    fault::JudgeFault,
    judging::{JudgingHalt, JudgingJob},
    settings::{JudgeConfig, JudgeKind, is_on_this_machine},
};
use trajview_run::judging::{JudgeEvent, JudgingScale};
use trajview_store::{self as store, judgements::JudgementFolder};

use crate::cli::{
    CommandFailure, CommandResult, Exit,
    output::{Out, print_note},
};

use super::{JudgeArgs, JudgingCall, crash_report, judging_calls, report, signals};

pub(crate) fn run_crash_test(
    args: &JudgeArgs,
    judges: Vec<JudgeConfig>,
    out: &mut Out,
) -> CommandResult {
    if judges.len() != 1 || args.repeat != 1 || args.rubric != JudgingScale::Levels {
        return Err(CommandFailure::wrong_arguments(
            "--crash-test works with one --judge, with components and without --repeat",
        ));
    }
    let (calls, moments) = judging_calls(args, &args.run.path, judges)?;
    let (Some(call), Some(turn)) = (calls.first(), moments.first()) else {
        return Err(CommandFailure::wrong_arguments("no judge and no turn"));
    };
    let test = prepare_test(args, call, *turn)?;
    let folder = JudgementFolder::crash_tests_in_bundle(&call.bundle);
    let resumed = args.resume.then(|| test.clone().resumed(&folder)).flatten();
    let (test, continued) = match resumed {
        Some((test, file)) => (test, Some(file)),
        None => (test, None),
    };
    if args.resume && continued.is_none() {
        let halted = Some(JudgingHalt::NothingToResume);
        let ended = CrashTestEnd { path: None, document: test.document().clone(), halted };
        return test_outcome(&test.job().settings.name, &ended, None);
    }
    let estimate = test.estimate();
    if args.dry_run {
        crash_report::print_plan(&test, &estimate, args.json, out)?;
        return Ok(Exit::Fine);
    }
    crash_report::announce(&test, &estimate);
    if !args.yes && costs_money(test.job()) && estimate.requests > 0 {
        confirm_cost(estimate.cost)?;
    }
    let budget = Arc::new(CostBudget::new(test.job().settings.cost));
    let (stop, signal) = signals::listen_for_signals();
    let settings = test.job().settings.clone();
    let mut on_event = |event: &JudgeEvent| match event {
        JudgeEvent::Opened(file) => print_note(&format!(
            "{}: {} of {} verdicts are there",
            file.path.display(),
            file.done,
            file.total
        )),
        event => report::print_event(JudgingScale::Levels, event),
    };
    let ended = crash_test::run_crash_test(
        test.with_key()?,
        &budget,
        (&folder, continued),
        &stop,
        &mut on_event,
    )
    .map_err(|why| CommandFailure::wrong_arguments(format!("judge {} {why}", settings.name)))?;
    crash_report::print_card(&ended, args.json, out)?;
    test_outcome(&settings.name, &ended, signal.last())
}

fn prepare_test(
    args: &JudgeArgs,
    call: &JudgingCall,
    turn: usize,
) -> Result<CrashTest, CommandFailure> {
    let job = call.job_at_turn(turn)?;
    let rubric = store::rubric::read_beside(&call.bundle);
    let sample = args.sample.map_or(crash_test::SAMPLE_SIZE, |it| it as usize);
    CrashTest::prepare(job, &rubric, &call.opened, (sample, args.random_seed()))
        .map_err(CommandFailure::wrong_arguments)
}

/// Returns whether answers may cost money: they have a price, or none is known and the server is another machine's.
fn costs_money(job: &JudgingJob) -> bool {
    let settings = &job.settings;
    match (settings.cost.price_input, settings.cost.price_output) {
        (Some(input), Some(output)) => input + output > 0.0,
        _ => settings.kind != JudgeKind::Command && !is_on_this_machine(&settings.base_url),
    }
}

/// Asks on the terminal. Fails where there is none, and where the answer is no.
fn confirm_cost(cost: Option<f64>) -> Result<(), CommandFailure> {
    let most = cost
        .map_or_else(|| "an unknown amount".to_owned(), |cost| format!("at most {cost:.2} USD"));
    if !std::io::stdin().is_terminal() {
        return Err(CommandFailure::wrong_arguments(format!(
            "the crash test costs {most}; --yes starts it, --dry-run prints the plan"
        )));
    }
    eprint!("The crash test costs {most}. Start it? [y/N] ");
    let _ = std::io::stderr().flush(); // without it the question still stands on most terminals
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    match read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes") {
        true => Ok(()),
        false => Err(CommandFailure::new(Exit::Failed, "not started; nothing was sent")),
    }
}

/// Converts the end to an exit code: 1 where an answer is missing, and where the card speaks against the judge.
fn test_outcome(judge: &str, ended: &CrashTestEnd, signal: Option<u8>) -> CommandResult {
    let saved = match &ended.path {
        Some(path) => format!("saved in {}; --resume continues", path.display()),
        None => "nothing is saved".to_owned(),
    };
    match &ended.halted {
        Some(JudgingHalt::Stopped) => {
            Err(CommandFailure::stopped_by(signal, format!("stopped; {saved}")))
        }
        Some(JudgingHalt::Fault(fault @ JudgeFault::TooExpensive(_))) => Err(CommandFailure::new(
            Exit::Failed,
            format!("judge {judge} stops at {fault}; {saved}"),
        )),
        Some(JudgingHalt::Fault(fault)) => {
            Err(CommandFailure::cannot_read(format!("judge {judge}: {fault}; {saved}")))
        }
        Some(JudgingHalt::Write(why)) => {
            Err(CommandFailure::cannot_read(format!("{why}; {saved}")))
        }
        Some(JudgingHalt::NothingToResume) => Err(CommandFailure::wrong_arguments(format!(
            "no crash test of {judge} with the same edits to resume; start one without --resume"
        ))),
        None => {
            let report = ended.document.report(String::new());
            let is_good = report.is_finished && report.card.named_kinds().next().is_none();
            Ok(if is_good { Exit::Fine } else { Exit::Failed })
        }
    }
}
