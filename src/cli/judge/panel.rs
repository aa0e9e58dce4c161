//! Several judges at once: each judges what it would judge alone, in files of its own; what they may cost together is one bound.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use trajview_judge::{
    cost::{Common, CostBudget},
    each::{self, EachError, News, States, judge_each},
    run::Start,
};
use trajview_store::judgements::Judgements;

use super::{
    super::{
        Exit, Failure, Outcome,
        output::{Out, tell},
    },
    Args, JudgingCall, end, report, signals,
};

/// What came of one judge.
pub struct Asked {
    pub judge: String,
    pub states: States,
    /// Why it went no further.
    pub failed: Option<EachError>,
    /// US dollars; None without prices.
    pub spent: Option<f64>,
}

pub fn run(args: &Args, calls: &[JudgingCall], moments: &[usize], out: &mut Out) -> Outcome {
    if let (Some(_), Some(call)) = (args.max_cost, calls.iter().find(|it| it.has_no_prices())) {
        let name = &call.wish.settings.name;
        return Err(Failure::wrong(format!(
            "--max-cost cannot bound judge {name}: the settings name no price_input and price_output of it"
        )));
    }
    if args.dry_run {
        let mut jobs = vec![];
        let mut left_out = vec![];
        for call in calls {
            let (own, left) = each::jobs(moments, |turn| call.job(turn))?;
            jobs.push(own);
            left_out = left;
        }
        return plans(&jobs, &left_out, args, out);
    }
    let asked = ask(args, calls, moments);
    report::panel_ended(&asked.0, args.json, out)?;
    exit_of(asked.0, asked.1)
}

fn plans(
    jobs: &[Vec<trajview_judge::run::Job>],
    left_out: &[each::LeftOut],
    args: &Args,
    out: &mut Out,
) -> Outcome {
    if args.json {
        report::panel_plan(jobs, left_out, out)?;
        return Ok(Exit::Fine);
    }
    for own in jobs {
        report::plan((own, left_out), false, out)?;
        out.line("")?;
    }
    if let Some(most) = args.max_cost {
        out.line(&format!("All together cost {most:.2} USD at most."))?;
    }
    Ok(Exit::Fine)
}

/// Each judge on a thread of its own; what they say while they work is said with their names. With the signal that came last.
fn ask(args: &Args, calls: &[JudgingCall], moments: &[usize]) -> (Vec<Asked>, Option<u8>) {
    let (stop, signal) = signals::listen();
    let common = args.max_cost.map(|most| Arc::new(Common::new(most)));
    let lines = Mutex::new(());
    let one = |call: &JudgingCall| {
        let settings = &call.wish.settings;
        let own = CostBudget::new(settings.cost);
        let budget = Arc::new(match &common {
            Some(common) => own.within(common.clone()),
            None => own,
        });
        let mut tell = |news: News<'_>| {
            let _one_at_a_time = lines.lock().unwrap_or_else(PoisonError::into_inner);
            report::of_panel(&settings.name, news);
        };
        let mut states = States::default();
        let mut go = |start, states: &mut States| {
            let job = |turn| call.job(turn)?.with_key();
            let judgements = Judgements::of(&call.bundle);
            judge_each(moments, job, (&budget, start), (&judgements, &stop), &mut tell, states)
        };
        let start = if args.resume { Start::Resume } else { Start::Anew };
        let mut failed = go(start, &mut states).err();
        // A panel that was stopped may not have come to this judge.
        if args.resume && states.has_nothing_to_resume() {
            states = States::default();
            failed = go(Start::Anew, &mut states).err();
        }
        Asked { judge: settings.name.clone(), states, failed, spent: budget.spent() }
    };
    let asked = thread::scope(|scope| {
        let started: Vec<_> = calls.iter().map(|call| scope.spawn(move || one(call))).collect();
        let ended = started.into_iter().map(|it| it.join());
        // A judge that broke down breaks the program down, as it would alone.
        ended.map(|it| it.unwrap_or_else(|why| std::panic::resume_unwind(why))).collect()
    });
    (asked, signal.last())
}

/// The worst of them; what each that failed says is told.
fn exit_of(asked: Vec<Asked>, signal: Option<u8>) -> Outcome {
    let mut worst = Ok(Exit::Fine);
    for Asked { judge, states, failed, .. } in asked {
        let ends = states.judged.iter().map(|(job, ended)| end(job, ended, signal));
        let failed = failed.map(|why| Err(Failure::from(why)));
        for ended in ends.chain(failed) {
            match (&worst, ended) {
                (_, Ok(Exit::Fine)) => {}
                (Ok(Exit::Fine), Ok(exit)) => worst = Ok(exit),
                (_, Ok(_)) => {}
                (Ok(_), Err(why)) => worst = Err(why),
                (Err(_), Err(why)) => tell(&format!("{judge}: {}", why.sentence)),
            }
        }
    }
    worst
}

impl JudgingCall {
    fn has_no_prices(&self) -> bool {
        let cost = self.wish.settings.cost;
        cost.price_input.is_none() || cost.price_output.is_none()
    }
}
