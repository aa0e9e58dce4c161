//! The pillars by the formulas of RigorBench's paper (section 4.1). What a recording cannot give is None: quality of a plan,
//! coverage gained and traced requirements want a judge or a run of the code; abstention is defined for tasks that cannot be
//! done alone, and no recording says that its task is one.

use std::collections::HashSet;

use super::{
    action::Action,
    judged::{JudgedPart, Opinion},
    observed::{Observed, StepFacts},
    paths,
    pillars::{Counted, Part, Pillar, Scored},
    plan, recovery,
    shipped::count,
    states::{CheckKind, Results},
};
use trajview_run::StepId;

pub fn score(observed: &Observed, pillar: Pillar) -> Scored {
    match pillar {
        Pillar::Planning => planning(observed),
        Pillar::Verification => verification(observed),
        Pillar::Recovery => recovery_efficiency(observed),
        Pillar::Abstention => abstention(observed),
        Pillar::Transitions => transitions(observed),
        Pillar::Assertions => assertions(observed),
        Pillar::Exploration => exploration(observed),
    }
}

fn part(
    id: &'static str,
    what: &'static str,
    weight: f64,
    value: Option<f64>,
    why: impl Into<String>,
) -> Part {
    Part { id, what, weight, value, why: why.into(), is_judged: false }
}

/// A part that no recording gives: what a judge said of it, else not recorded.
fn judged(
    observed: &Observed,
    judged: JudgedPart,
    what: &'static str,
    weight: f64,
    why: &str,
) -> Part {
    let opinion = observed.opinion(judged);
    let words = opinion.map_or_else(|| why.to_owned(), Opinion::words);
    let value = opinion.map(Opinion::value);
    Part { is_judged: value.is_some(), ..part(judged.id(), what, weight, value, words) }
}

/// PF = .30 PAC + .35 DQ + .35 PEA.
fn planning(observed: &Observed) -> Scored {
    let plans = count(observed, "plans created", &[Action::PlanCreated]);
    let terms = plan::terms(&[observed.task.clone(), observed.requests.join("\n")].join("\n"));
    let is_plan =
        |step: &StepFacts| step.plan_text.as_ref().is_some_and(|it| plan::is_plan(it, &terms));
    let created = || observed.steps.iter().filter(|step| step.does(Action::PlanCreated));
    let good: Vec<StepId> = created().filter(|step| is_plan(step)).map(|step| step.id).collect();
    let has_unread = created().any(|step| step.plan_text.is_none());
    let lists = |step: &&StepFacts| {
        !step.plan.is_empty() && !step.does(Action::PlanCreated) && is_plan(step)
    };
    let said: Vec<StepId> = observed.steps.iter().filter(lists).map(|step| step.id).collect();
    let code = observed.steps.iter().position(|step| step.edits_code());
    let is_before_code = |id: &StepId| {
        let at = observed.steps.iter().position(|step| step.id == *id);
        code.is_none_or(|code| at.is_some_and(|at| at <= code))
    };
    let (created, why) = match () {
        () if good.iter().any(is_before_code) => (Some(1.0), "a plan was made before any code"),
        () if has_unread => (None, "a plan was made; the recording does not have its text"),
        () if said.iter().any(is_before_code) => (Some(0.5), "a list in words before any code"),
        () if good.len() + said.len() > 0 => (Some(0.5), "a plan was made after code was written"),
        () if plans.count > 0 => (
            Some(0.0),
            "what was made is no plan: fewer than 50 characters, or without a word of the task",
        ),
        () => (Some(0.0), "no plan was made"),
    };
    let followed = followed(observed);
    let created = created.filter(|_| observed.tells_steps());
    let parts = vec![
        part("PAC", "a plan before code", 0.30, created, why),
        judged(observed, JudgedPart::Plan, "how fine the plan is", 0.35, "asks for a judge"),
        part(
            "PEA",
            "the plan was followed",
            0.35,
            followed.map(|tau| tau.max(0.0)),
            match followed {
                Some(_) => "Kendall's tau of planned and executed order; below 0 counts 0",
                None => "no plan of which two things can be found again in what was done",
            },
        ),
    ];
    let said = Counted { what: "lists in words", count: said.len(), steps: said };
    let good = Counted { what: "plans long enough, of the task", count: good.len(), steps: good };
    Scored::of_parts(Pillar::Planning, parts, vec![plans, good, said])
}

impl StepFacts {
    /// Whether it changes a file that is no plan.
    fn edits_code(&self) -> bool {
        self.does(Action::FileModified) || self.does(Action::TestWritten)
    }
}

/// Kendall's tau of the longest plan and of what was done after it.
fn followed(observed: &Observed) -> Option<f64> {
    let orders = executed(observed)?;
    plan::tau(&orders.iter().map(|(_, at)| *at).collect::<Vec<_>>())
}

/// The longest plan's items, each with the step at which it was done first, as far as that can be told: by a later state of
/// the plan that ticks it off, else by the first later edit of a file that it names. None without a plan.
pub fn executed(observed: &Observed) -> Option<Vec<(String, Option<usize>)>> {
    let steps = &observed.steps;
    let longest = steps.iter().map(|step| step.plan.len()).max().filter(|len| *len >= 2)?;
    let start = steps.iter().position(|step| step.plan.len() == longest)?;
    let later = || steps.iter().enumerate().skip(start + 1);
    let done = |item: &plan::Item| {
        let ticked = later().find(|(_, step)| {
            step.plan.iter().any(|other| other.is_done && other.text == item.text)
        });
        let words = plan::telling_words(&item.text);
        let names = |step: &StepFacts| {
            let mut parts = step.edits.iter().flat_map(|path| {
                let path = path.to_lowercase();
                let (name, stem) = (paths::name(&path).to_owned(), paths::stem(&path).to_owned());
                [path, name, stem]
            });
            parts.any(|part| words.contains(&part))
        };
        ticked.or_else(|| later().find(|(_, step)| names(step))).map(|(at, _)| at)
    };
    Some(steps[start].plan.iter().map(|item| (item.text.clone(), done(item))).collect())
}

/// VC = .35 TCR + .30 coverage gained + .35 RT.
fn verification(observed: &Observed) -> Scored {
    let code = observed.code.filter(|code| code.public > 0);
    let created = code.map(|code| code.tested as f64 / code.public as f64);
    let parts = vec![
        part(
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
        part("dC", "coverage gained", 0.30, None, "asks for a run of the tests with coverage"),
        judged(
            observed,
            JudgedPart::Requirements,
            "requirements with a test",
            0.35,
            "asks for a judge",
        ),
    ];
    let counted = vec![
        count(observed, "test files written", &[Action::TestWritten]),
        count(observed, "runs of tests", &[Action::TestExecuted]),
    ];
    Scored::of_parts(Pillar::Verification, parts, counted)
}

/// RE = .30 / (1 + .2 RAC) + .35 SD + .35 (1 - TWR).
fn recovery_efficiency(observed: &Observed) -> Scored {
    let errors = count(observed, "errors", &[Action::ErrorEncountered]);
    let is_recorded = observed.steps.iter().any(|step| step.is_recorded);
    let cycles = recovery::cycles(observed);
    let sums = recovery::Sums::of(observed, &cycles);
    let attempts = match is_recorded {
        true => count(observed, "recoveries", &[Action::RecoveryAttempted]),
        false => {
            let steps: Vec<StepId> =
                cycles.iter().filter_map(|it| Some(observed.steps.get(it.failed)?.id)).collect();
            Counted { what: "recovery cycles", count: steps.len(), steps }
        }
    };
    // Where no call says how it went, no failure is not a run without failures.
    let is_told = is_recorded || observed.steps.iter().any(|step| step.has_outcome);
    let decayed = 1.0 / (1.0 + 0.2 * attempts.count as f64);
    let diversity = sums.diversity().filter(|_| !is_recorded);
    let waste = sums.waste().filter(|_| !is_recorded && is_told);
    let parts = vec![
        part(
            "RAC",
            "few recovery cycles",
            0.30,
            is_told.then_some(decayed),
            match is_told {
                true => format!("1 / (1 + 0.2 * {})", attempts.count),
                false => "no call says how it went".into(),
            },
        ),
        part(
            "SD",
            "strategies differ",
            0.35,
            diversity,
            match diversity {
                Some(_) => format!("{} strategies in {} attempts", sums.strategies, sums.attempts),
                None => "no attempt to recover is recorded step by step".into(),
            },
        ),
        part(
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
    let last = |attempt: &recovery::Attempt| Some(observed.steps.get(attempt.steps.1)?.id);
    let failed = cycles.iter().flat_map(|cycle| &cycle.attempts).filter(|it| !it.succeeded);
    let failed: Vec<StepId> = failed.filter_map(last).collect();
    let failed = Counted { what: "attempts that failed", count: failed.len(), steps: failed };
    Scored::of_parts(Pillar::Recovery, parts, vec![errors, attempts, failed])
}

fn abstention(observed: &Observed) -> Scored {
    let counted = vec![
        count(observed, "abstentions", &[Action::AbstentionDeclared]),
        count(observed, "questions", &[Action::QuestionAsked]),
    ];
    let parts = vec![part(
        "AQ",
        "abstains where it should",
        1.0,
        None,
        "defined for tasks that cannot be done; no recording says that its task is one",
    )];
    Scored::of_parts(Pillar::Abstention, parts, counted)
}

/// ATI = .40 BH + .40 TS + .20 CH, from the states that were built and tested on request, else from the builds and tests that
/// the agent ran itself.
fn transitions(observed: &Observed) -> Scored {
    let builds: Vec<bool> = ran(observed, Action::Built);
    let tests: Vec<bool> = ran(observed, Action::TestExecuted);
    let parts = vec![
        builds_hold(observed, &builds),
        tests_hold(observed, &tests),
        judged(
            observed,
            JudgedPart::Commits,
            "commits are units",
            0.20,
            "asks for a judge of the commits",
        ),
    ];
    let mut counted = vec![
        count(observed, "builds", &[Action::Built]),
        count(observed, "runs of tests", &[Action::TestExecuted]),
        count(observed, "commits", &[Action::Committed]),
    ];
    for (kind, good, bad) in [
        (CheckKind::Build, "states that build, on request", "states that do not build"),
        (CheckKind::Test, "states whose tests pass, on request", "states whose tests do not pass"),
    ] {
        let Some(results) = Results::of(&observed.states, kind) else { continue };
        counted.extend([(true, good), (false, bad)].map(|(is_good, what)| Counted {
            what,
            count: results.all.iter().filter(|(good, _)| *good == is_good).count(),
            steps: results.steps(is_good),
        }));
    }
    Scored::of_parts(Pillar::Transitions, parts, counted)
}

fn share(good: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| good as f64 / all as f64)
}

/// BH: the share of states that build.
fn builds_hold(observed: &Observed, own: &[bool]) -> Part {
    let own_good = own.iter().filter(|it| **it).count();
    let (value, why) = match (Results::of(&observed.states, CheckKind::Build), own.len()) {
        (Some(asked), count) => {
            let own = match count {
                0 => "the agent ran no build".to_owned(),
                count => format!("{own_good} of {count} builds that the agent ran succeeded"),
            };
            (share(asked.good(), asked.all.len()), of_states(observed, &asked, "built") + &own)
        }
        (None, 0) => (None, "the agent ran no build".to_owned()),
        (None, count) => (share(own_good, count), format!("of {count} builds that the agent ran")),
    };
    part("BH", "states that build", 0.40, value, why)
}

/// TS: the share of runs of the tests that do not fail after one that passed.
fn tests_hold(observed: &Observed, own: &[bool]) -> Part {
    let broken = own.windows(2).filter(|pair| pair[0] && !pair[1]).count();
    let told = |broken, count| format!("{broken} of {count} runs fail after one that passed");
    let (value, why) = match (Results::of(&observed.states, CheckKind::Test), own.len()) {
        (Some(asked), count) => {
            let own = match count {
                0 => "the agent ran no tests".to_owned(),
                count => format!("of the agent's own {}", told(broken, count)),
            };
            let (bad, all) = (asked.regressions(), asked.all.len());
            let states = of_states(observed, &asked, "tested");
            (share(all - bad, all), format!("{bad} fail after one that passed {states}{own}"))
        }
        (None, 0) => (None, "the agent ran no tests".to_owned()),
        (None, count) => (share(count - broken, count), told(broken, count)),
    };
    part("TS", "tests keep passing", 0.40, value, why)
}

/// Whether each run of it succeeded, in order; where the recording says.
fn ran(observed: &Observed, action: Action) -> Vec<bool> {
    let steps = observed.steps.iter();
    let steps = steps.filter(|step| step.does(action) && step.has_outcome && !step.is_recorded);
    steps.map(|step| !step.failed).collect()
}

/// `of 12 of 14 states built on request with make; `
fn of_states(observed: &Observed, asked: &Results, verb: &str) -> String {
    let (known, all) = (asked.all.len(), observed.states.len());
    let known = if known == all { known.to_string() } else { format!("{known} of {all}") };
    format!("of {known} states {verb} on request with `{}`; ", asked.command)
}

/// TAD = min(1, meaningful assertions per test function / 5).
fn assertions(observed: &Observed) -> Scored {
    let code = observed.code.unwrap_or_default();
    let asserts = code.paper;
    let (value, why) = match (asserts.density(), code.files, code.unread_tests) {
        (Some(density), _, _) => {
            let why = format!("{} in {} test functions", asserts.asserts, asserts.functions);
            (Some((density / 5.0).min(1.0)), why)
        }
        (None, 0, _) => (None, "no code is known at the end of the run".into()),
        (None, _, 1..) => (None, "there are test files that cannot be read or counted".into()),
        // `asserts / max(1, test functions) / 5`
        (None, files, 0) => (Some(0.0), format!("no test function in {files} files of code")),
    };
    let parts = vec![part("TAD", "assertions per test function", 1.0, value, why)];
    let counts =
        [("test functions", asserts.functions), ("meaningful assertions", asserts.asserts)];
    let counts = counts.map(|(what, count)| Counted { what, count, steps: vec![] });
    Scored::of_parts(Pillar::Assertions, parts, counts.into())
}

/// EE = files modified / (files read + files modified), each file once.
fn exploration(observed: &Observed) -> Scored {
    let mut changed = Counted { what: "files modified", count: 0, steps: vec![] };
    let mut read = Counted { what: "files read", count: 0, steps: vec![] };
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
    let parts = vec![part("EE", "files modified of files touched", 1.0, value, why)];
    let counted = vec![
        changed,
        read,
        touching("steps that write", observed, &|step| step.edits_files()),
        touching("steps that read or search", observed, &|step| {
            step.does(Action::FileRead) || step.does(Action::Searched)
        }),
    ];
    Scored::of_parts(Pillar::Exploration, parts, counted)
}

/// Steps of a kind, each once.
fn touching(
    what: &'static str,
    observed: &Observed,
    is_one: &dyn Fn(&StepFacts) -> bool,
) -> Counted {
    let steps: Vec<StepId> =
        observed.steps.iter().filter(|step| is_one(step)).map(|step| step.id).collect();
    Counted { what, count: steps.len(), steps }
}
