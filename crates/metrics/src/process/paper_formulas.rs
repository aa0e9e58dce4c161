//! The pillars by the formulas of RigorBench's paper (section 4.1). Values that a recording cannot give are None: the
//! quality of a plan, the gained coverage and the traced requirements need a judge or a run of the code; abstention is
//! defined only for tasks that cannot be done, and no recording says that its task is one.

use std::collections::HashSet;

use super::{
    action::StepAction,
    checked_states::{CheckKind, CheckResults},
    judged_parts::{JudgeOpinion, JudgedPart},
    paths,
    pillars::{CountedEvents, Pillar, PillarPart, PillarScore},
    plan, recovery,
    scorer_formulas::count_actions,
    step_facts::{ObservedRun, StepFacts},
};
use trajview_run::StepId;

/// Scores a pillar by the paper's formula.
pub(crate) fn score_pillar(observed: &ObservedRun, pillar: Pillar) -> PillarScore {
    match pillar {
        Pillar::Planning => score_planning(observed),
        Pillar::Verification => score_verification(observed),
        Pillar::Recovery => score_recovery(observed),
        Pillar::Abstention => score_abstention(observed),
        Pillar::Transitions => score_transitions(observed),
        Pillar::Assertions => score_assertions(observed),
        Pillar::Exploration => score_exploration(observed),
    }
}

fn formula_part(
    id: &'static str,
    what: &'static str,
    weight: f64,
    value: Option<f64>,
    why: impl Into<String>,
) -> PillarPart {
    PillarPart { id, what, weight, value, why: why.into(), is_judged: false }
}

/// Returns a part that no recording contains: the opinion of a judge, else "not recorded".
fn judged_part(
    observed: &ObservedRun,
    judged: JudgedPart,
    what: &'static str,
    weight: f64,
    why: &str,
) -> PillarPart {
    let opinion = observed.opinion_on(judged);
    let words = opinion.map_or_else(|| why.to_owned(), JudgeOpinion::opinion_text);
    let value = opinion.map(JudgeOpinion::level_share);
    PillarPart {
        is_judged: value.is_some(),
        ..formula_part(judged.id(), what, weight, value, words)
    }
}

/// Computes PF = .30 PAC + .35 DQ + .35 PEA.
fn score_planning(observed: &ObservedRun) -> PillarScore {
    let plans = count_actions(observed, "plan-tool calls", &[StepAction::PlanCreated]);
    let terms = plan::task_terms(&[observed.task.clone(), observed.requests.join("\n")].join("\n"));
    let is_plan =
        |step: &StepFacts| step.plan_text.as_ref().is_some_and(|it| plan::is_plan(it, &terms));
    let created = || observed.steps.iter().filter(|step| step.has_action(StepAction::PlanCreated));
    let good: Vec<StepId> = created().filter(|step| is_plan(step)).map(|step| step.id).collect();
    let has_unread = created().any(|step| step.plan_text.is_none());
    let lists = |step: &&StepFacts| {
        !step.plan.is_empty() && !step.has_action(StepAction::PlanCreated) && is_plan(step)
    };
    let listing_steps: Vec<StepId> =
        observed.steps.iter().filter(lists).map(|step| step.id).collect();
    let code = observed.steps.iter().position(|step| step.edits_code());
    let is_before_code = |id: &StepId| {
        let at = observed.steps.iter().position(|step| step.id == *id);
        code.is_none_or(|code| at.is_some_and(|at| at <= code))
    };
    let (created, why) = match () {
        () if good.iter().any(is_before_code) => (Some(1.0), "a plan was made before any code"),
        () if has_unread => (None, "a plan was made; the recording does not have its text"),
        () if listing_steps.iter().any(is_before_code) => {
            (Some(0.5), "a to-do list in a message before any code")
        }
        () if good.len() + listing_steps.len() > 0 => {
            (Some(0.5), "a plan was made after code was written")
        }
        () if plans.count > 0 => {
            (Some(0.0), "not a plan: fewer than 50 characters, or without a word of the task")
        }
        () => (Some(0.0), "no plan was made"),
    };
    let followed = plan_order_tau(observed);
    let created = created.filter(|_| observed.has_known_steps());
    let parts = vec![
        formula_part("PAC", "a plan before code", 0.30, created, why),
        judged_part(observed, JudgedPart::Plan, "how detailed the plan is", 0.35, "needs a judge"),
        formula_part(
            "PEA",
            "the plan was followed",
            0.35,
            followed.map(|tau| tau.max(0.0)),
            match followed {
                Some(_) => "Kendall's tau of planned and executed order; below 0 counts as 0",
                None => "fewer than two items of the plan match executed steps",
            },
        ),
    ];
    let listing_steps = CountedEvents {
        what: "to-do lists in messages",
        count: listing_steps.len(),
        steps: listing_steps,
    };
    let good = CountedEvents {
        what: "plans about the task that are long enough",
        count: good.len(),
        steps: good,
    };
    PillarScore::of_parts(Pillar::Planning, parts, vec![plans, good, listing_steps])
}

impl StepFacts {
    /// Returns whether the step changes a file that is no plan.
    fn edits_code(&self) -> bool {
        self.has_action(StepAction::FileModified) || self.has_action(StepAction::TestWritten)
    }
}

/// Returns Kendall's tau between the order of the longest plan and the order of execution after it.
fn plan_order_tau(observed: &ObservedRun) -> Option<f64> {
    let orders = executed_plan(observed)?;
    plan::kendall_tau(&orders.iter().map(|(_, at)| *at).collect::<Vec<_>>())
}

/// Returns the items of the longest plan, each with the step at which it was first done, as far as known: by a later
/// state of the plan that ticks it off, else by the first later edit of a file that it names. None without a plan.
pub(crate) fn executed_plan(observed: &ObservedRun) -> Option<Vec<(String, Option<usize>)>> {
    let steps = &observed.steps;
    let longest = steps.iter().map(|step| step.plan.len()).max().filter(|len| *len >= 2)?;
    let start = steps.iter().position(|step| step.plan.len() == longest)?;
    let later = || steps.iter().enumerate().skip(start + 1);
    let done = |item: &plan::PlanItem| {
        let ticked = later().find(|(_, step)| {
            step.plan.iter().any(|other| other.is_done && other.text == item.text)
        });
        let words = plan::distinctive_words(&item.text);
        let names = |step: &StepFacts| {
            let mut parts = step.edits.iter().flat_map(|path| {
                let path = path.to_lowercase();
                let (name, stem) =
                    (paths::file_name(&path).to_owned(), paths::file_stem(&path).to_owned());
                [path, name, stem]
            });
            parts.any(|part| words.contains(&part))
        };
        ticked.or_else(|| later().find(|(_, step)| names(step))).map(|(at, _)| at)
    };
    Some(steps[start].plan.iter().map(|item| (item.text.clone(), done(item))).collect())
}

/// Computes VC = .35 TCR + .30 coverage gained + .35 RT.
fn score_verification(observed: &ObservedRun) -> PillarScore {
    let code = observed.code.filter(|code| code.public > 0);
    let created = code.map(|code| code.tested as f64 / code.public as f64);
    let parts = vec![
        formula_part(
            "TCR",
            "functions with a test",
            0.35,
            created,
            match code {
                Some(code) => format!(
                    "{} of {} public functions and classes are named in a test file",
                    code.tested, code.public
                ),
                None => "no code is known".into(),
            },
        ),
        formula_part("dC", "coverage gained", 0.30, None, "needs a test run with coverage"),
        judged_part(
            observed,
            JudgedPart::Requirements,
            "requirements with a test",
            0.35,
            "needs a judge",
        ),
    ];
    let counted = vec![
        count_actions(observed, "test files written", &[StepAction::TestWritten]),
        count_actions(observed, "runs of tests", &[StepAction::TestExecuted]),
    ];
    PillarScore::of_parts(Pillar::Verification, parts, counted)
}

/// Computes RE = .30 / (1 + .2 RAC) + .35 SD + .35 (1 - TWR).
fn score_recovery(observed: &ObservedRun) -> PillarScore {
    let errors = count_actions(observed, "errors", &[StepAction::ErrorEncountered]);
    let is_recorded = observed.steps.iter().any(|step| step.is_recorded);
    let cycles = recovery::find_cycles(observed);
    let sums = recovery::RecoverySums::new(observed, &cycles);
    let attempts = match is_recorded {
        true => count_actions(observed, "recoveries", &[StepAction::RecoveryAttempted]),
        false => {
            let steps: Vec<StepId> =
                cycles.iter().filter_map(|it| Some(observed.steps.get(it.failed)?.id)).collect();
            CountedEvents { what: "recovery cycles", count: steps.len(), steps }
        }
    };
    // Where no call has an outcome, the absence of failures does not mean that there were none.
    let is_told = is_recorded || observed.steps.iter().any(|step| step.has_outcome);
    let decayed = 1.0 / (1.0 + 0.2 * attempts.count as f64);
    let diversity = sums.strategy_diversity().filter(|_| !is_recorded);
    let waste = sums.token_waste().filter(|_| !is_recorded && is_told);
    let parts = vec![
        formula_part(
            "RAC",
            "few recovery cycles",
            0.30,
            is_told.then_some(decayed),
            match is_told {
                true => format!("1 / (1 + 0.2 * {})", attempts.count),
                false => "no call has a recorded result".into(),
            },
        ),
        formula_part(
            "SD",
            "strategies differ",
            0.35,
            diversity,
            match diversity {
                Some(_) => format!("{} strategies in {} attempts", sums.strategies, sums.attempts),
                None => "no attempt to recover is recorded step by step".into(),
            },
        ),
        formula_part(
            "TWR",
            "few tokens wasted",
            0.35,
            waste.map(|waste| 1.0 - waste),
            match (waste, sums.wasted, sums.tokens) {
                (Some(_), Some(wasted), Some(all)) => {
                    format!("{wasted} of {all} tokens in attempts that failed")
                }
                _ => "tokens of steps, or how calls went, are not recorded".into(),
            },
        ),
    ];
    let last = |attempt: &recovery::RecoveryAttempt| Some(observed.steps.get(attempt.steps.1)?.id);
    let failed = cycles.iter().flat_map(|cycle| &cycle.attempts).filter(|it| !it.succeeded);
    let failed: Vec<StepId> = failed.filter_map(last).collect();
    let failed = CountedEvents { what: "attempts that failed", count: failed.len(), steps: failed };
    PillarScore::of_parts(Pillar::Recovery, parts, vec![errors, attempts, failed])
}

fn score_abstention(observed: &ObservedRun) -> PillarScore {
    let counted = vec![
        count_actions(observed, "abstentions", &[StepAction::AbstentionDeclared]),
        count_actions(observed, "questions", &[StepAction::QuestionAsked]),
    ];
    let parts = vec![formula_part(
        "AQ",
        "abstains where it should",
        1.0,
        None,
        "only defined for impossible tasks; no recording marks its task as impossible",
    )];
    PillarScore::of_parts(Pillar::Abstention, parts, counted)
}

/// Computes ATI = .40 BH + .40 TS + .20 CH, from the states that were built and tested on request, else from the builds
/// and tests that the agent ran itself.
fn score_transitions(observed: &ObservedRun) -> PillarScore {
    let builds: Vec<bool> = inferred_outcomes(observed, StepAction::Built);
    let tests: Vec<bool> = inferred_outcomes(observed, StepAction::TestExecuted);
    let parts = vec![
        builds_hold(observed, &builds),
        tests_hold(observed, &tests),
        judged_part(
            observed,
            JudgedPart::Commits,
            "commits are units",
            0.20,
            "needs a judge of the commits",
        ),
    ];
    let mut counted = vec![
        count_actions(observed, "builds", &[StepAction::Built]),
        count_actions(observed, "runs of tests", &[StepAction::TestExecuted]),
        count_actions(observed, "commits", &[StepAction::Committed]),
    ];
    for (kind, good, bad) in [
        (CheckKind::Build, "states that build, on request", "states that do not build"),
        (CheckKind::Test, "states whose tests pass, on request", "states whose tests do not pass"),
    ] {
        let Some(results) = CheckResults::from_states(&observed.states, kind) else { continue };
        counted.extend([(true, good), (false, bad)].map(|(is_good, what)| CountedEvents {
            what,
            count: results.all.iter().filter(|(good, _)| *good == is_good).count(),
            steps: results.steps_where(is_good),
        }));
    }
    PillarScore::of_parts(Pillar::Transitions, parts, counted)
}

fn share_of(good: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| good as f64 / all as f64)
}

/// Computes BH: the share of states that build.
fn builds_hold(observed: &ObservedRun, own_runs: &[bool]) -> PillarPart {
    let own_good = own_runs.iter().filter(|it| **it).count();
    let (value, why) =
        match (CheckResults::from_states(&observed.states, CheckKind::Build), own_runs.len()) {
            (Some(results), count) => {
                let own_runs = match count {
                    0 => "the agent ran no build".to_owned(),
                    count => format!("{own_good} of {count} builds that the agent ran succeeded"),
                };
                (
                    share_of(results.good_count(), results.all.len()),
                    states_text(observed, &results, "built") + &own_runs,
                )
            }
            (None, 0) => (None, "the agent ran no build".to_owned()),
            (None, count) => {
                (share_of(own_good, count), format!("of {count} builds that the agent ran"))
            }
        };
    formula_part("BH", "states that build", 0.40, value, why)
}

/// Computes TS: the share of runs of the tests that do not fail after one that passed.
fn tests_hold(observed: &ObservedRun, own_runs: &[bool]) -> PillarPart {
    let broken = own_runs.windows(2).filter(|pair| pair[0] && !pair[1]).count();
    let regression_text =
        |broken, count| format!("{broken} of {count} runs fail after one that passed");
    let (value, why) =
        match (CheckResults::from_states(&observed.states, CheckKind::Test), own_runs.len()) {
            (Some(results), count) => {
                let own_runs = match count {
                    0 => "the agent ran no tests".to_owned(),
                    count => format!("of the agent's own {}", regression_text(broken, count)),
                };
                let (bad, all) = (results.regression_count(), results.all.len());
                let states = states_text(observed, &results, "tested");
                (
                    share_of(all - bad, all),
                    format!("{bad} fail after one that passed {states}{own_runs}"),
                )
            }
            (None, 0) => (None, "the agent ran no tests".to_owned()),
            (None, count) => (share_of(count - broken, count), regression_text(broken, count)),
        };
    formula_part("TS", "tests keep passing", 0.40, value, why)
}

/// Returns whether each step with the action succeeded, in order. Leaves out steps without an outcome, and steps whose
/// actions the recording names.
fn inferred_outcomes(observed: &ObservedRun, action: StepAction) -> Vec<bool> {
    let steps = observed.steps.iter();
    let steps =
        steps.filter(|step| step.has_action(action) && step.has_outcome && !step.is_recorded);
    steps.map(|step| !step.failed).collect()
}

/// Returns text such as `of 12 of 14 states built on request with make; `.
fn states_text(observed: &ObservedRun, results: &CheckResults, verb: &str) -> String {
    let (known, all) = (results.all.len(), observed.states.len());
    let known = if known == all { known.to_string() } else { format!("{known} of {all}") };
    format!("of {known} states {verb} on request with `{}`; ", results.command)
}

/// Computes TAD = min(1, meaningful assertions per test function / 5).
fn score_assertions(observed: &ObservedRun) -> PillarScore {
    let code = observed.code.unwrap_or_default();
    let asserts = code.paper;
    let (value, why) = match (asserts.assertion_density(), code.files, code.unread_tests) {
        (Some(density), _, _) => {
            let why = format!("{} in {} test functions", asserts.asserts, asserts.functions);
            (Some((density / 5.0).min(1.0)), why)
        }
        (None, 0, _) => (None, "no code is known at the end of the run".into()),
        (None, _, 1..) => (None, "there are test files that cannot be read or counted".into()),
        // `asserts / max(1, test functions) / 5`
        (None, files, 0) => (Some(0.0), format!("no test function in {files} files of code")),
    };
    let parts = vec![formula_part("TAD", "assertions per test function", 1.0, value, why)];
    let counts =
        [("test functions", asserts.functions), ("meaningful assertions", asserts.asserts)];
    let counts = counts.map(|(what, count)| CountedEvents { what, count, steps: vec![] });
    PillarScore::of_parts(Pillar::Assertions, parts, counts.into())
}

/// Computes EE = files modified / (files read + files modified), each file once.
fn score_exploration(observed: &ObservedRun) -> PillarScore {
    let mut changed = CountedEvents { what: "files modified", count: 0, steps: vec![] };
    let mut read = CountedEvents { what: "files read", count: 0, steps: vec![] };
    let (mut edits, mut reads) = (HashSet::new(), HashSet::new());
    for step in &observed.steps {
        for (paths, seen, counted) in
            [(&step.edits, &mut edits, &mut changed), (&step.reads, &mut reads, &mut read)]
        {
            for path in paths.iter().filter(|path| !path.is_empty()) {
                if seen.insert(path.as_str()) {
                    counted.count += 1;
                    counted.steps.push(step.id);
                }
            }
        }
    }
    let all = changed.count + read.count;
    let value = (all > 0).then(|| changed.count as f64 / all as f64);
    let why = match value {
        Some(_) => format!("{} modified, {} read", changed.count, read.count),
        None => "no file is read or changed by a recorded step".into(),
    };
    let parts = vec![formula_part("EE", "files modified of files touched", 1.0, value, why)];
    let counted = vec![
        changed,
        read,
        count_steps("steps that write", observed, &|step| step.edits_files()),
        count_steps("steps that read or search", observed, &|step| {
            step.has_action(StepAction::FileRead) || step.has_action(StepAction::Searched)
        }),
    ];
    PillarScore::of_parts(Pillar::Exploration, parts, counted)
}

/// Counts the steps of a kind, each once.
fn count_steps(
    what: &'static str,
    observed: &ObservedRun,
    is_one: &dyn Fn(&StepFacts) -> bool,
) -> CountedEvents {
    let steps: Vec<StepId> =
        observed.steps.iter().filter(|step| is_one(step)).map(|step| step.id).collect();
    CountedEvents { what, count: steps.len(), steps }
}
